"""What a line item of a contract's schedule says, line by line, and the columns that it stands in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from groundtruth.jsontext import Json
from synth.book import Book, Piece
from synth.content import Content
from synth.pattern import Record
from synth.printed import short_date, whole

SIZE: Final = 8.0
SMALL: Final = 7.0
"""Of text, and of the text of a delivery table, in points."""

GUTTER: Final = 4.0
"""Between the edge of a column and its text, in points."""

_ANOTHER_ITEM: Final = re.compile(r" (?=\d{4}[A-Z]{2} )")
STOPS: Final = (0.0, 36.0, 94.0, 124.0)
"""Where the columns of a delivery table begin, in points from the text of its item."""


class Column(NamedTuple):
    """A column of the schedule: its edges in points, its letter, its heading, and the heading over it."""

    left: float
    right: float
    letter: str
    header: str
    group: str


COLUMNS: Final = (
    Column(30, 80, "A", "ITEM NO.", "SCHEDULE"),
    Column(80, 342, "B", "SUPPLIES/SERVICES", "SCHEDULE"),
    Column(342, 390, "C", "QUANTITY", "ORDERED"),
    Column(390, 432, "D", "UNIT", "ORDERED"),
    Column(432, 504, "E", "UNIT PRICE", "PRICE"),
    Column(504, 582, "F", "AMOUNT", "PRICE"),
)
ITEM, SUPPLIES, QUANTITY, UNIT, PRICE, AMOUNT = COLUMNS


class Line(NamedTuple):
    """A line of the text of an item; with ``tabbed`` its pieces stand at the stops of a delivery table."""

    pieces: Sequence[Piece]
    bold: bool = False
    tabbed: bool = False


class ItemText:
    """Says items as lines of text.

    Args:
        book: that measures the lines.
        content: the schedule, with the deliveries of its items and the difficulties that are on.
    """

    def __init__(self, book: Book, content: Content) -> None:
        self._book, self._on = book, content.switches
        self._deliveries: dict[str, list[tuple[str, Record]]] = {}
        for number, delivery in enumerate(content.value["deliveries"]):
            self._deliveries.setdefault(delivery["item_number"], []).append((f"deliveries[{number}]", delivery))

    def deliveries(self, item_number: str) -> Sequence[tuple[str, Record]]:
        """The deliveries of an item, each with its instance path."""
        return self._deliveries.get(item_number, ())

    def says_when(self, item: Mapping[str, Json], period: Mapping[str, Json]) -> bool:
        """Whether an item prints its own period of performance; goods do when it is not that of the section."""
        if (item["pop_start"], item["pop_end"]) != (period["period_start"], period["period_end"]):
            return True
        return item["stock_number"] is None and "keys-once" not in self._on

    def lines(self, item: Mapping[str, Json], path: str | None, period: Mapping[str, Json]) -> list[Line]:
        """The text of an item of a period; ``path`` is None for a line that is no item."""

        def at(name: str) -> str | None:
            return None if path is None else f"{path}.{name}"

        lines = [Line([piece], bold=True) for piece in self._wrapped(item["title"], at("title"), bold=True)]
        if item.get("contract_type") is not None:
            lines.append(Line([Piece(item["contract_type"], at("contract_type"))]))
        if item.get("narrative") is not None:
            lines += [Line([piece]) for piece in self._wrapped(item["narrative"], at("narrative"))]
        if item.get("service_code") is not None:
            lines.append(Line([Piece("PSC CD: "), Piece(item["service_code"], at("service_code"))]))
        if item.get("stock_number") is not None:
            lines.append(Line([Piece("NSN: "), Piece(item["stock_number"], at("stock_number"))]))
        if "pop_start" in item and self.says_when(item, period):
            start, end = short_date(item["pop_start"]), short_date(item["pop_end"])
            lines.append(
                Line([Piece("POP: "), Piece(start, at("pop_start")), Piece(" to "), Piece(end, at("pop_end"))])
            )
        deliveries = self.deliveries(item["item_number"]) if path is not None else ()
        if deliveries:
            heads = [Piece(text) for text in ("REF", "DEL. DATE", "QTY", "SHIP TO")]
            lines.append(Line(heads, bold=True, tabbed=True))
        for leaf, delivery in deliveries:
            lines += self._delivery(delivery, leaf)
        return lines

    def _delivery(self, delivery: Mapping[str, Json], leaf: str) -> Iterator[Line]:
        """A line of a delivery table; a long address goes on in the next one."""
        address = str(delivery["ship_to"])
        room = SUPPLIES.right - SUPPLIES.left - 2 * GUTTER - STOPS[-1]
        first, *rest = self._book.wrap(address, room, SMALL)
        cells = [
            Piece(str(delivery["reference"]), f"{leaf}.reference"),
            Piece(short_date(delivery["delivery_date"]), f"{leaf}.delivery_date"),
            Piece(whole(delivery["quantity"]), f"{leaf}.quantity"),
        ]
        yield Line([*cells, Piece(first, f"{leaf}.ship_to", address)], tabbed=True)
        for line in rest:
            yield Line([*[Piece("")] * len(cells), Piece(line, f"{leaf}.ship_to", address)], tabbed=True)

    def _wrapped(self, text: str, leaf: str | None, *, bold: bool = False) -> Iterator[Piece]:
        """A value in the lines that the column has room for; one that names another item begins a line with it."""
        room = SUPPLIES.right - SUPPLIES.left - 2 * GUTTER
        for part in _ANOTHER_ITEM.split(text):
            for line in self._book.wrap(part, room, SIZE, bold=bold):
                yield Piece(line, leaf, text)
