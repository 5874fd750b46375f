"""The flow ``curate``: every extractor on every document that it has not read, then, if wanted, the vote.

Deploy it by dotted path, ``flows.curate.curate``; its parameters are JSON. What it does lives in ``curate_plan``,
``extraction`` and ``vote_step``, which know nothing of Prefect.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from itertools import islice
from typing import Any, Final, cast

from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.futures import PrefectFuture, as_completed
from prefect.states import Failed
from prefect.task_runners import ThreadPoolTaskRunner

from extractors.registry import choose
from flows.curate_plan import Batch, plan
from flows.curate_results import CurateSummary, Listener, Outcome, Result
from flows.extraction import dataset_at, run_batch
from flows.process_pool import ProcessPool
from groundtruth.ballot import Failure
from groundtruth.jsontext import Json
from groundtruth.store import Dataset
from groundtruth.wording import counted

LISTENER: Final[ContextVar[Listener | None]] = ContextVar("listener", default=None)
"""Who hears of every extraction when the flow runs in this process."""


PROCESSES: Final = ProcessPool()
"""The extractor processes of this process."""


@task(name="extract", task_run_name="{extractor} {documents[0]}", cache_policy=NO_CACHE, persist_result=False)
def extract(dataset: str, extractor: str, documents: list[str], seconds: float | None) -> list[Json]:
    """One batch: what ``run_batch`` returns, as JSON."""
    batch = Batch(extractor, tuple(documents))
    listener = LISTENER.get()
    results = run_batch(dataset_at(dataset), batch, seconds=seconds, listener=listener, lender=PROCESSES.lend)
    return [list(result) for result in results]


@flow(name="curate", task_runner=ThreadPoolTaskRunner(), persist_result=False)  # type: ignore[arg-type]
def curate(
    dataset: str,
    extractors: list[str] | None = None,
    workers: int | None = None,
    documents: str = "*",
    seconds: float | None = None,
    vote: bool = True,
) -> Any:
    """Read, vote on and queue the documents of one dataset folder.

    Args:
        dataset: the folder.
        extractors: names, or ``module:Class``; all built-in ones that can run, by default.
        workers: how many batches run at once; one per core by default.
        documents: a pattern (``invoice-*``) that the ids must fit.
        seconds: what one extractor may take for one document; by default what its pages need.
        vote: whether to vote, rebuild the queue and publish artifacts when the extractions are done.

    Returns:
        The summary as JSON. With a failure that is a finding, the run's state is Failed and holds the summary.
    """
    summary = curate_dataset(dataset, extractors, workers, documents, seconds, submit=_submit)
    if vote:
        summary.add_problems(vote_and_publish(dataset_at(dataset)))
    if summary.problems:
        return Failed(
            message=f"{counted(len(summary.problems), 'finding')}: {summary.problems[0]}", data=summary.to_json()
        )
    return summary.to_json()


def summary_of_run(parameters: Mapping[str, Any]) -> CurateSummary:
    """Run the flow here and return its summary, also when its state is Failed.

    Raises:
        GoldleafError: what the flow could not even begin with.
    """
    state = cast(State[Any], curate(**parameters, return_state=True))
    data = state.result(raise_on_failure=False)
    if isinstance(data, BaseException):
        raise data
    return CurateSummary(**data)


Submit = Callable[[str, Sequence[Batch], int, float | None], Iterator[list[Result]]]
"""How batches are done: dataset, batches, how many at once, seconds a document."""


def curate_dataset(
    dataset: str,
    extractors: Sequence[str] | None,
    workers: int | None,
    documents: str,
    seconds: float | None,
    *,
    submit: Submit,
) -> CurateSummary:
    """Plan, do what is due, and count; the body of the flow.

    Raises:
        ExtractorError: an extractor that is unknown or cannot run here.
        DatasetError: no such dataset, or no such documents.
    """
    started = time.monotonic()
    due = plan(dataset_at(dataset), choose(extractors or ()), documents)
    results = list(due.known)
    at_once = workers or os.cpu_count() or 1
    with PROCESSES.serving(at_once):
        for done in submit(dataset, due.batches, at_once, seconds):
            results += done
    summary = CurateSummary.of(results)
    summary.seconds = round(time.monotonic() - started, 3)
    return summary


def _submit(dataset: str, batches: Sequence[Batch], at_once: int, seconds: float | None) -> Iterator[list[Result]]:
    """Do batches as tasks, ``at_once`` at a time; one whose task is lost fails for each of its documents."""
    waiting = iter(batches)
    running: dict[PrefectFuture[Any], Batch] = {}
    while True:
        for batch in islice(waiting, at_once - len(running)):
            running[extract.submit(dataset, batch.extractor, list(batch.documents), seconds)] = batch
        if not running:
            return
        future = next(as_completed(list(running)))
        yield _results(future, running.pop(future))


def _results(future: PrefectFuture[Any], batch: Batch) -> list[Result]:
    # The future's state is read from the server, which may lag behind; its result is not.
    try:
        found = future.result()
    except Exception as error:  # noqa: BLE001 - whatever ended the task, it is counted
        detail = " ".join(f"{type(error).__name__}: {error}".split())
        failure = str(Failure.INTERNAL)
        return [Result(document, batch.extractor, Outcome.FAILED, failure, detail) for document in batch.documents]
    return [Result(document, system, Outcome(outcome), *rest) for document, system, outcome, *rest in found]


def vote_and_publish(dataset: Dataset) -> dict[str, str]:
    """Vote on documents whose ballots changed, rebuild the queue, publish; return the documents without a vote."""
    from flows.artifacts import publish
    from flows.vote_step import vote_on_dataset

    summary = vote_on_dataset(dataset)
    publish(dataset)
    return summary.failed
