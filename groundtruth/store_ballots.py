"""The ballots of a dataset: one file per system and document, beside the bytes it was imported from."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import Final

from groundtruth import jsontext
from groundtruth.ballot import Ballot
from groundtruth.ballot_json import ballot_from_json, ballot_to_json
from groundtruth.errors import DatasetError
from groundtruth.names import checked_name
from groundtruth.store_folder import Folder, encoded

BALLOTS: Final = "ballots"
_RAW: Final = ".raw"
_SUFFIX: Final = re.compile(r"[a-z0-9]{1,10}")


class Change(StrEnum):
    """What storing something did to the dataset."""

    NEW = "new"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"


class Ballots:
    """The ballots of a dataset folder."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    def systems(self, document_id: str) -> tuple[str, ...]:
        """The systems that have a ballot for the document, sorted."""
        stems = [
            name.removesuffix(".json") for name in self._folder.entries(BALLOTS, document_id) if name.endswith(".json")
        ]
        return tuple(stem for stem in stems if not stem.endswith(_RAW))

    def load(self, document_id: str, system: str) -> Ballot:
        """A stored ballot.

        Raises:
            BallotError: the file is damaged, or says that it is another system's.
        """
        path = self._path(document_id, system)
        return ballot_from_json(self._folder.read_json(path), source=str(path))

    def fingerprint(self, document_id: str, system: str) -> str | None:
        """The fingerprint that was stored with a ballot, or None."""
        path = self._path(document_id, checked_system(system))
        if not path.exists():
            return None
        form = self._folder.read_json(path)
        found = form.get("fingerprint") if isinstance(form, dict) else None
        return found if isinstance(found, str) else None

    def put(
        self, document_id: str, ballot: Ballot, *, raw: tuple[bytes, str] | None, fingerprint: str | None
    ) -> Change:
        """Store a ballot, last of all its files, so that a ballot that is there is whole."""
        path = self._path(document_id, checked_system(ballot.system))
        text = jsontext.dumps({**ballot_to_json(ballot), "fingerprint": fingerprint}, indent=1) + "\n"
        before = self._folder.read_bytes(path) if path.exists() else None
        raw_changed = self._put_raw(document_id, ballot.system, raw)
        if before == encoded(text):
            return Change.REPLACED if raw_changed else Change.UNCHANGED
        self._folder.write(path, encoded(text))
        return Change.NEW if before is None else Change.REPLACED

    def _put_raw(self, document_id: str, system: str, raw: tuple[bytes, str] | None) -> bool:
        """Keep the imported bytes and drop earlier ones of another kind; whether anything changed."""
        kept: Path | None = None
        changed = False
        if raw is not None:
            suffix = raw[1] if _SUFFIX.fullmatch(raw[1]) else "bin"
            kept = self._folder.path(BALLOTS, document_id, f"{system}{_RAW}.{suffix}")
            changed = not (kept.exists() and self._folder.read_bytes(kept) == raw[0])
            if changed:
                self._folder.write(kept, raw[0])
        beginning = f"{system}{_RAW}."
        found = [name for name in self._folder.entries(BALLOTS, document_id) if name.startswith(beginning)]
        stale = [
            self._folder.path(BALLOTS, document_id, name)
            for name in found
            if _SUFFIX.fullmatch(name.removeprefix(beginning)) and (kept is None or name != kept.name)
        ]
        if stale:
            self._folder.discard(stale)
        return changed or bool(stale)

    def _path(self, document_id: str, system: str) -> Path:
        return self._folder.path(BALLOTS, document_id, f"{system}.json")


def checked_system(name: str) -> str:
    """A system's name, once it is known to be a safe file name.

    Raises:
        DatasetError: it is not.
    """
    if name.endswith(_RAW):
        raise DatasetError(
            f"{name!r} cannot be a system name: {_RAW} marks the files as imported; leave the ending off"
        )
    return checked_name(name, "system name")
