"""Makers of pages of placed text, for the tests of extractors."""

# PyMuPDF says that it is typed, but its functions mostly are not.
# mypy: allow-untyped-calls

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pymupdf

import document_builders
from extractors.protocol import Job
from groundtruth.path import format_path
from groundtruth.rules import Rules
from groundtruth.schema import FrozenSchema
from groundtruth.schema_compile import compile_schema
from groundtruth.store import Dataset

PAGE = (595, 842)
ROW = 16
PATIENCE_SECONDS = 120.0


class Text(NamedTuple):
    """A text whose baseline begins at x, y in points from the top left."""

    x: float
    y: float
    text: str
    font: str = "helv"
    size: float = 9


def job(file: Path, compiled: FrozenSchema | None = None, **settings: Any) -> Job:
    """A job that may take its time; without a schema for readers that need none."""
    compiled = compiled or schema({"title": TEXT})
    return Job(file, compiled, time.monotonic() + PATIENCE_SECONDS, **settings)


def text_pdf(path: Path, *pages: Iterable[Text], rotation: int = 0) -> Path:
    """Write a PDF with these texts on each page; on a rotated page they stand upright where they say."""
    with pymupdf.open() as document:
        for texts in pages:
            page = document.new_page(width=PAGE[0], height=PAGE[1])
            page.set_rotation(rotation)
            for text in texts:
                point = pymupdf.Point(text.x, text.y) * page.derotation_matrix
                page.insert_text(point, text.text, fontname=text.font, fontsize=text.size, rotate=rotation)
        document.save(path)
    return path


def form_pdf(path: Path, label: Text, rectangle: tuple[float, float, float, float], value: str) -> Path:
    """Write a PDF with a label and a form field in a rectangle, filled with a value."""
    with pymupdf.open() as document:
        page = document.new_page(width=PAGE[0], height=PAGE[1])
        page.insert_text((label.x, label.y), label.text, fontname=label.font, fontsize=label.size)
        widget = pymupdf.Widget()
        widget.field_name, widget.field_value = "field", value
        widget.field_type = pymupdf.PDF_WIDGET_TYPE_TEXT  # type: ignore[attr-defined]
        widget.rect = pymupdf.Rect(rectangle)
        page.add_widget(widget)
        document.save(path)
    return path


def grid(y: float, columns: Sequence[float], rows: Iterable[Sequence[str]], *, font: str = "helv") -> list[Text]:
    """Rows of texts, left-aligned at the columns, ``ROW`` points apart; "" leaves a cell empty."""
    return [
        Text(x, y + number * ROW, cell, font)
        for number, row in enumerate(rows)
        for x, cell in zip(columns, row, strict=False)
        if cell
    ]


def schema(properties: dict[str, Any], **rules: Any) -> FrozenSchema:
    """A compiled schema with these properties at its root, and rules as a rules file has them."""
    source = {"type": "object", "properties": properties}
    return compile_schema(source, Rules.from_json(rules), name="test")


TEXT = {"type": ["string", "null"]}
NUMBER = {"type": ["number", "null"]}
INTEGER = {"type": ["integer", "null"]}
DATE = {"type": ["string", "null"], "format": "date"}
BOOLEAN = {"type": ["boolean", "null"]}


def records(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An array of objects with these properties."""
    return {"type": ["array", "null"], "items": {"type": "object", "properties": properties}, **more}


def names(paths: Iterable[Any]) -> set[str]:
    """Paths as text."""
    return {format_path(path) for path in paths}


def is_running(pid: int) -> bool:
    """Whether there is such a process that has not ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


COUNTING = "planted_extractors:Counting"
HARMFUL = "planted_extractors:Harmful"
TITLES = {"type": "object", "properties": {"title": {"type": ["string", "null"]}}}


def dataset_of(folder: Path, ids: Sequence[str]) -> Dataset:
    """A dataset with a small PDF under each id."""
    dataset = Dataset.create(folder)
    dataset.put_draft("titles", TITLES, Rules())
    for name in ids:
        file = folder.parent / f"{name}.pdf"
        file.write_bytes(document_builders.pdf([f"document {name}"]))
        dataset.add_document(file, schema="titles")
    return dataset


def add_pages(dataset: Dataset, name: str, pages: int) -> None:
    """Add a document of so many pages to a dataset that ``dataset_of`` made."""
    file = dataset.root.parent / f"{name}.pdf"
    dataset.add_document(text_pdf(file, *([Text(50, 50, f"{name} {page}")] for page in range(pages))), schema="titles")
