"""Known questions in the review of a dataset: at what rate, once each, judged, and without a trace in its truth."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from annotation.known_answers import Mark
from annotation.packet import ESCALATE, Card, Packet
from answer_builders import chosen
from builders import goldleaf
from flows.resolve_step import resolve_dataset
from flows.review_known import known_answers
from flows.review_state import Choices, choices_of, kept_packets, load_state, rate_of
from flows.review_status import review_status
from groundtruth import jsontext
from groundtruth.errors import ReviewError
from groundtruth.path import format_path
from groundtruth.rules import Rules
from groundtruth.store import Dataset
from review_builders import LIST_SCHEMA, SPLIT, Answer, Desk, add_synthetic, make_dataset, vote_again

SOME = Choices(known=Decimal("0.5"))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    dataset = make_dataset(tmp_path, {"invoice-1": SPLIT, "invoice-2": SPLIT})
    add_synthetic(dataset, "made-1")
    return Desk(dataset)


def known_of(desk: Desk) -> list[Packet]:
    return [packet for packet in kept_packets(desk.dataset).values() if packet.known is not None]


def rightly(desk: Desk) -> Answer:
    """Somebody who reads what is printed; on what is not known the first answer."""
    expected = {
        key: each.value for packet in known_of(desk) if packet.known for key, each in packet.known.expected.items()
    }

    def said(at: int, card: Card) -> Sequence[dict[str, Any]]:
        if card.key not in expected:
            return [chosen(at, card.answers[0])]
        value = expected[card.key]
        return [chosen(at, "null" if value is None else next(o.alias for o in card.options if o.value == value))]

    return said


def wrongly(desk: Desk) -> Answer:
    """Somebody who gives the first answer that is wrong."""
    right = rightly(desk)

    def said(at: int, card: Card) -> Sequence[dict[str, Any]]:
        (answer,) = right(at, card)
        return [chosen(at, next(alias for alias in card.answers if [alias] != answer["value"]["choices"]))]

    return said


@pytest.mark.parametrize(
    ("text", "rate"), [("2%", "0.02"), ("0.02", "0.02"), ("0", "0"), ("0%", "0"), (" 12.5% ", "0.125"), ("50%", "0.5")]
)
def test_a_rate_is_a_share_or_percents(text: str, rate: str) -> None:
    assert rate_of(text) == Decimal(rate)


@pytest.mark.parametrize("text", ["-1%", "2", "51%", "0.51", "two", "", "%", "nan", "inf", "1e9", "2%%"])
def test_a_rate_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ReviewError, match="known"):
        rate_of(text)


def test_a_bare_number_of_percents_is_told_how_to_be_written() -> None:
    with pytest.raises(ReviewError, match="write 2% for 2 of a hundred"):
        rate_of("2")
    with pytest.raises(ReviewError, match=r"from 0 to 50%$"):
        rate_of("100%")


@pytest.mark.parametrize(("rate", "count"), [("0.25", 2), ("0.001", 1), ("0", 0)])
def test_known_packets_are_a_share_of_the_others_and_at_least_one(desk: Desk, rate: str, count: int) -> None:
    found = desk.push(Choices(known=Decimal(rate)))
    assert (len(found.packets), len(found.known), found.known_missing) == (6, count, 0)
    assert len(desk.tasks) == 6 + count


@pytest.mark.e2e
def test_the_share_counts_over_all_pushes(desk: Desk) -> None:
    desk.push(Choices(known=Decimal("0.25")))
    assert not desk.push(Choices(known=Decimal("0.25"))).mixed
    more = desk.push(SOME)
    assert (len(more.packets), len(more.known)) == (0, 1)
    # A round that holds nothing else would give it away.
    assert [packet.round for packet in more.known] == [1]


def test_without_a_synthetic_document_there_is_an_error_with_the_cure(tmp_path: Path) -> None:
    desk = Desk(make_dataset(tmp_path, {"a": SPLIT}))
    with pytest.raises(ReviewError, match=r"goldleaf synth make .*--known-from.*--known 0"):
        desk.push(SOME)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--known", "2"), "write 2% for 2 of a hundred"),
        (("--known", "-1%"), "from 0 to 50%"),
        (("--known", "2%"), "goldleaf synth make PATTERN"),
        (("--known", "2%", "--known-from", "nowhere"), "nowhere"),
    ],
    ids=["no percent sign", "negative", "no synthetic document", "no dataset"],
)
def test_a_command_that_cannot_be_done_ends_with_two(tmp_path: Path, options: tuple[str, ...], says: str) -> None:
    dataset = make_dataset(tmp_path, {"a": SPLIT})
    ended = goldleaf("review", "push", dataset.root, *options, "--dry-run")
    assert (ended.code, ended.out) == (2, "")
    assert says in ended.err.replace("\n", " ")
    assert not kept_packets(dataset)


@pytest.mark.e2e
def test_when_everything_known_was_asked_it_is_said(tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path, {f"invoice-{at}": SPLIT for at in range(4)})
    add_synthetic(dataset, "made-1", rows=1)
    found = Desk(dataset).push(SOME)
    keys = [card.key for packet in found.known for card in packet.cards]
    assert len(keys) == len(set(keys))
    assert len(found.known) + found.known_missing == 6
    assert found.known_missing > 0


@pytest.mark.parametrize("sent", [0, 4])
def test_a_push_that_was_killed_is_completed_with_the_same_known_packets(desk: Desk, sent: int) -> None:
    first = desk.push(SOME, stop_after=sent)
    again = desk.push(SOME)
    assert not again.mixed
    assert {packet.key for packet in known_of(desk)} == {packet.key for packet in first.known}
    assert len(desk.tasks) == len(first.mixed)


@pytest.mark.e2e
def test_a_push_that_was_killed_while_it_kept_packets_draws_the_same_again(desk: Desk) -> None:
    first = desk.push(SOME, stop_after=0)
    for packet in (*first.known[1:], *first.packets):
        (desk.dataset.root / "review" / "packets" / f"{packet.key}.json").unlink()
    again = desk.push(SOME)
    assert [packet.key for packet in again.known] == [packet.key for packet in first.known[1:]]
    assert len(desk.tasks) == len(first.mixed)


@pytest.mark.e2e
def test_another_seed_draws_others(desk: Desk) -> None:
    one = desk.push(SOME, stop_after=0)
    shutil.rmtree(desk.dataset.root / "review" / "packets")
    other = desk.push(Choices(known=Decimal("0.5"), known_seed=7), stop_after=0)
    assert {packet.key for packet in one.known} != {packet.key for packet in other.known}


def test_nobody_sees_what_is_known(desk: Desk) -> None:
    found = desk.push(SOME)
    real = {"invoice-1", "invoice-2"}
    for packet in found.known:
        assert packet.known is not None
        assert packet.known.shown_as.startswith("invoice-")
        assert packet.known.shown_as not in real
        assert packet.document_type == ""
        # A real card of these invoices has its boxes from the words of the page, too.
        assert all(place.words for card in packet.cards for place in card.evidence)
    places = [packet.known is not None for packet in found.mixed]
    assert places != sorted(places)
    assert places != sorted(places, reverse=True)


def test_answers_measure_people_and_leave_no_trace_elsewhere(desk: Desk) -> None:
    desk.push(Choices(known=Decimal("0.5"), double=True))
    desk.answer(rightly(desk), by=1)
    desk.answer(wrongly(desk), by=2)
    cards = sum(len(packet.cards) for packet in known_of(desk))
    summary = desk.pull()
    assert summary.known == 2 * cards
    status = review_status(desk.dataset)
    people = status["known"]["reviewers"]
    assert [(people[name]["right"], people[name]["wrong"]) for name in ("ann@example.org", "bob@example.org")] == [
        (cards, 0),
        (0, cards),
    ]
    assert people["ann@example.org"]["boxes_right"] == people["ann@example.org"]["boxes"] > 0
    assert people["bob@example.org"]["interval"][1] < people["ann@example.org"]["accuracy"] == 1
    mistake = people["bob@example.org"]["mistakes"][0]
    assert (mistake["document"], mistake["answered"]) != ("made-1", mistake["expected"])
    assert not desk.dataset.decisions("made-1").entries
    assert "list" not in status["quality"]["fields"]
    before = desk.dataset.truth("made-1")
    resolve_dataset(desk.dataset)
    assert desk.dataset.truth("made-1") == before
    # Two people differ on what is known, and nobody is asked a third time.
    asked = {card.document for packet in desk.push(Choices(double=True)).packets for card in packet.cards}
    assert "made-1" not in asked
    assert desk.pull().known == 0


@pytest.mark.e2e
def test_a_deleted_answer_is_withdrawn_on_record_and_the_task_stays(desk: Desk) -> None:
    desk.push(SOME)
    desk.answer(wrongly(desk), only=lambda packet: packet.known is not None)
    desk.pull()
    for task in desk.tasks.values():
        task["annotations"] = []
    desk.push(SOME)
    desk.pull()
    record = known_answers(desk.dataset)
    assert record
    assert all(answer.withdrawn for answer in record)
    assert review_status(desk.dataset)["known"]["reviewers"] == {}
    again = desk.push(SOME)
    assert not again.mixed
    assert len(desk.tasks) == 9


@pytest.mark.e2e
def test_a_deleted_task_is_sent_again_unless_it_was_answered(desk: Desk) -> None:
    first = desk.push(SOME)
    answered = first.known[0].key
    desk.answer(rightly(desk), only=lambda packet: packet.key == answered)
    desk.pull()
    desk.tasks.clear()
    assert desk.pull().problems
    again = desk.push(SOME)
    sent = {packet.key for packet in again.plan.resend}
    assert {packet.key for packet in first.known[1:]} <= sent
    assert answered not in sent
    # Another one takes its place.
    assert len(again.known) == 1
    assert [answer.mark for answer in known_answers(desk.dataset)] == [Mark.RIGHT] * len(first.known[0].cards)


@pytest.mark.e2e
def test_what_nobody_touched_is_taken_back_when_its_schema_changed(desk: Desk) -> None:
    first = desk.push(SOME)
    touched = first.known[0]
    desk.answer(rightly(desk), only=lambda packet: packet.key == touched.key)
    changed = jsontext.loads(jsontext.dumps(LIST_SCHEMA))
    changed["properties"]["number"]["description"] = "Changed."
    for name in ("sku", "amount"):
        changed["properties"]["rows"]["items"]["properties"][name]["description"] = "Changed."
    rules = Rules.from_json({"identity": {"rows": ["sku"]}, "fields": {}})
    desk.dataset.put_draft("list", changed, rules, replace=True)
    again = desk.push(SOME)
    assert set(again.plan.retire) == {packet.key for packet in first.known[1:]}
    assert len(again.known) == len(first.known) - 1
    desk.pull()
    assert {answer.mark for answer in known_answers(desk.dataset)} == {Mark.STALE}
    (person,) = review_status(desk.dataset)["known"]["reviewers"].values()
    assert (person["stale"], person["accuracy"]) == (len(touched.cards), None)


@pytest.mark.e2e
def test_what_nobody_touched_is_taken_back_when_its_document_is_gone(desk: Desk, tmp_path: Path) -> None:
    other = Dataset.create(tmp_path / "other")
    for name in ("made-8", "made-9"):
        add_synthetic(other, name)
    choices = choices_of(desk.dataset, known="50%", known_from=other.root)
    desk.push(choices)
    gone = {packet.key for packet in known_of(desk) if packet.document == "made-8"}
    assert gone
    other.remove_document("made-8")
    again = desk.push(choices)
    assert set(again.plan.retire) == gone
    assert [packet.document for packet in again.known] == ["made-9"] * len(gone)


@pytest.mark.e2e
def test_they_may_come_from_another_dataset_that_may_be_lost(desk: Desk, tmp_path: Path) -> None:
    other = Dataset.create(tmp_path / "other")
    add_synthetic(other, "made-9", schema="elsewhere")
    choices = choices_of(desk.dataset, known="50%", known_from=other.root)
    found = desk.push(choices)
    assert {packet.document for packet in found.known} == {"made-9"}
    assert load_state(desk.dataset).choices == choices
    desk.answer(rightly(desk), only=lambda packet: packet.key != found.known[0].key)
    shutil.rmtree(other.root)
    assert not desk.pull().problems
    (person,) = review_status(desk.dataset)["known"]["reviewers"].values()
    assert (person["wrong"], person["right"] > 0) == (0, True)
    again = desk.push(Choices())
    assert again.plan.retire == [found.known[0].key]


def test_real_readings_are_taken_and_never_asked_as_open_questions(desk: Desk) -> None:
    truth = desk.dataset.truth("made-1")
    assert truth is not None
    readings = [jsontext.loads(jsontext.dumps(truth.value)) for _ in range(4)]
    # Without the first row the others have other numbers in the vote than in the truth.
    for reading in readings:
        del reading["rows"][0]
    for reading in readings[:2]:
        reading["rows"][4]["amount"] = 77
    vote_again(desk.dataset, "made-1", readings)
    found = desk.push(SOME)
    assert {packet.document for packet in found.packets} == {"invoice-1", "invoice-2"}
    card = next(card for packet in found.known for card in packet.cards if format_path(card.path) == "rows[5].amount")
    assert [(option.value, option.systems) for option in card.options] == [(77, ("A", "B")), (1065, ("C", "D"))]


@pytest.mark.e2e
def test_handing_on_counts_neither_way_and_is_not_asked_again(desk: Desk) -> None:
    desk.push(SOME)
    desk.answer(lambda at, _: [chosen(at, ESCALATE)], only=lambda packet: packet.known is not None)
    desk.pull()
    (person,) = review_status(desk.dataset)["known"]["reviewers"].values()
    assert (person["passed_on"], person["accuracy"]) == (person["asked"], None)
    assert not desk.push(SOME).mixed


@pytest.mark.e2e
def test_files_of_before_there_were_known_questions_are_read(desk: Desk) -> None:
    desk.push()
    file = desk.dataset.root / "review" / "state.json"
    state = jsontext.load_file(file)
    for name in ("known", "known_from", "known_seed"):
        del state["choices"][name]
    file.write_text(jsontext.dumps(state), encoding="utf-8")
    for packet in (desk.dataset.root / "review" / "packets").iterdir():
        packet.write_text(jsontext.dumps({**jsontext.load_file(packet), "known": False}), encoding="utf-8")
    assert load_state(desk.dataset).choices == Choices()
    assert not known_of(desk)
    desk.answer(rightly(desk))
    assert desk.pull().decisions > 0


def test_a_damaged_record_is_named_with_the_cure(desk: Desk) -> None:
    (desk.dataset.root / "review").mkdir(exist_ok=True)
    (desk.dataset.root / "review" / "known.json").write_text('[{"packet": 1}]', encoding="utf-8")
    with pytest.raises(ReviewError, match=r"known\.json.*goldleaf review pull"):
        known_answers(desk.dataset)
