"""Documents as the metric ``verdicts`` sees them: scalars at addresses, and lists of elements below addresses.

What states nothing (null, blank text, empty containers) has no address. Three things that extractors put around their
answers are taken away, each only where the schema does not ask for it:

- an *envelope*, an object of ``value`` and words about it, stands for its value;
- a *sidecar* of a prediction, ``x_citations`` or ``x_meta`` beside ``x``, is no field, unless the truth has it;
- what stands in an *open map*, properties that the schema invites without naming them, is not judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from groundtruth.jsontext import Json
from scoring.shape import Shape
from scoring.verdict_keys import NOTHING, key_of

Names = tuple[str, ...]
"""Property names that lead from one place to another, through objects only."""

_ABOUT_A_VALUE: Final = frozenset(
    {
        "citations", "citation", "confidence", "score", "reasoning", "evidence", "provenance", "source", "sources",
        "page", "pages", "bbox", "span", "spans", "offset", "offsets", "extraction_status", "status", "meta",
    }
)  # fmt: skip
_SIDECARS: Final = ("_citations", "_meta")
ELEMENT: Final = "[]"
"""Stands for any element of an array in a place without indices."""


class Scalar(NamedTuple):
    """A value that states something, and its canonical key."""

    value: Json
    key: str


@dataclass(slots=True)
class Element:
    """An object, or an element of an array, with what stands below it.

    Attributes:
        shape: what the schema says of it, None where it is not declared.
        scalars: by the names that lead to them; an element that is a scalar itself has it under ``()``.
        lists: the arrays, by the names that lead to them, the elements by their index; blank elements are absent.
        content: what stands in it in a form that orders, once it was asked for.
    """

    shape: Shape | None
    scalars: dict[Names, Scalar] = field(default_factory=dict)
    lists: dict[Names, dict[int, Element]] = field(default_factory=dict)
    content: tuple[object, ...] | None = None

    @property
    def is_blank(self) -> bool:
        """Whether nothing is stated in it."""
        return not self.scalars and not self.lists

    def shape_at(self, names: Names) -> Shape | None:
        """What the schema says of a place below."""
        shape = self.shape
        for name in names:
            shape = shape.child(name) if shape is not None else None
        return shape


@dataclass(slots=True)
class Reader:
    """Reads a document under a schema.

    Attributes:
        keeps: places, as names and ``[]``, whose sidecar-like properties are fields; None where no sidecar is looked
            for.
        skipped: the open maps that were met, as places.
        places: every place at which the document has a property.
    """

    keeps: Set[Names] | None = None
    skipped: set[Names] = field(default_factory=set)
    places: set[Names] = field(default_factory=set)
    _names: dict[tuple[Names, str], Names] = field(default_factory=dict)

    def read(self, document: Json, shape: Shape) -> Element:
        """The document as one element."""
        root = Element(shape)
        self._add(root, document, shape, (), ())
        return root

    def _add(self, element: Element, value: Json, shape: Shape | None, names: Names, place: Names) -> None:
        """Put what stands at ``names`` below an element into it; ``place`` is the same from the root."""
        value = _unwrapped(value, shape)
        if isinstance(value, dict):
            for name, child in self._properties(value, shape, place):
                below = shape.child(name) if shape is not None else None
                self._add(element, child, below, self._step(names, name), self._step(place, name))
        elif isinstance(value, list):
            self._add_list(element, value, shape, names, place)
        else:
            key = key_of(value)
            if key != NOTHING:
                element.scalars[names] = Scalar(value, key)

    def _add_list(self, element: Element, value: list[Json], shape: Shape | None, names: Names, place: Names) -> None:
        inside, each = self._step(place, ELEMENT), shape.items if shape is not None else None
        elements: dict[int, Element] = {}
        for index, item in enumerate(value):
            found = Element(each)
            self._add(found, item, each, (), inside)
            if not found.is_blank:
                elements[index] = found
        if elements:
            element.lists[names] = elements

    def _properties(self, value: Mapping[str, Json], shape: Shape | None, place: Names) -> Iterator[tuple[str, Json]]:
        is_open = shape is not None and shape.is_open
        for name, child in value.items():
            declared = shape is not None and shape.child(name) is not None
            if is_open and not declared:
                self.skipped.add(place)
            elif declared or not self._is_sidecar(name, value, place):
                self.places.add(self._step(place, name))
                yield name, child

    def _is_sidecar(self, name: str, value: Mapping[str, Json], place: Names) -> bool:
        if self.keeps is None or not name.endswith(_SIDECARS):
            return False
        beside = any(name.endswith(ending) and name.removesuffix(ending) in value for ending in _SIDECARS)
        return beside and self._step(place, name) not in self.keeps

    def _step(self, names: Names, name: str) -> Names:
        """The names and one more; equal ones are one object, since there are very many."""
        known = self._names.get((names, name))
        if known is None:
            known = self._names[names, name] = (*names, name)
        return known


def _unwrapped(value: Json, shape: Shape | None) -> Json:
    """The value inside envelopes; a schema that declares ``value`` here means the object itself."""
    while isinstance(value, dict) and len(value) > 1 and "value" in value:
        if shape is not None and shape.child("value") is not None:
            break
        if not all(name == "value" or name in _ABOUT_A_VALUE for name in value):
            break
        value = value["value"]
    return value
