"""The answers and boxes in one annotation's result, by card; nothing of the server's copy is taken on trust."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, NamedTuple

from annotation.packet import Packet
from groundtruth.jsontext import Json

_CONTROL: Final = re.compile(r"(decision|value|flag|also|info)_(0|[1-9][0-9]{0,3})")
_NUMBERS: Final = ("x", "y", "width", "height")


class Drawn(NamedTuple):
    """A box as the server has it.

    Attributes:
        id: of the region: ours for a box that we sent.
        page: from 1.
        card: the place of the card it belongs to.
        value: ``x``, ``y``, ``width``, ``height`` and ``rotation`` in percent and degrees, with the picture's
            ``original_width`` and ``original_height``.
    """

    id: str
    page: int
    card: int
    value: dict[str, float]


@dataclass(slots=True)
class CardAnswer:
    """What one annotation holds on one card.

    Attributes:
        decisions: the chosen aliases; a sound answer has one.
        proposed: whether the choice is the proposal's own, never touched.
        text: what was typed, or None.
        flags: what was flagged, as shown.
        also: aliases of further right readings.
        boxes: the boxes that carry the card's number.
        turned: whether a box of it lies on a picture that was turned, so that its numbers say nothing.
    """

    decisions: list[str] = field(default_factory=list)
    proposed: bool = False
    text: str | None = None
    flags: list[str] = field(default_factory=list)
    also: list[str] = field(default_factory=list)
    boxes: list[Drawn] = field(default_factory=list)
    turned: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing was chosen, typed or flagged."""
        return not (self.decisions or self.text or self.flags or self.also)


@dataclass(slots=True)
class Answers:
    """What one annotation holds.

    Attributes:
        cards: by the card's place in the packet.
        notes: what was left out, for people.
        foreign: names of controls that are not ours, sorted: somebody changed the configuration.
    """

    cards: list[CardAnswer]
    notes: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)


def read_result(packet: Packet, result: Json) -> Answers:
    """Sort the regions of an annotation by card; what belongs nowhere is noted."""
    answers = Answers([CardAnswer() for _ in packet.cards])
    if not isinstance(result, list):
        answers.notes.append("the result is no list")
        return answers
    for region in result:
        value = region.get("value") if isinstance(region, dict) else None
        if not isinstance(value, dict):
            answers.notes.append("a region without a value was left out")
        elif region.get("from_name") == "box":
            _take_box(packet, answers, region, value)
        else:
            _take_control(answers, region, value)
    answers.foreign = sorted(set(answers.foreign))
    return answers


def _take_control(answers: Answers, region: dict[str, Json], value: dict[str, Json]) -> None:
    name = region.get("from_name")
    match = _CONTROL.fullmatch(name) if isinstance(name, str) else None
    if match is None or int(match[2]) >= len(answers.cards):
        answers.foreign.append(str(name))
        return
    _TAKERS[match[1]](answers.cards[int(match[2])], region, value)


def _take_decision(card: CardAnswer, region: dict[str, Json], value: dict[str, Json]) -> None:
    card.decisions.extend(text for text in _texts(value.get("choices")) if text not in card.decisions)
    card.proposed = region.get("origin") == "prediction"


def _take_text(card: CardAnswer, _region: dict[str, Json], value: dict[str, Json]) -> None:
    typed = "\n".join(_texts(value.get("text")))
    card.text = typed if card.text in (None, "", typed) else f"{card.text}\n{typed}"


def _take_flags(card: CardAnswer, _region: dict[str, Json], value: dict[str, Json]) -> None:
    card.flags.extend(_texts(value.get("choices")))


def _take_also(card: CardAnswer, _region: dict[str, Json], value: dict[str, Json]) -> None:
    card.also.extend(text for text in _texts(value.get("choices")) if text not in card.also)


def _take_nothing(_card: CardAnswer, _region: dict[str, Json], _value: dict[str, Json]) -> None:
    """A region on the card's own text says nothing."""


_Taker = Callable[[CardAnswer, dict[str, Any], dict[str, Any]], None]
_TAKERS: Final[dict[str, _Taker]] = {
    "decision": _take_decision,
    "value": _take_text,
    "flag": _take_flags,
    "also": _take_also,
    "info": _take_nothing,
}


def _take_box(packet: Packet, answers: Answers, region: dict[str, Json], value: dict[str, Json]) -> None:
    identifier = str(region.get("id", ""))
    at = _card_of(packet, identifier, value)
    if at is None:
        answers.notes.append(f"box {identifier or '?'}: its label is of no card; it was left out")
        return
    card = answers.cards[at]
    title = packet.cards[at].title or packet.cards[at].key
    if _number(region.get("image_rotation", 0)) != 0:
        card.turned = True
        answers.notes.append(f"{title}: a box on a picture that was turned was left out")
        return
    page = _page(packet, region, value)
    if page is None:
        answers.notes.append(f"{title}: a box on a page that was not shown was left out")
        return
    numbers = {name: _number(value.get(name)) for name in _NUMBERS}
    numbers["rotation"] = _number(value.get("rotation", 0))
    known = {name: number for name, number in numbers.items() if number is not None}
    if len(known) < len(numbers):
        answers.notes.append(f"{title}: a box with a number that is none was left out")
        return
    for name in ("original_width", "original_height"):
        size = _number(region.get(name))
        if size is not None:
            known[name] = size
    drawn = Drawn(identifier, page, at, known)
    if drawn not in card.boxes:
        card.boxes.append(drawn)


def _card_of(packet: Packet, identifier: str, value: dict[str, Json]) -> int | None:
    """The card of a box: by its label, which is what the person saw; without one, by the id that we gave."""
    labels = _texts(value.get("rectanglelabels"))
    if labels:
        return next((at for at in range(len(packet.cards)) if str(at + 1) in labels), None)
    return next((at for at, card in enumerate(packet.cards) if identifier.rpartition(".")[0] == card.key), None)


def _page(packet: Packet, region: dict[str, Json], value: dict[str, Json]) -> int | None:
    index = region.get("item_index", value.get("item_index"))
    if index is None:
        index = 0
    if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(packet.pages):
        return None
    return packet.pages[index]


def _texts(value: Json) -> Sequence[str]:
    if isinstance(value, str):
        return [value]
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _number(value: Json) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
