"""Whether a person can still read a value on a re-captured page, by what became of its ink.

The clean crop of each value is moved as the page was, and held against what is in the PDF. A value is legible if its
ink stands out from the paper, its shape is still the same, no part of a character is gone (a decimal point is one), no
mark has come that could be one, and its letters are not too small, which a crop as coarse could not tell. How the
limits were found is in ``docs/recapture.md``; ``bench`` measures it again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import cv2
import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from degrade.effect import Pixels, brightness
from degrade.geometry import Homography
from degrade.page import Clean
from degrade.warp import warp
from groundtruth.box import Box

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PAD: Final = 2
_LEAST_CLEAN_CONTRAST: Final = 40
"""In levels; a box of the clean page with less in it holds nothing that could be judged."""
_LEAST_PART: Final = 3
"""In pixels; a smaller part of a character is the rim of another one."""
_STOP_SHARE: Final = 0.007
"""Half the area of a full stop, in squares of the line's height."""
_LEAST_MARK: Final = 3
_SURELY: Final = 4
"""In a line so many times as high as letters must be they are not measured, which takes a third of the time."""
_LEAST_LETTER: Final = 2.0
"""Height in points of what may be a letter on the clean page; lower ones are dashes and dots."""
_FAINT: Final = 0.12
_AROUND_INK: Final = np.ones((5, 5), np.uint8)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a legible value has.

    Attributes:
        contrast: least difference of paper and ink, 1 is black on white.
        likeness: least correlation with the clean crop.
        part: least share of the darkness of a part of a character that is still there.
        marks: most marks that were not there.
        height: least height of the letters in pixels.
    """

    contrast: float = 0.2
    likeness: float = 0.75
    part: float = 0.45
    marks: int = 0
    height: float = 5.0


LIMITS: Final = Limits()


class Score(BaseModel):
    """What became of a value; the worst over its lines.

    Attributes:
        contrast, likeness, part, marks, height: as in ``Limits``; the height is None where it is not measured: in
            a high line, of what has no letters, such as a dash, and in records of former releases.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    contrast: float
    likeness: float
    part: float
    marks: Annotated[int, Field(ge=0)]
    height: float | None = None

    def is_legible(self, limits: Limits = LIMITS) -> bool:
        """Whether a person can read the value."""
        return (
            self.contrast >= limits.contrast
            and self.likeness >= limits.likeness
            and self.part >= limits.part
            and self.marks <= limits.marks
            and (self.height is None or self.height >= limits.height)
        )


_NOTHING_LEFT: Final = Score(contrast=0.0, likeness=0.0, part=0.0, marks=0)


def score_value(clean: Clean, homography: Homography, seen: Pixels, boxes: Iterable[Box]) -> Score | None:
    """Judge one value.

    Args:
        clean: the page before.
        homography: where it went.
        seen: the grey picture that a reader of the re-capture sees.
        boxes: the value's lines on the clean page.

    Returns:
        None when nothing is printed in any of the boxes of the clean page, or none of them is on the re-capture.
    """
    scores = [score for box in boxes if (score := _score_line(clean, homography, seen, box)) is not None]
    if not scores:
        return None
    return worst(scores).model_copy(update={"marks": sum(one.marks for one in scores)})


def worst(scores: Sequence[Score]) -> Score:
    """The worst of each measure; of one score at least."""
    return Score(
        contrast=min(one.contrast for one in scores),
        likeness=min(one.likeness for one in scores),
        part=min(one.part for one in scores),
        marks=max(one.marks for one in scores),
        height=min((one.height for one in scores if one.height is not None), default=None),
    )


def _score_line(clean: Clean, homography: Homography, seen: Pixels, box: Box) -> Score | None:
    height, width = seen.shape
    corners = homography.quad(box)
    x0 = max(0, math.floor(min(corner.x for corner in corners) * width) - _PAD)
    y0 = max(0, math.floor(min(corner.y for corner in corners) * height) - _PAD)
    x1 = min(width, math.ceil(max(corner.x for corner in corners) * width) + _PAD)
    y1 = min(height, math.ceil(max(corner.y for corner in corners) * height) + _PAD)
    if x1 <= x0 or y1 <= y0:
        return None
    before = warp(clean.pixels, homography, clean.scale, (width, height), 255, (x0, y0), (x1 - x0, y1 - y0))
    line = math.dist((corners[0].x * width, corners[0].y * height), (corners[3].x * width, corners[3].y * height))
    grey = brightness(before)
    found = score_crop(grey, seen[y0:y1, x0:x1], line)
    least_letter = _LEAST_LETTER * line / ((box.y1 - box.y0) * clean.points[1])
    if least_letter < line < LIMITS.height:
        # Letters are no higher than their line; print so small may be as pale as paper.
        return (found or _NOTHING_LEFT).model_copy(update={"height": round(line, 1)})
    if found is None or line >= _SURELY * LIMITS.height:
        return found
    corner = np.array((corners[0].x * width - x0, corners[0].y * height - y0))
    down = np.array(((corners[3].x - corners[0].x) * width, (corners[3].y - corners[0].y) * height)) / line
    tall = _ink_height(grey, corner, down, line)
    return found if tall < least_letter else found.model_copy(update={"height": round(tall, 1)})


def _ink_height(before: Pixels, corner: NDArray[np.float64], down: NDArray[np.float64], line: float) -> float:
    """How many pixels the ink of a line is high, along its own way down from its top left corner."""
    dark = 255 - before if _is_light_on_dark(before) else before
    rows, columns = np.nonzero(dark < sum(_levels(dark)) / 2)
    along = (np.stack([columns, rows], axis=1) + 0.5 - corner) @ down
    along = along[(along >= 0) & (along <= line)]
    return float(np.ptp(along)) + 1 if len(along) else 0.0


def _is_light_on_dark(before: Pixels) -> bool:
    return float(np.median(before)) < (int(before.min()) + int(before.max())) / 2


def _levels(before: Pixels) -> tuple[float, float]:
    """Of paper and of ink, dark on light."""
    return float(np.percentile(before, 90)), float(before.min())


def score_crop(before: Pixels, after: Pixels, line: float) -> Score | None:
    """Judge a grey crop against the clean one, pixel on pixel; ``line`` is the height of the text's line in pixels."""
    if _is_light_on_dark(before):
        before, after = 255 - before, 255 - after
    paper, ink = _levels(before)
    if paper - ink < _LEAST_CLEAN_CONTRAST:
        return None
    is_ink = before < (paper + ink) / 2
    near_ink = np.asarray(cv2.dilate(is_ink.astype(np.uint8), _AROUND_INK), dtype=bool)
    if near_ink.all():
        near_ink = is_ink
    paper_after, ink_after = float(np.median(after[~near_ink])), float(np.median(after[is_ink]))
    spread = paper_after - ink_after
    if spread <= 0:
        return _NOTHING_LEFT
    # A faint rule beside the value is print too, and may come out darker than it was.
    printed = (before < paper - _FAINT * (paper - ink)).astype(np.uint8)
    is_mark = (after < paper_after - spread / 2) & ~np.asarray(cv2.dilate(printed, _AROUND_INK), dtype=bool)
    return Score(
        contrast=round(spread / 255, 3),
        likeness=_likeness(before, after),
        part=_weakest_part(before, after, is_ink, (paper, paper_after), spread),
        marks=_marks(is_mark, max(_LEAST_MARK, _STOP_SHARE * line * line)),
    )


def _likeness(before: Pixels, after: Pixels) -> float:
    """The correlation of the two, softened by a pixel, since grain alone makes nothing hard to read."""
    first = cv2.blur(before, (3, 3)).astype(np.float64)
    second = cv2.blur(after, (3, 3)).astype(np.float64)
    first -= first.mean()
    second -= second.mean()
    size = math.sqrt(float((first * first).sum() * (second * second).sum()))
    return round(float((first * second).sum()) / size, 3) if size else 0.0


def _weakest_part(
    before: Pixels, after: Pixels, is_ink: NDArray[np.bool_], papers: tuple[float, float], spread: float
) -> float:
    """Of all connected parts of the ink, the least share that is left of one, by darkness."""
    count, labels = cv2.connectedComponents(is_ink.astype(np.uint8), connectivity=8)
    flat = labels.ravel()
    sizes = np.bincount(flat, minlength=count)
    dark_before = papers[0] - np.bincount(flat, before.ravel(), count) / np.maximum(1, sizes)
    dark_after = papers[1] - np.bincount(flat, after.ravel(), count) / np.maximum(1, sizes)
    parts = sizes >= _LEAST_PART
    parts[0] = False
    if not parts.any():
        return 1.0
    full = papers[0] - float(np.median(before[is_ink]))
    left = (dark_after[parts] / spread) / (dark_before[parts] / full)
    return round(float(np.clip(left.min(), 0.0, 1.0)), 3)


def _marks(is_mark: NDArray[np.bool_], least: float) -> int:
    count, _, found, _ = cv2.connectedComponentsWithStats(is_mark.astype(np.uint8), connectivity=8)
    areas: Sequence[int] = [int(found[at, cv2.CC_STAT_AREA]) for at in range(1, count)]
    return sum(area >= least for area in areas)
