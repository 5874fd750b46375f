from __future__ import annotations

import cv2
import numpy as np
import pytest

from degrade.effect import Pixels, Sheet
from degrade.effects_scanner import edge_shadow, fax_lines, specks
from degrade.printed import Printed

HEIGHT, WIDTH, DPI = 400, 300, 200.0
WHOLE = np.array([(0, 0), (WIDTH, 0), (WIDTH, HEIGHT), (0, HEIGHT)], np.float64)


def page(paper: int = 255, ink: int = 0) -> Pixels:
    """Two rows of text with a rule across the page between them."""
    found = np.full((HEIGHT, WIDTH), paper, np.uint8)
    for y in (120, 260):
        cv2.putText(found, "-1,234.50", (60, y), cv2.FONT_HERSHEY_SIMPLEX, 0.8, ink, 2)
    found[190:192, 20:280] = ink
    return found


def printed(pixels: Pixels, outline: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = WHOLE) -> Printed:
    return Printed(pixels, DPI, outline)


@pytest.mark.parametrize(
    ("paper", "ink"),
    [
        pytest.param(255, 0, id="black on white"),
        pytest.param(230, 150, id="faded on old paper"),
        pytest.param(20, 240, id="white on black"),
    ],
)
def test_print_is_found_whatever_its_colours(paper: int, ink: int) -> None:
    found = printed(page(paper, ink))
    assert not found.is_clear(60, 100, 80, 125)
    assert not found.is_clear(10, 185, 30, 195)
    assert found.is_clear(60, 20, 200, 90)
    assert found.is_clear(0, 200, 40, 400)


def test_every_dark_pixel_is_in_a_cell_of_print() -> None:
    pixels = page()
    found = printed(pixels)
    for y, x in np.argwhere(pixels < 200).tolist():
        assert not found.is_clear(x, y, x + 1, y + 1)


def test_texture_of_the_paper_is_no_print() -> None:
    mottled = np.random.default_rng(3).normal(225, 7, (HEIGHT, WIDTH)).clip(0, 255).astype(np.uint8)
    assert not printed(mottled).cells.any()


def test_a_dark_surround_is_no_print() -> None:
    pixels = page()
    inside = np.array([(20, 10), (285, 12), (283, 390), (18, 388)], np.float64)
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    cv2.fillPoly(mask, [inside.astype(np.int32)], 1)
    pixels[mask == 0] = 15
    left, top, _, _ = printed(pixels, inside).margins()
    assert left >= 20
    assert 60 < top < 110


def test_margins_reach_to_the_first_print() -> None:
    found = printed(page()).margins()
    assert found == pytest.approx((20, 101, 20, 134), abs=6)
    assert printed(np.full((HEIGHT, WIDTH), 255, np.uint8)).margins() == (WIDTH, HEIGHT, WIDTH, HEIGHT)


def test_a_hairline_may_cross_a_rule_but_no_minus() -> None:
    found = printed(page())
    minus = next(x for x in range(60, 90) if page()[112, x] == 0) + 4
    assert found.is_clear_but_for_rules(230, 234)
    assert not found.is_clear_but_for_rules(minus, minus + 3)


@pytest.mark.parametrize("seed", range(4))
def test_dust_and_hairlines_leave_all_print_as_it_is(seed: int) -> None:
    """Also where there is no text layer, as on a scanned original."""
    before = page()
    sheet = Sheet(DPI, seed, printed(before.copy()), WHOLE)
    after = edge_shadow(before.copy(), sheet, side=seed, points=20.0, level=40)
    after = fax_lines(specks(after, sheet, dark=300, light=0, points=1.5), sheet, count=3)
    text = np.zeros((HEIGHT, WIDTH), np.uint8)
    for top, bottom in ((90, 130), (230, 270)):
        text[top:bottom] = before[top:bottom] < 128
    near = np.asarray(cv2.dilate(text, np.ones((5, 5), np.uint8)), dtype=bool)
    assert (after[near] == before[near]).all()
    assert (after != before).sum() > 400
