"""A public benchmark's folder becomes a dataset of ours: documents, schemas, truth with its evidence, and ballots.

Every document, and everything in the source that has no place, ends in one of the lists of the report. What is done
is kept: a second run finds it and changes nothing.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from flows.benchmark import Case, Code, Entry, Finding, LeftOut, Listing, Source
from flows.benchmark_schemas import PlacedSchema, SchemaPlaces
from flows.benchmark_votes import Answer, Answers, failed_ballot, find_runs, in_our_spelling, match_answers
from groundtruth import jsontext
from groundtruth.ballot_files import parse_vote_file, read_ballot
from groundtruth.errors import DatasetError, DocumentError, GoldleafError, PathError
from groundtruth.jsontext import Json
from groundtruth.names import name_problem, proposed_name
from groundtruth.page_files import shown
from groundtruth.path import parse_path
from groundtruth.schema import DRAFT
from groundtruth.store import Dataset
from groundtruth.store_ballots import Change
from groundtruth.truth import GroundTruth
from groundtruth.truth_check import check_truth
from groundtruth.wording import counted

Named = tuple[Entry, str | None]
"""An entry and the id that its document gets; None for one that gets none."""

_WRAPPER: Final = "schema_wrapper"


class Layout(StrEnum):
    """The benchmarks whose folders are read."""

    EXTRACTBENCH = "extractbench"
    OMNIEXTRACTBENCH = "omniextractbench"
    DOCUBENCH = "docubench"
    CONTEXTUAL = "contextual"
    PAIRS = "pairs"


@dataclass(slots=True)
class Imported:
    """What became of one document of the source.

    Attributes:
        document: its id in the dataset.
        source_id: what the source calls it.
        schema: the dataset's name of its schema.
        schema_refused: whether the schema is only kept, because it does not compile.
        file: what adding its file did; None when it has no file there.
        truth: what storing its truth did; None when it has none there.
        ballots: what storing each system's answer did.
    """

    document: str
    source_id: str
    schema: str
    schema_refused: bool
    file: Change | None = None
    truth: Change | None = None
    ballots: dict[str, Change] = field(default_factory=dict)


@dataclass(slots=True)
class Report:
    """What an import did, in the order of the source."""

    documents: list[Imported] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def list_source(source: Path, layout: Layout, predictions: Path | None = None) -> tuple[Listing, Answers]:
    """What a benchmark's folder holds, and which answer is about which of its documents.

    Args:
        source: the folder.
        layout: whose folder it is.
        predictions: a folder of answers beside it, or None.

    Raises:
        DatasetError: the folder is not there.
        BallotError: it is no such benchmark, or holds no predictions.
        GoldleafError: a table cannot be read.
    """
    home = Source(source)
    listing = _lister(layout)(home)
    runs = dict(listing.runs)
    for system, folder in ({} if predictions is None else find_runs(predictions)).items():
        if system in runs:
            raise DatasetError(f"{shown(folder)}: {system} has answers in {shown(runs[system])} too; rename one")
        runs[system] = folder
    return listing, match_answers(listing, runs)


def import_listing(
    dataset: Dataset,
    listing: Listing,
    answers: Answers,
    *,
    families: dict[str, str] | None = None,
    replace: bool = False,
    progress: Callable[[Sequence[Named]], Iterable[Named]] = iter,
) -> Report:
    """Bring what was listed into a dataset.

    Args:
        dataset: where it goes.
        listing: from ``list_source``.
        answers: from ``list_source``.
        families: of systems that are not independent, by system; beside those that the listing knows.
        replace: whether a truth that is there with another content gives way.
        progress: wraps the entries as they are read, to show how far it is.

    Raises:
        DatasetError: the dataset cannot be written.
    """
    ids = _ids(listing)
    by_source = {entry.source_id: name for entry, name in reversed(ids) if name is not None}
    report = Report(findings=[*listing.findings], left_out=[*listing.left_out, *answers.left_out])
    report.findings += [one._replace(document=by_source.get(one.document, one.document)) for one in answers.findings]
    known = {**listing.families, **(families or {})}
    importer = _Importer(
        dataset, SchemaPlaces(dataset), report, known, replace=replace, there=set(dataset.document_ids())
    )
    for entry, name in progress(ids):
        if name is None:
            message = f"{entry.source_id}: another document of the source has this id; it was left out"
            report.findings.append(Finding(entry.source_id, Code.DUPLICATE_ID, "", message))
        else:
            importer.take(entry, name, answers.by_entry.get(entry.source_id, []))
    return report


def _lister(layout: Layout) -> Callable[[Source], Listing]:
    if layout is Layout.EXTRACTBENCH:
        from flows.benchmark_extractbench import list_extractbench

        return list_extractbench
    if layout is Layout.OMNIEXTRACTBENCH:
        from flows.benchmark_omni import list_omniextractbench

        return list_omniextractbench
    from flows import benchmark_pairs

    return {
        Layout.DOCUBENCH: benchmark_pairs.list_docubench,
        Layout.CONTEXTUAL: benchmark_pairs.list_contextual,
        Layout.PAIRS: benchmark_pairs.list_pairs,
    }[layout]


def _ids(listing: Listing) -> list[Named]:
    """The entries with their ids: the stem, the whole ``source_id`` where several have that, made fit for a file name.

    An entry that cannot be told from an earlier one has None.
    """
    stems = Counter(_nfc(entry.stem) for entry in listing.entries)
    found: list[Named] = []
    taken: set[str] = set()
    for entry in listing.entries:
        stem = _nfc(entry.stem)
        wanted = stem if stems[stem] == 1 else _nfc(entry.source_id).replace("/", "-")
        name = wanted if name_problem(wanted) is None else proposed_name(wanted)
        found.append((entry, None if name in taken else name))
        taken.add(name)
    return found


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


@dataclass(slots=True)
class _Importer:
    dataset: Dataset
    schemas: SchemaPlaces
    report: Report
    families: dict[str, str]
    replace: bool
    there: set[str]
    """The ids of the documents that the dataset has."""

    def take(self, entry: Entry, document_id: str, answers: list[Answer]) -> None:
        """Import one document; what is wrong with it costs no other."""
        try:
            case = entry.read()
            placed, findings = self.schemas.put(case, document_id)
        except GoldleafError as error:
            self._find(document_id, Code.UNREADABLE, "", str(error))
            return
        for code, path, message in (*case.findings, *findings):
            self._find(document_id, code, path, message)
        if _WRAPPER in case.further:
            message = "the schema is wrapped in an object that constrains nothing; its schema_definition was taken"
            self._find(document_id, Code.SCHEMA_WRAPPED, "", message)
        self.report.left_out += case.left_out
        imported = Imported(document_id, entry.source_id, placed.name, placed.compiled is None)
        self.report.documents.append(imported)
        imported.file = self._take_file(case, document_id, placed)
        imported.truth = self._take_truth(case, document_id, entry, placed)
        for answer in answers:
            self._take_answer(answer, imported, placed)

    def _find(self, document_id: str, code: str, path: str, message: str) -> None:
        self.report.findings.append(Finding(document_id, code, path, message))

    def _leave_out(self, what: str, reason: str) -> None:
        self.report.left_out.append(LeftOut(what, reason))

    def _take_file(self, case: Case, document_id: str, placed: PlacedSchema) -> Change | None:
        if case.file is None:
            reason = "the source has no file of it, so there is no document: its truth and ballots can be scored"
            self._leave_out(f"document {document_id}", reason)
            return None
        if placed.compiled is None:
            self._leave_out(shown(case.file), "a document needs a schema that compiles: its truth can be scored")
            return None
        if document_id in self.there:
            return self._compare_file(case.file, document_id)
        try:
            self.dataset.add_document(
                case.file,
                schema=placed.name,
                id=document_id,
                source=case.origin,
                license=case.license,
                tags=case.tags,
            )
        except (DocumentError, DatasetError) as error:
            self._find(document_id, Code.DOCUMENT_REFUSED, "", str(error))
            return None
        self.there.add(document_id)
        return Change.NEW

    def _compare_file(self, file: Path, document_id: str) -> Change | None:
        with file.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
        if found == self.dataset.document(document_id).sha256:
            return Change.UNCHANGED
        message = f"{shown(file)}: document {document_id!r} is there with other bytes; see `goldleaf replace`"
        self._find(document_id, Code.DOCUMENT_DIFFERS, "", message)
        return None

    def _take_truth(self, case: Case, document_id: str, entry: Entry, placed: PlacedSchema) -> Change | None:
        if not isinstance(case.value, dict):
            kind = type(case.value).__name__
            self._find(document_id, Code.UNREADABLE, "", f"the truth is no JSON object but {kind}, so there is none")
            return None
        for fault in check_truth(case.value, case.schema):
            self._find(document_id, fault.code, fault.path, fault.message)
        self._check_evidence(case, document_id)
        try:
            before = self.dataset.truth(document_id)
            version = placed.compiled.version if placed.compiled is not None else DRAFT
            truth = GroundTruth(
                document=document_id,
                schema_name=placed.name,
                value=case.value,
                evidence=case.evidence,
                # The schema may have been frozen since: that makes it no other truth.
                schema_version=before.schema_version if before is not None else version,
                normalizers=case.normalizers,
                tags=case.tags,
                further={"imported": {**case.further, "id": entry.source_id}},
            )
            return self.dataset.put_truth(truth, replace=self.replace)
        except GoldleafError as error:
            self._find(document_id, Code.TRUTH_DIFFERS, "", str(error))
            return None

    def _check_evidence(self, case: Case, document_id: str) -> None:
        pages = self.dataset.document(document_id).pages if document_id in self.there else None
        for path in sorted(case.evidence.keys() | case.normalizers.keys()):
            if not _holds(case.value, path):
                message = "has a rule, and the truth holds nothing there; the rule is kept"
                self._find(document_id, Code.EVIDENCE_WITHOUT_VALUE, path, message)
            late = sorted({one.page for one in case.evidence.get(path, ()) if one.page and pages and one.page > pages})
            if late:
                message = f"page {late[0]} is named, and the document has {pages}"
                self._find(document_id, Code.BAD_EVIDENCE, path, message)

    def _take_answer(self, answer: Answer, imported: Imported, placed: PlacedSchema) -> None:
        document_id, system = imported.document, answer.system
        where = f"{system} on {document_id}"
        if imported.truth is None and document_id not in self.there:
            self._leave_out(where, "there is neither a document nor a truth to keep the answer with")
            return
        family = self.families.get(system, system)
        raw: tuple[bytes, str] | None = None
        try:
            if answer.error is not None:
                ballot = failed_ballot(answer, family)
            else:
                content = jsontext.read_bytes(answer.file)
                raw = (content, answer.file.suffix.removeprefix(".").lower())
                pages = self.dataset.document(document_id).pages if imported.file is not None else None
                read = read_ballot(
                    in_our_spelling(parse_vote_file(content, source=shown(answer.file))),
                    system=system,
                    family=family,
                    schema=placed.compiled,
                    page_count=pages,
                )
                ballot = read.ballot
                for reason, count in read.citations.dropped.items():
                    self._leave_out(f"{counted(count, 'citation')} of {where}", reason.replace("_", " "))
            imported.ballots[system] = self.dataset.put_ballot(document_id, ballot, raw=raw)
        except GoldleafError as error:
            self._find(document_id, Code.BALLOT_UNUSABLE, "", f"{system}: {error}")
            return
        if not ballot.usable:
            self._find(document_id, Code.BALLOT_UNUSABLE, "", f"{system}: {ballot.failure}: {ballot.detail}")


def _holds(value: Json, path: str) -> bool:
    """Whether a value has the place, or null in the place of something around it."""
    try:
        steps = parse_path(path)
    except PathError:
        return False
    for step in steps:
        if value is None:
            return True
        if isinstance(value, dict):
            there = step in value
        else:
            there = isinstance(value, list) and isinstance(step, int) and step < len(value)
        if not there:
            return False
        value = value[step]
    return True
