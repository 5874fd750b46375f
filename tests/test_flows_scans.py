"""A scan in a dataset: its values have places once an engine has read it, and a vote is taken again when it has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from builders import goldleaf
from extractors.readings import Readings
from groundtruth.store import Dataset
from locate_builders import HEIGHT, WIDTH, words_page
from recognised_builders import RAPID, TESS, recognised, scan

SCHEMA = {
    "type": "object",
    "properties": {"invoice_number": {"type": ["string", "null"]}, "total_due": {"type": ["number", "null"]}},
}
ANSWER = {"invoice_number": "INV-7", "total_due": 1234.5}
PRINTED = words_page([(50, 100, "Invoice number: INV-7"), (50, 140, "Total due: 1,234.50")])


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    """A dataset of one picture of a page, on which three systems agree."""
    (tmp_path / "scan.png").write_bytes(scan())
    (tmp_path / "invoice.json").write_text(json.dumps(SCHEMA))
    folder = tmp_path / "data"
    assert goldleaf("new", folder).code == 0
    assert goldleaf("add", folder, "--schema", tmp_path / "invoice.json", tmp_path / "scan.png").code == 0
    for system in ("ash", "beech", "cedar"):
        (tmp_path / system).mkdir()
        (tmp_path / system / "scan.json").write_text(json.dumps(ANSWER))
        assert goldleaf("votes", "import", folder, "--system", system, tmp_path / system).code == 0
    return Dataset.open(folder)


def read_by(dataset: Dataset, engine: str) -> None:
    Readings(dataset.readings_folder("scan")).put(engine, recognised(PRINTED))


def voted(dataset: Dataset) -> list[str]:
    found: list[str] = goldleaf("vote", dataset.root, "--json").json["voted"]
    return found


def test_a_vote_is_taken_again_when_the_words_change(dataset: Dataset) -> None:
    assert (voted(dataset), voted(dataset)) == (["scan"], [])
    read_by(dataset, TESS)
    assert (voted(dataset), voted(dataset)) == (["scan"], [])
    read_by(dataset, RAPID)
    assert (voted(dataset), voted(dataset)) == (["scan"], [])
    read_by(dataset, TESS)
    assert voted(dataset) == []


def test_values_of_a_scan_have_places_where_it_was_read(dataset: Dataset) -> None:
    voted(dataset)
    unread = goldleaf("explain", dataset.root, "scan", "total_due", "--json").json["location"]
    assert (unread["reason"], unread["evidence"]) == ("no_text", [])
    read_by(dataset, RAPID)
    voted(dataset)
    location = goldleaf("explain", dataset.root, "scan", "total_due", "--json").json["location"]
    (place,) = location["evidence"]
    assert (location["certain"], place["page"], place["quote"], place["words"]) == (True, 1, "1,234.50", [5])
    left, top = place["bbox"][0] * WIDTH, place["bbox"][1] * HEIGHT
    # "Total due: " is 9 characters of 6 points and two spaces of 4.
    assert (left, top) == (pytest.approx(50 + 9 * 6 + 2 * 4, abs=0.1), pytest.approx(140, abs=0.1))
    shown = goldleaf("explain", dataset.root, "scan", "invoice_number").out
    assert "INV-7" in shown.split("on the page:")[1]


def test_the_report_frames_them_on_the_picture(dataset: Dataset) -> None:
    read_by(dataset, RAPID)
    voted(dataset)
    html = Path(goldleaf("report", dataset.root, "--json").json["documents"][0]["html"]).read_text()
    picture = html.split("<div class=page>")[1].split("</div>")[0]
    assert "<img src='scan.page-1.png'" in picture
    assert picture.count("<a class='accept' href=") == 2
    assert f"top:{100 * 140 / HEIGHT:.3f}%" in picture
