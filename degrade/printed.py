"""Where something is printed on a page, seen from its pixels, so that dust and hairlines keep away from it.

From the pixels and not from the text layer: a scanned original has none, and its print must stay as it is as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_POINTS_PER_INCH: Final = 72.0
_CELL: Final = 1.4
"""Side of a cell in points, about the width of a stroke and the gap beside it."""
_DARKER: Final = 45
"""So many levels below the paper is print, even where ink is faded; fibres and stains are not."""
_DARK_PAPER: Final = 100
_RULE: Final = 2.0
"""Thickness in points of what may still be a rule."""
_RULE_REACH: Final = 12.0
"""A rule goes on so many points to both sides, where a minus ends."""
_SAMPLED: Final = 16


class Printed:
    """What is printed on a grey page.

    Args:
        grey: (height, width) the page's pixels. They are read when first asked.
        dpi: of the pixels.
        outline: (4, 2) the corners of the paper in pixels; what is around it is not print.
    """

    def __init__(self, grey: NDArray[np.uint8], dpi: float, outline: NDArray[np.float64]) -> None:
        self._grey = grey
        self._points = dpi / _POINTS_PER_INCH
        self._outline = outline
        self._side = max(1, round(_CELL * self._points))

    def is_clear(self, x0: int, y0: int, x1: int, y1: int) -> bool:
        """Whether nothing is printed in the rectangle, by its pixel edges."""
        side = self._side
        rows, columns = slice(max(0, y0 // side), -(-y1 // side)), slice(max(0, x0 // side), -(-x1 // side))
        return not bool(self.cells[rows, columns].any())

    def is_clear_but_for_rules(self, x0: int, x1: int) -> bool:
        """Whether nothing but rules across the page is printed in these columns, from top to bottom."""
        band = np.asarray(self._dark(self._grey[:, max(0, x0) : x1]).any(axis=1))
        return all(self._is_rule(top, bottom, x0, x1) for top, bottom in _runs(band))

    def margins(self) -> tuple[int, int, int, int]:
        """How many pixels it is from the left, top, right and bottom of the picture to the first print.

        The whole width and height where nothing is printed.
        """
        height, width = self._grey.shape
        rows, columns = (np.flatnonzero(self.cells.any(axis=axis)) for axis in (1, 0))
        if not len(rows):
            return width, height, width, height
        left, right = int(columns[0]) * self._side, (int(columns[-1]) + 1) * self._side
        top, bottom = int(rows[0]) * self._side, (int(rows[-1]) + 1) * self._side
        return left, top, max(0, width - right), max(0, height - bottom)

    @cached_property
    def cells(self) -> NDArray[np.bool_]:
        """The page in small squares, and which of them hold print."""
        extreme = _pooled(self._grey, self._side, lightest=self._is_dark_paper)
        found = self._dark(extreme)
        inside = np.zeros(found.shape, np.uint8)
        corners = np.rint(self._outline / self._side * 16).astype(np.int32).reshape(-1, 1, 2)
        cv2.fillPoly(inside, [corners], 1, cv2.LINE_8, 4)
        # Cells at the edge of the paper hold what is around it too.
        edge = np.pad(inside, 1, mode="edge")
        found &= np.asarray(cv2.erode(edge, np.ones((3, 3), np.uint8))[1:-1, 1:-1], dtype=bool)
        return found

    @cached_property
    def _paper(self) -> int:
        return int(np.median(self._grey[::_SAMPLED, ::_SAMPLED]))

    @property
    def _is_dark_paper(self) -> bool:
        return self._paper < _DARK_PAPER

    def _dark(self, levels: NDArray[np.uint8]) -> NDArray[np.bool_]:
        if self._is_dark_paper:
            return levels > self._paper + _DARKER
        return levels < self._paper - _DARKER

    def _is_rule(self, top: int, bottom: int, x0: int, x1: int) -> bool:
        if bottom - top > _RULE * self._points:
            return False
        reach, slack = round(_RULE_REACH * self._points), max(1, round(self._points / 2))
        around = self._grey[max(0, top - slack) : bottom + slack, max(0, x0 - reach) : x1 + reach]
        return bool(self._dark(around).any(axis=0).all())


def _pooled(grey: NDArray[np.uint8], side: int, *, lightest: bool) -> NDArray[np.uint8]:
    """The darkest, or lightest, pixel of each square; those at the far edges may be smaller."""
    tall = _pooled_rows(grey, side, lightest=lightest)
    # Turned, since along rows there is no quick way.
    wide = _pooled_rows(np.asarray(cv2.transpose(tall), dtype=np.uint8), side, lightest=lightest)
    return np.ascontiguousarray(wide.T)


def _pooled_rows(grey: NDArray[np.uint8], side: int, *, lightest: bool) -> NDArray[np.uint8]:
    whole = len(grey) // side * side
    parts: list[NDArray[np.uint8]] = [grey[:whole].reshape(-1, side, grey.shape[1])]
    if whole < len(grey):
        parts.append(grey[None, whole:])
    return np.concatenate([part.max(axis=1) if lightest else part.min(axis=1) for part in parts])


def _runs(flags: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """First and one past the last place of each run of True."""
    steps = np.flatnonzero(np.diff(np.concatenate([[0], flags.view(np.int8), [0]])))
    yield from zip(steps[::2].tolist(), steps[1::2].tolist(), strict=True)
