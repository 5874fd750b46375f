"""Re-captures made again from their records: to put back their PDFs, or to prove them by their hashes."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flows.recapture_make import FOLDER, is_there, put_twin, truth_of, twin_file, twin_truth
from flows.recapture_work import WORK, Making, Pages, assemble, file_sha256, json_bytes, page_makers, remake_pages
from groundtruth.errors import DatasetError, RecipeError
from groundtruth.path import format_path
from groundtruth.store import Dataset
from groundtruth.store_files import content_hash, copy_durably, scratch_path
from groundtruth.wording import counted

if TYPE_CHECKING:
    from degrade.record import Record


def records(dataset: Dataset) -> list[Record]:
    """The records of a dataset's re-captures, by id.

    Raises:
        DatasetError: there is none.
        RecipeError: one is not of this format, bears another name, or an effect of it is not made here.
    """
    from degrade.effects import check_drawn
    from degrade.record import parse_record

    folder = dataset.root / FOLDER
    paths = sorted(folder.glob("*.json")) if folder.is_dir() else []
    if not paths:
        raise DatasetError(f"{dataset.root}: holds no re-captures; make some with `goldleaf recapture make`")
    found = []
    for path in paths:
        record = parse_record(path.read_bytes(), source=str(path))
        if record.document != path.stem:
            raise RecipeError(f"{path}: is the record of {record.document!r}; name the file so again, or remove it")
        for page in record.pages:
            for drawn in (*page.drawn.before, *page.drawn.after):
                check_drawn(drawn, source=f"{path}: page {page.page}")
        found.append(record)
    return found


@dataclass(frozen=True, slots=True)
class Proof:
    """What came of making a re-capture again.

    Attributes:
        record: the re-capture.
        file: ``same``, ``missing`` or ``differs``: the PDF that is in the dataset.
        pages: how many came out with the recorded hashes.
        differences: by page, the first thing that came out otherwise: ``drawing``, ``homography``, ``raster``,
            ``pixels`` or ``picture``.
        written: whether the PDF was written.
        truth: ``same``, ``missing`` or ``differs``, beside that of the original carried along; ``written`` where it was
            missing and was put back, ``unproved`` where the original has none or the
            record was changed.
    """

    record: Record
    file: str
    pages: int
    differences: dict[int, str]
    written: bool = False
    truth: str = "same"

    @property
    def holds(self) -> bool:
        """Whether every page came out as recorded, and so do the file and the truth."""
        whole = self.file == "same" or self.written
        return not self.differences and whole and self.truth not in ("missing", "differs")


def prove(
    dataset: Dataset, clean: Dataset | None, every: Sequence[Record], making: Making, *, write: bool
) -> Iterator[Proof]:
    """Make re-captures again from their records, page by page, and compare; with ``write``, put back what is missing.

    A PDF is only written when every byte is as recorded, a truth only when there is none.

    Raises:
        DatasetError: a clean document is not there, or has other bytes.
    """
    sources = {record.document: _source(dataset, clean, record) for record in every}
    with page_makers(making) as makers:
        for record in every:
            yield _prove(dataset, record, sources[record.document], makers, making, write=write)


def _prove(dataset: Dataset, record: Record, clean: Dataset, makers: Pages, making: Making, *, write: bool) -> Proof:
    from degrade.recapture import Order

    work = _work(dataset, record, write=write)
    file = clean.document_file(record.original)
    order = Order(record.recipe, record.strength, record.seed, record.clean_sha256)
    try:
        groups = making.groups(record.pages)
        found = makers.run(remake_pages, [(file, order, group, work) for group in groups], map(len, groups))
        differences = {page: stage for part in found for page, stage in sorted(part.items())}
        pdf = work / "again.pdf"
        again = assemble(pdf, work, record.pages)
        twin = twin_file(dataset, record.document)
        state = _state(twin, record.sha256) if is_there(dataset, record.document) else "missing"
        written = write and state != "same" and again == record.sha256
        if written:
            _restore(dataset, clean, record, twin, pdf)
        if not differences and again != record.sha256:
            differences[0] = "document"
        pages = len(record.pages) - len(differences.keys() - {0})
        changed = "homography" in differences.values()
        truth = "unproved" if changed else _truth_state(dataset, clean, record, write=write)
        return Proof(record, state, pages, differences, written, truth)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _work(dataset: Dataset, record: Record, *, write: bool) -> Path:
    """An empty folder to work in, outside of a dataset in which nothing is to be written."""
    if not write:
        return Path(tempfile.mkdtemp(prefix="goldleaf-verify-"))
    work = dataset.root / WORK / f"again-{content_hash(record.document.encode())[:24]}"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    return work


def _restore(dataset: Dataset, clean: Dataset, record: Record, file: Path, pdf: Path) -> None:
    if record.document in dataset.document_ids():
        _put_back(pdf, file)
        return
    # A PDF without its description is no document, and in the way of one.
    file.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        file.parent.rmdir()
    original = clean.document(record.original)
    put_twin(clean, dataset, original, truth_of(clean, original), record, pdf)


def _truth_state(dataset: Dataset, clean: Dataset, record: Record, *, write: bool) -> str:
    there, original = dataset.truth(record.document), clean.truth(record.original)
    if original is None:
        return "missing" if there is None else "unproved"
    wanted = twin_truth(original, record, clean.document(record.original).tags)
    if there is not None:
        return "same" if json_bytes(there.to_json()) == json_bytes(wanted.to_json()) else "differs"
    if not write:
        return "missing"
    dataset.put_truth(wanted)
    return "written"


def doubted(dataset: Dataset) -> dict[str, dict[str, str]]:
    """Of every re-capture in a dataset, the values that may not be legible and that no person has found to be.

    By document and path, ``open`` where nobody has decided, ``illegible``, or ``otherwise`` where it reads as another
    value; see ``annotation.legibility``.

    Raises:
        DatasetError: the record of a re-capture is damaged.
    """
    from annotation.legibility import Legibility, legibility
    from flows.review_legibility import legibility_situations

    return {
        document: {
            format_path(path): str(said)
            for path, said in legibility(situation).items()
            if said is not Legibility.LEGIBLE
        }
        for document, situation in legibility_situations(dataset).items()
    }


def _put_back(pdf: Path, file: Path) -> None:
    unfinished = scratch_path(file.parent)
    try:
        copy_durably(pdf, unfinished)
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)


def _source(dataset: Dataset, clean: Dataset | None, record: Record) -> Dataset:
    """The dataset of the clean document, which has the bytes that the record was made of."""
    try:
        source = clean or Dataset.open((dataset.root / record.source).resolve())
    except DatasetError as error:
        raise DatasetError(
            f"{error}; it held the originals of {dataset.root}: say with --clean where they are"
        ) from error
    try:
        file = source.document_file(record.original)
    except DatasetError as error:
        raise DatasetError(
            f"{source.root}: the original {record.original!r} of {record.document!r} is not there; put it back, say "
            "with --clean where it is, or remove the re-capture with `goldleaf remove`"
        ) from error
    if file_sha256(file) != record.clean_sha256:
        raise DatasetError(
            f"{file}: is not the file that {record.document!r} was made of; put that one back, or say with --clean "
            "where it is"
        )
    pages = source.document(record.original).pages
    if len(record.pages) != pages:
        raise DatasetError(
            f"{dataset.root / FOLDER / f'{record.document}.json'}: holds {counted(len(record.pages), 'page')}, and the "
            f"original has {counted(pages, 'page')}; make the re-capture anew"
        )
    return source


def _state(file: Path, sha256: str) -> str:
    if not file.is_file():
        return "missing"
    return "same" if file_sha256(file) == sha256 else "differs"
