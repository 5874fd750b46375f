"""Fields by their labels in sequences of tokens: where the value stands, what is blank, what is left unjudged."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction_builders import BOOLEAN, DATE, NUMBER, TEXT, names, records, schema
from extractors.sequence_names import Match, chosen
from groundtruth.ballot import Ballot
from groundtruth.path import parse_path
from groundtruth.rules import Comparator
from groundtruth.schema import FrozenSchema, Leaf
from sequence_builders import Put, grid, page, read

SCHEMA = schema(
    {
        "invoice_number": TEXT,
        "invoice_date": DATE,
        "due_date": DATE,
        "bill_to_address": TEXT | {"title": "Bill to"},
        "contact": TEXT,
        "tax": NUMBER | {"title": "VAT"},
        "total": NUMBER | {"x-aliases": ["Amount due"]},
        "lines": records({"code": TEXT, "price": NUMBER}),
    }
)


def look(*puts: Put, compiled: FrozenSchema = SCHEMA, **settings: Any) -> Ballot:
    return read(compiled, page(1, puts, **settings))


def test_values_beside_their_labels() -> None:
    ballot = look(
        Put(50, 50, "INVOICE"),
        Put(50, 80, "Invoice No.:"), Put(150, 80, "INV-2025-0042"),
        Put(300, 80, "Invoice date:"), Put(400, 80, "25/03/2025"),
        Put(50, 94, "Contact"), Put(150, 94, "Ada Okonjo"), Put(300, 94, "Due date 04/04/2025"),
        Put(50, 120, "Bill to:"), Put(150, 120, "12 High Street"),
        Put(150, 132, "London"),
        Put(50, 160, "Please quote the invoice number on your remittance."),
        Put(300, 200, "VAT (20 %)"), Put(400, 200, "1,914.25"),
        Put(300, 214, "Amount due"), Put(400, 214, "EUR 11,485.50"),
    )  # fmt: skip
    assert ballot.data == {
        "invoice_number": "INV-2025-0042",
        "invoice_date": "2025-03-25",
        "due_date": "2025-04-04",
        "contact": "Ada Okonjo",
        "bill_to_address": "12 High Street London",
        "tax": Decimal("1914.25"),
        "total": Decimal("11485.5"),
    }
    assert [len(place.boxes) for place in ballot.citations[parse_path("bill_to_address")]] == [2]


def test_values_under_their_labels() -> None:
    ballot = look(
        Put(50, 50, "Invoice no."), Put(200, 50, "Department"), Put(350, 50, "Invoice date"),
        Put(51, 61, "INV-7"), Put(201, 61, "Sales"), Put(351, 61, "25/03/2025"),
        Put(50, 90, "Contact"), Put(200, 90, "Due date"), Put(350, 90, "Total"),
        Put(201, 101, "30/04/2025"), Put(351, 101, "12.50"),
    )  # fmt: skip
    assert ballot.data == {
        "invoice_number": "INV-7",
        "invoice_date": "2025-03-25",
        "due_date": "2025-04-30",
        "contact": None,
        "total": Decimal("12.5"),
    }


UNJUDGED: dict[str, list[Put]] = {
    "in-a-sentence": [Put(50, 80, "Please quote the invoice number INV-7 when you pay")],
    "beside-and-below": [Put(50, 80, "Contact"), Put(150, 80, "Ada Okonjo"), Put(50, 92, "Tobias Lind")],
    "two-places-differ": [Put(50, 80, "Contact: Ada Okonjo"), Put(50, 300, "Contact: Tobias Lind")],
    "not-of-the-type": [Put(50, 80, "Invoice date:"), Put(150, 80, "soon")],
    "ink-unread": [Put(50, 80, "Contact:"), Put(150, 80, "\N{REPLACEMENT CHARACTER}", 0.0)],
    "read-with-doubt": [Put(50, 80, "Contact:"), Put(150, 80, "Okonjo", 0.4)],
    "another-label": [Put(50, 80, "Contact"), Put(150, 80, "Phone:"), Put(210, 80, "01632 960731")],
    "a-figure-differs": [Put(50, 80, "lnvoice number2:"), Put(150, 80, "INV-7")],
}


@pytest.mark.parametrize("puts", UNJUDGED.values(), ids=UNJUDGED)
def test_what_is_not_clear_is_left_unjudged(puts: list[Put]) -> None:
    ballot = look(*puts)
    assert ballot.data == {}
    assert names(ballot.unsupported) == {str(name) for name in names(SCHEMA.leaves)}


@pytest.mark.parametrize(
    "puts",
    [
        [Put(50, 80, "lnvoice numher:"), Put(150, 80, "INV-7")],
        [Put(50, 80, "InvoiceNumber:"), Put(150, 80, "INV-7")],
        [Put(50, 80, "Invoice Number:"), Put(150, 80, "INV-7"), Put(50, 300, "Invoice no."), Put(150, 300, "INV-7")],
        [Put(50, 80, "Invoice number"), Put(135, 80, ":"), Put(150, 80, "INV-7")],
        [Put(50, 80, "Invoice number"), Put(150, 80, "......"), Put(200, 80, "INV-7")],
    ],
    ids=["misread", "glued", "twice-the-same", "colon-apart", "leaders"],
)
def test_a_label_is_found_as_it_was_recognised(puts: list[Put]) -> None:
    assert look(*puts).data == {"invoice_number": "INV-7"}


def test_a_label_with_a_colon_and_nothing_to_it_is_blank() -> None:
    ballot = look(
        Put(50, 80, "Contact:"), Put(300, 80, "Due date:"), Put(400, 80, "04/04/2025"), Put(50, 200, "Thank you")
    )
    assert ballot.data == {"contact": None, "due_date": "2025-04-04"}
    assert not ballot.asserts_null


FORM = schema(
    {
        "applicant": {"type": "object", "properties": {"name": TEXT, "phone": TEXT}},
        "emergency_contact": {"type": "object", "properties": {"name": TEXT, "phone": TEXT}},
        "member": BOOLEAN | {"title": "I am a member"},
        "newsletter": BOOLEAN | {"title": "Send me the newsletter"},
        "licence": BOOLEAN | {"title": "Driving licence"},
        "size": {"enum": ["S", "M", "L", None], "title": "Size"},
    }
)


def test_sections_and_boxes_to_tick() -> None:
    ballot = look(
        Put(50, 50, "Applicant"), Put(300, 50, "Emergency contact"),
        Put(50, 70, "Name:"), Put(100, 70, "Ada Okonjo"), Put(300, 70, "Name:"), Put(350, 70, "Tobias Lind"),
        Put(50, 84, "Phone:"), Put(100, 84, "07700 900288"), Put(300, 84, "Phone:"),
        Put(50, 120, "\N{BALLOT BOX WITH X} I am a member"), Put(300, 120, "\N{BALLOT BOX} Send me the newsletter"),
        Put(50, 140, "Driving licence:"), Put(150, 140, "\N{BALLOT BOX WITH X} Yes \N{BALLOT BOX} No"),
        Put(50, 160, "Size:"), Put(150, 160, "S \N{BALLOT BOX} M \N{BALLOT BOX WITH X} L \N{BALLOT BOX}"),
        compiled=FORM,
    )  # fmt: skip
    assert ballot.data == {
        "applicant": {"name": "Ada Okonjo", "phone": "07700 900288"},
        "emergency_contact": {"name": "Tobias Lind", "phone": None},
        "member": True,
        "newsletter": False,
        "licence": True,
        "size": "M",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Size: \N{BALLOT BOX} S \N{BALLOT BOX} M", {"size": None}),
        ("Size: \N{BALLOT BOX WITH X} S \N{BALLOT BOX WITH X} M", {}),
        ("Size: \N{BALLOT BOX WITH X} XXL", {}),
    ],
    ids=["none-ticked", "two-ticked", "no-member"],
)
def test_an_enumeration_by_ticks(text: str, expected: dict[str, Any]) -> None:
    data = look(Put(50, 80, text), compiled=FORM).data
    assert {key: value for key, value in data.items() if key == "size"} == expected


def test_names_of_columns_are_no_fields_and_end_values() -> None:
    ballot = look(Put(50, 80, "Contact:"), Put(120, 80, "Ada Okonjo"), Put(180, 80, "Price: 12.00"))
    assert ballot.data == {"contact": "Ada Okonjo"}


def test_what_a_table_took_is_no_field() -> None:
    rows = [("Code", "Price"), ("A-1", "5.00"), ("A-2", "7.00")]
    ballot = look(*grid(100, (50, 200), rows), Put(150, 160, "Total"), Put(200, 160, "12.00"))
    assert [row["price"] for row in ballot.data["lines"]] == [5, 7]
    assert ballot.data["total"] == 12


LEAF = Leaf(("name",), Comparator.TEXT, frozenset({"string"}))


def worth(matches: Sequence[Match]) -> float:
    return float(sum(match.weight * (match.stop - match.start) ** 1.2 for match in matches))


def are_disjoint(matches: Sequence[Match]) -> bool:
    spans = sorted((match.start, match.stop) for match in matches)
    return all(one[1] <= other[0] for one, other in pairwise(spans))


@given(
    st.lists(
        st.builds(
            lambda start, length, weight: Match(start, start + length, ((LEAF, weight / 10),)),
            st.integers(0, 7), st.integers(1, 4), st.integers(1, 10),
        ),
        max_size=7,
    )
)  # fmt: skip
def test_the_labels_of_a_line_are_the_best_disjoint_ones(matches: list[Match]) -> None:
    found = chosen(matches)
    assert are_disjoint(found)
    subsets = (subset for size in range(len(matches) + 1) for subset in combinations(matches, size))
    assert worth(found) == pytest.approx(max(worth(subset) for subset in subsets if are_disjoint(subset)))
