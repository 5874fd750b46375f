"""How much the cells of two rows say for or against their being the same row.

Record linkage in the manner of Fellegi and Sunter: each column adds the logarithm of how much likelier its cells are
between two readings of one row than between two different rows, in units of 1/960 bit (60 to a sixteenth of a bit, so
that a mean over up to five rows stays an integer).

- Cells of equal class say log2(1/f), f being the share of rows that have the class: a rare value says much, a common
  one little, one that all rows have almost nothing. Two nulls say as little as that.
- Cells of different classes say log2(1 - m) < 0, m being how often the one ballot's cells of the column recur in the
  other's, at most 15/16. A column that two ballots write in different formats recurs nowhere and says nothing.
- Where near texts are looked at (``near_texts``), cells whose texts are near say log2(1/f) less 2 bits, f being the
  share of rows whose text is equal or near, and nothing if that is negative: a misreading is rarer than a reading, and
  in a column of running numbers most texts are near to many.
- A null beside a value, and a cell without a class, say nothing.

Against a slot of several rows, what is said is the mean over those that have a value; a value that some row of the
slot has is not contradicted by the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from consensus.near_texts import Texts, near_pairs
from consensus.slots import Rows
from groundtruth.record_classes import IntArray, ranges

_STEP = 60
BIT = 16 * _STEP
_MOST_TRUSTED = 15 / 16
_MISREAD_BITS = 2


class NearClasses(NamedTuple):
    """Classes of one column with near texts.

    Attributes:
        code: rising.
        other: per code, a class that is near; rising for the same code.
        agree: by code, what is gained when a near class stands beside it.
        key: the pairs of code and other as single numbers.
    """

    code: IntArray
    other: IntArray
    agree: IntArray
    key: IntArray

    @classmethod
    def build(cls, code: IntArray, other: IntArray, agree: IntArray) -> NearClasses:
        """From the pairs by rising (code, other)."""
        return cls(code, other, agree, code * agree.size + other)

    def contains(self, code: IntArray, other: IntArray) -> npt.NDArray[np.bool_]:
        """Per pair of codes, whether they are near."""
        if not self.key.size:
            return np.zeros(code.size, dtype=bool)
        asked = np.maximum(code, 0) * self.agree.size + np.maximum(other, 0)
        found: npt.NDArray[np.bool_] = self.key[np.searchsorted(self.key[:-1], asked)] == asked
        return found

    def others(self, row: IntArray, code: IntArray) -> tuple[IntArray, IntArray]:
        """Each row with every class that is near to its code."""
        start, stop = np.searchsorted(self.code, code), np.searchsorted(self.code, code, side="right")
        return np.repeat(row, stop - start), self.other[ranges(start, stop)]


class Evidence(NamedTuple):
    """What the cells of one ballot say beside those of the others.

    Attributes:
        agree: per column, by code, what is gained when both have it; code 0 stands for two nulls.
        differ: ballots × columns, what is lost when the values differ.
        near: per column, the classes with near texts; empty when they are not looked at.
    """

    agree: tuple[IntArray, ...]
    differ: IntArray
    near: tuple[NearClasses, ...] = ()


def weigh_cells(rows: Rows, n_ballots: int) -> tuple[Evidence, ...]:
    """Per ballot, the evidence of its cells beside those of every ballot."""
    agree = []
    lost = np.zeros((n_ballots, n_ballots, rows.codes.shape[1]), dtype=np.int64)
    for column, code in enumerate(rows.codes.T):
        valued = code > 0
        size = int(code.max(initial=0)) + 1
        count = np.bincount(code[valued], minlength=size)
        bits = np.rint(-16 * np.log2(np.maximum(count, 1) / code.size)).astype(np.int64)
        bits[0] = 0
        agree.append(_STEP * np.maximum(bits, 1))
        lost[:, :, column] = _lost(
            np.stack(
                [np.bincount(code[valued & (rows.ballot == ballot)], minlength=size) for ballot in range(n_ballots)]
            )
        )
    return tuple(Evidence(tuple(agree), lost[ballot]) for ballot in range(n_ballots))


def _lost(count: IntArray) -> IntArray:
    """Ballots × ballots, from the ballots' counts of each class of a column."""
    total = count.sum(axis=1)
    # In float64 for speed; the counts are far below 2**53.
    recurring = count.astype(np.float64) @ (count > 0).astype(np.float64).T
    share = (recurring + 1) / (np.minimum(total[:, None], total[None, :]) + 2)
    bits = np.rint(-16 * np.log2(1 - np.minimum(share, _MOST_TRUSTED)))
    lost: IntArray = _STEP * bits.astype(np.int64)
    return lost


def weigh_rows(content: IntArray, places: IntArray, row: IntArray, place: IntArray, evidence: Evidence) -> IntArray:
    """Per pair of a row and a slot the evidence; 0 if no value agrees and no two are near.

    Args:
        content: columns × rows.
        places: columns × ballots × slots, negative where a slot has no row of the ballot.
        row: per pair, the row.
        place: per pair, the slot.
        evidence: of the rows' ballot.
    """
    total = np.zeros(row.size, dtype=np.int64)
    agrees, nearly = np.zeros(row.size, dtype=np.int64), np.zeros(row.size, dtype=np.int64)
    for column, (agree, mine, theirs) in enumerate(zip(evidence.agree, content, places, strict=True)):
        code = mine[row]
        value = code > 0
        same, close, read, loss = (np.zeros(row.size, dtype=np.int64) for _ in range(4))
        for other, lost in zip(theirs, evidence.differ[:, column].tolist(), strict=True):
            beside = other[place]
            same += beside == code
            read += np.where(value, beside > 0, beside == 0)
            loss += (beside > 0) * lost
            if evidence.near:
                close += evidence.near[column].contains(code, beside)
        known = np.maximum(code, 0)
        gain = np.where(code >= 0, agree[known] * same, 0)
        if evidence.near:
            gain = np.where((same == 0) & (close > 0), evidence.near[column].agree[known] * close, gain)
        total += np.where(same + close > 0, gain, np.where(value, -loss, 0)) // np.maximum(read, 1)
        agrees += value & (same > 0)
        nearly += value & (same == 0) & (close > 0)
    return np.where(2 * agrees + nearly >= 2, total, 0)


def with_near_texts(
    rows: Rows, evidence: tuple[Evidence, ...], content: IntArray, texts: Texts
) -> tuple[Evidence, ...]:
    """The evidence, in which texts near to those of ``content`` (columns × rows) count."""
    near = []
    for column, code in enumerate(rows.codes.T):
        classes, count = np.unique(code[code > 0], return_counts=True)
        wanted = np.flatnonzero(np.isin(classes, content[column]))
        if wanted.size:
            one, other = near_pairs([texts(column, each) for each in classes.tolist()], wanted)
        else:
            one = other = wanted
        alike = count + np.bincount(one, weights=count[other], minlength=count.size)
        bits = np.rint(-16 * (np.log2(alike / code.size) + _MISREAD_BITS)).astype(np.int64)
        agree = np.zeros(int(code.max(initial=0)) + 1, dtype=np.int64)
        agree[classes] = _STEP * np.maximum(bits, 0)
        near.append(NearClasses.build(classes[one], classes[other], agree))
    return tuple(each._replace(near=tuple(near)) for each in evidence)
