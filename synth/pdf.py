"""A display list as PDF: the same bytes for the same list, in any process, folder, time zone and year."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from reportlab import rl_config  # type: ignore[import-untyped]
from reportlab.pdfbase import pdfmetrics  # type: ignore[import-untyped]
from reportlab.pdfbase.ttfonts import TTFont  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from synth.book import BOLD
from synth.display import Area, Colour, DisplayList, Rule, Run, Sheet
from synth.fonts import Face, FontFile, family, load_face

_PDF_EM: Final = 1000
"""Units of an em in a PDF."""

_WORDS: Final = re.compile(" *[^ ]+ *")
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
        fonts = {face: _Codes(canvas, face) for face in dict.fromkeys(run.face for _, run in drawn.runs())}
        for done, sheet in enumerate(drawn.sheets, start=1):
            _draw(canvas, sheet, drawn.size[1], fonts)
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


class _Codes(dict[str, tuple[int, str]]):
    """How the characters of a face are written in the page's stream: the number of their subset, and their code.

    ReportLab gives each character a code at its first use. Asking it once a character, and not once a run, makes the
    writing of long lists three times as fast.
    """

    def __init__(self, canvas: Canvas, face: str) -> None:
        super().__init__()
        self._font = pdfmetrics.getFont(_registered(face))
        self._document = canvas._doc
        self._face = load_face(font_file(face))

    def __missing__(self, character: str) -> tuple[int, str]:
        ((subset, code),) = self._font.splitString(character, self._document)
        found = self[character] = (subset, _escaped(code))
        return found

    def name(self, subset: int) -> str:
        """What the page's stream calls a subset of the face."""
        return str(self._font.getSubsetInternalName(subset, self._document))

    def placed(self, run: Run) -> Iterable[tuple[float, str]]:
        """The parts of a run that are placed by themselves, each with its pen.

        Some readers round each advance to a thousandth of an em. Where the font's own units are others, they would be
        a point off at the end of a long line, so there each word is placed.
        """
        face = self._face
        return ((run.x, run.text),) if face.em == _PDF_EM or " " not in run.text else _words(run, face)


_Fonts = dict[str, _Codes]


def _words(run: Run, face: Face) -> Iterator[tuple[float, str]]:
    pen = run.x
    for word in _WORDS.findall(run.text):
        yield pen, word
        pen += face.width(word) * run.size


class _Text:
    """The runs of a page as one text object."""

    def __init__(self, sheet: Sheet, fonts: _Fonts, height: float) -> None:
        self._sheet, self._fonts, self._height = sheet, fonts, height

    def getCode(self) -> str:  # noqa: N802 - what ReportLab's canvas asks of a text object
        """The operators."""
        parts: list[str] = ["BT"]
        pen: tuple[str, float, int] | None = None
        colour: Colour | None = None
        for run in self._sheet.runs:
            if run.colour != colour:
                colour = run.colour
                parts.append("{:.4g} {:.4g} {:.4g} rg".format(*colour))
            codes = self._fonts[run.face]
            for x, placed in codes.placed(run):
                parts.append(f"1 0 0 1 {x:.4f} {self._height - run.y:.4f} Tm")
                for subset, text in _in_subsets(map(codes.__getitem__, placed)):
                    if (run.face, run.size, subset) != pen:
                        pen = (run.face, run.size, subset)
                        parts.append(f"{codes.name(subset)} {run.size:g} Tf")
                    parts.append(f"({text}) Tj")
        parts.append("ET")
        return "\n".join(parts)


def _in_subsets(codes: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    subset, text = -1, ""
    for own, code in codes:
        if own == subset:
            text += code
            continue
        if text:
            yield subset, text
        subset, text = own, code
    yield subset, text


def _escaped(code: bytes) -> str:
    byte = code[0]
    if byte in b"()\\":
        return f"\\{chr(byte)}"
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"


def _draw(canvas: Canvas, sheet: Sheet, height: float, fonts: _Fonts) -> None:
    for area in sheet.areas:
        _area(canvas, area, height)
    if sheet.runs:
        canvas.drawText(_Text(sheet, fonts, height))
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
