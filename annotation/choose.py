"""Which questions of the queue a round asks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum

from annotation.asked import Asked, Sheet
from groundtruth.consensus import Disposition, Presence
from groundtruth.path import Path, rows_around
from groundtruth.queue import Place, Question, QueueItem


class Review(StrEnum):
    """How much is asked.

    ``flagged``: what must be reviewed. ``contested``: that, and provisional majorities. ``all``: every leaf, those that
    the vote accepts with the answer chosen beforehand.
    """

    FLAGGED = "flagged"
    CONTESTED = "contested"
    ALL = "all"


def choose(
    items: Sequence[QueueItem],
    *,
    review: str = Review.CONTESTED,
    budget: int | None = None,
    documents: Mapping[str, Asked] | None = None,
) -> list[QueueItem]:
    """Choose questions, in the order of the queue.

    Args:
        items: the queue.
        review: one of ``Review``.
        budget: how many leaves a person looks at, at most; None asks everything. A question that would pass it is left
            out and smaller ones after it are not, but of a bulk question as many leaves are asked as fit.
        documents: for ``all``, the documents whose accepted leaves are asked after the queue; without them none are.

    Raises:
        ValueError: ``review`` is none of these, or the budget is negative.
    """
    if budget is not None and budget < 0:
        raise ValueError(f"a budget of {budget} leaves: is 0 or more")
    asked = Review(review)
    wanted = [item for item in items if asked is not Review.FLAGGED or item.disposition is Disposition.REVIEW]
    if asked is Review.ALL:
        wanted += accepted_items(items, documents or {})
    return wanted if budget is None else list(_within(wanted, budget))


def accepted_items(items: Sequence[QueueItem], documents: Mapping[str, Asked]) -> Iterator[QueueItem]:
    """A question on every leaf that the vote accepts, in the order of documents' ids and of their schemas.

    Leaves that a question of the queue covers or that are decided are left out, and so are cells of rows that are asked
    or that the vote does not have.
    """
    covered = {place for item in items for place in item.places}
    for item in items:
        document = item.places[0].document
        covered.update(Place(document, path) for path in (*item.settles, *item.follow_up))
    for name in sorted(documents):
        sheet = Sheet(documents[name])
        for leaf in documents[name].consensus.leaves:
            place = Place(name, leaf.path)
            if leaf.disposition is not Disposition.ACCEPT or place in covered or leaf.path in sheet.asked.decided:
                continue
            if _is_lost(sheet, leaf.path):
                continue
            if any(Place(name, row) in covered for row in rows_around(leaf.path)):
                continue
            pages = [evidence.page for evidence in leaf.location.evidence]
            yield QueueItem(
                question=Question.LEAF,
                places=(place,),
                field=leaf.field,
                disposition=leaf.disposition,
                tier=leaf.tier,
                margin=leaf.margin,
                reasons=leaf.reasons,
                page=min(pages, default=None),
            )


def _is_lost(sheet: Sheet, path: Path) -> bool:
    return any(sheet.rows[row].presence is not Presence.PRESENT for row in rows_around(path))


def _within(items: Sequence[QueueItem], budget: int) -> Iterator[QueueItem]:
    left = budget
    for item in items:
        taken = item
        if item.question is Question.BULK and item.leaves > left > 0:
            taken = replace(item, places=item.places[:left])
        if taken.leaves <= left:
            left -= taken.leaves
            yield taken
