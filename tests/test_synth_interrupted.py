"""Making a document where the disk is full or may not be written, and being stopped half-way: all of it, or nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from builders import REPOSITORY
from groundtruth.store import Dataset
from groundtruth.store_artefacts import Artefact

NAME = "bank-statement"
MANY = 4_000
"""Records whose files take long enough to write that a test comes in between."""
FEW = 5
_FULL = 1_500
"""Kilobytes: more than a dataset with a short document takes, less than a long one."""

pytestmark = pytest.mark.e2e


def make(folder: Path, rows: int, *more: object) -> list[str]:
    return [
        *(sys.executable, "-m", "flows.cli", "synth", "make", NAME),
        *("--rows", str(rows), "--out", str(folder), *map(str, more)),
    ]


def ended(arguments: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        arguments,
        cwd=REPOSITORY,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def require_nothing_in(folder: Path) -> None:
    dataset = Dataset.open(folder)
    assert (dataset.document_ids(), dataset.truth_names(), dataset.schema_names()) == ((), (), ())
    assert dataset.artefact_names(Artefact.RECIPES) == ()


def require_usable(folder: Path) -> None:
    assert ended(make(folder, FEW)).returncode == 0
    proved = ended([sys.executable, "-m", "flows.cli", "synth", "verify", str(folder)])
    assert proved.returncode == 0, proved.stdout + proved.stderr


def mounted(at: Path, *options: str) -> None:
    at.mkdir(exist_ok=True)
    if subprocess.run(["mount", *options, str(at)], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount")


def unmount(at: Path) -> None:
    subprocess.run(["umount", str(at)], capture_output=True, check=False)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    mounted(folder, "-t", "tmpfs", "-o", f"size={_FULL}k", "tmpfs")
    yield folder
    unmount(folder)


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "read-only"
    mounted(folder, "-t", "tmpfs", "-o", "ro", "tmpfs")
    yield folder
    unmount(folder)


def test_a_full_disk_leaves_nothing_and_the_dataset_is_as_good_as_before(small_disk: Path) -> None:
    folder = small_disk / "data"
    Dataset.create(folder)
    full = ended(make(folder, MANY))
    assert (full.returncode, "Traceback" in full.stderr) == (2, False), full.stderr
    assert "No space left" in full.stderr
    require_nothing_in(folder)
    require_usable(folder)


def test_a_full_folder_for_temporary_files_is_one_message(small_disk: Path, tmp_path: Path) -> None:
    (small_disk / "filler").write_bytes(bytes(1024 * (_FULL - 40)))
    folder = tmp_path / "data"
    Dataset.create(folder)
    full = ended(make(folder, MANY), TMPDIR=str(small_disk))
    assert (full.returncode, "Traceback" in full.stderr) == (2, False), full.stderr
    assert "No space left" in full.stderr
    require_nothing_in(folder)
    require_usable(folder)


# Root may write where the mode of a folder forbids it, so these hold for root as well.


def test_a_read_only_disk_is_one_message(read_only: Path) -> None:
    refused = ended(make(read_only / "data", FEW))
    assert (refused.returncode, "Traceback" in refused.stderr) == (2, False), refused.stderr
    assert "may not be written" in refused.stderr


def test_a_place_where_no_folder_can_be_made_is_one_message() -> None:
    refused = ended(make(Path("/proc/goldleaf/data"), FEW))
    assert (refused.returncode, "Traceback" in refused.stderr) == (2, False), refused.stderr
    assert "/proc" in refused.stderr


def test_a_file_on_the_way_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    refused = ended(make(tmp_path / "file" / "data", FEW))
    assert (refused.returncode, "is a file" in refused.stderr) == (2, True), refused.stderr
    assert (tmp_path / "file").read_text() == "x"


# Stopped half-way


def stopped_half_way(folder: Path, how: signal.Signals) -> tuple[int, str]:
    """Stop the command after it wrote the content and before the document is registered; its exit code, its errors."""
    for seed in range(20):
        process = subprocess.Popen(
            make(folder, MANY, "--seed", seed),
            cwd=REPOSITORY,
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        while process.poll() is None and not any((folder / "recipes").glob("*/content.json")):
            time.sleep(0.001)
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.05)
        is_between = process.poll() is None and not Dataset.open(folder).document_ids()
        if is_between:
            process.send_signal(how)
        process.send_signal(signal.SIGCONT)
        _, errors = process.communicate()
        if is_between:
            return process.returncode, errors
        for document in Dataset.open(folder).document_ids():
            Dataset.open(folder).remove_document(document, force=True)
    pytest.fail("the document was registered each time before the test came in between")


def test_ctrl_c_half_way_takes_all_of_it_back(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    Dataset.create(folder)
    code, errors = stopped_half_way(folder, signal.SIGINT)
    assert (code, "Traceback" in errors) == (130, False), errors
    require_nothing_in(folder)
    require_usable(folder)


def test_kill_half_way_registers_nothing_and_the_same_command_mends_it(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    Dataset.create(folder)
    code, _ = stopped_half_way(folder, signal.SIGKILL)
    assert code == -signal.SIGKILL
    assert Dataset.open(folder).document_ids() == ()
    require_usable(folder)
