"""How well each person answers questions whose true answers are known.

What is known of an answer is kept under the annotation and its revision, as decisions are: an edit is a new revision,
and an answer that is gone from the server is withdrawn, on record.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from annotation.decode import Given, given_answers, is_stale
from annotation.equality import AnswerClass, instant, value_class
from annotation.known import Expected, Known
from annotation.packet import Card, Packet
from annotation.reading import ReturnKind
from groundtruth.box import Box
from groundtruth.decision import Verdict
from groundtruth.evidence import Evidence
from groundtruth.jsontext import Json
from groundtruth.path import Path, format_path, parse_path
from groundtruth.schema import FrozenSchema, Leaf

LEAST_IOU: Final = 0.5
"""A box of an answer is right from this overlap with the true one; word boxes and line boxes of one value pass it."""
CONFIDENCE: Final = 0.95


class Mark(StrEnum):
    """What became of a known question.

    ``right`` and ``wrong`` are by the value. ``passed_on``: skipped, handed on, or "not on this page" of a value that
    does not stand there; it says nothing about how well somebody reads. ``stale``: the schema no longer asks it so.
    """

    RIGHT = "right"
    WRONG = "wrong"
    PASSED_ON = "passed_on"
    STALE = "stale"


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownAnswer:
    """One person's answer to one known card.

    Attributes:
        packet: the packet's key.
        card: the card's key.
        document: the document's id.
        path: the leaf's instance path.
        annotation: the server's id of the answer.
        revision: the server's time of its last change.
        reviewer: who changed it last.
        mark: what became of it.
        answered: the value that was given; None for null, and where ``said`` is no value.
        said: the answer in words where it is no value: ``skipped``, ``escalate``, ``elsewhere``, ``unreadable``; "".
        expected: the true value.
        box: whether a box of a right answer stands where the value does; None where no box is due.
        withdrawn: whether the answer is gone from the server.
    """

    packet: str
    card: str
    document: str
    path: Path
    annotation: int
    revision: str
    reviewer: str
    mark: Mark
    answered: Json = None
    said: str = ""
    expected: Json = None
    box: bool | None = None
    withdrawn: bool = False

    @property
    def id(self) -> tuple[int, str, str]:
        """The same answer pulled twice has one."""
        return self.annotation, self.card, self.revision

    def to_json(self) -> dict[str, Json]:
        """The record as the dataset keeps it."""
        return {
            "packet": self.packet,
            "card": self.card,
            "document": self.document,
            "path": format_path(self.path),
            "annotation": self.annotation,
            "revision": self.revision,
            "reviewer": self.reviewer,
            "mark": str(self.mark),
            "answered": self.answered,
            "said": self.said,
            "expected": self.expected,
            "box": self.box,
            "withdrawn": self.withdrawn,
        }

    @classmethod
    def from_json(cls, data: Json) -> KnownAnswer:
        """Read back what ``to_json`` wrote.

        Raises:
            KeyError, TypeError, ValueError: it is not that.
        """
        parts = {**data, "path": parse_path(data["path"]), "mark": Mark(data["mark"])}
        return cls(**parts)


def read_known(
    packet: Packet, task: Mapping[str, Json], users: Mapping[int, str], present: FrozenSchema | None = None
) -> list[KnownAnswer]:
    """What people answered to a packet whose truth is known, oldest first.

    Args:
        packet: what was asked; its truth is known.
        task: the server's task of it.
        users: e-mail addresses by the server's id.
        present: the schema as it is now; None where it is out of reach, and then nothing is stale.

    Raises:
        ValueError: nothing is known of the packet.
        ReviewError: the task is of another packet.
    """
    known = packet.known
    if known is None:
        raise ValueError(f"packet {packet.key}: its true answers are not known")
    schema = known.compiled(packet.schema, packet.schema_version)
    return [
        _judged(packet, known, card, given, schema, present)
        for given in given_answers(packet, task, schema, users)
        for card in packet.cards
        if card.key in known.expected
    ]


def _judged(
    packet: Packet, known: Known, card: Card, given: Given, schema: FrozenSchema, present: FrozenSchema | None
) -> KnownAnswer:
    expected, leaf = known.expected[card.key], schema.leaves.get(card.field)
    answer = KnownAnswer(
        packet=packet.key,
        card=card.key,
        document=packet.document,
        path=card.path,
        annotation=given.annotation,
        revision=given.revision,
        reviewer=given.reviewer,
        mark=Mark.PASSED_ON,
        expected=expected.value,
    )
    answer = _marked(answer, card, given, expected, leaf, packet.pages)
    return replace(answer, mark=Mark.STALE) if present is not None and is_stale(card, present) else answer


def _marked(
    answer: KnownAnswer, card: Card, given: Given, expected: Expected, leaf: Leaf | None, pages: Collection[int]
) -> KnownAnswer:
    if given.is_skip:
        return replace(answer, said="skipped")
    decision, again = given.decisions.get(card.key), given.returns.get(card.key)
    if decision is None:
        if again is not None and again.kind is ReturnKind.ELSEWHERE:
            is_here = any(place.page in pages for place in expected.places)
            return replace(answer, said="elsewhere", mark=Mark.WRONG if is_here else Mark.PASSED_ON)
        return replace(answer, said="unreadable", answered=again.text or None if again else None, mark=Mark.WRONG)
    if decision.verdict is Verdict.ESCALATE:
        return replace(answer, said="escalate")
    if _class(decision.value, leaf) != _class(expected.value, leaf):
        return replace(answer, mark=Mark.WRONG, answered=decision.value)
    due = expected.value is not None and bool(expected.places)
    stands = _is_there(decision.evidence, expected.places) if due else None
    return replace(answer, mark=Mark.RIGHT, answered=decision.value, box=stands)


def _class(value: Json, leaf: Leaf | None) -> AnswerClass:
    return value_class(value, leaf)


def _is_there(given: Iterable[Evidence], true: Sequence[Evidence]) -> bool:
    return any(one.page == other.page and _alike(one.hull, other.hull) for one in given for other in true if one.boxes)


def _alike(one: Box | None, other: Box | None) -> bool:
    return one is not None and other is not None and one.iou(other) >= LEAST_IOU


def fold(kept: Iterable[KnownAnswer], found: Iterable[KnownAnswer], seen: Collection[str]) -> tuple[KnownAnswer, ...]:
    """The record after a pull.

    Args:
        kept: the record before.
        found: what the server holds now.
        seen: keys of the packets that are on the server; answers to them that are not found are withdrawn. A packet
            that is gone takes no answer with it.
    """
    record = {answer.id: answer for answer in kept}
    there = {answer.id: answer for answer in found}
    record.update(there)
    live = {(answer.annotation, answer.card) for answer in there.values()}
    for identity, answer in record.items():
        # An earlier revision of an answer that is there still was given, and is overtaken, not withdrawn.
        if answer.packet in seen and (answer.annotation, answer.card) not in live:
            record[identity] = replace(answer, withdrawn=True)
    return tuple(record.values())


@dataclass(slots=True)
class Measured:
    """One person's answers to known questions.

    Attributes:
        right, wrong, passed_on, stale: how many; see ``Mark``.
        boxes: of how many right answers a box was due.
        boxes_right: in how many of these one stands where the value does.
        mistakes: the wrong answers, in the order in which they were given.
    """

    right: int = 0
    wrong: int = 0
    passed_on: int = 0
    stale: int = 0
    boxes: int = 0
    boxes_right: int = 0
    mistakes: list[KnownAnswer] = field(default_factory=list)

    @property
    def accuracy(self) -> float | None:
        """The share that is right of those that are right or wrong; None when none is."""
        judged = self.right + self.wrong
        return self.right / judged if judged else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The Wilson interval of the accuracy at ``CONFIDENCE``; None when nothing was judged."""
        judged = self.right + self.wrong
        if not judged:
            return None
        # Of scipy.stats, which has it as well, the import alone takes a second.
        from scipy.special import ndtri

        z = float(ndtri((1 + CONFIDENCE) / 2))
        share, spread = self.right / judged, z * z / judged
        middle = (share + spread / 2) / (1 + spread)
        half = math.sqrt(share * (1 - share) * spread + spread * spread / 4) / (1 + spread)
        return max(0.0, middle - half), min(1.0, middle + half)

    def to_json(self) -> dict[str, Json]:
        """The record in a command's ``--json``."""
        interval = self.interval
        return {
            "asked": self.right + self.wrong + self.passed_on + self.stale,
            "right": self.right,
            "wrong": self.wrong,
            "passed_on": self.passed_on,
            "stale": self.stale,
            "accuracy": self.accuracy,
            "interval": None if interval is None else [round(edge, 6) for edge in interval],
            "boxes": self.boxes,
            "boxes_right": self.boxes_right,
            "mistakes": [
                {
                    "document": each.document,
                    "path": format_path(each.path),
                    "answered": each.answered,
                    "said": each.said,
                    "expected": each.expected,
                    "packet": each.packet,
                }
                for each in self.mistakes
            ],
        }


def measured(answers: Iterable[KnownAnswer]) -> dict[str, Measured]:
    """How well each person answers, by e-mail address, sorted; the last answer of a person on a card counts."""
    found: dict[str, Measured] = {}
    for answer in sorted(current(answers), key=lambda each: each.reviewer):
        mine = found.setdefault(answer.reviewer, Measured())
        match answer.mark:
            case Mark.RIGHT:
                mine.right += 1
                mine.boxes += answer.box is not None
                mine.boxes_right += answer.box is True
            case Mark.WRONG:
                mine.wrong += 1
                mine.mistakes.append(answer)
            case Mark.PASSED_ON:
                mine.passed_on += 1
            case Mark.STALE:
                mine.stale += 1
    return found


def current(answers: Iterable[KnownAnswer]) -> list[KnownAnswer]:
    """The answers that count: the last revision of each, and of each person the last one on a card; none withdrawn."""
    ordered = sorted(
        (answer for answer in answers if not answer.withdrawn),
        key=lambda each: (instant(each.revision), each.annotation),
    )
    of_annotation = {(answer.annotation, answer.card): answer for answer in ordered}
    last = {(answer.reviewer, answer.card): answer for answer in of_annotation.values()}
    return sorted(last.values(), key=lambda each: (instant(each.revision), each.annotation, each.card))
