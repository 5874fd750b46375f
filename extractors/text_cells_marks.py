"""Boxes to check in a line of text, and what each of them stands for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from extractors.text_cells_lines import WIDE_GAP, TextLine
from extractors.typed import checkbox
from extractors.words import Word


class Option(NamedTuple):
    """A box and the words behind it, up to the next box or a wide gap."""

    mark: tuple[Word, ...]
    label: tuple[Word, ...]
    is_checked: bool


def options(line: TextLine) -> list[Option]:
    """The boxes of a line from left to right."""
    marks = list(_marks(line.words))
    found: list[Option] = []
    for place, (start, end, is_checked) in enumerate(marks):
        stop = marks[place + 1][0] if place + 1 < len(marks) else len(line.words)
        found.append(Option(line.words[start:end], _label(line, end, stop), is_checked))
    return found


def is_mark(words: Sequence[Word]) -> bool:
    """Whether words begin with a box."""
    return any(start == 0 for start, _, _ in _marks(words[:2]))


def _marks(words: Sequence[Word]) -> Iterator[tuple[int, int, bool]]:
    """Where boxes begin and end, and whether they are checked; an empty one may be two words, ``[`` and ``]``."""
    index = 0
    while index < len(words):
        for length in (2, 1):
            text = " ".join(word.text for word in words[index : index + length])
            parts = len(words[index : index + length]) == length and (length == 1 or text in {"[ ]", "( )"})
            state = checkbox(text) if parts else None
            if state is not None:
                yield index, index + length, state
                index += length - 1
                break
        index += 1


def _label(line: TextLine, start: int, stop: int) -> tuple[Word, ...]:
    words = line.words[start:stop]
    for index in range(1, len(words)):
        if words[index].x0 - words[index - 1].x1 > WIDE_GAP * line.unit:
            return words[:index]
    return words
