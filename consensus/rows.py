"""The rows of one array: which belong together, whether each is there, and in what order they stand."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from consensus import grid
from consensus.align import Alignment, align
from consensus.grid import Block, Lattice
from consensus.read import Reader
from consensus.tally import Electorate, Tally, tally
from groundtruth import jsontext
from groundtruth.assignment import IntArray
from groundtruth.ballot import Ballot, Status
from groundtruth.consensus import Note, Presence, Reason, Tier
from groundtruth.schema import Table
from groundtruth.value import Abstain, Null, Reading, Value

_THERE: Final = Value(("row", True), True, frozenset())
_NOT_THERE: Final = Null(frozenset())
_NO_OPINION: Final = Abstain("cut")
NO_ROW: Final = -1


class Slot(NamedTuple):
    """One row of the array, as the vote sees it.

    Attributes:
        members: per ballot (by position) that has the row, the position of the row in that ballot's block.
        present: per system True, False, or None where it abstains on the row.
        presence: present, absent or undecided.
        vote: the count on the row's presence.
        reasons: why a person must look at the row, the alignment's included.
        notes: what is recorded only.
        key: the identity cells, or every cell where no identity is declared.
        content: every cell; two slots of equal content are a row that stands there twice.
    """

    members: dict[int, int]
    present: dict[str, bool | None]
    presence: Presence
    vote: Tally
    reasons: frozenset[Reason]
    notes: frozenset[Note]
    key: tuple[str, ...]
    content: tuple[str, ...]


def vote_on_rows(
    reader: Reader,
    ballots: Sequence[Ballot],
    table: Table,
    blocks: Sequence[Block | None],
    electorate: Electorate,
    *,
    refused: bool,
) -> list[Slot]:
    """Align the ballots' rows and vote on the presence of each.

    ``blocks`` holds None where a ballot abstains; ``refused`` says whether one does because it gave what is no array.

    Rows of the proposal come first, undecided and lost ones after them; within each group by their median position
    among the rows that all ballots share, then by key and content.
    """
    lattice = grid.build(reader, ballots, table, blocks)
    alignment = align(lattice.grids, identity=lattice.identity, texts=lattice.text)
    array_reasons = frozenset({Reason.INVALID_READING}) if refused else frozenset()
    array_notes = frozenset({Note.COERCED}) if any(block and block.coerced for block in blocks) else frozenset()
    found = []
    for members_row, flags, codes in zip(alignment.slots, alignment.flags, _common(lattice, alignment), strict=True):
        members = {at: int(row) for at, row in enumerate(members_row) if row != NO_ROW}
        found.append(_slot(members, flags | array_reasons | array_notes, codes, lattice, ballots, blocks, electorate))
    positions = _positions(alignment.slots)
    ranks = sorted(
        range(len(found)),
        key=lambda at: (found[at].presence is not Presence.PRESENT, positions[at], found[at].key, found[at].content),
    )
    return [found[at] for at in ranks]


def row_ids(table: Table, outer: str, ordered: Sequence[Slot]) -> list[str]:
    """An id per slot, from its key alone, so that the same row gets the same id whatever stands around it.

    Slots that share a key are told apart by their content, then by order. ``outer`` is the id of the row around.
    """
    by_key: dict[tuple[str, ...], list[int]] = {}
    for at, slot in enumerate(ordered):
        by_key.setdefault(slot.key, []).append(at)
    ids = [""] * len(ordered)
    for key, slots in by_key.items():
        for occurrence, at in enumerate(sorted(slots, key=lambda at: ordered[at].content)):
            text = jsontext.dumps([table.name, outer, list(key), occurrence])
            ids[at] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return ids


def _slot(
    members: dict[int, int],
    flags: frozenset[Reason | Note],
    codes: Sequence[int],
    lattice: Lattice,
    ballots: Sequence[Ballot],
    blocks: Sequence[Block | None],
    electorate: Electorate,
) -> Slot:
    readings: dict[str, Reading] = {}
    for at, ballot in enumerate(ballots):
        if at in members:
            readings[ballot.system] = _THERE
        else:
            # A cut answer may have lost the row, so its silence says nothing.
            lost = blocks[at] is None or ballot.status is Status.PARTIAL
            readings[ballot.system] = _NO_OPINION if lost else _NOT_THERE
    count = tally(readings, electorate)
    single = len(members) == 1 and sum(not isinstance(reading, Abstain) for reading in readings.values()) > 1
    return Slot(
        members=members,
        present={system: _present(reading) for system, reading in readings.items()},
        presence=_presence(count),
        vote=count,
        reasons=count.reasons
        | {flag for flag in flags if isinstance(flag, Reason)}
        | ({Reason.SINGLE_SYSTEM_ROW} if single else set()),
        notes=frozenset(flag for flag in flags if isinstance(flag, Note)),
        key=lattice.content(lattice.identity, [codes[column] for column in lattice.identity])
        or lattice.content(range(len(codes)), codes),
        content=lattice.content(range(len(codes)), codes),
    )


def _presence(count: Tally) -> Presence:
    if count.tier is Tier.SPLIT:
        return Presence.UNDECIDED
    return Presence.PRESENT if isinstance(count.winner, Value) else Presence.ABSENT


def _present(reading: Reading) -> bool | None:
    return None if isinstance(reading, Abstain) else isinstance(reading, Value)


def _common(lattice: Lattice, alignment: Alignment) -> list[list[int]]:
    """Per slot and column the number that most of its rows have; the smallest on a tie, none over a value never."""
    stacked = []
    for at, cells in enumerate(lattice.grids):
        rows = alignment.slots[:, at]
        if cells is None or not len(cells.codes):
            continue
        # Slots that lack this ballot borrow any row and are blanked again.
        codes = cells.codes[np.where(rows == NO_ROW, 0, rows)]
        codes[rows == NO_ROW] = NO_ROW
        stacked.append(codes)
    if not stacked:
        return []
    votes = np.stack(stacked)
    support = (votes[:, None] == votes[None]).sum(axis=1)
    support[votes <= grid.NULL_CODE] = 0
    ranked = np.where(support == support.max(axis=0), votes, np.iinfo(votes.dtype).max)
    chosen = ranked.min(axis=0)
    rows_of: list[list[int]] = chosen.tolist()
    return rows_of


def _positions(slots: IntArray) -> list[float]:
    """Per slot the median, over the ballots that have it, of its position among the rows that all ballots have.

    Counting shared rows alone makes positions comparable between ballots that lack different rows; a row between two
    shared ones takes an even share of the gap.
    """
    shared = np.ones(len(slots), dtype=bool)
    used = [column for column in slots.T if (column != NO_ROW).any()]
    for column in used:
        shared &= column != NO_ROW
    positions = np.full((len(slots), len(used)), np.nan)
    for at, column in enumerate(used):
        having = np.flatnonzero(column != NO_ROW)
        order = having[np.argsort(column[having], kind="stable")]
        anchors = np.cumsum(shared[order])
        _, first, size = np.unique(anchors, return_index=True, return_counts=True)
        within = np.arange(len(order)) - np.repeat(first, size)
        positions[order, at] = anchors + within / np.repeat(size, size)
    medians: list[float] = np.nanmedian(positions, axis=1).tolist() if len(slots) else []
    return medians
