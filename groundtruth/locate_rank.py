"""Which of its places a value has, and whether that is sure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from statistics import median
from typing import Final, NamedTuple

from groundtruth.locate_find import TELLING_BITS, Found, Place
from groundtruth.locate_label import LabelReader
from groundtruth.locate_layout import Layout
from groundtruth.locate_rows import LEAD_BITS, TableLines
from groundtruth.path import Path
from groundtruth.schema import Leaf

CLEAR_LABEL_BITS: Final = 5.0
"""From here on a label is taken to name the field."""
FULL_LABEL_BITS: Final = 7.0
"""From here on a label names the field and nothing else."""

_ALONE_BITS: Final = 2.0
_CLAIMED_PENALTY: Final = 3.0
_LEAST_SUPPORT: Final = 3.0
_MOST_READ_LABELS: Final = 100
_LEAST_IN_COLUMN: Final = 3
_SHARE_OF_FIELD_IN_ROWS: Final = 0.6
_SAME_SPOT: Final = 0.01
# What stands in two fields of a row and in one place of its line is left open when it says less than this.
_BITS_OF_SHARED: Final = 10.0


class Outcome(StrEnum):
    """How a value was found, or why it was not."""

    UNIQUE = "unique"
    """Printed once, and not by chance."""
    CLOSEST = "closest"
    """Printed just so once; the other places print something like it."""
    LABEL_CONTEXT = "label_context"
    """The label of one place names the field."""
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
    """Weighs the places of values against one another."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._labels = LabelReader(layout)

    def single(self, found: Found, leaf: Leaf, claimed: Collection[tuple[int, ...]] = ()) -> Ranked:
        """Rank the places of a value that stands in no row.

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
        best = ranked[0]
        rare = found.bits - best.penalty >= TELLING_BITS + found.population_bits
        if len(ranked) == 1:
            if found.telling:
                return Ranked(ranked, True, Outcome.UNIQUE)
            clear = labels[best] >= CLEAR_LABEL_BITS
            return Ranked(ranked, clear, Outcome.LABEL_CONTEXT if clear else Outcome.WEAK)
        top = tuple(place for place in ranked if scores[best] - scores[place] < LEAD_BITS)
        if len(top) == 1 and labels[best] >= CLEAR_LABEL_BITS:
            return Ranked(top, True, Outcome.LABEL_CONTEXT)
        if len(top) == 1 and rare:
            return Ranked(top, True, Outcome.CLOSEST)
        if all(labels[place] >= FULL_LABEL_BITS for place in top) or (rare and self._is_running(top)):
            return Ranked(top, True, Outcome.REPEATED)
        return Ranked(ranked, False, Outcome.AMBIGUOUS)

    def _label_bits(self, found: Found, place: Place, leaf: Leaf) -> float:
        return self._labels.bits(place, leaf) if len(found.places) <= _MOST_READ_LABELS else 0.0

    def _score(self, place: Place, label: float, claimed: bool) -> float:
        alone = _ALONE_BITS if self._is_alone(place) else 0.0
        return label + alone - place.penalty - (_CLAIMED_PENALTY if claimed else 0.0)

    def _is_alone(self, place: Place) -> bool:
        """Whether the place fills its cells."""
        layout = self._layout
        cells = {layout.cell[word] for word in place.words}
        spoken = {word for cell in cells for word in layout.cells[cell] if layout.is_spoken(word)}
        return not place.part and spoken <= set(place.words)

    def _is_running(self, places: Sequence[Place]) -> bool:
        """Whether places are one running title: the same spot of different pages."""
        layout = self._layout
        boxes = [layout.words[place.words[0]].box for place in places]
        pages = {layout.page[place.words[0]] for place in places}
        x, y = boxes[0].x0, boxes[0].y0
        return len(pages) == len(places) and all(
            abs(box.x0 - x) <= _SAME_SPOT and abs(box.y0 - y) <= _SAME_SPOT for box in boxes
        )

    def table(self, lines: TableLines, leaves: Mapping[Path, Leaf]) -> list[dict[Path, Ranked]]:
        """Rank the places of all cells of a table whose rows have been given their lines.

        Args:
            lines: the rows and their lines.
            leaves: the leaf of every field, by its path in the row.
        """
        columns = {field: self._column(lines, field) for field in lines.windows}
        return [
            _without_shared(
                lines.rows[row],
                {field: self._cell(lines, row, field, columns[field], leaves[field]) for field in lines.rows[row]},
            )
            for row in range(len(lines.rows))
        ]

    def _cell(self, lines: TableLines, row: int, field: Path, column: _Column, leaf: Leaf) -> Ranked:
        found = lines.rows[row][field]
        settled = lines.settled[row]
        if settled is None or not found.places:
            return _outside_rows(found)
        here = lines.places(row, field)
        if not here:
            if found.telling and column.share_in_rows < _SHARE_OF_FIELD_IN_ROWS:
                return Ranked(found.places, True, Outcome.UNIQUE)
            outcome = Outcome.OFF_ROW if len(found.places) == 1 else Outcome.AMBIGUOUS
            return Ranked(_nearest_first(found.places, settled.line), False, outcome)
        best = self._in_row(here, column, leaf, settled.line)
        supported = settled.score - found.weight >= _LEAST_SUPPORT
        if len(best) == 1 and found.telling and best[0] == found.places[0]:
            return Ranked(tuple(best), True, Outcome.UNIQUE)
        if len(best) == 1 and supported and column.fits(best[0]):
            return Ranked(tuple(best), True, Outcome.ROW_CONTEXT)
        rest = [place for place in _nearest_first(found.places, settled.line) if place not in best]
        outcome = Outcome.WEAK if len(found.places) == 1 else Outcome.AMBIGUOUS
        return Ranked((*best, *rest), False, outcome)

    def _in_row(self, here: Sequence[Place], column: _Column, leaf: Leaf, line: int) -> list[Place]:
        """Of the places in a row, those that fit the field's column best."""
        fitting = [place for place in here if column.fits(place)]
        if len(fitting) <= 1:
            return fitting or list(here)
        least = min(place.penalty for place in fitting)
        closest = [place for place in fitting if place.penalty < least + LEAD_BITS]
        if len(closest) == 1 or column.samples >= _LEAST_IN_COLUMN:
            return closest
        for _, start, end in self._labels.heading(leaf, line)[:1]:
            under = [place for place in closest if place.start < end and start < place.end]
            if under:
                return under
        return closest

    def _column(self, lines: TableLines, field: Path) -> _Column:
        present = [row for row in range(len(lines.rows)) if lines.settled[row] and field in lines.rows[row]]
        places = [lines.places(row, field) for row in present]
        single = [here[0] for here in places if len(here) == 1]
        share = sum(map(bool, places)) / len(present) if present else 0.0
        return _Column.of(single, share)


class _Column(NamedTuple):
    """Where a field stands along the lines of its table, learnt from rows in which it stands once."""

    start: float
    end: float
    samples: int
    share_in_rows: float

    @classmethod
    def of(cls, places: Sequence[Place], share_in_rows: float) -> _Column:
        """The stretch that most of the places share, without single outliers."""
        if len(places) < _LEAST_IN_COLUMN:
            return cls(0.0, 0.0, len(places), share_in_rows)
        middle_start, middle_end = median(place.start for place in places), median(place.end for place in places)
        core = [place for place in places if place.start < middle_end and middle_start < place.end]
        starts, ends = sorted(place.start for place in core), sorted(place.end for place in core)
        cut = len(core) // 20
        return cls(starts[cut], ends[-1 - cut], len(core), share_in_rows)

    def fits(self, place: Place) -> bool:
        """Whether at least half of a place lies in the column; every place does while the column is not known."""
        if self.samples < _LEAST_IN_COLUMN:
            return True
        common = min(self.end, place.end) - max(self.start, place.start)
        return common >= 0.5 * min(place.end - place.start, self.end - self.start)


def _outside_rows(found: Found) -> Ranked:
    """Rank a cell whose row has no line: labels of columns say nothing about rows, so one place or none."""
    if found.telling:
        return Ranked(found.places, True, Outcome.UNIQUE)
    if not found.places:
        return Ranked((), False, Outcome.NOT_FOUND)
    return Ranked(found.places, False, Outcome.WEAK if len(found.places) == 1 else Outcome.AMBIGUOUS)


def _nearest_first(places: Sequence[Place], line: int) -> tuple[Place, ...]:
    return tuple(sorted(places, key=lambda place: (abs(place.line - line), place.line, place.start)))


def _without_shared(row: Mapping[Path, Found], ranked: dict[Path, Ranked]) -> dict[Path, Ranked]:
    """Take back certainty where two fields of a row claim one place for a value that says little."""
    claims = Counter(
        ranked_cell.places[0].words
        for ranked_cell in ranked.values()
        if ranked_cell.certain and not ranked_cell.places[0].part
    )
    if not claims or max(claims.values()) < 2:
        return ranked
    return {
        field: cell._replace(certain=False, outcome=Outcome.AMBIGUOUS)
        if cell.certain and claims[cell.places[0].words] > 1 and row[field].bits < _BITS_OF_SHARED
        else cell
        for field, cell in ranked.items()
    }
