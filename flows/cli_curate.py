"""``goldleaf curate``: let the embedded extractors read the documents of a dataset."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.output import Exit, JsonFlag, console, emit, finish, remark, split_names, warn
from flows.run_context import lent
from groundtruth.errors import ExtractorError
from groundtruth.wording import counted

if TYPE_CHECKING:
    from flows.curate_plan import Due
    from flows.curate_results import CurateSummary


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("curate")(curate)


def curate(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The dataset folder.")],
    extractors: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Names, or module:Class of your own; all that can run here by default."),
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Extractions at once; by default one per core.")] = None,
    documents: Annotated[
        str, typer.Option(metavar="GLOB", help="Only documents whose id fits, such as 'inv-*'.")
    ] = "*",
    timeout: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            metavar="SECONDS",
            help="What one extractor may take for one document; by default 300 and 60 for each page.",
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Let extractors read the documents: each puts a ballot under ballots/, beside those you import.

    What was read before is not read again, unless the document, its schema or the extractor changed. A run may be
    killed and started again, and two may run at once. Runs on a Prefect server of its own, or on the one that
    PREFECT_API_URL names.

    A page on which an extractor crashes, that takes it more than a minute of processor time, or for which it needs more
    memory than it may have, is left out, and the rest of the document is read.

    Exit code 1 if an extractor left out a page, crashed, hung or could not be used; an image given to an extractor of
    text is no such failure. Timings are in DIR/log/curate.jsonl.
    """
    names = named_extractors(extractors)
    summary = run_curate(folder, names, workers, documents=documents, seconds=timeout, quiet=as_json)
    emit(summary.to_json(), as_json=as_json, human=lambda: _print(summary))
    finish(Exit.FINDINGS if summary.problems else Exit.DONE)


def named_extractors(option: str | None) -> list[str] | None:
    """The extractors that ``--extractors`` names, or None where it was not given: all of them.

    Raises:
        ExtractorError: it names none. To run all of them for an empty variable of a script may cost hours.
    """
    if option is None:
        return None
    names = split_names(option)
    if not names:
        raise ExtractorError("--extractors names no extractor; leave it out to run all, or see `goldleaf extractors`")
    return names


def run_curate(
    folder: Path,
    extractors: Sequence[str] | None = None,
    workers: int | None = None,
    *,
    documents: str = "*",
    seconds: float | None = None,
    vote: bool = False,
    quiet: bool = False,
) -> CurateSummary:
    """Run the flow ``curate`` on a dataset, embedded or on ``PREFECT_API_URL``, and count what came of it.

    When nothing is due no engine is started, since that alone takes seconds; a vote is then taken without one. A
    server of ``PREFECT_API_URL`` hears of every run.

    Args:
        folder: the dataset.
        extractors: names or ``module:Class``; None for all that can run here.
        workers: batches at once; None for one per core.
        documents: a pattern that the ids must fit.
        seconds: what one extractor may take for one document; None for what its pages need.
        vote: whether the flow also votes, rebuilds the queue and publishes artifacts.
        quiet: show no progress.

    Raises:
        ExtractorError: an extractor that is unknown or cannot run here.
        DatasetError: no such dataset, or no such documents.
        EngineError: no server could be started.
    """
    from extractors.registry import choose, unavailable
    from flows.curate_plan import plan
    from flows.curate_results import CurateSummary
    from flows.engine import is_external
    from groundtruth.store import Dataset

    dataset = Dataset.open(folder)
    dataset.sweep()
    chosen = choose(extractors or ())
    for name, missing in ({} if extractors else unavailable()).items():
        remark(f"extractor {name} does not run here: {missing}")
    due = plan(dataset, chosen, documents)
    if not due.batches and not is_external():
        summary = CurateSummary.of(due.known)
        if vote:
            from flows.vote_step import vote_on_dataset

            summary.add_problems(vote_on_dataset(dataset).failed)
        return summary
    parameters = {
        "dataset": str(dataset.root),
        "extractors": list(extractors) if extractors else None,
        "workers": workers,
        "documents": documents,
        "seconds": seconds,
        "vote": vote,
    }
    return _run_flow(parameters, due.due, quiet=quiet)


def _run_flow(parameters: Mapping[str, object], due: Sequence[Due], *, quiet: bool) -> CurateSummary:
    from flows.engine import embedded_server
    from flows.progress import progress, waiting

    with ExitStack() as stack:
        with waiting("starting the engine", quiet=quiet):
            stack.enter_context(embedded_server())
            from flows.curate import LISTENER, summary_of_run

        listener = stack.enter_context(progress(due, quiet=quiet))

        # What failed is in the summary; Prefect would say it once more.
        logging.getLogger("prefect.flow_runs").setLevel(logging.CRITICAL)
        logging.getLogger("prefect.task_runs").setLevel(logging.CRITICAL)
        stack.enter_context(lent(LISTENER, listener))
        return summary_of_run(parameters)


def _print(summary: CurateSummary) -> None:
    print_counts(summary)
    for problem in summary.problems:
        warn(problem)


def print_counts(summary: CurateSummary) -> None:
    """What a run did, in one line, with its remarks below."""
    from rich.text import Text

    line = f"{summary.done} read, {summary.skipped} read before, {sum(summary.failed.values())} failed"
    if summary.partial:
        line += f", {summary.partial} without some pages"
    if summary.pages:
        line += f"; {counted(summary.pages, 'page')} in {summary.seconds:.0f} s"
    console().print(line)
    for remark_ in summary.remarks:
        console().print(Text(f"  {remark_}", style="dim"))
