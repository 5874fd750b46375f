"""The fields of an application for business registration: what each is called, and what may stand in it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple

from groundtruth.jsontext import Json


class Entry(Enum):
    """How a field is filled in."""

    TEXT = "text"
    CODE = "code"
    COMB = "comb"
    DATE = "date"
    COUNT = "count"
    MONEY = "money"
    CHOICE = "choice"
    TICK = "tick"
    YES_NO = "yes or no"


class Field(NamedTuple):
    """A field.

    Attributes:
        label: what is printed beside or above it.
        entry: how it is filled in.
        cells: of a comb, how many cells each group has.
        options: of a choice, what can be ticked.
        needed: whether it is never left blank.
        about: what the schema says of it.
    """

    label: str
    entry: Entry = Entry.TEXT
    cells: tuple[int, ...] = ()
    options: tuple[str, ...] = ()
    needed: bool = False
    about: str = ""


MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
REASONS: Final = ("New business", "Change of ownership", "Additional location", "Reinstatement")
ORGANIZATIONS: Final = (
    "Sole proprietor",
    "Partnership",
    "Limited liability company",
    "Corporation",
    "S corporation",
    "Nonprofit",
    "Trust or estate",
    "Government",
)
METHODS: Final = ("Cash", "Accrual")
FREQUENCIES: Final = ("Monthly", "Quarterly", "Annually")
ACCOUNT_KINDS: Final = ("Checking", "Savings")

_PHONE: Final = (3, 3, 4)
_DIGITS: Final = "Its characters without what separates them."

FIELDS: Final[Mapping[str, Field]] = {
    "reason": Field("1  Reason for this application (check one)", Entry.CHOICE, options=REASONS, needed=True),
    "effective_date": Field("2  Effective date (MM / DD / YYYY)", Entry.DATE, (2, 2, 4), needed=True),
    "prior_account": Field("3  Prior account number, if any", Entry.CODE),
    "legal_name": Field("4  Legal name of business or owner", needed=True),
    "trade_name": Field("5  Trade name (doing business as)"),
    "fein": Field("6  Federal employer ID number", Entry.COMB, (2, 7), about=_DIGITS),
    "naics": Field("7  NAICS code", Entry.COMB, (6,)),
    "state_formed": Field("8  State formed", Entry.COMB, (2,)),
    "date_formed": Field("9  Date formed", Entry.DATE),
    "organization": Field("10  Type of organization (check one)", Entry.CHOICE, options=ORGANIZATIONS, needed=True),
    "street": Field("11  Street address (not a PO box)", needed=True),
    "unit": Field("12  Suite or unit"),
    "county": Field("13  County"),
    "city": Field("14  City", needed=True),
    "state": Field("15  State", Entry.COMB, (2,), needed=True),
    "postcode": Field("16  ZIP code", Entry.CODE, needed=True),
    "phone": Field("17  Business telephone", Entry.COMB, _PHONE, about=_DIGITS),
    "fax": Field("18  Fax", Entry.COMB, _PHONE, about=_DIGITS),
    "email": Field("19  E-mail address"),
    "website": Field("20  Website"),
    "mail_same": Field("Same as the business location. Leave 21 to 25 blank.", Entry.TICK),
    "mail_care_of": Field("21  In care of"),
    "mail_street": Field("22  Mailing address or PO box"),
    "mail_city": Field("23  City"),
    "mail_state": Field("24  State", Entry.COMB, (2,)),
    "mail_postcode": Field("25  ZIP code", Entry.CODE),
    "activity": Field("26  Describe your business activity", needed=True),
    "products": Field("27  Main products or services sold"),
    "first_sale": Field("28  Date of first sale in this state", Entry.DATE),
    "employees": Field("29  Employees", Entry.COUNT),
    "expected_sales": Field("30  Expected yearly sales ($)", Entry.MONEY),
    "accounting_method": Field("31  Accounting method", Entry.CHOICE, options=METHODS),
    "filing_frequency": Field("32  Filing frequency requested", Entry.CHOICE, options=FREQUENCIES),
    "sells_online": Field("33  Do you sell over the internet?", Entry.YES_NO),
    "sells_tobacco": Field("34  Do you sell tobacco or vapor products?", Entry.YES_NO),
    "has_locations": Field("35  Do you have other locations in this state?", Entry.YES_NO),
    "is_seasonal": Field("36  Is the business open for a part of the year only? If yes, check months.", Entry.YES_NO),
    **{f"open_{month.lower()}": Field(month, Entry.TICK) for month in MONTHS},
    "previous_owner": Field("37  If you bought the business: name of the previous owner"),
    "previous_account": Field("38  Previous owner's account number", Entry.CODE),
    "tax_sales": Field("Sales tax", Entry.TICK),
    "tax_use": Field("Consumer's use tax", Entry.TICK),
    "tax_withholding": Field("Employer withholding", Entry.TICK),
    "tax_unemployment": Field("Unemployment insurance", Entry.TICK),
    "tax_lodging": Field("Transient lodging tax", Entry.TICK),
    "tax_fuel": Field("Motor fuel tax", Entry.TICK),
    "tax_tobacco": Field("Tobacco products tax", Entry.TICK),
    "tax_rental": Field("Vehicle rental tax", Entry.TICK),
    "bank_name": Field("39  Name of bank"),
    "account_kind": Field("40  Kind of account", Entry.CHOICE, options=ACCOUNT_KINDS),
    "routing_number": Field("41  Routing number", Entry.COMB, (9,)),
    "account_number": Field("42  Account number", Entry.COMB, (12,)),
    "ownership_total": Field("Total of all owners, %", Entry.COUNT, needed=True, about="In percent, of all owners."),
    "encloses_charter": Field("Articles, charter or partnership agreement", Entry.TICK),
    "encloses_lease": Field("Lease or deed of the business location", Entry.TICK),
    "encloses_ids": Field("Copies of the owners' identification", Entry.TICK),
    "encloses_power": Field("Power of attorney for the contact person", Entry.TICK),
    "contact_name": Field("44  Contact person", needed=True),
    "contact_title": Field("45  Title"),
    "contact_phone": Field("46  Telephone", Entry.COMB, _PHONE, about=_DIGITS),
    "contact_email": Field("47  E-mail address"),
    "may_discuss": Field("The Department may discuss this application with the contact person.", Entry.TICK),
    "is_paperless": Field("Send notices by e-mail only.", Entry.TICK),
    "signature": Field("48  Signature", about="The name as signed; null if nobody signed."),
    "signed_on": Field("49  Date", Entry.DATE),
    "signer_name": Field("50  Printed name"),
    "signer_title": Field("51  Title"),
    "second_signature": Field("52  Second signature, if required"),
    "second_signed_on": Field("53  Date", Entry.DATE),
}
OWNER_FIELDS: Final[Mapping[str, Field]] = {
    "name": Field("Name (last, first, middle)", needed=True),
    "title": Field("Title"),
    "id_number": Field("Driver license or ID no.", Entry.CODE),
    "born": Field("Date of birth", Entry.DATE),
    "home_address": Field("Home address", about="Ditto marks repeat the address above."),
    "share": Field("% owned", Entry.COUNT, about="In whole percent."),
}
_HEAD: Final[dict[str, Json]] = {
    "agency": {"type": "string", "description": "The office that the form goes to, over its title."},
    "form_number": {"type": "string", "description": 'Under the title, after "Form".'},
}
_TYPES: Final = {Entry.COUNT: "integer", Entry.MONEY: "number", Entry.TICK: "boolean", Entry.YES_NO: "boolean"}
_COMPARATORS: Final = {Entry.CODE: "identifier", Entry.COMB: "identifier", Entry.MONEY: "currency"}
NULL_MARKS: Final = ("N/A", "—")


def schema() -> dict[str, Json]:
    """The schema of the form: a field a leaf, and the table of the owners."""
    owner = {name: _node(field) for name, field in OWNER_FIELDS.items()}
    return {
        "type": "object",
        "properties": {
            **_HEAD,
            **{name: _node(field) for name, field in FIELDS.items()},
            "owners": {
                "type": "array",
                "description": "Owners and officers, also those on added sheets. A line that is struck out is none.",
                "items": {"type": "object", "properties": owner},
            },
        },
    }


def _node(field: Field) -> dict[str, Json]:
    kind = _TYPES.get(field.entry, "string")
    is_never_null = field.needed or kind == "boolean"
    node: dict[str, Json] = {"type": kind if is_never_null else [kind, "null"]}
    if field.entry is Entry.CHOICE:
        node["enum"] = [*field.options] if field.needed else [*field.options, None]
    if field.entry is Entry.DATE:
        node["format"] = "date"
    label = field.label.split("  ")[-1].partition(" (")[0]
    return {**node, "description": f'In "{label}". {field.about}'.strip()}


def rules() -> dict[str, Json]:
    """The field rules: codes by their characters, dates month first, what is written for nothing."""
    fields = {**FIELDS, **{f"owners[].{name}": field for name, field in OWNER_FIELDS.items()}}
    found = {path: rule for path, field in fields.items() if (rule := _rule(field))}
    return {"fields": {"form_number": {"comparator": "identifier"}, **found}, "identity": {"owners": ["name"]}}


def _rule(field: Field) -> dict[str, Json]:
    rule: dict[str, Json] = {}
    if field.entry is Entry.DATE:
        rule = {"comparator": "date", "date_order": "MDY"}
    elif field.entry in _COMPARATORS:
        rule = {"comparator": _COMPARATORS[field.entry]}
    if not field.needed and field.entry not in (Entry.TICK, Entry.YES_NO, Entry.CHOICE):
        rule["null_tokens"] = [*NULL_MARKS]
    return rule
