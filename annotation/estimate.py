"""How much work packets are for a person."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from annotation.packet import Card, Packet
from groundtruth.decision import Decision
from groundtruth.jsontext import Json
from groundtruth.queue import Question, question_seconds

LEAST_MEASURED: Final = 20
"""So many answers of a kind must be there before their median says how long the next one takes."""


class Estimate(NamedTuple):
    """The work in some packets.

    Attributes:
        leaves: how many leaves and rows a person looks at.
        packets: how many packets.
        minutes: about how many minutes of one person.
    """

    leaves: int
    packets: int
    minutes: float

    def to_json(self) -> dict[str, Json]:
        """The estimate in a command's ``--json``."""
        return {"leaves": self.leaves, "packets": self.packets, "person_minutes": round(self.minutes, 1)}


def estimate(packets: Iterable[Packet], measured: Mapping[Question, float] | None = None) -> Estimate:
    """Add up packets; ``measured`` holds a person's seconds a leaf by kind of question, see ``measured_seconds``."""
    listed = list(packets)
    cards = [card for packet in listed for card in packet.cards]
    seconds = sum(question_seconds(card.question, _leaves(card), measured=measured) for card in cards)
    return Estimate(sum(map(_leaves, cards)), len(listed), seconds / 60)


def measured_seconds(decisions: Iterable[Decision], packets: Mapping[str, Packet]) -> dict[Question, float]:
    """The median seconds a leaf, by kind of question; kinds with fewer than ``LEAST_MEASURED`` answers are left out.

    Args:
        decisions: of any documents.
        packets: what was asked, by packet key; a decision whose packet is not there is passed over.
    """
    cards = {
        (packet.key, key): card
        for packet in packets.values()
        for card in packet.cards
        for key in (card.key, *(member.key for member in card.members))
    }
    found: dict[Question, dict[object, float]] = defaultdict(dict)
    for decision in decisions:
        card = cards.get((decision.packet, decision.key))
        if card is not None and decision.seconds is not None:
            # The members of a bulk question are one answer, and each has its share of the seconds.
            answer = (decision.packet, card.key, decision.annotation, decision.revision, decision.reviewer)
            found[card.question][answer] = decision.seconds
    return {
        question: statistics.median(answers.values())
        for question, answers in found.items()
        if len(answers) >= LEAST_MEASURED
    }


def _leaves(card: Card) -> int:
    return len(card.members) if card.question is Question.BULK else 1
