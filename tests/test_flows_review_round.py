"""What a push asks, round by round: nothing twice, nothing lost, and why something is asked again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation.packet import ABSENT, EDIT, ELSEWHERE, ESCALATE, NULL, PRESENT, Packet
from flows.review_state import Choices, load_state
from groundtruth.decision import Verdict
from groundtruth.path import format_path
from groundtruth.store import Dataset
from review_builders import PANEL, SCHEMA, SPLIT, Desk, asked, make_dataset, read, saying, vote_again

AGREED = [read()] * 4
ROW = "items[2]"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(make_dataset(tmp_path, {"a": SPLIT}))


def decisions(dataset: Dataset, document: str = "a") -> dict[str, tuple[Verdict, Any]]:
    return {format_path(each.path): (each.verdict, each.value) for each in dataset.decisions(document).live()}


def card_of(found: Any, path: str) -> Any:
    return next(card for packet in found.packets for card in packet.cards if format_path(card.path) == path)


def test_a_first_round_asks_rows_before_their_cells(desk: Desk) -> None:
    first = desk.push()
    assert set(asked(first)) == {"a number", "a total", f"a {ROW}"}
    desk.answer(saying({ROW: PRESENT}))
    desk.pull()
    assert decisions(desk.dataset)[ROW] == (Verdict.PRESENT, None)
    again = desk.push()
    assert not [name for name in asked(again) if name in asked(first)]


def test_the_same_push_again_asks_nothing(desk: Desk) -> None:
    desk.push()
    again = desk.push()
    assert not again.packets
    assert not again.plan.resend
    assert again.plan.leaves_out == len(again.plan.waiting) > 0


@pytest.mark.parametrize("sent", [0, 1, 2])
def test_a_push_that_was_killed_is_completed_by_the_same_command(desk: Desk, sent: int) -> None:
    first = desk.push(stop_after=sent)
    assert len(desk.tasks) == sent
    again = desk.push()
    assert not again.packets
    assert again.number == first.number
    assert sorted(desk.packets) == sorted(packet.key for packet in first.packets)
    assert len(desk.tasks) == len(first.packets)


def test_a_push_that_was_killed_before_all_packets_were_kept_makes_the_rest(desk: Desk) -> None:
    first = desk.push(stop_after=0)
    lost = first.packets[-1]
    (desk.dataset.root / "review" / "packets" / f"{lost.key}.json").unlink()
    again = desk.push()
    assert [packet.key for packet in again.packets] == [lost.key]
    assert len(desk.tasks) == len(first.packets)


def test_answers_become_decisions_of_the_exact_type(desk: Desk) -> None:
    found = desk.push()
    total = next(option for option in card_of(found, "total").options if option.value == 6990)
    desk.answer(saying({"number": (EDIT, "INV-204418"), "total": total.alias, ROW: ABSENT}))
    summary = desk.pull()
    assert summary.decisions == 3
    assert decisions(desk.dataset) == {
        "number": (Verdict.EDIT, "INV-204418"),
        "total": (Verdict.ACCEPT, total.value),
        ROW: (Verdict.ABSENT, None),
    }
    assert not desk.push().packets


def test_the_same_pull_again_adds_nothing_and_keeps_no_second_raw_copy(desk: Desk) -> None:
    desk.push()
    desk.answer(saying({}))
    assert desk.pull().raw is not None
    again = desk.pull()
    assert (again.decisions, again.withdrawn, again.raw) == (0, 0, None)
    assert len(desk.dataset.review.pull_names()) == 1


@pytest.mark.parametrize("is_pulled_between", [True, False])
@pytest.mark.parametrize("second", [NULL, ESCALATE])
def test_a_deleted_task_takes_no_decision_with_it(desk: Desk, second: str, is_pulled_between: bool) -> None:
    desk.push()
    desk.answer(saying({}), by=1)
    desk.answer(saying({"number": second, "total": second, ROW: second if second == ESCALATE else ABSENT}), by=2)
    desk.pull()
    before = [each.id for each in desk.dataset.decisions("a").live()]
    desk.tasks.clear()
    if is_pulled_between:
        assert desk.pull().problems
    for _ in range(2):
        desk.push()
        assert desk.pull().withdrawn == 0
    assert [each.id for each in desk.dataset.decisions("a").live()] == before


def test_a_lost_state_begins_no_round_anew(desk: Desk) -> None:
    # A packet of an earlier round than one that asked the same would be taken back by the next push, again and again.
    for _ in range(2):
        desk.push()
        desk.answer(saying({"total": (EDIT, "no number")}))
        desk.pull()
    newest = load_state(desk.dataset).round
    (desk.dataset.root / "review" / "state.json").unlink()
    desk.pull()
    again = desk.push()
    assert again.number == newest + 1
    assert "a total" in asked(again)
    settled = desk.push()
    assert not settled.packets
    assert not settled.plan.retire


def test_not_on_this_page_moves_on_and_at_last_to_the_whole_document(desk: Desk) -> None:
    desk.push()
    pages = []
    for _ in range(4):
        desk.answer(saying({"number": ELSEWHERE}))
        desk.pull()
        found = desk.push()
        if not found.packets:
            break
        pages.append(next(packet.pages for packet in found.packets if asked_in(packet, "number")))
    assert pages[-1] == (1, 2)
    assert ELSEWHERE not in card_of_packets(desk, "number").answers


def asked_in(packet: Packet, path: str) -> bool:
    return any(format_path(card.path) == path for card in packet.cards)


def card_of_packets(desk: Desk, path: str) -> Any:
    last = max((packet for packet in desk.packets.values() if asked_in(packet, path)), key=lambda each: each.round)
    return next(card for card in last.cards if format_path(card.path) == path)


def test_an_edit_that_cannot_be_read_comes_back_with_what_was_typed(desk: Desk) -> None:
    desk.push()
    desk.answer(saying({"total": (EDIT, "sixty-nine")}))
    assert desk.pull().returned == {"unparsable": 1}
    found = desk.push()
    card = card_of(found, "total")
    assert card.prefill == "sixty-nine"
    assert "could not be read" in card.notice
    assert [name for name in asked(found) if name == "a total"] == ["a total"]


def test_what_is_handed_on_is_asked_once_more_and_then_waits_for_a_maintainer(desk: Desk) -> None:
    desk.push()
    desk.answer(saying({"number": ESCALATE}))
    desk.pull()
    found = desk.push()
    assert "handed it on" in card_of(found, "number").notice
    assert next(packet for packet in found.packets if asked_in(packet, "number")).rereview
    desk.answer(saying({"number": ESCALATE}))
    desk.pull()
    assert not [name for name in asked(desk.push()) if name == "a number"]


def test_two_people_who_differ_are_settled_by_a_third_answer(desk: Desk) -> None:
    desk.push()
    desk.answer(saying({"number": (EDIT, "X1")}), by=1)
    desk.answer(saying({"number": (EDIT, "X2")}), by=2)
    summary = desk.pull()
    assert summary.conflicts == 1
    found = desk.push()
    card = card_of(found, "number")
    assert {option.value for option in card.options} == {"X1", "X2"}
    assert not desk.push().packets
    desk.answer(saying({"number": "c1"}), by=2, only=lambda packet: packet.rereview)
    assert desk.pull().conflicts == 0
    assert decisions(desk.dataset)["number"] == (Verdict.ACCEPT, card.options[1].value)
    assert not [name for name in asked(desk.push()) if name == "a number"]


def test_a_changed_vote_takes_back_what_nobody_touched_and_asks_anew(desk: Desk) -> None:
    first = desk.push()
    changed = [dict(each, number="INV-9") if at == 2 else each for at, each in enumerate(SPLIT)]
    vote_again(desk.dataset, "a", changed)
    again = desk.push()
    assert "a number" in asked(again)
    kept = {task["data"]["packet_key"] for task in desk.tasks.values()}
    old = {packet.key for packet in first.packets if asked_in(packet, "number")}
    assert not kept & old
    assert len(kept) == len(desk.tasks)


def test_a_changed_vote_leaves_a_draft_where_it_is(desk: Desk) -> None:
    first = desk.push()
    for task in desk.tasks.values():
        task["drafts"] = [{"id": 1, "result": []}]
    vote_again(desk.dataset, "a", [dict(each, number="INV-9") if at == 2 else each for at, each in enumerate(SPLIT)])
    again = desk.push()
    assert not again.plan.delete
    assert "a number" not in asked(again)
    assert {task["data"]["packet_key"] for task in desk.tasks.values()} >= {packet.key for packet in first.packets}


def test_a_decision_outlives_a_new_vote(desk: Desk) -> None:
    desk.push()
    desk.answer(saying({"number": (EDIT, "INV-204418"), ROW: ABSENT}))
    desk.pull()
    before = decisions(desk.dataset)
    vote_again(desk.dataset, "a", [dict(each, number="INV-9") if at == 2 else each for at, each in enumerate(SPLIT)])
    assert decisions(desk.dataset) == before
    assert not [name for name in asked(desk.push()) if name in ("a number", f"a {ROW}")]


def test_a_second_copy_that_nobody_touched_is_removed(desk: Desk) -> None:
    found = desk.push()
    copy = desk.send(found.packets[0])
    assert desk.push().plan.delete == [copy]
    assert len(desk.tasks) == len(found.packets)


def test_ids_that_the_server_gives_again_fool_nothing(tmp_path: Path) -> None:
    desk = Desk(make_dataset(tmp_path, {"a": SPLIT, "b": SPLIT}))
    found = desk.push()
    desk.answer(saying({}))
    desk.pull()
    before = decisions(desk.dataset), decisions(desk.dataset, "b")
    # All tasks are deleted, and their ids are given to others in another order.
    packets = [desk.packets[task["data"]["packet_key"]] for task in desk.tasks.values()]
    old = list(desk.tasks.values())
    desk.tasks = {
        number: {**old[-at], "id": number}
        for at, (number, packet) in enumerate(zip(desk.tasks, packets, strict=True), 1)
    }
    summary = desk.pull()
    assert (summary.decisions, summary.withdrawn, summary.problems) == (0, 0, [])
    assert (decisions(desk.dataset), decisions(desk.dataset, "b")) == before
    assert found.packets


def test_a_deleted_task_is_reported_and_sent_again_as_it_was(desk: Desk) -> None:
    found = desk.push()
    number, task = next(iter(desk.tasks.items()))
    del desk.tasks[number]
    (problem,) = desk.pull().problems
    assert task["data"]["packet_key"] in problem
    again = desk.push()
    assert [packet.key for packet in again.plan.resend] == [task["data"]["packet_key"]]
    assert not again.packets
    assert desk.pull().problems == []
    assert len(desk.tasks) == len(found.packets)


def test_a_deleted_task_that_was_answered_keeps_its_decisions(desk: Desk) -> None:
    desk.push()
    desk.answer(saying({}))
    desk.pull()
    before = decisions(desk.dataset)
    desk.tasks.clear()
    assert desk.pull().problems
    assert decisions(desk.dataset) == before
    again = desk.push()
    assert not again.plan.resend
    assert desk.pull().problems == []


def test_a_deleted_answer_is_withdrawn_and_asked_by_the_task_that_is_still_there(desk: Desk) -> None:
    desk.push()
    desk.answer(saying({}))
    desk.pull()
    for task in desk.tasks.values():
        task["annotations"] = []
    summary = desk.pull()
    assert summary.withdrawn > 0
    assert not desk.dataset.decisions("a").live()
    again = desk.push()
    assert not again.packets
    assert again.plan.leaves_out > 0


def test_a_push_before_the_pull_leaves_a_task_whose_answer_was_deleted(desk: Desk) -> None:
    desk.push()
    desk.answer(saying({ROW: ABSENT}))
    desk.pull()
    for task in desk.tasks.values():
        task["annotations"] = []
    tasks = len(desk.tasks)
    assert not desk.push().packets
    assert len(desk.tasks) == tasks
    assert desk.pull().withdrawn > 0


def test_a_skip_is_no_answer_and_stays_out(desk: Desk) -> None:
    desk.push()
    desk.answer(saying({}))
    for task in desk.tasks.values():
        for each in task["annotations"]:
            each["was_cancelled"] = True
    summary = desk.pull()
    assert summary.decisions == 0
    assert set(summary.states) == {"skipped"}
    assert not desk.push().packets


def test_a_task_of_somebody_else_is_named_and_left_alone(desk: Desk) -> None:
    desk.push()
    desk.tasks[99] = {"id": 99, "data": {"text": "theirs"}, "annotations": [], "drafts": []}
    (problem,) = desk.pull().problems
    assert "99" in problem
    desk.push()
    assert 99 in desk.tasks


def test_a_budget_is_how_many_leaves_wait_at_most(tmp_path: Path) -> None:
    desk = Desk(make_dataset(tmp_path, {"a": SPLIT, "b": SPLIT, "c": SPLIT}))
    first = desk.push(Choices(budget=4))
    # The cells of a row that is confirmed count beforehand.
    assert first.work.leaves + first.cells == 4
    assert first.left > 0
    assert not desk.push(Choices(budget=4)).packets
    desk.answer(saying({}))
    desk.pull()
    again = desk.push(Choices(budget=4))
    assert 0 < again.work.leaves + again.cells <= 4


def test_asking_all_shows_accepted_leaves_with_the_answer_chosen(desk: Desk) -> None:
    found = desk.push(Choices(review="all"))
    card = card_of(found, "issued")
    assert card.option(card.preselected).value == "2025-03-31"


def test_a_new_schema_version_reopens_exactly_what_it_changed(tmp_path: Path) -> None:
    desk = Desk(make_dataset(tmp_path, {"a": SPLIT}))
    dataset = desk.dataset
    dataset.freeze("invoice", "1")
    vote_again(dataset, "a", SPLIT)
    desk.push()
    desk.answer(saying({ROW: ABSENT}))
    desk.pull()
    before = decisions(dataset)
    changed = {**SCHEMA, "properties": {**SCHEMA["properties"]}}
    changed["properties"]["total"] = {**SCHEMA["properties"]["total"], "description": "The sum without tax."}
    dataset.put_draft("invoice", changed, dataset.schema("invoice").rules, replace=True)
    dataset.freeze("invoice", "2")
    vote_again(dataset, "a", SPLIT)
    found = desk.push()
    assert asked(found) == ["a total"]
    card = card_of(found, "total")
    assert "description" in card.notice
    desk.answer(saying({"total": NULL}))
    desk.pull()
    assert decisions(dataset) == {**before, "total": (Verdict.NULL, None)}
    assert not desk.push().packets


def test_a_push_and_a_pull_leave_the_state_of_every_card(desk: Desk) -> None:
    desk.push()
    desk.answer(saying({}))
    desk.pull()
    states = load_state(desk.dataset).cards
    assert {str(state) for cards in states.values() for state in cards.values()} == {"answered"}
    assert len(PANEL) == 5
