"""Tesseract as an engine for pages: every page is read twice, under two ways of finding its lines.

As one block of text (mode 6) it keeps the rows of tables whole; as sparse text (mode 11) it finds what stands at
heights of its own. Each loses what the other reads. What neither reads, and is the size of text, becomes a word of
its own that says so (``UNREAD``): a place with ink is never taken for an empty one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

from extractors.ocr_pages import Picture
from extractors.tess_boxes import tick_boxes
from extractors.tess_data import digest
from extractors.tess_image import Prepared, ink, prepare
from extractors.tess_ink import fitted, white_between
from extractors.tess_merge import UNREAD, Look, Piece, Pixels, cleaned, in_lines, merged, parted, rejoined, without
from groundtruth.recognised import RecognisedPage, RecognisedWord

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tesserocr import PyTessBaseAPI  # type: ignore[import-untyped]

REVISION: Final = "11"
"""Changes whenever the same picture may be read differently by the code here."""

_DPI: Final = 300.0
_BLOCK: Final = 6
_SPARSE: Final = 11
_ONE_LINE: Final = 7
_MOST_PIECES: Final = 80
"""How many unread places of a page are tried once more, each by itself."""

_TRUSTED: Final = 0.72
_DOUBTFUL: Final = 0.3
_MARGIN: Final = 8


class Tesseract:
    """The engine under a set of languages, Tesseract's names of them, the main one first."""

    def __init__(self, folder: Path, languages: tuple[str, ...]) -> None:
        self._folder = folder
        self._languages = languages
        self._opened: PyTessBaseAPI | None = None
        self._size = 0, 0

    @property
    def key(self) -> str:
        """Name, version, languages, their data and the revision of this code."""
        names = "+".join(self._languages)
        return f"tesseract-{version()}-{names}-{digest(self._folder, self._languages)}-r{REVISION}"

    @property
    def dpi(self) -> float:
        """300."""
        return _DPI

    def recognise(self, picture: Picture) -> RecognisedPage:
        """The words on a page in reading order, a segment for each line."""
        prepared = prepare(picture.pixels, picture.dpi)
        words = []
        for number, line in enumerate(in_lines(self._pieces(prepared))):
            for piece in line:
                box = prepared.frame.box(piece.pixels)
                if box is not None:
                    level = prepared.frame.level(piece.pixels)
                    words.append(RecognisedWord(piece.text, box, level, piece.confidence, number))
        page = RecognisedPage(picture.number, picture.width, picture.height, prepared.skew, tuple(words))
        # Exactly as it comes back from its file: a page read now and one that was kept give the same answer.
        return RecognisedPage.from_json(page.to_json())

    def _pieces(self, prepared: Prepared) -> list[Piece]:
        dark = ink(prepared.grey)
        if not dark.any():
            return []
        boxes = tick_boxes(dark)
        api = self._api()
        self._size = dark.shape[1], dark.shape[0]
        api.SetImage(_image(without(prepared.grey, boxes)))
        api.SetSourceResolution(round(_DPI))
        block, sparse = (self._read_as(mode, dark) for mode in (_BLOCK, _SPARSE))
        look = Look(self._read_line, partial(white_between, dark=dark))
        lines = in_lines(merged(block, sparse, look))
        pieces = boxes + self._confirmed([piece for line in lines for piece in rejoined(line, look)])
        return pieces + self._unread(dark, pieces)

    def _read_as(self, mode: int, dark: NDArray[np.bool_]) -> list[Piece]:
        """What is read of the page under one way of finding its lines."""
        api = self._api()
        api.SetPageSegMode(mode)
        inked = fitted(cleaned(_read(api)), dark)
        return [part for piece in inked for part in parted(piece, dark)]

    def _confirmed(self, pieces: Sequence[Piece]) -> list[Piece]:
        """The pieces, those read with little confidence once more by themselves: only the same again is trusted."""
        found = list(pieces)
        doubtful = [number for number, piece in enumerate(pieces) if _DOUBTFUL <= piece.confidence < _TRUSTED]
        for number in doubtful[:_MOST_PIECES]:
            again = self._read_line(pieces[number].pixels)
            same = "".join(piece.text for piece in again) == pieces[number].text
            confidence = max(_TRUSTED, *(piece.confidence for piece in again)) if same else 0.0
            found[number] = pieces[number]._replace(confidence=confidence)
        return found

    def _unread(self, dark: NDArray[np.bool_], pieces: Sequence[Piece]) -> list[Piece]:
        """The places with ink of the size of text that no piece covers, read by themselves where that succeeds."""
        found: list[Piece] = []
        for number, pixels in enumerate(_uncovered(dark, pieces)):
            again = self._read_line(pixels) if number < _MOST_PIECES else []
            trusted = again and min(piece.confidence for piece in again) >= _TRUSTED
            found += again if trusted else [Piece(UNREAD, pixels, 0.0)]
        return found

    def _read_line(self, pixels: Pixels) -> list[Piece]:
        """What stands in a place of the picture that was set, taken by itself as one line."""
        x0, y0, x1, y1 = pixels
        api = self._api()
        width, height = self._size
        left, top = max(0, x0 - _MARGIN), max(0, y0 - _MARGIN)
        api.SetPageSegMode(_ONE_LINE)
        api.SetRectangle(left, top, min(width, x1 + _MARGIN) - left, min(height, y1 + _MARGIN) - top)
        return cleaned(_read(api))

    def _api(self) -> PyTessBaseAPI:
        if self._opened is None:
            # Tesseract's own threads cost many times the time that they save.
            os.environ["OMP_THREAD_LIMIT"] = "1"
            from tesserocr import PyTessBaseAPI

            self._opened = PyTessBaseAPI(path=str(self._folder), lang="+".join(self._languages))
            # What was read on one page must not shape the reading of the next.
            self._opened.SetVariable("tessedit_enable_doc_dict", "0")
            self._opened.SetVariable("classify_enable_learning", "0")
        return self._opened


def version() -> str:
    """Of Tesseract itself, as in its wheel."""
    from tesserocr import tesseract_version

    return str(tesseract_version().split()[1])


def _image(grey: NDArray[np.uint8]) -> object:
    from PIL import Image

    return Image.fromarray(grey)


def _read(api: PyTessBaseAPI) -> Iterator[Piece]:
    """The words that Tesseract finds now; places without text are none."""
    from tesserocr import RIL, iterate_level

    api.Recognize()
    iterator = api.GetIterator()
    if iterator is None:
        return
    words: list[tuple[str, Pixels, float, list[Pixels]]] = []
    for symbol in iterate_level(iterator, RIL.SYMBOL):
        if symbol.Empty(RIL.SYMBOL):
            continue
        if symbol.IsAtBeginningOf(RIL.WORD) or not words:
            text = symbol.GetUTF8Text(RIL.WORD).strip()
            words.append((text, symbol.BoundingBox(RIL.WORD), symbol.Confidence(RIL.WORD) / 100, []))
        words[-1][3].append(symbol.BoundingBox(RIL.SYMBOL))
    for text, pixels, confidence, letters in words:
        if text and pixels[0] < pixels[2] and pixels[1] < pixels[3]:
            yield Piece("".join(text.split()), pixels, min(max(confidence, 0.0), 1.0), tuple(letters))


def _uncovered(dark: NDArray[np.bool_], pieces: Sequence[Piece]) -> list[Pixels]:
    """Boxes of ink outside all pieces that may be text by its size, from the top."""
    import cv2
    import numpy as np

    if not pieces:
        return []
    height = median(piece.pixels[3] - piece.pixels[1] for piece in pieces)
    rest = dark.astype(np.uint8)
    for piece in pieces:
        x0, y0, x1, y1 = piece.pixels
        rest[max(0, y0 - 4) : y1 + 4, max(0, x0 - 4) : x1 + 4] = 0
    reach = max(3, round(0.5 * height))
    joined = cv2.morphologyEx(rest, cv2.MORPH_CLOSE, np.ones((3, reach), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    found: list[Pixels] = []
    for x, y, across, down, area in stats[1:].tolist():
        if 0.5 * height <= down <= 2.2 * height and across >= 0.1 * height and area >= 0.15 * across * down:
            found.append((x, y, x + across, y + down))
    return sorted(found, key=lambda pixels: (pixels[1], pixels[0]))
