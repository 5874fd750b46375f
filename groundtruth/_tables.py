"""Two tables of codes side by side: classes of equal rows, and the weight of the cells that agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from groundtruth.record_classes import IntArray, record_classes

BoolArray = npt.NDArray[np.bool_]
Cells = npt.NDArray[np.int32]

# The code of a cell that can never agree. As an index it picks the last weight of its column, which is 0.
DEAD = -1


class Side(NamedTuple):
    """Rows of one table.

    Attributes:
        row: their index in the table given, in canonical order.
        cells: columns × rows; a code, or dead.
    """

    row: IntArray
    cells: Cells

    def take(self, index: IntArray | BoolArray) -> Side:
        """The rows at ``index``."""
        return Side(self.row[index], self.cells[:, index])


class Tables(NamedTuple):
    """Two tables over the same columns.

    Attributes:
        left, right: their rows.
        weight: per column the weight by code, and a last 0 for dead cells.
        counting: whether every weight is 0 or 1 and sums fit a byte.
    """

    left: Side
    right: Side
    weight: tuple[IntArray, ...]
    counting: bool

    def take(self, left: IntArray, right: IntArray) -> Tables:
        """The rows at these positions."""
        return self._replace(left=self.left.take(left), right=self.right.take(right))


def build_tables(
    left: IntArray, right: IntArray, weight: Sequence[IntArray] | None, groups: tuple[IntArray, IntArray] | None
) -> Tables:
    """Number the values of each column afresh, per group, and bring the rows into canonical order.

    Raises:
        ValueError: tables of different width, a negative weight, or a code without one.
    """
    if left.ndim != 2 or right.ndim != 2 or left.shape[1] != right.shape[1]:
        raise ValueError(f"tables need the same columns, got {left.shape} and {right.shape}")
    if weight is not None and len(weight) != left.shape[1]:
        raise ValueError(f"{left.shape[1]} columns need as many lists of weights, got {len(weight)}")
    group = None if groups is None else np.concatenate(groups)
    codes = np.concatenate([left, right])
    cells = np.full(codes.shape[::-1], DEAD, dtype=np.int32)
    ranks = np.zeros((codes.shape[1] + 1, codes.shape[0]), dtype=np.int64)
    weights = []
    for column, code in enumerate(codes.T):
        value, ranks[column] = np.unique(code, return_inverse=True)
        worth = _worth(value, None if weight is None else np.asarray(weight[column], dtype=np.int64))
        number = ranks[column]
        if group is not None:
            in_group, number = np.unique(group * value.size + number, return_inverse=True)
            worth = worth[in_group % value.size]
        usable = worth[number] > 0
        cells[column, usable] = number[usable]
        weights.append(np.append(worth, 0))
    if group is not None:
        ranks[-1] = group
    order = record_classes(ranks)
    sides = []
    for start, stop in ((0, len(left)), (len(left), len(codes))):
        row = np.argsort(order[start:stop], kind="stable")
        sides.append(Side(row, cells[:, start + row]))
    unit = max(1, int(np.gcd.reduce(np.concatenate([np.zeros(1, dtype=np.int64), *weights]))))
    weights = [each // unit for each in weights]
    counting = len(weights) < 2**8 and all(each.max() <= 1 for each in weights)
    return Tables(sides[0], sides[1], tuple(weights), counting)


def _worth(value: IntArray, weight: IntArray | None) -> IntArray:
    """The weight of each value of a column; 0 for a negative code."""
    worth = np.zeros(value.size, dtype=np.int64)
    usable = value >= 0
    if weight is None:
        worth[usable] = 1
        return worth
    if weight.size and weight.min() < 0:
        raise ValueError(f"weights are at least 0, got {weight.min()}")
    if value.size and value[-1] >= weight.size:
        raise ValueError(f"code {value[-1]} has no weight: its column has {weight.size}")
    worth[usable] = weight[value[usable]]
    return worth


def kill_cells(tables: Tables) -> Tables:
    """Mark the cells whose value is on one side only; they can never agree."""
    sides = []
    for mine, other in ((tables.left, tables.right), (tables.right, tables.left)):
        cells = np.full_like(mine.cells, DEAD)
        for column, worth in enumerate(tables.weight):
            alive = np.zeros(worth.size, dtype=bool)
            alive[other.cells[column]] = True
            np.copyto(cells[column], mine.cells[column], where=alive[mine.cells[column]])
        sides.append(Side(mine.row, cells))
    return tables._replace(left=sides[0], right=sides[1])


def agreement(tables: Tables) -> npt.NDArray[np.uint8] | IntArray:
    """Left × right, the weight of the cells that agree."""
    shape = (tables.left.row.size, tables.right.row.size)
    # A dead cell must not equal a dead one.
    right = np.where(tables.right.cells == DEAD, DEAD - 1, tables.right.cells)
    if tables.counting:
        count = np.zeros(shape, dtype=np.uint8)
        equal = np.empty(shape, dtype=np.bool_)
        for mine, other in zip(tables.left.cells, right, strict=True):
            np.equal(mine[:, None], other, out=equal)
            np.add(count, equal.view(np.uint8), out=count)
        return count
    total = np.zeros(shape, dtype=np.int64)
    for mine, other, worth in zip(tables.left.cells, right, tables.weight, strict=True):
        total += (mine[:, None] == other[None, :]) * worth[mine][:, None]
    return total


def pair_weights(tables: Tables, left: IntArray, right: IntArray) -> IntArray:
    """The weight of the cells that agree, per pair of positions."""
    total = np.zeros(left.size, dtype=np.int64)
    for mine, other, worth in zip(tables.left.cells, tables.right.cells, tables.weight, strict=True):
        code = mine[left]
        total += np.where(code == other[right], worth[code], 0)
    return total
