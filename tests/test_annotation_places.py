"""What becomes of boxes that people keep, move, draw and remove."""

from __future__ import annotations

import math
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.coordinates import from_percent, to_percent
from annotation.decode import decode
from annotation.packet import Packet
from annotation.places import region_ids
from annotation.reading import TaskReading
from answer_builders import HERE, SCHEMA, annotation, box, card_of, chosen, packet_of, sent_boxes, task_of
from groundtruth.box import Box
from groundtruth.decision import Decision
from groundtruth.evidence import Evidence, Source

LINES: Final = Evidence(page=1, boxes=(Box(0.1, 0.1, 0.4, 0.12), Box(0.1, 0.13, 0.3, 0.15)), quote="two lines")
THERE: Final = Evidence(page=3, boxes=(Box(0.5, 0.5, 0.7, 0.55),))
NEW: Final = Box(0.6, 0.6, 0.8, 0.65)
MOVED: Final = Box(0.2, 0.2, 0.5, 0.22)


def packet(*evidence: Evidence, pages: tuple[int, ...] = (1,), **changes: Any) -> Packet:
    return packet_of(card_of(evidence=evidence, **changes), pages=pages)


def ids(asked: Packet) -> list[str]:
    return [key for key, _, _ in region_ids(asked.cards[0])]


def read(asked: Packet, *boxes: Any, alias: str = "c0") -> TaskReading:
    return decode(asked, task_of(asked, annotation([chosen(0, alias), *boxes])), SCHEMA)


def decided(asked: Packet, *boxes: Any) -> Decision:
    (decision,) = read(asked, *boxes).decisions
    return decision


def test_untouched_boxes_are_our_own_and_places_on_other_pages_stay() -> None:
    asked = packet(LINES, THERE)
    decision = decided(asked, *sent_boxes(asked))
    assert (decision.evidence, decision.boxes_changed) == ((LINES, THERE), False)
    assert decision.evidence[0] is LINES


def test_a_moved_line_keeps_its_place_and_the_other_line() -> None:
    asked = packet(LINES)
    decision = decided(asked, box(0, MOVED, ids(asked)[0]), sent_boxes(asked)[1])
    assert decision.boxes_changed
    (place,) = decision.evidence
    assert (place.source, place.quote, place.boxes[1]) == (Source.PERSON, None, LINES.boxes[1])
    assert place.boxes[0] == pytest.approx(MOVED, abs=1e-6)


def test_a_removed_line_and_a_removed_place() -> None:
    asked = packet(LINES, HERE)
    decision = decided(asked, sent_boxes(asked)[0], sent_boxes(asked)[2])
    assert [place.boxes for place in decision.evidence] == [LINES.boxes[:1], HERE.boxes]
    assert decision.evidence[1] is HERE
    assert decision.boxes_changed
    assert decided(asked).evidence == ()


def test_a_drawn_box_is_a_further_line_of_the_only_place() -> None:
    asked = packet(HERE)
    (place,) = decided(asked, *sent_boxes(asked), box(0, NEW)).evidence
    assert place.source is Source.PERSON
    assert place.boxes[0] == HERE.boxes[0]
    assert place.boxes[1] == pytest.approx(NEW, abs=1e-6)


def test_drawn_boxes_on_several_pages_are_several_places() -> None:
    asked = packet(pages=(1, 2, 4))
    boxes = [box(0, NEW, "a", 0), box(0, MOVED, "b", 2), box(0, NEW, "c", 2)]
    found = decided(asked, *boxes).evidence
    assert [(place.page, len(place.boxes)) for place in found] == [(1, 1), (4, 2)]
    assert found[1].boxes[0].y0 < found[1].boxes[1].y0


@pytest.mark.parametrize(
    ("change", "note"),
    [
        ({"item_index": 7}, "a page that was not shown"),
        ({"item_index": -1}, "a page that was not shown"),
        ({"image_rotation": 90}, "a picture that was turned"),
        ({"value": {"x": 120, "y": 5, "width": 3, "height": 3, "rectanglelabels": ["1"]}}, "off the page"),
        (
            {"value": {"x": math.nan, "y": 5, "width": 3, "height": 3, "rectanglelabels": ["1"]}},
            "a number that is none",
        ),
        ({"value": {"x": True, "y": 5, "width": 3, "height": 3, "rectanglelabels": ["1"]}}, "a number that is none"),
        ({"value": {"x": 1, "y": 5, "width": 3, "height": 3, "rectanglelabels": ["9"]}}, "its label is of no card"),
        ({"value": {"x": 1, "y": 5, "width": 3, "height": 3}}, "its label is of no card"),
    ],
)
def test_a_box_that_cannot_be_placed_is_noted_and_left_out(change: dict[str, Any], note: str) -> None:
    asked = packet(HERE)
    reading = read(asked, *sent_boxes(asked), {**box(0, NEW), **change})
    assert note in " ".join(reading.notes)
    assert reading.decisions[0].evidence == (HERE,)


def test_a_box_belongs_to_the_card_whose_number_it_carries() -> None:
    asked = packet_of(card_of(), card_of("total", [1], evidence=()))
    relabelled = box(1, HERE.boxes[0], f"{asked.cards[0].key}.0")
    result = [chosen(0, "c0"), chosen(1, "c0"), relabelled]
    first, second = decode(asked, task_of(asked, annotation(result)), SCHEMA).decisions
    assert (first.evidence, first.boxes_changed) == ((), True)
    assert (second.evidence[0].source, second.boxes_changed) == (Source.PERSON, True)


def test_a_region_id_given_twice_loses_no_box() -> None:
    asked = packet(HERE)
    own = sent_boxes(asked)[0]
    twice = decided(asked, own, own)
    assert (twice.evidence, twice.boxes_changed) == ((HERE,), False)
    (place,) = decided(asked, box(0, NEW, ids(asked)[0]), own).evidence
    assert len(place.boxes) == 2


def test_a_place_speaks_for_the_answer_or_is_left_out() -> None:
    one, other = (
        HERE.model_copy(update={"value": "INV-2"}),
        LINES.model_copy(update={"value": "INV-Z"}),
    )
    asked = packet(one, other, certain=False)
    decision = decided(asked, *sent_boxes(asked))
    assert (decision.evidence, decision.boxes_changed) == ((one,), False)


def test_a_persons_box_takes_the_place_of_guesses() -> None:
    asked = packet(HERE, LINES, certain=False)
    (place,) = decided(asked, *sent_boxes(asked), box(0, NEW)).evidence
    assert place.boxes[0] == pytest.approx(NEW, abs=1e-6)


def test_a_page_without_boxes_stays_until_one_is_drawn_on_it() -> None:
    page = Evidence(page=1)
    assert decided(packet(page)).evidence == (page,)
    (place,) = decided(packet(page), box(0, NEW)).evidence
    assert len(place.boxes) == 1


@given(corners=st.tuples(*[st.floats(0, 1)] * 4).filter(lambda at: abs(at[0] - at[2]) > 1e-5 < abs(at[1] - at[3])))
def test_percents_come_back_within_a_millionth(corners: tuple[float, float, float, float]) -> None:
    x0, x1 = sorted((corners[0], corners[2]))
    y0, y1 = sorted((corners[1], corners[3]))
    percents = to_percent(Box(x0, y0, x1, y1))
    back = from_percent(dict(zip(("x", "y", "width", "height"), percents, strict=True)))
    assert back == pytest.approx((x0, y0, x1, y1), abs=1e-6)


def test_a_whole_page_is_a_hundred_percent() -> None:
    assert to_percent(Box(0, 0, 1, 1)) == (0, 0, 100, 100)


def test_a_turned_box_is_turned_in_pixels() -> None:
    quarter = {
        "x": 50,
        "y": 20,
        "width": 10,
        "height": 5,
        "rotation": 90,
        "original_width": 1000,
        "original_height": 2000,
    }
    # 100 by 100 pixels, turned about its corner at (500, 400): to the left of it and below.
    assert from_percent(quarter) == pytest.approx((0.4, 0.2, 0.5, 0.25), abs=1e-6)


def test_a_box_that_sticks_out_is_cut() -> None:
    cut = from_percent({"x": -5, "y": 90, "width": 10, "height": 20})
    assert cut == Box(0, 0.9, 0.05, 1)
    assert from_percent({"x": 100, "y": 0, "width": 5, "height": 5}) is None
