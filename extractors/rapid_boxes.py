"""Check boxes on a picture: small square outlines, and whether something is in them.

An engine for text reads a ticked box as a letter, or glues it to the word beside it, and overlooks an empty one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]
    Ink = NDArray[np.bool_]

CHECKED: Final = "☒"
UNCHECKED: Final = "☐"

_SIDES: Final = (0.1, 0.25)
"""Inches: how long the side of a check box is."""
_SQUARE: Final = 0.2
"""By how much of the longer side the other may be shorter."""
_STRAIGHT: Final = 0.9
"""Of a side: so much of it is ink."""
_LINE: Final = 2
"""Pixels that a side may lie askew."""
_OUTLINE: Final = 0.16
"""Of the side: how wide the outline is at most, with the unevenness of a scan."""
_FREE: Final = 0.4
"""Of what lies around a box: so much of it may be ink."""
_EMPTY: Final = 0.015
"""Of the inside: less ink is dust."""
_FILLED: Final = (0.05, 0.75)
"""Of the inside: between these is a mark; more is a solid square."""
_APART: Final = 0.25
"""Of the side: boxes that stand closer are the fields of a comb, or the cells of a grid."""


Square = tuple[int, int, int, int]


class CheckBox(NamedTuple):
    """A box on the picture, in pixels, and whether something is in it."""

    x0: int
    y0: int
    x1: int
    y1: int
    checked: bool


def check_boxes(pixels: Pixels, dpi: float) -> list[CheckBox]:
    """The check boxes from the top; squares that hold neither nothing nor plainly something are left out."""
    import cv2

    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    _, binary = cv2.threshold(grey, 0, 1, cv2.THRESH_BINARY_INV + cv2.THRESH_OTSU)
    contours, _ = cv2.findContours(binary, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    ink: Ink = binary == 1
    squares = {
        (int(x), int(y), int(x + width), int(y + height))
        for x, y, width, height in map(cv2.boundingRect, contours)
        if _is_square(width, height, dpi)
        and _is_outlined(ink[y : y + height, x : x + width])
        and _stands_free(ink, (x, y, x + width, y + height))
    }
    alone = _alone(_outermost(sorted(squares, key=lambda square: (square[1], square[0]))))
    return [box for square in alone if (box := _judged(square, ink)) is not None]


def without(pixels: Pixels, boxes: Sequence[CheckBox]) -> Pixels:
    """The picture with the boxes painted over in the shade of the paper around them."""
    import numpy as np

    if not boxes:
        return pixels
    painted = pixels.copy()
    for box in boxes:
        edge = max(2, (box.x1 - box.x0) // 8)
        top, bottom = max(0, box.y0 - edge), box.y1 + edge
        left, right = max(0, box.x0 - edge), box.x1 + edge
        around = painted[top:bottom, left:right].reshape(-1, 3)
        painted[top:bottom, left:right] = np.percentile(around, 90, axis=0).astype(np.uint8)
    return painted


def _is_square(width: int, height: int, dpi: float) -> bool:
    low, high = (inches * dpi for inches in _SIDES)
    longer = max(width, height)
    return low <= longer <= high and abs(width - height) <= _SQUARE * longer


def _is_outlined(ink: Ink) -> bool:
    """Whether a straight line of ink runs along each of the four sides."""
    depth = max(_LINE, round(_OUTLINE * min(ink.shape)))
    sides = (ink[:depth], ink[::-1][:depth], ink.T[:depth], ink.T[::-1][:depth])
    return all(_is_line(side) for side in sides)


def _is_line(side: Ink) -> bool:
    """Whether a few rows of pixels side by side hold a line from end to end; a scan lets it lie askew that much."""
    starts = range(len(side) - _LINE + 1)
    return any(float(side[start : start + _LINE].any(axis=0).mean()) >= _STRAIGHT for start in starts)


def _stands_free(ink: Ink, square: Square) -> bool:
    """Whether there is paper around the outline, and not the dark ground of light print."""
    x0, y0, x1, y1 = square
    ring = [ink[max(0, y0 - _LINE) : y0, x0:x1], ink[y1 : y1 + _LINE, x0:x1]]
    ring += [ink[y0:y1, max(0, x0 - _LINE) : x0], ink[y0:y1, x1 : x1 + _LINE]]
    dark = sum(int(side.sum()) for side in ring)
    return dark <= _FREE * sum(side.size for side in ring)


def _outermost(squares: Sequence[Square]) -> list[Square]:
    """The squares that lie in no other: an outline has an outer and an inner edge."""
    return [
        square
        for square in squares
        if not any(
            other != square
            and other[0] <= square[0]
            and other[1] <= square[1]
            and other[2] >= square[2]
            and other[3] >= square[3]
            for other in squares
        )
    ]


def _alone(squares: Sequence[Square]) -> Iterator[Square]:
    for square in squares:
        margin = _APART * (square[2] - square[0])
        if not any(other != square and _is_near(square, other, margin) for other in squares):
            yield square


def _is_near(first: Square, second: Square, margin: float) -> bool:
    return (
        first[0] - margin < second[2]
        and second[0] - margin < first[2]
        and first[1] - margin < second[3]
        and second[1] - margin < first[3]
    )


def _judged(square: Square, ink: Ink) -> CheckBox | None:
    x0, y0, x1, y1 = square
    inset = max(2, round(_OUTLINE * (x1 - x0)) + 1)
    share = float(ink[y0 + inset : y1 - inset, x0 + inset : x1 - inset].mean())
    if share <= _EMPTY:
        return CheckBox(x0, y0, x1, y1, checked=False)
    if _FILLED[0] <= share <= _FILLED[1]:
        return CheckBox(x0, y0, x1, y1, checked=True)
    return None
