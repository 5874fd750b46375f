"""The help given with an unknown name: what was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_MOST = 3


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A clause that lists the known names close to ``name``, to be put after a message; "" when none is close."""
    close = difflib.get_close_matches(name, list(known), n=_MOST)
    return f" (did you mean {', '.join(close)}?)" if close else ""
