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


class KeyedSlots(NamedTuple):
    """Slots of rows, before any repair.

    Attributes:
        slots: slots × ballots, positions in the stacked rows or ``NO_ROW``.
        loose: per slot, whether it is one row without a key.
        repeated: per slot, whether several of its group's slots hold rows of one ballot.
        disputed: per slot, whether ballots that have its key have it a different number of times.
    """

    slots: IntArray
    loose: npt.NDArray[np.bool_]
    repeated: npt.NDArray[np.bool_]
    disputed: npt.NDArray[np.bool_]


def align_by_key(rows: Rows, n_ballots: int, identity: Sequence[int]) -> KeyedSlots:
    """Group rows by key; a row whose key is all null, or has an invalid cell, is a slot of its own.

    A null component equals a null component as long as another one is not null. An invalid component equals nothing.
    """
    keys = rows.codes[:, list(identity)]
    loose = (keys == 0).all(axis=1)
    alone = loose | (keys < 0).any(axis=1)
    keyed = np.flatnonzero(~alone)
    group = record_classes(keys[keyed].T)
    n_groups = int(group.max(initial=-1)) + 1
    count = np.bincount(group * n_ballots + rows.ballot[keyed], minlength=n_groups * n_ballots)
    count = count.reshape(n_groups, n_ballots)
    several = (count > 1).any(axis=1)

    plain = ~several[group]
    number = np.cumsum(~several) - 1
    single = np.full((int((~several).sum()), n_ballots), NO_ROW, dtype=np.int64)
    single[number[group[plain]], rows.ballot[keyed[plain]]] = keyed[plain]

    split, of_group = _split_groups(rows, n_ballots, keyed[~plain], group[~plain], identity)
    lone = np.full((int(alone.sum()), n_ballots), NO_ROW, dtype=np.int64)
    lone[np.arange(len(lone)), rows.ballot[alone]] = np.flatnonzero(alone)

    least = np.where(count > 0, count, np.iinfo(np.int64).max).min(axis=1, initial=np.iinfo(np.int64).max)
    most = count.max(axis=1, initial=0)
    none = np.zeros(len(single), dtype=bool), np.zeros(len(split), dtype=bool), np.zeros(len(lone), dtype=bool)
    return KeyedSlots(
        np.concatenate([single, split, lone]),
        np.concatenate([none[0], none[1], loose[alone]]),
        np.concatenate([none[0], ~none[1], none[2]]),
        np.concatenate([none[0], (least < most)[of_group], none[2]]),
    )


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
