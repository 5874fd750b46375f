"""A document of a dataset: where its file is, what it is, and where it came from.

The value in ``documents/<id>/document.json``. The extraction schema is named here and kept in ``schemas/``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from groundtruth.names import name_problem


class Kind(StrEnum):
    """Where a document's pages come from; it decides what a person must see.

    Every leaf of a ``form`` goes to a person; a ``recapture`` inherits the truth of the document it was made from; a
    ``synthetic`` document is constructed with its truth, and nothing is asked of people about it.
    """

    REAL = "real"
    FORM = "form"
    SYNTHETIC = "synthetic"
    RECAPTURE = "recapture"

    @property
    def comes_with_truth(self) -> bool:
        """Whether the truth is known when the document is made, so that it needs no vote."""
        return self in (Kind.SYNTHETIC, Kind.RECAPTURE)


def _plain_name(name: str) -> str:
    problem = name_problem(name)
    if problem:
        raise ValueError(f"{name!r} {problem}")
    return name


PlainName = Annotated[str, AfterValidator(_plain_name)]
"""A name that is one component of a path; see ``names.name_problem``."""


@dataclass(frozen=True, slots=True)
class Description:
    """What a person says about a document when adding it; see ``Document`` for the meaning of each part."""

    schema_name: str
    kind: Kind = Kind.REAL
    type: str | None = None
    domain: str | None = None
    source: str | None = None
    license: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)


class Document(BaseModel):
    """One document of a dataset.

    Attributes:
        id: its name in the dataset, a plain name in Unicode form C.
        file: the name of the document's file, beside ``document.json``.
        original_name: the name that the file had when it was added.
        sha256: of the file's bytes, hexadecimal.
        media_type: such as ``application/pdf``.
        pages: how many pages (of a TIFF: frames) the file has.
        kind: where the pages come from.
        schema_name: the schema that says what to extract, ``schema`` in the file.
        type: what sort of document it is (``invoice``), or None.
        domain: the trade it is from (``logistics``), or None.
        source: where it was obtained, usually a URL, or None.
        license: under which terms it may be used, or None.
        notes: what one should know of its pages, codes of ``pages.DocumentNote``.
        tags: free labels by name, for slices of a report.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, validate_by_name=True, validate_by_alias=True, serialize_by_alias=True
    )

    id: PlainName
    file: PlainName
    original_name: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    media_type: str
    pages: int = Field(ge=1)
    kind: Kind = Kind.REAL
    schema_name: PlainName = Field(alias="schema")
    type: str | None = None
    domain: str | None = None
    source: str | None = None
    license: str | None = None
    notes: tuple[str, ...] = ()
    tags: dict[str, str] = Field(default_factory=dict)
