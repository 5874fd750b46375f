"""Dates as people write them."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtruth.rules import DateOrder
from groundtruth.value_date import DateReading, parse
from groundtruth.value_months import is_filler, month_number
from groundtruth.value_reading import Fault


def read(text: str, order: str | None = None, pivot: int | None = None) -> str | Fault:
    """The ISO text of a date, with a question mark when it is ambiguous."""
    found = parse(text, DateOrder(order) if order else None, pivot)
    if isinstance(found, Fault):
        return found
    return found.text + ("?" if found.ambiguous else "")


@pytest.mark.parametrize(
    "text",
    [
        "2025-03-04",
        "2025-3-4",
        "2025/03/04",
        "2025.03.04",
        "2025 03 04",
        "2025. 03. 04.",
        "20250304",
        "2025–03–04",
        "٢٠٢٥-٠٣-٠٤",
        "2025年3月4日",
        "2025년 3월 4일",
        "March 4, 2025",
        "March 4 2025",
        "march 4th, 2025",
        "MAR. 4, 2025",
        "Mar-04-2025",
        "4 March 2025",
        "04 Mar 2025",
        "4-Mar-2025",
        "4/Mar/2025",
        "04MAR2025",
        "4th of March, 2025",
        "the 4th of March 2025",
        "2025 March 4",
        "2025-Mar-04",
        "Tuesday, March 4, 2025",
        "Tue 4 Mar 2025",
        "4. März 2025",
        "Dienstag, den 4. März 2025",
        "4. Marz 2025",
        "4 mars 2025",
        "le mardi 4 mars 2025",
        "mar. 4 mars 2025",
        "4 de marzo de 2025",
        "martes, 4 de marzo del 2025",
        "4 marzo 2025",
        "martedì 4 marzo 2025",
        "4 de março de 2025",
        "terça-feira, 4 de março de 2025",
        "4 maart 2025",
        "dinsdag 4 mrt. 2025",
    ],
)
def test_one_day_in_many_writings(text: str) -> None:
    assert read(text) == "2025-03-04"


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("1er avril 2020", "2020-04-01"),
        ("1º de enero de 2021", "2021-01-01"),
        ("15 Jänner 2024", "2024-01-15"),
        ("29 February 2024", "2024-02-29"),
        ("31 août 2023", "2023-08-31"),
        ("25 dez 2022", "2022-12-25"),
        ("7 ott 2019", "2019-10-07"),
    ],
)
def test_months_of_other_languages(text: str, iso: str) -> None:
    assert read(text) == iso


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2025", "2025"),
        ("2025-03", "2025-03"),
        ("2025/3", "2025-03"),
        ("06/2013", "2013-06"),
        ("March 2025", "2025-03"),
        ("Mar. 2025", "2025-03"),
        ("2025 March", "2025-03"),
        ("GENNAIO 2017", "2017-01"),
        ("marzo de 2025", "2025-03"),
        ("2025年3月", "2025-03"),
    ],
)
def test_partial_dates_stay_partial(text: str, iso: str) -> None:
    assert read(text) == iso


@pytest.mark.parametrize(
    ("text", "order", "iso"),
    [
        ("03/04/2025", None, "03/04/2025?"),
        ("3.4.2025", None, "3.4.2025?"),
        ("Tue 03/04/2025", None, "Tue 03/04/2025?"),
        ("03/03/2025", None, "2025-03-03"),
        ("25/03/2025", None, "2025-03-25"),
        ("03/25/2025", None, "2025-03-25"),
        ("03/04/2025", "MDY", "2025-03-04"),
        ("03/04/2025", "DMY", "2025-04-03"),
        ("3. 4. 2025", "DMY", "2025-04-03"),
        ("Tue 03/04/2025", "DMY", "2025-04-03"),
        ("2025-03-04", "DMY", "2025-03-04"),
        ("2025/03/04", "DMY", "2025-03-04"),
        ("03/25/2025", "DMY", Fault.NOT_IN_CALENDAR),
        ("03/04/2025", "YMD", Fault.NOT_IN_DATE_ORDER),
        ("13/13/2025", None, Fault.NOT_IN_CALENDAR),
        ("31/04/2025", None, Fault.NOT_IN_CALENDAR),
    ],
)
def test_the_order_of_numbers(text: str, order: str | None, iso: str | Fault) -> None:
    assert read(text, order) == iso


@pytest.mark.parametrize(
    ("text", "order", "pivot", "iso"),
    [
        ("4/5/25", None, None, Fault.TWO_DIGIT_YEAR),
        ("4/5/25", "DMY", None, Fault.TWO_DIGIT_YEAR),
        ("4-Mar-25", None, None, Fault.TWO_DIGIT_YEAR),
        ("4/5/25", "DMY", 2050, "2025-05-04"),
        ("4/5/50", "DMY", 2050, "2050-05-04"),
        ("4/5/51", "DMY", 2050, "1951-05-04"),
        ("4/5/00", "DMY", 2050, "2000-05-04"),
        ("25/03/04", "YMD", 2050, "2025-03-04"),
        ("4/5/25", None, 2050, "4/5/25?"),
        ("13/05/25", None, 2050, "13/05/25?"),
        ("05/31/99", None, 2050, "1999-05-31"),
        ("4-Mar-25", None, 2050, "2025-03-04"),
        ("Mar 4, 25", None, 2050, "2025-03-04"),
        ("25-Mar-04", None, 2050, "2004-03-25"),
        ("25-Mar-04", "YMD", 2050, "2025-03-04"),
        ("Mar 25", None, 2050, "Mar 25?"),
        ("Mar-98", None, 2050, "1998-03"),
        ("Mar-98", None, None, Fault.TWO_DIGIT_YEAR),
    ],
)
def test_two_digit_years_need_a_century(text: str, order: str | None, pivot: int | None, iso: str | Fault) -> None:
    assert read(text, order, pivot) == iso


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2025-03-04T14:30", "2025-03-04T14:30:00"),
        ("2025-03-04 14:30:05", "2025-03-04T14:30:05"),
        ("2025-03-04T14:30:05.250Z", "2025-03-04T14:30:05.25Z"),
        ("2025-03-04T14:30:00+0200", "2025-03-04T14:30:00+02:00"),
        ("2025-03-04T14:30:00+00:00", "2025-03-04T14:30:00Z"),
        ("2025-03-04T14:30:00-05", "2025-03-04T14:30:00-05:00"),
        ("March 4, 2025 2:30 PM", "2025-03-04T14:30:00"),
        ("March 4, 2025, 12:05 a.m.", "2025-03-04T00:05:00"),
        ("4 March 2025 at 14:30 UTC", "2025-03-04T14:30:00Z"),
        ("03/25/2025 1:00:17 PM", "2025-03-25T13:00:17"),
        ("03/04/2025 14:30", "03/04/2025 14:30?"),
        ("2025-03-04T25:00", Fault.NOT_A_DATE),
        ("2025-03-04T14:60", Fault.NOT_A_DATE),
        ("2025-03-04 13:00 PM", Fault.NOT_A_DATE),
        ("2025-03-04T14:30+99:00", Fault.NOT_A_DATE),
        ("2025-03 14:30", Fault.NOT_A_DATE),
        ("14:30", Fault.NOT_A_DATE),
    ],
)
def test_a_time_of_day_is_kept(text: str, iso: str | Fault) -> None:
    assert read(text) == iso


@pytest.mark.parametrize("text", ["2025-03-04T00:00:00Z", "2025-03-04 00:00", "2025-03-04T00:00:00.000+02:00"])
def test_midnight_is_dropped_and_said(text: str) -> None:
    assert parse(text, None, None) == DateReading("2025-03-04", midnight=True)


@pytest.mark.parametrize(
    "text",
    [
        "2025-02-30",
        "2025-02-29",
        "2025-13-01",
        "2025-00-10",
        "0000-01-01",
        "0000",
        "2025-13",
        "20251301",
        "30 February 2025",
        "April 31, 2025",
        "March 4, 0000",
    ],
)
def test_days_that_no_calendar_has(text: str) -> None:
    assert read(text) is Fault.NOT_IN_CALENDAR


@pytest.mark.parametrize(
    "text",
    [
        "today",
        "Present",
        "March",
        "4",
        "45000",
        "2025-W10",
        "Q1 2025",
        "FY2025",
        "105/02/24",
        "03/2025/04",
        "04 2025 March",
        "4-6 March 2025",
        "March 4 - April 5, 2025",
        "due on March 4, 2025",
        "March 4, 2025 (revised)",
        "It may be 4, 2025",
        "2025-03-04/2025-03-05",
        "03-04/2025",
        "3_4_2025",
        "1" * 79 + "@",
        "a " * 39 + "@",
        "x" * 1_000_000,
    ],
    ids=lambda text: text[:24],
)
def test_what_is_no_date(text: str) -> None:
    assert read(text) is Fault.NOT_A_DATE


@pytest.mark.parametrize("text", ["09/28", "9-28", "28.09", "March 4", "4 Mar"])
def test_a_day_without_a_year_is_no_date(text: str) -> None:
    assert read(text) is Fault.NO_YEAR


def test_a_month_is_a_filler_in_no_language() -> None:
    names = ("jan", "märz", "mai", "março", "out", "set", "dez", "gen", "ago")
    assert all(month_number(name) for name in names)
    assert not any(is_filler(name) for name in names)


@given(st.dates(), st.sampled_from([None, *DateOrder]))
def test_iso_text_is_read_whatever_the_order(day: date, order: DateOrder | None) -> None:
    assert read(day.isoformat(), order) == day.isoformat()


@given(st.dates(min_value=date(1000, 1, 1)), st.sampled_from([" ", "/", "-", ".", ". "]))
def test_a_declared_order_is_followed(day: date, mark: str) -> None:
    year, month, number = day.isoformat().split("-")
    assert read(mark.join((number, month, year)), "DMY") == day.isoformat()
    assert read(mark.join((month, number, year)), "MDY") == day.isoformat()
    assert read(mark.join((year, month, number)), "YMD") == day.isoformat()


@given(st.dates(min_value=date(1000, 1, 1)))
def test_without_an_order_a_numeric_date_is_right_or_ambiguous(day: date) -> None:
    written = f"{day.day:02}/{day.month:02}/{day.year}"
    expected = day.isoformat() if day.day > 12 or day.day == day.month else written + "?"
    assert read(written) == expected


@given(st.dates(min_value=date(1951, 1, 1), max_value=date(2050, 12, 31)))
def test_two_digit_years_round_trip_within_their_century(day: date) -> None:
    assert read(f"{day.day}.{day.month}.{day.year % 100:02}", "DMY", 2050) == day.isoformat()


@given(st.text(max_size=90), st.sampled_from([None, *DateOrder]), st.sampled_from([None, 2050, 1000]))
def test_any_text_is_answered(text: str, order: DateOrder | None, pivot: int | None) -> None:
    assert isinstance(parse(text, order, pivot), DateReading | Fault)
