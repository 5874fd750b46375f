"""Exact pairing of many records that resemble one another, without pricing all pairs.

The matching is computed on few edges, which carry the exact weight of their pair. The prices that prove it optimal over
these edges are then tried on all pairs. The bound of a pair takes all nested features that two records have in common
as matched, and the greatest tie they allow. A pair whose bound does not pass its prices cannot improve the matching;
any other is weighed exactly and becomes an edge, and the step repeats. When there is none left, no matching weighs more
than the sum of the prices, which is what this one weighs.
"""

from __future__ import annotations

import numpy as np

from groundtruth._large_pairs import promising
from groundtruth._matching import Edges, Pairs, match, sorted_edges
from groundtruth._nested import NestedLists
from groundtruth._prices import middle_prices
from groundtruth._records import Records
from groundtruth._search import Scale, Search
from groundtruth._tables import Tables, pair_weights


def solve_large(records: Records, scale: Scale, max_work: int) -> Pairs:
    """The heaviest matching, as positions.

    Raises:
        WorkLimitExceeded: more than ``max_work`` cells would be compared, or steps of about that cost taken.
    """
    edges = _weighed(records, scale, _first_edges(records))
    search = Search(records, scale, max_work)
    while True:
        # The solver takes that many steps at worst.
        search.spend(edges.left.size * min(records.shape))
        pairs = match(*records.shape, edges)
        better = search.beaten(middle_prices(*records.shape, edges, pairs))
        if not better.left.size:
            return pairs
        edges = sorted_edges(*map(np.concatenate, zip(edges, _weighed(records, scale, better), strict=True)))


def _weighed(records: Records, scale: Scale, pairs: Pairs) -> Edges:
    """The pairs that match in a cell, as edges."""
    worth = records.worth(*pairs)
    kept = worth.matched > 0
    return sorted_edges(pairs.left[kept], pairs.right[kept], (worth.matched * scale.cell + worth.tie)[kept])


def _first_edges(records: Records) -> Pairs:
    """Pairs that agree in most columns, and of the pairs with a bonus those that match best."""
    if records.nested is None:
        edges = promising(records.tables)
    else:
        edges = promising(_with_contents(records, records.nested), compared_pairs=0)
    left, right, _ = records.ties.bonus_within(*records.rows)
    matched = pair_weights(records.tables, left, right)
    best = np.zeros(records.shape[0], dtype=np.int64)
    np.maximum.at(best, left, matched)
    kept = (matched > 0) & (matched == best[left])
    return Pairs(np.concatenate([edges.left, left[kept]]), np.concatenate([edges.right, right[kept]]))


def _with_contents(records: Records, nested: NestedLists) -> Tables:
    """The tables with one more column, the content of the nested lists: equal lists are as promising as equal cells."""
    tables = records.tables
    content = [each[row] for each, row in zip(nested.content, records.rows, strict=True)]
    number = np.unique(np.concatenate(content), return_inverse=True)[1].astype(np.int32)
    cells = [
        np.vstack([side.cells, each])
        for side, each in zip((tables.left, tables.right), np.split(number, [content[0].size]), strict=True)
    ]
    return tables._replace(
        left=tables.left._replace(cells=cells[0]),
        right=tables.right._replace(cells=cells[1]),
        weight=(*tables.weight, np.ones(number.size + 1, dtype=np.int64)),
    )
