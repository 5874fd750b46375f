"""Columns of a table as rivers between them: between two cells of the header runs the line that fewest runs cross."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from extractors.segment_graph import Level, Node
from extractors.segment_headers import Header
from extractors.words import Word
from groundtruth.schema import Leaf

_HEADER_WEIGHT: Final = 3
"""A river runs through a cell of the header rather than through more runs than this."""
_FARTHEST_SHIFT: Final = 14.0
"""Points by which the columns may lie otherwise on the next page."""
_SHIFT_STEP: Final = 2.0
_FILLED: Final = 0.5
"""Of the cells of a header: a level with so many runs shows where the columns are."""
_TOGETHER: Final = 0.5
"""Of the levels: runs side by side in one column so often are two columns, one of them without a header."""


@dataclass(frozen=True)
class Columns:
    """The columns of a table from the left: the leaf of each, if any, and the x of the rivers between them.

    Attributes:
        leaves: one for each column.
        rivers: in points; one fewer than there are columns.
        tracks: for each column where its runs stand, x0 and x1; None to take all that lies between the rivers.
    """

    leaves: tuple[Leaf | None, ...]
    rivers: tuple[float, ...]
    tracks: tuple[tuple[float, float] | None, ...]

    def place(self, x: float) -> int:
        """The number of the column that an x lies in."""
        return sum(river < x for river in self.rivers)

    def cells(self, level: Level) -> dict[int, list[Word]]:
        """The words of a level by column, each cut at the rivers; what stands beside a track is left out."""
        found: dict[int, list[Word]] = {}
        for node in level.nodes:
            for word in node.words:
                place = self.place((word.x0 + word.x1) / 2)
                track = self.tracks[place]
                if track is None or (word.x1 > track[0] and word.x0 < track[1]):
                    found.setdefault(place, []).append(word)
        return found

    def shifted(self, levels: Sequence[Level]) -> Columns:
        """The columns where they lie on another page: moved so that the fewest runs cross a river, and the least."""
        pieces = [piece for level in levels for node in level.nodes for piece in node.pieces()]
        steps = round(_FARTHEST_SHIFT / _SHIFT_STEP)
        shifts = sorted(
            (step * _SHIFT_STEP for step in range(-steps, steps + 1)), key=lambda shift: (abs(shift), shift)
        )
        best = min(shifts, key=lambda shift: sum(_crossings(pieces, river + shift) for river in self.rivers))
        return Columns(
            self.leaves,
            tuple(river + best for river in self.rivers),
            tuple(None if track is None else (track[0] + best, track[1] + best) for track in self.tracks),
        )


def columns_under(header: Header, levels: Sequence[Level]) -> Columns:
    """The columns that the runs on ``levels`` form under a header."""
    pieces = _pieces_of_rows(levels, _FILLED * len(header.cells))
    rivers: list[float] = []
    for left, right in pairwise(header.cells):
        low, high = (left.x0 + left.x1) / 2, (right.x0 + right.x1) / 2
        extents = [(piece.x0, piece.x1, 1) for piece in pieces]
        extents += [(cell.x0, cell.x1, _HEADER_WEIGHT) for cell in header.cells]
        rivers.append(_river(low, high, extents))
    columns = Columns(tuple(cell.leaf for cell in header.cells), tuple(rivers), (None,) * len(header.cells))
    return Columns(columns.leaves, columns.rivers, tuple(_tracks(header, columns, levels)))


def _pieces_of_rows(levels: Sequence[Level], least: float) -> list[Node]:
    """The runs of the levels that hold so many, since sums and notes keep to no column; of all if none does."""
    rows = [[piece for node in level.nodes for piece in node.pieces()] for level in levels]
    kept = [row for row in rows if len(row) >= max(2.0, least)] or rows
    return [piece for row in kept for piece in row]


def _river(low: float, high: float, extents: Iterable[tuple[float, float, int]]) -> float:
    """The middle of the widest stretch from ``low`` to ``high`` that the least lies across; the left one on a tie."""
    across = [(max(low, x0), min(high, x1), weight) for x0, x1, weight in extents if x0 < high and x1 > low]
    edges = sorted({low, high, *(edge for x0, x1, _ in across for edge in (x0, x1))})
    stretches: list[tuple[int, float, float]] = []
    for start, end in pairwise(edges):
        weight = sum(weight for x0, x1, weight in across if x0 < end and x1 > start)
        if stretches and stretches[-1][0] == weight and stretches[-1][2] == start:
            stretches[-1] = (weight, stretches[-1][1], end)
        else:
            stretches.append((weight, start, end))
    if not stretches:
        return (low + high) / 2
    _, start, end = min(stretches, key=lambda stretch: (stretch[0], stretch[1] - stretch[2], stretch[1]))
    return (start + end) / 2


def _crossings(pieces: Sequence[Node], x: float) -> int:
    return sum(piece.x0 < x < piece.x1 for piece in pieces)


def _tracks(header: Header, columns: Columns, levels: Sequence[Level]) -> Iterable[tuple[float, float] | None]:
    """For each column where its own runs stand, when runs of a column without a header stand beside them."""
    for place, cell in enumerate(header.cells):
        rows = [
            [piece for node in level.nodes for piece in node.pieces() if columns.place(piece.middle) == place]
            for level in levels
        ]
        groups = _connected([piece for row in rows for piece in row])
        members = {piece: number for number, group in enumerate(groups) for piece in group.pieces}
        sides = Counter(tuple(sorted({members[piece] for piece in row})) for row in rows if row)
        several = sum(count for numbers, count in sides.items() if len(numbers) > 1)
        if len(groups) < 2 or several < _TOGETHER * sum(sides.values()):
            yield None
            continue
        own = min(groups, key=lambda group: (max(group.x0 - cell.x1, cell.x0 - group.x1, 0.0), -len(group.pieces)))
        yield min(own.x0, cell.x0), max(own.x1, cell.x1)


@dataclass
class _Group:
    pieces: list[Node]
    x0: float
    x1: float


def _connected(pieces: Iterable[Node]) -> list[_Group]:
    """The pieces in groups that overlap in x, from the left."""
    groups: list[_Group] = []
    for piece in sorted(pieces, key=lambda piece: (piece.x0, piece.x1, piece.y0)):
        if groups and piece.x0 < groups[-1].x1:
            groups[-1].pieces.append(piece)
            groups[-1].x1 = max(groups[-1].x1, piece.x1)
        else:
            groups.append(_Group([piece], piece.x0, piece.x1))
    return groups
