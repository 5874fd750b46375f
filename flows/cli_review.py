"""``goldleaf queue``, ``status`` and ``explain``: what waits for a person, and why a leaf is what it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.output import JsonFlag, console, emit, table
from groundtruth.errors import PathError
from groundtruth.wording import counted

if TYPE_CHECKING:
    from groundtruth.queue import QueueItem

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The dataset folder.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command("queue")(queue)
    app.command("status")(status)
    app.command("explain")(explain)


def queue(
    folder: Folder,
    limit: Annotated[int, typer.Option("--limit", min=0, help="Show so many questions; 0 shows all.")] = 30,
    review: Annotated[
        str, typer.Option(help="flagged: what must be reviewed; contested: that and provisional majorities.")
    ] = "contested",
    document: Annotated[str | None, typer.Option(help="Only this document.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """List the questions that wait for a person, in the order in which they are worth asking.

    Rows come before cells, split before majorities, small margins first. The order is the same for the same votes.
    """
    from flows.status import print_queue_summary, queue_json
    from flows.vote_step import load_queue
    from groundtruth.consensus import Disposition
    from groundtruth.store import Dataset

    if review not in ("flagged", "contested"):
        raise typer.BadParameter(f"{review}: choose flagged or contested", param_hint="--review")
    dataset = Dataset.open(folder)
    if document is not None:
        dataset.document(document)
    items = [
        item
        for item in load_queue(dataset)
        if (review == "contested" or item.disposition is Disposition.REVIEW)
        and (document is None or any(place.document == document for place in item.places))
    ]
    shown = items[:limit] if limit else items

    def human() -> None:
        console().print(
            table(
                "",
                ["#", "ask", "document", "leaf or row", "tier", "margin", "page", "why"],
                (_queue_row(number, item) for number, item in enumerate(shown, 1)),
                right=["#", "margin", "page"],
            )
        )
        if len(shown) < len(items):
            console().print(f"... and {len(items) - len(shown)} more; --limit 0 shows all")
        print_queue_summary(dataset, items)

    emit({**queue_json(items), "items": [item.to_json() for item in shown]}, as_json=as_json, human=human)


def status(folder: Folder, as_json: JsonFlag = False) -> None:
    """Show what the dataset holds: how far votes agree, who failed, what people decided, and what waits for them."""
    from consensus.agreement import agreement_by_field
    from flows.decision_status import decisions_json, print_decision_status
    from flows.situations import situation_of_vote
    from flows.status import (
        failures_json,
        print_failures,
        print_queue_summary,
        print_tiers,
        queue_json,
        tiers_json,
    )
    from flows.vote_step import load_queue, load_votes, without_vote
    from groundtruth.store import Dataset

    dataset = Dataset.open(folder)
    votes = load_votes(dataset)
    items = load_queue(dataset)
    unvoted = without_vote(dataset, votes)
    waiting = [one.id for one in unvoted if not one.kind.comes_with_truth]
    known = len(unvoted) - len(waiting)
    agreement = agreement_by_field(one.consensus for one in votes)
    failures = failures_json(dataset, votes, [one.id for one in unvoted])
    decisions = decisions_json(dataset, {one.document: situation_of_vote(dataset, one) for one in votes})

    def human() -> None:
        console().print(
            f"{dataset.name}: documents: {len(dataset.document_ids())}; schemas: {len(dataset.schema_names())}; "
            f"systems: {', '.join(dataset.systems()) or 'none'}; "
            f"panel: {', '.join(dataset.panel or ()) or 'all of them'}",
            markup=False,
        )
        print_tiers(votes)
        print_failures(failures)
        if waiting:
            console().print(f"No vote yet on: {', '.join(waiting)}. Run `goldleaf run {dataset.root}`.", markup=False)
        if known:
            console().print(f"Made with their truth, so no vote is needed: {counted(known, 'document')}")
        print_decision_status(decisions, dataset)
        print_queue_summary(dataset, items)

    emit(
        {
            "name": dataset.name,
            "panel": list(dataset.panel or ()),
            "systems": list(dataset.systems()),
            "documents": tiers_json(votes),
            "failures": failures,
            "waiting": waiting,
            "decisions": decisions,
            "queue": queue_json(items),
            "agreement": {path: found.to_json() for path, found in agreement.items()},
        },
        as_json=as_json,
        human=human,
    )


def explain(
    folder: Folder,
    document: Annotated[str, typer.Argument(metavar="DOCUMENT", help="The document's id.")],
    path: Annotated[str, typer.Argument(metavar="PATH", help="A leaf such as items[0].amount, or a row: items[0].")],
    as_json: JsonFlag = False,
) -> None:
    """Say why a leaf or row is what it is: readings, canonical forms, rules, boxes, and what people decided."""
    from flows.explain import explanation, print_explanation
    from groundtruth.path import parse_path
    from groundtruth.store import Dataset

    found = explanation(Dataset.open(folder), document, parse_path(path))
    if found is None:
        raise PathError(f"{document} has no leaf or row {path}; `goldleaf queue {folder}` lists those that are open")
    emit(found, as_json=as_json, human=lambda: print_explanation(found))


def _queue_row(number: int, item: QueueItem) -> list[object]:
    from groundtruth.path import format_path

    first = item.places[0]
    more = f" and {len(item.places) - 1} more" if len(item.places) > 1 else ""
    cells = f" ({counted(len(item.follow_up), 'cell follows', 'cells follow')})" if item.follow_up else ""
    return [
        number,
        item.question,
        first.document,
        f"{format_path(first.path)}{more}{cells}",
        item.tier,
        item.margin,
        item.page or "",
        ", ".join(item.reasons) or item.disposition,
    ]
