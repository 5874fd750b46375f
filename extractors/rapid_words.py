"""Where the words of a recognised run lie on its picture, measured on the ink between their characters."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]
    Columns = NDArray[np.bool_]

_INK_ROWS: Final = (0.1, 0.9)
"""The part of a run's height in which ink counts: beyond it begin rules and the lines above and below."""
_LEAST_INK: Final = 2
"""Pixels of a column: fewer are noise."""
_GLUED: Final = 0.45
"""In heights of the run: a gap without ink this wide inside a word parts two words that were read as one."""
_AS_WIDE: Final = 0.8
"""Of the narrowest gap between two words of the run: a gap so wide before a unit (24V, 10ml) is one as well."""
_MUCH_WIDER: Final = 2.5
"""In median gaps between letters: so much wider is the gap between two words at least."""


class Character(NamedTuple):
    """A character that was read: where its middle is, as a share of the run's length, and how sure it is."""

    text: str
    place: float
    confidence: float


class Reading(NamedTuple):
    """What was read on a run: words of characters, never empty ones."""

    words: tuple[tuple[Character, ...], ...]

    @property
    def confidence(self) -> float:
        """The mean over the characters; 0 when there are none."""
        sure = [character.confidence for word in self.words for character in word]
        return sum(sure) / len(sure) if sure else 0.0

    @classmethod
    def of(cls, text: str, info: Any) -> Reading:
        """From RapidOCR's text of a run and its ``WordInfo``.

        That groups characters by script as well as by space; only the spaces of the text part words here.
        """
        columns = [column for word in info.word_cols for column in word]
        words: list[tuple[Character, ...]] = []
        word: list[Character] = []
        taken = 0
        for character, confidence in zip(text, info.confs, strict=False):
            if character.isspace():
                words.append(tuple(word))
                word = []
            elif taken < len(columns):
                word.append(Character(character, (columns[taken] + 0.5) / info.line_txt_len, float(confidence)))
                taken += 1
        return cls(tuple(word for word in [*words, tuple(word)] if word))


class WordSpan(NamedTuple):
    """A word of a run: from where to where it stands, in pixels from the run's left end, and its least confidence."""

    text: str
    start: float
    end: float
    confidence: float


def word_spans(cut: Pixels, reading: Reading) -> list[WordSpan]:
    """The words of a run, from left to right, that do not overlap; a word with a wide gap inside is two."""
    height, width = cut.shape[:2]
    inked = _inked_columns(cut)
    space = _narrowest_space(reading.words, inked)
    words = [part for word in reading.words for part in _apart(word, inked, _GLUED * height, space)]
    borders = [0.0, *(_border(first[-1], second[0], inked) for first, second in pairwise(words)), float(width)]
    spans = []
    for word, (low, high) in zip(words, pairwise(borders), strict=True):
        start, end = _shrunk(low, high, inked)
        text = "".join(character.text for character in word)
        spans.append(WordSpan(text, start, end, min(character.confidence for character in word)))
    return [span for span in spans if span.start < span.end]


def _inked_columns(cut: Pixels) -> Columns:
    """Which columns of pixels hold ink: what is of the rarer of the two shades of the picture."""
    import cv2

    grey = cv2.cvtColor(cut, cv2.COLOR_RGB2GRAY)
    _, bright = cv2.threshold(grey, 0, 1, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    ink = bright == 0 if 2 * int(bright.sum()) >= bright.size else bright == 1
    first, last = (round(share * cut.shape[0]) for share in _INK_ROWS)
    columns: Columns = ink[first : max(last, first + 1)].sum(axis=0) >= _LEAST_INK
    return columns


def _narrowest_space(words: Sequence[Sequence[Character]], inked: Columns) -> float:
    """From what width on a gap parts words, by the spaces and letters of the run; infinite if it has no space."""
    spaces = [_width(first[-1], second[0], inked) for first, second in pairwise(words)]
    letters = sorted(_width(first, second, inked) for word in words for first, second in pairwise(word))
    if not spaces or not letters:
        return math.inf
    return max(_AS_WIDE * min(spaces), _MUCH_WIDER * letters[len(letters) // 2])


def _width(first: Character, second: Character, inked: Columns) -> float:
    start, end = _gap(first, second, inked)
    return end - start


def _apart(word: Sequence[Character], inked: Columns, widest: float, space: float) -> Iterator[tuple[Character, ...]]:
    """The words in a word: letters and figures over a gap that no word has, and a unit over a space."""
    run = [word[0]]
    for first, second in pairwise(word):
        limit = min(widest, space) if first.text.isdecimal() and second.text.isalpha() else widest
        if _width(first, second, inked) >= limit and first.text.isalnum() and second.text.isalnum():
            yield tuple(run)
            run = []
        run.append(second)
    yield tuple(run)


def _border(first: Character, second: Character, inked: Columns) -> float:
    """Between two characters: the middle of the widest gap without ink, or half way when there is none."""
    start, end = _gap(first, second, inked)
    return (start + end) / 2


def _gap(first: Character, second: Character, inked: Columns) -> tuple[float, float]:
    """The widest stretch of columns without ink between two characters' middles, the first on a tie."""
    low, high = (round(character.place * len(inked)) for character in (first, second))
    middle = (first.place + second.place) * len(inked) / 2
    best, start = (middle, middle), None
    for column in range(low, min(high, len(inked)) + 1):
        if column < min(high, len(inked)) and not inked[column]:
            start = column if start is None else start
        elif start is not None:
            if column - start > best[1] - best[0]:
                best = (float(start), float(column))
            start = None
    return best


def _shrunk(low: float, high: float, inked: Columns) -> tuple[float, float]:
    """The stretch without the empty columns at its ends; as it was when all are empty."""
    found = [column for column in range(max(0, int(low)), min(len(inked), int(high) + 1)) if inked[column]]
    return (max(low, float(found[0])), min(high, float(found[-1] + 1))) if found else (low, high)
