"""Leaf paths: ``items[0].amount`` names a leaf of one document, ``items[].amount`` a field of a schema.

A path is a plain tuple of steps, so it hashes, sorts and slices like one. A step is a key (``str``), a row index
(``int``), or ``EACH``, which stands for every row and makes the path a schema path. A key that holds a dot, a
bracket, a quote, a backslash, white space or nothing at all is written in brackets with JSON escapes:
``["a.b"].c``. Writing and reading are exact inverses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from enum import Enum
from typing import Final

from groundtruth.errors import PathError


class Each(Enum):
    """The step that stands for every row of an array."""

    EACH = "[]"


EACH: Final = Each.EACH

Step = str | int | Each
Path = tuple[Step, ...]

ROOT: Final[Path] = ()

_PLAIN_KEY = re.compile(r"[^\s.\[\]\"'\\\x00-\x1f]+")
_TOKEN = re.compile(
    r"""\[(?P<index>0|[1-9][0-9]*)\]      # a row
      | (?P<each>\[\])                    # every row
      | \[(?P<quoted>"(?:[^"\\]|\\.)*")\] # a key with JSON escapes
      | (?P<key>[^\s.\[\]"'\\\x00-\x1f]+) # a plain key
    """,
    re.VERBOSE,
)


def format_path(path: Path) -> str:
    """Write a path as text; the root is the empty string."""
    parts: list[str] = []
    for step in path:
        if isinstance(step, str):
            if _PLAIN_KEY.fullmatch(step):
                parts.append(f".{step}" if parts else step)
            else:
                parts.append(f"[{json.dumps(step)}]")
        elif isinstance(step, int):
            parts.append(f"[{step}]")
        else:
            parts.append("[]")
    return "".join(parts)


def parse_path(text: str) -> Path:
    """Read a path written by ``format_path``.

    Raises:
        PathError: ``text`` is not a path; the message shows where reading stopped.
    """
    steps: list[Step] = []
    position = 0
    while position < len(text):
        dotted = position > 0 and text[position] == "."
        match = _TOKEN.match(text, position + dotted)
        if match is None or not _fits(match, dotted=dotted, first=position == 0):
            raise PathError(
                f"{text!r} is not a leaf path: cannot read {text[position : position + 20]!r} at character "
                f'{position}; write it like items[0].amount, and a key with a dot or bracket like ["a.b"]'
            )
        steps.append(_step(match))
        position = match.end()
    return tuple(steps)


def schema_path(path: Path) -> Path:
    """The schema path of an instance path: every row index becomes ``EACH``."""
    return tuple(EACH if isinstance(step, int) else step for step in path)


def _fits(match: re.Match[str], *, dotted: bool, first: bool) -> bool:
    if match["key"] is not None:
        return dotted or first
    return not dotted


def _step(match: re.Match[str]) -> Step:
    if match["key"] is not None:
        return match["key"]
    if match["index"] is not None:
        return int(match["index"])
    if match["each"] is not None:
        return EACH
    try:
        key = json.loads(match["quoted"])
    except ValueError as error:
        raise PathError(f"{match['quoted']} is not a quoted key: {error}") from error
    return str(key)


def rows_around(path: Path) -> Iterator[Path]:
    """The rows around a leaf or of a row, outermost first; a row itself comes last."""
    for at, step in enumerate(path):
        if isinstance(step, int):
            yield path[: at + 1]
