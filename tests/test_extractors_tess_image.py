"""Pictures made ready for Tesseract: what a page lies on must not decide how it is read."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from extractors.tess_image import ink, prepare

Picture = NDArray[np.uint8]

WIDTH, HEIGHT = 1400, 1800
PAPER, TABLE = 235, 95
LINES = range(260, 1500, 60)


def sheet(paper: int = PAPER) -> Picture:
    """A page of level lines of words."""
    page = np.full((HEIGHT, WIDTH), paper, np.uint8)
    for y in LINES:
        for x in range(200, 1200, 130):
            cv2.rectangle(page, (x, y), (x + 90, y + 18), (30,), -1)
    return page


def laid(page: Picture, degrees: float, table: int, scale: float = 0.9) -> Picture:
    """The page turned to the right by some degrees on a table of this grey."""
    matrix = cv2.getRotationMatrix2D((WIDTH / 2, HEIGHT / 2), -degrees, scale)
    found = cv2.warpAffine(page, matrix, (WIDTH, HEIGHT), borderValue=(table,))
    return np.asarray(found, dtype=np.uint8)


def copied(page: Picture, *, corner: bool) -> Picture:
    """The page as a copier leaves it, black along the right, in a corner along the bottom too."""
    page[:, -40:] = 20
    if corner:
        page[-40:] = 20
    return page


def rgb(page: Picture) -> Picture:
    return np.repeat(page[:, :, None], 3, axis=2)


@pytest.mark.parametrize("table", [60, 160], ids=["dark", "light"])
@pytest.mark.parametrize("degrees", [-3.0, 1.0])
def test_a_page_on_a_table_is_turned_by_its_lines(table: int, degrees: float) -> None:
    assert prepare(rgb(laid(sheet(), degrees, table)), 300).skew == pytest.approx(degrees, abs=0.1)


def test_a_table_is_no_ink() -> None:
    prepared = prepare(rgb(laid(sheet(), 1.0, TABLE)), 300)
    height, width = prepared.grey.shape
    corner = ink(prepared.grey)[: height // 40, : width // 40]
    assert corner.mean() < 0.01
    assert ink(prepared.grey).mean() < 0.25


@pytest.mark.parametrize("corner", [False, True], ids=["right", "right and bottom"])
def test_the_dark_edges_of_a_copier_leave_light_print_on_dark_fills_readable(corner: bool) -> None:
    page = copied(sheet(), corner=corner)
    page[60:200, 200:1200] = 40
    page[110:150, 300:600] = 230
    grey = prepare(rgb(page), 300).grey
    assert grey[130, 450] < 60, "light print on a dark fill is read as dark on white"
    assert grey[80, 900] > 200
