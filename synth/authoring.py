"""The rules that a schema keeps so that both published scorers of ExtractBench read a truth in the same way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from groundtruth.jsontext import Json

MEANT: Final = frozenset({"value", "_provenance", "payment_details", "claims", "rendering_provider"})
"""Names that a published scorer treats in its own way."""

FUZZY: Final = frozenset({"description", "court"})
"""Names whose values it compares by similarity, which no long list may have."""

_REFUSED: Final = ("$ref", "anyOf", "oneOf", "allOf", "default")


def authoring_faults(schema: dict[str, Json]) -> Iterator[str]:
    """What in a schema the published scorers would read in two ways; one message each, with the field."""
    yield from _faults(schema, "")


def _faults(node: Json, at: str) -> Iterator[str]:
    where = at or "the schema"
    for keyword in _REFUSED:
        if keyword in node:
            yield f"{where}: {keyword} is read in two ways; write the type itself"
    kind = node.get("type")
    if isinstance(kind, list) and {"array", "object"} & set(kind):
        yield f"{where}: a list or object that can be null; an absent list is empty"
    for name, child in node.get("properties", {}).items():
        path = f"{at}.{name}" if at else name
        if name in MEANT or name in FUZZY or ".[]" in name:
            yield f"{path}: the name means something to a published scorer; take another"
        yield from _faults(child, path)
    if "items" in node:
        yield from _faults(node["items"], f"{at}[]")


def value_faults(schema: dict[str, Json], value: Json) -> Iterator[str]:
    """What in a truth's value they would read in two ways: an absent key, an absent list, records that are equal."""
    yield from _value_faults(schema, value, "")


def _value_faults(node: Json, value: Json, at: str) -> Iterator[str]:
    if "properties" in node and isinstance(value, dict):
        for name, child in node["properties"].items():
            path = f"{at}.{name}" if at else name
            if name not in value:
                yield f"{path}: is absent; say null, or an empty list"
            else:
                yield from _value_faults(child, value[name], path)
    elif node.get("type") == "array":
        if not isinstance(value, list):
            yield f"{at}: is null; an absent list is empty"
            return
        first: dict[str, int] = {}
        for index, record in enumerate(value):
            same = first.setdefault(repr(record), index)
            if same != index and isinstance(record, dict):
                yield f"{at}[{index}]: is equal to {at}[{same}]; give each record what tells it apart"
            yield from _value_faults(node.get("items", {}), record, f"{at}[{index}]")
