"""Extractors by name, and extractors in a process of their own that may crash, hang, print or lie."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

import planted_extractors as planted
from extraction_builders import COUNTING, TEXT, is_running, schema
from extractors import registry
from extractors.process import ExtractorProcess
from extractors.protocol import Job, run
from extractors.registry import BUILT_IN, choose, load, unavailable
from extractors.request import Request
from groundtruth.ballot import Ballot, Failure, Status
from groundtruth.errors import ExtractorError

SCHEMA = schema({"title": TEXT})


HARMFUL = "planted_extractors:Harmful"


def answers(process: ExtractorProcess, *stems: str, seconds: float = 60) -> list[Ballot]:
    with process:
        return [process.extract(request(stem, seconds)) for stem in stems]


def request(stem: str, seconds: float = 60) -> Request:
    return Request(Path(f"/nowhere/{stem}.pdf"), SCHEMA, seconds)


def harmful() -> ExtractorProcess:
    return ExtractorProcess(HARMFUL, load(HARMFUL).info)


def test_a_fault_costs_the_vote_on_its_document_only() -> None:
    stems = ["first", "raise", "refuse", "print", "lie", "crash", "between", "segfault", "leave", "last"]
    found = {
        stem: (ballot.failure, ballot.detail, ballot.data.get("title"))
        for stem, ballot in zip(stems, answers(harmful(), *stems), strict=True)
    }
    assert found == {
        "first": (None, "", "first"),
        "raise": (Failure.INTERNAL, "ValueError: planted fault", None),
        "refuse": (Failure.UNSUPPORTED_INPUT, "no text layer", None),
        "print": (None, "", "print"),
        "lie": (Failure.INTERNAL, "answered as gpt of the family gpt", None),
        "crash": (Failure.INTERNAL, "ended with exit code 7", None),
        "between": (None, "", "between"),
        "segfault": (Failure.INTERNAL, "ended by SIGSEGV", None),
        "leave": (Failure.INTERNAL, "SystemExit: 3", None),
        "last": (None, "", "last"),
    }


@pytest.mark.e2e  # takes seconds
def test_a_hang_is_ended_in_time_with_all_that_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = tmp_path / "notes"
    monkeypatch.setenv(planted.NOTES_FILE, str(notes))
    hung, after = answers(harmful(), "hang", "after", seconds=1)
    assert (hung.status, hung.failure, hung.detail) == (Status.FAILED, Failure.TIMEOUT, "no answer within 1 s")
    assert after.data == {"title": "after"}
    assert not is_running(int(notes.read_text().split()[1]))


def test_what_left_the_process_group_ends_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = tmp_path / "notes"
    monkeypatch.setenv(planted.NOTES_FILE, str(notes))
    (escaped,) = answers(harmful(), "escape")
    assert escaped.detail == "ended with exit code 7"
    pid = int(notes.read_text().split()[1])
    deadline = time.monotonic() + 30
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_running(pid)


def test_an_extraction_can_be_stopped_from_another_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = tmp_path / "notes"
    monkeypatch.setenv(planted.NOTES_FILE, str(notes))
    process = harmful()

    def stop_once_it_hangs() -> None:
        while not notes.exists():
            time.sleep(0.05)
        process.stop()

    stopper = threading.Thread(target=stop_once_it_hangs)
    stopper.start()
    with process:
        ballots = [process.extract(request(stem)) for stem in ("hang", "after")]
    stopper.join()
    assert [ballot.failure for ballot in ballots] == [Failure.CANCELLED, Failure.CANCELLED]


def test_an_extractor_that_cannot_start_says_so() -> None:
    spec = "planted_extractors:Unavailable"
    with (
        ExtractorProcess(spec, load(spec).info) as process,
        pytest.raises(ExtractorError, match="PLANTED_KEY is not set"),
    ):
        process.extract(request("first"))


def test_an_exception_becomes_a_failed_ballot_without_a_process_too() -> None:
    ballot = run(planted.Harmful(), Job(Path("/nowhere/raise.pdf"), SCHEMA, 0))
    assert (ballot.system, ballot.failure, ballot.detail) == ("harmful", Failure.INTERNAL, "ValueError: planted fault")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("gpt", "no extractor is called 'gpt'; there is text-geo"),
        ("no.such.module:Class", "no.such.module:Class cannot be imported .ModuleNotFoundError"),
        ("planted_extractors:Absent", "has no attribute 'Absent'"),
        ("planted_extractors:NotAnExtractor", "lacks info, available or extract"),
        ("planted_extractors:Undescribed", "its info is a str; make it an ExtractorInfo"),
        ("planted_extractors:Misnamed", "Misnamed: '../harmful' cannot be a system name"),
        ("../evil.py:Class", "no extractor is called"),
    ],
)
def test_an_unknown_extractor_is_refused(spec: str, message: str) -> None:
    with pytest.raises(ExtractorError, match=message):
        load(spec)


def test_all_built_in_extractors_are_chosen_by_default() -> None:
    assert list(choose(())) == [name for name in BUILT_IN if name not in unavailable()]
    for name, spec in BUILT_IN.items():
        assert load(name).info == load(spec).info
        assert load(name).info.name == name


def test_what_cannot_run_here_is_left_out_by_default_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = {"lacking": "planted_extractors:Unavailable", "broken": "no.such.module:Class"}
    monkeypatch.setattr(registry, "BUILT_IN", {"counting": COUNTING} | lacking)
    assert list(choose(())) == ["counting"]
    missing = unavailable()
    assert missing["lacking"] == "PLANTED_KEY is not set"
    assert "cannot be imported" in missing["broken"]
    monkeypatch.setattr(registry, "BUILT_IN", lacking)
    with pytest.raises(ExtractorError, match=r"lacking cannot run here: PLANTED_KEY is not set; .*broken"):
        choose(())


@pytest.mark.parametrize(
    ("specs", "message"),
    [
        (["planted_extractors:Unavailable"], "PLANTED_KEY is not set"),
        (["text-geo", "extractors.text_geo:TextGeo"], "two extractors are called text-geo"),
    ],
)
def test_a_named_extractor_must_be_able_to_run(specs: list[str], message: str) -> None:
    with pytest.raises(ExtractorError, match=message):
        choose(specs)
