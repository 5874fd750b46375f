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
    Mask = NDArray[np.bool_]

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

    ruled = np.zeros(page.shape, dtype=np.bool_)
    for rule in sheet.rules:
        _mark(ruled, rule)
    for area in sheet.areas:
        if area.stroke is not None:
            right, bottom = area.x + area.width, area.y + area.height
            for x0, y0, x1, y1 in (
                (area.x, area.y, right, area.y),
                (area.x, bottom, right, bottom),
                (area.x, area.y, area.x, bottom),
                (right, area.y, right, bottom),
            ):
                _mark(ruled, Rule(x0, y0, x1, y1, area.line, area.stroke))
    words = words_of(sheet)
    frames = np.array([word.ink for word in words]).reshape(-1, 4) * _SCALE
    return [InkError(word, _error(at, word, frames, page, ruled)) for at, word in enumerate(words)]


def _mark(ruled: Mask, rule: Rule) -> None:
    """Mark a line, so that it is not taken for the ink of a word."""
    half = rule.width / 2
    x0, x1 = sorted((rule.x0, rule.x1))
    y0, y1 = sorted((rule.y0, rule.y1))
    left, top = max(0, int((x0 - half) * _SCALE) - 1), max(0, int((y0 - half) * _SCALE) - 1)
    ruled[top : int((y1 + half) * _SCALE) + 3, left : int((x1 + half) * _SCALE) + 3] = True


def _error(at: int, word: Word, frames: NDArray[np.float64], page: Grey, ruled: Mask) -> float:
    import numpy as np

    x0, y0, x1, y1 = map(float, frames[at])
    left, top = max(0, int(x0) - _MARGIN), max(0, int(y0) - _MARGIN)
    around = (slice(top, int(y1) + _MARGIN + 2), slice(left, int(x1) + _MARGIN + 2))
    window, lines = page[around].astype(np.int16), ruled[around]
    luminance = 0.3 * word.colour[0] + 0.59 * word.colour[1] + 0.11 * word.colour[2]
    # Light text stands on a dark ground.
    inked = window < (luminance * 255 + _PAPER) / 2 if luminance < _LIGHT else window > _LIGHT_INK
    inked &= ~lines
    _without_neighbours(inked, at, frames, left, top)
    columns, rows = np.flatnonzero(inked.any(axis=0)), np.flatnonzero(inked.any(axis=1))
    if not columns.size:
        return float("inf")
    # What of a word lies on a line, as the accents of a row under one, cannot be told from the line.
    across = np.all(lines[:, int(x0) - left : int(x1) + 1 - left], axis=1)
    down = np.all(lines[int(y0) - top : int(y1) + 1 - top], axis=0)
    measured = (*_edges(columns, down, x0 - left, x1 - left), *_edges(rows, across, y0 - top, y1 - top))
    expected = (x0 - left, x1 - left, y0 - top, y1 - top)
    return max(abs(found - edge) for found, edge in zip(measured, expected, strict=True))


def _edges(inked: NDArray[np.intp], hidden: Mask, low: float, high: float) -> tuple[float, float]:
    """Where ink begins and ends along an axis; where a line hides what should be its edge, the edge is taken as right.

    What is left of the word then still has its other edges. Ink that stands out beyond the line is told all the same.
    """
    first, end = float(inked[0]), float(inked[-1]) + 1
    # An edge that falls between two pixels may be seen in the second alone.
    begins, ends = round(low), round(high)
    if first > low and hidden[begins : begins + 2].any():
        first = low
    if end < high and hidden[max(0, ends - 2) : ends].any():
        end = high
    return first, end


def _without_neighbours(inked: Mask, at: int, frames: NDArray[np.float64], left: int, top: int) -> None:
    """Take the words around out of a window, but for what lies within the frame of the word itself.

    The frames of two lines may reach into one another, as a ``p`` does between the accents of the line below.
    """
    height, width = inked.shape
    x0, y0, x1, y1 = frames.T
    # Renderers blur an edge over a pixel, and some set glyphs up to two pixels lower.
    near = (x0 < left + width + 1) & (x1 > left - 2) & (y0 < top + height + 1) & (y1 > top - 3)
    near[at] = False
    own = _pixels(frames[at], left, top, below=1)
    kept = inked[own].copy()
    for other in frames[near]:
        inked[_pixels(other, left, top, below=3)] = False
    inked[own] = kept


def _pixels(frame: NDArray[np.float64], left: int, top: int, *, below: int) -> tuple[slice, slice]:
    """The rows and columns of a window that the ink of a frame falls on, with a pixel around, and some below."""
    x0, y0, x1, y1 = map(int, frame)
    rows = slice(max(0, y0 - 1 - top), max(0, y1 + below - top))
    return rows, slice(max(0, x0 - 1 - left), max(0, x1 + 2 - left))


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
