"""A state's list of unclaimed property: one row a property, in the order of the owners' names, on hundreds of pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

from groundtruth.jsontext import Json
from synth.book import Book
from synth.content import Content
from synth.display import GREY, LETTER, PALE, DisplayList
from synth.grid import Column, Grid, GridLook
from synth.invention import ENGLISH, Invention
from synth.pattern import HEADER_SWITCHES, HEADER_TAGS, Composed, Pattern, Record, Sum, Switches
from synth.printed import amount, english_date

_PAGE: Final = (LETTER[1], LETTER[0])
_LEFT: Final = 36.0
_BOTTOM: Final = 580.0
_TOP: Final = 52.0
_HOLDERS: Final = 400
_OWNER_ENDINGS: Final = ("JR", "SR", "II", "III", "EST OF", "TRUSTEE")
_NULLS: Final = ("", "—", "N/A")
_DITTO: Final = '"'
_CARRIED: Final = "CARRIED FORWARD"

_TEXT: Final = {"type": ["string", "null"]}
_COLUMNS: Final = (
    Column("property_id", "Property ID", 60, group="PROPERTY"),
    Column("owner_name", "Owner Name", 134, group="APPARENT OWNER"),
    Column("address", "Last Known Address", 134, group="APPARENT OWNER"),
    Column("city", "City", 92, group="APPARENT OWNER"),
    Column("state", "State", 32, group="APPARENT OWNER"),
    Column("zip_code", "ZIP Code", 42, group="APPARENT OWNER"),
    Column("holder_name", "Reported By (Holder)", 156, group="REPORT"),
    Column("amount", "Amount ($)", 70, "right", amount, group="REPORT"),
)

_SCHEMA: Final[dict[str, Json]] = {
    "type": "object",
    "properties": {
        "agency": {"type": "string", "description": "The office that issues the list."},
        "list_number": {"type": "string", "description": 'After "List No.".'},
        "as_of": {"type": "string", "format": "date"},
        "property_count": {
            "type": "integer",
            "description": '"Properties listed", without those that are struck out.',
        },
        "total_amount": {"type": "number", "description": "Of all properties listed, without those struck out."},
        "properties": {
            "type": "array",
            "description": "Every property in the order of the list. A line that is struck out is no property.",
            "items": {
                "type": "object",
                "properties": {
                    "property_id": {"type": "string"},
                    "owner_name": {"type": "string"},
                    "address": {"type": ["string", "null"], "description": 'Under "Last Known Address".'},
                    "city": _TEXT,
                    "state": {"type": ["string", "null"], "description": "Two letters, also if printed once above."},
                    "zip_code": _TEXT,
                    "holder_name": {
                        "type": "string",
                        "description": 'Under "Reported By (Holder)"; ditto marks repeat the name above.',
                    },
                    "amount": {"type": "number", "description": 'In dollars, under "Amount ($)".'},
                },
            },
        },
    },
}
_RULES: Final[dict[str, Json]] = {
    "fields": {
        "list_number": {"comparator": "identifier"},
        "total_amount": {"comparator": "currency"},
        "properties[].property_id": {"comparator": "identifier"},
        "properties[].amount": {"comparator": "currency"},
        "properties[].address": {"null_tokens": ["—", "N/A"]},
        "properties[].city": {"null_tokens": ["—", "N/A"]},
        "properties[].zip_code": {"comparator": "identifier", "null_tokens": ["—", "N/A"]},
    },
    "identity": {"properties": ["property_id"]},
}


def invent(invention: Invention, rows: int, on: Switches) -> list[Record]:
    """Properties in the order of their owners' names."""
    holders = [invention.company().upper() for _ in range(min(_HOLDERS, rows // 4 + 1))]
    new_id = invention.distinct(lambda: invention.code("########"))
    records: list[Record] = []
    while len(records) < rows:
        records.append(_property(invention, new_id(), holders))
        if "near-duplicates" in on and len(records) < rows and invention.chance(0.06):
            records.append(_near(invention, records[-1], new_id()))
    records.sort(key=lambda record: str(record["owner_name"]))
    return records


def _property(invention: Invention, property_id: str, holders: Sequence[str]) -> Record:
    known = invention.chance(0.96)
    place = invention.place()
    return {
        "property_id": property_id,
        "owner_name": _owner(invention),
        "address": place.street.upper() if known else None,
        "city": place.city.upper() if known else None,
        "state": place.state,
        "zip_code": place.postcode if known else None,
        "holder_name": invention.pick(holders),
        "amount": _amount(invention),
    }


def _amount(invention: Invention) -> Decimal:
    """Mostly a deposit or a cheque that somebody forgot, at times an estate."""
    return invention.skewed(0.01, 48_000) + invention.money(0.04, 60)


def _owner(invention: Invention) -> str:
    if invention.chance(0.08):
        return invention.company().upper()
    name = f"{invention.last_name()} {invention.first_name()}"
    if invention.locale != ENGLISH:
        return name.upper()
    if invention.chance(0.4):
        name += f" {invention.code('?')}"
    if invention.chance(0.04):
        name += f" {invention.choice(*_OWNER_ENDINGS)}"
    return name.upper()


def _near(invention: Invention, record: Record, new_id: str) -> Record:
    """Another property of the same owner, or of the owner's namesake, that differs in little."""
    near = {**record, "property_id": f"{str(record['property_id'])[:-1]}{new_id[-1]}"}
    if near["property_id"] == record["property_id"] or invention.chance(0.5):
        near["property_id"] = new_id
    if invention.chance(0.5):
        near["owner_name"] = f"{record['owner_name']} {invention.choice('JR', 'SR')}"
    if invention.chance(0.5):
        near["amount"] = _amount(invention)
    return near


def compose(records: Sequence[Record], invention: Invention, on: Switches) -> Composed:
    """The list with its head and totals; with ``sections`` in the order of the states."""
    listed = sorted(records, key=lambda record: str(record["state"])) if "sections" in on else list(records)
    state = invention.pick(("Marlow", "Jefferson", "Kanona", "West Arden", "Tillamar"))
    day = invention.day()
    value: dict[str, Json] = {
        "agency": f"State of {state} Office of the Treasurer",
        "list_number": f"UP-{day[:4]}-{invention.code('####')}",
        "as_of": day,
        "property_count": len(listed),
        "total_amount": sum((record["amount"] for record in listed), Decimal("0.00")),
        "properties": listed,
    }
    return Composed(value, {"voids": _voids(listed, invention) if "voids" in on else []})


def _voids(records: Sequence[Record], invention: Invention) -> list[Json]:
    """Lines that are struck out because they were paid meanwhile, each with the number of the row that it precedes."""
    voids: list[Json] = []
    for at, record in enumerate(records):
        if invention.chance(0.02):
            amount_paid = _amount(invention)
            paid = {**record, "property_id": invention.code("9#######"), "amount": amount_paid}
            voids.append({"before": at, "record": paid})
    return voids


def draw(content: Content) -> DisplayList:
    """The whole list."""
    value, on = content.value, content.switches
    book = Book(f"Unclaimed Property {value['list_number']}", str(value["agency"]), content.font, _PAGE)
    book.next_page()
    listing = _Listing(book, content)
    listing.start(_head(book, value, voids=bool(content.aside.get("voids"))))
    listing.draw()
    listing.total()
    note = f"{value['agency']}, Unclaimed Property Division" if "sections" not in on else "Unclaimed Property Division"
    book.footer(600.0, note, 7.0)
    return book.drawn


def _head(book: Book, value: Mapping[str, Json], *, voids: bool) -> float:
    """The title and what the list says of itself; returns the y under it."""
    right = book.width - _LEFT
    book.text(_LEFT, 50, str(value["agency"]), 13, bold=True, leaf="agency")
    book.text(_LEFT, 66, "Unclaimed Property Division", 9.5, colour=GREY)
    book.text(_LEFT, 90, "NOTICE OF NAMES OF PERSONS APPEARING TO BE OWNERS OF UNCLAIMED PROPERTY", 10.5, bold=True)
    for at, (label, text, leaf) in enumerate(
        (
            ("List No.", str(value["list_number"]), "list_number"),
            ("As of", english_date(value["as_of"]), "as_of"),
            ("Properties listed", f"{value['property_count']:,}", "property_count"),
            ("Total amount", f"${amount(value['total_amount'])}", "total_amount"),
        )
    ):
        y = 44 + at * 12.5
        book.text(right - 110, y, label, 8, align="right", colour=GREY)
        book.text(right, y, text, 8.5, align="right", bold=True, leaf=leaf)
    note = (
        "The persons named below appear from the records of the holders to be entitled to property presumed abandoned. "
        "Claims may be filed with the Division at no cost. Give the property identification number in all letters."
    )
    if voids:
        note += " Entries struck out have been paid since and are not counted in the number or in the total."
    y = 106.0
    for line in book.wrap(note, right - _LEFT, 7.5):
        book.text(_LEFT, y, line, 7.5)
        y += 9.5
    return y + 2


class _Listing:
    """The table: its sections, its page totals, and what stands between its rows."""

    def __init__(self, book: Book, content: Content) -> None:
        self._book, self._on = book, content.switches
        self._properties = content.value["properties"]
        self._count, self._sum = content.value["property_count"], content.value["total_amount"]
        self._voids = {void["before"]: void["record"] for void in content.aside.get("voids", [])}
        self._carried = Decimal("0.00")
        self._holder: tuple[str, str] | None = None
        look = GridLook(
            size=7.0, padding=1.3, two_tier="two-tier-header" in self._on, shaded="sections" not in self._on
        )
        totals = "page-totals" in self._on
        self._grid = Grid(
            book,
            self._columns(),
            look,
            left=_LEFT,
            bottom=_BOTTOM - (11.0 if totals else 0.0),
            next_page=self._next_page,
            repeats_header="header-once" not in self._on,
        )

    def _columns(self) -> list[Column]:
        """The columns; a state that is printed once over its section has none, and a narrow address wraps."""
        columns = [column for column in _COLUMNS if column.key != "state" or "sections" not in self._on]
        if "wrapped" in self._on:
            columns = [column._replace(width=84) if column.key == "address" else column for column in columns]
        spare = book_width(self._book) - sum(column.width for column in columns)
        return [
            column._replace(width=column.width + spare) if column.key == "holder_name" else column for column in columns
        ]

    def start(self, y: float) -> None:
        """Begin under the head of the first page."""
        self._grid.start(y)

    def draw(self) -> None:
        """All rows."""
        state, heading = None, None
        for number, record in enumerate(self._properties):
            path = f"properties[{number}]"
            if "sections" in self._on and record["state"] is not None:
                if record["state"] != state:
                    state = record["state"]
                    heading = self._grid.band(str(state), fill=PALE)
                    self._holder = None
                if heading is not None:
                    self._book.cite(f"{path}.state", heading)
            if number in self._voids:
                # A dash that is struck out could not be seen.
                self._grid.record(self._voids[number], None, colour=GREY, struck=True)
            self._row(number, record, path)

    def _row(self, number: int, record: Record, path: str) -> None:
        printed: dict[str, str] = {}
        holder = str(record["holder_name"])
        if "ditto" in self._on:
            # At the foot of a page the row may yet go to the next one, where there is nothing above.
            if self._holder and self._holder[0] == holder and self._grid.fits(4 * self._grid.line_height):
                printed = {"holder_name": _DITTO}
                self._book.same(f"{path}.holder_name", self._holder[1])
            else:
                self._holder = (holder, f"{path}.holder_name")
        self._grid.record(record, path, null=self._null(number), printed=printed)
        self._carried += record["amount"]

    def _null(self, number: int) -> str:
        return _NULLS[number % len(_NULLS)] if "null-marks" in self._on else ""

    def _next_page(self) -> float:
        if "page-totals" in self._on:
            self._line(_CARRIED, self._carried)
        self._holder = None
        self._book.next_page()
        y = _TOP
        self._book.text(_LEFT, 36, "Unclaimed Property (continued)", 8, bold=True)
        self._book.text(self._book.width - _LEFT, 36, "Notice of Names of Owners", 8, align="right", colour=GREY)
        if "page-totals" in self._on:
            self._grid.y = y - 6
            self._line("BROUGHT FORWARD", self._carried)
            y = self._grid.y + 2
        return y

    def _line(self, words: str, total: Decimal) -> None:
        cells = [("", None) for _ in self._grid.columns]
        cells[1], cells[-1] = (words, None), (amount(total), None)
        self._grid.row(cells, bold=True, here=True)

    def total(self) -> None:
        """The line under the last row."""
        self._grid.make_room(2 * self._grid.line_height)
        self._book.rule(self._grid.left, self._grid.y, self._grid.right, width=0.8)
        cells: list[tuple[str, str | None]] = [("", None) for _ in self._grid.columns]
        cells[1], cells[-1] = ("TOTAL OF ALL PROPERTIES", None), (amount(self._sum), "total_amount")
        self._grid.row(cells, bold=True, printing=1)


def book_width(book: Book) -> float:
    """The width between the margins."""
    return book.width - 2 * _LEFT


PATTERN: Final = Pattern(
    name="unclaimed-property",
    about="a state's list of unclaimed property: one row a property, over hundreds of pages",
    type="unclaimed property list",
    domain="government",
    records="properties",
    rows=26_725,
    font="narrow",
    schema=_SCHEMA,
    rules=_RULES,
    switches={
        "sections": "states are headings, printed once, and not a column",
        **HEADER_SWITCHES,
        "page-totals": "each page ends and begins with a carried total",
        "voids": "lines that are struck out and are no rows",
        "near-duplicates": "owners with several properties, ids that differ in a digit",
        "ditto": "a holder that is the one above is printed as ditto marks",
        "null-marks": "what is unknown is blank, a dash or N/A",
        "wrapped": "addresses on two lines, the second like a row",
    },
    invent=invent,
    compose=compose,
    draw=draw,
    tags=("T1", "G1"),
    switch_tags={**HEADER_TAGS, "sections": ("S3",)},
    sums=(
        Sum("property_count", "properties", counts=True),
        Sum("total_amount", "properties[].amount"),
    ),
)
