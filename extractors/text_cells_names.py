"""Regular expressions compiled from the names of a schema's fields, and what they find in a line or a cell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from extractors.labels import Tokens
from extractors.text_cells_lines import Folded, fold_text, fold_tokens
from groundtruth.path import Path
from groundtruth.schema import Leaf

_TAILS: Final = frozenset({"number", "name", "date", "amount", "value", "code", "id", "detail", "info"})
"""A printed label may lack such a word at the end of a name."""

_FULL: Final = 2
_SHORTENED: Final = 1
_BRACKET = re.compile(r"[()] ")
_NEVER: Final = "(?!)"
_BRACKETS: Final = r" (?:[()] )*"
"""Between the words of a name, any of which may be in parentheses."""

_HINT: Final = r"(?:\( (?:[^|:() ]+ ){1,6}\) )?"


class Claim(NamedTuple):
    """A leaf that some words name.

    Attributes:
        leaf: the field.
        rank: how surely; a full name before a shortened one, then longer names first.
    """

    leaf: Leaf
    rank: tuple[int, int]


class Hit(NamedTuple):
    """A name in a line.

    Attributes:
        start: index of its first word in the line.
        end: index after its last word.
        colon: whether a colon ends it.
        opens: whether it begins the line, or stands behind a wide gap.
        claims: the leaves so named, all of the best rank; never empty.
    """

    start: int
    end: int
    colon: bool
    opens: bool
    claims: tuple[Claim, ...]


class NamePatterns:
    """The names of some leaves. Names of equal words are one name of several leaves."""

    def __init__(self, names: Iterable[tuple[Tokens, Leaf, float]]) -> None:
        self._claims: dict[str, dict[Path, Claim]] = {}
        full = [(folded, leaf) for tokens, leaf, _ in names if (folded := fold_tokens(tokens))]
        for folded, leaf in full:
            self._add(folded, leaf, _FULL)
        for folded, leaf in full:
            if len(folded) > 1 and folded[-1] in _TAILS:
                self._shorten(folded[:-1], leaf)
        by_length = sorted(self._claims, key=lambda name: (-len(name.split()), name))
        names_pattern = "|".join(_BRACKETS.join(map(re.escape, name.split())) for name in by_length) or _NEVER
        self._whole = re.compile(rf"(?P<name>{names_pattern}) (?:\) )?{_HINT}(?P<colon>: )?")
        self._within = re.compile(rf"(?<!\S)(?P<name>{names_pattern}) (?:\) )?{_HINT}(?P<colon>: )?")

    def _add(self, folded: tuple[str, ...], leaf: Leaf, quality: int) -> None:
        held = self._claims.setdefault(" ".join(folded), {})
        claim = Claim(leaf, (quality, len(folded)))
        if leaf.path not in held or held[leaf.path].rank < claim.rank:
            held[leaf.path] = claim

    def _shorten(self, folded: tuple[str, ...], leaf: Leaf) -> None:
        name = " ".join(folded)
        held = self._claims.get(name, {})
        if all(claim.rank[0] == _SHORTENED for claim in held.values()):
            self._add(folded, leaf, _SHORTENED)

    def whole(self, text: str) -> tuple[Claim, ...]:
        """The leaves that a text names as a whole, a hint in parentheses and a colon aside; () for none."""
        found = self._whole.fullmatch(f"{fold_text(text)} ")
        return self._best(found["name"]) if found else ()

    def spelt_by(self, words: frozenset[str]) -> int:
        """How many leaves have a name all of whose words are among these folded ones."""
        return len({path for name, held in self._claims.items() if words.issuperset(name.split()) for path in held})

    def hits(self, line: Folded) -> Iterator[Hit]:
        """The names in a line from left to right, the longest at each place; no two overlap."""
        for found in self._within.finditer(line.text):
            start, end = line.word_at(found.start()), line.word_at(found.end())
            if start is not None and end is not None:
                opens = found.start() == 0 or line.text.endswith("| ", 0, found.start())
                yield Hit(start, end, bool(found["colon"]), opens, self._best(found["name"]))

    def _best(self, name: str) -> tuple[Claim, ...]:
        claims = self._claims[_BRACKET.sub("", name)].values()
        best = max(claim.rank for claim in claims)
        return tuple(claim for claim in claims if claim.rank == best)
