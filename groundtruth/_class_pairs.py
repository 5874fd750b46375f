"""Exact pairing of many records of few kinds: a transport problem between classes of equal records."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from groundtruth._matching import Pairs
from groundtruth._records import Records
from groundtruth._tables import Cells
from groundtruth._ties import Words
from groundtruth.record_classes import IntArray, ranges, record_classes

# The transport problem is solved when classes hold this many records on average, and few pairs of classes match.
_MEMBERS = 4
_CLASS_PAIRS = 2_000_000
_MATCHING_PAIRS = 200_000


class _Kinds(NamedTuple):
    """Per class of one side the positions of its records, laid end to end.

    Attributes:
        member: positions, class by class.
        size: per class how many.
    """

    member: IntArray
    size: IntArray

    @property
    def first(self) -> IntArray:
        """Where each class starts in ``member``."""
        return np.cumsum(self.size) - self.size


def solve_classes(records: Records) -> Pairs | None:
    """The best pairing, as positions; None when records are not of few kinds, or pairs of them have a bonus.

    Records of a class are worth the same in every pair, so only how many are paired between each two classes counts.
    That is a linear program with integral corners. Its answer is rounded to integers and proven: prices of at least 0
    per record of a class, no two of which are below the weight of a pair of theirs, sum over all records to the weight
    of the pairing. None is also returned if the proof fails.
    """
    if records.nested is not None or records.ties.bonus_within(*records.rows)[0].size:
        return None
    words = (None, None) if records.ties.words is None else records.ties.words
    left, right = (
        _kinds(side.cells, None if word is None else word[side.row])
        for side, word in zip((records.tables.left, records.tables.right), words, strict=True)
    )
    few = left.size.size * right.size.size <= _CLASS_PAIRS
    if not few or _MEMBERS * max(left.size.size, right.size.size) > min(records.shape):
        return None
    worth = records.take(left.member[left.first], right.member[right.first]).worth_block()
    weight = worth.matched * (records.tie_bound() + 1) + worth.tie
    if np.count_nonzero(weight) > _MATCHING_PAIRS:
        return None
    flow = _transport(weight, left.size, right.size)
    return None if flow is None else _expanded(flow, left, right)


def _kinds(cells: Cells, words: Words | None) -> _Kinds:
    columns = cells if words is None else np.vstack([cells, words.view(np.int64).T])
    label = record_classes(columns)
    return _Kinds(np.argsort(label, kind="stable"), np.bincount(label))


def _transport(weight: IntArray, supply: IntArray, demand: IntArray) -> tuple[IntArray, IntArray, IntArray] | None:
    """Pairs of classes with how many of their records are paired, for the greatest weight; None without proof."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    row, column = np.nonzero(weight)
    n_left, n_right = weight.shape
    once = np.ones(2 * row.size)
    ends = (np.concatenate([row, n_left + column]), np.tile(np.arange(row.size), 2))
    # The stubs of linprog know of no sparse constraints.
    limits: Any = coo_array((once, ends), shape=(n_left + n_right, row.size)).tocsr()
    limit = np.concatenate([supply, demand])
    result = linprog(-weight[row, column].astype(np.float64), A_ub=limits, b_ub=limit, method="highs-ds")
    if result.x is None:
        return None
    flow = np.rint(result.x).astype(np.int64)
    price = np.rint(-result.ineqlin.marginals).astype(np.int64)
    fits = (limits @ flow <= limit).all() and flow.min(initial=0) >= 0 and price.min(initial=0) >= 0
    proves = (price[:n_left, None] + price[n_left:] >= weight).all()
    if not (fits and proves and int(price @ limit) == int(weight[row, column] @ flow)):
        return None
    used = flow > 0
    return row[used], column[used], flow[used]


def _expanded(flow: tuple[IntArray, IntArray, IntArray], left: _Kinds, right: _Kinds) -> Pairs:
    """Each class hands out its records in order."""
    row, column, size = flow
    ends = []
    for kinds, label in ((left, row), (right, column)):
        order = np.argsort(label, kind="stable")
        handed = np.cumsum(size[order]) - size[order]
        start = np.zeros(label.size, dtype=np.int64)
        # What earlier classes handed out in all does not count against a class.
        before = handed[np.searchsorted(label[order], label[order])]
        start[order] = kinds.first[label[order]] + handed - before
        ends.append(kinds.member[ranges(start, start + size)])
    return Pairs(ends[0], ends[1])
