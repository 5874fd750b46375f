"""Re-captures of originals that are turned, cropped, huge, locked, broken or empty."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.generic import RectangleObject

from builders import Ended, goldleaf
from groundtruth.box import Box
from groundtruth.pages import open_document
from groundtruth.store import Dataset
from recapture_builders import add_list, dense_list, list_dataset, turned

SMALL = (260.3, 330.7)


def make(clean: Path, out: Path, *more: object) -> Ended:
    return goldleaf(
        "recapture", "make", clean, "--recipe", "image-only", "--out", out, "--workers", 1, "--json", *more
    )  # fmt: skip


def cropped(data: bytes) -> bytes:
    """The same PDF with a crop box that leaves some of the paper out."""
    writer, file = PdfWriter(BytesIO(data)), BytesIO()
    for page in writer.pages:
        page.cropbox = RectangleObject((15.0, 10.0, SMALL[0] - 5.0, SMALL[1] - 2.0))
    writer.write(file)
    return file.getvalue()


def locked(data: bytes, password: str) -> bytes:
    writer, file = PdfWriter(), BytesIO()
    for page in PdfReader(BytesIO(data)).pages:
        writer.add_page(page)
    writer.encrypt(user_password=password, owner_password="owner", algorithm="AES-128")
    writer.write(file)
    return file.getvalue()


def dataset_of(folder: Path, data: bytes, rows: list[dict[str, str]]) -> Dataset:
    dataset = Dataset.create(folder / "clean")
    add_list(dataset, "list-1", data, rows, folder)
    return dataset


def ink_at_boxes(ended: Ended) -> list[bool]:
    """Of each place of a value, whether there is ink in its box on the re-capture."""
    (document,) = ended.json["documents"]
    truth = json.loads(Path(document["truth"]).read_text())
    found = []
    with open_document(Path(document["pdf"])) as source:
        rasters = {page.number: page.raster(200, grey=True) for page in source.pages()}
    for entries in truth["evidence"].values():
        for entry in entries:
            pixels, box = rasters[entry["page"]], Box.from_xywh(entry["bbox"])
            height, width = pixels.shape
            part = pixels[int(box.y0 * height) : int(box.y1 * height), int(box.x0 * width) : int(box.x1 * width)]
            found.append(part.min() < 128)
    return found


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("rotate", "crop"),
    [
        pytest.param(90, False, id="rotated by 90"),
        pytest.param(180, False, id="rotated by 180"),
        pytest.param(270, False, id="rotated by 270"),
        pytest.param(0, True, id="cropped"),
        pytest.param(270, True, id="cropped and rotated"),
    ],
)
def test_a_turned_or_cropped_original_is_captured_as_displayed(tmp_path: Path, rotate: int, crop: bool) -> None:
    data, rows = dense_list(size=SMALL, rows=6, font_size=7)
    data = turned(cropped(data) if crop else data, rotate)
    ended = make(dataset_of(tmp_path, data, rows).root, tmp_path / "out")
    assert ended.code == 0, ended.err
    found = ink_at_boxes(ended)
    assert len(found) == 24
    assert all(found)
    with (
        open_document(Path(ended.json["documents"][0]["pdf"])) as source,
        open_document(tmp_path / "list-1.pdf") as original,
    ):
        sides = (source.page(1).width, source.page(1).height)
        assert sides == pytest.approx((original.page(1).width, original.page(1).height), abs=1e-3)
    assert goldleaf("recapture", "verify", tmp_path / "out", "--workers", 1).code == 0


@pytest.mark.e2e
def test_an_a0_page_is_captured_coarser_and_proved(tmp_path: Path) -> None:
    data, rows = dense_list(size=(2384.0, 3370.0), rows=6, font_size=40)
    ended = make(dataset_of(tmp_path, data, rows).root, tmp_path / "out", "--recipe", "office-scan")
    assert ended.code == 0, ended.err
    record = json.loads(Path(ended.json["documents"][0]["record"]).read_text())
    width, height = record["pages"][0]["size"]
    assert width * height <= 40_000_000
    assert record["pages"][0]["drawn"]["dpi"] < 200
    assert all(ink_at_boxes(ended))
    assert goldleaf("recapture", "verify", tmp_path / "out", "--workers", 1).code == 0


@pytest.mark.e2e
def test_a_locked_pdf_that_opens_without_a_password_is_captured(tmp_path: Path) -> None:
    data, rows = dense_list(size=SMALL, rows=3, font_size=7)
    ended = make(dataset_of(tmp_path, locked(data, ""), rows).root, tmp_path / "out")
    assert ended.code == 0, ended.err
    assert all(ink_at_boxes(ended))


def test_a_pdf_with_a_password_is_one_message(tmp_path: Path) -> None:
    data, _ = dense_list(size=SMALL, rows=1)
    (tmp_path / "locked.pdf").write_bytes(locked(data, "secret"))
    ended = goldleaf("recapture", "preview", tmp_path / "locked.pdf", "--out", tmp_path / "sheet.png")
    assert ended.code == 2
    assert "locked.pdf" in ended.err
    assert "password" in ended.err


@pytest.mark.e2e
def test_an_original_that_broke_since_it_was_added_is_one_message(tmp_path: Path) -> None:
    dataset = list_dataset(tmp_path, rows=3, size=SMALL, font_size=7)
    assert make(dataset.root, tmp_path / "out").code == 0
    file = dataset.document_file("list-1")
    file.write_bytes(file.read_bytes()[:200])
    again = make(dataset.root, tmp_path / "other")
    assert again.code == 2
    assert "list-1" in again.err
    assert "Traceback" not in again.err
    verified = goldleaf("recapture", "verify", tmp_path / "out")
    assert verified.code == 2
    assert "is not the file that" in " ".join(verified.err.split())


def test_a_recipe_misspelt_is_asked_for(tmp_path: Path) -> None:
    dataset = list_dataset(tmp_path, rows=1, size=SMALL, font_size=6)
    ended = make(dataset.root, tmp_path / "out", "--recipe", "phone-foto")
    assert ended.code == 2
    assert "did you mean 'phone-photo'?" in " ".join(ended.err.split())
    assert not (tmp_path / "out").exists()


@pytest.mark.e2e
def test_values_that_nobody_can_read_are_told_until_a_person_has_looked(tmp_path: Path) -> None:
    """A recipe that erases all: every value is named, in record, truth, messages and exit codes."""
    dataset = list_dataset(tmp_path, rows=2, size=SMALL, font_size=7)
    own = json.loads((Path(__file__).parent.parent / "degrade" / "recipes" / "image-only.json").read_text())
    for look in own["strengths"].values():
        look["after"] = [{"effect": "overexposed", "parameters": {"levels": 255}}]
    own["effects"] = {"overexposed": 1}
    (tmp_path / "blank.json").write_text(json.dumps(own))
    ended = make(dataset.root, tmp_path / "out", "--recipe", tmp_path / "blank.json")
    assert ended.code == 1
    (document,) = ended.json["documents"]
    assert len(document["for_a_person"]) == 8
    assert "8 values" in ended.err
    truth = Dataset.open(tmp_path / "out").truth(document["document"])
    assert truth is not None
    assert truth.further["recapture"]["illegible"] == document["for_a_person"]
    assert truth.value == dataset.truth("list-1").value  # type: ignore[union-attr]
    verified = goldleaf("recapture", "verify", tmp_path / "out", "--workers", 1, "--json")
    assert verified.code == 1
    assert verified.json["documents"][0]["holds"] is True
    assert verified.json["documents"][0]["for_a_person"] == dict.fromkeys(document["for_a_person"], "open")
    assert "no person has looked yet" in " ".join(verified.err.split())
    assert goldleaf("recapture", "regenerate", tmp_path / "out", "--workers", 1).code == 0
