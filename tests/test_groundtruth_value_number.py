"""Numbers as people write them, by locale."""

from __future__ import annotations

import sys
from decimal import Decimal
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtruth.value_currency import is_currency
from groundtruth.value_locale import LOCALES, convention
from groundtruth.value_number import Number, exact, literal, local_literal, parse
from groundtruth.value_reading import Fault


def read(text: str, locale: str = "en-US") -> Number | Fault:
    return parse(text, locale, currency=False)


def amount(text: str, locale: str = "en-US") -> Number | Fault:
    return parse(text, locale, currency=True)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("007", 7),
        ("1,234,567.25", Decimal("1234567.25")),
        ("1234567.25", Decimal("1234567.25")),
        (".5", Decimal("0.5")),
        ("1.50", Decimal("1.5")),
        ("1e3", 1000),
        ("2.5E-3", Decimal("0.0025")),
        ("+5", 5),
        ("-5", -5),
        ("- 5", -5),
        ("5-", -5),
        ("(1,234.50)", Decimal("-1234.5")),
        ("( 5 )", -5),
        ("(0)", 0),
        ("-0.00", 0),
        ("−5", -5),
        ("–5", -5),
        ("－５", -5),
        ("١٢٣", 123),
        ("१२३", 123),
        ("１，２３４．５", Decimal("1234.5")),
        ("١٬٢٣٤٫٥", Decimal("1234.5")),
    ],
)
def test_numbers(text: str, number: Number) -> None:
    assert read(text) == number


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("5.", id="no decimals after the mark"),
        pytest.param("12,34", id="group of two"),
        pytest.param("1,2345", id="group of four"),
        pytest.param("1234,567", id="group after four digits"),
        pytest.param("0,123", id="group after a zero"),
        pytest.param(",123", id="group after nothing"),
        pytest.param("1,234,", id="group of nothing"),
        pytest.param("1.234.567", id="two decimal marks"),
        pytest.param("1 234", id="foreign grouping"),
        pytest.param("1'234", id="Swiss grouping"),
        pytest.param("(-5)", id="negative twice"),
        pytest.param("-5-", id="minus twice"),
        pytest.param("+-5", id="plus and minus"),
        pytest.param("(5", id="half a parenthesis"),
        pytest.param("—", id="dash"),
        pytest.param("—5", id="after a long dash"),
        pytest.param("-", id="sign alone"),
        pytest.param("()", id="parentheses alone"),
        pytest.param("5 kg", id="unit"),
        pytest.param("about 5", id="sentence"),
        pytest.param("5 6", id="two numbers"),
        pytest.param("5-6", id="range"),
        pytest.param("10²", id="superscript"),
        pytest.param("½", id="fraction"),
        pytest.param("①", id="circled"),
        pytest.param("0x10", id="hexadecimal"),
        pytest.param("1_000", id="program text"),
        pytest.param("5 CR", id="credit"),
        pytest.param("$5", id="currency"),
        pytest.param("inf", id="infinity"),
        pytest.param("9" * 401, id="too long"),
    ],
)
def test_what_is_no_number(text: str) -> None:
    assert read(text) is Fault.NOT_A_NUMBER


@pytest.mark.parametrize("text", ["12%", "12 %", "(5%)", "5‰", "٪5"])
def test_a_percentage_is_no_number(text: str) -> None:
    assert read(text) is Fault.PERCENT
    assert amount(text) is Fault.PERCENT


@pytest.mark.parametrize(
    ("locale", "text", "number"),
    [
        ("de-DE", "1.234,50", Decimal("1234.5")),
        ("de-DE", "1.234", 1234),
        ("de_de", "1.234", 1234),
        ("de-DE", "1234.5", Fault.NOT_A_NUMBER),
        ("de-DE", "0.123", Fault.NOT_A_NUMBER),
        ("fr-FR", "1 234,50", Decimal("1234.5")),
        ("fr-FR", "1.234,50", Fault.NOT_A_NUMBER),
        ("de-CH", "1'234.50", Decimal("1234.5")),
        ("de-CH", "1’234.50", Decimal("1234.5")),
        ("fr-CH", "1 234.50", Decimal("1234.5")),
        ("fr-CH", "1'234,50", Decimal("1234.5")),
        ("en-IN", "12,34,567.50", Decimal("1234567.5")),
        ("en-IN", "1,234,567", 1234567),
        ("en-IN", "1,23,4567", Fault.NOT_A_NUMBER),
        ("en-US", "12,34,567", Fault.NOT_A_NUMBER),
        ("pl-PL", "1.234 567,0", Fault.NOT_A_NUMBER),
        ("pl-PL", "1 234 567,0", 1234567),
        ("pl-PL", "1.234.567,0", 1234567),
        ("fa-IR", "۱۲٫۵", Decimal("12.5")),
    ],
)
def test_grouping_is_that_of_the_locale_or_absent(locale: str, text: str, number: Number | Fault) -> None:
    assert read(text, locale) == number


@pytest.mark.parametrize(
    "text",
    [
        "$1,234.50",
        "US$ 1,234.50",
        "$1,234.50 USD",
        "USD 1,234.50",
        "1,234.50 usd",
        "€1,234.50",
        "1,234.50€",
        "1,234.50 EUR",
        "HK$1,234.50",
        "R$ 1,234.50",
        "CHF 1,234.50",
        "Fr. 1,234.50",
        "kr 1,234.50",
        "1,234.50 kr.",
        "1,234.50 zł",
        "1,234.50 Kč",
        "Rs.1,234.50",
        "R1,234.50",
        "S/. 1,234.50",
        "₪ 1,234.50",
        '1,234.50 ש"ח',
        "￥１,２３４.５０",
        "1,234.50 euros",
    ],
)
def test_a_currency_sign_before_or_after_an_amount(text: str) -> None:
    assert amount(text) == Decimal("1234.5")
    assert read(text) is Fault.NOT_A_NUMBER


@pytest.mark.parametrize("text", ["-$5", "$-5", "$5-", "$ 5 -", "($5)", "$(5)", "(5) $", "-5 EUR", "EUR -5", "−5 €"])
def test_a_negative_amount_has_its_sign_inside_or_outside(text: str) -> None:
    assert amount(text) == -5


@pytest.mark.parametrize(
    ("locale", "text", "number"),
    [
        ("de-DE", "100,-", 100),
        ("de-DE", "1.234,-- €", 1234),
        ("de-DE", "-100,-", -100),
        ("de-CH", "Fr. 100.—", 100),
        ("nb-NO", "kr 1 234,–", 1234),
        ("en-US", "$.5", Decimal("0.5")),
        ("en-US", "Rs.5", 5),
    ],
)
def test_dashes_for_no_cents_and_dots_of_abbreviations(locale: str, text: str, number: Number) -> None:
    assert amount(text, locale) == number


@pytest.mark.parametrize(
    "text",
    [
        "$",
        "$ -",
        "five $",
        "$5 per unit",
        "5 $ 6",
        "$$$5",
        "X5",
        "5 pcs",
        "5 dollars",
        "£ s",
        "EURO",
        "",
        "($-5)",
        "-$-5",
    ],
)
def test_what_is_no_amount(text: str) -> None:
    assert amount(text) is Fault.NOT_A_NUMBER


def test_every_currency_symbol_of_unicode_is_one() -> None:
    symbols = [char for char in map(chr, range(sys.maxunicode + 1)) if category(char) == "Sc"]
    assert len(symbols) > 50
    assert [char for char in symbols if not is_currency(char)] == []


@pytest.mark.parametrize("sign", ["", ".", "%", "#", "kg", "US", "U$$", "USDX", "°", "+"])
def test_what_is_no_currency(sign: str) -> None:
    assert not is_currency(sign)


@pytest.mark.parametrize(
    ("raw", "number"),
    [
        (5, 5),
        (Decimal("5.0"), 5),
        (Decimal("-0"), 0),
        (Decimal("0e999999999"), 0),
        (Decimal("1e308"), 10**308),
        (Decimal("1.7976931348623157e308"), 17976931348623157 * 10**292),
        (Decimal("1.8e308"), Fault.OUT_OF_RANGE),
        (Decimal("-1.8e308"), Fault.OUT_OF_RANGE),
        (-(2 * 10**308), Fault.OUT_OF_RANGE),
        (Decimal("1e-400"), Decimal("1e-400")),
        (Decimal("1e-401"), Fault.OUT_OF_RANGE),
        (Decimal("1." + "1" * 399), Decimal("1." + "1" * 399)),
        (Decimal("1." + "1" * 400), Fault.OUT_OF_RANGE),
        (Decimal("1." + "0" * 1000), 1),
        (Decimal("NaN"), Fault.NOT_A_NUMBER),
        (Decimal("sNaN"), Fault.NOT_A_NUMBER),
        (Decimal("-Infinity"), Fault.NOT_A_NUMBER),
    ],
    ids=lambda item: str(item)[:20],
)
def test_exact(raw: int | Decimal, number: Number | Fault) -> None:
    found = exact(raw)
    assert found == number
    assert type(found) is type(number)


NUMBERS = st.decimals(min_value=-(10**12), max_value=10**12, places=3)


def test_every_locale_has_marks_that_do_not_clash() -> None:
    for locale in LOCALES:
        rules = convention(locale)
        assert not set(rules.decimal) & set(rules.group)


@given(NUMBERS, st.sampled_from(LOCALES))
def test_a_number_written_as_the_locale_does_is_read_back(number: Decimal, locale: str) -> None:
    rules = convention(locale)
    for group in ("", *rules.group):
        written = f"{number:,f}".replace(",", "_").replace(".", rules.decimal[0]).replace("_", group)
        assert read(written, locale) == exact(number)
        assert amount(f"{written} EUR", locale) == exact(number)
        assert amount(f"€ {written}", locale) == exact(number)


@given(NUMBERS, st.sampled_from(LOCALES))
def test_a_literal_is_read_back(number: Decimal, locale: str) -> None:
    kept = exact(number)
    assert not isinstance(kept, Fault)
    assert read(literal(kept)) == kept
    assert read(local_literal(kept, locale), locale) == kept


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_exact_never_rounds(number: Decimal) -> None:
    kept = exact(number)
    assert isinstance(kept, Fault) or (kept == number and hash(kept) == hash(number))


@given(st.text(), st.sampled_from(LOCALES), st.booleans())
def test_any_text_is_answered(text: str, locale: str, currency: bool) -> None:
    assert isinstance(parse(text, locale, currency=currency), int | Decimal | Fault)


@given(st.text(alphabet="0123456789.,-+()$ %e'€kr", max_size=12), st.sampled_from(LOCALES))
def test_text_that_is_read_holds_its_digits_and_no_others(text: str, locale: str) -> None:
    found = amount(text, locale)
    if not isinstance(found, Fault) and "e" not in text:
        digits = "".join(filter(str.isdigit, text)).strip("0")
        assert literal(found).replace(".", "").strip("-0") in {digits, digits.strip("0")}
