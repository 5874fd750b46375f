"""Which of its places a cell of a table has, once the lines of the rows are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Final, NamedTuple

from groundtruth.locate_find import Found, Place
from groundtruth.locate_label import LabelReader
from groundtruth.locate_layout import Layout
from groundtruth.locate_rank import Outcome, Ranked
from groundtruth.locate_rows import LEAD_BITS, Settled, TableLines
from groundtruth.locate_text import PART_PENALTY
from groundtruth.path import Path
from groundtruth.schema import Leaf

# The other cells of a row must say this much, in bits, for a cell to be taken from its line.
_LEAST_SUPPORT: Final = 3.0
# A footnote mark in parentheses is a 1 too, but says less than this.
_LEAST_BITS: Final = 2.0
# So many rows must show where a field stands, one over the other.
_LEAST_IN_COLUMN: Final = 2
# In shorter tables nothing is made of how many rows have a field printed.
_LEAST_ROWS: Final = 3
# A field that this share of the rows has in their lines is not looked for in headings.
_SHARE_IN_ROWS: Final = 0.6
# A field of which less than this share is printed is not copied from the page.
_SHARE_PRINTED: Final = 0.5
# What stands in two fields of a row and in one place of its line is left open when it says less than this.
_BITS_OF_SHARED: Final = 10.0


class _Column(NamedTuple):
    """Where a field stands along the lines of its table, learnt from the rows in which it stands once.

    Attributes:
        start: where the column begins.
        end: where it ends.
        is_known: whether enough rows show it.
    """

    start: float = 0.0
    end: float = 0.0
    is_known: bool = False

    @classmethod
    def of(cls, places: Sequence[Place]) -> _Column:
        """The stretch that most of the places share, without single outliers."""
        if len(places) < _LEAST_IN_COLUMN:
            return cls()
        middle_start, middle_end = median(place.start for place in places), median(place.end for place in places)
        core = [place for place in places if place.start < middle_end and middle_start < place.end]
        if len(core) < _LEAST_IN_COLUMN:
            return cls()
        starts, ends = sorted(place.start for place in core), sorted(place.end for place in core)
        cut = len(core) // 20
        return cls(starts[cut], ends[-1 - cut], True)

    def may_hold(self, place: Place) -> bool:
        """Whether nothing that is known of the column speaks against a place."""
        return not self.is_known or self.fits(place)

    def fits(self, place: Place) -> bool:
        """Whether at least half of a place lies in the column, or half of the column in the place."""
        if self.start <= place.start and place.end <= self.end:
            return True
        common = min(self.end, place.end) - max(self.start, place.start)
        return common >= 0.5 * min(place.end - place.start, self.end - self.start)


class _Field(NamedTuple):
    """What all rows of a table show of one field.

    Attributes:
        column: where it stands.
        in_rows: the places that stand at their rows, of rows in which the field stands once.
        is_in_rows: whether the field usually stands where its row is.
        is_printed: whether its values are usually printed at all.
        users: how many rows have a value that is printed once, at that place.
    """

    column: _Column
    in_rows: frozenset[Place]
    is_in_rows: bool
    is_printed: bool
    users: Counter[Place]

    @classmethod
    def of(cls, lines: TableLines, name: Path) -> _Field:
        """Learn a field from the settled rows of its table."""
        cells = [row[name] for row in lines.rows if name in row]
        settled = [row for row, cells in enumerate(lines.rows) if lines.settled[row] and name in cells]
        here = [lines.places(row, name) for row in settled]
        single = [places[0] for places in here if len(places) == 1]
        printed = sum(bool(found.places) for found in cells)
        return cls(
            _Column.of(single),
            frozenset(single),
            sum(map(bool, here)) >= _SHARE_IN_ROWS * len(settled),
            len(cells) < _LEAST_ROWS or printed >= _SHARE_PRINTED * len(cells),
            Counter(found.places[0] for found in cells if len(found.places) == 1),
        )


class CellRanker:
    """Weighs the places of the cells of tables against one another."""

    def __init__(self, layout: Layout, labels: LabelReader) -> None:
        self._layout = layout
        self._labels = labels

    def rank(self, lines: TableLines, leaves: Mapping[Path, Leaf]) -> list[dict[Path, Ranked]]:
        """Rank the places of all cells of a table.

        Args:
            lines: the rows, and the lines they were found to stand on.
            leaves: the leaf of every field, by its path in the row.
        """
        fields = {name: _Field.of(lines, name) for name in lines.windows}
        ranked: list[dict[Path, Ranked]] = []
        for row, cells in enumerate(lines.rows):
            settled = lines.settled[row]
            if settled is None:
                ranked.append({name: _outside_rows(found) for name, found in cells.items()})
                continue
            here = {
                name: self._narrowed(lines.places(row, name), fields[name].column, leaves[name], settled.line)
                for name in cells
            }
            result = {name: self._rank_cell(found, here, settled, fields, name) for name, found in cells.items()}
            ranked.append(_without_shared(cells, result))
        return ranked

    def _rank_cell(
        self,
        found: Found,
        here_by_field: Mapping[Path, Sequence[Place]],
        settled: Settled,
        fields: Mapping[Path, _Field],
        name: Path,
    ) -> Ranked:
        """Rank the places of a cell, given for all fields the places that stand at its row and fit their columns."""
        if not found.places:
            return Ranked((), False, Outcome.NOT_FOUND)
        field, here = fields[name], here_by_field[name]
        if not field.is_printed:
            # Where the value of such a field stands on the page all the same, it is something else's.
            return Ranked(_nearest_first(found.places, settled.line), False, Outcome.WEAK)
        if not here:
            return self._off_row(found, field, settled.line)
        if len(here) == 1 and found.telling:
            return Ranked(tuple(here), True, Outcome.UNIQUE)
        if len(here) == 1 and _is_supported(settled, found, here[0], field):
            # A place in another field's column is that field's, unless its value stands elsewhere in the row.
            rivals = (fields[other].column for other, places in here_by_field.items() if other != name and not places)
            if field.column.may_hold(here[0]) or not any(rival.is_known and rival.fits(here[0]) for rival in rivals):
                return Ranked(tuple(here), True, Outcome.ROW_CONTEXT)
        rest = [place for place in _nearest_first(found.places, settled.line) if place not in here]
        return Ranked((*here, *rest), False, Outcome.WEAK if len(found.places) == 1 else Outcome.AMBIGUOUS)

    def _off_row(self, found: Found, field: _Field, line: int) -> Ranked:
        """Rank a cell with no place at its row: a value given once for several rows, or another value altogether."""
        if len(found.places) > 1:
            return Ranked(_nearest_first(found.places, line), False, Outcome.AMBIGUOUS)
        place = found.places[0]
        is_common = field.users[place] > 1
        if found.telling and (is_common or not field.is_in_rows) and place not in field.in_rows:
            return Ranked(found.places, True, Outcome.UNIQUE)
        is_heading = place.last_line < line and self._layout.fill_cells(place.words)
        if is_heading and is_common and not field.is_in_rows:
            return Ranked(found.places, True, Outcome.HEADING)
        return Ranked(found.places, False, Outcome.OFF_ROW)

    def _narrowed(self, here: Sequence[Place], column: _Column, leaf: Leaf, line: int) -> Sequence[Place]:
        """Of the places at a row, those that are the field's by its column or the heading of that."""
        if len(here) < 2:
            return here
        fitting = [place for place in here if column.is_known and column.fits(place)] or here
        least = min(place.penalty for place in fitting)
        closest = [place for place in fitting if place.penalty < least + LEAD_BITS]
        if len(closest) > 1 and not column.is_known:
            for heading in self._labels.headings(leaf, line)[:1]:
                under = [place for place in closest if place.start < heading.end and heading.start < place.end]
                closest = under or closest
        return closest


def _outside_rows(found: Found) -> Ranked:
    """Rank a cell whose row has no line: labels of columns say nothing about rows, so one place or none."""
    if found.telling:
        return Ranked(found.places, True, Outcome.UNIQUE)
    if not found.places:
        return Ranked((), False, Outcome.NOT_FOUND)
    return Ranked(found.places, False, Outcome.WEAK if len(found.places) == 1 else Outcome.AMBIGUOUS)


def _is_supported(settled: Settled, found: Found, place: Place, field: _Field) -> bool:
    """Whether more than the cell itself says that its row is here, and the cell is read without stretching it."""
    stretched = place.penalty - (PART_PENALTY if place.part else 0.0)
    if stretched > 0 and found.bits - stretched < _LEAST_BITS:
        return False
    return (settled.in_order and field.column.is_known) or settled.score - found.weight >= _LEAST_SUPPORT


def _nearest_first(places: Sequence[Place], line: int) -> tuple[Place, ...]:
    return tuple(sorted(places, key=lambda place: (abs(place.line - line), place.line, place.start)))


def _without_shared(row: Mapping[Path, Found], ranked: dict[Path, Ranked]) -> dict[Path, Ranked]:
    """Take back certainty where two fields of a row claim one place for a value that says little."""
    claims = Counter(cell.places[0].words for cell in ranked.values() if cell.certain and not cell.places[0].part)
    for name, cell in ranked.items():
        if cell.certain and claims[cell.places[0].words] > 1 and row[name].bits < _BITS_OF_SHARED:
            ranked[name] = cell._replace(certain=False, outcome=Outcome.SHARED)
    return ranked
