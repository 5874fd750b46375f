"""Dates and timestamps of the metric ``verdicts``: fifteen written forms of a day, and ISO timestamps.

A date of digits between slashes or hyphens is month first where both orders are dates, one between dots is day first.
Years of two digits stand for 1969 to 2068. Month names are English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Final

_LONGEST: Final = 34
_PIVOT: Final = 69
_NAMES: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_FULL: Final[Mapping[str, int]] = {name: number for number, name in enumerate(_NAMES, start=1)}
_SHORT: Final[Mapping[str, int]] = {name[:3]: number for name, number in _FULL.items()}

MONTH_NAMES: Final = (*_FULL, *_SHORT)
"""The words that a date may hold."""

_SEPARATED = re.compile(r"(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})")
_MONTH_FIRST = re.compile(r"([a-z]+)\s+(\d{1,2})(?:,\s+|\s+)(\d{4})", re.IGNORECASE)
_DAY_FIRST = re.compile(r"(\d{1,2})\s+([a-z]+)\s+(\d{4})", re.IGNORECASE)
_COMPACT = re.compile(r"(\d{1,2})(-?)([a-z]{3})\2(\d{4})", re.IGNORECASE)
_TIMESTAMP = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*(Z|[+-]\d{2}:?\d{2})?",
    re.IGNORECASE,
)


def date_key(text: str) -> str | None:
    """The key of a text that is a date or a timestamp as a whole, or None.

    A timestamp at midnight, as written, is its date. One with an offset is its moment in UTC, and differs from one
    without an offset.
    """
    if len(text) > _LONGEST or not any(map(str.isdecimal, text)):
        return None
    day = _day(text)
    if day is not None:
        return f"date {day.isoformat()}"
    match = _TIMESTAMP.fullmatch(text)
    return _moment(match) if match else None


def _day(text: str) -> date | None:
    if match := _SEPARATED.fullmatch(text):
        first, separator, middle, last = match.groups()
        return _separated(first, separator, middle, last)
    if match := _MONTH_FIRST.fullmatch(text):
        name, day, year = match.groups()
        return _made(year, _FULL.get(name.lower()) or _SHORT.get(name.lower()), day)
    if match := _DAY_FIRST.fullmatch(text):
        day, name, year = match.groups()
        return _made(year, _FULL.get(name.lower()), day)
    if match := _COMPACT.fullmatch(text):
        day, _, name, year = match.groups()
        return _made(year, _SHORT.get(name.lower()), day)
    return None


def _separated(first: str, separator: str, middle: str, last: str) -> date | None:
    """A date of three numbers; which is which, the separator and the lengths say."""
    if len(first) == 4:
        return _made(first, int(middle), last) if separator in "-/" else None
    if len(first) > 2 or len(last) not in {2, 4}:
        return None
    if len(last) == 2:
        year = int(last) + (1900 if int(last) >= _PIVOT else 2000)
        return _made(str(year), int(first), middle) if separator == "/" else None
    month_first, day_first = _made(last, int(first), middle), _made(last, int(middle), first)
    if separator == "-":
        return month_first
    return (month_first or day_first) if separator == "/" else (day_first or month_first)


def _made(year: str, month: int | None, day: str) -> date | None:
    if month is None:
        return None
    try:
        return date(int(year), month, int(day))
    except ValueError:
        return None


def _moment(match: re.Match[str]) -> str | None:
    year, month, day, hour, minute, second, fraction, offset = match.groups()
    micro = int((fraction or "0").ljust(6, "0")[:6])
    try:
        # Without an offset no zone is meant, so the moment stays naive.
        clock = time(int(hour), int(minute), int(second or 0), micro)
        moment = datetime.combine(date(int(year), int(month), int(day)), clock)
        if (moment.hour, moment.minute, moment.second, moment.microsecond) == (0, 0, 0, 0):
            return f"date {moment.date().isoformat()}"
        if offset is None:
            return f"time {moment.isoformat()}"
        return f"time {moment.replace(tzinfo=_zone(offset)).astimezone(UTC).isoformat()}"
    except (ValueError, OverflowError):
        return None


def _zone(offset: str) -> timezone:
    if offset in {"Z", "z"}:
        return UTC
    sign = -1 if offset[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(offset[1:3]), minutes=int(offset[-2:])))
