"""Where a proposed value stands: citations by row, places that are one place, and values found on the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf
import pytest

from builders import leaf_of, schema_of
from consensus.ground import ground, printed_on
from consensus.vote import vote
from groundtruth.ballot import Ballot
from groundtruth.box import Box
from groundtruth.evidence import Evidence, Source
from groundtruth.pages import open_document
from groundtruth.path import parse_path

HERE, BESIDE, BELOW = Box(0.1, 0.1, 0.3, 0.12), Box(0.1, 0.098, 0.3, 0.122), Box(0.1, 0.5, 0.3, 0.52)
ITEMS = {
    "items": {
        "type": "array",
        "items": {"type": "object", "properties": {"sku": {"type": "string"}, "qty": {"type": "number"}}},
    }
}


def cited(system: str, data: Any, places: dict[str, list[Evidence]]) -> Ballot:
    return Ballot(
        system,
        system,
        data=data,
        citations={parse_path(path): tuple(evidence) for path, evidence in places.items()},
    )


def at(page: int, box: Box) -> Evidence:
    return Evidence(page=page, boxes=(box,), source=Source.CITED)


def test_case_68_a_value_cited_in_two_places_keeps_both() -> None:
    schema = schema_of({"total": {"type": "number"}})
    ballots = [cited(name, {"total": 5}, {"total": [at(1, HERE)]}) for name in "AB"]
    ballots += [cited(name, {"total": 5}, {"total": [at(3, BELOW)]}) for name in "CDE"]
    location = ground(vote(schema, ballots), schema, ballots, []).leaves[0].location
    assert [(place.page, place.systems) for place in location.evidence] == [(3, ("C", "D", "E")), (1, ("A", "B"))]
    assert location.certain


def test_boxes_that_frame_the_same_words_are_one_place() -> None:
    schema = schema_of({"total": {"type": "number"}})
    ballots = [
        cited("A", {"total": 5}, {"total": [at(1, HERE)]}),
        cited("B", {"total": 5}, {"total": [at(1, BESIDE)]}),
        cited("C", {"total": 5}, {"total": [at(2, HERE)]}),
    ]
    location = ground(vote(schema, ballots), schema, ballots, []).leaves[0].location
    assert [(place.page, place.systems) for place in location.evidence] == [(1, ("A", "B")), (2, ("C",))]


def test_losers_citations_are_no_evidence() -> None:
    schema = schema_of({"total": {"type": "number"}})
    ballots = [cited(name, {"total": 5}, {}) for name in "ABC"] + [cited("D", {"total": 6}, {"total": [at(1, HERE)]})]
    assert ground(vote(schema, ballots), schema, ballots, []).leaves[0].location.evidence == ()


def test_citations_follow_their_rows_not_their_indices() -> None:
    schema = schema_of(ITEMS, identity={"items": ["sku"]})
    first, second = {"sku": "a", "qty": 1}, {"sku": "b", "qty": 2}
    ballots = [
        cited("A", {"items": [first, second]}, {"items[1].qty": [at(1, BELOW)]}),
        cited("B", {"items": [second, first]}, {"items[0].qty": [at(1, BELOW)], "items[1].qty": [at(1, HERE)]}),
        cited("C", {"items": [first, second]}, {}),
    ]
    result = ground(vote(schema, ballots), schema, ballots, [])
    index = result.proposal["items"].index(second)
    places = leaf_of(result, f"items[{index}].qty").location.evidence
    assert [(place.boxes, place.systems) for place in places] == [((BELOW,), ("A", "B"))]


@pytest.fixture
def page_with_values(tmp_path: Path) -> Path:
    document = pymupdf.open()
    page = document.new_page(width=600, height=800)
    page.insert_text((50, 100), "Invoice number: INV-7")
    page.insert_text((50, 140), "Total due: 1,234.50 EUR")
    path = tmp_path / "page.pdf"
    document.save(path)
    return path


def test_a_value_that_nobody_cites_is_found_on_the_page(page_with_values: Path) -> None:
    schema = schema_of({"invoice_number": {"type": "string"}, "total_due": {"type": "number"}})
    ballots = [Ballot(name, name, data={"invoice_number": "INV-7", "total_due": 1234}) for name in "ABC"]
    ballots = [Ballot(name, name, data={"invoice_number": "INV-7", "total_due": "1,234.50"}) for name in "ABC"]
    with open_document(page_with_values) as source:
        pages = [source.page(1)]
        result = ground(vote(schema, ballots), schema, ballots, pages)
        printed = printed_on(pages)
    number, total = leaf_of(result, "invoice_number").location, leaf_of(result, "total_due").location
    assert (number.certain, number.evidence[0].quote) == (True, "INV-7")
    assert (total.certain, total.evidence[0].page) == (True, 1)
    box = total.evidence[0].hull
    assert box is not None
    assert 120 / 800 < box.y0 < box.y1 < 150 / 800
    assert printed("Invoice number: INV-7")
    assert not printed("INV-8")


def test_spellings_that_tie_are_decided_by_what_is_printed(page_with_values: Path) -> None:
    schema = schema_of({"title": {"type": "string"}}, fields={"title": {"comparator": "case_insensitive"}})
    ballots = [Ballot("A", "A", data={"title": "INVOICE NUMBER"}), Ballot("B", "B", data={"title": "Invoice number"})]
    with open_document(page_with_values) as source:
        pages = [source.page(1)]
        assert vote(schema, ballots, printed=printed_on(pages)).leaves[0].value == "Invoice number"
    assert vote(schema, ballots).leaves[0].value == "INVOICE NUMBER"
