"""What a run of text names, for an engine that misspells: word by word, each word as far as it is alike.

A label and a name are compared as two bags of words. Words that nearly every label may bear count little, words that
say nothing count hardly at all, and figures must be the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from typing import Final, Generic, NamedTuple, TypeVar

from rapidfuzz import fuzz

from extractors.labels import Tokens, tokens_of

T = TypeVar("T", bound=Hashable)

NAMED: Final = 0.87
"""From this score on a text counts as the name of something."""
_ALIKE: Final = 0.75
"""Words that are less alike are different words."""
_SHORT: Final = 3
"""Words of so few letters must be equal."""
_GENERIC: Final = frozenset({"number", "name", "date", "amount", "value", "code", "id", "type", "details", "info"})
_SILENT: Final = frozenset(
    {"the", "a", "an", "of", "your", "our", "this", "is", "and", "for", "to", "in", "optional", "required", "please"}
)
_LONGEST: Final = 10
"""In words; what is longer is a sentence."""
_PARENTHESES: Final = re.compile(r"\([^()]*\)?")
_CONFUSED: Final = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l", "5": "s", "8": "b"})


class Named(NamedTuple, Generic[T]):
    """Something that a text may name, and how well, in (0, 1]."""

    thing: T
    score: float


class NameBook(Generic[T]):
    """Things with their names, each with a weight in (0, 1]."""

    def __init__(self, names: Iterable[tuple[Tokens, T, float]]) -> None:
        best: dict[tuple[Tokens, T], float] = {}
        for tokens, thing, weight in names:
            if tokens:
                best[tokens, thing] = max(weight, best.get((tokens, thing), 0.0))
        self._names = [(tokens, thing, weight) for (tokens, thing), weight in best.items()]
        self._known: dict[str, tuple[Named[T], ...]] = {}

    def named_by(self, text: str) -> tuple[Named[T], ...]:
        """What ``text`` may name, best first, in the order of the book on a tie; () for no name.

        What a label adds in parentheses (a unit, a hint) may be left out.
        """
        if text not in self._known:
            found = self._search(tokens_of(text))
            if not found and "(" in text:
                found = self._search(tokens_of(_PARENTHESES.sub(" ", text)))
            self._known[text] = tuple(found)
        return self._known[text]

    def _search(self, printed: Tokens) -> Sequence[Named[T]]:
        if not 0 < len(printed) <= _LONGEST:
            return ()
        best: dict[T, float] = {}
        for tokens, thing, weight in self._names:
            score = weight * likeness(tokens, printed)
            if score >= NAMED * weight and score > best.get(thing, 0.0):
                best[thing] = score
        return sorted((Named(thing, score) for thing, score in best.items()), key=_by_score)


def _by_score(named: Named[T]) -> float:
    return -named.score


@lru_cache(maxsize=100_000)
def likeness(name: Tokens, printed: Tokens) -> float:
    """How well printed words stand for a name, in [0, 1]; 1 for the same words in the same order."""
    if name == printed:
        return 1.0
    if _figures(name) != _figures(printed):
        return 0.0
    # An engine that loses the space between two words spells the whole alike.
    together = fuzz.ratio(_outline("".join(name)), _outline("".join(printed))) / 100
    if min(len("".join(name)), len("".join(printed))) <= _SHORT:
        together = 0.0
    return max(_shared(name, printed), together if together >= NAMED else 0.0)


def _outline(word: str) -> str:
    """The word with one sign for all that an engine confuses."""
    return word.replace("rn", "m").replace("vv", "w").translate(_CONFUSED)


def _figures(tokens: Tokens) -> list[str]:
    return [token for token in tokens if token.isdecimal()]


def _shared(name: Tokens, printed: Tokens) -> float:
    """The share of weight that both have in common; a word is used once, by the word it is most like."""
    left = list(printed)
    common = 0.0
    for token in name:
        match = max(left, key=_likeness_to(token), default=None)
        if match is not None and (alike := word_likeness(token, match)) > 0:
            left.remove(match)
            common += alike * (_weight(token) + _weight(match))
    return common / (sum(map(_weight, name)) + sum(map(_weight, printed)))


def _likeness_to(token: str) -> Callable[[str], float]:
    return lambda other: word_likeness(token, other)


def _weight(token: str) -> float:
    return 0.1 if token in _SILENT else 0.6 if token in _GENERIC else 1.0


@lru_cache(maxsize=100_000)
def word_likeness(first: str, second: str) -> float:
    """How alike two words are, in [0, 1]; 0 for different words. Letters that an engine confuses count as the same."""
    if first == second:
        return 1.0
    if first.isdecimal() or second.isdecimal() or min(len(first), len(second)) <= _SHORT:
        return 0.98 if _outline(first) == _outline(second) and len(first) > 1 else 0.0
    alike = fuzz.ratio(_outline(first), _outline(second)) / 100
    return alike if alike >= _ALIKE else 0.0
