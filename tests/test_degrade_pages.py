from __future__ import annotations

import hashlib
import random
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from degrade.document import PdfWriter, Picture
from degrade.effects import VERSIONS
from degrade.geometry import Placement
from degrade.legibility import Score, score_crop, score_value
from degrade.page import Captured, Clean, capture, decode, most_dpi, read_clean
from degrade.recapture import Order, places_on_pages, recapture_page, recaptured_truth, remake_page
from degrade.recipe import Codec, DrawnPage, Strength, draw_page, load_recipe, recipe_names
from groundtruth.box import Box
from groundtruth.pages import open_document
from groundtruth.truth import GroundTruth, TruthEvidence
from recapture_builders import dense_list, fiducials

SMALL = (260.3, 330.7)
"""No whole number of pixels at any of the resolutions."""
SHA = "a" * 64


def drawn_by(placement: Placement, dpi: int, codec: Codec = Codec.JPEG) -> DrawnPage:
    return DrawnPage(
        attempt=1, strength=Strength.MILD, dpi=dpi, color="gray", turn=placement.turn, degrees=placement.degrees,
        scale=placement.scale, shift=placement.shift, corners=placement.corners, surround=255, before=(), after=(),
        codec=codec, quality=90,
    )  # fmt: skip


def on_page(data: bytes, folder: Path, drawn: DrawnPage) -> tuple[Clean, Captured]:
    file = folder / "page.pdf"
    file.write_bytes(data)
    with open_document(file) as source:
        clean = read_clean(source.page(1), drawn)
    return clean, capture(clean, drawn)


def word_boxes(folder: Path) -> tuple[Box, ...]:
    """Of the page that ``on_page`` put into the folder."""
    with open_document(folder / "page.pdf") as source:
        return tuple(word.box for word in source.page(1).words)


def distances(picture: NDArray[Any], captured: Captured, centers: list[tuple[float, float]]) -> NDArray[Any]:
    """How far each disc lies from where the homography says, in pixels, found by its weight of ink."""
    height, width = picture.shape
    found = []
    for x, y in (captured.homography.apply(*center) for center in centers):
        column, row, reach = round(x * width), round(y * height), max(8, height // 60)
        part = 255.0 - picture[row - reach : row + reach, column - reach : column + reach]
        paper = np.median(part)
        is_ink = (part > (paper + part.max()) / 2).astype(np.uint8)
        # The disc is the largest dark thing around; its rim belongs to it.
        _, labels, stats, _ = cv2.connectedComponentsWithStats(is_ink)
        disc = (labels == 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())).astype(np.uint8)
        ink = np.clip(part - paper, 0, None) * cv2.dilate(disc, np.ones((5, 5), np.uint8))
        places = np.arange(2 * reach) + 0.5
        at_x = (ink.sum(axis=0) * places).sum() / ink.sum() + column - reach
        at_y = (ink.sum(axis=1) * places).sum() / ink.sum() + row - reach
        found.append(np.hypot(at_x - x * width, at_y - y * height))
    return np.array(found)


@pytest.mark.parametrize("dpi", [150, 200, 300])
@pytest.mark.parametrize(
    "placement",
    [
        pytest.param(Placement(), id="upright"),
        pytest.param(Placement(degrees=3.0, scale=0.92), id="tilted"),
        pytest.param(Placement(turn=90, degrees=-1.0, scale=0.95), id="on its side"),
        pytest.param(
            Placement(degrees=2.0, scale=0.92, corners=(0.03, 0.01, 0.02, 0.04, 0, 0.02, 0.01, 0)), id="photo"
        ),
    ],
)
def test_fiducials_lie_where_the_geometry_says(tmp_path: Path, placement: Placement, dpi: int) -> None:
    data, centers = fiducials(SMALL)
    _, captured = on_page(data, tmp_path, drawn_by(placement, dpi))
    assert distances(captured.pixels, captured, centers).max() <= 0.1


@pytest.mark.parametrize(
    "name",
    # Augraphy takes seconds to load.
    [pytest.param(name, marks=[pytest.mark.e2e] if name == "phone-photo" else []) for name in recipe_names()],
)
def test_fiducials_are_found_again_after_every_effect(tmp_path: Path, name: str) -> None:
    data, centers = fiducials(SMALL)
    drawn = draw_page(load_recipe(name, VERSIONS), Strength.MEDIUM, seed=3, document=SHA, page=1)
    clean, _ = on_page(data, tmp_path, drawn_by(Placement(), drawn.dpi))
    if drawn.color == "rgb":
        clean = replace(clean, pixels=np.repeat(clean.pixels[:, :, None], 3, axis=2))
    captured = capture(clean, drawn)
    assert distances(decode(captured.picture), captured, centers).max() <= 1.0


def test_the_hull_holds_all_ink_of_a_word_that_is_tilted_and_photographed(tmp_path: Path) -> None:
    data, rows = dense_list(size=(300.0, 400.0), rows=12, font_size=7)
    placement = Placement(degrees=10.0, scale=0.75, corners=(0.03, 0.01, 0.02, 0.04, 0.0, 0.02, 0.01, 0.0))
    clean, captured = on_page(data, tmp_path, drawn_by(placement, 200))
    height, width = captured.pixels.shape
    alone = np.full_like(clean.pixels, 255)
    box = word_boxes(tmp_path)[10]
    x0, y0, x1, y1 = (edge * side for edge, side in zip(box, clean.scale * 2, strict=True))
    part = np.s_[int(y0) : int(y1) + 1, int(x0) : int(x1) + 1]
    alone[part] = clean.pixels[part]
    moved = capture(Clean(alone, clean.points, clean.dpi), drawn_by(placement, 200))
    ys, xs = np.nonzero(moved.pixels < 200)
    hull = moved.homography.quad(box).hull()
    assert len(xs) > 20
    assert xs.min() >= hull.x0 * width - 2 and xs.max() + 1 <= hull.x1 * width + 2  # noqa: PT018
    assert ys.min() >= hull.y0 * height - 2 and ys.max() + 1 <= hull.y1 * height + 2  # noqa: PT018
    assert rows


@pytest.mark.parametrize("name", ["office-scan", "fax", "photocopy"])
def test_the_same_page_comes_out_after_unrelated_chance_and_other_threads(tmp_path: Path, name: str) -> None:
    data, _ = dense_list(size=SMALL, rows=10, font_size=6)
    drawn = draw_page(load_recipe(name, VERSIONS), Strength.MEDIUM, seed=3, document=SHA, page=1)
    _, first = on_page(data, tmp_path, drawn)
    random.seed(99)
    np.random.seed(7)
    cv2.setRNGSeed(5)
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1 if threads > 1 else 2)
    try:
        _, second = on_page(data, tmp_path, drawn)
    finally:
        cv2.setNumThreads(threads)
    assert first.picture == second.picture


def test_no_effect_changes_the_pixels_it_is_given(tmp_path: Path) -> None:
    data, _ = dense_list(size=SMALL, rows=10, font_size=6)
    for name in ("office-scan", "archive-scan"):
        drawn = draw_page(load_recipe(name, VERSIONS), Strength.STRONG, seed=3, document=SHA, page=1)
        file = tmp_path / "page.pdf"
        file.write_bytes(data)
        with open_document(file) as source:
            clean = read_clean(source.page(1), drawn)
        before = clean.pixels.copy()
        capture(clean, drawn)
        assert (clean.pixels == before).all()


@pytest.mark.parametrize("codec", list(Codec))
def test_what_a_reader_of_the_pdf_sees_is_the_picture(tmp_path: Path, codec: Codec) -> None:
    data, _ = dense_list(size=SMALL, rows=10, font_size=6)
    _, captured = on_page(data, tmp_path, drawn_by(Placement(), 144, codec))
    file = BytesIO()
    writer = PdfWriter(file)
    writer.add(captured.picture)
    writer.close()
    assert writer.sha256 == hashlib.sha256(file.getvalue()).hexdigest()
    (tmp_path / "twin.pdf").write_bytes(file.getvalue())
    with open_document(tmp_path / "twin.pdf") as source:
        page = source.page(1)
        assert source.notes == ()
        assert page.words == ()
        assert (page.width, page.height) == pytest.approx(SMALL, abs=1e-3)
        shown = page.raster(72.0 * captured.picture.size[0] / page.width)[:, :, 0]
    wanted = decode(captured.picture)
    rows, columns = (min(sides) for sides in zip(shown.shape, wanted.shape, strict=True))
    difference = np.abs(shown[:rows, :columns].astype(int) - wanted[:rows, :columns])
    assert difference.mean() < 3


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_originals_that_are_rotated_are_captured_as_displayed(tmp_path: Path, rotate: int) -> None:
    data, _ = dense_list(size=SMALL, rows=6, font_size=8, rotate=rotate)
    _, captured = on_page(data, tmp_path, drawn_by(Placement(degrees=1.0, scale=0.95), 150))
    turned = rotate in (90, 270)
    assert captured.picture.points == pytest.approx(SMALL[::-1] if turned else SMALL, abs=1e-3)
    height, width = captured.pixels.shape
    for box in word_boxes(tmp_path):
        hull = captured.homography.quad(box).hull()
        part = captured.pixels[
            int(hull.y0 * height) : int(hull.y1 * height), int(hull.x0 * width) : int(hull.x1 * width)
        ]
        assert part.min() < 128


def test_a_page_too_large_for_the_recipe_is_captured_at_a_coarser_resolution(tmp_path: Path) -> None:
    data, _ = dense_list(size=(2384.0, 3370.0), rows=4)
    (tmp_path / "a0.pdf").write_bytes(data)
    with open_document(tmp_path / "a0.pdf") as source:
        finest = most_dpi(source.page(1))
    drawn = draw_page(
        load_recipe("office-scan", VERSIONS), Strength.MEDIUM, seed=0, document=SHA, page=1, most_dpi=finest
    )
    assert 72 < drawn.dpi < 200
    assert 2384 * 3370 / 72**2 * drawn.dpi**2 <= 40_000_000


def test_a_page_longer_than_a_picture_can_be_is_captured(tmp_path: Path) -> None:
    data, _ = dense_list(size=(14400.0, 20.0), rows=1, font_size=7)
    (tmp_path / "strip.pdf").write_bytes(data)
    with open_document(tmp_path / "strip.pdf") as source:
        page = source.page(1)
        drawn = draw_page(
            load_recipe("image-only", VERSIONS),
            Strength.MILD,
            seed=0,
            document=SHA,
            page=1,
            most_dpi=most_dpi(page),
        )
        size = capture(read_clean(page, drawn), drawn).picture.size
    assert size[0] == 200 * drawn.dpi
    assert 20_000 < size[0] <= 30_000


LINE = np.full((24, 120), 255, np.uint8)
cv2.putText(LINE, "753.90", (8, 18), cv2.FONT_HERSHEY_SIMPLEX, 0.55, 0, 1)


def without_the_point() -> NDArray[Any]:
    found = LINE.copy()
    found[:, 41:46] = np.where(found[:, 41:46] < 128, 255, found[:, 41:46])
    return found


def score(after: NDArray[Any]) -> Score:
    found = score_crop(LINE, after.astype(np.uint8), 20.0)
    assert found is not None
    return found


def test_an_unchanged_value_is_legible() -> None:
    assert score(LINE).is_legible()
    assert score(255 - (255 - LINE) // 2).is_legible()


def test_light_print_on_a_dark_field_is_judged_alike() -> None:
    found = score_crop(255 - LINE, 255 - LINE, 20.0)
    assert found == score(LINE)


@pytest.mark.parametrize(
    "after",
    [
        pytest.param(np.full_like(LINE, 255), id="gone"),
        pytest.param(255 - (255 - LINE.astype(int)) // 8, id="too faint"),
        pytest.param(cv2.blur(LINE, (15, 15)), id="too soft"),
        pytest.param(np.where(np.arange(120) < 40, 255, LINE), id="half of it erased"),
    ],
)
def test_a_value_that_nobody_could_read_is_not(after: NDArray[Any]) -> None:
    assert not score(after).is_legible()


def test_a_mark_that_could_be_a_decimal_point_is_seen() -> None:
    after = LINE.copy()
    after[15:18, 100:103] = 0
    assert score(after).marks == 1
    assert not score(after).is_legible()


def test_a_box_with_nothing_printed_in_it_is_not_judged() -> None:
    blank = np.full_like(LINE, 250)
    assert score_crop(blank, blank, 20.0) is None


def test_a_page_is_drawn_again_until_every_value_is_there(tmp_path: Path) -> None:
    """A value at the very edge is cut by most tilts; the record tells what was tried."""
    data, _ = dense_list(size=SMALL, rows=4, font_size=8)
    (tmp_path / "page.pdf").write_bytes(data)
    order = Order(load_recipe("image-only", VERSIONS), Strength.STRONG, 0, SHA)
    with open_document(tmp_path / "page.pdf") as source:
        page = source.page(1)
        picture, record = recapture_page(page, order, {"edge": [Box(0.0, 0.0, 0.2, 0.02)]})
        again, hashes = remake_page(page, record)
    assert record.unused
    assert record.unused[0].illegible == 1
    assert record.drawn.attempt > 1
    assert (record.clipped == ()) == (record.drawn.strength is Strength.MILD)
    assert again == picture
    assert hashes == record.hashes


def test_a_page_without_values_is_captured_at_the_first_attempt(tmp_path: Path) -> None:
    data, _ = dense_list(size=SMALL, rows=0)
    (tmp_path / "page.pdf").write_bytes(data)
    order = Order(load_recipe("image-only", VERSIONS), Strength.MEDIUM, 0, SHA)
    with open_document(tmp_path / "page.pdf") as source:
        _, record = recapture_page(source.page(1), order, {})
    assert (record.values, record.worst, record.drawn.attempt) == (0, None, 1)


def test_the_truth_of_a_twin_has_the_same_values_and_moved_places(tmp_path: Path) -> None:
    data, _ = dense_list(size=SMALL, rows=4, font_size=8)
    (tmp_path / "page.pdf").write_bytes(data)
    order = Order(load_recipe("sideways-scan", VERSIONS), Strength.MILD, 0, SHA)
    entry = TruthEvidence(1, Box(0.3, 0.3, 0.4, 0.35).xywh, quote="12")
    truth = GroundTruth("one", "s", {"a": 12}, {"a": (entry, TruthEvidence(value=13))})
    with open_document(tmp_path / "page.pdf") as source:
        _, record = recapture_page(source.page(1), order, places_on_pages(truth)[1])
    twin = recaptured_truth(truth, "two", [record], {"of": "one"}, {"perception": "P1"})
    assert twin.value == truth.value
    assert twin.tags["perception"] == "P1"
    assert twin.evidence["a"][1] == truth.evidence["a"][1]
    moved = twin.evidence["a"][0]
    assert moved.quote == "12"
    assert len(moved.further["quad"]) == 8
    assert GroundTruth.from_json(twin.to_json()) == twin
    assert moved.bbox is not None
    assert Box.from_xywh(map(float, moved.bbox)).iou(Box(0.3, 0.3, 0.4, 0.35)) < 0.9


def test_a_blank_crop_at_the_edge_is_left_out(tmp_path: Path) -> None:
    data, _ = dense_list(size=SMALL, rows=2, font_size=8)
    clean, captured = on_page(data, tmp_path, drawn_by(Placement(), 100))
    assert score_value(clean, captured.homography, decode(captured.picture), [Box(0.0, 0.98, 0.01, 1.0)]) is None
    assert Picture is type(captured.picture)


@pytest.mark.parametrize(
    ("scale", "dpi", "font", "is_legible"),
    [
        pytest.param(1.0, 200, 8, True, id="as it was"),
        pytest.param(0.1, 200, 8, False, id="far away"),
        pytest.param(0.1, 100, 8, False, id="so far that print is paper"),
        pytest.param(1.0, 72, 9, True, id="coarse"),
        pytest.param(1.0, 72, 4, False, id="small print, coarse"),
    ],
)
@pytest.mark.parametrize("degrees", [0.0, 8.0])
def test_letters_too_small_to_read_are_illegible(
    tmp_path: Path, scale: float, dpi: int, font: int, is_legible: bool, degrees: float
) -> None:
    data, _ = dense_list(size=SMALL, rows=2, font_size=font)
    clean, captured = on_page(data, tmp_path, drawn_by(Placement(degrees=degrees, scale=scale), dpi))
    seen = decode(captured.picture)
    scores = [score_value(clean, captured.homography, seen, [box]) for box in word_boxes(tmp_path)[4:]]
    assert len(scores) > 5
    assert [score is not None and score.is_legible() for score in scores] == [is_legible] * len(scores)


def test_a_dash_is_not_too_small_a_letter(tmp_path: Path) -> None:
    from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

    canvas = Canvas(str(tmp_path / "page.pdf"), pagesize=SMALL, invariant=1)
    canvas.drawString(100, 200, "-")
    canvas.save()
    clean, captured = on_page((tmp_path / "page.pdf").read_bytes(), tmp_path, drawn_by(Placement(), 150))
    found = score_value(clean, captured.homography, decode(captured.picture), word_boxes(tmp_path))
    assert found is not None
    assert found.height is None
    assert found.is_legible()
