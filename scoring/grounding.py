"""Whether what a prediction cites for a value is where the truth says that it stands.

A box is right when it shares half of the union with a box of the truth on the same page. Where the truth marks boxes as
coarse, the later rule of ExtractBench holds: a coarse box frames all lines of a value, and the lines are its parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from groundtruth.box import Box, hull
from scoring.places import NOWHERE, BoolArray, FloatArray, IntArray, Place, Places

LEAST_IOU: Final = 0.5
_INSIDE: Final = 0.99
_TWIN: Final = 0.9
_COVERED: Final = 0.5


class Grounds(NamedTuple):
    """Of many cells at once, whether the cited box and the cited page are right."""

    word: BoolArray
    page: BoolArray


def grounds_of(truth: Places, stated: IntArray, cited: Places, said: IntArray) -> Grounds:
    """Whether what is cited for cells is right.

    Args:
        truth: where the values of the truth stand.
        stated: of each cell the row of its address in the truth, or ``NOWHERE``.
        cited: what the prediction cites.
        said: of each cell the row of its address in the prediction, or ``NOWHERE``.
    """
    word, page = np.zeros(stated.size, dtype=np.bool_), np.zeros(stated.size, dtype=np.bool_)
    both = np.flatnonzero((stated != NOWHERE) & (said != NOWHERE))
    is_one = truth.is_one[stated[both]] & cited.is_one[said[both]]
    one = both[is_one]
    mine, other = stated[one], said[one]
    page[one] = truth.pages[mine] == cited.pages[other]
    # One box against one, coarse or not, as on nearly every cell of a table.
    word[one] = page[one] & _share_half(truth.boxes[mine], cited.boxes[other])
    for cell in both[~is_one].tolist():
        places, named = truth.at(int(stated[cell])), cited.at(int(said[cell]))
        word[cell], page[cell] = boxes_agree(places, named), pages_agree(places, named)
    return Grounds(word, page)


def _share_half(boxes: FloatArray, others: FloatArray) -> BoolArray:
    """Whether boxes are equal or share half of their union, as ``Box.iou`` has it; one that is NaN shares nothing."""
    sides = np.minimum(boxes[:, 2:], others[:, 2:]) - np.maximum(boxes[:, :2], others[:, :2])
    common = np.where((sides > 0).all(axis=1), sides[:, 0] * sides[:, 1], 0.0)
    with np.errstate(invalid="ignore"):
        iou = common / (_areas(boxes) + _areas(others) - common)
    found: BoolArray = (boxes == others).all(axis=1) | (iou >= LEAST_IOU)
    return found


def _areas(boxes: FloatArray) -> FloatArray:
    found: FloatArray = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    return found


def pages_agree(truth: Sequence[Place], cited: Sequence[Place]) -> bool:
    """Whether some cited page is one that the truth has."""
    return not {place.page for place in truth}.isdisjoint(place.page for place in cited)


def boxes_agree(truth: Sequence[Place], cited: Sequence[Place]) -> bool:
    """Whether the cited boxes frame the value at one of the places of the truth."""
    if len(truth) == 1 == len(cited):
        stated, said = truth[0], cited[0]
        if stated.page != said.page or stated.box is None or said.box is None:
            return False
        return stated.box == said.box or stated.box.iou(said.box) >= LEAST_IOU
    for page in dict.fromkeys(place.page for place in truth):
        here = [place for place in truth if place.page == page and place.box is not None]
        boxes = [place.box for place in cited if place.page == page and place.box is not None]
        if not here or not boxes:
            continue
        coarse = [place.box for place in here if place.coarse and place.box is not None]
        precise = [place.box for place in here if not place.coarse and place.box is not None]
        if _any_target(coarse, precise, boxes):
            return True
    return False


def _any_target(coarse: Sequence[Box], precise: Sequence[Box], cited: Sequence[Box]) -> bool:
    alone = list(precise)
    for envelope in coarse:
        twins = [box for box in precise if box.iou(envelope) >= _TWIN]
        parts = [box for box in precise if box not in twins and _is_inside(box, envelope)]
        alone = [box for box in alone if box not in twins and box not in parts]
        if _frames(envelope, parts, cited):
            return True
    return any(target.iou(box) >= LEAST_IOU for target in alone for box in cited)


def _is_inside(box: Box, envelope: Box) -> bool:
    return box.area > 0 and box.intersection(envelope) >= _INSIDE * box.area


def _frames(envelope: Box, parts: Sequence[Box], cited: Sequence[Box]) -> bool:
    """Whether cited boxes frame an envelope, and cover each of its parts by half, if it has any."""
    if any(envelope.iou(box) >= LEAST_IOU for box in cited):
        framed = True
    elif parts:
        touching = [box for box in cited if box.intersection(envelope) > 0]
        framed = bool(touching) and hull(touching).iou(envelope) >= LEAST_IOU
    else:
        framed = False
    return framed and all(any(part.intersection(box) >= _COVERED * part.area for box in cited) for part in parts)
