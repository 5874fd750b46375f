"""A table over as many pages as it takes: cells measured, wrapped and placed by the space that is really there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

from groundtruth.errors import SynthesisError
from groundtruth.jsontext import Json
from synth.book import STRUCK, Book, wrapped
from synth.display import INK, LINE, PALE, Align, Colour, Run, Spot
from synth.fonts import Face

_ROUNDING: Final = 0.001


class Column(NamedTuple):
    """A column.

    Attributes:
        key: the key of its cells in a record.
        header: what its heading says.
        width: in points, with the gutter.
        align: how its cells stand.
        show: how a value is printed; null is never shown so.
        group: the heading over it and its neighbours of the same group, in a header of two tiers.
    """

    key: str
    header: str
    width: float
    align: Align = "left"
    show: Callable[[Json], str] = str
    group: str = ""


@dataclass(frozen=True, slots=True)
class GridLook:
    """How a table looks.

    Attributes:
        size: of its text, in points.
        leading: from baseline to baseline in a cell, in sizes.
        padding: above and below the lines of a row, in points.
        gutter: between the text of neighbours, in points; under 3 some readers join two cells into one word.
        two_tier: whether the groups of the columns have a heading.
        header_below: whether the header stands under the rows of a page, where ``close`` draws it.
        shaded: whether every second row stands on grey.
        lined: whether a line stands under every row.
        boxed: whether every cell has a box.
        ground: on which the header stands, or None for the paper.
    """

    size: float = 7.5
    leading: float = 1.15
    padding: float = 1.6
    gutter: float = 6.0
    two_tier: bool = False
    header_below: bool = False
    shaded: bool = False
    lined: bool = False
    boxed: bool = False
    ground: Colour | None = PALE


Cell = tuple[str, str | None]
"""What is printed, and the leaf that it is."""

Stack = Sequence[Cell]
"""What one cell of a row holds: several values under one another."""


class Grid:
    """Draws a table.

    A row is never split over pages. What does not fit goes to the next page, which ``next_page`` begins; a pattern
    closes the old page there (a subtotal, *continued overleaf*) and says where the table goes on and whether under its
    header again.

    Args:
        book: where to draw.
        columns: from left to right.
        look: of the table.
        left: the left edge, in points.
        bottom: the y that no row goes past.
        next_page: begins another page and returns the y at which the table goes on.
        repeats_header: whether later pages begin with the header again.
    """

    def __init__(
        self,
        book: Book,
        columns: Sequence[Column],
        look: GridLook,
        *,
        left: float,
        bottom: float,
        next_page: Callable[[], float],
        repeats_header: bool = True,
    ) -> None:
        self._book, self.columns, self._look = book, tuple(columns), look
        self._bottom, self._next_page, self._repeats_header = bottom, next_page, repeats_header
        self._edges = [left]
        for column in columns:
            self._edges.append(self._edges[-1] + column.width)
        self._plain = book.face()
        self._bold = book.face(bold=True)
        self._rows = 0
        self._is_headed = True
        if look.header_below:
            self._bottom -= self._header_height()
        self.y = 0.0

    @property
    def left(self) -> float:
        """The left edge."""
        return self._edges[0]

    @property
    def right(self) -> float:
        """The right edge."""
        return self._edges[-1]

    @property
    def line_height(self) -> float:
        """The height of a row of one line."""
        return self._height(1)

    def start(self, y: float) -> None:
        """Begin the table at ``y`` on the page under the pen, with its header."""
        self.y = y
        self._open()

    def close(self) -> None:
        """End the table on the page under the pen: draw the header there if that is its place.

        A pattern whose header may stand below calls it before it leaves a page, and after the last row.
        """
        if self._look.header_below and self._is_headed:
            self.header()

    def header(self) -> None:
        """Draw the header."""
        if self._look.two_tier:
            self._groups()
        look, lines = self._look, self._header_lines()
        deepest = max(map(len, lines))
        height = self._height(deepest)
        self._ground(height)
        for at, column in enumerate(self.columns):
            sunk = (deepest - len(lines[at])) * look.size * look.leading
            self._cell(at, self.y + sunk, lines[at], column.header, self._bold, INK, None, 0)
        if look.boxed:
            self._boxes(height)
        self.y += height
        self._book.rule(self.left, self.y, self.right, width=0.8, colour=INK)

    def record(
        self,
        record: Mapping[str, Json],
        path: str | None,
        *,
        null: str = "",
        colour: Colour = INK,
        printed: Mapping[str, str] | None = None,
        struck: bool = False,
    ) -> None:
        """Draw a record as a row.

        Args:
            record: its values; a key that no column has is not printed.
            path: the instance path of the record, or None for a decoy that is no record of the truth.
            null: what is printed for null.
            colour: of the text.
            printed: by key, what is printed in the place of the value: ditto marks.
            struck: whether it is struck through.
        """
        cells: list[Cell] = []
        for column in self.columns:
            key = column.key
            value = record.get(key)
            if value is None:
                cells.append((null, None))
            else:
                text = printed[key] if printed and key in printed else column.show(value)
                cells.append((text, None if path is None else f"{path}.{key}"))
        self.row(cells, colour=colour, struck=struck)

    def row(
        self,
        cells: Sequence[Cell],
        *,
        bold: bool = False,
        colour: Colour = INK,
        struck: bool = False,
        printing: int = 0,
        here: bool = False,
    ) -> None:
        """Draw a row of cells, one for each column; on the next page when it does not fit.

        ``here`` draws it where the table stands, as ``next_page`` must when it closes a page with a subtotal.
        """
        look, face = self._look, self._bold if bold else self._plain
        lines = [self._broken(at, text, leaf, face[1]) for at, (text, leaf) in enumerate(cells)]
        deepest = max(map(len, lines))
        height = self._height(deepest)
        if not here:
            self.make_room(height)
        if look.shaded and self._rows % 2:
            self._book.area(self.left, self.y, self.right - self.left, height, fill=PALE)
        for at, (text, leaf) in enumerate(cells):
            if text:
                self._cell(at, self.y, lines[at], text, face, colour, leaf, printing)
        if struck:
            for line in range(deepest):
                middle = self.y + self._baseline() + (line * look.leading - STRUCK) * look.size
                self._book.rule(self.left + 2, middle, self.right - 2, width=0.6, colour=INK)
        if look.boxed:
            self._boxes(height)
        self.y += height
        self._rows += 1
        if look.lined:
            self._book.rule(self.left, self.y, self.right, width=0.25)

    def stacked(self, stacks: Sequence[Stack], *, colour: Colour = INK, struck: bool = False) -> None:
        """Draw a row whose cells hold several values under one another, each from a line of its own on."""
        look = self._look
        height = self.height_of(stacks)
        self.make_room(height)
        top = self.y
        with self._book.struck() if struck else nullcontext():
            for at, stack in enumerate(stacks):
                y = top
                for text, leaf in stack:
                    if text:
                        lines = self._broken(at, text, leaf, self._plain[1])
                        self._cell(at, y, lines, text, self._plain, colour, leaf, 0)
                        y += len(lines) * look.size * look.leading
        if look.boxed:
            self._boxes(height)
        self.y = top + height
        self._rows += 1
        if look.lined:
            self._book.rule(self.left, self.y, self.right, width=0.25)

    def height_of(self, stacks: Sequence[Stack]) -> float:
        """How high a row of these stacks is."""
        lines = (
            sum(len(self._broken(at, text, leaf, self._plain[1])) for text, leaf in stack if text)
            for at, stack in enumerate(stacks)
        )
        return self._height(max(1, *lines))

    def band(self, text: str, *, bold: bool = True, fill: Colour | None = None, leaf: str | None = None) -> Spot:
        """Draw one line over all columns, such as the heading of a section; it stays with the row after it."""
        look = self._look
        height = self._height(1) + 2
        self.make_room(height + self._height(2))
        if fill is not None:
            self._book.area(self.left, self.y, self.right - self.left, height, fill=fill)
        spot = self._book.text(
            self.left + look.gutter / 2,
            self.y + 1 + self._baseline(),
            text,
            look.size,
            bold=bold,
            leaf=leaf,
        )
        self.y += height
        return spot

    def make_room(self, height: float) -> None:
        """Go to the next page unless so much fits on this one.

        Raises:
            SynthesisError: it would fit on no page.
        """
        if self.y + height <= self._bottom + _ROUNDING:
            return
        self.y = self._next_page()
        self._is_headed = self._repeats_header
        self._open()
        if self.y + height > self._bottom + _ROUNDING:
            raise SynthesisError(
                f"page {self._book.page}: a row is {height:.0f} points high and the page has room for "
                f"{self._bottom - self.y:.0f}; shorten its longest value"
            )

    def fits(self, height: float) -> bool:
        """Whether so much fits on this page."""
        return self.y + height <= self._bottom + _ROUNDING

    def _open(self) -> None:
        """Begin the rows of a page, under the header if that is its place."""
        if self._look.header_below:
            self._book.rule(self.left, self.y, self.right, width=0.8, colour=INK)
        elif self._is_headed:
            self.header()

    def _header_lines(self) -> list[list[str]]:
        look, face = self._look, self._bold[1]
        return [wrapped(column.header, face, (column.width - look.gutter) / look.size) for column in self.columns]

    def _header_height(self) -> float:
        groups = self._height(1) if self._look.two_tier else 0.0
        return groups + self._height(max(map(len, self._header_lines())))

    def _broken(self, at: int, text: str, leaf: str | None, face: Face) -> Sequence[str]:
        """A cell in the lines that its column has room for."""
        room = (self._edges[at + 1] - self._edges[at] - self._look.gutter) / self._look.size
        try:
            return (text,) if face.width(text) <= room + _ROUNDING else wrapped(text, face, room)
        except SynthesisError as error:
            raise SynthesisError(f"{leaf}: {error}" if leaf else str(error)) from None

    def _height(self, lines: int) -> float:
        return (lines - 1) * self._look.size * self._look.leading + self._look.size * 1.1 + 2 * self._look.padding

    def _baseline(self) -> float:
        return self._look.padding + 0.84 * self._look.size

    def _cell(
        self,
        at: int,
        y: float,
        lines: Sequence[str],
        whole: str,
        face: tuple[str, Face],
        colour: Colour,
        leaf: str | None,
        printing: int,
    ) -> None:
        look = self._look
        half, size = look.gutter / 2, look.size
        align = self.columns[at].align
        left, right = self._edges[at] + half, self._edges[at + 1] - half
        baseline = y + self._baseline()
        for line in lines:
            width = face[1].width(line) * size
            x = left if align == "left" else right - width if align == "right" else (left + right - width) / 2
            self._book.put(Run(x, baseline, line, width, face[0], size, colour, leaf, printing, whole))
            baseline += size * look.leading

    def _groups(self) -> None:
        """The upper tier of the header: a heading over each run of columns of one group."""
        height = self._height(1)
        self._ground(height)
        for group, run in groupby(range(len(self.columns)), key=lambda at: self.columns[at].group):
            ats = list(run)
            left, right = self._edges[ats[0]], self._edges[ats[-1] + 1]
            if group:
                self._book.text(
                    (left + right) / 2, self.y + self._baseline(), group, self._look.size, align="centre", bold=True
                )
                self._book.rule(left + 3, self.y + height, right - 3, width=0.5, colour=LINE)
        self.y += height

    def _ground(self, height: float) -> None:
        if self._look.ground is not None:
            self._book.area(self.left, self.y, self.right - self.left, height, fill=self._look.ground)

    def _boxes(self, height: float) -> None:
        for left, right in zip(self._edges, self._edges[1:], strict=False):
            self._book.area(left, self.y, right - left, height, stroke=LINE, line=0.4)
