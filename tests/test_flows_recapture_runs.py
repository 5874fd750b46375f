"""Runs of re-captures that are killed and go on, and the flow under Prefect."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from builders import REPOSITORY, goldleaf
from recapture_builders import list_dataset

pytestmark = pytest.mark.e2e
SMALL = (260.3, 330.7)


def command(clean: Path, out: Path) -> list[str]:
    return [
        sys.executable, "-m", "flows.cli", "recapture", "make", str(clean), "--recipe", "office-scan", "--out",
        str(out), "--workers", "2", "--pages-per-process", "1",
    ]  # fmt: skip


def files(folder: Path) -> dict[str, bytes]:
    """What a dataset says and shows of its re-captures."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for part in ("documents", "recaptures", "truth")
        for path in sorted((folder / part).rglob("*.*"))
        # When a document was added is no part of it.
        if path.name != "document.json"
    }


def test_a_run_that_is_killed_goes_on_and_ends_with_the_same_bytes(tmp_path: Path) -> None:
    list_dataset(tmp_path, pages=12, rows=12, size=SMALL, font_size=7)
    out = tmp_path / "twins"
    run = subprocess.Popen(command(tmp_path / "clean", out), cwd=REPOSITORY, start_new_session=True)
    limit = time.monotonic() + 120
    while len(made := list(out.glob(".goldleaf/recaptures/*/*.json"))) < 2:
        assert run.poll() is None
        assert time.monotonic() < limit
        time.sleep(0.01)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    assert not list(out.glob("recaptures/*.json"))
    _await_end_of_group(run.pid)
    before = {path: path.stat().st_mtime_ns for path in made}
    started = time.time_ns()
    assert subprocess.run(command(tmp_path / "clean", out), cwd=REPOSITORY, check=False).returncode == 0
    assert all(at < started for at in before.values())
    (record,) = out.glob("recaptures/*.json")
    assert record.is_file()
    assert not list(out.glob(".goldleaf/recaptures/*"))
    whole = goldleaf(
        "recapture", "make", tmp_path / "clean", "--recipe", "office-scan", "--out", tmp_path / "whole", "--workers", 1
    )
    assert whole.code == 0, whole.err
    assert files(tmp_path / "whole") == files(out)


def _await_end_of_group(group: int) -> None:
    """Processes that make pages end when the one that started them is killed."""
    limit = time.monotonic() + 30
    while True:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        assert time.monotonic() < limit, "a process that made pages outlived the run"
        time.sleep(0.1)


def test_the_flow_makes_what_the_command_makes(tmp_path: Path) -> None:
    from flows.engine import embedded_server

    list_dataset(tmp_path, pages=3, rows=8, size=SMALL, font_size=7)
    ended = goldleaf(
        "recapture", "make", tmp_path / "clean", "--recipe", "office-scan", "--seed", 3, "--out", tmp_path / "a",
        "--workers", 1,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    with embedded_server():
        from flows.recapture_pages import recapture

        done: Any = recapture(str(tmp_path / "clean"), "office-scan", str(tmp_path / "b"), seed=3, workers=2)
        failed: Any = recapture(
            str(tmp_path / "clean"), "fax", str(tmp_path / "b"), documents="none-*", workers=1, return_state=True
        )
    assert [one["document"] for one in done["documents"]] == ["list-1--office-scan-medium-3"]
    assert files(tmp_path / "a") == files(tmp_path / "b")
    assert "no document matches 'none-*'" in str(failed.result(raise_on_failure=False))
