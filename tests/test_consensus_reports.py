"""Faults that people reported of other tools, on votes and on what systems return: here, the right answers."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from builders import ballots, leaf_of, schema_of, vote_on_values
from consensus.vote import vote
from groundtruth.consensus import Disposition, Note, Reason, Tier

FIRM = {
    "parties": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {name: {"type": "string"} for name in ("name", "role", "city", "share")},
        },
    }
}


def test_missing_labels_are_votes_for_null() -> None:
    leaf = vote_on_values([None, None, "x"])
    assert (leaf.tier, leaf.value, leaf.resolved) == (Tier.MAJORITY, None, True)


def test_a_tie_is_split_in_every_order() -> None:
    orders = set(permutations(["x", "x", "y", "y", "z"]))
    assert len(orders) == 30
    assert {vote_on_values(list(order)).tier for order in orders} == {Tier.SPLIT}


def test_three_of_one_family_beat_two_and_are_reviewed() -> None:
    leaf = vote_on_values(["x", "x", "x", "y", "y"], families={"A": "f", "B": "f", "C": "f"})
    assert (leaf.tier, leaf.reasons, leaf.disposition) == (
        Tier.MAJORITY,
        (Reason.SINGLE_FAMILY,),
        Disposition.REVIEW,
    )


@pytest.mark.parametrize("identity", [{"parties": ["name"]}, {}], ids=["keyed", "unkeyed"])
def test_one_spelling_of_a_key_does_not_cost_the_rows_other_cells(identity: dict[str, Any]) -> None:
    firm = {"name": "the firm", "role": "seller", "city": "Oslo", "share": "40 %"}
    other = {"name": "Ms Holm", "role": "buyer", "city": "Bergen", "share": "60 %"}
    variant = {**firm, "name": "the firms"}
    result = vote(
        schema_of(FIRM, identity=identity),
        ballots([{"parties": [firm, other]}] * 4 + [{"parties": [variant, other]}]),
    )
    row = next(row for row in result.proposal["parties"] if row["name"] == "the firm")
    index = result.proposal["parties"].index(row)
    assert len(result.rows) == 2
    assert {leaf_of(result, f"parties[{index}].{name}").tier for name in ("role", "city", "share")} == {Tier.UNANIMOUS}
    assert leaf_of(result, f"parties[{index}].name").tier is Tier.MAJORITY


def test_an_array_returned_as_text_is_parsed_once() -> None:
    rows = '[{"name":"the firm","role":"seller","city":"Oslo","share":"1"}]'
    row = {"name": "the firm", "role": "seller", "city": "Oslo", "share": "1"}
    result = vote(schema_of(FIRM), ballots([{"parties": rows}, {"parties": [row]}, {"parties": [row]}]))
    assert [found.tier for found in result.rows] == [Tier.UNANIMOUS]
    assert Note.COERCED in result.rows[0].notes


def test_text_that_does_not_parse_abstains_for_the_array() -> None:
    row = {"name": "the firm", "role": "seller", "city": "Oslo", "share": "1"}
    result = vote(schema_of(FIRM), ballots([{"parties": "[{"}, *[{"parties": [row]}] * 3]))
    assert result.rows[0].present == {"A": None, "B": True, "C": True, "D": True}
    assert result.messages == ("A: parties is not an array; the system abstains on its rows",)


@pytest.mark.parametrize(
    ("one", "other", "equal"), [("\ufb01brils", "fibrils", True), ("10\u00b2", "102", False), ("\u2460", "1", False)]
)
def test_ligatures_match_and_superscripts_do_not(one: str, other: str, equal: bool) -> None:
    assert (vote_on_values([one, one, other]).tier is Tier.UNANIMOUS) is equal


def test_a_numeric_date_without_an_order_is_flagged() -> None:
    leaf = vote_on_values(["03/04/2025"] * 5, {"type": "string", "format": "date"})
    assert Reason.AMBIGUOUS_DATE in leaf.reasons
    assert leaf.disposition is Disposition.REVIEW
