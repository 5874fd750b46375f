"""What the next push asks: what becomes of earlier packets, and the packets that are made now.

Reads the dataset and writes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.again import adjudicate, ask_again, next_packet, one_by_one
from annotation.asked import Asked
from annotation.choose import choose
from annotation.estimate import Estimate, estimate, measured_seconds
from annotation.packet import Packet
from annotation.packets import deferred, make_packets, wanted_places
from annotation.reading import Return, ReturnKind
from consensus.candidate_places import candidate_places
from flows.review_known import Origins, answered_known, mixed, new_known, plan_known
from flows.review_plan import Copies, Plan, plan, present_keys
from flows.review_standing import Standings, question_on, standings_of
from flows.review_state import Choices, ReviewState, kept_packets, load_state
from flows.step_progress import counting
from groundtruth.page_readings import designated
from groundtruth.pages import open_document
from groundtruth.path import rows_around
from groundtruth.queue import Place, QueueItem
from groundtruth.store import Dataset

NO_VALUE = "The answer could not be read as a value of this field"


@dataclass(frozen=True, slots=True)
class Round:
    """What a push does.

    Attributes:
        number: the round of the new packets, from 1; that of a push that was stopped goes on.
        plan: what becomes of earlier packets.
        packets: those made now, in the order in which they are worth answering.
        work: what the new packets are for a person.
        cells: how many cells are asked once the rows among them are confirmed.
        deferred: leaves that wait for the answer on their row.
        left: leaves that are open and are not asked, because of the budget.
        unvoted: documents without a vote, of which nothing can be asked; synthetic ones and re-captures need none.
        known: packets whose answers are known, made now.
        known_missing: how many of these there are too few, since everything known was asked.
        seed: what mixes them.
    """

    number: int
    plan: Plan
    packets: tuple[Packet, ...]
    work: Estimate
    cells: int
    deferred: int
    left: int
    unvoted: tuple[str, ...] = ()
    known: tuple[Packet, ...] = ()
    known_missing: int = 0
    seed: int = 0

    @property
    def mixed(self) -> tuple[Packet, ...]:
        """All packets that are made now, in the order in which they are sent."""
        return mixed(self.packets, self.known, self.seed)


def prepare(dataset: Dataset, choices: Choices, copies: Mapping[str, Copies], *, quiet: bool = False) -> Round:
    """Find out what a push does.

    Args:
        dataset: what is reviewed.
        choices: how much is asked.
        copies: what the server has now, by packet key.
        quiet: show no progress.

    Raises:
        JsonError: a file of the review or a log of decisions is damaged.
        DocumentError: a document's file cannot be read any more.
        ReviewError: known packets are wanted, and there is no synthetic document.
    """
    state, kept = load_state(dataset), kept_packets(dataset)
    found = standings_of(dataset)
    answered = {decision.packet for decision in found.decisions}
    earlier = plan(kept, state, copies, present_keys(found.documents), answered)
    plan_known(earlier, kept, state.retired, copies, answered_known(dataset), Origins(dataset).is_current)
    number = _round_number(state, kept.values())
    asked_apart = set(found.disputed) | {
        place for packet, each in earlier.follow for place in _places_of(packet, each, found)
    }
    taken = earlier.waiting | asked_apart
    documents = {
        name: asked._replace(decided=frozenset(asked.decided) | {at.path for at in taken if at.document == name})
        for name, asked in found.documents.items()
    }
    items = list(_askable(found.items, documents, taken))
    budget = None if choices.budget is None else max(0, choices.budget - earlier.leaves_out - earlier.cells_out)
    chosen = choose(items, review=choices.review, budget=budget, documents=documents)
    everything = chosen if budget is None else choose(items, review=choices.review, documents=documents)
    apart = [question_on(place) for place in sorted(asked_apart, key=_by_name)]
    documents = _located(dataset, documents, [*chosen, *apart], quiet=quiet)
    packets = [
        *_adjudications(found, documents, earlier.waiting, number),
        *_follow_ups(earlier.follow, documents, found, number),
        *make_packets(chosen, documents, round_number=number),
    ]
    # Alone in a round of their own known packets would be told from the others.
    among = number if packets else max(1, state.round)
    gone = {*state.retired, *earlier.retire}
    known, known_missing = new_known(dataset, choices, kept, gone, packets, among)
    later = deferred(chosen, documents)
    measured = measured_seconds(found.decisions, kept)
    return Round(
        number=number,
        plan=earlier,
        packets=tuple(packets),
        work=estimate(packets, measured),
        cells=sum(len(card.follow_up) for packet in packets for card in packet.cards),
        deferred=sum(len(item.places) for item in later),
        left=sum(item.leaves for item in everything) - sum(item.leaves for item in chosen),
        unvoted=tuple(
            one.id for one in dataset.documents() if not one.kind.comes_with_truth and one.id not in found.documents
        ),
        known=known,
        known_missing=known_missing,
        seed=choices.known_seed,
    )


def _round_number(state: ReviewState, kept: Iterable[Packet]) -> int:
    newest = max((packet.round for packet in kept), default=0)
    # A state that was lost says less than the packets. Of those that ask the same, the one of the latest round counts.
    return newest + 1 if newest > state.round else max(1, state.round + state.complete)


def _askable(
    items: Iterable[QueueItem], documents: Mapping[str, Asked], taken: Collection[Place]
) -> Iterator[QueueItem]:
    """Questions without the leaves and rows that are out, and without the cells of rows that are out."""
    for item in items:
        left = tuple(
            place
            for place in item.places
            if place.path not in documents[place.document].decided
            and not any(Place(place.document, row) in taken for row in rows_around(place.path))
        )
        if left:
            yield item if left == item.places else replace(item, places=left)


def _places_of(packet: Packet, each: Return, found: Standings) -> set[Place]:
    """The leaves or the row of a card that is asked again, as far as the present votes have them."""
    card = next(card for card in packet.cards if card.key == each.card_key)
    return {found.places[key] for key in card.decides if key in found.places}


def _located(
    dataset: Dataset, documents: Mapping[str, Asked], items: Sequence[QueueItem], *, quiet: bool
) -> dict[str, Asked]:
    """The documents with the places where candidates of what is asked may stand."""
    located = dict(documents)
    wanted = wanted_places(items, documents)
    with counting("documents searched for candidates", len(wanted), quiet=quiet) as advance:
        for name, paths in sorted(wanted.items()):
            asked = documents[name]
            recognition = designated(dataset.readings_folder(name))
            with open_document(dataset.document_file(name), recognition=recognition) as source:
                pages = [source.page(number) for number in range(1, source.page_count + 1)]
                ballots = dataset.ballots(name, asked.consensus.systems)
                places = candidate_places(asked.consensus, asked.schema, ballots, pages, paths)
            located[name] = asked._replace(places=places)
            advance(1)
    return located


def _adjudications(
    found: Standings, documents: Mapping[str, Asked], waiting: Collection[Place], number: int
) -> Iterator[Packet]:
    for place, said in sorted(found.disputed.items(), key=lambda each: _by_name(each[0])):
        if place not in waiting:
            yield adjudicate(documents[place.document], place.path, said.decisions, round_number=number)


def _follow_ups(
    returned: Iterable[tuple[Packet, Return]], documents: Mapping[str, Asked], found: Standings, number: int
) -> Iterator[Packet]:
    for packet, each in returned:
        asked = documents[packet.document]
        if each.kind is ReturnKind.ELSEWHERE:
            yield next_packet(packet, each.card_key, asked, round_number=number)
        elif each.kind is ReturnKind.UNPARSABLE:
            notice = f"{NO_VALUE}: {each.reason}." if each.reason else f"{NO_VALUE}."
            yield ask_again(packet, each.card_key, asked, notice, round_number=number, prefill=each.text)
        else:
            # Its members count as taken for all other packets, but not for these.
            again = {name: one._replace(decided=found.documents[name].decided) for name, one in documents.items()}
            yield from one_by_one(packet, each.card_key, again, round_number=number)


def _by_name(place: Place) -> tuple[str, str]:
    return place.document, repr(place.path)
