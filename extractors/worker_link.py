"""A worker as the process that started it holds it: asked line by line, heard line by line, ended with all it began."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Final
from uuid import uuid4

from extractors.cpu_time import group_cpu_seconds
from groundtruth import jsontext
from groundtruth.errors import ExtractorError, GoldleafError
from groundtruth.jsontext import Json

LONGEST_LINE: Final = 64 << 20
"""In bytes; an answer of some hundred thousand cited values. Past it the caller's own memory would be at risk."""

_MARK: Final = "GOLDLEAF_EXTRACTOR_RUN"
"""The variable that whatever a worker starts inherits."""
_START_SECONDS: Final = 120.0
_POLL_SECONDS: Final = 1.0
_CHUNK: Final = 1 << 16
_LAST_WORDS: Final = 2000


class LineTooLong(Exception):
    """The worker wrote a line of more than ``LONGEST_LINE`` bytes."""


class WorkerLink:
    """The process of one extractor. It starts when it is first asked, and again after it was ended.

    It leads a process group, and what it starts inherits a mark in the environment, so that all of it ends with it,
    also what left the group.
    """

    def __init__(self, spec: str, memory_mb: int) -> None:
        self._spec = spec
        self._memory_mb = memory_mb
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed in `close`
        self.started_at = 0
        """What ``words_until_now`` was when the worker was last started."""
        self._unread = bytearray()
        self._run = uuid4().hex

    def words_until_now(self) -> int:
        """How much the worker wrote to its error stream so far, over all its starts, in bytes."""
        return 0 if self._stderr.closed else os.fstat(self._stderr.fileno()).st_size

    def words_since(self, start: int) -> str:
        """The end of what it wrote there after the first ``start`` bytes."""
        if self._stderr.closed:
            return ""
        start = max(start, self.words_until_now() - _LAST_WORDS)
        # The worker shares the place in the file, which must not move.
        return os.pread(self._stderr.fileno(), _LAST_WORDS, start).decode("utf-8", "replace").strip()

    def cpu_seconds(self) -> float | None:
        """The processor time of the worker and what it started; None where it is not known."""
        process = self._process
        return None if process is None else group_cpu_seconds(process.pid)

    def start(self) -> None:
        """Start the worker unless it runs.

        Raises:
            ExtractorError: it cannot start, or its extractor cannot run here.
        """
        if self._process is not None and self._process.poll() is None:
            return
        self.end()
        self.started_at = self.words_until_now()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "extractors.worker", self._spec, str(self._memory_mb)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                _MARK: self._run,
            },
            start_new_session=True,
        )
        try:
            ready = jsontext.loads(self.receive(_START_SECONDS), source=f"extractor {self._spec}")
        except (TimeoutError, EOFError, LineTooLong, GoldleafError) as error:
            how = self.end()
            raise ExtractorError(
                f"extractor {self._spec} did not start: {how}; {self.words_since(self.started_at)[-300:]}"
            ) from error
        if not ready["ready"]:
            self.end()
            raise ExtractorError(f"extractor {self._spec}: {ready['detail']}")

    def send(self, value: Json) -> None:
        """Write a line.

        Raises:
            BrokenPipeError: the worker is gone.
        """
        stdin = _pipe(self._running().stdin)
        stdin.write(jsontext.dumps(value).encode() + b"\n")
        stdin.flush()

    def receive(self, seconds: float) -> bytes:
        """The next line. What came of it in vain is kept for the next call.

        Raises:
            TimeoutError: it did not come in time.
            EOFError: the worker closed the stream, or is gone.
            LineTooLong: it is longer than a line may be.
        """
        deadline = time.monotonic() + seconds
        searched = 0
        while (end := self._unread.find(b"\n", searched)) < 0:
            searched = len(self._unread)
            if searched > LONGEST_LINE:
                raise LineTooLong
            self._unread += self._chunk(deadline)
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        return line

    def end(self, *, grace: float = 0.0) -> str:
        """End the process group, after ``grace`` seconds to end by itself, and say how the worker ended."""
        process, self._process = self._process, None
        self._unread.clear()
        if process is None:
            return "stopped"
        with suppress(subprocess.TimeoutExpired):
            process.wait(grace)
        ended_by_us = process.poll() is None
        _kill_group(process)
        code = process.wait()
        _kill_marked(f"{_MARK}={self._run}".encode())
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        if ended_by_us and grace:
            return "it closed its answers and did not end"
        return f"ended by {_signal_name(-code)}" if code < 0 else f"ended with exit code {code}"

    def kill(self) -> None:
        """End the process group from another thread; whoever waits for a line hears of its end."""
        process = self._process
        if process is not None:
            _kill_group(process)

    def close(self) -> None:
        """End the worker, for good."""
        self.end()
        self._stderr.close()

    def _chunk(self, deadline: float) -> bytes:
        process = self._running()
        stdout = _pipe(process.stdout)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            # Something that it started may hold the stream open after it is gone.
            gone = process.poll() is not None
            if select.select([stdout], [], [], 0 if gone else min(left, _POLL_SECONDS))[0]:
                chunk = os.read(stdout.fileno(), _CHUNK)
                if chunk:
                    return chunk
                raise EOFError
            if gone:
                raise EOFError

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise EOFError
        return self._process


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _kill_marked(mark: bytes) -> None:
    """End every process of ours whose environment has the mark (Linux; elsewhere nothing happens)."""
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if mark in environment.read_bytes().split(b"\0"):
                os.kill(int(environment.parent.name), signal.SIGKILL)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise RuntimeError("the process was started without pipes")
    return pipe
