"""``dataset.json``: what makes a folder a dataset, and the choices that hold for all of its documents."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict

from groundtruth import jsontext
from groundtruth.errors import DatasetError
from groundtruth.languages import DEFAULT_LANGUAGES, check_languages
from groundtruth.store_folder import Folder, encoded

FORMAT: Final = 1
MANIFEST: Final = "dataset.json"


class Facts(BaseModel):
    """What ``dataset.json`` holds.

    Attributes:
        format: of the file.
        name: of the dataset.
        panel: the systems that vote; None while nobody chose.
        languages: of the documents, the main one first; a file without them is older than they are.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: int = FORMAT
    name: str
    panel: tuple[str, ...] | None = None
    languages: tuple[str, ...] = DEFAULT_LANGUAGES


class Manifest:
    """The manifest of a dataset folder."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    def create(self, name: str, languages: tuple[str, ...]) -> None:
        """Write the first manifest; with it the folder is a dataset."""
        self._write(Facts(name=name, languages=languages))

    def read(self) -> Facts:
        """The manifest as it is now.

        Raises:
            DatasetError: it is not ours, of another format, or names a language that there is not.
            JsonError: it is not JSON.
        """
        path = self._folder.path(MANIFEST)
        form = self._folder.read_json(path)
        found = form.get("format") if isinstance(form, dict) else None
        if type(found) is int and found > FORMAT:
            raise DatasetError(f"{path}: format {found}, later than {FORMAT}; use a newer goldleaf")
        if type(found) is not int or found != FORMAT:
            raise DatasetError(f"{path}: not a dataset.json of goldleaf (format {found!r}); give another folder")
        facts = self._folder.read_model(path, Facts)
        try:
            check_languages(facts.languages)
        except DatasetError as error:
            raise DatasetError(f"{path}: languages: {error}; correct the file") from error
        return facts

    def set_panel(self, panel: tuple[str, ...] | None) -> None:
        """Store the panel; the same again writes nothing."""
        self._update({"panel": panel})

    def set_languages(self, languages: tuple[str, ...]) -> None:
        """Store the languages; the same again writes nothing."""
        self._update({"languages": languages})

    def _update(self, changes: dict[str, tuple[str, ...] | None]) -> None:
        with self._folder.lock("dataset"):
            facts = self.read()
            changed = facts.model_copy(update=changes)
            if changed != facts:
                self._write(changed)

    def _write(self, facts: Facts) -> None:
        text = jsontext.dumps(facts.model_dump(mode="json"), indent=1)
        self._folder.write(self._folder.path(MANIFEST), encoded(text + "\n"))
