"""How far the systems agree, field by field: what a maintainer reads before trusting a vote.

Agreement is no accuracy. Systems err together, so a high alpha says that a vote is stable, not that it is right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from groundtruth import jsontext
from groundtruth.agreement import Unit, nominal_alpha, percent_agreement
from groundtruth.consensus import Consensus, LeafConsensus, Tier
from groundtruth.jsontext import Json
from groundtruth.path import format_path


@dataclass(slots=True)
class FieldAgreement:
    """The agreement on one field over all its leaves.

    Attributes:
        leaves: how many leaves were voted on.
        tiers: how many of them are of each tier.
        pairwise: share of pairs of readings that agree, None where no leaf has two readings.
        alpha: Krippendorff's nominal alpha over canonical classes, null being a class and abstention missing data; None
            where it is undefined: fewer than two readings that can be compared, or a single class.
        dissents: per system, on how many of the resolved leaves it read something else than the winner.
        readings: per system, on how many of the resolved leaves it voted.
    """

    leaves: int = 0
    tiers: Counter[Tier] = field(default_factory=Counter)
    pairwise: float | None = None
    alpha: float | None = None
    dissents: Counter[str] = field(default_factory=Counter)
    readings: Counter[str] = field(default_factory=Counter)

    def to_json(self) -> dict[str, Json]:
        """One record of the report."""
        return {
            "leaves": self.leaves,
            "tiers": {str(tier): self.tiers[tier] for tier in Tier},
            "pairwise": self.pairwise,
            "alpha": self.alpha,
            "dissent": {
                system: {"dissents": self.dissents[system], "readings": self.readings[system]}
                for system in sorted(self.readings)
            },
        }


def agreement_by_field(votes: Iterable[Consensus]) -> dict[str, FieldAgreement]:
    """The agreement on every field of the documents, by schema path."""
    leaves: dict[str, list[LeafConsensus]] = {}
    for consensus in votes:
        for leaf in consensus.leaves:
            leaves.setdefault(format_path(leaf.field), []).append(leaf)
    return {path: _of_field(leaves[path]) for path in sorted(leaves)}


def agreement_when_wrong(
    units: Iterable[tuple[Mapping[str, Hashable], Hashable]],
) -> dict[tuple[str, str], tuple[int, int]]:
    """How often two systems that are both overturned agree with each other: evidence that they are not independent.

    Args:
        units: per decided leaf the class that each system read, and the class that was decided.

    Returns:
        Per pair of systems, sorted: on how many leaves both were wrong alike, of those on which both were wrong.
    """
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for readings, truth in units:
        wrong = sorted(system for system, reading in readings.items() if reading != truth)
        for one, other in combinations(wrong, 2):
            alike, both = found.get((one, other), (0, 0))
            found[one, other] = (alike + (readings[one] == readings[other]), both + 1)
    return found


def classes_of(leaf: LeafConsensus) -> dict[str, Hashable]:
    """Per system the class it read, comparable within the leaf's field."""
    return {
        system: (found.valid, jsontext.dumps(found.value) if found.valid else jsontext.dumps(found.forms))
        for found in leaf.candidates
        for system in found.systems
    }


def _of_field(leaves: Sequence[LeafConsensus]) -> FieldAgreement:
    found = FieldAgreement(leaves=len(leaves))
    units: list[Unit] = []
    for leaf in leaves:
        found.tiers[leaf.tier] += 1
        classes = classes_of(leaf)
        units.append([classes[system] for system in sorted(classes)])
        if leaf.resolved:
            winner = (True, jsontext.dumps(leaf.value))
            for system, reading in classes.items():
                found.readings[system] += 1
                found.dissents[system] += reading != winner
    found.pairwise = percent_agreement(units)
    found.alpha = nominal_alpha(units)
    return found
