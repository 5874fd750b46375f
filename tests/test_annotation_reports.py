"""Faults that people reported of Label Studio and of what is built on it: here, the right answers."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from label_studio_sdk.label_interface.interface import LabelInterface

from annotation.coordinates import from_percent, to_percent
from annotation.decode import decode
from annotation.labeling_config import labeling_config
from annotation.packet import EDIT, Packet
from annotation.tasks import build_task, picture_names
from answer_builders import (
    HERE,
    SCHEMA,
    annotation,
    box,
    card_of,
    chosen,
    packet_of,
    sent_boxes,
    task_of,
    typed,
)
from groundtruth.box import Box
from groundtruth.errors import ReviewError
from groundtruth.evidence import Evidence
from groundtruth.path import format_path
from review_builders import SCHEMA as INVOICE
from review_builders import SPLIT, Desk, asked, make_dataset, saying, vote_again


def task(packet: Packet) -> dict[str, Any]:
    return build_task(packet, {name: f"/{name}" for name in picture_names(packet)})


def test_a_box_is_sent_by_its_corner_and_not_by_its_centre() -> None:
    assert to_percent(Box(0, 0, 1, 1)) == (0, 0, 100, 100)
    chance = random.Random(4799)
    for _ in range(100):
        (x0, x1), (y0, y1) = sorted((chance.random(), chance.random())), sorted((chance.random(), chance.random()))
        x, y, width, height = to_percent(Box(x0, y0, x1, y1))
        back = from_percent({"x": x, "y": y, "width": width, "height": height})
        assert back is not None
        assert max(abs(one - other) for one, other in zip(back, (x0, y0, x1, y1), strict=True)) <= 1e-6


def test_pixels_where_percents_belong_are_refused_with_the_leaf() -> None:
    # The class builds no such box; a bug may.
    pixels = HERE.boxes[0]._replace(x1=480.0)
    packet = packet_of(card_of("total", (1, 2)))
    wrong = replace(packet.cards[0], evidence=(HERE.model_copy(update={"boxes": (pixels,)}),))
    with pytest.raises(ReviewError, match="total"):
        task(replace(packet, cards=(wrong,)))


def test_five_candidates_are_choices_and_one_prediction() -> None:
    sent = task(packet_of(card_of("number", [f"INV-{at}" for at in range(5)])))
    assert len(sent["predictions"]) == 1
    aliases = [option["alias"] for option in sent["data"]["cards"][0]["options"]]
    assert aliases[:5] == ["c0", "c1", "c2", "c3", "c4"]


def test_a_card_whose_text_is_empty_takes_no_other_cards_answer() -> None:
    cards = tuple(replace(card_of(path, ("A", "B")), key=f"{path:0>16}") for path in ("number", "issued", "kind"))
    packet = packet_of(*cards)
    result = [
        *sent_boxes(packet),
        chosen(0, EDIT),
        typed(0, "N-7"),
        chosen(1, EDIT),
        typed(1, ""),
        chosen(2, "c1"),
    ]
    reading = decode(packet, task_of(packet, annotation(result)), SCHEMA)
    assert {each.key: each.value for each in reading.decisions} == {cards[0].key: "N-7", cards[2].key: "B"}
    assert [each.card_key for each in reading.returns] == [cards[1].key]


def test_a_new_schema_version_reopens_only_what_changed(tmp_path: Path) -> None:
    desk = Desk(make_dataset(tmp_path, {"a": SPLIT}))
    desk.dataset.freeze("invoice", "1.0")
    vote_again(desk.dataset, "a", SPLIT)
    first = desk.push()
    assert {packet.schema_version for packet in first.packets} == {"1.0"}
    desk.answer(saying({}))
    changed = {**INVOICE, "properties": {**INVOICE["properties"]}}
    changed["properties"]["number"] = {**INVOICE["properties"]["number"], "description": "With its prefix."}
    desk.dataset.put_draft("invoice", changed, desk.dataset.schema("invoice").rules, replace=True)
    desk.dataset.freeze("invoice", "1.1")
    vote_again(desk.dataset, "a", SPLIT)
    # Answers that were given under 1.0 arrive under 1.1.
    desk.pull()
    again = [name for name in asked(desk.push()) if name in asked(first)]
    assert again == ["a number"]
    assert "total" in {format_path(each.path) for each in desk.dataset.decisions("a").live()}


def test_a_second_push_makes_no_task(tmp_path: Path) -> None:
    desk = Desk(make_dataset(tmp_path, {"a": SPLIT}))
    desk.push()
    tasks = len(desk.tasks)
    assert not desk.push().packets
    assert len(desk.tasks) == tasks


def test_a_box_keeps_its_page_of_three() -> None:
    places = tuple(Evidence(page=page, boxes=HERE.boxes, quote="q") for page in (1, 2, 3))
    packet = packet_of(card_of(evidence=places), pages=(1, 2, 3))
    sent = task(packet)
    regions = [region for region in sent["predictions"][0]["result"] if region["type"] == "rectanglelabels"]
    assert [region["item_index"] for region in regions] == [0, 1, 2]
    drawn = [*regions[:2], box(0, Box(0.5, 0.5, 0.6, 0.6), item=2)]
    reading = decode(packet, task_of(packet, annotation([*drawn, chosen(0, "c0")])), SCHEMA)
    (decision,) = reading.decisions
    assert [place.page for place in decision.evidence] == [1, 2, 3]
    assert decision.evidence[:2] == places[:2]


def test_the_configuration_and_the_boxes_pass_the_makers_own_check() -> None:
    interface: Any = LabelInterface(labeling_config())
    interface.validate()
    # The check knows nothing of repeated controls; boxes are on one that is not.
    (prediction,) = task(packet_of(card_of()))["predictions"]
    assert interface.validate_prediction(prediction)
    assert not interface.validate_prediction({"result": [{**prediction["result"][0], "from_name": "nothing"}]})
