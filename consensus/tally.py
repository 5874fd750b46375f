"""One leaf's readings counted: the tier, the winner, and why a person should look.

One reading a system, one vote each, no weights. A tie is never broken into a label: a plurality is split.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from groundtruth.consensus import Note, Reason, Tier
from groundtruth.value import Flag, Invalid, Key, Null, Reading, Value, fold

QUORUM = 3
"""Fewer readings than this are never accepted without a person."""

_FLAG_REASONS = {Flag.AMBIGUOUS_DATE: Reason.AMBIGUOUS_DATE, Flag.NULL_LIKE: Reason.NULL_LIKE}
_NO_REASONS: frozenset[Reason] = frozenset()
_NO_NOTES: frozenset[Note] = frozenset()


@dataclass(frozen=True)
class Electorate:
    """What is known of the systems that vote.

    Attributes:
        families: the family of every system.
        asserting: the systems whose null says that the document holds no value.
    """

    families: Mapping[str, str]
    asserting: Collection[str]

    @cached_property
    def may_agree(self) -> bool:
        """Whether there are enough systems, of more than one family, for their agreement to be accepted."""
        return len(self.families) >= QUORUM and not self.is_single_family(self.families)

    def is_single_family(self, systems: Collection[str]) -> bool:
        """Whether several systems agree that are of one family; one system alone is no agreement."""
        return len(systems) > 1 and len({self.families[system] for system in systems}) == 1


class Tally(NamedTuple):
    """The count on one leaf.

    Attributes:
        tier: unanimous, majority, split or all-null.
        winner: a reading of the winning class, a ``Value`` or a ``Null``; None when the leaf is split.
        winners: the systems of the winning class, sorted; empty when the leaf is split.
        margin: votes of the largest class less those of the next; every invalid reading is a class of its own.
        reasons: why a person must look.
        notes: what is recorded only.
    """

    tier: Tier
    winner: Value | Null | None
    winners: tuple[str, ...]
    margin: int
    reasons: frozenset[Reason] = _NO_REASONS
    notes: frozenset[Note] = _NO_NOTES


@dataclass(slots=True)
class _Count:
    """Readings by class; null is the class ``None``, and abstentions are nowhere."""

    classes: dict[Key | None, list[str]] = field(default_factory=dict)
    samples: dict[Key | None, Value | Null] = field(default_factory=dict)
    invalid: list[str] = field(default_factory=list)
    flags: set[Flag] = field(default_factory=set)

    @classmethod
    def of(cls, readings: Mapping[str, Reading]) -> _Count:
        count = cls()
        for system, reading in readings.items():
            if isinstance(reading, (Value, Null)):
                key = reading.key if isinstance(reading, Value) else None
                count.classes.setdefault(key, []).append(system)
                count.samples.setdefault(key, reading)
                count.flags |= reading.flags
            elif isinstance(reading, Invalid):
                count.invalid.append(system)
        return count

    @property
    def total(self) -> int:
        return sum(map(len, self.classes.values())) + len(self.invalid)

    @property
    def margin(self) -> int:
        sizes = sorted([*map(len, self.classes.values()), *[1] * len(self.invalid)], reverse=True)
        return sizes[0] - sizes[1] if len(sizes) > 1 else sizes[0]


def tally(readings: Mapping[str, Reading], electorate: Electorate) -> Tally:
    """Count one leaf: ``readings`` holds what each usable ballot's system read, abstentions included.

    Null is a class like any other, so null can win. An invalid reading is a dissent that never wins. Without a class
    of more than half of the readings (a tie, a plurality, nobody voting) the leaf is split and has no winner.
    """
    count = _Count.of(readings)
    total = count.total
    if not total:
        return Tally(Tier.SPLIT, None, (), 0, frozenset({Reason.NO_READING}))
    key, winners = _majority(count, total)
    winner = count.samples[key] if winners else None
    tier = _tier(winner, agreed=len(winners) == total)
    return Tally(
        tier=tier,
        winner=winner,
        winners=tuple(sorted(winners)),
        margin=count.margin,
        reasons=frozenset(_reasons(tier, winner, winners, count, total, electorate)),
        notes=frozenset(_notes(winner, count)),
    )


def agreed_value(readings: Sequence[Reading], electorate: Electorate) -> Value | None:
    """The reading of all systems of the electorate, where ``tally`` would find nothing but that they agree.

    Nearly every leaf of a long table is of this kind, and needs no counting: the same value in the same form from
    enough independent systems, with nothing to note. None for every other leaf.
    """
    first = readings[0]
    if not isinstance(first, Value) or first.flags or not electorate.may_agree:
        return None
    for reading in readings:
        if reading is not first and reading != first:
            return None
    return first


def _majority(count: _Count, total: int) -> tuple[Key | None, list[str]]:
    for key, systems in count.classes.items():
        if 2 * len(systems) > total:
            return key, systems
    return None, []


def _tier(winner: Value | Null | None, *, agreed: bool) -> Tier:
    if winner is None:
        return Tier.SPLIT
    if not agreed:
        return Tier.MAJORITY
    return Tier.ALL_NULL if isinstance(winner, Null) else Tier.UNANIMOUS


def _reasons(
    tier: Tier,
    winner: Value | Null | None,
    winners: Collection[str],
    count: _Count,
    total: int,
    electorate: Electorate,
) -> list[Reason]:
    found = [_FLAG_REASONS[flag] for flag in count.flags if flag in _FLAG_REASONS]
    if total < QUORUM:
        found.append(Reason.QUORUM)
    if electorate.is_single_family(winners):
        found.append(Reason.SINGLE_FAMILY)
    if tier is Tier.ALL_NULL and not any(system in electorate.asserting for system in winners):
        found.append(Reason.NULL_UNASSERTED)
    if isinstance(winner, Null) and len(count.classes) > 1:
        found.append(Reason.NULL_OVER_VALUE)
    if count.invalid:
        found.append(Reason.INVALID_READING)
    if 2 * len(count.invalid) > total:
        found.append(Reason.INVALID_MAJORITY)
    return found


def _notes(winner: Value | Null | None, count: _Count) -> list[Note]:
    found = [Note.COERCED] if Flag.COERCED in count.flags else []
    if _dissent_is_surface_only(winner, count):
        found.append(Note.SURFACE_ONLY)
    return found


def _dissent_is_surface_only(winner: Value | Null | None, count: _Count) -> bool:
    if not isinstance(winner, Value) or count.invalid or len(count.classes) < 2 or None in count.classes:
        return False
    form = fold(winner)
    return all(fold(sample) == form for sample in count.samples.values() if isinstance(sample, Value))
