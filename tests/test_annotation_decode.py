"""From the server's answer to decisions: every state that it can be in."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.decode import decode
from annotation.packet import Packet
from annotation.reading import ReturnKind, State, TaskReading
from answer_builders import (
    HERE,
    SCHEMA,
    USERS,
    annotation,
    box,
    bulk_card,
    card_of,
    chosen,
    packet_of,
    row_card,
    sent_boxes,
    task_of,
    typed,
)
from builders import schema_of
from groundtruth.decision import Cause, Decision, Verdict
from groundtruth.errors import ReviewError

ONE = packet_of(card_of())


def read(packet: Packet, *annotations: Any, **changes: Any) -> TaskReading:
    return decode(packet, task_of(packet, *annotations, **changes), SCHEMA, USERS)


def answered(packet: Packet, *regions: Any, **changes: Any) -> TaskReading:
    return read(packet, annotation([*regions, *sent_boxes(packet)], **changes))


def sole(reading: TaskReading) -> Decision:
    (decision,) = reading.decisions
    return decision


def test_an_accepted_candidate_has_its_exact_value_and_our_own_evidence() -> None:
    packet = packet_of(card_of("total", [Decimal("339.60"), Decimal("339.6001")]))
    reading = answered(packet, chosen(0, "c0"))
    decision = sole(reading)
    assert (decision.verdict, str(decision.value)) == (Verdict.ACCEPT, "339.60")
    assert decision.evidence[0] is packet.cards[0].evidence[0]
    assert not decision.boxes_changed
    assert (decision.reviewer, decision.seconds, decision.annotation) == ("ann@example.org", 8.0, 71)
    assert decision.decided_at == "2026-03-01T10:00:00.250000Z"
    assert (decision.packet, decision.votes, decision.round) == (packet.key, "v", 1)
    assert reading.states == {packet.cards[0].key: State.ANSWERED}
    assert reading.annotations == {71: "2026-03-01T10:00:00.250000Z"}


@pytest.mark.parametrize(
    ("alias", "verdict"), [("null", Verdict.NULL), ("escalate", Verdict.ESCALATE)], ids=["null", "escalate"]
)
def test_answers_without_a_value(alias: str, verdict: Verdict) -> None:
    decision = sole(answered(ONE, chosen(0, alias)))
    assert (decision.verdict, decision.value) == (verdict, None)


def test_what_is_absent_stands_nowhere() -> None:
    assert sole(answered(ONE, chosen(0, "null"))).evidence == ()


@pytest.mark.parametrize(
    ("changes", "annotations", "state"),
    [
        ({}, [], State.UNANSWERED),
        ({"drafts": [{"id": 3, "result": [chosen(0, "c0")]}]}, [], State.DRAFT),
        ({}, [annotation([chosen(0, "c0", origin="prediction")], was_cancelled=True)], State.SKIPPED),
    ],
    ids=["nothing", "draft", "skip that holds the copied proposal"],
)
def test_no_answer(changes: dict[str, Any], annotations: list[Any], state: State) -> None:
    reading = read(ONE, *annotations, **changes)
    assert (reading.decisions, reading.returns, set(reading.states.values())) == ((), (), {state})


@pytest.mark.parametrize(
    ("regions", "reason"),
    [
        ([], "submitted without an answer"),
        ([chosen(0, "c9")], "'c9' is none that the card offered"),
        ([chosen(0, "c0", "c1")], "several answers at once: c0, c1"),
        ([typed(0, "INV-9")], "no answer was chosen"),
        ([chosen(0, "c0", control="verdict")], "verdict_0"),
        ([chosen(4, "c0")], "decision_4"),
        ([chosen(0, "edit")], "nothing was typed"),
        ([{"from_name": "decision_0", "value": None}], "submitted without an answer"),
        (["garbage", {"from_name": "decision_0", "value": {"choices": 7}}], "submitted without an answer"),
    ],
    ids=[
        "empty result",
        "unknown alias",
        "two answers",
        "text without an answer",
        "unknown control",
        "unknown card",
        "edit without text",
        "no value",
        "garbage",
    ],
)
def test_an_answer_that_is_none_is_asked_again_with_the_reason(regions: list[Any], reason: str) -> None:
    reading = read(ONE, annotation(regions))
    (again,) = reading.returns
    assert (again.kind, reading.decisions) == (ReturnKind.UNPARSABLE, ())
    assert reason in again.reason
    assert set(reading.states.values()) == {State.UNPARSABLE}


def test_a_result_that_is_no_list_is_asked_again() -> None:
    reading = read(ONE, {**annotation([]), "result": None})
    assert reading.returns[0].kind is ReturnKind.UNPARSABLE
    assert "the result is no list" in reading.notes


def test_not_on_this_page_moves_on_without_a_decision() -> None:
    reading = answered(ONE, chosen(0, "elsewhere"))
    assert reading.decisions == ()
    assert reading.returns[0].kind is ReturnKind.ELSEWHERE
    assert set(reading.states.values()) == {State.MOVED_ON}


def test_each_card_is_answered_on_its_own() -> None:
    packet = packet_of(card_of(), card_of("total", [Decimal(1)], evidence=()), card_of("paid", [True], evidence=()))
    reading = answered(packet, chosen(2, "c0"), chosen(1, "edit"), typed(1, "about ten"), chosen(0, "c1"))
    assert [decision.value for decision in reading.decisions] == ["INV-Z", True]
    assert [again.text for again in reading.returns] == ["about ten"]
    assert list(reading.states.values()) == [State.ANSWERED, State.UNPARSABLE, State.ANSWERED]
    assert reading.decisions[0].seconds == pytest.approx(8 / 3, abs=1e-3)


def test_two_right_readings_and_causes() -> None:
    reading = answered(
        ONE,
        chosen(0, "c0"),
        chosen(0, "printed wrong", "more than one is right", "unsure", control="flag"),
        chosen(0, "c1", "c0", control="also"),
    )
    decision = sole(reading)
    assert decision.alternates == ("INV-Z",)
    assert decision.causes == (Cause.PRINTED_WRONG, Cause.UNSURE)
    assert reading.notes == ()


def test_what_goes_with_no_answer_is_noted() -> None:
    reading = answered(
        ONE,
        chosen(0, "c0"),
        typed(0, "INV-7"),
        chosen(0, "bored", "more than one is right", control="flag"),
        chosen(0, "c7", control="also"),
    )
    assert sole(reading).value == "INV-2"
    assert sum(word in note for note in reading.notes for word in ("INV-7", "bored", "c7", "no further one")) == 4


@pytest.mark.parametrize(
    ("origin", "alias", "moved", "untouched"),
    [
        ("prediction", "c0", False, True),
        ("manual", "c0", False, False),
        ("prediction", "c1", False, False),
        ("prediction", "c0", True, False),
    ],
    ids=["let pass", "pressed", "another", "box moved"],
)
def test_a_preselected_answer_that_was_let_pass_says_so(origin: str, alias: str, moved: bool, untouched: bool) -> None:
    packet = packet_of(card_of(preselected="c0"))
    boxes = [] if moved else sent_boxes(packet)
    reading = read(packet, annotation([chosen(0, alias, origin=origin), *boxes]))
    assert sole(reading).untouched is untouched


def test_rows() -> None:
    packet = packet_of(row_card())
    for alias, verdict in (("present", Verdict.PRESENT), ("absent", Verdict.ABSENT), ("escalate", Verdict.ESCALATE)):
        decision = sole(answered(packet, chosen(0, alias)))
        assert (decision.verdict, decision.is_row, decision.rows) == (verdict, True, packet.cards[0].rows)
    assert answered(packet, chosen(0, "null")).decisions == ()


def test_a_bulk_question_decides_each_of_its_leaves() -> None:
    packet = packet_of(bulk_card())
    reading = answered(packet, chosen(0, "all"))
    assert [(each.verdict, each.value) for each in reading.decisions] == [
        (Verdict.ACCEPT, Decimal("1.50")),
        (Verdict.NULL, None),
    ]
    assert [each.key for each in reading.decisions] == [member.key for member in packet.cards[0].members]
    assert len({each.id for each in reading.decisions}) == 2
    assert reading.decisions[0].evidence == (HERE,)
    assert reading.decisions[0].seconds == 4.0


def test_a_bulk_question_can_be_asked_leaf_by_leaf() -> None:
    reading = answered(packet_of(bulk_card()), chosen(0, "each"))
    assert (reading.decisions, reading.returns[0].kind) == ((), ReturnKind.ONE_BY_ONE)


def test_the_last_answer_of_one_person_counts_and_both_are_kept() -> None:
    first = annotation([chosen(0, "c0")], identifier=71, at="2026-03-01T10:00:00Z")
    later = annotation([chosen(0, "c1")], identifier=70, at="2026-03-01T10:00:00.100000Z")
    reading = read(ONE, later, first)
    assert [decision.value for decision in reading.decisions] == ["INV-2", "INV-Z"]
    assert set(reading.states.values()) == {State.ANSWERED}


@pytest.mark.parametrize(
    ("one", "other", "state"),
    [
        ([chosen(0, "c0")], [chosen(0, "c1")], State.CONFLICTING),
        ([chosen(0, "c0")], [chosen(0, "edit"), typed(0, " INV-2 ")], State.ANSWERED),
        ([chosen(0, "null")], [chosen(0, "null")], State.ANSWERED),
        ([chosen(0, "null")], [chosen(0, "c0")], State.CONFLICTING),
        ([chosen(0, "escalate")], [chosen(0, "c0")], State.ANSWERED),
        ([chosen(0, "elsewhere")], [chosen(0, "c0")], State.ANSWERED),
    ],
    ids=["differ", "same value", "both null", "null and value", "escalated", "not on this page"],
)
def test_two_people(one: list[Any], other: list[Any], state: State) -> None:
    reading = read(ONE, annotation(one), annotation(other, identifier=72, by=2))
    assert set(reading.states.values()) == {state}
    assert reading.returns == ()


def test_whoever_changed_an_annotation_gave_the_answer() -> None:
    assert sole(read(ONE, annotation([chosen(0, "c0")], updated_by=2))).reviewer == "bob@example.org"
    assert sole(read(ONE, annotation([chosen(0, "c0")], by=9))).reviewer == "user-9"
    who = {"id": 5, "email": "eve@example.org"}
    assert sole(read(ONE, annotation([chosen(0, "c0")], completed_by=who))).reviewer == "eve@example.org"


def test_a_task_of_another_packet_is_refused() -> None:
    other = packet_of(card_of(), round_number=2)
    with pytest.raises(ReviewError, match=ONE.key):
        decode(ONE, task_of(other, annotation([chosen(0, "c0")])), SCHEMA)


def test_an_answer_under_another_schema_is_kept_and_stale() -> None:
    changed = schema_of({"number": {"type": ["string", "null"], "description": "the invoice number"}})
    reading = decode(ONE, task_of(ONE, annotation([chosen(0, "c0")])), changed)
    assert sole(reading).fingerprint == ONE.cards[0].fingerprint
    assert set(reading.states.values()) == {State.STALE}


@pytest.mark.parametrize("time", [None, "soon", float("nan"), -3, float("inf")], ids=str)
def test_a_time_that_is_none_is_not_known(time: Any) -> None:
    assert sole(read(ONE, annotation([chosen(0, "c0")], lead_time=time))).seconds is None


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["value", "id", "choices"]), inner),
    max_leaves=8,
)


@settings(max_examples=60)
@given(
    result=st.lists(
        st.fixed_dictionaries(
            {"from_name": st.sampled_from(["box", "decision_0", "value_0", "flag_0", "also_0", "x"]) | JSON},
            optional={
                "value": JSON
                | st.fixed_dictionaries(
                    {},
                    optional={
                        "choices": st.lists(st.sampled_from(["c0", "edit", "null", "?"]), max_size=2) | JSON,
                        "text": JSON,
                        "x": JSON,
                        "y": JSON,
                        "width": JSON,
                        "height": JSON,
                        "rotation": JSON,
                        "rectanglelabels": st.just(["1"]) | JSON,
                    },
                ),
                "id": JSON,
                "item_index": JSON,
                "image_rotation": JSON,
                "original_width": JSON,
            },
        )
        | JSON,
        max_size=5,
    )
    | JSON,
    changes=st.fixed_dictionaries({}, optional={"lead_time": JSON, "completed_by": JSON, "updated_at": JSON}),
)
def test_whatever_the_server_says_every_card_has_one_state(result: Any, changes: dict[str, Any]) -> None:
    reading = read(ONE, {**annotation([]), **changes, "result": result})
    state = reading.states[ONE.cards[0].key]
    assert (state is State.ANSWERED) == (len(reading.decisions) == 1)
    assert (state in (State.UNPARSABLE, State.MOVED_ON)) == (len(reading.returns) == 1)


VALUES = st.lists(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=8).filter(lambda text: bool(text.strip())),
    min_size=1,
    max_size=4,
    unique=True,
)


@settings(max_examples=40)
@given(values=VALUES, data=st.data())
def test_what_is_chosen_comes_back_exactly(values: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(values) - 1))
    packet = Packet.from_json(packet_of(card_of(values=values)).to_json())
    decision = sole(answered(packet, chosen(0, f"c{at}")))
    assert decision.value == values[at]
    assert decision.evidence == packet.cards[0].evidence
    assert Decision.from_json(decision.to_json()).to_json() == decision.to_json()


def test_a_box_without_text_is_no_answer_of_another_card() -> None:
    packet = packet_of(card_of(), card_of("total", [Decimal(1)], evidence=()))
    reading = read(packet, annotation([chosen(1, "c0"), box(0, HERE.boxes[0]), typed(0, "")]))
    assert [decision.value for decision in reading.decisions] == [Decimal(1)]
    assert [again.card_key for again in reading.returns] == [packet.cards[0].key]
