"""What somebody writes into a form, by hand or by machine: into a box, over its edge, and over what was wrong."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from groundtruth.errors import SynthesisError
from synth.book import Book
from synth.content import Content
from synth.display import INK, LETTER, Colour
from synth.fonts import Face, Ink

HAND: Final = "hand"
BLUE: Final[Colour] = (0.07, 0.13, 0.5)
SMALLEST: Final = 0.74
"""How small people write to make a value fit on a line, in shares of their usual size."""

_TINY: Final = 0.45
"""What is smaller than that cannot be read."""

_STRUCK: Final = 0.3
"""How high a pen strikes through, in em: in the middle of small letters."""

_EDGE: Final = 10.0
"""What writing that runs over its box leaves free at the edge of the paper, in points."""

_BEFORE: Final = 0.8
_AFTER: Final = 1.6
"""How far writing keeps from a line that crosses it, in points, so that its ends can be told from the line."""

_UNSEEN: Final = 0.3


class Stroke(NamedTuple):
    """How an entry is written: how far to the right and up, in tenths of a point, and how large, in percent."""

    right: int
    up: int
    percent: int


_STRAIGHT: Final = Stroke(0, 0, 100)


class Pen:
    """Writes entries; its hand moves as the content says, from entry to entry.

    Args:
        book: where it writes.
        content: in which font and ink, and how its hand moves.

    Attributes:
        font: the family of what it writes.
        is_hand: whether it writes by hand; a machine writes straight and in black.
        size: how large it writes, in points.
        ink: the colour of ticks and signatures, which are made by hand.
        colour: that of all else.
    """

    def __init__(self, book: Book, content: Content) -> None:
        self._book = book
        self.font = content.font
        self.is_hand = content.font == HAND
        self.size = 12.5 if self.is_hand else 10.0
        self.ink: Colour = BLUE if content.aside.get("pen") == "blue" else INK
        self.colour = self.ink if self.is_hand else INK
        self._strokes = [Stroke(*map(int, stroke)) for stroke in content.aside.get("strokes", ())] or [_STRAIGHT]
        self._entries = 0

    def stroke(self) -> Stroke:
        """How the next entry is written; what is typed stands straight."""
        self._entries += 1
        return self._strokes[self._entries % len(self._strokes)] if self.is_hand else _STRAIGHT

    def fitting(self, text: str, room: float, usual: float, leaf: str | None = None) -> float:
        """The size at which a text is as wide as the room, or the usual one."""
        return min(usual, room / max(self.wide(text, 1.0, leaf), 0.001))

    def wide(self, text: str, size: float, leaf: str | None = None) -> float:
        """The width of a text in points; ``leaf`` is that for which it will be written."""
        return self._book.measure(text, size, font=self.font, leaf=leaf) if text else 0.0

    def put(self, leaf: str | None, text: str, x: float, y: float, size: float, *, whole: str | None = None) -> float:
        """Write a line just there; return its width."""
        spot = self._book.text(x, y, text, size, font=self.font, colour=self.colour, leaf=leaf, whole=whole)
        return spot.width

    def fill(self, leaf: str, text: str, x: float, y: float, room: float, *, size: float | None = None) -> None:
        """Write a value with its baseline at ``y``: smaller if it must be, or on two lines.

        Raises:
            SynthesisError: it does not fit; the message names the leaf.
        """
        usual = self.size if size is None else size
        stroke = self.stroke()
        fitting = min(usual * stroke.percent / 100, self.fitting(text, room, usual, leaf))
        if fitting < SMALLEST * usual:
            self.lines(leaf, text, x, y - 9.5, room, 2, size=usual * SMALLEST, leading=9.5)
            return
        spare = max(0.0, room - self.wide(text, fitting))
        self.put(leaf, text, x + min(spare, stroke.right / 10), y - stroke.up / 10, fitting)

    def lines(
        self, leaf: str, text: str, x: float, y: float, room: float, most: int, *, size: float, leading: float
    ) -> None:
        """Write a value on as many lines as it takes, smaller where there are not so many; words stay whole.

        Raises:
            SynthesisError: it would be too small to read; the message names the leaf.
        """
        longest = max(text.split(" "), key=lambda word: self.wide(word, 1.0, leaf))
        size = self.fitting(longest, room, size)
        least = _TINY * self.size
        while size >= least and len(lines := self._book.wrap(text, room, size, font=self.font)) > most:
            size *= 0.95
        if size < least:
            raise SynthesisError(f"{leaf}: {text!r} does not fit in its box on the form; shorten it")
        for at, line in enumerate(lines):
            self.put(leaf, line, x, y + at * leading, size, whole=text)

    def run_over(self, leaf: str, text: str, x: float, y: float, edge: float) -> bool:
        """Write a value in its usual size over the edge of its box, to the edge of the paper; whether it does so."""
        size = self.fitting(text, LETTER[0] - _EDGE - x, self.size, leaf)
        if x + self.wide(text, size) < edge or size < SMALLEST * self.size:
            return False
        for step in range(12):
            left = x - 0.35 * step
            if self._shows(text, left, size, edge):
                self.put(leaf, text, left, y, size)
                return True
        return False

    def _shows(self, text: str, x: float, size: float, edge: float) -> bool:
        """Whether a line across the text hides none of the ends of its words, upper and lower ones included."""
        face = self._book.face(self.font)[1]
        for word in text.split(" "):
            ink = face.ink(word)
            if ink is not None and x + ink.x0 * size - _BEFORE < edge < x + ink.x1 * size + _AFTER:
                clear = [part for part, left, right in _letters(word, face, x, size) if not left < edge < right]
                rest = [face.ink(part) for part in clear]
                if not _alike(ink, [part for part in rest if part is not None], size):
                    return False
                if min(edge - x - ink.x0 * size, x + ink.x1 * size - edge) < _AFTER:
                    return False
            x += face.width(f"{word} ") * size
        return True

    def correct(self, leaf: str, old: str, text: str | None, x: float, bottom: float, room: float) -> None:
        """Strike an entry through and write the right one after it, or above it where there is no room after it."""
        size, gap = self.size * 0.9, 7.0
        if self.wide(old, size, leaf) + gap + self.wide(text or "", size, leaf) <= room:
            width = self.strike(old, x, bottom - 7, size)
            if text is not None:
                self.put(leaf, text, x + width + gap, bottom - 7, size)
            return
        self.strike(old, x, bottom - 4, min(self.size * 0.68, self.fitting(old, room, self.size)))
        if text is not None:
            self.put(leaf, text, x + 14, bottom - 15.5, min(self.size * 0.74, self.fitting(text, room - 20, self.size)))

    def strike_lines(self, old: str, x: float, y: float, room: float, size: float) -> None:
        """Strike an entry through that is written on a line, or on two where it would be small."""
        fitting = self.fitting(old, room, size)
        lines = [old] if fitting >= SMALLEST * size else self._book.wrap(old, room, size * SMALLEST, font=self.font)
        fitting = fitting if len(lines) == 1 else size * SMALLEST
        for at, line in enumerate(lines):
            self.strike(line, x, y - 9.5 * (len(lines) - 1 - at), fitting)

    def strike(self, old: str, x: float, y: float, size: float) -> float:
        """An entry that is struck through and holds for nothing; returns its width.

        The line is as long as each word's ink, with a short lift of the pen before each, so that it can be told where
        the words end.
        """
        width = self.put(None, old, x, y, size)
        face = self._book.face(self.font)[1]
        middle, half = y - _STRUCK * size, 0.03 * size
        ends = [x - 2.5]
        for word in old.split(" "):
            ink = face.ink(word)
            if ink is not None:
                left, right = x + ink.x0 * size, x + ink.x1 * size
                self._book.area(left, middle - half, right - left, 2 * half, fill=self.colour)
                ends += [left - 0.8, right + 0.3]
            x += face.width(f"{word} ") * size
        ends.append(ends[-1] + 2.2)
        for start, end in list(pairwise(ends))[::2]:
            if end > start:
                self._book.rule(start, middle, end, width=2 * half, colour=self.colour)
        return width


def _letters(word: str, face: Face, x: float, size: float) -> Iterator[tuple[str, float, float]]:
    """Each letter of a word with the part of the line that it takes, and a little more."""
    for letter in word:
        ink = face.ink(letter)
        if ink is not None:
            yield letter, x + ink.x0 * size - _BEFORE, x + ink.x1 * size + _AFTER
        x += face.width(letter) * size


def _alike(whole: Ink, parts: list[Ink], size: float) -> bool:
    """Whether some letters of a word reach as high and as low as all of them."""
    if not parts:
        return False
    high, low = max(part.y1 for part in parts), min(part.y0 for part in parts)
    return max(whole.y1 - high, low - whole.y0) * size < _UNSEEN
