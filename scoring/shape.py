"""What a JSON Schema says of a place in a document: what may stand there, read as generously as the schema allows.

A place has one or more *forms*: the branches of its unions, each with all that ``allOf`` and ``$ref`` add to it. A
property is declared when some form declares it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from groundtruth.errors import SchemaError
from groundtruth.jsontext import Json
from groundtruth.schema_finding import Refused
from groundtruth.schema_source import SchemaSource

_MOST_FORMS: Final = 64
_MOST_HOPS: Final = 64

Form = tuple[dict[str, Json], ...]
"""The schemas that hold at once."""


class Shape:
    """A place of a schema. Shapes below it are made when asked for, so a schema may refer to itself."""

    def __init__(self, source: SchemaSource, nodes: Sequence[Json]) -> None:
        self._source = source
        self._forms = tuple(form for node in nodes for form in _forms(source, node, 0))[:_MOST_FORMS]
        self._children: dict[str, Shape | None] = {}
        self._items: Shape | None = None

    def child(self, name: str) -> Shape | None:
        """The place of a property, or None when no form declares it."""
        if name not in self._children:
            declared = [
                part["properties"][name]
                for part in self._parts()
                if isinstance(part.get("properties"), dict) and name in part["properties"]
            ]
            self._children[name] = Shape(self._source, declared) if declared else None
        return self._children[name]

    @property
    def items(self) -> Shape | None:
        """The place of the elements of an array, or None when no form says anything of them."""
        if self._items is None:
            declared = [part["items"] for part in self._parts() if isinstance(part.get("items"), dict)]
            self._items = Shape(self._source, declared) if declared else None
        return self._items

    @property
    def is_open(self) -> bool:
        """Whether undeclared properties are invited: ``additionalProperties`` is true or a schema."""
        return any(
            part.get("additionalProperties") is True or isinstance(part.get("additionalProperties"), dict)
            for part in self._parts()
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The declared properties, in the order of the schema."""
        return tuple(dict.fromkeys(name for part in self._parts() for name in part.get("properties") or ()))

    @property
    def declares_properties(self) -> bool:
        """Whether some form names properties."""
        return any(part.get("properties") for part in self._parts())

    @property
    def is_slot(self) -> bool:
        """Whether a scalar may stand here: some form says neither what properties nor what elements there are."""
        forms = [form for form in self._forms if not _is_null(form)] or self._forms
        return any(not any("properties" in part or "items" in part for part in form) for form in forms)

    def _parts(self) -> Iterator[dict[str, Json]]:
        for form in self._forms:
            yield from form


def shape_of(schema: Json) -> Shape:
    """The root place of a schema.

    Raises:
        SchemaError: no JSON object, an empty one, or a reference that leads nowhere.
    """
    if not isinstance(schema, dict) or not schema:
        raise SchemaError("a schema is a JSON object that says something; this one is no object, or empty")
    return Shape(SchemaSource(schema), [schema])


def _forms(source: SchemaSource, node: Json, hops: int) -> Iterator[Form]:
    """The forms of a schema, its references followed."""
    if not isinstance(node, dict):
        yield ({},)
        return
    own = {key: value for key, value in node.items() if key not in {"$ref", "allOf", "anyOf", "oneOf"}}
    forms: list[Form] = [(own,)]
    if isinstance(node.get("$ref"), str):
        if hops >= _MOST_HOPS:
            raise SchemaError(f"$ref {node['$ref']!r} leads back to itself without a property or an element between")
        forms = _joined(forms, list(_forms(source, _lookup(source, node["$ref"]), hops + 1)))
    for part in node.get("allOf") or ():
        forms = _joined(forms, list(_forms(source, part, hops + 1)))
    for keyword in ("anyOf", "oneOf"):
        branches = [form for branch in node.get(keyword) or () for form in _forms(source, branch, hops + 1)]
        if branches:
            forms = _joined(forms, branches)
    yield from forms


def _lookup(source: SchemaSource, reference: str) -> Json:
    try:
        return source.lookup(reference)
    except Refused as error:
        raise SchemaError(error.message) from error


def _joined(forms: Sequence[Form], more: Sequence[Form]) -> list[Form]:
    return [first + second for first in forms for second in more][:_MOST_FORMS]


def _is_null(form: Form) -> bool:
    return any(part.get("type") == "null" for part in form)
