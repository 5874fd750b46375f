"""Tables as sequences of lines: headers, columns learned from rows, states of lines, what was not read for sure."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction_builders import DATE, INTEGER, NUMBER, TEXT, names, records, schema
from extractors.sequence_columns import Column, cut
from extractors.sequence_text import TextLine, Token
from extractors.words import Word
from groundtruth.box import Box
from groundtruth.jsontext import Json
from groundtruth.path import parse_path
from groundtruth.schema import FrozenSchema, Leaf
from sequence_builders import ROW, Put, grid, page, read, shown

COLUMNS = (50, 110, 330, 420, 520)
RIGHT = (2, 3, 4)
HEADER = ("Item No.", "Description", "Qty", "Unit price", "Amount")
SCHEMA = schema(
    {
        "items": records(
            {
                "item_no": TEXT,
                "description": TEXT,
                "quantity": INTEGER | {"x-aliases": ["Qty"]},
                "unit_price": NUMBER,
                "amount": NUMBER,
            }
        ),
        "subtotal": NUMBER,
        "total": NUMBER,
    },
    identity={"items": ["item_no"]},
)
ROWS = [
    (f"A-{n:03}", f"Bracket of kind {'ABCDEFGHIJKLMNOPQRST'[n]}", str(n), f"{n}.25", f"{n * n}.50")
    for n in range(1, 19)
]


def table(y: float, rows: Any, *, header: tuple[str, ...] | None = HEADER) -> list[Put]:
    above = [] if header is None else grid(y - 2 * ROW, COLUMNS, [header], right=RIGHT)
    return above + grid(y, COLUMNS, rows, right=RIGHT)


def items(*pages: Any, compiled: FrozenSchema = SCHEMA) -> list[tuple[Json, ...]]:
    ballot = read(compiled, *pages)
    return [tuple(shown(row).values()) for row in ballot.data.get("items", [])]


def values(rows: Any) -> list[tuple[Json, ...]]:
    return [
        (no, text, int(quantity), Decimal(price), Decimal(amount).normalize())
        for no, text, quantity, price, amount in rows
    ]


def as_read(rows: list[tuple[Json, ...]]) -> list[tuple[Json, ...]]:
    return [tuple(cell.normalize() if isinstance(cell, Decimal) else cell for cell in row) for row in rows]


EXPECTED = as_read(values(ROWS))


@pytest.mark.parametrize("second_header", [True, False], ids=["header-repeated", "header-missing"])
@pytest.mark.parametrize("shift", [0.0, 9.0], ids=["in-place", "scanned-askew"])
def test_a_table_over_two_pages(*, second_header: bool, shift: float) -> None:
    carried = [Put(110, 200 + 9 * ROW, "Carried forward"), Put(490, 200 + 9 * ROW, "285.00")]
    brought = [Put(110, 100, "Brought forward"), Put(490, 100, "285.00")]
    second = table(100 + ROW, ROWS[9:], header=None) + brought
    if second_header:
        second += grid(72, COLUMNS, [HEADER], right=RIGHT)
    second += [Put(50, 40, "Halden Ltd"), Put(400, 300, "Subtotal"), Put(490, 300, "999.00")]
    second = [put._replace(x=put.x + shift) for put in second]
    first = [Put(50, 40, "Halden Ltd"), *table(200, ROWS[:9]), *carried]
    ballot = read(SCHEMA, page(1, first), page(2, second))
    assert as_read([tuple(row.values()) for row in ballot.data["items"]]) == EXPECTED
    assert ballot.data["subtotal"] == 999
    assert ballot.citations[parse_path("items[17].amount")][0].page == 2


def test_a_header_of_two_lines_and_a_misread_one() -> None:
    upper = grid(86, (50, 420), [("Item", "Unit")], right=(1,))
    two = [*upper, *grid(100, COLUMNS, [("No.", "Descriptlon", "Qty", "price", "Amount")], right=RIGHT)]
    assert as_read(items(page(1, [*two, *table(130, ROWS, header=None)]))) == EXPECTED


def test_a_cell_goes_on_below_and_a_subtotal_is_no_row() -> None:
    first, second, third = ROWS[:3]
    rows = [first, ("", "with a longer screw", "", "", ""), second, ("", "Subtotal", "", "", "5.00"), third]
    found = items(page(1, table(200, rows)))
    assert [row[1] for row in found] == [f"{first[1]} with a longer screw", second[1], third[1]]
    assert as_read(found)[2] == EXPECTED[2]


def test_a_column_that_nobody_asks_for_keeps_its_cells() -> None:
    columns = (50, 110, 260, 330, 420, 520)
    header = ("Item No.", "Description", "Grade", "Qty", "Unit price", "Amount")
    rows = [(no, text, "B2", *rest) for no, text, *rest in ROWS]
    puts = grid(100, columns, [header], right=(3, 4, 5)) + grid(128, columns, rows, right=(3, 4, 5))
    assert as_read(items(page(1, puts))) == EXPECTED


def test_an_empty_cell_is_null_and_one_with_ink_is_not() -> None:
    rows = [list(row) for row in ROWS]
    rows[2][3] = ""
    rows[3][3] = "\N{REPLACEMENT CHARACTER}"
    rows[4][3] = "S.2S"
    found = items(page(1, table(200, rows)))
    assert [row[3] for row in found[2:6]] == [None, "?\N{REPLACEMENT CHARACTER}", "?S.2S", Decimal("6.25")]


def test_a_blank_cell_whose_word_went_astray_is_not_null() -> None:
    rows = [list(row) for row in ROWS]
    rows[5][2] = ""
    puts = [*table(200, rows), Put(327, 200 + 5 * ROW, "O6"), Put(338, 200 + 5 * ROW, "x")]
    assert items(page(1, puts))[5][2] != 6
    assert items(page(1, puts))[5][2] is not None


def test_a_word_read_with_little_confidence_is_no_vote() -> None:
    found = items(page(1, table(200, ROWS), doubts={"A-004": 0.4, "9.25": 0.5}))
    assert [row[0] for row in found[3:5]] == ["?A-004", "A-005"]
    assert [row[3] for row in found[8:10]] == ["?9.25", Decimal("10.25")]


@pytest.mark.parametrize(
    ("column", "printed"),
    [(0, "A-0O5"), (0, "AA-005"), (4, "2550"), (4, "2,5.500"), (4, "55,345.389")],
    ids=["letter-for-figure", "letter-more", "point-lost", "groups-odd", "comma-read-as-point"],
)
def test_a_cell_that_breaks_the_form_of_its_column_is_no_vote(column: int, printed: str) -> None:
    rows = [list(row) for row in ROWS]
    rows[4][column] = printed
    assert items(page(1, table(200, rows)))[4][column] == f"?{printed}"


def test_the_foot_of_the_page_and_prose_are_no_rows() -> None:
    foot = [Put(50, 780, "Please quote the item no. with your payment"), Put(520, 780, "Page 1")]
    prose = [Put(50, 60, "The amount and the description of every item follow below")]
    assert as_read(items(page(1, [*prose, *table(200, ROWS), *foot]))) == EXPECTED


def test_without_a_header_the_array_is_not_judged() -> None:
    ballot = read(SCHEMA, page(1, table(200, ROWS, header=None)))
    assert "items" not in ballot.data
    assert {name for name in names(ballot.unsupported) if name.startswith("items")} == {
        "items[].item_no", "items[].description", "items[].quantity", "items[].unit_price", "items[].amount"
    }  # fmt: skip


def test_a_column_that_a_later_table_lacks_is_not_null_there() -> None:
    header = HEADER[:4]
    short = [row[:4] for row in ROWS[9:]]
    found = items(page(1, table(200, ROWS[:9])), page(2, table(100, short, header=header)))
    assert [row[4] for row in found[8:10]] == [Decimal("81.5"), "?"]
    assert [row[0] for row in found] == [row[0] for row in ROWS]


def test_two_arrays_on_one_page_keep_their_rows() -> None:
    compiled = schema(
        {
            "payments": records({"paid_on": DATE, "amount": NUMBER, "payee": TEXT}),
            "vehicles": records({"plate": TEXT, "maker": TEXT, "year": INTEGER}),
        }
    )
    payments = [
        ("Paid on", "Payee", "Amount"),
        *((f"2025-03-{n:02}", f"Firm {'ABCD'[n]}", f"{n}.00") for n in range(1, 4)),
    ]
    vehicles = [("Plate", "Maker", "Year"), *((f"XK-{n}31", "Volvo", f"20{n}1") for n in range(1, 3))]
    puts = grid(60, (50, 150, 300), payments) + grid(200, (50, 150, 300), vehicles)
    data = read(compiled, page(1, puts)).data
    assert [row["amount"] for row in data["payments"]] == [1, 2, 3]
    assert [row["plate"] for row in data["vehicles"]] == ["XK-131", "XK-231"]


def token(x0: float, text: str) -> Token:
    word = Word(text, x0, 0.0, x0 + 5.0 * len(text), 8.0, Box(0.1, 0.1, 0.2, 0.2), "", 1, int(x0))
    return Token(word, 0.95, (text,))


def _anything(_leaf: Leaf, _tokens: Sequence[Token]) -> bool:
    return True


@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=9, unique=True),
    st.lists(st.integers(0, 30), min_size=1, max_size=4, unique=True),
)
def test_a_cut_deals_out_every_token_once_and_in_order(places: list[int], columns: list[int]) -> None:
    line = TextLine(1, tuple(token(10.0 * place, "abc"[: place % 3 + 1]) for place in sorted(places)))
    model = tuple(Column(None, 20.0 * x, 20.0 * x + 15.0) for x in sorted(columns))
    found = cut(line, model, _anything)
    dealt = [index for cell in found.cells for index in range(cell.start, cell.stop)]
    assert dealt == sorted(set(dealt))
    assert len(dealt) + found.skipped == len(line.tokens)
    assert [cell.column for cell in found.cells] == sorted({cell.column for cell in found.cells})
