"""A dataset scored document by document: in parallel, and where it was left when it is started again.

``scores.jsonl`` in the output folder gets a line as soon as a document is done, after its verdicts are on the disk, so
that a run that is killed loses only the documents under way. When all are done it is written anew, ordered.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from flows.score_case import Outcome, Task, digest, score_case, truth_of_case, verdicts_file
from flows.score_cases import Cases
from groundtruth import jsontext
from groundtruth.errors import DatasetError, GoldleafError
from groundtruth.jsontext import Json
from groundtruth.store_files import UNFINISHED, atomic_write, file_lock

SCORES: Final = "scores.jsonl"
SUMMARY: Final = "summary.json"
_FIGURE_OF_OTHERS: Final = {"verdicts": "value", "value-f1": "accuracy"}
"""By metric, a figure that only records of the other have: a folder holds scores of one."""
_WORTH_A_PROCESS: Final = 1 << 20
"""Bytes of truth: less is scored sooner than another process has started."""

Listener = Callable[[Task], None]
"""Told of every document that is done."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a dataset is scored.

    Attributes:
        metric: ``value-f1`` or ``verdicts``.
        order_matters: arrays whose elements keep their order; for verdicts.
        workers: processes at most.
        out: the output folder; None keeps nothing.
    """

    metric: str
    order_matters: tuple[str, ...] = ()
    workers: int = 1
    out: Path | None = None


def size_of(task: Task) -> int:
    """How long a document takes, told by the bytes of its truth."""
    with contextlib.suppress(OSError):
        return task.case.truth.stat().st_size
    return 0


def score_dataset(
    cases: Cases,
    settings: Settings,
    progress: Callable[[Sequence[Task]], contextlib.AbstractContextManager[Listener]],
) -> list[dict[str, Json]]:
    """The records of all documents, by their ids.

    Args:
        cases: what there is to score.
        settings: how.
        progress: given the documents that are due, shows how far it is.

    Raises:
        DatasetError: the output folder cannot be written, or another run writes it.
        GoldleafError: an array whose order matters is in none of the truths.
    """
    tasks = _tasks(cases, settings)
    _check_order(cases, settings.order_matters)
    with _locked(settings.out):
        digests = {task.case.document: _digest(task) for task in tasks}
        kept = _kept(settings.out, settings.metric) if settings.out is not None else {}
        done = {
            document: record
            for document, record in kept.items()
            if record.get("digest") is not None
            and record["digest"] == digests.get(document)
            and (record["status"] == Outcome.NOT_SCORED or verdicts_file(settings.out or Path(), document).is_file())
        }
        due = sorted((task for task in tasks if task.case.document not in done), key=size_of, reverse=True)
        with progress(due) as listener, _appended(settings.out) as append:
            for task, record in _run(due, settings.workers):
                document = task.case.document
                done[document] = {"digest": digests[document], **record}
                append(done[document])
                listener(task)
        if settings.out is not None:
            _write_scores(settings.out, {**kept, **done})
    return [done[task.case.document] for task in tasks]


def _tasks(cases: Cases, settings: Settings) -> list[Task]:
    tasks: dict[str, Task] = {}
    for case in cases.cases:
        if case.document in tasks:
            raise DatasetError(f"{case.truth}: {case.document!r} is there twice; give each document an id of its own")
        verdicts = verdicts_file(settings.out, case.document) if settings.out is not None else None
        tasks[case.document] = Task(case, settings.metric, settings.order_matters, verdicts)
    return [tasks[document] for document in sorted(tasks)]


def _check_order(cases: Cases, names: Sequence[str]) -> None:
    """Refuse the name of an array that no truth has; truths are read only until all names are found."""
    if not names:
        return
    from scoring.verdict_rows import require_arrays
    from scoring.verdicts import array_texts

    known: set[str] = set()
    for case in cases.cases:
        if known.issuperset(names):
            return
        # What is wrong with a truth is said when it is scored.
        with contextlib.suppress(GoldleafError):
            schema, truth = truth_of_case(case)
            known |= array_texts(truth.value, schema)
    require_arrays(names, known)


def _digest(task: Task) -> str | None:
    try:
        return digest(task)
    except GoldleafError:
        return None


def _kept(out: Path, metric: str) -> dict[str, dict[str, Json]]:
    """The records of earlier runs by this metric; a line that a killed run left unfinished is none."""
    found: dict[str, dict[str, Json]] = {}
    path = out / SCORES
    for line in path.read_bytes().splitlines() if path.is_file() else ():
        # Figures are doubles here, and come back as the ones they were.
        with contextlib.suppress(ValueError):
            record = json.loads(line)
            is_record = isinstance(record, dict) and isinstance(record.get("document"), str) and "status" in record
            if is_record and _FIGURE_OF_OTHERS[metric] not in record:
                found[record["document"]] = record
    return found


def _write_scores(out: Path, records: dict[str, dict[str, Json]]) -> None:
    lines = (jsontext.dumps(records[document]) + "\n" for document in sorted(records))
    atomic_write(out / SCORES, "".join(lines).encode())


@contextlib.contextmanager
def _locked(out: Path | None) -> Iterator[None]:
    if out is None:
        yield
        return
    if out.exists() and not out.is_dir():
        raise DatasetError(f"{out}: is a file; --out is a folder")
    out.mkdir(parents=True, exist_ok=True)
    with file_lock(out / ".lock", wait=False) as is_free:
        if not is_free:
            raise DatasetError(f"{out}: another run writes there; wait for it, or give another folder")
        # Nobody else writes here, so what is unfinished was left behind by a run that was killed.
        for unfinished in out.rglob(f"{UNFINISHED}*"):
            unfinished.unlink(missing_ok=True)
        yield


@contextlib.contextmanager
def _appended(out: Path | None) -> Iterator[Callable[[dict[str, Json]], None]]:
    if out is None:
        yield lambda _: None
        return
    path = out / SCORES
    torn = path.is_file() and path.read_bytes()[-1:] not in {b"", b"\n"}
    with path.open("ab") as stream:

        def append(record: dict[str, Json]) -> None:
            stream.write(jsontext.dumps(record).encode() + b"\n")
            stream.flush()

        if torn:
            stream.write(b"\n")
        yield append


def _run(due: Sequence[Task], workers: int) -> Iterator[tuple[Task, dict[str, Json]]]:
    """The records of the documents as they are done, the longest begun first."""
    if workers > 1 and len(due) > 1 and sum(map(size_of, due)) >= _WORTH_A_PROCESS:
        yield from _run_parallel(due, min(workers, len(due)))
    else:
        for task in due:
            yield task, score_case(task)


def _run_parallel(due: Sequence[Task], workers: int) -> Iterator[tuple[Task, dict[str, Json]]]:
    waiting = list(reversed(due))
    suspects: list[Task] = []
    while waiting:
        with _pool(workers) as pool:
            running: dict[Future[dict[str, Json]], Task] = {}
            try:
                while waiting or running:
                    while waiting and len(running) < workers:
                        future = pool.submit(score_case, waiting[-1])
                        running[future] = waiting.pop()
                    ended, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in ended:
                        record = future.result()
                        yield running.pop(future), record
            except BrokenProcessPool:
                # One of these ended its process; which one is told by running each alone.
                suspects += [running[future] for future in running]
    for task in suspects:
        yield task, _alone(task)


def _alone(task: Task) -> dict[str, Json]:
    with _pool(1) as pool:
        try:
            return pool.submit(score_case, task).result()
        except BrokenProcessPool:
            return {
                "document": task.case.document,
                "status": str(Outcome.NOT_SCORED),
                "tags": list(task.case.tags),
                "message": "the process that scored it was ended, most likely for want of memory; try --workers 1",
                "flags": [],
                # It followed from the machine, not from the document, so it is tried again.
                "digest": None,
            }


def _pool(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
