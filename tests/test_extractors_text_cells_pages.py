"""What the reader of ruled pages sees, the cells it makes of it, and what holds on any page at all."""

# PyMuPDF says that it is typed, but its functions mostly are not.
# mypy: allow-untyped-calls

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import document_builders as made
from extraction_builders import BOOLEAN, DATE, INTEGER, NUMBER, TEXT, Text, form_pdf, job, records, schema, text_pdf
from extractors.text_cells import read_document
from extractors.text_cells_boxes import drawn_boxes, symbol
from extractors.text_cells_grid import Grid
from extractors.text_cells_lines import fold_text, fold_words, lines_of
from extractors.text_cells_reader import RuledPage, Ruling, read_pages
from extractors.words import PageText, Word, word_at
from groundtruth.box import Box
from groundtruth.pages import open_document
from groundtruth.path import Path as LeafPath
from groundtruth.path import schema_path


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize(
    "boxes",
    [
        pytest.param({}, id="plain"),
        pytest.param({"crop": (20, 40, 290, 380)}, id="crop"),
        pytest.param({"crop": (-50, -50, 250, 500)}, id="crop-beyond-media"),
        pytest.param({"media": (-100, -100, 300, 400)}, id="media-not-at-origin"),
    ],
)
def test_pdfplumber_and_the_page_model_agree_where_words_stand(
    tmp_path: Path, rotation: int, boxes: dict[str, Any]
) -> None:
    # The builder writes level text on the unrotated page, so on a rotated one it is turned on its side.
    file = tmp_path / "turned.pdf"
    file.write_bytes(made.turned_pdf(rotation, **boxes))
    (page,) = read_pages(job(file))
    with open_document(file) as document:
        expected = document.page(1)
        assert (page.text.width, page.text.height) == pytest.approx((expected.width, expected.height), abs=0.01)
        (word,) = expected.words
    place = word.box
    across = (
        place.x0 * expected.width,
        place.y0 * expected.height,
        place.x1 * expected.width,
        place.y1 * expected.height,
    )
    if rotation:
        assert page.text.words == ()
        assert page.is_occupied(*across)
    else:
        (found,) = page.text.words
        assert found.text == word.text == "HELLO"
        assert found.box.iou(word.box) > 0.7


@pytest.mark.parametrize("crop", [None, (100, 50, 500, 700)], ids=["whole", "cropped"])
@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_words_and_rulings_of_a_rotated_page_stand_where_they_are_displayed(
    tmp_path: Path, rotation: int, crop: tuple[float, float, float, float] | None
) -> None:
    file = text_pdf(tmp_path / "upright.pdf", [Text(200, 250, "HELLO world", size=20)], rotation=rotation)
    with pymupdf.open(file) as document:
        page = document[0]
        rectangle = pymupdf.Rect(190, 225, 330, 265) * page.derotation_matrix
        page.draw_rect(rectangle.normalize())
        if crop:
            page.set_cropbox(pymupdf.Rect(crop))
        document.save(tmp_path / "boxed.pdf")
    (ruled,) = read_pages(job(tmp_path / "boxed.pdf"))
    with open_document(tmp_path / "boxed.pdf") as opened:
        shown = opened.page(1)
        expected = [word.box for word in shown.words]
    assert [word.text for word in ruled.text.words] == ["HELLO", "world"]
    assert all(word.box.iou(box) > 0.7 for word, box in zip(ruled.text.words, expected, strict=True))
    (cell,) = Grid(ruled).cells
    assert [word.text for word in cell.words] == ["HELLO", "world"]
    assert (cell.x1 - cell.x0, cell.y1 - cell.y0) == pytest.approx((140, 40), abs=1)


def test_words_part_at_gaps_and_behind_a_glued_colon_and_bold_by_overprinting_is_one_word(tmp_path: Path) -> None:
    texts = [Text(50, 100, "left"), Text(200, 100, "right"), Text(50, 120, "Date:03/04/2025"),
             Text(50, 140, "http://example.com 10:30"), Text(50, 160, "twice"), Text(50.3, 160, "twice")]  # fmt: skip
    (page,) = read_pages(job(text_pdf(tmp_path / "a.pdf", texts)))
    assert [word.text for word in page.text.words] == [
        "left", "right", "Date:", "03/04/2025", "http://example.com", "10:30", "twice",
    ]  # fmt: skip


@pytest.mark.parametrize(("value", "is_filled"), [("Ada", True), ("", False)])
def test_a_filled_form_field_occupies_its_place(tmp_path: Path, value: str, *, is_filled: bool) -> None:
    (page,) = read_pages(job(form_pdf(tmp_path / "f.pdf", Text(50, 100, "Name:"), (100, 88, 200, 104), value)))
    assert [word.text for word in page.text.words] == ["Name:"]
    assert page.is_occupied(110, 90, 190, 100) is is_filled


SQUARE = (10.0, 10.0, 19.0, 19.0)


@pytest.mark.parametrize(
    ("squares", "strokes", "expected"),
    [
        pytest.param([SQUARE], [], [False], id="empty"),
        pytest.param([SQUARE], [(11.0, 11.0, 18.0, 18.0)], [True], id="crossed"),
        pytest.param([SQUARE, (12.0, 12.0, 17.0, 17.0)], [], [True], id="filled-by-a-square"),
        pytest.param([SQUARE], [(30.0, 11.0, 38.0, 18.0)], [False], id="mark-elsewhere"),
        pytest.param([SQUARE, (19.0, 10.0, 28.0, 19.0)], [], [], id="comb-for-letters"),
        pytest.param([(10.0, 10.0, 60.0, 19.0)], [], [], id="no-square"),
    ],
)
def test_small_squares_are_boxes_to_check(
    squares: list[tuple[float, float, float, float]],
    strokes: list[tuple[float, float, float, float]],
    expected: list[bool],
) -> None:
    assert [box.is_checked for box in drawn_boxes(squares, strokes, [])] == expected


def test_characters_of_symbol_fonts_are_what_they_show() -> None:
    assert [symbol("4", "ZapfDingbats"), symbol("\uf0fe", "Wingdings-Regular"), symbol("4", "Helvetica")] == [
        "✔",
        "☑",
        "4",
    ]


def _page(horizontal: list[Ruling], vertical: list[Ruling]) -> RuledPage:
    return RuledPage(PageText(1, 600, 800, ()), tuple(horizontal), tuple(vertical))


def test_cells_may_be_merged_and_lines_may_be_broken_or_lack_a_frame() -> None:
    level = [Ruling(y, 50, 250) for y in (100, 120, 140)]
    upright = [Ruling(50, 100, 140), Ruling(150, 121, 139), Ruling(250, 100, 119), Ruling(250, 121, 140)]
    cells = Grid(_page(level, upright)).cells
    assert [(round(cell.x0), round(cell.y0), round(cell.x1), round(cell.y1)) for cell in cells] == [
        (50, 100, 250, 120), (50, 120, 150, 140), (150, 120, 250, 140),
    ]  # fmt: skip
    inner_only = [Ruling(150, 100, 140)]
    assert len(Grid(_page(level, inner_only)).cells) == 4


def test_a_line_is_folded_to_the_words_of_labels_and_the_signs_of_layout(tmp_path: Path) -> None:
    texts = [Text(50, 100, "Invoice No.: A-1"), Text(300, 100, "The Dates (UTC)")]
    (page,) = read_pages(job(text_pdf(tmp_path / "a.pdf", texts)))
    (line,) = lines_of(page.text.words)
    assert fold_words(line.words).text == "invoice number : a 1 | date ( utc ) "
    assert fold_text("Contractor's names:") == "contractor name :"


SCHEMA = schema(
    {
        "invoice_number": TEXT,
        "date": DATE,
        "total": NUMBER,
        "paid": BOOLEAN,
        "seller": {"type": "object", "properties": {"name": TEXT, "address": TEXT}},
        "buyer": {"type": "object", "properties": {"name": TEXT, "address": TEXT}},
        "lines": records({"item": TEXT, "qty": INTEGER, "price": NUMBER}),
    },
    identity={"lines": ["item"]},
)
LABELS = ["Invoice", "Number:", "No.", "Date", "Total:", "Subtotal", "Paid", "Seller", "Buyer", "Name", "Address"]
HEADERS = ["Item", "Qty", "Price"]
VALUES = ["A-17", "4711", "1,234.50", "(3.00)", "03/04/2025", "Ada", "Street", "Yes", "No", "שם"]
SIGNS = ["[x]", "☐", "[", "]", "....", "|", ":", "$", "%"]
WORDS = st.sampled_from(LABELS + HEADERS + VALUES + SIGNS)


@st.composite
def pages(draw: st.DrawFn) -> list[RuledPage]:
    """One or two pages of words and rulings on a coarse grid, so that lines, columns and collisions are common."""
    found = []
    order = 0
    for number in range(1, draw(st.integers(1, 2)) + 1):
        words: list[Word] = []
        for _ in range(draw(st.integers(0, 30))):
            text = draw(WORDS)
            x, y = 40 * draw(st.integers(0, 12)), 12 * draw(st.integers(0, 12))
            box = Box(x / 600, y / 800, (x + 5 * len(text)) / 600, (y + 10) / 800)
            words.append(word_at(text, box, draw(st.sampled_from(["", "Bold"])), number, order, 600, 800))
            order += 1
        level = [Ruling(12.0 * draw(st.integers(0, 12)) - 1, 0, 480) for _ in range(draw(st.integers(0, 5)))]
        upright = [Ruling(40.0 * draw(st.integers(0, 12)) - 2, -1, 143) for _ in range(draw(st.integers(0, 5)))]
        found.append(RuledPage(PageText(number, 600, 800, tuple(words)), tuple(sorted(level)), tuple(sorted(upright))))
    return found


def value_at(data: Any, path: LeafPath) -> Any:
    for step in path:
        data = data[step]
    return data


@settings(max_examples=40)
@given(pages())
def test_any_page_gives_a_ballot_whose_every_value_is_cited_and_every_leaf_accounted_for(
    found: list[RuledPage],
) -> None:
    ballot = read_document(found, SCHEMA)
    assert read_document(found, SCHEMA) == ballot
    boxes = []
    for path, places in ballot.citations.items():
        assert value_at(ballot.data, path) is not None
        assert schema_path(path) not in ballot.unsupported
        assert all(place.boxes for place in places)
        boxes += [(place.page, place.boxes[0]) for place in places if "lines" not in path]
    assert len(set(boxes)) == len(boxes), "two single fields share a printed value"
    cited = {path[0] for path in ballot.citations if len(path) == 1}
    for name, value in ballot.data.items():
        assert value is None or isinstance(value, (dict, list)) or name in cited
    assert ballot.unsupported <= SCHEMA.leaves.keys()
