"""Questions that are put once more: on another page, leaf by leaf, with a reason, or after two different answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from annotation.asked import Asked, Sheet, keys_of
from annotation.cards import Placed, leaf_card, row_card, view
from annotation.packet import ELSEWHERE, Card, Option, Packet
from annotation.packets import packets_of
from groundtruth import jsontext
from groundtruth.consensus import Disposition, RowConsensus
from groundtruth.decision import Decision
from groundtruth.evidence import Evidence, distinct_places
from groundtruth.jsontext import Json
from groundtruth.path import Path, format_path
from groundtruth.queue import Place, Question, QueueItem
from groundtruth.schema_diff import Aspect, LeafChange

TWO_ANSWERS: Final = "Two people answered differently. Please look again and decide."

_ASPECTS: Final = {
    Aspect.TITLE: "title",
    Aspect.DESCRIPTION: "description",
    Aspect.TYPE: "type",
    Aspect.ENUM: "list of values",
    Aspect.COMPARATOR: "way of comparing values",
    Aspect.RULE: "rule",
    Aspect.IDENTITY: "row keys",
    Aspect.SUBSCHEMA: "definition",
}


def next_packet(packet: Packet, card_key: str, document: Asked, *, round_number: int) -> Packet:
    """Ask on the next page what is "not on this page".

    The next candidate page is shown, or the whole document when there is none left; there the answer is not offered
    again.

    Args:
        packet: the packet that was answered.
        card_key: the key of its card that was answered so; no bulk question.
        document: its document.
        round_number: the round of the new packet.

    Raises:
        KeyError: the packet has no such card.
    """
    card = _card(packet, card_key)
    if len(packet.pages) > 1:
        # Part of a long document was shown; what follows is its next part.
        seen = set(range(1, document.page_count + 1)) - set(card.later_pages)
        shown = view((), document.page_count, seen)
    else:
        shown = view(card.later_pages, document.page_count, packet.pages)
    evidence = tuple(place for place in _places(document, card) if place.page in shown.pages)
    moved = replace(
        card,
        preselected=None,
        evidence=evidence,
        certain=False,
        later_pages=shown.later,
        withheld=(ELSEWHERE,) if shown.whole else (),
    )
    return _alone(Placed(moved, shown.pages, document), round_number)


def ask_again(
    packet: Packet, card_key: str, document: Asked, notice: str, *, round_number: int, prefill: str = ""
) -> Packet:
    """Ask the same question with the reason why, such as an edit that is no value of the field.

    Args:
        packet: the packet that was answered.
        card_key: the key of its card.
        document: its document.
        notice: the reason, for people.
        round_number: the round of the new packet.
        prefill: what was typed.

    Raises:
        KeyError: the packet has no such card.
    """
    card = _card(packet, card_key)
    again = replace(card, preselected=None, notice=notice, prefill=prefill or card.prefill)
    return _alone(Placed(again, packet.pages, document), round_number)


def one_by_one(packet: Packet, card_key: str, documents: Mapping[str, Asked], *, round_number: int) -> list[Packet]:
    """Ask leaf by leaf what was one question.

    A member whose leaf the present vote no longer has is passed over: it has no key that a decision could bind to.

    Raises:
        KeyError: the packet has no such card.
    """
    sheets = {name: Sheet(document) for name, document in documents.items()}
    paths = {name: keys_of(document) for name, document in documents.items()}
    placed: list[Placed] = []
    for member in _card(packet, card_key).members:
        path = paths[member.document].get(member.key)
        if path is not None and path not in documents[member.document].decided:
            placed.append(leaf_card(sheets[member.document], path))
    return packets_of(placed, round_number)


def adjudicate(document: Asked, path: Path, decisions: Sequence[Decision], *, round_number: int) -> Packet:
    """Ask a third time what two people answered differently.

    Nobody's name is shown. The options are the values that were decided, null is always among the answers, and the
    answer supersedes the decisions.

    Args:
        document: the document under its present vote.
        path: the present instance path of the leaf or row that the decisions are about.
        decisions: those that differ.
        round_number: the round of the new packet.

    Raises:
        KeyError: the vote has no such leaf or row.
    """
    sheet = Sheet(document)
    ids = tuple(sorted(decision.id for decision in decisions))
    if path in sheet.rows:
        placed = row_card(sheet, _row_item(document, sheet.rows[path]))
        card = replace(placed.card, notice=TWO_ANSWERS, settles=ids)
        return _alone(placed._replace(card=card), round_number)
    placed = leaf_card(sheet, path)
    card = replace(placed.card, options=_decided_options(decisions), preselected=None, notice=TWO_ANSWERS, settles=ids)
    places = [place for decision in decisions for place in decision.evidence]
    if not places:
        return _alone(placed._replace(card=card), round_number)
    shown = view(_by_count(places), document.page_count)
    card = replace(
        card,
        evidence=_distinct(place for place in places if place.page in shown.pages),
        certain=False,
        later_pages=shown.later,
        withheld=(ELSEWHERE,) if shown.whole else (),
    )
    return _alone(Placed(card, shown.pages, document), round_number)


def change_notice(change: LeafChange) -> str:
    """Why a leaf is asked again after its schema changed, for people."""
    names = [_ASPECTS[aspect] for aspect in change.aspects]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"The schema changed since this was answered: the {listed} of {format_path(change.path)}."


def _card(packet: Packet, key: str) -> Card:
    found = next((card for card in packet.cards if card.key == key), None)
    if found is None:
        raise KeyError(f"packet {packet.key} has no card {key}")
    return found


def _alone(placed: Placed, round_number: int) -> Packet:
    (packet,) = packets_of([placed], round_number)
    return packet


def _places(document: Asked, card: Card) -> Sequence[Evidence]:
    """Every known place of a card's leaf or row; none when the present vote no longer has it under that path."""
    sheet = Sheet(document)
    if card.question is Question.ROW:
        there = card.path in sheet.rows and sheet.row_key(sheet.rows[card.path]) == card.key
        return sheet.row_places(card.path) if there else ()
    leaf = sheet.leaves.get(card.path)
    return sheet.location(leaf).evidence if leaf is not None and sheet.leaf_key(leaf) == card.key else ()


def _decided_options(decisions: Sequence[Decision]) -> tuple[Option, ...]:
    """The decided values once each, in an order that does not say who decided what."""
    values: dict[str, Json] = {
        jsontext.dumps(value): value
        for decision in decisions
        for value in (decision.value, *decision.alternates)
        if value is not None
    }
    return tuple(Option(f"c{at}", values[text], (values[text],)) for at, text in enumerate(sorted(values)))


def _by_count(places: Sequence[Evidence]) -> list[int]:
    counts = Counter(place.page for place in places)
    return sorted(counts, key=lambda page: (-counts[page], page))


def _distinct(places: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Places by their boxes, in the order of the page."""
    return distinct_places(sorted(places, key=lambda place: (place.page, place.boxes)))


def _row_item(document: Asked, row: RowConsensus) -> QueueItem:
    return QueueItem(
        question=Question.ROW,
        places=(Place(document.document, row.path),),
        field=row.path[:-1],
        disposition=Disposition.REVIEW,
        tier=row.tier,
        margin=0,
        reasons=row.reasons,
    )
