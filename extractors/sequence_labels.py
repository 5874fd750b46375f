"""Where the lines of a document name its fields: labels with what they name, and the headings they stand under."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from extractors.labels import SchemaNames
from extractors.sequence_names import Match, NameList, chosen, is_aside, letters_of
from extractors.sequence_text import TextLine
from extractors.typed import checkbox, is_judgeable
from groundtruth.path import EACH, Path
from groundtruth.schema import FrozenSchema, Leaf, Record

_AS_SURE: Final = 0.08
"""Names that differ by less in weight are as sure."""

_COLON: Final = ":"
_EXACT: Final = 0.88
_ASIDE_GAP: Final = 3.0
_LONGEST_ASIDE: Final = 4


@dataclass(frozen=True, slots=True)
class Label:
    """A label on a line.

    Attributes:
        line: index of its line on the page.
        start: its first token.
        stop: the token after it and its colon.
        leaf: what it names; None when it names what stands in tables, or several fields alike.
        weight: how surely, in (0, 1].
        has_colon: whether it ends in a colon, so that its value follows.
    """

    line: int
    start: int
    stop: int
    leaf: Leaf | None
    weight: float
    has_colon: bool


class _Heading(NamedTuple):
    page: int
    line: int
    x0: float
    record: Path


class LabelFinder:
    """Finds the labels of a schema's fields."""

    def __init__(self, schema: FrozenSchema, names: SchemaNames) -> None:
        own = [leaf for leaf in schema.root.leaves() if is_judgeable(leaf)]
        self._own = frozenset(leaf.path for leaf in own)
        others = [
            (table, leaf) for table in schema.root.tables() for leaf in table.row.leaves() if leaf.path not in self._own
        ]
        self._names = NameList(
            [name for leaf in own for name in names.of_leaf(leaf)]
            + [name for table, leaf in others for name in names.of_leaf(leaf, within=(*table.path, EACH))]
        )
        self._records = _record_names(schema.root, names)

    def find(self, pages: Sequence[Sequence[TextLine]]) -> list[list[Label]]:
        """The labels of every page, by line and then from the left."""
        headings: list[_Heading] = []
        found = []
        for page, lines in enumerate(pages):
            labels: list[Label] = []
            for number, line in enumerate(lines):
                headings += self._headings(page, number, line)
                matches = [match for match in self._names.matches(line) if _is_label(line, match)]
                labels += [self._label(line, number, match, headings) for match in chosen(matches)]
            found.append(labels)
        return found

    def _headings(self, page: int, number: int, line: TextLine) -> Iterator[_Heading]:
        for start, stop in line.runs:
            record = self._records.get(letters_of(line.tokens[start:stop]))
            if record is not None:
                yield _Heading(page, number, line.tokens[start].word.x0, record)

    def _label(self, line: TextLine, number: int, match: Match, headings: Sequence[_Heading]) -> Label:
        stop, has_colon = _after_colon(line, match.stop)
        leaf, weight = self._named(line, match, headings)
        return Label(number, match.start, stop, leaf, weight, has_colon)

    def _named(self, line: TextLine, match: Match, headings: Sequence[_Heading]) -> tuple[Leaf | None, float]:
        surest = match.weight
        own = [leaf for leaf, weight in match.leaves if weight > surest - _AS_SURE and leaf.path in self._own]
        under = _heading_over(line.tokens[match.start].word.x0, line.unit, headings)
        if under is not None:
            inside = [leaf for leaf, _ in match.leaves if leaf.path in self._own and leaf.path[: len(under)] == under]
            own = inside or own
        if len(own) > 1:
            own = [leaf for leaf in own if len(leaf.path) == 1]
        return (own[0] if len(own) == 1 else None), surest


def _record_names(root: Record, names: SchemaNames) -> dict[str, Path]:
    """The letters of names of nested records; a name that two of them bear announces neither."""
    found: dict[str, set[Path]] = {}
    for record in _records(root):
        for tokens in names.of_container(record.path):
            found.setdefault("".join(tokens), set()).add(record.path)
    return {letters: paths.pop() for letters, paths in found.items() if len(paths) == 1}


def _records(record: Record) -> Iterable[Record]:
    for node in record.fields.values():
        if isinstance(node, Record):
            yield node
            yield from _records(node)


def _heading_over(x0: float, unit: float, headings: Sequence[_Heading]) -> Path | None:
    """The record announced last above a place: of several on that line the nearest to the left."""
    if not headings:
        return None
    last = headings[-1]
    row = [heading for heading in headings if (heading.page, heading.line) == (last.page, last.line)]
    left = [heading for heading in row if heading.x0 <= x0 + 2 * unit]
    return max(left, key=lambda heading: heading.x0).record if left else None


def _after_colon(line: TextLine, stop: int) -> tuple[int, bool]:
    """The token after a label and its colon, and whether there is one."""
    stop = _after_aside(line, stop)
    if line.tokens[stop - 1].word.text.endswith(_COLON):
        return stop, True
    if stop < len(line.tokens) and line.tokens[stop].word.text == _COLON:
        return stop + 1, True
    return stop, False


def _after_aside(line: TextLine, stop: int) -> int:
    """The token after what a label adds in brackets, such as a rate; ``stop`` when it adds nothing."""
    if stop == len(line.tokens) or line.gaps[stop - 1] >= _ASIDE_GAP:
        return stop
    for end in range(stop + 1, min(stop + _LONGEST_ASIDE, len(line.tokens)) + 1):
        if is_aside(line.text(stop, end)):
            return end
    return stop


def _is_label(line: TextLine, match: Match) -> bool:
    """Whether a name stands there as a label, not in the midst of a sentence."""
    after_mark = match.start > 0 and checkbox(line.tokens[match.start - 1].word.text) is not None
    starts_run = after_mark or any(match.start == start for start, _ in line.runs)
    stop, has_colon = _after_colon(line, match.stop)
    if has_colon:
        return starts_run or match.weight >= _EXACT
    return starts_run and match.weight >= _EXACT - 0.1 and _ends_clean(line, stop)


def _ends_clean(line: TextLine, stop: int) -> bool:
    """Whether what follows a name without a colon can be its value: nothing, a gap, a figure or a mark."""
    if stop == len(line.tokens) or line.gaps[stop - 1] > 1.2:
        return True
    text = line.tokens[stop].word.text
    return any(map(str.isdecimal, text)) or not text[0].isalnum()
