"""The published scorers' figures on the cases that were handed over, and on a few that need no shared folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from builders import SHARED
from groundtruth import jsontext
from scoring.field_evidence import read_citations, read_field_rules
from scoring.value_f1 import Score, score
from scoring.verdicts import Verdict, judge


def cases(name: str) -> list[Any]:
    file = SHARED / "cases" / f"{name}.jsonl"
    if not file.is_file():
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"no cases at {file}"))]
    found = [jsontext.loads_tolerant(line) for line in file.read_text().splitlines()]
    return [pytest.param(case, id=f"{name}-{case['case']}") for case in found]


@pytest.mark.parametrize("case", cases("omniextractbench"))
def test_verdicts_are_those_of_omniextractbench(case: Any) -> None:
    found = judge(case["gold"], case["prediction"], case["schema"])
    want = case["want"]
    assert {str(kind): found.counts[kind] for kind in Verdict} == {str(kind): want[kind] for kind in Verdict}
    for name in ("accuracy", "precision", "recall"):
        assert (getattr(found, name) or 0.0) == float(want[name]), name


@pytest.mark.parametrize("case", cases("extractbench"))
def test_nine_figures_are_those_of_extractbench(case: Any) -> None:
    found = score(
        case["expected_output"],
        case["prediction"],
        case["schema"],
        evidence=read_field_rules(case["field_rules"]),
        citations=read_citations(case["citations"]),
    )
    for name in ("value", "word", "page"):
        want, got = case["want"][name], figures(getattr(found, name))
        assert (want is None) == (got is None), name
        if want is not None:
            assert got == pytest.approx([float(want[key]) for key in ("precision", "recall", "f1")], abs=1e-12), name


def figures(counts: Score | None) -> Sequence[float] | None:
    return None if counts is None else [counts.precision, counts.recall, counts.f1]


PEOPLE = {
    "type": "object",
    "properties": {
        "title": {"type": ["string", "null"]},
        "people": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": ["string", "null"]}, "age": {"type": ["integer", "null"]}},
            },
        },
    },
}
TRUTH = {"title": "Staff", "people": [{"name": "Ada", "age": 36}, {"name": "Max", "age": None}]}
ANSWER = {"title": "Staff ", "people": [{"name": "Eve", "age": 9}, {"name": "Ada", "age": 63}], "office": "B2"}


def test_one_document_judged_by_hand() -> None:
    found = judge(TRUTH, ANSWER, PEOPLE)
    assert {str(kind): count for kind, count in found.counts.items()} == {
        "matched": 2,  # the title, Ada
        "misread": 1,  # her age
        "unfound": 1,  # Max
        "invented_item": 2,  # Eve and her age
        "invented_field": 1,  # the office
    }
    assert (found.accuracy, found.precision, found.recall) == (2 / 7, 2 / 6, 2 / 4)


def test_one_document_scored_by_hand() -> None:
    found = score(TRUTH, ANSWER, PEOPLE)
    # The title, and Ada; five cells in truth and prediction, and the office beside them.
    assert (found.value.correct, found.value.predicted, found.value.expected) == (2, 6, 5)
    assert found.extra == ["office"]
    assert (found.word, found.page) == (None, None)
