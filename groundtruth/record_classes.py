"""Number records by content: equal records get an equal number, and the numbers follow the order of the content."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]


def record_classes(columns: npt.NDArray[np.integer]) -> IntArray:
    """Per record a number from 0, equal for equal records, in lexicographic order of the records.

    Args:
        columns: columns × records of integers.
    """
    key: IntArray = np.zeros(columns.shape[1], dtype=np.int64)
    size = 1
    if not key.size:
        return key
    for column in columns:
        if int(column.max()) - int(column.min()) >= 2**31:
            column = np.unique(column, return_inverse=True)[1]
        least = int(column.min())
        width = int(column.max()) - least + 1
        if size * width >= 2**62:
            distinct, inverse = np.unique(key, return_inverse=True)
            key, size = inverse.astype(np.int64), distinct.size
        key = key * width + (column - least)
        size *= width
    return np.unique(key, return_inverse=True)[1].astype(np.int64)


def zip_classes(left: IntArray, right: IntArray) -> tuple[IntArray, IntArray]:
    """Pair the first left record of a class with the first right one, the second with the second, and so on.

    Args:
        left: the class of each left record, from 0.
        right: the class of each right record, of the same numbering.

    Returns:
        Positions in ``left`` and in ``right``, pair by pair, by rising class.
    """
    size = max(int(left.max(initial=-1)), int(right.max(initial=-1))) + 1
    counts = [np.bincount(side, minlength=size) for side in (left, right)]
    common = np.minimum(*counts)
    picked = []
    for side, count in zip((left, right), counts, strict=True):
        order = np.argsort(side, kind="stable")
        rank = np.arange(side.size) - (np.cumsum(count) - count)[side[order]]
        picked.append(order[rank < common[side[order]]])
    return picked[0], picked[1]


def ranges(start: IntArray, stop: IntArray) -> IntArray:
    """The numbers of ``range(start[0], stop[0])``, then those of ``range(start[1], stop[1])``, and so on."""
    length = stop - start
    return np.arange(int(length.sum()), dtype=np.int64) + np.repeat(stop - np.cumsum(length), length)
