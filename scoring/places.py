"""Places by address: where a truth says that its values stand, or what a prediction cites.

A table has a place in every cell, a million in all, so they are kept in columns of numbers; a ``Place`` is made when
one is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, repeat
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundtruth.box import Box
from groundtruth.jsontext import Json

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

NOWHERE: Final = -1
"""The row of an address that has no place."""
LAST_PAGE: Final = int(np.iinfo(np.int64).max)
_NUMBERS: Final = frozenset({int, float, Decimal})
_NO_BOX: Final = (np.nan,) * 4


class Place(NamedTuple):
    """One entry of evidence: a page, with or without a box; ``coarse`` boxes frame all lines of a value."""

    page: int
    box: Box | None = None
    coarse: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Places(Mapping[str, tuple[Place, ...]]):
    """The places of each address, a row for each place.

    Attributes:
        rows: of each address, the row of its first place.
        several: by its first row, all rows of an address that has more than one place.
        pages: by row, from 1.
        boxes: rows × (x0, y0, x1, y1) in the frame of the page; NaN where only the page is known.
        coarse: by row, whether the box frames all lines of a value.
        has_box: by first row, whether any place of the address is more than a page.
        is_one: by first row, whether the address has no other place.
    """

    rows: Mapping[str, int]
    several: Mapping[int, tuple[int, ...]]
    pages: IntArray
    boxes: FloatArray
    coarse: BoolArray
    has_box: BoolArray
    is_one: BoolArray

    @classmethod
    def of(cls, places: Mapping[str, Sequence[Place]]) -> Places:
        """The same of places that were made one by one."""
        if isinstance(places, Places):
            return places
        addresses = [address for address, each in places.items() for _ in each]
        flat = [place for each in places.values() for place in each]
        boxes = np.array([place.box or _NO_BOX for place in flat], dtype=np.float64).reshape(-1, 4)
        return cls._in_rows(addresses, [place.page for place in flat], boxes, [place.coarse for place in flat])

    @classmethod
    def of_entries(cls, addresses: Sequence[str], entries: Sequence[Mapping[str, Json]]) -> Places:
        """The same of entries ``{page, bbox, coarse}``, each with its address.

        A page is a whole number from 1 to ``LAST_PAGE``. A box that is none, or flat, or off the page is a page only;
        one that stands over the page's edge is cut to it.
        """
        boxes = _edges([entry.get("bbox") for entry in entries])
        pages = [entry["page"] for entry in entries]
        return cls._in_rows(addresses, pages, boxes, [entry.get("coarse") is True for entry in entries])

    @classmethod
    def _in_rows(
        cls, addresses: Sequence[str], pages: Sequence[int], boxes: FloatArray, coarse: Sequence[bool]
    ) -> Places:
        rows = dict(zip(addresses, range(len(addresses)), strict=True))
        several = _several(addresses) if len(rows) < len(addresses) else {}
        has_box, is_one = ~np.isnan(boxes[:, 0]), np.ones(len(addresses), dtype=np.bool_)
        for address, each in several.items():
            rows[address] = each[0]
            has_box[each[0]], is_one[each[0]] = has_box[list(each)].any(), False
        by_first = {each[0]: each for each in several.values()}
        return cls(rows, by_first, np.array(pages, np.int64), boxes, np.array(coarse, np.bool_), has_box, is_one)

    def find(self, addresses: Iterable[str]) -> IntArray:
        """The first row of each address, ``NOWHERE`` of one that has no place."""
        return np.fromiter(map(self.rows.get, addresses, repeat(NOWHERE)), dtype=np.int64)

    def boxed(self, rows: IntArray) -> BoolArray:
        """Of rows that were found, whether their addresses have a box."""
        found = np.zeros(rows.shape, dtype=np.bool_)
        known = rows != NOWHERE
        found[known] = self.has_box[rows[known]]
        return found

    def pages_at(self, address: str) -> frozenset[int]:
        """The pages of an address."""
        row = self.rows.get(address)
        return frozenset() if row is None else frozenset(self.pages[list(self.several.get(row, (row,)))].tolist())

    def at(self, row: int) -> tuple[Place, ...]:
        """The places of the address with this first row."""
        return tuple(map(self._place, self.several.get(row, (row,))))

    def _place(self, row: int) -> Place:
        box = Box.checked(*self.boxes[row].tolist()) if not np.isnan(self.boxes[row, 0]) else None
        return Place(int(self.pages[row]), box, bool(self.coarse[row]))

    def __getitem__(self, address: str) -> tuple[Place, ...]:
        return self.at(self.rows[address])

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


def _several(addresses: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """The rows of each address that stands more than once."""
    rows: dict[str, list[int]] = {}
    for row, address in enumerate(addresses):
        rows.setdefault(address, []).append(row)
    return {address: tuple(each) for address, each in rows.items() if len(each) > 1}


def _edges(boxes: Sequence[Json]) -> FloatArray:
    """The edges of ``[x, y, width, height]``, NaN for what frames nothing on the page."""
    plain = [at for at, box in enumerate(boxes) if type(box) is list and len(box) == 4]
    if not set(map(type, chain.from_iterable(boxes[at] for at in plain))) <= _NUMBERS:
        plain = []
    given = chain.from_iterable(boxes[at] for at in plain)
    numbers = np.fromiter(given, dtype=np.float64, count=4 * len(plain)).reshape(-1, 4)
    with np.errstate(over="ignore"):
        low, high = numbers[:, :2], numbers[:, :2] + numbers[:, 2:]
    found = np.full((len(boxes), 4), np.nan)
    is_on_page = np.asarray(((low >= 0.0) & (low < high) & (high <= 1.0)).all(axis=1))
    found[plain] = np.where(is_on_page[:, None], np.hstack([low, high]), np.nan)
    # Hardly any is left: pages without a box, boxes over the edge, and what is no box at all.
    for at in np.flatnonzero(np.isnan(found[:, 0])).tolist():
        if boxes[at] is not None:
            found[at] = _box(boxes[at]) or _NO_BOX
    return found


def _box(bbox: Json) -> Box | None:
    """The box of ``[x, y, width, height]``, or None for what frames nothing on the page."""
    try:
        x, y, width, height = map(float, bbox)
        return Box(max(x, 0.0), max(y, 0.0), min(x + width, 1.0), min(y + height, 1.0))
    except (TypeError, ValueError):
        return None
