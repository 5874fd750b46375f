"""``goldleaf extractors``: which extractors there are, what each reads, and what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from flows.output import JsonFlag, console, emit, table
from groundtruth.errors import ExtractorError
from groundtruth.jsontext import Json

if TYPE_CHECKING:
    from extractors.protocol import Extractor


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("extractors")(extractors)


def extractors(
    own: Annotated[
        list[str] | None, typer.Argument(metavar="MODULE:CLASS", help="Extractors of your own to list as well.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """List the extractors: what each reads and how, and whether it can run here.

    Those of one family share a method: they count as one voice in a vote. "null": whether its null says that the
    document holds no value. "languages": whether it reads by the languages of the dataset. What is missing is said
    with how to get it; `goldleaf curate` runs all that can run here.
    """
    listed = [*_built_in(), *_own(own or ())]
    emit({"extractors": listed}, as_json=as_json, human=lambda: _print(listed))


def _built_in() -> Iterator[dict[str, Json]]:
    from extractors.registry import BUILT_IN, load

    for name in BUILT_IN:
        try:
            yield _entry(load(name))
        except ExtractorError as error:
            yield _unusable(name, str(error))
        except Exception as error:  # noqa: BLE001 - what ails one extractor must not hide the others
            yield _unusable(name, f"{type(error).__name__}: {error}")


def _own(specs: Iterable[str]) -> Iterator[dict[str, Json]]:
    """The extractors that were named; here one that cannot be loaded is the user's mistake.

    Raises:
        ExtractorError: no such module or class, or a class that is no extractor.
    """
    from extractors.registry import BUILT_IN, load

    for spec in dict.fromkeys(specs):
        if spec not in BUILT_IN:
            yield _entry(load(spec))


def _entry(extractor: Extractor) -> dict[str, Json]:
    missing = extractor.available()
    info = extractor.info
    return {
        "name": info.name,
        "family": info.family,
        "version": info.version,
        "inputs": sorted(map(str, info.inputs)),
        "asserts_null": info.asserts_null,
        "available": missing is None,
        "missing": missing,
        "offline": info.offline,
        "reads_languages": info.reads_languages,
        "summary": info.summary,
    }


def _unusable(name: str, why: str) -> dict[str, Json]:
    """What can be said of an extractor that could not be asked; null where only it knows."""
    return {
        "name": name,
        "family": None,
        "version": None,
        "inputs": [],
        "asserts_null": False,
        "available": False,
        "missing": why,
        "offline": None,
        "reads_languages": None,
        "summary": "",
    }


def _print(listed: Sequence[dict[str, Json]]) -> None:
    columns = ("extractor", "family", "reads", "null", "languages", "offline", "here")
    rows = [
        (
            one["name"],
            one["family"],
            ", ".join(one["inputs"]).replace("_", " "),
            _said(one["asserts_null"]),
            _said(one["reads_languages"]),
            _said(one["offline"]),
            "yes" if one["available"] else "missing",
        )
        for one in listed
    ]
    console().print(table("", columns, rows))
    for one in listed:
        said = one["summary"] if one["available"] else f"missing: {one['missing']}"
        console().print(f"{one['name']}: {said}", markup=False)


def _said(value: Json) -> str:
    return "" if value is None else "yes" if value else "no"
