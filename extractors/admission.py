"""What an extractor's answer must be to count, whatever the extractor says: it may lie, and costs only its own vote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from extractors.protocol import ExtractorInfo, one_line
from groundtruth.ballot import Ballot, Failure, Status
from groundtruth.evidence import Evidence, Source
from groundtruth.jsontext import Json
from groundtruth.path import Path
from groundtruth.wording import counted


def admitted(ballot: Ballot, info: ExtractorInfo, pages: int | None) -> Ballot:
    """The ballot as it may vote, or a failed one that says why it may not.

    A citation of a page that the document does not have, or for a place that the answer does not have, is dropped and
    counted in the detail; the value stays. A null asserts no more than the extractor is known to be able to. What the
    schema does not declare the vote leaves out.

    Args:
        ballot: what the extractor answered.
        info: of the extractor that was asked.
        pages: of the document; None leaves the pages of citations unchecked.
    """
    fault = _fault(ballot, info)
    if fault is not None:
        return Ballot.failed(info.name, info.family, *fault)
    citations, dropped = _citations(ballot, info.name, pages)
    notes = [one_line(ballot.detail)] if ballot.detail else []
    notes += [f"{counted(count, 'citation')} {what}" for what, count in sorted(dropped.items())]
    return replace(
        ballot,
        detail="; ".join(notes),
        asserts_null=ballot.asserts_null and info.asserts_null,
        citations=citations,
    )


def _fault(ballot: Ballot, info: ExtractorInfo) -> tuple[Failure, str] | None:
    if (ballot.system, ballot.family) != (info.name, info.family):
        return Failure.INTERNAL, one_line(f"answered as {ballot.system} of the family {ballot.family}")
    if (ballot.status is Status.FAILED) != (ballot.failure is not None):
        return Failure.INTERNAL, f"answered {ballot.status} with the failure {ballot.failure}"
    if ballot.usable and not isinstance(ballot.data, dict):
        return Failure.SCHEMA_INVALID, f"answered with a {type(ballot.data).__name__}, not with an object"
    return None


def _citations(
    ballot: Ballot, system: str, pages: int | None
) -> tuple[Mapping[Path, tuple[Evidence, ...]], Counter[str]]:
    kept: dict[Path, tuple[Evidence, ...]] = {}
    dropped: Counter[str] = Counter()
    for path, places in ballot.citations.items():
        if not _is_there(ballot.data, path):
            dropped["of no value dropped"] += len(places)
            continue
        real = [place for place in places if pages is None or place.page <= pages]
        dropped["of absent pages dropped"] += len(places) - len(real)
        if real:
            own = {"source": Source.CITED, "systems": (system,)}
            kept[path] = tuple(place.model_copy(update=own) for place in real)
    return kept, +dropped


def _is_there(value: Json, path: Path) -> bool:
    for step in path:
        is_index = isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value)
        if not is_index and not (isinstance(value, dict) and step in value):
            return False
        value = value[step]
    return True
