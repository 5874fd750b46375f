"""An application for business registration, printed as a paper form and filled in by hand or by machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from groundtruth.jsontext import Json
from synth.book import Book
from synth.content import Content
from synth.display import DisplayList
from synth.invention import Invention
from synth.pattern import Composed, Pattern, Record, Sum, Switches
from synth.patterns._form_boxes import Form
from synth.patterns._form_fields import (
    ACCOUNT_KINDS,
    FIELDS,
    FREQUENCIES,
    METHODS,
    MONTHS,
    NULL_MARKS,
    ORGANIZATIONS,
    REASONS,
    Entry,
    rules,
    schema,
)
from synth.patterns._form_pages import FormPages
from synth.printed import short_date, us_date

_TITLES: Final = ("President", "Managing member", "Partner", "Secretary", "Treasurer", "Vice president", "Owner")
_ACTIVITIES: Final = (
    "Retail sale of household goods and small appliances from one store, with delivery in the county",
    "Repair of cars and light trucks, sale of used parts, towing on request",
    "Bakery and coffee shop with seats for thirty guests, catering for private parties on weekends",
    "Installation and service of heating and cooling equipment in homes and small offices",
    "Rental of kayaks and bicycles to visitors, guided tours, sale of snacks and soft drinks",
)
_PRODUCTS: Final = (
    "Household goods",
    "Auto parts, labor",
    "Baked goods, coffee",
    "Furnaces, service",
    "Rentals, tours",
)
_STATES: Final = ("Marlow", "Jefferson", "Kanona", "West Arden", "Tillamar")
_TICKS: Final = tuple(name for name, field in FIELDS.items() if field.entry is Entry.TICK)
_NAMES: Final = ("trade_name", "contact_name", "bank_name", "city", "county", "street", "contact_title")
"""Fields in which people write the wrong thing first."""


def invent(invention: Invention, rows: int, on: Switches) -> list[Record]:
    """The owners and officers, whose shares come to 100 percent."""
    new_name = invention.distinct(lambda: _last_first(invention))
    shares = _shares(invention, rows)
    records: list[Record] = []
    for share in shares:
        place = invention.place()
        address: str | None = f"{place.street}, {place.city} {place.state} {place.postcode}"
        if invention.chance(0.08):
            address = None
        elif records and ("ditto" in on or invention.chance(0.3)) and invention.chance(0.5):
            address = records[-1]["home_address"]
        records.append(
            {
                "name": new_name(),
                "title": invention.pick(_TITLES) if invention.chance(0.9) else None,
                "id_number": invention.code("?###-####-####") if invention.chance(0.85) else None,
                "born": invention.day(date(1946, 1, 1), 20_000),
                "home_address": address,
                "share": share,
            }
        )
    return records


def _last_first(invention: Invention) -> str:
    middle = f" {invention.code('?')}" if invention.chance(0.5) else ""
    return f"{invention.last_name()}, {invention.first_name()}{middle}"


def _shares(invention: Invention, rows: int) -> list[int]:
    """Whole percents that come to 100, the larger ones first; officers beyond own nothing."""
    weights = [invention.integer(1, 10) for _ in range(min(rows, 20))]
    shares = [100 * weight // sum(weights) for weight in weights]
    shares[0] += 100 - sum(shares)
    return [*sorted(shares, reverse=True), *[0] * (rows - len(shares))]


def compose(records: Sequence[Record], invention: Invention, on: Switches) -> Composed:
    """The application of an invented business, and how it was filled in."""
    head = f"State of {invention.pick(_STATES)}, Department of Revenue"
    value: dict[str, Json] = {"agency": head, "form_number": f"BR-{invention.integer(1, 9)}00"}
    day = date.fromisoformat(invention.day())
    value |= _business(invention, day, on)
    value |= _mailing(invention, on)
    value |= _activity(invention, day)
    value |= _accounts(invention)
    value |= {"ownership_total": sum(record["share"] or 0 for record in records), "owners": list(records)}
    value |= _people(records, invention, day, on)
    in_order = {name: value[name] for name in ("agency", "form_number", *FIELDS, "owners")}
    return Composed(in_order, _filled_in(in_order, invention, on))


def _business(invention: Invention, day: date, on: Switches) -> dict[str, Json]:
    """Parts A to C; ``day`` is that on which the form is signed."""
    place = invention.place()
    legal_name = invention.company()
    slug = "".join(filter(str.isalnum, legal_name.lower())).encode("ascii", "ignore").decode()[:18] or "business"
    reason = invention.pick(REASONS, (6, 2, 1, 1))
    formed = day - timedelta(days=invention.integer(3, 4_000))
    long = f"/stores/{invention.code('??').lower()}-main-street/contact" if "beyond-box" in on else ""
    return {
        "reason": reason,
        "effective_date": _near(invention, day),
        "prior_account": None if reason == REASONS[0] else invention.code("##-######-#"),
        "legal_name": legal_name,
        "trade_name": f"The {invention.last_name()} Company" if invention.chance(0.6) else None,
        "fein": invention.code("#########") if invention.chance(0.9) else None,
        "naics": invention.code("4#####") if invention.chance(0.7) else None,
        "state_formed": place.state if invention.chance(0.85) else None,
        "date_formed": formed.isoformat() if invention.chance(0.8) else None,
        "organization": invention.pick(ORGANIZATIONS, (4, 3, 6, 5, 2, 1, 1, 1)),
        "street": place.street if not place.street.startswith("PO ") else f"{invention.integer(2, 9899)} Main St",
        "unit": invention.choice("2B", "Ste 400", "Rear", "Unit 7") if invention.chance(0.3) else None,
        "county": invention.last_name() if invention.chance(0.8) else None,
        "city": place.city,
        "state": place.state,
        "postcode": place.postcode,
        "phone": _phone(invention),
        "fax": _phone(invention) if invention.chance(0.3) else None,
        "email": f"office@{slug}.example" if invention.chance(0.9) else None,
        "website": f"www.{slug}.example{long}" if invention.chance(0.5) or long else None,
    }


def _near(invention: Invention, day: date) -> str:
    return (day + timedelta(days=invention.integer(-40, 60))).isoformat()


def _phone(invention: Invention) -> str:
    return "".join(filter(str.isdigit, invention.phone()))


def _mailing(invention: Invention, on: Switches) -> dict[str, Json]:
    """Part D: blank where the mail goes to the business itself."""
    names = ("mail_care_of", "mail_street", "mail_city", "mail_state", "mail_postcode")
    is_same = invention.chance(0.5) and "beyond-box" not in on
    if is_same:
        return {"mail_same": True, **dict.fromkeys(names)}
    place = invention.place()
    house = f"{invention.integer(2, 980)} Industrial Park" if place.street.startswith("PO ") else place.street
    street = f"{house}, Building {invention.integer(2, 9)}, Mail Stop {invention.code('##?')}"
    care_of = invention.person() if invention.chance(0.4) else None
    return {
        "mail_same": False,
        "mail_care_of": care_of,
        "mail_street": street if "beyond-box" in on else place.street,
        "mail_city": place.city,
        "mail_state": place.state,
        "mail_postcode": place.postcode,
    }


def _activity(invention: Invention, day: date) -> dict[str, Json]:
    """Part E."""
    at = invention.integer(0, len(_ACTIVITIES) - 1)
    is_seasonal = invention.chance(0.3)
    first, last = sorted((invention.integer(0, 11), invention.integer(0, 11)))
    was_bought = invention.chance(0.3)
    return {
        "activity": _ACTIVITIES[at],
        "products": _PRODUCTS[at] if invention.chance(0.85) else None,
        "first_sale": _near(invention, day) if invention.chance(0.8) else None,
        "employees": invention.integer(0, 60) if invention.chance(0.85) else None,
        "expected_sales": Decimal(1000 * invention.integer(20, 2400)) if invention.chance(0.85) else None,
        "accounting_method": invention.pick(METHODS) if invention.chance(0.9) else None,
        "filing_frequency": invention.pick(FREQUENCIES) if invention.chance(0.9) else None,
        "sells_online": invention.chance(0.5),
        "sells_tobacco": invention.chance(0.15),
        "has_locations": invention.chance(0.25),
        "is_seasonal": is_seasonal,
        **{f"open_{month.lower()}": is_seasonal and first <= number <= last for number, month in enumerate(MONTHS)},
        "previous_owner": invention.company() if was_bought else None,
        "previous_account": invention.code("##-######-#") if was_bought and invention.chance(0.7) else None,
    }


def _accounts(invention: Invention) -> dict[str, Json]:
    """Parts F, G and I."""
    ticks = {name: invention.chance(0.4) for name in _TICKS if name.startswith(("tax_", "encloses_"))}
    has_bank = invention.chance(0.8)
    return {
        **ticks,
        "tax_sales": True,
        "bank_name": f"{invention.town()} Savings Bank" if has_bank else None,
        "account_kind": invention.pick(ACCOUNT_KINDS) if has_bank else None,
        "routing_number": invention.code("0########") if has_bank else None,
        "account_number": invention.code("#########") if has_bank else None,
    }


def _people(records: Sequence[Record], invention: Invention, day: date, on: Switches) -> dict[str, Json]:
    """Parts J and K: who may be asked, and who signs; the first owner does, and the second with him."""
    signer = _as_signed(records[0])
    contact = invention.person()
    mail = "".join(filter(str.isalpha, contact.lower())).encode("ascii", "ignore").decode() or "contact"
    host = "books-and-tax.example" if "beyond-box" in on else "mail.example"
    is_signed = invention.chance(0.92)
    has_second = is_signed and len(records) > 1 and invention.chance(0.3)
    return {
        "contact_name": contact,
        "contact_title": invention.choice("Bookkeeper", "Accountant", "Manager") if invention.chance(0.7) else None,
        "contact_phone": _phone(invention) if invention.chance(0.9) else None,
        "contact_email": f"{mail}@{host}" if invention.chance(0.8) or "beyond-box" in on else None,
        "may_discuss": invention.chance(0.7),
        "is_paperless": invention.chance(0.4),
        "signature": signer if is_signed else None,
        "signed_on": day.isoformat() if is_signed else None,
        "signer_name": signer,
        "signer_title": records[0]["title"],
        "second_signature": _as_signed(records[1]) if has_second else None,
        "second_signed_on": day.isoformat() if has_second else None,
    }


def _as_signed(owner: Record) -> str:
    last, _, first = str(owner["name"]).partition(", ")
    return f"{first} {last}".strip()


# How it was filled in


def _filled_in(value: Mapping[str, Json], invention: Invention, on: Switches) -> dict[str, Json]:
    """What is on the paper beside the values: how the hand moves, what was struck out, and what others noted."""
    strokes = [[invention.integer(0, 60), invention.integer(-8, 8), invention.integer(92, 104)] for _ in range(31)]
    aside: dict[str, Json] = {
        "pen": invention.choice("blue", "blue", "black"),
        "mark": invention.choice("check", "cross"),
        "strokes": strokes,
        "received": short_date(_days_after(str(value["signed_on"] or value["effective_date"]), 12)),
    }
    if "corrections" in on:
        aside |= {"struck": _struck(value, invention), "unticked": _unticked(value, invention)}
        aside["struck_owner"] = _struck_owner(value["owners"], invention)
    if "null-marks" in on:
        aside["nulls"] = dict(_null_marks(value, invention))
    if "notes" in on:
        aside["notes"] = _notes(value, invention)
    return aside


def _days_after(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def _struck(value: Mapping[str, Json], invention: Invention) -> dict[str, Json]:
    """By field, what was written there first."""
    struck: dict[str, Json] = {}
    names = [name for name in _NAMES if value[name] is not None]
    for name in invention.random.sample(names, min(3, len(names))):
        struck[name] = _wrong(name, invention)
    if value["employees"] is not None:
        struck["employees"] = str(value["employees"] + 10)
    if value["first_sale"] is not None:
        struck["first_sale"] = us_date(_days_after(str(value["first_sale"]), 31))
    if value["fax"] is None and value["prior_account"] is None:
        struck["prior_account"] = invention.code("##-######-#")
    return struck


def _wrong(name: str, invention: Invention) -> str:
    if name in ("city", "county"):
        return invention.town()
    if name == "street":
        return invention.street()
    if name == "bank_name":
        return f"{invention.town()} Bank"
    return invention.choice("Owner", "Director") if name == "contact_title" else invention.person()


def _unticked(value: Mapping[str, Json], invention: Invention) -> dict[str, Json]:
    """Boxes that were ticked and then blotted out: of a choice the option, of a question or a tick only that it was."""
    wrong: dict[str, Json] = {}
    for name in ("reason", "filing_frequency"):
        others = [option for option in FIELDS[name].options if option != value[name]]
        if value[name] is not None:
            wrong[name] = invention.pick(others)
    blank = [name for name in _TICKS if name.startswith("tax_") and not value[name]]
    return {**wrong, "sells_online": True, **({blank[0]: True} if blank else {})}


def _struck_owner(owners: Sequence[Record], invention: Invention) -> dict[str, Json]:
    """A line of the table of owners that was struck out as a whole, and the number of the one that it precedes."""
    owner = {**owners[-1], "name": _last_first(invention), "share": 10, "id_number": invention.code("?###-####-####")}
    return {"before": len(owners) - 1, "owner": owner}


def _null_marks(value: Mapping[str, Json], invention: Invention) -> Iterator[tuple[str, Json]]:
    """What is written in fields that hold nothing; most stay blank."""
    plain = (Entry.TEXT, Entry.CODE, Entry.DATE)
    for name, field in FIELDS.items():
        if value[name] is None and field.entry in plain and not field.cells and invention.chance(0.6):
            yield name, invention.choice(*NULL_MARKS)


def _notes(value: Mapping[str, Json], invention: Invention) -> list[Json]:
    """What a clerk noted in the margins; it looks like values and is none."""
    digits = str(value["fein"] or invention.code("#########"))
    other = f"{digits[:4]}{(int(digits[4]) + 3) % 10}{digits[5:]}"
    return [
        {"page": 1, "text": f"FEIN on letter: {other[:2]}-{other[2:]} ?"},
        {"page": 2, "text": f"copy of ID {invention.code('?###-####-####')} asked for"},
        {"page": 3, "text": f"called {invention.phone()}: {invention.integer(2, 40)} employees, says bookkeeper"},
    ]


def draw(content: Content) -> DisplayList:
    """The whole form."""
    book = Book(f"Form {content.value['form_number']}", str(content.value["agency"]), content.font)
    FormPages(Form(book, content)).draw()
    return book.drawn


PATTERN: Final = Pattern(
    name="form",
    about="a filled application for business registration: boxes, combs, ticks, a table of owners, signatures",
    type="application form",
    domain="government",
    records="owners",
    rows=3,
    font="hand",
    schema=schema(),
    rules=rules(),
    switches={
        "corrections": "entries that are struck through and corrected, ticks that are blotted out",
        "beyond-box": "values that run beyond their boxes into the margin",
        "notes": "notes of a clerk in the margins that look like values",
        "null-marks": "fields that hold nothing are blank, or say N/A or a dash",
        "ditto": "an address that is the one above is written as ditto marks",
    },
    invent=invent,
    compose=compose,
    draw=draw,
    tags=("T1", "P2", "G1"),
    sums=(Sum("ownership_total", "owners[].share"),),
)
