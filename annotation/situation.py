"""How a document stands: its present vote, and what people decided on every leaf and row of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from annotation.bind import Binding, Stale, Staleness, bind
from annotation.standing import Outcome, Standing, standing
from groundtruth.consensus import Consensus, Disposition, LeafConsensus, Presence, RowConsensus, Tier
from groundtruth.decision import DecisionLog, Verdict
from groundtruth.jsontext import Json
from groundtruth.path import Path, rows_around
from groundtruth.queue import Question, QueueItem
from groundtruth.schema import FrozenSchema


class Status(StrEnum):
    """How the value of a leaf, or the presence of a row, is known.

    ``accepted``: by the vote. ``reviewed``: one person decided. ``agreed``: two or more people did, alike.
    ``provisional``: by a majority that nobody looked at. ``unresolved``: not at all.
    """

    ACCEPTED = "accepted"
    REVIEWED = "reviewed"
    AGREED = "agreed"
    PROVISIONAL = "provisional"
    UNRESOLVED = "unresolved"


class Why(StrEnum):
    """Why a leaf or row is unresolved.

    ``undecided``: the vote leaves it to people, and nobody decided. ``provisional``: a majority that nobody looked at.
    ``conflicting``: people differ. ``escalated``: somebody handed it on. ``schema_changed``: it was decided, and the
    schema asks something else there now.
    """

    UNDECIDED = "undecided"
    PROVISIONAL = "provisional"
    CONFLICTING = "conflicting"
    ESCALATED = "escalated"
    SCHEMA_CHANGED = "schema_changed"


@dataclass(frozen=True, slots=True)
class Known:
    """How a leaf or row is known.

    Attributes:
        status: how.
        why: why it is unresolved; None when it is not.
        standing: the answers of people that it rests on, or that leave it open; None when nobody answered.
    """

    status: Status
    why: Why | None = None
    standing: Standing | None = None

    @property
    def is_open(self) -> bool:
        """Whether it is unresolved."""
        return self.status is Status.UNRESOLVED


@dataclass(frozen=True)
class Situation:
    """A document's vote, and what people decided on it.

    Attributes:
        document: its id.
        schema: the schema of the vote.
        consensus: the vote.
        binding: what each decision is about.
        leaves: what people say of each leaf that they decided on, by instance path.
        rows: the same of each row's presence. Who read a value in a row has seen the row, so a row that the vote does
            not simply accept is there by such an answer, unless somebody decided on the row itself.
        questions: every question that the vote asks, decided ones included.
    """

    document: str
    schema: FrozenSchema
    consensus: Consensus
    binding: Binding
    leaves: Mapping[Path, Standing]
    rows: Mapping[Path, Standing]
    questions: tuple[QueueItem, ...] = ()

    @cached_property
    def rows_by_path(self) -> dict[Path, RowConsensus]:
        """Every row of the vote."""
        return {row.path: row for row in self.consensus.rows}

    @cached_property
    def leaves_by_path(self) -> dict[Path, LeafConsensus]:
        """Every leaf of the vote."""
        return {leaf.path: leaf for leaf in self.consensus.leaves}

    @cached_property
    def inner_rows(self) -> dict[Path, list[Path]]:
        """The rows inside each row that has any, of arrays at any depth."""
        found: dict[Path, list[Path]] = defaultdict(list)
        for path in self.rows_by_path:
            for outer in rows_around(path[:-1]):
                found[outer].append(path)
        return dict(found)

    @cached_property
    def reopened(self) -> dict[Path, tuple[Stale, ...]]:
        """The leaves and rows that were decided on before the schema changed there, and not since."""
        found: dict[Path, list[Stale]] = defaultdict(list)
        for each in self.binding.stale:
            path = each.path
            if path is None or each.reason is not Staleness.SCHEMA_CHANGED:
                continue
            if path not in self.leaves and path not in self.rows:
                found[path].append(each)
        return {path: tuple(stale) for path, stale in found.items()}

    @cached_property
    def row_questions(self) -> dict[Path, QueueItem]:
        """The questions on rows, by the row's instance path."""
        return {item.places[0].path: item for item in self.questions if item.question is Question.ROW}

    @cached_property
    def settled(self) -> dict[Path, Path]:
        """The cells that follow from the answer on a row, with the row that is asked."""
        return {cell: row for row, item in self.row_questions.items() for cell in item.settles}

    def is_there(self, row: Path) -> bool | None:
        """Whether a row is part of the document as people and the vote have it; None while that is open.

        A majority that nobody looked at counts here: whether it is taken is for ``known_row`` to say. A row inside one
        that is not there is not there.
        """
        around = tuple(rows_around(row))
        if len(around) > 1 and (outer := self.is_there(around[-2])) is not True:
            return outer
        if self.known_row(row).is_open:
            return None
        said = self.rows.get(row)
        if said is not None:
            return said.last.verdict is not Verdict.ABSENT
        return self.follows(row) or self.rows_by_path[row].presence is Presence.PRESENT

    def known_row(self, row: Path) -> Known:
        """How a row's presence is known, the rows around it left aside."""
        said = self.rows.get(row)
        if said is not None:
            return _known_by(said)
        if row in self.reopened:
            return Known(Status.UNRESOLVED, Why.SCHEMA_CHANGED)
        if self.follows(row):
            return self.known_row(tuple(rows_around(row))[-2])
        voted = self.rows_by_path[row]
        if self._needs_person(row) or voted.presence is Presence.UNDECIDED:
            return Known(Status.UNRESOLVED, Why.UNDECIDED)
        return Known(Status.PROVISIONAL if voted.disposition is Disposition.PROVISIONAL else Status.ACCEPTED)

    def known_leaf(self, path: Path) -> Known:
        """How a leaf's value is known, whether the rows around it are there left aside."""
        said = self.leaves.get(path)
        if said is not None:
            return _known_by(said)
        if path in self.reopened:
            return Known(Status.UNRESOLVED, Why.SCHEMA_CHANGED)
        row = self.settled.get(path)
        if row is not None and row in self.rows and self.is_there(row):
            return _known_by(self.rows[row])
        leaf = self.leaves_by_path[path]
        if leaf.disposition is Disposition.REVIEW or not leaf.resolved:
            return Known(Status.UNRESOLVED, Why.UNDECIDED)
        return Known(Status.PROVISIONAL if leaf.disposition is Disposition.PROVISIONAL else Status.ACCEPTED)

    def settled_value(self, leaf: LeafConsensus, row: Path) -> Json:
        """What all systems that have a row read in one of its cells; None where that is nothing, or they differ."""
        members = self.rows_by_path[row].members.keys()
        read = [found for found in leaf.candidates if not members.isdisjoint(found.systems)]
        return read[0].value if len(read) == 1 and read[0].valid else None

    def follows(self, row: Path) -> bool:
        """Whether a row is there when the row around it is, because every system that has that one has it too.

        So it is not asked where the row around it is.
        """
        around = tuple(rows_around(row))
        if len(around) < 2 or not self._is_asked(around[-2]):
            return False
        return self.rows_by_path[row].members.keys() == self.rows_by_path[around[-2]].members.keys()

    def _is_asked(self, row: Path) -> bool:
        """Whether people are asked about a row, by itself or with the one around it."""
        return row in self.row_questions or row in self.rows or self.follows(row)

    def _needs_person(self, row: Path) -> bool:
        """Whether the vote leaves a row to people; of a form they see every leaf, and no row on which all agree."""
        voted = self.rows_by_path[row]
        agreed = voted.tier is Tier.UNANIMOUS and not voted.reasons
        return row in self.reopened or (voted.disposition is Disposition.REVIEW and not agreed)


def situation_of(
    document: str,
    consensus: Consensus,
    schema: FrozenSchema,
    log: DecisionLog,
    questions: Sequence[QueueItem],
) -> Situation:
    """How a document stands.

    Args:
        document: its id.
        consensus: its present vote.
        schema: the schema that the vote was made under.
        log: all that people decided on it.
        questions: what ``consensus.questions`` asks of the vote; they say which cells follow from a row.
    """
    binding = bind(log.live(), consensus, schema)
    leaves = {path: standing(given, schema.leaves.get(given[-1].field)) for path, given in binding.by_path.items()}
    rows = {path: standing(given, None) for path, given in binding.rows.items()}
    return Situation(
        document=document,
        schema=schema,
        consensus=consensus,
        binding=binding,
        leaves=leaves,
        rows={**_seen(leaves, consensus), **rows},
        questions=tuple(questions),
    )


def _seen(leaves: Mapping[Path, Standing], consensus: Consensus) -> dict[Path, Standing]:
    """The rows that the vote does not simply accept and in which people read a value, with the first such answer."""
    seen: dict[Path, Standing] = {}
    for path, said in leaves.items():
        if said.is_decided and said.last.value is not None:
            for row in rows_around(path):
                seen.setdefault(row, said)
    return {row.path: seen[row.path] for row in consensus.rows if row.path in seen and not _is_accepted(row)}


def _is_accepted(row: RowConsensus) -> bool:
    return row.presence is Presence.PRESENT and row.disposition is Disposition.ACCEPT


_OPEN = {Outcome.CONFLICTING: Why.CONFLICTING, Outcome.ESCALATED: Why.ESCALATED}


def _known_by(said: Standing) -> Known:
    if not said.is_decided:
        return Known(Status.UNRESOLVED, _OPEN[said.outcome], said)
    return Known(Status.AGREED if len(said.by) > 1 else Status.REVIEWED, None, said)
