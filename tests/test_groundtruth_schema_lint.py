"""Warnings about schemas that compile."""

from __future__ import annotations

import pytest

from groundtruth.jsontext import Json
from groundtruth.rules import Rules
from groundtruth.schema_compile import check_schema, compile_schema
from groundtruth.schema_finding import Code, Finding, Level

TEXT: Json = {"type": ["string", "null"], "description": "d"}
CELLS: dict[str, Json] = {
    "sku": TEXT,
    "size": {"type": ["number", "null"], "description": "d"},
    "count": {"type": ["integer", "null"], "description": "d"},
    "gift": {"type": ["boolean", "null"], "description": "d"},
    "tags": {"type": ["array", "null"], "items": TEXT, "description": "d"},
    "any": {"type": ["object", "null"], "description": "d"},
}
LINES: Json = {"type": "array", "items": {"type": "object", "properties": CELLS}}


def findings(properties: dict[str, Json], rules: Json = None, **more: Json) -> list[Finding]:
    source = {"type": "object", "properties": properties, **more}
    return check_schema(source, Rules.from_json(rules or {}))


def told(properties: dict[str, Json], rules: Json = None, **more: Json) -> list[tuple[str, Code]]:
    found = findings(properties, rules, **more)
    assert all(finding.level is Level.WARNING for finding in found)
    return [(finding.path, finding.code) for finding in found]


def test_a_good_schema_has_no_findings() -> None:
    cells = {name: CELLS[name] for name in ("sku", "count")}
    lines = {"type": "array", "items": {"type": "object", "properties": cells}}
    assert told({"number": TEXT, "lines": lines}, {"identity": {"lines": ["sku"]}}) == []


@pytest.mark.parametrize(
    ("subschema", "codes"),
    [
        ({"type": "string", "description": "d"}, [Code.NOT_NULLABLE]),
        ({"type": "array", "items": TEXT, "description": "d"}, [Code.NOT_NULLABLE]),
        ({"type": ["string", "null"], "enum": ["a"], "description": "d"}, [Code.NOT_NULLABLE]),
        ({"type": ["string", "null"], "enum": ["a", None], "description": "d"}, []),
        ({"type": ["string", "null"]}, [Code.NO_DESCRIPTION]),
        ({"description": "d"}, [Code.NO_TYPE]),
        ({"type": "null", "description": "d"}, [Code.ONLY_NULL]),
        ({"type": ["object", "null"], "description": "d"}, [Code.OPAQUE]),
        ({"type": "object"}, [Code.OPAQUE, Code.NOT_NULLABLE, Code.NO_DESCRIPTION]),
        (LINES, [Code.OPAQUE, Code.NO_IDENTITY]),
    ],
    ids=[
        "not nullable",
        "list not nullable",
        "enumeration without null",
        "enumeration with null",
        "no description",
        "no type",
        "only null",
        "opaque",
        "several",
        "array without identity",
    ],
)
def test_each_weakness_of_a_leaf_or_array_is_told(subschema: Json, codes: list[Code]) -> None:
    assert sorted(code for _, code in told({"x": subschema})) == sorted(codes)


def test_an_enumeration_is_told_to_hold_null_itself() -> None:
    (finding,) = findings({"x": {"type": ["string", "null"], "enum": ["a"], "description": "d"}})
    assert finding.message.endswith("and null to its enum")


@pytest.mark.parametrize(
    ("key", "weak"),
    [("sku", False), ("count", False), ("size", True), ("gift", True), ("tags", True), ("any", True)],
)
def test_an_identity_key_that_tells_rows_apart_badly_is_told(key: str, weak: bool) -> None:
    found = told({"lines": LINES}, {"identity": {"lines": [key]}})
    assert (("lines", Code.WEAK_IDENTITY) in found) is weak
    assert ("lines", Code.NO_IDENTITY) not in found


def test_keys_beyond_the_declared_ones_are_told() -> None:
    extra = {"type": "object", "properties": {"a": TEXT}, "additionalProperties": {"type": "number"}}
    assert told({"x": extra}) == [("x", Code.EXTRA_KEYS)]
    assert told({"x": {**extra, "additionalProperties": True}}) == []


def test_properties_that_only_a_condition_declares_are_told() -> None:
    then = {"properties": {"b": TEXT, "a": TEXT}}
    conditional = {"type": "object", "properties": {"a": TEXT}, "if": {"required": ["a"]}, "then": then}
    assert told({"x": conditional}) == [("x", Code.CONDITIONAL)]
    dependent = {"type": "object", "properties": {"a": TEXT}, "dependentSchemas": {"a": then}}
    (finding,) = findings({"x": dependent})
    assert "declares b under a condition" in finding.message


def test_a_required_name_that_is_not_declared_is_told() -> None:
    (finding,) = findings({"number": TEXT}, required=["nummer", "number"])
    assert (finding.path, finding.code) == ("", Code.UNDECLARED_REQUIRED)
    assert "'nummer'" in finding.message


def test_findings_come_in_the_order_of_the_schema() -> None:
    bad: Json = {"type": "string", "description": "d"}
    lines = {"type": "array", "items": {"type": "object", "properties": {"z": bad, "y": bad}}}
    found = findings({"q": bad, "lines": lines, "a": bad}, required=["gone"])
    assert [finding.path for finding in found] == ["", "q", "lines", "lines[].z", "lines[].y", "a"]


def test_a_compiled_schema_carries_its_warnings() -> None:
    source = {"type": "object", "properties": {"x": {"type": "string", "description": "d"}}}
    (warning,) = compile_schema(source, Rules(), name="test").warnings
    assert warning.startswith("x: does not admit null")
