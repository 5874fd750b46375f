"""The words of a document as the extractors of a text layer see them: isotropic units, one reading direction.

PDF files are read with pdfium, which shares no code with the page model; text and office files through the page
model, which lays them out.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from extractors.protocol import Job
from groundtruth.box import Box


class Word(NamedTuple):
    """A word of a page.

    Attributes:
        text: as in the text layer, without white space.
        x0: left edge in points of the page as displayed; the distance from the right edge on a page that reads from
            right to left, so that reading order is always by rising x.
        y0: upper edge in points, from the top.
        x1: right edge, measured like ``x0``.
        y1: lower edge.
        box: where it stands, in the frame of the project.
        style: font and weight, or "" when the source does not say.
        page: from 1.
        order: unique in the document, rising in the order of the text layer.
    """

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    box: Box
    style: str
    page: int
    order: int


class WordRun:
    """What neighbouring words of a page have together; for classes whose ``words`` are never empty.

    Attributes:
        words: in reading order.
    """

    words: tuple[Word, ...]

    @property
    def x0(self) -> float:
        """Where the first word begins, in points along the line."""
        return self.words[0].x0

    @cached_property
    def x1(self) -> float:
        """The right edge in points."""
        return max(word.x1 for word in self.words)

    @cached_property
    def y0(self) -> float:
        """The upper edge in points."""
        return min(word.y0 for word in self.words)

    @cached_property
    def y1(self) -> float:
        """The lower edge in points."""
        return max(word.y1 for word in self.words)

    @cached_property
    def text(self) -> str:
        """The words as one text."""
        return join(self.words)

    @cached_property
    def unit(self) -> float:
        """The mean width of a character in points."""
        return character_width(*self.words)


@dataclass(frozen=True, slots=True)
class PageText:
    """The words of one page; width and height in points, as displayed."""

    number: int
    width: float
    height: float
    words: tuple[Word, ...]
    right_to_left: bool = False


def read_document(job: Job) -> list[PageText]:
    """The words of every page to read, in page order; words not upright on the displayed page are left out.

    Raises:
        DocumentError: the file cannot be opened; the message names it.
    """
    pages = list(_read_pdf(job) if is_pdf(job.file) else _read_other(job))
    grid = _on_grid(pages) if job.file.suffix.lower() == ".csv" else None
    return [_directed(page) for page in pages] if grid is None else grid


def is_pdf(file: Path) -> bool:
    """Whether the file says that it is a PDF."""
    with file.open("rb") as stream:
        return b"%PDF-" in stream.read(1024)


def _read_pdf(job: Job) -> Iterable[PageText]:
    from extractors.words_pdfium import read_pdf

    return read_pdf(job)


def _on_grid(pages: list[PageText]) -> list[PageText] | None:
    from extractors.words_delimited import on_grid

    return on_grid(pages)


def _read_other(job: Job) -> Iterator[PageText]:
    from groundtruth.pages import open_document

    with open_document(job.file) as document:
        index = 0
        for number in job.pages(document.page_count):
            page = document.page(number)
            words = []
            for word in page.words:
                words.append(word_at(word.text, word.box, "", number, index, page.width, page.height))
                index += 1
            yield PageText(number, page.width, page.height, tuple(words))


def word_at(text: str, box: Box, style: str, page: int, index: int, width: float, height: float) -> Word:
    """A word of a page of ``width`` × ``height`` points."""
    return Word(text, box.x0 * width, box.y0 * height, box.x1 * width, box.y1 * height, box, style, page, index)


def _directed(page: PageText) -> PageText:
    """The page with x measured in its reading direction: that of most of its letters, left to right on a tie."""
    leaning = sum(_direction(word.text) for word in page.words)
    if leaning >= 0:
        return page
    mirrored = tuple(word._replace(x0=page.width - word.x1, x1=page.width - word.x0) for word in page.words)
    return replace(page, words=mirrored, right_to_left=True)


def _direction(text: str) -> int:
    """1 for a word of a left-to-right script, -1 for one of a right-to-left script, 0 for digits and signs."""
    for character in text:
        if (bidirectional := unicodedata.bidirectional(character)) in {"L", "R", "AL"}:
            return 1 if bidirectional == "L" else -1
    return 0


def character_width(*words: Word) -> float:
    """The mean width of the words' characters, in points."""
    return sum(word.x1 - word.x0 for word in words) / sum(len(word.text) for word in words)


def join(words: Iterable[Word]) -> str:
    """The text of words in reading order, as one line.

    On a page that reads from right to left, a run of words of the other direction is turned round as a whole.
    """
    found = list(words)
    if any(_direction(word.text) < 0 for word in found):
        found = _with_runs_turned(found)
    return " ".join(word.text for word in found)


def _with_runs_turned(words: list[Word]) -> list[Word]:
    turned: list[Word] = []
    run: list[Word] = []
    for word in words:
        if _direction(word.text) > 0:
            run.append(word)
        else:
            turned += [*reversed(run), word]
            run = []
    return turned + run[::-1]
