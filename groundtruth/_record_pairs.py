"""Pair records for the most matched cells, and among such pairings for the greatest tie, without pricing all pairs.

1. Pairs that every best pairing makes are made at once, and so are pairs of equal records wherever that is sure
   (``_sure_pairs`` has the proof). They leave the lists, which may leave values without an equal on the other side and
   make more pairs sure, until nothing changes.
2. What is left falls into components that share no value. A small one is priced in full and solved as it is.
3. A large one is solved on few edges, with a proof that no other pair can do better (``_large_records``). So is one
   whose records have nested lists, because these are costly to price.

Records that are equal in all cells are not safe to be paired as such: let a and a' be (x, y), b a right record that
agrees with a on x only, c a left one that agrees with a' on y only, and b and c hold different values otherwise. Then
the pairs (a, b) and (c, a') match in as many cells as (a, a') alone, and share more addresses.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from groundtruth._class_pairs import solve_classes
from groundtruth._components import Component, components
from groundtruth._large_records import solve_large
from groundtruth._matching import NO_PAIRS, Pairs, match, match_dense, sorted_edges
from groundtruth._records import Records
from groundtruth._search import scale_of
from groundtruth._sure_pairs import Classes, equal_records, sure_pairs
from groundtruth._tables import BoolArray, pair_weights
from groundtruth.errors import WorkLimitExceeded
from groundtruth.record_classes import IntArray, record_classes, zip_classes

# Rounds in which sure pairs are made.
_ROUNDS = 30
# A component of at most this many pairs is priced in full, or of at most that many when it has nested lists.
_PRICED_PAIRS = 4_000_000
_PRICED_LISTS = 64
# Float64 holds every integer below this bound.
_EXACT = 2**53


def pair(records: Records, max_work: int) -> Pairs:
    """See ``groundtruth.assignment.pair_records``."""
    records, found = _make_sure_pairs(records, max_work)
    alone, others = _split(components(records.tables, *_shared_features(records)))
    found.append(_pair_those_alone(records, alone))
    _price_small(records, others)
    for component in others:
        part = records.take(*component)
        found.append(part.pairs(*_solve(part, max_work)))
    pairs = _joined(found)
    order = np.argsort(pairs.left)
    return Pairs(pairs.left[order], pairs.right[order])


def _make_sure_pairs(records: Records, max_work: int) -> tuple[Records, list[Pairs]]:
    """Make pairs that are sure, most of the time until there are none; the records that are left, live."""
    found = [NO_PAIRS]
    records = records.live()
    # A chain of records could make one pair sure at a time; the other solvers find these too.
    for _ in range(_ROUNDS):
        pairs = sure_pairs(records)
        if not pairs.left.size:
            pairs = _pair_equal(records, max_work)
        if not pairs.left.size:
            break
        found.append(records.pairs(*pairs))
        records = records.without(*pairs).live()
    return records, found


def _pair_equal(records: Records, max_work: int) -> Pairs:
    """Positions of pairs of equal records, of the classes in which they are sure."""
    if not all(records.shape):
        return NO_PAIRS
    classes = equal_records(records)
    if not records.has_ties:
        return Pairs(*zip_classes(classes.left, classes.right))
    sure = classes.closed & (np.minimum(*classes.counts) > 0)
    # With as many left as right records it decides nothing outside of the class which of them are paired.
    even = classes.counts[0] == classes.counts[1]
    alike = _one_presence(records, classes)
    plain = alike & ~_any_bonus(records, classes)
    found = [_zip_within(classes, sure & plain), _pair_by_bonus(records, classes, sure & alike & even & ~plain)]
    for component in _members(classes, sure & even & ~alike):
        pairs = _solve_equal(records.take(*component), max_work)
        found.append(Pairs(component.left[pairs.left], component.right[pairs.right]))
    return _joined(found)


def _joined(found: Sequence[Pairs]) -> Pairs:
    return Pairs(np.concatenate([pairs.left for pairs in found]), np.concatenate([pairs.right for pairs in found]))


def _one_presence(records: Records, classes: Classes) -> BoolArray:
    """Per class whether all of its left records hold the same addresses, and all of its right ones."""
    alike = np.ones(classes.closed.size, dtype=bool)
    if records.ties.words is None:
        return alike
    for words, label, row in zip(records.ties.words, (classes.left, classes.right), records.rows, strict=True):
        number = record_classes(words[row].view(np.int64).T)
        some = np.zeros(alike.size, dtype=np.int64)
        some[label] = number
        alike[label[number != some[label]]] = False
    return alike


def _any_bonus(records: Records, classes: Classes) -> BoolArray:
    """Per class whether a pair of any of its records has a bonus."""
    some = np.zeros(classes.closed.size, dtype=bool)
    for has, label, row in zip(records.ties.has_bonus, (classes.left, classes.right), records.rows, strict=True):
        some[label[has[row]]] = True
    return some


def _zip_within(classes: Classes, chosen: BoolArray) -> Pairs:
    return _zip_rest(classes, np.flatnonzero(chosen[classes.left]), np.flatnonzero(chosen[classes.right]))


def _zip_rest(classes: Classes, left: IntArray, right: IntArray) -> Pairs:
    zipped = zip_classes(classes.left[left], classes.right[right])
    return Pairs(left[zipped[0]], right[zipped[1]])


def _pair_by_bonus(records: Records, classes: Classes, chosen: BoolArray) -> Pairs:
    """Pair all of the fewer of every chosen class within it, for the greatest bonus: nothing else differs."""
    if not chosen.any():
        return NO_PAIRS
    left, right, weight = records.ties.bonus_within(*records.rows)
    _check_exact(records, int(weight.max(initial=0)))
    inside = (classes.left[left] == classes.right[right]) & chosen[classes.left[left]]
    pairs = match(*records.shape, sorted_edges(left[inside], right[inside], weight[inside]))
    free = [chosen[label] for label in (classes.left, classes.right)]
    for each, ends in zip(free, pairs, strict=True):
        each[ends] = False
    return _joined([pairs, _zip_rest(classes, np.flatnonzero(free[0]), np.flatnonzero(free[1]))])


def _members(classes: Classes, chosen: BoolArray) -> list[Component]:
    """The records of every chosen class."""
    labels = np.flatnonzero(chosen)
    sides = []
    for label in (classes.left, classes.right):
        order = np.argsort(label, kind="stable")
        stop = np.cumsum(np.bincount(label, minlength=chosen.size))[labels]
        start = stop - np.bincount(label, minlength=chosen.size)[labels]
        sides.append([order[i:j] for i, j in zip(start, stop, strict=True)])
    return [Component(*ends) for ends in zip(*sides, strict=True)]


def _solve_equal(records: Records, max_work: int) -> Pairs:
    """Pair all of the fewer of records that are equal in all that can match, for the greatest tie."""
    if records.shape[0] * records.shape[1] <= _PRICED_PAIRS:
        from scipy.optimize import linear_sum_assignment

        tie = records.ties.of_block(*records.rows)
        _check_exact(records, int(tie.max()))
        return Pairs(*linear_sum_assignment(tie.astype(np.float64), maximize=True))
    classes = equal_records(records)
    if _one_presence(records, classes).all():
        return _pair_by_bonus(records, classes, np.ones(1, dtype=bool))
    return _solve(records, max_work, equal=False)


def _shared_features(records: Records) -> list[tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]]:
    """Who holds the nested features that both sides have."""
    if records.nested is None:
        return []
    features = [each[row] for each, row in zip(records.nested.features, records.rows, strict=True)]
    alive = np.logical_and(*(each.sum(axis=0) > 0 for each in features))
    sides = []
    for each in features:
        row, feature = each.tocoo().coords
        sides.append((row[alive[feature]].astype(np.int64), feature[alive[feature]].astype(np.int64)))
    return [(sides[0], sides[1])]


def _split(parts: list[Component]) -> tuple[Pairs, list[Component]]:
    """The components of one left and one right record, and the others."""
    alone = [part for part in parts if part.left.size == part.right.size == 1]
    others = [part for part in parts if part.left.size > 1 or part.right.size > 1]
    return _joined([NO_PAIRS, *(Pairs(*part) for part in alone)]), others


def _pair_those_alone(records: Records, pairs: Pairs) -> Pairs:
    """Pairs that have no other choice, but for those that match in nothing."""
    matched = pair_weights(records.tables, *pairs) > 0
    if records.nested is not None:
        matched[~matched] = records.worth(pairs.left[~matched], pairs.right[~matched]).matched > 0
    return records.pairs(pairs.left[matched], pairs.right[matched])


def _price_small(records: Records, parts: list[Component]) -> None:
    """Price the nested lists of small components at once."""
    small = [part for part in parts if part.left.size * part.right.size <= _PRICED_LISTS]
    if records.nested is not None and small:
        left = np.concatenate([np.repeat(part.left, part.right.size) for part in small])
        right = np.concatenate([np.tile(part.right, part.left.size) for part in small])
        records.worth(left, right)


def _solve(records: Records, max_work: int, *, equal: bool = True) -> Pairs:
    """The best pairing of one component, as positions."""
    size = records.shape[0] * records.shape[1]
    if equal and size > _PRICED_PAIRS and equal_records(records).closed.size == 1:
        return _solve_equal(records, max_work)
    if size > _PRICED_PAIRS and (pairs := solve_classes(records)) is not None:
        return pairs
    scale = scale_of(records)
    if size > (_PRICED_PAIRS if records.nested is None else _PRICED_LISTS):
        _check_exact(records, scale.cell * (records.most_matched() + 1))
        return solve_large(records, scale, max_work)
    worth = records.worth_block()
    _check_exact(records, scale.cell * (int(worth.matched.max()) + 1))
    return match_dense((worth.matched * scale.cell + worth.tie).astype(np.float64))


def _check_exact(records: Records, weight: int) -> None:
    """Refuse weights up to one whose sums float64 may round."""
    # Every record may stay alone, at a loss of no more than its heaviest pair; so no path of the solvers costs more
    # than a few such weights.
    if 8 * weight >= _EXACT:
        raise WorkLimitExceeded(
            f"ties of {records.shape[0]} and {records.shape[1]} records sum to as much as {records.tie_bound()}, "
            f"too much for exact sums: give smaller ties"
        )
