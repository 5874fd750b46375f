"""Exact pairing of two large tables whose rows resemble one another.

The matching is computed on a few promising edges. The prices that prove it optimal over these edges are then tried on
all pairs of rows, tile by tile; pairs that weigh more than their prices become edges, and the step repeats. When there
are none, the prices prove the matching optimal over all pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from groundtruth._matching import NO_PAIRS, Edges, Pairs, clean_edges, match
from groundtruth._prices import Prices, middle_prices
from groundtruth._tables import DEAD, BoolArray, Tables, agreement, pair_weights
from groundtruth.errors import WorkLimitExceeded
from groundtruth.record_classes import IntArray, record_classes, zip_classes

# Tiles of the comparison stay in the processor's cache.
_TILE_LEFT, _TILE_RIGHT = 256, 4096
# Columns are dealt into at most this many blocks; rows that agree on all blocks but a few are promising.
_BLOCKS = 8
# Rows without a promising partner are compared in full when they form at most this many pairs.
_COMPARED_PAIRS = 4_000_000
_NEVER_HELD = np.iinfo(np.int64).max


def solve_large(tables: Tables, max_work: int) -> Pairs:
    """The heaviest matching; no row of the one table may equal a row of the other in all cells.

    Raises:
        WorkLimitExceeded: more than ``max_work`` cells would be compared.
    """
    n_left, n_right = tables.left.row.size, tables.right.row.size
    edges = promising(tables)
    search = _Search(tables, max_work)
    while True:
        pairs = match(n_left, n_right, edges)
        better = search.beaten(middle_prices(n_left, n_right, edges, pairs))
        if not better.left.size:
            return pairs
        edges = clean_edges(n_left, n_right, *map(np.concatenate, zip(edges, better, strict=True)))


def promising(tables: Tables, compared_pairs: int | None = None) -> Edges:
    """Pairs of rows that agree on all blocks of columns but a few, and all pairs of the rows that have no such.

    Args:
        tables: the rows.
        compared_pairs: rows that form more pairs than that get no more than a few edges each.
    """
    if compared_pairs is None:
        compared_pairs = _COMPARED_PAIRS
    free = [np.arange(tables.left.row.size), np.arange(tables.right.row.size)]
    n_columns = len(tables.weight)
    blocks = min(_BLOCKS, n_columns)
    ends: list[tuple[IntArray, IntArray]] = []
    for size in range(blocks - 1, 0, -1):
        if 2 * size < blocks and free[0].size * free[1].size <= compared_pairs:
            ends.append((np.repeat(free[0], free[1].size), np.tile(free[1], free[0].size)))
            break
        for chosen in combinations(range(blocks), size):
            columns = np.flatnonzero(np.isin(np.arange(n_columns) % blocks, chosen))
            left, right = _zip_equal(tables, columns, free)
            ends.append((free[0][left], free[1][right]))
            free = [np.delete(free[0], left), np.delete(free[1], right)]
    left, right = (np.concatenate(side) for side in zip(*ends, strict=True)) if ends else NO_PAIRS
    weight = pair_weights(tables, left, right)
    kept = weight > 0
    return clean_edges(tables.left.row.size, tables.right.row.size, left[kept], right[kept], weight[kept])


def _zip_equal(tables: Tables, columns: IntArray, free: Sequence[IntArray]) -> tuple[IntArray, IntArray]:
    """Pair free rows that are live and equal in ``columns``; positions in ``free``."""
    cells = [side.cells[np.ix_(columns, rows)] for side, rows in zip((tables.left, tables.right), free, strict=True)]
    live = [np.flatnonzero((each != DEAD).all(axis=0)) for each in cells]
    classes = record_classes(np.hstack([each[:, rows] for each, rows in zip(cells, live, strict=True)]))
    left, right = zip_classes(classes[: live[0].size], classes[live[0].size :])
    return live[0][left], live[1][right]


class _Tile(NamedTuple):
    """Positions of left and of right rows that are compared together."""

    left: IntArray
    right: IntArray


class _Search:
    """Looks for pairs of rows that weigh more than their prices.

    A pair that held once holds while neither price falls, so only rows whose price fell, and rows that had a pair
    that did not hold, are compared again.
    """

    def __init__(self, tables: Tables, max_work: int) -> None:
        self._tables = tables
        self._left_weight, self._right_weight = (
            np.sum([worth[cells] for worth, cells in zip(tables.weight, side.cells, strict=True)], axis=0)
            for side in (tables.left, tables.right)
        )
        self._work_left = max_work
        self._max_work = max_work
        self._held = Prices(np.full(tables.left.row.size, _NEVER_HELD), np.full(tables.right.row.size, _NEVER_HELD))

    def beaten(self, prices: Prices) -> Edges:
        """The pairs that weigh more than their prices; per left and per right row only the one that does so most."""
        found: list[_Beaten] = []
        broken = np.zeros(prices.left.size, dtype=bool)
        for tile in self._tiles(prices):
            found.append(self._beaten_in(tile, prices))
            broken[found[-1].left] = True
        self._held = Prices(np.where(broken, _NEVER_HELD, prices.left), prices.right)
        return _most_beaten(found, self._tables)

    def _tiles(self, prices: Prices) -> Iterator[_Tile]:
        """What must be compared, rows of like price together, without tiles in which no pair can weigh enough."""
        again = [now < before for now, before in zip(prices, self._held, strict=True)]
        left = [by_price(prices.left, again[0]), by_price(prices.left, ~again[0])]
        right = [by_price(prices.right, np.ones_like(again[1])), by_price(prices.right, again[1])]
        for rows, columns in zip(left, right, strict=True):
            for i in range(0, rows.size, _TILE_LEFT):
                for j in range(0, columns.size, _TILE_RIGHT):
                    tile = _Tile(rows[i : i + _TILE_LEFT], columns[j : j + _TILE_RIGHT])
                    if self._may_beat(tile, prices):
                        yield tile

    def _may_beat(self, tile: _Tile, prices: Prices) -> bool:
        most = (int(self._left_weight[tile.left].max()), int(self._right_weight[tile.right].max()))
        # Rows of one live weight that agreed in all of it would be equal, so the heavier row lacks at least 1.
        bound = min(*most, max(most) - 1)
        return 2 * bound > int(prices.left[tile.left].min()) + int(prices.right[tile.right].min())

    def _beaten_in(self, tile: _Tile, prices: Prices) -> _Beaten:
        cells = tile.left.size * tile.right.size * len(self._tables.weight)
        self._work_left -= cells
        if self._work_left < 0:
            raise WorkLimitExceeded(
                f"{self._held.left.size} and {self._held.right.size} rows resemble one another so much that pairing "
                f"them takes more than {self._max_work} compared cells; declare an identity key for the array"
            )
        weight = agreement(self._tables.take(tile.left, tile.right))
        # Counts of columns and their prices are below 2**9; sums of other weights were checked to be below 2**53.
        kind: type[np.int16 | np.int64] = np.int16 if self._tables.counting else np.int64
        excess = weight.astype(kind)
        np.add(excess, excess, out=excess)
        np.subtract(excess, prices.left[tile.left].astype(kind)[:, None], out=excess)
        np.subtract(excess, prices.right[tile.right].astype(kind), out=excess)
        best_right = excess.argmax(axis=1)
        by_left = excess[np.arange(tile.left.size), best_right]
        if by_left.max() <= 0:
            return _Beaten(*(np.zeros(0, dtype=np.int64),) * 3)
        best_left = excess.argmax(axis=0)
        by_right = excess[best_left, np.arange(tile.right.size)]
        lefts, rights = by_left > 0, by_right > 0
        return _Beaten(
            np.concatenate([tile.left[lefts], tile.left[best_left[rights]]]),
            np.concatenate([tile.right[best_right[lefts]], tile.right[rights]]),
            np.concatenate([by_left[lefts], by_right[rights]]).astype(np.int64),
        )


class _Beaten(NamedTuple):
    """Pairs of positions, and by how much twice their weight passes their doubled prices."""

    left: IntArray
    right: IntArray
    excess: IntArray


def by_price(price: IntArray, chosen: BoolArray) -> IntArray:
    """The chosen positions by rising price."""
    index = np.flatnonzero(chosen)
    return index[np.argsort(price[index], kind="stable")]


def _most_beaten(found: Sequence[_Beaten], tables: Tables) -> Edges:
    """Of the pairs found, the one of most excess for every left and for every right row, as edges."""
    left, right, excess = (
        np.concatenate([np.zeros(0, dtype=np.int64), *parts])
        for parts in (zip(*found, strict=True) if found else ((), (), ()))
    )
    best = np.zeros(left.size, dtype=bool)
    for end, other in ((left, right), (right, left)):
        order = np.lexsort((other, -excess, end))
        first = np.ones(order.size, dtype=bool)
        first[1:] = np.diff(end[order]) != 0
        best[order[first]] = True
    left, right = left[best], right[best]
    sizes = (tables.left.row.size, tables.right.row.size)
    return clean_edges(*sizes, left, right, pair_weights(tables, left, right))
