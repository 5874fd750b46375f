"""Identity keys proposed from ballots: what is proposed, what is not, and why."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consensus.suggest_keys import KeySuggestion, suggest_keys
from groundtruth.ballot import Ballot, Failure
from groundtruth.jsontext import Json
from groundtruth.rules import Rules
from groundtruth.schema import FrozenSchema
from groundtruth.schema_compile import compile_schema

TEXT: Json = {"type": ["string", "null"]}
COLUMNS: dict[str, Json] = {
    "kind": {"enum": ["new", "used", None]},
    "amount": {"type": ["number", "null"]},
    "number": {"type": ["integer", "null"]},
    "name": TEXT,
    "place": TEXT,
    "tags": {"type": "array", "items": TEXT},
}


def schema_of(rules: Json = None, **more: Json) -> FrozenSchema:
    lines = {"type": "array", "items": {"type": "object", "properties": COLUMNS}}
    source = {"type": "object", "properties": {"lines": lines, **more}}
    return compile_schema(source, Rules.from_json(rules or {}), name="test")


def ballots(*answers: list[dict[str, Any]], array: str = "lines") -> list[Ballot]:
    return [Ballot(name, name, data={array: rows}) for name, rows in zip("ABCDE", answers, strict=False)]


def suggestion(*answers: list[dict[str, Any]]) -> KeySuggestion:
    (found,) = suggest_keys(schema_of(), {"d": ballots(*answers)})
    return found


def names(found: KeySuggestion) -> tuple[str, ...] | None:
    return found.proposed.names if found.proposed else None


def rows(count: int, **cells: Any) -> list[dict[str, Any]]:
    """Rows whose cells are what the functions make of the row's index, or the constants."""
    return [{name: make(index) if callable(make) else make for name, make in cells.items()} for index in range(count)]


def test_a_column_that_is_unique_and_read_alike_is_proposed_with_its_figures() -> None:
    found = suggestion(*[rows(5, name=lambda i: f"N{i}", kind="new", place="here")] * 3)
    assert names(found) == ("name",)
    assert found.reason == "tells 15 of 15 rows apart; most systems read 100.0% of its values"
    assert found.ballots == 3


def test_a_column_that_each_system_reads_in_its_own_way_is_not() -> None:
    answers = [rows(5, number=lambda i: i + 1, name=lambda i, s=s: f"{s}{i}") for s in "xyz"]
    found = suggestion(*answers)
    assert names(found) == ("number",)
    assert [candidate.names for candidate in found.candidates] == [("number",)]


def test_two_columns_are_proposed_when_neither_does_alone() -> None:
    found = suggestion(*[rows(6, name=lambda i: f"N{i % 3}", place=lambda i: f"P{i // 3}", kind="new")] * 2)
    assert names(found) == ("name", "place")


def test_three_columns_are_proposed_when_no_two_do() -> None:
    corners = rows(8, number=lambda i: i // 4, name=lambda i: f"N{i // 2 % 2}", place=lambda i: f"P{i % 2}")
    assert names(suggestion(corners, corners)) == ("number", "name", "place")


def test_a_longer_key_is_not_proposed_when_a_part_of_it_does() -> None:
    found = suggestion(*[rows(5, name=lambda i: f"N{i}", place=lambda i: f"P{i // 2}")] * 2)
    assert [candidate.names for candidate in found.candidates] == [("name",), ("place",)]


def test_of_equal_columns_the_first_of_the_schema_is_proposed() -> None:
    found = suggestion(*[rows(5, place=lambda i: f"P{i}", name=lambda i: f"N{i}", number=lambda i: i)] * 2)
    assert names(found) == ("number",)


def test_values_are_compared_by_the_comparator_of_their_field() -> None:
    one = rows(4, number=lambda i: i, name=lambda i: f"N  {i}")
    other = rows(4, number=lambda i: f"{i}", name=lambda i: f" N {i} ")
    found = suggestion(one, other)
    assert [candidate.agreement for candidate in found.candidates] == [1.0, 1.0]


def test_amounts_are_listed_but_not_proposed() -> None:
    found = suggestion(*[rows(5, amount=lambda i: i + 1, kind="new")] * 3)
    assert names(found) is None
    assert found.candidates[0].names == ("amount",)
    assert found.reason.startswith("only amounts tell its rows apart (amount)")


def test_a_row_that_a_system_lacks_does_not_count_against_a_column() -> None:
    whole = rows(20, name=lambda i: f"N{i}")
    assert names(suggestion(whole, whole[3:], whole[:-3])) == ("name",)


def test_a_name_comes_before_an_amount_that_is_read_a_little_better() -> None:
    good = rows(40, amount=lambda i: i + 1, name=lambda i: f"N{i}")
    slip = [{**row, "name": "N0x"} if index == 0 else row for index, row in enumerate(good)]
    assert names(suggestion(good, good, slip)) == ("name",)


NOT_ENOUGH: dict[str, tuple[list[list[dict[str, Any]]], str]] = {
    "no ballots": ([], "no ballot has a row"),
    "no rows": ([[], []], "no ballot has a row"),
    "one row": ([rows(1, name="N")] * 5, "no ballot has more than 1 row"),
    "two rows": ([rows(2, name=lambda i: f"N{i}")] * 5, "no ballot has more than 2 rows"),
    "one system": ([rows(9, name=lambda i: f"N{i}")], "only one system has rows"),
    "one system with rows": ([rows(9, name=lambda i: f"N{i}"), [], []], "only one system has rows"),
    "nothing is unique": ([rows(9, name="N", kind="new")] * 3, "no key of up to 3 columns"),
    "all null": ([rows(9, name=None)] * 3, "no key of up to 3 columns"),
    "nothing is read alike": (
        [rows(9, name=lambda i, s=s: f"{s}{i}") for s in "xyz"],
        "no key of up to 3 columns",
    ),
    "only a list is unique": ([rows(9, tags=lambda i: [f"t{i}"])] * 3, "no key of up to 3 columns"),
}


@pytest.mark.parametrize(("answers", "reason"), NOT_ENOUGH.values(), ids=NOT_ENOUGH.keys())
def test_no_key_is_made_up_from_too_little(answers: list[list[dict[str, Any]]], reason: str) -> None:
    found = suggestion(*answers)
    assert found.proposed is None
    assert reason in found.reason


def test_rows_without_a_value_count_against_a_column_and_are_said() -> None:
    sparse = rows(40, name=lambda i: f"N{i}" if i else None)
    found = suggestion(sparse, sparse)
    assert names(found) == ("name",)
    assert found.reason.endswith("empty in 2 rows")
    empty = rows(10, name=lambda i: f"N{i}" if i > 4 else None)
    assert names(suggestion(empty, empty)) is None


def test_a_value_that_is_none_of_its_field_is_no_key() -> None:
    bad = rows(5, number=lambda i: f"about {i}")
    assert names(suggestion(bad, bad)) is None


def test_a_failed_ballot_is_passed_over() -> None:
    good = ballots(*[rows(5, name=lambda i: f"N{i}")] * 2)
    failed = Ballot.failed("X", "X", Failure.TIMEOUT, "")
    assert suggest_keys(schema_of(), {"d": [*good, failed]}) == suggest_keys(schema_of(), {"d": good})


def test_documents_are_judged_together_but_compared_each_for_itself() -> None:
    def of(document: str) -> list[Ballot]:
        return ballots(*[rows(4, name=lambda i: f"{document}{i}", number=lambda i: i % 2 + 1)] * 2)

    (found,) = suggest_keys(schema_of(), {"a": of("a"), "b": of("b")})
    assert names(found) == ("name",)
    assert found.candidates[0].rows == 16


def test_the_array_of_one_document_may_be_unique_where_another_is_not() -> None:
    one = ballots(*[rows(3, name=lambda i: f"N{i}", place=lambda i: f"P{i % 2}")] * 2)
    other = ballots(*[rows(6, name=lambda i: f"N{i // 2}", place=lambda i: f"P{i % 2}")] * 2)
    (found,) = suggest_keys(schema_of(), {"one": one, "other": other})
    assert names(found) == ("name", "place")


def test_a_declared_identity_is_left_alone_unless_asked_for() -> None:
    schema = schema_of({"identity": {"lines": ["place"]}})
    votes = {"d": ballots(*[rows(5, name=lambda i: f"N{i}")] * 2)}
    assert suggest_keys(schema, votes) == []
    assert [names(found) for found in suggest_keys(schema, votes, declared_too=True)] == [("name",)]


def test_a_nested_array_is_unique_within_the_row_around_it() -> None:
    lines = {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"line": TEXT, "seller": {"type": "object", "properties": {"code": TEXT}}},
        },
    }
    order = {"type": "object", "properties": {"id": TEXT, "lines": lines}}
    source = {"type": "object", "properties": {"orders": {"type": "array", "items": order}}}
    schema = compile_schema(source, Rules(), name="test")
    inner = rows(4, line=lambda i: f"{i + 1}", seller={"code": "S"})
    answer = rows(3, id=lambda i: f"O{i}", lines=inner)
    outer, nested = suggest_keys(schema, {"d": ballots(answer, answer, array="orders")})
    assert (outer.table.name, names(outer)) == ("orders", ("id",))
    assert (nested.table.name, names(nested)) == ("orders[].lines", ("line",))
    assert [candidate.names for candidate in nested.candidates] == [("line",)]


cells = st.fixed_dictionaries(
    {"name": st.sampled_from(["a", "b", "c", None]), "number": st.integers(0, 5), "place": st.sampled_from(["x", "y"])}
)
tables = st.lists(st.lists(cells, max_size=6), max_size=4)


@settings(max_examples=30)
@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_ballots_rows_keys_and_documents_changes_nothing(
    answers: list[list[dict[str, Any]]], random: Random
) -> None:
    def shuffled(items: list[Any]) -> list[Any]:
        return random.sample(items, len(items))

    votes = {"one": ballots(*answers), "two": ballots(*answers[:2])}
    other = {
        document: shuffled(
            [
                Ballot(
                    f"other {ballot.system}",
                    "x",
                    data={"lines": [dict(shuffled(list(row.items()))) for row in shuffled(ballot.data["lines"])]},
                )
                for ballot in of_document
            ]
        )
        for document, of_document in reversed(votes.items())
    }
    assert suggest_keys(schema_of(), votes) == suggest_keys(schema_of(), other)


@settings(max_examples=30)
@given(tables)
def test_what_is_proposed_holds_what_it_promises(answers: list[list[dict[str, Any]]]) -> None:
    found = suggestion(*answers)
    if found.proposed is None:
        return
    keys = [[tuple(row[name] for name in found.proposed.names) for row in answer] for answer in answers]
    unique = sum(answer.count(key) == 1 and any(cell is not None for cell in key) for answer in keys for key in answer)
    assert unique == found.proposed.unique >= 0.95 * sum(map(len, keys))
    assert max(map(len, keys)) >= 3
