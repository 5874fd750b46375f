"""Which leaf or row of the present vote each decision is about.

A decision outlives the vote that it was asked under. What is not found beyond doubt is stale and is asked again, never
guessed; the decision stays in the log.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from annotation.bind_rows import Asked, chain_of, rows_found
from groundtruth.consensus import Consensus
from groundtruth.decision import Decision, row_fingerprint, votes_hash
from groundtruth.path import Path
from groundtruth.schema import FrozenSchema


class Staleness(StrEnum):
    """Why a decision is about nothing in the present vote.

    ``row_gone``: its row is not found. ``schema_changed``: the schema asks something else there now.
    ``leaf_removed``: the schema no longer asks it.
    """

    ROW_GONE = "row_gone"
    SCHEMA_CHANGED = "schema_changed"
    LEAF_REMOVED = "leaf_removed"


class Stale(NamedTuple):
    """A decision that is about nothing in the present vote.

    Attributes:
        decision: the decision.
        reason: why.
        path: the leaf or row that now stands in its place and is asked again; None when there is none.
    """

    decision: Decision
    reason: Staleness
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class Binding:
    """What the decisions on one document are about.

    Attributes:
        by_path: the decisions on each leaf, by its present instance path, in the order of the log, the last of each
            person only.
        rows: the same of each row's presence.
        stale: the decisions that are about nothing, in the order of the log.
        superseded: the decisions in whose place stands a later one of the same person. (The log tells so only of
            decisions that were asked under one key; a row's key may change with the vote.)
        votes_changed: ids of the bound decisions whose leaf or row has other votes than the person was shown.
    """

    by_path: Mapping[Path, tuple[Decision, ...]] = field(default_factory=dict)
    rows: Mapping[Path, tuple[Decision, ...]] = field(default_factory=dict)
    stale: tuple[Stale, ...] = ()
    superseded: tuple[Decision, ...] = ()
    votes_changed: frozenset[str] = frozenset()


def bind(decisions: Sequence[Decision], consensus: Consensus, schema: FrozenSchema) -> Binding:
    """Bind the decisions that stand on a document to its present vote.

    Args:
        decisions: of one document, those of ``DecisionLog.live``, in its order.
        consensus: the vote.
        schema: the schema that the vote was made under.
    """
    finder = _Finder(decisions, consensus, schema)
    leaves: dict[Path, list[Decision]] = defaultdict(list)
    rows: dict[Path, list[Decision]] = defaultdict(list)
    stale: list[Stale] = []
    changed: set[str] = set()
    for decision in decisions:
        path, reason = finder.path(decision), _schema_reason(decision, schema)
        if reason is not None or path is None:
            stale.append(Stale(decision, reason or Staleness.ROW_GONE, path))
            continue
        (rows if decision.is_row else leaves)[path].append(decision)
        if decision.votes and decision.votes != finder.votes(path):
            changed.add(decision.id)
    superseded = [each for found in (leaves, rows) for given in found.values() for each in _superseded(given)]
    return Binding(
        by_path={path: _last_of_each(given) for path, given in leaves.items()},
        rows={path: _last_of_each(given) for path, given in rows.items()},
        stale=tuple(stale),
        superseded=tuple(superseded),
        votes_changed=frozenset(changed),
    )


class _Finder:
    """The leaves and rows of the present vote, and where decisions stand among them."""

    def __init__(self, decisions: Sequence[Decision], consensus: Consensus, schema: FrozenSchema) -> None:
        self._schema = schema
        self._found: Mapping[Asked, Path] = rows_found(decisions, consensus, schema)
        self._leaves = {leaf.path: leaf for leaf in consensus.leaves}
        self._rows = {row.path: row for row in consensus.rows}

    def path(self, decision: Decision) -> Path | None:
        """The present instance path of what a decision was asked about; None when the vote has no such place."""
        row: Path = ()
        if decision.rows:
            found = self._found.get(chain_of(decision.rows, self._schema))
            if found is None:
                return None
            row = found
        if decision.is_row:
            return row if row in self._rows else None
        path = (*row, *decision.field[len(row) :])
        return path if path in self._leaves else None

    def votes(self, path: Path) -> str:
        """The digest of the present votes on a leaf or row."""
        row = self._rows.get(path)
        return votes_hash(self._leaves[path].votes if row is None else row.present)


def _schema_reason(decision: Decision, schema: FrozenSchema) -> Staleness | None:
    if decision.is_row:
        table = schema.tables.get(decision.field[:-1])
        now = row_fingerprint(table) if table else None
    else:
        leaf = schema.leaves.get(decision.field)
        now = leaf.fingerprint if leaf else None
    if now is None:
        return Staleness.LEAF_REMOVED
    return None if now == decision.fingerprint else Staleness.SCHEMA_CHANGED


def _last_of_each(decisions: Sequence[Decision]) -> tuple[Decision, ...]:
    last = {decision.reviewer: decision.id for decision in decisions}
    return tuple(decision for decision in decisions if last[decision.reviewer] == decision.id)


def _superseded(decisions: Sequence[Decision]) -> list[Decision]:
    last = {decision.reviewer: decision.id for decision in decisions}
    return [decision for decision in decisions if last[decision.reviewer] != decision.id]
