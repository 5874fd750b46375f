"""Names that become file names: of documents, schemas, versions, systems and artefacts.

One rule for all of them: a name is one component of a path that a person can read, type and pass on a command line.
Quotes, spaces, brackets and every script are fine. What could leave the folder, hide from a listing or not be seen on
a screen is refused with a cure, never rewritten in silence.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from groundtruth.errors import DatasetError

MAX_NAME_BYTES: Final = 200
"""In UTF-8. File systems take 255; the rest is for the suffixes that are put behind a name."""

_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_SEPARATORS: Final = frozenset("/\\")


def name_problem(name: str) -> str | None:
    """What keeps ``name`` from being a file name here, as the end of a sentence; None when nothing does."""
    if not name:
        return "is empty"
    hidden = next((char for char in name if unicodedata.category(char) in _INVISIBLE), None)
    if hidden is not None:
        return f"holds U+{ord(hidden):04X}, a character that cannot be seen"
    if not _SEPARATORS.isdisjoint(name):
        return "holds a slash"
    if name != name.strip():
        return "begins or ends with a space"
    if name[0] in ".-":
        return f"begins with {name[0]!r}"
    if unicodedata.normalize("NFC", name) != name:
        return "is not in Unicode form C"
    size = len(name.encode())
    return f"is {size} bytes long, more than {MAX_NAME_BYTES}" if size > MAX_NAME_BYTES else None


def checked_name(name: str, what: str, *, cure: str = "") -> str:
    """``name`` in Unicode form C, once it is known to be a safe file name.

    Args:
        name: as somebody gave it.
        what: what it names, for the message (``document id``).
        cure: what to do instead; without one a usable name is proposed.

    Raises:
        DatasetError: see ``name_problem``; composing characters (form C) is the one change that is made, not refused.
    """
    name = unicodedata.normalize("NFC", name)
    problem = name_problem(name)
    if problem:
        raise DatasetError(f"{name!r} cannot be a {what}: it {problem}; {cure or f'use {proposed_name(name)!r}, say'}")
    return name


def proposed_name(name: str) -> str:
    """A usable name close to ``name``, to propose to a person."""
    kept = (
        "_" if char in _SEPARATORS or unicodedata.category(char) in _INVISIBLE else char
        for char in unicodedata.normalize("NFC", name)
    )
    cut = "".join(kept).lstrip(".- _").encode()[:MAX_NAME_BYTES].decode(errors="ignore").strip()
    return cut or "document"
