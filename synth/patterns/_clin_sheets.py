"""How the schedule of a contract is laid out: framed continuation sheets, a ruled table, items of many lines."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from decimal import Decimal
from typing import Final, NamedTuple

from groundtruth.errors import SynthesisError
from groundtruth.jsontext import Json
from synth.book import Book, Piece
from synth.content import Content
from synth.display import GREY, INK, PALE, Colour, DisplayList, Spot
from synth.patterns._clin_items import (
    AMOUNT,
    COLUMNS,
    GUTTER,
    ITEM,
    PRICE,
    QUANTITY,
    SIZE,
    SMALL,
    STOPS,
    SUPPLIES,
    UNIT,
    Column,
    ItemText,
    Line,
)
from synth.printed import amount, english_date, whole

_LEFT: Final = 30.0
_RIGHT: Final = 582.0
_BOTTOM: Final = 742.0
_LEADING: Final = 9.6
_LINE_OF_ITS_OWN: Final = _LEADING + 5
_ZERO: Final = Decimal("0.00")
_NULLS: Final = ("", "—", "N/A")


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
        self._items = ItemText(book, content)
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
                period = self._current
                self._total(
                    f"TOTAL, {period['period'].upper()}", period["subtotal"], f"periods[{self._period}].subtotal"
                )
        self._total("TOTAL, ALL PERIODS", self._value["total_amount"], "total_amount", printing=1)
        self._close_rules()
        for number, item in enumerate(items):
            if item["parent_item"] is not None:
                self._book.cite(f"line_items[{number}].parent_item", self._spots[item["parent_item"]])

    @property
    def _current(self) -> dict[str, Json]:
        """The period whose items are being drawn."""
        found: dict[str, Json] = self._value["periods"][self._period]
        return found

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
        for column in COLUMNS:
            middle = (column.left + column.right) / 2
            book.text(middle, top + tiers + 9, column.header, 7, align="centre", bold=True)
            book.text(middle, top + tiers + 18, f"({column.letter})", 6.5, align="centre")
        self._ruled_from = top + tiers
        self._y = top + tiers + 22
        book.rule(_LEFT, self._y, _RIGHT, width=0.7, colour=INK)

    def _close_rules(self) -> None:
        """Draw the lines between the columns down to where the table stands; a band over all of them has none."""
        for x in (*(column.left for column in COLUMNS), _RIGHT):
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
        book, period = self._book, self._current
        leaf, printing = f"periods[{self._period}]", self._printed
        self._close_rules()
        book.area(_LEFT, self._y, _RIGHT - _LEFT, 15, fill=PALE)
        x, y, size = _LEFT + GUTTER, self._y + 10.5, 8.5
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
        lines = self._items.lines(item, path, self._current)
        splits = "split-items" in self._on
        self._make_room((min(3, len(lines)) if splits else len(lines)) * _LEADING + 5, path)
        self._y += 2
        self._carried += item["amount"] or _ZERO
        self._require_room(str(item["item_number"]), ITEM.right - ITEM.left - 2 * GUTTER, f"{path}.item_number")
        number = self._book.text(
            ITEM.left + GUTTER, self._baseline(), str(item["item_number"]), SIZE, leaf=f"{path}.item_number"
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
        lines = self._items.lines(item, None, self._current)
        self._make_room((len(lines) + 1) * _LEADING + 5, "a line that is no item")
        self._y += 2
        with self._book.struck() if note is not None else nullcontext():
            self._book.text(ITEM.left + GUTTER, self._baseline(), str(item["item_number"]), SIZE, colour=GREY)
            if note is not None:
                self._cells(item, None, "", GREY)
            for line in lines:
                self._text(line, GREY)
        if note is not None:
            self._text(Line([Piece(note)]), INK)
        self._end_item()

    def _end_item(self) -> None:
        self._y += 3
        self._book.rule(_LEFT, self._y, _RIGHT, width=0.25)

    def _baseline(self) -> float:
        return self._y + 0.84 * SIZE

    def _cells(self, item: Mapping[str, Json], path: str | None, null: str, colour: Colour) -> None:
        """The cells to the right of the text of an item."""
        book, y = self._book, self._baseline()

        def cell(column: Column, name: str, text: str, *, right: bool = False) -> Spot:
            x = column.right - GUTTER if right else column.left + GUTTER
            self._require_room(text, column.right - column.left - 2 * GUTTER, f"{path}.{name}")
            leaf = None if path is None or item.get(name) is None else f"{path}.{name}"
            return book.text(x, y, text, SIZE, align="right" if right else "left", colour=colour, leaf=leaf)

        quantity, unit, price = item["quantity"], item["unit"], item["unit_price"]
        cell(QUANTITY, "quantity", null if quantity is None else whole(quantity), right=True)
        cell(UNIT, "unit", null if unit is None else str(unit))
        cell(PRICE, "unit_price", null if price is None else f"${amount(price)}", right=True)
        if item["amount"] is not None:
            cell(AMOUNT, "amount", f"${amount(item['amount'])}", right=True)
        else:
            cell(AMOUNT, "price_note", item["price_note"] or null, right=True)

    def _require_room(self, text: str, room: float, leaf: str, size: float = SIZE) -> None:
        if self._book.measure(text, size) > room:
            raise SynthesisError(f"{leaf}: {text!r} is wider than its column of {room:.0f} points; shorten it")

    def _cite(self, item: Mapping[str, Json], path: str, number: Spot) -> None:
        """Note what proves the leaves that are not printed in the item: the heading of its period, and its number."""
        book, heading = self._book, self._heading
        self._spots[item["item_number"]] = number
        book.cite(f"{path}.period", heading.name)
        if not self._items.says_when(item, self._current):
            book.cite(f"{path}.pop_start", heading.start)
            book.cite(f"{path}.pop_end", heading.end)
        for leaf, _ in self._items.deliveries(item["item_number"]):
            book.cite(f"{leaf}.item_number", number)

    def _text(self, line: Line, colour: Colour) -> None:
        book, x, y = self._book, SUPPLIES.left + GUTTER, self._baseline()
        if not line.tabbed:
            book.pieces(x, y, line.pieces, SIZE, bold=line.bold, colour=colour)
        elif line.pieces[0].text and not line.bold:
            book.rule(x - 1, self._y, SUPPLIES.right - GUTTER, width=0.25)
        ends = (*STOPS[1:], SUPPLIES.right - SUPPLIES.left - GUTTER)
        for stop, end, (text, leaf, value) in zip(STOPS, ends, line.pieces if line.tabbed else (), strict=False):
            self._require_room(text, end - stop - GUTTER, str(leaf), SMALL)
            book.text(x + stop, y, text, SMALL, bold=line.bold, colour=colour, leaf=leaf, whole=value)
        self._y += _LEADING

    def _total(self, text: str, total: Decimal, leaf: str | None, *, printing: int = 0) -> None:
        """A line of its own with a total, on this page or the next."""
        self._make_room(_LINE_OF_ITS_OWN)
        self._words(text, total, leaf, printing=printing)

    def _words(self, text: str, total: Decimal, leaf: str | None = None, *, printing: int = 0) -> None:
        self._y += 2
        x, y = SUPPLIES.left + GUTTER, self._baseline()
        self._book.text(x, y, text, SIZE, bold=True)
        right = AMOUNT.right - GUTTER
        self._book.text(right, y, f"${amount(total)}", SIZE, align="right", bold=True, leaf=leaf, printing=printing)
        self._y += _LEADING + 3
        self._book.rule(_LEFT, self._y, _RIGHT, width=0.4)
