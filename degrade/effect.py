"""What an effect is given, and the small whole-number operations that effects are made of.

Every operation is on 8-bit pixels and gives the same bytes whatever the number of threads and the instructions of the
processor are; that is why there is no arithmetic in fractions on pixels here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Final, TypeAlias

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Pixels: TypeAlias = "NDArray[np.uint8]"
"""(height, width) grey or (height, width, 3) RGB."""
Effect: TypeAlias = Callable[..., Pixels]
"""From the pixels, a ``Sheet`` and its parameters by name to new pixels of the same shape."""

_POINTS_PER_INCH: Final = 72.0
_MIDDLE: Final = 128


@dataclass(frozen=True, slots=True)
class Sheet:
    """What an effect may know of the page.

    Attributes:
        dpi: of the pixels.
        seed: of everything that the effect draws.
        words: (n, 4) pixel edges x0, y0, x1, y1 of all words that are printed, where nothing may be added that could
            be read as a part of them.
        outline: (4, 2) the corners of the paper in pixels, from its top left, clockwise as printed.
    """

    dpi: float
    seed: int
    words: NDArray[np.int32]
    outline: NDArray[np.float64]

    @property
    def random(self) -> np.random.Generator:
        """A new generator of this effect's own; a generator of the process would depend on other pages."""
        return np.random.Generator(np.random.PCG64(self.seed))

    def pixels(self, points: float) -> int:
        """A length in points as whole pixels, at least 1."""
        return max(1, round(points * self.dpi / _POINTS_PER_INCH))

    def is_clear(self, x0: int, y0: int, x1: int, y1: int) -> bool:
        """Whether no word lies in the rectangle."""
        words = self.words
        hit = (words[:, 0] < x1) & (words[:, 2] > x0) & (words[:, 1] < y1) & (words[:, 3] > y0)
        return not bool(hit.any())


def brightness(pixels: Pixels) -> Pixels:
    """The grey of the pixels."""
    return pixels if pixels.ndim == 2 else _u8(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY))


def mapped(pixels: Pixels, levels: NDArray[np.uint8]) -> Pixels:
    """Each level replaced by that of the table: 256 levels, or (256, 3) for three channels."""
    table = levels.reshape(256, 1, 3) if levels.ndim > 1 else levels  # type: ignore[redundant-expr,unused-ignore]
    return _u8(cv2.LUT(pixels, table))


def field(random: np.random.Generator, shape: tuple[int, ...], cells: int) -> Pixels:
    """A smooth random landscape of 0 to 255 with about so many hills along the longer side."""
    height, width = shape
    longer = max(height, width)
    small = (max(2, cells * height // longer), max(2, cells * width // longer))
    hills = random.integers(0, 256, small, dtype=np.uint8)
    # Twice, so that the seams of the linear interpolation do not show.
    middle = cv2.resize(hills, (small[1] * 8, small[0] * 8), interpolation=cv2.INTER_LINEAR)
    middle = cv2.GaussianBlur(middle, (9, 9), 0)
    low, high = int(middle.min()), int(middle.max())
    steep = mapped(_u8(middle), table(lambda level: (level - low) * 255 / max(1, high - low)))
    return _u8(cv2.resize(steep, (width, height), interpolation=cv2.INTER_LINEAR))


def scaled(levels: Pixels, most: float) -> Pixels:
    """Levels of 0 to 255 as 0 to ``most``."""
    return mapped(levels, table(lambda level: level * most / 255))


def table(function: Callable[[int], float]) -> NDArray[np.uint8]:
    """256 levels by a function of the level."""
    return np.array([min(255, max(0, round(function(level)))) for level in range(256)], dtype=np.uint8)


def darker(pixels: Pixels, by: Pixels) -> Pixels:
    """Subtract levels, (height, width), from every channel; not below black."""
    return _u8(cv2.subtract(pixels, _in_channels(by, pixels)))


def lighter(pixels: Pixels, by: Pixels) -> Pixels:
    """Add levels, (height, width), to every channel; not above white."""
    return _u8(cv2.add(pixels, _in_channels(by, pixels)))


def noise(random: np.random.Generator, shape: tuple[int, ...], sigma: float, *, blurred: int = 0) -> Pixels:
    """Normal noise around 128 with this standard deviation, after a blur of ``blurred`` pixels if any."""
    # A blur over n x n pixels takes away n times the deviation, or nearly.
    before = sigma * max(1.0, blurred * 0.8) if blurred else sigma
    normal = NormalDist(_MIDDLE, max(before, 1e-6))
    quantiles = table(lambda level: normal.inv_cdf((level + 0.5) / 256))
    count = int(np.prod(shape))
    found = mapped(np.frombuffer(random.bytes(count), np.uint8).reshape(shape), quantiles)
    return _u8(cv2.GaussianBlur(found, (blurred, blurred), 0)) if blurred else found


def with_noise(pixels: Pixels, around_128: Pixels) -> Pixels:
    """Add noise, grey or in channels, as ``noise`` makes it."""
    more, less = table(lambda level: level - _MIDDLE), table(lambda level: _MIDDLE - level)
    return darker(lighter(pixels, mapped(around_128, more)), mapped(around_128, less))


def blend(pixels: Pixels, other: Pixels, weight: float) -> Pixels:
    """``weight`` of the other, the rest of the pixels, in 256ths."""
    part = round(weight * 256)
    found = np.empty_like(pixels)
    for top in range(0, len(pixels), 128):
        rows = slice(top, top + 128)
        mixed = pixels[rows].astype(np.uint16) * np.uint16(256 - part)
        mixed += other[rows].astype(np.uint16) * np.uint16(part)
        found[rows] = mixed >> 8
    return found


def paled(pixels: Pixels, ink: Pixels) -> Pixels:
    """Take away ink: at 255 nothing is taken, at 0 the pixel becomes white; ``ink`` is (height, width)."""
    found = np.empty_like(pixels)
    share = ink if pixels.ndim == ink.ndim else ink[:, :, None]
    for top in range(0, len(pixels), 128):
        rows = slice(top, top + 128)
        left = (255 - pixels[rows]).astype(np.uint16) * share[rows]
        found[rows] = 255 - (left + 127) // 255
    return found


def shaded(pixels: Pixels, light: Pixels) -> Pixels:
    """Take away light: at 255 nothing is taken, at 0 the pixel becomes black; ``light`` is (height, width)."""
    found = np.empty_like(pixels)
    share = light if pixels.ndim == light.ndim else light[:, :, None]
    for top in range(0, len(pixels), 128):
        rows = slice(top, top + 128)
        left = pixels[rows].astype(np.uint16) * share[rows]
        found[rows] = (left + 127) // 255
    return found


def _in_channels(levels: Pixels, pixels: Pixels) -> Pixels:
    return levels if levels.ndim == pixels.ndim else _u8(cv2.merge((levels, levels, levels)))


def _u8(array: object) -> Pixels:
    """The array of a call of OpenCV, whose stubs do not know that 8 bits stay 8 bits."""
    return array  # type: ignore[return-value]
