"""What the truth would be if people answered the review queue from the labels, one question after another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from bench.labels import Labelled, is_right, row_of
from groundtruth.consensus import LeafConsensus, Presence
from groundtruth.jsontext import Json
from groundtruth.path import Path
from groundtruth.queue import Place, Question, QueueItem

_OPEN: Final = object()
"""The value of a leaf that the vote leaves open: right for no label."""


class Point(NamedTuple):
    """A point of the curve: the share of leaves a person has seen, and the share of the truth that is right."""

    seen: float
    right: float


def curve(documents: Sequence[Labelled], queue: Sequence[QueueItem], *, folded: bool) -> list[Point]:
    """The accuracy of the truth after every question, the first point before any.

    A row question counts as one leaf, and as one more for each cell that is asked once the row is confirmed; a bulk
    question counts every leaf it shows. The share seen is of the leaves of the proposals. A leaf of the label that no
    row of the vote holds counts as wrong, and so does every cell of a row that the label does not have.
    """
    answers = _Answers(documents, folded=folded)
    points = [Point(0.0, answers.accuracy())]
    seen = 0
    for item in queue:
        seen += answers.answer(item)
        points.append(Point(seen / answers.proposed, answers.accuracy()))
    return points


class _Answers:
    def __init__(self, documents: Sequence[Labelled], *, folded: bool) -> None:
        self._folded = folded
        self._documents = {one.document: one for one in documents}
        self._leaves = {Place(one.document, leaf.path): leaf for one in documents for leaf in one.consensus.leaves}
        self._rows = {Place(one.document, row.path): row for one in documents for row in one.consensus.rows}
        self._cells: dict[Place, list[Place]] = {}
        for place in self._leaves:
            row = row_of(place.path)
            if row is not None:
                self._cells.setdefault(Place(place.document, row), []).append(place)
        self._values: dict[Place, object] = {
            place: leaf.value if leaf.resolved else _OPEN for place, leaf in self._leaves.items()
        }
        self._present = {place: row.presence is Presence.PRESENT for place, row in self._rows.items()}
        self._missing = sum(one.missing_leaves() for one in documents)
        self.proposed = sum(self._row(place) is None or self._present[self._row_place(place)] for place in self._leaves)
        self._right = {place: self._counts(place) for place in self._leaves}

    def accuracy(self) -> float:
        """The share of leaves that are right, of those in the label and those that should not be there."""
        counted = [right for right in self._right.values() if right is not None]
        return sum(counted) / (len(counted) + self._missing)

    def answer(self, item: QueueItem) -> int:
        """Answer one question from the label; return how many leaves that took a look at."""
        if item.question is not Question.ROW:
            for place in item.places:
                self._set(place, self._truth(place))
            return len(item.places)
        (row,) = item.places
        there = row.path in self._documents[row.document].rows
        self._present[row] = there
        looked_at = 1
        if there:
            for path in item.settles:
                place = Place(row.document, path)
                self._set(place, _what_the_row_says(self._leaves[place], self._rows[row].members))
            for path in item.follow_up:
                place = Place(row.document, path)
                self._set(place, self._truth(place))
                looked_at += 1
        for place in self._cells.get(row, ()):
            self._right[place] = self._counts(place)
        return looked_at

    def _set(self, place: Place, value: object) -> None:
        self._values[place] = value
        self._right[place] = self._counts(place)

    def _truth(self, place: Place) -> Json:
        return self._documents[place.document].truth(self._leaves[place])

    def _counts(self, place: Place) -> bool | None:
        """Right or wrong; None for a leaf that is neither in the label nor in the truth as it stands."""
        row = self._row(place)
        if row is not None:
            present = self._present[self._row_place(place)]
            if row not in self._documents[place.document].rows:
                return False if present else None
            if not present:
                return False
        value = self._values[place]
        if value is _OPEN:
            return False
        one = self._documents[place.document]
        leaf = self._leaves[place]
        return is_right(one.schema.leaves[leaf.field], value, one.truth(leaf), folded=self._folded)

    def _row(self, place: Place) -> Path | None:
        return row_of(place.path)

    def _row_place(self, place: Place) -> Place:
        return Place(place.document, row_of(place.path) or ())


def at_share(points: Sequence[Point], shares: Sequence[float]) -> Iterator[tuple[float, float]]:
    """The accuracy that is reached within each share of leaves seen."""
    for share in shares:
        yield share, max(point.right for point in points if point.seen <= share)


def share_for(points: Sequence[Point], accuracy: float) -> float | None:
    """The smallest share of leaves to see for an accuracy; None when the whole queue does not reach it."""
    return next((point.seen for point in points if point.right >= accuracy), None)


def _what_the_row_says(leaf: LeafConsensus, having: Iterable[str]) -> Json:
    """The cell as all systems that have the row read it."""
    systems = set(having)
    return next(found.value for found in leaf.candidates if systems & set(found.systems))
