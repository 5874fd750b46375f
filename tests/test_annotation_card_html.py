"""A card as HTML: what strangers wrote stays text, and what differs is marked."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from html.parser import HTMLParser

import pytest

from annotation.card_html import answer_html, card_html
from annotation.differences import differing_pieces
from annotation.packet import NULL, Card, Option
from answer_builders import HERE, bulk_card, card_of, packet_of, row_card
from groundtruth.consensus import Reason

HOSTILE = [
    pytest.param("<img src=x onerror=alert(1)>", id="image with a script"),
    pytest.param("</div></td><script>alert(1)</script>", id="closing tags and a script"),
    pytest.param('" onmouseover="alert(1)', id="out of an attribute"),
    pytest.param("' style='position:fixed", id="out of single quotes"),
    pytest.param("&lt;b&gt; &amp; &#60;", id="entities"),
    pytest.param("<!-- {{idx}} $cards[0].html ]]>", id="comment, index and data reference"),
]


class Reader(HTMLParser):
    """The tags, attributes and text of a piece of HTML, as a browser would have them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


def whole(card: Card, *, show_votes: bool = False, picture: str | None = None) -> str:
    packet = packet_of(card)
    return card_html(packet, 0, picture) + "".join(answer_html(packet, card, show_votes=show_votes).values())


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_strangers_stays_text(text: str) -> None:
    card = card_of(
        values=(text, "x"),
        title=text,
        description=text,
        notice=text,
        type_name=text,
        reasons=(text,),
        context=((text, text),),
    )
    card = replace(card, options=(Option("c0", text, (f"{text}!",), (text,)),))
    seen = read(whole(card, show_votes=True, picture=f"/p/{text}"))
    assert seen.tags <= {"div", "span", "b", "i", "bdi", "img", "mark"}
    assert seen.attributes <= {"class", "src", "alt"}
    assert seen.text.count(text) >= 8


@pytest.mark.parametrize("text", HOSTILE)
def test_members_of_a_bulk_question_stay_text(text: str) -> None:
    seen = read(whole(bulk_card((text, None)), picture=f"/p/{text}"))
    assert seen.tags <= {"div", "span", "b", "i", "bdi", "img", "table", "tr", "td"}
    assert seen.attributes <= {"class", "src", "alt", "style"}
    assert text in seen.text
    assert "absent" in seen.text


@pytest.mark.parametrize(
    ("readings", "marked"),
    [
        pytest.param(("INV-2O4417", "INV-204417"), ["O", "0"], id="letter and digit"),
        pytest.param(("2025-03-07", "2025-07-03"), ["37", "73"], id="day and month"),
        pytest.param(("GB 381", "GB381"), [" ", ""], id="space"),
        pytest.param(("Müller", "Mu\u0308ller"), ["ü", "u\u0308"], id="a combining mark goes with its letter"),
        pytest.param(("abc",), [""], id="only one reading"),
        pytest.param(("abc", "xyz"), ["", ""], id="nothing in common"),
        pytest.param(("12", "12"), ["", ""], id="the same"),
        pytest.param(("abcd", "abxd", "qqqqqqqq"), ["c", "x", ""], id="a stranger marks nothing"),
    ],
)
def test_what_differs_is_marked(readings: tuple[str, ...], marked: list[str]) -> None:
    pieces = differing_pieces(readings)
    assert ["".join(piece.text for piece in each) for each in pieces] == list(readings)
    assert ["".join(piece.text for piece in each if piece.differs) for each in pieces] == marked


def test_long_readings_are_compared_by_words() -> None:
    words = [f"word{at}" for at in range(400)]
    other = [*words[:200], "wurd200", *words[201:]]
    one, two = differing_pieces([" ".join(words), " ".join(other)])
    assert [piece.text for piece in one if piece.differs] == ["word200"]
    assert [piece.text for piece in two if piece.differs] == ["wurd200"]


def test_what_cannot_be_seen_is_named_where_it_differs() -> None:
    packet = packet_of(card_of(values=("12 000", "12\u00a0000")))
    answers = answer_html(packet, packet.cards[0])
    assert "<mark> </mark>" in answers["c0"]
    assert "U+00A0" in answers["c1"]


def test_a_character_that_turns_the_text_is_named() -> None:
    packet = packet_of(card_of(values=("abc\u202e321",)))
    html = answer_html(packet, packet.cards[0])["c0"]
    assert "\u202e" not in html
    assert "U+202E" in html


def test_values_that_read_alike_are_told_apart() -> None:
    card = card_of(values=("12", 12))
    answers = answer_html(packet_of(card), card)
    assert read(answers["c0"]).text == '"12"'
    assert read(answers["c1"]).text == "12"


def test_an_empty_text_is_said_to_be_one() -> None:
    card = card_of(values=("", "a"))
    assert "empty text" in answer_html(packet_of(card), card)["c0"]


def test_systems_are_shown_only_on_request() -> None:
    option = Option("c0", Decimal("339.6"), ("339.60", "£339.60", Decimal("339.6")), ("azure", "docling"))
    card = card_of("total", ())
    card = replace(card, options=(option,))
    hidden = read(answer_html(packet_of(card), card)["c0"]).text
    assert hidden == "339.6read as 339.60, £339.60"
    shown = read(answer_html(packet_of(card), card, show_votes=True)["c0"]).text
    assert shown.endswith("2: azure, docling")


def test_no_reason_tells_how_many_read_what() -> None:
    card = card_of(reasons=tuple(str(reason) for reason in Reason))
    text = read(card_html(packet_of(card), 0, None)).text
    assert "system_row" not in text
    assert "majority" not in text.lower()
    assert text.count("It may be absent.") == 1


def test_a_card_says_what_it_is_about() -> None:
    card = card_of(
        "items[0].amount", (1,), title="Amount", type_name="number", description="Net, in euros", certain=False
    )
    text = read(card_html(packet_of(card, card_of()), 0, None)).text
    assert text.startswith("1Amountnumberitems[0].amountNet, in euros")
    assert "guess" in text


def test_the_only_card_has_no_number() -> None:
    assert "gl-number" not in card_html(packet_of(card_of()), 0, None)


def test_a_card_without_a_place_asks_for_a_box() -> None:
    assert "draw a box" in card_html(packet_of(card_of(evidence=(), certain=False)), 0, None)


def test_a_row_is_asked_for_with_its_cells() -> None:
    card = replace(row_card(), title="Items", context=(("Sku", "A-1"),))
    text = read(card_html(packet_of(card), 0, None)).text
    assert "Items: is this row in the document?" in text
    assert "Sku A-1" in text


def test_a_whole_document_is_not_one_page() -> None:
    card = card_of(evidence=(HERE,))
    assert "not on this page" in answer_html(packet_of(card), card)["elsewhere"]
    assert "not on these pages" in answer_html(packet_of(card, pages=(1, 2)), card)["elsewhere"]


def test_absent_is_said_of_the_document() -> None:
    card = card_of()
    assert "absent from the document" in answer_html(packet_of(card), card)[NULL]
