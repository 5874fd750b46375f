"""Count the cells in which records agree, tile by tile, without leaving the processor's cache."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from groundtruth._records import Records
from groundtruth._tables import DEAD, Cells
from groundtruth.record_classes import IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Tiles and their counts stay in the cache of one core.
_TILE_LEFT, _TILE_RIGHT = 64, 4096

# Codes of cells that agree with nothing of the other side.
_DEAD_LEFT, _DEAD_RIGHT = 0, 1


class Tile(NamedTuple):
    """Positions of left and of right records that are compared together."""

    left: IntArray
    right: IntArray


def tiles(left: IntArray, right: IntArray) -> Iterator[Tile]:
    """All pairs of a left and a right position, in tiles of neighbours."""
    for j in range(0, right.size, _TILE_RIGHT):
        for i in range(0, left.size, _TILE_LEFT):
            yield Tile(left[i : i + _TILE_LEFT], right[j : j + _TILE_RIGHT])


class Comparison:
    """Bounds the cells that pairs of records match.

    Attributes:
        most: per left and per right record the most cells it can match.
        columns: how many comparisons a pair takes.
    """

    def __init__(self, records: Records) -> None:
        """Pack the codes."""
        tables = records.tables
        self.columns = len(tables.weight) + (records.nested is not None)
        self._cells = [_narrow(*each) for each in zip(tables.left.cells, tables.right.cells, strict=True)]
        self._features: tuple[csr_array, csr_array] | None = None
        most = [(side.cells != DEAD).sum(axis=0) for side in (tables.left, tables.right)]
        if records.nested is not None:
            left, right = (each[row] for each, row in zip(records.nested.features, records.rows, strict=True))
            self._features = (left, right.T.tocsr())
            most = [most[0] + left.sum(axis=1), most[1] + right.sum(axis=1)]
        self.most = (most[0], most[1])
        # Doubled counts, and twice two prices that are no greater, fit.
        greatest = max(int(each.max()) for each in most)
        self._kind: type[np.signedinteger] = np.int8 if greatest < 2**5 else np.int16 if greatest < 2**13 else np.int64
        self._counts = np.empty(_TILE_LEFT * _TILE_RIGHT, dtype=self._kind)
        self._equal = np.empty(_TILE_LEFT * _TILE_RIGHT, dtype=np.bool_)

    def close(self, tile: Tile, left: IntArray, right: IntArray, least: int) -> tuple[IntArray, IntArray, IntArray]:
        """The pairs with ``2 * bound - left - right >= least``, and the bound, which is positive.

        Args:
            tile: the positions to compare.
            left: per left record half its price or so, in cells; ``right`` likewise.
            right: see ``left``.
            least: 0 or 1.

        Returns:
            Positions of left and of right records, and their bound in cells.
        """
        excess = self._bounds(tile)
        np.add(excess, excess, out=excess)
        np.subtract(excess, left[tile.left].astype(self._kind)[:, None], out=excess)
        np.subtract(excess, right[tile.right].astype(self._kind), out=excess)
        # Few rows have close pairs, and looking for them cell by cell takes longer than the comparison.
        rows = np.flatnonzero(excess.max(axis=1) >= least)
        excess = excess[rows]
        row, column = np.nonzero(excess >= least)
        ends = (tile.left[rows[row]], tile.right[column])
        bound = (excess[row, column] + left[ends[0]] + right[ends[1]]) // 2
        return ends[0][bound > 0], ends[1][bound > 0], bound[bound > 0]

    def _bounds(self, tile: Tile) -> npt.NDArray[np.signedinteger]:
        """Left × right, the most cells each pair matches; valid until the next call."""
        shape = (tile.left.size, tile.right.size)
        size = shape[0] * shape[1]
        count, equal = self._counts[:size].reshape(shape), self._equal[:size].reshape(shape)
        count.fill(0)
        for mine, other in self._cells:
            codes = mine[tile.left]
            live = np.flatnonzero(codes != _DEAD_LEFT)
            if 2 * live.size > codes.size:
                np.equal(codes[:, None], other[tile.right], out=equal)
                np.add(count, equal.view(np.int8), out=count)
            elif live.size:
                # A column of alternate readings is empty in most rows.
                count[live] += np.equal(codes[live][:, None], other[tile.right]).view(np.int8)
        if self._features is not None:
            common = self._features[0][tile.left] @ self._features[1][:, tile.right]
            count += common.toarray().astype(self._kind)
        return count


def _narrow(left: Cells, right: Cells) -> tuple[npt.NDArray[np.integer], npt.NDArray[np.integer]]:
    """The codes of a column in as few bytes as hold them; a dead cell differs from every other."""
    value, number = np.unique(np.concatenate([left, right]), return_inverse=True)
    number += 2
    number[: left.size][left == DEAD] = _DEAD_LEFT
    number[left.size :][right == DEAD] = _DEAD_RIGHT
    narrow = number.astype(np.min_scalar_type(value.size + 2))
    return narrow[: left.size], narrow[left.size :]
