"""How a printed word and a sought value are made comparable before anything is looked up.

Three closenesses, each wider than the one before: equal but for spacing, equal but for case and typography, equal in
letters and digits alone. The widest one is what the index of words is built on; how close a find really is, is said by
``closeness``.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache
from typing import Final, NamedTuple
from unicodedata import category, decimal, decomposition, normalize

from groundtruth.value_text import clean, straighten

DIGIT_BREAK: Final = "·"
"""Stands between two digits that are not adjacent on the page, so that 12.5 and 1 25 never fold to 125."""

# Compatibility forms that are another shape of the same letters. Superscripts, circled numbers and fractions are not:
# 10² is no 102.
_SHAPES: Final = frozenset({"<compat>", "<wide>", "<narrow>", "<isolated>", "<initial>", "<medial>", "<final>"})
# Vowel points and cantillation of Hebrew, vowel signs of Arabic: text layers have them or not, readers leave them out.
_POINTS: Final = re.compile("[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u0652\u0670\u0640]")

# Where one word of a text layer holds two things: a label and its value, the fields of an EDI segment, a tag.
_SEPARATORS: Final = re.compile(
    r"""[=()\[\]<>{}|;*~"“”«»，。、：；（）「」]+ | (?<![0-9]):|:(?![0-9]) | (?<![0-9]),|,(?![0-9])
      | (?<![0-9])/|/(?![0-9])""",
    re.VERBOSE,
)
_NUMBERED: Final = re.compile(r"(no|nr|num|n[º°]|№)[.:]?(?=[0-9])", re.IGNORECASE)
# Scripts written without spaces: every character may begin or end a value. Han, kana, Thai, Lao, Khmer, Burmese.
_UNSPACED: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_IS_UNSPACED: Final = re.compile(f"[{_UNSPACED}]")
_UNSPACED_OR_RUN: Final = re.compile(f"[{_UNSPACED}]|[^{_UNSPACED}]+")
_RIGHT_TO_LEFT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")

# Punctuation that a word carries at its edges and a value does not. A minus, a percent or a currency sign is meant.
_EDGE: Final = ".,;:!?()[]{}<>\"'“”‘’«»|*~=#…·•。、，：；（）"
_HYPHENS: Final = "-‐‑"


class Closeness(IntEnum):
    """How close a printed text is to a value; smaller is closer."""

    SAME = 0
    CASE = 1
    LETTERS = 2


class Piece(NamedTuple):
    """A part of a printed word that may begin or end a value: its fold, and its text as printed."""

    fold: str
    text: str


def is_right_to_left(text: str) -> bool:
    """Whether the text has a letter of a script that is written from right to left."""
    return not text.isascii() and _RIGHT_TO_LEFT.search(text) is not None


@lru_cache(maxsize=1 << 16)
def fold(text: str) -> str:
    """Letters and digits alone, without case; ``DIGIT_BREAK`` where something stood between two digits.

    The empty string for a text of punctuation.
    """
    groups = _spaced(text).split()
    folded = groups[0] if groups else ""
    for group in groups[1:]:
        folded += joint(folded, group) + group
    return folded


def joint(before: str, after: str) -> str:
    """What stands between two folds when they are put together."""
    return DIGIT_BREAK if before[-1:].isdigit() and after[:1].isdigit() else ""


@lru_cache(maxsize=1 << 16)
def pieces(word: str) -> tuple[Piece, ...]:
    """The parts of a printed word in their order; none for a word of punctuation."""
    parts = [part for part in _SEPARATORS.split(word) if part] if _SEPARATORS.search(word) else [word]
    if prefix := _NUMBERED.match(parts[0]) if parts else None:
        parts = [prefix[0], parts[0][prefix.end() :], *parts[1:]]
    if _IS_UNSPACED.search(word):
        parts = [piece for part in parts for piece in _UNSPACED_OR_RUN.findall(part)]
    found = [Piece(fold(part), part) for part in parts]
    # A quotation mark inside a Hebrew abbreviation, or one letter of a spaced-out word, still folds as one text.
    return tuple(piece for piece in found if piece.fold)


def closeness(printed: list[str], value: str, *, caseless: bool) -> Closeness | None:
    """How close printed words are to a value whose fold they share; spacing never matters.

    None when they are too far apart to be the same: short values must agree in more than their letters.
    """
    readings = {"".join(printed), _unhyphenated(printed)}
    found = [close for reading in readings if (close := _closeness(reading, value, caseless)) is not None]
    return min(found, default=None)


def _closeness(printed: str, value: str, caseless: bool) -> Closeness | None:
    seen, sought = _bare(printed), _bare(value)
    if seen == sought:
        return Closeness.SAME
    if seen.casefold() == sought.casefold():
        if caseless:
            return Closeness.SAME
        return Closeness.CASE if len(sought) > 1 else None
    # Below this, letters and digits alone say too little: C++ is no C, #1 no 1.
    return Closeness.LETTERS if len(fold(value)) >= 4 else None


def _unhyphenated(printed: list[str]) -> str:
    return "".join(word[:-1] if word[-1:] in _HYPHENS else word for word in printed[:-1]) + printed[-1]


@lru_cache(maxsize=1 << 16)
def _bare(text: str) -> str:
    """The text without spaces, with straight quotes and dashes, without punctuation at its edges."""
    return straighten(clean(text)).replace(" ", "").strip(_EDGE) or text


class _FoldTable(dict[int, str]):
    """What a character becomes, worked out when it is first met."""

    def __missing__(self, codepoint: int) -> str:
        self[codepoint] = folded = _fold_character(chr(codepoint))
        return folded


_TABLE: Final = _FoldTable()


def _spaced(text: str) -> str:
    return clean(text).translate(_TABLE)


def _fold_character(char: str) -> str:
    if decomposition(char).split(" ")[0] in _SHAPES:
        plain = normalize("NFKC", char)
        return "".join(map(_fold_character, plain)) if plain != char else plain.casefold()
    if _POINTS.match(char):
        return ""
    match category(char)[0]:
        case "L" | "M":
            return char.casefold()
        case "N":
            return str(decimal(char, char))
    return " "
