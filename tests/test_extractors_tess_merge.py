"""Two readings of a page made into one, and the pieces of words put right by the ink."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from extractors.tess_ink import fitted, white_between
from extractors.tess_merge import UNREAD, Look, Piece, Pixels, cleaned, in_lines, merged, parted, rejoined

WIDE, HIGH, STEP = 8, 20, 10


def piece(text: str, x: int = 0, *, y: int = 0, confidence: float = 0.9, width: int | None = None) -> Piece:
    """A word of letters 8 pixels wide, 2 apart."""
    letters = tuple((x + STEP * n, y, x + STEP * n + WIDE, y + HIGH) for n in range(len(text)))
    right = x + (STEP * len(text) - 2 if width is None else width)
    return Piece(text, (x, y, right, y + HIGH), confidence, letters)


def look(third: Sequence[Piece] = (), *, white: float = 2.0) -> Look:
    """A picture in which a place read again gives ``third``, with gaps of ``white`` pixels."""
    return Look(lambda _pixels: third, lambda _left, _right: white)


def inked(*pieces: Piece) -> NDArray[np.bool_]:
    """A picture with a block of ink for every letter."""
    dark = np.zeros((80, 400), np.bool_)
    for one in pieces:
        for x0, y0, x1, y1 in one.letters:
            dark[y0:y1, x0:x1] = True
    return dark


def shown(pieces: Sequence[Piece]) -> list[tuple[str, float]]:
    return [(one.text, round(one.confidence, 3)) for one in pieces]


def test_what_both_read_alike_is_as_sure_as_the_surer() -> None:
    assert shown(merged([piece("total")], [piece("total", confidence=0.95)], look())) == [("total", 0.95)]


def test_what_one_of_them_read_is_kept() -> None:
    found = merged([piece("one")], [piece("two", 100), piece("below", y=40)], look())
    assert sorted(one.text for one in found) == ["below", "one", "two"]


@pytest.mark.parametrize(
    ("white", "expected"), [(9.0, ["SER", "B"]), (2.0, ["SERB"])], ids=["as-wide-as-a-space", "narrow"]
)
def test_of_two_cuts_the_gap_decides(white: float, expected: list[str]) -> None:
    found = merged([piece("SERB")], [piece("SER"), piece("B", 30)], look(white=white))
    assert [one.text for one in found] == expected


def test_a_third_reading_settles_two_that_differ() -> None:
    mine, theirs = piece("O1", confidence=0.9), piece("01", confidence=0.5)
    assert shown(merged([mine], [theirs], look([piece("01", confidence=0.8)]))) == [("01", 0.8)]


def test_without_a_third_the_surer_is_doubted() -> None:
    assert shown(merged([piece("O1", confidence=0.6)], [piece("01", confidence=0.8)], look())) == [("01", 0.4)]


def test_a_reading_that_was_cut_off_gives_way() -> None:
    whole, cut_off = piece("1,234.50", confidence=0.85), piece("1,234", confidence=0.95)
    assert shown(merged([cut_off], [whole], look())) == [("1,234.50", 0.765)]
    invented = piece("EQ-1J7", confidence=0.85, width=48)
    assert [one.text for one in merged([invented], [piece("EQ-1J", confidence=0.95)], look())] == ["EQ-1J"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("|", [UNREAD]), ("___", []), ("$T3635/23", ["ST3635/23"]), ("$1,234", ["$1,234"]), ("$US", ["$US"])],
    ids=["a-bar", "a-leader", "an-s", "dollars", "dollars-by-name"],
)
def test_what_is_known_to_be_misread(text: str, expected: list[str]) -> None:
    assert [one.text for one in cleaned([piece(text)])] == expected


def test_a_space_between_letters_that_was_overlooked() -> None:
    dark = inked(piece("CL"), piece("A", 30))
    glued = Piece("CLA", (0, 0, 38, HIGH), 0.9, ((0, 0, 8, 20), (10, 0, 18, 20), (30, 0, 38, 20)))
    assert [(one.text, one.pixels[0]) for one in parted(glued, dark)] == [("CL", 0), ("A", 30)]
    figures = glued._replace(text="CL1")
    assert parted(figures, dark) == [figures]


@pytest.mark.parametrize(
    ("left", "right", "white", "expected"),
    [
        ("3.003,", "68", 8.0, ["3.003,68"]),
        ("V", "102363", 3.0, ["V102363"]),
        ("V", "102363", 8.0, ["V", "102363"]),
        ("Net", "14", 7.0, ["Net", "14"]),
        (UNREAD, "14", 1.0, [UNREAD, "14"]),
    ],
    ids=["behind-a-comma", "behind-a-letter", "a-space", "words", "unread"],
)
def test_a_word_that_was_cut_is_rejoined(left: str, right: str, white: float, expected: list[str]) -> None:
    line = [piece(left), piece(right, STEP * len(left))]
    assert [one.text for one in rejoined(line, look(white=white))] == expected


def test_a_piece_is_drawn_to_its_ink_and_a_ghost_is_dropped() -> None:
    printed = [piece("24"), piece("V", 40), piece("DC", 70)]
    dark = inked(*printed)
    misplaced = printed[1]._replace(pixels=(44, 0, 52, HIGH))
    ghost = piece(")", 6, confidence=0.7)
    nothing = piece("=", 200)
    found = fitted([printed[0], ghost, misplaced, printed[2], nothing], dark)
    assert [(one.text, one.pixels[0], one.pixels[2]) for one in found] == [("24", 0, 18), ("V", 40, 48), ("DC", 70, 88)]
    assert white_between(found[1], found[2], dark) == 22


def test_flat_pieces_take_the_height_of_the_word_beside_them() -> None:
    dash = Piece("-", (40, 9, 48, 12), 0.9)
    (line,) = in_lines([piece("Net"), dash, piece("14", 60)])
    assert [one.pixels[1::2] for one in line] == [(0, HIGH)] * 3


def test_lines_come_from_the_top_and_words_from_the_left() -> None:
    found = in_lines([piece("d", 50, y=42), piece("b", 50, y=3), piece("c", y=40), piece("a")])
    assert [[one.text for one in line] for line in found] == [["a", "b"], ["c", "d"]]


def test_pixels_are_what_the_helpers_say() -> None:
    box: Pixels = piece("ab", 5).pixels
    assert box == (5, 0, 23, HIGH)
