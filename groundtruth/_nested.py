"""Nested lists of records to be paired: what bounds their worth in a pair, and their exact worth, priced once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groundtruth._tables import BoolArray
from groundtruth.record_classes import IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Features(NamedTuple):
    """What the nested lists of the records of one side hold: one entry per record and feature, none twice.

    Attributes:
        record: the index of the record.
        feature: a number of at least 0, of the same numbering on both sides.
    """

    record: IntArray
    feature: IntArray


class Nested(NamedTuple):
    """What nested lists add to a pair of records; a left and a right entry in every tuple.

    Attributes:
        features: bounds the matched cells of a pair: the nested lists of two records match in at most as many cells as
            the two have features in common. A natural choice is one feature "(nested column, value, k-th occurrence in
            this record)" per cell that can agree.
        content: per record a number of at least 0, equal only for records whose nested lists are worth the same,
            matched cells and tie, in every pair, and which match each other in all their features. When in doubt, as
            where places in a document decide ties, give different numbers, in an order of contents.
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


class NestedLists:
    """The nested lists of both sides. Records are named by the index the caller gave them.

    Attributes:
        content: the content number of every left and of every right record.
        most_tie: the most each can add to a tie.
        features: records × features of either side, 1 where the record has the feature.
    """

    def __init__(self, sizes: tuple[int, int], nested: Nested) -> None:
        """Check the sizes.

        Raises:
            ValueError: as many contents or greatest ties as there are records are needed, and features of records.
        """
        self._n_right = sizes[1]
        self.content = _per_record(sizes, nested.content, "contents of nested lists")
        self.most_tie = _per_record(sizes, nested.most_tie, "greatest ties of nested lists")
        self.features = _incidence(sizes, nested.features)
        self._price = nested.price
        self._key = np.zeros(0, dtype=np.int64)
        self._worth = Worth(self._key, self._key)

    def worth(self, left: IntArray, right: IntArray) -> Worth:
        """The exact worth of the nested lists of each pair; no pair is priced twice."""
        wanted = left * self._n_right + right
        unknown = np.unique(wanted[~_contains(self._key, wanted)])
        if unknown.size:
            key = np.concatenate([self._key, unknown])
            order = np.argsort(key, kind="stable")
            priced = self._price(*np.divmod(unknown, self._n_right))
            self._worth = Worth(*(np.concatenate(each)[order] for each in zip(self._worth, priced, strict=True)))
            self._key = key[order]
        place = np.searchsorted(self._key, wanted)
        return Worth(self._worth.matched[place], self._worth.tie[place])

    def is_priced(self, left: IntArray, right: IntArray) -> BoolArray:
        """Whether the exact worth of a pair is known."""
        return _contains(self._key, left * self._n_right + right)

    def tie_bound(self, left: IntArray, right: IntArray) -> IntArray:
        """The most the nested lists of a pair can add to its tie; the arrays are broadcast."""
        return np.minimum(self.most_tie[0][left], self.most_tie[1][right])


def _contains(keys: IntArray, wanted: IntArray) -> BoolArray:
    if not keys.size:
        return np.zeros(wanted.size, dtype=bool)
    return np.asarray(keys[np.minimum(np.searchsorted(keys, wanted), keys.size - 1)] == wanted)


def _per_record(sizes: tuple[int, int], arrays: tuple[IntArray, IntArray], name: str) -> tuple[IntArray, IntArray]:
    left, right = (np.asarray(each, dtype=np.int64) for each in arrays)
    if (left.shape, right.shape) != ((sizes[0],), (sizes[1],)):
        raise ValueError(f"{sizes[0]} and {sizes[1]} records need as many {name}, got {left.shape} and {right.shape}")
    return left, right


def _incidence(sizes: tuple[int, int], features: tuple[Features, Features]) -> tuple[csr_array, csr_array]:
    from scipy.sparse import csr_array

    width = max((int(np.max(each.feature, initial=-1)) for each in features), default=-1) + 1
    sides = []
    for size, each in zip(sizes, features, strict=True):
        record, feature = (np.asarray(array, dtype=np.int64) for array in each)
        if record.shape != feature.shape or record.ndim != 1:
            raise ValueError(f"features need two arrays of one length, got {record.shape} and {feature.shape}")
        if record.size and (record.min() < 0 or record.max() >= size or feature.min() < 0):
            raise ValueError(f"a feature is negative, or belongs to none of the {size} records of its side")
        sides.append(csr_array((np.ones(record.size, dtype=np.int32), (record, feature)), shape=(size, width)))
    return sides[0], sides[1]
