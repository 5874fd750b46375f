"""A dataset: a folder of files that a person can read and diff, and that several processes may change at once.

::

    DIR/dataset.json                     format, name, panel, languages
    DIR/documents/<id>/document.json     what the document is; beside it the document's own file
    DIR/schemas/<name>/                  draft.schema.json, draft.rules.json, and <version>.json once frozen
    DIR/ballots/<id>/<system>.json       what a system returned, and <system>.raw.<ext> as it was imported
    DIR/<artefact>/<id>.json             consensus, queue, decisions, truth, recipes
    DIR/recaptures/<id>.json             how a re-capture was made of its original
    DIR/words/<sha256>/                  what was recognised on the pages of the document with these bytes, by engine
    DIR/review/                          what was asked of people and what came back; see ``store_review``
    DIR/log/                             timings and costs, beside the artefacts so that these compare byte for byte
    DIR/.goldleaf/                       lock files and unfinished writes; may be deleted when nothing runs

Every file appears whole or not at all, and what must be decided by one process at a time (which ids are taken, the
panel, the drafts) is decided under a lock that the kernel frees when a process dies.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from groundtruth.ballot import Ballot
from groundtruth.document import Description, Document, Kind
from groundtruth.errors import DatasetError, PanelError
from groundtruth.jsontext import Json
from groundtruth.languages import DEFAULT_LANGUAGES, check_languages
from groundtruth.names import checked_name, name_problem
from groundtruth.panel import check_panel
from groundtruth.rules import Rules
from groundtruth.schema import FrozenSchema
from groundtruth.store_artefacts import Artefacts
from groundtruth.store_ballots import Ballots, Change
from groundtruth.store_documents import WORDS
from groundtruth.store_manifest import MANIFEST, Manifest
from groundtruth.store_review import ReviewFiles
from groundtruth.store_schemas import Schemas


class Dataset(Artefacts):
    """A dataset folder. Make one with ``create`` or ``open``.

    An instance holds no state of the folder, so what another process changes is seen at once.

    Raises:
        DatasetError: from every method, when the folder is damaged, cannot be read or written, or a link in it leads
            out of it. Other errors are named where they can occur.
    """

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._manifest = Manifest(self._folder)
        self._schemas = Schemas(self._folder)
        self._ballots = Ballots(self._folder)
        self.review = ReviewFiles(self._folder)

    @classmethod
    def create(cls, path: Path, name: str | None = None, *, languages: Iterable[str] = DEFAULT_LANGUAGES) -> Dataset:
        """Make a dataset in a folder that is absent or empty; hidden files in it do not count.

        Args:
            path: the folder; those above it are made as well.
            name: what the dataset is called, by default as its folder.
            languages: of its documents, ISO 639-1 codes, the main one first.

        Raises:
            DatasetError: something else is there, or there is no such language.
        """
        spoken = check_languages(languages)
        path = path.absolute()
        try:
            path.mkdir(parents=True, exist_ok=True)
            there = sorted(entry.name for entry in path.iterdir() if not entry.name.startswith("."))
        except OSError as error:
            raise DatasetError(f"{path}: cannot be a dataset folder: {error.strerror}; give another path") from error
        if MANIFEST in there:
            raise DatasetError(f"{path}: is a dataset already; add documents to it with `goldleaf add`")
        if there:
            raise DatasetError(f"{path}: holds {there[0]!r} and is no dataset; give a new or an empty folder")
        dataset = cls(path)
        dataset._manifest.create(path.name if name is None else name, spoken)
        return dataset

    @classmethod
    def open(cls, path: Path) -> Dataset:
        """Open a dataset that is there.

        Raises:
            DatasetError: the folder is absent, is no dataset, or has a later format.
        """
        path = path.absolute()
        if not (path / MANIFEST).is_file():
            if path.exists() and not path.is_dir():
                raise DatasetError(f"{path}: is a file; a dataset is a folder")
            state = "holds no dataset.json, so it is no dataset" if path.is_dir() else "is not there"
            raise DatasetError(f"{path}: {state}; make one with `goldleaf new {path}`")
        dataset = cls(path)
        dataset._manifest.read()
        return dataset

    # The dataset itself

    @property
    def root(self) -> Path:
        """The folder, absolute."""
        return self._folder.root

    @property
    def name(self) -> str:
        """What the dataset is called."""
        return self._manifest.read().name

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the documents, ISO 639-1 codes, the main one first."""
        return self._manifest.read().languages

    def set_languages(self, languages: Iterable[str]) -> tuple[str, ...]:
        """Say in which languages the documents are written.

        Raises:
            DatasetError: none, one twice, or one that is no code of ISO 639-1.
        """
        chosen = check_languages(languages)
        self._manifest.set_languages(chosen)
        return chosen

    @property
    def panel(self) -> tuple[str, ...] | None:
        """The systems that vote, sorted; None when nobody chose."""
        return self._manifest.read().panel

    def set_panel(self, systems: Iterable[str] | None, *, planned: Iterable[str] = ()) -> tuple[str, ...] | None:
        """Choose the systems that vote; None is nobody's choice again.

        Args:
            systems: one to five, each once, in any order.
            planned: systems without a ballot that will have one, because their extractor runs next.

        Raises:
            PanelError: none, too many, one twice, or one that has no ballot and is not planned.
        """
        chosen = None if systems is None else check_panel(list(systems))
        if chosen is not None:
            self._require_ballots(chosen, planned)
        self._manifest.set_panel(chosen)
        return chosen

    def voting_systems(self, requested: Iterable[str] | None = None, *, planned: Iterable[str] = ()) -> tuple[str, ...]:
        """Who votes, sorted: the ``requested`` systems, else the stored panel, else all with ballots (maybe none).

        Args:
            requested: an explicit choice; it is not stored.
            planned: as for ``set_panel``.

        Raises:
            PanelError: as ``set_panel``; or nobody chose, and more than five systems have ballots.
        """
        if requested is not None:
            chosen = check_panel(list(requested))
            self._require_ballots(chosen, planned)
            return chosen
        stored = self.panel
        if stored is not None:
            return stored
        systems = tuple(sorted({*self.systems(), *planned}))
        return check_panel(systems) if systems else ()

    @contextmanager
    def lock(self, name: str, *, wait: bool = True) -> Iterator[bool]:
        """Hold a lock of this dataset, by name, against other processes and threads.

        The kernel frees it when the process ends, however it ends. It is not reentrant. ``documents``, ``schemas``,
        ``ballots``, ``dataset`` and ``writers`` are taken by the methods here.

        Args:
            name: any plain name; who takes the same name excludes one another.
            wait: wait for it, or else run the block at once and yield False when it is taken.

        Yields:
            Whether the lock is held.
        """
        with self._folder.lock(checked_name(name, "lock"), wait=wait) as held:
            yield held

    def sweep(self) -> int:
        """Remove what killed processes left half-written; return how many pieces. Safe while others write."""
        return self._folder.sweep()

    # Documents

    def document_ids(self) -> tuple[str, ...]:
        """Every document's id, sorted."""
        return self._documents.ids()

    def documents(self) -> list[Document]:
        """Every document, by id."""
        return [self._documents.load(document_id) for document_id in self.document_ids()]

    def document(self, document_id: str) -> Document:
        """One document.

        Raises:
            UnknownDocument: there is none of that id.
        """
        return self._documents.load(document_id)

    def document_file(self, document_id: str) -> Path:
        """The document's own file, absolute and there.

        Raises:
            UnknownDocument: there is no document of that id.
        """
        return self._documents.file(document_id)

    def readings_folder(self, document_id: str) -> Path:
        """Where what OCR recognised on the document's pages is kept, absolute; it may not be there yet.

        It belongs to the document's bytes, not to its id, and goes with them.

        Raises:
            UnknownDocument: there is no document of that id.
        """
        return self._folder.path(WORDS, self._documents.load(document_id).sha256)

    def add_document(
        self,
        file: Path,
        *,
        schema: str,
        id: str | None = None,  # noqa: A002 - the word that the files and the command line use
        kind: Kind = Kind.REAL,
        type: str | None = None,  # noqa: A002
        domain: str | None = None,
        source: str | None = None,
        license: str | None = None,  # noqa: A002
        tags: dict[str, str] | None = None,
    ) -> Document:
        """Copy a file into the dataset as a document.

        It appears whole or not at all. Of two that are added at once under one id, or with the same bytes, one wins.

        Args:
            file: a PDF, an image, or another kind that ``pages.document_info`` reads.
            schema: a schema of the dataset.
            id: the document's id, by default the file's stem.
            kind: where its pages come from.
            type: what sort of document it is.
            domain: the trade it is from.
            source: where it was obtained.
            license: under which terms it may be used.
            tags: free labels.

        Raises:
            DocumentError: the file cannot be used.
            DuplicateDocument: the id or the bytes are in the dataset; the message names both documents.
            DatasetError: the id cannot be a file name, or there is no such schema.
        """
        if not self._schemas.has(schema):
            self._schemas.load(schema)
        description = Description(schema, kind, type, domain, source, license, tags or {})
        return self._documents.add(file, id, description)

    def remove_document(self, document_id: str, *, force: bool = False) -> list[str]:
        """Remove a document and all that was made of it; return the removed paths, below the root.

        Raises:
            UnknownDocument: there is none of that id.
            DatasetError: people decided on it, and ``force`` is false.
        """
        return self._documents.remove(document_id, force=force)

    def replace_document(self, document_id: str, file: Path, *, force: bool = False) -> tuple[Document, list[str]]:
        """Give a document another file; return it and the removed paths of what was made of the old bytes.

        The same bytes again change nothing and remove nothing.

        Raises:
            UnknownDocument: there is none of that id.
            DocumentError: the file cannot be used.
            DuplicateDocument: another document has these bytes.
            DatasetError: people decided on it, and ``force`` is false.
        """
        return self._documents.replace(document_id, file, force=force)

    # Schemas

    def schema_names(self) -> tuple[str, ...]:
        """Every schema, sorted."""
        return self._schemas.names()

    def versions(self, name: str) -> tuple[str, ...]:
        """A schema's frozen versions, oldest first (1.2 before 1.10)."""
        return self._schemas.versions(name)

    def schema(self, name: str, version: str | None = None) -> FrozenSchema:
        """A schema: the ``version`` (``draft`` is one), by default the latest frozen one, else the draft.

        Raises:
            DatasetError: there is no such schema or version, or a frozen file was edited.
            SchemaError, RulesError: the draft does not compile.
        """
        return self._schemas.load(name, version)

    def schema_of(self, document_id: str) -> FrozenSchema:
        """The schema of a document, as ``schema`` gives it."""
        return self.schema(self.document(document_id).schema_name)

    def put_draft(
        self, name: str, source: Json, rules: Rules, *, replace: bool = False, origin: str | None = None
    ) -> FrozenSchema:
        """Store a schema's draft; the same again changes nothing. ``origin`` is what error messages call it.

        Raises:
            DatasetError: there is another draft of that name, and ``replace`` is false.
            SchemaError, RulesError: it does not compile; nothing is stored.
        """
        return self._schemas.put_draft(name, source, rules, replace=replace, origin=origin)

    def freeze(self, name: str, version: str | None = None) -> FrozenSchema:
        """Freeze a schema's draft under a version, by default the next whole number.

        The same content under the same version, or under none when a version holds just that, changes nothing.

        Raises:
            DatasetError: there is no draft, or the version is frozen with another content.
            SchemaError, RulesError: the draft does not compile.
        """
        return self._schemas.freeze(name, version)

    def keep_refused_schema(self, name: str, source: Json) -> None:
        """Keep a JSON Schema that does not compile, for the truth that was made under it; it cannot be voted under.

        Raises:
            DatasetError: a schema of that name is there with another content.
        """
        self._schemas.keep_refused(name, source)

    def refused_schema_names(self) -> tuple[str, ...]:
        """Every schema of which there is only what ``keep_refused_schema`` kept, sorted."""
        return self._schemas.refused_names()

    def schema_source(self, name: str, version: str | None = None) -> Json:
        """The JSON Schema as it was given, be it one that is kept though it does not compile.

        Raises:
            DatasetError: there is no such schema or version.
        """
        return self._schemas.source(name, version)

    # Ballots

    def systems(self) -> tuple[str, ...]:
        """Every system that has a ballot for at least one document or truth, sorted."""
        ids = {*self.document_ids(), *self.truth_names()}
        return tuple(sorted({system for name in ids for system in self._ballots.systems(name)}))

    def ballot_systems(self, document_id: str) -> tuple[str, ...]:
        """The systems that have a ballot for the document, sorted.

        Raises:
            UnknownDocument: there is neither a document nor a truth of that id.
        """
        return self._ballots.systems(self._answered(document_id))

    def ballots(self, document_id: str, systems: Sequence[str] | None = None) -> list[Ballot]:
        """The document's ballots by system name: all, or those of ``systems`` that are there.

        Raises:
            UnknownDocument: there is no document of that id.
            BallotError: a ballot file is damaged.
        """
        there = self.ballot_systems(document_id)
        return [self._ballots.load(document_id, system) for system in there if systems is None or system in systems]

    def put_ballot(
        self,
        document_id: str,
        ballot: Ballot,
        *,
        raw: tuple[bytes, str] | None = None,
        fingerprint: str | None = None,
    ) -> Change:
        """Store a ballot in the place of the system's earlier one.

        Args:
            document_id: the document.
            ballot: what the system returned.
            raw: the bytes it was read from, and their kind as a file suffix (``json``); None keeps none.
            fingerprint: of all that the ballot was made from, to know later whether it must be made again.

        Raises:
            UnknownDocument: there is neither a document nor a truth of that id.
            DatasetError: the system's name cannot be a file name.
        """
        with self._folder.lock("ballots"):
            return self._ballots.put(self._answered(document_id), ballot, raw=raw, fingerprint=fingerprint)

    def ballot_fingerprint(self, document_id: str, system: str) -> str | None:
        """The fingerprint stored with a ballot; None when there is no ballot, or none was given."""
        return self._ballots.fingerprint(self._answered(document_id), system)

    def _answered(self, document_id: str) -> str:
        """The id, when there is a document or a truth of it: what can be voted on, or scored."""
        name = unicodedata.normalize("NFC", document_id)
        is_name = name_problem(name) is None
        return name if is_name and self._truth_path(name).is_file() else self._documents.known(document_id)

    def _require_ballots(self, systems: Iterable[str], planned: Iterable[str]) -> None:
        known = self.systems()
        absent = sorted(set(systems) - set(known) - set(planned))
        if absent:
            raise PanelError(
                f"system {absent[0]!r} has no ballot in {self.root}; those that have: {', '.join(known) or 'none'}"
            )
