"""A display list as PDF: the same bytes for the same list, in any process, folder, time zone and year."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from reportlab import rl_config  # type: ignore[import-untyped]
from reportlab.pdfbase import pdfmetrics  # type: ignore[import-untyped]
from reportlab.pdfbase.ttfonts import TTFont  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from synth.book import BOLD
from synth.display import Area, Colour, DisplayList, Rule, Sheet
from synth.fonts import FontFile, family, load_face

_PREFIX: Final = "goldleaf-"
_MAKERS: Final = re.compile(rb"% ?ReportLab [Gg]enerated PDF document[^\n\r]*|(?<=\x9e) ReportLab [^\n\r]*")

Progress = Callable[[int, int], None]
"""Told how many pages of how many are done."""


def write_pdf(drawn: DisplayList, *, compressed: bool = True, progress: Progress | None = None) -> bytes:
    """The document.

    Args:
        drawn: what to draw.
        compressed: whether streams are compressed; without it the bytes do not hang on the build of zlib.
        progress: told after each page.
    """
    buffer = io.BytesIO()
    with _binary_streams():
        canvas = Canvas(buffer, pagesize=drawn.size, invariant=1, pageCompression=int(compressed))
        canvas.setTitle(drawn.title)
        canvas.setAuthor(drawn.author)
        # What made the file would tell a system under test that it is synthetic.
        canvas.setCreator("")
        canvas.setProducer("")
        for done, sheet in enumerate(drawn.sheets, start=1):
            _draw(canvas, sheet, drawn.size[1])
            canvas.showPage()
            if progress is not None:
                progress(done, len(drawn.sheets))
        canvas.save()
    # Comments that name the maker; other bytes keep their places, which the table of the file's objects tells.
    return _MAKERS.sub(lambda found: b"%".ljust(len(found[0])), buffer.getvalue())


def font_file(face: str) -> FontFile:
    """The file of a face of a book."""
    found = family(face.removesuffix(BOLD))
    return found.bold if face.endswith(BOLD) else found.regular


def _draw(canvas: Canvas, sheet: Sheet, height: float) -> None:
    for area in sheet.areas:
        _area(canvas, area, height)
    if sheet.runs:
        text = canvas.beginText()
        pen: tuple[str, float] | None = None
        colour: Colour | None = None
        for run in sheet.runs:
            if (run.face, run.size) != pen:
                pen = (run.face, run.size)
                text.setFont(_registered(run.face), run.size)
            if run.colour != colour:
                colour = run.colour
                text.setFillColorRGB(*colour)
            text.setTextOrigin(run.x, height - run.y)
            text.textOut(run.text)
        canvas.drawText(text)
    for rule in sheet.rules:
        _rule(canvas, rule, height)


def _area(canvas: Canvas, area: Area, height: float) -> None:
    if area.fill is not None:
        canvas.setFillColorRGB(*area.fill)
    if area.stroke is not None:
        canvas.setStrokeColorRGB(*area.stroke)
    canvas.setLineWidth(area.line)
    canvas.rect(
        area.x,
        height - area.y - area.height,
        area.width,
        area.height,
        fill=int(area.fill is not None),
        stroke=int(area.stroke is not None),
    )


def _rule(canvas: Canvas, rule: Rule, height: float) -> None:
    canvas.setStrokeColorRGB(*rule.colour)
    canvas.setLineWidth(rule.width)
    canvas.line(rule.x0, height - rule.y0, rule.x1, height - rule.y1)


def _registered(face: str) -> str:
    name = f"{_PREFIX}{face}"
    if name not in pdfmetrics.getRegisteredFontNames():
        pdfmetrics.registerFont(TTFont(name, io.BytesIO(load_face(font_file(face)).data)))
    return name


@contextmanager
def _binary_streams() -> Iterator[Any]:
    """Streams as bytes: ReportLab spells them in ASCII otherwise, a quarter larger, which hardly any other maker does.

    The setting is ReportLab's own and for the whole process, so it is put back.
    """
    before = rl_config.useA85
    rl_config.useA85 = 0
    try:
        yield
    finally:
        rl_config.useA85 = before
