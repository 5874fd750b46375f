"""Where a truth breaks its schema: each kind of fault, at its place, and nothing where there is none."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundtruth.jsontext import Json
from groundtruth.truth_check import FaultCode, check_truth

QUANTITY: Json = {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]}
ITEM: Json = {
    "type": "object",
    "required": ["sku"],
    "properties": {"sku": {"type": "string", "pattern": "^[A-Z]"}, "qty": QUANTITY},
}
SCHEMA: Json = {
    "$defs": {"n": {"type": "number"}},
    "type": "object",
    "properties": {
        "kind": {"enum": ["Bill", "Note"]},
        "issued": {"type": "string", "format": "date"},
        "total": {"type": "number", "minimum": 0},
        "items": {"type": "array", "items": ITEM},
        "open": {"type": "object", "properties": {"x": {"type": "string"}}, "additionalProperties": True},
        "free": {"type": "object"},
        "closed": {"type": "object", "properties": {"x": {}}, "additionalProperties": False},
        "either": {"oneOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "string"}]},
        "merged": {"allOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]},
        "codes": {"type": "object", "properties": {"y": {}}, "patternProperties": {"^c_": {}}},
    },
}


def faults(value: Json, schema: Json = SCHEMA) -> list[tuple[str, str]]:
    return [(str(fault.code), fault.path) for fault in check_truth(value, schema)]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        pytest.param({}, [], id="nothing stated"),
        pytest.param({"total": Decimal("1.50")}, [], id="a decimal is a number"),
        pytest.param({"total": 2**70}, [], id="a large integer is a number"),
        pytest.param({"total": "12"}, [("wrong_type", "total")], id="text for a number"),
        pytest.param({"total": None}, [("null_not_allowed", "total")], id="null for a number"),
        pytest.param({"total": -1}, [("constraint", "total")], id="below the least"),
        pytest.param({"kind": "bill"}, [("not_in_enum", "kind")], id="another case"),
        pytest.param({"kind": None}, [("null_not_allowed", "kind")], id="null among members"),
        pytest.param({"issued": "2025-01-2025"}, [("wrong_format", "issued")], id="an impossible date"),
        pytest.param({"issued": "2025-01-20"}, [], id="a date"),
        pytest.param({"rest": 1}, [("undeclared_key", "rest")], id="an undeclared key"),
        pytest.param({"items": [{"qty": 1}]}, [("missing_key", "items[0].sku")], id="a required key"),
        pytest.param({"items": [{"sku": "a"}]}, [("constraint", "items[0].sku")], id="a pattern"),
        pytest.param({"items": [{"sku": "A", "qty": None}]}, [], id="null by a branch"),
        pytest.param({"items": [{"sku": "A", "qty": "2"}]}, [("wrong_type", "items[0].qty")], id="in no branch"),
        pytest.param({"items": [{"sku": "A"}, "B"]}, [("wrong_type", "items[1]")], id="text for a row"),
        pytest.param({"items": [{"sku": "A", "no": 1}]}, [("undeclared_key", "items[0].no")], id="a key of a row"),
        pytest.param({"open": {"x": "1", "z": 1}}, [], id="an open map"),
        pytest.param({"free": {"z": 1}}, [], id="an object that declares nothing"),
        pytest.param({"closed": {"z": 1}}, [("undeclared_key", "closed.z")], id="a closed object says it once"),
        pytest.param({"either": "x"}, [], id="the second branch"),
        pytest.param({"either": {"a": 1}}, [("wrong_type", "either.a")], id="the branch that was meant"),
        pytest.param({"either": {"b": 1}}, [("undeclared_key", "either.b")], id="a key of no branch"),
        pytest.param({"either": 5}, [("wrong_type", "either")], id="of no branch"),
        pytest.param({"merged": {"a": 1, "b": 1, "c": 1}}, [("undeclared_key", "merged.c")], id="merged parts"),
        pytest.param({"codes": {"c_1": 1, "d": 1}}, [("undeclared_key", "codes.d")], id="names by pattern"),
        pytest.param([], [("wrong_type", "")], id="a list for the root"),
        pytest.param({"a.b": 1}, [("undeclared_key", '["a.b"]')], id="a name with a dot"),
    ],
)
def test_each_fault_has_its_code_and_its_place(value: Json, found: list[tuple[str, str]]) -> None:
    assert faults(value) == found


def test_faults_come_in_the_order_of_the_truth() -> None:
    value = {"items": [{"sku": 1, "no": 1}, {"sku": None}], "total": "x", "kind": 1}
    assert [path for _, path in faults(value)] == ["items[0].sku", "items[0].no", "items[1].sku", "total", "kind"]


def test_a_message_shows_what_stands_there_and_stays_short() -> None:
    (fault,) = check_truth({"total": "x" * 1000}, SCHEMA)
    assert '"xxx' in fault.message
    assert 'type "number"' in fault.message
    assert len(fault.message) < 200


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param([], id="a list"),
        pytest.param({"type": "objekt"}, id="an unknown type"),
        pytest.param({"properties": {"a": {"$ref": "https://example.invalid/other.json"}}}, id="another file"),
        pytest.param({"properties": {"a": {"$ref": "#/$defs/none"}}}, id="a reference to nothing"),
        pytest.param({"properties": {"a": {"pattern": "("}}}, id="a broken pattern"),
    ],
)
def test_a_schema_that_cannot_be_checked_against_is_one_fault(schema: Json) -> None:
    assert faults({"a": "x"}, schema) == [("schema_unusable", "")]


def test_a_recursive_schema_is_followed_as_far_as_the_truth_goes() -> None:
    schema: Any = {"$ref": "#/$defs/part", "$defs": {"part": {"properties": {"part": {"$ref": "#/$defs/part"}}}}}
    assert faults({"part": {"part": {"part": {}}}}, schema) == []
    assert faults({"part": {"part": {"size": 1}}}, schema) == [("undeclared_key", "part.part.size")]


LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=3)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
)


@settings(max_examples=40)
@given(VALUES)
def test_any_value_fits_the_schema_that_says_just_that(value: Json) -> None:
    assert faults(value, exactly(value)) == []


def exactly(value: Json) -> Json:
    if isinstance(value, dict):
        children = {name: exactly(child) for name, child in value.items()}
        return {"type": "object", "properties": children, "required": sorted(children)}
    if isinstance(value, list):
        return {"type": "array", "prefixItems": [exactly(child) for child in value]} if value else {"type": "array"}
    return {"const": value}


@settings(max_examples=40)
@given(VALUES, VALUES)
def test_whatever_is_compared_ends_in_codes_that_can_be_written(value: Json, other: Json) -> None:
    for fault in check_truth(value, exactly(other)):
        assert fault.code in FaultCode
        assert json.dumps(fault.message)
