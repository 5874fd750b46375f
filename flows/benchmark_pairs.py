"""Benchmarks that are pairs of schema and gold: DocuBench, ContextualAI's, and anybody's own folder."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from flows.benchmark import Case, Entry, LeftOut, Listing, Source, bare_schema, object_of, take_document
from groundtruth.errors import BallotError, JsonError
from groundtruth.jsontext import Json

_Reader = Callable[[], Case]
_JSON: Final = ".json"
_GOLD: Final = ".gold.json"
_SCHEMA: Final = ".schema.json"
_NAMED_SCHEMA: Final = "-schema.json"
_DOCUBENCH_TAGS: Final = ("lang", "ftype", "hard_feature")
_DOCUBENCH_FAMILIES: Final = {"docupipe_high": "docupipe", "docupipe_standard": "docupipe"}
"""One maker's two settings, which are not independent."""


# DocuBench


def list_docubench(source: Source) -> Listing:
    """The documents of ``labels/``, with ``schemas/``, ``documents/``, ``votes/<system>/`` and ``sources.json``.

    Raises:
        BallotError: there is no label.
        JsonError: ``sources.json`` is no JSON.
    """
    root = source.root
    labels = sorted((root / "labels").glob(f"*{_JSON}"))
    if not labels:
        raise BallotError(f"{root}: holds no labels/*.json, so it is no DocuBench")
    listing = Listing(families=dict(_DOCUBENCH_FAMILIES))
    about = _sources(source)
    for label in labels:
        listing.entries.append(Entry(label.stem, label.stem, _docubench_reader(source, label, about.get(label.stem))))
    votes = root / "votes"
    if votes.is_dir():
        listing.runs = {folder.name: folder for folder in sorted(votes.iterdir()) if folder.is_dir()}
    known = {label.stem for label in labels}
    for folder in (root / "schemas", root / "documents"):
        for file in sorted(folder.iterdir()) if folder.is_dir() else []:
            if file.stem not in known and not file.name.startswith("."):
                listing.left_out.append(LeftOut(source.relative(file), "no label has its name"))
    placed = {"labels", "schemas", "documents", "votes", "sources.json"}
    listing.left_out += [
        LeftOut(source.relative(path), "is about the benchmark, not about a document")
        for path in sorted(root.iterdir())
        if path.name not in placed and not path.name.startswith(".")
    ]
    return listing


def _sources(source: Source) -> dict[str, dict[str, Json]]:
    path = source.root / "sources.json"
    if not path.is_file():
        return {}
    entries = source.json(path)
    if not isinstance(entries, list):
        raise JsonError(f"{source.relative(path)}: is a list of documents, not {type(entries).__name__}")
    return {str(entry["doc_id"]): entry for entry in entries if isinstance(entry, dict) and "doc_id" in entry}


def _docubench_reader(source: Source, label: Path, about: dict[str, Json] | None) -> _Reader:
    def read() -> Case:
        file = source.root / "schemas" / label.name
        schema, wrapper = bare_schema(source.json(file), source.relative(file))
        case = Case(source.json(label), schema)
        take_document(case, source, source.beside(source.root / "documents", label.stem))
        said = about or {}
        case.origin = _text(said.get("source_url"))
        case.license = _text(said.get("license"))
        case.tags = {name: said[name] for name in _DOCUBENCH_TAGS if isinstance(said.get(name), str)}
        case.further = {"source": about} if about else {}
        if wrapper:
            case.further["schema_wrapper"] = wrapper
        return case

    return read


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None


# ContextualAI/extract-bench


def list_contextual(source: Source) -> Listing:
    """The ``*.gold.json``, each with the ``*-schema.json`` in its folder or the nearest one above.

    Where several schemas lie in one folder, that one is meant whose name the gold's name holds, else the one that
    shares the most names of keys with the gold, at every depth.

    Raises:
        BallotError: there is no gold, or no schema.
        JsonError: a schema is no JSON object.
    """
    golds = sorted(source.root.rglob(f"*{_GOLD}"))
    schemas = sorted(source.root.rglob(f"*{_NAMED_SCHEMA}"))
    if not golds or not schemas:
        missing = f"*{_NAMED_SCHEMA}" if golds else f"*{_GOLD}"
        raise BallotError(f"{source.root}: holds no {missing}, so it is not ContextualAI's benchmark")
    listing = Listing()
    for gold in golds:
        stem = gold.name.removesuffix(_GOLD)
        source_id = gold.relative_to(source.root).with_name(stem).as_posix()
        listing.entries.append(Entry(source_id, stem, _contextual_reader(source, gold, stem, schemas)))
    return listing


def _contextual_reader(source: Source, gold: Path, stem: str, schemas: list[Path]) -> _Reader:
    def read() -> Case:
        value = source.json(gold)
        file, chosen = _schema_of(source, gold, stem, value, schemas)
        schema, wrapper = bare_schema(source.json(file), source.relative(file))
        case = Case(value, schema, schema_name=file.name.removesuffix(_NAMED_SCHEMA))
        case.further = {"schema_file": source.relative(file), "schema_chosen_by": chosen}
        if wrapper:
            case.further["schema_wrapper"] = wrapper
        take_document(case, source, source.beside(gold.parent, stem))
        return case

    return read


def _schema_of(source: Source, gold: Path, stem: str, value: Json, schemas: list[Path]) -> tuple[Path, str]:
    """The schema that is meant, and by what it was told: its place, its name or the keys."""
    near: list[Path] = []
    for folder in gold.parents:
        near = [file for file in schemas if file.parent == folder]
        if near or folder == source.root:
            break
    if len(near) == 1:
        return near[0], "place"
    if not near:
        raise JsonError(f"{source.relative(gold)}: no *{_NAMED_SCHEMA} lies in its folder or above")
    name = _letters(stem)
    named = [file for file in near if _letters(file.name.removesuffix(_NAMED_SCHEMA)) in name]
    if len(named) == 1:
        return named[0], "name"
    keys = set(_keys(value))
    shared = {file: len(keys & set(_declared(source.json(file)))) for file in near}
    best = [file for file in near if shared[file] == max(shared.values())]
    if len(best) > 1 or not shared[best[0]]:
        raise JsonError(
            f"{source.relative(gold)}: which schema is meant? {', '.join(file.name for file in best)} fit alike; "
            "put each gold in a folder with its schema"
        )
    return best[0], "keys"


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text.casefold())


def _keys(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        for name, child in value.items():
            yield name
            yield from _keys(child)
    elif isinstance(value, list):
        for child in value:
            yield from _keys(child)


def _declared(schema: Json) -> Iterator[str]:
    """The names of all properties in a schema, at every depth."""
    if isinstance(schema, dict):
        for keyword, child in schema.items():
            if keyword == "properties" and isinstance(child, dict):
                yield from child
            yield from _declared(child)
    elif isinstance(schema, list):
        for child in schema:
            yield from _declared(child)


# Plain pairs


def list_pairs(source: Source) -> Listing:
    """Every ``<name>.schema.json`` with ``<name>.gold.json`` or ``<name>.json``, and a document of that stem.

    Raises:
        BallotError: there is no such pair.
    """
    listing = Listing()
    for file in sorted(source.root.rglob(f"*{_SCHEMA}")):
        stem = file.name.removesuffix(_SCHEMA)
        gold = next((path for end in (_GOLD, _JSON) if (path := file.with_name(f"{stem}{end}")).is_file()), None)
        if gold is None:
            listing.left_out.append(LeftOut(source.relative(file), f"no {stem}{_GOLD} or {stem}{_JSON} lies beside it"))
            continue
        source_id = file.relative_to(source.root).with_name(stem).as_posix()
        listing.entries.append(Entry(source_id, stem, _pair_reader(source, file, gold, stem)))
    if not listing.entries:
        raise BallotError(f"{source.root}: holds no <name>{_SCHEMA} with a <name>{_GOLD} or <name>{_JSON} beside it")
    return listing


def _pair_reader(source: Source, file: Path, gold: Path, stem: str) -> _Reader:
    def read() -> Case:
        schema, wrapper = bare_schema(source.json(file), source.relative(file))
        case = Case(object_of(source.json(gold), source.relative(gold)), schema)
        case.further = {"schema_wrapper": wrapper} if wrapper else {}
        take_document(case, source, source.beside(file.parent, stem))
        return case

    return read
