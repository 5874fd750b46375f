"""A packet as a task: what the server is given, and that its answer decodes to the very values that were asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from annotation.decode import decode
from annotation.labeling_config import COLOURS, FLAGS, labeling_config
from annotation.packet import EDIT, ELSEWHERE, ESCALATE, MOST_CARDS, NULL, ONE_BY_ONE, Packet
from annotation.pictures import shown_pictures
from annotation.tasks import build_task, picture_names
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
    task_of,
    typed,
)
from groundtruth import jsontext
from groundtruth.box import Box
from groundtruth.decision import Decision, Verdict
from groundtruth.errors import ReviewError
from groundtruth.evidence import Evidence

THERE = Evidence(page=2, boxes=(Box(0.5, 0.5, 0.6, 0.52), Box(0.1, 0.53, 0.3, 0.55)), quote="two lines")


def urls_of(packet: Packet) -> dict[str, str]:
    return {name: f"/data/local-files/?d=p/{name}" for name in picture_names(packet)}


def task(packet: Packet, **options: Any) -> dict[str, Any]:
    return build_task(packet, urls_of(packet), **options)


def aliases(card: Mapping[str, Any]) -> list[str]:
    return [option["alias"] for option in card["options"]]


def answered(packet: Packet, *result: Mapping[str, Any]) -> tuple[Decision, ...]:
    """The decisions when a person adds these regions to the boxes that the task proposes."""
    predictions = task(packet)["predictions"]
    boxes = (
        [region for region in predictions[0]["result"] if region["type"] == "rectanglelabels"] if predictions else []
    )
    copied = json.loads(json.dumps(boxes))
    served = [{**region, "original_width": 1240, "original_height": 1754, "origin": "prediction"} for region in copied]
    return decode(packet, task_of(packet, annotation([*served, *result])), SCHEMA, USERS).decisions


def test_the_data_holds_what_tabs_and_sync_need() -> None:
    packet = packet_of(card_of(), document_type="invoice", round_number=3, rereview=True)
    data = task(packet)["data"]
    assert {name: data[name] for name in ("packet_key", "document", "type", "round", "rereview")} == {
        "packet_key": packet.key,
        "document": "doc",
        "type": "invoice",
        "round": 3,
        "rereview": True,
    }
    assert json.loads(json.dumps(data)) == data


def test_pages_are_shown_in_the_order_of_the_packet() -> None:
    packet = packet_of(card_of(), pages=(3, 1))
    assert task(packet)["data"]["images"] == [f"/data/local-files/?d=p/{name}" for name in shown_pictures(packet)]
    assert len(set(shown_pictures(packet))) == 2


def test_a_bulk_packet_shows_one_sheet_and_no_box() -> None:
    made = task(packet_of(bulk_card(), pages=()))
    assert len(made["data"]["images"]) == 1
    assert made["predictions"] == []
    assert aliases(made["data"]["cards"][0]) == ["all", ONE_BY_ONE]


def test_answers_are_stored_by_alias_and_joined_to_no_other_card() -> None:
    other = card_of("total", (Decimal("1.5"), Decimal(15)))
    cards = task(packet_of(card_of(), other, row_card()))["data"]["cards"]
    assert aliases(cards[0]) == ["c0", "c1", NULL, EDIT, ELSEWHERE, ESCALATE]
    assert aliases(cards[2]) == ["present", "absent", ELSEWHERE, ESCALATE]
    values = [option["value"] for card in cards for option in (*card["options"], *card["also"])]
    assert len(set(values)) == len(values)


def test_one_card_has_keys_of_its_own_and_several_have_none() -> None:
    (card,) = task(packet_of(card_of()))["data"]["cards"]
    assert {option["alias"]: option["hotkey"] for option in card["options"]} == {
        "c0": "1",
        "c1": "2",
        NULL: "0",
        EDIT: "e",
        ELSEWHERE: "n",
        ESCALATE: "x",
    }
    for card in task(packet_of(card_of(), card_of("total", (1, 2))))["data"]["cards"]:
        assert all("hotkey" not in option for option in card["options"])


def test_the_keys_of_one_card_differ_however_many_candidates_it_has() -> None:
    (card,) = task(packet_of(card_of(values=[f"v{at}" for at in range(12)])))["data"]["cards"]
    keys = [option["hotkey"] for option in card["options"] if "hotkey" in option]
    assert len(set(keys)) == len(keys) == 9 + 4


def test_flags_and_further_readings_have_keys_that_nobody_presses() -> None:
    cards = task(packet_of(card_of(), card_of("total", (1, 2)), card_of("kind", ()), row_card()))["data"]["cards"]
    keys = [one["hotkey"] for card in cards for one in (*card["flags"], *card["also"])]
    assert len(set(keys)) == len(keys)
    assert all(len(key) == 1 and ord(key) > 255 for key in keys), "the server looks at the first sign only"


def test_more_than_one_can_be_right_where_there_are_two_candidates() -> None:
    cards = task(packet_of(card_of(), card_of("kind", ("invoice",)), row_card()))["data"]["cards"]
    flags = [tuple(flag["value"] for flag in card["flags"]) for card in cards]
    assert flags == [FLAGS, FLAGS[1:], FLAGS[1:]]
    assert [[one["alias"] for one in card["also"]] for card in cards] == [["c0", "c1"], [], []]


def test_every_card_has_a_box_label_of_its_number() -> None:
    cards = [card_of(path, ("1", "2")) for path in ("number", "issued", "kind")]
    labels = task(packet_of(*cards))["data"]["boxes"]
    assert [label["value"] for label in labels] == ["1", "2", "3"]
    assert len({label["hotkey"] for label in labels}) == 3


def test_the_styles_know_the_colour_of_every_card() -> None:
    assert len(COLOURS) == MOST_CARDS
    config = labeling_config()
    for number, colour in enumerate(COLOURS, 1):
        assert f".gl-n{number} {{ background: {colour} }}" in config


def test_there_is_one_prediction_with_every_box_and_choice() -> None:
    first = card_of(evidence=(HERE, THERE), preselected="c1")
    second = card_of("total", (Decimal(3),), evidence=(), preselected="c0")
    (prediction,) = task(packet_of(first, second, pages=(1, 2)))["predictions"]
    regions = {region["id"]: region for region in prediction["result"]}
    assert [regions[f"{first.key}.{number}"]["item_index"] for number in range(3)] == [0, 1, 1]
    assert regions[f"{first.key}.0"]["value"]["rectanglelabels"] == ["1"]
    chosen_before = {
        region["from_name"]: region["value"] for region in prediction["result"] if region["type"] == "choices"
    }
    assert chosen_before == {"decision_0": {"choices": ["c1"]}, "decision_1": {"choices": ["c0"]}}


def test_a_box_on_a_page_that_is_not_shown_is_not_sent_and_stays() -> None:
    packet = packet_of(card_of(evidence=(THERE, HERE)))
    (prediction,) = task(packet)["predictions"]
    assert [region["id"] for region in prediction["result"]] == [f"{packet.cards[0].key}.2"]
    (decision,) = answered(packet, chosen(0, "c0"))
    assert decision.evidence == (THERE, HERE)
    assert not decision.boxes_changed


def test_a_box_of_the_whole_page_is_a_hundred_percent() -> None:
    whole = Evidence(page=1, boxes=(Box(0.0, 0.0, 1.0, 1.0),))
    (prediction,) = task(packet_of(card_of(evidence=(whole,))))["predictions"]
    value = prediction["result"][0]["value"]
    assert {name: value[name] for name in ("x", "y", "width", "height")} == {
        "x": 0.0,
        "y": 0.0,
        "width": 100.0,
        "height": 100.0,
    }


@pytest.mark.parametrize(
    ("path", "values"),
    [
        pytest.param("number", ("007", "7"), id="digits that are text"),
        pytest.param("total", (Decimal("339.60"), Decimal(33960)), id="number with its zero"),
        pytest.param("count", (120, 12), id="integer"),
        pytest.param("paid", (True, False), id="boolean"),
        pytest.param("tags", (["a", "b"], ["a b"]), id="list"),
    ],
)
def test_an_accepted_value_comes_back_as_it_was(path: str, values: tuple[Any, ...]) -> None:
    packet = packet_of(card_of(path, values))
    for at, value in enumerate(values):
        (decision,) = answered(packet, chosen(0, f"c{at}"))
        assert decision.verdict is Verdict.ACCEPT
        assert type(decision.value) is type(value)
        assert jsontext.dumps(decision.value) == jsontext.dumps(value)
        assert decision.evidence == (HERE,)
        assert decision.evidence[0].boxes[0] == HERE.boxes[0]
        assert not decision.boxes_changed


def test_what_a_person_does_on_several_cards_comes_back_card_by_card() -> None:
    packet = packet_of(card_of(), card_of("total", (Decimal(1),), evidence=()), card_of("kind", ("invoice", "receipt")))
    drawn = Box(0.25, 0.75, 0.5, 0.8)
    accept, edit, null = answered(
        packet,
        chosen(0, "c0"),
        chosen(0, "more than one is right", control="flag"),
        chosen(0, "c1", control="also"),
        chosen(1, EDIT),
        typed(1, "1,234.50"),
        box(1, drawn, item=0),
        chosen(2, NULL),
    )
    assert (accept.value, accept.alternates) == ("INV-2", ("INV-Z",))
    assert (edit.verdict, edit.value) == (Verdict.EDIT, Decimal("1234.50"))
    assert [place.boxes for place in edit.evidence] == [(drawn,)]
    assert (null.verdict, null.value, null.evidence) == (Verdict.NULL, None, ())


def off_page(**changes: float) -> Packet:
    # The class builds no such box; a bug may.
    card = card_of("items[0].amount", (1,))
    bad = HERE.model_copy(update={"boxes": (HERE.boxes[0]._replace(**changes),)})
    return replace(packet_of(card), cards=(replace(card, evidence=(bad,)),))


@pytest.mark.parametrize(
    ("packet", "message"),
    [
        pytest.param(off_page(x1=40.0), r"doc: items\[0\].amount: the box .* leaves the page", id="pixels"),
        pytest.param(off_page(x0=-0.1), r"items\[0\].amount: the box", id="left of the page"),
        pytest.param(off_page(x1=0.0), r"items\[0\].amount: the box", id="no width"),
        pytest.param(off_page(y0=float("nan")), r"items\[0\].amount: the box", id="no number"),
        pytest.param(
            packet_of(card_of(preselected="c7")), "number: 'c7' is chosen beforehand", id="answer not offered"
        ),
        pytest.param(packet_of(card_of(), card_of()), "number: the packet .* asks it twice", id="card twice"),
        pytest.param(packet_of(card_of(), pages=()), "number: the packet .* shows no page", id="no page"),
        pytest.param(packet_of(), "has 0 cards", id="no card"),
        pytest.param(
            packet_of(*(replace(card_of(), key=str(at)) for at in range(9))), "has 9 cards", id="too many cards"
        ),
        pytest.param(
            packet_of(card_of(values=(), withheld=(NULL, EDIT, ELSEWHERE, ESCALATE))),
            "offers no answer",
            id="no answer",
        ),
    ],
)
def test_what_the_server_would_swallow_is_refused(packet: Packet, message: str) -> None:
    with pytest.raises(ReviewError, match=message):
        build_task(packet, {})


def test_a_picture_without_an_address_is_refused() -> None:
    packet = packet_of(card_of())
    for name in picture_names(packet):
        with pytest.raises(ReviewError, match=rf"doc.*: the picture {name} has no address"):
            build_task(packet, urls_of(packet) | {name: ""})


def test_a_picture_keeps_its_name_while_it_shows_the_same() -> None:
    packet = packet_of(card_of())
    answers_only = packet_of(card_of(values=("x",), title="Other"), round_number=2)
    assert picture_names(packet) == picture_names(answers_only)
    moved = packet_of(card_of(evidence=(THERE.model_copy(update={"page": 1}),)))
    assert shown_pictures(moved) == shown_pictures(packet)
    assert picture_names(moved) != picture_names(packet)
    guess = packet_of(card_of(certain=False))
    assert picture_names(guess) != picture_names(packet)
    numbered = packet_of(card_of(), card_of("total", (1,)))
    assert shown_pictures(numbered) != shown_pictures(packet)
