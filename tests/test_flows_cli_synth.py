"""``goldleaf synth``: what is registered, what is said, and what is refused."""

from __future__ import annotations

import json
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from builders import REPOSITORY, goldleaf
from groundtruth.document import Kind
from groundtruth.store import Dataset
from groundtruth.store_artefacts import Artefact
from synth.pattern import pattern_names

NAME = "unclaimed-property"


def made(folder: Path, *more: object) -> Any:
    ended = goldleaf("synth", "make", NAME, "--rows", 6, "--out", folder, *more, "--json")
    assert ended.code == 0, ended.err
    (document,) = ended.json["documents"]
    return document


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("synth") / "data"
    # With this seed there are ditto marks, which fill so little of their line that their ink is evidence too.
    made(folder, "--difficulty", "hard", "--seed", 10)
    return folder


def test_a_document_is_registered_with_all_that_belongs_to_it(data: Path) -> None:
    dataset = Dataset.open(data)
    (document,) = dataset.documents()
    truth = dataset.truth(document.id)
    assert document.kind is Kind.SYNTHETIC
    assert {"T1", "G1", "L1", "S1"} <= document.tags.keys()
    assert truth is not None
    assert truth.tags == document.tags
    assert len(truth.value["properties"]) == 6
    assert dataset.schema_of(document.id).name == NAME
    assert {file.name for file in (data / "recipes" / document.id).iterdir()} == {"content.json", "recipe.json"}


def test_the_json_names_files_that_are_there(tmp_path: Path) -> None:
    document = made(tmp_path / "data")
    assert all(Path(document[key]).is_file() for key in ("pdf", "truth", "content"))


def test_the_same_command_again_changes_nothing(tmp_path: Path) -> None:
    first = made(tmp_path / "data")
    before = {file: file.stat().st_mtime_ns for file in (tmp_path / "data").rglob("*") if "/." not in str(file)}
    again = made(tmp_path / "data")
    after = {file: file.stat().st_mtime_ns for file in before}
    assert (first["is_new"], again["is_new"]) == (True, False)
    assert {file for file in before if file.is_file() and before[file] != after[file]} == set()


def test_another_seed_is_another_document(tmp_path: Path) -> None:
    assert made(tmp_path / "data")["document"] != made(tmp_path / "data", "--seed", 1)["document"]


def test_own_records_make_a_document(tmp_path: Path) -> None:
    rows = [{"property_id": "1", "owner_name": "DOE JANE", "holder_name": "ACME", "amount": 2}]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    ended = goldleaf("synth", "make", NAME, "--content", tmp_path / "rows.json", "--out", tmp_path / "data", "--json")
    (document,) = ended.json["documents"]
    truth = Dataset.open(tmp_path / "data").truth(document["document"])
    assert truth is not None
    assert truth.value["properties"][0]["address"] is None


def test_what_was_made_is_proved(data: Path) -> None:
    ended = goldleaf("synth", "verify", data, "--json")
    (document,) = ended.json["documents"]
    assert (ended.code, document["is_right"], document["findings"]) == (0, True, [])


def test_a_changed_document_is_a_finding(tmp_path: Path) -> None:
    document = made(tmp_path / "data")
    content = Path(document["content"])
    content.write_text(content.read_text("utf-8").replace("State of", "County of"), "utf-8")
    ended = goldleaf("synth", "verify", tmp_path / "data")
    assert ended.code == 1
    assert "does not read" in ended.out
    assert "the content draws other bytes" in ended.out


def test_pictures_show_the_boxes(data: Path, tmp_path: Path) -> None:
    ended = goldleaf("synth", "preview", data, "--out", tmp_path, "--json")
    (document,) = ended.json["documents"]
    (picture,) = document["pictures"]
    colours = Image.open(picture).convert("RGB").getcolors(1 << 24)
    assert colours is not None
    assert {(30, 100, 220), (215, 40, 40)} <= {colour for _, colour in colours}


def test_every_pattern_and_font_is_listed() -> None:
    listed = goldleaf("synth", "list", "--json").json
    assert tuple(pattern["pattern"] for pattern in listed["patterns"]) == pattern_names()
    assert all(font["licence"] for font in listed["fonts"].values())
    assert "ditto marks" in goldleaf("synth", "list", NAME).out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["unclaimed", "--rows", 3], "did you mean 'unclaimed-property'", id="unknown pattern"),
        pytest.param([NAME, "--rows", 0], "at least one row", id="no rows"),
        pytest.param([NAME, "--rows", -5], "at least one row", id="negative rows"),
        pytest.param([NAME, "--rows", 10_000_000], "at most 100,000", id="too many rows"),
        pytest.param([NAME, "--pages", 0], "at least one page", id="no pages"),
        pytest.param([NAME, "--rows", 3, "--pages", 3], "give one of them", id="rows and pages"),
        pytest.param([NAME, "--rows", 3, "--font", "arial"], "no font 'arial'", id="unknown font"),
        pytest.param([NAME, "--rows", 3, "--locale", "xx"], "no such locale", id="unknown locale"),
        pytest.param([NAME, "--rows", 3, "--difficulty", "harder"], "did you mean 'hard'", id="unknown difficulty"),
        pytest.param([NAME, "--content", "absent.csv"], "absent.csv", id="absent content"),
    ],
)
def test_bad_input_is_one_message(tmp_path: Path, arguments: list[object], message: str) -> None:
    ended = goldleaf("synth", "make", *arguments, "--out", tmp_path / "data")
    assert ended.code == 2
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert not (tmp_path / "data").exists()


def test_a_file_in_the_way_is_said(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("x")
    ended = goldleaf("synth", "make", NAME, "--rows", 3, "--out", tmp_path / "data")
    assert (ended.code, "Traceback" in ended.err) == (2, False)


@pytest.mark.parametrize(
    ("owner", "message"),
    [
        pytest.param("DOE\nJANE", "properties[0].owner_name: 'DOE\\nJANE' cannot be printed", id="newline"),
        pytest.param("\u05d3\u05d5\u05d3", "right-to-left text has no order", id="right to left"),
    ],
)
def test_a_name_that_cannot_be_printed_is_one_message(tmp_path: Path, owner: str, message: str) -> None:
    rows = [{"property_id": "1", "owner_name": owner, "holder_name": "ACME", "amount": 2}]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    ended = goldleaf("synth", "make", NAME, "--content", tmp_path / "rows.json", "--out", tmp_path / "data")
    assert ended.code == 2
    assert message in " ".join(ended.err.split())
    assert not (tmp_path / "data").exists()


@pytest.mark.e2e
@pytest.mark.parametrize("limit", [2_000, 12_000], ids=["before the truth", "in the truth"])
def test_a_disk_that_is_full_half_way_leaves_nothing_registered(tmp_path: Path, limit: int) -> None:
    folder = tmp_path / "data"
    Dataset.create(folder)

    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    ended = subprocess.run(
        [sys.executable, "-m", "flows.cli", "synth", "make", NAME, "--rows", "20", "--out", str(folder)],
        cwd=REPOSITORY,
        preexec_fn=fill,
        capture_output=True,
        text=True,
        check=False,
    )
    dataset = Dataset.open(folder)
    assert ended.returncode == 2, ended.stderr
    assert "Traceback" not in ended.stderr
    assert (dataset.document_ids(), dataset.truth_names(), dataset.schema_names()) == ((), (), ())
    assert dataset.artefact_names(Artefact.RECIPES) == ()
    assert not any((folder / "recipes").glob("*"))


def test_a_dataset_without_synthetic_documents_says_so(tmp_path: Path) -> None:
    Dataset.create(tmp_path / "data")
    for command in ("verify", "preview"):
        ended = goldleaf("synth", command, tmp_path / "data")
        assert (ended.code, "goldleaf synth make" in ended.err) == (2, True)


@pytest.mark.parametrize("pages", ["0", "-1", "x", "1,x"])
def test_pages_that_are_none_are_refused(data: Path, pages: str) -> None:
    assert goldleaf("synth", "preview", data, "--pages", pages).code == 2


def test_a_page_that_is_not_there_is_refused(data: Path) -> None:
    assert "has 1 page" in goldleaf("synth", "preview", data, "--pages", "1,99").err


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def _without_head(file: Path) -> None:
    content = json.loads(file.read_text())
    content["value"] = {"properties": []}
    file.write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("key", "spoil", "message"),
    [
        pytest.param("pdf", _cut, "pdf: the file cannot be opened as a PDF", id="half a pdf"),
        pytest.param("content", _without_head, "pdf: the content cannot be drawn", id="content without its head"),
        pytest.param("content", Path.unlink, "truth: .*content.json: cannot be read", id="content gone"),
        pytest.param("truth", Path.unlink, "truth: .*json: cannot be read", id="truth gone"),
    ],
)
def test_what_cannot_be_read_is_a_finding_and_the_others_are_proved(
    tmp_path: Path, key: str, spoil: Callable[[Path], None], message: str
) -> None:
    spoiled = made(tmp_path / "data")
    whole = made(tmp_path / "data", "--seed", 1)
    spoil(Path(spoiled[key]))
    ended = goldleaf("synth", "verify", tmp_path / "data", "--pages", 1)
    assert ended.code == 1, ended.err
    assert re.search(message, ended.out)
    assert f"{whole['document']}: right" in ended.out
    assert f"{spoiled['document']}: wrong" in ended.out


def _edit(file: Path, **changes: object) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


@pytest.fixture
def copy(data: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(data, tmp_path / "data"))


RECIPE = "recipes/{}/recipe.json"
DRAFT_SCHEMA = f"schemas/{NAME}/draft.schema.json"


@pytest.mark.parametrize(
    ("file", "spoil", "message"),
    [
        pytest.param(RECIPE, Path.unlink, "recipe: .*recipe.json: cannot be read.*goldleaf remove", id="recipe gone"),
        pytest.param(RECIPE, _cut, "recipe: .*recipe.json.*goldleaf remove", id="half a recipe"),
        pytest.param(RECIPE, lambda file: file.write_text("[]"), "recipe: .*is no recipe.*make", id="another thing"),
        pytest.param(
            RECIPE,
            lambda file: _edit(file, pdf_sha256="0" * 64),
            rf"recipe: .*not that of this document \(pdf_sha256\); .*synth make {NAME} --content",
            id="another hash",
        ),
        pytest.param(
            DRAFT_SCHEMA,
            lambda file: _edit(file, title="Edited"),
            f"schema: .*draft.schema.json: is not the schema of {NAME}; .*synth list {NAME} --json",
            id="edited schema",
        ),
        pytest.param(DRAFT_SCHEMA, _cut, "schema: .*draft.schema.json.*synth list", id="half a schema"),
        pytest.param(DRAFT_SCHEMA, Path.unlink, "schema: .*no schema.*synth list", id="schema gone"),
    ],
)
def test_what_lies_beside_a_document_is_held_against_it(
    copy: Path, file: str, spoil: Callable[[Path], object], message: str
) -> None:
    (document,) = Dataset.open(copy).document_ids()
    spoil(copy / file.format(document))
    ended = goldleaf("synth", "verify", copy, "--pages", 1, "--json")
    (proved,) = ended.json["documents"]
    (finding,) = proved["findings"]
    assert ended.code == 1
    assert re.search(message, f"{finding['check']}: {finding['message']}")


def test_a_frozen_schema_is_held_against_the_pattern_too(copy: Path) -> None:
    dataset = Dataset.open(copy)
    draft = copy / DRAFT_SCHEMA
    right = draft.read_text()
    dataset.freeze(NAME)
    assert goldleaf("synth", "verify", dataset.root, "--pages", 1).code == 0
    _edit(draft, title="Edited")
    dataset.freeze(NAME)
    draft.write_text(right)
    ended = goldleaf("synth", "verify", dataset.root, "--pages", 1)
    assert ended.code == 1
    assert re.search("schema: .*2.json: is not the schema", ended.out)


def test_the_version_that_made_a_document_is_not_held_against_it(copy: Path) -> None:
    (document,) = Dataset.open(copy).document_ids()
    _edit(copy / RECIPE.format(document), made_with={"python": "2.7"})
    assert goldleaf("synth", "verify", copy, "--pages", 1).code == 0


def test_all_pages_and_numbers_of_pages_are_not_mixed(data: Path) -> None:
    ended = goldleaf("synth", "preview", data, "--pages", "all,1")
    assert (ended.code, "--pages all" in ended.err) == (2, True)


def test_the_same_pages_made_otherwise_are_refused_naming_the_document(tmp_path: Path) -> None:
    asked = ("synth", "make", "bank-statement", "--rows", 3, "--out", tmp_path / "data", "--locale")
    assert goldleaf(*asked, "de").code == 0
    ended = goldleaf(*asked, "de_DE")
    (document,) = Dataset.open(tmp_path / "data").documents()
    assert ended.code == 2
    assert f"'{document.id}' has the same pages already" in ended.err
    assert [file.name for file in (tmp_path / "data" / "recipes").iterdir()] == [document.id]
