"""Evidence in our files and as others publish it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from groundtruth.box import Box
from groundtruth.errors import JsonError
from groundtruth.evidence import Evidence, Source

LINES = (Box(0.1, 0.1, 0.5, 0.12), Box(0.1, 0.13, 0.3, 0.15))


def test_it_is_read_back_with_its_lines_and_hull() -> None:
    place = Evidence(page=3, boxes=LINES, quote="two lines", value="two lines", systems=("a",), source=Source.CITED)
    form = place.to_json()
    assert form["bbox"] == pytest.approx([0.1, 0.1, 0.4, 0.05])
    assert len(form["lines"]) == 2
    back = Evidence.from_json(form)
    assert back.page == 3
    assert [tuple(box) for box in back.boxes] == [pytest.approx(tuple(box), abs=1e-6) for box in LINES]


def test_a_published_box_alone_is_one_line() -> None:
    place = Evidence.from_json({"page": 1, "bbox": [0.7, 0.05, 0.12, 0.015], "value": "INV-0042"})
    assert (len(place.boxes), place.source) == (1, Source.CITED)


def test_a_page_alone_is_evidence_without_boxes() -> None:
    place = Evidence.from_json({"page": 2, "bbox": None})
    assert (place.boxes, place.hull) == ((), None)


@pytest.mark.parametrize(
    "form",
    [
        pytest.param({"bbox": [0, 0, 0.1, 0.1]}, id="no page"),
        pytest.param({"page": 0, "bbox": [0, 0, 0.1, 0.1]}, id="page zero"),
        pytest.param({"page": 1, "bbox": [0.9, 0, 0.2, 0.1]}, id="off the page"),
        pytest.param({"page": 1, "bbox": [0, 0, 0.1]}, id="three numbers"),
        pytest.param([1, 2], id="no object"),
    ],
)
def test_what_is_no_evidence(form: Any) -> None:
    with pytest.raises(JsonError, match="not evidence"):
        Evidence.from_json(form)


def test_a_page_is_never_guessed() -> None:
    with pytest.raises(ValidationError):
        Evidence(page=0)
