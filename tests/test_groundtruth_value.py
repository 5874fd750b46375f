"""Readings of one leaf: the cases of the voting rules that concern single values, and what each comparator makes of
JSON of the wrong type."""

from __future__ import annotations

from decimal import Decimal

import pytest

from groundtruth.errors import RulesError
from groundtruth.jsontext import Json, Malformed
from groundtruth.rules import DateOrder, FieldRule, ListOrder
from groundtruth.schema import Leaf
from groundtruth.value import (
    NULL,
    Canonical,
    Canonicalizer,
    Fault,
    Flag,
    Invalid,
    Null,
    Value,
    canonical,
    check_locale,
    fold,
    sort_key,
)
from value_builders import BOOLEAN, CURRENCY, DATE, INTEGER, MARITAL, NUMBER, TEXT, classes, leaf, reason, value


class TestCasesOfTheRules:
    """Numbered as in the table of cases."""

    def test_case_7_spacing_is_folded_in_text_and_case_is_not(self) -> None:
        spaced = ["ACME  Corp", "ACME Corp", "ACME\nCorp"]
        assert {value(TEXT, raw).surface for raw in spaced} == {"ACME Corp"}
        assert classes(TEXT, *spaced) == 1
        assert classes(TEXT, "ACME Corp", "Acme Corp", "ACME CORP") == 3
        assert classes(leaf("case_insensitive"), *spaced, "Acme Corp", "ACME CORP") == 1
        assert value(leaf("case_insensitive"), "Acme  Corp").surface == "Acme Corp"

    @pytest.mark.parametrize("raw", [None, "", "  ", "\u00a0\n", "\u200b"])
    @pytest.mark.parametrize("field", [TEXT, NUMBER, DATE, BOOLEAN, MARITAL, leaf("list"), leaf("opaque")])
    def test_case_12_nothing_is_null(self, field: Leaf, raw: Json) -> None:
        assert isinstance(canonical(field, raw), Null)

    def test_case_16_a_currency_sign_belongs_to_currency_only(self) -> None:
        assert value(CURRENCY, Decimal("1234.5")) == Value(("number", Decimal("1234.5")), Decimal("1234.5"))
        for raw in ("1,234.50", "$1,234.50"):
            found = value(CURRENCY, raw)
            assert found.surface == Decimal("1234.5")
            assert found.flags == {Flag.COERCED}
        assert classes(CURRENCY, Decimal("1234.5"), "1,234.50", "$1,234.50") == 1
        assert classes(NUMBER, Decimal("1234.5"), "1,234.50") == 1
        assert reason(NUMBER, "$1,234.50") == Fault.NOT_A_NUMBER

    def test_case_17_grouping_follows_the_declared_locale(self) -> None:
        assert reason(NUMBER, "1.234,50") == Fault.NOT_A_NUMBER
        assert value(leaf("number", rule=FieldRule(locale="de-DE")), "1.234,50").surface == Decimal("1234.5")

    def test_case_19_one_integer_in_five_writings(self) -> None:
        raws: list[Json] = [1, Decimal("1.0"), Decimal("1.00"), "1", Decimal("1e0")]
        assert classes(INTEGER, *raws) == 1
        for raw in raws:
            surface = value(INTEGER, raw).surface
            assert surface == 1
            assert type(surface) is int

    def test_case_20_neither_a_fraction_nor_true_is_an_integer(self) -> None:
        assert reason(INTEGER, Decimal("1.5")) == Fault.NOT_AN_INTEGER
        assert reason(INTEGER, "1.5") == Fault.NOT_AN_INTEGER
        assert reason(INTEGER, True) == Fault.BOOLEAN

    def test_case_21_zero_is_not_null(self) -> None:
        assert value(NUMBER, 0) == Value(("number", 0), 0)
        assert value(NUMBER, Decimal("-0.0")) == value(NUMBER, 0)

    @pytest.mark.parametrize(
        "raw", [Malformed("NaN", "not_a_finite_number"), Malformed("1e400", "not_a_finite_number")]
    )
    @pytest.mark.parametrize("field", [TEXT, NUMBER, DATE, BOOLEAN, MARITAL, leaf("list"), leaf("union", "string")])
    def test_case_23_a_malformed_place_is_invalid_on_any_leaf(self, field: Leaf, raw: Json) -> None:
        assert reason(field, raw) == "not_a_finite_number"

    @pytest.mark.parametrize(
        "raw", [Decimal("NaN"), Decimal("Infinity"), float("nan"), float("-inf"), "NaN", "Infinity"]
    )
    def test_case_23_no_number_is_read_from_what_is_not_finite(self, raw: Json) -> None:
        assert reason(NUMBER, raw) == Fault.NOT_A_NUMBER

    @pytest.mark.parametrize(
        "raw", [Decimal("1e400"), "1e400", 10**400, Decimal("1e999999999"), Decimal("1e-999999999")]
    )
    @pytest.mark.parametrize("field", [NUMBER, INTEGER, CURRENCY], ids=lambda field: field.comparator)
    def test_case_23_numbers_past_doubles_are_invalid(self, field: Leaf, raw: Json) -> None:
        assert reason(field, raw) == Fault.OUT_OF_RANGE

    def test_case_25_equality_has_no_tolerance(self) -> None:
        assert classes(NUMBER, Decimal("19.99"), Decimal("19.990000000000002")) == 2

    def test_case_27_the_ways_to_say_true(self) -> None:
        coerced: list[Json] = ["Yes", "X", "checked", 1]
        assert value(BOOLEAN, True) == Value(("boolean", True), True)
        for raw in coerced:
            assert value(BOOLEAN, raw) == Value(("boolean", True), True, frozenset({Flag.COERCED}))

    def test_case_28_a_printed_empty_box_is_false_and_an_empty_answer_null(self) -> None:
        assert value(BOOLEAN, False).surface is False
        assert value(BOOLEAN, "[ ]").surface is False
        assert canonical(BOOLEAN, "") == NULL

    def test_case_29_a_member_of_an_enumeration_whatever_its_case(self) -> None:
        assert value(MARITAL, "SINGLE") == Value(("enum", '"Single"'), "Single")
        assert reason(MARITAL, "Divorced") == Fault.NOT_A_MEMBER

    def test_cases_30_and_31_not_applicable_is_a_reading_unless_declared_null(self) -> None:
        assert reason(NUMBER, "N/A") == Fault.NOT_A_NUMBER
        assert value(TEXT, "N/A").surface == "N/A"
        declared = FieldRule(null_tokens=("N/A",))
        for field in (leaf("text", rule=declared), leaf("number", rule=declared), leaf("list", rule=declared)):
            assert canonical(field, " N/A ") == NULL
            assert isinstance(canonical(field, "n/a"), Value | Invalid), "tokens are compared as declared"

    def test_case_33_dates_in_several_writings(self) -> None:
        raws = ["2025-03-04", "March 4, 2025", "04 Mar 2025", "Tuesday, 4th of March 2025", "2025/03/04"]
        assert {value(DATE, raw) for raw in raws} == {Value(("date", "2025-03-04"), "2025-03-04")}

    def test_case_34_an_ambiguous_date_is_a_class_of_its_own(self) -> None:
        found = value(DATE, "03/04/2025")
        assert found.flags == {Flag.AMBIGUOUS_DATE}
        assert found.surface == "03/04/2025"
        assert classes(DATE, "2025-03-04", "03/04/2025") == 2
        month_first = leaf("date", rule=FieldRule(date_order=DateOrder.MDY))
        assert classes(month_first, "2025-03-04", "03/04/2025") == 1
        day_first = leaf("date", rule=FieldRule(date_order=DateOrder.DMY))
        assert value(day_first, "03/04/2025") == Value(("date", "2025-04-03"), "2025-04-03")

    def test_case_36_no_such_day_and_no_such_century(self) -> None:
        assert reason(DATE, "2025-02-30") == Fault.NOT_IN_CALENDAR
        assert reason(DATE, "4/5/25") == Fault.TWO_DIGIT_YEAR

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            pytest.param("caf\u00e9", "cafe\u0301", id="NFC and NFD"),
            pytest.param("a\u00a0b", "a b", id="no-break space"),
            pytest.param("ﬁnal", "final", id="ligature"),
            pytest.param("fi\u200bnal", "final", id="zero-width space"),
        ],
    )
    def test_case_38_writings_that_look_the_same(self, one: str, other: str) -> None:
        for comparator in ("text", "case_insensitive", "typographic", "identifier"):
            assert classes(leaf(comparator), one, other) == 1

    def test_case_40_order_in_lists(self) -> None:
        assert classes(leaf("list"), ["a", "b"], ["b", "a"]) == 2
        for order in (ListOrder.SET, ListOrder.MULTISET):
            assert classes(leaf("list", rule=FieldRule(list=order)), ["a", "b"], ["b", "a"]) == 1

    @pytest.mark.parametrize("raw", [[], None, [""], [None], [None, "  "]], ids=repr)
    def test_case_42_lists_that_hold_nothing(self, raw: Json) -> None:
        assert canonical(leaf("list"), raw) == NULL

    def test_ligatures_are_letters_and_superscripts_are_not_digits(self) -> None:
        assert classes(TEXT, "ﬁbrils", "fibrils") == 1
        assert classes(TEXT, "10²", "102") == 2

    def test_an_ambiguous_date_is_never_read_month_first_in_silence(self) -> None:
        assert Flag.AMBIGUOUS_DATE in value(DATE, "03/04/2025").flags


class TestText:
    @pytest.mark.parametrize(
        ("raw", "literal"),
        [
            (12, "12"),
            (Decimal("12.50"), "12.50"),
            (Decimal("12.0"), "12.0"),
            (Decimal("1e3"), "1000"),
            (Decimal("1e-7"), "0.0000001"),
            (Decimal("0e999999"), "0"),
            (True, "true"),
            (False, "false"),
        ],
    )
    def test_a_number_or_boolean_becomes_its_literal(self, raw: Json, literal: str) -> None:
        assert value(TEXT, raw) == Value(("text", literal), literal, frozenset({Flag.COERCED}))

    @pytest.mark.parametrize("raw", ["null", "None", "NULL", "Null"])
    def test_a_written_null_is_a_reading_with_a_flag(self, raw: str) -> None:
        assert value(TEXT, raw).flags == {Flag.NULL_LIKE}

    @pytest.mark.parametrize("raw", ["none", "N/A", "-", "nullable"])
    def test_other_words_for_nothing_are_plain_readings(self, raw: str) -> None:
        assert value(TEXT, raw) == Value(("text", raw), raw)

    def test_identifiers_keep_their_zeros_and_lose_empty_decimals(self) -> None:
        identifier = leaf("identifier")
        assert classes(identifier, "037833100", "037833100 ") == 1
        assert classes(identifier, "037833100", "37833100") == 2
        assert classes(identifier, "7", 7, Decimal("7.0")) == 1
        assert value(identifier, Decimal("7.0")).flags == {Flag.COERCED}

    def test_typographic_signs_are_equal_only_where_declared(self) -> None:
        curly, straight = "“Smith’s” – 5", '"Smith\'s" - 5'
        assert classes(TEXT, curly, straight) == 2
        assert classes(leaf("typographic"), curly, straight) == 1
        assert value(leaf("typographic"), curly).surface == curly

    def test_joiners_are_stored_and_not_compared(self) -> None:
        with_joiner, without = "می\u200cخواهم", "میخواهم"
        assert classes(TEXT, with_joiner, without) == 1
        assert value(TEXT, with_joiner).surface == with_joiner
        assert canonical(TEXT, " \u200d ") == NULL

    def test_half_a_surrogate_pair_is_no_text(self) -> None:
        assert reason(TEXT, "a\ud83d") == Fault.NOT_UNICODE

    def test_a_leaf_without_strings_stores_the_type_it_has(self) -> None:
        number = leaf("identifier", "integer")
        assert value(number, 7) == Value(("identifier", "7"), 7)
        assert value(number, "7") == Value(("identifier", "7"), 7, frozenset({Flag.COERCED}))
        assert reason(number, "007") == Fault.NOT_OF_TYPE
        assert reason(number, Decimal("7.5")) == Fault.NOT_AN_INTEGER
        assert value(leaf("text", "boolean"), "true").surface is True


class TestNumbersInLeavesOfOtherTypes:
    def test_a_text_leaf_compared_as_a_number_keeps_what_is_written(self) -> None:
        price = leaf("currency", "string")
        assert value(price, "$1,234.50 ") == Value(("number", Decimal("1234.5")), "$1,234.50")
        assert value(price, Decimal("1234.50")) == Value(
            ("number", Decimal("1234.5")), "1234.5", frozenset({Flag.COERCED})
        )

    def test_a_number_put_into_a_text_leaf_is_written_as_the_locale_reads_it(self) -> None:
        price = leaf("number", "string", rule=FieldRule(locale="de-DE"))
        surface = value(price, Decimal("1234.5")).surface
        assert surface == "1234,5"
        assert classes(price, Decimal("1234.5"), surface) == 1

    def test_an_integer_leaf_takes_no_fraction_whatever_the_comparator(self) -> None:
        assert reason(leaf("currency", "integer"), "$1.50") == Fault.NOT_AN_INTEGER
        assert value(leaf("currency", "integer"), "$1.00").surface == 1

    def test_a_fraction_is_text_where_the_schema_has_integers_and_strings(self) -> None:
        field = leaf("number", "integer", "string")
        assert value(field, "1,234").surface == 1234
        assert value(field, "1,234.50").surface == "1,234.50"
        assert value(field, Decimal("1234.50")).surface == "1234.5"

    def test_a_year_in_an_integer_leaf(self) -> None:
        assert value(leaf("date", "integer"), 2025) == Value(("date", "2025"), 2025)
        assert value(leaf("date", "integer"), "2025").surface == 2025
        assert reason(leaf("date", "integer"), "2025-03") == Fault.NOT_OF_TYPE
        assert value(DATE, 2025) == Value(("date", "2025"), "2025", frozenset({Flag.COERCED}))
        assert reason(DATE, Decimal("2025.5")) == Fault.NOT_A_DATE
        assert reason(DATE, True) == Fault.BOOLEAN


class TestBooleans:
    @pytest.mark.parametrize(
        "raw", ["true", "YES", "y", "x", "on", "☑", "☒", "✓", "(x)", "[ X ]", "Selected", Decimal(1)]
    )
    def test_true(self, raw: Json) -> None:
        assert value(BOOLEAN, raw).surface is True

    @pytest.mark.parametrize(
        "raw", ["false", "No", "n", "off", "☐", "( )", "unchecked", "0", 0, Decimal("0.0")], ids=repr
    )
    def test_false(self, raw: Json) -> None:
        assert value(BOOLEAN, raw).surface is False

    @pytest.mark.parametrize("raw", ["maybe", "-", "null", "N/A", 2, Decimal("0.5"), Decimal("NaN")])
    def test_neither(self, raw: Json) -> None:
        assert reason(BOOLEAN, raw) == Fault.NOT_A_BOOLEAN

    def test_a_text_leaf_compared_as_a_boolean_keeps_what_is_written(self) -> None:
        field = leaf("boolean", "string")
        assert value(field, "Yes") == Value(("boolean", True), "Yes")
        assert value(field, True) == Value(("boolean", True), "true", frozenset({Flag.COERCED}))
        assert value(field, 0) == Value(("boolean", False), "false", frozenset({Flag.COERCED}))

    def test_a_number_leaf_compared_as_a_boolean_stores_0_or_1(self) -> None:
        field = leaf("boolean", "integer")
        assert value(field, 1) == Value(("boolean", True), 1)
        for raw in ("yes", True):
            found = value(field, raw)
            assert (found.surface, type(found.surface)) == (1, int)
            assert found.flags == {Flag.COERCED}

    def test_a_boolean_leaf_stores_no_number(self) -> None:
        assert reason(leaf("number", "boolean"), 1) == Fault.NOT_OF_TYPE


class TestEnumerations:
    def test_two_members_that_differ_only_in_case_are_matched_exactly(self) -> None:
        field = leaf("enum", enum=("kg", "KG", "Stone"))
        assert value(field, "kg").surface == "kg"
        assert value(field, "KG").surface == "KG"
        assert reason(field, "Kg") == Fault.NOT_A_MEMBER
        assert value(field, "stone").surface == "Stone"
        assert fold(value(field, "kg")) != fold(value(field, "KG"))

    @pytest.mark.parametrize(
        ("raw", "member", "coerced"),
        [
            (5, 5, False),
            (Decimal("5.0"), 5, False),
            ("5", 5, True),
            ("1", "1", False),
            (1, "1", True),
            (True, True, False),
            ("TRUE", True, True),
        ],
    )
    def test_members_of_several_types(self, raw: Json, member: Json, coerced: bool) -> None:
        found = value(leaf("enum", enum=(5, "1", True)), raw)
        assert (found.surface, type(found.surface)) == (member, type(member))
        assert (Flag.COERCED in found.flags) is coerced

    def test_true_is_not_the_member_1(self) -> None:
        assert reason(leaf("enum", enum=(1, 2)), True) == Fault.NOT_A_MEMBER
        assert reason(leaf("enum", enum=(True,)), 1) == Fault.NOT_A_MEMBER

    def test_a_member_is_stored_as_it_is_declared(self) -> None:
        assert value(leaf("enum", enum=("Ｎet  30",)), "ｎet 30").surface == "Ｎet  30"


def test_keys_tell_json_types_apart() -> None:
    keys = {
        value(leaf("union", "string", "number", "boolean"), raw).key for raw in (True, 1, "1", "true", Decimal("1.0"))
    }
    assert len(keys) == 4


def test_a_memory_does_not_mix_what_python_takes_for_one() -> None:
    read = Canonicalizer(leaf("union", "string", "number", "boolean"))
    raws: list[Json] = [True, 1, "1", Decimal("1.0"), False, 0, "0"]
    for _ in range(2):
        assert [read(raw) for raw in raws] == [canonical(read.leaf, raw) for raw in raws]


def test_keys_of_every_kind_have_one_order() -> None:
    fields = [TEXT, NUMBER, DATE, BOOLEAN, MARITAL, leaf("list"), leaf("opaque"), leaf("identifier")]
    raws: list[Json] = ["b", "a", 10, 9, Decimal("9.5"), True, "single", "2025-03-04", "03/04/2025", ["a", None], [1]]
    found: list[Canonical] = [canonical(field, raw) for field in fields for raw in raws]
    keys = list({item.key for item in found if isinstance(item, Value)})
    backwards = keys[::-1]
    assert sorted(keys, key=sort_key) == sorted(backwards, key=sort_key)
    numbers = [value(NUMBER, raw).key for raw in (10, 9, Decimal("9.5"))]
    assert [key[1] for key in sorted(numbers, key=sort_key)] == [9, Decimal("9.5"), 10]


def test_an_unknown_locale_is_refused_with_those_that_come_near() -> None:
    check_locale("de-DE")
    check_locale("de_ch")
    with pytest.raises(RulesError, match=r"unknown locale 'de': .*de-AT, de-CH, de-DE"):
        check_locale("de")
    with pytest.raises(RulesError, match="unknown locale ''"):
        canonical(leaf("number", rule=FieldRule(locale="")), "1")
