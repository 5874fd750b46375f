"""Tables without ruled cells: columns by the white gutters that run through their lines.

The words of header and body are laid over one another; a gutter is a strip that stays white. The lines are cut at the
gutters, and a column is what the header says above it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Final, NamedTuple

from extractors.conventions import Conventions
from extractors.text_cells_lines import TextLine, fold_words
from extractors.text_cells_rows import RawRow, Sought, is_closing, is_summary
from extractors.typed import is_text, parse
from extractors.words import Word, join
from groundtruth.path import Path

_GUTTERS: Final = (1.0, 0.5)
"""In mean character widths: how wide a gutter is, and how narrow it may be where that makes out more columns."""

_LARGEST_BLOCK: Final = 60
"""How many lines below the header are laid over one another."""

_SMALL_BLOCKS: Final = (12, 4, 1)
"""How few may be, where that makes out the columns better."""

_BREAK: Final = 1.6
"""A gap so many times as wide as those above it ends the block as well."""

_STACK: Final = 3
"""The most lines of a header."""

_STRAY: Final = 0.08
"""The share of the lines that may have a word in a gutter."""

_RARE: Final = 0.2
"""A column without a header that so few lines have words in is part of its neighbour."""

_SPACE: Final = 0.9
"""In mean character widths: words no further apart may be parted by a mere space."""

_STOP_GAP: Final = 3.5
"""In line heights: a wider white band ends the table."""

_TIGHT: Final = 1.45
"""In line heights: lines whose tops are no further apart may be one wrapped cell."""

_MOST_FOREIGN: Final = 3
"""So many lines in a row that are none of the table end it."""


_SOUND: Final = 2
"""Weight of a line that holds a number, a date or the like where one belongs."""

_ENOUGH: Final = 1
"""Weight of a line that fills half of the columns with text."""

_PART: Final = 0


@dataclass(frozen=True)
class Layout:
    """The columns of a table.

    Attributes:
        cuts: where lines are cut, in points, rising.
        leaves: the field of each column, one more than there are cuts; None for a column of something else.
    """

    cuts: tuple[float, ...]
    leaves: tuple[Path | None, ...]

    @property
    def named(self) -> frozenset[Path]:
        """The fields that have a column."""
        return frozenset(path for path in self.leaves if path is not None)

    @property
    def merit(self) -> tuple[int, int]:
        """More fields first, then fewer other columns."""
        return len(self.named), -len(self.leaves)

    def cut(self, line: TextLine) -> dict[int, tuple[Word, ...]] | None:
        """The words of a line by column; None when a word lies across a cut."""
        slack = 0.3 * line.unit
        cells: dict[int, list[Word]] = {}
        for word in line.words:
            first, last = bisect_right(self.cuts, word.x0 + slack), bisect_right(self.cuts, word.x1 - slack)
            if first != last:
                return None
            cells.setdefault(first, []).append(word)
        return {column: tuple(words) for column, words in cells.items()}


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


def find_layout(lines: Sequence[TextLine], index: int, sought: Sought) -> tuple[Layout, int] | None:
    """The columns of an array whose header ends with the line at an index, and how many lines the header has.

    Of several ways to see it the one with the most fields counts, then the one with the fewest other columns, then
    the one with the widest gutters and the most lines.
    """
    if not _may_be_header(lines, index, sought):
        return None
    whole = _block(lines, index + 1)
    blocks = [whole, whole[: _first_break(whole)], *(whole[:count] for count in _SMALL_BLOCKS)]
    best: tuple[Layout, int] | None = None
    for stack, width, block in product(range(1, _STACK + 1), _GUTTERS, blocks):
        if stack > index + 1 or not _is_one_block(lines[index + 1 - stack : index + 1]):
            continue
        if not block:
            return None
        layout = _layout(lines[index + 1 - stack : index + 1], block, width, sought)
        if layout and (best is None or layout.merit > best[0].merit):
            best = layout, stack
    return best


def read_body(lines: Sequence[TextLine], start: int, layout: Layout, sought: Sought, conventions: Conventions) -> Body:
    """The rows from a line on, until a wide white band, several foreign lines, or the end of the lines."""
    read: list[_Read] = []
    end, foreign, closed = start, 0, False
    for index in range(start, len(lines)):
        line = lines[index]
        if index > start and line.y0 - lines[index - 1].y1 > _STOP_GAP * (line.y1 - line.y0):
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
        far = lines[index + 1].y0 - lines[index].y1 > _STOP_GAP * (lines[index].y1 - lines[index].y0)
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


def _may_be_header(lines: Sequence[TextLine], index: int, sought: Sought) -> bool:
    stack = lines[max(0, index + 1 - _STACK) : index + 1]
    words = frozenset(word for line in stack for word in fold_words(line.words).text.split())
    return sought.patterns.spelt_by(words) >= 2


def _is_one_block(lines: Sequence[TextLine]) -> bool:
    return all(below.y0 - above.y1 < 0.8 * (above.y1 - above.y0) for above, below in pairwise(lines))


def _first_break(block: Sequence[TextLine]) -> int:
    """The index of the first line that stands further off than any line before it."""
    widest = 0.0
    for index in range(1, len(block)):
        gap = block[index].y0 - block[index - 1].y1
        if index > 2 and gap > _BREAK * max(widest, 1.0):
            return index
        widest = max(widest, gap)
    return len(block)


def _block(lines: Sequence[TextLine], start: int) -> list[TextLine]:
    block: list[TextLine] = []
    for index in range(start, min(start + _LARGEST_BLOCK, len(lines))):
        line = lines[index]
        if line.y0 - lines[index - 1].y1 > _STOP_GAP * (line.y1 - line.y0):
            break
        block.append(line)
    return block


def _layout(header: Sequence[TextLine], body: Sequence[TextLine], width: float, sought: Sought) -> Layout | None:
    cuts = _cuts(header, body, width)
    cuts = _without_cuts_in_names(cuts, _texts(header, cuts), sought)
    texts = _texts(header, cuts)
    claimed = [_named_by(text, sought) for text in texts]
    leaves = tuple(path if claimed.count(path) == 1 else None for path in claimed)
    named = sum(path is not None for path in leaves)
    headed = sum(bool(text) for text in texts)
    if named < 2 or (2 * named <= headed and named < 3):
        return None
    return _joined(Layout(cuts, leaves), texts, body)


def _named_by(text: str, sought: Sought) -> Path | None:
    claims = sought.patterns.whole(text) if text else ()
    return claims[0].leaf.path if len(claims) == 1 else None


def _without_cuts_in_names(cuts: tuple[float, ...], texts: Sequence[str], sought: Sought) -> tuple[float, ...]:
    """The cuts but for those that part a name whose pieces are none."""
    kept: list[float] = []
    index = 0
    while index < len(texts):
        length = next((length for length in (3, 2) if _is_parted(texts[index : index + length], length, sought)), 1)
        index += length
        if index < len(texts):
            kept.append(cuts[index - 1])
    return tuple(kept)


def _is_parted(pieces: Sequence[str], length: int, sought: Sought) -> bool:
    return (
        len(pieces) == length
        and all(pieces)
        and _named_by(" ".join(pieces), sought) is not None
        and not any(_named_by(piece, sought) for piece in pieces)
    )


def _cuts(header: Sequence[TextLine], body: Sequence[TextLine], width: float) -> tuple[float, ...]:
    unit = sum(line.unit for line in (*header, *body)) / (len(header) + len(body))
    several = [line for line in body if len(line.runs) > 1 and not is_summary(line.runs[0].text)]
    several = several or [line for line in body if len(line.runs) > 1] or list(body)
    stray = int(_STRAY * len(several))
    # A word of the header is never stray.
    weighted = [(word, 1) for line in several for word in line.words]
    weighted += [(word, stray + 1) for line in header for word in line.words]
    return tuple((x0 + x1) / 2 for x0, x1 in _white(weighted, stray) if x1 - x0 >= width * unit)


def _white(words: Iterable[tuple[Word, int]], stray: int) -> Iterator[tuple[float, float]]:
    """The strips between the outermost words that no more than ``stray`` words reach into, from the left.

    Of a strip that some do reach into only the emptiest part counts.
    """
    events = sorted(event for word, weight in words for event in ((word.x0, weight), (word.x1, -weight)))
    depth, inside = 0, False
    strip: list[tuple[int, float, float]] = []
    for (place, change), (following, _) in pairwise(events):
        depth += change
        if depth > stray:
            if strip:
                yield _emptiest(strip)
            strip, inside = [], True
        elif inside and following > place:
            strip.append((depth, place, following))


def _emptiest(strip: Sequence[tuple[int, float, float]]) -> tuple[float, float]:
    least = min(depth for depth, _, _ in strip)
    return max(((x0, x1) for depth, x0, x1 in strip if depth == least), key=lambda part: part[1] - part[0])


def _texts(header: Sequence[TextLine], cuts: Sequence[float]) -> list[str]:
    """What the header says over each column, its lines from the top."""
    over: list[list[Word]] = [[] for _ in range(len(cuts) + 1)]
    for line in header:
        for word in line.words:
            over[bisect_right(cuts, (word.x0 + word.x1) / 2)].append(word)
    return [join(words) for words in over]


def _joined(layout: Layout, texts: Sequence[str], body: Sequence[TextLine]) -> Layout:
    """Without cuts that part a currency sign, or the end of a text, from the column it belongs to."""
    cuts, leaves, headed = list(layout.cuts), list(layout.leaves), [bool(text) for text in texts]
    for index in reversed(range(len(leaves))):
        if headed[index] or len(leaves) == 1:
            continue
        cells = [(line, words) for line in body if (words := _between(line, cuts, index))]
        if index < len(leaves) - 1 and cells and all(_is_sign(words) for _, words in cells):
            del cuts[index], leaves[index], headed[index]
        elif index and (
            len(cells) <= _RARE * len(body) or 2 * sum(_runs_on(line, words[0]) for line, words in cells) >= len(cells)
        ):
            del cuts[index - 1], leaves[index], headed[index]
    return Layout(tuple(cuts), tuple(leaves))


def _between(line: TextLine, cuts: Sequence[float], column: int) -> list[Word]:
    """The words of a line whose middle lies in a column."""
    return [word for word in line.words if bisect_right(cuts, (word.x0 + word.x1) / 2) == column]


def _is_sign(words: Sequence[Word]) -> bool:
    return len(words) == 1 and not any(map(str.isalnum, words[0].text))


def _runs_on(line: TextLine, word: Word) -> bool:
    """Whether a word stands no further than a space behind the one before it."""
    place = line.words.index(word)
    return place > 0 and word.x0 - line.words[place - 1].x1 < _SPACE * line.unit


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
        and right.x0 - left.x1 < _SPACE * line.unit
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
