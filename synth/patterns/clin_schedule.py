"""A US government contract's schedule of supplies and services: line items and sub-lines by base and option years."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final

from groundtruth.jsontext import Json
from synth.invention import Invention
from synth.pattern import HEADER_SWITCHES, HEADER_TAGS, Composed, Pattern, Record, Sum, Switches
from synth.patterns._clin_sheets import draw
from synth.patterns._contract_words import FAMILIES, Family

_ZERO: Final = Decimal("0.00")
_ESCALATION: Final = Decimal("1.026")
_SUFFIXES: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Of sub-lines: letters that are not taken for digits."""


def _text(says: str) -> dict[str, Json]:
    return {"type": "string", "description": says}


def _day(says: str) -> dict[str, Json]:
    return {"type": "string", "format": "date", "description": says}


def _optional(kind: str, says: str) -> dict[str, Json]:
    return {"type": [kind, "null"], "description": says}


_ITEM_FIELDS: Final[dict[str, Json]] = {
    "item_number": _text('Under "ITEM NO.": such as 0001, or 0001AA for a sub-line.'),
    "parent_item": _optional("string", "Of a sub-line, the number of the line item that it belongs to."),
    "period": _text("The base or option period in whose section the item is listed."),
    "title": _text('The first line under "SUPPLIES/SERVICES", in bold.'),
    "contract_type": _optional("string", "How the item is priced, such as FFP; the line under the title."),
    "narrative": _optional("string", "The text under the contract type."),
    "service_code": _optional("string", 'After "PSC CD".'),
    "stock_number": _optional("string", 'After "NSN".'),
    "quantity": _optional("integer", 'Under "QUANTITY".'),
    "unit": _optional("string", 'Under "UNIT".'),
    "unit_price": _optional("number", 'Under "UNIT PRICE".'),
    "amount": _optional("number", 'Under "AMOUNT"; null where the item is not separately priced.'),
    "price_note": _optional("string", "NSP where that is printed in the place of an amount."),
    "pop_start": _day('First day of performance: after "POP" where the item says it, otherwise that of its section.'),
    "pop_end": _day("Last day of performance, found in the same way."),
}
_SCHEMA: Final[dict[str, Json]] = {
    "type": "object",
    "properties": {
        "contract_number": _text('Under "REFERENCE NO. OF DOCUMENT BEING CONTINUED".'),
        "contractor": _text('Under "NAME OF OFFEROR OR CONTRACTOR".'),
        "issued_by": _text('After "Issued by".'),
        "effective_date": _day('After "Effective date".'),
        "item_count": {
            "type": "integer",
            "description": 'After "Line items and sub-lines"; reserved and deleted ones are not counted.',
        },
        "total_amount": {"type": "number", "description": 'After "Total, base and option periods".'},
        "periods": {
            "type": "array",
            "description": "The base period and each option period.",
            "items": {
                "type": "object",
                "properties": {
                    "period": _text("The name in the heading of the section, such as Option Period 1."),
                    "period_start": _day("The first day in the heading of the section."),
                    "period_end": _day("The last day in the heading of the section."),
                    "subtotal": {"type": "number", "description": "The total of the period, after its last item."},
                },
            },
        },
        "line_items": {
            "type": "array",
            "description": "Every line item and sub-line in the order of the schedule. Totals, carried amounts, "
            "reserved numbers and lines that are struck out are none.",
            "items": {"type": "object", "properties": _ITEM_FIELDS},
        },
        "deliveries": {
            "type": "array",
            "description": "Every line of the delivery tables inside the items.",
            "items": {
                "type": "object",
                "properties": {
                    "reference": _text('Under "REF".'),
                    "item_number": _text("The number of the item in which the table stands."),
                    "delivery_date": _day('Under "DEL. DATE".'),
                    "quantity": {"type": "integer", "description": 'Under "QTY".'},
                    "ship_to": _text('Under "SHIP TO".'),
                },
            },
        },
    },
}
_NULL_TOKENS: Final = {"null_tokens": ["—", "N/A"]}
_RULES: Final[dict[str, Json]] = {
    "fields": {
        "contract_number": {"comparator": "identifier"},
        "total_amount": {"comparator": "currency"},
        "periods[].subtotal": {"comparator": "currency"},
        "line_items[].item_number": {"comparator": "identifier"},
        "line_items[].parent_item": {"comparator": "identifier"},
        "line_items[].service_code": {"comparator": "identifier"},
        "line_items[].stock_number": {"comparator": "identifier"},
        "line_items[].quantity": _NULL_TOKENS,
        "line_items[].unit": _NULL_TOKENS,
        "line_items[].unit_price": {"comparator": "currency", **_NULL_TOKENS},
        "line_items[].amount": {"comparator": "currency", "null_tokens": ["—", "N/A", "NSP"]},
        "deliveries[].reference": {"comparator": "identifier"},
        "deliveries[].item_number": {"comparator": "identifier"},
    },
    "identity": {"line_items": ["item_number"], "periods": ["period"], "deliveries": ["reference"]},
}


def invent(invention: Invention, rows: int, on: Switches) -> list[Record]:
    """The same work in each year, at a price that rises; options have the numbers from 1001, 2001 and so on."""
    years = min(5, max(1, rows // 6))
    plan = _plan(invention, rows - rows // years * (years - 1), on)
    start = date(invention.integer(2020, 2025), 10, 1)
    step = max(1_000, 10 ** len(plan[-1]["item_number"].strip(f"0{_SUFFIXES}")))
    records: list[Record] = []
    for year in range(years):
        count = len(plan) if year == 0 else rows // years
        records += [_in_year(line, year, start, step) for line in plan[:count]]
    return records


def _plan(invention: Invention, count: int, on: Switches) -> list[Record]:
    """The lines of one year; the families of work come again for each installation."""
    lines: list[Record] = []
    items = 0
    while len(lines) < count:
        place = f", {invention.choice('FORT', 'CAMP', 'NAVAL STATION')} {invention.last_name().upper()}"
        for family in FAMILIES:
            items += 1
            lines += _family(invention, family, place, items, on)
            if len(lines) >= count:
                break
    return lines[:count]


def _family(invention: Invention, family: Family, place: str, item: int, on: Switches) -> Iterator[Record]:
    """A line item and its sub-lines."""
    number = f"{item:04}"
    yield _line(invention, family, number, family.title + place, None)
    works = invention.random.sample(family.works, min(len(family.works), invention.integer(2, 6)))
    lines: list[Record] = []
    for title, price in works:
        lines.append(_line(invention, family, number, title, price))
        if "row-like-text" in on and invention.chance(0.4):
            lines[-1]["narrative"] += _row_like(invention, lines[-1])
        if "near-duplicates" in on and invention.chance(0.25):
            quantity = invention.pick(family.quantities)
            lines.append({**lines[-1], "quantity": quantity, "amount": lines[-1]["unit_price"] * quantity})
    for suffix, line in zip(_SUFFIXES, lines, strict=False):
        yield {**line, "item_number": f"{number}A{suffix}"}


def _line(invention: Invention, family: Family, number: str, title: str, price: int | None) -> Record:
    """A line item, or with ``price`` one of its sub-lines."""
    is_sub_line = price is not None
    paragraph = f"{invention.integer(1, 9)}.{invention.integer(1, 12)}.{invention.integer(1, 6)}"
    narrative = invention.pick(family.details) if is_sub_line else family.about
    about = price or family.price
    quantity = invention.pick(family.quantities) if about or family.is_data else None
    unit_price = _price(invention, about) if about else None
    return {
        "item_number": number,
        "parent_item": number if is_sub_line else None,
        "period": None,
        "title": title,
        "narrative": narrative.format(paragraph=paragraph, exhibit=invention.code("?00#"), title=title),
        "contract_type": family.contract_type,
        "service_code": family.service_code,
        "stock_number": invention.code("####-01-###-####") if family.is_supply and is_sub_line else None,
        "quantity": quantity,
        "unit": None if quantity is None else family.unit,
        "unit_price": unit_price,
        "amount": None if unit_price is None or quantity is None else unit_price * quantity,
        "price_note": "NSP" if family.is_data else None,
        "pop_start": None,
        "pop_end": None,
        "months": family.months,
    }


def _price(invention: Invention, about: int) -> Decimal:
    price = invention.money(about * 0.8, about * 1.25)
    return Decimal(round(price)).quantize(_ZERO) if about > 1_000 else price


def _row_like(invention: Invention, line: Record) -> str:
    """A sentence of which a part looks like another line of the table."""
    other = f"{invention.integer(1, 40):04}A{invention.choice(*_SUFFIXES[:6])}"
    quantity, price = invention.integer(2, 60), line["unit_price"] * Decimal("0.9")
    return f" Supersedes {other} {line['title']} {quantity} {line['unit']} ${price:,.2f} of the prior contract."


def _in_year(line: Record, year: int, start: date, step: int) -> Record:
    """A line as it is in the base year, 0, or in an option year."""
    first = date(start.year + year, start.month, start.day)
    last = date(first.year + 1, first.month, first.day) - timedelta(days=1)
    price: Decimal | None = line["unit_price"]
    if price is not None:
        price = (price * _ESCALATION**year).quantize(_ZERO)
    months = line["months"]
    record = {
        **line,
        "item_number": _renumbered(line["item_number"], year * step),
        "parent_item": line["parent_item"] and _renumbered(line["parent_item"], year * step),
        "period": "Base Period" if year == 0 else f"Option Period {year}",
        "unit_price": price,
        "amount": None if price is None else price * line["quantity"],
        "pop_start": first.isoformat(),
        "pop_end": (last if months is None else first + timedelta(days=30 * months - 1)).isoformat(),
    }
    del record["months"]
    return record


def _renumbered(number: str, by: int) -> str:
    digits = number.rstrip(_SUFFIXES)
    return f"{int(digits) + by:04}{number[len(digits) :]}"


def compose(records: Sequence[Record], invention: Invention, on: Switches) -> Composed:
    """The schedule with its head, its periods and their totals, and the delivery tables."""
    names = list(dict.fromkeys(record["period"] for record in records))
    items = sorted(records, key=lambda record: names.index(record["period"]))
    periods: list[Record] = []
    for name in names:
        own = [item for item in items if item["period"] == name]
        periods.append(
            {
                "period": name,
                "period_start": min(item["pop_start"] for item in own),
                "period_end": max(item["pop_end"] for item in own),
                "subtotal": sum((item["amount"] or _ZERO for item in own), _ZERO),
            }
        )
    office = invention.choice("Contracting Command", "Contracting Center", "Contracting Squadron")
    trade = invention.choice("Federal Services", "Government Solutions", "Technical Services", "Support Group")
    start = date.fromisoformat(periods[0]["period_start"])
    fiscal_year = (start.year + (start.month >= 10)) % 100
    value: dict[str, Json] = {
        "contract_number": f"{invention.code('W9###?')}-{fiscal_year:02}-C-{invention.code('00##')}",
        "contractor": f"{invention.last_name()} {trade}, {invention.choice('LLC', 'Inc.')}",
        "issued_by": f"{invention.town()} {office}",
        "effective_date": periods[0]["period_start"],
        "item_count": len(items),
        "total_amount": sum((period["subtotal"] for period in periods), _ZERO),
        "periods": periods,
        "line_items": items,
        "deliveries": _deliveries(items, invention) if "delivery-tables" in on else [],
    }
    return Composed(value, {"voids": _voids(items, invention) if "voids" in on else []})


def _deliveries(items: Sequence[Record], invention: Invention) -> list[Record]:
    """Goods of which several are ordered come in two to four deliveries."""
    new_reference = invention.distinct(lambda: invention.code("D#####"))
    found: list[Record] = []
    for item in items:
        left = item["quantity"] or 0
        if item["stock_number"] is None or left < 4:
            continue
        day = date.fromisoformat(item["pop_start"])
        for rest in range(invention.integer(1, 3), -1, -1):
            day += timedelta(days=invention.integer(20, 75))
            place = invention.place()
            found.append(
                {
                    "reference": new_reference(),
                    "item_number": item["item_number"],
                    "delivery_date": day.isoformat(),
                    "quantity": left - rest if rest == 0 else invention.integer(1, left - rest),
                    "ship_to": f"{invention.code('?#####')} {place.city.upper()} {place.state}",
                }
            )
            left -= found[-1]["quantity"]
    return found


def _voids(items: Sequence[Record], invention: Invention) -> list[Json]:
    """Reserved numbers, and lines that a modification deleted, each with the number of the item that it precedes."""
    voids: list[Json] = []
    for at, (before, item) in enumerate(pairwise(items), start=1):
        parent = before["parent_item"]
        if item["parent_item"] is None and parent is not None and invention.chance(0.3):
            following = _SUFFIXES[(_SUFFIXES.find(before["item_number"][-1]) + 1) % len(_SUFFIXES)]
            voids.append({"before": at, "record": {"item_number": f"{parent}A{following}", "title": "RESERVED"}})
        elif item["parent_item"] == parent is not None and item["amount"] is not None and invention.chance(0.05):
            kept = {name: item[name] for name in ("title", "quantity", "unit", "unit_price", "amount", "price_note")}
            number = f"{parent}B{invention.choice(*_SUFFIXES)}"
            note = f"Deleted by modification P000{invention.integer(10, 40)}"
            voids.append({"before": at, "record": {**kept, "item_number": number}, "note": note})
    return voids


def check(value: dict[str, Any]) -> Iterator[str]:
    """Amounts that are no product, periods whose total is not that of their items, deliveries that do not add up."""
    items = {item["item_number"]: item for item in value["line_items"]}
    if len(items) < len(value["line_items"]):
        yield "line_items: two items have the same number"
    sections = list(dict.fromkeys(item["period"] for item in value["line_items"]))
    if [period["period"] for period in value["periods"]] != sections:
        yield f"periods: must be those of the items, in their order: {', '.join(sections)}"
    totals: dict[str, Decimal] = {}
    for at, item in enumerate(value["line_items"]):
        yield from _item_faults(f"line_items[{at}]", item, items)
        totals[item["period"]] = totals.get(item["period"], _ZERO) + (item["amount"] or _ZERO)
    for at, period in enumerate(value["periods"]):
        added = totals.get(period["period"], _ZERO)
        if period["subtotal"] != added:
            yield f"periods[{at}].subtotal: says {period['subtotal']}, and the items of the period add up to {added}"
    delivered: Counter[str] = Counter()
    for delivery in value["deliveries"]:
        delivered[delivery["item_number"]] += delivery["quantity"]
    for number, count in delivered.items():
        ordered = items[number]["quantity"] if number in items else None
        if count != ordered:
            yield f"deliveries: {count} of item {number} are delivered, and {ordered} are ordered"


def _item_faults(path: str, item: dict[str, Any], items: dict[str, Any]) -> Iterator[str]:
    price, quantity, said = item["unit_price"], item["quantity"], item["amount"]
    if None not in (price, quantity, said) and price * quantity != said:
        yield f"{path}.amount: says {said}, and {quantity} times {price} is {price * quantity}"
    if said is not None and item["price_note"] is not None:
        yield f"{path}.price_note: stands in the place of an amount, and the amount is {said}"
    if item["parent_item"] is not None and item["parent_item"] not in items:
        yield f"{path}.parent_item: there is no item {item['parent_item']}"


PATTERN: Final = Pattern(
    name="clin-schedule",
    about="a US government contract's schedule: line items and sub-lines by base and option years",
    type="contract line item schedule",
    domain="government",
    records="line_items",
    rows=552,
    most_rows=30_000,
    font="sans",
    schema=_SCHEMA,
    rules=_RULES,
    switches={
        **HEADER_SWITCHES,
        "keys-once": "a period's heading stands once, and items say when they are performed only if it differs",
        "carried": "each page ends and begins with a carried amount",
        "clin-totals": "a total after the sub-lines of each line item",
        "voids": "reserved numbers and deleted lines, which are no items",
        "near-duplicates": "sub-lines that differ in their number and their quantity only",
        "delivery-tables": "a table of deliveries inside the text of an item",
        "null-marks": "what is not given is blank, a dash or N/A",
        "row-like-text": "narratives of which a line looks like another item",
        "split-items": "an item may begin on one page and end on the next",
    },
    invent=invent,
    compose=compose,
    draw=draw,
    check=check,
    tags=("T1", "G1", "G2"),
    switch_tags={
        **HEADER_TAGS,
        "keys-once": ("S3",),
        "split-items": ("S3",),
        "delivery-tables": ("S5",),
    },
    sums=(
        Sum("item_count", "line_items", counts=True),
        Sum("total_amount", "line_items[].amount"),
        Sum("total_amount", "periods[].subtotal"),
    ),
)
