"""Effects of the paper: its colour and fibres, and what happened to it before it was captured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import cv2
import numpy as np

from degrade.effect import Pixels, Sheet, darker, field, lighter, map_over, noise, scaled, table, with_noise

_THIRDS = (1, 2)
_HOLE: Final = 8.5
"""Radius in points; a hole is 6 mm wide."""
_KEPT_OFF: Final = 2.5
_FROM_EDGE: Final = (34.0, 29.0)
"""Of the middle of a hole, in points: 12 mm, as is usual, or 10."""
_SLIPS: Final = 25
"""Steps of 4 points that the sheet may have slipped in the punch."""


def tone(pixels: Pixels, sheet: Sheet, *, paper: int, ink: int) -> Pixels:
    """Black print comes out at level ``ink``, white paper at level ``paper``."""
    del sheet
    return map_over(pixels, table(lambda level: ink + (paper - ink) * level / 255))


def tint(pixels: Pixels, sheet: Sheet, *, red: int, green: int, blue: int, ink: int) -> Pixels:
    """White comes out in this colour, or on a grey page as the grey of it, and black at level ``ink``."""
    if pixels.ndim != 3:
        return tone(pixels, sheet, paper=(299 * red + 587 * green + 114 * blue) // 1000, ink=ink)
    levels = [table(lambda level, white=white: ink + (white - ink) * level / 255) for white in (red, green, blue)]  # type: ignore[misc]
    return map_over(pixels, np.stack(levels, axis=1))


def fibres(pixels: Pixels, sheet: Sheet, *, sigma: float) -> Pixels:
    """The cloudy grain of cheap paper, by a standard deviation in levels."""
    height, width = pixels.shape[:2]
    small = noise(sheet.random, (height // 2 + 1, width // 2 + 1), sigma * 1.6, blurred=5)
    return with_noise(pixels, _grown(small, height, width))


def stains(pixels: Pixels, sheet: Sheet, *, depth: float, cells: int) -> Pixels:
    """Patches in which the paper is darker, softly, by at most ``depth`` levels."""
    levels = table(lambda level: depth * max(0, level - 110) / 145)
    return darker(pixels, field(sheet.random, pixels.shape[:2], cells, levels))


def foxing(pixels: Pixels, sheet: Sheet, *, spots: int, depth: float) -> Pixels:
    """Small round brownish spots of old paper, away from print; ``depth`` in levels."""
    random, mark = sheet.random, np.zeros(pixels.shape[:2], np.uint8)
    for _ in range(spots):
        radius = sheet.pixels(float(random.uniform(0.8, 3.0)))
        x, y = (int(random.integers(0, side)) for side in reversed(mark.shape))
        level = int(random.integers(90, 256))
        if sheet.printed.is_clear(x - 2 * radius, y - 2 * radius, x + 2 * radius, y + 2 * radius):
            cv2.circle(mark, (x, y), radius, level, -1)
    side = 2 * sheet.pixels(0.7) + 1
    soft = scaled(np.asarray(cv2.GaussianBlur(mark, (side, side), 0), dtype=np.uint8), depth)
    if pixels.ndim == mark.ndim:
        return darker(pixels, soft)
    # Rust takes away more blue than red.
    parts = [scaled(soft, 110), scaled(soft, 190), soft]
    return np.asarray(cv2.subtract(pixels, cv2.merge(parts), dst=pixels), dtype=np.uint8)


def letter_folds(pixels: Pixels, sheet: Sheet, *, depth: float) -> Pixels:
    """The two folds of a letter: a light crest, a shadow below it, and each third lit a little differently."""
    height, width = pixels.shape[:2]
    random, rows = sheet.random, np.zeros(height, np.int32)
    reach = sheet.pixels(26)
    for third in _THIRDS:
        middle = height * third // 3 + int(random.integers(-height // 60, height // 60 + 1))
        sign = 1 if third == 1 else -1
        for row in range(max(0, middle - reach), min(height, middle + reach)):
            away = (row - middle) * sign
            if away >= 0:
                rows[row] += round(depth * (1 - away / reach))
            elif away > -sheet.pixels(1.0):
                rows[row] -= round(depth * 0.6)
    dark = np.repeat(np.clip(rows, 0, 255).astype(np.uint8)[:, None], width, axis=1)
    light = np.repeat(np.clip(-rows, 0, 255).astype(np.uint8)[:, None], width, axis=1)
    return lighter(darker(pixels, dark), light)


def punch_holes(pixels: Pixels, sheet: Sheet, *, level: int) -> Pixels:
    """The two holes of a ring binder, 80 mm apart, filled with ``level``, where both of them keep off print.

    In the middle of the left margin, else a little nearer to the edge, up or down, else in the right one, as on the
    back of a sheet. None where only one would fit.
    """
    centers = next((both for both in _punched(sheet, *pixels.shape[:2]) if _is_free(sheet, both, pixels.shape)), ())
    color = level if pixels.ndim == 2 else (level, level, level)
    for center in centers:
        pixels = np.asarray(cv2.circle(pixels, center, sheet.pixels(_HOLE), color, -1), dtype=np.uint8)
    return pixels


def _punched(sheet: Sheet, height: int, width: int) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Where the two holes may be, the most usual place first."""
    apart, step = sheet.pixels(113.4), sheet.pixels(4)
    inward = [sheet.pixels(points) for points in _FROM_EDGE]
    for x in (*inward, *(width - one for one in inward)):
        for steps in range(_SLIPS):
            for y in sorted({height // 2 - steps * step, height // 2 + steps * step}):
                yield (x, y - apart), (x, y + apart)


def _is_free(sheet: Sheet, centers: Iterable[tuple[int, int]], shape: tuple[int, ...]) -> bool:
    """Whether holes there would be whole, and touch no print."""
    reach = sheet.pixels(_HOLE) + sheet.pixels(_KEPT_OFF)
    edges = [(x - reach, y - reach, x + reach, y + reach) for x, y in centers]
    return all(
        x0 >= 0 and y0 >= 0 and x1 <= shape[1] and y1 <= shape[0] and sheet.printed.is_clear(x0, y0, x1, y1)
        for x0, y0, x1, y1 in edges
    )


def _grown(small: Pixels, height: int, width: int) -> Pixels:
    grown = cv2.resize(small, (small.shape[1] * 2, small.shape[0] * 2), interpolation=cv2.INTER_LINEAR)
    return np.ascontiguousarray(np.asarray(grown, dtype=np.uint8)[:height, :width])
