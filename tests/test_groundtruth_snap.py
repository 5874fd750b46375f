"""Boxes snapped to words: conventions of boxes, part of a word, edges, and nothing there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtruth.box import Box
from groundtruth.evidence import Evidence, Source
from groundtruth.page_words import Word
from groundtruth.snap import MOST_WORDS, SnapIndex, snap, snapped

WIDTH, HEIGHT, PITCH = 0.08, 0.02, 0.1


def at(column: float, row: float) -> Box:
    """The font box of the word at a place of a grid of words."""
    return Box(PITCH * column, PITCH * row, PITCH * column + WIDTH, PITCH * row + HEIGHT)


def grid_words(*lines: str) -> list[Word]:
    """A word per text, lines below one another."""
    words: list[Word] = []
    for row, line in enumerate(lines):
        for column, text in enumerate(line.split()):
            words.append(Word(len(words), text, at(column, row), row, 0))
    return words


WORDS = grid_words("Total due 1,234.50 EUR", "Paid on 2026-01-03", "last line")


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        pytest.param(at(2, 0), (2,), id="the font's box"),
        pytest.param(Box(0.205, 0.006, 0.275, 0.015), (2,), id="the ink's box"),
        pytest.param(Box(0.19, 0.0, 0.29, 0.029), (2,), id="a detector's box, higher and wider"),
        pytest.param(Box(0.19, 0.0, 0.395, 0.03), (2, 3), id="two words"),
        pytest.param(Box(0.19, 0.0, 0.395, 0.125), (2, 3, 6), id="two lines"),
        pytest.param(Box(0.2, 0.008, 0.28, 0.0085), (2,), id="a rule through the word, above its middle"),
        pytest.param(
            Box(0.2, 0.011, 0.28, 0.031), (), id="shifted down by more than half a line: less than half of it"
        ),
        pytest.param(Box(0.2, 0.0102, 0.28, 0.0198), (2,), id="the lower part of the letters"),
        pytest.param(Box(0.245, 0.0, 0.28, 0.02), (2,), id="the end of a word"),
        pytest.param(Box(0.24, 0.01, 0.28, 0.02), (2,), id="a corner of the box is the centre"),
        pytest.param(Box(0.5, 0.0, 0.9, 0.05), (), id="beside the line"),
        pytest.param(Box(0.0, 0.03, 0.9, 0.09), (), id="between lines"),
        pytest.param(Box(0.0, 0.0, 1.0, 1.0), tuple(range(9)), id="the whole page"),
    ],
)
def test_the_words_in_a_box(box: Box, expected: tuple[int, ...]) -> None:
    assert snap([box], WORDS) == expected


def test_the_words_in_several_boxes_are_each_there_once_and_in_order() -> None:
    assert snap([at(2, 1), at(0, 0), at(0, 0)], WORDS) == (0, 6)
    assert snap([], WORDS) == ()
    assert snap([at(0, 0)], []) == ()


def test_a_place_becomes_its_words_line_by_line() -> None:
    cited = Evidence(page=1, boxes=(Box(0.19, 0.0, 0.395, 0.125),), quote="1234.50", source=Source.CITED, value="x")
    found = snapped(cited, WORDS)
    assert found.words == (2, 3, 6)
    assert found.quote == "1,234.50 EUR 2026-01-03"
    assert found.boxes == (Box(at(2, 0).x0, 0.0, at(3, 0).x1, HEIGHT), at(2, 1))
    assert (found.page, found.value, found.source) == (1, "x", Source.CITED)


@pytest.mark.parametrize(
    "boxes",
    [
        pytest.param((), id="the page alone"),
        pytest.param((Box(0.5, 0.5, 0.6, 0.6),), id="no word there"),
    ],
)
def test_a_place_without_words_stays_as_it_is(boxes: tuple[Box, ...]) -> None:
    cited = Evidence(page=1, boxes=boxes, quote="as cited")
    assert snapped(cited, WORDS) is cited


def test_a_place_that_frames_a_part_of_the_page_stays_as_it_is() -> None:
    words = [
        Word(number, "w", Box(0.02 * (number % 40), 0.02 * (number // 40), 0.02 * (number % 40) + 0.01, 0.9), 0, 0)
        for number in range(MOST_WORDS + 1)
    ]
    cited = Evidence(page=1, boxes=(Box(0, 0, 1, 1),))
    assert snapped(cited, words) is cited
    assert len(snapped(cited, words[:-1]).words) == MOST_WORDS


def test_lines_of_a_page_that_is_written_sideways_are_lines() -> None:
    upward = [Word(number, text, Box(0.5, 0.7 - 0.1 * number, 0.52, 0.78 - 0.1 * number), 0, 0)
              for number, text in enumerate(["Total", "due", "now"])]  # fmt: skip
    found = SnapIndex(upward, 600, 800).snapped(Evidence(page=1, boxes=(Box(0.49, 0.45, 0.53, 0.8),)))
    assert (found.words, found.quote, len(found.boxes)) == ((0, 1, 2), "Total due now", 1)


@st.composite
def boxes_on_page(draw: st.DrawFn) -> Box:
    x0, y0 = (draw(st.integers(0, 90)) / 100 for _ in range(2))
    return Box(x0, y0, x0 + draw(st.integers(1, 10)) / 100, y0 + draw(st.integers(1, 10)) / 100)


@given(st.lists(boxes_on_page(), max_size=30), st.lists(boxes_on_page(), max_size=4))
def test_it_says_what_looking_at_every_word_says(places: list[Box], boxes: list[Box]) -> None:
    words = [Word(number, "w", box, number, 0) for number, box in enumerate(places)]
    expected: set[int] = set()
    for box in boxes:
        centred = {word.id for word in words if box.contains_point(*word.box.center)}
        shared = {word.id for word in words if word.box.intersection(box) > 0.5 * min(word.box.area, box.area)}
        expected |= centred or shared
    assert snap(boxes, words) == tuple(sorted(expected))


@given(st.lists(boxes_on_page(), max_size=30), boxes_on_page())
def test_a_snapped_place_is_snapped_to_the_words_that_it_frames(places: list[Box], box: Box) -> None:
    words = [Word(number, "w", place, number, 0) for number, place in enumerate(places)]
    found = snapped(Evidence(page=1, boxes=(box,)), words)
    assert set(found.words) <= set(snapped(found, words).words)
    assert len((found.quote or "").split()) == len(found.words)


def test_a_full_page_is_looked_up_box_by_box() -> None:
    words = [
        Word(number, "w", Box(x := number % 50 / 50, y := number // 50 / 100, x + 0.015, y + 0.008), number // 50, 0)
        for number in range(5000)
    ]
    index = SnapIndex(words)
    assert [index.ids([word.box]) for word in words] == [(number,) for number in range(5000)]
