"""Pages under the pen: text is measured, checked and noted in the display list with the leaf that it prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from groundtruth.errors import SynthesisError
from synth.display import GREY, INK, LETTER, LINE, Align, Area, Colour, DisplayList, Rule, Run, Sheet, Spot
from synth.fonts import EM_BAND, Face, family, load_face

BOLD: Final = ":bold"
STRUCK: Final = 0.42
"""How high above the baseline a line strikes text through, in em: no glyph has its widest bar there."""

_TOLERANCE: Final = 0.01


class Piece(NamedTuple):
    """A part of a line.

    Attributes:
        text: what is printed.
        leaf: what it prints, or None for what only joins others.
        whole: the whole value as printed, when this is one of its lines.
    """

    text: str
    leaf: str | None = None
    whole: str | None = None


class Book:
    """A document that is being drawn.

    Args:
        title: what the document is called, in its metadata.
        author: who issues it.
        font: the family of all text that names no other.
        size: width and height of every page, in points.

    Raises:
        SynthesisError: from every method that draws, when text has a character that its font lacks or stands off the
            page; the message names the leaf.
    """

    def __init__(self, title: str, author: str, font: str, size: tuple[float, float] = LETTER) -> None:
        self.width, self.height = size
        self.drawn = DisplayList(title, author, size)
        self._font = font
        self._faces: dict[str, Face] = {}
        self._sheet = Sheet()
        family(font)

    @property
    def page(self) -> int:
        """The page under the pen, from 1."""
        return len(self.drawn.sheets)

    def next_page(self) -> int:
        """Begin another page; return its number. A book begins without one."""
        self._sheet = Sheet()
        self.drawn.sheets.append(self._sheet)
        return self.page

    @contextmanager
    def on(self, page: int) -> Iterator[None]:
        """Draw on an earlier page for the block, as for what can be said only when all pages are known."""
        before, self._sheet = self._sheet, self.drawn.sheets[page - 1]
        try:
            yield
        finally:
            self._sheet = before

    def on_each(self, draw: Callable[[int, int], None]) -> None:
        """Let ``draw(page, pages)`` draw on each page: *Page 3 of 12*."""
        pages = self.page
        for page in range(1, pages + 1):
            with self.on(page):
                draw(page, pages)

    # Measuring

    def face(self, font: str | None = None, *, bold: bool = False) -> tuple[str, Face]:
        """The name and the measures of a face; ``font`` is a family, by default the book's."""
        name = (font or self._font) + (BOLD if bold else "")
        face = self._faces.get(name)
        if face is None:
            found = family(font or self._font)
            face = self._faces[name] = load_face(found.bold if bold else found.regular)
        return name, face

    def measure(
        self, text: str, size: float, *, font: str | None = None, bold: bool = False, leaf: str | None = None
    ) -> float:
        """The width of a text in points; ``leaf`` is that for which it will be printed."""
        return self._width(self.face(font, bold=bold)[1], text, size, leaf)

    # Text

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float = 9.0,
        *,
        align: Align = "left",
        bold: bool = False,
        font: str | None = None,
        colour: Colour = INK,
        leaf: str | None = None,
        printing: int = 0,
        whole: str | None = None,
    ) -> Spot:
        """Print one line with its baseline at ``y``, its start, end or middle at ``x``.

        Args:
            x: in points from the left edge.
            y: in points from the upper edge.
            text: what to print; nothing is printed for "".
            size: of an em, in points.
            align: what ``x`` is.
            bold: whether in the bold face.
            font: a family, by default the book's.
            colour: of the text.
            leaf: the instance path of the leaf that it prints.
            printing: 0, and another number for each further time that the leaf is printed in full.
            whole: the whole value as printed, when this is one of its lines.
        """
        name, face = self.face(font, bold=bold)
        width = self._width(face, text, size, leaf)
        if align != "left":
            x -= width if align == "right" else width / 2
        return self.put(Run(x, y, text, width, name, size, colour, leaf, printing, text if whole is None else whole))

    def put(self, run: Run) -> Spot:
        """Note a run that was measured; for layouts of their own."""
        if run.text:
            self._require_on_page(run)
            self._sheet.runs.append(run)
        return Spot(self.page, len(self._sheet.runs) - 1, run.width)

    def pieces(
        self,
        x: float,
        y: float,
        pieces: Iterable[Piece],
        size: float = 9.0,
        *,
        bold: bool = False,
        font: str | None = None,
        colour: Colour = INK,
    ) -> float:
        """Print parts of a line one after the other, each for its own leaf; return their width together."""
        start = x
        for piece in pieces:
            text, leaf, whole = piece
            x += self.text(x, y, text, size, bold=bold, font=font, colour=colour, leaf=leaf, whole=whole).width
        return x - start

    def lines(
        self,
        x: float,
        y: float,
        lines: Sequence[str],
        size: float = 9.0,
        *,
        leading: float = 1.25,
        align: Align = "left",
        bold: bool = False,
        font: str | None = None,
        colour: Colour = INK,
        leaf: str | None = None,
    ) -> float:
        """Print the lines of one value under one another; return the baseline after the last."""
        whole = " ".join(lines)
        name, face = self.face(font, bold=bold)
        for line in lines:
            width = self._width(face, line, size, leaf)
            start = x - {"left": 0.0, "right": width, "centre": width / 2}[align]
            self.put(Run(start, y, line, width, name, size, colour, leaf, 0, whole))
            y += size * leading
        return y

    def wrap(self, text: str, room: float, size: float, *, font: str | None = None, bold: bool = False) -> list[str]:
        """The text in lines no wider than ``room`` points; a word that is wider is broken. At least one line."""
        return wrapped(text, self.face(font, bold=bold)[1], room / size)

    # Shapes

    def rule(
        self, x0: float, y0: float, x1: float, y1: float | None = None, width: float = 0.5, colour: Colour = LINE
    ) -> None:
        """Draw a straight line, a horizontal one without ``y1``."""
        self._sheet.rules.append(Rule(x0, y0, x1, y0 if y1 is None else y1, width, colour))

    def area(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill: Colour | None = None,
        stroke: Colour | None = None,
        line: float = 0.5,
        leaf: str | None = None,
    ) -> None:
        """Draw a rectangle with its upper left corner at ``x``, ``y``."""
        self._sheet.areas.append(Area(x, y, width, height, fill, stroke, line, leaf))

    @contextmanager
    def struck(self) -> Iterator[None]:
        """Strike through what is printed in the block, run by run; a block stays on one page.

        Print capitals and digits: the line covers the bar of a dash, and the upper edge of lowercase letters.
        """
        sheet = self._sheet
        before = len(sheet.runs)
        yield
        for run in sheet.runs[before:]:
            middle = run.y - STRUCK * run.size
            sheet.rules.append(Rule(run.x - 1, middle, run.x + run.width + 1, middle, 0.6, INK))

    # Evidence

    def cite(self, leaf: str, spot: Spot) -> None:
        """Say that what stands there proves a leaf that is not printed by itself: the heading of its section."""
        self.drawn.cited.setdefault(leaf, []).append(spot)

    def same(self, leaf: str, above: str) -> None:
        """Say that ditto marks print ``leaf``, and that the value is that of ``above``, which is printed in full."""
        self.drawn.same[leaf] = above

    def footer(self, y: float, text: str, size: float = 7.5) -> None:
        """Print *text ... Page 3 of 12* at the foot of every page."""

        def draw(page: int, pages: int) -> None:
            self.text(40.0, y, text, size, colour=GREY)
            self.text(self.width - 40.0, y, f"Page {page} of {pages}", size, align="right", colour=GREY)

        self.on_each(draw)

    def _width(self, face: Face, text: str, size: float, leaf: str | None) -> float:
        try:
            return face.width(text) * size
        except SynthesisError as error:
            raise SynthesisError(f"{leaf}: {error}" if leaf else str(error)) from None

    def _require_on_page(self, run: Run) -> None:
        low, high = EM_BAND
        if (
            run.x < 0.0
            or run.x + run.width > self.width
            or run.y - high * run.size < 0.0
            or run.y - low * run.size > self.height
        ):
            what = f"{run.leaf}: " if run.leaf else ""
            raise SynthesisError(
                f"{what}{run.text!r} does not fit on page {self.page}: it would stand from x {run.x:.0f} to "
                f"{run.x + run.width:.0f} at y {run.y:.0f} of {self.width:.0f} x {self.height:.0f} points; shorten it"
            )


def wrapped(text: str, face: Face, room: float) -> list[str]:
    """The text in lines no wider than ``room`` em; a word that is wider than that is broken. At least one line."""
    lines: list[str] = []
    line, used = "", 0.0
    space = face.width(" ")
    for word in text.split(" "):
        width = face.width(word)
        if line and used + space + width <= room + _TOLERANCE:
            line, used = f"{line} {word}", used + space + width
            continue
        if line:
            lines.append(line)
        while width > room + _TOLERANCE and len(word) > 1:
            fitting = _fitting(word, face, room)
            lines.append(word[:fitting])
            word = word[fitting:]
            width = face.width(word)
        line, used = word, width
    return [*lines, line]


def _fitting(word: str, face: Face, room: float) -> int:
    """How many characters of a word fit; at least one."""
    count = 1
    while count < len(word) and face.width(word[: count + 1]) <= room:
        count += 1
    return count
