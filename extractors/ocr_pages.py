"""Pages as pictures, read by an OCR engine, each once: what was read before is taken from its file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, Protocol

from extractors.protocol import ExtractionFailed, Job
from extractors.words import PageText, Word
from groundtruth.ballot import Failure
from groundtruth.errors import DocumentError, DocumentTooLarge
from groundtruth.pages import Page, open_document
from groundtruth.recognised import RecognisedPage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_OWN_LAYOUT = frozenset({"text", "office"})


class Picture(NamedTuple):
    """A page to read.

    Attributes:
        pixels: (height, width, 3), RGB, of the page as displayed.
        dpi: its resolution; lower than asked for when the page is large.
        number: of the page, from 1.
        width: of the page as displayed, in points.
        height: in points.
    """

    pixels: NDArray[np.uint8]
    dpi: float
    number: int
    width: float
    height: float


class Engine(Protocol):
    """An OCR engine as it is set."""

    @property
    def key(self) -> str:
        """Name, version and every setting that shapes what it reads; fit for a file name."""
        ...

    @property
    def dpi(self) -> float:
        """The resolution at which it reads best."""
        ...

    def recognise(self, picture: Picture) -> RecognisedPage:
        """The words on a page; boxes in the frame of the page as displayed."""
        ...


def recognised_pages(job: Job, engine: Engine) -> list[RecognisedPage]:
    """What the engine reads on the pages of the job, in page order.

    Raises:
        ExtractionFailed: the document cannot be opened or is too large, or it has no pages but those of our own layout
            (text and office files), of which a picture says nothing that the text does not.
    """
    try:
        return list(_read(job, engine))
    except DocumentTooLarge as error:
        raise ExtractionFailed(Failure.CAPACITY, str(error)) from error
    except DocumentError as error:
        raise ExtractionFailed(Failure.UNSUPPORTED_INPUT, str(error)) from error


def _read(job: Job, engine: Engine) -> Iterator[RecognisedPage]:
    with open_document(job.file) as document:
        if document.kind in _OWN_LAYOUT:
            raise ExtractionFailed(Failure.UNSUPPORTED_INPUT, "the file has text and no pages to look at")
        for number in job.pages(document.page_count):
            reading = job.readings.get(engine.key, number)
            if reading is None:
                reading = engine.recognise(_picture(document.page(number), engine.dpi))
                job.readings.put(engine.key, reading)
            yield reading


def _picture(page: Page, dpi: float) -> Picture:
    dpi = min(dpi, page.max_dpi)
    return Picture(page.raster(dpi), dpi, page.number, page.width, page.height)


def page_texts(pages: Iterable[RecognisedPage]) -> list[PageText]:
    """The recognised words as words of pages, in points of the page turned level; boxes stay in the page's frame."""
    found: list[PageText] = []
    order = 0
    for page in pages:
        words = []
        for word in page.words:
            words.append(Word(word.text, *word.level, word.box, "", page.number, order))
            order += 1
        found.append(PageText(page.number, page.width, page.height, tuple(words)))
    return found
