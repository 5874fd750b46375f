"""What other libraries were reported to get wrong about degraded pages and their boxes, held here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from builders import REPOSITORY
from degrade.effects import VERSIONS
from degrade.geometry import Homography, Placement, warp_box
from degrade.page import Clean
from degrade.recipe import Strength, draw_page, load_recipe, recipe_names
from degrade.warp import warp
from groundtruth.box import Box, Quad
from recapture_builders import dense_list

SIZE = (260.3, 330.7)
WORD = Box(0.40, 0.30, 0.62, 0.34)
TILTED_PHOTO = Placement(degrees=10.0, scale=0.75, corners=(0.03, 0.01, 0.02, 0.04, 0.0, 0.02, 0.01, 0.0))


def test_augraphy_437_boxes_enclose_the_text_after_rotation_and_perspective() -> None:
    """There boxes follow two corners only."""
    there = TILTED_PHOTO.homography(*SIZE)
    width, height = 723, 919
    matrix = np.array(there).reshape(3, 3)
    found = warp_box(there, WORD)
    assert found.box is not None
    for corner, start in zip(found.quad, Quad.from_box(WORD), strict=True):
        x, y, depth = matrix @ (*start, 1.0)
        assert np.hypot((corner.x - x / depth) * width, (corner.y - y / depth) * height) <= 0.5
    pixels = np.full((height, width), 255, np.uint8)
    rows, columns = (slice(round(WORD.y0 * height), round(WORD.y1 * height)),
                     slice(round(WORD.x0 * width), round(WORD.x1 * width)))  # fmt: skip
    pixels[rows, columns] = 0
    clean = Clean(pixels, SIZE, 200.0)
    moved = warp(clean.pixels, there, (float(width), float(height)), (width, height), 255)
    ys, xs = np.nonzero(moved < 128)
    assert len(xs) > 1000
    assert found.box.x0 * width - 1 <= xs.min() <= xs.max() + 1 <= found.box.x1 * width + 1
    assert found.box.y0 * height - 1 <= ys.min() <= ys.max() + 1 <= found.box.y1 * height + 1


@pytest.mark.parametrize(
    "placement",
    [
        pytest.param(Placement(degrees=90.0), id="rotated by 90 degrees as a tilt"),
        pytest.param(Placement(turn=90), id="turned by 90 degrees"),
        pytest.param(TILTED_PHOTO, id="tilted and photographed"),
        pytest.param(Placement(turn=270, degrees=-7.3, shift=(0.01, -0.02)), id="turned and tilted"),
    ],
)
def test_augly_249_the_inverse_gives_the_original_box_back(placement: Placement) -> None:
    """There a rotation to and fro leaves another box."""
    there = placement.homography(*SIZE)
    back = Homography.from_hex(there.to_hex()).inverse()
    for corner, start in zip(there.quad(WORD), Quad.from_box(WORD), strict=True):
        assert back.apply(*corner) == pytest.approx(start, abs=1e-6)


MAKE = """
import random, sys, json, hashlib
from pathlib import Path
import cv2, numpy as np
cv2.setNumThreads(int(sys.argv[4]))
if sys.argv[3] == "disturbed":
    random.seed(5); np.random.seed(6); cv2.setRNGSeed(7)
    random.random(); np.random.random(1000); cv2.randn(np.zeros(99, np.float32), 0, 1)
from degrade.effects import VERSIONS
from degrade.recapture import Order, recapture_page
from degrade.recipe import Strength, load_recipe
from groundtruth.pages import open_document
found = {}
with open_document(Path(sys.argv[1])) as source:
    for name in sys.argv[5:]:
        for strength in Strength:
            order = Order(load_recipe(name, VERSIONS), strength, 11, "c" * 64)
            for page in json.loads(sys.argv[2]):
                picture, record = recapture_page(source.page(page), order, {})
                found[f"{name} {strength} {page}"] = record.hashes.model_dump()
print(json.dumps(found, sort_keys=True))
"""


def hashes(file: Path, order: list[int], state: str, threads: int, **environment: str) -> dict[str, dict[str, str]]:
    """Of every page in every recipe and strength, made by a process of its own."""
    ended = subprocess.run(
        [sys.executable, "-c", MAKE, str(file), json.dumps(order), state, str(threads), *recipe_names()],
        cwd=REPOSITORY, env={**os.environ, **environment}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    found: dict[str, dict[str, str]] = json.loads(ended.stdout)
    return found


@pytest.mark.e2e
def test_augraphy_29_and_205_the_same_seed_gives_the_same_bytes_in_other_processes(tmp_path: Path) -> None:
    """There a seed is not enough unless every source of chance is known, Numba's own as well (numba 7715).

    Other orders of pages, unrelated draws before, other numbers of threads, other instructions of the processor.
    """
    (tmp_path / "a.pdf").write_bytes(dense_list(pages=3, rows=8, size=SIZE, font_size=7)[0])
    first = hashes(tmp_path / "a.pdf", [1, 2, 3], "quiet", 1, OMP_NUM_THREADS="1", NUMBA_NUM_THREADS="1")
    assert len(first) == 3 * len(recipe_names()) * len(Strength)
    other = hashes(
        tmp_path / "a.pdf", [3, 1, 2], "disturbed", 2,
        OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2", NUMBA_NUM_THREADS="2", PYTHONHASHSEED="77",
    )  # fmt: skip
    assert other == first
    alone = hashes(
        tmp_path / "a.pdf", [2], "disturbed", 2,
        OPENCV_CPU_DISABLE="AVX2,AVX512_SKX", NPY_DISABLE_CPU_FEATURES="AVX2 FMA3",
    )  # fmt: skip
    assert alone == {name: page for name, page in first.items() if name.endswith(" 2")}


def test_no_two_pages_of_a_document_are_damaged_alike() -> None:
    """A seed that every page begins anew would put every speck at the same place."""
    for name in recipe_names():
        recipe = load_recipe(name, VERSIONS)
        pages = [draw_page(recipe, Strength.STRONG, seed=11, document="c" * 64, page=page) for page in (1, 2, 3)]
        seeds = [effect.seed for page in pages for effect in (*page.before, *page.after)]
        assert len(set(seeds)) == len(seeds)
        assert len({page.placement for page in pages}) == len(pages)
