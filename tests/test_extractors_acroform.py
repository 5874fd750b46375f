"""The extractor of form fields, on forms drawn here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfWriter
from pypdf.generic import NameObject, NumberObject, TextStringObject

import document_builders
from acroform_builders import SIZE, TAGS, data_of, points_of, read, read_ok, set_entries, with_another
from extraction_builders import BOOLEAN, DATE, INTEGER, NUMBER, TEXT, names, records, schema
from extractors.acroform import AcroForm
from form_builders import FormSheet, edited
from groundtruth.ballot import Failure, Status
from groundtruth.ballot_json import ballot_from_json, ballot_to_json
from groundtruth.jsontext import Json, Malformed


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
            sheet.write(tmp_path / "form.pdf"), lambda widgets, _: set_entries(widgets["x"], Ff=NumberObject(1 << 24))
        )
        ballot = read(file, schema({"born": DATE}, fields={"born": {"comparator": "date", **rules}}))
        assert ballot.data == {"born": expected}

    def test_a_citation_is_the_rectangle_of_the_field(self, tmp_path: Path) -> None:
        ballot = read_ok(FormSheet().text("town", 100, 200, "New Town"), tmp_path, schema({"town": TEXT}))
        (place,) = ballot.citations[("town",)]
        assert (place.page, place.quote) == (1, "New Town")
        assert points_of(place) == pytest.approx((100, 200, 220, 216), abs=0.1)


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
            set_entries(widgets["town"], Parent=widgets["town"].indirect_reference)

        file = edited(FormSheet().text("town", 100, 100, "Leeds").write(tmp_path / "form.pdf"), edit)
        assert read(file, schema({"town": TEXT})).failure is Failure.UNSUPPORTED_INPUT


def test_the_extractor_says_what_it_is() -> None:
    extractor = AcroForm()
    assert (extractor.info.name, extractor.info.family, extractor.info.asserts_null) == (
        "acroform",
        "form-fields",
        True,
    )
    assert extractor.available() is None
