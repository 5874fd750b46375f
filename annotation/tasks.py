"""A packet as a task of the labelling server.

The server takes everything without a word and shows nothing of what it does not understand. So a task is checked here,
before it is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Final

from annotation.card_html import answer_html, card_html
from annotation.coordinates import to_percent
from annotation.labeling_config import (
    ALSO,
    BOX,
    BOXES,
    CARDS,
    COLOURS,
    DECISION,
    FLAGS,
    IMAGES,
    INFO,
    MORE_THAN_ONE,
    PAGE,
    box_label,
    control,
)
from annotation.packet import (
    ABSENT,
    EDIT,
    ELSEWHERE,
    ESCALATE,
    MOST_CARDS,
    NULL,
    ONE_BY_ONE,
    PRESENT,
    Card,
    Packet,
)
from annotation.pictures import crop_picture, sheet_picture, shown_pictures
from annotation.places import region_ids
from groundtruth.box import Box
from groundtruth.errors import ReviewError
from groundtruth.jsontext import Json
from groundtruth.path import format_path
from groundtruth.queue import Question

MODEL_VERSION: Final = "goldleaf"
"""Under this name the server keeps what is proposed."""

_FIXED_KEYS: Final = {
    NULL: "0",
    EDIT: "e",
    ELSEWHERE: "n",
    ESCALATE: "x",
    PRESENT: "1",
    ABSENT: "0",
    ONE_BY_ONE: "e",
}
_BOX_KEY: Final = "b"
# The rest of the keyboard belongs to the answers; shift+1 and shift+2 zoom.
_BOX_KEYS: Final = tuple(f"shift+{key}" for key in "qwertyui")
_DIGITS: Final = 9
_FIRST_UNUSED: Final = 0x2801
"""Of the signs of Braille, of which there are many; no key of a keyboard has them."""
_SLACK: Final = 1e-9


def build_task(packet: Packet, urls: Mapping[str, str], *, show_votes: bool = False) -> dict[str, Json]:
    """The task of a packet, as it is imported.

    Args:
        packet: what is asked.
        urls: the address of every picture that ``picture_names`` names.
        show_votes: whether candidates say which systems read them.

    Returns:
        ``data``, and ``predictions`` with one entry: the boxes, and the answers that are chosen beforehand. Without
        either it is empty. The answers carry their alias, so no value passes through text.

    Raises:
        ReviewError: something that the server would swallow or lose: a box off its page, a picture without an address,
            an answer chosen beforehand that is not offered, a card without an answer or asked twice.
    """
    _check(packet)
    result = [*_regions(packet), *_choices(packet)]
    unused = _unused_keys()
    data: dict[str, Json] = {
        "packet_key": packet.key,
        "document": packet.document if packet.known is None else packet.known.shown_as,
        "type": packet.document_type,
        "round": packet.round,
        "rereview": packet.rereview,
        "pages": ", ".join(map(str, packet.pages)),
        IMAGES: [_url(packet, name, urls) for name in shown_pictures(packet)],
        BOXES: [_box_label(packet, at) for at in range(len(packet.cards))],
        CARDS: [_card(packet, at, urls, unused, show_votes=show_votes) for at in range(len(packet.cards))],
    }
    predictions = [{"model_version": MODEL_VERSION, "result": result}] if result else []
    return {"data": data, "predictions": predictions}


def picture_names(packet: Packet) -> tuple[str, ...]:
    """Every picture that the task of a packet shows, each name once."""
    crops = (name for card in packet.cards if (name := crop_picture(card)) is not None)
    return tuple(dict.fromkeys((*shown_pictures(packet), *crops)))


def _check(packet: Packet) -> None:
    if not 1 <= len(packet.cards) <= MOST_CARDS:
        raise ReviewError(
            f"packet {packet.key} of {packet.document} has {len(packet.cards)} cards; it needs 1 to {MOST_CARDS}"
        )
    seen: set[str] = set()
    for card in packet.cards:
        if card.key in seen:
            raise ReviewError(f"{_where(card)}: the packet {packet.key} asks it twice; ask it once")
        seen.add(card.key)
        if not card.answers:
            raise ReviewError(f"{_where(card)}: the card offers no answer; it needs a candidate or one of the others")
        if card.preselected is not None and card.preselected not in card.answers:
            raise ReviewError(
                f"{_where(card)}: {card.preselected!r} is chosen beforehand, but the card offers only "
                f"{', '.join(card.answers)}"
            )
        if card.question is not Question.BULK and not packet.pages:
            raise ReviewError(f"{_where(card)}: the packet {packet.key} shows no page; only bulk questions need none")


def _where(card: Card) -> str:
    return f"{card.document}: {format_path(card.path)}"


def _url(packet: Packet, name: str, urls: Mapping[str, str], card: Card | None = None) -> str:
    url = urls.get(name)
    if not url:
        where = packet.document if card is None else _where(card)
        raise ReviewError(f"{where}: the picture {name} has no address; draw and put every picture first")
    return url


def _box_label(packet: Packet, at: int) -> Json:
    key = _BOX_KEY if len(packet.cards) == 1 else _BOX_KEYS[at]
    return {"value": box_label(at), "background": COLOURS[at], "hotkey": key}


def _card(packet: Packet, at: int, urls: Mapping[str, str], unused: Iterator[str], *, show_votes: bool) -> Json:
    card = packet.cards[at]
    name = sheet_picture(card) if card.question is Question.BULK else crop_picture(card)
    picture = None if name is None else _url(packet, name, urls, card)
    answers = answer_html(packet, card, show_votes=show_votes)
    keys = _hotkeys(card) if len(packet.cards) == 1 else {}
    return {
        "html": card_html(packet, at, picture),
        "options": [
            {"value": _unique(card, alias), "alias": alias, "html": html}
            | ({"hotkey": keys[alias]} if alias in keys else {})
            for alias, html in answers.items()
        ],
        "prefill": card.prefill,
        "flags": [{"value": flag, "hotkey": next(unused)} for flag in _flags(card)],
        "also": [
            {
                "value": _unique(card, f"{ALSO}:{option.alias}"),
                "alias": option.alias,
                "html": answers[option.alias],
                "hotkey": next(unused),
            }
            for option in (card.options if _may_have_two(card) else ())
        ],
    }


def _flags(card: Card) -> tuple[str, ...]:
    return FLAGS if _may_have_two(card) else tuple(flag for flag in FLAGS if flag != MORE_THAN_ONE)


def _may_have_two(card: Card) -> bool:
    """Whether the card has candidates of which two could be right; every choice more makes the screen slower."""
    return card.question is Question.LEAF and len(card.options) > 1


def _unused_keys() -> Iterator[str]:
    """Signs of no keyboard, each once.

    The server finds a key for everything that has none, lets equal keys fire all at once, takes a word that names no
    key for its first letter, and slows down from task to task by what is bound to one sign.
    """
    return map(chr, count(_FIRST_UNUSED))


def _unique(card: Card, name: str) -> str:
    # The value names a group of radio buttons in the browser; equal ones would join buttons of different cards.
    return f"{card.key}:{name}"


def _hotkeys(card: Card) -> dict[str, str]:
    """The keys of the only card of a packet; the server finds one for an answer that has none here."""
    numbered = [alias for alias in card.answers if alias not in _FIXED_KEYS]
    keys = {alias: str(number) for number, alias in enumerate(numbered[:_DIGITS], 1)}
    return keys | {alias: key for alias, key in _FIXED_KEYS.items() if alias in card.answers}


def _regions(packet: Packet) -> Iterator[Json]:
    for at, card in enumerate(packet.cards):
        if card.question is Question.BULK:
            continue
        for identifier, place, line in region_ids(card):
            evidence = card.evidence[place]
            if evidence.page not in packet.pages:
                # It stays as it is: see ``places_of``.
                continue
            yield {
                "id": identifier,
                "from_name": BOX,
                "to_name": PAGE,
                "type": "rectanglelabels",
                "image_rotation": 0,
                "item_index": packet.pages.index(evidence.page),
                "value": {
                    **_percents(card, evidence.boxes[line]),
                    "rotation": 0,
                    "rectanglelabels": [box_label(at)],
                },
            }


def _percents(card: Card, box: Box) -> dict[str, float]:
    x, y, width, height = to_percent(box)
    sound = 0 <= x <= 100 and 0 <= y <= 100 and width > 0 and height > 0
    if not (sound and x + width <= 100 + _SLACK and y + height <= 100 + _SLACK):
        raise ReviewError(
            f"{_where(card)}: the box x {x:g}, y {y:g}, width {width:g}, height {height:g} leaves the page; boxes are "
            "percents of the page, from 0 to 100"
        )
    return {"x": x, "y": y, "width": width, "height": height}


def _choices(packet: Packet) -> Iterator[Json]:
    for at, card in enumerate(packet.cards):
        if card.preselected is not None:
            yield {
                "id": f"{card.key}.{DECISION}",
                "from_name": control(DECISION, at),
                "to_name": control(INFO, at),
                "type": "choices",
                "value": {"choices": [card.preselected]},
            }
