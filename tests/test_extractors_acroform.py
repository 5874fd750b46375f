"""The extractor of form fields, on forms drawn here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfWriter
from pypdf.generic import BooleanObject, NameObject, NumberObject, RectangleObject, TextStringObject

import document_builders
from extraction_builders import BOOLEAN, DATE, INTEGER, NUMBER, TEXT, job, names, records, schema
from extractors.acroform import AcroForm
from extractors.protocol import run
from form_builders import HEIGHT, WIDTH, FormSheet, edited
from groundtruth.ballot import Ballot, Failure, Status
from groundtruth.ballot_json import ballot_from_json, ballot_to_json
from groundtruth.evidence import Evidence
from groundtruth.jsontext import Json, Malformed
from groundtruth.schema import FrozenSchema

SIZE = {"type": ["string", "null"], "enum": ["S", "M", "XL", None], "title": "T-shirt size"}
TAGS = {"type": ["array", "null"], "items": {"type": "string"}, "title": "Interests"}


def read(file: Path, compiled: FrozenSchema, **settings: Any) -> Ballot:
    return run(AcroForm(), job(file, compiled, **settings))


def read_ok(sheet: FormSheet, tmp_path: Path, compiled: FrozenSchema) -> Ballot:
    ballot = read(sheet.write(tmp_path / "form.pdf"), compiled)
    assert ballot.status is Status.OK, ballot.detail
    return ballot


def data_of(sheet: FormSheet, tmp_path: Path, properties: dict[str, Any], **rules: Any) -> Json:
    """What is read, without what is unsupported."""
    return read_ok(sheet, tmp_path, schema(properties, **rules)).data


def with_another(sheet: FormSheet) -> FormSheet:
    """The form with one more field, which is filled in and no leaf's: a form that nobody filled in is no answer."""
    return sheet.text("unasked", 400, 780, "something")


class TestNames:
    @pytest.mark.parametrize(
        ("name", "tip"),
        [
            pytest.param("f1_04[0]", "Family name", id="tooltip"),
            pytest.param("f1_04[0]", "Please enter your family name", id="tooltip-asks"),
            pytest.param("f1_04[0]", "Section A. Family name (as in the passport)", id="tooltip-clause-and-hint"),
            pytest.param("family_name", "", id="name"),
            pytest.param("FamilyName", "", id="camel-case"),
            pytest.param("familyname", "", id="run-together"),
            pytest.param("topmostSubform[0].Page1[0].family_name[0]", "", id="name-within-machine-names"),
            pytest.param("name_family", "", id="words-turned-round"),
            pytest.param("family_name", "See page 3", id="tooltip-says-nothing"),
        ],
    )
    def test_a_field_is_known_by_tooltip_or_name(self, tmp_path: Path, name: str, tip: str) -> None:
        sheet = FormSheet().text(name, 100, 100, "Okafor", tip=tip).text("f1_05[0]", 100, 140, "Ada")
        assert data_of(sheet, tmp_path, {"family_name": TEXT, "given_name": TEXT}) == {"family_name": "Okafor"}

    @pytest.mark.parametrize(
        ("x", "y"),
        [
            pytest.param(40, 112, id="left"),
            pytest.param(104, 96, id="above"),
            pytest.param(100, 127, id="below"),
        ],
    )
    def test_a_field_without_a_name_is_known_by_what_is_printed(self, tmp_path: Path, x: float, y: float) -> None:
        sheet = FormSheet().print(x, y, "Town:").text("f1_04[0]", 100, 100, "Leeds")
        assert data_of(sheet, tmp_path, {"town": TEXT}) == {"town": "Leeds"}

    def test_a_label_belongs_to_the_nearest_field(self, tmp_path: Path) -> None:
        sheet = FormSheet()
        for number, (label, value) in enumerate([("Town", "Leeds"), ("County", "Kent"), ("Country", "UK")]):
            sheet.print(100, 100 + 40 * number, label).text(f"f1_{number}", 100, 104 + 40 * number, value)
        wanted = {"town": TEXT, "county": TEXT, "country": TEXT}
        assert data_of(sheet, tmp_path, wanted) == {"town": "Leeds", "county": "Kent", "country": "UK"}

    @pytest.mark.parametrize("under", [False, True], ids=["over", "under"])
    def test_labels_that_stand_between_two_fields_go_with_the_side_that_the_page_keeps(
        self, tmp_path: Path, under: bool
    ) -> None:
        sheet = FormSheet()
        values = {"Town": "Leeds", "County": "Kent", "Country": "UK"}
        for number, (label, value) in enumerate(values.items()):
            sheet.print(100, 100 + 28 * number, label)
            sheet.text(f"f1_{number}", 100, 100 + 28 * number + (4 - 28 * under), value)
        assert data_of(sheet, tmp_path, dict.fromkeys(("town", "county", "country"), TEXT)) == {
            label.lower(): value for label, value in values.items()
        }

    def test_a_label_of_two_lines(self, tmp_path: Path) -> None:
        sheet = FormSheet().print(100, 86, "First aid certificate").print(100, 96, "valid until")
        sheet.text("f1", 100, 99, "2026-05-31")
        wanted = {"expiry": {**DATE, "title": "First aid certificate valid until"}}
        assert data_of(sheet, tmp_path, wanted) == {"expiry": "2026-05-31"}

    def test_the_tooltip_counts_before_the_name_and_the_name_before_print(self, tmp_path: Path) -> None:
        sheet = FormSheet().print(100, 96, "County").text("x9", 100, 100, "Leeds", tip="Town")
        sheet.print(100, 136, "Town").text("county", 100, 140, "Kent")
        assert data_of(sheet, tmp_path, {"town": TEXT, "county": TEXT}) == {"town": "Leeds", "county": "Kent"}

    def test_a_tooltip_and_a_name_that_contradict_each_other_say_nothing(self, tmp_path: Path) -> None:
        sheet = FormSheet().text("grand_total", 100, 100, "120", tip="Total tax").text("total_tax", 100, 140, "20")
        assert data_of(sheet, tmp_path, {"total_tax": NUMBER, "grand_total": NUMBER}) == {"total_tax": 20}

    def test_a_tooltip_that_name_and_print_contradict_was_copied(self, tmp_path: Path) -> None:
        sheet = FormSheet().print(100, 96, "Grand total").text("grand_total", 100, 100, "120", tip="Total tax")
        sheet.text("total_tax", 100, 140, "20", tip="Total tax")
        wanted = {"total_tax": NUMBER, "grand_total": NUMBER}
        assert data_of(sheet, tmp_path, wanted) == {"total_tax": 20, "grand_total": 120}

    def test_print_that_a_tooltip_does_not_bear_out_is_no_name(self, tmp_path: Path) -> None:
        sheet = FormSheet().print(100, 96, "County").text("a", 100, 100, "Leeds", tip="Mother: town of birth")
        assert data_of(sheet, tmp_path, {"town_of_birth": TEXT, "county": TEXT}) == {}

    @pytest.mark.parametrize(
        ("value", "expected"), [("Acme Ltd", {}), ("C-77", {"customer_number": "C-77"})], ids=["words", "digits"]
    )
    def test_what_is_called_a_number_holds_a_digit(self, tmp_path: Path, value: str, expected: Json) -> None:
        sheet = FormSheet().text("customer", 100, 100, value)
        assert data_of(sheet, tmp_path, {"customer_number": TEXT}) == expected

    def test_words_that_name_somebody_else_are_no_match(self, tmp_path: Path) -> None:
        sheet = FormSheet().text("spouse_name", 100, 100, "Bo", tip="Name of spouse")
        assert data_of(sheet, tmp_path, {"name": TEXT}) == {}

    @pytest.mark.parametrize(
        ("second", "expected"),
        [("Leeds", {"town": "Leeds"}), ("York", {}), ("", {})],
        ids=["agree", "disagree", "one-is-empty"],
    )
    def test_two_fields_that_fit_alike_must_agree(self, tmp_path: Path, second: str, expected: Json) -> None:
        sheet = FormSheet().text("a1", 100, 100, "Leeds", tip="Town").text("a2", 100, 140, second, tip="Town")
        assert data_of(sheet, tmp_path, {"town": TEXT}) == expected

    def test_a_field_that_fits_two_leaves_alike_answers_neither(self, tmp_path: Path) -> None:
        sheet = FormSheet().text("phone", 100, 100, "555")
        person = {"type": "object", "properties": {"phone": TEXT}}
        assert data_of(sheet, tmp_path, {"buyer": person, "seller": person}) == {"buyer": {}, "seller": {}}

    def test_the_heading_over_it_says_whose_field_it_is(self, tmp_path: Path) -> None:
        sheet = FormSheet().print(60, 80, "1. Buyer").print(60, 100, "Phone").text("a", 100, 90, "555")
        sheet.print(60, 180, "2. Seller").print(60, 200, "Phone").text("b", 100, 190, "777")
        person = {"type": "object", "properties": {"phone": TEXT}}
        wanted = {"buyer": person, "seller": person}
        assert data_of(sheet, tmp_path, wanted) == {"buyer": {"phone": "555"}, "seller": {"phone": "777"}}

    def test_a_name_says_whose_field_it_is(self, tmp_path: Path) -> None:
        sheet = FormSheet().text("buyer.phone", 100, 90, "555").text("SellerPhone", 100, 190, "777")
        person = {"type": "object", "properties": {"phone": TEXT}}
        wanted = {"buyer": person, "seller": person}
        assert data_of(sheet, tmp_path, wanted) == {"buyer": {"phone": "555"}, "seller": {"phone": "777"}}

    def test_aliases_and_quoted_words_are_names(self, tmp_path: Path) -> None:
        sheet = FormSheet().text("surname", 100, 90, "Okafor").text("forename", 100, 190, "Ada")
        wanted = {
            "family": {**TEXT, "x-aliases": ["Surname"]},
            "given": {**TEXT, "description": 'Printed as "Forename".'},
        }
        assert data_of(sheet, tmp_path, wanted) == {"family": "Okafor", "given": "Ada"}


class TestText:
    @pytest.mark.parametrize(
        ("leaf", "value", "expected"),
        [
            pytest.param(NUMBER, "1,234.50", 1234.5, id="number"),
            pytest.param(INTEGER, "6 hours", 6, id="unit"),
            pytest.param(BOOLEAN, "Yes", True, id="boolean"),
            pytest.param(SIZE, "xl", "XL", id="member"),
            pytest.param(TAGS, "red, blue", ["red", "blue"], id="list"),
            pytest.param(TEXT, "  two   words ", "two words", id="spaces"),
        ],
    )
    def test_values_are_read_by_the_type_of_the_leaf(
        self, tmp_path: Path, leaf: Json, value: str, expected: Json
    ) -> None:
        sheet = FormSheet().text("x", 100, 100, value, tip="Answer")
        assert data_of(sheet, tmp_path, {"answer": {**leaf, "title": "Answer"}}) == {"answer": expected}

    def test_a_value_of_another_type_is_not_judged(self, tmp_path: Path) -> None:
        ballot = read_ok(FormSheet().text("total", 100, 100, "see below"), tmp_path, schema({"total": NUMBER}))
        assert names(ballot.unsupported) == {"total"}
        assert ballot.data == {}

    def test_an_empty_field_is_a_null_that_is_meant(self, tmp_path: Path) -> None:
        ballot = read_ok(with_another(FormSheet().text("town", 100, 100)), tmp_path, schema({"town": TEXT}))
        assert ballot.data == {"town": None}
        assert ballot.asserts_null
        assert ballot.unsupported == frozenset()
        assert ballot.citations == {}

    def test_a_null_token_is_an_empty_field(self, tmp_path: Path) -> None:
        rules = {"fields": {"employer": {"null_tokens": ["N/A"]}}}
        assert data_of(FormSheet().text("employer", 100, 100, "N/A"), tmp_path, {"employer": TEXT}, **rules) == {
            "employer": None
        }

    @pytest.mark.parametrize(
        ("value", "tip", "rules", "expected"),
        [
            pytest.param("08091991", "Born", {"date_order": "DMY"}, "1991-09-08", id="declared"),
            pytest.param("08091991", "Born (MM/DD/YYYY)", {}, "1991-08-09", id="hint"),
            pytest.param("08091991", "Born (day, month, year)", {}, "1991-09-08", id="hint-in-words"),
            pytest.param("080991", "Born", {"date_order": "DMY", "century_pivot": 2030}, "1991-09-08", id="short-year"),
        ],
    )
    def test_a_date_in_compartments(
        self, tmp_path: Path, value: str, tip: str, rules: dict[str, Json], expected: str
    ) -> None:
        sheet = FormSheet().text("x", 100, 100, value, tip=tip)
        file = edited(
            sheet.write(tmp_path / "form.pdf"), lambda widgets, _: _set(widgets["x"], Ff=NumberObject(1 << 24))
        )
        ballot = read(file, schema({"born": DATE}, fields={"born": {"comparator": "date", **rules}}))
        assert ballot.data == {"born": expected}

    def test_a_citation_is_the_rectangle_of_the_field(self, tmp_path: Path) -> None:
        ballot = read_ok(FormSheet().text("town", 100, 200, "New Town"), tmp_path, schema({"town": TEXT}))
        (place,) = ballot.citations[("town",)]
        assert (place.page, place.quote) == (1, "New Town")
        assert _points(place) == pytest.approx((100, 200, 220, 216), abs=0.1)


def _set(widget: Any, **entries: Any) -> None:
    for key, value in entries.items():
        widget[NameObject(f"/{key}")] = value


def _points(place: Evidence, width: float = WIDTH, height: float = HEIGHT) -> tuple[float, float, float, float]:
    (box,) = place.boxes
    return box.x0 * width, box.y0 * height, box.x1 * width, box.y1 * height


class TestBoxes:
    @pytest.mark.parametrize("on", [True, False])
    def test_a_check_box_answers_a_boolean(self, tmp_path: Path, on: bool) -> None:
        sheet = with_another(FormSheet().check("consent", 100, 100, on=on))
        ballot = read_ok(sheet, tmp_path, schema({"consent": BOOLEAN}))
        assert ballot.data == {"consent": on}
        assert _points(ballot.citations[("consent",)][0]) == pytest.approx((100, 100, 110, 110), abs=0.1)

    @pytest.mark.parametrize("leaf", [TEXT, NUMBER, SIZE], ids=["text", "number", "enum"])
    def test_a_check_box_answers_nothing_else(self, tmp_path: Path, leaf: Json) -> None:
        sheet = with_another(FormSheet().check("consent", 100, 100, on=True))
        assert data_of(sheet, tmp_path, {"consent": {**leaf, "title": "Consent"}}) == {}

    def test_a_check_box_without_a_label_of_its_own_is_not_false(self, tmp_path: Path) -> None:
        sheet = with_another(FormSheet().check("c1_1[0]", 100, 100))
        assert data_of(sheet, tmp_path, {"consent": BOOLEAN}) == {}

    @pytest.mark.parametrize("at", [114, 55], ids=["right", "left"])
    def test_what_is_printed_at_a_box_names_it(self, tmp_path: Path, at: float) -> None:
        sheet = FormSheet().check("c1_1[0]", 100, 100, on=True).print(at, 109, "Married")
        assert data_of(sheet, tmp_path, {"married": BOOLEAN}) == {"married": True}

    def test_what_is_printed_over_a_box_with_a_label_is_not_its_name(self, tmp_path: Path) -> None:
        sheet = FormSheet().print(100, 96, "Married").check("c1", 100, 100, on=True).print(114, 109, "Separated")
        assert data_of(sheet, tmp_path, {"married": BOOLEAN}) == {}

    def test_the_question_over_options_is_no_label_of_the_field_above(self, tmp_path: Path) -> None:
        sheet = FormSheet().text("f1", 100, 74, "Leeds").print(100, 99, "T-shirt size")
        sheet.radio("r1", [("S", 100, 104), ("M", 140, 104)], "M").print(113, 113, "S").print(153, 113, "M")
        assert data_of(sheet, tmp_path, {"tshirt_size": SIZE}) == {"tshirt_size": "M"}

    @pytest.mark.parametrize(("on", "expected"), [("Yes", True), ("No", False), ("", None)])
    def test_yes_and_no_answer_a_question(self, tmp_path: Path, on: str, expected: bool | None) -> None:
        sheet = FormSheet().print(40, 109, "Do you smoke?").radio("smoker", [("Yes", 200, 100), ("No", 250, 100)], on)
        sheet.print(214, 109, "Yes").print(264, 109, "No")
        assert data_of(with_another(sheet), tmp_path, {"smoker": BOOLEAN}) == {"smoker": expected}

    def test_options_with_numbers_for_names_are_read_as_printed(self, tmp_path: Path) -> None:
        sheet = FormSheet().print(40, 109, "T-shirt size")
        sheet.radio("r1[0]", [("0", 200, 100), ("1", 250, 100), ("2", 300, 100)], "1")
        sheet.print(214, 109, "S").print(264, 109, "M").print(314, 109, "XL")
        assert data_of(sheet, tmp_path, {"size": SIZE}) == {"size": "M"}

    def test_options_whose_print_and_name_differ_are_not_judged(self, tmp_path: Path) -> None:
        sheet = FormSheet().radio("tshirt_size", [("S", 200, 100), ("M", 250, 100)], "S")
        sheet.print(214, 109, "M").print(264, 109, "S")
        assert data_of(sheet, tmp_path, {"tshirt_size": SIZE}) == {}

    @pytest.mark.parametrize(
        ("marked", "expected"),
        [
            pytest.param({"XL"}, {"tshirt_size": "XL"}, id="one"),
            pytest.param(set(), {"tshirt_size": None}, id="none"),
            pytest.param({"S", "XL"}, {}, id="two"),
        ],
    )
    @pytest.mark.parametrize("how", ["tips", "names", "print"])
    def test_check_boxes_are_options_of_one_question(
        self, tmp_path: Path, how: str, marked: set[str], expected: Json
    ) -> None:
        sheet = with_another(FormSheet())
        if how == "print":
            sheet.print(100, 92, "T-shirt size")
        for number, size in enumerate(("S", "M", "XL")):
            x, y = 100 + 40 * (number % 2), 100 + 16 * (number // 2)
            name = f"tshirt_size_{size}" if how == "names" else f"c1_{number}[0]"
            tip = f"T-shirt size: {size}" if how == "tips" else ""
            sheet.check(name, x, y, on=size in marked, tip=tip).print(x + 13, y + 9, size)
        assert data_of(sheet, tmp_path, {"tshirt_size": SIZE}) == expected

    def test_check_boxes_are_the_items_of_a_list(self, tmp_path: Path) -> None:
        sheet = FormSheet().print(40, 109, "Interests")
        for number, (item, on) in enumerate([("Front desk", True), ("Kitchen", False), ("Sorting", True)]):
            sheet.check(f"c2_{number}", 100 + 90 * number, 100, on=on).print(114 + 90 * number, 109, item)
        ballot = read_ok(sheet, tmp_path, schema({"interests": TAGS}))
        assert ballot.data == {"interests": ["Front desk", "Sorting"]}

    def test_a_yes_box_and_a_no_box_under_names_of_their_own(self, tmp_path: Path) -> None:
        sheet = with_another(FormSheet())
        for line, (question, yes) in enumerate([("Married", True), ("Retired", False)]):
            y = 100 + 16 * line
            sheet.print(40, y + 9, question).check(f"c{line}_1", 200, y, on=yes).print(213, y + 9, "Yes")
            sheet.check(f"c{line}_2", 240, y, on=not yes).print(253, y + 9, "No")
        assert data_of(sheet, tmp_path, {"married": BOOLEAN, "retired": BOOLEAN}) == {"married": True, "retired": False}


class TestChoices:
    OPTIONS = (("Please select", ""), ("Lower Saxony", "DE-NI"), ("Bavaria", "DE-BY"))

    def test_what_is_shown_counts(self, tmp_path: Path) -> None:
        sheet = FormSheet().choice("region", 100, 100, self.OPTIONS[1:], "DE-BY")
        assert data_of(sheet, tmp_path, {"region": TEXT}) == {"region": "Bavaria"}

    def test_what_is_meant_counts_for_a_member(self, tmp_path: Path) -> None:
        leaf = {"type": ["string", "null"], "enum": ["DE-NI", "DE-BY", None]}
        sheet = FormSheet().choice("region", 100, 100, self.OPTIONS[1:], "DE-BY")
        assert data_of(sheet, tmp_path, {"region": leaf}) == {"region": "DE-BY"}

    def test_a_prompt_is_no_choice(self, tmp_path: Path) -> None:
        sheet = with_another(FormSheet().choice("region", 100, 100, [("Please select", "0"), ("Bavaria", "1")], "0"))
        assert data_of(sheet, tmp_path, {"region": TEXT}) == {"region": None}


LINES = {"lines": records({"item": TEXT, "quantity": INTEGER, "price": NUMBER})}


class TestRows:
    @pytest.mark.parametrize(
        "name",
        ["lines[{0}].{1}", "Row{0}.{1}", "{1}_{0}", "{1}Row{0}", "line{0}_{1}", "Table1[0].Row{0}[0].{1}[0]"],
    )
    def test_names_with_a_number_are_rows(self, tmp_path: Path, name: str) -> None:
        sheet = FormSheet()
        rows = [("Pen", "2", "1.50"), ("Ink", "", "4.00"), ("", "", ""), ("", "", "")]
        for number, row in enumerate(rows, start=1):
            for column, (key, value) in enumerate(zip(("Item", "Qty", "Price"), row, strict=True)):
                sheet.text(name.format(number, key), 60 + 110 * column, 100 + 20 * number, value, width=100)
        assert data_of(sheet, tmp_path, LINES) == {
            "lines": [
                {"item": "Pen", "quantity": 2, "price": 1.5},
                {"item": "Ink", "quantity": None, "price": 4},
            ]
        }

    def test_a_grid_without_names_is_rows_under_printed_headers(self, tmp_path: Path) -> None:
        sheet = FormSheet()
        for page in range(2):
            for column, header in enumerate(("Item", "Quantity", "Price")):
                if page == 0:
                    sheet.print(60 + 110 * column, 96, header)
                for number in range(3):
                    value = "" if page and number == 2 else ("Pen", "2", "1.50")[column]
                    sheet.text(
                        f"f{page}_{3 * number + column}[0]", 60 + 110 * column, 100 + 18 * number, value, width=100
                    )
            sheet.page()
        assert data_of(sheet, tmp_path, LINES) == {"lines": [{"item": "Pen", "quantity": 2, "price": 1.5}] * 5}

    def test_two_tables_side_by_side(self, tmp_path: Path) -> None:
        sheet = FormSheet()
        for number in range(1, 7):
            for column, key in enumerate(("Qty", "Material", "Rate")):
                value = ("4", "Wood", "7")[column] if number < 3 else ""
                sheet.text(f"{key}Row{number}", 40 + 70 * column, 100 + 18 * number, value, width=60)
        for number in range(1, 4):
            for column, key in enumerate(("Labor", "Hours", "Rate")):
                value = ("Saw", "3", "9")[column] if number < 2 else ""
                name = f"{key}Row{number}{'_2' * (key == 'Rate')}"
                tip = f"{key}_Row_{number}"
                sheet.text(name, 300 + 70 * column, 100 + 18 * number, value, width=60, tip=tip)
        wanted = {
            "materials": records({"qty": INTEGER, "material": TEXT, "rate": NUMBER}),
            "labor": records({"labor": TEXT, "hours": INTEGER, "rate": NUMBER}),
        }
        assert data_of(sheet, tmp_path, wanted) == {
            "materials": [{"qty": 4, "material": "Wood", "rate": 7}] * 2,
            "labor": [{"labor": "Saw", "hours": 3, "rate": 9}],
        }

    def test_what_is_printed_at_the_head_of_a_row_is_its_value(self, tmp_path: Path) -> None:
        sheet = with_another(FormSheet().print(40, 90, "Day"))
        for number, day in enumerate(("Monday", "Tuesday")):
            sheet.print(40, 109 + 16 * number, day)
            for column, part in enumerate(("morning", "evening")):
                sheet.check(f"times[{number}].{part}", 120 + 60 * column, 100 + 16 * number, on=number == column)
        wanted = {"times": records({"day": TEXT, "morning": BOOLEAN, "evening": BOOLEAN})}
        assert data_of(sheet, tmp_path, wanted) == {
            "times": [
                {"day": "Monday", "morning": True, "evening": False},
                {"day": "Tuesday", "morning": False, "evening": True},
            ]
        }

    def test_a_cell_that_is_no_value_costs_only_itself(self, tmp_path: Path) -> None:
        sheet = FormSheet()
        for number, quantity in enumerate(("2", "a few")):
            sheet.text(f"lines[{number}].item", 60, 100 + 20 * number, "Pen")
            sheet.text(f"lines[{number}].quantity", 200, 100 + 20 * number, quantity)
        ballot = read_ok(sheet, tmp_path, schema(LINES))
        first, second = ballot.data["lines"]
        assert first == {"item": "Pen", "quantity": 2}
        assert second["item"] == "Pen"
        assert isinstance(second["quantity"], Malformed)
        assert ballot_from_json(ballot_to_json(ballot), source="test").data == ballot.data

    def test_address_lines_are_no_rows(self, tmp_path: Path) -> None:
        sheet = FormSheet().text("address_line_1", 60, 100, "1 Road").text("address_line_2", 60, 130, "Leeds")
        wanted = {"address": TEXT, "visits": records({"address": TEXT, "date": DATE})}
        assert data_of(sheet, tmp_path, wanted) == {}

    def test_rows_that_are_all_empty_say_nothing(self, tmp_path: Path) -> None:
        sheet = with_another(FormSheet())
        for number in range(2):
            for column, key in enumerate(("item", "quantity")):
                sheet.text(f"lines[{number}].{key}", 60 + 130 * column, 100 + 20 * number)
        assert data_of(sheet, tmp_path, LINES) == {}


class TestWhatIsShown:
    def form(self, tmp_path: Path) -> Path:
        sheet = FormSheet().text("town", 100, 100, "Leeds").text("total", 100, 140, "1234.5").check("paid", 100, 180)
        return with_another(sheet).write(tmp_path / "form.pdf")

    WANTED = schema({"town": TEXT, "total": NUMBER, "paid": BOOLEAN})

    def test_a_value_that_the_drawing_does_not_show_is_stale(self, tmp_path: Path) -> None:
        file = edited(self.form(tmp_path), lambda widgets, _: _set(widgets["town"], V=TextStringObject("York")))
        ballot = read(file, self.WANTED)
        assert ballot.data == {"total": 1234.5, "paid": False}
        assert names(ballot.unsupported) == {"town"}
        assert ballot.detail == "1 field left out that show something else than they hold"

    def test_a_drawing_without_a_value_is_stale(self, tmp_path: Path) -> None:
        file = edited(self.form(tmp_path), lambda widgets, _: _set(widgets["town"], V=TextStringObject("")))
        assert names(read(file, self.WANTED).unsupported) == {"town"}

    def test_a_number_may_be_drawn_in_another_form(self, tmp_path: Path) -> None:
        sheet = FormSheet().text("town", 100, 100, "Leeds").text("total", 100, 140, "1,234.50")
        file = edited(
            sheet.write(tmp_path / "form.pdf"), lambda widgets, _: _set(widgets["total"], V=TextStringObject("1234.5"))
        )
        assert read(file, self.WANTED).data == {"town": "Leeds", "total": 1234.5}

    def test_a_form_that_viewers_draw_counts_as_it_is_held(self, tmp_path: Path) -> None:
        def edit(widgets: dict[str, Any], writer: PdfWriter) -> None:
            _set(widgets["town"], V=TextStringObject("York"))
            form = writer.root_object["/AcroForm"].get_object()
            form[NameObject("/NeedAppearances")] = BooleanObject(True)  # type: ignore[index]

        assert read(edited(self.form(tmp_path), edit), self.WANTED).data["town"] == "York"

    def test_a_field_without_a_drawing_counts_as_it_is_held(self, tmp_path: Path) -> None:
        def edit(widgets: dict[str, Any], _: PdfWriter) -> None:
            _set(widgets["town"], V=TextStringObject("York"))
            del widgets["town"]["/AP"]

        assert read(edited(self.form(tmp_path), edit), self.WANTED).data["town"] == "York"

    @pytest.mark.parametrize("flag", [2, 32], ids=["hidden", "no-view"])
    def test_a_hidden_field_is_no_field(self, tmp_path: Path, flag: int) -> None:
        file = edited(self.form(tmp_path), lambda widgets, _: _set(widgets["town"], F=NumberObject(flag)))
        ballot = read(file, self.WANTED)
        assert "town" in names(ballot.unsupported)
        assert ballot.detail == "1 filled field left out that no page shows"

    def test_a_box_whose_mark_and_value_differ_is_stale(self, tmp_path: Path) -> None:
        file = edited(self.form(tmp_path), lambda widgets, _: _set(widgets["paid"], V=NameObject("/Yes")))
        assert names(read(file, self.WANTED).unsupported) == {"paid"}

    def test_print_over_an_empty_field_makes_it_unclear(self, tmp_path: Path) -> None:
        sheet = with_another(FormSheet().text("town", 100, 100).print(104, 112, "Leeds"))
        assert data_of(sheet, tmp_path, {"town": TEXT}) == {}

    def test_signs_printed_in_an_empty_field_are_no_value(self, tmp_path: Path) -> None:
        sheet = with_another(FormSheet().text("town", 100, 100).print(104, 112, "$ ______ . ___"))
        assert data_of(sheet, tmp_path, {"town": TEXT}) == {"town": None}


class TestPages:
    @pytest.mark.parametrize("rotation", [0, 90, 180, 270])
    @pytest.mark.parametrize("crop", [None, (50, 100, 400, 800), (-50, -50, 400, 900)])
    def test_rectangles_are_in_the_frame_of_the_displayed_page(
        self, tmp_path: Path, rotation: int, crop: tuple[float, ...] | None
    ) -> None:
        def edit(_: dict[str, Any], writer: PdfWriter) -> None:
            page = writer.pages[0]
            page.rotate(rotation)
            if crop is not None:
                page.cropbox = RectangleObject(crop)

        file = edited(FormSheet().text("town", 100, 100, "Leeds").write(tmp_path / "form.pdf"), edit)
        (place,) = read(file, schema({"town": TEXT})).citations[("town",)]
        (box,) = place.boxes
        left, bottom, right, top = _seen(crop or (0, 0, WIDTH, HEIGHT))
        corners = [(100 - left, top - (HEIGHT - 100)), (220 - left, top - (HEIGHT - 116))]
        width, height = right - left, top - bottom
        for _ in range(rotation // 90):
            corners = [(height - y, x) for x, y in corners]
            width, height = height, width
        expected = (
            min(x for x, _ in corners) / width,
            min(y for _, y in corners) / height,
            max(x for x, _ in corners) / width,
            max(y for _, y in corners) / height,
        )
        assert tuple(box) == pytest.approx(expected, abs=1e-3)

    def test_fields_of_a_page_to_skip_are_not_read(self, tmp_path: Path) -> None:
        sheet = FormSheet().text("town", 100, 100, "Leeds").page().text("county", 100, 100, "Kent")
        ballot = read(sheet.write(tmp_path / "form.pdf"), schema({"town": TEXT, "county": TEXT}), skip=frozenset({2}))
        assert (ballot.status, ballot.data) == (Status.PARTIAL, {"town": "Leeds"})

    def test_twice_is_the_same(self, tmp_path: Path) -> None:
        file = FormSheet().text("town", 100, 100, "Leeds").check("paid", 100, 140).write(tmp_path / "form.pdf")
        wanted = schema({"town": TEXT, "paid": BOOLEAN})
        assert read(file, wanted) == read(file, wanted)


class TestRefusals:
    @pytest.mark.parametrize(
        ("content", "says"),
        [
            pytest.param(b"a text", "not a PDF", id="no-pdf"),
            pytest.param(b"%PDF-1.7 and nothing more", "cannot be read", id="broken"),
            pytest.param(document_builders.pdf(["a page"]), "no form fields", id="no-form"),
        ],
    )
    def test_a_file_without_a_form(self, tmp_path: Path, content: bytes, says: str) -> None:
        file = tmp_path / "file.pdf"
        file.write_bytes(content)
        ballot = read(file, schema({"town": TEXT}))
        assert (ballot.status, ballot.failure) == (Status.FAILED, Failure.UNSUPPORTED_INPUT)
        assert says in ballot.detail

    def test_a_form_that_needs_a_password(self, tmp_path: Path) -> None:
        file = FormSheet().text("town", 100, 100, "Leeds").write(tmp_path / "form.pdf")
        edited(file, lambda _, writer: writer.encrypt("secret", algorithm="RC4-128"))
        ballot = read(file, schema({"town": TEXT}))
        assert ballot.failure is Failure.UNSUPPORTED_INPUT
        assert "needs a password" in ballot.detail

    def test_a_form_with_an_empty_password_opens(self, tmp_path: Path) -> None:
        file = FormSheet().text("town", 100, 100, "Leeds").write(tmp_path / "form.pdf")
        edited(file, lambda _, writer: writer.encrypt("", "owner", algorithm="AES-256"))
        assert read(file, schema({"town": TEXT})).data == {"town": "Leeds"}

    def test_a_form_that_nobody_filled_in(self, tmp_path: Path) -> None:
        ballot = read(FormSheet().text("town", 100, 100).write(tmp_path / "form.pdf"), schema({"town": TEXT}))
        assert ballot.failure is Failure.UNSUPPORTED_INPUT
        assert ballot.detail == "none of its 1 form fields is filled in"

    def test_a_form_in_xfa_only(self, tmp_path: Path) -> None:
        def edit(_: dict[str, Any], writer: PdfWriter) -> None:
            form = writer.root_object["/AcroForm"].get_object()
            form[NameObject("/XFA")] = TextStringObject("<xdp/>")  # type: ignore[index]
            del writer.pages[0]["/Annots"]

        file = edited(FormSheet().text("town", 100, 100, "Leeds").write(tmp_path / "form.pdf"), edit)
        assert read(file, schema({"town": TEXT})).detail.startswith("its form is XFA")

    def test_a_name_without_end_costs_no_time(self, tmp_path: Path) -> None:
        sheet = FormSheet().text("town", 100, 100, "Leeds").check("a 1 " * 20_000, 100, 140, tip="b, 2. " * 20_000)
        wanted = schema(dict.fromkeys(("town", *(f"field_{number}" for number in range(40))), TEXT))
        assert read(sheet.write(tmp_path / "form.pdf"), wanted).data == {"town": "Leeds"}

    def test_a_field_within_itself(self, tmp_path: Path) -> None:
        def edit(widgets: dict[str, Any], _: PdfWriter) -> None:
            _set(widgets["town"], Parent=widgets["town"].indirect_reference)

        file = edited(FormSheet().text("town", 100, 100, "Leeds").write(tmp_path / "form.pdf"), edit)
        assert read(file, schema({"town": TEXT})).failure is Failure.UNSUPPORTED_INPUT


def _seen(crop: tuple[float, ...]) -> tuple[float, float, float, float]:
    """The part of the page that is displayed: of the crop box what the page has."""
    left, bottom, right, top = crop
    return max(left, 0), max(bottom, 0), min(right, WIDTH), min(top, HEIGHT)


def test_the_extractor_says_what_it_is() -> None:
    extractor = AcroForm()
    assert (extractor.info.name, extractor.info.family, extractor.info.asserts_null) == (
        "acroform",
        "form-fields",
        True,
    )
    assert extractor.available() is None
