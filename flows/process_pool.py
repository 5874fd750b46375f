"""Extractor processes that are lent to batches, so that one that took long to load is used again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from extractors.process import ExtractorProcess
from extractors.protocol import ExtractorInfo


class ProcessPool:
    """At most so many processes at once as ``serving`` says, at work or idle; outside of it none idles.

    Safe for several threads. A run that is told to stop ends the processes and does not wait for them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._size = 0
        self._stopping = False
        self._busy: set[ExtractorProcess] = set()
        self._idle: list[tuple[str, ExtractorInfo, ExtractorProcess]] = []
        """The longest idle one first."""

    @contextmanager
    def serving(self, size: int) -> Iterator[None]:
        """Keep processes for the block; when it is left by an exception (a signal is one), stop all at once."""
        with self._lock:
            self._size, self._stopping = size, False
        try:
            yield
        except BaseException:
            with self._lock:
                self._stopping = True
                for process in self._busy:
                    process.stop()
            raise
        finally:
            with self._lock:
                self._size = 0
            self._close_idle(0)

    @contextmanager
    def lend(self, spec: str, info: ExtractorInfo) -> Iterator[ExtractorProcess]:
        """A process of this extractor, for the block; after a stop it is stopped as well."""
        process = self._take(spec, info)
        try:
            yield process
        finally:
            with self._lock:
                self._busy.discard(process)
                self._idle.append((spec, info, process))
                keep = 0 if self._stopping else max(0, self._size - len(self._busy))
            self._close_idle(keep)

    def _take(self, spec: str, info: ExtractorInfo) -> ExtractorProcess:
        with self._lock:
            fitting = [entry for entry in self._idle if entry[:2] == (spec, info)]
            if fitting:
                self._idle.remove(fitting[-1])
            process = fitting[-1][2] if fitting else ExtractorProcess(spec, info)
            self._busy.add(process)
            if self._stopping:
                process.stop()
            keep = max(0, self._size - len(self._busy))
        self._close_idle(keep)
        return process

    def _close_idle(self, keep: int) -> None:
        with self._lock:
            surplus = self._idle[: max(0, len(self._idle) - keep)]
            self._idle = self._idle[len(surplus) :]
        for _, _, process in surplus:
            process.close()
