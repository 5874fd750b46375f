"""Fields outside arrays: a label and a value that are joined by an edge and that choose each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from extractors.labels import words_of_name
from extractors.segment_edges import Edge, EdgeFinder
from extractors.segment_graph import PageGraph
from extractors.segment_labels import FieldNames, Label, says_its_type
from extractors.segment_marks import marked_values
from extractors.segment_reading import Reader
from extractors.typed import Parsed, is_plausible, is_text
from groundtruth.path import Path
from groundtruth.rules import Comparator
from groundtruth.schema import Leaf

_AGAINST_HABIT: Final = 0.35
"""What an edge costs more that leads where the values of this document do not stand."""
_HABIT: Final = 0.75
"""Of the labels that tell: so many values stand on one side."""
_NEAR: Final = 5.0
"""In heights of a label: the labels so near show where its value stands."""
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


class _Match(NamedTuple):
    cost: float
    label: Label
    edge: Edge
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
        """The values that a label leads to, and the leaves whose only label leads nowhere in a document of labels.

        Labels of one leaf that lead to different values say nothing, unless one of them is plainly the better label.
        """
        labels = self._names.labels(graphs, self._taken)
        finder = EdgeFinder(self._names, graphs, labels, self._taken)
        edges = {number: list(finder.edges(number)) for number in range(len(labels))}
        habits = self._habits(labels, edges)
        matches = _mutual(self._matches(labels, edges, habits))
        found = FoundFields()
        for path, several in matches.items():
            best = _agreed(several)
            if best is not None and not self._is_doubtful(best):
                found.values[path] = best.parsed
        found.values |= marked_values(labels, graphs, self._reader)
        found.blank = {path for path in _empty(labels, finder, habits) if path not in matches}
        return found

    def _habits(self, labels: Sequence[Label], edges: dict[int, list[Edge]]) -> list[str | None]:
        """For each label on which side values stand: around it, or else in the whole document; None when mixed.

        Those labels tell that only one edge gives a value of their type.
        """
        tellers: list[tuple[Label, str]] = []
        for number, label in enumerate(labels):
            leaves = [leaf for leaf in label.leaves if says_its_type(leaf)]
            ways = {edge.way for edge in edges[number] if any(self._value(leaf, edge) for leaf in leaves)}
            if not label.rest and len(ways) == 1:
                tellers.append((label, ways.pop()))
        everywhere = _most([way for _, way in tellers], least=2)
        near = [_most([way for other, way in tellers if _is_near(label, other)], least=1) for label in labels]
        return [way or everywhere for way in near]

    def _matches(
        self, labels: Sequence[Label], edges: dict[int, list[Edge]], habits: Sequence[str | None]
    ) -> Iterator[_Match]:
        """Every value that one leaf of a label, and only one, may have at the end of an edge."""
        for number, label in enumerate(labels):
            if label.mark is not None or any(leaf.comparator is Comparator.BOOLEAN for leaf in label.leaves):
                continue
            for edge in edges[number]:
                values = [(leaf, value) for leaf in label.leaves if (value := self._value(leaf, edge)) is not None]
                # Beside a label without a colon stands a value, or the next label: only other values tell.
                against = edge.way != habits[number] and not label.rest and not label.has_colon
                if len(values) == 1 and (not against or says_its_type(values[0][0])):
                    cost = edge.cost + against * _AGAINST_HABIT + 1.0 - label.score
                    yield _Match(cost, label, edge, *values[0])

    def _value(self, leaf: Leaf, edge: Edge) -> Parsed | None:
        parsed = self._reader.parse(leaf, edge.words if _may_have_lines(leaf) else edge.first_line)
        return parsed if parsed is not None and is_plausible(leaf, parsed) else None

    def _is_doubtful(self, match: _Match) -> bool:
        return match.edge.confidence < _LEAST_CONFIDENCE or self._reader.doubts(match.leaf, match.parsed)


def _mutual(matches: Iterator[_Match]) -> dict[Path, list[_Match]]:
    """Label and value choose each other: the cheapest pair that is left is taken, again and again.

    Of two pairs that cost the same the one whose value is printed first is taken.
    """
    chosen: dict[Path, list[_Match]] = defaultdict(list)
    labels: set[int] = set()
    used: set[int] = set()
    for match in sorted(matches, key=lambda match: (match.cost, match.parsed.words[0].order)):
        orders = {word.order for word in match.parsed.words}
        if match.edge.label not in labels and not orders & used:
            labels.add(match.edge.label)
            used |= orders
            chosen[match.leaf.path].append(match)
    return chosen


def _agreed(matches: Sequence[_Match]) -> _Match | None:
    """The match of a leaf: all of them say the same, or the best label says it; None when equals disagree."""
    best = min(matches, key=lambda match: (-match.label.score, match.cost))
    rivals = [match for match in matches if match.parsed.key != best.parsed.key]
    if any(match.label.score > best.label.score - _BETTER for match in rivals):
        return None
    return best


def _most(ways: Sequence[str], *, least: int) -> str | None:
    """The side that nearly all of ``ways`` name; None when they are fewer than ``least``, or mixed."""
    return next((way for way, count in Counter(ways).items() if count >= max(least, _HABIT * len(ways))), None)


def _is_near(label: Label, other: Label) -> bool:
    away = abs(label.node.y0 - other.node.y0)
    return label.node.page == other.node.page and away <= _NEAR * label.node.height


def _empty(labels: Sequence[Label], finder: EdgeFinder, habits: Sequence[str | None]) -> Iterator[Path]:
    """The leaves that one label names, and well, with nothing but labels around it, where labels lead to values."""
    count = Counter(leaf.path for label in labels for leaf in label.leaves)
    for number, label in enumerate(labels):
        leaf = label.leaves[0]
        is_marked = label.mark is not None or leaf.comparator in {Comparator.BOOLEAN, Comparator.ENUM}
        leads = label.has_colon or habits[number] is not None
        is_sure = leads and len(label.leaves) == 1 and count[leaf.path] == 1 and label.score >= _SURE
        if is_sure and not is_marked and finder.is_empty(number):
            yield leaf.path


def _may_have_lines(leaf: Leaf) -> bool:
    return is_text(leaf) and bool(words_of_name(leaf) & _PROSE)
