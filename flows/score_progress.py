"""How far the scoring of a dataset is: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Final

from flows.output import stderr
from flows.score_case import Task
from flows.score_dataset import Listener, size_of

_INTERVAL_SECONDS: Final = 10.0


@contextlib.contextmanager
def scoring_progress(due: Sequence[Task], *, quiet: bool) -> Iterator[Listener]:
    """Show how far it is on the error stream; the time left is told by the bytes of the truths."""
    if quiet or not due:
        yield lambda _: None
    elif sys.stderr.isatty():
        with _bar(due) as listener:
            yield listener
    else:
        yield _Lines(due)


@contextlib.contextmanager
def _bar(due: Sequence[Task]) -> Iterator[Listener]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(20), TextColumn("{task.fields[said]}", markup=False), TimeRemainingColumn())
    with Progress(*columns, console=stderr(), transient=True) as drawn:
        bar = drawn.add_task("", total=sum(map(_weight, due)), said=f"0 of {len(due)} scored")
        done = 0

        def listener(task: Task) -> None:
            nonlocal done
            done += 1
            drawn.update(bar, advance=_weight(task), said=f"{done} of {len(due)} scored")

        yield listener


class _Lines:
    """Says how far it is, at most every few seconds and at the end."""

    def __init__(self, due: Sequence[Task]) -> None:
        self._of = len(due)
        self._total = sum(map(_weight, due))
        self._done = self._weight = 0
        self._started = self._spoken = time.monotonic()

    def __call__(self, task: Task) -> None:
        self._done += 1
        self._weight += _weight(task)
        now = time.monotonic()
        if now - self._spoken < _INTERVAL_SECONDS:
            return
        self._spoken = now
        left = (now - self._started) * (self._total / self._weight - 1)
        sys.stderr.write(f"{self._done} of {self._of} scored, about {left:.0f} s left\n")
        sys.stderr.flush()


def _weight(task: Task) -> int:
    return size_of(task) + 1
