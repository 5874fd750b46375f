"""What the reader of a public benchmark hands over: documents with their truth, not yet in any dataset.

A reader lists its entries cheaply and reads each when it is asked to, so that one bad document costs itself only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from groundtruth import jsontext
from groundtruth.errors import DatasetError, JsonError
from groundtruth.jsontext import Json
from groundtruth.page_files import shown
from groundtruth.truth import TruthEvidence


class Code(StrEnum):
    """What an import finds wrong, beside the faults of ``truth_check``."""

    UNREADABLE = "unreadable"
    DUPLICATE_ID = "duplicate_id"
    SCHEMA_REFUSED = "schema_refused"
    SCHEMA_WRAPPED = "schema_wrapped"
    IDENTITY_REFUSED = "identity_refused"
    DOCUMENT_REFUSED = "document_refused"
    DOCUMENT_DIFFERS = "document_differs"
    TRUTH_DIFFERS = "truth_differs"
    HASH_DIFFERS = "hash_differs"
    BAD_EVIDENCE = "bad_evidence"
    EVIDENCE_WITHOUT_VALUE = "evidence_without_value"
    UNKNOWN_NORMALIZER = "unknown_normalizer"
    TWO_RULE_CONTAINERS = "two_rule_containers"
    BALLOT_UNUSABLE = "ballot_unusable"


class Finding(NamedTuple):
    """Something wrong in the source: of which document, what, at which path of its truth, in one sentence."""

    document: str
    code: str
    path: str
    message: str


class LeftOut(NamedTuple):
    """Something of the source that has no place in a dataset of ours, and why."""

    what: str
    reason: str


@dataclass(slots=True)
class Case:
    """One document of a benchmark, read.

    Attributes:
        value: its truth; whether that is an object is checked later.
        schema: the JSON Schema, bare.
        schema_name: what to call the schema when the dataset does not have it yet; None is the document's id.
        file: the document's own file, or None when the source has none.
        identity: by array, ``orders.lines``, the names of the keys that tell its rows apart.
        evidence: by instance path in our spelling.
        normalizers: by instance path, names of normalizers.
        origin: where the document was obtained.
        license: under which terms it may be used.
        tags: free labels by name.
        further: what else the source says, kept with the truth under ``imported``.
        findings: what is wrong with it so far, as code, path and message.
        left_out: what has no place.
    """

    value: Json
    schema: Json
    schema_name: str | None = None
    file: Path | None = None
    identity: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    evidence: dict[str, tuple[TruthEvidence, ...]] = field(default_factory=dict)
    normalizers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    origin: str | None = None
    license: str | None = None
    tags: dict[str, str] = field(default_factory=dict)
    further: dict[str, Json] = field(default_factory=dict)
    findings: list[tuple[str, str, str]] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


class Entry(NamedTuple):
    """A document of the source that was found and not yet read.

    Attributes:
        source_id: what the source calls it, ``short/inv_0042``; unique in the source.
        stem: the last part of that, which becomes the id when no other entry has it.
        read: reads it; raises GoldleafError.
    """

    source_id: str
    stem: str
    read: Callable[[], Case]


class Vote(NamedTuple):
    """A file with what a system returned on one entry."""

    system: str
    file: Path
    source_id: str


@dataclass(slots=True)
class Listing:
    """All that a source holds.

    Attributes:
        entries: its documents.
        votes: answers of systems whose entry is known.
        runs: folders of answers by system; which entry each file belongs to is said by its name or content.
        families: systems that are not independent, by system.
        findings: what is wrong with the source itself.
        left_out: what of it has no place.
    """

    entries: list[Entry] = field(default_factory=list)
    votes: list[Vote] = field(default_factory=list)
    runs: dict[str, Path] = field(default_factory=dict)
    families: dict[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


class Source:
    """The folder that is read, and nothing beside it.

    A path that a file of the source names may not leave it. Links may not either, but for those of a snapshot of the
    Hugging Face hub, whose files are links into ``blobs`` beside ``snapshots``.
    """

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            state = "is a file" if root.exists() else "is not there"
            raise DatasetError(f"{shown(root)}: {state}; give the folder of the benchmark")
        self.root = root.absolute()
        real = root.resolve()
        self._homes = [real]
        if real.parent.name == "snapshots":
            self._homes.append(real.parent.parent / "blobs")
        self._by_folder: dict[Path, dict[str, list[Path]]] = {}

    def named(self, text: str) -> Path:
        """The file that a path in the source names, below its root.

        Raises:
            DatasetError: the path leaves the source.
        """
        path = Path(text)
        if path.is_absolute() and path.is_relative_to(self.root):
            path = path.relative_to(self.root)
        if path.is_absolute() or ".." in path.parts or "\0" in text or not text:
            raise DatasetError(f"{text!r}: leads out of {shown(self.root)}; a path of a benchmark stays inside it")
        return self.checked(self.root / path)

    def checked(self, path: Path) -> Path:
        """``path``, once it is known that no link on it leads out of the source.

        Raises:
            DatasetError: one does.
        """
        real = path.resolve()
        if not any(real.is_relative_to(home) for home in self._homes):
            raise DatasetError(f"{shown(path)}: is a link out of {shown(self.root)}; put the file itself there")
        return path

    def json(self, path: Path) -> Json:
        """The JSON in a file of the source, read strictly: a truth with NaN or a key twice is none.

        Raises:
            JsonError: it cannot be read, or is no such JSON; the message names it.
            DatasetError: it leads out of the source.
        """
        return jsontext.load_file(self.checked(path))

    def relative(self, path: Path) -> str:
        """How a path is shown to a person: below the root."""
        return shown(path.relative_to(self.root)) if path.is_relative_to(self.root) else shown(path)

    def beside(self, folder: Path, stem: str) -> list[Path]:
        """The files in a folder that bear a name without their last suffix and are no JSON, PDFs first."""
        if folder not in self._by_folder:
            found: dict[str, list[Path]] = {}
            for file in sorted(folder.iterdir()) if folder.is_dir() else []:
                if file.suffix.lower() not in _NO_DOCUMENT and not file.name.startswith(".") and file.is_file():
                    found.setdefault(file.stem, []).append(file)
            self._by_folder[folder] = found
        files = self._by_folder[folder].get(stem, [])
        return sorted(files, key=lambda file: (file.suffix.lower() != ".pdf", file.name))


_NO_DOCUMENT: Final = frozenset({".json", ".jsonl", ".parquet", ".py", ".lock", ".gitattributes", ""})


def take_document(case: Case, source: Source, files: list[Path]) -> None:
    """Make the first of the files that bear a document's name its own; the others have no place."""
    if files:
        case.file = source.checked(files[0])
        case.left_out += [
            LeftOut(source.relative(other), f"a second file of the document, beside {files[0].name}")
            for other in files[1:]
        ]


def object_of(data: Json, where: str) -> dict[str, Json]:
    """``data``, once it is known to be a JSON object.

    Raises:
        JsonError: it is none.
    """
    if not isinstance(data, dict):
        raise JsonError(f"{where}: a JSON object is needed, not {type(data).__name__}")
    return data


def bare_schema(schema: Json, where: str) -> tuple[dict[str, Json], dict[str, Json]]:
    """The JSON Schema itself, and what it was wrapped in (``{name, description, schema_definition}``).

    Raises:
        JsonError: it is no object, or says nothing.
    """
    found = object_of(schema, where)
    inner = found.get("schema_definition")
    wrapper: dict[str, Json] = {}
    if isinstance(inner, dict) and not found.keys() & {"properties", "$ref", "type"}:
        wrapper = {name: value for name, value in found.items() if name != "schema_definition"}
        found = inner
    if not found:
        raise JsonError(f"{where}: is empty; a schema says something")
    return found, wrapper
