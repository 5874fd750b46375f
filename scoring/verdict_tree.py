"""Documents as the metric ``verdicts`` sees them: scalars at addresses, and lists of elements below addresses.

What states nothing (null, blank text, empty containers) has no address. Three things that extractors put around their
answers are taken away, each only where the schema does not ask for it:

- an *envelope*, an object of ``value`` and words about it, stands for its value;
- a *sidecar* of a prediction, ``x_citations`` or ``x_meta`` beside ``x``, is no field, unless the truth has it;
- what stands in an *open map*, properties that the schema invites without naming them, is not judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
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


Written = tuple[tuple[Json, ...], tuple[type, ...]]
"""The values of a flat element as they are written, and their types: 1, true and 1.0 are three things."""
Columns = Mapping[Names, int]
_NO_COLUMNS: Final[Columns] = {}
Texts = dict[str, Scalar]
"""Every text that was read, and what it is."""


class Element:
    """An object, or an element of an array, with what stands below it.

    A long list has rows by the ten thousand, most of them written alike on both sides. So a *flat* element, declared
    properties with scalars and nothing else, keeps what is written, and its scalars are read when they are asked for.

    Attributes:
        shape: what the schema says of it, None where it is not declared.
        lists: the arrays, by the names that lead to them, the elements by their index; blank elements are absent.
        content: what stands in it in a form that orders, once it was asked for.
        written: what stands in it, if it is flat.
        columns: the names of what is written, with their number; one object for all elements that are alike in this.
        texts: every text that was read.
    """

    __slots__ = ("_scalars", "columns", "content", "lists", "shape", "texts", "written")

    def __init__(
        self,
        shape: Shape | None,
        written: Written | None = None,
        columns: Columns = _NO_COLUMNS,
        texts: Texts | None = None,
    ) -> None:
        self.shape = shape
        self.lists: dict[Names, dict[int, Element]] = {}
        self.content: tuple[object, ...] | None = None
        self.written = written
        self.columns = columns
        self._scalars: dict[Names, Scalar] | None = {} if written is None else None
        self.texts: Texts = {} if texts is None else texts

    @property
    def scalars(self) -> dict[Names, Scalar]:
        """By the names that lead to them; an element that is a scalar itself has it under ``()``."""
        if self._scalars is None:
            known = self.texts
            self._scalars = {
                names: scalar
                for names, value in zip(self.columns, self._values, strict=True)
                if (scalar := _read(value, known)).key != NOTHING
            }
        return self._scalars

    @property
    def stated(self) -> int:
        """How many scalars there are."""
        if self._scalars is None:
            return len(self.columns) - sum(map(_is_blank, self._values))
        return len(self._scalars)

    @property
    def is_object(self) -> bool:
        """Whether it is no scalar or array itself."""
        return self.written is not None or (() not in self.scalars and () not in self.lists)

    def key(self, names: Names) -> str | None:
        """The key of a scalar, or None where none is stated."""
        if self._scalars is None:
            return keys_of([self], names)[0]
        scalar = self._scalars.get(names)
        return None if scalar is None else scalar.key

    def written_otherwise(self, other: Element) -> list[Names] | None:
        """The columns in which two flat elements are not written alike; None for others, and for other columns."""
        if self.written is None or other.written is None or self.columns != other.columns:
            return None
        if self.written == other.written:
            return []
        (mine, types), (others, other_types) = self.written, other.written
        return [
            names
            for names, one, two, type_, other_type in zip(self.columns, mine, others, types, other_types, strict=True)
            if type_ is not other_type or one != two
        ]

    def shape_at(self, names: Names) -> Shape | None:
        """What the schema says of a place below."""
        shape = self.shape
        for name in names:
            shape = shape.child(name) if shape is not None else None
        return shape

    @property
    def _values(self) -> tuple[Json, ...]:
        return self.written[0] if self.written is not None else ()


def keys_of(elements: Iterable[Element], names: Names) -> list[str | None]:
    """The keys of a column of elements; None where none is stated."""
    # The loop that every cell of a long list passes: only texts that were not read before cost a call.
    found: list[str | None] = []
    for element in elements:
        written, at = element.written, element.columns.get(names)
        if written is None:
            found.append(element.key(names))
        elif at is None:
            found.append(None)
        else:
            value = written[0][at]
            scalar = element.texts.get(value) if type(value) is str else None
            found.append((scalar or _read(value, element.texts)).key or None)
    return found


def _read(value: Json, known: Texts) -> Scalar:
    """What a value is; a text that comes again is read once."""
    if type(value) is not str:
        return Scalar(value, key_of(value))
    scalar = known.get(value)
    if scalar is None:
        scalar = known[value] = Scalar(value, key_of(value))
    return scalar


def _is_blank(value: Json) -> bool:
    """Whether the key of a value would be ``NOTHING``."""
    return value is None or (type(value) is str and (not value or value.isspace()))


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
        "rows",
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
        self.rows: dict[tuple[str, ...], Columns | None] = {}
        """For the names of objects that were met here: those names as columns of a flat element, or None."""
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
    texts: Texts = field(default_factory=dict)

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
        elif (scalar := _read(value, self.texts)).key != NOTHING:
            element.scalars[spot.names] = scalar

    def _add_properties(self, element: Element, value: Mapping[str, Json], spot: _Spot) -> None:
        for name, child in value.items():
            below = spot.children.get(name) or spot.child(name)
            if not below.declared and self._is_left_out(below, spot, value):
                continue
            if not below.is_met:
                below.is_met = True
                self.places.add(below.place)
            self._add(element, child, below)

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
            found = self._flat(item, inside) if isinstance(item, dict) else None
            if found is None:
                found = Element(inside.shape)
                self._add(found, item, inside)
            if found.stated or found.lists:
                elements[index] = found
        if elements:
            element.lists[spot.names] = elements

    def _flat(self, value: Mapping[str, Json], spot: _Spot) -> Element | None:
        """An element of an array that is flat, or None if it is not, or an envelope."""
        names = tuple(value)
        columns = spot.rows[names] if names in spot.rows else self._columns(names, spot)
        if columns is None:
            return None
        values = tuple(value.values())
        types = tuple(map(type, values))
        if dict in types or list in types:
            return None
        return Element(spot.shape, (values, types), columns, self.texts)

    def _columns(self, names: tuple[str, ...], spot: _Spot) -> Columns | None:
        below = [spot.child(name) for name in names]
        is_plain = bool(names) and "value" not in names and all(each.declared for each in below)
        if is_plain:
            self.places.update(each.place for each in below)
        spot.rows[names] = {each.names: at for at, each in enumerate(below)} if is_plain else None
        return spot.rows[names]

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
