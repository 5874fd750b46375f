"""What each comparator makes of a JSON string, number or boolean: the comparators that hold one kind of value.

A reader is given strings cleaned and not empty, and numbers as they came; it answers with a Value, or with the Fault
that makes the reading invalid. What all comparators share is in ``value_scalar``.
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
        """Read a number as it came: NaN, infinities and absurd exponents are possible."""

    def boolean(self, raw: bool, /) -> Value | Fault:
        """Read a boolean."""


_NULL_LIKE: Final = frozenset({"null", "None", "NULL", "Null"})
_NULL_LIKE_FLAG: Final = frozenset({Flag.NULL_LIKE})
_NUMERIC: Final = frozenset({"integer", "number"})
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
        number = value_number.exact(raw)
        if isinstance(number, Fault):
            return number
        return self._literal(value_number.literal(number if self._whole else raw))

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

    A leaf whose schema has strings and no such numbers stores the text as it is written, so that equal ballots
    reproduce themselves.
    """

    def __init__(self, leaf: Leaf) -> None:
        self._currency = leaf.comparator is Comparator.CURRENCY
        self._integral = leaf.comparator is Comparator.INTEGER
        self._locale = leaf.rule.locale
        self._stores_fractions = not leaf.types or "number" in leaf.types
        self._stores_integers = self._stores_fractions or "integer" in leaf.types
        self._stores_text = "string" in leaf.types

    def text(self, text: str, raw: str) -> Value | Fault:
        number = value_number.parse(text, self._locale, currency=self._currency)
        return number if isinstance(number, Fault) else self._value(number, written=raw)

    def number(self, raw: int | Decimal) -> Value | Fault:
        number = value_number.exact(raw)
        return number if isinstance(number, Fault) else self._value(number, written=None)

    def boolean(self, _raw: bool) -> Value | Fault:
        return Fault.BOOLEAN

    def _value(self, number: Number, *, written: str | None) -> Value | Fault:
        whole = isinstance(number, int)
        if self._integral and not whole:
            return Fault.NOT_AN_INTEGER
        if self._stores_fractions or (whole and self._stores_integers):
            return Value(("number", number), number, NO_FLAGS if written is None else COERCED)
        if not self._stores_text:
            return Fault.NOT_AN_INTEGER if self._stores_integers else Fault.NOT_OF_TYPE
        if written is None:
            return Value(("number", number), value_number.local_literal(number, self._locale), COERCED)
        return Value(("number", number), clean_surface(written))


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
    _WORDS: Final = {
        **dict.fromkeys(("true", "yes", "y", "on", "x", "1", "checked", "selected"), True),
        **dict.fromkeys(("false", "no", "n", "off", "0", "unchecked", "unselected"), False),
        **dict.fromkeys(("✓", "✔", "☑", "☒", "[x]", "(x)"), True),
        **dict.fromkeys(("☐", "□", "[]", "()"), False),
    }

    def __init__(self, leaf: Leaf) -> None:
        kinds = (("boolean", bool), ("string", str), ("integer", int), ("number", int))
        self._stored: type = next((kind for name, kind in kinds if name in leaf.types), bool)

    def text(self, text: str, raw: str) -> Value | Fault:
        truth = self._WORDS.get(caseless(text).replace(" ", ""))
        if truth is None:
            return Fault.NOT_A_BOOLEAN
        return Value(("boolean", truth), clean_surface(raw)) if self._stored is str else self._value(truth, str)

    def number(self, raw: int | Decimal) -> Value | Fault:
        return self._value(raw == 1, int) if raw in (0, 1) else Fault.NOT_A_BOOLEAN

    def boolean(self, raw: bool) -> Value | Fault:
        return self._value(raw, bool)

    def _value(self, truth: bool, given: type) -> Value:
        surface = ("true" if truth else "false") if self._stored is str else self._stored(truth)
        return Value(("boolean", truth), surface, NO_FLAGS if given is self._stored else COERCED)


def stores_text(leaf: Leaf) -> bool:
    """Whether the leaf's schema takes strings; a schema that says nothing does."""
    return "string" in leaf.types or not leaf.types


def typed(text: str, types: frozenset[str]) -> Json:
    """The text in a type that the schema allows, or the fault that it spells no such value exactly."""
    if not types or "string" in types:
        return text
    if "boolean" in types and text in LITERALS:
        return LITERALS[text]
    if types & _NUMERIC:
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
