"""Re-captures of a dataset's documents: made, made again from their records, and proved by their hashes.

Pages are made in processes of their own, a few at a time, and each is written as soon as it is there: a run that was
stopped goes on with the pages that are missing. Memory is bounded by the pages in work.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from fnmatch import fnmatchcase
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from groundtruth import jsontext
from groundtruth.document import Document, Kind
from groundtruth.errors import DatasetError, DuplicateDocument
from groundtruth.jsontext import Json
from groundtruth.store import Dataset
from groundtruth.store_files import atomic_write, content_hash

if TYPE_CHECKING:
    from degrade.recapture import Order, Places
    from degrade.recipe import Recipe, Strength
    from degrade.record import PageRecord, Record
    from groundtruth.truth import GroundTruth

FOLDER: Final = "recaptures"
"""Of a dataset: a record for each re-capture."""
Result = TypeVar("Result")
PAGES_PER_PROCESS: Final = 8
_WORK: Final = ".goldleaf/recaptures"
Listener = Callable[[str, int, int], None]
"""Hears the document, how many of all pages are done, and how many there are."""


@dataclass(frozen=True, slots=True)
class Making:
    """How pages are made: so many at once by a process, so many processes, and who hears of it."""

    pages_per_process: int = PAGES_PER_PROCESS
    workers: int | None = None
    listener: Listener = lambda document, done, of: None  # noqa: ARG005


@dataclass(frozen=True, slots=True)
class Made:
    """A re-capture that is in the dataset now; ``is_new`` tells whether this run made it."""

    record: Record
    is_new: bool


def twin_id(original: str, recipe: str, strength: str, seed: int) -> str:
    """The id of a re-capture."""
    return f"{original}--{recipe}-{strength}-{seed}"


def make_recaptures(
    clean: Dataset, out: Dataset, recipe: Recipe, strength: Strength, seed: int, pattern: str, making: Making
) -> Iterator[Made]:
    """Re-capture the documents whose ids match ``pattern``, one after the other; what is there already is passed over.

    Raises:
        DatasetError: no document matches, or one has no truth.
        DocumentError: a document cannot be read.
        RecipeError: what is there was made otherwise.
    """
    originals = [
        document
        for document in clean.documents()
        if fnmatchcase(document.id, pattern) and document.kind is not Kind.RECAPTURE
    ]
    if not originals:
        raise DatasetError(f"{clean.root}: no document matches {pattern!r}; `goldleaf status` lists them")
    truths = {document.id: _truth_of(clean, document) for document in originals}
    with _processes(making) as pool:
        for original in originals:
            yield _make(clean, out, original, truths[original.id], (recipe, strength, seed), pool, making)


def records(dataset: Dataset) -> list[Record]:
    """The records of a dataset's re-captures, by id.

    Raises:
        DatasetError: there is none.
        RecipeError: one is not of this format.
    """
    from degrade.record import parse_record

    folder = dataset.root / FOLDER
    paths = sorted(folder.glob("*.json")) if folder.is_dir() else []
    if not paths:
        raise DatasetError(f"{dataset.root}: holds no re-captures; make some with `goldleaf recapture make`")
    return [parse_record(path.read_bytes(), source=str(path)) for path in paths]


@dataclass(frozen=True, slots=True)
class Proof:
    """What came of making a re-capture again.

    Attributes:
        record: the re-capture.
        file: ``same``, ``missing`` or ``differs``: the PDF that is in the dataset.
        pages: how many came out with the recorded hashes.
        differences: by page, the first thing that came out otherwise: ``raster``, ``pixels`` or ``picture``.
        written: whether the PDF was written.
    """

    record: Record
    file: str
    pages: int
    differences: dict[int, str]
    written: bool = False

    @property
    def holds(self) -> bool:
        """Whether every page came out as recorded, and so does the file."""
        return not self.differences and (self.file == "same" or self.written)


def prove(dataset: Dataset, clean: Dataset | None, making: Making, *, write: bool) -> Iterator[Proof]:
    """Make every re-capture again from its record, page by page, and compare; with ``write``, put back its PDF.

    A PDF is only written when every byte is as recorded.

    Raises:
        DatasetError: a clean document is not there, or has other bytes.
        RecipeError: an effect of a record is not made here.
    """
    every = records(dataset)
    sources = {record.document: _source(dataset, clean, record) for record in every}
    with _processes(making) as pool:
        for record in every:
            yield _prove(dataset, record, sources[record.document], pool, making, write=write)


def pages_of(path: Path, order: Order, pages: Iterable[int], places: Mapping[int, Places], folder: Path) -> int:
    """Make pages of one document and write each, picture before record; those that are there are passed over."""
    from degrade.recapture import recapture_page
    from groundtruth.pages import open_document

    made = 0
    with open_document(path) as source:
        for number in pages:
            if (folder / f"{number}.json").is_file():
                continue
            picture, record = recapture_page(source.page(number), order, places.get(number, {}))
            atomic_write(folder / f"{number}.bin", picture.data)
            atomic_write(folder / f"{number}.json", _bytes(record.model_dump(mode="json")))
            made += 1
    return made


def remake_pages(path: Path, pages: Sequence[PageRecord], folder: Path) -> dict[int, str]:
    """Make recorded pages again, write the pictures, and say what came out otherwise."""
    from degrade.recapture import remake_page
    from groundtruth.pages import open_document

    differences: dict[int, str] = {}
    with open_document(path) as source:
        for recorded in pages:
            picture, hashes = remake_page(source.page(recorded.page), recorded)
            for stage in ("raster", "pixels", "picture"):
                if getattr(hashes, stage) != getattr(recorded.hashes, stage):
                    differences[recorded.page] = stage
                    break
            (folder / f"{recorded.page}.bin").write_bytes(picture.data)
    return differences


def _make(
    clean: Dataset,
    out: Dataset,
    original: Document,
    truth: GroundTruth,
    wanted: tuple[Recipe, Strength, int],
    pool: Executor,
    making: Making,
) -> Made:
    from degrade.recapture import Order, places_on_pages
    from degrade.record import Record, current_versions, parse_record

    recipe, strength, seed = wanted
    document = twin_id(original.id, recipe.name, str(strength), seed)
    path = out.root / FOLDER / f"{document}.json"
    if path.is_file():
        there = parse_record(path.read_bytes(), source=str(path))
        _require_same(there, recipe, original, path)
        _put(clean, out, original, truth, there, None)
        return Made(there, is_new=False)
    order = Order(recipe, strength, seed, original.sha256)
    key = f"{recipe.sha256}{strength}{seed}{original.sha256}{jsontext.dumps(current_versions())}{truth_key(truth)}"
    work = out.root / _WORK / content_hash(key.encode())[:24]
    work.mkdir(parents=True, exist_ok=True)
    places = places_on_pages(truth)
    file = clean.document_file(original.id)
    groups = list(_groups(range(1, original.pages + 1), making))
    _run([pool.submit(pages_of, file, order, group, places, work) for group in groups], groups, document, making)
    pages = [_page_record(work / f"{number}.json") for number in range(1, original.pages + 1)]
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
        sha256=_assemble(pdf, work, pages),
        pages=tuple(pages),
    )
    _put(clean, out, original, truth, record, pdf)
    # The record last: whoever finds it finds all the rest.
    atomic_write(path, _bytes(record.to_json()))
    shutil.rmtree(work, ignore_errors=True)
    return Made(record, is_new=True)


def _prove(dataset: Dataset, record: Record, clean: Dataset, pool: Executor, making: Making, *, write: bool) -> Proof:
    work = dataset.root / _WORK / f"again-{content_hash(record.document.encode())[:24]}"
    file = clean.document_file(record.original)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        groups = [
            [record.pages[number - 1] for number in group] for group in _groups(range(1, len(record.pages) + 1), making)
        ]
        found = _run(
            [pool.submit(remake_pages, file, group, work) for group in groups], groups, record.document, making
        )
        differences = {page: stage for part in found for page, stage in sorted(part.items())}
        pdf = work / "again.pdf"
        again = _assemble(pdf, work, record.pages)
        twin = dataset.root / "documents" / record.document / f"{record.document}.pdf"
        state = _state(twin, record.sha256)
        written = write and state != "same" and again == record.sha256
        if written:
            _restore(dataset, clean, record, twin, pdf)
        if not differences and again != record.sha256:
            differences[0] = "document"
        return Proof(record, state, len(record.pages) - len(differences.keys() - {0}), differences, written)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _restore(dataset: Dataset, clean: Dataset, record: Record, file: Path, pdf: Path) -> None:
    if record.document in dataset.document_ids():
        atomic_write(file, pdf.read_bytes())
        return
    original = clean.document(record.original)
    _put(clean, dataset, original, _truth_of(clean, original), record, pdf)


def _put(
    clean: Dataset, out: Dataset, original: Document, truth: GroundTruth, record: Record, pdf: Path | None
) -> None:
    """Put document and truth into the dataset, as far as they are not there; the schema comes along."""
    from degrade.recapture import recaptured_truth

    tags = {
        **original.tags,
        "recapture_of": original.id,
        "recipe": record.recipe.name,
        "strength": str(record.strength),
        "perception": record.recipe.perception,
    }
    if out.root != clean.root:
        _bring_schema(clean, out, original.schema_name)
    if pdf is not None and record.document not in out.document_ids():
        staged = pdf.with_name(f"{record.document}.pdf")
        if staged != pdf:
            shutil.copyfile(pdf, staged)
        with contextlib.suppress(DuplicateDocument):
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
    if record.document not in out.truth_names():
        twin = recaptured_truth(truth, record.document, record.pages, _about(record), tags)
        out.put_truth(twin)


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
    return content_hash(_bytes(truth.to_json()["evidence"]))


def _truth_of(clean: Dataset, document: Document) -> GroundTruth:
    truth = clean.truth(document.id)
    if truth is None:
        raise DatasetError(
            f"{clean.root}: document {document.id!r} has no truth, so nobody could say what its re-capture holds; "
            "make it with `goldleaf resolve`, or leave it out with --documents"
        )
    return truth


def _require_same(there: Record, recipe: Recipe, original: Document, path: Path) -> None:
    from degrade.recipe import RecipeError

    if there.recipe.sha256 != recipe.sha256:
        raise RecipeError(
            f"{path}: was made by version {there.recipe.version} of recipe {recipe.name!r}, with other content than "
            f"version {recipe.version} here; remove the re-capture with `goldleaf remove`, and this file, or give "
            "another --out"
        )
    if there.clean_sha256 != original.sha256:
        raise DatasetError(
            f"{path}: was made of other bytes of document {original.id!r}; remove the re-capture with "
            "`goldleaf remove`, and this file, or give another --out"
        )


def _source(dataset: Dataset, clean: Dataset | None, record: Record) -> Dataset:
    """The dataset of the clean document, which has the bytes that the record was made of."""
    try:
        source = clean or Dataset.open((dataset.root / record.source).resolve())
    except DatasetError as error:
        raise DatasetError(
            f"{error}; it held the originals of {dataset.root}: say with --clean where they are"
        ) from error
    file = source.document_file(record.original)
    if content_hash(file.read_bytes()) != record.clean_sha256:
        raise DatasetError(
            f"{file}: is not the file that {record.document!r} was made of; put that one back, or say with --clean "
            "where it is"
        )
    return source


def _state(file: Path, sha256: str) -> str:
    if not file.is_file():
        return "missing"
    return "same" if content_hash(file.read_bytes()) == sha256 else "differs"


def _assemble(pdf: Path, work: Path, pages: Sequence[PageRecord]) -> str:
    """Write the PDF of pages that lie in ``work``; return its SHA-256."""
    from degrade.document import PdfWriter, Picture

    with pdf.open("wb") as stream:
        writer = PdfWriter(stream)
        for page in pages:
            channels = 3 if page.drawn.color == "rgb" else 1
            data = (work / f"{page.page}.bin").read_bytes()
            writer.add(Picture(data, page.drawn.codec, channels, page.size, page.points))
        writer.close()
    return writer.sha256


def _page_record(path: Path) -> PageRecord:
    from degrade.record import PageRecord

    return PageRecord.model_validate_json(path.read_bytes())


def _groups(numbers: range, making: Making) -> Iterator[tuple[int, ...]]:
    for start in range(0, len(numbers), making.pages_per_process):
        yield tuple(numbers[start : start + making.pages_per_process])


def _run(futures: list[Future[Result]], sizes: Sequence[Sized], document: str, making: Making) -> list[Result]:
    size_of = dict(zip(futures, map(len, sizes), strict=True))
    done, total = 0, sum(size_of.values())
    try:
        for future in as_completed(futures):
            future.result()
            done += size_of[future]
            making.listener(document, done, total)
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    return [future.result() for future in futures]


def _one_thread() -> None:
    """Of OpenCV: there is a process for each core already. The bytes do not depend on it."""
    import cv2

    cv2.setNumThreads(1)


class _Here(Executor):
    """Does the work in this process, at once: one process more would only cost its start."""

    def submit(self, fn: Callable[..., Result], /, *args: object, **kwargs: object) -> Future[Result]:
        """The result, in a future that is done."""
        future: Future[Result] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@contextlib.contextmanager
def _processes(making: Making) -> Iterator[Executor]:
    workers = making.workers or min(8, len(os.sched_getaffinity(0)))
    if workers == 1:
        yield _Here()
        return
    # Spawned: a process that is forked while a library holds a lock waits for it for ever.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_one_thread) as pool:
        yield pool


def _bytes(value: Json) -> bytes:
    return (jsontext.dumps(value, indent=1) + "\n").encode()
