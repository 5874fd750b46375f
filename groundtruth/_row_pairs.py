"""Pair the rows of two tables for the greatest weight of equal cells, without comparing all rows with all.

1. A cell whose value has no equal on the other side is *dead*: it can never agree. Rows that are equal in all live
   cells, and dead in the others, are paired at once. That loses nothing: let a and a' be such rows, paired with b and
   c in some pairing; per column, weight(a, b) + weight(c, a') <= weight(a, a') + weight(c, b), whatever the positive
   weight of a value, so a may be paired with a' and c with b instead. Paired rows leave the tables, which may kill
   more cells, until nothing changes.
2. What is left falls into components that share no live value. A small one is compared in full and solved as it is.
3. A large one is solved on few edges, with a proof that no other pair of rows can do better (``_large_pairs``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from groundtruth._components import components
from groundtruth._large_pairs import solve_large
from groundtruth._matching import NO_PAIRS, Pairs, match_dense
from groundtruth._tables import DEAD, Side, Tables, agreement, build_tables, kill_cells
from groundtruth.record_classes import IntArray, record_classes, zip_classes

# A component of at most this many pairs of rows is compared in full.
_COMPARED_PAIRS = 4_000_000


def pair(
    left: IntArray,
    right: IntArray,
    weight: Sequence[IntArray] | None,
    groups: tuple[IntArray, IntArray] | None,
    max_work: int,
) -> Pairs:
    """See ``groundtruth.assignment.pair_rows``."""
    tables, found = _pair_equal_rows(build_tables(left, right, weight, groups))
    for component in components(tables):
        found.append(_solve(tables.take(*component), max_work))
    pairs = Pairs(np.concatenate([part.left for part in found]), np.concatenate([part.right for part in found]))
    order = np.argsort(pairs.left)
    return Pairs(pairs.left[order], pairs.right[order])


def _pair_equal_rows(tables: Tables) -> tuple[Tables, list[Pairs]]:
    """Pair rows equal in all live cells until no cell dies any more; the tables that remain hold no such rows."""
    found = [NO_PAIRS]
    while True:
        tables = _kill(tables)
        if not (tables.left.row.size and tables.right.row.size):
            return tables, found
        classes = record_classes(np.hstack([tables.left.cells, tables.right.cells]))
        left, right = zip_classes(classes[: tables.left.row.size], classes[tables.left.row.size :])
        if not left.size:
            return tables, found
        found.append(Pairs(tables.left.row[left], tables.right.row[right]))
        tables = tables._replace(left=_without(tables.left, left), right=_without(tables.right, right))


def _kill(tables: Tables) -> Tables:
    """Mark the cells whose value is on one side only, and drop the rows that have no other."""
    killed = kill_cells(tables)
    live = [(side.cells != DEAD).any(axis=0) for side in (killed.left, killed.right)]
    return killed._replace(left=killed.left.take(live[0]), right=killed.right.take(live[1]))


def _without(side: Side, index: IntArray) -> Side:
    kept = np.ones(side.row.size, dtype=bool)
    kept[index] = False
    return side.take(kept)


def _solve(tables: Tables, max_work: int) -> Pairs:
    n_left, n_right = tables.left.row.size, tables.right.row.size
    if n_left == n_right == 1:
        pairs = Pairs(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
    elif n_left * n_right <= _COMPARED_PAIRS:
        pairs = match_dense(agreement(tables).astype(np.float64))
    else:
        pairs = solve_large(tables, max_work)
    return Pairs(tables.left.row[pairs.left], tables.right.row[pairs.right])
