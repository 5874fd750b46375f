"""How a document writes its numbers and dates, as far as the document itself shows it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from groundtruth.rules import DateOrder

_DECIMAL_POINT = re.compile(r"(?<![\d.,])\d{1,3}(,\d{2,3})*\.\d{1,2}(?![\d.,])")
_DECIMAL_COMMA = re.compile(r"(?<![\d.,])\d{1,3}([. ]\d{3})*,\d{1,2}(?![\d.,])")
# Two digits of a year only after slashes: sort codes and telephone numbers are written like the rest.
_NUMERIC_DATE = re.compile(r"(?<![\d/.-])(\d{1,2})([/.-])(\d{1,2})\2((?:19|20)\d{2}|(?<=/)\d{2})(?![\d/.-]*\d)")
_LAST_MONTH: Final = 12


@dataclass(frozen=True, slots=True)
class Conventions:
    """What the document shows.

    Attributes:
        decimal_comma: whether its amounts are written like 1.234,50, and none like 1,234.50.
        date_order: the only order in which all of its numeric dates are dates; None when several are, or none.
    """

    decimal_comma: bool = False
    date_order: DateOrder | None = None


def observe(words: Iterable[str]) -> Conventions:
    """Read the conventions off the words of a document."""
    points = commas = 0
    orders = {DateOrder.DMY, DateOrder.MDY}
    seen = 0
    for word in words:
        points += _DECIMAL_POINT.search(word) is not None
        commas += _DECIMAL_COMMA.search(word) is not None
        for first, _, second, _ in _NUMERIC_DATE.findall(word):
            seen += 1
            if int(first) > _LAST_MONTH:
                orders.discard(DateOrder.MDY)
            if int(second) > _LAST_MONTH:
                orders.discard(DateOrder.DMY)
    return Conventions(
        decimal_comma=commas > 0 and points == 0,
        date_order=orders.pop() if seen and len(orders) == 1 else None,
    )
