"""Effects of a photo by phone, in the frame of the re-capture: light, the desk, the small sensor."""

from __future__ import annotations

import cv2
import numpy as np

from degrade.effect import Pixels, Sheet, darker, field, map_over, noise, scaled, table, up_to, with_noise

_NEUTRAL = 128


def desk(pixels: Pixels, sheet: Sheet, *, red: int, green: int, blue: int, shadow: float) -> Pixels:
    """A wooden desk around the paper, with the shadow that the paper throws on it."""
    height, width = pixels.shape[:2]
    random = sheet.random
    board = np.empty_like(pixels)
    board[:] = (red, green, blue) if pixels.ndim == 3 else (red + green + blue) // 3
    # Long and thin hills are the grain of wood.
    veins = cv2.resize(
        field(random, (height, max(8, width // 24)), 60), (width, height), interpolation=cv2.INTER_LINEAR
    )
    board = darker(board, scaled(np.asarray(veins, dtype=np.uint8), 26))
    paper = np.zeros((height, width), np.uint8)
    corners = np.round(sheet.outline * 16).astype(np.int32).reshape(-1, 1, 2)
    cv2.fillPoly(paper, [corners], 255, cv2.LINE_8, 4)
    away, side = sheet.pixels(3.0), 2 * sheet.pixels(4.0) + 1
    thrown = np.zeros_like(paper)
    thrown[away:, away:] = paper[:-away, :-away]
    board = darker(board, scaled(np.asarray(cv2.blur(thrown, (side, side)), dtype=np.uint8), shadow))
    outside = paper == 0
    pixels[outside] = board[outside]
    return pixels


def uneven_light(pixels: Pixels, sheet: Sheet, *, depth: float, cells: int) -> Pixels:
    """The room's light falls from one side; the darkest place is ``depth`` levels darker."""
    return darker(pixels, field(sheet.random, pixels.shape[:2], cells, up_to(depth)))


def vignette(pixels: Pixels, sheet: Sheet, *, depth: float) -> Pixels:
    """Darker towards the corners, by ``depth`` levels there."""
    del sheet
    height, width = pixels.shape[:2]
    y, x = np.arange(64)[:, None] * 2 - 63, np.arange(64)[None, :] * 2 - 63
    away = ((x * x + y * y) * 255 // (2 * 63 * 63)).astype(np.uint8)
    return darker(pixels, np.asarray(cv2.resize(scaled(away, depth), (width, height)), dtype=np.uint8))


def white_balance(pixels: Pixels, sheet: Sheet, *, warmth: int, white: int) -> Pixels:
    """A lamp's colour: white paper is at level ``white``, redder by ``warmth`` levels and less blue by as many."""
    del sheet
    if pixels.ndim != 3:
        return map_over(pixels, table(lambda level: level * white / 255))
    tops = (min(255, white + warmth), white, white - warmth)
    levels = [table(lambda level, top=top: 12 + (top - 12) * level / 255) for top in tops]  # type: ignore[misc]
    return map_over(pixels, np.stack(levels, axis=1))


def color_noise(pixels: Pixels, sheet: Sheet, *, sigma: float) -> Pixels:
    """The noise of a small sensor in weak light: in each channel its own, in dots larger than a pixel."""
    return with_noise(pixels, noise(sheet.random, pixels.shape, sigma, blurred=3))


def motion(pixels: Pixels, sheet: Sheet, *, points: float, upward: int) -> Pixels:
    """The hand moved, sideways or (``upward`` 1) up, while the shutter was open."""
    length = max(1, round(points * sheet.dpi / 72.0))
    return np.asarray(cv2.blur(pixels, (1, length) if upward else (length, 1)), dtype=np.uint8)
