"""Which rows are connected by what they share, as the library of graphs that is too slow to load says it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from groundtruth._components import _labels
from groundtruth.record_classes import IntArray


def labels_of_scipy(rows: IntArray, nodes: IntArray, n_rows: int, size: int) -> list[int]:
    ends = (np.ones(rows.size, dtype=np.int8), (rows, n_rows + nodes))
    _, label = connected_components(coo_array(ends, shape=(n_rows + size, n_rows + size)))
    smallest: dict[int, int] = {}
    return [smallest.setdefault(each, row) for row, each in enumerate(label[:n_rows].tolist())]


@given(st.integers(1, 30), st.integers(1, 40), st.data())
def test_rows_get_the_label_of_the_smallest_row_they_are_connected_with(
    n_rows: int, size: int, data: st.DataObject
) -> None:
    edge = st.tuples(st.integers(0, n_rows - 1), st.integers(0, size - 1))
    edges = np.array(data.draw(st.lists(edge, max_size=60)), dtype=np.int64).reshape(-1, 2)
    rows, nodes = edges[:, 0], edges[:, 1]
    assert _labels(rows, nodes, n_rows, size).tolist() == labels_of_scipy(rows, nodes, n_rows, size)


def test_a_long_chain_in_any_order_is_one_part() -> None:
    count = 20_000
    chain = np.repeat(np.arange(count), 2)[1:-1]
    links = np.repeat(np.arange(count - 1), 2)
    shuffled = np.random.default_rng(5).permutation(count)
    assert not _labels(shuffled[chain], links, count, count).any()
