"""The lines below a header, cut at the gutters: which begin a row, which go on with one, and where the table ends."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from extractors.conventions import Conventions
from extractors.text_cells_gutters import SPACE, STOP_GAP, Layout
from extractors.text_cells_lines import TextLine
from extractors.text_cells_rows import RawRow, Sought, is_closing, is_summary
from extractors.typed import is_text, parse
from extractors.words import Word
from groundtruth.path import Path

_TIGHT: Final = 1.45
"""In line heights: lines whose tops are no further apart may be one wrapped cell."""

_MOST_FOREIGN: Final = 3
"""So many lines in a row that are none of the table end it."""


_SOUND: Final = 2
"""Weight of a line that holds a number, a date or the like where one belongs."""

_ENOUGH: Final = 1
"""Weight of a line that fills half of the columns with text."""

_PART: Final = 0


class _Read(NamedTuple):
    """A line as a line of the table."""

    line: TextLine
    cells: Mapping[Path, tuple[Word, ...]]
    weight: int
    """``_SOUND``, ``_ENOUGH`` or ``_PART``."""

    @property
    def lead(self) -> str:
        return self.line.runs[0].text if self.line.runs else ""


class Body(NamedTuple):
    """What was read below a header.

    Attributes:
        rows: as printed.
        end: index of the first line that is not part of it.
        open: whether it may go on, on the next page: no total closed it.
    """

    rows: tuple[RawRow, ...]
    end: int
    open: bool


def read_body(lines: Sequence[TextLine], start: int, layout: Layout, sought: Sought, conventions: Conventions) -> Body:
    """The rows from a line on, until a wide white band, several foreign lines, or the end of the lines."""
    read: list[_Read] = []
    end, foreign, closed = start, 0, False
    for index in range(start, len(lines)):
        line = lines[index]
        if index > start and line.y0 - lines[index - 1].y1 > STOP_GAP * (line.y1 - line.y0):
            break
        found = _read(line, layout, sought, conventions)
        if found is None or (closed and not is_summary(found.lead)):
            foreign += 1
            if foreign == _MOST_FOREIGN:
                break
            continue
        foreign, end = 0, index + 1
        closed = closed or (is_closing(found.lead) and not _is_full(found, read))
        read.append(found)
    return Body(tuple(_grouped(read)), end, not closed)


def first_full_line(
    lines: Sequence[TextLine], layout: Layout, usual: frozenset[Path], sought: Sought, conventions: Conventions
) -> int | None:
    """Where a page without a header goes on with the table: at its first row.

    That is the first line that fills all the usual columns with values of their fields, or one right above it that
    fills more than half of them.
    """
    read = [_read(line, layout, sought, conventions) for line in lines]
    shares = [0.0 if found is None else _share(found, usual, sought, conventions) for found in read]
    full = next((index for index, share in enumerate(shares) if share == 1.0), None)
    if full is None:
        return None
    first = full
    for index in range(full - 1, -1, -1):
        far = lines[index + 1].y0 - lines[index].y1 > STOP_GAP * (lines[index].y1 - lines[index].y0)
        if far or read[index] is None:
            break
        first = index if shares[index] > 0.5 else first
    return first


def _share(found: _Read, usual: frozenset[Path], sought: Sought, conventions: Conventions) -> float:
    """The share of the usual columns that a line fills with values of their fields; 0 for a line that sums up."""
    if is_summary(found.lead):
        return 0.0
    cells = [found.cells[path] for path in usual & found.cells.keys()]
    sound = [path for path in usual & found.cells.keys() if parse(sought.leaves[path], found.cells[path], conventions)]
    return len(sound) / len(usual) if len(sound) == len(cells) else 0.0


def group_lines(lines: Sequence[TextLine], layout: Layout, sought: Sought, conventions: Conventions) -> list[RawRow]:
    """The rows of lines that all stand in a table."""
    found = (_read(line, layout, sought, conventions) for line in lines)
    return list(_grouped([line for line in found if line is not None]))


def _read(line: TextLine, layout: Layout, sought: Sought, conventions: Conventions) -> _Read | None:
    """The line cut into cells; None when it is prose, or has nothing in a named column."""
    cut = layout.cut(line)
    if cut is None:
        return None
    cells = {path: words for column, words in cut.items() if (path := layout.leaves[column]) is not None}
    if not cells:
        return None
    typed = [path for path in cells if not is_text(sought.leaves[path])]
    sound = [path for path in typed if parse(sought.leaves[path], cells[path], conventions)]
    if (not sound or len(sound) < len(typed)) and _runs_across(line, layout):
        return None
    enough = len(cells) >= max(2, (len(layout.named) + 1) // 2)
    return _Read(line, cells, _SOUND if sound else _ENOUGH if enough else _PART)


def _runs_across(line: TextLine, layout: Layout) -> bool:
    """Whether a run of text goes on over a cut with no more than a space."""
    return any(
        bisect_right(layout.cuts, left.x1) != bisect_right(layout.cuts, right.x0)
        and right.x0 - left.x1 < SPACE * line.unit
        for left, right in pairwise(line.words)
    )


def _is_full(found: _Read, before: Sequence[_Read]) -> bool:
    return bool(before) and len(found.cells) >= max(len(line.cells) for line in before)


def _grouped(read: Sequence[_Read]) -> Iterator[RawRow]:
    """One row an anchored line; the others are wrapped text of the nearest one, of the upper on a tie, or nothing."""
    pitch = _pitch([line.line for line in read if line.weight == max(line.weight for line in read)])
    anchors = [index for index in range(len(read)) if _is_anchor(index, read, pitch)]
    parts: dict[int, list[_Read]] = {index: [read[index]] for index in anchors}
    for index, line in enumerate(read):
        if index not in parts and (owner := _owner(index, read, anchors, pitch)) is not None:
            parts[owner].append(line)
    for index in anchors:
        cells: dict[Path, tuple[Word, ...]] = {}
        for part in sorted(parts[index], key=lambda part: part.line.y0):
            for path, words in part.cells.items():
                cells[path] = (*cells.get(path, ()), *words)
        yield RawRow(cells, read[index].lead)


def _is_anchor(index: int, read: Sequence[_Read], pitch: float) -> bool:
    """Whether a line begins a row: a line of text alone does where others hold numbers only at their distance."""
    line = read[index]
    if line.weight in {_SOUND, _PART} or all(other.weight != _SOUND for other in read):
        return line.weight != _PART
    above = read[index - 1].line if index else None
    return above is None or above.page != line.line.page or line.line.y0 - above.y0 >= 0.9 * pitch


def _pitch(lines: Sequence[TextLine]) -> float:
    """The usual distance between rows, from top to top; 0 when there is none."""
    distances = sorted(below.y0 - above.y0 for above, below in pairwise(lines) if above.page == below.page)
    return distances[len(distances) // 2] if distances else 0.0


def _owner(index: int, read: Sequence[_Read], anchors: Sequence[int], pitch: float) -> int | None:
    place = bisect_right(anchors, index)
    near = [*anchors[max(0, place - 1) : place], *anchors[place : place + 1]]
    line = read[index].line
    best: tuple[float, int] | None = None
    for anchor in near:
        # What lies between belongs to the same row, or the chain is broken.
        chain = [read[step].line for step in range(min(index, anchor), max(index, anchor) + 1)]
        steps = [below.y0 - above.y0 for above, below in pairwise(chain)]
        widest = max(steps)
        tight = widest <= _TIGHT * (line.y1 - line.y0) or (pitch and widest < 0.9 * pitch)
        if tight and not _differs(read[index], read[anchor]) and (best is None or round(widest, 1) < best[0]):
            best = round(widest, 1), anchor
    return None if best is None else best[1]


def _differs(line: _Read, anchor: _Read) -> bool:
    """Whether a line is set in another style than the row it might continue, as a heading between rows is."""
    shared = [(line.cells[path][0].style, anchor.cells[path][0].style) for path in line.cells if path in anchor.cells]
    return bool(shared) and all(one != other for one, other in shared)
