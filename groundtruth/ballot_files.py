"""Ballots as other people's programs write them.

Three forms are read, told apart by what they hold:

- a bare extraction: the JSON object itself;
- an envelope ``{"status"?, "data": {...} | null, ...}`` around it, as runners of benchmarks keep it;
- a result file of ExtractBench: ``{"request", "output": {"extracted_data", "field_citations"}}``.

A file that nobody can vote with gives a failed ballot that says why, never an exception: one bad answer must not cost
the others. What can be trusted in part loses only the parts that cannot (``jsontext.Malformed``).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from groundtruth import jsontext
from groundtruth.ballot import Ballot, Failure, Status
from groundtruth.ballot_citations import Citations, read_citations
from groundtruth.ballot_status import read_status
from groundtruth.errors import JsonError
from groundtruth.jsontext import Json
from groundtruth.page_files import shown
from groundtruth.schema import FrozenSchema
from groundtruth.wording import counted

MAX_BALLOT_BYTES: Final = 256 * 1024 * 1024
"""Larger files are not read: 26,725 rows of 8 cells with a citation each are 28 MB."""

_DATA: Final = "data"
_SIBLINGS: Final = frozenset(
    {
        "citations",
        "confidence",
        "cost",
        "cost_usd",
        "created_at",
        "duration",
        "error",
        "error_type",
        "errors",
        "field_citations",
        "id",
        "job_id",
        "latency",
        "latency_in_ms",
        "latency_ms",
        "message",
        "meta",
        "metadata",
        "model",
        "num_pages",
        "ok",
        "pages",
        "provider",
        "request_id",
        "score",
        "status",
        "success",
        "time",
        "time_sec",
        "usage",
        "version",
        "warnings",
    }
)
"""What stands beside ``data`` in an envelope."""

_DETAIL_LENGTH: Final = 300


@dataclass(frozen=True, slots=True)
class VoteFile:
    """A file that a system's answer is in, as JSON.

    Attributes:
        root: what it holds; None when it cannot be read.
        problem: why it cannot be read, or "".
        source: its name, for messages.
    """

    root: Json
    problem: str
    source: str

    @property
    def example_id(self) -> str | None:
        """Which document an ExtractBench result says it is about (``short/inv_0042``), or None."""
        request = self.root.get("request") if isinstance(self.root, dict) else None
        found = request.get("example_id") if isinstance(request, dict) else None
        return found if isinstance(found, str) else None


@dataclass(frozen=True, slots=True)
class ImportedBallot:
    """A ballot and what reading it left out.

    Attributes:
        ballot: its ``detail`` has the notes as one line.
        notes: what a person should know, each a sentence without its full stop.
        citations: with the count of those that were dropped.
    """

    ballot: Ballot
    notes: tuple[str, ...] = ()
    citations: Citations = field(default_factory=lambda: Citations({}, {}))


@dataclass(frozen=True, slots=True)
class Answer:
    """The parts of a file, whatever its form.

    Attributes:
        data: the extraction.
        status: what its run says of itself.
        failure: why it failed, or None.
        notes: what a person should know.
        citations: as they stand in the file, unread.
    """

    data: Json
    status: Status = Status.OK
    failure: Failure | None = None
    notes: tuple[str, ...] = ()
    citations: Json = None


def parse_vote_file(text: bytes, *, source: str) -> VoteFile:
    """Read a file's JSON; whatever is wrong with it is said in ``problem``."""
    if len(text) > MAX_BALLOT_BYTES:
        return VoteFile(None, f"{len(text):,} bytes are more than {MAX_BALLOT_BYTES:,}", source)
    try:
        root = jsontext.loads_tolerant(text, source=source)
    except JsonError as error:
        return VoteFile(None, str(error).removeprefix(f"{source}: "), source)
    return VoteFile(root, "", source)


def read_ballot(
    file: VoteFile, *, system: str, family: str, schema: FrozenSchema | None, page_count: int | None = None
) -> ImportedBallot:
    """The ballot that a file holds; one that cannot be used is failed and abstains.

    Args:
        file: the parsed file.
        system: who answered.
        family: whose family it is of.
        schema: of the document, to tell an envelope from an extraction that has a field ``data``; None takes
            ``data`` beside an envelope's usual keys for an envelope.
        page_count: of the document, to refuse citations of pages that it does not have.
    """
    if file.problem:
        return ImportedBallot(Ballot.failed(system, family, Failure.INVALID_JSON, one_line(file.problem)))
    answer = answer_in(file.root, frozenset(schema.root.fields) if schema is not None else None)
    if answer.failure is None and not isinstance(answer.data, dict):
        answer = replace(
            answer, failure=Failure.SCHEMA_INVALID, notes=(*answer.notes, f"{_named(answer.data)} is not an object")
        )
    if answer.failure is not None:
        return ImportedBallot(Ballot.failed(system, family, answer.failure, one_line("; ".join(answer.notes))))
    citations = read_citations(answer.citations, answer.data, system=system, page_count=page_count)
    notes = (*answer.notes, *_notes(answer.data, schema, citations))
    ballot = Ballot(
        system,
        family,
        answer.status,
        data=answer.data,
        detail=one_line("; ".join(notes)),
        citations=citations.evidence,
    )
    return ImportedBallot(ballot, notes, citations)


def read_ballot_text(
    text: bytes, system: str, family: str, schema: FrozenSchema | None = None, source: str = "ballot"
) -> Ballot:
    """The ballot in a file's bytes; see ``read_ballot``."""
    return read_ballot(parse_vote_file(text, source=source), system=system, family=family, schema=schema).ballot


def answer_in(root: Json, declared: frozenset[str] | None) -> Answer:
    """The answer in a file's JSON, out of its envelope.

    Args:
        root: what the file holds.
        declared: the fields that the schema has at its root, to tell an envelope from an extraction that has a field
            ``data``; None when they are not known.
    """
    if not isinstance(root, dict):
        return Answer(None, failure=Failure.SCHEMA_INVALID, notes=(f"the root is {_named(root)}, not an object",))
    output = root.get("output")
    if isinstance(output, dict) and "extracted_data" in output and "output" not in (declared or ()):
        return Answer(output["extracted_data"], citations=output.get("field_citations"))
    if _is_envelope(root, declared):
        return _from_envelope(root)
    return Answer(root)


def _is_envelope(root: dict[str, Json], declared: frozenset[str] | None) -> bool:
    if _DATA not in root:
        return False
    data = root[_DATA]
    usual = len(root) == 1 or not _SIBLINGS.isdisjoint(root)
    if declared is None:
        return usual and (data is None or isinstance(data, dict))
    inside = len(declared & data.keys()) if isinstance(data, dict) else 0
    # A status beside the data is no sign of an extraction, though its schema may have one.
    outside = len(declared & root.keys() - _SIBLINGS)
    if _DATA in declared:
        # The reading that gives the schema more of its fields is meant; as many in both is the plain reading.
        return usual and inside > outside
    # An extraction has no business with a field that its schema lacks, but systems do invent fields.
    is_invented = bool(data) and outside > inside
    return (usual and not is_invented) or inside > outside


def _from_envelope(root: dict[str, Json]) -> Answer:
    data = root[_DATA]
    status, failure, notes = read_status(root, has_data=data is not None)
    if failure is None and data is None:
        failure, notes = Failure.SCHEMA_INVALID, (*notes, "data is null")
    return Answer(data, status, failure, notes, root.get("field_citations"))


def _notes(data: dict[str, Json], schema: FrozenSchema | None, citations: Citations) -> list[str]:
    notes = []
    if schema is not None and data and not data.keys() & schema.root.fields.keys():
        notes.append(f"none of its keys is in the schema ({_some(data)}), so it votes null everywhere")
    malformed = jsontext.find_malformed(data)
    if malformed:
        reasons = sorted({bad.reason.replace("_", " ") for bad in malformed})
        notes.append(f"{counted(len(malformed), 'value')} cannot be trusted ({', '.join(reasons)})")
    if citations.dropped:
        counts = ", ".join(f"{reason.replace('_', ' ')} {count}" for reason, count in citations.dropped.items())
        notes.append(f"{counted(sum(citations.dropped.values()), 'citation')} dropped ({counts})")
    return notes


def _named(value: Json) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "a boolean", int: "a number", Decimal: "a number"}
    return "null" if value is None else names.get(type(value), "a malformed value")


def _some(data: dict[str, Json]) -> str:
    keys = [repr(key) for key in data]
    return ", ".join(keys[:3]) + (", ..." if len(keys) > 3 else "")


def one_line(text: str) -> str:
    """Text that others wrote, fit for a line on a screen: no line ends, no control characters, not too long."""
    line = shown(" ".join(text.split()))
    return line if len(line) <= _DETAIL_LENGTH else line[: _DETAIL_LENGTH - 1] + "…"
