"""Where the candidates of a contested leaf may stand."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pymupdf
import pytest

from builders import schema_of
from consensus.candidate_places import MOST_PLACES, candidate_places
from consensus.vote import vote
from groundtruth.ballot import Ballot
from groundtruth.box import Box
from groundtruth.consensus import Location
from groundtruth.evidence import Evidence, Source
from groundtruth.jsontext import Json
from groundtruth.pages import open_document
from groundtruth.path import ROOT, parse_path

FIELDS = {"invoice_number": {"type": "string"}, "total": {"type": "number"}}


@pytest.fixture
def two_pages(tmp_path: Path) -> Path:
    document = pymupdf.open()
    first = document.new_page(width=600, height=800)
    first.insert_text((50, 100), "Invoice number: INV-24417")
    first.insert_text((50, 140), "Total: 339.60")
    document.new_page(width=600, height=800).insert_text((50, 300), "Total carried forward: 283.00")
    path = tmp_path / "two.pdf"
    document.save(path)
    return path


def places(file: Path, answers: dict[str, dict[str, Json]], path: str, **citations: Evidence) -> Location:
    schema = schema_of(FIELDS)
    ballots = [
        Ballot(
            name,
            name,
            data=answer,
            citations={parse_path(path): (citations[name],)} if name in citations else {},
        )
        for name, answer in answers.items()
    ]
    with open_document(file) as source:
        pages = [source.page(1), source.page(2)]
        found = candidate_places(vote(schema, ballots), schema, ballots, pages, {parse_path(path)})
    return found[parse_path(path)]


def test_each_candidate_of_a_split_leaf_is_found_where_it_is_printed(two_pages: Path) -> None:
    location = places(two_pages, {"A": {"total": 339.6}, "B": {"total": 283}}, "total")
    assert [(place.page, place.quote, place.value) for place in location.evidence] == [
        (2, "283.00", 283),
        (1, "339.60", Decimal("339.6")),
    ]
    assert not location.certain


def test_one_place_is_certain_though_only_one_candidate_reads_it_right(two_pages: Path) -> None:
    answers = {"A": {"invoice_number": "INV-24417"}, "B": {"invoice_number": "INV-2O4417"}}
    location = places(two_pages, answers, "invoice_number")
    assert [place.quote for place in location.evidence] == ["INV-24417"]
    assert location.certain


def test_a_citation_whose_words_say_the_value_comes_before_a_search(two_pages: Path) -> None:
    word = Evidence(page=1, boxes=(Box(0.14, 0.15, 0.25, 0.18),), source=Source.CITED)
    location = places(two_pages, {"A": {"total": 339.6}, "B": {"total": 5}}, "total", A=word)
    assert [(place.systems, place.quote) for place in location.evidence] == [(("A",), "339.60")]


def test_null_candidates_and_values_that_are_not_printed_have_no_place(two_pages: Path) -> None:
    location = places(two_pages, {"A": {"total": 77}, "B": {"total": None}}, "total")
    assert (location.evidence, location.certain) == ((), False)


def test_a_path_that_the_vote_lacks_is_passed_over_and_no_file_finds_nothing() -> None:
    schema = schema_of(FIELDS)
    ballots = [Ballot("A", "A", data={"total": 1}), Ballot("B", "B", data={"total": 2})]
    total = parse_path("total")
    assert candidate_places(vote(schema, ballots), schema, ballots, [], {total, ROOT}) == {
        total: Location(reason="no_candidate_found")
    }


def test_a_value_printed_all_over_the_page_lists_a_few_places(tmp_path: Path) -> None:
    document = pymupdf.open()
    for _ in range(2):
        page = document.new_page(width=600, height=800)
        for line in range(20):
            page.insert_text((50, 50 + 30 * line), "7")
    path = tmp_path / "sevens.pdf"
    document.save(path)
    location = places(path, {"A": {"total": 7}, "B": {"total": 8}}, "total")
    assert len(location.evidence) == MOST_PLACES
    assert not location.certain
