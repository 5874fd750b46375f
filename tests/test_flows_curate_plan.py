"""Which extractions are due, and how they are done and counted, without the engine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import document_builders as made
import planted_extractors as planted
from extraction_builders import COUNTING, HARMFUL, TITLES, add_pages, dataset_of
from extractors.registry import choose
from flows.curate_plan import Batch, Fingerprints, plan, seconds_for
from flows.curate_results import CurateSummary, Event, Outcome, PageBegun, Result
from flows.extraction import run_batch
from groundtruth.ballot import Ballot, Failure
from groundtruth.errors import DatasetError
from groundtruth.rules import Rules
from groundtruth.store import Dataset

PAGED = "planted_extractors:Paged"


def due(dataset: Dataset, spec: str = COUNTING, documents: str = "*") -> list[str]:
    found = plan(dataset, choose([spec]), documents)
    return [document for batch in found.batches for document in batch.documents]


def test_what_is_stored_under_the_same_fingerprint_is_not_due_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = tmp_path / "notes"
    monkeypatch.setenv(planted.NOTES_FILE, str(notes))
    dataset = dataset_of(tmp_path / "set", "abc")
    heard: list[Event] = []
    results = run_batch(dataset, Batch(COUNTING, ("a", "b")), listener=heard.append)
    assert results == heard == [Result(name, "counting", Outcome.DONE, pages=1) for name in ("a", "b")]
    assert due(dataset) == ["c"]
    assert plan(dataset, choose([COUNTING])).known == (
        Result("a", "counting", Outcome.SKIPPED),
        Result("b", "counting", Outcome.SKIPPED),
    )
    again = run_batch(dataset, Batch(COUNTING, ("a",)))
    assert again == [Result("a", "counting", Outcome.SKIPPED)]
    assert notes.read_text().split() == ["begin", "a", "end", "a", "begin", "b", "end", "b"]
    (ballot,) = dataset.ballots("a")
    assert (ballot.system, ballot.family, ballot.data) == ("counting", "planted", {"title": "a"})


def test_a_change_of_anything_that_it_depends_on_makes_it_due(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = dataset_of(tmp_path / "set", "ab")
    run_batch(dataset, Batch(COUNTING, ("a", "b")))
    assert due(dataset) == []
    with monkeypatch.context() as changed:
        info = planted.Counting.info
        newer = type(info)(name=info.name, version="2", family=info.family, seconds_per_page=2.0)
        changed.setattr(planted.Counting, "info", newer)
        assert due(dataset) == ["a", "b"]
    other = tmp_path / "other.pdf"
    other.write_bytes(made.pdf(["other"]))
    dataset.replace_document("a", other)
    assert due(dataset) == ["a"]
    dataset.put_draft("titles", TITLES | {"description": "other words"}, Rules(), replace=True)
    assert due(dataset) == ["a", "b"]


@pytest.mark.parametrize(
    ("failure", "again"),
    [(kind, kind in {
        Failure.NOT_CONFIGURED, Failure.AUTH, Failure.RATE_LIMITED, Failure.TRANSIENT, Failure.TIMEOUT,
        Failure.BUDGET_EXCEEDED, Failure.CANCELLED, Failure.INTERNAL,
    }) for kind in Failure],
    ids=str,
)  # fmt: skip
def test_a_failure_that_may_pass_is_tried_again_and_a_lasting_one_is_not(
    tmp_path: Path, failure: Failure, *, again: bool
) -> None:
    dataset = dataset_of(tmp_path / "set", "a")
    fingerprint = Fingerprints(dataset).of(dataset.document("a"), planted.Counting.info)
    dataset.put_ballot("a", Ballot.failed("counting", "planted", failure, "why"), fingerprint=fingerprint)
    assert due(dataset) == (["a"] if again else [])
    known = plan(dataset, choose([COUNTING])).known
    assert known == (() if again else (Result("a", "counting", Outcome.FAILED, failure, "why"),))


def test_a_damaged_ballot_is_made_again(tmp_path: Path) -> None:
    dataset = dataset_of(tmp_path / "set", "a")
    run_batch(dataset, Batch(COUNTING, ("a",)))
    file = dataset.root / "ballots" / "a" / "counting.json"
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    assert due(dataset) == ["a"]
    run_batch(dataset, Batch(COUNTING, ("a",)))
    assert file.read_bytes() == whole


@pytest.mark.e2e  # takes seconds
def test_faults_are_counted_and_cost_their_own_vote(tmp_path: Path) -> None:
    dataset = dataset_of(tmp_path / "set", ["crash", "good", "hang", "refuse"])
    results = run_batch(dataset, Batch(HARMFUL, ("crash", "gone", "good", "hang", "refuse")), seconds=1)
    summary = CurateSummary.of(results)
    assert (summary.done, summary.skipped) == (1, 0)
    assert summary.failed == {"internal": 2, "timeout": 1, "unsupported_input": 1}
    assert [problem.split(":")[0] for problem in summary.problems] == ["crash", "gone", "hang"]
    assert summary.remarks == ["refuse: harmful: unsupported_input: no text layer"]
    assert summary.pages == 1
    ballots = {name: dataset.ballots(name)[0] for name in dataset.document_ids()}
    assert {name: ballot.failure for name, ballot in ballots.items()} == {
        "crash": Failure.INTERNAL,
        "good": None,
        "hang": Failure.TIMEOUT,
        "refuse": Failure.UNSUPPORTED_INPUT,
    }
    assert due(dataset, HARMFUL) == ["crash", "hang"]
    log = [json.loads(line) for line in (dataset.root / "log" / "curate.jsonl").read_text().splitlines()]
    assert [(record["document"], record["failure"]) for record in log] == [
        ("crash", "internal"), ("good", None), ("hang", "timeout"), ("refuse", "unsupported_input"),
    ]  # fmt: skip


def test_quick_work_is_done_in_batches_and_slow_work_one_by_one(tmp_path: Path) -> None:
    ids = [f"d{number:02}" for number in range(45)]
    dataset = dataset_of(tmp_path / "set", ids)
    quick = plan(dataset, choose(["text-geo"])).batches
    assert [len(batch.documents) for batch in quick] == [40, 5]
    slow = plan(dataset, choose([COUNTING])).batches
    assert [batch.documents for batch in slow] == [(name,) for name in ids]


def test_the_longest_work_is_begun_first(tmp_path: Path) -> None:
    dataset = dataset_of(tmp_path / "set", ["a", "b"])
    for name, pages in (("c", 90), ("d", 3)):
        add_pages(dataset, name, pages)
    found = plan(dataset, choose(["text-geo", COUNTING]))
    assert found.batches == (
        Batch(COUNTING, ("c",)),
        Batch(COUNTING, ("d",)),
        Batch("text-geo", ("c",)),
        Batch(COUNTING, ("a",)),
        Batch(COUNTING, ("b",)),
        Batch("text-geo", ("d", "a", "b")),
    )
    assert {(one.document, one.system): (one.pages, one.seconds) for one in found.due} == {
        (name, system): (pages, pages * seconds)
        for name, pages in (("a", 1), ("b", 1), ("c", 90), ("d", 3))
        for system, seconds in (("text-geo", 0.05), ("counting", 2.0))
    }


def test_a_page_left_out_is_a_finding_that_names_it_and_stays(tmp_path: Path) -> None:
    dataset = paged_dataset(tmp_path, "3-crash2")
    heard: list[Event] = []
    results = run_batch(dataset, Batch(PAGED, ("3-crash2",)), listener=heard.append)
    left_out = "page 2 left out: ended by SIGSEGV"
    assert results == [Result("3-crash2", "paged", Outcome.DONE, detail=left_out, pages=2)]
    assert [event[2:] for event in heard if isinstance(event, PageBegun)] == [(1, 3), (2, 3), (1, 3), (3, 3)]
    summary = CurateSummary.of(results)
    assert (summary.done, summary.partial, summary.pages) == (1, 1, 2)
    cure = "it abstains on what stands there; delete ballots/3-crash2/paged.json to let it read again"
    assert summary.problems == [f"3-crash2: paged: {left_out} ({cure})"]
    (stored,) = plan(dataset, choose([PAGED])).known
    assert CurateSummary.of([stored]).problems == summary.problems
    (record,) = (dataset.root / "log" / "curate.jsonl").read_text().splitlines()
    assert json.loads(record)["pages"] == 2


def test_what_an_extractor_says_was_cut_is_a_remark() -> None:
    summary = CurateSummary.of([Result("a", "x", Outcome.DONE, detail="stops after 100 rows")])
    assert (summary.partial, summary.problems, summary.remarks) == (0, [], ["a: x: stops after 100 rows"])


def test_a_summary_comes_back_from_json_as_it_was() -> None:
    summary = CurateSummary(1, 2, {"timeout": 3}, 4, 5, 6.5, ["problem"], ["remark"])
    assert CurateSummary(**json.loads(json.dumps(summary.to_json()))) == summary


def test_languages_make_due_only_what_reads_them(tmp_path: Path) -> None:
    dataset = paged_dataset(tmp_path, "1")
    for spec in (PAGED, COUNTING):
        run_batch(dataset, Batch(spec, ("1",)))
    assert dataset.ballots("1", ["paged"])[0].data == {"title": "1", "languages": "en"}
    dataset.set_languages(["de", "en"])
    assert (due(dataset, PAGED), due(dataset, COUNTING)) == (["1"], [])
    run_batch(dataset, Batch(PAGED, ("1",)))
    assert dataset.ballots("1", ["paged"])[0].data == {"title": "1", "languages": "de,en"}


def test_a_long_document_may_take_longer() -> None:
    assert seconds_for(1) == 360
    assert seconds_for(1000) > 60_000


def paged_dataset(folder: Path, stem: str) -> Dataset:
    """A dataset with one document of as many pages as its id says."""
    dataset = dataset_of(folder / "set", [])
    add_pages(dataset, stem, int(stem.partition("-")[0]))
    return dataset


def test_only_documents_that_fit_the_pattern_are_due(tmp_path: Path) -> None:
    dataset = dataset_of(tmp_path / "set", ["inv-1", "inv-2", "memo"])
    assert due(dataset, documents="inv-*") == ["inv-1", "inv-2"]
    with pytest.raises(DatasetError, match="no document fits 'x\\*'"):
        due(dataset, documents="x*")


def test_an_empty_dataset_has_nothing_due(tmp_path: Path) -> None:
    assert due(Dataset.create(tmp_path / "set")) == []


def test_the_summary_does_not_depend_on_the_order_of_results() -> None:
    results = [
        Result("b", "x", Outcome.FAILED, "timeout", "late"),
        Result("a", "y", Outcome.DONE),
        Result("a", "x", Outcome.FAILED, "internal", "fell"),
    ]
    assert CurateSummary.of(results) == CurateSummary.of(results[::-1])
    assert CurateSummary.of(results).problems == [
        "a: x: internal: fell (its last words are in log/curate.jsonl)",
        "b: x: timeout: late (run it again on a less busy machine, or allow more with --timeout)",
    ]


def test_planning_and_working_import_no_engine() -> None:
    modules = "flows.extraction, flows.progress, flows.process_pool, flows.cli_curate, flows.engine"
    code = f"import sys, {modules}; sys.exit('prefect' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path)}, check=True)
