"""What a ballot says at one place of the schema: a leaf's reading, an object's part, an array's rows.

The schema leads: every leaf it declares gets exactly one reading from every usable ballot. A path that an ``ok``
ballot leaves out is a null vote; a ``partial`` ballot abstains on what it lacks, and any ballot abstains on what its
system calls unsupported. A container of the wrong kind cannot be read as "nothing there": the ballot abstains on it,
and says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from groundtruth import jsontext
from groundtruth.ballot import Ballot, Status
from groundtruth.errors import JsonError
from groundtruth.jsontext import Json
from groundtruth.path import Path, format_path
from groundtruth.schema import FrozenSchema, Leaf, Record, Table
from groundtruth.value import Abstain, Canonicalizer, Invalid, Reading


class Abstained(NamedTuple):
    """A ballot's answer to a container that it does not judge."""

    reason: str


UNSUPPORTED: Final = Abstained("unsupported")
CUT: Final = Abstained("cut")
WRONG_KIND: Final = Abstained("wrong_kind")


class Garbled(NamedTuple):
    """A ballot's answer to an object that is none: every leaf in it is an invalid reading."""

    raw: Json


Part = dict[str, Json] | Abstained | Garbled
"""One ballot's object at one place; an ok ballot that lacks the object has an empty one: every leaf in it is null."""


class Rows(NamedTuple):
    """One ballot's rows of one array, with the index that each has in the ballot."""

    parts: list[Part]
    indices: list[int]
    coerced: bool = False


class Slip(NamedTuple):
    """What one ballot says on one object.

    Attributes:
        raws: the raw value of every leaf of the object, in the order of ``Record.leaves``.
        readings: what each of them reads as.
        tables: the rows of every array of the object, in the order of ``Record.tables``.
    """

    raws: list[Json]
    readings: list[Reading]
    tables: list[Rows | Abstained]


_Step = tuple[str, Leaf | Record | Table, Canonicalizer | None]
"""A property of an object: its name, what it is, and how to read it if it is a leaf."""


@dataclass(slots=True)
class Reader:
    """Reads the ballots of one vote; gathers what belongs to no single leaf.

    Attributes:
        schema: the schema that enumerates the leaves.
        gaps: undeclared keys by schema path, with the systems that have them.
        messages: what a ballot did that no leaf shows.
    """

    schema: FrozenSchema
    gaps: dict[str, set[str]] = field(default_factory=dict)
    messages: set[str] = field(default_factory=set)
    _known_steps: dict[Path, list[_Step]] = field(default_factory=dict)

    def root(self, ballot: Ballot) -> Slip:
        """What a usable ballot says on the whole document, arrays not yet opened."""
        return self.slip(ballot, self.schema.root, self._object(ballot, self.schema.root, ballot.data))

    def slip(self, ballot: Ballot, record: Record, part: Part) -> Slip:
        """What a ballot says on one object."""
        slip = Slip([], [], [])
        self._fill(slip, ballot, record, part)
        return slip

    def lacking(self, ballot: Ballot, record: Record) -> Slip:
        """What a ballot says on a row that it does not have: null if its answer is whole, nothing if it was cut."""
        return self.slip(ballot, record, CUT if ballot.status is Status.PARTIAL else {})

    def abstaining(self, ballot: Ballot, record: Record, why: Abstained) -> Slip:
        """What a ballot says on a row of an array that it does not judge: nothing."""
        return self.slip(ballot, record, why)

    def _fill(self, slip: Slip, ballot: Ballot, record: Record, part: Part) -> None:
        plain = isinstance(part, dict) and ballot.status is Status.OK and not ballot.unsupported
        for name, node, canonical in self._steps(record):
            if canonical is not None:
                raw = part.get(name) if isinstance(part, dict) else None
                slip.raws.append(raw)
                # The first branch is nearly every cell of a long table.
                slip.readings.append(canonical(raw) if plain else _careful(ballot, node, name, part, canonical))
            elif isinstance(node, Table):
                slip.tables.append(self._rows(ballot, node, name, part))
            elif isinstance(node, Record):
                self._fill(slip, ballot, node, self._nested(ballot, node, name, part))

    def _steps(self, record: Record) -> list[_Step]:
        steps = self._known_steps.get(record.path)
        if steps is None:
            steps = self._known_steps[record.path] = [
                (name, node, Canonicalizer(node) if isinstance(node, Leaf) else None)
                for name, node in record.fields.items()
            ]
        return steps

    def _nested(self, ballot: Ballot, record: Record, name: str, part: Part) -> Part:
        if not isinstance(part, dict):
            return part
        if record.path in ballot.unsupported:
            return UNSUPPORTED
        return self._object(ballot, record, part.get(name))

    def _rows(self, ballot: Ballot, table: Table, name: str, part: Part) -> Rows | Abstained:
        """One object is an array of one, text is parsed once, null is no rows."""
        if not isinstance(part, dict):
            return part if isinstance(part, Abstained) else WRONG_KIND
        if table.path in ballot.unsupported:
            return UNSUPPORTED
        raw = part.get(name)
        coerced = isinstance(raw, (str, dict))
        if isinstance(raw, str):
            raw = _parse(raw)
        if isinstance(raw, dict) and any(key in table.row.fields for key in raw):
            raw = [raw]
        if raw is None:
            return UNSUPPORTED if _judges_no_cell(ballot, table) else Rows([], [])
        if not isinstance(raw, list):
            self._say(ballot, table.name, "is not an array; the system abstains on its rows")
            return WRONG_KIND
        return self._row_objects(ballot, table, raw, coerced=coerced)

    def _row_objects(self, ballot: Ballot, table: Table, raw: list[Json], *, coerced: bool) -> Rows:
        rows = Rows([], [], coerced)
        for index, item in enumerate(raw):
            if isinstance(item, dict):
                self._note_gaps(ballot, table.row, item)
                rows.parts.append(item)
                rows.indices.append(index)
            elif item is not None:
                self._say(ballot, f"{table.name}[{index}]", "is not an object; it is no row")
        return rows

    def _object(self, ballot: Ballot, record: Record, raw: Json) -> Part:
        if raw is None:
            return CUT if ballot.status is Status.PARTIAL else {}
        if not isinstance(raw, dict):
            self._say(ballot, format_path(record.path) or "the root", "is not an object; all its leaves are invalid")
            return Garbled(raw)
        self._note_gaps(ballot, record, raw)
        return raw

    def _note_gaps(self, ballot: Ballot, record: Record, raw: dict[str, Json]) -> None:
        if raw.keys() <= record.fields.keys():
            return
        for key in raw.keys() - record.fields.keys():
            self.gaps.setdefault(format_path((*record.path, key)), set()).add(ballot.system)

    def _say(self, ballot: Ballot, where: str, what: str) -> None:
        self.messages.add(f"{ballot.system}: {where} {what}")


def _careful(ballot: Ballot, node: Leaf | Record | Table, name: str, part: Part, canonical: Canonicalizer) -> Reading:
    """The reading of a leaf by a ballot that does not judge everything, or whose object is none."""
    if isinstance(part, Abstained):
        return Abstain(part.reason)
    if node.path in ballot.unsupported:
        return Abstain(UNSUPPORTED.reason)
    if isinstance(part, Garbled):
        return Invalid(part.raw, "not_an_object")
    if ballot.status is Status.PARTIAL and name not in part:
        return Abstain(CUT.reason)
    return canonical(part.get(name))


def _judges_no_cell(ballot: Ballot, table: Table) -> bool:
    """Whether the system says of every cell of a row that it cannot judge it, and so of rows as well."""
    return bool(ballot.unsupported) and all(leaf.path in ballot.unsupported for leaf in table.row.leaves())


def _parse(text: str) -> Json:
    try:
        return jsontext.loads_tolerant(text) if text.strip() else None
    except JsonError:
        return text
