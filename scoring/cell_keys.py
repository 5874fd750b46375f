"""The equality of the metric ``value-f1``: keys of cells, and the further keys that a truth accepts.

Two cells are equal when their keys are. Text compares with white space folded and case kept, numbers and booleans as
Python compares them (5 is 5.0 and true is 1), lists and objects as a whole and in their order. A truth may accept more:
other readings, what its normalizers equate, and texts alike enough in two columns that ExtractBench reads fuzzily.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Context, Decimal
from typing import Final, TypeGuard

from groundtruth import jsontext
from groundtruth.jsontext import Json, Malformed
from scoring.alike import AlikeTexts
from scoring.cell_dates import canonical_date

Key = str | tuple[str, str]
"""Of a text the text itself; of everything else a kind and a text."""

NULL: Final[Key] = ("null", "")
_FALSE: Final[Key] = ("number", "0")

FUZZY: Final[Mapping[str, float]] = {"description": 0.95, "court": 0.85}
"""Columns whose texts need only be alike, by name, and how much; other names are never fuzzy."""

_PUNCTUATION_SPACE = re.compile(r"\s*([,.;:])\s*")
_PLAIN_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,11})\.\d{1,9}", re.ASCII)
_EXACT: Final = Context(prec=1000)
"""Holds every number that is JSON: those of more than 400 digits are read as malformed."""
_DIGITS = re.compile(r"\D+")
_PHONE_DIGITS: Final = 10


def key_of(value: Json) -> Key:
    """The key of a cell; null has one like any other value."""
    if isinstance(value, str):
        return text_key(value)
    if value is None:
        return NULL
    if isinstance(value, (bool, int)):
        return ("number", str(int(value)))
    if isinstance(value, Decimal):
        text = str(value)
        if _PLAIN_DECIMAL.fullmatch(text):
            bare = text.rstrip("0").removesuffix(".")
            return ("number", "0" if bare == "-0" else bare)
        return ("number", str(int(value)) if value == value.to_integral_value() else f"{value.normalize(_EXACT):f}")
    if isinstance(value, Malformed):
        return ("malformed", f"{value.reason} {value.raw}")
    return ("whole", jsontext.dumps(_comparable(value)))


def text_key(text: str) -> str:
    """The key of a text."""
    return " ".join(canonical_date(text).split())


def _comparable(value: Json) -> Json:
    """A list or object in which equal contents are written alike; texts inside keep their white space."""
    if isinstance(value, list):
        return [_comparable(item) for item in value]
    if isinstance(value, dict):
        return {name: _comparable(item) for name, item in value.items()}
    if isinstance(value, str):
        return ["text", canonical_date(value)]
    if value is None:
        return None
    return list(key_of(value))


def _punctuation_end(key: str) -> str:
    return key[:-1].rstrip() if key[-1:] in {".", ",", ";", ":"} else key


def _phone(key: str) -> str:
    digits = _DIGITS.sub("", key)
    return digits[-_PHONE_DIGITS:] if len(digits) >= _PHONE_DIGITS else digits


_TEXT_NORMALIZERS: Final[Mapping[str, Callable[[str], str]]] = {
    "optional_terminal_punctuation": _punctuation_end,
    "punctuation_spacing": lambda key: _PUNCTUATION_SPACE.sub(r"\1", key),
    "case_insensitive": str.casefold,
    "phone_digits": _phone,
}
NORMALIZERS: Final = frozenset({"null_equals_false", "lenient_date", *_TEXT_NORMALIZERS})
"""The names that field rules may give."""


class AcceptedKeys:
    """Which keys of one column of a prediction a truth accepts beside its own readings.

    Args:
        name: of the field, since two names are fuzzy.
        predicted: the keys of the column.
    """

    def __init__(self, name: str, predicted: Iterable[Key]) -> None:
        self._predicted = list(dict.fromkeys(predicted))
        self._by_form: dict[str, dict[str, list[Key]]] = {}
        self._alike = AlikeTexts(FUZZY[name], filter(_is_text, self._predicted)) if name in FUZZY else None

    @property
    def is_fuzzy(self) -> bool:
        """Whether texts of this column need only be alike."""
        return self._alike is not None

    def prepare(self, readings: Iterable[Key]) -> None:
        """Make ready for many readings that will be asked for."""
        if self._alike is not None:
            self._alike.prepare(filter(_is_text, readings))

    def of(self, readings: Sequence[Key], normalizers: Sequence[str] = ()) -> Iterator[Key]:
        """The keys that any of the truth's readings accepts by a normalizer, or because it is alike."""
        for reading in readings:
            if isinstance(reading, str) and self._alike is not None:
                yield from self._alike.to(reading)
            for normalizer in normalizers:
                yield from self._normalized(reading, normalizer)

    def _normalized(self, reading: Key, normalizer: str) -> Iterator[Key]:
        if normalizer == "null_equals_false":
            if reading in (NULL, _FALSE):
                yield from (NULL, _FALSE)
        elif isinstance(reading, str):
            for form in _forms_of(reading, normalizer):
                yield from self._having(form, normalizer)

    def _having(self, form: str, normalizer: str) -> Sequence[Key]:
        if normalizer not in self._by_form:
            forms: dict[str, list[Key]] = {}
            for key in filter(_is_text, self._predicted):
                for own in _forms_of(key, normalizer):
                    forms.setdefault(own, []).append(key)
            self._by_form[normalizer] = forms
        return self._by_form[normalizer].get(form, ())


def _is_text(key: Key) -> TypeGuard[str]:
    return isinstance(key, str)


def _forms_of(key: str, normalizer: str) -> Iterable[str]:
    """What a text becomes under a normalizer; two texts are equated when they have a form in common."""
    if normalizer == "lenient_date":
        return list(_lenient_dates(key))
    form = _TEXT_NORMALIZERS[normalizer](key)
    # A telephone number without a digit is none.
    return [form] if form or normalizer != "phone_digits" else []


def _lenient_dates(text: str) -> Iterator[str]:
    """The ISO dates that a text with a broken or short year may mean; it must hold a day."""
    joined = re.sub(r"\b(\d{2})\s(\d{2})\b$", r"\1\2", text)
    short = re.fullmatch(r"(.*\D)(\d{2})", joined)
    candidates = [joined, *([f"{short[1]}{century}{short[2]}" for century in ("19", "20")] if short else [])]
    for candidate in candidates:
        found = canonical_date(candidate)
        if re.match(r"\d{4}-\d{2}-\d{2}", found):
            yield found
