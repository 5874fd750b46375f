"""What one document's vote asks of a person.

A contested row is one question, not one a cell: its cells follow from the answer where the systems that have the row
agree on them. Leaves of a field whose systems dissent in the same way make one question together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from consensus.tally import QUORUM
from groundtruth import jsontext
from groundtruth.consensus import Consensus, Disposition, LeafConsensus, Note, Presence, Reason, RowConsensus, Tier
from groundtruth.path import Path, rows_around
from groundtruth.queue import Place, Question, QueueItem

ASKED: Final = (Disposition.REVIEW, Disposition.PROVISIONAL)

SAME_DISSENT: Final = 3
"""In so many rows must the same systems dissent in the same way to make one question."""

_FOLLOWS_FROM_ROW: Final = {Reason.NULL_OVER_VALUE}


class _Cells(NamedTuple):
    settled: list[LeafConsensus]
    open: list[LeafConsensus]


def questions(document: str, consensus: Consensus) -> list[QueueItem]:
    """Every question on one document, in the order of its leaves; nothing that is open is left out."""
    inside = _leaves_by_row(consensus)
    nested = _rows_by_row(consensus)
    covered: set[Path] = set()
    items: list[QueueItem] = []
    for row in consensus.rows:
        # Of a form a person sees every leaf; rows on which all agree need no question of their own.
        agreed = row.tier is Tier.UNANIMOUS and not row.reasons
        if row.disposition not in ASKED or agreed or row.path in covered:
            continue
        cells = _judge_cells(row, inside[row.path])
        lost = row.presence is not Presence.PRESENT
        items.append(_row_question(document, row, cells, ask_cells=lost))
        covered.update(leaf.path for leaf in cells.settled)
        if lost:
            covered.update(leaf.path for leaf in cells.open)
            covered.update(inner.path for inner in nested[row.path])
        else:
            covered.update(inner.path for inner in nested[row.path] if inner.members.keys() == row.members.keys())
    asked = [leaf for leaf in consensus.leaves if leaf.disposition in ASKED and leaf.path not in covered]
    return items + list(_leaf_questions(document, asked))


def page_of(leaf: LeafConsensus) -> int | None:
    """The first page that the leaf's places name, or None."""
    return min((evidence.page for evidence in leaf.location.evidence), default=None)


def _leaves_by_row(consensus: Consensus) -> dict[Path, list[LeafConsensus]]:
    """The leaves inside each row, those of rows nested in it included."""
    inside: dict[Path, list[LeafConsensus]] = {row.path: [] for row in consensus.rows}
    for leaf in consensus.leaves:
        for outer in rows_around(leaf.path):
            inside[outer].append(leaf)
    return inside


def _rows_by_row(consensus: Consensus) -> dict[Path, list[RowConsensus]]:
    nested: dict[Path, list[RowConsensus]] = {row.path: [] for row in consensus.rows}
    for row in consensus.rows:
        for outer in rows_around(row.path[:-1]):
            nested[outer].append(row)
    return nested


def _judge_cells(row: RowConsensus, leaves: Sequence[LeafConsensus]) -> _Cells:
    cells = _Cells([], [])
    for leaf in leaves:
        if leaf.disposition in ASKED:
            (cells.settled if _follows_from(row, leaf) else cells.open).append(leaf)
    return cells


def _follows_from(row: RowConsensus, leaf: LeafConsensus) -> bool:
    """Whether enough systems have the row, and all of them read the cell alike."""
    if not _FOLLOWS_FROM_ROW.issuperset(leaf.reasons):
        return False
    having = [
        set(found.systems) & row.members.keys()
        for found in leaf.candidates
        if not row.members.keys().isdisjoint(found.systems)
    ]
    return len(having) == 1 and len(having[0]) >= QUORUM


def _row_question(document: str, row: RowConsensus, cells: _Cells, *, ask_cells: bool) -> QueueItem:
    pages = [page for leaf in [*cells.settled, *cells.open] if (page := page_of(leaf)) is not None]
    there = sum(present is True for present in row.present.values())
    absent = sum(present is False for present in row.present.values())
    return QueueItem(
        question=Question.ROW,
        places=(Place(document, row.path),),
        field=row.path[:-1],
        disposition=row.disposition,
        tier=row.tier,
        margin=abs(there - absent),
        reasons=row.reasons,
        page=min(pages, default=None),
        settles=tuple(leaf.path for leaf in cells.settled),
        follow_up=tuple(leaf.path for leaf in cells.open) if ask_cells else (),
    )


def _leaf_questions(document: str, leaves: Iterable[LeafConsensus]) -> Iterator[QueueItem]:
    alike: dict[object, list[LeafConsensus]] = defaultdict(list)
    for leaf in leaves:
        alike[_dissent(leaf)].append(leaf)
    for group in alike.values():
        if len(group) >= SAME_DISSENT and _is_cell(group[0]):
            yield leaf_question(document, group, Question.BULK)
        else:
            yield from (leaf_question(document, [leaf], Question.LEAF) for leaf in group)


def leaf_question(document: str, leaves: Sequence[LeafConsensus], question: Question) -> QueueItem:
    """One question about leaves of one field."""
    worst = min(leaves, key=lambda leaf: leaf.margin)
    pages = [page for leaf in leaves if (page := page_of(leaf)) is not None]
    return QueueItem(
        question=question,
        places=tuple(Place(document, leaf.path) for leaf in leaves),
        field=worst.field,
        disposition=worst.disposition,
        tier=worst.tier,
        margin=worst.margin,
        reasons=tuple(sorted({reason for leaf in leaves for reason in leaf.reasons})),
        page=min(pages, default=None),
    )


def is_surface_only(leaf: LeafConsensus) -> bool:
    """Whether all dissent is case, punctuation and spacing, and nothing else makes a person look."""
    return leaf.disposition is Disposition.PROVISIONAL and Note.SURFACE_ONLY in leaf.notes


def _dissent(leaf: LeafConsensus) -> object:
    """Equal for leaves of one field on which the same systems read the same forms."""
    return (
        leaf.field,
        leaf.disposition,
        leaf.reasons,
        tuple((jsontext.dumps([found.value, *found.forms]), found.systems) for found in leaf.candidates),
    )


def _is_cell(leaf: LeafConsensus) -> bool:
    return any(isinstance(step, int) for step in leaf.path)
