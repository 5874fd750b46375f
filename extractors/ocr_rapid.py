"""The extractor ``ocr-rapid``: pages as pictures, read by RapidOCR, as a graph of runs of text.

The detector's runs are nodes, their neighbours edges. A field is what stands at the end of an edge from a run that
bears its name, where both choose each other; an array is what stands under a run of cells that name its properties,
between the rivers that its runs leave. Names are compared as far as words are alike, since an engine misspells. What
cannot be read for sure is no vote, and never null; its null says only that a place is empty, so it asserts none.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from extractors.answer import Answer
from extractors.conventions import observe
from extractors.labels import SchemaNames
from extractors.ocr_pages import recognised_pages
from extractors.protocol import ExtractionFailed, ExtractorInfo, Input, Job
from extractors.rapid_engine import RapidEngine, missing_models
from extractors.segment_fields import FieldReader
from extractors.segment_graph import graphs_of
from extractors.segment_headers import SoughtTable
from extractors.segment_labels import FieldNames
from extractors.segment_reading import Reader
from extractors.segment_tables import TableReader
from groundtruth.ballot import Ballot, Failure
from groundtruth.recognised import RecognisedPage
from groundtruth.schema import FrozenSchema

NAME: Final = "ocr-rapid"
VERSION: Final = "1"
FAMILY: Final = "segment-graph"
LANGUAGES: Final = frozenset(
    {"ca", "cs", "da", "de", "en", "es", "et", "fi", "fr", "ga", "hr", "hu", "id", "is", "it", "ja", "lt", "lv", "ms",
     "mt", "nb", "nl", "nn", "no", "pl", "pt", "ro", "sl", "sq", "sv", "tr", "zh"}
)  # fmt: skip
"""ISO 639-1 codes of the languages whose alphabet the bundled models read."""


class OcrRapid:
    """Reads PDF files and images by what they look like; text and office files have no pages to look at.

    Attributes:
        engine: what reads the pages; it loads its models with the first one.
    """

    def __init__(self) -> None:
        self.engine = RapidEngine()

    @property
    def info(self) -> ExtractorInfo:
        """Its version changes with any change of what it answers, and with the models underneath."""
        return ExtractorInfo(
            name=NAME,
            version=VERSION,
            family=FAMILY,
            config=hashlib.sha256(self.engine.key.encode()).hexdigest()[:16],
            asserts_null=False,
            inputs=frozenset({Input.PIXELS}),
            reads_languages=True,
            seconds_per_page=8.0,
            memory_mb=3000,
            summary="pages as pictures by RapidOCR; runs of text as a graph, labels and values by mutual choice",
        )

    def available(self) -> str | None:
        """None, or what of RapidOCR is missing; nothing is ever fetched."""
        try:
            return missing_models()
        except Exception as error:  # noqa: BLE001 - whatever a broken installation raises
            return f"rapidocr cannot be used ({error}); install the project again"

    def extract(self, job: Job) -> Ballot:
        """The ballot for one document, with a citation for every value.

        Raises:
            ExtractionFailed: the file cannot be opened, has no pages to look at, shows no text, or is in languages
                that the models do not read.
        """
        if not LANGUAGES & set(job.languages):
            wanted, read = ", ".join(job.languages), ", ".join(sorted(LANGUAGES))
            raise ExtractionFailed(Failure.UNSUPPORTED_INPUT, f"the document is in {wanted}; {NAME} reads {read}")
        pages = recognised_pages(job, self.engine)
        if not any(page.words for page in pages):
            raise ExtractionFailed(Failure.UNSUPPORTED_INPUT, "no legible text on the pages")
        return read_pages(pages, job.schema)


def read_pages(pages: Sequence[RecognisedPage], schema: FrozenSchema) -> Ballot:
    """The ballot for the recognised words of a document."""
    graphs = graphs_of(pages)
    conventions = observe(word.text for page in pages for word in page.words)
    names = SchemaNames(schema)
    answer = Answer(schema)
    tables = TableReader([SoughtTable(table, names) for table in schema.root.tables()], conventions).read(graphs)
    for path, table in tables.items():
        answer.add_rows(path, table.rows, table.columns)
    taken = frozenset(order for table in tables.values() for order in table.words)
    reader = Reader(conventions, [node.words for graph in graphs for node in graph.nodes])
    found = FieldReader(FieldNames(schema), reader, taken).read(graphs)
    for leaf, parsed in found.values.items():
        answer.add_value(leaf, parsed)
    for leaf in found.blank:
        answer.add_blank(leaf)
    return answer.ballot(NAME, FAMILY)
