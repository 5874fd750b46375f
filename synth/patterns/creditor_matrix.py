"""The creditor matrix of a bankruptcy: thousands of postal addresses of four to eight lines, four columns a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from groundtruth.jsontext import Json
from synth.blocks import Blocks, BlocksLook, Line
from synth.book import Book, Piece
from synth.content import Content
from synth.display import GREY, DisplayList
from synth.invention import ENGLISH, Invention
from synth.pattern import Composed, Pattern, Record, Switches

_LEFT: Final = 36.0
_RIGHT: Final = 576.0
_BOTTOM: Final = 754.0
_TOP: Final = 58.0
_COUNTRY: Final = "USA"
_ABROAD: Final = (
    ("TORONTO", "ON", "M5H 2N2", "CANADA"),
    ("VANCOUVER", "BC", "V6C 3E8", "CANADA"),
    ("SYDNEY", "NSW", "2000", "AUSTRALIA"),
    ("MONTERREY", "NL", "64000", "MEXICO"),
    ("LONDON", None, "EC2V 7HR", "UNITED KINGDOM"),
    ("FRANKFURT AM MAIN", None, "60311", "GERMANY"),
    ("SHENZHEN", "GD", "518000", "CHINA"),
)
_ABROAD_SHARES: Final = (30, 12, 6, 20, 12, 8, 12)
_FIRMS: Final = (
    ("TRADE", "E/F", 62),
    ("LANDLORD", "G", 13),
    ("CONTRACT", "G", 9),
    ("TAX", "E/F", 6),
    ("UTILITY", "E/F", 4),
    ("LENDER", "D", 3),
    ("INSURER", "G", 3),
)
_PEOPLE: Final = (("EMPLOYEE", "E/F", 66), ("LITIGANT", "E/F", 22), ("GUARANTOR", "H", 12))
"""What a creditor is, the schedule that lists it, and how often."""

_THROUGH_LAWYERS: Final = frozenset(relation for relation, *_ in _PEOPLE)

_NAMED: Final[Mapping[str, Sequence[str]]] = {
    "TAX": ("{} TAX COLLECTOR", "{} COUNTY TREASURER", "CITY OF {} REVENUE DIV", "{} INDEPENDENT SCHOOL DIST"),
    "UTILITY": ("{} WATER & SEWER", "{} POWER & LIGHT CO", "{} GAS COMPANY", "{} WASTE SERVICES"),
    "LENDER": ("BANK OF {}", "FIRST {} BANK, N.A.", "{1} CAPITAL FUNDING LP"),
    "LANDLORD": ("{} PLAZA LLC", "{1} PROPERTIES LP", "{} MALL ASSOCIATES", "{1} REALTY TRUST"),
    "INSURER": ("{1} CASUALTY INS CO", "{} MUTUAL INSURANCE"),
}
"""Names of a town or of a person."""

_DESKS: Final = (
    "MANAGING OR GENERAL AGENT",
    "ACCOUNTS RECEIVABLE",
    "LEGAL DEPT",
    "CREDIT MANAGER",
    "BANKRUPTCY DESK",
    "GENERAL COUNSEL",
)
_UNITS: Final = ("STE {}00", "FL {}", "BLDG {}", "UNIT {}", "MAIL STOP {}")
_UNIT_WORDS: Final = frozenset(unit.split(" ")[0] for unit in _UNITS)

_TEXT: Final = {"type": ["string", "null"]}
_FIELDS: Final[dict[str, Json]] = {
    "creditor_id": {"type": "string", "description": "The number over the name."},
    "relation": {"type": "string", "description": "What the creditor is to the debtor: the word after the number."},
    "schedule": {"type": "string", "description": "The schedule that lists the claim: D, E/F, G or H."},
    "name": {"type": "string"},
    "attention": {"type": ["string", "null"], "description": "Who is named after ATTN: or C/O, without that word."},
    "street": {"type": ["string", "null"], "description": "With suite, floor or building, also if on the next line."},
    "city": _TEXT,
    "state": {"type": ["string", "null"], "description": "State or province."},
    "postcode": _TEXT,
    "country": _TEXT,
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
        records.append(_creditor(invention, new_id(), on))
        if "near-duplicates" in on and len(records) < rows and invention.chance(0.08):
            first = records[-1]
            street = f"{_without_unit(str(first['street']))} STE {invention.integer(2, 90)}0"
            records.append({**first, "creditor_id": new_id(), "street": street})
    records.sort(key=lambda record: str(record["name"]))
    return records


def _creditor(invention: Invention, creditor_id: str, on: Switches) -> Record:
    is_firm = invention.chance(0.86)
    relations = _FIRMS if is_firm else _PEOPLE
    relation, schedule, _ = invention.pick(relations, [share for *_, share in relations])
    name = _firm(invention, relation) if is_firm else f"{invention.last_name()}, {invention.first_name()}"
    place = invention.place()
    street = place.street.upper()
    if not street.startswith("PO ") and _without_unit(street) == street and invention.chance(0.2):
        street += f" {invention.pick(_UNITS).format(invention.integer(1, 28))}"
    record: Record = {
        "creditor_id": creditor_id,
        "relation": relation,
        "schedule": schedule,
        "name": name.upper(),
        "attention": _attention(invention, is_firm=is_firm, on=on),
        "street": street,
        "city": place.city.upper(),
        "state": place.state,
        "postcode": place.postcode,
        "country": None if "sparse" in on or invention.locale != ENGLISH else _COUNTRY,
    }
    if invention.chance(0.025):
        city, state, postcode, country = invention.pick(_ABROAD, _ABROAD_SHARES)
        record |= {"city": city, "state": state, "postcode": postcode, "country": country}
    return record


def _firm(invention: Invention, relation: str) -> str:
    """A firm or an office, by what it is to the debtor."""
    if relation not in _NAMED or invention.locale != ENGLISH:
        return invention.company()
    return str(invention.pick(_NAMED[relation])).format(invention.town(), invention.last_name())


def _attention(invention: Invention, *, is_firm: bool, on: Switches) -> str | None:
    """Notice must reach somebody who answers for a firm; a person is written to directly, or through a lawyer."""
    if not invention.chance(0.4 if "sparse" in on else 0.995 if is_firm else 0.12):
        return None
    if not is_firm:
        return f"{invention.last_name()} & {invention.last_name()} LLP".upper()
    return invention.person().upper() if invention.chance(0.45) else invention.choice(*_DESKS)


def _without_unit(street: str) -> str:
    """A street without the suite or floor at its end."""
    words = street.split(" ")
    starts = [at for at, word in enumerate(words) if at and word in _UNIT_WORDS | {"APT"}]
    starts += [at - 1 for at in starts if words[at - 1] == "MAIL"]
    return " ".join(words[: min(starts)]) if starts else street


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
        if invention.chance(0.02) and record["country"] in (None, _COUNTRY):
            old = invention.place()
            moved = {
                "creditor_id": invention.code("#######"),
                "street": old.street.upper(),
                "city": old.city.upper(),
                "state": old.state,
                "postcode": old.postcode,
            }
            struck.append({"before": at, "record": {**record, **moved}})
    return Composed(value, {"struck": struck})


def draw(content: Content) -> DisplayList:
    """The whole matrix."""
    value, on = content.value, content.switches
    book = Book(f"Creditor Matrix {value['case_number']}", str(value["debtor"]), content.font)
    book.next_page()
    look = BlocksLook(
        size=5.9,
        leading=1.08,
        gap=5.3,
        gutter=4.0 if "tight-columns" in on else 11.0,
        across="across" in on,
        splits="split-blocks" in on,
    )

    def next_page() -> float:
        book.next_page()
        book.text(_LEFT, 42, "Creditor Matrix", 8, bold=True)
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

    codes = ((str(record[field]), at(field)) for field in ("creditor_id", "relation", "schedule"))
    lines: list[Line] = [_beside(*codes)]
    lines += blocks.value(str(record["name"]), at("name"))
    if record["attention"] is not None:
        before = "C/O " if record["relation"] in _THROUGH_LAWYERS else "ATTN: "
        lines += _labelled(blocks, before, str(record["attention"]), at("attention"))
    if record["street"] is not None:
        lines += _street(blocks, str(record["street"]), at("street"))
    if record["city"] is not None:
        lines += _town(blocks, record, at)
    return lines


def _beside(*parts: tuple[str, str | None]) -> Line:
    line: list[Piece] = []
    for text, leaf in parts:
        line += [Piece("   ")] * bool(line) + [Piece(text, leaf)]
    return line


def _labelled(blocks: Blocks, before: str, text: str, leaf: str | None) -> list[Line]:
    """A value behind a word that is none of it, on its first line."""
    first, *rest = blocks.value(before + text, leaf)
    head = Piece(first[0].text.removeprefix(before), leaf, text)
    return [[Piece(before), head], *[[line[0]._replace(whole=text)] for line in rest]]


def _street(blocks: Blocks, street: str, leaf: str | None) -> list[Line]:
    """A street, with its suite or floor on the next line."""
    first = _without_unit(street)
    rest = street.removeprefix(first).strip()
    parts = [part for part in (first, rest) if part]
    return [[line[0]._replace(whole=street)] for part in parts for line in blocks.value(part, leaf)]


def _town(blocks: Blocks, record: Mapping[str, Json], at: Callable[[str], str | None]) -> list[Line]:
    """Town, state and postcode, and the country: behind them at home, abroad on a line of its own."""
    if record["state"] is None and record["postcode"] is None and record["country"] is None:
        return blocks.value(str(record["city"]), at("city"))
    line = [Piece(str(record["city"]), at("city"))]
    for field, before in (("state", ", "), ("postcode", " ")):
        if record[field] is not None:
            line += [Piece(before), Piece(str(record[field]), at(field))]
    country = record["country"]
    if country is None:
        return [line]
    if country == _COUNTRY:
        return [[*line, Piece(" "), Piece(_COUNTRY, at("country"))]]
    return [line, [Piece(str(country), at("country"))]]


PATTERN: Final = Pattern(
    name="creditor-matrix",
    about="the creditor matrix of a bankruptcy: address blocks of four to eight lines in four columns",
    type="creditor matrix",
    domain="legal",
    records="creditors",
    rows=8_624,
    font="sans",
    schema=_SCHEMA,
    rules=_RULES,
    switches={
        "sparse": "the person to write to and the country only where they are needed",
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
    layout=2,
)
