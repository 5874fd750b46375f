"""How long the exact pairing of two long tables takes: 26,725 rows by 8 columns, one of them misread and shuffled.

Tables differ in how many columns tell rows apart; a misread cell takes another row's value of its column, which is
harder than a value of its own. The time is that of the pairing alone, in CPU seconds of this process.
"""

from __future__ import annotations

import resource
import time
from typing import NamedTuple

import numpy as np

from groundtruth.assignment import IntArray, pair_rows

ROWS = 26_725
# Distinct values per column; 0 stands for a column in which every row has its own.
TABLES = {
    "six unique columns, 4 and 50 values": (0, 0, 0, 0, 0, 0, 4, 50),
    "two unique columns, 4 and 50 values": (0, 365, 4, 50, 1000, 20, 5000, 0),
    "one unique column": (0, 4, 50, 12, 20, 3, 365, 100),
    "no unique column": (365, 4, 50, 12, 20, 3, 1000, 100),
    "ten values in every column": (10,) * 8,
}


class Damage(NamedTuple):
    """What happens to the second table: shares of rows with one misread cell, and of rows left out."""

    misread: float
    missing: float


DAMAGES = (Damage(0, 0), Damage(0.05, 0.05), Damage(0.3, 0), Damage(0.4, 0), Damage(1, 0), Damage(1, 0.05))


def main() -> None:
    """Print the figures."""
    print(f"{ROWS:,} rows, 8 columns; CPU seconds of the exact pairing, second table shuffled")
    heads = "".join(f"{f'{damage.misread:.0%}/{damage.missing:.0%}':>10}" for damage in DAMAGES)
    print(f"{'rows with a misread cell / missing':36}{heads}")
    for name, sizes in TABLES.items():
        rng = np.random.default_rng(1)
        table = _table(rng, sizes)
        seconds = (_seconds(table, _damaged(rng, table, damage)) for damage in DAMAGES)
        print(f"{name:36}" + "".join(f"{each:10.2f}" for each in seconds), flush=True)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def _table(rng: np.random.Generator, sizes: tuple[int, ...]) -> IntArray:
    return np.stack([rng.integers(0, size, ROWS) if size else rng.permutation(ROWS) for size in sizes], axis=1)


def _damaged(rng: np.random.Generator, table: IntArray, damage: Damage) -> IntArray:
    read = table.copy()
    hit = np.flatnonzero(rng.random(ROWS) < damage.misread)
    column = rng.integers(0, table.shape[1], hit.size)
    read[hit, column] = table[rng.integers(0, ROWS, hit.size), column]
    return rng.permutation(read)[: round(ROWS * (1 - damage.missing))]


def _seconds(left: IntArray, right: IntArray) -> float:
    start = time.process_time()
    pair_rows(left, right)
    return time.process_time() - start


if __name__ == "__main__":
    main()
