"""The words of a PDF file, read with pdfium: its characters joined to words, boxes on the page as displayed."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

from extractors.protocol import Job
from extractors.words import PageText, word_at
from groundtruth.box import Box
from groundtruth.errors import BrokenDocument, EncryptedDocument

_UPRIGHT_TOLERANCE: Final = math.radians(10)
_SPLIT_GAP: Final = 1.0
"""Characters further apart than this share of their height are two words, even without a space between them."""
_HYPHEN_MARK: Final = "\x02"

_Turn = Callable[[float, float], tuple[float, float]]


class _Character(NamedTuple):
    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    style: str


class _Frame(NamedTuple):
    """How the page's own coordinates become points of the page as displayed, from its top left corner."""

    width: float
    height: float
    turn: _Turn


def read_pdf(job: Job) -> Iterator[PageText]:
    """The words of every page to read.

    The values of form fields are part of the page, as in print. Text that does not stand upright on the displayed
    page is left out, and so is what lies off it.

    Raises:
        EncryptedDocument: a password is needed.
        BrokenDocument: pdfium cannot open the file or one of its pages.
    """
    document = _open(job.file)
    try:
        document.init_forms()
        index = 0
        for number in job.pages(len(document)):
            page = _read_page(document, number, index, job.file)
            index += len(page.words)
            yield page
    finally:
        document.close()


def _open(file: Path) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(file)
    except pypdfium2.PdfiumError as error:
        if error.err_code == pdfium.FPDF_ERR_PASSWORD:
            raise EncryptedDocument(f"{file}: needs a password; save a copy without one") from error
        raise BrokenDocument(f"{file}: cannot be opened as a PDF: {error}") from error


def _read_page(document: pypdfium2.PdfDocument, number: int, first_index: int, file: Path) -> PageText:
    try:
        page = _flat_page(document, number - 1)
        frame = _frame(page)
        text = page.get_textpage()
        found = list(_words(_characters(text, frame, page.get_rotation())))
    except pypdfium2.PdfiumError as error:
        raise BrokenDocument(f"{file}: page {number} cannot be read: {error}") from error
    placed = [(word, box) for word in found if (box := _box(word, frame)) is not None]
    words = [
        word_at(word.text, box, word.style, number, first_index + offset, frame.width, frame.height)
        for offset, (word, box) in enumerate(placed)
    ]
    text.close()
    page.close()
    return PageText(number, frame.width, frame.height, tuple(words))


def _flat_page(document: pypdfium2.PdfDocument, index: int) -> Any:
    """The page with its form fields and annotations drawn into it, because pdfium's text leaves them out."""
    page = document[index]
    if page.formenv is None or pdfium.FPDFPage_GetAnnotCount(page) == 0:
        return page
    page.flatten()
    page.close()
    return document[index]


def _frame(page: Any) -> _Frame:
    left, bottom, right, top = page.get_bbox()
    turns: dict[int, _Turn] = {
        0: lambda x, y: (x - left, top - y),
        90: lambda x, y: (y - bottom, x - left),
        180: lambda x, y: (right - x, y - bottom),
        270: lambda x, y: (top - y, right - x),
    }
    rotation = page.get_rotation()
    width, height = right - left, top - bottom
    return _Frame(*((width, height) if rotation % 180 == 0 else (height, width)), turns[rotation])


def _characters(text: Any, frame: _Frame, rotation: int) -> Iterator[_Character | None]:
    """The upright characters in the order of the text layer; None where words part."""
    for index in range(text.count_chars()):
        character = _text_of(pdfium.FPDFText_GetUnicode(text, index))
        if pdfium.FPDFText_IsGenerated(text, index) == 1 or not character or character.isspace():
            yield None
        elif _is_upright(pdfium.FPDFText_GetCharAngle(text, index), rotation):
            left, bottom, right, top = text.get_charbox(index, loose=True)
            (xa, ya), (xb, yb) = frame.turn(left, top), frame.turn(right, bottom)
            style = _style(text, index)
            yield _Character(character, min(xa, xb), min(ya, yb), max(xa, xb), max(ya, yb), style)
        else:
            yield None


def _text_of(code: int) -> str:
    if code in {0, 0xFFFE, 0xFFFF}:
        return ""
    return "-" if chr(code) == _HYPHEN_MARK else chr(code)


def _is_upright(angle: float, rotation: int) -> bool:
    """Whether text at ``angle`` (radians, clockwise, on the unrotated page) is level once the page is turned."""
    if angle < 0:  # pdfium could not tell
        return True
    difference = (angle + math.radians(rotation)) % math.tau
    return min(difference, math.tau - difference) <= _UPRIGHT_TOLERANCE


def _style(text: Any, index: int) -> str:
    flags = ctypes.c_int()
    size = pdfium.FPDFText_GetFontInfo(text, index, None, 0, flags)
    name = ctypes.create_string_buffer(max(size, 1))
    pdfium.FPDFText_GetFontInfo(text, index, name, size, flags)
    return name.value.decode("utf-8", "replace").split("+")[-1]


def _words(characters: Iterator[_Character | None]) -> Iterator[_Character]:
    run: list[_Character] = []
    for character in characters:
        if character is None or (run and _parts(run, character)):
            if run:
                yield _word(run)
            run = []
        if character is not None:
            run.append(character)
    if run:
        yield _word(run)


def _parts(run: list[_Character], character: _Character) -> bool:
    """Whether a new word begins: a gap, another line, or a value glued to the colon of its label."""
    last = run[-1]
    height = max(last.y1 - last.y0, character.y1 - character.y0)
    gap = max(last.x0, character.x0) - min(last.x1, character.x1)
    shift = abs((last.y0 + last.y1) - (character.y0 + character.y1)) / 2
    glued = last.text == ":" and character.text != "/" and len(run) > 2 and all(c.text.isalpha() for c in run[:-1])
    return gap > _SPLIT_GAP * height or shift > height / 2 or glued


def _word(run: list[_Character]) -> _Character:
    text = "".join(character.text for character in run)
    # Characters beyond the basic plane may come as two halves.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _Character(
        text,
        min(character.x0 for character in run),
        min(character.y0 for character in run),
        max(character.x1 for character in run),
        max(character.y1 for character in run),
        run[0].style,
    )


def _box(word: _Character, frame: _Frame) -> Box | None:
    """The word's box cut to the page; None when nothing of it is there."""
    x0, x1 = max(0.0, word.x0 / frame.width), min(1.0, word.x1 / frame.width)
    y0, y1 = max(0.0, word.y0 / frame.height), min(1.0, word.y1 / frame.height)
    return Box(x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None
