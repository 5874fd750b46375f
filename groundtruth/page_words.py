"""From placed characters to words: splitting, clipping to the page, and normalising."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from groundtruth.box import Box

# A font may give a glyph no width or no height; a box must have both, and this is far below what one can see.
_LEAST_EXTENT_POINTS = 0.01


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a page's text layer.

    Args:
        id: Place in reading order, from 0, unique on the page.
        text: As the text layer has it, not normalised; holds no white space and is never empty.
        box: Where it stands on the page as displayed. Its height is the font's, not the ink's.
        line: Number of its line, from 0, unique on the page. Cells of one table row may be different lines.
        block: Number of its block, from 0.
    """

    id: int
    text: str
    box: Box
    line: int
    block: int


@dataclass(frozen=True, slots=True)
class TextLayer:
    """The words of one page, and what was lost in reading it.

    Args:
        words: In reading order.
        clipped_words: How many of them reach over the edge of the page; their boxes end at the edge.
        dropped_words: How many more lie wholly outside the page, or nowhere.
        warnings: What the PDF library complained about while it read the page.
    """

    words: tuple[Word, ...]
    clipped_words: int = 0
    dropped_words: int = 0
    warnings: tuple[str, ...] = ()


Corners: TypeAlias = tuple[float, float, float, float]
"""x0, y0, x1, y1 in points of the page as displayed, from the page's top left corner, y down."""


class CharacterLine(NamedTuple):
    """Characters of one line, in reading order, each with its box, and the number of their block."""

    block: int
    characters: tuple[tuple[str, Corners], ...]


def words_of_lines(
    lines: Iterable[CharacterLine],
    width: float,
    height: float,
    *,
    separator: str = "",
    warnings: tuple[str, ...] = (),
) -> TextLayer:
    """The words of a page of ``width`` × ``height`` points.

    A word is a run of characters of one line between white space (any Unicode space) or ``separator``, which is
    dropped like a space. A box reaching over the page's edge is clipped; a word with nothing on the page, or with a
    coordinate that is no number, is dropped; both are counted. A box thinner than 0.01 points is widened to that
    around its middle.
    """
    words: list[Word] = []
    clipped = dropped = 0
    for line_number, line in enumerate(lines):
        for text, corners in _runs(line.characters, separator):
            box = _box_on_page(corners, width, height)
            if box is None:
                dropped += 1
                continue
            x0, y0, x1, y1 = corners
            clipped += x0 < 0 or y0 < 0 or x1 > width or y1 > height
            words.append(Word(len(words), text, box, line_number, line.block))
    return TextLayer(tuple(words), clipped, dropped, warnings)


def _runs(characters: Iterable[tuple[str, Corners]], separator: str) -> Iterator[tuple[str, Corners]]:
    text = ""
    boxes: list[Corners] = []
    for character, box in characters:
        if not (character.isspace() or character == separator):
            text += character
            boxes.append(box)
        elif text:
            yield text, _hull(boxes)
            text, boxes = "", []
    if text:
        yield text, _hull(boxes)


def _hull(boxes: list[Corners]) -> Corners:
    x0s, y0s, x1s, y1s = zip(*boxes, strict=True)
    return min(x0s), min(y0s), max(x1s), max(y1s)


def _box_on_page(corners: Corners, width: float, height: float) -> Box | None:
    x0, y0, x1, y1 = corners
    horizontal = _extent_on_page(x0, x1, width)
    vertical = _extent_on_page(y0, y1, height)
    if horizontal is None or vertical is None:
        return None
    return Box(horizontal[0], vertical[0], horizontal[1], vertical[1])


def _extent_on_page(low: float, high: float, size: float) -> tuple[float, float] | None:
    """The part of ``low..high`` within ``0..size``, as shares of ``size``; None if there is none."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return None
    if high - low < _LEAST_EXTENT_POINTS:
        middle = (low + high) / 2
        low, high = middle - _LEAST_EXTENT_POINTS / 2, middle + _LEAST_EXTENT_POINTS / 2
    start, end = max(low, 0.0) / size, min(high, size) / size
    return (start, end) if start < end else None
