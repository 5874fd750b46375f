"""From printed words to a value of a field: the type gate of every candidate, through the project's one equality."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final, NamedTuple

from extractors.conventions import Conventions
from extractors.labels import words_of_name
from extractors.words import Word, join
from groundtruth.jsontext import Json
from groundtruth.rules import Comparator, FieldRule
from groundtruth.schema import Leaf
from groundtruth.value import Flag, Key, Value, canonical

_NUMERIC: Final = frozenset({Comparator.NUMBER, Comparator.INTEGER, Comparator.CURRENCY})
_LONGEST_DATE: Final = 5
_LONGEST_UNIT: Final = 8
_DEFAULT_LOCALE: Final = FieldRule().locale
_COMMA_LOCALE: Final = "es-ES"
"""Decimal comma, groups by dot or space."""

_CHECKED: Final = frozenset("☒☑✓✔✗✘✕🗹🗷■⊠")
_UNCHECKED: Final = frozenset("☐□▢❏❑○◯⬜")
_NUMBER_WORDS: Final = frozenset({"number", "id", "code", "zip", "phone", "fax", "iban", "account"})
_PROSE_WORDS: Final = frozenset(
    {"description", "address", "notes", "note", "remarks", "comments", "comment", "terms", "reason", "summary", "text",
     "details", "instructions", "goods"}
)  # fmt: skip
_LONGEST_NUMBER: Final = 6
_LONGEST_TEXT: Final = 12

_ISO_WANTED = re.compile(r"\b(yyyy-mm-dd|iso[- ]?8601|iso date)\b", re.IGNORECASE)
_PERCENT_WANTED = re.compile(r"%|percent|\brate\b", re.IGNORECASE)
_UNIT_SIGNS = re.compile(r"[./°²³*-]")
_ITEM_MARKS = re.compile(r"\s*[,;•|·]\s*")
_TRANSFORMED = re.compile(
    r"\b(infer|classif|summar|normali[sz]ed|convert|translat|concatenat|joined|combined|in words)", re.IGNORECASE
)


class Parsed(NamedTuple):
    """A value of a field, as the ballot holds it, its key in the project's equality, and the words that make it."""

    value: Json
    key: Key
    words: tuple[Word, ...]


def is_judgeable(leaf: Leaf) -> bool:
    """Whether the leaf asks for something printed as it is, not for a free structure or for what is made of it."""
    return leaf.comparator is not Comparator.OPAQUE and not _TRANSFORMED.search(leaf.description)


def is_number_like(leaf: Leaf) -> bool:
    """Whether the leaf is text that must hold a digit, since its name says number, code or the like."""
    return bool(words_of_name(leaf) & _NUMBER_WORDS)


def is_text(leaf: Leaf) -> bool:
    """Whether any words at all are a value of the leaf, so that its type says nothing about them."""
    return _as_read(leaf, Conventions()).comparator in {
        Comparator.TEXT,
        Comparator.CASE_INSENSITIVE,
        Comparator.TYPOGRAPHIC,
        Comparator.IDENTIFIER,
        Comparator.UNION,
        Comparator.LIST,
    }


def parse(leaf: Leaf, words: Sequence[Word], conventions: Conventions) -> Parsed | None:
    """The value that the words print, or None when they print none of this field.

    A date may be followed by other words, and a number by one or two words of unit; every other value is all of the
    words.
    """
    reading = _as_read(leaf, conventions)
    for found in _spans(reading, words):
        for text in _variants(reading, join(found)):
            parsed = _value(reading, text, found)
            if parsed is not None:
                return parsed
    return None


def is_plausible(leaf: Leaf, parsed: Parsed) -> bool:
    """Whether any text may be a value of the leaf, as far as its name says: the only gate that text has.

    A number or code holds a digit and is short, a name holds a letter, and only what is named like prose is long.
    """
    if not is_text(leaf) or not isinstance(parsed.value, str):
        return True
    name, text = words_of_name(leaf), parsed.value
    if is_number_like(leaf):
        return any(map(str.isdecimal, text)) and len(parsed.words) <= _LONGEST_NUMBER
    if "name" in name and not any(map(str.isalpha, text)):
        return False
    return len(parsed.words) <= _LONGEST_TEXT or bool(name & _PROSE_WORDS)


def checkbox(mark: str) -> bool | None:
    """Whether a mark is a checked or an unchecked box; None for any other text."""
    bare = mark.strip("[]() ")
    if mark[:1] in "[(" and mark[-1:] in "])" and bare.casefold() in {"", "x"}:
        return bool(bare)
    if len(bare) == 1 and bare in _CHECKED | _UNCHECKED:
        return bare in _CHECKED
    return None


def _as_read(leaf: Leaf, conventions: Conventions) -> Leaf:
    """The leaf with the document's own conventions where its rule says nothing."""
    comparator, rule = leaf.comparator, leaf.rule
    if comparator in _NUMERIC:
        # A printed amount carries its sign also where the field wants the bare number.
        comparator = Comparator.CURRENCY
        if conventions.decimal_comma and rule.locale == _DEFAULT_LOCALE:
            rule = rule.model_copy(update={"locale": _COMMA_LOCALE})
    elif comparator is Comparator.TEXT and _ISO_WANTED.search(leaf.description):
        comparator = Comparator.DATE
    if comparator is Comparator.DATE and rule.date_order is None:
        rule = rule.model_copy(update={"date_order": conventions.date_order})
    return replace(leaf, comparator=comparator, rule=rule)


def _spans(leaf: Leaf, words: Sequence[Word]) -> Iterator[tuple[Word, ...]]:
    yield tuple(words)
    if leaf.comparator is Comparator.DATE:
        for length in range(min(_LONGEST_DATE, len(words) - 1), 0, -1):
            yield tuple(words[:length])
    elif leaf.comparator is Comparator.CURRENCY:
        for length in range(len(words) - 1, max(0, len(words) - 3), -1):
            if all(_is_unit(word.text) for word in words[length:]):
                yield tuple(words[:length])


def _is_unit(text: str) -> bool:
    return len(text) <= _LONGEST_UNIT and _UNIT_SIGNS.sub("", text).isalpha()


def _variants(leaf: Leaf, text: str) -> Iterator[str]:
    yield text
    if leaf.comparator is Comparator.CURRENCY and text.endswith("%"):
        if _PERCENT_WANTED.search(f"{leaf.path[-1]} {leaf.title} {leaf.description}".replace("_", " ")):
            yield text.removesuffix("%").rstrip()
    elif leaf.comparator is Comparator.BOOLEAN and (checked := checkbox(text)) is not None:
        yield "yes" if checked else "no"


def _value(leaf: Leaf, text: str, words: tuple[Word, ...]) -> Parsed | None:
    raw: Json = text
    if leaf.comparator is Comparator.LIST:
        raw = [item for item in _ITEM_MARKS.split(text) if item]
    reading = canonical(leaf, raw)
    if not isinstance(reading, Value):
        return None
    surface = reading.surface
    if leaf.comparator is Comparator.CURRENCY and leaf.types == {"integer"} and not _is_whole(surface):
        return None
    if Flag.AMBIGUOUS_DATE in reading.flags:
        surface = text
    return Parsed(surface, reading.key, words)


def _is_whole(number: Json) -> bool:
    return isinstance(number, int) or (isinstance(number, Decimal) and number == number.to_integral_value())


Parse = Callable[[Leaf, Sequence[Word]], Parsed | None]
