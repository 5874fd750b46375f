"""``goldleaf new``, ``add``, ``languages``, ``remove``, ``replace`` and ``votes``: what goes into a dataset."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from flows.output import Exit, JsonFlag, console, emit, finish, split_names, stderr, table
from groundtruth.errors import DatasetError
from groundtruth.jsontext import Json
from groundtruth.page_files import shown
from groundtruth.wording import counted

if TYPE_CHECKING:
    from flows.import_votes import ImportReport
    from groundtruth.document import Document
    from groundtruth.store import Dataset

_MANY: Final = 5
"""From how many files on a progress bar is worth its place."""

Item = TypeVar("Item")

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The dataset folder.")]
Force = Annotated[bool, typer.Option("--force", help="Even if people have decided on it; their decisions go too.")]


class AddedKind(StrEnum):
    """The kinds of document that a person brings."""

    REAL = "real"
    FORM = "form"


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command("new")(new)
    app.command("add")(add)
    app.command("languages")(languages)
    app.command("remove")(remove)
    app.command("replace")(replace)
    votes = typer.Typer(no_args_is_help=True, help="Bring in what systems returned, and list it.")
    votes.command("import")(votes_import)
    votes.command("list")(votes_list)
    app.add_typer(votes, name="votes")


def new(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that is not there yet, or is empty.")],
    name: Annotated[str | None, typer.Option(help="What the dataset is called; by default as its folder.")] = None,
    languages: Annotated[
        str, typer.Option(metavar="L,M", help="The languages of its documents, the main one first: de,en.")
    ] = "en",
    as_json: JsonFlag = False,
) -> None:
    """Make a new dataset folder.

    All that a dataset knows is files in this folder that you can read, compare and keep under version control.
    """
    from groundtruth.store import Dataset

    dataset = Dataset.create(folder, name, languages=split_names(languages))

    def human() -> None:
        console().print(f"{dataset.root} is a dataset now.", markup=False)
        console().print(f"Next: goldleaf add {folder} --schema SCHEMA.json FILE...", markup=False)

    value = {"dataset": str(dataset.root), "name": dataset.name, "languages": list(dataset.languages)}
    emit(value, as_json=as_json, human=human)


def languages(
    folder: Folder,
    codes: Annotated[
        str | None, typer.Argument(metavar="L,M", help="ISO 639-1 codes, the main language first: de,en.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show in which languages the documents are written, or set them.

    OCR needs to know. After a change, the extractors whose reading depends on the language read again.
    """
    from groundtruth.store import Dataset

    dataset = Dataset.open(folder)
    spoken = dataset.languages if codes is None else dataset.set_languages(split_names(codes))
    emit({"languages": list(spoken)}, as_json=as_json, human=lambda: console().print(", ".join(spoken), markup=False))


def add(
    folder: Folder,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="PDF, PNG, JPEG, TIFF, text, office files.")],
    schema: Annotated[
        str | None,
        typer.Option(
            metavar="S", help="What to extract: a JSON Schema file, or a schema of the dataset; needless if it has one."
        ),
    ] = None,
    rules: Annotated[
        Path | None, typer.Option(metavar="R", help="Field rules for a schema file: comparators, identity keys.")
    ] = None,
    schema_name: Annotated[
        str | None, typer.Option(help="What the dataset calls the schema; by default as its file.")
    ] = None,
    kind: Annotated[AddedKind, typer.Option(help="Of a form, a person sees every leaf.")] = AddedKind.REAL,
    type_: Annotated[str | None, typer.Option("--type", metavar="T", help="What sort of document: invoice.")] = None,
    domain: Annotated[str | None, typer.Option(metavar="D", help="The trade it is from: logistics.")] = None,
    source: Annotated[str | None, typer.Option(metavar="URL", help="Where it was obtained.")] = None,
    license_: Annotated[
        str | None, typer.Option("--license", metavar="L", help="Under which terms it may be used.")
    ] = None,
    id_: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="The document's id; by default the file's name, no ending.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Add documents to a dataset.

    Each file is checked and copied in. The schema file becomes a draft of the dataset at its first use and is edited
    there from then on. A file that cannot be added is reported, the others are added, and the exit code is 2.
    """
    from flows.add_documents import add_files, choose_schema
    from groundtruth.document import Description, Kind
    from groundtruth.store import Dataset

    dataset = Dataset.open(folder)
    if id_ is not None and len(files) > 1:
        raise DatasetError(f"--id {id_} names one document, and {len(files)} files are given; add them one by one")
    dataset.sweep()
    description = Description(
        choose_schema(dataset, schema, rules, schema_name), Kind(kind), type_, domain, source, license_
    )
    added, refused = add_files(dataset, _progress(files, "adding"), description, document_id=id_)

    def human() -> None:
        columns = ["document", "file", "pages", "kind", "schema"]
        rows = [[one.id, shown(one.original_name), one.pages, one.kind, one.schema_name] for one in added]
        if rows:
            console().print(table("", columns, rows, right=["pages"]))
        console().print(f"{len(added)} of {len(files)} added to {dataset.root}", markup=False)
        for one in added:
            if one.notes:
                console().print(f"noted: {one.id}: {', '.join(one.notes)}", markup=False)
        for file, reason in refused:
            stderr().print(
                f"not added: {reason}" if reason.startswith(file) else f"not added: {file}: {reason}",
                markup=False,
                soft_wrap=True,
            )

    value = {
        "documents": [document_json(dataset, one) for one in added],
        "failed": [{"file": one.file, "error": one.reason} for one in refused],
    }
    emit(value, as_json=as_json, human=human)
    finish(Exit.MISUSE if refused else Exit.DONE)


def remove(
    folder: Folder,
    documents: Annotated[list[str], typer.Argument(metavar="ID...", help="The documents to remove.")],
    force: Force = False,
    as_json: JsonFlag = False,
) -> None:
    """Remove documents and all that was made of them: ballots, consensus, truth, packets of the review."""
    from groundtruth.store import Dataset

    dataset = Dataset.open(folder)
    dataset.sweep()
    ids = [dataset.document(document).id for document in dict.fromkeys(documents)]
    removed = {document: dataset.remove_document(document, force=force) for document in ids}
    _renew_queue(dataset)

    def human() -> None:
        for document, paths in removed.items():
            console().print(f"removed {document}: {', '.join(paths)}", markup=False)

    emit({"removed": removed}, as_json=as_json, human=human)


def replace(
    folder: Folder,
    document: Annotated[str, typer.Argument(metavar="ID", help="The document that gets another file.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Its new file.")],
    force: Force = False,
    as_json: JsonFlag = False,
) -> None:
    """Give a document another file, under the same id.

    What was made of the old bytes (ballots, consensus, truth, packets of the review) is removed and listed.
    """
    from groundtruth.store import Dataset

    dataset = Dataset.open(folder)
    dataset.sweep()
    old = dataset.document(document)
    replaced, removed = dataset.replace_document(document, file, force=force)
    _renew_queue(dataset)

    def human() -> None:
        if replaced == old:
            console().print(f"{document} has these very bytes already; nothing changed", markup=False)
            return
        console().print(f"{document} is {shown(replaced.original_name)} now, pages: {replaced.pages}", markup=False)
        if removed:
            console().print(f"removed, because the old bytes are gone: {', '.join(removed)}", markup=False)

    value = {**document_json(dataset, replaced), "changed": replaced != old, "removed": removed}
    emit(value, as_json=as_json, human=human)


def votes_import(
    folder: Folder,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files, or folders that are searched.")],
    system: Annotated[str, typer.Option(metavar="NAME", help="The system that returned them.")],
    family: Annotated[
        str | None,
        typer.Option(metavar="F", help="Systems of one family are not independent; by default a family of its own."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Bring in what a system returned, one JSON file a document.

    A file belongs to the document whose id is its name without .json or .result.json (or to which its example_id
    leads). It holds the extraction itself, or an envelope {"status", "data", ...} around it, or a result of
    ExtractBench with its citations; _errors.json of ExtractBench says what failed. At most 256 MiB a file.

    A file that cannot be used becomes a ballot that abstains, and is reported. Exit code 1 if there was any.
    """
    from flows.import_votes import import_votes
    from groundtruth.store import Dataset

    dataset = Dataset.open(folder)
    dataset.sweep()

    def progress(files: Iterable[Path]) -> Iterable[Path]:
        return _progress(list(files), "reading")

    report = import_votes(dataset, paths, system=system, family=family, progress=progress)
    emit(import_json(report), as_json=as_json, human=lambda: _print_import(report))
    finish(Exit.FINDINGS if report.unusable or report.rivals else Exit.DONE)


def votes_list(folder: Folder, as_json: JsonFlag = False) -> None:
    """List the systems that have ballots, with how many of them vote."""
    from groundtruth.store import Dataset

    dataset = Dataset.open(folder)
    records = list(_systems_json(dataset))
    panel = dataset.panel

    def human() -> None:
        columns = ["system", "family", "ok", "partial", "failed", "missing"]
        rows = [[record["system"], ", ".join(record["families"]), *map(record.get, columns[2:])] for record in records]
        console().print(table("", columns, rows, right=columns[2:]))
        console().print(
            f"panel: {', '.join(panel) if panel else 'not chosen, so all vote if at most five'}", markup=False
        )

    emit({"systems": records, "panel": None if panel is None else list(panel)}, as_json=as_json, human=human)


def document_json(dataset: Dataset, document: Document) -> dict[str, Json]:
    """A document in a command's ``--json``; ``file`` is there, and so is ``pdf`` when the document is one."""
    file = str(dataset.document_file(document.id))
    return {
        "document": document.id,
        "file": file,
        **({"pdf": file} if document.media_type == "application/pdf" else {}),
        "media_type": document.media_type,
        "pages": document.pages,
        "sha256": document.sha256,
        "kind": str(document.kind),
        "schema": document.schema_name,
        "notes": list(document.notes),
    }


def import_json(report: ImportReport) -> dict[str, Json]:
    """An import in ``--json``."""
    return {
        "system": report.system,
        "family": report.family,
        "imported": [
            {
                "document": one.document,
                "file": shown(one.file),
                "change": str(one.change),
                "status": str(one.status),
                "failure": None if one.failure is None else str(one.failure),
                "detail": one.detail,
            }
            for one in report.imported
        ],
        "unmatched": [{"file": shown(one.file), "reason": one.reason} for one in report.unmatched],
        "rivals": [{"file": shown(one.file), "reason": one.reason} for one in report.rivals],
        "missing": report.missing,
    }


def _print_import(report: ImportReport) -> None:
    from groundtruth.store_ballots import Change

    counts = ", ".join(f"{report.count(change)} {change}" for change in Change)
    console().print(
        f"{report.system} (family {report.family}): {counted(len(report.imported), 'ballot')} ({counts}), "
        f"{len(report.unusable)} of them cannot be used",
        markup=False,
    )
    _print_list(
        "abstains", [f"{one.document}: {one.failure}: {one.detail} ({shown(one.file)})" for one in report.unusable]
    )
    noted = [one for one in report.imported if one.failure is None and one.detail]
    _print_list("noted", [f"{one.document}: {one.detail}" for one in noted])
    _print_list("not taken", [f"{shown(one.file)}: {one.reason}" for one in report.rivals])
    for reason in dict.fromkeys(one.reason for one in report.unmatched):
        names = [shown(one.file.name) for one in report.unmatched if one.reason == reason]
        _print_list(f"not matched ({len(names)})", [f"{reason}: {', '.join(names)}"])
    if report.missing:
        documents = counted(len(report.missing), "document")
        console().print(f"{documents} without a ballot of {report.system}: {', '.join(report.missing)}", markup=False)


def _print_list(title: str, lines: Sequence[str]) -> None:
    for line in lines:
        console().print(f"{title}: {line}", markup=False, soft_wrap=True)


def _systems_json(dataset: Dataset) -> Iterator[dict[str, Json]]:
    from groundtruth.ballot import Status

    ids = dataset.document_ids()
    ballots = [ballot for document in ids for ballot in dataset.ballots(document)]
    for system in sorted({ballot.system for ballot in ballots}):
        own = [ballot for ballot in ballots if ballot.system == system]
        counts = {str(status): sum(ballot.status is status for ballot in own) for status in Status}
        families = sorted({ballot.family for ballot in own})
        yield {"system": system, "families": families, **counts, "missing": len(ids) - len(own)}


def _renew_queue(dataset: Dataset) -> None:
    """Take questions about what is gone out of the review queue."""
    from groundtruth.store_artefacts import Artefact

    if dataset.artefact_names(Artefact.QUEUE, "jsonl"):
        from flows.vote_step import rebuild_queue

        rebuild_queue(dataset)


def _progress(items: Sequence[Item], what: str) -> Iterable[Item]:
    """The items, with a bar on the error stream when there are many and somebody looks."""
    terminal = stderr()
    if len(items) < _MANY or not terminal.is_terminal:
        return items
    from rich.progress import track

    return track(items, description=what, console=terminal, transient=True)
