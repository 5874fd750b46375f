"""How the pictures of a review are drawn: crops with their boxes outlined, numbers beside boxes, contact sheets.

Rasters are ``(height, width, 3)`` in RGB; boxes are in the frame of the page.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from PIL import Image, ImageDraw, ImageFont

from groundtruth.box import Box

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CELL_WIDTH: Final = 480
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
_BADGES_PER_WIDTH: Final = 48
_BADGE_GAP: Final = 5
_JPEG_QUALITY: Final = 88


class Spot(NamedTuple):
    """A place to draw: the page's raster, and the boxes of its lines."""

    raster: NDArray[np.uint8]
    boxes: Sequence[Box]


class Mark(NamedTuple):
    """A number beside boxes of a page, in a colour."""

    text: str
    colour: str
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


def sheet(spots: Sequence[Spot | None], cell_height: int, *, certain: bool) -> bytes:
    """A PNG of numbered crops below one another, each ``cell_height`` pixels high; None leaves a cell empty."""
    picture = Image.new("RGB", (CELL_WIDTH, cell_height * len(spots)), "white")
    draw = ImageDraw.Draw(picture)
    for at, spot in enumerate(spots):
        top = at * cell_height
        if spot is not None:
            cut = _cut(spot, certain=certain)
            cut.thumbnail((CELL_WIDTH - _NUMBER_WIDTH - 2, cell_height - 4), Image.Resampling.LANCZOS)
            picture.paste(cut, (_NUMBER_WIDTH, top + (cell_height - cut.height) // 2))
        draw.text((4, top + cell_height // 2), str(at + 1), fill="#4a5568", font=_font(18), anchor="lm")
    return _png(picture)


def page(raster: NDArray[np.uint8], marks: Sequence[Mark] = ()) -> bytes:
    """A page as JPEG, with the numbers of cards beside their boxes.

    A number goes where there is least print: to the left of its boxes, to the right, above or below.
    """
    picture = Image.fromarray(raster)
    taken = [frame for mark in marks for frame in _frames(mark.boxes, *picture.size)]
    draw = ImageDraw.Draw(picture)
    for mark in marks:
        badge = _badge_place(mark, raster, taken)
        taken.append(badge)
        draw.rounded_rectangle(badge, radius=4, fill=mark.colour)
        middle = ((badge.left + badge.right) / 2, (badge.top + badge.bottom) / 2)
        draw.text(middle, mark.text, fill="white", font=_font(_badge_height(raster) - 6), anchor="mm")
    file = io.BytesIO()
    picture.save(file, format="JPEG", quality=_JPEG_QUALITY, subsampling=0)
    return file.getvalue()


def _badge_height(raster: NDArray[np.uint8]) -> int:
    return max(16, round(raster.shape[1] / _BADGES_PER_WIDTH))


def _badge_place(mark: Mark, raster: NDArray[np.uint8], taken: Sequence[_Pixels]) -> _Pixels:
    """Of the places beside the mark's boxes, the one with least print and nothing of ours under it."""
    height, width = raster.shape[:2]
    tall = _badge_height(raster)
    wide = tall * (0.5 + 0.5 * len(mark.text))
    frames = _frames(mark.boxes, width, height)
    left, right = min(frame.left for frame in frames), max(frame.right for frame in frames)
    top, bottom = min(frame.top for frame in frames), max(frame.bottom for frame in frames)
    middle = (frames[0].top + frames[0].bottom - tall) / 2
    corners = [
        (left - wide - _BADGE_GAP, middle),
        (right + _BADGE_GAP, middle),
        (left, top - tall - _BADGE_GAP),
        (left, bottom + _BADGE_GAP),
    ]
    places = [
        _Pixels(x, y, x + wide, y + tall)
        for x, y in ((min(max(x, 0.0), width - wide), min(max(y, 0.0), height - tall)) for x, y in corners)
    ]
    return min(places, key=lambda place: (sum(_overlap(place, other) for other in taken), _print(raster, place)))


def _print(raster: NDArray[np.uint8], place: _Pixels) -> float:
    """How uneven the page is at a place; 0 where nothing is printed."""
    left, top, right, bottom = map(round, place)
    return round(float(raster[max(top, 0) : bottom, max(left, 0) : right].std()), 1)


def _overlap(one: _Pixels, other: _Pixels) -> float:
    wide = min(one.right, other.right) - max(one.left, other.left)
    tall = min(one.bottom, other.bottom) - max(one.top, other.top)
    return max(0.0, wide) * max(0.0, tall)


def _frames(boxes: Iterable[Box], width: int, height: int) -> list[_Pixels]:
    return [_Pixels(box.x0 * width, box.y0 * height, box.x1 * width, box.y1 * height) for box in boxes]


def _cut(spot: Spot, *, certain: bool) -> Image.Image:
    height, width = spot.raster.shape[:2]
    boxes = _frames(spot.boxes, width, height)
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
