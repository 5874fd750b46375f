"""Whether the ink on a rendered page is where the font's outlines say, word by word, in two renderers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from synth.display import Colour, Rule, Run, Sheet
from synth.evidence import Frame, ink_of
from synth.fonts import load_face
from synth.pdf import font_file

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    Grey = NDArray[np.uint8]

DPI: Final = 300
_SCALE: Final = DPI / 72
_MARGIN: Final = 4
"""How far around a word its ink is looked for, in pixels; its neighbours are farther away."""
_JOINED: Final = 0.12
"""Text nearer than that, in em, is one word with its neighbour."""
_PAPER: Final = 236
_LIGHT: Final = 0.6
_LIGHT_INK: Final = 170


class Word(NamedTuple):
    """A word: where its ink should be, in points, how it is coloured, and the leaf that it belongs to."""

    text: str
    ink: Frame
    colour: Colour
    leaf: str | None


def words_of(sheet: Sheet) -> list[Word]:
    """The words of a page; what stands side by side without a gap is one, even of several runs."""
    placed = sorted(
        (part for run in sheet.runs for part in _parts(run)), key=lambda part: (part[0].y, part[0].x, part[0].text)
    )
    words: list[Word] = []
    before: tuple[Run, float] | None = None
    for run, end in placed:
        ink = ink_of(run)
        if ink is None:
            continue
        joins = before is not None and before[0].y == run.y and run.x - before[1] < _JOINED * run.size
        if joins and words:
            last = words[-1]
            words[-1] = last._replace(text=last.text + run.text, ink=last.ink.around(ink))
        else:
            words.append(Word(run.text, ink, run.colour, run.leaf))
        before = (run, end)
    return words


def _parts(run: Run) -> Iterator[tuple[Run, float]]:
    """The words of a run as runs, each with where its pen ends."""
    face = load_face(font_file(run.face))
    pen = run.x
    space = face.advance[" "] / face.em * run.size
    for word in run.text.split(" "):
        width = face.width(word) * run.size if word else 0.0
        if word:
            yield run._replace(x=pen, text=word, width=width), pen + width
        pen += width + space


class InkError(NamedTuple):
    """How far the ink of a word is from where it should be, in pixels at its worst edge; infinite if there is none."""

    word: Word
    pixels: float


def ink_errors(sheet: Sheet, page: Grey) -> list[InkError]:
    """The error of every word of a page, which was rendered in grey at ``DPI``."""
    import numpy as np

    clean = page.copy()
    for rule in sheet.rules:
        _wipe(clean, rule)
    for area in sheet.areas:
        if area.stroke is not None:
            right, bottom = area.x + area.width, area.y + area.height
            for x0, y0, x1, y1 in (
                (area.x, area.y, right, area.y),
                (area.x, bottom, right, bottom),
                (area.x, area.y, area.x, bottom),
                (right, area.y, right, bottom),
            ):
                _wipe(clean, Rule(x0, y0, x1, y1, area.line, area.stroke))
    words = words_of(sheet)
    frames = np.array([word.ink for word in words]).reshape(-1, 4) * _SCALE
    return [InkError(word, _error(at, word, frames, clean)) for at, word in enumerate(words)]


def _wipe(page: Grey, rule: Rule) -> None:
    """Take a line off the page, so that it is not taken for the ink of a word."""
    half = rule.width / 2
    x0, x1 = sorted((rule.x0, rule.x1))
    y0, y1 = sorted((rule.y0, rule.y1))
    left, top = max(0, int((x0 - half) * _SCALE) - 1), max(0, int((y0 - half) * _SCALE) - 1)
    page[top : int((y1 + half) * _SCALE) + 3, left : int((x1 + half) * _SCALE) + 3] = 255


def _error(at: int, word: Word, frames: NDArray[np.float64], page: Grey) -> float:
    import numpy as np

    x0, y0, x1, y1 = map(float, frames[at])
    left, top = max(0, int(x0) - _MARGIN), max(0, int(y0) - _MARGIN)
    window = page[top : int(y1) + _MARGIN + 2, left : int(x1) + _MARGIN + 2].astype(np.int16)
    luminance = 0.3 * word.colour[0] + 0.59 * word.colour[1] + 0.11 * word.colour[2]
    # Light text stands on a dark ground.
    inked = window < (luminance * 255 + _PAPER) / 2 if luminance < _LIGHT else window > _LIGHT_INK
    _without_neighbours(inked, at, frames, left, top)
    columns, rows = np.flatnonzero(inked.any(axis=0)), np.flatnonzero(inked.any(axis=1))
    if not columns.size:
        return float("inf")
    measured = (left + columns[0], top + rows[0], left + columns[-1] + 1, top + rows[-1] + 1)
    return max(abs(float(found) - edge) for found, edge in zip(measured, (x0, y0, x1, y1), strict=True))


def _without_neighbours(inked: NDArray[np.bool_], at: int, frames: NDArray[np.float64], left: int, top: int) -> None:
    """Take the words around out of a window, where they do not lie over the word itself."""
    height, width = inked.shape
    x0, y0, x1, y1 = frames.T
    # Renderers blur an edge over a pixel, and some set glyphs up to two pixels lower.
    near = (x0 < left + width + 1) & (x1 > left - 1) & (y0 < top + height) & (y1 > top - 2)
    near[at] = False
    own = frames[at]
    for other in frames[near]:
        columns = slice(max(0, int(other[0]) - 1 - left), max(0, int(other[2]) + 2 - left))
        if other[1] >= own[3] - 1:
            inked[max(0, int(other[1]) - 1 - top, int(own[3]) + 1 - top) :, columns] = False
        elif other[3] <= own[1] + 1:
            inked[: max(0, min(int(other[3]) + 3, int(own[1]) - 1) - top), columns] = False
        elif other[0] >= own[2] + 1:
            inked[:, max(0, int(other[0]) - 1 - left, int(own[2]) + 2 - left) :] = False
        elif other[2] <= own[0] - 1:
            inked[:, : max(0, min(int(other[2]) + 2, int(own[0]) - 1) - left)] = False


def render_with_pdfium(file: Path, pages: Sequence[int]) -> Iterator[tuple[int, Grey]]:
    """Each page in grey at ``DPI``, by pdfium."""
    import numpy as np
    import pypdfium2  # type: ignore[import-untyped]

    document = pypdfium2.PdfDocument(file)
    try:
        for number in pages:
            page = document[number - 1]
            bitmap = page.render(scale=_SCALE, grayscale=True)
            yield number, np.array(bitmap.to_numpy(), dtype=np.uint8).reshape(bitmap.height, bitmap.width)
            bitmap.close()
            page.close()
    finally:
        document.close()


def render_with_mupdf(file: Path, pages: Sequence[int]) -> Iterator[tuple[int, Grey]]:
    """Each page in grey at ``DPI``, by MuPDF."""
    import numpy as np
    from PIL import Image

    from groundtruth.pages import open_document

    with open_document(file) as document:
        for number in pages:
            yield number, np.asarray(Image.fromarray(document.page(number).raster(DPI)).convert("L"))


RENDERERS: Final[dict[str, Callable[[Path, Sequence[int]], Iterator[tuple[int, Grey]]]]] = {
    "pdfium": render_with_pdfium,
    "mupdf": render_with_mupdf,
}
