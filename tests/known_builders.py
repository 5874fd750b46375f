"""A small list whose truth is known, without a file."""

from __future__ import annotations

from typing import Any, Final

from annotation.known_documents import KnownDocument, leaves_of
from builders import schema_of
from groundtruth.box import Box
from groundtruth.evidence import Evidence
from groundtruth.path import Path, parse_path

SCHEMA: Final = schema_of(
    {
        "number": {"type": "string", "title": "Number"},
        "issued": {"type": ["string", "null"], "format": "date"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "rows": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "sku": {"type": "string"},
                    "amount": {"type": ["number", "null"]},
                    "kind": {"enum": ["SH", "PRN", None]},
                    "remark": {"type": ["string", "null"]},
                },
            },
        },
    },
    identity={"rows": ["sku"]},
)
PER_PAGE: Final = 10


def known_document(rows: int = 20, **changes: Any) -> KnownDocument:
    """A list of so many rows, ten on a page; every fifth amount and every second kind is absent, all remarks are."""
    value = {
        "number": "AB-204417",
        "issued": "2025-03-07",
        "tags": ["a", "b"],
        "rows": [
            {
                "sku": f"K{at:03}-{at * 37 % 89:02}",
                "amount": None if at % 5 == 4 else 1000 + 13 * at,
                "kind": "SH" if at % 2 else None,
                "remark": None,
            }
            for at in range(rows)
        ],
    }
    parts: dict[str, Any] = {
        "id": "constructed-77",
        "type": "synthetic list",
        "sha256": "0" * 64,
        "origin": "",
        "page_count": -(-rows // PER_PAGE),
        "schema": SCHEMA,
        "value": value,
        "places": {path: (place_of(path),) for path, found in leaves_of(SCHEMA, value) if found is not None},
    }
    return KnownDocument(**{**parts, **changes})


def place_of(path: Path) -> Evidence:
    """Where a leaf of the list is printed."""
    row = path[1] if len(path) > 1 and isinstance(path[1], int) else 0
    column = {"sku": 0, "amount": 1, "kind": 2, "number": 0, "issued": 1, "tags": 2}[str(path[-1])]
    y = (0.1 + 0.08 * (row % PER_PAGE)) if len(path) > 1 else 0.02
    return Evidence(page=row // PER_PAGE + 1, boxes=(Box(0.1 + 0.3 * column, y, 0.3 + 0.3 * column, y + 0.03),))


def at(text: str) -> Path:
    """A path."""
    return parse_path(text)
