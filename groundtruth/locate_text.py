"""Where a text is printed: an index of the parts of all words, and the runs of words that spell a text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from groundtruth.locate_fold import Closeness, Piece, closeness, fold, is_right_to_left, joint, pieces
from groundtruth.locate_layout import Layout

# What a find loses against the value printed just so, in bits of evidence.
CLOSENESS_PENALTY: Final = {Closeness.SAME: 0.0, Closeness.CASE: 2.0, Closeness.LETTERS: 3.0}
PART_PENALTY: Final = 5.0
"""The value is only a part of a printed word."""
MIRRORED_PENALTY: Final = 3.0
"""The letters of right-to-left words stand in the text layer from left to right."""


class Run(NamedTuple):
    """Words that print a value.

    Attributes:
        words: indices into the layout, in the order in which they are read.
        penalty: what speaks against this being the value, in bits.
        part: whether the first or last word holds more than the value.
    """

    words: tuple[int, ...]
    penalty: float = 0.0
    part: bool = False


class TextIndex:
    """The parts of all words by their fold."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._pieces: list[Piece] = []
        self._word: list[int] = []
        self._first: list[int] = []
        self._starts: dict[str, list[int]] = defaultdict(list)
        self._mirrored_starts: dict[str, list[int]] = defaultdict(list)
        for index, word in enumerate(layout.words):
            self._first.append(len(self._pieces))
            for piece in pieces(word.text):
                self._starts[piece.fold].append(len(self._pieces))
                if is_right_to_left(piece.fold):
                    self._mirrored_starts[piece.fold[::-1]].append(len(self._pieces))
                self._pieces.append(piece)
                self._word.append(index)
        self._first.append(len(self._pieces))
        self._longest = max(map(len, self._starts), default=0)

    def __len__(self) -> int:
        """How many words hold a letter or a digit."""
        return len(self._pieces)

    def runs(self, value: str, *, caseless: bool) -> list[Run]:
        """Every run of words that spells ``value``, in page order; nothing is skipped inside but punctuation.

        Args:
            value: text that holds a letter or digit; any other has no runs.
            caseless: whether a difference in case is no difference.
        """
        sought = fold(value)
        if not sought:
            return []
        found: dict[frozenset[int], Run] = {}
        for mirrored in (False, True) if is_right_to_left(sought) else (False,):
            for path in self._paths(sought, mirrored):
                run = self._run(path, value, caseless, mirrored)
                if run is None:
                    continue
                # The same words read the other way, as "a b a" can be, are the same place.
                best = found.get(same := frozenset(run.words))
                if best is None or (run.penalty, run.words) < (best.penalty, best.words):
                    found[same] = run
        return sorted(found.values())

    def _paths(self, sought: str, mirrored: bool) -> Iterator[tuple[int, ...]]:
        for length in range(1, min(len(sought), self._longest) + 1):
            beginnings = self._beginnings(sought[:length], mirrored)
            if length == len(sought):
                yield from ((piece,) for piece in beginnings)
            elif sought[length - 1].isdigit() and sought[length].isdigit():
                continue
            else:
                for piece in beginnings:
                    yield from self._extend(sought, length, piece, mirrored)

    def _beginnings(self, prefix: str, mirrored: bool) -> Sequence[int]:
        # Numbers keep their direction in a mirrored text.
        mirrored = mirrored and is_right_to_left(prefix)
        return (self._mirrored_starts if mirrored else self._starts).get(prefix, ())

    def _extend(self, sought: str, length: int, first: int, mirrored: bool) -> Iterator[tuple[int, ...]]:
        # One way to each piece at each length is enough: two ways would frame the same words.
        seen: set[tuple[int, int]] = set()
        open_paths: list[tuple[tuple[int, ...], int]] = [((first,), length)]
        while open_paths:
            path, length = open_paths.pop()
            for after in self._after(path[-1]):
                reached = self._reach(sought, length, path[-1], after, mirrored)
                if reached is None or (after, reached) in seen or after in path:
                    continue
                seen.add((after, reached))
                if reached == len(sought):
                    yield (*path, after)
                else:
                    open_paths.append(((*path, after), reached))

    def _reach(self, sought: str, length: int, before: int, after: int, mirrored: bool) -> int | None:
        text = self._pieces[after].fold
        if mirrored and is_right_to_left(text):
            text = text[::-1]
        added = joint(self._pieces[before].fold, text) + text
        return length + len(added) if sought.startswith(added, length) else None

    def _after(self, piece: int) -> Iterator[int]:
        word = self._word[piece]
        if piece + 1 < self._first[word + 1]:
            yield piece + 1
        else:
            for successor in self._layout.successors(word):
                yield self._first[successor]

    def _run(self, path: Sequence[int], value: str, caseless: bool, mirrored: bool) -> Run | None:
        words = tuple(dict.fromkeys(self._word[piece] for piece in path))
        part = self._first[words[0]] != path[0] or self._first[words[-1] + 1] != path[-1] + 1
        if mirrored:
            return Run(words, MIRRORED_PENALTY + (PART_PENALTY if part else 0.0), part)
        if part:
            printed = [self._pieces[piece].text for piece in path]
        else:
            printed = [self._layout.words[word].text for word in words]
        close = closeness(printed, value, caseless=caseless)
        if close is None:
            return None
        return Run(words, CLOSENESS_PENALTY[close] + (PART_PENALTY if part else 0.0), part)
