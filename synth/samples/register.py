"""Sample registers: one long table over several pages, with rows in it that are no rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, NamedTuple

from groundtruth.jsontext import Json
from synth.demo.sheet import GREY, Sheet
from synth.samples.invent import Inventor
from synth.samples.register_fields import PLANS, Listed, RegisterPlan
from synth.samples.sample import Sample
from synth.samples.style import Look, Style, draw_look, draw_style
from synth.samples.table import Column, PrintedRow, RowKind, TableLook, TableWriter
from synth.samples.wording import Field, Kind, properties, records, rules_of, worded

_BOTTOM: Final = 790.0
_NUMERIC: Final = (Kind.MONEY, Kind.INTEGER, Kind.NUMBER)


class _Variant(NamedTuple):
    """What sets one variant apart."""

    ruled: bool
    repeats_header: bool
    sections: bool
    subtotals: bool
    rows: tuple[int, int]


VARIANTS: Final = (
    _Variant(ruled=True, repeats_header=True, sections=False, subtotals=False, rows=(60, 90)),
    _Variant(ruled=False, repeats_header=False, sections=False, subtotals=True, rows=(90, 140)),
    _Variant(ruled=True, repeats_header=False, sections=True, subtotals=True, rows=(70, 110)),
    _Variant(ruled=False, repeats_header=True, sections=True, subtotals=True, rows=(110, 200)),
)

_PREPARED_BY: Final = Field("prepared_by", ("Prepared by", "Compiled by"))
_AS_AT: Final = Field("as_at", ("As at", "Status as of", "Date of print"), Kind.DATE)
_REFERENCE: Final = Field("register_number", ("Register No.", "Register number", "File"), Kind.IDENTIFIER)


@dataclass(frozen=True, slots=True)
class _Register:
    """A register with its wording chosen and its values fixed; ``dashes`` is what each blank cell prints."""

    plan: RegisterPlan
    variant: _Variant
    facts: Sequence[Field]
    columns: Sequence[Listed]
    values: dict[str, Json]
    dashes: Mapping[tuple[int, str], str]
    groups: Sequence[tuple[str, range]]
    style: Style
    look: Look

    @property
    def rows(self) -> list[dict[str, Json]]:
        """The rows of the truth."""
        rows: list[dict[str, Json]] = self.values[self.plan.key]
        return rows


def make_register(seed: int, index: int) -> Sample:
    """The register with this number; variants and subjects take turns, in other steps."""
    make = Inventor(f"register {seed} {index}")
    variant = VARIANTS[index % len(VARIANTS)]
    name = list(PLANS)[(index + index // len(PLANS)) % len(PLANS)]
    register = _invent(make, PLANS[name], variant)
    sheet = Sheet(register.plan.title)
    _draw(sheet, register)
    drawn = sheet.pdf()
    order = register.style.dates.order
    fields = [column.field for column in register.columns]
    table = records(fields, "Every entry, in printed order; headings of sections and totals are no entries.")
    key = register.plan.key
    return Sample(
        name=f"register-{index:02}-{name}",
        kind="register",
        schema={
            "type": "object",
            "title": register.plan.title,
            "properties": {**properties(register.facts), key: table},
        },
        rules={
            "fields": rules_of(register.facts, order) | rules_of(fields, order, f"{key}[]."),
            "identity": {key: [register.plan.identity]},
        },
        values=register.values,
        pdf=drawn.content,
        places=drawn.places,
    )


def _invent(make: Inventor, plan: RegisterPlan, variant: _Variant) -> _Register:
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
    facts = [worded(make.random, field) for field in (_REFERENCE, _AS_AT, _PREPARED_BY)]
    values: dict[str, Json] = {
        "register_number": make.code("R-####"),
        "as_at": make.day(),
        "prepared_by": make.person(),
        plan.key: rows,
    }
    return _Register(
        plan=plan,
        variant=variant,
        facts=facts,
        columns=columns,
        values=values,
        dashes=dashes,
        groups=list(_groups(make, plan, len(rows))) if variant.sections or variant.subtotals else [],
        style=draw_style(make.random),
        look=draw_look(make.random, size=8.0, fonts=("Helvetica", "Helvetica", "Times-Roman", "Courier")),
    )


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
    look, variant = register.look, register.variant
    sheet.text(look.left, 52, register.plan.title, look.bold, 15, colour=look.accent)
    x = look.left
    third = (look.right - look.left) / 3
    for field in register.facts:
        width = sheet.text(x, 72, f"{field.label}:", look.bold, 8.5)
        text = register.style.print(field, register.values[field.key])
        sheet.text(x + width + 5, 72, text, look.font, 8.5, leaf=field.key)
        x += third
    page = 1
    _footer(sheet, look, page)

    def next_page() -> float:
        nonlocal page
        sheet.next_page()
        page += 1
        _footer(sheet, look, page)
        return 48.0

    table = TableLook(ruled=variant.ruled, repeats_header=variant.repeats_header, shaded=variant.ruled, padding=2.4)
    columns = [
        Column(
            field.key,
            field.label,
            "right" if field.kind in _NUMERIC else "left",
            wraps=field.key in {"description", "payee", "pitch", "item"},
        )
        for field, *_ in register.columns
    ]
    rows = list(_printed(register))
    TableWriter(sheet, columns, rows, look, table, next_page=next_page, bottom=_BOTTOM).draw(86)


def _footer(sheet: Sheet, look: Look, page: int) -> None:
    sheet.text(look.right, 818, f"Page {page}", look.font, 7.5, "right", GREY)


def _printed(register: _Register) -> Iterator[PrintedRow]:
    """The rows of the truth, with the sections and subtotals around them."""
    for name, numbers in register.groups or [("", range(len(register.rows)))]:
        if register.variant.sections:
            yield PrintedRow({"": name}, RowKind.SECTION)
        for number in numbers:
            yield PrintedRow(_cells(register, number), RowKind.ITEM, f"{register.plan.key}[{number}]")
        if register.variant.subtotals:
            yield PrintedRow(_subtotals(register, name, numbers), RowKind.SUBTOTAL)


def _cells(register: _Register, number: int) -> dict[str, str]:
    row = register.rows[number]
    return {
        field.key: register.dashes.get((number, field.key), "") or register.style.print(field, row[field.key])
        for field, *_ in register.columns
    }


def _subtotals(register: _Register, name: str, numbers: range) -> dict[str, str]:
    label = next(field.key for field, *_ in register.columns if field.key in {"description", "payee", "holder", "item"})
    cells = {label: f"Subtotal {name}"}
    for field, _, _, adds_up in register.columns:
        if adds_up:
            amounts = (register.rows[number][field.key] for number in numbers)
            cells[field.key] = register.style.money(sum((one for one in amounts if one is not None), Decimal()))
    return cells
