"""Which questions go together before a person, on which page, and in what order."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from annotation.asked import Asked, keys_of
from annotation.cards import MOST_PAGES, title_of, type_name, view
from annotation.packet import ALL_AS_PROPOSED, EDIT, ELSEWHERE, MOST_CARDS, MOST_KEYS, NULL, ONE_BY_ONE, Card, Packet
from annotation.packets import MOST_MEMBERS, deferred, make_packets, wanted_places
from builders import schema_of
from groundtruth.document import Kind
from groundtruth.jsontext import dumps, loads
from groundtruth.path import format_path, parse_path
from groundtruth.queue import Question
from packet_builders import asked_document, by_id, queue_of, spot

TEXT = {"type": ["string", "null"]}
LETTERS = "abcdefghij"
FLAT = schema_of(dict.fromkeys(LETTERS, TEXT))
CELLS = dict.fromkeys("kabc", TEXT)
KEYED = schema_of(
    {"title": TEXT, "items": {"type": "array", "items": {"type": "object", "properties": CELLS}}},
    identity={"items": ["k"]},
)


def row(k: str, **cells: str) -> dict[str, str]:
    return {"k": k, "a": f"a-{k}", "b": f"b-{k}", "c": f"c-{k}", **cells}


def rows(*keys: str) -> dict[str, Any]:
    return {"items": [row(key) for key in keys]}


def packets_of(*documents: Asked, round_number: int = 1) -> list[Packet]:
    return make_packets(queue_of(*documents), by_id(*documents), round_number=round_number)


def paths(packet: Packet) -> list[str]:
    return [format_path(card.path) for card in packet.cards]


def only_card(*documents: Asked) -> Card:
    (packet,) = packets_of(*documents)
    (card,) = packet.cards
    return card


def split(*names: str) -> list[dict[str, str]]:
    """Three answers that differ in these leaves."""
    return [{name: f"{name}{system}" for name in names} for system in range(3)]


def test_leaves_of_one_page_go_together_in_reading_order() -> None:
    # The queue asks for a first, so its page comes first.
    guesses = {"a": [spot(2, 0.8)], "b": [spot(1)], "c": [spot(2, 0.3)]}
    found = packets_of(asked_document(FLAT, split("a", "b", "c"), guesses=guesses))
    assert [(packet.pages, paths(packet)) for packet in found] == [((2,), ["c", "a"]), ((1,), ["b"])]
    assert [packet.document_type for packet in found] == ["invoice", "invoice"]


def test_what_must_be_reviewed_is_apart_from_what_is_provisional() -> None:
    answers = [{"a": "x", "b": "p"}, {"a": "y", "b": "p"}, {"a": "z", "b": "p"}, {"a": "x", "b": "other"}]
    found = packets_of(asked_document(FLAT, answers, guesses={"a": [spot(1)], "b": [spot(1)]}))
    assert [paths(packet) for packet in found] == [["a"], ["b"]]


def test_a_packet_has_no_more_cards_and_keys_than_can_be_answered() -> None:
    found = packets_of(asked_document(FLAT, split(*LETTERS), guesses={name: [spot(1)] for name in LETTERS}))
    sizes = [len(packet.cards) for packet in found]
    assert sum(sizes) == len(LETTERS)
    assert all(sum(len(card.answers) for card in packet.cards) <= MOST_KEYS for packet in found)
    # Three candidates, absent, other value, not on this page and escalate take seven keys a card.
    assert sizes == [4, 4, 2]


def test_a_card_of_many_candidates_still_gets_its_packet() -> None:
    values = [f"v{at}" for at in range(5)]
    found = packets_of(asked_document(FLAT, [{"a": value} for value in values], guesses={"a": [spot(1)]}))
    assert [option.value for option in found[0].cards[0].options] == values


@pytest.mark.parametrize(
    ("readings", "subschema", "options"),
    [
        pytest.param([1, 2, 3], {"type": "integer"}, [1, 2, 3], id="whole numbers"),
        pytest.param([1.5, "2.50", 3], {"type": "number"}, [Decimal("1.5"), Decimal("2.5"), 3], id="numbers"),
        pytest.param([True, "no", None], {"type": ["boolean", "null"]}, [False, True], id="booleans and null"),
        pytest.param(
            [["a"], ["b", "a"], []], {"type": "array", "items": {"type": "string"}}, [["a"], ["b", "a"]], id="lists"
        ),
        pytest.param(["x", "abc", 7], {"type": ["integer", "null"]}, [7], id="readings that are no value"),
    ],
)
def test_candidates_keep_their_json_type_and_null_is_none_of_them(
    readings: list[Any], subschema: Any, options: list[Any]
) -> None:
    schema = schema_of({"a": subschema})
    card = only_card(asked_document(schema, [{"a": reading} for reading in readings]))
    assert dumps(sorted([dumps(option.value) for option in card.options])) == dumps(sorted(map(dumps, options)))
    assert [option.alias for option in card.options] == [f"c{at}" for at in range(len(options))]
    assert {NULL, EDIT} <= set(card.answers)


def test_a_reading_that_is_no_value_is_offered_for_correction() -> None:
    card = only_card(asked_document(schema_of({"a": {"type": "integer"}}), [{"a": "l2"}, {"a": 12}, {"a": "l2"}]))
    assert ([option.value for option in card.options], card.prefill) == ([12], "l2")


def test_a_leaf_without_a_place_goes_through_the_whole_document() -> None:
    (packet,) = packets_of(asked_document(FLAT, split("a"), page_count=3))
    assert packet.pages == (1, 2, 3)
    assert ELSEWHERE not in packet.cards[0].answers


def test_guesses_are_shown_page_by_page_the_likeliest_first() -> None:
    guesses = {"a": [spot(3, 0.5), spot(1), spot(3, 0.7)]}
    (packet,) = packets_of(asked_document(FLAT, split("a"), guesses=guesses))
    (card,) = packet.cards
    assert (packet.pages, card.later_pages, card.certain) == ((3,), (1,), False)
    assert [place.page for place in card.evidence] == [3, 3]
    assert ELSEWHERE in card.answers


def test_a_page_that_was_turned_down_is_not_shown_again() -> None:
    guesses = {"a": [spot(3), spot(1)]}
    (packet,) = packets_of(asked_document(FLAT, split("a"), guesses=guesses, seen={"a": (3,)}))
    assert (packet.pages, packet.cards[0].later_pages) == ((1,), ())
    (packet,) = packets_of(asked_document(FLAT, split("a"), guesses=guesses, seen={"a": (3, 1)}))
    assert (packet.pages, ELSEWHERE in packet.cards[0].answers) == ((1, 2, 3), False)


@pytest.mark.parametrize(
    ("likely", "count", "seen", "pages", "later", "whole"),
    [
        pytest.param([], 1, (), (1,), (), True, id="one page, no idea"),
        pytest.param([1], 1, (), (1,), (), True, id="one page"),
        pytest.param([2, 1, 2], 2, (), (2,), (1,), False, id="two guesses"),
        pytest.param([9], 2, (), (1, 2), (), True, id="a guess off the document"),
        pytest.param([], 25, (), tuple(range(1, 21)), tuple(range(21, 26)), False, id="a long document"),
        pytest.param([], 25, range(1, 21), tuple(range(21, 26)), (), True, id="the end of a long document"),
        pytest.param([4], 25, (4,), (1, 2, 3, *range(5, 22)), (22, 23, 24, 25), False, id="a long one after a guess"),
    ],
)
def test_pages_of_a_question(likely: Any, count: int, seen: Any, pages: Any, later: Any, whole: bool) -> None:
    assert view(likely, count, seen) == (pages, later, whole)
    assert len(pages) <= MOST_PAGES


def test_a_row_is_asked_before_its_cells() -> None:
    both, other = rows("r1", "r2"), {"items": [row("r1"), row("r2", b="misread")]}
    document = asked_document(KEYED, [both, both, both, other, rows("r1")], certain={"items[1].k": spot(2)})
    (packet,) = packets_of(document)
    (card,) = packet.cards
    assert (card.question, format_path(card.field), packet.pages) == (Question.ROW, "items[]", (2,))
    assert card.context == (("K", "r2"), ("A", "a-r2"), ("B", "b-r2"), ("C", "c-r2"))
    assert [link.row_id for link in card.rows] == [document.consensus.rows[1].row_id]
    waiting = deferred(queue_of(document), by_id(document))
    assert [format_path(item.places[0].path) for item in waiting] == ["items[1].b"]
    decided = document._replace(decided={parse_path("items[1]")})
    (packet,) = packets_of(decided)
    assert (packet.cards[0].question, paths(packet), packet.pages) == (Question.LEAF, ["items[1].b"], (2,))


def test_a_row_that_nobody_finds_is_asked_where_its_neighbour_stands() -> None:
    answers = [rows("r1", "r2", "r3"), *[rows("r1", "r3")] * 2]
    document = asked_document(KEYED, answers, certain={"items[0].k": spot(1), "items[1].k": spot(2)}, page_count=4)
    (packet,) = packets_of(document)
    assert (paths(packet), packet.pages, packet.cards[0].later_pages) == (["items[2]"], (1,), (2,))
    assert packet.cards[0].follow_up
    assert wanted_places(queue_of(document), by_id(document)) == {
        "doc": {parse_path(f"items[2].{name}") for name in "kabc"}
    }


def test_a_row_shows_the_boxes_of_its_cells_on_the_page_of_most() -> None:
    guesses = {"items[1].k": [spot(2, 0.5)], "items[1].a": [spot(3, 0.5, 0.4)], "items[1].b": [spot(3, 0.5, 0.7)]}
    (packet,) = packets_of(asked_document(KEYED, [rows("r1", "r2"), rows("r1"), rows("r1")], guesses=guesses))
    (card,) = packet.cards
    assert (packet.pages, card.later_pages, card.certain) == ((3,), (2,), False)
    assert [place.hull.x0 for place in card.evidence if place.hull] == [0.4, 0.7]
    # The row lost, so its snapshot is what its only reader read.
    assert card.rows[-1].cells == row("r2")


def bulk_document(count: int, **more: Any) -> Asked:
    keys = [f"r{at:03}" for at in range(count)]
    plain = {"items": [row(key, b="same") for key in keys]}
    off = {"items": [row(key, b="off") for key in keys]}
    certain = {f"items[{at}].b": spot(1 + at // 30, 0.03 * (at % 30)) for at in range(count)}
    return asked_document(KEYED, [plain] * 4 + [off], certain=certain, **more)


def test_the_same_dissent_is_one_question_with_shared_candidates() -> None:
    (packet,) = packets_of(bulk_document(4))
    (card,) = packet.cards
    assert card.answers == (ALL_AS_PROPOSED, "c0", "c1", NULL, ONE_BY_ONE)
    assert ([member.value for member in card.members], packet.pages) == (["same"] * 4, ())
    assert [place.page for member in card.members for place in member.evidence] == [1] * 4


def test_a_large_question_is_asked_in_parts_and_loses_nothing() -> None:
    found = packets_of(bulk_document(2 * MOST_MEMBERS + 1))
    assert [len(packet.cards[0].members) for packet in found] == [MOST_MEMBERS, MOST_MEMBERS, 0]
    assert found[-1].cards[0].question is Question.LEAF


def test_nothing_is_left_as_proposed_where_nothing_is() -> None:
    keys = ("r1", "r2", "r3")
    answers = [{"items": [row(key, b=reading) for key in keys]} for reading in "xyz"]
    guesses = {f"items[{at}].b": [spot(1)] for at in range(3)}
    card = only_card(asked_document(KEYED, answers, guesses=guesses))
    assert card.answers == ("c0", "c1", "c2", NULL, ONE_BY_ONE)


def test_members_that_cannot_be_shown_or_need_a_word_go_alone() -> None:
    document = bulk_document(6, singly=["items[1].b"], notices={"items[2].b": "The schema changed."})
    found = packets_of(document)
    assert [len(card.members) for packet in found for card in packet.cards] == [4, 0, 0]
    assert {card.notice for packet in found for card in packet.cards} == {"", "The schema changed."}
    plain, off = ({"items": [row(key, b=b) for key in ("r1", "r2", "r3")]} for b in ("same", "off"))
    (packet,) = packets_of(asked_document(KEYED, [plain] * 4 + [off]))
    assert [card.question for card in packet.cards] == [Question.LEAF] * 3


def test_spelling_over_documents_is_one_question_without_common_candidates() -> None:
    documents = [
        asked_document(FLAT, [{"a": name}] * 4 + [{"a": f"{name}."}], document=name, certain={"a": spot(1)})
        for name in ("one", "two", "three")
    ]
    card = only_card(*documents)
    assert (card.answers, card.document) == ((ALL_AS_PROPOSED, ONE_BY_ONE), "one")
    assert [(member.document, member.value) for member in card.members] == [
        (name, name) for name in ("one", "three", "two")
    ]


def test_a_form_is_asked_whole_in_reading_order_with_sure_answers_chosen() -> None:
    names = [f"f{at:03}" for at in range(150)]
    schema = schema_of(dict.fromkeys(names, TEXT))
    answer = {name: name for name in names}
    certain = {name: spot(1, 0.006 * (149 - at)) for at, name in enumerate(names)}
    document = asked_document(schema, [answer] * 3, kind=Kind.FORM, certain=certain)
    found = packets_of(document)
    assert [len(packet.cards) for packet in found] == [MOST_CARDS] * 18 + [6]
    assert [path for packet in found for path in paths(packet)] == names[::-1]
    assert {card.preselected for packet in found for card in packet.cards} == {"c0"}


def test_an_answer_is_chosen_beforehand_only_where_nobody_doubts_it() -> None:
    answers = [{"a": "x", "b": "y", "d": "?"}, {"a": "x", "b": "z"}, {"a": "x", "b": "y"}]
    document = asked_document(
        schema_of(dict.fromkeys("abcd", TEXT)), answers, kind=Kind.FORM, notices={"c": "Look again."}
    )
    chosen = {path: card.preselected for packet in packets_of(document) for path, card in by_path(packet).items()}
    assert chosen == {"a": "c0", "b": None, "c": None, "d": None}
    absent = asked_document(FLAT, [{}] * 3, kind=Kind.FORM)
    assert {card.preselected for packet in packets_of(absent) for card in packet.cards} == {NULL}


def by_path(packet: Packet) -> dict[str, Card]:
    return dict(zip(paths(packet), packet.cards, strict=True))


def test_what_was_decided_before_is_asked_in_packets_of_its_own() -> None:
    guesses = {"a": [spot(1)], "b": [spot(1)], "c": [spot(1)]}
    document = asked_document(FLAT, split("a", "b", "c"), guesses=guesses, settles={"b": ("d1",)}, decided=["c"])
    found = packets_of(document)
    assert [(paths(packet), packet.rereview) for packet in found] == [(["a"], False), (["b"], True)]
    assert found[1].cards[0].settles == ("d1",)


def test_a_packet_is_read_back_as_it_was_written() -> None:
    for packet in [*packets_of(bulk_document(5)), *packets_of(asked_document(KEYED, [rows("r1"), {}, {}]))]:
        assert Packet.from_json(loads(dumps(packet.to_json()))) == packet


def test_the_key_of_a_packet_follows_what_is_asked() -> None:
    def key(round_number: int = 1, **more: Any) -> str:
        document = asked_document(FLAT, split("a"), guesses={"a": [spot(1)]}, **more)
        return packets_of(document, round_number=round_number)[0].key

    assert key() == key()
    changed = [key(), key(2), key(document="other"), key(notices={"a": "Again."}), key(settles={"a": ("d1",)})]
    assert len(set(changed)) == len(changed)


def test_every_leaf_and_row_is_known_by_its_key() -> None:
    document = asked_document(KEYED, [rows("r1", "r2")] * 3)
    keys = keys_of(document)
    assert len(keys) == len(document.consensus.leaves) + len(document.consensus.rows)
    cards = [card for packet in packets_of(bulk_document(3)) for card in packet.cards]
    known = keys_of(bulk_document(3))
    assert [known[member.key] for card in cards for member in card.members] == [
        member.path for card in cards for member in card.members
    ]


@pytest.mark.parametrize(
    ("title", "path", "shown"),
    [
        pytest.param("Total due", "total", "Total due", id="a title"),
        pytest.param("", "invoice_number", "Invoice number", id="a name in words"),
        pytest.param("", "items[].unit__price", "Unit price", id="a cell"),
        pytest.param("", '["_"]', "_", id="a name without words"),
    ],
)
def test_fields_are_called_by_title_or_name(title: str, path: str, shown: str) -> None:
    assert title_of(title, parse_path(path)) == shown


@pytest.mark.parametrize(
    ("subschema", "shown"),
    [
        pytest.param({"type": "string"}, "text", id="text"),
        pytest.param({"type": ["integer", "null"]}, "whole number", id="integer"),
        pytest.param({"type": "string", "format": "date"}, "date", id="date"),
        pytest.param({"type": "array", "items": {"type": "number"}}, "list, each number", id="list"),
        pytest.param({"enum": ["a", "b"]}, "one of a list", id="enumeration"),
        pytest.param({"type": ["string", "number"]}, "number or text", id="union"),
    ],
)
def test_types_are_said_in_words(subschema: Any, shown: str) -> None:
    assert type_name(schema_of({"a": subschema}).leaves[("a",)]) == shown
