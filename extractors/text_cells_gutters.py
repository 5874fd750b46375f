"""Tables without ruled cells: columns by the white gutters that run through their lines.

The words of header and body are laid over one another; a gutter is a strip that stays white. The lines are cut at the
gutters, and a column is what the header says above it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Final

from extractors.text_cells_lines import TextLine, fold_words
from extractors.text_cells_rows import Sought, is_summary
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

SPACE: Final = 0.9
"""In mean character widths: words no further apart may be parted by a mere space."""

STOP_GAP: Final = 3.5
"""In line heights: a wider white band ends the table."""


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
        if line.y0 - lines[index - 1].y1 > STOP_GAP * (line.y1 - line.y0):
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
    return place > 0 and word.x0 - line.words[place - 1].x1 < SPACE * line.unit
