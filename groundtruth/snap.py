"""Boxes snapped to the words of their page, so that places are compared by what they frame and not by how.

Two systems that read the same words draw other boxes around them: one as high as the font, one as high as the ink.
Which words of the page's own list lie in a box does not depend on that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundtruth.box import Box
from groundtruth.evidence import Evidence, Kind
from groundtruth.locate_layout import Layout
from groundtruth.page_words import Word

MOST_WORDS: Final = 400
"""A place with more words than this frames a part of the page and no value; it is left as it is."""

_MOST_OUTSIDE: Final = 0.5
"""Of a word, or of a box smaller than the word, that share may lie outside the other and no more."""

_Floats = NDArray[np.float64]


def snap(boxes: Iterable[Box], words: Sequence[Word]) -> tuple[int, ...]:
    """The words whose centre lies in one of the boxes, edges included: their places in ``words``, ascending.

    A box that holds no centre, because it is flat, shifted or stands for a part of a word, takes the words with which
    it shares more than half of the smaller of the two. Where nothing is shared the result is empty.
    """
    return SnapIndex(words).ids(boxes)


def snapped(evidence: Evidence, words: Sequence[Word]) -> Evidence:
    """The place as the page's words have it; see ``SnapIndex.snapped``."""
    return SnapIndex(words).snapped(evidence)


class SnapIndex:
    """The words of one page by where they stand; make one for many boxes.

    Args:
        words: the page's words in reading order.
        width: of the page as displayed, in any unit; with the height it tells in which direction lines run.
        height: in the same unit.
    """

    def __init__(self, words: Sequence[Word], width: float = 1.0, height: float = 1.0) -> None:
        self._page = _SinglePage(1, width, height, words)
        edges = np.array([word.box for word in words], dtype=np.float64).reshape(-1, 4)
        middles = (edges[:, 1] + edges[:, 3]) / 2
        # Boxes are flat and wide as lines are, so the words at a box's height are few.
        self._order = np.argsort(middles, kind="stable")
        self._y: _Floats = middles[self._order]
        self._x: _Floats = ((edges[:, 0] + edges[:, 2]) / 2)[self._order]
        self._edges: _Floats = edges
        self._known: dict[tuple[Box, ...], tuple[int, ...]] = {}

    def ids(self, boxes: Iterable[Box]) -> tuple[int, ...]:
        """As ``snap``."""
        found: set[int] = set()
        for box in boxes:
            inside = self._centred_in(box)
            found.update((inside if len(inside) else self._shared_with(box)).tolist())
        return tuple(sorted(found))

    def snapped(self, evidence: Evidence) -> Evidence:
        """The place as the page's words have it: a box per printed line, the words as quote, and their ids.

        Unchanged when no word stands there, when more than ``MOST_WORDS`` do, and when the page alone is known.
        """
        found = self._known.get(evidence.boxes)
        if found is None:
            found = self._known[evidence.boxes] = self.ids(evidence.boxes)
        if not 0 < len(found) <= MOST_WORDS:
            return evidence
        boxes = self._layout.boxes(found)
        quote = self._layout.text(found)
        return evidence.model_copy(update={"boxes": boxes, "quote": quote, "kind": Kind.LINE, "words": found})

    def _centred_in(self, box: Box) -> NDArray[np.intp]:
        low, high = np.searchsorted(self._y, box.y0, "left"), np.searchsorted(self._y, box.y1, "right")
        across = self._x[low:high]
        return self._order[low:high][(box.x0 <= across) & (across <= box.x1)]

    def _shared_with(self, box: Box) -> NDArray[np.intp]:
        x0, y0, x1, y1 = self._edges.T
        shared = np.clip(np.minimum(x1, box.x1) - np.maximum(x0, box.x0), 0, None)
        shared *= np.clip(np.minimum(y1, box.y1) - np.maximum(y0, box.y0), 0, None)
        return np.flatnonzero(shared > _MOST_OUTSIDE * np.minimum((x1 - x0) * (y1 - y0), box.area))

    @cached_property
    def _layout(self) -> Layout:
        return Layout([self._page])


class _SinglePage(NamedTuple):
    number: int
    width: float
    height: float
    words: Sequence[Word]
