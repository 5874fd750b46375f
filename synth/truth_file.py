"""The truth of a synthetic document as the bytes that its file holds.

They are those that ``Dataset.put_truth`` writes for the same truth, made in a tenth of the time: a list of 26,725 rows
has 200,000 leaves, each with its places.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Final

from groundtruth.errors import SynthesisError
from groundtruth.jsontext import Json
from groundtruth.schema import DRAFT
from synth.display import DisplayList
from synth.evidence import Entry, entries_of
from synth.printable import leaves

_BOX: Final = """    "bbox": [
     {},
     {},
     {},
     {}
    ],
"""


def truth_bytes(
    value: Mapping[str, Json], drawn: DisplayList, *, document: str, schema_name: str, tags: Iterable[str]
) -> bytes:
    """The file of a truth.

    Args:
        value: what the document says.
        drawn: where it says it.
        document: the document's id.
        schema_name: the dataset's name of the schema.
        tags: labels, for slices of a report.

    Raises:
        SynthesisError: a leaf that is not null is printed nowhere, or a place is one of a leaf that is null or unknown:
            a fault of the pattern; the message names the leaf.
    """
    evidence = ",\n".join(evidence_texts(value, entries_of(drawn)))
    parts = {
        "document": _text(document, ""),
        "evidence": f"{{\n{evidence}\n }}" if evidence else "{}",
        "normalizers": "{}",
        "schema": _text(schema_name, ""),
        "schema_version": _text(DRAFT, ""),
        "tags": _text(dict.fromkeys(sorted(tags), ""), " "),
        "value": _text(value, " "),
    }
    inside = ",\n".join(f' "{name}": {part}' for name, part in parts.items())
    return f"{{\n{inside}\n}}\n".encode()


def evidence_texts(value: Json, places: Mapping[str, Sequence[Entry]]) -> list[str]:
    """The places of each leaf in the form of the file, in the order of the file.

    Raises:
        SynthesisError: as ``truth_bytes``.
    """
    texts: dict[str, str] = {}
    for path, leaf in leaves(value):
        entries = places.get(path)
        if leaf is None or leaf == []:
            if entries:
                raise SynthesisError(f"{path}: is null and is printed on page {entries[0].page}; correct the pattern")
            continue
        if not entries:
            raise SynthesisError(f"{path}: {leaf!r} is printed nowhere; correct the pattern")
        texts[path] = _entries(path, leaf, entries)
    if len(texts) < len(places):
        unknown = next(path for path in places if path not in texts)
        raise SynthesisError(f"{unknown}: is printed on page {places[unknown][0].page} and is no leaf of the content")
    return [texts[path] for path in sorted(texts)]


def _entries(path: str, leaf: Json, entries: Sequence[Entry]) -> str:
    value = _text(leaf, "    ")
    inside = ",\n".join(
        f'   {{\n{_BOX.format(*entry.bbox)}    "coarse": {"true" if entry.coarse else "false"},\n'
        f'    "kind": "{entry.kind.value}",\n    "page": {entry.page},\n'
        f'    "quote": {"null" if entry.quote is None else encode_basestring(entry.quote)},\n'
        f'    "value": {value}\n   }}'
        for entry in entries
    )
    return f"  {encode_basestring(path)}: [\n{inside}\n  ]"


def _text(value: Json, indent: str) -> str:
    """Canonical JSON with one value a line, as ``jsontext.dumps`` writes it with an indent of one."""
    if isinstance(value, str):
        return str(encode_basestring(value))
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, Decimal)):
        return str(value)
    deeper = f"{indent} "
    if isinstance(value, Mapping):
        if not value:
            return "{}"
        members = ",\n".join(
            f"{deeper}{encode_basestring(name)}: {_text(child, deeper)}" for name, child in sorted(value.items())
        )
        return f"{{\n{members}\n{indent}}}"
    if isinstance(value, list):
        if not value:
            return "[]"
        items = ",\n".join(f"{deeper}{_text(child, deeper)}" for child in value)
        return f"[\n{items}\n{indent}]"
    raise SynthesisError(f"{value!r}: a content holds text, whole numbers, Decimals, true, false and null")
