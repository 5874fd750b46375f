"""How far systems agree: known answers, and the corners where agreement is undefined."""

from __future__ import annotations

import pytest

from builders import ballots, schema_of, vote_on_values
from consensus.agreement import (
    agreement_by_field,
    agreement_when_wrong,
    classes_of,
)
from consensus.vote import vote
from groundtruth.agreement import nominal_alpha, percent_agreement
from groundtruth.consensus import Tier

A = ["*", "*", "*", "*", "*", 3, 4, 1, 2, 1, 1, 3, 3, "*", 3]
B = [1, "*", 2, 1, 3, 3, 4, 3, "*", "*", "*", "*", "*", "*", "*"]
C = ["*", "*", 2, 1, 3, 4, 4, "*", 2, 1, 1, 3, 3, "*", 4]
KRIPPENDORFF = [[code for code in unit if code != "*"] for unit in zip(A, B, C, strict=True)]


def test_alpha_of_the_known_example() -> None:
    assert nominal_alpha(KRIPPENDORFF) == pytest.approx(0.691, abs=0.0005)


@pytest.mark.parametrize(
    ("units", "alpha", "pairwise"),
    [
        pytest.param([["x", "x", "x"], ["x", "x"]], None, 1.0, id="one class only"),
        pytest.param([["x"], ["y"]], None, None, id="one rater"),
        pytest.param([], None, None, id="nothing"),
        pytest.param([["x", "x"], ["y", "y"]], 1.0, 1.0, id="perfect"),
        pytest.param([["x", "x", "x", "y"]], 0.0, 0.5, id="one dissent in one unit"),
    ],
)
def test_corners(units: list[list[str]], alpha: float | None, pairwise: float | None) -> None:
    assert nominal_alpha(units) == alpha
    assert percent_agreement(units) == pairwise


def test_null_is_a_class_and_abstention_is_missing() -> None:
    leaf = vote_on_values(["x", None, "x"])
    assert len(set(classes_of(leaf).values())) == 2


def test_the_report_by_field() -> None:
    schema = schema_of({"a": {"type": "string"}, "b": {"type": "string"}})
    answers = [{"a": "x", "b": "p"}, {"a": "x", "b": "p"}, {"a": "x", "b": "q"}]
    found = agreement_by_field([vote(schema, ballots(answers))])
    assert list(found) == ["a", "b"]
    assert (found["a"].tiers[Tier.UNANIMOUS], found["a"].alpha, found["a"].pairwise) == (1, None, 1.0)
    assert found["b"].pairwise == pytest.approx(1 / 3)
    assert (dict(found["b"].dissents), dict(found["b"].readings)) == ({"A": 0, "B": 0, "C": 1}, dict.fromkeys("ABC", 1))


def test_agreement_when_both_are_overturned() -> None:
    units = [({"A": "x", "B": "x", "C": "t"}, "t"), ({"A": "x", "B": "y", "C": "t"}, "t")]
    assert agreement_when_wrong(units) == {("A", "B"): (1, 2)}
