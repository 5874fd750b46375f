"""``goldleaf report``: the votes as pages to look at."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import typer

from flows.output import JsonFlag, console, emit
from groundtruth.wording import counted

if TYPE_CHECKING:
    from consensus.order import Voted
    from flows.report_html import Picture
    from groundtruth.store import Dataset


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("report")(report)


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The dataset folder.")],
    document: Annotated[list[str] | None, typer.Option(help="Only this document; repeat for more.")] = None,
    out: Annotated[Path | None, typer.Option(help="Where to write; DIR/report by default.")] = None,
    pages: Annotated[int, typer.Option(min=0, help="Pictures of at most so many pages a document.")] = 20,
    dpi: Annotated[int, typer.Option(min=20, max=300, help="Resolution of the pictures.")] = 110,
    as_json: JsonFlag = False,
) -> None:
    """Write pages to look at: each document with its proposed values framed, every leaf, who read and decided what.

    Plain HTML and PNG files that open without a server: start with index.html. They show what the documents hold, so
    keep them where the documents may be.
    """
    from flows.decision_list import listed_decisions
    from flows.report_html import document_page, index_page
    from flows.situations import situation_of_vote
    from flows.vote_step import load_votes
    from groundtruth.store import Dataset
    from groundtruth.store_files import atomic_write

    dataset = Dataset.open(folder)
    for name in document or ():
        dataset.document(name)
    votes = [one for one in load_votes(dataset) if not document or one.document in document]
    target = out if out is not None else dataset.root / "report"
    target.mkdir(parents=True, exist_ok=True)
    files = []
    for one in votes:
        pictures = _pictures(dataset, one, target, pages, dpi)
        file = target / f"{one.document}.html"
        decisions = list(listed_decisions(dataset.decisions(one.document), situation_of_vote(dataset, one)))
        atomic_write(file, document_page(one, pictures, decisions).encode())
        files.append(file)
    index = target / "index.html"
    atomic_write(index, index_page(dataset.name, votes, [quote(file.name) for file in files]).encode())
    written = [{"document": one.document, "html": str(file)} for one, file in zip(votes, files, strict=True)]
    emit(
        {"index": str(index), "documents": written},
        as_json=as_json,
        human=lambda: console().print(f"{counted(len(files), 'document')}: {index}", markup=False, soft_wrap=True),
    )


def _pictures(dataset: Dataset, one: Voted, target: Path, pages: int, dpi: int) -> list[Picture]:
    from flows.report_html import Picture
    from groundtruth.pages import open_document
    from groundtruth.store_files import atomic_write

    pictures = []
    with open_document(dataset.document_file(one.document)) as source:
        for number in range(1, min(pages, source.page_count) + 1):
            file = target / f"{one.document}.page-{number}.png"
            atomic_write(file, source.page(number).png(dpi))
            pictures.append(Picture(number, quote(file.name)))
    return pictures
