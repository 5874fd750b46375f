"""Truths with open leaves or rows, which cannot be scored against."""

from __future__ import annotations

from typing import Final

from groundtruth.errors import GoldleafError
from groundtruth.jsontext import Json
from groundtruth.wording import counted

_MOST_NAMED: Final = 3


def require_complete(truth: Json, source: str) -> None:
    """Refuse a truth that ``goldleaf resolve`` left open somewhere; any other truth passes.

    An open leaf is null in the file, and a row whose presence is open is left out of it. To leave them out of the
    score on both sides would need to know which row of a prediction they are.

    Args:
        truth: the JSON of its file.
        source: the file, for the message.

    Raises:
        GoldleafError: leaves or rows are open.
    """
    # What ``annotation.resolve`` writes; scoring needs nothing else of it, and loads none of it.
    if not isinstance(truth, dict) or truth.get("made_by") != "resolve" or truth.get("verified") is True:
        return
    leaves, rows = list(truth.get("unresolved") or ()), list(truth.get("open_rows") or ())
    if not leaves and not rows:
        return
    named = f" ({', '.join(leaves[:_MOST_NAMED])}{', ...' if len(leaves) > _MOST_NAMED else ''})" if leaves else ""
    raise GoldleafError(
        f"{source}: the truth is not complete, {counted(len(leaves), 'leaf', 'leaves')}{named} and "
        f"{counted(len(rows), 'row')} are open; answer them "
        "with `goldleaf review`, or take majorities that nobody looked at with `goldleaf resolve --provisional`"
    )
