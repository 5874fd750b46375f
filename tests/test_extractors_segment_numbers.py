"""Numbers whose marks an engine may have misread, held against their neighbours."""

from __future__ import annotations

import pytest

from extractors.segment_numbers import Habits

AMOUNTS = ("1,234.50", "2,222.10", "5.00", "12.25", "1,234,567.00")
COUNTS = ("1,234", "2,222", "500", "12", "1,234,567")
COMMA_AMOUNTS = ("1.234,50", "2.222,10", "5,00", "12,25")
RATES = ("1.125", "2.500", "10.250", "0.375", "7.000")
FINE_SHARES = ("1,234.125", "2,500.250", "10.250", "1,110.375", "7,000.000")


@pytest.mark.parametrize(
    ("siblings", "text"),
    [
        pytest.param(AMOUNTS, "1.234.50", id="a point that groups"),
        pytest.param(AMOUNTS, "1,234,50", id="a comma before two decimals"),
        pytest.param(AMOUNTS, "55,345.389", id="three decimals among two"),
        pytest.param(AMOUNTS, "123450", id="a mark lost"),
        pytest.param(COUNTS, "1.234", id="a point where commas group"),
        pytest.param(COUNTS, "55,345.389", id="mixed marks among groups"),
        pytest.param(COMMA_AMOUNTS, "1.234.50", id="a point for the decimal comma"),
        pytest.param((), "55,345.389", id="mixed marks and no neighbours"),
        pytest.param((), "12,34,567", id="groups of two"),
    ],
)
def test_a_number_that_is_written_unlike_its_neighbours_is_doubted(siblings: tuple[str, ...], text: str) -> None:
    assert Habits(siblings).doubts(text)


@pytest.mark.parametrize(
    ("siblings", "text"),
    [
        pytest.param(AMOUNTS, "999.99", id="an amount among amounts"),
        pytest.param(AMOUNTS, "EUR 5.10", id="with a currency"),
        pytest.param(COUNTS, "7", id="a small count"),
        pytest.param(COUNTS, "98,765", id="a grouped count"),
        pytest.param(COMMA_AMOUNTS, "7.234,00", id="decimal commas"),
        pytest.param(RATES, "4.125", id="a rate of three decimals"),
        pytest.param(FINE_SHARES, "5,345.389", id="mixed marks where all have three decimals"),
        pytest.param((), "1,234", id="no neighbours"),
        pytest.param(AMOUNTS, "no number", id="no number"),
        pytest.param(AMOUNTS, "3 of 4", id="two numbers"),
    ],
)
def test_a_number_that_is_written_like_its_neighbours_is_believed(siblings: tuple[str, ...], text: str) -> None:
    assert not Habits(siblings).doubts(text)
