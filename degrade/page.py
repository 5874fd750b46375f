"""The re-capture of one page: raster, ink and paper, warp, scanner or camera, picture.

A page is made from its clean page and from what was drawn for it, and from nothing else.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from degrade.document import Picture
from degrade.effect import Pixels, Sheet, brightness
from degrade.effects import KEEP_OFF_PRINT, apply_effect
from degrade.geometry import Homography
from degrade.printed import Printed
from degrade.recipe import Codec, DrawnEffect, DrawnPage
from degrade.warp import warp

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groundtruth.pages import Page

MOST_PIXELS: Final = 40_000_000
MOST_SIDE: Final = 30_000
"""Pixels of a page's longer side; OpenCV moves pictures of fewer than 32,767."""
"""A page that would have more at the recipe's resolution is captured at a coarser one."""
_POINTS_PER_INCH: Final = 72.0
_WHITE: Final = 128
_PAGE: Final = ((0, 0), (1, 0), (1, 1), (0, 1))


@dataclass(frozen=True, slots=True)
class Clean:
    """A page before its re-capture.

    Attributes:
        pixels: (height, width, 3) RGB or (height, width) grey.
        points: width and height of the page.
        dpi: of the pixels; ``points * dpi / 72`` pixels are the page, which need not be a whole number.
    """

    pixels: Pixels
    points: tuple[float, float]
    dpi: float

    @property
    def scale(self) -> tuple[float, float]:
        """Pixels to the page's width and height."""
        return self.points[0] * self.dpi / _POINTS_PER_INCH, self.points[1] * self.dpi / _POINTS_PER_INCH


@dataclass(frozen=True, slots=True)
class Captured:
    """A page after it.

    Attributes:
        picture: as it is kept in the PDF.
        pixels: before the codec.
        homography: from the frame of the clean page to this one.
    """

    picture: Picture
    pixels: Pixels
    homography: Homography


def most_dpi(page: Page) -> float:
    """The finest resolution at which a page is captured; two pages of one size have the same.

    Below ``MOST_PIXELS`` and ``MOST_SIDE``, and within what the reader renders.
    """
    square_inches = page.width * page.height / _POINTS_PER_INCH**2
    longest_inches = max(page.width, page.height) / _POINTS_PER_INCH
    return float(min(page.max_dpi, (MOST_PIXELS / square_inches) ** 0.5, MOST_SIDE / longest_inches))


def read_clean(page: Page, drawn: DrawnPage) -> Clean:
    """The clean page at the resolution and in the colours that were drawn.

    Raises:
        DocumentError: the page cannot be read or rendered.
    """
    return Clean(page.raster(drawn.dpi, grey=drawn.color == "gray"), (page.width, page.height), drawn.dpi)


def capture(clean: Clean, drawn: DrawnPage) -> Captured:
    """Make the re-capture of a page, of effects that ``effects.check_drawn`` lets pass."""
    homography = drawn.placement.homography(*clean.points)
    points = drawn.placement.size(*clean.points)
    size = (_side(points[0], drawn.dpi), _side(points[1], drawn.dpi))
    pixels = clean.pixels
    if drawn.before:
        pixels = _with_effects(pixels.copy(), drawn.before, drawn.dpi, np.array(_PAGE, np.float64) * clean.scale)
    pixels = warp(pixels, homography, clean.scale, size, drawn.surround)
    outline = np.array([homography.apply(*corner) for corner in _PAGE], np.float64) * size
    pixels = _with_effects(pixels, drawn.after, drawn.dpi, outline)
    channels = 1 if pixels.ndim == 2 else pixels.shape[2]
    picture = Picture(encode(pixels, drawn.codec, drawn.quality), drawn.codec, channels, size, points)
    return Captured(picture, pixels, homography)


def encode(pixels: Pixels, codec: Codec, quality: int) -> bytes:
    """The picture's bytes: a JPEG file, or the strip of a Group 4 fax."""
    if codec is Codec.FAX:
        return _group_4(pixels)
    shown = pixels if pixels.ndim == 2 else cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR)
    return bytes(cv2.imencode(".jpg", shown, (cv2.IMWRITE_JPEG_QUALITY, quality))[1])


def decode(picture: Picture) -> Pixels:
    """The grey picture that a reader of the PDF sees."""
    if picture.codec is Codec.JPEG:
        found = cv2.imdecode(np.frombuffer(picture.data, np.uint8), cv2.IMREAD_GRAYSCALE)
        return np.asarray(found, dtype=np.uint8)
    from PIL import Image

    with Image.open(io.BytesIO(_tiff_of(picture))) as image:
        return np.asarray(image.convert("L"), dtype=np.uint8)


def sha256_of_pixels(pixels: Pixels) -> str:
    """Of the pixels, row by row, whatever file they are kept in."""
    return hashlib.sha256(np.ascontiguousarray(pixels).data).hexdigest()


def _side(points: float, dpi: float) -> int:
    return max(1, round(points * dpi / _POINTS_PER_INCH))


def _with_effects(pixels: Pixels, effects: Iterable[DrawnEffect], dpi: float, outline: NDArray[np.float64]) -> Pixels:
    """One effect after the other, over the pixels."""
    asked = any(one.effect in KEEP_OFF_PRINT for one in effects)
    # As it is before the first effect, which may write over the pixels.
    printed = Printed(brightness(pixels).copy() if asked else pixels, dpi, outline)
    for one in effects:
        pixels = apply_effect(pixels, one, Sheet(dpi, one.seed, printed, outline))
    return pixels


def _group_4(pixels: Pixels) -> bytes:
    from PIL import Image

    file = io.BytesIO()
    height = len(pixels)
    # Ink is 1 in a fax. Pillow would turn the levels itself when asked to, byte by byte in Python.
    levels = np.where(brightness(pixels) < _WHITE, 255, 0).astype(np.uint8)
    black_and_white = Image.fromarray(levels).convert("1", dither=Image.Dither.NONE)
    # One strip, whose bytes are the fax itself.
    black_and_white.save(file, format="TIFF", compression="group4", tiffinfo={278: height})
    with Image.open(file) as written:
        tags = written.tag_v2  # type: ignore[attr-defined]
        (start,), (count,) = tags[273], tags[279]
    return file.getvalue()[start : start + count]


def _tiff_of(picture: Picture) -> bytes:
    """The strip of a fax in the smallest TIFF around it, to be read back."""
    width, height = picture.size
    entries = [(256, 4, width), (257, 4, height), (258, 3, 1), (259, 3, 4), (262, 3, 0), (273, 4, 0), (278, 4, height)]
    entries.append((279, 4, len(picture.data)))
    head = 8 + 2 + 12 * len(entries) + 4
    directory = len(entries).to_bytes(2, "little")
    for tag, kind, value in entries:
        shown = head if tag == 273 else value
        directory += tag.to_bytes(2, "little") + kind.to_bytes(2, "little") + (1).to_bytes(4, "little")
        directory += shown.to_bytes(4, "little")
    return b"II*\x00\x08\x00\x00\x00" + directory + bytes(4) + picture.data
