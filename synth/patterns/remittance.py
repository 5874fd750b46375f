"""A health payer's remittance advice: claims with their service lines, what was adjusted and why, and what is paid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Final

from groundtruth.jsontext import Json
from synth.content import Content
from synth.display import DisplayList
from synth.invention import Invention
from synth.pattern import HEADER_SWITCHES, HEADER_TAGS, Composed, Pattern, Record, Sum, Switches
from synth.patterns._remittance_claims import AMOUNTS, ZERO, adjustments_of, claims
from synth.patterns._remittance_pages import Advice

_KINDS: Final[Mapping[str, dict[str, Json]]] = {
    "text": {"type": "string"},
    "text?": {"type": ["string", "null"]},
    "date": {"type": "string", "format": "date"},
    "count": {"type": "integer"},
    "money": {"type": "number"},
    "money?": {"type": ["number", "null"]},
}
_OWED: Final = "0.00 is zero; blank, a dash and N/A are null."


def _fields(*fields: tuple[str, str, str]) -> dict[str, Json]:
    """The leaves of a record: name, kind, and where it stands, with the words that are printed there in quotes."""
    return {name: {**_KINDS[kind], "description": about} for name, kind, about in fields}


_LINE: Final = _fields(
    ("line_number", "count", 'Under "Ln".'),
    ("service_date", "date", 'Under "Serv. date".'),
    ("procedure_code", "text", 'Under "Proc.".'),
    ("modifiers", "text?", 'Under "Mods", as printed, with a space between two.'),
    ("units", "count", 'Under "Units".'),
    ("billed", "money", 'Under "Billed".'),
    ("allowed", "money", 'Under "Allowed".'),
    ("deductible", "money?", f'Under "Deduct.". {_OWED}'),
    ("coinsurance", "money?", f'Under "Coins.". {_OWED}'),
    ("copay", "money?", f'Under "Copay". {_OWED}'),
    ("adjustment", "money", 'Under "Adjustment": what is lost for the reason beside it.'),
    ("reason_code", "text?", 'Under "Grp-Rsn": group and reason of the adjustment, such as CO-45.'),
    ("remark_code", "text?", 'Under "Remark".'),
    ("paid", "money", 'Under "Paid".'),
)
_CLAIM: Final = {
    **_fields(
        ("claim_number", "text", 'After "Claim no.".'),
        ("patient_name", "text", 'After "Patient".'),
        ("member_id", "text", 'After "Member ID".'),
        ("patient_account", "text?", 'After "Patient acct.": the provider\'s own number for the patient.'),
        ("provider_name", "text", 'After "Provider": who rendered the services, also if printed once above.'),
        ("provider_npi", "text", 'After "NPI", also if printed once above.'),
        ("service_from", "date", 'After "Service", the first day.'),
        ("service_to", "date", 'After "Service", the last day.'),
        ("status", "text", 'After "Status".'),
        *((name, "money", 'In the line "Claim total".') for name in AMOUNTS),
    ),
    "service_lines": {
        "type": "array",
        "description": "Every service of the claim.",
        "items": {"type": "object", "properties": _LINE},
    },
    "adjustments": {
        "type": "array",
        "description": "All that is billed and not paid, by reason, with what the patient owes.",
        "items": {
            "type": "object",
            "properties": _fields(
                ("reason_code", "text", 'After "Adjustments": group and reason.'),
                ("amount", "money", "After its reason."),
            ),
        },
    },
}
_SCHEMA: Final[dict[str, Json]] = {
    "type": "object",
    "properties": {
        **_fields(
            ("payer", "text", "Who pays: over everything else."),
            ("payee", "text", 'Who is paid: under "PAY TO".'),
            ("payee_npi", "text", 'After "Provider NPI".'),
            ("payee_tax_id", "text", 'After "Tax ID".'),
            ("payment_number", "text", 'After "EFT number" or "Check number".'),
            ("payment_method", "text", 'After "Payment method": CHECK or EFT.'),
            ("payment_date", "date", 'After "Payment date".'),
            ("claim_count", "count", 'After "Claims": how many there are, without those that are voided.'),
            *((f"total_{name}", "money", f'After "{name.capitalize()}", of all claims.') for name in AMOUNTS),
            ("total_provider_adjustments", "money", 'After "Provider adjustments"; in brackets it is less than 0.'),
            ("payment_amount", "money", 'After "PAYMENT AMOUNT": what is paid on claims, with provider adjustments.'),
        ),
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
                "properties": _fields(
                    ("reason_code", "text", 'Under "Reason", without its meaning.'),
                    ("reference", "text", 'Under "Reference".'),
                    ("amount", "money", 'Under "Amount"; in brackets it is taken off.'),
                ),
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
        **HEADER_SWITCHES,
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
    most_rows=10_000,
    tags=("T1", "S5", "G1"),
    switch_tags={**HEADER_TAGS, "sections": ("S3",), "split-claims": ("S3",)},
    sums=(
        Sum("claim_count", "remitted_claims", counts=True),
        *(Sum(f"total_{name}", f"{_EACH}.{name}") for name in AMOUNTS),
        *(Sum(f"{_EACH}.{name}", f"{_EACH}.service_lines[].{name}") for name in AMOUNTS),
        Sum("total_provider_adjustments", "provider_adjustments[].amount"),
    ),
)
