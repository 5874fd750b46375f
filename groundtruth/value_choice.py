"""The comparators whose values are of several kinds: enumerations, and unions of scalar types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Final

from groundtruth import jsontext, value_number
from groundtruth.jsontext import Json
from groundtruth.rules import Comparator
from groundtruth.schema import Leaf
from groundtruth.value_comparators import LITERALS, READERS, Reader
from groundtruth.value_reading import COERCED, NO_FLAGS, Fault, Flag, Value
from groundtruth.value_text import caseless, clean


class _EnumReader:
    """enum: the declared member, whatever its case; where two members differ only in case, exactly one of them."""

    def __init__(self, leaf: Leaf) -> None:
        self._locale = leaf.rule.locale
        self._texts = {clean(member): member for member in leaf.enum if isinstance(member, str)}
        writings = Counter(map(caseless, self._texts))
        self._caseless = {
            caseless(text): member for text, member in self._texts.items() if writings[caseless(text)] == 1
        }
        self._booleans = [member for member in leaf.enum if isinstance(member, bool)]
        self._numbers = {
            value_number.exact(member): member
            for member in leaf.enum
            if isinstance(member, (int, Decimal)) and not isinstance(member, bool)
        }

    def text(self, text: str, _raw: str) -> Value | Fault:
        member = self._texts.get(text, self._caseless.get(caseless(text)))
        if member is not None:
            return self._member(member, NO_FLAGS)
        number = value_number.parse(text, self._locale, currency=False) if self._numbers else None
        if number in self._numbers:
            return self._member(self._numbers[number], COERCED)
        truth = LITERALS.get(caseless(text))
        return self._member(truth, COERCED) if truth in self._booleans else Fault.NOT_A_MEMBER

    def number(self, raw: int | Decimal) -> Value | Fault:
        number = value_number.exact(raw)
        if isinstance(number, Fault):
            return number
        if number in self._numbers:
            return self._member(self._numbers[number], NO_FLAGS)
        return self._literal(value_number.literal(number))

    def boolean(self, raw: bool) -> Value | Fault:
        return self._member(raw, NO_FLAGS) if raw in self._booleans else self._literal("true" if raw else "false")

    def _literal(self, text: str) -> Value | Fault:
        member = self._texts.get(text)
        return Fault.NOT_A_MEMBER if member is None else self._member(member, COERCED)

    @staticmethod
    def _member(member: Json, flags: frozenset[Flag]) -> Value:
        return Value(("enum", jsontext.dumps(member)), member, flags)


class _UnionReader:
    """union: several scalar types in one leaf; a value keeps its type, so 1 and "1" differ.

    A type that the schema does not allow is coerced: a number or boolean to its literal where strings are allowed, text
    to the number, then the boolean, that it spells.
    """

    def __init__(self, leaf: Leaf) -> None:
        self._types = leaf.types
        self._text = READERS[Comparator.TEXT](replace(leaf, comparator=Comparator.TEXT, types=frozenset({"string"})))
        numeric = leaf.types & {"integer", "number"}
        self._number = READERS[Comparator.NUMBER](replace(leaf, comparator=Comparator.NUMBER, types=numeric))
        self._boolean = READERS[Comparator.BOOLEAN](
            replace(leaf, comparator=Comparator.BOOLEAN, types=frozenset({"boolean"}))
        )
        self._has_numbers = bool(numeric)

    def text(self, text: str, raw: str) -> Value | Fault:
        if "string" in self._types:
            return self._text.text(text, raw)
        found: Value | Fault = Fault.NOT_OF_TYPE
        if self._has_numbers:
            found = self._number.text(text, raw)
        if isinstance(found, Fault) and "boolean" in self._types:
            found = self._boolean.text(text, raw)
        return found

    def number(self, raw: int | Decimal) -> Value | Fault:
        found: Value | Fault = self._number.number(raw) if self._has_numbers else Fault.NOT_OF_TYPE
        if isinstance(found, Fault) and "string" in self._types:
            found = self._text.number(raw)
        if isinstance(found, Fault) and "boolean" in self._types and not self._has_numbers:
            found = self._boolean.number(raw)
        return found

    def boolean(self, raw: bool) -> Value | Fault:
        if "boolean" in self._types:
            return self._boolean.boolean(raw)
        return self._text.boolean(raw) if "string" in self._types else Fault.BOOLEAN


CHOICE_READERS: Final[dict[Comparator, Callable[[Leaf], Reader]]] = {
    Comparator.ENUM: _EnumReader,
    Comparator.UNION: _UnionReader,
}
"""The reader of each comparator that holds several kinds of values."""
