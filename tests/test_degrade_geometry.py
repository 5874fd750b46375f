from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from degrade.geometry import (
    IDENTITY,
    Homography,
    Placement,
    onto_quad,
    rotated,
    shifted,
    shrunk,
    turned,
    warp_box,
)
from groundtruth.box import Box, Point, Quad

A4 = (595.28, 841.89)
BOX = Box(0.4, 0.2, 0.6, 0.23)
TILTED_AND_PHOTOGRAPHED = Placement(degrees=10.0, corners=(0.03, 0.01, 0.0, 0.04, 0.02, 0.02, 0.01, 0.0))

shares = st.floats(0.0, 0.06)
placements = st.builds(
    Placement,
    turn=st.sampled_from([0, 90, 180, 270]),
    degrees=st.floats(-12.0, 12.0),
    scale=st.floats(0.6, 1.0),
    shift=st.tuples(st.floats(-0.05, 0.05), st.floats(-0.05, 0.05)),
    corners=st.tuples(*[shares] * 8),
)
edges = st.tuples(st.floats(0.0, 0.9), st.floats(0.01, 0.1))
boxes = st.builds(lambda x, y: Box(x[0], y[0], x[0] + x[1], y[0] + y[1]), edges, edges)


@given(placements, boxes)
def test_the_inverse_gives_the_corners_back(placement: Placement, box: Box) -> None:
    there = placement.homography(*A4)
    back = there.inverse()
    for corner, start in zip(there.quad(box), Quad.from_box(box), strict=True):
        assert back.apply(*corner) == pytest.approx(start, abs=1e-9)


@given(boxes)
def test_a_quarter_turn_and_back_is_exactly_the_box(box: Box) -> None:
    there = Placement(turn=90).homography(*A4)
    back = Placement(turn=270).homography(A4[1], A4[0])
    hull = warp_box(there, box).box
    assert hull is not None
    assert warp_box(back, hull).box == pytest.approx(box, abs=1e-12)


@pytest.mark.parametrize(
    ("turn", "corner"),
    [
        pytest.param(0, (0.1, 0.2), id="upright"),
        pytest.param(90, (0.8, 0.1), id="clockwise"),
        pytest.param(180, (0.9, 0.8), id="upside down"),
        pytest.param(270, (0.2, 0.9), id="counterclockwise"),
    ],
)
def test_turning_is_clockwise_as_seen(turn: int, corner: tuple[float, float]) -> None:
    assert turned(turn).apply(0.1, 0.2) == pytest.approx(corner)


def test_only_right_angles_turn_a_page() -> None:
    with pytest.raises(ValueError, match="not 45"):
        turned(45)


def test_a_rotation_keeps_distances_on_a_page_that_is_no_square() -> None:
    width, height = A4
    tilt = rotated(30.0, width, height)
    start, end = tilt.apply(0.1, 0.1), tilt.apply(0.7, 0.1)
    assert math.dist((start.x * width, start.y * height), (end.x * width, end.y * height)) == pytest.approx(0.6 * width)
    slope = math.atan2((end.y - start.y) * height, (end.x - start.x) * width)
    assert math.degrees(slope) == pytest.approx(30.0)


def test_every_corner_of_a_box_is_carried_along_by_itself() -> None:
    """Two corners alone would not enclose the text of a page that is tilted and photographed."""
    there = TILTED_AND_PHOTOGRAPHED.homography(*A4)
    found = warp_box(there, BOX)
    for corner, start in zip(found.quad, Quad.from_box(BOX), strict=True):
        assert corner == there.apply(*start)
    assert found.box is not None
    assert all(found.box.contains_point(*corner) for corner in found.quad)
    left_of_two_corners = min(found.quad.top_left.x, found.quad.bottom_right.x)
    assert found.quad.bottom_left.x < left_of_two_corners - 1e-3


def test_a_perspective_takes_the_corners_of_the_page_to_its_own() -> None:
    quad = Quad(Point(0.1, 0.05), Point(0.95, 0.02), Point(0.9, 0.97), Point(0.02, 0.9))
    there = onto_quad(quad)
    corners = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
    for corner, wanted in zip(corners, quad, strict=True):
        assert there.apply(*corner) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    ("shift", "visible", "box"),
    [
        pytest.param(0.0, 1.0, Box(0.4, 0.2, 0.6, 0.4), id="whole"),
        pytest.param(-0.4, 1.0, Box(0.0, 0.2, 0.2, 0.4), id="touches the edge"),
        pytest.param(-0.45, 0.75, Box(0.0, 0.2, 0.15, 0.4), id="cut"),
        pytest.param(-0.55, 0.25, None, id="mostly gone is lost"),
        pytest.param(-0.8, 0.0, None, id="gone"),
    ],
)
def test_what_leaves_the_page_is_cut_or_lost(shift: float, visible: float, box: Box | None) -> None:
    found = warp_box(shifted(shift, 0.0), Box(0.4, 0.2, 0.6, 0.4))
    assert found.visible == pytest.approx(visible)
    assert found.is_whole is (visible == 1.0)
    assert (found.box is None) is (box is None)
    if box is not None:
        assert found.box == pytest.approx(box, abs=1e-12)


def test_a_matrix_is_written_to_the_last_bit() -> None:
    there = TILTED_AND_PHOTOGRAPHED.homography(*A4)
    assert Homography.from_hex(there.to_hex()) == there
    with pytest.raises(ValueError, match="9 numbers, not 2"):
        Homography.from_hex(["0x1p0", "0x1p1"])


@pytest.mark.parametrize("flat", [shrunk(0.0), Homography(*[0.0] * 9)], ids=["a point", "nothing"])
def test_a_map_that_flattens_the_page_has_no_inverse(flat: Homography) -> None:
    with pytest.raises(ValueError, match="no inverse"):
        flat.inverse()


def test_maps_are_applied_from_right_to_left() -> None:
    assert (shifted(0.1, 0.0) @ shrunk(0.5)).apply(1.0, 0.5) == pytest.approx((0.85, 0.5))
    assert IDENTITY @ shrunk(0.5) == shrunk(0.5)
