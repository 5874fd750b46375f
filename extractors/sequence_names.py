"""Names of fields found in sequences of recognised words, misread letters and all.

A name is compared with every stretch of tokens of about its length by edit distance, spaces aside, since OCR loses
and invents them. Of the stretches of a line that may be names, those that together explain most of it are kept: a
weighted choice of disjoint intervals, by dynamic programming.
"""

from __future__ import annotations

import bisect
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from rapidfuzz.distance import Levenshtein

from extractors.labels import Tokens
from extractors.sequence_text import TextLine, Token
from groundtruth.path import Path
from groundtruth.schema import Leaf

LONGEST: Final = 9
"""In tokens."""

_PART_WEIGHT: Final = 0.7
_WEIGHT_BY_SLIP: Final = 0.06
_SLIPS: Final = ((5, 0), (9, 1), (16, 2))
"""Up to how many letters how many may be misread; 3 in longer names."""
_GENERAL: Final = frozenset(
    {"number", "name", "date", "amount", "value", "code", "id", "type", "the", "of", "in", "total", "text", "at", "on"}
)
"""Words a header may leave out of a name, since the column shows what it holds."""
_ASIDE = re.compile(r"^[(\[].*[)\]]:?$")
_CURRENCIES: Final = frozenset({"eur", "usd", "gbp", "chf", "cad", "aud", "jpy"})


class Name(NamedTuple):
    """One name of a leaf.

    Attributes:
        letters: its words without spaces.
        words: how many words it has.
        leaf: what it names.
        weight: how surely, in (0, 1].
    """

    letters: str
    words: int
    leaf: Leaf
    weight: float


class Match(NamedTuple):
    """A stretch of a line that may be the name of leaves.

    Attributes:
        start: the first token.
        stop: the token after the last.
        leaves: what it may name, with weights; the surest first, in the schema's order on a tie.
    """

    start: int
    stop: int
    leaves: tuple[tuple[Leaf, float], ...]

    @property
    def weight(self) -> float:
        """Of the surest leaf."""
        return self.leaves[0][1]


class NameList:
    """The names of some leaves, to be looked up by what was recognised.

    Args:
        names: as ``SchemaNames.of_leaf`` gives them.
        shortened: whether names also count without their general words, as in headers of tables.
    """

    def __init__(self, names: Iterable[tuple[Tokens, Leaf, float]], *, shortened: bool = False) -> None:
        best: dict[tuple[str, Path], Name] = {}
        for tokens, leaf, weight in names:
            for words, share in _forms(tokens, shortened=shortened):
                name = Name("".join(words), len(words), leaf, weight * share)
                key = name.letters, leaf.path
                if name.letters and (key not in best or best[key].weight < name.weight):
                    best[key] = name
        self._names = sorted(best.values(), key=lambda name: len(name.letters))
        self._lengths = [len(name.letters) for name in self._names]
        self._known: dict[str, tuple[tuple[Leaf, float], ...]] = {}

    def named(self, letters: str) -> tuple[tuple[Leaf, float], ...]:
        """The leaves that have a name of nearly these letters, the surest first; () for none."""
        if letters not in self._known:
            self._known[letters] = self._search(letters)
        return self._known[letters]

    def _search(self, letters: str) -> tuple[tuple[Leaf, float], ...]:
        found: dict[Path, tuple[Leaf, float]] = {}
        low = bisect.bisect_left(self._lengths, len(letters) - 3)
        high = bisect.bisect_right(self._lengths, len(letters) + 3)
        for name in self._names[low:high]:
            slips = _slips(letters, name.letters)
            if slips is not None:
                weight = name.weight * (1 - _WEIGHT_BY_SLIP * slips)
                if name.leaf.path not in found or found[name.leaf.path][1] < weight:
                    found[name.leaf.path] = (name.leaf, weight)
        return tuple(sorted(found.values(), key=lambda item: -item[1]))

    def matches(self, line: TextLine) -> list[Match]:
        """Every stretch of the line, within a run of it, that may be a name; by start, then by stop."""
        found = []
        for first, last in line.runs:
            for start in range(first, last):
                if not line.tokens[start].names:
                    continue
                for stop in range(start + 1, min(last, start + LONGEST) + 1):
                    if leaves := self._of(line.tokens[start:stop]):
                        found.append(Match(start, stop, leaves))
        return found

    def _of(self, tokens: Sequence[Token]) -> tuple[tuple[Leaf, float], ...]:
        if not tokens[-1].names:
            return ()
        # What a label adds in brackets, a rate or a unit, may be none of its name.
        return self.named(letters_of(tokens)) or (
            self.named(letters_of(tokens, aside=False)) if len(tokens) > 1 else ()
        )


def letters_of(tokens: Sequence[Token], *, aside: bool = True) -> str:
    """The words of tokens as letters of a name; without ``aside`` what stands in brackets, and currencies, are out."""
    kept = tokens if aside else [token for token in tokens if not is_aside(token.word.text)]
    return "".join(name for token in kept for name in token.names)


def is_aside(text: str) -> bool:
    """Whether words beside a name are none of it: a rate or a unit in brackets, or a currency."""
    return bool(_ASIDE.match(text)) or text.strip("():").casefold() in _CURRENCIES


def _forms(tokens: Tokens, *, shortened: bool) -> Iterable[tuple[Tokens, float]]:
    yield tokens, 1.0
    short = tuple(token for token in tokens if token not in _GENERAL)
    if shortened and short and short != tokens:
        yield short, _PART_WEIGHT


def _slips(read: str, name: str) -> int | None:
    """How many letters of a name were misread, or None when too many for it to be the name.

    A figure is never taken for another: names that differ in one, as address line 1 and 2, are different names.
    """
    allowed = next((slips for length, slips in _SLIPS if len(name) < length), 3)
    slips = Levenshtein.distance(read, name, score_cutoff=allowed)
    if slips > allowed or (slips and _figures(read) != _figures(name)):
        return None
    return slips


def _figures(text: str) -> list[str]:
    return [character for character in text if character.isdecimal()]


def chosen(matches: Sequence[Match]) -> list[Match]:
    """The disjoint matches that explain most of a line: the greatest sum of weighted lengths, earlier ones on a tie."""
    ending: dict[int, list[Match]] = defaultdict(list)
    for match in matches:
        ending[match.stop].append(match)
    last = max(ending, default=0)
    best: list[tuple[float, Match | None]] = [(0.0, None)] * (last + 1)
    for stop in range(1, last + 1):
        best[stop] = (best[stop - 1][0], None)
        for match in ending[stop]:
            # A long name beats the short names inside it.
            worth = best[match.start][0] + match.weight * (match.stop - match.start) ** 1.2
            if worth > best[stop][0] + 1e-9:
                best[stop] = (worth, match)
    found: list[Match] = []
    stop = last
    while stop > 0:
        last_match = best[stop][1]
        if last_match is None:
            stop -= 1
        else:
            found.append(last_match)
            stop = last_match.start
    return found[::-1]
