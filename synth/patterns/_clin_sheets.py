"""How the schedule of a contract is laid out: framed continuation sheets, a ruled table, items of many lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from decimal import Decimal
from typing import Final, NamedTuple

from groundtruth.errors import SynthesisError
from groundtruth.jsontext import Json
from synth.book import Book, Piece
from synth.content import Content
from synth.display import GREY, INK, PALE, Colour, DisplayList, Spot
from synth.pattern import Record
from synth.printed import amount, english_date, short_date, whole

_LEFT: Final = 30.0
_RIGHT: Final = 582.0
_BOTTOM: Final = 742.0
_SIZE: Final = 8.0
_SMALL: Final = 7.0
_LEADING: Final = 9.6
_GUTTER: Final = 4.0
_LINE_OF_ITS_OWN: Final = _LEADING + 5
_ZERO: Final = Decimal("0.00")
_NULLS: Final = ("", "—", "N/A")
_ANOTHER_ITEM: Final = re.compile(r" (?=\d{4}[A-Z]{2} )")
_STOPS: Final = (0.0, 36.0, 94.0, 124.0)
"""Where the columns of a delivery table begin, in points from the text of its item."""


class _Column(NamedTuple):
    left: float
    right: float
    letter: str
    header: str
    group: str


_COLUMNS: Final = (
    _Column(30, 80, "A", "ITEM NO.", "SCHEDULE"),
    _Column(80, 342, "B", "SUPPLIES/SERVICES", "SCHEDULE"),
    _Column(342, 390, "C", "QUANTITY", "ORDERED"),
    _Column(390, 432, "D", "UNIT", "ORDERED"),
    _Column(432, 504, "E", "UNIT PRICE", "PRICE"),
    _Column(504, 582, "F", "AMOUNT", "PRICE"),
)
_ITEM, _SUPPLIES, _QUANTITY, _UNIT, _PRICE, _AMOUNT = _COLUMNS


class _Line(NamedTuple):
    """A line of the text of an item; with ``tabbed`` its pieces stand at the stops of a delivery table."""

    pieces: Sequence[Piece]
    bold: bool = False
    tabbed: bool = False


class _Heading(NamedTuple):
    """Where the heading of a period stands: its name, its first day, its last."""

    name: Spot
    start: Spot
    end: Spot


_NOWHERE: Final = _Heading(*[Spot(0, 0, 0.0)] * 3)


def draw(content: Content) -> DisplayList:
    """The whole schedule."""
    value = content.value
    book = Book(f"Schedule of {value['contract_number']}", str(value["issued_by"]), content.font)
    sheets = _Sheets(book, content)
    sheets.draw()

    def numbered(page: int, pages: int) -> None:
        book.text(500, 51, str(page), 8.5, align="centre")
        book.text(552, 51, str(pages), 8.5, align="centre")
        book.text(306, 766, f"B-{page}", 8, align="centre", colour=GREY)

    book.on_each(numbered)
    return book.drawn


class _Sheets:
    """The continuation sheets: the frame of each, the table on it, and what stands between its items."""

    def __init__(self, book: Book, content: Content) -> None:
        self._book, self._on, self._value = book, content.switches, content.value
        self._voids = {void["before"]: void for void in content.aside.get("voids", [])}
        self._deliveries: dict[str, list[tuple[str, Record]]] = {}
        for number, delivery in enumerate(content.value["deliveries"]):
            self._deliveries.setdefault(delivery["item_number"], []).append((f"deliveries[{number}]", delivery))
        self._bottom = _BOTTOM - (_LINE_OF_ITS_OWN if "carried" in self._on else 0.0)
        self._y = self._ruled_from = 0.0
        self._period = -1
        self._printed = 0
        self._heading = _NOWHERE
        self._carried = _ZERO
        self._spots: dict[str, Spot] = {}

    def draw(self) -> None:
        """All of it."""
        items = self._value["line_items"]
        self._first_page()
        clin_total = _ZERO
        for number, item in enumerate(items):
            if number == 0 or item["period"] != items[number - 1]["period"]:
                self._section()
            if number in self._voids:
                self._void(self._voids[number]["record"], self._voids[number].get("note"))
            self._item(item, f"line_items[{number}]", _NULLS[number % 3] if "null-marks" in self._on else "")
            clin_total = (_ZERO if item["parent_item"] is None else clin_total) + (item["amount"] or _ZERO)
            after = items[number + 1] if number + 1 < len(items) else None
            if "clin-totals" in self._on and item["parent_item"] and (after is None or after["parent_item"] is None):
                self._total(f"TOTAL ITEM {item['parent_item']}", clin_total, None)
            if after is None or after["period"] != item["period"]:
                period = self._value["periods"][self._period]
                self._total(
                    f"TOTAL, {period['period'].upper()}", period["subtotal"], f"periods[{self._period}].subtotal"
                )
        self._total("TOTAL, ALL PERIODS", self._value["total_amount"], "total_amount", printing=1)
        self._close_rules()
        for number, item in enumerate(items):
            if item["parent_item"] is not None:
                self._book.cite(f"line_items[{number}].parent_item", self._spots[item["parent_item"]])

    # Pages

    def _first_page(self) -> None:
        """The frame, what the schedule says of itself, and the header of the table."""
        book, value = self._book, self._value
        self._frame()
        book.text(306, 112, "SECTION B - SUPPLIES OR SERVICES AND PRICES", 11, align="centre", bold=True)
        facts = (
            ("Issued by", value["issued_by"], "issued_by"),
            ("Effective date", english_date(value["effective_date"]), "effective_date"),
            ("Line items and sub-lines", whole(value["item_count"]), "item_count"),
            ("Total, base and option periods", f"${amount(value['total_amount'])}", "total_amount"),
        )
        for at, (label, text, leaf) in enumerate(facts):
            book.text(_LEFT + 6, 132 + 13 * at, label, 8.5, colour=GREY)
            book.text(_LEFT + 140, 132 + 13 * at, str(text), 9, bold=leaf == "total_amount", leaf=leaf)
        note = (
            "B.1 The Contractor shall furnish the supplies and services below at the prices shown. NSP means not "
            "separately priced: the price of such an item is included in others. Options may be exercised under FAR "
            "52.217-9. A line item with sub-lines is informational; its sub-lines carry the prices."
        )
        if self._voids:
            note += " Lines that are struck out were deleted by modification and are in no total."
        y = 192.0
        for line in book.wrap(note, _RIGHT - _LEFT - 12, 8.0):
            book.text(_LEFT + 6, y, line, 8.0)
            y += 10.5
        self._y = y
        self._header()

    def _frame(self) -> None:
        """Begin a page with the boxes at its head; on the first they hold the values, later they repeat them."""
        book = self._book
        first = book.next_page() == 1
        book.area(_LEFT, 28, _RIGHT - _LEFT, 58, stroke=INK, line=0.7)
        book.rule(_LEFT, 57, _RIGHT, width=0.5, colour=INK)
        for x in (132.0, 474.0, 526.0):
            book.rule(x, 28, x, 57, colour=INK)
        book.text(81, 46, "CONTINUATION SHEET", 8, align="centre", bold=True)
        book.text(135, 35, "REFERENCE NO. OF DOCUMENT BEING CONTINUED", 5.5, colour=GREY)
        book.text(140, 51, str(self._value["contract_number"]), 9, leaf="contract_number" if first else None)
        book.text(477, 35, "PAGE", 5.5, colour=GREY)
        book.text(529, 35, "OF", 5.5, colour=GREY)
        book.text(33, 64, "NAME OF OFFEROR OR CONTRACTOR", 5.5, colour=GREY)
        book.text(40, 79, str(self._value["contractor"]), 9, leaf="contractor" if first else None)
        book.rule(_LEFT, _BOTTOM, _RIGHT, width=0.7, colour=INK)
        book.text(_LEFT, 752, "Section B, Supplies or Services and Prices", 6.5, colour=GREY)
        self._y = 92.0

    def _header(self) -> None:
        """The header of the table, with the letters of its columns."""
        book, top = self._book, self._y
        tiers = 12.0 if "two-tier-header" in self._on else 0.0
        book.area(_LEFT, top, _RIGHT - _LEFT, 22 + tiers, fill=PALE)
        book.rule(_LEFT, top, _RIGHT, colour=INK)
        if tiers:
            for left, right, group in ((30.0, 342.0, "SCHEDULE"), (342.0, 432.0, "ORDERED"), (432.0, 582.0, "PRICE")):
                book.text((left + right) / 2, top + 9, group, 7, align="centre", bold=True)
                book.rule(left, top + tiers, right, colour=INK)
                book.rule(left, top, left, top + tiers, colour=INK)
            book.rule(_RIGHT, top, _RIGHT, top + tiers, colour=INK)
        for column in _COLUMNS:
            middle = (column.left + column.right) / 2
            book.text(middle, top + tiers + 9, column.header, 7, align="centre", bold=True)
            book.text(middle, top + tiers + 18, f"({column.letter})", 6.5, align="centre")
        self._ruled_from = top + tiers
        self._y = top + tiers + 22
        book.rule(_LEFT, self._y, _RIGHT, width=0.7, colour=INK)

    def _close_rules(self) -> None:
        """Draw the lines between the columns down to where the table stands; a band over all of them has none."""
        for x in (*(column.left for column in _COLUMNS), _RIGHT):
            self._book.rule(x, self._ruled_from, x, self._y, width=0.4)

    def _turn(self) -> None:
        """Go to the next page."""
        if "carried" in self._on:
            self._y = self._bottom
            self._book.rule(_LEFT, self._y, _RIGHT, width=0.4)
            self._words("AMOUNT CARRIED FORWARD", self._carried)
        self._y = _BOTTOM
        self._close_rules()
        self._frame()
        if "header-once" in self._on:
            self._ruled_from = self._y
            self._book.rule(_LEFT, self._y, _RIGHT, colour=INK)
        else:
            self._header()
        if "carried" in self._on:
            self._words("AMOUNT BROUGHT FORWARD", self._carried)
        if "keys-once" not in self._on and self._period >= 0:
            self._band()

    def _make_room(self, height: float, what: str = "a total") -> None:
        if self._y + height <= self._bottom:
            return
        self._turn()
        if self._y + height > self._bottom:
            raise SynthesisError(
                f"page {self._book.page}: {what} is {height:.0f} points high and the page has room for "
                f"{self._bottom - self._y:.0f}; shorten its narrative, or switch on split-items"
            )

    # What stands on them

    def _section(self) -> None:
        """The heading of the next period, which stays with its first item."""
        self._make_room(16 + 8 * _LEADING)
        self._period += 1
        self._printed = 0
        self._band()

    def _band(self) -> None:
        """The heading of the period over all columns."""
        book, period = self._book, self._value["periods"][self._period]
        leaf, printing = f"periods[{self._period}]", self._printed
        self._close_rules()
        book.area(_LEFT, self._y, _RIGHT - _LEFT, 15, fill=PALE)
        x, y, size = _LEFT + _GUTTER, self._y + 10.5, 8.5
        spots: list[Spot] = []
        for text, own in (
            (str(period["period"]), f"{leaf}.period"),
            (" (continued), " if printing else ", ", None),
            (english_date(period["period_start"]), f"{leaf}.period_start"),
            (" through ", None),
            (english_date(period["period_end"]), f"{leaf}.period_end"),
        ):
            spots.append(book.text(x, y, text, size, bold=True, leaf=own, printing=printing if own else 0))
            x += spots[-1].width
        self._heading = _Heading(spots[0], spots[2], spots[4])
        self._printed += 1
        self._y += 15
        self._ruled_from = self._y
        book.rule(_LEFT, self._y, _RIGHT, width=0.4)

    def _item(self, item: Mapping[str, Json], path: str, null: str) -> None:
        """An item of the truth."""
        lines = self._lines(item, path)
        splits = "split-items" in self._on
        self._make_room((min(3, len(lines)) if splits else len(lines)) * _LEADING + 5, path)
        self._y += 2
        self._carried += item["amount"] or _ZERO
        self._require_room(str(item["item_number"]), _ITEM.right - _ITEM.left - 2 * _GUTTER, f"{path}.item_number")
        number = self._book.text(
            _ITEM.left + _GUTTER, self._baseline(), str(item["item_number"]), _SIZE, leaf=f"{path}.item_number"
        )
        self._cite(item, path, number)
        self._cells(item, path, null, INK)
        for line in lines:
            if splits and self._y + _LEADING + 3 > self._bottom:
                self._turn()
            self._text(line, INK)
        self._end_item()

    def _void(self, item: Mapping[str, Json], note: str | None) -> None:
        """A line that is no item: a reserved number, or with ``note`` one that was deleted, which is struck through."""
        lines = self._lines(item, None)
        self._make_room((len(lines) + 1) * _LEADING + 5, "a line that is no item")
        self._y += 2
        with self._book.struck() if note is not None else nullcontext():
            self._book.text(_ITEM.left + _GUTTER, self._baseline(), str(item["item_number"]), _SIZE, colour=GREY)
            if note is not None:
                self._cells(item, None, "", GREY)
            for line in lines:
                self._text(line, GREY)
        if note is not None:
            self._text(_Line([Piece(note)]), INK)
        self._end_item()

    def _end_item(self) -> None:
        self._y += 3
        self._book.rule(_LEFT, self._y, _RIGHT, width=0.25)

    def _baseline(self) -> float:
        return self._y + 0.84 * _SIZE

    def _cells(self, item: Mapping[str, Json], path: str | None, null: str, colour: Colour) -> None:
        """The cells to the right of the text of an item."""
        book, y = self._book, self._baseline()

        def cell(column: _Column, name: str, text: str, *, right: bool = False) -> Spot:
            x = column.right - _GUTTER if right else column.left + _GUTTER
            self._require_room(text, column.right - column.left - 2 * _GUTTER, f"{path}.{name}")
            leaf = None if path is None or item.get(name) is None else f"{path}.{name}"
            return book.text(x, y, text, _SIZE, align="right" if right else "left", colour=colour, leaf=leaf)

        quantity, unit, price = item["quantity"], item["unit"], item["unit_price"]
        cell(_QUANTITY, "quantity", null if quantity is None else whole(quantity), right=True)
        cell(_UNIT, "unit", null if unit is None else str(unit))
        cell(_PRICE, "unit_price", null if price is None else f"${amount(price)}", right=True)
        if item["amount"] is not None:
            cell(_AMOUNT, "amount", f"${amount(item['amount'])}", right=True)
        else:
            cell(_AMOUNT, "price_note", item["price_note"] or null, right=True)

    def _require_room(self, text: str, room: float, leaf: str, size: float = _SIZE) -> None:
        if self._book.measure(text, size) > room:
            raise SynthesisError(f"{leaf}: {text!r} is wider than its column of {room:.0f} points; shorten it")

    def _cite(self, item: Mapping[str, Json], path: str, number: Spot) -> None:
        """Note what proves the leaves that are not printed in the item: the heading of its period, and its number."""
        book, heading = self._book, self._heading
        self._spots[item["item_number"]] = number
        book.cite(f"{path}.period", heading.name)
        if not self._says_when(item):
            book.cite(f"{path}.pop_start", heading.start)
            book.cite(f"{path}.pop_end", heading.end)
        for leaf, _ in self._deliveries.get(item["item_number"], ()):
            book.cite(f"{leaf}.item_number", number)

    def _text(self, line: _Line, colour: Colour) -> None:
        book, x, y = self._book, _SUPPLIES.left + _GUTTER, self._baseline()
        if not line.tabbed:
            book.pieces(x, y, line.pieces, _SIZE, bold=line.bold, colour=colour)
        elif line.pieces[0].text and not line.bold:
            book.rule(x - 1, self._y, _SUPPLIES.right - _GUTTER, width=0.25)
        ends = (*_STOPS[1:], _SUPPLIES.right - _SUPPLIES.left - _GUTTER)
        for stop, end, (text, leaf, value) in zip(_STOPS, ends, line.pieces if line.tabbed else (), strict=False):
            self._require_room(text, end - stop - _GUTTER, str(leaf), _SMALL)
            book.text(x + stop, y, text, _SMALL, bold=line.bold, colour=colour, leaf=leaf, whole=value)
        self._y += _LEADING

    def _lines(self, item: Mapping[str, Json], path: str | None) -> list[_Line]:
        """The text of an item, line by line."""

        def at(name: str) -> str | None:
            return None if path is None else f"{path}.{name}"

        lines = [_Line([piece], bold=True) for piece in self._wrapped(item["title"], at("title"), bold=True)]
        if item.get("contract_type") is not None:
            lines.append(_Line([Piece(item["contract_type"], at("contract_type"))]))
        if item.get("narrative") is not None:
            lines += [_Line([piece]) for piece in self._wrapped(item["narrative"], at("narrative"))]
        if item.get("service_code") is not None:
            lines.append(_Line([Piece("PSC CD: "), Piece(item["service_code"], at("service_code"))]))
        if item.get("stock_number") is not None:
            lines.append(_Line([Piece("NSN: "), Piece(item["stock_number"], at("stock_number"))]))
        if "pop_start" in item and self._says_when(item):
            start, end = short_date(item["pop_start"]), short_date(item["pop_end"])
            lines.append(
                _Line([Piece("POP: "), Piece(start, at("pop_start")), Piece(" to "), Piece(end, at("pop_end"))])
            )
        deliveries = self._deliveries.get(item["item_number"], ()) if path is not None else ()
        if deliveries:
            heads = [Piece(text) for text in ("REF", "DEL. DATE", "QTY", "SHIP TO")]
            lines.append(_Line(heads, bold=True, tabbed=True))
        for leaf, delivery in deliveries:
            lines += self._delivery(delivery, leaf)
        return lines

    def _delivery(self, delivery: Mapping[str, Json], leaf: str) -> Iterator[_Line]:
        """A line of a delivery table; a long address goes on in the next one."""
        address = str(delivery["ship_to"])
        room = _SUPPLIES.right - _SUPPLIES.left - 2 * _GUTTER - _STOPS[-1]
        first, *rest = self._book.wrap(address, room, _SMALL)
        cells = [
            Piece(str(delivery["reference"]), f"{leaf}.reference"),
            Piece(short_date(delivery["delivery_date"]), f"{leaf}.delivery_date"),
            Piece(whole(delivery["quantity"]), f"{leaf}.quantity"),
        ]
        yield _Line([*cells, Piece(first, f"{leaf}.ship_to", address)], tabbed=True)
        for line in rest:
            yield _Line([*[Piece("")] * len(cells), Piece(line, f"{leaf}.ship_to", address)], tabbed=True)

    def _wrapped(self, text: str, leaf: str | None, *, bold: bool = False) -> Iterator[Piece]:
        """A value in the lines that the column has room for; one that names another item begins a line with it."""
        room = _SUPPLIES.right - _SUPPLIES.left - 2 * _GUTTER
        for part in _ANOTHER_ITEM.split(text):
            for line in self._book.wrap(part, room, _SIZE, bold=bold):
                yield Piece(line, leaf, text)

    def _says_when(self, item: Mapping[str, Json]) -> bool:
        """Whether an item prints its own period of performance; goods do when it is not that of the section."""
        period = self._value["periods"][self._period]
        if (item["pop_start"], item["pop_end"]) != (period["period_start"], period["period_end"]):
            return True
        return item["stock_number"] is None and "keys-once" not in self._on

    def _total(self, text: str, total: Decimal, leaf: str | None, *, printing: int = 0) -> None:
        """A line of its own with a total, on this page or the next."""
        self._make_room(_LINE_OF_ITS_OWN)
        self._words(text, total, leaf, printing=printing)

    def _words(self, text: str, total: Decimal, leaf: str | None = None, *, printing: int = 0) -> None:
        self._y += 2
        x, y = _SUPPLIES.left + _GUTTER, self._baseline()
        self._book.text(x, y, text, _SIZE, bold=True)
        right = _AMOUNT.right - _GUTTER
        self._book.text(right, y, f"${amount(total)}", _SIZE, align="right", bold=True, leaf=leaf, printing=printing)
        self._y += _LEADING + 3
        self._book.rule(_LEFT, self._y, _RIGHT, width=0.4)
