"""From recognised words to a value, with what an engine may have misread left unsaid."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from extractors.conventions import Conventions
from extractors.segment_numbers import UNREADABLE, Habits
from extractors.typed import Parsed, is_text, parse
from extractors.words import Word, join
from groundtruth.schema import Leaf
from groundtruth.value import Invalid, Null, canonical

_READ: Final = 0.6
"""Of the cells: a typed column of which fewer are values is not the leaf's."""
_DASHES = re.compile(r"[-–—=_~.·\s]+")
_MARKS = re.compile(r"[.,]")


class Reader:
    """Reads values that stand together: the cells of a column, or the fields of a document."""

    def __init__(self, conventions: Conventions, cells: Iterable[Sequence[Word]] = ()) -> None:
        self._conventions = conventions
        self._cells = list(cells)
        self._habits = Habits(join(words) for words in self._cells)

    def parse(self, leaf: Leaf, words: Sequence[Word]) -> Parsed | None:
        """The value that the words print, or None."""
        return parse(leaf, words, self._conventions)

    def reads(self, leaf: Leaf) -> bool:
        """Whether the column may be the leaf's: enough of its cells are values; an empty column is."""
        return is_text(leaf) or sum(self.parse(leaf, words) is not None for words in self._cells) >= _READ * len(
            self._cells
        )

    def doubts(self, leaf: Leaf, parsed: Parsed) -> bool:
        """Whether the value is a number whose marks may have been misread."""
        return not is_text(leaf) and parsed.key[0] == "number" and self._habits.doubts(join(parsed.words))

    def cell(self, leaf: Leaf, words: Sequence[Word]) -> Parsed | None:
        """The value of a cell; None when it says that there is none.

        A cell that holds something else is no null: its text is the value, which no typed field takes. A number in
        doubt is given with its marks unreadable.
        """
        parsed = self.parse(leaf, words)
        if parsed is None:
            text = join(words)
            if says_nothing(leaf, words):
                return None
            invalid = isinstance(canonical(leaf, text), Invalid)
            return Parsed(text if invalid else text + UNREADABLE, ("text", text), tuple(words))
        if self.doubts(leaf, parsed):
            text = join(words)
            marked = _MARKS.sub(UNREADABLE, text)
            return Parsed(marked if marked != text else text + UNREADABLE, ("text", text), tuple(words))
        return parsed


def says_nothing(leaf: Leaf, words: Sequence[Word]) -> bool:
    """Whether the words of a cell say that there is no value: a dash where no text is wanted, or what means null."""
    text = join(words)
    return isinstance(canonical(leaf, text), Null) or (not is_text(leaf) and _DASHES.fullmatch(text) is not None)
