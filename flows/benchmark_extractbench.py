"""The two layouts of ExtractBench: a tree of sidecars ``<group>/<stem>.test.json``, and hub rows with ``docs/``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from flows.benchmark import Case, Code, Entry, Finding, LeftOut, Listing, Source, bare_schema, object_of, take_document
from groundtruth import jsontext
from groundtruth.errors import BallotError, JsonError
from groundtruth.evidence import Kind
from groundtruth.jsontext import Json
from groundtruth.path import Path as LeafPath
from groundtruth.path import format_path
from groundtruth.truth import TruthEvidence
from scoring.cell_keys import NORMALIZERS

_Reader = Callable[[], Case]
_SIDECAR: Final = ".test.json"
_INPUTS: Final = frozenset({".pdf", ".png", ".jpg", ".jpeg", ".jfif", ".docx"})
_PLACED: Final = frozenset(
    {"data_schema", "expected_output", "_field_rules", "test_rules", "tags", "_eval_row_identity"}
)
_RULE_PLACED: Final = frozenset({"type", "field_path", "evidence", "normalizers", "bboxes", "expected_value"})
_TOKEN: Final = re.compile(r"\[(?P<index>\d+)\]|(?P<key>[^.\[\]]+)")
_ROW_TEXTS: Final = {
    "data_schema": "data_schema",
    "expected_output": "expected_output",
    "field_rules": "_field_rules",
    "repeated_structure": "_eval_row_identity",
}


def list_extractbench(source: Source) -> Listing:
    """The documents of a tree of sidecars; without any, those of the hub rows in ``*.jsonl``.

    Raises:
        BallotError: there is neither.
    """
    listing = Listing()
    sidecars = sorted(file for file in source.root.rglob(f"*{_SIDECAR}") if not _is_hidden(file, source))
    rows = sorted(source.root.glob("*.jsonl"))
    if not sidecars and not rows:
        raise BallotError(
            f"{source.root}: holds neither <group>/<stem>{_SIDECAR} nor rows in *.jsonl, so it is no ExtractBench"
        )
    used: set[Path] = set()
    for sidecar in sidecars:
        stem = sidecar.name.removesuffix(_SIDECAR)
        files = source.beside(sidecar.parent, stem)
        used.update(files)
        source_id = sidecar.relative_to(source.root).with_name(stem).as_posix()
        listing.entries.append(Entry(source_id, stem, _sidecar_reader(source, sidecar, files)))
    if sidecars:
        listing.left_out += [
            LeftOut(source.relative(file), "rows for the hub, beside the sidecars that were read") for file in rows
        ]
        listing.left_out += [
            LeftOut(source.relative(file), f"no {_SIDECAR} has its name")
            for folder in sorted({sidecar.parent for sidecar in sidecars})
            for file in sorted(folder.iterdir())
            if file.suffix.lower() in _INPUTS and file not in used
        ]
    else:
        for file in rows:
            _list_rows(source, file, listing)
    return listing


def _is_hidden(file: Path, source: Source) -> bool:
    return any(part.startswith(".") for part in file.relative_to(source.root).parts)


def _sidecar_reader(source: Source, sidecar: Path, files: list[Path]) -> _Reader:
    def read() -> Case:
        case = _case(object_of(source.json(sidecar), source.relative(sidecar)), source.relative(sidecar))
        take_document(case, source, files)
        return case

    return read


# Hub rows


def _list_rows(source: Source, file: Path, listing: Listing) -> None:
    where = source.relative(file)
    for number, line in enumerate(jsontext.read_bytes(source.checked(file)).splitlines(), 1):
        if not line.strip():
            continue
        place = f"{where}:{number}"
        try:
            row = object_of(jsontext.loads(line, source=place), place)
            pdf = row.get("pdf")
            if not isinstance(pdf, str) or not pdf.startswith("docs/"):
                raise JsonError(f"{place}: pdf {pdf!r} does not begin with docs/")
        except JsonError as error:
            listing.findings.append(Finding("", Code.UNREADABLE, "", str(error)))
            continue
        stem = Path(pdf).stem
        name = f"{row.get('category') or file.stem}/{stem}"
        listing.entries.append(Entry(name, stem, _row_reader(source, row, pdf, place)))


def _row_reader(source: Source, row: dict[str, Json], pdf: str, place: str) -> _Reader:
    def read() -> Case:
        form = {name: value for name, value in row.items() if name not in _ROW_TEXTS and name != "pdf"}
        for column, key in _ROW_TEXTS.items():
            if row.get(column) is None:
                continue
            text = row[column]
            form[key] = jsontext.loads(text, source=f"{place}: {column}") if isinstance(text, str) else text
        if isinstance(form.get("_field_rules"), list):
            form["test_rules"] = form.pop("_field_rules")
        case = _case(form, place)
        file = source.named(pdf)
        if file.is_file():
            case.file = file
        else:
            case.left_out.append(LeftOut(pdf, f"{place} names it, and it is not there"))
        return case

    return read


# One document


def _case(form: dict[str, Json], where: str) -> Case:
    if not isinstance(form.get("data_schema"), dict):
        raise JsonError(f"{where}: has no data_schema, so it is no document of extraction")
    if "expected_output" not in form:
        raise JsonError(f"{where}: has no expected_output, so there is no truth in it")
    schema, wrapper = bare_schema(form["data_schema"], f"{where}: data_schema")
    case = Case(form["expected_output"], schema)
    case.identity = _identity(form.get("_eval_row_identity"), case)
    case.further = {name: value for name, value in form.items() if name not in _PLACED}
    if wrapper:
        case.further["schema_wrapper"] = wrapper
    tags = form.get("tags")
    case.tags = {str(tag): "" for tag in tags} if isinstance(tags, list) else {}
    rules = _take_rules(form, case)
    kept: dict[str, Json] = {}
    for address, rule in rules:
        path = own_path(address)
        _take_rule(path, rule, case)
        rest = {name: value for name, value in rule.items() if name not in _RULE_PLACED}
        if rest:
            kept[path] = rest
    if kept:
        # What no metric of ours reads (verified, comparator, ...), so that it is not lost.
        case.further["field_rules"] = kept
    return case


def _identity(form: Json, case: Case) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    if form is None:
        return found
    for array, rule in form.items() if isinstance(form, dict) else [("", None)]:
        keys = rule.get("identity_key") if isinstance(rule, dict) else None
        keys = [keys] if isinstance(keys, str) else keys
        if isinstance(keys, list) and keys and all(isinstance(key, str) for key in keys):
            found[array] = tuple(keys)
        else:
            message = "_eval_row_identity names an array with its identity_key, a text or a list of texts"
            case.findings.append((Code.IDENTITY_REFUSED, array, message))
    return found


def _take_rules(form: Mapping[str, Json], case: Case) -> list[tuple[str, dict[str, Json]]]:
    """The rules by address, from either container; of two for one address that of ``_field_rules`` counts."""
    if form.get("_field_rules") is not None and form.get("test_rules") is not None:
        message = "there are _field_rules and test_rules, which their loader refuses; both were read"
        case.findings.append((Code.TWO_RULE_CONTAINERS, "", message))
    found: dict[str, dict[str, Json]] = {}
    for name in ("test_rules", "_field_rules"):
        for address, rule in _by_address(form.get(name)):
            if not isinstance(address, str) or not isinstance(rule, dict):
                case.findings.append((Code.BAD_EVIDENCE, str(address or ""), f"a rule in {name} that is none"))
            elif rule.get("type", "extract_field") != "extract_field":
                case.left_out.append(LeftOut(f"rule of {address}", f"its type is {rule['type']!r}, not extract_field"))
            else:
                found[address] = rule
    return list(found.items())


def _by_address(container: Json) -> Iterator[tuple[Json, Json]]:
    if isinstance(container, dict):
        yield from container.items()
    elif isinstance(container, list):
        for rule in container:
            yield (rule.get("field_path"), rule) if isinstance(rule, dict) else (None, rule)
    elif container is not None:
        yield None, container


def _take_rule(path: str, rule: dict[str, Json], case: Case) -> None:
    names = rule.get("normalizers") or []
    names = names if isinstance(names, list) else [names]
    known = tuple(name for name in names if isinstance(name, str) and name in NORMALIZERS)
    if known:
        case.normalizers[path] = known
    case.findings += [
        (Code.UNKNOWN_NORMALIZER, path, f"no normalizer is called {name!r}") for name in names if name not in known
    ]
    entries = rule.get("evidence")
    if entries is None:
        boxes = rule.get("bboxes") or []
        value = rule.get("expected_value")
        entries = [{**box, "value": value} for box in boxes if isinstance(box, dict)] if isinstance(boxes, list) else []
    if not isinstance(entries, list):
        case.findings.append((Code.BAD_EVIDENCE, path, f"evidence is a list, not {type(entries).__name__}"))
        return
    read = tuple(_entry(entry, path, case) for entry in entries)
    case.evidence[path] = tuple(entry for entry in read if entry is not None)


def _entry(entry: Json, path: str, case: Case) -> TruthEvidence | None:
    """An entry; one with a bad place keeps what is right of it, and the place as it was given."""
    if not isinstance(entry, dict):
        case.findings.append((Code.BAD_EVIDENCE, path, f"an entry is an object, not {type(entry).__name__}"))
        return None
    # Their entries are printed lines, and the coarse ones frame several.
    form = {"kind": str(Kind.HULL if entry.get("coarse") is True else Kind.LINE), **entry}
    for dropped in ((), ("bbox",), ("bbox", "page"), ("bbox", "page", "quote", "coarse", "kind")):
        given = {f"{name}_as_given": form[name] for name in dropped if form.get(name) is not None}
        try:
            found = TruthEvidence.from_json({**{k: v for k, v in form.items() if k not in dropped}, **given})
        except JsonError as error:
            if not dropped:
                case.findings.append((Code.BAD_EVIDENCE, path, str(error)))
        else:
            return found
    return None


def own_path(address: str) -> str:
    """An address of ExtractBench, ``line items[0].sku``, in our spelling, ``["line items"][0].sku``."""
    steps: LeafPath = tuple(
        match["key"] if match["index"] is None else int(match["index"]) for match in _TOKEN.finditer(address)
    )
    return format_path(steps)
