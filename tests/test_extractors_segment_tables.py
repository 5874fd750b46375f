"""Arrays of objects on recognised pages: headers, columns, rows and what is none, pages without a header."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from extraction_builders import BOOLEAN, DATE, INTEGER, NUMBER, TEXT, names, records, schema
from extractors.ocr_rapid import read_pages
from extractors.segment_numbers import UNREADABLE
from groundtruth.path import parse_path
from groundtruth.recognised import RecognisedPage
from segment_builders import Run, recognised, rows

COLUMNS = (50, 120, 340, 400, 500)
HEADER = ("Item No.", "Description", "Qty", "Unit Price", "Amount")
ITEMS = [(f"A-{n:03}", f"Widget of kind {n}", str(n), f"{n}.25", f"{n * 100 + 7:,}.50") for n in range(1, 13)]
INVOICE = schema(
    {
        "items": records(
            {
                "item_no": TEXT,
                "description": TEXT,
                "quantity": INTEGER | {"x-aliases": ["Qty"]},
                "unit_price": NUMBER,
                "amount": NUMBER,
            }
        ),
        "subtotal": NUMBER,
    },
    identity={"items": ["item_no"]},
)


def items(*pages: RecognisedPage) -> Any:
    return read_pages(pages, INVOICE).data.get("items")


def table(*more: Run, header: tuple[str, ...] = HEADER, body: Any = ITEMS, y: float = 100) -> list[Run]:
    return [*rows(y, COLUMNS, [header]), *rows(y + 20, COLUMNS, body), *more]


def test_every_cell_of_a_plain_table() -> None:
    found = items(recognised(*table()))
    assert [row["item_no"] for row in found] == [item[0] for item in ITEMS]
    assert found[3] == {
        "item_no": "A-004",
        "description": "Widget of kind 4",
        "quantity": 4,
        "unit_price": Decimal("4.25"),
        "amount": Decimal("407.50"),
    }


@pytest.mark.parametrize(
    "header",
    [
        pytest.param(("ltem No", "Descriptian", "Qty", "UnitPrice", "Arnount"), id="misspelt"),
        pytest.param(("Item No.", "Description", "Qty", "Unit Price (EUR)", "Amount (EUR)"), id="with units"),
    ],
)
def test_a_header_is_found_though_it_is_not_the_very_names(header: tuple[str, ...]) -> None:
    page = recognised(*rows(100, (50, 120, 340, 385, 500), [header]), *rows(120, COLUMNS, ITEMS))
    assert [row["amount"] for row in items(page)] == [Decimal(item[4].replace(",", "")) for item in ITEMS]


def test_a_header_of_two_levels() -> None:
    header = [Run(50, 92, "Item"), Run(50, 104, "No."), Run(120, 98, "Description"), Run(340, 98, "Qty")]
    header += [Run(400, 92, "Unit"), Run(400, 104, "Price"), Run(500, 98, "Amount")]
    found = items(recognised(*header, *rows(124, COLUMNS, ITEMS)))
    assert len(found) == len(ITEMS)
    assert found[0]["unit_price"] == Decimal("1.25")


def test_a_run_over_two_cells_is_cut_between_them() -> None:
    joined = [(a, b, c, f"{d} {' ' * 8}{e}", "") for a, b, c, d, e in ITEMS[:3]]
    found = items(recognised(*table(body=[*joined, *ITEMS[3:]])))
    assert [row["amount"] for row in found[:3]] == [Decimal("107.50"), Decimal("207.50"), Decimal("307.50")]


def test_a_header_of_joined_cells_is_cut_by_their_names() -> None:
    header = [*rows(100, COLUMNS[:3], [HEADER[:3]]), Run(450, 100, "Unit Price Amount")]
    body = rows(120, (50, 120, 340, 450, 505), ITEMS)
    assert items(recognised(*header, *body))[1]["amount"] == Decimal("207.50")


@pytest.mark.parametrize(
    "decoy",
    [
        pytest.param(("", "Subtotal", "", "", "1,234.50"), id="subtotal"),
        pytest.param(("", "Carried forward", "", "", "1,234.50"), id="carried forward"),
        pytest.param(("Total", "", "78", "", "1,234.50"), id="total in the first column"),
        pytest.param(("", "Zwischensumme", "", "", "1.234,50"), id="another language"),
        pytest.param(("Ward 1", "", "", "", ""), id="heading of a group"),
    ],
)
def test_what_sums_up_or_heads_a_group_is_no_row(decoy: tuple[str, ...]) -> None:
    found = items(recognised(*table(body=[*ITEMS[:5], decoy, *ITEMS[5:]])))
    assert [row["item_no"] for row in found] == [item[0] for item in ITEMS]
    assert [row["description"] for row in found] == [item[1] for item in ITEMS]


def test_taxes_under_the_sum_are_no_rows_and_the_sum_is_a_field() -> None:
    totals = [Run(400, 320, "Subtotal"), Run(500, 320, "9,000.00")]
    totals += [Run(340, 334, "Sales tax"), Run(400, 334, "(8 %)"), Run(500, 334, "720.00")]
    ballot = read_pages([recognised(*table(*totals))], INVOICE)
    assert len(ballot.data["items"]) == len(ITEMS)
    assert ballot.data["subtotal"] == Decimal("9000.00")


def test_lines_of_a_cell_stay_together() -> None:
    wrapped = ("", "with a second line", "", "", "")
    found = items(recognised(*table(body=[*ITEMS[:5], wrapped, *ITEMS[5:]])))
    assert found[4]["description"] == "Widget of kind 5 with a second line"
    assert len(found) == len(ITEMS)


def test_rows_that_stand_in_the_middle_of_their_lines() -> None:
    runs = rows(100, COLUMNS, [HEADER])
    for number, item in enumerate(ITEMS[:4]):
        y = 122 + 40 * number
        runs += [Run(120, y, "Widget of"), Run(120, y + 22, f"kind {item[2]}")]
        runs += rows(y + 11, COLUMNS, [(item[0], "", *item[2:])])
    found = items(recognised(*runs))
    assert [row["description"] for row in found] == [f"Widget of kind {n}" for n in range(1, 5)]


def test_a_blank_cell_is_null_and_a_dash_says_nothing() -> None:
    body = [*ITEMS[:3], ("A-100", "Widget", "", "—", "5.50"), *ITEMS[3:]]
    ballot = read_pages([recognised(*table(body=body))], INVOICE)
    row = ballot.data["items"][3]
    assert row["quantity"] is None
    assert row["unit_price"] is None
    assert parse_path("items[].quantity") not in ballot.unsupported


def test_ink_that_is_no_value_is_not_null() -> None:
    body = [*ITEMS[:3], ("A-100", "Widget", "l2b", "1.5O", "5.50"), *ITEMS[3:]]
    row = items(recognised(*table(body=body)))[3]
    assert row["quantity"] == "l2b"
    assert row["unit_price"] == "1.5O"


def test_a_number_with_a_mark_in_doubt_is_no_number() -> None:
    body = [*ITEMS[:3], ("A-100", "Widget", "1", "1.50", "55,345.389"), *ITEMS[3:]]
    assert items(recognised(*table(body=body)))[3]["amount"] == f"55{UNREADABLE}345{UNREADABLE}389"


@pytest.mark.parametrize("shift", [pytest.param(0, id="in place"), pytest.param(6, id="moved to the right")])
def test_a_table_goes_on_without_a_header(shift: float) -> None:
    first = recognised(*table(body=ITEMS[:8]))
    second = recognised(*rows(60, COLUMNS, ITEMS[8:]), Run(500, 800, "Page 2"), number=2, shift=shift)
    found = items(first, second)
    assert [row["item_no"] for row in found] == [item[0] for item in ITEMS]
    assert [row["amount"] for row in found] == [Decimal(item[4].replace(",", "")) for item in ITEMS]


def test_a_table_goes_on_under_its_header_again() -> None:
    first, second = table(body=ITEMS[:8]), table(body=ITEMS[8:], y=60)
    assert len(items(recognised(*first), recognised(*second, number=2))) == len(ITEMS)


def test_text_on_the_next_page_is_no_row() -> None:
    notes = [Run(50, 60 + 14 * n, "These terms hold for all of the goods on this invoice") for n in range(5)]
    assert len(items(recognised(*table()), recognised(*notes, number=2))) == len(ITEMS)


def test_a_column_without_a_header_is_left_out() -> None:
    numbered = [(str(n), *item) for n, item in enumerate(ITEMS, start=1)]
    columns = (30, 70, *COLUMNS[1:])
    page = recognised(*rows(100, columns[1:], [HEADER]), *rows(120, columns, numbered))
    assert [row["item_no"] for row in items(page)] == [item[0] for item in ITEMS]


def test_a_column_that_the_document_lacks_is_not_judged() -> None:
    page = recognised(*rows(100, COLUMNS[:4], [HEADER[:4]]), *rows(120, COLUMNS[:4], [item[:4] for item in ITEMS]))
    ballot = read_pages([page], INVOICE)
    assert "items[].amount" in names(ballot.unsupported)
    assert len(ballot.data["items"]) == len(ITEMS)


def test_check_marks_in_cells() -> None:
    week = schema({"days": records({"day": TEXT, "morning": BOOLEAN, "evening": BOOLEAN})})
    body = [("Monday", "☒", "☐"), ("Tuesday", "☐", "☐")]
    page = recognised(*rows(100, (50, 200, 300), [("Day", "Morning", "Evening")]), *rows(120, (50, 205, 305), body))
    assert read_pages([page], week).data["days"] == [
        {"day": "Monday", "morning": True, "evening": False},
        {"day": "Tuesday", "morning": False, "evening": False},
    ]


def test_two_arrays_under_headers_of_their_own() -> None:
    two = schema(
        {
            "items": records({"item_no": TEXT, "amount": NUMBER}),
            "payments": records({"paid_on": DATE, "method": TEXT, "sum_paid": NUMBER}),
        }
    )
    page = recognised(
        *rows(100, (50, 300), [("Item no", "Amount"), ("A-1", "10.00"), ("A-2", "20.00")]),
        *rows(200, (50, 200, 300), [("Paid on", "Method", "Sum paid"), ("2025-03-01", "Wire", "30.00")]),
    )
    data = read_pages([page], two).data
    assert [row["amount"] for row in data["items"]] == [Decimal("10.00"), Decimal("20.00")]
    assert data["payments"] == [{"paid_on": "2025-03-01", "method": "Wire", "sum_paid": Decimal("30.00")}]


def test_values_cite_their_words() -> None:
    ballot = read_pages([recognised(*table())], INVOICE)
    (place,) = ballot.citations[parse_path("items[1].description")]
    assert place.quote == "Widget of kind 2"
    (box,) = place.boxes
    assert box.x0 == pytest.approx(120 / 595)
