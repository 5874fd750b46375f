"""Which labelling server is used: the one that the environment names, or the one that runs on this machine.

A server that ``python -m annotation.server start`` starts (``make label-studio``) leaves a note where every Goldleaf of
the same user finds it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from groundtruth import jsontext
from groundtruth.errors import JsonError, ReviewError

URL_VARIABLE: Final = "LABEL_STUDIO_URL"
TOKEN_VARIABLE: Final = "LABEL_STUDIO_API_KEY"
FILES_VARIABLE: Final = "LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT"
"""Where a server that is named by its address finds local files, if it runs on this machine; as the server has it."""


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """How a server is reached.

    Attributes:
        url: its address.
        token: what it is spoken to with; not part of ``repr``.
        files_root: the folder on this machine below which it shows local files; None when that is not known.
    """

    url: str
    token: str = field(repr=False)
    files_root: Path | None = None


def find_server(environment: Mapping[str, str] | None = None) -> ServerAddress:
    """The server to use.

    ``LABEL_STUDIO_URL`` and ``LABEL_STUDIO_API_KEY`` name one and come first; otherwise it is the one that was started
    last on this machine, which need not run any more.

    Raises:
        ReviewError: neither is to be had, or only half of it.
    """
    named = os.environ if environment is None else environment
    url, token = named.get(URL_VARIABLE, "").strip(), named.get(TOKEN_VARIABLE, "").strip()
    if url and token:
        root = named.get(FILES_VARIABLE, "").strip()
        return ServerAddress(url, token, Path(root) if root else None)
    if url or token:
        missing, given = (TOKEN_VARIABLE, URL_VARIABLE) if url else (URL_VARIABLE, TOKEN_VARIABLE)
        raise ReviewError(
            f"{given} is set and {missing} is not: set both, or neither to use the server of this machine"
        )
    note = note_path(named)
    if not note.exists():
        raise ReviewError(
            f"no labelling server is known: start one with `make label-studio`, or set {URL_VARIABLE} and "
            f"{TOKEN_VARIABLE} to your team's"
        )
    return _noted(note)


def note_path(environment: Mapping[str, str]) -> Path:
    """Where the note about the server of this machine is: ``$XDG_STATE_HOME/goldleaf/label-studio.json``."""
    state = environment.get("XDG_STATE_HOME", "")
    # A relative path there is to be ignored, says the specification of these folders.
    home = Path(state) if state.startswith("/") else Path(environment.get("HOME") or Path.home()) / ".local" / "state"
    return home / "goldleaf" / "label-studio.json"


def _noted(note: Path) -> ServerAddress:
    try:
        said = jsontext.load_file(note)
        return ServerAddress(str(said["url"]), str(said["token"]), Path(said["files_root"]))
    except (JsonError, KeyError, TypeError) as error:
        raise ReviewError(
            f"{note}: cannot be read as the note about a labelling server ({error}); delete it, and start the server "
            "again with `make label-studio`"
        ) from None


if __name__ == "__main__":
    from annotation.server_command import main

    sys.exit(main())
