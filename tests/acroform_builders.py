"""What the extractor of form fields makes of a form that was drawn for a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pypdf.generic import NameObject

from extraction_builders import job, schema
from extractors.acroform import AcroForm
from extractors.protocol import run
from form_builders import HEIGHT, WIDTH, FormSheet
from groundtruth.ballot import Ballot, Status
from groundtruth.evidence import Evidence
from groundtruth.jsontext import Json
from groundtruth.schema import FrozenSchema

SIZE = {"type": ["string", "null"], "enum": ["S", "M", "XL", None], "title": "T-shirt size"}
TAGS = {"type": ["array", "null"], "items": {"type": "string"}, "title": "Interests"}


def read(file: Path, compiled: FrozenSchema, **settings: Any) -> Ballot:
    return run(AcroForm(), job(file, compiled, **settings))


def read_ok(sheet: FormSheet, tmp_path: Path, compiled: FrozenSchema) -> Ballot:
    ballot = read(sheet.write(tmp_path / "form.pdf"), compiled)
    assert ballot.status is Status.OK, ballot.detail
    return ballot


def data_of(sheet: FormSheet, tmp_path: Path, properties: dict[str, Any], **rules: Any) -> Json:
    """What is read, without what is unsupported."""
    return read_ok(sheet, tmp_path, schema(properties, **rules)).data


def with_another(sheet: FormSheet) -> FormSheet:
    """The form with one more field, which is filled in and no leaf's: a form that nobody filled in is no answer."""
    return sheet.text("unasked", 400, 780, "something")


def set_entries(widget: Any, **entries: Any) -> None:
    """Write entries of a widget as they are given, so that it may contradict itself."""
    for key, value in entries.items():
        widget[NameObject(f"/{key}")] = value


def points_of(place: Evidence, width: float = WIDTH, height: float = HEIGHT) -> tuple[float, float, float, float]:
    (box,) = place.boxes
    return box.x0 * width, box.y0 * height, box.x1 * width, box.y1 * height
