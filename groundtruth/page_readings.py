"""The words of pages that have no text layer: what one OCR engine recognised on them.

A folder holds what was recognised on one document, ``<engine>/<page>.json``. All pages take their words from the same
engine, so that places in the word list mean the same for all who compare them.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

from groundtruth import jsontext
from groundtruth.errors import GoldleafError
from groundtruth.page_words import Word
from groundtruth.recognised import RecognisedPage

_PREFERRED: Final = ("rapidocr", "tesseract")
"""How the keys of engines begin, the better reader first; others come after them."""

_NUMBER_OR_TEXT: Final = re.compile(r"([0-9]+)|([^0-9]+)")
_PAGE_FILE: Final = re.compile(r"[0-9]{5,}\.json")


class Recognition:
    """What one engine recognised on the pages of one document, read page by page as it is asked for.

    Attributes:
        engine: its key.
        digest: of all that it recognised; changes when that does.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.engine = folder.name
        digest = hashlib.sha256()
        for name in _page_files(folder):
            digest.update(f"{name}\n".encode() + hashlib.sha256((folder / name).read_bytes()).digest())
        self.digest = digest.hexdigest()

    def words(self, number: int) -> tuple[Word, ...]:
        """The words of a page (from 1) in the engine's reading order; none where it was not read.

        A damaged file counts as absent: the engine will read that page again.
        """
        try:
            page = RecognisedPage.from_json(jsontext.load_file(self._folder / f"{number:05d}.json"))
        except (OSError, GoldleafError):
            return ()
        words = (word for word in page.words if word.text)
        return tuple(Word(place, word.text, word.box, word.segment, 0, word.level) for place, word in enumerate(words))


def designated(folder: Path) -> Recognition | None:
    """The engine whose words a document's pages take; None when none has read any.

    It is the one that read most pages; of several the preferred kind, RapidOCR before Tesseract before others, and then
    the latest by the numbers in its key.
    """
    try:
        engines = [entry for entry in folder.iterdir() if entry.is_dir()]
        read = {engine: len(_page_files(engine)) for engine in engines}
        return Recognition(max((engine for engine in engines if read[engine]), key=lambda one: (read[one], _rank(one))))
    except (OSError, ValueError):
        # Nothing was read yet, or the folder is being removed: the words come with the next vote.
        return None


def _rank(engine: Path) -> tuple[int, list[tuple[int, str]], str]:
    """The better engine has the higher rank: a preferred kind, then a later version or revision."""
    kind = next((at for at, begin in enumerate(_PREFERRED) if engine.name.startswith(begin)), len(_PREFERRED))
    parts = [(int(number or 0), text) for number, text in _NUMBER_OR_TEXT.findall(engine.name)]
    return -kind, parts, engine.name


def _page_files(engine: Path) -> list[str]:
    return sorted(entry.name for entry in engine.iterdir() if _PAGE_FILE.fullmatch(entry.name))
