"""Hand-made labels against a vote: which rows are the same, and which leaves are right."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linear_sum_assignment

from groundtruth.consensus import Consensus, LeafConsensus, RowConsensus
from groundtruth.jsontext import Json
from groundtruth.path import Path
from groundtruth.schema import FrozenSchema, Leaf
from groundtruth.value import Null, Value, canonical, fold

SAME_ROW = 0.3
"""Rows that agree in fewer cells are not paired; a cell counts by the share of systems that read it so."""

NULL_AGREES = 0.01


@dataclass(frozen=True, slots=True)
class Labelled:
    """A document's vote beside its label.

    Attributes:
        document: its id.
        schema: its schema.
        consensus: its vote.
        label: the hand-made label.
        rows: the row of the label, by the row of the vote that it was paired with.
    """

    document: str
    schema: FrozenSchema
    consensus: Consensus
    label: Json
    rows: dict[Path, Path] = field(default_factory=dict)

    @classmethod
    def of(cls, document: str, schema: FrozenSchema, consensus: Consensus, label: Json) -> Labelled:
        """Pair the rows of the vote with those of the label so that most cells agree."""
        return cls(document, schema, consensus, label, _pair_rows(schema, consensus, label))

    def truth(self, leaf: LeafConsensus) -> Json:
        """What the label says on a leaf; None for a leaf of a row that the label does not have."""
        row = row_of(leaf.path)
        if row is None:
            return get(self.label, leaf.path)
        return get(self.label, (*self.rows[row], *leaf.path[len(row) :])) if row in self.rows else None

    def missing_leaves(self) -> int:
        """Leaves of label rows that no row of the vote was paired with."""
        paired = set(self.rows.values())
        missing = 0
        for table in self.schema.tables.values():
            # The labelled documents hold no nested arrays of objects; a nested one would need its outer row's path.
            rows = get(self.label, tuple(table.path)) if all(isinstance(step, str) for step in table.path) else None
            cells = len(list(table.row.leaves()))
            missing += sum(cells for index in range(len(rows or ())) if (*table.path, index) not in paired)
        return missing


def is_right(leaf: Leaf, value: Json, truth: Json, *, folded: bool) -> bool:
    """Whether a value is the label's, by the field's comparator; ``folded`` forgives case, punctuation and spacing."""
    ours, theirs = canonical(leaf, value), canonical(leaf, truth)
    if isinstance(ours, Null) or isinstance(theirs, Null):
        return isinstance(ours, Null) and isinstance(theirs, Null)
    if isinstance(ours, Value) and isinstance(theirs, Value):
        return ours.key == theirs.key or (folded and fold(ours) == fold(theirs))
    # The label itself is no value of the field (an enumeration written otherwise): compare as written.
    return bool(value == truth)


def row_of(path: Path) -> Path | None:
    """The innermost row that a leaf belongs to."""
    indices = [at for at, step in enumerate(path) if isinstance(step, int)]
    return path[: indices[-1] + 1] if indices else None


def get(data: Json, path: Path) -> Json:
    """What stands at an instance path, or None."""
    for step in path:
        if isinstance(data, dict):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


def _pair_rows(schema: FrozenSchema, consensus: Consensus, label: Json) -> dict[Path, Path]:
    cells: dict[Path, list[LeafConsensus]] = defaultdict(list)
    for leaf in consensus.leaves:
        row = row_of(leaf.path)
        if row is not None:
            cells[row].append(leaf)
    arrays: dict[Path, list[RowConsensus]] = defaultdict(list)
    for found in consensus.rows:
        arrays[found.path[:-1]].append(found)
    pairs: dict[Path, Path] = {}
    for array, rows in arrays.items():
        labelled = get(label, array) or []
        if not labelled:
            continue
        agreement = np.array(
            [[_agreement(schema, cells[found.path], found.path, other) for other in labelled] for found in rows]
        )
        for at, index in zip(*linear_sum_assignment(-agreement), strict=True):
            if agreement[at, index] > SAME_ROW:
                pairs[rows[at].path] = (*array, int(index))
    return pairs


def _agreement(schema: FrozenSchema, cells: list[LeafConsensus], row: Path, labelled: Json) -> float:
    total = 0.0
    for leaf in cells:
        field_ = schema.leaves[leaf.field]
        truth = get(labelled, leaf.path[len(row) :])
        if isinstance(canonical(field_, truth), Null):
            total += NULL_AGREES * (leaf.resolved and leaf.value is None)
            continue
        agreeing = sum(
            len(found.systems)
            for found in leaf.candidates
            if found.valid and found.value is not None and is_right(field_, found.value, truth, folded=True)
        )
        total += agreeing / max(len(leaf.votes), 1)
    return total
