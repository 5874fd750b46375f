"""The annotations of a task: who answered, when, and how long it took."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from annotation.equality import instant
from annotation.packet import Packet
from groundtruth.jsontext import Json


class Stamp(NamedTuple):
    """Who answered when, as an annotation has it.

    Attributes:
        annotation: the server's id.
        revision: the server's time of the last change, as it wrote it.
        at: the same in ISO 8601 and UTC.
        reviewer: who changed it last.
        seconds: how long the packet was open, divided over its cards, or None.
    """

    annotation: int
    revision: str
    at: str
    reviewer: str
    seconds: float | None


def stamped(
    task: Mapping[str, Json], packet: Packet, users: Mapping[int, str], notes: list[str], *, skipped: bool = False
) -> list[tuple[dict[str, Json], Stamp]]:
    """The annotations with their stamps, oldest first.

    Args:
        task: the server's.
        packet: what was asked.
        users: e-mail addresses by the server's id.
        notes: takes what was left out, for people.
        skipped: whether those are wanted, too, by which a person passed the packet on; such a one still holds the
            copied proposal and is no answer.
    """
    found = []
    for annotation in dicts(task.get("annotations")):
        identifier = annotation.get("id")
        if annotation.get("was_cancelled") and not skipped:
            continue
        if not isinstance(identifier, int) or isinstance(identifier, bool):
            notes.append("an annotation without an id was left out")
            continue
        revision = str(annotation.get("updated_at") or annotation.get("created_at") or "")
        moment = instant(revision)
        at = moment.isoformat().replace("+00:00", "Z") if revision else ""
        reviewer = _reviewer(annotation, users)
        found.append((annotation, Stamp(identifier, revision, at, reviewer, _seconds(annotation, packet))))
    return sorted(found, key=lambda each: (instant(each[1].revision), each[1].annotation))


def _reviewer(annotation: Mapping[str, Json], users: Mapping[int, str]) -> str:
    # Anybody may change another's annotation, which then is an answer of theirs.
    for who in (annotation.get("updated_by"), annotation.get("completed_by")):
        if isinstance(who, dict):
            email = who.get("email")
            if isinstance(email, str) and email:
                return email
            who = who.get("id")
        if isinstance(who, int) and not isinstance(who, bool):
            return users.get(who, f"user-{who}")
    return "user-unknown"


def _seconds(annotation: Mapping[str, Json], packet: Packet) -> float | None:
    time: Json = annotation.get("lead_time")
    try:
        seconds = float(time) / len(packet.cards)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        return None
    return round(seconds, 3) if 0 <= seconds < float("inf") else None


def dicts(value: Json) -> list[dict[str, Json]]:
    """The objects of a list that the server sent; nothing of what is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
