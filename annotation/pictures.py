"""The pictures of a packet: its pages, a crop for each card, and a contact sheet for a question on many leaves.

A picture is named by a digest of all that it shows, so that one of the same name never needs to be drawn again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from annotation.labeling_config import COLOURS
from annotation.packet import Card, Packet
from groundtruth import jsontext
from groundtruth.box import Box
from groundtruth.evidence import Evidence
from groundtruth.jsontext import Json
from groundtruth.queue import Question

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from annotation.drawing import Spot

MOST_CROPS: Final = 4
"""A card shows so many of its places; the pages show them all."""

CELL_HEIGHT: Final = 64
"""Of one crop on a contact sheet, in pixels, as ``packet.xml`` shows it."""

_STYLE: Final = 1
"""Another number gives every picture another name: raise it whenever pictures are drawn differently."""


class Crop(NamedTuple):
    """A part of a page that is shown large: the boxes on it, with what stands around them."""

    page: int
    boxes: tuple[Box, ...]


class Mark(NamedTuple):
    """The number of a card on a page, beside a box of it."""

    card: int
    place: Evidence
    certain: bool


def page_marks(packet: Packet, page: int) -> tuple[Mark, ...]:
    """The numbers that are painted on a page: one for each place of each card; none when there is one card."""
    if len(packet.cards) == 1:
        return ()
    return tuple(
        Mark(at, place, card.certain)
        for at, card in enumerate(packet.cards)
        for place in card.evidence
        if place.page == page and place.boxes
    )


def page_picture(packet: Packet, page: int) -> str:
    """The name of the picture of a page of a packet."""
    marks = [[mark.card, mark.certain, _place_json(mark.place)] for mark in page_marks(packet, page)]
    return _name("page", "jpg", [packet.document, page, marks])


def crops(card: Card) -> tuple[Crop, ...]:
    """What the crop of a card shows, below one another: each place of a leaf, best first, or each page of a row."""
    places = [place for place in card.evidence if place.boxes]
    if card.question is not Question.ROW:
        return tuple(Crop(place.page, place.boxes) for place in places[:MOST_CROPS])
    pages = dict.fromkeys(place.page for place in places)
    return tuple(
        Crop(page, tuple(box for place in places if place.page == page for box in place.boxes))
        for page in list(pages)[:MOST_CROPS]
    )


def crop_picture(card: Card) -> str | None:
    """The name of the crop of a card; None when it has no box, or is a bulk question, which has a sheet."""
    shown = crops(card)
    if card.question is Question.BULK or not shown:
        return None
    return _name("crop", "png", [card.document, card.certain, [[crop.page, _boxes(crop.boxes)] for crop in shown]])


def sheet_picture(card: Card) -> str:
    """The name of the contact sheet of a bulk question."""
    members = [[member.document, list(map(_place_json, member.evidence))] for member in card.members]
    return _name("sheet", "png", [card.certain, members])


def shown_pictures(packet: Packet) -> tuple[str, ...]:
    """The pictures that stand where pages stand: of ``packet.pages`` in their order, or the sheet."""
    if packet.pages:
        return tuple(page_picture(packet, page) for page in packet.pages)
    return tuple(sheet_picture(card) for card in packet.cards)


def pictures_of(packet: Packet, page: Callable[[str, int], NDArray[np.uint8]]) -> dict[str, bytes]:
    """Draw every picture that the task of a packet shows, by name.

    Args:
        packet: what is asked.
        page: the raster of a page of a document, ``(height, width, 3)`` in RGB; numbers count from 1.
    """
    from annotation import drawing

    drawn: dict[str, bytes] = {}
    for number in packet.pages:
        marks = [
            drawing.Mark(f"{mark.card + 1}{'' if mark.certain else '?'}", COLOURS[mark.card], mark.place.boxes)
            for mark in page_marks(packet, number)
        ]
        drawn[page_picture(packet, number)] = drawing.page(page(packet.document, number), marks)
    for card in packet.cards:
        if card.question is Question.BULK:
            spots = [_spot(member.document, member.evidence, page) for member in card.members]
            drawn[sheet_picture(card)] = drawing.sheet(spots, CELL_HEIGHT, certain=card.certain)
        elif (name := crop_picture(card)) is not None:
            parts = [drawing.Spot(page(card.document, crop.page), crop.boxes) for crop in crops(card)]
            drawn[name] = drawing.crop(parts, certain=card.certain)
    return drawn


def _spot(document: str, places: Sequence[Evidence], page: Callable[[str, int], NDArray[np.uint8]]) -> Spot | None:
    from annotation.drawing import Spot

    place = next((place for place in places if place.boxes), None)
    return None if place is None else Spot(page(document, place.page), place.boxes)


def _place_json(place: Evidence) -> Json:
    return [place.page, _boxes(place.boxes)]


def _boxes(boxes: Sequence[Box]) -> Json:
    return [list(box) for box in boxes]


def _name(kind: str, suffix: str, shows: Json) -> str:
    digest = hashlib.sha256(jsontext.dumps([_STYLE, kind, shows]).encode()).hexdigest()[:24]
    return f"{kind}-{digest}.{suffix}"
