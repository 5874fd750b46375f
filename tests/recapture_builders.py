"""Clean documents with their truth, for tests and benches of re-captures: every value has the box of its words."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from groundtruth.pages import open_document
from groundtruth.rules import Rules
from groundtruth.store import Dataset
from groundtruth.truth import GroundTruth, TruthEvidence

A4: Final = (595.28, 841.89)
SCHEMA: Final = {
    "type": "object",
    "properties": {
        "rows": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {name: {"type": "string"} for name in ("item", "name", "quantity", "amount")},
            },
        }
    },
}
_NAMES: Final = ("Gloves", "Syringe", "Catheter", "Apron", "Needle", "Slide", "Mask", "Tubing")
_COLUMNS: Final = ((0.09, "item"), (0.25, "name"), (0.6, "quantity"), (0.76, "amount"))


def rows_of_page(page: int, count: int) -> list[dict[str, str]]:
    """Invented rows, all cells of a page different."""
    return [
        {
            "item": f"HR-{page:02}{at:03}",
            "name": f"{_NAMES[(at + page) % len(_NAMES)]}-{page}{at:02}",
            "quantity": f"{(at * 37 + page * 11) % 900 + 10}/{page}{at}",
            "amount": f"{(at * 7919 + page * 104729) % 90000 / 100 + 10:,.2f}",
        }
        for at in range(count)
    ]


def dense_list(
    pages: int = 1, rows: int = 40, size: tuple[float, float] = A4, font_size: float = 9.0, rotate: int = 0
) -> tuple[bytes, list[dict[str, str]]]:
    """A PDF with a ruled list on each page, and its rows; ``rotate`` is the pages' ``/Rotate``."""
    from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

    width, height = size
    file = BytesIO()
    canvas = Canvas(file, pagesize=size, invariant=1)
    found = []
    for page in range(1, pages + 1):
        canvas.setFont("Helvetica-Bold", 14)
        canvas.drawString(0.09 * width, height * 0.94, f"Stock list, sheet {page}")
        canvas.setFont("Helvetica", font_size)
        for at, row in enumerate(rows_of_page(page, rows)):
            y = height * (0.9 - 0.84 * at / max(rows, 1))
            for left, column in _COLUMNS:
                canvas.drawString(left * width, y, row[column])
            canvas.setLineWidth(0.3)
            canvas.line(0.08 * width, y - 3, 0.92 * width, y - 3)
            found.append(row)
        canvas.showPage()
    canvas.save()
    return (turned(file.getvalue(), rotate) if rotate else file.getvalue()), found


def turned(data: bytes, rotate: int) -> bytes:
    """The same PDF with ``/Rotate`` on its pages."""
    from pypdf import PdfWriter

    writer, file = PdfWriter(BytesIO(data)), BytesIO()
    for page in writer.pages:
        page.rotate(rotate)
    writer.write(file)
    return file.getvalue()


def add_list(dataset: Dataset, document: str, data: bytes, rows: Sequence[dict[str, str]], folder: Path) -> GroundTruth:
    """Add a PDF of ``dense_list`` with its truth; the boxes are those of the words."""
    file = folder / f"{document}.pdf"
    file.write_bytes(data)
    if "list" not in dataset.schema_names():
        dataset.put_draft("list", SCHEMA, Rules.from_json({"fields": {}, "identity": {}}))
    dataset.add_document(file, schema="list", id=document)
    boxes = {}
    with open_document(file) as source:
        for page in source.pages():
            boxes.update({word.text: (page.number, word.box) for word in page.words})
    evidence: dict[str, tuple[TruthEvidence, ...]] = {}
    for at, row in enumerate(rows):
        for name, text in row.items():
            number, box = boxes[text]
            evidence[f"rows[{at}].{name}"] = (TruthEvidence(number, box.xywh, quote=text),)
    truth = GroundTruth(document, "list", {"rows": list(rows)}, evidence)
    dataset.put_truth(truth)
    return truth


def list_dataset(folder: Path, document: str = "list-1", **what: Any) -> Dataset:
    """A dataset with one list; ``what`` is given to ``dense_list``."""
    dataset = Dataset.create(folder / "clean")
    add_list(dataset, document, *dense_list(**what), folder)
    return dataset


def fiducials(size: tuple[float, float], across: int = 8, down: int = 12) -> tuple[bytes, list[tuple[float, float]]]:
    """A page of small discs on a grid, and their centres in the page frame."""
    from reportlab.pdfgen.canvas import Canvas

    width, height = size
    file = BytesIO()
    canvas = Canvas(file, pagesize=size, invariant=1)
    centers = [
        ((column + 1.13) / (across + 1.4), (row + 1.21) / (down + 1.6))
        for row in range(down)
        for column in range(across)
    ]
    for x, y in centers:
        canvas.circle(x * width, height - y * height, 2.2, stroke=0, fill=1)
    canvas.showPage()
    canvas.save()
    return file.getvalue(), centers
