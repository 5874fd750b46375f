"""From the queue to packets: which questions go together before a person, and in what order.

Questions of one page go together, since the page is what takes time to read. Nothing is asked twice in one round, and
nothing is left out but what waits for the answer on its row; ``deferred`` says what that is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from annotation.asked import Asked, Sheet
from annotation.cards import Placed, Proposed, bulk_card, leaf_card, proposed, row_card
from annotation.packet import MOST_CARDS, MOST_KEYS, Packet, packet_key
from groundtruth.document import Kind
from groundtruth.path import Path, rows_around
from groundtruth.queue import Place, Question, QueueItem

MOST_MEMBERS: Final = 24
"""Of more pictures than this at once nobody notices the one that differs."""

_MIN_BULK: Final = 2


def make_packets(items: Sequence[QueueItem], documents: Mapping[str, Asked], *, round_number: int) -> list[Packet]:
    """Put questions into packets.

    Args:
        items: the questions in the order of review, such as ``choose`` returns them.
        documents: every document that they name, by id.
        round_number: from 1; a question that is asked again in a later round has another packet key.

    Returns:
        Packets in the order in which they are worth answering. A packet holds questions of one kind, on one page or on
        the whole of one document; of a form they stand in reading order from packet to packet, of every other document
        only inside each packet, and what must be reviewed is apart from what is provisional. Cells of a row that is
        asked wait for its answer, and what ``Asked.decided`` names is not asked.
    """
    asked, _ = _split(items, documents)
    sheets = {name: Sheet(document) for name, document in documents.items()}
    placed = ((item, card) for item in asked for card in _cards(item, sheets))
    return _pack(placed, round_number)


def deferred(items: Sequence[QueueItem], documents: Mapping[str, Asked]) -> list[QueueItem]:
    """The questions, or parts of bulk questions, that wait for the answer on their row."""
    return _split(items, documents)[1]


def wanted_places(items: Iterable[QueueItem], documents: Mapping[str, Asked]) -> dict[str, set[Path]]:
    """The leaves whose candidates have to be sought on the pages, by document: what ``Asked.places`` should hold.

    These are the leaves that are asked and the cells of the rows that are asked, but for those whose place the vote is
    certain of.
    """
    wanted: dict[str, set[Path]] = defaultdict(set)
    sheets = {name: Sheet(document) for name, document in documents.items()}
    for item in items:
        for place in item.places:
            sheet = sheets[place.document]
            if place.path in sheet.leaves:
                leaves = [sheet.leaves[place.path]]
            else:
                leaves = sheet.cells(place.path)
            for leaf in leaves:
                if not (leaf.location.certain and leaf.location.evidence):
                    wanted[place.document].add(leaf.path)
    return dict(wanted)


def packets_of(placed: Iterable[Placed], round_number: int) -> list[Packet]:
    """Put cards that are asked again into packets, in the given order; see ``make_packets``."""
    items = ((None, card) for card in placed)
    return _pack(items, round_number)


def _split(items: Sequence[QueueItem], documents: Mapping[str, Asked]) -> tuple[list[QueueItem], list[QueueItem]]:
    """What is asked now, and what waits for a row; leaves and rows that are decided are in neither."""
    open_items = list(_undecided(items, documents))
    rows = {item.places[0] for item in open_items if item.question is Question.ROW}
    now: list[QueueItem] = []
    later: list[QueueItem] = []
    taken: set[Place] = set()
    for item in open_items:
        fresh = [place for place in item.places if place not in taken]
        taken.update(fresh)
        waiting = [place for place in fresh if _waits(place, rows)]
        if waiting:
            later.append(replace(item, places=tuple(waiting)))
        ready = [place for place in fresh if not _waits(place, rows)]
        if ready:
            now.append(replace(item, places=tuple(ready)))
    return now, later


def _undecided(items: Iterable[QueueItem], documents: Mapping[str, Asked]) -> Iterator[QueueItem]:
    for item in items:
        places = tuple(place for place in item.places if place.path not in documents[place.document].decided)
        if places:
            yield item if places == item.places else replace(item, places=places)


def _waits(place: Place, rows: set[Place]) -> bool:
    around = rows_around(place.path)
    return any(Place(place.document, row) in rows for row in around if row != place.path)


def _cards(item: QueueItem, sheets: Mapping[str, Sheet]) -> Iterator[Placed]:
    """The cards of a question: one, of a bulk question several when it is large or some of its leaves go alone."""
    if item.question is Question.ROW:
        yield row_card(sheets[item.places[0].document], item)
        return
    together: list[Proposed] = []
    alone: list[Place] = []
    for place in item.places:
        sheet = sheets[place.document]
        joins = item.question is Question.BULK and not sheet.is_apart(place.path)
        one = proposed(sheet, place.path) if joins else None
        if one is None:
            alone.append(place)
        else:
            together.append(one)
    if len(together) < _MIN_BULK:
        alone, together = list(item.places), []
    for start in range(0, len(together), MOST_MEMBERS):
        chunk = together[start : start + MOST_MEMBERS]
        if len(chunk) < _MIN_BULK:
            alone += [Place(one.sheet.asked.document, one.leaf.path) for one in chunk]
        else:
            yield bulk_card(chunk)
    for place in alone:
        yield leaf_card(sheets[place.document], place.path)


_Group = tuple[object, ...]


def _pack(cards: Iterable[tuple[QueueItem | None, Placed]], round_number: int) -> list[Packet]:
    groups: dict[_Group, list[tuple[int, Placed]]] = defaultdict(list)
    for rank, (item, placed) in enumerate(cards):
        groups[_group(rank, item, placed)].append((rank, placed))
    packets: list[tuple[int, Packet]] = []
    for ranked in groups.values():
        if ranked[0][1].asked.kind is Kind.FORM:
            ranked.sort(key=lambda one: one[1].order)
        for chunk in _chunks(ranked):
            rank = min(rank for rank, _ in chunk)
            inside = sorted((placed for _, placed in chunk), key=lambda placed: placed.order)
            packets.append((rank, _packet(inside, round_number)))
    return [packet for _, packet in sorted(packets, key=lambda one: one[0])]


def _group(rank: int, item: QueueItem | None, placed: Placed) -> _Group:
    """Equal for cards that may share a packet; a bulk question has one of its own."""
    card = placed.card
    if card.question is Question.BULK:
        return (rank,)
    # On a form the reading order matters more than what is asked first.
    urgency = None if item is None or placed.asked.kind is Kind.FORM else item.disposition
    return (card.document, placed.pages, card.question, urgency, bool(card.settles))


def _chunks(ranked: Sequence[tuple[int, Placed]]) -> Iterator[list[tuple[int, Placed]]]:
    chunk: list[tuple[int, Placed]] = []
    keys = 0
    for one in ranked:
        needed = len(one[1].card.answers)
        if chunk and (len(chunk) == MOST_CARDS or keys + needed > MOST_KEYS):
            yield chunk
            chunk, keys = [], 0
        chunk.append(one)
        keys += needed
    if chunk:
        yield chunk


def _packet(placed: Sequence[Placed], round_number: int) -> Packet:
    cards = tuple(one.card for one in placed)
    first = placed[0]
    return Packet(
        key=packet_key(cards, round_number, first.pages),
        document=first.asked.document,
        document_type=first.asked.type,
        schema=first.asked.schema.name,
        schema_version=first.asked.schema.version,
        round=round_number,
        pages=first.pages,
        cards=cards,
        rereview=any(card.settles for card in cards),
    )
