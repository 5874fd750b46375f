"""Single fields: a label on the page, a value beside or under it, and one assignment of values to fields over all.

Every label offers candidates (behind it in its own segment, in the next segment, in the segment under it, or, for a
checkbox, before it). A candidate must be a value of the field's type and must not be a label itself. The assignment
with the greatest total score is taken, so a printed value serves one field only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NamedTuple

from extractors.assignment import Candidate, assign
from extractors.conventions import Conventions
from extractors.labels import LONGEST_LABEL, LabelBook, Named, Tokens, tokens_of, words_of_name
from extractors.layout import Line, Segment
from extractors.typed import Parsed, checkbox, is_number_like, is_plausible, is_text, parse
from extractors.words import Word
from groundtruth.path import Path
from groundtruth.rules import Comparator
from groundtruth.schema import Leaf

LEAST_SCORE: Final = 0.5
_REACH_DOWN: Final = 2.5
"""How far below a label its value may begin, in line heights."""
_BLOCK_LEADING: Final = 0.9
"""The widest space between the lines of one address, in line heights."""
_LABEL_SURE: Final = 0.9
_LABEL_WORDS: Final = 4
_ABOUT: Final = 0.2


class Position(Enum):
    """Where a value stands relative to its label, with how far that is to be trusted."""

    BEHIND_COLON = 1.0
    RIGHT = 0.95
    BEFORE = 0.94
    BELOW = 0.85
    BEHIND = 0.8
    BEHIND_IN_TEXT = 0.55


_SAME_STYLE: Final = 0.82
"""A right neighbour printed like the label, while the one below is not, is likely the next label."""
_LIKE_THE_LABEL: Final = 0.5
"""Words printed and written like a label without a colon are likely the next label."""


_OPTIONS: Final = frozenset({Comparator.ENUM, Comparator.BOOLEAN})
_BESIDE: Final = frozenset({Position.RIGHT, Position.BELOW})


@dataclass(slots=True)
class Found:
    """What became of the leaves.

    Attributes:
        values: the leaf paths with a value.
        blank: the leaf paths whose label stands there with nothing to it.
    """

    values: dict[Path, Parsed] = field(default_factory=dict)
    blank: set[Path] = field(default_factory=set)


class _Label(NamedTuple):
    """Words that name leaves, and the words behind them in the same segment."""

    named: tuple[Named, ...]
    words: tuple[Word, ...]
    rest: tuple[Word, ...]
    colon: bool


@dataclass(frozen=True)
class _Page:
    lines: Sequence[Line]
    headings: Sequence[tuple[Segment, Path]]


class KeyValues:
    """The search for single fields in one document.

    Args:
        book: the names of the leaves sought.
        headings: names by which a record of the schema may be announced, with its path.
        conventions: how the document writes numbers and dates.
    """

    def __init__(self, book: LabelBook, headings: Mapping[Tokens, Path], conventions: Conventions) -> None:
        self._book = book
        self._heading_names = headings
        self._conventions = conventions

    def find(self, pages: Sequence[Sequence[Line]], taken: frozenset[int]) -> Found:
        """The values of the leaves; words whose order is in ``taken`` are no value."""
        candidates: list[Candidate] = []
        blank: set[Path] = set()
        for lines in pages:
            page = _Page(lines, list(self._headings(lines)))
            for number, line in enumerate(lines):
                for place, segment in enumerate(line.fields):
                    for label in self._labels(segment):
                        offered, is_blank = self._candidates(page, number, place, label, taken)
                        candidates += offered
                        if is_blank:
                            blank.update(named.leaf.path for named in label.named[:1])
        values = assign(candidates)
        tried = {candidate.leaf.path for candidate in candidates}
        return Found(values, blank - tried)

    def _headings(self, lines: Sequence[Line]) -> Iterator[tuple[Segment, Path]]:
        for line in lines:
            for segment in line.fields:
                path = self._heading_names.get(tokens_of(segment.text))
                if path is not None:
                    yield segment, path

    def _labels(self, segment: Segment) -> Iterator[_Label]:
        """The labels of a segment in reading order: at its beginning, and wherever a known name ends in a colon."""
        words = segment.words
        start = 0
        while start < len(words):
            label = self._label_at(words, start)
            if label is None:
                start += 1
                continue
            yield label
            start += len(label.words) + len(label.rest)

    def _label_at(self, words: Sequence[Word], start: int) -> _Label | None:
        """The label that begins at a word: of several about equally sure the longest, which says most."""
        best: _Label | None = None
        for end in range(start + 1, min(len(words), start + LONGEST_LABEL) + 1):
            text = " ".join(word.text for word in words[start:end])
            colon = text.endswith(":") or (end < len(words) and words[end].text in {":", "="})
            if start and not colon:
                continue
            named = self._book.named_by(text)
            if named and (best is None or named[0].weight >= best.named[0].weight - _ABOUT):
                behind = end + (end < len(words) and words[end].text in {":", "=", "-", "–"})
                best = _Label(named, tuple(words[start:end]), self._until_next_label(words, behind), colon)
        return best

    def _until_next_label(self, words: Sequence[Word], start: int) -> tuple[Word, ...]:
        for position in range(start, len(words)):
            for end in range(position + 1, min(len(words), position + LONGEST_LABEL) + 1):
                if not words[end - 1].text.endswith(":"):
                    continue
                text = " ".join(word.text for word in words[position:end])
                if self._book.named_by(text) or end == position + 1:
                    return tuple(words[start:position])
                break
        return tuple(words[start:])

    def _candidates(
        self, page: _Page, number: int, place: int, label: _Label, taken: frozenset[int]
    ) -> tuple[list[Candidate], bool]:
        """The candidates of a label, and whether it stands there with nothing to it."""
        found: list[Candidate] = []
        regions = list(self._regions(page, number, place, label))
        for named in self._in_section(page, label):
            for position, words, trust in regions:
                if position is Position.BEFORE and named.leaf.comparator is not Comparator.BOOLEAN:
                    continue
                if position is Position.BEHIND and is_text(named.leaf) and not is_number_like(named.leaf):
                    trust = Position.BEHIND_IN_TEXT.value
                if position in _BESIDE and is_text(named.leaf) and _looks_like(label, words):
                    trust *= _LIKE_THE_LABEL
                score = named.weight * trust
                if score < LEAST_SCORE or any(word.order in taken for word in words):
                    continue
                if named.leaf.comparator in _OPTIONS and self._is_choice(page, named.leaf, words):
                    continue
                if position is not Position.BEFORE and _is_address(named.leaf):
                    words = self._block(page, label, words)
                parsed = parse(named.leaf, words, self._conventions)
                if parsed is not None and is_plausible(named.leaf, parsed):
                    found.append(Candidate(named.leaf, label.words, parsed, score))
        return found, label.colon and label.named[0].weight >= _LABEL_SURE and not regions

    def _regions(
        self, page: _Page, number: int, place: int, label: _Label
    ) -> Iterator[tuple[Position, tuple[Word, ...], float]]:
        """The words that may be the label's value, with how far their place is to be trusted."""
        line = page.lines[number]
        if label.rest:
            position = Position.BEHIND_COLON if label.colon else Position.BEHIND
            yield position, label.rest, position.value
        segment = line.fields[place]
        if label.words[0] is segment.words[0] and place and checkbox(line.fields[place - 1].text) is not None:
            yield Position.BEFORE, line.fields[place - 1].words, Position.BEFORE.value
        if label.rest:
            return
        own = Segment(label.words)
        below = self._below(page.lines, number, own)
        right = self._right(line, place)
        if right is not None:
            trust = Position.RIGHT.value - 0.1 * (right.x0 - own.x1) / max(line.words[-1].x1, 1.0)
            if not label.colon and below is not None and own.style == right.style != below.style:
                trust *= _SAME_STYLE
            yield Position.RIGHT, right.words, trust
        if below is not None:
            yield Position.BELOW, below.words, Position.BELOW.value

    def _right(self, line: Line, place: int) -> Segment | None:
        if place + 1 >= len(line.fields):
            return None
        neighbour = line.fields[place + 1]
        return None if self._is_label(neighbour) else neighbour

    def _below(self, lines: Sequence[Line], number: int, label: Segment) -> Segment | None:
        for line in lines[number + 1 :]:
            if line.y0 - label.y1 > _REACH_DOWN * (label.y1 - label.y0):
                return None
            for segment in line.fields:
                if segment.overlap(label) > 0 and segment.y0 >= (label.y0 + label.y1) / 2:
                    return None if self._is_label(segment) else segment
        return None

    def _is_label(self, segment: Segment) -> bool:
        """Whether a segment is a name of the schema, or begins like any label: with words up to a colon."""
        named = self._book.named_by(segment.text)
        if named and named[0].weight >= _LABEL_SURE:
            return True
        if tokens_of(segment.text) in self._heading_names:
            return True
        return any(
            word.text.endswith(":") and word.text[:-1].replace(".", "").isalpha()
            for word in segment.words[:LONGEST_LABEL]
        )

    def _is_choice(self, page: _Page, leaf: Leaf, words: Sequence[Word]) -> bool:
        """Whether the words are one of several printed options, of which nothing in the text says which is meant."""
        first = parse(leaf, words, self._conventions)
        beside = (segment for line in page.lines if words[0] in line.words for segment in line.fields)
        others = (parse(leaf, segment.words, self._conventions) for segment in beside)
        return first is not None and any(other is not None and other.key != first.key for other in others)

    def _block(self, page: _Page, label: _Label, words: tuple[Word, ...]) -> tuple[Word, ...]:
        """The words, with the lines under them that belong to the same block of an address.

        The block ends at a wide space, at a line that does not begin in its column, at a label, and at a line that
        stands beside a label of its own.
        """
        block = [Segment(words)]
        left_of_block = Segment(label.words) if label.words[-1].x1 <= words[0].x0 else None
        for line in page.lines:
            last = block[-1]
            if line.y0 < (last.y0 + last.y1) / 2:
                continue
            if line.y0 - last.y1 > _BLOCK_LEADING * (last.y1 - last.y0):
                break
            if left_of_block and any(segment.overlap(left_of_block) > 0 for segment in line.fields):
                break
            under = next((found for found in line.fields if abs(found.x0 - last.x0) < line.unit), None)
            if under is None or self._is_label(under):
                break
            block.append(under)
        return tuple(word for segment in block for word in segment.words)

    def _in_section(self, page: _Page, label: _Label) -> Iterator[Named]:
        """The leaves that a label names: of several records' leaves of one name, those of the section it stands in."""
        surest = label.named[0].weight
        rivals = {named.leaf.path[:-1] for named in label.named if named.weight == surest}
        if len(rivals) == 1:
            yield from label.named
            return
        section = self._section(page, Segment(label.words), rivals)
        yield from (named for named in label.named if section is not None and named.leaf.path[:-1] == section)

    def _section(self, page: _Page, label: Segment, records: set[Path]) -> Path | None:
        """The record among ``records`` whose heading is the nearest above the label, in its column if there is one."""
        above = [
            (segment, path) for segment, path in page.headings if path in records and segment.y0 <= label.y0 + 1e-6
        ]
        aligned = [(segment, path) for segment, path in above if segment.x0 <= label.x1]
        if not aligned:
            return None
        return max(aligned, key=lambda found: (round(found[0].y0, 1), found[0].x0))[1]


def _is_address(leaf: Leaf) -> bool:
    return "address" in words_of_name(leaf) and is_text(leaf)


def _looks_like(label: _Label, words: Sequence[Word]) -> bool:
    """Whether words are printed and written like a label that has no colon: one style, one case, few, no digit."""
    if label.colon or not label.words[0].style or words[0].style != label.words[0].style or len(words) > _LABEL_WORDS:
        return False
    text = "".join(word.text for word in words)
    return not any(map(str.isdecimal, text)) and _case(label.words) == _case(words)


def _case(words: Sequence[Word]) -> str:
    letters = [word.text for word in words if word.text[0].isalpha()]
    if all(text.isupper() for text in letters):
        return "upper"
    return "title" if letters and letters[0][0].isupper() else "lower"
