"""Search all pairs of records for those that weigh more than their prices.

A pair weighs ``matched * scale + tie``, and the scale is so large that no sum of ties outweighs one matched cell. So
the search works in whole cells: prices are rounded to half cells, downwards, but for a cushion that ties cannot
exhaust, and only *close* pairs, whose bound in cells reaches the rounded prices, are weighed in full. They are
remembered, so that a change of prices by ties alone takes no new search.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from groundtruth._compare import Comparison, Tile, tiles
from groundtruth._matching import Pairs
from groundtruth._prices import Prices
from groundtruth._records import Records
from groundtruth.errors import WorkLimitExceeded
from groundtruth.record_classes import IntArray, ranges, record_classes

# Close pairs that are remembered, at most: of one tile, and in all.
_CLOSE_IN_TILE, _CLOSE = 50_000, 4_000_000
# A pair that is priced counts as this many compared cells.
_PRICED_CELLS = 50_000
_NEVER_HELD = np.iinfo(np.int64).max


class Scale(NamedTuple):
    """What a matched cell weighs.

    Attributes:
        cell: the weight of a matched cell; a tie weighs what it is.
        cushion: added to doubled prices before they are rounded to half cells.
    """

    cell: int
    cushion: int


def scale_of(records: Records) -> Scale:
    """A scale at which no sum of ties, doubled, outweighs half a cell, whatever the cushion takes of it.

    With ties that sum to at most b, a pair that beats its doubled prices p and q has
    2 * matched * cell + 2 * b > p + q. As p >= half_cells(p) * cell - cushion, and 2 * b + 2 * cushion < cell, that
    makes 2 * matched >= half_cells(p) + half_cells(q).
    """
    bound = records.tie_bound()
    return Scale(8 * bound + 3, 3 * bound) if bound else Scale(1, 0)


class _Close(NamedTuple):
    """Close pairs of positions, and the bound of their weight, or by how much it passes their prices."""

    left: IntArray
    right: IntArray
    weight: IntArray


_NONE = _Close(*(np.zeros(0, dtype=np.int64),) * 3)


class Search:
    """Looks for pairs that may weigh more than their prices.

    Pairs that are not close stay so while neither price falls by half a cell, so only records whose price did are
    compared again, and tiles that stay open: those in which close pairs cannot pass their prices as they are, and those
    with more close pairs than are remembered.
    """

    def __init__(self, records: Records, scale: Scale, max_work: int) -> None:
        """Prepare the comparison."""
        self._records = records
        self._scale = scale
        self._work_left = self._max_work = max_work
        self._comparison = Comparison(records)
        self._most_tie = _most_tie(records)
        # Without ties a pair beats its prices by half a cell at least, or not at all.
        self._least = int(scale.cushion == 0)
        twins = _twins(records)
        self._open: list[Tile] = []
        self._close = [] if twins is None else [self._weighed(*twins, self._records.worth(*twins).matched)]
        self._twins_known = twins is not None
        self._held = Prices(*(np.full(size, _NEVER_HELD) for size in records.shape))

    def beaten(self, prices: Prices) -> Pairs:
        """Pairs that may weigh more than their prices: the most promising ones of every record of either side."""
        half_cells = Prices(*((each + self._scale.cushion) // self._scale.cell for each in prices))
        found = [self._beating(close, prices) for close in self._close]
        room = _CLOSE - sum(close.left.size for close in self._close)
        due = [*self._open, *self._tiles(prices, half_cells)]
        self._open = []
        for tile in due:
            if not self._may_beat(tile, half_cells, 1, None):
                continue
            if not self._may_beat(tile, prices, self._scale.cell, self._most_tie):
                self._open.append(tile)
                continue
            self.spend(tile.left.size * tile.right.size * self._comparison.columns)
            close = self._weighed(*self._comparison.close(tile, *half_cells, self._least))
            if not close.left.size:
                continue
            found.append(_most_beaten(self._beating(close, prices)))
            if close.left.size <= min(_CLOSE_IN_TILE, room):
                self._close.append(close)
                room -= close.left.size
            else:
                self._open.append(tile)
        self._held = half_cells
        left, right, _ = _most_beaten(_Close(*map(np.concatenate, zip(_NONE, *found, strict=True))))
        if self._records.nested is not None:
            self.spend(left.size * _PRICED_CELLS)
        return Pairs(left, right)

    def _tiles(self, prices: Prices, half_cells: Prices) -> Iterator[Tile]:
        """What must be compared, records of like price together, without tiles in which no pair can be close."""
        again = [now < before for now, before in zip(half_cells, self._held, strict=True)]
        left, right = (np.argsort(price, kind="stable") for price in prices)
        for rows, columns in ((left[again[0][left]], right), (left[~again[0][left]], right[again[1][right]])):
            yield from tiles(rows, columns)

    def _may_beat(self, tile: Tile, prices: Prices, cell: int, tie: tuple[IntArray, IntArray] | None) -> bool:
        """Whether the doubled bound of a pair can reach its prices, which count in units of ``cell`` to a cell.

        Without ties in the account it is enough to reach them, else it must pass them.
        """
        most = [int(each[ends].max()) for each, ends in zip(self._comparison.most, tile, strict=True)]
        bound = min(most)
        if most[0] == most[1] and self._twins_known:
            # Records that are not equal lack at least one cell of what the greater of the two could match.
            bound -= 1
        least = int(prices.left[tile.left].min()) + int(prices.right[tile.right].min())
        if tie is None:
            return 2 * bound >= least + self._least
        return 2 * (bound * cell + min(int(tie[0][tile.left].max()), int(tie[1][tile.right].max()))) > least

    def _weighed(self, left: IntArray, right: IntArray, matched: IntArray) -> _Close:
        """Pairs that match in no more cells than that, with the bound of their weight."""
        rows = self._records.pairs(left, right)
        tie = self._records.ties.of_pairs(*rows)
        if self._records.nested is not None:
            tie += self._records.nested.tie_bound(*rows)
        return _Close(left, right, matched * self._scale.cell + tie)

    def _beating(self, close: _Close, prices: Prices) -> _Close:
        """Of close pairs those that may weigh more than their prices, and by how much, doubled."""
        excess = 2 * close.weight - prices.left[close.left] - prices.right[close.right]
        above = np.flatnonzero(excess > 0)
        if self._records.nested is not None and above.size:
            # The exact weight takes the place of the bound where it is known; edges then hold their prices.
            known = self._records.nested.is_priced(*self._records.pairs(close.left[above], close.right[above]))
            worth = self._records.worth(close.left[above[known]], close.right[above[known]])
            excess[above[known]] += 2 * (worth.matched * self._scale.cell + worth.tie - close.weight[above[known]])
            above = above[excess[above] > 0]
        return _Close(close.left[above], close.right[above], excess[above])

    def spend(self, cells: int) -> None:
        """Count work, in compared cells.

        Raises:
            WorkLimitExceeded: it is more than the bound.
        """
        self._work_left -= cells
        if self._work_left < 0:
            raise WorkLimitExceeded(
                f"{self._records.shape[0]} and {self._records.shape[1]} rows resemble one another so much that pairing "
                f"them takes more than {self._max_work} compared cells; declare that the order of the array matters"
            )


def _most_tie(records: Records) -> tuple[IntArray, IntArray]:
    """Per left and per right record the most its tie can be."""
    most = [each[row] for each, row in zip(records.ties.most, records.rows, strict=True)]
    if records.nested is not None:
        most = [each + tie[row] for each, tie, row in zip(most, records.nested.most_tie, records.rows, strict=True)]
    return most[0], most[1]


def _twins(records: Records) -> Pairs | None:
    """All pairs of equal records; None when there are too many, or when the nested lists decide too."""
    if records.nested is not None:
        return None
    n_left = records.shape[0]
    label = record_classes(np.hstack([records.tables.left.cells, records.tables.right.cells]))
    left, right = label[:n_left], label[n_left:]
    order = np.argsort(right, kind="stable")
    start, stop = (np.searchsorted(right[order], left, side=side) for side in ("left", "right"))
    if int((stop - start).sum()) > _CLOSE:
        return None
    return Pairs(np.repeat(np.arange(n_left), stop - start), order[ranges(start, stop)])


def _most_beaten(close: _Close) -> _Close:
    """The pairs of most excess of every left and of every right record, one of them or few."""
    # Among equals a scattered choice lets many records find different partners at once.
    scattered = (close.left * 2654435761 ^ close.right * 40503) % 65521
    best = np.zeros(close.left.size, dtype=bool)
    for end in (close.left, close.right):
        most = np.zeros(int(end.max(initial=-1)) + 1, dtype=np.int64)
        np.maximum.at(most, end, close.weight)
        equal = np.flatnonzero(close.weight == most[end])
        least = np.full(most.size, _NEVER_HELD)
        np.minimum.at(least, end[equal], scattered[equal])
        best[equal[scattered[equal] == least[end[equal]]]] = True
    return _Close(*(each[best] for each in close))
