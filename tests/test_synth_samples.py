"""The sample documents print what their truth says, the same every time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from builders import REPOSITORY
from groundtruth import jsontext
from groundtruth.jsontext import Json
from groundtruth.pages import Word, open_document
from groundtruth.path import EACH, format_path, parse_path
from groundtruth.rules import Comparator, Rules
from groundtruth.schema import FrozenSchema
from groundtruth.schema_compile import compile_schema
from groundtruth.value import canonical
from synth.samples import KINDS, Sample, capture, form, invoice_content, register, samples

SEED = 7
VARIANTS = {"form": len(form.VARIANTS), "invoice": len(invoice_content.VARIANTS), "register": len(register.VARIANTS)}


@cache
def made() -> dict[str, list[Sample]]:
    return {kind: samples(SEED, kinds=(kind,), count=count) for kind, count in VARIANTS.items()}


def opened(content: bytes, folder: Path) -> dict[int, tuple[Word, ...]]:
    file = folder / "sample.pdf"
    file.write_bytes(content)
    with open_document(file) as document:
        return {number: document.page(number).words for number in range(1, document.page_count + 1)}


def scalars(value: Json, path: str = "") -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from scalars(part, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from scalars(part, f"{path}[{number}]")
    else:
        yield path, value


def field_of(path: str) -> str:
    return format_path(tuple(EACH if isinstance(step, int) else step for step in parse_path(path)))


def schema_of(sample: Sample) -> FrozenSchema:
    return compile_schema(sample.schema, Rules.from_json(sample.rules), name=sample.name)


each_sample = pytest.mark.parametrize(
    "sample",
    [(kind, number) for kind, count in VARIANTS.items() for number in range(count)],
    ids="{0[0]} {0[1]}".format,
    indirect=True,
)


@pytest.fixture
def sample(request: pytest.FixtureRequest) -> Sample:
    kind, number = request.param
    found: Sample = made()[kind][number]
    return found


def test_all_kinds_come_in_their_order() -> None:
    assert [sample.kind for sample in samples(SEED, count=1)] == list(KINDS)


def test_the_same_seed_gives_the_same_bytes() -> None:
    assert samples(SEED, count=1) == samples(SEED, count=1)


def test_more_of_a_kind_leaves_the_first_ones_as_they_are() -> None:
    assert samples(SEED, kinds=("form",), count=2) == made()["form"][:2]


def test_another_seed_gives_other_values() -> None:
    one, other = (samples(seed, kinds=("invoice",), count=1)[0] for seed in (1, 2))
    assert one.values != other.values


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="no samples of kind 'letter'"):
        samples(SEED, kinds=("letter",))


@each_sample
def test_the_truth_is_valid_under_the_schema(sample: Sample) -> None:
    jsonschema.validate(_with_floats(sample.values), sample.schema)
    fields = {leaf.name for leaf in schema_of(sample).leaves.values()}
    assert fields == {field_of(path) for path, _ in scalars(sample.values)}


def _with_floats(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _with_floats(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_with_floats(part) for part in value]
    return float(value) if isinstance(value, Decimal) else value


@each_sample
def test_all_but_blanks_are_printed(sample: Sample) -> None:
    truth = dict(scalars(sample.values))
    values = {path for path, value in truth.items() if value is not None and not isinstance(value, bool)}
    assert values <= sample.places.keys()
    null_like = {path for path in sample.places if truth[path] is None}
    assert all(sample.places[path].text in {"-", "N/A"} for path in null_like)


@each_sample
def test_what_is_printed_reads_as_the_truth(sample: Sample) -> None:
    leaves = {leaf.name: leaf for leaf in schema_of(sample).leaves.values()}
    truth = dict(scalars(sample.values))
    for path, place in sample.places.items():
        leaf = leaves[field_of(path)]
        if leaf.comparator is Comparator.NUMBER:
            # Totals bear a currency sign.
            leaf = replace(leaf, comparator=Comparator.CURRENCY)
        if leaf.comparator is Comparator.BOOLEAN:
            ticked = {"[X]": True, "[ ]": False, "Yes": True, "No": False}[place.text]
            assert ticked is truth[path]
        elif leaf.comparator is Comparator.TEXT and truth[path] is not None:
            # The lines of a place are joined without a space.
            assert "".join(place.text.split()) == "".join(truth[path].split())
        else:
            printed, expected = canonical(leaf, place.text), canonical(leaf, truth[path])
            assert (getattr(printed, "key", printed), path) == (getattr(expected, "key", expected), path)


@each_sample
def test_the_text_layer_holds_what_was_drawn_and_where(sample: Sample, tmp_path: Path) -> None:
    words = opened(sample.pdf, tmp_path)
    for path, place in sample.places.items():
        inside = [
            word.text
            for word in words[place.page]
            if place.x0 - 0.003 <= (word.box.x0 + word.box.x1) / 2 <= place.x1 + 0.003
            and place.y0 - 0.003 <= (word.box.y0 + word.box.y1) / 2 <= place.y1 + 0.003
        ]
        assert "".join(place.text.split()) == "".join(inside), path


@each_sample
def test_no_two_words_are_drawn_over_one_another(sample: Sample, tmp_path: Path) -> None:
    for page, words in opened(sample.pdf, tmp_path).items():
        ordered = sorted(words, key=lambda word: word.box.y0)
        for number, first in enumerate(ordered):
            for second in ordered[number + 1 :]:
                if second.box.y0 >= first.box.y1 - 0.25 * (first.box.y1 - first.box.y0):
                    break
                shared = min(first.box.x1, second.box.x1) - max(first.box.x0, second.box.x0)
                assert shared < 0.001, (page, first, second)


@pytest.mark.parametrize(("strength", "clean"), [("none", True), ("mild", False)])
def test_a_capture_holds_pictures_only(strength: Any, clean: bool, tmp_path: Path) -> None:
    sample = made()["form"][0]
    content = capture(sample.pdf, seed=SEED, dpi=100, strength=strength)
    assert content == capture(sample.pdf, seed=SEED, dpi=100, strength=strength)
    assert opened(content, tmp_path) == {1: ()}
    drawn, captured = (_raster(file, tmp_path) for file in (sample.pdf, content))
    assert drawn.shape == captured.shape
    assert np.abs(drawn - captured).mean() < (3 if clean else 25)


def _raster(content: bytes, folder: Path) -> Any:
    (folder / "page.pdf").write_bytes(content)
    with open_document(folder / "page.pdf") as document:
        return document.page(1).raster(100).astype(int)


def test_the_command_writes_documents_with_schema_and_truth(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "synth.samples",
        str(tmp_path),
        "--count",
        "1",
        "--kinds",
        "form",
        "--seed",
        str(SEED),
    ]
    subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True)
    names = {file.name for file in tmp_path.iterdir()}
    endings = ("pdf", "clean-scan.pdf", "mild-scan.pdf", "schema.json", "rules.json", "values.json")
    firsts = made()["form"][:1]
    assert names == {f"{sample.name}.{ending}" for sample in firsts for ending in endings}
    assert jsontext.load_file(tmp_path / f"{firsts[0].name}.values.json") == firsts[0].values
