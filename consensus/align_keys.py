"""Rows of equal identity key are one row; where a ballot has a key several times, its rows are told apart by the rest.

Within such a group the ballot with most rows opens the slots, and each further ballot assigns its rows to them for the
greatest number of agreeing other cells (two nulls agree too, but any value that agrees counts for more). Ballots come
in an order that follows from their content, and ballots of equal content are placed together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from consensus.slots import NO_ROW, Rows, Unit, common_codes
from groundtruth.assignment import pair_rows
from groundtruth.record_classes import IntArray, record_classes, zip_classes

BoolArray = npt.NDArray[np.bool_]


class KeyedSlots(NamedTuple):
    """Slots of rows, before any repair.

    Attributes:
        slots: slots × ballots, positions in the stacked rows or ``NO_ROW``.
        loose: per slot, whether it is one row without a key.
        repeated: per slot, whether several of its group's slots hold rows of one ballot.
        disputed: per slot, whether ballots that have its key have it a different number of times.
    """

    slots: IntArray
    loose: BoolArray
    repeated: BoolArray
    disputed: BoolArray


def align_by_key(rows: Rows, n_ballots: int, identity: Sequence[int]) -> KeyedSlots:
    """Group rows by key; a row whose key is all null, or has an invalid cell, is a slot of its own.

    A null component equals a null component as long as another one is not null. An invalid component equals nothing.
    """
    keys = rows.codes[:, list(identity)]
    loose = (keys == 0).all(axis=1)
    alone = loose | (keys < 0).any(axis=1)
    keyed = np.flatnonzero(~alone)
    group = record_classes(keys[keyed].T)
    count = _counts(group, rows.ballot[keyed], n_ballots)
    several: BoolArray = count.max(axis=1, initial=0) > 1

    plain = np.full((len(count), n_ballots), NO_ROW, dtype=np.int64)
    one_row = ~several[group]
    plain[group[one_row], rows.ballot[keyed[one_row]]] = keyed[one_row]
    split, of_group = _split_groups(rows, n_ballots, keyed[~one_row], group[~one_row], identity)
    lone = np.full((int(alone.sum()), n_ballots), NO_ROW, dtype=np.int64)
    lone[np.arange(len(lone)), rows.ballot[alone]] = np.flatnonzero(alone)

    slots = np.concatenate([plain[~several], split, lone])
    first_split, first_lone = len(slots) - len(split) - len(lone), len(slots) - len(lone)
    found = KeyedSlots(slots, *np.zeros((3, len(slots)), dtype=bool))
    found.repeated[first_split:first_lone] = True
    found.disputed[first_split:first_lone] = _uneven(count)[of_group]
    found.loose[first_lone:] = loose[alone]
    return found


def _counts(group: IntArray, ballot: IntArray, n_ballots: int) -> IntArray:
    """Groups × ballots: how many rows."""
    n_groups = int(group.max(initial=-1)) + 1
    count = np.bincount(group * n_ballots + ballot, minlength=n_groups * n_ballots)
    return count.reshape(n_groups, n_ballots)


def _uneven(count: IntArray) -> BoolArray:
    """Per group, whether the ballots that have it have it a different number of times."""
    most = count.max(axis=1, initial=0)
    uneven: BoolArray = ((count > 0) & (count < most[:, None])).any(axis=1)
    return uneven


def _split_groups(
    rows: Rows, n_ballots: int, member: IntArray, group: IntArray, identity: Sequence[int]
) -> tuple[IntArray, IntArray]:
    """Slots for the groups in which some ballot has several rows; also the group of each slot."""
    units = list(_units(rows, member, group))
    sizes = [placed[0].rows.shape[1] for _, placed in units]
    start = np.cumsum([0, *sizes])
    slots = np.full((int(start[-1]), n_ballots), NO_ROW, dtype=np.int64)
    of_group = np.repeat(np.array([number for number, _ in units], dtype=np.int64), sizes)
    others = np.setdiff1d(np.arange(rows.codes.shape[1]), list(identity))
    for turn in range(n_ballots):
        playing = [k for k, (_, placed) in enumerate(units) if len(placed) > turn]
        if not playing:
            break
        chosen = [units[k][1][turn] for k in playing]
        open_slots = np.concatenate([np.arange(start[k], start[k + 1]) for k in playing])
        lead = np.concatenate([unit.rows[0] for unit in chosen])
        if turn == 0:
            taken = open_slots
        else:
            wanted = np.repeat(playing, [unit.rows.shape[1] for unit in chosen])
            offered = np.repeat(playing, [sizes[k] for k in playing])
            heads = common_codes(rows, slots[open_slots])[:, others]
            taken = open_slots[_assign(rows.codes[lead][:, others], heads, wanted, offered)]
        cut = np.cumsum([unit.rows.shape[1] for unit in chosen])[:-1]
        for unit, mine in zip(chosen, np.split(taken, cut), strict=True):
            slots[mine[None, :], unit.ballots[:, None]] = unit.rows
    return slots, of_group


def _units(rows: Rows, member: IntArray, group: IntArray) -> Iterator[tuple[int, list[Unit]]]:
    """Per group its units: most rows first, then by content."""
    order = np.lexsort((member, rows.ballot[member], group))
    member, group = member[order], group[order]
    ballot = rows.ballot[member]
    cut = np.flatnonzero((np.diff(group) != 0) | (np.diff(ballot) != 0)) + 1
    found: dict[int, dict[tuple[int, ...], list[IntArray]]] = {}
    for first, part in zip([0, *cut.tolist()], np.split(member, cut), strict=True) if member.size else ():
        content = tuple(rows.content[part].tolist())
        found.setdefault(int(group[first]), {}).setdefault(content, []).append(part)
    for number, by_content in found.items():
        ranked = sorted(by_content.items(), key=lambda item: (-len(item[0]), item[0]))
        yield number, [Unit(np.array([rows.ballot[part[0]] for part in parts]), np.stack(parts)) for _, parts in ranked]


def _assign(left: IntArray, right: IntArray, left_group: IntArray, right_group: IntArray) -> IntArray:
    """Per left row the right row that it goes to, all within groups; each group has at least as many right rows."""
    n_columns = left.shape[1]
    worth = [np.full(int(max(left[:, j].max(), right[:, j].max(), 0)) + 1, n_columns + 1) for j in range(n_columns)]
    for each in worth:
        each[0] = 1
    target = np.full(len(left), -1, dtype=np.int64)
    for i, j in pair_rows(left, right, worth, groups=(left_group, right_group)):
        target[i] = j
    free = np.ones(len(right), dtype=bool)
    free[target[target >= 0]] = False
    waiting, vacant = np.flatnonzero(target < 0), np.flatnonzero(free)
    first, second = zip_classes(left_group[waiting], right_group[vacant])
    target[waiting[first]] = vacant[second]
    return target
