"""What a push has to do about the packets that were made before: leave, send again, take back, or follow up.

A question is out while the last packet that asks it waits for an answer; it is not asked a second time. Nothing here
reads or writes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from annotation.asked import Asked, keys_of
from annotation.packet import Card, Packet
from annotation.reading import Return, State
from flows.review_state import ReviewState
from groundtruth.decision import votes_hash
from groundtruth.queue import Place

_WAITING: Final = frozenset(
    {State.UNANSWERED, State.DRAFT, State.SKIPPED, State.DELETED_AFTER_MERGE, State.TASK_MISSING}
)


class Copies(NamedTuple):
    """The tasks of one packet on the server.

    Attributes:
        touched: ids of those with an annotation or a draft, which are never deleted.
        untouched: ids of the others.
    """

    touched: tuple[int, ...] = ()
    untouched: tuple[int, ...] = ()


class Present(NamedTuple):
    """A leaf or row of the present votes.

    Attributes:
        place: where it is.
        votes: ``votes_hash`` of its votes.
        decided: whether nobody has to be asked.
    """

    place: Place
    votes: str
    decided: bool


@dataclass(slots=True)
class Plan:
    """What becomes of earlier packets.

    Attributes:
        resend: packets that are as they should be and not on the server: a push was stopped, or somebody deleted them.
        retire: keys of packets that ask what is no longer a question; nobody has touched them.
        delete: ids of the tasks of these, and of untouched second copies.
        waiting: the leaves and rows that are out.
        leaves_out: how many leaves that is for a person to look at.
        cells_out: how many cells are asked once the rows among them are confirmed.
        follow: cards that were answered without a decision, with their packets.
    """

    resend: list[Packet] = field(default_factory=list)
    retire: list[str] = field(default_factory=list)
    delete: list[int] = field(default_factory=list)
    waiting: set[Place] = field(default_factory=set)
    leaves_out: int = 0
    cells_out: int = 0
    follow: list[tuple[Packet, Return]] = field(default_factory=list)


def present_keys(documents: Mapping[str, Asked]) -> dict[str, Present]:
    """Every leaf and row of the present votes, by the key under which it is asked.

    Args:
        documents: every document with a vote, by id; what is ``decided`` needs no answer.
    """
    found = {}
    for name, asked in documents.items():
        votes = {leaf.path: votes_hash(leaf.votes) for leaf in asked.consensus.leaves}
        votes.update({row.path: votes_hash(row.present) for row in asked.consensus.rows})
        for key, path in keys_of(asked).items():
            found[key] = Present(Place(name, path), votes[path], path in asked.decided)
    return found


def plan(
    packets: Mapping[str, Packet],
    state: ReviewState,
    copies: Mapping[str, Copies],
    present: Mapping[str, Present],
    answered: Collection[str] = (),
) -> Plan:
    """Go through the packets that were made before.

    Args:
        packets: all that the dataset kept, by key; of those whose answers are known ``review_known`` takes care.
        state: how they stood at the last pull.
        copies: what the server has of them now, by packet key.
        present: the leaves and rows of the present votes, by key.
        answered: keys of packets from which decisions stand. One of them that is gone from the server is not sent
            again: without its answers there, the next pull would take the decisions for deleted.

    Of the packets that ask one question the one of the latest round counts.
    """
    found = Plan()
    last: dict[str, str] = {}
    for packet in sorted(packets.values(), key=lambda each: (each.round, each.key)):
        if not packet.known and (packet.key not in state.retired or copies.get(packet.key, Copies()).touched):
            last.update({key: packet.key for card in packet.cards for key in card.decides})
    for key, packet in packets.items():
        if packet.known:
            continue
        here = copies.get(key, Copies())
        retired = key in state.retired
        is_lost = key in answered and not here.touched and not here.untouched
        is_fresh = not retired and not is_lost and all(_is_fresh(card, key, last, present) for card in packet.cards)
        if here.touched:
            found.delete += here.untouched
            _wait(found, packet, present, state.cards.get(key, {}))
        elif key in answered and here.untouched:
            # Its answers were deleted since the last pull; the next one says so, and withdraws what they decided.
            found.delete += here.untouched[1:]
        elif not is_fresh:
            found.delete += here.untouched
            if not retired:
                found.retire.append(key)
        else:
            found.delete += here.untouched[1:]
            _wait(found, packet, present, {})
            if not here.untouched:
                found.resend.append(packet)
        found.follow += _followed(packet, state.returns.get(key, ()), last, present)
    return found


def _is_fresh(card: Card, packet_key: str, last: Mapping[str, str], present: Mapping[str, Present]) -> bool:
    """Whether a card asks what should be asked, with the candidates of the present votes."""
    votes = {member.key: member.votes for member in card.members} or {card.key: card.votes}
    return all(
        last.get(key) == packet_key and key in present and not present[key].decided and present[key].votes == shown
        for key, shown in votes.items()
    )


def _wait(found: Plan, packet: Packet, present: Mapping[str, Present], states: Mapping[str, State]) -> None:
    for card in packet.cards:
        if states.get(card.key, State.UNANSWERED) in _WAITING:
            places = {present[key].place for key in card.decides if key in present and not present[key].decided}
            found.leaves_out += len(places - found.waiting)
            found.cells_out += len(card.follow_up) if places else 0
            found.waiting |= places


def _followed(
    packet: Packet, returns: tuple[Return, ...], last: Mapping[str, str], present: Mapping[str, Present]
) -> list[tuple[Packet, Return]]:
    cards = {card.key: card for card in packet.cards}
    found: dict[str, tuple[Packet, Return]] = {}
    for each in returns:
        card = cards.get(each.card_key)
        if card is not None and any(
            last.get(key) == packet.key and key in present and not present[key].decided for key in card.decides
        ):
            found.setdefault(each.card_key, (packet, each))
    return list(found.values())
