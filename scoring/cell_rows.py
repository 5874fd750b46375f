"""Truth and prediction as records of cells, for the metric ``value-f1``.

A *plan* says which cells a record has and which lists of records: what the schema declares, and where it says nothing
of an object, what the truth holds. A record has all cells of its plan; what is missing is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from groundtruth.jsontext import Json
from groundtruth.path import format_path
from scoring.cell_keys import FUZZY, AcceptedKeys, Key, key_of
from scoring.field_evidence import FieldEvidence
from scoring.shape import Shape

Names = tuple[str, ...]
Address = tuple[str | int, ...]
NO_EVIDENCE = FieldEvidence()
_NONE: frozenset[Key] = frozenset()


@dataclass(frozen=True, slots=True)
class Plan:
    """What a record consists of.

    Attributes:
        cells: the names that lead to each cell.
        lists: the names that lead to each list of records, and the plan of its records.
    """

    cells: tuple[Names, ...]
    lists: tuple[tuple[Names, Plan], ...] = ()


class Cell(NamedTuple):
    """A cell of the truth or of the prediction.

    Attributes:
        place: the address of its record in its own document.
        below: what leads from there to the cell, as text.
        value: as it was given, null where it is missing.
        key: equal for equal values.
        accepted: further keys that the truth accepts here; empty for a prediction.
    """

    place: str
    below: str
    value: Json
    key: Key
    accepted: frozenset[Key] = frozenset()

    @property
    def address(self) -> str:
        """Where it stands in its own document."""
        return self.place + self.below

    def accepts(self, other: Cell) -> bool:
        """Whether a cell of a prediction is right."""
        return other.key == self.key or other.key in self.accepted


@dataclass(slots=True)
class Record:
    """A record with its cells and its lists, in the order of the plan."""

    cells: list[Cell] = field(default_factory=list)
    lists: list[list[Record]] = field(default_factory=list)


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
    """Where a prediction states something beside the plan of its record; null states nothing."""
    if not isinstance(prediction, dict):
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


class Reader:
    """Reads the records of one document.

    Args:
        evidence: for a truth, what is known by address; None for a prediction.
    """

    def __init__(self, evidence: Mapping[str, FieldEvidence] | None = None) -> None:
        self._evidence = evidence

    def record(self, value: Json, plan: Plan, address: Address = ()) -> Record:
        """A record with the cells that its plan says."""
        place = format_path(address)
        cells = []
        for names in plan.cells:
            cell = value_at(value, names)
            cells.append(Cell(place, _below(place, names), cell, key_of(cell)))
        found = Record(cells)
        for names, inner in plan.lists:
            items = value_at(value, names)
            rows = items if isinstance(items, list) else []
            found.lists.append([self.record(item, inner, (*address, *names, index)) for index, item in enumerate(rows)])
        return found


@cache
def _text(names: Names, *, is_first: bool) -> str:
    text = format_path(names)
    return text if is_first or text[0] == "[" else f".{text}"


def _below(place: str, names: Names) -> str:
    return _text(names, is_first=not place)


def accept(truth: Record, prediction: Record, plan: Plan, evidence: Mapping[str, FieldEvidence]) -> None:
    """Give the cells of a truth the keys that they accept beside their own, from evidence and from fuzzy names."""
    _accept([truth], [prediction], plan, evidence)


def _accept(
    truths: Sequence[Record], predictions: Sequence[Record], plan: Plan, evidence: Mapping[str, FieldEvidence]
) -> None:
    for column, names in enumerate(plan.cells):
        if not evidence and names[-1] not in FUZZY:
            continue
        accepted = AcceptedKeys(names[-1], (record.cells[column].key for record in predictions))
        accepted.prepare(record.cells[column].key for record in truths)
        for record in truths:
            cell = record.cells[column]
            known = evidence.get(cell.address, NO_EVIDENCE)
            keys = _keys(cell, known, accepted)
            if keys:
                record.cells[column] = cell._replace(accepted=keys)
    for place, (_, inner) in enumerate(plan.lists):
        _accept(
            [row for record in truths for row in record.lists[place]],
            [row for record in predictions for row in record.lists[place]],
            inner,
            evidence,
        )


def _keys(cell: Cell, known: FieldEvidence, accepted: AcceptedKeys) -> frozenset[Key]:
    if not known.normalizers and not accepted.is_fuzzy:
        further = [key for reading in known.readings if (key := key_of(reading)) != cell.key]
        return frozenset(further) if further else _NONE
    readings = [cell.key, *map(key_of, known.readings)]
    keys = {*readings, *accepted.of(readings, known.normalizers)}
    keys.discard(cell.key)
    return frozenset(keys)
