"""How far a counted piece of work is: a bar on a terminal, a line now and then elsewhere, nothing when quiet."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Final

from flows.output import stderr

_INTERVAL_SECONDS: Final = 10.0

Advance = Callable[[int], None]
"""Called with how many more are done."""


@contextlib.contextmanager
def counting(what: str, total: int, *, quiet: bool) -> Iterator[Advance]:
    """Show on the error stream how many of ``total`` are done; ``what`` says done with what, as in "packets sent"."""
    if quiet or total <= 0:
        yield lambda _: None
    elif sys.stderr.isatty():
        with _bar(what, total) as advance:
            yield advance
    else:
        yield _Lines(what, total)


@contextlib.contextmanager
def _bar(what: str, total: int) -> Iterator[Advance]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(20), TextColumn("{task.completed} of {task.total} {task.description}"), TimeRemainingColumn())
    with Progress(*columns, console=stderr(), transient=True) as drawn:
        bar = drawn.add_task(what, total=total)
        yield lambda more: drawn.advance(bar, more)


class _Lines:
    """Says how far it is, at most every few seconds."""

    def __init__(self, what: str, total: int) -> None:
        self._what = what
        self._total = total
        self._done = 0
        self._started = self._spoken = time.monotonic()

    def __call__(self, more: int) -> None:
        self._done += more
        now = time.monotonic()
        if not self._done or now - self._spoken < _INTERVAL_SECONDS:
            return
        self._spoken = now
        left = (now - self._started) * (self._total / self._done - 1)
        sys.stderr.write(f"{self._done} of {self._total} {self._what}, about {left:.0f} s left\n")
        sys.stderr.flush()
