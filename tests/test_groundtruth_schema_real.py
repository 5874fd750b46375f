"""Schemas that other people wrote: each compiles, or is refused for the right reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from builders import shared_dir
from groundtruth import jsontext
from groundtruth.errors import SchemaError
from groundtruth.path import format_path, parse_path
from groundtruth.rules import Comparator, Rules
from groundtruth.schema import FrozenSchema
from groundtruth.schema_compile import check_schema, compile_schema
from groundtruth.schema_finding import Code, Level


def compiled(file: Path) -> FrozenSchema:
    return compile_schema(jsontext.load_file(file), Rules(), name=file.stem, origin=str(file))


def test_every_schema_of_docubench_compiles() -> None:
    files = sorted((shared_dir() / "real" / "docubench" / "schemas").glob("*.json"))
    assert len(files) == 25
    for file in files:
        schema = compiled(file)
        assert schema.leaves
        assert all(leaf.comparator is not Comparator.OPAQUE for leaf in schema.leaves.values()), file.name
        assert all(parse_path(format_path(path)) == path for path in schema.leaves)


def test_every_bare_schema_of_contextual_compiles() -> None:
    folder = shared_dir() / "real" / "contextual"
    leaves = {
        name: len(compiled(folder / f"{name}-schema.json").leaves)
        for name in ("10kq", "credit_agreement", "research", "swimming")
    }
    assert leaves == {"10kq": 369, "credit_agreement": 13, "research": 16, "swimming": 12}


def test_the_wrapped_schema_of_contextual_is_refused_and_what_it_wraps_compiles() -> None:
    file = shared_dir() / "real" / "contextual" / "resume-schema.json"
    with pytest.raises(SchemaError, match=r"resume-schema\.json.*'schema_definition'"):
        compiled(file)
    inner = jsontext.load_file(file)["schema_definition"]
    schema = compile_schema(inner, Rules(), name="resume")
    assert schema.leaves[("skills",)].comparator is Comparator.OPAQUE
    errors = [
        finding.code for finding in check_schema(jsontext.load_file(file), Rules()) if finding.level is Level.ERROR
    ]
    assert errors == [Code.WRAPPED]
