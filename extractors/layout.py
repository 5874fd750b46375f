"""From words to lines and segments.

A segment is a run of words of one line with no wide gap inside: a label, a value, or the cell of a table. Gaps are
measured in mean character widths, never in box heights: heights differ between readers by convention.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from extractors.words import PageText, Word, WordRun, character_width, join
from groundtruth.box import hull
from groundtruth.evidence import Evidence, Kind, Source

FIELD_GAP: Final = 1.8
"""In mean character widths: a wider gap parts a label from its value."""

CELL_GAP: Final = 0.9
"""In mean character widths: a wider gap parts two cells of a table."""

_SAME_LINE_OVERLAP: Final = 0.5
_LEADER = re.compile(r"[._·…‥|¦:\-–—=]*([._·…‥_]{3,}|[|¦])[._·…‥|¦:\-–—=]*")
"""Dots, rules and bars that lead the eye from a label to its value; they part, and are never part of a value."""


@dataclass(frozen=True)
class Segment(WordRun):
    """Neighbouring words of one line, in reading order; never empty."""

    words: tuple[Word, ...]

    @property
    def style(self) -> str:
        """The style of the first word."""
        return self.words[0].style

    def overlap(self, other: Segment) -> float:
        """How far the two lie above one another, in points; negative when they do not."""
        return min(self.x1, other.x1) - max(self.x0, other.x0)


@dataclass(frozen=True)
class Line(WordRun):
    """Words at one height of a page, in reading order; never empty."""

    page: int
    words: tuple[Word, ...]

    @property
    def height(self) -> float:
        """In points."""
        return self.y1 - self.y0

    @cached_property
    def fields(self) -> tuple[Segment, ...]:
        """The segments of a form: parted by wide gaps only."""
        return tuple(self._segments(FIELD_GAP))

    @cached_property
    def cells(self) -> tuple[Segment, ...]:
        """The segments of a table: parted by gaps little wider than a space."""
        return tuple(self._segments(CELL_GAP))

    def _segments(self, widest_gap: float) -> Iterator[Segment]:
        run: list[Word] = []
        for word in self.words:
            leads = _LEADER.fullmatch(word.text) is not None
            # The width is that of neighbours only, since small print stands beside large.
            if run and (leads or word.x0 - run[-1].x1 > widest_gap * character_width(run[-1], word)):
                yield Segment(tuple(run))
                run = []
            if not leads:
                run.append(word)
        if run:
            yield Segment(tuple(run))


def lines_of(page: PageText) -> list[Line]:
    """The lines of a page from the top; a word belongs to the line it overlaps by half its height or more."""
    rows: list[list[Word]] = []
    bottoms: list[tuple[float, float]] = []
    for word in sorted(page.words, key=lambda word: (word.y0 + word.y1, word.x0)):
        place = _row_of(word, bottoms)
        if place is None:
            rows.append([word])
            bottoms.append((word.y0, word.y1))
        else:
            rows[place].append(word)
    lines = [Line(page.number, tuple(sorted(row, key=lambda word: (word.x0, word.order)))) for row in rows]
    return sorted(lines, key=lambda line: (line.y0, line.words[0].x0))


def _row_of(word: Word, rows: Sequence[tuple[float, float]]) -> int | None:
    """The latest row at the word's height; rows come by rising middle, so only the last few can be."""
    for place in range(len(rows) - 1, max(-1, len(rows) - 4), -1):
        y0, y1 = rows[place]
        common = min(word.y1, y1) - max(word.y0, y0)
        if common >= _SAME_LINE_OVERLAP * min(word.y1 - word.y0, y1 - y0):
            return place
    return None


def evidence(words: Sequence[Word], system: str) -> tuple[Evidence, ...]:
    """Where the words stand: one place per page they are on, with one box per printed line."""
    places = []
    for page in sorted({word.page for word in words}):
        lines = _printed_lines([word for word in words if word.page == page])
        places.append(
            Evidence(
                page=page,
                boxes=tuple(hull(word.box for word in line) for line in lines),
                quote=" ".join(join(line) for line in lines),
                kind=Kind.LINE,
                source=Source.CITED,
                systems=(system,),
            )
        )
    return tuple(places)


def _printed_lines(words: Sequence[Word]) -> list[list[Word]]:
    lines: list[list[Word]] = []
    for word in sorted(words, key=lambda word: (word.y0 + word.y1, word.x0)):
        if lines and _row_of(word, [(lines[-1][0].y0, lines[-1][0].y1)]) is not None:
            lines[-1].append(word)
        else:
            lines.append([word])
    return [sorted(line, key=lambda word: (word.x0, word.order)) for line in lines]
