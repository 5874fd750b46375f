"""The artefacts of a dataset folder: what is kept per document beside its ballots, each a file that appears whole."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

from groundtruth import jsontext
from groundtruth.decision import DecisionLog, Entry
from groundtruth.errors import DatasetError
from groundtruth.jsontext import Json
from groundtruth.names import checked_name
from groundtruth.store_ballots import Change
from groundtruth.store_documents import Documents
from groundtruth.store_folder import Folder, encoded
from groundtruth.truth import GroundTruth


class Artefact(StrEnum):
    """What is kept per document beside its ballots; each is a folder of the dataset."""

    CONSENSUS = "consensus"
    QUEUE = "queue"
    DECISIONS = "decisions"
    TRUTH = "truth"
    RECIPES = "recipes"


class Artefacts:
    """Truths, decisions, and all else that steps write of a document; ``Dataset`` is one."""

    def __init__(self, root: Path) -> None:
        self._folder = Folder(root)
        self._documents = Documents(self._folder)

    # Truth

    def truth_names(self) -> tuple[str, ...]:
        """The ids that have a truth, sorted; there need not be a document of each."""
        return self.artefact_names(Artefact.TRUTH)

    def truth(self, document_id: str) -> GroundTruth | None:
        """The truth of a document; None when there is none.

        Raises:
            JsonError: the file is not what ``put_truth`` writes.
        """
        form = self.read_artefact(Artefact.TRUTH, document_id)
        return None if form is None else GroundTruth.from_json(form, source=str(self._truth_path(document_id)))

    def put_truth(self, truth: GroundTruth, *, replace: bool = False) -> Change:
        """Store a truth; the same again changes nothing.

        The document need not be there: a truth alone can be scored against, and ballots may be stored for it.

        Raises:
            DatasetError: there is another truth of that document, and ``replace`` is false.
            JsonError: the truth holds what JSON has no form for.
        """
        path = self._truth_path(truth.document)
        text = encoded(jsontext.dumps(truth.to_json(), indent=1) + "\n")
        with self._folder.lock(str(Artefact.TRUTH)):
            before = self._folder.read_bytes(path) if path.exists() else None
            if before == text:
                return Change.UNCHANGED
            if before is not None and not replace:
                raise DatasetError(f"{path}: is there with another content; compare the two, and keep one")
            self._folder.write(path, text)
        return Change.NEW if before is None else Change.REPLACED

    def _truth_path(self, document_id: str) -> Path:
        return self.artefact_path(Artefact.TRUTH, document_id)

    # Decisions

    def decisions(self, document_id: str) -> DecisionLog:
        """What people decided on a document, as a log; empty when nobody did.

        Raises:
            JsonError: the file is not what ``extend_decisions`` writes.
        """
        records = self.read_records(Artefact.DECISIONS, document_id) or []
        return DecisionLog.from_records(records, source=str(self._decisions_path(document_id)))

    def extend_decisions(self, document_id: str, entries: Iterable[Entry]) -> int:
        """Add to a document's log, and return how many entries it did not hold yet.

        Raises:
            UnknownDocument: there is no document of that id.
            JsonError: the log that is there cannot be read; it stays as it is.
        """
        name = self._documents.known(document_id)
        with self._folder.lock(str(Artefact.DECISIONS)):
            before = self.decisions(name)
            after = before.extended(entries)
            added = len(after.entries) - len(before.entries)
            if added:
                self.write_records(Artefact.DECISIONS, name, after.to_records())
        return added

    def _decisions_path(self, document_id: str) -> Path:
        return self.artefact_path(Artefact.DECISIONS, document_id, "jsonl")

    # Artefacts

    def artefact_path(self, kind: Artefact, name: str, suffix: str = "json") -> Path:
        """Where an artefact is, or would be; ``name`` is a document's id, else it must not be one."""
        return self._folder.path(kind, f"{checked_name(name, f'{kind} name')}.{suffix}")

    def artefact_names(self, kind: Artefact, suffix: str = "json") -> tuple[str, ...]:
        """The names of all artefacts of a kind, sorted."""
        ending = f".{suffix}"
        return tuple(name.removesuffix(ending) for name in self._folder.entries(kind) if name.endswith(ending))

    def write_artefact(self, kind: Artefact, name: str, value: Json) -> Path:
        """Write an artefact as canonical JSON, one value a line.

        Raises:
            JsonError: the value holds what JSON has no form for.
        """
        path = self.artefact_path(kind, name)
        self._folder.write_json(path, value)
        return path

    def write_records(self, kind: Artefact, name: str, records: Iterable[Json]) -> Path:
        """Write a long artefact as canonical JSON Lines, one record a line.

        Raises:
            JsonError: a record holds what JSON has no form for.
        """
        return self.write_text(kind, name, "".join(jsontext.dumps(record) + "\n" for record in records), "jsonl")

    def write_text(self, kind: Artefact, name: str, text: str, suffix: str) -> Path:
        """Write an artefact for people (Markdown, HTML) as UTF-8."""
        path = self.artefact_path(kind, name, suffix)
        self._folder.write(path, encoded(text))
        return path

    def read_artefact(self, kind: Artefact, name: str) -> Json | None:
        """What ``write_artefact`` wrote; None when there is nothing.

        Raises:
            JsonError: the file is not the JSON that we write.
        """
        path = self.artefact_path(kind, name)
        return self._folder.read_json(path) if path.exists() else None

    def read_records(self, kind: Artefact, name: str) -> list[Json] | None:
        """What ``write_records`` wrote; None when there is nothing.

        Raises:
            JsonError: a line is not the JSON that we write.
        """
        path = self.artefact_path(kind, name, "jsonl")
        if not path.exists():
            return None
        lines = self._folder.read_bytes(path).splitlines()
        return [jsontext.loads(line, source=f"{path}:{number}") for number, line in enumerate(lines, 1)]

    def append_log(self, name: str, record: Json) -> None:
        """Add a line of JSON to ``log/<name>.jsonl``: timings, costs, what ran."""
        line = encoded(jsontext.dumps(record) + "\n")
        self._folder.append(self._folder.path("log", f"{checked_name(name, 'log')}.jsonl"), line)
