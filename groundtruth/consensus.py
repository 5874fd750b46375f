"""The results of a vote. The code that computes them is the package ``consensus``.

Leaves are tuples, because a long table has hundreds of thousands of them.

A tier is a fact about the readings; a disposition is the policy drawn from it. An unresolved leaf is not null: its
value is None and ``resolved`` is false.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from groundtruth.evidence import Evidence
from groundtruth.jsontext import Json
from groundtruth.path import Path


class Tier(StrEnum):
    """How far the readings of a leaf, or of a row's presence, agree."""

    UNANIMOUS = "unanimous"
    MAJORITY = "majority"
    SPLIT = "split"
    ALL_NULL = "all_null"


class Disposition(StrEnum):
    """What happens to a leaf next."""

    ACCEPT = "accept"
    PROVISIONAL = "provisional"
    REVIEW = "review"
    INHERIT = "inherit"


class Reason(StrEnum):
    """Why a leaf or row goes to a person; any of them makes the disposition ``review``."""

    QUORUM = "quorum"
    SINGLE_FAMILY = "single_family"
    NULL_UNASSERTED = "null_unasserted"
    NULL_OVER_VALUE = "null_over_value"
    INVALID_READING = "invalid_reading"
    INVALID_MAJORITY = "invalid_majority"
    AMBIGUOUS_DATE = "ambiguous_date"
    NULL_LIKE = "null_like"
    NO_READING = "no_reading"
    ALIGNMENT_REPAIRED = "alignment_repaired"
    DUPLICATE_IDENTITY = "duplicate_identity"
    SINGLE_SYSTEM_ROW = "single_system_row"


class Note(StrEnum):
    """What is worth recording and needs nobody."""

    COERCED = "coerced"
    SCHEMA_GAP = "schema_gap"
    SURFACE_ONLY = "surface_only"
    ALIGNMENT_INFERRED = "alignment_inferred"
    REPEATED_IDENTITY = "repeated_identity"


class Candidate(NamedTuple):
    """One class of readings of a leaf.

    Attributes:
        value: the value that would be stored if this class were right, in the schema's JSON type; None for null.
        forms: the distinct raw readings of the class, in a fixed order.
        systems: who read it so, sorted.
        valid: False for a reading that is no value of the field; such a class never wins.
    """

    value: Json
    forms: tuple[Json, ...]
    systems: tuple[str, ...]
    valid: bool = True


class Location(NamedTuple):
    """Where the proposed value of a leaf stands.

    Attributes:
        evidence: the places, best first; every one of them is a place that was cited or found.
        certain: whether the proposal may carry them; False when several places fit equally well.
        reason: a code for how the places were found, or why there is none.
    """

    evidence: tuple[Evidence, ...] = ()
    certain: bool = False
    reason: str = "not_sought"


NOWHERE = Location()


class LeafConsensus(NamedTuple):
    """The vote on one leaf.

    Attributes:
        path: instance path; row indices are those of the proposal, lost and undecided rows come after them.
        field: schema path.
        tier: unanimous, majority, split or all-null.
        value: the winner, in the schema's JSON type; None for null and for an unresolved leaf.
        resolved: whether there is a winner (null is one).
        disposition: what happens next.
        reasons: why a person must look, sorted.
        notes: what is recorded only, sorted.
        votes: the raw reading of every system that voted on this leaf; systems that abstained are absent.
        candidates: the classes of readings, in an order that says nothing about their support.
        margin: votes of the largest class less those of the next, 0 on a tie or when nobody voted.
        location: where the proposed value stands on the pages.
    """

    path: Path
    field: Path
    tier: Tier
    value: Json
    resolved: bool
    disposition: Disposition
    reasons: tuple[Reason, ...]
    notes: tuple[Note, ...]
    votes: Mapping[str, Json]
    candidates: tuple[Candidate, ...]
    margin: int
    location: Location = NOWHERE

    @property
    def read_values(self) -> list[Candidate]:
        """The candidates that are values: readings that are none of the field, and null, left out."""
        return [found for found in self.candidates if found.valid and found.value is not None]


class Presence(StrEnum):
    """What the vote says about a row."""

    PRESENT = "present"
    ABSENT = "absent"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class RowConsensus:
    """The vote on whether a row is there.

    Attributes:
        path: instance path of the row.
        row_id: given once and kept: a digest of the row's content, so the same votes give the same id.
        tier: unanimous, majority or split; a row that nobody has does not exist.
        presence: the winner; undecided on a split.
        present: per system of the panel: True, False, or None where it abstained.
        members: per system that has the row, the index of the row in its own ballot.
        disposition: what happens next.
        reasons: why a person must look, sorted.
        notes: what is recorded only, sorted.
    """

    path: Path
    row_id: str
    tier: Tier
    presence: Presence
    present: Mapping[str, bool | None]
    members: Mapping[str, int]
    disposition: Disposition
    reasons: tuple[Reason, ...]
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class Consensus:
    """The vote on one document.

    Attributes:
        systems: the panel, sorted.
        abstained: the systems whose ballot failed, with the kind of failure.
        n: how many ballots are usable.
        leaves: every leaf of every row, in the schema's order; lost and undecided rows after the others.
        rows: every row of every array, outer before inner.
        proposal: the document as the vote has it; unresolved leaves are null, lost and undecided rows absent.
        unresolved: instance paths of leaves and rows that the vote leaves open.
        schema_gaps: undeclared keys, by schema path, with how many ballots have them.
        alignment: per array (schema path), how its rows were aligned: ``identity`` or ``inferred``.
        messages: what a ballot did that touches no single leaf (an array given as text that does not parse, ...).
        partial: the systems whose answer is cut, so that they abstain on what they lack, with what is known of the cut.
    """

    systems: tuple[str, ...]
    abstained: Mapping[str, str]
    n: int
    leaves: tuple[LeafConsensus, ...]
    rows: tuple[RowConsensus, ...]
    proposal: Json
    unresolved: tuple[Path, ...]
    schema_gaps: Mapping[str, int] = field(default_factory=dict)
    alignment: Mapping[str, str] = field(default_factory=dict)
    messages: tuple[str, ...] = ()
    partial: Mapping[str, str] = field(default_factory=dict)
