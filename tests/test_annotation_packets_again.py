"""Questions that are put once more: on another page, leaf by leaf, with a reason, or after two different answers."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.again import TWO_ANSWERS, adjudicate, ask_again, change_notice, next_packet, one_by_one
from annotation.asked import Asked, Sheet
from annotation.packet import ALL_AS_PROPOSED, ELSEWHERE, ESCALATE, NULL, Packet
from annotation.packets import make_packets
from builders import schema_of
from groundtruth.decision import Decision, Verdict
from groundtruth.path import format_path, parse_path
from groundtruth.queue import Question
from groundtruth.schema_diff import Aspect, LeafChange, diff_schemas
from packet_builders import asked_document, by_id, queue_of, spot

TEXT = {"type": ["string", "null"]}
FLAT = schema_of(dict.fromkeys("ab", TEXT))
KEYED = schema_of(
    {"items": {"type": "array", "items": {"type": "object", "properties": dict.fromkeys("kab", TEXT)}}},
    identity={"items": ["k"]},
)
SPLIT = [{"a": "x"}, {"a": "y"}, {"a": "z"}]


def packets_of(document: Asked) -> list[Packet]:
    return make_packets(queue_of(document), by_id(document), round_number=1)


def walk(document: Asked) -> list[tuple[tuple[int, ...], bool]]:
    """The pages shown, and whether "not on this page" is offered, when it is answered as long as it is."""
    (packet,) = packets_of(document)
    shown = [(packet.pages, ELSEWHERE in packet.cards[0].answers)]
    while ELSEWHERE in packet.cards[0].answers:
        packet = next_packet(packet, packet.cards[0].key, document, round_number=packet.round + 1)
        shown.append((packet.pages, ELSEWHERE in packet.cards[0].answers))
    assert packet.round == len(shown)
    return shown


@pytest.mark.parametrize(
    ("guesses", "count", "shown"),
    [
        pytest.param([2, 1], 3, [((2,), True), ((1,), True), ((1, 2, 3), False)], id="two guesses"),
        pytest.param([], 2, [((1, 2), False)], id="no idea"),
        pytest.param([1], 1, [((1,), False)], id="one page"),
        pytest.param(
            [3],
            25,
            [((3,), True), ((1, 2, *range(4, 22)), True), ((22, 23, 24, 25), False)],
            id="a long document in two parts",
        ),
    ],
)
def test_not_on_this_page_moves_on_until_the_whole_document_was_shown(
    guesses: list[int], count: int, shown: list[Any]
) -> None:
    places = {"a": [spot(page) for page in guesses]}
    assert walk(asked_document(FLAT, SPLIT, page_count=count, guesses=places)) == shown


def test_the_next_page_shows_its_own_places_as_guesses() -> None:
    document = asked_document(FLAT, SPLIT, guesses={"a": [spot(2), spot(1, 0.5), spot(1, 0.7)]})
    (packet,) = packets_of(document)
    (card,) = next_packet(packet, packet.cards[0].key, document, round_number=2).cards
    assert ([place.page for place in card.evidence], card.certain, card.preselected) == ([1, 1], False, None)
    assert card.options == packet.cards[0].options


def test_a_row_moves_on_as_well() -> None:
    answers = [{"items": [{"k": "r1", "a": "x"}]}, {}, {}]
    guesses = {"items[0].k": [spot(2)], "items[0].a": [spot(3)]}
    assert walk(asked_document(KEYED, answers, guesses=guesses)) == [((2,), True), ((3,), True), ((1, 2, 3), False)]


def test_a_vote_that_changed_meanwhile_lends_no_places() -> None:
    document = asked_document(KEYED, [{"items": [{"k": "r1", "a": "x"}]}, {}, {}], guesses={"items[0].k": [spot(2)]})
    (packet,) = packets_of(document)
    now = asked_document(KEYED, [{"items": [{"k": "other"}]}, {}, {}], guesses={"items[0].k": [spot(1)]})
    moved = next_packet(packet, packet.cards[0].key, now, round_number=2)
    assert (moved.pages, moved.cards[0].evidence) == ((1, 2, 3), ())


def test_what_could_not_be_read_comes_back_with_what_was_typed() -> None:
    document = asked_document(FLAT, SPLIT, guesses={"a": [spot(2)]})
    (packet,) = packets_of(document)
    key = packet.cards[0].key
    again = ask_again(packet, key, document, "Not a date.", round_number=2, prefill="12/13/14")
    (card,) = again.cards
    assert (card.key, card.notice, card.prefill, again.pages) == (key, "Not a date.", "12/13/14", (2,))
    assert again.key != packet.key
    with pytest.raises(KeyError, match="no card"):
        ask_again(packet, "other", document, "", round_number=2)


def test_one_by_one_asks_every_member_that_is_still_there() -> None:
    plain, off = ({"items": [{"k": key, "a": reading} for key in "rst"]} for reading in ("same", "off"))
    certain = {f"items[{at}].a": spot(1, 0.1 * at) for at in range(3)}
    document = asked_document(KEYED, [plain] * 4 + [off], certain=certain)
    (packet,) = packets_of(document)
    assert ALL_AS_PROPOSED in packet.cards[0].answers
    key = packet.cards[0].key
    (single,) = one_by_one(packet, key, by_id(document), round_number=2)
    assert [format_path(card.path) for card in single.cards] == [f"items[{at}].a" for at in range(3)]
    assert [card.key for card in single.cards] == [member.key for member in packet.cards[0].members]
    decided = document._replace(decided={parse_path("items[1].a")})
    (single,) = one_by_one(packet, key, by_id(decided), round_number=2)
    assert [format_path(card.path) for card in single.cards] == ["items[0].a", "items[2].a"]


def decision(document: Asked, path: str, reviewer: str, verdict: Verdict, value: Any = None, **more: Any) -> Decision:
    sheet, where = Sheet(document), parse_path(path)
    is_row = where in sheet.rows
    return Decision(
        id=f"by-{reviewer}",
        key=sheet.row_key(sheet.rows[where]) if is_row else sheet.leaf_key(sheet.leaves[where]),
        document=document.document,
        path=where,
        field=where,
        fingerprint="",
        schema="test",
        schema_version="draft",
        verdict=verdict,
        value=value,
        reviewer=reviewer,
        decided_at="2026-01-01T00:00:00Z",
        packet="p",
        **more,
    )


def test_two_answers_are_decided_without_names() -> None:
    document = asked_document(FLAT, SPLIT, guesses={"a": [spot(1)]})
    two = [
        decision(document, "a", "zoe", Verdict.EDIT, "w", evidence=(spot(2),), alternates=("y",)),
        decision(document, "a", "ann", Verdict.ACCEPT, "x", evidence=(spot(2), spot(3))),
    ]
    packet = adjudicate(document, ("a",), two, round_number=3)
    (card,) = packet.cards
    assert [(option.value, option.systems) for option in card.options] == [("w", ()), ("x", ()), ("y", ())]
    assert (card.notice, card.settles, packet.rereview) == (TWO_ANSWERS, ("by-ann", "by-zoe"), True)
    assert (packet.pages, card.later_pages, len(card.evidence)) == ((2,), (3,), 1)
    assert adjudicate(document, ("a",), two[::-1], round_number=3) == packet
    assert "zoe" not in str(packet.to_json()["cards"][0]["options"])


def test_a_value_against_absence_is_decided_like_any_two() -> None:
    document = asked_document(FLAT, SPLIT, page_count=2)
    two = [decision(document, "a", "zoe", Verdict.NULL), decision(document, "a", "ann", Verdict.ACCEPT, "x")]
    packet = adjudicate(document, ("a",), two, round_number=2)
    assert (packet.cards[0].answers[:2], packet.pages) == (("c0", NULL), (1, 2))


def test_two_answers_on_a_row_are_decided_as_a_row() -> None:
    document = asked_document(KEYED, [{"items": [{"k": "r1"}]}, {}, {}], guesses={"items[0].k": [spot(2)]})
    two = [
        decision(document, "items[0]", "zoe", Verdict.PRESENT),
        decision(document, "items[0]", "ann", Verdict.ABSENT),
    ]
    (card,) = adjudicate(document, parse_path("items[0]"), two, round_number=2).cards
    assert (card.question, card.notice, card.settles) == (Question.ROW, TWO_ANSWERS, ("by-ann", "by-zoe"))
    assert ESCALATE in card.answers


def test_a_changed_schema_is_said_in_words() -> None:
    old = schema_of({"a": {**TEXT, "description": "old"}})
    (change,) = diff_schemas(old, schema_of({"a": {"type": ["number", "null"], "description": "new"}})).changed
    assert "description, type and way of comparing values of a." in change_notice(change)
    for aspect in Aspect:
        assert change_notice(LeafChange(("a",), (aspect,))).endswith(" of a.")
