"""Real readings of a document whose truth is known: what systems made of each leaf, by the place that the truth has."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from annotation.equality import AnswerClass, value_class
from annotation.known_documents import leaves_of
from groundtruth.box import Box
from groundtruth.consensus import Candidate, Consensus, LeafConsensus
from groundtruth.evidence import Evidence, Kind, Source
from groundtruth.jsontext import Json
from groundtruth.path import Path, rows_around, schema_path
from groundtruth.schema import FrozenSchema
from groundtruth.truth import TruthEvidence

_LEAST_ALIKE: Final = 0.5
"""A row of the vote is the row of the truth with which it shares this part of its cells, if no other shares as many."""
_SLACK: Final = 1e-6


def readings_of_truth(schema: FrozenSchema, value: Json, consensus: Consensus) -> dict[Path, tuple[Candidate, ...]]:
    """The classes of readings of every leaf on which systems differ and one of them is right.

    Args:
        schema: the document's.
        value: its truth.
        consensus: its vote.

    Returns:
        By the instance path that the truth has. Rows of the vote are found in the truth by what they hold; one that
        could be two rows, or is none, is left out.
    """
    split = [leaf for leaf in consensus.leaves if len(_valid(leaf)) > 1 and leaf.field in schema.leaves]
    wanted = {row for leaf in split for row in rows_around(leaf.path)}
    rows = _rows_of_truth(schema, value, consensus, wanted)
    right = dict(leaves_of(schema, value))
    found = {}
    for leaf in split:
        around = tuple(rows_around(leaf.path))
        row = rows.get(around[-1]) if around else ()
        path = None if row is None else (*row, *leaf.path[len(around[-1]) if around else 0 :])
        if path is None or path not in right:
            continue
        field = schema.leaves[leaf.field]
        if value_class(right[path], field) in {value_class(each.value, field) for each in _valid(leaf)}:
            found[path] = _valid(leaf)
    return found


def places_of_truth(entries: Iterable[TruthEvidence]) -> tuple[Evidence, ...]:
    """The places of a leaf: a line each, or the lines inside a hull; boxes of the ink alone repeat a line."""
    lines: list[tuple[int, Box]] = []
    places: list[Evidence] = []
    for entry in entries:
        if entry.bbox is None or entry.page is None or entry.kind not in (Kind.LINE, Kind.HULL):
            continue
        box = Box.from_xywh(map(float, entry.bbox))
        if entry.kind is Kind.LINE:
            lines.append((entry.page, box))
            continue
        inside = [line for line in lines if line[0] == entry.page and _holds(box, line[1])]
        if inside:
            lines = [line for line in lines if line not in inside]
            places.append(_place(entry.page, [line[1] for line in inside]))
    return (*(_place(page, [box]) for page, box in lines), *places)


def _place(page: int, boxes: list[Box]) -> Evidence:
    return Evidence(page=page, boxes=tuple(boxes), source=Source.LOCATED)


def _holds(hull: Box, box: Box) -> bool:
    return (
        hull.x0 - _SLACK <= box.x0
        and hull.y0 - _SLACK <= box.y0
        and box.x1 <= hull.x1 + _SLACK
        and box.y1 <= hull.y1 + _SLACK
    )


def _valid(leaf: LeafConsensus) -> tuple[Candidate, ...]:
    return tuple(each for each in leaf.candidates if each.valid)


def _rows_of_truth(schema: FrozenSchema, value: Json, consensus: Consensus, wanted: set[Path]) -> dict[Path, Path]:
    """For rows of the vote the row of the truth that holds the same."""
    holders: dict[tuple[Path, AnswerClass], set[Path]] = defaultdict(set)
    for path, cell in leaves_of(schema, value):
        around = tuple(rows_around(path))
        if around and cell is not None:
            field = schema_path(path)
            holders[field, value_class(cell, schema.leaves[field])].add(around[-1])
    shared: Mapping[Path, Counter[Path]] = defaultdict(Counter)
    cells: Counter[Path] = Counter()
    for leaf in consensus.leaves:
        around = tuple(rows_around(leaf.path))
        values = [each.value for each in _valid(leaf) if each.value is not None]
        if not around or around[-1] not in wanted or not values or leaf.field not in schema.leaves:
            continue
        cells[around[-1]] += 1
        voted = schema.leaves[leaf.field]
        rows = set().union(*(holders.get((leaf.field, value_class(each, voted)), set()) for each in values))
        shared[around[-1]].update(rows)
    found = {}
    for row, counts in shared.items():
        (best, most), *others = counts.most_common(2) or [((), 0)]
        if most >= _LEAST_ALIKE * cells[row] and most > 0 and (not others or others[0][1] < most):
            found[row] = best
    return found
