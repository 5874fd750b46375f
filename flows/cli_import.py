"""``goldleaf import``: a public benchmark's folder becomes a dataset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from flows.output import Exit, JsonFlag, console, emit, finish, stderr, table
from groundtruth.errors import DatasetError
from groundtruth.jsontext import Json
from groundtruth.wording import counted

if TYPE_CHECKING:
    from flows.import_benchmark import Imported, Named, Report
    from groundtruth.store import Dataset

_LAYOUTS: Final = ("extractbench", "omniextractbench", "docubench", "contextual", "pairs")
_MANY: Final = 3
_LISTED: Final = 4


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("import")(import_benchmark)


def import_benchmark(
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="The folder of the benchmark.")],
    layout: Annotated[str, typer.Option("--from", metavar="KIND", help=f"What it is: {', '.join(_LAYOUTS)}.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The dataset: a new folder, or one to go on with.")],
    predictions: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="What systems returned: a run, or a folder with one for each system."),
    ] = None,
    family: Annotated[
        list[str] | None, typer.Option(metavar="NAME=FAMILY", help="A system that is not independent of its family.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Let the source's truth take the place of one that is there.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Turn a public benchmark's folder into a dataset: documents, schemas, truth with its evidence, answers of systems.

    extractbench: sidecars <group>/<stem>.test.json beside their documents, or hub rows *.jsonl with docs/.
    omniextractbench: a table (manifest.parquet, manifest.csv, corpus.parquet), or <doc>/{ground_truth,schema}.json.
    docubench: labels/, schemas/, documents/, votes/. contextual: *.gold.json and *-schema.json. pairs:
    <name>.schema.json with <name>.gold.json or <name>.json.

    Where a truth breaks its schema is listed, and the truth is imported as it is. What has no place in a dataset is
    listed too. A document without a file keeps its truth and its answers, which can be scored. The same import again
    changes nothing. Exit code 1 if anything was wrong with the source.
    """
    from flows.import_benchmark import Layout, import_listing, list_source

    if layout not in _LAYOUTS:
        raise typer.BadParameter(f"--from {layout}: is one of {', '.join(_LAYOUTS)}")
    families = _families(family or [])
    _refuse_inside(source, out)
    listing, answers = list_source(source, Layout(layout), predictions)
    dataset = _open(out)

    report = import_listing(dataset, listing, answers, families=families, replace=replace, progress=_progress)
    emit(import_json(dataset, layout, report), as_json=as_json, human=lambda: _print(dataset, report))
    finish(Exit.FINDINGS if report.findings else Exit.DONE)


def import_json(dataset: Dataset, layout: str, report: Report) -> dict[str, Json]:
    """An import in ``--json``."""
    return {
        "dataset": str(dataset.root),
        "from": layout,
        "documents": [_document_json(dataset, one) for one in report.documents],
        "findings": [one._asdict() for one in report.findings],
        "left_out": [one._asdict() for one in report.left_out],
    }


def _document_json(dataset: Dataset, one: Imported) -> dict[str, Json]:
    from groundtruth.store_artefacts import Artefact

    file = None if one.file is None else str(dataset.document_file(one.document))
    truth = None if one.truth is None else str(dataset.artefact_path(Artefact.TRUTH, one.document))
    return {
        "document": one.document,
        "source_id": one.source_id,
        "schema": one.schema,
        "schema_refused": one.schema_refused,
        "file": file,
        **({"pdf": file} if file is not None and file.lower().endswith(".pdf") else {}),
        "truth": truth,
        "changes": {
            "file": None if one.file is None else str(one.file),
            "truth": None if one.truth is None else str(one.truth),
            "ballots": {system: str(change) for system, change in sorted(one.ballots.items())},
        },
    }


def _print(dataset: Dataset, report: Report) -> None:
    out = console()
    if report.findings:
        counts = Counter((one.document, one.code) for one in report.findings)
        first = {(one.document, one.code): one for one in reversed(report.findings)}
        rows = [
            [document or "-", code, f"{count:,}", _place(first[document, code].path, first[document, code].message)]
            for (document, code), count in counts.items()
        ]
        out.print(table("What is wrong with the source", ["document", "what", "times", "first"], rows, right=["times"]))
    if report.left_out:
        by_reason: dict[str, list[str]] = {}
        for one in report.left_out:
            by_reason.setdefault(one.reason, []).append(one.what)
        reasons = [[_some(what), reason] for reason, what in by_reason.items()]
        out.print(table("What has no place", ["what", "why"], reasons))
    files = sum(one.file is not None for one in report.documents)
    truths = sum(one.truth is not None for one in report.documents)
    ballots = sum(len(one.ballots) for one in report.documents)
    changes = [
        change
        for one in report.documents
        for change in (one.file, one.truth, *one.ballots.values())
        if change is not None and change != "unchanged"
    ]
    out.print(
        f"{dataset.root}: {counted(files, 'document')}, {counted(truths, 'truth')}, "
        f"{counted(ballots, 'answer of a system', 'answers of systems')}; "
        f"{len(changes) or 'nothing'} changed",
        markup=False,
        soft_wrap=True,
    )


def _some(names: list[str]) -> str:
    rest = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + rest


def _place(path: str, message: str) -> str:
    return f"{path}: {message}" if path else message


def _families(options: list[str]) -> dict[str, str]:
    found = {}
    for text in options:
        name, equals, family = text.partition("=")
        if not (name and equals and family):
            raise typer.BadParameter(f"--family {text}: write it as NAME=FAMILY")
        found[name] = family
    return found


def _refuse_inside(source: Path, out: Path) -> None:
    """A dataset in the benchmark's own folder would change the benchmark, and be read at the next import."""
    home, target = source.resolve(), out.resolve()
    if target.is_relative_to(home) or home.is_relative_to(target):
        raise DatasetError(f"--out {out}: one of it and {source} lies in the other; give a folder beside it")


def _open(out: Path) -> Dataset:
    from groundtruth.store import Dataset

    if not (out / "dataset.json").is_file():
        return Dataset.create(out)
    dataset = Dataset.open(out)
    dataset.sweep()
    return dataset


def _progress(entries: Sequence[Named]) -> Iterable[Named]:
    """The entries, with a bar on the error stream when somebody looks."""
    terminal = stderr()
    if len(entries) < _MANY or not terminal.is_terminal:
        return entries
    from rich.progress import track

    return track(entries, description="importing", console=terminal, transient=True)
