"""The columns of a table as a model of where their cells begin and end, and the best cut of a line into cells.

A line's tokens are dealt out to the columns in order, each column taking none or some neighbours: of all ways the
cheapest, by dynamic programming over tokens and columns. A cell costs what its place says against the column and what
its text says against the column's type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final, NamedTuple

from extractors.sequence_header import Header
from extractors.sequence_text import TextLine, Token
from extractors.typed import is_text
from groundtruth.schema import Leaf

_FEWEST: Final = 4
"""Cells by which a column's edges are learned."""

_FLOOR: Final = 0.5
"""In mean character widths: no edge is steadier."""

_LONGEST_CELL: Final = 40
_LONGEST_TYPED_CELL: Final = 7
_SKIPPED_TOKEN: Final = 5.0
_BLANK: Final = 0.3
_WRONG_TYPE: Final = 4.0
_INNER_GAP: Final = 2.5
_TIGHT_CUT: Final = 0.6
_TIGHT_COST: Final = 3.0
_MOST_BY_PLACE: Final = 8.0
_ALONE_BY_EDGE: Final = 0.25
_INFINITE: Final = float("inf")


class Edge(NamedTuple):
    """Where a line of cells is, in points, and how far off it is usually, in points."""

    at: float
    spread: float


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        leaf: what it holds; None for a column the schema does not ask for.
        x0: the left end of what was seen of it: its header, later its cells.
        x1: the right end.
        is_text: whether any text may stand in it.
        edges: left, middle and right, once they were learned from cells.
    """

    leaf: Leaf | None
    x0: float
    x1: float
    is_text: bool = True
    edges: tuple[Edge, Edge, Edge] | None = None


Columns = tuple[Column, ...]
Fits = Callable[[Leaf, Sequence[Token]], bool]
"""Whether tokens are a value of the leaf."""


class Cell(NamedTuple):
    """Tokens of a line in a column: indices into the line, first and after the last; and what the place costs."""

    column: int
    start: int
    stop: int
    by_place: float


class Cut(NamedTuple):
    """A line cut into cells, from left to right; ``skipped`` tokens stand in no column."""

    cells: tuple[Cell, ...]
    skipped: int
    cost: float


def columns_of(header: Header) -> Columns:
    """The columns as the header alone shows them."""
    return tuple(Column(cell.leaf, cell.x0, cell.x1, cell.leaf is None or is_text(cell.leaf)) for cell in header.cells)


def learned(columns: Columns, rows: Iterable[tuple[TextLine, Cut]]) -> Columns:
    """The columns with the edges of the cells that were read, where there are enough of them."""
    spans: list[list[tuple[float, float]]] = [[] for _ in columns]
    units = []
    for line, cut in rows:
        units.append(line.unit)
        for cell in cut.cells:
            spans[cell.column].append((line.tokens[cell.start].word.x0, line.tokens[cell.stop - 1].word.x1))
    floor = _FLOOR * median(units) if units else 1.0
    return tuple(_learned(column, seen, floor) for column, seen in zip(columns, spans, strict=True))


def _learned(column: Column, seen: Sequence[tuple[float, float]], floor: float) -> Column:
    if len(seen) < _FEWEST:
        return column
    left = _edge([x0 for x0, _ in seen], floor)
    middle = _edge([(x0 + x1) / 2 for x0, x1 in seen], floor)
    right = _edge([x1 for _, x1 in seen], floor)
    return replace(column, x0=left.at, x1=right.at, edges=(left, middle, right))


def _edge(values: Sequence[float], floor: float) -> Edge:
    at = median(values)
    return Edge(at, 1.5 * median(abs(value - at) for value in values) + floor)


def shifted(columns: Columns, by: float) -> Columns:
    """The columns moved to the right, as on a page that was scanned so."""
    return tuple(
        replace(
            column,
            x0=column.x0 + by,
            x1=column.x1 + by,
            edges=column.edges and tuple(Edge(edge.at + by, edge.spread) for edge in column.edges),  # type: ignore[arg-type]
        )
        for column in columns
    )


def cut(line: TextLine, columns: Columns, fits: Fits) -> Cut:
    """The cheapest way to deal the line's tokens out to the columns; of equal ones the first by column and token."""
    count, width = len(line.tokens), len(columns)
    # cost[j][i]: the first j columns have taken the first i tokens.
    cost = [[_INFINITE] * (count + 1) for _ in range(width + 1)]
    back: list[list[tuple[int, int, Cell | None]]] = [[(0, 0, None)] * (count + 1) for _ in range(width + 1)]
    cost[0] = [_SKIPPED_TOKEN * taken for taken in range(count + 1)]
    back[0] = [(0, max(0, taken - 1), None) for taken in range(count + 1)]
    for number, column in enumerate(columns):
        for stop in range(count + 1):
            best, come_from = cost[number][stop] + _BLANK, (number, stop, None)
            options: list[tuple[float, tuple[int, int, Cell | None]]] = [(best, come_from)]
            if stop and cost[number + 1][stop - 1] < _INFINITE:
                options.append((cost[number + 1][stop - 1] + _SKIPPED_TOKEN, (number + 1, stop - 1, None)))
            longest = _LONGEST_CELL if column.is_text else _LONGEST_TYPED_CELL
            for start in range(max(0, stop - longest), stop):
                if cost[number][start] == _INFINITE:
                    continue
                place = _by_place(line, start, stop, number, columns)
                if place >= _MOST_BY_PLACE:
                    continue
                price = (
                    cost[number][start]
                    + place
                    + _by_gaps(line, start, stop)
                    + _by_type(line, start, stop, column, fits)
                )
                options.append((price, (number, start, Cell(number, start, stop, place))))
            cost[number + 1][stop], back[number + 1][stop] = min(options, key=lambda option: option[0])
    return _traced(back, width, count, cost[width][count])


def _traced(back: list[list[tuple[int, int, Cell | None]]], columns: int, tokens: int, price: float) -> Cut:
    cells: list[Cell] = []
    skipped = 0
    at = (columns, tokens)
    while at != (0, 0):
        before_columns, before_tokens, cell = back[at[0]][at[1]]
        if cell is not None:
            cells.append(cell)
        else:
            skipped += at[1] - before_tokens
        at = (before_columns, before_tokens)
    return Cut(tuple(reversed(cells)), skipped, price)


def _by_place(line: TextLine, start: int, stop: int, number: int, columns: Columns) -> float:
    """What the place of a cell says against its column."""
    x0, x1 = line.tokens[start].word.x0, line.tokens[stop - 1].word.x1
    column, unit = columns[number], max(line.unit, 1.0)
    apart = max(0.0, column.x0 - x1, x0 - column.x1) / unit
    price = min(_MOST_BY_PLACE, 0.8 * apart)
    if column.edges is not None:
        off = min(
            abs(value - edge.at) / edge.spread
            for value, edge in zip((x0, (x0 + x1) / 2, x1), column.edges, strict=True)
        )
        price += min(3.0, _ALONE_BY_EDGE * max(0.0, off - 1.0) ** 2)
    if number:
        price += _over(columns[number - 1].x1 - x0, columns[number - 1], unit)
    if number + 1 < len(columns):
        price += _over(x1 - columns[number + 1].x0, columns[number + 1], unit)
    return price


def _over(reach: float, neighbour: Column, unit: float) -> float:
    """What it costs that a cell reaches into a neighbouring column by ``reach`` points."""
    if reach <= 0:
        return 0.0
    return min(_MOST_BY_PLACE, 1.2 * min(reach, neighbour.x1 - neighbour.x0) / unit)


def _by_gaps(line: TextLine, start: int, stop: int) -> float:
    inner = sum(min(4.0, 1.5 * (gap - _INNER_GAP)) for gap in line.gaps[start : stop - 1] if gap > _INNER_GAP)
    tight = start > 0 and line.gaps[start - 1] < _TIGHT_CUT
    return inner + _TIGHT_COST * tight


def _by_type(line: TextLine, start: int, stop: int, column: Column, fits: Fits) -> float:
    if column.leaf is None:
        return 0.2
    return 0.0 if fits(column.leaf, line.tokens[start:stop]) else _WRONG_TYPE
