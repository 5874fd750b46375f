"""Makers of recognised pages, as an OCR engine would give them, for the tests of what is read off them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from groundtruth.box import Box
from groundtruth.recognised import RecognisedPage, RecognisedWord

WIDTH, HEIGHT = 595.0, 842.0
LETTER = 5.0
"""The width of every character, in points."""
LINE = 10.0
"""The height of every run."""


class Run(NamedTuple):
    """A run of text that the engine found as one, its left upper corner in points; words are parted by spaces."""

    x: float
    y: float
    text: str
    confidence: float = 0.99


def recognised(*runs: Run, number: int = 1, shift: float = 0.0) -> RecognisedPage:
    """A page of runs, in the given order, all moved to the right by ``shift`` points."""
    words = [word for segment, run in enumerate(runs) for word in _words(run, segment, shift)]
    return RecognisedPage(number, WIDTH, HEIGHT, 0.0, tuple(words))


def _words(run: Run, segment: int, shift: float) -> Iterable[RecognisedWord]:
    place = 0
    for text in run.text.split(" "):
        if text:
            x0, x1 = (run.x + shift + LETTER * letters for letters in (place, place + len(text)))
            box = Box(x0 / WIDTH, run.y / HEIGHT, x1 / WIDTH, (run.y + LINE) / HEIGHT)
            yield RecognisedWord(text, box, (x0, run.y, x1, run.y + LINE), run.confidence, segment)
        place += len(text) + 1


def rows(y: float, columns: Sequence[float], texts: Iterable[Sequence[str]], *, pitch: float = 14.0) -> list[Run]:
    """Rows of runs that begin at the columns; "" leaves a cell empty."""
    return [
        Run(x, y + pitch * number, text)
        for number, row in enumerate(texts)
        for x, text in zip(columns, row, strict=False)
        if text
    ]
