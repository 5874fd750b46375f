"""Boxes between our frame and the labelling server's: fractions of the page, and percents of the picture.

The server has ``x`` and ``y`` of the top-left corner, ``width`` and ``height`` in percent, and ``rotation`` in degrees
clockwise about that corner.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from groundtruth.box import Box


def to_percent(box: Box) -> tuple[float, float, float, float]:
    """``x``, ``y``, ``width`` and ``height`` of a box in percent of the page."""
    return (box.x0 * 100, box.y0 * 100, (box.x1 - box.x0) * 100, (box.y1 - box.y0) * 100)


def from_percent(value: Mapping[str, float]) -> Box | None:
    """The box of a region, cut to the page and rounded to six decimals; None when nothing of it is on the page.

    Args:
        value: ``x``, ``y``, ``width``, ``height``, and where they are known ``rotation`` and the picture's
            ``original_width`` and ``original_height`` in pixels; all finite. A turned box becomes the box around its
            corners.
    """
    width, height = value["width"], value["height"]
    corners = [(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)]
    angle = math.radians(value.get("rotation", 0.0))
    if angle:
        # Percents of x and of y have different scales, so a turn is one in pixels only.
        scale = (value.get("original_height") or 1.0) / (value.get("original_width") or 1.0)
        cos, sin = math.cos(angle), math.sin(angle)
        corners = [(x * cos - y * scale * sin, x * sin / scale + y * cos) for x, y in corners]
    xs = [_fraction(value["x"] + x) for x, _ in corners]
    ys = [_fraction(value["y"] + y) for _, y in corners]
    if min(xs) < max(xs) and min(ys) < max(ys):
        return Box(min(xs), min(ys), max(xs), max(ys))
    return None


def _fraction(percent: float) -> float:
    return round(min(1.0, max(0.0, percent / 100)), 6)
