"""Boxes to tick, found in the picture itself: Tesseract reads them as letters of all kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extractors.tess_merge import UNREAD, Piece

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EMPTY: Final = "\N{BALLOT BOX}"
TICKED: Final = "\N{BALLOT BOX WITH X}"

_SIZES: Final = range(27, 80)
"""In pixels of the prepared picture: about 2.3 to 6.7 mm."""
_SQUARE: Final = 0.8
_BAND: Final = 4
_DRAWN: Final = 0.92
_INSET: Final = 0.24
_BLANK: Final = 0.03
_MARKED: Final = 0.09
_CONFIDENCE: Final = 0.95


def tick_boxes(dark: NDArray[np.bool_]) -> list[Piece]:
    """The squares that are drawn by themselves, with a mark inside or without; a trace of ink inside is unread."""
    import cv2
    import numpy as np

    count, labels, stats, _ = cv2.connectedComponentsWithStats(dark.astype(np.uint8), connectivity=8)
    found = []
    for number in range(1, count):
        x, y, width, height = (int(value) for value in stats[number, :4])
        if width not in _SIZES or height not in _SIZES or min(width, height) < _SQUARE * max(width, height):
            continue
        # The frame is one piece; the mark inside may be another.
        frame = labels[y : y + height, x : x + width] == number
        if _is_frame(frame):
            inside = _inside(dark[y : y + height, x : x + width])
            text = EMPTY if inside < _BLANK else TICKED if inside >= _MARKED else UNREAD
            found.append(Piece(text, (x, y, x + width, y + height), 0.0 if text == UNREAD else _CONFIDENCE))
    return found


def _is_frame(shape: NDArray[np.bool_]) -> bool:
    """Whether all four sides are drawn, corners included."""
    sides = (
        shape[:_BAND].any(axis=0),
        shape[-_BAND:].any(axis=0),
        shape[:, :_BAND].any(axis=1),
        shape[:, -_BAND:].any(axis=1),
    )
    near = _BAND - 1
    corners = (shape[:near, :near], shape[:near, -near:], shape[-near:, :near], shape[-near:, -near:])
    return all(float(side.mean()) >= _DRAWN for side in sides) and all(bool(corner.any()) for corner in corners)


def _inside(shape: NDArray[np.bool_]) -> float:
    height, width = shape.shape
    down, across = round(_INSET * height), round(_INSET * width)
    return float(shape[down : height - down, across : width - across].mean())
