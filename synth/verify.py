"""The proof of a synthetic document: drawn anew from its content, and held against its PDF and its truth.

What is slow is done on a sample of the pages, the first and the last among them; everything else on all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from groundtruth.errors import SynthesisError
from groundtruth.truth_check import check_truth
from synth.authoring import authoring_faults, value_faults
from synth.content import Content
from synth.display import DisplayList
from synth.evidence import ink_of, line_of
from synth.making import recipe_of, tags_of, without_collecting
from synth.misprints import misprints
from synth.pattern import Pattern, draw, load_pattern
from synth.pdf import write_pdf
from synth.totals import wrong_totals
from synth.truth_file import truth_bytes
from synth.verify_beside import Beside, recipe_fault, schema_faults
from synth.verify_ink import RENDERERS, InkError, ink_errors
from synth.verify_text import READERS, text_faults

NEAR: Final = 2.0
FAR: Final = 3.0
"""In pixels at 300 dpi: of the words, 99 of 100 have their ink within the first and all within the second."""

_File = TypeVar("_File")
_Page = TypeVar("_Page")
_SHARE: Final = 0.99
_OVERLAP: Final = 0.05
_SHOWN: Final = 5
"""Findings of one kind that are told; the others are counted."""


class Check(StrEnum):
    """What was found wrong."""

    PDF = "pdf"
    TRUTH = "truth"
    TEXT = "text"
    INK = "ink"
    PRINTED = "printed"
    TOTALS = "totals"
    OVERLAP = "overlap"
    SCHEMA = "schema"
    RECIPE = "recipe"


class Finding(NamedTuple):
    """One thing that is wrong: of which kind, on which page from 1 (or None), and what, naming the leaf."""

    check: Check
    page: int | None
    message: str


@dataclass(slots=True)
class Proof:
    """What was proved of a document.

    Attributes:
        findings: what is wrong, at most a few of each kind and page; empty when all is right.
        counts: how many findings of each kind there are.
        pages: the pages whose text and ink were looked at.
        characters: by reader, how many characters of the text layer were claimed.
        words: by renderer, how many words were measured.
        within: by renderer, the share of words whose ink is within two pixels, and the largest error in pixels.
    """

    findings: list[Finding] = field(default_factory=list)
    counts: Counter[Check] = field(default_factory=Counter)
    pages: tuple[int, ...] = ()
    characters: dict[str, int] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)
    within: dict[str, tuple[float, float]] = field(default_factory=dict)

    def add(self, check: Check, message: str, page: int | None = None) -> None:
        """Note a finding."""
        self.counts[check] += 1
        if self.counts[check] <= _SHOWN:
            self.findings.append(Finding(check, page, message))


def verify(
    content: Content,
    pdf: Path,
    truth: bytes,
    *,
    document: str,
    schema_name: str,
    pages: int | None,
    beside: Beside | None = None,
    stage: Callable[[str], None] = lambda _: None,
) -> Proof:
    """Prove a document.

    Args:
        content: what it should say.
        pdf: its file.
        truth: the bytes of its truth.
        document: its id.
        schema_name: the dataset's name of its schema.
        pages: on how many pages text and ink are looked at, 0 for none; None for all.
        beside: what its dataset keeps beside it; None if there is no dataset.
        stage: told what is being done.

    A content that cannot be drawn, and a PDF that cannot be opened, are findings.

    Raises:
        OSError: the PDF cannot be read.
    """
    proof = Proof()
    data = pdf.read_bytes()
    try:
        with without_collecting():
            drawn = _check_made(proof, content, data, truth, document, schema_name, stage)
            if beside is not None:
                _check_beside(proof, content, data, drawn, beside)
        _page_count(data)
    except SynthesisError as error:
        proof.add(Check.PDF, str(error))
        return proof
    proof.pages = sampled(len(drawn.sheets), pages)
    check_text(proof, drawn, data, stage)
    check_ink(proof, drawn, pdf, stage)
    return proof


def _check_made(
    proof: Proof,
    content: Content,
    pdf: bytes,
    truth: bytes,
    document: str,
    schema_name: str,
    stage: Callable[[str], None],
) -> DisplayList:
    """All that needs no look at the pages: the bytes, the totals, the values, the places."""
    pattern = load_pattern(content.pattern)
    stage("drawing it anew")
    drawn = draw(content)
    if write_pdf(drawn) != pdf:
        proof.add(Check.PDF, "the content draws other bytes than the file has")
    tags = tags_of(pattern, content, len(drawn.sheets))
    if truth_bytes(content.value, drawn, document=document, schema_name=schema_name, tags=tags) != truth:
        proof.add(Check.TRUTH, "the content makes another truth than the file has")
    for fault in wrong_totals(pattern, content.value):
        proof.add(Check.TOTALS, fault)
    stage("holding it against the schema")
    _check_values(proof, pattern, content, drawn)
    check_overlaps(proof, drawn)
    return drawn


def _check_beside(proof: Proof, content: Content, pdf: bytes, drawn: DisplayList, beside: Beside) -> None:
    if beside.recipe is not None:
        fault = recipe_fault(beside.recipe, recipe_of(content, beside.content, drawn, pdf))
        if fault is not None:
            proof.add(Check.RECIPE, fault)
    for message in schema_faults(beside.schemas, load_pattern(content.pattern)):
        proof.add(Check.SCHEMA, message)


def sampled(count: int, wanted: int | None) -> tuple[int, ...]:
    """So many pages spread over the document, the first and the last among them."""
    if wanted is None or wanted >= count:
        return tuple(range(1, count + 1))
    if wanted <= 1:
        return (1,)[:wanted]
    return tuple(sorted({1 + round(at * (count - 1) / (wanted - 1)) for at in range(wanted)}))


def check_text(proof: Proof, drawn: DisplayList, pdf: bytes, stage: Callable[[str], None] = lambda _: None) -> None:
    """Hold the text layer of the sampled pages against the display list, by each reader."""
    for reader, read in READERS.items():
        stage(f"reading with {reader}")
        proof.characters[reader] = 0
        present = [page for page in proof.pages if page <= _page_count(pdf)]
        for page in sorted(set(proof.pages) - set(present)):
            proof.add(Check.TEXT, f"{reader} finds no page {page}", page)
        for page, glyphs in _each(proof, Check.TEXT, reader, read, pdf, present):
            proof.characters[reader] += len(glyphs)
            for fault in text_faults(drawn, page, glyphs, reader):
                proof.add(Check.TEXT, f"{fault.leaf}: {fault.message}" if fault.leaf else fault.message, page)


def check_ink(proof: Proof, drawn: DisplayList, pdf: Path, stage: Callable[[str], None] = lambda _: None) -> None:
    """Hold the ink of the sampled pages against the outlines, by each renderer."""
    count = _page_count(pdf.read_bytes())
    pages = [page for page in proof.pages if page <= count]
    for renderer, render in RENDERERS.items():
        stage(f"rendering with {renderer}")
        words = near = 0
        worst = 0.0
        for page, picture in _each(proof, Check.INK, renderer, render, pdf, pages):
            for error in ink_errors(drawn.sheets[page - 1], picture):
                words += 1
                near += error.pixels <= NEAR
                worst = max(worst, error.pixels)
                if error.pixels > FAR:
                    proof.add(Check.INK, _ink_message(error, renderer), page)
        share = near / words if words else 1.0
        proof.words[renderer] = words
        proof.within[renderer] = (share, worst)
        if share < _SHARE:
            proof.add(Check.INK, f"only {share:.1%} of the words have their ink within {NEAR:g} pixels in {renderer}")


def _each(
    proof: Proof,
    check: Check,
    who: str,
    read: Callable[[_File, Sequence[int]], Iterator[_Page]],
    file: _File,
    pages: Sequence[int],
) -> Iterator[_Page]:
    """The pages that somebody reads, up to where the file is spoiled; that it is becomes a finding."""
    try:
        yield from read(file, pages)
    except Exception as error:  # noqa: BLE001 - over a spoiled file the readers raise whatever they come upon
        first = next(iter(str(error).splitlines()), type(error).__name__)
        proof.add(check, f"{who} cannot read the file: {first[:200]}")


def _ink_message(error: InkError, renderer: str) -> str:
    what = f"{error.word.leaf}: " if error.word.leaf else ""
    return f"{what}the ink of {error.word.text!r} is {error.pixels:.1f} pixels off in {renderer}"


def check_overlaps(proof: Proof, drawn: DisplayList) -> None:
    """Find the leaves whose lines lie over one another."""
    import numpy as np

    for number, sheet in enumerate(drawn.sheets, start=1):
        runs = [run for run in sheet.runs if run.leaf is not None]
        if not runs:
            continue
        frames = np.array([line_of(run, ink_of(run)) for run in runs])
        x0, y0, x1, y1 = frames.T
        areas = (x1 - x0) * (y1 - y0)
        width = np.minimum(x1[:, None], x1) - np.maximum(x0[:, None], x0)
        height = np.minimum(y1[:, None], y1) - np.maximum(y0[:, None], y0)
        common = np.where((width > 0) & (height > 0), width * height, 0.0)
        over = np.triu(common > _OVERLAP * np.minimum(areas[:, None], areas), k=1)
        for one, other in np.argwhere(over):
            if runs[one].leaf != runs[other].leaf:
                proof.add(Check.OVERLAP, f"{runs[one].leaf} and {runs[other].leaf} overlap", number)


def _check_values(proof: Proof, pattern: Pattern, content: Content, drawn: DisplayList) -> None:
    for fault in check_truth(content.value, pattern.schema):
        proof.add(Check.SCHEMA, f"{fault.path}: {fault.message}")
    for fault_text in (*authoring_faults(pattern.schema), *value_faults(pattern.schema, content.value)):
        proof.add(Check.SCHEMA, fault_text)
    for page, message in misprints(pattern, content, drawn):
        proof.add(Check.PRINTED, message, page)


def _page_count(pdf: bytes) -> int:
    import pypdfium2  # type: ignore[import-untyped]

    try:
        document = pypdfium2.PdfDocument(pdf)
    except pypdfium2.PdfiumError as error:
        raise SynthesisError(f"the file cannot be opened as a PDF: {error}") from error
    try:
        return len(document)
    finally:
        document.close()
