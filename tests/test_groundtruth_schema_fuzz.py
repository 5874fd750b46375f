"""Whatever is given as a schema, the answer is a compiled schema or a refusal."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from groundtruth import jsontext
from groundtruth.errors import SchemaError
from groundtruth.jsontext import Json
from groundtruth.path import format_path, parse_path
from groundtruth.rules import Rules
from groundtruth.schema import FrozenSchema
from groundtruth.schema_compile import check_schema, compile_schema
from groundtruth.schema_finding import Level

KEYWORDS = [
    "type", "properties", "items", "prefixItems", "required", "enum", "const", "format", "title", "description",
    "anyOf", "oneOf", "allOf", "$ref", "$defs", "$anchor", "$id", "$schema", "additionalProperties",
    "patternProperties", "if", "then", "dependentSchemas", "nullable", "not", "x-aliases", "a", "b",
]  # fmt: skip
TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"]
REFERENCES = ["#/$defs/a", "#/$defs/b", "#/properties/a/items", "#a"]

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.sampled_from([*TYPES, "date", "", "é", "a.b"])
    | st.decimals(0, 1)
)
junk = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYWORDS), inner, max_size=4),
    max_leaves=12,
)
names = st.sampled_from(["a", "b", "a.b", "$ref"])


def subschemas(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    """Schemas that are mostly well formed, so that what lies behind the first check is reached."""
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(TYPES) | st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True),
            "properties": st.dictionaries(names, inner, max_size=3),
            "items": inner,
            "required": st.lists(names, unique=True, max_size=2),
            "enum": st.lists(scalars, min_size=1, max_size=3),
            "const": scalars,
            "format": st.sampled_from(["date", "email"]),
            "anyOf": st.lists(inner, min_size=1, max_size=3),
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "$ref": st.sampled_from(REFERENCES),
            "$defs": st.dictionaries(names, inner, max_size=2),
            "$anchor": st.just("a"),
            "additionalProperties": inner,
            "nullable": st.booleans(),
            "if": inner,
        },
    )


nodes = st.recursive(st.just(True) | subschemas(st.just(True)), subschemas, max_leaves=5)
roots = st.builds(
    lambda properties, defs, more: {**more, "type": "object", "properties": properties, "$defs": defs},
    st.dictionaries(names, nodes, min_size=1, max_size=3),
    st.fixed_dictionaries({"a": nodes, "b": nodes}),
    subschemas(nodes),
)


def compiled(source: Json) -> FrozenSchema | None:
    """The schema, or None when it is refused; what ``check_schema`` says must agree."""
    findings = check_schema(source, Rules())
    refused = any(finding.level is Level.ERROR for finding in findings)
    try:
        schema = compile_schema(source, Rules(), name="test")
    except SchemaError:
        assert refused
        return None
    assert not refused
    assert schema.warnings == tuple(map(str, findings))
    return schema


@settings(max_examples=30)
@given(junk)
def test_any_json(source: Json) -> None:
    compiled(source)


@settings(max_examples=25)
@given(roots)
def test_anything_that_looks_like_a_schema(source: Json) -> None:
    schema = compiled(source)
    if schema is None:
        return
    for path, leaf in schema.leaves.items():
        assert parse_path(format_path(path)) == path
        assert leaf.types
        assert len(leaf.fingerprint) == 64


@settings(max_examples=10)
@given(roots)
def test_the_order_of_keys_decides_nothing_but_the_order_of_leaves(source: Json) -> None:
    def told(given: Json) -> list[tuple[str, str, str]]:
        return sorted((finding.path, finding.code, finding.message) for finding in check_schema(given, Rules()))

    sorted_keys = jsontext.loads(jsontext.dumps(source))
    assert told(source) == told(sorted_keys)
    one, other = compiled(source), compiled(sorted_keys)
    if one is not None and other is not None:
        assert one.leaves == other.leaves
