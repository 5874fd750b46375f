"""A report of holdings: what its values say of one another, and where its header stands."""

from __future__ import annotations

from collections import defaultdict

import pytest

from synth.making import Asked, invented
from synth.pattern import HARD, draw, load_pattern

PATTERN = load_pattern("holdings-13f")


def test_a_security_has_one_price() -> None:
    prices: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for holding in invented(Asked(PATTERN, PATTERN.difficulty(HARD)), 400).value["holdings"]:
        value, amount = holding["market_value"], holding["amount"]
        prices[holding["cusip"]].append(((value - (value == 1)) / amount, (value + 1) / amount))
    several = [spans for spans in prices.values() if len(spans) > 1]
    assert len(several) > 50
    assert all(max(low for low, _ in spans) <= min(high for _, high in spans) for spans in several)


def test_notes_are_of_thousands_and_stand_near_their_principal() -> None:
    holdings = invented(Asked(PATTERN), 600).value["holdings"]
    notes = [one for one in holdings if one["amount_kind"] == "PRN"]
    assert notes
    assert all(one["amount"] % 1000 == 0 and 0 <= one["market_value"] <= 1.4 * one["amount"] / 1000 for one in notes)


@pytest.mark.parametrize("switches", ["header-below=on", "header-below=on,two-tier-header=on", "hard"])
def test_a_header_below_stands_under_the_rows_of_its_page(switches: str) -> None:
    drawn = draw(invented(Asked(PATTERN, PATTERN.difficulty(switches)), 110))
    headed = [1] if switches == HARD else [1, 2, 3]
    assert len(drawn.sheets) == 3
    for page, sheet in enumerate(drawn.sheets, start=1):
        rows = [run.y for run in sheet.runs if run.leaf and run.leaf.startswith("holdings")]
        header = [run.y for run in sheet.runs if run.text in ("CUSIP", "Name of Issuer")]
        assert len(header) == (2 if page in headed else 0)
        assert all(max(rows) < y < 592.0 for y in header)
