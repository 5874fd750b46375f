"""How much processor time a group of processes has used: on a busy machine a fairer measure than the clock."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_GROUP: Final = 2
_TIMES: Final = slice(11, 15)
"""In /proc/PID/stat after the name: the group, then own and waited-for children's time in user and system mode."""


def group_cpu_seconds(group: int) -> float | None:
    """The processor time of all processes of a group, with that of their ended children; None where it is not known.

    A process that ends without being waited for takes its time with it, so the figure may fall a little.
    """
    try:
        processes = [path for path in _PROC.iterdir() if path.name.isdigit()]
    except OSError:
        return None
    ticks = [found for path in processes if (found := _ticks(path, group)) is not None]
    return sum(ticks) / os.sysconf("SC_CLK_TCK") if ticks else None


def _ticks(process: Path, group: int) -> int | None:
    try:
        text = (process / "stat").read_text(errors="replace")
    except OSError:
        return None  # it ended meanwhile
    # The name of the program stands in brackets and may itself hold any character.
    fields = text.rpartition(")")[2].split()
    return sum(map(int, fields[_TIMES])) if fields[_GROUP] == str(group) else None
