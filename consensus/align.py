"""Which rows of the ballots are the same row: slots, one row per ballot at most.

Positions are never evidence: permuting the rows of a ballot, or the ballots, changes nothing but the row numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from consensus.align_content import align_by_content
from consensus.align_keys import align_by_key
from consensus.near_texts import Texts
from consensus.repair import repair
from consensus.slots import NO_ROW, Rows, content_order, share_equal, stack_rows
from groundtruth.consensus import Note, Reason
from groundtruth.record_classes import IntArray

Flags = frozenset[Reason | Note]

_FLAGS: tuple[Reason | Note, ...] = (
    Reason.DUPLICATE_IDENTITY,
    Note.REPEATED_IDENTITY,
    Reason.ALIGNMENT_REPAIRED,
    Note.ALIGNMENT_INFERRED,
)
_DUPLICATE, _REPEATED, _REPAIRED, _INFERRED = (1 << bit for bit in range(len(_FLAGS)))


@dataclass(frozen=True, slots=True)
class Grid:
    """The rows that one ballot gives an array, as classes.

    Attributes:
        codes: rows × columns. 0 is null; a positive code is a class of the column, the same number in every ballot
            exactly when the values are equal, numbered in the order of the canonical values; a negative code has no
            class (an invalid or abstained cell) and equals nothing. Number negative codes by their raw content, too,
            if the order of rows must not even decide between rows that differ only there.
    """

    codes: IntArray


@dataclass(frozen=True, slots=True)
class Alignment:
    """Rows of the ballots, side by side.

    Attributes:
        slots: slots × ballots; the index of the row that the ballot has in the slot, or -1. Slots come by the classes
            common in them, column by column.
        flags: per slot, what there is to say about it: ``duplicate_identity``, ``repeated_identity``,
            ``alignment_repaired``, ``alignment_inferred``.
    """

    slots: IntArray
    flags: tuple[Flags, ...]


def align(grids: Sequence[Grid | None], *, identity: tuple[int, ...], texts: Texts) -> Alignment:
    """Put the rows of the ballots into slots; two rows of one ballot never share one.

    With key columns, rows of equal key share a slot, rows of one key that a ballot has several times are told apart by
    their other cells, misread keys are repaired, and rows without any key share a slot if they are equal. Without key
    columns, rows are aligned by content (``align_content``).

    Equal rows of one ballot are interchangeable; between them alone the order of the ballot decides.

    Args:
        grids: one per ballot, of the same columns; None for a ballot that abstains on this array.
        identity: the key columns; empty to align by content.
        texts: the text of a positive code of a column.

    Raises:
        ValueError: grids of different columns.
        WorkLimitExceeded: rows that resemble one another so much that an optimal assignment is out of reach.
    """
    tables = [np.zeros((0, 0), dtype=np.int64) if grid is None else grid.codes for grid in grids]
    rows = stack_rows(tables)
    if not rows.ballot.size:
        return Alignment(np.zeros((0, len(grids)), dtype=np.int64), ())

    def text_of(column: int, code: int) -> str:
        return texts(column, int(rows.given[column][code]))

    n_voting = sum(grid is not None for grid in grids)
    if identity:
        slots, flags = _by_key(rows, len(grids), identity, n_voting, text_of)
    else:
        slots = align_by_content(rows, len(grids), text_of)
        flags = np.full(len(slots), _INFERRED, dtype=np.int64)
    order = content_order(rows, slots)
    slots = slots[order]
    indices = np.where(slots == NO_ROW, NO_ROW, rows.row[np.maximum(slots, 0)])
    return Alignment(indices, tuple(_named(bits) for bits in flags[order].tolist()))


def _by_key(
    rows: Rows, n_ballots: int, identity: tuple[int, ...], n_voting: int, texts: Texts
) -> tuple[IntArray, IntArray]:
    keyed = align_by_key(rows, n_ballots, identity)
    flags = np.where(keyed.repeated, np.where(keyed.disputed, _DUPLICATE, _REPEATED), 0)
    joins = repair(rows, keyed.slots, identity, n_voting, texts)
    slots = keyed.slots.copy()
    moved = np.flatnonzero(joins >= 0)
    for source, target in zip(moved.tolist(), joins[moved].tolist(), strict=True):
        slots[target] = np.maximum(slots[target], slots[source])
    flags[joins[moved]] |= _REPAIRED
    loose = keyed.loose & (joins < 0)
    kept = ~loose & (joins < 0)
    shared = share_equal(rows, slots[loose].max(axis=1, initial=NO_ROW), n_ballots)
    return np.concatenate([slots[kept], shared]), np.concatenate([flags[kept], np.zeros(len(shared), dtype=np.int64)])


@cache
def _named(bits: int) -> Flags:
    return frozenset(flag for bit, flag in enumerate(_FLAGS) if bits >> bit & 1)
