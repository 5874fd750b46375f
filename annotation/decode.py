"""From what the server answered to decisions.

Nothing that the server holds is taken on trust: a task is known by the packet's key that it carries, never by its id,
and every value comes from the packet that the dataset kept. Nothing here reads or writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from annotation.edits import Unreadable, read_edit
from annotation.equality import answer_class, right_classes, same_answer, value_class
from annotation.labeling_config import MORE_THAN_ONE
from annotation.packet import (
    ABSENT,
    ALL_AS_PROPOSED,
    EDIT,
    ELSEWHERE,
    ESCALATE,
    NULL,
    ONE_BY_ONE,
    PRESENT,
    Card,
    Packet,
)
from annotation.places import Places, places_of
from annotation.reading import Return, ReturnKind, State, TaskReading
from annotation.regions import Answers, CardAnswer, read_result
from annotation.stamps import Stamp, dicts, stamped
from groundtruth.decision import Cause, Decision, Verdict, decision_id, row_fingerprint
from groundtruth.errors import ReviewError
from groundtruth.evidence import Evidence
from groundtruth.jsontext import Json
from groundtruth.queue import Question
from groundtruth.schema import FrozenSchema

_CAUSES: Final = {cause.replace("_", " "): cause for cause in Cause}
_VERDICTS: Final = {
    NULL: Verdict.NULL,
    ESCALATE: Verdict.ESCALATE,
    PRESENT: Verdict.PRESENT,
    ABSENT: Verdict.ABSENT,
}


def decode(
    packet: Packet, task: Mapping[str, Json], schema: FrozenSchema, users: Mapping[int, str] | None = None
) -> TaskReading:
    """Read the server's task of a packet.

    Args:
        packet: what was asked, as the dataset kept it.
        task: the task's whole JSON: data, annotations, drafts.
        schema: the schema as it is now; an answer under another fingerprint is kept and marked stale.
        users: e-mail addresses by the server's id; a user that is not there is ``user-<id>``.

    Raises:
        ReviewError: the task is of another packet.
    """
    _require_own(packet, task)
    notes: list[str] = []
    found: list[tuple[Stamp, list[_Outcome]]] = []
    for annotation, stamp in stamped(task, packet, users or {}, notes):
        answers = read_result(packet, annotation.get("result"))
        notes.extend(answers.notes)
        if answers.foreign:
            notes.append(_foreign(answers))
        outcomes = [_outcome(packet, at, answers, stamp, schema) for at in range(len(packet.cards))]
        found.append((stamp, outcomes))
        notes.extend(note for outcome in outcomes for note in outcome.notes)
    states: dict[str, State] = {}
    returns: list[Return] = []
    for at, card in enumerate(packet.cards):
        state, again = _state(card, schema, [outcomes[at] for _, outcomes in found], task)
        states[card.key] = state
        returns.extend(again)
    return TaskReading(
        packet=packet,
        states=states,
        decisions=tuple(decision for _, outcomes in found for outcome in outcomes for decision in outcome.decisions),
        returns=tuple(returns),
        notes=tuple(dict.fromkeys(notes)),
        annotations={stamp.annotation: stamp.revision for stamp, _ in found},
    )


@dataclass(frozen=True, slots=True)
class Given:
    """What one annotation answers, a skip included.

    Attributes:
        annotation: the server's id.
        revision: the server's time of the last change.
        reviewer: who changed it last.
        is_skip: whether the packet was skipped; what it holds is no answer then.
        decisions: the answers that are one, by card key; of a bulk question none.
        returns: by card key, the answers that are none.
    """

    annotation: int
    revision: str
    reviewer: str
    is_skip: bool = False
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    returns: Mapping[str, Return] = field(default_factory=dict)


def given_answers(
    packet: Packet, task: Mapping[str, Json], schema: FrozenSchema, users: Mapping[int, str] | None = None
) -> list[Given]:
    """Every annotation of a packet by itself, oldest first; see ``decode`` for the arguments and errors."""
    _require_own(packet, task)
    found = []
    for annotation, stamp in stamped(task, packet, users or {}, [], skipped=True):
        if annotation.get("was_cancelled"):
            found.append(Given(stamp.annotation, stamp.revision, stamp.reviewer, is_skip=True))
            continue
        answers = read_result(packet, annotation.get("result"))
        outcomes = {card.key: _outcome(packet, at, answers, stamp, schema) for at, card in enumerate(packet.cards)}
        found.append(
            Given(
                stamp.annotation,
                stamp.revision,
                stamp.reviewer,
                decisions={key: one.decisions[0] for key, one in outcomes.items() if len(one.decisions) == 1},
                returns={key: one.again for key, one in outcomes.items() if one.again is not None},
            )
        )
    return found


def packet_key_of(task: Mapping[str, Json]) -> str | None:
    """The packet's key that a task carries; None for a task that is none of ours."""
    data = task.get("data")
    key = data.get("packet_key") if isinstance(data, dict) else None
    return key if isinstance(key, str) else None


def _require_own(packet: Packet, task: Mapping[str, Json]) -> None:
    key = packet_key_of(task)
    if key != packet.key:
        raise ReviewError(
            f"packet {packet.key}: a task of packet {key or '?'} was read as its answer; pull from the project that "
            "review/project.json names"
        )


def is_stale(card: Card, schema: FrozenSchema) -> bool:
    """Whether the schema no longer asks what the card asked."""
    if card.question is Question.ROW:
        table = schema.tables.get(card.field[:-1])
        return table is None or row_fingerprint(table) != card.fingerprint
    leaf = schema.leaves.get(card.field)
    return leaf is None or leaf.fingerprint != card.fingerprint


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What one annotation makes of one card: decisions, or why it is asked again."""

    decisions: tuple[Decision, ...] = ()
    again: Return | None = None
    notes: tuple[str, ...] = ()


def _outcome(packet: Packet, at: int, answers: Answers, stamp: Stamp, schema: FrozenSchema) -> _Outcome:
    card, answer = packet.cards[at], answers.cards[at]
    if len(answer.decisions) != 1:
        return _Outcome(again=_unparsable(card, answer, _why_no_answer(answers, answer)))
    alias = answer.decisions[0]
    if alias not in card.answers:
        return _Outcome(again=_unparsable(card, answer, f"the answer {alias!r} is none that the card offered"))
    if alias == ELSEWHERE:
        return _Outcome(again=Return(card.key, ReturnKind.ELSEWHERE))
    if alias == ONE_BY_ONE:
        return _Outcome(again=Return(card.key, ReturnKind.ONE_BY_ONE))
    causes, notes = _causes(card, answer, alias)
    draft = _draft(packet, card, stamp, causes)
    if card.question is Question.BULK:
        decisions = _bulk(draft, card, alias)
        if answer.boxes and places_of(card, answer, packet.pages, lambda _: True).changed:
            notes.append(f"{_name(card)}: boxes were changed under a question about many leaves; they were kept as is")
    else:
        said = _said(card, answer, alias, schema)
        if isinstance(said, Unreadable):
            return _Outcome(again=_unparsable(card, answer, said.reason), notes=tuple(notes))
        decision = replace(draft, verdict=said.verdict, value=said.value)
        decision = replace(decision, alternates=_alternates(card, answer, decision, schema, notes))
        places = _places(packet, card, answer, decision, schema)
        notes.extend(places.notes)
        decisions = [replace(decision, evidence=places.evidence, boxes_changed=places.changed)]
    same = alias == card.preselected and answer.proposed
    decisions = [replace(each, untouched=same and not each.boxes_changed) for each in decisions]
    return _Outcome(tuple(decisions), notes=tuple(notes))


class _Said(NamedTuple):
    """What an answer on one leaf or row says."""

    verdict: Verdict
    value: Json = None


def _said(card: Card, answer: CardAnswer, alias: str, schema: FrozenSchema) -> _Said | Unreadable:
    if alias == EDIT:
        leaf = schema.leaves.get(card.field)
        if leaf is None:
            return Unreadable("the schema no longer has this field")
        typed = read_edit(leaf, answer.text or "", card.options)
        if isinstance(typed, Unreadable):
            return typed
        return _Said(Verdict.EDIT if typed.option is None else Verdict.ACCEPT, typed.value)
    option = card.option(alias)
    if option is None:
        return _Said(_VERDICTS[alias])
    # A candidate may be null, and then it says what "absent" says.
    return _Said(Verdict.NULL if option.value is None else Verdict.ACCEPT, option.value)


def _draft(packet: Packet, card: Card, stamp: Stamp, causes: tuple[Cause, ...]) -> Decision:
    """A decision on a card, its answer left open."""
    return Decision(
        id=decision_id(card.key, stamp.annotation, stamp.revision),
        key=card.key,
        document=card.document,
        path=card.path,
        field=card.field,
        fingerprint=card.fingerprint,
        schema=packet.schema,
        schema_version=packet.schema_version,
        rows=card.rows,
        verdict=Verdict.ESCALATE,
        causes=causes,
        reviewer=stamp.reviewer,
        decided_at=stamp.at,
        seconds=stamp.seconds,
        packet=packet.key,
        round=packet.round,
        votes=card.votes,
        annotation=stamp.annotation,
        revision=stamp.revision,
        settles=card.settles,
    )


def _bulk(draft: Decision, card: Card, alias: str) -> list[Decision]:
    """One decision for each leaf of a bulk question, which share the seconds of its card."""
    option = card.option(alias)
    shared = option.value if option else None
    found = []
    for member in card.members:
        value = member.value if alias == ALL_AS_PROPOSED else shared
        found.append(
            replace(
                draft,
                id=decision_id(member.key, draft.annotation, draft.revision),
                key=member.key,
                document=member.document,
                path=member.path,
                field=member.field,
                fingerprint=member.fingerprint,
                rows=member.rows,
                verdict=Verdict.NULL if value is None else Verdict.ACCEPT,
                value=value,
                evidence=() if value is None else member.evidence,
                seconds=None if draft.seconds is None else round(draft.seconds / len(card.members), 3),
                votes=member.votes,
            )
        )
    return found


def _places(packet: Packet, card: Card, answer: CardAnswer, decision: Decision, schema: FrozenSchema) -> Places:
    leaf = schema.leaves.get(card.field)
    right = right_classes(decision, leaf)

    def supports(place: Evidence) -> bool:
        return card.question is Question.ROW or place.value is None or value_class(place.value, leaf) in right

    places = places_of(card, answer, packet.pages, supports)
    # What is absent stands nowhere.
    return places._replace(evidence=()) if decision.verdict in (Verdict.NULL, Verdict.ABSENT) else places


def _alternates(
    card: Card, answer: CardAnswer, decision: Decision, schema: FrozenSchema, notes: list[str]
) -> tuple[Json, ...]:
    name = _name(card)
    leaf = schema.leaves.get(card.field)
    seen = {answer_class(decision, leaf)}
    found: list[Json] = []
    for alias in answer.also:
        option = card.option(alias)
        if option is None or decision.verdict not in (Verdict.ACCEPT, Verdict.EDIT):
            notes.append(f"{name}: the further reading {alias!r} goes with no answer of ours; it was left out")
        elif (value := value_class(option.value, leaf)) not in seen:
            seen.add(value)
            found.append(option.value)
    if MORE_THAN_ONE in answer.flags and not found:
        notes.append(f"{name}: more than one reading was said to be right, but no further one was chosen")
    return tuple(found)


def _causes(card: Card, answer: CardAnswer, alias: str) -> tuple[tuple[Cause, ...], list[str]]:
    """The causes flagged, sorted, and notes on what the person left beside the answer that goes with none."""
    causes = {_CAUSES[flag] for flag in answer.flags if flag in _CAUSES}
    notes = [
        f"{_name(card)}: the flag {flag!r} is none of ours; it was left out"
        for flag in answer.flags
        if flag not in _CAUSES and flag != MORE_THAN_ONE
    ]
    if answer.text and answer.text != card.prefill and alias != EDIT:
        notes.append(f"{_name(card)}: {answer.text!r} was typed, but the answer is another; the text was left out")
    return tuple(sorted(causes)), notes


def _name(card: Card) -> str:
    return card.title or card.key


def _unparsable(card: Card, answer: CardAnswer, reason: str) -> Return:
    return Return(card.key, ReturnKind.UNPARSABLE, answer.text or "", reason)


def _why_no_answer(answers: Answers, answer: CardAnswer) -> str:
    if len(answer.decisions) > 1:
        return f"several answers at once: {', '.join(answer.decisions)}"
    if answers.foreign:
        return _foreign(answers)
    if answer.is_empty:
        return "it was submitted without an answer"
    return "something was typed or flagged, but no answer was chosen"


def _foreign(answers: Answers) -> str:
    return (
        f"the answer has fields that are not ours ({', '.join(answers.foreign)}): somebody changed the labelling "
        "configuration; push again to restore it"
    )


def _state(
    card: Card, schema: FrozenSchema, outcomes: Sequence[_Outcome], task: Mapping[str, Json]
) -> tuple[State, list[Return]]:
    """How a card stands after all annotations, and what is asked again: nothing while somebody's answer decides."""
    decisions = [outcome.decisions for outcome in outcomes if outcome.decisions]
    if decisions:
        if is_stale(card, schema):
            return State.STALE, []
        return (State.CONFLICTING if _conflict(decisions, card, schema) else State.ANSWERED), []
    again = [outcome.again for outcome in outcomes if outcome.again]
    if again:
        # The last word counts when nobody decided.
        moved = again[-1].kind is not ReturnKind.UNPARSABLE
        return (State.MOVED_ON if moved else State.UNPARSABLE), [again[-1]]
    if dicts(task.get("drafts")):
        return State.DRAFT, []
    return (State.SKIPPED if dicts(task.get("annotations")) else State.UNANSWERED), []


def _conflict(answers: Sequence[Sequence[Decision]], card: Card, schema: FrozenSchema) -> bool:
    """Whether two people's last answers differ; an escalation contradicts nobody."""
    last = {decisions[0].reviewer: decisions for decisions in answers}
    leaf = schema.leaves.get(card.field)
    decided = [each for each in last.values() if each[0].verdict is not Verdict.ESCALATE]
    return any(
        not same_answer(one, other, leaf) for mine in decided[1:] for one, other in zip(decided[0], mine, strict=True)
    )
