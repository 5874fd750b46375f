"""The words of all pages as one flat list, with the printed lines and cells that their boxes show.

The lines of a text layer are not the lines that a reader sees: the cells of one table row are often several. So lines
are made anew from the boxes, in the direction in which most of the page is written, which is not always left to right
and top to bottom: a landscape table may stand sideways on its page.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple, Protocol

from groundtruth.box import Box, hull
from groundtruth.locate_fold import is_right_to_left, pieces
from groundtruth.page_words import Corners, Word

# A gap wider than this share of the line's height separates two cells; a space between words is about a third of it.
_CELL_GAP: Final = 0.9
# Cells that go on in the next line do so within this many heights.
_LEADING: Final = 1.1
# So many printed lines further down may a cell go on: lines of its neighbours can stand between.
_LINES_BELOW: Final = 3
_SKIPPED: Final = 3


class PageWords(Protocol):
    """A page as the locator needs it; ``pages.Page`` is one."""

    @property
    def number(self) -> int:
        """From 1."""

    @property
    def width(self) -> float:
        """Of the page as displayed, in any unit."""

    @property
    def height(self) -> float:
        """Of the page as displayed, in the same unit."""

    @property
    def words(self) -> Sequence[Word]:
        """Its words in reading order; where one says where it stands on the level page, the unit is a point."""


class Span(NamedTuple):
    """Where a word stands, seen in the direction of writing, in the page's unit.

    ``start`` and ``end`` run along the line, ``top`` and ``bottom`` across it; on an upright page they are x and y.
    """

    start: float
    end: float
    top: float
    bottom: float

    @property
    def height(self) -> float:
        """Extent across the line."""
        return self.bottom - self.top


class Layout:
    """Words, printed lines and cells of a document; a word is known by its index in ``words``.

    Attributes:
        words: of all pages, in reading order.
        page: per word, the number of its page.
        span: per word, where it stands in the direction of writing.
        line: per word, its printed line, numbered through the document from the top of the first page.
        cell: per word, its cell: a stretch of a line without a wide gap.
        lines: per printed line, its words from left to right (from the start to the end of the direction of writing).
        cells: per cell, likewise.
        empty_pages: how many pages have no word.
    """

    def __init__(self, pages: Sequence[PageWords]) -> None:
        self.words: list[Word] = []
        self.page: list[int] = []
        self.span: list[Span] = []
        self.line: list[int] = []
        self.cell: list[int] = []
        self.lines: list[list[int]] = []
        self.cells: list[list[int]] = []
        self.empty_pages = 0
        self._cells_of_line: list[list[int]] = []
        self._cell_spans: dict[int, Span] = {}
        self._successors: dict[int, tuple[int, ...]] = {}
        for page in pages:
            self._add(page)

    def _add(self, page: PageWords) -> None:
        words = page.words
        if not words:
            self.empty_pages += 1
            return
        first = len(self.words)
        spans = _spans(words, page.width, page.height)
        self.words.extend(words)
        self.page.extend([page.number] * len(words))
        self.span.extend(spans)
        self.line.extend([0] * len(words))
        self.cell.extend([0] * len(words))
        for line in _printed_lines(spans):
            self._add_line([first + index for index in line])

    def _add_line(self, line: list[int]) -> None:
        number = len(self.lines)
        self.lines.append(line)
        self._cells_of_line.append([])
        end = -1.0
        for index in line:
            span = self.span[index]
            if end < 0 or span.start - end > _CELL_GAP * span.height:
                self._cells_of_line[-1].append(len(self.cells))
                self.cells.append([])
            end = max(end, span.end)
            self.line[index] = number
            self.cell[index] = len(self.cells) - 1
            self.cells[-1].append(index)

    def cells_of_line(self, line: int) -> list[int]:
        """The cells of a printed line in their order."""
        return self._cells_of_line[line]

    def text(self, words: Sequence[int]) -> str:
        """The words as printed, with single spaces."""
        return " ".join(self.words[index].text for index in words)

    def boxes(self, words: Sequence[int]) -> tuple[Box, ...]:
        """One box per printed line of a run of words, tight on them, in the order of the run."""
        if len(words) == 1:
            return (self.words[words[0]].box,)
        by_line: dict[int, list[Box]] = {}
        for index in words:
            by_line.setdefault(self.line[index], []).append(self.words[index].box)
        return tuple(hull(boxes) for boxes in by_line.values())

    def successors(self, index: int) -> tuple[int, ...]:
        """The words that may come next in a text: in reading order, on the printed line, and below in the same cell.

        Words of punctuation are passed over.
        """
        found = self._successors.get(index)
        if found is None:
            self._follow_cell(self.cell[index])
            found = self._successors[index]
        return found

    def predecessors(self, index: int) -> Sequence[int]:
        """The words that ``successors`` may be followed back to."""
        return self._predecessors.get(index, ())

    @cached_property
    def _predecessors(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for index in range(len(self.words)):
            if self.is_spoken(index):
                for successor in self.successors(index):
                    found.setdefault(successor, []).append(index)
        return found

    def _follow_cell(self, cell: int) -> None:
        """Work out the successors of all words of a cell."""
        words = self._logical(cell)
        below = self._cell_below(cell)
        beside = self._first_spoken(self._logical(below)) if below is not None else None
        for index in reversed(words):
            in_order = self._next_in_order(index)
            found = (in_order,) if beside in (None, in_order) else (in_order, beside)
            self._successors[index] = tuple(each for each in found if each is not None)
            if self.is_spoken(index):
                beside = index

    def _next_in_order(self, index: int) -> int | None:
        page = self.page[index]
        for following in range(index + 1, min(index + 1 + _SKIPPED, len(self.words))):
            if self.page[following] != page:
                return None
            if self.is_spoken(following):
                return following
        return None

    def _first_spoken(self, words: Sequence[int]) -> int | None:
        return next((index for index in words if self.is_spoken(index)), None)

    def is_spoken(self, index: int) -> bool:
        """Whether a word holds a letter or a digit."""
        return bool(pieces(self.words[index].text))

    def with_passed_over(self, words: Sequence[int]) -> tuple[int, ...]:
        """A run of words with the punctuation that ``successors`` passed over between them."""
        if len(words) < 2:
            return tuple(words)
        found = [words[0]]
        for before, after in pairwise(words):
            step = 1 if after > before else -1
            between = range(before + step, after, step)
            if len(between) < _SKIPPED and not any(self.is_spoken(index) for index in between):
                found += between
            found.append(after)
        return tuple(found)

    def fill_cells(self, words: Sequence[int]) -> bool:
        """Whether words are all that is said in their cells."""
        cells = {self.cell[index] for index in words}
        return {index for cell in cells for index in self.cells[cell] if self.is_spoken(index)} <= set(words)

    def _logical(self, cell: int) -> list[int]:
        """The words of a cell in the order in which they are read."""
        words = self.cells[cell]
        if any(is_right_to_left(self.words[index].text) for index in words):
            return words[::-1]
        return words

    def _cell_below(self, cell: int) -> int | None:
        above = self.cell_span(cell)
        line = self.line[self.cells[cell][0]]
        page = self.page[self.cells[cell][0]]
        for below in range(line + 1, min(line + 1 + _LINES_BELOW, len(self.lines))):
            if self.page[self.lines[below][0]] != page:
                return None
            for candidate in self._cells_of_line[below]:
                span = self.cell_span(candidate)
                if span.top - above.bottom > _LEADING * above.height:
                    return None
                if span.start < above.end and above.start < span.end:
                    return candidate
        return None

    def cell_span(self, cell: int) -> Span:
        """Where a cell stands."""
        words = self.cells[cell]
        if len(words) == 1:
            return self.span[words[0]]
        found = self._cell_spans.get(cell)
        if found is None:
            found = self._cell_spans[cell] = span_hull([self.span[index] for index in words])
        return found


def span_hull(spans: Sequence[Span]) -> Span:
    """The smallest span around all of ``spans``."""
    return Span(
        min(span.start for span in spans),
        max(span.end for span in spans),
        min(span.top for span in spans),
        max(span.bottom for span in spans),
    )


def _spans(words: Sequence[Word], width: float, height: float) -> list[Span]:
    level = [word.level or _scaled(word.box, width, height) for word in words]
    quarter = _direction(words, level, width)
    spans: list[Span] = []
    for x0, y0, x1, y1 in level:
        if quarter == 0:
            spans.append(Span(x0, x1, y0, y1))
        elif quarter == 1:
            spans.append(Span(y0, y1, width - x1, width - x0))
        elif quarter == 2:
            spans.append(Span(width - x1, width - x0, height - y1, height - y0))
        else:
            spans.append(Span(height - y1, height - y0, x0, x1))
    return spans


def _scaled(box: Box, width: float, height: float) -> Corners:
    return box.x0 * width, box.y0 * height, box.x1 * width, box.y1 * height


def _direction(words: Sequence[Word], level: Sequence[Corners], width: float) -> int:
    """Clockwise quarter turns of the direction of writing on the page as displayed.

    Words of one line follow one another in that direction; those written from right to left are not asked.
    """
    right = down = 0.0
    for (before, here), (after, there) in pairwise(zip(words, level, strict=True)):
        if before.line == after.line and not is_right_to_left(before.text + after.text):
            right += there[0] + there[2] - here[0] - here[2]
            down += there[1] + there[3] - here[1] - here[3]
    if right == down == 0:
        # Single words: tall ones are turned, and text that climbs the page is the commoner kind.
        long = [place for word, place in zip(words, level, strict=True) if len(word.text) > 2]
        tall = sum(y1 - y0 > x1 - x0 for x0, y0, x1, y1 in long)
        return 3 if tall > len(long) / 2 else 0
    if abs(down) > abs(right):
        return 1 if down > 0 else 3
    # A page of right-to-left script with single numbers says nothing sure: only a clear sign turns a page over.
    return 2 if right < -2 * width else 0


def _printed_lines(spans: Sequence[Span]) -> list[list[int]]:
    """Indices of words by printed line, lines from the top, words along the line."""
    order = sorted(range(len(spans)), key=lambda index: (spans[index].top + spans[index].bottom, spans[index].start))
    lines: list[list[int]] = []
    middle = height = 0.0
    for index in order:
        span = spans[index]
        centre = (span.top + span.bottom) / 2
        if lines and centre - middle <= 0.5 * min(height, span.height):
            line = lines[-1]
            line.append(index)
            middle += (centre - middle) / len(line)
            height = min(height, span.height)
        else:
            lines.append([index])
            middle, height = centre, span.height
    return [sorted(line, key=lambda index: (spans[index].start, index)) for line in lines]
