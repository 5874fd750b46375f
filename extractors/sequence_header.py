"""Headers of tables: lines whose tokens, cut into cells, name the columns of an array."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from extractors.sequence_names import Match, NameList, chosen, letters_of
from extractors.sequence_text import TextLine, Token
from groundtruth.path import Path
from groundtruth.schema import Leaf

MOST_LINES: Final = 3
"""Of one header."""

_LEAST_COLUMNS: Final = 2
_LEAST_COVER: Final = 0.5
"""Of the letters of a header, how many belong to names of columns."""

_UNNAMED_COST: Final = 0.15
_NEXT_LINE: Final = 0.7
_LOOSE: Final = 1.5
"""In heights of a line: two lines of one header stand no further apart."""


@dataclass(frozen=True, slots=True)
class HeaderCell:
    """A column as its header shows it; ``leaf`` is None for a column the schema does not ask for."""

    leaf: Leaf | None
    x0: float
    x1: float
    weight: float


@dataclass(frozen=True, slots=True)
class Header:
    """The header of one table.

    Attributes:
        first: index of its first line on the page.
        lines: how many lines it takes.
        cells: from left to right.
        score: the more columns it names, and the surer, the higher.
    """

    first: int
    lines: int
    cells: tuple[HeaderCell, ...]
    score: float

    @property
    def leaves(self) -> frozenset[Path]:
        """The leaves whose columns it names."""
        return frozenset(cell.leaf.path for cell in self.cells if cell.leaf is not None)


def headers_on(lines: Sequence[TextLine], names: NameList) -> list[Header]:
    """The headers on a page that name columns by ``names``, from the top; of two that share a line the better one."""
    found = [header for first in range(len(lines)) for header in _starting(lines, first, names)]
    found.sort(key=lambda header: (-header.score, header.lines, header.first))
    kept: list[Header] = []
    for header in found:
        span = range(header.first, header.first + header.lines)
        if not any(set(span) & set(range(other.first, other.first + other.lines)) for other in kept):
            kept.append(header)
    return sorted(kept, key=lambda header: header.first)


def _starting(lines: Sequence[TextLine], first: int, names: NameList) -> Iterator[Header]:
    for count in range(1, MOST_LINES + 1):
        band = lines[first : first + count]
        if len(band) < count or (count > 1 and _gap(band[-2], band[-1]) > _LOOSE * (band[-1].y1 - band[-1].y0)):
            return
        for cells in _cuts(band, names):
            header = _header(first, count, cells, names)
            if header is not None:
                yield header


def _gap(above: TextLine, below: TextLine) -> float:
    return below.y0 - above.y1


def _cuts(band: Sequence[TextLine], names: NameList) -> Iterator[list[list[Token]]]:
    """Ways to cut the lines of a header into cells."""
    if len(band) == 1:
        yield _cut_by_names(band[0], chosen(names.matches(band[0])))
    else:
        yield _stacks(band)


def _cut_by_names(line: TextLine, matches: Sequence[Match]) -> list[list[Token]]:
    """The names that were found as cells, and what stands between them by its gaps."""
    borders = {index for run in line.runs for index in run}
    inside = {index for match in matches for index in range(match.start + 1, match.stop)}
    borders |= {index for match in matches for index in (match.start, match.stop)}
    cells: list[list[Token]] = []
    for index, token in enumerate(line.tokens):
        if not cells or (index in borders and index not in inside):
            cells.append([])
        cells[-1].append(token)
    return _with_asides(cells)


def _with_asides(cells: list[list[Token]]) -> list[list[Token]]:
    """A unit in brackets belongs to the cell before it."""
    joined: list[list[Token]] = []
    for cell in cells:
        near = joined and cell[0].word.x0 - joined[-1][-1].word.x1 < cell[0].word.y1 - cell[0].word.y0
        if near and not letters_of(cell, aside=False):
            joined[-1].extend(cell)
        else:
            joined.append(cell)
    return joined


def _stacks(band: Sequence[TextLine]) -> list[list[Token]]:
    """Runs that stand above one another, from the left; the tokens of each from top to bottom."""
    runs = sorted(
        ((number, line.tokens[start:stop]) for number, line in enumerate(band) for start, stop in line.runs),
        key=lambda run: (run[1][0].word.x0, run[0]),
    )
    stacks: list[list[tuple[int, Token]]] = []
    right = 0.0
    for number, run in runs:
        numbered = [(number, token) for token in run]
        if stacks and run[0].word.x0 < right:
            stacks[-1] += numbered
            right = max(right, run[-1].word.x1)
        else:
            stacks.append(numbered)
            right = run[-1].word.x1
    return [[token for _, token in sorted(stack, key=lambda item: (item[0], item[1].word.x0))] for stack in stacks]


def _header(first: int, count: int, cells: Sequence[list[Token]], names: NameList) -> Header | None:
    ranked = sorted(
        ((-weight, number, leaf) for number, cell in enumerate(cells) for leaf, weight in _named(cell, names)),
        key=lambda item: item[:2],
    )
    leaf_of: dict[int, tuple[Leaf, float]] = {}
    used: set[Path] = set()
    for minus_weight, number, leaf in ranked:
        if number not in leaf_of and leaf.path not in used:
            leaf_of[number] = (leaf, -minus_weight)
            used.add(leaf.path)
    letters = [len(letters_of(cell)) for cell in cells]
    named = sum(letters[number] for number in leaf_of)
    if len(leaf_of) < _LEAST_COLUMNS or named < _LEAST_COVER * sum(letters):
        return None
    if count > 1 and not _uses_all_lines(cells, leaf_of):
        return None
    made = tuple(
        HeaderCell(
            leaf_of[number][0] if number in leaf_of else None,
            min(token.word.x0 for token in cell),
            max(token.word.x1 for token in cell),
            leaf_of[number][1] if number in leaf_of else 0.0,
        )
        for number, cell in enumerate(cells)
    )
    score = sum(cell.weight for cell in made) - _UNNAMED_COST * (len(made) - len(leaf_of))
    return Header(first, count, made, score)


def _named(cell: Sequence[Token], names: NameList) -> tuple[tuple[Leaf, float], ...]:
    if any(token.word.text.endswith(":") for token in cell):
        return ()
    return names.named(letters_of(cell)) or names.named(letters_of(cell, aside=False))


def _uses_all_lines(cells: Sequence[list[Token]], leaf_of: dict[int, tuple[Leaf, float]]) -> bool:
    """Whether a cell of several lines is a name: else the lines are no header of several lines."""
    return any(
        _middles(cell)[-1] - _middles(cell)[0] > _NEXT_LINE * min(token.word.y1 - token.word.y0 for token in cell)
        for number, cell in enumerate(cells)
        if number in leaf_of
    )


def _middles(cell: Sequence[Token]) -> list[float]:
    return sorted((token.word.y0 + token.word.y1) / 2 for token in cell)
