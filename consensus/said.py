"""Whether the words at a place say a value: what tells a citation off by a line, or made up, from a sound one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from groundtruth.evidence import Evidence
from groundtruth.locate import Sought
from groundtruth.locate_find import Finder
from groundtruth.locate_layout import Layout
from groundtruth.page_words import Word
from groundtruth.pages import Page
from groundtruth.rules import Comparator
from groundtruth.value import Value, canonical

_SAID_OTHERWISE: Final = frozenset(
    {Comparator.BOOLEAN, Comparator.ENUM, Comparator.LIST, Comparator.UNION, Comparator.OPAQUE}
)
"""A tick says true and a code a member of an enumeration, and a list is cited item by item."""


def says(place: Evidence, sought: Sought, page: Page) -> bool:
    """Whether the words of a place on the page say the value, among others perhaps.

    A place without words says nothing. Fields whose values are mostly printed as something else get the benefit of the
    doubt, and so does a value that has no printed form.
    """
    if sought.leaf.comparator in _SAID_OTHERWISE:
        return True
    if not place.words:
        return False
    if place.quote in sought.forms or _is_same(place.quote, sought):
        return True
    words = [page.words[at] for at in place.words]
    found = Finder(Layout([_Excerpt(page.number, page.width, page.height, words)])).find(sought)
    return found is None or bool(found.places)


def _is_same(quote: str | None, sought: Sought) -> bool:
    read, meant = canonical(sought.leaf, quote), canonical(sought.leaf, sought.value)
    return isinstance(read, Value) and isinstance(meant, Value) and read.key == meant.key


class _Excerpt(NamedTuple):
    number: int
    width: float
    height: float
    words: Sequence[Word]
