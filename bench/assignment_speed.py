"""How long the exact pairing of two long tables takes: 26,725 rows by 8 columns, one of them misread and shuffled.

Tables differ in how many columns tell rows apart; a misread cell takes another row's value of its column, which is
harder than a value of its own. The time is that of the pairing alone, in CPU seconds of this process.
"""

from __future__ import annotations

import itertools
import resource
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from groundtruth.assignment import Bonus, Features, IntArray, Nested, pair_records, pair_rows

ROWS = 26_725
# Distinct values per column; 0 stands for a column in which every row has its own.
TABLES = {
    "six unique columns, 4 and 50 values": (0, 0, 0, 0, 0, 0, 4, 50),
    "two unique columns, 4 and 50 values": (0, 365, 4, 50, 1000, 20, 5000, 0),
    "one unique column": (0, 4, 50, 12, 20, 3, 365, 100),
    "no unique column": (365, 4, 50, 12, 20, 3, 1000, 100),
    "ten values in every column": (10,) * 8,
}
NESTED_ROWS, ITEMS = 5000, 3
NESTED_COLUMNS = (0, 0, 4, 50)


class Damage(NamedTuple):
    """What happens to the second table: shares of rows with one misread cell, and of rows left out."""

    misread: float
    missing: float


class Pages(NamedTuple):
    """Two tables, and the row of the first that each row of the second was read from."""

    left: IntArray
    right: IntArray
    origin: IntArray


DAMAGES = (Damage(0, 0), Damage(0.05, 0.05), Damage(0.3, 0), Damage(0.4, 0), Damage(1, 0), Damage(1, 0.05))


def main() -> None:
    """Print the figures."""
    print(f"{ROWS:,} rows, 8 columns; CPU seconds of the exact pairing, second table shuffled")
    for title, pairing in PAIRINGS.items():
        heads = "".join(f"{f'{damage.misread:.0%}/{damage.missing:.0%}':>10}" for damage in DAMAGES)
        print(f"{title}\n{'  rows with a misread cell / missing':38}{heads}")
        for name, sizes in TABLES.items():
            rng = np.random.default_rng(1)
            table = _table(rng, sizes)
            seconds = (_seconds(pairing, _damaged(rng, table, damage)) for damage in DAMAGES)
            print(f"  {name:36}" + "".join(f"{each:10.2f}" for each in seconds), flush=True)
    _print_nested()
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def _table(rng: np.random.Generator, sizes: tuple[int, ...]) -> IntArray:
    return np.stack([rng.integers(0, size, ROWS) if size else rng.permutation(ROWS) for size in sizes], axis=1)


def _damaged(rng: np.random.Generator, table: IntArray, damage: Damage) -> Pages:
    rows = len(table)
    read = table.copy()
    hit = np.flatnonzero(rng.random(rows) < damage.misread)
    column = rng.integers(0, table.shape[1], hit.size)
    read[hit, column] = table[rng.integers(0, rows, hit.size), column]
    origin = rng.permutation(rows)[: round(rows * (1 - damage.missing))]
    return Pages(table, read[origin], origin)


def _votes(pages: Pages) -> None:
    pair_rows(pages.left, pages.right)


def _shared(pages: Pages) -> None:
    """One cell in twenty is blank on both sides, one in a hundred on the right alone."""
    rng = np.random.default_rng(2)
    left = np.where(rng.random(pages.left.shape) < 0.05, -1, pages.left)
    blank = (left[pages.origin] < 0) | (rng.random(pages.right.shape) < 0.01)
    right = np.where(blank, -1, pages.right)
    pair_records(left, right, presence=(left >= 0, right >= 0))


def _cited(pages: Pages) -> None:
    pair_records(pages.left, pages.right, bonus=_citations(pages))


def _with_alternates(pages: Pages) -> None:
    """One cell in ten accepts a second reading; it is spread over two columns."""
    rng = np.random.default_rng(3)
    other = pages.left[rng.permutation(ROWS)]
    alternate = np.where((rng.random(other.shape) < 0.1) & (other != pages.left), other, -1)
    left, right = np.hstack([pages.left, alternate]), np.hstack([pages.right] * 2)
    pair_records(left, right, bonus=_citations(pages), cells=np.tile(np.arange(pages.left.shape[1]), 2))


def _citations(pages: Pages) -> Bonus:
    """Every cell hits the word of its origin, and all cells of the about 50 rows of its page."""
    page, cells = 50, pages.left.shape[1]
    order = np.argsort(pages.origin, kind="stable")
    number = pages.origin[order] // page
    left = (number[:, None] * page + np.arange(page)).reshape(-1)
    right = np.repeat(order, page)
    inside = left < len(pages.left)
    weight = np.full(left.size, cells) + (left == pages.origin[right]) * cells * (cells * ROWS + 1)
    return Bonus(left[inside], right[inside], weight[inside])


PAIRINGS: dict[str, Callable[[Pages], None]] = {
    "votes: cells alone (pair_rows)": _votes,
    "verdicts: cells, then shared addresses, 5 % of cells blank (pair_records)": _shared,
    "value F1: cells, then words and pages cited in every cell (pair_records)": _cited,
    "value F1 with an alternate reading in 10 % of cells (pair_records)": _with_alternates,
}


def _seconds(pairing: Callable[[Pages], None], pages: Pages) -> float:
    start = time.process_time()
    pairing(pages)
    return time.process_time() - start


def _print_nested() -> None:
    print(f"{NESTED_ROWS:,} rows of 8 columns, each with a list of {ITEMS} items of {len(NESTED_COLUMNS)} columns")
    for name, share in (("  shuffled", 0.0), ("  5 % of the cells of lists misread", 0.05)):
        rng = np.random.default_rng(1)
        table = np.stack([rng.permutation(NESTED_ROWS) for _ in range(8)], axis=1)
        pages = _damaged(rng, table, Damage(share, 0))
        items = _items(rng)
        read = np.where(rng.random(items.shape) < share, _items(rng), items)[pages.origin][:, ::-1]
        start = time.process_time()
        pair_records(pages.left, pages.right, nested=_nested(items, read))
        print(f"{name:38}{time.process_time() - start:10.2f}", flush=True)


def _items(rng: np.random.Generator) -> IntArray:
    """Rows × items × columns."""
    size = NESTED_ROWS * ITEMS
    columns = [rng.integers(0, values, size) if values else rng.permutation(size) for values in NESTED_COLUMNS]
    return np.stack(columns, axis=1).reshape(NESTED_ROWS, ITEMS, len(NESTED_COLUMNS))


def _nested(left: IntArray, right: IntArray) -> Nested:
    both = np.concatenate([left, right])
    item = np.unique(both.reshape(-1, both.shape[2]), axis=0, return_inverse=True)[1].reshape(-1, ITEMS)
    content = np.unique(np.sort(item, axis=1), axis=0, return_inverse=True)[1]
    orders = np.array(list(itertools.permutations(range(ITEMS))))

    def price(lefts: IntArray, rights: IntArray) -> tuple[IntArray, IntArray]:
        matched = (left[lefts][:, :, None] == right[rights][:, None]).sum(axis=3)
        best = matched[:, np.arange(ITEMS), orders].sum(axis=2).max(axis=1)
        return best, np.zeros_like(best)

    none = np.zeros(len(both), dtype=np.int64)
    n_left = len(left)
    return Nested(
        (_features(left), _features(right)),
        (content[:n_left], content[n_left:]),
        (none[:n_left], none[n_left:]),
        price,
    )


def _features(items: IntArray) -> Features:
    """A number for each column, value and occurrence."""
    value = np.sort(items, axis=1)
    occurrence = np.zeros_like(value)
    for k in range(1, ITEMS):
        occurrence[:, k] = np.where(value[:, k] == value[:, k - 1], occurrence[:, k - 1] + 1, 0)
    columns = items.shape[2]
    number = (value * ITEMS + occurrence) * columns + np.arange(columns)
    return Features(np.repeat(np.arange(len(items)), ITEMS * columns), number.reshape(-1))


if __name__ == "__main__":
    main()
