"""Schemas that are refused: why, where, and that one look finds everything."""

from __future__ import annotations

import inspect
import sys
from typing import NamedTuple

import pytest

from groundtruth import jsontext
from groundtruth.errors import SchemaError
from groundtruth.jsontext import Json
from groundtruth.rules import Rules
from groundtruth.schema_compile import check_schema, compile_schema
from groundtruth.schema_dialect import NEWEST, check_keywords
from groundtruth.schema_finding import Code, Finding, Level

TEXT: Json = {"type": "string"}
LINE: Json = {"type": "object", "properties": {"sku": TEXT}}


def schema_of(properties: dict[str, Json], **more: Json) -> dict[str, Json]:
    return {"type": "object", "properties": properties, **more}


def array_of(items: Json) -> Json:
    return {"type": "array", "items": items}


def errors(source: Json) -> list[Finding]:
    return [finding for finding in check_schema(source, Rules()) if finding.level is Level.ERROR]


class Refusal(NamedTuple):
    source: Json
    path: str
    code: Code
    says: str


TREE = {"type": "object", "properties": {"value": TEXT, "children": array_of({"$ref": "#/$defs/Tree"})}}
ENDLESS_MAP = {"type": "object", "additionalProperties": {"$ref": "#/$defs/Map"}}
BARE = schema_of({"x": TEXT})

REFUSALS: dict[str, Refusal] = {
    "list": Refusal([BARE], "", Code.NOT_A_SCHEMA, "not an array"),
    "text": Refusal("schema", "", Code.NOT_A_SCHEMA, "not a text"),
    "true": Refusal(True, "", Code.NOT_A_SCHEMA, "not true"),
    "null": Refusal(None, "", Code.NOT_A_SCHEMA, "not null"),
    "number": Refusal(1, "", Code.NOT_A_SCHEMA, "not a number"),
    "empty": Refusal({}, "", Code.ROOT_NOT_OBJECT, "one object with properties"),
    "an example instead of a schema": Refusal({"total": 1}, "", Code.ROOT_NOT_OBJECT, "one object with properties"),
    "root without properties": Refusal({"type": "object"}, "", Code.ROOT_NOT_OBJECT, "one object with properties"),
    "root array": Refusal(array_of(LINE), "", Code.ROOT_NOT_OBJECT, "one object with properties"),
    "root of two kinds": Refusal(
        {"anyOf": [LINE, schema_of({"y": TEXT})]}, "", Code.ROOT_NOT_OBJECT, "one object with properties"
    ),
    "root object or array": Refusal({**BARE, "type": ["object", "array"]}, "", Code.ROOT_NOT_OBJECT, "one object"),
    "wrapped": Refusal({"name": "n", "schema_definition": BARE}, "", Code.WRAPPED, "'schema_definition'"),
    "wrapped in an object": Refusal({"type": "object", "schema": BARE}, "", Code.WRAPPED, "'schema'"),
    "response format": Refusal(
        {"type": "json_schema", "json_schema": {"name": "n", "strict": True, "schema": BARE}},
        "",
        Code.WRAPPED,
        "'json_schema.schema'",
    ),
    "function": Refusal(
        {"type": "function", "function": {"name": "n", "parameters": BARE}}, "", Code.WRAPPED, "'function.parameters'"
    ),
    "tool": Refusal(
        {"name": "n", "input_schema": {"type": "object", "$ref": "#/$defs/X"}}, "", Code.WRAPPED, "'input_s"
    ),
    "no JSON type": Refusal(
        schema_of({"x": {"type": "strin"}}), "#/properties/x/type", Code.INVALID_KEYWORD, '"strin" is no JSON type'
    ),
    "no JSON type in a list": Refusal(
        schema_of({"x": {"type": ["string", "nul"]}}), "#/properties/x/type/1", Code.INVALID_KEYWORD, "is no JSON type"
    ),
    "required on the property": Refusal(
        schema_of({"x": {"type": "string", "required": True}}),
        "#/properties/x/required",
        Code.INVALID_KEYWORD,
        "true is not of the type this place takes (array)",
    ),
    "properties that are a list": Refusal(
        {"type": "object", "properties": ["x"]}, "#/properties", Code.INVALID_KEYWORD, "(object)"
    ),
    "a property that is a text": Refusal(
        schema_of({"x": "string"}), "#/properties/x", Code.INVALID_KEYWORD, "(object or boolean)"
    ),
    "a property called type that is a text": Refusal(
        schema_of({"type": "string"}), "#/properties/type", Code.INVALID_KEYWORD, "(object or boolean)"
    ),
    "negative length": Refusal(
        schema_of({"x": {"minLength": -1}}), "#/properties/x/minLength", Code.INVALID_KEYWORD, "-1"
    ),
    "a definition that nobody uses": Refusal(
        {**BARE, "$defs": {"a/b": {"type": 5}}}, "#/$defs/a~1b/type", Code.INVALID_KEYWORD, "5 is no JSON type"
    ),
    "wrong where only a reference leads": Refusal(
        {**schema_of({"x": {"$ref": "#/components/A"}}), "components": {"A": {"type": "strin"}}},
        "#/components/A/type",
        Code.INVALID_KEYWORD,
        "is no JSON type",
    ),
    "definitions only": Refusal({"$defs": {"Invoice": BARE}}, "", Code.WRAPPED, '"$ref": "#/$defs/Invoice"'),
    "draft 3": Refusal(
        {**BARE, "$schema": "http://json-schema.org/draft-03/schema#"}, "#/$schema", Code.UNSUPPORTED, "too old"
    ),
    "a dialect that is a number": Refusal({**BARE, "$schema": 4}, "#/$schema", Code.INVALID_KEYWORD, "(string)"),
    "dynamic reference": Refusal(
        schema_of({"x": {"$dynamicRef": "#node"}}), "#/properties/x", Code.UNSUPPORTED, "$dynamicRef"
    ),
    "an address that moves references": Refusal(
        schema_of({"x": {"$id": "https://example.org/x", "properties": {"a": {"$ref": "#/$defs/A"}}}}),
        "#/properties/x",
        Code.UNSUPPORTED,
        "$id",
    ),
    "reference to a file": Refusal(
        schema_of({"x": {"$ref": "other.json#/$defs/X"}}), "x", Code.REMOTE_REF, '"other.json#/$defs/X"'
    ),
    "reference to the net": Refusal(
        schema_of({"l": array_of({"properties": {"x": {"$ref": "https://example.org/s"}}})}),
        "l[].x",
        Code.REMOTE_REF,
        "#/$defs/NAME",
    ),
    "reference to nothing": Refusal(
        {**schema_of({"x": {"$ref": "#/$defs/Adress"}}), "$defs": {"Address": LINE}},
        "x",
        Code.BROKEN_REF,
        "did you mean #/$defs/Address?",
    ),
    "reference to no anchor": Refusal(schema_of({"x": {"$ref": "#nowhere"}}), "x", Code.BROKEN_REF, "points at no"),
    "reference to an anchor that stands twice": Refusal(
        schema_of({"a": {**TEXT, "$anchor": "t"}, "b": {**TEXT, "$anchor": "t"}, "x": {"$ref": "#t"}}),
        "x",
        Code.BROKEN_REF,
        "points at 2 schemas",
    ),
    "reference to what is no schema": Refusal(
        {**schema_of({"x": {"$ref": "#/required"}}), "required": ["x"]}, "x", Code.BROKEN_REF, "points at no schema"
    ),
    "reference past the end": Refusal(
        {**schema_of({"x": {"$ref": "#/allOf/3"}}), "allOf": [LINE]}, "x", Code.BROKEN_REF, "points at no schema"
    ),
    "recursion": Refusal(
        {**schema_of({"tree": {"$ref": "#/$defs/Tree"}}), "$defs": {"Tree": TREE}},
        "tree.children",
        Code.RECURSION,
        '"#/$defs/Tree"',
    ),
    "recursion to the root": Refusal(
        schema_of({"a": {"type": "object", "properties": {"b": {"$ref": "#"}}}}), "a.b", Code.RECURSION, '"#"'
    ),
    "recursion of a reference to itself": Refusal(
        {**schema_of({"x": {"$ref": "#/$defs/A"}}), "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}},
        "x",
        Code.RECURSION,
        "comes back",
    ),
    "recursion in allOf": Refusal(
        {**schema_of({"x": {"$ref": "#/$defs/A"}}), "$defs": {"A": {"allOf": [LINE, {"$ref": "#/$defs/A"}]}}},
        "x",
        Code.RECURSION,
        "comes back",
    ),
    "recursion in an alternative": Refusal(
        schema_of({"x": {"anyOf": [{"type": "null"}, {"$ref": "#"}]}}), "x", Code.RECURSION, "comes back"
    ),
    "recursion in an open map": Refusal(
        {**schema_of({"x": {"$ref": "#/$defs/Map"}}), "$defs": {"Map": ENDLESS_MAP}}, "x", Code.RECURSION, "comes back"
    ),
    "recursion of the root": Refusal({"$ref": "#"}, "", Code.RECURSION, "comes back"),
    "tuple": Refusal(schema_of({"x": {"type": "array", "prefixItems": [TEXT, TEXT]}}), "x", Code.TUPLE, "tuple"),
    "tuple of old": Refusal(
        {
            **schema_of({"x": {"type": "array", "items": [TEXT]}}),
            "$schema": "http://json-schema.org/draft-07/schema#",
        },
        "x",
        Code.TUPLE,
        "tuple",
    ),
    "tuple in a union": Refusal(
        schema_of({"x": {"anyOf": [TEXT, {"type": "array", "prefixItems": [TEXT]}]}}), "x", Code.TUPLE, "tuple"
    ),
    "tuples in an array": Refusal(
        schema_of({"x": array_of({"type": "array", "prefixItems": [TEXT]})}), "x", Code.TUPLE, "tuple"
    ),
    "tuple deep in an opaque leaf": Refusal(
        schema_of({"x": {"additionalProperties": {"properties": {"y": {"prefixItems": [TEXT]}}}}}),
        "x",
        Code.TUPLE,
        "tuple",
    ),
    "types without overlap": Refusal(
        schema_of({"x": {"allOf": [TEXT, {"type": "number"}]}}), "x", Code.CONFLICT, "cannot be string and number"
    ),
    "types without overlap in a shared property": Refusal(
        {"allOf": [schema_of({"a": LINE}), schema_of({"a": {"properties": {"sku": {"type": "number"}}}})]},
        "a.sku",
        Code.CONFLICT,
        "at once",
    ),
    "every alternative contradicts": Refusal(
        schema_of({"x": {"type": "string", "anyOf": [{"type": "number"}, {"type": "null"}]}}),
        "x",
        Code.CONFLICT,
        "at once",
    ),
    "enumerations without a common member": Refusal(
        schema_of({"x": {"allOf": [{"enum": ["a"]}, {"enum": ["b"]}]}}), "x", Code.CONFLICT, "without a common member"
    ),
    "constant that is no member": Refusal(
        schema_of({"x": {"type": "string", "enum": ["a"], "const": "b"}}), "x", Code.CONFLICT, "no member"
    ),
    "members of another type": Refusal(
        schema_of({"x": {"type": "string", "enum": [1, 2]}}), "x", Code.CONFLICT, "no member of its own type"
    ),
    "a property that admits nothing": Refusal(schema_of({"x": False}), "x", Code.NEVER, "false"),
}


@pytest.mark.parametrize("case", REFUSALS.values(), ids=REFUSALS.keys())
def test_a_schema_that_cannot_be_used_is_refused_with_its_place_and_a_cure(case: Refusal) -> None:
    (finding,) = errors(case.source)
    assert (finding.path, finding.code) == (case.path, case.code)
    assert case.says in finding.message
    with pytest.raises(SchemaError) as caught:
        compile_schema(case.source, Rules(), name="invoice")
    assert str(caught.value) == f"invoice: {finding}"


def test_the_message_names_the_file_when_there_is_one() -> None:
    with pytest.raises(SchemaError, match=r"^a/invoice\.json: x: "):
        compile_schema(schema_of({"x": False}), Rules(), name="invoice", origin="a/invoice.json")


def test_every_refusal_is_found_at_once_in_the_order_of_the_schema() -> None:
    source = schema_of(
        {
            "a": False,
            "ok": TEXT,
            "b": {"type": "object", "properties": {"c": {"$ref": "#/nowhere"}, "d": {"prefixItems": [TEXT]}}},
        }
    )
    assert [(finding.path, finding.code) for finding in errors(source)] == [
        ("a", Code.NEVER),
        ("b.c", Code.BROKEN_REF),
        ("b.d", Code.TUPLE),
    ]
    with pytest.raises(SchemaError, match=r"^n: a: .* \(and 2 more; see schema check\)$"):
        compile_schema(source, Rules(), name="n")


def test_every_wrong_keyword_is_found_at_once() -> None:
    source = schema_of({"a": {"type": "strin"}, "b": {"minLength": "1"}, "c": TEXT})
    assert [finding.path for finding in errors(source)] == ["#/properties/a/type", "#/properties/b/minLength"]


def nested_objects(levels: int) -> Json:
    source: Json = TEXT
    for _ in range(levels):
        source = schema_of({"a": source})
    return source


def chained_references(length: int) -> Json:
    links = {f"D{index}": {"$ref": f"#/$defs/D{index + 1}"} for index in range(length)}
    return {**schema_of({"x": {"$ref": "#/$defs/D0"}}), "$defs": {**links, f"D{length}": TEXT}}


def doubling_references(length: int) -> Json:
    pairs = {
        f"D{index}": schema_of({"l": {"$ref": f"#/$defs/D{index + 1}"}, "r": {"$ref": f"#/$defs/D{index + 1}"}})
        for index in range(length)
    }
    return {**schema_of({"x": {"$ref": "#/$defs/D0"}}), "$defs": {**pairs, f"D{length}": TEXT}}


def multiplied_alternatives(factors: int) -> Json:
    pairs = [{"anyOf": [schema_of({f"a{n}": TEXT}), schema_of({f"b{n}": TEXT})]} for n in range(factors)]
    return schema_of({"x": {"allOf": pairs}})


HOSTILE: dict[str, tuple[Json, Code]] = {
    "objects nested 150 deep": (nested_objects(150), Code.TOO_LARGE),
    "objects nested 100,000 deep": (nested_objects(100_000), Code.TOO_LARGE),
    "a chain of 1,000 references": (chained_references(1_000), Code.TOO_LARGE),
    "references that double 40 times": (doubling_references(40), Code.TOO_LARGE),
    "alternatives that multiply": (multiplied_alternatives(30), Code.TOO_LARGE),
    "30,000 properties": (schema_of({f"f{index}": {} for index in range(30_000)}), Code.TOO_LARGE),
}


@pytest.mark.parametrize(("source", "code"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_schema_past_the_limits_is_refused_not_followed(source: Json, code: Code) -> None:
    (found,) = errors(source)
    assert found.code is code
    with pytest.raises(SchemaError):
        compile_schema(source, Rules(), name="n")


def test_a_check_that_runs_out_of_stack_is_a_refusal_and_is_not_remembered() -> None:
    source = nested_objects(41) | {"$comment": "no plain schema, so that the library looks at it"}
    found: list[list[Finding]] = []

    def descend(levels: int) -> None:
        if levels:
            descend(levels - 1)
        else:
            found.append(errors(source))

    descend(sys.getrecursionlimit() - len(inspect.stack()) - 300)
    assert [(finding.path, finding.code) for finding in found[0]] == [("", Code.TOO_LARGE)]
    assert errors(source) == []


@pytest.mark.parametrize(
    ("node", "is_refused"),
    [
        pytest.param({"type": ["string", "null"], "title": "T", "description": ""}, False, id="plain"),
        pytest.param({"type": "object", "properties": {"a": {}}, "items": {"type": "number"}}, False, id="nested"),
        pytest.param({"type": ["string", "string"]}, True, id="a type twice"),
        pytest.param({"type": []}, True, id="no type"),
        pytest.param({"type": "text"}, True, id="unknown type"),
        pytest.param({"type": None}, True, id="null for a type"),
        pytest.param({"title": 3}, True, id="a number for a title"),
        pytest.param({"properties": {"a": 3}}, True, id="a number for a schema"),
        pytest.param({"properties": []}, True, id="a list of properties"),
        pytest.param({"items": None}, True, id="null for items"),
    ],
)
@pytest.mark.parametrize("more", [{}, {"$comment": "x"}], ids=["alone", "beside a keyword that is no plain one"])
def test_keywords_are_held_against_the_dialect(
    node: dict[str, Json], more: dict[str, Json], *, is_refused: bool
) -> None:
    assert bool(check_keywords({"properties": {"p": node}} | more, NEWEST)) == is_refused


def test_a_deep_schema_within_the_limits_compiles() -> None:
    (leaf,) = compile_schema(nested_objects(40), Rules(), name="n").leaves.values()
    assert len(leaf.path) == 40


@pytest.mark.parametrize(
    "text",
    ['{"type":"object","properties":{"x":{"minimum":NaN}}}', '{"type":"object","type":"object","properties":{"x":{}}}'],
    ids=["not a number", "duplicate key"],
)
def test_malformed_places_are_refused_even_when_read_tolerantly(text: str) -> None:
    (finding,) = errors(jsontext.loads_tolerant(text))
    assert finding.code is Code.NOT_A_SCHEMA


def test_a_form_of_five_thousand_nullable_fields_is_no_bomb() -> None:
    wide = schema_of({f"f{index}": {"type": ["string", "null"]} for index in range(5_000)})
    assert errors(wide) == []
