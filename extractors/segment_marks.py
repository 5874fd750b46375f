"""Check marks: a statement that is ticked or not, and options of which one is ticked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from extractors.segment_graph import Node, PageGraph
from extractors.segment_labels import Label, mark_of, right_of
from extractors.segment_reading import Reader
from extractors.typed import Parsed
from extractors.words import Word
from groundtruth.path import Path
from groundtruth.rules import Comparator
from groundtruth.schema import Leaf
from groundtruth.value import Key, Value, canonical

_NEAR: Final = 6.0
"""In mean character widths: a mark stands no farther from what it marks."""
_MOST_OPTIONS: Final = 8


class Option(NamedTuple):
    """Words beside a mark, whether they are ticked, and the run of the mark."""

    words: tuple[Word, ...]
    checked: bool
    mark: Node


def marked_values(labels: Sequence[Label], graphs: Sequence[PageGraph], reader: Reader) -> dict[Path, Parsed]:
    """The values of leaves that the document answers by marks, and of statements that it answers by yes or no."""
    found: dict[Path, Parsed] = {}
    pages = {graph.number: graph for graph in graphs}
    options = [option for graph in graphs for option in _options(graph)]
    for label in labels:
        if len(label.leaves) != 1:
            continue
        (leaf,) = label.leaves
        if leaf.comparator is Comparator.BOOLEAN:
            parsed = _statement(label, leaf, pages[label.node.page], reader)
        elif leaf.comparator is Comparator.ENUM:
            parsed = _chosen(leaf, options, reader)
        else:
            parsed = None
        if parsed is not None:
            found.setdefault(leaf.path, parsed)
    return found


def _options(graph: PageGraph) -> Iterator[Option]:
    """Each mark of a page with the run close on its right."""
    for node in graph.nodes:
        checked = mark_of(node.text)
        after = graph.right(node)
        if checked is not None and after is not None and mark_of(after.text) is None and _is_near(node, after):
            yield Option(after.words, checked, node)


def _is_near(mark: Node, text: Node) -> bool:
    return max(mark.x0, text.x0) - min(mark.x1, text.x1) <= _NEAR * text.unit


def _statement(label: Label, leaf: Leaf, graph: PageGraph, reader: Reader) -> Parsed | None:
    """Whether a statement holds: by the mark before it, by the ticked one of yes and no after it, or by the word."""
    if label.mark is not None:
        return Parsed(label.mark, ("boolean", label.mark), label.node.words[:1])
    before = graph.left(label.node)
    if before is not None and (checked := mark_of(before.text)) is not None and _is_near(before, label.node):
        return Parsed(checked, ("boolean", checked), before.words)
    if label.rest:
        return reader.parse(leaf, label.rest)
    after = right_of(label, graph)
    if after is None:
        return None
    answers = _answers(after, leaf, graph, reader)
    if answers:
        ticked = [parsed for parsed, checked in answers if checked]
        return ticked[0] if len(ticked) == 1 else None
    return reader.parse(leaf, after.words)


def _answers(first: Node, leaf: Leaf, graph: PageGraph, reader: Reader) -> list[tuple[Parsed, bool]]:
    """Yes and no on the right of a statement, each with its mark; empty unless both are there and marked alike."""
    row: list[Node] = []
    node: Node | None = first
    while node is not None and len(row) < _MOST_OPTIONS:
        if mark_of(node.text) is None and reader.parse(leaf, node.words) is None:
            break
        row.append(node)
        node = graph.right(node)
    marks = [mark_of(node.text) for node in row]
    if marks[:4] == [None] * len(marks[:4]) or len(row) < 4:
        return []
    pairs = [(row[0], row[1]), (row[2], row[3])]
    if marks[0] is None:
        pairs = [(second, first) for first, second in pairs]
    answers = []
    for mark, word in pairs:
        checked, parsed = mark_of(mark.text), reader.parse(leaf, word.words)
        if checked is None or parsed is None:
            return []
        answers.append((parsed, checked))
    return answers if answers[0][0].key != answers[1][0].key else []


def _chosen(leaf: Leaf, options: Sequence[Option], reader: Reader) -> Parsed | None:
    """The only ticked one of the options that are members of the leaf; None when a member is there twice."""
    members: dict[Key, list[tuple[Parsed, bool]]] = defaultdict(list)
    known = {reading.key for member in leaf.enum if isinstance(reading := canonical(leaf, member), Value)}
    for option in options:
        parsed = reader.parse(leaf, option.words)
        if parsed is not None and parsed.key in known:
            members[parsed.key].append((parsed._replace(words=(*option.mark.words, *option.words)), option.checked))
    if len(members) < 2 or any(len(found) > 1 for found in members.values()):
        return None
    ticked = [parsed for ((parsed, checked),) in members.values() if checked]
    return ticked[0] if len(ticked) == 1 else None
