"""Progress for a person: a bar on a terminal, a line now and then elsewhere, nothing with ``--json``."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from typing import Final

from flows.extraction import Listener, Result
from flows.output import stderr

_INTERVAL_SECONDS: Final = 10.0


@contextlib.contextmanager
def progress(total: int, *, quiet: bool) -> Iterator[Listener]:
    """A listener that shows how many of ``total`` extractions are done; on the error stream."""
    if quiet or not total:
        yield _ignore
    elif sys.stderr.isatty():
        with _bar(total) as listener:
            yield listener
    else:
        yield _Lines(total)


@contextlib.contextmanager
def waiting(message: str, *, quiet: bool) -> Iterator[None]:
    """Say on a terminal what the block waits for."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    with stderr().status(message):
        yield


def _ignore(result: Result) -> None:
    """Show nothing."""


@contextlib.contextmanager
def _bar(total: int) -> Iterator[Listener]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("reading"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[at]}", markup=False),
    )
    with Progress(*columns, console=stderr(), transient=True) as drawn:
        task = drawn.add_task("", total=total, at="")
        yield lambda result: drawn.update(task, advance=1, at=f"{result.document} ({result.system})")


class _Lines:
    """Says how far the work is, at most every few seconds and at the end."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._started = self._spoken = time.monotonic()
        self._lock = threading.Lock()

    def __call__(self, result: Result) -> None:  # noqa: ARG002 - only how many matters here
        with self._lock:
            self._done += 1
            now = time.monotonic()
            if now - self._spoken < _INTERVAL_SECONDS and self._done < self._total:
                return
            self._spoken = now
            left = (now - self._started) / self._done * (self._total - self._done)
            sys.stderr.write(f"read {self._done} of {self._total}, about {left:.0f} s left\n")
            sys.stderr.flush()
