"""Boxes and quads in the one frame of this project.

The frame is the page as displayed, after ``/Rotate`` and the crop box: origin at the top left, x to the right, y
down, both in [0, 1] of the page's width and height. Conversions from and to other frames live at the edges (the page
reader, the exporter, the Label Studio module), never here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple, Self


class _Corners(NamedTuple):
    x0: float
    y0: float
    x1: float
    y1: float


class Box(_Corners):
    """An axis-aligned box with ``0 ≤ x0 < x1 ≤ 1`` and ``0 ≤ y0 < y1 ≤ 1``; no other can be built."""

    __slots__ = ()

    # A NamedTuple builds itself in __new__, so the invariant is checked there.
    def __new__(cls, x0: float, y0: float, x1: float, y1: float) -> Self:  # noqa: D102 the class says it
        # A NaN fails every comparison, so it is refused here as well.
        if not (0.0 <= x0 < x1 <= 1.0 and 0.0 <= y0 < y1 <= 1.0):
            raise ValueError(
                f"not a box on the page: x {x0!r}..{x1!r}, y {y0!r}..{y1!r}; "
                "needs 0 <= x0 < x1 <= 1 and 0 <= y0 < y1 <= 1"
            )
        return super().__new__(cls, x0, y0, x1, y1)

    @classmethod
    def checked(cls, x0: float, y0: float, x1: float, y1: float) -> Self:
        """A box of edges that the caller has held against the invariant; for readers of very many boxes."""
        return tuple.__new__(cls, (x0, y0, x1, y1))

    @classmethod
    def from_xywh(cls, xywh: Iterable[float]) -> Self:
        """From the published form ``[x, y, width, height]``, normalised, top-left origin."""
        x, y, width, height = xywh
        # Adding back a width that was written in decimals may pass 1 by rounding alone.
        return cls(x, y, _at_most_one(x + width), _at_most_one(y + height))

    @property
    def xywh(self) -> tuple[float, float, float, float]:
        """The published form ``[x, y, width, height]``."""
        return (self.x0, self.y0, self.x1 - self.x0, self.y1 - self.y0)

    @property
    def area(self) -> float:
        """Share of the page, in (0, 1]."""
        return (self.x1 - self.x0) * (self.y1 - self.y0)

    @property
    def center(self) -> tuple[float, float]:
        """The middle of the box."""
        return ((self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2)

    def intersection(self, other: Box) -> float:
        """The common area; 0 when the boxes only touch."""
        width = min(self.x1, other.x1) - max(self.x0, other.x0)
        height = min(self.y1, other.y1) - max(self.y0, other.y0)
        return width * height if width > 0 and height > 0 else 0.0

    def iou(self, other: Box) -> float:
        """Intersection over union in [0, 1], exactly; there is no epsilon because no box is empty."""
        common = self.intersection(other)
        return common / (self.area + other.area - common)

    def contains_point(self, x: float, y: float) -> bool:
        """Whether the point lies in the box, borders included."""
        return self.x0 <= x <= self.x1 and self.y0 <= y <= self.y1


class Point(NamedTuple):
    """A point of the page frame."""

    x: float
    y: float


class Quad(NamedTuple):
    """Four corners in reading order: top left, top right, bottom right, bottom left of the text they frame."""

    top_left: Point
    top_right: Point
    bottom_right: Point
    bottom_left: Point

    @classmethod
    def from_box(cls, box: Box) -> Quad:
        """The box's own corners."""
        return cls(Point(box.x0, box.y0), Point(box.x1, box.y0), Point(box.x1, box.y1), Point(box.x0, box.y1))

    def hull(self) -> Box:
        """The smallest box that holds the quad, cut to the page.

        Raises:
            ValueError: the quad lies off the page, or a corner is not finite.
        """
        xs = [corner.x for corner in self]
        ys = [corner.y for corner in self]
        if not all(map(math.isfinite, xs + ys)):
            raise ValueError(f"a quad with a corner that is not finite: {self}")
        return Box(max(0.0, min(xs)), max(0.0, min(ys)), min(1.0, max(xs)), min(1.0, max(ys)))


def hull(boxes: Iterable[Box]) -> Box:
    """The smallest box that holds all of ``boxes``.

    Raises:
        ValueError: there is no box.
    """
    found = list(boxes)
    if not found:
        raise ValueError("the hull of no boxes")
    return Box(
        min(box.x0 for box in found),
        min(box.y0 for box in found),
        max(box.x1 for box in found),
        max(box.y1 for box in found),
    )


def _at_most_one(value: float) -> float:
    return 1.0 if 1.0 < value <= 1.0 + 1e-9 else value
