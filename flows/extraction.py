"""What `curate` does to a dataset, without the engine: which extractions are due, and how a batch of them is done.

The files of the dataset are the truth. An extraction is due unless its ballot is there under the same fingerprint;
the ballot is the last thing written, whole or not at all, so an interrupted run leaves only finished extractions.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, NamedTuple

from extractors.process import ExtractorProcess
from extractors.protocol import Extractor, ExtractorInfo
from extractors.registry import load
from extractors.request import Request
from groundtruth import jsontext
from groundtruth.ballot import Ballot, Failure
from groundtruth.document import Document
from groundtruth.errors import DatasetError, ExtractorError, GoldleafError
from groundtruth.jsontext import Json
from groundtruth.schema import FrozenSchema
from groundtruth.store import Dataset

DEADLINE_SECONDS: Final = 300.0
"""What one extractor may take for one document, by default."""

LASTING_FAILURES: Final = frozenset(
    {
        Failure.UNSUPPORTED_INPUT,
        Failure.SCHEMA_REJECTED,
        Failure.CAPACITY,
        Failure.REFUSED,
        Failure.INVALID_JSON,
        Failure.SCHEMA_INVALID,
    }
)
"""What the same extractor would answer again; every other failure is tried again by the next run."""

EXPECTED_FAILURES: Final = frozenset({Failure.UNSUPPORTED_INPUT})
"""What is said and is no finding: an image is no fault of an extractor of text."""

_BATCH_SECONDS: Final = 2.0
"""Work is cut so that a task of the engine lasts about this long or longer; below it the engine costs more."""
_LOCKS: Final = 4096


class Outcome(StrEnum):
    """What became of one extraction."""

    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"


class Result(NamedTuple):
    """One extraction: of which document by which system, what became of it, and why it failed."""

    document: str
    system: str
    outcome: Outcome
    failure: str = ""
    detail: str = ""


class Batch(NamedTuple):
    """Extractions that one process does one after another: the extractor's spec, and the documents."""

    extractor: str
    documents: tuple[str, ...]


Listener = Callable[[Result], object]
"""Hears of every extraction as it ends, from any thread."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The work that is due, and what is already known without it."""

    batches: tuple[Batch, ...]
    known: tuple[Result, ...]

    @property
    def due(self) -> int:
        """How many extractions are due."""
        return sum(len(batch.documents) for batch in self.batches)


@dataclass(slots=True)
class CurateSummary:
    """What a run did.

    Attributes:
        done: extractions made now.
        skipped: extractions that were there.
        failed: failed extractions by kind, those that were there included.
        problems: each failure that is a finding, and each document or extractor that could not be used.
        remarks: each failure that is none.
    """

    done: int = 0
    skipped: int = 0
    failed: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def add(self, result: Result) -> None:
        """Count one result."""
        if result.outcome is Outcome.FAILED:
            self.failed[result.failure] = self.failed.get(result.failure, 0) + 1
            line = f"{result.document}: {result.system}: {result.failure}: {result.detail}"
            expected = result.failure in set(map(str, EXPECTED_FAILURES))
            (self.remarks if expected else self.problems).append(line)
        elif result.outcome is Outcome.DONE:
            self.done += 1
        else:
            self.skipped += 1

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
        return {
            "done": self.done,
            "skipped": self.skipped,
            "failed": dict(sorted(self.failed.items())),
            "problems": self.problems,
            "remarks": self.remarks,
        }


def plan(dataset: Dataset, extractors: Mapping[str, Extractor], documents: str = "*") -> Plan:
    """The extractions that are due on the documents whose id fits the pattern.

    Raises:
        DatasetError: no document fits a pattern that is not the default.
    """
    chosen = [document for document in dataset.documents() if fnmatchcase(document.id, documents)]
    if not chosen and documents != "*":
        raise DatasetError(f"{dataset.root}: no document fits {documents!r}; list them with `goldleaf status`")
    batches: list[Batch] = []
    known: list[Result] = []
    fingerprints = Fingerprints(dataset)
    for spec, extractor in extractors.items():
        due: list[Document] = []
        for document in chosen:
            stored = _stored(dataset, document, extractor.info, fingerprints.of(document, extractor.info))
            if stored is None:
                due.append(document)
            else:
                known.append(stored)
        batches += _batches(spec, extractor.info, due)
    return Plan(tuple(batches), tuple(known))


def run_batch(
    dataset: Dataset,
    batch: Batch,
    *,
    seconds: float = DEADLINE_SECONDS,
    listener: Listener | None = None,
    running: Callable[[ExtractorProcess], AbstractContextManager[object]] | None = None,
) -> list[Result]:
    """Do the extractions of a batch, each in a process apart from this one, and store their ballots.

    Another run that does the same at the same time waits for the ballot and then skips it. A document that cannot be
    used costs only itself; an extractor that cannot start costs its batch.

    Args:
        dataset: where documents are read and ballots stored.
        batch: what to do.
        seconds: what one document may take.
        listener: hears of every result.
        running: a context that knows of the process while it runs, to stop it.
    """
    info = load(batch.extractor).info
    results: list[Result] = []
    with ExtractorProcess(batch.extractor, info) as process, (running or nullcontext)(process):
        for document_id in batch.documents:
            try:
                result = _extract(dataset, document_id, info, process, seconds)
            except GoldleafError as error:
                result = Result(document_id, info.name, Outcome.FAILED, _kind(error), str(error))
            results.append(result)
            if listener is not None:
                listener(result)
    return results


class Fingerprints:
    """Digests of all that extractions depend on.

    These are the document's bytes, the extractor as it is set, the schema, and for an extractor that reads languages
    those of the dataset. They are read once, so an object of this kind is for one short piece of work.
    """

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._languages = dataset.languages
        self._schemas: dict[str, tuple[FrozenSchema, str]] = {}

    def schema(self, document: Document) -> FrozenSchema:
        """The schema of a document."""
        return self._schema(document.schema_name)[0]

    def of(self, document: Document, info: ExtractorInfo) -> str:
        """The fingerprint of one extraction, in hexadecimal."""
        extractor = [info.name, info.version, info.config]
        parts: dict[str, Json] = {
            "document": document.sha256,
            "extractor": extractor,
            "schema": self._digest_of(document),
        }
        if info.reads_languages:
            parts["languages"] = list(self._languages)
        return _digest(parts)

    def _digest_of(self, document: Document) -> str:
        return self._schema(document.schema_name)[1]

    def _schema(self, name: str) -> tuple[FrozenSchema, str]:
        if name not in self._schemas:
            schema = self._dataset.schema(name)
            self._schemas[name] = schema, _digest([schema.source, schema.rules.to_json()])
        return self._schemas[name]


def _digest(value: Json) -> str:
    return hashlib.sha256(jsontext.dumps(value).encode()).hexdigest()


def _extract(
    dataset: Dataset, document_id: str, info: ExtractorInfo, process: ExtractorProcess, seconds: float
) -> Result:
    with dataset.lock(_lock_name(document_id, info.name)):
        document = dataset.document(document_id)
        fingerprints = Fingerprints(dataset)
        fingerprint = fingerprints.of(document, info)
        stored = _stored(dataset, document, info, fingerprint)
        if stored is not None:
            return stored
        started = time.monotonic()
        ballot = process.extract(
            Request(
                dataset.document_file(document_id),
                fingerprints.schema(document),
                seconds,
                languages=dataset.languages,
                readings=dataset.readings_folder(document_id),
                pages=document.pages,
            )
        )
        if ballot.failure is not Failure.CANCELLED:
            dataset.put_ballot(document_id, ballot, fingerprint=fingerprint)
    _log(dataset, document_id, info, ballot, time.monotonic() - started, process)
    if ballot.failure is None:
        return Result(document_id, info.name, Outcome.DONE)
    return Result(document_id, info.name, Outcome.FAILED, str(ballot.failure), ballot.detail)


def _stored(dataset: Dataset, document: Document, info: ExtractorInfo, fingerprint: str) -> Result | None:
    """The result that is there and stands, or None when the extraction is due."""
    try:
        if dataset.ballot_fingerprint(document.id, info.name) != fingerprint:
            return None
        (ballot,) = dataset.ballots(document.id, [info.name])
    except (GoldleafError, ValueError):
        return None  # damaged, or gone since: make it again
    if ballot.failure is None:
        return Result(document.id, info.name, Outcome.SKIPPED)
    if ballot.failure in LASTING_FAILURES:
        return Result(document.id, info.name, Outcome.FAILED, str(ballot.failure), ballot.detail)
    return None


def _batches(spec: str, info: ExtractorInfo, due: Sequence[Document]) -> list[Batch]:
    """The documents cut into batches of about ``_BATCH_SECONDS``, in their order."""
    batches: list[Batch] = []
    run: list[str] = []
    expected = 0.0
    for document in due:
        run.append(document.id)
        expected += info.seconds_per_page * document.pages
        if expected >= _BATCH_SECONDS:
            batches.append(Batch(spec, tuple(run)))
            run, expected = [], 0.0
    if run:
        batches.append(Batch(spec, tuple(run)))
    return batches


def _lock_name(document_id: str, system: str) -> str:
    """One of a bounded number of locks; two extractions that share one only wait for one another."""
    digest = hashlib.sha256(f"{document_id}\n{system}".encode()).hexdigest()
    return f"extract-{int(digest, 16) % _LOCKS:04d}"


def _kind(error: GoldleafError) -> str:
    return str(Failure.NOT_CONFIGURED) if isinstance(error, ExtractorError) else str(Failure.INTERNAL)


def _log(
    dataset: Dataset, document_id: str, info: ExtractorInfo, ballot: Ballot, seconds: float, process: ExtractorProcess
) -> None:
    failure = None if ballot.failure is None else str(ballot.failure)
    record: dict[str, Json] = {
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "document": document_id,
        "system": info.name,
        "version": info.version,
        "seconds": math.floor(seconds * 1000) / 1000,
        "failure": failure,
        "detail": ballot.detail,
        "stderr": process.last_words if failure == Failure.INTERNAL else "",
    }
    dataset.append_log("curate", record)


def dataset_at(path: str) -> Dataset:
    """The dataset that a flow's parameter names."""
    return Dataset.open(Path(path))
