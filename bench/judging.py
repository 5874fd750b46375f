"""One system's answer against known values: which rows are the same, how much was read, and how much of it right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from bench.labels import get, is_right
from groundtruth.assignment import IntArray, pair_rows
from groundtruth.ballot import Ballot, Status
from groundtruth.jsontext import Json
from groundtruth.path import Path, format_path
from groundtruth.schema import FrozenSchema, Leaf, Table
from groundtruth.value import Key, Null, Value, canonical


@dataclass(slots=True)
class Count:
    """Leaves counted: values of the truth, values given, those that are right; nulls given, those that are right."""

    truth: int = 0
    given: int = 0
    right: int = 0
    nulls: int = 0
    nulls_right: int = 0
    rows: int = 0
    rows_given: int = 0
    rows_paired: int = 0

    def add(self, other: Count) -> None:
        """Add another count to this one."""
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))

    @property
    def recall(self) -> float | None:
        """Right values of all values of the truth."""
        return self.right / self.truth if self.truth else None

    @property
    def precision(self) -> float | None:
        """Right values of all values given."""
        return self.right / self.given if self.given else None


class Wrong(NamedTuple):
    """A leaf that was read otherwise than it is, or not at all."""

    path: str
    truth: Json
    given: Json


@dataclass(slots=True)
class Judgement:
    """What a ballot is worth: its fields, the leaves of its tables, and everything that is not right."""

    fields: Count
    cells: Count
    wrong: list[Wrong]


class _Judge:
    """Judges one ballot."""

    def __init__(self, schema: FrozenSchema, ballot: Ballot, truth: Json, *, folded: bool) -> None:
        self._schema, self._ballot, self._truth, self._folded = schema, ballot, truth, folded
        self.judgement = Judgement(Count(), Count(), [])

    def judge(self) -> Judgement:
        for leaf in self._schema.root.leaves():
            self._leaf(self.judgement.fields, leaf, leaf.path, get(self._truth, leaf.path), self._given(leaf.path))
        for table in self._schema.root.tables():
            self._table(table)
        return self.judgement

    def _given(self, path: Path) -> Json:
        return get(self._ballot.data, path) if self._ballot.usable else None

    def _says_null(self, leaf: Leaf) -> bool:
        # What a partial ballot lacks it may not have got to.
        return self._ballot.status is Status.OK and leaf.path not in self._ballot.unsupported

    def _leaf(self, count: Count, leaf: Leaf, path: Path, truth: Json, given: Json) -> None:
        reading = canonical(leaf, given)
        is_value = not isinstance(canonical(leaf, truth), Null)
        says_value = isinstance(reading, Value)
        right = is_right(leaf, given, truth, folded=self._folded)
        count.truth += is_value
        count.given += says_value
        count.right += says_value and right
        if isinstance(reading, Null) and self._says_null(leaf):
            count.nulls += 1
            count.nulls_right += right
        if not right:
            self.judgement.wrong.append(Wrong(format_path(path), truth, given))

    def _table(self, table: Table) -> None:
        truth, given = (_rows(get(data, table.path)) for data in (self._truth, self._given(())))
        leaves = list(table.row.leaves())
        pairs = pair_tables(leaves, truth, given)
        count = self.judgement.cells
        count.rows += len(truth)
        count.rows_given += len(given)
        count.rows_paired += len(pairs)
        for ours, theirs in sorted(pairs.items()):
            for leaf in leaves:
                cell = leaf.path[len(table.row.path) :]
                self._leaf(count, leaf, (*table.path, ours, *cell), get(truth[ours], cell), get(given[theirs], cell))
        for index in range(len(truth)):
            if index not in pairs:
                count.truth += sum(1 for _ in _values(leaves, truth[index]))
                self.judgement.wrong.append(Wrong(format_path((*table.path, index)), truth[index], None))
        for index in set(range(len(given))) - set(pairs.values()):
            count.given += sum(1 for _ in _values(leaves, given[index]))
            self.judgement.wrong.append(Wrong(format_path(table.path), None, given[index]))


def judge(schema: FrozenSchema, ballot: Ballot, truth: Json, *, folded: bool = False) -> Judgement:
    """Compare a ballot with the truth; a failed ballot gives nothing, and neither does a reading that is no value.

    ``folded`` forgives case, punctuation and spacing. Arrays inside arrays are left out.
    """
    return _Judge(schema, ballot, truth, folded=folded).judge()


def pair_tables(leaves: Sequence[Leaf], ours: Sequence[Json], theirs: Sequence[Json]) -> dict[int, int]:
    """Which rows are the same, so that most values agree; rows that agree in no value are left out."""
    columns: list[dict[Key, int]] = [{} for _ in leaves]
    left, right = (_codes(leaves, rows, columns) for rows in (ours, theirs))
    return dict(pair_rows(left, right)) if left.size and right.size else {}


def _codes(leaves: Sequence[Leaf], rows: Sequence[Json], columns: Sequence[dict[Key, int]]) -> IntArray:
    codes = np.full((len(rows), len(leaves)), -1, dtype=np.int64)
    for number, row in enumerate(rows):
        for at, key in _values(leaves, row):
            codes[number, at] = columns[at].setdefault(key, len(columns[at]))
    return codes


def _values(leaves: Sequence[Leaf], row: Json) -> Iterator[tuple[int, Key]]:
    for at, leaf in enumerate(leaves):
        start = max(index for index, step in enumerate(leaf.path) if not isinstance(step, str)) + 1
        reading = canonical(leaf, get(row, leaf.path[start:]))
        if isinstance(reading, Value):
            yield at, reading.key


def _rows(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def total(counts: Iterable[Count]) -> Count:
    """All counts together."""
    everything = Count()
    for count in counts:
        everything.add(count)
    return everything
