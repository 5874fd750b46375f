"""The arrays of a document: ruled tables first, then white gutters, over all its pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from extractors.conventions import Conventions
from extractors.text_cells_body import Body, first_full_line, read_body
from extractors.text_cells_grid import Cell, Grid
from extractors.text_cells_gutters import Layout, find_layout
from extractors.text_cells_lines import TextLine, fold_words, lines_of
from extractors.text_cells_reader import RuledPage
from extractors.text_cells_rows import RawRow, Settled, Sought, settle
from extractors.text_cells_ruled import RuledHeader, cell_text, headers, moved, read_below
from extractors.words import Word
from groundtruth.path import Path

_LOW: Final = 0.55
"""In page heights: a table that ends higher up does not go on overleaf."""

_HIGH: Final = 0.45
"""In page heights: what goes on from the page before begins no lower."""

_HEADING_LINES: Final = 3


class PageCells(NamedTuple):
    """A page and its cells."""

    page: RuledPage
    grid: Grid


@dataclass(frozen=True)
class Part:
    """A table, or the part of it on one page.

    Attributes:
        sought: the array it is taken for.
        page: from 1.
        columns: the fields that have a column.
        rows: as printed.
        header: the orders of the words of its header.
        bottom: where it ends, as a share of the page's height.
        open: whether it may go on overleaf.
        layout: how to read on without a header.
    """

    sought: Sought
    page: int
    columns: frozenset[Path]
    rows: tuple[RawRow, ...]
    header: frozenset[int]
    bottom: float
    open: bool
    layout: Layout | RuledHeader


class FoundArray(NamedTuple):
    """An array's rows over all pages, and the orders of the words of its headers and rows."""

    settled: Settled
    words: frozenset[int]


def read_tables(
    pages: Sequence[PageCells], arrays: Sequence[Sought], conventions: Conventions
) -> dict[Path, FoundArray]:
    """What was found of each array, by its path."""
    parts: dict[Path, list[Part]] = {sought.table.path: [] for sought in arrays}
    last: Part | None = None
    for page in pages:
        found = list(_on_page(page, arrays, conventions))
        if last is not None and (more := _continued(last, page, found, conventions)) is not None:
            found.insert(0, more)
        for part in found:
            parts[part.sought.table.path].append(part)
        last = found[-1] if found and found[-1].open and found[-1].bottom >= _LOW else None
    return {path: array for path, held in parts.items() if (array := _array(held, conventions)) is not None}


def _array(parts: Sequence[Part], conventions: Conventions) -> FoundArray | None:
    """The rows of all parts in the columns they share; a part with half of another's columns is another table."""
    most = max((len(part.columns) for part in parts), default=0)
    parts = [part for part in parts if 2 * len(part.columns) > most]
    if not parts:
        return None
    columns = frozenset.intersection(*(part.columns for part in parts))
    rows = [_narrowed(row, columns) for part in parts for row in part.rows]
    settled = settle(parts[0].sought, columns, rows, conventions)
    if settled is None:
        return None
    return FoundArray(settled, settled.words.union(*(part.header for part in parts)))


def _narrowed(row: RawRow, columns: frozenset[Path]) -> RawRow:
    return RawRow({path: words for path, words in row.cells.items() if path in columns}, row.lead)


def _on_page(page: PageCells, arrays: Sequence[Sought], conventions: Conventions) -> Iterator[Part]:
    parts: list[Part] = []
    loose: list[Sequence[Word]] = [page.grid.free]
    for cells in page.grid.tables():
        ruled = list(_ruled(page, cells, arrays, conventions))
        parts += ruled
        if not ruled:
            loose.append([word for cell in cells for word in cell.words])
    for words in loose:
        parts += _gutters(page, lines_of(words), arrays, conventions)
    yield from sorted(_apart(parts), key=lambda part: part.bottom)


def _ruled(
    page: PageCells, cells: Sequence[Cell], arrays: Sequence[Sought], conventions: Conventions
) -> Iterator[Part]:
    if len(cells) < 4:
        return
    claimed: dict[float, list[tuple[Sought, RuledHeader]]] = {}
    for sought in arrays:
        for header in headers(cells, page.grid, sought):
            claimed.setdefault(header.bottom, []).append((sought, header))
    bottoms = sorted(claimed)
    for place, bottom in enumerate(bottoms):
        top = min(cell.y0 for _, header in claimed[bottom] for cell in header.columns.values())
        chosen = _choose(
            [(sought, len(header.columns)) for sought, header in claimed[bottom]], _above(page, cells, top)
        )
        if chosen is None:
            continue
        header = next(header for sought, header in claimed[bottom] if sought is chosen)
        stop = page.page.text.height
        if place + 1 < len(bottoms):
            following = claimed[bottoms[place + 1]][0][1]
            stop = min(cell.y0 for cell in following.columns.values())
        body = read_below(header, page.grid, stop, chosen, conventions)
        yield _ruled_part(page, cells, chosen, header, body.rows, body.bottom)


def _apart(parts: Sequence[Part]) -> Iterator[Part]:
    """The parts without those that read words again which a part with as many columns has read before."""
    used: set[int] = set()
    for part in sorted(parts, key=lambda part: -len(part.columns)):
        words = {word.order for row in part.rows for cell in row.cells.values() for word in cell}
        if not words & used:
            yield part
        used |= words


def _ruled_part(
    page: PageCells, cells: Sequence[Cell], sought: Sought, header: RuledHeader, rows: tuple[RawRow, ...], bottom: float
) -> Part:
    ends_table = bottom >= max(cell.y1 for cell in cells) - 1
    return Part(
        sought,
        page.page.text.number,
        frozenset(header.columns),
        rows,
        frozenset(word.order for word in header.words),
        bottom / page.page.text.height,
        ends_table,
        header,
    )


def _gutters(
    page: PageCells, lines: Sequence[TextLine], arrays: Sequence[Sought], conventions: Conventions
) -> Iterator[Part]:
    index = 0
    while index < len(lines):
        found = {id(sought): seen for sought in arrays if (seen := find_layout(lines, index, sought))}
        above = lines[max(0, index - _HEADING_LINES) : index + 1]
        candidates = [(sought, len(found[id(sought)][0].named)) for sought in arrays if id(sought) in found]
        chosen = _choose(candidates, [run.text for line in above for run in line.runs])
        if chosen is None:
            index += 1
            continue
        layout, stack = found[id(chosen)]
        better = find_layout(lines, index + 1, chosen) if index + 1 < len(lines) else None
        if better and len(better[0].named) > len(layout.named):
            index += 1
            continue
        stop = _next_header(lines, index + 1, arrays, len(layout.named))
        body = read_body(lines[:stop], index + 1, layout, chosen, conventions)
        if body.rows:
            header = [word.order for line in lines[index + 1 - stack : index + 1] for word in line.words]
            yield _gutter_part(page, lines, chosen, layout, body, header)
        index = max(body.end, index + 1)


def _gutter_part(
    page: PageCells, lines: Sequence[TextLine], sought: Sought, layout: Layout, body: Body, header: Iterable[int]
) -> Part:
    bottom = lines[body.end - 1].y1 / page.page.text.height
    number = page.page.text.number
    return Part(sought, number, layout.named, body.rows, frozenset(header), bottom, body.open, layout)


def _next_header(lines: Sequence[TextLine], start: int, arrays: Sequence[Sought], named: int) -> int:
    """The index of the next line that names as many fields of one array as its header did, or of none."""
    for index in range(start, len(lines)):
        folded = fold_words(lines[index].words)
        for sought in arrays:
            paths = {claim.leaf.path for hit in sought.patterns.hits(folded) for claim in hit.claims}
            if len(paths) >= max(2, (named + 1) // 2) and 2 * len(paths) > len(lines[index].runs):
                return index
    return len(lines)


def _choose(candidates: Sequence[tuple[Sought, int]], above: Sequence[str]) -> Sought | None:
    """The array with the most columns named; of several the one that a heading announces, or none."""
    most = max((count for _, count in candidates), default=0)
    best = [sought for sought, count in candidates if count == most]
    if len(best) > 1:
        best = [sought for sought in best if any(sought.is_announced_by(text) for text in above)]
    return best[0] if len(best) == 1 else None


def _above(page: PageCells, cells: Sequence[Cell], top: float) -> list[str]:
    """The texts above a ruled header: of cells of its table, and of the lines over the table."""
    table_top = min(cell.y0 for cell in cells)
    inside = [cell_text(cell) for cell in cells if cell.words and cell.y1 <= top + 1]
    free = [line for line in lines_of(page.grid.free) if line.y1 <= table_top + 1][-_HEADING_LINES:]
    return [*inside[-2:], *(run.text for line in free for run in line.runs)]


def _continued(last: Part, page: PageCells, found: Sequence[Part], conventions: Conventions) -> Part | None:
    """What of an open table stands on the next page without a header; nothing where the header is repeated."""
    if any(part.sought is last.sought for part in found):
        return None
    height = page.page.text.height
    if isinstance(last.layout, RuledHeader):
        tables = [cells for cells in page.grid.tables() if len(cells) >= len(last.columns)]
        if not tables or tables[0][0].y0 > _HIGH * height:
            return None
        header = moved(last.layout, tables[0], page.grid)
        if header is None:
            return None
        ruled = read_below(header, page.grid, height, last.sought, conventions)
        part = _ruled_part(page, tables[0], last.sought, header, ruled.rows, ruled.bottom)
        return (
            Part(**{**vars(part), "header": frozenset(), "layout": last.layout})
            if _fits(part, last, conventions)
            else None
        )
    taken = {order for part in found for order in part.header}
    taken |= {word.order for part in found for row in part.rows for words in row.cells.values() for word in words}
    lines = lines_of(word for word in page.grid.free if word.order not in taken)
    before = settle(last.sought, last.columns, last.rows, conventions)
    if before is None or not before.usual:
        return None
    start = first_full_line(lines, last.layout, before.usual, last.sought, conventions)
    if start is None or lines[start].y0 > _HIGH * height:
        return None
    body = read_body(lines, start, last.layout, last.sought, conventions)
    part = _gutter_part(page, lines, last.sought, last.layout, body, ())
    return part if part.rows and _fits(part, last, conventions) else None


def _fits(part: Part, last: Part, conventions: Conventions) -> bool:
    """Whether every column holds values of its field on the second page as well."""
    settled = settle(part.sought, last.columns, part.rows, conventions)
    return settled is not None and settled.columns == last.columns
