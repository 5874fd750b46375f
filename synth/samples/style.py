"""How one document prints and looks: drawn from a seed, then the same over all its pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from random import Random
from typing import Final, NamedTuple

from groundtruth.jsontext import Json
from synth.demo.printed import worded_date
from synth.demo.sheet import Colour
from synth.samples.wording import Field, Kind

_SHORT_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class DateStyle(NamedTuple):
    """How dates are printed, and the order that a rules file has to declare for it."""

    order: str | None
    print: Callable[[str], str]


class Style(NamedTuple):
    """How values are printed.

    Attributes:
        dates: of dates.
        sign: currency sign before an amount, "" for none.
        negative: ``(1.00)`` or ``-1.00``, as a format.
        decimal_comma: whether amounts are printed as 1.234,50.
    """

    dates: DateStyle
    sign: str
    negative: str
    decimal_comma: bool = False

    def print(self, field: Field, value: Json, *, signed: bool = False) -> str:
        """A value as the page prints it, "" for null; ``signed`` puts the currency sign before an amount."""
        if value is None:
            return ""
        if field.kind is Kind.DATE:
            return self.dates.print(value)
        if field.kind is Kind.MONEY:
            return self.money(value, signed=signed)
        if field.kind in (Kind.INTEGER, Kind.NUMBER):
            return self._decimal_mark(f"{value:,}")
        return str(value)

    def money(self, amount: Decimal, *, signed: bool = False) -> str:
        """1234.5 as ``1,234.50``."""
        text = (self.sign if signed else "") + self._decimal_mark(f"{abs(amount):,.2f}")
        return self.negative.format(text) if amount < 0 else text

    def _decimal_mark(self, text: str) -> str:
        return text.translate(str.maketrans(",.", ".,")) if self.decimal_comma else text


class Look(NamedTuple):
    """Fonts, sizes and colours.

    Attributes:
        font: of values.
        bold: of headings and totals.
        size: of values, in points.
        accent: colour of headings.
        left: left margin in points.
        right: right margin, from the left edge of an A4 page.
    """

    font: str
    bold: str
    size: float
    accent: Colour
    left: float
    right: float


def _numeric(pattern: str) -> Callable[[str], str]:
    return lambda iso: date.fromisoformat(iso).strftime(pattern)


def _short_month(iso: str) -> str:
    day = date.fromisoformat(iso)
    return f"{day.day:02} {_SHORT_MONTHS[day.month - 1]} {day.year}"


def _month_first(iso: str) -> str:
    day = date.fromisoformat(iso)
    return f"{_SHORT_MONTHS[day.month - 1]} {day.day}, {day.year}"


DATE_STYLES: Final = (
    DateStyle("MDY", _numeric("%m/%d/%Y")),
    DateStyle("DMY", _numeric("%d/%m/%Y")),
    DateStyle("YMD", _numeric("%Y-%m-%d")),
    DateStyle(None, worded_date),
    DateStyle(None, _short_month),
    DateStyle(None, _month_first),
)
DOTTED: Final = DateStyle("DMY", _numeric("%d.%m.%Y"))

_FONTS: Final[Mapping[str, str]] = {
    "Helvetica": "Helvetica-Bold",
    "Times-Roman": "Times-Bold",
    "Courier": "Courier-Bold",
}
_ACCENTS: Final[tuple[Colour, ...]] = ((0.1, 0.1, 0.12), (0.1, 0.24, 0.42), (0.16, 0.36, 0.22), (0.45, 0.12, 0.14))


def draw_style(random: Random, *, sign: str = "$") -> Style:
    """One of the ways to print dates and negative amounts."""
    return Style(random.choice(DATE_STYLES), sign, random.choice(("({})", "-{}")))


def draw_look(random: Random, *, size: float, fonts: tuple[str, ...] = tuple(_FONTS)) -> Look:
    """One of the looks, of about this size."""
    font = random.choice(fonts)
    shrunk = size - (1.0 if font == "Courier" else 0.0)
    margin = random.choice((40.0, 48.0, 54.0))
    points = shrunk + random.choice((0.0, 0.5))
    return Look(font, _FONTS[font], points, random.choice(_ACCENTS), margin, 595.0 - margin)
