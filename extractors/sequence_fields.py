"""Fields outside of tables: what follows a label on its line, or stands under it.

Where both are there, the labels of the page that leave no choice decide for the others; where they do not agree, the
leaf is left unjudged, as it is when two places of the document give it different values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NamedTuple

from extractors.labels import words_of_name
from extractors.sequence_labels import Label
from extractors.sequence_text import TextLine, Token
from extractors.sequence_values import ValueReader, is_unsure, unsure
from extractors.typed import Parsed, checkbox, is_number_like, is_text
from groundtruth.path import Path
from groundtruth.rules import Comparator
from groundtruth.schema import Leaf

_VALUE_GAP: Final = 2.6
"""In mean character widths: a wider gap ends a value."""

_ALIGNED: Final = 2.0
_UNDER: Final = 1.6
"""In heights of the label: how far below it its value may begin."""

_REACH: Final = 8.0
"""In mean character widths from the end of a label: a value below it begins no farther away."""

_CONTINUED: Final = 0.85
_MOST_LINES: Final = 5
_CLEAR: Final = 3.0
"""How many times as many labels nearby must stand beside their values as above them, or the other way round."""

_LONE_TEXT: Final = 0.4
_NO_SIGN: Final = 0.2
_NEARBY: Final = 3.0
"""Lines at which a label counts half as much for another."""

_AS_SURE: Final = 0.05
_LONG_WORDS: Final = frozenset(
    {"address", "description", "remarks", "notes", "comments", "terms", "instructions", "note"}
)
_LEADERS: Final = frozenset("._…·:=;,'")


class Place(Enum):
    """Where a value stands of its label."""

    BESIDE = "beside"
    BELOW = "below"


@dataclass(slots=True)
class FoundFields:
    """Values by leaf, and the leaves whose places are empty."""

    values: dict[Path, Parsed] = field(default_factory=dict)
    blank: list[Path] = field(default_factory=list)


class _Stretch(NamedTuple):
    """Tokens that may be a value: of which line, and which of its tokens."""

    line: int
    start: int
    stop: int


class _Sign(NamedTuple):
    """A label that shows where values stand: on which line, where, and how surely."""

    line: int
    place: Place
    weight: float


class _Seen(NamedTuple):
    """What one label gave: a value, a blank (None), or that it cannot be said."""

    weight: float
    parsed: Parsed | None
    is_judged: bool


def read_fields(
    pages: Sequence[Sequence[TextLine]], labels: Sequence[Sequence[Label]], values: ValueReader
) -> FoundFields:
    """The fields that the labels of the pages name."""
    seen: dict[Path, list[_Seen]] = defaultdict(list)
    for lines, here in zip(pages, labels, strict=True):
        page = _Page(lines, here, values)
        for label in here:
            if label.leaf is not None:
                seen[label.leaf.path].append(page.look(label, label.leaf))
    found = FoundFields()
    for path, places in seen.items():
        _decide(path, places, found)
    return found


def _decide(path: Path, places: Sequence[_Seen], found: FoundFields) -> None:
    surest = max(place.weight for place in places)
    values = [place for place in places if place.parsed is not None and place.is_judged]
    best = [place.parsed for place in values if place.parsed is not None and place.weight >= surest - _AS_SURE]
    if best and len({parsed.key for parsed in best}) == 1:
        found.values[path] = best[0]
    elif not values and all(place.is_judged for place in places):
        found.blank.append(path)


class _Page:
    """The labels of a page and what stands about them."""

    def __init__(self, lines: Sequence[TextLine], labels: Sequence[Label], values: ValueReader) -> None:
        self._lines = lines
        self._values = values
        self._by_line: dict[int, list[Label]] = defaultdict(list)
        for label in labels:
            self._by_line[label.line].append(label)
        self._signs = list(self._signs_of(labels))

    def look(self, label: Label, leaf: Leaf) -> _Seen:
        """What the label gives for its leaf."""
        beside, below = self._beside(label), self._below(label)
        if leaf.comparator is Comparator.BOOLEAN or leaf.enum:
            marked = self._marked(label, leaf, beside)
            if marked is not None:
                return marked
        place = self._place(label, leaf, beside, below)
        if place is None:
            return _Seen(label.weight, None, self._is_blank(label, beside, below))
        stretch = beside if place is Place.BESIDE else below
        parsed = self._read(leaf, label, stretch, place) if stretch is not None else None
        if parsed is None or is_unsure(parsed):
            return _Seen(
                label.weight, None, parsed is None and stretch is not None and self._is_printed_blank(leaf, stretch)
            )
        return _Seen(label.weight, parsed, is_judged=True)

    def _is_printed_blank(self, leaf: Leaf, stretch: _Stretch) -> bool:
        tokens = self._tokens(stretch)
        return all(token.is_sure for token in tokens) and self._values.fits(leaf, tokens)

    def _is_blank(self, label: Label, beside: _Stretch | None, below: _Stretch | None) -> bool:
        """Whether the place of a label's value was found empty: no ink there that could be one, read or unread."""
        if beside is not None or below is not None or not (label.has_colon or self._usual(label) is not None):
            return False
        alone = label.has_colon or (self._next_run(label) is None and self._is_among_labels(label))
        return alone and not self._has_ink_below(label)

    def _is_among_labels(self, label: Label) -> bool:
        """Whether most of what stands on the line of the label are labels, as in a form and not in prose."""
        runs = self._lines[label.line].runs
        starts = {other.start for other in self._by_line[label.line]}
        return 2 * sum(start in starts for start, _ in runs) > len(runs)

    def _next_run(self, label: Label) -> int | None:
        """The first token after the label that belongs to no label; None when there is none."""
        return label.stop if label.stop < self._next_label(label) else None

    def _has_ink_below(self, label: Label) -> bool:
        """Whether something that is no label, nor the value of one, stands close below, up to the next on its line."""
        line = self._lines[label.line]
        height, left = line.y1 - line.y0, line.tokens[label.start].word.x0 - _ALIGNED * line.unit
        next_label = self._next_label(label)
        right = line.tokens[next_label].word.x0 if next_label < len(line.tokens) else float("inf")
        right = min(right, line.tokens[label.stop - 1].word.x1 + _REACH * line.unit)
        for number in range(label.line + 1, len(self._lines)):
            lower = self._lines[number]
            if lower.y0 - line.y1 > _UNDER * height:
                return False
            first = min((other.start for other in self._by_line[number]), default=len(lower.tokens))
            if any(token.word.x1 > left and token.word.x0 < right for token in lower.tokens[:first]):
                return True
        return False

    # Where the value stands.

    def _signs_of(self, labels: Sequence[Label]) -> Iterator[_Sign]:
        """How the labels stand to their values, those that leave no choice.

        A text that stands alone beside or below its label leaves a choice still, since any words are a text: it counts
        for less.
        """
        for label in labels:
            if label.leaf is None or label.leaf.comparator is Comparator.BOOLEAN:
                continue
            beside, below = self._beside(label), self._below(label)
            forced = self._forced(label, label.leaf, beside, below)
            if forced is not None:
                yield _Sign(label.line, forced, 1.0)
            elif (beside is None) != (below is None):
                yield _Sign(label.line, Place.BELOW if beside is None else Place.BESIDE, _LONE_TEXT)

    def _usual(self, label: Label) -> Place | None:
        """How the labels about this one stand to their values, the nearest counting most; None when they differ."""
        counts = {Place.BESIDE: _NO_SIGN, Place.BELOW: _NO_SIGN}
        for sign in self._signs:
            counts[sign.place] += sign.weight / (1 + abs(sign.line - label.line) / _NEARBY)
        for one, other in ((Place.BESIDE, Place.BELOW), (Place.BELOW, Place.BESIDE)):
            if counts[one] >= _CLEAR * counts[other]:
                return one
        return None

    def _forced(self, label: Label, leaf: Leaf, beside: _Stretch | None, below: _Stretch | None) -> Place | None:
        """The only place that can hold the value, by what stands there and by the leaf's type."""
        if beside is not None and (label.has_colon or self._is_led(label, beside)):
            return Place.BESIDE
        if is_text(leaf) and not is_number_like(leaf):
            return None
        fits_beside = beside is not None and self._values.fits(leaf, self._tokens(beside))
        fits_below = below is not None and self._values.fits(leaf, self._tokens(below))
        if fits_beside and (below is None or not fits_below):
            return Place.BESIDE
        if fits_below and (beside is None or not fits_beside):
            return Place.BELOW
        return None

    def _is_led(self, label: Label, beside: _Stretch) -> bool:
        """Whether dots or the like lead from the label to the value."""
        return beside.start > label.stop

    def _place(self, label: Label, leaf: Leaf, beside: _Stretch | None, below: _Stretch | None) -> Place | None:
        forced = self._forced(label, leaf, beside, below)
        if forced is not None or (beside is None and below is None):
            return forced
        usual = self._usual(label)
        if usual is Place.BESIDE and beside is not None:
            return Place.BESIDE
        if usual is Place.BELOW and below is not None:
            return Place.BELOW
        return None

    def _beside(self, label: Label) -> _Stretch | None:
        """The tokens after a label up to a wide gap or the next label; None for none, or when they are a label."""
        line = self._lines[label.line]
        start = label.stop
        end = self._next_label(label)
        while start < end and set(line.tokens[start].word.text) <= _LEADERS:
            start += 1
        if start >= end:
            return None
        stop = start + 1
        while stop < end and line.gaps[stop - 1] <= _VALUE_GAP:
            stop += 1
        if any(token.word.text.endswith(":") for token in line.tokens[start:stop]):
            return None
        return _Stretch(label.line, start, stop)

    def _next_label(self, label: Label) -> int:
        line = self._lines[label.line]
        later = [other.start for other in self._by_line[label.line] if other.start >= label.stop]
        return min(later, default=len(line.tokens))

    def _below(self, label: Label) -> _Stretch | None:
        """The run that begins under the label, close below it; None when there is none, or it is a label."""
        line = self._lines[label.line]
        x0, height = line.tokens[label.start].word.x0, line.y1 - line.y0
        for number in range(label.line + 1, len(self._lines)):
            lower = self._lines[number]
            if lower.y0 - line.y1 > _UNDER * height:
                return None
            for start, stop in self._value_runs(number):
                if abs(lower.tokens[start].word.x0 - x0) <= _ALIGNED * line.unit:
                    return None if self._holds_label(number, start, stop) else _Stretch(number, start, stop)
        return None

    def _value_runs(self, number: int) -> Iterator[tuple[int, int]]:
        line = self._lines[number]
        start = 0
        for stop in range(1, len(line.tokens) + 1):
            if stop == len(line.tokens) or line.gaps[stop - 1] > _VALUE_GAP:
                yield start, stop
                start = stop

    def _holds_label(self, number: int, start: int, stop: int) -> bool:
        labelled = any(start <= label.start < stop for label in self._by_line[number])
        return labelled or any(token.word.text.endswith(":") for token in self._lines[number].tokens[start:stop])

    # What the value is.

    def _tokens(self, stretch: _Stretch) -> tuple[Token, ...]:
        return self._lines[stretch.line].tokens[stretch.start : stretch.stop]

    def _read(self, leaf: Leaf, label: Label, stretch: _Stretch, place: Place) -> Parsed | None:
        tokens = list(self._tokens(stretch))
        if is_text(leaf) and place is Place.BESIDE and self._begins_above(label, stretch):
            return unsure(self._lines[stretch.line].text(stretch.start, stretch.stop))
        if is_text(leaf):
            for more in self._continued(leaf, label, stretch, place):
                tokens += self._tokens(more)
        return self._values.value(leaf, tokens)

    def _begins_above(self, label: Label, stretch: _Stretch) -> bool:
        """Whether the text beside a label goes on from the line above, with no label to it there."""
        line, number = self._lines[stretch.line], stretch.line - 1
        if number < 0 or line.y0 - self._lines[number].y1 > _CONTINUED * (line.y1 - line.y0):
            return False
        x0, label_x0 = line.tokens[stretch.start].word.x0, line.tokens[label.start].word.x0
        return self._aligned(number, x0, label_x0) is not None

    def _continued(self, leaf: Leaf, label: Label, stretch: _Stretch, place: Place) -> Iterator[_Stretch]:
        """The lines on which a text goes on: aligned with it, close below, and nothing at the labels' place."""
        is_long = bool(words_of_name(leaf) & _LONG_WORDS)
        if place is Place.BELOW and not is_long:
            return
        first = self._lines[stretch.line]
        x0 = first.tokens[stretch.start].word.x0
        label_x0 = self._lines[label.line].tokens[label.start].word.x0
        above = first
        for number in range(stretch.line + 1, min(stretch.line + _MOST_LINES, len(self._lines))):
            line = self._lines[number]
            if line.y0 - above.y1 > _CONTINUED * (line.y1 - line.y0):
                return
            more = self._aligned(number, x0, label_x0)
            if more is None:
                return
            yield more
            above = line

    def _aligned(self, number: int, x0: float, label_x0: float) -> _Stretch | None:
        line = self._lines[number]
        slack = 1.2 * line.unit
        for start, stop in self._value_runs(number):
            here = line.tokens[start].word.x0
            if abs(here - x0) <= slack:
                return None if self._holds_label(number, start, stop) else _Stretch(number, start, stop)
            if label_x0 - slack <= here < x0:
                return None
        return None

    def _marked(self, label: Label, leaf: Leaf, beside: _Stretch | None) -> _Seen | None:
        """What boxes to tick say; None when there are none about the label."""
        line = self._lines[label.line]
        if leaf.comparator is Comparator.BOOLEAN and label.start > 0:
            before = line.tokens[label.start - 1]
            if checkbox(before.word.text) is not None:
                return _Seen(label.weight, self._values.value(leaf, [before]), is_judged=True)
        if beside is None:
            return None
        rest = line.tokens[beside.start : self._next_label(label)]
        marks = [index for index, token in enumerate(rest) if checkbox(token.word.text) is not None]
        if not marks:
            return None
        ticked = [option for mark, option in _options(rest, marks) if checkbox(mark.word.text)]
        if len(marks) == 1 and leaf.comparator is Comparator.BOOLEAN:
            return _Seen(label.weight, self._values.value(leaf, [rest[marks[0]]]), is_judged=True)
        if len(ticked) != 1:
            return _Seen(label.weight, None, is_judged=not ticked)
        parsed = self._values.value(leaf, ticked[0])
        return _Seen(label.weight, parsed, is_judged=parsed is not None and not is_unsure(parsed))


def _options(tokens: Sequence[Token], marks: Sequence[int]) -> Iterator[tuple[Token, Sequence[Token]]]:
    """Every mark with the words of its option: after it where the first mark comes first, else before it."""
    if marks[0] == 0:
        for mark, after in zip(marks, [*marks[1:], len(tokens)], strict=True):
            yield tokens[mark], tokens[mark + 1 : after]
    else:
        for mark, before in zip(marks, [-1, *marks[:-1]], strict=True):
            yield tokens[mark], tokens[before + 1 : mark]
