"""Lets extractors read documents, each in a process of its own, on all processors, and says what it took."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

from extractors.process import ExtractorProcess
from extractors.protocol import Extractor
from extractors.registry import BUILT_IN, load
from extractors.request import Request
from groundtruth.ballot import Ballot
from groundtruth.errors import ExtractorError
from groundtruth.schema import FrozenSchema

SECONDS_PER_DOCUMENT: Final = 300.0
SECONDS_PER_PAGE: Final = 60.0


class Task(NamedTuple):
    """A document for one extractor; ``readings`` is the folder that keeps what is recognised on its pages."""

    spec: str
    name: str
    file: Path
    schema: FrozenSchema
    pages: int
    readings: Path | None = None


class Answered(NamedTuple):
    """A ballot, and the processor time it took; the loading of an engine counts for the first document."""

    task: Task
    ballot: Ballot
    cpu_seconds: float


def embedded(specs: Iterable[str] = ()) -> dict[str, Extractor]:
    """The extractors of these names that can run here, or all that are shipped; prints which cannot, and why."""
    found: dict[str, Extractor] = {}
    for spec in specs or BUILT_IN:
        try:
            extractor = load(spec)
        except ExtractorError as error:
            print(f"{spec} is left out: {error}")
            continue
        missing = extractor.available()
        if missing is None:
            found[spec] = extractor
        else:
            print(f"{spec} is left out: {missing}")
    return found


def read_all(tasks: Sequence[Task], extractors: Mapping[str, Extractor]) -> list[Answered]:
    """What each task's extractor answers, in the order of the tasks."""
    workers = os.cpu_count() or 1
    with _Processes(extractors) as processes, ThreadPoolExecutor(workers) as threads:
        return list(threads.map(processes.answer, tasks))


class _Processes:
    """One process per thread, changed when the next task is for another extractor."""

    def __init__(self, extractors: Mapping[str, Extractor]) -> None:
        self._extractors = extractors
        self._mine = threading.local()
        self._all: list[ExtractorProcess] = []

    def __enter__(self) -> _Processes:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._all:
            process.close()

    def answer(self, task: Task) -> Answered:
        process = self._process(task.spec)
        before = _cpu_seconds(process)
        seconds = SECONDS_PER_DOCUMENT + SECONDS_PER_PAGE * task.pages
        ballot = process.extract(Request(task.file, task.schema, seconds, readings=task.readings, pages=task.pages))
        return Answered(task, ballot, max(0.0, _cpu_seconds(process) - before))

    def _process(self, spec: str) -> ExtractorProcess:
        if getattr(self._mine, "spec", None) != spec:
            if hasattr(self._mine, "process"):
                self._mine.process.close()
            self._mine.spec = spec
            self._mine.process = ExtractorProcess(spec, self._extractors[spec].info)
            self._all.append(self._mine.process)
        process: ExtractorProcess = self._mine.process
        return process


def _cpu_seconds(process: ExtractorProcess) -> float:
    """The processor time of the process so far, 0 before it started."""
    return process.cpu_seconds() or 0.0
