"""A dataset from its documents to its queue: ``vote``, ``queue``, ``status``, ``explain`` and ``report``."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pymupdf
import pytest

from builders import goldleaf
from groundtruth.document import Kind
from groundtruth.store import Dataset

SCHEMA = {
    "type": "object",
    "properties": {
        "number": {"type": ["string", "null"], "description": "the invoice number"},
        "total": {"type": ["number", "null"], "description": "the total due"},
        "note": {"type": ["string", "null"]},
    },
}
ANSWERS = {
    "ash": {"number": "INV-7", "total": 1234.5, "note": "<b>paid</b>"},
    "beech": {"number": "INV-7", "total": "1,234.50", "note": "<b>paid</b>"},
    "cedar": {"number": "INV-7", "total": 1234.5, "note": None},
    "dogwood": {"number": "1NV-7", "total": 1234.5, "note": "due"},
}


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of one invoice, read by four systems, to be copied."""
    tmp_path = tmp_path_factory.mktemp("read")
    document = pymupdf.open()
    page = document.new_page(width=600, height=800)
    page.insert_text((50, 100), "Invoice number: INV-7")
    page.insert_text((50, 140), "Total due: 1,234.50")
    document.save(tmp_path / "inv.pdf")
    (tmp_path / "invoice.json").write_text(json.dumps(SCHEMA))
    folder = tmp_path / "data"
    assert goldleaf("new", folder).code == 0
    assert goldleaf("add", folder, "--schema", tmp_path / "invoice.json", tmp_path / "inv.pdf").code == 0
    for system, answer in ANSWERS.items():
        answers = tmp_path / system
        answers.mkdir()
        (answers / "inv.json").write_text(json.dumps(answer))
        assert goldleaf("votes", "import", folder, "--system", system, answers).code == 0
    return folder


@pytest.fixture(scope="module")
def read_and_voted(read: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with its vote, to be copied."""
    folder = copied(read, tmp_path_factory.mktemp("voted"))
    assert goldleaf("vote", folder).code == 0
    return folder


@pytest.fixture
def dataset(read: Path, tmp_path: Path) -> Path:
    return copied(read, tmp_path)


@pytest.fixture
def voted(read_and_voted: Path, tmp_path: Path) -> Path:
    return copied(read_and_voted, tmp_path)


def copied(folder: Path, place: Path) -> Path:
    """A copy of a dataset, with the files beside it."""
    shutil.copytree(folder.parent, place, dirs_exist_ok=True)
    return place / folder.name


def test_a_synthetic_document_is_voted_on_and_nothing_of_it_is_asked(voted: Path, tmp_path: Path) -> None:
    before = goldleaf("queue", voted, "--limit", 0, "--json").json
    data = Dataset.open(voted)
    _add(voted, tmp_path, "made", Kind.SYNTHETIC)
    for system in ANSWERS:
        for ballot in data.ballots("inv", [system]):
            data.put_ballot("made", ballot)
    assert goldleaf("vote", voted, "--json").json["voted"] == ["made"]
    queue = goldleaf("queue", voted, "--limit", 0, "--json").json
    status = goldleaf("status", voted, "--json").json
    assert before["questions"] > 0
    assert queue == before
    assert status["queue"]["questions"] == before["questions"]
    assert [record["document"] for record in status["documents"]] == ["inv", "made"]


def _add(folder: Path, source: Path, document_id: str, kind: Kind) -> None:
    with pymupdf.open() as document:
        document.new_page().insert_text((50, 100), document_id)
        document.save(source / f"{document_id}.pdf")
    Dataset.open(folder).add_document(source / f"{document_id}.pdf", id=document_id, schema="invoice", kind=kind)


def test_documents_that_come_with_their_truth_are_not_said_to_wait_for_a_vote(voted: Path, tmp_path: Path) -> None:
    _add(voted, tmp_path, "made", Kind.SYNTHETIC)
    _add(voted, tmp_path, "twin", Kind.RECAPTURE)
    _add(voted, tmp_path, "new", Kind.REAL)
    status = goldleaf("status", voted)
    assert "No vote yet on: new." in status.out
    assert "Made with their truth, so no vote is needed: 2 documents" in status.out
    assert goldleaf("status", voted, "--json").json["waiting"] == ["new"]
    assert list(goldleaf("vote", voted, "--json").json["failed"]) == ["new"]
    assert goldleaf("resolve", voted, "--json").json["without_vote"] == ["new"]


def test_the_vote_is_written_with_boxes_and_not_repeated(dataset: Path) -> None:
    first = goldleaf("vote", dataset, "--json").json
    assert (first["voted"], first["unchanged"]) == (["inv"], [])
    consensus = dataset / "consensus" / "inv.json"
    before = consensus.read_bytes()
    leaves = {leaf["path"]: leaf for leaf in json.loads(before)["leaves"]}
    assert leaves["total"]["location"]["certain"]
    assert leaves["number"]["location"]["evidence"][0]["quote"] == "INV-7"
    assert goldleaf("vote", dataset, "--json").json["unchanged"] == ["inv"]
    assert consensus.read_bytes() == before


def test_choosing_a_panel_votes_again_and_is_stored(voted: Path) -> None:
    assert goldleaf("vote", voted, "--systems", "ash,beech,cedar", "--json").json["voted"] == ["inv"]
    assert Dataset.open(voted).panel == ("ash", "beech", "cedar")
    ended = goldleaf("vote", voted, "--systems", "ash,nobody")
    assert ended.code == 2
    assert "nobody" in ended.err


def test_the_queue_lists_what_is_open_in_order(voted: Path) -> None:
    found = goldleaf("queue", voted, "--json").json
    assert [item["places"][0]["path"] for item in found["items"]] == ["note", "number"]
    assert (found["questions"], found["review"], found["provisional"]) == (2, 1, 1)
    flagged = goldleaf("queue", voted, "--review", "flagged", "--json").json
    assert [item["places"][0]["path"] for item in flagged["items"]] == ["note"]
    text = goldleaf("queue", voted).out
    assert "2 questions about 2 leaves wait for a person" in text
    assert "queue.jsonl" in text


@pytest.mark.parametrize(
    "arguments", [["--review", "everything"], ["--document", "absent"]], ids=["review", "document"]
)
def test_a_queue_of_nothing_there_is_misuse(voted: Path, arguments: list[str]) -> None:
    assert goldleaf("queue", voted, *arguments).code == 2


def test_status_says_what_the_dataset_holds(voted: Path) -> None:
    found = goldleaf("status", voted, "--json").json
    assert found["systems"] == ["ash", "beech", "cedar", "dogwood"]
    assert found["documents"][0]["tiers"] == {"majority": 1, "split": 1, "unanimous": 1}
    assert found["agreement"]["total"]["pairwise"] == 1.0
    assert found["waiting"] == []
    assert "inv" in goldleaf("status", voted).out


def test_status_before_any_vote_says_what_to_do(dataset: Path) -> None:
    assert "goldleaf run" in goldleaf("status", dataset).out
    assert goldleaf("status", dataset, "--json").json["waiting"] == ["inv"]


def test_explain_shows_readings_canonical_forms_and_boxes(voted: Path) -> None:
    found = goldleaf("explain", voted, "inv", "total", "--json").json
    readings = {reading["system"]: reading for reading in found["readings"]}
    assert (readings["beech"]["raw"], readings["beech"]["canonical"]) == ("1,234.50", 1234.5)
    assert readings["beech"]["why"] == "coerced"
    assert found["rule"]["comparator"] == "number"
    assert found["location"]["evidence"][0]["page"] == 1
    text = goldleaf("explain", voted, "inv", "note").out
    assert "no value has more than half of the votes" in text


@pytest.mark.parametrize(
    ("document", "path", "message"),
    [
        ("inv", "absent", "has no leaf or row"),
        ("absent", "total", "no document 'absent'"),
        ("inv", "a..b", "not a leaf path"),
    ],
)
def test_explaining_what_is_not_there(voted: Path, document: str, path: str, message: str) -> None:
    ended = goldleaf("explain", voted, document, path)
    assert ended.code == 2
    assert message in ended.err


def test_the_report_frames_values_and_escapes_what_systems_wrote(voted: Path) -> None:
    found = goldleaf("report", voted, "--json").json
    html = Path(found["documents"][0]["html"]).read_text()
    assert (voted / "report" / "inv.page-1.png").read_bytes().startswith(b"\x89PNG")
    assert "href='#total'" in html
    assert "<b>paid" not in html
    assert "&lt;b&gt;paid" in html
    assert "inv.html" in Path(found["index"]).read_text()


def test_a_document_without_ballots_is_a_finding_and_costs_only_itself(voted: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("Total 7")
    assert goldleaf("add", voted, "--schema", "invoice", other).code == 0
    ended = goldleaf("vote", voted, "--json")
    assert ended.code == 1
    assert "no ballots" in ended.json["failed"]["other"]
    assert ended.json["unchanged"] == ["inv"]


@pytest.mark.parametrize("text", ["{", "[]\n", "{}\n", '{"question": "what"}\n', ""], ids=repr)
@pytest.mark.parametrize(
    ("file", "command"), [("queue/queue.jsonl", "queue"), ("consensus/inv.json", "status")], ids=["queue", "consensus"]
)
def test_a_damaged_artefact_says_how_to_make_it_again(voted: Path, file: str, command: str, text: str) -> None:
    whole = (voted / file).read_bytes()
    (voted / file).write_text(text)
    if text or file.endswith(".json"):
        ended = goldleaf(command, voted)
        assert ended.code == 2
        assert str(voted / file) in ended.err
        assert "make it again with `goldleaf vote`" in ended.err
    assert goldleaf("vote", voted).code == 0
    assert (voted / file).read_bytes() == whole
