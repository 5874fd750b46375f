"""What people decided: one ``Decision`` per answer of a person on a leaf, a row, or a row's cell.

``decisions/<document>.jsonl`` is a log: records are only ever added. A decision is dead when a later record says so: a
withdrawal, a newer revision of the same answer, or a decision that settles it. What is dead stays in the file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from groundtruth import jsontext
from groundtruth.errors import JsonError, PathError
from groundtruth.evidence import Evidence
from groundtruth.jsontext import Json
from groundtruth.path import Path, format_path, parse_path
from groundtruth.schema import Table


class Verdict(StrEnum):
    """What a person said.

    Of a leaf: ``accept`` one of the candidates, ``edit`` to another value, ``null`` (absent from the document), or
    ``escalate`` (somebody else must look; the leaf stays open). Of a row: ``present``, ``absent`` or ``escalate``.
    """

    ACCEPT = "accept"
    EDIT = "edit"
    NULL = "null"
    ESCALATE = "escalate"
    PRESENT = "present"
    ABSENT = "absent"


class Cause(StrEnum):
    """What a person flagged beside the answer."""

    UNSURE = "unsure"
    SCHEMA_PROBLEM = "schema_problem"
    ILLEGIBLE = "illegible"
    PRINTED_WRONG = "printed_wrong"


@dataclass(frozen=True, slots=True)
class RowLink:
    """A row that a decision stands in, so that it is found again when the rows change.

    Attributes:
        table: schema path of the array.
        row_id: the row's id when the question was asked.
        cells: what the row held then: the proposed value of each of its own cells, by path relative to the row.
    """

    table: Path
    row_id: str
    cells: Mapping[str, Json] = field(default_factory=dict)

    def to_json(self) -> dict[str, Json]:
        """The link as a file holds it."""
        return {"table": format_path(self.table), "row_id": self.row_id, "cells": dict(self.cells)}

    @classmethod
    def from_json(cls, data: Json) -> RowLink:
        """Read back what ``to_json`` wrote."""
        return cls(parse_path(data["table"]), data["row_id"], data["cells"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One answer of one person.

    Attributes:
        id: given by ``decision_id``; the same answer pulled twice has one id.
        key: the leaf key or row key under which it was asked.
        document: the document's id.
        path: the instance path when it was asked; row indices are for display, ``rows`` binds.
        field: schema path of the leaf; of a row, of its array followed by EACH.
        fingerprint: of the leaf, or ``row_fingerprint`` of the row's array, when it was asked.
        schema: the dataset's name of the schema.
        schema_version: the version it was asked under.
        rows: the rows around the leaf, outermost first; of a row, the row itself comes last.
        verdict: what was said.
        value: the value that is right, in the schema's JSON type; None for every verdict but accept and edit.
        alternates: further readings that are right as well.
        evidence: where it stands on the pages, after the person's changes.
        boxes_changed: whether boxes were moved, drawn or removed.
        causes: what was flagged, sorted.
        reviewer: who, as the labelling server knows them (an e-mail address).
        decided_at: ISO 8601 in UTC, the server's time of the answer.
        seconds: how long the person had the packet open, divided over its cards; None when the server does not know.
        untouched: whether the answer is the pre-selected one and the person changed nothing.
        packet: the key of the packet it was asked in.
        round: the round of that packet, from 1.
        votes: ``votes_hash`` of the votes that were shown.
        annotation: the server's id of the annotation; None for a decision that was not made there.
        revision: the server's time of the last change, which tells revisions of one annotation apart.
        settles: ids of decisions that this one supersedes, those of an adjudicated conflict.
    """

    id: str
    key: str
    document: str
    path: Path
    field: Path
    fingerprint: str
    schema: str
    schema_version: str
    rows: tuple[RowLink, ...] = ()
    verdict: Verdict
    value: Json = None
    alternates: tuple[Json, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    boxes_changed: bool = False
    causes: tuple[Cause, ...] = ()
    reviewer: str
    decided_at: str
    seconds: float | None = None
    untouched: bool = False
    packet: str
    round: int = 1
    votes: str = ""
    annotation: int | None = None
    revision: str = ""
    settles: tuple[str, ...] = ()

    @property
    def is_row(self) -> bool:
        """Whether it says if a row is there, and not what a leaf holds."""
        return bool(self.path) and isinstance(self.path[-1], int)

    def to_json(self) -> dict[str, Json]:
        """One record of the log."""
        return {
            "event": Event.DECISION,
            "id": self.id,
            "key": self.key,
            "document": self.document,
            "path": format_path(self.path),
            "field": format_path(self.field),
            "fingerprint": self.fingerprint,
            "schema": self.schema,
            "schema_version": self.schema_version,
            "rows": [row.to_json() for row in self.rows],
            "verdict": self.verdict,
            "value": self.value,
            "alternates": list(self.alternates),
            "evidence": [place.to_json() for place in self.evidence],
            "boxes_changed": self.boxes_changed,
            "causes": list(self.causes),
            "reviewer": self.reviewer,
            "decided_at": self.decided_at,
            "seconds": self.seconds,
            "untouched": self.untouched,
            "packet": self.packet,
            "round": self.round,
            "votes": self.votes,
            "annotation": self.annotation,
            "revision": self.revision,
            "settles": list(self.settles),
        }

    @classmethod
    def from_json(cls, data: Json) -> Decision:
        """Read back one record.

        Raises:
            JsonError: it is no decision; the message names the key.
        """
        try:
            seconds = data["seconds"]
            return cls(
                id=data["id"],
                key=data["key"],
                document=data["document"],
                path=parse_path(data["path"]),
                field=parse_path(data["field"]),
                fingerprint=data["fingerprint"],
                schema=data["schema"],
                schema_version=data["schema_version"],
                rows=tuple(map(RowLink.from_json, data["rows"])),
                verdict=Verdict(data["verdict"]),
                value=data["value"],
                alternates=tuple(data["alternates"]),
                evidence=tuple(map(Evidence.from_json, data["evidence"])),
                boxes_changed=data["boxes_changed"],
                causes=tuple(map(Cause, data["causes"])),
                reviewer=data["reviewer"],
                decided_at=data["decided_at"],
                seconds=None if seconds is None else float(seconds),
                untouched=data["untouched"],
                packet=data["packet"],
                round=data["round"],
                votes=data["votes"],
                annotation=data["annotation"],
                revision=data["revision"],
                settles=tuple(data["settles"]),
            )
        except (KeyError, TypeError, ValueError, PathError) as error:
            raise JsonError(f"not a decision: {error}") from error


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A decision taken back, on record.

    Attributes:
        decision: its id.
        by: who took it back.
        at: ISO 8601 in UTC.
        why: the reason, for people; ``deleted_on_server`` when its annotation is gone.
    """

    decision: str
    by: str
    at: str
    why: str

    def to_json(self) -> dict[str, Json]:
        """One record of the log."""
        return {"event": Event.WITHDRAWAL, "decision": self.decision, "by": self.by, "at": self.at, "why": self.why}

    @classmethod
    def from_json(cls, data: Json) -> Withdrawal:
        """Read back one record."""
        try:
            return cls(data["decision"], data["by"], data["at"], data["why"])
        except (KeyError, TypeError) as error:
            raise JsonError(f"not a withdrawal: {error}") from error


class Event(StrEnum):
    """What a record of the log says."""

    DECISION = "decision"
    WITHDRAWAL = "withdrawal"


Entry = Decision | Withdrawal

DELETED_ON_SERVER: Final = "deleted_on_server"


@dataclass(frozen=True)
class DecisionLog:
    """The log of one document, in the order in which it was written."""

    entries: tuple[Entry, ...] = ()

    @classmethod
    def from_records(cls, records: Iterable[Json], *, source: str = "decisions") -> DecisionLog:
        """Read a log.

        Raises:
            JsonError: a record is neither a decision nor a withdrawal; the message names its line.
        """
        entries: list[Entry] = []
        for number, record in enumerate(records, 1):
            kind = record.get("event") if isinstance(record, dict) else None
            try:
                if kind == Event.DECISION:
                    entries.append(Decision.from_json(record))
                elif kind == Event.WITHDRAWAL:
                    entries.append(Withdrawal.from_json(record))
                else:
                    raise JsonError(f"event {kind!r}: is one of {', '.join(Event)}")
            except JsonError as error:
                raise JsonError(f"{source}:{number}: {error}") from error
        return cls(tuple(entries))

    def to_records(self) -> list[dict[str, Json]]:
        """The log as its file holds it."""
        return [entry.to_json() for entry in self.entries]

    def extended(self, entries: Iterable[Entry]) -> DecisionLog:
        """The log with more at its end; an entry that it holds already is not added again."""
        known = {_identity(entry) for entry in self.entries}
        added: list[Entry] = []
        for entry in entries:
            if _identity(entry) not in known:
                known.add(_identity(entry))
                added.append(entry)
        return DecisionLog((*self.entries, *added))

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Every decision ever made, dead ones included."""
        return tuple(entry for entry in self.entries if isinstance(entry, Decision))

    def live(self) -> tuple[Decision, ...]:
        """The decisions that stand, in the order of the log: not withdrawn, settled, or revised.

        Of one person's answers on a leaf the last in the log stands. Two people who decided on the same leaf both stand
        until an adjudication settles them.
        """
        dead = {entry.decision for entry in self.entries if isinstance(entry, Withdrawal)}
        last: dict[tuple[str, str], Decision] = {}
        for decision in self.decisions:
            dead.update(decision.settles)
            answer = (decision.key, decision.reviewer)
            if answer in last:
                dead.add(last[answer].id)
            last[answer] = decision
        return tuple(decision for decision in self.decisions if decision.id not in dead)


def decision_id(key: str, annotation: int | None, revision: str, *, salt: str = "") -> str:
    """The id of an answer: of its leaf, the server's annotation and that annotation's revision."""
    return _digest([key, annotation, revision, salt])


def leaf_key(document: str, rows: Sequence[str], field: Path, fingerprint: str) -> str:
    """The key of a leaf: it survives a reordering of rows and every schema change that leaves the leaf alone.

    Args:
        document: the document's id.
        rows: ids of the rows around it, outermost first.
        field: its schema path.
        fingerprint: of the leaf.
    """
    return _digest([document, list(rows), format_path(field), fingerprint])


def row_key(document: str, rows: Sequence[str], table: Path, fingerprint: str) -> str:
    """The key of a row's presence; ``rows`` ends with the row's own id, ``fingerprint`` is ``row_fingerprint``."""
    return _digest(["row", document, list(rows), format_path(table), fingerprint])


def row_fingerprint(table: Table) -> str:
    """What decisions on the presence of a table's rows depend on: where it is and what tells its rows apart."""
    return _digest([format_path(table.path), sorted(format_path(path) for path in table.identity)])


def votes_hash(votes: Mapping[str, Json]) -> str:
    """A digest of the readings that a person was shown, by system."""
    return _digest({name: votes[name] for name in sorted(votes)})


def _digest(value: Json) -> str:
    return hashlib.sha256(jsontext.dumps(value).encode()).hexdigest()[:16]


def _identity(entry: Entry) -> tuple[str, str]:
    return (Event.DECISION, entry.id) if isinstance(entry, Decision) else (Event.WITHDRAWAL, entry.decision)
