"""The review queue: what a person is asked, in the order in which it is worth asking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from groundtruth.consensus import Disposition, Reason, Tier
from groundtruth.jsontext import Json
from groundtruth.path import Path, format_path, parse_path


class Question(StrEnum):
    """What a person is asked.

    ``row``: is this row on the page? ``leaf``: what is the value? ``bulk``: one question about many leaves of a field
    in which the systems dissent in the same way; each leaf is still shown.
    """

    ROW = "row"
    LEAF = "leaf"
    BULK = "bulk"


@dataclass(frozen=True, slots=True)
class Place:
    """A leaf or row of one document."""

    document: str
    path: Path


@dataclass(frozen=True, slots=True)
class QueueItem:
    """One question.

    Attributes:
        question: what is asked.
        places: the leaf, the row, or all leaves of a bulk question, in page order.
        field: the schema path that they share.
        disposition: ``review`` or ``provisional``.
        tier: how far the votes agree; of a bulk question, the worst of its leaves.
        margin: the smallest of its leaves.
        reasons: why it is asked, sorted.
        page: the first page where it is expected, or None when nothing says so.
        settles: of a row, the cells that the answer decides, because all systems that have the row agree on them.
        follow_up: of a row, the cells that are asked once the row is confirmed.
    """

    question: Question
    places: tuple[Place, ...]
    field: Path
    disposition: Disposition
    tier: Tier
    margin: int
    reasons: tuple[Reason, ...]
    page: int | None = None
    settles: tuple[Path, ...] = ()
    follow_up: tuple[Path, ...] = ()

    @property
    def leaves(self) -> int:
        """How many leaves a person looks at, a row's own presence counted as one."""
        if self.question is Question.ROW:
            return 1 + len(self.follow_up)
        return len(self.places)

    def to_json(self) -> dict[str, Json]:
        """One line of the queue's file."""
        return {
            "question": self.question,
            "places": [{"document": place.document, "path": format_path(place.path)} for place in self.places],
            "field": format_path(self.field),
            "disposition": self.disposition,
            "tier": self.tier,
            "margin": self.margin,
            "reasons": self.reasons,
            "page": self.page,
            "settles": [format_path(path) for path in self.settles],
            "follow_up": [format_path(path) for path in self.follow_up],
        }

    @classmethod
    def from_json(cls, data: Json) -> QueueItem:
        """Read back one line."""
        return cls(
            question=Question(data["question"]),
            places=tuple(Place(place["document"], parse_path(place["path"])) for place in data["places"]),
            field=parse_path(data["field"]),
            disposition=Disposition(data["disposition"]),
            tier=Tier(data["tier"]),
            margin=data["margin"],
            reasons=tuple(map(Reason, data["reasons"])),
            page=data["page"],
            settles=tuple(map(parse_path, data["settles"])),
            follow_up=tuple(map(parse_path, data["follow_up"])),
        )


_SECONDS = {Question.ROW: 6.0, Question.LEAF: 8.0, Question.BULK: 2.0}
"""A person's seconds per leaf looked at, until a dataset has measured its own."""


def question_seconds(question: Question, leaves: int, *, measured: Mapping[Question, float] | None = None) -> float:
    """About how long a person needs for one question, in seconds.

    Args:
        question: its kind.
        leaves: how many leaves it shows, those that are asked later not counted.
        measured: a dataset's own seconds per leaf looked at, for the kinds of which it has any.
    """
    if measured is not None and question in measured:
        return measured[question] * leaves
    # A bulk question is read once, then every leaf is glanced at.
    once = _SECONDS[Question.LEAF] if question is Question.BULK else 0.0
    return once + _SECONDS[question] * leaves


def person_seconds(items: Sequence[QueueItem]) -> float:
    """About how long a person needs for these questions, in seconds."""
    return sum(
        question_seconds(item.question, len(item.places)) + question_seconds(Question.LEAF, len(item.follow_up))
        for item in items
    )
