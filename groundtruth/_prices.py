"""Prices that prove a matching: the dual solution of the assignment problem.

Give every record a price of at least 0, an unpaired record 0, so that the prices of a pair sum to its weight and those
of any other two records to no less than the weight between them. Then no matching weighs more than the sum of all
prices, and this one weighs exactly that. Prices in [least, greatest] exist whenever a matching is optimal; the middle
of that range is used, because it leaves most room for records that were not compared yet.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from groundtruth._matching import Edges, Pairs
from groundtruth.record_classes import IntArray, ranges


class Prices(NamedTuple):
    """Doubled prices per record, so that the middle between two integers is an integer."""

    left: IntArray
    right: IntArray


def middle_prices(n_left: int, n_right: int, edges: Edges, pairs: Pairs) -> Prices:
    """Prices that prove ``pairs`` optimal over ``edges``.

    Raises:
        ArithmeticError: there are none, because the matching is not optimal.
    """
    weight = _pair_weights(n_left, edges, pairs)
    mate = np.full(n_left, -1, dtype=np.int64)
    mate[pairs.left] = pairs.right
    back = np.full(n_right, -1, dtype=np.int64)
    back[pairs.right] = pairs.left
    right_weight = np.zeros(n_right, dtype=np.int64)
    right_weight[pairs.right] = weight[pairs.left]
    least_right = _least_prices(n_right, edges.left, edges.right, edges.weight, mate, weight, back)
    least_left = _least_prices(n_left, edges.right, edges.left, edges.weight, back, right_weight, mate)
    prices = Prices(np.zeros(n_left, dtype=np.int64), np.zeros(n_right, dtype=np.int64))
    slack = weight[pairs.left] - least_left[pairs.left] - least_right[pairs.right]
    if slack.size and slack.min() < 0:
        raise ArithmeticError("the matching is not optimal: no prices prove it")
    prices.left[pairs.left] = 2 * least_left[pairs.left] + slack
    prices.right[pairs.right] = 2 * least_right[pairs.right] + slack
    return prices


def _pair_weights(n_left: int, edges: Edges, pairs: Pairs) -> IntArray:
    """Per left record the weight of its pair, 0 without one."""
    mate = np.full(n_left, -1, dtype=np.int64)
    mate[pairs.left] = pairs.right
    chosen = mate[edges.left] == edges.right
    weight = np.zeros(n_left, dtype=np.int64)
    weight[edges.left[chosen]] = edges.weight[chosen]
    return weight


def _least_prices(
    n_far: int,
    near: IntArray,
    far: IntArray,
    weight: IntArray,
    mate: IntArray,
    pair_weight: IntArray,
    far_mate: IntArray,
) -> IntArray:
    """The least price of every far record, given that near records take what their pair leaves them.

    A near record without a mate has price 0, so each far neighbour costs at least the edge. A near record whose mate
    costs p keeps ``pair_weight - p``, so each other far neighbour costs at least ``p + weight - pair_weight``.
    """
    price = np.zeros(n_far, dtype=np.int64)
    source = mate[near]
    outer = source < 0
    np.maximum.at(price, far[outer], weight[outer])
    if price[far_mate < 0].any():
        raise ArithmeticError("the matching is not optimal: two unpaired records share an edge")
    inner = ~outer & (source != far) & (far_mate[far] >= 0)
    source, target = source[inner], far[inner]
    step = weight[inner] - pair_weight[near[inner]]
    order = np.argsort(source, kind="stable")
    source, target, step = source[order], target[order], step[order]
    start = np.searchsorted(source, np.arange(n_far + 1))
    # At first every record may raise its neighbours; afterwards only those that rose.
    active = np.flatnonzero(np.diff(start))
    for _ in range(n_far + 1):
        if not active.size:
            return price
        edge = ranges(start[active], start[active + 1])
        raised = price[source[edge]] + step[edge]
        better = raised > price[target[edge]]
        np.maximum.at(price, target[edge[better]], raised[better])
        active = np.unique(target[edge[better]])
        active = active[start[active] < start[active + 1]]
    raise ArithmeticError("the matching is not optimal: prices rise without end")
