"""Bringing what systems returned into a dataset: files matched to documents, read, stored, and accounted for.

Every file and every document ends in one of the lists of the report; nothing is passed over in silence.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from groundtruth.ballot import Ballot, Failure, Status
from groundtruth.ballot_files import MAX_BALLOT_BYTES, VoteFile, one_line, parse_vote_file, read_ballot
from groundtruth.ballot_status import failure_of
from groundtruth.errors import BallotError
from groundtruth.jsontext import Json
from groundtruth.page_files import shown
from groundtruth.store import Dataset
from groundtruth.store_ballots import Change, checked_system
from groundtruth.wording import counted

_ERRORS_FILE: Final = "_errors.json"
_RESULT: Final = ".result.json"
_JSON: Final = ".json"


@dataclass(frozen=True, slots=True)
class Imported:
    """One ballot that was stored, usable or not.

    Attributes:
        document: whose ballot it is.
        file: where it was read from.
        change: what it did to the dataset.
        status: whether it votes.
        failure: why it does not, or None.
        detail: one line about the failure, or about what was left out.
    """

    document: str
    file: Path
    change: Change
    status: Status
    failure: Failure | None
    detail: str


class Unused(NamedTuple):
    """A file that gave no ballot, and why."""

    file: Path
    reason: str


@dataclass(slots=True)
class ImportReport:
    """What an import did.

    Attributes:
        system: whose votes they are.
        family: the system's family.
        imported: the stored ballots, by document.
        unmatched: files that belong to no document of the dataset.
        rivals: files of which several claim one document; none of them was taken.
        missing: documents that have no ballot of the system, now that the import is done.
    """

    system: str
    family: str
    imported: list[Imported] = field(default_factory=list)
    unmatched: list[Unused] = field(default_factory=list)
    rivals: list[Unused] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    @property
    def unusable(self) -> list[Imported]:
        """The stored ballots that abstain."""
        return [one for one in self.imported if one.status is Status.FAILED]

    def count(self, change: Change) -> int:
        """How many ballots were new, replaced or unchanged."""
        return sum(one.change is change for one in self.imported)


class _Vote(NamedTuple):
    """A ballot-to-be: a parsed file with the bytes to keep, or an entry of an errors file."""

    file: Path
    parsed: VoteFile | None
    raw: bytes
    error: Json = None


def import_votes(
    dataset: Dataset,
    paths: Sequence[Path],
    *,
    system: str,
    family: str | None = None,
    progress: Callable[[Iterable[Path]], Iterable[Path]] = iter,
) -> ImportReport:
    """Read a system's answers from files and folders and store them as ballots.

    A file belongs to the document whose id is the file's name without ``.json`` or ``.result.json``, or, when it is a
    result of ExtractBench, the last part of its ``example_id``. Folders are searched to the bottom for ``.json``.

    Args:
        dataset: where the documents are.
        paths: files and folders.
        system: whose answers they are.
        family: the system's family, by default a family of its own.
        progress: wraps the files as they are read, to show how far it is.

    Raises:
        BallotError: a path is not there, or no file belongs to any document.
        DatasetError: the system's name cannot be a file name.
    """
    system = checked_system(system)
    report = ImportReport(system, family or system)
    ids = frozenset(dataset.document_ids())
    claims: dict[str, list[_Vote]] = defaultdict(list)
    errors: dict[str, list[_Vote]] = defaultdict(list)
    files = collect_files(paths)
    for file in progress(files):
        for document, vote in _votes(file, ids, report):
            (claims if vote.error is None else errors)[document].append(vote)
    # A result is what came of a document that failed at first.
    for document in errors.keys() - claims.keys():
        claims[document] = errors[document]
    if not claims:
        raise BallotError(_nothing_matched(dataset, paths, files))
    for document in sorted(claims):
        votes = claims[document]
        if len(votes) > 1:
            others = ", ".join(shown(vote.file) for vote in votes)
            report.rivals += [Unused(vote.file, f"several files for {document!r}: {others}") for vote in votes]
        else:
            report.imported.append(_store(dataset, document, votes[0], report))
    report.missing = [document for document in sorted(ids) if system not in dataset.ballot_systems(document)]
    return report


def collect_files(paths: Iterable[Path]) -> list[Path]:
    """The files that ``paths`` name, and those ending in ``.json`` in the folders among them, sorted, each once.

    Raises:
        BallotError: a path is neither a file nor a folder.
    """
    found: set[Path] = set()
    for path in paths:
        if path.is_dir():
            found.update(file for file in path.rglob(f"*{_JSON}") if file.is_file())
        elif path.is_file():
            found.add(path)
        else:
            raise BallotError(f"{shown(path)}: is neither a file nor a folder; give the files that the system returned")
    return sorted(found)


def _votes(file: Path, ids: frozenset[str], report: ImportReport) -> Iterator[tuple[str, _Vote]]:
    """The votes that a file holds, each with its document; what belongs to none goes into the report."""
    raw = _read(file)
    parsed = parse_vote_file(raw, source=shown(file)) if isinstance(raw, bytes) else VoteFile(None, raw, shown(file))
    kept = raw if isinstance(raw, bytes) else b""
    if file.name == _ERRORS_FILE and isinstance(parsed.root, list):
        yield from _error_entries(file, parsed.root, ids, report)
        return
    document, reason = _document(file, parsed, ids)
    if document is None:
        report.unmatched.append(Unused(file, reason))
    else:
        yield document, _Vote(file, parsed, kept)


def _document(file: Path, parsed: VoteFile, ids: frozenset[str]) -> tuple[str | None, str]:
    """The document that a file belongs to; when there is none, why."""
    by_name = _by_name(file, ids)
    by_content = None if parsed.example_id is None else _by_example(parsed.example_id, ids)
    if by_name and by_content and by_name != by_content:
        return None, f"its name says {by_name!r}, its example_id says {by_content!r}"
    return by_content or by_name, "no document has this id"


def _by_name(file: Path, ids: frozenset[str]) -> str | None:
    name = unicodedata.normalize("NFC", file.name)
    candidates = [name.removesuffix(suffix) for suffix in (_JSON, _RESULT) if name.endswith(suffix)]
    return next((stem for stem in candidates or [PurePosixPath(name).stem] if stem in ids), None)


def _by_example(example_id: str, ids: frozenset[str]) -> str | None:
    last = PurePosixPath(unicodedata.normalize("NFC", example_id))
    return next((name for name in (last.name, last.stem) if name in ids), None)


def _error_entries(
    file: Path, entries: list[Json], ids: frozenset[str], report: ImportReport
) -> Iterator[tuple[str, _Vote]]:
    for number, entry in enumerate(entries):
        example = entry.get("example_id") if isinstance(entry, dict) else None
        document = _by_example(example, ids) if isinstance(example, str) else None
        if document is None:
            report.unmatched.append(Unused(file, f"entry {number}: no document has the id {example!r}"))
        else:
            yield document, _Vote(file, None, b"", entry)


def _store(dataset: Dataset, document_id: str, vote: _Vote, report: ImportReport) -> Imported:
    ballot = _ballot(dataset, document_id, vote, report)
    raw = (vote.raw, vote.file.suffix.removeprefix(".").lower()) if vote.raw else None
    change = dataset.put_ballot(document_id, ballot, raw=raw)
    return Imported(document_id, vote.file, change, ballot.status, ballot.failure, ballot.detail)


def _ballot(dataset: Dataset, document_id: str, vote: _Vote, report: ImportReport) -> Ballot:
    if vote.parsed is None:
        kind = failure_of(vote.error.get("error_type")) or Failure.INTERNAL
        said = vote.error.get("error") or vote.error.get("error_type") or "the run failed"
        return Ballot.failed(report.system, report.family, kind, one_line(str(said)))
    document = dataset.document(document_id)
    return read_ballot(
        vote.parsed,
        system=report.system,
        family=report.family,
        schema=dataset.schema(document.schema_name),
        page_count=document.pages,
    ).ballot


def _read(file: Path) -> bytes | str:
    """The file's bytes, or why there are none."""
    try:
        size = file.stat().st_size
        return f"{size:,} bytes are more than {MAX_BALLOT_BYTES:,}" if size > MAX_BALLOT_BYTES else file.read_bytes()
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"


def _nothing_matched(dataset: Dataset, paths: Sequence[Path], files: Sequence[Path]) -> str:
    where = ", ".join(map(shown, paths))
    ids = dataset.document_ids()
    if not ids:
        return f"{dataset.root}: holds no document to vote on; add some with `goldleaf add`"
    if not files:
        return f"{where}: holds no .json file; give the files that the system returned"
    return (
        f"{where}: none of {counted(len(files), 'file')} belongs to a document of {dataset.root}; "
        f"name each after its document, like {ids[0]}{_JSON}"
    )
