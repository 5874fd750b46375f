"""The schedule of a contract: its prices reconcile, and what is inherited is proved by the heading that says it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any

import pytest

from groundtruth.errors import SynthesisError
from synth.display import DisplayList
from synth.evidence import entries_of
from synth.making import Asked, invented
from synth.pattern import draw, load_pattern
from synth.totals import wrong_totals

PATTERN = load_pattern("clin-schedule")
ROWS = 150


@cache
def schedule(difficulty: str = "clean", rows: int = ROWS) -> tuple[dict[str, Any], DisplayList]:
    content = invented(Asked(PATTERN, PATTERN.difficulty(difficulty), 2), rows)
    return content.value, draw(content)


def printed(drawn: DisplayList) -> list[str]:
    return [run.text for _, run in drawn.runs()]


def quotes(drawn: DisplayList, leaf: str) -> set[str | None]:
    return {entry.quote for entry in entries_of(drawn)[leaf]}


def test_options_repeat_the_base_year_under_numbers_of_their_own() -> None:
    value, _ = schedule()
    assert len(value["line_items"]) == ROWS
    by_period = Counter(item["period"] for item in value["line_items"])
    assert list(by_period.values()) == [30] * 5
    first = [item for item in value["line_items"] if item["period"] == "Base Period"]
    second = [item for item in value["line_items"] if item["period"] == "Option Period 1"]
    assert [item["item_number"] for item in second] == [
        f"1{item['item_number'][1:]}" for item in first
    ]  # the same work, numbered from 1001
    assert all(
        after["unit_price"] > before["unit_price"]
        for before, after in zip(first, second, strict=True)
        if before["unit_price"] is not None
    )


def test_a_line_item_with_sub_lines_has_no_price_and_data_is_not_separately_priced() -> None:
    items = {item["item_number"]: item for item in schedule()[0]["line_items"]}
    parents = {item["parent_item"] for item in items.values()} - {None}
    assert parents
    assert all(items[parent]["amount"] is None for parent in parents)
    noted = [item for item in items.values() if item["price_note"]]
    assert noted
    assert all((item["price_note"], item["amount"], item["quantity"]) == ("NSP", None, 1) for item in noted)


@pytest.mark.parametrize("difficulty", ["clean", "hard"])
def test_prices_reconcile(difficulty: str) -> None:
    value, _ = schedule(difficulty)
    assert wrong_totals(PATTERN, value) == []
    assert value["total_amount"] == sum(item["amount"] or 0 for item in value["line_items"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(
            lambda value: value["line_items"][0].update(amount=Decimal(1)), "amount: says 1, and", id="product"
        ),
        pytest.param(
            lambda value: value["periods"][1].update(subtotal=Decimal(1)), "periods[1].subtotal", id="subtotal"
        ),
        pytest.param(lambda value: value["line_items"][1].update(parent_item="9999"), "no item 9999", id="parent"),
        pytest.param(lambda value: value["line_items"][1].update(item_number="0001"), "the same number", id="number"),
        pytest.param(lambda value: value["periods"].reverse(), "in their order: Base Period", id="order"),
        pytest.param(lambda value: value["line_items"][0].update(price_note="NSP"), "price_note: stands in", id="note"),
        pytest.param(lambda value: value["deliveries"][0].update(quantity=1_000_000), "are delivered", id="delivery"),
    ],
)
def test_a_schedule_that_does_not_reconcile_is_found(change: Any, message: str) -> None:
    value = invented(Asked(PATTERN, PATTERN.difficulty("hard"), 2), ROWS).value
    change(value)
    assert any(message in fault for fault in wrong_totals(PATTERN, value))


def test_the_period_of_an_item_is_proved_by_the_heading_of_its_section() -> None:
    value, drawn = schedule("keys-once=on")
    last = len(value["line_items"]) - 1
    assert quotes(drawn, f"line_items[{last}].period") == {"Option Period 4"}
    headings = [text for text in printed(drawn) if text == "Option Period 4"]
    assert len(headings) == 1
    goods = next(at for at, item in enumerate(value["line_items"]) if item["stock_number"])
    heading_page = entries_of(drawn)["periods[0].period"][0].page
    assert {entry.page for entry in entries_of(drawn)[f"line_items[{goods}].pop_start"]} == {heading_page}


def test_the_heading_of_a_period_comes_again_on_each_page_of_the_clean_schedule() -> None:
    _, drawn = schedule()
    pages = [page for page, run in drawn.runs() if " (continued), " in run.text]
    assert len(pages) == len(set(pages)) > 1


def test_a_sub_line_is_proved_by_its_line_item() -> None:
    value, drawn = schedule()
    at = next(at for at, item in enumerate(value["line_items"]) if item["parent_item"])
    assert quotes(drawn, f"line_items[{at}].parent_item") == {value["line_items"][at]["parent_item"]}


def test_deliveries_stand_inside_their_item_and_add_up() -> None:
    value, drawn = schedule("delivery-tables=on")
    first = value["deliveries"][0]
    assert quotes(drawn, "deliveries[0].item_number") == {first["item_number"]}
    item = next(item for item in value["line_items"] if item["item_number"] == first["item_number"])
    own = [one["quantity"] for one in value["deliveries"] if one["item_number"] == first["item_number"]]
    assert sum(own) == item["quantity"]
    assert schedule()[0]["deliveries"] == []


@pytest.mark.parametrize(
    ("difficulty", "text"),
    [
        ("carried=on", "AMOUNT CARRIED FORWARD"),
        ("clin-totals=on", "TOTAL ITEM 0002"),
        ("two-tier-header=on", "ORDERED"),
        ("voids=on", "RESERVED"),
        ("null-marks=on", "N/A"),
    ],
)
def test_a_switch_prints_what_is_no_value(difficulty: str, text: str) -> None:
    _, drawn = schedule(difficulty)
    leaves = {run.leaf for _, run in drawn.runs() if run.text == text}
    assert leaves == {None}
    assert text not in printed(schedule()[1])


def test_what_is_carried_is_the_sum_of_the_amounts_so_far() -> None:
    value, drawn = schedule("carried=on,split-items=on")
    runs = drawn.sheets[1].runs
    carried = next(runs[at + 1].text for at, run in enumerate(runs) if run.text == "AMOUNT BROUGHT FORWARD")
    first_page = {run.leaf for run in drawn.sheets[0].runs}
    so_far = sum(
        item["amount"] or 0
        for at, item in enumerate(value["line_items"])
        if f"line_items[{at}].item_number" in first_page
    )
    assert carried == f"${so_far:,.2f}"


def test_a_header_can_stand_once() -> None:
    for difficulty, times in (("clean", len(schedule()[1].sheets)), ("header-once=on", 1)):
        assert printed(schedule(difficulty)[1]).count("SUPPLIES/SERVICES") == times


def test_a_narrative_may_have_a_line_that_looks_like_an_item() -> None:
    value, drawn = schedule("row-like-text=on")
    numbers = {item["item_number"] for item in value["line_items"]}
    starts = [run.text.split(" ")[0] for _, run in drawn.runs() if (run.leaf or "").endswith(".narrative")]
    assert any(start[:4].isdigit() and start[4:].isalpha() and len(start) == 6 for start in starts)
    assert numbers


def test_an_item_may_begin_on_one_page_and_end_on_the_next() -> None:
    _, drawn = schedule("split-items=on")
    pages = {
        leaf: {entry.page for entry in entries} for leaf, entries in entries_of(drawn).items() if "narrative" in leaf
    }
    assert any(len(found) == 2 for found in pages.values())


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("narrative", " ".join(["words"] * 2_000), r"line_items\[0\] is .* points high .* shorten its narrative"),
        ("unit", "Thousands of kilograms", r"line_items\[0\].unit: .* wider than its column"),
        ("item_number", "0001 as amended twice", r"line_items\[0\].item_number: .* wider than its column"),
    ],
)
def test_what_does_not_fit_is_refused(name: str, text: str, message: str) -> None:
    content = invented(Asked(PATTERN, seed=2), 1)
    (item,) = content.value["line_items"]
    value = {**content.value, "line_items": [{**item, name: text}]}
    with pytest.raises(SynthesisError, match=message):
        draw(replace(content, value=value))


@pytest.mark.e2e
def test_the_schedule_is_as_long_as_the_one_it_is_modelled_on() -> None:
    assert len(draw(invented(Asked(PATTERN), PATTERN.rows)).sheets) == 62
