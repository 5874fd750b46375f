"""What is true of a document: the value of every leaf, and where on the pages it stands.

``truth/<document>.json`` is read by others too, so its first four keys stay as they are::

    {"document": "inv-1", "schema": "invoice", "value": {"items": [{"amount": 12.5}]},
     "evidence": {"items[0].amount": [{"page": 1, "bbox": [0.7, 0.4, 0.1, 0.02], "value": 12.5, "quote": "12.50",
                                       "coarse": false, "kind": "line"}]},
     "schema_version": "draft", "normalizers": {"paid": ["null_equals_false"]}, "tags": {"suite": "short"}}

Keys that this module does not know are kept as they are, in the file and in its entries of evidence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, NamedTuple

from groundtruth.box import Box
from groundtruth.errors import JsonError
from groundtruth.evidence import Kind
from groundtruth.jsontext import Json
from groundtruth.schema import DRAFT

Number = int | float | Decimal
XYWH = tuple[Number, Number, Number, Number]
"""``x, y, width, height`` in the page frame, digit by digit as it was written."""

_ENTRY: Final = frozenset({"page", "bbox", "value", "quote", "coarse", "kind"})
_TRUTH: Final = frozenset({"document", "schema", "schema_version", "value", "evidence", "normalizers", "tags"})
_EDGES: Final = 4


class TruthEvidence(NamedTuple):
    """One place where a value stands, or one more reading of it that is right.

    Attributes:
        page: from 1; None for an entry that only gives a reading.
        bbox: as published, ``x, y, width, height``; None when only the page is known.
        value: the reading that this place supports; null says nothing.
        quote: the words as the page has them, or None.
        coarse: whether the box frames all lines of a value that other entries frame one by one.
        kind: what the box frames.
        further: other keys of the entry.
    """

    page: int | None = None
    bbox: XYWH | None = None
    value: Json = None
    quote: str | None = None
    coarse: bool = False
    kind: Kind = Kind.LINE
    further: Mapping[str, Json] = {}

    def to_json(self) -> dict[str, Json]:
        """The entry as the file holds it."""
        return {
            **self.further,
            "page": self.page,
            "bbox": None if self.bbox is None else list(self.bbox),
            "value": self.value,
            "quote": self.quote,
            "coarse": self.coarse,
            "kind": str(self.kind),
        }

    @classmethod
    def from_json(cls, data: Json) -> TruthEvidence:
        """Read an entry; every key may be absent.

        Raises:
            JsonError: no object, a page that is no whole number from 1, a box off the page or without a page, or a
                kind that is none.
        """
        if not isinstance(data, dict):
            raise JsonError(f"an entry of evidence is an object, not {type(data).__name__}")
        page, quote, coarse = data.get("page"), data.get("quote"), data.get("coarse")
        if page is not None and (type(page) is not int or page < 1):
            raise JsonError(f"page {page!r}: a page is a whole number from 1")
        if quote is not None and not isinstance(quote, str):
            raise JsonError(f"quote {quote!r}: a quote is text")
        if coarse is not None and not isinstance(coarse, bool):
            raise JsonError(f"coarse {coarse!r}: is true or false")
        bbox = None if data.get("bbox") is None else _xywh(data["bbox"])
        if bbox is not None and page is None:
            raise JsonError("bbox: stands on no page; say which")
        further = {name: value for name, value in data.items() if name not in _ENTRY}
        return cls(page, bbox, data.get("value"), quote, coarse is True, _kind(data.get("kind")), further)


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """The truth of one document.

    Attributes:
        document: the document's id. There may be no such document in the dataset: then the truth can be scored
            against, and not be looked at.
        schema_name: the dataset's name of the schema, ``schema`` in the file.
        value: the extraction that is right, a JSON object.
        evidence: by instance path, ``items[0].amount``.
        schema_version: the version that the value was made under.
        normalizers: by instance path, what more is accepted there; names of ExtractBench.
        tags: free labels by name, for slices of a report.
        further: other keys of the file.
    """

    document: str
    schema_name: str
    value: dict[str, Json]
    evidence: Mapping[str, tuple[TruthEvidence, ...]] = field(default_factory=dict)
    schema_version: str = DRAFT
    normalizers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    further: Mapping[str, Json] = field(default_factory=dict)

    def to_json(self) -> dict[str, Json]:
        """The truth as its file holds it."""
        return {
            **self.further,
            "document": self.document,
            "schema": self.schema_name,
            "schema_version": self.schema_version,
            "value": self.value,
            "evidence": {path: [entry.to_json() for entry in entries] for path, entries in self.evidence.items()},
            "normalizers": {path: list(names) for path, names in self.normalizers.items()},
            "tags": dict(self.tags),
        }

    @classmethod
    def from_json(cls, data: Json, *, source: str = "truth") -> GroundTruth:
        """Read what ``to_json`` wrote, or a file with the first four keys only.

        Raises:
            JsonError: a key is missing or holds what it cannot; the message starts with ``source`` and names the leaf.
        """
        if not isinstance(data, dict):
            raise JsonError(f"{source}: a truth is a JSON object, not {type(data).__name__}")
        for name, kind in (("document", str), ("schema", str), ("value", dict)):
            if not isinstance(data.get(name), kind):
                raise JsonError(f"{source}: {name!r} is missing, or is no {'text' if kind is str else 'object'}")
        return cls(
            document=data["document"],
            schema_name=data["schema"],
            value=data["value"],
            evidence=_evidence(data.get("evidence"), source),
            schema_version=_text(data.get("schema_version", DRAFT), "schema_version", source),
            normalizers={
                path: tuple(_text(name, path, source) for name in _list(names, f"{source}: normalizers: {path}"))
                for path, names in _object(data.get("normalizers"), "normalizers", source).items()
            },
            tags={
                name: _text(value, f"tags.{name}", source)
                for name, value in _object(data.get("tags"), "tags", source).items()
            },
            further={name: value for name, value in data.items() if name not in _TRUTH},
        )


def _evidence(form: Json, source: str) -> dict[str, tuple[TruthEvidence, ...]]:
    found: dict[str, tuple[TruthEvidence, ...]] = {}
    for path, entries in _object(form, "evidence", source).items():
        try:
            found[path] = tuple(map(TruthEvidence.from_json, _list(entries, f"{source}: evidence")))
        except JsonError as error:
            raise JsonError(f"{source}: evidence of {path}: {error}") from error
    return found


def _xywh(form: Json) -> XYWH:
    if (
        not isinstance(form, (list, tuple))
        or len(form) != _EDGES
        or not all(isinstance(edge, Number) and not isinstance(edge, bool) for edge in form)
    ):
        raise JsonError(f"bbox {form!r}: is [x, y, width, height]")
    try:
        Box.from_xywh(map(float, form))
    except ValueError as error:
        raise JsonError(f"bbox {[float(edge) for edge in form]}: {error}") from error
    x, y, width, height = form
    return x, y, width, height


def _kind(form: Json) -> Kind:
    try:
        return Kind.LINE if form is None else Kind(form)
    except ValueError as error:
        raise JsonError(f"kind {form!r}: is one of {', '.join(Kind)}") from error


def _object(form: Json, name: str, source: str) -> dict[str, Json]:
    if form is None:
        return {}
    if not isinstance(form, dict):
        raise JsonError(f"{source}: {name!r} is an object, not {type(form).__name__}")
    return form


def _list(form: Json, where: str) -> list[Json]:
    if not isinstance(form, list):
        raise JsonError(f"{where}: a list is needed, not {type(form).__name__}")
    return form


def _text(form: Json, name: str, source: str) -> str:
    if not isinstance(form, str):
        raise JsonError(f"{source}: {name}: text is needed, not {type(form).__name__}")
    return form
