"""A till receipt as a scanner saw it: a little askew on a grey bed, unevenly lit, with noise, and no text layer."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import pypdfium2  # type: ignore[import-untyped]
from PIL import Image, ImageFilter

from groundtruth.jsontext import Json
from synth.demo.printed import american_date, money
from synth.demo.sheet import INK, MONO, Drawn, Place, Sheet

_WIDTH: Final = 232.0
_HEIGHT: Final = 468.0
_MARGIN: Final = 14.0
_LEADING: Final = 11.5

_DPI: Final = 170
_ANGLE: Final = -1.7
_BED: Final = (880, 1300)
_PAPER_AT: Final = (142, 78)
_SEED: Final = 118834
_QUALITY: Final = 78

Grey = npt.NDArray[np.float64]


def draw_receipt(value: Json) -> Drawn:
    """The scan as JPEG in grey, 170 dots an inch."""
    printed = _print(value)
    return Drawn(scan(printed.content), {leaf: _seen(place) for leaf, place in printed.places.items()})


def _print(value: Json) -> Drawn:
    """The receipt as it left the till, as PDF."""
    sheet = Sheet("Receipt", (_WIDTH, _HEIGHT))
    store, payment = value["store"], value["payment"]
    sheet.text(_WIDTH / 2, 34, store["name"].upper(), "Courier-Bold", 12, "centre", leaf="store.name")
    sheet.text(_WIDTH / 2, 48, "41 CANAL STREET, BRACKENFORD", MONO, 9, "centre")
    _centred(sheet, 60, "TEL ", store["phone"], "", "store.phone")
    y = _row(
        sheet, 84, (("RECEIPT ", None), (value["receipt_number"], "receipt_number")), (value["register"], "register")
    )
    sheet.text(_WIDTH - _MARGIN - 5.4 * len(value["register"]), 84, "REG ", MONO, 9, "right")
    cashier = value["cashier"].upper()
    sheet.text(_WIDTH - _MARGIN - 5.4 * len(cashier), y, "CASHIER ", MONO, 9, "right")
    bought = american_date(value["purchased_on"])
    y = _row(sheet, y, ((bought, "purchased_on"), (" 14:32", None)), (cashier, "cashier"))
    y = _dashes(sheet, y)
    for number, line in enumerate(value["lines"]):
        y = _line(sheet, y, line, f"lines[{number}]")
    y = _dashes(sheet, y)
    for label, key, amount in (
        ("SUBTOTAL", "subtotal", money(value["subtotal"])),
        ("CONTRACTOR 5%", "discount", f"{money(-value['discount'])}-"),
        ("SALES TAX 6%", "tax", money(value["tax"])),
    ):
        y = _row(sheet, y, ((label, None),), (amount, key))
    y = _row(sheet, y + 5, (("TOTAL", None),), (f"${money(value['total'])}", "total"), bold=True) + 5
    card = (("CARD", "payment.method"), (" ************", None), (payment["card_last_four"], "payment.card_last_four"))
    y = _row(sheet, y, card, (money(value["total"]), None))
    y = _row(sheet, y, (("AUTH ", None), (payment["authorization"], "payment.authorization")), ("CHIP READ", None))
    y = _row(sheet, y, (("ITEMS SOLD ", None), (str(value["items_sold"]), "items_sold")), ("", None))
    y = _dashes(sheet, y)
    _centred(sheet, y + 4, "RETURN BY ", american_date(value["return_by"]), " WITH RECEIPT", "return_by")
    sheet.text(_WIDTH / 2, y + 17, "THANK YOU", MONO, 9, "centre")
    _bars(sheet, y + 28, value["receipt_number"])
    return sheet.pdf()


_Piece = tuple[str, str | None]
"""A text and the leaf that it prints, or None."""


def _row(sheet: Sheet, y: float, left: Sequence[_Piece], right: _Piece, *, bold: bool = False) -> float:
    font, size = ("Courier-Bold", 12.0) if bold else (MONO, 9.0)
    x = _MARGIN
    for text, leaf in left:
        x += sheet.text(x, y, text, font, size, leaf=leaf)
    text, leaf = right
    sheet.text(_WIDTH - _MARGIN, y, text, font, size, "right", leaf=leaf)
    return y + _LEADING


def _line(sheet: Sheet, y: float, line: Json, row: str) -> float:
    name = (line["description"], f"{row}.description")
    amount = (money(line["amount"]), f"{row}.amount")
    if line["quantity"] == 1:
        return _row(sheet, y, (name,), amount)
    y = _row(sheet, y, (name,), ("", None))
    count = (str(line["quantity"]), f"{row}.quantity")
    price = (money(line["unit_price"]), f"{row}.unit_price")
    return _row(sheet, y, (("   ", None), count, (" @ ", None), price), amount)


def _centred(sheet: Sheet, y: float, before: str, text: str, behind: str, leaf: str) -> None:
    x = _WIDTH / 2 - 2.7 * len(before + text + behind)
    for piece, printed in ((before, None), (text, leaf), (behind, None)):
        x += sheet.text(x, y, piece, MONO, 9, leaf=printed)


def _dashes(sheet: Sheet, y: float) -> float:
    sheet.text(_WIDTH / 2, y, "-" * 37, MONO, 9, "centre")
    return y + _LEADING


def _bars(sheet: Sheet, y: float, number: str) -> None:
    """Bars that look like a code and hold none."""
    x = _MARGIN + 62
    for digit in number * 4:
        width = 0.8 + int(digit) % 4 * 0.7
        sheet.box(x, y, width, 26, fill=INK, stroke=None)
        x += width + 1.6 + int(digit) % 3 * 0.5


def _seen(place: Place) -> Place:
    """Where a place on the paper lies on the scan: the box around its turned corners."""
    width, height = _WIDTH * _DPI / 72, _HEIGHT * _DPI / 72
    cosine, sine = math.cos(math.radians(_ANGLE)), math.sin(math.radians(_ANGLE))
    turned_width = width * cosine + height * abs(sine)
    turned_height = height * cosine + width * abs(sine)
    xs, ys = [], []
    for x, y in ((x, y) for x in (place.x0, place.x1) for y in (place.y0, place.y1)):
        across, down = (x - 0.5) * width, (y - 0.5) * height
        xs.append((across * cosine + down * sine + turned_width / 2 + _PAPER_AT[0]) / _BED[0])
        ys.append((down * cosine - across * sine + turned_height / 2 + _PAPER_AT[1]) / _BED[1])
    return Place(1, min(xs), min(ys), max(xs), max(ys), place.text)


def scan(receipt: bytes) -> bytes:
    """A printed page as a scanner would give it; the same bytes for the same page.

    Args:
        receipt: a PDF of one page.

    Returns:
        A grey JPEG.
    """
    random = np.random.default_rng(_SEED)
    page = pypdfium2.PdfDocument(receipt)[0].render(scale=_DPI / 72, grayscale=True).to_pil().convert("L")
    bed = Image.new("L", _BED, 158)
    paper = Image.fromarray(_worn(np.asarray(page, dtype=np.float64), random).astype(np.uint8))
    outline = Image.new("L", paper.size, 255)
    turned = paper.rotate(_ANGLE, Image.Resampling.BICUBIC, expand=True, fillcolor=158)
    mask = outline.rotate(_ANGLE, Image.Resampling.BICUBIC, expand=True, fillcolor=0)
    shadow = Image.new("L", mask.size, 96)
    bed.paste(shadow, (_PAPER_AT[0] + 7, _PAPER_AT[1] + 8), mask.filter(ImageFilter.GaussianBlur(5)))
    bed.paste(turned, _PAPER_AT, mask)
    seen = np.asarray(bed.filter(ImageFilter.GaussianBlur(0.7)), dtype=np.float64)
    seen = seen * _light(seen.shape) + random.normal(0.0, 5.0, seen.shape)
    picture = Image.fromarray(np.clip(np.rint(seen), 0, 255).astype(np.uint8))
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=_QUALITY, dpi=(_DPI, _DPI))
    return buffer.getvalue()


def _worn(page: Grey, random: np.random.Generator) -> Grey:
    """Thermal paper: greyish, the print faded in bands along the paper's way through the printer."""
    height, width = page.shape
    fade = 0.74 + 0.12 * np.sin(np.linspace(0.0, 9.0, width))[None, :] + 0.05 * random.standard_normal((height, 1))
    crease = 26.0 * np.exp(-(((np.arange(height) - 0.66 * height) / 5.0) ** 2))[:, None]
    ink = (255.0 - page) * np.clip(fade, 0.5, 0.95)
    worn: Grey = np.clip(231.0 - ink * 231.0 / 255.0 - crease, 0.0, 255.0)
    return worn


def _light(shape: tuple[int, ...]) -> Grey:
    """The lamp falls off towards the lower right corner."""
    down, across = np.linspace(0.0, 1.0, shape[0])[:, None], np.linspace(0.0, 1.0, shape[1])[None, :]
    light: Grey = 1.02 - 0.07 * down - 0.06 * across**2
    return light
