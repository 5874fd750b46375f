"""How much two rows' cells say for or against their being the same row.

Record linkage in the manner of Fellegi and Sunter: each pair of cells adds the logarithm of how much likelier it is
between two readings of one row than between two different rows, in units of 1/960 bit (60 to a sixteenth of a bit, so
that means over up to six pairs of cells stay integers).

- Cells of equal class say log2(1/f), f being the share of rows that have the class: a rare value says much, a common
  one little, one that all rows have almost nothing. Two nulls say as little.
- Cells of different classes say log2(1 - m) < 0, m being how often this ballot's cells of the column recur in other
  ballots, at most 15/16. A column that two ballots write in different formats recurs nowhere and says nothing.
- A null beside a value, and a cell without a class, say nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consensus.slots import Rows, Unit
from groundtruth.record_classes import IntArray

_STEP = 60
BIT = 16 * _STEP
_LEAST = _STEP
_MOST_TRUSTED = 15 / 16


class Evidence(NamedTuple):
    """What agreeing and differing cells say.

    Attributes:
        agree: per column, by code; code 0 stands for two nulls.
        differ: per column, what is lost when two values differ.
    """

    agree: tuple[IntArray, ...]
    differ: IntArray


def weigh_cells(rows: Rows, unit: Unit) -> Evidence:
    """The evidence for placing the rows of ``unit`` among those of all other ballots."""
    agree, differ = [], []
    mine = np.zeros(rows.ballot.size, dtype=bool)
    mine[unit.rows] = True
    for code in rows.codes.T:
        valued = code > 0
        count = np.bincount(code[valued], minlength=1)
        share = np.maximum(count, 1) / rows.ballot.size
        agree.append(np.maximum(_LEAST, _STEP * np.rint(-16 * np.log2(share)).astype(np.int64)))
        agree[-1][0] = _LEAST
        elsewhere = np.bincount(code[valued & ~mine], minlength=count.size) > 0
        own = code[valued & mine]
        recurring = min((np.count_nonzero(elsewhere[own]) + 1) / (own.size + 2), _MOST_TRUSTED)
        differ.append(_STEP * round(-16 * float(np.log2(1 - recurring))))
    return Evidence(tuple(agree), np.array(differ, dtype=np.int64))
