"""The labelling configuration: one for all packets, so that no schema, field or document ever changes it.

What differs from packet to packet is in the task's data; the names here are what the two agree on.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from groundtruth.decision import Cause

PAGE: Final = "page"
"""The object tag of the pages."""
BOX: Final = "box"
"""The control of the boxes; its labels are ``box_label``."""

IMAGES: Final = "images"
"""In a task's data: the addresses of the pages shown, in the order of ``packet.pages``."""
BOXES: Final = "boxes"
"""In a task's data: one label for each card."""
CARDS: Final = "cards"
"""In a task's data: the cards; each has ``html``, ``options``, ``prefill``, ``flags`` and ``also``."""

DECISION: Final = "decision"
VALUE: Final = "value"
FLAG: Final = "flag"
ALSO: Final = "also"
INFO: Final = "info"
CONTROLS: Final = (DECISION, VALUE, FLAG, ALSO, INFO)
"""What every card has once; ``control`` gives the name on a card."""

COLOURS: Final = ("#d4380d", "#1d39c4", "#08777b", "#c41d7f", "#4d7a00", "#531dab", "#ad6800", "#5c4033")
"""Of the cards, in their order: of their boxes, and of their numbers on cards and pages."""

MORE_THAN_ONE: Final = "more than one is right"
"""The flag that reveals the list of further right readings."""
FLAGS: Final = (MORE_THAN_ONE, *(cause.replace("_", " ") for cause in Cause))
"""What a person may flag, as shown and as stored."""


def control(name: str, card: int) -> str:
    """The name of a control on a card; ``card`` counts from 0."""
    return f"{name}_{card}"


def box_label(card: int) -> str:
    """The label of the boxes of a card, which is the number that people see; ``card`` counts from 0."""
    return str(card + 1)


def labeling_config() -> str:
    """The configuration as the server takes it."""
    return files("annotation").joinpath("packet.xml").read_text(encoding="utf-8")
