"""A registration form with form fields, as somebody filled it in: compartments, boxes with crosses, blanks left.

As in most forms, some fields have tooltips, some have telling names, and some have neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

from reportlab.pdfbase.pdfmetrics import stringWidth  # type: ignore[import-untyped]

from groundtruth.jsontext import Json
from synth.demo.fields import Fields
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


_TYPED: Final = 10.5
_UNNAMED: Final = "topmostSubform[0].Page1[0]."
"""What a program for forms calls fields that nobody named."""


class _Form:
    """The sheet and its fields, under one pen."""

    def __init__(self, title: str) -> None:
        self.sheet = Sheet(title)
        self.fields = Fields(self.sheet, MONO, _TYPED, _PEN)

    def blank(
        self,
        x: float,
        y: float,
        width: float,
        label: str,
        leaf: str,
        text: str | None,
        *,
        name: str = "",
        tip: str = "",
    ) -> None:
        """A label above a box to write in; the field is called like the leaf unless another name is given."""
        self.sheet.text(x, y, label, size=7.5, colour=GREY)
        self.sheet.box(x, y + 4, width, 19, stroke=_EDGE)
        self.fields.text(name or leaf, x, y + 4, width, 19, text or "", 13.5, tip)
        if text:
            self._mark(leaf, x + 6, y + 17.5, text)

    def line(self, x: float, y: float, width: float, leaf: str, text: str) -> None:
        """A field without a frame, whose text has its baseline at ``y``."""
        self.fields.text(leaf, x - 6, y - 13, width, 17, text, 13)
        self._mark(leaf, x, y, text)

    def comb(self, x: float, y: float, label: str, leaf: str, characters: str, name: str, tip: str) -> None:
        """A label above boxes for one character each."""
        self.sheet.text(x, y, label, size=7.5, colour=GREY)
        for place in range(len(characters)):
            self.sheet.box(x + 15 * place, y + 4, 15, 19, stroke=_EDGE)
        width = 15.0 * len(characters)
        self.fields.comb(name, x, y + 4, width, 19, characters, len(characters), 13.5, tip)
        self.sheet.mark(leaf, x, y + 8, width, 12, characters)

    def check(
        self, x: float, y: float, leaf: str, *, crossed: bool, name: str = "", tip: str = "", mark: bool = True
    ) -> None:
        """A check box whose lower left corner is at ``x``, ``y``; ``mark`` if the box itself answers the leaf."""
        self._frame(x, y)
        self.fields.check(name or leaf, x, y - 9, 10, crossed=crossed, tip=tip)
        if mark:
            self.sheet.mark(leaf, x, y - 9, 10, 10)

    def choose(
        self, leaf: str, options: Sequence[tuple[str, float, float]], chosen: str, *, name: str = "", tip: str = ""
    ) -> None:
        """Boxes of which one is crossed: for each what it stands for, and its lower left corner."""
        for option, x, y in options:
            self._frame(x, y)
            if option == chosen:
                self.sheet.mark(leaf, x, y - 9, 10, 10)
        self.fields.radio(name or leaf, [(option, x, y - 9) for option, x, y in options], 10, chosen, tip)

    def _frame(self, x: float, y: float) -> None:
        self.sheet.box(x, y - 9, 10, 10, stroke=_EDGE, line=0.9)

    def _mark(self, leaf: str, x: float, y: float, text: str) -> None:
        width = stringWidth(text, MONO, _TYPED)
        self.sheet.mark(leaf, x, y - 0.74 * _TYPED, width, 0.96 * _TYPED, text)


def draw_form(value: Json) -> Drawn:
    """The filled form as PDF."""
    form = _Form("Volunteer registration")
    sheet = form.sheet
    _head(sheet, value)
    _about_you(form, value["applicant"], 116)
    _availability(form, value, 298)
    _skills(form, value, 462)
    _emergency(form, value["emergency_contact"], 600)
    _declaration(form, value, 670)
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


def _yes_no(form: _Form, y: float, question: str, leaf: str, *, answer: bool) -> None:
    form.sheet.text(_LEFT, y, question)
    places = (("Yes", _LEFT + 200), ("No", _LEFT + 248))
    form.choose(leaf, [(option, x, y + 1) for option, x in places], "Yes" if answer else "No")
    for option, x in places:
        form.sheet.text(x + 15, y, option)


def _about_you(form: _Form, person: Json, y: float) -> None:
    _section(form.sheet, y, 1, "About you")
    born = date.fromisoformat(person["date_of_birth"])
    rows: Sequence[tuple[float, float, float, str, str]] = (
        (_LEFT, y + 30, 247, "Family Name", "family_name"),
        (304, y + 30, 247, "Given Names", "given_names"),
        (224, y + 66, 327, "Email", "email"),
        (_LEFT, y + 102, 247, "Street Address", "street_address"),
        (304, y + 102, 150, "Town", "town"),
        (466, y + 102, 85, "Postcode", "postcode"),
        (_LEFT, y + 138, 118, "Phone", "phone"),
        (173, y + 138, 118, "Mobile", "mobile"),
    )
    for number, (x, top, width, label, key) in enumerate(rows, start=1):
        form.blank(x, top, width, label, f"applicant.{key}", person[key], name=f"{_UNNAMED}f1_{number:02}[0]")
    form.comb(
        _LEFT,
        y + 66,
        "Date of Birth (day, month, year)",
        "applicant.date_of_birth",
        f"{born:%d%m%Y}",
        f"{_UNNAMED}f1_09[0]",
        "Your date of birth: day, month and year",
    )
    employer = person["employer"] or "N/A"
    form.blank(304, y + 138, 247, "Employer (write N/A if none)", "applicant.employer", employer, tip="Employer")


def _availability(form: _Form, value: Json, y: float) -> None:
    sheet = form.sheet
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
            form.check(x - 5, baseline + 1, f"{leaf}.{key}", crossed=row[key])
    form.blank(404, y + 30, 147, "Hours per Week (at most)", "hours_per_week", str(value["hours_per_week"]))
    sheet.text(404, y + 76, "T-shirt size", size=7.5, colour=GREY)
    places = [(size, 404.0 + number % 3 * 50, y + 93 + number // 3 * 18) for number, size in enumerate(SIZES)]
    form.choose("tshirt_size", places, value["tshirt_size"])
    for size, x, bottom in places:
        sheet.text(x + 14, bottom - 1, size)


def _skills(form: _Form, value: Json, y: float) -> None:
    sheet = form.sheet
    question = "What would you like to do?"
    _section(sheet, y, 3, question)
    x = _LEFT
    for number, interest in enumerate(INTERESTS, start=1):
        crossed = interest in value["interests"]
        name, tip = f"{_UNNAMED}c1_{number}[0]", f"{question} {interest}"
        form.check(x, y + 34, "interests", crossed=crossed, name=name, tip=tip, mark=crossed)
        x += 16
        x += sheet.text(x, y + 33, interest) + 24
    _yes_no(form, y + 56, "Do you hold a full driving licence?", "driving_licence", answer=value["driving_licence"])
    _yes_no(form, y + 74, "Can you use your own vehicle?", "own_vehicle", answer=value["own_vehicle"])
    expiry = value["first_aid_expiry"]
    printed = expiry and numeric_date(expiry)
    form.blank(384, y + 50, 167, "First Aid Certificate valid until", "first_aid_expiry", printed)
    form.blank(_LEFT, y + 92, 247, "Previous Experience", "previous_experience", value["previous_experience"])
    form.blank(304, y + 92, 247, "Dietary Needs or Allergies", "dietary_needs", value["dietary_needs"])


def _emergency(form: _Form, contact: Json, y: float) -> None:
    _section(form.sheet, y, 4, "Emergency contact")
    form.blank(_LEFT, y + 30, 220, "Contact Name", "emergency_contact.name", contact["name"])
    form.blank(276, y + 30, 120, "Relationship", "emergency_contact.relationship", contact["relationship"])
    form.blank(408, y + 30, 143, "Contact Phone", "emergency_contact.phone", contact["phone"])


def _declaration(form: _Form, value: Json, y: float) -> None:
    sheet = form.sheet
    _section(sheet, y, 5, "Consent and signature")
    promise = "I agree that my details are kept to organise shifts, for as long as I volunteer."
    form.check(_LEFT, y + 32, "consent_data", crossed=value["consent_data"], tip="Consent to keep details")
    sheet.text(_LEFT + 17, y + 31, promise)
    form.check(_LEFT, y + 50, "consent_photos", crossed=value["consent_photos"], tip="Consent to photographs")
    sheet.text(_LEFT + 17, y + 49, "I agree to appear in photographs used for publicity.")
    sheet.rule(_LEFT, y + 106, 290, colour=_EDGE)
    sheet.text(_LEFT, y + 116, "Signature", size=7.5, colour=GREY)
    sheet.rule(330, y + 106, _RIGHT, colour=_EDGE)
    sheet.text(330, y + 116, "Date signed", SANS, 7.5, colour=GREY)
    form.line(336, y + 102, 221, "signed_date", numeric_date(value["signed_date"]))
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
