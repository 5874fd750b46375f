"""Rows of a table: which levels begin one, which go on with one, and which only sum up or carry over."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from extractors.labels import tokens_of
from extractors.segment_columns import Columns
from extractors.segment_graph import Level
from extractors.segment_reading import says_nothing
from extractors.typed import Parse, is_number_like, is_text
from extractors.words import Word, join
from groundtruth.path import Path

Cells = dict[int, list[Word]]
"""The words of a level or row by the number of their column."""

_FULL: Final = 0.5
"""Of the columns that most rows fill: a level that fills as many begins a row."""
_RICH: Final = 0.75
"""Of the columns that most rows fill: levels that fill as many show which columns are always filled."""
_ONE_BLANK: Final = 4
"""Of so many columns that are always filled a row under a sum may lack one."""
_ALWAYS: Final = 0.9
"""Of the rows: a column filled so often is filled in every row."""
_CLOSE: Final = 0.9
"""In line heights: a line of a cell stands no farther under the one above."""
_ALIGNED: Final = 1.6
"""In mean character widths: lines of one cell begin, end or centre as exactly as this."""
_READ: Final = 0.6
"""Of the typed cells: so many must be values for levels without a header of their own to be rows."""

_SUMMING = re.compile(
    r"^\W*((grand|sub|page|running|net|gross|overall|final)[\s-]*)*totals?\b"
    r"|\b(carried|brought|balance)\s*(forward|over|down|fwd)\b|^\W*(c/f|b/f|c/fwd|b/fwd)\W*$"
    r"|^\W*(to be )?continued\b|^\W*(sum|summary)\W*$|\btotals?\W*$"
    r"|^\W*(zwischen|gesamt|end)?summe\b|^\W*[üu]bertrag\b|^\W*gesamt\b|^\W*(sous-)?tot(al|aux|ales?)\b"
    r"|^\W*à reporter\W*$|^\W*suma\b|^\W*(sub)?totaal\b",
    re.IGNORECASE,
)
_SUMMING_WORDS: Final = frozenset(
    {"total", "totals", "subtotal", "sub", "grand", "page", "carried", "brought", "forward", "balance", "sum", "net",
     "gross", "amount", "over", "of", "the", "summe", "zwischensumme", "gesamtsumme", "gesamt", "übertrag", "sous"}
)  # fmt: skip


@dataclass
class Row:
    """A row: its cells by column, the words of each line by line, and the level that began it."""

    level: Level
    cells: Cells
    words: list[Word] = field(default_factory=list)


@dataclass(frozen=True)
class Body:
    """What stands under a header, or on a page that a table goes on to: levels from the top and their columns."""

    levels: tuple[Level, ...]
    columns: Columns
    line_height: float
    has_header: bool


class RowReader:
    """Tells the rows of one array.

    Args:
        identity: paths of the leaves that make its key.
        parse: reads the value of a leaf, or None.
    """

    def __init__(self, identity: Sequence[Path], parse: Parse) -> None:
        self._identity = frozenset(identity)
        self._parse = parse

    def rows(self, body: Body) -> list[Row]:
        """The rows from the top."""
        cells = [body.columns.cells(level) for level in body.levels]
        starts = self._starts(cells, body)
        rows = [Row(body.levels[number], dict(cells[number])) for number in starts]
        self._continue(rows, starts, cells, body)
        return rows

    def _starts(self, cells: Sequence[Cells], body: Body) -> list[int]:
        """The levels that begin a row, by number."""
        plain = [number for number, found in enumerate(cells) if found and not sums_up(found)]
        most = _upper_quartile([len(cells[number]) for number in plain])
        full = [number for number in plain if len(cells[number]) >= max(1, _FULL * most)]
        rich = [number for number in full if len(cells[number]) >= _RICH * most]
        filled = Counter(place for number in rich for place in cells[number])
        always = {place for place, count in filled.items() if count >= _ALWAYS * len(rich)}
        typed = {place for place in always if self._is_typed(body, place)}
        starts = []
        closed = False
        for number, found in enumerate(cells):
            if found and sums_up(found):
                closed = True
            if not found or not (self._has_key(found, body) or len(found) >= 0.8 * most):
                continue
            whole = always <= set(found)
            if sums_up(found):
                begins = whole and not _only_sums(found) and self._reads(found, body, strictly=not body.has_header)
            elif number in full:
                # Taxes and charges stand under a sum as items stand above it, but lack more than one blank cell.
                allowed = len(always) // _ONE_BLANK if closed else len(always)
                begins = len(always - set(found)) <= allowed and self._reads(found, body, strictly=not body.has_header)
            else:
                begins = whole and bool(typed) and self._reads(found, body, strictly=True)
            if begins:
                starts.append(number)
                closed = False
        return starts

    def _is_typed(self, body: Body, place: int) -> bool:
        leaf = body.columns.leaves[place]
        return leaf is not None and (not is_text(leaf) or leaf.path in self._identity)

    def _has_key(self, found: Cells, body: Body) -> bool:
        """Whether the key is there, as far as it has columns."""
        keys = [place for place, leaf in enumerate(body.columns.leaves) if leaf and leaf.path in self._identity]
        return not keys or any(place in found for place in keys)

    def _reads(self, found: Cells, body: Body, *, strictly: bool) -> bool:
        """Whether the typed cells are values: most of them where nothing else says that this is a row, else any."""
        typed = [
            (leaf, words)
            for place, words in found.items()
            if (leaf := body.columns.leaves[place]) is not None and not is_text(leaf) and not says_nothing(leaf, words)
        ]
        read = sum(self._parse(leaf, words) is not None for leaf, words in typed)
        mapped = [place for place in found if body.columns.leaves[place] is not None]
        if not typed:
            return bool(mapped) and (not strictly or len(found) > 1)
        return read >= max(1, _READ * len(typed)) if strictly else read > 0

    def _continue(self, rows: Sequence[Row], starts: Sequence[int], cells: Sequence[Cells], body: Body) -> None:
        """Add the lines that go on with a cell of a row: those under it, or on both sides of it."""
        centred = self._is_centred(starts, cells, body)
        begun = dict(zip(starts, rows, strict=True))
        home: dict[int, Row] = dict(begun)
        order = range(len(cells))
        for number in order:
            if number in begun or not self._may_continue(cells[number], body):
                continue
            above = home.get(number - 1)
            if above is not None and self._fits(cells[number], above, body):
                home[number] = above
        if centred:
            self._share_out(home, begun, cells, body)
        for number in order:
            if number in home and number not in begun:
                self._join(home[number], cells[number], below=body.levels[number].middle > home[number].level.middle)

    def _share_out(self, home: dict[int, Row], begun: dict[int, Row], cells: Sequence[Cells], body: Body) -> None:
        """Where rows stand in the middle of their lines, give each line to the nearer row, the upper on a tie."""
        for number in range(len(cells)):
            if number in begun or not self._may_continue(cells[number], body):
                continue
            before = max((start for start in begun if start < number), default=None)
            after = min((start for start in begun if start > number), default=None)
            near = [begun[start] for start in (before, after) if start is not None]
            middle = body.levels[number].middle
            if near:
                home[number] = min(near, key=lambda row: abs(row.level.middle - middle))

    def _is_centred(self, starts: Sequence[int], cells: Sequence[Cells], body: Body) -> bool:
        """Whether lines of cells stand above the first row that begins, close to it and to what goes on below it.

        A heading over a group of rows stands there as well, but nothing of its column goes on below.
        """
        if not starts or not body.has_header or not 0 < starts[0] <= 2:
            return False
        first = starts[0]
        places = {place for line in range(first) for place in cells[line]}
        after = cells[first + 1] if first + 1 < len(cells) and self._may_continue(cells[first + 1], body) else {}
        close = all(
            self._may_continue(cells[line], body)
            and body.levels[line + 1].y0 - body.levels[line].y1 <= _CLOSE * body.line_height
            for line in range(first)
        )
        return close and bool(after) and places <= set(after)

    def _may_continue(self, found: Cells, body: Body) -> bool:
        """Whether a level may be lines of cells: of text, and of no key or number, which keep to one line."""
        leaves = [leaf for place in found if (leaf := body.columns.leaves[place]) is not None]
        return (
            bool(found)
            and not sums_up(found)
            and all(is_text(leaf) and not is_number_like(leaf) and leaf.path not in self._identity for leaf in leaves)
        )

    def _fits(self, found: Cells, row: Row, body: Body) -> bool:
        """Whether every cell of a level stands close under the same cell of the row and lines up with it."""
        for place, words in found.items():
            upper = row.cells.get(place)
            if not upper:
                return False
            last = max(word.y1 for word in upper)
            if min(word.y0 for word in words) - last > _CLOSE * body.line_height:
                return False
            if not _lines_up(upper, words):
                return False
        return True

    @staticmethod
    def _join(row: Row, found: Cells, *, below: bool) -> None:
        for place, words in found.items():
            had = row.cells.get(place, [])
            row.cells[place] = [*had, *words] if below else [*words, *had]


def sums_up(found: Cells) -> bool:
    """Whether a level carries over or sums up: its first cell with a letter says so."""
    texts = [join(found[place]) for place in sorted(found)]
    first = next((text for text in texts if any(map(str.isalpha, text))), "")
    return _SUMMING.search(first) is not None


def _only_sums(found: Cells) -> bool:
    texts = [join(found[place]) for place in sorted(found)]
    first = next((text for text in texts if any(map(str.isalpha, text))), "")
    return set(tokens_of(first)) <= _SUMMING_WORDS


def _lines_up(upper: Sequence[Word], lower: Sequence[Word]) -> bool:
    """Whether two lines begin, end or centre at the same place."""
    line = [word for word in upper if abs(word.y0 - upper[0].y0) <= upper[0].y1 - upper[0].y0] or list(upper)
    unit = sum(word.x1 - word.x0 for word in lower) / sum(len(word.text) for word in lower)
    edges = [(min(word.x0 for word in words), max(word.x1 for word in words)) for words in (line, lower)]
    (a0, a1), (b0, b1) = edges
    return min(abs(a0 - b0), abs(a1 - b1), abs(a0 + a1 - b0 - b1) / 2) <= _ALIGNED * unit


def _upper_quartile(counts: Sequence[int]) -> int:
    return sorted(counts)[(3 * len(counts)) // 4] if counts else 0
