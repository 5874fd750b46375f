"""Where a page's content comes to lie when the page is turned, tilted, shrunk or photographed.

One homography in the page frame (see ``groundtruth.box``) carries everything: the warp of the pixels and the boxes of
the evidence. It maps the frame of the clean page to that of the re-captured one. All arithmetic is that of Python's
floats, so a recorded matrix gives the same numbers everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple, Self

from groundtruth.box import Box, Point, Quad

RIGHT_ANGLES: Final = (0, 90, 180, 270)
LOST_BELOW: Final = 0.5
"""A value of which less than this share of its box is on the re-captured page cannot be read there."""
_WHOLE: Final = 1.0 - 1e-9


class Homography(NamedTuple):
    """A projective map of the plane, by rows; ``(x, y)`` goes to ``((ax+by+c)/(gx+hy+i), (dx+ey+f)/(gx+hy+i))``."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float
    g: float
    h: float
    i: float

    def __matmul__(self, first: Homography) -> Homography:
        """The map that applies ``first`` and then this one."""
        columns = tuple(zip(*_rows(first), strict=True))
        return Homography(*(math.fsum(map(float.__mul__, row, column)) for row in _rows(self) for column in columns))

    def apply(self, x: float, y: float) -> Point:
        """Where a point goes.

        Raises:
            ValueError: it goes to infinity.
        """
        depth = self.g * x + self.h * y + self.i
        if not depth:
            raise ValueError(f"the point {(x, y)} goes to infinity")
        return Point((self.a * x + self.b * y + self.c) / depth, (self.d * x + self.e * y + self.f) / depth)

    def inverse(self) -> Homography:
        """The map back, by the adjugate.

        Raises:
            ValueError: the map flattens the plane, so there is no way back.
        """
        a, b, c, d, e, f, g, h, i = self
        adjugate = (
            e * i - f * h, c * h - b * i, b * f - c * e,
            f * g - d * i, a * i - c * g, c * d - a * f,
            d * h - e * g, b * g - a * h, a * e - b * d,
        )  # fmt: skip
        determinant = a * adjugate[0] + b * adjugate[3] + c * adjugate[6]
        if not determinant or not math.isfinite(determinant):
            raise ValueError(f"no inverse: {tuple(self)} flattens the plane")
        return Homography(*(entry / determinant for entry in adjugate))

    def quad(self, box: Box) -> Quad:
        """Where the corners of a box go, in the reading order of the clean page."""
        return Quad(*(self.apply(*corner) for corner in Quad.from_box(box)))

    def to_hex(self) -> tuple[str, ...]:
        """The nine numbers to the last bit."""
        return tuple(map(float.hex, self))

    @classmethod
    def from_hex(cls, numbers: Sequence[str]) -> Self:
        """Read what ``to_hex`` wrote.

        Raises:
            ValueError: these are not nine such numbers.
        """
        found = tuple(map(float.fromhex, numbers))
        if len(found) != len(cls._fields):
            raise ValueError(f"a homography has {len(cls._fields)} numbers, not {len(found)}")
        return cls(*found)


IDENTITY: Final = Homography(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def shifted(x: float, y: float) -> Homography:
    """Move by shares of the page's width and height."""
    return Homography(1.0, 0.0, x, 0.0, 1.0, y, 0.0, 0.0, 1.0)


def stretched(x: float, y: float) -> Homography:
    """Scale about the top left corner."""
    return Homography(x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, 1.0)


def shrunk(scale: float) -> Homography:
    """Scale about the middle of the page."""
    return shifted(0.5, 0.5) @ stretched(scale, scale) @ shifted(-0.5, -0.5)


def turned(degrees: int) -> Homography:
    """A quarter turn or several, clockwise as seen, exactly; after 90 or 270 width and height have changed places.

    Raises:
        ValueError: not one of ``RIGHT_ANGLES``.
    """
    match degrees:
        case 0:
            return IDENTITY
        case 90:
            return Homography(0.0, -1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
        case 180:
            return Homography(-1.0, 0.0, 1.0, 0.0, -1.0, 1.0, 0.0, 0.0, 1.0)
        case 270:
            return Homography(0.0, 1.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 1.0)
        case _:
            raise ValueError(f"a page is turned by one of {RIGHT_ANGLES} degrees, not {degrees}")


def rotated(degrees: float, width: float, height: float) -> Homography:
    """Rotate about the middle of a page of this size, clockwise as seen; the sizes are in any one unit."""
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    turn = Homography(cosine, -sine, 0.0, sine, cosine, 0.0, 0.0, 0.0, 1.0)
    # Angles only mean something where both axes have one unit.
    to_units = stretched(width, height) @ shifted(-0.5, -0.5)
    return shifted(0.5, 0.5) @ stretched(1 / width, 1 / height) @ turn @ to_units


def onto_quad(quad: Quad) -> Homography:
    """The map that takes the page's corners to those of ``quad`` (Heckbert's closed form).

    Raises:
        ValueError: the corners do not span a quadrangle.
    """
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = quad
    dx1, dx2, sx = x1 - x2, x3 - x2, x0 - x1 + x2 - x3
    dy1, dy2, sy = y1 - y2, y3 - y2, y0 - y1 + y2 - y3
    area = dx1 * dy2 - dx2 * dy1
    if not area or not math.isfinite(area):
        raise ValueError(f"no quadrangle: {quad}")
    g = (sx * dy2 - dx2 * sy) / area
    h = (dx1 * sy - sx * dy1) / area
    return Homography(
        x1 - x0 + g * x1, x3 - x0 + h * x3, x0, y1 - y0 + g * y1, y3 - y0 + h * y3, y0, g, h, 1.0
    )  # fmt: skip


class Placement(NamedTuple):
    """How a page lay before the scanner or the camera.

    Attributes:
        turn: a quarter turn or several, one of ``RIGHT_ANGLES``, clockwise as seen.
        degrees: the tilt, clockwise as seen.
        scale: the page's size in the picture; 1 fills it.
        shift: of the page's middle, in shares of the picture's width and height.
        corners: how far each corner of the picture of the page is moved inward by the perspective, as shares of width
            and height: x and y for top left, top right, bottom right and bottom left.
    """

    turn: int = 0
    degrees: float = 0.0
    scale: float = 1.0
    shift: tuple[float, float] = (0.0, 0.0)
    corners: tuple[float, ...] = (0.0,) * 8

    def size(self, width: float, height: float) -> tuple[float, float]:
        """Width and height of the re-capture of a page of this size; it is as large as the page, turned."""
        return (height, width) if self.turn in (90, 270) else (width, height)

    def homography(self, width: float, height: float) -> Homography:
        """The map from the frame of the clean page, of ``width`` by ``height`` points, to that of its re-capture."""
        target = self.size(width, height)
        flat = shifted(*self.shift) @ rotated(self.degrees, *target) @ shrunk(self.scale) @ turned(self.turn)
        x0, y0, x1, y1, x2, y2, x3, y3 = self.corners
        if not any(self.corners):
            return flat
        seen = Quad(Point(x0, y0), Point(1 - x1, y1), Point(1 - x2, 1 - y2), Point(x3, 1 - y3))
        return onto_quad(seen) @ flat


class WarpedBox(NamedTuple):
    """A box of the clean page on its re-capture.

    Attributes:
        quad: its four corners, which may lie off the page.
        box: the box around the part that is on the page; None for a value that is lost.
        visible: the share of the quad's area that is on the page, in [0, 1].
    """

    quad: Quad
    box: Box | None
    visible: float

    @property
    def is_whole(self) -> bool:
        """Whether all of it is on the page."""
        return self.visible >= _WHOLE


def warp_box(homography: Homography, box: Box) -> WarpedBox:
    """Carry a box along.

    A box wholly on the re-captured page keeps its hull. One that is cut by the edge gets the hull of what is left. One
    of which less than half is left (``LOST_BELOW``) is lost: nobody could say what stood there, and it gets no box.
    """
    quad = homography.quad(box)
    outline = tuple(quad)
    kept = _cut_to_page(outline)
    whole = _area(outline)
    visible = min(1.0, _area(kept) / whole) if whole > 0 else 0.0
    if all(0.0 <= edge <= 1.0 for corner in quad for edge in corner):
        # Not by the areas, whose rounding is not that of the corners.
        return WarpedBox(quad, quad.hull(), 1.0)
    return WarpedBox(quad, None if visible < LOST_BELOW else _hull(kept), visible)


def _rows(matrix: Homography) -> tuple[tuple[float, float, float], ...]:
    a, b, c, d, e, f, g, h, i = matrix
    return (a, b, c), (d, e, f), (g, h, i)


def _cut_to_page(outline: Sequence[Point]) -> tuple[Point, ...]:
    """The part of a convex polygon that is on the page (Sutherland and Hodgman's clipping)."""
    kept = tuple(outline)
    for axis in (0, 1):
        for sign, edge in ((1.0, 0.0), (-1.0, -1.0)):
            kept = _cut(kept, axis, sign, edge)
    return kept


def _cut(outline: Sequence[Point], axis: int, sign: float, edge: float) -> tuple[Point, ...]:
    """Keep the part where ``sign * coordinate >= edge``."""
    kept: list[Point] = []
    for at, corner in enumerate(outline):
        before = outline[at - 1]
        depth, depth_before = sign * corner[axis] - edge, sign * before[axis] - edge
        if (depth >= 0) != (depth_before >= 0):
            share = depth_before / (depth_before - depth)
            kept.append(Point(before.x + share * (corner.x - before.x), before.y + share * (corner.y - before.y)))
        if depth >= 0:
            kept.append(corner)
    return tuple(kept)


def _area(outline: Sequence[Point]) -> float:
    """Of a polygon, by the shoelace formula; 0 for no polygon."""
    return (
        abs(sum(outline[at - 1].x * corner.y - corner.x * outline[at - 1].y for at, corner in enumerate(outline))) / 2
    )


def _hull(outline: Sequence[Point]) -> Box | None:
    xs, ys = [corner.x for corner in outline], [corner.y for corner in outline]
    try:
        return Box(max(0.0, min(xs)), max(0.0, min(ys)), min(1.0, max(xs)), min(1.0, max(ys)))
    except ValueError:
        return None
