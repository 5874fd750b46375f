"""How much the cells of two rows say for or against their being the same row.

Record linkage in the manner of Fellegi and Sunter: each column adds the logarithm of how much likelier its cells are
between two readings of one row than between two different rows, in units of 1/960 bit (60 to a sixteenth of a bit, so
that a mean over up to five rows stays an integer).

- Cells of equal class say log2(1/u), u being how often a different row of a ballot that has the class has it too. It
  is counted in the ballots themselves, for each class, and drawn towards the rate of the whole column by one row a
  ballot: a name that stands once among names that all differ says much, a lone 2 among ones less, a value that every
  row has nothing. Two nulls say next to nothing.
- Cells of different classes say log2(1 - m) < 0, m being how often the one ballot's cells of the column recur in the
  other's, at most 15/16. A column that two ballots write in different formats recurs nowhere and says nothing.
- Where near texts are looked at (``near_texts``), cells whose texts are near say log2(1/u) less 2 bits, and nothing if
  that is negative: u now counts rows whose text is equal or near, so that running numbers, most of which are near to
  many, say little; and a misreading is rarer than a reading.
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
# The share of cells that are read alike is not taken to be higher.
_MOST_TRUSTED = 15 / 16
# However rare equal cells are among different rows, misreadings make some.
_LEAST_RATE = 2**-10
# In sixteenths of a bit: how much rarer a misreading is than a reading.
_MISREAD = 32
# Evidence that outweighs no odds.
_NONE = -(2**50)


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
    for column in range(rows.codes.shape[1]):
        count = _counts(rows, column, n_ballots)
        agree.append(_STEP * np.maximum(1, _said(count, count, _sizes(rows, n_ballots))))
        lost[:, :, column] = _lost(count)
    return tuple(Evidence(tuple(agree), lost[ballot]) for ballot in range(n_ballots))


def _sizes(rows: Rows, n_ballots: int) -> IntArray:
    return np.bincount(rows.ballot, minlength=n_ballots)


def _counts(rows: Rows, column: int, n_ballots: int) -> IntArray:
    """Ballots × classes of the column: in how many rows each stands; 0 for nulls."""
    code = rows.codes[:, column]
    size = rows.given[column].size
    value = code > 0
    return np.bincount(rows.ballot[value] * size + code[value], minlength=n_ballots * size).reshape(n_ballots, size)


def _said(own: IntArray, alike: IntArray, sizes: IntArray) -> IntArray:
    """Per class, in sixteenths of a bit, how rare it is that a different row of a ballot is alike.

    Args:
        own: ballots × classes, the rows that have the class.
        alike: ballots × classes, the rows that are alike to the class, its own included.
        sizes: per ballot, its rows.
    """
    met = np.where(own > 0, own * (alike - 1), 0).sum(axis=0)
    chances = (own * (sizes[:, None] - 1)).sum(axis=0)
    readers = (own > 0).sum(axis=0)
    ballots = max(1, int((own > 0).any(axis=1).sum()))
    rate = max(_LEAST_RATE, (met.sum() / ballots + 1) / (chances.sum() / ballots + 2))
    share = np.where(readers > 0, (met + readers * rate) / np.maximum(chances + readers, 1), 1)
    said: IntArray = np.rint(-16 * np.log2(share)).astype(np.int64)
    return said


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
    """Per pair of a row and a slot the evidence; very low if no value agrees and no two are near.

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
    return np.where(2 * agrees + nearly >= 2, total, _NONE)


def with_near_texts(
    rows: Rows, evidence: tuple[Evidence, ...], content: IntArray, texts: Texts
) -> tuple[Evidence, ...]:
    """The evidence, in which texts near to those of ``content`` (columns × rows) count."""
    near = []
    sizes = _sizes(rows, len(evidence))
    for column, classes in enumerate(rows.given):
        wanted = np.unique(content[column][content[column] > 0])
        count = _counts(rows, column, len(evidence))
        one: IntArray = np.zeros(0, dtype=np.int64)
        other: IntArray = one
        if wanted.size:
            one, other = near_pairs([texts(column, code) for code in range(1, classes.size)], wanted - 1)
            one, other = one + 1, other + 1
        own = np.zeros_like(count)
        own[:, wanted] = count[:, wanted]
        alike = own + np.stack(
            [np.bincount(one, weights=each[other], minlength=classes.size).astype(np.int64) for each in count]
        )
        said = np.maximum(_said(own, alike, sizes) - _MISREAD, 0)
        near.append(NearClasses.build(one, other, _STEP * said))
    return tuple(each._replace(near=tuple(near)) for each in evidence)
