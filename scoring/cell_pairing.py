"""Which record of a prediction is scored against which record of the truth, for the metric ``value-f1``.

Pairings are compared by their right cells. Between pairings that have equally many, equal records get the partner that
grounds them best, and of records that differ those are taken whose contents come first. (That the better grounded one
of two different records is not preferred is how the published figures are made: agreement of values alone decides.)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from groundtruth.assignment import Bonus, IntArray, Nested, pair_records
from scoring.cell_keys import Key
from scoring.cell_rows import NO_EVIDENCE, Plan, Record
from scoring.field_evidence import FieldEvidence, Place
from scoring.grounding import boxes_agree, pages_agree
from scoring.pairing import column_codes, features, heaviest, others, priced

_SMALL: Final = 400
"""So many pairs of records are weighed one by one; of more, only those that matter."""
_WORD: Final = 1 << 16
"""What a right box is worth beside a right page; a record has fewer cells."""
_NUMBER = re.compile(r"\d+")

Worth = tuple[int, int]
"""Right cells, and the right places of those of records that have an equal: boxes times ``_WORD`` plus pages."""
Pair = tuple[int, int]


@dataclass(slots=True)
class Places:
    """Where a truth stands and what a prediction cites, by address; and worths of pairs that were asked for."""

    evidence: Mapping[str, FieldEvidence]
    citations: Mapping[str, tuple[Place, ...]]
    worths: dict[tuple[int, int], Worth] = field(default_factory=dict)

    def worth(self, truth: Record, prediction: Record, column: int) -> int:
        """What the citations of a right cell are worth."""
        if not self.citations:
            return 0
        cited = self.citations.get(prediction.address(column))
        places = self.evidence.get(truth.address(column), NO_EVIDENCE).places
        return _WORD * boxes_agree(places, cited) + pages_agree(places, cited) if places and cited else 0


@dataclass(frozen=True, slots=True)
class _Side:
    """Records with what is known of the likeness among them.

    Attributes:
        records: in the order of the document.
        has_equal: whether another record has the same content.
        classes: a number per record, equal for records of equal content.
    """

    records: Sequence[Record]
    has_equal: list[bool]
    classes: IntArray

    @classmethod
    def of(cls, records: Sequence[Record]) -> _Side:
        numbers: dict[Hashable, int] = {}
        classes = [numbers.setdefault(_sameness(record), len(numbers)) for record in records]
        count = Counter(classes)
        return cls(records, [count[number] > 1 for number in classes], np.array(classes, dtype=np.int64))


def in_order(records: Sequence[Record], indices: Iterable[int]) -> list[int]:
    """The indices by the contents of their records."""
    return sorted(indices, key=lambda index: content_of(records[index]))


def _sameness(record: Record) -> Hashable:
    """Equal for records of equal content, whatever the order of their lists."""
    cells = tuple(record.keys)
    accepted = tuple(record.accepted.items())
    if not accepted and not record.lists:
        return cells
    lists = tuple(frozenset(Counter(map(_sameness, rows)).items()) for rows in record.lists)
    return cells, accepted, lists


def pair_records_of(truth: Sequence[Record], prediction: Sequence[Record], plan: Plan, places: Places) -> list[Pair]:
    """Indices of records that are scored against each other, by rising index of the truth.

    All records of the shorter list are paired; those that have nothing in common last, in the order of their contents.

    Raises:
        WorkLimitExceeded: see ``pair_records``.
    """
    if not truth or not prediction:
        return []
    if len(truth) * len(prediction) <= _SMALL:
        mine, other = in_order(truth, range(len(truth))), in_order(prediction, range(len(prediction)))
        left, right = _Side.of([truth[at] for at in mine]), _Side.of([prediction[at] for at in other])
        found = [(mine[one], other[two]) for one, two in _pair_few(left, right, plan, places)]
    else:
        found = _pair_many(_Side.of(truth), _Side.of(prediction), plan, places)
    rest = (others(len(truth), (pair[0] for pair in found)), others(len(prediction), (pair[1] for pair in found)))
    if all(rest):
        found += zip(in_order(truth, rest[0]), in_order(prediction, rest[1]), strict=False)
    return sorted(found)


def _pair_few(left: _Side, right: _Side, plan: Plan, places: Places) -> list[Pair]:
    shape = (len(left.records), len(right.records))
    worths = np.array(
        [
            [
                record_worth(mine, other, plan, places, placed=has_equal or other_has_equal)
                for other, other_has_equal in zip(right.records, right.has_equal, strict=True)
            ]
            for mine, has_equal in zip(left.records, left.has_equal, strict=True)
        ],
        dtype=np.int64,
    ).reshape(*shape, 2)
    cells, placed = worths[:, :, 0], worths[:, :, 1]
    weight = np.where(cells > 0, cells * (1 + int(placed.max()) * min(shape)) + placed, 0)
    return _earliest(heaviest(weight), left, lambda mine: cells[mine])


def record_worth(truth: Record, prediction: Record, plan: Plan, places: Places, *, placed: bool = False) -> Worth:
    """What a pair of records is worth, its lists under their own best pairing included.

    Args:
        truth: a record of the truth.
        prediction: a record of the prediction.
        plan: the plan of both.
        places: where they stand.
        placed: whether right places count beside right cells.
    """
    cells = place = 0
    for column, right in enumerate(truth.right(prediction)):
        if right:
            cells += 1
            place += places.worth(truth, prediction, column) if placed else 0
    nested = nested_worth(truth, prediction, plan, places) if plan.lists else (0, 0)
    return cells + nested[0], place + nested[1]


def nested_worth(truth: Record, prediction: Record, plan: Plan, places: Places) -> Worth:
    """What the lists of two records are worth under their best pairing."""
    key = (id(truth), id(prediction))
    if key not in places.worths:
        cells = place = 0
        for (_, inner), mine, other in zip(plan.lists, truth.lists, prediction.lists, strict=True):
            for left, right in pair_records_of(mine, other, inner, places):
                more = record_worth(mine[left], other[right], inner, places, placed=True)
                cells, place = cells + more[0], place + more[1]
        places.worths[key] = cells, place
    return places.worths[key]


def _pair_many(left: _Side, right: _Side, plan: Plan, places: Places) -> list[Pair]:
    lefts, rights = left.records, right.records
    columns = [codes for column in range(len(plan.cells)) for codes in _coded(lefts, rights, column)]
    mine, other = (
        np.column_stack([codes[side] for codes in columns]) if columns else np.zeros((size, 0), dtype=np.int64)
        for side, size in enumerate((len(lefts), len(rights)))
    )
    nested = _nested(lefts, rights, plan, places) if plan.lists else None
    found = pair_records(mine, other, bonus=_bonus(left, right, plan, places), nested=nested)
    if nested is not None or not places.citations or len(found) == len(lefts):
        return found
    return _earliest(found, left, lambda index: ((mine[index] == other) & (mine[index] >= 0)).sum(axis=1))


def _earliest(pairs: Sequence[Pair], left: _Side, weights: Callable[[int], IntArray]) -> list[Pair]:
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

    for mine in in_order(left.records, np.flatnonzero(partner < 0).tolist()):
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
    width = 1 + max(len(record.accepted.get(column, ())) for record in truth)
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


def _bonus(left: _Side, right: _Side, plan: Plan, places: Places) -> Bonus | None:
    """What right citations are worth for pairs in which a record has an equal on its own side."""
    if not places.citations or not places.evidence or not (any(left.has_equal) or any(right.has_equal)):
        return None
    entries: list[tuple[int, int, int]] = []
    for column in range(len(plan.cells)):
        by_page: dict[tuple[Key, int], list[int]] = {}
        for index, record in enumerate(right.records):
            for page in {place.page for place in places.citations.get(record.address(column), ())}:
                by_page.setdefault((record.keys[column], page), []).append(index)
        for mine, record in enumerate(left.records):
            pages = {place.page for place in places.evidence.get(record.address(column), NO_EVIDENCE).places}
            keys = (record.keys[column], *record.accepted.get(column, ()))
            for other in {at for key in keys for page in pages for at in by_page.get((key, page), ())}:
                if left.has_equal[mine] or right.has_equal[other]:
                    entries.append((mine, other, places.worth(record, right.records[other], column)))
    return Bonus(*np.array(sorted(entries), dtype=np.int64).T) if entries else None


def _nested(lefts: Sequence[Record], rights: Sequence[Record], plan: Plan, places: Places) -> Nested:
    truth = [list(_nested_keys(record)) for record in lefts]
    predicted = [list(_nested_keys(record)) for record in rights]
    most = [np.array([len(keys) * (_WORD + 1) for keys in side], dtype=np.int64) for side in (truth, predicted)]
    content: tuple[IntArray, IntArray]
    if places.citations and places.evidence:
        # Records with equal lists may stand at different places, and then no two are worth the same.
        content = np.arange(len(lefts)), np.arange(len(lefts), len(lefts) + len(rights))
    else:
        contents = [[_lists_of(record) for record in side] for side in (lefts, rights)]
        content = column_codes(*contents)
    price = priced(lambda left, right: nested_worth(lefts[left], rights[right], plan, places))
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


def _in_order(key: Key, accepted: Iterable[Key]) -> tuple[object, ...]:
    text = key if isinstance(key, str) else " ".join(key)
    numbers = tuple(map(_magnitude, _NUMBER.findall(text)))
    return (numbers, not isinstance(key, str), text, tuple(sorted(map(repr, accepted))))


def _magnitude(digits: str) -> tuple[int, str]:
    """Digits as a number of any length."""
    bare = digits.lstrip("0")
    return len(bare), bare
