"""Effects of the paper: its colour and fibres, and what happened to it before it was captured."""

from __future__ import annotations

import cv2
import numpy as np

from degrade.effect import Pixels, Sheet, darker, field, lighter, map_over, noise, scaled, table, with_noise

_THIRDS = (1, 2)


def tone(pixels: Pixels, sheet: Sheet, *, paper: int, ink: int) -> Pixels:
    """Black print comes out at level ``ink``, white paper at level ``paper``."""
    del sheet
    return map_over(pixels, table(lambda level: ink + (paper - ink) * level / 255))


def tint(pixels: Pixels, sheet: Sheet, *, red: int, green: int, blue: int, ink: int) -> Pixels:
    """White comes out in this colour and black at level ``ink``; only on pages in colour."""
    del sheet
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
    """Two holes of a ring binder in the left margin, filled with ``level``; none where something is printed."""
    height, width = pixels.shape[:2]
    radius, x, apart = sheet.pixels(8.5), sheet.pixels(34), sheet.pixels(113.4)
    for y in (height // 2 - apart, height // 2 + apart):
        if x + radius < width and sheet.printed.is_clear(x - radius, y - radius, x + radius, y + radius):
            color = level if pixels.ndim == 2 else (level, level, level)
            pixels = np.asarray(cv2.circle(pixels, (x, y), radius, color, -1), dtype=np.uint8)
    return pixels


def _grown(small: Pixels, height: int, width: int) -> Pixels:
    grown = cv2.resize(small, (small.shape[1] * 2, small.shape[0] * 2), interpolation=cv2.INTER_LINEAR)
    return np.ascontiguousarray(np.asarray(grown, dtype=np.uint8)[:height, :width])
