"""Optimal one-to-one pairing of records, sparse and exact.

Why an answer is optimal:

- A pairing never crosses connected components of the graph of edges, so each component is solved alone. A star has one
  pair, its heaviest edge; every other component goes to an exact solver of the linear assignment problem.
- The solvers compute in float64, which holds every integer below 2**53. Weights are integers, and the largest sum a
  solver can form is checked against that bound first, so nothing is rounded.
- For whole tables not all pairs of rows are edges from the start. Equal rows are paired first, which loses nothing
  (``_row_pairs`` has the proof), and a large remainder is solved on few edges and then proven against all pairs by
  the prices of the dual problem (``_prices``, ``_large_pairs``).
- For records, matched cells come first and ties second: a matched cell weighs more than all ties together, so that one
  sum of integers has the same order. Pairs are made at once where undoing them would cost a matched cell, whatever the
  ties (``_sure_pairs`` has the proof); the rest is solved as above (``_record_pairs``). Nested lists are bounded from
  above by what two records have in common and priced exactly only where the bound could change the answer: a pairing
  that is best under bounds, and whose own pairs are exact, is best (``_large_records``). Many records of few kinds are
  a transport problem between kinds, whose answer is proven by its prices (``_class_pairs``).
"""

from __future__ import annotations

from collections.abc import Sequence

from groundtruth import _record_pairs, _row_pairs
from groundtruth._matching import clean_edges, match
from groundtruth._nested import Features, Nested
from groundtruth._records import build_records
from groundtruth._tables import BoolArray
from groundtruth._ties import Bonus
from groundtruth.record_classes import IntArray

__all__ = [
    "MAX_WORK",
    "Bonus",
    "BoolArray",
    "Features",
    "IntArray",
    "Nested",
    "maximum_weight_matching",
    "pair_records",
    "pair_rows",
]

# The stated bound on work: compared cells (pairs of rows times columns), about two minutes of one core.
MAX_WORK = 200_000_000_000


def maximum_weight_matching(
    n_left: int, n_right: int, left: IntArray, right: IntArray, weight: IntArray
) -> list[tuple[int, int]]:
    """Pair left records with right records, each at most once, for the greatest total weight.

    Args:
        n_left: how many left records there are.
        n_right: how many right records there are.
        left: per edge, the index of its left record.
        right: per edge, the index of its right record.
        weight: per edge, a positive integer. Of parallel edges the heaviest counts.

    Returns:
        The pairs by rising left index. Every pair is an edge; records without a pair are left out.

    The answer is a function of the set of edges: the order in which they are given does not matter. Between pairings
    of equal total weight the choice depends only on how the records are numbered, so a caller who numbers them by
    content gets an answer that depends on content alone.

    Raises:
        ValueError: an index outside its side, arrays of different length, or a weight below 1.
        WorkLimitExceeded: weights so large that float64 could round a sum of them.
    """
    pairs = match(n_left, n_right, clean_edges(n_left, n_right, left, right, weight))
    return list(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))


def pair_rows(
    left: IntArray,
    right: IntArray,
    weight: Sequence[IntArray] | None = None,
    *,
    groups: tuple[IntArray, IntArray] | None = None,
    max_work: int = MAX_WORK,
) -> list[tuple[int, int]]:
    """Pair the rows of two tables, each at most once, for the greatest total weight of cells that agree.

    Args:
        left: rows × columns of codes; two cells of a column agree when their codes are equal and not negative.
        right: rows × columns of codes, with the same columns.
        weight: per column, the weight by code, an integer of at least 0; None weighs every cell 1.
        groups: a number of at least 0 for every left and every right row; rows of different groups are never paired.
        max_work: the bound on compared cells.

    Returns:
        The pairs by rising left index. Rows that agree in nothing of weight are never paired.

    The order of the rows decides nothing but between rows that are equal in every cell: rows are numbered by content
    first. Between pairings of equal total weight the choice is a function of the content of the tables.

    Raises:
        ValueError: tables of different width, a negative weight, or a code without one.
        WorkLimitExceeded: more than ``max_work`` cells would be compared, or weights whose sum passes 2**53.
    """
    pairs = _row_pairs.pair(left, right, weight, groups, max_work)
    return list(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))


def pair_records(
    left: IntArray,
    right: IntArray,
    *,
    presence: tuple[BoolArray, BoolArray] | None = None,
    bonus: Bonus | None = None,
    nested: Nested | None = None,
    rank: tuple[IntArray, IntArray] | None = None,
    cells: IntArray | None = None,
    max_work: int = MAX_WORK,
) -> list[tuple[int, int]]:
    """Pair two lists of records, each record at most once, for the most matched cells, then for the greatest tie.

    The matched cells of a pair are the columns in which its codes agree, and those of its nested lists under their own
    best pairing. The tie of a pair that matches in a cell is the number of addresses that both records hold, plus its
    bonus, plus the tie of its nested lists. Of all pairings those with the most matched cells count, and of these one
    with the greatest sum of ties is returned.

    Args:
        left: records × columns of codes; two cells of a column agree when their codes are equal and not negative. A
            cell that accepts several readings is spread over several columns, whose codes are of one numbering: the
            left record has one reading in each, and a negative code where it has no more; the right record repeats its
            code in each. The readings of a cell must differ, so that at most one agrees.
        right: records × columns of codes, with the same columns.
        presence: records × addresses of the left and of the right side: whether the record holds the address. The
            addresses need not be the columns. None: no address counts.
        bonus: what single pairs are worth as a tie. Two bonuses of different rank fit one integer: the greater times
            more than the lesser can ever sum to, plus the lesser.
        nested: what nested lists add to a pair.
        rank: per left and per right record a number that says its content, for canonical order.
        cells: per column the number of its cell, equal for columns that a cell is spread over; None when no cell is.
            The answer is as good without, and slower to find.
        max_work: the bound on compared cells.

    Returns:
        The pairs by rising left index. Records that match in no cell are never paired.

    Records of a side are first numbered by (rank, codes, presence, content of nested lists), and in the order given
    where all of these are equal; the answer is a function of the records so numbered. Where no two records of a side
    are equal in all four, the order in which records are given decides nothing, nor does it ever change the sums of
    matched cells and ties. Codes, ranks and contents must therefore be numbered by what they stand for, not by first
    appearance.

    Raises:
        ValueError: arrays whose sizes do not fit, or a bonus that is negative or names no pair.
        WorkLimitExceeded: more than ``max_work`` cells would be compared, or ties whose sum float64 cannot hold.
    """
    pairs = _record_pairs.pair(build_records(left, right, presence, bonus, nested, rank, cells), max_work)
    return list(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))
