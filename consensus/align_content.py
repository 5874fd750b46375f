"""Rows without an identity key are aligned by their content.

Rows equal in every cell come first: a content's first row in every ballot is one slot, its second row another. Slots
that most ballots have are different rows and stand. The others are settled from the largest to the smallest, ballot by
ballot, the ballot whose cells recur most in others first: all of a ballot's slots of that size are assigned to the
settled slots that have none of their ballots, for the greatest total of evidence (``row_evidence``), and one that
finds no place is settled as it is. What most ballots still lack is then tried once more in the same way, with texts
that are near counting as well: now it is known which rows are left over.

A pair is considered only if it agrees in some value and its evidence outweighs the odds against it: with n different
slots to choose from, log2(n) bits less 3, because a row that one system read was most likely read by the others.

The order of rows decides nothing: ballots are ordered by content, and equal rows are interchangeable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from consensus.near_texts import Texts
from consensus.row_evidence import BIT, Evidence, weigh_cells, weigh_rows, with_near_texts
from consensus.slots import NO_ROW, CellIndex, Rows, common_codes, member_codes, share_equal
from groundtruth.assignment import maximum_weight_matching
from groundtruth.errors import WorkLimitExceeded
from groundtruth.record_classes import IntArray, ranges, record_classes

BoolArray = npt.NDArray[np.bool_]

# Bits by which a row is expected to be in some slot rather than in none.
_EXPECTED = 3
# Pairs of slots that are weighed at once.
_CHUNK = 500_000
# The stated bound on work: pairs of rows that may be the same row.
_MOST_EDGES = 20_000_000


def align_by_content(rows: Rows, n_ballots: int, texts: Texts) -> IntArray:
    """Slots × ballots: positions in the stacked rows, or ``NO_ROW``."""
    slots = share_equal(rows, np.arange(rows.ballot.size), n_ballots)
    order = _ballots_in_order(rows, n_ballots)
    evidence = weigh_cells(rows, n_ballots)
    minor = _minor(slots, len(order))
    slots = _settle(rows, np.concatenate([slots[~minor], slots[minor]]), int((~minor).sum()), order, evidence)
    minor = _minor(slots, len(order))
    if not minor.any():
        return slots
    evidence = with_near_texts(rows, evidence, common_codes(rows, slots[minor]).T, texts)
    return _settle(rows, slots, len(slots), order, evidence)


def _minor(slots: IntArray, voting: int) -> BoolArray:
    """Per slot, whether no more than half of the ballots have it."""
    minor: BoolArray = 2 * (slots != NO_ROW).sum(axis=1) <= voting
    return minor


def _ballots_in_order(rows: Rows, n_ballots: int) -> list[int]:
    """The ballots that have rows: most recurring cells first, then most rows, then by content."""
    ranked = []
    for ballot in range(n_ballots):
        mine = rows.ballot == ballot
        if mine.any():
            recurring = sum(_recurring(code[mine], code[~mine]) for code in rows.codes.T)
            ranked.append((-recurring, -int(mine.sum()), rows.content[mine].tolist(), ballot))
    return [ballot for *_, ballot in sorted(ranked)]


def _recurring(mine: IntArray, others: IntArray) -> int:
    """How many values of ``mine`` are among those of ``others``."""
    known = np.zeros(int(max(mine.max(initial=0), others.max(initial=0))) + 1, dtype=bool)
    known[others[others > 0]] = True
    return int(np.count_nonzero(known[mine[mine > 0]]))


def _settle(
    rows: Rows, slots: IntArray, n_settled: int, order: Sequence[int], evidence: Sequence[Evidence]
) -> IntArray:
    """Merge minor slots into settled ones; the first ``n_settled`` are settled from the start."""
    slots = slots.copy()
    settled = np.arange(len(slots)) < n_settled
    alive = np.ones(len(slots), dtype=bool)
    waiting = _minor(slots, len(order))
    for members in range(len(order) // 2, 0, -1):
        for ballot in order:
            held = slots != NO_ROW
            turn = alive & waiting & held[:, ballot] & (held.sum(axis=1) == members)
            mine, places = np.flatnonzero(turn), np.flatnonzero(alive & settled & ~held[:, ballot])
            settled |= turn
            waiting &= ~turn
            if not mine.size or not places.size:
                continue
            odds = _odds(rows, slots[alive & settled])
            for i, j in _assign(rows, slots[mine], slots[places], evidence[ballot], odds):
                slots[places[j]] = np.maximum(slots[places[j]], slots[mine[i]])
                alive[mine[i]] = False
    merged: IntArray = slots[alive]
    return merged


def _odds(rows: Rows, slots: IntArray) -> int:
    """The evidence that a pair needs; slots whose last row by content is equal are one choice."""
    different = np.unique(rows.content[slots.max(axis=1)]).size
    return round(BIT * (float(np.log2(different)) - _EXPECTED))


def _assign(rows: Rows, mine: IntArray, places: IntArray, evidence: Evidence, odds: int) -> list[tuple[int, int]]:
    """Pair slots with places for the greatest total evidence beyond the odds."""
    content, mine_of = _distinct(common_codes(rows, mine).T)
    codes, places_of = _distinct(member_codes(rows, places).transpose(2, 1, 0).reshape(-1, len(places)))
    codes = codes.reshape(len(content), -1, codes.shape[1])
    found: list[IntArray] = [np.zeros((3, 0), dtype=np.int64)]
    for left, right in _candidates(content, codes, evidence, odds):
        weight = weigh_rows(content, codes, left, right, evidence) - odds
        kept = np.flatnonzero(weight > 0)
        found.append(np.stack([left[kept], right[kept], weight[kept]]))
    left, right, weight = _spread(np.hstack(found), mine_of, places_of)
    apart = ~((mine[left] != NO_ROW) & (places[right] != NO_ROW)).any(axis=1)
    return maximum_weight_matching(len(mine), len(places), left[apart], right[apart], weight[apart])


def _distinct(columns: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct records of columns × records, and per record which of them it is."""
    classes = record_classes(columns)
    first = np.unique(classes, return_index=True)[1]
    return np.ascontiguousarray(columns[:, first]), classes


def _spread(edges: IntArray, left_of: IntArray, right_of: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Edges between distinct contents as edges between all records that have them.

    Raises:
        WorkLimitExceeded: they are too many.
    """
    left_order, right_order = np.argsort(left_of, kind="stable"), np.argsort(right_of, kind="stable")
    left_count, right_count = np.bincount(left_of)[edges[0]], np.bincount(right_of)[edges[1]]
    many = int((left_count * right_count).sum())
    if many > _MOST_EDGES:
        raise WorkLimitExceeded(
            f"{many} pairs of rows resemble one another, more than {_MOST_EDGES}: some row is repeated over and over; "
            "declare an identity key for the array, or mend the ballots that repeat it"
        )
    start = np.searchsorted(left_of[left_order], edges[0])
    left = left_order[ranges(start, start + left_count)]
    edge = np.repeat(np.arange(edges.shape[1]), left_count)
    start = np.searchsorted(right_of[right_order], edges[1])[edge]
    right = right_order[ranges(start, start + right_count[edge])]
    left, weight = np.repeat(left, right_count[edge]), np.repeat(edges[2][edge], right_count[edge])
    return left, right, weight


def _candidates(
    content: IntArray, codes: IntArray, evidence: Evidence, odds: int
) -> Iterator[tuple[IntArray, IntArray]]:
    """Pairs of a row and a place that may outweigh the odds, in chunks.

    A place that has a value in every column loses something in each column in which it does not agree, so that it
    must agree in more than another; the two kinds are searched apart.
    """
    columns = np.flatnonzero((content > 0).any(axis=1))
    full = (codes[columns] > 0).any(axis=1).all(axis=0)
    for kind, loss in ((full, evidence.differ.min(axis=0)), (~full, np.zeros_like(evidence.differ[0]))):
        places = np.flatnonzero(kind)
        if not places.size:
            continue
        lookups = [_Lookup(codes[column][:, places], evidence, column) for column in range(len(content))]
        telling = _telling(content, lookups, loss, odds)
        cost = np.zeros(content.shape[1], dtype=np.int64)
        for tells, lookup, code in zip(telling, lookups, content, strict=True):
            cost += np.where(tells, lookup.hits[np.maximum(code, 0)], 0)
        cut = np.flatnonzero(np.diff(np.cumsum(cost) // _CHUNK)) + 1
        for part in np.split(np.arange(cost.size), cut):
            row, place = _sharing(content, telling, lookups, part)
            yield row, places[place]


class _Lookup:
    """Finds the places that have a class in one column, or a near one.

    Attributes:
        hits: by code, in how many places it or a near one stands.
        most: by code, the most that is gained in any of them.
    """

    def __init__(self, codes: IntArray, evidence: Evidence, column: int) -> None:
        self._index = CellIndex.build(codes.T)
        self._near = evidence.near[column] if evidence.near else None
        agree = evidence.agree[column]
        self.hits = self._index.frequency(np.arange(agree.size))
        self.most = np.where(self.hits > 0, agree, 0)
        self.most[0] = agree[0]
        if self._near is not None:
            weights = self._index.frequency(self._near.other)
            nearby = np.bincount(self._near.code, weights=weights, minlength=agree.size).astype(np.int64)
            self.hits += nearby
            self.most = np.maximum(self.most, np.where(nearby > 0, self._near.agree, 0))

    def find(self, row: IntArray, code: IntArray) -> list[tuple[IntArray, IntArray]]:
        """Each row with every place in which its class, or a near one, stands."""
        found = [self._index.find(row, code)]
        if self._near is not None:
            found.append(self._index.find(*self._near.others(row, code)))
        return found


def _sharing(
    content: IntArray, telling: BoolArray, lookups: Sequence[_Lookup], part: IntArray
) -> tuple[IntArray, IntArray]:
    """The rows of ``part`` with every place that has one of their telling values, or a near one, once each."""
    found: list[tuple[IntArray, IntArray]] = []
    for code, tells, lookup in zip(content, telling, lookups, strict=True):
        chosen = part[tells[part]]
        found.extend(lookup.find(chosen, code[chosen]))
    row, place = (np.concatenate(side) for side in zip(*found, strict=True))
    size = int(place.max(initial=0)) + 1
    row, place = np.divmod(np.unique(row * size + place), size)
    return row, place


def _telling(content: IntArray, lookups: Sequence[_Lookup], loss: IntArray, odds: int) -> BoolArray:
    """Columns × rows: the values that are left when those that cannot outweigh the odds together are taken away.

    If a row agrees with a place in the values taken away alone, and loses ``loss`` in every other column, the evidence
    is no more than the odds; so a place must share one of the values that are left, which are the rarest.
    """
    value = content > 0
    lost = np.where(value, loss[:, None], 0)
    gain = np.stack([lookup.most[np.maximum(code, 0)] for lookup, code in zip(lookups, content, strict=True)])
    possible = np.where(content >= 0, gain, 0)
    # Agreeing instead of differing saves the loss as well.
    worth = possible + np.where(possible > 0, lost, 0)
    order = np.argsort(worth, axis=0, kind="stable")
    total = np.empty_like(worth)
    np.put_along_axis(total, order, np.cumsum(np.take_along_axis(worth, order, axis=0), axis=0), axis=0)
    telling: BoolArray = value & (possible > 0) & (total > odds + lost.sum(axis=0))
    return telling
