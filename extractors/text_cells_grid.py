"""Ruled lines to cells: rectangles closed on all sides, with the words inside.

The lines of a page cut it into the smallest rectangles; those with no wall between them belong together. What is open
to the margin is no cell, and neither is what is no rectangle.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from extractors.text_cells_reader import RuledPage, Ruling
from extractors.words import Word

_SNAP: Final = 2.5
"""In points: lines no further apart are one."""

_BRIDGED: Final = 4.0
"""In points: a line with such a hole, or that stops so short of another, is whole."""

_MOST_LINES: Final = 250
"""A page with more rulings in one direction is a drawing."""

_SMALLEST: Final = 4.0


@dataclass(frozen=True, slots=True)
class Cell:
    """A closed rectangle in points, and the words whose middle lies in it, in reading order."""

    x0: float
    y0: float
    x1: float
    y1: float
    words: tuple[Word, ...] = ()

    @property
    def middle(self) -> tuple[float, float]:
        """Its centre."""
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2


class Grid:
    """The cells of one page."""

    def __init__(self, page: RuledPage) -> None:
        horizontal, vertical = _closed(_merged(page.horizontal), _merged(page.vertical))
        self._ys, self._xs = _positions(horizontal), _positions(vertical)
        self._owner: dict[tuple[int, int], int] = {}
        self.cells: tuple[Cell, ...] = ()
        if 2 <= len(self._xs) <= _MOST_LINES and 2 <= len(self._ys) <= _MOST_LINES:
            self._build(_walls(vertical, self._xs, self._ys), _walls(horizontal, self._ys, self._xs))
        self.free: tuple[Word, ...] = self._fill(page.text.words)

    def at(self, x: float, y: float) -> Cell | None:
        """The cell at a point; None outside all cells."""
        index = self._owner.get((bisect_right(self._xs, x) - 1, bisect_right(self._ys, y) - 1))
        return None if index is None else self.cells[index]

    def right_of(self, cell: Cell) -> Cell | None:
        """The neighbour at the level of the cell's first words, or of its middle when it has none."""
        y = (cell.words[0].y0 + cell.words[0].y1) / 2 if cell.words else cell.middle[1]
        return self.at(cell.x1 + _SNAP / 2, y) or self.at(cell.x1 + _SNAP / 2, cell.middle[1])

    def below(self, cell: Cell) -> Cell | None:
        """The neighbour under the cell's middle."""
        return self.at(cell.middle[0], cell.y1 + _SNAP / 2)

    def tables(self) -> list[list[Cell]]:
        """The cells that hang together by common walls, each group from the top left; in order of their first cell."""
        groups = _Groups(len(self.cells))
        for (column, row), index in self._owner.items():
            for neighbour in ((column + 1, row), (column, row + 1)):
                if (other := self._owner.get(neighbour)) is not None:
                    groups.join(index, other)
        found: dict[int, list[Cell]] = defaultdict(list)
        for index, cell in enumerate(self.cells):
            found[groups.root(index)].append(cell)
        return list(found.values())

    def _build(self, upright: set[tuple[int, int]], level: set[tuple[int, int]]) -> None:
        """Join the smallest rectangles where no wall parts them; ``upright`` holds (x line, y band)."""
        columns, rows = len(self._xs) - 1, len(self._ys) - 1
        groups = _Groups(columns * rows + 1)
        outside = columns * rows
        for column in range(columns):
            for row in range(rows):
                here = column * rows + row
                if (column, row) not in upright:
                    groups.join(here, outside if column == 0 else here - rows)
                if column == columns - 1 and (columns, row) not in upright:
                    groups.join(here, outside)
                if (row, column) not in level:
                    groups.join(here, outside if row == 0 else here - 1)
                if row == rows - 1 and (rows, column) not in level:
                    groups.join(here, outside)
        parts: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for column in range(columns):
            for row in range(rows):
                if (root := groups.root(column * rows + row)) != groups.root(outside):
                    parts[root].append((column, row))
        self._take(parts.values())

    def _take(self, parts: Iterable[list[tuple[int, int]]]) -> None:
        cells: list[tuple[Cell, list[tuple[int, int]]]] = []
        for part in parts:
            columns, rows = [column for column, _ in part], [row for _, row in part]
            first, last, top, bottom = min(columns), max(columns), min(rows), max(rows)
            if len(part) == (last - first + 1) * (bottom - top + 1):
                cell = Cell(self._xs[first], self._ys[top], self._xs[last + 1], self._ys[bottom + 1])
                if min(cell.x1 - cell.x0, cell.y1 - cell.y0) >= _SMALLEST:
                    cells.append((cell, part))
        cells.sort(key=lambda found: (found[0].y0, found[0].x0))
        self.cells = tuple(cell for cell, _ in cells)
        self._owner = {place: index for index, (_, part) in enumerate(cells) for place in part}

    def _fill(self, words: Sequence[Word]) -> tuple[Word, ...]:
        """Give every word to its cell; the words in none."""
        held: dict[int, list[Word]] = defaultdict(list)
        free: list[Word] = []
        for word in words:
            x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
            index = self._owner.get((bisect_right(self._xs, x) - 1, bisect_right(self._ys, y) - 1))
            (free if index is None else held[index]).append(word)
        self.cells = tuple(
            Cell(cell.x0, cell.y0, cell.x1, cell.y1, tuple(held.get(index, ())))
            for index, cell in enumerate(self.cells)
        )
        return tuple(free)


class _Groups:
    """Things that are joined two by two."""

    def __init__(self, count: int) -> None:
        self._parent = list(range(count))

    def root(self, index: int) -> int:
        parent = self._parent
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    def join(self, one: int, other: int) -> None:
        one, other = self.root(one), self.root(other)
        if one != other:
            self._parent[max(one, other)] = min(one, other)


def _merged(rulings: Iterable[Ruling]) -> list[Ruling]:
    """The rulings with those that lie on one another, or continue one another, made one."""
    merged: list[Ruling] = []
    for group in _clusters(sorted(rulings)):
        at = sum(ruling.at for ruling in group) / len(group)
        start, end = group[0].start, group[0].end
        for ruling in sorted(group, key=lambda ruling: ruling.start):
            if ruling.start > end + _BRIDGED:
                merged.append(Ruling(at, start, end))
                start, end = ruling.start, ruling.end
            else:
                start, end = min(start, ruling.start), max(end, ruling.end)
        merged.append(Ruling(at, start, end))
    return merged


def _clusters(rulings: Sequence[Ruling]) -> Iterator[list[Ruling]]:
    """Rulings by common place; a cluster is no wider than the snap distance."""
    group: list[Ruling] = []
    for ruling in rulings:
        if group and ruling.at - group[0].at > _SNAP:
            yield group
            group = []
        group.append(ruling)
    if group:
        yield sorted(group, key=lambda ruling: ruling.start)


def _positions(rulings: Iterable[Ruling]) -> list[float]:
    positions: list[float] = []
    for at in sorted(ruling.at for ruling in rulings):
        if not positions or at - positions[-1] > _SNAP:
            positions.append(at)
    return positions


def _closed(horizontal: list[Ruling], vertical: list[Ruling]) -> tuple[list[Ruling], list[Ruling]]:
    """The rulings with the sides of tables whose rows or columns are ruled, but not their frame."""
    return horizontal + _frame(vertical, horizontal), vertical + _frame(horizontal, vertical)


def _frame(lines: Sequence[Ruling], across: Sequence[Ruling]) -> list[Ruling]:
    """Rulings at both ends of two parallel lines of one length that others run between."""
    groups: dict[tuple[int, int], list[Ruling]] = defaultdict(list)
    for line in lines:
        groups[round(line.start / _BRIDGED), round(line.end / _BRIDGED)].append(line)
    sides: list[Ruling] = []
    for group in groups.values():
        for first, second in pairwise(group):
            crossed = any(
                first.start + _BRIDGED < other.at < first.end - _BRIDGED
                and other.start <= first.at + _BRIDGED
                and other.end >= second.at - _BRIDGED
                for other in across
            )
            if crossed:
                sides += [Ruling(end, first.at, second.at) for end in (first.start, first.end)]
    return sides


def _walls(rulings: Iterable[Ruling], positions: Sequence[float], bands: Sequence[float]) -> set[tuple[int, int]]:
    """Which lines are walls of which bands: (index of the position, index of the band)."""
    found: set[tuple[int, int]] = set()
    for ruling in rulings:
        place = bisect_right(positions, ruling.at) - 1
        for band in range(len(bands) - 1):
            slack = min(_BRIDGED, (bands[band + 1] - bands[band]) / 3)
            if ruling.start <= bands[band] + slack and ruling.end >= bands[band + 1] - slack:
                found.add((place, band))
    return found
