"""Dates as people write them, to ISO text; nothing is filled in from today, nothing is guessed.

Parts that are not written stay out: 2025-03 and 2025 are dates too; a day without a year is none. An all-numeric date
that two orders of its parts can read, as two different days, is ambiguous unless an order is declared.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable
from typing import Final, NamedTuple

from groundtruth.rules import DateOrder
from groundtruth.value_months import is_filler, is_weekday, month_number
from groundtruth.value_reading import Fault
from groundtruth.value_text import ascii_digits


class DateReading(NamedTuple):
    """One date.

    Attributes:
        text: ISO text, or the text as it was given when it is ambiguous.
        ambiguous: whether several days fit.
        midnight: whether a time of 00:00 was dropped.
    """

    text: str
    ambiguous: bool = False
    midnight: bool = False


class _Time(NamedTuple):
    """A time of day as ISO text after the ``T``; empty for midnight."""

    text: str


_LONGEST: Final = 80
_ISO: Final = re.compile(r"(\d{4})-(\d{2})-(\d{2})", re.ASCII)
_SEPARATOR: Final = r"(?:\s?[-/.]\s?|\s)"
_NUMERIC: Final = re.compile(rf"(\d{{1,4}})({_SEPARATOR})(\d{{1,2}})\2(\d{{1,4}})\.?", re.ASCII)
_YEAR_MONTH: Final = re.compile(rf"(\d{{4}}){_SEPARATOR}(\d{{1,2}})", re.ASCII)
_MONTH_YEAR: Final = re.compile(rf"(\d{{1,2}}){_SEPARATOR}(\d{{4}})", re.ASCII)
_MONTH_DAY: Final = re.compile(rf"\d{{1,2}}{_SEPARATOR}\d{{1,2}}", re.ASCII)
_COMPACT: Final = re.compile(r"((?:19|20)\d{2})(\d{2})(\d{2})", re.ASCII)
_IDEOGRAPHIC: Final = re.compile(r"(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월](?:\s?(\d{1,2})\s?[日일])?", re.ASCII)
_LEADING_WORD: Final = re.compile(r"([^\W\d_]+)[.,]?\s+(?=\d)")
_NAMED: Final = re.compile(r"(?:[^\W_]|[\s,./'()-])+")
_TOKEN: Final = re.compile(r"\d+|[^\W\d_]+")
_TIME: Final = re.compile(
    r"(?:T|,?\s(?:at\s)?)(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d+))?)?"
    r"(?:\s?(?P<half>[ap])\.?m\.?)?(?:\s?(?P<zone>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?))?$",
    re.ASCII | re.IGNORECASE,
)
_DASHES: Final = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))


def parse(text: str, order: DateOrder | None, pivot: int | None) -> DateReading | Fault:
    """Read one date from cleaned text.

    Args:
        text: cleaned text that holds a date and nothing else: ISO 8601 (also with ``/`` or ``.``, or compact), a named
            month (English, German, French, Spanish, Italian, Portuguese, Dutch), numbers only, a year and a month, or
            a year; a weekday before it is not checked; a time may follow.
        order: how all-numeric dates are to be read; they are invalid when they do not fit it. A four-digit year in
            front is always followed by month and day.
        pivot: the last year of the century in which two-digit years lie; without it they are invalid.
    """
    if match := _ISO.fullmatch(text):
        date = _day(*match.groups())
        return DateReading(date) if date else Fault.NOT_IN_CALENDAR
    if len(text) > _LONGEST:
        return Fault.NOT_A_DATE
    body, time = _split_time(ascii_digits(text.translate(_DASHES)))
    if isinstance(time, Fault):
        return time
    if match := _IDEOGRAPHIC.fullmatch(body):
        body = "-".join(part for part in match.groups() if part)
    found = _parse_numeric(body, order, pivot) or _parse_named(body, order, pivot)
    if isinstance(found, Fault):
        return found
    if len(found) > 1:
        return DateReading(text, ambiguous=True)
    return _with_time(found[0], time)


def _with_time(date: str, time: _Time | None) -> DateReading | Fault:
    if time is None:
        return DateReading(date)
    if not _ISO.fullmatch(date):
        return Fault.NOT_A_DATE
    return DateReading(f"{date}T{time.text}") if time.text else DateReading(date, midnight=True)


def _parse_numeric(body: str, order: DateOrder | None, pivot: int | None) -> list[str] | Fault | None:
    """Every date that the numbers can be; None when the text is not all numbers."""
    if match := _COMPACT.fullmatch(body):
        return _dates([_day(*match.groups())])
    if match := _YEAR_MONTH.fullmatch(body):
        return _dates([_month(match[1], match[2])])
    if match := _MONTH_YEAR.fullmatch(body):
        return _dates([_month(match[2], match[1])])
    if _MONTH_DAY.fullmatch(body):
        return Fault.NO_YEAR
    if re.fullmatch(r"\d{4}", body):
        return _dates([body if body != "0000" else None])
    word = _LEADING_WORD.match(body)
    numbers = body[word.end() :] if word and is_weekday(word[1]) else body
    match = _NUMERIC.fullmatch(numbers)
    return _in_order(match[1], match[3], match[4], order, pivot) if match else None


def _in_order(first: str, second: str, third: str, order: DateOrder | None, pivot: int | None) -> list[str] | Fault:
    if len(first) == 4:
        orders = [DateOrder.YMD]
    elif len(third) == 4:
        orders = [DateOrder.DMY, DateOrder.MDY]
    elif len(first) <= 2 and len(third) <= 2:
        orders = [DateOrder.DMY, DateOrder.MDY, DateOrder.YMD]
    else:
        return Fault.NOT_A_DATE
    if order is not None and len(first) != 4:
        if order not in orders:
            return Fault.NOT_IN_DATE_ORDER
        orders = [order]
    parts = {
        DateOrder.DMY: (third, second, first),
        DateOrder.MDY: (third, first, second),
        DateOrder.YMD: (first, second, third),
    }
    readings = [(_year(parts[each][0], pivot), *parts[each][1:]) for each in orders]
    if all(isinstance(year, Fault) for year, _, _ in readings):
        return Fault.NOT_A_DATE if pivot else Fault.TWO_DIGIT_YEAR
    return _dates(_day(year, month, day) for year, month, day in readings if not isinstance(year, Fault))


def _parse_named(body: str, order: DateOrder | None, pivot: int | None) -> list[str] | Fault:
    """Every date that a text with the name of a month can be."""
    if not _NAMED.fullmatch(body):
        return Fault.NOT_A_DATE
    tokens = [token for token in _TOKEN.findall(body) if not is_filler(token)]
    # mar. is Tuesday as well as March: it is the weekday where a month follows.
    while tokens and is_weekday(tokens[0]) and any(map(month_number, tokens[1:])):
        tokens = tokens[1:]
    numbers = [token for token in tokens if token.isdigit()]
    months = [str(number) for number in map(month_number, tokens) if number]
    if len(months) != 1 or len(numbers) + 1 != len(tokens):
        return Fault.NOT_A_DATE
    if len(numbers) == 1:
        return _named_month(numbers[0], months[0], pivot)
    if len(numbers) != 2 or not tokens[-1].isdigit():
        return Fault.NOT_A_DATE
    # 25-Mar-04 is the 25th everywhere but where the year is declared to come first.
    year_first = tokens[0].isdigit() and (len(numbers[0]) == 4 or (order is DateOrder.YMD and len(numbers[1]) == 2))
    written, day = numbers if year_first else reversed(numbers)
    return _named_day(written, months[0], day, pivot)


def _named_day(written: str, month: str, day: str, pivot: int | None) -> list[str] | Fault:
    year = _year(written, pivot)
    return year if isinstance(year, Fault) else _dates([_day(year, month, day)])


def _named_month(number: str, month: str, pivot: int | None) -> list[str] | Fault:
    if len(number) == 1:
        return Fault.NO_YEAR
    year = _year(number, pivot)
    if isinstance(year, Fault):
        return year
    if len(number) == 2 and _day(year, month, number):
        # A day without a year, or a year without a day: nobody can say.
        return [f"{year}-{month}", f"--{month}-{number}"]
    return _dates([_month(year, month)])


def _year(written: str, pivot: int | None) -> str | Fault:
    if len(written) == 4:
        return written
    if len(written) != 2:
        return Fault.NOT_A_DATE
    if pivot is None:
        return Fault.TWO_DIGIT_YEAR
    return f"{pivot - (pivot - int(written)) % 100:04}"


def _day(year: str, month: str, day: str) -> str | None:
    """ISO text, or None for a day that no calendar has."""
    if len(day) > 2 or not (1 <= int(month) <= 12) or int(year) < 1:
        return None
    if not 1 <= int(day) <= monthrange(int(year), int(month))[1]:
        return None
    return f"{year}-{int(month):02}-{int(day):02}"


def _month(year: str, month: str) -> str | None:
    return f"{year}-{int(month):02}" if 1 <= int(month) <= 12 and int(year) >= 1 else None


def _dates(found: Iterable[str | None]) -> list[str] | Fault:
    dates = list(dict.fromkeys(date for date in found if date is not None))
    return dates or Fault.NOT_IN_CALENDAR


def _split_time(text: str) -> tuple[str, _Time | Fault | None]:
    """The date before the time, and the time, if there is one."""
    match = _TIME.search(text)
    return (text[: match.start()], _time(match)) if match else (text, None)


def _time(match: re.Match[str]) -> _Time | Fault:
    hour, minute, second = (int(match[part] or 0) for part in ("hour", "minute", "second"))
    if match["half"]:
        if not 1 <= hour <= 12:
            return Fault.NOT_A_DATE
        hour = hour % 12 + (12 if match["half"].lower() == "p" else 0)
    zone = _zone(match["zone"] or "")
    if hour > 23 or minute > 59 or second > 59 or zone is None:
        return Fault.NOT_A_DATE
    fraction = (match["fraction"] or "").rstrip("0")
    if not (hour or minute or second or fraction):
        return _Time("")
    return _Time(f"{hour:02}:{minute:02}:{second:02}{'.' + fraction if fraction else ''}{zone}")


def _zone(written: str) -> str | None:
    if written.upper() in {"Z", "UTC", "GMT"}:
        return "Z"
    digits = written[1:].replace(":", "").ljust(4, "0") if written else ""
    if digits and (int(digits[:2]) > 23 or int(digits[2:]) > 59):
        return None
    if digits == "0000":
        return "Z"
    return f"{written[0]}{digits[:2]}:{digits[2:]}" if written else ""
