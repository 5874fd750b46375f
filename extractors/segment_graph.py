"""A page as a graph: its nodes are runs of text, its edges lead to the nearest run on either side, above and below.

Coordinates are points of the page turned level, origin top left, x in reading direction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, pairwise
from typing import Final

from extractors.ocr_pages import page_texts
from extractors.words import Word, WordRun
from groundtruth.recognised import RecognisedPage

_SAME_LEVEL: Final = 0.5
"""Of the smaller height: runs that overlap so far stand on one level."""
_LEADER = re.compile(r"[._·…‥:\-–—=|¦]*[._·…‥|¦]{3,}[._·…‥:\-–—=|¦]*|[|¦]")
"""What leads the eye from a label to its value, or is left of a rule."""

CELL_GAP: Final = 1.1
"""In mean character widths: no cell of a table goes on over a wider gap."""


@dataclass(frozen=True, eq=False)
class Node(WordRun):
    """A run of text: neighbouring words of one line in reading order, never empty. Nodes are equal to themselves only.

    Attributes:
        words: its words.
        confidence: of its least sure word, in [0, 1].
    """

    words: tuple[Word, ...]
    confidence: float = 1.0

    @property
    def page(self) -> int:
        """From 1."""
        return self.words[0].page

    @cached_property
    def x0(self) -> float:
        """The left edge: words of a run need not come by rising x."""
        return min(word.x0 for word in self.words)

    @property
    def height(self) -> float:
        """From edge to edge."""
        return self.y1 - self.y0

    @property
    def middle(self) -> float:
        """Half way between the left and the right edge."""
        return (self.x0 + self.x1) / 2

    def is_level_with(self, other: Node) -> bool:
        """Whether the two stand side by side on one level."""
        common = min(self.y1, other.y1) - max(self.y0, other.y0)
        return common >= _SAME_LEVEL * min(self.height, other.height)

    def overlap(self, other: Node) -> float:
        """How far the two lie above one another; negative when they do not."""
        return min(self.x1, other.x1) - max(self.x0, other.x0)

    def part(self, words: Sequence[Word]) -> Node:
        """A node of some of its words."""
        return self if len(words) == len(self.words) else Node(tuple(words), self.confidence)

    def pieces(self, widest: float = CELL_GAP) -> list[Node]:
        """The node cut where the gap between two words is wider than ``widest`` mean character widths."""
        runs: list[list[Word]] = [[self.words[0]]]
        for first, second in pairwise(self.words):
            if second.x0 - first.x1 > widest * self.unit:
                runs.append([])
            runs[-1].append(second)
        return [self.part(run) for run in runs]


@dataclass(frozen=True)
class Level:
    """Nodes that stand on one level of a page, from the left; never empty."""

    nodes: tuple[Node, ...]

    @cached_property
    def y0(self) -> float:
        """The upper edge."""
        return min(node.y0 for node in self.nodes)

    @cached_property
    def y1(self) -> float:
        """The lower edge."""
        return max(node.y1 for node in self.nodes)

    @property
    def middle(self) -> float:
        """The mean height of its nodes' middles."""
        return sum(node.y0 + node.y1 for node in self.nodes) / (2 * len(self.nodes))


@dataclass(frozen=True)
class PageGraph:
    """The nodes of one page and their neighbours.

    Attributes:
        number: of the page, from 1.
        width: in points.
        height: in points.
        nodes: in reading order: from the top, on one level from the left.
    """

    number: int
    width: float
    height: float
    nodes: tuple[Node, ...]
    _edges: dict[tuple[str, Node], tuple[Node, ...]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """The nodes by level, from the top."""
        return levels_of(self.nodes)

    @cached_property
    def line_height(self) -> float:
        """The median height of a node; 0 on an empty page."""
        heights = sorted(node.height for node in self.nodes)
        return heights[len(heights) // 2] if heights else 0.0

    def right(self, node: Node) -> Node | None:
        """The nearest node to the right on its level, or None at the end of the level."""
        return next(iter(self._sideways(node, rightwards=True)), None)

    def left(self, node: Node) -> Node | None:
        """The nearest node to the left on its level."""
        return next(iter(self._sideways(node, rightwards=False)), None)

    def below(self, node: Node) -> tuple[Node, ...]:
        """The nodes under it that nothing between hides, nearest first."""
        return self._vertical(node, downwards=True)

    def above(self, node: Node) -> tuple[Node, ...]:
        """The nodes over it that nothing between hides, nearest first."""
        return self._vertical(node, downwards=False)

    def _sideways(self, node: Node, *, rightwards: bool) -> tuple[Node, ...]:
        def find() -> Iterator[Node]:
            candidates = [other for other in self.nodes if other is not node and other.is_level_with(node)]
            if rightwards:
                yield from sorted((o for o in candidates if o.middle > node.middle and o.x1 > node.x1), key=_from_left)
            else:
                yield from sorted((o for o in candidates if o.middle < node.middle and o.x0 < node.x0), key=_from_right)

        return self._known(("right" if rightwards else "left", node), find)

    def _vertical(self, node: Node, *, downwards: bool) -> tuple[Node, ...]:
        def find() -> Iterator[Node]:
            apart = [o for o in self.nodes if o is not node and o.overlap(node) > 0 and not o.is_level_with(node)]
            if downwards:
                apart = sorted((o for o in apart if o.y0 > node.y0), key=lambda o: (o.y0, o.x0))
            else:
                apart = sorted((o for o in apart if o.y1 < node.y1), key=lambda o: (-o.y1, o.x0))
            seen: list[Node] = []
            for other in apart:
                if not any(nearer.overlap(other) > 0 and not nearer.is_level_with(other) for nearer in seen):
                    seen.append(other)
            yield from seen

        return self._known(("below" if downwards else "above", node), find)

    def _known(self, key: tuple[str, Node], find: Callable[[], Iterator[Node]]) -> tuple[Node, ...]:
        if key not in self._edges:
            self._edges[key] = tuple(find())
        return self._edges[key]


def _from_left(node: Node) -> tuple[float, float]:
    return node.x0, node.y0


def _from_right(node: Node) -> tuple[float, float]:
    return -node.x1, node.y0


def levels_of(nodes: Iterable[Node]) -> tuple[Level, ...]:
    """The nodes by level, from the top; a node joins the level whose nearest node it is level with."""
    levels: list[list[Node]] = []
    for node in sorted(nodes, key=lambda node: (node.y0 + node.y1, node.x0)):
        home = next((level for level in levels[-3:] if _joins(node, level)), None)
        if home is None:
            levels.append([node])
        else:
            home.append(node)
    found = [Level(tuple(sorted(level, key=_from_left))) for level in levels]
    return tuple(sorted(found, key=lambda level: (level.middle, level.nodes[0].x0)))


def _joins(node: Node, level: Sequence[Node]) -> bool:
    """Whether a node continues a level: it is level with the node of it that is nearest to it, and hides none."""
    nearest = min(level, key=lambda other: (max(other.x0 - node.x1, node.x0 - other.x1), other.x0))
    return node.is_level_with(nearest) and node.overlap(nearest) <= min(node.unit, nearest.unit)


def graphs_of(pages: Sequence[RecognisedPage]) -> list[PageGraph]:
    """The pages as graphs; a node is what the engine found as one run, without leaders and lone rules."""
    return [
        PageGraph(page.number, page.width, page.height, _in_reading_order(_nodes(text.words, page)))
        for page, text in zip(pages, page_texts(pages), strict=True)
    ]


def _nodes(words: Sequence[Word], page: RecognisedPage) -> Iterator[Node]:
    pairs = zip(words, page.words, strict=True)
    for _, run in groupby(pairs, key=lambda pair: pair[1].segment):
        for is_leader, part in groupby(run, key=lambda pair: _LEADER.fullmatch(pair[0].text) is not None):
            if not is_leader:
                kept = list(part)
                yield Node(tuple(word for word, _ in kept), min(read.confidence for _, read in kept))


def _in_reading_order(nodes: Iterable[Node]) -> tuple[Node, ...]:
    return tuple(node for level in levels_of(nodes) for node in level.nodes)
