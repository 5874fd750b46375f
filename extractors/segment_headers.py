"""Headers of tables: the cells on one level, or on a few close ones, that name the properties of an array."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from extractors.labels import SchemaNames
from extractors.segment_graph import Level, Node, PageGraph
from extractors.segment_names import NameBook, Named
from extractors.typed import is_judgeable
from groundtruth.schema import Leaf, Table

_TALLEST: Final = 3
"""Levels of one header at most."""
_CLOSE: Final = 0.7
"""In line heights: levels of one header stand no farther apart."""
_ALONE: Final = 0.95
"""A header of one cell has to bear the very name."""
_PART: Final = 0.89
"""A part of a run is a cell of its own if it bears a name this well."""
_LONGEST_CELL: Final = 6
"""Words of a run that may be several cells of a header."""


class SoughtTable:
    """An array of objects, and what its columns may be called."""

    def __init__(self, table: Table, names: SchemaNames) -> None:
        leaves = [leaf for leaf in table.row.leaves() if is_judgeable(leaf)]
        self.table = table
        self.book = NameBook(name for leaf in leaves for name in names.of_leaf(leaf, within=table.row.path))
        self.needed = 1 if len(leaves) == 1 else 2 if len(leaves) <= 5 else 3


@dataclass(frozen=True)
class HeaderCell:
    """A cell of a header: its runs from the top, and the leaf it names, if any."""

    nodes: tuple[Node, ...]
    leaf: Leaf | None

    @cached_property
    def x0(self) -> float:
        """The left edge in points."""
        return min(node.x0 for node in self.nodes)

    @cached_property
    def x1(self) -> float:
        """The right edge."""
        return max(node.x1 for node in self.nodes)


@dataclass(frozen=True)
class Header:
    """The header of a table on one page; cells from the left, columns of no leaf included."""

    sought: SoughtTable
    cells: tuple[HeaderCell, ...]
    levels: tuple[Level, ...]
    score: float

    @property
    def y0(self) -> float:
        """The upper edge in points."""
        return self.levels[0].y0

    @property
    def y1(self) -> float:
        """The lower edge."""
        return max(level.y1 for level in self.levels)


def headers_on(graph: PageGraph, tables: Sequence[SoughtTable]) -> list[Header]:
    """The headers of a page from the top; a level belongs to one header, that with the best names."""
    found = [header for sought in tables for header in _headers(graph, sought)]
    kept: list[Header] = []
    for header in sorted(found, key=lambda header: (-header.score, len(header.levels), header.y0)):
        if not any(level in other.levels for other in kept for level in header.levels):
            kept.append(header)
    return sorted(kept, key=lambda header: header.y0)


def _headers(graph: PageGraph, sought: SoughtTable) -> Iterator[Header]:
    for levels in _bands(graph):
        cells = _named(_stacks(levels, sought.book), sought.book)
        scores = [score for _, score in cells if score]
        if len(scores) >= sought.needed and (len(scores) > 1 or max(scores) >= _ALONE):
            made = tuple(sorted((cell for cell, _ in cells), key=lambda cell: cell.x0))
            yield Header(sought, made, levels, sum(scores))


def _bands(graph: PageGraph) -> Iterator[tuple[Level, ...]]:
    """Runs of one to three levels that stand close together."""
    levels = graph.levels
    for start in range(len(levels)):
        for end in range(start + 1, min(start + _TALLEST, len(levels)) + 1):
            if end - start > 1 and levels[end - 1].y0 - levels[end - 2].y1 > _CLOSE * graph.line_height:
                break
            yield levels[start:end]


def _stacks(levels: Sequence[Level], book: NameBook[Leaf]) -> list[tuple[Node, ...]]:
    """The runs of a header by column, each from the top: one that stands under others, and those over it."""
    rows = [[piece for node in level.nodes for piece in _parts(node, book)] for level in levels]
    stacks = []
    for number, row in enumerate(rows):
        lower = [piece for later in rows[number + 1 :] for piece in later]
        upper = [piece for earlier in rows[:number] for piece in earlier]
        for base in row:
            if not any(base.overlap(piece) > 0 for piece in lower):
                stacks.append((*(piece for piece in upper if base.overlap(piece) > 0), base))
    return stacks


def _parts(node: Node, book: NameBook[Leaf]) -> list[Node]:
    """The cells in a run: the run itself if it names a column, or else parts that all do, or what wide gaps part."""
    whole = book.named_by(node.text)
    if whole and whole[0].score >= _ALONE:
        return [node]
    if 1 < len(node.words) <= _LONGEST_CELL and len(parts := _all_named(node, 0, book)) > 1:
        return parts
    return [node] if whole else node.pieces()


def _all_named(node: Node, start: int, book: NameBook[Leaf]) -> list[Node]:
    """The words from ``start`` on as parts that each name a column; empty when that cannot be."""
    for end in range(len(node.words), start, -1):
        part = node.part(node.words[start:end])
        if (named := book.named_by(part.text)) and named[0].score >= _PART:
            if end == len(node.words):
                return [part]
            if rest := _all_named(node, end, book):
                return [part, *rest]
    return []


def _named(stacks: Sequence[tuple[Node, ...]], book: NameBook[Leaf]) -> list[tuple[HeaderCell, float]]:
    """Each stack as a cell with its leaf and score; a leaf goes to the cell that names it best, the left one on a tie.

    A cell whose best leaf is taken by a better cell gets its next best.
    """
    claims = [
        (named.score, number, named.thing) for number, stack in enumerate(stacks) for named in _names_of(stack, book)
    ]
    claims.sort(key=lambda claim: (-claim[0], stacks[claim[1]][-1].x0))
    given: dict[int, tuple[Leaf, float]] = {}
    taken: set[tuple[object, ...]] = set()
    for score, number, leaf in claims:
        if number not in given and leaf.path not in taken:
            given[number] = (leaf, score)
            taken.add(leaf.path)
    return [
        (HeaderCell(stack, given[number][0] if number in given else None), given[number][1] if number in given else 0.0)
        for number, stack in enumerate(stacks)
    ]


def _names_of(stack: tuple[Node, ...], book: NameBook[Leaf]) -> tuple[Named[Leaf], ...]:
    """What a stack names: as a whole, or else by its lowest runs, since a heading may stand over several columns."""
    for start in range(len(stack)):
        if named := book.named_by(" ".join(node.text for node in stack[start:])):
            return named
    return ()
