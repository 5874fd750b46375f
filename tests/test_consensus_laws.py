"""The laws of the vote, on random ballots: what must not change a consensus, and what it can never do."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import schema_of
from consensus.vote import vote
from groundtruth import consensus_json, jsontext
from groundtruth.ballot import Ballot
from groundtruth.consensus import Consensus, Tier
from groundtruth.path import format_path
from groundtruth.schema import FrozenSchema
from groundtruth.value import Value, canonical

TEXT = {"type": ["string", "null"]}
ROW = {"sku": TEXT, "name": TEXT, "qty": {"type": ["number", "null"]}}
LINES = {"type": "array", "items": {"type": "object", "properties": ROW}}
ORDERS = {
    "type": "array",
    "items": {"type": "object", "properties": {"number": TEXT, "lines": LINES}},
}
PROPERTIES = {"title": TEXT, "total": {"type": ["number", "null"]}, "items": LINES, "orders": ORDERS}
KEYED = schema_of(PROPERTIES, identity={"items": ["sku"], "orders": ["number"], "orders[].lines": ["sku"]})
UNKEYED = schema_of(PROPERTIES)
SCHEMAS = pytest.mark.parametrize("schema", [KEYED, UNKEYED], ids=["keyed", "unkeyed"])

words = st.sampled_from(["A-1", "A-2", "A-I", "widget", "Widget", "bolt  M4", "", None, 7])
numbers = st.sampled_from([0, 1, 2, 12, "12", "1,200", "x", None])
rows = st.fixed_dictionaries({}, optional={"sku": words, "name": words, "qty": numbers})
tables = st.one_of(st.none(), st.lists(rows, max_size=4))
orders = st.lists(st.fixed_dictionaries({}, optional={"number": words, "lines": tables}), max_size=3)
answers = st.fixed_dictionaries({}, optional={"title": words, "total": numbers, "items": tables, "orders": orders})
few = settings(max_examples=40)
"""Each example is several whole votes; the strategies are small enough for forty to reach the corners."""

panels = st.lists(answers, min_size=1, max_size=5)


def cast(answers: list[Any], names: str = "ABCDE") -> list[Ballot]:
    return [Ballot(name, name, data=answer) for name, answer in zip(names, answers, strict=False)]


def shuffled(value: Any, draw: Any) -> Any:
    """The same answer with its rows and keys in another order."""
    if isinstance(value, list):
        return [shuffled(item, draw) for item in draw(st.permutations(value))]
    if isinstance(value, dict):
        return {key: shuffled(value[key], draw) for key in draw(st.permutations(list(value)))}
    return value


def by_content(result: Consensus) -> Counter[str]:
    """The vote without row indices: they are for display, and follow the order of the rows."""
    where = {row.path: row.row_id for row in result.rows}

    def place(path: tuple[Any, ...]) -> str:
        ids = [where[path[: at + 1]] for at, step in enumerate(path) if isinstance(step, int)]
        return f"{format_path(tuple(step for step in path if not isinstance(step, int)))} {ids}"

    found = Counter(
        repr((place(leaf.path), leaf.tier, leaf.value, leaf.reasons, leaf.notes, leaf.margin)) for leaf in result.leaves
    )
    found.update(
        repr((place(row.path), row.tier, row.presence, sorted(row.present.items()), row.reasons)) for row in result.rows
    )
    return found


def text(result: Consensus) -> str:
    return consensus_json.printed_text(result)


@SCHEMAS
@few
@given(panel=panels, data=st.data())
def test_the_order_of_ballots_changes_nothing(schema: FrozenSchema, panel: list[Any], data: st.DataObject) -> None:
    ballots = cast(panel)
    assert text(vote(schema, data.draw(st.permutations(ballots)))) == text(vote(schema, ballots))


@SCHEMAS
@few
@given(panel=panels, data=st.data())
def test_the_order_of_keys_and_rows_changes_only_the_order_of_rows(
    schema: FrozenSchema, panel: list[Any], data: st.DataObject
) -> None:
    mixed = [shuffled(answer, data.draw) for answer in panel]
    assert by_content(vote(schema, cast(mixed))) == by_content(vote(schema, cast(panel)))


@SCHEMAS
@few
@given(panel=panels)
def test_renaming_systems_changes_only_names(schema: FrozenSchema, panel: list[Any]) -> None:
    # Reversing the alphabet also reverses the order in which systems are held.
    renamed = vote(schema, cast(panel, names="zyxwv"))
    back = dict(zip("zyxwv", "ABCDE", strict=True))
    original = vote(schema, cast(panel))
    assert jsontext.dumps(renamed.proposal) == jsontext.dumps(original.proposal)
    assert [(leaf.path, leaf.tier, leaf.value, leaf.reasons) for leaf in renamed.leaves] == [
        (leaf.path, leaf.tier, leaf.value, leaf.reasons) for leaf in original.leaves
    ]
    assert [{back[name]: raw for name, raw in leaf.votes.items()} for leaf in renamed.leaves] == [
        dict(leaf.votes) for leaf in original.leaves
    ]


@SCHEMAS
@few
@given(answer=answers)
def test_five_equal_ballots_reproduce_themselves(schema: FrozenSchema, answer: Any) -> None:
    result = vote(schema, cast([answer] * 5))
    invalid = {leaf.path for leaf in result.leaves if any(not found.valid for found in leaf.candidates)}
    for leaf in result.leaves:
        if leaf.path not in invalid:
            assert leaf.tier in (Tier.UNANIMOUS, Tier.ALL_NULL)
    assert all(row.tier is Tier.UNANIMOUS for row in result.rows)
    again = vote(schema, cast([result.proposal] * 5))
    if not invalid:
        assert jsontext.dumps(again.proposal) == jsontext.dumps(result.proposal)


@few
@given(panel=st.lists(answers, min_size=1, max_size=4))
def test_an_agreeing_ballot_never_lowers_a_tier(panel: list[Any]) -> None:
    strength = [Tier.SPLIT, Tier.MAJORITY, Tier.UNANIMOUS, Tier.ALL_NULL]
    before = vote(KEYED, cast(panel))
    after = vote(KEYED, [*cast(panel), Ballot("Z", "Z", data=before.proposal)])
    won = {place: leaf for place, leaf in _scalars(before).items() if leaf.resolved}
    for place, leaf in won.items():
        found = _scalars(after)[place]
        assert found.resolved
        assert found.value == leaf.value
        assert strength.index(found.tier) >= strength.index(leaf.tier)


@SCHEMAS
@few
@given(panel=panels)
def test_a_consensus_emits_no_value_that_no_ballot_gave(schema: FrozenSchema, panel: list[Any]) -> None:
    for leaf in vote(schema, cast(panel)).leaves:
        if leaf.value is None:
            continue
        field = schema.leaves[leaf.field]
        emitted = canonical(field, leaf.value)
        given_keys = {reading.key for raw in leaf.votes.values() if isinstance(reading := canonical(field, raw), Value)}
        assert isinstance(emitted, Value)
        assert emitted.key in given_keys


@SCHEMAS
@few
@given(panel=panels)
def test_the_file_is_read_back_whole(schema: FrozenSchema, panel: list[Any]) -> None:
    result = vote(schema, cast(panel))
    written = consensus_json.file_text(result, {"document": "d"})
    back = consensus_json.from_json(jsontext.loads(written))
    assert consensus_json.file_text(back, {"document": "d"}) == written


@SCHEMAS
@few
@given(panel=panels)
def test_every_system_has_one_vote_a_leaf(schema: FrozenSchema, panel: list[Any]) -> None:
    result = vote(schema, cast(panel))
    paths = [leaf.path for leaf in result.leaves]
    assert len(paths) == len(set(paths))
    for leaf in result.leaves:
        cast_votes = [system for found in leaf.candidates for system in found.systems]
        assert sorted(cast_votes) == sorted(leaf.votes)


def _scalars(result: Consensus) -> dict[str, Any]:
    return {format_path(leaf.path): leaf for leaf in result.leaves if len(leaf.path) == 1}


@SCHEMAS
@few
@given(panel=st.lists(answers, min_size=3, max_size=5), alike=answers)
def test_leaves_that_need_no_counting_are_as_if_counted(schema: FrozenSchema, panel: list[Any], alike: Any) -> None:
    for ballots in (cast(panel), cast([alike] * 4), cast([alike, alike, alike, panel[0]])):
        short = text(vote(schema, ballots))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("consensus.vote.agreed_value", lambda _readings, _electorate: None)
            assert text(vote(schema, ballots)) == short
