"""Whether the text layer of a PDF is what the display list says, no character more and none less, by two readers.

A reader gives every character with the place where the pen stood. It must be the place of one recorded character, and
that one must be the same character. So text that was shifted, dropped, swapped or added is found, hidden text too.
"""

from __future__ import annotations

import ctypes
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from synth.display import DisplayList, Run
from synth.fonts import load_face
from synth.pdf import font_file

_ACROSS: Final = 0.7
"""How far a reader may put a character to the side, in points: pdfium rounds advances to a thousandth of an em."""
_DOWN: Final = 0.1
_CELL: Final = 2.0
_HYPHEN: Final = 2
"""What pdfium gives for a hyphen at the end of a line."""


class Glyph(NamedTuple):
    """A character, and where the pen stood, in points from the top left corner."""

    text: str
    x: float
    y: float


class TextFault(NamedTuple):
    """What is wrong with the text of a page. ``leaf`` is the leaf whose text it is, or None."""

    page: int
    leaf: str | None
    message: str


def glyphs_of(run: Run) -> Iterator[Glyph]:
    """The characters of a run that can be seen."""
    face = load_face(font_file(run.face))
    pen = 0
    for character in run.text:
        if not character.isspace():
            yield Glyph(character, run.x + pen / face.em * run.size, run.y)
        pen += face.advance[character]


def text_faults(drawn: DisplayList, page: int, found: Iterable[Glyph], reader: str) -> list[TextFault]:
    """Each recorded run of a page that is not read as recorded, and each character that nobody recorded."""
    expected = [(glyph, run) for run in drawn.sheets[page - 1].runs for glyph in glyphs_of(run)]
    cells: dict[tuple[int, int], list[int]] = {}
    for at, (glyph, _) in enumerate(expected):
        cells.setdefault(_cell(glyph.x, glyph.y), []).append(at)
    claimed = [False] * len(expected)
    unclaimed: list[Glyph] = []
    for glyph in found:
        nearest = _nearest(glyph, expected, claimed, cells)
        if nearest is None:
            unclaimed.append(glyph)
        else:
            claimed[nearest] = True
    unread: dict[int, tuple[Run, str]] = {}
    for at, (glyph, run) in enumerate(expected):
        if not claimed[at]:
            unread[id(run)] = (run, unread.get(id(run), (run, ""))[1] + glyph.text)
    faults: list[TextFault] = []
    for run, missing in unread.values():
        message = f"{reader} does not read {missing!r} of {run.text!r} at {_at(run.x, run.y)}"
        faults.append(TextFault(page, run.leaf, message))
    for first, text in _side_by_side(unclaimed):
        message = f"{reader} reads {text!r} at {_at(first.x, first.y)}, which no recorded run claims"
        faults.append(TextFault(page, None, message))
    return faults


def _side_by_side(glyphs: Iterable[Glyph]) -> Iterator[tuple[Glyph, str]]:
    """Characters that come one after the other on a line, together; each time with the first."""
    for _, run in groupby(glyphs, key=lambda glyph: round(glyph.y, 1)):
        line = list(run)
        yield line[0], "".join(glyph.text for glyph in line)


def _cell(x: float, y: float) -> tuple[int, int]:
    return (int(x // _CELL), int(y // _CELL))


def _nearest(
    glyph: Glyph,
    expected: Sequence[tuple[Glyph, Run]],
    claimed: Sequence[bool],
    cells: dict[tuple[int, int], list[int]],
) -> int | None:
    """The nearest recorded character that is the same and that no other claimed."""
    column, row = _cell(glyph.x, glyph.y)
    best, distance = None, _ACROSS
    for near in ((column + dx, row + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)):
        for at in cells.get(near, ()):
            other = expected[at][0]
            apart = abs(other.x - glyph.x)
            if not claimed[at] and apart <= distance and abs(other.y - glyph.y) <= _DOWN and other.text == glyph.text:
                best, distance = at, apart
    return best


def _at(x: float, y: float) -> str:
    return f"x {x:.1f}, y {y:.1f}"


def read_with_pdfium(pdf: bytes, pages: Sequence[int]) -> Iterator[tuple[int, list[Glyph]]]:
    """The visible characters of each page as pdfium reads them."""
    import pypdfium2  # type: ignore[import-untyped]
    from pypdfium2 import raw

    document = pypdfium2.PdfDocument(pdf)
    try:
        for number in pages:
            page = document[number - 1]
            height = page.get_height()
            text = page.get_textpage()
            glyphs: list[Glyph] = []
            x, y = ctypes.c_double(), ctypes.c_double()
            for at in range(text.count_chars()):
                code = raw.FPDFText_GetUnicode(text, at)
                character = "-" if code == _HYPHEN else chr(code)
                if character.isspace() or raw.FPDFText_IsGenerated(text, at) == 1:
                    continue
                raw.FPDFText_GetCharOrigin(text, at, x, y)
                glyphs.append(Glyph(character, x.value, height - y.value))
            yield number, glyphs
            text.close()
            page.close()
    finally:
        document.close()


def read_with_pdfminer(pdf: bytes, pages: Sequence[int]) -> Iterator[tuple[int, list[Glyph]]]:
    """The visible characters of each page as pdfminer reads them."""
    from pdfminer.converter import PDFPageAggregator
    from pdfminer.layout import LTChar
    from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager
    from pdfminer.pdfpage import PDFPage

    resources = PDFResourceManager()
    # Without parameters of layout it groups nothing into lines, which takes most of its time.
    device = PDFPageAggregator(resources, laparams=None)
    interpreter = PDFPageInterpreter(resources, device)
    wanted = sorted(pages)
    for number, page in zip(wanted, PDFPage.get_pages(io.BytesIO(pdf), {at - 1 for at in wanted}), strict=False):
        interpreter.process_page(page)
        layout = device.get_result()
        yield (
            number,
            [
                Glyph(item.get_text(), item.matrix[4], layout.height - item.matrix[5])
                for item in layout
                if isinstance(item, LTChar) and not item.get_text().isspace()
            ],
        )


READERS: Final = {"pdfium": read_with_pdfium, "pdfminer": read_with_pdfminer}
