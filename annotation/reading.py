"""What the server's copy of a packet says: how each of its cards stands, what was decided, what must be asked again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from annotation.packet import Packet
from groundtruth.decision import Decision


class State(StrEnum):
    """How a card stands on the server, or stood at the last pull."""

    UNANSWERED = "unanswered"
    DRAFT = "draft"
    SKIPPED = "skipped"
    ANSWERED = "answered"
    CONFLICTING = "conflicting"
    EDITED_AFTER_MERGE = "edited_after_merge"
    DELETED_AFTER_MERGE = "deleted_after_merge"
    TASK_MISSING = "task_missing"
    STALE = "stale"
    UNPARSABLE = "unparsable"
    MOVED_ON = "moved_on"


class ReturnKind(StrEnum):
    """Why a card comes back as another packet.

    ``elsewhere``: not on this page. ``unparsable``: the answer is no value of the field, or there is none.
    ``one_by_one``: a bulk question that a person wants to answer leaf by leaf.
    """

    ELSEWHERE = "elsewhere"
    UNPARSABLE = "unparsable"
    ONE_BY_ONE = "one_by_one"


@dataclass(frozen=True, slots=True)
class Return:
    """A card that was answered without a decision, and is asked again.

    Attributes:
        card_key: the card's key.
        kind: why.
        text: what the person typed; "" where nothing was.
        reason: why it is asked again, for people; "" where the kind says all.
    """

    card_key: str
    kind: ReturnKind
    text: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TaskReading:
    """One task of the server, decoded with the packet that the dataset kept.

    Attributes:
        packet: what was asked.
        states: how each card stands, by its key.
        decisions: every answer that is one, oldest first; several people or annotations give several.
        returns: cards that are asked again.
        notes: what the server held and was left out, for people.
        annotations: the revision of every annotation that counts as an answer, by the server's id.
    """

    packet: Packet
    states: Mapping[str, State]
    decisions: tuple[Decision, ...] = ()
    returns: tuple[Return, ...] = ()
    notes: tuple[str, ...] = ()
    annotations: Mapping[int, str] = field(default_factory=dict)
