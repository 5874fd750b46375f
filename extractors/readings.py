"""What was recognised on the pages of a document, kept so that a costly reading is done once.

A folder holds the readings of one document: ``<engine>/<page>.json``. It survives a crash, a change of the schema and
the next run, and its pages without a text layer get their words from it.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from groundtruth import jsontext
from groundtruth.errors import DatasetError, GoldleafError
from groundtruth.recognised import RecognisedPage
from groundtruth.store_files import atomic_write


class Readings:
    """The readings of one document; without a folder nothing is kept."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    def get(self, engine: str, page: int) -> RecognisedPage | None:
        """What ``engine`` (name, version and settings, fit for a file name) read on a page; None if it is not there.

        A damaged file counts as absent: the page is read again.
        """
        if self._folder is None:
            return None
        try:
            return RecognisedPage.from_json(jsontext.load_file(self._file(self._folder, engine, page)))
        except (OSError, GoldleafError):
            return None

    def put(self, engine: str, reading: RecognisedPage) -> None:
        """Keep a reading, whole or not at all; a folder that cannot be written to keeps nothing."""
        if self._folder is None:
            return
        with suppress(DatasetError):
            atomic_write(
                self._file(self._folder, engine, reading.number), jsontext.dumps(reading.to_json()).encode() + b"\n"
            )

    @staticmethod
    def _file(folder: Path, engine: str, page: int) -> Path:
        return folder / engine / f"{page:05d}.json"
