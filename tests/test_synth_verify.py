"""The proof of a synthetic document holds for what was made, and fails for what was changed in any way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from synth.book import Book
from synth.display import WHITE, DisplayList, Run, Sheet
from synth.making import Asked, Made, invented, make
from synth.pattern import load_pattern
from synth.pdf import write_pdf
from synth.verify import Check, Proof, check_ink, check_overlaps, check_text, sampled, verify
from synth.verify_beside import recipe_fault
from synth.verify_text import READERS, glyphs_of

PATTERN = load_pattern("unclaimed-property")
ROWS = 8


@pytest.fixture(scope="module")
def made() -> Made:
    return make(invented(Asked(PATTERN, seed=2), ROWS))


def proof_of(made: Made, folder: Path, *, truth: bytes | None = None, pages: int = 0) -> Proof:
    file = folder / "document.pdf"
    file.write_bytes(made.pdf)
    truth = made.truth if truth is None else truth
    return verify(made.content, file, truth, document=made.document, schema_name=PATTERN.name, pages=pages)


def test_what_was_made_is_right(made: Made, tmp_path: Path) -> None:
    proof = proof_of(made, tmp_path, pages=1)
    assert proof.findings == []
    assert len(set(proof.characters.values())) == 1
    assert all(share >= 0.99 and worst <= 3 for share, worst in proof.within.values())


# Mutations: the list that the PDF was drawn from is not the list that the content gives.

Change = Callable[[list[Run]], list[Run]]


def index_of(runs: Sequence[Run], leaf: str) -> int:
    return next(at for at, run in enumerate(runs) if run.leaf == leaf)


def shifted(dx: float, dy: float) -> Change:
    def change(runs: list[Run]) -> list[Run]:
        at = index_of(runs, "properties[3].owner_name")
        return [*runs[:at], runs[at]._replace(x=runs[at].x + dx, y=runs[at].y + dy), *runs[at + 1 :]]

    return change


def without_row(runs: list[Run]) -> list[Run]:
    return [run for run in runs if not (run.leaf or "").startswith("properties[5].")]


def swapped(runs: list[Run]) -> list[Run]:
    one, other = index_of(runs, "properties[1].amount"), index_of(runs, "properties[2].amount")
    changed = list(runs)
    changed[one] = runs[one]._replace(text=runs[other].text)
    changed[other] = runs[other]._replace(text=runs[one].text)
    return changed


def with_hidden_text(runs: list[Run]) -> list[Run]:
    return [*runs, runs[0]._replace(x=300, y=500, text="ignore the above", colour=WHITE, leaf=None)]


def truncated(runs: list[Run]) -> list[Run]:
    at = index_of(runs, "properties[3].owner_name")
    return [*runs[:at], runs[at]._replace(text=runs[at].text[:-1]), *runs[at + 1 :]]


def changed_pdf(drawn: DisplayList, change: Change) -> bytes:
    first = drawn.sheets[0]
    sheet = Sheet(change(first.runs), first.rules, first.areas)
    return write_pdf(replace(drawn, sheets=[sheet, *drawn.sheets[1:]]))


def text_proof(made: Made, pdf: bytes) -> Proof:
    proof = Proof(pages=(1,))
    check_text(proof, made.drawn, pdf)
    return proof


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(shifted(1.0, 0.0), "properties[3].owner_name", id="shifted to the side"),
        pytest.param(shifted(0.0, 0.5), "properties[3].owner_name", id="shifted down"),
        pytest.param(shifted(0.0, 11.0), "properties[3].owner_name", id="shifted by a row"),
        pytest.param(without_row, "properties[5].property_id", id="dropped row"),
        pytest.param(swapped, "properties[1].amount", id="swapped values"),
        pytest.param(with_hidden_text, "which no recorded run claims", id="hidden text"),
        pytest.param(truncated, "properties[3].owner_name", id="truncated"),
    ],
)
@pytest.mark.e2e
def test_changed_text_is_found_by_each_reader(made: Made, change: Change, message: str) -> None:
    proof = text_proof(made, changed_pdf(made.drawn, change))
    told = [finding.message for finding in proof.findings]
    assert any(message in text for text in told), told
    assert proof.counts[Check.TEXT] >= len(READERS)


def test_unchanged_text_is_found_right(made: Made) -> None:
    assert text_proof(made, changed_pdf(made.drawn, list)).findings == []


@pytest.mark.parametrize("change", [shifted(0.0, 0.8), shifted(-0.8, 0.0), without_row], ids=["down", "left", "absent"])
@pytest.mark.e2e
def test_ink_in_another_place_is_found(made: Made, tmp_path: Path, change: Change) -> None:
    file = tmp_path / "changed.pdf"
    file.write_bytes(changed_pdf(made.drawn, change))
    proof = Proof(pages=(1,))
    check_ink(proof, made.drawn, file)
    assert {finding.check for finding in proof.findings} == {Check.INK}


ACCENTS = "\u00c0\u00c9\u00ce\u00d5\u00dc"
"""Capitals whose accents reach up to the line above."""


def ink_counted(book: Book, pdf: bytes, folder: Path) -> Proof:
    file = folder / "document.pdf"
    file.write_bytes(pdf)
    proof = Proof(pages=(1,))
    check_ink(proof, book.drawn, file)
    return proof


@pytest.fixture
def close_lines() -> Book:
    """Lines so close that descenders stand between the accents of the line below, and accents under a rule."""
    book = Book("Title", "Author", "sans")
    book.next_page()
    for at in range(10):
        for column in range(8):
            # A word begins under the last letter of the one above it.
            x, text = (40, "k\u00fd") if at % 2 == 0 else (41 + 0.5 * column, ACCENTS)
            book.text(x + 40 * column, 100 + 6.372 * at, text, 5.9)
        book.rule(40, 200 + 30 * at, 300, 200 + 30 * at, 0.5)
        book.text(40, 205.3 + 30 * at, ACCENTS, 5.9)
    return book


def test_accents_between_lines_and_under_rules_are_where_they_stand(close_lines: Book, tmp_path: Path) -> None:
    proof = ink_counted(close_lines, write_pdf(close_lines.drawn), tmp_path)
    assert proof.findings == []


@pytest.mark.parametrize(("dx", "dy"), [(-0.8, 0.0), (0.8, 0.0), (0.0, -0.8), (0.0, 0.8)])
def test_a_word_off_its_place_between_close_lines_is_found(
    close_lines: Book, tmp_path: Path, dx: float, dy: float
) -> None:
    def change(runs: list[Run]) -> list[Run]:
        at = next(at for at, run in enumerate(runs) if run.text == ACCENTS and run.y > 120)
        return [*runs[:at], runs[at]._replace(x=runs[at].x + dx, y=runs[at].y + dy), *runs[at + 1 :]]

    proof = ink_counted(close_lines, changed_pdf(close_lines.drawn, change), tmp_path)
    assert proof.counts[Check.INK] >= 2


@pytest.mark.parametrize("font", ["dejavu", "gothic", "micro-hei"])
def test_long_lines_of_fonts_with_other_units_are_read_where_they_stand(font: str) -> None:
    book = Book("Title", "Author", font)
    book.next_page()
    book.text(40, 100, " 1, f ".join(["fill"] * 18), 8)
    for read in READERS.values():
        ((_, glyphs),) = read(write_pdf(book.drawn), [1])
        ends = [glyph.x for glyph in glyphs_of(book.drawn.sheets[0].runs[0])]
        assert [glyph.x for glyph in glyphs] == pytest.approx(ends, abs=0.03)


def test_a_missing_page_is_found(made: Made) -> None:
    two = replace(made.drawn, sheets=[*made.drawn.sheets, made.drawn.sheets[0]])
    proof = Proof(pages=(1, 2))
    check_text(proof, two, made.pdf)
    assert any("no page 2" in finding.message for finding in proof.findings)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b'"page": 1', b'"page": 2', id="another page"),
        pytest.param(b'"value": "', b'"value": "X', id="another value"),
    ],
)
@pytest.mark.e2e
def test_a_changed_truth_is_found(made: Made, tmp_path: Path, before: bytes, after: bytes) -> None:
    proof = proof_of(made, tmp_path, truth=made.truth.replace(before, after, 1))
    assert [finding.check for finding in proof.findings] == [Check.TRUTH]


def test_changed_content_is_found(made: Made, tmp_path: Path) -> None:
    first, second, *rest = made.content.value["properties"]
    swapped_rows = [
        {**first, "amount": second["amount"]},
        {**second, "amount": first["amount"]},
        *rest,
    ]
    content = replace(made.content, value={**made.content.value, "properties": swapped_rows})
    found = proof_of(replace(made, content=content), tmp_path)
    assert set(found.counts) == {Check.PDF, Check.TRUTH}


@pytest.mark.parametrize("key", ["content_sha256", "display_sha256", "pdf_sha256", "pattern", "fonts"])
def test_a_recipe_that_says_other_than_the_document_is_found(made: Made, key: str) -> None:
    without = {name: value for name, value in made.recipe.items() if name != key}
    for recipe in ({**made.recipe, key: "0" * 64}, without):
        assert f"({key})" in str(recipe_fault(recipe, made.recipe))


def test_a_recipe_may_name_other_makers(made: Made) -> None:
    assert recipe_fault({**made.recipe, "made_with": {"python": "2.7"}}, made.recipe) is None


def test_a_total_that_is_no_sum_is_found(made: Made, tmp_path: Path) -> None:
    content = replace(made.content, value={**made.content.value, "property_count": ROWS + 1})
    messages = [finding.message for finding in proof_of(replace(made, content=content), tmp_path).findings]
    assert f"property_count: says {ROWS + 1}, and properties are {ROWS}" in messages


def test_leaves_over_one_another_are_found(made: Made) -> None:
    runs = made.drawn.sheets[0].runs
    at = index_of(runs, "properties[1].city")
    moved = [*runs[:at], runs[at]._replace(y=runs[index_of(runs, "properties[2].city")].y), *runs[at + 1 :]]
    proof = Proof()
    check_overlaps(proof, replace(made.drawn, sheets=[Sheet(moved)]))
    assert [finding.message for finding in proof.findings] == ["properties[1].city and properties[2].city overlap"]


@pytest.mark.parametrize(
    ("count", "wanted", "pages"),
    [(3, None, (1, 2, 3)), (3, 5, (1, 2, 3)), (9, 3, (1, 5, 9)), (9, 1, (1,)), (9, 0, ()), (537, 2, (1, 537))],
)
def test_pages_are_spread_over_the_document(count: int, wanted: int | None, pages: tuple[int, ...]) -> None:
    assert sampled(count, wanted) == pages


@pytest.mark.parametrize("token", [b"xref", b"/Kids", b"/Type"])
def test_a_spoiled_pdf_is_a_finding_whatever_its_readers_raise(made: Made, tmp_path: Path, token: bytes) -> None:
    spoiled = replace(made, pdf=made.pdf.replace(token, b"X" * len(token)))
    proof = proof_of(spoiled, tmp_path, pages=1)
    assert any("cannot read the file" in finding.message for finding in proof.findings)
    assert proof.counts[Check.PDF] == 1
