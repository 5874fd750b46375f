"""What a worker is asked, and how it stands in one line of JSON: a job whose time does not run yet."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from extractors.protocol import Job
from extractors.readings import Readings
from groundtruth import jsontext
from groundtruth.jsontext import Json
from groundtruth.languages import DEFAULT_LANGUAGES
from groundtruth.rules import Rules
from groundtruth.schema import FrozenSchema
from groundtruth.schema_compile import compile_schema


@dataclass(frozen=True, slots=True)
class Request:
    """One document for an extractor in a process of its own.

    Attributes:
        file: the document.
        schema: what to read.
        seconds: what all attempts together may take.
        languages: of the dataset, the main one first.
        readings: the folder of what was recognised on the pages of the document; None keeps nothing.
        pages: how many pages the document has, to check what is cited; None leaves citations unchecked.
    """

    file: Path
    schema: FrozenSchema
    seconds: float
    languages: tuple[str, ...] = DEFAULT_LANGUAGES
    readings: Path | None = None
    pages: int | None = None

    def to_json(self, seconds: float, skip: Iterable[int]) -> dict[str, Json]:
        """The line for a worker: answer within ``seconds``, without the pages of ``skip``."""
        return {
            "file": str(self.file),
            "schema": {
                "name": self.schema.name,
                "version": self.schema.version,
                "source": self.schema.source,
                "rules": self.schema.rules.to_json(),
            },
            "seconds": seconds,
            "languages": list(self.languages),
            "readings": None if self.readings is None else str(self.readings),
            "skip": sorted(skip),
        }


def job_of(form: Json, began: Callable[[int, int], object], finished: Callable[[], object]) -> Job:
    """The job that ``Request.to_json`` wrote; its time begins to run."""
    return Job(
        Path(form["file"]),
        _schema(jsontext.dumps(form["schema"])),
        time.monotonic() + float(form["seconds"]),
        languages=tuple(form["languages"]),
        skip=frozenset(form["skip"]),
        readings=Readings(None if form["readings"] is None else Path(form["readings"])),
        began=began,
        finished=finished,
    )


@lru_cache(maxsize=4)
def _schema(text: str) -> FrozenSchema:
    form = jsontext.loads(text)
    rules = Rules.from_json(form["rules"])
    return compile_schema(form["source"], rules, name=form["name"], version=form["version"])
