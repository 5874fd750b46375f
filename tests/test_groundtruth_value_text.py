"""Text as it is compared, and as it is folded."""

from __future__ import annotations

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtruth.value_text import ascii_digits, caseless, clean, clean_surface, fold, is_unicode, straighten


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        pytest.param(" a \t\n b ", "a b", id="spaces of ASCII"),
        pytest.param("a\u2003\u202f\u3000b\u2028c", "a b c", id="spaces of Unicode"),
        pytest.param("a\u00adb\u2060c\ufeff", "abc", id="soft hyphen, word joiner, byte order mark"),
        pytest.param("\u200fשלום\u200e \u202a5\u202c", "שלום 5", id="marks of direction"),
        pytest.param("ﬀ ﬁ ﬂ ﬃ ﬄ", "ff fi fl ffi ffl", id="ligatures"),
        pytest.param("e\u200b\u0301", "é", id="accent behind a zero-width space"),
        pytest.param("a \u200b b", "a b", id="zero-width space between spaces"),
        pytest.param("x² ① ½ ℌ ﬆ ｱ", "x² ① ½ ℌ ﬆ ｱ", id="no compatibility mapping"),
        pytest.param("Straße ÀÉ", "Straße ÀÉ", id="case stays"),
    ],
)
def test_clean(raw: str, cleaned: str) -> None:
    assert clean(raw) == cleaned


def test_joiners_are_kept_for_storing() -> None:
    assert clean("a\u200cb\u200dc\u200bd") == "abcd"
    assert clean_surface("a\u200cb\u200dc\u200bd") == "a\u200cb\u200dcd"


def test_folding_case_leaves_text_composed() -> None:
    assert caseless("STRASSE") == caseless("straße")
    assert normalize("NFC", caseless("İ ǰ")) == caseless("İ ǰ")


def test_straighten() -> None:
    assert straighten("‘a’ “b” „c‟ d–e—f‑g−h") == '\'a\' "b" "c" d-e-f-g-h'


def test_digits_of_every_script_but_no_superscripts() -> None:
    assert ascii_digits("١٢ ३४ ５６ ²①") == "12 34 56 ²①"


def test_half_a_surrogate_pair_cannot_be_written() -> None:
    assert not is_unicode("\ud800")
    assert is_unicode("é😀")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ACME Corp.", "Acme, Corp"),
        ("Smith & Sons", "SMITH SONS"),
        ("(209) 333-9750", "209-333-9750"),
        ("25,000", "25000"),
        ("2640 Fifth St. - Ste 140", "2640 Fifth St Ste 140"),
        ("א׳", "א"),
        ("1,234.50", "1234.50"),
        ("1,5", "1.5"),
        ("04.03.2025", "04/03/2025"),
    ],
)
def test_texts_that_differ_in_surface_only(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.5", "15"),
        ("-5", "5"),
        ("5%", "5"),
        ("10²", "102"),
        ("$5", "5"),
        ("C++", "C"),
        ("-", "."),
        ("कि", "का"),
        ("é", "e"),
        ("Smith", "Smyth"),
    ],
)
def test_texts_that_differ_in_more(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@given(st.text())
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert clean(clean(text)) == clean(text)
    assert clean_surface(clean_surface(text)) == clean_surface(text)
    assert clean(clean_surface(text)) == clean(text)


@given(st.text())
def test_normal_forms_are_one(text: str) -> None:
    assert clean(normalize("NFD", text)) == clean(normalize("NFC", text))


@given(st.text())
def test_folding_is_stable(text: str) -> None:
    text = clean(text)
    assert fold(fold(text)) == fold(text)
    assert fold(caseless(text)) == fold(text)
