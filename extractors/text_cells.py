"""The extractor ``text-cells``: pages read with pdfplumber, by ruled cells and by lines of text.

A ruled cell confines what is in it: a label and its value stand in one cell or in neighbouring ones, and a row of
cells that names the fields of an array heads a table. Outside of cells the page is lines of text, in which regular
expressions made of the schema's names find labels, and white gutters find columns. What has no label is not guessed:
the leaf is unsupported and the ballot abstains there.

Every null it gives is an empty ruled cell or an empty cell of a column that was found, so it asserts null; not where
a picture covers a page, since such a page holds more than its text layer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from extractors.answer import Answer
from extractors.conventions import observe
from extractors.labels import SchemaNames
from extractors.protocol import ExtractionFailed, ExtractorInfo, Input, Job
from extractors.text_cells_fields import FieldReader
from extractors.text_cells_grid import Grid
from extractors.text_cells_names import NamePatterns
from extractors.text_cells_reader import RuledPage, is_scan, read_pages, reads_from_the_right
from extractors.text_cells_rows import Sought
from extractors.text_cells_sections import Sections
from extractors.text_cells_tables import PageCells, read_tables
from extractors.typed import is_judgeable
from groundtruth.ballot import Ballot, Failure
from groundtruth.schema import FrozenSchema

NAME: Final = "text-cells"
VERSION: Final = "1"
FAMILY: Final = "cells-and-lines"


class TextCells:
    """Reads PDF files with a text layer; other files, and text from right to left, are unsupported input."""

    @property
    def info(self) -> ExtractorInfo:
        """Its version changes with any change of what it answers, and with the reader underneath."""
        return ExtractorInfo(
            name=NAME,
            version=VERSION,
            family=FAMILY,
            config=_reader_versions(),
            asserts_null=True,
            inputs=frozenset({Input.TEXT_LAYER}),
            seconds_per_page=0.5,
            summary="text layer by pdfplumber; ruled cells, lines of text by regular expressions, columns by gutters",
        )

    def available(self) -> str | None:
        """None, or that pdfplumber is missing."""
        try:
            import pdfplumber  # noqa: F401
        except ImportError as error:
            return f"pdfplumber cannot be imported ({error}); install the project again"
        return None

    def extract(self, job: Job) -> Ballot:
        """The ballot for one document, with a citation for every value.

        Raises:
            ExtractionFailed: the file is no PDF, cannot be opened, or has no text layer that reads from the left.
        """
        pages = [page for page in read_pages(job) if page.text.words]
        if not pages:
            raise ExtractionFailed(Failure.UNSUPPORTED_INPUT, "no text layer: the pages are images")
        readable = [page for page in pages if not reads_from_the_right(page)]
        if not readable:
            raise ExtractionFailed(Failure.UNSUPPORTED_INPUT, "the text reads from right to left")
        return read_document(readable, job.schema)


def read_document(pages: Sequence[RuledPage], schema: FrozenSchema) -> Ballot:
    """The ballot for the words and ruled lines of a document."""
    conventions = observe(word.text for page in pages for word in page.text.words)
    names = SchemaNames(schema)
    cells = [PageCells(page, Grid(page)) for page in pages]
    answer = Answer(schema)
    taken: set[int] = set()
    for path, array in read_tables(
        cells, [Sought.of(table, names) for table in schema.root.tables()], conventions
    ).items():
        answer.add_rows(path, array.settled.rows, array.settled.columns)
        taken |= array.words
    leaves = [leaf for leaf in schema.root.leaves() if is_judgeable(leaf)]
    sections = Sections(schema, names)
    sections.look_at(cells)
    patterns = NamePatterns(name for leaf in leaves for name in names.of_leaf(leaf))
    found = FieldReader(patterns, sections, conventions).read(cells, frozenset(taken))
    for path, parsed in found.values.items():
        answer.add_value(path, parsed)
    for path in found.blank:
        answer.add_blank(path)
    return answer.ballot(NAME, FAMILY, asserts_null=not any(map(is_scan, pages)))


def _reader_versions() -> str:
    from importlib.metadata import version

    text = f"pdfplumber={version('pdfplumber')};pdfminer.six={version('pdfminer.six')}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]
