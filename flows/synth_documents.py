"""Synthetic documents of a dataset: made and registered in one step, proved, and looked at.

``recipes/<id>/content.json`` is what a document says and ``recipes/<id>/recipe.json`` with what it was made. The
document itself comes last, so that there is none without its content and its truth.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from groundtruth import jsontext
from groundtruth.document import Document, Kind
from groundtruth.errors import DatasetError, DuplicateDocument, GoldleafError, JsonError, SynthesisError
from groundtruth.jsontext import Json
from groundtruth.names import checked_name
from groundtruth.rules import Rules
from groundtruth.schema import DRAFT
from groundtruth.store import Dataset
from groundtruth.store_artefacts import Artefact
from groundtruth.store_files import atomic_write, content_hash
from groundtruth.store_manifest import MANIFEST
from groundtruth.wording import counted
from synth.content import Content
from synth.making import Asked, Made, invented, make
from synth.pattern import load_pattern
from synth.preview import boxes_on
from synth.verify import Check, Proof, sampled, verify
from synth.verify_beside import Beside, recipe_cure, schema_cure

CONTENT: Final = "content.json"
_RECIPE: Final = "recipe.json"
_LOCK: Final = "synth"
_PREVIEW_DPI: Final = 150
_MAKER: Final = "goldleaf synth make"
"""How the source of a document begins that was made here."""


class Registered(NamedTuple):
    """A synthetic document of a dataset.

    Attributes:
        document: what the dataset knows of it.
        pdf: its file.
        truth: the file of its truth.
        content: the file of its content.
        is_new: whether it was not there before.
    """

    document: Document
    pdf: Path
    truth: Path
    content: Path
    is_new: bool


def require_place(folder: Path) -> None:
    """Refuse a folder that cannot be or become a dataset, before anything is made for it.

    Raises:
        DatasetError: it is a file, or holds something else, or may not be written.
    """
    if (folder / MANIFEST).exists():
        Dataset.open(folder)
        return
    there = next((part for part in (folder.absolute(), *folder.absolute().parents) if part.exists()), Path("/"))
    if not there.is_dir():
        raise DatasetError(f"{there}: is a file; a dataset is a folder")
    if there == folder.absolute() and any(not entry.name.startswith(".") for entry in there.iterdir()):
        raise DatasetError(f"{folder}: holds other files and is no dataset; give a new or an empty folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise DatasetError(f"{there}: may not be written; give another folder")


def open_or_create(folder: Path, locale: str) -> Dataset:
    """The dataset of a folder; one in the locale's language is made where there is none."""
    if (folder / MANIFEST).exists():
        return Dataset.open(folder)
    from groundtruth.languages import CODES

    language = locale.partition("_")[0]
    return Dataset.create(folder, languages=[language if language in CODES else "en"])


def register(dataset: Dataset, made: Made) -> Registered:
    """Add a document with its schema, content, recipe, truth and labels; all of it, or nothing.

    The same document again changes nothing.

    Raises:
        DatasetError: its id or its schema's name is taken by something else, or a file cannot be written.
    """
    pattern = load_pattern(made.content.pattern)
    document_id = checked_name(made.document, "document id")
    with dataset.lock(_LOCK):
        if document_id in dataset.document_ids():
            there = dataset.document(document_id)
            if there.sha256 != content_hash(made.pdf):
                raise DatasetError(
                    f"{dataset.root}: {document_id!r} is there with other bytes, made by another version; "
                    f"take it out with `goldleaf remove {dataset.root} {document_id}`"
                )
            return _registered(dataset, there, is_new=False)
        home = _home(dataset, document_id)
        truth = dataset.artefact_path(Artefact.TRUTH, document_id)
        schemas = dataset.root / "schemas" / pattern.name
        with (
            _undone([path for path in (home, truth, schemas) if not path.exists()]),
            tempfile.TemporaryDirectory() as own,
        ):
            dataset.put_draft(pattern.name, pattern.schema, Rules.from_json(pattern.rules), origin=pattern.name)
            atomic_write(home / CONTENT, made.content_bytes)
            atomic_write(home / _RECIPE, (jsontext.dumps(made.recipe, indent=1) + "\n").encode())
            atomic_write(truth, made.truth)
            file = Path(own) / f"{document_id}.pdf"
            file.write_bytes(made.pdf)
            try:
                document = dataset.add_document(
                    file,
                    id=document_id,
                    schema=pattern.name,
                    kind=Kind.SYNTHETIC,
                    type=pattern.type,
                    domain=pattern.domain,
                    source=f"{_MAKER} {pattern.name}",
                    tags=dict.fromkeys(made.tags, ""),
                )
            except DuplicateDocument:
                pdf = content_hash(made.pdf)
                same = next(there.id for there in dataset.documents() if there.sha256 == pdf)
                raise DatasetError(
                    f"{dataset.root}: {same!r} has the same pages already, from other records or another difficulty or "
                    "locale, which make no difference here; use that document, or ask for more rows or another seed"
                ) from None
    return _registered(dataset, document, is_new=True)


def make_and_register(
    folder: Path,
    pattern: str,
    *,
    seed: int = 0,
    difficulty: str = "clean",
    rows: int | None = None,
    locale: str = "en_US",
) -> Registered:
    """Invent a document, draw it, and add it to the dataset of a folder.

    Args:
        folder: the dataset.
        pattern: what kind of document.
        seed: the same gives the same values.
        difficulty: as ``Pattern.difficulty`` reads it.
        rows: how many records; by default the pattern's.
        locale: of invented people and places.

    Raises:
        SynthesisError: there is no such pattern or difficulty, or it cannot be drawn.
        DatasetError: as ``register``.
    """
    chosen = load_pattern(pattern)
    asked = Asked(chosen, chosen.difficulty(difficulty), seed, locale, None)
    made = make(invented(asked, chosen.rows if rows is None else rows))
    return register(open_or_create(folder, locale), made)


@contextmanager
def _undone(paths: Sequence[Path]) -> Iterator[None]:
    """Remove these paths, which were not there, when the block fails however it fails."""
    try:
        yield
    except BaseException:
        for path in paths:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        raise


def _registered(dataset: Dataset, document: Document, *, is_new: bool) -> Registered:
    return Registered(
        document,
        dataset.document_file(document.id),
        dataset.artefact_path(Artefact.TRUTH, document.id),
        _home(dataset, document.id) / CONTENT,
        is_new,
    )


def synthetic_ids(dataset: Dataset, wanted: Iterable[str] = ()) -> list[str]:
    """The documents of a dataset that have a content, or had one: those that are ``wanted``, or all.

    Raises:
        UnknownDocument: there is no such document.
        SynthesisError: one has no content, or there is none at all.
    """
    chosen = [dataset.document(name).id for name in wanted]
    for name in chosen:
        if not _was_made(dataset, name):
            raise SynthesisError(
                f"{dataset.root}: {name!r} has no content, so it was not made by `goldleaf synth make`"
            )
    found = chosen or [name for name in dataset.document_ids() if _was_made(dataset, name)]
    if not found:
        raise SynthesisError(f"{dataset.root}: holds no synthetic document; make one with `goldleaf synth make`")
    return found


def _was_made(dataset: Dataset, document_id: str) -> bool:
    """Whether a document was made here, also if its content is gone since."""
    return (_home(dataset, document_id) / CONTENT).is_file() or (dataset.document(document_id).source or "").startswith(
        _MAKER
    )


def _load_content(dataset: Dataset, document_id: str) -> tuple[Content, bytes]:
    """What a document of a dataset says, and the bytes of the file that says it.

    Raises:
        JsonError, SynthesisError: the file is not what ``register`` wrote.
    """
    path = _home(dataset, document_id) / CONTENT
    data = jsontext.read_bytes(path)
    return Content.from_json(jsontext.loads(data, source=str(path)), source=str(path)), data


def prove(
    dataset: Dataset, document_id: str, *, pages: int | None, stage: Callable[[str], None] = lambda _: None
) -> Proof:
    """Prove a document of a dataset; see ``synth.verify``.

    A content, truth, recipe or schema that cannot be read is a finding.

    Raises:
        UnknownDocument, DocumentError: there is no such document, or its file is gone.
    """
    try:
        content, content_bytes = _load_content(dataset, document_id)
        truth = jsontext.read_bytes(dataset.artefact_path(Artefact.TRUTH, document_id))
    except (JsonError, SynthesisError) as error:
        unread = Proof()
        unread.add(Check.TRUTH, str(error))
        return unread
    unheld: list[tuple[Check, str]] = []
    beside = Beside(
        content_bytes,
        _load_recipe(dataset, document_id, content.pattern, unheld),
        _load_schemas(dataset, document_id, content.pattern, unheld),
    )
    proof = verify(
        content,
        dataset.document_file(document_id),
        truth,
        document=document_id,
        schema_name=dataset.document(document_id).schema_name,
        pages=pages,
        beside=beside,
        stage=stage,
    )
    for check, message in unheld:
        proof.add(check, message)
    return proof


def _load_recipe(
    dataset: Dataset, document_id: str, pattern: str, unread: list[tuple[Check, str]]
) -> dict[str, Json] | None:
    file = _home(dataset, document_id) / _RECIPE
    try:
        recipe = jsontext.load_file(file)
    except JsonError as error:
        unread.append((Check.RECIPE, f"{error}; {recipe_cure(pattern)}"))
        return None
    if not isinstance(recipe, dict):
        unread.append((Check.RECIPE, f"{file}: is no recipe; {recipe_cure(pattern)}"))
        return None
    return recipe


def _load_schemas(dataset: Dataset, document_id: str, pattern: str, unread: list[tuple[Check, str]]) -> dict[str, Json]:
    """The draft of a document's schema and its latest version, by their files; those of which there are any."""
    name = dataset.document(document_id).schema_name
    folder = dataset.root / "schemas" / name
    found: dict[str, Json] = {}
    for version, file in (
        (DRAFT, folder / "draft.schema.json"),
        *((version, folder / f"{version}.json") for version in dataset.versions(name)[-1:]),
    ):
        try:
            found[str(file)] = dataset.schema(name, version).source
        except GoldleafError as error:
            unread.append((Check.SCHEMA, f"{error}; {schema_cure(pattern)}"))
    return found


def preview(dataset: Dataset, document_id: str, folder: Path, pages: Sequence[int] | int) -> list[Path]:
    """Write pictures of pages with the boxes of the truth drawn on them; return their files.

    Args:
        dataset: where the document is.
        document_id: which one.
        folder: where the pictures go.
        pages: which pages, from 1; or how many, spread over the document.

    Raises:
        SynthesisError: there is no such page, or no truth.
    """
    from groundtruth.pages import open_document

    truth = dataset.truth(document_id)
    if truth is None:
        raise SynthesisError(f"{dataset.root}: {document_id!r} has no truth, so there are no boxes to show")
    files: list[Path] = []
    with open_document(dataset.document_file(document_id)) as document:
        count = document.page_count
        chosen = sampled(count, pages) if isinstance(pages, int) else pages
        for number in chosen:
            if not 1 <= number <= count:
                raise SynthesisError(
                    f"--pages {number}: {document_id!r} has {counted(count, 'page')}; give pages that it has, or name "
                    "the documents"
                )
            file = folder / f"{document_id}-p{number:04}.png"
            atomic_write(file, boxes_on(document.page(number).raster(_PREVIEW_DPI), truth, number))
            files.append(file)
    return files


def _home(dataset: Dataset, document_id: str) -> Path:
    return dataset.artefact_path(Artefact.RECIPES, document_id).with_name(document_id)
