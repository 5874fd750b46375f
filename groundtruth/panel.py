"""Who votes: at most five systems, each once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from groundtruth.errors import PanelError

MAX_SYSTEMS: Final = 5


def check_panel(systems: Sequence[str]) -> tuple[str, ...]:
    """The panel, sorted.

    Raises:
        PanelError: nobody, more than five systems, or one system twice.
    """
    twice = sorted(system for system, count in Counter(systems).items() if count > 1)
    if twice:
        raise PanelError(f"a panel holds each system once: {', '.join(twice)} stands there more than once")
    if len(systems) > MAX_SYSTEMS:
        raise PanelError(
            f"a panel holds at most {MAX_SYSTEMS} systems, not {len(systems)} ({', '.join(sorted(systems))}); "
            "choose with --systems"
        )
    if not systems:
        raise PanelError("a panel needs at least one system; choose with --systems")
    return tuple(sorted(systems))
