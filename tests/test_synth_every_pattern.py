"""What every kind of synthetic document must hold, clean and hard; a new pattern is picked up by itself."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from builders import REPOSITORY
from groundtruth import jsontext
from groundtruth.jsontext import Json
from groundtruth.truth import GroundTruth
from synth.authoring import authoring_faults, value_faults
from synth.display import WHITE, DisplayList, Run, Sheet
from synth.making import Asked, Made, invented, make
from synth.pattern import CLEAN, HARD, load_pattern, pattern_names
from synth.pdf import write_pdf
from synth.printable import leaves
from synth.totals import wrong_totals
from synth.verify import Check, Proof, check_ink, verify
from synth.verify_text import READERS, text_faults

EVERY = [
    pytest.param(name, difficulty, id=f"{name}-{difficulty}")
    for name in pattern_names()
    for difficulty in (CLEAN, HARD)
]
every_pattern = pytest.mark.parametrize(("name", "difficulty"), EVERY)

FEW = 6
SOME = 60
"""Records that fill more than a page of most patterns."""


@cache
def made(name: str, difficulty: str, rows: int) -> Made:
    pattern = load_pattern(name)
    return make(invented(Asked(pattern, pattern.difficulty(difficulty), 3), min(rows, pattern.rows)))


@every_pattern
def test_totals_are_sums_and_the_truth_reads_alike_everywhere(name: str, difficulty: str) -> None:
    pattern, document = load_pattern(name), made(name, difficulty, FEW)
    truth = GroundTruth.from_json(jsontext.loads(document.truth))
    assert truth.value == document.content.value
    assert wrong_totals(pattern, truth.value) == []
    assert list(authoring_faults(pattern.schema)) == []
    assert list(value_faults(pattern.schema, truth.value)) == []
    assert list(evidence_faults(truth)) == []


def evidence_faults(truth: GroundTruth) -> Iterator[str]:
    """Entries of evidence that the published scorers would read in two ways."""
    values = dict(leaves(truth.value))
    for path, entries in truth.evidence.items():
        lines = [entry for entry in entries if not entry.coarse]
        if values.get(path) in (None, []):
            yield f"{path}: null has evidence"
        for entry in entries:
            if repr(entry.value) != repr(values[path]):
                yield f"{path}: the entry says {entry.value!r}, the value is {values[path]!r}"
            x, y, width, height = map(float, entry.bbox or (-1, -1, 0, 0))
            if min(x, y) < 0 or max(x + width, y + height) > 1 or min(width, height) <= 0 or not entry.page:
                yield f"{path}: the box {entry.bbox} on page {entry.page} is none"
            if entry.coarse and sum(line.page == entry.page for line in lines) < 2:
                yield f"{path}: a coarse box without the lines in it"
    for path in values.keys() - truth.evidence.keys():
        if values[path] not in (None, []):
            yield f"{path}: no evidence"


# The same bytes elsewhere

ELSEWHERE = """
import hashlib, json, pathlib, sys, time
from groundtruth import jsontext
from synth.content import Content
from synth.making import make

CLOCKS = {"time", "time_ns", "today", "now", "utcnow", "urandom", "uuid1", "uuid4"}
called = set()

def watch(frame, event, called_function):
    if event == "c_call" and called_function.__name__ in CLOCKS:
        called.add(f"{called_function.__qualname__} in {frame.f_code.co_filename}")

sys.setprofile(watch)
time.time()
sys.setprofile(None)
assert called
called.clear()
for file in sys.argv[1:]:
    content = Content.from_json(jsontext.load_file(pathlib.Path(file)))
    make(content)
    sys.setprofile(watch)
    made = make(content)
    sys.setprofile(None)
    said = {"made": hashlib.sha256(made.pdf + made.truth + made.content_bytes).hexdigest(), "clocks": sorted(called)}
    print(json.dumps([made.document, said]))
    called.clear()
"""


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Json]:
    """By document, what another process in another folder, time zone and language makes of the content alone."""
    folder = tmp_path_factory.mktemp("elsewhere")
    files: list[str] = []
    for case in EVERY:
        document = made(*map(str, case.values), rows=SOME)
        file = folder / f"{document.document}.json"
        file.write_bytes(document.content_bytes)
        files.append(str(file))
    environment = {
        **os.environ,
        "PYTHONHASHSEED": "77",
        "TZ": "Pacific/Kiritimati",
        "LC_ALL": "C",
        "PYTHONPATH": str(REPOSITORY),
    }
    ended = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, *files],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=True,
        text=True,
    )
    return dict(json.loads(line) for line in ended.stdout.splitlines())


@pytest.mark.e2e
@every_pattern
def test_content_alone_makes_the_same_bytes_elsewhere_and_reads_no_clock(
    elsewhere: dict[str, Json], name: str, difficulty: str
) -> None:
    here = made(name, difficulty, SOME)
    digest = hashlib.sha256(here.pdf + here.truth + here.content_bytes).hexdigest()
    # What reads no clock makes the same bytes on any day.
    assert elsewhere[here.document] == {"made": digest, "clocks": []}


# The proof


@pytest.mark.e2e
@every_pattern
def test_every_page_is_proved(name: str, difficulty: str, tmp_path: Path) -> None:
    document = made(name, difficulty, SOME)
    file = tmp_path / "document.pdf"
    file.write_bytes(document.pdf)
    proof = verify(document.content, file, document.truth, document=document.document, schema_name=name, pages=None)
    assert proof.findings == []
    assert len(proof.pages) == len(document.drawn.sheets)
    assert len(set(proof.characters.values())) == 1


Change = Callable[[list[Run], int], list[Run]]
"""From the runs of a page and the number of the one in its middle, to other runs."""


def shifted(runs: list[Run], at: int) -> list[Run]:
    return [*runs[:at], runs[at]._replace(x=runs[at].x - 0.9), *runs[at + 1 :]]


def without_row(runs: list[Run], at: int) -> list[Run]:
    row = row_of(runs[at])
    return [run for run in runs if row_of(run) != row]


def swapped(runs: list[Run], at: int) -> list[Run]:
    field = re.sub(r"\[\d+\]", "[]", runs[at].leaf or "")
    others = [other for other, run in enumerate(runs) if run.leaf and run.text != runs[at].text]
    alike = [other for other in others if re.sub(r"\[\d+\]", "[]", runs[other].leaf or "") == field]
    other = (alike or others)[0]
    changed = list(runs)
    changed[at] = runs[at]._replace(text=runs[other].text)
    changed[other] = runs[other]._replace(text=runs[at].text)
    return changed


def with_unrecorded_text(runs: list[Run], at: int) -> list[Run]:
    return [*runs, runs[at]._replace(x=20.0, y=20.0, text="PAID", size=4.0, colour=WHITE, leaf=None)]


def row_of(run: Run) -> str | None:
    """The record that a run belongs to, or the leaf itself when it belongs to none."""
    return re.sub(r"\.[^.\]]*$", "", run.leaf) if run.leaf and "]" in run.leaf else run.leaf


def changed(drawn: DisplayList, change: Change) -> tuple[int, str, bytes]:
    """A document changed on its first page that has several records: the page, the leaf in its middle, the PDF."""
    page = next(
        (number for number, sheet in enumerate(drawn.sheets) if len(set(filter(None, map(row_of, sheet.runs)))) > 3), 0
    )
    sheet = drawn.sheets[page]
    values = [at for at, run in enumerate(sheet.runs) if run.leaf and len(run.text) > 2]
    at = values[len(values) // 2]
    other = Sheet(change(sheet.runs, at), sheet.rules, sheet.areas)
    pdf = write_pdf(replace(drawn, sheets=[*drawn.sheets[:page], other, *drawn.sheets[page + 1 :]]))
    return page + 1, str(sheet.runs[at].leaf), pdf


@pytest.mark.e2e
@pytest.mark.parametrize("change", [shifted, without_row, swapped, with_unrecorded_text], ids=lambda one: one.__name__)
@every_pattern
def test_a_changed_document_is_found_by_each_reader(name: str, difficulty: str, change: Change) -> None:
    document = made(name, difficulty, SOME)
    page, leaf, pdf = changed(document.drawn, change)
    assert pdf != document.pdf
    for reader, read in READERS.items():
        ((_, glyphs),) = read(pdf, [page])
        found = text_faults(document.drawn, page, glyphs, reader)
        assert found
        assert (None if change is with_unrecorded_text else leaf) in {fault.leaf for fault in found}


@pytest.mark.e2e
@pytest.mark.parametrize("change", [shifted, without_row], ids=lambda one: one.__name__)
@every_pattern
def test_changed_ink_is_found_in_each_renderer(name: str, difficulty: str, change: Change, tmp_path: Path) -> None:
    document = made(name, difficulty, SOME)
    page, _, pdf = changed(document.drawn, change)
    file = tmp_path / "changed.pdf"
    file.write_bytes(pdf)
    proof = Proof(pages=(page,))
    check_ink(proof, document.drawn, file)
    assert proof.counts[Check.INK] >= 2, proof.findings
    assert all(worst > 3 for _, worst in proof.within.values())
