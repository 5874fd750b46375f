"""Every decision on the documents of a dataset, with how it stands now; and taking one back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from annotation.situation import Situation
from annotation.standing import Outcome
from flows.output import console, table
from flows.resolve_step import situations_of
from flows.vote_step import rebuild_queue
from groundtruth import jsontext
from groundtruth.decision import Decision, DecisionLog, Withdrawal
from groundtruth.errors import DatasetError
from groundtruth.jsontext import Json
from groundtruth.path import Path, format_path
from groundtruth.store import Dataset
from groundtruth.store_artefacts import Artefact

_SHORTEST_ID: Final = 4
"""So many characters of an id may stand for it, when no other decision's id begins so."""
_SHOWN_ID: Final = 8


class Now(StrEnum):
    """How a decision stands.

    ``decided``: it decides its leaf or row. ``conflicting``: somebody else decided otherwise. ``escalated``: it hands
    the question on, and nobody decided. ``overruled``: it hands the question on, and somebody else decided.
    ``row_gone``, ``schema_changed``, ``leaf_removed``: stale, it is about nothing in the present vote. ``superseded``:
    a later answer stands in its place. ``withdrawn``: it was taken back. ``without_vote``: its document has no vote.
    """

    DECIDED = "decided"
    CONFLICTING = "conflicting"
    ESCALATED = "escalated"
    OVERRULED = "overruled"
    ROW_GONE = "row_gone"
    SCHEMA_CHANGED = "schema_changed"
    LEAF_REMOVED = "leaf_removed"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"
    WITHOUT_VOTE = "without_vote"

    @property
    def is_stale(self) -> bool:
        """Whether it is about nothing in the present vote."""
        return self in (Now.ROW_GONE, Now.SCHEMA_CHANGED, Now.LEAF_REMOVED)


@dataclass(frozen=True, slots=True)
class Listed:
    """A decision, and how it stands now.

    Attributes:
        decision: the decision.
        now: how it stands.
        path: the leaf or row of the present vote that it is about; None when that is none.
        votes_changed: whether other votes are there than the person was shown.
        withdrawal: how it was taken back, or None.
    """

    decision: Decision
    now: Now
    path: Path | None = None
    votes_changed: bool = False
    withdrawal: Withdrawal | None = None

    def to_json(self) -> dict[str, Json]:
        """The decision as its file holds it, with how it stands."""
        taken_back = self.withdrawal
        return {
            **self.decision.to_json(),
            "now": str(self.now),
            "present_path": None if self.path is None else format_path(self.path),
            "votes_changed": self.votes_changed,
            "withdrawn": None
            if taken_back is None
            else {"by": taken_back.by, "at": taken_back.at, "why": taken_back.why},
        }


def all_decisions(dataset: Dataset) -> list[Listed]:
    """Every decision of a dataset, dead ones included, by document and in the order of the log.

    Raises:
        JsonError: a consensus or a log of decisions is damaged.
    """
    _, situations = situations_of(dataset)
    logged = dataset.artefact_names(Artefact.DECISIONS, "jsonl")
    return [
        listed
        for name in dataset.document_ids()
        if name in logged
        for listed in listed_decisions(dataset.decisions(name), situations.get(name))
    ]


def listed_decisions(log: DecisionLog, situation: Situation | None) -> Iterator[Listed]:
    """The decisions of one log, and how each stands; without a situation, those that stand have no vote."""
    withdrawn = {entry.decision: entry for entry in log.entries if isinstance(entry, Withdrawal)}
    live = {decision.id for decision in log.live()}
    standing = {} if situation is None else {each.decision.id: each for each in _standing(situation)}
    for decision in log.decisions:
        if decision.id in withdrawn:
            yield Listed(decision, Now.WITHDRAWN, withdrawal=withdrawn[decision.id])
        elif decision.id not in live:
            yield Listed(decision, Now.SUPERSEDED)
        elif situation is None:
            yield Listed(decision, Now.WITHOUT_VOTE)
        else:
            yield standing.get(decision.id) or Listed(decision, Now.SUPERSEDED)


def withdraw(dataset: Dataset, decision_id: str, *, by: str, why: str) -> Decision:
    """Take a decision back, on record; its leaf or row is open again.

    Args:
        dataset: where it is.
        decision_id: its id, or the beginning of it when no other id begins so.
        by: who takes it back.
        why: the reason.

    Raises:
        DatasetError: there is no such decision, several begin so, or it does not stand any more.
        JsonError: a log of decisions is damaged.
    """
    document, decision = _found(dataset, decision_id)
    log = dataset.decisions(document)
    if decision.id not in {each.id for each in log.live()}:
        raise DatasetError(
            f"decision {decision.id} on {document} {format_path(decision.path)} does not stand any more; "
            f"`goldleaf decisions list {dataset.root} --all` says why"
        )
    at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    dataset.extend_decisions(document, [Withdrawal(decision.id, by, at, why)])
    rebuild_queue(dataset)
    return decision


def print_decisions(found: list[Listed]) -> None:
    """The list for a person."""
    rows = [
        [
            each.decision.id[:_SHOWN_ID],
            each.decision.document,
            format_path(each.path if each.path is not None else each.decision.path),
            said(each.decision),
            each.decision.reviewer,
            each.decision.decided_at[:10],
            state_words(each),
        ]
        for each in found
    ]
    console().print(table("", ["id", "document", "leaf or row", "said", "by", "on", "now"], rows))


def said(decision: Decision) -> str:
    """What a decision says, in a few words."""
    causes = f" ({', '.join(cause.replace('_', ' ') for cause in decision.causes)})" if decision.causes else ""
    value = f" {jsontext.dumps(decision.value)}" if decision.value is not None else ""
    return f"{decision.verdict}{value}{causes}"


def state_words(listed: Listed) -> str:
    """How a decision stands, in words."""
    words = listed.now.replace("_", " ")
    if listed.withdrawal is not None:
        return f"{words} by {listed.withdrawal.by}: {listed.withdrawal.why}"
    return f"{words}, other votes since" if listed.votes_changed else words


_OF: Final = {
    Outcome.DECIDED: Now.DECIDED,
    Outcome.CONFLICTING: Now.CONFLICTING,
    Outcome.ESCALATED: Now.ESCALATED,
}


def _standing(situation: Situation) -> Iterator[Listed]:
    """The decisions that stand on a document, stale ones included."""
    binding = situation.binding
    for bound, said_of in ((binding.by_path, situation.leaves), (binding.rows, situation.rows)):
        for path, decisions in bound.items():
            together = said_of[path]
            counting = {decision.id for decision in together.decisions}
            for decision in decisions:
                now = _OF[together.outcome] if decision.id in counting else Now.OVERRULED
                yield Listed(decision, now, path, decision.id in binding.votes_changed)
    for each in binding.stale:
        yield Listed(each.decision, Now(each.reason), each.path)


def _found(dataset: Dataset, decision_id: str) -> tuple[str, Decision]:
    cure = f"`goldleaf decisions list {dataset.root}` shows their ids"
    if len(decision_id) < _SHORTEST_ID:
        raise DatasetError(f"decision {decision_id!r}: give at least {_SHORTEST_ID} characters of the id; {cure}")
    logged = dataset.artefact_names(Artefact.DECISIONS, "jsonl")
    found = [
        (name, decision)
        for name in dataset.document_ids()
        if name in logged
        for decision in dataset.decisions(name).decisions
        if decision.id.startswith(decision_id)
    ]
    if len(found) != 1:
        count = f"{len(found)} decisions have an id that begins so" if found else "there is no such decision"
        raise DatasetError(f"decision {decision_id!r}: {count}; {cure}")
    return found[0]
