"""A document as sequences of tokens: its pages as lines, its lines as recognised words in reading order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

from extractors.labels import Tokens, key_tokens
from extractors.words import Word
from groundtruth.recognised import RecognisedPage

SURE: Final = 0.7
"""Confidence from which a word is taken as read; a word below may stand for anything."""

RUN_GAP: Final = 1.6
"""In mean character widths: a wider gap parts two runs of text."""

_FEWEST_WIDTHS: Final = 0.25
_SAME_LINE: Final = 0.5
_OPEN_LINES: Final = 4


class Token(NamedTuple):
    """A recognised word with the names' reading of it.

    Attributes:
        word: as read.
        confidence: in [0, 1].
        names: the word as the words of a name: lower case, abbreviations written out; () for signs alone.
    """

    word: Word
    confidence: float
    names: Tokens

    @property
    def is_sure(self) -> bool:
        """Whether the word may be taken as read: signs that part other words always may."""
        return self.confidence >= SURE or (bool(self.word.text) and set(self.word.text) <= set(":.,;"))


@dataclass(frozen=True)
class TextLine:
    """The tokens of one line of a page, by rising x; never empty.

    Attributes:
        page: from 1.
        tokens: in reading order.
    """

    page: int
    tokens: tuple[Token, ...]

    @cached_property
    def y0(self) -> float:
        """Upper edge in points of the page turned level."""
        return min(token.word.y0 for token in self.tokens)

    @cached_property
    def y1(self) -> float:
        """Lower edge."""
        return max(token.word.y1 for token in self.tokens)

    @property
    def middle(self) -> float:
        """The height of its middle."""
        return (self.y0 + self.y1) / 2

    @cached_property
    def unit(self) -> float:
        """The mean width of a character, in points."""
        width = sum(token.word.x1 - token.word.x0 for token in self.tokens)
        return width / sum(len(token.word.text) for token in self.tokens)

    @cached_property
    def runs(self) -> tuple[tuple[int, int], ...]:
        """The stretches of tokens without a wide gap inside: first index and index after the last."""
        starts = [0, *(index for index, gap in enumerate(self.gaps, start=1) if gap > RUN_GAP), len(self.tokens)]
        return tuple(pairwise(starts))

    @cached_property
    def gaps(self) -> tuple[float, ...]:
        """The white between neighbours, in mean character widths; one fewer than tokens."""
        return tuple(
            (right.word.x0 - left.word.x1) / max(self.unit, _FEWEST_WIDTHS) for left, right in pairwise(self.tokens)
        )

    def text(self, start: int = 0, stop: int | None = None) -> str:
        """The words of a stretch as one text."""
        return " ".join(token.word.text for token in self.tokens[start:stop])


def lines_of(page: RecognisedPage, first: int) -> list[TextLine]:
    """The lines of a page from the top; ``first`` is the order of its first word in the document."""
    lines: list[list[Token]] = []
    for token in sorted(_tokens(page, first), key=lambda token: (token.word.y0 + token.word.y1, token.word.x0)):
        line = _line_at(token.word, lines)
        if line is None:
            lines.append([token])
        else:
            line.append(token)
    made = [
        TextLine(page.number, tuple(sorted(line, key=lambda token: (token.word.x0, token.word.order))))
        for line in lines
    ]
    return sorted(made, key=lambda line: (line.middle, line.tokens[0].word.x0))


def document_lines(pages: Iterable[RecognisedPage]) -> list[list[TextLine]]:
    """The lines of every page; the order of words counts through the document."""
    found, first = [], 0
    for page in pages:
        found.append(lines_of(page, first))
        first += len(page.words)
    return found


def _tokens(page: RecognisedPage, first: int) -> Iterator[Token]:
    for order, word in enumerate(page.words, start=first):
        names = key_tokens(word.text)
        yield Token(Word(word.text, *word.level, word.box, "", page.number, order), word.confidence, names)


def _line_at(word: Word, lines: Sequence[list[Token]]) -> list[Token] | None:
    """Of the latest lines that whose nearest word the word overlaps most, by half the lower one's height at least.

    Columns side by side need not share their baselines: the nearest word decides, not the line as a whole.
    """
    found, most = None, _SAME_LINE
    for line in lines[-_OPEN_LINES:]:
        nearest = min((token.word for token in line), key=lambda other: max(other.x0 - word.x1, word.x0 - other.x1))
        common = min(word.y1, nearest.y1) - max(word.y0, nearest.y0)
        share = common / min(word.y1 - word.y0, nearest.y1 - nearest.y0)
        if share >= most:
            found, most = line, share
    return found
