"""Records to be paired: cells in canonical order, their nested lists, and what breaks ties."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from groundtruth._matching import Pairs
from groundtruth._nested import Nested, NestedLists, Worth
from groundtruth._tables import DEAD, BoolArray, Side, Tables, agreement, kill_cells, pair_weights
from groundtruth._ties import Bonus, Ties
from groundtruth.record_classes import IntArray, record_classes


class Records(NamedTuple):
    """Two lists of records.

    Attributes:
        tables: their cells; positions are in canonical order, ``row`` is the index the caller gave.
        ties: the ties of pairs of the caller's indices.
        nested: the nested lists of the caller's records, if any.
        cell: per column the number of the cell that it is a reading of, from 0.
    """

    tables: Tables
    ties: Ties
    nested: NestedLists | None
    cell: IntArray

    @property
    def shape(self) -> tuple[int, int]:
        """How many left and right records there are."""
        return self.rows[0].size, self.rows[1].size

    @property
    def rows(self) -> Pairs:
        """The caller's indices of the left and of the right records."""
        return Pairs(self.tables.left.row, self.tables.right.row)

    @property
    def has_ties(self) -> bool:
        """Whether the tie of any pair can be above 0."""
        ends = [self.ties.most, *([] if self.nested is None else [self.nested.most_tie])]
        return any(bool(most[row].any()) for each in ends for most, row in zip(each, self.rows, strict=True))

    def tie_bound(self) -> int:
        """No less than the sum of ties of any pairing."""
        sums = []
        for side, row in enumerate(self.rows):
            nested = 0 if self.nested is None else int(self.nested.most_tie[side][row].sum())
            sums.append(int(self.ties.most[side][row].sum()) + nested)
        return min(sums)

    def most_matched(self) -> int:
        """No less than the matched cells of any pair."""
        if self.nested is None:
            return len(self.tables.weight)
        held = (int(each[row].sum(axis=1).max()) for each, row in zip(self.nested.features, self.rows, strict=True))
        return len(self.tables.weight) + min(held)

    def take(self, left: IntArray | BoolArray, right: IntArray | BoolArray) -> Records:
        """The records at these positions."""
        tables = self.tables._replace(left=self.tables.left.take(left), right=self.tables.right.take(right))
        return self._replace(tables=tables)

    def without(self, left: IntArray, right: IntArray) -> Records:
        """The records at all other positions."""
        kept = [np.ones(size, dtype=bool) for size in self.shape]
        kept[0][left] = False
        kept[1][right] = False
        return self.take(kept[0], kept[1])

    def pairs(self, left: IntArray, right: IntArray) -> Pairs:
        """Pairs of positions as pairs of the caller's indices."""
        return Pairs(self.rows[0][left], self.rows[1][right])

    def worth(self, left: IntArray, right: IntArray) -> Worth:
        """The exact worth of pairs of positions."""
        rows = self.pairs(left, right)
        matched, tie = pair_weights(self.tables, left, right), self.ties.of_pairs(*rows)
        if self.nested is not None:
            nested = self.nested.worth(*rows)
            matched, tie = matched + nested.matched, tie + nested.tie
        return Worth(matched, np.where(matched > 0, tie, 0))

    def worth_block(self) -> Worth:
        """Left × right, the exact worth of all pairs."""
        left, right = self.rows
        matched, tie = agreement(self.tables).astype(np.int64), self.ties.of_block(left, right)
        if self.nested is not None:
            nested = self.nested.worth(np.repeat(left, right.size), np.tile(right, left.size))
            matched, tie = matched + nested.matched.reshape(self.shape), tie + nested.tie.reshape(self.shape)
        tie[matched == 0] = 0
        return Worth(matched, tie)

    def live(self) -> Records:
        """The records that can match any of the other side, cells that cannot being marked as dead."""
        tables = kill_cells(self.tables)
        kept = [(side.cells != DEAD).any(axis=0) for side in (tables.left, tables.right)]
        if self.nested is not None:
            features = [each[row] for each, row in zip(self.nested.features, self.rows, strict=True)]
            for mine, other, has in zip(features, features[::-1], kept, strict=True):
                has |= mine @ (other.sum(axis=0) > 0) > 0
        return self._replace(tables=tables).take(kept[0], kept[1])


def build_records(
    left: IntArray,
    right: IntArray,
    presence: tuple[BoolArray, BoolArray] | None,
    bonus: Bonus | None,
    nested: Nested | None,
    rank: tuple[IntArray, IntArray] | None,
    cells_of_columns: IntArray | None = None,
) -> Records:
    """Number the values of each column afresh, and bring the records into canonical order.

    Raises:
        ValueError: tables, presence, ranks or nested lists of different size, or a bonus that fits no pair.
    """
    if left.ndim != 2 or right.ndim != 2 or left.shape[1] != right.shape[1]:
        raise ValueError(f"tables need the same columns, got {left.shape} and {right.shape}")
    sizes = (len(left), len(right))
    if rank is not None and tuple(each.shape for each in rank) != ((sizes[0],), (sizes[1],)):
        raise ValueError(f"{sizes[0]} and {sizes[1]} records need as many ranks")
    cell = np.arange(left.shape[1]) if cells_of_columns is None else np.asarray(cells_of_columns, dtype=np.int64)
    if cell.shape != left.shape[1:]:
        raise ValueError(f"{left.shape[1]} columns need as many numbers of cells, got {cell.shape}")
    ties = Ties(sizes, presence, bonus)
    lists = None if nested is None else NestedLists(sizes, nested)
    codes = np.concatenate([left, right])
    cells = np.full(codes.shape[::-1], DEAD, dtype=np.int32)
    keys = [] if rank is None else [np.concatenate(rank)]
    weights = []
    for column, code in enumerate(codes.T):
        value, number = np.unique(code, return_inverse=True)
        usable = code >= 0
        cells[column, usable] = number[usable]
        keys.append(number)
        weights.append(np.append((value >= 0).astype(np.int64), 0))
    if ties.words is not None:
        keys.extend(np.concatenate(ties.words).view(np.int64).T)
    if lists is not None:
        keys.append(np.concatenate(lists.content))
    order = record_classes(np.stack(keys)) if keys else np.zeros(len(codes), dtype=np.int64)
    sides = []
    for start, stop in ((0, len(left)), (len(left), len(codes))):
        row = np.argsort(order[start:stop], kind="stable")
        sides.append(Side(row, cells[:, start + row]))
    tables = Tables(sides[0], sides[1], tuple(weights), len(weights) < 2**8)
    return Records(tables, ties, lists, np.unique(cell, return_inverse=True)[1].astype(np.int64))
