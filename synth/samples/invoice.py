"""Sample invoices: a letterhead, key-value pairs side by side, items over one to three pages, totals that add up."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from groundtruth.jsontext import Json
from synth.demo.sheet import GREY, INK, Sheet
from synth.samples.invent import Inventor
from synth.samples.invoice_content import VARIANTS, Invoice, invent
from synth.samples.sample import Sample
from synth.samples.table import Column, PrintedRow, RowKind, TableLook, TableWriter
from synth.samples.wording import Field, Kind, properties, records, rules_of

_BOTTOM: Final = 770.0


def make_invoice(seed: int, index: int) -> Sample:
    """The invoice with this number; variants take turns."""
    make = Inventor(f"invoice {seed} {index}")
    invoice = invent(make, VARIANTS[index % len(VARIANTS)])
    sheet = Sheet("Invoice")
    _Drawing(sheet, invoice).draw()
    drawn = sheet.pdf()
    order = invoice.style.dates.order
    rules = rules_of([*invoice.facts, *invoice.totals], order)
    rules |= rules_of(invoice.columns, order, "items[].") | rules_of(invoice.payments, order, "payments[].")
    if invoice.style.decimal_comma:
        rules = _with_locale(rules, invoice)
    keyed = invoice.columns[0].key in {"line", "code"} and not invoice.columns[0].optional
    return Sample(
        name=f"invoice-{index:02}-{invoice.plan.name}",
        kind="invoice",
        schema={
            "type": "object",
            "title": "Invoice",
            "properties": {
                **properties(invoice.facts),
                "items": records(invoice.columns, "Every line of the invoice, in printed order."),
                **properties(invoice.totals),
                **({"payments": records(invoice.payments, "Payments already made.")} if invoice.payments else {}),
            },
        },
        rules={"fields": rules, **({"identity": {"items": [invoice.columns[0].key]}} if keyed else {})},
        values=invoice.values,
        pdf=drawn.content,
        places=drawn.places,
    )


def _with_locale(rules: dict[str, Json], invoice: Invoice) -> dict[str, Json]:
    paths = {field.key: field for field in (*invoice.facts, *invoice.totals)}
    paths |= {f"items[].{field.key}": field for field in invoice.columns}
    numeric = {path for path, field in paths.items() if field.kind in (Kind.MONEY, Kind.NUMBER, Kind.INTEGER)}
    return rules | {path: {**rules.get(path, {}), "locale": "de-DE"} for path in sorted(numeric)}


class _Drawing:
    """One invoice under the pen."""

    def __init__(self, sheet: Sheet, invoice: Invoice) -> None:
        self._sheet, self._invoice, self._look = sheet, invoice, invoice.look
        self._page = 1

    def draw(self) -> None:
        self._letterhead()
        y = self._facts(150)
        y = self._table().draw(y + 18)
        if y + 16 * len(self._invoice.totals) + 30 > _BOTTOM:
            y = self._next_page()
        y = self._totals(y + 12)
        if self._invoice.payments:
            self._payments(y + 24)
        self._footer()

    def _letterhead(self) -> None:
        sheet, look, invoice = self._sheet, self._look, self._invoice
        sheet.text(look.left, 56, invoice.vendor, look.bold, 15, colour=look.accent)
        y = 70.0
        for line in invoice.address.split("\n"):
            sheet.text(look.left, y, line, look.font, 8.5, colour=GREY)
            y += 11
        sheet.text(look.right, 58, "INVOICE", look.bold, 20, "right", look.accent)
        sheet.rule(look.left, 92, look.right, 1, look.accent)
        sheet.text(look.left, 108, "Bill to", look.bold, 8.5, colour=GREY)
        for number, line in enumerate(invoice.billed.split("\n")):
            sheet.text(look.left, 120 + 11.5 * number, line, look.font, 9.5)

    def _facts(self, y: float) -> float:
        arrange = {"right": self._facts_right, "pairs": self._facts_in_pairs, "boxes": self._facts_in_boxes}
        return arrange[self._invoice.plan.facts_in](y)

    def _facts_right(self, y: float) -> float:
        """Label and value in two columns at the right, beside the billing address."""
        y = 108.0
        for field, text in self._printed(self._invoice.facts):
            self._sheet.text(self._look.right - 205, y, field.label, self._look.font, 9)
            self._sheet.text(self._look.right, y, text, self._look.font, 9, "right", leaf=field.key if text else None)
            y += 13
        return max(y, 160.0)

    def _facts_in_pairs(self, y: float) -> float:
        """Two pairs of label and value side by side, with colons."""
        y += 22
        half = (self._look.right - self._look.left) / 2
        for number, (field, text) in enumerate(self._printed(self._invoice.facts)):
            x = self._look.left + number % 2 * half
            top = y + number // 2 * 15
            self._sheet.text(x, top, f"{field.label}:", self._look.bold, 8.5)
            self._sheet.text(x + 105, top, text, self._look.font, 9, leaf=field.key if text else None)
        return y + (len(self._invoice.facts) + 1) // 2 * 15

    def _facts_in_boxes(self, y: float) -> float:
        """A row of ruled boxes, each with its label over its value."""
        y += 12
        facts = list(self._printed(self._invoice.facts))
        for start in range(0, len(facts), 4):
            row = facts[start : start + 4]
            width = (self._look.right - self._look.left) / len(row)
            for number, (field, text) in enumerate(row):
                x = self._look.left + number * width
                self._sheet.box(x, y, width, 30, stroke=(0.45, 0.45, 0.48))
                self._sheet.text(x + 4, y + 10, field.label, self._look.bold, 7.5, colour=GREY)
                self._sheet.text(x + 4, y + 23, text, self._look.font, 9, leaf=field.key if text else None)
            y += 30
        return y

    def _printed(self, fields: Sequence[Field]) -> list[tuple[Field, str]]:
        style, values = self._invoice.style, self._invoice.values
        return [(field, style.print(field, values[field.key], signed=True)) for field in fields]

    def _table(self) -> TableWriter:
        return self._listing("items", self._invoice.columns)

    def _listing(self, key: str, fields: Sequence[Field]) -> TableWriter:
        plan, style = self._invoice.plan, self._invoice.style
        rows = [
            PrintedRow(
                {field.key: style.print(field, item[field.key]) for field in fields}, RowKind.ITEM, f"{key}[{number}]"
            )
            for number, item in enumerate(self._invoice.values[key])
        ]
        columns = [
            Column(
                field.key,
                field.label,
                "right" if field.kind in (Kind.MONEY, Kind.INTEGER, Kind.NUMBER) else "left",
                wraps=field.key == "description",
            )
            for field in fields
        ]
        return TableWriter(
            self._sheet,
            columns,
            rows,
            self._look,
            TableLook(ruled=plan.ruled, lined=plan.tight, padding=1.6 if plan.tight else 3.0),
            next_page=self._next_page,
            bottom=_BOTTOM,
            carry=("Carried forward", "Brought forward", self._carried) if plan.carries else None,
        )

    def _carried(self, done: int) -> dict[str, str]:
        amounts = (item["amount"] for item in self._invoice.values["items"][:done])
        return {"amount": self._invoice.style.money(sum(amounts, Decimal()))}

    def _next_page(self) -> float:
        self._footer()
        self._sheet.next_page()
        self._page += 1
        self._sheet.text(self._look.left, 50, self._invoice.vendor, self._look.bold, 10, colour=self._look.accent)
        number = self._invoice.values["invoice_number"]
        self._sheet.text(self._look.right, 50, f"Invoice {number}, continued", self._look.font, 8, "right", GREY)
        return 66.0

    def _totals(self, y: float) -> float:
        """Labels and amounts at the right, the last one in bold under a line; the y under them."""
        printed = self._printed(self._invoice.totals)
        for number, (field, text) in enumerate(printed):
            font = self._look.bold if number == len(printed) - 1 else self._look.font
            if number == len(printed) - 1:
                self._sheet.rule(self._look.right - 210, y + 3, self._look.right, 0.8, INK)
                y += 4
            label = f"{field.label} ({self._invoice.rate}%)" if field.key == "tax" else field.label
            self._sheet.text(self._look.right - 205, y + 12, label, font, 9.5)
            self._sheet.text(self._look.right - 4, y + 12, text, font, 9.5, "right", leaf=field.key if text else None)
            y += 15
        return y

    def _payments(self, y: float) -> None:
        """A second table under a heading of its own."""
        if y + 18 * len(self._invoice.values["payments"]) + 40 > _BOTTOM:
            y = self._next_page()
        self._sheet.text(self._look.left, y, "Payments received", self._look.bold, 10, colour=self._look.accent)
        self._listing("payments", self._invoice.payments).draw(y + 8)

    def _footer(self) -> None:
        note = f"Please quote the invoice number with your payment.  Page {self._page}"
        self._sheet.text(self._look.left, 815, note, self._look.font, 7.5, colour=GREY)
