"""The extractor ``acroform``: the form fields of a PDF, read from the file, not from the page.

A field answers the leaf that its tooltip names, or its name in the file, or what is printed at it. An empty field says
that the form holds no value there, so this extractor asserts null; a field whose drawing shows something else than the
field holds says nothing. What stands outside form fields it does not read: those leaves are unsupported.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from extractors.answer import Answer
from extractors.conventions import observe
from extractors.labels import SchemaNames
from extractors.protocol import ExtractionFailed, ExtractorInfo, Input, Job
from extractors.typed import is_judgeable
from extractors.words import PageText, is_pdf
from groundtruth.ballot import Ballot, Failure
from groundtruth.errors import DocumentError

if TYPE_CHECKING:
    from extractors.acroform_fields import Form

NAME: Final = "acroform"
VERSION: Final = "1"
FAMILY: Final = "form-fields"


class AcroForm:
    """Reads PDF forms that were filled in as such; flat pages, scans, and forms that exist in XFA only it cannot."""

    @property
    def info(self) -> ExtractorInfo:
        """Its version changes with any change of what it answers, and with the readers underneath."""
        return ExtractorInfo(
            name=NAME,
            version=VERSION,
            family=FAMILY,
            config=_reader_versions(),
            asserts_null=True,
            inputs=frozenset({Input.FORM_FIELDS}),
            seconds_per_page=0.1,
            summary="form fields by pypdf; matched by tooltip, by name, by print beside them",
        )

    def available(self) -> str | None:
        """None, or which package is missing."""
        try:
            import pypdf  # noqa: F401
            import pypdfium2  # type: ignore[import-untyped] # noqa: F401
        except ImportError as error:
            return f"a reader of PDF forms cannot be imported ({error}); install the project again"
        return None

    def extract(self, job: Job) -> Ballot:
        """The ballot for one document, with the rectangles of the fields for citations.

        Raises:
            ExtractionFailed: the file cannot be opened, has no form fields, or none of them is filled in.
        """
        if not is_pdf(job.file):
            raise ExtractionFailed(Failure.UNSUPPORTED_INPUT, "not a PDF, so it has no form fields")
        try:
            return _extract(job)
        except DocumentError as error:
            raise ExtractionFailed(Failure.UNSUPPORTED_INPUT, str(error)) from error


def _extract(job: Job) -> Ballot:
    from extractors.acroform_fields import read_form
    from extractors.acroform_match import Headings, match
    from extractors.acroform_names import LeafNames
    from extractors.acroform_options import field_answer, subjects
    from extractors.acroform_printed import PrintedPage
    from extractors.acroform_rows import RowFinder
    from extractors.acroform_values import Reader

    form = read_form(job.file, job.skip)
    if not form.fields:
        why = "its form is XFA, which only some viewers show; print it to a PDF" if form.has_xfa else "no form fields"
        raise ExtractionFailed(Failure.UNSUPPORTED_INPUT, why)
    if not any(field.is_filled for field in form.fields):
        # What is on such a page was printed or written over the fields: their emptiness says nothing.
        raise ExtractionFailed(Failure.UNSUPPORTED_INPUT, f"none of its {len(form.fields)} form fields is filled in")

    texts = _page_texts(job, form)
    pages = {number: PrintedPage(text, form.fields) for number, text in texts.items()}
    shown = [word.text for text in texts.values() for word in text.words]
    held = [token for field in form.fields for value in field.displays for token in value.split()]
    reader = Reader(pages, observe([*shown, *held]), itertools.count(len(shown)))
    schema_names = SchemaNames(job.schema)

    answer = Answer(job.schema)
    rows = RowFinder(job.schema, schema_names, pages, reader, partial(field_answer, reader)).find(form.fields)
    for path, table in rows.items():
        answer.add_rows(path, table.rows, table.columns)
    taken = {id(field) for table in rows.values() for field in table.fields}
    names = LeafNames(filter(is_judgeable, job.schema.root.leaves()), schema_names)
    free = [field for field in form.fields if id(field) not in taken]
    headings = Headings(job.schema.root, schema_names, pages.values())
    found = match(subjects(free, pages, names, reader), names, headings)
    for leaf, parsed in found.values.items():
        answer.add_value(leaf, parsed)
    for leaf in found.blank:
        answer.add_blank(leaf)
    return replace(answer.ballot(NAME, FAMILY, asserts_null=True), detail=_remarks(len(found.stale), form.hidden))


def _page_texts(job: Job, form: Form) -> Mapping[int, PageText]:
    """The words of the pages that have fields, as they are shown."""
    from extractors.words_pdfium import read_pdf

    wanted = {widget.page for field in form.fields for widget in field.widgets}
    unwanted = frozenset(range(1, form.page_count + 1)) - wanted
    return {page.number: page for page in read_pdf(replace(job, skip=job.skip | unwanted))}


def _remarks(stale: int, hidden: int) -> str:
    remarks = []
    if stale:
        remarks.append(f"{stale} field{'s' * (stale > 1)} left out that show something else than they hold")
    if hidden:
        remarks.append(f"{hidden} filled field{'s' * (hidden > 1)} left out that no page shows")
    return "; ".join(remarks)


def _reader_versions() -> str:
    text = ";".join(f"{package}={_version(package)}" for package in ("pypdf", "pypdfium2"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:  # `available` says so
        return "none"
