"""The sheet of paper in a photograph of it: where its corners are, and the sheet as if looked at from straight above.

Lines of a sheet that was photographed at a slant are not parallel, so that no turn makes them all level.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Grey = NDArray[np.uint8]
    Points = NDArray[np.float64]

_SIDE: Final = 900
"""In pixels: of the longer side of the picture in which the sheet is looked for."""
_LETTERS: Final = 9
"""In those pixels: darker spots smaller than this are print, not the edge of the paper."""
_CORNER: Final = 0.03
"""Of the outline: how far the sheet's edge may be from straight."""
_LEAST_SHEET: Final = 0.4
_STRAIGHT: Final = 0.015
"""Of the sheet: how much may lie beyond the four lines, or be missing within."""
_INSIDE: Final = 2
"""In those pixels: a corner nearer to the edge of the picture may be where the picture ends, not the sheet."""
_MARGIN: Final = 12
_PRINTED: Final = 0.03
_STEP: Final = 48
"""In grey levels between neighbours: no table top has such steps in more than a few places, but print has."""
_WHITE: Final = 255


class Flat(NamedTuple):
    """A sheet seen from straight above.

    Attributes:
        grey: (height, width), the sheet alone.
        inverse: (3, 3), from its pixels to those of the photograph.
    """

    grey: Grey
    inverse: Points


def flattened(grey: Grey) -> Flat | None:
    """The one sheet in a photograph; None where no sheet with four straight edges lies on something darker and plain.

    What it lies on is left out, so it must be plain: on a slide with a white panel there is print outside of the panel.
    """
    import cv2
    import numpy as np

    corners = _corners(grey)
    if corners is None:
        return None
    lengths = np.hypot(*(np.roll(corners, -1, axis=0) - corners).T)
    width, height = round(float(lengths[0] + lengths[2]) / 2), round(float(lengths[1] + lengths[3]) / 2)
    target = np.array([(0, 0), (width, 0), (width, height), (0, height)], dtype=np.float64) - 0.5
    inverse = np.asarray(cv2.getPerspectiveTransform(target.astype(np.float32), corners.astype(np.float32)), np.float64)
    how = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    flat = cv2.warpPerspective(grey, inverse, (width, height), flags=how, borderMode=cv2.BORDER_REPLICATE)
    return Flat(np.asarray(flat, dtype=np.uint8), inverse)


def _corners(grey: Grey) -> Points | None:
    """(4, 2): the corners of the sheet in pixels, from the one nearest to the picture's own first corner, clockwise."""
    import cv2
    import numpy as np

    factor = max(1, max(grey.shape) // _SIDE)
    size = grey.shape[1] // factor, grey.shape[0] // factor
    small = np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    paper = cv2.morphologyEx(small, cv2.MORPH_CLOSE, np.ones((_LETTERS, _LETTERS), np.uint8))
    _, bright = cv2.threshold(paper, 0, _WHITE, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    outlines, _ = cv2.findContours(bright, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not outlines:
        return None
    outline = max(outlines, key=cv2.contourArea)
    hull = cv2.convexHull(outline)
    rough = cv2.approxPolyDP(hull, _CORNER * cv2.arcLength(hull, True), True).reshape(-1, 2)
    if len(rough) != 4:
        return None
    if (rough.min(axis=0) < _INSIDE).any() or (rough.max(axis=0) >= np.array(size) - _INSIDE).any():
        return None
    found = _in_order(_fitted(outline.reshape(-1, 2).astype(np.float64), rough.astype(np.float64)))
    area = cv2.contourArea(found.astype(np.float32))
    inside, drawn = np.zeros_like(small), np.zeros_like(small)
    cv2.fillConvexPoly(inside, np.round(found).astype(np.int32), _WHITE)
    cv2.drawContours(drawn, [outline], -1, _WHITE, cv2.FILLED)
    if area < _LEAST_SHEET * small.size or np.count_nonzero(inside != drawn) > _STRAIGHT * area:
        return None
    return (found + 0.5) * factor - 0.5 if _is_plain(small, inside) else None


def _fitted(outline: Points, rough: Points) -> Points:
    """Where the lines through the four edges meet; ``rough`` are the corners to a few pixels."""
    import cv2
    import numpy as np

    lines = []
    for start, end in pairwise([*rough, rough[0]]):
        along, length = end - start, float(np.hypot(*(end - start)))
        place = (outline - start) @ along / length**2
        off = np.abs((outline - start) @ (-along[1], along[0])) / length
        edge = outline[(place > 0.05) & (place < 0.95) & (off < _STRAIGHT * length + 2)]
        if len(edge) < 10:
            return rough
        dx, dy, x, y = cv2.fitLine(edge.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel().tolist()
        lines.append((np.array((-dy, dx)), dx * y - dy * x))
    found = []
    for (first, at_first), (second, at_second) in pairwise([lines[-1], *lines]):
        found.append(np.linalg.solve(np.stack((first, second)), np.array((at_first, at_second))))
    return np.array(found)


def _in_order(corners: Points) -> Points:
    """Clockwise as seen, from the corner at the top left."""
    import numpy as np

    middle = corners.mean(axis=0)
    around = np.arctan2(corners[:, 1] - middle[1], corners[:, 0] - middle[0])
    clockwise = corners[np.argsort(around)]
    return np.asarray(np.roll(clockwise, -int(clockwise.sum(axis=1).argmin()), axis=0))


def _is_plain(small: Grey, inside: Grey) -> bool:
    """Whether nothing is printed outside of the sheet, its own shadow on the table aside."""
    import cv2
    import numpy as np

    reach = np.ones((2 * _MARGIN + 1, 2 * _MARGIN + 1), np.uint8)
    outside = cv2.dilate(inside, reach) == 0
    steps = cv2.morphologyEx(cv2.medianBlur(small, 3), cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))[outside]
    return not steps.size or float((steps > _STEP).mean()) < _PRINTED
