"""Fold what the server holds into the log of decisions: new answers, revisions, and answers that are gone.

Merging the same pull again adds nothing, and so does merging an older one. Nothing that is in the log is changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from annotation.equality import instant, same_answer
from annotation.packet import Packet
from annotation.reading import State, TaskReading
from groundtruth import jsontext
from groundtruth.decision import DELETED_ON_SERVER, Decision, DecisionLog, Entry, Verdict, Withdrawal
from groundtruth.path import Path
from groundtruth.schema import FrozenSchema

EDITED_ON_SERVER: Final = "edited_on_server"
"""Why a decision is withdrawn whose annotation was changed to something that is no decision."""
SERVER: Final = "server"
"""Who withdraws a decision that nobody took back by name."""

_WEIGHT: Final = {
    state: weight
    for weight, state in enumerate(
        (
            State.TASK_MISSING,
            State.UNANSWERED,
            State.DRAFT,
            State.SKIPPED,
            State.UNPARSABLE,
            State.MOVED_ON,
            State.ANSWERED,
            State.STALE,
            State.DELETED_AFTER_MERGE,
            State.EDITED_AFTER_MERGE,
            State.CONFLICTING,
        )
    )
}
"""Of two tasks of one packet the state that says more counts."""


@dataclass(frozen=True, slots=True)
class Adjudication:
    """A leaf or row on which people differ, to be asked again with their answers.

    Attributes:
        key: the leaf key or row key.
        document: the document's id.
        path: the instance path when it was asked.
        decisions: the answers that stand, at most one of each person, in the order of the log.
    """

    key: str
    document: str
    path: Path
    decisions: tuple[Decision, ...]

    @property
    def settles(self) -> tuple[str, ...]:
        """The ids of the decisions that its answer supersedes."""
        return tuple(decision.id for decision in self.decisions)


@dataclass(frozen=True, slots=True)
class Merge:
    """What a pull adds.

    Attributes:
        entries: to be added to the logs, in this order.
        states: how each card stands, by the packet's key and the card's key.
        adjudications: where people differ after the merge, by document and path.
        documents: the document of every entry, in the same order.
    """

    entries: tuple[Entry, ...]
    states: Mapping[str, Mapping[str, State]]
    adjudications: tuple[Adjudication, ...]
    documents: tuple[str, ...] = ()

    @property
    def by_document(self) -> dict[str, tuple[Entry, ...]]:
        """The entries by the document whose log they belong to."""
        found: dict[str, list[Entry]] = {}
        for document, entry in zip(self.documents, self.entries, strict=True):
            found.setdefault(document, []).append(entry)
        return {document: tuple(entries) for document, entries in found.items()}


def merge(
    log: DecisionLog,
    readings: Sequence[TaskReading],
    *,
    schemas: Mapping[str, FrozenSchema],
    at: str,
    pushed: Iterable[Packet] = (),
) -> Merge:
    """What a pull adds to the log.

    Args:
        log: every decision so far, of all documents that the packets touch.
        readings: the server's tasks, decoded; several may be of one packet.
        schemas: the schemas as they are now, by name; their comparators tell whether answers are equal.
        at: the time of the merge, in ISO 8601 and UTC, for withdrawals.
        pushed: the packets that are on the server as far as we know; one without a reading is missing there. Leave it
            out unless the readings are of all tasks.

    An answer that was changed on the server supersedes the one it was; when somebody else changed it, it settles it.
    A decision whose annotation is gone, or says nothing any more, is withdrawn.
    """
    # Packets whose true answers are known measure the reviewer and decide nothing.
    deciding = [reading for reading in readings if reading.packet.known is None]
    states = _states(readings)
    fold = _Fold(log, at)
    for decision in _by_time(deciding):
        fold.add(decision)
    for packet_readings in _by_packet(deciding).values():
        fold.withdraw(packet_readings)
    for packet in pushed:
        states.setdefault(packet.key, {card.key: State.TASK_MISSING for card in packet.cards})
    adjudications = conflicts(log.extended(fold.entries), schemas)
    _mark(states, deciding, fold, {each.key for each in adjudications})
    return Merge(
        entries=tuple(fold.entries),
        states=states,
        adjudications=adjudications,
        documents=tuple(fold.documents),
    )


def conflicts(log: DecisionLog, schemas: Mapping[str, FrozenSchema]) -> tuple[Adjudication, ...]:
    """The leaves and rows on which people's standing answers differ under the comparator, in the order of the log.

    Null equals null; other boxes are no conflict; an escalation contradicts nobody.
    """
    by_key: dict[str, list[Decision]] = defaultdict(list)
    for decision in log.live():
        if decision.verdict is not Verdict.ESCALATE:
            by_key[decision.key].append(decision)
    found = []
    for key, decisions in by_key.items():
        schema = schemas.get(decisions[0].schema)
        leaf = schema.leaves.get(decisions[0].field) if schema else None
        if not all(same_answer(one, other, leaf) for one, other in combinations(decisions, 2)):
            found.append(Adjudication(key, decisions[0].document, decisions[0].path, tuple(decisions)))
    return tuple(found)


class _Fold:
    """The log while a pull is folded into it."""

    def __init__(self, log: DecisionLog, at: str) -> None:
        self._at = at
        self._last: dict[tuple[int, str], Decision] = {}
        self._ids = {decision.id for decision in log.decisions}
        self._withdrawn = {entry.decision: entry.why for entry in log.entries if isinstance(entry, Withdrawal)}
        self._of_packet: dict[str, list[tuple[int, str]]] = defaultdict(list)
        self.entries: list[Entry] = []
        self.documents: list[str] = []
        self.edited: set[tuple[str, str]] = set()
        self.deleted: set[tuple[str, str]] = set()
        for decision in log.decisions:
            self._keep(decision)

    def add(self, decision: Decision) -> None:
        """Take an answer, unless the log has it or something newer of the same annotation."""
        if decision.id in self._ids or decision.annotation is None:
            return
        before = self._last.get((decision.annotation, decision.key))
        if before is not None:
            if instant(before.revision) >= instant(decision.revision) or self._stands_as(before, decision):
                return
            if before.id not in self._withdrawn:
                self.edited.add((decision.packet, decision.key))
            if before.reviewer != decision.reviewer:
                decision = replace(decision, settles=tuple(dict.fromkeys((*decision.settles, before.id))))
        self._ids.add(decision.id)
        self._keep(decision)
        self._append(decision, decision.document)

    def withdraw(self, readings: Sequence[TaskReading]) -> None:
        """Withdraw the decisions of a packet whose annotations are gone, or say nothing any more.

        Args:
            readings: of all tasks of one packet.
        """
        revisions = {number: revision for reading in readings for number, revision in reading.annotations.items()}
        said = {(each.annotation, each.key) for reading in readings for each in reading.decisions}
        for number, key in self._of_packet[readings[0].packet.key]:
            decision = self._last[number, key]
            if decision.id in self._withdrawn or (number, key) in said:
                continue
            if number not in revisions:
                self._take_back(decision, DELETED_ON_SERVER)
                self.deleted.add((decision.packet, key))
            elif instant(revisions[number]) > instant(decision.revision):
                self._take_back(decision, EDITED_ON_SERVER)

    def _keep(self, decision: Decision) -> None:
        if decision.annotation is None:
            return
        answer = (decision.annotation, decision.key)
        if answer not in self._last:
            self._of_packet[decision.packet].append(answer)
        self._last[answer] = decision

    def _stands_as(self, before: Decision, decision: Decision) -> bool:
        """Whether a revision changed other cards of the packet only.

        What a person withdrew stays withdrawn by it; what the server lost is answered again.
        """
        if self._withdrawn.get(before.id) in (DELETED_ON_SERVER, EDITED_ON_SERVER):
            return False
        return _content(before) == _content(decision)

    def _take_back(self, decision: Decision, why: str) -> None:
        self._withdrawn[decision.id] = why
        self._append(Withdrawal(decision.id, SERVER, self._at, why), decision.document)

    def _append(self, entry: Entry, document: str) -> None:
        self.entries.append(entry)
        self.documents.append(document)


_NOT_CONTENT: Final = frozenset({"id", "reviewer", "decided_at", "seconds", "untouched", "revision", "settles"})
"""What changes in a decision when another card of its packet does; who changed the packet last is a part of it."""


def _content(decision: Decision) -> str:
    """What a decision says, in the form of the log, whose boxes are rounded."""
    return jsontext.dumps({name: part for name, part in decision.to_json().items() if name not in _NOT_CONTENT})


def _by_time(readings: Iterable[TaskReading]) -> list[Decision]:
    """All answers, oldest first, since the last of one person on a leaf stands."""
    found = [decision for reading in readings for decision in reading.decisions]
    return sorted(found, key=lambda each: (instant(each.revision), each.annotation or 0))


def _by_packet(readings: Iterable[TaskReading]) -> dict[str, list[TaskReading]]:
    found: dict[str, list[TaskReading]] = {}
    for reading in readings:
        found.setdefault(reading.packet.key, []).append(reading)
    return found


def _states(readings: Iterable[TaskReading]) -> dict[str, dict[str, State]]:
    states: dict[str, dict[str, State]] = {}
    for reading in readings:
        cards = states.setdefault(reading.packet.key, {})
        for key, state in reading.states.items():
            cards[key] = max(state, cards.get(key, state), key=_WEIGHT.__getitem__)
    return states


def _mark(
    states: Mapping[str, dict[str, State]], readings: Iterable[TaskReading], fold: _Fold, disputed: set[str]
) -> None:
    """Set the states that only the log can tell."""
    for reading in readings:
        cards = states[reading.packet.key]
        for card in reading.packet.cards:
            asked = [(reading.packet.key, key) for key in card.decides]
            if disputed.intersection(card.decides):
                cards[card.key] = State.CONFLICTING
            elif cards[card.key] is State.CONFLICTING:
                # Settled since, by an adjudication or a withdrawal.
                cards[card.key] = State.ANSWERED
            elif not fold.edited.isdisjoint(asked):
                cards[card.key] = State.EDITED_AFTER_MERGE
            elif not fold.deleted.isdisjoint(asked) and cards[card.key] is not State.ANSWERED:
                cards[card.key] = State.DELETED_AFTER_MERGE
