"""Records to be paired: cells in canonical order, and what else a pair is worth beside the cells that agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from groundtruth._matching import Pairs
from groundtruth._tables import DEAD, BoolArray, Side, Tables, agreement, pair_weights
from groundtruth.record_classes import IntArray, record_classes

Words = npt.NDArray[np.uint64]
_WORD = 64


class Features(NamedTuple):
    """What the nested lists of the records of one side hold: one entry per record and feature, none twice.

    Attributes:
        record: the index of the record.
        feature: a number of at least 0, of the same numbering on both sides.
    """

    record: IntArray
    feature: IntArray


class Bonus(NamedTuple):
    """What single pairs are worth as a tie; the entries of one pair are added up, any other pair is worth 0.

    Attributes:
        left: per entry the index of the left record.
        right: per entry the index of the right record.
        weight: per entry an integer of at least 0.
    """

    left: IntArray
    right: IntArray
    weight: IntArray


class Nested(NamedTuple):
    """What nested lists add to a pair of records; a left and a right entry in every tuple.

    Attributes:
        features: bounds the matched cells of a pair: the nested lists of two records match in at most as many cells as
            the two have features in common. A natural choice is one feature "(nested column, value, k-th occurrence in
            this record)" per cell that can agree.
        content: per record a number of at least 0, equal only for records whose nested lists are worth the same in
            every pair, and which match each other in all their features. When in doubt, give different numbers.
        most_tie: per record the most its nested lists can add to the tie of a pair.
        price: the exact (matched, tie) of the nested lists of given pairs: two arrays of record indices to two arrays.
    """

    features: tuple[Features, Features]
    content: tuple[IntArray, IntArray]
    most_tie: tuple[IntArray, IntArray]
    price: Callable[[IntArray, IntArray], tuple[IntArray, IntArray]]


class Worth(NamedTuple):
    """Per pair: the cells that match, and what decides between pairings that match in equally many."""

    matched: IntArray
    tie: IntArray


class Ties:
    """What pairs are worth beside their cells. Records are named by the index the caller gave them."""

    def __init__(
        self,
        sizes: tuple[int, int],
        presence: tuple[BoolArray, BoolArray] | None,
        bonus: Bonus | None,
        nested: Nested | None,
    ) -> None:
        self.sizes = sizes
        self.words = None if presence is None else _packed(sizes, presence)
        self.nested = nested
        self._key, self._weight = _summed(sizes, bonus)
        self._priced = (np.zeros(0, dtype=np.int64), Worth(*(np.zeros(0, dtype=np.int64),) * 2))

    @property
    def none(self) -> bool:
        """Whether no tie can be above 0."""
        return self.words is None and not self._key.size and self.nested is None

    def bonus_pairs(self) -> Pairs:
        """The pairs with a bonus, by rising (left, right)."""
        return Pairs(*np.divmod(self._key, max(1, self.sizes[1])))

    def most(self) -> tuple[IntArray, IntArray]:
        """Per left and per right record the most its tie can be."""
        most = (np.zeros(self.sizes[0], dtype=np.int64), np.zeros(self.sizes[1], dtype=np.int64))
        for best, ends in zip(most, self.bonus_pairs(), strict=True):
            np.maximum.at(best, ends, self._weight)
        for side, best in enumerate(most):
            if self.words is not None:
                best += np.bitwise_count(self.words[side]).sum(axis=1, dtype=np.int64)
            if self.nested is not None:
                best += self.nested.most_tie[side]
        return most

    def bonus(self, left: IntArray, right: IntArray) -> IntArray:
        """The bonus of each pair."""
        return _looked_up(self._key, self._weight, left * self.sizes[1] + right)

    def flat(self, left: IntArray, right: IntArray) -> IntArray:
        """The tie of each pair without that of nested lists."""
        tie = self.bonus(left, right) if self._key.size else np.zeros(left.size, dtype=np.int64)
        if self.words is not None:
            for mine, other in zip(self.words[0].T, self.words[1].T, strict=True):
                tie += np.bitwise_count(mine[left] & other[right])
        return tie

    def flat_block(self, left: IntArray, right: IntArray) -> IntArray:
        """Left × right, the tie of each pair without that of nested lists."""
        tie = np.zeros((left.size, right.size), dtype=np.int64)
        if self._key.size:
            row, column, weight = self._bonus_within(left, right)
            tie[row, column] = weight
        if self.words is not None:
            for mine, other in zip(self.words[0].T, self.words[1].T, strict=True):
                tie += np.bitwise_count(mine[left][:, None] & other[right])
        return tie

    def _bonus_within(self, left: IntArray, right: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Positions in ``left`` and ``right``, and the weight, of the pairs with a bonus."""
        place = np.full(self.sizes[1], -1, dtype=np.int64)
        place[right] = np.arange(right.size)
        n_right = self.sizes[1]
        start, stop = np.searchsorted(self._key, left * n_right), np.searchsorted(self._key, (left + 1) * n_right)
        entry = np.concatenate([np.arange(a, b) for a, b in zip(start, stop, strict=True)] or [start])
        row = np.repeat(np.arange(left.size), stop - start)
        column = place[self._key[entry] % n_right]
        inside = column >= 0
        return row[inside], column[inside], self._weight[entry[inside]]

    def nested_worth(self, left: IntArray, right: IntArray) -> Worth:
        """The exact worth of the nested lists of each pair; no pair is priced twice."""
        if self.nested is None:
            return Worth(*(np.zeros(left.size, dtype=np.int64),) * 2)
        wanted = left * self.sizes[1] + right
        key, worth = self._priced
        unknown = np.setdiff1d(wanted, key)
        if unknown.size:
            priced = self.nested.price(*np.divmod(unknown, self.sizes[1]))
            order = np.argsort(np.concatenate([key, unknown]), kind="stable")
            key = np.concatenate([key, unknown])[order]
            worth = Worth(*(np.concatenate(each)[order] for each in zip(worth, priced, strict=True)))
            self._priced = (key, worth)
        place = np.searchsorted(key, wanted)
        return Worth(worth.matched[place], worth.tie[place])

    def is_priced(self, left: IntArray, right: IntArray) -> BoolArray:
        """Whether the nested lists of a pair were priced."""
        return np.isin(left * self.sizes[1] + right, self._priced[0])


class Records(NamedTuple):
    """Two lists of records; positions in the tables are in canonical order."""

    tables: Tables
    ties: Ties

    def take(self, left: IntArray, right: IntArray) -> Records:
        """The records at these positions."""
        return self._replace(tables=self.tables.take(left, right))

    @property
    def shape(self) -> tuple[int, int]:
        """How many left and right records there are."""
        return self.tables.left.row.size, self.tables.right.row.size

    def pairs(self, left: IntArray, right: IntArray) -> Pairs:
        """Pairs of positions as pairs of the caller's indices."""
        return Pairs(self.tables.left.row[left], self.tables.right.row[right])

    def worth(self, left: IntArray, right: IntArray) -> Worth:
        """The exact worth of pairs of positions."""
        rows = self.pairs(left, right)
        nested = self.ties.nested_worth(*rows)
        matched = pair_weights(self.tables, left, right) + nested.matched
        return Worth(matched, np.where(matched > 0, self.ties.flat(*rows) + nested.tie, 0))

    def worth_block(self) -> Worth:
        """Left × right, the exact worth of all pairs."""
        left, right = self.tables.left.row, self.tables.right.row
        matched = agreement(self.tables).astype(np.int64)
        tie = self.ties.flat_block(left, right)
        if self.ties.nested is not None:
            nested = self.ties.nested_worth(np.repeat(left, right.size), np.tile(right, left.size))
            matched += nested.matched.reshape(matched.shape)
            tie += nested.tie.reshape(tie.shape)
        tie[matched == 0] = 0
        return Worth(matched, tie)


def build_records(
    left: IntArray,
    right: IntArray,
    presence: tuple[BoolArray, BoolArray] | None,
    bonus: Bonus | None,
    nested: Nested | None,
    rank: tuple[IntArray, IntArray] | None,
) -> Records:
    """Number the values of each column afresh, and bring the records into canonical order.

    Raises:
        ValueError: tables, presence, ranks or nested lists of different size, or a bonus that fits no pair.
    """
    if left.ndim != 2 or right.ndim != 2 or left.shape[1] != right.shape[1]:
        raise ValueError(f"tables need the same columns, got {left.shape} and {right.shape}")
    sizes = (len(left), len(right))
    ties = Ties(sizes, presence, bonus, nested)
    codes = np.concatenate([left, right])
    cells = np.full(codes.shape[::-1], DEAD, dtype=np.int32)
    keys = [] if rank is None else [_per_record(sizes, rank, "ranks")]
    weights = []
    for column, code in enumerate(codes.T):
        value, number = np.unique(code, return_inverse=True)
        usable = code >= 0
        cells[column, usable] = number[usable]
        keys.append(number)
        weights.append(np.append((value >= 0).astype(np.int64), 0))
    if ties.words is not None:
        keys.extend(np.concatenate(ties.words).view(np.int64).T)
    if nested is not None:
        keys.append(_per_record(sizes, nested.content, "nested contents"))
    order = record_classes(np.stack(keys)) if keys else np.zeros(len(codes), dtype=np.int64)
    sides = []
    for start, stop in ((0, len(left)), (len(left), len(codes))):
        row = np.argsort(order[start:stop], kind="stable")
        sides.append(Side(row, cells[:, start + row]))
    return Records(Tables(sides[0], sides[1], tuple(weights), len(weights) < 2**8), ties)


def _per_record(sizes: tuple[int, int], arrays: tuple[IntArray, IntArray], name: str) -> IntArray:
    if tuple(each.shape for each in arrays) != ((sizes[0],), (sizes[1],)):
        raise ValueError(f"{sizes[0]} and {sizes[1]} records need as many {name}")
    return np.concatenate([np.asarray(each, dtype=np.int64) for each in arrays])


def _packed(sizes: tuple[int, int], presence: tuple[BoolArray, BoolArray]) -> tuple[Words, Words]:
    """Rows × words: the bits of the addresses that each record holds."""
    if tuple(map(len, presence)) != sizes or presence[0].shape[1:] != presence[1].shape[1:]:
        raise ValueError(f"{sizes[0]} and {sizes[1]} records need as many rows of presence over the same addresses")
    packed = []
    for each in presence:
        bits = np.packbits(np.pad(each, ((0, 0), (0, -each.shape[1] % _WORD))), axis=1)
        packed.append(np.ascontiguousarray(bits).view(np.uint64))
    return packed[0], packed[1]


def _summed(sizes: tuple[int, int], bonus: Bonus | None) -> tuple[IntArray, IntArray]:
    """Sorted numbers of the pairs with a bonus, and their weight."""
    if bonus is None:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    left, right, weight = (np.asarray(each, dtype=np.int64) for each in bonus)
    if not left.shape == right.shape == weight.shape or left.ndim != 1:
        raise ValueError(f"a bonus needs three arrays of one length, got {left.shape}, {right.shape}, {weight.shape}")
    if not left.size:
        return left, weight
    if left.min() < 0 or left.max() >= sizes[0] or right.min() < 0 or right.max() >= sizes[1]:
        raise ValueError(f"a bonus leaves the {sizes[0]} left or the {sizes[1]} right records")
    if weight.min() < 0:
        raise ValueError(f"a bonus is at least 0, got {weight.min()}")
    pair = left * sizes[1] + right
    order = np.argsort(pair, kind="stable")
    first = np.flatnonzero(np.diff(pair[order], prepend=-1))
    total = np.add.reduceat(weight[order], first)
    return pair[order][first][total > 0], total[total > 0]


def _looked_up(keys: IntArray, values: IntArray, wanted: IntArray) -> IntArray:
    """The value of each wanted key, 0 where there is none."""
    place = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
    return np.where(keys[place] == wanted, values[place], 0)
