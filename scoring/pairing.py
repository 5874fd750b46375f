"""What the pairing of records needs to know, from keys: codes per column, and the features of nested lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from groundtruth.assignment import Features, IntArray

ABSENT = -1

Price = Callable[[IntArray, IntArray], tuple[IntArray, IntArray]]
"""The matched cells and the tie of pairs, as ``Nested`` asks for them."""


def column_codes(left: Sequence[Any], right: Sequence[Any]) -> tuple[IntArray, IntArray]:
    """Numbers for the keys of one column on both sides, by their order, so that they depend on content alone.

    A key that is None states nothing and agrees with nothing. Keys need only be ordered by ``repr`` when they are of
    several types.
    """
    distinct = {*left, *right} - {None}
    try:
        ordered = sorted(distinct)
    except TypeError:
        ordered = sorted(distinct, key=repr)
    number = dict(zip(ordered, range(len(ordered)), strict=True))
    number[None] = ABSENT
    found = tuple(np.fromiter(map(number.__getitem__, side), dtype=np.int64, count=len(side)) for side in (left, right))
    return found[0], found[1]


def equal_pairs(left: Sequence[tuple[Any, ...]], right: Sequence[tuple[Any, ...]]) -> list[tuple[int, int]]:
    """Indices of records that are equal in all cells, and in some column alone with their key.

    Every best pairing makes these pairs (``groundtruth/_sure_pairs.py`` has the proof), and to make them first spares
    most rows of a long list all that is needed to pair the others. The order of the others decides as it did.

    Args:
        left: the keys of each record, by column; None states nothing.
        right: the same of the other side.
    """
    places = {keys: at for at, keys in enumerate(right)}
    equal = [(at, places[keys]) for at, keys in enumerate(left) if keys in places]
    return pairs_alone(equal, zip(zip(*left, strict=True), zip(*right, strict=True), strict=False))


def pairs_alone(
    equal: Sequence[tuple[int, int]], columns: Iterable[tuple[Sequence[Hashable], Sequence[Hashable]]]
) -> list[tuple[int, int]]:
    """Of pairs of records that are equal in all cells, those that are alone with their key in some column.

    Args:
        equal: indices of records.
        columns: the keys of a column on both sides, one column after another; no more are asked for than are needed.
    """
    sure: list[tuple[int, int]] = []
    for mine, other in columns if equal else ():
        alone = keys_alone(mine) & keys_alone(other)
        sure += [pair for pair in equal if mine[pair[0]] in alone]
        equal = [pair for pair in equal if mine[pair[0]] not in alone]
        if not equal:
            break
    return sure


def keys_alone(keys: Iterable[Hashable]) -> set[Hashable]:
    """The keys that stand once; None, which states nothing, is none."""
    return {key for key, count in Counter(keys).items() if count == 1 and key is not None}


def features(left: Iterable[Iterable[Hashable]], right: Iterable[Iterable[Hashable]]) -> tuple[Features, Features]:
    """Per record one feature for each of its items, the first, second, and so on of equal items told apart."""
    number: dict[tuple[Hashable, int], int] = {}
    sides = []
    for side in (left, right):
        records: list[int] = []
        found: list[int] = []
        for record, items in enumerate(side):
            for item, count in Counter(items).items():
                for occurrence in range(count):
                    records.append(record)
                    found.append(number.setdefault((item, occurrence), len(number)))
        sides.append(Features(np.array(records, dtype=np.int64), np.array(found, dtype=np.int64)))
    return sides[0], sides[1]


def priced(worth: Callable[[int, int], tuple[int, int]]) -> Price:
    """What pairs of records are worth, asked for many at once, from what one pair is worth."""

    def price(left: IntArray, right: IntArray) -> tuple[IntArray, IntArray]:
        pairs = zip(left.tolist(), right.tolist(), strict=True)
        worths = np.array([worth(mine, other) for mine, other in pairs], dtype=np.int64).reshape(left.size, 2)
        return worths[:, 0], worths[:, 1]

    return price


def heaviest(weight: IntArray) -> list[tuple[int, int]]:
    """The pairing of greatest sum of a small table of weights; entries of 0 are never paired."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(weight, maximize=True)
    return [
        (row, column) for row, column in zip(rows.tolist(), columns.tolist(), strict=True) if weight[row, column] > 0
    ]


def others(size: int, taken: Iterable[int]) -> list[int]:
    """The indices below ``size`` that nothing took, rising."""
    known = set(taken)
    return [index for index in range(size) if index not in known]
