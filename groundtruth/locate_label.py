"""What a label says about a place: whether the words beside or above it name the field."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from groundtruth.locate_find import Place
from groundtruth.locate_fold import Piece, fold, is_right_to_left, pieces
from groundtruth.locate_layout import Layout
from groundtruth.path import Path
from groundtruth.schema import Leaf

BESIDE_BITS: Final = 8.0
"""A label that names the field in full, before the value in its line."""
ABOVE_BITS: Final = 6.0
"""The same above the value."""
PARENT_BITS: Final = 3.0
"""The object around the field is named nearby."""
GOOD_MATCH: Final = 0.5
"""A label must share this much with the field's name (F1 over words) to count."""

_TAIL_OF_LABEL: Final = 0.8
_MOST_WORDS: Final = 8
_LINES_ABOVE: Final = 3
_LINES_OF_HEADING: Final = 8
# Of the height of the value: how far above it a label may stand.
_GAP_ABOVE: Final = 2.5
_QUOTED: Final = re.compile(r"[\"“'‘(]([^\"”'’()]{2,60})[\"”'’)]")
_CAMEL: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W_A-Za-z0-9]+")
_TAG: Final = re.compile(r"<(?:[\w.-]+:)?([\w.-]+)")
_IS_CAMEL: Final = re.compile(r"[a-z][A-Z]")
_STOP_WORDS: Final = frozenset(
    {"a", "an", "and", "at", "by", "de", "der", "des", "die", "du", "for", "in", "la", "le", "of", "on", "or", "per"}
    | {"the", "to", "und", "von"}
)
_SAME: Final = {
    short: long
    for long, shorts in {
        "number": "no nr num nbr numero nº n",
        "quantity": "qty quant",
        "amount": "amt amnt",
        "account": "acct acc",
        "invoice": "inv",
        "description": "desc descr",
        "address": "addr",
        "telephone": "tel phone ph",
        "percent": "pct percentage",
        "date": "dated dt",
        "identifier": "id ident",
        "reference": "ref",
        "purchase": "po",
        "organization": "organisation org",
        "company": "co",
        "maximum": "max",
        "minimum": "min",
        "average": "avg",
        "department": "dept",
        "weight": "wt",
        "birth": "dob",
    }.items()
    for short in shorts.split()
}


class Label(NamedTuple):
    """One way to name a field.

    Attributes:
        words: its folded words.
        weight: what a full match is worth, of 1.
    """

    words: frozenset[str]
    weight: float


class Heading(NamedTuple):
    """A cell that names a field.

    Attributes:
        match: how well, of 1.
        start: where it begins along its line.
        end: where it ends.
    """

    match: float
    start: float
    end: float


class LabelReader:
    """Reads the labels around places."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def bits(self, place: Place, leaf: Leaf) -> float:
        """How much the labels beside and above a place speak for it, in bits; 0 where none names the field."""
        own, parent = labels_of(leaf)
        beside = BESIDE_BITS * max(
            (_leading_match(words, own) for words in self._before(place)),
            default=0.0,
        )
        above = ABOVE_BITS * max(
            (_match(words, own) for words in self._above(place, _LINES_ABOVE, _GAP_ABOVE)), default=0.0
        )
        bits = max(beside, above)
        if parent and any(_match(words, parent) for words in self._around(place)):
            bits += PARENT_BITS
        return bits

    def headings(self, leaf: Leaf, line: int) -> list[Heading]:
        """The cells above a printed line that name the field, the best match first."""
        own, _ = labels_of(leaf)
        found: list[Heading] = []
        for above in range(max(0, line - _LINES_OF_HEADING), line):
            for cell in self._layout.cells_of_line(above):
                match = _match(self._words(self._layout.cells[cell]), own)
                if match:
                    span = self._layout.cell_span(cell)
                    found.append(Heading(match, span.start, span.end))
        return sorted(found, key=lambda heading: (-heading.match, heading.start, heading.end))

    def _before(self, place: Place) -> Iterable[list[str]]:
        """The words that lead up to a place in its line, nearest last; on both sides where text runs both ways."""
        layout = self._layout
        first = place.words[0]
        text = layout.words[first].text
        inside = _leading_piece_words(text) if place.part else []
        line = layout.lines[layout.line[first]]
        position = line.index(first)
        yield self._nearest(line[:position], layout.cell[first]) + inside
        last = max(line.index(word) for word in place.words if layout.line[word] == layout.line[first])
        if any(is_right_to_left(layout.words[word].text) for word in line[last + 1 :]):
            yield self._nearest(line[last + 1 :][::-1], layout.cell[first]) + inside

    def _nearest(self, words: Sequence[int], own_cell: int) -> list[str]:
        """The last words of a sequence, those of the value's own cell or else of the one beside it."""
        layout = self._layout
        cell = next((layout.cell[word] for word in reversed(words) if layout.is_spoken(word)), None)
        if cell is None:
            return []
        kept = [word for word in words if layout.cell[word] in (cell, own_cell)]
        tags = [tag[1] for word in kept if (tag := _TAG.match(layout.words[word].text))]
        # The tag before a value names it; its namespace and its attributes do not.
        return list(_label_words(tags[-1])) if tags else self._words(kept)[-_MOST_WORDS:]

    def _above(self, place: Place, lines: int, gap: float) -> Iterable[list[str]]:
        """The words of the cells over a place: of each line, and of each line with all below it."""
        layout = self._layout
        span = layout.span[place.words[0]]
        page = layout.page[place.words[0]]
        stacked: list[str] = []
        for line in range(place.line - 1, max(-1, place.line - 1 - lines), -1):
            if layout.page[layout.lines[line][0]] != page:
                return
            for cell in layout.cells_of_line(line):
                over = layout.cell_span(cell)
                if over.start < place.end and place.start < over.end and span.top - over.bottom <= gap * span.height:
                    words = self._words(layout.cells[cell])
                    yield words
                    if stacked:
                        yield words + stacked
                    stacked = words + stacked

    def _around(self, place: Place) -> Iterable[list[str]]:
        yield from self._above(place, _LINES_OF_HEADING, 2.0 * _LINES_OF_HEADING)
        yield from self._before(place)

    def _words(self, words: Sequence[int]) -> list[str]:
        return [label for word in words for label in _label_words(self._layout.words[word].text)]


@lru_cache(maxsize=1 << 14)
def labels_of(leaf: Leaf) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
    """The names of a field, and those of the object around it."""
    keys = [step for step in leaf.path if isinstance(step, str)]
    parent = _parent_words(leaf.path)
    names = [(_split_key(keys[-1]) if keys else frozenset(), 1.0), (_label_set(leaf.title), 1.0)]
    names += [(_label_set(phrase), 1.0) for phrase in _QUOTED.findall(leaf.description)]
    if parent and keys:
        names += [(parent | _split_key(keys[-1]), 1.0), (parent, 0.7)]
    own = tuple(dict.fromkeys(Label(words, weight) for words, weight in names if words))
    return own, (Label(parent, 1.0),) if parent else ()


def _parent_words(path: Path) -> frozenset[str]:
    """The name of the object around a leaf; none for a row, whose array is named once for all of them."""
    if len(path) > 1 and isinstance(path[-2], str):
        return _split_key(path[-2])
    return frozenset()


def _match(words: Sequence[str], labels: Sequence[Label]) -> float:
    """How well words name a field: F1 over the words, 0 below ``GOOD_MATCH``."""
    said = {word for word in words if word not in _STOP_WORDS}
    if not said:
        return 0.0
    best = max(
        (label.weight * 2 * len(said & label.words) / (len(said) + len(label.words)) for label in labels),
        default=0.0,
    )
    return best if best >= GOOD_MATCH else 0.0


def _leading_match(words: Sequence[str], labels: Sequence[Label]) -> float:
    """The best match of words before a value; the last few of them count less than all, which may be a longer name."""
    return max(
        (_match(words[first:], labels) * (1.0 if first == 0 else _TAIL_OF_LABEL) for first in range(len(words))),
        default=0.0,
    )


def _label_set(text: str) -> frozenset[str]:
    return frozenset(word for part in text.split() for word in _label_words(part)) - _STOP_WORDS


def _split_key(key: str) -> frozenset[str]:
    return frozenset(word for part in _CAMEL.findall(key) for word in _label_words(part)) - _STOP_WORDS


@lru_cache(maxsize=1 << 14)
def _label_words(text: str) -> tuple[str, ...]:
    # The long form stands for its short ones, the singular for the plural.
    parts = [part for piece in pieces(text) for part in _split_camel(piece)]
    return tuple(_plain(part) for part in parts if not part.isdigit())


def _split_camel(piece: Piece) -> list[str]:
    # Tags and keys are written like this, and no ordinary word is.
    return [fold(part) for part in _CAMEL.findall(piece.text)] if _IS_CAMEL.search(piece.text) else [piece.fold]


def _plain(word: str) -> str:
    word = _SAME.get(word, word)
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _leading_piece_words(text: str) -> list[str]:
    return [word for piece in pieces(text)[:-1] for word in _label_words(piece.text)]
