"""From content to pages: what is printed is noted once, in its place, and the same bytes come out every time."""

from __future__ import annotations

import io

import pdfplumber
import pytest

from groundtruth.errors import SynthesisError
from groundtruth.evidence import Kind
from synth.book import Book, Piece
from synth.display import LETTER
from synth.evidence import Entry, entries_of
from synth.grid import Column, Grid, GridLook
from synth.pdf import write_pdf

COLUMNS = (Column("id", "No.", 60), Column("name", "Name", 80), Column("sum", "Sum", 60, "right"))


def book(font: str = "sans") -> Book:
    made = Book("Title", "Author", font)
    made.next_page()
    return made


def only(entries: list[Entry], kind: Kind = Kind.LINE) -> Entry:
    (entry,) = [entry for entry in entries if entry.kind is kind]
    return entry


def grid(made: Book, bottom: float = 700.0) -> Grid:
    def next_page() -> float:
        made.next_page()
        return 50.0

    return Grid(made, COLUMNS, GridLook(size=8), left=40, bottom=bottom, next_page=next_page)


def test_a_line_spans_its_advance_and_the_em_band() -> None:
    made = book("mono")
    made.text(100, 200, "ABCDE", 10, leaf="x")
    x, y, width, height = only(entries_of(made.drawn)["x"]).bbox
    assert (x * LETTER[0], width * LETTER[0]) == pytest.approx((100, 30), abs=1e-3)
    assert (y * LETTER[1], height * LETTER[1]) == pytest.approx((192, 10), abs=1e-3)


@pytest.mark.parametrize(("align", "x"), [("left", 100.0), ("right", 70.0), ("centre", 85.0)])
def test_text_is_aligned(align: str, x: float) -> None:
    made = book("mono")
    made.text(100, 200, "ABCDE", 10, align=align, leaf="x")  # type: ignore[arg-type]
    assert only(entries_of(made.drawn)["x"]).bbox[0] * LETTER[0] == pytest.approx(x, abs=1e-3)


@pytest.mark.parametrize(("text", "has_ink"), [("1", True), ("-", True), ("WEST", False)])
def test_what_hardly_fills_its_line_has_its_ink_as_well(text: str, has_ink: bool) -> None:
    made = book()
    made.text(100, 200, text, 10, leaf="x")
    assert (Kind.INK in {entry.kind for entry in entries_of(made.drawn)["x"]}) is has_ink


def test_a_value_on_several_lines_has_each_line_and_a_coarse_hull() -> None:
    made = book()
    made.lines(100, 200, ["12 Long Street", "Springfield"], 10, leaf="address")
    first, second, hull = entries_of(made.drawn)["address"]
    assert [first.quote, second.quote, hull.quote] == ["12 Long Street", "Springfield", "12 Long Street Springfield"]
    assert [first.coarse, second.coarse, hull.coarse] == [False, False, True]
    assert hull.bbox[3] > first.bbox[3] + second.bbox[3]


def test_a_character_in_each_cell_is_one_line() -> None:
    made = book("mono")
    for at, character in enumerate("1984"):
        made.text(100 + 14 * at, 200, character, 10, leaf="year", whole="1984")
    (line,) = entries_of(made.drawn)["year"]
    assert (line.kind, line.quote, line.coarse) == (Kind.LINE, "1984", False)
    assert line.bbox[2] * LETTER[0] == pytest.approx(3 * 14 + 6, abs=1e-3)


def test_a_second_printing_is_another_place_and_no_line_of_the_first() -> None:
    made = book()
    made.text(100, 200, "Total 12", 10, leaf="total")
    made.text(100, 400, "Total 12", 10, leaf="total", printing=1)
    assert [entry.coarse for entry in entries_of(made.drawn)["total"]] == [False, False]


def test_a_heading_proves_the_leaves_below_it() -> None:
    made = book()
    spot = made.text(100, 200, "TEXAS", 10)
    made.cite("rows[0].state", spot)
    made.cite("rows[1].state", spot)
    places = entries_of(made.drawn)
    assert places["rows[0].state"] == places["rows[1].state"]
    assert places["rows[0].state"][0].quote == "TEXAS"


def test_ditto_marks_prove_with_the_value_above() -> None:
    made = book()
    made.text(100, 200, "Acme", 10, leaf="rows[0].payer")
    made.text(100, 220, '"', 10, leaf="rows[1].payer")
    made.same("rows[1].payer", "rows[0].payer")
    lines = [entry.quote for entry in entries_of(made.drawn)["rows[1].payer"] if entry.kind is Kind.LINE]
    assert lines == ['"', "Acme"]


def test_parts_of_a_line_are_leaves_of_their_own() -> None:
    made = book()
    made.pieces(100, 200, [Piece("Springfield", "city"), Piece(", "), Piece("IL", "state")], 10)
    places = entries_of(made.drawn)
    city, state = only(places["city"]).bbox, only(places["state"]).bbox
    assert city[0] + city[2] < state[0]


def test_a_tick_box_is_evidence() -> None:
    made = book()
    made.area(100, 200, 10, 10, stroke=(0, 0, 0), leaf="agreed")
    assert only(entries_of(made.drawn)["agreed"], Kind.INK).bbox[2] * LETTER[0] == pytest.approx(10, abs=1e-3)


@pytest.mark.parametrize(("x", "y"), [(600, 200), (-1, 200), (100, 3), (100, 791)])
def test_text_off_the_page_is_refused(x: float, y: float) -> None:
    with pytest.raises(SynthesisError, match="name: 'Springfield' does not fit on page 1"):
        book().text(x, y, "Springfield", 10, leaf="name")


def test_a_missing_character_names_its_leaf() -> None:
    with pytest.raises(SynthesisError, match=r"rows\[3\]\.name: .*'東'"):
        book().text(100, 200, "東", 10, leaf="rows[3].name")


def test_rows_go_to_the_next_page_whole_and_under_the_header() -> None:
    made = book()
    table = grid(made, bottom=100.0)
    table.start(60.0)
    for number in range(4):
        table.record({"id": str(number), "name": "A name that needs two lines", "sum": 1}, f"rows[{number}]")
    pages = {path: {entry.page for entry in entries} for path, entries in entries_of(made.drawn).items()}
    assert made.page > 1
    assert all(len(found) == 1 for found in pages.values())
    assert all(any(run.text == "No." for run in sheet.runs) for sheet in made.drawn.sheets)


def test_a_null_is_no_place() -> None:
    made = book()
    table = grid(made)
    table.start(60.0)
    table.record({"id": "1", "name": None, "sum": 2}, "rows[0]", null="—")
    assert set(entries_of(made.drawn)) == {"rows[0].id", "rows[0].sum"}


def test_the_values_of_a_stack_stand_under_one_another() -> None:
    made = book()
    table = grid(made)
    table.start(60.0)
    stack = [("A name that needs two lines", "rows[0].name"), ("short", "rows[0].short")]
    height = table.height_of([[("1", "rows[0].id")], stack, []])
    before = table.y
    table.stacked([[("1", "rows[0].id")], stack, []], struck=True)
    assert table.y - before == pytest.approx(height)
    places = entries_of(made.drawn)
    name, after = only(places["rows[0].name"], Kind.HULL).bbox, only(places["rows[0].short"]).bbox
    assert name[1] + name[3] <= after[1] + 0.003
    struck = [rule for rule in made.drawn.sheets[0].rules if rule.width == 0.6]
    assert len(struck) == len(["1", "A name that", "needs two lines", "short"])  # each line of each value


def test_a_row_higher_than_a_page_is_refused() -> None:
    table = grid(book(), bottom=100.0)
    table.start(60.0)
    with pytest.raises(SynthesisError, match="shorten its longest value"):
        table.record({"id": "1", "name": "many words " * 40, "sum": 2}, "rows[0]")


def test_the_text_layer_is_what_was_printed() -> None:
    made = book("gothic")
    made.text(100, 200, r"Paid (net) \ 東京", 12)
    made.text(100, 300, "Ωμέγα", 12, font="dejavu", bold=True)
    made.footer(760, "Notes")
    with pdfplumber.open(io.BytesIO(write_pdf(made.drawn))) as document:
        assert document.pages[0].extract_text().splitlines() == [r"Paid (net) \ 東京", "Ωμέγα", "Notes Page 1 of 1"]


def test_what_made_the_file_is_not_said() -> None:
    made = book()
    made.text(100, 200, "x")
    for compressed in (True, False):
        assert b"reportlab" not in write_pdf(made.drawn, compressed=compressed).lower()
