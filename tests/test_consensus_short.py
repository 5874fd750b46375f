"""Ballots with far fewer rows than the others: when they are taken as cut, and what that does to a vote."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import ballots as ballots_of
from builders import goldleaf, leaf_of, schema_of
from consensus.short import without_short
from consensus.vote import vote
from groundtruth import consensus_json, jsontext
from groundtruth.ballot import Ballot, Failure, Status
from groundtruth.consensus import Presence, Tier
from groundtruth.path import parse_path

ROWS = {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}}}
SCHEMA = schema_of({"items": ROWS, "title": {"type": "string"}}, identity={"items": ["sku"]})
NESTED = schema_of({"lines": {"type": "object", "properties": {"items": ROWS}}})
INNER = schema_of(
    {
        "groups": {
            "type": "array",
            "items": {"type": "object", "properties": {"name": {"type": "string"}, "items": ROWS}},
        }
    }
)
TAKEN = "items: 12 rows where others read 30: taken as cut"


def rows(count: int, first: int = 0) -> list[dict[str, str]]:
    return [{"sku": f"S-{number}"} for number in range(first, first + count)]


def panel(*counts: int, families: Mapping[str, str] | None = None) -> list[Ballot]:
    """A ballot per count of rows, by systems A, B, C, ..."""
    return ballots_of([{"items": rows(count), "title": "T"} for count in counts], families=families)


def cut(found: list[Ballot]) -> list[str]:
    return [ballot.system for ballot in found if ballot.status is Status.PARTIAL]


@pytest.mark.parametrize(
    ("counts", "families", "expected"),
    [
        pytest.param((30, 30, 12), {}, ["C"], id="two families read far more"),
        pytest.param((30, 12, 12), {}, [], id="one family alone read more"),
        pytest.param((30, 30, 12), {"B": "A"}, [], id="both who read more are one family"),
        pytest.param((30, 30, 30, 12), {"B": "A"}, ["D"], id="a family counts once, and there are two"),
        pytest.param((30, 30, 12), {"C": "A"}, [], id="one of those who read more is its own family"),
        pytest.param((30, 5, 30, 12), {"B": "A"}, ["D"], id="a family has the rows of its longest ballot"),
        pytest.param((30, 30, 15), {}, ["C"], id="half"),
        pytest.param((30, 30, 16), {}, [], id="more than half"),
        pytest.param((12, 12, 2), {}, ["C"], id="ten rows fewer"),
        pytest.param((11, 11, 2), {}, [], id="nine rows fewer"),
        pytest.param((10, 10, 0), {}, ["C"], id="no rows"),
        pytest.param((9, 9, 0), {}, [], id="no rows where there are few"),
        pytest.param((30, 14, 2), {}, ["C"], id="others who read differently"),
        pytest.param((100, 50, 20), {}, ["C"], id="a half is short only where two read twice as much"),
        pytest.param((30, 30), {}, [], id="two systems"),
        pytest.param((30, 30, 12, 12, 12), {}, ["C", "D", "E"], id="most are cut"),
    ],
)
def test_who_is_taken_as_cut(counts: tuple[int, ...], families: Mapping[str, str], expected: list[str]) -> None:
    assert cut(without_short(SCHEMA, panel(*counts, families=families))) == expected


def test_what_is_said_of_it() -> None:
    a, b, short = without_short(SCHEMA, [*panel(30, 30), *ballots_of([{"items": rows(12)}], names="C")])
    assert (a.status, a.detail, b.detail) == (Status.OK, "", "")
    assert (short.status, short.detail) == (Status.PARTIAL, TAKEN)
    assert short.data == {"items": rows(12)}


def test_what_was_known_of_it_before_is_kept() -> None:
    ballots = panel(30, 40, 1)
    ballots[2] = replace(ballots[2], detail="its run took long")
    assert without_short(SCHEMA, ballots)[2].detail == (
        "its run took long; items: 1 row where others read 30 to 40: taken as cut"
    )


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        pytest.param([], ["C"], id="an empty array"),
        pytest.param(None, ["C"], id="null"),
        pytest.param("[]", ["C"], id="an empty array as text"),
        pytest.param({"sku": "S-0"}, ["C"], id="one row that is not in an array"),
        pytest.param([{}, {"sku": " "}, {"sku": None}, {"other": 1}] * 9, ["C"], id="rows that hold nothing"),
        pytest.param("no table", [], id="no array: it abstains"),
        pytest.param(json.dumps(rows(30)), [], id="all rows, as text"),
    ],
)
def test_what_counts_as_rows(items: Any, expected: list[str]) -> None:
    answers = [{"items": rows(30)}, {"items": rows(30)}, {"items": items}]
    assert cut(without_short(SCHEMA, ballots_of(answers))) == expected


@pytest.mark.parametrize("path", ["items", "items[].sku"])
def test_a_system_that_does_not_judge_the_rows_is_not_short(path: str) -> None:
    a, b, _ = panel(30, 30, 0)
    silent = Ballot("C", "C", data={"title": "T"}, unsupported=frozenset({parse_path(path)}))
    assert cut(without_short(SCHEMA, [a, b, silent])) == []


def test_a_failed_ballot_is_neither_short_nor_a_witness() -> None:
    failed = Ballot.failed("C", "C", Failure.TIMEOUT, "")
    assert without_short(SCHEMA, [*panel(30, 30), failed])[2] == failed
    assert cut(without_short(SCHEMA, [*panel(30, 12), failed])) == []


def test_a_partial_ballot_keeps_its_own_words_and_is_a_witness() -> None:
    a, b, c = panel(30, 30, 12)
    known = replace(b, status=Status.PARTIAL, detail="page 9 left out")
    assert [ballot.detail for ballot in without_short(SCHEMA, [a, known, c])] == ["", "page 9 left out", TAKEN]


def test_an_array_in_an_object_counts_and_one_in_a_row_does_not() -> None:
    nested = ballots_of([{"lines": {"items": rows(count)}} for count in (30, 30, 12)])
    assert cut(without_short(NESTED, nested)) == ["C"]
    assert without_short(NESTED, nested)[2].detail.startswith("lines.items: 12 rows")
    inner = ballots_of([{"groups": [{"name": "g", "items": rows(count)}]} for count in (30, 30, 12)])
    assert cut(without_short(INNER, inner)) == []


def test_cut_systems_do_not_outvote_those_who_read_on() -> None:
    result = vote(SCHEMA, panel(30, 30, 30, 12, 12))
    assert len(result.proposal["items"]) == 30
    assert {row.tier for row in result.rows} == {Tier.UNANIMOUS}
    late = leaf_of(result, "items[20].sku")
    assert (late.tier, sorted(late.votes)) == (Tier.UNANIMOUS, ["A", "B", "C"])
    early = leaf_of(result, "items[3].sku")
    assert sorted(early.votes) == ["A", "B", "C", "D", "E"]
    assert result.partial == {"D": TAKEN, "E": TAKEN}


def test_where_few_read_on_a_person_looks() -> None:
    late = next(row for row in vote(SCHEMA, panel(30, 30, 12, 12)).rows if "C" not in row.members)
    assert (late.presence, late.present["C"], late.reasons) == (Presence.PRESENT, None, ("quorum",))


def test_the_record_of_a_vote_says_so_and_is_read_back() -> None:
    result = vote(SCHEMA, panel(30, 30, 30, 12))
    assert json.loads(consensus_json.printed_text(result))["partial"] == {"D": TAKEN}
    text = consensus_json.file_text(result, {})
    assert consensus_json.from_json(jsontext.loads(text)).partial == {"D": TAKEN}
    older = {key: value for key, value in jsontext.loads(text).items() if key != "partial"}
    assert consensus_json.from_json(older).partial == {}


def test_the_command_says_so(tmp_path: Path) -> None:
    (tmp_path / "schema.json").write_text(json.dumps({"type": "object", "properties": {"items": ROWS}}))
    options: list[object] = ["--schema", tmp_path / "schema.json"]
    for name, count in (("A", 30), ("B", 30), ("C", 12)):
        (tmp_path / f"{name}.json").write_text(json.dumps({"items": rows(count)}))
        options += ["--ballot", f"{name}={tmp_path / name}.json"]
    assert goldleaf("vote", *options, "--json").json["partial"] == {"C": TAKEN}
    shown = " ".join(goldleaf("vote", *options).out.split())
    assert f"cut, and silent on what it lacks: C: {TAKEN}" in shown


COUNTS = st.lists(st.tuples(st.sampled_from([0, 1, 9, 10, 11, 20, 21, 30, 45]), st.sampled_from("xyz")), max_size=5)


@given(COUNTS, st.randoms(use_true_random=False))
def test_the_order_of_ballots_changes_nothing(counts: list[tuple[int, str]], random: Any) -> None:
    ballots = [
        Ballot(name, family, data={"items": rows(count)})
        for name, (count, family) in zip("ABCDE", counts, strict=False)
    ]
    shuffled = random.sample(ballots, len(ballots))
    found = without_short(SCHEMA, ballots)
    assert sorted(without_short(SCHEMA, shuffled), key=lambda one: one.system) == found
    assert [one.system for one in found] == [one.system for one in ballots]
    if len({family for _, family in counts}) < 3:
        assert found == ballots
    # A partial ballot is a witness as well, so asking again finds the same.
    assert without_short(SCHEMA, found) == found
