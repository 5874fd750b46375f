"""The index of words against a plain search of every run of words."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtruth.locate_date import read as read_date
from groundtruth.locate_fold import fold, pieces
from groundtruth.locate_layout import Layout
from groundtruth.locate_number import read as read_number
from groundtruth.locate_text import TextIndex
from locate_builders import words_page


def _every_run(words: Sequence[str], sought: str) -> set[tuple[int, ...]]:
    """Runs of whole words of one line that fold to a text, by trying them all."""
    return {
        tuple(range(first, last))
        for first in range(len(words))
        for last in range(first + 1, len(words) + 1)
        if fold(" ".join(words[first:last])) == sought
    }


@given(
    st.lists(st.sampled_from(["ab", "a", "b", "ba", "1", "12", "2", "a1", "aab"]), min_size=1, max_size=25), st.data()
)
def test_the_index_finds_what_a_plain_search_finds(words: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first + 1, min(len(words), first + 5)))
    value = " ".join(words[first:last])
    layout = Layout([words_page([(5, 100, " ".join(words))])])
    found = {run.words for run in TextIndex(layout).runs(value, caseless=True)}
    expected = _every_run(words, fold(value))
    assert tuple(range(first, last)) in expected
    # A text of one or two letters must agree in more than letters, and these do.
    assert found == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("ACME Corp.", "acmecorp", id="case, spaces, punctuation"),
        pytest.param("12.5", "12·5", id="a point between digits"),
        pytest.param("1 25", "1·25", id="a space between digits"),
        pytest.param("A 1", "a1", id="a letter before a digit"),
        pytest.param("10²", "10²", id="superscript"),
        pytest.param("ﬁne", "fine", id="ligature"),
        pytest.param("Ｎｏ １", "no1", id="full width"),
        pytest.param("— … !", "", id="punctuation alone"),
        pytest.param("exam\u00adple", "example", id="soft hyphen"),
    ],
)
def test_fold(text: str, expected: str) -> None:
    assert fold(text) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        pytest.param("Total:118.50", ["Total", "118.50"], id="label"),
        pytest.param("14:30", ["14:30"], id="time"),
        pytest.param("1,234.50", ["1,234.50"], id="number"),
        pytest.param("3/4", ["3/4"], id="fraction"),
        pytest.param("and/or", ["and", "or"], id="slash between words"),
        pytest.param("PO1*1*EA~", ["PO1", "1", "EA"], id="segment"),
        pytest.param("No.77", ["No.", "77"], id="numbered"),
        pytest.param("青空", ["青", "空"], id="ideographs"),
        pytest.param("---", [], id="punctuation"),
    ],
)
def test_pieces(word: str, expected: list[str]) -> None:
    assert [piece.text for piece in pieces(word)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("1,234", {1234, Decimal("1.234")}, id="two ways to read a comma"),
        pytest.param("(5)", {-5, 5}, id="parentheses may be no sign"),
        pytest.param("-5", {-5, 5}, id="an expense may be meant without its sign"),
        pytest.param("8.25%", {Decimal("8.25"), Decimal("0.0825")}, id="percent"),
        pytest.param("1/4-28", set(), id="thread"),
        pytest.param("12kg", {12}, id="unit"),
        pytest.param("2mn", set(), id="word that multiplies"),
        pytest.param("A1", set(), id="code"),
    ],
)
def test_numbers_of_a_word(text: str, expected: set[int | Decimal]) -> None:
    assert {reading.number for reading in read_number(text)} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("03/04/2025", ["2025-03-04", "2025-04-03"], id="two orders"),
        pytest.param("13/04/2025", ["2025-04-13"], id="one order"),
        pytest.param("Jun 3", ["--06-03"], id="no year"),
        pytest.param("7/12", ["--07-12", "--12-07"], id="no year, two orders"),
        pytest.param("2025", [], id="a year alone is a number"),
        pytest.param("30/02/2025", [], id="no such day"),
        pytest.param("1.5", [], id="number"),
    ],
)
def test_dates_of_a_text(text: str, expected: list[str]) -> None:
    assert [iso for iso, _ in read_date(text)] == expected
