"""The documents of a dataset: adding, replacing and removing, each in one step that nothing can tear."""

from __future__ import annotations

import difflib
import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from groundtruth import jsontext
from groundtruth.document import Description, Document
from groundtruth.errors import DatasetError, DuplicateDocument, GoldleafError, UnknownDocument
from groundtruth.jsontext import Json
from groundtruth.names import checked_name, proposed_name
from groundtruth.page_files import shown
from groundtruth.store_ballots import BALLOTS
from groundtruth.store_files import atomic_write, copy_durably
from groundtruth.store_folder import Folder, encoded

if TYPE_CHECKING:
    from groundtruth.pages import DocumentInfo

WORDS: Final = "words"
"""The folder of what was recognised on pages, by the hash of the document's bytes."""

_DOCUMENTS: Final = "documents"
_RECORD: Final = "document.json"
_DECISIONS: Final = "decisions"
# The queue is one file for all documents, and is made anew after every vote.
_TRUTH: Final = "truth"
_PACKETS: Final = ("review", "packets")
_DERIVED: Final = (BALLOTS, "consensus", _DECISIONS, _TRUTH, "recipes", "recaptures")
_MADE_LATER: Final = (BALLOTS, "consensus", _DECISIONS)
_SUFFIX: Final = re.compile(r"\.[A-Za-z0-9]{1,10}")


class Documents:
    """The documents of a dataset folder.

    A document is there when ``documents/<id>/document.json`` is. Adding moves a finished folder to its place;
    replacing puts the new file beside the old one and then swaps ``document.json``, which names the file. (Killed
    right after that swap, it leaves the old file there, unused; removing the document takes it along.)
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        # By document, the state of its record and the hash in it: a batch of adds would read all records each time.
        self._hashes: dict[str, tuple[tuple[int, int, int], str]] = {}

    def ids(self) -> tuple[str, ...]:
        """Every document's id, sorted."""
        home = self._folder.path(_DOCUMENTS)
        # Whether a record's path stays inside is checked when it is read; here it would cost as much as reading all.
        return tuple(name for name in self._folder.entries(_DOCUMENTS) if (home / name / _RECORD).is_file())

    def known(self, document_id: str) -> str:
        """``document_id``, when there is such a document.

        Raises:
            UnknownDocument: there is not; the message names the nearest ids.
        """
        document_id = unicodedata.normalize("NFC", document_id)
        if document_id in self._folder.entries(_DOCUMENTS) and self._record(document_id).is_file():
            return document_id
        near = difflib.get_close_matches(document_id, self.ids(), n=3)
        hint = f"did you mean {', '.join(map(repr, near))}?" if near else "`goldleaf status` lists the documents"
        raise UnknownDocument(f"{self._folder.root}: no document {document_id!r}; {hint}")

    def load(self, document_id: str) -> Document:
        """One document.

        Raises:
            UnknownDocument: there is none of that id.
            DatasetError: its record is damaged.
        """
        document_id = self.known(document_id)
        record = self._record(document_id)
        document = self._folder.read_model(record, Document)
        if document.id != document_id:
            raise DatasetError(f"{record}: is the record of {document.id!r}; a document's folder bears its id")
        return document

    def file(self, document_id: str) -> Path:
        """The document's own file.

        Raises:
            UnknownDocument: there is no document of that id.
            DatasetError: the file is gone.
        """
        document = self.load(document_id)
        path = self._folder.path(_DOCUMENTS, document.id, document.file)
        if not path.is_file():
            raise DatasetError(f"{path}: is missing; put it back, or give it with `goldleaf replace`")
        return path

    def add(self, file: Path, document_id: str | None, description: Description) -> Document:
        """Add a document; see ``Dataset.add_document``."""
        document_id = checked_id(file, document_id)
        info = _info(file)
        document = Document(
            id=document_id,
            file=_stored_name(document_id, file),
            original_name=_readable(file.name),
            sha256=info.sha256,
            media_type=info.media_type,
            pages=info.page_count,
            kind=description.kind,
            schema_name=description.schema_name,
            type=description.type,
            domain=description.domain,
            source=description.source,
            license=description.license,
            notes=tuple(map(str, info.notes)),
            tags=dict(description.tags),
        )
        self._refuse_taken(document, file)
        with self._folder.staging() as staged:
            _copy(file, staged / document.file, info.sha256)
            atomic_write(staged / _RECORD, _record_bytes(document))
            with self._folder.lock(_DOCUMENTS):
                self._refuse_taken(document, file)
                self._refuse_same_bytes(document.sha256, file)
                self._refuse_orphans(document_id)
                self._folder.move(staged, self._folder.path(_DOCUMENTS, document_id))
        return document

    def replace(self, document_id: str, file: Path, *, force: bool) -> tuple[Document, list[str]]:
        """Give a document another file; see ``Dataset.replace_document``."""
        info = _info(file)
        with self._folder.lock(_DOCUMENTS), self._folder.lock(BALLOTS):
            old = self.load(document_id)
            document_id = old.id
            if old.sha256 == info.sha256:
                return old, []
            self._refuse_same_bytes(info.sha256, file)
            new = old.model_copy(
                update={
                    "file": _another_name(document_id, file, info.sha256),
                    "original_name": _readable(file.name),
                    "sha256": info.sha256,
                    "media_type": info.media_type,
                    "pages": info.page_count,
                    "notes": tuple(map(str, info.notes)),
                }
            )
            home = self._folder.path(_DOCUMENTS, document_id)
            with self._folder.staging() as staged:
                _copy(file, staged / new.file, info.sha256)
                dropped = self._drop_derived(document_id, force=force)
                self._folder.move(staged / new.file, self._folder.path(_DOCUMENTS, document_id, new.file))
                self._folder.write(home / _RECORD, _record_bytes(new))
            self._folder.discard([home / old.file])
        return new, dropped

    def remove(self, document_id: str, *, force: bool) -> list[str]:
        """Remove a document; see ``Dataset.remove_document``."""
        with self._folder.lock(_DOCUMENTS), self._folder.lock(BALLOTS):
            document_id = self.known(document_id)
            home = self._folder.path(_DOCUMENTS, document_id)
            # The document goes last: whoever is interrupted in between can run the same command again.
            dropped = self._drop_derived(document_id, force=force)
            self._folder.discard([home])
        return [*dropped, self._folder.relative(home)]

    def _refuse_taken(self, document: Document, file: Path) -> None:
        if document.id in self._folder.entries(_DOCUMENTS) and self._record(document.id).is_file():
            there = self.load(document.id)
            same = "the same bytes" if there.sha256 == document.sha256 else "other bytes"
            raise DuplicateDocument(
                f"{shown(file)}: the id {document.id!r} is taken by {there.original_name!r} ({same}); "
                "give it another --id, or use `goldleaf replace`"
            )

    def _refuse_same_bytes(self, sha256: str, file: Path) -> None:
        same = next((document_id for document_id, found in self._known_hashes() if found == sha256), None)
        if same is not None:
            raise DuplicateDocument(
                f"{shown(file)}: has the same bytes as document {same!r} ({self.load(same).original_name!r}); "
                "a document is added once"
            )

    def _known_hashes(self) -> Iterator[tuple[str, str]]:
        home = str(self._folder.path(_DOCUMENTS))
        for document_id in self._folder.entries(_DOCUMENTS):
            try:
                state = os.stat(f"{home}/{document_id}/{_RECORD}")  # noqa: PTH116 - paths cost more than the call
            except OSError:
                continue
            key = (state.st_ino, state.st_mtime_ns, state.st_size)
            cached = self._hashes.get(document_id)
            if cached is None or cached[0] != key:
                cached = self._hashes[document_id] = (key, self.load(document_id).sha256)
            yield document_id, cached[1]

    def _refuse_orphans(self, document_id: str) -> None:
        # Ballots may be there before their document when a truth is, since both can be imported without it.
        has_truth = any(self._derived(_TRUTH, document_id))
        for kind in _MADE_LATER:
            for path in () if has_truth and kind == BALLOTS else self._derived(kind, document_id):
                raise DatasetError(
                    f"{path}: is left from an earlier document {document_id!r}; move it away, or give another --id"
                )

    def _drop_derived(self, document_id: str, *, force: bool) -> list[str]:
        derived = [path for kind in _DERIVED for path in self._derived(kind, document_id)]
        derived += self._words_of(document_id)
        derived += self._packets_on(document_id)
        decided = [path for path in derived if path.parent.name == _DECISIONS]
        if decided and not force:
            raise DatasetError(
                f"document {document_id!r} has decisions of people ({self._folder.relative(decided[0])}); "
                "--force gives them up"
            )
        self._folder.discard(derived)
        return [self._folder.relative(path) for path in derived]

    def _derived(self, kind: str, document_id: str) -> Iterator[Path]:
        for name in self._folder.entries(kind):
            stem, dot, suffix = name.rpartition(".")
            path = self._folder.root / kind / name
            if (name == document_id) if path.is_dir() else (stem == document_id and dot and suffix):
                yield path

    def _packets_on(self, document_id: str) -> Iterator[Path]:
        """The review's packets that ask about it: their answers must not be taken for answers on other bytes."""
        for name in self._folder.entries(*_PACKETS):
            path = self._folder.path(*_PACKETS, name)
            if document_id in _documents_of(self._folder.read_json(path)):
                yield path

    def _words_of(self, document_id: str) -> Iterator[Path]:
        """What was recognised on its pages, unless a copied folder holds another document with the same bytes."""
        there = self._folder.entries(WORDS)
        try:
            hashes = dict(self._known_hashes()) if there else {}
        except GoldleafError:
            return  # beside a damaged record nobody can tell whose words these are
        own = hashes.pop(document_id, None)
        if own in there and own not in hashes.values():
            yield self._folder.root / WORDS / own

    def _record(self, document_id: str) -> Path:
        return self._folder.path(_DOCUMENTS, document_id, _RECORD)


def _documents_of(packet: Json) -> set[Json]:
    """The documents that a packet of the review asks about; those that can be told of one that is damaged."""
    cards = packet.get("cards") if isinstance(packet, dict) else None
    members = [member for card in _dicts(cards) for member in _dicts(card.get("members"))]
    return {part.get("document") for part in (*_dicts([packet]), *_dicts(cards), *members)}


def _dicts(parts: Json) -> list[dict[str, Json]]:
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []


def checked_id(file: Path, given: str | None) -> str:
    """The id of a new document: the given one, else the file's stem.

    Raises:
        DatasetError: it cannot be a file name; the message proposes one that can.
    """
    wanted = file.stem if given is None else given
    cure = f"give one with --id, for example --id {proposed_name(wanted)!r}"
    try:
        return checked_name(wanted, "document id", cure=cure)
    except DatasetError as error:
        raise DatasetError(f"{shown(file)}: {error}") from None


def _info(file: Path) -> DocumentInfo:
    from groundtruth.pages import document_info

    return document_info(file)


def _copy(file: Path, target: Path, sha256: str) -> None:
    try:
        copied = copy_durably(file, target)
    except OSError as error:
        raise DatasetError(f"{shown(file)}: cannot be copied into the dataset: {error.strerror}") from error
    if copied != sha256:
        raise DatasetError(f"{shown(file)}: changed while it was read; try again when nobody writes to it")


def _stored_name(document_id: str, file: Path) -> str:
    suffix = file.suffix.lower() if _SUFFIX.fullmatch(file.suffix) else ""
    name = f"{document_id}{suffix}"
    return name if name != _RECORD else f"{document_id}.0{suffix}"


def _another_name(document_id: str, file: Path, sha256: str) -> str:
    suffix = file.suffix.lower() if _SUFFIX.fullmatch(file.suffix) else ""
    return f"{document_id}.{sha256[:12]}{suffix}"


def _readable(name: str) -> str:
    # Undecodable bytes of a file name have no form in JSON; they are shown as escapes.
    return name.encode(errors="backslashreplace").decode()


def _record_bytes(document: Document) -> bytes:
    return encoded(jsontext.dumps(document.model_dump(mode="json"), indent=1) + "\n")
