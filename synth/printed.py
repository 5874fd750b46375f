"""How values are printed in English: the forms that several patterns share."""

from __future__ import annotations

from datetime import date
from typing import Final

from groundtruth.jsontext import Json

_MONTHS: Final = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


def amount(value: Json) -> str:
    """1234.5 as ``1,234.50``; less than zero in brackets, ``(1,234.50)``."""
    return f"({-value:,.2f})" if value < 0 else f"{value:,.2f}"


def whole(value: Json) -> str:
    """1234 as ``1,234``."""
    return f"{value:,}"


def english_date(iso: Json) -> str:
    """2024-06-03 as ``June 3, 2024``."""
    day = date.fromisoformat(str(iso))
    return f"{_MONTHS[day.month - 1]} {day.day}, {day.year:04}"


def us_date(iso: Json) -> str:
    """2024-06-03 as ``06/03/2024``; its field needs ``"date_order": "MDY"`` in the rules."""
    day = date.fromisoformat(str(iso))
    return f"{day.month:02}/{day.day:02}/{day.year:04}"


def short_date(iso: Json) -> str:
    """2024-06-03 as ``03-JUN-2024``."""
    day = date.fromisoformat(str(iso))
    return f"{day.day:02}-{_MONTHS[day.month - 1][:3].upper()}-{day.year:04}"


def clinical_date(iso: Json) -> str:
    """2024-06-03 as ``03JUN2024``; a part that is not known is left out: ``--JUN2024``, ``2024``."""
    year, *rest = str(iso).split("-")
    if not rest:
        return year
    return f"{rest[1] if len(rest) > 1 else '--'}{_MONTHS[int(rest[0]) - 1][:3].upper()}{year}"
