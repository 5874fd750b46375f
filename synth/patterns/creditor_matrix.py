"""The creditor matrix of a bankruptcy: thousands of postal addresses of three to seven lines, four columns a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from groundtruth.jsontext import Json
from synth.blocks import Blocks, BlocksLook, Line
from synth.book import Book, Piece
from synth.content import Content
from synth.display import GREY, DisplayList
from synth.invention import Invention
from synth.pattern import Composed, Pattern, Record, Switches

_LEFT: Final = 36.0
_RIGHT: Final = 576.0
_BOTTOM: Final = 748.0
_TOP: Final = 64.0
_ABROAD: Final = (
    ("Toronto ON M5H 2N2", "CANADA"),
    ("London EC2V 7HR", "UNITED KINGDOM"),
    ("60311 Frankfurt am Main", "GERMANY"),
    ("Shenzhen 518000", "CHINA"),
    ("Monterrey NL 64000", "MEXICO"),
)
_DESKS: Final = ("ACCOUNTS RECEIVABLE", "LEGAL DEPT", "CREDIT MANAGER", "BANKRUPTCY DESK", "GENERAL COUNSEL")
_UNITS: Final = ("STE {}00", "FL {}", "BLDG {}", "UNIT {}", "MAIL STOP {}")

_TEXT: Final = {"type": ["string", "null"]}
_FIELDS: Final[dict[str, Json]] = {
    "creditor_id": {"type": "string", "description": "The number before the name."},
    "name": {"type": "string"},
    "attention": {"type": ["string", "null"], "description": "Who is named after ATTN:, without that word."},
    "care_of": {"type": ["string", "null"], "description": "Who is named after C/O, without that word."},
    "street": _TEXT,
    "unit": {"type": ["string", "null"], "description": "Suite, floor or building, the line under the street."},
    "city": {"type": ["string", "null"], "description": "The town; abroad the whole line with the postcode."},
    "state": _TEXT,
    "postcode": _TEXT,
    "country": {"type": ["string", "null"], "description": "The last line of an address abroad."},
}
_SCHEMA: Final[dict[str, Json]] = {
    "type": "object",
    "properties": {
        "debtor": {"type": "string"},
        "case_number": {"type": "string"},
        "creditors": {
            "type": "array",
            "description": "Every creditor. A block that is struck out is none.",
            "items": {"type": "object", "properties": _FIELDS},
        },
    },
}
_RULES: Final[dict[str, Json]] = {
    "fields": {
        "case_number": {"comparator": "identifier"},
        "creditors[].creditor_id": {"comparator": "identifier"},
        "creditors[].postcode": {"comparator": "identifier"},
    },
    "identity": {"creditors": ["creditor_id"]},
}


def invent(invention: Invention, rows: int, on: Switches) -> list[Record]:
    """Creditors in the order of their names."""
    new_id = invention.distinct(lambda: invention.code("#######"))
    records: list[Record] = []
    while len(records) < rows:
        records.append(_creditor(invention, new_id()))
        if "near-duplicates" in on and len(records) < rows and invention.chance(0.08):
            unit = f"STE {invention.integer(2, 90)}0"
            records.append({**records[-1], "creditor_id": new_id(), "unit": unit})
    records.sort(key=lambda record: str(record["name"]))
    return records


def _creditor(invention: Invention, creditor_id: str) -> Record:
    is_firm = invention.chance(0.72)
    name = invention.company() if is_firm else f"{invention.last_name()}, {invention.first_name()}"
    place = invention.place()
    has_unit = not place.street.startswith("PO ") and " Apt " not in place.street and " Ste " not in place.street
    record: Record = {
        "creditor_id": creditor_id,
        "name": name.upper(),
        "attention": _attention(invention) if is_firm and invention.chance(0.42) else None,
        "care_of": invention.company().upper() if invention.chance(0.12) else None,
        "street": place.street.upper(),
        "unit": invention.pick(_UNITS).format(invention.integer(1, 28))
        if has_unit and invention.chance(0.35)
        else None,
        "city": place.city.upper(),
        "state": place.state,
        "postcode": place.postcode,
        "country": None,
    }
    if invention.chance(0.03):
        city, country = invention.pick(_ABROAD)
        record |= {"city": city.upper(), "state": None, "postcode": None, "country": country}
    return record


def _attention(invention: Invention) -> str:
    return invention.person().upper() if invention.chance(0.5) else invention.choice(*_DESKS)


def compose(records: Sequence[Record], invention: Invention, on: Switches) -> Composed:
    """The matrix with its head, and the blocks that are struck out."""
    year = invention.day()[2:4]
    value: dict[str, Json] = {
        "debtor": f"{invention.last_name()} {invention.choice('Retail', 'Stores', 'Energy', 'Foods')} Holdings, Inc.",
        "case_number": f"{year}-{invention.code('#####')} ({invention.code('???')})",
        "creditors": list(records),
    }
    struck: list[Json] = []
    for at, record in enumerate(records if "undeliverable" in on else ()):
        if invention.chance(0.02):
            old = invention.place(str(record["state"]) if record["state"] else None)
            moved = {"creditor_id": invention.code("#######"), "street": old.street.upper(), "city": old.city.upper()}
            struck.append({"before": at, "record": {**record, **moved}})
    return Composed(value, {"struck": struck})


def draw(content: Content) -> DisplayList:
    """The whole matrix."""
    value, on = content.value, content.switches
    book = Book(f"Creditor Matrix {value['case_number']}", str(value["debtor"]), content.font)
    book.next_page()
    look = BlocksLook(
        size=6.0,
        leading=1.17,
        gap=8.0,
        gutter=4.0 if "tight-columns" in on else 11.0,
        across="across" in on,
        splits="split-blocks" in on,
    )

    def next_page() -> float:
        book.next_page()
        book.text(_LEFT, 44, "Creditor Matrix", 8, bold=True)
        return _TOP

    blocks = Blocks(book, look, left=_LEFT, right=_RIGHT, bottom=_BOTTOM, next_page=next_page)
    blocks.start(_head(book, value))
    struck = {block["before"]: block["record"] for block in content.aside.get("struck", [])}
    for number, record in enumerate(value["creditors"]):
        if number in struck:
            blocks.block(_lines(blocks, struck[number], None), struck=True, colour=GREY)
        blocks.block(_lines(blocks, record, f"creditors[{number}]"))
    book.footer(772.0, "Matrix of creditors and other parties in interest", 6.5)
    return book.drawn


def _head(book: Book, value: Mapping[str, Json]) -> float:
    """The title of the first page; returns the y under it."""
    book.text(306, 52, "UNITED STATES BANKRUPTCY COURT", 10, align="centre", bold=True)
    book.text(_LEFT, 76, "In re:", 9)
    book.text(_LEFT + 30, 76, str(value["debtor"]), 9, bold=True, leaf="debtor")
    book.text(_LEFT + 30, 88, "Debtor.", 9)
    book.text(_RIGHT - 150, 76, "Case No.", 9)
    book.text(_RIGHT - 108, 76, str(value["case_number"]), 9, bold=True, leaf="case_number")
    book.text(306, 108, "CREDITOR MATRIX", 9.5, align="centre", bold=True)
    book.rule(_LEFT, 114, _RIGHT, width=0.7)
    return 122.0


def _lines(blocks: Blocks, record: Mapping[str, Json], path: str | None) -> list[Line]:
    """An address as it is printed; ``path`` is None for one that is no record."""

    def at(field: str) -> str | None:
        return None if path is None else f"{path}.{field}"

    number = str(record["creditor_id"])
    first, *rest = _labelled(blocks, f"{number} ", str(record["name"]), at("name"))
    lines: list[Line] = [[Piece(number, at("creditor_id")), Piece(" "), *first[1:]], *rest]
    for field, before in (("attention", "ATTN: "), ("care_of", "C/O ")):
        if record[field] is not None:
            lines += _labelled(blocks, before, str(record[field]), at(field))
    for field in ("street", "unit"):
        if record[field] is not None:
            lines += blocks.value(str(record[field]), at(field))
    if record["city"] is not None:
        lines += _town(blocks, record, at("city"), at("state"), at("postcode"))
    if record["country"] is not None:
        lines.append([Piece(str(record["country"]), at("country"))])
    return lines


def _labelled(blocks: Blocks, before: str, text: str, leaf: str | None) -> list[Line]:
    """A value behind a word that is none of it, on its first line."""
    first, *rest = blocks.value(before + text, leaf)
    head = Piece(first[0].text.removeprefix(before), leaf, text)
    return [[Piece(before), head], *[[line[0]._replace(whole=text)] for line in rest]]


def _town(
    blocks: Blocks, record: Mapping[str, Json], city: str | None, state: str | None, postcode: str | None
) -> list[Line]:
    if record["state"] is None:
        return blocks.value(str(record["city"]), city)
    line = [Piece(str(record["city"]), city), Piece(", "), Piece(str(record["state"]), state)]
    if record["postcode"] is not None:
        line += [Piece(" "), Piece(str(record["postcode"]), postcode)]
    return [line]


PATTERN: Final = Pattern(
    name="creditor-matrix",
    about="the creditor matrix of a bankruptcy: address blocks of three to seven lines in four columns",
    type="creditor matrix",
    domain="legal",
    records="creditors",
    rows=8_624,
    font="sans",
    schema=_SCHEMA,
    rules=_RULES,
    switches={
        "across": "the blocks follow one another in rows, not down the columns",
        "split-blocks": "a block may begin in one column and end in the next, unless they are in rows",
        "tight-columns": "columns so close that readers join them",
        "near-duplicates": "creditors that differ in a suite and in their number",
        "undeliverable": "blocks that are struck out and are no creditors",
    },
    invent=invent,
    compose=compose,
    draw=draw,
    tags=("T1", "G1", "G2"),
)
