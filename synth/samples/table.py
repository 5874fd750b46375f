"""A table over as many pages as it takes: columns as wide as they must be, long cells on several lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Final, NamedTuple

from reportlab.pdfbase.pdfmetrics import stringWidth  # type: ignore[import-untyped]

from synth.demo.sheet import INK, LINE, PALE, Align, Sheet
from synth.samples.style import Look

_GRID: Final = (0.45, 0.45, 0.48)
_NARROWEST_TEXT: Final = 84.0
"""A column whose cells may be wrapped is not made narrower, in points."""


class RowKind(StrEnum):
    """What a printed row is; only an ``ITEM`` is a row of the truth."""

    ITEM = "item"
    SECTION = "section"
    SUBTOTAL = "subtotal"


class Column(NamedTuple):
    """A column: its key in the cells, what its header says, how its cells stand, and the heading over neighbours."""

    key: str
    header: str
    align: Align = "left"
    wraps: bool = False
    group: str = ""


class PrintedRow(NamedTuple):
    """A row as printed; ``leaf`` is the path of the row of the truth, and a section has one cell, at ``""``."""

    cells: Mapping[str, str]
    kind: RowKind = RowKind.ITEM
    leaf: str | None = None


@dataclass(frozen=True, slots=True)
class TableLook:
    """How a table is drawn.

    Attributes:
        ruled: every cell in a box; otherwise only a line under the header.
        repeats_header: whether later pages begin with the header again.
        shaded: whether the header stands on grey.
        lined: a line under every row, and columns close to one another.
        leading: from baseline to baseline, in sizes.
        padding: above and below the lines of a row, in points.
    """

    ruled: bool
    repeats_header: bool = True
    shaded: bool = True
    lined: bool = False
    leading: float = 1.2
    padding: float = 2.5


Carry = Callable[[int], Mapping[str, str]]
"""The cells to print at the foot of a page after this many rows, and again at the head of the next one."""


class TableWriter:
    """Draws one table.

    Args:
        sheet: where to draw.
        columns: from left to right.
        rows: in order.
        look: of the document.
        table: of the table.
        next_page: begins another page, and returns the y at which the table goes on.
        bottom: the y that no row goes past.
        carry: what is carried from page to page, if anything: the words for the foot, those for the head, the cells.
    """

    def __init__(
        self,
        sheet: Sheet,
        columns: Sequence[Column],
        rows: Sequence[PrintedRow],
        look: Look,
        table: TableLook,
        *,
        next_page: Callable[[], float],
        bottom: float,
        carry: tuple[str, str, Carry] | None = None,
    ) -> None:
        self._sheet, self._columns, self._rows = sheet, columns, rows
        self._look, self._table = look, table
        self._next_page, self._bottom, self._carry = next_page, bottom, carry
        self._gutter = 8.0 if table.ruled or table.lined else 12.0
        self._edges = self._layout()

    def draw(self, top: float) -> float:
        """Draw the table from ``top``; return the y under it."""
        y = self._header(top)
        foot = self._height({}) if self._carry else 0.0
        for at, row in enumerate(self._rows):
            needed = self._height(row.cells)
            if row.kind is RowKind.SECTION and at + 1 < len(self._rows):
                needed += self._height(self._rows[at + 1].cells)
            if y + needed + foot > self._bottom:
                y = self._break(y, at)
            y = self._row(y, row)
        self._sheet.rule(self._edges[0], y, self._edges[-1], 0.8, INK)
        return y

    def _break(self, y: float, done: int) -> float:
        if self._carry:
            self._row(y, PrintedRow(self._carried(0, done), RowKind.SUBTOTAL))
        y = self._next_page()
        if self._table.repeats_header:
            y = self._header(y)
        return self._row(y, PrintedRow(self._carried(1, done), RowKind.SUBTOTAL)) if self._carry else y

    def _carried(self, which: int, done: int) -> dict[str, str]:
        if self._carry is None:
            return {}
        words = (self._carry[0], self._carry[1])[which]
        return {self._label_column(): words, **self._carry[2](done)}

    def _label_column(self) -> str:
        return next((column.key for column in self._columns if column.wraps), self._columns[0].key)

    def _layout(self) -> list[float]:
        """The left edges of the columns, and the right edge of the last."""
        room = self._look.right - self._look.left
        natural = [self._natural(column) for column in self._columns]
        least = [
            min(width, max(_NARROWEST_TEXT, self._header_width(column))) if column.wraps else width
            for column, width in zip(self._columns, natural, strict=True)
        ]
        widths = list(least)
        for at, column in enumerate(self._columns):
            if column.wraps:
                widths[at] += min(natural[at] - widths[at], max(0.0, room - sum(widths)))
        spare = max(0.0, room - sum(widths)) / len(widths)
        edges = [self._look.left]
        for width in widths:
            edges.append(edges[-1] + width + spare)
        if edges[-1] > self._look.right + 0.5:
            raise ValueError(f"{len(self._columns)} columns need {sum(widths):.0f} points and have {room:.0f}")
        return edges

    def _natural(self, column: Column) -> float:
        cells = [
            _width(row.cells.get(column.key, ""), self._font(row.kind), self._look.size)
            for row in self._rows
            if row.kind is not RowKind.SECTION and not (row.kind is RowKind.SUBTOTAL and column.wraps)
        ]
        return max([self._header_width(column) - self._gutter, *cells]) + self._gutter

    def _header_width(self, column: Column) -> float:
        return max(_width(word, self._look.bold, self._look.size) for word in column.header.split()) + self._gutter

    def _font(self, kind: RowKind) -> str:
        return self._look.font if kind is RowKind.ITEM else self._look.bold

    def _lines(self, at: int, text: str, font: str) -> list[str]:
        room = self._edges[at + 1] - self._edges[at] - self._gutter
        return wrapped(text, font, self._look.size, room)

    def _height(self, cells: Mapping[str, str], font: str | None = None) -> float:
        counts = [
            len(self._lines(at, cells.get(column.key, ""), font or self._look.font))
            for at, column in enumerate(self._columns)
        ]
        return max(counts) * self._look.size * self._table.leading + 2 * self._table.padding

    def _group_headings(self, y: float) -> float:
        """The upper level of a header: a heading over each run of columns that share it."""
        if not any(column.group for column in self._columns):
            return y
        height = self._height({})
        for group, run in groupby(range(len(self._columns)), key=lambda at: self._columns[at].group):
            ats = list(run)
            left, right = self._edges[ats[0]], self._edges[ats[-1] + 1]
            fill = PALE if self._table.shaded else None
            self._sheet.box(left, y, right - left, height, fill=fill, stroke=_GRID if self._table.ruled else None)
            middle = (left + right) / 2
            self._sheet.text(middle, y + self._baseline(), group, self._look.bold, self._look.size, "centre")
        return y + height

    def _header(self, y: float) -> float:
        y = self._group_headings(y)
        headers = {column.key: column.header for column in self._columns}
        height = self._height(headers, self._look.bold)
        if self._table.shaded:
            self._sheet.box(self._edges[0], y, self._edges[-1] - self._edges[0], height, fill=PALE, stroke=None)
        for at, column in enumerate(self._columns):
            lines = self._lines(at, column.header, self._look.bold)
            sunk = height - len(lines) * self._look.size * self._table.leading - 2 * self._table.padding
            self._cell(at, y + sunk, lines, self._look.bold, None)
        if self._table.ruled:
            self._boxes(y, height)
        else:
            self._sheet.rule(self._edges[0], y + height, self._edges[-1], 0.8, INK)
        return y + height

    def _row(self, y: float, row: PrintedRow) -> float:
        font = self._font(row.kind)
        if row.kind is RowKind.SECTION:
            return self._section(y, row.cells[""])
        height = self._height({} if row.kind is RowKind.SUBTOTAL else row.cells, font)
        for at, column in enumerate(self._columns):
            text = row.cells.get(column.key, "")
            lines = [text] if row.kind is RowKind.SUBTOTAL else self._lines(at, text, font)
            self._cell(at, y, lines, font, f"{row.leaf}.{column.key}" if row.leaf else None)
        if self._table.ruled:
            self._boxes(y, height)
        elif self._table.lined:
            self._sheet.rule(self._edges[0], y + height, self._edges[-1], 0.3)
        return y + height

    def _section(self, y: float, text: str) -> float:
        height = self._look.size * self._table.leading + 2 * self._table.padding
        self._sheet.text(
            self._edges[0] + self._gutter / 2, y + self._baseline(), text, self._look.bold, self._look.size
        )
        if self._table.ruled:
            self._sheet.box(self._edges[0], y, self._edges[-1] - self._edges[0], height, stroke=LINE)
        return y + height

    def _cell(self, at: int, y: float, lines: Sequence[str], font: str, leaf: str | None) -> None:
        half = self._gutter / 2
        right = self._columns[at].align == "right"
        x = self._edges[at + 1] - half if right else self._edges[at] + half
        for number, line in enumerate(lines):
            if line:
                baseline = y + self._baseline() + number * self._look.size * self._table.leading
                align: Align = "right" if right else "left"
                self._sheet.text(x, baseline, line, font, self._look.size, align, leaf=leaf)

    def _baseline(self) -> float:
        return self._table.padding + 0.95 * self._look.size

    def _boxes(self, y: float, height: float) -> None:
        for left, right in zip(self._edges, self._edges[1:], strict=False):
            self._sheet.box(left, y, right - left, height, stroke=_GRID, line=0.5)


def wrapped(text: str, font: str, size: float, room: float) -> list[str]:
    """The text in lines no wider than ``room`` points; a word that is wider stands alone. At least one line."""
    lines: list[str] = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and _width(longer, font, size) > room + 0.01:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _width(text: str, font: str, size: float) -> float:
    return float(stringWidth(text, font, size))
