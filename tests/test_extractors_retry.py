"""Which failures an extractor is asked again after, how often, and what bounds it."""

from __future__ import annotations

from pathlib import Path

import pytest

import planted_extractors as planted
from extraction_builders import TEXT, schema
from extractors.process import ExtractorProcess
from extractors.request import Request
from extractors.retry import RETRIES, Retry, pause_before_retry
from groundtruth.ballot import Ballot, Failure

SCHEMA = schema({"title": TEXT})
AT_ONCE = {kind: rule._replace(pause=0.0) for kind, rule in RETRIES.items()}


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(planted.NOTES_FILE, str(tmp_path / "notes"))
    return tmp_path / "notes"


def answers(*stems: str, samples: bool = False, seconds: float = 60) -> list[Ballot]:
    name = "FailingSampler" if samples else "Failing"
    info = getattr(planted, name).info
    with ExtractorProcess(f"planted_extractors:{name}", info, retries=AT_ONCE) as process:
        return [process.extract(Request(Path(f"/nowhere/{stem}.pdf"), SCHEMA, seconds)) for stem in stems]


def test_a_failure_that_may_pass_is_tried_again_as_often_as_the_table_says(notes: Path) -> None:
    stems = [f"{kind}{rule.times}" for kind, rule in RETRIES.items() if not rule.sampling_only]
    assert [ballot.data for ballot in answers(*stems)] == [{"title": "at last"}] * 3
    tried = notes.read_text().split()
    assert {kind: tried.count(kind) for kind in ("transient", "rate_limited", "timeout")} == {
        "transient": 5,
        "rate_limited": 7,
        "timeout": 2,
    }


def test_what_still_fails_then_fails(notes: Path) -> None:
    last = {kind: rule.times + 1 for kind, rule in RETRIES.items()}
    found = answers(*(f"{kind}{times}" for kind, times in last.items()), samples=True)
    assert [ballot.failure for ballot in found] == list(RETRIES)
    assert [ballot.detail for ballot in found] == [f"planted failure {times}" for times in last.values()]
    assert len(notes.read_text().split()) == sum(last.values())


def test_nothing_else_is_tried_again(notes: Path) -> None:
    others = [kind for kind in Failure if kind not in RETRIES or RETRIES[kind].sampling_only]
    assert [ballot.failure for ballot in answers(*(f"{kind}1" for kind in others))] == others
    assert notes.read_text().split() == list(map(str, others))


def test_bad_json_is_tried_again_of_one_who_may_answer_otherwise(notes: Path) -> None:
    assert [ballot.data for ballot in answers("invalid_json1", samples=True)] == [{"title": "at last"}]
    assert notes.read_text().split() == ["invalid_json"] * 2


def test_pauses_grow_and_end() -> None:
    table = {Failure.TRANSIENT: Retry(times=3, pause=1.5)}
    pauses = [pause_before_retry(table, Failure.TRANSIENT, tried, samples=False) for tried in range(5)]
    assert pauses == [1.5, 3.0, 6.0, None, None]
    assert pause_before_retry(table, None, 0, samples=True) is None


def test_no_pause_goes_past_the_deadline(notes: Path) -> None:
    rules = {Failure.TRANSIENT: Retry(times=9, pause=1000.0)}
    with ExtractorProcess("planted_extractors:Failing", planted.Failing.info, retries=rules) as process:
        ballot = process.extract(Request(Path("/nowhere/transient1.pdf"), SCHEMA, 60))
    assert (ballot.failure, ballot.detail) == (Failure.TRANSIENT, "planted failure 1")
    assert notes.read_text().split() == ["transient"]
