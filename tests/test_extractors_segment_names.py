"""What a misspelt text names."""

from __future__ import annotations

import pytest

from extractors.labels import tokens_of
from extractors.segment_names import NAMED, NameBook, likeness


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        pytest.param("invoice number", "lnvoice No.", id="a letter confused and a word shortened"),
        pytest.param("unit price", "UnitPrice", id="a space lost"),
        pytest.param("due date", "Date due", id="words in another order"),
        pytest.param("date of the loss", "Date of loss", id="a silent word left out"),
        pytest.param("description", "Descriptian", id="a letter of many"),
        pytest.param("subtotal", "Subtota1", id="a figure for a letter"),
    ],
)
def test_the_same_name_misspelt(name: str, printed: str) -> None:
    assert likeness(tokens_of(name), tokens_of(printed)) >= NAMED


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        pytest.param("line 1", "line 2", id="other figures"),
        pytest.param("total", "Total tax", id="a word more"),
        pytest.param("invoice date", "Date", id="a generic word alone"),
        pytest.param("ship to", "Bill to", id="alike but for the word that matters"),
        pytest.param("carrier", "Carried", id="alike, and another word"),
        pytest.param("qty", "Oty", id="too short to be misspelt"),
    ],
)
def test_another_name(name: str, printed: str) -> None:
    assert likeness(tokens_of(name), tokens_of(printed)) < NAMED


def test_a_book_gives_the_best_thing_first() -> None:
    book = NameBook([(("net", "amount"), "net", 1.0), (("gross", "amount"), "gross", 1.0), (("amount",), "net", 0.9)])
    assert [named.thing for named in book.named_by("Gross arnount")] == ["gross"]
    assert [named.thing for named in book.named_by("Net Amount (EUR)")] == ["net"]
    assert book.named_by("Amount")[0].score == pytest.approx(0.9)
    assert book.named_by("See the notes on the back of this page for how the gross amount is made up") == ()
