"""How the program ends when its output cannot be written, and what it shows where the locale has no form for it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from groundtruth.store import Dataset

REPOSITORY = Path(__file__).parents[1]


def run(arguments: str, shell: str = "{}", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run the program in bash; ``shell`` says where its output goes."""
    command = shell.format(f"{sys.executable} -m flows.cli {arguments}")
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        cwd=REPOSITORY,
        env={**os.environ, **environment},
        capture_output=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    return Dataset.create(tmp_path / "Bücher")


@pytest.mark.parametrize("option", ["", "--json"])
def test_a_reader_that_leaves_ends_the_program_like_any_other(dataset: Dataset, option: str) -> None:
    ended = run(f"status {dataset.root} {option}", "{} | true")
    assert (ended.returncode, ended.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device that is always full")
@pytest.mark.parametrize("option", ["", "--json"])
def test_a_full_disk_is_one_message(dataset: Dataset, option: str) -> None:
    ended = run(f"status {dataset.root} {option}", "{} > /dev/full")
    assert ended.returncode == 2
    assert ended.stderr.startswith(b"goldleaf: No space left on device")
    assert ended.stderr.count(b"\n") == 1


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437", "utf-8"])
@pytest.mark.e2e
def test_any_name_is_shown_in_any_encoding(dataset: Dataset, encoding: str) -> None:
    ended = run(f"status {dataset.root}", PYTHONIOENCODING=encoding)
    assert (ended.returncode, ended.stderr) == (0, b"")
    ended = run(f"status {dataset.root} --json", PYTHONIOENCODING=encoding)
    assert json.loads(ended.stdout.decode("utf-8"))["name"] == "Bücher"
    assert ended.stderr == b""


def test_an_interrupt_says_that_the_work_is_kept(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys, flows.cli, groundtruth.store\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a background job ignores it
        "groundtruth.store.Dataset.open = lambda *_: os.kill(os.getpid(), signal.SIGINT)\n"
        f"sys.argv = ['goldleaf', 'status', {str(tmp_path)!r}]\n"
        "flows.cli.main()"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, timeout=60, check=False)
    assert ended.returncode == 128 + signal.SIGINT
    assert ended.stderr.startswith(b"goldleaf: stopped; what was finished is kept")
