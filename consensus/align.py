"""Which rows of the ballots are the same row: slots, one row per ballot at most.

Positions are never evidence: permuting the rows of a ballot, or the ballots, changes nothing but the row numbers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from groundtruth.assignment import IntArray, maximum_weight_matching
from groundtruth.consensus import Note, Reason

Texts = Callable[[int, int], str]
Flags = frozenset[Reason | Note]


@dataclass(frozen=True, slots=True)
class Grid:
    """The rows that one ballot gives an array, as classes.

    Attributes:
        codes: rows × columns. 0 is null; a positive code is a class of the column, the same number in every ballot
            exactly when the values are equal, numbered in the order of the canonical values; a negative code has no
            class (an invalid or abstained cell) and equals nothing. Number negative codes by their raw content, too,
            if the order of rows must not even decide between rows that differ only there.
    """

    codes: IntArray


@dataclass(frozen=True, slots=True)
class Alignment:
    """Rows of the ballots, side by side.

    Attributes:
        slots: slots × ballots; the index of the row that the ballot has in the slot, or -1. The order follows the
            content of the slots.
        flags: per slot, what the alignment has to say about it.
    """

    slots: IntArray
    flags: tuple[Flags, ...]


def align(grids: Sequence[Grid | None], *, identity: tuple[int, ...], texts: Texts) -> Alignment:
    """Put the rows of the ballots into slots; two rows of one ballot never share one.

    Args:
        grids: one per ballot; None for a ballot that abstains on this array.
        identity: the key columns; empty to align by content.
        texts: the text of a class, for keys that look alike.
    """
    present = [grid.codes if grid is not None else np.zeros((0, 0), dtype=np.int64) for grid in grids]
    slots = _by_key(present, identity) if identity else _by_content(present)
    if not slots:
        return Alignment(np.zeros((0, len(grids)), dtype=np.int64), ())
    flags: Flags = frozenset() if identity else frozenset({Note.ALIGNMENT_INFERRED})
    content = [sorted(tuple(present[b][r].tolist()) for b, r in enumerate(slot) if r >= 0) for slot in slots]
    order = sorted(range(len(slots)), key=content.__getitem__)
    return Alignment(np.array([slots[k] for k in order], dtype=np.int64), (flags,) * len(slots))


def _by_key(grids: list[IntArray], identity: tuple[int, ...]) -> list[list[int]]:
    groups: dict[tuple[int, ...], list[list[int]]] = defaultdict(lambda: [[] for _ in grids])
    for b, codes in enumerate(grids):
        for r in sorted(range(len(codes)), key=lambda r: tuple(codes[r].tolist())):
            groups[tuple(codes[r, list(identity)].tolist())][b].append(r)
    slots = []
    for rows in groups.values():
        for k in range(max(map(len, rows))):
            slots.append([mine[k] if k < len(mine) else -1 for mine in rows])
    return slots


def _by_content(grids: list[IntArray]) -> list[list[int]]:
    slots: list[list[int]] = []
    order = sorted(range(len(grids)), key=lambda b: (-len(grids[b]), sorted(map(tuple, grids[b].tolist()))))
    for b in order:
        codes = grids[b]
        heads = [_head(grids, slot) for slot in slots]
        edges = [
            (r, s, agreeing)
            for r, row in enumerate(codes.tolist())
            for s, head in enumerate(heads)
            if (agreeing := sum(x == y > 0 for x, y in zip(row, head, strict=True)))
            > sum(x != y and x != 0 and y != 0 for x, y in zip(row, head, strict=True))
        ]
        arrays = np.array(edges, dtype=np.int64).reshape(-1, 3).T
        taken = dict(maximum_weight_matching(len(codes), len(slots), arrays[0], arrays[1], arrays[2]))
        for r in range(len(codes)):
            if r in taken:
                slots[taken[r]][b] = r
            else:
                slots.append([r if c == b else -1 for c in range(len(grids))])
    return slots


def _head(grids: list[IntArray], slot: list[int]) -> list[int]:
    rows = [grids[b][r].tolist() for b, r in enumerate(slot) if r >= 0]
    return [min(Counter(column).items(), key=lambda item: (-item[1], item[0]))[0] for column in zip(*rows, strict=True)]
