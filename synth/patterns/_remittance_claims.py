"""Invented claims of a remittance advice: what was billed, allowed, adjusted and paid, line by line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Final, NamedTuple

from groundtruth.jsontext import Json
from synth.invention import Invention
from synth.pattern import Record, Switches

ZERO: Final = Decimal("0.00")
AMOUNTS: Final = ("billed", "allowed", "deductible", "coinsurance", "copay", "adjustment", "paid")
"""The amounts that a claim adds up from its service lines."""

PATIENT_CODES: Final[Mapping[str, str]] = {"deductible": "PR-1", "coinsurance": "PR-2", "copay": "PR-3"}
"""What the patient owes, by the reason code under which it is an adjustment."""

MEANINGS: Final[Mapping[str, str]] = {
    "CO-16": "Information needed to decide the claim is missing or wrong.",
    "CO-29": "The time limit for filing has passed.",
    "CO-45": "The charge is above the fee schedule or the contracted rate.",
    "CO-97": "Paid for as a part of another service of the same day.",
    "OA-23": "Reduced by what a prior payer paid or adjusted.",
    "PR-1": "Deductible.",
    "PR-2": "Coinsurance.",
    "PR-3": "Copayment.",
    "PR-204": "The service is not covered under the patient's plan.",
}
PROVIDER_REASONS: Final[Mapping[str, str]] = {
    "72": "Authorized return",
    "FB": "Forwarding balance",
    "L6": "Interest owed",
    "WO": "Overpayment recovery",
}
_DENIALS: Final = ("CO-16", "CO-29", "CO-97", "PR-204")
_DENIAL_SHARES: Final = (4, 1, 4, 2)
_REMARKS: Final[Mapping[str, tuple[str, ...]]] = {
    "CO-16": ("N382", "MA130", "M51"),
    "CO-97": ("M15", "N390"),
    "PR-204": ("N130",),
}
_STATUSES: Final = ("1 Primary", "2 Secondary", "4 Denied")


class _Procedure(NamedTuple):
    """A service: its code, the usual charge for a unit, the most units of a line, modifiers that go with it."""

    code: str
    charge: int
    units: int = 1
    modifiers: tuple[str, ...] = ()


_PROCEDURES: Final = (
    _Procedure("99213", 148, 1, ("25",)),
    _Procedure("99214", 214, 1, ("25", "95")),
    _Procedure("99203", 192, 1, ("25",)),
    _Procedure("99396", 236, 1, ("33",)),
    _Procedure("93000", 76),
    _Procedure("36415", 18),
    _Procedure("80053", 58, 1, ("90",)),
    _Procedure("85025", 42, 1, ("90", "91")),
    _Procedure("87880", 34, 1, ("QW",)),
    _Procedure("81002", 16),
    _Procedure("71046", 122, 1, ("26", "TC")),
    _Procedure("73721", 1480, 1, ("LT", "RT", "26 LT")),
    _Procedure("20610", 196, 1, ("LT", "RT", "50", "59 RT")),
    _Procedure("J3301", 9, 8),
    _Procedure("97110", 49, 4, ("GP", "GP KX")),
    _Procedure("97140", 47, 2, ("GP", "59 GP")),
    _Procedure("90834", 142, 1, ("95",)),
    _Procedure("90471", 32),
    _Procedure("90686", 28),
    _Procedure("45380", 1165, 1, ("59", "33")),
    _Procedure("11042", 188, 3, ("LT", "RT", "XS")),
)
_VISITS: Final = _PROCEDURES[:3]
_LINES: Final = (1, 2, 3, 4, 6, 9, 14)
_LINE_SHARES: Final = (22, 26, 20, 14, 9, 6, 3)


class _Terms(NamedTuple):
    """What holds for all lines of a claim: the rate that is allowed, and what the patient owes of it."""

    rate: float
    deductible: Decimal
    coinsurance: int
    copay: Decimal
    owes: bool


def claims(invention: Invention, rows: int, on: Switches) -> list[Record]:
    """Claims in the order in which they were decided; with ``near-duplicates`` some come again, corrected."""
    start = date.fromisoformat(invention.day())
    new_number = invention.distinct(lambda: f"{start:%Y}{invention.code('#########')}")
    providers = [(_provider(invention), invention.code("1#########")) for _ in range(2 + min(4, rows // 15))]
    made: list[Record] = []
    while len(made) < rows:
        claim = _claim(invention, start, new_number(), providers)
        made.append(claim)
        if "near-duplicates" in on and len(made) < rows and (invention.chance(0.12) or len(made) == 1):
            made.append(_again(invention, claim, {str(one["claim_number"]) for one in made}))
    return made


def _provider(invention: Invention) -> str:
    title = invention.choice("MD", "MD", "DO", "NP", "PA-C", "DPT")
    return f"{invention.last_name()}, {invention.first_name()} {title}".upper()


def _claim(
    invention: Invention, start: date, claim_number: str, providers: Sequence[tuple[str, str]]
) -> dict[str, Json]:
    provider, npi = invention.pick(providers)
    first = start + timedelta(days=invention.integer(0, 40))
    count = invention.pick(_LINES, _LINE_SHARES)
    procedures = [invention.pick(_VISITS), *invention.random.sample(_PROCEDURES[3:], count)][:count]
    terms = _Terms(
        rate=invention.random.uniform(0.42, 0.88),
        deductible=invention.skewed(0, 240, 2) if invention.chance(0.3) else ZERO,
        coinsurance=invention.pick((0, 10, 20, 30), (2, 2, 5, 1)),
        copay=Decimal(invention.pick(("20.00", "25.00", "40.00"))) if invention.chance(0.35) else ZERO,
        owes=invention.chance(0.86),
    )
    is_denied = invention.chance(0.07)
    is_secondary = not is_denied and invention.chance(0.08)
    lines: list[Record] = []
    day, left = first, terms.deductible
    for number, procedure in enumerate(procedures, start=1):
        if number > 1 and invention.chance(0.08):
            day += timedelta(days=invention.integer(1, 6))
        line = _line(invention, procedure, terms._replace(deductible=left), is_denied=is_denied)
        if is_secondary and line["allowed"] and line["adjustment"]:
            line["reason_code"] = "OA-23"
        left -= line["deductible"] or ZERO
        if number == 1 and terms.copay and line["copay"] is not None:
            line["copay"] = min(terms.copay, line["paid"])
            line["paid"] -= line["copay"]
        lines.append({"line_number": number, "service_date": day.isoformat(), **line})
    middle = f" {invention.code('?')}" if invention.chance(0.5) else ""
    claim: dict[str, Json] = {
        "claim_number": claim_number,
        "patient_name": f"{invention.last_name()}, {invention.first_name()}{middle}".upper(),
        "member_id": invention.code("???#########"),
        "patient_account": invention.code("######-##") if invention.chance(0.8) else None,
        "provider_name": provider,
        "provider_npi": npi,
        "service_from": first.isoformat(),
        "service_to": day.isoformat(),
        "status": _STATUSES[2] if is_denied else _STATUSES[1] if is_secondary else _STATUSES[0],
    }
    return {**claim, **totals_of(lines), "service_lines": lines, "adjustments": adjustments_of(lines)}


def _line(invention: Invention, procedure: _Procedure, terms: _Terms, *, is_denied: bool) -> dict[str, Json]:
    """A service line without its number and day; what is left of the deductible comes first off what is allowed."""
    units = invention.integer(1, procedure.units)
    billed = Decimal(units * procedure.charge) + Decimal(invention.pick((0, 0, 0, 25, 50, 75))).scaleb(-2)
    line: dict[str, Json] = {
        "procedure_code": procedure.code,
        "modifiers": invention.pick(procedure.modifiers) if procedure.modifiers and invention.chance(0.4) else None,
        "units": units,
        "billed": billed,
    }
    if is_denied or invention.chance(0.06):
        code = invention.pick(_DENIALS, _DENIAL_SHARES)
        owed: dict[str, Json] = dict.fromkeys(PATIENT_CODES)
        remark = invention.pick(_REMARKS[code]) if code in _REMARKS else None
        more = {"allowed": ZERO, **owed, "adjustment": billed, "reason_code": code, "remark_code": remark}
        return {**line, **more, "paid": ZERO}
    allowed = (billed * Decimal(round(terms.rate, 3))).quantize(ZERO) if invention.chance(0.95) else billed
    deductible = min(terms.deductible, allowed)
    coinsurance = ((allowed - deductible) * terms.coinsurance / 100).quantize(ZERO)
    return {
        **line,
        "allowed": allowed,
        "deductible": deductible if terms.owes else None,
        "coinsurance": coinsurance if terms.owes else None,
        "copay": ZERO if terms.owes and terms.copay else None,
        "adjustment": billed - allowed,
        "reason_code": "CO-45" if billed != allowed else None,
        "remark_code": None,
        "paid": allowed - (deductible + coinsurance if terms.owes else ZERO),
    }


def _again(invention: Invention, claim: Record, taken: set[str]) -> Record:
    """The claim once more as it was corrected: a number that differs in a digit, and another number of units."""
    number = str(claim["claim_number"])
    near = next(candidate for candidate in (number[:-1] + digit for digit in "1234567890") if candidate not in taken)
    lines = [dict(line) for line in claim["service_lines"]]
    if invention.chance(0.6):
        last = lines[-1]
        for name in AMOUNTS:
            last[name] = None if last[name] is None else last[name] * 2
        last["units"] = last["units"] * 2
    return {
        **claim,
        "claim_number": near,
        **totals_of(lines),
        "service_lines": lines,
        "adjustments": adjustments_of(lines),
    }


def totals_of(lines: Sequence[Mapping[str, Any]]) -> dict[str, Json]:
    """The amounts of a claim: what its lines add up to."""
    return {name: sum((line[name] for line in lines if line[name] is not None), ZERO) for name in AMOUNTS}


def adjustments_of(lines: Sequence[Mapping[str, Any]]) -> list[Json]:
    """All that is billed and not paid, by reason code; those that the patient owes come last."""
    added: dict[str, Decimal] = {}
    for line in lines:
        reasons = {"adjustment": line["reason_code"], **PATIENT_CODES}
        for name, code in reasons.items():
            if line[name]:
                added[str(code)] = added.get(str(code), ZERO) + line[name]
    return [{"reason_code": code, "amount": added[code]} for code in sorted(added)]
