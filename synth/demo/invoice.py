"""An invoice whose table of lines breaks across two pages, with a carried sum under the first and over the second."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from groundtruth.jsontext import Json
from synth.demo.printed import money, numeric_date
from synth.demo.sheet import GREY, PALE, SANS, SANS_BOLD, SERIF, Align, Colour, Drawn, Sheet

_LEFT: Final = 48.0
_RIGHT: Final = 547.0
_TEAL: Final[Colour] = (0.07, 0.33, 0.36)
_FIRST_PAGE_LINES: Final = 19
_ROW: Final = 19.5

# Title, key, the edge that the column is aligned to, and how.
_COLUMNS: Final[tuple[tuple[str, str, float, Align], ...]] = (
    ("Item No.", "item_number", _LEFT + 4, "left"),
    ("Description", "description", 112, "left"),
    ("Qty", "quantity", 372, "right"),
    ("Unit", "unit", 390, "left"),
    ("Unit Price", "unit_price", 482, "right"),
    ("Amount", "amount", _RIGHT - 4, "right"),
)


def draw_invoice(value: Json) -> Drawn:
    """The invoice as PDF."""
    sheet = Sheet(f"Invoice {value['invoice_number']}")
    first, rest = value["lines"][:_FIRST_PAGE_LINES], value["lines"][_FIRST_PAGE_LINES:]
    carried = sum((line["amount"] for line in first), Decimal())
    _letterhead(sheet, value)
    _parties(sheet, value)
    _facts(sheet, value)
    y = _lines(sheet, 318, first, 0)
    _carry(sheet, y, "Carried forward", carried)
    _footer(sheet, value, 1)
    sheet.next_page()
    _running_head(sheet, value)
    y = _lines(sheet, 96, rest, len(first), ("Brought forward", carried))
    _totals(sheet, y + 14, value)
    _payment(sheet, y + 14, value)
    _footer(sheet, value, 2)
    return sheet.pdf()


def _letterhead(sheet: Sheet, value: Json) -> None:
    sheet.box(_LEFT, 40, 5, 44, fill=_TEAL, stroke=None)
    sheet.text(_LEFT + 14, 58, value["supplier"]["name"].removesuffix(" Ltd"), SERIF, 19, colour=_TEAL)
    sheet.text(_LEFT + 14, 75, "Consumables and small equipment for practice and laboratory", size=8.5, colour=GREY)
    sheet.text(_RIGHT, 60, "INVOICE", SANS_BOLD, 20, "right", _TEAL)
    sheet.rule(_LEFT, 98, _RIGHT, 1.2, _TEAL)


def _parties(sheet: Sheet, value: Json) -> None:
    supplier, customer = value["supplier"], value["customer"]
    sheet.text(_LEFT, 120, "From", SANS_BOLD, 8, colour=GREY)
    sheet.text(_LEFT, 134, supplier["name"], SANS_BOLD, 9.5, leaf="supplier.name")
    sheet.paragraph(_LEFT, 147, ("14 Tannery Row", "Wexcombe  WX4 2PL"))
    for y, label, key in ((176, "VAT Reg. No. ", "vat_number"), (188, "Phone: ", "phone")):
        width = sheet.text(_LEFT, y, label, size=8.5)
        sheet.text(_LEFT + width, y, supplier[key], size=8.5, leaf=f"supplier.{key}")
    sheet.text(310, 120, "Bill to", SANS_BOLD, 8, colour=GREY)
    sheet.text(310, 134, customer["name"], SANS_BOLD, 9.5, leaf="customer.name")
    sheet.paragraph(310, 147, ("Accounts", "27 Marlow Street", "Little Averham  AV1 9TD"))


def _facts(sheet: Sheet, value: Json) -> None:
    facts = (
        ("Invoice No.", "invoice_number", value["invoice_number"]),
        ("Invoice Date", "invoice_date", numeric_date(value["invoice_date"])),
        ("Due Date", "due_date", numeric_date(value["due_date"])),
        ("Customer Account", "customer.account_number", value["customer"]["account_number"]),
        ("Your Order No.", "purchase_order", value["purchase_order"]),
        ("Delivery Note", "delivery_note", value["delivery_note"]),
        ("Payment Terms", "payment_terms", value["payment_terms"]),
        ("Currency", "currency", value["currency"]),
    )
    width, height = (_RIGHT - _LEFT) / 4, 38.0
    for place, (label, leaf, text) in enumerate(facts):
        x, y = _LEFT + place % 4 * width, 214 + place // 4 * height
        sheet.box(x, y, width, height)
        sheet.text(x + 7, y + 14, label, size=7.5, colour=GREY)
        sheet.text(x + 7, y + 28, text, SANS_BOLD, 9.5, leaf=leaf)


def _lines(
    sheet: Sheet, y: float, lines: Sequence[Json], start: int, opening: tuple[str, Decimal] | None = None
) -> float:
    """The table with its header, its rows numbered from ``start``; return the upper edge of what comes next."""
    sheet.box(_LEFT, y, _RIGHT - _LEFT, 20, fill=_TEAL, stroke=None)
    for title, _, x, align in _COLUMNS:
        sheet.text(x, y + 13.5, title, SANS_BOLD, 8.5, align, (1, 1, 1))
    y += 20
    if opening is not None:
        _carry(sheet, y, *opening)
        y += _ROW
    for number, line in enumerate(lines):
        if number % 2:
            sheet.box(_LEFT, y, _RIGHT - _LEFT, _ROW, fill=PALE, stroke=None)
        for _, key, x, align in _COLUMNS:
            cell = money(line[key]) if key in ("unit_price", "amount") else str(line[key])
            sheet.text(x, y + 13, cell, size=9, align=align, leaf=f"lines[{start + number}].{key}")
        y += _ROW
    sheet.rule(_LEFT, y, _RIGHT, 0.8, _TEAL)
    return y


def _carry(sheet: Sheet, y: float, label: str, amount: Decimal) -> None:
    sheet.text(112, y + 13, label, "Helvetica-Oblique", 9, colour=GREY)
    sheet.text(_RIGHT - 4, y + 13, money(amount), "Helvetica-Oblique", 9, "right", GREY)


def _running_head(sheet: Sheet, value: Json) -> None:
    sheet.text(_LEFT, 58, value["supplier"]["name"], SERIF, 12, colour=_TEAL)
    sheet.text(_RIGHT, 58, f"Invoice {value['invoice_number']}, continued", size=9, align="right", colour=GREY)
    sheet.rule(_LEFT, 70, _RIGHT, 1.2, _TEAL)


def _totals(sheet: Sheet, y: float, value: Json) -> None:
    for label, key in (("Subtotal", "subtotal"), ("Carriage", "carriage"), ("VAT at ", "vat")):
        width = sheet.text(380, y + 14, label)
        if key == "vat":
            sheet.text(380 + width, y + 14, f"{value['vat_rate']}%", leaf="vat_rate")
        sheet.text(_RIGHT - 4, y + 14, money(value[key]), align="right", leaf=key)
        y += 18
    sheet.box(370, y + 2, _RIGHT - 370, 24, fill=PALE, stroke=None)
    sheet.text(380, y + 18, f"Total {value['currency']}", SANS_BOLD, 10.5)
    sheet.text(_RIGHT - 4, y + 18, money(value["total"]), SANS_BOLD, 10.5, "right", leaf="total")


def _payment(sheet: Sheet, y: float, value: Json) -> None:
    sheet.text(_LEFT, y + 14, "How to pay", SANS_BOLD, 9, colour=_TEAL)
    for below, label, key in ((30, "Sort Code: ", "sort_code"), (44, "Account No.: ", "account_number")):
        width = sheet.text(_LEFT, y + below, label)
        sheet.text(_LEFT + width, y + below, value["bank"][key], leaf=f"bank.{key}")
    sheet.text(_LEFT, y + 58, "Please quote the invoice number with your payment.")
    terms = (
        "Goods remain our property until they are paid for. Shortages and breakages are to be reported",
        "within five working days of delivery. Opened sterile packs cannot be returned.",
    )
    sheet.paragraph(_LEFT, y + 122, terms, 8, GREY)


def _footer(sheet: Sheet, value: Json, page: int) -> None:
    sheet.rule(_LEFT, 796, _RIGHT)
    sheet.text(_LEFT, 809, f"{value['supplier']['name']}. Registered in Wexcombe, No. 7730412", SANS, 7.5, colour=GREY)
    sheet.text(_RIGHT, 809, f"Page {page} of 2", SANS, 7.5, "right", GREY)
