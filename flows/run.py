"""``goldleaf run``: all that can be done on a dataset without a person, then what waits for whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.output import Exit, JsonFlag, emit, finish, split_names, warn

if TYPE_CHECKING:
    from flows.curate_results import CurateSummary
    from flows.resolve_step import ResolveSummary
    from flows.run_review import Reviewed
    from groundtruth.jsontext import Json
    from groundtruth.store import Dataset


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("run")(run)


def run(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The dataset folder.")],
    extractors: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Extractors to run: names, or module:Class of your own; all by default."),
    ] = None,
    systems: Annotated[
        str | None, typer.Option(metavar="A,B", help="Who votes, at most five; stored in the dataset. All by default.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Extractions at once; by default one per core.")] = None,
    review: Annotated[
        str | None,
        typer.Option(metavar="WHAT", help="Send what is open to people, as `goldleaf review push --review WHAT` does."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Do all that can be done without a person, then say what waits for whom, and about how long it takes.

    Lets the embedded extractors read what they have not read, votes on the documents whose ballots changed, brings home
    what people answered if the dataset was sent to a review, orders the queue, and joins votes and decisions into
    truth; a truth that was imported stays. Run it again after anything changed, or after it was stopped: what is done
    is not done again.

    Exit code 1 if an extractor, a vote or a truth failed on some document, or as of `goldleaf review pull`.
    """
    from flows.cli_curate import named_extractors
    from groundtruth.store import Dataset

    dataset = Dataset.open(folder)
    names = named_extractors(extractors)
    panel = split_names(systems) if systems is not None else None
    report = run_dataset(dataset, names, workers, panel=panel, review=review, quiet=as_json)
    emit(report.to_json(dataset), as_json=as_json, human=lambda: report.print(dataset))
    finish(report.exit)


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run did.

    Attributes:
        curated: the extractions and the votes.
        reviewed: what people answered, and what was sent to them.
        resolved: the truths.
    """

    curated: CurateSummary
    reviewed: Reviewed
    resolved: ResolveSummary

    @property
    def problems(self) -> list[str]:
        """All that failed and should not."""
        pulled = self.reviewed.pulled
        return [
            *self.curated.problems,
            *(pulled.problems if pulled is not None else ()),
            *(f"{name}: {reason}" for name, reason in self.resolved.failed.items()),
        ]

    @property
    def exit(self) -> Exit:
        """1 when something failed that should not."""
        return Exit.FINDINGS if self.problems else Exit.DONE

    def to_json(self, dataset: Dataset) -> dict[str, Json]:
        """The record in the command's ``--json``."""
        from flows.status import queue_json, tiers_json
        from flows.vote_step import QUEUE_NAME, load_queue, load_votes
        from groundtruth.store_artefacts import Artefact

        return {
            **self.curated.to_json(),
            "review": self.reviewed.to_json(),
            "truth": self.resolved.to_json(),
            "documents": tiers_json(load_votes(dataset)),
            "queue": {
                **queue_json(load_queue(dataset)),
                "file": str(dataset.artefact_path(Artefact.QUEUE, QUEUE_NAME, "jsonl")),
            },
        }

    def print(self, dataset: Dataset) -> None:
        """The same for a person."""
        from flows.cli_curate import print_counts
        from flows.cli_decisions import print_truths
        from flows.status import print_queue_summary, print_tiers
        from flows.vote_step import load_queue, load_votes

        print_counts(self.curated)
        for problem in self.problems:
            warn(problem)
        print_tiers(load_votes(dataset))
        self.reviewed.print()
        print_truths(self.resolved)
        print_queue_summary(dataset, load_queue(dataset))


def run_dataset(
    dataset: Dataset,
    extractors: Sequence[str] | None,
    workers: int | None,
    *,
    panel: Sequence[str] | None = None,
    review: str | None = None,
    quiet: bool = False,
) -> RunReport:
    """Extract, vote, queue, bring home what people answered, and resolve.

    Args:
        dataset: what to run on.
        extractors: names or ``module:Class``; None for all that can run here.
        workers: extractions at once; None for one per core.
        panel: who votes from now on; None leaves it as it is.
        review: how much is sent to people; None sends nothing.
        quiet: show no progress.

    Raises:
        ReviewError: something is to be sent, and no server is known, which is found out first; or it cannot be used,
            and all that comes before is done.
        ExtractorError: an extractor that is unknown or cannot run here.
        PanelError: nobody chose who votes, and more than five systems have ballots.
        EngineError: no engine could be started.
    """
    from extractors.registry import choose
    from flows.cli_curate import run_curate
    from flows.resolve_step import resolve_dataset
    from flows.run_review import choices_for_run, review_dataset

    chosen = choose(extractors or ())
    planned = [extractor.info.name for extractor in chosen.values()]
    # Who votes is settled before any work is done.
    if panel is not None:
        dataset.set_panel(panel, planned=planned)
    dataset.voting_systems(planned=planned)
    choices = None if review is None else choices_for_run(dataset, review)
    curated = run_curate(dataset.root, extractors, workers, vote=True, quiet=quiet)
    reviewed = review_dataset(dataset, choices, quiet=quiet)
    return RunReport(curated, reviewed, resolve_dataset(dataset, quiet=quiet))
