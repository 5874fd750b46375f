"""Whether the totals that a document prints are the sums of its leaves."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from groundtruth.jsontext import Json
from synth.pattern import Pattern, Sum

_EACH = "[]"


def wrong_totals(pattern: Pattern, value: dict[str, Json]) -> list[str]:
    """Each total that is not the sum of its leaves, and what else the pattern finds wrong, in words."""
    found = [fault for total in pattern.sums for fault in _faults(total, value, "")]
    return found + (list(pattern.check(value)) if pattern.check is not None else [])


def _faults(total: Sum, value: Json, at: str) -> Iterator[str]:
    """The faults of a total in a record and in those below it that hold both the total and its leaves."""
    head, inside, rest = total.total.partition(f"{_EACH}.")
    if inside:
        below = total._replace(total=rest, of=total.of.removeprefix(f"{head}{_EACH}."))
        for index, record in enumerate(_get(value, head) or []):
            yield from _faults(below, record, f"{at}{head}[{index}].")
        return
    said = _get(value, total.total)
    if said is None:
        return
    added = sum(1 if total.counts else leaf for leaf in _each(value, total.of) if leaf is not None)
    if Decimal(str(said)) != Decimal(str(added)):
        yield f"{at}{total.total}: says {said}, and {at}{total.of} {'are' if total.counts else 'add up to'} {added}"


def _each(value: Json, path: str) -> Iterator[Json]:
    head, inside, rest = path.partition(_EACH)
    found = _get(value, head)
    if not inside:
        yield from found if isinstance(found, list) else [found]
        return
    for record in found or []:
        yield from _each(record, rest.removeprefix("."))


def _get(value: Json, path: str) -> Json:
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value
