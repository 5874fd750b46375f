"""``goldleaf review``: contested leaves to people, and what they decide back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.output import Exit, JsonFlag, console, emit, finish, remark, warn
from groundtruth.wording import counted

if TYPE_CHECKING:
    from flows.review_pull import PullSummary
    from flows.review_push import PushSummary
    from flows.review_round import Round
    from flows.review_state import Choices
    from groundtruth.store import Dataset

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The dataset folder.")]
ReviewOption = Annotated[
    str | None,
    typer.Option(
        "--review",
        metavar="WHAT",
        help="flagged: what must be reviewed; contested: that and provisional majorities; all: every leaf. "
        "As last time by default, at first contested.",
    ),
]
Budget = Annotated[
    int | None,
    typer.Option("--budget", min=0, metavar="N", help="At most so many leaves wait for people; 0 lifts the limit."),
]
Double = Annotated[
    bool | None, typer.Option("--double/--single", help="Two people answer every packet, blind, or one does.")
]
ShowVotes = Annotated[
    bool | None,
    typer.Option("--show-votes/--hide-votes", help="People see which systems read what; hidden by default."),
]
Known = Annotated[
    str | None,
    typer.Option(
        "--known",
        metavar="RATE",
        help="Mix in packets whose answers are known, as a share of the others: 2% or 0.02; 0 ends it. They are made "
        "from synthetic documents, and measure each person.",
    ),
]
KnownFrom = Annotated[
    Path | None,
    typer.Option("--known-from", metavar="DATASET", help="Take them from the synthetic documents of another dataset."),
]
KnownSeed = Annotated[
    int | None, typer.Option("--known-seed", metavar="N", help="Another number draws other known questions.")
]
Move = Annotated[bool, typer.Option("--move", help="Send it to another server than the one it was sent to before.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    group = typer.Typer(
        no_args_is_help=True,
        help="Send what is open to people in Label Studio, and bring home what they decide.",
    )
    group.command("push")(push)
    group.command("pull")(pull)
    group.command("sync")(sync)
    group.command("status")(status)
    group.command("open")(open_project)
    app.add_typer(group, name="review")


def push(
    folder: Folder,
    review: ReviewOption = None,
    budget: Budget = None,
    double: Double = None,
    show_votes: ShowVotes = None,
    known: Known = None,
    known_from: KnownFrom = None,
    known_seed: KnownSeed = None,
    move: Move = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be sent; no server is asked.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Send questions to people, after saying how many and about how long they take.

    Run it again after it was stopped: it asks the server what it has, and sends the rest. The server is the one that
    `make label-studio` started here, or the one that LABEL_STUDIO_URL and LABEL_STUDIO_API_KEY name.
    """
    from flows.review_push import push as push_dataset

    dataset, choices = _chosen(
        folder, review, budget, double, show_votes, known=known, known_from=known_from, known_seed=known_seed
    )
    say = None if as_json else _say_before
    found = push_dataset(dataset, choices, move=move, dry_run=dry_run, say=say, quiet=as_json)

    def human() -> None:
        if dry_run:
            _say_before(found.round)
        else:
            _print_push(found)

    emit(found.to_json(), as_json=as_json, human=human)


def pull(folder: Folder, as_json: JsonFlag = False) -> None:
    """Bring home what people answered.

    What the server holds is kept as it came before it is read. Nothing that a person decided is overwritten: an edited
    answer is a new revision, and one that is gone from the server is withdrawn, on record.

    Exit code 1 if packets that were sent are gone, or if the project holds some that nobody here knows.
    """
    from flows.review_pull import pull as pull_dataset
    from groundtruth.store import Dataset

    found = pull_dataset(Dataset.open(folder), quiet=as_json)
    emit(found.to_json(), as_json=as_json, human=lambda: _print_pull(found))
    finish(Exit.FINDINGS if found.problems else Exit.DONE)


def sync(
    folder: Folder,
    review: ReviewOption = None,
    budget: Budget = None,
    double: Double = None,
    show_votes: ShowVotes = None,
    known: Known = None,
    known_from: KnownFrom = None,
    known_seed: KnownSeed = None,
    as_json: JsonFlag = False,
) -> None:
    """Pull, then push what is open now: follow-ups, adjudications, and what the answers made a question.

    Exit code 1 as of `goldleaf review pull`.
    """
    from flows.review_pull import pull as pull_dataset
    from flows.review_push import push as push_dataset

    dataset, choices = _chosen(
        folder, review, budget, double, show_votes, known=known, known_from=known_from, known_seed=known_seed
    )
    pulled = pull_dataset(dataset, quiet=as_json)
    if not as_json:
        _print_pull(pulled)
    say = None if as_json else _say_before
    pushed = push_dataset(dataset, choices, say=say, quiet=as_json)
    emit(
        {"pulled": pulled.to_json(), "pushed": pushed.to_json()},
        as_json=as_json,
        human=lambda: _print_push(pushed),
    )
    finish(Exit.FINDINGS if pulled.problems else Exit.DONE)


def status(folder: Folder, as_json: JsonFlag = False) -> None:
    """Say how the review stands, what people flagged, and how well they agree with one another and with the vote.

    Reads the dataset only: it says what the last pull brought.
    """
    from flows.review_status import print_review_status, review_status
    from groundtruth.store import Dataset

    dataset = Dataset.open(folder)
    found = review_status(dataset)
    emit(found, as_json=as_json, human=lambda: print_review_status(found, dataset))


def open_project(
    folder: Folder,
    as_json: JsonFlag = False,
) -> None:
    """Open the project in the browser, or print its address where there is none."""
    import webbrowser

    from flows.review_server import project_for_pulling, project_page
    from groundtruth.errors import ReviewError
    from groundtruth.store import Dataset

    dataset = Dataset.open(folder)
    page = project_page(project_for_pulling(dataset))
    if page is None:
        raise ReviewError(f"the project of {dataset.name} was never made: run `goldleaf review push {dataset.root}`")
    if not as_json and sys.stdout.isatty():
        webbrowser.open(page)
    emit({"url": page}, as_json=as_json, human=lambda: console().print(page, markup=False, soft_wrap=True))


def _chosen(
    folder: Path,
    review: str | None,
    budget: int | None,
    double: bool | None,
    show_votes: bool | None,
    *,
    known: str | None,
    known_from: Path | None,
    known_seed: int | None,
) -> tuple[Dataset, Choices]:
    """The dataset, and how its review is done: as it was last told, with what is told now."""
    from annotation.choose import Review
    from flows.review_state import choices_of
    from groundtruth.store import Dataset

    if review is not None and review not in list(Review):
        raise typer.BadParameter(f"{review}: choose flagged, contested or all", param_hint="--review")
    dataset = Dataset.open(folder)
    return dataset, choices_of(
        dataset,
        review=review,
        budget=budget,
        double=double,
        show_votes=show_votes,
        known=known,
        known_from=known_from,
        known_seed=known_seed,
    )


def _say_before(found: Round) -> None:
    plan, work = found.plan, found.work
    say = console().print
    if plan.resend:
        say(f"Sent again: {counted(len(plan.resend), 'packet')} of a push that was stopped, or that somebody deleted")
    if plan.retire:
        packets = counted(len(plan.retire), "packet that nobody answered is", "packets that nobody answered are")
        say(f"{packets} taken back: the questions have changed")
    if found.packets:
        say(
            f"Round {found.number}: {counted(work.leaves, 'leaf', 'leaves')} in {counted(work.packets, 'packet')}, "
            f"about {_minutes(work.minutes)} of one person"
        )
        if found.cells:
            say(f"{counted(found.cells, 'cell is', 'cells are')} asked once the rows among them are confirmed")
    elif not plan.resend:
        say("Nothing new to ask.")
    _say_known(found)
    if found.deferred:
        say(f"{counted(found.deferred, 'leaf waits', 'leaves wait')} for the answer on their row")
    if found.left:
        say(f"{counted(found.left, 'leaf is', 'leaves are')} left for later by the budget")
    if found.unvoted:
        warn(f"no vote yet on {', '.join(found.unvoted)}, so nothing of it is asked: `goldleaf run` votes")


def _say_known(found: Round) -> None:
    if found.known:
        packets = counted(len(found.known), "packet whose answers are known is", "packets whose answers are known are")
        console().print(f"{packets} mixed in")
    if found.known_missing:
        warn(
            f"{counted(found.known_missing, 'known packet is', 'known packets are')} missing: everything that could be "
            "asked was asked; `goldleaf synth make` makes more"
        )


def _minutes(minutes: float) -> str:
    whole = max(1, round(minutes))
    return "a minute" if whole == 1 else f"{whole} minutes"


def _print_push(found: PushSummary) -> None:
    for what in found.repaired:
        remark(f"put back in the project: {what}")
    waiting = found.round.plan.leaves_out + found.round.work.leaves
    waits = counted(waiting, "leaf waits", "leaves wait")
    console().print(f"{counted(found.sent, 'packet')} sent; {waits} for people at {found.url}", soft_wrap=True)


def _print_pull(found: PullSummary) -> None:
    say = console().print
    verdicts = ", ".join(f"{name} {count}" for name, count in sorted(found.verdicts.items()))
    say(f"{counted(found.decisions, 'new decision')}{f': {verdicts}' if verdicts else ''}")
    if found.revised:
        say(f"{found.revised} of them revise earlier ones")
    if found.withdrawn:
        decisions = counted(found.withdrawn, "decision is", "decisions are")
        say(f"{decisions} withdrawn, because of answers that are gone from the server")
    if found.known:
        answers = counted(found.known, "new answer")
        say(f"{answers} to known questions; `goldleaf review status` shows how well people did")
    if found.returned:
        kinds = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in sorted(found.returned.items()))
        say(f"To be asked again: {kinds}")
    if found.conflicts:
        say(f"{counted(found.conflicts, 'leaf', 'leaves')} on which people differ; the next push asks again")
    states = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in sorted(found.states.items()))
    if states:
        say(f"Cards: {states}")
    for note in found.notes:
        remark(note)
    for problem in found.problems:
        warn(problem)
