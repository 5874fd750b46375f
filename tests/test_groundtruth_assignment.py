from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundtruth import _matching
from groundtruth._matching import Edges, Pairs, clean_edges, match
from groundtruth._prices import middle_prices
from groundtruth.assignment import IntArray, maximum_weight_matching
from groundtruth.errors import WorkLimitExceeded

Edge = tuple[int, int, int]


def arrays(edges: list[Edge]) -> tuple[IntArray, IntArray, IntArray]:
    left, right, weight = np.array(edges, dtype=np.int64).reshape(-1, 3).T
    return left, right, weight


def solve(n_left: int, n_right: int, edges: list[Edge]) -> list[tuple[int, int]]:
    return maximum_weight_matching(n_left, n_right, *arrays(edges))


def heaviest(edges: list[Edge]) -> dict[tuple[int, int], int]:
    weights: dict[tuple[int, int], int] = {}
    for left, right, weight in edges:
        weights[left, right] = max(weight, weights.get((left, right), 0))
    return weights


def optimum(n_left: int, n_right: int, edges: list[Edge]) -> int:
    """The greatest total weight, by trying every injection of the smaller side."""
    weights = heaviest(edges)
    if n_left > n_right:
        weights = {(right, left): weight for (left, right), weight in weights.items()}
        n_left, n_right = n_right, n_left
    return max(
        sum(weights.get(pair, 0) for pair in enumerate(chosen))
        for chosen in itertools.permutations(range(n_right), n_left)
    )


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, int, list[Edge]]:
    n_left, n_right = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    edge = st.tuples(st.integers(0, n_left - 1), st.integers(0, n_right - 1), st.integers(1, 6))
    return n_left, n_right, draw(st.lists(edge, max_size=18))


@pytest.mark.parametrize(
    ("edges", "pairs"),
    [
        pytest.param([], [], id="no edges"),
        pytest.param([(1, 2, 5)], [(1, 2)], id="one edge"),
        pytest.param([(0, 0, 5), (1, 1, 1)], [(0, 0), (1, 1)], id="edges apart"),
        pytest.param([(0, 0, 2), (0, 1, 3), (0, 2, 1)], [(0, 1)], id="star on the left"),
        pytest.param([(0, 1, 2), (1, 1, 3), (2, 1, 1)], [(1, 1)], id="star on the right"),
        pytest.param([(0, 0, 2), (0, 1, 2)], [(0, 0)], id="star with a tie: the first"),
        pytest.param([(0, 0, 3), (0, 1, 2), (1, 0, 2)], [(0, 1), (1, 0)], id="two lesser edges outweigh one"),
        pytest.param([(0, 0, 5), (0, 1, 2), (1, 0, 2)], [(0, 0)], id="one edge outweighs two, a record stays alone"),
        pytest.param([(0, 0, 1), (0, 0, 9), (0, 1, 5)], [(0, 0)], id="of parallel edges the heaviest"),
    ],
)
def test_pairs_by_hand(edges: list[Edge], pairs: list[tuple[int, int]]) -> None:
    assert solve(3, 3, edges) == pairs


@given(graphs())
def test_the_total_is_the_optimum_and_pairs_are_edges(graph: tuple[int, int, list[Edge]]) -> None:
    n_left, n_right, edges = graph
    pairs = solve(n_left, n_right, edges)
    weights = heaviest(edges)
    assert sum(weights[pair] for pair in pairs) == optimum(n_left, n_right, edges)
    assert len({left for left, _ in pairs}) == len({right for _, right in pairs}) == len(pairs)


@given(graphs(), st.data())
def test_the_order_of_edges_does_not_matter(graph: tuple[int, int, list[Edge]], data: st.DataObject) -> None:
    n_left, n_right, edges = graph
    shuffled = data.draw(st.permutations(edges))
    assert solve(n_left, n_right, edges) == solve(n_left, n_right, shuffled)


@given(graphs())
@settings(max_examples=50)
def test_the_sparse_solver_finds_the_same_total_as_the_dense_one(graph: tuple[int, int, list[Edge]]) -> None:
    n_left, n_right, edges = graph
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_matching, "_SMALL_CELLS", 0)
        patch.setattr(_matching, "_DENSE_CELLS", 0)
        pairs = solve(n_left, n_right, edges)
    assert sum(heaviest(edges)[pair] for pair in pairs) == optimum(n_left, n_right, edges)


@given(graphs())
def test_prices_prove_the_matching(graph: tuple[int, int, list[Edge]]) -> None:
    n_left, n_right, given_edges = graph
    edges = clean_edges(n_left, n_right, *arrays(given_edges))
    pairs = match(n_left, n_right, edges)
    prices = middle_prices(n_left, n_right, edges, pairs)
    assert (prices.left >= 0).all()
    assert (prices.right >= 0).all()
    assert (prices.left[edges.left] + prices.right[edges.right] >= 2 * edges.weight).all()
    assert prices.left.sum() + prices.right.sum() == 2 * optimum(n_left, n_right, given_edges)


@pytest.mark.parametrize(
    ("edges", "pairs"),
    [
        pytest.param([(0, 0, 1), (0, 1, 2)], [(0, 0)], id="a heavier edge to a free record"),
        pytest.param([(0, 0, 1), (1, 1, 1)], [(0, 0)], id="an edge between two free records"),
        pytest.param([(0, 0, 1), (0, 1, 3), (1, 0, 3), (1, 1, 1)], [(0, 0), (1, 1)], id="a heavier exchange"),
        pytest.param([(0, 0, 1), (1, 0, 2)], [(0, 0)], id="a heavier edge from a free record"),
    ],
)
def test_no_prices_prove_a_matching_that_is_not_optimal(edges: list[Edge], pairs: list[tuple[int, int]]) -> None:
    left, right = np.array(pairs, dtype=np.int64).T
    with pytest.raises(ArithmeticError, match="not optimal"):
        middle_prices(2, 2, clean_edges(2, 2, *arrays(edges)), Pairs(left, right))


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        pytest.param([(3, 0, 1)], "leaves the 3 left", id="left index too large"),
        pytest.param([(0, -1, 1)], "3 right records", id="right index negative"),
        pytest.param([(0, 0, 0)], "positive, got 0", id="weight of nothing"),
    ],
)
def test_edges_that_are_none_are_refused(edges: list[Edge], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        solve(3, 3, edges)


def test_arrays_of_different_length_are_refused() -> None:
    one, two = np.zeros(1, dtype=np.int64), np.zeros(2, dtype=np.int64)
    with pytest.raises(ValueError, match="one length"):
        maximum_weight_matching(3, 3, one, two, one)


def test_weights_that_float64_could_round_are_refused() -> None:
    with pytest.raises(WorkLimitExceeded, match="divide the weights"):
        solve(3, 3, [(0, 0, 2**51)])


def test_large_weights_below_the_bound_are_not_rounded() -> None:
    heavy = 2**49
    assert solve(2, 2, [(0, 0, heavy + 1), (0, 1, heavy), (1, 0, heavy), (1, 1, heavy)]) == [(0, 0), (1, 1)]


@pytest.mark.parametrize("share", [0.01, 0.6])
def test_a_large_component_is_solved_exactly(share: float) -> None:
    rng = np.random.default_rng(5)
    weight: npt.NDArray[np.int64] = np.where(rng.random((300, 400)) < share, rng.integers(1, 9, (300, 400)), 0)
    # A chain holds everything together in one component.
    weight[np.arange(300), np.arange(300)] = 2
    weight[np.arange(299), np.arange(1, 300)] = 2
    left, right = np.nonzero(weight)
    edges = Edges(left, right, weight[left, right])
    pairs = match(300, 400, edges)
    prices = middle_prices(300, 400, edges, pairs)
    assert 2 * weight[pairs.left, pairs.right].sum() == prices.left.sum() + prices.right.sum()
