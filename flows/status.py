"""What a dataset holds and what waits for whom: the figures behind ``status`` and ``run``, and how they are printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from consensus.order import Voted
from flows.output import console, table
from groundtruth.ballot import Failure, Status
from groundtruth.consensus import Disposition, Tier
from groundtruth.jsontext import Json
from groundtruth.queue import QueueItem, person_seconds
from groundtruth.store import Dataset
from groundtruth.store_artefacts import Artefact
from groundtruth.wording import counted

_TIERS = (Tier.UNANIMOUS, Tier.ALL_NULL, Tier.MAJORITY, Tier.SPLIT)
_DISPOSITIONS = (Disposition.ACCEPT, Disposition.PROVISIONAL, Disposition.REVIEW)
_MOST_FAILURES = 20
_SHORT = {
    Tier.UNANIMOUS: "unan.",
    Tier.ALL_NULL: "null",
    Tier.MAJORITY: "maj.",
    Tier.SPLIT: "split",
    Disposition.ACCEPT: "acc.",
    Disposition.PROVISIONAL: "prov.",
    Disposition.REVIEW: "rev.",
}
"""Heads short enough for a table of ten columns in a terminal of eighty."""


def tiers_json(votes: Sequence[Voted]) -> list[dict[str, Json]]:
    """Per document how many leaves are of each tier and disposition, and how many proposed values have a box."""
    return [
        {
            "document": one.document,
            "systems": one.consensus.n,
            "leaves": len(one.consensus.leaves),
            "rows": len(one.consensus.rows),
            "tiers": _count(leaf.tier for leaf in one.consensus.leaves),
            "dispositions": _count(leaf.disposition for leaf in one.consensus.leaves),
            "values": sum(leaf.value is not None for leaf in one.consensus.leaves),
            "located": sum(leaf.location.certain for leaf in one.consensus.leaves),
        }
        for one in votes
    ]


def print_tiers(votes: Sequence[Voted]) -> None:
    """The table of tiers, a line a document and one for all; nothing where there are no votes."""
    if not votes:
        return
    records = tiers_json(votes)
    figures = ["leaves", *_SHORT.values(), "boxes"]

    def cells(name: str, found: dict[str, Json]) -> list[object]:
        return [
            name,
            found["leaves"],
            *(found["tiers"].get(tier, 0) for tier in _TIERS),
            *(found["dispositions"].get(kind, 0) for kind in _DISPOSITIONS),
            f"{found['located'] / found['values']:.0%}" if found["values"] else "",
        ]

    rows = [cells(record["document"], record) for record in records]
    if len(records) > 1:
        rows.append(cells("all", _sum(records)))
    console().print(table("", ["document", *figures], rows, right=figures))
    console().print(
        "acc. accepted, prov. provisional, rev. to review; boxes: values whose place on the page is certain",
        style="dim",
    )


def failures_json(dataset: Dataset, votes: Sequence[Voted], waiting: Iterable[str]) -> list[dict[str, Json]]:
    """Which system failed on which document or left something of it out, and why; by document, then by system.

    Args:
        dataset: where the ballots of documents without a vote are.
        votes: of the documents that have one; they say who abstained and whose answer was cut.
        waiting: the documents without a vote.
    """
    found = [
        {"document": one.document, "system": system, "status": str(status), "detail": detail}
        for one in votes
        for status, details in ((Status.FAILED, one.consensus.abstained), (Status.PARTIAL, one.consensus.partial))
        for system, detail in details.items()
    ]
    found += [
        {
            "document": document,
            "system": ballot.system,
            "status": str(ballot.status),
            "detail": ballot.detail if ballot.failure is None else f"{ballot.failure}: {ballot.detail}",
        }
        for document in waiting
        for ballot in dataset.ballots(document)
        if ballot.status is not Status.OK
    ]
    return sorted(found, key=lambda one: (one["document"], one["system"]))


def print_failures(failures: Sequence[dict[str, Json]]) -> None:
    """The same for a person, without what an extractor could not read by its nature."""
    told = [one for one in failures if not one["detail"].startswith(Failure.UNSUPPORTED_INPUT)]
    for one in told[:_MOST_FAILURES]:
        what = "failed" if one["status"] == Status.FAILED else "cut"
        console().print(f"{what}: {one['document']}: {one['system']}: {one['detail']}", markup=False)
    if len(told) > _MOST_FAILURES:
        console().print(f"... and {len(told) - _MOST_FAILURES} more that failed or were cut; --json lists all")


def queue_json(items: Sequence[QueueItem]) -> dict[str, Json]:
    """How much waits for a person."""
    return {
        "questions": len(items),
        "leaves": sum(item.leaves for item in items),
        "review": sum(item.leaves for item in items if item.disposition is Disposition.REVIEW),
        "provisional": sum(item.leaves for item in items if item.disposition is Disposition.PROVISIONAL),
        "minutes": round(person_seconds(items) / 60, 1),
        "reasons": dict(sorted(Counter(str(reason) for item in items for reason in item.reasons).items())),
    }


def print_queue_summary(dataset: Dataset, items: Sequence[QueueItem]) -> None:
    """What waits for people, how long it takes, and where the queue is."""
    found = queue_json(items)
    path = dataset.artefact_path(Artefact.QUEUE, "queue", "jsonl")
    if not items:
        console().print("Nothing waits for a person.")
        return
    console().print(
        f"{counted(found['questions'], 'question')} about {counted(found['leaves'], 'leaf', 'leaves')} "
        f"{'waits' if found['questions'] == 1 else 'wait'} for a person, "
        f"about {found['minutes']} minutes: {found['review']} to review, {found['provisional']} provisional"
    )
    console().print(f"Review queue: {path}", markup=False, soft_wrap=True)


def _count(values: Iterable[str]) -> dict[str, int]:
    return {str(value): count for value, count in sorted(Counter(values).items())}


def _sum(records: Sequence[dict[str, Json]]) -> dict[str, Json]:
    return {
        "leaves": sum(record["leaves"] for record in records),
        "tiers": sum((Counter(record["tiers"]) for record in records), Counter()),
        "dispositions": sum((Counter(record["dispositions"]) for record in records), Counter()),
        "values": sum(record["values"] for record in records),
        "located": sum(record["located"] for record in records),
    }
