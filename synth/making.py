"""Making a synthetic document: content from a seed or from somebody's records, then pages, PDF and truth."""

from __future__ import annotations

import gc
import importlib.metadata
import platform
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from groundtruth import jsontext
from groundtruth.errors import SynthesisError
from groundtruth.jsontext import Json
from groundtruth.store_files import content_hash
from groundtruth.truth_check import check_truth
from synth.authoring import value_faults
from synth.content import FORMAT, Content
from synth.display import DisplayList
from synth.invention import ENGLISH, Invention
from synth.misprints import misprints
from synth.own_records import read_own
from synth.pattern import Pattern, Switches, draw, load_pattern
from synth.pdf import Progress, font_file, write_pdf
from synth.printable import naming, require_printable
from synth.totals import wrong_totals
from synth.truth_file import truth_bytes

_MANY_ROWS: Final = 1_000
_LONG_LIST: Final = "S4"
_SHORT: Final = 10
_MEDIUM: Final = 50
_ATTEMPTS: Final = 12
_MANY_PAGES: Final = 100
"""From which on it is not worth minutes to fill the last page, too."""

_SAMPLE: Final = 100
"""From how many records it is judged how many fill a page."""
_FONTS: Final = {
    "ja": "gothic",
    "ko": "micro-hei",
    "zh": "micro-hei",
    "el": "dejavu",
    "ru": "sans",
    "uk": "sans",
    "bg": "sans",
    "pl": "narrow",
}

Stage = Callable[[str], None]
"""Told what is being done."""


class Asked(NamedTuple):
    """What kind of document is wanted.

    Attributes:
        pattern: the kind.
        on: its difficulties.
        seed: of what is invented.
        locale: of invented people and places.
        font: a family, or None for the pattern's own, or one that has the letters of the locale.
    """

    pattern: Pattern
    on: Switches = frozenset()
    seed: int = 0
    locale: str = ENGLISH
    font: str | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """A document that was made.

    Attributes:
        document: its id.
        content: what it says.
        content_bytes: ``content.json``.
        drawn: its pages.
        pdf: the file.
        truth: the file of its truth.
        recipe: with what it was made.
        tags: its labels.
    """

    document: str
    content: Content
    content_bytes: bytes
    drawn: DisplayList
    pdf: bytes
    truth: bytes
    recipe: dict[str, Json]
    tags: tuple[str, ...]


def invented(asked: Asked, rows: int) -> Content:
    """Content of invented records.

    Raises:
        SynthesisError: no rows, or more than a truth can hold; names of the locale that cannot be printed.
    """
    if rows < 1:
        raise SynthesisError(f"--rows {rows}: a list has at least one row")
    most = asked.pattern.most_rows
    if rows > most:
        raise SynthesisError(
            f"--rows {rows:,}: at most {most:,}, because the truth of more is larger than the JSON files that are "
            "read; make several documents with different seeds"
        )
    invention = Invention(asked.seed, asked.locale)
    records = asked.pattern.invent(invention, rows, asked.on)
    content = _content(asked, invention, records, {}, {"rows": rows})
    if asked.locale != ENGLISH:
        # Names of other countries may be written from right to left, or in letters that are shaped.
        require_printable(content.value)
    return content


def with_pages(asked: Asked, pages: int) -> Content:
    """Invented content that fills so many pages: the most rows that do, or nearly so where there are many pages.

    Raises:
        SynthesisError: it cannot be had; the message says what can.
    """
    most = asked.pattern.most_rows
    rows = _first_guess(asked, pages)
    low, high = 0, most + 1
    best: Content | None = None
    for _ in range(_ATTEMPTS):
        content = invented(asked, rows)
        found = len(draw(content).sheets)
        if found == pages and rows > low:
            best = content
        low, high = (max(low, rows), high) if found <= pages else (low, min(high, rows))
        if high - low <= 1 or (found == pages and pages > _MANY_PAGES):
            break
        # When the pages are filled already, a page's rows more are surely too many.
        wanted = low + low // pages + 1 if found == pages else rows * pages // found
        rows = _between(low, high, wanted, most)
    if best is None and low == most:
        raise _out_of_reach(asked, pages)
    if best is None:
        raise SynthesisError(
            f"--pages {pages}: no number of rows of {asked.pattern.name} fills just so many; give --rows"
        )
    return best


def _first_guess(asked: Asked, pages: int) -> int:
    """How many rows may fill so many pages, judged from a few.

    Raises:
        SynthesisError: no page, or many more than the most records fill.
    """
    most = asked.pattern.most_rows
    if pages < 1:
        raise SynthesisError(f"--pages {pages}: a document has at least one page")
    if pages > most:
        raise SynthesisError(f"--pages {pages:,}: a document has at most {most:,} records, and none for each page")
    sample = min(_SAMPLE, most)
    filled = len(draw(invented(asked, sample)).sheets)
    # Pages that are not quite filled make the guess too high rather than too low; drawing all records takes a minute.
    if 4 * pages * sample > 5 * filled * most:
        raise _out_of_reach(asked, pages)
    return min(max(1, pages * sample // filled), most)


def _out_of_reach(asked: Asked, pages: int) -> SynthesisError:
    return SynthesisError(
        f"--pages {pages:,}: {asked.pattern.name} has at most {asked.pattern.most_rows:,} records, and they fill "
        "fewer; make several documents with different seeds"
    )


def _between(low: int, high: int, wanted: int, most: int) -> int:
    """The rows to try next, between those that are too few and too many; while none were too many, at most all."""
    if low < wanted < high:
        return wanted
    return (low + high) // 2 if high <= most else min(max(low + 1, wanted), most)


def own(asked: Asked, file: Path) -> Content:
    """Content of somebody's records, or a ``content.json`` as it is; both are held against the pattern.

    Raises:
        JsonError: the file cannot be read, or is not JSON.
        SynthesisError: it does not fit the pattern, a total that it gives is not the sum of its rows, two records are
            equal, or a value would be printed as another.
    """
    content = _content_of_file(asked, file)
    _require_right(content, str(file))
    return content


def _content_of_file(asked: Asked, file: Path) -> Content:
    if file.suffix.lower() != ".csv":
        data = jsontext.load_file(file)
        if isinstance(data, dict) and data.get("format") == FORMAT and "pattern" in data:
            content = Content.from_json(data, source=str(file))
            if content.pattern != asked.pattern.name:
                raise SynthesisError(f"{file}: is the content of a {content.pattern}, not of a {asked.pattern.name}")
            return content
    records, given = read_own(asked.pattern, file)
    most = asked.pattern.most_rows
    if len(records) > most:
        raise SynthesisError(f"{file}: has {len(records):,} records; at most {most:,} are printed in a document")
    return _content(asked, Invention(asked.seed, asked.locale), records, given, {"file": file.name})


def _require_right(content: Content, source: str) -> None:
    """Refuse what would be found wrong when the document is proved."""
    pattern = load_pattern(content.pattern)
    for fault in check_truth(content.value, pattern.schema):
        raise SynthesisError(f"{source}: {fault.path}: {fault.message}; `goldleaf synth list {pattern.name}` says more")
    for twofold in value_faults(pattern.schema, content.value):
        raise SynthesisError(f"{source}: {twofold}")
    with naming(source):
        require_printable(content.value)
    for wrong in wrong_totals(pattern, content.value):
        raise SynthesisError(f"{source}: {wrong}; leave the total out, and it is reckoned")
    with without_collecting():
        with naming(source):
            drawn = draw(content)
        for _, misprint in misprints(pattern, content, drawn):
            raise SynthesisError(f"{source}: {misprint}; write the value as the pattern prints it")


def make(content: Content, *, stage: Stage = lambda _: None, pages: Progress | None = None) -> Made:
    """Lay a content out and write its PDF and its truth.

    Raises:
        SynthesisError: a value cannot be printed, or the pattern is at fault; the message names the leaf.
    """
    pattern = load_pattern(content.pattern)
    with without_collecting():
        stage("laying out")
        drawn = draw(content)
        stage("writing the PDF")
        pdf = write_pdf(drawn, progress=pages)
        stage("writing the truth")
        content_bytes = content.to_bytes()
        document = f"{pattern.name}-{content_hash(content_bytes)[:8]}"
        tags = tags_of(pattern, content, len(drawn.sheets))
        truth = truth_bytes(content.value, drawn, document=document, schema_name=pattern.name, tags=tags)
        recipe = recipe_of(content, content_bytes, drawn, pdf)
    return Made(document, content, content_bytes, drawn, pdf, truth, recipe, tags)


def tags_of(pattern: Pattern, content: Content, pages: int) -> tuple[str, ...]:
    """The labels of a document: those of its pattern, of its switches, and of its length."""
    length = "L1" if pages <= _SHORT else "L2" if pages <= _MEDIUM else "L3"
    switched = [tag for name in content.switches for tag in pattern.switch_tags.get(name, ())]
    long = [_LONG_LIST] if len(content.value[pattern.records]) > _MANY_ROWS else []
    return tuple(sorted({*pattern.tags, *switched, *long, length}))


def recipe_of(content: Content, content_bytes: bytes, drawn: DisplayList, pdf: bytes) -> dict[str, Json]:
    """With what a document was made: its bytes hang on all of it."""
    faces = sorted({run.face for _, run in drawn.runs()})
    return {
        "step": "synth",
        "pattern": content.pattern,
        "layout": content.layout,
        "provenance": content.provenance,
        "content_sha256": content_hash(content_bytes),
        "display_sha256": drawn.digest(),
        "pdf_sha256": content_hash(pdf),
        "fonts": [
            {"name": file.name, "sha256": file.sha256, "licence": file.licence} for file in map(font_file, faces)
        ],
        "made_with": {
            "python": platform.python_version(),
            "zlib": zlib.ZLIB_RUNTIME_VERSION,
            "reportlab": importlib.metadata.version("reportlab"),
        },
    }


def _content(
    asked: Asked, invention: Invention, records: list[dict[str, Json]], given: dict[str, Json], how: dict[str, Json]
) -> Content:
    composed = asked.pattern.compose(records, invention, asked.on)
    provenance = {
        **how,
        "seed": asked.seed,
        "locale": asked.locale,
        "faker": importlib.metadata.version("faker"),
    }
    return Content(
        pattern=asked.pattern.name,
        layout=asked.pattern.layout,
        font=asked.font or _FONTS.get(asked.locale.partition("_")[0], asked.pattern.font),
        switches=asked.on,
        value={**composed.value, **given},
        aside=composed.aside,
        provenance=provenance,
    )


@contextmanager
def without_collecting() -> Iterator[None]:
    """Leave the garbage collector out of it: millions of small values come to be, and none of them in a circle."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
