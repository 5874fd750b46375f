"""Extractors that count, crash, hang, print or lie, for the tests of what runs extractors."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

from extractors.protocol import ExtractionFailed, ExtractorInfo, Job
from groundtruth.ballot import Ballot, Failure

NOTES_FILE = "GOLDLEAF_TEST_NOTES"
"""The environment variable that names the file in which extractors take notes."""
PAUSE_SECONDS = "GOLDLEAF_TEST_PAUSE"
"""The environment variable that says how long an extraction takes."""


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
            case "lie":
                return Ballot("gpt", "gpt", data={"title": job.file.stem})
        return Ballot(self.info.name, self.info.family, data={"title": job.file.stem})


class Unavailable(Harmful):
    """Cannot run here."""

    info = ExtractorInfo(name="unavailable", version="1", family="planted")

    def available(self) -> str | None:
        return "PLANTED_KEY is not set"


class NotAnExtractor:
    """Lacks everything."""


def note(line: str) -> None:
    """Add a line to the notes in one write, if there are any."""
    path = os.environ.get(NOTES_FILE)
    if path:
        with Path(path).open("ab", buffering=0) as stream:
            stream.write(line.encode() + b"\n")
