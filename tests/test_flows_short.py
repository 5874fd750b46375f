"""An answer that lacks most rows, from its import to what a person is shown of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import document_builders
from builders import goldleaf

ROWS = {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": ["string", "null"]}}}}
COUNTS = {"ash": 30, "beech": 30, "cedar": 30, "dogwood": 12}
TAKEN = "items: 12 rows where others read 30: taken as cut"


@pytest.fixture(scope="module")
def voted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of one register, of which one system read the first page only."""
    root = tmp_path_factory.mktemp("short")
    (root / "register.pdf").write_bytes(document_builders.pdf(["register"]))
    (root / "rows.json").write_text(json.dumps({"type": "object", "properties": {"items": ROWS}}))
    folder = root / "data"
    goldleaf("new", folder)
    goldleaf("add", folder, "--schema", root / "rows.json", root / "register.pdf")
    for system, count in COUNTS.items():
        (root / system).mkdir()
        answer = {"items": [{"sku": f"S-{number}"} for number in range(count)]}
        (root / system / "register.json").write_text(json.dumps(answer))
        goldleaf("votes", "import", folder, "--system", system, root / system)
    shown = goldleaf("vote", folder)
    assert shown.code == 0
    assert f"cut: register: dogwood: {TAKEN}" in " ".join(shown.out.split())
    return folder


def test_the_vote_lists_it(voted: Path) -> None:
    assert goldleaf("vote", voted, "--json").json["failures"] == [
        {"document": "register", "system": "dogwood", "status": "partial", "detail": TAKEN}
    ]


@pytest.mark.parametrize(("path", "what"), [("items[20]", "row"), ("items[20].sku", "leaf")])
def test_it_is_why_the_system_is_silent_on_what_it_lacks(voted: Path, path: str, what: str) -> None:
    found = goldleaf("explain", voted, "register", path, "--json").json
    assert (found["what"], found["tier"], found["reasons"]) == (what, "unanimous", [])
    why = {one["system"]: one["why"] for one in found["readings"]} if what == "leaf" else found["silent"]
    assert why["dogwood"] == f"its answer is cut: {TAKEN}"
    shown = " ".join(goldleaf("explain", voted, "register", path).out.split())
    assert "abstain" in shown
    assert "its answer" in shown


def test_what_it_holds_is_a_vote(voted: Path) -> None:
    found = goldleaf("explain", voted, "register", "items[3]", "--json").json
    assert found["silent"] == {}
    assert found["present"] == dict.fromkeys(COUNTS, True)


def test_the_report_says_so(voted: Path, tmp_path: Path) -> None:
    made = goldleaf("report", voted, "--out", tmp_path / "report", "--json").json
    html = Path(made["documents"][0]["html"]).read_text()
    assert f"Cut, and silent on what they lack: dogwood: {TAKEN}" in html
