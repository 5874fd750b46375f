"""An extractor in a process of its own, seen from the caller: it answers in time, or it is ended.

A page on which it crashes, or that takes too long, is left out: the extractor is asked again without it, and what it
answers then is partial.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Final, NamedTuple, Self

from extractors.admission import admitted
from extractors.left_out import without_pages
from extractors.page_watch import PageLimits, PageWatch
from extractors.protocol import ExtractorInfo, over_memory
from extractors.request import Request
from extractors.retry import RETRIES, Retries, pause_before_retry
from extractors.worker_link import LONGEST_LINE, LineTooLong, WorkerLink
from groundtruth import jsontext
from groundtruth.ballot import Ballot, Failure
from groundtruth.ballot_json import ballot_from_json
from groundtruth.errors import ExtractorError, GoldleafError
from groundtruth.jsontext import Json

PageListener = Callable[[int, int], object]
"""Hears of every page as it is begun: its number, and how many pages there are."""

_GRACE_SECONDS: Final = 1.0
"""What an extractor that keeps its deadline gets on top of it, to write its answer."""
_MOST_PAGES_LEFT_OUT: Final = 5
_BLAMES_PAGE: Final = frozenset({Failure.INTERNAL, Failure.CAPACITY})
"""Failures that an extractor reports and that count against the page it was reading."""


def _hear_nothing(page: int, count: int) -> None:
    """Nobody listens."""


class _Attempt(NamedTuple):
    """What came of asking once.

    Attributes:
        ballot: admitted, or failed.
        page: the page that is to blame for the failure, None when none is.
        of: how many pages the document has, 0 when nobody said it.
        reported: whether the extractor itself said so, rather than its caller.
    """

    ballot: Ballot
    page: int | None = None
    of: int = 0
    reported: bool = False


class ExtractorProcess:
    """Runs one extractor on one document after another; a context manager. Not for use by several threads at once.

    The process starts with the first document and starts again after it crashed or was ended.
    """

    def __init__(self, spec: str, info: ExtractorInfo, *, retries: Retries = RETRIES) -> None:
        self._spec = spec
        self._info = info
        self._retries = retries
        self._link = WorkerLink(spec, info.memory_mb)
        self._stopped = threading.Event()
        self._deadline = 0.0
        self._heard_before = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def last_words(self) -> str:
        """The end of what the process wrote to its error stream while it had the last document.

        For a log, since it may differ from run to run.
        """
        return self._link.words_since(self._heard_before)

    def cpu_seconds(self) -> float | None:
        """The processor time of the process and what it started, since it started; None where it is not known."""
        return self._link.cpu_seconds()

    def extract(self, request: Request, heard: PageListener = _hear_nothing) -> Ballot:
        """The ballot for a document; a crash, a hang or nonsense is a failed ballot, or one without some pages.

        Args:
            request: what to read.
            heard: hears of the pages; of some more than once, when the extractor had to be asked again.

        Raises:
            ExtractorError: the extractor cannot start at all.
        """
        self._deadline = time.monotonic() + request.seconds
        self._heard_before = self._link.words_until_now()
        tried: Counter[Failure | None] = Counter()
        while True:
            attempt = self._all_but_bad_pages(request, heard)
            failure = attempt.ballot.failure if attempt.reported else None
            pause = pause_before_retry(self._retries, failure, tried[failure], samples=self._info.samples)
            if pause is None or time.monotonic() + pause >= self._deadline:
                return attempt.ballot
            tried[failure] += 1
            self._stopped.wait(pause)

    def stop(self) -> None:
        """End the process from another thread; the extraction that is under way comes back as cancelled."""
        self._stopped.set()
        self._link.kill()

    def close(self) -> None:
        """End the process and what it started."""
        self._link.close()

    def _all_but_bad_pages(self, request: Request, heard: PageListener) -> _Attempt:
        """Ask until no further page is to blame, a handful of times at most."""
        left_out: dict[int, str] = {}
        while True:
            attempt = self._attempt(request, frozenset(left_out), heard)
            page, ballot = attempt.page, attempt.ballot
            if page is None or page in left_out or len(left_out) + 1 >= attempt.of:
                return attempt._replace(ballot=self._without(ballot, left_out))
            if len(left_out) == _MOST_PAGES_LEFT_OUT:
                detail = f"{len(left_out)} pages were left out and page {page} failed, too: {ballot.detail}"
                return attempt._replace(ballot=self._failed(ballot.failure or Failure.INTERNAL, detail))
            left_out[page] = ballot.detail

    def _without(self, ballot: Ballot, left_out: Mapping[int, str]) -> Ballot:
        if ballot.failure is Failure.UNSUPPORTED_INPUT and left_out:
            # That the other pages hold nothing for this extractor must not hide what befell it.
            page = min(left_out)
            return self._failed(Failure.INTERNAL, f"page {page}: {left_out[page]}; without it: {ballot.detail}")
        return without_pages(ballot, left_out)

    def _attempt(self, request: Request, skip: frozenset[int], heard: PageListener) -> _Attempt:
        """Ask once, and end the process unless it answered."""
        if not self._started():
            return _Attempt(self._failed(Failure.CANCELLED, "stopped"))
        limits = PageLimits.of(self._info.page_cpu_seconds, request.seconds)
        watch = PageWatch(limits, self._link.cpu_seconds)
        try:
            self._link.send(request.to_json(self._deadline - time.monotonic(), skip))
            answer = self._answer(self._deadline + _GRACE_SECONDS, watch, heard)
        except TimeoutError as error:
            self._link.end()
            page = watch.page if error.args else None
            detail = str(error) or f"no answer within {request.seconds:g} s"
            return _Attempt(self._failed(Failure.TIMEOUT, detail), page, watch.count)
        except LineTooLong:
            self._link.end()
            detail = f"answered with more than {LONGEST_LINE >> 20} MiB"
            return _Attempt(self._failed(Failure.INTERNAL, detail))
        except GoldleafError as error:
            self._link.end()
            return _Attempt(self._failed(Failure.INTERNAL, str(error)))
        except (EOFError, BrokenPipeError):
            return _Attempt(self._crashed(), watch.page, watch.count)
        return self._read(answer, request, watch)

    def _started(self) -> bool:
        """Start the process unless it runs; False when somebody told it to stop.

        The time that it takes to load does not count as that of the document.
        """
        if self._stopped.is_set():
            return False
        before = time.monotonic()
        try:
            self._link.start()
        except ExtractorError:
            if self._stopped.is_set():
                return False
            raise
        self._deadline += time.monotonic() - before
        # Told to stop before the process was there, nobody could end it.
        return not self._stopped.is_set()

    def _answer(self, deadline: float, watch: PageWatch, heard: PageListener) -> Json:
        """The line that holds the ballot; the lines of pages before it go to who hears of them.

        Raises:
            TimeoutError: over the limit of the page, which the message names, or of the document, without a message.
            EOFError, LineTooLong: as ``WorkerLink.receive``.
            JsonError: the line is no JSON.
        """
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            try:
                line = self._link.receive(min(left, watch.seconds_to_look()))
            except TimeoutError:
                over = watch.overrun()
                if over is not None:
                    raise TimeoutError(over) from None
                continue
            match message := jsontext.loads(line, source=f"extractor {self._spec}"):
                case {"page": int(page), "of": int(count)}:
                    watch.began(page, count)
                    heard(page, count)
                case {"page": None}:
                    watch.finished()
                case _:
                    return message

    def _read(self, answer: Json, request: Request, watch: PageWatch) -> _Attempt:
        try:
            ballot = ballot_from_json(answer, source=f"extractor {self._spec}")
        except GoldleafError as error:
            return _Attempt(self._failed(Failure.INTERNAL, str(error)))
        page = watch.page if ballot.failure in _BLAMES_PAGE else None
        if ballot.failure is Failure.CAPACITY:
            self._link.end()  # what it still holds of its memory is not known
        return _Attempt(admitted(ballot, self._info, request.pages), page, watch.count, reported=True)

    def _crashed(self) -> Ballot:
        how = self._link.end(grace=_GRACE_SECONDS)
        if self._stopped.is_set():
            return self._failed(Failure.CANCELLED, "stopped")
        if "std::bad_alloc" in self._link.words_since(self._link.started_at):
            return self._failed(Failure.CAPACITY, over_memory(self._info))
        return self._failed(Failure.INTERNAL, how)

    def _failed(self, failure: Failure, detail: str) -> Ballot:
        return Ballot.failed(self._info.name, self._info.family, failure, detail)
