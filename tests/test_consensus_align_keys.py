from __future__ import annotations

import numpy as np
import pytest

from consensus.align import Alignment, Grid, align
from consensus.repair import near_miss
from groundtruth.consensus import Note, Reason

KEYS = {1: "INV-1001", 2: "INV-1O01", 3: "INV-2002", 4: "INV-9", 5: "INV-10011"}
NULL, INVALID = 0, -1
Row = tuple[int, ...]
Members = tuple[int, ...]


def text(column: int, code: int) -> str:
    return KEYS.get(code, f"column {column} class {code}")


def grid(*rows: Row, columns: int = 3) -> Grid:
    return Grid(np.array(rows, dtype=np.int64).reshape(len(rows), columns))


def by_key(*grids: Grid | None, identity: tuple[int, ...] = (0,)) -> Alignment:
    return align(grids, identity=identity, texts=text)


def slots(alignment: Alignment) -> list[tuple[Members, set[Reason | Note]]]:
    found = zip(alignment.slots.tolist(), alignment.flags, strict=True)
    return sorted((tuple(members), set(flags)) for members, flags in found)


# Two rows that everybody reads: a key and two other cells.
FIRST, SECOND = (1, 11, 12), (3, 13, 14)
BOTH = grid(FIRST, SECOND)
REPAIRED = {Reason.ALIGNMENT_REPAIRED}
DUPLICATE = {Reason.DUPLICATE_IDENTITY}


@pytest.mark.parametrize(
    ("grids", "expected"),
    [
        pytest.param([BOTH] * 5, [((0,) * 5, set()), ((1,) * 5, set())], id="everybody agrees"),
        pytest.param([BOTH], [((0,), set()), ((1,), set())], id="one ballot"),
        pytest.param([], [], id="no ballot"),
        pytest.param([None, None], [], id="everybody abstains"),
        pytest.param([grid(), None, grid()], [], id="58: no rows anywhere"),
        pytest.param([grid(), grid(FIRST)], [((-1, 0), set())], id="58: no rows in one ballot"),
        pytest.param([BOTH, None, BOTH], [((0, -1, 0), set()), ((1, -1, 1), set())], id="one abstains"),
        pytest.param(
            [grid(SECOND, FIRST), BOTH], [((0, 1), set()), ((1, 0), set())], id="the order of rows is no evidence"
        ),
        pytest.param(
            [BOTH, BOTH, grid(FIRST), grid(FIRST), grid(FIRST)],
            [((0, 0, 0, 0, 0), set()), ((1, 1, -1, -1, -1), set())],
            id="44: a row in two of five",
        ),
        pytest.param(
            [BOTH, BOTH, BOTH, BOTH, grid(FIRST)],
            [((0, 0, 0, 0, 0), set()), ((1, 1, 1, 1, -1), set())],
            id="45: a row in four of five",
        ),
        pytest.param(
            [grid(FIRST, SECOND, SECOND), BOTH, BOTH, BOTH, BOTH],
            [((0,) * 5, set()), ((1,) * 5, DUPLICATE), ((2, -1, -1, -1, -1), DUPLICATE)],
            id="47: one repeats a row",
        ),
        pytest.param(
            [BOTH, BOTH, BOTH, BOTH, grid((2, 11, 12), SECOND)],
            [((0,) * 5, REPAIRED), ((1,) * 5, set())],
            id="49: one misreads a key",
        ),
        pytest.param(
            [BOTH, BOTH, grid((NULL, 11, 12), SECOND), BOTH, BOTH],
            [((0,) * 5, REPAIRED), ((1,) * 5, set())],
            id="51: one leaves a key out",
        ),
        pytest.param(
            [BOTH, BOTH, grid((INVALID, 11, 12), SECOND), BOTH, BOTH],
            [((0,) * 5, REPAIRED), ((1,) * 5, set())],
            id="one has a key that is no value",
        ),
        pytest.param(
            [BOTH, BOTH, grid(FIRST, SECOND, (NULL, 8, 9)), grid((NULL, 8, 9), FIRST, SECOND), BOTH],
            [((-1, -1, 2, 0, -1), set()), ((0, 0, 0, 1, 0), set()), ((1, 1, 1, 2, 1), set())],
            id="53: rows without a key, equal in two ballots",
        ),
        pytest.param(
            [grid((NULL, 8, 9)), grid((NULL, 8, 7))],
            [((-1, 0), set()), ((0, -1), set())],
            id="rows without a key that differ: null is no key",
        ),
        pytest.param(
            [grid((NULL, 8, 9), (NULL, 8, 9)), grid((NULL, 8, 9))],
            [((0, 0), set()), ((1, -1), set())],
            id="two rows of one ballot never share a slot",
        ),
        pytest.param(
            [grid((NULL, 8, INVALID)), grid((NULL, 8, INVALID))],
            [((-1, 0), set()), ((0, -1), set())],
            id="a cell without a class equals nothing",
        ),
        pytest.param(
            [grid((INVALID, 8, 9)), grid((INVALID, 8, 9))],
            [((-1, 0), set()), ((0, -1), set())],
            id="a key without a class equals nothing",
        ),
    ],
)
def test_rows_of_equal_key_share_a_slot(
    grids: list[Grid | None], expected: list[tuple[Members, set[Reason | Note]]]
) -> None:
    assert slots(by_key(*grids)) == sorted(expected)


def test_a_key_of_two_parts_may_lack_one() -> None:
    found = by_key(grid((1, NULL, 5), (1, 7, 6)), grid((1, 7, 6), (1, NULL, 5)), identity=(0, 1))
    assert slots(found) == [((0, 1), set()), ((1, 0), set())]


def test_rows_of_one_key_are_told_apart_by_their_other_cells() -> None:
    one, other = (1, 11, 12), (1, 21, 22)
    found = by_key(grid(one, other), grid(other, one), grid((1, 21, 99), (1, 88, 12)))
    agreed = {Note.REPEATED_IDENTITY}
    assert slots(found) == [
        ((0, 1, 1), agreed),
        ((1, 0, 0), agreed),
    ]


def test_a_value_tells_more_than_a_null() -> None:
    # The one row of the second ballot shares a value with the first row, and two nulls with the second.
    found = by_key(Grid(np.array([[1, 7, 8, 9], [1, 6, 0, 0]])), Grid(np.array([[1, 7, 0, 0]])))
    assert [members for members, _ in slots(found)] == [(0, 0), (1, -1)]


def test_ballots_without_the_key_do_not_dispute_how_often_it_stands() -> None:
    found = by_key(grid((1, 1, 2), (1, 3, 4)), grid((1, 1, 2), (1, 3, 4)), grid())
    assert {flag for _, flags in slots(found) for flag in flags} == {Note.REPEATED_IDENTITY}


def test_a_key_that_never_tells_rows_apart_is_one_large_group() -> None:
    rng = np.random.default_rng(0)
    cells = np.column_stack([np.ones(3000, dtype=np.int64), rng.permutation(3000) + 1, rng.integers(1, 50, 3000)])
    order = rng.permutation(3000)
    found = by_key(Grid(cells), Grid(cells[order]))
    assert all(left == order[right] for left, right in found.slots.tolist())


A, B, C = (1, 11, 12), (3, 11, 12), (4, 13, 14)


@pytest.mark.parametrize(
    ("grids", "repaired"),
    [
        pytest.param([grid(A), grid(A), grid(A), grid((9, 11, 12))], True, id="any key, if one ballot has it"),
        pytest.param([grid(A), grid(A), grid(A), grid((9, 11, 77))], False, id="a cell that conflicts"),
        pytest.param([grid(A), grid(A), grid(A), grid((9, 11, NULL))], False, id="only one cell that agrees"),
        pytest.param([grid(A), grid(A), grid((9, 11, 12)), grid()], False, id="half of the ballots is no majority"),
        pytest.param([grid(A), grid(A), grid((9, 11, 12)), None], True, id="two of three that vote are one"),
        pytest.param([grid(A, B), grid(A, B), grid(A, B), grid((9, 11, 12))], False, id="two slots that fit"),
        pytest.param(
            [grid(A, C), grid(A, C), grid(A, C), grid((9, 11, 12), C)], True, id="one slot fits, another does not"
        ),
        pytest.param(
            [grid(A), grid(A), grid(A), grid((9, 11, 12), (8, 11, 12))], False, id="two rows that want one slot alike"
        ),
        pytest.param([grid(A)] * 3 + [grid((2, 11, 12))] * 2, True, id="two ballots, a key that looks alike"),
        pytest.param([grid(A)] * 3 + [grid((5, 11, 12))] * 2, True, id="two ballots, a key of one edit"),
        pytest.param([grid(A)] * 3 + [grid((3, 11, 12))] * 2, False, id="two ballots, another key"),
        pytest.param([grid(A)] * 3 + [grid((5, 11, 12)), grid((2, 11, 12))], True, id="two ballots, each its own key"),
    ],
)
def test_repair_joins_where_nothing_speaks_against_it(grids: list[Grid | None], repaired: bool) -> None:
    flags = [flag for _, flags in slots(by_key(*grids)) for flag in flags]
    assert (Reason.ALIGNMENT_REPAIRED in flags) is repaired


def test_of_two_rows_that_want_a_slot_the_one_that_agrees_more_joins() -> None:
    def wide(*rows: Row) -> Grid:
        return grid(*rows, columns=4)

    row = (1, 11, 12, 13)
    found = by_key(wide(row), wide(row), wide(row), wide((8, 11, 12, NULL), (9, 11, 12, 13)))
    assert slots(found) == [((-1, -1, -1, 0), set()), ((0, 0, 0, 1), REPAIRED)]


def test_a_value_that_some_row_of_the_slot_has_does_not_conflict() -> None:
    found = by_key(grid(A), grid(A), grid((1, 11, 99)), grid((9, 11, 99)))
    assert slots(found) == [((0, 0, 0, 0), REPAIRED)]


def test_a_repeated_key_that_was_a_misread_one_is_repaired() -> None:
    # The last ballot reads the key of the second row as that of the first.
    found = by_key(BOTH, BOTH, BOTH, grid(FIRST, (1, 13, 14)))
    assert slots(found) == [((0, 0, 0, 0), DUPLICATE), ((1, 1, 1, 1), REPAIRED)]


def test_repair_finds_its_slots_among_many() -> None:
    rng = np.random.default_rng(1)
    n = 4000
    cells = np.column_stack([np.arange(1, n + 1), *(rng.integers(1, 60, n) for _ in range(5))])
    misread = cells.copy()
    hit = rng.choice(n, 300, replace=False)
    misread[hit, 0] = n + 1 + np.arange(300)
    found = by_key(Grid(cells), Grid(cells), Grid(misread))
    assert len(found.slots) == n
    assert sum(Reason.ALIGNMENT_REPAIRED in flags for flags in found.flags) == 300
    assert (found.slots == found.slots[:, :1]).all()


@pytest.mark.parametrize(
    ("first", "second", "near"),
    [
        ("INV-1001", "INV-1O01", True),
        ("BIS-1", "8I5-l", True),
        ("1001", "1002", True),
        ("1001", "10011", True),
        ("1001", "101", True),
        ("", "1", True),
        ("1001", "1010", False),
        ("1001", "1023", False),
        ("1001", "100111", False),
        ("abc", "xyz", False),
    ],
)
def test_a_near_miss_is_one_edit_or_characters_that_look_alike(first: str, second: str, near: bool) -> None:
    assert near_miss(first, second) is near
    assert near_miss(second, first) is near


def test_slots_come_by_the_content_common_in_them() -> None:
    found = by_key(grid((3, 1, 1), (1, 9, 9), (2, 5, 5)), grid((2, 5, 5), (3, 1, 1), (1, 9, 9)))
    assert found.slots.tolist() == [[1, 2], [2, 0], [0, 1]]


def test_grids_of_different_width_are_refused() -> None:
    with pytest.raises(ValueError, match="same columns"):
        by_key(grid(FIRST), grid((1, 2), columns=2))
