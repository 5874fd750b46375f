"""A page to draw on: points from the top left corner, the standard PDF fonts, the same bytes every time."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from reportlab.lib.pagesizes import A4  # type: ignore[import-untyped]
from reportlab.pdfbase.pdfmetrics import stringWidth  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

Align = Literal["left", "right", "centre"]
Colour = tuple[float, float, float]

SANS: Final = "Helvetica"
SANS_BOLD: Final = "Helvetica-Bold"
SERIF: Final = "Times-Roman"
MONO: Final = "Courier"
INK: Final[Colour] = (0.1, 0.1, 0.12)
GREY: Final[Colour] = (0.42, 0.43, 0.46)
PALE: Final[Colour] = (0.93, 0.935, 0.945)
LINE: Final[Colour] = (0.72, 0.73, 0.76)

_ASCENT: Final = 0.74
_DESCENT: Final = 0.22


class Place(NamedTuple):
    """Where a leaf's value is printed.

    Attributes:
        page: from 1.
        x0: left edge, like all edges in the frame of the page as displayed, from 0 to 1.
        y0: upper edge.
        x1: right edge.
        y1: lower edge.
        text: as printed; "" for a mark.
    """

    page: int
    x0: float
    y0: float
    x1: float
    y1: float
    text: str

    def joined(self, other: Place) -> Place:
        """The place around both, which are on one page; their texts in order."""
        return Place(
            self.page,
            min(self.x0, other.x0),
            min(self.y0, other.y0),
            max(self.x1, other.x1),
            max(self.y1, other.y1),
            self.text + other.text,
        )


class Drawn(NamedTuple):
    """A document's bytes, and where it prints each leaf, by instance path."""

    content: bytes
    places: Mapping[str, Place]


class Sheet:
    """One PDF under the pen. Streams are not compressed, so the bytes do not hang on a zlib.

    Args:
        title: the document's title.
        size: width and height of a page as displayed, in points.
        turned: keep the pages lying on their side in the file, with a /Rotate of 90 that turns them upright.
    """

    def __init__(self, title: str, size: tuple[float, float] = A4, *, turned: bool = False) -> None:
        self.width, self.height = size
        self._turned = turned
        self._page = 1
        self._places: dict[str, Place] = {}
        self._buffer = io.BytesIO()
        # ReportLab takes the size as displayed, and turns the media box itself.
        self._canvas = Canvas(self._buffer, pagesize=size, invariant=1, pageCompression=0)
        self._canvas.setTitle(title)
        self._canvas.setAuthor("Goldleaf demo: every name and number is invented")
        self._begin_page()

    @property
    def canvas(self) -> Canvas:
        """ReportLab's own canvas, with its origin at the bottom left, for what has no method here."""
        return self._canvas

    def text(
        self,
        x: float,
        y: float,
        text: str,
        font: str = SANS,
        size: float = 9,
        align: Align = "left",
        colour: Colour = INK,
        leaf: str | None = None,
    ) -> float:
        """Write one line with its baseline at ``y``; return its width. ``leaf`` is the leaf that it prints."""
        self._canvas.setFont(font, size)
        self._canvas.setFillColorRGB(*colour)
        draw = {
            "left": self._canvas.drawString,
            "right": self._canvas.drawRightString,
            "centre": self._canvas.drawCentredString,
        }[align]
        draw(x, self.height - y, text)
        width = float(stringWidth(text, font, size))
        if leaf is not None:
            left = x - {"left": 0.0, "right": width, "centre": width / 2}[align]
            self.mark(leaf, left, y - _ASCENT * size, width, (_ASCENT + _DESCENT) * size, text)
        return width

    def mark(self, leaf: str, x: float, y: float, width: float, height: float, text: str = "") -> None:
        """Note where a leaf is printed; a leaf that is printed in pieces is where all of them are."""
        place = Place(
            self._page,
            x / self.width,
            y / self.height,
            (x + width) / self.width,
            (y + height) / self.height,
            text,
        )
        known = self._places.get(leaf)
        self._places[leaf] = place if known is None else known.joined(place)

    def paragraph(self, x: float, y: float, lines: tuple[str, ...], size: float = 9, colour: Colour = INK) -> float:
        """Write lines under one another; return the baseline after the last."""
        for line in lines:
            self.text(x, y, line, size=size, colour=colour)
            y += size * 1.35
        return y

    def rule(self, x0: float, y: float, x1: float, width: float = 0.6, colour: Colour = LINE) -> None:
        """Draw a horizontal line."""
        self._canvas.setStrokeColorRGB(*colour)
        self._canvas.setLineWidth(width)
        self._canvas.line(x0, self.height - y, x1, self.height - y)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill: Colour | None = None,
        stroke: Colour | None = LINE,
        line: float = 0.6,
    ) -> None:
        """Draw a rectangle with its upper left corner at ``x``, ``y``."""
        if fill is not None:
            self._canvas.setFillColorRGB(*fill)
        if stroke is not None:
            self._canvas.setStrokeColorRGB(*stroke)
        self._canvas.setLineWidth(line)
        self._canvas.rect(
            x, self.height - y - height, width, height, fill=int(fill is not None), stroke=int(stroke is not None)
        )

    def next_page(self) -> None:
        """Begin another page like the last."""
        self._canvas.showPage()
        self._page += 1
        self._begin_page()

    def pdf(self) -> Drawn:
        """End the document; nothing can be drawn after it."""
        self._canvas.showPage()
        self._canvas.save()
        return Drawn(self._buffer.getvalue(), dict(self._places))

    def _begin_page(self) -> None:
        if self._turned:
            self._canvas.setPageRotation(90)
            self._canvas.translate(self.height, 0)
            self._canvas.rotate(90)
