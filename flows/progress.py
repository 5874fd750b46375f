"""Progress for a person: a bar on a terminal, a line now and then elsewhere, nothing with ``--json``."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from flows.curate_plan import Due
from flows.curate_results import Event, Listener, PageBegun
from flows.output import stderr
from groundtruth.wording import counted

_INTERVAL_SECONDS: Final = 10.0
_BAR_WIDTH: Final = 20
_WIDEST_AT: Final = 30
"""In characters: the bar must not give way to a long name."""
_LEAST_SECONDS: Final = 0.02
"""What an extraction costs at least, however few its pages are."""


class Tally:
    """How far the extractions are, as their events tell it; safe for several threads.

    The time left is told by what is expected of the pages, since a page that is recognised takes a hundred times as
    long as one whose text is there.
    """

    def __init__(self, due: Iterable[Due], clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._open = {(one.document, one.system): one for one in due}
        self._begun: dict[tuple[str, str], float] = {}
        """Of the extractions under way, which share is done."""
        self._ended_pages = 0
        self._ended_cost = 0.0
        self._started: float | None = None
        self._lock = threading.Lock()
        self.extractions = len(self._open)
        self.pages = sum(one.pages for one in self._open.values())
        self._cost = sum(map(_cost, self._open.values()))
        self.done = 0
        self.at = ""

    def hear(self, event: Event) -> None:
        """Count what happened."""
        with self._lock:
            if self._started is None:
                self._started = self._clock()
            key = (event.document, event.system)
            self.at = f"{event.document} ({event.system})"
            if isinstance(event, PageBegun):
                # Pages begin again when an extractor is asked again; the share that is done does not shrink for it.
                share = (event.page - 1) / event.of if event.of > 0 else 0.0
                self._begun[key] = min(1.0, max(share, self._begun.get(key, 0.0)))
                return
            ended = self._open.pop(key, None)
            self._begun.pop(key, None)
            self.done += 1
            if ended is not None:
                self._ended_pages += ended.pages
                self._ended_cost += _cost(ended)

    @property
    def pages_done(self) -> int:
        """How many pages are read, or will not be."""
        with self._lock:
            under_way = sum(
                round(share * self._open[key].pages) for key, share in self._begun.items() if key in self._open
            )
            return self._ended_pages + under_way

    @property
    def share(self) -> float:
        """How much of the expected work is done, from 0 to 1."""
        with self._lock:
            under_way = sum(share * _cost(self._open[key]) for key, share in self._begun.items() if key in self._open)
            return (self._ended_cost + under_way) / self._cost if self._cost else 1.0

    @property
    def seconds(self) -> float:
        """How long ago the first event was."""
        return 0.0 if self._started is None else self._clock() - self._started

    @property
    def seconds_left(self) -> float | None:
        """How long it will take from here on; None while nothing is done by which to tell."""
        share = self.share
        return self.seconds / share * (1 - share) if share > 0 else None

    @property
    def pages_a_second(self) -> float:
        """How fast pages are read."""
        return self.pages_done / self.seconds if self.seconds > 0 else 0.0


@contextlib.contextmanager
def progress(due: Iterable[Due], *, quiet: bool, clock: Callable[[], float] = time.monotonic) -> Iterator[Listener]:
    """A listener that shows how far the extractions that are due are; on the error stream."""
    tally = Tally(due, clock)
    if quiet or not tally.extractions:
        yield _ignore
    elif sys.stderr.isatty():
        with _bar(tally) as listener:
            yield listener
    else:
        yield _Lines(tally, clock)


@contextlib.contextmanager
def waiting(message: str, *, quiet: bool) -> Iterator[None]:
    """Say on a terminal what the block waits for."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    with stderr().status(message):
        yield


def _cost(one: Due) -> float:
    return max(_LEAST_SECONDS, one.seconds)


def _ignore(event: Event) -> None:
    """Show nothing."""


@contextlib.contextmanager
def _bar(tally: Tally) -> Iterator[Listener]:
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (BarColumn(_BAR_WIDTH), TextColumn("{task.fields[said]}", markup=False))
    with Progress(*columns, console=stderr(), transient=True) as drawn:
        task = drawn.add_task("", total=1.0, said="")

        def hear(event: Event) -> None:
            tally.hear(event)
            drawn.update(task, completed=tally.share, said=f"{_said(tally)}: {_shortened(tally.at)}")

        yield hear


class _Lines:
    """Says how far the work is, at most every few seconds and at the end."""

    def __init__(self, tally: Tally, clock: Callable[[], float]) -> None:
        self._tally = tally
        self._clock = clock
        self._spoken = clock()
        self._lock = threading.Lock()

    def __call__(self, event: Event) -> None:
        tally = self._tally
        tally.hear(event)
        with self._lock:
            now = self._clock()
            is_last = tally.done == tally.extractions and not isinstance(event, PageBegun)
            if now - self._spoken < _INTERVAL_SECONDS and not is_last:
                return
            self._spoken = now
            sys.stderr.write(f"{_said(tally)}{'' if is_last else f': {tally.at}'}\n")
            sys.stderr.flush()


def _said(tally: Tally) -> str:
    parts = [f"{tally.done} of {tally.extractions} read", f"{tally.pages_done:,} of {counted(tally.pages, 'page')}"]
    if tally.done < tally.extractions:
        if tally.pages_done:
            parts.append(f"{tally.pages_a_second:.2g} a second")
        left = tally.seconds_left
        if left is not None:
            parts.append(f"about {_duration(left)} left")
    return ", ".join(parts)


def _shortened(text: str) -> str:
    return text if len(text) <= _WIDEST_AT else f"{text[: _WIDEST_AT // 2]}…{text[-(_WIDEST_AT // 2) :]}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
