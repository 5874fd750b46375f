"""Boxes to check that are drawn, not written: small ruled squares, empty or with a mark inside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

CHECKED: Final = "☒"
UNCHECKED: Final = "☐"

_SMALLEST: Final = 5.0
_LARGEST: Final = 16.0
"""In points, the side of a square."""

_LEAST_MARK: Final = 0.4
"""A mark fills this share of the side."""

_TOUCH: Final = 1.5
"""In points: squares so near one another are a comb for single letters."""

_WRITTEN_MARKS: Final = frozenset("xX✓✔✕✖✗✘×●■•")

_DINGBATS: Final = dict(zip("345678lmnopqr", "✓✔✕✖✗✘●❍■❏❐❑❒", strict=True))
_WINGDINGS: Final = dict(zip("þýxo¨üûn", "☑☒☒☐☐✓✗■", strict=True))
_PRIVATE_USE: Final = 0xF000

Extent = tuple[float, float, float, float]


class DrawnBox(NamedTuple):
    """A drawn box to check; its place in points."""

    extent: Extent
    is_checked: bool


class Inside(NamedTuple):
    """A written word and its place, which may be a mark inside a box."""

    text: str
    extent: Extent


def symbol(character: str, font: str) -> str:
    """The sign that a character of a font of symbols shows; every other character as it is."""
    name = font.casefold()
    if "wingdings" in name:
        code = ord(character) if len(character) == 1 else 0
        plain = chr(code - _PRIVATE_USE) if _PRIVATE_USE < code < _PRIVATE_USE + 0x100 else character
        return _WINGDINGS.get(plain, character)
    return _DINGBATS.get(character, character) if "dingbats" in name else character


def drawn_boxes(squares: Iterable[Extent], strokes: Sequence[Extent], words: Sequence[Inside]) -> list[DrawnBox]:
    """The boxes among ruled rectangles, from the top left; a square inside another one is the mark in it.

    Args:
        squares: ruled rectangles of any shape and size.
        strokes: every other drawn thing.
        words: the words of the page; a cross or tick inside a square checks it, another word makes it no box.
    """
    small = sorted(set(filter(_is_small_square, squares)), key=lambda square: (square[1], square[0]))
    outer = [square for square in small if not any(_is_mark(other, square) for other in small if other is not square)]
    strokes = [*strokes, *(square for square in small if square not in outer)]
    boxes: list[DrawnBox] = []
    for square in outer:
        if any(_touch(square, other) for other in outer if other is not square):
            continue
        held = [word.text for word in words if _holds(square, word.extent)]
        if all(text in _WRITTEN_MARKS for text in held):
            marked = bool(held) or any(_is_mark(square, stroke) for stroke in strokes)
            boxes.append(DrawnBox(square, marked))
    return boxes


def _is_small_square(square: Extent) -> bool:
    width, height = square[2] - square[0], square[3] - square[1]
    return all(_SMALLEST <= side <= _LARGEST for side in (width, height)) and 0.8 <= width / height <= 1.25


def _touch(one: Extent, other: Extent) -> bool:
    """Whether two squares share an upright side."""
    beside = max(one[0], other[0]) - min(one[2], other[2])
    level = min(one[3], other[3]) - max(one[1], other[1])
    return abs(beside) <= _TOUCH and level > (one[3] - one[1]) / 2


def _holds(square: Extent, extent: Extent) -> bool:
    x, y = (extent[0] + extent[2]) / 2, (extent[1] + extent[3]) / 2
    return square[0] <= x <= square[2] and square[1] <= y <= square[3]


def _is_mark(square: Extent, stroke: Extent) -> bool:
    """Whether something drawn lies inside a square and is large enough to check it."""
    side = square[2] - square[0]
    inside = (
        stroke[0] >= square[0] - _TOUCH / 2
        and stroke[1] >= square[1] - _TOUCH / 2
        and stroke[2] <= square[2] + _TOUCH / 2
        and stroke[3] <= square[3] + _TOUCH / 2
    )
    return inside and max(stroke[2] - stroke[0], stroke[3] - stroke[1]) >= _LEAST_MARK * side
