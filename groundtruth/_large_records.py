"""Exact pairing of many records that resemble one another, without pricing all pairs.

A pair weighs ``matched * scale + tie``, and the scale is so large that no sum of ties outweighs one matched cell. As in
``_large_pairs`` the matching is computed on few edges, and the prices that prove it optimal over these edges are tried
on all pairs:

- The bound of a pair takes all nested features that two records have in common as matched, and the greatest tie they
  allow. A pair whose bound does not pass its prices could not improve the matching. Any other becomes an edge, with its
  exact weight. When there is none left, no matching weighs more than the sum of the prices, which is what this one
  weighs.
- The search works in whole cells. Prices are rounded to half cells, downwards, but for a cushion that ties cannot
  exhaust; only *close* pairs, whose bound in cells reaches the rounded prices, are then weighed in full. They are
  remembered, so that a change of prices by ties alone takes no new search.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from groundtruth._large_pairs import by_price, promising
from groundtruth._matching import Edges, Pairs, match, sorted_edges
from groundtruth._prices import Prices, middle_prices
from groundtruth._records import Records
from groundtruth._tables import DEAD, BoolArray, agreement, pair_weights
from groundtruth.errors import WorkLimitExceeded
from groundtruth.record_classes import IntArray, record_classes

# Tiles of the comparison stay in the processor's cache.
_TILE_LEFT, _TILE_RIGHT = 256, 4096
# Close pairs that are remembered, at most: of one tile, and in all.
_CLOSE_IN_TILE, _CLOSE = 50_000, 8_000_000
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


def solve_large(records: Records, scale: Scale, max_work: int) -> Pairs:
    """The heaviest matching, as positions.

    Raises:
        WorkLimitExceeded: more than ``max_work`` cells would be compared.
    """
    left, right = _first_edges(records)
    edges = _weighed(records, scale, left, right)
    search = _Search(records, scale, max_work)
    while True:
        pairs = match(*records.shape, edges)
        better = search.beaten(middle_prices(*records.shape, edges, pairs))
        if not better.left.size:
            return pairs
        edges = sorted_edges(*map(np.concatenate, zip(edges, _weighed(records, scale, *better), strict=True)))


def _weighed(records: Records, scale: Scale, left: IntArray, right: IntArray) -> Edges:
    """The pairs that match in a cell, as edges."""
    worth = records.worth(left, right)
    kept = worth.matched > 0
    return sorted_edges(left[kept], right[kept], (worth.matched * scale.cell + worth.tie)[kept])


def _first_edges(records: Records) -> Pairs:
    """Pairs that agree in most columns, and of the pairs with a bonus those that match best."""
    tables = records.tables
    if records.nested is not None:
        # Equal nested lists make a pair as promising as equal cells.
        content = [each[row] for each, row in zip(records.nested.content, records.rows, strict=True)]
        sides = [
            side._replace(cells=np.vstack([side.cells, each]).astype(np.int32))
            for side, each in zip((tables.left, tables.right), content, strict=True)
        ]
        worth = np.ones(max(int(each.max(initial=0)) for each in content) + 2, dtype=np.int64)
        tables = tables._replace(left=sides[0], right=sides[1], weight=(*tables.weight, worth))
    edges = promising(tables, compared_pairs=0 if records.nested is not None else None)
    left, right, _ = records.ties.bonus_within(*records.rows)
    matched = pair_weights(records.tables, left, right)
    best = np.zeros(records.shape[0], dtype=np.int64)
    np.maximum.at(best, left, matched)
    kept = (matched > 0) & (matched == best[left])
    return Pairs(np.concatenate([edges.left, left[kept]]), np.concatenate([edges.right, right[kept]]))


class _Close(NamedTuple):
    """Close pairs of positions, and the bound of their weight."""

    left: IntArray
    right: IntArray
    weight: IntArray


class _Tile(NamedTuple):
    """Positions of left and of right records that are compared together."""

    left: IntArray
    right: IntArray


class _Search:
    """Looks for pairs that may weigh more than their prices.

    Pairs that are not close stay so while neither price falls by half a cell, so only records whose price did, and
    records with more close pairs than are remembered, are compared again.
    """

    def __init__(self, records: Records, scale: Scale, max_work: int) -> None:
        self._records = records
        self._scale = scale
        self._work_left = self._max_work = max_work
        self._most = most_matched(records)
        # Doubled counts of cells, and prices that are no greater, fit.
        self._kind: type[np.int16 | np.int64] = np.int16 if max(map(np.max, self._most)) < 2**13 else np.int64
        self._twin = _has_twin(records)
        self._close: list[_Close] = []
        self._held = Prices(*(np.full(size, _NEVER_HELD) for size in records.shape))
        self._features = None
        if records.nested is not None:
            left, right = (each[row] for each, row in zip(records.nested.features, records.rows, strict=True))
            self._features = (left, right.T.tocsc())

    def beaten(self, prices: Prices) -> Pairs:
        """Pairs that may weigh more than their prices: the most promising ones of every record of either side."""
        half_cells = Prices(*((each + self._scale.cushion) // self._scale.cell for each in prices))
        found = [self._beating(close, prices) for close in self._close]
        room = _CLOSE - sum(close.left.size for close in self._close)
        forgotten = np.zeros(prices.left.size, dtype=bool)
        for tile in self._tiles(half_cells):
            close = self._close_in(tile, half_cells)
            if not close.left.size:
                continue
            found.append(self._beating(close, prices))
            if close.left.size <= min(_CLOSE_IN_TILE, room):
                self._close.append(close)
                room -= close.left.size
            else:
                forgotten[tile.left] = True
        self._held = Prices(np.where(forgotten, _NEVER_HELD, half_cells.left), half_cells.right)
        pairs = _most_beaten(found)
        if self._records.nested is not None:
            self._spend(pairs.left.size * _PRICED_CELLS)
        return pairs

    def _tiles(self, half_cells: Prices) -> Iterator[_Tile]:
        """What must be compared, records of like price together, without tiles in which no pair can be close."""
        again = [now < before for now, before in zip(half_cells, self._held, strict=True)]
        left = [by_price(half_cells.left, again[0]), by_price(half_cells.left, ~again[0])]
        right = [by_price(half_cells.right, np.ones_like(again[1])), by_price(half_cells.right, again[1])]
        for rows, columns in zip(left, right, strict=True):
            for i in range(0, rows.size, _TILE_LEFT):
                for j in range(0, columns.size, _TILE_RIGHT):
                    tile = _Tile(rows[i : i + _TILE_LEFT], columns[j : j + _TILE_RIGHT])
                    if self._may_be_close(tile, half_cells):
                        yield tile

    def _may_be_close(self, tile: _Tile, half_cells: Prices) -> bool:
        most = (int(self._most[0][tile.left].max()), int(self._most[1][tile.right].max()))
        bound = min(most)
        # Records without an equal on the other side lack at least one cell of what the greater of the two could match.
        if most[0] == most[1] and not (self._twin[0][tile.left].any() and self._twin[1][tile.right].any()):
            bound -= 1
        least = int(half_cells.left[tile.left].min()) + int(half_cells.right[tile.right].min())
        return 2 * bound >= least + self._strict

    @property
    def _strict(self) -> int:
        """1 when there are no ties: then a pair beats its prices by half a cell at least, or not at all."""
        return int(self._scale.cushion == 0)

    def _close_in(self, tile: _Tile, half_cells: Prices) -> _Close:
        """The close pairs of a tile."""
        self._spend(tile.left.size * tile.right.size * (len(self._records.tables.weight) + 1))
        tables = self._records.tables.take(tile.left, tile.right)
        matched: npt.NDArray[np.integer] = agreement(tables).astype(self._kind)
        if self._features is not None:
            common = self._features[0][tile.left] @ self._features[1][:, tile.right]
            matched = matched + common.toarray().astype(self._kind)
        excess = 2 * matched
        np.subtract(excess, half_cells.left[tile.left].astype(self._kind)[:, None], out=excess)
        np.subtract(excess, half_cells.right[tile.right].astype(self._kind), out=excess)
        row, column = np.nonzero(excess >= self._strict)
        count = matched[row, column].astype(np.int64)
        row, column, count = row[count > 0], column[count > 0], count[count > 0]
        left, right = tile.left[row], tile.right[column]
        rows = self._records.pairs(left, right)
        tie = self._records.ties.of_pairs(*rows)
        if self._records.nested is not None:
            tie += self._records.nested.tie_bound(*rows)
        return _Close(left, right, count * self._scale.cell + tie)

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

    def _spend(self, cells: int) -> None:
        self._work_left -= cells
        if self._work_left < 0:
            raise WorkLimitExceeded(
                f"{self._records.shape[0]} and {self._records.shape[1]} rows resemble one another so much that pairing "
                f"them takes more than {self._max_work} compared cells; declare that the order of the array matters"
            )


def most_matched(records: Records) -> tuple[IntArray, IntArray]:
    """Per left and per right record the most cells it can match."""
    most = [(side.cells != DEAD).sum(axis=0) for side in (records.tables.left, records.tables.right)]
    if records.nested is not None:
        for side, row in enumerate(records.rows):
            most[side] = most[side] + records.nested.features[side][row].sum(axis=1)
    return most[0], most[1]


def _has_twin(records: Records) -> tuple[BoolArray, BoolArray]:
    """Per left and per right record whether its bound may be reached by one of the other side."""
    n_left, n_right = records.shape
    if records.nested is not None:
        return np.ones(n_left, dtype=bool), np.ones(n_right, dtype=bool)
    label = record_classes(np.hstack([records.tables.left.cells, records.tables.right.cells]))
    left, right = label[:n_left], label[n_left:]
    return np.isin(left, right), np.isin(right, left)


def _most_beaten(found: Sequence[_Close]) -> Pairs:
    """Of the pairs found, the one of most excess for every left and for every right record."""
    if not found:
        return Pairs(*(np.zeros(0, dtype=np.int64),) * 2)
    left, right, excess = (np.concatenate(parts) for parts in zip(*found, strict=True))
    # Among equals a scattered choice lets many records find different partners at once.
    scattered = (left * 2654435761 ^ right * 40503) % 65521
    best = np.zeros(left.size, dtype=bool)
    for end, other in ((left, right), (right, left)):
        order = np.lexsort((other, scattered, -excess, end))
        first = np.ones(order.size, dtype=bool)
        first[1:] = np.diff(end[order]) != 0
        best[order[first]] = True
    return Pairs(left[best], right[best])
