"""Makers of pages and values for the tests of the locator."""

# PyMuPDF says that it is typed, but its functions mostly are not.
# mypy: allow-untyped-calls

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

import pymupdf

from groundtruth.box import Box
from groundtruth.consensus import Location
from groundtruth.jsontext import Json
from groundtruth.locate import PageWords, Sought, locate
from groundtruth.page_words import Word
from groundtruth.pages import open_document
from groundtruth.path import EACH, Path, parse_path, schema_path
from groundtruth.rules import Comparator, FieldRule
from groundtruth.schema import Leaf

WIDTH, HEIGHT = 600.0, 800.0
GLYPH, SPACE, LINE = 6.0, 4.0, 12.0


@dataclass(frozen=True)
class WordsPage:
    """A page made of words alone."""

    number: int
    width: float
    height: float
    words: tuple[Word, ...]


Printed = tuple[float, float, str]
"""A text of one line, and where it begins: x from the left, y from the top, in points."""


def words_page(printed: Iterable[Printed], number: int = 1) -> WordsPage:
    """A page of 600 x 800 points on which every letter is 6 points wide; each text is a line of its own."""
    words: list[Word] = []
    for line, (x, y, text) in enumerate(printed):
        for word in text.split():
            end = x + GLYPH * len(word)
            box = Box(x / WIDTH, y / HEIGHT, end / WIDTH, (y + LINE) / HEIGHT)
            words.append(Word(len(words), word, box, line, line))
            x = end + SPACE
    return WordsPage(number, WIDTH, HEIGHT, tuple(words))


def table_page(rows: Sequence[Sequence[str]], columns: Sequence[float], top: float = 100, number: int = 1) -> WordsPage:
    """A page with a table, its lines 20 points apart."""
    cells = [
        (x, top + 20 * line, text)
        for line, row in enumerate(rows)
        for x, text in zip(columns, row, strict=True)
        if text
    ]
    return words_page(cells, number)


def pdf(printed: Sequence[Sequence[Printed]], *, rotation: int = 0, writing: int = 0) -> bytes:
    """A PDF of 600 x 800 points with a page for every list of texts, in Helvetica of 10 points; y is the baseline's.

    Args:
        printed: the texts of each page.
        rotation: the page's ``/Rotate``.
        writing: degrees by which the text itself is turned on the page, against the clock.
    """
    with pymupdf.open() as document:
        for texts in printed:
            page = document.new_page(width=WIDTH, height=HEIGHT)
            for x, y, text in texts:
                page.insert_text((x, y), text, fontsize=10, rotate=writing)
            page.set_rotation(rotation)
        return bytes(document.tobytes())


def html_pdf(html: str) -> bytes:
    """A PDF of one page, laid out from HTML with the fonts of the PDF library, which know most scripts."""
    with pymupdf.open() as document:
        page = document.new_page(width=WIDTH, height=HEIGHT)
        page.insert_htmlbox(pymupdf.Rect(40, 40, WIDTH - 40, HEIGHT - 40), html)
        return bytes(document.tobytes())


def pages_of(content: bytes, folder: FilePath, name: str = "made.pdf") -> list[WordsPage]:
    """The words of a document, as the program reads them."""
    path = folder / name
    path.write_bytes(content)
    with open_document(path) as source:
        found = [source.page(number) for number in range(1, source.page_count + 1)]
        return [WordsPage(page.number, page.width, page.height, page.words) for page in found]


def leaf(path: str, comparator: Comparator = Comparator.TEXT, **parts: Any) -> Leaf:
    """A leaf by its instance or schema path."""
    if "rule" in parts:
        parts["rule"] = FieldRule(**parts["rule"])
    return Leaf(schema_path(parse_path(path)), comparator, frozenset(), **parts)


def sought(
    path: str, value: Json, comparator: Comparator | None = None, forms: Sequence[Json] = (), **parts: Any
) -> Sought:
    """A value at a path; numbers are of the comparator ``number``, everything else is text unless told."""
    is_number = not isinstance(value, (str, bool, list, dict)) and value is not None
    kind = comparator or (Comparator.NUMBER if is_number else Comparator.TEXT)
    return Sought(parse_path(path), leaf(path, kind, **parts), value, (value, *forms))


def find(value: Sought | Sequence[Sought], *pages: PageWords) -> Location:
    """The location of a value, the first of several."""
    values = [value] if isinstance(value, Sought) else list(value)
    return locate(values, pages)[values[0].path]


def quotes(location: Location) -> list[str | None]:
    """The words at the places of a location."""
    return [evidence.quote for evidence in location.evidence]


def corner(location: Location) -> tuple[float, float]:
    """Left and top of the first place, in points of a page of 600 x 800."""
    box = location.evidence[0].boxes[0]
    return round(box.x0 * WIDTH, 3), round(box.y0 * HEIGHT, 3)


def rows_sought(name: str, rows: Sequence[Mapping[str, Json]], kinds: Mapping[str, Comparator]) -> list[Sought]:
    """The cells of a table; rows are objects by field."""
    leaves = {field: Leaf((name, EACH, field), kind, frozenset()) for field, kind in kinds.items()}
    found: list[Sought] = []
    for index, row in enumerate(rows):
        for field, value in row.items():
            path: Path = (name, index, field)
            found.append(Sought(path, leaves[field], value, (value,)))
    return found
