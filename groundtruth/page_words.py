"""From placed characters to words: splitting, clipping to the page, and normalising."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from groundtruth.box import Box

# A font may give a glyph no width or no height; a box must have both, and this is far below what one can see.
_LEAST_EXTENT_POINTS = 0.01
# In heights of the font; spaces are a quarter wide and letters of a word touch.
_LEAST_SPACE = 0.12


Corners: TypeAlias = tuple[float, float, float, float]
"""x0, y0, x1, y1 in points of the page as displayed, from the page's top left corner, y down."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a page's text layer.

    Args:
        id: Place in reading order, from 0, unique on the page.
        text: As the text layer has it, not normalised; holds no white space and is never empty.
        box: Where it stands on the page as displayed. Its height is the font's, not the ink's.
        line: Number of its line, from 0, unique on the page. Cells of one table row may be different lines.
        block: Number of its block, from 0.
        level: Where it stands, in points, once the page is turned so that its lines are level; None where the box says
            that as well, as on every page that was not photographed or scanned.
    """

    id: int
    text: str
    box: Box
    line: int
    block: int
    level: Corners | None = None


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


class CharacterLine(NamedTuple):
    """Characters of one line, each with its box.

    Args:
        block: Number of the line's block.
        characters: In reading order within a word.
        placed_by_eye: Whether the line runs from side to side and only its look on the page says in which order its
            words are read, as in a PDF.
    """

    block: int
    characters: tuple[tuple[str, Corners], ...]
    placed_by_eye: bool


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
    dropped like a space; it also ends where the writing direction changes and a gap is to be seen. A box reaching
    over the page's edge is clipped; a word with nothing on the page, or with a coordinate that is no number, is
    dropped; both are counted. A box thinner than 0.01 points is widened to that around its middle.
    """
    words: list[Word] = []
    clipped = dropped = 0
    for line_number, line in enumerate(lines):
        runs = list(_runs(line.characters, separator))
        for text, corners in _in_reading_order(runs) if line.placed_by_eye else runs:
            box = _box_on_page(corners, width, height)
            if box is None:
                dropped += 1
                continue
            x0, y0, x1, y1 = corners
            clipped += x0 < 0 or y0 < 0 or x1 > width or y1 > height
            words.append(Word(len(words), text, box, line_number, line.block))
    return TextLayer(tuple(words), clipped, dropped, warnings)


def _runs(characters: tuple[tuple[str, Corners], ...], separator: str) -> Iterator[tuple[str, Corners]]:
    text = ""
    boxes: list[Corners] = []
    one_way = all(character.isascii() for character, _ in characters)
    for character, box in characters:
        is_space = character.isspace() or character == separator
        if text and (is_space or (not one_way and _turns_away(text[-1], boxes, character, box))):
            yield text, _hull(boxes)
            text, boxes = "", []
        if not is_space:
            text += character
            boxes.append(box)
    if text:
        yield text, _hull(boxes)


def _turns_away(last: str, boxes: list[Corners], character: str, box: Corners) -> bool:
    """Whether the writing direction changes here and goes on somewhere else on the line.

    MuPDF puts no space where a number stands in right-to-left text, though there is one to see; but the quotation
    mark within a Hebrew abbreviation is a change of direction too, and belongs to its word.
    """
    if _is_right_to_left(last) == _is_right_to_left(character):
        return False
    x0, y0, x1, y1 = _hull(boxes)
    gap = max(box[0] - x1, x0 - box[2], box[1] - y1, y0 - box[3])
    font_height = max(box[2] - box[0], box[3] - box[1])
    return gap > _LEAST_SPACE * font_height


def _is_right_to_left(character: str) -> bool:
    return not character.isascii() and unicodedata.bidirectional(character) in ("R", "AL", "NSM")


def _in_reading_order(runs: list[tuple[str, Corners]]) -> list[tuple[str, Corners]]:
    """The words of a line that holds right-to-left ones, in the order in which the eye reads them.

    A PDF places each word and says nothing of their order. The direction of the line is that of most of its letters
    (on a tie the runs stay as they are); words of the other direction are read their own way within it.
    """
    if all(text.isascii() for text, _ in runs):
        return runs
    directions = [_direction(text) for text, _ in runs]
    right_to_left = sum(max(direction, 0) for direction in directions)
    left_to_right = -sum(min(direction, 0) for direction in directions)
    if not right_to_left or right_to_left == left_to_right:
        return runs
    sign = 1 if right_to_left > left_to_right else -1
    ordered = sorted(runs, key=lambda run: -run[1][2] if sign > 0 else run[1][0])
    result: list[tuple[str, Corners]] = []
    against: list[tuple[str, Corners]] = []
    neutral: list[tuple[str, Corners]] = []
    for run in ordered:
        direction = _direction(run[0]) * sign
        if direction < 0:
            against += [*neutral, run]
            neutral = []
        elif direction == 0 and against:
            neutral.append(run)
        else:
            result += [*reversed(against), *neutral, run]
            against, neutral = [], []
    return [*result, *reversed(against), *neutral]


def _direction(text: str) -> int:
    """How many more of the letters are read from right to left than from left to right."""
    kinds = [unicodedata.bidirectional(character) for character in text]
    return sum(kind in ("R", "AL") for kind in kinds) - kinds.count("L")


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
