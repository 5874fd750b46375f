"""`goldleaf curate` as a person runs it: killed, twice at once, told to stop, with extractors that do harm."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import planted_extractors as planted
from builders import REPOSITORY
from extraction_builders import COUNTING, HARMFUL, add_pages, dataset_of, is_running

pytestmark = pytest.mark.e2e

IDS = [f"d{number:02}" for number in range(10)]
PATIENCE_SECONDS = 600


class Command:
    """``goldleaf curate``, or another verb, on a folder, with the notes that its extractors take."""

    def __init__(self, folder: Path, cache: Path, *options: str, pause: float = 0.0, verb: str = "curate") -> None:
        self.folder = folder
        self.notes_file = folder.parent / f"{folder.name}.notes"
        self._arguments = [sys.executable, "-m", "flows.cli", verb, str(folder), "--json", *options]
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
        self._environment = kept | {
            "XDG_CACHE_HOME": str(cache),
            "PYTHONPATH": os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "tests")]),
            planted.NOTES_FILE: str(self.notes_file),
            planted.PAUSE_SECONDS: str(pause),
        }

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self._arguments,
            env=self._environment,
            cwd=self.folder.parent,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self) -> tuple[int, Any]:
        return finished(self.start())

    def notes(self) -> list[str]:
        return self.notes_file.read_text().splitlines() if self.notes_file.exists() else []

    def counted(self, word: str) -> Counter[str]:
        """How often each extraction began or ended, by document."""
        return Counter(line.split()[1] for line in self.notes() if line.startswith(word))


def finished(process: subprocess.Popen[str]) -> tuple[int, Any]:
    out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert "Traceback" not in err, err
    return process.returncode, json.loads(out) if out else err


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def descendants(pid: int) -> set[int]:
    """The processes that a process started, and those that they started."""
    found: set[int] = set()
    for child in Path(f"/proc/{pid}/task").glob("*/children"):
        for number in map(int, child.read_text().split()):
            found |= {number} | descendants(number)
    return found


def all_end(pids: set[int], seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not any(map(is_running, pids))


def artefacts(folder: Path) -> Mapping[str, bytes]:
    """Every file of a dataset but logs, locks and what says when."""
    files = (path for path in folder.rglob("*") if path.is_file())
    relative = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    return {
        name: data for name, data in relative.items() if not name.startswith(("log/", ".goldleaf/", "dataset.json"))
    }


def test_a_killed_run_goes_on_where_it_was_and_leaves_what_an_unbroken_run_leaves(tmp_path: Path) -> None:
    broken, unbroken = (tmp_path / name / "set" for name in ("broken", "unbroken"))
    broken.parent.mkdir()
    dataset_of(broken, IDS)
    shutil.copytree(broken, unbroken)
    command = Command(broken, tmp_path / "cache", "--extractors", f"{COUNTING},text-geo", "--workers", "2", pause=0.5)
    process = command.start()
    wait_until(lambda: sum(command.counted("end").values()) >= 4, process)
    started = descendants(process.pid)
    process.kill()
    process.communicate()
    assert all_end(started)
    stored = {path.parent.name for path in broken.glob("ballots/*/counting.json")}
    assert 3 <= len(stored) < len(IDS)

    code, summary = command.run()
    assert (code, summary["failed"], summary["problems"]) == (0, {}, [])
    assert summary["done"] + summary["skipped"] == 2 * len(IDS)
    ends = command.counted("end")
    assert set(ends) == set(IDS)
    # What was not yet stored when the run was killed is done again, and nothing else.
    assert all(ends[document] == 1 for document in stored)
    assert sum(command.counted("begin").values()) <= len(IDS) + 2

    again_code, again = command.run()
    assert (again_code, again["done"], again["skipped"]) == (0, 0, 2 * len(IDS))
    assert command.counted("end") == ends

    whole = Command(unbroken, tmp_path / "cache", "--extractors", f"{COUNTING},text-geo", "--workers", "2")
    assert whole.run()[0] == 0
    assert artefacts(broken) == artefacts(unbroken)


def test_two_runs_at_once_share_the_work(tmp_path: Path) -> None:
    dataset_of(tmp_path / "set", IDS)
    command = Command(tmp_path / "set", tmp_path / "cache", "--extractors", COUNTING, "--workers", "2", pause=0.5)
    results = [finished(process) for process in [command.start(), command.start()]]
    assert [code for code, _ in results] == [0, 0]
    assert command.counted("begin") == command.counted("end") == Counter(IDS)
    assert sum(summary["done"] for _, summary in results) == len(IDS)
    assert len(list((tmp_path / "set").glob("ballots/*/counting.json"))) == len(IDS)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)], ids=["sigterm", "sigint"])
def test_a_run_that_is_told_to_stop_stops_at_once_and_leaves_nothing_behind(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    dataset_of(tmp_path / "set", IDS)
    command = Command(tmp_path / "set", tmp_path / "cache", "--extractors", COUNTING, "--workers", "2", pause=500)
    process = command.start()
    wait_until(lambda: sum(command.counted("begin").values()) == 2, process)
    started = descendants(process.pid)
    assert len(started) == 3
    asked = time.monotonic()
    process.send_signal(number)
    process.communicate(timeout=120)
    assert time.monotonic() - asked < 100
    assert process.returncode == code
    assert all_end(started)
    assert not (tmp_path / "set" / "ballots").exists()


def test_extractors_that_do_harm_cost_their_own_vote(tmp_path: Path) -> None:
    stems = ["crash", "good", "hang", "raise", "refuse", "segfault"]
    dataset = dataset_of(tmp_path / "set", stems)
    extractors = f"text-geo,{HARMFUL}"
    command = Command(tmp_path / "set", tmp_path / "cache", "--extractors", extractors, "--timeout", "20")
    code, summary = command.run()
    assert code == 1
    assert summary["failed"] == {"internal": 3, "timeout": 1, "unsupported_input": 1}
    assert summary["done"] == len(stems) + 1
    assert [problem.partition(":")[0] for problem in summary["problems"]] == ["crash", "hang", "raise", "segfault"]
    assert all(len(dataset.ballots(stem, ["text-geo"])) == 1 for stem in stems)


def test_a_page_lost_and_a_lie_told_cost_no_other_vote_and_the_run_says_so(tmp_path: Path) -> None:
    dataset = dataset_of(tmp_path / "set", [])
    for stem in ("1-spin1", "3-bytes1", "3-crash2"):
        add_pages(dataset, stem, int(stem[0]))
    extractors = "text-geo,planted_extractors:Paged,planted_extractors:Lying"
    command = Command(tmp_path / "set", tmp_path / "cache", "--extractors", extractors, verb="run")
    code, report = command.run()
    assert code == 1
    assert (report["done"], report["partial"], report["failed"]) == (5, 2, {"internal": 3, "timeout": 1})
    assert report["pages"] == 7 + 2 + 2
    assert [problem.partition(" (")[0] for problem in report["problems"]] == [
        "1-spin1: lying: internal: answered as gpt of the family gpt",
        "1-spin1: paged: timeout: not read within 1 s of processor time",
        "3-bytes1: lying: internal: answered as gpt of the family gpt",
        "3-bytes1: paged: page 1 left out: needed more memory than its limit of 300 MiB",
        "3-crash2: lying: internal: answered as gpt of the family gpt",
        "3-crash2: paged: page 2 left out: ended by SIGSEGV",
    ]
    assert {one["document"]: one["systems"] for one in report["documents"]} == {
        "1-spin1": 1,
        "3-bytes1": 2,
        "3-crash2": 2,
    }
    _, status = Command(tmp_path / "set", tmp_path / "cache", verb="status").run()
    assert len(status["failures"]) == 6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--extractors", "gpt"], "no extractor is called 'gpt'"),
        (["--documents", "nothing*"], "no document fits 'nothing*'"),
        (["--extractors", ","], "--extractors names no extractor"),
        (["--extractors", ""], "--extractors names no extractor"),
    ],
)
def test_misuse_is_one_message_before_any_work(tmp_path: Path, options: list[str], message: str) -> None:
    dataset_of(tmp_path / "set", ["a"])
    code, err = Command(tmp_path / "set", tmp_path / "cache", *options).run()
    assert code == 2
    assert message in err
    assert err.startswith("goldleaf: ")
