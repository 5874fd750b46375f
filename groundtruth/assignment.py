"""Optimal one-to-one pairing of records, sparse and exact.

Why the answer is optimal: a pairing never crosses connected components of the graph of edges, so each component is
solved alone; a star has one pair, its heaviest edge; every other component goes to an exact solver of the linear
assignment problem. The solvers compute in float64, which holds every integer below 2**53; weights are integers and
the largest sum that a solver can form is checked against that bound first, so nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from groundtruth.errors import WorkLimitExceeded

IntArray = npt.NDArray[np.int64]

# A dense matrix of this many cells is solved faster than the sparse form of the same component.
_DENSE_CELLS = 4_000_000
_EXACT = 2**53


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

    The result is a function of the set of edges: the order in which they are given does not matter. Between pairings
    of equal total weight the solver's choice depends only on how the records are numbered, so a caller who numbers
    them by content gets an answer that depends on content alone.

    Raises:
        ValueError: an index outside its side, arrays of different length, or a weight below 1.
        WorkLimitExceeded: weights so large that float64 could round a sum.
    """
    left, right, weight = _clean_edges(n_left, n_right, left, right, weight)
    if not left.size:
        return []
    pairs: list[tuple[int, int]] = []
    for edges in _components(n_left, n_right, left, right):
        pairs.extend(_solve_component(left[edges], right[edges], weight[edges]))
    return sorted(pairs)


def _clean_edges(
    n_left: int, n_right: int, left: IntArray, right: IntArray, weight: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    left, right, weight = (np.asarray(array, dtype=np.int64) for array in (left, right, weight))
    if not left.shape == right.shape == weight.shape or left.ndim != 1:
        raise ValueError(f"edges need three arrays of one length, got {left.shape}, {right.shape}, {weight.shape}")
    if not left.size:
        return left, right, weight
    if left.min() < 0 or left.max() >= n_left or right.min() < 0 or right.max() >= n_right:
        raise ValueError(f"an edge leaves the {n_left} left or the {n_right} right records")
    if weight.min() < 1:
        raise ValueError(f"weights are positive, got {weight.min()}")
    if int(weight.max()) * (n_left + n_right + 1) >= _EXACT:
        raise WorkLimitExceeded(
            f"weights up to {weight.max()} over {n_left} and {n_right} records pass 2**53: divide the weights"
        )
    order = np.lexsort((-weight, right, left))
    left, right, weight = left[order], right[order], weight[order]
    first = np.ones(left.size, dtype=bool)
    first[1:] = (left[1:] != left[:-1]) | (right[1:] != right[:-1])
    return left[first], right[first], weight[first]


def _components(n_left: int, n_right: int, left: IntArray, right: IntArray) -> Iterator[IntArray]:
    """Edge indices of each connected component, by the component's smallest left record."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(left.size, dtype=np.int8), (left, right + n_left)), shape=(n_left + n_right,) * 2)
    _, label = connected_components(graph, directed=False)
    of_edge = label[left]
    order = np.argsort(of_edge, kind="stable")
    cuts = np.flatnonzero(np.diff(of_edge[order])) + 1
    yield from np.split(order, cuts)


def _solve_component(left: IntArray, right: IntArray, weight: IntArray) -> list[tuple[int, int]]:
    lefts, row = np.unique(left, return_inverse=True)
    rights, column = np.unique(right, return_inverse=True)
    if lefts.size == 1 or rights.size == 1:
        best = int(np.argmax(weight))
        return [(int(left[best]), int(right[best]))]
    if lefts.size * rights.size <= _DENSE_CELLS:
        pairs = _solve_dense(row, column, weight, (lefts.size, rights.size))
    else:
        pairs = _solve_sparse(row, column, weight, (lefts.size, rights.size))
    return [(int(lefts[i]), int(rights[j])) for i, j in pairs]


def _solve_dense(row: IntArray, column: IntArray, weight: IntArray, shape: tuple[int, int]) -> list[tuple[int, int]]:
    from scipy.optimize import linear_sum_assignment

    matrix = np.zeros(shape)
    matrix[row, column] = weight
    rows, columns = linear_sum_assignment(matrix, maximize=True)
    kept = matrix[rows, columns] > 0
    return list(zip(rows[kept].tolist(), columns[kept].tolist(), strict=True))


def _solve_sparse(row: IntArray, column: IntArray, weight: IntArray, shape: tuple[int, int]) -> list[tuple[int, int]]:
    """Give each row a private column of weight 0, so that a pairing of all rows always exists."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    n_rows, n_columns = shape
    alone = np.arange(n_rows)
    # The solver takes no explicit zeros: every cost is raised by one more than the heaviest weight.
    cost = int(weight.max()) + 1 - np.concatenate([weight, np.zeros(n_rows, dtype=np.int64)])
    graph = coo_array(
        (cost.astype(np.float64), (np.concatenate([row, alone]), np.concatenate([column, n_columns + alone]))),
        shape=(n_rows, n_columns + n_rows),
    ).tocsr()
    rows, columns = min_weight_full_bipartite_matching(graph)
    kept = columns < n_columns
    return list(zip(rows[kept].tolist(), columns[kept].tolist(), strict=True))
