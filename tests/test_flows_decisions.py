"""``goldleaf resolve`` and ``goldleaf decisions``: truth from votes and decisions, and taking a decision back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from annotation.asked import Asked
from builders import goldleaf
from decision_builders import ANN, BOB, decide
from flows.resolve_step import resolve_dataset, situations_of
from groundtruth.box import Box
from groundtruth.decision import Cause, Decision, Verdict
from groundtruth.document import Kind
from groundtruth.evidence import Evidence, Source
from groundtruth.store import Dataset
from groundtruth.store_artefacts import Artefact
from groundtruth.truth import GroundTruth

SCHEMA = {
    "type": "object",
    "properties": {
        "number": {"type": ["string", "null"], "description": "the invoice number"},
        "total": {"type": ["number", "null"], "description": "the total due"},
        "note": {"type": ["string", "null"]},
    },
}
ANSWERS: dict[str, dict[str, Any]] = {
    "ash": {"number": "INV-7", "total": 1234.5, "note": "paid"},
    "beech": {"number": "INV-7", "total": "1,234.50", "note": "paid"},
    "cedar": {"number": "INV-7", "total": 1234.5, "note": None},
    "dogwood": {"number": "1NV-7", "total": 1234.5, "note": "due"},
}


def _document(path: Path, number: str) -> None:
    document = pymupdf.open()
    page = document.new_page(width=600, height=800)
    page.insert_text((50, 100), f"Invoice number: {number}")
    page.insert_text((50, 140), "Total due: 1,234.50")
    document.save(path)


@pytest.fixture(scope="module")
def voted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a dataset of two invoices that four systems read alike, voted on."""
    tmp_path = tmp_path_factory.mktemp("voted")
    made = tmp_path / "data"
    (tmp_path / "invoice.json").write_text(json.dumps(SCHEMA))
    assert goldleaf("new", made).code == 0
    for name, number in (("inv", "INV-7"), ("jnv", "INV-8")):
        _document(tmp_path / f"{name}.pdf", number)
        assert goldleaf("add", made, "--schema", tmp_path / "invoice.json", tmp_path / f"{name}.pdf").code == 0
    for system, answer in ANSWERS.items():
        answers = tmp_path / system
        answers.mkdir()
        for name in ("inv", "jnv"):
            (answers / f"{name}.json").write_text(json.dumps(answer))
        assert goldleaf("votes", "import", made, "--system", system, answers).code == 0
    assert goldleaf("vote", made).code == 0
    return tmp_path


@pytest.fixture
def folder(voted: Path, tmp_path: Path) -> Path:
    """A dataset of one's own."""
    shutil.copytree(voted, tmp_path, dirs_exist_ok=True)
    return tmp_path / "data"


def _say(folder: Path, path: str, value: Any = None, *, document: str = "inv", **changes: Any) -> Decision:
    dataset = Dataset.open(folder)
    situation = situations_of(dataset)[1][document]
    asked = Asked(document, "", Kind.REAL, situation.schema, situation.consensus, 1)
    decision = decide(asked, path, value, **changes)
    assert dataset.extend_decisions(document, [decision]) == 1
    return decision


def _truth(folder: Path, document: str = "inv") -> GroundTruth:
    found = Dataset.open(folder).truth(document)
    assert found is not None
    return found


def _queue(folder: Path) -> list[tuple[str, str]]:
    assert goldleaf("vote", folder).code == 0
    items = goldleaf("queue", folder, "--json").json["items"]
    return [(place["document"], place["path"]) for item in items for place in item["places"]]


def test_truth_joins_the_vote_and_the_decisions(folder: Path) -> None:
    decision = _say(folder, "note", "paid on 3 May")
    found = goldleaf("resolve", folder, "--json")
    assert (found.code, found.json["written"], found.json["unchanged"]) == (0, ["inv", "jnv"], [])
    assert found.json["open_leaves"] == {"inv": 1, "jnv": 2}
    assert found.json["leaves"] == {"accepted": 2, "reviewed": 1, "unresolved": 3}
    truth = _truth(folder)
    assert truth.value == {"number": None, "total": 1234.5, "note": "paid on 3 May"}
    assert truth.evidence["total"][0].quote == "1,234.50"
    assert truth.further["unresolved"] == {"number": "provisional"}
    assert truth.further["leaves"]["note"]["decisions"] == [decision.id]
    human = goldleaf("resolve", folder)
    assert "complete: 0 of 2" in human.out
    assert "open: 3 leaves and 0 rows in inv, jnv" in human.out


@pytest.mark.e2e
def test_resolving_again_changes_nothing(folder: Path) -> None:
    assert goldleaf("resolve", folder).code == 0
    before = (folder / "truth" / "inv.json").read_bytes()
    assert goldleaf("resolve", folder, "--json").json["unchanged"] == ["inv", "jnv"]
    assert (folder / "truth" / "inv.json").read_bytes() == before


@pytest.mark.e2e
def test_majorities_are_taken_on_request(folder: Path) -> None:
    assert goldleaf("resolve", folder, "--provisional", "--document", "inv", "--json").json["written"] == ["inv"]
    truth = _truth(folder)
    assert truth.value["number"] == "INV-7"
    assert truth.further["leaves"]["number"]["status"] == "provisional"
    assert Dataset.open(folder).truth("jnv") is None


def test_an_imported_truth_is_never_written_over(folder: Path, tmp_path: Path) -> None:
    dataset = Dataset.open(folder)
    mine = GroundTruth("inv", "invoice", {"number": "mine"})
    dataset.put_truth(mine)
    ended = goldleaf("resolve", folder, "--json")
    assert (ended.code, ended.json["kept"], ended.json["written"]) == (1, ["inv"], ["jnv"])
    assert _truth(folder).value == mine.value
    assert "imported" in goldleaf("resolve", folder).err
    out = tmp_path / "truths"
    ended = goldleaf("resolve", folder, "--out", out, "--json")
    assert (ended.code, ended.json["kept"], ended.json["written"]) == (0, [], ["inv", "jnv"])
    assert json.loads((out / "inv.json").read_text())["made_by"] == "resolve"
    assert goldleaf("resolve", folder, "--out", out, "--json").json["unchanged"] == ["inv", "jnv"]


@pytest.mark.e2e
def test_one_document_that_cannot_be_resolved_costs_only_itself(folder: Path) -> None:
    (folder / "truth").mkdir()
    (folder / "truth" / "inv.json").write_text("{")
    ended = goldleaf("resolve", folder, "--json")
    assert (ended.code, list(ended.json["failed"]), ended.json["written"]) == (1, ["inv"], ["jnv"])
    assert "inv.json" in ended.json["failed"]["inv"]


@pytest.mark.e2e
def test_a_document_without_a_vote_is_named(folder: Path, tmp_path: Path) -> None:
    _document(tmp_path / "new.pdf", "INV-9")
    assert goldleaf("add", folder, "--schema", "invoice", tmp_path / "new.pdf").code == 0
    assert goldleaf("resolve", folder, "--json").json["without_vote"] == ["new"]
    assert "No vote on: new" in goldleaf("resolve", folder).out


def test_decided_questions_leave_the_queue_and_a_withdrawal_brings_them_back(folder: Path) -> None:
    everything = {("inv", "note"), ("inv", "number"), ("jnv", "note"), ("jnv", "number")}
    assert set(_queue(folder)) == everything
    decision = _say(folder, "note", "paid")
    assert set(_queue(folder)) == everything - {("inv", "note")}
    ended = goldleaf("decisions", "withdraw", folder, decision.id[:8], "--why", "misread", "--by", "eve", "--json")
    assert (ended.code, ended.json["withdrawn"]) == (0, decision.id)
    assert {("inv", "note")} <= {
        (place["document"], place["path"])
        for item in goldleaf("queue", folder, "--json").json["items"]
        for place in item["places"]
    }
    assert goldleaf("resolve", folder).code == 0
    assert _truth(folder).value["note"] is None


@pytest.mark.e2e
def test_fields_whose_votes_people_overturn_are_asked_first(folder: Path) -> None:
    def order() -> list[str]:
        return [path for document, path in _queue(folder) if document == "jnv"]

    assert order() == ["note", "number"]
    # Both are majorities of the same margin once the notes agree but for one.
    for name in ("inv", "jnv"):
        answer = folder.parent / "cedar" / f"{name}.json"
        answer.write_text(json.dumps(ANSWERS["cedar"] | {"note": "paid"}))
    assert goldleaf("votes", "import", folder, "--system", "cedar", folder.parent / "cedar").code == 0
    assert goldleaf("vote", folder).code == 0
    _say(folder, "note", "paid")
    _say(folder, "number", "INV-1")
    assert order() == ["number", "note"]


@pytest.mark.e2e
def test_decisions_are_listed_with_how_they_stand(folder: Path) -> None:
    first = _say(folder, "number", "INV-7")
    _say(folder, "number", "INV-1", by=BOB)
    gone = _say(folder, "total", 5)
    _say(folder, "note", "x", document="jnv")
    assert goldleaf("decisions", "withdraw", folder, gone.id, "--why", "misread", "--by", "eve").code == 0
    found = goldleaf("decisions", "list", folder, "--json").json["decisions"]
    assert [(each["document"], each["path"], each["reviewer"], each["now"]) for each in found] == [
        ("inv", "number", ANN, "conflicting"),
        ("inv", "number", BOB, "conflicting"),
        ("jnv", "note", ANN, "decided"),
    ]
    everything = goldleaf("decisions", "list", folder, "--all", "--json").json["decisions"]
    (withdrawn,) = [each for each in everything if each["now"] == "withdrawn"]
    assert (withdrawn["id"], withdrawn["withdrawn"]["why"]) == (gone.id, "misread")
    assert len(goldleaf("decisions", "list", folder, "--document", "jnv", "--json").json["decisions"]) == 1
    assert len(goldleaf("decisions", "list", folder, "--field", "number", "--json").json["decisions"]) == 2
    human = goldleaf("decisions", "list", folder)
    assert first.id[:8] in human.out
    assert "3 decisions" in human.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(["abcdef00", "--why", "x", "--by", "eve"], "no such decision", id="unknown"),
        pytest.param(["a", "--why", "x", "--by", "eve"], "at least 4", id="too short"),
        pytest.param(["abcdef00", "--why", " ", "--by", "eve"], "reason", id="no reason"),
    ],
)
@pytest.mark.e2e
def test_what_cannot_be_withdrawn_is_refused(folder: Path, arguments: list[str], says: str) -> None:
    ended = goldleaf("decisions", "withdraw", folder, *arguments)
    assert ended.code == 2
    assert says in ended.err


def test_a_decision_is_withdrawn_once(folder: Path) -> None:
    decision = _say(folder, "number", "INV-7")
    withdraw = ("decisions", "withdraw", folder, decision.id, "--why", "misread", "--by", "eve")
    assert goldleaf(*withdraw).code == 0
    again = goldleaf(*withdraw)
    assert again.code == 2
    assert "does not stand any more" in again.err


def test_a_new_schema_version_reopens_what_it_changed_and_nothing_else(folder: Path) -> None:
    assert goldleaf("schema", "freeze", folder).code == 0
    assert goldleaf("vote", folder).code == 0
    for path, value in (("number", "INV-1"), ("total", 9), ("note", "x")):
        _say(folder, path, value)
    schema = json.loads(json.dumps(SCHEMA))
    schema["properties"]["number"]["description"] = "the number, without its prefix"
    draft = folder / "schemas" / "invoice" / "draft.schema.json"
    draft.write_text(json.dumps(schema))
    assert goldleaf("schema", "freeze", folder).code == 0
    assert goldleaf("vote", folder).code == 0
    found = goldleaf("decisions", "list", folder, "--stale", "--json").json["decisions"]
    assert [(each["path"], each["now"], each["present_path"]) for each in found] == [
        ("number", "schema_changed", "number")
    ]
    assert goldleaf("resolve", folder, "--document", "inv", "--json").json["stale"] == {"schema_changed": 1}
    truth = _truth(folder)
    assert truth.value == {"number": None, "total": 9, "note": "x"}
    assert truth.further["unresolved"] == {"number": "schema_changed"}
    assert [path for document, path in _queue(folder) if document == "inv"] == ["number"]


@pytest.mark.e2e
def test_a_vote_on_other_leaves_than_the_schema_has_waits_for_a_new_one(folder: Path) -> None:
    schema = json.loads(json.dumps(SCHEMA))
    schema["properties"]["iban"] = {"type": ["string", "null"]}
    (folder / "schemas" / "invoice" / "draft.schema.json").write_text(json.dumps(schema))
    assert resolve_dataset(Dataset.open(folder)).without_vote == ["inv", "jnv"]
    assert "No vote yet on: inv, jnv" in goldleaf("status", folder).out
    assert goldleaf("vote", folder).code == 0
    assert resolve_dataset(Dataset.open(folder)).written == ["inv", "jnv"]


@pytest.mark.e2e
def test_a_damaged_log_is_named(folder: Path) -> None:
    _say(folder, "number", "INV-7")
    Dataset.open(folder).artefact_path(Artefact.DECISIONS, "inv", "jsonl").write_text("{}\n")
    for command in (["resolve"], ["decisions", "list"]):
        ended = goldleaf(*command, folder)
        assert ended.code in (1, 2)
        assert "inv.jsonl:1" in ended.err.replace("\n", "")


def test_explain_shows_what_people_decided(folder: Path) -> None:
    found = goldleaf("explain", folder, "inv", "number", "--json").json
    assert (found["known"], found["decisions"]) == ({"status": "provisional", "why": None}, [])
    decision = _say(folder, "number", "INV-1", causes=(Cause.UNSURE,))
    found = goldleaf("explain", folder, "inv", "number", "--json").json
    assert found["known"] == {"status": "reviewed", "why": None}
    assert [(each["id"], each["now"]) for each in found["decisions"]] == [(decision.id, "decided")]
    assert goldleaf("decisions", "withdraw", folder, decision.id, "--why", "misread", "--by", "eve").code == 0
    human = goldleaf("explain", folder, "inv", "number").out
    assert "known: provisional" in human
    assert 'edit "INV-1" (unsure), by ann@example.org' in human
    assert "withdrawn by eve: misread" in human


def test_status_says_what_people_decided_flagged_and_what_is_stale(folder: Path) -> None:
    assert "decided by people" not in goldleaf("status", folder).out
    assert goldleaf("schema", "freeze", folder).code == 0
    _say(folder, "number", "INV-1", causes=(Cause.SCHEMA_PROBLEM,))
    _say(folder, "number", "INV-1", document="jnv", causes=(Cause.SCHEMA_PROBLEM, Cause.UNSURE))
    _say(folder, "note", "x")
    _say(folder, "note", "y", by=BOB)
    _say(folder, "note", verdict=Verdict.ESCALATE, document="jnv")
    found = goldleaf("status", folder, "--json").json["decisions"]
    assert (found["decided"], found["conflicting"], found["escalated"], found["stale"]) == (2, 1, 1, [])
    assert [(each["field"], each["cause"], each["leaves"]) for each in found["flagged"]] == [
        ("number", "schema_problem", 2),
        ("number", "unsure", 1),
    ]
    schema = json.loads(json.dumps(SCHEMA))
    schema["properties"]["number"]["description"] = "the number, without its prefix"
    (folder / "schemas" / "invoice" / "draft.schema.json").write_text(json.dumps(schema))
    frozen = goldleaf("schema", "freeze", folder)
    assert "asked again where decided: number" in frozen.out
    assert "Needs new votes: number." in frozen.out
    again = goldleaf("schema", "freeze", folder, "--json").json
    assert (again["reopened"], again["needs_votes"]) == (["number"], ["number"])
    found = goldleaf("status", folder, "--json").json["decisions"]
    assert found["stale"] == [{"schema": "invoice", "field": "number", "reason": "schema_changed", "decisions": 2}]
    assert found["needs_votes"] == [{"schema": "invoice", "field": "number"}]
    human = goldleaf("status", folder).out
    assert "stale: 2 decisions on number (schema changed)" in human
    assert "needs new votes: number" in human
    assert "flagged: schema problem on number: 2 leaves" in human


@pytest.mark.e2e
def test_the_report_lists_decisions_as_text(folder: Path) -> None:
    _say(folder, "number", "<script>1</script>")
    found = goldleaf("report", folder, "--document", "inv", "--json").json
    page = Path(found["documents"][0]["html"]).read_text()
    assert "What people decided" in page
    assert "&lt;script&gt;1&lt;/script&gt;" in page
    assert "<script>" not in page


@pytest.mark.e2e
def test_boxes_that_people_drew_get_the_words_in_them(folder: Path) -> None:
    # The page is 600 by 800 points; the number stands at (50, 100), the total at (50, 140).
    drawn = Evidence(page=1, boxes=(Box(0.07, 0.1, 0.5, 0.13), Box(0.07, 0.15, 0.5, 0.18)), source=Source.PERSON)
    blank = Evidence(page=1, boxes=(Box(0.5, 0.5, 0.6, 0.6),), source=Source.PERSON)
    _say(folder, "number", "INV-1", evidence=[drawn, blank])
    assert goldleaf("resolve", folder).code == 0
    entries = _truth(folder).evidence["number"]
    assert [(entry.coarse, entry.quote) for entry in entries] == [
        (False, None),
        (False, None),
        (True, "Invoice number: INV-7 Total due: 1,234.50"),
        (False, None),
    ]
    assert [entry.further["source"] for entry in entries] == ["person"] * 4


@pytest.mark.parametrize("metric", ["value-f1", "verdicts"])
def test_a_truth_scores_in_full_against_itself_and_not_before_it_is_complete(folder: Path, metric: str) -> None:
    files = ["--schema", folder.parent / "invoice.json", "--truth", folder / "truth" / "inv.json"]
    prediction = folder.parent / "prediction.json"
    score = ["score", "--metric", metric, *files, "--prediction", prediction, "--json"]
    assert goldleaf("resolve", folder).code == 0
    prediction.write_text("{}")
    ended = goldleaf(*score)
    assert ended.code == 2
    assert "2 leaves (note, number) and 0 rows are open" in ended.err
    _say(folder, "note", "paid on 3 May", alternates=("paid",))
    _say(folder, "number", "INV-7")
    assert goldleaf("resolve", folder).code == 0
    # The other metric knows of no further readings.
    for note in ("paid on 3 May", "paid") if metric == "value-f1" else ("paid on 3 May",):
        prediction.write_text(json.dumps({"number": "INV-7", "total": 1234.5, "note": note}))
        found = goldleaf(*score).json
        assert (found["value"]["f1"] if metric == "value-f1" else found["accuracy"]) == 1.0


@pytest.mark.e2e
def test_a_truth_with_open_leaves_is_named_when_a_dataset_is_scored(folder: Path) -> None:
    assert goldleaf("resolve", folder).code == 0
    ended = goldleaf("score", "--metric", "value-f1", folder, "ash", "--json")
    assert ended.code == 1
    assert "not complete" in ended.out
