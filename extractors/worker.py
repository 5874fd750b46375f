"""The process that runs one extractor, so that a crash or a hang costs one vote.

It reads one job a line on its standard input (``request.Request.to_json``) and writes lines of JSON to its standard
output: once that it is ready, or why not; then for every job a line per page that is begun, one when the last page is
read, and the ballot:

    {"ready": true, "detail": ""}
    {"page": 1, "of": 2}
    {"page": 2, "of": 2}
    {"page": null}
    {"format": 1, "system": ..., "data": ...}

What the extractor prints goes to the error stream. The process ends with its input, and with the process that began
it, however that ends.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from contextlib import suppress
from dataclasses import replace
from typing import BinaryIO, Final

import simplejson

from extractors.protocol import Extractor, one_line, run
from extractors.registry import load
from extractors.request import job_of
from groundtruth import jsontext
from groundtruth.ballot import Ballot, Failure
from groundtruth.ballot_json import ballot_to_json
from groundtruth.errors import GoldleafError
from groundtruth.jsontext import Json

_PR_SET_PDEATHSIG: Final = 1
_LARGEST_FILE: Final = 1 << 30
"""In bytes: an extractor that floods its error stream or a scratch file does not fill the disk."""


def main(spec: str, memory_mb: int) -> int:
    """Serve one extractor until the input ends; the first line says that it is ready, or why not."""
    die_with_parent()
    limit_memory(memory_mb)
    jobs, answers = _own_streams()
    try:
        extractor = load(spec)
    except GoldleafError as error:
        _write(answers, {"ready": False, "detail": str(error)})
        return 1
    missing = extractor.available()
    _write(answers, {"ready": missing is None, "detail": missing or ""})
    for line in () if missing else jobs:
        _write_line(answers, _answer(extractor, jsontext.loads(line, source="job"), answers))
    return 0


def die_with_parent() -> None:
    """Ask the kernel to end this process when the one that started it is gone (Linux; elsewhere nothing happens)."""
    parent = os.getppid()
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    except (OSError, AttributeError):
        return
    if os.getppid() != parent:  # it went while we asked
        os.kill(os.getpid(), signal.SIGKILL)


def limit_memory(megabytes: int) -> None:
    """Let this process and each that it starts have so much memory of its own, in MiB; 0 sets no limit.

    What counts is private memory that can be written to. The address space is no measure: numerical libraries reserve
    far more of it than they use.
    """
    limits = {resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: _LARGEST_FILE}
    if megabytes:
        limits[resource.RLIMIT_DATA] = megabytes << 20
    for kind, limit in limits.items():
        _, most = resource.getrlimit(kind)
        allowed = limit if most == resource.RLIM_INFINITY else min(limit, most)
        with suppress(OSError, ValueError):  # where the system has no such limit
            resource.setrlimit(kind, (allowed, allowed))


def _own_streams() -> tuple[BinaryIO, BinaryIO]:
    """The standard input and output for jobs and answers alone.

    From here on whatever is printed goes to the error stream, and whoever reads the standard input finds its end.
    """
    jobs, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return jobs, answers


def _answer(extractor: Extractor, form: Json, answers: BinaryIO) -> bytes:
    job = job_of(
        form,
        began=lambda page, count: _write(answers, {"page": int(page), "of": int(count)}),
        finished=lambda: _write(answers, {"page": None}),
    )
    ballot = run(extractor, job)
    try:
        return _encoded(ballot)
    except Exception as error:  # noqa: BLE001 - whatever an extractor puts into its answer costs its own vote only
        detail = one_line(f"its answer has no form in JSON: {error}")
        info = extractor.info
        return _strictly(Ballot.failed(info.name, info.family, Failure.INTERNAL, detail))


def _encoded(ballot: Ballot) -> bytes:
    try:
        return _strictly(ballot)
    except (GoldleafError, UnicodeEncodeError):
        # NaN and half characters make their own leaf invalid, as in the answers of others.
        text = simplejson.dumps(ballot.data, use_decimal=True, allow_nan=True)
        return _strictly(replace(ballot, data=jsontext.loads_tolerant(text, source="answer")))


def _strictly(ballot: Ballot) -> bytes:
    return jsontext.dumps(ballot_to_json(ballot)).encode()


def _write(stream: BinaryIO, value: Json) -> None:
    _write_line(stream, jsontext.dumps(value).encode())


def _write_line(stream: BinaryIO, line: bytes) -> None:
    stream.write(line + b"\n")
    stream.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
