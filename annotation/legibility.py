"""Whether a person can read a value on a re-captured page: what is asked, and what the answers say.

The answer is an ordinary decision on the re-capture. Its expected values never change by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final

from annotation.constructed import constructed_vote
from annotation.equality import value_class
from annotation.known_documents import value_at
from annotation.known_votes import places_of_truth
from annotation.situation import Situation, situation_of
from annotation.standing import Standing
from groundtruth.consensus import Candidate, Disposition, LeafConsensus, Location, Tier
from groundtruth.decision import Cause, DecisionLog, Verdict
from groundtruth.errors import PathError
from groundtruth.evidence import Evidence
from groundtruth.jsontext import Json
from groundtruth.path import Path, format_path, parse_path, schema_path
from groundtruth.queue import Place, Question, QueueItem
from groundtruth.schema import FrozenSchema
from groundtruth.truth import GroundTruth

LEGIBLE_HERE: Final = (
    "Made worse on purpose: choose the value if you read it. Else type what you read, or choose it and tick illegible."
)


class Legibility(StrEnum):
    """What people say of a value on a re-captured page.

    ``legible``: it reads as expected. ``illegible``: somebody flagged it so. ``otherwise``: it reads as another value,
    or as none. ``open``: nobody answered, people differ, or it was handed on.
    """

    LEGIBLE = "legible"
    ILLEGIBLE = "illegible"
    OTHERWISE = "otherwise"
    OPEN = "open"


def legibility_situation(
    truth: GroundTruth, doubtful: Iterable[str], schema: FrozenSchema, log: DecisionLog
) -> Situation:
    """How a re-capture stands of which some values may not be legible.

    Args:
        truth: of the re-capture.
        doubtful: the paths of these values; null, and what the schema no longer has, is passed over.
        schema: the schema as it is now.
        log: what people decided on the re-capture.
    """
    places = {parse_path(path): _places(truth, path) for path in truth.evidence}

    def known(path: Path) -> tuple[Json, tuple[Evidence, ...]]:
        return value_at(truth.value, path), places.get(path, ())

    asked = {}
    for path in _paths(doubtful, schema):
        value, shown = known(path)
        if value is not None:
            asked[path] = _leaf(schema, path, value, shown)
    consensus = constructed_vote(schema, asked, known)
    questions = [_question(truth.document, leaf) for leaf in asked.values()]
    return situation_of(truth.document, consensus, schema, log, questions)


def legibility(situation: Situation) -> Mapping[Path, Legibility]:
    """What people say of every value that was asked, by instance path."""
    found = {}
    for item in situation.questions:
        path = item.places[0].path
        said = situation.leaves.get(path)
        found[path] = Legibility.OPEN if said is None else _of(said, situation.leaves_by_path[path], situation.schema)
    return found


def _of(said: Standing, leaf: LeafConsensus, schema: FrozenSchema) -> Legibility:
    if not said.is_decided:
        return Legibility.OPEN
    if any(Cause.ILLEGIBLE in decision.causes for decision in said.decisions):
        return Legibility.ILLEGIBLE
    field = schema.leaves[leaf.field]
    expected = value_class(leaf.candidates[0].value, field)
    is_read = said.last.verdict in (Verdict.ACCEPT, Verdict.EDIT) and value_class(said.last.value, field) == expected
    return Legibility.LEGIBLE if is_read else Legibility.OTHERWISE


def _paths(texts: Iterable[str], schema: FrozenSchema) -> list[Path]:
    found = []
    for text in texts:
        try:
            path = parse_path(text)
        except PathError:
            continue
        if schema_path(path) in schema.leaves:
            found.append(path)
    return found


def _places(truth: GroundTruth, path: str) -> tuple[Evidence, ...]:
    """Where a value stands; of one that the edge took, the page alone."""
    entries = truth.evidence.get(path, ())
    pages = (entry.page for entry in entries if entry.page is not None)
    return places_of_truth(entries) or tuple(Evidence(page=page) for page in dict.fromkeys(pages))


def _leaf(schema: FrozenSchema, path: Path, value: Json, places: tuple[Evidence, ...]) -> LeafConsensus:
    return LeafConsensus(
        path=path,
        field=schema.leaves[schema_path(path)].path,
        tier=Tier.SPLIT,
        value=None,
        resolved=False,
        disposition=Disposition.REVIEW,
        reasons=(),
        notes=(),
        votes={"expected": value},
        candidates=(Candidate(value, (value,), ()),),
        margin=0,
        location=Location(places, bool(places), "known"),
    )


def _question(document: str, leaf: LeafConsensus) -> QueueItem:
    pages = [place.page for place in leaf.location.evidence]
    return QueueItem(
        question=Question.LEAF,
        places=(Place(document, leaf.path),),
        field=leaf.field,
        disposition=leaf.disposition,
        tier=leaf.tier,
        margin=0,
        reasons=(),
        page=min(pages, default=None),
    )


def named(found: Mapping[Path, Legibility], wanted: Legibility) -> list[str]:
    """The paths of which people say this."""
    return [format_path(path) for path, each in found.items() if each is wanted]
