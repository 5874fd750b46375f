"""Pages that were left out of a reading, as a ballot says it: ``page 7 left out: ended by SIGSEGV``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from groundtruth.ballot import Ballot, Status

_PHRASE: Final = re.compile(r"(?:^|; )pages? (?P<pages>\d+(?:, \d+)*) left out(?::.*)?$")


def without_pages(ballot: Ballot, reasons: Mapping[int, str]) -> Ballot:
    """The ballot, partial because pages were left out: it abstains on what it does not hold.

    Args:
        ballot: one that failed, or from which no page is left out, stays as it is.
        reasons: by page, why it was left out; "" where nobody knows.
    """
    if not reasons or not ballot.usable:
        return ballot
    pages = sorted(reasons)
    numbers = ", ".join(map(str, pages))
    why = "; ".join(dict.fromkeys(reasons[page] for page in pages if reasons[page]))
    phrase = f"page{'s' * (len(pages) > 1)} {numbers} left out{': ' * bool(why)}{why}"
    kept = _PHRASE.sub("", ballot.detail)
    return replace(ballot, status=Status.PARTIAL, detail=f"{kept}; {phrase}" if kept else phrase)


def pages_left_out(detail: str) -> tuple[int, ...]:
    """The pages that the detail of a ballot says were left out, in their order."""
    found = _PHRASE.search(detail)
    return tuple(map(int, found["pages"].split(", "))) if found else ()
