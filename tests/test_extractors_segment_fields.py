"""Fields on recognised pages: labels beside, above and before values, headings, marks, blanks, and what is no value."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from extraction_builders import BOOLEAN, DATE, NUMBER, TEXT, names, schema
from extractors.ocr_rapid import read_pages
from groundtruth.schema import FrozenSchema
from segment_builders import Run, recognised

ORDER = schema(
    {
        "order_number": TEXT,
        "order_date": DATE,
        "due_date": DATE,
        "total": NUMBER,
        "currency": TEXT,
        "delivery_address": TEXT,
    }
)


def read(compiled: FrozenSchema, *runs: Run) -> Any:
    return read_pages([recognised(*runs)], compiled).data


@pytest.mark.parametrize(
    "runs",
    [
        pytest.param([Run(50, 100, "Order Number"), Run(200, 100, "PO-77")], id="beside"),
        pytest.param([Run(50, 100, "Order Number: PO-77")], id="after a colon in the same run"),
        pytest.param([Run(50, 100, "Order Number:"), Run(200, 100, "PO-77")], id="beside, after a colon"),
        pytest.param([Run(50, 100, "Order Number"), Run(50, 113, "PO-77")], id="below"),
        pytest.param([Run(50, 100, "Order No. PO-77")], id="in the same run, told by its type"),
        pytest.param([Run(50, 100, "0rder Nurnber"), Run(200, 100, "PO-77")], id="misspelt"),
    ],
)
def test_where_a_value_may_stand(runs: list[Run]) -> None:
    assert read(ORDER, *runs) == {"order_number": "PO-77"}


def test_values_stand_where_the_other_values_of_the_document_stand() -> None:
    runs = [Run(50, 100, "Order date"), Run(200, 100, "Currency"), Run(350, 100, "Ship via"), Run(450, 100, "Due date")]
    runs += [Run(50, 113, "2025-03-01"), Run(200, 113, "EUR"), Run(350, 113, "Road"), Run(450, 113, "2025-04-01")]
    assert read(ORDER, *runs) == {"order_date": "2025-03-01", "currency": "EUR", "due_date": "2025-04-01"}


def test_a_neighbouring_label_is_no_value() -> None:
    runs = [Run(50, 100, "Order date"), Run(200, 100, "Currency"), Run(350, 100, "Ship via"), Run(450, 100, "Due date")]
    runs += [Run(50, 113, "2025-03-01"), Run(450, 113, "2025-04-01")]
    assert read(ORDER, *runs).get("currency") is None


def test_a_place_without_a_value_is_null_and_no_label_is_no_vote() -> None:
    ballot = read_pages(
        [recognised(Run(50, 100, "Order number:"), Run(50, 150, "Total"), Run(200, 150, "5.00"))], ORDER
    )
    assert ballot.data == {"order_number": None, "total": Decimal("5.00")}
    assert names(ballot.unsupported) == {"order_date", "due_date", "currency", "delivery_address"}
    assert not ballot.asserts_null


def test_a_value_that_is_hardly_legible_is_no_vote() -> None:
    ballot = read_pages([recognised(Run(50, 100, "Total"), Run(200, 100, "5.00", confidence=0.3))], ORDER)
    assert ballot.data == {}
    assert "total" in names(ballot.unsupported)


def test_two_places_that_disagree_are_no_vote() -> None:
    assert "total" not in read(ORDER, Run(50, 100, "Total:"), Run(200, 100, "5.00"), Run(50, 300, "Total: 6.00"))


def test_a_label_in_a_sentence_is_none() -> None:
    assert read(ORDER, Run(50, 100, "Please quote the order number on all letters to us")) == {}


def test_an_address_has_lines_and_ends_at_the_next_label() -> None:
    runs = [Run(50, 100, "Delivery address:"), Run(200, 100, "12 High Street"), Run(200, 112, "London")]
    runs += [Run(50, 124, "Contact:"), Run(200, 124, "Jo Hart")]
    assert read(ORDER, *runs)["delivery_address"] == "12 High Street London"


def test_a_heading_tells_equal_labels_apart() -> None:
    person = {"type": "object", "properties": {"name": TEXT, "phone": TEXT}}
    parties = schema({"buyer": person, "seller": person})
    runs = [Run(50, 80, "Buyer"), Run(300, 80, "Seller")]
    runs += [Run(50, 100, "Name:"), Run(120, 100, "Ada Hill"), Run(300, 100, "Name:"), Run(370, 100, "Bo Lund")]
    assert read(parties, *runs) == {"buyer": {"name": "Ada Hill"}, "seller": {"name": "Bo Lund"}}
    without = read(parties, *runs[2:4])
    assert without == {"buyer": {}, "seller": {}}


APPLICATION = schema(
    {
        "site_plan": BOOLEAN,
        "own_vehicle": BOOLEAN,
        "size": {"enum": ["S", "M", "L", None]},
    }
)


@pytest.mark.parametrize(
    ("runs", "value"),
    [
        pytest.param([Run(50, 100, "☒"), Run(65, 100, "Site plan")], True, id="ticked"),
        pytest.param([Run(50, 100, "☐"), Run(65, 100, "Site plan")], False, id="not ticked"),
        pytest.param([Run(50, 100, "[X] Site plan")], True, id="in the same run"),
        pytest.param([Run(50, 100, "Site plan"), Run(200, 100, "Yes")], True, id="in words"),
        pytest.param([Run(50, 100, "Site plan:"), Run(200, 100, "No")], False, id="no in words"),
    ],
)
def test_a_statement(runs: list[Run], value: bool) -> None:
    assert read(APPLICATION, *runs) == {"site_plan": value}


@pytest.mark.parametrize(
    ("marks", "value"),
    [
        pytest.param("☒☐", {"own_vehicle": True}, id="yes"),
        pytest.param("☐☒", {"own_vehicle": False}, id="no"),
        pytest.param("☐☐", {}, id="neither"),
        pytest.param("☒☒", {}, id="both"),
    ],
)
@pytest.mark.parametrize("before", [pytest.param(True, id="marks before"), pytest.param(False, id="marks after")])
def test_yes_and_no_with_marks(marks: str, value: dict[str, bool], before: bool) -> None:
    words = [marks[0], "Yes", marks[1], "No"] if before else ["Yes", marks[0], "No", marks[1]]
    runs = [Run(200 + 25 * place, 100, word) for place, word in enumerate(words)]
    assert read(APPLICATION, Run(50, 100, "Own vehicle?"), *runs) == value


def test_one_of_several_options() -> None:
    options = [Run(50, 120, "☐"), Run(62, 120, "S"), Run(90, 120, "☒"), Run(102, 120, "M"), Run(50, 140, "☐")]
    assert read(APPLICATION, Run(50, 100, "Size"), *options, Run(62, 140, "L")) == {"size": "M"}
