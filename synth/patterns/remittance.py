"""A health payer's remittance advice: claims with their service lines, what was adjusted and why, and what is paid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Final

from groundtruth.jsontext import Json
from synth.content import Content
from synth.display import DisplayList
from synth.invention import Invention
from synth.pattern import Composed, Pattern, Record, Sum, Switches
from synth.patterns._remittance_claims import AMOUNTS, ZERO, adjustments_of, claims
from synth.patterns._remittance_pages import Advice

_TEXT: Final = {"type": "string"}
_OPTIONAL: Final = {"type": ["string", "null"]}
_DATE: Final = {"type": "string", "format": "date"}
_MONEY: Final = {"type": "number"}
_OWED: Final = {"type": ["number", "null"], "description": "0.00 is zero; blank, a dash and N/A are null."}

_LINE: Final[dict[str, Json]] = {
    "line_number": {"type": "integer"},
    "service_date": _DATE,
    "procedure_code": _TEXT,
    "modifiers": {"type": ["string", "null"], "description": "As printed, with a space between two."},
    "units": {"type": "integer"},
    "billed": _MONEY,
    "allowed": _MONEY,
    "deductible": _OWED,
    "coinsurance": _OWED,
    "copay": _OWED,
    "adjustment": {"type": "number", "description": "What the provider or the patient loses for the reason beside it."},
    "reason_code": {"type": ["string", "null"], "description": "Group and reason of the adjustment, such as CO-45."},
    "remark_code": _OPTIONAL,
    "paid": _MONEY,
}
_CLAIM: Final[dict[str, Json]] = {
    "claim_number": _TEXT,
    "patient_name": _TEXT,
    "member_id": _TEXT,
    "patient_account": {"type": ["string", "null"], "description": "The provider's own number for the patient."},
    "provider_name": {"type": "string", "description": "Who rendered the services, also if printed once above."},
    "provider_npi": _TEXT,
    "service_from": _DATE,
    "service_to": _DATE,
    "status": _TEXT,
    **dict.fromkeys(AMOUNTS, _MONEY),
    "service_lines": {"type": "array", "items": {"type": "object", "properties": _LINE}},
    "adjustments": {
        "type": "array",
        "description": "All that is billed and not paid, by reason, with what the patient owes.",
        "items": {"type": "object", "properties": {"reason_code": _TEXT, "amount": _MONEY}},
    },
}
_SCHEMA: Final[dict[str, Json]] = {
    "type": "object",
    "properties": {
        "payer": _TEXT,
        "payee": _TEXT,
        "payee_npi": _TEXT,
        "payee_tax_id": _TEXT,
        "payment_number": {"type": "string", "description": "Of the check or the electronic transfer."},
        "payment_method": {"type": "string", "description": "CHECK or EFT."},
        "payment_date": _DATE,
        "claim_count": {"type": "integer", "description": "Claims of this remittance, without those that are voided."},
        **{f"total_{name}": _MONEY for name in AMOUNTS},
        "total_provider_adjustments": {"type": "number", "description": "Less than 0, in brackets, is taken off."},
        "payment_amount": {"type": "number", "description": "The total paid and the provider adjustments together."},
        "remitted_claims": {
            "type": "array",
            "description": "Every claim. One that is marked VOIDED is none, and a subtotal is none.",
            "items": {"type": "object", "properties": _CLAIM},
        },
        "provider_adjustments": {
            "type": "array",
            "description": "What is added to or taken off the payment and belongs to no claim of this remittance.",
            "items": {
                "type": "object",
                "properties": {"reason_code": _TEXT, "reference": _TEXT, "amount": _MONEY},
            },
        },
    },
}
_NULL_TOKENS: Final = ["—", "N/A"]
_EACH: Final = "remitted_claims[]"
_CURRENCIES: Final = (
    *(f"total_{name}" for name in AMOUNTS),
    "total_provider_adjustments",
    "payment_amount",
    "provider_adjustments[].amount",
    f"{_EACH}.adjustments[].amount",
    *(f"{_EACH}.{name}" for name in AMOUNTS),
    *(f"{_EACH}.service_lines[].{name}" for name in AMOUNTS if name not in ("deductible", "coinsurance", "copay")),
)
_IDENTIFIERS: Final = (
    *("payee_npi", "payee_tax_id", "payment_number", "provider_adjustments[].reference"),
    *(f"{_EACH}.{name}" for name in ("claim_number", "member_id", "patient_account", "provider_npi")),
    f"{_EACH}.service_lines[].procedure_code",
)
_DATES: Final = (
    "payment_date",
    f"{_EACH}.service_from",
    f"{_EACH}.service_to",
    f"{_EACH}.service_lines[].service_date",
)
_RULES: Final[dict[str, Json]] = {
    "fields": {
        **{path: {"comparator": "currency"} for path in _CURRENCIES},
        **{path: {"comparator": "identifier"} for path in _IDENTIFIERS},
        **{path: {"comparator": "date", "date_order": "MDY"} for path in _DATES},
        **{
            f"{_EACH}.service_lines[].{name}": {"comparator": "currency", "null_tokens": _NULL_TOKENS}
            for name in ("deductible", "coinsurance", "copay")
        },
    },
    "identity": {
        "remitted_claims": ["claim_number"],
        "remitted_claims[].service_lines": ["line_number"],
        "remitted_claims[].adjustments": ["reason_code"],
        "provider_adjustments": ["reference"],
    },
}
_PAYERS: Final = ("Tillamar Health Plan", "Arden Mutual Health", "Kanona Community Care", "Marlow Benefit Trust")
_REASONS: Final = ("WO", "WO", "FB", "L6", "72")


def compose(records: Sequence[Record], invention: Invention, on: Switches) -> Composed:
    """The advice with its head, its totals and the adjustments of the whole payment."""
    listed = sorted(records, key=lambda claim: str(claim["provider_name"])) if "sections" in on else list(records)
    totals = {f"total_{name}": sum((claim[name] for claim in listed), ZERO) for name in AMOUNTS}
    adjustments = _provider_adjustments(invention, totals["total_paid"])
    adjusted = sum((one["amount"] for one in adjustments), ZERO)
    method = invention.choice("EFT", "EFT", "CHECK")
    value: dict[str, Json] = {
        "payer": invention.pick(_PAYERS),
        "payee": f"{invention.town()} {invention.choice('Medical Group', 'Family Practice', 'Clinic', 'Orthopedics')}",
        "payee_npi": invention.code("1#########"),
        "payee_tax_id": invention.code("##-#######"),
        "payment_number": invention.code("########") if method == "CHECK" else invention.code("EFT#########"),
        "payment_method": method,
        "payment_date": _day_after(listed, invention),
        "claim_count": len(listed),
        **totals,
        "total_provider_adjustments": adjusted,
        "payment_amount": totals["total_paid"] + adjusted,
        "remitted_claims": listed,
        "provider_adjustments": adjustments,
    }
    aside: dict[str, Json] = {
        "payer_address": _address(invention),
        "payee_address": _address(invention),
        "voided": _voided(listed, invention) if "voids" in on else [],
    }
    return Composed(value, aside)


def _day_after(listed: Sequence[Record], invention: Invention) -> str:
    """A day some weeks after the last service."""
    last = max(str(claim["service_to"]) for claim in listed)
    return (date.fromisoformat(last) + timedelta(days=invention.integer(9, 34))).isoformat()


def _address(invention: Invention) -> list[Json]:
    place = invention.place()
    return [place.street, f"{place.city}, {place.state} {place.postcode}"]


def _provider_adjustments(invention: Invention, paid: Decimal) -> list[dict[str, Json]]:
    """One to four amounts, most of them taken off, and together less than a half of what the claims pay."""
    new_reference = invention.distinct(lambda: invention.code("#############"))
    made: list[dict[str, Json]] = []
    for _ in range(invention.integer(1, 4)):
        code = invention.pick(_REASONS)
        is_interest = code == "L6"
        amount = invention.skewed(0.01, max(float(paid) * (0.004 if is_interest else 0.1), 0.05), 2)
        made.append({"reason_code": code, "reference": new_reference(), "amount": amount if is_interest else -amount})
    return made


def _voided(listed: Sequence[Record], invention: Invention) -> list[Json]:
    """Earlier forms of claims that are printed and void, each with the number of the claim that it precedes."""
    voided: list[Json] = []
    for at, claim in enumerate(listed):
        if claim["service_lines"] and (invention.chance(0.1) or at == len(listed) // 2):
            number = str(claim["claim_number"])
            earlier = {**claim, "claim_number": f"{number[:-2]}{invention.code('##')}", "status": "VOIDED"}
            if earlier["claim_number"] != number:
                voided.append({"before": at, "claim": earlier})
    return voided


def check(value: dict[str, Any]) -> Iterator[str]:
    """What does not follow from one another: the payment, what each line pays, and the reasons of each claim."""
    together = value["total_paid"] + value["total_provider_adjustments"]
    if value["payment_amount"] != together:
        yield f"payment_amount: says {value['payment_amount']}, and {together} follows from the totals"
    for at, claim in enumerate(value["remitted_claims"]):
        path = f"remitted_claims[{at}]"
        for number, line in enumerate(claim["service_lines"]):
            owed = sum((line[name] or ZERO for name in ("deductible", "coinsurance", "copay")), ZERO)
            if line["paid"] != line["billed"] - line["adjustment"] - owed:
                yield f"{path}.service_lines[{number}].paid: says {line['paid']}, and its amounts give another"
        said = {one["reason_code"]: one["amount"] for one in claim["adjustments"]}
        follow = {one["reason_code"]: one["amount"] for one in adjustments_of(claim["service_lines"])}
        if said != follow:
            yield f"{path}.adjustments: are not what its service lines add up to by reason"


def draw(content: Content) -> DisplayList:
    """The whole advice."""
    return Advice(content).draw()


PATTERN: Final = Pattern(
    name="remittance",
    about="a health payer's remittance advice: claims with service lines, reasons and reconciling totals",
    type="remittance advice",
    domain="healthcare",
    records="remitted_claims",
    rows=120,
    font="narrow",
    schema=_SCHEMA,
    rules=_RULES,
    switches={
        "lines-in-cell": "the service lines of a claim are a table inside a cell",
        "two-tier-header": "a header of two tiers",
        "header-once": "no header on later pages, nor where a claim goes on",
        "split-claims": "a claim may begin on one page and end on the next",
        "sections": "rendering providers are headings, printed once",
        "subtotals": "each page ends with a subtotal of its claims",
        "voids": "earlier forms of claims that are voided and are none",
        "near-duplicates": "corrected claims again, under a number that differs in a digit",
        "null-marks": "what does not apply is blank, a dash or N/A, beside amounts of 0.00",
    },
    invent=claims,
    compose=compose,
    draw=draw,
    check=check,
    tags=("T1", "S5", "G1"),
    switch_tags={"two-tier-header": ("S1",), "header-once": ("S3",), "sections": ("S3",), "split-claims": ("S3",)},
    sums=(
        Sum("claim_count", "remitted_claims", counts=True),
        *(Sum(f"total_{name}", f"{_EACH}.{name}") for name in AMOUNTS),
        *(Sum(f"{_EACH}.{name}", f"{_EACH}.service_lines[].{name}") for name in AMOUNTS),
        Sum("total_provider_adjustments", "provider_adjustments[].amount"),
    ),
)
