from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from consensus import align_content
from consensus.align import Alignment, Grid, align
from consensus.near_texts import near_pairs
from groundtruth.consensus import Note
from groundtruth.errors import WorkLimitExceeded

Record = Mapping[str, str | None]
Ballots = Sequence[Sequence[Record]]


def by_content(ballots: Ballots) -> Alignment:
    """Number the values of each column in their order and align without a key."""
    columns = sorted({name for ballot in ballots for record in ballot for name in record})
    values = [
        sorted({value for ballot in ballots for record in ballot if (value := record.get(name)) is not None})
        for name in columns
    ]

    def code(record: Record, column: int) -> int:
        value = record.get(columns[column])
        return 0 if value is None else values[column].index(value) + 1

    grids = [
        Grid(
            np.array([[code(record, j) for j in range(len(columns))] for record in ballot], dtype=np.int64).reshape(
                len(ballot), len(columns)
            )
        )
        for ballot in ballots
    ]
    return align(grids, identity=(), texts=lambda column, number: values[column][number - 1])


def slots(ballots: Ballots) -> list[tuple[int, ...]]:
    return sorted(tuple(members) for members in by_content(ballots).slots.tolist())


def lines(*rows: str) -> list[Record]:
    """Invoice lines from ``text | quantity | amount``; an empty part is null."""
    names = ("text", "quantity", "amount")
    return [dict(zip(names, (part.strip() or None for part in row.split("|")), strict=True)) for row in rows]


INVOICE = lines("Hammer | 1 | 12.50", "Nails, box | 4 | 3.20", "Drill | 1 | 89.00", "Screws, box | 4 | 4.10")


def replaced(index: int, row: str) -> list[Record]:
    return [*INVOICE[:index], *lines(row), *INVOICE[index + 1 :]]


@pytest.mark.parametrize(
    ("ballots", "expected"),
    [
        pytest.param([], [], id="no ballot"),
        pytest.param([[], []], [], id="no rows"),
        pytest.param([INVOICE], [(0,), (1,), (2,), (3,)], id="one ballot"),
        pytest.param([INVOICE, INVOICE[::-1]], [(0, 3), (1, 2), (2, 1), (3, 0)], id="the order of rows is no evidence"),
        pytest.param(
            [INVOICE, INVOICE, replaced(0, "Hammer | 1 | 12.60")],
            [(0, 0, 0), (1, 1, 1), (2, 2, 2), (3, 3, 3)],
            id="a misread amount",
        ),
        pytest.param(
            [INVOICE, INVOICE, replaced(2, "Electric screwdriver | 1 | 89.00")],
            [(0, 0, 0), (1, 1, 1), (2, 2, 2), (3, 3, 3)],
            id="another text",
        ),
        pytest.param(
            [INVOICE, INVOICE, INVOICE[1:]], [(0, 0, -1), (1, 1, 0), (2, 2, 1), (3, 3, 2)], id="a row left out"
        ),
        pytest.param(
            [INVOICE, INVOICE, replaced(0, "Freight | 1 | 30.00")],
            [(-1, -1, 0), (0, 0, -1), (1, 1, 1), (2, 2, 2), (3, 3, 3)],
            id="a row left out and another one: a quantity of 1 does not make them one",
        ),
        pytest.param(
            [INVOICE, INVOICE, [*INVOICE, INVOICE[1]]],
            [(-1, -1, 4), (0, 0, 0), (1, 1, 1), (2, 2, 2), (3, 3, 3)],
            id="a row twice",
        ),
        pytest.param(
            [lines("Hammer | 1 | 12.50")] * 2 + [lines("Claw hammer | 1 | 12.50")],
            [(0, 0, 0)],
            id="one row each: an amount that all have still counts",
        ),
        pytest.param(
            [lines("Hammer | 1 | 12.50"), lines("Drill | 2 | 89.00")],
            [(-1, 0), (0, -1)],
            id="one row each, nothing in common",
        ),
        pytest.param(
            [
                lines("Tax | | 1854.67", "Pension | | 240.90", "Health | | 554.91"),
                lines("Tax | | 1854.67", "Pension | | 240.90", "Health | | 554.91"),
                lines("Health | | 55491", "Tax | | 185467", "Pension | | 24090"),
                lines("Health | | 55491", "Tax | | 185467", "Pension | | 24090"),
            ],
            [(0, 0, 1, 1), (1, 1, 2, 2), (2, 2, 0, 0)],
            id="a column that two ballots write otherwise says nothing against",
        ),
    ],
)
def test_rows_are_aligned_by_what_they_say(ballots: Ballots, expected: list[tuple[int, ...]]) -> None:
    assert slots(ballots) == sorted(expected)


def test_every_slot_is_marked_as_inferred() -> None:
    assert set(by_content([INVOICE, INVOICE[1:]]).flags) == {frozenset({Note.ALIGNMENT_INFERRED})}


def test_a_rare_value_outweighs_common_ones() -> None:
    common = [f"Part {number} | 1 | 5.00" for number in range(8)]
    table = lines(*common, "Valve | 7 | 61.00")
    # The last row shares quantity and amount with eight rows, but its text with one.
    other = lines(*common, "Valve | 1 | 5.00")
    assert (8, 8) in slots([table, other])


def test_texts_that_differ_in_a_letter_join_what_is_left_over() -> None:
    table = lines("Pension fund | 3 | 40.02", "Health cover | 7 | 554.91", "Church tax | 1 | 12.00", "Union | 2 | 8.10")
    # Neither the text nor the amount recurs, but both are near.
    other = lines("Pensian fund | | 4002", "Health cover | 7 | 554.91", "Church tax | 1 | 12.00", "Union | 2 | 8.10")
    assert slots([table, table, table, other]) == [(0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, 3)]


def test_one_near_text_alone_makes_no_row() -> None:
    table = lines("Pension fund | 3 | 40.02", "Health cover | 7 | 554.91", "Church tax | 1 | 12.00")
    other = lines("Pensian fund | | ", "Health cover | 7 | 554.91", "Church tax | 1 | 12.00")
    assert (-1, -1, -1, 0) in slots([table, table, table, other])


def test_outliers_are_placed_among_rows_that_most_agree_on() -> None:
    # One ballot shifts a column by a row; the three others hold the table together.
    shifted = lines("Hammer | 4 | 12.50", "Nails, box | 1 | 3.20", "Drill | 4 | 89.00", "Screws, box | 1 | 4.10")
    assert slots([shifted, INVOICE, INVOICE, INVOICE]) == [(k, k, k, k) for k in range(4)]


def test_equal_rows_are_one_slot_each() -> None:
    rows = lines(*["Ketchup | 1 | 0.00"] * 3)
    assert slots([rows, rows[:2], rows[:1]]) == [(0, 0, 0), (1, 1, -1), (2, -1, -1)]


def test_five_copies_reproduce_themselves() -> None:
    rng = np.random.default_rng(4)
    cells = rng.integers(-1, 4, (60, 4))
    cells[cells == -1] = rng.integers(-1, 1, int((cells == -1).sum()))
    cells = np.abs(cells)
    found = align([Grid(cells)] * 5, identity=(), texts=lambda column, code: f"{column} {code}")
    assert len(found.slots) == 60
    assert (cells[found.slots] == cells[found.slots[:, :1]]).all()


def test_a_shuffled_misread_table_is_put_together_again() -> None:
    rng = np.random.default_rng(7)
    n = 1500
    truth = np.column_stack([rng.permutation(n) + 1, *(rng.integers(1, size, n) for size in (365, 5, 50, 900, 20))])
    kept, grids = [], []
    for _ in range(5):
        rows = rng.permutation(n)[: int(n * 0.98)]
        cells = truth[rows]
        misread = rng.random(cells.shape) < 0.02
        cells[misread] = rng.integers(n + 1, 10 * n, int(misread.sum()))
        kept.append(rows)
        grids.append(Grid(cells))
    found = align(grids, identity=(), texts=lambda column, code: f"{column}/{code * 7919 % 1_000_003}")
    true_rows = [
        {int(kept[ballot][row]) for ballot, row in enumerate(members) if row >= 0} for members in found.slots.tolist()
    ]
    assert all(len(rows) == 1 for rows in true_rows)
    # A row that few ballots have, or that one misread in most cells, may stand apart.
    assert len(true_rows) <= n + 2


def test_a_row_repeated_over_and_over_stops_past_the_stated_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(align_content, "_MOST_EDGES", 1000)
    one, other = lines(*["Hammer | 1 | 12.50"] * 50), lines(*["Hammer | 1 | 12.60"] * 50)
    with pytest.raises(WorkLimitExceeded, match="2500 pairs of rows resemble one another, more than 1000"):
        by_content([one, other])


@pytest.mark.parametrize(
    ("first", "second", "near"),
    [
        ("Pension fund", "pensi0n-fund", True),
        ("1854.67", "185467", True),
        ("GD1416578", "GD1416678", True),
        ("GD1416578", "GD14165781", True),
        ("GD1416578", "GD416578", True),
        ("GD1416578", "GD1416687", False),
        ("7.88", "7.89", False),
        ("7.88", "788", True),
        ("", "", False),
        ("--", "..", False),
        ("x" * 101, "x" * 101 + "!", False),
    ],
)
def test_near_texts(first: str, second: str, near: bool) -> None:
    for texts in ([first, "other", second], [second, "other", first]):
        left, right = near_pairs(texts, np.array([0]))
        assert (left.tolist(), right.tolist()) == (([0], [2]) if near else ([], []))
