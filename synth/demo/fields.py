"""Form fields on a sheet, filled in: what stands in them is drawn by the field, as a program for forms leaves it.

ReportLab's own fields draw frames and marks of their own; these draw what a pen would, and come with compartments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from reportlab.lib.rl_accel import fp_str  # type: ignore[import-untyped]
from reportlab.pdfbase.acroform import PDFFromString  # type: ignore[import-untyped]
from reportlab.pdfbase.pdfdoc import PDFArray, PDFDictionary, PDFName, PDFString  # type: ignore[import-untyped]
from reportlab.pdfbase.pdfmetrics import stringWidth  # type: ignore[import-untyped]

from synth.demo.sheet import Colour, Sheet

_PRINTED: Final = 1 << 2
_RADIO: Final = 1 << 15
_NO_TOGGLE_TO_OFF: Final = 1 << 14
_COMB: Final = 1 << 24

_CROSS: Final = ((0.08, 0.06, 0.96, 0.96), (0.14, 0.91, 0.9, 0.08))
"""Strokes from x, y to x, y in shares of the box, from its lower left corner."""


class Fields:
    """The form of one sheet.

    A name with dots is a field within fields. Places are in points from the top left corner, like the sheet's.
    """

    def __init__(self, sheet: Sheet, font: str, size: float, colour: Colour) -> None:
        self._sheet = sheet
        self._form = sheet.canvas.acroForm
        self._font, self._size = font, size
        self._paint = fp_str(*colour)
        self._nodes: dict[str, Any] = {}

    def text(
        self, name: str, x: float, y: float, width: float, height: float, value: str, baseline: float, tip: str = ""
    ) -> None:
        """A field for one line of text, which begins six points in, with its baseline so far under the upper edge."""
        self._add_text(name, (x, y, width, height), value, [(6.0, height - baseline, value)] if value else [], tip, {})

    def comb(
        self,
        name: str,
        x: float,
        y: float,
        width: float,
        height: float,
        value: str,
        cells: int,
        baseline: float,
        tip: str,
    ) -> None:
        """A field with a compartment for every character."""
        cell = width / cells
        pieces = [
            (cell * (place + 0.5) - stringWidth(character, self._font, self._size) / 2, height - baseline, character)
            for place, character in enumerate(value)
        ]
        self._add_text(name, (x, y, width, height), value, pieces, tip, {"Ff": _COMB, "MaxLen": cells})

    def check(self, name: str, x: float, y: float, size: float, *, crossed: bool, tip: str = "") -> None:
        """A check box; its frame is the sheet's."""
        state = PDFName("Yes" if crossed else "Off")
        self._add(name, self._box(x, y, size, "Yes", state) | {"FT": PDFName("Btn"), "V": state} | _tip(tip))

    def radio(
        self, name: str, options: Sequence[tuple[str, float, float]], size: float, chosen: str, tip: str = ""
    ) -> None:
        """Boxes of which one is crossed: for each what it stands for, and its upper left corner."""
        group = {"FT": PDFName("Btn"), "Ff": _RADIO | _NO_TOGGLE_TO_OFF, "V": PDFName(chosen)} | _tip(tip)
        node = self._node(name, group)
        for option, x, y in options:
            entries = self._box(x, y, size, option, PDFName(option if option == chosen else "Off"))
            self._widget(node, entries)

    def _add_text(
        self,
        name: str,
        place: tuple[float, float, float, float],
        value: str,
        pieces: Sequence[tuple[float, float, str]],
        tip: str,
        more: dict[str, object],
    ) -> None:
        x, y, width, height = place
        font, alias = self._form.makeFont(self._font)
        shown = "".join(f"1 0 0 1 {fp_str(left, up)} Tm ({_escaped(text)}) Tj\n" for left, up, text in pieces)
        paint = f"/{alias} {fp_str(self._size)} Tf {self._paint} rg"
        content = f"/Tx BMC\nq\nBT\n{paint}\n{shown}ET\nQ\nEMC" if pieces else "/Tx BMC\nEMC"
        resources = PDFFromString(f"<< /Font << /{alias} {font} >> >>")
        drawing = self._form.makeStream(width, height, content, Resources=resources)
        entries = {
            "FT": PDFName("Tx"),
            "V": PDFString(value),
            "DA": PDFString(paint),
            "Rect": self._rectangle(x, y, width, height),
            "AP": PDFDictionary({"N": self._form.getRef(drawing)}),
        }
        self._add(name, entries | _tip(tip) | more)

    def _box(self, x: float, y: float, size: float, option: str, state: object) -> dict[str, object]:
        strokes = "".join(
            f"{fp_str(x0 * size, y0 * size)} m {fp_str(x1 * size, y1 * size)} l S\n" for x0, y0, x1, y1 in _CROSS
        )
        crossed = self._form.makeStream(size, size, f"q\n{self._paint} RG 1.4 w\n{strokes}Q")
        empty = self._form.makeStream(size, size, "q\nQ")
        drawings = PDFDictionary({option: self._form.getRef(crossed), "Off": self._form.getRef(empty)})
        return {
            "AS": state,
            "Rect": self._rectangle(x, y, size, size),
            "AP": PDFDictionary({"N": drawings}),
        }

    def _rectangle(self, x: float, y: float, width: float, height: float) -> object:
        bottom = self._sheet.height - y - height
        return PDFArray([round(edge, 3) for edge in (x, bottom, x + width, bottom + height)])

    def _add(self, name: str, entries: dict[str, object]) -> None:
        """A field that is shown in one place."""
        outer, _, own = name.rpartition(".")
        self._widget(self._node(outer, {}) if outer else None, {"T": PDFString(own)} | entries)

    def _node(self, name: str, entries: dict[str, object]) -> Any:
        """A field that holds others, made when it is first named."""
        if name not in self._nodes:
            outer, _, own = name.rpartition(".")
            parent = self._node(outer, {}) if outer else None
            node = PDFDictionary({"T": PDFString(own), "Kids": PDFArray([])} | entries)
            self._nodes[name] = node
            self._attach(parent, node)
        return self._nodes[name]

    def _widget(self, parent: Any, entries: dict[str, object]) -> None:
        fixed = {"Type": PDFName("Annot"), "Subtype": PDFName("Widget"), "F": _PRINTED}
        widget = PDFDictionary(fixed | {"P": self._sheet.canvas._doc.thisPageRef()} | entries)
        # The canvas names the widget, so it comes before anything refers to it.
        self._sheet.canvas._addAnnotation(widget)
        self._attach(parent, widget)

    def _attach(self, parent: Any, child: Any) -> None:
        reference = self._form.getRef(child)
        if parent is None:
            self._form.fields.append(reference)
        else:
            child.dict["Parent"] = self._form.getRef(parent)
            parent.dict["Kids"].sequence.append(reference)


def _tip(text: str) -> dict[str, object]:
    return {"TU": PDFString(text)} if text else {}


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
