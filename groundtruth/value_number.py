"""Numbers, exactly: JSON numbers and numbers as people write them.

A number is an ``int`` when it is integral and a normalised ``Decimal`` otherwise; both compare and hash alike. Sizes
are those of ``jsontext``: nothing past the range of doubles, so no exponent can grow into memory.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal, DecimalException, Inexact, InvalidOperation
from functools import cache
from typing import Final

from groundtruth.value_currency import currency_signs
from groundtruth.value_locale import Convention, convention
from groundtruth.value_reading import Fault
from groundtruth.value_text import ascii_digits

Number = int | Decimal

_LARGEST: Final = Decimal("1.7976931348623157e308")
_LARGEST_INTEGER: Final = int(_LARGEST)
_MAX_DIGITS: Final = 400
# Trapped, so that a number with more digits than this is refused instead of rounded.
_EXACT: Final = Context(prec=_MAX_DIGITS, traps=[Inexact, InvalidOperation])
_FIXED: Final = Context(prec=2 * _MAX_DIGITS, traps=[Inexact, InvalidOperation])

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


def exact(raw: float | Decimal) -> Number | Fault:
    """A JSON number as we keep it: -0 is 0, 1.0 and 1e0 are 1; a fault for NaN, infinities and absurd sizes.

    A float is taken as the shortest decimal that reads back as it, which is how JSON wrote it.
    """
    if isinstance(raw, int):
        return int(raw) if -_LARGEST_INTEGER <= raw <= _LARGEST_INTEGER else Fault.OUT_OF_RANGE
    number = Decimal(repr(raw)) if isinstance(raw, float) else raw
    if not number.is_finite():
        return Fault.NOT_A_NUMBER
    if not number:
        return 0
    if not -_MAX_DIGITS <= number.adjusted() < _MAX_DIGITS:
        return Fault.OUT_OF_RANGE
    try:
        number = _EXACT.normalize(number)
    except DecimalException:
        return Fault.OUT_OF_RANGE
    if number.copy_abs() > _LARGEST:
        return Fault.OUT_OF_RANGE
    return int(number) if number == number.to_integral_value(context=_FIXED) else number


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
    if text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS:
        return exact(int(text))
    if len(text) > _MAX_DIGITS:
        return Fault.NOT_A_NUMBER
    rules = convention(locale)
    core = _in_ascii(text, rules)
    if currency:
        core = _without_cents_dash(core, rules)
    digits, negative = _without_signs(core, currency=currency)
    match = _pattern(rules).fullmatch(digits)
    if match is None or negative is None:
        return Fault.PERCENT if _PERCENT.search(text) else Fault.NOT_A_NUMBER
    plain = digits.translate(_to_machine(rules))
    number = exact(Decimal(plain))
    return _negated(number) if negative and not isinstance(number, Fault) else number


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
    front, back = currency_signs() if currency else (None, None)
    while True:
        if text.startswith("(") and text.endswith(")"):
            text, minus = text[1:-1].strip(), minus + 1
        elif text.startswith("-"):
            text, minus = text[1:].lstrip(), minus + 1
        elif text.startswith("+"):
            text, plus = text[1:].lstrip(), plus + 1
        elif text.endswith("-"):
            text, minus = text[:-1].rstrip(), minus + 1
        elif front and (match := front.match(text)):
            text, front = text[match.end() :], None
        elif back and (match := back.search(text)):
            text, back = text[: match.start()], None
        else:
            return text, (minus == 1 if minus + plus <= 1 else None)


@cache
def _pattern(rules: Convention) -> re.Pattern[str]:
    # A group never follows a leading zero: 0.123 under de-DE is a foreign decimal, not 123.
    grouped = [rf"[1-9]\d{{0,2}}(?:{re.escape(mark)}\d{{3}})+" for mark in rules.group]
    if rules.lakh:
        grouped += [rf"[1-9]\d?(?:{re.escape(mark)}\d{{2}})+{re.escape(mark)}\d{{3}}" for mark in rules.group]
    fraction = rf"[{re.escape(rules.decimal)}]\d+"
    return re.compile(rf"(?:(?:\d+|{'|'.join(grouped)})(?:{fraction})?|{fraction})(?:[eE][+-]?\d{{1,4}})?", re.ASCII)


@cache
def _to_machine(rules: Convention) -> dict[int, str]:
    return str.maketrans({**dict.fromkeys(rules.group, ""), **dict.fromkeys(rules.decimal, ".")})
