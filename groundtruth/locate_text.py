"""Where a text is printed: an index of the parts of all words, and the runs of words that spell a text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Final, NamedTuple

from groundtruth.locate_fold import Closeness, Piece, closeness, fold, is_right_to_left, pieces
from groundtruth.locate_layout import Layout
from groundtruth.locate_spelling import FEW, Cut, Cuts, Spelling

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
    """The parts of all words, and the texts that runs of them spell."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._pieces: list[Piece] = []
        self._word: list[int] = []
        self._first: list[int] = []
        for index, word in enumerate(layout.words):
            self._first.append(len(self._pieces))
            for piece in pieces(word.text):
                self._pieces.append(piece)
                self._word.append(index)
        self._first.append(len(self._pieces))

    def __len__(self) -> int:
        """How many parts of words hold a letter or a digit."""
        return len(self._pieces)

    @cached_property
    def _after(self) -> list[Sequence[int]]:
        """Per part, those that may come next."""
        found: list[Sequence[int]] = []
        for piece, word in enumerate(self._word):
            if piece + 1 < self._first[word + 1]:
                found.append((piece + 1,))
            else:
                found.append(tuple(self._first[successor] for successor in self._layout.successors(word)))
        return found

    @cached_property
    def _before(self) -> list[Sequence[int]]:
        """Per part, those that it may come after."""
        found: list[list[int]] = [[] for _ in self._pieces]
        for piece, following in enumerate(self._after):
            for after in following:
                found[after].append(piece)
        return list(found)

    @cached_property
    def _upright(self) -> Spelling:
        return Spelling([piece.fold for piece in self._pieces])

    @cached_property
    def _mirrored(self) -> Spelling:
        folds = (piece.fold for piece in self._pieces)
        return Spelling([text[::-1] if is_right_to_left(text) else text for text in folds])

    def runs(self, value: str, *, caseless: bool) -> list[Run]:
        """Every run of words that spells ``value``, in page order; nothing is skipped inside but punctuation.

        Args:
            value: text that holds a letter or digit; any other has no runs.
            caseless: whether a difference in case is no difference.
        """
        sought = fold(value)
        found: dict[frozenset[int], Run] = {}
        for spelling in (self._upright, self._mirrored) if is_right_to_left(sought) else (self._upright,):
            for path in self._paths(spelling, spelling.cut(sought)):
                run = self._run(path, value, caseless, mirrored=spelling is not self._upright)
                if run is None:
                    continue
                # The same words read the other way, as "a b a" can be, are the same place.
                best = found.get(same := frozenset(run.words))
                if best is None or (run.penalty, run.words) < (best.penalty, best.words):
                    found[same] = run
        return sorted(found.values())

    def _paths(self, spelling: Spelling, cuts: Cuts) -> Iterator[tuple[int, ...]]:
        for piece, cut in self._seeds(spelling, cuts):
            backwards = _ways(piece, cut.start, 0, cuts.by_end, self._before, spelling.folds)
            forwards = _ways(piece, cut.end, cuts.length, cuts.by_start, self._after, spelling.folds)
            for before, after in product(backwards, forwards):
                if len(path := (*before[::-1], *after[1:])) == len({*path}):
                    yield path

    def _seeds(self, spelling: Spelling, cuts: Cuts) -> Iterator[tuple[int, Cut]]:
        """Parts to search from, at least one on every path: those of the rarest cuts, or ends when those are many."""
        if sum(len(spelling.pieces[cut.text]) for cut in cuts.rarest) <= FEW or cuts.is_single:
            for cut in cuts.rarest:
                yield from ((piece, cut) for piece in spelling.pieces[cut.text])
            return
        reached: dict[Cut, Collection[int]] = {}
        for cut in cuts.in_order:
            before = [(reached[each], each) for each in cuts.ending_at(cut.start)]
            found = (self._followers(spelling, pieces, each, cut) for pieces, each in before)
            reached[cut] = set().union(*found) if cut.start else spelling.pieces[cut.text]
            if cut.end == cuts.length:
                yield from ((piece, cut) for piece in sorted(reached[cut]))

    def _followers(self, spelling: Spelling, pieces: Collection[int], cut: Cut, following: Cut) -> Iterable[int]:
        """The parts that stand for one cut and come after some of the parts that stand for the one before."""
        if cut.start == 0 and spelling.is_common(cut.text) and spelling.is_common(following.text):
            return spelling.common_pairs(self._after).get((cut.text, following.text), ())
        return [after for piece in pieces for after in self._after[piece] if spelling.folds[after] == following.text]

    def _run(self, path: tuple[int, ...], value: str, caseless: bool, *, mirrored: bool) -> Run | None:
        words = tuple(dict.fromkeys(self._word[piece] for piece in path))
        run = self._layout.with_passed_over(words)
        part = self._first[words[0]] != path[0] or self._first[words[-1] + 1] != path[-1] + 1
        if mirrored:
            return Run(run, MIRRORED_PENALTY + (PART_PENALTY if part else 0.0), part)
        if part:
            printed = [self._pieces[piece].text for piece in path]
        else:
            printed = [self._layout.words[word].text for word in run]
        close = closeness(printed, value, caseless=caseless)
        if close is None:
            return None
        return Run(run, CLOSENESS_PENALTY[close] + (PART_PENALTY if part else 0.0), part)


def _ways(
    piece: int,
    place: int,
    goal: int,
    options: Mapping[int, Mapping[str, int]],
    neighbours: Sequence[Sequence[int]],
    folds: Sequence[str],
) -> list[tuple[int, ...]]:
    """Ways from a part at a place of the text to its beginning or end; each begins with the part."""
    if place == goal:
        return [(piece,)]
    found: list[tuple[int, ...]] = []
    open_paths: list[tuple[tuple[int, ...], int]] = [((piece,), place)]
    # One way to each part at each place is enough: two ways would frame the same words.
    seen: set[tuple[int, int]] = set()
    while open_paths:
        path, place = open_paths.pop()
        for neighbour in neighbours[path[-1]]:
            reached = options[place].get(folds[neighbour])
            if reached is None or (neighbour, reached) in seen or neighbour in path:
                continue
            seen.add((neighbour, reached))
            if reached == goal:
                found.append((*path, neighbour))
            else:
                open_paths.append(((*path, neighbour), reached))
    return found
