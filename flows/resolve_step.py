"""Truth from votes and decisions, document by document.

A truth that was imported is never written over; one that was made here is made again when its vote or its decisions
changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from annotation.resolve import MADE_BY, RESOLVE, Resolution, resolve
from annotation.situation import Situation
from consensus.order import Voted
from flows.quotes import quoting
from flows.situations import situation_of_vote, situations_of_votes
from flows.step_progress import counting
from flows.vote_step import load_votes
from groundtruth import jsontext
from groundtruth.errors import DatasetError, GoldleafError
from groundtruth.jsontext import Json
from groundtruth.queue import QueueItem
from groundtruth.store import Dataset
from groundtruth.store_ballots import Change
from groundtruth.store_files import atomic_write
from groundtruth.truth import GroundTruth


@dataclass(slots=True)
class ResolveSummary:
    """What became of the truths of a dataset.

    Attributes:
        written: documents whose truth is new or another one.
        unchanged: documents whose truth is as it was.
        kept: documents that have a truth which was not made here, and which stays.
        without_vote: documents that have no vote under their present schema, and need one to have a truth.
        open_leaves: how many leaves of each document are unresolved, for those that have any.
        open_rows: the same of rows whose presence is open; they are left out of the truth.
        leaves: how many leaves are known how, over all documents.
        stale: decisions that are about nothing in the present votes, by reason.
        failed: documents whose truth could not be made, with the reason.
    """

    written: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    without_vote: list[str] = field(default_factory=list)
    open_leaves: dict[str, int] = field(default_factory=dict)
    open_rows: dict[str, int] = field(default_factory=dict)
    leaves: Counter[str] = field(default_factory=Counter)
    stale: Counter[str] = field(default_factory=Counter)
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def complete(self) -> int:
        """How many of the resolved documents have nothing open."""
        resolved = {*self.written, *self.unchanged}
        return len(resolved - self.open_leaves.keys() - self.open_rows.keys())

    def to_json(self) -> dict[str, Json]:
        """The record in a command's ``--json``."""
        return {
            "written": self.written,
            "unchanged": self.unchanged,
            "kept": self.kept,
            "without_vote": self.without_vote,
            "complete": self.complete,
            "open_leaves": self.open_leaves,
            "open_rows": self.open_rows,
            "leaves": dict(sorted(self.leaves.items())),
            "stale": dict(sorted(self.stale.items())),
            "failed": self.failed,
        }


def situations_of(dataset: Dataset) -> tuple[list[QueueItem], dict[str, Situation]]:
    """Every question that the votes of a dataset ask, decided ones included; and how each document stands.

    Raises:
        JsonError: a consensus or a log of decisions is damaged.
    """
    return situations_of_votes(dataset, load_votes(dataset))


def resolve_dataset(
    dataset: Dataset,
    documents: Iterable[str] | None = None,
    provisional: bool = False,
    *,
    out: Path | None = None,
    quiet: bool = True,
) -> ResolveSummary:
    """Join votes and decisions into truths.

    Args:
        dataset: what to resolve.
        documents: ids; None for all.
        provisional: whether majorities that nobody looked at are taken, and marked.
        out: a folder for the truths; None for the dataset's own.
        quiet: show no progress.

    Raises:
        UnknownDocument: there is no document of an id that was given.
        JsonError: a consensus is damaged.
    """
    wanted = dataset.document_ids() if documents is None else sorted({dataset.document(name).id for name in documents})
    votes = {one.document: one for one in load_votes(dataset)}
    unvoted = [dataset.document(name) for name in wanted if name not in votes]
    summary = ResolveSummary(without_vote=[one.id for one in unvoted if not one.kind.comes_with_truth])
    due = [votes[name] for name in wanted if name in votes]
    with counting("documents resolved", len(due), quiet=quiet) as advance:
        for voted in due:
            try:
                _resolve(dataset, voted, summary, out, provisional=provisional)
            except GoldleafError as error:
                summary.failed[voted.document] = str(error)
            advance(1)
    return summary


def truth_text(truth: GroundTruth) -> str:
    """A truth as its file holds it."""
    return jsontext.dumps(truth.to_json(), indent=1) + "\n"


def is_made_here(truth: GroundTruth) -> bool:
    """Whether a truth was made from votes and decisions, so that it may be made again."""
    return truth.further.get(MADE_BY) == RESOLVE


def _resolve(dataset: Dataset, voted: Voted, summary: ResolveSummary, out: Path | None, *, provisional: bool) -> None:
    name = voted.document
    if out is None:
        there = dataset.truth(name)
        if there is not None and not is_made_here(there):
            summary.kept.append(name)
            return
    situation = situation_of_vote(dataset, voted)
    with quoting(dataset, name) as quoted:
        resolution = resolve(situation, provisional=provisional, quoted=quoted)
    if out is None:
        change = dataset.put_truth(resolution.truth, replace=True)
    else:
        change = _write(out / f"{name}.json", resolution.truth)
    _count(situation, resolution, change, summary)


def _count(situation: Situation, resolution: Resolution, change: Change, summary: ResolveSummary) -> None:
    name = situation.document
    (summary.unchanged if change is Change.UNCHANGED else summary.written).append(name)
    if resolution.unresolved:
        summary.open_leaves[name] = len(resolution.unresolved)
    if resolution.open_rows:
        summary.open_rows[name] = len(resolution.open_rows)
    summary.leaves.update({str(status): count for status, count in resolution.counts.items()})
    summary.stale.update(str(each.reason) for each in situation.binding.stale)


def _write(path: Path, truth: GroundTruth) -> Change:
    text = truth_text(truth).encode()
    try:
        before = path.read_bytes() if path.exists() else None
        if before == text:
            return Change.UNCHANGED
        atomic_write(path, text)
    except OSError as error:
        raise DatasetError(f"{path}: cannot be written: {error.strerror}; give --out another folder") from error
    return Change.NEW if before is None else Change.REPLACED
