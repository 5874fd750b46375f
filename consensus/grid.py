"""Rows as numbers: what the alignment of an array compares.

Every canonical value of a column gets a number, the same in all ballots, in the order of the values themselves. So
equal numbers mean equal values, and sorting rows by their numbers sorts them by content, whoever returned them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from consensus.align import Grid
from consensus.candidates import showable
from consensus.read import Abstained, Reader, Rows, Slip
from groundtruth import jsontext
from groundtruth.ballot import Ballot
from groundtruth.schema import Table
from groundtruth.value import Invalid, Key, Null, Reading, Value, sort_key

NULL_CODE: Final = 0


class Block(NamedTuple):
    """One ballot's rows of one array, read: a slip a row, and the index each row has in the ballot."""

    slips: list[Slip]
    indices: list[int]
    coerced: bool


class Lattice(NamedTuple):
    """The grids of one array.

    Attributes:
        grids: one per ballot, None where the ballot abstains; the columns are the leaves of the row, then one per
            nested array, whose number stands for the whole content of that array.
        keys: per column the canonical key of each number; the number 0 is null.
        identity: the columns of the declared identity keys.
    """

    grids: list[Grid | None]
    keys: list[list[Key | None]]
    identity: tuple[int, ...]

    def text(self, column: int, code: int) -> str:
        """What stands in a cell, for comparing spellings; "" for null."""
        key = self.keys[column][code] if code > NULL_CODE else None
        return "" if key is None else str(key[-1])

    def content(self, columns: Iterable[int], codes: Sequence[int]) -> tuple[str, ...]:
        """What stands in a row's cells, each text naming one value and no other."""
        return tuple(
            repr(sort_key(key)) if code > NULL_CODE and (key := self.keys[column][code]) is not None else ""
            for column, code in zip(columns, codes, strict=True)
        )


def read_block(reader: Reader, ballot: Ballot, table: Table, rows: Rows) -> Block:
    """Read a ballot's rows; a row that holds nothing at all is no row, and is said."""
    block = Block([], [], rows.coerced)
    for part, index in zip(rows.parts, rows.indices, strict=True):
        slip = reader.slip(ballot, table.row, part)
        if _is_blank(reader, ballot, table, slip):
            reader.messages.add(f"{ballot.system}: {table.name} row {index} is blank; it is no row")
        else:
            block.slips.append(slip)
            block.indices.append(index)
    return block


def build(reader: Reader, ballots: Sequence[Ballot], table: Table, blocks: Sequence[Block | None]) -> Lattice:
    """Number the cells of every ballot's rows; ``blocks`` holds None where a ballot abstains on the array."""
    leaves = list(table.row.leaves())
    columns = [_leaf_column(at, blocks) for at in range(len(leaves))]
    columns += [_nested_column(reader, ballots, nested, at, blocks) for at, nested in enumerate(table.row.tables())]
    numberings = [_number(column) for column in columns]
    where = {leaf.path: at for at, leaf in enumerate(leaves)}
    return Lattice(
        grids=[
            None if block is None else _grid(len(block.slips), [column[at] for column in columns], numberings)
            for at, block in enumerate(blocks)
        ],
        keys=[[None, *numbering] for numbering in numberings],
        identity=tuple(where[(*table.row.path, *key)] for key in table.identity),
    )


_INVALID: Final = "~invalid"
"""The tag of readings that are no value; it comes after those of all comparators."""

_Column = list[list[Key | None]]
"""Per ballot and row what stands in one column; None is null."""


def _leaf_column(at: int, blocks: Sequence[Block | None]) -> _Column:
    return [[_cell(slip.readings[at]) for slip in block.slips] if block else [] for block in blocks]


def _nested_column(
    reader: Reader, ballots: Sequence[Ballot], nested: Table, at: int, blocks: Sequence[Block | None]
) -> _Column:
    return [
        [_content(reader, ballot, nested, slip.tables[at]) for slip in block.slips] if block else []
        for ballot, block in zip(ballots, blocks, strict=True)
    ]


def _cell(reading: Reading) -> Key | None:
    if isinstance(reading, Value):
        return reading.key
    if isinstance(reading, Invalid):
        # No vote, and yet evidence: systems that write the same nonsense in a cell look at the same row.
        return (_INVALID, jsontext.dumps(showable(reading.raw)))
    # Where a system does not judge, it says no more on which row this is than where it finds nothing.
    return None


def _content(reader: Reader, ballot: Ballot, table: Table, rows: Rows | Abstained) -> Key | None:
    """A key for everything an array holds, whatever the order of its rows."""
    if isinstance(rows, Abstained):
        return None
    block = read_block(reader, ballot, table, rows)
    if not block.slips:
        return None
    return ("rows", "\n".join(sorted(_row_text(reader, ballot, table, slip) for slip in block.slips)))


def _row_text(reader: Reader, ballot: Ballot, table: Table, slip: Slip) -> str:
    cells = [_cell(reading) for reading in slip.readings]
    cells += [
        _content(reader, ballot, nested, rows) for nested, rows in zip(table.row.tables(), slip.tables, strict=True)
    ]
    return repr([cell and sort_key(cell) for cell in cells])


def _number(column: _Column) -> dict[Key, int]:
    keys = {cell for cells in column for cell in cells if cell is not None}
    return {key: number for number, key in enumerate(sorted(keys), start=NULL_CODE + 1)}


def _grid(rows: int, columns: list[list[Key | None]], numberings: list[dict[Key, int]]) -> Grid:
    codes = np.empty((rows, len(columns)), dtype=np.int64)
    for at, (cells, numbering) in enumerate(zip(columns, numberings, strict=True)):
        codes[:, at] = [NULL_CODE if cell is None else numbering[cell] for cell in cells]
    return Grid(codes)


def _is_blank(reader: Reader, ballot: Ballot, table: Table, slip: Slip) -> bool:
    return all(isinstance(reading, Null) for reading in slip.readings) and all(
        isinstance(rows, Rows) and not read_block(reader, ballot, nested, rows).slips
        for nested, rows in zip(table.row.tables(), slip.tables, strict=True)
    )
