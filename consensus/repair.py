"""Repair of keys that a minority misread: once, one to one, and only where nothing speaks against it.

A slot that most ballots do not have joins a slot that most ballots have, if the latter lacks all its ballots, agrees
with each of its rows in at least two cells outside the key, conflicts in none, and is the only such slot. A slot of
several ballots joins only if, in addition, the keys are a near-miss. A cell agrees when some row of the slot has the
same class, and conflicts when it has a class, some row of the slot has one, and none is the same: a null or an
invalid cell does neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from consensus.near_texts import Texts, look_alike
from consensus.slots import NO_ROW, CellIndex, Rows, member_codes
from groundtruth.record_classes import IntArray

BoolArray = npt.NDArray[np.bool_]

_AGREEING_CELLS = 2
# Pairs of a row and a slot that are compared at once.
_CHUNK = 500_000


def near_miss(first: str, second: str) -> bool:
    """Whether two texts differ by one inserted, deleted or changed character, or only by 0/O, 1/I/l, 5/S and 8/B."""
    if first == second or look_alike(first) == look_alike(second):
        return True
    short, long = sorted((first, second), key=len)
    same = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(short) == len(long):
        return short[same + 1 :] == long[same + 1 :]
    return short[same:] == long[same + 1 :]


def repair(rows: Rows, slots: IntArray, identity: Sequence[int], n_voting: int, texts: Texts) -> IntArray:
    """Find the slots that join another one.

    Args:
        rows: all rows.
        slots: slots × ballots.
        identity: the key columns.
        n_voting: how many ballots take part in this array; more than half of them is a majority.
        texts: the text of a class of a column.

    Returns:
        Per slot, the slot that it joins, or -1.
    """
    size = (slots != NO_ROW).sum(axis=1)
    joins = np.full(len(slots), -1, dtype=np.int64)
    target = np.flatnonzero((2 * size > n_voting) & (size < n_voting))
    source = np.flatnonzero(2 * size <= n_voting)
    others = np.setdiff1d(np.arange(rows.codes.shape[1]), list(identity))
    if not target.size or not source.size or others.size < _AGREEING_CELLS:
        return joins
    fits = _fits(rows, slots, source, target, others)
    options = np.bincount(fits.source, minlength=len(slots))
    wishes = fits.take(options[fits.source] == 1)
    several = size[wishes.source] > 1
    near = np.array(
        [
            not many or _near_keys(rows, slots, a, b, identity, texts)
            for many, a, b in zip(several.tolist(), wishes.source.tolist(), wishes.target.tolist(), strict=True)
        ],
        dtype=bool,
    )
    wishes = wishes.take(near)
    granted = wishes.take(_prevails(slots, wishes))
    joins[granted.source] = granted.target
    return joins


class _Fits(NamedTuple):
    """Slots that may join others; ``agreeing`` counts the cells of the row that agrees least."""

    source: IntArray
    target: IntArray
    agreeing: IntArray

    def take(self, chosen: IntArray | BoolArray) -> _Fits:
        return _Fits(self.source[chosen], self.target[chosen], self.agreeing[chosen])


def _fits(rows: Rows, slots: IntArray, source: IntArray, target: IntArray, columns: IntArray) -> _Fits:
    """Every source with every target that all its rows agree with, and that has none of its ballots."""
    codes = member_codes(rows, slots[target])[:, :, columns]
    of_slot, ballot = np.nonzero(slots[source] != NO_ROW)
    mine = rows.codes[slots[source[of_slot], ballot]][:, columns]
    found = []
    for row, candidate in _candidates(mine, codes):
        agreeing = _agreeing(mine[row], codes[candidate])
        enough = agreeing >= _AGREEING_CELLS
        found.append(np.stack([of_slot[row[enough]], candidate[enough], agreeing[enough]]))
    pair = np.hstack(found) if found else np.zeros((3, 0), dtype=np.int64)
    key = pair[0] * target.size + pair[1]
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(key[order]) != 0)[: key.size])
    if not starts.size:
        return _Fits(*np.zeros((3, 0), dtype=np.int64))
    fits = _Fits(
        source[pair[0][order[starts]]], target[pair[1][order[starts]]], np.minimum.reduceat(pair[2][order], starts)
    )
    rows_fitting = np.diff(np.append(starts, key.size))
    held = slots != NO_ROW
    apart = ~(held[fits.source] & held[fits.target]).any(axis=1)
    return fits.take(apart & (rows_fitting == held[fits.source].sum(axis=1)))


def _candidates(mine: IntArray, codes: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Pairs of a row and a slot that may fit, in chunks.

    A slot that conflicts nowhere has, in each column in which the row has a class, the same class or none. So the
    column in which fewest slots do serves to find them all.
    """
    indexes = [CellIndex.build(codes[:, :, j]) for j in range(mine.shape[1])]
    without = [np.flatnonzero((codes[:, :, j] <= 0).all(axis=1)) for j in range(mine.shape[1])]
    cost = np.stack([index.frequency(mine[:, j]) + without[j].size for j, index in enumerate(indexes)])
    cost[mine.T <= 0] = len(codes) + 1
    column = cost.argmin(axis=0)
    usable = np.flatnonzero((mine > 0).sum(axis=1) >= _AGREEING_CELLS)
    for j, index in enumerate(indexes):
        row = usable[column[usable] == j]
        cut = np.flatnonzero(np.diff(np.cumsum(cost[j, row]) // _CHUNK)) + 1
        for part in np.split(row, cut):
            yield index.find(part, mine[part, j])
            yield np.repeat(part, without[j].size), np.tile(without[j], part.size)


def _agreeing(mine: IntArray, codes: IntArray) -> IntArray:
    """Per pair, how many cells agree; -1 if one conflicts."""
    same = (codes == mine[:, None]).any(axis=1) & (mine > 0)
    conflict = (mine > 0) & (codes > 0).any(axis=1) & ~same
    return np.where(conflict.any(axis=1), -1, same.sum(axis=1))


def _near_keys(rows: Rows, slots: IntArray, first: int, second: int, identity: Sequence[int], texts: Texts) -> bool:
    """Whether each component of the keys is equal, or has texts that are a near-miss."""
    keys = [rows.codes[slots[slot].max(), list(identity)].tolist() for slot in (first, second)]
    return all(
        a == b or (a > 0 and b > 0 and near_miss(texts(column, a), texts(column, b)))
        for column, a, b in zip(identity, *keys, strict=True)
    )


def _prevails(slots: IntArray, wishes: _Fits) -> BoolArray:
    """Per wish, whether it agrees in more cells than every other wish for the same slot that shares a ballot."""
    wins = np.ones(wishes.source.size, dtype=bool)
    order = np.argsort(wishes.target, kind="stable")
    cut = np.flatnonzero(np.diff(wishes.target[order])) + 1
    for rivals in np.split(order, cut):
        for k in rivals if rivals.size > 1 else ():
            held = slots[wishes.source[k]] != NO_ROW
            shared = (held & (slots[wishes.source[rivals]] != NO_ROW)).any(axis=1)
            shared[rivals == k] = False
            wins[k] = not (shared & (wishes.agreeing[rivals] >= wishes.agreeing[k])).any()
    return wins
