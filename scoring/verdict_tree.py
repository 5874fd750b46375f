"""Documents as the metric ``verdicts`` sees them: scalars at addresses, and lists of elements below addresses.

What states nothing (null, blank text, empty containers) has no address. Three things that extractors put around their
answers are taken away, each only where the schema does not ask for it:

- an *envelope*, an object of ``value`` and words about it, stands for its value;
- a *sidecar* of a prediction, ``x_citations`` or ``x_meta`` beside ``x``, is no field, unless the truth has it;
- what stands in an *open map*, properties that the schema invites without naming them, is not judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
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


class _Spot:
    """A place of a document, with all that does not depend on what stands there; made once, asked very often."""

    __slots__ = (
        "_inside",
        "children",
        "declared",
        "is_met",
        "is_open",
        "keeps_value",
        "name",
        "names",
        "place",
        "shape",
    )

    def __init__(self, names: Names, place: Names, shape: Shape | None) -> None:
        self.names = names
        """Those that lead here from the element around it."""
        self.place = place
        """The same from the root."""
        self.shape = shape
        self.name = place[-1] if place else ""
        self.declared = shape is not None
        self.is_open = shape is not None and shape.is_open
        self.keeps_value = shape is not None and shape.child("value") is not None
        """Whether an object here with a key ``value`` is no envelope, since the schema declares that key."""
        self.is_met = False
        """Whether the document has a property here."""
        self.children: dict[str, _Spot] = {}
        """The places of properties that were met."""
        self._inside: _Spot | None = None

    def child(self, name: str) -> _Spot:
        """The place of a property."""
        found = self.children.get(name)
        if found is None:
            below = self.shape.child(name) if self.shape is not None else None
            found = self.children[name] = _Spot((*self.names, name), (*self.place, name), below)
        return found

    def inside(self) -> _Spot:
        """The place of the elements of an array that stands here."""
        if self._inside is None:
            each = self.shape.items if self.shape is not None else None
            self._inside = _Spot((), (*self.place, ELEMENT), each)
        return self._inside


@dataclass(slots=True)
class Reader:
    """Reads a document under a schema.

    Attributes:
        keeps: places, as names and ``[]``, whose sidecar-like properties are fields; None where no sidecar is looked
            for.
        skipped: the open maps that were met, as places.
        places: every place at which the document has a property.
        texts: every text that was read; give it to the reader of the other document as well.
    """

    keeps: Set[Names] | None = None
    skipped: set[Names] = field(default_factory=set)
    places: set[Names] = field(default_factory=set)
    texts: dict[str, Scalar] = field(default_factory=dict)

    def read(self, document: Json, shape: Shape) -> Element:
        """The document as one element."""
        root = Element(shape)
        self._add(root, document, _Spot((), (), shape))
        return root

    def _add(self, element: Element, value: Json, spot: _Spot) -> None:
        """Put what stands at a spot below an element into it."""
        if isinstance(value, dict):
            value = _unwrapped(value, spot)
        if isinstance(value, dict):
            self._add_properties(element, value, spot)
        elif isinstance(value, list):
            self._add_list(element, value, spot)
        else:
            key = key_of(value)
            if key != NOTHING:
                element.scalars[spot.names] = Scalar(value, key)

    def _add_properties(self, element: Element, value: Mapping[str, Json], spot: _Spot) -> None:
        # The loop that every cell of a long list passes: look-ups are at hand, and a text is read once.
        scalars, children, known = element.scalars, spot.children, self.texts
        for name, child in value.items():
            below = children.get(name) or spot.child(name)
            if not below.declared and self._is_left_out(below, spot, value):
                continue
            if not below.is_met:
                below.is_met = True
                self.places.add(below.place)
            if type(child) is str:
                scalar = known.get(child)
                if scalar is None:
                    scalar = known[child] = Scalar(child, key_of(child))
                if scalar.key != NOTHING:
                    scalars[below.names] = scalar
            elif isinstance(child, (dict, list)):
                self._add(element, child, below)
            elif (key := key_of(child)) != NOTHING:
                scalars[below.names] = Scalar(child, key)

    def _is_left_out(self, below: _Spot, spot: _Spot, beside: Mapping[str, Json]) -> bool:
        """Whether an undeclared property is not graded: one of an open map, or a sidecar."""
        if spot.is_open:
            self.skipped.add(spot.place)
            return True
        return self._is_sidecar(below, beside)

    def _add_list(self, element: Element, value: list[Json], spot: _Spot) -> None:
        inside = spot.inside()
        elements: dict[int, Element] = {}
        for index, item in enumerate(value):
            found = Element(inside.shape)
            self._add(found, item, inside)
            if found.scalars or found.lists:
                elements[index] = found
        if elements:
            element.lists[spot.names] = elements

    def _is_sidecar(self, spot: _Spot, beside: Mapping[str, Json]) -> bool:
        name = spot.name
        if self.keeps is None or not name.endswith(_SIDECARS):
            return False
        is_about_another = any(name.endswith(ending) and name.removesuffix(ending) in beside for ending in _SIDECARS)
        return is_about_another and spot.place not in self.keeps


def _unwrapped(value: Json, spot: _Spot) -> Json:
    """The value inside envelopes; a schema that declares ``value`` here means the object itself."""
    while isinstance(value, dict) and "value" in value and len(value) > 1:
        if spot.keeps_value or not all(name == "value" or name in _ABOUT_A_VALUE for name in value):
            break
        value = value["value"]
    return value
