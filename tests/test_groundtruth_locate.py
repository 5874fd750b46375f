"""A value to its words: what counts as printed, which place is meant, and what is left open."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path as FilePath
from typing import Any

import pytest

from groundtruth.evidence import Kind, Source
from groundtruth.jsontext import Json
from groundtruth.locate import MOST_LISTED, Outcome, Sought, locate
from groundtruth.path import parse_path
from groundtruth.rules import Comparator, ListOrder
from locate_builders import (
    HEIGHT,
    WIDTH,
    Printed,
    corner,
    find,
    leaf,
    pages_of,
    pdf,
    quotes,
    sought,
    words_page,
)

INVOICE: Sequence[Printed] = (
    (50, 50, "Northwind Tools Ltd."),
    (50, 70, "Invoice No: NT-20417"),
    (50, 90, "Issued: March 5, 2024"),
    (400, 90, "Due: 04.04.2024"),
    (50, 120, "Subtotal"),
    (500, 120, "1,234.50"),
)
WRAPPED_CELL: Sequence[Printed] = (
    (50, 100, "Hand-forged garden"),
    (300, 100, "4"),
    (400, 100, "19.00"),
    (50, 113, "spade, ash handle"),
    (300, 113, "pcs"),
)


def test_a_value_printed_once_has_the_box_of_its_words(tmp_path: FilePath) -> None:
    page = pages_of(pdf([INVOICE]), tmp_path)[0]
    location = find(sought("vendor", "Northwind Tools Ltd."), page)
    words = [word for word in page.words if word.text in {"Northwind", "Tools", "Ltd."}]
    assert location.certain
    assert location.reason == Outcome.UNIQUE
    (evidence,) = location.evidence
    assert (evidence.page, evidence.quote, evidence.kind, evidence.source, evidence.systems) == (
        1,
        "Northwind Tools Ltd.",
        Kind.LINE,
        Source.LOCATED,
        (),
    )
    (box,) = evidence.boxes
    assert (box.x0, box.y0, box.x1, box.y1) == (words[0].box.x0, words[0].box.y0, words[-1].box.x1, words[-1].box.y1)


def test_a_value_on_the_third_page_has_evidence_on_page_three(tmp_path: FilePath) -> None:
    pages = pages_of(pdf([[(50, 50, "first")], [(50, 50, "second")], [(50, 50, "Reference QX-77812")]]), tmp_path)
    location = find(sought("reference", "QX-77812"), *pages)
    assert [evidence.page for evidence in location.evidence] == [3]


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_turned_page_has_its_box_where_the_word_is_shown(tmp_path: FilePath, rotation: int) -> None:
    page = pages_of(pdf([INVOICE], rotation=rotation), tmp_path)[0]
    location = find(sought("number", "NT-20417", Comparator.IDENTIFIER), page)
    (word,) = [word for word in page.words if word.text == "NT-20417"]
    assert location.certain
    assert location.evidence[0].boxes == (word.box,)


@pytest.mark.parametrize("writing", [0, 90, 180, 270])
@pytest.mark.parametrize("rotation", [0, 90])
def test_lines_are_found_in_the_direction_of_writing(tmp_path: FilePath, rotation: int, writing: int) -> None:
    across, down = {0: (0, 14), 90: (14, 0), 180: (0, -14), 270: (-14, 0)}[writing]
    lines = ["deliver all of it to the", "back door of the house", "in the small hours"]
    printed = [(300.0 + across * index, 400.0 + down * index, line) for index, line in enumerate(lines)]
    page = pages_of(pdf([printed], rotation=rotation, writing=writing), tmp_path)[0]
    location = find(sought("note", "all of it to the back door of the house"), page)
    assert quotes(location) == ["all of it to the back door of the house"]
    assert len(location.evidence[0].boxes) == 2


@pytest.mark.parametrize(
    ("printed", "value", "comparator"),
    [
        pytest.param("1,234.50", Decimal("1234.5"), Comparator.NUMBER, id="grouped"),
        pytest.param("$1,234.50", Decimal("1234.5"), Comparator.NUMBER, id="dollar sign on a number leaf"),
        pytest.param("EUR 1234.50", Decimal("1234.5"), Comparator.CURRENCY, id="code apart"),
        pytest.param("1.234,50 €", Decimal("1234.5"), Comparator.CURRENCY, id="decimal comma"),
        pytest.param("1 234,50", Decimal("1234.5"), Comparator.CURRENCY, id="groups set apart by spaces"),
        pytest.param("12,34,567", 1234567, Comparator.INTEGER, id="lakh"),
        pytest.param("(1,234.50)", Decimal("-1234.5"), Comparator.NUMBER, id="parentheses"),
        pytest.param("( 1,234.50 )", Decimal("-1234.5"), Comparator.NUMBER, id="parentheses apart"),
        pytest.param("1,234.50-", Decimal("-1234.5"), Comparator.NUMBER, id="trailing minus"),
        pytest.param("−1,234.50", Decimal("-1234.5"), Comparator.NUMBER, id="minus sign"),
        pytest.param("- 1,234.50", Decimal("-1234.5"), Comparator.NUMBER, id="minus apart"),
        pytest.param("1,234.5%", Decimal("1234.5"), Comparator.NUMBER, id="percent"),
        pytest.param("USD1,234.50", Decimal("1234.5"), Comparator.NUMBER, id="code glued on"),
        pytest.param("1,234.50.", Decimal("1234.5"), Comparator.NUMBER, id="end of a sentence"),
        pytest.param("٣٤٥٦٧", 34567, Comparator.INTEGER, id="arabic digits"),
        pytest.param("March 5, 2024", "2024-03-05", Comparator.DATE, id="month day year"),
        pytest.param("5 mars 2024", "2024-03-05", Comparator.DATE, id="french"),
        pytest.param("05/03/2024", "2024-03-05", Comparator.DATE, id="day first"),
        pytest.param("03/05/2024", "2024-03-05", Comparator.DATE, id="month first"),
        pytest.param("05.03.24", "2024-03-05", Comparator.DATE, id="two-digit year"),
        pytest.param("05-Mar-2024", "2024-03-05", Comparator.DATE, id="month name between dashes"),
        pytest.param("20240305", "2024-03-05", Comparator.DATE, id="compact"),
        pytest.param("2024年3月5日", "2024-03-05", Comparator.DATE, id="ideographs"),
        pytest.param("03/2024", "2024-03", Comparator.DATE, id="a month"),
        pytest.param("March 5, 2024", "2024-03-05", Comparator.TEXT, id="an ISO date on a text leaf"),
        pytest.param("$12,345.60", "12345.60", Comparator.TEXT, id="a number on a text leaf"),
        pytest.param("ACME Trading Co.", "ACME   Trading\nCo.", Comparator.TEXT, id="spacing"),
        pytest.param("“Green” Tea – loose", '"Green" Tea - loose', Comparator.TEXT, id="typography"),
        pytest.param("Café Zoë", "Cafe\u0301 Zoe\u0308", Comparator.TEXT, id="composed letters"),
        pytest.param("ﬁnal oﬀer", "final offer", Comparator.TEXT, id="ligatures"),
        pytest.param("SMITH,", "SMITH", Comparator.TEXT, id="punctuation behind"),
        pytest.param("#77120", "77120", Comparator.IDENTIFIER, id="number sign"),
        pytest.param("Widget Deluxe", "WIDGET DELUXE", Comparator.CASE_INSENSITIVE, id="case of no meaning"),
        pytest.param("Overnight", "overnight", Comparator.ENUM, id="enum in another case"),
    ],
)  # fmt: skip
def test_what_reads_as_the_value_is_a_place(printed: str, value: Json, comparator: Comparator) -> None:
    page = words_page([(50, 50, "Ledger"), (50, 100, printed), (50, 150, "kind regards")])
    location = find(sought("field", value, comparator), page)
    assert location.evidence, location
    assert location.evidence[0].boxes[0].y0 == pytest.approx(100 / HEIGHT)


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        pytest.param("1234", 12, id="beginning of a number"),
        pytest.param("1234", 34, id="end of a number"),
        pytest.param("1,234", 234, id="group of a number"),
        pytest.param("12.50", 12, id="before the point"),
        pytest.param("12.50", 50, id="after the point"),
        pytest.param("12/31/2024", 12, id="month of a date"),
        pytest.param("31 December 2024", 31, id="day of a written date"),
        pytest.param("14:30", 14, id="hour"),
        pytest.param("3月5日", 5, id="day in ideographs"),
        pytest.param("INV-1001", 1001, id="number of a code"),
        pytest.param("A12", 12, id="letter before"),
        pytest.param("1st", 1, id="ordinal"),
        pytest.param("2.4.1", 4, id="section number"),
        pytest.param("10²", 102, id="superscript"),
        pytest.param("1E5", 100000, id="code with an E"),
        pytest.param("1234", "12", id="digits of text"),
        pytest.param("12.50", "12", id="text before the point"),
        pytest.param("1 25", "125", id="digits apart"),
        pytest.param("12.5", "125", id="digits around a point"),
        pytest.param("C", "C++", id="letters alone"),
        pytest.param("Smithson", "Smith", id="beginning of a word"),
        pytest.param("John A. Smith", "John Smith", id="nothing is skipped"),
        pytest.param("12/31/2024", "2024-12", id="half a date"),
        pytest.param("1,5 million", 1500000, id="nothing is multiplied"),
    ],
)
def test_what_only_holds_the_value_is_no_place(printed: str, value: Json) -> None:
    page = words_page([(50, 50, "Ledger"), (50, 100, printed)])
    comparator = Comparator.DATE if value == "2024-12" else None
    location = find(sought("field", value, comparator), page)
    assert location.evidence == ()
    assert location.reason == Outcome.NOT_FOUND


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        pytest.param("Total:118.50", Decimal("118.5"), id="label glued on"),
        pytest.param("Ref:QX77812", "QX77812", id="text behind a label"),
        pytest.param("No.77120", "77120", id="number behind its prefix"),
        pytest.param("Nr.77120", 77120, id="number behind a german prefix"),
        pytest.param("PO1*1*120*EA*97.25*", Decimal("97.25"), id="field of a segment"),
        pytest.param("<id>QX77812</id>", "QX77812", id="tag"),
        pytest.param("2539.5kWh", Decimal("2539.5"), id="unit"),
        pytest.param("東京都港区芝公園", "港区芝公園", id="script without spaces"),
    ],
)
def test_a_part_of_a_word_has_the_box_of_the_word(printed: str, value: Json) -> None:
    page = words_page([(50, 50, "Ledger"), (50, 100, printed)])
    location = find(sought("field", value), page)
    (evidence,) = location.evidence
    assert (evidence.kind, evidence.quote) == (Kind.WORD, printed)
    assert evidence.boxes == (page.words[-1].box,)


def test_a_whole_word_comes_before_a_part_of_one() -> None:
    page = words_page([(50, 100, "Sum:4118.50"), (50, 150, "4118.50")])
    location = find(sought("amount", Decimal("4118.5")), page)
    assert location.certain
    assert quotes(location) == ["4118.50"]


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        pytest.param(["12 Hill Road", "Bristol BS1 4ST"], "12 Hill Road, Bristol BS1 4ST", id="comma at a line break"),
        pytest.param(["A very exten-", "sive report"], "A very extensive report", id="hyphen at the end of a line"),
        pytest.param(["Fusion of soft-", "ware teams"], "Fusion of software teams", id="hyphen again"),
        pytest.param(["First line", "second line", "third line"], "First line second line third line", id="three"),
    ],
)  # fmt: skip
def test_a_text_over_several_lines_has_a_box_per_line(tmp_path: FilePath, lines: Sequence[str], value: str) -> None:
    printed = [(50.0, 100.0 + 12 * index, line) for index, line in enumerate(lines)]
    page = pages_of(pdf([[*printed, (400, 100, "Page 7"), (400, 112, "of 9")]]), tmp_path)[0]
    location = find(sought("field", value), page)
    assert location.certain
    (evidence,) = location.evidence
    assert len(evidence.boxes) == len(lines)
    assert evidence.quote == " ".join(lines)
    assert all(upper.y0 < lower.y0 for upper, lower in zip(evidence.boxes, evidence.boxes[1:], strict=False))


def test_a_wrapped_cell_is_read_down_its_column() -> None:
    page = words_page(WRAPPED_CELL)
    location = find(sought("item", "Hand-forged garden spade, ash handle"), page)
    assert quotes(location) == ["Hand-forged garden spade, ash handle"]
    assert len(location.evidence[0].boxes) == 2


def test_several_places_without_a_sign_are_all_listed_and_none_is_certain() -> None:
    page = words_page([(50, 100, "granite"), (300, 200, "granite"), (200, 400, "granite")])
    location = find(sought("surface", "granite"), page)
    assert (location.certain, location.reason) == (False, Outcome.AMBIGUOUS)
    assert [round(evidence.boxes[0].y0 * HEIGHT) for evidence in location.evidence] == [100, 200, 400]


def test_a_word_printed_very_often_is_listed_up_to_a_limit() -> None:
    page = words_page([(50, 20 + 15 * line, "granite") for line in range(50)])
    location = find(sought("surface", "granite"), page)
    assert len(location.evidence) == MOST_LISTED


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("dueDate", (200, 120), id="key"),
        pytest.param("issueDate", (200, 100), id="other key"),
        pytest.param("delivery.date", (200, 140), id="object around the field"),
    ],
)
def test_labels_decide_between_equal_values(path: str, expected: tuple[float, float]) -> None:
    page = words_page(
        [
            (50, 100, "Issue Date"), (200, 100, "2024-03-05"),
            (50, 120, "Due Date:"), (200, 120, "2024-03-05"),
            (50, 140, "Delivery date"), (200, 140, "2024-03-05"),
        ]
    )  # fmt: skip
    location = find(sought(path, "2024-03-05", Comparator.DATE), page)
    assert (location.certain, location.reason) == (True, Outcome.LABEL_CONTEXT)
    assert corner(location) == expected


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param({"title": "Net weight"}, id="title"),
        pytest.param({"description": 'The figure called "Net weight" on the form'}, id="phrase of the description"),
    ],
)
def test_title_and_quoted_phrases_are_labels(parts: dict[str, Any]) -> None:
    page = words_page([(50, 100, "Gross weight"), (200, 100, "70"), (50, 120, "Net weight"), (200, 120, "70")])
    location = find(sought("f7", 70, **parts), page)
    assert corner(location) == (200, 120)
    assert location.certain


def test_a_label_above_its_value_decides_too() -> None:
    page = words_page([(50, 100, "Pieces"), (200, 100, "Rate"), (50, 114, "60"), (200, 114, "60")])
    location = find(sought("rate", 60), page)
    assert (location.certain, corner(location)) == (True, (200, 114))


def test_a_tag_before_its_value_is_its_label() -> None:
    page = words_page(
        [(50, 100, '<TaxAmount currency="EUR"> 200 </TaxAmount>'), (50, 120, "<NetAmount> 200 </NetAmount>")]
    )
    location = find(sought("taxAmount", 200), page)
    assert location.certain
    assert corner(location)[1] == 100


def test_one_value_under_the_same_label_on_every_page_is_proved_by_any_of_them() -> None:
    pages = [
        words_page([(400, 30, "Account Number: 6547"), (50, 100 * number, "text")], number) for number in (1, 2, 3)
    ]
    location = find(sought("accountNumber", "6547", Comparator.IDENTIFIER), *pages)
    assert (location.certain, location.reason) == (True, Outcome.REPEATED)
    assert [evidence.page for evidence in location.evidence] == [1, 2, 3]


def test_a_running_title_is_one_thing() -> None:
    pages = [words_page([(50, 30, "Northwind Tools Ltd."), (50, 100 * number, "text")], number) for number in (1, 2)]
    assert find(sought("vendor", "Northwind Tools Ltd."), *pages).reason == Outcome.REPEATED


def test_a_single_digit_printed_once_proves_nothing() -> None:
    page = words_page([(50, 100, "Page 3"), (50, 200, "of a long text with many words and 17 numbers 18 19 20 21")])
    location = find(sought("childCount", 3), page)
    assert (location.certain, location.reason) == (False, Outcome.WEAK)
    assert quotes(location) == ["3"]


def test_one_place_for_two_fields_needs_a_label() -> None:
    page = words_page([(50, 100, "Total"), (300, 100, "4,118.37"), (50, 130, "thank you")])
    found = locate([sought("total", Decimal("4118.37")), sought("subtotal", Decimal("4118.37"))], [page])
    assert found[parse_path("total")].certain
    assert found[parse_path("subtotal")].reason == Outcome.SHARED
    assert not found[parse_path("subtotal")].certain


@pytest.mark.parametrize(
    ("elsewhere", "expected"),
    [
        pytest.param("1.234,50 and 77,25", "5,125", id="the document writes decimal commas"),
        pytest.param("1,234.50 and 77.25", "5.125", id="the document writes decimal points"),
    ],
)
def test_the_document_decides_what_a_dot_means(elsewhere: str, expected: str) -> None:
    page = words_page([(50, 100, elsewhere), (50, 200, "5.125"), (50, 300, "5,125")])
    location = find(sought("charge", Decimal("5.125")), page)
    assert location.certain
    assert quotes(location) == [expected]


@pytest.mark.parametrize(
    ("locale", "expected"), [pytest.param("de-DE", "5,125", id="de-DE"), pytest.param("en-US", "5.125", id="en-US")]
)
def test_the_locale_decides_in_a_document_that_does_not_say(locale: str, expected: str) -> None:
    page = words_page([(50, 200, "5.125"), (50, 300, "5,125")])
    location = find(sought("load", Decimal("5.125"), rule={"locale": locale}), page)
    assert quotes(location) == [expected]


@pytest.mark.parametrize(
    ("value", "comparator", "reason"),
    [
        pytest.param(None, Comparator.TEXT, Outcome.NOT_SOUGHT, id="null"),
        pytest.param(True, Comparator.BOOLEAN, Outcome.NO_PRINTED_FORM, id="bare true"),
        pytest.param({"a": 1}, Comparator.OPAQUE, Outcome.NO_PRINTED_FORM, id="object"),
        pytest.param("—", Comparator.TEXT, Outcome.NO_PRINTED_FORM, id="nothing but punctuation"),
        pytest.param([], Comparator.LIST, Outcome.NO_PRINTED_FORM, id="empty list"),
    ],
)
def test_what_has_no_printed_form_is_not_sought(value: Json, comparator: Comparator, reason: Outcome) -> None:
    page = words_page([(50, 100, "true a 1")])
    location = find(sought("field", value, comparator), page)
    assert (location.evidence, location.certain, location.reason) == ((), False, reason)


def test_a_boolean_is_sought_by_the_words_that_were_read() -> None:
    page = words_page([(50, 100, "Smoker"), (200, 100, "Yes"), (50, 120, "Insured"), (200, 120, "Yes")])
    location = find(sought("smoker", True, Comparator.BOOLEAN, forms=("Yes",)), page)
    assert (location.certain, corner(location)) == (True, (200, 100))


def test_any_reading_of_the_value_may_be_what_is_printed() -> None:
    page = words_page([(50, 100, "ACME"), (50, 130, "Acme Trading Company")])
    location = find(
        sought("vendor", "ACME Trading Company", Comparator.CASE_INSENSITIVE, forms=("Acme Trading Company",)), page
    )
    assert quotes(location) == ["Acme Trading Company"]


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        pytest.param([[], []], Outcome.NO_TEXT, id="only images"),
        pytest.param([[(50.0, 50.0, "other")], []], Outcome.UNREAD_PAGES, id="one image"),
        pytest.param([[(50.0, 50.0, "other")]], Outcome.NOT_FOUND, id="text only"),
    ],
)
def test_pages_without_text_are_said(texts: Sequence[Sequence[Printed]], reason: Outcome) -> None:
    pages = [words_page(page, number) for number, page in enumerate(texts, 1)]
    assert find(sought("field", "missing"), *pages).reason == reason


def test_no_pages_are_no_text() -> None:
    assert locate([], []) == {}
    assert find(sought("field", "value")).reason == Outcome.NOT_FOUND


def _list_of(value: Json, order: ListOrder = ListOrder.ORDERED) -> Sought:
    item = leaf("tags", Comparator.TEXT)
    return sought("tags", value, Comparator.LIST, item=item, rule={"list": order})


def test_a_list_is_certain_when_each_item_is() -> None:
    page = words_page([(50, 100, "linear actuator"), (50, 300, "torsion spring"), (50, 500, "ball bearing")])
    location = find(_list_of(["torsion spring", "ball bearing"]), page)
    assert (location.certain, location.reason) == (True, Outcome.ITEMS)
    (evidence,) = location.evidence
    assert evidence.quote == "torsion spring ball bearing"
    assert [round(box.y0 * HEIGHT) for box in evidence.boxes] == [300, 500]


def test_a_list_with_an_item_that_is_not_printed_is_not_found() -> None:
    page = words_page([(50, 100, "torsion spring")])
    location = find(_list_of(["torsion spring", "cog wheel"]), page)
    assert (location.certain, location.reason) == (False, Outcome.NOT_FOUND)


def test_two_columns_of_text_are_not_read_across() -> None:
    page = words_page([(50, 100, "north"), (400, 100, "west wing"), (50, 113, "east wing"), (400, 113, "attic")])
    assert find(sought("part", "north west wing"), page).reason in {Outcome.UNIQUE, Outcome.NOT_FOUND}
    assert quotes(find(sought("part", "north east wing"), page)) == ["north east wing"]


def test_boxes_are_on_the_page(tmp_path: FilePath) -> None:
    page = pages_of(pdf([[(560, 100, "overhang-value-1")]]), tmp_path)[0]
    location = find(sought("field", "overhang-value-1"), page)
    assert location.evidence[0].boxes[0].x1 <= 1
    assert location.evidence[0].boxes[0].x0 == pytest.approx(560 / WIDTH, abs=0.01)
