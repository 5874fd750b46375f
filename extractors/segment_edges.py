"""Edges from a label to where its value may stand: after it, right of it, under it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from extractors.segment_graph import Node, PageGraph
from extractors.segment_labels import FieldNames, Label, right_of
from extractors.words import Word

_INLINE_COST: Final = 0.0
_RIGHT_COST: Final = 0.15
_BELOW_COST: Final = 0.2
_FARTHEST_RIGHT: Final = 0.55
"""Of the page's width."""
_FARTHEST_BELOW: Final = 1.3
"""In line heights."""
_JOINED_GAP: Final = 2.2
"""In mean character widths: what stands nearer on the right goes on with a value."""
_LINE_GAP: Final = 0.75
"""In line heights: what stands nearer below goes on with a value of several lines."""
_ALIGNED: Final = 1.5
"""In mean character widths."""
_MOST_LINES: Final = 4
_SAME_SIZE: Final = (0.7, 1.4)
"""Between these shares of its height another line may be of the same size of print."""


class Edge(NamedTuple):
    """From a label to a value.

    Attributes:
        label: number of the label.
        lines: the runs of the value by line, the first line first.
        way: ``right`` or ``below``.
        cost: less for a nearer place; 0 for what follows in the label's own run.
    """

    label: int
    lines: tuple[tuple[Node, ...], ...]
    way: str
    cost: float

    @property
    def words(self) -> tuple[Word, ...]:
        """All words, in reading order."""
        return tuple(word for line in self.lines for node in line for word in node.words)

    @property
    def first_line(self) -> tuple[Word, ...]:
        """The words of the first line."""
        return tuple(word for node in self.lines[0] for word in node.words)

    @property
    def confidence(self) -> float:
        """Of the least sure word."""
        return min(node.confidence for line in self.lines for node in line)


class EdgeFinder:
    """Walks the graphs of a document from its labels.

    Args:
        names: what fields are called; a name is no value.
        graphs: the pages.
        labels: the labels of the pages.
        taken: orders of words that belong to tables, and are no value.
    """

    def __init__(
        self, names: FieldNames, graphs: Sequence[PageGraph], labels: Sequence[Label], taken: frozenset[int]
    ) -> None:
        self._names = names
        self._pages = {graph.number: graph for graph in graphs}
        self._labels = labels
        self._roots = {word.order for label in labels for word in label.words}
        self._taken = taken

    def edges(self, number: int) -> Iterator[Edge]:
        """The edges from a label."""
        label = self._labels[number]
        graph = self._pages[label.node.page]
        if label.rest:
            rest = label.node.part(label.rest)
            yield Edge(number, ((rest,), *self._lines_under(rest, label.node, graph)), "right", _INLINE_COST)
            return
        right = right_of(label, graph)
        if right is not None and self._is_value(right):
            gap = right.x0 - label.node.x1
            if gap <= _FARTHEST_RIGHT * graph.width:
                yield Edge(number, self._lines(right, graph), "right", _RIGHT_COST + gap / graph.width)
        for below in self._close_below(label, graph):
            if self._is_value(below):
                away = max(0.0, below.y0 - label.node.y1) / graph.line_height
                aside = min(abs(below.x0 - label.node.x0), abs(below.middle - label.node.middle)) / graph.width
                yield Edge(number, self._lines(below, graph), "below", _BELOW_COST + 0.1 * away + aside)

    def is_empty(self, number: int) -> bool:
        """Whether nothing but other labels stands after a label, right of it or close under it."""
        label = self._labels[number]
        graph = self._pages[label.node.page]
        right = right_of(label, graph)
        around = [*([right] if right is not None else []), *self._close_below(label, graph)]
        return not label.rest and all(self._is_label(node) for node in around)

    def _close_below(self, label: Label, graph: PageGraph) -> Iterator[Node]:
        for below in graph.below(label.node):
            if below.y0 - label.node.y1 > _FARTHEST_BELOW * graph.line_height:
                return
            yield below

    def _is_free(self, node: Node) -> bool:
        return not any(word.order in self._roots or word.order in self._taken for word in node.words)

    def _is_label(self, node: Node) -> bool:
        """Whether a run is a label of a field, or plainly another: a colon ends it, or it is a name of the schema."""
        is_root = any(word.order in self._roots for word in node.words)
        return is_root or _has_colon(node) or self._names.names_something(node.text)

    def _is_value(self, node: Node) -> bool:
        return self._is_free(node) and not self._is_label(node)

    def _lines(self, first: Node, graph: PageGraph) -> tuple[tuple[Node, ...], ...]:
        """A value's runs: what follows closely on the right, then the lines under it."""
        nodes = [first]
        while (after := graph.right(nodes[-1])) is not None and self._is_free(after):
            if after.x0 - nodes[-1].x1 > _JOINED_GAP * min(after.unit, nodes[-1].unit):
                break
            nodes.append(after)
        return (tuple(nodes), *self._lines_under(first, first, graph))

    def _lines_under(self, first: Node, owner: Node, graph: PageGraph) -> Iterator[tuple[Node, ...]]:
        """The lines closely under a value's first, a part of ``owner``, that begin where it begins."""
        last = owner
        for _ in range(_MOST_LINES - 1):
            lower = next((node for node in graph.below(last) if abs(node.x0 - first.x0) <= _ALIGNED * first.unit), None)
            if lower is None or lower.y0 - last.y1 > _LINE_GAP * graph.line_height:
                return
            if not self._begins_line(lower, graph) or not _SAME_SIZE[0] < lower.height / first.height < _SAME_SIZE[1]:
                return
            yield (lower,)
            last = lower

    def _begins_line(self, node: Node, graph: PageGraph) -> bool:
        """Whether a run may go on with a value: it is none of a label, and no label stands before it."""
        left = graph.left(node)
        return self._is_free(node) and (left is None or (self._is_free(left) and not _has_colon(left)))


def _has_colon(node: Node) -> bool:
    return node.text.endswith((":", "："))
