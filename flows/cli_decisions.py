"""``goldleaf resolve``: truth from votes and decisions. ``goldleaf decisions``: what people decided."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.output import Exit, JsonFlag, console, emit, finish, warn
from groundtruth.wording import counted

if TYPE_CHECKING:
    from flows.decision_list import Listed
    from flows.resolve_step import ResolveSummary

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The dataset folder.")]
_MOST_NAMED = 10


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command("resolve")(resolve)
    group = typer.Typer(no_args_is_help=True, help="List what people decided, and take a decision back.")
    group.command("list")(list_decisions)
    group.command("withdraw")(withdraw)
    app.add_typer(group, name="decisions")


def resolve(
    folder: Folder,
    document: Annotated[list[str] | None, typer.Option(help="Only this document; repeat for several.")] = None,
    provisional: Annotated[
        bool, typer.Option("--provisional", help="Take majorities that nobody looked at, and mark them.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the truths there, and not into the dataset's truth/.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Join votes and decisions into ground truth: values, and where on the pages they stand.

    Writes truth/<document>.json with the value, an evidence list per leaf, and how each leaf is known. What nobody
    decided and the vote leaves open stays open: such a leaf is null and listed under "unresolved", a row whose presence
    is open is left out and listed under "open_rows". A truth that was imported is never written over.

    Exit code 1 if a truth could not be written; open leaves alone are 0.
    """
    from flows.resolve_step import resolve_dataset
    from groundtruth.store import Dataset

    summary = resolve_dataset(Dataset.open(folder), document or None, provisional, out=out, quiet=as_json)
    emit(summary.to_json(), as_json=as_json, human=lambda: print_resolved(summary, folder))
    finish(Exit.FINDINGS if summary.failed or summary.kept else Exit.DONE)


def print_resolved(summary: ResolveSummary, folder: Path) -> None:
    """What became of the truths, for a person."""
    for name, reason in summary.failed.items():
        warn(f"{name}: {reason}")
    if summary.kept:
        warn(
            f"{_some(summary.kept)}: the truth was imported and is kept; --out DIR writes what the votes and decisions "
            "say to another folder"
        )
    if summary.without_vote:
        console().print(f"No vote on: {_some(summary.without_vote)}. Run `goldleaf run {folder}`.", markup=False)
    print_truths(summary)
    if summary.leaves:
        console().print(f"leaves: {', '.join(f'{count} {name}' for name, count in sorted(summary.leaves.items()))}")
    if summary.open_leaves or summary.open_rows:
        console().print(
            f"open: {counted(sum(summary.open_leaves.values()), 'leaf', 'leaves')} and "
            f"{counted(sum(summary.open_rows.values()), 'row')} in "
            f"{_some(sorted({*summary.open_leaves, *summary.open_rows}))}",
            markup=False,
        )
    if summary.stale:
        stale = ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in sorted(summary.stale.items()))
        console().print(
            f"stale decisions: {stale}; `goldleaf decisions list {folder} --stale` names them", markup=False
        )


def print_truths(summary: ResolveSummary) -> None:
    """How many truths there are, and how many of them are complete; nothing when none was made."""
    made = len(summary.written) + len(summary.unchanged)
    kept = f"; imported and kept: {len(summary.kept)}" if summary.kept else ""
    if made or kept:
        console().print(
            f"truths written: {len(summary.written)}; unchanged: {len(summary.unchanged)}; "
            f"complete: {summary.complete} of {made}{kept}"
        )


def list_decisions(
    folder: Folder,
    document: Annotated[str | None, typer.Option(help="Only this document.")] = None,
    field: Annotated[str | None, typer.Option(help="Only this field, as in items[].amount.")] = None,
    stale: Annotated[
        bool, typer.Option("--stale", help="Only those that are about nothing in the present vote.")
    ] = False,
    everything: Annotated[bool, typer.Option("--all", help="Those that were withdrawn or superseded as well.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """List what people decided: on what, who, when, and how the decision stands now."""
    from flows.decision_list import Now, all_decisions, print_decisions
    from groundtruth.path import parse_path
    from groundtruth.store import Dataset

    dataset = Dataset.open(folder)
    only = dataset.document(document).id if document is not None else None
    path = parse_path(field) if field is not None else None
    dead = (Now.WITHDRAWN, Now.SUPERSEDED)

    def is_wanted(each: Listed) -> bool:
        return (
            (only is None or each.decision.document == only)
            and (path is None or each.decision.field == path)
            and (each.now.is_stale if stale else everything or each.now not in dead)
        )

    found = [each for each in all_decisions(dataset) if is_wanted(each)]

    def human() -> None:
        if found:
            print_decisions(found)
        console().print(counted(len(found), "decision"))

    emit({"decisions": [each.to_json() for each in found]}, as_json=as_json, human=human)


def withdraw(
    folder: Folder,
    decision: Annotated[str, typer.Argument(metavar="ID", help="The decision's id, or the beginning of it.")],
    why: Annotated[str, typer.Option(help="The reason, for the record.")],
    by: Annotated[str | None, typer.Option(help="Who takes it back; by default the user's name.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Take a decision back, on record. Its leaf or row is open again and is asked by the next push."""
    from flows import decision_list
    from groundtruth.path import format_path
    from groundtruth.store import Dataset

    who = by or os.environ.get("USER") or os.environ.get("LOGNAME")
    if not who:
        raise typer.BadParameter("nobody knows who you are; say it with --by NAME", param_hint="--by")
    if not why.strip():
        raise typer.BadParameter("give a reason", param_hint="--why")
    gone = decision_list.withdraw(Dataset.open(folder), decision, by=who, why=why.strip())
    emit(
        {
            "withdrawn": gone.id,
            "document": gone.document,
            "path": format_path(gone.path),
            "by": who,
            "why": why.strip(),
        },
        as_json=as_json,
        human=lambda: console().print(
            f"withdrawn: {gone.id} on {gone.document} {format_path(gone.path)} ({decision_list.said(gone)})",
            markup=False,
        ),
    )


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMED])
    return shown if len(names) <= _MOST_NAMED else f"{shown} and {len(names) - _MOST_NAMED} more"
