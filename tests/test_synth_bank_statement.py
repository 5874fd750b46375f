"""A bank statement: its days, and the balances that follow from one another."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest

from synth.making import Asked, invented
from synth.pattern import CLEAN, HARD, load_pattern

PATTERN = load_pattern("bank-statement")


@pytest.mark.parametrize("rows", [1, 40, 900])
@pytest.mark.parametrize("difficulty", [CLEAN, HARD])
def test_a_statement_is_of_a_month_at_most_and_in_the_order_of_its_days(difficulty: str, rows: int) -> None:
    value = invented(Asked(PATTERN, PATTERN.difficulty(difficulty)), rows).value
    days = [date.fromisoformat(one["posted"]) for one in value["transactions"]]
    assert len(days) == rows
    assert days == sorted(days)
    assert (days[-1] - days[0]).days < 30
    assert (value["period_start"], value["period_end"]) == (days[0].isoformat(), days[-1].isoformat())


def test_each_balance_follows_from_the_one_before() -> None:
    for before, after in pairwise(invented(Asked(PATTERN), 60).value["transactions"]):
        assert after["balance"] == before["balance"] + (after["credit"] or 0) - (after["debit"] or 0)
