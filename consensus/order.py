"""The order of review over all documents of a dataset.

Lexicographic, not a weighted sum, so that every place in the queue can be explained:

1. what must be reviewed, before what is provisional;
2. rows and identity cells before other cells, because they change what the cells are;
3. split, then null over a value, then majority, then the rest (of a form);
4. the smaller margin first;
5. fields with more dissent, or with more votes that people overturned, first;
6. document, page, reading order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from consensus.questions import is_surface_only, questions
from groundtruth.consensus import Consensus, Disposition, LeafConsensus, Reason, Tier
from groundtruth.path import Path, schema_path
from groundtruth.queue import Place, Question, QueueItem
from groundtruth.schema import FrozenSchema

_TIERS: Final = {Tier.SPLIT: 0, Tier.MAJORITY: 2, Tier.UNANIMOUS: 3, Tier.ALL_NULL: 3}
_NULL_OVER_VALUE: Final = 1


class Voted(NamedTuple):
    """A document's vote with what the order needs to know of it."""

    document: str
    schema: FrozenSchema
    consensus: Consensus


class Record(NamedTuple):
    """How a field fared: leaves on which a vote dissented or was overturned, of all leaves."""

    bad: int
    all: int

    @property
    def risk(self) -> float:
        """The posterior mean under a Beta(1, 1) prior: never 0 or 1, and cautious about few leaves."""
        return (1 + self.bad) / (2 + self.all)


def review_queue(
    voted: Sequence[Voted], overturned: Mapping[tuple[str, Path], Record] | None = None
) -> list[QueueItem]:
    """Every question that the votes leave open, in the order of review.

    Args:
        voted: the documents' votes, in any order.
        overturned: per schema name and field how often people overturned the vote; the worse of this and of the dissent
            counts.
    """
    documents = {one.document: one for one in voted}
    items = [item for one in voted for item in questions(one.document, one.consensus)]
    risk = _risks(voted, overturned or {})

    def rank(item: QueueItem) -> tuple[object, ...]:
        one = documents[item.places[0].document]
        field = schema_path(item.field)
        return (
            item.disposition is not Disposition.REVIEW,
            not (item.question is Question.ROW or _is_identity(one.schema, field)),
            _NULL_OVER_VALUE if _is_null_over_value(item) else _TIERS[item.tier],
            item.margin,
            -risk.get((one.schema.name, field), 0.0),
            one.document,
            item.page if item.page is not None else 0,
            order[item.places[0]],
        )

    order = _reading_order(voted)
    return sorted(_one_question_per_spelling(items, documents), key=rank)


def _is_null_over_value(item: QueueItem) -> bool:
    return item.tier is Tier.MAJORITY and Reason.NULL_OVER_VALUE in item.reasons


def _is_identity(schema: FrozenSchema, field: Path) -> bool:
    return any((*table.row.path, *key) == field for table in schema.tables.values() for key in table.identity)


def _reading_order(voted: Sequence[Voted]) -> dict[Place, tuple[float, ...]]:
    """Top to bottom, then left to right where boxes are known; the schema's order decides the rest."""
    order: dict[Place, tuple[float, ...]] = {}
    for one in voted:
        for at, row in enumerate(one.consensus.rows):
            order[Place(one.document, row.path)] = (0.0, 0.0, at)
        for at, leaf in enumerate(one.consensus.leaves):
            box = next((place.hull for place in leaf.location.evidence if place.hull), None)
            order[Place(one.document, leaf.path)] = (box.y0, box.x0, at) if box else (0.0, 0.0, at)
    return order


def _risks(voted: Iterable[Voted], overturned: Mapping[tuple[str, Path], Record]) -> dict[tuple[str, Path], float]:
    dissent: dict[tuple[str, Path], list[bool]] = defaultdict(list)
    for one in voted:
        for leaf in one.consensus.leaves:
            dissent[one.schema.name, leaf.field].append(leaf.tier in (Tier.SPLIT, Tier.MAJORITY))
        for row in one.consensus.rows:
            dissent[one.schema.name, schema_path(row.path[:-1])].append(row.tier is not Tier.UNANIMOUS)
    risks = {field: Record(sum(found), len(found)).risk for field, found in dissent.items()}
    return {field: max(risk, overturned[field].risk if field in overturned else 0.0) for field, risk in risks.items()}


def _one_question_per_spelling(items: Iterable[QueueItem], documents: Mapping[str, Voted]) -> list[QueueItem]:
    """Leaves of a field that dissent only in case, punctuation and spacing become one question over all documents."""
    leaves = {Place(one.document, leaf.path): leaf for one in documents.values() for leaf in one.consensus.leaves}
    merged: dict[tuple[str, str, Path], list[QueueItem]] = defaultdict(list)
    rest = []
    for item in items:
        schema = documents[item.places[0].document].schema
        if item.question is not Question.ROW and all(is_surface_only(leaves[place]) for place in item.places):
            merged[schema.name, schema.version, item.field].append(item)
        else:
            rest.append(item)
    return rest + [_merge(group, leaves) for group in merged.values()]


def _merge(items: Sequence[QueueItem], leaves: Mapping[Place, LeafConsensus]) -> QueueItem:
    places = sorted((place for item in items for place in item.places), key=lambda place: place.document)
    worst = min(items, key=lambda item: item.margin)
    return QueueItem(
        question=Question.BULK if len(places) > 1 else Question.LEAF,
        places=tuple(places),
        field=worst.field,
        disposition=worst.disposition,
        tier=worst.tier,
        margin=worst.margin,
        reasons=tuple(sorted({reason for place in places for reason in leaves[place].reasons})),
        page=worst.page if len(items) == 1 else None,
    )
