"""The record of a document: what it must hold, and what it may never name."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from groundtruth.document import Document, Kind

RECORD: dict[str, Any] = {
    "id": "invoice 7",
    "file": "invoice 7.pdf",
    "original_name": "Invoice 7.PDF",
    "sha256": "0" * 64,
    "media_type": "application/pdf",
    "pages": 2,
    "kind": "form",
    "schema": "invoice",
    "type": "invoice",
    "domain": None,
    "source": None,
    "license": "CC0-1.0",
    "notes": ["repaired"],
    "tags": {"lang": "en"},
}


def read(**changes: Any) -> Document:
    return Document.model_validate_json(json.dumps({**RECORD, **changes}))


def test_a_record_reads_back_as_it_was_written() -> None:
    document = read()

    assert document.kind is Kind.FORM
    assert document.schema_name == "invoice"
    assert json.loads(document.model_dump_json()) == RECORD


def test_what_nobody_said_is_null_in_the_record_not_absent() -> None:
    short = {key: RECORD[key] for key in ("id", "file", "original_name", "sha256", "media_type", "pages", "schema")}

    written = Document.model_validate_json(json.dumps(short)).model_dump(mode="json")

    assert written.keys() == RECORD.keys()
    assert (written["kind"], written["source"], written["tags"]) == ("real", None, {})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        pytest.param("file", "../../secret.pdf", id="a file above the folder"),
        pytest.param("file", "/etc/passwd", id="an absolute file"),
        pytest.param("file", ".hidden.pdf", id="a hidden file"),
        pytest.param("id", "a/b", id="an id with a slash"),
        pytest.param("id", "", id="no id"),
        pytest.param("schema", "..", id="a schema above the folder"),
        pytest.param("sha256", "0" * 63, id="a short hash"),
        pytest.param("sha256", "0" * 64 + "\n", id="a hash and a line end"),
        pytest.param("sha256", "A" * 64, id="a hash in capitals"),
        pytest.param("pages", 0, id="no page"),
        pytest.param("pages", True, id="true for one page"),
        pytest.param("pages", "2", id="pages as text"),
        pytest.param("kind", "photo", id="an unknown kind"),
        pytest.param("tags", {"n": 1}, id="a tag that is no text"),
        pytest.param("note", "x", id="an unknown key"),
    ],
)
def test_a_record_that_says_what_it_must_not_is_refused(key: str, value: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        read(**{key: value})

    assert [error["loc"][0] for error in caught.value.errors()] == [key]
