"""Somebody's own records in the place of invented ones: a JSON file or a CSV file, read by the pattern's schema."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from groundtruth import jsontext
from groundtruth.errors import SynthesisError
from groundtruth.jsontext import Json
from groundtruth.truth_check import check_truth
from synth.nearest import did_you_mean
from synth.pattern import Pattern, Record
from synth.printable import naming, require_printable

_INTEGER: Final = re.compile(r"-?\d{1,15}")
_NUMBER: Final = re.compile(r"-?\d{1,15}(?:\.\d{1,10})?")
_TRUTHS: Final[Mapping[str, bool]] = {"true": True, "false": False}


def read_own(pattern: Pattern, file: Path) -> tuple[list[Record], dict[str, Json]]:
    """Records and what else the file says of the document.

    A CSV file has a record a line, under the names of the fields; what is empty is null. A JSON file is a list of
    records, or an object in the form of the pattern's schema; what it leaves out of the head is invented.

    Raises:
        JsonError: the file cannot be read, or is not JSON.
        SynthesisError: it holds what the schema does not have, a value of another type, or text that cannot be
            printed; the message names the file, the leaf and the cure.
    """
    source = str(file)
    data = _csv(pattern, file) if file.suffix.lower() == ".csv" else jsontext.load_file(file)
    given = {pattern.records: data} if isinstance(data, list) else data
    if not isinstance(given, dict) or not isinstance(given.get(pattern.records), list):
        raise SynthesisError(f"{source}: a list of records is needed, or an object with {pattern.records!r}")
    records = given.pop(pattern.records)
    if not records:
        raise SynthesisError(f"{source}: has no record; give at least one")
    _require_known(given, pattern.schema["properties"], source)
    filled = [
        _filled(record, _items(pattern), f"{source}: {pattern.records}[{at}]") for at, record in enumerate(records)
    ]
    _require_schema({**given, pattern.records: filled}, pattern, source)
    with naming(source):
        require_printable({**given, pattern.records: filled})
    return filled, given


def _items(pattern: Pattern) -> dict[str, Any]:
    found: dict[str, Any] = pattern.schema["properties"][pattern.records]["items"]["properties"]
    return found


def _filled(record: Json, fields: Mapping[str, Any], where: str) -> Record:
    """A record with every key of the schema, in the records below it too; an absent list is empty."""
    if not isinstance(record, dict):
        raise SynthesisError(f"{where}: a record is an object with the fields {', '.join(fields)}")
    _require_known(record, fields, where)
    filled: Record = {}
    for name, field in fields.items():
        if field.get("type") == "array" and "properties" in field["items"]:
            inner = [] if record.get(name) is None else record[name]
            if not isinstance(inner, list):
                raise SynthesisError(f"{where}.{name}: {jsontext.dumps(inner)[:60]} is no list; give a list of records")
            below = field["items"]["properties"]
            filled[name] = [_filled(child, below, f"{where}.{name}[{at}]") for at, child in enumerate(inner)]
        else:
            filled[name] = record.get(name)
    return filled


def _require_known(record: Mapping[str, Json], fields: Iterable[str], where: str) -> None:
    for name in sorted(record.keys() - set(fields)):
        raise SynthesisError(f"{where}: the schema has no field {name!r}; {did_you_mean(name, fields)}")


def _require_schema(value: Mapping[str, Json], pattern: Pattern, source: str) -> None:
    for fault in check_truth(dict(value), pattern.schema):
        raise SynthesisError(f"{source}: {fault.path}: {fault.message}; `goldleaf synth list {pattern.name}` says more")


def _csv(pattern: Pattern, file: Path) -> Json:
    try:
        text = jsontext.read_bytes(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SynthesisError(f"{file}: not UTF-8 (byte {error.start}); save the file as UTF-8") from error
    rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        fields = _items(pattern)
        names = rows.fieldnames or ()
        _require_known(dict.fromkeys(names), fields, str(file))
        for name in names:
            if names.count(name) > 1:
                raise SynthesisError(f"{file}: two columns are named {name!r}; leave one out")
        return [_typed(row, fields, f"{file}: line {rows.line_num}") for row in rows]
    except csv.Error as error:
        raise SynthesisError(f"{file}: line {rows.line_num}: not CSV: {error}") from error


def _typed(row: Mapping[str | None, Any], fields: Mapping[str, Any], where: str) -> Record:
    if None in row or None in row.values():
        raise SynthesisError(f"{where}: has not as many cells as the first line has names")
    return {str(name): _cell(text, fields[str(name)], f"{where}: {name}") for name, text in row.items()}


def _cell(text: str, field: Mapping[str, Any], where: str) -> Json:
    if not text.strip():
        return None
    kinds = field.get("type", "string")
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        if kind in _READERS:
            read = _READERS[kind](text.strip())
            if read is None:
                raise SynthesisError(f"{where}: {text!r} is no {kind}; write it plainly, such as {_EXAMPLES[kind]}")
            return read
    if field.get("format") == "date":
        try:
            date.fromisoformat(text)
        except ValueError:
            raise SynthesisError(f"{where}: {text!r} is no date; write it as 2024-06-30") from None
    return text


def _whole(text: str) -> Json:
    return int(text) if _INTEGER.fullmatch(text) else None


def _number(text: str) -> Json:
    return Decimal(text) if _NUMBER.fullmatch(text) else None


_READERS: Final[Mapping[str, Callable[[str], Json]]] = {
    "integer": _whole,
    "number": _number,
    "boolean": lambda text: _TRUTHS.get(text.lower()),
}
_EXAMPLES: Final = {"integer": "1200", "number": "1200.50", "boolean": "true"}
