"""Which printed line a row of a table stands on, found for all rows of the table together.

Every cell votes for the lines where its value is printed, with the more weight the fewer they are. Where the cells of
one row stand on several lines (a card, a wrapped cell, a list that a converter made of a table), the distances between
fields are learnt from the rows whose values are printed once. Rows that stay open are placed between their settled
neighbours, if the settled ones show that the table follows the page.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import inf, log2
from typing import Final, NamedTuple

from groundtruth.locate_find import Found, Place
from groundtruth.path import Path, format_path

LEAD_BITS: Final = 4.0
"""A line is taken for a row's when it is this much more likely than every other line."""
LEAD_BITS_IN_ORDER: Final = 3.0
"""The same for a line between the lines of the rows before and after."""

_PIVOTS: Final = 3
_MOST_PLACES_OF_PIVOT: Final = 64
_FARTHEST: Final = 12
_SHARE_ON_ONE_LINE: Final = 0.8
_SHARE_NEARBY: Final = 0.7
_SHARE_IN_ORDER: Final = 0.95
_LEAST_IN_ORDER: Final = 3
_MOST_WORK: Final = 400_000

Row = Mapping[Path, Found]
"""The cells of a row that were found, by their path in the row."""


class Window(NamedTuple):
    """How many lines below the line of its row (above: negative) a field may stand."""

    low: int = 0
    high: int = 0


class Settled(NamedTuple):
    """A row whose line is known.

    Attributes:
        line: the printed line.
        score: the bits of all cells that stand there.
        in_order: whether the lines of the rows before and after were needed to settle it.
    """

    line: int
    score: float
    in_order: bool = False


class TableLines:
    """The lines of the rows of one table.

    Attributes:
        rows: the rows, in the order of their indices.
        windows: per field, where it stands relative to its row's line.
        settled: per row, its line, or None where the pages leave it open.
    """

    def __init__(self, rows: Sequence[Row], n_lines: int) -> None:
        self.rows = rows
        self.windows = _windows(rows)
        self.settled: list[Settled | None] = [None] * len(rows)
        self._n_lines = n_lines
        for index in range(len(rows)):
            self.settled[index] = self._settle(index, self._hypotheses(rows[index]), taken=frozenset())
        direction = self._direction()
        if direction:
            self._settle_between_neighbours(direction)
        else:
            self._settle_what_is_left()

    def places(self, row: int, field: Path) -> list[Place]:
        """The places of a cell that stand where its row is; none for a row that is not settled."""
        settled = self.settled[row]
        found = self.rows[row].get(field)
        if settled is None or found is None:
            return []
        if self.windows[field] == (0, 0):
            return found.lines.get(settled.line, [])
        return list(dict.fromkeys(self._in_window(found, field, settled.line)))

    def _in_window(self, found: Found, field: Path, line: int) -> Iterator[Place]:
        low, high = self.windows[field]
        for each in range(line + low, line + high + 1):
            yield from found.lines.get(each, ())

    def _score(self, row: Row, line: int) -> float:
        score = 0.0
        for field, found in row.items():
            low, high = self.windows[field]
            if low == high == 0:
                score += found.weight if line in found.lines else 0.0
            elif any(each in found.lines for each in range(line + low, line + high + 1)):
                score += found.weight
        return score

    def _hypotheses(self, row: Row) -> dict[int, float]:
        """Lines where the rarest cells of a row would put it, with their scores."""
        pivots = sorted(row, key=lambda field: (len(row[field].places), format_path(field)))[:_PIVOTS]
        lines: set[int] = set()
        for field in pivots:
            if len(row[field].places) <= _MOST_PLACES_OF_PIVOT:
                lines.update(self._rows_of(row[field].places, field))
        return {line: self._score(row, line) for line in lines}

    def _rows_of(self, places: Iterable[Place], field: Path) -> Iterator[int]:
        low, high = self.windows[field]
        for place in places:
            for distance in range(low, high + 1):
                first = place.last_line if distance < 0 else place.line
                last = place.line if distance > 0 else place.last_line
                yield from range(first - distance, last - distance + 1)

    def _settle(self, index: int, hypotheses: Mapping[int, float], taken: frozenset[int]) -> Settled | None:
        left = {line: score for line, score in hypotheses.items() if line not in taken}
        if not left:
            return None
        best = min(left, key=lambda line: (-left[line], line))
        own = self._lines_of_row(self.rows[index], best)
        rival = max((score for line, score in left.items() if line not in own), default=0.0)
        if left[best] - rival >= LEAD_BITS and left[best] >= log2(self._n_lines) + 1:
            return Settled(best, left[best])
        return None

    def _lines_of_row(self, row: Row, line: int) -> set[int]:
        """The lines that a row at ``line`` covers: another of them is no rival."""
        width = max((high - low for low, high in self.windows.values()), default=0)
        own = set(range(line - width, line + width + 1))
        for field, found in row.items():
            for place in self._in_window(found, field, line):
                if place.last_line > place.line:
                    own.update(range(place.line, place.last_line + 1))
        return own

    def _direction(self) -> int:
        """1 when rows follow the page, -1 when they run against it, 0 when the settled rows do not show it."""
        lines = [settled.line for settled in self.settled if settled]
        pairs = list(pairwise(lines))
        if len(lines) < _LEAST_IN_ORDER:
            return 0
        # One break may be the one before the rows that the vote did not accept, which come last.
        enough = min(_SHARE_IN_ORDER * len(pairs), max(len(pairs) - 1, _LEAST_IN_ORDER))
        if sum(before < after for before, after in pairs) >= enough:
            return 1
        return -1 if sum(before > after for before, after in pairs) >= enough else 0

    def _settle_what_is_left(self) -> None:
        """Rows that become clear when the lines of settled rows are taken."""
        for _ in range(2):
            taken = frozenset(settled.line for settled in self.settled if settled)
            for index, settled in enumerate(self.settled):
                if settled is None:
                    self.settled[index] = self._settle(index, self._hypotheses(self.rows[index]), taken)

    def _settle_between_neighbours(self, direction: int) -> None:
        order = range(len(self.rows)) if direction > 0 else range(len(self.rows) - 1, -1, -1)
        run: list[int] = []
        before = -1
        for index in order:
            settled = self.settled[index]
            if settled is None:
                run.append(index)
                continue
            self._settle_run(run, before, settled.line)
            run, before = [], settled.line
        self._settle_run(run, before, self._n_lines)

    def _settle_run(self, run: Sequence[int], after: int, before: int) -> None:
        """Settle neighbouring rows on the lines between two others, where one placing in order is clearly the best."""
        if not run or before - after < 2:
            return
        scores = [self._scores_between(self.rows[index], after, before) for index in run]
        lines = sorted(set().union(*scores))
        if not lines or len(run) * len(lines) > _MOST_WORK:
            return
        least = log2(before - after - 1) + 1
        for index, best in zip(run, _best_in_order(scores, lines), strict=True):
            if best is None or best.score < least:
                continue
            # Rows that the vote did not accept come last, whatever their place on the page.
            if before < self._n_lines or not self._fits_elsewhere(index, best, after):
                self.settled[index] = best

    def _fits_elsewhere(self, index: int, best: Settled, after: int) -> bool:
        """Whether a row has a line as good as its best one before those that are left for it."""
        elsewhere = self._hypotheses(self.rows[index]).items()
        return any(score >= best.score for line, score in elsewhere if line <= after)

    def _scores_between(self, row: Row, after: int, before: int) -> dict[int, float]:
        candidates: set[int] = set()
        for field, found in row.items():
            low, high = self.windows[field]
            numbers = found.line_numbers
            first, last = bisect_right(numbers, after + low), bisect_left(numbers, before + high)
            if last - first > _MOST_WORK // 100:
                continue
            for line in numbers[first:last]:
                candidates.update(self._rows_of(found.lines[line], field))
        return {line: self._score(row, line) for line in candidates if after < line < before}


def _windows(rows: Sequence[Row]) -> dict[Path, Window]:
    """Per field, its distance from the field whose values are most often printed once."""
    fields = sorted({field for row in rows for field in row}, key=format_path)
    own = _places_of_one_row(rows)
    counts = Counter(field for places in own for field in places)
    reference = min(fields, key=lambda field: (-counts[field], format_path(field)), default=())
    distances: dict[Path, list[int]] = {field: [] for field in fields}
    for places in own:
        for field, place in places.items():
            if field != reference and reference in places:
                distances[field].append(_distance(place, places[reference]))
    low, high = _window([distance for each in distances.values() for distance in each])
    together = Window(min(low, 0), max(high, 0))
    windows = {field: _window(each) if len(each) > 1 else together for field, each in distances.items()}
    return {**windows, reference: Window()} if fields else {}


def _places_of_one_row(rows: Sequence[Row]) -> list[dict[Path, Place]]:
    """Per row, the places of values that are printed once and are this row's alone.

    A value that several rows share and one place prints, such as a heading over them, says nothing about distances.
    """
    telling = [{field: found.places[0] for field, found in row.items() if found.telling} for row in rows]
    users = Counter((field, place) for places in telling for field, place in places.items())
    return [{field: place for field, place in places.items() if users[field, place] == 1} for places in telling]


def _distance(place: Place, reference: Place) -> int:
    """Lines from the reference down to the place; 0 where they share a line."""
    if place.line > reference.last_line:
        return place.line - reference.last_line
    if place.last_line < reference.line:
        return place.last_line - reference.line
    return 0


def _window(distances: Sequence[int]) -> Window:
    near = sorted(distance for distance in distances if abs(distance) <= _FARTHEST)
    if len(near) < max(2, _SHARE_NEARBY * len(distances)) or near.count(0) >= _SHARE_ON_ONE_LINE * len(near):
        return Window()
    # Single outliers, such as a value that is printed elsewhere only, do not widen the window.
    cut = len(near) // 20
    return Window(near[cut], near[-1 - cut])


def _best_in_order(scores: Sequence[Mapping[int, float]], lines: Sequence[int]) -> list[Settled | None]:
    """Place rows on rising lines for the highest total; None for a row that an almost as good placing puts elsewhere.

    A row may stay without a line. Scores are counted in 1/16 bit, so that sums are exact.
    """
    points = [[round(16 * row.get(line, 0.0)) for line in lines] for row in scores]
    forward = _totals(points)
    backward = [total[::-1] for total in _totals([row[::-1] for row in points[::-1]])[::-1]]
    best = forward[-1][-1]
    placed: list[Settled | None] = []
    for index, row in enumerate(points):
        through = [
            forward[index][column] + point + backward[index + 1][column + 1] if point else -inf
            for column, point in enumerate(row)
        ]
        column = max(range(len(lines)), key=lambda column: (through[column], -column))
        rival = max((total for other, total in enumerate(through) if other != column), default=-inf)
        clear = through[column] == best and best - rival >= 16 * LEAD_BITS_IN_ORDER
        placed.append(Settled(lines[column], scores[index][lines[column]], in_order=True) if clear else None)
    return placed


def _totals(points: Sequence[Sequence[int]]) -> list[list[int]]:
    """The best total of the first rows on the first lines, by number of rows and of lines."""
    totals = [[0] * (len(points[0]) + 1)]
    for row in points:
        above = totals[-1]
        current = [0]
        for column, point in enumerate(row):
            current.append(max(current[-1], above[column + 1], above[column] + point))
        totals.append(current)
    return totals
