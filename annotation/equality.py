"""When two answers of people are one, and which of two came first."""

from __future__ import annotations

from datetime import UTC, datetime

from groundtruth import jsontext
from groundtruth.decision import Decision, Verdict
from groundtruth.jsontext import Json
from groundtruth.schema import Leaf
from groundtruth.value import Canonical, Null, Value, canonical

AnswerClass = tuple[str, object]
"""What an answer says, hashable: its kind and the canonical key."""


def instant(time: str) -> datetime:
    """The moment that a time of the server names; one without a zone is UTC, and one that cannot be read is the first.

    The server writes no fraction when it is zero, so its times do not sort as text.
    """
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def same_answer(one: Decision, other: Decision, leaf: Leaf | None) -> bool:
    """Whether two decisions on a leaf or row agree: each value is right by the other; boxes are left aside.

    Args:
        one: a decision.
        other: another one on the same leaf or row.
        leaf: the leaf, whose comparator tells; None for a row, and for a leaf that the schema no longer has, whose
            values are equal as JSON.
    """
    rows = {Verdict.PRESENT, Verdict.ABSENT, Verdict.ESCALATE}
    if {one.verdict, other.verdict} & rows:
        return one.verdict is other.verdict
    return answer_class(one, leaf) in right_classes(other, leaf) and answer_class(other, leaf) in right_classes(
        one, leaf
    )


def answer_class(decision: Decision, leaf: Leaf | None) -> AnswerClass:
    """What a decision says, hashable; equal for equal answers under the leaf's comparator."""
    if decision.verdict in (Verdict.PRESENT, Verdict.ABSENT, Verdict.ESCALATE):
        return (decision.verdict, "")
    return value_class(decision.value, leaf)


def value_class(value: Json, leaf: Leaf | None) -> AnswerClass:
    """A value's class under the leaf's comparator; as JSON where there is no leaf."""
    if value is None:
        return ("null", "")
    found: Canonical | None = canonical(leaf, value) if leaf is not None else None
    if isinstance(found, Null):
        return ("null", "")
    return ("value", found.key) if isinstance(found, Value) else ("json", jsontext.dumps(value))


def right_classes(decision: Decision, leaf: Leaf | None) -> set[AnswerClass]:
    """The classes of all values that are right by a decision, further readings included."""
    return {answer_class(decision, leaf), *(value_class(value, leaf) for value in decision.alternates)}
