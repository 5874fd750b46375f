"""What a pull adds to the log of decisions."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

import pytest

from annotation.decode import decode
from annotation.known import Known
from annotation.merge import EDITED_ON_SERVER, Merge, merge
from annotation.packet import Packet
from annotation.reading import State
from answer_builders import SCHEMA, USERS, annotation, box, bulk_card, card_of, chosen, packet_of, task_of
from groundtruth.box import Box
from groundtruth.decision import DELETED_ON_SERVER, DecisionLog, Withdrawal

ONE: Final = packet_of(card_of())
KEY: Final = ONE.cards[0].key
TWO: Final = packet_of(card_of(), card_of("total", [Decimal(1), Decimal(2)]))
EARLIER, LATER, LAST = "2026-03-01T10:00:00Z", "2026-03-01T10:00:00.500000Z", "2026-03-02T10:00:00.000001Z"


def pull(
    log: DecisionLog, *tasks: Mapping[str, Any], packets: tuple[Packet, ...] = (ONE,), missing: bool = False
) -> Merge:
    by_key = {packet.key: packet for packet in packets}
    readings = [decode(by_key[task["data"]["packet_key"]], task, SCHEMA, USERS) for task in tasks]
    return merge(log, readings, schemas={"test": SCHEMA}, at="2026-03-03T00:00:00Z", pushed=packets if missing else ())


def after(log: DecisionLog, *tasks: Mapping[str, Any], packets: tuple[Packet, ...] = (ONE,)) -> DecisionLog:
    return DecisionLog.from_records(log.extended(pull(log, *tasks, packets=packets).entries).to_records())


def values(log: DecisionLog) -> list[Any]:
    return [decision.value for decision in log.live()]


def test_an_answer_is_added_once() -> None:
    task = task_of(ONE, annotation([chosen(0, "c0")]))
    first = pull(DecisionLog(), task)
    assert [type(entry).__name__ for entry in first.entries] == ["Decision"]
    assert list(first.by_document) == ["doc"]
    log = after(DecisionLog(), task)
    again = pull(log, task)
    assert (again.entries, again.states) == ((), {ONE.key: {KEY: State.ANSWERED}})


def test_an_edit_on_the_server_supersedes_the_answer() -> None:
    before = task_of(ONE, annotation([chosen(0, "c0")], at=EARLIER))
    log = after(DecisionLog(), before)
    edited = task_of(ONE, annotation([chosen(0, "c1")], at=LATER))
    found = pull(log, edited)
    assert found.states[ONE.key][KEY] is State.EDITED_AFTER_MERGE
    assert found.adjudications == ()
    log = after(log, edited)
    assert values(log) == ["INV-Z"]
    assert pull(log, edited).entries == ()
    assert pull(log, before).entries == (), "an older pull adds nothing"


def test_an_edit_by_somebody_else_settles_the_answer_that_it_replaced() -> None:
    log = after(DecisionLog(), task_of(ONE, annotation([chosen(0, "c0")], at=EARLIER)))
    edited = task_of(ONE, annotation([chosen(0, "c1")], at=LATER, updated_by=2))
    assert pull(log, edited).adjudications == ()
    log = after(log, edited)
    assert [(each.value, each.reviewer) for each in log.live()] == [("INV-Z", "bob@example.org")]


def test_an_edit_of_one_card_leaves_the_others_alone() -> None:
    log = after(DecisionLog(), task_of(TWO, annotation([chosen(0, "c0"), chosen(1, "c0")], at=EARLIER)), packets=(TWO,))
    edited = task_of(TWO, annotation([chosen(0, "c0"), chosen(1, "c1")], at=LATER))
    found = pull(log, edited, packets=(TWO,))
    assert [entry.to_json()["path"] for entry in found.entries] == ["total"]
    assert list(found.states[TWO.key].values()) == [State.ANSWERED, State.EDITED_AFTER_MERGE]


def test_an_edit_back_and_forth_ends_with_the_last() -> None:
    log = DecisionLog()
    for alias, time in (("c0", EARLIER), ("c1", LATER), ("c0", LAST)):
        log = after(log, task_of(ONE, annotation([chosen(0, alias)], at=time)))
    assert (len(log.decisions), values(log)) == (3, ["INV-2"])


def test_an_edit_to_no_decision_withdraws_the_answer_until_there_is_one_again() -> None:
    log = after(DecisionLog(), task_of(ONE, annotation([chosen(0, "c0")], at=EARLIER)))
    moved_on = task_of(ONE, annotation([chosen(0, "elsewhere")], at=LATER))
    (entry,) = pull(log, moved_on).entries
    assert isinstance(entry, Withdrawal)
    assert entry.why == EDITED_ON_SERVER
    log = after(log, moved_on)
    assert (values(log), pull(log, moved_on).entries) == ([], ())
    assert values(after(log, task_of(ONE, annotation([chosen(0, "c0")], at=LAST)))) == ["INV-2"]


@pytest.mark.parametrize(
    "annotations", [[], [annotation([chosen(0, "c0")], at=LATER, was_cancelled=True)]], ids=["deleted", "skipped since"]
)
def test_a_deleted_answer_is_withdrawn_on_record(annotations: list[Any]) -> None:
    log = after(DecisionLog(), task_of(ONE, annotation([chosen(0, "c0")], at=EARLIER)))
    gone = task_of(ONE, *annotations)
    found = pull(log, gone)
    assert found.states[ONE.key][KEY] is State.DELETED_AFTER_MERGE
    (entry,) = found.entries
    assert isinstance(entry, Withdrawal)
    assert (entry.why, found.by_document) == (DELETED_ON_SERVER, {"doc": (entry,)})
    log = after(log, gone)
    assert (values(log), len(log.decisions), pull(log, gone).entries) == ([], 1, ())


def test_a_missing_task_is_reported_and_its_decisions_stay() -> None:
    log = after(DecisionLog(), task_of(ONE, annotation([chosen(0, "c0")])))
    found = pull(log, missing=True)
    assert (found.entries, found.states) == ((), {ONE.key: {KEY: State.TASK_MISSING}})


def test_one_packet_twice_on_the_server_counts_both() -> None:
    tasks = [task_of(ONE, annotation([chosen(0, "c0")]), id=34), task_of(ONE, id=35)]
    for pair in (tasks, tasks[::-1]):
        log = after(DecisionLog(), *pair)
        assert values(log) == ["INV-2"]
        assert pull(log, *pair).entries == ()
        assert pull(log, *pair).states[ONE.key][KEY] is State.ANSWERED


def test_a_task_id_that_is_used_again_fools_nothing() -> None:
    other = packet_of(card_of("total", [Decimal(1)]))
    log = after(DecisionLog(), task_of(ONE, annotation([chosen(0, "c0")]), id=34))
    again = task_of(other, annotation([chosen(0, "c0")], identifier=72), id=34)
    found = pull(log, again, packets=(ONE, other), missing=True)
    assert [entry.to_json()["path"] for entry in found.entries] == ["total"]
    assert found.states[ONE.key][KEY] is State.TASK_MISSING
    assert values(log.extended(found.entries)) == ["INV-2", Decimal(1)]


def test_people_who_agree_both_stand() -> None:
    moved = box(0, Box(0.5, 0.5, 0.6, 0.6))
    task = task_of(
        ONE, annotation([chosen(0, "c0")]), annotation([chosen(0, "c0"), moved], identifier=72, by=2, at=LAST)
    )
    found = pull(DecisionLog(), task)
    assert (len(found.entries), found.adjudications) == (2, ())
    assert found.states[ONE.key][KEY] is State.ANSWERED


def test_people_who_differ_are_adjudicated_and_the_answer_settles_it() -> None:
    task = task_of(ONE, annotation([chosen(0, "c0")]), annotation([chosen(0, "c1")], identifier=72, by=2))
    found = pull(DecisionLog(), task)
    (dispute,) = found.adjudications
    assert [each.reviewer for each in dispute.decisions] == ["ann@example.org", "bob@example.org"]
    assert found.states[ONE.key][KEY] is State.CONFLICTING
    asked = packet_of(card_of(settles=dispute.settles), round_number=2)
    answer = task_of(asked, annotation([chosen(0, "c1")], identifier=80, by=3, at=LAST))
    log = after(DecisionLog(), task)
    settled = pull(log, task, answer, packets=(ONE, asked))
    assert settled.adjudications == ()
    assert set(settled.states[ONE.key].values()) == {State.ANSWERED}
    assert values(log.extended(settled.entries)) == ["INV-Z"]


def test_people_who_differ_in_two_packets_are_adjudicated_too() -> None:
    second = packet_of(card_of(), round_number=2)
    tasks = [
        task_of(ONE, annotation([chosen(0, "c0")])),
        task_of(second, annotation([chosen(0, "null")], identifier=72, by=2, at=LAST)),
    ]
    found = pull(DecisionLog(), *tasks, packets=(ONE, second))
    assert len(found.adjudications) == 1
    assert {state for cards in found.states.values() for state in cards.values()} == {State.CONFLICTING}


def test_an_escalation_contradicts_nobody() -> None:
    task = task_of(ONE, annotation([chosen(0, "escalate")]), annotation([chosen(0, "c1")], identifier=72, by=2))
    assert pull(DecisionLog(), task).adjudications == ()


def test_answers_to_packets_whose_truth_is_known_decide_nothing() -> None:
    known = Known(slot=0, shown_as="a", expected={}, schema={}, rules={})
    packet = packet_of(card_of(), known=known)
    answers = [annotation([chosen(0, "c1")]), annotation([chosen(0, "c0")], identifier=72, by=2)]
    found = pull(DecisionLog(), task_of(packet, *answers), packets=(packet,))
    assert (found.entries, found.adjudications) == ((), ())


def test_bulk_answers_are_merged_leaf_by_leaf() -> None:
    packet = packet_of(bulk_card())
    log = after(DecisionLog(), task_of(packet, annotation([chosen(0, "all")])), packets=(packet,))
    assert values(log) == [Decimal("1.50"), None]
    gone = pull(log, task_of(packet), packets=(packet,))
    assert (len(gone.entries), gone.states[packet.key]["bulk"]) == (2, State.DELETED_AFTER_MERGE)


def test_what_a_person_withdrew_is_not_revived_by_an_edit_of_another_card() -> None:
    log = after(DecisionLog(), task_of(TWO, annotation([chosen(0, "c0"), chosen(1, "c0")], at=EARLIER)), packets=(TWO,))
    log = log.extended([Withdrawal(log.decisions[0].id, "ann@example.org", LATER, "a typo")])
    edited = task_of(TWO, annotation([chosen(0, "c0"), chosen(1, "c1")], at=LAST))
    assert values(after(log, edited, packets=(TWO,))) == [Decimal(2)]
