"""What holds for the text-layer extractor on any page at all."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from extraction_builders import BOOLEAN, DATE, INTEGER, NUMBER, TEXT, records, schema
from extractors.text_geo import read_pages
from extractors.words import PageText, Word, word_at
from groundtruth.box import Box
from groundtruth.path import Path, schema_path

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
LABELS = [
    "Invoice",
    "Number:",
    "No.",
    "Date",
    "Total:",
    "Subtotal",
    "Paid",
    "Seller",
    "Buyer",
    "Name",
    "Address",
    "סכום",
]
HEADERS = ["Item", "Qty", "Price"]
VALUES = ["A-17", "4711", "1,234.50", "(3.00)", "03/04/2025", "25.12.2024", "Ada", "Street", "Yes", "No", "[x]", "שם"]
SIGNS = ["....", "|", ":", "$", "%"]
WORDS = st.sampled_from(LABELS + HEADERS + VALUES + SIGNS)


@st.composite
def pages(draw: st.DrawFn) -> list[PageText]:
    """One or two pages of words on a coarse grid, so that lines, columns and collisions are common."""
    found = []
    order = 0
    for number in range(1, draw(st.integers(1, 2)) + 1):
        words: list[Word] = []
        for _ in range(draw(st.integers(0, 40))):
            text = draw(WORDS)
            x, y = 40 * draw(st.integers(0, 12)), 12 * draw(st.integers(0, 12))
            box = Box(x / 600, y / 800, (x + 5 * len(text)) / 600, (y + 10) / 800)
            words.append(word_at(text, box, draw(st.sampled_from(["", "Sans", "Sans-Bold"])), number, order, 600, 800))
            order += 1
        found.append(PageText(number, 600, 800, tuple(words)))
    return found


def value_at(data: Any, path: Path) -> Any:
    for step in path:
        data = data[step]
    return data


@given(pages())
def test_any_page_gives_a_ballot_whose_every_value_is_cited_and_every_leaf_accounted_for(found: list[PageText]) -> None:
    ballot = read_pages(found, SCHEMA)
    assert read_pages(found, SCHEMA) == ballot
    for path, places in ballot.citations.items():
        assert value_at(ballot.data, path) is not None
        assert schema_path(path) in SCHEMA.leaves
        assert schema_path(path) not in ballot.unsupported
        assert all(place.boxes for place in places)
    cited = {path[0] for path in ballot.citations if len(path) == 1}
    for name, value in ballot.data.items():
        if value is not None and not isinstance(value, (dict, list)):
            assert name in cited
    assert ballot.unsupported <= SCHEMA.leaves.keys()


@settings(max_examples=40)
@given(pages())
def test_no_two_single_fields_share_a_printed_value(found: list[PageText]) -> None:
    ballot = read_pages(found, SCHEMA)
    boxes = [(place.page, place.boxes[0]) for path, (place, *_) in ballot.citations.items() if "lines" not in path]
    assert len(set(boxes)) == len(boxes)
