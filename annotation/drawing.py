"""How the pictures of a review are drawn: crops with their boxes outlined, numbers beside boxes, contact sheets.

Rasters are ``(height, width, 3)`` in RGB; boxes are in the frame of the page.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from PIL import Image, ImageDraw, ImageFont

from groundtruth.box import Box

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CELL_WIDTH: Final = 480
CELL_HEIGHT: Final = 64
"""Of one crop on a contact sheet, in pixels; it is shown at this size."""

_READABLE: Final = 24
"""Print lower than this, in pixels, is drawn larger."""
_CROP_WIDTH: Final = 520
"""A crop is at least so wide where the page allows, so that the words to the left of a value are on it."""
_CROP_HEIGHT: Final = 360
_MOST_SCALE: Final = 2.0
_OUTLINE: Final = "#d4380d"
_NUMBER_WIDTH: Final = 34
_DASH: Final = 7
_JPEG_QUALITY: Final = 88


class Spot(NamedTuple):
    """A place to draw: the page's raster, and the boxes of its lines."""

    raster: NDArray[np.uint8]
    boxes: Sequence[Box]


class _Pixels(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float


class _View(NamedTuple):
    """A crop: the part of the page that it shows, in pixels of the raster, and by how much it is enlarged."""

    frame: _Pixels
    scale: float


def crop(spots: Sequence[Spot], *, certain: bool) -> bytes:
    """A PNG of places below one another, each with what stands around it; a box that is a guess is dashed."""
    return _png(_below_one_another([_cut(spot, certain=certain) for spot in spots]))


def sheet(spots: Sequence[Spot | None], *, certain: bool) -> bytes:
    """A PNG of one numbered crop below another, each ``CELL_WIDTH`` by ``CELL_HEIGHT``; None leaves a cell empty."""
    picture = Image.new("RGB", (CELL_WIDTH, CELL_HEIGHT * len(spots)), "white")
    draw = ImageDraw.Draw(picture)
    for at, spot in enumerate(spots):
        top = at * CELL_HEIGHT
        if spot is not None:
            cut = _cut(spot, certain=certain)
            cut.thumbnail((CELL_WIDTH - _NUMBER_WIDTH - 2, CELL_HEIGHT - 4), Image.Resampling.LANCZOS)
            picture.paste(cut, (_NUMBER_WIDTH, top + (CELL_HEIGHT - cut.height) // 2))
        draw.text((4, top + CELL_HEIGHT // 2), str(at + 1), fill="#4a5568", font=_font(18), anchor="lm")
    return _png(picture)


def page(raster: NDArray[np.uint8]) -> bytes:
    """A page as JPEG: it is a third of a PNG's size for scans, and the text stays sharp."""
    file = io.BytesIO()
    Image.fromarray(raster).save(file, format="JPEG", quality=_JPEG_QUALITY, subsampling=0)
    return file.getvalue()


def _cut(spot: Spot, *, certain: bool) -> Image.Image:
    height, width = spot.raster.shape[:2]
    boxes = [_Pixels(box.x0 * width, box.y0 * height, box.x1 * width, box.y1 * height) for box in spot.boxes]
    view = _view(boxes, width, height)
    left, top, right, bottom = map(round, view.frame)
    picture = Image.fromarray(spot.raster[top:bottom, left:right])
    size = (round(picture.width * view.scale), round(picture.height * view.scale))
    picture = picture.resize(size, Image.Resampling.LANCZOS)
    draw = ImageDraw.Draw(picture)
    for box in boxes:
        corners = ((box.left - left, box.top - top), (box.right - left, box.bottom - top))
        (x0, y0), (x1, y1) = (tuple(number * view.scale for number in corner) for corner in corners)
        _outline(draw, _Pixels(x0 - 3, y0 - 3, x1 + 3, y1 + 3), dashed=not certain)
    return picture


def _view(boxes: Sequence[_Pixels], width: int, height: int) -> _View:
    """The boxes and what stands around them, most of it to the left: labels stand before their values."""
    line = max(4.0, sorted(box.bottom - box.top for box in boxes)[len(boxes) // 2])
    scale = min(_MOST_SCALE, max(1.0, _READABLE / line))
    x0, x1 = min(box.left for box in boxes), max(box.right for box in boxes)
    y0, y1 = min(box.top for box in boxes), max(box.bottom for box in boxes)
    spare = max(0.0, _CROP_WIDTH / scale - (x1 - x0))
    left = max(0.0, x0 - max(0.75 * spare, 2 * line))
    right = min(float(width), x1 + max(0.25 * spare, line))
    top = max(0.0, y0 - 1.3 * line)
    bottom = min(float(height), max(y1 + 1.3 * line, top + 8), top + _CROP_HEIGHT)
    return _View(_Pixels(math.floor(left), math.floor(top), math.ceil(right), math.ceil(bottom)), scale)


def _outline(draw: ImageDraw.ImageDraw, box: _Pixels, *, dashed: bool) -> None:
    if not dashed:
        draw.rectangle(box, outline=_OUTLINE, width=2)
        return
    for y in (box.top, box.bottom):
        for start, end in _dashes(box.left, box.right):
            draw.line((start, y, end, y), fill=_OUTLINE, width=2)
    for x in (box.left, box.right):
        for start, end in _dashes(box.top, box.bottom):
            draw.line((x, start, x, end), fill=_OUTLINE, width=2)


def _dashes(start: float, end: float) -> Iterator[tuple[float, float]]:
    at = start
    while at < end:
        yield at, min(at + _DASH, end)
        at += 2 * _DASH


def _below_one_another(pictures: Sequence[Image.Image], gap: int = 6) -> Image.Image:
    height = sum(picture.height for picture in pictures) + gap * (len(pictures) - 1)
    whole = Image.new("RGB", (max(picture.width for picture in pictures), height), "white")
    top = 0
    for picture in pictures:
        whole.paste(picture, (0, top))
        top += picture.height + gap
    return whole


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def _png(picture: Image.Image) -> bytes:
    file = io.BytesIO()
    picture.save(file, format="PNG")
    return file.getvalue()
