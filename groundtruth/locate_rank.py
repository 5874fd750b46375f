"""Which of its places a value outside rows has, and whether that is sure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from groundtruth.locate_find import TELLING_BITS, Found, Place
from groundtruth.locate_label import LabelReader
from groundtruth.locate_layout import Layout
from groundtruth.locate_rows import LEAD_BITS
from groundtruth.schema import Leaf

CLEAR_LABEL_BITS: Final = 5.0
"""From here on a label is taken to name the field."""
FULL_LABEL_BITS: Final = 7.0
"""From here on a label names the field and nothing else."""

_ALONE_BITS: Final = 2.0
_CLAIMED_PENALTY: Final = 3.0
_MOST_READ_LABELS: Final = 100
_SAME_SPOT: Final = 0.01


class Outcome(StrEnum):
    """How a value was found, or why it was not."""

    UNIQUE = "unique"
    """Printed once, and not by chance."""
    CLOSEST = "closest"
    """Printed just so once; the other places print something like it."""
    LABEL_CONTEXT = "label_context"
    """The label of one place names the field."""
    HEADING = "heading"
    """Printed once, above several rows that share it."""
    ROW_CONTEXT = "row_context"
    """The other cells of its row stand there too."""
    REPEATED = "repeated"
    """The same thing printed several times: under the same label, or at the same spot of several pages."""
    ITEMS = "items"
    """A list, every item of which was found for sure."""
    AMBIGUOUS = "ambiguous"
    """Several places, none of which is clearly the one; they are listed."""
    WEAK = "weak"
    """One place, which may well be there for another reason."""
    SHARED = "shared"
    """One place, which another field has as well, and no label says that it is this one's."""
    OFF_ROW = "off_row"
    """One place, but away from the line of its row, where the field stands in other rows."""
    NOT_FOUND = "not_found"
    """Not printed in the text layer."""
    UNREAD_PAGES = "unread_pages"
    """Not found, and some pages have no text layer."""
    NO_TEXT = "no_text"
    """No page has a text layer."""
    NO_PRINTED_FORM = "no_printed_form"
    """A value that pages do not print as text: a bare true, an object."""
    NOT_SOUGHT = "not_sought"
    """Null."""


class Ranked(NamedTuple):
    """The places of one value, the best first; those alone that are meant when it is certain."""

    places: tuple[Place, ...]
    certain: bool
    outcome: Outcome


class Ranker:
    """Weighs the places of values outside rows against one another."""

    def __init__(self, layout: Layout, labels: LabelReader) -> None:
        self._layout = layout
        self._labels = labels

    def rank(self, found: Found, leaf: Leaf, claimed: Collection[tuple[int, ...]] = ()) -> Ranked:
        """Rank the places of a value.

        Args:
            found: its places.
            leaf: its leaf, whose names are looked for around the places.
            claimed: places that are another leaf's for sure; they are less likely this one's.
        """
        if not found.places:
            return Ranked((), False, Outcome.NOT_FOUND)
        labels = {place: self._label_bits(found, place, leaf) for place in found.places}
        scores = {place: self._score(place, labels[place], place.words in claimed) for place in found.places}
        ranked = tuple(sorted(found.places, key=lambda place: (-scores[place], found.places.index(place))))
        if len(ranked) == 1:
            return _ranked_one(found, labels[ranked[0]])
        meant, outcome = self._meant(found, ranked, labels, scores)
        return Ranked(meant or ranked, bool(meant), outcome)

    def is_named(self, place: Place, leaf: Leaf) -> bool:
        """Whether the labels around a place name the field."""
        return self._labels.bits(place, leaf) >= CLEAR_LABEL_BITS

    def _meant(
        self,
        found: Found,
        ranked: Sequence[Place],
        labels: Mapping[Place, float],
        scores: Mapping[Place, float],
    ) -> tuple[tuple[Place, ...], Outcome]:
        """The places that are meant for sure, or none."""
        best = ranked[0]
        full = tuple(place for place in ranked if labels[place] >= FULL_LABEL_BITS)
        if full and best in full and all(labels[place] < CLEAR_LABEL_BITS + 1 for place in ranked if place not in full):
            return full, Outcome.LABEL_CONTEXT if len(full) == 1 else Outcome.REPEATED
        top = tuple(place for place in ranked if scores[best] - scores[place] < LEAD_BITS)
        if len(top) == 1 and labels[best] >= CLEAR_LABEL_BITS:
            return top, Outcome.LABEL_CONTEXT
        least = min(place.penalty for place in ranked)
        closest = tuple(place for place in ranked if place.penalty < least + LEAD_BITS)
        if found.bits - least >= TELLING_BITS + found.population_bits:
            if len(closest) == 1:
                return closest, Outcome.CLOSEST
            if self._is_running(closest):
                return closest, Outcome.REPEATED
        return (), Outcome.AMBIGUOUS

    def _label_bits(self, found: Found, place: Place, leaf: Leaf) -> float:
        return self._labels.bits(place, leaf) if len(found.places) <= _MOST_READ_LABELS else 0.0

    def _score(self, place: Place, label: float, claimed: bool) -> float:
        alone = _ALONE_BITS if not place.part and self._layout.fill_cells(place.words) else 0.0
        return label + alone - place.penalty - (_CLAIMED_PENALTY if claimed else 0.0)

    def _is_running(self, places: Sequence[Place]) -> bool:
        """Whether places are one running title: the same spot of different pages."""
        layout = self._layout
        boxes = [layout.words[place.words[0]].box for place in places]
        pages = {layout.page[place.words[0]] for place in places}
        x, y = boxes[0].x0, boxes[0].y0
        return len(pages) == len(places) and all(
            abs(box.x0 - x) <= _SAME_SPOT and abs(box.y0 - y) <= _SAME_SPOT for box in boxes
        )


def _ranked_one(found: Found, label: float) -> Ranked:
    if found.telling:
        return Ranked(found.places, True, Outcome.UNIQUE)
    clear = label >= CLEAR_LABEL_BITS
    return Ranked(found.places, clear, Outcome.LABEL_CONTEXT if clear else Outcome.WEAK)
