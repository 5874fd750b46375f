"""``dataset.json``: what makes a folder a dataset, and the choices that hold for all of its documents."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict

from groundtruth import jsontext
from groundtruth.errors import DatasetError
from groundtruth.store_folder import Folder, encoded

FORMAT: Final = 1
MANIFEST: Final = "dataset.json"


class Facts(BaseModel):
    """What ``dataset.json`` holds: its format, the dataset's name, and the panel, None while nobody chose one."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: int = FORMAT
    name: str
    panel: tuple[str, ...] | None = None


class Manifest:
    """The manifest of a dataset folder."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    def create(self, name: str) -> None:
        """Write the first manifest; with it the folder is a dataset."""
        self._write(Facts(name=name))

    def read(self) -> Facts:
        """The manifest as it is now.

        Raises:
            DatasetError: it is not ours, or of another format.
            JsonError: it is not JSON.
        """
        path = self._folder.path(MANIFEST)
        form = self._folder.read_json(path)
        found = form.get("format") if isinstance(form, dict) else None
        if type(found) is int and found > FORMAT:
            raise DatasetError(f"{path}: format {found}, later than {FORMAT}; use a newer goldleaf")
        if type(found) is not int or found != FORMAT:
            raise DatasetError(f"{path}: not a dataset.json of goldleaf (format {found!r}); give another folder")
        return self._folder.read_model(path, Facts)

    def set_panel(self, panel: tuple[str, ...] | None) -> None:
        """Store the panel; the same again writes nothing."""
        with self._folder.lock("dataset"):
            facts = self.read()
            if facts.panel != panel:
                self._write(facts.model_copy(update={"panel": panel}))

    def _write(self, facts: Facts) -> None:
        text = jsontext.dumps(facts.model_dump(mode="json"), indent=1)
        self._folder.write(self._folder.path(MANIFEST), encoded(text + "\n"))
