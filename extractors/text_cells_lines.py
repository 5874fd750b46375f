"""Words to lines of text, and a line to the string that the patterns of names are matched against.

In that string every word is written as the words of a label are compared (``tokens_of``, without a plural's s), and
signs of the layout are words of their own: ``|`` for a wide gap or a leader, ``:`` behind a word that ends in one,
``(`` and ``)``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from extractors.labels import tokens_of
from extractors.words import Word, WordRun

WIDE_GAP: Final = 2.0
"""In mean character widths: a wider gap parts two things that stand in one line."""

FILLERS: Final = frozenset({"the", "of", "your", "our", "this"})
_LEADER = re.compile(r"[._·…‥\-–—=*|¦]{3,}|[|¦]")
_GAP: Final = "| "
_COLONS: Final = (":", "：")
_SHORTEST_PLURAL: Final = 4
_SAME_SIZE: Final = 0.7
"""In points: words whose heights differ by less are of one size."""


@dataclass(frozen=True)
class Run(WordRun):
    """Neighbouring words of a line without a wide gap between them; never empty."""

    words: tuple[Word, ...]


@dataclass(frozen=True)
class TextLine(WordRun):
    """Words that stand on one line, from left to right; never empty."""

    words: tuple[Word, ...]

    @property
    def page(self) -> int:
        """The page it is on, from 1."""
        return self.words[0].page

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """The line parted at wide gaps and leaders; leaders are in none."""
        return tuple(Run(tuple(words)) for words in self._parted())

    def _parted(self) -> Iterator[list[Word]]:
        held: list[Word] = []
        for word in self.words:
            leads = is_leader(word.text)
            if held and (leads or word.x0 - held[-1].x1 > WIDE_GAP * self.unit):
                yield held
                held = []
            if not leads:
                held.append(word)
        if held:
            yield held


def look_alike(one: Word, other: Word) -> bool:
    """Whether two words are set in one style and size; labels are often set unlike values."""
    return one.style == other.style and abs((one.y1 - one.y0) - (other.y1 - other.y0)) < _SAME_SIZE


def is_leader(text: str) -> bool:
    """Whether a word is dots, a rule or a bar: it parts what stands beside it, and is never a value."""
    return _LEADER.fullmatch(text) is not None


def is_label_like(text: str) -> bool:
    """Whether a word ends in a colon, so that what stands before it is a label, known or not."""
    return text.endswith(_COLONS) and any(map(str.isalpha, text))


def lines_of(words: Iterable[Word]) -> list[TextLine]:
    """Words by common base line, from the top; a word joins the line whose middle it covers or that covers its own."""
    rows: list[list[Word]] = []
    middles: list[float] = []
    for word in sorted(words, key=lambda word: (word.y1 + word.y0, word.x0)):
        middle = (word.y0 + word.y1) / 2
        reach = (word.y1 - word.y0) * 0.4
        if rows and abs(middle - middles[-1]) <= reach:
            rows[-1].append(word)
            middles[-1] += (middle - middles[-1]) / len(rows[-1])
        else:
            rows.append([word])
            middles.append(middle)
    return [TextLine(tuple(sorted(row, key=lambda word: (word.x0, word.order)))) for row in rows]


@dataclass(frozen=True, slots=True)
class Folded:
    """A text in the form that patterns match, and the word that each position of it belongs to."""

    text: str
    starts: tuple[int, ...]
    word_of: tuple[int, ...]

    def word_at(self, position: int) -> int | None:
        """The index of the word that begins at a position or next behind it; None inside a word."""
        token = bisect_left(self.starts, position)
        if token == len(self.starts):
            return self.word_of[-1] + 1 if self.word_of else 0
        word = self.word_of[token]
        whole = token == 0 or self.word_of[token - 1] != word or self.text.startswith(_GAP, self.starts[token - 1])
        return word if whole else None


def fold_words(words: Sequence[Word]) -> Folded:
    """The folded form of the words of one line, wide gaps marked."""
    unit = sum(word.x1 - word.x0 for word in words) / max(1, sum(len(word.text) for word in words))
    parts: list[str] = []
    starts: list[int] = []
    owners: list[int] = []
    length = 0

    def put(token: str, owner: int) -> None:
        nonlocal length
        parts.append(token)
        starts.append(length)
        owners.append(owner)
        length += len(token) + 1

    for index, word in enumerate(words):
        if index and (is_leader(word.text) or word.x0 - words[index - 1].x1 > WIDE_GAP * unit):
            put("|", index)
        for token in _marked(word.text):
            put(token, index)
    return Folded("".join(f"{part} " for part in parts), tuple(starts), tuple(owners))


def fold_text(text: str) -> str:
    """The folded form of a text that stands alone, such as that of a whole cell; gaps do not count."""
    return " ".join(token for part in text.split() for token in _marked(part))


def fold_tokens(tokens: Iterable[str]) -> tuple[str, ...]:
    """The words of a name as the folded form writes them."""
    return tuple(_singular(token) for token in tokens if token not in FILLERS and token != "s")


def _marked(text: str) -> Iterator[str]:
    if is_leader(text):
        yield "|"
        return
    if text.startswith("("):
        yield "("
    bare = fold_tokens(tokens_of(text))
    yield from bare or (() if text in _COLONS or set(text) <= set("()") or tokens_of(text) else ("·",))
    end = text.rstrip("".join(_COLONS))
    if end.endswith(")"):
        yield ")"
    if text.endswith(_COLONS):
        yield ":"


def _singular(token: str) -> str:
    plural = len(token) >= _SHORTEST_PLURAL and token.endswith("s") and not token.endswith("ss")
    return token.removesuffix("s") if plural else token
