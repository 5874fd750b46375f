"""Arrays of objects: from a header line down its columns to rows, over as many pages as the table takes.

A header that is repeated on a later page sets the columns anew; a page without one goes on with the old columns. A
line with text only continues the row above it (or the one below, if that is nearer). Rows of totals are dropped, and
a grand total ends the table.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, NamedTuple

from extractors.conventions import Conventions
from extractors.layout import Line, Segment
from extractors.table_header import Column, Header, SoughtTable, find_header
from extractors.typed import Parsed, is_plausible, is_text, parse
from extractors.words import Word
from groundtruth.path import Path
from groundtruth.schema import Leaf

_LEAST_FILL: Final = 0.4
"""Of the columns found, how many a row must fill."""
_LEAST_USUAL_FILL: Final = 0.75
"""Of what rows of the table fill as a rule, how many a row must fill after a total or on a page without a header."""
_CONTINUED_LEADING: Final = 1.0
"""The widest space between the lines of one row, in line heights."""
_MOST_OTHER_LINES: Final = 3
_PULL_OF_NEXT: Final = 0.8
_SUBTOTAL = re.compile(
    r"(sub|zwischen|sous)[\s-]*(total|summe)|subtotale|(carried|brought)\s+forward|balance\s+(carried|brought)|"
    r"continued|übertrag|à reporter|riporto",
    re.IGNORECASE,
)
_TOTAL = re.compile(
    r"(grand\s+|net\s+|page\s+)?totals?\b|(gesamt)?summe\b|gesamt(betrag)?\b|totale?\b|suma\b|totaux\b|"
    r"סה[\"״]כ|amount\s+due|balance\s+due",
    re.IGNORECASE,
)

Row = dict[Path, Parsed]
Cells = dict[Path, tuple[Word, ...]]


@dataclass(slots=True)
class FoundTable:
    """The rows of one array, each by schema path, and the leaves whose column was found."""

    rows: list[Row] = field(default_factory=list)
    columns: set[Path] = field(default_factory=set)
    words: set[int] = field(default_factory=set)


class _Reading(NamedTuple):
    """A body line under the columns: the words of each cell, and those that are a value of their column."""

    cells: Cells
    parsed: Row
    typed: int
    wrong: int


@dataclass(slots=True)
class _OpenTable:
    """A table while it is read."""

    sought: SoughtTable
    columns: list[Column]
    cells: list[Cells] = field(default_factory=list)
    pending: Cells = field(default_factory=dict)
    fills: list[int] = field(default_factory=list)
    last_line: Line | None = None
    strict: bool = False
    ended: bool = False
    headless_page: bool = False
    others: int = 0

    @property
    def leaves(self) -> list[Leaf]:
        return [column.leaf for column in self.columns if column.leaf is not None]

    @property
    def least_fill(self) -> float:
        """How many columns a row must fill here."""
        least = max(min(2.0, len(self.leaves)), _LEAST_FILL * len(self.leaves))
        if self.fills and (self.strict or self.headless_page):
            least = max(least, _LEAST_USUAL_FILL * statistics.median(self.fills))
        return least


class TableReader:
    """Reads all arrays of a schema out of one document."""

    def __init__(self, sought: Sequence[SoughtTable], conventions: Conventions) -> None:
        self._sought = sought
        self._conventions = conventions
        self._found: dict[Path, FoundTable] = {}
        self._open: _OpenTable | None = None

    def read(self, pages: Sequence[Sequence[Line]]) -> dict[Path, FoundTable]:
        """The tables by the path of their array; an array without a header anywhere is absent."""
        for lines in pages:
            self._read_page(lines)
        self._close()
        return self._found

    def _read_page(self, lines: Sequence[Line]) -> None:
        if self._open is not None:
            self._open.headless_page = True
            self._open.others = 0
            self._open.last_line = None
        number = 0
        while number < len(lines):
            current = self._open.sought if self._open else None
            header = find_header(self._sought, lines, number, current)
            if header is not None:
                self._begin(header, lines[number : number + header.lines])
                number += header.lines
                continue
            if self._open is not None:
                self._read_line(self._open, lines, number)
            number += 1

    def _begin(self, header: Header, lines: Sequence[Line]) -> None:
        if self._open is None or self._open.sought is not header.sought:
            self._close()
            self._open = _OpenTable(header.sought, [])
        table = self._open
        table.columns = list(header.columns)
        table.strict = table.ended = table.headless_page = False
        table.others = 0
        table.last_line = lines[-1]
        found = self._found.setdefault(header.sought.table.path, FoundTable())
        found.columns.update(leaf.path for leaf in table.leaves)
        found.words.update(header.words)

    def _close(self) -> None:
        if self._open is None:
            return
        table, self._open = self._open, None
        found = self._found[table.sought.table.path]
        leaves = {leaf.path: leaf for leaf in table.sought.leaves}
        for cells in table.cells:
            row = {
                path: parsed
                for path, words in cells.items()
                if (parsed := parse(leaves[path], words, self._conventions)) is not None
            }
            if _is_identified(table.sought, row, found.columns):
                found.rows.append(row)
                found.words.update(word.order for parsed in row.values() for word in parsed.words)

    def _read_line(self, table: _OpenTable, lines: Sequence[Line], number: int) -> None:
        line = lines[number]
        reading = self._under(table, line)
        total = _total(line, is_full=len(reading.parsed) == len(table.leaves))
        if total is not None:
            table.strict = True
            table.ended = table.ended or total is _TOTAL
            table.last_line = line
        elif self._is_row(table, reading):
            self._add_row(table, reading, line)
        elif self._is_part_of_row(table, reading, line):
            self._add_part(table, reading, lines, number)
        else:
            self._pass_over(table)

    def _under(self, table: _OpenTable, line: Line) -> _Reading:
        cells: Cells = {}
        for column, words in zip(table.columns, _words_by_column(table.columns, line.cells), strict=True):
            if column.leaf is not None and words:
                cells[column.leaf.path] = words
        parsed: Row = {}
        typed = wrong = 0
        for leaf in table.leaves:
            if leaf.path not in cells:
                continue
            value = parse(leaf, cells[leaf.path], self._conventions)
            if value is None or not is_plausible(leaf, value):
                wrong += 1
            else:
                parsed[leaf.path] = value
                typed += not is_text(leaf)
        return _Reading(cells, parsed, typed, wrong)

    def _is_row(self, table: _OpenTable, reading: _Reading) -> bool:
        typed_columns = sum(not is_text(leaf) for leaf in table.leaves)
        if len(reading.parsed) < table.least_fill or reading.wrong > reading.typed:
            return False
        if typed_columns:
            return reading.typed > 0 or (not table.pending and len(reading.parsed) == len(table.leaves))
        return table.leaves[0].path in reading.parsed

    def _add_row(self, table: _OpenTable, reading: _Reading, line: Line) -> None:
        cells = {path: (*table.pending.get(path, ()), *words) for path, words in reading.cells.items()}
        table.cells.append(table.pending | cells)
        table.pending = {}
        table.fills.append(len(reading.parsed))
        table.strict = table.ended = table.headless_page = False
        table.others = 0
        table.last_line = line
        table.columns = _widened(table.columns, line.cells)

    def _is_part_of_row(self, table: _OpenTable, reading: _Reading, line: Line) -> bool:
        """Whether a line holds more text of a row: nothing but text, close to the line above."""
        last = table.last_line
        if last is None or not reading.cells or reading.typed or reading.wrong:
            return False
        return line.y0 - last.y1 <= _CONTINUED_LEADING * max(last.height, line.height)

    def _add_part(self, table: _OpenTable, reading: _Reading, lines: Sequence[Line], number: int) -> None:
        line, last = lines[number], table.last_line
        following = lines[number + 1] if number + 1 < len(lines) else None
        gap_above = line.y0 - last.y1 if last is not None else float("inf")
        gap_below = following.y0 - line.y1 if following is not None else float("inf")
        begins = not table.cells or gap_below < _PULL_OF_NEXT * gap_above
        if begins:
            table.pending = _joined(table.pending, reading.cells)
        elif table.cells:
            table.cells[-1] = _joined(table.cells[-1], reading.cells)
        table.last_line = line

    def _pass_over(self, table: _OpenTable) -> None:
        """A line that is no part of the table: a heading between groups, a footer, or the end."""
        table.pending = {}
        if table.headless_page:
            return  # still looking for the first row below the head of the page
        table.others += 1
        if table.ended or table.others > _MOST_OTHER_LINES:
            self._close()


def _total(line: Line, *, is_full: bool) -> re.Pattern[str] | None:
    """Which kind of total a line is, if one of its cells begins with the word for it.

    In a line that fills all columns the cell must be that word: "Total Gym, annual pass" is an item.
    """
    for cell in line.cells:
        for kind in (_SUBTOTAL, _TOTAL):
            if kind.fullmatch(cell.text.rstrip(" :")) or (not is_full and kind.match(cell.text)):
                return kind
    return None


def _is_identified(sought: SoughtTable, row: Row, columns: set[Path]) -> bool:
    """Whether a row has a value in a declared key, as far as the keys have columns here."""
    keys = sought.identity & columns
    return bool(row) and (not keys or any(key in row for key in keys))


def _joined(first: Cells, second: Cells) -> Cells:
    return first | {path: (*first.get(path, ()), *words) for path, words in second.items()}


def _words_by_column(columns: Sequence[Column], cells: Sequence[Segment]) -> list[tuple[Word, ...]]:
    """The words of a line under each column: cell by cell when the counts agree, else by where they stand."""
    if _match_in_order(columns, cells):
        return [cell.words for cell in cells]
    found: list[list[Word]] = [[] for _ in columns]
    for cell in cells:
        under = [place for place, column in enumerate(columns) if _common(column, cell.x0, cell.x1) > 0]
        if len(under) <= 1:
            place = under[0] if under else _nearest(columns, cell.x0, cell.x1)
            found[place] += cell.words
            continue
        place = under[0]
        for word in cell.words:
            place = max(
                (candidate for candidate in under if candidate >= place),
                key=lambda candidate: (_common(columns[candidate], word.x0, word.x1) > 0, -candidate),
            )
            found[place].append(word)
    return [tuple(words) for words in found]


def _match_in_order(columns: Sequence[Column], cells: Sequence[Segment]) -> bool:
    """Whether there is a cell for every column, and none stands under another column only."""
    if len(cells) != len(columns):
        return False
    for place, cell in enumerate(cells):
        under = {other for other, column in enumerate(columns) if _common(column, cell.x0, cell.x1) > 0}
        if under and place not in under:
            return False
    return True


def _common(column: Column, x0: float, x1: float) -> float:
    return min(column.x1, x1) - max(column.x0, x0)


def _nearest(columns: Sequence[Column], x0: float, x1: float) -> int:
    """The column with an edge or a middle nearest to that of the extent; the first on a tie."""
    return min(
        range(len(columns)),
        key=lambda place: min(
            abs(columns[place].x0 - x0),
            abs(columns[place].x1 - x1),
            abs(columns[place].x0 + columns[place].x1 - x0 - x1) / 2,
        ),
    )


def _widened(columns: list[Column], cells: Sequence[Segment]) -> list[Column]:
    """The columns with the cells of a complete row taken in, where that makes no two columns overlap."""
    if not _match_in_order(columns, cells):
        return columns
    widened = [column.widened(cell.x0, cell.x1) for column, cell in zip(columns, cells, strict=True)]
    apart = all(left.x1 < right.x0 for left, right in pairwise(widened))
    return widened if apart else columns
