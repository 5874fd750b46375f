"""Two readings of one page made into one: words as Tesseract read them under two ways of finding lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Pixels = tuple[int, int, int, int]
"""x0, y0, x1, y1."""

UNREAD: Final = "\N{REPLACEMENT CHARACTER}"
"""The text of a place that has ink on it and that could not be read."""

_DOUBT: Final = 0.5
"""What is left of the confidence of a word that the other reading has differently."""

_SLIGHT_DOUBT: Final = 0.9
_WHOLE: Final = 0.8
_SAME_HEIGHT: Final = 0.5
_SAME_WIDTH: Final = 0.3
_SPACE: Final = 0.36
"""In heights of the word: a gap between two letters that is wider is a space."""
_WIDE_SPACE: Final = 0.55
_WIDER: Final = 0.5
"""In letters."""
_NO_SPACE: Final = 0.2
_OUTSTANDING: Final = 2.5
_FLAT: Final = 0.6
_DOLLAR = re.compile(r"^\$(?=[A-Z]+[-/]?\d)")
_NEVER_TEXT: Final = frozenset("|_¦")


class Piece(NamedTuple):
    """A word on the level picture.

    Attributes:
        text: without white space.
        pixels: its box.
        confidence: in [0, 1].
        letters: the boxes of its characters, as many as ``text`` has; () when they are not known.
    """

    text: str
    pixels: Pixels
    confidence: float
    letters: tuple[Pixels, ...] = ()


class Look(NamedTuple):
    """What can be looked up in the picture: a place read by itself, and the white between two neighbours in pixels."""

    again: Callable[[Pixels], Sequence[Piece]]
    white: Callable[[Piece, Piece], float]


def merged(first: Sequence[Piece], second: Sequence[Piece], look: Look) -> list[Piece]:
    """One reading of two: where they agree on the text, by the better cut; where they differ a third one decides.

    What only one of them has is kept. Where the third agrees with neither, the surer text stands with less confidence;
    of equals the first reading's.
    """
    found: list[Piece] = []
    for mine, theirs in _clusters(first, second):
        if not mine or not theirs:
            found += mine or theirs
        elif _text(mine) == _text(theirs):
            found += _agreed(mine, theirs, look)
        else:
            found += _settled(mine, theirs, look)
    return found


def _agreed(mine: Sequence[Piece], theirs: Sequence[Piece], look: Look) -> list[Piece]:
    sure = max(_confidence(mine), _confidence(theirs))
    return [piece._replace(confidence=max(sure, piece.confidence)) for piece in _better_cut(mine, theirs, look)]


def _settled(mine: Sequence[Piece], theirs: Sequence[Piece], look: Look) -> list[Piece]:
    """The reading to follow of two that differ; one that was cut off misses characters of the whole one."""
    others = look.again(_around([*mine, *theirs]))
    for pieces in (mine, theirs):
        if others and _text(pieces) == _text(others):
            return _agreed(pieces, others, look)
    for whole, part in ((mine, theirs), (theirs, mine)):
        if _is_cut_off(part, whole) and _confidence(whole) >= _WHOLE:
            return [piece._replace(confidence=piece.confidence * _SLIGHT_DOUBT) for piece in whole]
    better = mine if round(_worth(mine), 6) >= round(_worth(theirs), 6) else theirs
    return [piece._replace(confidence=piece.confidence * _DOUBT) for piece in better]


def _is_cut_off(part: Sequence[Piece], whole: Sequence[Piece]) -> bool:
    """Whether ``whole`` has all characters of ``part`` in their order, and more on a wider place."""
    wide, narrow = _around(whole), _around(part)
    letter = (wide[2] - wide[0]) / len(_text(whole))
    wider = (wide[2] - wide[0]) - (narrow[2] - narrow[0]) >= _WIDER * letter
    inner = any(right.pixels[0] - left.pixels[2] >= _WIDER * letter for left, right in pairwise(part))
    return (wider or inner) and _is_within(_text(part), _text(whole))


def _around(pieces: Sequence[Piece]) -> Pixels:
    x0, y0, x1, y1 = zip(*(piece.pixels for piece in pieces), strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def _is_within(part: str, whole: str) -> bool:
    """Whether the characters of ``part`` stand in ``whole`` in their order."""
    rest = iter(whole)
    return all(character in rest for character in part)


def _better_cut(one: Sequence[Piece], other: Sequence[Piece], look: Look) -> Sequence[Piece]:
    """The finer cut if its gaps are as wide as spaces, else the coarser."""
    coarse, fine = sorted((one, other), key=len)
    return fine if all(_is_space(left, right, look) for left, right in pairwise(fine)) else coarse


def _is_space(left: Piece, right: Piece, look: Look) -> bool:
    """Whether the gap between two pieces is as wide as a space; wider between figures, which have gaps of their own."""
    needed = _WIDE_SPACE if _is_figure(left.text[-1]) and _is_figure(right.text[0]) else _SPACE
    return look.white(left, right) >= needed * max(_height(left), _height(right))


def _is_figure(character: str) -> bool:
    return character.isdecimal() or character in ".,"


def _height(piece: Piece) -> int:
    return piece.pixels[3] - piece.pixels[1]


def _text(pieces: Iterable[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


def _confidence(pieces: Iterable[Piece]) -> float:
    return min(piece.confidence for piece in pieces)


def _worth(pieces: Sequence[Piece]) -> float:
    """How much of the place the pieces read, by how surely."""
    return sum(piece.confidence**2 * (piece.pixels[2] - piece.pixels[0]) for piece in pieces)


def _clusters(first: Sequence[Piece], second: Sequence[Piece]) -> list[tuple[list[Piece], list[Piece]]]:
    """Groups of pieces that stand in one place, each group's in reading order."""
    pieces = [*first, *second]
    parent = list(range(len(pieces)))

    def root(number: int) -> int:
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    order = sorted(range(len(pieces)), key=lambda number: pieces[number].pixels[1])
    for place, number in enumerate(order):
        for other in order[place + 1 :]:
            if pieces[other].pixels[1] >= pieces[number].pixels[3]:
                break
            if (number < len(first)) != (other < len(first)) and _share_place(pieces[number], pieces[other]):
                parent[root(other)] = root(number)
    groups: dict[int, tuple[list[Piece], list[Piece]]] = {}
    for number in sorted(range(len(pieces)), key=lambda number: pieces[number].pixels[0]):
        groups.setdefault(root(number), ([], []))[number >= len(first)].append(pieces[number])
    return [groups[key] for key in sorted(groups)]


def _share_place(one: Piece, other: Piece) -> bool:
    (ax0, ay0, ax1, ay1), (bx0, by0, bx1, by1) = one.pixels, other.pixels
    across, down = min(ax1, bx1) - max(ax0, bx0), min(ay1, by1) - max(ay0, by0)
    return across > _SAME_WIDTH * min(ax1 - ax0, bx1 - bx0) and down > _SAME_HEIGHT * min(ay1 - ay0, by1 - by0)


def parted(piece: Piece, dark: NDArray[np.bool_]) -> list[Piece]:
    """The words of a piece in which a space was overlooked; the piece alone when none was.

    A space is a white gap between two letters, wide for the height of the word, that stands out among its gaps.
    Between figures and signs there is none: the figure 1 has such gaps about it.
    """
    if len(piece.letters) != len(piece.text) or len(piece.text) < 2:
        return [piece]
    x0, y0, x1, y1 = piece.pixels
    columns = dark[y0:y1, x0:x1].max(axis=0, initial=False).tolist()
    gaps = _white_runs(columns, x0)
    height = y1 - y0
    usual = median([end - start for start, end in gaps]) if len(gaps) > 2 else 0.1 * height
    cuts = []
    for start, end in gaps:
        if end - start >= max(_SPACE * height, _OUTSTANDING * usual):
            number = _letters_before(piece, (start + end) / 2)
            if 0 < number < len(piece.text) and (piece.text[number - 1] + piece.text[number]).isalpha():
                cuts.append((number, start, end))
    return _cut(piece, cuts) if cuts else [piece]


def _white_runs(columns: Sequence[bool], left: int) -> list[tuple[int, int]]:
    """The gaps between columns of ink."""
    inked = [number + left for number, column in enumerate(columns) if column]
    return [(one + 1, other) for one, other in pairwise(inked) if other - one > 1]


def _letters_before(piece: Piece, x: float) -> int:
    return sum((letter[0] + letter[2]) / 2 < x for letter in piece.letters)


def _cut(piece: Piece, cuts: Sequence[tuple[int, int, int]]) -> list[Piece]:
    x0, y0, x1, y1 = piece.pixels
    starts = [(0, x0), *((number, end) for number, _, end in cuts)]
    ends = [*((number, start) for number, start, _ in cuts), (len(piece.text), x1)]
    return [
        Piece(piece.text[begin:stop], (left, y0, right, y1), piece.confidence, piece.letters[begin:stop])
        for (begin, left), (stop, right) in zip(starts, ends, strict=True)
        if begin < stop and left < right
    ]


def rejoined(line: Sequence[Piece], look: Look) -> list[Piece]:
    """The pieces of a line, those as one that no space parts: numbers cut behind a comma, codes behind a letter."""
    found: list[Piece] = []
    for piece in line:
        if found and _is_one_word(found[-1], piece, look):
            last = found.pop()
            text, letters = last.text + piece.text, last.letters + piece.letters
            confidence = min(last.confidence, piece.confidence)
            found.append(Piece(text, _around([last, piece]), confidence, letters))
        else:
            found.append(piece)
    return found


def _is_one_word(left: Piece, right: Piece, look: Look) -> bool:
    height = max(_height(left), _height(right))
    if UNREAD in (left.text, right.text) or right.pixels[0] - left.pixels[2] > height:
        return False
    in_number = left.text[-1] in ".," and left.text[:-1][-1:].isdecimal() and right.text[0].isdecimal()
    return look.white(left, right) < (_WIDE_SPACE if in_number else _NO_SPACE) * height


def without(grey: NDArray[np.uint8], pieces: Iterable[Piece]) -> NDArray[np.uint8]:
    """The picture with the places of pieces left white."""
    found = grey.copy()
    for piece in pieces:
        x0, y0, x1, y1 = piece.pixels
        found[max(0, y0 - 1) : y1 + 1, max(0, x0 - 1) : x1 + 1] = 255
    return found


def cleaned(pieces: Iterable[Piece]) -> list[Piece]:
    """Without what Tesseract is known to take for something else.

    Underscores are none of the text, an upright bar may be a letter or a rule, and before a letter and a figure stands
    no sign of dollars but the letter S.
    """
    found = []
    for piece in pieces:
        if set(piece.text) <= _NEVER_TEXT:
            if "|" in piece.text:
                found.append(piece._replace(text=UNREAD, confidence=0.0, letters=()))
        elif "|" in piece.text:
            found.append(piece._replace(confidence=piece.confidence * _DOUBT))
        else:
            found.append(piece._replace(text=_DOLLAR.sub("S", piece.text)))
    return found


def in_lines(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """The pieces by line from the top, each line from the left: two share a line that overlap by half their height."""
    lines: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda piece: (piece.pixels[1] + piece.pixels[3], piece.pixels[0])):
        for line in reversed(lines[-3:]):
            y0, y1 = line[-1].pixels[1], line[-1].pixels[3]
            common = min(piece.pixels[3], y1) - max(piece.pixels[1], y0)
            if common >= _SAME_HEIGHT * min(piece.pixels[3] - piece.pixels[1], y1 - y0):
                line.append(piece)
                break
        else:
            lines.append([piece])
    return [_of_one_height(sorted(line, key=lambda piece: piece.pixels)) for line in lines]


def _of_one_height(line: list[Piece]) -> list[Piece]:
    """The line with its flat pieces, dashes and dots, as high as the next word: their ink lies off a word's middle."""
    usual = median(map(_height, line))
    whole = [piece for piece in line if _height(piece) >= _FLAT * usual]
    return [piece if piece in whole else _as_high_as(_nearest(piece, whole), piece) for piece in line]


def _nearest(piece: Piece, others: Sequence[Piece]) -> Piece:
    x0, _, x1, _ = piece.pixels
    return min(others, key=lambda other: max(other.pixels[0] - x1, x0 - other.pixels[2]))


def _as_high_as(other: Piece, piece: Piece) -> Piece:
    x0, y0, x1, y1 = piece.pixels
    return piece._replace(pixels=(x0, min(y0, other.pixels[1]), x1, max(y1, other.pixels[3])))
