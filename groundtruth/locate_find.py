"""From a sought value to every place where it is printed, before anything is said about which place is meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import cached_property
from math import log2
from typing import Final, NamedTuple

from groundtruth.jsontext import Json
from groundtruth.locate_date import DateIndex
from groundtruth.locate_fold import fold
from groundtruth.locate_layout import Layout
from groundtruth.locate_number import NumberIndex
from groundtruth.locate_text import Run, TextIndex
from groundtruth.path import Path
from groundtruth.rules import Comparator
from groundtruth.schema import Leaf
from groundtruth.value_date import DateReading
from groundtruth.value_date import parse as parse_date
from groundtruth.value_number import Number, exact
from groundtruth.value_number import parse as parse_number
from groundtruth.value_reading import Fault
from groundtruth.value_text import clean

CONVERTED_PENALTY: Final = 2.0
"""A text that is a date or a number, printed in another form."""

TELLING_BITS: Final = 3.0
"""A single place is taken for the one that is meant when chance would bring 1/8 of one, or less."""

_BITS_PER_LETTER: Final = 3.0
_BITS_PER_DIGIT: Final = 3.3
_BITS_PER_ZERO: Final = 0.7
_BITS_PER_IDEOGRAPH: Final = 8.0
_BITS_OF_DATE: Final = 14.0
# A member of an enumeration, or a year, often stands on a page for another reason.
_SHARE_OF_CHOICE: Final = 0.5
_BITS_OF_YEAR: Final = 8.0
_MOST_BITS: Final = 40.0
_FIRST_IDEOGRAPH: Final = "\u2e80"
_YEAR: Final = re.compile(r"[12][0-9]{3}")
_ISO_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2})?(?:T[0-9:.Z+-]*)?")
_NUMBER_TEXT: Final = re.compile(r"[^\w\s]{0,3}[0-9][0-9.,' ]*[^\w\s]{0,2}")


class Sought(NamedTuple):
    """A value to be found on the pages.

    Attributes:
        path: instance path of the leaf.
        leaf: the leaf.
        value: the value in the schema's JSON type; None is not sought.
        forms: the distinct raw readings of the value, any of which may be what is printed.
    """

    path: Path
    leaf: Leaf
    value: Json
    forms: tuple[Json, ...] = ()


class Place(NamedTuple):
    """One place where a value is printed.

    Attributes:
        words: indices of its words in the order in which they are read.
        line: the first of its printed lines.
        last_line: the last of them.
        start: where it begins along its lines, in the unit of the page.
        end: where it ends along its lines.
        penalty: what speaks against these words being the value, in bits.
        part: whether the first or last word holds more than the value.
    """

    words: tuple[int, ...]
    line: int
    last_line: int
    start: float
    end: float
    penalty: float
    part: bool


class Found:
    """Every place of one value.

    Attributes:
        places: in page order.
        bits: how much it says that the value is found at all; what occurs by chance says little.
        population_bits: how many words might have been the value, as a binary logarithm.
        telling: whether there is one place only, and words that spell such a value by chance are not to be expected.
    """

    def __init__(self, places: tuple[Place, ...], bits: float, population: int, n_lines: int) -> None:
        """Keep the places; of ``population`` words any might have been one, and the document has ``n_lines`` lines."""
        self.places = places
        self.bits = bits
        self.population_bits = log2(population + 1)
        self.telling = len(places) == 1 and bits - places[0].penalty >= self.population_bits + TELLING_BITS
        self._n_lines = n_lines

    @cached_property
    def lines(self) -> dict[int, list[Place]]:
        """The places by every printed line they touch."""
        lines: dict[int, list[Place]] = {}
        for place in self.places:
            for line in range(place.line, place.last_line + 1):
                lines.setdefault(line, []).append(place)
        return lines

    @cached_property
    def line_numbers(self) -> list[int]:
        """The printed lines it touches, rising."""
        return sorted(self.lines)

    @cached_property
    def weight(self) -> float:
        """How much it says about a line that the value stands on it, in bits; above 0."""
        if not self.places:
            return 0.0
        rarity = log2(self._n_lines / len(self.lines)) + (TELLING_BITS if self.telling else 0.0)
        return max(0.1, min(self.bits - min(place.penalty for place in self.places), rarity))


class _Unasked:
    """Stands for an answer that nobody asked for yet."""


_UNASKED: Final = _Unasked()


class Finder:
    """Looks values up in the words of a document; what was looked up once is kept, shared by all leaves that ask."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._text = TextIndex(layout)
        self._dates = DateIndex(layout)
        self._numbers = NumberIndex(layout, self._dates)
        self._kept: dict[tuple[object, ...], Found] = {}
        self._answers: dict[tuple[object, ...], Found | None] = {}

    def find(self, sought: Sought) -> Found | None:
        """Every place of the value, or None for one that has no printed form (a bare true, an object)."""
        key = (sought.leaf.path, type(sought.value), sought.value, *filter(_is_string, sought.forms))
        try:
            found = self._answers.get(key, _UNASKED)
        except TypeError:
            # An object or a list, which no dictionary takes.
            return self._look_up(sought)
        if isinstance(found, _Unasked):
            found = self._answers[key] = self._look_up(sought)
        return found

    def _look_up(self, sought: Sought) -> Found | None:
        match sought.leaf.comparator:
            case Comparator.OPAQUE | Comparator.LIST:
                return None
            case Comparator.DATE:
                return self._date(sought)
            case Comparator.BOOLEAN:
                return self._texts(_strings(sought.forms), sought.leaf, _SHARE_OF_CHOICE)
            case Comparator.ENUM if isinstance(sought.value, str):
                return self._texts(_strings([sought.value, *sought.forms]), sought.leaf, _SHARE_OF_CHOICE)
        number = _number(sought.value)
        if number is not None:
            return self._number(number, sought.leaf)
        texts = _strings([sought.value, *sought.forms])
        found = self._texts(texts, sought.leaf)
        if found is not None and not found.places and sought.leaf.comparator is not Comparator.IDENTIFIER:
            return self._converted(texts, sought.leaf) or found
        return found

    def _texts(self, texts: tuple[str, ...], leaf: Leaf, share: float = 1.0) -> Found | None:
        caseless = leaf.comparator in {Comparator.CASE_INSENSITIVE, Comparator.ENUM, Comparator.BOOLEAN}
        if not texts:
            return None
        key = ("text", caseless, share, *texts)
        if key not in self._kept:
            runs = [run for text in texts for run in self._text.runs(text, caseless=caseless)]
            bits = min(map(_text_bits, texts)) * share
            self._kept[key] = self._found(runs, bits, len(self._text))
        return self._kept[key]

    def _number(self, number: Number, leaf: Leaf, penalty: float = 0.0) -> Found:
        key = ("number", number, leaf.rule.locale, penalty)
        if key not in self._kept:
            runs = self._numbers.runs(number, leaf.rule.locale)
            self._kept[key] = self._found(_worse(runs, penalty), _number_bits(number), len(self._numbers))
        return self._kept[key]

    def _date(self, sought: Sought) -> Found | None:
        texts = _strings([sought.value, *sought.forms])
        if not texts:
            return None
        if _YEAR.fullmatch(texts[0]):
            return self._number(int(texts[0]), sought.leaf)
        return self._iso_date(texts[0], texts)

    def _iso_date(self, iso: str, texts: tuple[str, ...], penalty: float = 0.0) -> Found:
        key = ("date", penalty, iso, *texts)
        if key not in self._kept:
            runs = self._dates.runs(iso)
            # The date without its time is a place too when nothing prints both.
            runs = runs or _worse(self._dates.runs(iso.partition("T")[0]), CONVERTED_PENALTY)
            runs = runs or [run for text in texts for run in self._text.runs(text, caseless=True)]
            self._kept[key] = self._found(_worse(runs, penalty), _BITS_OF_DATE, len(self._dates))
        return self._kept[key]

    def _converted(self, texts: tuple[str, ...], leaf: Leaf) -> Found | None:
        """A text leaf may hold a date in ISO form, or a number without its grouping."""
        for text in texts:
            if _ISO_DATE.fullmatch(text):
                reading = parse_date(text, None, None)
                if isinstance(reading, DateReading):
                    return self._iso_date(reading.text, (), CONVERTED_PENALTY)
            elif _NUMBER_TEXT.fullmatch(text):
                number = parse_number(clean(text), leaf.rule.locale, currency=True)
                if not isinstance(number, Fault):
                    return self._number(number, leaf, CONVERTED_PENALTY)
        return None

    def _found(self, runs: Iterable[Run], bits: float, population: int) -> Found:
        best: dict[tuple[int, ...], Run] = {}
        for run in runs:
            known = best.get(run.words)
            if known is None or run.penalty < known.penalty:
                best[run.words] = run
        places = tuple(sorted(map(self._place, best.values()), key=_page_order))
        return Found(places, bits, population, len(self.layout.lines))

    def _place(self, run: Run) -> Place:
        words = run.words
        first = words[0]
        span = self.layout.span[first]
        line = self.layout.line[first]
        if len(words) == 1:
            return Place(words, line, line, span.start, span.end, run.penalty, run.part)
        lines = [self.layout.line[word] for word in words]
        spans = [self.layout.span[word] for word in words]
        start, end = min(span.start for span in spans), max(span.end for span in spans)
        return Place(words, min(lines), max(lines), start, end, run.penalty, run.part)


def _page_order(place: Place) -> tuple[int, float, tuple[int, ...]]:
    return (place.line, place.start, place.words)


def _worse(runs: Iterable[Run], penalty: float) -> list[Run]:
    return [run._replace(penalty=run.penalty + penalty) for run in runs]


def _is_string(value: Json) -> bool:
    return isinstance(value, str)


def _strings(values: Iterable[Json]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if isinstance(value, str) and fold(value)))


def _number(value: Json) -> Number | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        return None
    number = exact(Decimal(repr(value)) if isinstance(value, float) else value)
    return None if isinstance(number, Fault) else number


def _text_bits(text: str) -> float:
    folded = fold(text)
    digits = sum(map(str.isdigit, folded))
    ideographs = 0 if folded.isascii() else sum(char >= _FIRST_IDEOGRAPH for char in folded)
    letters = len(folded) - digits - ideographs
    return min(_MOST_BITS, letters * _BITS_PER_LETTER + digits * _BITS_PER_DIGIT + ideographs * _BITS_PER_IDEOGRAPH)


def _number_bits(number: Number) -> float:
    digits = format(abs(Decimal(number)), "f").replace(".", "").lstrip("0")
    significant = digits.rstrip("0")
    bits = len(significant) * _BITS_PER_DIGIT + (len(digits) - len(significant)) * _BITS_PER_ZERO
    is_year = isinstance(number, int) and 1900 <= number <= 2100
    return min(_BITS_OF_YEAR if is_year else _MOST_BITS, max(bits, 1.0))
