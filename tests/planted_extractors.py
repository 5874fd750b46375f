"""Extractors that count, crash, hang, print or lie, for the tests of what runs extractors."""

from __future__ import annotations

import fcntl
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from extractors.protocol import ExtractionFailed, ExtractorInfo, Job
from groundtruth.ballot import Ballot, Failure, Status
from groundtruth.box import Box
from groundtruth.evidence import Evidence, Source

NOTES_FILE = "GOLDLEAF_TEST_NOTES"
"""The environment variable that names the file in which extractors take notes."""
PAUSE_SECONDS = "GOLDLEAF_TEST_PAUSE"
"""The environment variable that says how long an extraction takes."""


TRUE = {"title": "true"}


class Counting:
    """Answers the stem of the document's file, and notes the beginning and the end of every extraction."""

    info = ExtractorInfo(name="counting", version="1", family="planted", seconds_per_page=2.0)

    def available(self) -> str | None:
        return None

    def extract(self, job: Job) -> Ballot:
        note(f"begin {job.file.stem}")
        time.sleep(float(os.environ.get(PAUSE_SECONDS, "0")))
        note(f"end {job.file.stem}")
        return Ballot(self.info.name, self.info.family, data={"title": job.file.stem})


class Harmful:
    """Answers the stem of the document's file, and does what the stem says before."""

    info = ExtractorInfo(name="harmful", version="1", family="planted")

    def available(self) -> str | None:
        return None

    def extract(self, job: Job) -> Ballot:
        match job.file.stem:
            case "crash":
                os._exit(7)
            case "segfault":
                os.kill(os.getpid(), signal.SIGSEGV)
            case "raise":
                raise ValueError("planted\nfault")
            case "refuse":
                raise ExtractionFailed(Failure.UNSUPPORTED_INPUT, "no text layer")
            case "print":
                os.write(1, b'{"not": "an answer"}\n')
            case "hang":
                child = subprocess.Popen(["sleep", "600"])
                note(f"child {child.pid}")
                time.sleep(600)
            case "escape":
                child = subprocess.Popen(["sleep", "600"], start_new_session=True)
                note(f"child {child.pid}")
                os._exit(7)
            case "leave":
                raise SystemExit(3)
            case "lie":
                return Ballot("gpt", "gpt", data={"title": job.file.stem})
        return Ballot(self.info.name, self.info.family, data={"title": job.file.stem})


class Paged:
    """Reads page by page and answers the pages it read; does harm on the pages that the stem of the file names.

    ``5-crash3-hang4`` is a document of five pages: on page 3 it crashes, on page 4 it hangs. Page 0 is before the
    first, ``end`` after the last: ``5-crash0``, ``5-crashend``.
    """

    info = ExtractorInfo(
        name="paged", version="1", family="planted", memory_mb=300, page_cpu_seconds=1.0, reads_languages=True
    )

    def available(self) -> str | None:
        return None

    def extract(self, job: Job) -> Ballot:
        count, *faults = job.file.stem.split("-")
        harm = {fault.lstrip("abcdefghijklmnopqrstuvwxyz_") or "end": fault.rstrip("0123456789") for fault in faults}
        self._suffer(harm.get("0", ""))
        read = []
        for page in job.pages(int(count)):
            note(f"page {page}")
            self._suffer(harm.get(str(page), ""))
            read.append(page)
        self._suffer(harm.get("end", "").removesuffix("end"))
        title = ",".join(map(str, read))
        return Ballot(self.info.name, self.info.family, data={"title": title, "languages": ",".join(job.languages)})

    def _suffer(self, harm: str) -> None:
        if harm:
            HARM[harm]()


def _crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def _raise() -> None:
    raise ValueError("planted fault")


def _refuse() -> None:
    raise ExtractionFailed(Failure.REFUSED, "planted refusal")


def _see_nothing() -> None:
    raise ExtractionFailed(Failure.UNSUPPORTED_INPUT, "no text layer")


def _spin() -> None:
    while True:
        pass


def _eat_with_numpy() -> None:
    import numpy as np

    note(str(np.ones(1 << 27).sum()))


def _abort() -> None:
    os.write(2, b"terminate called after throwing an instance of 'std::bad_alloc'\n")
    os.abort()


HARM: Mapping[str, Callable[[], object]] = {
    "crash": _crash,
    "raise": _raise,
    "hang": lambda: time.sleep(600),
    "spin": _spin,
    "spinchild": lambda: subprocess.run(["sh", "-c", "while :; do :; done"], check=False),
    "bytes": lambda: note(str(len(bytearray(1 << 30)))),
    "numpy": _eat_with_numpy,
    "abort": _abort,
    "refuse": _refuse,
    "blind": _see_nothing,
}
"""What may befall a page, by the word for it."""


class Lying:
    """Answers what the stem of the document's file names, all of it untrue; under another name if it names nothing."""

    info = ExtractorInfo(name="lying", version="1", family="planted")

    def available(self) -> str | None:
        return None

    def extract(self, job: Job) -> Ballot:
        return LIES.get(job.file.stem, LIES["name"])()


def lie(data: Any = TRUE, **more: Any) -> Ballot:
    """A ballot under the name of the one who lies."""
    return Ballot(Lying.info.name, more.pop("family", Lying.info.family), data=data, **more)


def _cite(path: tuple[str | int, ...], *places: Evidence) -> Ballot:
    return lie(citations={path: places})


def _nested() -> Ballot:
    data: Any = TRUE
    for _ in range(5000):
        data = {"title": data}
    return lie(data)


def _write_into_the_answers() -> Ballot:
    os.write(_answers(), b"no answer at all\n")
    return lie()


def _answers() -> int:
    """The stream of answers, found as an extractor that looks for it would: the first pipe that can be written to."""
    for number in range(3, 64):
        with suppress(OSError):
            if stat.S_ISFIFO(os.fstat(number).st_mode) and fcntl.fcntl(number, fcntl.F_GETFL) & os.O_WRONLY:
                return number
    raise AssertionError("no pipe")


OFF_PAGE = Box._make((-1.0, 0.0, 2.0, 9.0))
LIES: Mapping[str, Callable[[], Ballot]] = {
    "true": lie,
    "name": lambda: Ballot("gpt", "gpt", data=TRUE),
    "family": lambda: lie(family="another"),
    "page": lambda: _cite(("title",), Evidence(page=99), Evidence(page=1, source=Source.PERSON, systems=("gpt",))),
    "leaf": lambda: _cite(("absent", 3), Evidence(page=1)),
    "box": lambda: _cite(("title",), Evidence.model_construct(page=1, boxes=(OFF_PAGE,))),
    "list": lambda: lie([TRUE]),
    "text": lambda: lie("true"),
    "nothing": lambda: cast(Ballot, None),
    "invented": lambda: lie(TRUE | {"no such field": 1}),
    "nan": lambda: lie(TRUE | {"amount": float("nan"), "rows": [float("inf")]}),
    "object": lambda: lie(TRUE | {"amount": object()}),
    "deep": _nested,
    "surrogate": lambda: lie({"title": "half \ud800"}),
    "null": lambda: lie({"title": None}, asserts_null=True),
    "failed": lambda: lie(status=Status.FAILED),
    "ok": lambda: lie(failure=Failure.REFUSED),
    "detail": lambda: lie(detail="two\nlines " + 10_000 * "x"),
    "long": lambda: lie({"title": "x" * (80 << 20)}),
    "stream": _write_into_the_answers,
    "reads": lambda: lie({"title": sys.stdin.read()}),
}
"""What the liar answers, by the word for it."""


class Failing:
    """Fails as the stem of the document's file says: ``transient3`` fails three times and then answers."""

    info = ExtractorInfo(name="failing", version="1", family="planted")

    def available(self) -> str | None:
        return None

    def extract(self, job: Job) -> Ballot:
        failure = job.file.stem.rstrip("0123456789")
        note(failure)
        noted = Path(os.environ[NOTES_FILE]).read_text().split()
        if noted.count(failure) <= int(job.file.stem.removeprefix(failure)):
            raise ExtractionFailed(Failure(failure), f"planted failure {noted.count(failure)}")
        return Ballot(self.info.name, self.info.family, data={"title": "at last"})


class FailingSampler(Failing):
    """The same, of an extractor that may answer otherwise when it is asked again."""

    info = ExtractorInfo(name="failing", version="1", family="planted", samples=True)


class Unavailable(Harmful):
    """Cannot run here."""

    info = ExtractorInfo(name="unavailable", version="1", family="planted")

    def available(self) -> str | None:
        return "PLANTED_KEY is not set"


class NotAnExtractor:
    """Lacks everything."""


class Undescribed(Harmful):
    """Says of itself what is no description."""

    info = cast(ExtractorInfo, "harmful")


class Misnamed(Harmful):
    """Its name would lead out of the dataset."""

    info = ExtractorInfo(name="../harmful", version="1", family="planted")


def note(line: str) -> None:
    """Add a line to the notes in one write, if there are any."""
    path = os.environ.get(NOTES_FILE)
    if path:
        with Path(path).open("ab", buffering=0) as stream:
            stream.write(line.encode() + b"\n")
