"""What comes of extractions: each one's result, what is heard meanwhile, and the summary of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from extractors.left_out import pages_left_out
from groundtruth.ballot import Failure
from groundtruth.jsontext import Json

EXPECTED_FAILURES: Final = frozenset({Failure.UNSUPPORTED_INPUT})
"""What is said and is no finding: an image is no fault of an extractor of text."""

_CURES: Final[Mapping[Failure, str]] = {
    Failure.AUTH: "check the key",
    Failure.BUDGET_EXCEEDED: "allow it more, or choose another system",
    Failure.CAPACITY: "split the document, or leave this system out",
    Failure.INTERNAL: "its last words are in log/curate.jsonl",
    Failure.NOT_CONFIGURED: "`goldleaf extractors` says what it needs",
    Failure.RATE_LIMITED: "run it again later, with fewer --workers",
    Failure.TIMEOUT: "run it again on a less busy machine, or allow more with --timeout",
    Failure.TRANSIENT: "run it again",
}


class Outcome(StrEnum):
    """What became of one extraction."""

    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"


class Result(NamedTuple):
    """One extraction.

    Attributes:
        document: which document.
        system: by which extractor.
        outcome: what became of it.
        failure: the kind of failure, or "".
        detail: why it failed, or what was left out.
        pages: of the document, when it was read now.
    """

    document: str
    system: str
    outcome: Outcome
    failure: str = ""
    detail: str = ""
    pages: int = 0


class PageBegun(NamedTuple):
    """A page that an extractor begins to read now: the ``page``-th ``of`` so many."""

    document: str
    system: str
    page: int
    of: int


Event = Result | PageBegun
Listener = Callable[[Event], object]
"""Hears of every page as it is begun and of every extraction as it ends, from any thread."""


@dataclass(slots=True)
class CurateSummary:
    """What a run did.

    Attributes:
        done: extractions made now.
        skipped: extractions that were there.
        failed: failed extractions by kind, those that were there included.
        partial: extractions from which pages were left out, those that were there included.
        pages: pages read now, once for every extractor that read them.
        seconds: how long the run took on the clock.
        problems: each failure that is a finding, each extraction with pages left out, and each document or extractor
            that could not be used.
        remarks: each failure that is none, and what an extractor says was cut.
    """

    done: int = 0
    skipped: int = 0
    failed: dict[str, int] = field(default_factory=dict)
    partial: int = 0
    pages: int = 0
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def add(self, result: Result) -> None:
        """Count one result."""
        self.pages += result.pages
        if result.outcome is Outcome.FAILED:
            self.failed[result.failure] = self.failed.get(result.failure, 0) + 1
            expected = result.failure in set(map(str, EXPECTED_FAILURES))
            (self.remarks if expected else self.problems).append(_failure_line(result))
            return
        self.done += result.outcome is Outcome.DONE
        self.skipped += result.outcome is Outcome.SKIPPED
        if pages_left_out(result.detail):
            self.partial += 1
            self.problems.append(_left_out_line(result))
        elif result.detail:
            self.remarks.append(f"{result.document}: {result.system}: {result.detail}")

    def add_problems(self, reasons: Mapping[str, str]) -> None:
        """Add what went wrong with documents after the extractions, by document."""
        self.problems += [f"{document}: {reason}" for document, reason in reasons.items()]

    @classmethod
    def of(cls, results: Iterable[Result]) -> CurateSummary:
        """The summary of results, in the order of documents and systems."""
        summary = cls()
        for result in sorted(results):
            summary.add(result)
        return summary

    def to_json(self) -> dict[str, Json]:
        """The record in a command's ``--json``."""
        return {**asdict(self), "failed": dict(sorted(self.failed.items()))}


def _failure_line(result: Result) -> str:
    line = f"{result.document}: {result.system}: {result.failure}: {result.detail}"
    cure = _CURES.get(Failure(result.failure))
    return f"{line} ({cure})" if cure else line


def _left_out_line(result: Result) -> str:
    ballot = f"ballots/{result.document}/{result.system}.json"
    return (
        f"{result.document}: {result.system}: {result.detail} "
        f"(it abstains on what stands there; delete {ballot} to let it read again)"
    )
