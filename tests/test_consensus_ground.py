"""Where a proposed value stands: citations by row, places that are one place, and values found on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import exact, leaf_of, schema_of
from consensus.ground import ground, printed_on
from consensus.vote import vote
from groundtruth.ballot import Ballot
from groundtruth.box import Box
from groundtruth.evidence import Evidence, Source
from groundtruth.page_words import Word
from groundtruth.pages import Page, open_document
from groundtruth.path import parse_path
from locate_builders import table_page

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


INK, FONT, CELL = Box(0.205, 0.106, 0.275, 0.113), Box(0.2, 0.1, 0.28, 0.12), Box(0.15, 0.09, 0.45, 0.125)
SLIVER, LABEL, NOTHING = Box(0.2, 0.119, 0.28, 0.1195), Box(0.1, 0.1, 0.18, 0.12), Box(0.5, 0.7, 0.6, 0.8)
TOTAL = schema_of({"total": {"type": "number"}})


class _Words(NamedTuple):
    """A page for which nobody needs a file."""

    number: int
    words: tuple[Word, ...]
    width: float = 600
    height: float = 800
    is_recognised: bool = False


def page_of_words(*printed: tuple[str, Box], number: int = 1) -> Page:
    words = tuple(Word(place, text, box, place, 0) for place, (text, box) in enumerate(printed))
    return cast(Page, _Words(number, words))


PAGE = page_of_words(("Total:", LABEL), ("5", FONT), ("EUR", Box(0.3, 0.1, 0.36, 0.12)), ("5", BELOW))


def places_of(boxes: Mapping[str, Sequence[Evidence]], *pages: Page) -> list[tuple[int, tuple[int, ...], str]]:
    """Page, words and systems of the places of one leaf on which all systems agree."""
    ballots = [cited(name, {"total": 5}, {"total": list(places)}) for name, places in boxes.items()]
    location = ground(vote(TOTAL, ballots), TOTAL, ballots, pages).leaves[0].location
    return [(place.page, place.words, "".join(place.systems)) for place in location.evidence]


@pytest.mark.parametrize(
    ("cites", "expected"),
    [
        pytest.param({"A": INK, "B": FONT}, [(1, (1,), "AB")], id="ink box and font box"),
        pytest.param({"A": SLIVER, "B": INK}, [(1, (1,), "AB")], id="a sliver of the word, and the middle of it"),
        pytest.param({"A": FONT, "B": CELL}, [(1, (1,), "AB")], id="the word, and the cell: the narrower is kept"),
        pytest.param({"A": CELL, "B": FONT}, [(1, (1,), "AB")], id="the same under other names"),
        pytest.param({"A": CELL, "B": CELL, "C": FONT}, [(1, (1, 2), "ABC")], id="as most cite it"),
        pytest.param({"A": FONT, "B": BELOW}, [(1, (1,), "A"), (1, (3,), "B")], id="printed in two places"),
        pytest.param({"A": FONT, "B": BELOW, "C": BELOW}, [(1, (3,), "BC"), (1, (1,), "A")], id="most cited first"),
        pytest.param({"A": FONT, "B": LABEL}, [(1, (1,), "A")], id="beside other words"),
        pytest.param({"A": FONT, "B": NOTHING}, [(1, (1,), "A")], id="beside no words"),
    ],
)
def test_places_are_compared_by_their_words(cites: Mapping[str, Box], expected: list[tuple[int, Any, str]]) -> None:
    assert places_of({name: [at(1, box)] for name, box in cites.items()}, PAGE) == expected


def test_a_cited_place_is_framed_as_the_page_has_it_and_the_ballot_keeps_its_own() -> None:
    ballots = [cited("A", {"total": 5}, {"total": [at(1, INK)]})]
    (place,) = ground(vote(TOTAL, ballots), TOTAL, ballots, [PAGE]).leaves[0].location.evidence
    assert (place.boxes, place.quote, place.words) == ((FONT,), "5", (1,))
    assert ballots[0].citations[parse_path("total")][0].boxes == (INK,)


def test_words_that_a_system_claims_are_not_believed() -> None:
    lie = Evidence(page=1, boxes=(NOTHING,), quote="5", words=(1,), source=Source.CITED)
    assert places_of({"A": [lie], "B": [at(1, FONT)]}, PAGE) == [(1, (1,), "B")]
    assert places_of({"A": [lie]}, page_of_words()) == [(1, (), "A")]


def test_a_page_without_words_is_compared_by_boxes() -> None:
    blank = page_of_words()
    assert places_of({"A": [at(1, HERE)], "B": [at(1, BESIDE)], "C": [at(1, BELOW)]}, blank) == [
        (1, (), "AB"),
        (1, (), "C"),
    ]


def test_citations_of_pages_that_are_not_there_are_not_used() -> None:
    ballots = [
        cited("A", {"total": 5}, {"total": [at(1, FONT)]}),
        cited("B", {"total": 5}, {"total": [at(9, FONT), at(7, FONT)]}),
    ]
    result = ground(vote(TOTAL, ballots), TOTAL, ballots, [PAGE])
    assert [(place.page, place.systems) for place in result.leaves[0].location.evidence] == [(1, ("A",))]
    assert result.messages == ("B: cites page 7, and the document has 1; 2 such citations are not used",)
    without_a_file = ground(vote(TOTAL, ballots), TOTAL, ballots, [])
    assert len(without_a_file.leaves[0].location.evidence) == 3
    assert without_a_file.messages == ()


def test_a_value_whose_only_citation_is_not_used_is_sought() -> None:
    ballots = [cited("A", {"total": 5}, {"total": [at(9, FONT)]})]
    location = ground(vote(TOTAL, ballots), TOTAL, ballots, [PAGE]).leaves[0].location
    assert (location.reason, location.evidence[0].words) == ("label_context", (1,))


@pytest.mark.parametrize("false", [pytest.param(box, id=name) for name, box in (("label", LABEL), ("blank", NOTHING))])
def test_a_citation_of_other_words_gives_way_to_where_the_value_is_printed(false: Box) -> None:
    ballots = [cited(name, {"total": 5}, {"total": [at(1, false)]} if name in "AB" else {}) for name in "ABC"]
    result = ground(vote(TOTAL, ballots), TOTAL, ballots, [PAGE])
    location = result.leaves[0].location
    assert (location.reason, location.certain, location.evidence[0].words) == ("label_context", True, (1,))
    assert result.messages == tuple(
        f"{name}: 1 of its citations stand on other words than the value; they are not used" for name in "AB"
    )


@pytest.mark.parametrize(
    ("subschema", "value", "place"),
    [
        pytest.param({"type": "number"}, 7, at(1, FONT), id="a sum that is printed nowhere"),
        pytest.param({"type": "number"}, 7, at(1, NOTHING), id="a figure that is part of a picture"),
        pytest.param({"type": "boolean"}, True, at(1, FONT), id="a tick"),
        pytest.param({"enum": ["EUR", "USD"]}, "EUR", at(1, LABEL), id="a member of an enumeration"),
        pytest.param({"type": "array", "items": {"type": "string"}}, ["EUR", "5"], at(1, FONT), id="an item of a list"),
        pytest.param({"type": "number"}, 5, Evidence(page=1, source=Source.CITED), id="the page alone"),
    ],
)
def test_a_citation_of_other_words_counts_where_nothing_speaks_against_it(
    subschema: Any, value: Any, place: Evidence
) -> None:
    schema = schema_of({"field": subschema})
    ballots = [cited("A", {"field": value}, {"field": [place]})]
    result = ground(vote(schema, ballots), schema, ballots, [PAGE])
    location = result.leaves[0].location
    assert (location.reason, location.certain, len(location.evidence)) == ("cited", True, 1)
    assert location.evidence[0].boxes == place.boxes
    assert result.messages == ()


@pytest.mark.parametrize(
    ("subschema", "value", "printed"),
    [
        pytest.param({"type": "number"}, "1,234.50", "1,234.50", id="as it is printed"),
        pytest.param({"type": "number"}, 1234.5, "$ 1,234.50 due", id="an amount among other words"),
        pytest.param({"type": "string"}, "ACME Corp", "Acme  Corp.", id="another case"),
        pytest.param({"type": "string"}, "example", "exam- ple", id="broken at the end of a line"),
        pytest.param({"type": "string", "format": "date"}, "2026-03-04", "4 March 2026", id="a date in words"),
    ],
)
def test_words_say_a_value_in_any_way_of_writing_it(subschema: Any, value: Any, printed: str) -> None:
    schema = schema_of({"field": subschema})
    texts = printed.split()
    boxes = [Box(0.1 + 0.1 * column, 0.1, 0.18 + 0.1 * column, 0.12) for column in range(len(texts))]
    page = page_of_words(*zip(texts, boxes, strict=True), *((text, Box(0.1, 0.7, 0.2, 0.72)) for text in texts[:1]))
    ballots = [cited("A", exact({"field": value}), {"field": [at(1, Box(0.1, 0.1, 0.9, 0.12))]})]
    location = ground(vote(schema, ballots), schema, ballots, [page]).leaves[0].location
    assert (location.reason, location.evidence[0].quote) == ("cited", " ".join(texts))


def test_cited_cells_tell_where_the_others_of_their_row_stand() -> None:
    schema = schema_of(ITEMS, identity={"items": ["sku"]})
    table = table_page([["a-1", "2"], ["b-1", "2"], ["c-1", "2"]], (50, 300))
    skus = [table.words[2 * row].box for row in range(3)]
    ballots = [
        cited(
            "A",
            {"items": [{"sku": sku, "qty": 2} for sku in ("a-1", "b-1", "c-1")]},
            {f"items[{row}].sku": [at(1, box)] for row, box in enumerate(skus)},
        )
    ]
    result = ground(vote(schema, ballots), schema, ballots, [cast(Page, table)])
    for row in range(3):
        assert leaf_of(result, f"items[{row}].sku").location.reason == "cited"
        assert leaf_of(result, f"items[{row}].qty").location.evidence[0].words == (2 * row + 1,)


def test_recognised_words_prove_no_spelling() -> None:
    words = cast(_Words, page_of_words(("Acme", FONT)))
    assert printed_on([cast(Page, words)])("Acme")
    assert not printed_on([cast(Page, words._replace(is_recognised=True))])("Acme")


CITES = st.lists(st.sampled_from([INK, FONT, CELL, SLIVER, HERE, BELOW, Box(0.0, 0.0, 1.0, 1.0)]), max_size=2)


@given(st.lists(CITES, min_size=2, max_size=5))
def test_the_names_of_systems_change_nothing_but_names(boxes: list[list[Box]]) -> None:
    def places(names: str) -> list[tuple[int, tuple[int, ...], frozenset[str]]]:
        cites = {name: [at(1, box) for box in own] for name, own in zip(names, boxes, strict=False)}
        renamed = dict(zip(names, "ABCDE", strict=True))
        return [(page, words, frozenset(renamed[one] for one in who)) for page, words, who in places_of(cites, PAGE)]

    assert places("ABCDE") == places("EDCBA")
