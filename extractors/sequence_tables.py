"""Arrays of objects read off tables: stretches of lines under headers, over pages, read twice each.

The first reading of a stretch knows the columns from the header, or from the page before; the second from the cells
that the first one read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Final, NamedTuple

from extractors.answer import Row
from extractors.labels import SchemaNames
from extractors.sequence_columns import Column, Columns, Cut, columns_of, cut, learned, shifted
from extractors.sequence_header import Header, headers_on
from extractors.sequence_names import NameList
from extractors.sequence_rows import State, Usual, credible, expected, states, usual
from extractors.sequence_text import TextLine, Token
from extractors.sequence_values import ValueReader, doubted, unsure
from extractors.typed import Parsed, is_judgeable
from groundtruth.path import EACH, Path
from groundtruth.schema import Leaf, Table

_READINGS: Final = 2
_LIKE_THE_BEST: Final = 0.65
_FEWEST_NAMED: Final = 3
_SHARE_NAMED: Final = 0.34
_MOST_AFTER: Final = 8
"""Lines after the last row of a page, past which the table has ended there."""


@dataclass(slots=True)
class FoundTable:
    """What was read of one array.

    Attributes:
        rows: in printed order; values by schema path of the leaf.
        columns: leaves whose columns were found.
        taken: orders of the words of its headers, rows and totals.
    """

    rows: list[Row] = field(default_factory=list)
    columns: set[Path] = field(default_factory=set)
    taken: set[int] = field(default_factory=set)


class _Sought(NamedTuple):
    table: Table
    names: NameList
    judgeable: int
    identity: frozenset[Path]


class _Stretch(NamedTuple):
    """Lines under one header, or at the top of a page after one."""

    page: int
    header: Header | None
    lines: Sequence[TextLine]


class _RawRow(NamedTuple):
    """A row before its values are read: tokens by leaf, the leaves of its table, and which blanks are in doubt."""

    cells: dict[Path, list[Token]]
    leaves: frozenset[Path]
    crowded: frozenset[Path]


def read_tables(
    tables: Sequence[Table], names: SchemaNames, pages: Sequence[Sequence[TextLine]], values: ValueReader
) -> dict[Path, FoundTable]:
    """The arrays of which a header was found, by their path."""
    sought = [_sought(table, names) for table in tables]
    stretches = _stretches(sought, pages)
    return {
        one.table.path: _Reading(one, values).read(found)
        for number, one in enumerate(sought)
        if (found := stretches.get(number))
    }


def _sought(table: Table, names: SchemaNames) -> _Sought:
    within = (*table.path, EACH)
    leaves = [leaf for leaf in table.row.leaves() if is_judgeable(leaf)]
    listed = NameList((name for leaf in leaves for name in names.of_leaf(leaf, within=within)), shortened=True)
    return _Sought(table, listed, len(leaves), frozenset((*within, *key) for key in table.identity))


def _stretches(sought: Sequence[_Sought], pages: Sequence[Sequence[TextLine]]) -> dict[int, list[_Stretch]]:
    """The stretches of each array, by its place in ``sought``."""
    headers = _assigned(sought, pages)
    found: dict[int, list[_Stretch]] = {}
    open_table: int | None = None
    for page, lines in enumerate(pages):
        here = sorted((header.first, number, header) for at, number, header in headers if at == page)
        starts = [first for first, _, _ in here] + [len(lines)]
        if open_table is not None and starts[0] > 0:
            found[open_table].append(_Stretch(page, None, lines[: starts[0]]))
        for (first, number, header), end in zip(here, starts[1:], strict=True):
            found.setdefault(number, []).append(_Stretch(page, header, lines[first:end]))
            open_table = number
    return found


def _assigned(sought: Sequence[_Sought], pages: Sequence[Sequence[TextLine]]) -> list[tuple[int, int, Header]]:
    """Page, array and header, each line in one header at most: the better one, the earlier array on a tie."""
    every = [
        (page, number, header)
        for number, one in enumerate(sought)
        for page, lines in enumerate(pages)
        for header in headers_on(lines, one.names)
        if _names_enough(header, one)
    ]
    best = {number: max(header.score for _, at, header in every if at == number) for _, number, _ in every}
    kept: list[tuple[int, int, Header]] = []
    taken: set[tuple[int, int]] = set()
    for page, number, header in sorted(every, key=lambda item: (-item[2].score, item[1], item[0], item[2].first)):
        span = {(page, line) for line in range(header.first, header.first + header.lines)}
        if header.score >= _LIKE_THE_BEST * best[number] and not span & taken:
            taken |= span
            kept.append((page, number, header))
    return kept


def _names_enough(header: Header, one: _Sought) -> bool:
    named = len(header.leaves)
    return named >= min(one.judgeable, _FEWEST_NAMED) or named >= max(2.0, _SHARE_NAMED * one.judgeable)


class _Reading:
    """The reading of one array through its stretches."""

    def __init__(self, sought: _Sought, values: ValueReader) -> None:
        self._sought = sought
        self._values = values
        self._columns: Columns = ()
        self._lefts: list[float] = []
        self._common: Usual | None = None
        self._is_open = False
        self._found = FoundTable()
        self._raw: list[_RawRow] = []
        self._totals: list[TextLine] = []

    def read(self, stretches: Sequence[_Stretch]) -> FoundTable:
        for stretch in stretches:
            if stretch.header is not None or self._is_open:
                self._read_stretch(stretch)
        self._found.rows = self._valued()
        return self._found

    def _read_stretch(self, stretch: _Stretch) -> None:
        begin = stretch.header.lines if stretch.header is not None else 0
        lines = stretch.lines[begin:]
        columns = self._start_columns(stretch.header)
        if stretch.header is not None:
            self._found.columns |= stretch.header.leaves
            self._take(token for line in stretch.lines[:begin] for token in line.tokens)
        pitch = median([line.y1 - line.y0 for line in lines]) * 1.5 if lines else 0.0
        common = self._common or expected(columns, self._sought.identity, pitch)
        path: list[State] = []
        cuts: list[Cut] = []
        for reading in range(_READINGS + 1):
            cuts = [cut(line, columns, self._values.fits) for line in lines]
            path = states(lines, cuts, columns, common, self._values.fits)
            rows = [(line, found) for line, found, state in zip(lines, cuts, path, strict=True) if state is State.ROW]
            if reading < _READINGS and rows:
                if stretch.header is None:
                    columns = shifted(columns, _drift(columns, rows))
                columns = learned(columns, rows)
                common = usual(rows, columns, self._sought.identity, pitch)
        path = credible(lines, cuts, path, columns, common, self._values.fits)
        self._keep(lines, cuts, path, columns)
        if any(state is State.ROW for state in path):
            self._columns, self._common = columns, common
            if stretch.header is not None:
                self._lefts = [column.x0 for column in columns_of(stretch.header)]
        after = next((number for number, state in enumerate(reversed(path)) if state is not State.OTHER), len(path))
        self._is_open = bool(self._columns) and after <= _MOST_AFTER

    def _start_columns(self, header: Header | None) -> Columns:
        """The columns of the page before, moved to the place of this header when it has the same columns."""
        if header is None:
            return self._columns
        fresh = columns_of(header)
        if [column.leaf for column in fresh] != [column.leaf for column in self._columns]:
            return fresh
        drift = median(new.x0 - old for new, old in zip(fresh, self._lefts, strict=True))
        return shifted(self._columns, drift)

    def _keep(self, lines: Sequence[TextLine], cuts: Sequence[Cut], path: Sequence[State], columns: Columns) -> None:
        leaves = frozenset(column.leaf.path for column in columns if column.leaf is not None)
        for line, found, state in zip(lines, cuts, path, strict=True):
            if state is State.OTHER:
                continue
            # A total is of the table when rows follow: the last ones may be fields of the document.
            self._totals.append(line)
            if state is not State.TOTAL:
                self._take(token for total in self._totals for token in total.tokens)
                self._totals = []
            if state is State.ROW:
                self._raw.append(_RawRow({}, leaves, _crowded(line, found, columns, self._values)))
            if state is not State.TOTAL:
                for cell in found.cells:
                    leaf = columns[cell.column].leaf
                    if leaf is not None:
                        self._raw[-1].cells.setdefault(leaf.path, []).extend(line.tokens[cell.start : cell.stop])

    def _take(self, tokens: Iterator[Token] | Sequence[Token]) -> None:
        self._found.taken.update(token.word.order for token in tokens)

    def _valued(self) -> list[Row]:
        rows: list[dict[Path, Parsed]] = [{} for _ in self._raw]
        for leaf in self._sought.table.row.leaves():
            if leaf.path in self._found.columns:
                for row, parsed in zip(rows, self._column(leaf), strict=True):
                    if parsed is not None:
                        row[leaf.path] = parsed
        return list(rows)

    def _column(self, leaf: Leaf) -> list[Parsed | None]:
        return doubted(leaf, [self._cell(leaf, row) for row in self._raw])

    def _cell(self, leaf: Leaf, row: _RawRow) -> Parsed | None:
        if leaf.path not in row.leaves:
            # A table of the same array without this column says nothing about it.
            return unsure("")
        tokens = row.cells.get(leaf.path)
        if not tokens:
            return unsure("") if leaf.path in row.crowded else None
        return self._values.value(leaf, tokens)


def _crowded(line: TextLine, found: Cut, columns: Columns, values: ValueReader) -> frozenset[Path]:
    """The leaves whose cells are blank but for words that went elsewhere.

    Such words were skipped, went into a cell that they do not fit, or stand outside of the column they went into.
    """
    filled = {cell.column for cell in found.cells}
    astray = set(range(len(line.tokens)))
    for cell in found.cells:
        column, here = columns[cell.column], range(cell.start, cell.stop)
        if column.leaf is None or values.fits(column.leaf, line.tokens[cell.start : cell.stop]):
            astray -= {index for index in here if _meets(line.tokens[index], column)}
    return frozenset(
        column.leaf.path
        for number, column in enumerate(columns)
        if column.leaf is not None
        and number not in filled
        and any(_meets(line.tokens[index], column) for index in sorted(astray))
    )


def _meets(token: Token, column: Column) -> bool:
    return min(token.word.x1, column.x1) > max(token.word.x0, column.x0)


def _drift(columns: Columns, rows: Sequence[tuple[TextLine, Cut]]) -> float:
    """How far the cells lie to the right of where their columns' steadiest edges were."""
    offsets = []
    for line, found in rows:
        for cell in found.cells:
            edges = columns[cell.column].edges
            if edges is None:
                continue
            x0, x1 = line.tokens[cell.start].word.x0, line.tokens[cell.stop - 1].word.x1
            pairs = zip((x0, (x0 + x1) / 2, x1), edges, strict=True)
            offsets.append(min(((edge.spread, value - edge.at) for value, edge in pairs))[1])
    return median(offsets) if offsets else 0.0
