"""The process that runs one extractor, so that a crash or a hang costs one vote.

It reads one job a line on its standard input, and answers with one ballot a line on its standard output:

    {"file": ..., "schema": {"name", "version", "source", "rules"}, "seconds": ...}

What the extractor prints goes to the error stream. The process ends with its input, and with the process that began
it, however that ends.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, Final

from extractors.protocol import Extractor, Job, run
from extractors.registry import load
from groundtruth import jsontext
from groundtruth.ballot_json import ballot_to_json
from groundtruth.errors import GoldleafError
from groundtruth.jsontext import Json
from groundtruth.rules import Rules
from groundtruth.schema import FrozenSchema
from groundtruth.schema_compile import compile_schema

_PR_SET_PDEATHSIG: Final = 1


def schema_to_job(schema: FrozenSchema) -> dict[str, Json]:
    """A schema as a job carries it."""
    return {
        "name": schema.name,
        "version": schema.version,
        "source": schema.source,
        "rules": schema.rules.to_json(),
    }


def main(spec: str) -> int:
    """Serve one extractor until the input ends; the first line says that it is ready, or why not."""
    die_with_parent()
    answers = _own_stdout()
    try:
        extractor = load(spec)
    except GoldleafError as error:
        _write(answers, {"ready": False, "detail": str(error)})
        return 1
    missing = extractor.available()
    _write(answers, {"ready": missing is None, "detail": missing or ""})
    for line in () if missing else sys.stdin.buffer:
        _write(answers, _answer(extractor, jsontext.loads(line, source="job")))
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


def _own_stdout() -> BinaryIO:
    """The standard output for answers alone; from here on whatever is printed goes to the error stream."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def _answer(extractor: Extractor, job: Json) -> Json:
    schema = _schema(jsontext.dumps(job["schema"]))
    deadline = time.monotonic() + float(job["seconds"])
    return ballot_to_json(run(extractor, Job(Path(job["file"]), schema, deadline)))


@lru_cache(maxsize=4)
def _schema(text: str) -> FrozenSchema:
    form = jsontext.loads(text)
    rules = Rules.from_json(form["rules"])
    return compile_schema(form["source"], rules, name=form["name"], version=form["version"])


def _write(stream: BinaryIO, value: Json) -> None:
    stream.write(jsontext.dumps(value).encode() + b"\n")
    stream.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
