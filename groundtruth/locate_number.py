"""Where a number is printed, however it is grouped, signed or labelled with its currency."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from groundtruth.locate_date import DateIndex
from groundtruth.locate_fold import pieces
from groundtruth.locate_layout import Layout
from groundtruth.locate_text import PART_PENALTY, Run
from groundtruth.value_locale import convention
from groundtruth.value_number import Number, parse
from groundtruth.value_reading import Fault
from groundtruth.value_text import clean

CONVENTION_PENALTY: Final = 4.0
"""1.234 read as 1234 in a document that writes 1,234, or the other way round."""
SIGN_PENALTY: Final = 3.0
"""A number in parentheses read as a positive one: they may be no sign."""
MINUS_PENALTY: Final = 5.0
"""A number with a minus read as a positive one, as of an expense or a discount."""
PERCENT_PENALTY: Final = 2.0
"""5 % read as 0.05."""
YEAR_PENALTY: Final = 2.0
"""The number is the year of a date."""
PADDED_PENALTY: Final = 3.0
"""The number is printed with leading zeros, as identifiers are."""
GROUP_PENALTY: Final = 3.0
"""The word may be a group of digits of a longer number."""

# One locale per way of writing numbers, the commonest first.
_LOCALES: Final = ("en-US", "de-DE", "fr-FR", "de-CH", "en-IN")
_HAS_DIGIT: Final = re.compile(r"\d")
_TRAILING: Final = ".,;:!?*†‡\"'”’"
_LEADING: Final = "\"'“‘"
_PERCENT: Final = re.compile(r"\(?[%٪]?(?P<number>[^%٪]*)[%٪]?\)?")
_COUNTED: Final = re.compile(
    r"(?P<number>[-+]?\d[\d.,']*)(?P<unit>[^\W\d_]{2,12}[²³]?)\.?|[#№@](?P<numbered>\d[\d.,]*)"
)
# What is not a unit: ordinals, and words that multiply.
_NO_UNITS: Final = frozenset({"st", "nd", "rd", "th", "er", "bn", "mn", "mm", "mio", "mrd", "tsd", "tn"})
_PART_OF_DATE_OR_TIME: Final = re.compile("[年月日時时分년월일]")
# A dot or comma before exactly three digits groups them in one country and begins decimals in another.
_TWO_WAYS: Final = re.compile(r"[^.,\d]*[1-9]\d{0,2}[.,]\d{3}(?![.,\d])[^.,\d]*")
_MARK: Final = re.compile(r"[.,](?=\d{1,2}(?!\d))|[.,](?=\d{4})")
_TWICE_GROUPED: Final = re.compile(r"\d([.,])\d{2,3}\1\d{3}")
# So many numbers settle which mark begins decimals, if nine of ten agree.
_CLEARLY: Final = 5
_PADDED: Final = re.compile(r"\D*0\d+\D*")
_GROUP: Final = re.compile(r"\d{3}(?:[.,]\d+)?\D{0,3}")
_GROUP_BEFORE: Final = re.compile(r"\D{0,2}[1-9]\d{0,2}|\d{3}")
_MARKED: Final = re.compile(r"[\s.,'’٫٬]")
_EXPONENT: Final = re.compile(r"\d[eE][-+]?\d")
_DASHES: Final = frozenset("-−–")
_SIGN: Final = _DASHES | frozenset("()")
_CURRENCY: Final = frozenset({"$", "€", "£", "¥", "₪", "US$", "USD", "EUR", "GBP", "CHF"})
_FARTHEST_SIGN: Final = 2


class PrintedNumber(NamedTuple):
    """One way to read a printed text as a number.

    Attributes:
        number: the number.
        penalty: what speaks against reading it so, in bits.
        mark: the decimal mark that this reading supposes where another one gives another number, else "".
        part: whether the text holds more than the number.
    """

    number: Number
    penalty: float = 0.0
    mark: str = ""
    part: bool = False


class _Place(NamedTuple):
    run: Run
    mark: str


class NumberIndex:
    """Every number of the pages by its value."""

    def __init__(self, layout: Layout, dates: DateIndex) -> None:
        self._layout = layout
        self._places: dict[Number, list[_Place]] = defaultdict(list)
        self._marks: Counter[str] = Counter()
        self._count = 0
        grouped = set(self._read_cells())
        for index, word in enumerate(layout.words):
            if _HAS_DIGIT.search(word.text):
                self._read_word(index, word.text, grouped=index in grouped, dated=index in dates.dated)

    def __len__(self) -> int:
        """How many words can be read as a number."""
        return self._count

    def runs(self, number: Number, locale: str) -> list[Run]:
        """Every place where the number is printed, in page order.

        Args:
            number: the number.
            locale: decides on 1.234 and 1,234 in a document that does not show its own convention.
        """
        own = self._own_mark
        marks = own or convention(locale).decimal
        return sorted(
            run if not mark or mark in marks else run._replace(penalty=run.penalty + CONVENTION_PENALTY)
            for run, mark in self._places.get(number, ())
            if not mark or not self._is_settled or mark == own
        )

    @cached_property
    def _own_mark(self) -> str:
        """The mark that begins decimals in this document, or "" when nothing shows it."""
        dots, commas = self._marks["."], self._marks[","]
        return "" if dots == commas else "." if dots > commas else ","

    @cached_property
    def _is_settled(self) -> bool:
        """Whether the document keeps to one mark, so that the other reading of a number is none."""
        return max(self._marks.values(), default=0) >= max(_CLEARLY, 0.9 * self._marks.total())

    def _read_word(self, index: int, text: str, *, grouped: bool, dated: bool) -> None:
        if dated and not (text.strip(_TRAILING).isdigit() and len(text.strip(_TRAILING)) == 4):
            return
        extra = (GROUP_PENALTY if grouped else 0.0) + (YEAR_PENALTY if dated else 0.0)
        readings = read(text)
        self._count += bool(readings)
        for reading in readings:
            self._add((index,), reading._replace(penalty=reading.penalty + extra))
        if readings and (mark := _shown_mark(text)):
            self._marks[mark] += 1

    def _add(self, words: tuple[int, ...], reading: PrintedNumber) -> None:
        self._places[reading.number].append(_Place(Run(words, reading.penalty, reading.part), reading.mark))

    def _read_cells(self) -> Iterator[int]:
        """Add the numbers that are several words, and give the words that are a part of one."""
        for cell in self._layout.cells:
            if len(cell) < 2:
                continue
            texts = [self._layout.words[index].text for index in cell]
            for place, text in enumerate(texts):
                if _HAS_DIGIT.search(text):
                    yield from self._read_signed(cell, texts, place)
                    yield from self._read_groups(cell, place)

    def _read_signed(self, cell: list[int], texts: list[str], place: int) -> Iterator[int]:
        """A number whose sign stands apart, perhaps with the currency between."""
        first, last = place, place + 1
        while (
            first > 0
            and place - first < _FARTHEST_SIGN
            and (texts[first - 1] in _SIGN or texts[first - 1] in _CURRENCY)
        ):
            first -= 1
        while last < len(cell) and last - place <= _FARTHEST_SIGN and texts[last] in _SIGN:
            last += 1
        # A dash between two numbers is no minus.
        if first > 0 and texts[first] in _DASHES and _HAS_DIGIT.search(texts[first - 1]):
            first += 1
        if last < len(cell) and texts[last - 1] in _DASHES:
            last -= 1
        kept = tuple(cell[each] for each in range(first, last) if each == place or texts[each] in _SIGN)
        if len(kept) > 1:
            for reading in read(_in_order(" ".join(texts[first:last]))):
                self._add(kept, reading)
                yield from kept

    def _read_groups(self, cell: list[int], first: int) -> Iterator[int]:
        """A number whose groups are set apart by spaces, and that begins at a place of a cell."""
        text = self._layout.words[cell[first]].text
        if not _GROUP_BEFORE.fullmatch(text) or (len(text) == 3 and first and self._is_group(cell, first)):
            return
        end = first + 1
        while end < len(cell) and self._is_group(cell, end):
            end += 1
        if end - first > 1:
            words = tuple(cell[first:end])
            for reading in read(self._layout.text(words)):
                self._add(words, reading)
                yield from words

    def _is_group(self, cell: list[int], place: int) -> bool:
        before, group = self._layout.words[cell[place - 1]].text, self._layout.words[cell[place]].text
        return bool(_GROUP.fullmatch(group) and _GROUP_BEFORE.fullmatch(before))


@lru_cache(maxsize=1 << 17)
def read(text: str) -> tuple[PrintedNumber, ...]:
    """Every number that a printed text can be; none for a date, a time, a code, or a number inside a longer one.

    The text of one word may hold more: a label before a colon, a unit behind the digits. Such a reading is a part.
    """
    trimmed = text.rstrip(_TRAILING).lstrip(_LEADING)
    if trimmed.startswith(")") and trimmed.endswith("("):
        trimmed = _in_order(trimmed)
    readings = _whole(text) or (trimmed != text and _whole(trimmed)) or _percent(trimmed) or _counted(trimmed)
    if not readings and not _PART_OF_DATE_OR_TIME.search(text):
        parts = pieces(text)
        if len(parts) > 1:
            readings = [_as_part(reading) for part in parts for reading in _whole(part.text) or _percent(part.text)]
    return tuple(dict.fromkeys(readings))


def _in_order(text: str) -> str:
    """The text with its parentheses around it, which right-to-left text layers give in any order."""
    if text.count("(") == text.count(")") == 1:
        return f"({text.replace('(', '').replace(')', '').strip()})"
    return text


def _whole(text: str) -> list[PrintedNumber]:
    if _EXPONENT.search(text):
        # Nobody prints 100000 so; it is a code.
        return []
    readings = [PrintedNumber(number, _padding(text), mark) for number, mark in _by_mark(clean(text))]
    penalty = SIGN_PENALTY if "(" in text else MINUS_PENALTY
    unsigned = [reading._replace(number=-reading.number, penalty=penalty) for reading in readings if reading.number < 0]
    return readings + unsigned


def _by_mark(text: str) -> Iterator[tuple[Number, str]]:
    two_ways = _TWO_WAYS.fullmatch(text) is not None
    found: set[Number] = set()
    for locale in _LOCALES:
        number = parse(text, locale, currency=True)
        if isinstance(number, Fault) or number in found:
            if not _MARKED.search(text):
                # Locales differ in their marks alone.
                return
            continue
        found.add(number)
        yield number, convention(locale).decimal if two_ways else ""
        if not two_ways:
            return


def _shown_mark(text: str) -> str:
    """The mark that must begin decimals where a number is printed so, or "" where either may."""
    if match := _TWICE_GROUPED.search(text):
        return "." if match[1] == "," else ","
    match = _MARK.search(text)
    return match[0] if match else ""


def _padding(text: str) -> float:
    return PADDED_PENALTY if _PADDED.fullmatch(text) else 0.0


def _percent(text: str) -> list[PrintedNumber]:
    if "%" not in text and "٪" not in text:
        return []
    match = _PERCENT.fullmatch(text)
    if match is None:
        return []
    inner = f"({match['number']})" if text.startswith("(") and text.endswith(")") else match["number"]
    whole = _whole(inner.strip())
    hundredths = [
        reading._replace(number=_hundredth(reading.number), penalty=reading.penalty + PERCENT_PENALTY)
        for reading in whole
    ]
    return whole + hundredths


def _hundredth(number: Number) -> Number:
    return Decimal(number).scaleb(-2)


def _counted(text: str) -> list[PrintedNumber]:
    match = _COUNTED.fullmatch(text)
    if match is None or (match["unit"] or "").lower() in _NO_UNITS:
        return []
    return [_as_part(reading) for reading in _whole(match["number"] or match["numbered"])]


def _as_part(reading: PrintedNumber) -> PrintedNumber:
    return reading._replace(penalty=reading.penalty + PART_PENALTY, part=True)
