from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consensus.align import Alignment, Grid, align
from groundtruth.record_classes import IntArray

Slot = tuple[list[tuple[int, list[int]]], list[str]]
Case = tuple[list[Grid | None], tuple[int, ...]]

_TEXTS = ("", "INV-1001", "INV-1O01", "INV-2002", "Hammer", "Hamner", "12.50")


def text(column: int, code: int) -> str:
    return _TEXTS[code] if column % 2 else f"class {code * 7919 % 101}"


def content(alignment: Alignment, grids: list[Grid | None], names: list[int]) -> list[Slot]:
    """Per slot, who has which content in it, and its flags; independent of row numbers and of the order of slots."""
    found: list[Slot] = []
    for members, flags in zip(alignment.slots.tolist(), alignment.flags, strict=True):
        cells = []
        for ballot, row in enumerate(members):
            grid = grids[ballot]
            if row >= 0 and grid is not None:
                cells.append((names[ballot], grid.codes[row].tolist()))
        found.append((sorted(cells), sorted(map(str, flags))))
    return sorted(found)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A small table, and ballots that misread cells, leave rows out and invent some, with ties in plenty."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    columns, values = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    least = draw(st.sampled_from([0, 0, -1]))
    table = rng.integers(least, values + 1, (draw(st.integers(0, 6)), columns))
    grids: list[Grid | None] = []
    for _ in range(draw(st.integers(1, 5))):
        rows = table[rng.random(len(table)) < 0.9]
        misread = rng.random(rows.shape) < 0.15
        rows[misread] = rng.integers(least, values + 1, int(misread.sum()))
        invented = rng.integers(least, values + 1, (rng.choice([0, 0, 1, 3]), columns))
        grids.append(None if rng.random() < 0.1 else Grid(np.concatenate([rows, invented])))
    identity = draw(st.sampled_from([(), (0,), tuple(range(min(2, columns)))]))
    return grids, identity


def rows_of(grid: Grid | None) -> list[int]:
    return [] if grid is None else list(range(len(grid.codes)))


@given(cases())
def test_every_row_is_in_one_slot(case: Case) -> None:
    grids, identity = case
    found = align(grids, identity=identity, texts=text)
    assert len(found.flags) == len(found.slots)
    for ballot, grid in enumerate(grids):
        members: IntArray = found.slots[:, ballot]
        assert sorted(members[members >= 0].tolist()) == rows_of(grid)
    assert ((found.slots >= 0).any(axis=1)).all()


@given(cases(), st.integers(0, 2**32 - 1))
def test_permuting_ballots_and_rows_changes_nothing(case: Case, seed: int) -> None:
    grids, identity = case
    expected = content(align(grids, identity=identity, texts=text), grids, list(range(len(grids))))
    rng = np.random.default_rng(seed)
    for _ in range(3):
        order = rng.permutation(len(grids)).tolist()
        moved: list[Grid | None] = []
        for ballot in order:
            grid = grids[ballot]
            moved.append(None if grid is None else Grid(rng.permutation(grid.codes)))
        assert content(align(moved, identity=identity, texts=text), moved, order) == expected


@pytest.mark.parametrize("identity", [pytest.param((0,), id="by key"), pytest.param((), id="by content")])
def test_thirty_permutations_of_a_misread_table(identity: tuple[int, ...]) -> None:
    rng = np.random.default_rng(11)
    truth = np.column_stack([np.arange(1, 41), *(rng.integers(1, size, 40) for size in (4, 9, 30))])
    truth = np.concatenate([truth, truth[:5]])
    grids: list[Grid | None] = []
    for _ in range(5):
        cells = truth[rng.random(len(truth)) < 0.95]
        misread = rng.random(cells.shape) < 0.08
        cells[misread] = rng.integers(0, 60, int(misread.sum()))
        grids.append(Grid(cells))

    def name(column: int, code: int) -> str:
        return f"{column}{code}"

    expected = content(align(grids, identity=identity, texts=name), grids, list(range(5)))
    for _ in range(30):
        order = rng.permutation(5).tolist()
        moved: list[Grid | None] = []
        for ballot in order:
            grid = grids[ballot]
            assert grid is not None
            moved.append(Grid(rng.permutation(grid.codes)))
        assert content(align(moved, identity=identity, texts=name), moved, order) == expected


@given(cases())
@settings(max_examples=50)
def test_equal_ballots_share_every_slot(case: Case) -> None:
    grids, identity = case
    whole = [grid for grid in grids if grid is not None and (grid.codes >= 0).all()]
    for first in whole[:1]:
        found = align([first] * 5, identity=identity, texts=text)
        assert len(found.slots) == len(first.codes)
        assert (first.codes[found.slots] == first.codes[found.slots[:, :1]]).all()


@given(cases(), st.integers(2, 9))
@settings(max_examples=50)
def test_numbers_of_classes_matter_only_by_their_order(case: Case, factor: int) -> None:
    grids, identity = case
    spread = [
        None if grid is None else Grid(np.where(grid.codes > 0, grid.codes * factor, grid.codes)) for grid in grids
    ]
    one = align(grids, identity=identity, texts=text)
    other = align(spread, identity=identity, texts=lambda column, code: text(column, code // factor))
    assert one.slots.tolist() == other.slots.tolist()
    assert one.flags == other.flags
