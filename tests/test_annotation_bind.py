"""Decisions are found again after the vote or the schema changed, and never guessed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.asked import Asked
from annotation.bind import Binding, Staleness, bind
from builders import schema_of
from decision_builders import ANN, BOB, decide
from groundtruth.decision import Verdict
from groundtruth.path import format_path
from groundtruth.schema import FrozenSchema
from packet_builders import asked_document

ROWS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "sku": {"type": "string"},
            "name": {"type": "string"},
            "amount": {"type": "number"},
            "unit": {"type": "string"},
        },
    },
}
KEYED = schema_of({"number": {"type": "string"}, "items": ROWS}, identity={"items": ["sku"]})
BARE = schema_of({"number": {"type": "string"}, "items": ROWS})
A = {"sku": "A", "name": "Nail", "amount": 1.5, "unit": "box"}
B = {"sku": "B", "name": "Bolt", "amount": 2.5, "unit": "box"}
C = {"sku": "C", "name": "Clip", "amount": 3.5, "unit": "bag"}


def _rows(*rows: dict[str, Any], number: str = "7") -> dict[str, Any]:
    return {"number": number, "items": list(rows)}


def _voted(schema: FrozenSchema, *answers: Any) -> Asked:
    return asked_document(schema, answers if len(answers) > 1 else list(answers) * 3)


def _places(binding: Binding) -> dict[str, list[Any]]:
    found = {**binding.by_path, **binding.rows}
    return {format_path(path): [decision.value for decision in given] for path, given in found.items()}


def _bind(then: Asked, now: Asked, *asked: tuple[str, Any]) -> Binding:
    return bind([decide(then, path, value) for path, value in asked], now.consensus, now.schema)


@pytest.mark.parametrize("schema", [KEYED, BARE], ids=["keyed", "bare"])
def test_an_unchanged_vote_keeps_every_decision_at_its_path(schema: FrozenSchema) -> None:
    asked = _voted(schema, _rows(A, B, C))
    found = _bind(asked, asked, ("number", "8"), ("items[1].name", "Bolts"), ("items[2].sku", "CC"))
    assert _places(found) == {"number": ["8"], "items[1].name": ["Bolts"], "items[2].sku": ["CC"]}
    assert found.stale == ()
    assert found.votes_changed == frozenset()


@pytest.mark.parametrize("schema", [KEYED, BARE], ids=["keyed", "bare"])
def test_a_row_is_found_where_it_moved_to(schema: FrozenSchema) -> None:
    found = _bind(_voted(schema, _rows(A, B)), _voted(schema, _rows(C, B, A)), ("items[0].name", "Nails"))
    assert _places(found) == {"items[2].name": ["Nails"]}


def test_a_row_whose_other_cells_were_read_anew_is_found_by_its_key() -> None:
    now = _voted(KEYED, _rows(B, {"sku": "A", "name": "Tack", "amount": 9, "unit": "kg"}))
    assert _places(_bind(_voted(KEYED, _rows(A, B)), now, ("items[0].name", "Nails"))) == {"items[1].name": ["Nails"]}


def test_a_row_is_found_by_the_key_as_people_corrected_it() -> None:
    now = _voted(KEYED, _rows(B, {"sku": "A7", "name": "Tack", "amount": 9, "unit": "kg"}))
    found = _bind(_voted(KEYED, _rows(A, B)), now, ("items[0].sku", "A7"), ("items[0].name", "Nails"))
    assert _places(found) == {"items[1].sku": ["A7"], "items[1].name": ["Nails"]}


def test_a_corrected_key_that_another_row_bears_does_not_move_the_decisions() -> None:
    asked = _voted(KEYED, _rows(A, B))
    found = _bind(asked, asked, ("items[0].sku", "B"), ("items[0].name", "Nails"))
    assert _places(found) == {"items[0].sku": ["B"], "items[0].name": ["Nails"]}


@pytest.mark.parametrize("schema", [KEYED, BARE], ids=["keyed", "bare"])
def test_a_row_without_its_key_is_found_by_half_of_what_it_held(schema: FrozenSchema) -> None:
    now = _voted(schema, _rows(B, {**A, "sku": "A7", "unit": "kg"}))
    assert _places(_bind(_voted(schema, _rows(A)), now, ("items[0].name", "Nails"))) == {"items[1].name": ["Nails"]}


@pytest.mark.parametrize(
    "now",
    [
        pytest.param([B, C], id="less than half is equal"),
        pytest.param([{**A, "sku": "X"}, {**A, "sku": "Y"}], id="two fit equally well"),
        pytest.param([], id="no rows"),
    ],
)
def test_what_is_not_found_beyond_doubt_is_stale(now: list[dict[str, Any]]) -> None:
    found = _bind(_voted(KEYED, _rows(A)), _voted(KEYED, _rows(*now)), ("items[0].name", "Nails"))
    assert _places(found) == {}
    assert [(each.reason, each.path) for each in found.stale] == [(Staleness.ROW_GONE, None)]


def test_rows_of_one_vote_are_not_found_in_one_row() -> None:
    # Both share half of it and more; the first fits better.
    then = _voted(BARE, _rows({**A, "unit": "kg", "name": "Tack"}, {**A, "unit": "bag", "name": "Nail"}))
    now = _voted(BARE, _rows({**A, "unit": "kg", "name": "Tack", "sku": "Z"}))
    found = _bind(then, now, (f"{_row_named(then, 'Tack')}.unit", "1"), (f"{_row_named(then, 'Nail')}.unit", "2"))
    assert _places(found) == {"items[0].unit": ["1"]}
    assert [each.decision.value for each in found.stale] == ["2"]


def test_a_row_that_is_gone_is_not_taken_for_another_that_people_decided_on() -> None:
    twin = {**A, "sku": "T"}
    then, now = _voted(KEYED, _rows(A)), _voted(KEYED, _rows(twin))
    found = bind([decide(then, "items[0].name", "a"), decide(now, "items[0].name", "t", round_number=2)],
                 now.consensus, KEYED)  # fmt: skip
    assert _places(found) == {"items[0].name": ["t"]}
    assert [each.decision.value for each in found.stale] == ["a"]


def test_rows_that_share_a_key_are_told_apart_by_what_they_hold() -> None:
    tack = {**A, "unit": "kg", "name": "Tack"}
    then = _voted(KEYED, _rows(tack, A))
    # A third row of that key gives the ids of the others to other rows.
    now = _voted(KEYED, _rows(tack, {**A, "name": "Lost", "amount": 0.5}, A))
    found = _bind(then, now, (f"{_row_named(then, 'Nail')}.unit", "crate"))
    assert _places(found) == {f"{_row_named(now, 'Nail')}.unit": ["crate"]}


def _row_named(asked: Asked, name: str) -> str:
    return next(format_path(leaf.path[:-1]) for leaf in asked.consensus.leaves if leaf.value == name)


def test_a_cell_of_an_inner_row_is_found_with_both_rows() -> None:
    lines = {"type": "array", "items": {"type": "object", "properties": {"no": {"type": "string"}}}}
    order = {"type": "object", "properties": {"id": {"type": "string"}, "lines": lines}}
    schema = schema_of(
        {"orders": {"type": "array", "items": order}}, identity={"orders": ["id"], "orders[].lines": ["no"]}
    )
    one = {"id": "1", "lines": [{"no": "a"}, {"no": "b"}]}
    two = {"id": "2", "lines": [{"no": "a"}]}
    then, now = _voted(schema, {"orders": [one, two]}), _voted(schema, {"orders": [two, {**one, "id": "9"}]})
    found = _bind(then, now, ("orders[0].id", "9"), ("orders[0].lines[1].no", "bb"), ("orders[1].lines[0].no", "aa"))
    assert _places(found) == {
        "orders[1].id": ["9"],
        "orders[1].lines[1].no": ["bb"],
        "orders[0].lines[0].no": ["aa"],
    }


def test_other_votes_on_the_same_leaf_are_noted() -> None:
    then, now = (
        _voted(KEYED, _rows(A), _rows(A), _rows(A)),
        _voted(KEYED, _rows(A), _rows(A), _rows({**A, "name": "x"})),
    )
    found = _bind(then, now, ("items[0].name", "Nails"), ("items[0].sku", "A"))
    assert {format_path(decision.path) for given in found.by_path.values() for decision in given
            if decision.id in found.votes_changed} == {"items[0].name"}  # fmt: skip


def test_a_persons_later_answer_stands_though_the_row_has_another_id() -> None:
    then, now = _voted(BARE, _rows(A)), _voted(BARE, _rows({**A, "unit": "kg"}))
    first, later = decide(then, "items[0].name", "x"), decide(now, "items[0].name", "y", round_number=2)
    other = decide(then, "items[0].name", "z", by=BOB)
    assert first.key != later.key
    found = bind([first, other, later], now.consensus, BARE)
    assert [(each.reviewer, each.value) for said in found.by_path.values() for each in said] == [
        (BOB, "z"),
        (ANN, "y"),
    ]
    assert found.superseded == (first,)


def test_a_row_decision_is_bound_to_its_row() -> None:
    then = _voted(KEYED, _rows(A, B), _rows(A, B), _rows(A))
    now = _voted(KEYED, _rows(B, A), _rows(B, A), _rows(B, A))
    found = bind([decide(then, "items[1]", verdict=Verdict.PRESENT)], now.consensus, KEYED)
    assert [format_path(path) for path in found.rows] == ["items[0]"]


# Schemas that change (cases 65 and 67 of the rules of the vote)


def _typed(description: str = "", identity: Sequence[str] = ("sku",), **more: Any) -> FrozenSchema:
    number = {"type": "string", **({"description": description} if description else {})}
    return schema_of({"number": number, "items": ROWS, **more}, identity={"items": list(identity)})


_ASKED = (("number", "8"), ("items[0].name", "Nails"), ("items[0].sku", "AA"))


@pytest.mark.parametrize(
    ("now", "stale"),
    [
        pytest.param(_typed(), {}, id="nothing"),
        pytest.param(_typed(extra={"type": "string"}), {}, id="a new leaf"),
        pytest.param(_typed("As printed."), {"number": Staleness.SCHEMA_CHANGED}, id="one description"),
        pytest.param(
            _typed(identity=["name"]),
            {"items[0].name": Staleness.SCHEMA_CHANGED, "items[0].sku": Staleness.SCHEMA_CHANGED},
            id="the key of an array",
        ),
        pytest.param(
            schema_of({"items": ROWS}, identity={"items": ["sku"]}),
            {"number": Staleness.LEAF_REMOVED},
            id="a leaf is gone",
        ),
        pytest.param(
            schema_of({"number": {"type": "string"}}),
            {"items[0].name": Staleness.LEAF_REMOVED, "items[0].sku": Staleness.LEAF_REMOVED},
            id="an array is gone",
        ),
    ],
)
def test_a_schema_reopens_exactly_what_it_changed(now: FrozenSchema, stale: dict[str, Staleness]) -> None:
    found = _bind(_voted(_typed(), _rows(A)), _voted(now, _rows(A)), *_ASKED)
    assert {format_path(each.decision.path): each.reason for each in found.stale} == stale
    assert sorted(_places(found)) == sorted({path for path, _ in _ASKED} - stale.keys())


def test_what_the_schema_changed_says_where_it_is_asked_again() -> None:
    found = _bind(_voted(_typed(), _rows(A)), _voted(_typed("As printed."), _rows(A)), ("number", "8"))
    assert [each.path for each in found.stale] == [("number",)]


# Laws

_CELL = st.sampled_from(["p", "q", "r"])
_ROW = st.fixed_dictionaries({"sku": st.sampled_from("ABCDE"), "name": _CELL, "unit": _CELL})
_ANSWER = st.fixed_dictionaries({"number": _CELL, "items": st.lists(_ROW, max_size=4)})


@st.composite
def _two_votes(draw: st.DrawFn) -> tuple[list[Any], list[Any]]:
    answers = draw(st.lists(_ANSWER, min_size=2, max_size=3))
    permuted = [{**answer, "items": draw(st.permutations(answer["items"]))} for answer in answers]
    return answers, draw(st.permutations(permuted))


@pytest.mark.parametrize("schema", [KEYED, BARE], ids=["keyed", "bare"])
@settings(max_examples=15)
@given(answers=_two_votes())
def test_permuted_rows_and_ballots_bind_the_same(schema: FrozenSchema, answers: tuple[list[Any], list[Any]]) -> None:
    then, now = (asked_document(schema, each) for each in answers)
    decisions = [decide(then, format_path(leaf.path), f"said {at}") for at, leaf in enumerate(then.consensus.leaves)
                 if leaf.path[-1] != "amount"]  # fmt: skip
    found = bind(decisions, now.consensus, schema)
    assert found.stale == ()
    assert all(len(given) == 1 for given in found.by_path.values())
    rows_then = {row.path: row.row_id for row in then.consensus.rows}
    rows_now = {row.path: row.row_id for row in now.consensus.rows}
    for path, (decision,) in found.by_path.items():
        assert rows_then.get(decision.path[:2]) == rows_now.get(path[:2])


@settings(max_examples=25)
@given(then=st.lists(_ANSWER, min_size=2, max_size=3), now=st.lists(_ANSWER, min_size=2, max_size=3), data=st.data())
def test_no_decision_is_lost_and_their_order_says_nothing_of_where_they_are(
    then: list[Any], now: list[Any], data: st.DataObject
) -> None:
    before, after = asked_document(KEYED, then), asked_document(KEYED, now)
    decisions = [decide(before, format_path(leaf.path), f"said {at}")
                 for at, leaf in enumerate(before.consensus.leaves) if leaf.path[-1] != "amount"]  # fmt: skip
    found = bind(decisions, after.consensus, KEYED)
    bound = [decision for given in found.by_path.values() for decision in given]
    stale = [each.decision for each in found.stale]
    assert sorted(each.id for each in [*bound, *stale, *found.superseded]) == sorted(each.id for each in decisions)
    shuffled = bind(data.draw(st.permutations(decisions)), after.consensus, KEYED)
    assert {path: {each.id for each in given} for path, given in shuffled.by_path.items()} == {
        path: {each.id for each in given} for path, given in found.by_path.items()
    }
