"""Questions whose answers are known: one candidate is right, and nothing tells them from the others."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from annotation.asked import Asked
from annotation.chance import Chance
from annotation.equality import value_class
from annotation.known_cards import Shape, disguise, known_packet, shapes
from annotation.known_documents import KnownDocument
from annotation.labeling_config import CARDS
from annotation.packet import Card, Packet
from annotation.packets import make_packets
from annotation.pictures import pictures_of
from annotation.tasks import build_task, picture_names
from annotation.wrong_values import wrong_values
from builders import schema_of
from groundtruth import jsontext
from groundtruth.consensus import Candidate
from groundtruth.path import format_path, schema_path
from known_builders import SCHEMA, at, known_document
from packet_builders import asked_document, by_id, queue_of, spot

SHAPE = Shape(candidates=2, systems=("one", "two", "three", "four"))


def made(slot: int = 0, document: KnownDocument | None = None, **changes: Any) -> Packet:
    parts: dict[str, Any] = {
        "documents": ["constructed-77"],
        "load": lambda _: document or known_document(),
        "shape": [SHAPE] * 3,
        "slot": slot,
        "seed": 0,
        "used": (),
        "round_number": 1,
        "disguises": {"constructed-77": ("invoice-17", "invoice")},
    }
    found = known_packet(**{**parts, **changes})
    assert found is not None
    return found


def right_alias(packet: Packet, card: Card) -> str | None:
    assert packet.known is not None
    expected = packet.known.expected[card.key].value
    leaf = SCHEMA.leaves[card.field]
    return next(
        (each.alias for each in card.options if value_class(each.value, leaf) == value_class(expected, leaf)), None
    )


def real_packet() -> Packet:
    answers = [{"number": "A-1"}, {"number": "A-7"}, {"number": "A-1"}, {"number": "A-7"}]
    schema = schema_of({"number": {"type": "string", "title": "Number"}})
    asked: Asked = asked_document(schema, answers, guesses={"number": [spot(1), spot(1, 0.4)]})
    return make_packets(queue_of(asked), by_id(asked), round_number=1)[0]


def test_each_card_has_the_right_value_among_others_or_asks_what_is_absent() -> None:
    cards = 0
    for slot in range(15):
        packet = made(slot)
        for card in packet.cards:
            assert packet.known is not None
            expected = packet.known.expected[card.key]
            cards += 1
            if expected.value is None:
                assert card.options
                assert right_alias(packet, card) is None
                assert "null" in card.answers
            else:
                assert right_alias(packet, card) is not None
                assert len(card.options) == 2
                assert expected.places
    assert cards == 45


def test_the_place_of_the_right_answer_says_nothing() -> None:
    places = Counter(right_alias(packet, card) for packet in map(made, range(20)) for card in packet.cards)
    assert min(places["c0"], places["c1"]) > 0.3 * (places["c0"] + places["c1"])
    assert places[None] > 0


def test_candidates_stand_in_the_order_of_their_values_as_those_of_a_vote_do() -> None:
    for slot in range(6):
        for card in made(slot, shape=[replace(SHAPE, candidates=3)] * 4).cards:
            values = [option.value for option in card.options]
            assert values == sorted(values)


def test_a_packet_shows_one_page_with_the_box_of_every_value() -> None:
    for slot in range(6):
        packet = made(slot)
        assert len(packet.pages) == 1
        for card in packet.cards:
            assert packet.known is not None
            for place in packet.known.expected[card.key].places:
                assert place.page == packet.pages[0]
                assert place.boxes in {each.boxes for each in card.evidence}


def test_nothing_that_the_server_gets_tells_that_the_answer_is_known() -> None:
    packet, real = made(), real_packet()
    urls = {name: "/x" for each in (packet, real) for name in picture_names(each)}
    task, other = build_task(packet, urls), build_task(real, urls)
    assert task["data"].keys() == other["data"].keys()
    for card, of_other in zip(task["data"][CARDS], other["data"][CARDS], strict=False):
        assert card.keys() == of_other.keys()
    sent = jsontext.dumps(task)
    for word in ("known", "synthetic", "constructed", "expected"):
        assert word not in sent
    assert (task["data"]["document"], task["data"]["type"]) == ("invoice-17", "invoice")


def test_pictures_are_drawn_from_the_document_itself() -> None:
    import numpy as np

    asked: list[tuple[str, int]] = []

    def page(document: str, number: int) -> Any:
        asked.append((document, number))
        return np.full((300, 200, 3), 255, np.uint8)

    packet = made()
    assert set(pictures_of(packet, page)) == set(picture_names(packet))
    assert set(asked) == {("constructed-77", packet.pages[0])}


@pytest.mark.parametrize("changes", [{"slot": 1}, {"seed": 1}])
def test_the_same_slot_and_seed_make_the_same_packet_and_others_another(changes: dict[str, Any]) -> None:
    assert made() == made()
    assert made().key != made(**changes).key


def test_nothing_is_asked_twice_and_what_is_used_up_gives_no_packet() -> None:
    document = known_document(rows=3)
    used: set[str] = set()
    slot = 0
    while True:
        packet = known_packet(
            ["constructed-77"],
            lambda _: document,
            [SHAPE] * 3,
            slot=slot,
            seed=0,
            used=used,
            round_number=1,
            disguises={document.id: ("x", "")},
        )
        if packet is None:
            break
        keys = {card.key for card in packet.cards}
        assert not keys & used
        used |= keys
        slot += 1
    assert slot > 2


def test_what_nobody_reads_off_a_box_is_not_asked() -> None:
    asked = {format_path(path) for paths in known_document().by_page.values() for path in paths}
    assert "tags" not in asked
    # There is no neighbour whose remark could be taken for it.
    assert not [path for path in asked if path.endswith("remark")]
    assert "rows[4].amount" in asked


def test_real_readings_are_taken_where_there_are_any() -> None:
    read = (Candidate(Decimal(7), (7,), ("two",)), Candidate(Decimal(1013), (1013,), ("one", "three")))
    document = known_document(votes={at("rows[1].amount"): read})
    packet = made(document=document, shape=[SHAPE])
    (card,) = packet.cards
    assert format_path(card.path) == "rows[1].amount"
    assert [(option.value, option.systems) for option in card.options] == [
        (Decimal(7), ("two",)),
        (Decimal(1013), ("one", "three")),
    ]


def test_readings_of_other_systems_are_shown_under_names_of_the_panel() -> None:
    read = (Candidate(Decimal(7), (7,), ("far",)), Candidate(Decimal(1013), (1013,), ("away",)))
    document = known_document(votes={at("rows[1].amount"): read})
    (card,) = made(document=document, shape=[SHAPE]).cards
    assert [option.value for option in card.options] == [7, 1013]
    assert {name for option in card.options for name in option.systems} == set(SHAPE.systems)


def test_an_answer_is_chosen_beforehand_where_real_cards_have_one_and_it_may_be_wrong() -> None:
    shape = replace(SHAPE, candidates=1, preselected=True)
    chosen = Counter(
        right_alias(packet, card) is not None
        for packet in (made(slot, shape=[shape] * 3) for slot in range(12))
        for card in packet.cards
        if card.options and card.preselected == "c0"
    )
    assert min(chosen.values()) > 8
    assert len(chosen) == 2


def test_a_panel_of_one_system_gives_one_candidate() -> None:
    for card in made(shape=[replace(SHAPE, systems=("one",))] * 4).cards:
        assert len(card.options) <= 1


def test_the_shape_of_a_real_packet_is_taken() -> None:
    (shape,) = shapes([real_packet()], ["z"])
    assert [(each.candidates, each.preselected, each.certain, each.systems) for each in shape] == [
        (2, False, False, ("A", "B", "C", "D"))
    ]
    assert not shapes([made()], ["z"])


def test_a_known_packet_is_read_back_as_it_was() -> None:
    packet = made()
    again = Packet.from_json(jsontext.loads(jsontext.dumps(packet.to_json())))
    assert again.key == packet.key
    assert again.known is not None
    assert packet.known is not None
    assert {key: each.value for key, each in again.known.expected.items()} == {
        key: each.value for key, each in packet.known.expected.items()
    }
    assert again.known.compiled("test", "1").leaves.keys() == SCHEMA.leaves.keys()


@pytest.mark.parametrize(
    ("ids", "fits"),
    [
        (["invoice-001", "invoice-002"], "invoice-003"),
        (["acme"], "acme-2"),
        (["2024-09-draft", "2024-10-draft"], "2024-11-draft"),
        ([], "document-2"),
    ],
    ids=["digits", "no digits", "digits inside", "no documents"],
)
def test_an_id_is_made_in_the_manner_of_the_others(ids: list[str], fits: str) -> None:
    assert disguise(ids[:1], ids, Chance("test")) == fits


@pytest.mark.parametrize(
    ("path", "right"),
    [
        ("number", "AB-204417"),
        ("issued", "2025-03-07"),
        ("rows[0].amount", Decimal("1234.50")),
        ("rows[0].amount", 7),
        ("rows[0].kind", "SH"),
        ("rows[0].sku", "WARREN & SONS HOLDINGS"),
    ],
)
def test_a_wrong_value_is_a_value_of_the_field_and_another_one(path: str, right: Any) -> None:
    leaf = SCHEMA.leaves[schema_path(at(path))]
    for number in range(20):
        found = wrong_values(leaf, right, [], Chance(number))
        assert found
        classes = {value_class(value, leaf) for value in (right, *found)}
        assert len(classes) == len(found) + 1
        assert {type(value) for value in found} <= {type(right)}
