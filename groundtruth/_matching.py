"""Sparse maximum-weight matching: clean edges, connected components, one exact solver per component."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from groundtruth.errors import WorkLimitExceeded
from groundtruth.record_classes import IntArray

# Float64 holds every integer below this bound.
_EXACT = 2**53
# Below this many cells a dense matrix beats the set-up of a sparse one, whatever its density.
_SMALL_CELLS = 40_000
# A larger component goes to the dense solver when at least one cell in this many is an edge, and memory allows it.
_DENSE_SHARE = 4
_DENSE_CELLS = 25_000_000


class Edges(NamedTuple):
    """Edges of a bipartite graph by rising (left, right), no two parallel, every weight positive."""

    left: IntArray
    right: IntArray
    weight: IntArray

    def take(self, index: IntArray | npt.NDArray[np.bool_]) -> Edges:
        """The edges at ``index``, which must keep their order."""
        return Edges(self.left[index], self.right[index], self.weight[index])


class Pairs(NamedTuple):
    """A matching: ``left[k]`` is paired with ``right[k]``, by rising left."""

    left: IntArray
    right: IntArray


NO_PAIRS = Pairs(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def clean_edges(n_left: int, n_right: int, left: IntArray, right: IntArray, weight: IntArray) -> Edges:
    """Check, sort, and keep the heaviest of parallel edges.

    Raises:
        ValueError: arrays of different length, an index outside its side, or a weight below 1.
        WorkLimitExceeded: weights so large that float64 could round a sum of them.
    """
    left, right, weight = (np.asarray(array, dtype=np.int64) for array in (left, right, weight))
    if not left.shape == right.shape == weight.shape or left.ndim != 1:
        raise ValueError(f"edges need three arrays of one length, got {left.shape}, {right.shape}, {weight.shape}")
    if not left.size:
        return Edges(left, right, weight)
    if left.min() < 0 or left.max() >= n_left or right.min() < 0 or right.max() >= n_right:
        raise ValueError(f"an edge leaves the {n_left} left or the {n_right} right records")
    if weight.min() < 1:
        raise ValueError(f"weights are positive, got {weight.min()}")
    if int(weight.max()) * (n_left + n_right + 1) >= _EXACT:
        raise WorkLimitExceeded(
            f"weights up to {weight.max()} over {n_left} and {n_right} records pass 2**53: divide the weights"
        )
    return sorted_edges(left, right, weight)


def sorted_edges(left: IntArray, right: IntArray, weight: IntArray) -> Edges:
    """The edges in order, the heaviest of parallel ones."""
    order = np.lexsort((-weight, right, left))
    edges = Edges(left[order], right[order], weight[order])
    first = np.ones(left.size, dtype=bool)
    first[1:] = (np.diff(edges.left) != 0) | (np.diff(edges.right) != 0)
    return edges.take(first)


def match(n_left: int, n_right: int, edges: Edges) -> Pairs:
    """A matching of the greatest total weight; every pair is an edge."""
    if not edges.left.size:
        return NO_PAIRS
    component = _component_of_edge(n_left, n_right, edges)
    star = _is_star(component, edges)
    found = [_centre_edges(component[star], edges.take(star))]
    rest = edges.take(~star)
    order = np.argsort(component[~star], kind="stable")
    cuts = np.flatnonzero(np.diff(component[~star][order])) + 1
    found.extend(_solve(rest.take(part)) for part in np.split(order, cuts) if part.size)
    left = np.concatenate([pairs.left for pairs in found])
    right = np.concatenate([pairs.right for pairs in found])
    order = np.argsort(left)
    return Pairs(left[order], right[order])


def _component_of_edge(n_left: int, n_right: int, edges: Edges) -> IntArray:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    size = n_left + n_right
    ones = np.ones(edges.left.size, dtype=np.int8)
    graph = coo_array((ones, (edges.left, edges.right + n_left)), shape=(size, size))
    _, label = connected_components(graph, directed=False)
    return np.asarray(label[edges.left], dtype=np.int64)


def _is_star(component: IntArray, edges: Edges) -> npt.NDArray[np.bool_]:
    """Per edge, whether all edges of its component meet in one record."""
    star = np.zeros(component.size, dtype=bool)
    for end in (edges.left, edges.right):
        some = np.zeros(int(component.max()) + 1, dtype=np.int64)
        some[component] = end
        alone = np.ones(some.size, dtype=bool)
        alone[component[end != some[component]]] = False
        star |= alone[component]
    return star


def _centre_edges(component: IntArray, edges: Edges) -> Pairs:
    """The heaviest edge of every star, the first by (left, right) among equals."""
    order = np.lexsort((edges.right, edges.left, -edges.weight, component))
    first = np.ones(order.size, dtype=bool)
    first[1:] = np.diff(component[order]) != 0
    best = order[first]
    return Pairs(edges.left[best], edges.right[best])


def _solve(edges: Edges) -> Pairs:
    lefts, row = np.unique(edges.left, return_inverse=True)
    rights, column = np.unique(edges.right, return_inverse=True)
    cells = lefts.size * rights.size
    crowded = edges.weight.size * _DENSE_SHARE >= cells and cells <= _DENSE_CELLS
    if cells <= _SMALL_CELLS or crowded:
        matrix = np.zeros((lefts.size, rights.size))
        matrix[row, column] = edges.weight
        pairs = match_dense(matrix)
    else:
        pairs = _match_sparse(row, column, edges.weight, (lefts.size, rights.size))
    return Pairs(lefts[pairs.left], rights[pairs.right])


def match_dense(weight: npt.NDArray[np.float64]) -> Pairs:
    """A matching of the greatest total weight; a cell of 0 is no edge."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(weight, maximize=True)
    kept = weight[rows, columns] > 0
    return Pairs(rows[kept], columns[kept])


def _match_sparse(row: IntArray, column: IntArray, weight: IntArray, shape: tuple[int, int]) -> Pairs:
    """Give each row a private column of weight 0, so that a matching of all rows always exists."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    n_rows, n_columns = shape
    alone = np.arange(n_rows)
    # The solver takes no explicit zeros: every cost is raised by one more than the heaviest weight.
    cost = int(weight.max()) + 1 - np.concatenate([weight, np.zeros(n_rows, dtype=np.int64)])
    ends = (np.concatenate([row, alone]), np.concatenate([column, n_columns + alone]))
    graph = coo_array((cost.astype(np.float64), ends), shape=(n_rows, n_columns + n_rows)).tocsr()
    rows, columns = min_weight_full_bipartite_matching(graph)
    kept = columns < n_columns
    return Pairs(np.asarray(rows[kept], dtype=np.int64), np.asarray(columns[kept], dtype=np.int64))
