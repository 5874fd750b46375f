"""Where a date is printed, however it is written there."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from groundtruth.locate_fold import pieces
from groundtruth.locate_layout import Layout
from groundtruth.locate_text import PART_PENALTY, Run
from groundtruth.rules import DateOrder
from groundtruth.value_date import DateReading, parse
from groundtruth.value_months import is_filler, month_number
from groundtruth.value_reading import Fault
from groundtruth.value_text import clean

YEARLESS_PENALTY: Final = 3.0
"""The page gives day and month only: less than what settles a choice, so that a date of another field does not win."""
ORDER_PENALTY: Final = 1.0
"""The printed numbers are this date in one order and another date in another."""
CENTURY_PENALTY: Final = 1.0
"""The page gives two digits of the year."""

_DIGIT: Final = re.compile("[0-9]")
_LONGEST: Final = 6
_PIVOT: Final = 2050
_EDGE: Final = ".,;:()[]{}<>\"'“”‘’«»*"
_IN_ONE_WORD: Final = re.compile(r"(?=.*[0-9])(?:.*[-/.].*[-/.]|.*[0-9][-/.][0-9]{4}|.*[年년]|[0-9]{8}$)")
_NAME_AND_DIGIT: Final = re.compile(r"[0-9]\W?([^\W\d_]{3,})|([^\W\d_]{3,})\W?[0-9]")
_DAY_OR_YEAR: Final = re.compile(r"['(]?(?:[0-9]{1,2}|[12][0-9]{3})(?:st|nd|rd|th|er|º|\.)?,?")
_YEARLESS: Final = re.compile(r"([0-9]{1,2})[/-]([0-9]{1,2})")
_NAMED_YEARLESS: Final = re.compile(
    r"(?:(?P<before>[^\W\d_]+)\.?\s)?(?P<day>[0-9]{1,2})(?:st|nd|rd|th|er|º|\.)?(?:\s(?:de\s)?(?P<after>[^\W\d_]+))?"
)
_CLOCK: Final = re.compile(r"[0-9]{1,2}:[0-9]{2}")
_PARTS: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")


class DateIndex:
    """Every date of the pages by its ISO text; an ambiguous one stands under each of its readings.

    Attributes:
        dated: words that are a part of a date of several words; no number is looked for in them.
    """

    def __init__(self, layout: Layout) -> None:
        self.dated: set[int] = set()
        self._layout = layout
        self._runs: dict[str, list[Run]] = defaultdict(list)
        for index in range(len(layout.words)):
            if index not in self.dated:
                self._read_at(index)

    def __len__(self) -> int:
        """How many readings of dates there are."""
        return sum(map(len, self._runs.values()))

    def runs(self, iso: str) -> list[Run]:
        """Every place where the date is printed, in page order; places without the year come with a penalty."""
        found = list(self._runs.get(iso, ()))
        if parts := _PARTS.fullmatch(iso):
            found += self._runs.get(f"--{parts[2]}-{parts[3]}", ())
        return sorted(found)

    def _read_at(self, index: int) -> None:
        text = self._layout.words[index].text
        if not _DIGIT.search(text) and not self._begins_with_name(index):
            return
        for words in self._windows(index):
            printed = self._layout.text(words)
            if found := read(printed):
                self._add(words, found)
                if len(words) > 1:
                    self.dated.update(words)
                return
        self._read_parts(index, text)

    def _begins_with_name(self, index: int) -> bool:
        following = self._layout.words[index + 1].text if index + 1 < len(self._layout.words) else ""
        return following[:1].isdigit() and _is_month(self._layout.words[index].text.strip(_EDGE))

    def _windows(self, index: int) -> Iterator[tuple[int, ...]]:
        """Runs of words that may be one date, the longest first."""
        words = self._layout.words
        end = index + 1
        text = words[index].text
        if _DAY_OR_YEAR.fullmatch(text) or not _DIGIT.search(text):
            while end < len(words) and end - index < _LONGEST and self._may_go_on(end, index):
                end += 1
        elif end < len(words) and _CLOCK.match(words[end].text):
            end += 1 + (end + 1 < len(words) and words[end + 1].text.strip(".").lower() in {"am", "pm", "a.m", "p.m"})
        while end - index > 1:
            yield tuple(range(index, end))
            end -= 1
        if _may_be_date(text) or _YEARLESS.fullmatch(text.strip(_EDGE)):
            yield (index,)

    def _may_go_on(self, index: int, first: int) -> bool:
        text = self._layout.words[index].text
        if self._layout.page[index] != self._layout.page[first]:
            return False
        bare = text.strip(_EDGE)
        if index == first + 1 and bare.isdigit() and self._layout.words[first].text[:1].isdigit():
            return False
        return bool(_DAY_OR_YEAR.fullmatch(text)) or _is_month(bare) or is_filler(bare)

    def _read_parts(self, index: int, text: str) -> None:
        parts = pieces(text)
        if len(parts) < 2:
            return
        for part in parts:
            if _may_be_date(part.text):
                self._add((index,), read(part.text), PART_PENALTY)

    def _add(self, words: tuple[int, ...], found: tuple[tuple[str, float], ...], penalty: float = 0.0) -> None:
        for iso, own in found:
            self._runs[iso].append(Run(words, own + penalty, penalty > 0))


def _is_ambiguous(reading: DateReading | Fault) -> bool:
    return isinstance(reading, DateReading) and reading.ambiguous


@lru_cache(maxsize=1 << 14)
def _is_month(word: str) -> bool:
    return month_number(word) is not None


def _may_be_date(word: str) -> bool:
    """Whether one word can be a date; cheap, because every word is asked."""
    if _IN_ONE_WORD.match(word):
        return True
    name = _NAME_AND_DIGIT.search(word)
    return name is not None and _is_month(name[1] or name[2])


@lru_cache(maxsize=1 << 16)
def read(text: str) -> tuple[tuple[str, float], ...]:
    """Every date that a printed text can be, as ISO text with its penalty; ``--MM-DD`` where the year is missing.

    A single number is none, though it may be a year.
    """
    bare = clean(text).strip(_EDGE)
    if bare.isdigit() and len(bare) != 8:
        return ()
    reading = parse(bare, None, _PIVOT)
    readings = [parse(bare, order, _PIVOT) for order in DateOrder] if _is_ambiguous(reading) else [reading]
    found = {each.text for each in readings if isinstance(each, DateReading) and not each.ambiguous}
    penalty = ORDER_PENALTY if len(found) > 1 else 0.0
    if not any(part.isdigit() and len(part) >= 4 for part in re.findall(r"[0-9]+", bare)):
        penalty += CENTURY_PENALTY
    dates = dict.fromkeys(found, penalty) | dict.fromkeys(_without_year(bare), YEARLESS_PENALTY)
    return tuple(sorted(dates.items()))


def _without_year(text: str) -> Iterator[str]:
    """Every day of the year that a text of day and month can be, as ``--MM-DD``."""
    match = _YEARLESS.fullmatch(text)
    if match:
        pairs = {(int(match[1]), int(match[2])), (int(match[2]), int(match[1]))}
    else:
        match = _NAMED_YEARLESS.fullmatch(text)
        month = month_number(match["before"] or match["after"]) if match else None
        pairs = {(month, int(match["day"]))} if match and month else set()
    yield from (f"--{month:02}-{day:02}" for month, day in pairs if 1 <= month <= 12 and 1 <= day <= 31)
