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

import numpy as np

from groundtruth._class_pairs import solve_classes
from groundtruth._components import Component, components
from groundtruth._large_records import solve_large
from groundtruth._matching import NO_PAIRS, Pairs, match, match_dense, sorted_edges
from groundtruth._records import Records
from groundtruth._search import Scale, scale_of
from groundtruth._sure_pairs import Classes, equal_records, sure_pairs
from groundtruth._tables import BoolArray, pair_weights
from groundtruth.errors import WorkLimitExceeded
from groundtruth.record_classes import IntArray, record_classes, zip_classes

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
    pairs = Pairs(np.concatenate([part.left for part in found]), np.concatenate([part.right for part in found]))
    order = np.argsort(pairs.left)
    return Pairs(pairs.left[order], pairs.right[order])


def _make_sure_pairs(records: Records, max_work: int) -> tuple[Records, list[Pairs]]:
    """Make pairs that are sure until there are none; the records that are left."""
    found = [NO_PAIRS]
    while True:
        records = records.live()
        pairs = sure_pairs(records)
        if not pairs.left.size:
            pairs = _pair_equal(records, max_work)
        if not pairs.left.size:
            return records, found
        found.append(records.pairs(*pairs))
        records = records.without(*pairs)


def _pair_equal(records: Records, max_work: int) -> Pairs:
    """Positions of pairs of equal records, of the classes in which they are sure."""
    if not all(records.shape):
        return NO_PAIRS
    classes = equal_records(records)
    both = np.minimum(*classes.counts) > 0
    if not records.has_ties:
        return Pairs(*zip_classes(classes.left, classes.right))
    alike = _alike(records, classes)
    found = [_zip_within(classes, both & classes.closed & alike)]
    # As many left as right records: which of them are paired decides nothing outside of the class.
    even = both & classes.closed & ~alike & (classes.counts[0] == classes.counts[1])
    for component in _members(classes, even):
        pairs = _solve_equal(records.take(*component), max_work)
        found.append(Pairs(component.left[pairs.left], component.right[pairs.right]))
    return Pairs(np.concatenate([part.left for part in found]), np.concatenate([part.right for part in found]))


def _alike(records: Records, classes: Classes) -> BoolArray:
    """Per class whether its left records are worth the same tie in every pair, and its right records too."""
    alike = np.ones(classes.closed.size, dtype=bool)
    for side, (label, row) in enumerate(zip((classes.left, classes.right), records.rows, strict=True)):
        alike[label[records.ties.has_bonus[side][row]]] = False
        if records.ties.words is not None:
            number = record_classes(records.ties.words[side][row].view(np.int64).T)
            some = np.zeros(alike.size, dtype=np.int64)
            some[label] = number
            alike[label[number != some[label]]] = False
    return alike


def _zip_within(classes: Classes, chosen: BoolArray) -> Pairs:
    left, right = np.flatnonzero(chosen[classes.left]), np.flatnonzero(chosen[classes.right])
    zipped = zip_classes(classes.left[left], classes.right[right])
    return Pairs(left[zipped[0]], right[zipped[1]])


def _members(classes: Classes, chosen: BoolArray) -> list[Component]:
    left, right = (np.argsort(label, kind="stable") for label in (classes.left, classes.right))
    members = []
    for label in np.flatnonzero(chosen):
        ends = [
            order[slice(*np.searchsorted(labels[order], (label, label + 1)))]
            for order, labels in ((left, classes.left), (right, classes.right))
        ]
        members.append(Component(ends[0], ends[1]))
    return members


def _solve_equal(records: Records, max_work: int) -> Pairs:
    """Pair all of the fewer of records that are all equal in what can match, for the greatest tie."""
    n_left, n_right = records.shape
    _check_exact(records, scale_of(records), 0)
    if n_left * n_right <= _PRICED_PAIRS:
        from scipy.optimize import linear_sum_assignment

        tie = records.ties.of_block(*records.rows)
        return Pairs(*linear_sum_assignment(tie.astype(np.float64), maximize=True))
    if records.ties.words is not None and any(
        len(np.unique(words[row], axis=0)) > 1 for words, row in zip(records.ties.words, records.rows, strict=True)
    ):
        return _solve(records, max_work, equal=False)
    pairs = match(n_left, n_right, sorted_edges(*records.ties.bonus_within(*records.rows)))
    rest = [np.setdiff1d(np.arange(size), ends) for size, ends in zip(records.shape, pairs, strict=True)]
    size = min(rest[0].size, rest[1].size)
    return Pairs(np.concatenate([pairs.left, rest[0][:size]]), np.concatenate([pairs.right, rest[1][:size]]))


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
    if not alone:
        return NO_PAIRS, others
    return Pairs(np.concatenate([part.left for part in alone]), np.concatenate([part.right for part in alone])), others


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
        _check_exact(records, scale, records.most_matched())
        return solve_large(records, scale, max_work)
    worth = records.worth_block()
    _check_exact(records, scale, int(worth.matched.max()))
    return match_dense((worth.matched * scale.cell + worth.tie).astype(np.float64))


def _check_exact(records: Records, scale: Scale, most: int) -> None:
    # Every record may stay alone, at a loss of no more than its heaviest pair; so no path of the solvers costs more
    # than a few such weights.
    if 8 * scale.cell * (most + 1) >= _EXACT:
        raise WorkLimitExceeded(
            f"ties of {records.shape[0]} and {records.shape[1]} records sum to as much as {records.tie_bound()}, "
            f"too much for exact sums: give smaller ties"
        )
