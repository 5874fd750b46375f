"""The boxes of a re-capture hold the ink of their values, for every kind of synthetic document, recipe and strength."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from degrade.effects import VERSIONS
from degrade.geometry import Homography, shifted
from degrade.page import Clean, most_dpi, read_clean
from degrade.recapture import places_on_pages
from degrade.recipe import DrawnPage, Strength, draw_page, load_recipe, recipe_names
from degrade.warp import warp
from groundtruth import jsontext
from groundtruth.box import Box
from groundtruth.pages import Page, open_document
from groundtruth.truth import GroundTruth
from synth.making import Asked, Made, invented, make
from synth.pattern import HARD, load_pattern, pattern_names

SLACK = 2
AROUND = 14
PAPER = 255


def made(name: str, rows: int) -> Made:
    pattern = load_pattern(name)
    return make(invented(Asked(pattern, pattern.difficulty(HARD), 5), min(rows, pattern.rows)))


def ink_outside(
    clean: Clean, drawn: DrawnPage, boxes: dict[str, list[Box]], believed: Homography | None = None
) -> tuple[dict[str, int], int]:
    """By path, how many pixels of a value's ink lie more than ``SLACK`` off its box, and how many boxes have any ink.

    ``believed`` is what the boxes are carried by; by default what the pixels are moved by.
    """
    homography = drawn.placement.homography(*clean.points)
    points = drawn.placement.size(*clean.points)
    width, height = (max(1, round(side * drawn.dpi / 72)) for side in points)
    alone = np.full_like(clean.pixels, PAPER)
    outside: dict[str, int] = {}
    seen = 0
    for path, lines in boxes.items():
        for box in lines:
            part = _part(box, clean)
            ink = _only_ink(clean.pixels[part])
            if ink is None:
                continue
            alone[part] = ink
            hull = (believed or homography).quad(box).hull()
            x0, y0 = hull.x0 * width, hull.y0 * height
            x1, y1 = hull.x1 * width, hull.y1 * height
            left, top = max(0, math.floor(x0) - AROUND), max(0, math.floor(y0) - AROUND)
            window = (min(width, math.ceil(x1) + AROUND) - left, min(height, math.ceil(y1) + AROUND) - top)
            moved = warp(alone, homography, clean.scale, (width, height), PAPER, (left, top), window)
            alone[part] = PAPER
            ys, xs = np.nonzero(moved < 200)
            seen += bool(len(xs))
            is_out = (xs + left < x0 - SLACK) | (xs + left + 1 > x1 + SLACK)
            is_out |= (ys + top < y0 - SLACK) | (ys + top + 1 > y1 + SLACK)
            if is_out.any():
                outside[path] = int(is_out.sum())
    return outside, seen


def _part(box: Box, clean: Clean) -> tuple[slice, slice]:
    x0, y0, x1, y1 = (edge * side for edge, side in zip(box, clean.scale * 2, strict=True))
    return slice(max(0, math.floor(y0)), math.ceil(y1)), slice(max(0, math.floor(x0)), math.ceil(x1))


def _only_ink(crop: NDArray[np.uint8]) -> NDArray[Any] | None:
    if not crop.size or int(crop.max()) - int(crop.min()) < 60:
        return None
    return np.where(crop < (int(crop.max()) + int(crop.min())) / 2, crop, PAPER).astype(np.uint8)


def check_page(page: Page, boxes: dict[str, list[Box]], names: tuple[str, ...], strengths: list[Strength]) -> int:
    """How many pieces of ink were looked at."""
    looked_at = 0
    cleans: dict[int, Clean] = {}
    for name in names:
        for strength in strengths:
            drawn = draw_page(
                load_recipe(name, VERSIONS), strength, seed=3, document="e" * 64, page=page.number,
                most_dpi=most_dpi(page),
            ).model_copy(update={"color": "gray"})  # fmt: skip
            clean = cleans.setdefault(drawn.dpi, read_clean(page, drawn))
            outside, seen = ink_outside(clean, drawn, boxes)
            assert outside == {}, f"{name} {strength} page {page.number}"
            looked_at += seen
    return looked_at


def test_boxes_hold_the_ink_of_their_values(tmp_path: Path) -> None:
    document = made("bank-statement", 6)
    (tmp_path / "a.pdf").write_bytes(document.pdf)
    places = places_on_pages(GroundTruth.from_json(jsontext.loads(document.truth)))
    with open_document(tmp_path / "a.pdf") as source:
        seen = check_page(source.page(1), places[1], ("phone-photo",), [Strength.STRONG])
    assert seen > 20


@pytest.mark.e2e
@pytest.mark.parametrize("pattern", pattern_names())
def test_boxes_hold_the_ink_of_every_value_in_every_recipe(tmp_path: Path, pattern: str) -> None:
    document = made(pattern, 10)
    (tmp_path / "a.pdf").write_bytes(document.pdf)
    places = places_on_pages(GroundTruth.from_json(jsontext.loads(document.truth)))
    with open_document(tmp_path / "a.pdf") as source:
        for page in list(source.pages())[:2]:
            boxes = places.get(page.number, {})
            seen = check_page(page, boxes, recipe_names(), list(Strength))
            assert seen > len(boxes) * len(recipe_names()) * len(Strength) * 0.9


def test_a_box_beside_its_ink_would_be_found(tmp_path: Path) -> None:
    document = made("bank-statement", 6)
    (tmp_path / "a.pdf").write_bytes(document.pdf)
    places = places_on_pages(GroundTruth.from_json(jsontext.loads(document.truth)))[1]
    path, (box, *_) = next(iter(places.items()))
    drawn = draw_page(
        load_recipe("image-only", VERSIONS), Strength.MEDIUM, seed=3, document="e" * 64, page=1
    ).model_copy(update={"color": "gray"})
    with open_document(tmp_path / "a.pdf") as source:
        clean = read_clean(source.page(1), drawn)
    assert ink_outside(clean, drawn, {path: [box]})[0] == {}
    width, height = clean.scale
    for wrong in (shifted(0.0, 12 / height), shifted(-8 / width, 0.0)):
        believed = wrong @ drawn.placement.homography(*clean.points)
        assert path in ink_outside(clean, drawn, {path: [box]}, believed)[0]
