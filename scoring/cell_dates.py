"""Dates of the metric ``value-f1``: a text that is one of eight written forms of a day becomes its ISO form.

The forms and their reading are those of ExtractBench, but for two faults: years of two digits stand for fixed years,
not for years around today, and a time of day that is there is kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Final

_SHORTEST: Final = 4
_LONGEST: Final = 50
_FIRST_YEAR: Final = 1900
_LAST_YEAR: Final = 2100
_LAST_MONTH: Final = 12
PIVOT: Final = 69
"""Years of two digits below it are in the 21st century, the others in the 20th."""

_NAMES: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTHS: Final[Mapping[str, int]] = {
    **{name: number for number, name in enumerate(_NAMES, start=1)},
    **{name[:3]: number for number, name in enumerate(_NAMES, start=1)},
    "sept": 9,
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))

_COMMA = re.compile(r"\s*,\s*")
_DIGIT = re.compile(r"\d")
_MAY_BEGIN_A_DATE = re.compile(rf"\s*(?:,\s*)?(?:\d|(?:on|at)\s|mon|tue|wed|thu|fri|sat|sun|{_MONTH})", re.IGNORECASE)
_LONG_DIGITS = re.compile(r"\d{10}")
_DATE = re.compile(
    rf"""
    (?:(?:on|at)\s+)?
    (?:
      (?P<iso_year>\d{{4}})(?:
          -(?P<iso_month>\d{{1,2}})-(?P<iso_day>\d{{1,2}}) | /(?P<slash_month>\d{{2}})/(?P<slash_day>\d{{2}}))
      | (?P<first>\d{{1,2}})(?P<sign>[-/])(?P<second>\d{{1,2}})(?P=sign)(?P<year>\d{{4}}|\d{{2}})
      | (?:(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?[.,]?\ +(?P<dotted>{_MONTH})\.?
          | (?P<month>{_MONTH}))\ +(?P<day>\d{{1,2}}),?\s*(?P<named_year>\d{{4}})
      | (?P<day_first>\d{{1,2}})\ +(?P<later_month>{_MONTH})\ +(?P<last_year>\d{{4}})
    )
    (?:
      [T\s,]+(?:at\s+)?
      (?P<hour>\d{{1,2}}):(?P<minute>\d{{2}})(?::(?P<clock>\d{{2}})(?:\.(?P<fraction>\d{{1,9}}))?)?
      \s*(?P<half>[ap]\.?m\.?)?\s*(?P<zone>Z|UTC|GMT|[+-]\d{{2}}:?\d{{2}})?
    )?
    [\s.,]*
    """,
    re.VERBOSE | re.IGNORECASE,
)


def canonical_date(text: str) -> str:
    """The ISO date, or date and time, of a text that is one; any other text as it is.

    A date of digits is month first where both orders are dates. A time at midnight says nothing; one with an offset is
    its moment in UTC. Days outside the years 1900 to 2100 stay as they are written.
    """
    if not _SHORTEST <= len(text) <= _LONGEST or not _MAY_BEGIN_A_DATE.match(text) or not _DIGIT.search(text):
        return text
    if text.isdecimal() or _is_iso_day(text) or _LONG_DIGITS.search(text):
        return text
    match = _DATE.fullmatch(_COMMA.sub(", ", text.strip()))
    if match is None:
        return text
    try:
        return _iso(match) or text
    except (ValueError, OverflowError):
        return text


def _is_iso_day(text: str) -> bool:
    """Whether a text is a day in its ISO form already."""
    if len(text) != len("2024-01-31") or not text.isascii() or text[4] != "-" or text[7] != "-":
        return False
    try:
        return _FIRST_YEAR <= date.fromisoformat(text).year <= _LAST_YEAR
    except ValueError:
        return False


def _iso(match: re.Match[str]) -> str | None:
    """The ISO form of a match, None for a year that is out of range.

    Raises:
        ValueError: no such day or time.
    """
    day = _day(match)
    if not _FIRST_YEAR <= day.year <= _LAST_YEAR:
        return None
    if match["hour"] is None:
        return day.isoformat()
    moment = datetime.combine(day, _clock(match))
    if moment.time() == time.min:
        return day.isoformat()
    if match["zone"]:
        moment = moment.replace(tzinfo=_zone(match["zone"])).astimezone(UTC)
    return moment.isoformat()


def _day(match: re.Match[str]) -> date:
    if match["iso_year"]:
        month, day = match["iso_month"] or match["slash_month"], match["iso_day"] or match["slash_day"]
        return date(int(match["iso_year"]), int(month), int(day))
    if match["first"]:
        year = int(match["year"])
        if len(match["year"]) == 2:
            year += 1900 if year >= PIVOT else 2000
        first, second = int(match["first"]), int(match["second"])
        return date(year, second, first) if first > _LAST_MONTH else date(year, first, second)
    if match["day"]:
        return date(int(match["named_year"]), _MONTHS[(match["dotted"] or match["month"]).lower()], int(match["day"]))
    return date(int(match["last_year"]), _MONTHS[match["later_month"].lower()], int(match["day_first"]))


def _clock(match: re.Match[str]) -> time:
    hour = int(match["hour"])
    if match["half"]:
        if not 1 <= hour <= 12:
            raise ValueError(hour)
        hour = hour % 12 + (12 if match["half"][0] in "pP" else 0)
    micro = int((match["fraction"] or "0").ljust(6, "0")[:6])
    return time(hour, int(match["minute"]), int(match["clock"] or 0), micro)


def _zone(text: str) -> timezone:
    if text[0] not in "+-":
        return UTC
    sign = -1 if text[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(text[1:3]), minutes=int(text[-2:])))
