"""The one equality of the project: what a raw reading of a leaf means, as a key that compares.

``canonical(leaf, raw)`` takes any JSON and answers Value, Null or Invalid. Two readings of a leaf are equal exactly
when both are Null or both are Values with equal keys, so equality is transitive and groups do not depend on order;
tolerances and similarity have no place here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from groundtruth import value_number, value_text
from groundtruth.jsontext import Json
from groundtruth.rules import Comparator
from groundtruth.schema import Leaf
from groundtruth.value_container import list_reader, opaque_reader
from groundtruth.value_locale import LOCALES, check_locale
from groundtruth.value_reading import (
    NULL,
    Abstain,
    Canonical,
    Fault,
    Flag,
    Invalid,
    Key,
    Null,
    Reading,
    Value,
)
from groundtruth.value_scalar import scalar_reader


def canonical(leaf: Leaf, raw: Json) -> Canonical:
    """What one reading of a leaf means; total over JSON, ``Malformed`` and nesting of any depth included.

    For many readings of one leaf keep a ``Canonicalizer``.

    Raises:
        RulesError: the leaf's rule names an unknown locale, which compiling a schema refuses.
    """
    return _reader(leaf)(raw)


class Canonicalizer:
    """``canonical`` for one leaf, prepared once and with a memory of the strings it has read."""

    __slots__ = ("_known", "_read", "leaf")

    def __init__(self, leaf: Leaf) -> None:
        self.leaf = leaf
        self._read = _reader(leaf)
        # Strings only: as keys of a dict, True, 1 and 1.0 are one.
        self._known: dict[str, Canonical] = {}

    def __call__(self, raw: Json) -> Canonical:
        """The same as ``canonical(leaf, raw)``."""
        if type(raw) is not str:
            return self._read(raw)
        known = self._known.get(raw)
        if known is None:
            known = self._known[raw] = self._read(raw)
        return known


def fold(value: Value) -> str:
    """The value without case, spacing and punctuation: readings whose folds are equal differ in surface only.

    Numbers, dates, booleans, enumeration members and opaque values have nothing to fold: two that differ differ in
    their folds. Decimal marks, a minus before a number and percent signs stay in text, since they say something.
    """
    return _fold(value.key)


def sort_key(key: Key) -> tuple[Any, ...]:
    """What to sort keys by: a total order over keys of every kind, the same on every machine.

    Kinds come in the order of their tags, then text by code point, numbers by size, false before true, lists item by
    item.
    """
    # A tag settles the type of what follows it, so keys compare as they are.
    return key


_TEXT_TAGS = frozenset(
    {Comparator.TEXT, Comparator.CASE_INSENSITIVE, Comparator.TYPOGRAPHIC, Comparator.IDENTIFIER, "ambiguous_date"}
)


def _fold(key: Key) -> str:
    tag, form = key
    if isinstance(form, tuple):
        return "\n".join(map(_fold, form))
    if isinstance(form, str):
        return value_text.fold(form) if tag in _TEXT_TAGS else form
    return ("true" if form else "false") if isinstance(form, bool) else value_number.literal(form)


def _reader(leaf: Leaf) -> Callable[[Json], Canonical]:
    if leaf.comparator is Comparator.LIST and leaf.item is not None:
        return list_reader(leaf, _reader(leaf.item))
    if leaf.comparator in (Comparator.LIST, Comparator.OPAQUE):
        return opaque_reader(leaf)
    return scalar_reader(leaf)


__all__ = [
    "LOCALES",
    "NULL",
    "Abstain",
    "Canonical",
    "Canonicalizer",
    "Fault",
    "Flag",
    "Invalid",
    "Key",
    "Null",
    "Reading",
    "Value",
    "canonical",
    "check_locale",
    "fold",
    "sort_key",
]
