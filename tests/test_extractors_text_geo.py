"""The extractor of the native text layer on whole documents: fields, sections, tables over pages, abstention."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

import document_builders as made
from extraction_builders import BOOLEAN, DATE, INTEGER, NUMBER, TEXT, Text, form_pdf, grid, job, names, records, schema
from extraction_builders import text_pdf as written
from extractors.protocol import Extractor, run
from extractors.text_geo import TextGeo
from groundtruth.ballot import Ballot, Failure, Status
from groundtruth.evidence import Kind, Source
from groundtruth.pages import open_document
from groundtruth.path import parse_path
from groundtruth.schema import FrozenSchema

COLUMNS = (50, 120, 330, 400, 500)
HEADER = ("Item No.", "Description", "Qty", "Unit Price", "Amount")
INVOICE = schema(
    {
        "invoice_number": TEXT,
        "invoice_date": DATE,
        "due_date": DATE,
        "currency": TEXT,
        "order_number": TEXT,
        "bill_to_address": TEXT | {"title": "Bill to"},
        "items": records(
            {
                "item_no": TEXT,
                "description": TEXT,
                "quantity": INTEGER | {"x-aliases": ["Qty"]},
                "unit_price": NUMBER,
                "amount": NUMBER,
                "discount": NUMBER,
            }
        ),
        "subtotal": NUMBER,
        "tax_rate": NUMBER,
        "total": NUMBER,
        "approved_by": TEXT,
    },
    identity={"items": ["item_no"]},
)
ITEMS = [(f"A-{n:03}", f"Widget of kind {n}", str(n), f"{n}.25", f"{n * (n + 0.25):,.2f}") for n in range(1, 31)]


def read(file: Path, compiled: FrozenSchema) -> Ballot:
    return run(TextGeo(), job(file, compiled))


def invoice(path: Path, *, second_header: bool = True) -> Path:
    """An invoice of 30 items over two pages, with carried totals, page footers and a block of totals."""
    head = [
        Text(50, 60, "INVOICE", "hebo", 16),
        Text(50, 100, "Invoice No.:"), Text(150, 100, "INV-2025-0042"),
        Text(300, 100, "Invoice Date:"), Text(400, 100, "25/03/2025"),
        Text(50, 116, "Currency"), Text(150, 116, "EUR"),
        Text(300, 116, "Due Date: 04/04/2025"),
        Text(50, 140, "Bill to:"), Text(150, 140, "12 High Street"),
        Text(150, 152, "London"),
        Text(50, 180, "Please quote the invoice number on your remittance."),
        Text(50, 800, "Halden Ltd, registered in Wexcombe"), Text(500, 800, "Page 1 of 2"),
    ]  # fmt: skip
    first = [*grid(220, COLUMNS, [HEADER], font="hebo"), *grid(240, COLUMNS, ITEMS[:18])]
    carried = [Text(120, 240 + 18 * 16, "Carried forward"), Text(500, 240 + 18 * 16, "2,194.75")]
    again = grid(80, COLUMNS, [HEADER], font="hebo") if second_header else []
    brought = [Text(120, 96, "Brought forward"), Text(500, 96, "2,194.75")]
    rest = grid(112, COLUMNS, ITEMS[18:])
    end = 112 + 12 * 16
    totals = [
        Text(400, end + 24, "Subtotal"), Text(500, end + 24, "9,571.25"),
        Text(400, end + 40, "Tax Rate"), Text(500, end + 40, "20 %"),
        Text(400, end + 56, "Total", "hebo"), Text(500, end + 56, "EUR 11,485.50", "hebo"),
        Text(500, 800, "Page 2 of 2"),
    ]  # fmt: skip
    return written(path, [*head, *first, *carried], [Text(50, 40, "Halden Ltd"), *again, *brought, *rest, *totals])


@pytest.mark.parametrize("second_header", [True, False], ids=["header-repeated", "header-missing"])
def test_an_invoice_with_a_table_over_two_pages(tmp_path: Path, *, second_header: bool) -> None:
    ballot = read(invoice(tmp_path / "invoice.pdf", second_header=second_header), INVOICE)
    items = ballot.data.pop("items")
    assert ballot.data == {
        "invoice_number": "INV-2025-0042",
        "invoice_date": "2025-03-25",
        "due_date": "2025-04-04",
        "currency": "EUR",
        "bill_to_address": "12 High Street London",
        "subtotal": Decimal("9571.25"),
        "tax_rate": 20,
        "total": Decimal("11485.5"),
    }
    assert [tuple(item.values()) for item in items] == [
        (no, description, int(quantity), Decimal(price), Decimal(amount.replace(",", "")).normalize())
        for no, description, quantity, price, amount in ITEMS
    ]
    assert names(ballot.unsupported) == {"order_number", "approved_by", "items[].discount"}
    assert (ballot.status, ballot.asserts_null) == (Status.OK, False)


def test_every_value_is_cited_where_it_stands(tmp_path: Path) -> None:
    ballot = read(invoice(tmp_path / "invoice.pdf"), INVOICE)
    assert "items[29].amount" in names(ballot.citations)
    assert len(ballot.citations) == 8 + 30 * 5
    (place,) = ballot.citations[parse_path("items[29].amount")]
    assert (place.page, place.quote, place.kind, place.source) == (2, "907.50", Kind.LINE, Source.CITED)
    assert place.boxes[0].contains_point(505 / 595, (112 + 11 * 16 - 3) / 842)
    (address,) = ballot.citations[parse_path("bill_to_address")]
    assert len(address.boxes) == 2


def test_the_same_document_gives_the_same_ballot(tmp_path: Path) -> None:
    file = invoice(tmp_path / "invoice.pdf")
    assert read(file, INVOICE) == read(file, INVOICE)


FORM = schema(
    {
        "applicant": {"type": "object", "properties": {"name": TEXT, "phone": TEXT, "date_of_birth": DATE}},
        "emergency_contact": {"type": "object", "properties": {"name": TEXT, "phone": TEXT}},
        "member": BOOLEAN | {"title": "I am a member"},
        "newsletter": BOOLEAN | {"title": "Send me the newsletter"},
        "licence": BOOLEAN | {"title": "Driving licence"},
        "size": {"enum": ["S", "M", "L", None], "title": "Size"},
        "allergies": TEXT,
    }
)


def test_a_form_with_sections_checkboxes_and_blanks(tmp_path: Path) -> None:
    file = written(
        tmp_path / "form.pdf",
        [
            Text(50, 80, "Applicant", "hebo", 12),
            Text(50, 100, "Name", "hebo"), Text(300, 100, "Phone", "hebo"),
            Text(50, 114, "Ada Okonjo"), Text(300, 114, "07700 900288"),
            Text(50, 140, "Date of birth:", "hebo"), Text(150, 140, "8 September 1991"),
            Text(50, 180, "Emergency contact", "hebo", 12),
            Text(50, 200, "Name", "hebo"), Text(300, 200, "Phone", "hebo"),
            Text(50, 214, "Tobias Lind"), Text(300, 214, "01632 960731"),
            Text(50, 250, "[x]"), Text(70, 250, "I am a member"),
            Text(50, 266, "[ ]"), Text(70, 266, "Send me the newsletter"),
            Text(50, 290, "Driving licence"), Text(150, 290, "Yes"), Text(190, 290, "No"),
            Text(50, 310, "Size"), Text(150, 310, "S"), Text(190, 310, "M"), Text(230, 310, "L"),
            Text(50, 340, "Allergies:"),
        ],
    )  # fmt: skip
    ballot = read(file, FORM)
    assert ballot.data == {
        "applicant": {"name": "Ada Okonjo", "phone": "07700 900288", "date_of_birth": "1991-09-08"},
        "emergency_contact": {"name": "Tobias Lind", "phone": "01632 960731"},
        "member": True,
        "newsletter": False,
        "allergies": None,
    }
    assert names(ballot.unsupported) == {"licence", "size"}


def test_a_field_of_an_interactive_form_is_read(tmp_path: Path) -> None:
    file = form_pdf(tmp_path / "form.pdf", Text(50, 100, "Reference:"), (120, 88, 220, 104), "R-17")
    assert read(file, schema({"reference": TEXT})).data == {"reference": "R-17"}


def test_the_neighbouring_label_is_no_value(tmp_path: Path) -> None:
    labels = [Text(50, 100, "CURRENCY", "hebo"), Text(150, 100, "SHIP VIA", "hebo"), Text(250, 100, "TERMS", "hebo")]
    values = [Text(50, 114, "USD"), Text(150, 114, "UPS"), Text(250, 114, "NET 30")]
    ballot = read(written(tmp_path / "grid.pdf", [*labels, *values]), schema({"currency": TEXT, "terms": TEXT}))
    assert ballot.data == {"currency": "USD", "terms": "NET 30"}


def test_two_values_with_equal_claims_leave_the_field_unjudged(tmp_path: Path) -> None:
    texts = [Text(50, 100, "Reference:"), Text(150, 100, "R-1"), Text(50, 200, "Reference:"), Text(150, 200, "R-2")]
    ballot = read(written(tmp_path / "two.pdf", texts), schema({"reference": TEXT}))
    assert (ballot.data, names(ballot.unsupported)) == ({}, {"reference"})


def test_a_value_printed_on_every_page_is_one_value(tmp_path: Path) -> None:
    texts = [Text(50, 100, "Reference:"), Text(150, 100, "R-1")]
    assert read(written(tmp_path / "two.pdf", texts, texts), schema({"reference": TEXT})).data == {"reference": "R-1"}


def test_one_value_serves_one_field(tmp_path: Path) -> None:
    texts = [Text(50, 100, "Invoice"), Text(150, 100, "4711")]
    compiled = schema({"invoice_number": TEXT, "invoice_code": TEXT})
    assert read(written(tmp_path / "one.pdf", texts), compiled).data == {"invoice_number": "4711"}


TABLE = schema(
    {"lines": records({"item": TEXT, "qty": INTEGER, "price": NUMBER}), "total": NUMBER},
    identity={"lines": ["item"]},
)
THREE = (50, 300, 400)


def rows_of(ballot: Ballot) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in ballot.data["lines"]]


def test_wrapped_cells_join_their_row(tmp_path: Path) -> None:
    body = [("Left-handed", "2", "3.50"), ("screwdriver", "", ""), ("Nails", "100", "0.02")]
    table = grid(100, THREE, [("Item", "Qty", "Price")], font="hebo")
    wrapped = [Text(text.x, 120 + 11 * n, text.text) for n, row in enumerate(body) for text in grid(0, THREE, [row])]
    assert rows_of(read(written(tmp_path / "wrapped.pdf", [*table, *wrapped]), TABLE)) == [
        ("Left-handed screwdriver", 2, Decimal("3.5")),
        ("Nails", 100, Decimal("0.02")),
    ]


def test_subtotals_between_groups_are_no_rows_and_a_total_ends_the_table(tmp_path: Path) -> None:
    body = [
        ("Nails", "100", "0.02"), ("Subtotal", "", "2.00"), ("Screws", "50", "0.04"), ("Total", "", "4.00"),
        ("Deposit paid", "", "1.00"), ("Thank you", "", ""),
    ]  # fmt: skip
    table = grid(100, THREE, [("Item", "Qty", "Price"), *body])
    ballot = read(written(tmp_path / "totals.pdf", table), TABLE)
    assert rows_of(ballot) == [("Nails", 100, Decimal("0.02")), ("Screws", 50, Decimal("0.04"))]
    assert ballot.data["total"] == 4


def test_blank_cells_are_null_and_foreign_columns_are_passed_over(tmp_path: Path) -> None:
    columns = (50, 200, 300, 400)
    table = grid(100, columns, [("Item", "Bin", "Qty", "Price"), ("Nails", "B7", "", "0.02"), ("Tape", "", "1", "9")])
    assert rows_of(read(written(tmp_path / "blank.pdf", table), TABLE)) == [
        ("Nails", None, Decimal("0.02")),
        ("Tape", 1, 9),
    ]


def test_a_header_of_two_lines_and_right_aligned_numbers(tmp_path: Path) -> None:
    compiled = schema({"lines": records({"part_description": TEXT, "order_quantity": INTEGER, "price": NUMBER})})
    header = [
        Text(50, 100, "Part"), Text(300, 100, "Order"), Text(50, 110, "Description"), Text(300, 110, "Quantity"),
        Text(420, 110, "Price"),
    ]  # fmt: skip
    body = [Text(50, 130, "Nails"), Text(325, 130, "9"), Text(425, 130, "0.02"), Text(50, 146, "Tape")]
    ballot = read(
        written(tmp_path / "two-lines.pdf", [*header, *body, Text(325, 146, "1"), Text(435, 146, "9")]), compiled
    )
    assert rows_of(ballot) == [("Nails", 9, Decimal("0.02")), ("Tape", 1, 9)]


def test_arrays_with_equal_columns_are_told_apart_by_their_titles(tmp_path: Path) -> None:
    row = records({"item": TEXT, "price": NUMBER})
    compiled = schema({"materials": row, "labor": row})
    columns = (50, 300)
    page = [
        Text(50, 80, "Labor"), *grid(100, columns, [("Item", "Price"), ("Fitting", "80"), ("Total", "80")]),
        Text(50, 200, "Materials"), *grid(220, columns, [("Item", "Price"), ("Nails", "2")]),
    ]  # fmt: skip
    ballot = read(written(tmp_path / "two-tables.pdf", page), compiled)
    assert ballot.data == {"labor": [{"item": "Fitting", "price": 80}], "materials": [{"item": "Nails", "price": 2}]}


def test_arrays_that_nothing_tells_apart_are_left_unjudged(tmp_path: Path) -> None:
    row = records({"item": TEXT, "price": NUMBER})
    page = grid(100, (50, 300), [("Item", "Price"), ("Fitting", "80")])
    ballot = read(written(tmp_path / "one-table.pdf", page), schema({"materials": row, "labor": row}))
    assert ballot.data == {}
    assert len(ballot.unsupported) == 4


def test_a_header_without_readable_rows_says_nothing_about_rows(tmp_path: Path) -> None:
    ballot = read(written(tmp_path / "empty.pdf", grid(100, THREE, [("Item", "Qty", "Price")])), TABLE)
    assert "lines" not in ballot.data
    assert {"lines[].item", "lines[].qty", "lines[].price"} <= names(ballot.unsupported)


def test_a_field_beside_a_table_is_no_part_of_it(tmp_path: Path) -> None:
    table = grid(100, (50, 150, 250), [("Item", "Qty", "Price"), ("Nails", "9", "0.02"), ("Tape", "1", "9")])
    beside = [Text(400, 100, "Total:"), Text(480, 100, "11.50"), Text(400, 116, "Signed:"), Text(480, 116, "Ada")]
    ballot = read(written(tmp_path / "beside.pdf", [*table, *beside]), TABLE)
    assert rows_of(ballot) == [("Nails", 9, Decimal("0.02")), ("Tape", 1, 9)]
    assert ballot.data["total"] == Decimal("11.5")


def test_nested_arrays_are_left_unjudged(tmp_path: Path) -> None:
    compiled = schema({"orders": records({"item": TEXT, "price": NUMBER, "parts": records({"code": TEXT})})})
    page = grid(100, (50, 300), [("Item", "Price"), ("Fitting", "80")])
    ballot = read(written(tmp_path / "nested.pdf", page), compiled)
    assert ballot.data == {"orders": [{"item": "Fitting", "price": 80}]}
    assert names(ballot.unsupported) == {"orders[].parts[].code"}


@pytest.mark.parametrize("delimiter", [",", ";", "|"])
def test_delimited_text_is_read_by_its_cells_and_cited_on_its_page(tmp_path: Path, delimiter: str) -> None:
    long = "very " * 40 + "long nail"
    rows = [("Item", "Qty", "Price"), (f'"Nails{delimiter} red"', "9", "0.02"), ("Tape", "", "9"), (long, "1", "2")]
    file = tmp_path / "lines.csv"
    file.write_text("".join(delimiter.join(row) + "\n" for row in rows))
    ballot = read(file, TABLE)
    assert rows_of(ballot) == [(f"Nails{delimiter} red", 9, Decimal("0.02")), ("Tape", None, 9), (long, 1, 2)]
    (place,) = ballot.citations[parse_path("lines[1].price")]
    with open_document(file) as document:
        (word,) = [word for word in document.page(place.page).words if place.boxes[0].contains_point(*word.box.center)]
    assert word.text == "9"


def test_a_page_of_another_script_and_direction(tmp_path: Path) -> None:
    file = tmp_path / "hebrew.docx"
    file.write_bytes(made.docx(["שם הלקוח: אקו גורן", "סכום: 240.72"]))
    compiled = schema({"customer": TEXT | {"title": "שם הלקוח"}, "amount": NUMBER | {"title": "סכום"}})
    assert read(file, compiled).data == {"customer": "אקו גורן", "amount": Decimal("240.72")}


@pytest.mark.parametrize(
    ("name", "content", "failure"),
    [
        pytest.param("blank.pdf", made.pdf([""]), Failure.UNSUPPORTED_INPUT, id="no-text-layer"),
        pytest.param("scan.png", made.image_file(made.marked_image(), "PNG"), Failure.UNSUPPORTED_INPUT, id="image"),
        pytest.param("broken.pdf", b"%PDF-1.7\nnothing", Failure.UNSUPPORTED_INPUT, id="broken"),
    ],
)
def test_what_has_no_text_layer_fails_for_that_reason(
    tmp_path: Path, name: str, content: bytes, failure: Failure
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    ballot = read(file, TABLE)
    assert (ballot.status, ballot.failure) == (Status.FAILED, failure)
    assert ballot.detail


def test_it_is_an_extractor_and_says_what_its_answers_depend_on() -> None:
    extractor = TextGeo()
    assert isinstance(extractor, Extractor)
    assert extractor.available() is None
    assert extractor.info == TextGeo().info
    assert (extractor.info.name, extractor.info.offline, extractor.info.asserts_null) == ("text-geo", True, False)
