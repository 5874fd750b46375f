"""The pictures of a packet: its pages, a crop for each card, and a contact sheet for a question on many leaves.

A picture is named by a digest of all that it shows, so that one of the same name never needs to be drawn again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Final, NamedTuple

from annotation.packet import Card, Packet
from groundtruth import jsontext
from groundtruth.evidence import Evidence
from groundtruth.jsontext import Json
from groundtruth.queue import Question

MOST_CROPS: Final = 4
"""A card shows so many of its places; the pages show them all."""

_STYLE: Final = 1
"""Another number gives every picture another name: raise it whenever pictures are drawn differently."""


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


def crop_places(card: Card) -> tuple[Evidence, ...]:
    """The places that the crop of a card shows, best first."""
    return tuple(place for place in card.evidence if place.boxes)[:MOST_CROPS]


def crop_picture(card: Card) -> str | None:
    """The name of the crop of a card; None when it has no box, or is a bulk question, which has a sheet."""
    places = crop_places(card)
    if card.question is Question.BULK or not places:
        return None
    return _name("crop", "png", [card.document, card.certain, list(map(_place_json, places))])


def sheet_picture(card: Card) -> str:
    """The name of the contact sheet of a bulk question."""
    members = [[member.document, list(map(_place_json, member.evidence))] for member in card.members]
    return _name("sheet", "png", [card.certain, members])


def shown_pictures(packet: Packet) -> tuple[str, ...]:
    """The pictures that stand where pages stand: of ``packet.pages`` in their order, or the sheet."""
    if packet.pages:
        return tuple(page_picture(packet, page) for page in packet.pages)
    return tuple(sheet_picture(card) for card in packet.cards)


def picture_names(packet: Packet) -> tuple[str, ...]:
    """Every picture that the task of a packet shows, each name once."""
    return tuple(dict.fromkeys((*shown_pictures(packet), *_crop_names(packet.cards))))


def _crop_names(cards: Iterable[Card]) -> list[str]:
    return [name for name in map(crop_picture, cards) if name is not None]


def _place_json(place: Evidence) -> Json:
    return [place.page, [list(box) for box in place.boxes]]


def _name(kind: str, suffix: str, shows: Json) -> str:
    digest = hashlib.sha256(jsontext.dumps([_STYLE, kind, shows]).encode()).hexdigest()[:24]
    return f"{kind}-{digest}.{suffix}"
