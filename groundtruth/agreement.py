"""How far several readings of the same things agree: the measures, whoever read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations

Unit = Sequence[Hashable]
"""The classes that the readers of one leaf gave, abstentions left out."""


def percent_agreement(units: Iterable[Unit]) -> float | None:
    """Share of pairs of readings of one leaf that are equal, over all leaves; None without any pair."""
    equal = pairs = 0
    for unit in units:
        for one, other in combinations(unit, 2):
            pairs += 1
            equal += one == other
    return equal / pairs if pairs else None


def nominal_alpha(units: Iterable[Unit]) -> float | None:
    """Krippendorff's alpha for nominal data with missing readings.

    Args:
        units: the readings of each leaf; leaves with fewer than two are left out, as the definition has it.

    Returns:
        1 for perfect agreement, 0 for what chance would give, negative below it; None where it is undefined, which is
        when no leaf has two readings or when all readings are of one class. Source: Krippendorff, Content Analysis,
        chapter on reliability (nominal difference function).
    """
    totals: Counter[Hashable] = Counter()
    disagreeing = 0.0
    for unit in units:
        if len(unit) < 2:
            continue
        counts = Counter(unit)
        totals.update(counts)
        same = sum(count * (count - 1) for count in counts.values())
        disagreeing += (len(unit) * (len(unit) - 1) - same) / (len(unit) - 1)
    readings = sum(totals.values())
    expected = readings * readings - sum(count * count for count in totals.values())
    if not expected:
        return None
    return 1 - (readings - 1) * disagreeing / expected
