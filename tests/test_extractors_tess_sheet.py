"""The sheet in a photograph: found to a pixel where it lies on something plain, and left alone otherwise."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from extractors.tess_image import prepare
from extractors.tess_sheet import flattened

Picture = NDArray[np.uint8]

WIDTH, HEIGHT = 1400, 1800
TABLE = 90
WORD = (300, 400, 420, 430)
"""Of the sheet, in its own pixels: left, top, right, bottom."""
TILTED = [(140, 90), (1290, 180), (1250, 1640), (60, 1700)]


def sheet() -> Picture:
    """White, with a word apart and lines of words below it."""
    page = np.full((1600, 1200), 235, np.uint8)
    page[WORD[1] : WORD[3], WORD[0] : WORD[2]] = 30
    for y in range(700, 1400, 60):
        for x in range(100, 1000, 130):
            page[y : y + 18, x : x + 90] = 30
    return page


def photographed(corners: list[tuple[int, int]], table: int = TABLE) -> tuple[Picture, NDArray[np.float64]]:
    """The sheet with its corners there, and the homography from its pixels to those of the photograph."""
    page = sheet()
    height, width = page.shape
    own = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(own, np.array(corners, np.float32))
    picture = cv2.warpPerspective(page, matrix, (WIDTH, HEIGHT), borderValue=(table,))
    return np.asarray(picture, dtype=np.uint8), np.asarray(matrix, dtype=np.float64)


def moved(matrix: NDArray[np.float64], x: float, y: float) -> tuple[float, float]:
    across, down, depth = (float(value) for value in matrix @ (x, y, 1.0))
    return across / depth, down / depth


@pytest.mark.parametrize("table", [40, TABLE, 150], ids=["black", "brown", "light"])
@pytest.mark.parametrize(
    "corners",
    [TILTED, [(60, 40), (1340, 40), (1340, 1760), (60, 1760)], [(300, 60), (1350, 250), (1100, 1740), (50, 1500)]],
    ids=["tilted", "straight", "turned by ten degrees"],
)
def test_the_corners_are_found_to_a_pixel(corners: list[tuple[int, int]], table: int) -> None:
    found = flattened(photographed(corners, table)[0])
    assert found is not None
    height, width = found.grey.shape
    own = [(-0.5, -0.5), (width - 0.5, -0.5), (width - 0.5, height - 0.5), (-0.5, height - 0.5)]
    for place, corner in zip(own, corners, strict=True):
        assert moved(found.inverse, *place) == pytest.approx(corner, abs=2.0)


def test_a_word_of_the_flat_sheet_is_where_it_was_in_the_photograph() -> None:
    picture, matrix = photographed(TILTED)
    prepared = prepare(np.repeat(picture[:, :, None], 3, axis=2), 300)
    rows, columns = np.nonzero(prepared.grey[200:600, 150:800] < 100)
    pixels = int(columns.min()) + 150, int(rows.min()) + 200, int(columns.max()) + 151, int(rows.max()) + 201
    box = prepared.frame.box(pixels)
    assert box is not None
    middle = (box.x0 + box.x1) / 2 * WIDTH, (box.y0 + box.y1) / 2 * HEIGHT
    expected = moved(matrix, (WORD[0] + WORD[2]) / 2, (WORD[1] + WORD[3]) / 2)
    assert middle == pytest.approx(expected, abs=2.0)
    assert (box.x1 - box.x0) * WIDTH == pytest.approx(WORD[2] - WORD[0], rel=0.1)


def test_holes_and_large_print_are_of_the_sheet() -> None:
    picture, _ = photographed(TILTED)
    for y in range(300, 1600, 150):
        cv2.circle(picture, (200, y), 16, (TABLE,), -1)
    picture[200:320, 400:1000] = 30
    assert flattened(picture) is not None


def test_what_is_printed_around_a_white_panel_is_not_cut_off() -> None:
    slide = np.full((HEIGHT, WIDTH), 50, np.uint8)
    slide[400:1700, 100:1300] = 240
    for y in range(60, 340, 60):
        for x in range(100, 1250, 40):
            cv2.putText(slide, "A", (x, y), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (235,), 3)
    assert flattened(slide) is None


@pytest.mark.parametrize(
    "corners",
    [
        [(300, -200), (1100, -200), (1100, 2000), (300, 2000)],
        [(500, 600), (900, 600), (900, 1100), (500, 1100)],
    ],
    ids=["it runs out of the picture", "small"],
)
def test_a_sheet_that_is_not_the_page_is_left_alone(corners: list[tuple[int, int]]) -> None:
    assert flattened(photographed(corners)[0]) is None


def test_a_torn_sheet_is_left_alone() -> None:
    picture, _ = photographed(TILTED)
    cv2.fillPoly(picture, [np.array([(1300, 150), (800, 150), (1300, 900)], np.int32)], (TABLE,))
    assert flattened(picture) is None


@pytest.mark.parametrize("level", [0, 128, 255])
def test_a_blank_picture_has_no_sheet(level: int) -> None:
    assert flattened(np.full((HEIGHT, WIDTH), level, np.uint8)) is None
