"""A picture of a page made ready for Tesseract: grey, level, of a usual letter size, without rules and dark fills."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from extractors.tess_sheet import flattened
from groundtruth.box import Box

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Grey = NDArray[np.uint8]

WIDEST_SKEW: Final = 6.0
"""In degrees: a page that lies worse is not turned."""

_POINTS_PER_INCH: Final = 72.0
_SKEW_STEPS: Final = ((0.5, 6), (0.1, 3), (0.02, 2))
"""Degrees between the turns that are tried, and the height of a row of ink in pixels, finer and finer."""
_LEAST_INK: Final = 200
_MOST_INK: Final = 60_000
_LEAST_SKEW: Final = 0.05
_SKEW_GAIN: Final = 1.02
_GRAINY: Final = 1.5
"""In grey levels, as a standard deviation: finer grain is left alone."""
_GRAIN_MARGIN: Final = 2.5
_LEAST_MARGIN: Final = 10.0
_LEAST_CONTRAST: Final = 60.0

_LETTER_HEIGHTS: Final = (15, 48)
"""In pixels; between them Tesseract reads as well as it can."""

_BEST_LETTER_HEIGHT: Final = 28
_EVEN: Final = 0.8
_SURROUNDED: Final = 0.9
"""Of a side of the picture: where so much is darker than paper, the page lies on something."""

_RULE_LENGTHS: Final = {"across": 110, "down": 72}
_RULE_THICKNESS: Final = {"across": 9, "down": 8}
_FILL_SIZE: Final = (31, 91)
_FILLED: Final = 0.45
_BREAK: Final = 5
_HALO: Final = 3
_NEAR: Final = 9
"""In pixels from a rule: nearer is its own soft edge, and what stands farther away does not touch it."""
_ALONG: Final = 0.4
_WHITE: Final = 255


class Prepared(NamedTuple):
    """A picture as it is read.

    Attributes:
        grey: the page turned level, dark letters on white.
        skew: by how many degrees the lines of the page fall to the right, of a photograph those across its middle.
        frame: how a place in it is a place of the page.
    """

    grey: Grey
    skew: float
    frame: Frame


class Frame(NamedTuple):
    """The way from a pixel of the level picture to the page.

    Attributes:
        inverse: (3, 3), from level pixels to pixels of the page as displayed.
        size: width and height of the page as displayed, in its pixels.
        scale: level pixels to a pixel of the page as displayed.
        per_point: level pixels to the point.
    """

    inverse: NDArray[np.float64]
    size: tuple[int, int]
    scale: float
    per_point: float

    def box(self, pixels: tuple[int, int, int, int]) -> Box | None:
        """Around x0, y0, x1, y1 of the level picture, on the page as displayed; None when it lies off the page.

        The upright box of a turned word has the word's own width and height, about the same middle: the hull of its
        corners would reach into the lines above and below.
        """
        x0, y0, x1, y1 = pixels
        across, down, depth = (float(value) for value in self.inverse @ ((x0 + x1) / 2, (y0 + y1) / 2, 1.0))
        x, y = across / depth, down / depth
        half = (x1 - x0) / 2 / self.scale, (y1 - y0) / 2 / self.scale
        width, height = self.size
        left, right = max(0.0, (x - half[0]) / width), min(1.0, (x + half[0]) / width)
        top, bottom = max(0.0, (y - half[1]) / height), min(1.0, (y + half[1]) / height)
        return Box(left, top, right, bottom) if left < right and top < bottom else None

    def fall(self, level: Grey) -> float:
        """By how many degrees a line through the middle of the level picture falls to the right on the page."""
        height, width = level.shape
        (x0, y0, depth0), (x1, y1, depth1) = (self.inverse @ (x, height / 2, 1.0) for x in (0.0, float(width)))
        return round(math.degrees(math.atan2(y1 / depth1 - y0 / depth0, x1 / depth1 - x0 / depth0)), 2)

    def level(self, pixels: tuple[int, int, int, int]) -> tuple[float, float, float, float]:
        """The same in points of the page turned level."""
        x0, y0, x1, y1 = (value / self.per_point for value in pixels)
        return x0, y0, x1, y1


def prepare(pixels: NDArray[np.uint8], dpi: float) -> Prepared:
    """The picture as Tesseract should see it; ``pixels`` is (height, width, 3), RGB."""
    import cv2
    import numpy as np

    grey = _as_grey(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY))
    size = grey.shape[1], grey.shape[0]
    to_page = np.eye(3)
    photograph = _is_photograph(grey)
    flat = flattened(grey) if photograph else None
    if flat is not None:
        # The grain of a dark corner would be measured as letters.
        grey, to_page = _evenly_lit(flat.grey), flat.inverse
    scale = _scale(grey)
    if scale != 1.0:
        kind = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
        grey = _as_grey(cv2.resize(grey, None, fx=scale, fy=scale, interpolation=kind))
    if photograph and flat is None:
        grey = _evenly_lit(grey)
    grey = _without_grain(grey)
    skew = skew_of(grey)
    level, to_flat = _turned(grey, skew)
    inverse = to_page @ np.diag((1 / scale, 1 / scale, 1.0)) @ to_flat
    frame = Frame(inverse, size, scale, dpi * scale / _POINTS_PER_INCH)
    # In a photograph a dark area is a shadow, or the table under the sheet.
    ready = without_rules(level if photograph else with_fills_inverted(level))
    return Prepared(ready, frame.fall(ready), frame)


def _as_grey(image: NDArray[np.generic]) -> Grey:
    import numpy as np

    return np.ascontiguousarray(image, dtype=np.uint8)


def ink(grey: Grey) -> NDArray[np.bool_]:
    """Where something dark is printed."""
    import cv2

    threshold, _ = cv2.threshold(grey, 0, _WHITE, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    # Of an empty page Otsu would part the paper from itself.
    return grey < min(max(threshold, 90.0), 200.0)


def _paper(grey: Grey) -> Grey:
    """The brightness of the paper behind the ink, a quarter as fine."""
    import cv2
    import numpy as np

    small = cv2.resize(grey, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    return _as_grey(cv2.medianBlur(cv2.dilate(small, np.ones((9, 9), np.uint8)), 31))


def _is_photograph(grey: Grey) -> bool:
    """Whether the page is unevenly bright, or lies on something darker than it, as in a photograph.

    Unevenly bright means that much of it lies far below its brightest parts. What it lies on is dark along at least
    three sides of the picture; a scanner or copier leaves a dark edge on two at most. Taken for ink, a table top would
    decide how far the page is turned and what else counts as ink.
    """
    import numpy as np

    paper = _paper(grey)
    dark, bright = np.percentile(paper, (30, 95))
    if dark < _EVEN * bright:
        return True
    below = paper < _EVEN * bright
    along = sorted(float(side.mean()) for side in (below[0], below[-1], below[:, 0], below[:, -1]))
    return along[1] >= _SURROUNDED


def _evenly_lit(grey: Grey) -> Grey:
    """The picture as if its paper were white everywhere."""
    import cv2

    height, width = grey.shape
    paper = cv2.resize(_paper(grey), (width, height), interpolation=cv2.INTER_LINEAR)
    return _as_grey(cv2.divide(grey, paper, scale=_WHITE))


def _scale(grey: Grey) -> float:
    """By what to enlarge or shrink the picture so that its letters are of a usual height."""
    import cv2
    import numpy as np

    _, _, stats, _ = cv2.connectedComponentsWithStats(ink(grey).astype(np.uint8), connectivity=8)
    heights = stats[1:, cv2.CC_STAT_HEIGHT].astype(np.float64)
    widths = stats[1:, cv2.CC_STAT_WIDTH].astype(np.float64)
    upright = (widths <= 4 * heights) & (widths * 6 >= heights)
    letters = heights[(heights >= 6) & (heights <= 200) & upright]
    if len(letters) < 20:
        return 1.0
    typical = float(np.median(letters))
    low, high = _LETTER_HEIGHTS
    return 1.0 if low <= typical <= high else float(np.clip(_BEST_LETTER_HEIGHT / typical, 0.2, 2.0))


def _without_grain(grey: Grey) -> Grey:
    """The picture with paper that is white throughout, where it was grainy: its contrast stretched, nothing blurred.

    To smooth the grain away would close the small openings of letters as well.
    """
    import numpy as np

    paper = grey[~ink(grey)]
    if not paper.size:
        return grey
    dark, usual = (float(value) for value in np.percentile(paper, (16, 50)))
    grain = usual - dark
    if grain < _GRAINY:
        return grey
    black, white = float(np.percentile(grey, 1)), usual - max(_LEAST_MARGIN, _GRAIN_MARGIN * grain)
    if white - black < _LEAST_CONTRAST:
        return grey
    return _as_grey(np.clip((grey - black) * (_WHITE / (white - black)), 0, _WHITE))


def skew_of(grey: Grey) -> float:
    """By how many degrees the lines fall to the right: the turn that gathers the ink in the fewest rows.

    0 when no turn gathers it clearly better than none.
    """
    import numpy as np

    rows, columns = np.nonzero(ink(grey))
    if len(rows) < _LEAST_INK:
        return 0.0
    keep = slice(None, None, max(1, len(rows) // _MOST_INK))
    y, x = rows[keep].astype(np.float64), columns[keep].astype(np.float64)

    def gathered(degrees: float, band: int) -> float:
        heights = (y - x * math.tan(math.radians(degrees))) / band
        profile = np.bincount((heights - heights.min()).astype(np.int64)).astype(np.float64)
        # Neighbouring bands together: where a band begins must not count.
        return float(np.square(profile[:-1] + profile[1:]).sum()) / band

    best, reach = 0.0, WIDEST_SKEW
    for step, band in _SKEW_STEPS:
        count = round(reach / step)
        # The smaller turn wins a tie.
        tried = sorted((best + number * step for number in range(-count, count + 1)), key=abs)
        best = max(tried, key=lambda degrees: gathered(degrees, band))
        reach = step
    if abs(best) < _LEAST_SKEW or gathered(best, band) < _SKEW_GAIN * gathered(0.0, band):
        return 0.0
    return round(best, 2)


def _turned(grey: Grey, skew: float) -> tuple[Grey, NDArray[np.float64]]:
    """The picture turned level on a canvas that holds all of it, and the way back."""
    import cv2
    import numpy as np

    if not skew:
        return grey, np.eye(3)
    height, width = grey.shape
    matrix = np.asarray(cv2.getRotationMatrix2D((width / 2, height / 2), skew, 1.0), dtype=np.float64)
    cos, sin = abs(matrix[0, 0]), abs(matrix[0, 1])
    across, down = math.ceil(width * cos + height * sin), math.ceil(height * cos + width * sin)
    matrix[:, 2] += ((across - width) / 2, (down - height) / 2)
    level = cv2.warpAffine(grey, matrix, (across, down), flags=cv2.INTER_CUBIC, borderValue=(_WHITE,))
    return _as_grey(level), np.vstack((cv2.invertAffineTransform(matrix), (0.0, 0.0, 1.0)))


def with_fills_inverted(grey: Grey) -> Grey:
    """The picture with its large dark areas turned to white, and what is printed light on them to dark."""
    import cv2
    import numpy as np

    dark = ink(grey).astype(np.uint8)
    closed = cv2.morphologyEx(dark, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    cores = cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones(_FILL_SIZE, np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(cores, connectivity=8)
    found = grey.copy()
    for number in range(1, count):
        x, y, width, height = (int(value) for value in stats[number, :4])
        area = np.s_[y : y + height, x : x + width]
        if dark[area].mean() >= _FILLED:
            found[area] = _WHITE - found[area]
    return found


def without_rules(grey: Grey) -> Grey:
    """The picture without long thin lines: Tesseract takes the rules of a table for letters."""
    import cv2
    import numpy as np

    dark = ink(grey).astype(np.uint8)
    rules = _rules_across(dark) | _rules_across(dark.T, down=True).T
    found = grey.copy()
    found[cv2.dilate(rules.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0] = _WHITE
    return found


def _rules_across(dark: Grey, *, down: bool = False) -> NDArray[np.bool_]:
    """Where rules run across; ``down`` says that the picture lies on its side, since upright rules may be shorter."""
    import cv2
    import numpy as np

    length, thickness = (_RULE_LENGTHS["down"], _RULE_THICKNESS["down"]) if down else (
        _RULE_LENGTHS["across"], _RULE_THICKNESS["across"]
    )  # fmt: skip
    dark = np.ascontiguousarray(dark)
    # A scanned rule is never quite straight: close its breaks before looking for its length.
    joined = cv2.morphologyEx(dark, cv2.MORPH_CLOSE, np.ones((1, _BREAK), np.uint8))
    lines = cv2.morphologyEx(joined, cv2.MORPH_OPEN, np.ones((1, length), np.uint8))
    thick = cv2.morphologyEx(lines, cv2.MORPH_OPEN, np.ones((thickness, thickness), np.uint8))
    thin: NDArray[np.bool_] = (lines > 0) & (cv2.dilate(thick, np.ones((3, 3), np.uint8)) == 0)
    return thin if down else _without_feet(thin, dark)


def _without_feet(thin: NDArray[np.bool_], dark: Grey) -> NDArray[np.bool_]:
    """The lines without those that the feet of touching letters make: they have the letters all along them."""
    import cv2
    import numpy as np

    count, labels, stats, _ = cv2.connectedComponentsWithStats(thin.astype(np.uint8), connectivity=8)
    beside = (dark > 0) & ~thin
    kept = thin.copy()
    for number in range(1, count):
        x, y, width, height = (int(value) for value in stats[number, :4])
        across = slice(x, x + width)
        above = beside[max(0, y - _NEAR) : max(0, y - _HALO), across]
        below = beside[y + height + _HALO : y + height + _NEAR, across]
        if max((float(side.any(axis=0).mean()) for side in (above, below) if side.size), default=0.0) > _ALONG:
            area = np.s_[y : y + height, across]
            kept[area] &= labels[area] != number
    return kept
