"""The flow that makes synthetic documents, under Prefect and in processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from builders import goldleaf

pytestmark = pytest.mark.e2e


def test_the_flow_makes_and_proves_what_the_command_makes(tmp_path: Path) -> None:
    from flows.engine import embedded_server

    for difficulty in ("clean", "hard"):
        made = goldleaf(
            "synth", "make", "bank-statement", "--rows", 12, "--seed", 3, "--difficulty", difficulty,
            "--out", tmp_path / "a",
        )  # fmt: skip
        assert made.code == 0, made.err
    with embedded_server():
        from flows.long_lists import long_lists

        wanted: dict[str, Any] = {"patterns": ["bank-statement"], "seeds": [3], "difficulties": ["clean", "hard"]}
        done: Any = long_lists(str(tmp_path / "b"), **wanted, rows=12, workers=2, proved_pages=1)
        again: Any = long_lists(str(tmp_path / "b"), **wanted, rows=12, workers=1, proved_pages=1)
        failed: Any = long_lists(str(tmp_path / "b"), **wanted, rows=0, workers=1, return_state=True)
        unknown: Any = long_lists(str(tmp_path / "c"), patterns=["bank-statment"], return_state=True)
    assert [one["is_new"] for one in (*done["documents"], *again["documents"])] == [True, True, False, False]
    assert not any(one["findings"] for one in done["documents"])
    assert pdfs(tmp_path / "a") == pdfs(tmp_path / "b")
    assert failed.is_failed()
    assert "bank-statement, seed 3, clean" in str(failed.message)
    assert "bank-statement" in str(unknown.message)
    assert not (tmp_path / "c").exists()


def pdfs(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.glob("documents/*/*.pdf"))}
