"""Leaves of every comparator, and what a reading of them is."""

from __future__ import annotations

from groundtruth.jsontext import Json
from groundtruth.rules import Comparator, FieldRule
from groundtruth.schema import Leaf
from groundtruth.value import (
    Invalid,
    Value,
    canonical,
)

TYPES: dict[Comparator, str] = {
    Comparator.NUMBER: "number",
    Comparator.CURRENCY: "number",
    Comparator.INTEGER: "integer",
    Comparator.BOOLEAN: "boolean",
    Comparator.LIST: "array",
}


def leaf(comparator: str, *types: str, rule: FieldRule | None = None, enum: tuple[Json, ...] = ()) -> Leaf:
    kind = Comparator(comparator)
    item = leaf("text") if kind is Comparator.LIST else None
    return Leaf(
        ("field",), kind, frozenset(types or {TYPES.get(kind, "string")}), rule or FieldRule(), enum=enum, item=item
    )


def value(field: Leaf, raw: Json) -> Value:
    found = canonical(field, raw)
    assert isinstance(found, Value), found
    return found


def reason(field: Leaf, raw: Json) -> str:
    found = canonical(field, raw)
    assert isinstance(found, Invalid), found
    assert found.raw is raw
    return found.reason


def classes(field: Leaf, *raws: Json) -> int:
    """Into how many classes the readings fall; every one of them must be a value."""
    return len({value(field, raw).key for raw in raws})


TEXT = leaf("text")
NUMBER = leaf("number")
INTEGER = leaf("integer")
CURRENCY = leaf("currency")
DATE = leaf("date")
BOOLEAN = leaf("boolean")
MARITAL = leaf("enum", enum=("Single", "Married"))
