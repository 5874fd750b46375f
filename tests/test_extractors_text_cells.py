"""The extractor of ruled cells and lines of text on whole documents."""

from __future__ import annotations

from pathlib import Path

from extraction_builders import TEXT, Text, job, schema, text_pdf
from extractors.protocol import Extractor, run
from extractors.text_cells import TextCells


def test_a_label_with_a_colon_names_the_text_behind_it(tmp_path: Path) -> None:
    file = text_pdf(tmp_path / "a.pdf", [Text(50, 100, "Reference: R-17"), Text(300, 100, "Seller:  Ada Okonjo")])
    ballot = run(TextCells(), job(file, schema({"reference": TEXT, "seller": TEXT})))
    assert ballot.data == {"reference": "R-17", "seller": "Ada Okonjo"}


def test_it_is_an_extractor_and_says_what_its_answers_depend_on() -> None:
    extractor = TextCells()
    assert isinstance(extractor, Extractor)
    assert extractor.available() is None
    assert extractor.info == TextCells().info
    assert (extractor.info.name, extractor.info.offline, extractor.info.asserts_null) == ("text-cells", True, True)
