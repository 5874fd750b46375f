"""How a batch of extractions is done, without the engine: each ballot is stored as soon as it is there."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from extractors.left_out import pages_left_out
from extractors.process import ExtractorProcess
from extractors.protocol import ExtractorInfo
from extractors.registry import load
from extractors.request import Request
from flows.curate_plan import Batch, Fingerprints, seconds_for, stored
from flows.curate_results import Event, Listener, Outcome, PageBegun, Result
from groundtruth.ballot import Ballot, Failure
from groundtruth.errors import ExtractorError, GoldleafError
from groundtruth.jsontext import Json
from groundtruth.store import Dataset

Lender = Callable[[str, ExtractorInfo], AbstractContextManager[ExtractorProcess]]
"""Gives a process for an extractor, by its spec, for a while."""

_LOCKS: Final = 4096


class _Reader(NamedTuple):
    """One extractor at work on one dataset."""

    dataset: Dataset
    info: ExtractorInfo
    process: ExtractorProcess
    seconds: float | None
    listener: Listener


def run_batch(
    dataset: Dataset,
    batch: Batch,
    *,
    seconds: float | None = None,
    listener: Listener | None = None,
    lender: Lender = ExtractorProcess,
) -> list[Result]:
    """Do the extractions of a batch, each in a process apart from this one, and store their ballots.

    Another run that does the same at the same time waits for the ballot and then skips it. A document that cannot be
    used costs only itself; an extractor that cannot start costs its batch.

    Args:
        dataset: where documents are read and ballots stored.
        batch: what to do.
        seconds: what one document may take; None for what its pages need.
        listener: hears of every page and every result.
        lender: where the process comes from.
    """
    info = load(batch.extractor).info
    heard = listener or _hear_nothing
    results: list[Result] = []
    with lender(batch.extractor, info) as process:
        reader = _Reader(dataset, info, process, seconds, heard)
        for document_id in batch.documents:
            try:
                result = _extract(reader, document_id)
            except GoldleafError as error:
                result = Result(document_id, info.name, Outcome.FAILED, _kind(error), str(error))
            results.append(result)
            heard(result)
    return results


def dataset_at(path: str) -> Dataset:
    """The dataset that a flow's parameter names."""
    return Dataset.open(Path(path))


def _hear_nothing(event: Event) -> None:
    """Nobody listens."""


def _extract(reader: _Reader, document_id: str) -> Result:
    dataset, info = reader.dataset, reader.info
    with dataset.lock(_lock_name(document_id, info.name)):
        document = dataset.document(document_id)
        fingerprints = Fingerprints(dataset)
        fingerprint = fingerprints.of(document, info)
        there = stored(dataset, document, info, fingerprint)
        if there is not None:
            return there
        request = Request(
            dataset.document_file(document_id),
            fingerprints.schema(document),
            seconds_for(document.pages) if reader.seconds is None else reader.seconds,
            languages=dataset.languages,
            readings=dataset.readings_folder(document_id),
            pages=document.pages,
        )
        started = time.monotonic()
        ballot = reader.process.extract(request, partial(_hear_page, reader, document_id))
        if ballot.failure is not Failure.CANCELLED:
            dataset.put_ballot(document_id, ballot, fingerprint=fingerprint)
    pages = document.pages - len(pages_left_out(ballot.detail)) if ballot.usable else 0
    _log(reader, document_id, ballot, time.monotonic() - started, pages)
    if ballot.failure is not None:
        return Result(document_id, info.name, Outcome.FAILED, str(ballot.failure), ballot.detail)
    return Result(document_id, info.name, Outcome.DONE, detail=ballot.detail, pages=pages)


def _hear_page(reader: _Reader, document_id: str, page: int, count: int) -> None:
    reader.listener(PageBegun(document_id, reader.info.name, page, count))


def _lock_name(document_id: str, system: str) -> str:
    """One of a bounded number of locks; two extractions that share one only wait for one another."""
    digest = hashlib.sha256(f"{document_id}\n{system}".encode()).hexdigest()
    return f"extract-{int(digest, 16) % _LOCKS:04d}"


def _kind(error: GoldleafError) -> str:
    return str(Failure.NOT_CONFIGURED) if isinstance(error, ExtractorError) else str(Failure.INTERNAL)


def _log(reader: _Reader, document_id: str, ballot: Ballot, seconds: float, pages: int) -> None:
    fell = ballot.failure is Failure.INTERNAL or bool(pages_left_out(ballot.detail))
    record: dict[str, Json] = {
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "document": document_id,
        "system": reader.info.name,
        "version": reader.info.version,
        "pages": pages,
        "seconds": math.floor(seconds * 1000) / 1000,
        "failure": None if ballot.failure is None else str(ballot.failure),
        "detail": ballot.detail,
        "stderr": reader.process.last_words if fell else "",
    }
    reader.dataset.append_log("curate", record)
