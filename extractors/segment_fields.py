"""Fields outside arrays: a label and a value that are joined by an edge and that choose each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from extractors.labels import words_of_name
from extractors.segment_graph import Node, PageGraph
from extractors.segment_labels import FieldNames, Label, right_of, says_its_type
from extractors.segment_marks import marked_values
from extractors.segment_reading import Reader
from extractors.typed import Parsed, is_plausible, is_text
from extractors.words import Word
from groundtruth.path import Path
from groundtruth.rules import Comparator
from groundtruth.schema import Leaf

_INLINE_COST: Final = 0.0
_RIGHT_COST: Final = 0.15
_BELOW_COST: Final = 0.2
_AGAINST_HABIT: Final = 0.35
"""What an edge costs more that leads where the values of this document do not stand."""
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
_HABIT: Final = 0.75
_BETTER: Final = 0.1
"""By how much a label has to be the better one for its value to count where two labels disagree."""
_SURE: Final = 0.93
"""From this score on an empty place after a label is the field's."""
_LEAST_CONFIDENCE: Final = 0.5
_PROSE: Final = frozenset({"address", "description", "notes", "note", "remarks", "comments", "location", "terms"})


@dataclass
class FoundFields:
    """Values by leaf, and the leaves whose place was found empty."""

    values: dict[Path, Parsed] = field(default_factory=dict)
    blank: set[Path] = field(default_factory=set)


class _Edge(NamedTuple):
    """From a label to where a value may stand."""

    label: int
    nodes: tuple[Node, ...]
    words: tuple[Word, ...]
    way: str
    cost: float


class _Match(NamedTuple):
    cost: float
    label: Label
    edge: _Edge
    leaf: Leaf
    parsed: Parsed


class FieldReader:
    """Reads the fields of one document.

    Args:
        names: what the fields are called.
        reader: reads a value, and doubts numbers unlike the document's others.
        taken: orders of words that belong to tables.
    """

    def __init__(self, names: FieldNames, reader: Reader, taken: frozenset[int]) -> None:
        self._names = names
        self._reader = reader
        self._taken = taken

    def read(self, graphs: Sequence[PageGraph]) -> FoundFields:
        """The values that a label leads to, and the leaves of labels that lead nowhere."""
        labels = self._names.labels(graphs, self._taken)
        pages = {graph.number: graph for graph in graphs}
        roots = {word.order for label in labels for word in label.words}
        edges = [edge for number, label in enumerate(labels) for edge in self._edges(number, label, pages, roots)]
        habit = self._habit(labels, edges)
        matches = self._mutual(list(self._matches(labels, edges, habit)))
        found = FoundFields()
        for path, several in matches.items():
            best = _agreed(several)
            if best is not None and not self._is_doubtful(best):
                found.values[path] = best.parsed
        found.values |= marked_values(labels, graphs, self._reader)
        reached = {edge.label for edge in edges}
        for number, label in enumerate(labels):
            if number not in reached and _is_sure(label) and label.leaves[0].path not in matches:
                found.blank.add(label.leaves[0].path)
        return found

    def _edges(self, number: int, label: Label, pages: dict[int, PageGraph], roots: set[int]) -> Iterator[_Edge]:
        graph = pages[label.node.page]

        def is_free(node: Node) -> bool:
            return not any(word.order in roots or word.order in self._taken for word in node.words)

        def begins_line(node: Node) -> bool:
            left = graph.left(node)
            return is_free(node) and (left is None or (is_free(left) and not left.text.endswith((":", "："))))

        if label.rest:
            rest = label.node.part(label.rest)
            nodes = (rest, *_lines_under(rest, label.node, graph, begins_line))
            words = tuple(word for node in nodes for word in node.words)
            yield _Edge(number, nodes, words, "right", _INLINE_COST)
            return
        right = right_of(label, graph)
        if right is not None and is_free(right) and not self._is_other_label(right):
            gap = right.x0 - label.node.x1
            if gap <= _FARTHEST_RIGHT * graph.width:
                nodes = _chain(right, graph, is_free, begins_line)
                words = tuple(word for node in nodes for word in node.words)
                yield _Edge(number, nodes, words, "right", _RIGHT_COST + gap / graph.width)
        for below in graph.below(label.node):
            gap = below.y0 - label.node.y1
            if gap > _FARTHEST_BELOW * graph.line_height:
                break
            if is_free(below) and not self._is_other_label(below):
                nodes = _chain(below, graph, is_free, begins_line)
                words = tuple(word for node in nodes for word in node.words)
                aside = min(abs(below.x0 - label.node.x0), abs(below.middle - label.node.middle)) / graph.width
                cost = _BELOW_COST + 0.1 * max(0.0, gap) / graph.line_height + aside
                yield _Edge(number, nodes, words, "below", cost)

    def _is_other_label(self, node: Node) -> bool:
        """Whether a run is plainly a label, though no field's: a colon ends it, or it is a name out of the schema."""
        return node.text.endswith((":", "：")) or self._names.names_something(node.text)

    def _habit(self, labels: Sequence[Label], edges: Sequence[_Edge]) -> str | None:
        """Where values stand in this document, by those labels that only one edge gives a value of their type."""
        ways: dict[int, set[str]] = defaultdict(set)
        for edge in edges:
            label = labels[edge.label]
            if not label.rest and any(says_its_type(leaf) and self._value(leaf, edge) for leaf in label.leaves):
                ways[edge.label].add(edge.way)
        only = [next(iter(found)) for found in ways.values() if len(found) == 1]
        for way in ("right", "below"):
            if len(only) > 1 and only.count(way) >= _HABIT * len(only):
                return way
        return None

    def _matches(self, labels: Sequence[Label], edges: Sequence[_Edge], habit: str | None) -> Iterator[_Match]:
        for number, label in enumerate(labels):
            if label.mark is not None or any(leaf.comparator is Comparator.BOOLEAN for leaf in label.leaves):
                continue
            for edge in edges:
                if edge.label != number:
                    continue
                parsed = [(leaf, value) for leaf in label.leaves if (value := self._value(leaf, edge)) is not None]
                if len(parsed) != 1:
                    continue
                leaf, value = parsed[0]
                against = habit is not None and edge.way != habit and not label.rest and not label.has_colon
                if against and not says_its_type(leaf):
                    continue
                yield _Match(edge.cost + against * _AGAINST_HABIT + 1.0 - label.score, label, edge, leaf, value)

    def _value(self, leaf: Leaf, edge: _Edge) -> Parsed | None:
        words = edge.words
        if not _may_have_lines(leaf):
            first = edge.nodes[0]
            line = [node for node in edge.nodes if node.is_level_with(first)]
            words = tuple(word for node in line for word in node.words)
        parsed = self._reader.parse(leaf, words)
        return parsed if parsed is not None and is_plausible(leaf, parsed) else None

    def _mutual(self, matches: list[_Match]) -> dict[Path, list[_Match]]:
        """Label and value choose each other: the cheapest pair that is left is taken, again and again."""
        chosen: dict[Path, list[_Match]] = defaultdict(list)
        labels: set[int] = set()
        used: set[int] = set()
        for match in sorted(matches, key=lambda match: (match.cost, match.edge.words[0].order)):
            orders = {word.order for word in match.parsed.words}
            if match.edge.label not in labels and not orders & used:
                labels.add(match.edge.label)
                used |= orders
                chosen[match.leaf.path].append(match)
        return chosen

    def _is_doubtful(self, match: _Match) -> bool:
        confidence = min(node.confidence for node in match.edge.nodes)
        return confidence < _LEAST_CONFIDENCE or self._reader.doubts(match.leaf, match.parsed)


def _agreed(matches: Sequence[_Match]) -> _Match | None:
    """The match of a leaf: all of them say the same, or the best label says it; None when equals disagree."""
    best = min(matches, key=lambda match: (-match.label.score, match.cost))
    rivals = [match for match in matches if match.parsed.key != best.parsed.key]
    if any(match.label.score > best.label.score - _BETTER for match in rivals):
        return None
    return best


def _chain(
    first: Node, graph: PageGraph, is_free: Callable[[Node], bool], begins_line: Callable[[Node], bool]
) -> tuple[Node, ...]:
    """A value's runs: what follows closely on the right, then the lines under it."""
    nodes = [first]
    while (after := graph.right(nodes[-1])) is not None and is_free(after):
        if after.x0 - nodes[-1].x1 > _JOINED_GAP * min(after.unit, nodes[-1].unit):
            break
        nodes.append(after)
    return (*nodes, *_lines_under(first, first, graph, begins_line))


def _lines_under(first: Node, owner: Node, graph: PageGraph, begins_line: Callable[[Node], bool]) -> Iterator[Node]:
    """The lines that stand closely under a value's first, which is a part of ``owner``, and begin where it begins."""
    last = owner
    for _ in range(_MOST_LINES - 1):
        lower = next((node for node in graph.below(last) if abs(node.x0 - first.x0) <= _ALIGNED * first.unit), None)
        if lower is None or lower.y0 - last.y1 > _LINE_GAP * graph.line_height or not begins_line(lower):
            return
        if not _SAME_SIZE[0] < lower.height / first.height < _SAME_SIZE[1]:
            return
        yield lower
        last = lower


def _is_sure(label: Label) -> bool:
    """Whether an empty place after the label is its field's: it names one leaf and well, and no mark stands for it."""
    marked = label.mark is not None or label.leaves[0].comparator in {Comparator.BOOLEAN, Comparator.ENUM}
    return len(label.leaves) == 1 and label.score >= _SURE and not marked


def _may_have_lines(leaf: Leaf) -> bool:
    return is_text(leaf) and bool(words_of_name(leaf) & _PROSE)
