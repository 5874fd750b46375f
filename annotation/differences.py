"""Which characters of several readings differ, for people who compare them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

LONG_TEXT: Final = 200
"""Longer readings are compared word by word, which is fast and easier to follow."""

_ALIKE: Final = 0.5
"""Readings that share less than this are different altogether; marks would cover them and show nothing."""
_WORDS: Final = re.compile(r"\w+|\s+|[^\w\s]")


class Piece(NamedTuple):
    """A stretch of a reading; ``differs`` when another reading has something else there."""

    text: str
    differs: bool


def differing_pieces(readings: Sequence[str]) -> list[tuple[Piece, ...]]:
    """Cut each reading where it differs from any other.

    A combining mark goes with its letter. A reading that has nothing like it among the others, or is the only one, is
    one piece that does not differ.
    """
    long = any(len(reading) > LONG_TEXT for reading in readings)
    cut = [_WORDS.findall(reading) if long else _letters(reading) for reading in readings]
    return [_pieces(own, [other for at, other in enumerate(cut) if at != place]) for place, own in enumerate(cut)]


def _pieces(own: list[str], others: Sequence[list[str]]) -> tuple[Piece, ...]:
    differs = [False] * len(own)
    for other in others:
        matcher = SequenceMatcher(None, own, other, autojunk=False)
        if matcher.ratio() < _ALIKE:
            continue
        for operation, start, end, _, _ in matcher.get_opcodes():
            if operation != "equal":
                differs[start:end] = [True] * (end - start)
    pieces: list[Piece] = []
    for token, marked in zip(own, differs, strict=True):
        if pieces and pieces[-1].differs == marked:
            pieces[-1] = Piece(pieces[-1].text + token, marked)
        else:
            pieces.append(Piece(token, marked))
    return tuple(pieces)


def _letters(text: str) -> list[str]:
    letters: list[str] = []
    for character in text:
        if letters and unicodedata.combining(character):
            letters[-1] += character
        else:
            letters.append(character)
    return letters
