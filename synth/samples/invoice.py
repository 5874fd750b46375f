"""Sample invoices: a letterhead, key-value pairs side by side, items over one to three pages, totals that add up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, NamedTuple

from groundtruth.jsontext import Json
from synth.demo.sheet import GREY, INK, Sheet
from synth.samples.invent import Inventor
from synth.samples.invoice_fields import COLUMNS, FACTS, GOODS, TOTALS, UNITS
from synth.samples.sample import Sample
from synth.samples.style import DOTTED, Look, Style, draw_look, draw_style
from synth.samples.table import Column, PrintedRow, RowKind, TableLook, TableWriter
from synth.samples.wording import Field, Kind, properties, records, rules_of, worded

_BOTTOM: Final = 770.0
_TAX_RATES: Final = ("6.25", "7.5", "8.25", "19", "20")


class _Plan(NamedTuple):
    """What sets one variant apart."""

    name: str
    ruled: bool
    items: tuple[int, int]
    facts_in: str
    carries: bool = False
    euro: bool = False


VARIANTS: Final = (
    _Plan("plain", ruled=False, items=(5, 9), facts_in="pairs"),
    _Plan("long", ruled=False, items=(34, 52), facts_in="right", carries=True),
    _Plan("ruled", ruled=True, items=(9, 16), facts_in="boxes"),
    _Plan("euro", ruled=False, items=(14, 24), facts_in="right", euro=True),
)


@dataclass(frozen=True, slots=True)
class _Invoice:
    """An invoice with its wording chosen and its values fixed."""

    plan: _Plan
    facts: Sequence[Field]
    columns: Sequence[Field]
    totals: Sequence[Field]
    values: dict[str, Json]
    style: Style
    look: Look
    vendor: str
    address: str
    billed: str
    rate: str


def make_invoice(seed: int, index: int) -> Sample:
    """The invoice with this number; variants take turns."""
    make = Inventor(f"invoice {seed} {index}")
    invoice = _invent(make, VARIANTS[index % len(VARIANTS)])
    sheet = Sheet("Invoice")
    _Drawing(sheet, invoice).draw()
    drawn = sheet.pdf()
    order = invoice.style.dates.order
    rules = rules_of([*invoice.facts, *invoice.totals], order) | rules_of(invoice.columns, order, "items[].")
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
            },
        },
        rules={"fields": rules, **({"identity": {"items": [invoice.columns[0].key]}} if keyed else {})},
        values=invoice.values,
        pdf=drawn.content,
        places=drawn.places,
    )


def _with_locale(rules: dict[str, Json], invoice: _Invoice) -> dict[str, Json]:
    paths = {field.key: field for field in (*invoice.facts, *invoice.totals)}
    paths |= {f"items[].{field.key}": field for field in invoice.columns}
    numeric = {path for path, field in paths.items() if field.kind in (Kind.MONEY, Kind.NUMBER, Kind.INTEGER)}
    return rules | {path: {**rules.get(path, {}), "locale": "de-DE"} for path in sorted(numeric)}


def _invent(make: Inventor, plan: _Plan) -> _Invoice:
    random = make.random
    facts = [worded(random, fact.field) for fact in FACTS if fact.always or make.chance(0.65)]
    columns = _columns(make, plan)
    items = _items(make, columns, plan)
    rate = make.choice(*_TAX_RATES)
    amounts = _sums(make, items, Decimal(rate))
    totals = [worded(random, field) for field in TOTALS if field.key in amounts]
    values: dict[str, Json] = {}
    for fact in FACTS:
        value = fact.invent(make)
        for field in facts:
            if field.key == fact.field.key:
                values[field.key] = None if field.optional and make.chance(0.3) else value
    style = draw_style(random, sign=make.choice("$", "$", "£"))
    if plan.euro:
        style = Style(DOTTED, "", style.negative, decimal_comma=True)
    return _Invoice(
        plan=plan,
        facts=facts,
        columns=columns,
        totals=totals,
        values={**values, "items": items, **amounts},
        style=style,
        look=draw_look(random, size=8.5 if plan.ruled else 9.0),
        vendor=make.company(),
        address=make.address(),
        billed=f"{make.company()}\n{make.address()}",
        rate=rate,
    )


def _columns(make: Inventor, plan: _Plan) -> list[Field]:
    left_out = {"line"} if make.chance(0.5) else set()
    left_out |= {"unit"} if make.chance(0.5) else set()
    left_out |= {"discount"} if plan.carries or make.chance(0.5) else set()
    columns = [worded(make.random, field) for field in COLUMNS if field.key not in left_out]
    if make.chance(0.4):
        # Some sellers put the quantity before the description.
        at = next(number for number, field in enumerate(columns) if field.key == "quantity")
        columns.insert(next(number for number, field in enumerate(columns) if field.key == "description"),
                       columns.pop(at))  # fmt: skip
    return columns


def _items(make: Inventor, columns: Sequence[Field], plan: _Plan) -> list[dict[str, Json]]:
    items = []
    for number in range(1, make.integer(*plan.items) + 1):
        quantity = make.integer(1, 24)
        price = make.money(1.2, 480)
        discount = -make.money(0.5, 1 + float(price) / 4) if make.chance(0.25) else None
        deducted = discount if any(field.key == "discount" for field in columns) else None
        every: dict[str, Json] = {
            "line": number,
            "code": None if make.chance(0.12) else make.code("??-####"),
            "description": _description(make),
            "quantity": quantity,
            "unit": make.choice(*UNITS),
            "unit_price": price,
            "discount": discount,
            "amount": quantity * price + (deducted or 0),
        }
        items.append({field.key: every[field.key] for field in columns})
    if make.chance(0.6):
        _return_one(items)
    return items


def _return_one(items: list[dict[str, Json]]) -> None:
    """Turn the last line into goods taken back: an amount below zero."""
    last = items[-1]
    last["description"] = f"Credit for return: {last['description']}"
    last["amount"] = -abs(last["amount"])
    last["quantity"] = -last["quantity"]
    if "discount" in last:
        last["discount"] = None
        last["amount"] = last["quantity"] * last["unit_price"]


def _description(make: Inventor) -> str:
    noun, details = make.random.choice(list(GOODS.items()))
    return ", ".join([noun, *make.random.sample(details, make.integer(0, len(details)))])


def _sums(make: Inventor, items: Sequence[Mapping[str, Json]], rate: Decimal) -> dict[str, Json]:
    subtotal = sum((item["amount"] for item in items), Decimal())
    sums = {"subtotal": subtotal}
    if make.chance(0.5):
        sums["shipping"] = make.money(4, 90)
    if make.chance(0.4):
        sums["discount_total"] = -make.money(1, 40)
    taxed = sum(sums.values(), Decimal())
    sums["tax"] = (taxed * rate / 100).quantize(Decimal("0.01"))
    sums["total"] = taxed + sums["tax"]
    return dict(sums)


class _Drawing:
    """One invoice under the pen."""

    def __init__(self, sheet: Sheet, invoice: _Invoice) -> None:
        self._sheet, self._invoice, self._look = sheet, invoice, invoice.look
        self._page = 1

    def draw(self) -> None:
        self._letterhead()
        y = self._facts(150)
        y = self._table().draw(y + 18)
        if y + 16 * len(self._invoice.totals) + 30 > _BOTTOM:
            y = self._next_page()
        self._totals(y + 12)
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
        invoice, style = self._invoice, self._invoice.style
        rows = [
            PrintedRow(
                {field.key: style.print(field, item[field.key]) for field in invoice.columns},
                RowKind.ITEM,
                f"items[{number}]",
            )
            for number, item in enumerate(invoice.values["items"])
        ]
        columns = [
            Column(
                field.key,
                field.label,
                "right" if field.kind in (Kind.MONEY, Kind.INTEGER, Kind.NUMBER) else "left",
                wraps=field.key == "description",
            )
            for field in invoice.columns
        ]
        return TableWriter(
            self._sheet,
            columns,
            rows,
            self._look,
            TableLook(ruled=invoice.plan.ruled, padding=3.0),
            next_page=self._next_page,
            bottom=_BOTTOM,
            carry=("Carried forward", "Brought forward", self._carried) if invoice.plan.carries else None,
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

    def _totals(self, y: float) -> None:
        """Labels and amounts at the right, the last one in bold under a line."""
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

    def _footer(self) -> None:
        note = f"Please quote the invoice number with your payment.  Page {self._page}"
        self._sheet.text(self._look.left, 815, note, self._look.font, 7.5, colour=GREY)


__all__ = ["VARIANTS", "make_invoice"]
