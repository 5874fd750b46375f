"""What is printed around the widgets of a form: the label of a field, of an option, and the heading over it.

Words chain to runs: each word follows the nearest one at its left, unless a widget or a gap parts them. A run is the
label of the widget that is nearest to it; that a run stands near a widget means nothing when another is nearer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple

from extractors.acroform_fields import FieldKind, FormField, Widget
from extractors.words import PageText, Word, join

_WORD_GAP: Final = 1.6
"""Words of one run are at most so many character widths apart."""
_LINE_GAP: Final = 0.7
"""Lines of one label are at most so many line heights apart."""
_FARTHEST_ABOVE: Final = 1.6
"""In line heights."""
_FARTHEST_LEFT: Final = 0.35
"""Share of the page's width."""
_FARTHEST_OPTION: Final = 0.06
"""Share of the page's width between a box and what it stands for."""
_UNUSUAL: Final = 4.0
"""A label on the side where the labels of a page do not stand is so many times nearer than to the next widget."""
_SLACK: Final = 2.0
"""Points by which a label may reach into the rectangle of its widget."""


class Side(IntEnum):
    """Where a label stands, the usual places first."""

    BESIDE = 0
    ABOVE = 1
    BELOW = 2


class Extent(NamedTuple):
    """A rectangle on a page in points of the page as displayed, from its top left corner."""

    x0: float
    y0: float
    x1: float
    y1: float

    def around(self, other: Extent) -> Extent:
        """The rectangle that holds both."""
        return Extent(min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1))


class Run(NamedTuple):
    """Words that are printed as one."""

    words: tuple[Word, ...]
    place: Extent

    @property
    def text(self) -> str:
        """The words in reading order."""
        return join(self.words)


class _Claim(NamedTuple):
    distance: float
    side: Side
    widget: int
    """Index on the page."""
    run: int


@dataclass(frozen=True, slots=True)
class Labels:
    """What may be the label of a widget, by where it stands, nearest first."""

    found: Mapping[Side, tuple[str, ...]]

    def texts(self, *sides: Side) -> tuple[str, ...]:
        """The labels at some sides."""
        return tuple(text for side in sides for text in self.found.get(side, ()))


class PrintedPage:
    """The print on one page around its widgets."""

    def __init__(self, page: PageText, fields: Iterable[FormField]) -> None:
        self.number, self.width, self.height = page.number, page.width, page.height
        on_page = [(field, widget) for field in fields for widget in field.widgets if widget.page == page.number]
        self._widgets = [widget for _, widget in on_page]
        self._at = {id(widget): index for index, widget in enumerate(self._widgets)}
        self._is_box = [field.kind in {FieldKind.CHECK, FieldKind.OPTIONS} for field, _ in on_page]
        self._places = [self._extent(widget) for widget in self._widgets]
        self._inside: list[list[Word]] = [[] for _ in self._widgets]
        free = [word for word in page.words if not self._take(word)]
        self.runs = _runs(free, self._places)
        self._labels = self._settled()

    def inside(self, widget: Widget) -> list[Word]:
        """The words that are shown in a widget, its value included, in reading order."""
        return self._inside[self._at[id(widget)]]

    def labels(self, widget: Widget) -> Labels:
        """The labels of a widget; of a box or radio button what it stands for is beside it."""
        return self._labels[self._at[id(widget)]]

    def around(self, widgets: Sequence[Widget]) -> Labels:
        """The labels of several widgets on this page taken as one: the question that they answer."""
        place = self._extent(widgets[0])
        for widget in widgets[1:]:
            place = place.around(self._extent(widget))
        taken = {text for widget in widgets for text in self.labels(widget).texts(Side.BESIDE)}
        others = [other for other, widget in zip(self._places, self._widgets, strict=True) if widget not in widgets]
        found: dict[Side, tuple[str, ...]] = {}
        for side, choose in ((Side.BESIDE, self._left), (Side.ABOVE, self._above)):
            near = sorted(
                (distance, index)
                for index, run in enumerate(self.runs)
                if run.text not in taken and (distance := choose(place, run.place, others)) is not None
            )
            found[side] = tuple(text for _, index in near[:1] for text in self._with_lines_before(index))
        return Labels(found)

    def extent(self, widget: Widget) -> Extent:
        """Where a widget stands."""
        return self._places[self._at[id(widget)]]

    def _extent(self, widget: Widget) -> Extent:
        box = widget.box
        return Extent(box.x0 * self.width, box.y0 * self.height, box.x1 * self.width, box.y1 * self.height)

    def _take(self, word: Word) -> bool:
        x, y = (word.box.x0 + word.box.x1) / 2, (word.box.y0 + word.box.y1) / 2
        for index, widget in enumerate(self._widgets):
            if widget.box.contains_point(x, y):
                self._inside[index].append(word)
                return True
        return False

    def _settled(self) -> list[Labels]:
        """The labels of every widget, each run given to the widget that it is nearest to."""
        claims = list(self._claims())
        beside = {claim.run for claim in claims if claim.side is Side.BESIDE}
        unusual = _unusual_side(claims, beside)
        owner: dict[int, _Claim] = {}
        for claim in sorted(claims, key=lambda claim: (_far(claim, unusual), claim)):
            if claim.side is not Side.BELOW or claim.run not in beside:
                owner.setdefault(claim.run, claim)
        found: list[dict[Side, tuple[str, ...]]] = [{} for _ in self._widgets]
        for run, claim in sorted(owner.items(), key=lambda item: item[1]):
            at_side = found[claim.widget].setdefault(claim.side, ())
            if not at_side:
                found[claim.widget][claim.side] = tuple(self._with_lines_before(run))
        return [Labels(sides) for sides in found]

    def _claims(self) -> Iterator[_Claim]:
        for number, place in enumerate(self._places):
            others = self._places[:number] + self._places[number + 1 :]
            for index, run in enumerate(self.runs):
                if self._is_box[number]:
                    distance = self._option(place, run.place, others)
                    if distance is not None:
                        yield _Claim(distance, Side.BESIDE, number, index)
                    # The question over the first of several options is no label of a field above it.
                    over = self._above(place, run.place, others)
                    if over is not None:
                        yield _Claim(over, Side.ABOVE, number, index)
                    continue
                for side, choose in ((Side.BESIDE, self._left), (Side.ABOVE, self._above), (Side.BELOW, self._below)):
                    distance = choose(place, run.place, others)
                    if distance is not None:
                        yield _Claim(distance, side, number, index)

    def _left(self, place: Extent, run: Extent, others: Sequence[Extent]) -> float | None:
        distance = place.x0 - run.x1
        if not -_SLACK <= distance <= _FARTHEST_LEFT * self.width or not _on_a_line(place, run):
            return None
        gap = Extent(run.x1, max(place.y0, run.y0), place.x0, min(place.y1, run.y1))
        return None if any(_overlap(gap, other) for other in others) else max(0.0, distance)

    def _above(self, place: Extent, run: Extent, others: Sequence[Extent]) -> float | None:
        distance = place.y0 - run.y1
        if not -_SLACK <= distance <= _FARTHEST_ABOVE * (run.y1 - run.y0) or not _share_x(place, run):
            return None
        gap = Extent(max(place.x0, run.x0), run.y1, min(place.x1, run.x1), place.y0)
        return None if any(_overlap(gap, other) for other in others) else max(0.0, distance)

    def _below(self, place: Extent, run: Extent, others: Sequence[Extent]) -> float | None:
        distance = run.y0 - place.y1
        if not -_SLACK <= distance <= run.y1 - run.y0 or not _share_x(place, run):
            return None
        gap = Extent(max(place.x0, run.x0), place.y1, min(place.x1, run.x1), run.y0)
        return None if any(_overlap(gap, other) for other in others) else max(0.0, distance)

    def _option(self, place: Extent, run: Extent, others: Sequence[Extent]) -> float | None:
        if not _on_a_line(place, run):
            return None
        right, left = run.x0 - place.x1, place.x0 - run.x1
        distance = right if right >= -_SLACK else left
        if not -_SLACK <= distance <= _FARTHEST_OPTION * self.width:
            return None
        gap = Extent(min(run.x1, place.x1), place.y0, max(run.x0, place.x0), place.y1)
        return None if any(_overlap(gap, other) for other in others) else max(0.0, distance)

    def _with_lines_before(self, index: int) -> Iterator[str]:
        """The run, and the run with the line over it, which may be the beginning of the label."""
        run = self.runs[index]
        yield run.text
        height = run.place.y1 - run.place.y0
        for other in self.runs:
            gap = run.place.y0 - other.place.y1
            aligned = abs(other.place.x0 - run.place.x0) < height / 2
            if -_SLACK <= gap <= _LINE_GAP * height and aligned and other is not run:
                yield join((*other.words, *run.words))


def _unusual_side(claims: Iterable[_Claim], beside: Collection[int]) -> Side:
    """Whether labels stand over or under the widgets of a page: the side on which fewer have one, or farther ones."""
    nearest: dict[Side, dict[int, float]] = {Side.ABOVE: {}, Side.BELOW: {}}
    for claim in claims:
        if claim.side is not Side.BESIDE and claim.run not in beside:
            distances = nearest[claim.side]
            distances[claim.widget] = min(claim.distance, distances.get(claim.widget, claim.distance))
    above, below = nearest[Side.ABOVE], nearest[Side.BELOW]
    if len(above) != len(below):
        return Side.ABOVE if len(above) < len(below) else Side.BELOW
    return Side.ABOVE if sum(below.values()) < sum(above.values()) else Side.BELOW


def _far(claim: _Claim, unusual: Side) -> float:
    return (claim.distance + 1) * (_UNUSUAL if claim.side is unusual else 1.0)


def _on_a_line(place: Extent, run: Extent) -> bool:
    common = min(place.y1, run.y1) - max(place.y0, run.y0)
    return common >= min(run.y1 - run.y0, place.y1 - place.y0) / 2


def _share_x(place: Extent, run: Extent) -> bool:
    return min(place.x1, run.x1) - max(place.x0, run.x0) > 0


def _overlap(gap: Extent, other: Extent) -> bool:
    return (
        min(gap.x1, other.x1) - max(gap.x0, other.x0) > _SLACK / 2
        and min(gap.y1, other.y1) - max(gap.y0, other.y0) > _SLACK / 2
    )


def _runs(words: Sequence[Word], walls: Sequence[Extent]) -> list[Run]:
    """The runs of a page from the top; a widget between two words parts them."""
    following: dict[int, int] = {}
    by_height = sorted(range(len(words)), key=lambda index: (words[index].y0 + words[index].y1, words[index].x0))
    middles = [(words[index].y0 + words[index].y1) / 2 for index in by_height]
    for at, index in enumerate(by_height):
        nearest = _next(words, index, by_height, middles, at)
        if nearest is not None and not _parted(words[index], words[nearest], walls):
            following[index] = nearest
    followers = set(following.values())
    starts = [index for index in by_height if index not in followers]
    return [_run(words, start, following) for start in starts]


def _next(words: Sequence[Word], index: int, by_height: Sequence[int], middles: Sequence[float], at: int) -> int | None:
    """The nearest word at the right of a word, on its line and within the gap of a run."""
    word = words[index]
    reach = (word.y1 - word.y0) / 2
    best: tuple[float, int] | None = None
    for step in (-1, 1):
        place = at + step
        while 0 <= place < len(by_height) and abs(middles[place] - middles[at]) <= reach:
            other = words[by_height[place]]
            gap = other.x0 - word.x1
            unit = (word.x1 - word.x0 + other.x1 - other.x0) / (len(word.text) + len(other.text))
            if -unit / 2 <= gap <= _WORD_GAP * unit and other.x0 > word.x0 and (best is None or gap < best[0]):
                best = gap, by_height[place]
            place += step
    return None if best is None else best[1]


def _parted(word: Word, other: Word, walls: Sequence[Extent]) -> bool:
    gap = Extent(word.x1, max(word.y0, other.y0), other.x0, min(word.y1, other.y1))
    return any(_overlap(gap, wall) for wall in walls)


def _run(words: Sequence[Word], start: int, following: Mapping[int, int]) -> Run:
    chain = [start]
    while chain[-1] in following and following[chain[-1]] not in chain:
        chain.append(following[chain[-1]])
    found = tuple(words[index] for index in chain)
    place = Extent(
        min(word.x0 for word in found),
        min(word.y0 for word in found),
        max(word.x1 for word in found),
        max(word.y1 for word in found),
    )
    return Run(found, place)
