"""Votes and decisions become truth; what nobody knows stays open, and no decision is overruled by a vote."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.asked import Asked
from annotation.open_questions import Open, open_places
from annotation.resolve import Resolution, resolve
from annotation.situation import Status, Why
from builders import schema_of
from decision_builders import ANN, BOB, EVE, decide, stands
from groundtruth.box import Box
from groundtruth.decision import Decision, DecisionLog, Verdict, Withdrawal
from groundtruth.document import Kind
from groundtruth.evidence import Evidence
from groundtruth.path import format_path, parse_path
from groundtruth.queue import Place, Question
from groundtruth.schema import FrozenSchema
from groundtruth.truth import GroundTruth
from packet_builders import asked_document, queue_of, spot

ITEMS = {
    "type": "array",
    "items": {"type": "object", "properties": {"sku": {"type": "string"}, "amount": {"type": ["number", "null"]}}},
}
SCHEMA = schema_of(
    {"number": {"type": "string"}, "total": {"type": "number"}, "tags": {"type": "array", "items": {"type": "string"}},
     "items": ITEMS},
    identity={"items": ["sku"]},
)  # fmt: skip


def _answer(number: str = "7", *rows: str, total: float = 1.5, amount: float = 2.5) -> dict[str, Any]:
    return {"number": number, "total": total, "tags": ["a", "b"],
            "items": [{"sku": sku, "amount": amount} for sku in rows]}  # fmt: skip


def _resolved(asked: Asked, *decisions: Decision, provisional: bool = False) -> Resolution:
    return resolve(stands(asked, *decisions), provisional=provisional)


def _open(asked: Asked, *decisions: Decision) -> Open:
    return open_places(queue_of(asked), {asked.document: stands(asked, *decisions)})


def _paths(found: Any) -> dict[str, Any]:
    return {format_path(path): value for path, value in found.items()}


def _questions(found: Open) -> list[tuple[str, str]]:
    return [(str(item.question), format_path(place.path)) for item in found.items for place in item.places]


SPLIT = asked_document(SCHEMA, [_answer("7"), _answer("1"), _answer("I")])
MAJORITY = asked_document(SCHEMA, [_answer("7"), _answer("7"), _answer("I")])
AGREED = asked_document(SCHEMA, [_answer("7", "A")] * 3)


def test_what_the_vote_accepts_is_true() -> None:
    found = _resolved(AGREED)
    assert found.is_complete
    assert found.truth.value == {
        "number": "7", "total": Decimal("1.5"), "tags": ["a", "b"], "items": [{"sku": "A", "amount": Decimal("2.5")}]
    }  # fmt: skip
    assert found.counts == {Status.ACCEPTED: 5}
    assert found.truth.further["leaves"] == {}
    assert found.truth.further["verified"] is True


def test_a_split_leaf_that_nobody_decided_is_unresolved_and_not_null() -> None:
    found = _resolved(SPLIT, provisional=True)
    assert _paths(found.unresolved) == {"number": Why.UNDECIDED}
    assert found.truth.value["number"] is None
    assert found.truth.further["unresolved"] == {"number": "undecided"}
    assert found.truth.further["verified"] is False


def test_a_majority_that_nobody_looked_at_is_taken_on_request_only_and_marked() -> None:
    assert _paths(_resolved(MAJORITY).unresolved) == {"number": Why.PROVISIONAL}
    found = _resolved(MAJORITY, provisional=True)
    assert found.truth.value["number"] == "7"
    assert found.counts[Status.PROVISIONAL] == 1
    assert found.truth.further["leaves"]["number"]["status"] == "provisional"


@pytest.mark.parametrize(
    ("said", "value"),
    [
        pytest.param({"value": "1", "verdict": Verdict.ACCEPT}, "1", id="accept"),
        pytest.param({"value": "8"}, "8", id="edit"),
        pytest.param({}, None, id="absent"),
    ],
)
@pytest.mark.parametrize("asked", [SPLIT, MAJORITY, AGREED], ids=["split", "majority", "agreed"])
def test_what_a_person_decided_holds_against_any_vote(asked: Asked, said: dict[str, Any], value: Any) -> None:
    decision = decide(asked, "number", **said)
    found = _resolved(asked, decision)
    assert found.is_complete
    assert found.truth.value["number"] == value
    record = found.truth.further["leaves"]["number"]
    assert (record["status"], record["by"], record["decisions"]) == ("reviewed", [ANN], [decision.id])


@pytest.mark.parametrize(
    ("path", "value"),
    [("total", 120), ("total", 339.6), ("tags", ["b"]), ("number", "007")],
    ids=["integer", "decimal", "list", "digits as text"],
)
def test_values_keep_their_type(path: str, value: Any) -> None:
    found = _resolved(SPLIT, decide(SPLIT, path, value)).truth.value[path]
    wanted = Decimal("339.6") if value == 339.6 else value
    assert (type(found), found) == (type(wanted), wanted)


def test_two_people_who_agree_are_said_to() -> None:
    found = _resolved(SPLIT, decide(SPLIT, "number", "8"), decide(SPLIT, "number", "8", by=BOB))
    assert found.truth.further["leaves"]["number"]["status"] == "agreed"
    assert found.truth.further["leaves"]["number"]["by"] == [ANN, BOB]


def test_two_people_who_differ_leave_it_open_until_a_third_settles_it() -> None:
    one, two = decide(SPLIT, "number", "8"), decide(SPLIT, "number", "9", by=BOB)
    assert _paths(_resolved(SPLIT, one, two).unresolved) == {"number": Why.CONFLICTING}
    assert _questions(_open(SPLIT, one, two)) == []
    assert list(_open(SPLIT, one, two).conflicts) == [Place("doc", ("number",))]
    third = decide(SPLIT, "number", "9", by=EVE, settles=(one.id, two.id))
    found = _resolved(SPLIT, one, two, third)
    assert found.is_complete
    assert found.truth.value["number"] == "9"


def test_an_escalated_leaf_stays_open_and_is_not_asked_again() -> None:
    handed_on = decide(SPLIT, "number", verdict=Verdict.ESCALATE)
    assert _paths(_resolved(SPLIT, handed_on).unresolved) == {"number": Why.ESCALATED}
    found = _open(SPLIT, handed_on)
    assert _questions(found) == []
    assert list(found.escalated) == [Place("doc", ("number",))]
    assert _resolved(SPLIT, handed_on, decide(SPLIT, "number", "8", by=BOB)).truth.value["number"] == "8"


def test_a_withdrawn_decision_opens_its_leaf_again() -> None:
    decision = decide(SPLIT, "number", "8")
    situation = stands(SPLIT, decision)
    assert open_places(queue_of(SPLIT), {"doc": situation}).items == ()
    log = DecisionLog((decision, Withdrawal(decision.id, ANN, "2026-03-02T10:00:00Z", "misread")))
    assert stands(SPLIT, *log.live()).leaves == {}
    assert _questions(open_places(queue_of(SPLIT), {"doc": stands(SPLIT, *log.live())})) == [("leaf", "number")]


# Evidence


def test_the_vote_s_certain_place_is_the_evidence() -> None:
    asked = asked_document(SCHEMA, [_answer("7")] * 3, certain={"number": spot(2)})
    (entry,) = _resolved(asked).truth.evidence["number"]
    assert (entry.page, entry.bbox, entry.value, entry.quote) == (2, (0.1, 0.1, 0.2, 0.02), "7", "q")
    assert entry.further == {"reviewed": False, "source": "located"}


def test_lines_are_entries_of_their_own_and_one_frames_them() -> None:
    place = Evidence(page=1, boxes=(Box(0.1, 0.1, 0.5, 0.12), Box(0.1, 0.13, 0.3, 0.15)), quote="a b")
    entries = _resolved(SPLIT, decide(SPLIT, "number", "8", evidence=[place])).truth.evidence["number"]
    assert [(entry.coarse, str(entry.kind), entry.quote) for entry in entries] == [
        (False, "line", None), (False, "line", None), (True, "hull", "a b")
    ]  # fmt: skip
    assert entries[2].bbox == (0.1, 0.1, 0.4, 0.05)
    assert all(entry.further["reviewed"] for entry in entries)


def test_a_further_reading_is_an_entry_with_its_place_or_without() -> None:
    here = spot(1).model_copy(update={"value": "7"})
    decision = decide(SPLIT, "number", "7", evidence=[here], alternates=("I",))
    assert [(entry.page, entry.value) for entry in _resolved(SPLIT, decision).truth.evidence["number"]] == [
        (1, "7"), (None, "I")
    ]  # fmt: skip
    there = spot(2).model_copy(update={"value": "I"})
    placed = replace(decision, evidence=(here, there))
    assert [(entry.page, entry.value) for entry in _resolved(SPLIT, placed).truth.evidence["number"]] == [
        (1, "7"), (2, "I")
    ]  # fmt: skip


def test_what_is_absent_stands_nowhere() -> None:
    asked = asked_document(SCHEMA, [_answer("7")] * 3, certain={"number": spot(2)})
    assert "number" not in _resolved(asked, decide(asked, "number")).truth.evidence


@pytest.mark.parametrize(("changed", "pages"), [(False, [2]), (True, [])], ids=["nothing was drawn", "boxes removed"])
def test_a_place_found_since_goes_with_an_answer_that_had_none(changed: bool, pages: list[int]) -> None:
    asked = asked_document(SCHEMA, [_answer("7")] * 3, certain={"number": spot(2)})
    decision = decide(asked, "number", "7", boxes_changed=changed)
    assert [entry.page for entry in _resolved(asked, decision).truth.evidence.get("number", ())] == pages


def test_a_truth_reads_back_as_it_was() -> None:
    truth = _resolved(SPLIT, decide(SPLIT, "number", "8", evidence=[spot(1)])).truth
    assert GroundTruth.from_json(truth.to_json()).to_json() == truth.to_json()


# Rows

LOST = asked_document(SCHEMA, [_answer("7", "A", "B", "C"), _answer("7", "A", "C"), _answer("7", "A", "C"),
                               _answer("7", "A", "C")])  # fmt: skip
HALF = asked_document(
    SCHEMA, [_answer("7", "A", "X", "B")] * 3 + [_answer("7", "A", "B")] * 2, certain={}
)  # in three of five answers
SPLIT_ROW = asked_document(SCHEMA, [_answer("7", "A", "B")] * 2 + [_answer("7", "A")] * 2)


def _path_of(asked: Asked, sku: str) -> str:
    return next(format_path(leaf.path[:-1]) for leaf in asked.consensus.leaves
                if leaf.path[-1] == "sku" and any(found.value == sku for found in leaf.candidates))  # fmt: skip


def _skus(found: Resolution) -> list[Any]:
    return [row["sku"] for row in found.truth.value["items"]]


def test_a_row_that_nobody_decided_is_open_and_left_out() -> None:
    found = _resolved(LOST)
    assert _skus(found) == ["A", "C"]
    assert _paths(found.open_rows) == {_path_of(LOST, "B"): Why.UNDECIDED}
    (row,) = found.truth.further["open_rows"]
    assert (row["array"], row["presence"], row["why"]) == ("items", "absent", "undecided")
    assert not found.is_complete


def test_a_row_said_to_be_absent_is_dropped_with_its_cells() -> None:
    for asked, sku in ((LOST, "B"), (HALF, "X"), (AGREED, "A")):
        gone = decide(asked, _path_of(asked, sku), verdict=Verdict.ABSENT)
        found = _resolved(asked, gone)
        assert sku not in _skus(found)
        assert found.is_complete
        assert _questions(_open(asked, gone)) == []


def test_a_row_said_to_be_present_stands_where_its_systems_have_it_and_its_cells_are_asked() -> None:
    row = _path_of(LOST, "B")
    there = decide(LOST, row, verdict=Verdict.PRESENT)
    found = _resolved(LOST, there)
    # One system alone is no quorum for the cells.
    assert [found.paths[parse_path(row)]] == [("items", 1)]
    assert _paths(found.unresolved) == {"items[1].sku": Why.UNDECIDED, "items[1].amount": Why.UNDECIDED}
    assert _questions(_open(LOST, there)) == [("leaf", f"{row}.sku"), ("leaf", f"{row}.amount")]
    cells = [decide(LOST, f"{row}.sku", "B"), decide(LOST, f"{row}.amount", 2.5)]
    assert _skus(_resolved(LOST, there, *cells)) == ["A", "B", "C"]
    assert _resolved(LOST, there, *cells).is_complete


def test_cells_that_all_who_have_the_row_agree_on_follow_from_it() -> None:
    row = _path_of(HALF, "X")
    item = next(item for item in queue_of(HALF) if item.question is Question.ROW)
    assert [format_path(path) for path in item.settles] == [f"{row}.sku", f"{row}.amount"]
    there = decide(HALF, row, verdict=Verdict.PRESENT)
    found = _resolved(HALF, there)
    assert found.is_complete
    assert _skus(found) == ["A", "X", "B"]
    assert found.truth.further["leaves"]["items[1].sku"] == {
        "status": "reviewed", "tier": "majority", "by": [ANN], "decisions": [there.id]
    }  # fmt: skip
    assert _open(HALF, there).items == ()


def test_a_confirmed_row_brings_its_cells_the_places_that_the_person_saw() -> None:
    row = _path_of(HALF, "X")
    seen = [spot(3).model_copy(update={"value": "X"}), spot(3, 0.5).model_copy(update={"value": Decimal("2.5")})]
    there = decide(HALF, row, verdict=Verdict.PRESENT, evidence=seen)
    evidence = _resolved(HALF, there).truth.evidence
    assert [(entry.page, entry.value) for entry in evidence["items[1].sku"]] == [(3, "X")]


def test_an_undecided_row_that_is_confirmed_asks_its_cells() -> None:
    row = _path_of(SPLIT_ROW, "B")
    assert _questions(_open(SPLIT_ROW)) == [("row", row)]
    there = decide(SPLIT_ROW, row, verdict=Verdict.PRESENT)
    assert _questions(_open(SPLIT_ROW, there)) == [("leaf", f"{row}.sku"), ("leaf", f"{row}.amount")]


@pytest.mark.parametrize(
    "verdicts",
    [[Verdict.PRESENT, Verdict.ABSENT], [Verdict.ESCALATE]],
    ids=["people differ", "handed on"],
)
def test_a_row_in_dispute_is_open_and_its_cells_wait(verdicts: list[Verdict]) -> None:
    row = _path_of(SPLIT_ROW, "B")
    said = [decide(SPLIT_ROW, row, verdict=verdict, by=by) for verdict, by in zip(verdicts, (ANN, BOB), strict=False)]
    found = _open(SPLIT_ROW, *said)
    assert _questions(found) == []
    assert {parse_path(f"{row}.sku"), parse_path(row)} <= found.not_asked["doc"]
    assert _skus(_resolved(SPLIT_ROW, *said)) == ["A"]
    assert list(_paths(_resolved(SPLIT_ROW, *said).open_rows)) == [row]


def test_a_row_in_which_a_person_read_a_value_stands_though_a_new_vote_loses_it() -> None:
    before = asked_document(SCHEMA, [_answer("7", "A", "B")] * 3)
    read = decide(before, "items[1].amount", 9)
    now = asked_document(SCHEMA, [_answer("7", "A", "B"), _answer("7", "A"), _answer("7", "A")])
    found = _resolved(now, read)
    assert [row["amount"] for row in found.truth.value["items"]] == [Decimal("2.5"), 9]
    assert found.truth.further["leaves"]["items[1]"]["decisions"] == [read.id]
    assert _questions(_open(now, read)) == [("leaf", "items[1].sku")]
    gone = decide(now, "items[1]", verdict=Verdict.ABSENT, by=BOB)
    assert len(_resolved(now, read, gone).truth.value["items"]) == 1


def test_a_row_in_which_a_person_read_nothing_is_asked() -> None:
    before = asked_document(SCHEMA, [_answer("7", "A", "B")] * 3)
    now = asked_document(SCHEMA, [_answer("7", "A", "B"), _answer("7", "A"), _answer("7", "A")])
    assert _questions(_open(now, decide(before, "items[1].amount"))) == [("row", "items[1]")]


def test_correcting_a_key_cell_keeps_the_decisions_on_its_row() -> None:
    cells = [decide(AGREED, "items[0].sku", "A7"), decide(AGREED, "items[0].amount", 9)]
    for now in ([_answer("7", "A")] * 3, [_answer("7", "B", "A7", amount=4)] * 3):
        found = _resolved(asked_document(SCHEMA, now), *cells)
        assert {"sku": "A7", "amount": 9} in found.truth.value["items"]
        assert found.is_complete


LINES = {"type": "array", "items": {"type": "object", "properties": {"no": {"type": "string"}}}}
NESTED = schema_of(
    {
        "orders": {
            "type": "array",
            "items": {"type": "object", "properties": {"id": {"type": "string"}, "lines": LINES}},
        }
    },
    identity={"orders": ["id"], "orders[].lines": ["no"]},
)


def _orders(*orders: tuple[str, str]) -> dict[str, Any]:
    return {"orders": [{"id": name, "lines": [{"no": no} for no in lines]} for name, lines in orders]}


def test_rows_inside_a_confirmed_row_follow_from_it_or_are_asked() -> None:
    answers = [_orders(("1", "a"), ("2", "ab")), _orders(("1", "a"), ("2", "a")), _orders(("1", "a")),
               _orders(("1", "a"))]  # fmt: skip
    asked = asked_document(NESTED, answers)
    there = decide(asked, "orders[1]", verdict=Verdict.PRESENT)
    inner = {
        found.value: format_path(leaf.path[:-1])
        for leaf in asked.consensus.leaves
        for found in leaf.candidates
        if leaf.path[:2] == ("orders", 1) and leaf.path[-1] == "no" and found.value is not None
    }
    assert sorted(_questions(_open(asked, there))) == sorted(
        [("leaf", "orders[1].id"), ("leaf", f"{inner['a']}.no"), ("row", inner["b"])]
    )
    lines = [decide(asked, inner["b"], verdict=Verdict.PRESENT), decide(asked, f"{inner['a']}.no", "a"),
             decide(asked, "orders[1].id", "2")]  # fmt: skip
    assert _questions(_open(asked, there, *lines)) == [("leaf", f"{inner['b']}.no")]
    found = _resolved(asked, there, *lines, decide(asked, f"{inner['b']}.no", "b"))
    assert found.truth.value == _orders(("1", "a"), ("2", "ab"))
    assert found.is_complete
    gone = decide(asked, "orders[1]", verdict=Verdict.ABSENT)
    assert _resolved(asked, gone, *lines).truth.value == _orders(("1", "a"))


# Schemas that change


def test_a_new_schema_reopens_what_was_decided_even_where_the_vote_is_sure() -> None:
    changed = schema_of(
        {"number": {"type": "string", "description": "As printed."}, "total": {"type": "number"},
         "tags": {"type": "array", "items": {"type": "string"}}, "items": ITEMS},
        identity={"items": ["sku"]},
    )  # fmt: skip
    decisions = [decide(AGREED, "number", "8"), decide(AGREED, "total", 9)]
    now = asked_document(changed, [_answer("7", "A")] * 3)
    found = _resolved(now, *decisions)
    assert _paths(found.unresolved) == {"number": Why.SCHEMA_CHANGED}
    assert found.truth.value["total"] == 9
    asked = _open(now, *decisions)
    assert _questions(asked) == [("leaf", "number")]
    assert [each.decision for each in asked.reopened["doc"]["number",]] == [decisions[0]]
    again = decide(now, "number", "9", settles=(decisions[0].id,))
    assert _resolved(now, *decisions, again).is_complete
    assert _questions(_open(now, *decisions, again)) == []


# Laws

_ANSWERS = st.lists(
    st.builds(_answer, st.sampled_from("71"), *[st.sampled_from("ABCD")] * 2, total=st.sampled_from([1.5, 2.5]),
              amount=st.sampled_from([2.5, 3.5])),
    min_size=1, max_size=4,
)  # fmt: skip


_ORDERS = st.lists(
    st.builds(
        _orders,
        *[st.tuples(st.sampled_from("12"), st.text("ab", max_size=2))] * 2,
    ),
    min_size=1, max_size=4,
)  # fmt: skip
_SAID = {"sku": "S", "number": "8", "tags": ["c"], "amount": 4, "total": 4, "id": "9", "no": "z"}


@pytest.mark.parametrize("kind", [Kind.REAL, Kind.FORM])
@pytest.mark.parametrize(("schema", "votes"), [(SCHEMA, _ANSWERS), (NESTED, _ORDERS)], ids=["rows", "rows in rows"])
@settings(max_examples=25)
@given(data=st.data())
def test_answering_all_that_is_asked_leaves_nothing_open(
    kind: Kind, schema: FrozenSchema, votes: st.SearchStrategy[list[Any]], data: st.DataObject
) -> None:
    asked = asked_document(schema, data.draw(votes), kind=kind)
    decisions: list[Decision] = []
    # First the rows, then the rows in them and cells, then the cells of those.
    for _ in range(4):
        for item in _open(asked, *decisions).items:
            for place in item.places:
                path = format_path(place.path)
                if item.question is Question.ROW:
                    verdict = data.draw(st.sampled_from([Verdict.PRESENT, Verdict.ABSENT]))
                    decisions.append(decide(asked, path, verdict=verdict))
                else:
                    decisions.append(decide(asked, path, _SAID[str(place.path[-1])]))
    assert _open(asked, *decisions).items == ()
    assert _resolved(asked, *decisions).is_complete
    assert len({decision.id for decision in decisions}) == len(decisions)


@settings(max_examples=40)
@given(answers=_ANSWERS, data=st.data())
def test_the_order_of_ballots_changes_nothing(answers: list[Any], data: st.DataObject) -> None:
    asked = asked_document(SCHEMA, answers)
    leaves = data.draw(st.lists(st.sampled_from(asked.consensus.leaves), max_size=3, unique_by=lambda leaf: leaf.path))
    decisions = [decide(asked, format_path(leaf.path)) for leaf in leaves]
    other = asked_document(SCHEMA, data.draw(st.permutations(answers)))
    assert _resolved(other, *decisions).truth.value == _resolved(asked, *decisions).truth.value
