"""A fund manager's quarterly report of holdings to the SEC: a row a holding, told apart by several columns together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from groundtruth.jsontext import Json
from synth.book import Book
from synth.content import Content
from synth.display import GREY, LETTER, DisplayList
from synth.grid import Column, Grid, GridLook
from synth.invention import Invention
from synth.pattern import HEADER_SWITCHES, HEADER_TAGS, Composed, Pattern, Record, Sum, Switches
from synth.printed import english_date, whole

_PAGE: Final = (LETTER[1], LETTER[0])
_LEFT: Final = 36.0
_BOTTOM: Final = 578.0
_QUARTERS: Final = ("2020-12-31", "2021-03-31", "2021-06-30", "2021-09-30", "2022-03-31", "2022-06-30")
"""The last years in which values were reported in thousands."""

_CLASSES: Final = (
    "COM",
    "CL A",
    "CL B",
    "SPONSORED ADR",
    "ETF",
    "ORD",
    "PFD SER A",
    "NOTE 0.500% 6/0",
    "UNIT LTD PARTN",
)
_SHARES: Final = (62, 12, 3, 6, 8, 4, 2, 2, 1)
_DITTO: Final = '"'

_COLUMNS: Final = (
    Column("issuer", "Name of Issuer", 144),
    Column("share_class", "Title of Class", 84),
    Column("cusip", "CUSIP", 56),
    Column("market_value", "Value (x$1000)", 62, "right", whole),
    Column("amount", "Shrs or Prn Amt", 66, "right", whole, "Shares or Principal Amount"),
    Column("amount_kind", "SH/ PRN", 32, "left", str, "Shares or Principal Amount"),
    Column("put_call", "Put/ Call", 36),
    Column("discretion", "Investment Discretion", 60),
    Column("other_manager", "Other Manager", 50),
    Column("voting_sole", "Sole", 52, "right", whole, "Voting Authority"),
    Column("voting_shared", "Shared", 46, "right", whole, "Voting Authority"),
    Column("voting_none", "None", 32, "right", whole, "Voting Authority"),
)
_ALONE: Final = {
    "voting_sole": "Voting Sole",
    "voting_shared": "Voting Shared",
    "voting_none": "Voting None",
}
"""Headings of columns that have no heading of their group above them."""

_SCHEMA: Final[dict[str, Json]] = {
    "type": "object",
    "properties": {
        "manager": {"type": "string", "description": "The institutional investment manager, under the title."},
        "file_number": {"type": "string", "description": 'The "Form 13F File Number".'},
        "period": {"type": "string", "format": "date", "description": 'The "Report for the Quarter Ended".'},
        "entry_total": {"type": "integer", "description": 'The "Information Table Entry Total".'},
        "value_total": {
            "type": "integer",
            "description": 'The "Information Table Value Total (thousands)", as printed.',
        },
        "holdings": {
            "type": "array",
            "description": "One entry a line of the table; subtotals are none.",
            "items": {
                "type": "object",
                "properties": {
                    "issuer": {"type": "string", "description": '"Name of Issuer"; ditto marks repeat the name above.'},
                    "share_class": {"type": "string", "description": '"Title of Class".'},
                    "cusip": {"type": "string"},
                    "market_value": {"type": "integer", "description": '"Value (x$1000)", in thousands as printed.'},
                    "amount": {"type": "integer", "description": '"Shrs or Prn Amt".'},
                    "amount_kind": {"type": "string", "enum": ["SH", "PRN"], "description": '"SH/ PRN".'},
                    "put_call": {"type": ["string", "null"], "enum": ["Put", "Call", None]},
                    "discretion": {
                        "type": "string",
                        "enum": ["SOLE", "DFND", "OTR"],
                        "description": '"Investment Discretion".',
                    },
                    "other_manager": {"type": ["string", "null"], "description": "The numbers of other managers."},
                    "voting_sole": {"type": "integer", "description": '"Sole" voting authority.'},
                    "voting_shared": {"type": "integer", "description": '"Shared" voting authority.'},
                    "voting_none": {"type": "integer", "description": '"None": no voting authority.'},
                },
            },
        },
    },
}
_RULES: Final[dict[str, Json]] = {
    "fields": {
        "file_number": {"comparator": "identifier"},
        "holdings[].cusip": {"comparator": "identifier"},
        "holdings[].other_manager": {"comparator": "identifier"},
    },
    "identity": {"holdings": ["cusip", "put_call", "discretion", "other_manager"]},
}


def invent(invention: Invention, rows: int, on: Switches) -> list[Record]:
    """Holdings in the order of their issuers; one security may be held under several managers."""
    new_cusip = invention.distinct(lambda: invention.code("######") + invention.code("##") + invention.code("#"))
    records: list[Record] = []
    while len(records) < rows:
        security = {
            "issuer": invention.company().upper().replace("STREET ", "")[:30].strip(" &."),
            "share_class": invention.pick(_CLASSES, _SHARES),
            "cusip": new_cusip(),
        }
        cents = invention.integer(85, 130) if _is_note(security) else invention.integer(400, 39_000)
        several = 2 + invention.integer(0, 2) if invention.chance(0.45 if "split-holdings" in on else 0.1) else 1
        for way in _ways(invention, min(several, rows - len(records))):
            records.append(_holding(invention, security, way, cents))
    records.sort(key=lambda record: (str(record["issuer"]), str(record["cusip"])))
    return records


def _ways(invention: Invention, count: int) -> list[tuple[str | None, str, str | None]]:
    """Put or call, discretion and other manager: all different, as they tell the holdings of a security apart."""
    options: list[tuple[str | None, str, str | None]] = [
        (None, "SOLE", None),
        (None, "DFND", "1"),
        (None, "DFND", "2"),
        (None, "DFND", "1,2"),
        ("Put", "SOLE", None),
        ("Call", "SOLE", None),
    ]
    return options[:1] if count == 1 else invention.random.sample(options, count)


def _is_note(security: Mapping[str, Json]) -> bool:
    return str(security["share_class"]).startswith("NOTE")


def _holding(
    invention: Invention, security: Mapping[str, Json], way: tuple[str | None, str, str | None], cents: int
) -> Record:
    """A holding of a security that has a price, on the day of the report one and the same; notes are of thousands."""
    put_call, discretion, other_manager = way
    is_note = _is_note(security)
    amount = int(invention.skewed(100, 4_000_000, 5))
    amount = 1000 * max(1, amount // 100) if is_note else amount
    shared = amount // 5 if discretion == "DFND" and invention.chance(0.3) else 0
    none = amount // 9 if invention.chance(0.12) else 0
    return {
        **security,
        "market_value": max(1, amount * cents // 100_000),
        "amount": amount,
        "amount_kind": "PRN" if is_note else "SH",
        "put_call": put_call,
        "discretion": discretion,
        "other_manager": other_manager,
        "voting_sole": amount - shared - none,
        "voting_shared": shared,
        "voting_none": none,
    }


def compose(records: Sequence[Record], invention: Invention, on: Switches) -> Composed:
    """The report with its totals."""
    del on
    value: dict[str, Json] = {
        "manager": f"{invention.last_name()} {invention.choice('Capital', 'Asset', 'Wealth')} Management LLC",
        "file_number": invention.code("028-#####"),
        "period": invention.pick(_QUARTERS),
        "entry_total": len(records),
        "value_total": sum(record["market_value"] for record in records),
        "holdings": list(records),
    }
    return Composed(value, {})


def draw(content: Content) -> DisplayList:
    """The information table."""
    value, on = content.value, content.switches
    book = Book("Form 13F Information Table", str(value["manager"]), content.font, _PAGE)
    book.next_page()
    table: list[Grid] = []
    subtotal = [0]

    def next_page() -> float:
        if "page-totals" in on:
            _subtotal(table[0], subtotal[0])
        subtotal[0] = 0
        table[0].close()
        book.next_page()
        book.text(_LEFT, 38, "FORM 13F INFORMATION TABLE (continued)", 8, bold=True)
        return 46.0

    look = GridLook(
        size=6.8,
        padding=1.2,
        two_tier="two-tier-header" in on,
        header_below="header-below" in on,
        lined=True,
        gutter=5.0,
    )
    bottom = _BOTTOM - (10.0 if "page-totals" in on else 0.0)
    columns: tuple[Column, ...] = _COLUMNS
    if not look.two_tier:
        columns = tuple(column._replace(header=_ALONE.get(column.key, column.header)) for column in _COLUMNS)
    grid = Grid(
        book,
        columns,
        look,
        left=_LEFT,
        bottom=bottom,
        next_page=next_page,
        repeats_header="header-once" not in on,
    )
    table.append(grid)
    grid.start(_head(book, value))
    before: tuple[str, str, int] | None = None
    for number, record in enumerate(value["holdings"]):
        path, issuer, printed = f"holdings[{number}]", str(record["issuer"]), {}
        if "ditto" in on and before and before[::2] == (issuer, book.page) and grid.fits(4 * grid.line_height):
            printed = {"issuer": _DITTO}
            book.same(f"{path}.issuer", before[1])
        grid.record(record, path, printed=printed)
        subtotal[0] += record["market_value"]
        if not printed:
            before = (issuer, f"{path}.issuer", book.page)
    grid.close()
    book.footer(600.0, str(english_date(value["period"])), 7.0)
    return book.drawn


def _head(book: Book, value: Mapping[str, Json]) -> float:
    """The title and the summary; returns the y under it."""
    book.text(_LEFT, 48, "FORM 13F INFORMATION TABLE", 12, bold=True)
    book.text(_LEFT, 66, str(value["manager"]), 10, leaf="manager")
    facts = (
        ("Form 13F File Number:", str(value["file_number"]), "file_number"),
        ("Report for the Quarter Ended:", english_date(value["period"]), "period"),
        ("Information Table Entry Total:", whole(value["entry_total"]), "entry_total"),
        ("Information Table Value Total (thousands):", whole(value["value_total"]), "value_total"),
    )
    for at, (label, text, leaf) in enumerate(facts):
        book.text(book.width - _LEFT - 82, 42 + 12 * at, label, 8, align="right", colour=GREY)
        book.text(book.width - _LEFT, 42 + 12 * at, text, 8.5, align="right", bold=True, leaf=leaf)
    return 92.0


def _subtotal(grid: Grid, total: int) -> None:
    cells: list[tuple[str, str | None]] = [("", None) for _ in grid.columns]
    cells[0], cells[3] = ("PAGE TOTAL", None), (whole(total), None)
    grid.row(cells, bold=True, here=True)


PATTERN: Final = Pattern(
    name="holdings-13f",
    about="a fund manager's holdings as reported to the SEC: composite keys, thousands of rows",
    type="13F information table",
    domain="finance",
    records="holdings",
    rows=3_063,
    font="narrow",
    schema=_SCHEMA,
    rules=_RULES,
    switches={
        **HEADER_SWITCHES,
        "header-below": "the header is under the rows",
        "page-totals": "a subtotal at the foot of each page",
        "split-holdings": "many securities on several rows, under several managers, as puts and calls",
        "ditto": "an issuer that is the one above is printed as ditto marks",
    },
    invent=invent,
    compose=compose,
    draw=draw,
    tags=("T1", "G1"),
    switch_tags={**HEADER_TAGS, "header-below": ("S2",)},
    sums=(
        Sum("entry_total", "holdings", counts=True),
        Sum("value_total", "holdings[].market_value"),
    ),
)
