"""Numbers, exactly: JSON numbers and numbers as people write them.

A number is an ``int`` when it is integral and a normalised ``Decimal`` otherwise; both compare and hash alike. Sizes
are those of ``jsontext``: nothing past the range of doubles, so no exponent can grow into memory.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal, Inexact, InvalidOperation, Overflow, Subnormal
from functools import cache
from typing import Final

from groundtruth.value_currency import is_currency
from groundtruth.value_locale import Convention, convention
from groundtruth.value_reading import Fault
from groundtruth.value_text import ascii_digits

Number = int | Decimal

_LARGEST: Final = Decimal("1.7976931348623157e308")
_SMALLEST: Final = _LARGEST.copy_negate()
_LARGEST_INTEGER: Final = int(_LARGEST)
_SMALLEST_INTEGER: Final = -_LARGEST_INTEGER
_MAX_DIGITS: Final = 400
# Every signal is trapped: what has more digits or a larger exponent than this is refused, never rounded.
_EXACT: Final = Context(
    prec=_MAX_DIGITS, Emax=308, Emin=-_MAX_DIGITS, traps=[Inexact, InvalidOperation, Overflow, Subnormal]
)

_PLAIN: Final = str.maketrans(
    {
        **dict.fromkeys("−–‐‑﹣－", "-"),
        **dict.fromkeys("’‘ʼ＇", "'"),
        "＋": "+",
        "（": "(",
        "）": ")",
        "，": ",",
        "．": ".",
    }
)
_ARABIC_DECIMAL: Final = "٫"
_ARABIC_GROUP: Final = "٬"
_PERCENT: Final = re.compile("[%‰٪％]")
_DASH: Final = re.compile("[-—]")
_FRONT: Final = re.compile(r"[^\d\s(+-]+")
_BACK: Final = re.compile(r"[^\d\s)+-]+$")


def exact(raw: int | Decimal) -> Number | Fault:
    """A JSON number as we keep it: -0 is 0, 1.0 and 1e0 are 1; a fault for NaN, infinities and absurd sizes."""
    if isinstance(raw, int):
        return raw if _SMALLEST_INTEGER <= raw <= _LARGEST_INTEGER else Fault.OUT_OF_RANGE
    if not raw.is_finite():
        return Fault.NOT_A_NUMBER
    try:
        number = _EXACT.normalize(raw)
        is_whole = not _EXACT.remainder(number, 1)
    except ArithmeticError:
        return Fault.OUT_OF_RANGE
    if not _SMALLEST <= number <= _LARGEST:
        return Fault.OUT_OF_RANGE
    return int(number) if is_whole else number


def literal(number: Number) -> str:
    """The number in plain digits, without an exponent; the decimals of a Decimal are kept as they are."""
    if isinstance(number, int):
        return str(number)
    # A zero can carry any exponent, and would write as many zeros.
    return format(number, "f") if number or -_MAX_DIGITS < number.adjusted() <= 0 else "0"


def local_literal(number: Number, locale: str) -> str:
    """The number in plain digits with the decimal mark of the locale, so that ``parse`` reads it back."""
    return literal(number).replace(".", convention(locale).decimal[0])


def parse(text: str, locale: str, *, currency: bool) -> Number | Fault:
    """Read one number as people of a locale write it; cleaned text in, nothing is fished out of a sentence.

    Grouping must be right for the locale or absent. Negative are parentheses and a minus before or after, once. A
    currency sign on either side is dropped when ``currency`` says so, and a fault otherwise, as a percent sign is
    always.
    """
    if len(text) > _MAX_DIGITS:
        return Fault.NOT_A_NUMBER
    rules = convention(locale)
    if text[-1:].isdigit() and (number := _unsigned(text, rules)) is not None:
        return number
    core = _in_ascii(text, rules)
    if currency and _DASH.search(core):
        core = _without_cents_dash(core, rules)
    digits, negative = _without_signs(core, currency=currency)
    number = None if negative is None else _unsigned(digits, rules)
    if number is None:
        return Fault.PERCENT if _PERCENT.search(text) else Fault.NOT_A_NUMBER
    return _negated(number) if negative and not isinstance(number, Fault) else number


def _unsigned(digits: str, rules: Convention) -> Number | Fault | None:
    """The number, a fault when it is too large or small to keep, None when the text is not a number without signs."""
    if not _pattern(rules).fullmatch(digits):
        return None
    for mark in rules.group:
        digits = digits.replace(mark, "")
    for mark in rules.decimal:
        digits = digits.replace(mark, ".")
    return exact(int(digits) if digits.isdigit() else Decimal(digits))


def _negated(number: Number) -> Number:
    # The minus operator would round a Decimal to the precision of the current context.
    return -number if isinstance(number, int) else number.copy_negate()


def _in_ascii(text: str, rules: Convention) -> str:
    if text.isascii():
        return text
    text = text.replace(_ARABIC_DECIMAL, rules.decimal[0]).replace(_ARABIC_GROUP, rules.group[0])
    return ascii_digits(text.translate(_PLAIN))


def _without_cents_dash(text: str, rules: Convention) -> str:
    """``100,-`` and ``100.—`` are whole amounts: the dash stands where the cents would."""
    return re.sub(rf"(?<=\d)[{re.escape(rules.decimal)}](?:--?|—)(?!\d)", "", text)


def _without_signs(text: str, *, currency: bool) -> tuple[str, bool | None]:
    """Peel signs off both ends; the second part is whether the number is negative, None when it is signed twice."""
    minus = plus = 0
    currencies = 2 if currency else 0
    while True:
        if text.startswith("(") and text.endswith(")"):
            text, minus = text[1:-1].strip(), minus + 1
        elif text.startswith("-"):
            text, minus = text[1:].lstrip(), minus + 1
        elif text.startswith("+"):
            text, plus = text[1:].lstrip(), plus + 1
        elif text.endswith("-"):
            text, minus = text[:-1].rstrip(), minus + 1
        elif currencies and (rest := _without_currency(text)) is not None:
            text, currencies = rest, currencies - 1
        else:
            return text, (minus == 1 if minus + plus <= 1 else None)


def _without_currency(text: str) -> str | None:
    """The text without the currency sign before or after it; None when there is none."""
    if front := _FRONT.match(text):
        if is_currency(front[0]):
            return text[front.end() :].lstrip()
        # The dot of an abbreviation belongs to the sign, as in Rs.5; the dot after a symbol to the number, as in $.5.
        sign = front[0].rstrip(".,")
        if is_currency(sign):
            return text[len(sign) :]
    if not text[-1:].isdigit() and (back := _BACK.search(text)) and is_currency(back[0]):
        return text[: back.start()].rstrip()
    return None


@cache
def _pattern(rules: Convention) -> re.Pattern[str]:
    # A group never follows a leading zero: 0.123 under de-DE is a foreign decimal, not 123.
    grouped = [rf"[1-9]\d{{0,2}}(?:{re.escape(mark)}\d{{3}})+" for mark in rules.group]
    if rules.lakh:
        grouped += [rf"[1-9]\d?(?:{re.escape(mark)}\d{{2}})+{re.escape(mark)}\d{{3}}" for mark in rules.group]
    fraction = rf"[{re.escape(rules.decimal)}]\d+"
    return re.compile(rf"(?:(?:\d+|{'|'.join(grouped)})(?:{fraction})?|{fraction})(?:[eE][+-]?\d{{1,4}})?", re.ASCII)
