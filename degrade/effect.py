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

    from degrade.printed import Printed

Pixels: TypeAlias = "NDArray[np.uint8]"
"""(height, width) grey or (height, width, 3) RGB."""
Effect: TypeAlias = Callable[..., Pixels]
"""From the pixels, a ``Sheet`` and its parameters by name to pixels of the same shape.

The pixels may be written over and returned: a new array of a page costs more time than most effects.
"""

_POINTS_PER_INCH: Final = 72.0
_MIDDLE: Final = 128
_BLOCK: Final = 2**20
_STRIP: Final = 32
"""Rows at once, which stay in the processor's cache."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What an effect may know of the page.

    Attributes:
        dpi: of the pixels.
        seed: of everything that the effect draws.
        printed: where something is printed, and nothing may be added that could be read as a part of it.
        outline: (4, 2) the corners of the paper in pixels, from its top left, clockwise as printed.
    """

    dpi: float
    seed: int
    printed: Printed
    outline: NDArray[np.float64]

    @property
    def random(self) -> np.random.Generator:
        """A new generator of this effect's own; a generator of the process would depend on other pages."""
        return np.random.Generator(np.random.PCG64(self.seed))

    def pixels(self, points: float) -> int:
        """A length in points as whole pixels, at least 1."""
        return max(1, round(points * self.dpi / _POINTS_PER_INCH))


def brightness(pixels: Pixels) -> Pixels:
    """The grey of the pixels."""
    return pixels if pixels.ndim == 2 else _u8(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY))


def mapped(pixels: Pixels, levels: NDArray[np.uint8]) -> Pixels:
    """Each level replaced by that of the table: 256 levels, or (256, 3) for three channels."""
    return _u8(cv2.LUT(pixels, _as_lut(levels)))


def map_over(pixels: Pixels, levels: NDArray[np.uint8]) -> Pixels:
    """As ``mapped``, written over the pixels."""
    return _u8(cv2.LUT(pixels, _as_lut(levels), dst=pixels))


def field(
    random: np.random.Generator, shape: tuple[int, ...], cells: int, levels: NDArray[np.uint8] | None = None
) -> Pixels:
    """A smooth random landscape with about so many hills along the longer side.

    Args:
        random: what draws it.
        shape: height and width.
        cells: how many hills.
        levels: a table that the heights, of 0 to 255, are mapped by.
    """
    height, width = shape
    longer = max(height, width)
    small = (max(2, cells * height // longer), max(2, cells * width // longer))
    hills = random.integers(0, 256, small, dtype=np.uint8)
    # Twice, so that the seams of the linear interpolation do not show.
    middle = cv2.resize(hills, (small[1] * 8, small[0] * 8), interpolation=cv2.INTER_LINEAR)
    middle = cv2.GaussianBlur(middle, (9, 9), 0)
    low, high = int(middle.min()), int(middle.max())
    steep = mapped(_u8(middle), table(lambda level: (level - low) * 255 / max(1, high - low)))
    if levels is not None:
        steep = mapped(steep, levels)
    return _u8(cv2.resize(steep, (width, height), interpolation=cv2.INTER_LINEAR))


def scaled(levels: Pixels, most: float) -> Pixels:
    """Levels of 0 to 255 as 0 to ``most``."""
    return mapped(levels, up_to(most))


def table(function: Callable[[int], float]) -> NDArray[np.uint8]:
    """256 levels by a function of the level."""
    return np.array([min(255, max(0, round(function(level)))) for level in range(256)], dtype=np.uint8)


def up_to(most: float) -> NDArray[np.uint8]:
    """The table that maps levels of 0 to 255 to 0 to ``most``."""
    return table(lambda level: level * most / 255)


def darker(pixels: Pixels, by: Pixels) -> Pixels:
    """Subtract levels, (height, width), from every channel, over the pixels; not below black."""
    return _u8(cv2.subtract(pixels, _in_channels(by, pixels), dst=pixels))


def lighter(pixels: Pixels, by: Pixels) -> Pixels:
    """Add levels, (height, width), to every channel, over the pixels; not above white."""
    return _u8(cv2.add(pixels, _in_channels(by, pixels), dst=pixels))


def noise(random: np.random.Generator, shape: tuple[int, ...], sigma: float, *, blurred: int = 0) -> Pixels:
    """Normal noise around 128 with this standard deviation, after a blur of ``blurred`` pixels if any."""
    # A blur over n x n pixels takes away n times the deviation, or nearly.
    before = sigma * max(1.0, blurred * 0.8) if blurred else sigma
    count = int(np.prod(shape))
    found = mapped(np.frombuffer(random.bytes(count), np.uint8).reshape(shape), _quantiles(before))
    return _u8(cv2.GaussianBlur(found, (blurred, blurred), 0)) if blurred else found


def _quantiles(sigma: float) -> NDArray[np.uint8]:
    """The table that makes even noise normal around 128."""
    normal = NormalDist(_MIDDLE, max(sigma, 1e-6))
    return table(lambda level: normal.inv_cdf((level + 0.5) / 256))


def with_noise(pixels: Pixels, around_128: Pixels) -> Pixels:
    """Add noise, grey or in channels, as ``noise`` makes it, over the pixels."""
    return darker(lighter(pixels, mapped(around_128, _MORE)), mapped(around_128, _LESS))


def with_grain(pixels: Pixels, random: np.random.Generator, sigma: float) -> Pixels:
    """Add normal noise of this standard deviation, the same in all channels, over the pixels.

    It is drawn once for a block, from which each strip of rows takes its own part: at other columns than its
    neighbours, so that no pattern is seen, and in an eighth of the time.
    """
    height, width = pixels.shape[:2]
    length = _STRIP * width
    raw = np.frombuffer(random.bytes(max(_BLOCK, 4 * length)), np.uint8)
    quantiles = _quantiles(sigma)
    more, less = mapped(raw, _MORE[quantiles]), mapped(raw, _LESS[quantiles])
    starts = random.integers(0, len(raw) - length, -(-height // _STRIP))
    for top, start in zip(range(0, height, _STRIP), starts.tolist(), strict=True):
        strip = pixels[top : top + _STRIP]
        part = slice(start, start + len(strip) * width)
        lighter(strip, more[part].reshape(-1, width))
        darker(strip, less[part].reshape(-1, width))
    return pixels


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
    """Take away ink, over the pixels: at 255 nothing is taken, at 0 the pixel becomes white.

    ``ink`` is (height, width).
    """
    return _u8(cv2.bitwise_not(shaded(_u8(cv2.bitwise_not(pixels, dst=pixels)), ink), dst=pixels))


def shaded(pixels: Pixels, light: Pixels) -> Pixels:
    """Take away light, over the pixels: at 255 nothing is taken, at 0 the pixel becomes black.

    ``light`` is (height, width).
    """
    # The one product in fractions: no whole number over 255 lies half-way between two others, and the next to it is a
    # hundred times farther off than a float errs, so every machine rounds to the same level.
    return _u8(cv2.multiply(pixels, _in_channels(light, pixels), dst=pixels, scale=1 / 255))


_MORE: Final = table(lambda level: level - _MIDDLE)
_LESS: Final = table(lambda level: _MIDDLE - level)


def _as_lut(levels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return levels.reshape(256, 1, 3) if levels.ndim > 1 else levels  # type: ignore[redundant-expr,unused-ignore]


def _in_channels(levels: Pixels, pixels: Pixels) -> Pixels:
    return levels if levels.ndim == pixels.ndim else _u8(cv2.merge((levels, levels, levels)))


def _u8(array: object) -> Pixels:
    """The array of a call of OpenCV, whose stubs do not know that 8 bits stay 8 bits."""
    return array  # type: ignore[return-value]
