"""What each comparator makes of a JSON string, number or boolean: the comparators that hold one kind of value.

A reader is given strings cleaned and not empty, and numbers finite and of sane size; it answers with a Value, or with
the Fault that makes the reading invalid. What all comparators share is in ``value_scalar``.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Final, Protocol

from groundtruth import value_date, value_number
from groundtruth.jsontext import Json
from groundtruth.rules import Comparator
from groundtruth.schema import Leaf
from groundtruth.value_number import Number
from groundtruth.value_reading import COERCED, NO_FLAGS, Fault, Flag, Value
from groundtruth.value_text import caseless, clean_surface, straighten


class Reader(Protocol):
    """What one comparator makes of a scalar."""

    def text(self, text: str, raw: str, /) -> Value | Fault:
        """Read a string; ``text`` is cleaned and not empty, ``raw`` is as it came."""

    def number(self, raw: int | Decimal, /) -> Value | Fault:
        """Read a number, finite and of sane size, not normalised."""

    def boolean(self, raw: bool, /) -> Value | Fault:
        """Read a boolean."""


_NULL_LIKE: Final = frozenset({"null", "None", "NULL", "Null"})
_NULL_LIKE_FLAG: Final = frozenset({Flag.NULL_LIKE})
LITERALS: Final = {"true": True, "false": False}


class _TextReader:
    """text, case_insensitive, typographic and identifier: one key function each.

    A number or boolean becomes its literal. On a leaf whose schema has no strings the value is stored in the type that
    it has, and text that spells no such value exactly is a fault: 007 is no integer.
    """

    _KEYS: Final[dict[Comparator, Callable[[str], str]]] = {
        Comparator.CASE_INSENSITIVE: caseless,
        Comparator.TYPOGRAPHIC: straighten,
    }

    def __init__(self, leaf: Leaf) -> None:
        self._tag = str(leaf.comparator)
        self._key = self._KEYS.get(leaf.comparator)
        self._types = leaf.types
        self._stores_text = stores_text(leaf)
        # Systems write 7.0 for 7 when a column passed through floats, and an identifier has no decimals to lose. Plain
        # text may: version 12.0 is not 12.
        self._whole = leaf.comparator is Comparator.IDENTIFIER or not self._stores_text

    def text(self, text: str, raw: str) -> Value | Fault:
        key = (self._tag, self._key(text) if self._key else text)
        if self._stores_text:
            surface = text if raw.isascii() else clean_surface(raw)
            return Value(key, surface, _NULL_LIKE_FLAG if text in _NULL_LIKE else NO_FLAGS)
        stored = typed(text, self._types)
        return stored if isinstance(stored, Fault) else Value(key, stored, COERCED)

    def number(self, raw: int | Decimal) -> Value | Fault:
        number = value_number.exact(raw) if self._whole else raw
        return number if isinstance(number, Fault) else self._literal(value_number.literal(number))

    def boolean(self, raw: bool) -> Value | Fault:
        return self._literal("true" if raw else "false")

    def _literal(self, text: str) -> Value | Fault:
        key = (self._tag, self._key(text) if self._key else text)
        if self._stores_text:
            return Value(key, text, COERCED)
        stored = typed(text, self._types)
        return stored if isinstance(stored, Fault) else Value(key, stored)


class _NumberReader:
    """number, integer and currency: one exact number.

    A leaf whose schema has no numbers stores the text as it is written.
    """

    def __init__(self, leaf: Leaf) -> None:
        self._currency = leaf.comparator is Comparator.CURRENCY
        self._locale = leaf.rule.locale
        self._stores_text = stores_text(leaf) and not leaf.types & {"integer", "number"}
        self._integral = leaf.comparator is Comparator.INTEGER or (
            "integer" in leaf.types and not leaf.types & {"number", "string"}
        )

    def text(self, text: str, raw: str) -> Value | Fault:
        number = value_number.parse(text, self._locale, currency=self._currency)
        if isinstance(number, Fault):
            return number
        if self._stores_text:
            return self._value(number, clean_surface(raw), NO_FLAGS)
        return self._value(number, number, COERCED)

    def number(self, raw: int | Decimal) -> Value | Fault:
        number = value_number.exact(raw)
        if isinstance(number, Fault):
            return number
        if self._stores_text:
            return self._value(number, value_number.local_literal(number, self._locale), COERCED)
        return self._value(number, number, NO_FLAGS)

    def boolean(self, _raw: bool) -> Value | Fault:
        return Fault.BOOLEAN

    def _value(self, number: Number, surface: Json, flags: frozenset[Flag]) -> Value | Fault:
        if self._integral and not isinstance(number, int):
            return Fault.NOT_AN_INTEGER
        return Value(("number", number), surface, flags)


class _DateReader:
    """date: ISO text; an ambiguous date is a class of its own, its text."""

    def __init__(self, leaf: Leaf) -> None:
        self._order = leaf.rule.date_order
        self._pivot = leaf.rule.century_pivot
        self._types = leaf.types
        self._stores_text = stores_text(leaf)

    def text(self, text: str, _raw: str) -> Value | Fault:
        return self._read(text, NO_FLAGS if self._stores_text else COERCED)

    def number(self, raw: int | Decimal) -> Value | Fault:
        number = value_number.exact(raw)
        if not isinstance(number, int):
            return Fault.NOT_A_DATE
        return self._read(value_number.literal(number), COERCED if self._stores_text else NO_FLAGS)

    def boolean(self, _raw: bool) -> Value | Fault:
        return Fault.BOOLEAN

    def _read(self, text: str, flags: frozenset[Flag]) -> Value | Fault:
        date = value_date.parse(text, self._order, self._pivot)
        if isinstance(date, Fault):
            return date
        stored = typed(date.text, self._types)
        if isinstance(stored, Fault):
            return stored
        if date.ambiguous:
            return Value(("ambiguous_date", date.text), stored, flags | {Flag.AMBIGUOUS_DATE})
        return Value(("date", date.text), stored, flags | COERCED if date.midnight else flags)


class _BooleanReader:
    """boolean: the words and the marks for true and false; an empty box on the page is false, not null."""

    # Spaces are taken out first: [ ] is [].
    _TRUE: Final = frozenset("true yes y x 1 on checked selected ✓ ✔ ☑ ☒ [x] (x)".split())  # noqa: SIM905
    _FALSE: Final = frozenset("false no n 0 off unchecked unselected ☐ □ [] ()".split())  # noqa: SIM905

    def __init__(self, leaf: Leaf) -> None:
        self._stores_text = stores_text(leaf) and "boolean" not in leaf.types

    def text(self, text: str, raw: str) -> Value | Fault:
        word = caseless(text).replace(" ", "")
        if word not in self._TRUE | self._FALSE:
            return Fault.NOT_A_BOOLEAN
        truth = word in self._TRUE
        if self._stores_text:
            return Value(("boolean", truth), clean_surface(raw))
        return Value(("boolean", truth), truth, COERCED)

    def number(self, raw: int | Decimal) -> Value | Fault:
        if raw not in (0, 1):
            return Fault.NOT_A_BOOLEAN
        return self._value(raw == 1, COERCED)

    def boolean(self, raw: bool) -> Value | Fault:
        return self._value(raw, COERCED if self._stores_text else NO_FLAGS)

    def _value(self, truth: bool, flags: frozenset[Flag]) -> Value:
        surface: Json = ("true" if truth else "false") if self._stores_text else truth
        return Value(("boolean", truth), surface, flags)


def stores_text(leaf: Leaf) -> bool:
    """Whether the leaf's schema takes strings; a schema that says nothing does."""
    return "string" in leaf.types or not leaf.types


def typed(text: str, types: frozenset[str]) -> Json:
    """The text in a type that the schema allows, or the fault that it spells no such value exactly."""
    if not types or "string" in types:
        return text
    if "boolean" in types and text in LITERALS:
        return LITERALS[text]
    if types & {"integer", "number"}:
        number = value_number.parse(text, "en-US", currency=False)
        if not isinstance(number, Fault) and value_number.literal(number) == text:
            return number if isinstance(number, int) or "number" in types else Fault.NOT_AN_INTEGER
    return Fault.NOT_OF_TYPE


READERS: Final[dict[Comparator, Callable[[Leaf], Reader]]] = {
    Comparator.TEXT: _TextReader,
    Comparator.CASE_INSENSITIVE: _TextReader,
    Comparator.TYPOGRAPHIC: _TextReader,
    Comparator.IDENTIFIER: _TextReader,
    Comparator.NUMBER: _NumberReader,
    Comparator.INTEGER: _NumberReader,
    Comparator.CURRENCY: _NumberReader,
    Comparator.DATE: _DateReader,
    Comparator.BOOLEAN: _BooleanReader,
}
"""The reader of each comparator that holds one kind of value."""
