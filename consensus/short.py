"""Ballots with far fewer rows than the others read: taken as cut.

A system that stops early returns a whole, valid object, so nothing but its number of rows gives it away. Its rows are
as good as anybody's, but its silence on the rest says nothing: a cut answer votes with what it holds and abstains on
what it lacks, and so it cannot outvote those who read on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from consensus.read import Part, Reader, Rows
from groundtruth.ballot import Ballot, Status
from groundtruth.jsontext import Json
from groundtruth.schema import FrozenSchema, Table

WITNESSES: Final = 2
"""So many other families must have read far more; one alone may have read another table into this one."""

_TIMES: Final = 2
_MORE_ROWS: Final = 10
"""Far more: at least twice the rows, and at least ten rows more."""


def without_short(schema: FrozenSchema, ballots: Sequence[Ballot]) -> list[Ballot]:
    """The ballots with every short one made partial, its ``detail`` saying so; the rest as they are, in their order.

    A ballot is short when at least two other families each have, in an array of objects that stands in no other array,
    at least twice its rows and at least ten rows more; a family has the rows of its longest ballot. No rows at all are
    few as well, whether given as ``[]``, as null or by omission. An array on which a ballot abstains makes it neither
    short nor a witness, and a failed ballot is neither.
    """
    families = {ballot.family for ballot in ballots if ballot.usable}
    if len(families) <= WITNESSES:
        return list(ballots)
    tables = list(schema.root.tables())
    counts = [_row_counts(schema, ballot) for ballot in ballots]
    found = [_remarks(tables, ballots, counts, at) for at in range(len(ballots))]
    return [
        _as_cut(ballot, remarks) if remarks and ballot.status is Status.OK else ballot
        for ballot, remarks in zip(ballots, found, strict=True)
    ]


_Counts = Sequence[int | None]
"""Per array how many rows a ballot has; None where it abstains."""


def _row_counts(schema: FrozenSchema, ballot: Ballot) -> _Counts:
    if not ballot.usable:
        return [None] * len(list(schema.root.tables()))
    slip = Reader(schema).root(ballot)
    return [
        sum(not _is_blank(table, part) for part in rows.parts) if isinstance(rows, Rows) else None
        for table, rows in zip(schema.root.tables(), slip.tables, strict=True)
    ]


def _remarks(tables: Sequence[Table], ballots: Sequence[Ballot], counts: Sequence[_Counts], at: int) -> list[str]:
    """What there is to say of each array of which the ballot at ``at`` has far too few rows."""
    remarks = []
    for column, table in enumerate(tables):
        own = counts[at][column]
        if own is None:
            continue
        longest: dict[str, int] = {}
        for ballot, count in zip(ballots, counts, strict=True):
            if ballot.family != ballots[at].family:
                longest[ballot.family] = max(longest.get(ballot.family, 0), count[column] or 0)
        more = sorted(rows for rows in longest.values() if rows >= _TIMES * own and rows >= own + _MORE_ROWS)
        if len(more) >= WITNESSES:
            read = str(more[0]) if more[0] == more[-1] else f"{more[0]} to {more[-1]}"
            remarks.append(f"{table.name}: {own} row{'s' * (own != 1)} where others read {read}: taken as cut")
    return remarks


def _as_cut(ballot: Ballot, remarks: Sequence[str]) -> Ballot:
    detail = "; ".join([*([ballot.detail] if ballot.detail else []), *remarks])
    return replace(ballot, status=Status.PARTIAL, detail=detail)


def _is_blank(table: Table, row: Part) -> bool:
    """Whether a row holds nothing that is declared; the vote does not count it as one either."""
    return isinstance(row, dict) and all(_is_nothing(row.get(name)) for name in table.row.fields)


def _is_nothing(value: Json) -> bool:
    if isinstance(value, dict):
        return all(map(_is_nothing, value.values()))
    if isinstance(value, list):
        return all(map(_is_nothing, value))
    return value is None or (isinstance(value, str) and not value.strip())
