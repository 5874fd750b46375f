"""The demo's documents, drawn from the values that they print."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from groundtruth import jsontext
from groundtruth.jsontext import Json
from synth.demo.certificate import draw_certificate
from synth.demo.form import draw_form
from synth.demo.invoice import draw_invoice
from synth.demo.receipt import draw_receipt
from synth.demo.sheet import Drawn


class Drawing(NamedTuple):
    """How one document is made: the kind of its file, and the function that draws its values."""

    suffix: str
    draw: Callable[[Json], Drawn]


DRAWINGS: Final[Mapping[str, Drawing]] = {
    "certificate-00917": Drawing("pdf", draw_certificate),
    "invoice-04471": Drawing("pdf", draw_invoice),
    "receipt-118834": Drawing("jpg", draw_receipt),
    "registration-0592": Drawing("pdf", draw_form),
}


def load_values(folder: Path, document: str) -> Json:
    """What a document of the demo in ``folder`` prints, in the form of its schema."""
    return jsontext.load_file(folder / "values" / f"{document}.json")


def draw(folder: Path, document: str) -> Drawn:
    """A document of the demo in ``folder``."""
    return DRAWINGS[document].draw(load_values(folder, document))
