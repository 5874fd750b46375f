"""Labels on a page: runs, or the beginnings of runs, that name fields, under the heading that governs them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from extractors.labels import SchemaNames, Tokens
from extractors.segment_graph import Node, PageGraph
from extractors.segment_names import NameBook, Named
from extractors.typed import checkbox, is_judgeable, is_number_like, is_text
from extractors.words import Word, join
from groundtruth.path import Path
from groundtruth.schema import FrozenSchema, Leaf, Record

_UNDER_ITS_HEADING: Final = 0.12
"""What a name gains where the heading of its record governs it."""
_UNDER_ANOTHER: Final = 0.6
"""By how much the name of a field counts less under the heading of another record."""
_TIE: Final = 0.03
"""Scores this close are equal."""
_PREFIX: Final = 0.95
"""The beginning of a run that no colon ends is a label if it bears the very name."""
_SAME_LINE: Final = 0.7
_WIDE_GAP: Final = 2.5
"""In mean character widths: over a wider gap begins another label, or the value."""
_CHECKED: Final = frozenset("XxVv√✓✔☑☒✗✘⊠")
_UNCHECKED: Final = frozenset("□☐口▢◻O○")


class Label(NamedTuple):
    """A label.

    Attributes:
        node: the run that it is in.
        words: its own words.
        rest: the words of the run after it.
        leaves: the leaves that it names as well as any, in the schema's order; more than one is ambiguous.
        score: how well it names them.
        has_colon: whether a colon ends it.
        mark: the check mark before it; None when there is none.
    """

    node: Node
    words: tuple[Word, ...]
    rest: tuple[Word, ...]
    leaves: tuple[Leaf, ...]
    score: float
    has_colon: bool
    mark: bool | None = None


@dataclass(frozen=True)
class _Heading:
    page: int
    node: Node
    record: Path


class FieldNames:
    """What fields outside arrays, and the records around them, may be called."""

    def __init__(self, schema: FrozenSchema) -> None:
        names = SchemaNames(schema)
        leaves = [leaf for leaf in schema.root.leaves() if is_judgeable(leaf)]
        self._leaves = NameBook(name for leaf in leaves for name in names.of_leaf(leaf))
        self._records = NameBook(_record_names(schema.root, names))
        rows = (leaf for table in schema.root.tables() for leaf in table.row.leaves())
        self._cells = NameBook(name for leaf in rows for name in names.of_leaf(leaf, within=leaf.path[:-1]))
        self._all = {leaf.path for leaf in leaves}

    def names_something(self, text: str) -> bool:
        """Whether a text is a name out of the schema, of whatever kind."""
        books = (self._leaves, self._records, self._cells)
        return any(book.named_by(text) for book in books)

    def labels(self, graphs: Sequence[PageGraph], taken: frozenset[int]) -> list[Label]:
        """The labels in reading order; runs with a word whose order is in ``taken`` are none."""
        found: list[Label] = []
        heading: list[_Heading] = []
        for graph in graphs:
            nodes = [node for node in graph.nodes if not any(word.order in taken for word in node.words)]
            heading += [
                _Heading(graph.number, node, named[0].thing)
                for node in nodes
                if (named := self._records.named_by(node.text)) and not node.text.rstrip().endswith(".")
            ]
            for node in nodes:
                found += self._labels_in(node, heading)
        return found

    def _labels_in(self, node: Node, headings: Sequence[_Heading]) -> Iterator[Label]:
        for part in _clauses(node):
            label = self._label(part, headings)
            if label is not None:
                yield label

    def _label(self, node: Node, headings: Sequence[_Heading]) -> Label | None:
        mark, start = _mark(node.words)
        for end in _ends(node.words, start):
            words = node.words[start:end]
            has_colon = words[-1].text.endswith((":", "："))
            named = self._leaves.named_by(join(words).rstrip(" :："))
            if end < len(node.words) and not has_colon:
                # Nothing but its type parts a value from the words before it.
                named = tuple(name for name in named if name.score >= _PREFIX and says_its_type(name.thing))
            if named:
                leaves, score = self._governed(named, node, headings)
                if leaves:
                    return Label(node, words, node.words[end:], leaves, score, has_colon, mark)
        return None

    def _governed(
        self, named: Sequence[Named[Leaf]], node: Node, headings: Sequence[_Heading]
    ) -> tuple[tuple[Leaf, ...], float]:
        """The leaves that are named best once the heading above has its say."""
        record = _governing(node, headings)
        scores = [(_weighed(leaf.path, score, record), leaf) for leaf, score in named]
        best = max(score for score, _ in scores)
        return tuple(leaf for score, leaf in scores if score >= best - _TIE), min(best, 1.0)


def _weighed(path: Path, score: float, record: Path | None) -> float:
    if record is None or record == ():
        return score
    if path[: len(record)] == record:
        return score + _UNDER_ITS_HEADING
    return score * _UNDER_ANOTHER if len(path) > 1 else score


def _governing(node: Node, headings: Sequence[_Heading]) -> Path | None:
    """The record whose heading stands last above a run and not right of it, or that of the page before."""
    above = [
        heading
        for heading in headings
        if heading.page < node.page or (heading.node.y0 < node.y0 and heading.node.x0 <= node.x0 + 2 * node.unit)
    ]
    if not above:
        return None
    last = max(above, key=lambda heading: (heading.page, heading.node.y0))
    side = [
        heading
        for heading in above
        if heading.page == last.page and last.node.y0 - heading.node.y0 < _SAME_LINE * last.node.height
    ]
    return max(side, key=lambda heading: heading.node.x0).record


def _clauses(node: Node) -> list[Node]:
    """A run cut before every word after a wide gap: what stands beside is another label or its value."""
    return node.pieces(_WIDE_GAP)


def _mark(words: Sequence[Word]) -> tuple[bool | None, int]:
    """The check mark that a run begins with, and how many words it takes."""
    first = words[0].text
    if len(words) > 1:
        if (checked := mark_of(first)) is not None:
            return checked, 1
        if first in {"[", "("} and words[1].text in {"]", ")"}:
            return False, 2
    return None, 0


def mark_of(text: str) -> bool | None:
    """Whether a text is a check mark as an engine reads it: a ticked box, an empty one, or neither."""
    checked = checkbox(text)
    if checked is not None:
        return checked
    bare = text.strip("[](){}|")
    if len(bare) == 1 and bare in _CHECKED:
        return True
    return False if len(bare) == 1 and bare in _UNCHECKED and bare != "O" else None


def _ends(words: Sequence[Word], start: int) -> Iterable[int]:
    """Where a label may end: at its colon, or else anywhere, the longest label first."""
    colon = next((n + 1 for n in range(start, len(words)) if words[n].text.endswith((":", "："))), None)
    if colon is not None:
        return [colon]
    return range(len(words), start, -1)


def says_its_type(leaf: Leaf) -> bool:
    """Whether a text shows by itself whether it may be the leaf's value."""
    return not is_text(leaf) or is_number_like(leaf)


def _record_names(record: Record, names: SchemaNames) -> Iterator[tuple[Tokens, Path, float]]:
    for node in record.fields.values():
        if isinstance(node, Record):
            for tokens in sorted(names.of_container(node.path)):
                yield tokens, node.path, 1.0
            yield from _record_names(node, names)


def right_of(label: Label, graph: PageGraph) -> Node | None:
    """The nearest run right of a label, which may be a part of the label's own run."""
    owner = next((node for node in graph.nodes if label.node.words[0] in node.words), None)
    if owner is None or owner is label.node:
        return graph.right(label.node)
    after = owner.words[owner.words.index(label.node.words[-1]) + 1 :]
    return owner.part(after).pieces(_WIDE_GAP)[0] if after else graph.right(owner)
