"""The shipped demo is what its generator makes of its values and faults."""

from __future__ import annotations

import io
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from builders import REPOSITORY
from groundtruth import jsontext
from groundtruth.jsontext import Json
from groundtruth.pages import open_document
from groundtruth.path import parse_path
from synth.demo.ballots import vote_files, with_faults
from synth.demo.documents import DRAWINGS, draw, load_values

DEMO = REPOSITORY / "datasets" / "demo"
MANIFEST = jsontext.load_file(DEMO / "demo.json")
PDFS = [name for name, drawing in DRAWINGS.items() if drawing.suffix == "pdf"]


def at(values: Json, path: str) -> Json:
    for step in parse_path(path):
        values = values[step]
    return values


@pytest.mark.parametrize("document", PDFS)
def test_a_committed_pdf_is_what_is_drawn(document: str) -> None:
    assert draw(DEMO, document).content == (DEMO / "documents" / f"{document}.pdf").read_bytes()


def test_the_committed_scan_is_what_is_drawn() -> None:
    # Decoded, since another build of the JPEG library may choose other bytes for the same picture.
    drawn, committed = (
        np.asarray(Image.open(io.BytesIO(content)), dtype=np.int64)
        for content in (
            draw(DEMO, "receipt-118834").content,
            (DEMO / "documents" / "receipt-118834.jpg").read_bytes(),
        )
    )
    assert drawn.shape == committed.shape
    assert abs(drawn - committed).max() <= 4


def test_drawing_twice_gives_the_same_bytes() -> None:
    assert draw(DEMO, "receipt-118834").content == draw(DEMO, "receipt-118834").content


def test_the_committed_votes_are_the_values_with_the_faults() -> None:
    folder = DEMO / "votes"
    committed = {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    assert vote_files(DEMO) == committed


def test_nothing_else_is_in_the_demo() -> None:
    names = set(DRAWINGS)
    assert {file.name for file in (DEMO / "documents").iterdir()} == {
        one["file"] for one in MANIFEST["documents"].values()
    }
    assert set(MANIFEST["documents"]) == names
    assert {file.stem for file in (DEMO / "values").iterdir()} == names
    assert set(jsontext.load_file(DEMO / "faults.json")) == names
    assert {folder.name for folder in (DEMO / "votes").iterdir()} == set(MANIFEST["systems"])


@pytest.mark.parametrize("document", PDFS)
def test_the_text_layer_prints_the_values_where_they_were_drawn(document: str) -> None:
    places = draw(DEMO, document).places
    with open_document(DEMO / "documents" / f"{document}.pdf") as source:
        words = {number: source.page(number).words for number in range(1, source.page_count + 1)}
    for leaf, place in places.items():
        inside = [
            word.text
            for word in words[place.page]
            if place.x0 - 0.004 <= (word.box.x0 + word.box.x1) / 2 <= place.x1 + 0.004
            and place.y0 - 0.004 <= (word.box.y0 + word.box.y1) / 2 <= place.y1 + 0.004
        ]
        printed = "".join(place.text.split())
        assert not printed or printed in "".join(inside), (leaf, place, inside)


def test_the_invoice_adds_up() -> None:
    invoice = load_values(DEMO, "invoice-04471")
    assert all(line["quantity"] * line["unit_price"] == line["amount"] for line in invoice["lines"])
    assert sum(line["amount"] for line in invoice["lines"]) == invoice["subtotal"]
    taxed = invoice["subtotal"] + invoice["carriage"]
    assert (taxed * invoice["vat_rate"] / 100).quantize(Decimal("0.01")) == invoice["vat"]
    assert taxed + invoice["vat"] == invoice["total"]


def test_the_receipt_adds_up() -> None:
    receipt = load_values(DEMO, "receipt-118834")
    assert all(line["quantity"] * line["unit_price"] == line["amount"] for line in receipt["lines"])
    assert sum(line["amount"] for line in receipt["lines"]) == receipt["subtotal"]
    assert sum(line["quantity"] for line in receipt["lines"]) == receipt["items_sold"]
    assert receipt["subtotal"] + receipt["discount"] + receipt["tax"] == receipt["total"]


def test_every_fault_says_why_and_changes_something() -> None:
    for document, faults in jsontext.load_file(DEMO / "faults.json").items():
        values = load_values(DEMO, document)
        for fault in faults:
            assert fault["why"]
            assert fault["system"] in MANIFEST["systems"]
            if "answer" in fault and fault["path"] != "notes":
                assert fault["answer"] != at(values, fault["path"]), fault


def test_faults_are_in_the_indices_of_the_values() -> None:
    values = {"rows": [{"n": 0}, {"n": 1}, {"n": 2}]}
    faults = [
        {"path": "rows[0]", "omit": True},
        {"path": "rows[1].n", "answer": 9},
        {"path": "rows[2]", "insert": {"n": None}},
    ]
    assert with_faults(values, faults) == {"rows": [{"n": 9}, {"n": None}, {"n": 2}]}
    assert values == {"rows": [{"n": 0}, {"n": 1}, {"n": 2}]}


def test_the_generator_writes_the_demo(tmp_path: Path) -> None:
    import shutil
    import subprocess
    import sys

    for name in ("values", "demo.json", "faults.json"):
        source = DEMO / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    subprocess.run([sys.executable, "-m", "synth.demo", str(tmp_path)], cwd=REPOSITORY, check=True, capture_output=True)
    made = {file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*.*") if file.is_file()}
    there = {file.relative_to(DEMO).as_posix() for file in DEMO.rglob("*.*") if file.is_file()}
    assert there - made == {file for file in there if file.startswith("schemas/")} | {"README.md"}
