"""What the answers of all people on one leaf or row say together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from annotation.equality import same_answer, value_class
from groundtruth.decision import Decision, Verdict
from groundtruth.jsontext import Json
from groundtruth.schema import Leaf


class Outcome(StrEnum):
    """What came of the answers.

    ``decided``: all who decided agree. ``conflicting``: they differ, and an adjudication is due. ``escalated``: nobody
    decided, and somebody handed it on.
    """

    DECIDED = "decided"
    CONFLICTING = "conflicting"
    ESCALATED = "escalated"


@dataclass(frozen=True, slots=True)
class Standing:
    """The answers on one leaf or row.

    Attributes:
        outcome: what came of them.
        decisions: those that count: of a decided place those that agree, of a conflict those that differ, else the
            escalations; in the order of the log, never empty.
    """

    outcome: Outcome
    decisions: tuple[Decision, ...]

    @property
    def is_decided(self) -> bool:
        """Whether all who decided agree."""
        return self.outcome is Outcome.DECIDED

    @property
    def last(self) -> Decision:
        """The last of the decisions: of answers that agree, the one whose value and boxes are taken."""
        return self.decisions[-1]

    @property
    def by(self) -> tuple[str, ...]:
        """Who decided, sorted."""
        return tuple(sorted({decision.reviewer for decision in self.decisions}))

    def alternates(self, leaf: Leaf | None) -> tuple[Json, ...]:
        """The further readings that somebody said are right, each once under the leaf's comparator."""
        seen = {value_class(self.last.value, leaf), value_class(None, leaf)}
        found: list[Json] = []
        for decision in reversed(self.decisions):
            for value in (decision.value, *decision.alternates):
                if (said := value_class(value, leaf)) not in seen:
                    seen.add(said)
                    found.append(value)
        return tuple(found)


def standing(decisions: Sequence[Decision], leaf: Leaf | None) -> Standing:
    """What answers on one place say together.

    Args:
        decisions: the last one of each person, in the order of the log; at least one.
        leaf: the leaf, whose comparator tells whether answers agree; None for a row.

    An escalation contradicts nobody, and boxes are left aside.
    """
    decided = tuple(decision for decision in decisions if decision.verdict is not Verdict.ESCALATE)
    if not decided:
        return Standing(Outcome.ESCALATED, tuple(decisions))
    agree = all(same_answer(one, other, leaf) for one, other in combinations(decided, 2))
    return Standing(Outcome.DECIDED if agree else Outcome.CONFLICTING, decided)
