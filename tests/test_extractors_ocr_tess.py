"""The extractor that reads pages with Tesseract: words and boxes, skew, rules, ticks, languages, the whole."""

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
from extractors import tess_data
from extractors.ocr_pages import Picture
from extractors.ocr_tess import OcrTess
from extractors.protocol import Extractor, run
from extractors.readings import Readings
from extractors.tess_boxes import EMPTY, TICKED, tick_boxes
from extractors.tess_data import folder_of, missing, names_of
from extractors.tess_engine import Tesseract
from extractors.tess_image import ink, prepare, skew_of, without_rules
from groundtruth.ballot import Failure, Status
from groundtruth.pages import open_document
from groundtruth.path import parse_path
from groundtruth.recognised import RecognisedPage

pytestmark = pytest.mark.e2e  # runs Tesseract, for seconds a page

DPI = 300.0
SMALL = (300, 150)
CLAIM = schema({"claim_number": TEXT, "paid": BOOLEAN, "items": records({"code": TEXT, "amount": NUMBER})})

HAS_ENGLISH = not missing(("eng",))
needs_english = pytest.mark.skipif(not HAS_ENGLISH, reason="no English data for Tesseract (tesseract-ocr-eng)")


def small_pdf(path: Path, texts: Iterable[Text], *, ticked: tuple[float, float] | None = None, rule: float = 0) -> Path:
    """A small page with these texts, since an engine takes long for a large one; a ticked box, and rules if asked."""
    with pymupdf.open() as document:
        page = document.new_page(width=SMALL[0], height=SMALL[1])
        for text in texts:
            page.insert_text((text.x, text.y), text.text, fontsize=text.size)
        if ticked is not None:
            x, y = ticked
            page.draw_rect((x, y, x + 9, y + 9), color=(0, 0, 0), width=0.8)
            page.draw_line((x + 1.5, y + 1.5), (x + 7.5, y + 7.5))
            page.draw_line((x + 7.5, y + 1.5), (x + 1.5, y + 7.5))
        if rule:
            page.draw_rect((15, rule, 285, rule + 60), color=(0, 0, 0), width=0.7)
            page.draw_line((150, rule), (150, rule + 60))
        document.save(path)
    return path


def claim_pdf(path: Path) -> Path:
    """A claim: a field, a ticked box, a ruled table of two rows."""
    texts = [Text(20, 30, "Claim number:"), Text(110, 30, "CL-7421"), Text(36, 56, "Paid")]
    texts += grid(90, (20, 200), [("Code", "Amount"), ("AB-1", "1,234.50"), ("AB-2", "7.25")])
    return small_pdf(path, texts, ticked=(20, 48), rule=78)


def picture(path: Path, *, turned: float = 0.0) -> Picture:
    """The first page of a file as a picture, its lines falling by ``turned`` degrees to the right."""
    with open_document(path) as document:
        page = document.page(1)
        pixels = page.raster(DPI)
        return Picture(rotated(pixels, turned) if turned else pixels, DPI, 1, page.width, page.height)


def rotated(pixels: NDArray[np.uint8], degrees: float) -> NDArray[np.uint8]:
    import cv2

    height, width = pixels.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), -degrees, 1.0)
    return np.asarray(cv2.warpAffine(pixels, matrix, (width, height), borderValue=(255, 255, 255)), dtype=np.uint8)


def engine() -> Tesseract:
    return Tesseract(folder_of(("eng",)), ("eng",))


def texts_of(page: RecognisedPage) -> list[str]:
    return [word.text for word in page.words]


@needs_english
def test_a_document_from_picture_to_ballot(tmp_path: Path) -> None:
    extractor: Extractor = OcrTess()
    assert extractor.available() is None
    file, readings = claim_pdf(tmp_path / "claim.pdf"), Readings(tmp_path / "readings")
    ballot = run(extractor, job(file, CLAIM, readings=readings))
    assert (ballot.status, ballot.system, ballot.family) == (Status.OK, "ocr-tess", "line-sequence")
    assert ballot.data == {
        "claim_number": "CL-7421",
        "paid": True,
        "items": [{"code": "AB-1", "amount": Decimal("1234.5")}, {"code": "AB-2", "amount": Decimal("7.25")}],
    }
    (place,) = ballot.citations[parse_path("items[0].amount")]
    with open_document(file) as document:
        cited = [word.text for word in document.page(1).words if place.boxes[0].contains_point(*word.box.center)]
    assert cited == ["1,234.50"]
    # What was read is kept: the same again is not recognised twice.
    kept = readings.get(engine().key, 1)
    assert kept is not None
    assert texts_of(kept)[:3] == ["Claim", "number:", "CL-7421"]
    assert run(extractor, job(file, CLAIM, readings=readings)) == ballot


@needs_english
def test_a_page_that_lies_askew_is_read_level(tmp_path: Path) -> None:
    rows = [(f"AB-{n}", "Hinge", f"{n}1.50") for n in range(1, 6)]
    file = small_pdf(tmp_path / "page.pdf", grid(40, (20, 110, 230), rows))
    read = engine().recognise(picture(file, turned=1.8))
    assert read.skew == pytest.approx(1.8, abs=0.1)
    assert [word.text for word in read.words if word.segment == 2] == ["AB-3", "Hinge", "31.50"]
    first, last = (word for word in read.words if word.text in {"AB-1", "11.50"})
    assert first.level[1] == pytest.approx(last.level[1], abs=1.0)
    assert last.box.y0 * SMALL[1] - first.box.y0 * SMALL[1] == pytest.approx(210 * np.tan(np.radians(1.8)), abs=1.5)


@needs_english
def test_boxes_hold_the_middles_of_the_words_they_read(tmp_path: Path) -> None:
    file = small_pdf(tmp_path / "page.pdf", [Text(20, 40, "Net - 14 days, from 02/03/2025"), Text(20, 70, "SER B")])
    read = engine().recognise(picture(file))
    with open_document(file) as document:
        printed = {word.text: word.box.center for word in document.page(1).words}
    assert texts_of(read) == ["Net", "-", "14", "days,", "from", "02/03/2025", "SER", "B"]
    assert all(word.box.contains_point(*printed[word.text]) for word in read.words)


@needs_english
def test_the_same_page_is_read_the_same_whatever_was_read_before(tmp_path: Path) -> None:
    one = picture(claim_pdf(tmp_path / "claim.pdf"))
    other = picture(small_pdf(tmp_path / "other.pdf", [Text(20, 40, "C1aim nurnber O0O0"), Text(20, 80, "CL-7427")]))
    used = engine()
    used.recognise(other)
    assert used.recognise(one) == engine().recognise(one)


@needs_english
def test_an_empty_page_has_no_words(tmp_path: Path) -> None:
    assert engine().recognise(picture(small_pdf(tmp_path / "empty.pdf", []))).words == ()


def test_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("Claim number: CL-7421\n")
    extractor = OcrTess()
    if extractor.available():
        pytest.skip("no language data for Tesseract")
    ballot = run(extractor, job(file, CLAIM))
    assert (ballot.failure, ballot.detail) == (
        Failure.UNSUPPORTED_INPUT, "the file has text and no pages to look at"
    )  # fmt: skip


@needs_english
def test_a_language_without_data_is_not_configured(tmp_path: Path) -> None:
    ballot = run(OcrTess(), job(claim_pdf(tmp_path / "claim.pdf"), CLAIM, languages=("en", "yi", "xx")))
    assert ballot.failure is Failure.NOT_CONFIGURED
    assert ballot.detail == (
        "Tesseract has no data for yid, xx; on Debian look for tesseract-ocr-yid tesseract-ocr-xx (apt-get install)"
    )


def test_without_any_data_it_says_how_to_get_some(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tess_data, "_FOLDERS", (str(tmp_path / "nowhere"),))
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    monkeypatch.delenv("TESSDATA_PREFIX", raising=False)
    told = OcrTess().available()
    assert told is not None
    assert "apt-get install tesseract-ocr-eng" in told
    failed = run(OcrTess(), job(claim_pdf(tmp_path / "claim.pdf"), CLAIM))
    assert failed.failure is Failure.NOT_CONFIGURED


@pytest.mark.parametrize("inner", ["", "tessdata"], ids=["the-folder", "the-folder-above"])
def test_language_data_of_ones_own_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inner: str) -> None:
    folder = tmp_path / inner
    folder.mkdir(exist_ok=True)
    (folder / "fra.traineddata").write_bytes(b"")
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    assert folder_of(names_of(["fr"])) == folder


def test_languages_that_lie_apart_are_gathered_in_one_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place, name in (("one", "fra"), ("two", "ita")):
        (tmp_path / place).mkdir()
        (tmp_path / place / f"{name}.traineddata").write_text(name)
    monkeypatch.setattr(tess_data, "_FOLDERS", (str(tmp_path / "one"), str(tmp_path / "two")))
    assert missing(("fra", "ita", "xxx")) == ("xxx",)
    folder = folder_of(("fra", "ita"))
    assert {file.name: file.read_text() for file in folder.iterdir()} == {
        "fra.traineddata": "fra", "ita.traineddata": "ita",
    }  # fmt: skip


def square(size: int, *, mark: bool = False, gap: bool = False) -> NDArray[np.bool_]:
    """A drawn box on a picture; ``gap`` leaves a corner open, as a letter may look."""
    dark = np.zeros((120, 120), np.bool_)
    dark[40 : 40 + size, 40 : 40 + size] = True
    dark[43 : 37 + size, 43 : 37 + size] = False
    if mark:
        for offset in range(6, size - 6):
            dark[40 + offset, 38 + offset : 42 + offset] = True
            dark[40 + offset, 38 + size - offset : 42 + size - offset] = True
    if gap:
        dark[36:52, 30 + size : 60 + size] = False
    return dark


@pytest.mark.parametrize(
    ("dark", "expected"),
    [
        (square(40), [EMPTY]),
        (square(40, mark=True), [TICKED]),
        (square(40, gap=True), []),
        (square(20), []),
        (np.ones((120, 120), np.bool_), []),
    ],
    ids=["empty", "ticked", "a-letter", "small", "all-dark"],
)
def test_boxes_to_tick_are_found_by_their_frame(dark: NDArray[np.bool_], expected: list[str]) -> None:
    assert [piece.text for piece in tick_boxes(dark)] == expected


def lined(turned: float = 0.0) -> NDArray[np.uint8]:
    """A page of bars like lines of text."""
    grey = np.full((900, 700), 255, np.uint8)
    for y in range(80, 820, 60):
        for x in range(60, 600, 25):
            grey[y : y + 20, x : x + 14] = 0
    pixels = np.repeat(grey[:, :, None], 3, axis=2)
    return rotated(pixels, turned)[:, :, 0] if turned else grey


@pytest.mark.parametrize("turned", [0.0, 0.4, -1.8, 5.0])
def test_the_skew_of_a_page(turned: float) -> None:
    assert skew_of(lined(turned)) == pytest.approx(turned, abs=0.06)


def test_rules_go_and_letters_stay() -> None:
    grey = lined()
    letters = ink(grey)
    grey[30:33, 20:680] = 0
    grey[30:880, 20:23] = 0
    assert (ink(without_rules(grey)) == letters).all()


def test_a_shadow_over_the_page_is_lifted() -> None:
    grey = np.repeat(lined()[:, :, None], 3, axis=2).astype(np.float64)
    shadow = np.linspace(0.25, 1.0, grey.shape[1])[None, :, None]
    found = prepare((grey * shadow).astype(np.uint8), DPI)
    assert (ink(found.grey) == ink(lined())).mean() > 0.99
