"""What differs between two versions of a schema."""

from __future__ import annotations

import pytest

from groundtruth.jsontext import Json
from groundtruth.path import format_path
from groundtruth.rules import Rules
from groundtruth.schema import FrozenSchema
from groundtruth.schema_compile import compile_schema
from groundtruth.schema_diff import Aspect, diff_schemas

TEXT: Json = {"type": "string"}


def schema_of(subschema: Json, rules: Json = None) -> FrozenSchema:
    source = {"type": "object", "properties": {"kept": TEXT, "x": subschema}}
    return compile_schema(source, Rules.from_json(rules or {}), name="test")


def rows(cell: Json) -> Json:
    return {"type": "array", "items": {"type": "object", "properties": {"cell": cell}}}


def rule_for(path: str, rule: Json) -> Json:
    return {"fields": {path: rule}}


@pytest.mark.parametrize(
    ("old", "new", "aspects"),
    [
        pytest.param((TEXT,), ({**TEXT, "description": "d"},), [Aspect.DESCRIPTION], id="description"),
        pytest.param((TEXT,), ({**TEXT, "title": "t"},), [Aspect.TITLE], id="title"),
        pytest.param((TEXT,), ({"type": ["string", "null"]},), [Aspect.TYPE], id="nullable"),
        pytest.param((TEXT,), ({"type": "number"},), [Aspect.TYPE, Aspect.COMPARATOR], id="type"),
        pytest.param((TEXT,), ({**TEXT, "format": "date"},), [Aspect.COMPARATOR], id="format"),
        pytest.param(({"enum": ["a"]},), ({"enum": ["a", "b"]},), [Aspect.ENUM], id="member"),
        pytest.param(({"enum": [1, "a"]},), ({"enum": [True, "a"]},), [Aspect.TYPE, Aspect.ENUM], id="1 and true"),
        pytest.param((TEXT,), ({**TEXT, "pattern": "^A"},), [Aspect.SUBSCHEMA], id="another keyword"),
        pytest.param(
            (TEXT,),
            (TEXT, rule_for("x", {"comparator": "identifier"})),
            [Aspect.COMPARATOR, Aspect.RULE],
            id="comparator declared",
        ),
        pytest.param((TEXT,), (TEXT, rule_for("x", {"null_tokens": ["-"]})), [Aspect.RULE], id="rule"),
        pytest.param(
            ({"type": "array", "items": TEXT},),
            ({"type": "array", "items": {"type": "integer"}},),
            [Aspect.TYPE, Aspect.COMPARATOR],
            id="type of the items",
        ),
        pytest.param(
            (TEXT,),
            ({"type": "number", "description": "d"},),
            [Aspect.DESCRIPTION, Aspect.TYPE, Aspect.COMPARATOR],
            id="several at once",
        ),
    ],
)
def test_a_changed_leaf_says_what_changed(old: tuple[Json, ...], new: tuple[Json, ...], aspects: list[Aspect]) -> None:
    diff = diff_schemas(schema_of(*old), schema_of(*new))
    (change,) = diff.changed
    assert (format_path(change.path), list(change.aspects)) == ("x", aspects)
    assert (diff.added, diff.removed, diff.unchanged) == ((), (), 1)
    assert not diff.empty


def test_an_identity_changes_every_leaf_of_its_array() -> None:
    old, new = schema_of(rows(TEXT)), schema_of(rows(TEXT), {"identity": {"x": ["cell"]}})
    (change,) = diff_schemas(old, new).changed
    assert (format_path(change.path), change.aspects) == ("x[].cell", (Aspect.IDENTITY,))


def test_a_leaf_that_becomes_an_array_is_removed_and_its_cells_are_added() -> None:
    diff = diff_schemas(schema_of(TEXT), schema_of(rows(TEXT)))
    assert [format_path(path) for path in diff.added] == ["x[].cell"]
    assert [format_path(path) for path in diff.removed] == ["x"]
    assert (diff.changed, diff.unchanged) == ((), 1)


def test_a_schema_does_not_differ_from_itself() -> None:
    diff = diff_schemas(schema_of(rows(TEXT)), schema_of(rows(TEXT)))
    assert diff.empty
    assert diff.unchanged == 2
