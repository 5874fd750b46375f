"""Values of real documents: how many are found and how many are certain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path as FilePath

import pytest

from builders import shared_dir
from groundtruth import jsontext
from groundtruth.jsontext import Json
from groundtruth.locate import Sought, locate
from groundtruth.pages import open_document
from groundtruth.path import Path
from groundtruth.rules import Rules
from groundtruth.schema import Leaf, Record
from groundtruth.schema_compile import compile_schema
from locate_builders import WordsPage

# Documents with a text layer that holds the values, and the least share of them that must be certain.
DOCUMENTS = [
    pytest.param("1ZVqiyJZ", 0.9, id="policy"),
    pytest.param("IPm0MkgQ", 0.95, id="bank statement"),
    pytest.param("Oe7iRM1G", 0.95, id="french payslip"),
    pytest.param("WxP8Tqgf", 0.95, id="italian payslip"),
    pytest.param("pw8elPW9", 0.9, id="hebrew office file"),
    pytest.param("qoSTXgNE", 0.7, id="hebrew report"),
    pytest.param("ZN6HbuKp", 0.85, id="delimited text"),
    pytest.param("iTruRDrG", 0.75, id="waybill"),
    pytest.param("yTRFKVPx", 0.95, id="tables side by side"),
]


def _sought(record: Record, data: Json, path: Path = ()) -> Iterator[Sought]:
    for key, node in record.fields.items():
        value = data.get(key) if isinstance(data, dict) else None
        if isinstance(node, Leaf):
            if value is not None:
                yield Sought((*path, key), node, value, (value,))
        elif isinstance(node, Record):
            yield from _sought(node, value, (*path, key))
        else:
            for index, row in enumerate(value or []):
                yield from _sought(node.row, row, (*path, key, index))


def _pages(document: FilePath) -> list[WordsPage]:
    with open_document(document) as source:
        pages = [source.page(number) for number in range(1, source.page_count + 1)]
        return [WordsPage(page.number, page.width, page.height, page.words) for page in pages]


@pytest.mark.parametrize(("name", "least"), DOCUMENTS)
def test_most_values_of_a_document_are_located_for_sure(name: str, least: float) -> None:
    folder = shared_dir() / "real" / "docubench"
    schema = compile_schema(jsontext.load_file(folder / "schemas" / f"{name}.json"), Rules(), name=name)
    values = list(_sought(schema.root, jsontext.load_file(folder / "labels" / f"{name}.json")))
    (document,) = (folder / "documents").glob(f"{name}.*")
    found = locate(values, _pages(document))
    assert sum(location.certain for location in found.values()) >= least * len(values)
