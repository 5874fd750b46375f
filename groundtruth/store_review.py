"""What a dataset keeps of its review: what was asked, what came back, the pictures, and where it was sent.

::

    DIR/review/project.json            the server's address and the project there
    DIR/review/packets/<key>.json      what was asked, written before it is sent
    DIR/review/pulls/<name>.json       what the server answered, as it came, written before it is decoded
    DIR/review/pictures/<name>         pages and crops that the server shows
    DIR/review/state.json              how each card stood at the last pull
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from groundtruth import jsontext
from groundtruth.jsontext import Json
from groundtruth.names import checked_name
from groundtruth.store_folder import Folder

_REVIEW: Final = "review"


class ReviewFiles:
    """The folder ``review`` of a dataset; every file appears whole or not at all."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    @property
    def pictures(self) -> Path:
        """The folder of the pictures; it may not be there yet."""
        return self._folder.path(_REVIEW, "pictures")

    def packet_keys(self) -> tuple[str, ...]:
        """The keys of all packets, sorted."""
        return self._names("packets")

    def put_packet(self, key: str, packet: Json) -> None:
        """Keep a packet; the same again changes nothing."""
        path = self._path("packets", key)
        if not path.exists():
            self._folder.write_json(path, packet)

    def packet(self, key: str) -> Json:
        """A packet as it was kept.

        Raises:
            DatasetError: there is none of that key.
        """
        return self._folder.read_json(self._path("packets", key))

    def pull_names(self) -> tuple[str, ...]:
        """The names of all pulls, oldest first."""
        return self._names("pulls")

    def keep_pull(self, name: str, tasks: Json) -> Path:
        """Keep what the server answered, under a name that sorts by time."""
        path = self._path("pulls", name)
        self._folder.write(path, (jsontext.dumps(tasks) + "\n").encode())
        return path

    def pull(self, name: str) -> Json:
        """A pull as it was kept."""
        return self._folder.read_json(self._path("pulls", name))

    def picture(self, name: str) -> Path:
        """Where a picture is, or would be."""
        return self._folder.path(_REVIEW, "pictures", checked_name(name, "picture"))

    def put_picture(self, name: str, data: bytes) -> Path:
        """Write a picture whole, unless it is there; names are digests of what they show."""
        path = self.picture(name)
        if not path.exists():
            self._folder.write(path, data)
        return path

    def project(self) -> Json | None:
        """Where the review was sent; None before the first push."""
        return self._read("project")

    def put_project(self, project: Json) -> None:
        """Say where the review is sent."""
        self._folder.write_json(self._folder.path(_REVIEW, "project.json"), project)

    def state(self) -> Json | None:
        """How each card stood at the last pull; None before it."""
        return self._read("state")

    def put_state(self, state: Json) -> None:
        """Keep how each card stands."""
        self._folder.write_json(self._folder.path(_REVIEW, "state.json"), state)

    def _read(self, name: str) -> Json | None:
        path = self._folder.path(_REVIEW, f"{name}.json")
        return self._folder.read_json(path) if path.exists() else None

    def _names(self, kind: str) -> tuple[str, ...]:
        entries = self._folder.entries(_REVIEW, kind)
        return tuple(name.removesuffix(".json") for name in entries if name.endswith(".json"))

    def _path(self, kind: str, name: str) -> Path:
        return self._folder.path(_REVIEW, kind, f"{checked_name(name, 'name')}.json")
