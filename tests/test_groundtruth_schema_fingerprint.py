"""The laws of the leaf fingerprint: it changes with all that says what a leaf means, and with nothing else."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundtruth import jsontext
from groundtruth.jsontext import Json
from groundtruth.path import Path, format_path
from groundtruth.rules import Rules
from groundtruth.schema_compile import compile_schema

Properties = dict[str, Json]

few = settings(max_examples=25)
"""Every example is checked against the meta-schema, at about a millisecond a field."""


def fingerprints(source: Json, rules: Json = None) -> dict[str, str]:
    schema = compile_schema(source, Rules.from_json(rules or {}), name="test")
    return {format_path(path): leaf.fingerprint for path, leaf in schema.leaves.items()}


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    assert before.keys() == after.keys()
    return {path for path, fingerprint in after.items() if fingerprint != before[path]}


SCALARS: list[Json] = [
    {"type": "string"},
    {"type": ["number", "null"], "minimum": 0},
    {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
    {"enum": ["a", "b", None]},
    {"type": "array", "items": {"type": "string"}},
    {"type": "object", "additionalProperties": {"type": "integer"}},
]
scalars = st.sampled_from(SCALARS).map(copy.deepcopy)
keys = st.sampled_from(["a", "b", "c", "d"])


def objects(children: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.dictionaries(keys, children, min_size=1, max_size=3).map(
        lambda properties: {"type": "object", "properties": properties}
    )


def containers(children: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return objects(children) | objects(children).map(lambda items: {"type": "array", "items": items})


schemas = objects(st.recursive(scalars, containers, max_leaves=6))


def subschema_at(source: Json, path: Path) -> Json:
    place = source
    for step in path:
        place = place["properties"][step] if isinstance(step, str) else place["items"]
    return place


def with_reversed_keys(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: with_reversed_keys(item) for key, item in reversed(value.items())}
    return [with_reversed_keys(item) for item in value] if isinstance(value, list) else value


@few
@given(schemas, st.data())
def test_a_changed_description_changes_exactly_one_fingerprint(source: Json, data: st.DataObject) -> None:
    leaves = list(compile_schema(source, Rules(), name="test").leaves)
    path = data.draw(st.sampled_from(leaves))
    edited = copy.deepcopy(source)
    subschema_at(edited, path)["description"] = "what it is"
    assert changed(fingerprints(source), fingerprints(edited)) == {format_path(path)}


@few
@given(schemas)
def test_the_order_of_keys_changes_nothing(source: Json) -> None:
    assert changed(fingerprints(source), fingerprints(with_reversed_keys(source))) == set()


@few
@given(schemas)
def test_writing_and_reading_the_schema_changes_nothing(source: Json) -> None:
    assert changed(fingerprints(source), fingerprints(jsontext.loads(jsontext.dumps(source)))) == set()


@few
@given(schemas)
def test_moving_subschemas_behind_references_changes_nothing(source: Json) -> None:
    shared: Properties = {}

    def behind(node: Json) -> Json:
        moved = dict(node)
        if "properties" in node:
            moved["properties"] = {name: behind(child) for name, child in node["properties"].items()}
        if isinstance(node.get("items"), dict):
            moved["items"] = behind(node["items"])
        shared[f"D{len(shared)}"] = moved
        return {"$ref": f"#/$defs/D{len(shared) - 1}"}

    root = {**source, "properties": {name: behind(child) for name, child in source["properties"].items()}}
    assert changed(fingerprints(source), fingerprints({**root, "$defs": shared})) == set()


@few
@given(schemas, st.data())
def test_another_property_beside_changes_nothing(source: Json, data: st.DataObject) -> None:
    before = fingerprints(source)
    edited = copy.deepcopy(source)
    edited["properties"]["new"] = data.draw(scalars)
    edited["required"] = ["new"]
    edited["description"] = "of the whole"
    after = fingerprints(edited)
    assert after.pop("new")
    assert changed(before, after) == set()


TEXT: Json = {"type": "string"}
ORDERS: Json = {
    "type": "object",
    "properties": {
        "number": TEXT,
        "orders": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": TEXT,
                    "place": TEXT,
                    "lines": {"type": "array", "items": {"type": "object", "properties": {"sku": TEXT, "size": TEXT}}},
                    "tags": {"type": "array", "items": TEXT},
                },
            },
        },
        "fees": {"type": "array", "items": {"type": "object", "properties": {"name": TEXT}}},
    },
}
IN_ORDERS = {"orders[].id", "orders[].place", "orders[].lines[].sku", "orders[].lines[].size", "orders[].tags"}
IN_LINES = {"orders[].lines[].sku", "orders[].lines[].size"}


@pytest.mark.parametrize(
    ("before", "after", "touched"),
    [
        pytest.param({}, {"orders": ["id"]}, IN_ORDERS, id="an outer array gets an identity"),
        pytest.param({"orders": ["id"]}, {"orders": ["place"]}, IN_ORDERS, id="an outer array gets another"),
        pytest.param({}, {"orders[].lines": ["sku"]}, IN_LINES, id="an inner array gets an identity"),
        pytest.param({"orders": ["id", "place"]}, {"orders": ["place", "id"]}, set(), id="the order of keys"),
        pytest.param({}, {"fees": ["name"]}, {"fees[].name"}, id="another array"),
    ],
)
def test_the_identity_of_an_array_is_part_of_all_its_leaves_and_of_no_other(
    before: Json, after: Json, touched: set[str]
) -> None:
    assert changed(fingerprints(ORDERS, {"identity": before}), fingerprints(ORDERS, {"identity": after})) == touched


def test_which_array_has_the_identity_matters() -> None:
    outer = fingerprints(ORDERS, {"identity": {"orders": ["id"]}})
    inner = fingerprints(ORDERS, {"identity": {"orders[].lines": ["sku"]}})
    assert changed(outer, inner) >= IN_LINES


@pytest.mark.parametrize(
    ("rule", "touched"),
    [
        pytest.param({"comparator": "identifier"}, True, id="comparator"),
        pytest.param({"comparator": "date", "date_order": "DMY"}, True, id="date order"),
        pytest.param({"null_tokens": ["N/A"]}, True, id="null tokens"),
        pytest.param({}, False, id="an empty rule"),
        pytest.param({"null_tokens": [], "locale": "en-US"}, False, id="defaults written out"),
    ],
)
def test_the_rule_is_part_of_its_leaf_only(rule: Json, touched: bool) -> None:
    after = fingerprints(ORDERS, {"fields": {"orders[].id": rule}})
    assert changed(fingerprints(ORDERS), after) == ({"orders[].id"} if touched else set())


def test_the_order_of_null_tokens_does_not_count() -> None:
    one = fingerprints(ORDERS, {"fields": {"number": {"null_tokens": ["-", "N/A"]}}})
    assert one == fingerprints(ORDERS, {"fields": {"number": {"null_tokens": ["N/A", "-"]}}})


@pytest.mark.parametrize(
    "more",
    [
        {"description": "d"},
        {"title": "t"},
        {"x-aliases": ["Order no."]},
        {"pattern": "^A"},
        {"evaluation_config": "string_semantic"},
        {"default": None},
        {"type": ["string", "null"]},
    ],
    ids=lambda more: next(iter(more)),
)
def test_every_keyword_of_a_leaf_counts(more: dict[str, Any]) -> None:
    edited = copy.deepcopy(ORDERS)
    edited["properties"]["number"] = {**TEXT, **more}
    assert changed(fingerprints(ORDERS), fingerprints(edited)) == {"number"}


def test_a_change_in_a_shared_definition_touches_each_leaf_that_refers_to_it() -> None:
    def source(description: str) -> Json:
        reference = {"$ref": "#/$defs/Money"}
        return {
            "type": "object",
            "properties": {"net": reference, "gross": {**reference, "title": "Gross"}, "name": TEXT},
            "$defs": {"Money": {"type": "number", "description": description}, "Unused": TEXT},
        }

    assert changed(fingerprints(source("in euros")), fingerprints(source("in dollars"))) == {"net", "gross"}


def test_a_keyword_beside_a_reference_counts_though_the_reference_has_it_too() -> None:
    def source(own: str, shared: str) -> Json:
        field = {"$ref": "#/$defs/T", "description": own}
        return {"type": "object", "properties": {"x": field}, "$defs": {"T": {"type": "string", "description": shared}}}

    found = {fingerprints(source(own, shared))["x"] for own in "ab" for shared in "ab"}
    assert len(found) == 4


def test_the_parts_of_an_allof_all_count() -> None:
    def source(description: str) -> Json:
        inherited = {"properties": {"x": {"type": "string", "description": description}}}
        return {"type": "object", "properties": {"x": {"maxLength": 5}}, "allOf": [inherited]}

    assert changed(fingerprints(source("a")), fingerprints(source("b"))) == {"x"}


def test_a_fingerprint_is_a_sha256_and_stays_what_it_was() -> None:
    # Stored decisions are bound to this value: if it changes, every reviewed leaf of every dataset opens again.
    (fingerprint,) = fingerprints({"type": "object", "properties": {"x": {"type": "string"}}}).values()
    assert fingerprint == "ec837d79f1d7f3e9fb76547c638f66251cc76495fbf7ea9f270e8be863a53d84"
