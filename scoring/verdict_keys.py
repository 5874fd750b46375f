"""The equality of the metric ``verdicts``: one canonical key per value; two values are equal when their keys are.

The key depends on the value alone, never on the field or on the value it is compared with. It follows the published
scorer of OmniExtractBench, but for the faults listed in ``docs/scoring.md``: the sign of a whole number, identifiers
beyond 2**53, European decimals and time zones.

A key without a space is text with its spelling folded, or a number; keys of other kinds begin with their name and a
space, which no folded text contains. ``NOTHING`` is the key of what states nothing: null and blank text.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Final

from groundtruth.jsontext import Json, Malformed
from scoring.verdict_dates import MONTH_NAMES, date_key

NOTHING: Final = ""
_FRACTION_DIGITS: Final = 7
_LARGEST_EXPONENT: Final = 100
_EXACT: Final = Context(prec=1000)
_ISO_DAY: Final = "2024-01-31"

_WORD = re.compile(r"[a-z]+")
_WORDS_OF_DATES_AND_NUMBERS: Final = frozenset({*MONTH_NAMES, "t", "z", "e"})
_SPELLING = str.maketrans("", "", " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f,-()/.")
_PLAIN_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,90})\.\d{1,7}", re.ASCII)

_MINUS = str.maketrans({"\u2212": "-", "\u2013": "-"})
_MONEY = str.maketrans("", "", ",$%")
_MONEY_AND_SPACE = str.maketrans("", "", ",$% ")
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_WHOLE = re.compile(r"[+-]?(0|[^\D0]\d*)")
_NUMERAL = re.compile(r"[+-]?(0|[^\D0]\d*)(\.\d+)?")
_SIGNS = re.compile(r"[+-](?:\s*[+-])*")
_EUROPEAN = re.compile(r"\D*\d{1,3}(\.\d{3})+,\d+\D*")
_REFERENCE = re.compile(r"\s*\[(\d{1,2}|[a-z])\]")
_BULLETS: Final = "\u2022\u2023\u2043\u25aa\u25ab\u25a0\u25a1\u25cf\u25cb\u25e6\u2219\u00b7\u2605\u2606\u25ba\u27a2"
_BULLET = re.compile(rf"[{_BULLETS}](\s+|$)")
_DASHES = re.compile(r"-[-\s]*")
_PERIOD_IN_NUMBER = re.compile(r"(?<=\d)\.(?=\d)")
_DROPPED = re.compile(r"[\s,-]+")
_BRACKETS = str.maketrans("", "", "()/")
_TYPEWRITER = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        "\u2044": "/",
    }
)  # fmt: skip


def key_of(value: Json) -> str:
    """The canonical key of a scalar; ``NOTHING`` for null and blank text, which no other value has.

    Numbers are compared exactly, but for fractions, which count to seven significant digits. What was no trustworthy
    JSON is equal to nothing but itself.
    """
    if isinstance(value, str):
        return _plain_key(value) or _read_key(value)
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Decimal):
        text = str(value)
        return _short_decimal(text) if _PLAIN_DECIMAL.fullmatch(text) else _number(value)
    if isinstance(value, Malformed):
        return f"malformed {value.reason} {value.raw}"
    raise TypeError(f"no scalar: {type(value).__name__}")


def _plain_key(text: str) -> str:
    """What ``_read_key`` makes of the plain texts that tables are full of, at a tenth of its cost; else empty."""
    if not text.isascii() or "[" in text or '"' in text or "'" in text:
        return ""
    if text.isdigit():
        return text
    text = text.lower()
    word = _WORD.search(text)
    if word is not None:
        if "." in text or word.group() in _WORDS_OF_DATES_AND_NUMBERS:
            return ""
        bare = text.replace(" ", "").replace("-", "")
        return bare if bare.isalnum() else bare.translate(_SPELLING)
    if len(text) == len(_ISO_DAY) and text[4] == text[7] == "-":
        try:
            return f"date {date.fromisoformat(text).isoformat()}"
        except ValueError:
            return ""
    if _PLAIN_DECIMAL.fullmatch(text):
        return _short_decimal(text)
    return ""


def _read_key(text: str) -> str:
    """The key of any text, by the forms in their order."""
    stripped = text.strip()
    if not stripped:
        return NOTHING
    if stripped.isascii() and stripped.isalpha():
        return stripped.lower()
    if "." in stripped and (number := _as_decimal(stripped)) is not None:
        return number
    if _EUROPEAN.fullmatch(stripped):
        return f"text {' '.join(stripped.lower().split())}"
    return date_key(stripped) or _folded(stripped) or "".join(stripped.lower().split())


def _short_decimal(text: str) -> str:
    """The key of a number written with at most seven digits behind its point."""
    bare = text.rstrip("0")
    if bare[-1] == ".":
        bare = bare[:-1]
    return "0" if bare == "-0" else bare


def _number(value: Decimal) -> str:
    """The text of a number with its fraction cut to seven significant digits."""
    whole = int(value)
    if value != whole:
        fraction = _EXACT.subtract(value, whole)
        last = Decimal(1).scaleb(fraction.adjusted() - _FRACTION_DIGITS + 1)
        value = _EXACT.add(whole, fraction.quantize(last, ROUND_HALF_EVEN, _EXACT))
        if value != int(value):
            return f"{value.normalize(_EXACT):f}"
        whole = int(value)
    return str(whole)


def _as_decimal(text: str) -> str | None:
    """The key of a text with a decimal point that is a number, signs and money marks allowed; None for any other."""
    if _EUROPEAN.fullmatch(text):
        return None
    signed = _signed(text.translate(_MINUS)).translate(_MONEY_AND_SPACE)
    if not _DECIMAL.fullmatch(signed):
        return None
    number = Decimal(signed)
    if number and abs(number.adjusted()) > _LARGEST_EXPONENT:
        return None
    return _number(number)


def _signed(text: str) -> str:
    """The text with one sign before it: brackets and a minus behind it are a minus, and runs of signs are folded."""
    text = text.strip()
    negative = False
    if text[:1] == "(" and text[-1:] == ")":
        negative, text = True, text[1:-1].strip()
    if len(text) > 1 and text[-1] == "-":
        negative, text = not negative, text[:-1].rstrip()
    money = ""
    if text[:1] == "$":
        money, text = "$", text[1:].lstrip()
    signs = _SIGNS.match(text)
    if signs:
        negative ^= signs.group().count("-") % 2 == 1
        text = text[signs.end() :]
    return ("-" if negative else "") + money + text


def _folded(text: str) -> str:
    """The key of a text that is neither a decimal nor a date, by the published folds in their order; may be empty."""
    folded = text.lower()
    if not folded.isascii():
        folded = _without_marks(folded)
    if "[" in folded:
        folded = _REFERENCE.sub("", folded).strip() or folded
    if not folded.isascii():
        folded = folded.translate(_TYPEWRITER)
        folded = _BULLET.sub("", folded, count=1) if _BULLET.match(folded) else folded
    folded = folded.strip()
    whole = _as_whole(folded)
    if whole is not None:
        return whole
    if _DASHES.fullmatch(folded):
        return "dashes -"
    return _bare(folded)


def _without_marks(text: str) -> str:
    """Compatibility forms without combining marks and invisible characters; the micro sign is a u."""
    decomposed = unicodedata.normalize("NFKD", text.replace("\u00b5", "u").replace("\u03bc", "u"))
    return "".join(
        character
        for character in decomposed
        if not unicodedata.combining(character) and unicodedata.category(character) != "Cf"
    )


def _as_whole(text: str) -> str | None:
    """The key of a plain numeral, money marks and accounting signs allowed; None with a zero before it."""
    if not any(map(str.isdecimal, text)):
        return None
    signed = _signed(text).translate(_MONEY_AND_SPACE)
    if _WHOLE.fullmatch(signed):
        return str(int(signed)) if len(signed) < _EXACT.prec else signed.lstrip("+")
    is_number = _NUMERAL.fullmatch(signed) and Decimal(signed).adjusted() <= _LARGEST_EXPONENT
    return _number(Decimal(signed)) if is_number else None


def _bare(text: str) -> str:
    """The text without spaces, commas, hyphens, brackets and quotes, and without periods but a lone decimal point."""
    if "." in text:
        points = [match.start() for match in _PERIOD_IN_NUMBER.finditer(text)]
        kept = points[0] if len(points) == 1 else -1
        text = "".join(character for at, character in enumerate(text) if character != "." or at == kept)
    text = _DROPPED.sub("", text)
    return text.strip("\"'").translate(_BRACKETS)
