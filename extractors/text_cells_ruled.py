"""Ruled tables: a row of cells that names the fields of an array, and the cells below each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from extractors.conventions import Conventions
from extractors.text_cells_body import group_lines
from extractors.text_cells_grid import Cell, Grid
from extractors.text_cells_gutters import Layout
from extractors.text_cells_lines import lines_of
from extractors.text_cells_rows import RawRow, Sought, is_summary
from extractors.typed import is_text, parse
from extractors.words import Word, join
from groundtruth.path import Path

_INSIDE: Final = 1.5
"""In points: so far inside the next cell a neighbour is looked for."""

_HEADINGS: Final = 3
"""The most rows of one wide cell that a table may go on with overleaf."""

_SAME_PLACE: Final = 5.0
"""In points: columns of another page that stand no further off are the same columns."""


@dataclass(frozen=True)
class RuledHeader:
    """The named columns of a ruled table.

    Attributes:
        columns: the header's cell of each field.
        bottom: where the header ends, in points.
    """

    columns: Mapping[Path, Cell]
    bottom: float

    @property
    def words(self) -> tuple[Word, ...]:
        """The words of the header."""
        return tuple(word for cell in self.columns.values() for word in cell.words)


@dataclass(frozen=True)
class RuledBody:
    """What stands below a header.

    Attributes:
        rows: as printed.
        bottom: where the last of them ends.
    """

    rows: tuple[RawRow, ...]
    bottom: float


def cell_text(cell: Cell) -> str:
    """The words of a cell as one text."""
    return join(word for line in lines_of(cell.words) for word in line.words)


def headers(cells: Sequence[Cell], grid: Grid, sought: Sought) -> Iterator[RuledHeader]:
    """The rows of cells that name at least two fields, two of them side by side, from the top."""
    for bottom in sorted({cell.y1 for cell in cells}):
        row = sorted((cell for cell in cells if cell.y1 == bottom and cell.words), key=lambda cell: cell.x0)
        claimed = [_claim(cell, grid, sought) for cell in row]
        columns = {
            path: cell for path, cell in zip(claimed, row, strict=True) if path is not None and claimed.count(path) == 1
        }
        beside = any(one and other for one, other in pairwise(claimed))
        if len(columns) >= 2 and beside and (2 * len(columns) > len(row) or len(columns) >= 3):
            yield RuledHeader(columns, bottom)


def _claim(cell: Cell, grid: Grid, sought: Sought) -> Path | None:
    """The field that a cell names, with the cell above it if that says more."""
    above = grid.at(cell.middle[0], cell.y0 - _INSIDE)
    texts = [cell_text(cell)]
    if above is not None and above.words:
        texts.insert(0, f"{cell_text(above)} {texts[0]}")
    for text in texts:
        claims = sought.patterns.whole(text)
        if len(claims) == 1:
            return claims[0].leaf.path
    return None


def read_below(header: RuledHeader, grid: Grid, stop: float, sought: Sought, conventions: Conventions) -> RuledBody:
    """The rows from the header down to ``stop`` or to the end of the columns."""
    rows: list[RawRow] = []
    top = header.bottom
    while top < stop - _INSIDE:
        band = {path: grid.at(cell.middle[0], top + _INSIDE) for path, cell in header.columns.items()}
        found = {path: cell for path, cell in band.items() if cell is not None}
        if 2 * len(found) <= len(header.columns):
            break
        bottom = min(cell.y1 for cell in found.values())
        if bottom <= top:
            break
        own = {path: cell for path, cell in found.items() if _stands_under(cell, header.columns[path])}
        if _holds_several(own, sought, conventions):
            rows += _split(own, sought, conventions)
            top = max(cell.y1 for cell in own.values())
        else:
            rows += _band_row(found, own)
            top = bottom
    return RuledBody(tuple(rows), top)


def _band_row(found: Mapping[Path, Cell], own: Mapping[Path, Cell]) -> list[RawRow]:
    """The row of one band of cells; none when it is empty, or a wide cell with something other than a sum."""
    first = min((cell for cell in found.values() if cell.words), key=lambda cell: cell.x0, default=None)
    if first is None:
        return []
    lead = cell_text(first)
    if len(found) - len(own) >= 2 and not is_summary(lead):
        return []
    cells = {path: cell.words for path, cell in own.items() if cell.words}
    return [
        RawRow({path: tuple(w for line in lines_of(words) for w in line.words) for path, words in cells.items()}, lead)
    ]


def _stands_under(cell: Cell, head: Cell) -> bool:
    return abs(cell.x0 - head.x0) <= _SAME_PLACE and abs(cell.x1 - head.x1) <= _SAME_PLACE


def _holds_several(own: Mapping[Path, Cell], sought: Sought, conventions: Conventions) -> bool:
    """Whether the lines of a cell are values each, but not together: the rows are not ruled off."""
    for path, cell in own.items():
        leaf, words = sought.leaves[path], cell.words
        if is_text(leaf):
            continue
        lines = lines_of(words)
        if len(lines) > 1 and parse(leaf, words, conventions) is None:
            return all(parse(leaf, line.words, conventions) for line in lines)
    return False


def _split(own: Mapping[Path, Cell], sought: Sought, conventions: Conventions) -> list[RawRow]:
    order = sorted(own, key=lambda path: own[path].x0)
    cuts: list[float] = []
    leaves: list[Path | None] = []
    for path in order:
        if leaves and own[path].x0 - cuts[-1] > 1:
            cuts.append(own[path].x0)
            leaves.append(None)
        leaves.append(path)
        cuts.append(own[path].x1)
    layout = Layout(tuple(cuts), (*leaves, None))
    words = [word for path in order for word in own[path].words]
    return group_lines(lines_of(words), layout, sought, conventions)


def moved(header: RuledHeader, cells: Sequence[Cell], grid: Grid) -> RuledHeader | None:
    """The header over the cells of another page, when its columns stand there in the same places.

    Rows of one wide cell, such as headings, may come first.
    """
    for top in sorted({cell.y0 for cell in cells})[:_HEADINGS]:
        under = {path: grid.at(cell.middle[0], top + _INSIDE) for path, cell in header.columns.items()}
        if all(cell is not None and _stands_under(cell, header.columns[path]) for path, cell in under.items()):
            return RuledHeader(header.columns, top)
        if len(set(under.values())) > 1:
            return None
    return None
