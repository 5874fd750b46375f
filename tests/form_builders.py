"""Makers of PDF forms, for the tests of what reads form fields."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

from pypdf import PdfWriter
from reportlab.lib.pagesizes import A4  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

WIDTH, HEIGHT = A4


class FormSheet:
    """A form under the pen: points from the top left corner, ReportLab's own fields."""

    def __init__(self) -> None:
        self._actions: list[Callable[[Canvas], object]] = []

    def print(self, x: float, y: float, text: str) -> Self:
        """Print a text whose baseline begins at ``x``, ``y``."""
        return self._do(lambda canvas: canvas.drawString(x, HEIGHT - y, text))

    def text(
        self, name: str, x: float, y: float, value: str = "", *, tip: str = "", width: float = 120, **more: Any
    ) -> Self:
        """A text field, 16 points high, whose upper left corner is at ``x``, ``y``."""
        bottom = HEIGHT - y - 16
        return self._field(
            "textfield", name=name, tooltip=tip, value=value, x=x, y=bottom, width=width, height=16, **_FLAT, **more
        )

    def check(self, name: str, x: float, y: float, *, on: bool = False, tip: str = "") -> Self:
        """A check box of 10 points."""
        return self._field("checkbox", name=name, tooltip=tip, checked=on, x=x, y=HEIGHT - y - 10, size=10)

    def radio(self, name: str, options: Sequence[tuple[str, float, float]], on: str = "", *, tip: str = "") -> Self:
        """Radio buttons: for each what it stands for in the file, and its upper left corner."""
        for value, x, y in options:
            self._field(
                "radio", name=name, tooltip=tip, value=value, selected=value == on, x=x, y=HEIGHT - y - 10, size=10
            )
        return self

    def choice(
        self, name: str, x: float, y: float, options: Sequence[tuple[str, str]], on: str = "", *, tip: str = ""
    ) -> Self:
        """A choice of pairs of what is shown and what is meant; ``on`` is what is meant."""
        return self._field(
            "choice", name=name, tooltip=tip, options=list(options), value=on, x=x, y=HEIGHT - y - 16, width=120,
            height=16, **_FLAT,
        )  # fmt: skip

    def page(self) -> Self:
        """Begin another page."""
        return self._do(lambda canvas: canvas.showPage())

    def write(self, path: Path) -> Path:
        """The form as a file."""
        canvas = Canvas(str(path), pagesize=A4, invariant=1)
        canvas.setFont("Helvetica", 9)
        for action in self._actions:
            action(canvas)
        canvas.showPage()
        canvas.save()
        return path

    def _field(self, kind: str, **settings: Any) -> Self:
        def draw(canvas: Canvas) -> None:
            getattr(canvas.acroForm, kind)(fieldFlags="" if kind != "radio" else "radio", **settings)

        return self._do(draw)

    def _do(self, action: Callable[[Canvas], object]) -> Self:
        self._actions.append(action)
        return self


_FLAT: dict[str, Any] = {"fontName": "Helvetica", "fontSize": 9, "borderWidth": 0, "maxlen": 0}


def edited(path: Path, edit: Callable[[dict[str, Any], PdfWriter], None]) -> Path:
    """The form with changes: ``edit`` is given the widgets by name (the first of several), and the file."""
    writer = PdfWriter(clone_from=path)
    widgets: dict[str, Any] = {}
    for page in writer.pages:
        for entry in page.get("/Annots", ()):
            widget = entry.get_object()
            named = widget if "/T" in widget else widget["/Parent"].get_object()
            widgets.setdefault(str(named["/T"]), widget)
    edit(widgets, writer)
    with path.open("wb") as stream:
        writer.write(stream)
    return path
