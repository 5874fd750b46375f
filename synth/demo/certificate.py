"""A calibration certificate in landscape whose page lies on its side in the file and is turned by /Rotate."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from groundtruth.jsontext import Json
from synth.demo.printed import worded_date, worded_month
from synth.demo.sheet import GREY, PALE, SANS, SANS_BOLD, SERIF, Align, Colour, Drawn, Sheet

_LEFT: Final = 50.0
_RIGHT: Final = 792.0
_SECOND: Final = 440.0
_NAVY: Final[Colour] = (0.11, 0.2, 0.42)
_ROW: Final = 16.5
_LANDSCAPE: Final = (841.89, 595.28)
_MINUS: Final = "\N{MINUS SIGN}"

_Columns = Sequence[tuple[str, str, float, Align]]
_READINGS: Final[_Columns] = (
    ("Point", "point", _LEFT + 6, "left"),
    ("Nominal (g)", "nominal_g", 170, "right"),
    ("As Found (g)", "as_found_g", 278, "right"),
    ("As Left (g)", "as_left_g", 384, "right"),
    ("Error (mg)", "error_mg", 482, "right"),
    ("Uncertainty (mg)", "uncertainty_mg", 610, "right"),
    ("Result", "result", 690, "left"),
)
_STANDARDS: Final[_Columns] = (
    ("Equipment No.", "equipment_number", _LEFT + 6, "left"),
    ("Accuracy Class", "accuracy_class", 190, "left"),
    ("Certificate", "certificate", 310, "left"),
    ("Valid Until", "valid_until", 430, "left"),
)


def draw_certificate(value: Json) -> Drawn:
    """The certificate as PDF."""
    sheet = Sheet(f"Certificate {value['certificate_number']}", _LANDSCAPE, turned=True)
    _head(sheet, value)
    _facts(sheet, value)
    _heading(sheet, 222, "Readings")
    readings = [_reading(row) for row in value["readings"]]
    bottom = _table(sheet, 230, "readings", _READINGS, readings, _RIGHT)
    _heading(sheet, bottom + 22, "Reference weights")
    standards = [row | {"valid_until": worded_date(row["valid_until"])} for row in value["standards"]]
    _table(sheet, bottom + 30, "standards", _STANDARDS, standards, 540)
    _signatures(sheet, value, bottom + 14)
    note = "The uncertainty is expanded with k = 2. The results hold for the day of the calibration."
    sheet.text(_LEFT, 560, note, size=7.5, colour=GREY)
    sheet.text(_RIGHT, 560, "Page 1 of 1", size=7.5, align="right", colour=GREY)
    return sheet.pdf()


def _head(sheet: Sheet, value: Json) -> None:
    sheet.box(22, 22, sheet.width - 44, sheet.height - 44, stroke=_NAVY, line=1.4)
    sheet.box(26, 26, sheet.width - 52, sheet.height - 52, stroke=_NAVY, line=0.4)
    sheet.text(_LEFT, 66, "Certificate of Calibration", SERIF, 24, colour=_NAVY)
    sheet.text(_LEFT, 82, "Averham Metrology Services, 9 Foundry Yard, Little Averham AV2 6RR", size=9, colour=GREY)
    sheet.text(600, 58, "Certificate No.:", size=9, colour=GREY)
    sheet.text(_RIGHT, 58, value["certificate_number"], SANS_BOLD, 11, "right", leaf="certificate_number")
    sheet.text(600, 76, "Calibrated on:", size=9, colour=GREY)
    sheet.text(_RIGHT, 76, worded_date(value["calibrated_on"]), SANS_BOLD, 9.5, "right", leaf="calibrated_on")
    sheet.rule(_LEFT, 94, _RIGHT, 1, _NAVY)


def _facts(sheet: Sheet, value: Json) -> None:
    instrument, customer = value["instrument"], value["customer"]
    left = (
        ("Instrument", "instrument.description", instrument["description"]),
        ("Manufacturer", "instrument.manufacturer", instrument["manufacturer"]),
        ("Model", "instrument.model", instrument["model"]),
        ("Serial No.", "instrument.serial_number", instrument["serial_number"]),
        ("Capacity", "instrument.capacity_g", f"{instrument['capacity_g']} g"),
        ("Readability", "instrument.readability_mg", f"{instrument['readability_mg']} mg"),
    )
    right = (
        ("Customer", "customer.name", customer["name"]),
        ("Address", "customer.address", customer["address"]),
        ("Location", "instrument.location", instrument["location"]),
        ("Procedure", "procedure", value["procedure"]),
        ("Temperature", "temperature_c", f"{value['temperature_c']} °C"),
        ("Relative Humidity", "humidity_percent", f"{value['humidity_percent']} %"),
    )
    for x, facts in ((_LEFT, left), (_SECOND, right)):
        for number, (label, leaf, text) in enumerate(facts):
            y = 114 + 16 * number
            sheet.text(x, y, f"{label}:", size=9, colour=GREY)
            sheet.text(x + 110, y, text, SANS_BOLD if not number else SANS, 9.5, leaf=leaf)


def _heading(sheet: Sheet, y: float, title: str) -> None:
    sheet.text(_LEFT, y, title, SANS_BOLD, 10.5, colour=_NAVY)


def _reading(row: Json) -> Json:
    """The cells of a row as printed: every column with its own number of decimals."""
    return {
        "point": row["point"],
        "nominal_g": row["nominal_g"],
        "as_found_g": f"{row['as_found_g']:.4f}",
        "as_left_g": f"{row['as_left_g']:.4f}",
        "error_mg": _signed(row["error_mg"]),
        "uncertainty_mg": f"{row['uncertainty_mg']:.2f}",
        "result": row["result"],
    }


def _signed(number: Decimal) -> str:
    return f"{_MINUS if number < 0 else ''}{abs(number):.1f}"


def _table(sheet: Sheet, y: float, name: str, columns: _Columns, rows: Sequence[Json], right: float) -> float:
    sheet.box(_LEFT, y, right - _LEFT, 18, fill=_NAVY, stroke=None)
    for title, _, x, align in columns:
        sheet.text(x, y + 12.5, title, SANS_BOLD, 8.5, align, (1, 1, 1))
    y += 18
    for number, row in enumerate(rows):
        if number % 2:
            sheet.box(_LEFT, y, right - _LEFT, _ROW, fill=PALE, stroke=None)
        for _, key, x, align in columns:
            sheet.text(x, y + 11.8, str(row[key]), size=9, align=align, leaf=f"{name}[{number}].{key}")
        y += _ROW
    sheet.rule(_LEFT, y, right, 0.8, _NAVY)
    return y


def _signatures(sheet: Sheet, value: Json, y: float) -> None:
    verdict = "The instrument conforms." if value["conforms"] else "The instrument does not conform."
    sheet.text(580, y + 8, verdict, SANS_BOLD, 10, leaf="conforms")
    for number, (label, leaf, text) in enumerate(
        (
            ("Next due:", "next_due", worded_month(value["next_due"])),
            ("Technician:", "technician", value["technician"]),
            ("Signatory:", "signatory", value["signatory"]),
        )
    ):
        baseline = y + 28 + 17 * number
        sheet.text(580, baseline, label, size=9, colour=GREY)
        sheet.text(660, baseline, text, size=9.5, leaf=leaf)
    stamp_x, stamp_y = 748, sheet.height - (y + 42)
    sheet.canvas.setStrokeColorRGB(*_NAVY)
    sheet.canvas.setLineWidth(1.2)
    sheet.canvas.circle(stamp_x, stamp_y, 25)
    sheet.canvas.circle(stamp_x, stamp_y, 21)
    sheet.text(stamp_x, y + 45, "AMS", SERIF, 13, "centre", _NAVY)
