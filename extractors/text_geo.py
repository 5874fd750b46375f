"""The extractor ``text-geo``: the native text layer, read by the geometry of labels and columns.

It knows no language and no layout beyond the schema: a field is what stands beside or under a label that bears its
name, an array is what stands under a header that names its properties. What has no label it does not guess: the leaf
is unsupported and the ballot abstains there. Its null says that a label stands there with nothing to it, which is
weaker than saying that the document holds no value, so it never asserts null.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Final

from extractors.answer import Answer
from extractors.conventions import Conventions, observe
from extractors.key_value import Found, KeyValues
from extractors.labels import LabelBook, SchemaNames
from extractors.layout import Line, lines_of
from extractors.protocol import ExtractionFailed, ExtractorInfo, Input, Job
from extractors.table_header import SoughtTable
from extractors.tables import FoundTable, TableReader
from extractors.typed import is_judgeable
from extractors.words import PageText, read_document
from groundtruth.ballot import Ballot, Failure
from groundtruth.errors import DocumentError, DocumentTooLarge
from groundtruth.path import Path
from groundtruth.schema import FrozenSchema

NAME: Final = "text-geo"
VERSION: Final = "1"
FAMILY: Final = "geometric-association"


class TextGeo:
    """Reads PDF files with a text layer, and text and office files; images are unsupported input."""

    @property
    def info(self) -> ExtractorInfo:
        """Its version changes with any change of what it answers, and with the reader underneath."""
        return ExtractorInfo(
            name=NAME,
            version=VERSION,
            family=FAMILY,
            config=_reader_versions(),
            asserts_null=False,
            inputs=frozenset({Input.TEXT_LAYER}),
            seconds_per_page=0.05,
            summary="text layer by pdfium; labels and columns by geometry, one assignment over the document",
        )

    def available(self) -> str | None:
        """None, or that pypdfium2 is missing."""
        try:
            import pypdfium2  # type: ignore[import-untyped] # noqa: F401
        except ImportError as error:
            return f"pypdfium2 cannot be imported ({error}); install the project again"
        return None

    def extract(self, job: Job) -> Ballot:
        """The ballot for one document, with a citation for every value.

        Raises:
            ExtractionFailed: the file cannot be opened, or has no text layer.
        """
        pages = _read(job)
        if not any(page.words for page in pages):
            raise ExtractionFailed(Failure.UNSUPPORTED_INPUT, "no text layer: the pages are images")
        return read_pages(pages, job.schema)


def read_pages(pages: Iterable[PageText], schema: FrozenSchema) -> Ballot:
    """The ballot for the words of a document."""
    found_pages = list(pages)
    lines = [lines_of(page) for page in found_pages]
    conventions = observe(word.text for page in found_pages for word in page.words)
    names = SchemaNames(schema)
    tables = _read_tables(schema, names, lines, conventions)
    taken = frozenset(word for table in tables.values() for word in table.words)
    answer = Answer(schema)
    for path, table in tables.items():
        answer.add_rows(path, table.rows, table.columns)
    found = _read_fields(schema, names, lines, conventions, taken)
    for leaf, parsed in found.values.items():
        answer.add_value(leaf, parsed)
    for leaf in found.blank:
        answer.add_blank(leaf)
    return answer.ballot(NAME, FAMILY)


def _read(job: Job) -> list[PageText]:
    try:
        return read_document(job)
    except DocumentTooLarge as error:
        raise ExtractionFailed(Failure.CAPACITY, str(error)) from error
    except DocumentError as error:
        raise ExtractionFailed(Failure.UNSUPPORTED_INPUT, str(error)) from error


def _read_tables(
    schema: FrozenSchema, names: SchemaNames, lines: list[list[Line]], conventions: Conventions
) -> dict[Path, FoundTable]:
    sought = [SoughtTable(table, names) for table in schema.root.tables()]
    return TableReader(sought, conventions).read(lines)


def _read_fields(
    schema: FrozenSchema,
    names: SchemaNames,
    lines: list[list[Line]],
    conventions: Conventions,
    taken: frozenset[int],
) -> Found:
    """The fields outside arrays of objects; words whose order is in ``taken`` are no value."""
    leaves = [leaf for leaf in schema.root.leaves() if is_judgeable(leaf)]
    book = LabelBook(name for leaf in leaves for name in names.of_leaf(leaf))
    return KeyValues(book, names.of_records(schema.root), conventions).find(lines, taken)


def _reader_versions() -> str:
    from importlib.metadata import version

    text = f"pypdfium2={version('pypdfium2')};pymupdf={version('pymupdf')}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]
