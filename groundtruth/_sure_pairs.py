"""Pairs that every best pairing makes, found without comparing records.

Take records a and a', one of each side, and any pairing that does not pair them with one another but, say, a with b and
c with a'. It is compared with the pairing that makes the pairs (a, a') and (c, b) instead. In one column:

- a and a' agree. If b agrees with a and c with a', then b agrees with c: nothing is lost. If no other record of either
  side holds the value, neither agrees, and 1 is won.
- they differ. At most one cell is lost for a, if another right record holds its value, and one for a'.

A cell that accepts several readings is spread over columns, in each of which the right record has the same code. While
a and a' agree in it and no other reading of a is held by a right record, b agrees with a only in what a' has too, and
then with c if c agrees with a': nothing is lost. With another reading, at most one cell is lost. One is won if nobody
else holds the code or accepts it.

So when there are more columns in which the two agree on a value that nobody else holds than there are cells, of either,
in columns in which they differ and with a value that others hold, the exchange wins matched cells. Matched cells count
before any tie: the pair is part of every best pairing. If b or c do not exist, less is lost.

The argument for nested lists: if they match in all their features, pairings of the lists of b with a, of a with a' and
of a' with c compose to one of b with c, so nothing is lost, as in a column. Otherwise at most the features of a, and
those of a', that other records have are lost, and what the lists of a and a' match in is won.

Equal records of a class, that hold in some column a value nobody else holds: an exchange wins as long as one of each
side is paired with none of the class. So every best pairing pairs all of the side with fewer with records of the class.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from groundtruth._matching import Pairs
from groundtruth._nested import NestedLists
from groundtruth._records import Records
from groundtruth._tables import DEAD, BoolArray, Cells
from groundtruth.record_classes import IntArray, record_classes


class _Census(NamedTuple):
    """How many left and how many right records hold each value of each column, and each nested feature."""

    left: list[IntArray]
    right: list[IntArray]
    left_features: IntArray
    right_features: IntArray


def sure_pairs(records: Records) -> Pairs:
    """Positions of pairs that every best pairing makes; the records must be live."""
    census = _take_census(records)
    left, right = _candidates(records, census)
    margin = _flat_margin(records, census, left, right)
    if records.nested is not None:
        margin += _nested_margin(records, records.nested, census, left, right, margin)
    sure = margin > 0
    return Pairs(left[sure], right[sure])


class Classes(NamedTuple):
    """Classes of records that are equal in all that can match.

    Attributes:
        left, right: the class of each record; equal records of both sides have the same.
        counts: per class how many left and how many right records it has.
        closed: per class whether every best pairing pairs all of its left or all of its right records within it.
    """

    left: IntArray
    right: IntArray
    counts: tuple[IntArray, IntArray]
    closed: BoolArray


def equal_records(records: Records) -> Classes:
    """The classes of equal records; the records must be live."""
    cells = np.hstack([records.tables.left.cells, records.tables.right.cells])
    if records.nested is not None:
        content = [each[row] for each, row in zip(records.nested.content, records.rows, strict=True)]
        cells = np.vstack([cells, np.concatenate(content)])
    label = record_classes(cells) if cells.size else np.zeros(sum(records.shape), dtype=np.int64)
    left, right = label[: records.shape[0]], label[records.shape[0] :]
    size = int(label.max(initial=-1)) + 1
    counts = (np.bincount(left, minlength=size), np.bincount(right, minlength=size))
    census = _take_census(records)
    closed = np.zeros(size, dtype=bool)
    for mine, n_left, n_right in zip(records.tables.left.cells, census.left, census.right, strict=True):
        # The value is held by as many records as the class has: by all of it and by no other.
        own = (n_left[mine] == counts[0][left]) & (n_right[mine] == counts[1][left]) & (mine != DEAD)
        closed[left[own]] = True
    return Classes(left, right, counts, closed)


def _take_census(records: Records) -> _Census:
    def count(cells: Cells) -> list[IntArray]:
        sizes = (worth.size for worth in records.tables.weight)
        return [np.bincount(each[each != DEAD], minlength=size) for each, size in zip(cells, sizes, strict=True)]

    features: list[IntArray] = [np.zeros(0, dtype=np.int64)] * 2
    if records.nested is not None:
        sides = zip(records.nested.features, records.rows, strict=True)
        features = [np.asarray(each[row].sum(axis=0), dtype=np.int64) for each, row in sides]
    return _Census(count(records.tables.left.cells), count(records.tables.right.cells), *features)


def _candidates(records: Records, census: _Census) -> Pairs:
    """The pairs that share a value, or a nested feature, which no other record holds."""
    n_right = records.shape[1]
    found = []
    for mine, other, n_left, n_right_by_value in zip(
        records.tables.left.cells, records.tables.right.cells, census.left, census.right, strict=True
    ):
        own = (n_left == 1) & (n_right_by_value == 1)
        found.append(_joined(mine, other, own, n_right))
    if records.nested is not None:
        own = (census.left_features == 1) & (census.right_features == 1)
        holder = []
        for features, row in zip(records.nested.features, records.rows, strict=True):
            record, feature = features[row].tocoo().coords
            holder.append(np.full(own.size, -1, dtype=np.int64))
            holder[-1][feature] = record
        found.append(holder[0][own] * n_right + holder[1][own])
    pair = np.unique(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)
    return Pairs(*np.divmod(pair, max(1, n_right)))


def _joined(mine: IntArray, other: IntArray, own: BoolArray, n_right: int) -> IntArray:
    """The pairs, as numbers, of the one left and the one right record that hold an own value."""
    left = np.flatnonzero(own[mine] & (mine != DEAD))
    holder = np.zeros(own.size, dtype=np.int64)
    holder[other] = np.arange(other.size)
    return left * n_right + holder[mine[left]]


def _flat_margin(records: Records, census: _Census, left: IntArray, right: IntArray) -> IntArray:
    margin = np.zeros(left.size, dtype=np.int64)
    tables = records.tables
    for cell in range(int(records.cell.max(initial=-1)) + 1):
        agree, own = np.zeros(left.size, dtype=bool), np.zeros(left.size, dtype=bool)
        readings, held = np.zeros(left.size, dtype=np.int64), np.zeros(left.size, dtype=np.int64)
        for column in np.flatnonzero(records.cell == cell).tolist():
            a, b = tables.left.cells[column][left], tables.right.cells[column][right]
            equal = (a == b) & (a != DEAD)
            agree |= equal
            own |= equal & (census.left[column][a] == 1) & (census.right[column][a] == 1)
            readings += a != DEAD
            held += b != DEAD
        won = (own & (held == 1)).astype(np.int64)
        lost = np.where(agree, readings > 1, (readings > 0).astype(np.int64) + (held > 0))
        margin += won - lost
    return margin


def _nested_margin(
    records: Records, nested: NestedLists, census: _Census, left: IntArray, right: IntArray, flat: IntArray
) -> IntArray:
    """What the nested lists of each pair are sure to add to the margin; priced where that decides."""
    mine, other = (each[row] for each, row in zip(nested.features, records.rows, strict=True))
    alive = (census.left_features > 0) & (census.right_features > 0)
    common = mine[left].multiply(other[right]).tocsr()
    lost = (mine @ alive)[left] - common @ (census.right_features == 1)
    lost += (other @ alive)[right] - common @ (census.left_features == 1)
    rows = records.pairs(left, right)
    same = nested.content[0][rows.left] == nested.content[1][rows.right]
    bound = common.sum(axis=1)
    matched = np.where(same, bound, 0)
    open_ = ~same & (flat - lost <= 0) & (flat - lost + bound > 0)
    matched[open_] = nested.worth(rows.left[open_], rows.right[open_]).matched
    return np.where(same, np.maximum(matched - lost, 0), matched - lost)
