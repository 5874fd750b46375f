"""How every document of a dataset stands: its vote joined with what people decided on it."""

from __future__ import annotations

from collections.abc import Sequence

from annotation import quality
from annotation.situation import Situation, situation_of
from consensus.order import Record, Voted, review_queue
from consensus.questions import questions
from groundtruth.path import Path
from groundtruth.queue import QueueItem
from groundtruth.store import Dataset


def situations_of_votes(dataset: Dataset, votes: Sequence[Voted]) -> tuple[list[QueueItem], dict[str, Situation]]:
    """Every question that the votes ask, decided ones included, in the order of review; and how each document stands.

    Fields whose votes people often overturned are asked first.

    Args:
        dataset: where the decisions are.
        votes: of the documents.

    Raises:
        JsonError: a log of decisions is damaged.
    """
    situations = {one.document: situation_of_vote(dataset, one) for one in votes}
    return review_queue(votes, _overturned(dataset, votes)), situations


def situation_of_vote(dataset: Dataset, voted: Voted) -> Situation:
    """How one document stands.

    Raises:
        JsonError: its log of decisions is damaged.
    """
    return situation_of(
        voted.document,
        voted.consensus,
        voted.schema,
        dataset.decisions(voted.document),
        questions(voted.document, voted.consensus),
    )


def _overturned(dataset: Dataset, votes: Sequence[Voted]) -> dict[tuple[str, Path], Record]:
    logs = {one.document: dataset.decisions(one.document) for one in votes}
    decided = {document: log for document, log in logs.items() if log.entries}
    judged = {one.document: quality.Voted(one.schema, one.consensus) for one in votes if one.document in decided}
    rates = quality.overturned(decided.values(), judged) if decided else {}
    return {field: Record(*rate) for field, rate in rates.items()}
