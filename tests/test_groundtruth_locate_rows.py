"""Values of table rows: rows find their lines together, cells find their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import permutations
from pathlib import Path as FilePath
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundtruth.consensus import Location
from groundtruth.jsontext import Json
from groundtruth.locate import Outcome, PageWords, Sought, locate
from groundtruth.path import Path
from groundtruth.rules import Comparator
from locate_builders import HEIGHT, WIDTH, Printed, pages_of, pdf, rows_sought, sought, table_page, words_page

Row = Mapping[str, Json]

KINDS = {
    "number": Comparator.IDENTIFIER,
    "label": Comparator.TEXT,
    "qty": Comparator.INTEGER,
    "price": Comparator.NUMBER,
    "total": Comparator.CURRENCY,
}
COLUMNS = (50, 120, 300, 380, 480)
ORDERS: Sequence[Row] = [
    {"number": "1", "label": "Bolt", "qty": 1, "price": 2, "total": 2},
    {"number": "2", "label": "Nut", "qty": 1, "price": Decimal("1.5"), "total": Decimal("1.5")},
    {"number": "3", "label": "Washer", "qty": 4, "price": Decimal("1.5"), "total": 6},
    {"number": "4", "label": "Total", "qty": 2, "price": 3, "total": 6},
    {"number": "5", "label": "Hinge", "qty": 1, "price": 2, "total": 2},
]


def _printed(rows: Sequence[Row]) -> list[list[str]]:
    return [[_text(row.get(field)) for field in KINDS] for row in rows]


def _text(value: Json) -> str:
    return "" if value is None else f"{value:,.2f}" if isinstance(value, Decimal) else str(value)


def _found(location: Location) -> tuple[float, float]:
    """Page coordinates of a certain place."""
    assert location.certain, location
    (evidence,) = location.evidence
    return round(evidence.boxes[0].x0 * WIDTH), round(evidence.boxes[0].y0 * HEIGHT)


def _check_all(rows: Sequence[Row], pages: Sequence[PageWords], lines: Sequence[int]) -> None:
    """Every cell is certain and stands in its column, row ``i`` on the ``lines[i]``-th line of the table."""
    found = locate(rows_sought("items", rows, KINDS), pages)
    for (_, index, field), location in found.items():
        row, name = int(str(index)), str(field)
        if rows[row][name] is not None:
            assert _found(location) == (COLUMNS[list(KINDS).index(name)], 100 + 20 * lines[row]), name


def test_small_values_are_found_in_their_rows_and_columns() -> None:
    _check_all(ORDERS, [table_page(_printed(ORDERS), COLUMNS)], range(5))


def test_rows_need_not_be_in_the_order_of_the_page() -> None:
    for order in list(permutations(range(5)))[::13]:
        _check_all([ORDERS[index] for index in order], [table_page(_printed(ORDERS), COLUMNS)], order)


def test_a_word_in_another_row_and_in_the_footer_is_not_taken() -> None:
    printed = _printed(ORDERS)
    extra = [["", "Total", "", "", "17.50"], ["", "Sub Total", "", "", ""], ["", "Total due", "", "", ""]]
    page = table_page([*printed, *extra, ["", "Total", "", "", ""]], COLUMNS)
    found = locate(rows_sought("items", ORDERS, KINDS), [page])
    assert _found(found["items", 3, "label"]) == (120, 160)


def test_one_word_five_times_without_anything_around_it_stays_open() -> None:
    page = words_page([(50, 100 + 20 * line, "Total") for line in range(5)])
    found = locate(rows_sought("items", [{"label": "Total"}], KINDS), [page])
    location = found["items", 0, "label"]
    assert (location.certain, location.reason, len(location.evidence)) == (False, Outcome.AMBIGUOUS, 5)


TWINS: Sequence[Row] = [
    {"number": "N-7001", "label": "Washer", "qty": 4, "price": Decimal("1.5"), "total": 6},
    {"number": "8", "label": "Bolt", "qty": 1, "price": 2, "total": 12},
    {"number": "8", "label": "Bolt", "qty": 1, "price": 2, "total": 12},
    {"number": "N-7002", "label": "Hinge", "qty": 1, "price": 3, "total": 12},
    {"number": "N-7003", "label": "Nut", "qty": 2, "price": Decimal("1.5"), "total": 3},
]


def test_equal_rows_are_told_apart_by_the_order_of_the_page() -> None:
    _check_all(TWINS, [table_page(_printed(TWINS), COLUMNS)], range(5))


def test_equal_rows_with_a_line_to_spare_stay_open() -> None:
    rows = [*TWINS[:1], *TWINS[2:]]
    found = locate(rows_sought("items", rows, KINDS), [table_page(_printed(TWINS), COLUMNS)])
    location = found["items", 1, "label"]
    assert not location.certain
    assert [round(evidence.boxes[0].y0 * HEIGHT) for evidence in location.evidence] == [120, 140]


def test_rows_over_two_pages() -> None:
    pages = [
        table_page(_printed(ORDERS[:3]), COLUMNS, number=1),
        table_page(_printed(ORDERS[3:]), COLUMNS, number=2),
    ]
    found = locate(rows_sought("items", ORDERS, KINDS), pages)
    assert [found["items", index, "qty"].evidence[0].page for index in range(5)] == [1, 1, 1, 2, 2]
    assert all(location.certain for location in found.values())


def test_rows_of_cards_find_their_lines() -> None:
    stocks = ["14", "3", "3", "14", "11071", "12071", "13071"]
    names = ["Harbour crane", "Forklift", "Pallet truck", "Conveyor", "Spare engine", "Spare wheel", "Hydraulic arm"]
    printed: list[Printed] = []
    for index, (name, stock) in enumerate(zip(names, stocks, strict=True)):
        top = 60 + 80 * index
        printed += [(50, top, name), (50, top + 20, "In stock"), (200, top + 20, stock), (50, top + 40, "Load")]
    kinds = {"name": Comparator.TEXT, "stock": Comparator.INTEGER}
    rows = [{"name": name, "stock": int(stock)} for name, stock in zip(names, stocks, strict=True)]
    found = locate(rows_sought("cards", rows, kinds), [words_page(printed)])
    for index in range(len(rows)):
        assert _found(found["cards", index, "stock"]) == (200, 80 + 80 * index)


def test_a_converted_table_with_a_cell_per_line() -> None:
    names = [f"Account {word}" for word in ("north", "south", "east", "west", "centre")]
    amounts = [(12507, 9804), (34201, 2000), (18733, 21060), (2000, 60104), (2000, 2000)]
    rows = [{"name": name, "now": now, "before": past} for name, (now, past) in zip(names, amounts, strict=True)]
    lines = [str(cell) for row in rows for cell in row.values()]
    page = words_page([(50, 50 + 20 * index, line) for index, line in enumerate(lines)])
    kinds = {"name": Comparator.TEXT, "now": Comparator.INTEGER, "before": Comparator.INTEGER}
    found = locate(rows_sought("accounts", rows, kinds), [page])
    for index in range(5):
        for place, field in enumerate(kinds):
            assert _found(found["accounts", index, field]) == (50, 50 + 20 * (3 * index + place))


def test_a_heading_over_rows_is_the_place_of_what_they_share() -> None:
    rows = [{"group": "Fees", "label": f"Entry {word}", "total": 71} for word in ("alpha", "beta", "gamma")]
    page = table_page([["Fees", ""], *([str(row["label"]), "71"] for row in rows)], (50, 300), top=80)
    kinds = {"group": Comparator.TEXT, "label": Comparator.TEXT, "total": Comparator.INTEGER}
    found = locate(rows_sought("items", rows, kinds), [page])
    for index in range(3):
        assert found["items", index, "group"].reason in {Outcome.HEADING, Outcome.UNIQUE}
        assert _found(found["items", index, "group"]) == (50, 80)


def test_a_value_away_from_its_row_is_not_certain() -> None:
    rows = [{**row, "total": Decimal(f"{1000 + 7 * index}.25")} for index, row in enumerate(ORDERS)]
    printed = _printed(rows)
    printed[2][4] = ""
    page = table_page([*printed, ["", "", "", "", "1,014.25"]], COLUMNS)
    location = locate(rows_sought("items", rows, KINDS), [page])["items", 2, "total"]
    assert (location.certain, location.reason) == (False, Outcome.OFF_ROW)


def test_a_field_that_is_not_copied_from_the_page_is_not_certain() -> None:
    rows = [
        {"label": f"Entry {word}", "margin": margin}
        for word, margin in [("alpha", 7113), ("beta", 7114), ("gamma", 52011)]
    ]
    page = table_page([["Entry alpha", "50013"], ["Entry beta", "51012"], ["Entry gamma", "52011"]], (50, 300))
    found = locate(rows_sought("items", rows, {"label": Comparator.TEXT, "margin": Comparator.INTEGER}), [page])
    assert (found["items", 2, "margin"].certain, found["items", 2, "margin"].reason) == (False, Outcome.WEAK)


def test_two_equal_values_of_a_row_need_their_columns() -> None:
    page = table_page([["Spades", "", ""], ["Harbour crane", "7", "7"], ["Rakes", "", ""]], (50, 200, 300))
    found = locate(rows_sought("items", [{"label": "Harbour crane", "qty": 7, "price": 7}], KINDS), [page])
    assert [location.certain for location in found.values()] == [True, False, False]


def test_headings_of_columns_tell_equal_values_of_a_row_apart() -> None:
    page = table_page([["Label", "Qty", "Price"], ["Harbour crane", "7", "7"]], (50, 200, 300))
    found = locate(rows_sought("items", [{"label": "Harbour crane", "qty": 7, "price": 7}], KINDS), [page])
    assert _found(found["items", 0, "qty"]) == (200, 120)
    assert _found(found["items", 0, "price"]) == (300, 120)


def test_two_fields_of_a_row_do_not_share_a_small_value() -> None:
    page = table_page([["Spades", ""], ["Harbour crane", "7"], ["Rakes", ""], ["Forklift", ""]], (50, 300))
    found = locate(rows_sought("items", [{"label": "Harbour crane", "qty": 7, "price": 7}], KINDS), [page])
    assert found["items", 0, "qty"].reason == found["items", 0, "price"].reason == Outcome.SHARED


def test_a_footnote_mark_is_no_one() -> None:
    rows = [{"label": f"Entry {word}", "qty": 1} for word in ("alpha", "beta", "gamma")]
    page = table_page([[str(row["label"]), "(1)"] for row in rows], (50, 300))
    found = locate(rows_sought("items", rows, KINDS), [page])
    assert not any(found["items", index, "qty"].certain for index in range(3))


def test_single_columns_are_settled_by_their_neighbours(tmp_path: FilePath) -> None:
    amounts = ["169.80", "2,788.97", "226.94", "70.00", "0.05", "9.13", "149.51", "179.20"]
    printed: list[Printed] = [(400, 100 + 15 * index, text) for index, text in enumerate(amounts)]
    printed += [(50, 100 + 15 * index, f"charge at {index}.5 percent") for index in range(8)]
    page = pages_of(pdf([[*printed, (50, 400, "5.00% of all, 70 in words")]]), tmp_path)[0]
    rows = [{"price": Decimal(text.replace(",", ""))} for text in amounts]
    found = locate(rows_sought("charges", rows, KINDS), [page])
    places = [found["charges", index, "price"] for index in range(8)]
    assert all(place.certain for place in places)
    assert [evidence.quote for place in places for evidence in place.evidence] == amounts


def test_a_table_that_stands_sideways(tmp_path: FilePath) -> None:
    printed: list[Printed] = []
    for index, row in enumerate(_printed(ORDERS)):
        printed += [(200 + 20 * index, 700 - column, text) for column, text in zip(COLUMNS, row, strict=True)]
    page = pages_of(pdf([printed], writing=90), tmp_path)[0]
    found = locate(rows_sought("items", ORDERS, KINDS), [page])
    assert all(location.certain for location in found.values())
    for index in range(5):
        boxes = [found["items", index, field].evidence[0].boxes[0] for field in KINDS]
        assert {round(box.x1 * WIDTH / 20) for box in boxes} == {10 + index}


def test_nested_rows_are_rows_of_their_own() -> None:
    page = table_page([["Order 7001", ""], ["bolt", "12"], ["nut", "3"], ["Order 7002", ""], ["bolt", "5"]], (50, 300))
    values = [
        sought("orders[0].name", "Order 7001"), sought("orders[1].name", "Order 7002"),
        sought("orders[0].lines[0].item", "bolt"), sought("orders[0].lines[0].qty", 12),
        sought("orders[0].lines[1].item", "nut"), sought("orders[0].lines[1].qty", 3),
        sought("orders[1].lines[0].item", "bolt"), sought("orders[1].lines[0].qty", 5),
    ]  # fmt: skip
    found = locate(values, [page])
    assert found["orders", 1, "name"].evidence[0].quote == "Order 7002"
    assert len(found["orders", 1, "lines", 0, "item"].evidence) in {1, 2}


def test_the_order_of_asking_changes_nothing() -> None:
    values = rows_sought("items", ORDERS, KINDS)
    page = table_page(_printed(ORDERS), COLUMNS)
    expected = locate(values, [page])
    for seed in range(5):
        shuffled = list(values)
        Random(seed).shuffle(shuffled)
        assert locate(shuffled, [page]) == expected


@st.composite
def _tables(draw: st.DrawFn) -> tuple[list[Row], list[int]]:
    """Rows of small values, which repeat often, and the order in which the page prints them."""
    row = st.fixed_dictionaries(
        {
            "number": st.sampled_from(["A1", "A2", "B-07", "B-08", "C19"]),
            "label": st.sampled_from(["Bolt", "Nut", "Bolt M4", "Large nut", "Total"]),
            "qty": st.integers(1, 4),
            "price": st.sampled_from([Decimal("1.50"), Decimal("2.25"), Decimal("10.75")]),
            "total": st.integers(1, 12),
        }
    )
    rows: list[Row] = draw(st.lists(row, min_size=1, max_size=8))
    return rows, draw(st.one_of(st.just(list(range(len(rows)))), st.permutations(list(range(len(rows))))))


@given(_tables())
def test_a_certain_cell_is_never_on_a_line_that_prints_another_row(table: tuple[list[Row], list[int]]) -> None:
    rows, order = table
    page = table_page([["No", "Label", "Qty", "Price", "Total"], *_printed([rows[index] for index in order])], COLUMNS)
    found = locate(rows_sought("items", rows, KINDS), [page])
    for (_, index, field), location in found.items():
        row, name = int(str(index)), str(field)
        true_place = (COLUMNS[list(KINDS).index(name)], 120 + 20 * order.index(row))
        places = [(round(each.boxes[0].x0 * WIDTH), round(each.boxes[0].y0 * HEIGHT)) for each in location.evidence]
        if location.certain:
            (place,) = places
            assert place[0] == true_place[0]
            printed = rows[order[(place[1] - 120) // 20]]
            # Rows that print the same are the same to a reader.
            assert place == true_place or printed == rows[row] or location.reason == Outcome.UNIQUE
        else:
            assert true_place in places


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(["alpha", "beta", "gamma"]), min_size=1, max_size=12), st.sampled_from(["alpha", "beta"])
)
def test_every_place_of_a_word_is_listed(words: list[str], word: str) -> None:
    page = words_page([(50, 50 + 20 * line, text) for line, text in enumerate(words)])
    location = locate([sought("field", word)], [page])["field",]
    assert len(location.evidence) == words.count(word)


def _paths(values: Sequence[Sought]) -> list[Path]:
    return [value.path for value in values]


def test_every_path_that_was_asked_for_is_answered() -> None:
    values = [*rows_sought("items", [{**ORDERS[0], "qty": None}, *ORDERS[1:]], KINDS), sought("note", "nowhere")]
    found = locate(values, [table_page(_printed(ORDERS), COLUMNS)])
    assert list(found) == _paths(values)
    assert found["items", 0, "qty"].reason == Outcome.NOT_SOUGHT


@pytest.mark.parametrize("lost", [0, 1])
def test_rows_listed_after_the_table_stand_in_the_middle_of_the_page(lost: int) -> None:
    rows: list[Row] = [{**row, "number": f"N-70{index}3"} for index, row in enumerate(ORDERS)]
    asked = [*rows[:lost], *rows[lost + 1 :], {**rows[lost], "number": None}]
    order = [*range(lost), *range(lost + 1, 5), lost]
    found = locate(rows_sought("items", asked, KINDS), [table_page(_printed(rows), COLUMNS)])
    for (_, index, _), location in found.items():
        if location.certain:
            assert _found(location)[1] == 100 + 20 * order[int(str(index))]
