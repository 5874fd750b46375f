"""Which rows of the present vote are the rows that people were asked about.

The id of a row comes from its key, or from its content where no key is declared, so a new vote may give a row another
id, and of rows that share a key it may give one row the id of another. A row is therefore found by all that is known
of it: its id, its identity key as it was or as people corrected it, and what it held.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from annotation.equality import AnswerClass, value_class
from groundtruth.consensus import Consensus, LeafConsensus, Presence
from groundtruth.decision import Decision, RowLink, Verdict
from groundtruth.jsontext import Json
from groundtruth.path import Path, format_path, rows_around
from groundtruth.schema import FrozenSchema, Table

Asked = tuple[tuple[str, str, frozenset[tuple[str, AnswerClass]]], ...]
"""The rows around a question as they were asked, outermost first: array, id, and what each held.

What it held is part of it, because one id may name two rows at two times.
"""
Cells = Mapping[Path, AnswerClass]
"""What a row holds, by schema path; cells that hold nothing are left out."""


def rows_found(decisions: Sequence[Decision], consensus: Consensus, schema: FrozenSchema) -> dict[Asked, Path]:
    """The present instance path of every row that decisions stand in and that is found beyond doubt.

    Args:
        decisions: on one document.
        consensus: its present vote.
        schema: the schema of the vote.

    A row is found by its id or its key, else by what it holds: it is the one row that shares most cells, and at least
    half of them. Rows that fit equally well are not found. Two rows that were asked in one round are two rows, so
    they are never found in one; and where a key is declared, a row that another one is found in by its key is found
    by nothing else.
    """
    rows = _AskedRows(decisions, schema)
    present = _PresentRows(consensus, schema)
    found: dict[Asked, Path] = {}
    # Outer rows come first: the array of an inner row is known once the row around it is found.
    for depth in sorted({len(asked) for asked in rows.by_chain}):
        of_array: dict[Path, list[_AskedRow]] = defaultdict(list)
        for asked, row in rows.by_chain.items():
            array = _array(asked, row.table, found) if len(asked) == depth else None
            if array is not None:
                of_array[array].append(row)
        for array, wanted in of_array.items():
            found.update(_Array(present, array, schema.tables[wanted[0].table]).find(wanted))
    return found


def chain_of(links: Sequence[RowLink], schema: FrozenSchema) -> Asked:
    """The rows around a question, as a key of ``rows_found``."""
    return tuple(
        (
            format_path(link.table),
            link.row_id,
            frozenset((format_path(path), held) for path, held in _snapshot(link, schema).items()),
        )
        for link in links
    )


def _array(asked: Asked, table: Path, found: Mapping[Asked, Path]) -> Path | None:
    if len(asked) == 1:
        return table
    outer = found.get(asked[:-1])
    return None if outer is None else (*outer, *table[len(outer) :])


def _snapshot(link: RowLink, schema: FrozenSchema) -> dict[Path, AnswerClass]:
    cells: dict[Path, AnswerClass] = {}
    table = schema.tables.get(link.table)
    for leaf in table.row.leaves() if table else ():
        value = link.cells.get(format_path(leaf.path[len(link.table) + 1 :]))
        if value is not None:
            cells[leaf.path] = value_class(value, leaf)
    return cells


@dataclass(slots=True)
class _AskedRow:
    """A row as people were asked about it.

    Attributes:
        chain: it and the rows around it.
        table: schema path of its array.
        row_id: its id then.
        cells: what it held then.
        corrected: what people said its cells hold, in every decision under its id.
        rounds: in which rounds it was asked.
    """

    chain: Asked
    table: Path
    row_id: str
    cells: Cells
    corrected: dict[Path, AnswerClass]
    rounds: set[int] = field(default_factory=set)

    def is_other(self, row: _AskedRow) -> bool:
        """Whether it is certainly another row: one vote has one id a row."""
        return self.row_id != row.row_id and not self.rounds.isdisjoint(row.rounds)


class _AskedRows:
    """Every row that decisions stand in."""

    def __init__(self, decisions: Iterable[Decision], schema: FrozenSchema) -> None:
        self.by_chain: dict[Asked, _AskedRow] = {}
        self._corrected: dict[tuple[str, ...], dict[Path, AnswerClass]] = defaultdict(dict)
        for decision in decisions:
            self._take(decision, schema)

    def _take(self, decision: Decision, schema: FrozenSchema) -> None:
        if any(link.table not in schema.tables for link in decision.rows):
            return
        chain = chain_of(decision.rows, schema)
        for end, link in enumerate(decision.rows, 1):
            ids = tuple(row_id for _, row_id, _ in chain[:end])
            row = self.by_chain.get(chain[:end])
            if row is None:
                corrected = self._corrected[format_path(link.table), *ids]
                row = _AskedRow(chain[:end], link.table, link.row_id, _snapshot(link, schema), corrected)
                self.by_chain[chain[:end]] = row
            row.rounds.add(decision.round)
            if end == len(decision.rows) and decision.verdict in (Verdict.ACCEPT, Verdict.EDIT):
                row.corrected[decision.field] = value_class(decision.value, schema.leaves.get(decision.field))


class _PresentRows:
    """The rows of the present vote by their arrays, and what they hold."""

    def __init__(self, consensus: Consensus, schema: FrozenSchema) -> None:
        self._schema = schema
        self._rows = {row.path: row for row in consensus.rows}
        self._cells: dict[Path, dict[Path, AnswerClass]] = {}
        self._leaves: dict[Path, list[LeafConsensus]] = defaultdict(list)
        self.of_array: dict[Path, list[Path]] = defaultdict(list)
        for row in consensus.rows:
            self.of_array[row.path[:-1]].append(row.path)
        for leaf in consensus.leaves:
            around = tuple(rows_around(leaf.path))
            if around:
                self._leaves[around[-1]].append(leaf)

    def row_id(self, row: Path) -> str:
        """Its id in the present vote."""
        return self._rows[row].row_id

    def cells(self, row: Path) -> dict[Path, AnswerClass]:
        """What a row holds."""
        if row not in self._cells:
            self._cells[row] = {
                leaf.field: value_class(value, self._schema.leaves.get(leaf.field))
                for leaf in self._leaves[row]
                if (value := self._held(row, leaf)) is not None
            }
        return self._cells[row]

    def _held(self, row: Path, leaf: LeafConsensus) -> Json:
        """What a snapshot of the row would say; see ``asked.Sheet.row_value``."""
        if self._rows[row].presence is Presence.PRESENT:
            return leaf.value
        read = [found.value for found in leaf.read_values]
        return read[0] if len(read) == 1 else None


class _Fit(NamedTuple):
    """How well a present row fits an asked one; a greater fit is better.

    Attributes:
        named: by its id or its key.
        equal: how many cells are equal.
        same_id: by its id.
    """

    named: bool
    equal: int
    same_id: bool


_Key = tuple[AnswerClass | None, ...]


class _Array:
    """The rows of one array of the present vote."""

    def __init__(self, present: _PresentRows, array: Path, table: Table) -> None:
        self._present = present
        self._rows = present.of_array[array]
        self._by_id = {present.row_id(row): row for row in self._rows}
        self._names = [(*table.row.path, *key) for key in table.identity]
        self._by_key: dict[_Key, list[Path]] | None = None
        self._by_cell: dict[tuple[Path, AnswerClass], list[Path]] | None = None

    def find(self, wanted: Sequence[_AskedRow]) -> dict[Asked, Path]:
        """The rows that are found, each in one present row."""
        fits = {row.chain: self._fits(row) for row in wanted}
        taken: dict[Path, list[tuple[_AskedRow, _Fit]]] = defaultdict(list)
        found: dict[Asked, Path] = {}
        waiting = list(wanted)
        while waiting:
            best = {row.chain: _best(fits[row.chain]) for row in waiting}
            strongest = max(best.values())
            if not strongest.equal and not strongest.named:
                break
            now = [row for row in waiting if best[row.chain] == strongest]
            waiting = [row for row in waiting if best[row.chain] != strongest]
            for row, place in _claims(now, fits, strongest):
                taken[place].append((row, strongest))
                found[row.chain] = place
            for row in waiting:
                fits[row.chain] = {
                    place: fit
                    for place, fit in fits[row.chain].items()
                    if not any(self._excludes(other, row, fit) for other in taken.get(place, ()))
                }
        return found

    def _excludes(self, taker: tuple[_AskedRow, _Fit], row: _AskedRow, fit: _Fit) -> bool:
        """Whether a present row that is found for one asked row cannot be another one as well."""
        other, by = taker
        return row.is_other(other) or (bool(self._names) and by.named and not fit.named)

    def _fits(self, row: _AskedRow) -> dict[Path, _Fit]:
        same = self._by_id.get(row.row_id)
        if same is not None and self._present.cells(same) == row.cells:
            # Nothing can fit better, which spares the search where no vote has changed.
            return {same: _Fit(True, len(row.cells), True)}
        named = {same} if same is not None else set()
        for key in self._keys(row):
            named.update(self._of_key(key))
        fits = {place: _Fit(True, self._equal(row, place), place == same) for place in named}
        if not fits:
            fits = {
                place: _Fit(False, equal, False)
                for place, equal in self._alike(row).items()
                if 2 * equal >= len(row.cells)
            }
        return fits

    def _keys(self, row: _AskedRow) -> Iterator[_Key]:
        for cells in (row.cells, {**row.cells, **row.corrected}):
            key = tuple(cells.get(name) for name in self._names)
            if any(part is not None for part in key):
                yield key

    def _of_key(self, key: _Key) -> list[Path]:
        if self._by_key is None:
            self._by_key = defaultdict(list)
            for row in self._rows:
                cells = self._present.cells(row)
                self._by_key[tuple(cells.get(name) for name in self._names)].append(row)
        return self._by_key.get(key, [])

    def _equal(self, row: _AskedRow, place: Path) -> int:
        cells = self._present.cells(place)
        return sum(cells.get(name) in (held, row.corrected.get(name, held)) for name, held in row.cells.items())

    def _alike(self, row: _AskedRow) -> Counter[Path]:
        if self._by_cell is None:
            self._by_cell = defaultdict(list)
            for place in self._rows:
                for cell in self._present.cells(place).items():
                    self._by_cell[cell].append(place)
        counts: Counter[Path] = Counter()
        for name, held in row.cells.items():
            for value in {held, row.corrected.get(name, held)}:
                counts.update(self._by_cell.get((name, value), ()))
        return counts


def _best(fits: Mapping[Path, _Fit]) -> _Fit:
    return max(fits.values(), default=_Fit(False, 0, False))


def _claims(
    rows: Sequence[_AskedRow], fits: Mapping[Asked, Mapping[Path, _Fit]], fit: _Fit
) -> Iterator[tuple[_AskedRow, Path]]:
    """The present row of each asked one among equally strong claims; none where two rows fit, or two rows claim it."""
    claimed: dict[Path, list[_AskedRow]] = defaultdict(list)
    for row in rows:
        places = [place for place, found in fits[row.chain].items() if found == fit]
        if len(places) == 1:
            claimed[places[0]].append(row)
    for place, claiming in claimed.items():
        if not any(row.is_other(other) for row in claiming for other in claiming):
            yield from ((row, place) for row in claiming)
