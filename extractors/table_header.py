"""The header of a printed table: a line, or two or three, whose cells name the properties of an array's rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from extractors.labels import LabelBook, Named, SchemaNames, Tokens, tokens_of
from extractors.layout import Line, Segment
from groundtruth.path import Path
from groundtruth.schema import Leaf, Table

_MOST_HEADER_LINES: Final = 3
_HEADER_LEADING: Final = 0.8
"""The widest space between the lines of one header, in line heights."""
_LEAST_SHARE: Final = 0.4
"""Of the cells of a header line, how many must name properties of the array."""
_TITLE_BONUS: Final = 0.5
_TITLE_ABOVE: Final = 3
"""How many lines above a header its table's title may stand."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column, also one that the schema does not ask for (``leaf`` is None); extents in points along the line."""

    x0: float
    x1: float
    leaf: Leaf | None

    def widened(self, x0: float, x1: float) -> Column:
        """The column with a cell taken in."""
        return replace(self, x0=min(self.x0, x0), x1=max(self.x1, x1))


class Header(NamedTuple):
    """The columns of a table, the words that name them, the lines they take, and how well they fit."""

    sought: SoughtTable
    columns: tuple[Column, ...]
    words: frozenset[int]
    lines: int
    score: float


class SoughtTable:
    """An array of the schema, with the names of its columns and of itself."""

    def __init__(self, table: Table, names: SchemaNames) -> None:
        self.table = table
        self.leaves: tuple[Leaf, ...] = tuple(table.row.leaves())
        self.identity: frozenset[Path] = frozenset(table.row.path + key for key in table.identity)
        self.titles: set[Tokens] = names.of_container(table.path, table.title)
        known = [name for leaf in self.leaves for name in names.of_leaf(leaf, within=table.row.path)]
        self._book = LabelBook(known)
        self._vocabulary = {token for tokens, _, _ in known for token in tokens}

    def header_at(self, lines: Sequence[Line], number: int) -> Header | None:
        """The best header that begins at a line of a page: most matched columns, then fewest lines."""
        # Most lines of a long table are rows: whatever names no column is soon passed over.
        if not any(token in self._vocabulary for word in lines[number].words for token in tokens_of(word.text)):
            return None
        best: Header | None = None
        for height in range(1, _MOST_HEADER_LINES + 1):
            block = lines[number : number + height]
            if len(block) < height or (height > 1 and not _is_close(block[-2], block[-1])):
                break
            header = self._header(block)
            # A line above the header that adds nothing to it is a title.
            if height > 1 and header is not None and header.score <= self._score(block[1:]):
                continue
            if header is not None and (best is None or header.score > best.score + 0.5):
                best = header
        if best is None:
            return None
        return best._replace(score=best.score + _TITLE_BONUS * self._is_announced(lines, number))

    def _header(self, block: Sequence[Line]) -> Header | None:
        cells, beside = _set_apart(_stacked(block))
        found = self._columns(cells)
        if not self._is_header(found):
            return None
        columns = [column for column, _ in found]
        if beside is not None:
            columns.append(Column(beside.x0, beside.x1, None))
        words = frozenset(word.order for cell in cells for word in cell.words)
        return Header(self, tuple(columns), words, len(block), sum(weight for _, weight in found))

    def _score(self, block: Sequence[Line]) -> float:
        header = self._header(block)
        return 0.0 if header is None else header.score

    def _columns(self, cells: Sequence[Segment]) -> list[tuple[Column, float]]:
        """The columns under some cells, each leaf at the cell that names it best, with the weight of that name."""
        parts = [part for cell in cells for part in self._parts(cell)]
        order = sorted(
            ((named.weight, place, named.leaf) for place, (_, found) in enumerate(parts) for named in found),
            key=lambda entry: (-entry[0], entry[1]),
        )
        leaf_at: dict[int, Named] = {}
        used: set[Path] = set()
        for weight, place, leaf in order:
            if place not in leaf_at and leaf.path not in used:
                leaf_at[place] = Named(leaf, weight)
                used.add(leaf.path)
        columns = []
        for place, (segment, _) in enumerate(parts):
            named = leaf_at.get(place)
            column = Column(segment.x0, segment.x1, named.leaf if named else None)
            columns.append((column, named.weight if named else 0.0))
        return columns

    def _parts(self, cell: Segment) -> Iterator[tuple[Segment, tuple[Named, ...]]]:
        """The cell, or the headers in it when several stand so close that they look like one."""
        named = self._book.named_by(cell.text)
        on_one_line = cell.y1 - cell.y0 < 1.5 * (cell.words[0].y1 - cell.words[0].y0)
        split = list(self._split(cell)) if on_one_line and not named else []
        if len(split) > 1:
            yield from split
        else:
            yield cell, named

    def _split(self, cell: Segment) -> Iterator[tuple[Segment, tuple[Named, ...]]]:
        start = 0
        while start < len(cell.words):
            for end in range(len(cell.words), start, -1):
                part = Segment(cell.words[start:end])
                if named := self._book.exactly(part.text):
                    yield part, named
                    start = end
                    break
            else:
                return

    def _is_header(self, columns: Sequence[tuple[Column, float]]) -> bool:
        matched = sum(column.leaf is not None for column, _ in columns)
        if len(self.leaves) == 1:
            return matched == len(columns) == 1 and columns[0][1] == 1.0
        return matched >= 2 and matched >= _LEAST_SHARE * len(columns)

    def _is_announced(self, lines: Sequence[Line], number: int) -> bool:
        near = lines[max(0, number - _TITLE_ABOVE) : number + 1]
        return any(tokens_of(segment.text) in self.titles for line in near for segment in line.cells)


def find_header(
    sought: Sequence[SoughtTable], lines: Sequence[Line], number: int, current: SoughtTable | None
) -> Header | None:
    """The header that begins at a line, for the array it fits best.

    On a tie the array whose table is being read goes on; without one, nothing on the page says whose header it is,
    and there is none.
    """
    headers = [header for table in sought if (header := table.header_at(lines, number)) is not None]
    if not headers:
        return None
    top = max(header.score for header in headers)
    best = [header for header in headers if header.score == top]
    if len(best) == 1:
        return best[0]
    return next((header for header in best if header.sought is current), None)


def _is_close(upper: Line, lower: Line) -> bool:
    return lower.y0 - upper.y1 <= _HEADER_LEADING * min(upper.height, lower.height)


def _set_apart(cells: Sequence[Segment]) -> tuple[list[Segment], Segment | None]:
    """The cells of a header, and what stands beside the table: a field (``Label: value``) and all that follows it."""
    for place, cell in enumerate(cells):
        if cell.text.endswith(":"):
            return list(cells[:place]), Segment(tuple(word for beside in cells[place:] for word in beside.words))
    return list(cells), None


def _stacked(block: Sequence[Line]) -> list[Segment]:
    """The cells of a header block from left to right, those above one another joined."""
    stacks: list[list[Segment]] = []
    for line in block:
        for cell in line.cells:
            over = [stack for stack in stacks if any(cell.overlap(upper) > 0 for upper in stack)]
            if len(over) == 1:
                over[0].append(cell)
            else:
                stacks.append([cell])
    cells = [Segment(tuple(word for cell in stack for word in cell.words)) for stack in stacks]
    return sorted(cells, key=lambda cell: min(word.x0 for word in cell.words))
