from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from assignment_builders import (
    Case,
    Record,
    best,
    canonical,
    cases,
    check,
    codes,
    misread,
    nested_of,
    presence,
    readings,
    record,
    solve,
    total,
    worth,
)
from groundtruth import _compare, _large_pairs, _record_pairs, _search
from groundtruth._matching import NO_PAIRS
from groundtruth._records import build_records
from groundtruth._sure_pairs import sure_pairs
from groundtruth.assignment import Bonus, Features, IntArray, Nested, pair_records
from groundtruth.errors import WorkLimitExceeded


def solve_as_large(patch: pytest.MonkeyPatch, *, sure: bool) -> None:
    """Send every component to the solver for large ones, in small tiles that remember little."""
    patch.setattr(_record_pairs, "_PRICED_PAIRS", 0)
    patch.setattr(_record_pairs, "_PRICED_LISTS", 0)
    patch.setattr(_large_pairs, "_COMPARED_PAIRS", 4)
    patch.setattr(_compare, "_TILE_LEFT", 3)
    patch.setattr(_compare, "_TILE_RIGHT", 2)
    patch.setattr(_search, "_CLOSE_IN_TILE", 2)
    if not sure:
        patch.setattr(_record_pairs, "_make_sure_pairs", lambda records, _: (records.live(), [NO_PAIRS]))


@pytest.mark.parametrize(
    ("left", "right", "pairs"),
    [
        pytest.param([Record((1, 2), ())], [Record((1, 2), ())], [(0, 0)], id="equal"),
        pytest.param([Record((1, 2), ())], [Record((3, 4), ())], [], id="nothing in common"),
        pytest.param([Record((1, -1), ())], [Record((2, -1), ())], [], id="two cells that state nothing"),
        pytest.param([Record((1,), (True,))], [Record((2,), (True,))], [], id="an address alone makes no pair"),
        pytest.param(
            [Record((0, 0), (True, True)), Record((7, 0), (True, True))],
            [Record((0, 0), (True, True)), Record((0, 8), (True, True))],
            [(0, 1), (1, 0)],
            id="two half pairs share more than a whole one",
        ),
        pytest.param(
            [Record((1, 5), (True, False))],
            [Record((1, 6), (False, True)), Record((1, 7), (True, False))],
            [(0, 1)],
            id="of equal matches the one with more addresses",
        ),
        pytest.param(
            [Record((1,), (), ((Record((4,), ()), Record((5,), ())),)), Record((1,), (), ((Record((6,), ()),),))],
            [Record((1,), (), ((Record((6,), ()),),)), Record((1,), (), ((Record((5,), ()), Record((4,), ())),))],
            [(0, 1), (1, 0)],
            id="nested lists tell equal cells apart",
        ),
        pytest.param(
            [Record((), (), ((Record((4,), ()),),))],
            [Record((), (), ((Record((4,), ()),),))],
            [(0, 0)],
            id="nothing but a nested list",
        ),
    ],
)
def test_pairs_by_hand(left: list[Record], right: list[Record], pairs: list[tuple[int, int]]) -> None:
    assert solve(Case(left, right, None, shared=True)) == pairs


def test_a_bonus_decides_between_equal_records_and_never_against_a_match() -> None:
    left, right = [Record((1, 2), ()), Record((1, 2), ())], [Record((1, 2), ()), Record((1, 2), ()), Record((1, 3), ())]
    case = Case(left, right, {(0, 1): 1, (1, 0): 1, (0, 2): 1000}, shared=False)
    assert solve(case) == [(0, 1), (1, 0)]


def test_a_cell_may_accept_several_readings() -> None:
    # The second column has the alternate reading on the left, and repeats the code on the right.
    left, right = np.array([[9, 1], [2, -1]]), np.array([[1, 1], [2, 2]])
    assert pair_records(left, right) == [(0, 0), (1, 1)]
    assert pair_records(left, right, cells=np.array([0, 0])) == [(0, 0), (1, 1)]


@given(readings())
def test_no_pairing_is_better_with_readings(case: Case) -> None:
    width = len(case.left[0].cells)
    held = len(case.left[0].holds)
    pairs = pair_records(
        codes(case.left, width),
        codes(case.right, width),
        presence=(presence(case.left, held), presence(case.right, held)),
        cells=np.arange(width) // 3,
    )
    assert total(case, pairs) == best(case.left, case.right)


@given(readings())
def test_sure_pairs_with_readings_are_part_of_every_best_pairing(case: Case) -> None:
    check_sure(case, np.arange(len(case.left[0].cells)) // 3)


@given(cases())
def test_no_pairing_is_better(case: Case) -> None:
    check(case)


@given(cases(lists=[[2, 2]], most=4))
@settings(max_examples=50)
def test_no_pairing_is_better_with_nested_lists(case: Case) -> None:
    check(case)


@given(cases(lists=[[2], [2]], most=3))
@settings(max_examples=40)
def test_no_pairing_is_better_with_lists_two_levels_deep(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("sure", [True, False])
@given(case=cases())
def test_no_pairing_is_better_when_lists_count_as_large(case: Case, sure: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        solve_as_large(patch, sure=sure)
        check(case)


@pytest.mark.parametrize("sure", [True, False])
@given(case=cases(lists=[[2], [2]], most=3))
@settings(max_examples=40)
def test_no_pairing_is_better_when_nested_lists_count_as_large(case: Case, sure: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        solve_as_large(patch, sure=sure)
        check(case)


@pytest.mark.parametrize("seed", [41, 485])
def test_repeated_values_of_nested_lists_do_not_make_a_pair_sure(seed: int) -> None:
    # Found by searching: a second occurrence of a value is not a value that nobody else holds.
    rng = np.random.default_rng(seed)
    for _ in range(30):
        left = [record(rng, 2, 2, [[3]], shared=False) for _ in range(3)]
        right = [misread(rng, left[i], 2) for i in rng.integers(0, 3, 3).tolist()]
        bonus = {(int(i), int(j)): int(rng.integers(1, 12)) for i, j in rng.integers(0, 3, (4, 2))}
        check(Case(left, right, bonus, shared=False))


def best_pairings(case: Case) -> Iterator[set[tuple[int, int]]]:
    """All pairings of the most matched cells, whatever their ties."""
    most, _ = best(case.left, case.right)
    indices: list[int | None] = [*range(len(case.right)), *[None] * len(case.left)]
    for chosen in set(itertools.permutations(indices, len(case.left))):
        pairs = {(i, j) for i, j in enumerate(chosen) if j is not None and worth(case.left[i], case.right[j])[0]}
        if total(case, sorted(pairs))[0] == most:
            yield pairs


@given(cases(most=3))
def test_sure_pairs_are_part_of_every_best_pairing(case: Case) -> None:
    check_sure(case)


@given(cases(lists=[[3]], most=3))
@settings(max_examples=60)
def test_sure_pairs_are_part_of_every_best_pairing_with_nested_lists(case: Case) -> None:
    check_sure(case)


def check_sure(case: Case, cells: IntArray | None = None) -> None:
    left, right = case.left, case.right
    width = len(left[0].cells)
    nested = nested_of(left, right) if left[0].lists else None
    records = build_records(codes(left, width), codes(right, width), None, None, nested, None, cells).live()
    pairs = records.pairs(*sure_pairs(records))
    sure = set(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))
    assert all(sure <= pairing for pairing in best_pairings(case))


@given(cases(lists=[[2]], most=3), st.integers(0, 2**32 - 1))
@settings(max_examples=50)
def test_the_order_of_records_decides_only_between_equal_ones(case: Case, seed: int) -> None:
    left, right, bonus = case.left, case.right, case.bonus or {}
    rng = np.random.default_rng(seed)
    orders = (rng.permutation(len(left)).tolist(), rng.permutation(len(right)).tolist())
    moved = {(orders[0].index(i), orders[1].index(j)): weight for (i, j), weight in bonus.items()}
    other = Case([left[i] for i in orders[0]], [right[j] for j in orders[1]], moved, case.shared)
    pairs = [(orders[0][i], orders[1][j]) for i, j in solve(other)]
    assert total(case, pairs) == total(case, solve(case))
    # The code of a cell that states nothing is not told apart, and the order of a nested list neither.
    if all(len({repr((r.cells, r.holds, canonical(r))) for r in side}) == len(side) for side in (left, right)):
        assert sorted(pairs) == solve(case)


def test_a_rank_numbers_equal_records() -> None:
    left, right = np.zeros((2, 1), dtype=np.int64), np.zeros((1, 1), dtype=np.int64)
    one = np.zeros(1, dtype=np.int64)
    assert pair_records(left, right, rank=(np.array([5, 3]), one)) == [(1, 0)]
    assert pair_records(left, right, rank=(np.array([3, 5]), one)) == [(0, 0)]


def test_no_pair_is_priced_twice_and_few_are() -> None:
    rng = np.random.default_rng(4)
    left = [record(rng, 2, 30, [[3]], shared=False) for _ in range(30)]
    right = [misread(rng, each, 30) for each in left]
    nested = nested_of(left, right)
    priced: Counter[tuple[int, int]] = Counter()

    def price(lefts: IntArray, rights: IntArray) -> tuple[IntArray, IntArray]:
        priced.update(zip(lefts.tolist(), rights.tolist(), strict=True))
        return nested.price(lefts, rights)

    pairs = pair_records(codes(left, 2), codes(right, 2), nested=nested._replace(price=price))
    assert total(Case(left, right, None, shared=False), pairs)[0] == best_by_scipy(left, right)
    assert set(priced.values()) <= {1}
    assert len(priced) < 300


def best_by_scipy(left: Sequence[Record], right: Sequence[Record]) -> int:
    matched = np.array([[worth(a, b)[0] for b in right] for a in left])
    return int(matched[linear_sum_assignment(matched, maximize=True)].sum())


NONE = np.zeros(0, dtype=np.int64)
TABLE = np.array([[1, 2], [1, 3]])
FEATURES = (Features(NONE, NONE), Features(NONE, NONE))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"right": TABLE[:, :1]}, "same columns", id="another width"),
        pytest.param({"presence": (np.ones((2, 3), bool), np.ones((2, 2), bool))}, "presence", id="other addresses"),
        pytest.param({"presence": (np.ones((1, 3), bool), np.ones((2, 3), bool))}, "presence", id="too few rows"),
        pytest.param({"rank": (NONE, NONE)}, "as many ranks", id="no ranks"),
        pytest.param({"cells": NONE}, "as many numbers of cells", id="no cells"),
        pytest.param({"bonus": Bonus(np.array([2]), np.array([0]), np.array([1]))}, "leaves the 2 left", id="no pair"),
        pytest.param({"bonus": Bonus(np.array([0]), np.array([0]), np.array([-1]))}, "at least 0", id="a negative one"),
        pytest.param({"bonus": Bonus(NONE, NONE, np.array([1]))}, "one length", id="bonus of different lengths"),
        pytest.param(
            {"nested": Nested(FEATURES, (NONE, NONE), (NONE, NONE), lambda lefts, rights: (lefts, rights))},
            "contents of nested lists",
            id="no contents",
        ),
    ],
)
def test_what_does_not_fit_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pair_records(TABLE, **{"right": TABLE, **options})


def test_ties_whose_sum_could_be_rounded_are_refused() -> None:
    bonus = Bonus(np.array([0, 1]), np.array([0, 1]), np.array([2**50, 2**50]))
    left = np.array([[1, 2], [1, 2]])
    for right in ([[1, 2], [3, 2]], [[1, 2], [1, 2]]):
        with pytest.raises(WorkLimitExceeded, match="give smaller ties"):
            pair_records(left, np.array(right), bonus=bonus)
