"""Where Tesseract's language data lies, and which of it a job needs."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

_SUFFIX: Final = ".traineddata"
_FOLDERS: Final = (
    "/usr/share/tesseract-ocr/5/tessdata",
    "/usr/share/tesseract-ocr/4.00/tessdata",
    "/usr/share/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
)
# ISO 639-1 to Tesseract's own names, where these are not simply ISO 639-2/T.
_NAMES: Final[Mapping[str, str]] = {
    "af": "afr", "ar": "ara", "be": "bel", "bg": "bul", "bs": "bos", "ca": "cat", "cs": "ces", "cy": "cym",
    "da": "dan", "de": "deu", "el": "ell", "en": "eng", "es": "spa", "et": "est", "eu": "eus", "fa": "fas",
    "fi": "fin", "fr": "fra", "ga": "gle", "gl": "glg", "he": "heb", "hi": "hin", "hr": "hrv", "hu": "hun",
    "hy": "hye", "id": "ind", "is": "isl", "it": "ita", "ja": "jpn", "ka": "kat", "kk": "kaz", "ko": "kor",
    "la": "lat", "lb": "ltz", "lt": "lit", "lv": "lav", "mk": "mkd", "mr": "mar", "ms": "msa", "mt": "mlt",
    "nb": "nor", "nl": "nld", "nn": "nor", "no": "nor", "pl": "pol", "pt": "por", "ro": "ron", "ru": "rus",
    "sk": "slk", "sl": "slv", "sq": "sqi", "sr": "srp", "sv": "swe", "sw": "swa", "ta": "tam", "te": "tel",
    "th": "tha", "tr": "tur", "uk": "ukr", "ur": "urd", "vi": "vie", "yi": "yid", "zh": "chi_sim",
}  # fmt: skip


def has_data() -> bool:
    """Whether there is data of any language."""
    return any(True for _ in _files())


def missing(names: Sequence[str]) -> tuple[str, ...]:
    """Which of these languages there is no data for."""
    there = {file.name for file in _files()}
    return tuple(name for name in names if f"{name}{_SUFFIX}" not in there)


def folder_of(names: Sequence[str]) -> Path:
    """A folder with the data of all these languages, none of which is missing.

    ``TESSDATA_PREFIX``, or its ``tessdata``, comes first, then what was installed with Goldleaf, then the system's.
    Tesseract looks in one folder only, so languages that lie apart are linked into one that lasts as long as this
    process.
    """
    for folder in _folders():
        if all((folder / f"{name}{_SUFFIX}").is_file() for name in names):
            return folder
    return _gathered(tuple(names))


@lru_cache(maxsize=16)
def _gathered(names: tuple[str, ...]) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="goldleaf-tessdata-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in names:
        file = next(file for file in _files() if file.name == f"{name}{_SUFFIX}")
        (folder / file.name).symlink_to(file)
    return folder


def _files() -> Iterator[Path]:
    for folder in _folders():
        yield from sorted(folder.glob(f"*{_SUFFIX}"))


def _folders() -> Iterator[Path]:
    if prefix := os.environ.get("TESSDATA_PREFIX"):
        yield Path(prefix)
        yield Path(prefix) / "tessdata"
    yield Path(sys.prefix) / "share" / "tessdata"
    yield from map(Path, _FOLDERS)


def names_of(languages: Iterable[str]) -> tuple[str, ...]:
    """Tesseract's names of languages given by ISO 639-1; a code it has no name for stays as it is."""
    return tuple(dict.fromkeys(_NAMES.get(code, code) for code in languages))


@lru_cache(maxsize=16)
def digest(folder: Path, names: tuple[str, ...]) -> str:
    """Tells one set of language data from another: there are fast, best and older files of one name."""
    seen = hashlib.sha256()
    for name in names:
        seen.update((folder / f"{name}{_SUFFIX}").read_bytes())
    return seen.hexdigest()[:8]
