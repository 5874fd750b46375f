"""Rows of a table: which levels begin one, which go on with one, and which only sum up or carry over."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
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
_SEVERAL: Final = 3
"""Columns of leaves: with so many a row fills two of them at least."""
_STRANGE: Final = 3
"""Levels in a row that are neither rows nor sums: more end the table."""
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


@dataclass(frozen=True)
class Body:
    """What stands under a header, or on a page that a table goes on to: levels from the top and their columns."""

    levels: tuple[Level, ...]
    columns: Columns
    line_height: float
    has_header: bool


@dataclass(frozen=True)
class _Shape:
    """What the rows of a body have in common.

    Attributes:
        most: how many columns most rows fill.
        always: the columns that every row fills.
        is_keyed: whether one of those is typed, or of the key.
        least: how many columns of leaves a row fills at least.
    """

    most: int
    always: frozenset[int]
    is_keyed: bool
    least: int

    def is_full(self, found: Cells) -> bool:
        """Whether a level fills about as much as a row does."""
        return len(found) >= max(1.0, _FULL * self.most)

    def is_rich(self, found: Cells) -> bool:
        """Whether it fills nearly all."""
        return len(found) >= _RICH * self.most


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
        homes = self._homes(rows, starts, cells, body)
        end = _end(len(cells), {*homes, *(number for number, found in enumerate(cells) if sums_up(found))})
        for number, row in homes.items():
            if number not in starts:
                self._join(row, cells[number], below=body.levels[number].middle > row.level.middle)
        return [row for number, row in zip(starts, rows, strict=True) if number < end]

    def _starts(self, cells: Sequence[Cells], body: Body) -> list[int]:
        """The levels that begin a row, by number."""
        shape = self._shape(cells, body)
        starts = []
        closed = False
        for number, found in enumerate(cells):
            closed = closed or sums_up(found)
            if self._begins(found, shape, body, closed=closed):
                starts.append(number)
                closed = False
        return starts

    def _begins(self, found: Cells, shape: _Shape, body: Body, *, closed: bool) -> bool:
        """Whether a level begins a row; ``closed`` when one that sums up stands above it and no row between."""
        if len(self._said(found, body)) < shape.least or not (self._has_key(found, body) or shape.is_rich(found)):
            return False
        missing = len(shape.always - set(found))
        if sums_up(found):
            begins = not missing and shape.is_rich(found) and not _only_sums(found)
        elif shape.is_full(found):
            # Taxes and charges stand under a sum as items stand above it, but lack more than one blank cell.
            begins = not closed or missing <= len(shape.always) // _ONE_BLANK
        else:
            return not missing and shape.is_keyed and self._reads(found, body, strictly=True)
        return begins and self._reads(found, body, strictly=closed or not body.has_header)

    def _shape(self, cells: Sequence[Cells], body: Body) -> _Shape:
        plain = [found for found in cells if found and not sums_up(found)]
        most = _upper_quartile([len(found) for found in plain])
        rich = [found for found in plain if len(found) >= max(1.0, _RICH * most)]
        filled = Counter(place for found in rich for place in found)
        always = frozenset(place for place, count in filled.items() if count >= _ALWAYS * len(rich))
        mapped = sum(leaf is not None for leaf in body.columns.leaves)
        return _Shape(
            most=most,
            always=always,
            is_keyed=any(self._is_typed(body, place) for place in always),
            least=2 if mapped >= _SEVERAL else 1,
        )

    @staticmethod
    def _said(found: Cells, body: Body) -> list[int]:
        """The columns of leaves that a level fills."""
        return [place for place in found if body.columns.leaves[place] is not None]

    def _has_typed(self, body: Body) -> bool:
        return any(self._is_typed(body, place) for place in range(len(body.columns.leaves)))

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
        if not typed:
            said = self._said(found, body)
            is_keyed = any(self._is_typed(body, place) for place in said)
            return is_keyed or len(said) > 1 or (len(said) == 1 and not strictly and not self._has_typed(body))
        return read >= max(1, _READ * len(typed)) if strictly else read > 0

    def _homes(self, rows: Sequence[Row], starts: Sequence[int], cells: Sequence[Cells], body: Body) -> dict[int, Row]:
        """The row of each level that begins one or goes on with one: under it, or on both sides of it."""
        begun = dict(zip(starts, rows, strict=True))
        home: dict[int, Row] = dict(begun)
        for number, found in enumerate(cells):
            above = home.get(number - 1)
            if number not in begun and above is not None and self._may_continue(found, body):
                lines = [cells[line] for line in range(number) if home.get(line) is above]
                if self._fits(found, lines, body):
                    home[number] = above
        if self._is_centred(starts, cells, body):
            self._share_out(home, begun, cells, body)
        return home

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

    @staticmethod
    def _fits(found: Cells, lines: Sequence[Cells], body: Body) -> bool:
        """Whether every cell of a level stands close under the same cell of the lines above and lines up with it."""
        for place, words in found.items():
            upper = [word for line in lines for word in line.get(place, ())]
            if not upper or min(word.y0 for word in words) - max(word.y1 for word in upper) > _CLOSE * body.line_height:
                return False
            if not _lines_up(upper, words):
                return False
        return True

    @staticmethod
    def _join(row: Row, found: Cells, *, below: bool) -> None:
        for place, words in found.items():
            had = row.cells.get(place, [])
            row.cells[place] = [*had, *words] if below else [*words, *had]


def _end(count: int, known: set[int]) -> int:
    """The level from which on nothing is of the table any more: where several in a row are neither rows nor sums."""
    first = min(known, default=0)
    strange = 0
    for number in range(first, count):
        strange = 0 if number in known else strange + 1
        if strange > _STRANGE:
            return number
    return count


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
