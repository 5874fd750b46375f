"""How declared rules change the leaves, and which rules are refused."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from groundtruth.errors import RulesError, SchemaError
from groundtruth.jsontext import Json
from groundtruth.path import parse_path
from groundtruth.rules import Comparator, ListOrder, Rules
from groundtruth.schema import Leaf
from groundtruth.schema_compile import check_schema, compile_schema
from groundtruth.schema_finding import Code, Finding, Level

TEXT: Json = {"type": "string"}

SOURCE: Json = {
    "type": "object",
    "properties": {
        "issued": {"type": "string", "format": "date"},
        "amount": {"type": "number"},
        "count": {"type": "integer"},
        "paid": {"type": "boolean"},
        "fax": TEXT,
        "status": {"enum": ["open", "closed"]},
        "either": {"type": ["string", "number"]},
        "extra": {"type": "object"},
        "tags": {"type": "array", "items": TEXT},
        "seller": {"type": "object", "properties": {"name": TEXT}},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "sku": TEXT,
                    "price": {"type": "number"},
                    "gift": {"type": "boolean"},
                    "product": {"type": "object", "properties": {"code": TEXT}},
                    "parts": {"type": "array", "items": {"type": "object", "properties": {"serial": TEXT}}},
                },
            },
        },
    },
}


def rules_of(fields: Json = None, identity: Json = None) -> Rules:
    return Rules.from_json({"fields": fields or {}, "identity": identity or {}})


def leaf_under(path: str, rule: Json) -> Leaf:
    return compile_schema(SOURCE, rules_of({path: rule}), name="test").leaves[parse_path(path)]


def findings(rules: Rules, level: Level) -> list[Finding]:
    return [finding for finding in check_schema(SOURCE, rules) if finding.level is level]


@pytest.mark.parametrize(
    ("path", "declared"),
    [
        ("fax", "identifier"),
        ("fax", "case_insensitive"),
        ("fax", "typographic"),
        ("fax", "date"),
        ("fax", "currency"),
        ("fax", "boolean"),
        ("issued", "text"),
        ("amount", "currency"),
        ("amount", "integer"),
        ("count", "number"),
        ("count", "identifier"),
        ("paid", "boolean"),
        ("status", "text"),
        ("either", "identifier"),
        ("either", "number"),
        ("seller.name", "case_insensitive"),
        ("items[].sku", "identifier"),
        ("items[].parts[].serial", "identifier"),
    ],
)
def test_a_declared_comparator_replaces_the_one_of_the_schema(path: str, declared: str) -> None:
    leaf = leaf_under(path, {"comparator": declared})
    assert leaf.comparator is Comparator(declared)
    assert leaf.rule.comparator is Comparator(declared)


def test_a_rule_without_a_comparator_keeps_the_one_of_the_schema() -> None:
    leaf = leaf_under("issued", {"date_order": "DMY", "null_tokens": ["N/A"]})
    assert leaf.comparator is Comparator.DATE
    assert leaf.rule.null_tokens == ("N/A",)


def test_the_rule_of_a_list_says_its_order_and_how_its_items_compare() -> None:
    leaf = leaf_under("tags", {"list": "set", "comparator": "identifier"})
    assert leaf.comparator is Comparator.LIST
    assert leaf.rule.list is ListOrder.SET
    assert leaf.item is not None
    assert leaf.item.comparator is Comparator.IDENTIFIER


def test_identity_keys_stand_at_their_array_and_may_be_nested_cells() -> None:
    identity = {"items": ["sku", "product.code"], "items[].parts": ["serial"]}
    tables = compile_schema(SOURCE, rules_of(identity=identity), name="test").tables
    assert [table.identity for table in tables.values()] == [(("sku",), ("product", "code")), (("serial",),)]


class Refusal(NamedTuple):
    rules: Rules
    path: str
    code: Code
    says: str


REFUSALS: dict[str, Refusal] = {
    "unknown field": Refusal(rules_of({"isued": {}}), "isued", Code.UNKNOWN_FIELD, "did you mean issued?"),
    "field without its array": Refusal(rules_of({"items.sku": {}}), "items.sku", Code.UNKNOWN_FIELD, "items[].sku"),
    "field of one row": Refusal(rules_of({"items[0].sku": {}}), "items[0].sku", Code.UNKNOWN_FIELD, "items[].sku"),
    "nothing close": Refusal(rules_of({"zzz": {}}), "zzz", Code.UNKNOWN_FIELD, "it has issued, amount, count"),
    "no path": Refusal(rules_of({"items[": {}}), "items[", Code.UNKNOWN_FIELD, "is not a leaf path"),
    "object": Refusal(
        rules_of({"seller": {"comparator": "text"}}),
        "seller",
        Code.RULE_CANNOT_APPLY,
        "is an object; give rules to its fields (seller.name)",
    ),
    "array of objects": Refusal(
        rules_of({"items": {"list": "set"}}), "items", Code.RULE_CANNOT_APPLY, "is an array of objects"
    ),
    "one spelling and another": Refusal(
        rules_of({"fax": {}, '["fax"]': {}}), "fax", Code.UNKNOWN_FIELD, "stands twice"
    ),
    "date of a number": Refusal(
        rules_of({"count": {"comparator": "date"}}), "count", Code.RULE_CANNOT_APPLY, "the schema says integer"
    ),
    "number of a boolean": Refusal(
        rules_of({"paid": {"comparator": "number"}}), "paid", Code.RULE_CANNOT_APPLY, "the schema says boolean"
    ),
    "boolean of a number": Refusal(
        rules_of({"amount": {"comparator": "boolean"}}), "amount", Code.RULE_CANNOT_APPLY, "the schema says number"
    ),
    "comparator of an opaque leaf": Refusal(
        rules_of({"extra": {"comparator": "text"}}), "extra", Code.RULE_CANNOT_APPLY, "opaque"
    ),
    "a comparator that follows from the schema": Refusal(
        rules_of({"fax": {"comparator": "enum"}}), "fax", Code.RULE_CANNOT_APPLY, "cannot be declared"
    ),
    "order of what is no list": Refusal(
        rules_of({"fax": {"list": "set"}}), "fax", Code.RULE_CANNOT_APPLY, "no array of scalars"
    ),
    "order of an opaque leaf": Refusal(
        rules_of({"extra": {"list": "ordered"}}), "extra", Code.RULE_CANNOT_APPLY, "no array of scalars"
    ),
    "items that cannot be compared so": Refusal(
        rules_of({"tags": {"comparator": "list"}}), "tags[]", Code.RULE_CANNOT_APPLY, "cannot be declared"
    ),
    "unknown locale": Refusal(
        rules_of({"amount": {"locale": "de-XX"}}), "amount", Code.UNKNOWN_LOCALE, "unknown locale 'de-XX'"
    ),
    "identity of an unknown array": Refusal(
        rules_of(identity={"item": ["sku"]}), "item", Code.UNKNOWN_ARRAY, "did you mean items?"
    ),
    "identity of a nested array without its parent": Refusal(
        rules_of(identity={"parts": ["serial"]}), "parts", Code.UNKNOWN_ARRAY, "items[].parts"
    ),
    "identity of a list": Refusal(rules_of(identity={"tags": ["x"]}), "tags", Code.UNKNOWN_ARRAY, "no such array"),
    "identity of an object": Refusal(
        rules_of(identity={"seller": ["name"]}), "seller", Code.UNKNOWN_ARRAY, "no such array of objects"
    ),
    "identity of no path": Refusal(rules_of(identity={"[": ["x"]}), "[", Code.UNKNOWN_ARRAY, "is not a leaf path"),
    "unknown key": Refusal(rules_of(identity={"items": ["skv"]}), "items", Code.UNKNOWN_KEY, "did you mean sku?"),
    "key by its whole path": Refusal(
        rules_of(identity={"items": ["items[].sku"]}), "items", Code.UNKNOWN_KEY, "no cell of its rows"
    ),
    "key in a nested array": Refusal(
        rules_of(identity={"items": ["parts[].serial"]}), "items", Code.UNKNOWN_KEY, "no cell of its rows"
    ),
    "key that is an object": Refusal(
        rules_of(identity={"items": ["product"]}), "items", Code.UNKNOWN_KEY, "did you mean product.code?"
    ),
    "key that is no path": Refusal(rules_of(identity={"items": ["a b"]}), "items", Code.UNKNOWN_KEY, "not a leaf path"),
    "no key": Refusal(rules_of(identity={"items": []}), "items", Code.UNKNOWN_KEY, "names no key"),
    "key twice": Refusal(rules_of(identity={"items": ["sku", "sku"]}), "items", Code.UNKNOWN_KEY, "stands twice"),
}


@pytest.mark.parametrize("case", REFUSALS.values(), ids=REFUSALS.keys())
def test_a_rule_that_cannot_hold_is_refused_with_its_place_and_a_cure(case: Refusal) -> None:
    (finding,) = findings(case.rules, Level.ERROR)
    assert (finding.path, finding.code) == (case.path, case.code)
    assert case.says in finding.message
    with pytest.raises(RulesError) as caught:
        compile_schema(SOURCE, case.rules, name="invoice")
    assert str(caught.value) == f"invoice: {finding}"


def test_every_refused_rule_is_found_at_once() -> None:
    rules = rules_of({"isued": {}, "amount": {"comparator": "date"}}, {"items": ["skv"], "x": ["y"]})
    assert {(finding.path, finding.code) for finding in findings(rules, Level.ERROR)} == {
        ("isued", Code.UNKNOWN_FIELD),
        ("amount", Code.RULE_CANNOT_APPLY),
        ("items", Code.UNKNOWN_KEY),
        ("x", Code.UNKNOWN_ARRAY),
    }


def test_rules_beneath_a_refused_field_are_not_called_unknown() -> None:
    source = {"type": "object", "properties": {"a": {"properties": {"b": TEXT}, "$ref": "#/nowhere"}, "c": TEXT}}
    rules = rules_of({"a.b": {}}, {"a.rows": ["x"]})
    errors = [finding for finding in check_schema(source, rules) if finding.level is Level.ERROR]
    assert [(finding.path, finding.code) for finding in errors] == [("a", Code.BROKEN_REF)]
    with pytest.raises(SchemaError):
        compile_schema(source, rules, name="test")


@pytest.mark.parametrize(
    ("path", "rule", "idle"),
    [
        ("fax", {"date_order": "DMY"}, "date_order"),
        ("amount", {"century_pivot": 2050}, "century_pivot"),
        ("fax", {"locale": "de-DE"}, "locale"),
        ("issued", {"comparator": "text", "date_order": "DMY"}, "date_order"),
        ("tags", {"date_order": "DMY"}, "date_order"),
    ],
)
def test_a_part_of_a_rule_that_means_nothing_here_is_a_warning(path: str, rule: Json, idle: str) -> None:
    warnings = [
        finding
        for finding in findings(rules_of({path: rule}), Level.WARNING)
        if finding.code is Code.RULE_WITHOUT_EFFECT
    ]
    (warning,) = warnings
    assert warning.path.startswith(path)
    assert idle in warning.message


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("issued", {"date_order": "DMY", "century_pivot": 2050}),
        ("fax", {"comparator": "date", "date_order": "YMD"}),
        ("amount", {"locale": "de-DE"}),
        ("either", {"locale": "de-DE"}),
        ("fax", {"comparator": "currency", "locale": "de-DE"}),
        ("extra", {"null_tokens": ["none"]}),
        ("tags", {"list": "multiset", "null_tokens": ["-"]}),
    ],
)
def test_a_part_of_a_rule_that_applies_is_no_finding(path: str, rule: Json) -> None:
    codes = {finding.code for finding in check_schema(SOURCE, rules_of({path: rule}))}
    assert not codes & {Code.RULE_WITHOUT_EFFECT, Code.RULE_CANNOT_APPLY}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param({"field": {}}, "field: no such key; there are fields, identity", id="top"),
        pytest.param(
            {"fields": {"total": {"kind": "date"}}},
            "fields.total.kind: no such key; there are comparator, date_order,",
            id="field",
        ),
        pytest.param([], "the file: Input should be", id="root"),
        pytest.param(
            {"fields": {"total": {"comparator": "money"}}}, "fields.total.comparator: Input should", id="value"
        ),
    ],
)
def test_a_fault_of_form_names_its_place_and_what_may_stand_there(given: Json, said: str) -> None:
    with pytest.raises(RulesError) as caught:
        Rules.from_json(given, source="rules.json")
    assert str(caught.value).startswith(f"rules.json: {said}")
