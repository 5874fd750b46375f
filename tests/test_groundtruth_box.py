"""Boxes of the page frame: what can be built, and exact intersection over union."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtruth.box import Box, Point, Quad, hull

edges = st.lists(st.floats(0, 1), min_size=2, max_size=2, unique=True).map(sorted)
boxes = st.builds(lambda x, y: Box(x[0], y[0], x[1], y[1]), edges, edges)


@pytest.mark.parametrize(
    "corners",
    [
        pytest.param((0.5, 0.1, 0.5, 0.2), id="no width"),
        pytest.param((0.5, 0.1, 0.4, 0.2), id="right of itself"),
        pytest.param((0.1, 0.2, 0.5, 0.2), id="no height"),
        pytest.param((-0.001, 0, 1, 1), id="off the left"),
        pytest.param((0, 0, 1.001, 1), id="off the right"),
        pytest.param((math.nan, 0, 1, 1), id="not a number"),
        pytest.param((0, 0, math.inf, 1), id="infinite"),
    ],
)
def test_no_other_box_can_be_built(corners: tuple[float, float, float, float]) -> None:
    with pytest.raises(ValueError, match="not a box on the page"):
        Box(*corners)


def test_iou_is_exact() -> None:
    one, other = Box(0, 0, 0.5, 1), Box(0.25, 0, 0.75, 1)
    assert one.iou(other) == 0.25 / 0.75
    assert one.iou(one) == 1
    assert Box(0, 0, 0.5, 0.5).iou(Box(0.5, 0, 1, 0.5)) == 0


def test_the_smallest_boxes_have_an_iou_without_epsilon() -> None:
    tiny = Box(0.5, 0.5, 0.5 + 1e-9, 0.5 + 1e-9)
    assert tiny.iou(tiny) == 1


@given(boxes, boxes)
def test_iou_is_symmetric_and_bounded(one: Box, other: Box) -> None:
    if one.area > 1e-300 and other.area > 1e-300:
        assert one.iou(other) == other.iou(one)
        assert 0 <= one.iou(other) <= 1


@given(st.tuples(*[st.integers(0, 10**6)] * 4))
def test_published_boxes_come_back(numbers: tuple[int, int, int, int]) -> None:
    x, y = sorted(numbers[:2]), sorted(numbers[2:])
    if x[0] < x[1] and y[0] < y[1]:
        box = Box(x[0] / 1e6, y[0] / 1e6, x[1] / 1e6, y[1] / 1e6)
        back = Box.from_xywh(round(number, 6) for number in box.xywh)
        assert back == pytest.approx(box, abs=1e-12)


@given(st.lists(boxes, min_size=1, max_size=5))
def test_the_hull_holds_every_box(found: list[Box]) -> None:
    around = hull(found)
    assert all(around.contains_point(*box.center) for box in found)
    assert around.x0 == min(box.x0 for box in found)


def test_a_quads_hull_is_cut_to_the_page() -> None:
    tilted = Quad(Point(-0.1, 0.2), Point(0.5, 0.1), Point(0.6, 0.3), Point(0, 0.4))
    assert tilted.hull() == Box(0, 0.1, 0.6, 0.4)
    assert Quad.from_box(Box(0.1, 0.2, 0.3, 0.4)).hull() == Box(0.1, 0.2, 0.3, 0.4)
    with pytest.raises(ValueError, match="not finite"):
        Quad(Point(math.nan, 0), Point(1, 0), Point(1, 1), Point(0, 1)).hull()
    with pytest.raises(ValueError, match="no boxes"):
        hull([])
