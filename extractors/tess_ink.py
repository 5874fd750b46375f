"""Words fitted to the ink of the picture: Tesseract says what it read more exactly than where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from extractors.tess_merge import Piece, Pixels

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SOME: Final = 0.2
"""The share of a blot of ink in a word's box that makes it the word's when it lies in no other."""

_REACH: Final = 0.8
"""In heights of the word: how far its box may move to hold its ink."""

_GHOST: Final = 0.3
_OF_TWO: Final = frozenset('ij:;=!?"%äöüÄÖÜé')
"""Characters of two blots or more."""


def fitted(pieces: Sequence[Piece], dark: NDArray[np.bool_]) -> list[Piece]:
    """The pieces, each with the box of its own ink; one that has none, or only another's, was never printed.

    Every blot (a letter, mostly) belongs to the piece that holds most of it.
    """
    owned = _blots_of(pieces, dark)
    found = []
    for number, piece in enumerate(pieces):
        blots = owned.get(number)
        if blots:
            found.append(piece._replace(pixels=_drawn_to(piece.pixels, blots)))
        elif _has_ink(piece, dark):
            other = _under(number, pieces)
            if other is None or _has_more(pieces[other], piece, len(owned.get(other, ()))):
                found.append(piece)
    return found


def _blots_of(pieces: Sequence[Piece], dark: NDArray[np.bool_]) -> dict[int, list[Pixels]]:
    """The boxes of the blots of each piece, by its place in ``pieces``."""
    import cv2
    import numpy as np

    _, labels, stats, _ = cv2.connectedComponentsWithStats(dark.astype(np.uint8), connectivity=8)
    owner = np.zeros(dark.shape, np.int64)
    for number, piece in enumerate(pieces, start=1):
        x0, y0, x1, y1 = piece.pixels
        owner[y0:y1, x0:x1] = number
    width = len(pieces) + 1
    pairs, counts = np.unique(labels[dark].astype(np.int64) * width + owner[dark], return_counts=True)
    best: dict[int, tuple[int, int]] = {}
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        blot, number = divmod(pair, width)
        if number and count > max(best.get(blot, (0, 0))[0], _SOME * stats[blot, 4]):
            best[blot] = (count, number - 1)
    found: dict[int, list[Pixels]] = defaultdict(list)
    for blot, (_, number) in sorted(best.items()):
        x, y, across, down = (int(value) for value in stats[blot, :4])
        found[number].append((x, y, x + across, y + down))
    return found


def _drawn_to(box: Pixels, blots: Sequence[Pixels]) -> Pixels:
    x0, y0, x1, y1 = box
    reach = round(_REACH * (y1 - y0))
    left, right = min(blot[0] for blot in blots), max(blot[2] for blot in blots)
    top, bottom = min(blot[1] for blot in blots), max(blot[3] for blot in blots)
    fitted_box = max(left, x0 - reach), max(top, y0 - reach // 4), min(right, x1 + reach), min(bottom, y1 + reach // 4)
    return fitted_box if fitted_box[0] < fitted_box[2] and fitted_box[1] < fitted_box[3] else box


def _has_ink(piece: Piece, dark: NDArray[np.bool_]) -> bool:
    x0, y0, x1, y1 = piece.pixels
    return bool(dark[y0:y1, x0:x1].any())


def _under(number: int, pieces: Sequence[Piece]) -> int | None:
    """The piece on whose place another lies, in good part; None when there is none."""
    x0, y0, x1, y1 = pieces[number].pixels
    for place, other in enumerate(pieces):
        across = min(x1, other.pixels[2]) - max(x0, other.pixels[0])
        down = min(y1, other.pixels[3]) - max(y0, other.pixels[1])
        if place != number and across > _GHOST * (x1 - x0) and down > _GHOST * (y1 - y0):
            return place
    return None


def _has_more(piece: Piece, ghost: Piece, blots: int) -> bool:
    """Whether a piece has ink for the letters of the other as well."""
    letters = piece.text + ghost.text
    return blots >= len(letters) + sum(letter in _OF_TWO for letter in letters)


def white_between(left: Piece, right: Piece, dark: NDArray[np.bool_]) -> int:
    """The widest white gap between the middles of two neighbours, in pixels."""
    (ax0, ay0, ax1, ay1), (bx0, by0, bx1, by1) = left.pixels, right.pixels
    start, stop = (ax0 + ax1) // 2, (bx0 + bx1) // 2
    columns = dark[min(ay0, by0) : max(ay1, by1), start:stop].max(axis=0, initial=False).tolist()
    inked = [-1, *(index for index, column in enumerate(columns) if column), len(columns)]
    return max(after - before - 1 for before, after in pairwise(inked))
