"""Pairs that are made before the others: they change nothing but the time it takes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtruth.assignment import pair_records
from scoring.pairing import column_codes, equal_pairs, others

Row = tuple[str | None, ...]
ROWS = st.lists(st.tuples(*[st.sampled_from([None, *"abcdefg"])] * 3), max_size=9)


def best_pairs(left: list[Row], right: list[Row]) -> list[tuple[int, int]]:
    if not left or not right:
        return []
    codes = [column_codes([row[at] for row in left], [row[at] for row in right]) for at in range(3)]
    mine, other = (np.column_stack([code[side] for code in codes]) for side in (0, 1))
    return pair_records(mine, other, presence=(mine >= 0, other >= 0))


@given(ROWS, ROWS)
def test_equal_pairs_are_among_the_best_and_leave_the_others_as_they_are(left: list[Row], right: list[Row]) -> None:
    sure = equal_pairs(left, right)
    mine, other = others(len(left), (pair[0] for pair in sure)), others(len(right), (pair[1] for pair in sure))
    found = best_pairs([left[at] for at in mine], [right[at] for at in other])
    assert sorted(sure + [(mine[one], other[two]) for one, two in found]) == best_pairs(left, right)


@pytest.mark.parametrize(
    ("left", "right", "sure"),
    [
        pytest.param([("a", "x"), ("b", "x")], [("b", "x"), ("a", "x")], [(0, 1), (1, 0)], id="a key of their own"),
        pytest.param([("a", "x"), ("a", "x")], [("a", "x")], [], id="two alike"),
        pytest.param([("a", "x"), ("a", "y"), ("b", "x")], [("a", "x")], [], id="no key of its own"),
        pytest.param([("a", None)], [("a", None)], [(0, 0)], id="nothing stated in a column"),
        pytest.param([(None, None)], [(None, None)], [], id="nothing stated at all"),
    ],
)
def test_equal_pairs(left: list[Row], right: list[Row], sure: list[tuple[int, int]]) -> None:
    assert equal_pairs(left, right) == sure
