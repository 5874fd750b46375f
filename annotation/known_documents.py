"""Documents whose truth is known by construction, and what can be asked of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from groundtruth.consensus import Candidate
from groundtruth.evidence import Evidence
from groundtruth.jsontext import Json
from groundtruth.path import Path, rows_around, schema_path
from groundtruth.rules import Comparator
from groundtruth.schema import FrozenSchema

_LONGEST: Final = 120
"""A longer text is not asked: nobody reads it off a box."""
_ASKABLE: Final = frozenset(Comparator) - {Comparator.LIST, Comparator.OPAQUE, Comparator.UNION}


@dataclass(frozen=True)
class KnownDocument:
    """A document whose truth is known by construction.

    Attributes:
        id: its id.
        type: what sort of document it is, or "".
        sha256: of its file.
        origin: the dataset's folder, "" for the one that is reviewed.
        page_count: how many pages it has.
        schema: its schema.
        value: its truth.
        places: where each leaf is printed, by instance path; a leaf that is absent has none.
        votes: the classes of real readings, by the instance path that the truth has.
    """

    id: str
    type: str
    sha256: str
    origin: str
    page_count: int
    schema: FrozenSchema
    value: Json
    places: Mapping[Path, tuple[Evidence, ...]]
    votes: Mapping[Path, tuple[Candidate, ...]] = field(default_factory=dict)

    @cached_property
    def by_page(self) -> dict[int, tuple[Path, ...]]:
        """What can be asked on each page, in the order of the truth: a value that stands there, or an absent cell."""
        found: dict[int, list[Path]] = defaultdict(list)
        pages_of_row: dict[Path, set[int]] = defaultdict(set)
        for path, places in self.places.items():
            for row in rows_around(path):
                pages_of_row[row].update(place.page for place in places)
        for path, value in leaves_of(self.schema, self.value):
            if not _is_askable(self.schema, path, value):
                continue
            around = tuple(rows_around(path))
            if value is not None:
                places = self.places.get(path, ())
                pages = {places[0].page} if places and all(place.boxes for place in places) else set()
            else:
                # Without a neighbour's value there is nothing to be taken for it.
                pages = pages_of_row[around[-1]] if around and self.neighbours(path) else set()
            if len(pages) == 1:
                found[min(pages)].append(path)
        return {page: tuple(paths) for page, paths in sorted(found.items())}

    def at(self, path: Path) -> Json:
        """The true value of a leaf; None where there is none."""
        return value_at(self.value, path)

    def leaf(self, path: Path) -> tuple[Json, tuple[Evidence, ...]]:
        """The true value of a leaf, and where it is printed."""
        return self.at(path), self.places.get(path, ())

    def neighbours(self, path: Path) -> list[Path]:
        """The same field in the rows beside a cell, the nearest first; of a leaf outside rows none."""
        around = tuple(rows_around(path))
        if not around:
            return []
        *outer, number = around[-1]
        rest = path[len(around[-1]) :]
        near = [(*outer, number + step, *rest) for step in (1, -1, 2, -2) if isinstance(number, int)]
        return [other for other in near if self.places.get(other)]


def value_at(value: Json, path: Path) -> Json:
    """What a truth holds at an instance path; None where it holds nothing."""
    found = value
    for step in path:
        if isinstance(found, dict):
            found = found.get(step)
        elif isinstance(found, list) and isinstance(step, int):
            found = found[step] if step < len(found) else None
        else:
            return None
    return found


def leaves_of(schema: FrozenSchema, value: Json) -> Iterator[tuple[Path, Json]]:
    """Every leaf of a truth, with its value; None for one that is not there."""

    def walk(field_path: Path, at: Path, here: Json) -> Iterator[tuple[Path, Json]]:
        step, *rest = field_path
        if isinstance(step, str):
            inside = here.get(step) if isinstance(here, dict) else None
            if rest:
                yield from walk(tuple(rest), (*at, step), inside)
            else:
                yield (*at, step), inside
        elif isinstance(here, list):
            for number, row in enumerate(here):
                yield from walk(tuple(rest), (*at, number), row)

    for field_path in schema.leaves:
        yield from walk(field_path, (), value)


def _is_askable(schema: FrozenSchema, path: Path, value: Json) -> bool:
    leaf = schema.leaves[schema_path(path)]
    if leaf.comparator not in _ASKABLE or (value is None and not leaf.nullable):
        return False
    return not isinstance(value, (list, dict)) and not (isinstance(value, str) and len(value) > _LONGEST)
