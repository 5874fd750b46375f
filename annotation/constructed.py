"""A vote where there was none: of leaves whose values are known, so that cards are made from it as from any other."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from groundtruth.consensus import (
    Candidate,
    Consensus,
    Disposition,
    LeafConsensus,
    Location,
    Presence,
    RowConsensus,
    Tier,
)
from groundtruth.evidence import Evidence
from groundtruth.jsontext import Json
from groundtruth.path import Path, format_path, rows_around, schema_path
from groundtruth.schema import FrozenSchema


def constructed_vote(
    schema: FrozenSchema,
    leaves: Mapping[Path, LeafConsensus],
    known: Callable[[Path], tuple[Json, tuple[Evidence, ...]]],
) -> Consensus:
    """A vote on these leaves, on the rows around them, and on what else stands in these rows.

    Args:
        schema: the document's.
        leaves: what is asked, by instance path.
        known: the value and the places of any other leaf.
    """
    rows: dict[Path, RowConsensus] = {}
    cells: dict[Path, LeafConsensus] = {}
    for path in leaves:
        for row in rows_around(path):
            if row not in rows:
                rows[row] = _row(row)
                cells.update((cell, plain_leaf(schema, cell, *known(cell))) for cell in _cells(schema, row))
    return Consensus(
        systems=(),
        abstained={},
        n=0,
        leaves=tuple({**cells, **leaves}.values()),
        rows=tuple(rows[row] for row in sorted(rows, key=len)),
        proposal=None,
        unresolved=(),
    )


def plain_leaf(schema: FrozenSchema, path: Path, value: Json, places: tuple[Evidence, ...]) -> LeafConsensus:
    """A leaf that is known and not asked."""
    return LeafConsensus(
        path=path,
        field=schema.leaves[schema_path(path)].path,
        tier=Tier.ALL_NULL if value is None else Tier.UNANIMOUS,
        value=value,
        resolved=True,
        disposition=Disposition.ACCEPT,
        reasons=(),
        notes=(),
        votes={},
        candidates=() if value is None else (Candidate(value, (value,), ()),),
        margin=0,
        location=Location(places, bool(places), "known"),
    )


def _cells(schema: FrozenSchema, row: Path) -> list[Path]:
    """The cells of a row, those of arrays inside it left out."""
    around = schema_path(row)
    rests = (found[len(around) :] for found in schema.leaves if found[: len(around)] == around)
    return [(*row, *rest) for rest in rests if all(isinstance(step, str) for step in rest)]


def _row(row: Path) -> RowConsensus:
    return RowConsensus(
        path=row,
        row_id=f"known-{format_path(row)}",
        tier=Tier.UNANIMOUS,
        presence=Presence.PRESENT,
        present={},
        members={},
        disposition=Disposition.ACCEPT,
        reasons=(),
        notes=(),
    )
