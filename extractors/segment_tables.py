"""Arrays of objects: tables under headers, and where they go on without one on the next pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from extractors.answer import Row as AnswerRow
from extractors.conventions import Conventions
from extractors.segment_columns import Columns, columns_under
from extractors.segment_graph import Level, PageGraph
from extractors.segment_headers import Header, SoughtTable, headers_on
from extractors.segment_reading import Reader
from extractors.segment_rows import Body, RowReader
from extractors.words import Word
from groundtruth.path import Path

_WIDEST_GAP: Final = 5.0
"""In line heights: below a wider gap than this, and than the rows keep, begins something else."""


@dataclass
class FoundTable:
    """The rows of an array in printed order, the leaves that have a column, and the order of the words it takes."""

    rows: list[AnswerRow] = field(default_factory=list)
    columns: frozenset[Path] = frozenset()
    words: frozenset[int] = frozenset()


@dataclass
class _Part:
    """One array on one page: the cells of its rows by leaf."""

    columns: Columns
    rows: list[dict[Path, list[Word]]]
    words: set[int]


class TableReader:
    """Finds the rows of arrays of objects on the pages of one document."""

    def __init__(self, tables: Sequence[SoughtTable], conventions: Conventions) -> None:
        self._tables = tables
        self._conventions = conventions

    def read(self, graphs: Sequence[PageGraph]) -> dict[Path, FoundTable]:
        """What was found, by the path of the array; arrays without a header are not in it."""
        parts: dict[Path, list[_Part]] = {}
        going: Header | None = None
        columns: Columns | None = None
        for graph in graphs:
            headers = headers_on(graph, self._tables)
            if going is not None and columns is not None:
                top = _before(graph, headers[0] if headers else None)
                carried = self._carried(going, columns, top, graph)
                if carried is not None:
                    parts[going.sought.table.path].append(carried)
            for header, levels in _bodies(graph, headers):
                part = self._part(header, levels, graph)
                if part.rows:
                    parts.setdefault(header.sought.table.path, []).append(part)
                    going, columns = header, part.columns
        return {path: self._whole(found) for path, found in parts.items()}

    def _part(self, header: Header, levels: Sequence[Level], graph: PageGraph) -> _Part:
        columns = columns_under(header, levels)
        body = Body(tuple(levels), columns, graph.line_height, has_header=True)
        part = self._rows(header.sought, body)
        part.words |= {word.order for cell in header.cells for node in cell.nodes for word in node.words}
        return part

    def _carried(self, header: Header, columns: Columns, levels: Sequence[Level], graph: PageGraph) -> _Part | None:
        """The rows that stand on a page without a header of their own; None when none do."""
        moved = columns.shifted(levels)
        part = self._rows(header.sought, Body(tuple(levels), moved, graph.line_height, has_header=False))
        return part if part.rows else None

    def _rows(self, sought: SoughtTable, body: Body) -> _Part:
        reader = Reader(self._conventions)
        identity = [(*sought.table.row.path, *key) for key in sought.table.identity]
        rows = RowReader(identity, reader.parse).rows(body)
        cells = [
            {leaf.path: words for place, words in row.cells.items() if (leaf := body.columns.leaves[place]) is not None}
            for row in rows
        ]
        words = {word.order for row in rows for words in row.cells.values() for word in words}
        return _Part(body.columns, cells, words)

    def _whole(self, parts: Sequence[_Part]) -> FoundTable:
        rows = [cells for part in parts for cells in part.rows]
        leaves = {leaf.path: leaf for part in parts for leaf in part.columns.leaves if leaf is not None}
        readers = {path: Reader(self._conventions, [row[path] for row in rows if path in row]) for path in leaves}
        kept = {path: leaf for path, leaf in leaves.items() if readers[path].reads(leaf)}
        return FoundTable(
            rows=[
                {
                    path: parsed
                    for path, leaf in kept.items()
                    if path in row and (parsed := readers[path].cell(leaf, row[path])) is not None
                }
                for row in rows
            ],
            columns=frozenset(kept),
            words=frozenset(order for part in parts for order in part.words),
        )


def _before(graph: PageGraph, header: Header | None) -> list[Level]:
    return [level for level in graph.levels if header is None or level.y1 <= header.y0 + 1.0]


def _bodies(graph: PageGraph, headers: Sequence[Header]) -> Iterator[tuple[Header, list[Level]]]:
    """Each header with the levels under it, down to the next header or to a gap that no row has."""
    for number, header in enumerate(headers):
        end = headers[number + 1].y0 if number + 1 < len(headers) else graph.height
        used = {node for level in header.levels for node in level.nodes}
        levels = [
            level
            for level in graph.levels
            if level.middle > header.y1 and level.middle < end and not used & set(level.nodes)
        ]
        yield header, _contiguous(levels, header.y1, graph.line_height)


def _contiguous(levels: Sequence[Level], top: float, line_height: float) -> list[Level]:
    kept: list[Level] = []
    gaps: list[float] = []
    bottom = top
    for level in levels:
        gap = level.y0 - bottom
        usual = max(gaps, default=0.0)
        if gap > max(_WIDEST_GAP * line_height, 1.5 * usual):
            break
        gaps.append(gap)
        kept.append(level)
        bottom = max(bottom, level.y1)
    return kept
