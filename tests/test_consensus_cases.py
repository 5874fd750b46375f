"""The voting cases of the consensus rules, by their numbers: five systems A to E, texts unless said."""

from __future__ import annotations

import random
from itertools import permutations
from typing import Any

import pytest

from builders import MISSING, ballots, leaf_of, schema_of, text_schema, vote_on_values
from consensus.vote import vote
from groundtruth.ballot import Ballot, Failure
from groundtruth.consensus import Disposition, Note, Presence, Reason, Tier
from groundtruth.errors import NoBallots, PanelError
from groundtruth.jsontext import Malformed
from groundtruth.path import parse_path

UNANIMOUS, MAJORITY, SPLIT, ALL_NULL = Tier.UNANIMOUS, Tier.MAJORITY, Tier.SPLIT, Tier.ALL_NULL
NAN = Malformed("NaN", "not_a_finite_number")


def values(*cells: str) -> list[str | None]:
    """``x x null`` as readings."""
    return [None if cell == "null" else cell for cell in cells]


class TestCounting:
    @pytest.mark.parametrize(
        ("readings", "tier", "value"),
        [
            pytest.param(values("x", "x", "y", "y", "z"), SPLIT, None, id="case 1"),
            pytest.param(values("x", "x", "y", "z", "w"), SPLIT, None, id="case 2"),
            pytest.param(values("x", "x", "x", "y", "y"), MAJORITY, "x", id="case 3"),
            pytest.param(values("x", "x", "x", "y", "z"), MAJORITY, "x", id="case 3 b"),
            pytest.param(values("x", "x", "y"), MAJORITY, "x", id="case 5"),
            pytest.param(values("x", "y", "z"), SPLIT, None, id="case 5 b"),
            pytest.param(values("x", "x"), UNANIMOUS, "x", id="case 5 c"),
            pytest.param(values("x", "y"), SPLIT, None, id="case 5 d"),
            pytest.param(values("x"), UNANIMOUS, "x", id="case 5 e"),
            pytest.param(values("null", "null", "null", "x", "x"), MAJORITY, None, id="case 9"),
            pytest.param(values("x", "x", "x", "null", "null"), MAJORITY, "x", id="case 10"),
            pytest.param(values("null", "null", "x", "y", "z"), SPLIT, None, id="case 11"),
            pytest.param([None, MISSING, "", "  ", MISSING], ALL_NULL, None, id="case 12"),
        ],
    )
    def test_tier_and_value(self, readings: list[Any], tier: Tier, value: str | None) -> None:
        leaf = vote_on_values(readings)
        assert (leaf.tier, leaf.value, leaf.resolved) == (tier, value, tier is not SPLIT)

    def test_case_1_shows_candidates_in_a_fixed_order_and_proposes_none(self) -> None:
        for order in set(permutations(values("x", "x", "y", "y", "z"))):
            leaf = vote_on_values(list(order))
            assert [candidate.value for candidate in leaf.candidates] == ["x", "y", "z"]
            assert leaf.tier is SPLIT

    @pytest.mark.parametrize("readings", [values("x", "x"), values("x")])
    def test_case_5_fewer_than_three_never_accept(self, readings: list[Any]) -> None:
        leaf = vote_on_values(readings)
        assert Reason.QUORUM in leaf.reasons
        assert leaf.disposition is Disposition.REVIEW

    def test_case_6_nobody_votes(self) -> None:
        failed = [Ballot.failed(name, name, Failure.TIMEOUT, "") for name in "AB"]
        with pytest.raises(NoBallots, match="no ballots"):
            vote(text_schema(), failed)

    def test_case_9_null_over_a_value_goes_to_a_person(self) -> None:
        leaf = vote_on_values(values("null", "null", "null", "x", "x"))
        assert leaf.reasons == (Reason.NULL_OVER_VALUE,)
        assert leaf.disposition is Disposition.REVIEW

    def test_case_13_a_failed_ballot_abstains(self) -> None:
        four = ballots([{"field": "x"}] * 4)
        result = vote(text_schema(), [*four, Ballot.failed("E", "E", Failure.TIMEOUT, "900 s")])
        assert result.n == 4
        assert result.leaves[0].tier is UNANIMOUS
        assert result.abstained == {"E": "timeout: 900 s"}

    def test_case_14_an_empty_object_votes_null(self) -> None:
        result = vote(text_schema(), ballots([{"field": "x"}] * 4 + [{}]))
        assert result.n == 5
        assert (result.leaves[0].tier, result.leaves[0].value) == (MAJORITY, "x")

    def test_case_62_a_system_twice_or_a_sixth_system(self) -> None:
        twice = ballots([{"field": "x"}, {"field": "x"}], names="AA")
        with pytest.raises(PanelError, match="A"):
            vote(text_schema(), twice)
        with pytest.raises(PanelError, match="at most 5"):
            vote(text_schema(), ballots([{"field": "x"}] * 6, names="ABCDEF"))

    def test_case_63_winners_of_one_family(self) -> None:
        leaf = vote_on_values(values("x", "x", "x", "y", "y"), families={"A": "f", "B": "f", "C": "f"})
        assert (leaf.tier, leaf.value, leaf.reasons) == (MAJORITY, "x", (Reason.SINGLE_FAMILY,))
        assert leaf.disposition is Disposition.REVIEW

    def test_a_clean_majority_is_provisional_and_a_form_is_always_reviewed(self) -> None:
        assert vote_on_values(values("x", "x", "x", "x", "y")).disposition is Disposition.PROVISIONAL
        assert vote_on_values(values("x", "x", "x", "x", "x")).disposition is Disposition.ACCEPT
        assert vote_on_values(values("x", "x", "x", "x", "x"), kind="form").disposition is Disposition.REVIEW


class TestComparators:
    def test_case_7_spacing_always_and_case_when_declared(self) -> None:
        readings = ["ACME  Corp", "ACME Corp", "ACME\nCorp", "Acme Corp", "ACME CORP"]
        as_text = vote_on_values(readings)
        folded = vote_on_values(readings, rule={"comparator": "case_insensitive"})
        assert (as_text.tier, as_text.value) == (MAJORITY, "ACME Corp")
        assert Note.SURFACE_ONLY in as_text.notes
        assert as_text.disposition is Disposition.PROVISIONAL
        assert (folded.tier, folded.value) == (UNANIMOUS, "ACME Corp")

    def test_case_16_currency_and_number(self) -> None:
        readings = [1234.5, 1234.5, 1234.5, "1,234.50", "$1,234.50"]
        money = vote_on_values(readings, {"type": "number"}, rule={"comparator": "currency"})
        number = vote_on_values(readings, {"type": "number"})
        assert (money.tier, float(money.value), money.notes) == (UNANIMOUS, 1234.5, (Note.COERCED,))
        assert (number.tier, float(number.value), number.margin) == (MAJORITY, 1234.5, 3)
        assert number.reasons == (Reason.INVALID_READING,)

    @pytest.mark.parametrize(("locale", "tier", "value"), [("en-US", SPLIT, None), ("de-DE", UNANIMOUS, 1234.5)])
    def test_case_17_grouping_follows_the_locale(self, locale: str, tier: Tier, value: float | None) -> None:
        leaf = vote_on_values(["1.234,50"] * 5, {"type": "number"}, rule={"locale": locale})
        assert (leaf.tier, leaf.value if value is None else float(leaf.value)) == (tier, value)

    def test_case_19_one_integer_in_five_spellings(self) -> None:
        leaf = vote_on_values([1, "1.0", "1.00", "1", 1], {"type": "integer"})
        assert (leaf.tier, leaf.value, type(leaf.value)) == (UNANIMOUS, 1, int)

    @pytest.mark.parametrize("reading", [1.5, True])
    def test_case_20_no_integer(self, reading: object) -> None:
        leaf = vote_on_values([reading] * 5, {"type": "integer"})
        assert leaf.tier is SPLIT
        assert set(leaf.reasons) == {Reason.INVALID_READING, Reason.INVALID_MAJORITY}

    def test_case_21_zero_is_not_null(self) -> None:
        leaf = vote_on_values([0, 0, 0, None, None], {"type": "number"})
        assert (leaf.tier, leaf.value) == (MAJORITY, 0)

    def test_case_23_nan_is_invalid_and_written_nowhere(self) -> None:
        leaf = vote_on_values([NAN, 5, 5, 5, 5], {"type": "number"})
        assert (leaf.tier, leaf.value) == (MAJORITY, 5)
        assert leaf.reasons == (Reason.INVALID_READING,)
        assert leaf.votes["A"] == "NaN"

    def test_case_25_equality_is_plain(self) -> None:
        leaf = vote_on_values([19.99, 19.99, 19.99, 19.990000000000002, 19.990000000000002], {"type": "number"})
        assert leaf.tier is MAJORITY

    def test_case_27_boolean_spellings(self) -> None:
        leaf = vote_on_values([True, "Yes", "X", "checked", 1], {"type": "boolean"})
        assert (leaf.tier, leaf.value, leaf.notes) == (UNANIMOUS, True, (Note.COERCED,))

    def test_case_28_an_empty_box_is_not_absence(self) -> None:
        leaf = vote_on_values([False, False, False, None, None], {"type": "boolean"})
        assert (leaf.tier, leaf.value) == (MAJORITY, False)

    def test_case_29_enumeration(self) -> None:
        leaf = vote_on_values(["SINGLE"] * 4 + ["Divorced"], {"type": "string", "enum": ["Single", "Married"]})
        assert (leaf.tier, leaf.value, leaf.reasons) == (MAJORITY, "Single", (Reason.INVALID_READING,))

    def test_case_30_invalid_majority(self) -> None:
        leaf = vote_on_values(["N/A", "N/A", "N/A", 5, 5], {"type": "number"})
        assert leaf.tier is SPLIT
        assert Reason.INVALID_MAJORITY in leaf.reasons

    def test_case_31_not_available_is_a_reading_unless_declared(self) -> None:
        readings = ["N/A", "N/A", "N/A", None, None]
        plain = vote_on_values(readings)
        declared = vote_on_values(readings, rule={"null_tokens": ["N/A"]})
        assert (plain.tier, plain.value) == (MAJORITY, "N/A")
        assert declared.tier is ALL_NULL

    def test_case_33_dates_in_many_forms(self) -> None:
        readings = ["2025-03-04", "March 4, 2025", "04 Mar 2025", "2025/03/04", "Tuesday, March 4th 2025"]
        leaf = vote_on_values(readings, {"type": "string", "format": "date"})
        assert (leaf.tier, leaf.value) == (UNANIMOUS, "2025-03-04")

    @pytest.mark.parametrize(
        ("order", "tier", "ambiguous"), [(None, MAJORITY, True), ("MDY", UNANIMOUS, False), ("DMY", MAJORITY, False)]
    )
    def test_case_34_numeric_dates_need_an_order(self, order: str | None, tier: Tier, ambiguous: bool) -> None:
        readings = ["2025-03-04"] * 3 + ["03/04/2025"] * 2
        rule = {"date_order": order} if order else {}
        leaf = vote_on_values(readings, {"type": "string", "format": "date"}, rule=rule)
        assert (leaf.tier, leaf.value) == (tier, "2025-03-04")
        assert (Reason.AMBIGUOUS_DATE in leaf.reasons) is ambiguous

    @pytest.mark.parametrize("reading", ["2025-02-30", "4/5/25"])
    def test_case_36_no_date(self, reading: str) -> None:
        leaf = vote_on_values([reading] * 5, {"type": "string", "format": "date"})
        assert Reason.INVALID_MAJORITY in leaf.reasons

    @pytest.mark.parametrize(
        ("one", "other"),
        [("caf\u00e9", "cafe\u0301"), ("a\u00a0b", "a b"), ("\ufb01nal", "final"), ("to\u200btal", "total")],
    )
    def test_case_38_equal_texts(self, one: str, other: str) -> None:
        assert vote_on_values([one, one, one, other, other]).tier is UNANIMOUS

    @pytest.mark.parametrize(("order", "tier"), [("ordered", MAJORITY), ("set", UNANIMOUS), ("multiset", UNANIMOUS)])
    def test_case_40_lists(self, order: str, tier: Tier) -> None:
        readings = [["a", "b"]] * 3 + [["b", "a"]] * 2
        leaf = vote_on_values(readings, {"type": "array", "items": {"type": "string"}}, rule={"list": order})
        assert leaf.tier is tier
        if order == "ordered":
            assert leaf.value == ["a", "b"]

    def test_case_42_empty_lists(self) -> None:
        leaf = vote_on_values([[], None, MISSING, [""], [None]], {"type": "array", "items": {"type": "string"}})
        assert leaf.tier is ALL_NULL

    def test_case_60_one_bad_cell_costs_only_itself(self) -> None:
        schema = schema_of({"total": {"type": "number"}, "name": {"type": "string"}})
        good = {"total": 5, "name": "x"}
        result = vote(schema, ballots([good] * 4 + [{"total": {"amount": 5}, "name": "x"}]))
        assert leaf_of(result, "name").tier is UNANIMOUS
        assert leaf_of(result, "total").reasons == (Reason.INVALID_READING,)


def items_schema(**rules: Any) -> Any:
    cell = {"type": ["string", "null"]}
    return schema_of(
        {"items": {"type": "array", "items": {"type": "object", "properties": dict.fromkeys("kabc", cell)}}},
        identity={"items": ["k"]},
        **rules,
    )


def row(k: str | None, a: str | None = "1", b: str | None = "2", c: str | None = "3") -> dict[str, Any]:
    return {"k": k, "a": a, "b": b, "c": c}


def vote_on_items(*tables: Any, schema: Any = None) -> Any:
    return vote(schema or items_schema(), ballots([{"items": table} for table in tables]))


def tiers(result: Any, path: str) -> dict[str, Tier]:
    return {name: leaf_of(result, f"{path}.{name}").tier for name in "kabc"}


class TestRows:
    R1, R2, R3 = row("r1", "a1"), row("r2", "a2", "b2", "c2"), row("r3", "a3", "b3", "c3")

    def test_case_44_a_row_of_two_in_five_is_absent_and_asked(self) -> None:
        both, three = [self.R1, self.R2], [self.R1, self.R2, self.R3]
        result = vote_on_items(three, three, both, both, both)
        found = result.rows[2]
        assert (found.presence, found.tier) == (Presence.ABSENT, MAJORITY)
        assert Reason.NULL_OVER_VALUE in found.reasons
        assert set(tiers(result, "items[2]").values()) == {MAJORITY}
        assert leaf_of(result, "items[2].a").reasons == (Reason.NULL_OVER_VALUE,)
        assert len(result.proposal["items"]) == 2

    def test_case_45_a_row_of_four_in_five_is_present(self) -> None:
        result = vote_on_items(*[[self.R1, self.R2]] * 4, [self.R1])
        assert (result.rows[1].presence, result.rows[1].tier) == (Presence.PRESENT, MAJORITY)
        assert set(tiers(result, "items[1]").values()) == {MAJORITY}
        assert result.proposal["items"][1] == self.R2

    def test_case_47_a_repeated_row_opens_one_extra_slot(self) -> None:
        result = vote_on_items([self.R1, self.R2, self.R2], *[[self.R1, self.R2]] * 4)
        assert len(result.rows) == 3
        assert sorted(sum(there is True for there in found.present.values()) for found in result.rows) == [1, 5, 5]
        extra = next(found for found in result.rows if found.presence is Presence.ABSENT)
        assert Reason.DUPLICATE_IDENTITY in extra.reasons
        assert set(tiers(result, "items[1]").values()) == {UNANIMOUS}
        assert leaf_of(result, "items[1].a").votes.keys() == set("ABCDE")

    def test_case_49_a_misread_key_joins_its_row(self) -> None:
        good, bad = row("INV-1001", "a", "b", "c"), row("INV-1O01", "a", "b", "c")
        result = vote_on_items(*[[good, self.R2]] * 4, [bad, self.R2])
        assert len(result.rows) == 2
        assert (leaf_of(result, "items[0].k").tier, leaf_of(result, "items[0].k").value) == (MAJORITY, "INV-1001")
        assert Reason.ALIGNMENT_REPAIRED in leaf_of(result, "items[0].k").reasons
        assert {leaf_of(result, f"items[0].{name}").tier for name in "abc"} == {UNANIMOUS}

    def test_case_51_a_row_without_key_joins_the_one_that_fits(self) -> None:
        loose = row(None, "a2", "b2", "c2")
        both = [self.R1, self.R2]
        result = vote_on_items(both, both, [self.R1, loose], both, both)
        assert len(result.rows) == 2
        assert (leaf_of(result, "items[1].k").tier, leaf_of(result, "items[1].k").value) == (MAJORITY, "r2")
        assert leaf_of(result, "items[1].a").tier is UNANIMOUS

    def test_case_53_rows_without_key_share_a_slot_only_by_content(self) -> None:
        loose = row(None, "z1", "z2", "z3")
        result = vote_on_items([self.R1], [self.R1], [self.R1, loose], [self.R1, loose], [self.R1])
        assert [sum(there is True for there in found.present.values()) for found in result.rows] == [5, 2]

    def test_case_55_key_cells_use_their_comparator(self) -> None:
        schema = items_schema(fields={"items[].k": {"comparator": "identifier"}})
        ones = [[row("037833100")]] * 3 + [[row("037833100 ")]] * 2
        result = vote_on_items(*ones, schema=schema)
        assert [found.tier for found in result.rows] == [UNANIMOUS]

    def test_case_58_no_rows_in_three_ways(self) -> None:
        result = vote(items_schema(), ballots([{"items": []}, {"items": None}, {}]))
        assert (result.rows, result.proposal) == ((), {"items": []})

    def test_case_59_undeclared_keys_are_counted(self) -> None:
        rows = [{**row("r1"), "notes": "?"}]
        result = vote_on_items(rows, rows, rows, rows, [row("r1")])
        assert result.schema_gaps == {"items[].notes": 4}
        assert "notes" not in result.proposal["items"][0]

    def test_an_array_that_is_one_object_or_text_is_coerced(self) -> None:
        one = row("r1")
        text = '[{"k":"r1","a":"1","b":"2","c":"3"}]'
        result = vote_on_items([one], one, text, [one], [one])
        assert [found.tier for found in result.rows] == [UNANIMOUS]
        assert Note.COERCED in result.rows[0].notes

    def test_an_array_that_cannot_be_read_abstains(self) -> None:
        result = vote_on_items([self.R1], [self.R1], [self.R1], [self.R1], "[{")
        assert result.rows[0].present["E"] is None
        assert Reason.INVALID_READING in result.rows[0].reasons
        assert "E" not in leaf_of(result, "items[0].a").votes

    def test_thirty_orders_of_systems_and_rows_change_nothing(self) -> None:

        tables = [
            [self.R1, self.R2, self.R3],
            [self.R1, self.R2],
            [row(None, "a2", "b2", "c2"), self.R1],
            [self.R2],
            [],
        ]
        shuffle = random.Random(1).shuffle
        seen = set()
        for _ in range(30):
            mixed = [table[:] for table in tables]
            for table in mixed:
                shuffle(table)
            order = list(range(5))
            shuffle(order)
            result = vote(items_schema(), [Ballot("ABCDE"[at], "ABCDE"[at], data={"items": mixed[at]}) for at in order])
            seen.add(frozenset((found.row_id, found.presence, found.tier, found.reasons) for found in result.rows))
        assert len(seen) == 1


class TestPartialBallots:
    def test_a_cut_answer_votes_with_what_it_holds_and_abstains_on_the_rest(self) -> None:
        from groundtruth.ballot import Status

        whole = ballots([{"items": [row("r1"), row("r2")]}] * 4)
        cut = Ballot("E", "E", Status.PARTIAL, data={"items": [row("r1")]})
        result = vote(items_schema(), [*whole, cut])
        assert [found.present["E"] for found in result.rows] == [True, None]
        assert [found.tier for found in result.rows] == [UNANIMOUS, UNANIMOUS]
        assert "E" not in leaf_of(result, "items[1].a").votes

    def test_unsupported_leaves_abstain_and_nobody_judging_is_split(self) -> None:

        ones = [
            Ballot(name, name, data={"field": None}, unsupported=frozenset({parse_path("field")})) for name in "ABC"
        ]
        leaf = vote(text_schema(), ones).leaves[0]
        assert (leaf.tier, leaf.reasons, leaf.resolved) == (SPLIT, (Reason.NO_READING,), False)

    def test_a_system_that_judges_no_cell_of_a_row_does_not_judge_rows(self) -> None:
        whole = ballots([{"items": [row("r1")]}] * 4)
        paths = frozenset(parse_path(f"items[].{name}") for name in "kabc")
        result = vote(items_schema(), [*whole, Ballot("E", "E", data={}, unsupported=paths)])
        assert [(found.present["E"], found.tier) for found in result.rows] == [(None, UNANIMOUS)]

    def test_null_that_nobody_can_assert_is_reviewed(self) -> None:
        ones = [Ballot(name, name, data={}, asserts_null=False) for name in "ABC"]
        leaf = vote(text_schema(), ones).leaves[0]
        assert (leaf.tier, leaf.reasons, leaf.disposition) == (
            ALL_NULL,
            (Reason.NULL_UNASSERTED,),
            Disposition.REVIEW,
        )


class TestRowsThatAreHardToPlace:
    """Five equal ballots reproduce their rows, whatever stands in the cells that should tell rows apart."""

    SCHEMA = schema_of(
        {
            "k": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "id": {"type": ["string", "null"]},
                        "x": {"type": ["integer", "null"]},
                        "y": {"type": ["string", "null"]},
                        "z": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
                    },
                },
            }
        },
        identity={"k": ["id"]},
    )

    @pytest.mark.parametrize(
        ("cells", "unsupported"),
        [
            pytest.param({"id": None, "x": "bad", "y": "q"}, [], id="no key, an invalid cell"),
            pytest.param({"id": None, "x": 1, "z": "junk"}, [], id="no key, an array that is none"),
            pytest.param({"id": {"z": 1}, "x": 1, "y": "q"}, [], id="an invalid key"),
            pytest.param({"id": "7", "x": 1, "y": "q"}, ["k[].id"], id="a key that nobody judges"),
            pytest.param({"id": None, "x": 1, "y": "q"}, ["k[].x"], id="no key, a cell that nobody judges"),
        ],
    )
    def test_five_equal_rows_are_one(self, cells: dict[str, Any], unsupported: list[str]) -> None:
        paths = frozenset(map(parse_path, unsupported))
        ones = [Ballot(name, name, data={"k": [cells]}, unsupported=paths) for name in "ABCDE"]
        result = vote(self.SCHEMA, ones)
        assert [(row.presence, row.tier) for row in result.rows] == [(Presence.PRESENT, UNANIMOUS)]
