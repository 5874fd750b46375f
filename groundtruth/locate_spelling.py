"""How a text can be put together from the parts of words that a document has.

A text is cut into known parts in every way there is. The place in the text that the fewest printed parts can cover is
where a search begins, and it grows from there in both directions. So a phrase of common words is found as fast as its
rarest word allows, and a text that is not printed is given up before any word is looked at.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from groundtruth.locate_fold import DIGIT_BREAK

FEW: Final = 16
"""From more parts than this, no search is begun before their neighbours are asked."""


class Cut(NamedTuple):
    """A stretch of a text that is the fold of some part.

    Attributes:
        start: the place where it begins, before a digit break if there is one.
        end: the place where it ends.
        text: the fold.
    """

    start: int
    end: int
    text: str


class Cuts(NamedTuple):
    """Every way to cut a text into known parts.

    Attributes:
        length: of the text.
        in_order: every cut that lies on some way, by its start.
        rarest: every way uses exactly one of these; empty when there is no way.
        by_start: per place, where the parts that may begin there end.
        by_end: per place, where the parts that may end there begin.
    """

    length: int
    in_order: Sequence[Cut]
    rarest: Sequence[Cut]
    by_start: Mapping[int, Mapping[str, int]]
    by_end: Mapping[int, Mapping[str, int]]

    @property
    def is_single(self) -> bool:
        """Whether the text is one part, and no other parts make it up."""
        return len(self.in_order) == 1

    def ending_at(self, place: int) -> list[Cut]:
        """The cuts that end at a place."""
        return [Cut(start, place, text) for text, start in self.by_end[place].items()] if place else []


class Spelling:
    """The folds of all parts of words, in one direction of writing.

    Attributes:
        folds: per part, its fold.
        pieces: the parts that have a fold, by the fold.
    """

    def __init__(self, folds: list[str]) -> None:
        self.folds = folds
        self.pieces: dict[str, list[int]] = defaultdict(list)
        for piece, text in enumerate(folds):
            self.pieces[text].append(piece)
        lengths: dict[str, set[int]] = defaultdict(set)
        for text in self.pieces:
            lengths[text[:2]].add(len(text))
        # Of the folds that begin with the same two characters, the lengths there are.
        self._lengths = {beginning: sorted(each) for beginning, each in lengths.items()}
        self._pairs: dict[tuple[str, str], list[int]] | None = None

    def is_common(self, text: str) -> bool:
        """Whether many parts have a fold, which must be one of ``pieces``."""
        return len(self.pieces[text]) > FEW

    def common_pairs(self, after: Sequence[Sequence[int]]) -> Mapping[tuple[str, str], Sequence[int]]:
        """Neighbouring parts both of whose folds are common: per pair of folds, the second parts.

        Args:
            after: per part, those that may come next.
        """
        if self._pairs is None:
            self._pairs = defaultdict(list)
            for piece, text in enumerate(self.folds):
                if self.is_common(text):
                    for following in after[piece]:
                        if self.is_common(self.folds[following]):
                            self._pairs[text, self.folds[following]].append(following)
        return self._pairs

    def cut(self, text: str) -> Cuts:
        """Cut a folded text in every way."""
        cuts = self._cuts(text)
        by_start: dict[int, dict[str, int]] = defaultdict(dict)
        by_end: dict[int, dict[str, int]] = defaultdict(dict)
        for cut in cuts:
            by_start[cut.start][cut.text] = cut.end
            by_end[cut.end][cut.text] = cut.start
        return Cuts(len(text), sorted(cuts), self._rarest(text, cuts), by_start, by_end)

    def _rarest(self, text: str, cuts: list[Cut]) -> list[Cut]:
        """The cuts over the place of a text that the fewest parts can cover."""
        if len(cuts) < 2:
            return cuts
        cost = [0] * len(text)
        for cut in cuts:
            count = len(self.pieces[cut.text])
            for place in range(cut.start, cut.end):
                cost[place] += count
        # A break between digits is covered by no part where two of them meet.
        rarest = min((cost[place], place) for place, char in enumerate(text) if char != DIGIT_BREAK)[1]
        return [cut for cut in cuts if cut.start <= rarest < cut.end]

    def _cuts(self, text: str) -> list[Cut]:
        """Every known stretch that lies on a way from the beginning of a text to its end."""
        by_start: dict[int, list[Cut]] = {}
        open_places = [0] if text else []
        while open_places:
            place = open_places.pop()
            if place not in by_start:
                by_start[place] = self._cuts_from(text, place)
                open_places += [cut.end for cut in by_start[place] if cut.end < len(text)]
        leads_on = {len(text)}
        kept: list[Cut] = []
        for place in sorted(by_start, reverse=True):
            leading = [cut for cut in by_start[place] if cut.end in leads_on]
            kept += leading
            if leading:
                leads_on.add(place)
        return kept

    def _cuts_from(self, text: str, place: int) -> list[Cut]:
        first = place + 1 if place and text[place] == DIGIT_BREAK else place
        found: list[Cut] = []
        for width in (1, 2):
            for length in self._lengths.get(text[first : first + width], ()):
                end = first + length
                part = text[first:end]
                if (length > 1) != (width > 1) or end > len(text) or part not in self.pieces:
                    continue
                # Digits that stand side by side in the text are side by side in one part.
                if end == len(text) or not (text[end - 1].isdigit() and text[end].isdigit()):
                    found.append(Cut(place, end, part))
        return found
