"""Effects of printing and of ink: what was wrong with the page before anybody scanned it, or copied it."""

from __future__ import annotations

import cv2
import numpy as np

from degrade.effect import (
    Pixels,
    Sheet,
    blend,
    brightness,
    darker,
    field,
    lighter,
    map_over,
    noise,
    paled,
    scaled,
    table,
)

_CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], dtype=np.uint8)
_DARK = 110


def ink_spread(pixels: Pixels, sheet: Sheet, *, weight: float) -> Pixels:
    """Ink runs into the paper around it by a pixel; ``weight`` from 0 to 1 is how black that pixel becomes."""
    del sheet
    spread = np.asarray(cv2.erode(pixels, _CROSS), dtype=np.uint8)
    return blend(pixels, spread, weight)


def ink_fade(pixels: Pixels, sheet: Sheet, *, depth: float, cells: int) -> Pixels:
    """A cartridge that runs out: ink is paler in patches, by at most ``depth`` from 0 to 1."""
    left = table(lambda level: 255 * (1 - depth * level / 255))
    return paled(pixels, field(sheet.random, pixels.shape[:2], cells, left))


def toner_loss(pixels: Pixels, sheet: Sheet, *, share: float) -> Pixels:
    """Pinholes in large black areas, as copiers leave them; ``share`` of their pixels is lost. Letters stay whole."""
    dark = np.asarray(cv2.threshold(brightness(pixels), _DARK, 255, cv2.THRESH_BINARY_INV)[1], dtype=np.uint8)
    side = 2 * sheet.pixels(1.6) + 1
    inside = cv2.erode(dark, np.ones((side, side), np.uint8))
    grains = noise(sheet.random, pixels.shape[:2], 40.0, blurred=3)
    level = int(np.quantile(grains[::8, ::8], 1 - share))
    holes = np.asarray(cv2.threshold(grains, level, 90, cv2.THRESH_BINARY)[1], dtype=np.uint8)
    return lighter(pixels, np.asarray(cv2.bitwise_and(holes, inside), dtype=np.uint8))


def photo_contrast(pixels: Pixels, sheet: Sheet, *, black: int, white: int) -> Pixels:
    """What is darker than ``black`` becomes black, what is lighter than ``white`` white, the rest is stretched."""
    del sheet
    return map_over(pixels, table(lambda level: (level - black) * 255 / max(1, white - black)))


def bleed_shadow(pixels: Pixels, sheet: Sheet, *, depth: float) -> Pixels:
    """A grey ghost a hair's breadth beside the print, as from a drum that was not cleaned; ``depth`` in levels."""
    away = sheet.pixels(2.5)
    ghost = np.full(pixels.shape[:2], 0, dtype=np.uint8)
    ghost[away:, :] = 255 - brightness(pixels)[:-away, :]
    soft = np.asarray(cv2.GaussianBlur(ghost, (7, 7), 0), dtype=np.uint8)
    return darker(pixels, scaled(soft, depth))
