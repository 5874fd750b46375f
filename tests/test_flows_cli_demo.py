"""``goldleaf demo``, and that what it accepts is what its documents print."""

from __future__ import annotations

import shlex
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from builders import REPOSITORY, goldleaf
from extractors.registry import BUILT_IN, choose
from flows.curate_plan import plan
from flows.demo_dataset import BESIDE_IMPORTED, NAME, bring_in_votes, fill, open_or_create, shipped_files
from flows.extraction import run_batch
from flows.vote_step import load_queue, load_votes
from groundtruth import jsontext
from groundtruth.consensus import Disposition, LeafConsensus, Note, Reason, RowConsensus, Tier
from groundtruth.path import Path as LeafPath
from groundtruth.path import format_path
from groundtruth.queue import Question
from groundtruth.store import Dataset
from groundtruth.value import canonical
from synth.demo.documents import draw, load_values

DEMO = REPOSITORY / "datasets" / "demo"
IMAGE = "receipt-118834"
FORM = "registration-0592"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's dataset with every ballot in it. Extracted here, so that the command starts no engine."""
    path: Path = tmp_path_factory.mktemp("demo") / "demo"
    dataset, is_new = open_or_create(path)
    assert is_new
    fill(dataset, DEMO)
    bring_in_votes(dataset, DEMO)
    for batch in plan(dataset, choose([BESIDE_IMPORTED])).batches:
        run_batch(dataset, batch)
    return path


@pytest.fixture(scope="module")
def printed(folder: Path) -> Any:
    ended = goldleaf("demo", "--imported", folder, "--json")
    assert (ended.code, ended.err) == (0, "")
    return ended.json


@pytest.fixture(scope="module")
def dataset(folder: Path, printed: Any) -> Dataset:
    assert printed
    return Dataset.open(folder)


def leaves(dataset: Dataset) -> list[tuple[str, LeafConsensus]]:
    return [(one.document, leaf) for one in load_votes(dataset) for leaf in one.consensus.leaves]


def printed_value(document: str, path: LeafPath) -> Any:
    """What a document prints at a leaf; null in a row that it does not have."""
    value = load_values(DEMO, document)
    for step in path:
        if isinstance(step, int) and step >= len(value):
            return None
        value = value[step]
    return value


def is_right(dataset: Dataset, document: str, leaf: LeafConsensus) -> bool:
    field = dataset.schema_of(document).leaves[leaf.field]
    voted, right = canonical(field, leaf.value), canonical(field, printed_value(document, leaf.path))
    return getattr(voted, "key", None) == getattr(right, "key", None)


def test_every_document_is_there_and_voted_on(printed: Any) -> None:
    names = sorted(jsontext.load_file(DEMO / "demo.json")["documents"])
    assert [one["document"] for one in printed["documents"]] == names
    assert [one["document"] for one in printed["tiers"]] == names
    assert all(Path(one["file"]).is_file() for one in printed["documents"])
    assert Path(printed["queue"]["file"]).is_file()
    assert printed["queue"]["first"][0]["question"] == "row"


def test_one_ballot_was_made_on_the_spot(dataset: Dataset) -> None:
    ballots = {document: dataset.ballots(document, [BESIDE_IMPORTED])[0] for document in dataset.document_ids()}
    assert {document for document, ballot in ballots.items() if not ballot.usable} == {IMAGE}
    assert all(ballot.citations for document, ballot in ballots.items() if document != IMAGE)


def test_who_abstains_is_said(printed: Any) -> None:
    assert {document: sorted(who) for document, who in printed["abstained"].items()} == {
        "certificate-00917": ["harbor"],
        IMAGE: [BESIDE_IMPORTED],
    }


def test_what_is_accepted_is_what_is_printed(dataset: Dataset) -> None:
    accepted = [(document, leaf) for document, leaf in leaves(dataset) if leaf.disposition is Disposition.ACCEPT]
    assert len(accepted) > 200
    assert [(document, leaf.path) for document, leaf in accepted if not is_right(dataset, document, leaf)] == []


def test_the_rows_of_the_proposals_are_those_printed(dataset: Dataset) -> None:
    for one in load_votes(dataset):
        values = load_values(DEMO, one.document)
        for table in (name for name, value in values.items() if value and isinstance(value, list) and table_of(value)):
            assert len(one.consensus.proposal[table]) == len(values[table]), (one.document, table)


def table_of(value: list[Any]) -> bool:
    return isinstance(value[0], dict)


def test_every_wrong_leaf_is_asked(dataset: Dataset) -> None:
    asked = {
        (place.document, path)
        for item in load_queue(dataset)
        for place in item.places
        for path in (place.path, *item.settles, *item.follow_up)
    }
    wrong = [(document, leaf.path) for document, leaf in leaves(dataset) if not is_right(dataset, document, leaf)]
    assert wrong
    assert [place for place in wrong if place not in asked] == []


def test_the_demo_shows_every_tier_and_the_usual_reasons(dataset: Dataset) -> None:
    found: list[LeafConsensus | RowConsensus] = [leaf for _, leaf in leaves(dataset)]
    assert {leaf.tier for leaf in found} == set(Tier)
    found += [row for one in load_votes(dataset) for row in one.consensus.rows]
    assert {reason for each in found for reason in each.reasons} >= {
        Reason.SINGLE_FAMILY,
        Reason.NULL_OVER_VALUE,
        Reason.INVALID_READING,
        Reason.AMBIGUOUS_DATE,
        Reason.NULL_LIKE,
        Reason.ALIGNMENT_REPAIRED,
        Reason.SINGLE_SYSTEM_ROW,
    }
    assert {note for each in found for note in each.notes} >= {
        Note.COERCED,
        Note.SURFACE_ONLY,
        Note.ALIGNMENT_INFERRED,
    }
    assert {item.question for item in load_queue(dataset)} == set(Question)


def test_a_form_has_nothing_accepted(dataset: Dataset) -> None:
    assert {leaf.disposition for document, leaf in leaves(dataset) if document == FORM} == {Disposition.REVIEW}


def test_certain_boxes_are_where_the_document_prints_the_value(dataset: Dataset) -> None:
    places = {document: draw(DEMO, document).places for document in dataset.document_ids()}
    checked = 0
    for document, leaf in leaves(dataset):
        place = places[document].get(format_path(leaf.path))
        if place is None or not leaf.location.certain or not is_right(dataset, document, leaf):
            continue
        centres = [(each.page, each.hull.center) for each in leaf.location.evidence if each.hull is not None]
        assert any(
            page == place.page and place.x0 <= x <= place.x1 and place.y0 <= y <= place.y1 for page, (x, y) in centres
        ), (document, format_path(leaf.path), leaf.location)
        checked += 1
    assert checked > 250


@pytest.mark.e2e
def test_the_demo_reads_its_documents_itself(tmp_path: Path) -> None:
    ended = goldleaf("demo", tmp_path / "demo", "--json")
    assert ended.code == 0, ended.err
    assert ended.json["problems"] == []
    own = Dataset.open(tmp_path / "demo")
    assert set(own.ballot_systems("invoice-04471")) == set(BUILT_IN)
    assert {one.document for one in load_votes(own)} == set(own.document_ids())
    accepted = [(document, leaf) for document, leaf in leaves(own) if leaf.disposition is Disposition.ACCEPT]
    assert len(accepted) > 200
    assert [(document, leaf.path) for document, leaf in accepted if not is_right(own, document, leaf)] == []
    places = {document: draw(DEMO, document).places for document in own.document_ids()}
    for document, leaf in accepted:
        place = places[document].get(format_path(leaf.path))
        if place is not None and leaf.location.certain:
            centres = [(each.page, each.hull.center) for each in leaf.location.evidence if each.hull is not None]
            assert any(
                page == place.page and place.x0 <= x <= place.x1 and place.y0 <= y <= place.y1
                for page, (x, y) in centres
            ), (document, format_path(leaf.path))


def tree(folder: Path) -> dict[str, bytes]:
    """Every file but the logs and locks."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not {"log", ".goldleaf"} & set(file.relative_to(folder).parts)
    }


@pytest.mark.e2e
def test_a_second_run_goes_on_with_what_is_there(folder: Path, printed: Any) -> None:
    before = tree(folder)
    ended = goldleaf("demo", "--imported", folder)
    assert ended.code == 0
    assert "already" in ended.out
    assert tree(folder) == before
    assert goldleaf("demo", "--imported", folder, "--json").json == {**printed, "created": False}


def test_the_commands_that_it_proposes_work(folder: Path, printed: Any) -> None:
    assert any(" explain " in command for command in printed["next"])
    for command in printed["next"]:
        program, *arguments = shlex.split(command)
        if arguments[0] == "report":
            arguments += ["--out", str(folder.parent / "report")]
        assert program == "goldleaf"
        assert goldleaf(*arguments).code == 0, command


def test_people_read_the_same(folder: Path, printed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    text = goldleaf("demo", "--imported", folder).out
    assert all(one["document"] in text for one in printed["documents"])
    assert all(command in text for command in printed["next"])
    assert printed["queue"]["file"] in text.replace("\n", "")
    assert max(map(len, text.splitlines())) <= max(100, len(printed["queue"]["file"]) + 20)


def test_an_edited_schema_stays_as_it_is(tmp_path: Path) -> None:
    dataset, _ = open_or_create(tmp_path / "demo")
    fill(dataset, DEMO)
    rules = tmp_path / "demo" / "schemas" / "receipt" / "draft.rules.json"
    rules.write_text('{"fields": {"total": {"comparator": "currency"}}}\n')
    dataset.remove_document(IMAGE)
    fill(dataset, DEMO)
    assert IMAGE in dataset.document_ids()
    assert rules.read_text() == '{"fields": {"total": {"comparator": "currency"}}}\n'


def test_another_dataset_is_left_alone(tmp_path: Path) -> None:
    assert goldleaf("new", tmp_path / "mine").code == 0
    ended = goldleaf("demo", tmp_path / "mine")
    assert ended.code == 2
    assert "is the dataset 'mine' and not the demo" in ended.err
    assert Dataset.open(tmp_path / "mine").document_ids() == ()


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    ended = goldleaf("demo", tmp_path)
    assert ended.code == 2
    assert "letter.txt" in ended.err
    assert [file.name for file in tmp_path.iterdir()] == ["letter.txt"]


def test_the_shipped_files_are_found_in_the_repository() -> None:
    assert shipped_files() == DEMO


def test_the_dataset_is_called_the_demo(dataset: Dataset) -> None:
    assert dataset.name == NAME
    assert dataset.panel == ("birch", "cedar", "harbor", "lantern", BESIDE_IMPORTED)


def test_a_wheel_holds_the_whole_demo_and_what_is_no_program(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        prefix = "flows/demo_data/"
        held = {name.removeprefix(prefix): archive.read(name) for name in archive.namelist() if name.startswith(prefix)}
        assert "annotation/packet.xml" in archive.namelist()
    assert held == {file.relative_to(DEMO).as_posix(): file.read_bytes() for file in DEMO.rglob("*") if file.is_file()}
