"""Blocks of lines, such as postal addresses, in columns over as many pages as it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from synth.book import STRUCK, Book, Piece
from synth.display import INK, Colour

Line = Sequence[Piece]


@dataclass(frozen=True, slots=True)
class BlocksLook:
    """How the blocks stand.

    Attributes:
        columns: how many there are.
        size: of the text, in points.
        leading: from baseline to baseline, in sizes.
        gap: between two blocks, in points.
        gutter: between two columns, in points.
        across: whether the blocks follow one another in rows, from left to right; otherwise down each column.
        splits: whether a block may begin in one column and end in the next.
    """

    columns: int = 4
    size: float = 6.0
    leading: float = 1.15
    gap: float = 7.0
    gutter: float = 10.0
    across: bool = False
    splits: bool = False


class Blocks:
    """Draws blocks one after the other.

    Args:
        book: where to draw.
        look: how.
        left: the left edge of the first column, in points.
        right: the right edge of the last.
        bottom: the y that no line goes past.
        next_page: begins another page and returns the y at which the blocks go on.
    """

    def __init__(
        self,
        book: Book,
        look: BlocksLook,
        *,
        left: float,
        right: float,
        bottom: float,
        next_page: Callable[[], float],
    ) -> None:
        self._book, self._look = book, look
        self._bottom, self._next_page = bottom, next_page
        self._width = (right - left + look.gutter) / look.columns
        self._lefts = [left + at * self._width for at in range(look.columns)]
        self._column = 0
        self._top = self._y = self._lowest = 0.0

    @property
    def room(self) -> float:
        """The width of a column without its gutter, in points."""
        return self._width - self._look.gutter

    def start(self, y: float) -> None:
        """Begin at ``y`` on the page under the pen."""
        self._top = self._y = self._lowest = y
        self._column = 0

    def value(self, text: str, leaf: str | None, *, bold: bool = False) -> list[Line]:
        """A value as the lines that a column has room for."""
        lines = self._book.wrap(text, self.room, self._look.size, bold=bold)
        return [[Piece(line, leaf, text)] for line in lines]

    def block(self, lines: Sequence[Line], *, struck: bool = False, colour: Colour = INK) -> None:
        """Draw a block where the last one ended, in the next column or on the next page when it does not fit."""
        if self._look.across:
            self._draw_across(lines, struck=struck, colour=colour)
            return
        height = self._height(len(lines))
        if not self._look.splits and self._y + height > self._bottom:
            self._next_column()
        for line in lines:
            if self._y + self._height(1) > self._bottom:
                self._next_column()
            self._line(line, struck=struck, colour=colour)
        self._y += self._look.gap

    def _draw_across(self, lines: Sequence[Line], *, struck: bool, colour: Colour) -> None:
        if self._column == len(self._lefts):
            self._top, self._column = self._lowest + self._look.gap, 0
        if self._top + self._height(len(lines)) > self._bottom:
            self.start(self._next_page())
        self._y = self._top
        for line in lines:
            self._line(line, struck=struck, colour=colour)
        self._lowest = max(self._lowest, self._y)
        self._column += 1

    def _next_column(self) -> None:
        self._column += 1
        if self._column == len(self._lefts):
            self.start(self._next_page())
        self._y = self._top

    def _line(self, line: Line, *, struck: bool, colour: Colour) -> None:
        size = self._look.size
        x, baseline = self._lefts[self._column], self._y + 0.84 * size
        width = self._book.pieces(x, baseline, line, size, colour=colour)
        if struck:
            self._book.rule(x, baseline - STRUCK * size, x + width, width=0.5, colour=INK)
        self._y += size * self._look.leading

    def _height(self, lines: int) -> float:
        return lines * self._look.size * self._look.leading
