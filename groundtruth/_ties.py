"""What decides between pairings that match in equally many cells: addresses that both records hold, and bonuses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from groundtruth._matching import Pairs
from groundtruth._tables import BoolArray
from groundtruth.record_classes import IntArray, ranges

Words = npt.NDArray[np.uint64]
_WORD = 64
# Below this many pairs bonuses are looked up pair by pair.
_FEW_PAIRS = 4096


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


class Ties:
    """The ties of pairs. Records are named by the index the caller gave them.

    Attributes:
        words: records × words of either side, a bit per address that the record holds; None when no address counts.
        most: per left and per right record the most its tie can be.
        has_bonus: per left and per right record whether a pair of it has a bonus.
    """

    def __init__(
        self, sizes: tuple[int, int], presence: tuple[BoolArray, BoolArray] | None, bonus: Bonus | None
    ) -> None:
        """Pack the addresses and sum the bonuses.

        Raises:
            ValueError: presence that does not fit the records, or a bonus that is negative or names no pair.
        """
        self._n_right = max(1, sizes[1])
        self._key, self._weight = _summed(sizes, bonus)
        self.words = None if presence is None else _packed(sizes, presence)
        self.most = (np.zeros(sizes[0], dtype=np.int64), np.zeros(sizes[1], dtype=np.int64))
        for side, ends in enumerate(self.bonus_pairs()):
            np.maximum.at(self.most[side], ends, self._weight)
        self.has_bonus = (self.most[0] > 0, self.most[1] > 0)
        for side, words in enumerate(self.words or ()):
            self.most[side][:] += np.bitwise_count(words).sum(axis=1, dtype=np.int64)

    def bonus_pairs(self) -> Pairs:
        """The pairs with a bonus, by rising (left, right)."""
        return Pairs(*np.divmod(self._key, self._n_right))

    def of_pairs(self, left: IntArray, right: IntArray) -> IntArray:
        """The tie of each pair."""
        tie = np.zeros(left.size, dtype=np.int64)
        if self._key.size:
            wanted = left * self._n_right + right
            place = np.minimum(np.searchsorted(self._key, wanted), self._key.size - 1)
            np.copyto(tie, self._weight[place], where=self._key[place] == wanted)
        for mine, other in zip(*self._columns(), strict=True):
            tie += np.bitwise_count(mine[left] & other[right])
        return tie

    def of_block(self, left: IntArray, right: IntArray) -> IntArray:
        """Left × right, the tie of all pairs."""
        if left.size * right.size <= _FEW_PAIRS:
            return self.of_pairs(np.repeat(left, right.size), np.tile(right, left.size)).reshape(left.size, right.size)
        tie = np.zeros((left.size, right.size), dtype=np.int64)
        if self._key.size:
            row, column, weight = self.bonus_within(left, right)
            tie[row, column] = weight
        for mine, other in zip(*self._columns(), strict=True):
            tie += np.bitwise_count(mine[left][:, None] & other[right])
        return tie

    def bonus_within(self, left: IntArray, right: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Positions in ``left`` and in ``right``, and the weight, of the pairs with a bonus among these records."""
        place = np.full(self._n_right, -1, dtype=np.int64)
        place[right] = np.arange(right.size)
        start = np.searchsorted(self._key, left * self._n_right)
        stop = np.searchsorted(self._key, (left + 1) * self._n_right)
        entry = ranges(start, stop)
        row, column = np.repeat(np.arange(left.size), stop - start), place[self._key[entry] % self._n_right]
        inside = column >= 0
        return row[inside], column[inside], self._weight[entry[inside]]

    def _columns(self) -> tuple[Words, Words]:
        """Words × records of either side."""
        if self.words is None:
            none = np.zeros((0, 0), dtype=np.uint64)
            return none, none
        return self.words[0].T, self.words[1].T


def _packed(sizes: tuple[int, int], presence: tuple[BoolArray, BoolArray]) -> tuple[Words, Words]:
    if tuple(map(len, presence)) != sizes or presence[0].shape[1:] != presence[1].shape[1:]:
        raise ValueError(f"{sizes[0]} and {sizes[1]} records need as many rows of presence over the same addresses")
    packed = []
    for each in presence:
        bits = np.packbits(np.pad(each, ((0, 0), (0, -each.shape[1] % _WORD))), axis=1)
        packed.append(np.ascontiguousarray(bits).view(np.uint64))
    return packed[0], packed[1]


def _summed(sizes: tuple[int, int], bonus: Bonus | None) -> tuple[IntArray, IntArray]:
    """The pairs with a bonus, as sorted numbers ``left * n_right + right``, and their weight."""
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
