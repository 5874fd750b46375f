"""The layouts of OmniExtractBench: a table of documents (Parquet or CSV), and folders of a corpus without one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from flows.benchmark import Case, Code, Entry, Finding, LeftOut, Listing, Source, Vote, bare_schema, take_document
from flows.records import read_table
from groundtruth import jsontext
from groundtruth.errors import BallotError, DatasetError, JsonError
from groundtruth.jsontext import Json

_Reader = Callable[[], Case]
_TABLES: Final = ("manifest.parquet", "manifest.csv", "corpus.parquet", "corpus.csv")
_TRUTHS: Final = ("gt_path", "ground_truth_path")
_FILES: Final = ("doc_path", "pdf_path", "document_path")
_SCHEMAS: Final = ("schema", "schema_path")
_PLACED: Final = frozenset({"doc_id", "pred_path", "suite", *_TRUTHS, *_FILES, *_SCHEMAS})
_HASHES: Final = {"gt_sha256": _TRUTHS, "schema_sha256": ("schema_path",), "pdf_sha256": _FILES}
_TRUTH_FILE: Final = "ground_truth.json"
_SCHEMA_FILE: Final = "schema.json"
_SOURCE_FILE: Final = "source.json"


def list_omniextractbench(source: Source, *, system: str = "prediction") -> Listing:
    """The documents of the table at the root, else of the folders ``<doc_id>/{ground_truth,schema}.json``.

    Args:
        source: the folder of the benchmark.
        system: what to call whoever made the predictions that a table names.

    Raises:
        BallotError: there is neither a table nor such a folder, or a table lacks a column.
        GoldleafError: a Parquet table, and pyarrow is not installed.
    """
    tables = [source.root / name for name in _TABLES if (source.root / name).is_file()]
    if not tables:
        tables = sorted([*source.root.glob("*.parquet"), *source.root.glob("*.csv")])[:1]
    listing = _list_table(source, tables[0], system) if tables else _list_folders(source)
    listing.left_out += [LeftOut(source.relative(table), "a second table of documents") for table in tables[1:]]
    return listing


# A table


def _list_table(source: Source, table: Path, system: str) -> Listing:
    rows = read_table(source.checked(table))
    where = source.relative(table)
    if not rows:
        raise BallotError(f"{where}: holds no row")
    columns = rows[0].keys()
    for wanted, names in (("doc_id", ("doc_id",)), ("gt_path", _TRUTHS), ("schema", _SCHEMAS)):
        if not columns & set(names):
            raise BallotError(f"{where}: has no column {wanted}; it has {', '.join(columns)}")
    listing = Listing()
    for number, row in enumerate(rows, 1):
        doc_id = row["doc_id"]
        if not isinstance(doc_id, str) or not doc_id:
            listing.findings.append(Finding("", Code.UNREADABLE, "", f"{where}: row {number} has no doc_id"))
            continue
        listing.entries.append(Entry(doc_id, doc_id, _row_reader(source, row, f"{where}: {doc_id}")))
        predicted = row.get("pred_path")
        if not predicted:
            continue
        try:
            listing.votes.append(Vote(system, source.named(predicted), doc_id))
        except DatasetError as error:
            listing.findings.append(Finding(doc_id, Code.BALLOT_UNUSABLE, "", f"{where}: {doc_id}: {error}"))
    return listing


def _row_reader(source: Source, row: dict[str, Any], where: str) -> _Reader:
    def read() -> Case:
        truth = _path(source, row, _TRUTHS)
        if truth is None:
            raise JsonError(f"{where}: names no truth")
        schema, wrapper = bare_schema(_schema(source, row, where), f"{where}: schema")
        case = Case(source.json(truth), schema)
        case.tags = {"suite": row["suite"]} if isinstance(row.get("suite"), str) and row["suite"] else {}
        rest = {name: _as_json(value) for name, value in row.items() if name and name not in _PLACED}
        case.further = {"columns": rest} if rest else {}
        if wrapper:
            case.further["schema_wrapper"] = wrapper
        file = _path(source, row, _FILES)
        if file is None and truth.name == _TRUTH_FILE:
            take_document(case, source, source.beside(truth.parent, "document"))
        elif file is not None and file.is_file():
            case.file = file
        elif file is not None:
            case.left_out.append(LeftOut(source.relative(file), f"{where} names it, and it is not there"))
        if truth.name == _TRUTH_FILE:
            _take_origin(source, truth.parent, case)
        _check_hashes(source, row, case)
        return case

    return read


def _path(source: Source, row: dict[str, Any], columns: tuple[str, ...]) -> Path | None:
    text = next((row[name] for name in columns if isinstance(row.get(name), str) and row[name]), None)
    return None if text is None else source.named(text)


def _schema(source: Source, row: dict[str, Any], where: str) -> Json:
    inline = row.get("schema")
    if isinstance(inline, (str, bytes)) and inline:
        return jsontext.loads(inline, source=f"{where}: schema")
    if isinstance(inline, dict):
        return inline
    path = _path(source, row, ("schema_path",))
    if path is None:
        raise JsonError(f"{where}: has no schema")
    return source.json(path)


def _check_hashes(source: Source, row: dict[str, Any], case: Case) -> None:
    for column, paths in _HASHES.items():
        promised = row.get(column)
        file = _path(source, row, paths)
        if not isinstance(promised, str) or not promised or file is None or not file.is_file():
            continue
        if hashlib.sha256(jsontext.read_bytes(file)).hexdigest() != promised.lower():
            message = f"{source.relative(file)}: has another SHA-256 than the table says in {column}"
            case.findings.append((Code.HASH_DIFFERS, "", message))


def _as_json(value: object) -> Json:
    """A cell of a table as JSON: what JSON has no form for is written as text."""
    if isinstance(value, (list, tuple)):
        return [_as_json(item) for item in value]
    if isinstance(value, dict):
        return {str(name): _as_json(item) for name, item in value.items()}
    if isinstance(value, float) and value - value != 0:
        return str(value)
    return value if value is None or isinstance(value, (str, bool, int, float)) else str(value)


# Folders


def _list_folders(source: Source) -> Listing:
    listing = Listing()
    for folder in sorted(path for path in source.root.iterdir() if path.is_dir() and not path.name.startswith(".")):
        if (folder / _TRUTH_FILE).is_file() and (folder / _SCHEMA_FILE).is_file():
            listing.entries.append(Entry(folder.name, folder.name, _folder_reader(source, folder)))
        else:
            missing = _TRUTH_FILE if not (folder / _TRUTH_FILE).is_file() else _SCHEMA_FILE
            listing.left_out.append(LeftOut(source.relative(folder), f"has no {missing}"))
    if not listing.entries:
        raise BallotError(
            f"{source.root}: holds neither a table ({', '.join(_TABLES)}) nor folders with {_TRUTH_FILE} and "
            f"{_SCHEMA_FILE}, so it is no OmniExtractBench"
        )
    return listing


def _folder_reader(source: Source, folder: Path) -> _Reader:
    def read() -> Case:
        schema, wrapper = bare_schema(source.json(folder / _SCHEMA_FILE), source.relative(folder / _SCHEMA_FILE))
        case = Case(source.json(folder / _TRUTH_FILE), schema)
        case.further = {"schema_wrapper": wrapper} if wrapper else {}
        take_document(case, source, source.beside(folder, "document"))
        _take_origin(source, folder, case)
        return case

    return read


def _take_origin(source: Source, folder: Path, case: Case) -> None:
    file = folder / _SOURCE_FILE
    if not file.is_file():
        return
    said = source.json(file)
    case.further["source"] = said
    if isinstance(said, dict):
        url = next((said[name] for name in ("url", "source_url") if isinstance(said.get(name), str)), None)
        case.origin = url
        case.license = said["license"] if isinstance(said.get("license"), str) else None
