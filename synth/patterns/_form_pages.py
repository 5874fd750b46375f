"""The pages of the application for business registration: its parts in their order, and sheets for further owners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from groundtruth.jsontext import Json
from synth.display import GREY, INK, PALE, Colour
from synth.fonts import family, load_face
from synth.patterns._form_boxes import BOX, LEFT, PRINT, RIGHT, Form
from synth.patterns._form_fields import FIELDS, MONTHS, OWNER_FIELDS
from synth.patterns._form_pen import HAND

_TOP: Final = 62.0
_FOOT: Final = 764.0
_OWNER_WIDTHS: Final = (130.0, 82.0, 92.0, 62.0, 132.0, 42.0)
_OWNER_ROW: Final = 27.0
_OWNERS_HERE: Final = 5
"""Lines of the table on the form itself; further owners go on added sheets."""

_OWNERS_ADDED: Final = 23
_STAMP: Final[Colour] = (0.62, 0.12, 0.16)
_PENCIL: Final[Colour] = (0.45, 0.2, 0.2)
_NOTES_AT: Final = {1: 330.0, 2: 44.0, 3: 124.0}
"""Where the notes of a clerk begin, by page."""

_Owner = Mapping[str, Json]
_DITTO: Final = '"'
_OATH: Final = (
    "I declare under penalty of law that I have examined this application, that to the best of my knowledge it is "
    "true and complete, and that I am authorized to sign it. Who signs for a partnership or corporation must be one of "
    "the owners or officers listed in Part H."
)
_NOTICE: Final = (
    "NOTICE. The Department asks for this information under the tax laws of the State. It is used to open and keep "
    "your tax accounts, and is given to other offices only as the law allows. If you do not give it, your application "
    "may be delayed or denied. Account numbers are mailed within 15 days. If the business moves, changes its name or "
    "its owners, or closes, send Form BR-210 within 30 days."
)
_WHERE: Final = (
    "Department of Revenue, Registration Unit, PO Box 1240, Capital City 00501. Questions: (555) 555-0100, Monday to "
    "Friday, 8 a.m. to 4:30 p.m. Keep a copy. Do not fax this form."
)


class FormPages:
    """Draws the form, a part after the other.

    Args:
        form: the form under the pen.
    """

    def __init__(self, form: Form) -> None:
        self._form, self._book = form, form.book
        self._value, self._aside = form.value, form.aside
        self._lines = _lines(self._value["owners"], self._aside.get("struck_owner"))

    def draw(self) -> None:
        """All pages."""
        self._first_page()
        self._second_page()
        self._third_page()
        self._added_sheets()
        self._book.on_each(self._foot)

    def _first_page(self) -> None:
        form = self._form
        self._book.next_page()
        self._head()
        form.part("A", "REASON FOR APPLICATION")
        form.choice("reason", 4)
        form.row(("effective_date", 270), ("prior_account", 270))
        form.part("B", "BUSINESS IDENTIFICATION")
        form.row(("legal_name", 540))
        form.row(("trade_name", 540))
        form.row(("fein", 196), ("naics", 128), ("state_formed", 84), ("date_formed", 132))
        form.choice("organization", 4)
        form.part("C", "BUSINESS LOCATION")
        form.row(("street", 330), ("unit", 90), ("county", 120))
        form.row(("city", 330), ("state", 90), ("postcode", 120))
        form.row(("phone", 270), ("fax", 270))
        form.row(("email", 290), ("website", 250))
        form.part("D", "MAILING ADDRESS")
        self._margin(1, form.y + 13)
        form.tick("mail_same", LEFT + 6, form.y + 5)
        form.y += 19
        form.row(("mail_care_of", 320), ("mail_street", 220))
        form.row(("mail_city", 330), ("mail_state", 90), ("mail_postcode", 120))
        form.y += 24
        self._text(_NOTICE, LEFT, RIGHT)

    def _head(self) -> None:
        """The title, and the corner for the office, which holds no values."""
        form, book, value = self._form, self._book, self._value
        form.print(LEFT, 46, str(value["agency"]), 9, leaf="agency", colour=INK)
        form.print(LEFT, 68, "Application for Business Registration", 16, bold=True, colour=INK)
        width = form.print(LEFT, 84, "Form ", 9, colour=INK)
        form.print(LEFT + width, 84, str(value["form_number"]), 9, bold=True, leaf="form_number", colour=INK)
        form.print(LEFT, 98, "Print in ink or type. Answer all questions; leave blank what does not apply.", 7)
        form.print(LEFT, 107, "Do not send money with this form.", 7)
        book.area(404, 34, RIGHT - 404, 76, fill=PALE, stroke=GREY)
        form.print(410, 43, "OFFICE USE ONLY", 6.5, bold=True)
        book.area(416, 50, 148, 34, stroke=_STAMP, line=1.2)
        form.print(490, 62, "RECEIVED", 8, bold=True, align="centre", colour=_STAMP)
        form.print(490, 78, str(self._aside.get("received", "")), 11, bold=True, align="centre", colour=_STAMP)
        form.print(410, 102, "Examined by", 6.5)
        book.rule(448, 104, 500)
        form.print(506, 102, "Batch", 6.5)
        book.rule(526, 104, 570)
        form.y = 114.0

    def _second_page(self) -> None:
        form = self._form
        self._next_page()
        form.part("E", "BUSINESS ACTIVITY")
        form.row(("activity", 540), height=44)
        form.row(("products", 300), ("first_sale", 240))
        form.row(("employees", 120), ("expected_sales", 420))
        form.beside(("accounting_method", 2, LEFT, 250.0), ("filing_frequency", 3, 250.0, RIGHT))
        for name in ("sells_online", "sells_tobacco", "has_locations", "is_seasonal"):
            self._framed(17)
            form.yes_no(name, LEFT, RIGHT - LEFT)
            form.y += 17
        self._framed(19)
        for at, month in enumerate(MONTHS):
            form.tick(f"open_{month.lower()}", LEFT + 10 + 44 * at, form.y + 5.5)
        form.y += 19
        form.row(("previous_owner", 350), ("previous_account", 190))
        form.part("F", "ACCOUNTS APPLIED FOR (CHECK ALL THAT APPLY)")
        self._ticks("tax_", 4)
        form.part("G", "BANK ACCOUNT FOR REFUNDS")
        form.row(("bank_name", 540), right=400.0)
        form.y -= BOX
        form.choice("account_kind", 2, left=400.0)
        form.row(("routing_number", 240), ("account_number", 300))
        form.part("H", "OWNERS, PARTNERS AND OFFICERS (43)")
        self._owners(0, _OWNERS_HERE)
        self._total()

    def _ticks(self, prefix: str, columns: int) -> None:
        """A box of tick boxes: the fields whose names begin so."""
        names = [name for name in FIELDS if name.startswith(prefix)]
        height = 7.0 + 17 * -(-len(names) // columns)
        self._framed(height)
        for at, name in enumerate(names):
            across, down = at % columns, at // columns
            self._form.tick(name, LEFT + 10 + 528 / columns * across, self._form.y + 7 + 17 * down)
        self._form.y += height

    def _framed(self, height: float) -> None:
        self._book.area(LEFT, self._form.y, RIGHT - LEFT, height, stroke=GREY, line=0.4)

    def _third_page(self) -> None:
        form = self._form
        self._next_page()
        form.part("I", "ENCLOSED (CHECK ALL THAT APPLY)")
        self._ticks("encloses_", 2)
        form.part("J", "CONTACT PERSON")
        form.row(("contact_name", 330), ("contact_title", 210))
        form.row(("contact_phone", 360), ("contact_email", 180))
        for name in ("may_discuss", "is_paperless"):
            form.tick(name, LEFT + 6, form.y + 6)
            form.y += 17
        form.part("K", "CERTIFICATION")
        form.y += 12
        self._text(_OATH, LEFT + 4, RIGHT - 4)
        self._signed("signature", "signed_on")
        form.row(("signer_name", 330), ("signer_title", 210))
        self._signed("second_signature", "second_signed_on")
        form.part("L", "WHERE TO SEND THIS FORM")
        form.y += 12
        self._text(_WHERE, LEFT + 4, RIGHT - 4)
        form.y += 10
        self._framed(150)
        self._book.area(LEFT, form.y, RIGHT - LEFT, 150, fill=PALE)
        form.print(LEFT + 5, form.y + 11, "OFFICE USE ONLY", 6.5, bold=True)
        for at, label in enumerate(("Account assigned", "Entered by and date", "Remarks")):
            form.print(LEFT + 5, form.y + 36 + 36 * at, label, 7.5)
            self._book.rule(LEFT + 84, form.y + 38 + 36 * at, RIGHT - 12)
        self._margin(3, form.y + 104)

    def _text(self, text: str, left: float, right: float) -> None:
        """A paragraph of the form."""
        for line in self._book.wrap(text, right - left, 7.5, font=PRINT):
            self._form.print(left, self._form.y, line, 7.5)
            self._form.y += 9.5

    def _signed(self, name: str, day: str) -> None:
        """A line for a signature with its day."""
        form, height = self._form, 42.0
        for field, left, right in ((name, LEFT, 420.0), (day, 420.0, RIGHT)):
            self._book.area(left, form.y, right - left, height, stroke=GREY, line=0.6)
            form.print(left + 3, form.y + 7.5, FIELDS[field].label)
        signature = self._value[name]
        if signature is not None:
            text = str(signature)
            able = all(character in load_face(family(HAND).regular).advance for character in text)
            font = HAND if able else form.pen.font
            size = min(21.0, 300 / max(self._book.measure(text, 1.0, font=font, leaf=name), 1.0))
            self._book.text(LEFT + 26, form.y + 31, text, size, font=font, colour=form.pen.ink, leaf=name)
        shown = form.shown(FIELDS[day], self._value[day])
        if shown is not None:
            form.pen.fill(day, shown, 426, form.y + 30, RIGHT - 432)
        form.y += height

    def _next_page(self) -> None:
        form = self._form
        self._book.next_page()
        form.print(LEFT, 46, f"Form {self._value['form_number']}", 8, bold=True)
        form.print(RIGHT, 46, "Application for Business Registration", 8, align="right")
        form.y = _TOP - 10

    # Owners

    def _owners(self, first: int, lines: int) -> None:
        """The table of the owners from ``first`` on, with empty lines to its end; struck lines take one as well."""
        form = self._form
        x = LEFT
        for field, width in zip(OWNER_FIELDS.values(), _OWNER_WIDTHS, strict=True):
            self._book.area(x, form.y, width, 13, fill=PALE, stroke=GREY, line=0.6)
            form.print(x + 3, form.y + 9, field.label, 6.6)
            x += width
        form.y += 13
        written = self._lines[first : first + lines]
        for at, (owner, path) in enumerate(written):
            above = self._lines[first + at - 1] if at else None
            self._owner(owner, path, above)
        for _ in range(lines - len(written)):
            self._owner({}, None, None)

    def _owner(self, owner: _Owner, path: str | None, above: tuple[_Owner, str | None] | None) -> None:
        """A line of the table, with the one above it on its sheet; ``path`` is None where no owner stands."""
        form, x = self._form, LEFT
        for (name, field), width in zip(OWNER_FIELDS.items(), _OWNER_WIDTHS, strict=True):
            self._book.area(x, form.y, width, _OWNER_ROW, stroke=GREY, line=0.5)
            text = form.shown(field, owner.get(name))
            if text is not None and path is None:
                form.pen.strike_lines(text, x + 4, form.y + 19, width - 8, 9.0)
            elif text is not None:
                leaf = f"{path}.{name}"
                if name == "home_address" and self._is_ditto(owner, leaf, above):
                    text = _DITTO
                form.pen.fill(leaf, text, x + 4, form.y + _OWNER_ROW - 6.5, width - 7, size=9.6)
            x += width
        form.y += _OWNER_ROW

    def _is_ditto(self, owner: _Owner, leaf: str, above: tuple[_Owner, str | None] | None) -> bool:
        """Whether the address is that of the owner above, and written so; then say it."""
        if not self._form.is_on("ditto") or above is None or above[1] is None:
            return False
        if owner["home_address"] != above[0]["home_address"]:
            return False
        address = f"{above[1]}.home_address"
        # Below ditto marks, too, the value is the one that is written in full.
        self._book.same(leaf, self._book.drawn.same.get(address, address))
        return True

    def _total(self) -> None:
        form, last = self._form, RIGHT - _OWNER_WIDTHS[-1]
        self._book.area(LEFT, form.y, RIGHT - LEFT, 17, stroke=GREY, line=0.6)
        form.print(last - 6, form.y + 11.5, FIELDS["ownership_total"].label, 7.5, bold=True, align="right")
        self._margin(2, form.y + 12.5)
        form.pen.fill("ownership_total", str(self._value["ownership_total"]), last + 4, form.y + 12.5, 34, size=9.6)
        form.y += 17
        if len(self._lines) > _OWNERS_HERE:
            form.print(LEFT + 3, form.y + 10, "Further owners are listed on the added sheets.", 7)
        form.y += 12

    def _added_sheets(self) -> None:
        """Sheets with the owners that the table on the form has no lines for."""
        for first in range(_OWNERS_HERE, len(self._lines), _OWNERS_ADDED):
            self._next_page()
            self._form.part("H", "OWNERS, PARTNERS AND OFFICERS, ADDED SHEET")
            self._owners(first, _OWNERS_ADDED)

    # What is on every page

    def _margin(self, page: int, y: float) -> None:
        """What a clerk noted on a page, beside the fields."""
        for note in self._aside.get("notes", ()):
            if note["page"] == page:
                self._book.text(_NOTES_AT[page], y, str(note["text"]), 10.5, font=HAND, colour=_PENCIL)

    def _foot(self, page: int, pages: int) -> None:
        """The corners that a scanner looks for, and the number of the page."""
        for x, y in ((20.0, 20.0), (584.0, 20.0), (20.0, 764.0), (584.0, 764.0)):
            self._book.area(x, y, 8, 8, fill=INK)
        self._form.print(LEFT, _FOOT + 6, f"{self._value['form_number']} (rev. 01-26)", 7)
        self._form.print(RIGHT, _FOOT + 6, f"Page {page} of {pages}", 7, align="right")


def _lines(owners: Sequence[_Owner], struck: Mapping[str, Any] | None) -> list[tuple[_Owner, str | None]]:
    """What stands on the lines of the table: owners with their paths, and one that was struck out, without."""
    lines: list[tuple[_Owner, str | None]] = [(owner, f"owners[{at}]") for at, owner in enumerate(owners)]
    if struck:
        lines.insert(int(struck["before"]), (struck["owner"], None))
    return lines
