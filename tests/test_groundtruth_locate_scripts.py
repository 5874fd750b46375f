"""Scripts that are written from right to left, or without spaces."""

from __future__ import annotations

from pathlib import Path as FilePath

import pytest

from groundtruth.locate import Outcome
from groundtruth.rules import Comparator
from locate_builders import Printed, find, html_pdf, pages_of, quotes, sought, words_page

HEBREW = """
<div dir="rtl" style="font-size:14px">
<p>המכון לאסטרטגיה (ע"ר)</p>
<p>דוחות כספיים ליום 31 בדצמבר 2023</p>
<table>
<tr><td>מזומנים ושווי מזומנים</td><td>148,820</td></tr>
<tr><td>התחייבויות לספקים</td><td>(154,353)</td></tr>
</table>
</div>
"""


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("מזומנים ושווי מזומנים", id="a word twice"),
        pytest.param("התחייבויות לספקים", id="two words"),
        pytest.param('המכון לאסטרטגיה (ע"ר)', id="abbreviation in parentheses"),
        pytest.param("דוחות כספיים ליום 31 בדצמבר 2023", id="numbers inside"),
    ],
)
def test_hebrew_of_a_laid_out_page(tmp_path: FilePath, value: str) -> None:
    page = pages_of(html_pdf(HEBREW), tmp_path)[0]
    location = find(sought("label", value), page)
    assert location.certain
    assert len(location.evidence) == 1


@pytest.mark.parametrize("value", [148820, -154353])
def test_numbers_between_hebrew(tmp_path: FilePath, value: int) -> None:
    page = pages_of(html_pdf(HEBREW), tmp_path)[0]
    assert find(sought("amount", value), page).certain


# "rent of office", whose words stand on the page from right to left: the first word has the larger x.
RENT = ("שכר", "דירה", "משרד")
LOGICAL: list[Printed] = [(300, 100, RENT[0]), (270, 100, RENT[1]), (240, 100, RENT[2])]
TURNED: list[Printed] = [(x, y, text[::-1]) for x, y, text in LOGICAL]


@pytest.mark.parametrize(
    "printed",
    [
        pytest.param(LOGICAL, id="words in the order of reading"),
        pytest.param(LOGICAL[::-1], id="words in the order of the page"),
        pytest.param(TURNED, id="letters in the order of the page"),
        pytest.param(TURNED[::-1], id="all in the order of the page"),
    ],
)
def test_right_to_left_words_in_any_order_of_the_text_layer(printed: list[Printed]) -> None:
    page = words_page([(50, 50, "2023"), *printed, (50, 150, "7")])
    location = find(sought("label", " ".join(RENT)), page)
    assert (location.certain, location.reason) == (True, Outcome.UNIQUE)
    (box,) = location.evidence[0].boxes
    assert box.x0 * 600 == pytest.approx(240)


def test_the_label_of_a_right_to_left_line_stands_on_the_right() -> None:
    page = words_page(
        [(300, 100, "הכנסות"), (100, 100, "4,500"), (300, 120, "הוצאות"), (100, 120, "4,500"), (50, 200, "x")]
    )
    location = find(sought("f1", 4500, description='Total expenses ("הוצאות")'), page)
    assert (location.certain, location.reason) == (True, Outcome.LABEL_CONTEXT)
    assert location.evidence[0].boxes[0].y0 * 800 == pytest.approx(120)


def test_vowel_points_do_not_matter() -> None:
    page = words_page([(50, 100, "שָׁלוֹם"), (50, 130, "7")])
    assert find(sought("word", "שלום"), page).evidence


def test_parentheses_the_wrong_way_round() -> None:
    page = words_page([(300, 100, "הפסד"), (100, 100, ")158,537(")])
    assert find(sought("loss", -158537), page).certain


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        pytest.param("請求書番号", "請求書番号", id="whole word"),
        pytest.param("合計金額:株式会社青空商事", "株式会社青空商事", id="behind a label"),
        pytest.param("株式会社青空商事御中", "株式会社青空商事", id="before a form of address"),
    ],
)
def test_ideographs_need_no_spaces(printed: str, value: str) -> None:
    page = words_page([(50, 100, printed), (50, 130, "2024")])
    location = find(sought("company", value), page)
    assert quotes(location) == [printed]
    assert location.certain


def test_ideographs_over_a_line_break() -> None:
    page = words_page([(50, 100, "東京都港区芝公園"), (50, 114, "四丁目二番八号")])
    location = find(sought("address", "東京都港区芝公園四丁目二番八号"), page)
    assert location.certain
    assert len(location.evidence[0].boxes) == 2


def test_full_width_forms_are_the_same_letters() -> None:
    page = words_page([(50, 100, "ＡＢＣ-１２３"), (50, 130, "１，２３４円")])
    assert find(sought("code", "ABC-123"), page).evidence
    assert find(sought("price", 1234, Comparator.CURRENCY), page).evidence


def test_presentation_forms_of_arabic_are_the_same_letters() -> None:
    page = words_page([(50, 100, "\ufedf\ufee0\ufef4\ufe8e\ufe91\ufe8e\ufee5")])
    assert find(sought("place", "لليابان"), page).evidence
