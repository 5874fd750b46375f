"""The rows of all ballots in one stack, and slots of rows that are the same row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from groundtruth.record_classes import IntArray, ranges, record_classes

NO_ROW = -1
# Stands in member_codes for a ballot without a row: a cell that has no class.
_NO_CLASS = -1


class Rows(NamedTuple):
    """The rows of all ballots, by rising content; rows of equal content by ballot, then as the ballot has them.

    Attributes:
        codes: rows × columns, as in a ``Grid``, but with positive codes renumbered from 1 without gaps.
        ballot: per row, the number of its ballot.
        row: per row, its index in its ballot.
        content: per row a number, equal exactly when all codes are equal, in the order of the content.
        given: per column, the code in the grids by the code here.
    """

    codes: IntArray
    ballot: IntArray
    row: IntArray
    content: IntArray
    given: tuple[IntArray, ...]


class Unit(NamedTuple):
    """Rows of a ballot, or of several ballots that have them alike and are therefore placed together.

    Attributes:
        ballots: who has them.
        rows: ballots × rows, stacked positions by content: a column holds rows of equal content.
    """

    ballots: IntArray
    rows: IntArray


def stack_rows(tables: Sequence[IntArray]) -> Rows:
    """Stack the ballots' tables of codes.

    Raises:
        ValueError: tables that are not rows × columns, or of different width.
    """
    filled = [table for table in tables if len(table)]
    if any(table.ndim != 2 for table in tables) or len({table.shape[1] for table in filled}) > 1:
        raise ValueError(f"grids need the same columns, got shapes {[table.shape for table in tables]}")
    codes = np.concatenate(filled, dtype=np.int64) if filled else np.zeros((0, 0), dtype=np.int64)
    given = []
    for code in codes.T:
        given.append(np.append(0, np.unique(code[code > 0])))
        code[code > 0] = np.searchsorted(given[-1], code[code > 0])
    ballot = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
    row = np.concatenate([np.zeros(0, dtype=np.int64), *(np.arange(len(table)) for table in tables)])
    content = record_classes(codes.T)
    order = np.argsort(content, kind="stable")
    return Rows(codes[order], ballot[order], row[order], content[order], tuple(given))


def member_codes(rows: Rows, slots: IntArray) -> IntArray:
    """Slots × ballots × columns: the codes of each slot's rows, negative where a ballot has none."""
    codes: IntArray = rows.codes[np.maximum(slots, 0)]
    codes[slots == NO_ROW] = _NO_CLASS
    return codes


def common_codes(rows: Rows, slots: IntArray) -> IntArray:
    """Slots × columns: the class that most rows of the slot have, the smallest of several; negative if none has one."""
    codes = member_codes(rows, slots)
    best: IntArray = codes[:, 0].copy()
    support = np.zeros_like(best)
    for mine in codes.swapaxes(0, 1):
        votes = np.where(mine >= 0, (codes == mine[:, None]).sum(axis=1), 0)
        better = (votes > support) | ((votes == support) & (votes > 0) & (mine < best))
        best[better], support[better] = mine[better], votes[better]
    return best


def share_equal(rows: Rows, position: IntArray, n_ballots: int) -> IntArray:
    """Put rows of equal content and of different ballots into one slot.

    A ballot's first row of a content goes with the first of every other ballot, its second with the second. A row
    with a cell that has no class equals nothing.
    """
    position = np.sort(position)
    content, ballot = rows.content[position], rows.ballot[position]
    rank = _rank_in_run(content * n_ballots + ballot)
    alone = np.where((rows.codes[position] < 0).any(axis=1), np.arange(position.size), NO_ROW)
    slot = record_classes(np.stack([content, rank, alone]))
    slots = np.full((int(slot.max(initial=-1)) + 1, n_ballots), NO_ROW, dtype=np.int64)
    slots[slot, ballot] = position
    return slots


def _rank_in_run(value: IntArray) -> IntArray:
    """Per element, how many equal ones stand directly before it."""
    starts = np.flatnonzero(np.append(True, np.diff(value) != 0)[: value.size])
    length = np.diff(np.append(starts, value.size))
    return np.arange(value.size) - np.repeat(starts, length)


class CellIndex(NamedTuple):
    """Slots by the classes that their rows have in one column.

    Attributes:
        code: rising; positive.
        slot: per code, a slot that has it; every pair once.
    """

    code: IntArray
    slot: IntArray

    @classmethod
    def build(cls, codes: IntArray) -> CellIndex:
        """From slots × ballots: the classes of the column."""
        slot, ballot = np.nonzero(codes > 0)
        key = np.unique(codes[slot, ballot] * len(codes) + slot)
        return cls(*np.divmod(key, max(len(codes), 1)))

    def frequency(self, code: IntArray) -> IntArray:
        """In how many slots each code stands."""
        return np.searchsorted(self.code, code, side="right") - np.searchsorted(self.code, code)

    def find(self, row: IntArray, code: IntArray) -> tuple[IntArray, IntArray]:
        """Each row with every slot that has the row's code."""
        start, stop = np.searchsorted(self.code, code), np.searchsorted(self.code, code, side="right")
        return np.repeat(row, stop - start), self.slot[ranges(start, stop)]


def content_order(rows: Rows, slots: IntArray) -> IntArray:
    """The slots by the codes common in them, then by the content of all their rows, then by who has them."""
    content = np.where(slots == NO_ROW, rows.content.size, rows.content[np.maximum(slots, 0)])
    content.sort(axis=1)
    columns = np.hstack([common_codes(rows, slots), content, slots == NO_ROW])
    order: IntArray = np.lexsort(columns.T[::-1])
    return order
