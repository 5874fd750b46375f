"""Move the pixels of a page by a homography, with the same bytes on every machine.

Pixel ``i`` covers ``[i, i + 1)``, so its centre is at ``i + 1/2``; places are rounded to 1/32 of a pixel and
interpolated in whole numbers (``cv2.remap`` with fixed-point maps). The usual warp of OpenCV interpolates in floats,
and its bytes change with the processor and the release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import cv2
import numpy as np

from degrade.effect import Pixels
from degrade.geometry import Homography

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Numbers: TypeAlias = "NDArray[np.float64]"
_Steps: TypeAlias = "NDArray[np.int32]"
_ROWS: Final = 64
"""So many at once, so that the maps stay in the processor's cache."""
_STEPS: Final = 32
_FAR: Final = float(2**20 - 1)
_BITS: Final = 30


def warp(
    pixels: Pixels,
    homography: Homography,
    scale: tuple[float, float],
    size: tuple[int, int],
    surround: int,
    origin: tuple[int, int] = (0, 0),
    window: tuple[int, int] | None = None,
) -> Pixels:
    """The re-captured picture of a page, or a part of it.

    Args:
        pixels: the raster of the clean page.
        homography: from the frame of the clean page to that of the re-capture.
        scale: pixels of the raster to the clean page's width and height, which need not be whole.
        size: width and height of the whole re-capture in pixels.
        surround: the grey level of what is around the page.
        origin: x and y of the part's first pixel.
        window: width and height of the part; by default everything.
    """
    width, height = window or size
    found = np.empty((height, width, *pixels.shape[2:]), np.uint8)
    x = np.arange(origin[0], origin[0] + width)
    places = _affine_places if not (homography.g or homography.h) else _projective_places
    back = homography.inverse()
    for top in range(0, height, _ROWS):
        rows = min(_ROWS, height - top)
        y = np.arange(origin[1] + top, origin[1] + top + rows)
        steps = places(back, (x + 0.5) / size[0], (y + 0.5) / size[1], scale)
        cv2.remap(
            pixels, *_as_maps(*steps), cv2.INTER_LINEAR,
            dst=found[top : top + rows], borderMode=cv2.BORDER_CONSTANT, borderValue=(surround,) * 3,
        )  # fmt: skip
    return found


def _affine_places(back: Homography, x: _Numbers, y: _Numbers, scale: tuple[float, float]) -> tuple[_Steps, _Steps]:
    """Places in the raster, in 32nds of a pixel, of a grid of the re-capture; a sum of a row and a column."""
    a, b, c, d, e, f, _, _, i = back
    return (
        _sums(a / i * scale[0] * x, (b * y + c) / i * scale[0]),
        _sums(d / i * scale[1] * x, (e * y + f) / i * scale[1]),
    )


def _sums(row: _Numbers, column: _Numbers) -> _Steps:
    """``row + column`` for every pair, in whole numbers, which are quicker than floats."""
    most = int((np.abs(row).max() + np.abs(column).max() + 1) * _STEPS)
    finer = 2 ** max(0, _BITS - most.bit_length())
    # The centre of a pixel has a whole number in OpenCV, and half a pixel is 16 steps.
    across = np.rint(row * (_STEPS * finer)).astype(np.int32)
    down = np.rint(column * (_STEPS * finer)).astype(np.int32) - np.int32(_STEPS // 2 * finer - finer // 2)
    found: _Steps = across[None, :] + down[:, None]
    found >>= finer.bit_length() - 1
    return found


def _projective_places(back: Homography, x: _Numbers, y: _Numbers, scale: tuple[float, float]) -> tuple[_Steps, _Steps]:
    a, b, c, d, e, f, g, h, i = back
    y = y[:, None]
    depth = (g * x) + (h * y + i)
    across, down = (a * x) + (b * y + c), (d * x) + (e * y + f)
    found = []
    for share, side in ((across, scale[0]), (down, scale[1])):
        share /= depth
        share *= side * _STEPS
        share -= _STEPS / 2
        np.clip(share, -_FAR, _FAR, out=share)
        found.append(np.rint(share).astype(np.int32))
    return found[0], found[1]


def _as_maps(across: _Steps, down: _Steps) -> tuple[NDArray[np.int16], NDArray[np.uint16]]:
    """Whole pixels, and 32nds of one, as OpenCV packs them."""
    places = np.empty((*across.shape, 2), np.int16)
    np.right_shift(across, 5, out=places[..., 0], casting="unsafe")
    np.right_shift(down, 5, out=places[..., 1], casting="unsafe")
    across &= _STEPS - 1
    down &= _STEPS - 1
    down <<= 5
    down |= across
    return places, down.astype(np.uint16)
