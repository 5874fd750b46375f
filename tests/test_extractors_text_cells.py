"""The extractor of ruled cells and lines of text on whole documents: fields, cells, tables over pages, abstention."""

# PyMuPDF says that it is typed, but its functions mostly are not.
# mypy: allow-untyped-calls

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path

import pymupdf
import pytest

import document_builders as made
from extraction_builders import BOOLEAN, DATE, INTEGER, NUMBER, PAGE, TEXT, Text, grid, job, names, records, schema
from extraction_builders import text_pdf as written
from extractors.protocol import Extractor, run
from extractors.text_cells import TextCells
from groundtruth.ballot import Ballot, Failure, Status
from groundtruth.path import parse_path
from groundtruth.schema import FrozenSchema

Line = tuple[float, float, float, float]
ORDER = schema({"reference": TEXT, "seller": TEXT, "ordered": DATE, "total": NUMBER})


def read(file: Path, compiled: FrozenSchema) -> Ballot:
    return run(TextCells(), job(file, compiled))


def ruled(path: Path, *pages: tuple[Iterable[Text], Iterable[Line]]) -> Path:
    """Write a PDF with these texts and ruled lines on each page."""
    with pymupdf.open() as document:
        for texts, lines in pages:
            page = document.new_page(width=PAGE[0], height=PAGE[1])
            for text in texts:
                page.insert_text((text.x, text.y), text.text, fontname=text.font, fontsize=text.size)
            for x0, y0, x1, y1 in lines:
                page.draw_line((x0, y0), (x1, y1))
        document.save(path)
    return path


def lattice(xs: Sequence[float], ys: Sequence[float]) -> list[Line]:
    """The lines of a table ruled at these places."""
    return [(xs[0], y, xs[-1], y) for y in ys] + [(x, ys[0], x, ys[-1]) for x in xs]


def in_cells(xs: Sequence[float], y: float, rows: Iterable[Sequence[str]], *, height: float = 20) -> list[Text]:
    """Texts in the cells of a lattice, the first row below ``y``."""
    return [
        Text(x + 3, y + number * height + 13, cell)
        for number, row in enumerate(rows)
        for x, cell in zip(xs, row, strict=False)
        if cell
    ]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        pytest.param([Text(50, 100, "Reference: R-17")], {"reference": "R-17"}, id="behind-the-colon"),
        pytest.param([Text(50, 100, "Reference:"), Text(300, 100, "R-17")], {"reference": "R-17"}, id="over-a-gap"),
        pytest.param([Text(50, 100, "Reference ........ R-17")], {"reference": "R-17"}, id="over-a-leader"),
        pytest.param([Text(50, 100, "1. Reference: R-17")], {"reference": "R-17"}, id="numbered-label"),
        pytest.param([Text(50, 100, "Reference (yours): R-17")], {"reference": "R-17"}, id="hint-in-parentheses"),
        pytest.param(
            [Text(50, 100, "Reference: R-17 Total: 3.50")],
            {"reference": "R-17", "total": Decimal("3.5")},
            id="two-labels-in-one-line",
        ),
        pytest.param([Text(50, 100, "Total  EUR 3.50")], {"total": Decimal("3.5")}, id="number-without-a-colon"),
        pytest.param(
            [Text(50, 100, "Seller", "hebo"), Text(200, 100, "Ordered", "hebo"), Text(50, 112, "Ada Okonjo"),
             Text(200, 112, "25 March 2025")],
            {"seller": "Ada Okonjo", "ordered": "2025-03-25"},
            id="under-the-labels",
        ),
        pytest.param([Text(50, 100, "Seller Ada Okonjo is known to us.")], {}, id="prose-is-no-value"),
        pytest.param([Text(50, 100, "Please quote the reference R-17 with it.")], {}, id="label-inside-prose"),
        pytest.param([Text(50, 100, "Seller:"), Text(200, 100, "Buyer:")], {}, id="the-next-label-is-no-value"),
        pytest.param([Text(50, 100, "Ordered: soon")], {}, id="no-value-of-the-type"),
        pytest.param([Text(50, 100, "Reference: R-1"), Text(50, 200, "Reference: R-2")], {}, id="two-that-differ"),
        pytest.param([Text(50, 100, "Reference:")], {}, id="an-unruled-blank-is-no-null"),
    ],
)  # fmt: skip
def test_a_line_is_read_by_its_labels(tmp_path: Path, texts: list[Text], expected: dict[str, object]) -> None:
    ballot = read(written(tmp_path / "a.pdf", texts), ORDER)
    assert ballot.data == expected
    assert names(ballot.unsupported) == names(ORDER.leaves) - expected.keys()


FORM_XS, FORM_YS = (50, 200, 350, 500), (100, 130, 160)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        pytest.param(
            [Text(53, 110, "Reference", size=6), Text(53, 124, "R-17"), Text(203, 110, "Seller", size=6)],
            {"reference": "R-17", "seller": None},
            id="label-above-value-in-one-cell",
        ),
        pytest.param(
            [Text(53, 118, "Reference:"), Text(203, 118, "R-17"), Text(53, 148, "Seller:")],
            {"reference": "R-17", "seller": None},
            id="value-in-the-next-cell",
        ),
        pytest.param(
            [Text(53, 118, "Seller", "hebo"), Text(203, 118, "Ship via", "hebo"), Text(353, 118, "Total", "hebo"),
             Text(53, 148, "Ada"), Text(203, 148, "Van"), Text(353, 148, "3.50")],
            {"seller": "Ada", "total": Decimal("3.5")},
            id="the-neighbouring-label-is-no-value",
        ),
        pytest.param(
            [Text(53, 118, "Seller"), Text(203, 118, "Ship via"), Text(53, 148, "Ada"), Text(203, 148, "Van")],
            {},
            id="nothing-tells-label-from-value",
        ),
        pytest.param(
            [Text(53, 118, "Reference: R-17"), Text(203, 118, "Total: 3.50")],
            {"reference": "R-17", "total": Decimal("3.5")},
            id="label-and-value-in-one-line-of-a-cell",
        ),
    ],
)  # fmt: skip
def test_a_ruled_cell_confines_what_is_in_it(tmp_path: Path, texts: list[Text], expected: dict[str, object]) -> None:
    file = ruled(tmp_path / "cells.pdf", (texts, lattice(FORM_XS, FORM_YS)))
    ballot = read(file, ORDER)
    assert ballot.data == expected
    assert ballot.asserts_null


def test_an_empty_cell_that_holds_a_picture_is_not_blank(tmp_path: Path) -> None:
    file = ruled(tmp_path / "a.pdf", ([Text(53, 118, "Seller:")], lattice(FORM_XS, FORM_YS)))
    with pymupdf.open(file) as document:
        picture = made.image_file(made.marked_image(), "PNG")
        document[0].insert_image(pymupdf.Rect(210, 105, 300, 125), stream=picture)
        document.save(tmp_path / "signed.pdf")
    assert read(file, ORDER).data == {"seller": None}
    assert read(tmp_path / "signed.pdf", ORDER).data == {}


def test_labels_belong_to_the_section_above_them(tmp_path: Path) -> None:
    person = {"type": "object", "properties": {"name": TEXT, "phone": TEXT}}
    compiled = schema({"applicant": person, "emergency_contact": person})
    texts = [
        Text(50, 80, "Applicant", "hebo", 12), Text(50, 100, "Name: Ada Okonjo"), Text(50, 116, "Phone: 07700 900288"),
        Text(50, 150, "Emergency contact", "hebo", 12), Text(50, 170, "Name: Tobias Lind"),
    ]  # fmt: skip
    assert read(written(tmp_path / "a.pdf", texts), compiled).data == {
        "applicant": {"name": "Ada Okonjo", "phone": "07700 900288"},
        "emergency_contact": {"name": "Tobias Lind"},
    }
    assert read(written(tmp_path / "b.pdf", [Text(50, 100, "Name: Ada Okonjo")]), compiled).data == {
        "applicant": {},
        "emergency_contact": {},
    }


CHOICES = schema(
    {
        "member": BOOLEAN | {"title": "I am a member"},
        "newsletter": BOOLEAN | {"title": "Send me the newsletter"},
        "licence": BOOLEAN,
        "size": {"enum": ["S", "M", "L", None]},
    }
)


def test_boxes_are_read_whether_written_or_drawn(tmp_path: Path) -> None:
    texts = [
        Text(70, 100, "I am a member"), Text(270, 100, "Send me the newsletter"),
        Text(50, 130, "Licence:"), Text(120, 130, "[x]"), Text(140, 130, "Yes"),
        Text(180, 130, "[ ]"), Text(200, 130, "No"),
        Text(50, 160, "Size"), Text(150, 160, "S"), Text(190, 160, "M"),
    ]  # fmt: skip
    with pymupdf.open(ruled(tmp_path / "a.pdf", (texts, []))) as document:
        page = document[0]
        page.draw_rect(pymupdf.Rect(55, 92, 64, 101))
        page.draw_line((56, 93), (63, 100))
        page.draw_line((56, 100), (63, 93))
        page.draw_rect(pymupdf.Rect(255, 92, 264, 101))
        document.save(tmp_path / "boxes.pdf")
    ballot = read(tmp_path / "boxes.pdf", CHOICES)
    assert ballot.data == {"member": True, "newsletter": False, "licence": True}
    assert names(ballot.unsupported) == {"size"}


TABLE = schema(
    {"lines": records({"item": TEXT, "qty": INTEGER, "price": NUMBER}), "total": NUMBER},
    identity={"lines": ["item"]},
)
HEADER = ("Item", "Qty", "Price")
THREE = (50, 300, 400)
GOODS = [("Nails", "100", "0.02"), ("Screws", "50", "0.04"), ("Tape", "1", "9.00"), ("Glue", "2", "3.50")]
READ_GOODS = [
    ("Nails", 100, Decimal("0.02")), ("Screws", 50, Decimal("0.04")), ("Tape", 1, 9), ("Glue", 2, Decimal("3.5")),
]  # fmt: skip


def rows_of(ballot: Ballot) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in ballot.data["lines"]]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(GOODS, READ_GOODS, id="plain"),
        pytest.param([*GOODS[:2], ("Subtotal", "", "0.06"), *GOODS[2:]], READ_GOODS, id="subtotal"),
        pytest.param([*GOODS, ("Total", "", "12.56"), ("Deposit", "", "1.00")], READ_GOODS, id="total-ends-it"),
        pytest.param([("Brought forward", "", "7.00"), *GOODS], READ_GOODS, id="brought-forward"),
        pytest.param([*GOODS[:3], ("Glue", "", "3.50")], [*READ_GOODS[:3], ("Glue", None, Decimal("3.5"))], id="blank"),
        pytest.param([*GOODS[:3], ("Glue", "-", "3.50")], [*READ_GOODS[:3], ("Glue", None, Decimal("3.5"))], id="dash"),
        pytest.param(
            [*GOODS[:3], ("Glue", "tbd", "3.50"), *GOODS[:3]],
            [*READ_GOODS[:3], ("Glue", "tbd", Decimal("3.5")), *READ_GOODS[:3]],
            id="no-number-stays-as-printed",
        ),
    ],
)
def test_columns_are_found_by_the_gutters_between_them(
    tmp_path: Path, body: list[tuple[str, ...]], expected: list[tuple[object, ...]]
) -> None:
    ballot = read(written(tmp_path / "a.pdf", grid(100, THREE, [HEADER, *body])), TABLE)
    assert rows_of(ballot) == expected


@pytest.mark.parametrize("body", [GOODS, [*GOODS[:2], ("Subtotal", "", "0.06"), *GOODS[2:]]], ids=["plain", "subtotal"])
def test_columns_are_found_by_the_rules_between_them(tmp_path: Path, body: list[tuple[str, ...]]) -> None:
    xs = (50, 200, 260, 320)
    ys = [100 + 20 * number for number in range(len(body) + 2)]
    file = ruled(tmp_path / "a.pdf", (in_cells(xs, 100, [HEADER, *body]), lattice(xs, ys)))
    assert rows_of(read(file, TABLE)) == READ_GOODS


def test_a_ruled_cell_may_be_wrapped_blank_or_as_tall_as_the_table(tmp_path: Path) -> None:
    xs = (50, 200, 260, 320)
    wrapped = [Text(53, 127, "Left-handed"), Text(53, 137, "screwdriver"), Text(263, 130, "3.50")]
    file = ruled(tmp_path / "a.pdf", ([*in_cells(xs, 100, [HEADER]), *wrapped], lattice(xs, (100, 120, 144))))
    assert rows_of(read(file, TABLE)) == [("Left-handed screwdriver", None, Decimal("3.5"))]
    tall = lattice(xs, (100, 120, 200))
    file = ruled(tmp_path / "b.pdf", (in_cells(xs, 100, [HEADER, *GOODS], height=16), tall))
    assert rows_of(read(file, TABLE)) == READ_GOODS


def test_wrapped_lines_join_the_row_they_stand_next_to(tmp_path: Path) -> None:
    rows = [("Left-handed", "2", "3.50"), ("screwdriver", "", ""), ("Nails", "100", "0.02"), ("Tape", "1", "9.00")]
    ys = (120, 130, 146, 162)
    texts = [
        Text(x, y, cell) for y, row in zip(ys, rows, strict=True) for x, cell in zip(THREE, row, strict=True) if cell
    ]
    ballot = read(written(tmp_path / "a.pdf", [*grid(100, THREE, [HEADER]), *texts]), TABLE)
    assert rows_of(ballot) == [("Left-handed screwdriver", 2, Decimal("3.5")), *READ_GOODS[:1], *READ_GOODS[2:3]]


@pytest.mark.parametrize("second_header", [True, False], ids=["header-repeated", "header-missing"])
def test_a_table_goes_on_overleaf(tmp_path: Path, *, second_header: bool) -> None:
    many = [(f"Part {number}", str(number), f"{number}.25") for number in range(1, 61)]
    again = [HEADER] if second_header else []
    first, second = grid(100, THREE, [HEADER, *many[:40]]), grid(80, THREE, [*again, *many[40:]])
    ballot = read(written(tmp_path / "a.pdf", first, second), TABLE)
    assert rows_of(ballot) == [(item, int(qty), Decimal(price)) for item, qty, price in many]
    (place,) = ballot.citations[parse_path("lines[59].price")]
    assert (place.page, place.quote) == (2, "60.25")


def test_what_stands_below_a_closed_table_is_no_row_of_it(tmp_path: Path) -> None:
    totals = [Text(300, 200, "Carriage"), Text(400, 200, "4.00"), Text(300, 216, "Total"), Text(400, 216, "16.56")]
    ballot = read(written(tmp_path / "a.pdf", [*grid(100, THREE, [HEADER, *GOODS]), *totals]), TABLE)
    assert rows_of(ballot) == READ_GOODS
    assert ballot.data["total"] == Decimal("16.56")


def test_a_header_of_two_lines_and_a_name_with_a_wide_space(tmp_path: Path) -> None:
    compiled = schema({"lines": records({"part_description": TEXT, "unit_price": NUMBER, "in_service": DATE})})
    header = [Text(50, 100, "Part"), Text(50, 110, "Description"), Text(300, 110, "Unit"), Text(324, 110, "price"),
              Text(420, 110, "In"), Text(436, 110, "service")]  # fmt: skip
    body = grid(130, (50, 310, 420, 436), [("Nails", "0.02", "27", "Feb 2025"), ("Tape", "9.00", "16", "May 2022")])
    assert rows_of(read(written(tmp_path / "a.pdf", [*header, *body]), compiled)) == [
        ("Nails", Decimal("0.02"), "2025-02-27"),
        ("Tape", 9, "2022-05-16"),
    ]


def test_arrays_with_equal_columns_are_told_apart_by_their_titles_or_left_unjudged(tmp_path: Path) -> None:
    row = records({"item": TEXT, "price": NUMBER})
    compiled = schema({"materials": row, "labor": row})
    columns = (50, 300)
    labor, materials = [("Item", "Price"), ("Fitting", "80")], [("Item", "Price"), ("Nails", "2")]
    titled = [
        Text(50, 80, "Labor"),
        *grid(100, columns, labor),
        Text(50, 200, "Materials"),
        *grid(220, columns, materials),
    ]
    assert read(written(tmp_path / "a.pdf", titled), compiled).data == {
        "labor": [{"item": "Fitting", "price": 80}],
        "materials": [{"item": "Nails", "price": 2}],
    }
    ballot = read(written(tmp_path / "b.pdf", grid(100, columns, labor)), compiled)
    assert (ballot.data, len(ballot.unsupported)) == ({}, 4)


def test_a_header_without_rows_says_nothing(tmp_path: Path) -> None:
    ballot = read(written(tmp_path / "a.pdf", grid(100, THREE, [HEADER])), TABLE)
    assert "lines" not in ballot.data


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("blank.pdf", made.pdf([""]), id="no-text-layer"),
        pytest.param("scan.png", made.image_file(made.marked_image(), "PNG"), id="image"),
        pytest.param("broken.pdf", b"%PDF-1.7\nnothing", id="broken"),
        pytest.param("locked.pdf", made.pdf(encryption=4, user_pw="secret", owner_pw="secret"), id="encrypted"),
    ],
)
def test_what_has_no_text_layer_fails_for_that_reason(tmp_path: Path, name: str, content: bytes) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    ballot = read(file, TABLE)
    assert (ballot.status, ballot.failure) == (Status.FAILED, Failure.UNSUPPORTED_INPUT)
    assert ballot.detail


def test_it_is_an_extractor_and_says_what_its_answers_depend_on(tmp_path: Path) -> None:
    extractor = TextCells()
    assert isinstance(extractor, Extractor)
    assert extractor.available() is None
    assert extractor.info == TextCells().info
    assert (extractor.info.name, extractor.info.offline, extractor.info.asserts_null) == ("text-cells", True, True)
    file = written(tmp_path / "a.pdf", grid(100, THREE, [HEADER, *GOODS]))
    assert read(file, TABLE) == read(file, TABLE)


def test_columns_ruled_to_different_depths_are_read_once(tmp_path: Path) -> None:
    xs = (50, 200, 260, 320)
    lines = [*lattice(xs, (100, 120)), *((x, 120, x, 220) for x in xs), (50, 220, 260, 220), (260, 200, 320, 200)]
    file = ruled(tmp_path / "a.pdf", (in_cells(xs, 100, [HEADER, *GOODS], height=16), lines))
    assert rows_of(read(file, TABLE)) == READ_GOODS
