"""The pictures of a packet: what they show, how readable it is, and that equal questions give equal bytes."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pymupdf
import pytest
from numpy.typing import NDArray
from PIL import Image

from annotation.labeling_config import COLOURS
from annotation.packet import Packet
from annotation.pictures import CELL_HEIGHT, pictures_of
from annotation.tasks import picture_names
from answer_builders import bulk_card, card_of, packet_of, row_card
from groundtruth.box import Box
from groundtruth.evidence import Evidence

WIDTH, HEIGHT = 1240, 1754
LINE = 22 / HEIGHT
"""The height of a line of ten points at 150 dpi, as a part of the page."""


def rasters(document: str, number: int) -> NDArray[np.uint8]:
    """A page with a line of text every 40 pixels."""
    pdf = pymupdf.open()
    page = pdf.new_page(width=595, height=842)
    for row in range(20):
        page.insert_text((60, 60 + row * 19.2), f"{document} {number} Label {row}: value {row * 7}", fontsize=10)
    pixmap = page.get_pixmap(dpi=150)
    pixels = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.width, 3)
    pdf.close()
    return pixels


def place(y: float, x: float = 0.3, page: int = 1, width: float = 0.1) -> Evidence:
    return Evidence(page=page, boxes=(Box(x, y, x + width, y + LINE),))


def drawn(packet: Packet) -> dict[str, Image.Image]:
    """The pictures by what they are."""
    made = pictures_of(packet, rasters)
    assert set(made) == set(picture_names(packet))
    return {name.split("-")[0]: Image.open(io.BytesIO(data)) for name, data in made.items()}


def outlined(picture: Image.Image) -> NDArray[np.bool_]:
    """Which pixels are of an outline, which is red, where pages are black on white."""
    pixels = np.asarray(picture.convert("RGB")).astype(int)
    return np.asarray(pixels[..., 0] - pixels[..., 2] > 90)


def test_the_same_packet_gives_the_same_bytes() -> None:
    packet = packet_of(card_of(evidence=(place(0.2),)), card_of("total", (1,), evidence=(place(0.4),), certain=False))
    assert pictures_of(packet, rasters) == pictures_of(packet, rasters)


def test_a_crop_shows_the_box_and_what_stands_before_it() -> None:
    crop = drawn(packet_of(card_of(evidence=(place(0.2, x=0.5),))))["crop"]
    rows, columns = np.nonzero(outlined(crop))
    assert crop.width >= 500
    assert columns.min() > 0.5 * crop.width, "labels stand to the left of their values"
    assert rows.max() - rows.min() >= 22, "the print is at least as large as on the page"
    assert rows.min() > 10
    assert rows.max() < crop.height - 10


def test_small_print_is_enlarged() -> None:
    small = Evidence(page=1, boxes=(Box(0.3, 0.2, 0.34, 0.2 + 12 / HEIGHT),))
    rows, _ = np.nonzero(outlined(drawn(packet_of(card_of(evidence=(small,))))["crop"]))
    assert rows.max() - rows.min() >= 24


@pytest.mark.parametrize(
    "evidence",
    [
        pytest.param(Evidence(page=1, boxes=(Box(0.0, 0.0, 1.0, 1.0),)), id="the whole page"),
        pytest.param(Evidence(page=1, boxes=(Box(0.0, 0.0, 1e-6, 1e-6),)), id="a speck in the corner"),
        pytest.param(Evidence(page=1, boxes=(Box(0.999, 0.999, 1.0, 1.0),)), id="the other corner"),
        pytest.param(
            Evidence(page=1, boxes=tuple(Box(0.1, 0.1 + at / 40, 0.9, 0.11 + at / 40) for at in range(30))),
            id="thirty lines",
        ),
    ],
)
def test_every_box_has_a_crop_of_sensible_size(evidence: Evidence) -> None:
    crop = drawn(packet_of(card_of(evidence=(evidence,))))["crop"]
    assert 8 <= crop.width <= 2 * WIDTH
    assert 8 <= crop.height <= 800


def test_a_guess_is_dashed() -> None:
    certain = outlined(drawn(packet_of(card_of(evidence=(place(0.2),))))["crop"]).sum()
    guess = outlined(drawn(packet_of(card_of(evidence=(place(0.2),), certain=False)))["crop"]).sum()
    assert 0.3 * certain < guess < 0.8 * certain


def test_several_places_stand_below_one_another() -> None:
    one = drawn(packet_of(card_of(evidence=(place(0.2),))))["crop"]
    places = tuple(place(0.1 + at / 10, page=1 + at % 2) for at in range(6))
    several = drawn(packet_of(card_of(evidence=places), pages=(1, 2)))["crop"]
    assert 3.5 * one.height < several.height < 4.5 * one.height, "four of the six"


def test_the_cells_of_a_row_are_one_crop() -> None:
    card = row_card()
    cells = tuple(place(0.2, x=x) for x in (0.1, 0.4, 0.7))
    crop = drawn(packet_of(replace(card, evidence=cells)))["crop"]
    assert crop.height < 120
    assert crop.width > 0.7 * WIDTH


def test_pages_of_several_cards_carry_their_numbers() -> None:
    cards = (card_of(evidence=(place(0.2),)), card_of("total", (1,), evidence=(place(0.4),)))
    plain = np.asarray(drawn(packet_of(cards[0]))["page"].convert("RGB")).astype(int)
    page = np.asarray(drawn(packet_of(*cards))["page"].convert("RGB")).astype(int)
    assert page.shape == plain.shape
    for card, colour in zip(cards, COLOURS, strict=False):
        wanted = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)])
        rows, columns = np.nonzero(np.abs(page - wanted).sum(axis=2) < 40)
        box = card.evidence[0].boxes[0]
        assert rows.size > 200
        assert abs(rows.mean() / page.shape[0] - (box.y0 + box.y1) / 2) < 0.03, "the number stands beside its box"
        inside = (columns / page.shape[1] > box.x0) & (columns / page.shape[1] < box.x1)
        over = (rows / page.shape[0] > box.y0) & (rows / page.shape[0] < box.y1)
        assert not (inside & over).any(), "and covers nothing of it"


def test_a_number_goes_where_nothing_is_printed() -> None:
    raster = np.full((HEIGHT, WIDTH, 3), 255, dtype=np.uint8)
    raster[:, : WIDTH // 3] = np.indices((HEIGHT, WIDTH // 3)).sum(axis=0)[..., None] % 2 * 255
    packet = packet_of(card_of(evidence=(place(0.2, x=1 / 3 + 0.01),)), card_of("total", (1,), evidence=()))
    pictures = pictures_of(packet, lambda *_: raster)
    page = np.asarray(Image.open(io.BytesIO(next(data for name, data in pictures.items() if "page" in name))))
    wanted = np.array([int(COLOURS[0][at : at + 2], 16) for at in (1, 3, 5)])
    _, columns = np.nonzero(np.abs(page.astype(int) - wanted).sum(axis=2) < 40)
    assert columns.min() > WIDTH / 3, "to the left it is full of print"


def test_a_sheet_has_a_cell_for_each_member() -> None:
    sheet = drawn(packet_of(bulk_card(values=(1, 2, 3)), pages=()))["sheet"]
    assert sheet.height == 3 * CELL_HEIGHT
    marked = outlined(sheet)
    for at in range(3):
        assert marked[at * CELL_HEIGHT : (at + 1) * CELL_HEIGHT].any()


def test_a_member_without_a_box_leaves_its_cell_empty() -> None:
    card = bulk_card(values=(1, 2))
    nowhere = replace(card.members[0], evidence=(Evidence(page=1),))
    changed = replace(card, members=(nowhere, card.members[1]))
    sheet = drawn(packet_of(changed, pages=()))["sheet"]
    marked = outlined(sheet)
    assert not marked[:CELL_HEIGHT].any()
    assert marked[CELL_HEIGHT:].any()
