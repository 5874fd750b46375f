"""Which extractions are due in a dataset, and how they are cut into batches.

The files of the dataset are the truth. An extraction is due unless its ballot is there under the same fingerprint;
the ballot is the last thing written, whole or not at all, so an interrupted run leaves only finished extractions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from extractors.protocol import Extractor, ExtractorInfo
from flows.curate_results import Outcome, Result
from groundtruth import jsontext
from groundtruth.ballot import Failure
from groundtruth.document import Document
from groundtruth.errors import DatasetError, GoldleafError
from groundtruth.jsontext import Json
from groundtruth.schema import FrozenSchema
from groundtruth.store import Dataset

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

_DOCUMENT_SECONDS: Final = 300.0
_PAGE_SECONDS: Final = 60.0
_BATCH_SECONDS: Final = 2.0
"""Work is cut so that a task of the engine lasts about this long or longer; below it the engine costs more."""


class Due(NamedTuple):
    """An extraction that is due: of which document by which system, its pages, and about how long it takes."""

    document: str
    system: str
    pages: int
    seconds: float


class Batch(NamedTuple):
    """Extractions that one process does one after another: the extractor's spec, and the documents."""

    extractor: str
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The work that is due, the longest batches first, and what is already known without it."""

    batches: tuple[Batch, ...]
    due: tuple[Due, ...]
    known: tuple[Result, ...]


def seconds_for(pages: int) -> float:
    """What one extractor may take for a document of so many pages, by default."""
    return _DOCUMENT_SECONDS + _PAGE_SECONDS * pages


def plan(dataset: Dataset, extractors: Mapping[str, Extractor], documents: str = "*") -> Plan:
    """The extractions that are due on the documents whose id fits the pattern.

    Raises:
        DatasetError: no document fits a pattern that is not the default.
    """
    chosen = [document for document in dataset.documents() if fnmatchcase(document.id, documents)]
    if not chosen and documents != "*":
        raise DatasetError(f"{dataset.root}: no document fits {documents!r}; list them with `goldleaf status`")
    fingerprints = Fingerprints(dataset)
    work: list[tuple[float, Batch]] = []
    due: list[Due] = []
    known: list[Result] = []
    for spec, extractor in extractors.items():
        info = extractor.info
        own: list[Due] = []
        for document in chosen:
            there = stored(dataset, document, info, fingerprints.of(document, info))
            if there is None:
                own.append(Due(document.id, info.name, document.pages, info.seconds_per_page * document.pages))
            else:
                known.append(there)
        work += _batches(spec, own)
        due += own
    # A long document that is begun last would keep everybody waiting. Equally long ones stay in their order.
    work.sort(key=lambda one: -one[0])
    return Plan(tuple(batch for _, batch in work), tuple(due), tuple(known))


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
        parts: dict[str, Json] = {
            "document": document.sha256,
            "extractor": [info.name, info.version, info.config],
            "schema": self._schema(document.schema_name)[1],
        }
        if info.reads_languages:
            parts["languages"] = list(self._languages)
        return _digest(parts)

    def _schema(self, name: str) -> tuple[FrozenSchema, str]:
        if name not in self._schemas:
            schema = self._dataset.schema(name)
            self._schemas[name] = schema, _digest([schema.source, schema.rules.to_json()])
        return self._schemas[name]


def stored(dataset: Dataset, document: Document, info: ExtractorInfo, fingerprint: str) -> Result | None:
    """The result that is there and stands, or None when the extraction is due."""
    try:
        if dataset.ballot_fingerprint(document.id, info.name) != fingerprint:
            return None
        (ballot,) = dataset.ballots(document.id, [info.name])
    except (GoldleafError, ValueError):
        return None  # damaged, or gone since: make it again
    if ballot.failure is None:
        return Result(document.id, info.name, Outcome.SKIPPED, detail=ballot.detail)
    if ballot.failure in LASTING_FAILURES:
        return Result(document.id, info.name, Outcome.FAILED, str(ballot.failure), ballot.detail)
    return None


def _batches(spec: str, due: Iterable[Due]) -> Iterator[tuple[float, Batch]]:
    """Documents in batches of about ``_BATCH_SECONDS``, the longest first, each with how long it takes."""
    run: list[str] = []
    expected = 0.0
    for one in sorted(due, key=lambda one: -one.seconds):
        run.append(one.document)
        expected += one.seconds
        if expected >= _BATCH_SECONDS:
            yield expected, Batch(spec, tuple(run))
            run, expected = [], 0.0
    if run:
        yield expected, Batch(spec, tuple(run))


def _digest(value: Json) -> str:
    return hashlib.sha256(jsontext.dumps(value).encode()).hexdigest()
