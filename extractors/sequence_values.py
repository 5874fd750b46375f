"""From tokens to the value of a leaf, a blank, or the say that something stands there that was not read for sure.

A place with ink is never null: what is no value of its leaf, and every word read with little confidence, becomes a
``Malformed`` with the text as it was read, on which the ballot abstains at that one place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from extractors.conventions import Conventions
from extractors.labels import words_of_name
from extractors.sequence_text import Token
from extractors.typed import Parsed, is_plausible, is_text, parse
from extractors.words import join
from groundtruth.jsontext import Malformed
from groundtruth.path import Path
from groundtruth.rules import Comparator
from groundtruth.schema import Leaf
from groundtruth.value import Null, canonical

UNSURE: Final = "not_read_for_sure"
"""The code of a reading that stands where something is printed that could not be read for sure."""

_NUMERIC: Final = frozenset({Comparator.NUMBER, Comparator.INTEGER, Comparator.CURRENCY})
_FEWEST: Final = 6
_MOST: Final = 0.9
_DECIMALS = re.compile(r"[.,](\d+)\D*$")
_WRONG_GROUPS = re.compile(
    r"\d,\d{1,2}(?!\d)[\d,]*\.|\d\.\d{1,2}(?!\d)[\d.]*,|\d{4,}[,.]\d{3}[,.]|,\d{3}\.\d{3}$|\.\d{3},\d{3}$"
)


class ValueReader:
    """Reads tokens as values under the conventions of one document."""

    def __init__(self, conventions: Conventions) -> None:
        self._conventions = conventions
        self._fits: dict[tuple[Path, str], bool] = {}

    def fits(self, leaf: Leaf, tokens: Sequence[Token]) -> bool:
        """Whether the tokens print a value of the leaf, or that there is none."""
        text = join(token.word for token in tokens)
        key = leaf.path, text
        if key not in self._fits:
            parsed = self._parse(leaf, tokens)
            self._fits[key] = is_plausible(leaf, parsed) if parsed else isinstance(canonical(leaf, text), Null)
        return self._fits[key]

    def value(self, leaf: Leaf, tokens: Sequence[Token]) -> Parsed | None:
        """The value that the tokens print, ``Malformed`` when they were not read for sure, None for a printed blank."""
        text = join(token.word for token in tokens)
        if all(token.is_sure for token in tokens):
            parsed = self._parse(leaf, tokens)
            if parsed is not None and is_plausible(leaf, parsed):
                return parsed
            if isinstance(canonical(leaf, text), Null):
                return None
        return unsure(text)

    def _parse(self, leaf: Leaf, tokens: Sequence[Token]) -> Parsed | None:
        words = [token.word for token in tokens]
        if leaf.comparator in _NUMERIC and _WRONG_GROUPS.search(join(words)):
            # A comma read as a point makes a number, and a wrong one.
            return None
        return parse(leaf, words, self._conventions)


def unsure(text: str) -> Parsed:
    """What stands for a text that was not read for sure; it cites nothing."""
    return Parsed(Malformed(text, UNSURE), ("unsure", text), ())


def is_unsure(parsed: Parsed) -> bool:
    """Whether it is no value."""
    return isinstance(parsed.value, Malformed)


def doubted(leaf: Leaf, column: Sequence[Parsed | None]) -> list[Parsed | None]:
    """The values of a column; those that break a form nearly all others share are not taken as read.

    Amounts with as many decimals, and codes with as many letters and figures in the same order: where a point was
    lost or a letter won, the form shows it.
    """
    forms = [_form(leaf, parsed) for parsed in column]
    counted = Counter(form for form in forms if form is not None)
    if not counted:
        return list(column)
    common, count = min(counted.items(), key=lambda item: (-item[1], item[0]))
    total = sum(counted.values())
    if total < _FEWEST or count < _MOST * total:
        return list(column)
    return [
        unsure(_text(parsed)) if parsed is not None and form is not None and form != common else parsed
        for parsed, form in zip(column, forms, strict=True)
    ]


def _form(leaf: Leaf, parsed: Parsed | None) -> str | None:
    if parsed is None or is_unsure(parsed):
        return None
    text = _text(parsed)
    if leaf.comparator in _NUMERIC:
        found = _DECIMALS.search(text)
        return str(len(found.group(1)) if found else 0)
    if not is_text(leaf) or " " in text or not words_of_name(leaf):
        return None
    if not any(map(str.isdecimal, text)):
        return None
    return "".join("9" if character.isdecimal() else "A" if character.isalpha() else character for character in text)


def _text(parsed: Parsed) -> str:
    return join(parsed.words)
