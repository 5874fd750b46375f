"""Texts that are alike, looked up one by one and by the million, against the definition; and plain keys."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from scoring import alike, verdict_keys
from scoring.alike import AlikeTexts, bare

TEXTS = st.lists(st.text(alphabet="ab cé.ß7", max_size=12), max_size=12)
PIECES = (
    "jan", "May", "mayor", "T", "z", "1e5", "e", "12", "0", "007", "2024-01-31", "2024-13-01", "1.50", "-0.0", "12:30",
    " ", "-", ",", ".", "/", "(", ")", "$", "%", "+", "'", '"', "[1]", "\t", "\x1c", "é", "–", "A-", "ACC-001",
)  # fmt: skip


def by_definition(least: float, column: Sequence[str], text: str) -> list[str]:
    form = bare(text)
    return sorted(
        one
        for one in column
        if bare(one) == form or (form and bare(one) and fuzz.ratio(form, bare(one)) >= least * 100)
    )


@given(column=TEXTS, asked=TEXTS, least=st.sampled_from([0.95, 0.85, 0.5]), ahead=st.booleans())
@pytest.mark.parametrize("few", [0, 1_000_000])
def test_no_alike_text_is_missed(few: int, column: list[str], asked: list[str], least: float, *, ahead: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alike, "_FEW_PAIRS", few)
        texts = AlikeTexts(least, column)
        if ahead:
            texts.prepare(asked)
        for text in asked:
            assert sorted(texts.to(text)) == by_definition(least, column, text)


@given(st.lists(st.sampled_from(PIECES), max_size=7).map("".join))
def test_plain_texts_have_the_key_that_the_general_way_gives(text: str) -> None:
    quick = verdict_keys._plain_key(text)
    assert quick in {"", verdict_keys._read_key(text)}


@pytest.mark.parametrize(
    ("text", "key"), [("ACC-0001", "acc0001"), ("007", "007"), ("2024-01-31", "date 2024-01-31"), ("1.50", "1.5")]
)
def test_plain_texts_are_taken_the_quick_way(text: str, key: str) -> None:
    assert verdict_keys._plain_key(text) == key
