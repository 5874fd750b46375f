"""What there is to score: the documents of a dataset with their truths, each with what a system returned on it.

Three layouts are read: a dataset of ours, a tree of ExtractBench, a table of OmniExtractBench. Cases name files and
hold no documents, so that they are cheap to list and to hand to another process.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from groundtruth import jsontext
from groundtruth.errors import BallotError, DatasetError, GoldleafError
from groundtruth.jsontext import Json

if TYPE_CHECKING:
    from groundtruth.store import Dataset

SIDECAR: Final = ".test.json"
_RESULT: Final = ".result.json"
_JSON: Final = ".json"
_ERRORS: Final = "_errors.json"
_TABLES: Final = ("manifest.parquet", "manifest.csv")


class Layout(StrEnum):
    """How a truth file is to be read."""

    TRUTH = "truth"
    """Ours, or the bare object; the schema is beside it in the case."""
    SIDECAR = "sidecar"
    """Of ExtractBench: schema, truth and field rules in one file."""


@dataclass(frozen=True, slots=True)
class Case:
    """One document to score.

    Attributes:
        document: its id.
        truth: the file with its truth.
        layout: how to read that.
        schema: the JSON Schema as text; empty where it is in the truth file.
        tags: labels for slices of a report.
        pages: how many pages the document has; None when nobody says.
        prediction: the file with what the system returned; None when there is none.
        is_ballot: whether that file is a ballot of a dataset.
        failure: why the system failed, as its list of errors says: a word and one line, or None.
        problem: why the document cannot be scored; empty when it can.
    """

    document: str
    truth: Path
    layout: Layout = Layout.TRUTH
    schema: str = ""
    tags: tuple[str, ...] = ()
    pages: int | None = None
    prediction: Path | None = None
    is_ballot: bool = False
    failure: tuple[str, str] | None = None
    problem: str = ""


@dataclass(slots=True)
class Cases:
    """What there is to score, and the files of predictions that belong to no document."""

    cases: list[Case] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)


def list_cases(dataset: Path, predictions: str | None, documents: str | None = None) -> Cases:
    """The documents that have a truth, by id, each with what the system returned.

    Args:
        dataset: a dataset of ours, a tree of ExtractBench, or a table of OmniExtractBench (or the folder it is in).
        predictions: a folder of files that bear a document's id, or the name of a system whose ballots the dataset
            has; None takes those that a table names.
        documents: a pattern of ids, ``inv-*``.

    Raises:
        GoldleafError: there is no such dataset, no truth in it, no such predictions, or no document fits.
    """
    cases, ours = _truths(dataset, wants_predictions=predictions is None)
    if not cases:
        raise DatasetError(f"{dataset}: holds no truth to score against")
    if documents is not None:
        chosen = [case for case in cases if fnmatchcase(case.document, documents)]
        if not chosen:
            raise DatasetError(f"{dataset}: no document fits {documents!r}; there is {cases[0].document!r}, say")
    else:
        chosen = cases
    if predictions is None:
        return Cases(chosen)
    folder = Path(predictions)
    if folder.is_dir():
        found = _with_files(cases, folder)
        names = {case.document for case in chosen}
        return Cases([case for case in found.cases if case.document in names], found.unmatched)
    if ours is not None and predictions in ours.systems():
        return Cases([_with_ballot(case, ours, predictions) for case in chosen])
    known = f"; systems with ballots: {', '.join(ours.systems()) or 'none'}" if ours is not None else ""
    raise BallotError(f"{predictions}: is no folder of predictions{' and no system' if ours else ''}{known}")


def _truths(dataset: Path, *, wants_predictions: bool) -> tuple[list[Case], Dataset | None]:
    from groundtruth.store import Dataset

    if (dataset / "dataset.json").is_file():
        if wants_predictions:
            raise BallotError(
                "say what to score: a folder of predictions, or a system whose ballots are in the dataset"
            )
        ours = Dataset.open(dataset)
        return list(_our_truths(ours)), ours
    table = dataset if dataset.is_file() else next((dataset / t for t in _TABLES if (dataset / t).is_file()), None)
    if table is not None:
        return list(_table_truths(table, wants_predictions=wants_predictions)), None
    if wants_predictions:
        raise BallotError(f"say what to score: {dataset} names no predictions, so a folder with them is needed")
    if not dataset.is_dir():
        raise DatasetError(f"{dataset}: is not there")
    sidecars = sorted(dataset.rglob(f"*{SIDECAR}"))
    if not sidecars:
        raise DatasetError(
            f"{dataset}: is no dataset of ours (dataset.json), no tree of ExtractBench (*{SIDECAR}) and no table of "
            f"OmniExtractBench ({' or '.join(_TABLES)})"
        )
    return [_sidecar(file, dataset) for file in sidecars], None


def _our_truths(dataset: Dataset) -> Iterator[Case]:
    known = {document.id: document for document in dataset.documents()}
    schemas: dict[str, str] = {}
    for name in dataset.truth_names():
        case = Case(name, dataset.root / "truth" / f"{name}{_JSON}")
        try:
            data = jsontext.load_file(case.truth)
            schema = data.get("schema") if isinstance(data, dict) else None
            if not isinstance(schema, str):
                raise DatasetError(f"{case.truth}: does not say its schema")
            if schema not in schemas:
                schemas[schema] = jsontext.dumps(dataset.schema_source(schema))
            tags = list(_labels(data.get("tags")))
            document = known.get(name)
            if document is not None:
                kind = [f"type={document.type}"] if document.type else []
                tags = [*kind, *_labels(document.tags), *tags]
            yield replace(
                case,
                schema=schemas[schema],
                tags=tuple(dict.fromkeys(tags)),
                pages=document.pages if document is not None else None,
            )
        except GoldleafError as error:
            yield replace(case, problem=str(error))


def _labels(tags: Json) -> Iterator[str]:
    for name, value in tags.items() if isinstance(tags, dict) else ():
        yield f"{name}={value}" if value else str(name)


def _with_ballot(case: Case, dataset: Dataset, system: str) -> Case:
    file = dataset.root / "ballots" / case.document / f"{system}{_JSON}"
    return replace(case, prediction=file, is_ballot=True) if file.is_file() else case


def _sidecar(file: Path, root: Path) -> Case:
    relative = file.relative_to(root)
    document = relative.with_name(file.name.removesuffix(SIDECAR)).as_posix()
    case = Case(unicodedata.normalize("NFC", document), file, Layout.SIDECAR)
    try:
        tags = jsontext.load_file(file).get("tags")
        return replace(case, tags=tuple(map(str, tags)) if isinstance(tags, list) else ())
    except (GoldleafError, AttributeError) as error:
        return replace(case, problem=str(error) if isinstance(error, GoldleafError) else f"{file}: is no JSON object")


def _table_truths(table: Path, *, wants_predictions: bool) -> Iterator[Case]:
    from flows.records import read_table

    rows = read_table(table)
    columns = set(rows[0]) if rows else set()
    wanted = {"doc_id", "gt_path"} | ({"pred_path"} if wants_predictions else set())
    missing = sorted(wanted - columns) or ([] if columns & {"schema", "schema_path"} else ["schema"])
    if missing:
        raise DatasetError(f"{table}: has no column {missing[0]}; it has {', '.join(sorted(columns)) or 'no row'}")
    for number, row in enumerate(rows, 1):
        document = unicodedata.normalize("NFC", str(row["doc_id"] or f"row {number}"))
        case = Case(document, table)
        try:
            truth = _named(table, row["gt_path"])
            predicted = row.get("pred_path") if wants_predictions else None
            yield replace(
                case,
                truth=truth,
                schema=_schema_text(table, row),
                tags=(f"suite={row['suite']}",) if row.get("suite") else (),
                prediction=_named(table, predicted) if predicted else None,
            )
        except GoldleafError as error:
            yield replace(case, problem=str(error))


def _schema_text(table: Path, row: dict[str, Json]) -> str:
    inline = row.get("schema")
    if isinstance(inline, bytes):
        return inline.decode("utf-8", "replace")
    if isinstance(inline, dict):
        return jsontext.dumps(inline)
    if inline:
        return str(inline)
    return jsontext.read_bytes(_named(table, row.get("schema_path"))).decode("utf-8", "replace")


def _named(table: Path, text: Json) -> Path:
    """A file that a table names, below the table's folder."""
    if not isinstance(text, str) or not text:
        raise DatasetError(f"{table}: names no file where one is needed")
    path = Path(text)
    inside = (path if path.is_absolute() else table.parent / path).resolve()
    if not inside.is_relative_to(table.parent.resolve()):
        raise DatasetError(f"{table}: {text!r} leads out of its folder")
    return inside


def _with_files(cases: Iterable[Case], folder: Path) -> Cases:
    """The cases with the files of a folder; a document that several files bear the name of cannot be scored."""
    found = Cases(list(cases))
    names = _Names(case.document for case in found.cases)
    files: dict[str, list[Path]] = defaultdict(list)
    failures: dict[str, tuple[str, str]] = {}
    for file in sorted(folder.rglob(f"*{_JSON}")):
        if file.name == _ERRORS:
            failures |= _errors(file, names)
        elif not file.name.endswith(SIDECAR):
            document = names.of_file(file.relative_to(folder))
            if document is None:
                found.unmatched.append(str(file))
            else:
                files[document].append(file)
    if not files and not failures:
        raise BallotError(
            f"{folder}: no file bears the id of a document; name each after its document, like "
            f"{found.cases[0].document}{_JSON}"
        )
    found.cases = [_with_file(case, files.get(case.document, []), failures.get(case.document)) for case in found.cases]
    return found


def _with_file(case: Case, files: list[Path], failure: tuple[str, str] | None) -> Case:
    if len(files) > 1:
        return replace(case, problem=f"several files are about it, keep one: {', '.join(map(str, files))}")
    # A result is what came of a document that failed at first.
    return replace(case, prediction=files[0]) if files else replace(case, failure=failure)


def _errors(file: Path, names: _Names) -> dict[str, tuple[str, str]]:
    entries = jsontext.load_file(file)
    found: dict[str, tuple[str, str]] = {}
    for entry in entries if isinstance(entries, list) else ():
        example = entry.get("example_id") if isinstance(entry, dict) else None
        document = names.of_text(example) if isinstance(example, str) else None
        if document is not None:
            kind, said = str(entry.get("error_type") or ""), str(entry.get("error") or "the run failed")
            found[document] = (kind, said)
    return found


class _Names:
    """Documents by what a file of predictions may call them: the whole id, or its last part where that is unique."""

    def __init__(self, documents: Iterable[str]) -> None:
        self._ids = set(documents)
        by_last: dict[str, set[str]] = defaultdict(set)
        for document in self._ids:
            by_last[PurePosixPath(document).name].add(document)
        self._by_last = {last: next(iter(ids)) for last, ids in by_last.items() if len(ids) == 1}

    def of_file(self, path: Path) -> str | None:
        """The document that a file below the folder is named after."""
        text = path.as_posix()
        stems = [text.removesuffix(ending) for ending in (_JSON, _RESULT) if text.endswith(ending)]
        return next((found for stem in stems if (found := self.of_text(stem)) is not None), None)

    def of_text(self, text: str) -> str | None:
        """The document that a text names."""
        name = unicodedata.normalize("NFC", text)
        parts = PurePosixPath(name).parts
        whole = next((end for at in range(len(parts)) if (end := "/".join(parts[at:])) in self._ids), None)
        return whole or self._by_last.get(parts[-1] if parts else "")
