"""Rows without an identity key are aligned by their content.

Ballots are placed one after the other, the one whose cells recur most in the others first. A ballot's rows that equal
a row of a slot join it; its other rows are assigned to the slots that lack the ballot, for the greatest total of
evidence (``row_evidence``), and what finds no slot opens one. A pair of rows is considered only if its evidence
outweighs the odds against it: with n slots to choose from, log2(n) bits less 3, because a row that was read by one
system was most likely read by the others. It must agree in some value.

The order of rows decides nothing: ballots are ordered by content, ballots of equal content are placed together, and
equal rows are interchangeable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from consensus.repair import Texts
from consensus.row_evidence import BIT, Evidence, weigh_cells
from consensus.slots import NO_ROW, CellIndex, Rows, Unit, member_codes
from groundtruth.assignment import maximum_weight_matching
from groundtruth.record_classes import IntArray, zip_classes

# Bits by which a row is expected to be in a slot rather than in none.
_EXPECTED = 3
# Pairs of a row and a slot that are weighed at once.
_CHUNK = 500_000


def align_by_content(rows: Rows, n_ballots: int, texts: Texts) -> IntArray:
    """Slots × ballots: positions in the stacked rows, or ``NO_ROW``."""
    slots = np.zeros((0, n_ballots), dtype=np.int64)
    for unit in _units(rows, n_ballots):
        lead = unit.rows[0]
        taken = _join_equal(rows, slots, lead)
        free = np.ones(len(slots), dtype=bool)
        free[taken[taken >= 0]] = False
        waiting, vacant = np.flatnonzero(taken < 0), np.flatnonzero(free)
        for i, j in _assign(rows, lead[waiting], slots[vacant], weigh_cells(rows, unit), len(slots)):
            taken[waiting[i]] = vacant[j]
        opened = np.flatnonzero(taken < 0)
        taken[opened] = len(slots) + np.arange(opened.size)
        slots = np.concatenate([slots, np.full((opened.size, n_ballots), NO_ROW, dtype=np.int64)])
        slots[taken[None, :], unit.ballots[:, None]] = unit.rows
    return slots


def _units(rows: Rows, n_ballots: int) -> list[Unit]:
    """Ballots with their rows by content, most recurring cells first, then most rows, then by content."""
    by_content: dict[bytes, list[IntArray]] = {}
    for ballot in range(n_ballots):
        mine = np.flatnonzero(rows.ballot == ballot)
        if mine.size:
            by_content.setdefault(rows.content[mine].tobytes(), []).append(mine)
    units = [Unit(np.array([rows.ballot[part[0]] for part in parts]), np.stack(parts)) for parts in by_content.values()]
    return sorted(
        units, key=lambda unit: (-_recurring(rows, unit), -unit.rows.shape[1], rows.content[unit.rows[0]].tolist())
    )


def _recurring(rows: Rows, unit: Unit) -> int:
    """How many cells of a ballot of the unit have a class that some other ballot has in the column."""
    lead = unit.rows[0]
    other = rows.ballot != unit.ballots[0]
    total = 0
    for code in rows.codes.T:
        elsewhere = np.zeros(int(code.max(initial=0)) + 1, dtype=bool)
        elsewhere[code[other & (code > 0)]] = True
        total += np.count_nonzero(elsewhere[code[lead][code[lead] > 0]])
    return total


def _join_equal(rows: Rows, slots: IntArray, lead: IntArray) -> IntArray:
    """Per row, a slot that holds an equal row, or -1.

    Each slot offers first the content that most of its rows have, then the next, so that a row goes where most
    ballots have it.
    """
    taken = np.full(lead.size, -1, dtype=np.int64)
    whole = (rows.codes[lead] >= 0).all(axis=1)
    free = np.ones(len(slots), dtype=bool)
    for offer in _offers(rows, slots):
        waiting, vacant = np.flatnonzero((taken < 0) & whole), np.flatnonzero(free & (offer >= 0))
        first, second = zip_classes(rows.content[lead[waiting]], offer[vacant])
        taken[waiting[first]] = vacant[second]
        free[vacant[second]] = False
    return taken


def _offers(rows: Rows, slots: IntArray) -> Iterator[IntArray]:
    """Per turn and slot, a content of its rows: most frequent first, then the smallest; -1 when there are no more."""
    content = np.where(slots == NO_ROW, -1, rows.content[np.maximum(slots, 0)])
    for _ in range(slots.shape[1]):
        votes = (content[:, :, None] == content[:, None, :]).sum(axis=2)
        votes[content < 0] = 0
        # Of the contents with most votes, the smallest.
        best = np.where(votes == votes.max(axis=1, keepdims=True, initial=0), content, np.iinfo(np.int64).max)
        offer = best.min(axis=1, initial=np.iinfo(np.int64).max)
        offer[(votes == 0).all(axis=1)] = -1
        yield offer
        content[content == offer[:, None]] = -1


def _assign(rows: Rows, lead: IntArray, slots: IntArray, evidence: Evidence, n_slots: int) -> Sequence[tuple[int, int]]:
    """Pair rows with slots for the greatest total evidence beyond the odds."""
    if not lead.size or not len(slots):
        return []
    odds = round(BIT * (float(np.log2(n_slots)) - _EXPECTED))
    codes = member_codes(rows, slots)
    mine = rows.codes[lead]
    found = []
    for row, slot in _candidates(mine, codes, evidence, odds):
        weight = _evidence(mine[row], codes[slot], evidence) - odds
        kept = weight > 0
        found.append(np.stack([row[kept], slot[kept], weight[kept]]))
    left, right, weight = np.hstack([np.zeros((3, 0), dtype=np.int64), *found])
    return maximum_weight_matching(lead.size, len(slots), left, right, weight)


def _candidates(mine: IntArray, codes: IntArray, evidence: Evidence, odds: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Pairs of a row and a slot that may outweigh the odds, in chunks.

    The classes of a row that together say no more than the odds cannot make a pair; so a slot must share one of the
    others, which are the rarest.
    """
    worth = np.stack(
        [np.where(code > 0, agree[np.maximum(code, 0)], 0) for agree, code in zip(evidence.agree, mine.T, strict=True)],
        axis=1,
    )
    order = np.argsort(worth, axis=1, kind="stable")
    total = np.zeros_like(worth)
    np.put_along_axis(total, order, np.cumsum(np.take_along_axis(worth, order, axis=1), axis=1), axis=1)
    nulls = sum(int(agree[0]) for agree in evidence.agree)
    telling = (worth > 0) & (total + nulls > odds)
    indexes = [CellIndex.build(codes[:, :, column]) for column in range(mine.shape[1])]
    count = np.sum([np.where(telling[:, j], index.frequency(mine[:, j]), 0) for j, index in enumerate(indexes)], axis=0)
    cut = np.flatnonzero(np.diff(np.cumsum(count) // _CHUNK)) + 1
    for part in np.split(np.arange(len(mine)), cut):
        pairs = [index.find(part[telling[part, j]], mine[part[telling[part, j]], j]) for j, index in enumerate(indexes)]
        key = np.unique(np.concatenate([row * len(codes) + slot for row, slot in pairs]))
        yield np.divmod(key, len(codes))


def _evidence(mine: IntArray, codes: IntArray, evidence: Evidence) -> IntArray:
    """Per pair of a row and a slot, the mean evidence over the rows of the slot; a very low number if nothing agrees."""
    total = np.zeros(len(mine), dtype=np.int64)
    agrees = np.zeros(len(mine), dtype=bool)
    for column, (agree, differ) in enumerate(zip(evidence.agree, evidence.differ.tolist(), strict=True)):
        code, other = mine[:, column], codes[:, :, column]
        same = (other == code[:, None]).sum(axis=1)
        valued = (other > 0).sum(axis=1)
        both = np.where(code > 0, valued, 0)
        gain = agree[np.maximum(code, 0)]
        total += np.where(code >= 0, same * gain, 0) // np.maximum(np.where(code > 0, both, 1), 1)
        total -= np.where(code > 0, (both - same) * differ, 0) // np.maximum(both, 1)
        agrees |= (code > 0) & (same > 0)
    return np.where(agrees, total, np.iinfo(np.int64).min // 2)
