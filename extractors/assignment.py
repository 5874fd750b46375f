"""Which of the values that labels offer become the values of fields: one assignment over the whole document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from extractors.typed import Parsed
from extractors.words import Word
from groundtruth.assignment import maximum_weight_matching
from groundtruth.path import Path
from groundtruth.schema import Leaf

_RIVAL_MARGIN: Final = 0.08
"""Another label whose value scores within this of the best one makes the field ambiguous."""


class Candidate(NamedTuple):
    """A value that one label offers to one leaf."""

    leaf: Leaf
    label: tuple[Word, ...]
    parsed: Parsed
    score: float

    @property
    def place(self) -> int:
        """Where its value begins in the document: what two candidates cannot both have."""
        return self.parsed.words[0].order


def assign(candidates: Sequence[Candidate]) -> dict[Path, Parsed]:
    """The values of leaves under the assignment of greatest total score; one value serves one leaf.

    On a tie the place earlier in the document. A leaf for which another label offers a different value with nearly
    the same score gets none, unless that value went to another leaf: nothing on the page says which is meant.
    """
    leaves = {path: row for row, path in enumerate(dict.fromkeys(found.leaf.path for found in candidates))}
    places = {place: column for column, place in enumerate(sorted({found.place for found in candidates}))}
    best: dict[tuple[int, int], Candidate] = {}
    for found in candidates:
        cell = leaves[found.leaf.path], places[found.place]
        if cell not in best or best[cell].score < found.score:
            best[cell] = found
    pairs = maximum_weight_matching(
        len(leaves),
        len(places),
        np.array([row for row, _ in best], dtype=np.int64),
        np.array([column for _, column in best], dtype=np.int64),
        np.array([_weight(found.score, column, len(places)) for (_, column), found in best.items()], dtype=np.int64),
    )
    chosen = [best[pair] for pair in pairs]
    owned = {found.place for found in chosen}
    return {found.leaf.path: found.parsed for found in chosen if not _has_rival(found, candidates, owned)}


def _weight(score: float, column: int, columns: int) -> int:
    """The score in steps of a thousandth, and below that a little less for every place that comes earlier."""
    return round(score * 1000) * (columns + 1) - column


def _has_rival(winner: Candidate, candidates: Sequence[Candidate], owned: set[int]) -> bool:
    return any(
        candidate.leaf.path == winner.leaf.path
        and candidate.label != winner.label
        and candidate.parsed.key != winner.parsed.key
        and candidate.score >= winner.score - _RIVAL_MARGIN
        and candidate.place not in owned
        for candidate in candidates
    )
