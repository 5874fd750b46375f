"""The labelling configuration: names the server and the decoder agree on, and what keeps it changeable."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from annotation.labeling_config import (
    BOX,
    BOXES,
    CARDS,
    CONTROLS,
    FLAGS,
    IMAGES,
    MORE_THAN_ONE,
    PAGE,
    box_label,
    control,
    labeling_config,
)
from groundtruth.decision import Cause


@pytest.fixture(scope="module")
def root() -> ElementTree.Element:
    return ElementTree.fromstring(labeling_config())


def named(root: ElementTree.Element, name: str) -> ElementTree.Element:
    (found,) = root.findall(f".//*[@name='{name}']")
    return found


def test_the_controls_are_those_that_answers_are_read_from(root: ElementTree.Element) -> None:
    names = {element.attrib["name"] for element in root.iter() if "name" in element.attrib}
    assert names == {PAGE, BOX, *(f"{name}_{{{{idx}}}}" for name in CONTROLS)}
    assert control("decision", 3) == "decision_3"
    assert box_label(0) == "1"


def test_everything_that_differs_between_packets_is_data(root: ElementTree.Element) -> None:
    assert named(root, PAGE).attrib["valueList"] == f"${IMAGES}"
    assert named(root, BOX).attrib["value"] == f"${BOXES}"
    (repeater,) = root.iter("Repeater")
    assert repeater.attrib["on"] == f"${CARDS}"


def test_every_repeated_control_points_to_an_object_with_the_index(root: ElementTree.Element) -> None:
    # Without it the server refuses every later change of the configuration, even a blank line.
    (repeater,) = root.iter("Repeater")
    assert repeater.attrib["indexFlag"] == "{{idx}}"
    targets = [element.attrib["toName"] for element in repeater.iter() if "toName" in element.attrib]
    assert targets
    assert all("{{idx}}" in target for target in targets)


def test_the_flags_are_the_causes_and_one_that_reveals_more(root: ElementTree.Element) -> None:
    assert {cause.replace("_", " ") for cause in Cause} == set(FLAGS) - {MORE_THAN_ONE}
    (revealed,) = (e for e in root.iter() if e.attrib.get("whenTagName") == "flag_{{idx}}")
    assert revealed.attrib["whenChoiceValue"] == MORE_THAN_ONE


def test_boxes_cannot_be_turned_and_no_label_is_chosen(root: ElementTree.Element) -> None:
    assert named(root, BOX).attrib["canRotate"] == "false"
    assert named(root, PAGE).attrib["rotateControl"] == "false"
    assert all("selected" not in element.attrib for element in root.iter())


def test_conditions_name_controls_that_are_there(root: ElementTree.Element) -> None:
    names = {element.attrib["name"] for element in root.iter() if "name" in element.attrib}
    conditions = {element.attrib["whenTagName"] for element in root.iter() if "whenTagName" in element.attrib}
    assert conditions == {"decision_{{idx}}", "flag_{{idx}}"} <= names


def test_the_styles_name_no_address() -> None:
    # A picture or font from elsewhere would tell somebody what is reviewed.
    assert re.search(r"url\(|@import|https?:", labeling_config()) is None
