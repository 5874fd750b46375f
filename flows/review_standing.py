"""What the votes and the decisions of a dataset leave open, and why a question is asked again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from annotation.again import change_notice
from annotation.asked import Asked, keys_of
from annotation.bind import Stale
from annotation.legibility import LEGIBLE_HERE
from annotation.open_questions import SCHEMA_CHANGED, Open, open_places
from annotation.situation import Situation
from annotation.standing import Standing
from flows.resolve_step import situations_of
from flows.review_legibility import legibility_situations
from groundtruth.consensus import Disposition, Tier
from groundtruth.decision import Decision
from groundtruth.document import Kind
from groundtruth.errors import GoldleafError
from groundtruth.path import Path, schema_path
from groundtruth.queue import Place, Question, QueueItem
from groundtruth.schema import FrozenSchema
from groundtruth.schema_diff import diff_schemas
from groundtruth.store import Dataset

HANDED_ON = "Somebody could not decide this and handed it on."


@dataclass(frozen=True, slots=True)
class Standings:
    """What is open in a dataset.

    Attributes:
        documents: every document with a vote, by id; what nobody has to be asked is ``decided``.
        situations: the same with what people decided.
        disputed: the answers that differ, by the leaf or row that they are about.
        places: every leaf and row by the key under which it is asked.
        items: the questions, in the order of review; what somebody handed on comes first.
    """

    documents: Mapping[str, Asked]
    situations: Mapping[str, Situation]
    disputed: Mapping[Place, Standing]
    places: Mapping[str, Place]
    items: tuple[QueueItem, ...]

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """All decisions that stand on something in the present votes, in the order of documents."""
        return tuple(
            decision
            for situation in self.situations.values()
            for said in (situation.binding.rows, situation.binding.by_path)
            for given in said.values()
            for decision in given
        )


def standings_of(dataset: Dataset) -> Standings:
    """Join the votes of a dataset with what people decided.

    Synthetic documents are left out: they were made with their truth, whatever systems read in them. Re-captures have
    that of their originals; of them it is asked whether values are legible.

    Raises:
        JsonError: a consensus or a log of decisions is damaged.
    """
    queue, situations = situations_of(dataset)
    made = {document.id for document in dataset.documents() if document.kind.comes_with_truth}
    doubtful = legibility_situations(dataset)
    situations = {name: one for name, one in situations.items() if name not in made} | doubtful
    queue = [*_without(queue, made), *(item for one in doubtful.values() for item in one.questions)]
    found = open_places(queue, situations)
    handed_on = {place: said for place, said in found.escalated.items() if _is_asked_again(said)}
    documents = {name: _asked(dataset, situation, found, handed_on) for name, situation in situations.items()}
    return Standings(
        documents=documents,
        situations=situations,
        disputed=found.conflicts,
        places={key: Place(name, path) for name, asked in documents.items() for key, path in keys_of(asked).items()},
        items=(*(_item(situations[place.document], place) for place in handed_on), *found.items),
    )


def question_on(place: Place) -> QueueItem:
    """A question on one leaf or row for its own sake, whatever the vote asks."""
    is_row = bool(place.path) and isinstance(place.path[-1], int)
    return QueueItem(
        question=Question.ROW if is_row else Question.LEAF,
        places=(place,),
        field=schema_path(place.path),
        disposition=Disposition.REVIEW,
        tier=Tier.SPLIT,
        margin=0,
        reasons=(),
    )


def _without(items: Iterable[QueueItem], documents: Collection[str]) -> Iterator[QueueItem]:
    for item in items:
        places = tuple(place for place in item.places if place.document not in documents)
        if places:
            yield item if places == item.places else replace(item, places=places)


def _is_asked_again(said: Standing) -> bool:
    """Whether what was handed on is asked once more; what comes back handed on again waits for a maintainer."""
    return not any(decision.settles for decision in said.decisions)


def _item(situation: Situation, place: Place) -> QueueItem:
    asked = situation.row_questions.get(place.path)
    return replace(asked, places=(place,)) if asked is not None else question_on(place)


def _asked(dataset: Dataset, situation: Situation, found: Open, handed_on: Mapping[Place, Standing]) -> Asked:
    name = situation.document
    document = dataset.document(name)
    is_recapture = document.kind is Kind.RECAPTURE
    notices: dict[Path, str] = dict.fromkeys(situation.leaves_by_path, LEGIBLE_HERE) if is_recapture else {}
    settles: dict[Path, tuple[str, ...]] = {}
    for place, said in handed_on.items():
        if place.document == name:
            notices[place.path] = HANDED_ON
            settles[place.path] = tuple(decision.id for decision in said.decisions)
    for path, stale in found.reopened.get(name, {}).items():
        notices[path] = _why(dataset, stale[-1], situation.schema)
        settles[path] = tuple(each.decision.id for each in stale)
    not_asked: Collection[Path] = found.not_asked.get(name, frozenset())
    # What two people differ on, or one handed on, is still a question.
    questions = {place.path for place in (*handed_on, *found.conflicts) if place.document == name}
    return Asked(
        document=name,
        type=document.type or "",
        kind=document.kind,
        schema=situation.schema,
        consensus=situation.consensus,
        page_count=document.pages,
        notices=notices,
        settles=settles,
        decided=frozenset(not_asked) - questions,
    )


def _why(dataset: Dataset, stale: Stale, schema: FrozenSchema) -> str:
    """Why a stale decision is asked again, for people."""
    decision = stale.decision
    try:
        before = dataset.schema(decision.schema, decision.schema_version)
    except GoldleafError:
        # A draft is not kept once it was edited.
        return SCHEMA_CHANGED
    changes = {change.path: change for change in diff_schemas(before, schema).changed}
    return change_notice(changes[decision.field]) if decision.field in changes else SCHEMA_CHANGED
