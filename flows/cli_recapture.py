"""``goldleaf recapture``: degraded twins of documents, with their truth, made again byte for byte."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from flows.output import Exit, JsonFlag, console, emit, finish, table, warn
from flows.step_progress import counting
from groundtruth.errors import DatasetError, DocumentError, RecipeError
from groundtruth.jsontext import Json
from groundtruth.wording import counted

if TYPE_CHECKING:
    from flows.recapture_make import Made
    from flows.recapture_prove import Proof
    from groundtruth.store import Dataset

_FIRST_WORDS: Final = 3
PagesPerProcess = Annotated[
    int, typer.Option("--pages-per-process", min=1, metavar="N", help="How many pages a process makes at a time.")
]
Workers = Annotated[
    int | None, typer.Option("--workers", min=1, metavar="N", help="How many processes; by default one a core.")
]
CleanFolder = Annotated[
    Path | None,
    typer.Option("--clean", metavar="DIR", help="The dataset of the originals; by default the recorded one."),
]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    group = typer.Typer(
        no_args_is_help=True,
        rich_markup_mode=None,
        help="Degraded twins of clean documents: scanned, copied, faxed, photographed; with the same truth.",
    )
    group.command("recipes")(recipes)
    group.command("make")(make)
    group.command("regenerate")(regenerate)
    group.command("verify")(verify)
    group.command("preview")(preview)
    app.add_typer(group, name="recapture")


def recipes(as_json: JsonFlag = False) -> None:
    """List the recipes."""
    from degrade.effects import VERSIONS
    from degrade.recipe import load_recipe, recipe_names

    known = [load_recipe(name, VERSIONS) for name in recipe_names()]
    emit(
        [{"name": one.name, "version": one.version, "title": one.title, "perception": one.perception} for one in known],
        as_json=as_json,
        human=lambda: console().print(
            table("", ["recipe", "tag", "looks like"], [(one.name, one.perception, one.title) for one in known])
        ),
    )


def make(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The dataset of the clean documents.")],
    recipe: Annotated[
        str, typer.Option("--recipe", metavar="NAME", help="A recipe, see `goldleaf recapture recipes`; or its file.")
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR2", help="The dataset of the re-captures; it may be DIR itself.")
    ],
    strength: Annotated[str, typer.Option("--strength", help="mild, medium or strong.")] = "medium",
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Another seed draws other damage.")] = 0,
    documents: Annotated[
        str, typer.Option("--documents", metavar="GLOB", help="Only documents whose id matches, such as 'inv-*'.")
    ] = "*",
    pages_per_process: PagesPerProcess = 8,
    workers: Workers = None,
    as_json: JsonFlag = False,
) -> None:
    """Make a degraded twin of every document, with the values of its truth and the evidence moved along.

    The documents need a truth. A page on which a value could no longer be read is drawn again; values that no drawing
    left legible are named, and the command ends with 1. A second run makes what is missing.
    """
    from degrade.effects import VERSIONS
    from degrade.recipe import Strength, load_recipe
    from flows.recapture_make import Wanted, made_json, make_recaptures, open_or_create, originals, with_truths
    from flows.recapture_work import Making
    from groundtruth.store import Dataset

    if strength not in list(Strength):
        raise RecipeError(f"no strength {strength!r}; there are {', '.join(Strength)}")
    known = load_recipe(recipe, VERSIONS)
    clean = Dataset.open(folder)
    found = originals(clean, documents)
    with_truth = with_truths(clean, found, known, Strength(strength), seed)
    target = clean if out.absolute() == clean.root else open_or_create(out)
    wanted = Wanted(clean, target, known, Strength(strength), seed)
    with counting("pages made", sum(one.pages for one in found), quiet=as_json) as advance:
        made = list(make_recaptures(wanted, with_truth, Making(pages_per_process, workers, advance)))
    for one in made:
        for problem in _problems(one):
            warn(problem)
    told = [made_json(target, one) for one in made]
    emit({"dataset": str(target.root), "documents": told}, as_json=as_json, human=lambda: _print_made(told))
    finish(Exit.FINDINGS if any(_problems(one) for one in made) else Exit.DONE)


def regenerate(
    folder: Annotated[Path, typer.Argument(metavar="DIR2", help="The dataset of the re-captures.")],
    clean: CleanFolder = None,
    pages_per_process: PagesPerProcess = 8,
    workers: Workers = None,
    as_json: JsonFlag = False,
) -> None:
    """Make the PDFs again that are missing or damaged, from the records and the clean documents.

    A PDF is written only when every byte is as recorded; otherwise the command says what differs and ends with 1.
    """
    _prove(folder, clean, pages_per_process, workers, write=True, as_json=as_json)


def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR2", help="The dataset of the re-captures.")],
    clean: CleanFolder = None,
    pages_per_process: PagesPerProcess = 8,
    workers: Workers = None,
    as_json: JsonFlag = False,
) -> None:
    """Prove by hash, page by page, that the re-captures are what their records say. Nothing is written.

    Values that may not be legible are named until people found them to be; the command ends with 1 while there are
    some.
    """
    _prove(folder, clean, pages_per_process, workers, write=False, as_json=as_json)


def preview(
    file: Annotated[Path, typer.Argument(metavar="FILE|DIR", help="A document, or a dataset.")],
    out: Annotated[Path, typer.Option("--out", metavar="PICTURE", help="The contact sheet, .png or .jpg.")],
    recipe: Annotated[
        list[str] | None, typer.Option("--recipe", metavar="NAME", help="A recipe; may be repeated. By default all.")
    ] = None,
    document: Annotated[str | None, typer.Option("--document", metavar="ID", help="Which document of DIR.")] = None,
    page: Annotated[int, typer.Option("--page", min=1, help="Which page.")] = 1,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="As in `goldleaf recapture make`.")] = 0,
    as_json: JsonFlag = False,
) -> None:
    """Show what recipes make of a page: one row a recipe, in its three strengths, with the boxes of the truth."""
    from degrade.effects import VERSIONS
    from degrade.preview import PICTURES, contact_sheet
    from degrade.recapture import places_on_pages
    from degrade.recipe import load_recipe, recipe_names
    from groundtruth.pages import open_document
    from groundtruth.store import Dataset
    from groundtruth.store_files import atomic_write, content_hash

    if out.suffix.lower() not in PICTURES:
        raise RecipeError(f"{out}: a contact sheet is a picture; give --out a name that ends in {', '.join(PICTURES)}")
    wanted = [load_recipe(name, VERSIONS) for name in recipe or recipe_names()]
    boxes = []
    if file.is_dir():
        dataset = Dataset.open(file)
        chosen = document or next(iter(dataset.document_ids()), None)
        if chosen is None:
            raise DatasetError(f"{file}: holds no document; add one with `goldleaf add`")
        truth = dataset.truth(chosen)
        places = places_on_pages(truth).get(page, {}) if truth is not None else {}
        boxes = [box for found in places.values() for box in found]
        file = dataset.document_file(chosen)
    with open_document(file) as source:
        if page > source.page_count:
            raise DocumentError(f"{file}: has no page {page}; its pages are 1 to {source.page_count}")
        sha256 = content_hash(file.read_bytes())
        sheet = contact_sheet(source.page(page), wanted, seed, sha256, boxes, suffix=out.suffix.lower())
    atomic_write(out, sheet)
    emit(
        {"picture": str(out), "recipes": [one.name for one in wanted], "page": page},
        as_json=as_json,
        human=lambda: console().print(f"wrote {out}", markup=False, soft_wrap=True),
    )


def _prove(
    folder: Path, clean: Path | None, pages_per_process: int, workers: int | None, *, write: bool, as_json: bool
) -> None:
    from degrade.record import version_differences
    from flows.recapture_prove import doubted, prove, records
    from flows.recapture_work import Making
    from groundtruth.store import Dataset
    from groundtruth.store_artefacts import Artefact

    dataset = Dataset.open(folder)
    source = None if clean is None else Dataset.open(clean)
    every = records(dataset)
    with counting("pages made again", sum(len(one.pages) for one in every), quiet=as_json) as advance:
        proofs = list(prove(dataset, source, every, Making(pages_per_process, workers, advance), write=write))
    doubts = doubted(dataset)
    for proof in proofs:
        name, changed = proof.record.document, version_differences(proof.record.versions)
        if changed:
            holds = "differ" if proof.differences else "hold all the same"
            warn(f"{name}: other versions than recorded ({'; '.join(changed)}): its hashes {holds}")
        if proof.truth in _TRUTHS:
            warn(f"{dataset.artefact_path(Artefact.TRUTH, name)}: {_TRUTHS[proof.truth]}")
        for said, what in _DOUBTS.items():
            paths = [path for path, each in doubts.get(name, {}).items() if each == said]
            if paths:
                warn(f"{name}: {_counted(paths)} {what}")
    told = [_proof_json(dataset, proof, doubts.get(proof.record.document, {})) for proof in proofs]
    found = {"dataset": str(dataset.root), "documents": told}
    emit(found, as_json=as_json, human=lambda: _print_proofs(proofs))
    holds_all = all(proof.holds for proof in proofs)
    finish(Exit.DONE if holds_all and (write or not any(doubts.values())) else Exit.FINDINGS)


_TRUTHS: Final = {
    "missing": "is not there; `goldleaf recapture regenerate` puts it back",
    "differs": "is not that of the original carried along; remove the file, and `goldleaf recapture regenerate` "
    "makes it again",
    "unproved": "cannot be proved, since the original has no truth here or the record was changed",
}
_DOUBTS: Final = {
    "open": "may not be legible, and no person has looked yet; ask with `goldleaf review push`",
    "illegible": "cannot be read, as people said; take a lower strength or another seed",
    "otherwise": "read otherwise to people than they should; take a lower strength or another seed",
}


def _counted(paths: Sequence[str]) -> str:
    named = ", ".join(paths[:_FIRST_WORDS]) + (", ..." if len(paths) > _FIRST_WORDS else "")
    return f"{counted(len(paths), 'value')} ({named})"


def _problems(made: Made) -> list[str]:
    record, found = made.record, []
    for name, what in (
        ("illegible", "may not be legible"),
        ("clipped", "cut by the edge"),
        ("lost", "off the page"),
    ):
        paths = sorted({path for page in record.pages for path in getattr(page, name)})
        if paths:
            found.append(
                f"{record.document}: {_counted(paths)} {what} after every attempt; have a person look, or take a lower "
                "strength or another seed"
            )
    return found


def _print_made(made: list[dict[str, Json]]) -> None:
    rows = [
        (
            one["document"],
            one["pages"],
            one["values"],
            one["drawn_again"],
            one["lower_strength"],
            len(one["for_a_person"]),
            "made" if one["new"] else "there already",
        )
        for one in made
    ]
    columns = ["document", "pages", "values", "drawn again", "weaker", "for a person", ""]
    console().print(table("", columns, rows, right=columns[1:6]))


def _proof_json(dataset: Dataset, proof: Proof, doubts: dict[str, str]) -> dict[str, Json]:
    file = dataset.root / "documents" / proof.record.document / f"{proof.record.document}.pdf"
    return {
        "document": proof.record.document,
        "pdf": str(file),
        "sha256": proof.record.sha256,
        "pages": len(proof.record.pages),
        "pages_as_recorded": proof.pages,
        "differences": {str(page): stage for page, stage in proof.differences.items()},
        "file": proof.file,
        "truth": proof.truth,
        "written": proof.written,
        "for_a_person": dict(doubts),
        "holds": proof.holds,
    }


_CAUSES: Final = {
    "drawing": "the record was changed: its recipe and seed draw otherwise; make the re-capture anew",
    "homography": "the record was changed: its homography is not that of its drawing; make the re-capture anew",
    "raster": "the clean page is rendered otherwise (another PyMuPDF?)",
    "pixels": "warp or effects come out otherwise (another OpenCV, NumPy or augraphy?)",
    "picture": "the picture is encoded otherwise (another OpenCV or Pillow?)",
    "document": "the pages are put together otherwise",
}


def _print_proofs(proofs: list[Proof]) -> None:
    rows = [
        (
            proof.record.document,
            f"{proof.pages} of {len(proof.record.pages)}",
            "written" if proof.written else proof.file,
            proof.truth,
            "; ".join(
                f"page {page}: {_CAUSES[stage]}" if page else _CAUSES[stage]
                for page, stage in list(proof.differences.items())[:_FIRST_WORDS]
            ),
        )
        for proof in proofs
    ]
    console().print(table("", ["document", "pages as recorded", "file", "truth", "what differs"], rows))
