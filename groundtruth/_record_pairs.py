"""Pair records for the most matched cells, and among such pairings for the greatest tie."""

from __future__ import annotations

import numpy as np

from groundtruth._matching import Pairs, match_dense
from groundtruth._records import Records
from groundtruth.errors import WorkLimitExceeded

# Float64 holds every integer below this bound.
_EXACT = 2**53


def pair(records: Records, max_work: int) -> Pairs:
    """See ``groundtruth.assignment.pair_records``."""
    cells = records.shape[0] * records.shape[1] * len(records.tables.weight)
    if cells > max_work:
        raise WorkLimitExceeded(
            f"pairing {records.shape[0]} and {records.shape[1]} records takes more than {max_work} compared cells"
        )
    found = records.pairs(*_solve_dense(records))
    order = np.argsort(found.left)
    return Pairs(found.left[order], found.right[order])


def tie_scale(records: Records) -> int:
    """More than twice the tie of any pairing."""
    most = records.ties.most()
    sides = (records.tables.left, records.tables.right)
    return 2 * min(int(best[side.row].sum()) for best, side in zip(most, sides, strict=True)) + 1


def _solve_dense(records: Records) -> Pairs:
    worth = records.worth_block()
    scale = tie_scale(records)
    # Every record may stay alone at the cost of its heaviest pair, so no sum of the solver passes a few such weights.
    if 8 * scale * (int(worth.matched.max(initial=0)) + 1) >= _EXACT:
        raise WorkLimitExceeded(
            f"ties of {records.shape[0]} and {records.shape[1]} records add up to {scale // 2}, too much for exact "
            f"sums: give smaller ties"
        )
    return match_dense((worth.matched * scale + worth.tie).astype(np.float64))
