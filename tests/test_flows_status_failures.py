"""`goldleaf status` names the systems that failed on a document or left pages of it out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from extraction_builders import dataset_of
from flows.cli import app
from flows.vote_step import vote_on_dataset
from groundtruth.ballot import Ballot, Failure, Status
from groundtruth.store import Dataset


def failing(folder: Path) -> Dataset:
    """A dataset with one document that has a vote, and one on which all failed."""
    dataset = dataset_of(folder / "set", ["good", "lost"])
    dataset.put_ballot("good", Ballot("whole", "a", data={"title": "x"}))
    dataset.put_ballot("good", Ballot("cut", "b", Status.PARTIAL, {"title": "x"}, detail="page 2 left out: why"))
    dataset.put_ballot("good", Ballot.failed("late", "c", Failure.TIMEOUT, "no answer within 9 s"))
    dataset.put_ballot("good", Ballot.failed("blind", "d", Failure.UNSUPPORTED_INPUT, "no text layer"))
    dataset.put_ballot("lost", Ballot.failed("late", "c", Failure.INTERNAL, "ended by SIGSEGV"))
    vote_on_dataset(dataset)
    return dataset


def said(dataset: Dataset, *options: str) -> str:
    result = CliRunner().invoke(app, ["status", str(dataset.root), *options])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_json_names_all_of_them(tmp_path: Path) -> None:
    found: Any = json.loads(said(failing(tmp_path), "--json"))
    failures = [tuple(map(one.get, ("document", "system", "status"))) for one in found["failures"]]
    assert failures == [
        ("good", "blind", "failed"),
        ("good", "cut", "partial"),
        ("good", "late", "failed"),
        ("lost", "late", "failed"),
    ]
    assert [one["detail"] for one in found["failures"]][1] == "page 2 left out: why"


def test_a_person_sees_those_that_should_not_be(tmp_path: Path) -> None:
    text = " ".join(said(failing(tmp_path)).split())
    assert "cut: good: cut: page 2 left out: why" in text
    assert "failed: good: late: timeout" in text
    assert "failed: lost: late: internal: ended by SIGSEGV" in text
    assert "blind" not in text.partition("panel:")[2]


def test_a_long_list_is_cut_and_says_so(tmp_path: Path) -> None:
    ids = [f"d{number:02}" for number in range(23)]
    dataset = dataset_of(tmp_path / "set", ids)
    for name in ids:
        dataset.put_ballot(name, Ballot.failed("late", "c", Failure.INTERNAL, "ended by SIGSEGV"))
    assert "... and 3 more that failed or were cut" in said(dataset)
