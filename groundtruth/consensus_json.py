"""The vote as JSON: what ``goldleaf vote`` prints, and the file that a dataset keeps.

The printed form holds what the vote decided; the file holds more (candidates, places, members of rows), so that it is
read back whole. Both put one leaf and one row on a line, for a person to read and to diff.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from groundtruth import jsontext
from groundtruth.consensus import (
    NOWHERE,
    Candidate,
    Consensus,
    Disposition,
    LeafConsensus,
    Location,
    Note,
    Presence,
    Reason,
    RowConsensus,
    Tier,
)
from groundtruth.errors import JsonError
from groundtruth.evidence import Evidence
from groundtruth.jsontext import Json
from groundtruth.path import format_path, parse_path


def leaf_json(leaf: LeafConsensus) -> dict[str, Json]:
    """What the vote decided on one leaf."""
    return {
        "path": format_path(leaf.path),
        "tier": leaf.tier,
        "value": leaf.value,
        "resolved": leaf.resolved,
        "disposition": leaf.disposition,
        "reasons": leaf.reasons,
        "notes": leaf.notes,
        "votes": leaf.votes,
    }


def row_json(row: RowConsensus) -> dict[str, Json]:
    """What the vote decided on one row."""
    return {
        "path": format_path(row.path),
        "row_id": row.row_id,
        "tier": row.tier,
        "presence": row.presence,
        "present": row.present,
        "disposition": row.disposition,
        "reasons": row.reasons,
        "notes": row.notes,
    }


def printed_text(consensus: Consensus) -> str:
    """The vote as ``goldleaf vote --json`` prints it, with a trailing newline."""
    return _text(
        {**_frame(consensus), "leaves": map(leaf_json, consensus.leaves), "rows": map(row_json, consensus.rows)}
    )


def file_text(consensus: Consensus, header: dict[str, Json]) -> str:
    """The vote as a dataset keeps it; ``header`` says of which document and under which schema."""
    return _text(
        {
            **_frame(consensus),
            **header,
            "alignment": consensus.alignment,
            "leaves": map(_whole_leaf, consensus.leaves),
            "rows": map(_whole_row, consensus.rows),
        }
    )


def from_json(data: Json, *, source: str = "consensus") -> Consensus:
    """Read back what ``file_text`` wrote.

    Raises:
        JsonError: a key is missing or of the wrong kind; the message starts with ``source``.
    """
    try:
        return Consensus(
            systems=tuple(data["systems"]),
            abstained=data["abstained"],
            n=data["n"],
            leaves=tuple(map(_read_leaf, data["leaves"])),
            rows=tuple(map(_read_row, data["rows"])),
            proposal=data["proposal"],
            unresolved=tuple(map(parse_path, data["unresolved"])),
            schema_gaps=data["schema_gaps"],
            alignment=data["alignment"],
            messages=tuple(data["messages"]),
            partial=data.get("partial", {}),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise JsonError(
            f"{source}: not a consensus of this version ({error}); make it again with `goldleaf vote`"
        ) from error


def _frame(consensus: Consensus) -> dict[str, Json]:
    return {
        "systems": consensus.systems,
        "abstained": consensus.abstained,
        "partial": consensus.partial,
        "n": consensus.n,
        "proposal": consensus.proposal,
        "unresolved": [format_path(path) for path in consensus.unresolved],
        "schema_gaps": consensus.schema_gaps,
        "messages": consensus.messages,
    }


def _whole_leaf(leaf: LeafConsensus) -> dict[str, Json]:
    return {
        **leaf_json(leaf),
        "field": format_path(leaf.field),
        "margin": leaf.margin,
        "candidates": [
            {"value": found.value, "forms": found.forms, "systems": found.systems, "valid": found.valid}
            for found in leaf.candidates
        ],
        "location": {
            "certain": leaf.location.certain,
            "reason": leaf.location.reason,
            "evidence": [evidence.to_json() for evidence in leaf.location.evidence],
        },
    }


def _whole_row(row: RowConsensus) -> dict[str, Json]:
    return {**row_json(row), "members": row.members}


def _read_leaf(data: Json) -> LeafConsensus:
    return LeafConsensus(
        path=parse_path(data["path"]),
        field=parse_path(data["field"]),
        tier=Tier(data["tier"]),
        value=data["value"],
        resolved=data["resolved"],
        disposition=Disposition(data["disposition"]),
        reasons=tuple(map(Reason, data["reasons"])),
        notes=tuple(map(Note, data["notes"])),
        votes=data["votes"],
        candidates=tuple(
            Candidate(found["value"], tuple(found["forms"]), tuple(found["systems"]), found["valid"])
            for found in data["candidates"]
        ),
        margin=data["margin"],
        location=_read_location(data["location"]),
    )


def _read_location(data: Json) -> Location:
    if not data["evidence"] and data["reason"] == NOWHERE.reason:
        return NOWHERE
    return Location(tuple(map(Evidence.from_json, data["evidence"])), data["certain"], data["reason"])


def _read_row(data: Json) -> RowConsensus:
    return RowConsensus(
        path=parse_path(data["path"]),
        row_id=data["row_id"],
        tier=Tier(data["tier"]),
        presence=Presence(data["presence"]),
        present=data["present"],
        members=data["members"],
        disposition=Disposition(data["disposition"]),
        reasons=tuple(map(Reason, data["reasons"])),
        notes=tuple(map(Note, data["notes"])),
    )


def _text(parts: dict[str, Json]) -> str:
    return "".join(_pieces(parts))


def _pieces(parts: dict[str, Json]) -> Iterator[str]:
    opening = "{\n"
    for key in sorted(parts):
        yield f"{opening}{jsontext.dumps(key)}: "
        value = parts[key]
        if isinstance(value, (dict, list, tuple, str, int)) or value is None:
            yield jsontext.dumps(value)
        else:
            yield from _lines(value)
        opening = ",\n"
    yield "\n}\n"


def _lines(records: Iterable[Json]) -> Iterator[str]:
    opening = "[\n "
    for record in records:
        yield opening + jsontext.dumps(record)
        opening = ",\n "
    yield "[]" if opening == "[\n " else "\n]"
