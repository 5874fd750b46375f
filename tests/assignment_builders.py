"""Records with nested lists, what pairs of them are worth by the definition, and makers of cases to pair."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from groundtruth.assignment import Bonus, Features, IntArray, Nested, pair_records


class Record(NamedTuple):
    """Codes of its cells, which addresses it holds, and its nested lists."""

    cells: tuple[int, ...]
    holds: tuple[bool, ...]
    lists: tuple[tuple[Record, ...], ...] = ()


Total = tuple[int, int]
Bonuses = dict[tuple[int, int], int]


def worth(left: Record, right: Record, bonus: int = 0) -> Total:
    """Matched cells and tie of a pair, as the definition has it."""
    nested = [best(*lists) for lists in zip(left.lists, right.lists, strict=True)]
    matched = sum(a == b >= 0 for a, b in zip(left.cells, right.cells, strict=True)) + sum(m for m, _ in nested)
    shared = sum(a and b for a, b in zip(left.holds, right.holds, strict=True)) + sum(tie for _, tie in nested)
    return (matched, shared + bonus) if matched else (0, 0)


def best(left: Sequence[Record], right: Sequence[Record], bonus: Bonuses | None = None) -> Total:
    """The greatest (matched, tie) of all pairings."""
    table = [
        [worth(mine, other, (bonus or {}).get((i, j), 0)) for j, other in enumerate(right)]
        for i, mine in enumerate(left)
    ]
    if len(left) > len(right):
        table = [list(row) for row in zip(*table, strict=True)]
    size = max(len(right), len(left))
    totals = ([table[i][j] for i, j in enumerate(chosen)] for chosen in itertools.permutations(range(size), len(table)))
    return max(((sum(m for m, _ in each), sum(tie for _, tie in each)) for each in totals), default=(0, 0))


def nested_of(left: Sequence[Record], right: Sequence[Record]) -> Nested:
    """What the scorer would say of the nested lists."""
    number: dict[object, int] = {}

    def features(records: Sequence[Record]) -> Features:
        held = [(i, (name, k)) for i, r in enumerate(records) for name, n in values(r).items() for k in range(n)]
        feature = [number.setdefault(name, len(number)) for _, name in held]
        return Features(np.array([i for i, _ in held], dtype=np.int64), np.array(feature, dtype=np.int64))

    contents = sorted({repr(canonical(record)) for record in (*left, *right)})

    def content(records: Sequence[Record]) -> IntArray:
        return np.array([contents.index(repr(canonical(record))) for record in records], dtype=np.int64)

    def most(records: Sequence[Record]) -> IntArray:
        return np.array([sum(held(item) for item in itertools.chain(*r.lists)) for r in records], dtype=np.int64)

    def price(lefts: IntArray, rights: IntArray) -> tuple[IntArray, IntArray]:
        totals = [
            tuple(map(sum, zip((0, 0), *map(best, left[i].lists, right[j].lists), strict=True)))
            for i, j in zip(lefts.tolist(), rights.tolist(), strict=True)
        ]
        matched, tie = np.array(totals, dtype=np.int64).reshape(-1, 2).T
        return matched, tie

    return Nested((features(left), features(right)), (content(left), content(right)), (most(left), most(right)), price)


def values(record: Record, path: tuple[int, ...] = ()) -> Counter[object]:
    """How often each value stands in each nested column."""
    found: Counter[object] = Counter()
    for k, records in enumerate(record.lists):
        for item in records:
            found.update((*path, k, column, code) for column, code in enumerate(item.cells) if code >= 0)
            found.update(values(item, (*path, k)))
    return found


def held(record: Record) -> int:
    return sum(record.holds) + sum(held(item) for item in itertools.chain(*record.lists))


def canonical(record: Record) -> object:
    """The content of the nested lists, whatever the order of their items."""
    return [sorted((item.cells, item.holds, repr(canonical(item))) for item in each) for each in record.lists]


class Case(NamedTuple):
    left: list[Record]
    right: list[Record]
    bonus: Bonuses | None
    shared: bool


def codes(records: Sequence[Record], width: int) -> IntArray:
    return np.array([record.cells for record in records], dtype=np.int64).reshape(len(records), width)


def presence(records: Sequence[Record], width: int) -> npt.NDArray[np.bool_]:
    return np.array([record.holds for record in records], dtype=bool).reshape(len(records), width)


def solve(case: Case, *, max_work: int = 10**9) -> list[tuple[int, int]]:
    left, right = case.left, case.right
    some = (*left, *right)[0]
    columns, addresses = len(some.cells), len(some.holds)
    return pair_records(
        codes(left, columns),
        codes(right, columns),
        presence=(presence(left, addresses), presence(right, addresses)) if case.shared else None,
        bonus=None if case.bonus is None else bonus_of(case.bonus),
        nested=nested_of(left, right) if some.lists else None,
        max_work=max_work,
    )


def bonus_of(bonus: Bonuses) -> Bonus:
    left, right, weight = np.array([(i, j, w) for (i, j), w in bonus.items()], dtype=np.int64).reshape(-1, 3).T
    return Bonus(left, right, weight)


def total(case: Case, pairs: Sequence[tuple[int, int]]) -> Total:
    worths = [worth(case.left[i], case.right[j], (case.bonus or {}).get((i, j), 0)) for i, j in pairs]
    return sum(m for m, _ in worths), sum(tie for _, tie in worths)


def check(case: Case) -> None:
    pairs = solve(case)
    assert pairs == sorted(pairs)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
    assert all(worth(case.left[i], case.right[j])[0] for i, j in pairs)
    assert total(case, pairs) == best(case.left, case.right, case.bonus)


def record(rng: np.random.Generator, columns: int, values: int, lists: Sequence[Sequence[int]], shared: bool) -> Record:
    """A record of few values; ``lists`` says, from the outermost level, the most items of each nested list."""
    cells = tuple(rng.integers(-1, values, columns).tolist())
    # An address without a cell is held by about half of the records; a cell that states nothing is now and then held.
    holds = (*(c >= 0 or bool(rng.random() < 0.2) for c in cells), bool(rng.random() < 0.5)) if shared else ()
    inner = lists[1:]
    nested = tuple(
        tuple(record(rng, columns, values, inner, shared) for _ in range(rng.integers(0, most + 1)))
        for most in (lists[0] if lists else ())
    )
    return Record(cells, holds, nested)


def misread(rng: np.random.Generator, record: Record, values: int) -> Record:
    """A copy in which a cell may have another value, and the nested lists another order."""
    cells = list(record.cells)
    if cells and rng.random() < 0.5:
        cells[rng.integers(len(cells))] = int(rng.integers(-1, values))
    lists = tuple(
        tuple(misread(rng, each[i], values) for i in rng.permutation(len(each)).tolist()) for each in record.lists
    )
    return Record(tuple(cells), record.holds, lists)


@st.composite
def cases(draw: st.DrawFn, lists: Sequence[Sequence[int]] = (), most: int = 5) -> Case:
    """Two lists of records, the second often misread copies of the first, with ties and equal records in plenty."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    columns, values, shared = draw(st.integers(1, 4)), draw(st.integers(1, 4)), draw(st.booleans())
    left = [record(rng, columns, values, lists, shared) for _ in range(draw(st.integers(1, most)))]
    right = [record(rng, columns, values, lists, shared) for _ in range(draw(st.integers(0, most)))]
    if draw(st.booleans()):
        right = [misread(rng, left[i], values) for i in rng.integers(0, len(left), draw(st.integers(0, most))).tolist()]
    bonus = None
    if draw(st.booleans()):
        pairs = itertools.product(range(len(left)), range(len(right)))
        bonus = {pair: int(rng.integers(1, 12)) for pair in pairs if rng.random() < 0.3}
    return Case(left, right, bonus, shared)


@st.composite
def readings(draw: st.DrawFn) -> Case:
    """Records of cells that accept up to three readings on the left, spread over three columns each."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    cells, values, shared = draw(st.integers(1, 3)), draw(st.integers(2, 6)), draw(st.booleans())

    def of(codes: Iterator[Sequence[int]]) -> Record:
        spread = tuple(code for each in codes for code in each)
        return Record(spread, tuple(rng.random(2) < 0.5) if shared else ())

    def left() -> Record:
        number = rng.integers(0, 4, cells).tolist()
        return of([*rng.permutation(values)[:n].tolist(), -1, -1, -1][:3] for n in number)

    def right() -> Record:
        return of([code] * 3 for code in rng.integers(-1, values, cells).tolist())

    lefts, rights = ([side() for _ in range(draw(st.integers(1, 4)))] for side in (left, right))
    return Case(lefts, rights, None, shared)
