"""Effects of flatbed and feeder scanners, copiers and fax machines, in the frame of the re-capture."""

from __future__ import annotations

import cv2
import numpy as np

from degrade.effect import (
    Pixels,
    Sheet,
    brightness,
    darker,
    field,
    lighter,
    mapped,
    noise,
    scaled,
    table,
    up_to,
    with_grain,
    with_noise,
)

_TRIES = 40


def soften(pixels: Pixels, sheet: Sheet, *, points: float) -> Pixels:
    """The optics are not sharp: a normal blur with this standard deviation, in points."""
    sigma = points * sheet.dpi / 72.0
    side = 2 * max(1, round(sigma * 2.5)) + 1
    return np.asarray(cv2.GaussianBlur(pixels, (side, side), sigma), dtype=np.uint8)


def sharpen(pixels: Pixels, sheet: Sheet, *, amount: float) -> Pixels:
    """What scanners and phones do to look sharp: a light rim around ink, and ink blacker than it was."""
    del sheet
    soft = np.asarray(cv2.GaussianBlur(pixels, (5, 5), 0), dtype=np.uint8)
    gain = table(lambda level: level * amount)
    more = mapped(np.asarray(cv2.subtract(pixels, soft), dtype=np.uint8), gain)
    less = mapped(np.asarray(cv2.subtract(soft, pixels), dtype=np.uint8), gain)
    return np.asarray(cv2.subtract(cv2.add(pixels, more), less), dtype=np.uint8)


def grain(pixels: Pixels, sheet: Sheet, *, sigma: float) -> Pixels:
    """The noise of the sensor, by its standard deviation in levels; the same in all channels."""
    return with_grain(pixels, sheet.random, sigma)


def soft_grain(pixels: Pixels, sheet: Sheet, *, sigma: float) -> Pixels:
    """Noise whose dots are larger than a pixel, as of toner that did not melt."""
    return with_noise(pixels, _channels(noise(sheet.random, pixels.shape[:2], sigma, blurred=3), pixels))


def page_edge(pixels: Pixels, sheet: Sheet, *, depth: float) -> Pixels:
    """The shadow that the edge of the paper throws on the lid, by at most ``depth`` levels."""
    corners = np.round(sheet.outline * 16).astype(np.int32).reshape(-1, 1, 2)
    thick, reach = sheet.pixels(1.0), sheet.pixels(1.2)
    widths = range(thick + 2 * reach, 0, -2)
    most = depth * min(1.0, thick / (2 * reach + 1))
    mark = np.zeros(pixels.shape[:2], np.uint8)
    for step, wide in enumerate(widths, 1):
        # Wide and faint first: what is drawn later and narrower is the dark middle.
        cv2.polylines(mark, [corners], True, round(most * step / len(widths)), wide, cv2.LINE_8, 4)
    return darker(pixels, mark)


def edge_shadow(pixels: Pixels, sheet: Sheet, *, side: int, points: float, level: int) -> Pixels:
    """A dark ragged band along an edge of the picture, 0 left, 1 top, 2 right, 3 bottom, where the lid was open.

    It ends before the first word, and fades out to the page.
    """
    height, width = pixels.shape[:2]
    along, across = (height, width) if side in (0, 2) else (width, height)
    reach = min(_free_margin(sheet, side), sheet.pixels(points * 1.6), across)
    if reach < 2:
        return pixels
    hills = field(sheet.random, (along, 8), 9)[:, 0].astype(np.int32)
    ends = np.maximum(1, reach * (110 + hills * 145 // 255) // 255)
    places = np.arange(reach)[None, :]
    depth = np.clip((ends[:, None] - places) * 510 // ends[:, None], 0, 255).astype(np.int32)
    band = (depth * (255 - level) // 255).astype(np.uint8)
    dark = np.zeros((height, width), np.uint8)
    match side:
        case 0:
            dark[:, :reach] = band
        case 1:
            dark[:reach, :] = band.T
        case 2:
            dark[:, width - reach :] = band[:, ::-1]
        case _:
            dark[height - reach :, :] = band.T[::-1]
    return darker(pixels, dark)


def streaks(pixels: Pixels, sheet: Sheet, *, count: int, depth: float) -> Pixels:
    """Faint lines down the whole page from dust on the glass of a feeder, each a pixel or two wide."""
    random, width = sheet.random, pixels.shape[1]
    row = np.zeros(width, np.uint8)
    for _ in range(count):
        at, wide = int(random.integers(0, width)), int(random.integers(1, 3))
        row[at : at + wide] = round(depth * float(random.uniform(0.4, 1.0)))
    for at in np.flatnonzero(row).tolist():
        column = pixels[:, at]
        column -= np.minimum(column, row[at])
    return pixels


def banding(pixels: Pixels, sheet: Sheet, *, depth: float) -> Pixels:
    """Bands across the way of the drum or the carriage, softly lighter and darker by ``depth`` levels."""
    height, width = pixels.shape[:2]
    steps = noise(sheet.random, (max(2, height // sheet.pixels(7)), 1), 60.0)
    rows = cv2.resize(steps, (1, height), interpolation=cv2.INTER_LINEAR)
    bands = np.repeat(np.asarray(rows, dtype=np.uint8).reshape(height, 1), width, axis=1)
    return darker(pixels, scaled(bands, depth))


def specks(pixels: Pixels, sheet: Sheet, *, dark: int, light: int, points: float) -> Pixels:
    """Dust: ``dark`` and ``light`` specks of up to ``points`` across. None touches print, to make no full stop."""
    random, count = sheet.random, dark + light
    height, width = pixels.shape[:2]
    gap, least = sheet.pixels(2.5), sheet.pixels(0.4)
    shades = random.integers(20, 110, count)
    shades[dark:] = 255
    sizes = np.maximum(1, np.rint(points * random.uniform(0.3, 1.0, count) ** 2 * sheet.dpi / 72.0)).astype(int)
    longs = sizes + random.integers(0, sizes + 1)
    # Light ones may lie on ink, so they stay smaller than any stroke.
    sizes[dark:], longs[dark:] = np.minimum(sizes[dark:], least), np.minimum(longs[dark:], least)
    columns = (random.integers(0, width, count), random.integers(0, height, count), random.integers(0, 180, count))
    drawn = zip(*(each.tolist() for each in (shades, sizes, longs, *columns)), strict=True)
    for number, (shade, size, long, x, y, turn) in enumerate(drawn):
        if number < dark and not sheet.printed.is_clear(x - gap, y - gap, x + long + gap, y + size + gap):
            continue
        color = shade if pixels.ndim == 2 else (shade, shade, shade)
        cv2.ellipse(pixels, (x, y), (max(1, long // 2), max(1, size // 2)), turn, 0, 360, color, -1)
    return pixels


def fax_lines(pixels: Pixels, sheet: Sheet, *, count: int) -> Pixels:
    """Black hairlines down the page from dirt in the machine, where they cross nothing but rules; fewer if need be."""
    random, found = sheet.random, pixels
    width = pixels.shape[1]
    for _ in range(count):
        places = (int(random.integers(0, width)) for _ in range(_TRIES))
        at = next((x for x in places if sheet.printed.is_clear_but_for_rules(x - 2, x + 3)), None)
        if at is not None:
            found[:, at : at + 1] = 0
    return found


def bilevel(pixels: Pixels, sheet: Sheet, *, threshold: int, sigma: float) -> Pixels:
    """Black or white, and nothing between; the noise of the sensor decides what lies near the threshold."""
    noisy = with_noise(brightness(pixels), noise(sheet.random, pixels.shape[:2], sigma))
    return _like(np.asarray(cv2.threshold(noisy, threshold, 255, cv2.THRESH_BINARY)[1], dtype=np.uint8), pixels)


def halftone(pixels: Pixels, sheet: Sheet, *, weight: float) -> Pixels:
    """Grey areas become the dot pattern of a fax before the threshold, by an ordered matrix of 4 x 4."""
    del sheet
    bayer = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]], dtype=np.int32)
    offset = ((bayer * 2 - 15) * 8 * weight).round().astype(np.int32) + 128
    height, width = pixels.shape[:2]
    tile = np.tile(offset.clip(0, 255).astype(np.uint8), (height // 4 + 1, width // 4 + 1))[:height, :width]
    return with_noise(pixels, _channels(np.ascontiguousarray(tile), pixels))


def coarse_rows(pixels: Pixels, sheet: Sheet, *, lines_per_inch: int) -> Pixels:
    """The coarse mode of a fax: fewer lines than columns, each repeated."""
    height, width = pixels.shape[:2]
    lines = min(height, max(1, round(height * lines_per_inch / sheet.dpi)))
    few = cv2.resize(pixels, (width, lines), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(few, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.uint8)


def lamp(pixels: Pixels, sheet: Sheet, *, depth: float) -> Pixels:
    """An aging lamp: darker towards one side and the far corners by at most ``depth`` levels."""
    return darker(pixels, field(sheet.random, pixels.shape[:2], 2, up_to(depth)))


def overexposed(pixels: Pixels, sheet: Sheet, *, levels: float) -> Pixels:
    """Everything lighter by so many levels, so that faint things are gone."""
    del sheet
    return lighter(pixels, np.full(pixels.shape[:2], round(levels), np.uint8))


def _free_margin(sheet: Sheet, side: int) -> int:
    """How far it is from an edge of the picture to the first print, in pixels."""
    return max(0, sheet.printed.margins()[side] - sheet.pixels(4))


def _channels(levels: Pixels, pixels: Pixels) -> Pixels:
    return levels if pixels.ndim == levels.ndim else np.asarray(cv2.merge((levels, levels, levels)), dtype=np.uint8)


_like = _channels
