"""The metric ``verdicts``: its equality, its pairing, and where it departs from the published scorer."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from groundtruth.errors import GoldleafError, SchemaError
from groundtruth.jsontext import Json, Malformed
from scoring.result_json import address_text, verdict_records, verdicts_json
from scoring.verdict_keys import NOTHING, key_of
from scoring.verdicts import Verdict, Verdicts, judge

TEXT = {"type": ["string", "null"]}


def record(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def array(**properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": record(**properties)}


def counts(found: Verdicts) -> dict[str, int]:
    return {str(kind): found.counts[kind] for kind in Verdict if found.counts[kind]}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(5, "5", id="number-as-text"),
        pytest.param(5, Decimal("5.0"), id="whole-decimal"),
        pytest.param("$1,234.50", Decimal("1234.5"), id="money"),
        pytest.param("(98.0)", -98, id="brackets-are-a-minus"),
        pytest.param("(1,234)", -1234, id="brackets-are-a-minus-of-a-whole-number"),
        pytest.param("- -.31", Decimal("0.31"), id="two-signs-apart"),
        pytest.param("98-", -98, id="minus-behind"),
        pytest.param("\u22125", -5, id="true-minus"),
        pytest.param("+5", 5, id="plus"),
        pytest.param(Decimal("0.30000000000000004"), "0.3", id="seven-digits-of-a-fraction"),
        pytest.param(True, "TRUE", id="boolean-as-text"),
        pytest.param("March 5, 2024", "2024-03-05", id="date-in-words"),
        pytest.param("3/5/2024", "2024-03-05", id="slashes-are-month-first"),
        pytest.param("5.3.2024", "2024-03-05", id="dots-are-day-first"),
        pytest.param("31/12/2024", "2024-12-31", id="day-first-where-it-must-be"),
        pytest.param("2024-03-05 00:00", "2024-03-05", id="midnight-is-the-date"),
        pytest.param("2024-03-05T09:00+05:00", "2024-03-05T04:00Z", id="one-moment"),
        pytest.param("Caf\u00e9  Noir", "cafe noir", id="accents-case-and-space"),
        pytest.param("Smith & Co. [2]", "Smith & Co", id="reference-mark"),
        pytest.param("\u2022 first", "first", id="bullet"),
        pytest.param("\u2014", "-", id="dashes"),
        pytest.param("\u201cquoted\u201d", "'quoted'", id="quotes"),
        pytest.param(
            "Chapter 1. 2024 Results", "Chapter 1 2024 Results", id="period-before-a-space-is-no-decimal-point"
        ),
        pytest.param("v1.5 and 2. 5", "v1.5 and 25", id="one-decimal-point-beside-other-periods"),
        pytest.param("\u0661\u0662\u0663", 123, id="digits-of-another-script"),
        pytest.param(Decimal("1e101"), 10**101, id="exponent-of-a-long-number"),
        pytest.param("-\u0663", -3, id="sign-before-digits-of-another-script"),
    ],
)
def test_equal_values(one: Json, other: Json) -> None:
    assert key_of(one) == key_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("(1,234)", 1234, id="sign-of-a-whole-number"),
        pytest.param("98-", 98, id="sign-behind-a-whole-number"),
        pytest.param("12345678901234567", "12345678901234568", id="long-identifiers"),
        pytest.param(9007199254740993, 9007199254740992, id="long-numbers"),
        pytest.param("1.234,56", "1.23456", id="decimal-comma"),
        pytest.param("2024-03-05T09:00+05:00", "2024-03-05T09:00Z", id="time-zones"),
        pytest.param("2024-03-05T09:00", "2024-03-05T09:00Z", id="no-time-zone"),
        pytest.param("007", 7, id="leading-zeros"),
        pytest.param(True, 1, id="boolean-and-number"),
        pytest.param(0, None, id="zero-states-something"),
        pytest.param("N/A", "", id="placeholder-states-something"),
        pytest.param("null", None, id="the-word-null"),
        pytest.param("2024-03-05", "date 2024-03-05", id="text-like-a-key"),
        pytest.param(
            Decimal(f"{10**29}.12345678"), Decimal(f"{10**29 + 1}.12345678"), id="thirty-digits-and-a-fraction"
        ),
    ],
)
def test_different_values(one: Json, other: Json) -> None:
    assert key_of(one) != key_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("\u00bd", "12"),
        ("12/31", "1231"),
        ("$5", "5%"),
        ("A-", "A"),
        ("5.2.1.5", "5215"),
        ("90-94", "9094"),
        ("N/A", "NA"),
    ],
)
def test_accepted_merges_are_those_that_are_published(one: str, other: str) -> None:
    assert key_of(one) == key_of(other)


@pytest.mark.parametrize("value", [None, "", "  \t", "\n"])
def test_what_states_nothing(value: Json) -> None:
    assert key_of(value) == NOTHING


@pytest.mark.parametrize("value", ["()", "\u200b", "[1]", ".", "\u25cf", "/", "'", "-"])
def test_folding_never_consumes_a_value(value: str) -> None:
    assert key_of(value) != NOTHING


def test_what_is_no_trustworthy_json_equals_nothing_else() -> None:
    assert key_of(Malformed("NaN", "not_a_finite_number")) != key_of("NaN")


@pytest.mark.parametrize(
    ("truth", "answer", "expected"),
    [
        pytest.param({"a": "x"}, {"a": "x"}, {"matched": 1}, id="matched"),
        pytest.param({"a": "x"}, {"a": "y"}, {"misread": 1}, id="misread"),
        pytest.param({"a": "x"}, {"a": " "}, {"unfound": 1}, id="unfound"),
        pytest.param({"a": None}, {"a": "y"}, {"fabricated": 1}, id="fabricated"),
        pytest.param({}, {"b": "y"}, {"invented_field": 1}, id="invented-field"),
        pytest.param({"l": [{"n": "1"}]}, {"l": [{"n": "2"}]}, {"unfound": 1, "invented_item": 1}, id="no-partner"),
        pytest.param({"l": []}, {"l": [{"n": "2"}]}, {"fabricated": 1}, id="rows-where-the-truth-has-none"),
        pytest.param(
            {"l": [{"n": "1", "m": "2"}]},
            {"l": [{"n": "1", "m": "2", "z": "3"}, {"n": "9", "z": "8"}]},
            {"matched": 2, "invented_item": 2, "invented_field": 1},
            id="undeclared-column",
        ),
        pytest.param({"a": "x"}, ["a"], {"unfound": 1}, id="no-object"),
        pytest.param({"a": "x"}, {"result": {"a": "x"}}, {"unfound": 1, "invented_field": 1}, id="wrapped"),
        pytest.param({"s": ["a", "b"]}, {"s": ["b", "c"]}, {"matched": 1, "unfound": 1, "invented_item": 1}, id="set"),
        pytest.param({"s": ["a"]}, {"s": "a"}, {"unfound": 1, "invented_field": 1}, id="scalar-for-a-list"),
    ],
)
def test_six_verdicts(truth: Json, answer: Json, expected: dict[str, int]) -> None:
    schema = record(a=TEXT, l=array(n=TEXT, m=TEXT), s={"type": "array", "items": TEXT})
    assert counts(judge(truth, answer, schema)) == expected


def test_every_verdict_is_explained() -> None:
    found = judge(
        {"a": "x", "l": [{"n": "1", "m": "Q "}]}, {"a": "y", "l": [{"n": 1, "m": "Q"}, {"n": "7"}]},
        record(a=TEXT, l=array(n=TEXT, m=TEXT)),
    )  # fmt: skip
    assert list(verdict_records(found)) == [
        {"address": "a", "verdict": "misread", "why": "different",
         "truth": '"x"', "truth_key": "x", "prediction": '"y"', "prediction_key": "y"},
        {"address": "l[0].n", "verdict": "matched", "why": "as_read",
         "truth": '"1"', "truth_key": "1", "prediction": "1", "prediction_key": "1"},
        {"address": "l[0].m", "verdict": "matched", "why": "as_read",
         "truth": '"Q "', "truth_key": "q", "prediction": '"Q"', "prediction_key": "q"},
        {"address": "l[p1].n", "verdict": "invented_item", "why": "extra_row",
         "truth": None, "truth_key": None, "prediction": '"7"', "prediction_key": "7"},
    ]  # fmt: skip


def test_addresses_with_names_that_need_quotes() -> None:
    assert address_text(("a.b", 0, "c")) == '["a.b"][0].c'


SIDECARS = record(a=TEXT, a_meta=TEXT, patent=TEXT, patent_citations=TEXT)


@pytest.mark.parametrize(
    ("schema", "document"),
    [
        pytest.param(SIDECARS, {"a": "x", "a_meta": "y"}, id="declared-meta"),
        pytest.param(SIDECARS, {"patent": "x", "patent_citations": "y"}, id="declared-citations"),
        pytest.param(record(a=TEXT), {"a": "x", "a_meta": "y"}, id="undeclared-meta-in-the-truth"),
        pytest.param(
            record(l=array(value=TEXT, status=TEXT)), {"l": [{"value": "1", "status": "open"}]}, id="envelope"
        ),
        pytest.param({**record(a=TEXT), "additionalProperties": True}, {"a": "x", "z": "y"}, id="open-map"),
        pytest.param(
            record(a={"type": "array", "items": array(n=TEXT)}), {"a": [[{"n": "1"}], [{"n": "2"}]]}, id="arrays"
        ),
    ],
)
def test_a_truth_against_itself_is_perfect(schema: Any, document: Any) -> None:
    found = judge(document, document, schema)
    assert found.accuracy == 1.0


def test_a_declared_field_beside_a_value_is_judged() -> None:
    schema = record(l=array(value=TEXT, status=TEXT))
    found = judge({"l": [{"value": "1", "status": "open"}]}, {"l": [{"value": "1", "status": "shut"}]}, schema)
    assert counts(found) == {"matched": 1, "misread": 1}


def test_an_envelope_that_the_schema_does_not_know_is_taken_away() -> None:
    found = judge({"a": "x"}, {"a": {"value": "x", "confidence": 0.9}, "a_citations": [1]}, record(a=TEXT))
    assert counts(found) == {"matched": 1}


def test_an_open_map_is_judged_where_it_is_declared() -> None:
    schema = record(o={**record(a=TEXT), "additionalProperties": {"type": "string"}})
    found = judge({"o": {"a": "x", "free": "1"}}, {"o": {"a": "y", "free": "2"}}, schema)
    assert counts(found) == {"misread": 1}
    assert verdicts_json(found)["flags"] == ["skipped_open_map:o"]


def test_a_document_without_a_statement_is_vacuous() -> None:
    found = verdicts_json(judge({"a": None}, {"a": ""}, record(a=TEXT)))
    assert (found["accuracy"], found["precision"], found["recall"], found["flags"]) == (None, None, None, ["vacuous"])


def test_references_are_followed_through_any_number_of_arrays() -> None:
    schema: dict[str, Any] = {"$ref": "#/$defs/leaf"}
    truth: Any = {"n": "1"}
    for _ in range(9):
        schema, truth = record(l={"type": "array", "items": schema}), {"l": [truth]}
    schema["$defs"] = {"leaf": record(n=TEXT)}
    assert judge(truth, truth, schema).accuracy == 1.0


def test_a_schema_that_contains_itself() -> None:
    schema = {**record(n=TEXT, parts={"type": "array", "items": {"$ref": "#"}})}
    truth = {"n": "1", "parts": [{"n": "2", "parts": [{"n": "3"}]}]}
    assert counts(judge(truth, {"n": "1", "parts": [{"n": "2", "parts": [{"n": "4"}]}]}, schema)) == {
        "matched": 2, "unfound": 1, "invented_item": 1,
    }  # fmt: skip


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_every_branch_of_a_union_declares(keyword: str) -> None:
    schema = record(o={keyword: [record(a=TEXT), record(b=TEXT), {"type": "null"}]})
    assert counts(judge({"o": None}, {"o": {"b": "x"}}, schema)) == {"fabricated": 1}


def test_all_of_is_merged() -> None:
    schema = record(o={"allOf": [record(a=TEXT), record(b=TEXT)]})
    assert counts(judge({"o": {"a": "1"}}, {"o": {"b": "x"}}, schema)) == {"unfound": 1, "fabricated": 1}


def test_nested_rows_decide_which_rows_belong_together() -> None:
    schema = record(l=array(n=TEXT, k=array(m=TEXT)))
    truth = {"l": [{"n": "1", "k": [{"m": "a"}, {"m": "b"}]}, {"n": "1", "k": [{"m": "c"}, {"m": "d"}]}]}
    answer = {"l": [truth["l"][1], truth["l"][0]]}
    assert judge(truth, answer, schema).accuracy == 1.0


def test_common_addresses_decide_between_equally_many_equal_values() -> None:
    # Breaking up the equal pair matches as much and leaves less unfound.
    schema = record(l=array(x=TEXT, y=TEXT))
    truth = {"l": [{"x": "1", "y": "2"}, {"x": "1", "y": "8"}]}
    answer = {"l": [{"x": "1", "y": "2"}, {"x": "9", "y": "2"}]}
    assert counts(judge(truth, answer, schema)) == {"matched": 2, "misread": 2}


def test_order_matters_where_it_is_asked_for() -> None:
    schema = record(l=array(n=TEXT, m=TEXT))
    truth, answer = {"l": [{"n": "1"}, {"n": "2"}]}, {"l": [{"n": "2"}, {"n": "1"}, {"n": "3"}]}
    assert counts(judge(truth, answer, schema)) == {"matched": 2, "invented_item": 1}
    assert counts(judge(truth, answer, schema, order_matters=["l"])) == {"misread": 2, "fabricated": 1}


def test_an_array_that_is_not_there_is_refused() -> None:
    with pytest.raises(GoldleafError, match=r"no array is called 'rows'; there is l"):
        judge({"l": [{"n": "1"}]}, {}, record(l=array(n=TEXT)), order_matters=["rows"])


@pytest.mark.parametrize("schema", [None, {}, [], "object", {"$ref": "#/$defs/none"}, {"$ref": "#"}])
def test_an_unusable_schema_is_refused(schema: Json) -> None:
    with pytest.raises(SchemaError):
        judge({"a": "x"}, {"a": "x"}, schema)


@pytest.mark.parametrize("truth", [[], "x", 5])
def test_a_truth_that_is_no_object_is_refused(truth: Json) -> None:
    with pytest.raises(GoldleafError, match="a truth is a JSON object"):
        judge(truth, {}, record(a=TEXT))


def test_rows_are_counted_at_every_depth() -> None:
    schema = record(l=array(n=TEXT, k=array(m=TEXT)))
    truth = {"l": [{"n": "1", "k": [{"m": "a"}]}, {"n": "2"}]}
    found = judge(truth, {"l": [{"n": "1", "k": [{"m": "a"}, {"m": "z"}]}]}, schema)
    assert (found.truth_rows, found.predicted_rows, found.paired_rows) == (3, 3, 2)
