"""Sample forms: ruled boxes, labels with colons, labels above lines, and fields to fill on screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Final, NamedTuple

from groundtruth.jsontext import Json
from synth.demo.sheet import GREY, PALE, Drawn, Sheet
from synth.samples.form_fields import CLAIM, EMPLOYEE, PERMIT, TENANCY, Entry, FormPlan, Section
from synth.samples.form_layouts import LAYOUTS, Ink
from synth.samples.invent import Inventor
from synth.samples.sample import Sample
from synth.samples.style import Look, Style, draw_look, draw_style
from synth.samples.wording import Field, Kind, record, rules_of, worded

_BLANK_SHARE: Final = 0.3


class _Variant(NamedTuple):
    """A layout, what it is filled with, and whether the instructions name labels that are none there."""

    layout: str
    plan: FormPlan
    instructs: bool = False


VARIANTS: Final = (
    _Variant("boxes", PERMIT),
    _Variant("colons", EMPLOYEE),
    _Variant("fields", CLAIM),
    _Variant("lines", PERMIT),
    _Variant("cells", CLAIM, instructs=True),
    _Variant("dense", TENANCY),
    _Variant("boxes", TENANCY, instructs=True),
    _Variant("lines", EMPLOYEE, instructs=True),
)
"""The first four show each layout as it should be; the rest are harder."""


class _Filled(NamedTuple):
    """A form with its labels chosen and its values fixed."""

    plan: FormPlan
    nested: bool
    values: dict[str, Json]


def make_form(seed: int, index: int) -> Sample:
    """The form with this number; variants take turns."""
    make = Inventor(f"form {seed} {index}")
    variant = VARIANTS[index % len(VARIANTS)]
    plan = _worded(make.random, variant.plan)
    filled = _Filled(plan, make.chance(0.5) or plan.repeats_labels, {})
    for section in plan.sections:
        _at(filled, section).update(_invented(make, section.entries))
    ticked = make.random.sample(plan.ticks, make.integer(1, len(plan.ticks) - 1))
    filled.values.update({tick.key: tick in ticked for tick in plan.ticks})
    style = draw_style(make.random)
    look = draw_look(make.random, size=10.0)
    drawn = _draw(filled, variant, style, look)
    return Sample(
        name=f"form-{index:02}-{variant.layout}",
        kind="form",
        schema=_schema(filled),
        rules={"fields": _rules(filled, style.dates.order)},
        values=filled.values,
        pdf=drawn.content,
        places=drawn.places,
    )


def _worded(random: Random, plan: FormPlan) -> FormPlan:
    sections = [
        section._replace(entries=[entry._replace(field=worded(random, entry.field)) for entry in section.entries])
        for section in plan.sections
    ]
    return plan._replace(sections=sections, ticks=[worded(random, tick) for tick in plan.ticks])


def _invented(make: Inventor, entries: Sequence[Entry]) -> dict[str, Json]:
    values: dict[str, Json] = {}
    for field, invent, _ in entries:
        value = invent(make)
        values[field.key] = None if field.optional and make.chance(_BLANK_SHARE) else value
    return values


def _at(filled: _Filled, section: Section) -> dict[str, Json]:
    return filled.values.setdefault(section.key, {}) if filled.nested else filled.values


def _leaves(filled: _Filled, section: Section) -> Iterator[tuple[Entry, str, Json]]:
    """Each entry of a section, the path of its leaf, and its value."""
    prefix = f"{section.key}." if filled.nested else ""
    for entry in section.entries:
        yield entry, f"{prefix}{entry.field.key}", _at(filled, section)[entry.field.key]


def _fields(section: Section) -> list[Field]:
    return [entry.field for entry in section.entries]


def _schema(filled: _Filled) -> dict[str, Json]:
    plan = filled.plan
    if not filled.nested:
        fields = [field for section in plan.sections for field in _fields(section)]
        return {**record([*fields, *plan.ticks]), "title": plan.title}
    nested = {section.key: record(_fields(section), section.heading) for section in plan.sections}
    ticks: Mapping[str, Json] = record(plan.ticks)["properties"]
    return {"type": "object", "title": plan.title, "properties": {**nested, **ticks}}


def _rules(filled: _Filled, date_order: str | None) -> dict[str, Json]:
    rules: dict[str, Json] = {}
    for section in filled.plan.sections:
        rules |= rules_of(_fields(section), date_order, f"{section.key}." if filled.nested else "")
    return rules


def _draw(filled: _Filled, variant: _Variant, style: Style, look: Look) -> Drawn:
    plan = filled.plan
    sheet = Sheet(plan.title)
    sheet.text(look.left, 58, plan.title, look.bold, 17, colour=look.accent)
    sheet.text(look.left, 74, plan.issuer, look.font, 9.5, colour=GREY)
    y = _instructions(sheet, look, plan if variant.instructs else None)
    ink = Ink(sheet, look)
    arrange, tick = LAYOUTS[variant.layout]
    for section in plan.sections:
        y = _heading(sheet, look, y, section.heading)
        printed = [
            (entry, leaf, _printed(style, entry.field, value)) for entry, leaf, value in _leaves(filled, section)
        ]
        y = arrange(ink, y, printed) + 12
    y = _heading(sheet, look, y, plan.ticks_heading)
    y = tick(ink, y, [(field, filled.values[field.key]) for field in plan.ticks])
    _signature(sheet, look, y + 34)
    return sheet.pdf()


def _instructions(sheet: Sheet, look: Look, plan: FormPlan | None) -> float:
    """How to fill in the form, under the title; of a ``plan`` with the names of some boxes in it."""
    lines = ["Complete every section in ink. Leave what does not apply to you empty."]
    if plan:
        entries = [entry for section in plan.sections for entry in section.entries]
        lines += [
            f"Write {entries[0].field.label} and {entries[1].field.label} as on your identity card.",
            f"If you cannot say the {entries[-1].field.label}, ask the office before you sign.",
        ]
    y = 92.0
    for line in lines:
        sheet.text(look.left, y, line, look.font, 8)
        y += 11
    sheet.rule(look.left, y - 3, look.right, 1.2, look.accent)
    return y + 9


def _printed(style: Style, field: Field, value: Json) -> list[str]:
    """The lines that a value is printed on; none for a blank."""
    text = style.print(field, value, signed=True) if field.kind is Kind.MONEY else style.print(field, value)
    return text.split("\n") if text else []


def _heading(sheet: Sheet, look: Look, y: float, text: str) -> float:
    sheet.box(look.left, y, look.right - look.left, 15, fill=PALE, stroke=None)
    sheet.text(look.left + 5, y + 11, text, look.bold, 9.5, colour=look.accent)
    return y + 23


def _signature(sheet: Sheet, look: Look, y: float) -> None:
    sheet.rule(look.left, y, look.left + 210, colour=GREY)
    sheet.text(look.left, y + 10, "Signature", look.font, 7.5, colour=GREY)
    sheet.text(look.left, 812, "Retain a copy for your records.  Page 1 of 1", look.font, 7.5, colour=GREY)
