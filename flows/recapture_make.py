"""Re-captures of a dataset's documents: made page by page, and put into a dataset with their truth and their record."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Final

from flows.recapture_work import (
    WORK,
    Making,
    Pages,
    assemble,
    file_sha256,
    json_bytes,
    page_makers,
    page_record,
    pages_of,
)
from groundtruth import jsontext
from groundtruth.document import Document, Kind
from groundtruth.errors import DatasetError, DuplicateDocument, RecipeError
from groundtruth.jsontext import Json
from groundtruth.names import name_problem
from groundtruth.store import Dataset
from groundtruth.store_artefacts import Artefact
from groundtruth.store_files import atomic_write, content_hash

if TYPE_CHECKING:
    from degrade.recipe import Recipe, Strength
    from degrade.record import Record
    from groundtruth.truth import GroundTruth

FOLDER: Final = "recaptures"
"""Of a dataset: a record for each re-capture."""
_LOCK: Final = "recapture"


@dataclass(frozen=True, slots=True)
class Made:
    """A re-capture that is in the dataset now; ``is_new`` tells whether this run made it."""

    record: Record
    is_new: bool


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be made: of ``clean``'s documents, into ``out``, by a recipe, in a strength, from a seed."""

    clean: Dataset
    out: Dataset
    recipe: Recipe
    strength: Strength
    seed: int

    def twin_id(self, original: str) -> str:
        """The id of a document's re-capture."""
        return twin_id(original, self.recipe, self.strength, self.seed)


def twin_id(original: str, recipe: Recipe, strength: Strength, seed: int) -> str:
    """The id of a document's re-capture.

    Raises:
        RecipeError: it would be too long for the name of a file.
    """
    found = f"{original}--{recipe.name}-{strength}-{seed}"
    problem = name_problem(found)
    if problem is not None:
        raise RecipeError(
            f"document {original!r}, recipe {recipe.name!r}: the re-capture's id would be {found!r}, which {problem}; "
            "name recipe or original shorter, or leave it out with --documents"
        )
    return found


def open_or_create(out: Path) -> Dataset:
    """The dataset of a folder; one is made where there is none."""
    return Dataset.open(out) if (out / "dataset.json").is_file() else Dataset.create(out)


def originals(clean: Dataset, pattern: str) -> list[Document]:
    """The documents that are no re-captures and whose ids match.

    Raises:
        DatasetError: none does.
    """
    every = clean.documents()
    if not every:
        raise DatasetError(f"{clean.root}: holds no document; add one with `goldleaf add`")
    matching = [document for document in every if fnmatchcase(document.id, pattern)]
    if not matching:
        raise DatasetError(f"{clean.root}: no document matches {pattern!r}; `goldleaf status` lists them")
    found = [document for document in matching if document.kind is not Kind.RECAPTURE]
    if not found:
        which = "every document" if len(matching) == len(every) else f"every document that matches {pattern!r}"
        raise DatasetError(
            f"{clean.root}: {which} is a re-capture, and those are not captured again; give the dataset of their "
            "originals"
        )
    return found


def with_truths(
    clean: Dataset, documents: Iterable[Document], recipe: Recipe, strength: Strength, seed: int
) -> list[tuple[Document, GroundTruth]]:
    """Documents with their truths; what cannot be made is refused before anything is written.

    Raises:
        DatasetError: a document has no truth.
        RecipeError: the id of a re-capture would be too long.
    """
    found = []
    for document in documents:
        found.append((document, truth_of(clean, document)))
        twin_id(document.id, recipe, strength, seed)
    return found


def make_recaptures(
    wanted: Wanted, documents: Iterable[tuple[Document, GroundTruth]], making: Making
) -> Iterator[Made]:
    """Re-capture documents, each given with its truth, one after the other; what is there already is passed over.

    Raises:
        DatasetError: a truth speaks of pages that its document has not, or that was changed since it was added.
        DocumentError: one cannot be read.
        RecipeError: what is there was made otherwise.
    """
    with page_makers(making) as makers:
        for original, truth in documents:
            yield make_recapture(wanted, original, truth, makers, making)


def make_recapture(wanted: Wanted, original: Document, truth: GroundTruth, makers: Pages, making: Making) -> Made:
    """Re-capture one document; see ``make_recaptures``.

    Of two runs that make the same at once, one waits and finds it there.
    """
    twin = content_hash(wanted.twin_id(original.id).encode())
    # A few locks for all of them: two that share one take turns.
    with wanted.out.lock(f"{_LOCK}-{twin[:2]}"):
        return _make(wanted, original, truth, makers, making)


def _make(wanted: Wanted, original: Document, truth: GroundTruth, makers: Pages, making: Making) -> Made:
    from degrade.recapture import Order, places_on_pages
    from degrade.record import Record, current_versions, parse_record

    clean, out, recipe, strength, seed = wanted.clean, wanted.out, wanted.recipe, wanted.strength, wanted.seed
    document = wanted.twin_id(original.id)
    path = out.root / FOLDER / f"{document}.json"
    file = clean.document_file(original.id)
    _require_whole(clean, file, original, truth)
    if path.is_file():
        there = parse_record(path.read_bytes(), source=str(path))
        _require_same(there, recipe, original, path)
        _require_document(clean, out, document)
        put_twin(clean, out, original, truth, there, None)
        making.advance(original.pages)
        return Made(there, is_new=False)
    order = Order(recipe, strength, seed, original.sha256)
    key = f"{recipe.sha256}{strength}{seed}{original.sha256}{jsontext.dumps(current_versions())}{truth_key(truth)}"
    work = out.root / WORK / content_hash(key.encode())[:24]
    work.mkdir(parents=True, exist_ok=True)
    places = places_on_pages(truth)
    groups = making.groups(range(1, original.pages + 1))
    calls = [(file, order, group, {page: places.get(page, {}) for page in group}, work) for group in groups]
    makers.run(pages_of, calls, map(len, groups))
    pages = [page_record(work / f"{number}.json") for number in range(1, original.pages + 1)]
    pdf = work / f"{document}.pdf"
    record = Record(
        document=document,
        original=original.id,
        source=Path(os.path.relpath(clean.root, out.root)).as_posix(),
        clean_sha256=original.sha256,
        recipe=recipe,
        strength=strength,
        seed=seed,
        versions=current_versions(),
        sha256=assemble(pdf, work, pages),
        pages=tuple(pages),
    )
    put_twin(clean, out, original, truth, record, pdf)
    # The record last: whoever finds it finds all the rest.
    atomic_write(path, json_bytes(record.to_json()))
    shutil.rmtree(work, ignore_errors=True)
    return Made(record, is_new=True)


def put_twin(
    clean: Dataset, out: Dataset, original: Document, truth: GroundTruth, record: Record, pdf: Path | None
) -> None:
    """Put document and truth into the dataset, as far as they are not there; the schema comes along."""
    tags = _tags(record, original.tags)
    if out.root != clean.root:
        with out.lock(_LOCK):
            _bring_schema(clean, out, original.schema_name)
    if pdf is not None and record.document not in out.document_ids():
        staged = pdf.with_name(f"{record.document}.pdf")
        if staged != pdf:
            shutil.copyfile(pdf, staged)
        try:
            out.add_document(
                staged,
                schema=original.schema_name,
                id=record.document,
                kind=Kind.RECAPTURE,
                type=original.type,
                domain=original.domain,
                source=original.source,
                license=original.license,
                tags=tags,
            )
        except DuplicateDocument:
            # Of two runs at once one puts it there. Another document with these bytes is told instead.
            if record.document not in out.document_ids():
                raise
    if record.document not in out.truth_names():
        out.put_truth(twin_truth(truth, record, original.tags))


def twin_truth(truth: GroundTruth, record: Record, tags: Mapping[str, str]) -> GroundTruth:
    """The truth of a re-capture: that of its original, which has these tags, carried along."""
    from degrade.recapture import recaptured_truth

    return recaptured_truth(truth, record.document, record.pages, _about(record), _tags(record, tags))


def _tags(record: Record, tags: Mapping[str, str]) -> dict[str, str]:
    return {
        **tags,
        "recapture_of": record.original,
        "recipe": record.recipe.name,
        "strength": str(record.strength),
        "perception": record.recipe.perception,
    }


def _about(record: Record) -> dict[str, Json]:
    """What the truth of a re-capture tells of it."""
    return {
        "of": record.original,
        "recipe": record.recipe.name,
        "version": record.recipe.version,
        "strength": str(record.strength),
        "seed": record.seed,
        "illegible": sorted({path for page in record.pages for path in page.illegible}),
        "clipped": sorted({path for page in record.pages for path in page.clipped}),
        "lost": sorted({path for page in record.pages for path in page.lost}),
    }


def _bring_schema(clean: Dataset, out: Dataset, name: str) -> None:
    if name in out.schema_names():
        if out.schema_source(name) != clean.schema_source(name) or out.schema(name).rules != clean.schema(name).rules:
            raise DatasetError(
                f"{out.root}: its schema {name!r} is another than that of {clean.root}; give another --out"
            )
        return
    schema = clean.schema(name)
    out.put_draft(name, clean.schema_source(name), schema.rules)
    if clean.versions(name):
        out.freeze(name, clean.versions(name)[-1])


def truth_key(truth: GroundTruth) -> str:
    """What of a truth the pages depend on: where its values stand."""
    return content_hash(json_bytes(truth.to_json()["evidence"]))


def truth_of(clean: Dataset, document: Document) -> GroundTruth:
    """The truth of a clean document.

    Raises:
        DatasetError: it has none.
    """
    truth = clean.truth(document.id)
    if truth is None:
        raise DatasetError(
            f"{clean.root}: document {document.id!r} has no truth, so nobody could say what its re-capture holds; "
            "make it with `goldleaf resolve`, or leave it out with --documents"
        )
    return truth


def _require_whole(clean: Dataset, file: Path, original: Document, truth: GroundTruth) -> None:
    """Refuse an original whose bytes or pages are not those that its description and its truth speak of."""
    if file_sha256(file) != original.sha256:
        raise DatasetError(
            f"{file}: was changed since it was added to the dataset; put the old file back, or take the new one with "
            "`goldleaf replace`"
        )
    for path, entries in truth.evidence.items():
        for entry in entries:
            if entry.page is not None and not 1 <= entry.page <= original.pages:
                raise DatasetError(
                    f"{clean.artefact_path(Artefact.TRUTH, original.id)}: {path}: stands on page "
                    f"{entry.page}, and {file.name} has the pages 1 to {original.pages}; mend the truth"
                )


def _require_same(there: Record, recipe: Recipe, original: Document, path: Path) -> None:
    if there.recipe.sha256 != recipe.sha256:
        raise RecipeError(
            f"{path}: was made by version {there.recipe.version} of recipe {recipe.name!r}, with other content than "
            f"version {recipe.version} here; remove the re-capture with `goldleaf remove`, or give "
            "another --out"
        )
    if there.clean_sha256 != original.sha256:
        raise DatasetError(
            f"{path}: was made of other bytes of document {original.id!r}; remove the re-capture with "
            "`goldleaf remove`, or give another --out"
        )


def is_there(dataset: Dataset, document: str) -> bool:
    """Whether a re-capture stands in the dataset with its PDF."""
    return document in dataset.document_ids() and twin_file(dataset, document).is_file()


def twin_file(dataset: Dataset, document: str) -> Path:
    """Where the PDF of a re-capture is kept."""
    return dataset.root / "documents" / document / f"{document}.pdf"


def _require_document(clean: Dataset, out: Dataset, document: str) -> None:
    if not is_there(out, document):
        raise DatasetError(
            f"{twin_file(out, document)}: is missing, and its record is there; put it back with "
            f"`goldleaf recapture regenerate {out.root} --clean {clean.root}`"
        )


def made_json(dataset: Dataset, made: Made) -> dict[str, Json]:
    """A re-capture for scripts."""
    record = made.record
    return {
        "document": record.document,
        "pdf": str(dataset.document_file(record.document)),
        "truth": str(dataset.artefact_path(Artefact.TRUTH, record.document)),
        "record": str(dataset.root / FOLDER / f"{record.document}.json"),
        "original": record.original,
        "sha256": record.sha256,
        "pages": len(record.pages),
        "new": made.is_new,
        "values": sum(page.values for page in record.pages),
        "drawn_again": sum(bool(page.unused) for page in record.pages),
        "lower_strength": sum(page.drawn.strength is not record.strength for page in record.pages),
        "for_a_person": list(record.for_a_person),
    }
