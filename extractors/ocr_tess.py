"""The extractor ``ocr-tess``: pages as pictures, read by Tesseract, and fields as sequences.

What was recognised is taken as lines of tokens. A table is the best cut of every line into the columns that its header
names, and the best path of states (row, continuation, total, other) through the lines; a field is what follows its
name, found by edit distance. It shares no rule of association with the extractors of a text layer. Its null says that
a place was found empty, which is weaker than saying that the document holds no value, so it never asserts null; a
place with something printed that was not read for sure is no null: the ballot abstains there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from extractors.answer import Answer
from extractors.conventions import observe
from extractors.labels import SchemaNames
from extractors.ocr_pages import recognised_pages
from extractors.protocol import ExtractionFailed, ExtractorInfo, Input, Job
from extractors.sequence_fields import read_fields
from extractors.sequence_labels import LabelFinder
from extractors.sequence_tables import read_tables
from extractors.sequence_text import TextLine, document_lines
from extractors.sequence_values import ValueReader
from extractors.tess_data import folder_of, has_data, missing, names_of
from extractors.tess_engine import REVISION, Tesseract, version
from groundtruth.ballot import Ballot, Failure
from groundtruth.recognised import RecognisedPage
from groundtruth.schema import FrozenSchema

NAME: Final = "ocr-tess"
VERSION: Final = "1"
FAMILY: Final = "line-sequence"


class OcrTess:
    """Reads PDF files and images by their looks; text and office files are unsupported input."""

    @property
    def info(self) -> ExtractorInfo:
        """Its version changes with any change of what it answers, and with Tesseract's own."""
        return ExtractorInfo(
            name=NAME,
            version=VERSION,
            family=FAMILY,
            config=_engine_version(),
            asserts_null=False,
            inputs=frozenset({Input.PIXELS}),
            reads_languages=True,
            seconds_per_page=4.0,
            memory_mb=1500,
            summary="pages as pictures by Tesseract; rows and fields by dynamic programming over lines",
        )

    def available(self) -> str | None:
        """None, or that Tesseract or all of its language data is missing."""
        try:
            import tesserocr  # type: ignore[import-untyped] # noqa: F401
        except (ImportError, OSError) as error:
            return f"tesserocr cannot be imported ({error}); install the project again, on Linux"
        if not has_data():
            return "Tesseract has no language data here; install it (apt-get install tesseract-ocr-eng)"
        return None

    def extract(self, job: Job) -> Ballot:
        """The ballot for one document, with a citation for every value.

        Raises:
            ExtractionFailed: the file cannot be opened or has no pages to look at, or a language of the dataset has
                no data here.
        """
        return read_pages(recognised_pages(job, _engine(job.languages)), job.schema)


def read_pages(pages: Iterable[RecognisedPage], schema: FrozenSchema) -> Ballot:
    """The ballot for what was recognised on the pages of a document."""
    lines = document_lines(pages)
    conventions = observe(token.word.text for page in lines for line in page for token in line.tokens)
    values = ValueReader(conventions)
    names = SchemaNames(schema)
    answer = Answer(schema)
    taken: set[int] = set()
    for path, table in read_tables(list(schema.root.tables()), names, lines, values).items():
        answer.add_rows(path, table.rows, table.columns)
        if table.rows:
            taken |= table.taken
    rest = [_without(page, taken) for page in lines]
    fields = read_fields(rest, LabelFinder(schema, names).find(rest), values)
    for leaf, parsed in fields.values.items():
        answer.add_value(leaf, parsed)
    for leaf in fields.blank:
        answer.add_blank(leaf)
    return answer.ballot(NAME, FAMILY)


def _without(lines: Sequence[TextLine], taken: set[int]) -> list[TextLine]:
    """The lines without the words that tables took."""
    kept = ((line.page, tuple(token for token in line.tokens if token.word.order not in taken)) for line in lines)
    return [TextLine(page, tokens) for page, tokens in kept if tokens]


def _engine(languages: Sequence[str]) -> Tesseract:
    """The engine for the languages of a dataset.

    A language without data is missing set-up, not an unsuitable document: it is ``not_configured``, and no document
    is read in another language in its stead, since that reads letters that are not there.
    """
    names = names_of(languages)
    lacking = missing(names)
    if lacking:
        packages = " ".join(f"tesseract-ocr-{name.replace('_', '-')}" for name in lacking)
        raise ExtractionFailed(
            Failure.NOT_CONFIGURED,
            f"Tesseract has no data for {', '.join(lacking)}; on Debian look for {packages} (apt-get install)",
        )
    return Tesseract(folder_of(names), names)


def _engine_version() -> str:
    try:
        return f"tesseract {version()} r{REVISION}"
    except ImportError:
        return ""
