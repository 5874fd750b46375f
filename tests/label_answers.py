"""A labeler who knows the truth: answers every card of a packet from a document's labels.

As a person would, it finds the row that a card is about by what the row holds, chooses a candidate that equals the
label, types it where there is none, says that a row is absent, and asks for a bulk question leaf by leaf when one of
its leaves is otherwise.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from annotation.cards import text_of
from annotation.equality import value_class
from annotation.packet import ABSENT, ALL_AS_PROPOSED, EDIT, NULL, ONE_BY_ONE, PRESENT, Card, Packet
from answer_builders import chosen, sent_boxes, typed
from groundtruth.consensus import Consensus
from groundtruth.jsontext import Json
from groundtruth.path import Path, rows_around, schema_path
from groundtruth.queue import Question
from groundtruth.schema import FrozenSchema

MISSING = object()


class Labels:
    """The labels of one document, and which row of them each row of the vote is."""

    def __init__(self, value: Json, consensus: Consensus, schema: FrozenSchema) -> None:
        self._value = value
        self._schema = schema
        self._of_row: dict[Path, Path | None] = {}
        self._cells: dict[Path, dict[Path, list[Json]]] = defaultdict(dict)
        for leaf in consensus.leaves:
            for row in rows_around(leaf.path):
                read = [found.value for found in leaf.candidates if found.valid]
                self._cells[row][leaf.path[len(row) :]] = read
        arrays: dict[Path, list[Path]] = defaultdict(list)
        for row in sorted((row.path for row in consensus.rows), key=len):
            arrays[row[:-1]].append(row)
        for array, rows in sorted(arrays.items(), key=lambda each: len(each[0])):
            self._match(array, rows)

    def at(self, path: Path) -> Any:
        """The label of a leaf or row of the vote; MISSING when its row is not in the labels."""
        inside = self._translated(path)
        return MISSING if inside is None else _get(self._value, inside)

    def _translated(self, path: Path) -> Path | None:
        around = list(rows_around(path))
        if not around:
            return path
        row = self._of_row.get(around[-1])
        return None if row is None else (*row, *path[len(around[-1]) :])

    def _match(self, array: Path, rows: list[Path]) -> None:
        inside = self._translated(array)
        labels = None if inside is None else _get(self._value, inside)
        if not isinstance(labels, list) or inside is None:
            self._of_row.update(dict.fromkeys(rows))
            return
        worth = np.array([[self._alike(row, label) for label in labels] for row in rows], dtype=float)
        self._of_row.update(dict.fromkeys(rows))
        if worth.size:
            # Of equals the pair that keeps the order.
            order = np.abs(np.subtract.outer(np.arange(len(rows)), np.arange(len(labels))))
            for left, right in zip(*linear_sum_assignment(worth * 1e6 - order, maximize=True), strict=True):
                if worth[left, right] > 0:
                    self._of_row[rows[left]] = (*inside, int(right))

    def _alike(self, row: Path, label: Json) -> float:
        score = 0.0
        for cell, read in self._cells[row].items():
            if any(isinstance(step, int) for step in cell):
                continue
            said = _get(label, cell)
            leaf = self._schema.leaves[schema_path((*row, *cell))]
            if said is not None and said is not MISSING:
                score += any(value_class(one, leaf) == value_class(said, leaf) for one in read if one is not None)
        return score


def answers(packet: Packet, labels: Mapping[str, Labels], schema: FrozenSchema) -> list[dict[str, Any]]:
    """The result of an annotation that answers every card of a packet; its boxes are left as they were."""
    found: list[dict[str, Any]] = list(sent_boxes(packet)) if packet.pages else []
    for at, card in enumerate(packet.cards):
        found += _answer(at, card, labels, schema)
    return found


def _answer(at: int, card: Card, labels: Mapping[str, Labels], schema: FrozenSchema) -> Iterator[dict[str, Any]]:
    leaf = schema.leaves.get(card.field)
    if card.question is Question.ROW:
        yield chosen(at, ABSENT if labels[card.document].at(card.path) is MISSING else PRESENT)
        return
    if card.question is Question.BULK:
        said = [_label(labels[member.document].at(member.path)) for member in card.members]
        same = [
            value_class(one, leaf) == value_class(member.value, leaf)
            for one, member in zip(said, card.members, strict=True)
        ]
        yield chosen(at, ALL_AS_PROPOSED if all(same) and ALL_AS_PROPOSED in card.answers else ONE_BY_ONE)
        return
    value = _label(labels[card.document].at(card.path))
    if value is None:
        yield chosen(at, NULL)
        return
    wanted = value_class(value, leaf)
    alias = next((option.alias for option in card.options if value_class(option.value, leaf) == wanted), EDIT)
    yield chosen(at, alias)
    if alias == EDIT:
        yield typed(at, text_of(value))


def _label(found: Any) -> Json:
    return None if found is MISSING else found


def _get(value: Json, path: Path) -> Any:
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return MISSING if isinstance(step, int) else None
    return value
