"""Delimited text (CSV) as a table: the words of the page model, set on a grid of records and cells.

The boxes stay where the page model has the words; only the coordinates by which extractors judge layout are the
grid's, since the cells of delimited text do not stand below one another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from extractors.words import PageText, Word

_DELIMITERS: Final = frozenset(",;|")
_QUOTE: Final = '"'
_COLUMN: Final = 10_000.0
"""The width of a grid column in points; no cell of readable text is wider."""


def on_grid(pages: Sequence[PageText]) -> list[PageText] | None:
    """The pages with every record on one line and every cell in its column.

    The delimiter is the one that the first line uses most, and the first line says how many cells a record has, so
    that a record that was broken over lines is joined again. None when the first line has no delimiter.
    """
    lines = [line for page in pages for line in _lines(page)]
    delimiter = _delimiter(lines[0]) if lines else None
    if delimiter is None:
        return None
    records = list(_records(lines, delimiter))
    placed = [word for number, record in enumerate(records) for word in _placed(record, number, delimiter)]
    by_page = {page.number: tuple(word for word in placed if word.page == page.number) for page in pages}
    return [PageText(page.number, page.width, page.height, by_page[page.number]) for page in pages]


def _lines(page: PageText) -> Iterator[list[Word]]:
    for _, words in groupby(page.words, key=lambda word: round(word.y0, 2)):
        yield list(words)


def _delimiter(line: Sequence[Word]) -> str | None:
    found = Counter(word.text for word in line if word.text in _DELIMITERS)
    return min(found, key=lambda mark: (-found[mark], mark)) if found else None


def _records(lines: Sequence[list[Word]], delimiter: str) -> Iterator[list[Word]]:
    wanted = sum(word.text == delimiter for word in lines[0])
    record: list[Word] = []
    for line in lines:
        record += line
        if sum(word.text == delimiter for word in record) >= wanted:
            yield record
            record = []
    if record:
        yield record


def _placed(record: Sequence[Word], number: int, delimiter: str) -> Iterator[Word]:
    """The words of a record without its delimiters and quotes, each in its cell's column on the record's own line."""
    column, offset = 0, 0.0
    height = 10.0
    for word in record:
        if word.text == delimiter:
            column, offset = column + 1, 0.0
        elif word.text != _QUOTE:
            width = word.x1 - word.x0
            x0 = column * _COLUMN + offset
            offset += width + width / len(word.text) / 2
            yield word._replace(x0=x0, x1=x0 + width, y0=number * 2 * height, y1=number * 2 * height + height)
