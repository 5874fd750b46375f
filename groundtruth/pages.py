"""Documents as pages: size as displayed, words with boxes, raster. The one way in for files made by strangers.

PDF; PNG, JPEG and TIFF (a page for each frame); DOCX, PPTX and HTML as MuPDF lays them out; XLSX and text in UTF-8
(TXT, CSV, TSV, XML, JSON, Markdown) set in fixed-width lines. Every box is in the frame of the page as displayed:
after ``/Rotate``, the crop box (cut to the media box) and the EXIF orientation.

Opening is cheap and pages are read when asked for; a page keeps its words, never its raster. Pages may be read from
several threads, one at a time.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from groundtruth.errors import DocumentTooLarge
from groundtruth.page_files import (
    DOCX,
    HTML,
    PDF,
    XLSX,
    FileFormat,
    Kind,
    Limits,
    detect_format,
    has_unread_parts,
    read_file,
    shown,
)
from groundtruth.page_words import TextLayer, Word

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from groundtruth.page_readings import Recognition

__all__ = [
    "DEFAULT_LIMITS",
    "DocumentInfo",
    "DocumentNote",
    "Kind",
    "Limits",
    "Page",
    "PageSource",
    "Word",
    "document_info",
    "open_document",
]

DEFAULT_LIMITS = Limits()
_POINTS_PER_INCH = 72.0


class DocumentNote(StrEnum):
    """What one should know of a document that was accepted."""

    REPAIRED = "repaired"
    """The table of objects of the PDF was unusable and was made again; no page lost content."""
    REFLOWED = "reflowed"
    """The file fixes no pages; page breaks and boxes come from our own layout."""
    UNREAD_PARTS = "unread_parts"
    """The file holds text that is not on its pages here: headers, footers, footnotes or speaker's notes."""


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """What a document file is.

    Args:
        media_type: As registered with IANA, such as ``application/pdf``.
        kind: How its pages come about.
        page_count: At least 1; frames of a TIFF count as pages.
        sha256: Of the bytes of the file, in lower-case hexadecimal.
        byte_size: Size of the file.
        notes: In the order of ``DocumentNote``.
    """

    media_type: str
    kind: Kind
    page_count: int
    sha256: str
    byte_size: int
    notes: tuple[DocumentNote, ...] = ()


class _Pages(Protocol):
    """What each kind of file must answer; ``number`` counts from 1 and is in range."""

    @property
    def page_count(self) -> int: ...
    @property
    def repaired(self) -> bool: ...
    def size(self, number: int) -> tuple[float, float]: ...
    def text_layer(self, number: int) -> TextLayer: ...
    def raster(self, number: int, dpi: float, *, grey: bool = False) -> NDArray[np.uint8]: ...
    def check_intact(self) -> None: ...
    def close(self) -> None: ...


class Page:
    """One page of an open document.

    Attributes:
        number: From 1.
    """

    def __init__(self, source: PageSource, number: int) -> None:
        self._source = source
        self.number = number

    def __repr__(self) -> str:
        return f"Page({self.number} of {self._source.name})"

    @property
    def width(self) -> float:
        """Width in points (1/72 inch) as displayed."""
        return self._size[0]

    @property
    def height(self) -> float:
        """Height in points as displayed."""
        return self._size[1]

    @property
    def words(self) -> tuple[Word, ...]:
        """The words of the text layer in its own order, form fields and visible annotations included.

        Read at the first call and kept. Where there is no text layer they are those that were recognised, in the
        engine's order; none while nothing was.

        Raises:
            BrokenDocument: the page cannot be read.
        """
        return self._text_layer.words or self._recognised_words

    @property
    def is_recognised(self) -> bool:
        """Whether ``words`` are an OCR engine's reading and no text layer.

        Raises:
            BrokenDocument: the page cannot be read.
        """
        return not self._text_layer.words and bool(self._recognised_words)

    @property
    def clipped_words(self) -> int:
        """How many of ``words`` reach over the edge of the page; their boxes end at the edge."""
        return self._text_layer.clipped_words

    @property
    def dropped_words(self) -> int:
        """How many words of the text layer are not in ``words`` because they lie wholly off the page."""
        return self._text_layer.dropped_words

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the PDF library complained about while it read the words, for a person to judge the page by."""
        return self._text_layer.warnings

    @property
    def max_dpi(self) -> float:
        """The finest resolution at which the page is rendered, by ``Limits.max_raster_pixels``."""
        square_inches = self.width * self.height / _POINTS_PER_INCH**2
        return float((self._source.limits.max_raster_pixels / square_inches) ** 0.5)

    def raster(self, dpi: float = 150, *, grey: bool = False) -> NDArray[np.uint8]:
        """The page as displayed, as a new array of (height, width, 3) RGB; transparent parts are white.

        A box times the array's width and height is the box in pixels.

        Args:
            dpi: pixels to the inch.
            grey: rendered without colour, as (height, width); of a PDF that takes a fifth of the time.

        Raises:
            BrokenDocument: the page cannot be rendered.
            DocumentTooLarge: past ``Limits.max_raster_pixels`` or ``Limits.max_image_pixels``.
            ValueError: ``dpi`` is not positive.
        """
        if not dpi > 0:
            raise ValueError(f"dpi must be positive, not {dpi!r}")
        if dpi > self.max_dpi:
            raise DocumentTooLarge(
                f"{self._source.name}: page {self.number} at {dpi:g} dpi would have more than "
                f"{self._source.limits.max_raster_pixels:,} pixels, the limit; ask for at most {self.max_dpi:.0f} dpi"
            )
        return self._source.open_pages.raster(self.number, dpi, grey=grey)

    def png(self, dpi: float = 150) -> bytes:
        """The raster as a PNG file; the errors are those of ``raster``."""
        from PIL import Image

        file = io.BytesIO()
        Image.fromarray(self.raster(dpi)).save(file, format="PNG", dpi=(dpi, dpi))
        return file.getvalue()

    @cached_property
    def _size(self) -> tuple[float, float]:
        return self._source.open_pages.size(self.number)

    @cached_property
    def _text_layer(self) -> TextLayer:
        return self._source.open_pages.text_layer(self.number)

    @cached_property
    def _recognised_words(self) -> tuple[Word, ...]:
        recognition = self._source.recognition
        return () if recognition is None else recognition.words(self.number)


class PageSource:
    """An open document. Use it in a ``with`` statement; pages cannot be read after it is closed.

    Attributes:
        name: The file's name, fit for a message.
        media_type: As in ``DocumentInfo``.
        kind: As in ``DocumentInfo``.
        limits: The limits it was opened with.
        notes: As in ``DocumentInfo``.
        recognition: Where pages without a text layer take their words from, or None.
    """

    def __init__(
        self,
        pages: _Pages,
        file_format: FileFormat,
        name: str,
        limits: Limits,
        notes: tuple[DocumentNote, ...],
        recognition: Recognition | None = None,
    ) -> None:
        self._pages: _Pages | None = pages
        self.recognition = recognition
        self.page_count = pages.page_count
        self.name = name
        self.media_type = file_format.media_type
        self.kind: Kind = file_format.kind
        self.limits = limits
        self.notes = notes

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def page(self, number: int) -> Page:
        """The page with this number, from 1.

        Raises:
            ValueError: there is no such page.
        """
        if not 1 <= number <= self.page_count:
            raise ValueError(f"{self.name}: no page {number}; its pages are 1 to {self.page_count}")
        return Page(self, number)

    def pages(self) -> Iterator[Page]:
        """All pages in order. Drop each before the next to keep memory bounded."""
        return (Page(self, number) for number in range(1, self.page_count + 1))

    @property
    def open_pages(self) -> _Pages:
        """The pages as the reader of this kind of file gives them.

        Raises:
            ValueError: the document is closed.
        """
        if self._pages is None:
            raise ValueError(f"{self.name}: the document is closed; read its pages within the with statement")
        return self._pages

    def close(self) -> None:
        """Free what is held. Words already read stay usable."""
        if self._pages is not None:
            self._pages.close()
            self._pages = None


def open_document(path: Path, *, limits: Limits = DEFAULT_LIMITS, recognition: Recognition | None = None) -> PageSource:
    """Open a document to read its pages.

    Args:
        path: The file.
        limits: Past which it is refused.
        recognition: What an OCR engine recognised on its pages, for those that have no text layer.

    Raises:
        DocumentError: absent, not a file, or not readable.
        BrokenDocument: empty, truncated, damaged, or content that belies the file's suffix. A PDF whose table of
            objects could be made again is accepted if no page lost content, with the note ``repaired``.
        EncryptedDocument: it needs a password.
        DocumentTooLarge: past one of ``limits``.
        UnsupportedDocument: a format, or a text encoding, that is not read.
    """
    return _opened(read_file(path, limits), path, limits, recognition)


def document_info(path: Path, *, limits: Limits = DEFAULT_LIMITS) -> DocumentInfo:
    """What a file is, after the checks that refuse it: images are decoded once, of PDFs the structure is read.

    Raises:
        DocumentError: as ``open_document``, and for an image that is cut or damaged.
    """
    data = read_file(path, limits)
    with _opened(data, path, limits) as source:
        source.open_pages.check_intact()
        return DocumentInfo(
            media_type=source.media_type,
            kind=source.kind,
            page_count=source.page_count,
            sha256=hashlib.sha256(data).hexdigest(),
            byte_size=len(data),
            notes=source.notes,
        )


def _opened(data: bytes, path: Path, limits: Limits, recognition: Recognition | None = None) -> PageSource:
    file_format, name = detect_format(data, path, limits), shown(path)
    pages = _pages_of(data, file_format, name, limits)
    return PageSource(pages, file_format, name, limits, _notes(data, file_format, pages), recognition)


def _pages_of(data: bytes, file_format: FileFormat, name: str, limits: Limits) -> _Pages:
    """Open with the reader of this format; each is imported where it is needed, for they are slow to load."""
    if file_format.kind == "image":
        from groundtruth.page_images import ImagePages

        return ImagePages(data, file_format, name, limits)
    if file_format is XLSX:
        from groundtruth.page_text import spreadsheet_pages

        return spreadsheet_pages(data, name, limits)
    if file_format.kind == "text" and file_format is not HTML:
        from groundtruth.page_text import text_pages

        return text_pages(data, file_format, name, limits)

    from groundtruth import page_mupdf

    if file_format is PDF:
        return page_mupdf.open_pdf(data, name, limits)
    if file_format is HTML:
        from groundtruth.page_text import decoded

        return page_mupdf.open_reflowable(decoded(data, name, limits).encode(), "html", name, limits)
    return page_mupdf.open_reflowable(data, "docx" if file_format is DOCX else "pptx", name, limits)


def _notes(data: bytes, file_format: FileFormat, pages: _Pages) -> tuple[DocumentNote, ...]:
    notes = {
        DocumentNote.REPAIRED: pages.repaired,
        DocumentNote.REFLOWED: file_format.kind in ("text", "office"),
        DocumentNote.UNREAD_PARTS: has_unread_parts(data, file_format),
    }
    return tuple(note for note, holds in notes.items() if holds)
