"""``goldleaf synth``: documents whose truth is known because their values were fixed before they were drawn."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from flows.output import Exit, JsonFlag, console, emit, finish, stderr, table
from groundtruth.errors import SynthesisError
from groundtruth.jsontext import Json
from groundtruth.wording import counted

if TYPE_CHECKING:
    from flows.synth_documents import Registered
    from synth.content import Content
    from synth.making import Asked
    from synth.pattern import Pattern
    from synth.verify import Proof

LOOKED_AT: Final = 12
"""On how many pages of a document text and ink are looked at, unless somebody says otherwise."""

_PICTURES: Final = 3
_ALL: Final = "all"

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The dataset folder.")]
Documents = Annotated[
    list[str] | None, typer.Argument(metavar="ID...", help="Which documents; by default every synthetic one.")
]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    group = typer.Typer(no_args_is_help=True, help="Make documents whose truth and boxes are exact, and prove them.")
    group.command("make")(make)
    group.command("list")(list_patterns)
    group.command("verify")(verify)
    group.command("preview")(preview)
    app.add_typer(group, name="synth")


def make(
    pattern: Annotated[
        str, typer.Argument(metavar="PATTERN", help="What kind of document; see `goldleaf synth list`.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The dataset that it goes into; made if it is not there.")],
    content: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Your own records, .json or .csv, or a content.json; else they are invented."
        ),
    ] = None,
    rows: Annotated[int | None, typer.Option(metavar="N", help="How many records; by default the pattern's.")] = None,
    pages: Annotated[int | None, typer.Option(metavar="N", help="As many records as fill so many pages.")] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="The same gives the same values.")] = 0,
    difficulty: Annotated[
        str, typer.Option(metavar="D", help="clean, hard, or switches: ditto=on,voids=on or hard,ditto=off.")
    ] = "clean",
    font: Annotated[str | None, typer.Option(metavar="F", help="A font; see `goldleaf synth list`.")] = None,
    locale: Annotated[
        str, typer.Option(metavar="L", help="Of invented people and places, as Faker names it: de_DE.")
    ] = "en_US",
    as_json: JsonFlag = False,
) -> None:
    """Make a document and add it to a dataset, with its schema, content, truth and recipe.

    Its id is the pattern's name and a part of the hash of its content, so the same command twice makes one document.
    """
    from flows.synth_documents import open_or_create, require_place
    from flows.synth_documents import register as add
    from synth.making import Asked
    from synth.making import make as draw
    from synth.pattern import load_pattern
    from synth.printable import leaves

    if sum(given is not None for given in (content, rows, pages)) > 1:
        raise SynthesisError("--content, --rows and --pages each say how long the document is; give one of them")
    chosen = load_pattern(pattern)
    asked = Asked(chosen, chosen.difficulty(difficulty), seed, locale, font)
    require_place(out)
    with _progress(quiet=as_json) as shown:
        shown.stage("inventing")
        made = draw(_content_of(asked, content, rows, pages), stage=shown.stage, pages=shown.pages)
        shown.stage("adding it to the dataset")
        added = add(open_or_create(out, locale), made)

    def human() -> None:
        values = [leaf for _, leaf in leaves(made.content.value)]
        console().print(
            f"{added.document.id}: {counted(added.document.pages, 'page')}, "
            f"{counted(len(made.content.value[chosen.records]), 'record')} in {chosen.records}, "
            f"{counted(len(values), 'leaf', 'leaves')}, "
            f"{sum(leaf is not None for leaf in values):,} of them with a value"
            f"{'' if added.is_new else '; it was there already'}",
            markup=False,
        )
        for file in (added.pdf, added.truth, added.content):
            console().print(f"  {file}", markup=False, soft_wrap=True)

    emit({"documents": [_document_json(added, made.tags)]}, as_json=as_json, human=human)


def _content_of(asked: Asked, file: Path | None, rows: int | None, pages: int | None) -> Content:
    from synth.making import invented, own, with_pages

    if file is not None:
        return own(asked, file)
    if pages is not None:
        return with_pages(asked, pages)
    return invented(asked, asked.pattern.rows if rows is None else rows)


def list_patterns(
    pattern: Annotated[str | None, typer.Argument(metavar="PATTERN", help="Say all about this one.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """List the kinds of document that can be made, their switches, and the fonts."""
    from synth.fonts import FAMILIES
    from synth.pattern import load_pattern, pattern_names

    chosen = [load_pattern(name) for name in (pattern_names() if pattern is None else [pattern])]

    def human() -> None:
        rows = [[one.name, f"{one.rows:,}", one.records, one.font, one.about] for one in chosen]
        console().print(table("", ["pattern", "rows", "of", "font", "what it is"], rows, right=["rows"]))
        if pattern is None:
            console().print("Of one of them more: goldleaf synth list PATTERN\n", markup=False)
            fonts = [
                [name, family.regular.name, family.scripts, family.regular.licence] for name, family in FAMILIES.items()
            ]
            console().print(table("", ["font", "name", "scripts", "licence"], fonts))
        else:
            console().print(table("", ["switch", "what it does"], list(chosen[0].switches.items())))
            fields = list(_fields(chosen[0].schema, ""))
            console().print(table("", ["field", "type", "what it holds"], fields))

    value = {
        "patterns": [_pattern_json(one) for one in chosen],
        "fonts": {
            name: {"name": family.regular.name, "scripts": family.scripts, "licence": family.regular.licence}
            for name, family in FAMILIES.items()
        },
    }
    emit(value, as_json=as_json, human=human)


def _fields(schema: Json, at: str) -> Iterator[list[str]]:
    for name, node in schema["properties"].items():
        path = f"{at}.{name}" if at else name
        kind = node.get("type", "string")
        text = kind if isinstance(kind, str) else " or ".join(kind)
        yield [path, node.get("format", text), node.get("description", "")]
        if "items" in node and "properties" in node["items"]:
            yield from _fields(node["items"], f"{path}[]")


def verify(
    folder: Folder,
    documents: Documents = None,
    pages: Annotated[
        str, typer.Option(metavar="N", help="On how many pages text and ink are looked at; all for all of them.")
    ] = str(LOOKED_AT),
    as_json: JsonFlag = False,
) -> None:
    """Prove synthetic documents: drawn anew from their content, and held against their PDF and their truth.

    Exit code 1 if anything is wrong. Text is read by pdfium and by pdfminer, ink is rendered by pdfium and by MuPDF.
    """
    from flows.synth_documents import prove, synthetic_ids
    from groundtruth.store import Dataset

    dataset = Dataset.open(folder)
    looked_at = _count_of(pages)
    proofs: dict[str, Proof] = {}
    with _progress(quiet=as_json) as shown:
        for name in synthetic_ids(dataset, documents or ()):
            proofs[name] = prove(dataset, name, pages=looked_at, stage=_named(shown.stage, name))

    def human() -> None:
        for name, proof in proofs.items():
            _print_proof(name, proof)

    emit({"documents": [_proof_json(name, proof) for name, proof in proofs.items()]}, as_json=as_json, human=human)
    finish(Exit.FINDINGS if any(proof.findings for proof in proofs.values()) else Exit.DONE)


def _named(stage: Callable[[str], None], name: str) -> Callable[[str], None]:
    return lambda what: stage(f"{name}: {what}")


def _number_of(page: str) -> int:
    number = _count_of(page)
    if number is None:
        raise SynthesisError(f"--pages {page}: stands by itself, or give the numbers of pages")
    return number


def _count_of(pages: str) -> int | None:
    if pages == _ALL:
        return None
    if not pages.isdecimal() or int(pages) < 1:
        raise SynthesisError(f"--pages {pages}: a number of pages from 1, or {_ALL}")
    return int(pages)


def _print_proof(name: str, proof: Proof) -> None:
    verdict = "wrong" if proof.findings else "right"
    measured = "; ".join(
        f"{renderer}: {counted(proof.words[renderer], 'word')}, {share:.2%} within 2 pixels, none over {most:.1f}"
        for renderer, (share, most) in proof.within.items()
    )
    read = ", ".join(f"{count:,} by {reader}" for reader, count in proof.characters.items())
    console().print(f"{name}: {verdict}", markup=False)
    if proof.pages:
        console().print(f"  {counted(len(proof.pages), 'page')} looked at; characters read: {read}", markup=False)
        console().print(f"  ink at 300 dpi: {measured}", markup=False)
    for finding in proof.findings:
        where = "" if finding.page is None else f" page {finding.page}:"
        console().print(f"  {finding.check}:{where} {finding.message}", markup=False, soft_wrap=True)
    for check, count in proof.counts.items():
        told = sum(finding.check is check for finding in proof.findings)
        if count > told:
            console().print(f"  {check}: {count - told:,} more", markup=False)


def preview(
    folder: Folder,
    documents: Documents = None,
    pages: Annotated[
        str, typer.Option(metavar="N", help="How many pages, spread over the document; or which ones: 1,7,12.")
    ] = str(_PICTURES),
    out: Annotated[
        Path | None, typer.Option(metavar="PICTURES", help="Where the pictures go; by default DIR/preview.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Write pictures of pages with the boxes of the truth on them: lines blue, hulls green, ink red."""
    from flows.synth_documents import preview as draw
    from flows.synth_documents import synthetic_ids
    from groundtruth.store import Dataset

    dataset = Dataset.open(folder)
    chosen: list[int] | int = (
        [_number_of(part.strip()) for part in pages.split(",")] if "," in pages else _count_of(pages) or sys.maxsize
    )
    target = dataset.root / "preview" if out is None else out
    files = {name: draw(dataset, name, target, chosen) for name in synthetic_ids(dataset, documents or ())}

    def human() -> None:
        for file in (file for made in files.values() for file in made):
            console().print(str(file), markup=False, soft_wrap=True)

    value = [{"document": name, "pictures": [str(file) for file in made]} for name, made in files.items()]
    emit({"documents": value}, as_json=as_json, human=human)


def _document_json(added: Registered, tags: tuple[str, ...]) -> dict[str, Json]:
    return {
        "document": added.document.id,
        "pdf": str(added.pdf),
        "truth": str(added.truth),
        "content": str(added.content),
        "schema": added.document.schema_name,
        "pages": added.document.pages,
        "tags": list(tags),
        "is_new": added.is_new,
    }


def _pattern_json(pattern: Pattern) -> dict[str, Json]:
    return {
        "pattern": pattern.name,
        "about": pattern.about,
        "rows": pattern.rows,
        "records": pattern.records,
        "font": pattern.font,
        "switches": dict(pattern.switches),
        "schema": pattern.schema,
        "rules": pattern.rules,
        "tags": list(pattern.tags),
    }


def _proof_json(name: str, proof: Proof) -> dict[str, Json]:
    return {
        "document": name,
        "is_right": not proof.findings,
        "findings": [{"check": str(one.check), "page": one.page, "message": one.message} for one in proof.findings],
        "counts": {str(check): count for check, count in proof.counts.items()},
        "pages": list(proof.pages),
        "characters": dict(proof.characters),
        "ink": {
            renderer: {
                "words": proof.words[renderer],
                "within_2_px": round(share, 6),
                "worst_px": None if most == float("inf") else round(most, 3),
            }
            for renderer, (share, most) in proof.within.items()
        },
    }


class _Shown(NamedTuple):
    """What tells a person how far the work is: the stage, and how many pages of how many are done."""

    stage: Callable[[str], None]
    pages: Callable[[int, int], None]


@contextlib.contextmanager
def _progress(*, quiet: bool) -> Iterator[_Shown]:
    """A bar on a terminal; nothing elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield _Shown(lambda _: None, lambda _done, _of: None)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=stderr(), transient=True) as drawn:
        task = drawn.add_task("", total=None)
        yield _Shown(
            lambda what: drawn.update(task, description=what, total=None, completed=0, refresh=True),
            lambda done, of: drawn.update(task, total=of, completed=done),
        )
