"""The extractor that looks at pages: what the engine reads and where, check boxes, skew, refusals, the whole."""

# PyMuPDF says that it is typed, but its functions mostly are not.
# mypy: allow-untyped-calls

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from numpy.typing import NDArray

from extraction_builders import BOOLEAN, NUMBER, TEXT, Text, grid, job, records, schema
from extractors import rapid_engine
from extractors.ocr_pages import Picture
from extractors.ocr_rapid import OcrRapid
from extractors.protocol import Extractor, run
from extractors.rapid_boxes import check_boxes, without
from extractors.rapid_engine import RapidEngine, Strip, page_skew, strip_of, upright
from extractors.rapid_words import Character, Reading, word_spans
from extractors.readings import Readings
from groundtruth.ballot import Failure, Status
from groundtruth.pages import open_document
from groundtruth.path import parse_path

pytestmark = pytest.mark.e2e  # loads and runs the models, for seconds a page

DPI = 200
SMALL = (300, 160)
CLAIM = schema({"claim_number": TEXT, "paid": BOOLEAN, "items": records({"code": TEXT, "amount": NUMBER})})


@pytest.fixture(scope="module")
def extractor() -> OcrRapid:
    """One for all, since the models take seconds to load."""
    return OcrRapid()


def small_pdf(path: Path, texts: Iterable[Text], *, ticked: tuple[float, float] | None = None) -> Path:
    """A small page with these texts, since an engine takes seconds for a large one, and a ticked box."""
    with pymupdf.open() as document:
        page = document.new_page(width=SMALL[0], height=SMALL[1])
        for text in texts:
            page.insert_text((text.x, text.y), text.text, fontsize=text.size)
        if ticked is not None:
            x, y = ticked
            page.draw_rect((x, y, x + 9, y + 9), color=(0, 0, 0), width=0.8)
            page.draw_line((x + 1.5, y + 1.5), (x + 7.5, y + 7.5))
            page.draw_line((x + 7.5, y + 1.5), (x + 1.5, y + 7.5))
        document.save(path)
    return path


def claim_pdf(path: Path) -> Path:
    """A claim: a field, a ticked box, a table of two rows."""
    texts = [Text(20, 30, "Claim number:"), Text(110, 30, "CL-7421"), Text(36, 56, "Paid")]
    texts += grid(90, (20, 200), [("Code", "Amount"), ("AB-1", "1,234.50"), ("AB-2", "7.25")])
    return small_pdf(path, texts, ticked=(20, 48))


def pixels(path: Path, angle: float = 0.0) -> NDArray[np.uint8]:
    """The first page as a picture, turned clockwise by ``angle`` degrees."""
    import cv2

    with open_document(path) as document:
        raster = document.page(1).raster(DPI)
    if not angle:
        return raster
    height, width = raster.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), -angle, 1.0)
    return cv2.warpAffine(raster, turn, (width, height), borderValue=(255, 255, 255)).astype(np.uint8)


def test_the_whole_on_a_small_page(tmp_path: Path, extractor: OcrRapid) -> None:
    file = claim_pdf(tmp_path / "claim.pdf")
    kept = Readings(tmp_path / "readings")
    ballot = run(extractor, job(file, CLAIM, readings=kept))
    assert ballot.status is Status.OK, ballot.detail
    assert ballot.data == {
        "claim_number": "CL-7421",
        "paid": True,
        "items": [{"code": "AB-1", "amount": Decimal("1234.50")}, {"code": "AB-2", "amount": Decimal("7.25")}],
    }
    (place,) = ballot.citations[parse_path("items[0].amount")]
    with open_document(file) as document:
        words = document.page(1).words
    inside = [word.text for word in words for box in place.boxes if box.contains_point(*word.box.center)]
    assert inside == ["1,234.50"]
    assert kept.get(RapidEngine().key, 1) is not None


def test_every_word_is_boxed_where_it_stands_though_the_page_lies_askew(tmp_path: Path, extractor: OcrRapid) -> None:
    texts = ["Total claimed by the insured person", "Cause of the loss, as reported", "Name and address of the owner"]
    file = small_pdf(tmp_path / "lines.pdf", [Text(40, 60 + 24 * n, text) for n, text in enumerate(texts)])
    with open_document(file) as document:
        words, width, height = document.page(1).words, document.page(1).width, document.page(1).height
    reading = extractor.engine.recognise(Picture(pixels(file, angle=2.0), DPI, 1, width, height))
    assert [word.text for word in reading.words] == " ".join(texts).split()
    assert reading.skew == pytest.approx(2.0, abs=0.4)
    for found, word in zip(reading.words, words, strict=True):
        middle = ((found.level[0] + found.level[2]) / 2, (found.level[1] + found.level[3]) / 2)
        centre = (word.box.center[0] * width, word.box.center[1] * height)
        assert middle == pytest.approx(centre, abs=4.0)


def test_check_boxes_are_told_from_letters_cells_and_solid_squares(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=SMALL[0], height=SMALL[1])
        page.insert_text((20, 30), "BOOD 0680 MED", fontsize=14, fontname="hebo")
        for number in range(3):
            page.draw_rect((20 + 10 * number, 50, 30 + 10 * number, 60), width=0.7)
        page.draw_rect((100, 50, 110, 60), width=0.7)
        page.draw_rect((140, 50, 150, 60), width=0.7)
        page.insert_text((142, 58.5), "x", fontsize=10)
        page.draw_rect((180, 50, 190, 60), fill=(0, 0, 0))
        page.draw_rect((220, 50, 280, 60), width=0.7)
        document.save(tmp_path / "boxes.pdf")
    raster = pixels(tmp_path / "boxes.pdf")
    boxes = check_boxes(raster, DPI)
    assert [(round(box.x0 * 72 / DPI), box.checked) for box in boxes] == [(100, False), (140, True)]
    painted = without(raster, boxes)
    assert check_boxes(painted, DPI) == []
    assert without(raster, []) is raster


def test_words_lie_where_the_ink_is_and_a_wide_gap_parts_them() -> None:
    cut = np.full((30, 200, 3), 255, dtype=np.uint8)
    for start in (10, 22, 60, 72, 150, 162):
        cut[8:22, start : start + 8] = 0
    # What was read: "ab cd" and, glued to it, "ef".
    places = [(14, "a"), (26, "b"), (64, "c"), (76, "d"), (154, "e"), (166, "f")]
    characters = [Character(text, place / 200, 0.9) for place, text in places]
    spans = word_spans(cut, Reading((tuple(characters[:2]), tuple(characters[2:]))))
    assert [(span.text, span.start, span.end) for span in spans] == [("ab", 10, 30), ("cd", 60, 80), ("ef", 150, 170)]


def test_a_unit_is_parted_from_its_figure_where_a_space_is_and_letters_are_not() -> None:
    cut = np.full((40, 200, 3), 255, dtype=np.uint8)
    for start in (10, 20, 45, 70, 92, 102, 112):
        cut[10:28, start : start + 8] = 0
    # What was read: "12V" with a space before the unit, and "Labc" with as wide a gap after its first letter.
    places = [(14, "1"), (24, "2"), (49, "V"), (74, "L"), (96, "a"), (106, "b"), (116, "c")]
    characters = [Character(text, place / 200, 0.9) for place, text in places]
    spans = word_spans(cut, Reading((tuple(characters[:3]), tuple(characters[3:]))))
    assert [span.text for span in spans] == ["12", "V", "Labc"]


def test_the_skew_is_that_of_the_long_runs() -> None:
    def quad(y: float, angle: float, length: float = 400) -> list[tuple[float, float]]:
        fall = length * np.tan(np.radians(angle))
        return [(50, y), (50 + length, y + fall), (50 + length, y + fall + 30), (50, y + 30)]

    assert page_skew([quad(50 * n, 1.0) for n in range(5)] + [quad(300, 8, length=60)]) == pytest.approx(1.0)
    assert page_skew([quad(0, 5.0)]) == 0.0
    assert page_skew([quad(50 * n, 0.05) for n in range(5)]) == 0.0
    assert strip_of(quad(0, 8, length=60), 1.0).angle == 1.0
    assert strip_of(quad(0, 8), 1.0).angle == pytest.approx(8.0)


def test_text_that_runs_upwards_is_left_out_and_a_narrow_figure_is_not() -> None:
    line, figure, sideways = Strip(0, 0, 0, 300, 40), Strip(0, 0, 0, 20, 40), Strip(0, 0, 0, 40, 400)
    assert upright([line, figure, sideways, line]) == [line, figure, line]
    assert upright([]) == []


def test_a_document_in_another_alphabet_is_refused(tmp_path: Path) -> None:
    ballot = run(OcrRapid(), job(claim_pdf(tmp_path / "claim.pdf"), CLAIM, languages=("ru", "el")))
    assert ballot.failure is Failure.UNSUPPORTED_INPUT
    assert "ru, el" in ballot.detail


def test_a_file_without_pages_to_look_at_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "note.txt"
    file.write_text("Claim number: 7421")
    assert run(OcrRapid(), job(file, CLAIM)).failure is Failure.UNSUPPORTED_INPUT


def test_an_empty_page_is_refused(tmp_path: Path, extractor: OcrRapid) -> None:
    ballot = run(extractor, job(small_pdf(tmp_path / "empty.pdf", []), CLAIM))
    assert ballot.failure is Failure.UNSUPPORTED_INPUT
    assert ballot.detail == "no legible text on the pages"


def test_without_its_models_it_is_not_available(monkeypatch: pytest.MonkeyPatch) -> None:
    extractor = OcrRapid()
    assert isinstance(extractor, Extractor)
    assert extractor.available() is None
    monkeypatch.setattr(rapid_engine, "_MODELS", ("another_model.onnx",))
    assert "another_model.onnx" in (extractor.available() or "")
