"""Which questions a round asks, and how much work they are."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.asked import Asked
from annotation.choose import Review, choose
from annotation.estimate import LEAST_MEASURED, estimate, measured_seconds
from annotation.packets import make_packets
from builders import schema_of
from groundtruth.consensus import Disposition
from groundtruth.decision import Decision, Verdict
from groundtruth.path import format_path
from groundtruth.queue import Question, QueueItem, person_seconds
from packet_builders import asked_document, by_id, queue_of, spot

TEXT = {"type": ["string", "null"]}
SCHEMA = schema_of(
    {
        **dict.fromkeys("abcd", TEXT),
        "items": {"type": "array", "items": {"type": "object", "properties": dict.fromkeys("kxy", TEXT)}},
    },
    identity={"items": ["k"]},
)


def row(k: str, x: str = "x") -> dict[str, str]:
    return {"k": k, "x": x, "y": f"y{k}"}


def document() -> Asked:
    """A split leaf, a provisional one, two accepted ones, rows with the same dissent, and a row that lost."""
    keys = ("r1", "r2", "r3")
    plain = {"b": "q", "c": "z", "items": [row(key) for key in keys]}
    off = {"items": [row(key, "off") for key in keys]}
    answers = [{**plain, "a": "1"}, {**plain, "a": "2"}, {**plain, "a": "3"}, {**plain, **off, "a": "4", "b": "other"}]
    answers.append({**plain, "a": "5", "items": [*plain["items"], row("r9")]})
    return asked_document(SCHEMA, answers, certain={f"items[{at}].x": spot(1) for at in range(3)})


def names(items: list[QueueItem]) -> list[str]:
    return [format_path(place.path) for item in items for place in item.places]


def test_flagged_is_part_of_contested_and_that_of_all() -> None:
    one = document()
    queue = queue_of(one)
    flagged = choose(queue, review="flagged")
    contested = choose(queue)
    everything = choose(queue, review=Review.ALL, documents=by_id(one))
    assert names(flagged) == ["items[3]", "a"]
    assert contested == queue
    assert everything[: len(queue)] == queue
    rest = everything[len(queue) :]
    assert {item.disposition for item in rest} == {Disposition.ACCEPT}
    decided = one._replace(decided={("c",)})
    assert names(choose(queue, review="all", documents=by_id(decided))[len(queue) :]) == names(rest)[1:]
    assert names(rest) == ["c", "d", *(f"items[{at}].{cell}" for at in range(3) for cell in "ky")]


def test_accepted_leaves_come_with_their_answer_chosen() -> None:
    one = document()
    items = choose(queue_of(one), review="all", documents=by_id(one))
    cards = [card for packet in make_packets(items, by_id(one), round_number=1) for card in packet.cards]
    chosen = {format_path(card.path): card.preselected for card in cards}
    assert chosen["c"] == "c0"
    assert chosen["d"] == "null"
    assert chosen["a"] is None


def test_a_budget_is_never_passed_and_cuts_only_bulk_questions() -> None:
    queue = queue_of(document())
    total = sum(item.leaves for item in queue)
    for budget in range(total + 2):
        chosen = choose(queue, budget=budget)
        assert sum(item.leaves for item in chosen) <= budget
        assert set(names(chosen)) <= set(names(queue))
    assert choose(queue, budget=total) == queue
    bulk = [item for item in queue if item.question is Question.BULK]
    assert names(choose(bulk, budget=2)) == names(bulk)[:2]


@pytest.mark.parametrize(
    "options", [pytest.param({"review": "some"}, id="unknown"), pytest.param({"budget": -1}, id="negative budget")]
)
def test_what_cannot_be_chosen_is_refused(options: Any) -> None:
    with pytest.raises(ValueError, match=r"some|budget"):
        choose([], **options)


def test_an_estimate_counts_what_a_person_looks_at_now() -> None:
    one = document()
    items = queue_of(one)
    packets = make_packets(items, by_id(one), round_number=1)
    work = estimate(packets)
    assert (work.leaves, work.packets) == (6, len(packets))
    later = sum(len(item.follow_up) for item in items)
    assert work.minutes * 60 == person_seconds(items) - 8 * later
    assert work.to_json()["person_minutes"] == round(work.minutes, 1)
    assert estimate(packets, {Question.LEAF: 60.0}).minutes - work.minutes == pytest.approx(2 * 52 / 60)


def test_measured_seconds_are_medians_of_enough_answers() -> None:
    one = document()
    packets = {packet.key: packet for packet in make_packets(queue_of(one), by_id(one), round_number=1)}
    (bulk,) = [packet for packet in packets.values() if packet.cards[0].members]
    split = next(packet for packet in packets.values() if packet.cards[0].path == ("a",))

    def answered(packet: str, key: str, number: int, seconds: float | None) -> Decision:
        return Decision(
            id=f"{key}{number}",
            key=key,
            document="doc",
            path=("a",),
            field=("a",),
            fingerprint="",
            schema="test",
            schema_version="draft",
            verdict=Verdict.NULL,
            reviewer="ann",
            decided_at="2026-01-01T00:00:00Z",
            seconds=seconds,
            packet=packet,
            annotation=number,
        )

    many = [answered(split.key, split.cards[0].key, at, float(at)) for at in range(LEAST_MEASURED + 1)]
    together = [
        answered(bulk.key, member.key, at, 2.0) for at in range(LEAST_MEASURED) for member in bulk.cards[0].members
    ]
    unknown = [answered("other", "other", 1, 9.0), answered(split.key, split.cards[0].key, 99, None)]
    assert measured_seconds([*many, *together, *unknown], packets) == {Question.LEAF: 10.0, Question.BULK: 2.0}
    assert measured_seconds(many[: LEAST_MEASURED - 1] + together[:LEAST_MEASURED], packets) == {}
