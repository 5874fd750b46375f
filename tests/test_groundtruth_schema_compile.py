"""What a JSON Schema becomes: which leaves, of which comparator, type and nullability."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from groundtruth.jsontext import Json
from groundtruth.path import format_path
from groundtruth.rules import Comparator, Rules
from groundtruth.schema import FrozenSchema, Leaf, Record, Table
from groundtruth.schema_compile import check_schema, compile_schema
from groundtruth.schema_finding import Code

TEXT: Json = {"type": "string"}
NUMBER: Json = {"type": "number"}
LINE: Json = {"type": "object", "properties": {"sku": TEXT, "amount": NUMBER}}


def schema_of(properties: dict[str, Json], **more: Json) -> dict[str, Json]:
    return {"type": "object", "properties": properties, **more}


def compiled(properties: dict[str, Json], rules: Json | None = None, **more: Json) -> FrozenSchema:
    return compile_schema(schema_of(properties, **more), Rules.from_json(rules or {}), name="test")


def the_leaf(subschema: Json, **more: Json) -> Leaf:
    (leaf,) = compiled({"x": subschema}, **more).leaves.values()
    return leaf


def names(schema: FrozenSchema) -> list[str]:
    return [format_path(path) for path in schema.leaves]


class Expected(NamedTuple):
    comparator: Comparator
    types: set[str]
    nullable: bool = False
    enum: tuple[Json, ...] = ()


SCALARS: dict[str, tuple[Json, Expected]] = {
    "text": (TEXT, Expected(Comparator.TEXT, {"string"})),
    "number": (NUMBER, Expected(Comparator.NUMBER, {"number"})),
    "integer": ({"type": "integer"}, Expected(Comparator.INTEGER, {"integer"})),
    "boolean": ({"type": "boolean"}, Expected(Comparator.BOOLEAN, {"boolean"})),
    "date": ({"type": "string", "format": "date"}, Expected(Comparator.DATE, {"string"})),
    "date and time": ({"type": "string", "format": "date-time"}, Expected(Comparator.DATE, {"string"})),
    "another format": ({"type": "string", "format": "email"}, Expected(Comparator.TEXT, {"string"})),
    "no type": ({"description": "?"}, Expected(Comparator.TEXT, {"string"}, nullable=True)),
    "true": (True, Expected(Comparator.TEXT, {"string"}, nullable=True)),
    "only null": ({"type": "null"}, Expected(Comparator.TEXT, {"string"}, nullable=True)),
    "nullable by a type list": ({"type": ["string", "null"]}, Expected(Comparator.TEXT, {"string"}, nullable=True)),
    "nullable by anyOf": (
        {"anyOf": [{"type": "number"}, {"type": "null"}]},
        Expected(Comparator.NUMBER, {"number"}, nullable=True),
    ),
    "nullable by oneOf": (
        {"oneOf": [{"type": "null"}, {"type": "string", "format": "date"}]},
        Expected(Comparator.DATE, {"string"}, nullable=True),
    ),
    "nullable as OpenAPI says it": (
        {"type": "string", "nullable": True},
        Expected(Comparator.TEXT, {"string"}, nullable=True),
    ),
    "one alternative": ({"anyOf": [TEXT]}, Expected(Comparator.TEXT, {"string"})),
    "the same alternative twice": ({"anyOf": [TEXT, TEXT]}, Expected(Comparator.TEXT, {"string"})),
    "alternatives that constrain one type": (
        {"type": "string", "anyOf": [{"pattern": "^A"}, {"pattern": "^B"}]},
        Expected(Comparator.TEXT, {"string"}),
    ),
    "a date or any text": (
        {"anyOf": [{"type": "string", "format": "date"}, TEXT]},
        Expected(Comparator.TEXT, {"string"}),
    ),
    "union by a type list": (
        {"type": ["string", "number"]},
        Expected(Comparator.UNION, {"string", "number"}),
    ),
    "union by anyOf with null": (
        {"anyOf": [TEXT, {"type": "integer"}, {"type": "boolean"}, {"type": "null"}]},
        Expected(Comparator.UNION, {"string", "integer", "boolean"}, nullable=True),
    ),
    "an integer is a number": ({"type": ["integer", "number"]}, Expected(Comparator.NUMBER, {"number"})),
    "enumeration": (
        {"type": "string", "enum": ["b", "a"]},
        Expected(Comparator.ENUM, {"string"}, enum=("b", "a")),
    ),
    "enumeration without a type": (
        {"enum": ["a", "b", None]},
        Expected(Comparator.ENUM, {"string"}, nullable=True, enum=("a", "b")),
    ),
    "enumeration that forgets the null of its type": (
        {"type": ["string", "null"], "enum": ["a"]},
        Expected(Comparator.ENUM, {"string"}, enum=("a",)),
    ),
    "enumeration of numbers": ({"type": "number", "enum": [1, 2]}, Expected(Comparator.ENUM, {"number"}, enum=(1, 2))),
    "enumeration of several types": (
        {"enum": ["a", 1]},
        Expected(Comparator.ENUM, {"string", "integer"}, enum=("a", 1)),
    ),
    "members of another type do not count": (
        {"type": "string", "enum": ["a", 1, True]},
        Expected(Comparator.ENUM, {"string"}, enum=("a",)),
    ),
    "enumeration of yes and no": (
        {"enum": [True, False]},
        Expected(Comparator.BOOLEAN, {"boolean"}, enum=(True, False)),
    ),
    "enumerations joined": (
        {"anyOf": [{"const": "a"}, {"enum": ["b", "a"]}, {"type": "null"}]},
        Expected(Comparator.ENUM, {"string"}, nullable=True, enum=("a", "b")),
    ),
    "true is not 1": (
        {"anyOf": [{"const": 1}, {"const": True}]},
        Expected(Comparator.ENUM, {"integer", "boolean"}, enum=(1, True)),
    ),
    "suggested members beside any text": (
        {"anyOf": [{"enum": ["a", "b"]}, TEXT]},
        Expected(Comparator.TEXT, {"string"}),
    ),
    "an enumeration or a number": (
        {"anyOf": [{"enum": ["all"]}, NUMBER]},
        Expected(Comparator.UNION, {"string", "number"}),
    ),
    "constant": ({"const": "EUR"}, Expected(Comparator.ENUM, {"string"}, enum=("EUR",))),
    "constant null": ({"const": None}, Expected(Comparator.TEXT, {"string"}, nullable=True)),
    "allOf narrows a number": (
        {"allOf": [NUMBER, {"type": "integer"}]},
        Expected(Comparator.INTEGER, {"integer"}),
    ),
    "allOf narrows an enumeration": (
        {"allOf": [{"enum": ["a", "b", "c"]}, {"enum": ["c", "b"]}]},
        Expected(Comparator.ENUM, {"string"}, enum=("b", "c")),
    ),
    "a contradictory alternative is none": (
        {"type": "string", "anyOf": [{"type": "number"}, {"pattern": "^A"}]},
        Expected(Comparator.TEXT, {"string"}),
    ),
    "a false alternative is none": ({"anyOf": [False, TEXT]}, Expected(Comparator.TEXT, {"string"})),
}


@pytest.mark.parametrize(("subschema", "expected"), SCALARS.values(), ids=SCALARS.keys())
def test_a_scalar_is_one_leaf(subschema: Json, expected: Expected) -> None:
    leaf = the_leaf(subschema)
    assert Expected(leaf.comparator, set(leaf.types), leaf.nullable, leaf.enum) == expected
    assert [type(member) for member in leaf.enum] == [type(member) for member in expected.enum]
    assert leaf.item is None


OPAQUE: dict[str, tuple[Json, set[str], str]] = {
    "object without properties": ({"type": "object"}, {"object"}, "open map"),
    "object with no properties": ({"type": "object", "properties": {}}, {"object"}, "open map"),
    "additionalProperties": ({"additionalProperties": NUMBER}, {"object"}, "open map"),
    "patternProperties": ({"type": "object", "patternProperties": {"^x-": TEXT}}, {"object"}, "open map"),
    "nullable open map": ({"type": ["object", "null"]}, {"object"}, "open map"),
    "two kinds of object": (
        {"anyOf": [LINE, {"type": "object", "properties": {"total": NUMBER}}]},
        {"object"},
        "union",
    ),
    "object or scalar": ({"anyOf": [LINE, TEXT]}, {"object", "string"}, "union"),
    "object or array": ({"oneOf": [LINE, {"type": "array", "items": LINE}]}, {"object", "array"}, "union"),
    "array or scalar": ({"anyOf": [{"type": "array", "items": TEXT}, TEXT]}, {"array", "string"}, "union"),
    "two kinds of array": (
        {"anyOf": [{"type": "array", "items": TEXT}, {"type": "array", "items": NUMBER}]},
        {"array"},
        "union",
    ),
    "types that mix": ({"type": ["object", "string"], "properties": {"a": TEXT}}, {"object", "string"}, "union"),
    "array of arrays": (
        {"type": "array", "items": {"type": "array", "items": NUMBER}},
        {"array"},
        "array of arrays",
    ),
    "array of open maps": ({"type": "array", "items": {"type": "object"}}, {"array"}, "no one kind"),
    "array of unions": ({"type": "array", "items": {"anyOf": [LINE, TEXT]}}, {"array"}, "no one kind"),
    "array without items": ({"type": "array"}, {"array"}, "does not say what it holds"),
    "array of anything": ({"type": "array", "items": {}}, {"array"}, "does not say what it holds"),
    "array of anything, said by true": ({"type": "array", "items": True}, {"array"}, "does not say what it holds"),
    "enumerated objects": ({"enum": [{"a": 1}, {"a": 2}]}, {"object"}, "open map"),
}


@pytest.mark.parametrize(("subschema", "types", "reason"), OPAQUE.values(), ids=OPAQUE.keys())
def test_what_has_no_leaves_of_its_own_is_one_opaque_leaf_with_a_warning(
    subschema: Json, types: set[str], reason: str
) -> None:
    schema = compiled({"x": subschema})
    (leaf,) = schema.leaves.values()
    assert leaf.comparator is Comparator.OPAQUE
    assert leaf.types == types
    (warning,) = [warning for warning in schema.warnings if "opaque" in warning]
    assert warning.startswith("x: is a")
    assert reason in warning


def test_an_opaque_leaf_is_nullable_when_an_alternative_is() -> None:
    assert the_leaf({"anyOf": [LINE, TEXT, {"type": "null"}]}).nullable
    assert not the_leaf({"anyOf": [LINE, TEXT]}).nullable


LISTS: dict[str, tuple[Json, Comparator, bool]] = {
    "texts": ({"type": "array", "items": TEXT}, Comparator.TEXT, False),
    "nullable": ({"type": ["array", "null"], "items": TEXT}, Comparator.TEXT, True),
    "nullable by anyOf": (
        {"anyOf": [{"type": "array", "items": NUMBER}, {"type": "null"}]},
        Comparator.NUMBER,
        True,
    ),
    "dates": ({"type": "array", "items": {"type": "string", "format": "date"}}, Comparator.DATE, False),
    "unions": ({"type": "array", "items": {"type": ["string", "integer"]}}, Comparator.UNION, False),
    "members": ({"type": "array", "items": {"enum": ["a", "b"]}}, Comparator.ENUM, False),
    "type implied": ({"items": TEXT}, Comparator.TEXT, False),
    "items narrowed by allOf": (
        {"type": "array", "items": NUMBER, "allOf": [{"items": {"type": "integer"}}]},
        Comparator.INTEGER,
        False,
    ),
}


@pytest.mark.parametrize(("subschema", "item", "nullable"), LISTS.values(), ids=LISTS.keys())
def test_an_array_of_scalars_is_one_list_leaf(subschema: Json, item: Comparator, nullable: bool) -> None:
    leaf = the_leaf(subschema)
    assert (leaf.comparator, leaf.types, leaf.nullable) == (Comparator.LIST, frozenset({"array"}), nullable)
    assert leaf.item is not None
    assert (leaf.item.comparator, leaf.item.name) == (item, "x[]")


RECORDS: dict[str, Json] = {
    "plain": LINE,
    "type implied": {"properties": LINE["properties"]},
    "closed": {**LINE, "additionalProperties": False},
    "nullable by a type list": {**LINE, "type": ["object", "null"]},
    "nullable by anyOf": {"anyOf": [LINE, {"type": "null"}]},
    "by reference": {"$ref": "#/$defs/Line"},
    "by an old reference": {"$ref": "#/definitions/Line"},
    "by a reference to an anchor": {"$ref": "#line"},
    "by a reference elsewhere": {"$ref": "#/components/schemas/The%20line~1row"},
    "by a chain of references": {"$ref": "#/$defs/Alias"},
    "by a nullable reference": {"oneOf": [{"$ref": "#/$defs/Line"}, {"type": "null"}]},
    "in parts": {
        "properties": {"sku": TEXT},
        "allOf": [{"type": "object"}, {"properties": {"amount": {"type": ["number", "null"]}}}],
    },
    "the parts narrow each other": {"allOf": [LINE, {"properties": {"amount": {"type": "integer"}}}]},
    "with alternatives of what is required": {**LINE, "anyOf": [{"required": ["sku"]}, {"required": ["amount"]}]},
}


@pytest.mark.parametrize("subschema", RECORDS.values(), ids=RECORDS.keys())
def test_an_object_is_a_record_and_an_array_of_it_a_table(subschema: Json) -> None:
    shared: dict[str, Json] = {
        "$defs": {"Line": {**LINE, "$anchor": "line"}, "Alias": {"$ref": "#/$defs/Line"}},
        "definitions": {"Line": LINE},
        "components": {"schemas": {"The line/row": LINE}},
    }
    schema = compiled({"one": subschema, "many": {"type": "array", "items": subschema}}, **shared)
    assert names(schema) == ["one.sku", "one.amount", "many[].sku", "many[].amount"]
    assert isinstance(schema.root.fields["one"], Record)
    assert isinstance(schema.root.fields["many"], Table)


def test_arrays_of_objects_nest() -> None:
    order = schema_of({"number": TEXT, "lines": {"type": ["array", "null"], "items": LINE}})
    schema = compiled({"orders": {"type": "array", "items": order}}, {"identity": {"orders[].lines": ["sku"]}})
    assert names(schema) == ["orders[].number", "orders[].lines[].sku", "orders[].lines[].amount"]
    assert [table.name for table in schema.tables.values()] == ["orders", "orders[].lines"]
    assert [table.identity for table in schema.tables.values()] == [(), (("sku",),)]
    assert [format_path(table.row.path) for table in schema.tables.values()] == ["orders[]", "orders[].lines[]"]


def test_the_root_may_be_a_reference_or_nullable() -> None:
    by_reference = {"$ref": "#/definitions/Line", "definitions": {"Line": LINE}}
    nullable = {**LINE, "type": ["object", "null"]}
    for source in (by_reference, nullable):
        assert names(compile_schema(source, Rules(), name="test")) == ["sku", "amount"]


def test_a_reference_into_its_own_address_is_local() -> None:
    source = schema_of({"x": {"$ref": "https://example.org/s.json#/$defs/T"}}, **{"$defs": {"T": NUMBER}})
    schema = compile_schema({"$id": "https://example.org/s.json", **source}, Rules(), name="test")
    assert [leaf.comparator for leaf in schema.leaves.values()] == [Comparator.NUMBER]


def test_the_outer_title_and_description_stand() -> None:
    shared = {"title": "inner", "description": "of the reference", "type": "string"}
    leaf = the_leaf({"$ref": "#/$defs/T", "description": "of the field"}, **{"$defs": {"T": shared}})
    assert (leaf.title, leaf.description) == ("inner", "of the field")


def test_a_description_in_an_alternative_is_found() -> None:
    assert the_leaf({"anyOf": [{"type": "null"}, {"type": "string", "description": "inside"}]}).description == "inside"


def test_a_property_may_be_called_like_a_keyword() -> None:
    schema = compiled({"$ref": TEXT, "properties": NUMBER, "items": LINE, "enum": {"enum": [1]}, "type": TEXT})
    assert names(schema) == ["$ref", "properties", "items.sku", "items.amount", "enum", "type"]


def test_data_that_looks_like_a_schema_is_not_read_as_one() -> None:
    leaf = the_leaf({"type": "string", "default": {"$ref": "#/nowhere"}, "examples": [{"items": [1]}]})
    assert leaf.comparator is Comparator.TEXT


def test_a_name_with_a_dot_is_quoted_in_the_path() -> None:
    assert names(compiled({"a.b": TEXT, "": TEXT, "c d": LINE})) == ['["a.b"]', '[""]', '["c d"].sku', '["c d"].amount']


def test_leaves_come_in_the_order_of_the_schema() -> None:
    assert names(compiled({"z": TEXT, "a": TEXT, "m": LINE})) == ["z", "a", "m.sku", "m.amount"]


@pytest.mark.parametrize(
    "dialect",
    [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
        "http://json-schema.org/schema#",
    ],
)
def test_the_known_dialects_are_read_without_a_word(dialect: str) -> None:
    source = {**schema_of({"x": {"type": ["string", "null"], "description": "d"}}), "$schema": dialect}
    assert check_schema(source, Rules()) == []


def test_a_dialect_decides_what_a_keyword_may_hold() -> None:
    subschema = {"type": "number", "minimum": 0, "exclusiveMinimum": True}
    old = {**schema_of({"x": subschema}), "$schema": "http://json-schema.org/draft-04/schema#"}
    assert compile_schema(old, Rules(), name="test").leaves
    (finding,) = check_schema(schema_of({"x": subschema}), Rules())
    assert (finding.code, finding.path) == (Code.INVALID_KEYWORD, "#/properties/x/exclusiveMinimum")


def test_an_unknown_dialect_is_read_as_the_newest_with_a_warning() -> None:
    source = {
        **schema_of({"x": {"type": ["string", "null"], "description": "d"}}),
        "$schema": "https://example.org/meta",
    }
    assert [finding.code for finding in check_schema(source, Rules())] == [Code.UNKNOWN_DIALECT]


def test_unknown_keywords_are_fine() -> None:
    more: dict[str, Any] = {"name": "n", "x-aliases": ["y"], "evaluation_config": {"a": [1]}, "strict": True}
    assert names(compiled({"x": {"type": "string", **more}}, **more)) == ["x"]


def test_a_shared_definition_used_side_by_side_is_no_recursion() -> None:
    shared: dict[str, Json] = {
        "$defs": {
            "Money": {"type": "object", "properties": {"amount": NUMBER, "currency": {"$ref": "#/$defs/Code"}}},
            "Code": {"enum": ["EUR"]},
            "Base": {"properties": {"tax": {"$ref": "#/$defs/Money"}}},
        }
    }
    money = {"$ref": "#/$defs/Money"}
    schema = compiled({"a": money, "b": {"allOf": [money, {"$ref": "#/$defs/Base"}]}}, **shared)
    assert names(schema) == ["a.amount", "a.currency", "b.amount", "b.currency", "b.tax.amount", "b.tax.currency"]
