"""An extractor in a process of its own, seen from the caller: it answers in time, or it is ended."""

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
from types import TracebackType
from typing import IO, Final, Self

from extractors.protocol import ExtractorInfo
from extractors.worker import schema_to_job
from groundtruth import jsontext
from groundtruth.ballot import Ballot, Failure
from groundtruth.ballot_json import ballot_from_json
from groundtruth.errors import ExtractorError, GoldleafError
from groundtruth.jsontext import Json
from groundtruth.schema import FrozenSchema

_START_SECONDS: Final = 120.0
_GRACE_SECONDS: Final = 1.0
"""What an extractor that keeps its deadline gets on top of it, to write its answer."""
_CHUNK: Final = 1 << 16
_LAST_WORDS: Final = 2000


class ExtractorProcess:
    """Runs one extractor on one document after another; a context manager. Not for use by several threads at once.

    The process starts with the first document and starts again after it crashed or was ended. It leads a process
    group, so that what it started ends with it.
    """

    def __init__(self, spec: str, info: ExtractorInfo) -> None:
        self._spec = spec
        self._info = info
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `close`
        self._unread = b""
        self._stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def last_words(self) -> str:
        """The end of what the process wrote to its error stream; for a log, since it may differ from run to run."""
        if self._stderr.closed:
            return ""
        size = self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, size - _LAST_WORDS))
        return self._stderr.read().decode("utf-8", "replace").strip()

    def extract(self, file: Path, schema: FrozenSchema, *, seconds: float) -> Ballot:
        """The ballot for a document; a crash, a hang or nonsense is a failed ballot.

        Raises:
            ExtractorError: the extractor cannot start at all.
        """
        try:
            process = self._started()
        except ExtractorError:
            if self._stopped:
                return self._failed(Failure.CANCELLED, "stopped")
            raise
        job = {"file": str(file), "schema": schema_to_job(schema), "seconds": seconds}
        try:
            self._send(process, job)
            line = self._line(process, seconds + _GRACE_SECONDS)
        except TimeoutError:
            self._end()
            return self._failed(Failure.TIMEOUT, f"no answer within {seconds:g} s")
        except (EOFError, BrokenPipeError):
            how = self._end(grace=_GRACE_SECONDS)
            return self._failed(*((Failure.CANCELLED, "stopped") if self._stopped else (Failure.INTERNAL, how)))
        return self._ballot(line)

    def stop(self) -> None:
        """End the process from another thread; the extraction that is under way comes back as cancelled."""
        self._stopped = True
        process = self._process
        if process is not None:
            _kill_group(process)

    def close(self) -> None:
        """End the process and what it started."""
        self._end()
        self._stderr.close()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None:
            return self._process
        if self._stopped:
            raise ExtractorError(f"extractor {self._spec}: stopped")
        self._unread = b""
        self._process = process = subprocess.Popen(
            [sys.executable, "-P", "-m", "extractors.worker", self._spec],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,
        )
        try:
            ready = jsontext.loads(self._line(process, _START_SECONDS), source=f"extractor {self._spec}")
        except (TimeoutError, EOFError, GoldleafError) as error:
            how = self._end()
            raise ExtractorError(f"extractor {self._spec} did not start: {how}; {self.last_words[-300:]}") from error
        if not ready["ready"]:
            self._end()
            raise ExtractorError(f"extractor {self._spec}: {ready['detail']}")
        return process

    def _send(self, process: subprocess.Popen[bytes], job: Json) -> None:
        stdin = _pipe(process.stdin)
        stdin.write(jsontext.dumps(job).encode() + b"\n")
        stdin.flush()

    def _line(self, process: subprocess.Popen[bytes], seconds: float) -> bytes:
        """The next line of the answer stream.

        Raises:
            TimeoutError: it did not come in time.
            EOFError: the process closed the stream.
        """
        stdout = _pipe(process.stdout)
        deadline = time.monotonic() + seconds
        parts = [self._unread]
        while b"\n" not in parts[-1]:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([stdout], [], [], left)[0]:
                raise TimeoutError
            chunk = os.read(stdout.fileno(), _CHUNK)
            if not chunk:
                raise EOFError
            parts.append(chunk)
        line, _, self._unread = b"".join(parts).partition(b"\n")
        return line

    def _ballot(self, line: bytes) -> Ballot:
        try:
            ballot = ballot_from_json(jsontext.loads(line, source="answer"), source=f"extractor {self._spec}")
        except GoldleafError as error:
            return self._failed(Failure.INTERNAL, str(error))
        if (ballot.system, ballot.family) != (self._info.name, self._info.family):
            return self._failed(Failure.INTERNAL, f"answered as {ballot.system} of the family {ballot.family}")
        return ballot

    def _failed(self, failure: Failure, detail: str) -> Ballot:
        return Ballot.failed(self._info.name, self._info.family, failure, detail)

    def _end(self, *, grace: float = 0.0) -> str:
        """End the process group, after ``grace`` seconds to end by itself, and say how the process ended."""
        process, self._process = self._process, None
        if process is None:
            return "stopped"
        with suppress(subprocess.TimeoutExpired):
            process.wait(grace)
        _kill_group(process)
        code = process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        return f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise RuntimeError("the process was started without pipes")
    return pipe
