"""Words of a document as the text-layer extractors see them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import document_builders as made
from extraction_builders import Text, form_pdf, job, text_pdf
from extractors.layout import evidence, lines_of
from extractors.words import join, read_document
from groundtruth.errors import BrokenDocument, EncryptedDocument
from groundtruth.pages import open_document


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize(
    "boxes",
    [
        pytest.param({}, id="plain"),
        pytest.param({"crop": (20, 40, 290, 380)}, id="crop"),
        pytest.param({"crop": (-50, -50, 250, 500)}, id="crop-beyond-media"),
        pytest.param({"media": (-100, -100, 300, 400)}, id="media-not-at-origin"),
    ],
)
def test_pdfium_and_the_page_model_agree_where_words_stand(
    tmp_path: Path, rotation: int, boxes: dict[str, Any]
) -> None:
    # The builder writes level text on the unrotated page, so on a rotated one it is turned on its side.
    file = tmp_path / "turned.pdf"
    file.write_bytes(made.turned_pdf(rotation, **boxes))
    (page,) = read_document(job(file))
    with open_document(file) as document:
        expected = document.page(1)
        assert (page.width, page.height) == pytest.approx((expected.width, expected.height), abs=0.01)
        (word,) = expected.words
    if rotation:
        assert page.words == ()
    else:
        (found,) = page.words
        assert found.text == word.text == "HELLO"
        assert found.box.iou(word.box) > 0.7


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_upright_text_of_a_rotated_page_stands_where_it_is_displayed(tmp_path: Path, rotation: int) -> None:
    file = text_pdf(tmp_path / "upright.pdf", [Text(100, 150, "HELLO world", size=20)], rotation=rotation)
    (page,) = read_document(job(file))
    with open_document(file) as document:
        raster = document.page(1).raster(72)
    x0, y0, x1, y1 = made.dark_box(raster)
    hello, world = page.words
    assert (hello.text, world.text) == ("HELLO", "world")
    assert hello.box.x0 <= x0 + 0.005
    assert hello.box.y0 <= y0 + 0.005
    assert world.box.x1 >= x1 - 0.005
    assert world.box.y1 >= y1 - 0.005


def test_words_part_at_gaps_without_a_space_and_behind_a_glued_colon(tmp_path: Path) -> None:
    texts = [
        Text(50, 100, "left"),
        Text(200, 100, "right"),
        Text(50, 120, "Date:03/04/2025"),
        Text(50, 140, "http://example.com 10:30"),
    ]
    (page,) = read_document(job(text_pdf(tmp_path / "a.pdf", texts)))
    assert [word.text for word in page.words] == [
        "left", "right", "Date:", "03/04/2025", "http://example.com", "10:30",
    ]  # fmt: skip


def test_a_page_that_reads_from_right_to_left_is_measured_from_the_right(tmp_path: Path) -> None:
    file = tmp_path / "hebrew.docx"
    file.write_bytes(made.docx(["שלום עולם", "מספר חשבונית"]))
    (page,) = read_document(job(file))
    assert page.right_to_left
    first, second = lines_of(page)
    assert join(first.words) == "שלום עולם"
    assert join(second.words) == "מספר חשבונית"
    (shalom, olam) = first.words
    assert shalom.x0 < olam.x0
    assert shalom.box.x0 > olam.box.x0


def test_form_fields_are_part_of_the_page(tmp_path: Path) -> None:
    file = form_pdf(tmp_path / "form.pdf", Text(50, 100, "Name:"), (100, 88, 200, 104), "Ada")
    (page_text,) = read_document(job(file))
    assert [word.text for word in page_text.words] == ["Name:", "Ada"]


def test_evidence_has_one_box_a_printed_line(tmp_path: Path) -> None:
    texts = [Text(50, 100, "12 High Street"), Text(50, 112, "London")]
    (page,) = read_document(job(text_pdf(tmp_path / "a.pdf", texts)))
    (place,) = evidence(page.words, "text-geo")
    assert (place.page, len(place.boxes), place.quote) == (1, 2, "12 High Street London")
    assert place.systems == ("text-geo",)
    assert place.boxes[0].y1 <= place.boxes[1].y0 + 0.01


def test_leaders_part_a_label_from_its_value(tmp_path: Path) -> None:
    (page,) = read_document(job(text_pdf(tmp_path / "a.pdf", [Text(50, 100, "Total ........ 1,234.50 | EUR")])))
    (line,) = lines_of(page)
    assert [segment.text for segment in line.fields] == ["Total", "1,234.50", "EUR"]


@pytest.mark.parametrize(
    ("content", "error"),
    [
        pytest.param(b"%PDF-1.7\ngarbage", BrokenDocument, id="broken"),
        pytest.param(made.pdf(encryption=4, user_pw="secret", owner_pw="secret"), EncryptedDocument, id="encrypted"),
    ],
)
def test_a_pdf_that_cannot_be_opened_is_named(tmp_path: Path, content: bytes, error: type[Exception]) -> None:
    file = tmp_path / "bad.pdf"
    file.write_bytes(content)
    with pytest.raises(error, match="bad\\.pdf"):
        read_document(job(file))
