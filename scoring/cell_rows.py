"""Truth and prediction as records of cells, for the metric ``value-f1``.

A *plan* says which cells a record has and which lists of records: what the schema declares, and where it says nothing
of an object, what the truth holds. A record has all cells of its plan; what is missing is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, repeat
from operator import eq
from types import MappingProxyType
from typing import Any, NamedTuple

from groundtruth.jsontext import Json
from groundtruth.path import format_path
from scoring.cell_keys import FUZZY, AcceptedKeys, Key, key_of, text_key
from scoring.field_evidence import KnownFields
from scoring.shape import Shape

Names = tuple[str, ...]
Address = tuple[str | int, ...]
_NO_KEYS: Mapping[int, frozenset[Key]] = MappingProxyType({})


@dataclass(frozen=True)
class Plan:
    """What a record consists of.

    Attributes:
        cells: the names that lead to each cell.
        lists: the names that lead to each list of records, and the plan of its records.
    """

    cells: tuple[Names, ...]
    lists: tuple[tuple[Names, Plan], ...] = ()

    @cached_property
    def at_root(self) -> tuple[str, ...]:
        """The addresses of the cells of a record that is the document itself."""
        return tuple(map(format_path, self.cells))

    @cached_property
    def below(self) -> tuple[str, ...]:
        """What leads from the address of any other record to each of its cells."""
        return tuple(_below(names) for names in self.cells)


class Cell(NamedTuple):
    """A cell of the truth or of the prediction.

    Attributes:
        address: where it stands in its own document.
        value: as it was given, null where it is missing.
        key: equal for equal values.
    """

    address: str
    value: Json
    key: Key


@dataclass(slots=True, eq=False)
class Record:
    """A record: its cells column by column, in the order of the plan, and its lists.

    Attributes:
        plan: what it consists of.
        place: its address in its own document, "" for the document itself.
        values: what stands in each cell, null where it is missing.
        keys: equal for equal values.
        lists: the records of each list.
        accepted: by column, further keys that the truth accepts there; a prediction has none.
    """

    plan: Plan
    place: str
    values: Sequence[Json]
    keys: tuple[Key, ...]
    lists: Sequence[Sequence[Record]]
    accepted: Mapping[int, frozenset[Key]] = field(default_factory=lambda: _NO_KEYS)

    @property
    def addresses(self) -> list[str]:
        """Where its cells stand in its own document."""
        place = self.place
        return [place + below for below in self.plan.below] if place else list(self.plan.at_root)

    def address(self, column: int) -> str:
        """Where one of its cells stands in its own document."""
        return self.place + self.plan.below[column] if self.place else self.plan.at_root[column]

    @property
    def cells(self) -> list[Cell]:
        """Its cells one by one."""
        return list(map(Cell, self.addresses, self.values, self.keys))

    def right(self, prediction: Record) -> list[bool]:
        """Of each cell of a truth, whether a prediction's is right."""
        found = list(map(eq, self.keys, prediction.keys))
        for column, keys in self.accepted.items():
            found[column] = found[column] or prediction.keys[column] in keys
        return found


def plan_of(shape: Shape | None, truths: Sequence[Json]) -> Plan:
    """The plan of records under a shape, of which the truth has these."""
    cells: list[Names] = []
    lists: list[tuple[Names, Plan]] = []
    _plan(shape, truths, (), cells, lists)
    return Plan(tuple(cells), tuple(lists))


def _plan(
    shape: Shape | None,
    truths: Sequence[Json],
    names: Names,
    cells: list[Names],
    lists: list[tuple[Names, Plan]],
) -> None:
    for name in _names(shape, truths):
        below = shape.child(name) if shape is not None else None
        values = [truth[name] for truth in truths if isinstance(truth, dict) and name in truth]
        here = (*names, name)
        records = [item for value in values if isinstance(value, list) for item in value]
        if _is_list_of_records(below, records):
            lists.append((here, plan_of(below.items if below is not None else None, records)))
        elif _is_object(below, values):
            _plan(below, values, here, cells, lists)
        else:
            cells.append(here)


def _names(shape: Shape | None, truths: Iterable[Json]) -> list[str]:
    """The properties that a schema declares, then those that the truth has beside them."""
    declared = shape.names if shape is not None else ()
    return list(dict.fromkeys([*declared, *(name for truth in truths if isinstance(truth, dict) for name in truth)]))


def _is_list_of_records(shape: Shape | None, items: Sequence[Json]) -> bool:
    if shape is not None and shape.items is not None and shape.items.declares_properties:
        return True
    return any(isinstance(item, dict) for item in items)


def _is_object(shape: Shape | None, values: Sequence[Json]) -> bool:
    return (shape is not None and shape.declares_properties) or any(isinstance(value, dict) for value in values)


def value_at(record: Json, names: Names) -> Json:
    """What stands below a record, null where it is missing."""
    for name in names:
        record = record.get(name) if isinstance(record, dict) else None
    return record


def extra_addresses(prediction: Json, plan: Plan, names: Names = ()) -> Iterator[Address]:
    """Where a prediction states something beside the plan of its record; null states nothing.

    A value where an object is due is beside it too. The records of lists are not looked into.
    """
    if not isinstance(prediction, dict):
        if prediction is not None:
            yield names
        return
    known = {cell[: len(names) + 1] for cell in plan.cells} | {names_[: len(names) + 1] for names_, _ in plan.lists}
    ends = set(plan.cells) | {names_ for names_, _ in plan.lists}
    for name, value in prediction.items():
        here = (*names, name)
        if here not in known:
            if value is not None:
                yield here
        elif here not in ends:
            yield from extra_addresses(value, plan, here)


def read_records(documents: Sequence[Json], plan: Plan) -> list[Record]:
    """Documents as records, with the cells that their plan says."""
    reader = _Reader()
    return [record for document in documents for record in reader.records([document], plan, [""])]


class _Reader:
    """Reads the records of documents; a text that stands in many cells is read once."""

    def __init__(self) -> None:
        self._texts = _TextKeys()

    def records(self, items: Sequence[Json], plan: Plan, places: Sequence[str]) -> list[Record]:
        """Records of one plan, with their addresses."""
        columns = [self._column(items, names) for names in plan.cells]
        keys = [self._keys(column) for column in columns]
        lists = [self._lists(items, names, inner, places) for names, inner in plan.lists]
        parts = (_rows(columns, items), _rows(keys, items), _rows(lists, items))
        return list(map(Record, repeat(plan, len(items)), places, *parts))

    def _column(self, items: Sequence[Json], names: Names) -> list[Json]:
        if len(names) > 1:
            return [value_at(item, names) for item in items]
        (name,) = names
        return [item.get(name) if type(item) is dict else None for item in items]

    def _keys(self, values: Sequence[Json]) -> list[Key]:
        texts = self._texts
        return [texts[value] if type(value) is str else key_of(value) for value in values]

    def _lists(self, items: Sequence[Json], names: Names, plan: Plan, places: Sequence[str]) -> list[list[Record]]:
        """The records of one list of each item; all are read at once, so that they too are read by columns."""
        below = (format_path(names), _below(names))
        found = [value_at(item, names) for item in items]
        rows = [value if isinstance(value, list) else [] for value in found]
        inside = [
            f"{place}{below[bool(place)]}[{index}]"
            for place, each in zip(places, rows, strict=True)
            for index in range(len(each))
        ]
        read = iter(self.records([row for each in rows for row in each], plan, inside))
        return [list(islice(read, len(each))) for each in rows]


class _TextKeys(dict[str, Key]):
    """The keys of texts that were met."""

    def __missing__(self, text: str) -> Key:
        key = self[text] = text_key(text)
        return key


def _rows(columns: Sequence[Sequence[Any]], items: Sequence[Json]) -> Iterable[tuple[Any, ...]]:
    return zip(*columns, strict=True) if columns else repeat((), len(items))


def _below(names: Names) -> str:
    text = format_path(names)
    return text if text[:1] == "[" else f".{text}"


def accept(truth: Record, prediction: Record, plan: Plan, known: KnownFields) -> None:
    """Give the cells of a truth the keys that they accept beside their own, from evidence and from fuzzy names."""
    _accept([truth], [prediction], plan, known)


def _accept(truths: Sequence[Record], predictions: Sequence[Record], plan: Plan, known: KnownFields) -> None:
    for column, names in enumerate(plan.cells):
        if known or names[-1] in FUZZY:
            accepted = AcceptedKeys(names[-1], (record.keys[column] for record in predictions))
            accepted.prepare(record.keys[column] for record in truths)
            _accept_column(truths, column, known, accepted)
    for place, (_, inner) in enumerate(plan.lists):
        _accept(
            [row for record in truths for row in record.lists[place]],
            [row for record in predictions for row in record.lists[place]],
            inner,
            known,
        )


def _accept_column(truths: Sequence[Record], column: int, known: KnownFields, accepted: AcceptedKeys) -> None:
    addresses = [record.address(column) for record in truths]
    said = map(known.readings.get, addresses, repeat(()))
    for record, address, readings in zip(truths, addresses, said, strict=True):
        normalizers = known.normalizers.get(address, ()) if known.normalizers else ()
        if not accepted.is_fuzzy and not normalizers:
            # All that is known of nearly every cell is its own value again.
            if not readings or readings == (record.values[column],):
                continue
            keys = frozenset(map(key_of, readings))
        else:
            given = [record.keys[column], *map(key_of, readings)]
            keys = frozenset([*given, *accepted.of(given, normalizers)])
        further = keys - {record.keys[column]}
        if further:
            record.accepted = {**record.accepted, column: further}
