"""Readings of leaves that hold several values or any: lists, unions of types, opaque leaves, nesting."""

from __future__ import annotations

from decimal import Decimal

import pytest

from groundtruth.jsontext import Json, Malformed
from groundtruth.rules import Comparator, FieldRule, ListOrder
from groundtruth.schema import Leaf
from groundtruth.value import (
    NULL,
    Fault,
    Flag,
    Invalid,
    Null,
    Value,
    canonical,
    fold,
)
from value_builders import DATE, NUMBER, TEXT, classes, leaf, reason, value


class TestLists:
    def test_items_are_cleaned_and_keep_their_order(self) -> None:
        assert value(leaf("list"), ["b ", None, "a"]).surface == ["b", None, "a"]

    @pytest.mark.parametrize("raw", ["a", '["a"]', ["a"]], ids=["scalar", "JSON in a string", "list"])
    def test_a_scalar_is_a_list_of_one(self, raw: Json) -> None:
        found = value(leaf("list"), raw)
        assert found.key == ("list", (("text", "a"),))
        assert found.surface == ["a"]
        assert (Flag.COERCED in found.flags) is (raw != ["a"])

    @pytest.mark.parametrize("raw", ["[a", "[1] Smith", '{"a": 1}'])
    def test_text_that_is_no_list_is_an_item(self, raw: str) -> None:
        assert value(leaf("list"), raw).surface == [raw]

    @pytest.mark.parametrize(
        ("raw", "code"),
        [
            (["a", {"b": 1}], Fault.INVALID_ITEM),
            ([["a", "b"], "c"], Fault.INVALID_ITEM),
            (["a", Malformed("NaN", "not_a_finite_number")], Fault.INVALID_ITEM),
            ({"a": 1}, Fault.OBJECT),
        ],
        ids=["object", "list", "malformed", "no list"],
    )
    def test_an_invalid_item_makes_the_list_invalid(self, raw: Json, code: Fault) -> None:
        assert reason(leaf("list"), raw) == code

    def test_repetition_counts_in_a_multiset_and_not_in_a_set(self) -> None:
        twice, once = ["a", "b", "a"], ["b", "a"]
        assert classes(leaf("list", rule=FieldRule(list=ListOrder.MULTISET)), twice, once) == 2
        as_set = leaf("list", rule=FieldRule(list=ListOrder.SET))
        assert classes(as_set, twice, once, [*once, None]) == 1
        assert value(as_set, twice).surface == twice

    def test_what_the_vote_must_know_of_an_item_it_must_know_of_the_list(self) -> None:
        dates = Leaf(("dates",), Comparator.LIST, frozenset({"array"}), item=DATE)
        assert value(dates, ["2025-03-04", "03/04/2025"]).flags == {Flag.AMBIGUOUS_DATE}

    def test_null_tokens_hold_for_items(self) -> None:
        field = leaf("list", rule=FieldRule(null_tokens=("N/A",)))
        assert canonical(field, ["N/A"]) == NULL
        assert value(field, ["N/A", "a"]).surface == [None, "a"]


class TestScalarLeavesGivenLists:
    def test_a_list_of_one_is_its_item(self) -> None:
        assert value(TEXT, ["a"]) == Value(("text", "a"), "a", frozenset({Flag.COERCED}))
        assert value(DATE, ["03/04/2025"]).flags == {Flag.COERCED, Flag.AMBIGUOUS_DATE}

    def test_a_list_of_nothing_is_null(self) -> None:
        raws: list[Json] = [[], [None], [""], [[]]]
        for raw in raws:
            assert canonical(NUMBER, raw) == Null(frozenset({Flag.COERCED}))

    def test_a_longer_list_is_invalid(self) -> None:
        assert reason(TEXT, ["a", "b"]) == Fault.LONG_LIST
        assert reason(TEXT, [None, None]) == Fault.LONG_LIST

    def test_an_object_is_invalid(self) -> None:
        assert reason(TEXT, {"value": "a"}) == Fault.OBJECT
        assert reason(TEXT, [{}]) == Fault.OBJECT

    def test_what_is_no_json_is_invalid(self) -> None:
        assert reason(TEXT, object()) == Fault.NOT_JSON
        assert reason(leaf("opaque"), object()) == Fault.NOT_JSON


class TestUnions:
    @pytest.mark.parametrize(
        ("types", "raw", "surface", "coerced"),
        [
            pytest.param(("string", "number"), 1, 1, False, id="number allowed"),
            pytest.param(("string", "number"), "1", "1", False, id="text allowed"),
            pytest.param(("string", "number"), Decimal("1.50"), Decimal("1.5"), False, id="decimal allowed"),
            pytest.param(("string", "number"), True, "true", True, id="boolean to its literal"),
            pytest.param(("string", "integer"), Decimal("1.5"), "1.5", True, id="fraction to its literal"),
            pytest.param(("string", "boolean"), 1, "1", True, id="number to its literal"),
            pytest.param(("integer", "boolean"), "12", 12, True, id="text to the number it spells"),
            pytest.param(("integer", "boolean"), "yes", True, True, id="text to the boolean it spells"),
            pytest.param(("integer", "boolean"), True, True, False, id="boolean allowed"),
        ],
    )
    def test_a_value_keeps_a_type_that_is_allowed(
        self, types: tuple[str, ...], raw: Json, surface: Json, coerced: bool
    ) -> None:
        found = value(leaf("union", *types), raw)
        assert (found.surface, type(found.surface)) == (surface, type(surface))
        assert (Flag.COERCED in found.flags) is coerced

    def test_one_and_its_text_differ_and_differ_in_surface_only(self) -> None:
        field = leaf("union", "string", "integer")
        assert classes(field, 1, Decimal("1.0"), "1") == 2
        assert fold(value(field, 1)) == fold(value(field, "1"))

    @pytest.mark.parametrize("raw", ["many", Decimal("1.5")])
    def test_what_fits_no_type_is_invalid(self, raw: Json) -> None:
        assert isinstance(canonical(leaf("union", "integer", "boolean"), raw), Invalid)

    def test_true_is_no_number(self) -> None:
        assert reason(leaf("union", "integer", "number"), True) == Fault.BOOLEAN


class TestOpaque:
    FIELD = leaf("opaque", "object")

    def test_equal_as_json(self) -> None:
        assert classes(self.FIELD, {"a": 1, "b": "x  y"}, {"b": "x y", "a": Decimal("1.0")}) == 1
        assert classes(self.FIELD, {"a": 1}, {"a": "1"}, {"a": True}) == 3
        assert classes(self.FIELD, {"a": 1, "b": None}, {"a": 1}, {"a": 1, "b": {"c": []}}) == 1
        assert classes(self.FIELD, ["a", None], ["a"]) == 2

    @pytest.mark.parametrize("raw", [{}, [], {"a": None}, {"a": [{"b": ""}]}, [None, {}]], ids=repr)
    def test_containers_that_hold_nothing_are_null(self, raw: Json) -> None:
        assert canonical(self.FIELD, raw) == NULL

    def test_a_bad_place_makes_it_invalid(self) -> None:
        assert reason(self.FIELD, {"a": [Malformed("NaN", "not_a_finite_number")]}) == "not_a_finite_number"
        assert reason(self.FIELD, {"a": 1, " a": 2}) == Fault.DUPLICATE_KEY
        assert reason(self.FIELD, {"a": "\udc00"}) == Fault.NOT_UNICODE
        assert reason(self.FIELD, {"\udc00": 1}) == Fault.NOT_UNICODE
        assert reason(self.FIELD, {"a": Decimal("1e400")}) == Fault.OUT_OF_RANGE


def nested(depth: int) -> Json:
    raw: Json = "a"
    for _ in range(depth):
        raw = [raw]
    return raw


@pytest.mark.parametrize("comparator", [kind for kind in Comparator if kind is not Comparator.OPAQUE])
def test_nesting_of_any_depth_is_answered(comparator: Comparator) -> None:
    assert isinstance(canonical(leaf(comparator, "string", enum=("a",)), nested(100_000)), Value | Invalid)


def test_opaque_nesting_past_what_we_read_is_invalid() -> None:
    assert isinstance(canonical(leaf("opaque"), nested(200)), Value)
    assert reason(leaf("opaque"), nested(100_000)) == Fault.TOO_DEEP
