"""Ticks and marks, and what of a form's fields is shown on its pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfWriter
from pypdf.generic import BooleanObject, NameObject, NumberObject, RectangleObject, TextStringObject

from acroform_builders import SIZE, TAGS, data_of, points_of, read, read_ok, set_entries, with_another
from extraction_builders import BOOLEAN, NUMBER, TEXT, names, schema
from form_builders import HEIGHT, WIDTH, FormSheet, edited
from groundtruth.ballot import Status
from groundtruth.jsontext import Json


def _seen(crop: tuple[float, ...]) -> tuple[float, float, float, float]:
    """The part of the page that is displayed: of the crop box what the page has."""
    left, bottom, right, top = crop
    return max(left, 0), max(bottom, 0), min(right, WIDTH), min(top, HEIGHT)


class TestBoxes:
    @pytest.mark.parametrize("on", [True, False])
    def test_a_check_box_answers_a_boolean(self, tmp_path: Path, on: bool) -> None:
        sheet = with_another(FormSheet().check("consent", 100, 100, on=on))
        ballot = read_ok(sheet, tmp_path, schema({"consent": BOOLEAN}))
        assert ballot.data == {"consent": on}
        assert points_of(ballot.citations[("consent",)][0]) == pytest.approx((100, 100, 110, 110), abs=0.1)

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


class TestWhatIsShown:
    def form(self, tmp_path: Path) -> Path:
        sheet = FormSheet().text("town", 100, 100, "Leeds").text("total", 100, 140, "1234.5").check("paid", 100, 180)
        return with_another(sheet).write(tmp_path / "form.pdf")

    WANTED = schema({"town": TEXT, "total": NUMBER, "paid": BOOLEAN})

    def test_a_value_that_the_drawing_does_not_show_is_stale(self, tmp_path: Path) -> None:
        file = edited(self.form(tmp_path), lambda widgets, _: set_entries(widgets["town"], V=TextStringObject("York")))
        ballot = read(file, self.WANTED)
        assert ballot.data == {"total": 1234.5, "paid": False}
        assert names(ballot.unsupported) == {"town"}
        assert ballot.detail == "1 field left out that show something else than they hold"

    def test_a_drawing_without_a_value_is_stale(self, tmp_path: Path) -> None:
        file = edited(self.form(tmp_path), lambda widgets, _: set_entries(widgets["town"], V=TextStringObject("")))
        assert names(read(file, self.WANTED).unsupported) == {"town"}

    def test_a_number_may_be_drawn_in_another_form(self, tmp_path: Path) -> None:
        sheet = FormSheet().text("town", 100, 100, "Leeds").text("total", 100, 140, "1,234.50")
        file = edited(
            sheet.write(tmp_path / "form.pdf"),
            lambda widgets, _: set_entries(widgets["total"], V=TextStringObject("1234.5")),
        )
        assert read(file, self.WANTED).data == {"town": "Leeds", "total": 1234.5}

    def test_a_form_that_viewers_draw_counts_as_it_is_held(self, tmp_path: Path) -> None:
        def edit(widgets: dict[str, Any], writer: PdfWriter) -> None:
            set_entries(widgets["town"], V=TextStringObject("York"))
            form = writer.root_object["/AcroForm"].get_object()
            form[NameObject("/NeedAppearances")] = BooleanObject(True)  # type: ignore[index]

        assert read(edited(self.form(tmp_path), edit), self.WANTED).data["town"] == "York"

    def test_a_field_without_a_drawing_counts_as_it_is_held(self, tmp_path: Path) -> None:
        def edit(widgets: dict[str, Any], _: PdfWriter) -> None:
            set_entries(widgets["town"], V=TextStringObject("York"))
            del widgets["town"]["/AP"]

        assert read(edited(self.form(tmp_path), edit), self.WANTED).data["town"] == "York"

    @pytest.mark.parametrize("flag", [2, 32], ids=["hidden", "no-view"])
    def test_a_hidden_field_is_no_field(self, tmp_path: Path, flag: int) -> None:
        file = edited(self.form(tmp_path), lambda widgets, _: set_entries(widgets["town"], F=NumberObject(flag)))
        ballot = read(file, self.WANTED)
        assert "town" in names(ballot.unsupported)
        assert ballot.detail == "1 filled field left out that no page shows"

    def test_a_box_whose_mark_and_value_differ_is_stale(self, tmp_path: Path) -> None:
        file = edited(self.form(tmp_path), lambda widgets, _: set_entries(widgets["paid"], V=NameObject("/Yes")))
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
