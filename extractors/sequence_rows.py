"""The rows of a table from a sequence of lines: a path of states, by dynamic programming.

Every line of a table's stretch is a row, the continuation of one, a total, or none of the table. What a line looks like
under the columns speaks for some states, and what stands before it for others; the best path through all lines wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from statistics import median
from typing import Final, NamedTuple

from extractors.sequence_columns import Columns, Cut, Fits
from extractors.sequence_text import TextLine
from groundtruth.path import Path

_TOTALS: Final = frozenset(
    {"total", "totals", "subtotal", "subtotals", "sum", "carried", "brought", "carry", "forward", "balance",
     "summe", "zwischensumme", "gesamt", "gesamtsumme", "uebertrag", "übertrag", "sous", "totale", "totaal", "suma"}
)  # fmt: skip
_FILLERS: Final = frozenset({"page", "sub", "grand", "net", "section", "group", "the", "for", "of"})

_ROW_THRESHOLD: Final = 1.5
_PER_CELL: Final = 1.0
_PER_TYPED: Final = 0.7
_PER_WRONG: Final = 1.2
_PER_SKIPPED: Final = 2.0
_BY_PLACE: Final = 0.5
_NO_ANCHOR: Final = 3.0
_SPARSE: Final = 2.0
_ALONE: Final = 2.0
_TOTAL: Final = 3.0
_CONTINUED: Final = 0.9
_FAR: Final = 2.5
"""In steps from row to row: a line further below the one before is hardly a row."""
_FAR_COST: Final = 1.5
_NEVER: Final = float("-inf")
_FEW: Final = 0.4
_MANY: Final = 0.6
_USUAL: Final = 0.9
_LIKE: Final = 0.7
_FEW_WRONG: Final = 0.1
_MOST_WRONG: Final = 0.35
_PARTING: Final = 3
"""Lines of other text that part two blocks of rows."""
_APART: Final = 4.0
"""In steps from row to row."""
_LOOSE: Final = 0.9
"""In heights of a line: the continuation of a cell stands no further below it."""


class State(IntEnum):
    """What a line is to a table; on a tie the earlier one."""

    ROW = 0
    CONTINUED = 1
    TOTAL = 2
    OTHER = 3


_STEPS: Final = {
    (State.OTHER, State.ROW): -0.4,
    (State.OTHER, State.CONTINUED): _NEVER,
    (State.TOTAL, State.CONTINUED): _NEVER,
    (State.OTHER, State.TOTAL): -1.0,
}


@dataclass(frozen=True, slots=True)
class Usual:
    """What rows of a table usually are.

    Attributes:
        named: how many of its columns the schema asks for.
        filled: how many cells.
        anchors: numbers of the columns of which a row has at least one.
        pitch: from one row to the next, in points.
    """

    named: int
    filled: float
    anchors: frozenset[int]
    pitch: float


class Look(NamedTuple):
    """How a line looks under the columns."""

    filled: int
    named: int
    typed: int
    wrong: int
    skipped: int
    place: float
    text_only: bool
    anchored: bool


def expected(columns: Columns, identity: frozenset[Path], pitch: float) -> Usual:
    """What is expected of rows before any was read: the key cells, else the first column."""
    keys = frozenset(number for number, column in enumerate(columns) if column.leaf and column.leaf.path in identity)
    return Usual(_named(columns), _MANY * len(columns), keys or frozenset(range(len(columns))), pitch)


def usual(rows: Sequence[tuple[TextLine, Cut]], columns: Columns, identity: frozenset[Path], pitch: float) -> Usual:
    """What the rows that were read have in common; as expected when there are none."""
    before = expected(columns, identity, pitch)
    if not rows:
        return before
    keys = {number for number, column in enumerate(columns) if column.leaf and column.leaf.path in identity}
    counts = [
        sum(any(cell.column == number for cell in cut.cells) for _, cut in rows) for number in range(len(columns))
    ]
    always = {number for number, count in enumerate(counts) if count >= _USUAL * len(rows)}
    tops = [line.middle for line, _ in rows]
    steps = [below - above for above, below in pairwise(tops) if below > above]
    return Usual(
        _named(columns),
        max(median(len(cut.cells) for _, cut in rows), _FEW * len(columns)),
        frozenset(keys or always or before.anchors),
        median(steps) if steps else pitch,
    )


def _named(columns: Columns) -> int:
    return sum(column.leaf is not None for column in columns)


def states(lines: Sequence[TextLine], cuts: Sequence[Cut], columns: Columns, common: Usual, fits: Fits) -> list[State]:
    """The best path of states through the lines of one stretch."""
    if not lines:
        return []
    looks = [_look(line, cut, columns, common, fits) for line, cut in zip(lines, cuts, strict=True)]
    worth = [[_NEVER] * len(State) for _ in lines]
    back = [[State.OTHER] * len(State) for _ in lines]
    for number, line in enumerate(lines):
        gap = line.y0 - lines[number - 1].y1 if number else 0.0
        alone = _emissions(line, looks[number], cuts[number], common, gap)
        for state in State:
            if number == 0:
                worth[0][state] = alone[state] + _step(State.TOTAL, state)
                continue
            options = [(worth[number - 1][before] + _step(before, state), before) for before in State]
            best, back[number][state] = max(options, key=lambda option: (option[0], -option[1]))
            worth[number][state] = best + alone[state]
    at = max(State, key=lambda state: (worth[-1][state], -state))
    path = [at]
    for number in range(len(lines) - 1, 0, -1):
        at = back[number][at]
        path.append(at)
    return path[::-1]


def _step(before: State, after: State) -> float:
    return _STEPS.get((before, after), 0.0)


def _look(line: TextLine, cut: Cut, columns: Columns, common: Usual, fits: Fits) -> Look:
    typed = wrong = 0
    for cell in cut.cells:
        column = columns[cell.column]
        if column.leaf is None:
            continue
        tokens = line.tokens[cell.start : cell.stop]
        right = fits(column.leaf, tokens)
        typed += right and not column.is_text
        wrong += not right and all(token.is_sure for token in tokens)
    return Look(
        filled=len(cut.cells),
        named=sum(columns[cell.column].leaf is not None for cell in cut.cells),
        typed=typed,
        wrong=wrong,
        skipped=cut.skipped,
        place=sum(cell.by_place for cell in cut.cells),
        text_only=all(columns[cell.column].is_text for cell in cut.cells),
        anchored=any(cell.column in common.anchors for cell in cut.cells),
    )


def _emissions(line: TextLine, look: Look, cut: Cut, common: Usual, gap: float) -> dict[State, float]:
    against = _PER_SKIPPED * look.skipped + _BY_PLACE * look.place
    row = _PER_CELL * look.filled + _PER_TYPED * look.typed - _PER_WRONG * look.wrong - against - _ROW_THRESHOLD
    row -= _NO_ANCHOR * (not look.anchored)
    row -= _FAR_COST * (gap > _FAR * common.pitch)
    row -= _SPARSE * (look.filled < max(_FEW * common.filled, 1.5)) + _ALONE * (look.named < 2 < common.named)
    height = line.y1 - line.y0
    continued = _NEVER
    few = look.filled <= max(1.0, _FEW * common.filled) or not look.anchored
    if cut.cells and look.text_only and few and gap <= _LOOSE * height:
        continued = _CONTINUED * look.filled - against
    total = _TOTAL if _is_total(line, cut) and look.filled <= max(2.0, _MANY * common.filled) else _NEVER
    return {State.ROW: row, State.CONTINUED: continued, State.TOTAL: total, State.OTHER: 0.0}


def _is_total(line: TextLine, cut: Cut) -> bool:
    """Whether the line begins like a total, or a run or a cell of it does."""
    spans = [*line.runs, *((cell.start, cell.stop) for cell in cut.cells)]
    return any(_begins_total(line, start, stop) for start, stop in spans)


def _begins_total(line: TextLine, start: int, stop: int) -> bool:
    names = [name for token in line.tokens[start:stop] for name in token.names]
    while names and names[0] in _FILLERS:
        names = names[1:]
    return bool(names) and names[0] in _TOTALS


def credible(
    lines: Sequence[TextLine], cuts: Sequence[Cut], path: Sequence[State], columns: Columns, common: Usual, fits: Fits
) -> list[State]:
    """The states without the blocks of rows that are none of the table: far apart from it, and unlike its rows.

    A block is what no wide gap and no other text parts. One whose cells are mostly no values of their columns was read
    under a model that does not hold, and is dropped wherever it stands.
    """
    found = list(path)
    for number, block in enumerate(_blocks(lines, path, common)):
        rows = [at for at in block if path[at] is State.ROW]
        looks = [_look(lines[at], cuts[at], columns, common, fits) for at in rows]
        wrong = sum(look.wrong for look in looks)
        filled = sum(look.filled for look in looks)
        unlike = median(look.filled for look in looks) < _LIKE * common.filled or wrong > _FEW_WRONG * filled
        bare = median(look.named for look in looks) < 2 < common.named
        if wrong > _MOST_WRONG * filled or bare or (number and unlike):
            for at in block:
                found[at] = State.OTHER
    return found


def _blocks(lines: Sequence[TextLine], path: Sequence[State], common: Usual) -> list[list[int]]:
    """Stretches of lines of the table, by number; each holds a row."""
    blocks: list[list[int]] = []
    others = 0
    for number, state in enumerate(path):
        if state is State.OTHER:
            others += 1
            continue
        far = blocks and lines[number].y0 - lines[blocks[-1][-1]].y1 > _APART * common.pitch
        if not blocks or others >= _PARTING or far:
            blocks.append([])
        blocks[-1].append(number)
        others = 0
    return [block for block in blocks if any(path[number] is State.ROW for number in block)]
