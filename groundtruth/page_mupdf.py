"""PDF, office and HTML pages through PyMuPDF; the only importer of pymupdf.

MuPDF is one library for the whole process and not safe for threads, so every call is made under one lock. What it
would print is caught and kept.
"""

# PyMuPDF says that it is typed, but its functions mostly are not.
# mypy: allow-untyped-calls

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pymupdf
from pymupdf import mupdf

from groundtruth.errors import BrokenDocument, DocumentTooLarge, EncryptedDocument
from groundtruth.page_words import CharacterLine, Corners, TextLayer, words_of_lines

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from groundtruth.page_files import Limits

_LOCK = threading.RLock()
_FAILURES = (RuntimeError, ValueError, TypeError, AttributeError, mupdf.FzErrorBase)
_POINTS_PER_INCH = 72.0
# Cosine of the slope up to which a line counts as running from left to right.
_LEVEL = 0.99
# A4: office files and HTML say nothing binding about the page they are shown on.
_REFLOW_WIDTH, _REFLOW_HEIGHT, _REFLOW_FONT_SIZE = 595.0, 842.0, 11.0
# Large enough for a picture to be decoded, small enough for thousands of pages.
_CHECK_DPI = 18
# Said by MuPDF when something that a page uses is not there or ends early.
_SIGNS_OF_LOSS = (
    "premature end",
    "is not a stream",
    "cannot load",
    "cannot find object",
    "cannot find page",
    "non-page object",
    "not a dict",
)
# Also said of streams that are whole but were written with a wrong length: a loss only where the file is cut.
_SIGN_OF_A_CUT_STREAM = "stream length incorrect"

pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)


class MuPdfPages:
    """The pages of one document that MuPDF holds open. Pages are read when asked for and not kept."""

    def __init__(
        self, document: pymupdf.Document, name: str, limits: Limits, *, ends_within_object: bool = False
    ) -> None:
        self._document = document
        self._name = name
        self._limits = limits
        self._signs_of_loss = (*_SIGNS_OF_LOSS, _SIGN_OF_A_CUT_STREAM) if ends_within_object else _SIGNS_OF_LOSS
        self.page_count: int = document.page_count
        """Number of pages, at least 1."""

    @property
    def repaired(self) -> bool:
        """Whether the file's table of objects was unusable and had to be made again."""
        return bool(self._document.is_repaired)

    def size(self, number: int) -> tuple[float, float]:
        """Width and height in points as displayed; ``number`` counts from 1."""
        with self._page(number) as page:
            return float(page.rect.width), float(page.rect.height)

    def text_layer(self, number: int, separator: str = "") -> TextLayer:
        """The words of a page, form fields and visible annotations included."""
        with self._page(number) as page:
            lines = _character_lines(page)
            width, height = float(page.rect.width), float(page.rect.height)
            warnings = _caught_warnings()
        return words_of_lines(lines, width, height, separator=separator, warnings=warnings)

    def raster(self, number: int, dpi: float, *, grey: bool = False) -> NDArray[np.uint8]:
        """The page as displayed on white, (height, width, 3) RGB, or (height, width) when ``grey``."""
        import numpy as np

        with self._page(number) as page:
            self._require_small_images(page, number)
            scale = dpi / _POINTS_PER_INCH
            space = pymupdf.csGRAY if grey else pymupdf.csRGB
            pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=space, alpha=False)
            pixels = np.frombuffer(pixmap.samples_mv, dtype=np.uint8)
            shape = (pixmap.height, pixmap.width) if grey else (pixmap.height, pixmap.width, 3)
            # The pixmap's own memory goes with it.
            return pixels.reshape(shape).copy()

    def check_intact(self) -> None:
        """Look at every page of a repaired file for lost parts; others are trusted until a page is read.

        Raises:
            BrokenDocument: a page, or something that it shows, is not in the file any more.
        """
        if not self.repaired:
            return
        for number in range(1, self.page_count + 1):
            with self._page(number) as page:
                _character_lines(page)
                self._require_small_images(page, number)
                page.get_pixmap(dpi=_CHECK_DPI)
                losses = [
                    text for text in _caught_warnings() if any(sign in text.lower() for sign in self._signs_of_loss)
                ]
            if losses:
                raise BrokenDocument(
                    f"{self._name}: truncated or damaged: page {number} has lost content ({losses[0]}); "
                    "get the file again from its source"
                )

    def close(self) -> None:
        """Free the document."""
        with _LOCK:
            if not self._document.is_closed:
                self._document.close()

    @contextmanager
    def _page(self, number: int) -> Iterator[Any]:
        with _LOCK:
            pymupdf.TOOLS.reset_mupdf_warnings()
            try:
                page = self._document.load_page(number - 1)
                if self._document.is_pdf:
                    page = _with_usable_crop_box(page)
                yield page
            except _FAILURES as error:
                raise BrokenDocument(
                    f"{self._name}: page {number} cannot be read ({error}); get the file again from its source"
                ) from error

    def _require_small_images(self, page: Any, number: int) -> None:
        """Refuse an image that would fill the memory, before MuPDF decodes it."""
        for image in _run_as_text(page, pymupdf.TEXT_PRESERVE_IMAGES).extractIMGINFO():
            width, height = image["width"], image["height"]
            if width * height > self._limits.max_image_pixels:
                raise DocumentTooLarge(
                    f"{self._name}: page {number} shows an image of {width:,} x {height:,} pixels; the limit is "
                    f"{self._limits.max_image_pixels:,} pixels; scale the image down"
                )


def open_pdf(data: bytes, name: str, limits: Limits) -> MuPdfPages:
    """Open a PDF.

    Raises:
        BrokenDocument: no page can be read, or a repaired file has lost some of its content.
        EncryptedDocument: it needs a password.
        DocumentTooLarge: more pages than ``limits.max_pages``.
    """
    with _LOCK:
        pages = _open(data, "pdf", name, limits)
        try:
            pages.check_intact()
        except BaseException:
            pages.close()
            raise
        return pages


def open_reflowable(data: bytes, file_type: str, name: str, limits: Limits) -> MuPdfPages:
    """Open a DOCX, PPTX or HTML (in UTF-8) file and lay it out on A4 pages. Nothing outside ``data`` is read.

    Raises:
        BrokenDocument: it cannot be laid out.
        DocumentTooLarge: more pages than ``limits.max_pages``.
    """
    with _LOCK:
        return _open(data, file_type, name, limits, (_REFLOW_WIDTH, _REFLOW_HEIGHT, _REFLOW_FONT_SIZE))


def open_laid_out(xhtml: str, name: str, limits: Limits, width: float, height: float) -> MuPdfPages:
    """Lay out XHTML of our own making on pages of ``width`` × ``height`` points.

    Not HTML: MuPDF's reader of that reads ``&amp;amp;`` as ``&``.
    """
    with _LOCK:
        return _open(xhtml.encode(), "xhtml", name, limits, (width, height, _REFLOW_FONT_SIZE))


def _open(
    data: bytes, file_type: str, name: str, limits: Limits, layout: tuple[float, float, float] | None = None
) -> MuPdfPages:
    pymupdf.TOOLS.reset_mupdf_warnings()
    document: pymupdf.Document | None = None
    try:
        document = pymupdf.open(stream=data, filetype=file_type)
        if document.needs_pass:
            raise EncryptedDocument(f"{name}: needs a password to open; save a copy without the password")
        if layout is not None:
            width, height, font_size = layout
            document.layout(width=width, height=height, fontsize=font_size)
        pages = MuPdfPages(document, name, limits, ends_within_object=data.rfind(b" obj") > data.rfind(b"endobj"))
        if pages.page_count < 1:
            raise BrokenDocument(f"{name}: no pages can be found in it; get the file again from its source")
        if pages.page_count > limits.max_pages:
            raise DocumentTooLarge(
                f"{name}: {pages.page_count:,} pages, the limit is {limits.max_pages:,}; split the document"
            )
        document = None
        return pages
    except _FAILURES as error:
        reason = str(error.__cause__ or error)
        if "encrypt" in reason.lower() or "security handler" in reason.lower():
            raise EncryptedDocument(
                f"{name}: encrypted in a way that cannot be opened ({reason}); save a copy without encryption"
            ) from error
        raise BrokenDocument(f"{name}: truncated or damaged ({reason}); get the file again from its source") from error
    finally:
        if document is not None:
            document.close()


def _with_usable_crop_box(page: Any) -> Any:
    """The page, without a crop box that lies wholly off the media box: it would show nothing."""
    media, crop = page.mediabox, page.cropbox
    if (crop & media).is_empty and not media.is_empty:
        page.set_cropbox(media)
    return page


def _character_lines(page: Any) -> list[CharacterLine]:
    """The characters of a page in the frame of the page as displayed.

    ``Page.get_text`` answers in the frame before ``/Rotate`` and leaves out what lies off the page; running the page
    into a text device without bounds gives the displayed frame and all characters, which are then counted.
    """
    text_page = _run_as_text(page, pymupdf.TEXT_PRESERVE_LIGATURES | pymupdf.TEXT_PRESERVE_WHITESPACE)
    blocks = text_page.extractRAWDICT()["blocks"]
    is_pdf = bool(page.parent.is_pdf)
    return [
        CharacterLine(block_number, tuple(_placed_characters(line)), placed_by_eye=is_pdf and line["dir"][0] > _LEVEL)
        for block_number, block in enumerate(blocks)
        for line in block.get("lines", ())
    ]


def _run_as_text(page: Any, flags: int) -> pymupdf.TextPage:
    text_page = mupdf.FzStextPage(mupdf.FzRect(mupdf.FzRect.Fixed_INFINITE))
    options = mupdf.FzStextOptions()
    options.flags = flags
    device = mupdf.fz_new_stext_device(text_page, options)
    mupdf.fz_run_page(page.this, device, mupdf.FzMatrix(), mupdf.FzCookie())
    mupdf.fz_close_device(device)
    return pymupdf.TextPage(text_page)


def _placed_characters(line: dict[str, Any]) -> Iterator[tuple[str, Corners]]:
    for span in line["spans"]:
        for character in span["chars"]:
            text = character["c"]
            # A faulty map to Unicode may yield half of a surrogate pair, which no file can hold.
            yield "\ufffd" if "\ud800" <= text <= "\udfff" else text, character["bbox"]


def _caught_warnings() -> tuple[str, ...]:
    return tuple(filter(None, str(pymupdf.TOOLS.mupdf_warnings()).splitlines()))
