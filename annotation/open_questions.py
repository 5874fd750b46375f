"""Which questions of the queue are still open, given what people decided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from annotation.bind import Stale
from annotation.situation import Situation
from annotation.standing import Outcome, Standing
from groundtruth.consensus import Disposition
from groundtruth.path import Path, rows_around
from groundtruth.queue import Place, Question, QueueItem

SCHEMA_CHANGED: Final = "The schema changed since this was answered. Please answer it again."


@dataclass(frozen=True, slots=True)
class Open:
    """What is still asked of people.

    Attributes:
        items: the questions to ask, in the order of the queue: those that nobody decided, the cells of rows that were
            confirmed, and what was decided under another schema.
        conflicts: where people differ, with their answers; an adjudication is due, and ``items`` has none of these.
        escalated: what somebody handed on and nobody decided; ``items`` has none of these either.
        not_asked: by document, the leaves and rows that no packet may ask now (``Asked.decided``): decided, in conflict
            or escalated, or inside a row of which that, or absence, is true.
        reopened: by document, what is asked again because the schema changed there, with the decisions it overtakes.
            Their ids are ``Asked.settles``; ``SCHEMA_CHANGED`` will do for ``Asked.notices``.
    """

    items: tuple[QueueItem, ...]
    conflicts: Mapping[Place, Standing] = field(default_factory=dict)
    escalated: Mapping[Place, Standing] = field(default_factory=dict)
    not_asked: Mapping[str, frozenset[Path]] = field(default_factory=dict)
    reopened: Mapping[str, Mapping[Path, tuple[Stale, ...]]] = field(default_factory=dict)


def open_places(items: Sequence[QueueItem], situations: Mapping[str, Situation]) -> Open:
    """Which questions are still open.

    Args:
        items: the whole queue as the votes make it (``consensus.order.review_queue``), decided questions included.
        situations: how every document that the queue names stands.

    A question on a confirmed row that the vote does not have gives place to its cells that are to be asked, and to the
    rows inside it. What stands in a row that is not there, or about which people differ, is not asked.
    """
    closed = {name: _Closed(situation) for name, situation in situations.items()}
    asked = [one for item in items for one in _still_asked(item, situations, closed)]
    known = {place for item in asked for place in item.places}
    asked += [one for name in sorted(situations) for one in _reopened(situations[name], closed[name], known)]
    said = {
        Place(name, path): found
        for name, situation in situations.items()
        for path, found in (*situation.rows.items(), *situation.leaves.items())
    }
    return Open(
        items=tuple(asked),
        conflicts={place: found for place, found in said.items() if found.outcome is Outcome.CONFLICTING},
        escalated={place: found for place, found in said.items() if found.outcome is Outcome.ESCALATED},
        not_asked={name: each.paths for name, each in closed.items()},
        reopened={name: situation.reopened for name, situation in situations.items() if situation.reopened},
    )


class _Closed:
    """The leaves and rows of a document that are not asked."""

    def __init__(self, situation: Situation) -> None:
        self._situation = situation
        blocked = {
            path for path in situation.rows_by_path if (path in situation.rows and situation.is_there(path) is not True)
        }
        inside = {
            path
            for path in (*situation.leaves_by_path, *situation.rows_by_path)
            if blocked and any(row in blocked for row in rows_around(path))
        }
        self.paths = frozenset(inside | situation.rows.keys() | situation.leaves.keys())

    def __contains__(self, path: Path) -> bool:
        return path in self.paths


def _still_asked(
    item: QueueItem, situations: Mapping[str, Situation], closed: Mapping[str, _Closed]
) -> Iterator[QueueItem]:
    first = item.places[0]
    if item.question is Question.ROW and first.path in situations[first.document].rows:
        if situations[first.document].is_there(first.path):
            yield from _follow_ups(item, situations[first.document], closed[first.document])
        return
    places = tuple(place for place in item.places if place.path not in closed[place.document])
    if places:
        yield item if places == item.places else replace(item, places=places)


def _follow_ups(item: QueueItem, situation: Situation, closed: _Closed) -> Iterator[QueueItem]:
    """What is asked once a row is confirmed: rows inside it that do not follow from it, then its cells."""
    cells = [cell for cell in item.follow_up if cell not in closed]
    inner = situation.inner_rows.get(item.places[0].path, ()) if item.follow_up else ()
    by_row: dict[Path, list[Path]] = {row: [] for row in inner if row not in closed and not situation.follows(row)}
    for cell in (*cells, *item.settles):
        for row in rows_around(cell):
            if row in by_row:
                by_row[row].append(cell)
    for row, within in by_row.items():
        voted = situation.rows_by_path[row]
        yield replace(
            item,
            places=(Place(situation.document, row),),
            field=row[:-1],
            tier=voted.tier,
            reasons=voted.reasons,
            settles=tuple(cell for cell in within if cell not in item.follow_up),
            follow_up=tuple(cell for cell in within if cell in item.follow_up),
        )
    for cell in cells:
        if not any(row in by_row for row in rows_around(cell)):
            yield _leaf_item(situation, cell)


def _reopened(situation: Situation, closed: _Closed, known: set[Place]) -> Iterator[QueueItem]:
    """What was decided before the schema changed, where the vote as it is now asks nothing."""
    for path in situation.reopened:
        if Place(situation.document, path) in known or path in closed:
            continue
        if path in situation.rows_by_path:
            row = situation.rows_by_path[path]
            yield QueueItem(
                question=Question.ROW,
                places=(Place(situation.document, path),),
                field=path[:-1],
                disposition=Disposition.REVIEW,
                tier=row.tier,
                margin=0,
                reasons=row.reasons,
            )
        else:
            yield _leaf_item(situation, path)


def _leaf_item(situation: Situation, path: Path) -> QueueItem:
    leaf = situation.leaves_by_path[path]
    pages = [place.page for place in leaf.location.evidence]
    return QueueItem(
        question=Question.LEAF,
        places=(Place(situation.document, path),),
        field=leaf.field,
        disposition=Disposition.REVIEW,
        tier=leaf.tier,
        margin=leaf.margin,
        reasons=leaf.reasons,
        page=min(pages, default=None),
    )
