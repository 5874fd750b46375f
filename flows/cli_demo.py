"""``goldleaf demo``: the main job on the shipped documents, to see what comes out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from flows.output import JsonFlag, console, emit, finish, table, warn
from groundtruth.jsontext import Json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundtruth.queue import QueueItem
    from groundtruth.store import Dataset

DEFAULT_FOLDER: Final = Path("goldleaf-demo")
_SHOWN: Final = 8


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("demo")(demo)


def demo(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the demo's dataset is made.")] = DEFAULT_FOLDER,
    imported: Annotated[
        bool,
        typer.Option(
            "--imported", help="Vote on what four shipped systems returned, with one extractor; quicker, and no OCR."
        ),
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """See the whole job on four shipped documents: a vote on every leaf, and the queue of what a person should look at.

    Makes a dataset of an invoice, a filled-in form, a scanned receipt and a certificate, lets every extractor that can
    run here read them, votes, and orders the review queue. No key and no network is needed. With --imported the votes
    are those of four invented systems that make the mistakes that real ones make, and of one extractor. Everything in
    the documents is invented. A second run goes on with the dataset that is there.
    """
    from flows.demo_dataset import BESIDE_IMPORTED, bring_in_votes, fill, open_or_create, shipped_files
    from flows.run import run_dataset

    files = shipped_files()
    dataset, is_new = open_or_create(folder)
    if not as_json:
        _greet(folder, is_new=is_new)
    fill(dataset, files)
    if imported:
        bring_in_votes(dataset, files)
    report = run_dataset(dataset, [BESIDE_IMPORTED] if imported else None, None, quiet=as_json)
    for problem in report.problems:
        warn(problem)
    items = _queue(dataset)
    commands = _next_commands(folder, items)
    emit(
        {**_to_json(dataset, items, commands, is_new=is_new), "problems": report.problems},
        as_json=as_json,
        human=lambda: _print(dataset, items, commands),
    )
    finish(report.exit)


def _queue(dataset: Dataset) -> list[QueueItem]:
    from flows.vote_step import load_queue

    return load_queue(dataset)


def _greet(folder: Path, *, is_new: bool) -> None:
    if is_new:
        console().print(f"Making the demo's dataset in {folder}", markup=False)
    else:
        console().print(f"The demo's dataset is in {folder} already; going on with it", markup=False)


def _print(dataset: Dataset, items: Sequence[QueueItem], commands: Sequence[str]) -> None:
    from flows.status import print_queue_summary, print_tiers
    from flows.vote_step import load_votes

    out = console()
    votes = load_votes(dataset)
    out.print()
    out.print("How far the systems agree, in leaves", style="bold")
    print_tiers(votes)
    for one in votes:
        for system, reason in sorted(one.consensus.abstained.items()):
            out.print(f"abstains on {one.document}: {system}: {reason}", markup=False)
    out.print()
    out.print("What a person is asked first", style="bold")
    out.print(table("", ["#", "ask", "document", "leaf or row", "tier", "why"], map(_row, range(1, _SHOWN + 1), items)))
    print_queue_summary(dataset, items)
    out.print()
    out.print("Try next", style="bold")
    for command in commands:
        out.print(f"  {command}", markup=False, soft_wrap=True)


def _row(number: int, item: QueueItem) -> list[object]:
    from groundtruth.path import format_path

    first = item.places[0]
    return [
        number,
        item.question,
        first.document,
        format_path(first.path) + (f" and {len(item.places) - 1} more" if len(item.places) > 1 else ""),
        item.tier,
        ", ".join(item.reasons) or item.disposition,
    ]


def _next_commands(folder: Path, items: Sequence[QueueItem]) -> list[str]:
    """Commands to type next, with a leaf that is worth explaining."""
    from shlex import quote

    from groundtruth.consensus import Tier
    from groundtruth.path import format_path
    from groundtruth.queue import Question

    here = quote(str(folder))
    leaves = [item for item in items if item.question is Question.LEAF]
    told = next((item for item in leaves if item.tier is Tier.SPLIT), next(iter(leaves), None))
    commands = [f"goldleaf queue {here}", f"goldleaf report {here}"]
    if told is not None:
        place = told.places[0]
        commands.insert(1, f"goldleaf explain {here} {quote(place.document)} {quote(format_path(place.path))}")
    return commands


def _to_json(dataset: Dataset, items: Sequence[QueueItem], commands: Sequence[str], *, is_new: bool) -> dict[str, Json]:
    from flows.cli_dataset import document_json
    from flows.status import queue_json, tiers_json
    from flows.vote_step import QUEUE_NAME, load_votes
    from groundtruth.store_artefacts import Artefact

    votes = load_votes(dataset)
    return {
        "dataset": str(dataset.root),
        "created": is_new,
        "documents": [document_json(dataset, document) for document in dataset.documents()],
        "tiers": tiers_json(votes),
        "abstained": {one.document: dict(one.consensus.abstained) for one in votes if one.consensus.abstained},
        "queue": {
            **queue_json(items),
            "file": str(dataset.artefact_path(Artefact.QUEUE, QUEUE_NAME, "jsonl")),
            "first": [item.to_json() for item in items[:_SHOWN]],
        },
        "next": list(commands),
    }
