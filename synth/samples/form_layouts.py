"""The ways in which sample forms set a label and what was filled in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from reportlab.lib.colors import Color  # type: ignore[import-untyped]

from groundtruth.jsontext import Json
from synth.demo.sheet import GREY, INK, PALE, Sheet
from synth.samples.form_fields import Entry
from synth.samples.style import Look
from synth.samples.wording import Field

Printed = tuple[Entry, str, Sequence[str]]
"""An entry, the path of its leaf, and the lines that it was filled with; no line for a blank."""

_EDGE: Final = (0.4, 0.42, 0.46)
_LABEL_SIZE: Final = 7.5


class Ink(NamedTuple):
    """Where to draw, and how it looks."""

    sheet: Sheet
    look: Look

    def value(self, x: float, y: float, lines: Sequence[str], leaf: str) -> None:
        """Write a value with its first baseline at ``y``."""
        for number, line in enumerate(lines):
            self.sheet.text(x, y + number * self.look.size * 1.2, line, self.look.font, self.look.size, leaf=leaf)

    def label(self, x: float, y: float, text: str) -> None:
        """Write a small label."""
        self.sheet.text(x, y, text, self.look.font, _LABEL_SIZE, colour=GREY)


def _rows(printed: Sequence[Printed]) -> list[list[Printed]]:
    """The entries in rows of at most twelve twelfths."""
    rows: list[list[Printed]] = [[]]
    for one in printed:
        if sum(other[0].width for other in rows[-1]) + one[0].width > 12:
            rows.append([])
        rows[-1].append(one)
    return rows


def _boxes(ink: Ink, y: float, printed: Sequence[Printed]) -> float:
    """Ruled boxes side by side, the label small in the upper corner, the value under it."""
    room = ink.look.right - ink.look.left
    for row in _rows(printed):
        lines = max(1, *(len(lines) for *_, lines in row))
        height = 18 + lines * ink.look.size * 1.2
        x = ink.look.left
        share = room / sum(entry.width for entry, *_ in row)
        for entry, leaf, filled in row:
            width = share * entry.width
            ink.sheet.box(x, y, width, height, stroke=_EDGE)
            ink.label(x + 4, y + 9, entry.field.label)
            ink.value(x + 6, y + 12 + ink.look.size, filled, leaf)
            x += width
        y += height
    return y


def _lines(ink: Ink, y: float, printed: Sequence[Printed]) -> float:
    """Labels above lines to write on."""
    room = ink.look.right - ink.look.left
    for row in _rows(printed):
        lines = max(1, *(len(lines) for *_, lines in row))
        x = ink.look.left
        for entry, leaf, filled in row:
            width = room * entry.width / 12
            ink.label(x, y + 6, entry.field.label)
            ink.value(x + 3, y + 10 + ink.look.size, filled, leaf)
            base = y + 14 + lines * ink.look.size * 1.2
            ink.sheet.rule(x, base, x + width - 12, 0.5, _EDGE)
            x += width
        y += 22 + lines * ink.look.size * 1.2
    return y


def _colons(ink: Ink, y: float, printed: Sequence[Printed]) -> float:
    """One entry under the other, a colon after the label, the values at one left edge."""
    for entry, leaf, filled in printed:
        ink.sheet.text(ink.look.left, y + 8, f"{entry.field.label}:", ink.look.font, ink.look.size)
        ink.value(ink.look.left + 150, y + 8, filled, leaf)
        y += max(1, len(filled)) * ink.look.size * 1.2 + 6
    return y


def _cells(ink: Ink, y: float, printed: Sequence[Printed]) -> float:
    """A ruled table of two columns: the label on grey, the value beside it."""
    room = ink.look.right - ink.look.left
    for entry, leaf, filled in printed:
        height = 8 + max(1, len(filled)) * ink.look.size * 1.2
        ink.sheet.box(ink.look.left, y, 0.36 * room, height, fill=PALE, stroke=_EDGE)
        ink.sheet.box(ink.look.left + 0.36 * room, y, 0.64 * room, height, stroke=_EDGE)
        ink.sheet.text(ink.look.left + 5, y + 3 + ink.look.size, entry.field.label, ink.look.bold, ink.look.size - 1)
        ink.value(ink.look.left + 0.36 * room + 6, y + 3 + ink.look.size, filled, leaf)
        y += height
    return y


def _dense(ink: Ink, y: float, printed: Sequence[Printed]) -> float:
    """Labels with colons in two columns, small and close."""
    half = (ink.look.right - ink.look.left) / 2
    size = ink.look.size - 1.5
    for start in range(0, len(printed), 2):
        pair = printed[start : start + 2]
        for number, (entry, leaf, filled) in enumerate(pair):
            x = ink.look.left + number * half
            width = ink.sheet.text(x, y + 8, f"{entry.field.label}:", ink.look.bold, size)
            for at, line in enumerate(filled):
                ink.sheet.text(x + width + 5, y + 8 + at * size * 1.2, line, ink.look.font, size, leaf=leaf)
        y += max(1, *(len(filled) for *_, filled in pair)) * size * 1.2 + 3
    return y


def _fields(ink: Ink, y: float, printed: Sequence[Printed]) -> float:
    """Fields to fill on screen, the label printed before each, or above it where two stand side by side."""
    room = ink.look.right - ink.look.left
    for row in _rows(printed):
        lines = max(1, *(len(lines) for *_, lines in row))
        height = 8 + lines * ink.look.size * 1.2
        x = ink.look.left
        share = room / sum(entry.width for entry, *_ in row)
        for entry, leaf, filled in row:
            width = share * entry.width
            ink.label(x, y + 7, entry.field.label)
            _widget(ink, (x, y + 10, width - 8, height), entry.field, leaf, filled)
            x += width
        y += height + 18
    return y


def _widget(ink: Ink, place: tuple[float, float, float, float], field: Field, leaf: str, filled: Sequence[str]) -> None:
    x, y, width, height = place
    ink.sheet.canvas.acroForm.textfield(
        value="\n".join(filled),
        fillColor=None,
        borderColor=Color(*_EDGE),
        textColor=Color(*INK),
        borderWidth=0.5,
        borderStyle="solid",
        width=width,
        height=height,
        x=x,
        y=ink.sheet.height - y - height,
        tooltip=field.label,
        name=leaf.replace(".", "_"),
        fontName="Helvetica",
        fontSize=ink.look.size,
        fieldFlags="multiline" if len(filled) > 1 else "",
    )
    if filled:
        ink.sheet.mark(leaf, x, y, width, height, "".join(filled))


Ticks = Sequence[tuple[Field, Json]]


def _drawn_ticks(ink: Ink, y: float, ticks: Ticks) -> float:
    """Squares with a cross of two strokes."""
    canvas = ink.sheet.canvas
    for number, (field, ticked) in enumerate(ticks):
        x, top = _tick_place(ink, y, number)
        ink.sheet.box(x, top, 9, 9, stroke=_EDGE, line=0.8)
        if ticked:
            canvas.setStrokeColorRGB(*INK)
            canvas.setLineWidth(1.1)
            base = ink.sheet.height - top
            canvas.line(x + 1.5, base - 1.5, x + 7.5, base - 7.5)
            canvas.line(x + 1.5, base - 7.5, x + 7.5, base - 1.5)
        ink.sheet.text(x + 15, top + 8, field.label, ink.look.font, ink.look.size - 0.5)
    return y + 18 * ((len(ticks) + 1) // 2)


def _printed_ticks(ink: Ink, y: float, ticks: Ticks) -> float:
    """Brackets with an X or nothing between."""
    for number, (field, ticked) in enumerate(ticks):
        x, top = _tick_place(ink, y, number)
        mark = "[X]" if ticked else "[ ]"
        ink.sheet.text(x, top + 8, mark, ink.look.font, ink.look.size, leaf=field.key)
        ink.sheet.text(x + 24, top + 8, field.label, ink.look.font, ink.look.size - 0.5)
    return y + 18 * ((len(ticks) + 1) // 2)


def _answered_ticks(ink: Ink, y: float, ticks: Ticks) -> float:
    """Yes or No after the label."""
    for number, (field, ticked) in enumerate(ticks):
        x, top = _tick_place(ink, y, number)
        ink.sheet.text(x, top + 8, f"{field.label}:", ink.look.font, ink.look.size)
        ink.sheet.text(x + 150, top + 8, "Yes" if ticked else "No", ink.look.font, ink.look.size, leaf=field.key)
    return y + 18 * ((len(ticks) + 1) // 2)


def _field_ticks(ink: Ink, y: float, ticks: Ticks) -> float:
    """Checkboxes to tick on screen."""
    for number, (field, ticked) in enumerate(ticks):
        x, top = _tick_place(ink, y, number)
        ink.sheet.canvas.acroForm.checkbox(
            checked=bool(ticked),
            buttonStyle="cross",
            size=11,
            x=x,
            y=ink.sheet.height - top - 10,
            tooltip=field.label,
            name=field.key,
            borderColor=Color(*_EDGE),
            fillColor=None,
            textColor=Color(*INK),
            borderWidth=0.7,
        )
        ink.sheet.text(x + 17, top + 8, field.label, ink.look.font, ink.look.size - 0.5)
    return y + 18 * ((len(ticks) + 1) // 2)


def _tick_place(ink: Ink, y: float, number: int) -> tuple[float, float]:
    half = (ink.look.right - ink.look.left) / 2
    return ink.look.left + 4 + number % 2 * half, y + 18 * (number // 2)


def _marked_ticks(ink: Ink, y: float, ticks: Ticks) -> float:
    """Squares with a tick of the font of signs."""
    for number, (field, ticked) in enumerate(ticks):
        x, top = _tick_place(ink, y, number)
        ink.sheet.box(x, top, 10, 10, stroke=_EDGE, line=0.8)
        if ticked:
            ink.sheet.text(x + 1.2, top + 8.4, "\u2714", "ZapfDingbats", 9)
        ink.sheet.text(x + 16, top + 8, field.label, ink.look.font, ink.look.size - 0.5)
    return y + 18 * ((len(ticks) + 1) // 2)


Arrange = Callable[[Ink, float, Sequence[Printed]], float]
Tick = Callable[[Ink, float, Ticks], float]

LAYOUTS: Final[Mapping[str, tuple[Arrange, Tick]]] = {
    "boxes": (_boxes, _drawn_ticks),
    "colons": (_colons, _answered_ticks),
    "fields": (_fields, _field_ticks),
    "lines": (_lines, _printed_ticks),
    "cells": (_cells, _marked_ticks),
    "dense": (_dense, _answered_ticks),
}
"""How entries are arranged and boxes ticked, by the name of the layout."""
