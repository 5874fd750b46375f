"""What the sample invoices state, and what they sell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Final, NamedTuple

from groundtruth.jsontext import Json
from synth.samples.invent import Inventor
from synth.samples.wording import Field, Kind

_RECENT: Final = date(2024, 1, 1)


class Fact(NamedTuple):
    """A field of the invoice itself, and whether every invoice has it."""

    field: Field
    invent: Callable[[Inventor], Json]
    always: bool = False


FACTS: Final = (
    Fact(
        Field("invoice_number", ("Invoice No.", "Invoice number", "Invoice #"), Kind.IDENTIFIER),
        lambda make: make.code("INV-#####"),
        always=True,
    ),
    Fact(
        Field("invoice_date", ("Invoice date", "Date of issue", "Issued"), Kind.DATE),
        lambda make: make.day(_RECENT, 600),
        always=True,
    ),
    Fact(
        Field("due_date", ("Due date", "Payment due", "Pay by"), Kind.DATE, optional=True),
        lambda make: make.day(_RECENT, 700),
        always=True,
    ),
    Fact(
        Field("purchase_order", ("Purchase order", "PO number", "Your order"), Kind.IDENTIFIER, optional=True),
        lambda make: make.code("PO######"),
    ),
    Fact(
        Field("customer_number", ("Customer No.", "Customer number", "Account"), Kind.IDENTIFIER),
        lambda make: make.code("C#####"),
    ),
    Fact(
        Field("payment_terms", ("Payment terms", "Terms"), optional=True),
        lambda make: make.choice("Net 30", "Net 14", "Due on receipt", "2% 10, net 30"),
    ),
    Fact(Field("salesperson", ("Salesperson", "Your contact", "Sales rep")), Inventor.person),
    Fact(
        Field("ship_via", ("Ship via", "Carrier"), optional=True),
        lambda make: make.choice("Parcel post", "Own truck", "Collected", "Freight"),
    ),
)

COLUMNS: Final = (
    Field("line", ("Line", "Pos.", "Item"), Kind.INTEGER),
    Field("code", ("Code", "Item code", "Article"), Kind.IDENTIFIER, optional=True),
    Field("description", ("Description", "Goods and services", "Particulars")),
    Field("quantity", ("Quantity", "Qty"), Kind.INTEGER),
    Field("unit", ("Unit", "UoM")),
    Field("unit_price", ("Unit price", "Price", "Rate"), Kind.MONEY),
    Field("discount", ("Discount", "Less"), Kind.MONEY, optional=True),
    Field("amount", ("Amount", "Line total", "Net"), Kind.MONEY),
)

TOTALS: Final = (
    Field("subtotal", ("Subtotal", "Total before tax", "Goods total"), Kind.MONEY),
    Field("shipping", ("Shipping", "Carriage", "Freight charge"), Kind.MONEY),
    Field("discount_total", ("Discount total", "Rebate"), Kind.MONEY),
    Field("tax", ("Tax", "Sales tax", "VAT"), Kind.MONEY),
    Field("total", ("Total", "Total due", "Amount due"), Kind.MONEY),
)

PAYMENT_COLUMNS: Final = (
    Field("received_on", ("Received on", "Date"), Kind.DATE),
    Field("method", ("Method", "Paid by")),
    Field("payment_reference", ("Payment reference", "Reference"), Kind.IDENTIFIER, optional=True),
    Field("amount_received", ("Amount received", "Amount"), Kind.MONEY),
)

UNITS: Final = ("ea", "box", "kg", "hr", "set", "roll")

GOODS: Final[Mapping[str, Sequence[str]]] = {
    "Copper pipe 22 mm": ("half hard", "3 m lengths", "capped both ends"),
    "Deck screws 4 x 60": ("stainless", "torx head", "box of 200", "for treated timber"),
    "Pressure gauge": ("0 to 10 bar", "bottom entry", "glycerine filled"),
    "Labour, fitting": ("first floor", "including travel", "two persons"),
    "Safety gloves": ("nitrile coated", "size 9", "pack of 12 pairs"),
    "Paper A4 80 g": ("recycled", "5 reams per carton"),
    "Site survey": ("with written report", "drawings in two copies", "valid for six months"),
    "Hydraulic hose": ("two braid", "3/8 inch", "crimped ends", "pressure tested"),
    "LED batten 1500 mm": ("4000 K", "emergency version", "with bracket"),
    "Masonry drill": ("SDS plus", "10 x 160"),
    "Cable gland M20": ("brass", "with locknut", "IP68"),
    "Floor paint": ("grey", "two component", "5 litres", "anti-slip additive included"),
}
