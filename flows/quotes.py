"""The words in boxes that people drew, or that systems cited without saying what stands there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from groundtruth.evidence import Evidence
from groundtruth.page_readings import designated
from groundtruth.pages import PageSource, open_document
from groundtruth.snap import SnapIndex
from groundtruth.store import Dataset

Quoting = Callable[[Evidence], Evidence]
"""Gives a place its quote."""


@contextmanager
def quoting(dataset: Dataset, document_id: str) -> Iterator[Quoting]:
    """Give places of a document their quotes; its file is opened at the first place that needs one.

    A place that has a quote, has no boxes, or frames no words stays as it is.

    Raises:
        DocumentError: from the block, when the file cannot be read.
    """
    with ExitStack() as opened:
        quotes = _Quotes(dataset, document_id, opened)
        yield quotes.quoted


class _Quotes:
    """The words of a document's pages, read as they are needed."""

    def __init__(self, dataset: Dataset, document_id: str, opened: ExitStack) -> None:
        self._dataset = dataset
        self._document = document_id
        self._opened = opened
        self._source: PageSource | None = None
        self._pages: dict[int, tuple[SnapIndex, tuple[str, ...]]] = {}

    def quoted(self, place: Evidence) -> Evidence:
        """The place with its quote."""
        if place.quote is not None or not place.boxes:
            return place
        source = self._document_pages()
        if place.page > source.page_count:
            return place
        index, texts = self._words(source, place.page)
        words = index.ids(place.boxes)
        return place.model_copy(update={"quote": " ".join(texts[word] for word in words)}) if words else place

    def _document_pages(self) -> PageSource:
        if self._source is None:
            recognition = designated(self._dataset.readings_folder(self._document))
            file = self._dataset.document_file(self._document)
            self._source = self._opened.enter_context(open_document(file, recognition=recognition))
        return self._source

    def _words(self, source: PageSource, number: int) -> tuple[SnapIndex, tuple[str, ...]]:
        if number not in self._pages:
            words = source.page(number).words
            self._pages[number] = (SnapIndex(words), tuple(word.text for word in words))
        return self._pages[number]
