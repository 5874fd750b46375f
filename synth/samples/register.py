"""Sample registers: one long table over several pages, with rows in it that are no rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, NamedTuple

from reportlab.lib.pagesizes import A4, landscape  # type: ignore[import-untyped]

from groundtruth.jsontext import Json
from synth.demo.sheet import GREY, Sheet
from synth.samples.invent import Inventor
from synth.samples.register_fields import PLANS, Listed, RegisterPlan
from synth.samples.sample import Sample
from synth.samples.style import Look, Style, draw_look, draw_style
from synth.samples.table import Column, PrintedRow, RowKind, TableLook, TableWriter
from synth.samples.wording import Field, Kind, properties, records, rules_of, worded

_FOOT: Final = 52.0
_NUMERIC: Final = (Kind.MONEY, Kind.INTEGER, Kind.NUMBER)


class _Variant(NamedTuple):
    """What sets one variant apart; ``subjects`` are the registers in the document, one after the other."""

    ruled: bool
    repeats_header: bool
    sections: bool
    subtotals: bool
    rows: tuple[int, int]
    subjects: int = 1
    grouped: bool = False
    turned: bool = False


VARIANTS: Final = (
    _Variant(ruled=True, repeats_header=True, sections=False, subtotals=False, rows=(60, 90)),
    _Variant(ruled=False, repeats_header=False, sections=False, subtotals=True, rows=(90, 140)),
    _Variant(ruled=True, repeats_header=False, sections=True, subtotals=True, rows=(70, 110)),
    _Variant(ruled=False, repeats_header=True, sections=True, subtotals=True, rows=(110, 200)),
    _Variant(ruled=True, repeats_header=True, sections=False, subtotals=True, rows=(40, 80), grouped=True),
    _Variant(ruled=False, repeats_header=False, sections=False, subtotals=False, rows=(40, 80), turned=True),
    _Variant(ruled=False, repeats_header=True, sections=False, subtotals=False, rows=(30, 60), subjects=2),
)
"""The first four are plain; then a header of two levels, pages that lie on their side, two tables in a document."""

_PREPARED_BY: Final = Field("prepared_by", ("Prepared by", "Compiled by"))
_AS_AT: Final = Field("as_at", ("As at", "Status as of", "Date of print"), Kind.DATE)
_REFERENCE: Final = Field("register_number", ("Register No.", "Register number", "File"), Kind.IDENTIFIER)


class _Listing(NamedTuple):
    """One table with its wording chosen and its values fixed.

    ``dashes`` is what a blank cell prints, by row and key; ``groups`` are the rows of each section.
    """

    plan: RegisterPlan
    columns: Sequence[Listed]
    rows: list[dict[str, Json]]
    dashes: Mapping[tuple[int, str], str]
    groups: Sequence[tuple[str, range]] = ()


@dataclass(frozen=True, slots=True)
class _Register:
    """A document of one or two listings."""

    variant: _Variant
    facts: Sequence[Field]
    listings: Sequence[_Listing]
    values: dict[str, Json]
    style: Style
    look: Look


def make_register(seed: int, index: int) -> Sample:
    """The register with this number; variants and subjects take turns, in other steps."""
    make = Inventor(f"register {seed} {index}")
    variant = VARIANTS[index % len(VARIANTS)]
    names = list(PLANS)
    first = index + index // len(PLANS)
    chosen = [names[(first + 2 * number) % len(names)] for number in range(variant.subjects)]
    register = _invent(make, [PLANS[name] for name in chosen], variant)
    size = landscape(A4) if variant.turned else A4
    sheet = Sheet(register.listings[0].plan.title, size, turned=variant.turned)
    _draw(sheet, register)
    drawn = sheet.pdf()
    return Sample(
        name=f"register-{index:02}-{'-'.join(chosen)}",
        kind="register",
        schema=_schema(register),
        rules=_rules(register),
        values=register.values,
        pdf=drawn.content,
        places=drawn.places,
    )


def _schema(register: _Register) -> dict[str, Json]:
    about = "Every entry, in printed order; headings of sections and totals are no entries."
    tables = {one.plan.key: records([column.field for column in one.columns], about) for one in register.listings}
    return {
        "type": "object",
        "title": register.listings[0].plan.title,
        "properties": {**properties(register.facts), **tables},
    }


def _rules(register: _Register) -> dict[str, Json]:
    order = register.style.dates.order
    fields = rules_of(register.facts, order)
    for one in register.listings:
        fields |= rules_of([column.field for column in one.columns], order, f"{one.plan.key}[].")
    return {"fields": fields, "identity": {one.plan.key: [one.plan.identity] for one in register.listings}}


def _invent(make: Inventor, plans: Sequence[RegisterPlan], variant: _Variant) -> _Register:
    listings = [_invent_listing(make, plan, variant) for plan in plans]
    facts = [worded(make.random, field) for field in (_REFERENCE, _AS_AT, _PREPARED_BY)]
    values: dict[str, Json] = {
        "register_number": make.code("R-####"),
        "as_at": make.day(),
        "prepared_by": make.person(),
        **{one.plan.key: one.rows for one in listings},
    }
    if variant.sections or variant.subtotals:
        listings = [one._replace(groups=list(_groups(make, one.plan, len(one.rows)))) for one in listings]
    style = draw_style(make.random)
    look = draw_look(make.random, size=8.0, fonts=("Helvetica", "Helvetica", "Times-Roman", "Courier"))
    if variant.turned:
        look = look._replace(right=landscape(A4)[0] - look.left)
    return _Register(variant, facts, listings, values, style, look)


def _invent_listing(make: Inventor, plan: RegisterPlan, variant: _Variant) -> _Listing:
    columns = [column._replace(field=worded(make.random, column.field)) for column in plan.columns]
    rows: list[dict[str, Json]] = []
    dashes: dict[tuple[int, str], str] = {}
    for number in range(make.integer(*variant.rows)):
        row = _row(make, columns, rows)
        rows.append(row)
        for field, *_ in columns:
            if row[field.key] is None and field.null_tokens:
                dashes[number, field.key] = make.choice("", *field.null_tokens)
    _make_keys_unique(make, rows, columns, plan.identity)
    return _Listing(plan, columns, rows, dashes)


def _row(make: Inventor, columns: Sequence[Listed], before: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """A new row; now and then nearly the one before."""
    row = {column.field.key: None if make.chance(column.blank) else column.invent(make) for column in columns}
    if before and make.chance(0.08):
        changed = {make.random.choice(columns).field.key, columns[0].field.key}
        row = {key: value if key in changed else before[-1][key] for key, value in row.items()}
    return row


def _make_keys_unique(
    make: Inventor, rows: Sequence[dict[str, Json]], columns: Sequence[Listed], identity: str
) -> None:
    invent = next(column.invent for column in columns if column.field.key == identity)
    seen: set[Json] = set()
    for row in rows:
        while row[identity] in seen:
            row[identity] = invent(make)
        seen.add(row[identity])


def _groups(make: Inventor, plan: RegisterPlan, count: int) -> Iterator[tuple[str, range]]:
    """The rows of each section; every section has some."""
    names = plan.sections[: make.integer(3, len(plan.sections))]
    ends = sorted(make.random.sample(range(6, count - 5), len(names) - 1))
    for name, start, end in zip(names, [0, *ends], [*ends, count], strict=True):
        yield name, range(start, end)


def _draw(sheet: Sheet, register: _Register) -> None:
    look = register.look
    _heading(sheet, register)
    page = 1
    _footer(sheet, look, page)

    def next_page() -> float:
        nonlocal page
        sheet.next_page()
        page += 1
        _footer(sheet, look, page)
        return 48.0

    y = 86.0
    for number, listing in enumerate(register.listings):
        if number:
            y = next_page() if y > sheet.height / 2 else y + 30
            sheet.text(look.left, y, listing.plan.title, look.bold, 12, colour=look.accent)
            y += 10
        y = _table(sheet, register, listing, next_page).draw(y)


def _heading(sheet: Sheet, register: _Register) -> None:
    look = register.look
    sheet.text(look.left, 52, register.listings[0].plan.title, look.bold, 15, colour=look.accent)
    x = look.left
    for field in register.facts:
        width = sheet.text(x, 72, f"{field.label}:", look.bold, 8.5)
        text = register.style.print(field, register.values[field.key])
        sheet.text(x + width + 5, 72, text, look.font, 8.5, leaf=field.key)
        x += (look.right - look.left) / 3


def _table(sheet: Sheet, register: _Register, listing: _Listing, next_page: Callable[[], float]) -> TableWriter:
    variant = register.variant
    columns = [
        Column(
            field.key,
            field.label,
            "right" if field.kind in _NUMERIC else "left",
            wraps=field.key in {"description", "payee", "pitch", "item"},
            group=listing.plan.group_of(field.key) if variant.grouped else "",
        )
        for field, *_ in listing.columns
    ]
    return TableWriter(
        sheet,
        columns,
        list(_printed(register, listing)),
        register.look,
        TableLook(ruled=variant.ruled, repeats_header=variant.repeats_header, shaded=variant.ruled, padding=2.4),
        next_page=next_page,
        bottom=sheet.height - _FOOT,
    )


def _footer(sheet: Sheet, look: Look, page: int) -> None:
    sheet.text(look.right, sheet.height - 24, f"Page {page}", look.font, 7.5, "right", GREY)


def _printed(register: _Register, listing: _Listing) -> Iterator[PrintedRow]:
    """The rows of the truth, with the sections and subtotals around them."""
    for name, numbers in listing.groups or [("", range(len(listing.rows)))]:
        if register.variant.sections:
            yield PrintedRow({"": name}, RowKind.SECTION)
        for number in numbers:
            cells = _cells(register.style, listing, number)
            yield PrintedRow(cells, RowKind.ITEM, f"{listing.plan.key}[{number}]")
        if register.variant.subtotals:
            yield PrintedRow(_subtotals(register.style, listing, name, numbers), RowKind.SUBTOTAL)


def _cells(style: Style, listing: _Listing, number: int) -> dict[str, str]:
    row = listing.rows[number]
    return {
        field.key: listing.dashes.get((number, field.key), "") or style.print(field, row[field.key])
        for field, *_ in listing.columns
    }


def _subtotals(style: Style, listing: _Listing, name: str, numbers: range) -> dict[str, str]:
    label = next(field.key for field, *_ in listing.columns if field.key in {"description", "payee", "holder", "item"})
    cells = {label: f"Subtotal {name}"}
    for field, _, _, adds_up in listing.columns:
        if adds_up:
            amounts = (listing.rows[number][field.key] for number in numbers)
            cells[field.key] = style.money(sum((one for one in amounts if one is not None), Decimal()))
    return cells
