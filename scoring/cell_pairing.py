"""Which record of a prediction is scored against which record of the truth, for the metric ``value-f1``.

Pairings are compared by their right cells. Between pairings that have equally many, equal records get the partner that
grounds them best, and of records that differ those are taken whose contents come first. (That the better grounded one
of two different records is not preferred is how the published figures are made: agreement of values alone decides.)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from groundtruth.assignment import Bonus, IntArray, Nested, pair_records
from scoring.cell_keys import Key
from scoring.cell_rows import Plan, Record
from scoring.grounding import boxes_agree, pages_agree
from scoring.pairing import column_codes, equal_pairs, features, heaviest, others, priced
from scoring.places import Place, Places

_SMALL: Final = 400
"""So many pairs of records are weighed one by one; of more, only those that matter."""
_WORD: Final = 1 << 16
"""What a right box is worth beside a right page; a record has fewer cells."""
_NUMBER = re.compile(r"\d+")

Worth = tuple[int, int]
"""Right cells, and the right places of those of records that have an equal: boxes times ``_WORD`` plus pages."""
Pair = tuple[int, int]


@dataclass(slots=True)
class Worths:
    """What right places are worth, and the worths of pairs that were asked for.

    Attributes:
        truth: where the values of the truth stand.
        cited: what the prediction cites.
        known: by the identities of two records.
        any_placed: whether any place can be right.
    """

    truth: Places
    cited: Places
    known: dict[tuple[int, int], Worth] = field(default_factory=dict)
    any_placed: bool = field(init=False)

    def __post_init__(self) -> None:
        self.any_placed = bool(self.truth and self.cited)

    def placed(self, truth: Record, prediction: Record, column: int) -> int:
        """What the citations of a right cell are worth."""
        if not self.any_placed:
            return 0
        cited = self.cited.get(prediction.address(column))
        places = self.truth.get(truth.address(column))
        return _WORD * boxes_agree(places, cited) + pages_agree(places, cited) if places and cited else 0


@dataclass(frozen=True)
class _Side:
    """Records in the order of the document, with what is known of the likeness among them."""

    records: Sequence[Record]

    @cached_property
    def classes(self) -> IntArray:
        """A number per record, equal for records of equal content."""
        numbers: dict[Hashable, int] = {}
        return np.array([numbers.setdefault(_sameness(record), len(numbers)) for record in self.records], np.int64)

    @cached_property
    def has_equal(self) -> list[bool]:
        """Whether another record has the same content."""
        found: list[bool] = (np.bincount(self.classes) > 1)[self.classes].tolist()
        return found


def in_order(records: Sequence[Record], indices: Iterable[int], places: Places) -> list[int]:
    """The indices by the contents of their records, those of equal records by where these stand."""
    return sorted(indices, key=lambda index: _order_of(records[index], places))


def _sameness(record: Record) -> Hashable:
    """Equal for records of equal content, whatever the order of their lists."""
    cells = tuple(record.keys)
    if not record.accepted and not record.lists:
        return cells
    accepted = tuple(record.accepted.items())
    lists = tuple(frozenset(Counter(map(_sameness, rows)).items()) for rows in record.lists)
    return cells, accepted, lists


def pair_records_of(truth: Sequence[Record], prediction: Sequence[Record], plan: Plan, worths: Worths) -> list[Pair]:
    """Indices of records that are scored against each other, by rising index of the truth.

    All records of the shorter list are paired; those that have nothing in common last, in the order of their contents.

    Raises:
        WorkLimitExceeded: see ``pair_records``.
    """
    if not truth or not prediction:
        return []
    if len(truth) * len(prediction) <= _SMALL:
        mine = in_order(truth, range(len(truth)), worths.truth)
        other = in_order(prediction, range(len(prediction)), worths.cited)
        left, right = _Side([truth[at] for at in mine]), _Side([prediction[at] for at in other])
        found = [(mine[one], other[two]) for one, two in _pair_few(left, right, plan, worths)]
    else:
        found = _pair_many(truth, prediction, plan, worths)
    rest = (others(len(truth), (pair[0] for pair in found)), others(len(prediction), (pair[1] for pair in found)))
    if all(rest):
        left_over = in_order(truth, rest[0], worths.truth), in_order(prediction, rest[1], worths.cited)
        found += zip(*left_over, strict=False)
    return sorted(found)


def _pair_few(left: _Side, right: _Side, plan: Plan, worths: Worths) -> list[Pair]:
    shape = (len(left.records), len(right.records))
    table = np.array(
        [
            [
                record_worth(mine, other, plan, worths, placed=has_equal or other_has_equal)
                for other, other_has_equal in zip(right.records, right.has_equal, strict=True)
            ]
            for mine, has_equal in zip(left.records, left.has_equal, strict=True)
        ],
        dtype=np.int64,
    ).reshape(*shape, 2)
    cells, placed = table[:, :, 0], table[:, :, 1]
    weight = np.where(cells > 0, cells * (1 + int(placed.max()) * min(shape)) + placed, 0)
    return _earliest(heaviest(weight), left, lambda mine: cells[mine], worths)


def record_worth(truth: Record, prediction: Record, plan: Plan, worths: Worths, *, placed: bool = False) -> Worth:
    """What a pair of records is worth, its lists under their own best pairing included.

    Args:
        truth: a record of the truth.
        prediction: a record of the prediction.
        plan: the plan of both.
        worths: of places, and of pairs.
        placed: whether right places count beside right cells.
    """
    cells = place = 0
    for column, right in enumerate(truth.right(prediction)):
        if right:
            cells += 1
            place += worths.placed(truth, prediction, column) if placed else 0
    nested = nested_worth(truth, prediction, plan, worths) if plan.lists else (0, 0)
    return cells + nested[0], place + nested[1]


def nested_worth(truth: Record, prediction: Record, plan: Plan, worths: Worths) -> Worth:
    """What the lists of two records are worth under their best pairing."""
    key = (id(truth), id(prediction))
    if key not in worths.known:
        cells = place = 0
        for (_, inner), mine, other in zip(plan.lists, truth.lists, prediction.lists, strict=True):
            for left, right in pair_records_of(mine, other, inner, worths):
                more = record_worth(mine[left], other[right], inner, worths, placed=True)
                cells, place = cells + more[0], place + more[1]
        worths.known[key] = cells, place
    return worths.known[key]


def _pair_many(truth: Sequence[Record], prediction: Sequence[Record], plan: Plan, worths: Worths) -> list[Pair]:
    sure: list[Pair] = []
    if not plan.lists and not any(record.accepted for record in truth):
        sure = equal_pairs([record.keys for record in truth], [record.keys for record in prediction])
    mine, other = others(len(truth), (pair[0] for pair in sure)), others(len(prediction), (pair[1] for pair in sure))
    if not mine or not other:
        return sure
    if worths.any_placed:
        mine, other = _by_place(truth, mine, plan, worths.truth), _by_place(prediction, other, plan, worths.cited)
    left, right = _Side([truth[at] for at in mine]), _Side([prediction[at] for at in other])
    found = _pair_others(left, right, plan, worths)
    return sure + [(mine[one], other[two]) for one, two in found]


def _by_place(records: Sequence[Record], indices: Sequence[int], plan: Plan, places: Places) -> list[int]:
    """The indices in an order that does not depend on that of the records, where these alone would not give one."""
    has_equal = _Side([records[at] for at in indices]).has_equal
    order = {
        at: _order_of(records[at], places) for at, equal in zip(indices, has_equal, strict=True) if equal or plan.lists
    }
    return sorted(indices, key=lambda at: order.get(at, ()))


def _pair_others(left: _Side, right: _Side, plan: Plan, worths: Worths) -> list[Pair]:
    lefts, rights = left.records, right.records
    columns = [codes for column in range(len(plan.cells)) for codes in _coded(lefts, rights, column)]
    mine, other = (
        np.column_stack([codes[side] for codes in columns]) if columns else np.zeros((size, 0), dtype=np.int64)
        for side, size in enumerate((len(lefts), len(rights)))
    )
    nested = _nested(lefts, rights, plan, worths) if plan.lists else None
    found = pair_records(mine, other, bonus=_bonus(left, right, plan, worths), nested=nested)
    if nested is not None or not worths.cited or len(found) == len(lefts):
        return found
    return _earliest(found, left, lambda index: ((mine[index] == other) & (mine[index] >= 0)).sum(axis=1), worths)


def _earliest(pairs: Sequence[Pair], left: _Side, weights: Callable[[int], IntArray], worths: Worths) -> list[Pair]:
    """The pairs with every truth given up for one that is left over, comes before it, differs, and matches as much."""
    partner = np.full(len(left.records), -1, dtype=np.int64)
    own = np.zeros(len(left.records), dtype=np.int64)
    for mine, other in pairs:
        partner[mine] = other
        own[mine] = weights(mine)[other]
    contents: dict[int, tuple[object, ...]] = {}

    def content(index: int) -> tuple[object, ...]:
        if index not in contents:
            contents[index] = content_of(left.records[index])
        return contents[index]

    for mine in in_order(left.records, np.flatnonzero(partner < 0).tolist(), worths.truth):
        paired = np.flatnonzero(partner >= 0)
        worth = weights(mine)[partner[paired]]
        equal = paired[(worth == own[paired]) & (worth > 0) & (left.classes[paired] != left.classes[mine])]
        later = [index for index in equal.tolist() if content(index) > content(mine)]
        if later:
            given_up = min(later, key=content)
            partner[mine], partner[given_up] = partner[given_up], -1
            own[mine] = own[given_up]
    return [(mine, int(other)) for mine, other in enumerate(partner.tolist()) if other >= 0]


def _coded(truth: Sequence[Record], prediction: Sequence[Record], column: int) -> Iterator[tuple[IntArray, IntArray]]:
    """A column of codes, and one more for every further key that some cell of the truth accepts."""
    own = [record.keys[column] for record in truth]
    theirs = [record.keys[column] for record in prediction]
    width = 1 + max(len(record.accepted.get(column, ())) if record.accepted else 0 for record in truth)
    if width == 1:
        yield column_codes(own, theirs)
        return
    readings = [
        (key, *sorted(record.accepted.get(column, ()), key=repr)) for key, record in zip(own, truth, strict=True)
    ]
    flat = [keys[place] if place < len(keys) else None for place in range(width) for keys in readings]
    mine, other = column_codes(flat, theirs)
    for part in np.split(mine, width):
        yield part, other


def _bonus(left: _Side, right: _Side, plan: Plan, worths: Worths) -> Bonus | None:
    """What right citations are worth for pairs in which a record has an equal on its own side."""
    if not worths.any_placed or not (any(left.has_equal) or any(right.has_equal)):
        return None
    entries: list[tuple[int, int, int]] = []
    for column in range(len(plan.cells)):
        by_page: dict[tuple[Key, int], list[int]] = {}
        for index, record in enumerate(right.records):
            for page in worths.cited.pages_at(record.address(column)):
                by_page.setdefault((record.keys[column], page), []).append(index)
        for mine, record in enumerate(left.records):
            pages = worths.truth.pages_at(record.address(column))
            keys = (record.keys[column], *record.accepted.get(column, ()))
            for other in {at for key in keys for page in pages for at in by_page.get((key, page), ())}:
                if left.has_equal[mine] or right.has_equal[other]:
                    entries.append((mine, other, worths.placed(record, right.records[other], column)))
    return Bonus(*np.array(sorted(entries), dtype=np.int64).T) if entries else None


def _nested(lefts: Sequence[Record], rights: Sequence[Record], plan: Plan, worths: Worths) -> Nested:
    truth = [list(_nested_keys(record)) for record in lefts]
    predicted = [list(_nested_keys(record)) for record in rights]
    most = [np.array([len(keys) * (_WORD + 1) for keys in side], dtype=np.int64) for side in (truth, predicted)]
    content: tuple[IntArray, IntArray]
    if worths.any_placed:
        # Records with equal lists may stand at different places, and then no two are worth the same. They are in order.
        content = np.arange(len(lefts)), np.arange(len(lefts), len(lefts) + len(rights))
    else:
        contents = [[_lists_of(record) for record in side] for side in (lefts, rights)]
        content = column_codes(*contents)
    price = priced(lambda left, right: nested_worth(lefts[left], rights[right], plan, worths))
    return Nested(features(truth, predicted), content, (most[0], most[1]), price)


def _nested_keys(record: Record, place: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Key]]:
    """The keys below the lists of a record, those that a truth accepts included, with their place."""
    for number, rows in enumerate(record.lists):
        for row in rows:
            for column, own in enumerate(row.keys):
                for key in (own, *row.accepted.get(column, ())):
                    yield (*place, number, column), key
            yield from _nested_keys(row, (*place, number))


def content_of(record: Record) -> tuple[object, ...]:
    """What stands in a record, in a form that orders by numbers first; equal for records with equal contents."""
    cells = tuple(_in_order(key, record.accepted.get(at, ())) for at, key in enumerate(record.keys))
    return (cells, *_lists_of(record))


def _lists_of(record: Record) -> tuple[object, ...]:
    """The contents of a record's lists, whatever their order."""
    return tuple(tuple(sorted(map(content_of, rows))) for rows in record.lists)


def _order_of(record: Record, places: Places) -> tuple[object, ...]:
    """What stands in a record, then where, in a form that orders."""
    return content_of(record), *_stands(record, places)


def _stands(record: Record, places: Places) -> tuple[object, ...]:
    """Where the values of a record stand, whatever the order of its lists."""
    if not places:
        return ()
    cells = tuple(tuple(sorted(map(_place, places.get(address, ())))) for address in record.addresses)
    return cells, tuple(tuple(sorted(_order_of(row, places) for row in rows)) for rows in record.lists)


def _place(place: Place) -> tuple[object, ...]:
    return place.page, place.box or (), place.coarse


def _in_order(key: Key, accepted: Iterable[Key]) -> tuple[object, ...]:
    text = key if isinstance(key, str) else " ".join(key)
    numbers = tuple(map(_magnitude, _NUMBER.findall(text)))
    return (numbers, not isinstance(key, str), text, tuple(sorted(map(repr, accepted))))


def _magnitude(digits: str) -> tuple[int, str]:
    """Digits as a number of any length."""
    bare = digits.lstrip("0")
    return len(bare), bare
