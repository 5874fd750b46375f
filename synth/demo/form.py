"""A registration form as somebody filled it in: boxes for single characters, checkboxes with crosses, blanks left."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

from groundtruth.jsontext import Json
from synth.demo.printed import numeric_date
from synth.demo.sheet import GREY, MONO, PALE, SANS, SANS_BOLD, Colour, Drawn, Sheet

INTERESTS: Final = ("Sorting", "Front desk", "Deliveries", "Kitchen", "Fundraising")
SIZES: Final = ("XS", "S", "M", "L", "XL")

_LEFT: Final = 44.0
_RIGHT: Final = 551.0
_GREEN: Final[Colour] = (0.16, 0.36, 0.22)
_PEN: Final[Colour] = (0.09, 0.15, 0.5)
_EDGE: Final[Colour] = (0.45, 0.47, 0.5)
_DAY_COLUMNS: Final = (("Morning", "morning", 190.0), ("Afternoon", "afternoon", 262.0), ("Evening", "evening", 334.0))


def draw_form(value: Json) -> Drawn:
    """The filled form as PDF."""
    sheet = Sheet("Volunteer registration")
    _head(sheet, value)
    _about_you(sheet, value["applicant"], 116)
    _availability(sheet, value, 298)
    _skills(sheet, value, 462)
    _emergency(sheet, value["emergency_contact"], 600)
    _declaration(sheet, value, 670)
    sheet.text(
        _LEFT, 818, "KVFB form 12, revised 2024. Please return it to the office or at any opening.", size=7, colour=GREY
    )
    return sheet.pdf()


def _head(sheet: Sheet, value: Json) -> None:
    sheet.canvas.setFillColorRGB(*_GREEN)
    sheet.canvas.circle(_LEFT + 17, sheet.height - 58, 17, fill=1, stroke=0)
    sheet.text(_LEFT + 17, 63, "KV", SANS_BOLD, 14, "centre", (1, 1, 1))
    sheet.text(_LEFT + 44, 56, "Volunteer Registration", SANS_BOLD, 18, colour=_GREEN)
    sheet.text(_LEFT + 44, 72, "Kestrel Valley Food Bank", size=10, colour=GREY)
    sheet.text(_LEFT, 98, "Please write in capitals or type, and mark boxes with a cross.", "Helvetica-Oblique", 8.5)
    sheet.box(398, 38, 153, 56, fill=PALE, stroke=_EDGE)
    sheet.text(405, 49, "OFFICE USE ONLY", SANS_BOLD, 6.5, colour=GREY)
    for y, label, leaf, text in (
        (65, "Registration No.", "registration_number", value["registration_number"]),
        (84, "Date received", "received_date", numeric_date(value["received_date"])),
    ):
        sheet.text(405, y, label, size=8)
        sheet.text(478, y, text, MONO, 10, colour=(0.6, 0.1, 0.1), leaf=leaf)


def _section(sheet: Sheet, y: float, number: int, title: str) -> None:
    sheet.box(_LEFT, y, _RIGHT - _LEFT, 16, fill=_GREEN, stroke=None)
    sheet.text(_LEFT + 6, y + 11.5, f"{number}.  {title}", SANS_BOLD, 9, colour=(1, 1, 1))


def _blank(sheet: Sheet, x: float, y: float, width: float, label: str, leaf: str, text: str | None) -> None:
    """A label above a box to write in."""
    sheet.text(x, y, label, size=7.5, colour=GREY)
    sheet.box(x, y + 4, width, 19, stroke=_EDGE)
    if text:
        sheet.text(x + 6, y + 17.5, text, MONO, 10.5, colour=_PEN, leaf=leaf)


def _comb(sheet: Sheet, x: float, y: float, label: str, leaf: str, characters: str, groups: Sequence[int]) -> None:
    """A label above boxes for one character each."""
    sheet.text(x, y, label, size=7.5, colour=GREY)
    place = 0
    for size in groups:
        for character in characters[place : place + size]:
            sheet.box(x, y + 4, 15, 19, stroke=_EDGE)
            sheet.text(x + 7.5, y + 17.5, character, MONO, 11, "centre", _PEN, leaf)
            x += 15
        place += size
        x += 7


def _check(sheet: Sheet, x: float, y: float, leaf: str | None, *, crossed: bool) -> None:
    """A checkbox whose lower left corner is at ``x``, ``y``; crosses are strokes, so the text layer has none.

    ``leaf`` is the leaf that the box itself answers, or None when another box of the same question does.
    """
    sheet.box(x, y - 9, 10, 10, stroke=_EDGE, line=0.9)
    if leaf is not None:
        sheet.mark(leaf, x, y - 9, 10, 10)
    if not crossed:
        return
    pen = sheet.canvas
    pen.setStrokeColorRGB(*_PEN)
    pen.setLineWidth(1.4)
    top, bottom = sheet.height - y + 8.6, sheet.height - y - 0.4
    pen.line(x + 0.8, bottom, x + 9.6, top)
    pen.line(x + 1.4, top - 0.5, x + 9, bottom + 0.2)


def _yes_no(sheet: Sheet, y: float, question: str, leaf: str, *, answer: bool) -> None:
    sheet.text(_LEFT, y, question)
    for x, label, crossed in ((_LEFT + 200, "Yes", answer), (_LEFT + 248, "No", not answer)):
        _check(sheet, x, y + 1, leaf if crossed else None, crossed=crossed)
        sheet.text(x + 15, y, label)


def _about_you(sheet: Sheet, person: Json, y: float) -> None:
    _section(sheet, y, 1, "About you")
    born = date.fromisoformat(person["date_of_birth"])
    _blank(sheet, _LEFT, y + 30, 247, "Family Name", "applicant.family_name", person["family_name"])
    _blank(sheet, 304, y + 30, 247, "Given Names", "applicant.given_names", person["given_names"])
    _comb(
        sheet, _LEFT, y + 66, "Date of Birth (day, month, year)", "applicant.date_of_birth", f"{born:%d%m%Y}", (2, 2, 4)
    )
    _blank(sheet, 224, y + 66, 327, "Email", "applicant.email", person["email"])
    _blank(sheet, _LEFT, y + 102, 247, "Street Address", "applicant.street_address", person["street_address"])
    _blank(sheet, 304, y + 102, 150, "Town", "applicant.town", person["town"])
    _blank(sheet, 466, y + 102, 85, "Postcode", "applicant.postcode", person["postcode"])
    _blank(sheet, _LEFT, y + 138, 118, "Phone", "applicant.phone", person["phone"])
    _blank(sheet, 173, y + 138, 118, "Mobile", "applicant.mobile", person["mobile"])
    _blank(sheet, 304, y + 138, 247, "Employer (write N/A if none)", "applicant.employer", person["employer"] or "N/A")


def _availability(sheet: Sheet, value: Json, y: float) -> None:
    _section(sheet, y, 2, "When can you help?")
    for title, _, x in _DAY_COLUMNS:
        sheet.text(x, y + 30, title, SANS_BOLD, 8, "centre")
    sheet.text(_LEFT, y + 30, "Day", SANS_BOLD, 8)
    for number, row in enumerate(value["availability"]):
        baseline = y + 48 + 17 * number
        sheet.rule(_LEFT, baseline - 12.5, 372)
        leaf = f"availability[{number}]"
        sheet.text(_LEFT, baseline, row["day"], leaf=f"{leaf}.day")
        for _, key, x in _DAY_COLUMNS:
            _check(sheet, x - 5, baseline + 1, f"{leaf}.{key}", crossed=row[key])
    _blank(sheet, 404, y + 30, 147, "Hours per Week (at most)", "hours_per_week", str(value["hours_per_week"]))
    sheet.text(404, y + 76, "T-shirt size", size=7.5, colour=GREY)
    for number, size in enumerate(SIZES):
        x, baseline = 404 + number % 3 * 50, y + 92 + number // 3 * 18
        crossed = size == value["tshirt_size"]
        _check(sheet, x, baseline + 1, "tshirt_size" if crossed else None, crossed=crossed)
        sheet.text(x + 14, baseline, size)


def _skills(sheet: Sheet, value: Json, y: float) -> None:
    _section(sheet, y, 3, "What would you like to do?")
    x = _LEFT
    for interest in INTERESTS:
        crossed = interest in value["interests"]
        _check(sheet, x, y + 34, "interests" if crossed else None, crossed=crossed)
        x += 16
        x += sheet.text(x, y + 33, interest) + 24
    _yes_no(sheet, y + 56, "Do you hold a full driving licence?", "driving_licence", answer=value["driving_licence"])
    _yes_no(sheet, y + 74, "Can you use your own vehicle?", "own_vehicle", answer=value["own_vehicle"])
    expiry = value["first_aid_expiry"]
    _blank(
        sheet,
        384,
        y + 50,
        167,
        "First Aid Certificate valid until",
        "first_aid_expiry",
        expiry and numeric_date(expiry),
    )
    _blank(sheet, _LEFT, y + 92, 247, "Previous Experience", "previous_experience", value["previous_experience"])
    _blank(sheet, 304, y + 92, 247, "Dietary Needs or Allergies", "dietary_needs", value["dietary_needs"])


def _emergency(sheet: Sheet, contact: Json, y: float) -> None:
    _section(sheet, y, 4, "Emergency contact")
    _blank(sheet, _LEFT, y + 30, 220, "Contact Name", "emergency_contact.name", contact["name"])
    _blank(sheet, 276, y + 30, 120, "Relationship", "emergency_contact.relationship", contact["relationship"])
    _blank(sheet, 408, y + 30, 143, "Contact Phone", "emergency_contact.phone", contact["phone"])


def _declaration(sheet: Sheet, value: Json, y: float) -> None:
    _section(sheet, y, 5, "Consent and signature")
    _check(sheet, _LEFT, y + 32, "consent_data", crossed=value["consent_data"])
    sheet.text(_LEFT + 17, y + 31, "I agree that my details are kept to organise shifts, for as long as I volunteer.")
    _check(sheet, _LEFT, y + 50, "consent_photos", crossed=value["consent_photos"])
    sheet.text(_LEFT + 17, y + 49, "I agree to appear in photographs used for publicity.")
    sheet.rule(_LEFT, y + 106, 290, colour=_EDGE)
    sheet.text(_LEFT, y + 116, "Signature", size=7.5, colour=GREY)
    sheet.rule(330, y + 106, _RIGHT, colour=_EDGE)
    sheet.text(330, y + 116, "Date signed", SANS, 7.5, colour=GREY)
    sheet.text(336, y + 102, numeric_date(value["signed_date"]), MONO, 10.5, colour=_PEN, leaf="signed_date")
    _signature(sheet, _LEFT + 14, y + 98)


def _signature(sheet: Sheet, x: float, y: float) -> None:
    pen = sheet.canvas
    base = sheet.height - y
    pen.setStrokeColorRGB(*_PEN)
    pen.setLineWidth(1.1)
    path = pen.beginPath()
    path.moveTo(x, base)
    path.curveTo(x + 4, base + 30, x + 14, base + 34, x + 16, base + 4)
    path.curveTo(x + 22, base + 34, x + 32, base + 30, x + 32, base + 2)
    path.curveTo(x + 40, base + 14, x + 48, base + 12, x + 46, base + 4)
    path.curveTo(x + 44, base - 3, x + 38, base + 4, x + 52, base + 8)
    path.curveTo(x + 58, base - 4, x + 62, base + 18, x + 70, base + 6)
    path.curveTo(x + 76, base - 2, x + 84, base + 16, x + 90, base + 6)
    path.curveTo(x + 104, base + 36, x + 112, base + 24, x + 104, base + 2)
    path.curveTo(x + 124, base + 12, x + 152, base + 10, x + 188, base + 4)
    pen.drawPath(path)
