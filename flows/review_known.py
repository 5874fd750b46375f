"""Questions whose answers are known, from synthetic documents: drawn, sent among the others, and judged.

What people answered to them is kept in ``review/known.json`` and nowhere else: they decide nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Final

from annotation.chance import Chance
from annotation.known_answers import KnownAnswer, current, fold, measured
from annotation.known_cards import Shape, disguise, known_packet, shapes
from annotation.known_documents import KnownDocument
from annotation.known_votes import places_of_truth, readings_of_truth
from annotation.packet import Packet
from flows.review_plan import Copies, Plan
from flows.review_state import Choices
from flows.vote_step import load_consensus
from groundtruth import jsontext
from groundtruth.document import Document, Kind
from groundtruth.errors import DatasetError, GoldleafError, JsonError, ReviewError
from groundtruth.jsontext import Json
from groundtruth.page_readings import designated
from groundtruth.pages import open_document
from groundtruth.path import parse_path
from groundtruth.schema import FrozenSchema
from groundtruth.snap import SnapIndex
from groundtruth.store import Dataset
from groundtruth.store_artefacts import Artefact
from groundtruth.store_files import atomic_write

_HALF: Final = Decimal("0.5")
_MOST_ALONE: Final = 4
"""A known packet has fewer cards than this where there is no other packet whose look it could take."""


class Origins:
    """The datasets that known packets come from, each opened once."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._open: dict[str, Dataset | None] = {"": dataset}

    def dataset(self, origin: str) -> Dataset | None:
        """The dataset of an origin; None when it is gone."""
        if origin not in self._open:
            try:
                self._open[origin] = Dataset.open(Path(origin))
            except GoldleafError:
                self._open[origin] = None
        return self._open[origin]

    def schema(self, packet: Packet) -> FrozenSchema | None:
        """The schema of a known packet as it is now; None when it is out of reach."""
        found = self.dataset(packet.known.origin) if packet.known else None
        if found is None or packet.schema not in found.schema_names():
            return None
        return found.schema(packet.schema)

    def is_current(self, packet: Packet) -> bool:
        """Whether a known packet still asks what its document holds."""
        known = packet.known
        found = self.dataset(known.origin) if known else None
        if known is None or found is None or packet.document not in found.document_ids():
            return False
        schema = self.schema(packet)
        leaves = schema.leaves if schema else {}
        return found.document(packet.document).sha256 == known.sha256 and all(
            card.field in leaves and leaves[card.field].fingerprint == card.fingerprint for card in packet.cards
        )


def plan_known(
    plan: Plan,
    packets: Mapping[str, Packet],
    retired: Collection[str],
    copies: Mapping[str, Copies],
    answered: Collection[str],
    is_current: Callable[[Packet], bool],
) -> None:
    """Add to a plan what becomes of earlier known packets; see ``review_plan.plan``.

    They follow the same rules as the others: nobody's answer is touched, what was not sent is sent, what asks something
    else now is taken back, and of several copies that nobody touched one stays.
    """
    for key, packet in packets.items():
        if packet.known is None:
            continue
        here = copies.get(key, Copies())
        if here.touched:
            plan.delete += here.untouched
        elif key in answered and here.untouched:
            plan.delete += here.untouched[1:]
        elif key in retired or key in answered or not is_current(packet):
            plan.delete += here.untouched
            if key not in retired:
                plan.retire.append(key)
        else:
            plan.delete += here.untouched[1:]
            if not here.untouched:
                plan.resend.append(packet)


def new_known(
    dataset: Dataset,
    choices: Choices,
    kept: Mapping[str, Packet],
    gone: Collection[str],
    fresh: Sequence[Packet],
    round_number: int,
) -> tuple[tuple[Packet, ...], int]:
    """The known packets that a push adds, so that their share is as wanted; and how many there are too few.

    Args:
        dataset: what is reviewed.
        choices: at what rate, and from where.
        kept: every packet that was made before.
        gone: keys of those that were taken back.
        fresh: the other packets that this push makes.
        round_number: their round.

    Raises:
        ReviewError: some are wanted, and there is no synthetic document.
        DatasetError: the dataset that they should come from is none.
    """
    before = {key: packet for key, packet in kept.items() if key not in gone}
    asked = sum(packet.known is None for packet in before.values()) + len(fresh)
    if not choices.known or not asked:
        return (), 0
    wanted = max(1, int(choices.known * asked + _HALF))
    missing = wanted - sum(packet.known is not None for packet in before.values())
    if missing <= 0:
        return (), 0
    earlier = [packet for packet in kept.values() if packet.known is not None]
    drawn = list(_drawn(dataset, choices, earlier, [*fresh] or list(before.values()), missing, round_number))
    return tuple(drawn), missing - len(drawn)


def mixed(packets: Sequence[Packet], known: Sequence[Packet], seed: int) -> tuple[Packet, ...]:
    """All packets, the known ones at places by chance; the others keep their order."""
    found = list(packets)
    for packet in known:
        found.insert(int(Chance("place", seed, packet.key).draw() * (len(found) + 1)), packet)
    return tuple(found)


def known_answers(dataset: Dataset) -> tuple[KnownAnswer, ...]:
    """What people answered to known packets, withdrawn answers included.

    Raises:
        ReviewError: the file is damaged.
    """
    file = _file(dataset)
    if not file.exists():
        return ()
    try:
        return tuple(map(KnownAnswer.from_json, jsontext.load_file(file)))
    except (JsonError, KeyError, TypeError, ValueError) as error:
        raise ReviewError(
            f"{file}: not the answers to known questions ({error}); remove it and run `goldleaf review pull "
            f"{dataset.root}`: what is on the server still is read again"
        ) from error


def keep_known(dataset: Dataset, found: Iterable[KnownAnswer], seen: Collection[str]) -> int:
    """Fold what a pull found into the record; return how many answers are new."""
    before = known_answers(dataset)
    after = fold(before, found, seen)
    if after != before:
        text = jsontext.dumps([answer.to_json() for answer in after], indent=1)
        atomic_write(_file(dataset), f"{text}\n".encode())
    return len({answer.id for answer in after} - {answer.id for answer in before})


def answered_known(dataset: Dataset) -> set[str]:
    """The keys of known packets from which answers count."""
    return {answer.packet for answer in current(known_answers(dataset))}


def _file(dataset: Dataset) -> Path:
    return dataset.root / "review" / "known.json"


def _drawn(
    dataset: Dataset,
    choices: Choices,
    earlier: Sequence[Packet],
    models: Sequence[Packet],
    count: int,
    round_number: int,
) -> Iterator[Packet]:
    pool = _Pool(dataset, choices)
    disguises = _disguises(dataset, choices.known_seed, pool.documents, earlier)
    looks = shapes(models, dataset.panel or dataset.systems())
    used = {card.key for packet in earlier for card in packet.cards}
    first = max((packet.known.slot for packet in earlier if packet.known), default=-1) + 1
    for slot in range(first, first + count):
        chance = Chance("shape", choices.known_seed, slot)
        shape = chance.choice("model", looks) if looks else (Shape(),) * chance.choice("cards", range(1, _MOST_ALONE))
        made = None
        for names in (pool.alike, pool.others):
            made = made or known_packet(
                names,
                pool.load,
                shape,
                slot=slot,
                seed=choices.known_seed,
                used=used,
                round_number=round_number,
                disguises=disguises,
                printed=pool.as_printed,
            )
        if made is None:
            return
        used.update(card.key for card in made.cards)
        yield made


class _Pool:
    """The synthetic documents that known packets are drawn from.

    Raises:
        ReviewError: there is none.
        DatasetError: the dataset that they should come from is none.
    """

    def __init__(self, dataset: Dataset, choices: Choices) -> None:
        self._origin = choices.known_from or ""
        self._source = Dataset.open(Path(self._origin)) if self._origin else dataset
        self._loaded: dict[str, KnownDocument] = {}
        self._voted = frozenset(self._source.artefact_names(Artefact.CONSENSUS))
        own = dataset.documents()
        there = {document.id: document.sha256 for document in own}
        self.documents = [
            document
            for document in self._source.documents()
            if _has_known_truth(self._source, document)
            # Pictures are named by the document's id, so one id may not mean two documents.
            and there.get(document.id, document.sha256) == document.sha256
        ]
        if not self.documents:
            folder = self._source.root
            raise ReviewError(
                f"{folder}: holds no synthetic document, so there are no questions whose answers are known; make one "
                f"with `goldleaf synth make PATTERN --rows 200 --out {folder}` (`goldleaf synth list` names the "
                "patterns), name a dataset that has some with --known-from, or go on without by --known 0"
            )
        reviewed = {document.schema_name for document in own if document.kind is not Kind.SYNTHETIC}
        self.alike = [document.id for document in self.documents if document.schema_name in reviewed]
        self.others = [document.id for document in self.documents if document.schema_name not in reviewed]

    def load(self, document_id: str) -> KnownDocument:
        """A document with its truth, and with what systems read in it."""
        if document_id not in self._loaded:
            self._loaded[document_id] = self._load(document_id)
        return self._loaded[document_id]

    def as_printed(self, document: KnownDocument, page: int) -> KnownDocument:
        """The document with the boxes of one page as its own words have them, as those of all other cards are."""
        source = self._source
        recognition = designated(source.readings_folder(document.id))
        with open_document(source.document_file(document.id), recognition=recognition) as opened:
            shown = opened.page(page)
            index = SnapIndex(shown.words, shown.width, shown.height)
        places = {
            path: tuple(index.snapped(place) if place.page == page else place for place in found)
            for path, found in document.places.items()
        }
        return replace(document, places=places)

    def _load(self, document_id: str) -> KnownDocument:
        document, truth = self._source.document(document_id), self._source.truth(document_id)
        if truth is None:
            raise DatasetError(f"{self._source.root}: {document_id} has no truth")
        schema = self._source.schema(document.schema_name)
        places = {parse_path(path): places_of_truth(entries) for path, entries in truth.evidence.items()}
        votes = {}
        if document_id in self._voted:
            votes = readings_of_truth(schema, truth.value, load_consensus(self._source, document_id))
        return KnownDocument(
            id=document_id,
            type=document.type or "",
            sha256=document.sha256,
            origin=self._origin,
            page_count=document.pages,
            schema=schema,
            value=truth.value,
            places={path: found for path, found in places.items() if found},
            votes=votes,
        )


def _has_known_truth(source: Dataset, document: Document) -> bool:
    content = source.artefact_path(Artefact.RECIPES, document.id).with_name(document.id) / "content.json"
    return document.kind is Kind.SYNTHETIC and content.is_file() and document.id in source.truth_names()


def _disguises(
    dataset: Dataset, seed: int, documents: Iterable[Document], earlier: Iterable[Packet]
) -> dict[str, tuple[str, str]]:
    """For every synthetic document the id and the type under which people see it: those of a real one, or nearly."""
    real = {one.id: one.type or "" for one in dataset.documents() if one.kind is not Kind.SYNTHETIC}
    found = {packet.document: (packet.known.shown_as, packet.document_type) for packet in earlier if packet.known}
    for document in documents:
        if document.id in found:
            continue
        alike = {name: kind for name, kind in real.items() if kind == (document.type or "")} or real
        chance = Chance("disguise", seed, document.id)
        taken = {*real, *(name for name, _ in found.values())}
        kind = chance.choice("type", sorted(alike.values())) if alike else ""
        models = sorted(name for name, of_type in alike.items() if of_type == kind)
        found[document.id] = (disguise(models, taken, chance), kind)
    return found


def known_json(dataset: Dataset, choices: Choices) -> dict[str, Json]:
    """The part of ``review status --json`` on known questions."""
    answers = known_answers(dataset)
    return {
        "rate": choices.known,
        "from": choices.known_from,
        "packets_answered": len({answer.packet for answer in current(answers)}),
        "reviewers": {name: found.to_json() for name, found in measured(answers).items()},
    }
