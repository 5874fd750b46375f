"""What an extractor is: a system that reads one document under one schema and answers with one ballot.

An extractor is used in a process of its own, so it may hold native code, may take long, and may crash: all of that
costs its own vote and nothing else. It reads page by page through its job, so that a page on which it crashes or
hangs can be left out when it is asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from extractors.left_out import without_pages
from extractors.readings import Readings
from groundtruth.ballot import Ballot, Failure
from groundtruth.languages import DEFAULT_LANGUAGES
from groundtruth.schema import FrozenSchema

PAGE_CPU_SECONDS: Final = 60.0
_LONGEST_DETAIL: Final = 500


class Input(StrEnum):
    """What of a document an extractor reads."""

    TEXT_LAYER = "text_layer"
    PIXELS = "pixels"
    FORM_FIELDS = "form_fields"


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
        reads_languages: whether its answer depends on the languages of the dataset.
        samples: whether it may answer otherwise when it is asked again, as models do that draw their words.
        seconds_per_page: a rough figure by which the work is cut into batches and the time left is told.
        page_cpu_seconds: what one page may take of processor time; past it the page is left out.
        memory_mb: what its process may take of memory, in MiB; past it the document fails as ``capacity``.
        summary: one line for a person: what it reads, and how.
    """

    name: str
    version: str
    family: str
    config: str = ""
    asserts_null: bool = False
    inputs: frozenset[Input] = frozenset({Input.TEXT_LAYER})
    offline: bool = True
    reads_languages: bool = False
    samples: bool = False
    seconds_per_page: float = 1.0
    page_cpu_seconds: float = PAGE_CPU_SECONDS
    memory_mb: int = 2048
    summary: str = ""


def _hear_nothing(*_: object) -> None:
    """Nobody asked how far the reading is."""


@dataclass(frozen=True, slots=True)
class Job:
    """One document to read.

    Attributes:
        file: the document.
        schema: what to read; the ballot's data follows it.
        deadline: on the clock of ``time.monotonic``, when the answer is worth nothing any more. The caller ends the
            process then; an extractor that waits for others should give up before.
        languages: the languages of the dataset, ISO 639-1 codes, the main one first.
        skip: numbers of pages not to read, because the reading of them crashed or hung.
        readings: what was recognised on pages of this document before; keep there what costs much to read.
        began: hears of every page as it is begun: its number, and how many pages there are.
        finished: hears that the last page is read, so that no page is blamed for what comes after.
    """

    file: Path
    schema: FrozenSchema
    deadline: float
    languages: tuple[str, ...] = DEFAULT_LANGUAGES
    skip: frozenset[int] = frozenset()
    readings: Readings = field(default_factory=Readings)
    began: Callable[[int, int], object] = _hear_nothing
    finished: Callable[[], object] = _hear_nothing

    def pages(self, count: int) -> Iterator[int]:
        """The numbers of the pages to read, of a document of ``count`` pages, each said to be begun as it is taken.

        Read a page wholly before taking the next, and take them to the end: the page that was taken last is the one
        that is left out after a crash.
        """
        for number in range(1, count + 1):
            if number not in self.skip:
                self.began(number, count)
                yield number
        self.finished()


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

    def extract(self, job: Job) -> Ballot:
        """Read the document.

        Returns:
            A ballot under the extractor's own name and family. What went wrong is a failed ballot, or
            ``ExtractionFailed``; ``MemoryError`` counts as ``capacity``, any other exception as ``internal``.
        """
        ...


class ExtractionFailed(Exception):
    """Raised inside an extractor that cannot answer: the kind of failure, and one line for a person."""

    def __init__(self, failure: Failure, detail: str) -> None:
        super().__init__(f"{failure}: {detail}")
        self.failure = failure
        self.detail = detail


def run(extractor: Extractor, job: Job) -> Ballot:
    """The extractor's ballot, whatever happens: an exception becomes a failed ballot.

    A ballot made without some of the pages is partial: what stands on them nobody read.
    """
    info = extractor.info
    try:
        ballot: object = extractor.extract(job)
    except ExtractionFailed as error:
        return Ballot.failed(info.name, info.family, error.failure, error.detail)
    except MemoryError:
        return Ballot.failed(info.name, info.family, Failure.CAPACITY, over_memory(info))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever an extractor raises costs its own vote only
        return Ballot.failed(info.name, info.family, Failure.INTERNAL, one_line(f"{type(error).__name__}: {error}"))
    if not isinstance(ballot, Ballot):
        return Ballot.failed(
            info.name, info.family, Failure.INTERNAL, f"answered with a {type(ballot).__name__}, which is no ballot"
        )
    return without_pages(ballot, dict.fromkeys(job.skip, ""))


def over_memory(info: ExtractorInfo) -> str:
    """The detail of the failure ``capacity`` of an extractor that wanted more memory than it may have."""
    return f"needed more memory than its limit of {info.memory_mb:,} MiB"


def one_line(text: str) -> str:
    """A text as one line of bounded length, for a ballot's detail."""
    return " ".join(text.split())[:_LONGEST_DETAIL]
