from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builders import Ended, goldleaf
from degrade.effects import VERSIONS
from degrade.recapture import Order, places_on_pages
from degrade.recipe import Strength, load_recipe, recipe_names
from degrade.record import PageRecord
from flows.recapture_prove import records
from flows.recapture_work import pages_of, remake_pages
from groundtruth.document import Kind
from groundtruth.pages import open_document
from groundtruth.store import Dataset
from groundtruth.store_files import content_hash
from recapture_builders import list_dataset

SMALL = (260.3, 330.7)
TWIN = "list-1--office-scan-medium-7"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clean dataset of three pages and its re-capture."""
    folder = tmp_path_factory.mktemp("recapture")
    list_dataset(folder, pages=3, rows=8, size=SMALL, font_size=7)
    ended = make(folder / "clean", folder / "twins")
    assert ended.code == 0, ended.err
    return folder


def make(clean: Path, out: Path, *more: object) -> Ended:
    return goldleaf(
        "recapture",
        "make",
        clean,
        "--recipe",
        "office-scan",
        "--seed",
        7,
        "--out",
        out,
        "--workers",
        1,
        "--json",
        *more,
    )


def pdf_of(folder: Path) -> Path:
    return folder / "twins" / "documents" / TWIN / f"{TWIN}.pdf"


def test_the_twin_is_a_document_with_the_truth_of_its_original(folder: Path) -> None:
    twins, clean = Dataset.open(folder / "twins"), Dataset.open(folder / "clean")
    document, truth, before = twins.document(TWIN), twins.truth(TWIN), clean.truth("list-1")
    assert truth is not None
    assert before is not None
    assert document.kind is Kind.RECAPTURE
    assert document.tags["recapture_of"] == "list-1"
    assert document.tags["perception"] == truth.tags["perception"] == "P2"
    assert truth.value == before.value
    assert truth.evidence.keys() == before.evidence.keys()
    assert truth.further["recapture"]["of"] == "list-1"
    assert twins.schema("list").rules == clean.schema("list").rules
    with open_document(pdf_of(folder)) as source:
        assert source.page_count == 3
        assert not any(page.words for page in source.pages())


@pytest.mark.e2e
def test_what_is_there_is_passed_over(folder: Path) -> None:
    before = pdf_of(folder).stat().st_mtime_ns
    ended = make(folder / "clean", folder / "twins")
    (document,) = json.loads(ended.out)["documents"]
    assert document["new"] is False
    assert Path(document["pdf"]).is_file()
    assert Path(document["truth"]).is_file()
    assert pdf_of(folder).stat().st_mtime_ns == before


@pytest.mark.e2e
def test_a_page_is_the_same_alone_in_another_order_and_with_other_neighbours(folder: Path, tmp_path: Path) -> None:
    clean = Dataset.open(folder / "clean")
    truth = clean.truth("list-1")
    assert truth is not None
    document = clean.document("list-1")
    order = Order(load_recipe("office-scan", VERSIONS), Strength.MEDIUM, 7, document.sha256)
    made = pages_of(clean.document_file("list-1"), order, [3, 1], places_on_pages(truth), tmp_path)
    assert made == 2
    recorded = {page.page: page for page in records(Dataset.open(folder / "twins"))[0].pages}
    for number in (1, 3):
        assert content_hash((tmp_path / f"{number}.bin").read_bytes()) == recorded[number].hashes.picture
    assert pages_of(clean.document_file("list-1"), order, [1, 3], places_on_pages(truth), tmp_path) == 0


def test_what_was_deleted_is_made_again_byte_for_byte(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    copy = tmp_path / "copy"
    before = pdf_of(copy).read_bytes()
    pdf_of(copy).unlink()
    ended = goldleaf("recapture", "regenerate", copy / "twins", "--workers", 1, "--pages-per-process", 2, "--json")
    assert ended.code == 0, ended.err
    (document,) = json.loads(ended.out)["documents"]
    assert document["pages_as_recorded"] == 3
    assert document["written"] is True
    assert pdf_of(copy).read_bytes() == before


def test_verify_finds_a_pdf_that_was_changed(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    pdf = pdf_of(tmp_path / "copy")
    pdf.write_bytes(pdf.read_bytes() + b"%")
    record = tmp_path / "copy" / "twins" / "recaptures" / f"{TWIN}.json"
    form = json.loads(record.read_text())
    form["versions"]["numpy"] = "1.0.0"
    record.write_text(json.dumps(form))
    ended = goldleaf("recapture", "verify", tmp_path / "copy" / "twins", "--workers", 1, "--json")
    assert ended.code == 1
    assert json.loads(ended.out)["documents"][0]["file"] == "differs"
    assert "was 1.0.0" in ended.err
    assert "hold all the same" in " ".join(ended.err.split())


def proved(folder: Path, command: str = "verify") -> tuple[Ended, dict[str, Any]]:
    ended = goldleaf("recapture", command, folder / "twins", "--workers", 1, "--json")
    (document,) = json.loads(ended.out)["documents"]
    return ended, document


def test_verify_finds_a_truth_that_was_changed_or_is_gone(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    copy = tmp_path / "copy"
    truth = copy / "twins" / "truth" / f"{TWIN}.json"
    before = truth.read_bytes()
    form = json.loads(before)
    next(entries[0] for entries in form["evidence"].values() if entries)["bbox"][0] += 0.01
    truth.write_text(json.dumps(form))
    ended, document = proved(copy)
    assert (ended.code, document["file"], document["truth"]) == (1, "same", "differs")
    assert str(truth) in "".join(ended.err.split())
    truth.unlink()
    ended, document = proved(copy)
    assert (ended.code, document["truth"]) == (1, "missing")
    ended, document = proved(copy, "regenerate")
    assert (ended.code, document["truth"]) == (0, "written")
    assert truth.read_bytes() == before


def test_verify_writes_nothing(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    home = tmp_path / "copy" / "twins" / ".goldleaf"
    shutil.rmtree(home)
    home.write_text("in the way of a scratch folder")
    ended, document = proved(tmp_path / "copy")
    assert (ended.code, document["holds"]) == (0, True)


@pytest.mark.parametrize(
    "gone", ["the PDF", *(pytest.param(other, marks=pytest.mark.e2e) for other in ("the folder", "the description"))]
)
def test_a_record_without_its_document_is_completed(folder: Path, tmp_path: Path, gone: str) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    copy = tmp_path / "copy"
    before = {path.name: path.read_bytes() for path in pdf_of(copy).parent.iterdir()}
    for path in list(pdf_of(copy).parent.iterdir()):
        if gone == "the folder" or (path.suffix == ".json") == (gone == "the description"):
            path.unlink()
    if gone == "the folder":
        pdf_of(copy).parent.rmdir()
    ended, document = proved(copy)
    assert (ended.code, document["file"]) == (1, "missing")
    ended = make(copy / "clean", copy / "twins")
    assert ended.code == 2
    assert "goldleaf recapture regenerate" in ended.err
    ended, document = proved(copy, "regenerate")
    assert (ended.code, document["written"]) == (0, True)
    assert {path.name: path.read_bytes() for path in pdf_of(copy).parent.iterdir()} == before


def test_a_twin_with_the_bytes_of_another_is_refused_and_leaves_nothing(folder: Path, tmp_path: Path) -> None:
    look = {"dpi": 72, "quality": [80, 80]}
    still = {
        "format": "goldleaf-recipe/1",
        "name": "still",
        "version": 1,
        "title": "As it is",
        "perception": "P1",
        "effects": {},
        "strengths": dict.fromkeys(Strength, look),
    }
    (tmp_path / "still.json").write_text(json.dumps(still))
    command = ["recapture", "make", folder / "clean", "--recipe", tmp_path / "still.json", "--out", tmp_path / "twins"]
    assert goldleaf(*command, "--workers", 1, "--seed", 1).code == 0
    ended = goldleaf(*command, "--workers", 1, "--seed", 2)
    assert ended.code == 2
    assert "list-1--still-medium-1" in ended.err
    for name in ("truth", "recaptures", "documents"):
        assert [path.stem for path in (tmp_path / "twins" / name).iterdir()] == ["list-1--still-medium-1"]


def test_an_original_that_is_gone_is_named_with_the_cure(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    shutil.rmtree(tmp_path / "copy" / "clean" / "documents" / "list-1")
    ended = goldleaf("recapture", "verify", tmp_path / "copy" / "twins", "--workers", 1)
    assert ended.code == 2
    assert "the original 'list-1'" in ended.err
    assert "did you mean" not in ended.err


def differences_of(folder: Path, work: Path, pages: Callable[[PageRecord], list[PageRecord]], seed: int = 7) -> Any:
    record = records(Dataset.open(folder / "twins"))[0]
    order = Order(record.recipe, record.strength, seed, record.clean_sha256)
    file = Dataset.open(folder / "clean").document_file("list-1")
    return remake_pages(file, order, pages(record.pages[0]), work)


@pytest.mark.e2e
def test_a_difference_is_told_by_its_first_stage(folder: Path, tmp_path: Path) -> None:
    def other(page: PageRecord) -> PageRecord:
        return page.model_copy(update={"hashes": page.hashes.model_copy(update={"pixels": "0" * 64})})

    assert differences_of(folder, tmp_path, lambda page: [other(page)]) == {1: "pixels"}


def test_a_homography_that_is_not_that_of_the_drawing_is_told(folder: Path, tmp_path: Path) -> None:
    def moved(page: PageRecord) -> PageRecord:
        there = (float.fromhex(page.homography[2]) + 0.01).hex()
        return page.model_copy(update={"homography": (*page.homography[:2], there, *page.homography[3:])})

    assert differences_of(folder, tmp_path, lambda page: [page]) == {}
    assert differences_of(folder, tmp_path, lambda page: [moved(page)]) == {1: "homography"}


def test_a_drawing_that_recipe_and_seed_do_not_draw_is_told(folder: Path, tmp_path: Path) -> None:
    assert differences_of(folder, tmp_path, lambda page: [page], seed=8) == {1: "drawing"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        pytest.param(("--recipe", "polaroid"), "no recipe 'polaroid'", id="unknown recipe"),
        pytest.param(("--strength", "brutal"), "mild, medium, strong", id="unknown strength"),
        pytest.param(("--documents", "x*"), "no document matches 'x*'", id="no such document"),
    ],
)
def test_a_mistake_is_one_message(folder: Path, tmp_path: Path, options: tuple[str, str], said: str) -> None:
    ended = make(folder / "clean", tmp_path / "out", *options)
    assert ended.code == 2
    assert said in ended.err


def test_a_document_without_a_truth_is_refused(tmp_path: Path) -> None:
    dataset = list_dataset(tmp_path, rows=4)
    (dataset.root / "truth" / "list-1.json").unlink()
    ended = make(tmp_path / "clean", tmp_path / "out")
    assert ended.code == 2
    assert "has no truth" in ended.err
    assert not (tmp_path / "out").exists()


def test_a_twin_whose_id_would_be_too_long_is_refused(folder: Path, tmp_path: Path) -> None:
    own = load_recipe("image-only", VERSIONS).model_copy(update={"name": "a" * 190})
    (tmp_path / "own.json").write_text(own.model_dump_json())
    ended = make(folder / "clean", tmp_path / "out", "--recipe", tmp_path / "own.json")
    assert ended.code == 2
    assert "more than 200; name recipe or original shorter" in " ".join(ended.err.split())
    assert not (tmp_path / "out").exists()


def test_an_original_that_was_changed_since_it_was_added_is_refused(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "clean", tmp_path / "clean")
    file = Dataset.open(tmp_path / "clean").document_file("list-1")
    file.write_bytes(file.read_bytes() + b"%")
    ended = make(tmp_path / "clean", tmp_path / "twins")
    assert ended.code == 2
    assert str(file) in ended.err
    assert "goldleaf replace" in ended.err


def test_a_value_on_a_page_that_is_not_there_is_named(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "clean", tmp_path / "clean")
    truth = tmp_path / "clean" / "truth" / "list-1.json"
    form = json.loads(truth.read_text())
    path, entries = next((path, entries) for path, entries in form["evidence"].items() if entries)
    entries[0]["page"] = 4
    truth.write_text(json.dumps(form))
    ended = make(tmp_path / "clean", tmp_path / "twins")
    assert ended.code == 2
    assert path in ended.err
    assert "page 4" in ended.err


@pytest.mark.e2e
def test_a_twin_of_another_recipe_or_original_is_not_written_over(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    record = tmp_path / "copy" / "twins" / "recaptures" / f"{TWIN}.json"
    form = json.loads(record.read_text())
    form["recipe"]["version"] = 9
    record.write_text(json.dumps(form))
    ended = make(tmp_path / "copy" / "clean", tmp_path / "copy" / "twins")
    assert ended.code == 2
    assert "version 9 of recipe 'office-scan'" in ended.err


@pytest.mark.e2e
def test_clean_documents_that_moved_are_named_with_clean(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "twins", tmp_path / "alone" / "twins")
    ended = goldleaf("recapture", "verify", tmp_path / "alone" / "twins")
    assert ended.code == 2
    assert "--clean" in ended.err
    again = goldleaf("recapture", "verify", tmp_path / "alone" / "twins", "--clean", folder / "clean", "--workers", 1)
    assert again.code == 0


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        pytest.param("*", "every document is a re-capture", id="all of them"),
        pytest.param("list-1--*", "every document that matches 'list-1--*' is a re-capture", id="some"),
        pytest.param("zap*", "no document matches 'zap*'", id="none"),
    ],
)
def test_recaptures_are_not_captured_again(folder: Path, tmp_path: Path, pattern: str, said: str) -> None:
    twins = folder / "twins"
    if pattern != "*":
        twins = tmp_path / "both"
        shutil.copytree(folder / "clean", twins)
        other = Dataset.open(folder / "twins")
        Dataset.open(twins).add_document(other.document_file(TWIN), schema="list", id=TWIN, kind=Kind.RECAPTURE)
    ended = make(twins, tmp_path / "out", "--documents", pattern)
    assert ended.code == 2
    assert said in " ".join(ended.err.split())
    assert not (tmp_path / "out").exists()


def test_a_dataset_without_documents_has_none_to_capture(tmp_path: Path) -> None:
    ended = make(Dataset.create(tmp_path / "empty").root, tmp_path / "out")
    assert ended.code == 2
    assert "holds no document; add one with `goldleaf add`" in " ".join(ended.err.split())


@pytest.mark.e2e
@pytest.mark.parametrize(("name", "begins"), [("sheet.png", b"\x89PNG"), ("sheet.JPG", b"\xff\xd8\xff")])
def test_a_contact_sheet_is_the_picture_that_its_name_says(
    folder: Path, tmp_path: Path, name: str, begins: bytes
) -> None:
    out = tmp_path / name
    ended = goldleaf("recapture", "preview", folder / "clean", "--recipe", "image-only", "--out", out, "--json")
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["recipes"] == ["image-only"]
    assert out.read_bytes().startswith(begins)


@pytest.mark.parametrize("name", ["sheet.txt", "sheet", "sheet.pdf"])
def test_a_contact_sheet_is_nothing_but_a_picture(folder: Path, tmp_path: Path, name: str) -> None:
    ended = goldleaf("recapture", "preview", folder / "clean", "--out", tmp_path / name)
    assert ended.code == 2
    assert "ends in .png, .jpg, .jpeg" in " ".join(ended.err.split())
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param({"pages": []}, "pages: are not those from 1 to the last", id="without pages"),
        pytest.param({"page": 9}, "pages: are not those from 1 to the last", id="another page"),
        pytest.param({"cut": 2}, "holds 2 pages, and the original has 3 pages", id="a page short"),
        pytest.param({"document": "../x"}, "is the record of '../x'; name the file so again", id="another document"),
    ],
)
def test_a_record_that_does_not_fit_is_named(folder: Path, tmp_path: Path, change: dict[str, Any], said: str) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    record = tmp_path / "copy" / "twins" / "recaptures" / f"{TWIN}.json"
    form = json.loads(record.read_text())
    if "page" in change:
        form["pages"][2] |= change
    elif "cut" in change:
        form["pages"] = form["pages"][: change["cut"]]
    else:
        form |= change
    record.write_text(json.dumps(form))
    ended = goldleaf("recapture", "verify", tmp_path / "copy" / "twins", "--workers", 1)
    assert ended.code == 2
    assert said in " ".join(ended.err.split())
    assert f"{TWIN}.json" in "".join(ended.err.split())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param({"dpi": 10**6}, "dpi", id="a resolution that fills the memory"),
        pytest.param({"turn": 45}, "turn is one of", id="no quarter turn"),
        pytest.param({"scale": 0.0}, "scale lies between", id="a page without size"),
        pytest.param({"corners": [0.0] * 3}, "corners", id="corners missing"),
        pytest.param(
            {"after": [{"effect": "specks", "version": 2, "seed": 1, "parameters": {"dark": 10**9}}]},
            "page 1: effect 'specks': takes the parameters",
            id="parameters missing",
        ),
    ],
)
def test_a_record_that_draws_what_cannot_be_is_named(
    folder: Path, tmp_path: Path, change: dict[str, object], said: str
) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    record = tmp_path / "copy" / "twins" / "recaptures" / f"{TWIN}.json"
    form = json.loads(record.read_text())
    form["pages"][0]["drawn"].update(change)
    record.write_text(json.dumps(form))
    ended = goldleaf("recapture", "verify", tmp_path / "copy" / "twins", "--workers", 1)
    assert ended.code == 2
    assert said in " ".join(ended.err.split())
    assert f"{TWIN}.json" in "".join(ended.err.split())


@pytest.mark.e2e
def test_a_page_that_is_not_there_cannot_be_previewed(folder: Path, tmp_path: Path) -> None:
    ended = goldleaf("recapture", "preview", folder / "clean", "--page", 9, "--out", tmp_path / "sheet.png")
    assert ended.code == 2
    assert "pages are 1 to 3" in ended.err


@pytest.mark.e2e
def test_twins_may_live_beside_their_originals(tmp_path: Path) -> None:
    dataset = list_dataset(tmp_path, rows=2, size=(200.0, 150.0))
    assert make(dataset.root, dataset.root).code == 0
    assert dataset.document_ids() == ("list-1", TWIN)
    ended = make(dataset.root, dataset.root)
    # A re-capture is no original.
    assert [one["document"] for one in json.loads(ended.out)["documents"]] == [TWIN]


@pytest.mark.e2e
def test_fresh_processes_make_the_same_file_with_other_groups_of_pages(folder: Path, tmp_path: Path) -> None:
    """Also with one thread of OpenCV, which processes have, where this one has several."""
    clean = folder / "clean"
    for name, options in (("a", ("--workers", 2)), ("b", ("--workers", 2, "--pages-per-process", 1))):
        ended = goldleaf(
            "recapture", "make", clean, "--recipe", "office-scan", "--seed", 7, "--out", tmp_path / name, *options
        )
        assert ended.code == 0, ended.err
        again = tmp_path / name / "documents" / TWIN / f"{TWIN}.pdf"
        assert again.read_bytes() == pdf_of(folder).read_bytes()


@pytest.mark.e2e
@pytest.mark.parametrize("recipe", recipe_names())
def test_every_recipe_is_proved_in_fresh_processes(tmp_path: Path, recipe: str) -> None:
    list_dataset(tmp_path, pages=2, rows=20)
    for strength in Strength:
        ended = goldleaf(
            "recapture", "make", tmp_path / "clean", "--recipe", recipe, "--strength", strength, "--out", tmp_path / "t"
        )
        assert ended.code == 0, ended.err
    assert goldleaf("recapture", "verify", tmp_path / "t", "--pages-per-process", 1, "--workers", 2).code == 0


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7\nbroken", b"no document"], ids=["empty", "broken", "named a PDF"])
def test_a_file_that_is_no_document_is_one_message(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.pdf").write_bytes(content)
    ended = goldleaf("recapture", "preview", tmp_path / "bad.pdf", "--out", tmp_path / "sheet.png")
    assert ended.code == 2
    assert "bad.pdf" in ended.err
    assert not (tmp_path / "sheet.png").exists()


@pytest.mark.e2e
def test_a_landscape_page_without_values_is_captured(tmp_path: Path) -> None:
    dataset = list_dataset(tmp_path, rows=0, size=(330.7, 260.3))
    ended = make(dataset.root, tmp_path / "out")
    assert ended.code == 0, ended.err
    assert ended.json["documents"][0]["values"] == 0
    with open_document(Path(ended.json["documents"][0]["pdf"])) as source:
        assert source.page(1).width == pytest.approx(330.7, abs=1e-3)
