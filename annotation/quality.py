"""How well people answered: with one another, with the vote, and how fast.

Agreement is no accuracy, and speed is no fault: the report says where to look.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Final, NamedTuple

from annotation.equality import AnswerClass, answer_class, instant, right_classes, value_class
from groundtruth.agreement import nominal_alpha, percent_agreement
from groundtruth.consensus import Consensus, LeafConsensus, Presence, RowConsensus
from groundtruth.decision import (
    Decision,
    DecisionLog,
    Verdict,
    Withdrawal,
    leaf_key,
    row_fingerprint,
    row_key,
)
from groundtruth.jsontext import Json
from groundtruth.path import Path, format_path, rows_around, schema_path
from groundtruth.schema import FrozenSchema, Leaf

QUICK_SECONDS: Final = 2.0
"""Below this a pre-selected answer that was let pass was hardly read."""


class Voted(NamedTuple):
    """A document's vote and the schema that it was taken under."""

    schema: FrozenSchema
    consensus: Consensus


@dataclass(slots=True)
class FieldQuality:
    """The answers on one field of a schema.

    Attributes:
        decided: leaves or rows that were decided on, escalations left out.
        compared: how many of them the vote had resolved, so that it could be overturned.
        overturned: how many of these people decided otherwise.
        systems: per system, on how many leaves it was wrong and how many it read.
        double: leaves on which two or more people decided.
        pairwise: share of pairs of people's answers that agree; None without any pair.
        alpha: Krippendorff's nominal alpha over these leaves; None where it is undefined.
        seconds: the median of the seconds per answer; None when none is known.
        causes: how often each cause was flagged.
    """

    decided: int = 0
    compared: int = 0
    overturned: int = 0
    systems: dict[str, tuple[int, int]] = field(default_factory=dict)
    double: int = 0
    pairwise: float | None = None
    alpha: float | None = None
    seconds: float | None = None
    causes: Counter[str] = field(default_factory=Counter)

    def to_json(self) -> dict[str, Json]:
        """One record of the report."""
        return {
            "decided": self.decided,
            "compared": self.compared,
            "overturned": self.overturned,
            "systems": {
                name: {"wrong": wrong, "readings": read} for name, (wrong, read) in sorted(self.systems.items())
            },
            "double": self.double,
            "pairwise": self.pairwise,
            "alpha": self.alpha,
            "seconds": self.seconds,
            "causes": dict(sorted(self.causes.items())),
        }


@dataclass(slots=True)
class ReviewerQuality:
    """The answers of one person.

    Attributes:
        answers: how many, escalations included.
        escalated: how many were handed on.
        untouched: how many let a pre-selected answer pass without a change.
        rubber_stamps: how many of these took less than ``QUICK_SECONDS``.
        seconds: the median of the seconds per answer; None when none is known.
        agreed: leaves on which another person decided the same.
        double: leaves on which another person decided.
    """

    answers: int = 0
    escalated: int = 0
    untouched: int = 0
    rubber_stamps: int = 0
    seconds: float | None = None
    agreed: int = 0
    double: int = 0

    def to_json(self) -> dict[str, Json]:
        """One record of the report."""
        return {
            "answers": self.answers,
            "escalated": self.escalated,
            "untouched": self.untouched,
            "rubber_stamps": self.rubber_stamps,
            "rubber_stamp_rate": self.rubber_stamps / self.answers if self.answers else None,
            "seconds": self.seconds,
            "agreed": self.agreed,
            "double": self.double,
        }


@dataclass(slots=True)
class Quality:
    """How well people answered.

    Attributes:
        fields: by schema name and schema path; of rows, the array's path followed by ``[]``.
        reviewers: by e-mail address.
    """

    fields: dict[tuple[str, Path], FieldQuality] = field(default_factory=dict)
    reviewers: dict[str, ReviewerQuality] = field(default_factory=dict)

    def to_json(self) -> dict[str, Json]:
        """The report, in order of names."""
        fields: dict[str, dict[str, Json]] = {}
        for (schema, path), found in sorted(
            self.fields.items(), key=lambda item: (item[0][0], format_path(item[0][1]))
        ):
            fields.setdefault(schema, {})[format_path(path)] = found.to_json()
        return {
            "fields": fields,
            "reviewers": {name: self.reviewers[name].to_json() for name in sorted(self.reviewers)},
        }


def quality(logs: Iterable[DecisionLog], votes: Mapping[str, Voted]) -> Quality:
    """How well people answered, from every log and, by document, the votes as they are.

    Of each person the last answer on a leaf counts, also when an adjudication settled it since: agreement is measured
    on what people said before. Answers taken back count nowhere; those of an adjudication are not compared with those
    that they settle.
    """
    answers = [decision for log in logs for decision in _answers(log)]
    lookup = {document: _Vote(document, voted) for document, voted in votes.items()}
    return Quality(_fields(answers, lookup), _reviewers(answers, lookup))


def overturned(logs: Iterable[DecisionLog], votes: Mapping[str, Voted]) -> dict[tuple[str, Path], tuple[int, int]]:
    """Per schema name and field: how often people decided otherwise than the vote, of how many leaves.

    For the order of review; rows count under the schema path of their array.
    """
    found: dict[tuple[str, Path], tuple[int, int]] = {}
    for (schema, path), each in quality(logs, votes).fields.items():
        if each.compared:
            field_path = path if path and isinstance(path[-1], str) else path[:-1]
            found[schema, field_path] = (each.overturned, each.compared)
    return found


class _Vote:
    """A document's vote by the keys of its leaves and rows."""

    def __init__(self, document: str, voted: Voted) -> None:
        self._schema = voted.schema
        ids = {row.path: row.row_id for row in voted.consensus.rows}
        self.leaves: dict[str, LeafConsensus] = {}
        self.rows: dict[str, RowConsensus] = {}
        for leaf in voted.consensus.leaves:
            rows = [ids[row] for row in rows_around(leaf.path) if row in ids]
            fingerprint = voted.schema.leaves[leaf.field].fingerprint
            self.leaves[leaf_key(document, rows, leaf.field, fingerprint)] = leaf
        for row in voted.consensus.rows:
            table = schema_path(row.path[:-1])
            rows = [ids[around] for around in rows_around(row.path)]
            self.rows[row_key(document, rows, table, row_fingerprint(voted.schema.tables[table]))] = row

    def leaf(self, decision: Decision) -> Leaf | None:
        """The leaf of a decision, for its comparator."""
        return None if decision.is_row else self._schema.leaves.get(decision.field)

    def is_overturned(self, decision: Decision) -> bool | None:
        """Whether a decision is another than the vote's; None when the vote has none, or no longer asks it."""
        row = self.rows.get(decision.key)
        if row is not None:
            if row.presence is Presence.UNDECIDED:
                return None
            return (decision.verdict is Verdict.PRESENT) != (row.presence is Presence.PRESENT)
        voted = self.leaves.get(decision.key)
        if voted is None or not voted.resolved:
            return None
        leaf = self.leaf(decision)
        return value_class(voted.value, leaf) not in right_classes(decision, leaf)

    def readings(self, decision: Decision) -> Iterator[tuple[str, bool]]:
        """Every system that read the leaf or judged the row, and whether it was wrong."""
        row = self.rows.get(decision.key)
        if row is not None:
            there = decision.verdict is Verdict.PRESENT
            yield from ((name, said is not there) for name, said in row.present.items() if said is not None)
        voted = self.leaves.get(decision.key)
        if voted is not None:
            leaf = self.leaf(decision)
            right = right_classes(decision, leaf)
            yield from ((name, value_class(raw, leaf) not in right) for name, raw in voted.votes.items())


def _answers(log: DecisionLog) -> list[Decision]:
    """The last answer of each person on each leaf that nobody took back, in the order of the log."""
    withdrawn = {entry.decision for entry in log.entries if isinstance(entry, Withdrawal)}
    last: dict[tuple[str, str], Decision] = {}
    revised: set[str] = set()
    of_annotation: dict[tuple[int, str], Decision] = {}
    for decision in log.decisions:
        if decision.id in withdrawn:
            continue
        if decision.annotation is not None:
            before = of_annotation.get((decision.annotation, decision.key))
            if before is not None and instant(before.revision) <= instant(decision.revision):
                revised.add(before.id)
            of_annotation[decision.annotation, decision.key] = decision
        last[decision.key, decision.reviewer] = decision
    return [decision for decision in last.values() if decision.id not in revised]


def _fields(answers: Iterable[Decision], lookup: Mapping[str, _Vote]) -> dict[tuple[str, Path], FieldQuality]:
    by_field: dict[tuple[str, Path], list[Decision]] = defaultdict(list)
    for decision in answers:
        by_field[decision.schema, decision.field].append(decision)
    return {name: _of_field(decisions, lookup) for name, decisions in by_field.items()}


def _of_field(answers: list[Decision], lookup: Mapping[str, _Vote]) -> FieldQuality:
    found = FieldQuality(seconds=_median(answers))
    for decision in answers:
        found.causes.update(map(str, decision.causes))
    units = []
    for decisions in _by_key(answers).values():
        found.decided += 1
        vote = lookup.get(decisions[0].document)
        independent = _independent(decisions)
        if len(independent) > 1:
            found.double += 1
            units.append([_class(each, vote) for each in independent])
        if vote is not None:
            _compare(found, decisions[-1], vote)
    found.pairwise, found.alpha = percent_agreement(units), nominal_alpha(units)
    return found


def _compare(found: FieldQuality, decision: Decision, vote: _Vote) -> None:
    """Hold the last word on a leaf against the vote, and against each system."""
    otherwise = vote.is_overturned(decision)
    if otherwise is not None:
        found.compared += 1
        found.overturned += otherwise
    for system, wrong in vote.readings(decision):
        bad, read = found.systems.get(system, (0, 0))
        found.systems[system] = (bad + wrong, read + 1)


def _reviewers(answers: Iterable[Decision], lookup: Mapping[str, _Vote]) -> dict[str, ReviewerQuality]:
    by_reviewer: dict[str, list[Decision]] = defaultdict(list)
    for decision in answers:
        by_reviewer[decision.reviewer].append(decision)
    found = {name: _of_reviewer(decisions) for name, decisions in by_reviewer.items()}
    for decisions in _by_key(answers).values():
        independent = _independent(decisions)
        if len(independent) < 2:
            continue
        vote = lookup.get(decisions[0].document)
        classes = Counter(_class(each, vote) for each in independent)
        for each in independent:
            found[each.reviewer].double += 1
            found[each.reviewer].agreed += classes[_class(each, vote)] > 1
    return found


def _of_reviewer(answers: list[Decision]) -> ReviewerQuality:
    untouched = [each for each in answers if each.untouched]
    return ReviewerQuality(
        answers=len(answers),
        escalated=sum(each.verdict is Verdict.ESCALATE for each in answers),
        untouched=len(untouched),
        rubber_stamps=sum(each.seconds is not None and each.seconds < QUICK_SECONDS for each in untouched),
        seconds=_median(answers),
    )


def _by_key(answers: Iterable[Decision]) -> dict[str, list[Decision]]:
    """The answers that decide, by leaf or row, in the order of the log."""
    found: dict[str, list[Decision]] = {}
    for decision in answers:
        if decision.verdict is not Verdict.ESCALATE:
            found.setdefault(decision.key, []).append(decision)
    return found


def _independent(decisions: Iterable[Decision]) -> list[Decision]:
    """The answers that were given without sight of the others': all but those that settle some."""
    return [decision for decision in decisions if not decision.settles]


def _class(decision: Decision, vote: _Vote | None) -> AnswerClass:
    return answer_class(decision, vote.leaf(decision) if vote else None)


def _median(answers: Iterable[Decision]) -> float | None:
    seconds = [each.seconds for each in answers if each.seconds is not None]
    return round(median(seconds), 3) if seconds else None
