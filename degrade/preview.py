"""A contact sheet: what recipes make of one page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from degrade.effect import Pixels
from degrade.geometry import Homography
from degrade.page import capture, most_dpi, read_clean
from degrade.recipe import Recipe, Strength, draw_page
from groundtruth.box import Box

if TYPE_CHECKING:
    from groundtruth.pages import Page

_HEIGHT: Final = 560
_GAP: Final = 8
_TITLE: Final = 22
_BOX_COLOR: Final = (214, 60, 30)


PICTURES: Final = (".png", ".jpg", ".jpeg")
"""The suffixes of the pictures that a contact sheet can be."""


def contact_sheet(
    page: Page,
    recipes: Sequence[Recipe],
    seed: int,
    document_sha256: str,
    boxes: Sequence[Box],
    *,
    suffix: str = ".png",
    height: int = _HEIGHT,
) -> bytes:
    """A picture with a row for each recipe and a column for each strength, the first attempt, with the boxes drawn.

    Args:
        page: the clean page.
        recipes: those that are shown.
        seed: the user's.
        document_sha256: of the clean document's bytes.
        boxes: on the clean page.
        suffix: one of ``PICTURES``.
        height: of the longer side of a page in it, in pixels.

    Raises:
        DocumentError: the page cannot be read or rendered.
    """
    rows = [_row(page, recipe, seed, document_sha256, boxes, height) for recipe in recipes]
    width = max((row.shape[1] for row in rows), default=1)
    sheet = np.concatenate([_padded(row, len(row) + _GAP, width) for row in rows])
    return bytes(cv2.imencode(suffix, cv2.cvtColor(sheet, cv2.COLOR_RGB2BGR))[1])


def _row(page: Page, recipe: Recipe, seed: int, document_sha256: str, boxes: Iterable[Box], height: int) -> Pixels:
    cells = []
    for strength in Strength:
        drawn = draw_page(
            recipe, strength, seed=seed, document=document_sha256, page=page.number, most_dpi=most_dpi(page)
        )
        captured = capture(read_clean(page, drawn), drawn)
        cell = _cell(captured.pixels, captured.homography, boxes, height)
        cells.append(_titled(cell, f"{recipe.name}, {strength}"))
    tallest = max(len(cell) for cell in cells)
    return np.concatenate([_padded(cell, tallest, cell.shape[1]) for cell in cells], axis=1)


def _cell(pixels: Pixels, homography: Homography, boxes: Iterable[Box], height: int) -> Pixels:
    rows, columns = pixels.shape[:2]
    # The longer side, so that pages that lie on their side are no larger than others.
    share = height / max(rows, columns)
    size = (max(1, round(columns * share)), max(1, round(rows * share)))
    small = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    if small.ndim == 2:
        small = np.asarray(cv2.cvtColor(small, cv2.COLOR_GRAY2RGB), dtype=np.uint8)
    for box in boxes:
        corners = np.array(homography.quad(box)) * size * 16
        cv2.polylines(small, [np.rint(corners).astype(np.int32).reshape(-1, 1, 2)], True, _BOX_COLOR, 1, cv2.LINE_AA, 4)
    return _padded(small, len(small), small.shape[1] + _GAP)


def _titled(cell: Pixels, title: str) -> Pixels:
    above = np.full((_TITLE, cell.shape[1], 3), 255, np.uint8)
    cv2.putText(above, title, (2, _TITLE - 7), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (30, 30, 30), 1, cv2.LINE_AA)
    return np.concatenate([above, cell])


def _padded(picture: Pixels, height: int, width: int) -> Pixels:
    return np.pad(picture, ((0, height - len(picture)), (0, width - picture.shape[1]), (0, 0)), constant_values=255)
