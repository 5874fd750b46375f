"""What an extractor is: a system that reads one document under one schema and answers with one ballot.

An extractor is used in a process of its own, so it may hold native code, may take long, and may crash: all of that
costs its own vote and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol, runtime_checkable

from groundtruth.ballot import Ballot, Failure
from groundtruth.schema import FrozenSchema


class Input(StrEnum):
    """What of a document an extractor reads."""

    TEXT_LAYER = "text_layer"
    PIXELS = "pixels"


@dataclass(frozen=True, slots=True)
class ExtractorInfo:
    """What the votes of an extractor depend on, and what may be asked of it.

    Attributes:
        name: the system's name in the dataset; letters, digits and dashes.
        version: changes whenever the same document may be answered differently.
        config: a digest of the settings that shape the answer; "" when there are none.
        family: extractors that share a method or a model share a family: their votes are not independent.
        asserts_null: whether its null says that the document holds no value, not only that none was found.
        inputs: what it reads.
        offline: whether it needs no network.
        seconds_per_page: a rough figure by which the work is cut into batches.
    """

    name: str
    version: str
    family: str
    config: str = ""
    asserts_null: bool = False
    inputs: frozenset[Input] = frozenset({Input.TEXT_LAYER})
    offline: bool = True
    seconds_per_page: float = 1.0


@runtime_checkable
class Extractor(Protocol):
    """One system. Build it without arguments, cheaply: settings come from the environment."""

    @property
    def info(self) -> ExtractorInfo:
        """Name, version and abilities; constant for the life of the object."""
        ...

    def available(self) -> str | None:
        """None if it can run here, or what is missing (a key, a program, a model) and how to get it. Never raises."""
        ...

    def extract(self, file: Path, schema: FrozenSchema, *, deadline: float) -> Ballot:
        """Read the document.

        Args:
            file: the document.
            schema: what to read; the ballot's data follows it.
            deadline: on the clock of ``time.monotonic``, when the answer is worth nothing any more. The caller ends
                the process then; an extractor that waits for others should give up before.

        Returns:
            A ballot under the extractor's own name and family. What went wrong is a failed ballot, or
            ``ExtractionFailed``; any other exception counts as ``internal``.
        """
        ...


class ExtractionFailed(Exception):
    """Raised inside an extractor that cannot answer: the kind of failure, and one line for a person."""

    def __init__(self, failure: Failure, detail: str) -> None:
        super().__init__(f"{failure}: {detail}")
        self.failure = failure
        self.detail = detail


def run(extractor: Extractor, file: Path, schema: FrozenSchema, *, deadline: float) -> Ballot:
    """The extractor's ballot, whatever happens: an exception becomes a failed ballot."""
    info = extractor.info
    try:
        return extractor.extract(file, schema, deadline=deadline)
    except ExtractionFailed as error:
        return Ballot.failed(info.name, info.family, error.failure, error.detail)
    except Exception as error:  # noqa: BLE001 - whatever an extractor raises costs its own vote only
        return Ballot.failed(info.name, info.family, Failure.INTERNAL, _one_line(error))


def _one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:500]
