"""What a sample invoice states: wording chosen, values fixed, sums that add up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, NamedTuple

from groundtruth.jsontext import Json
from synth.samples.invent import Inventor
from synth.samples.invoice_fields import COLUMNS, FACTS, GOODS, PAYMENT_COLUMNS, TOTALS, UNITS
from synth.samples.style import DOTTED, Look, Style, draw_look, draw_style
from synth.samples.wording import Field, worded

_TAX_RATES: Final = ("6.25", "7.5", "8.25", "19", "20")


class Plan(NamedTuple):
    """What sets one variant apart."""

    name: str
    ruled: bool
    items: tuple[int, int]
    facts_in: str
    carries: bool = False
    euro: bool = False
    tight: bool = False
    paid: bool = False


VARIANTS: Final = (
    Plan("plain", ruled=False, items=(5, 9), facts_in="pairs"),
    Plan("long", ruled=False, items=(34, 52), facts_in="right", carries=True),
    Plan("ruled", ruled=True, items=(9, 16), facts_in="boxes"),
    Plan("euro", ruled=False, items=(14, 24), facts_in="right", euro=True),
    Plan("paid", ruled=True, items=(6, 12), facts_in="right", paid=True),
    Plan("tight", ruled=False, items=(12, 20), facts_in="pairs", tight=True),
)
"""The first four are plain; then one with a table of payments beside that of items, and one set close."""


@dataclass(frozen=True, slots=True)
class Invoice:
    """An invoice with its wording chosen and its values fixed."""

    plan: Plan
    facts: Sequence[Field]
    columns: Sequence[Field]
    totals: Sequence[Field]
    payments: Sequence[Field]
    values: dict[str, Json]
    style: Style
    look: Look
    vendor: str
    address: str
    billed: str
    rate: str


def invent(make: Inventor, plan: Plan) -> Invoice:
    """An invoice whose sums add up."""
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
    payments = [worded(random, field) for field in PAYMENT_COLUMNS] if plan.paid else []
    if payments:
        values["payments"] = [_payment(make) for _ in range(make.integer(2, 5))]
    style = draw_style(random, sign=make.choice("$", "$", "£"))
    if plan.euro:
        style = Style(DOTTED, "", style.negative, decimal_comma=True)
    return Invoice(
        plan=plan,
        facts=facts,
        columns=columns,
        totals=totals,
        payments=payments,
        values={**values, "items": items, **amounts},
        style=style,
        look=draw_look(random, size=8.0 if plan.tight else 8.5 if plan.ruled else 9.0),
        vendor=make.company(),
        address=make.address(),
        billed=f"{make.company()}\n{make.address()}",
        rate=rate,
    )


def _columns(make: Inventor, plan: Plan) -> list[Field]:
    left_out = {"line"} if make.chance(0.5) else set()
    left_out |= {"unit"} if make.chance(0.5) else set()
    left_out |= {"discount"} if plan.carries or make.chance(0.5) else set()
    columns = [worded(make.random, field) for field in COLUMNS if field.key not in left_out]
    if make.chance(0.4):
        # Some sellers put the quantity before the description.
        keys = [field.key for field in columns]
        columns.insert(keys.index("description"), columns.pop(keys.index("quantity")))
    return columns


def _items(make: Inventor, columns: Sequence[Field], plan: Plan) -> list[dict[str, Json]]:
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
    last["quantity"] = -last["quantity"]
    last["amount"] = last["quantity"] * last["unit_price"]
    if "discount" in last:
        last["discount"] = None


def _description(make: Inventor) -> str:
    noun, details = make.random.choice(list(GOODS.items()))
    return ", ".join([noun, *make.random.sample(details, make.integer(0, len(details)))])


def _payment(make: Inventor) -> dict[str, Json]:
    return {
        "received_on": make.day(),
        "method": make.choice("Check", "Wire", "Card", "Cash"),
        "payment_reference": make.code("###-####") if make.chance(0.8) else None,
        "amount_received": make.money(20, 900),
    }


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
