"""Packets whose true answers are known, made so that nobody can tell them from the others.

A known packet copies the shape of a real one: so many cards, so many candidates, an answer chosen beforehand or not,
boxes that are certain or guesses. What is asked is drawn from a document whose truth is known by construction. The
cards themselves are made by the same code as all others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from annotation.asked import Asked, Sheet
from annotation.cards import leaf_card
from annotation.chance import Chance
from annotation.constructed import constructed_vote, plain_leaf
from annotation.equality import value_class
from annotation.known import Expected, Known
from annotation.known_documents import KnownDocument
from annotation.packet import MOST_CARDS, Card, Packet
from annotation.packets import packets_of
from annotation.wrong_values import wrong_values
from groundtruth.consensus import (
    Candidate,
    Disposition,
    LeafConsensus,
    Location,
    Reason,
    Tier,
)
from groundtruth.document import Kind
from groundtruth.evidence import Evidence
from groundtruth.jsontext import Json
from groundtruth.path import Path, format_path, schema_path
from groundtruth.queue import Question
from groundtruth.value import Key, Value, canonical, sort_key

MOST_CANDIDATES: Final = 4
"""So many candidates of eight cards leave a key for every other answer."""

_SHARED_REASONS: Final = frozenset({Reason.QUORUM, Reason.SINGLE_FAMILY})
"""Reasons that follow from the panel, so that a real card has them whatever it asks."""
_PAIR: Final = 2
_NULL_WEIGHT: Final = 4.0
"""What is absent is asked so many times less than its share of the cells, which in wide lists is most of them."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a card looks like, whatever it asks.

    Attributes:
        candidates: how many candidates it has.
        preselected: whether an answer is chosen beforehand.
        certain: whether its boxes are no guesses.
        reasons: why it is asked, as far as that follows from the panel.
        systems: who read it.
    """

    candidates: int = 2
    preselected: bool = False
    certain: bool = True
    reasons: tuple[Reason, ...] = ()
    systems: tuple[str, ...] = ("a", "b", "c")

    @classmethod
    def of(cls, card: Card, panel: Sequence[str]) -> Shape:
        """The shape of a real card."""
        return cls(
            candidates=min(len(card.options), MOST_CANDIDATES),
            preselected=card.preselected is not None,
            certain=card.certain,
            reasons=tuple(Reason(reason) for reason in card.reasons if reason in _SHARED_REASONS),
            systems=tuple(sorted({name for option in card.options for name in option.systems} or panel)),
        )


def shapes(packets: Iterable[Packet], panel: Sequence[str]) -> list[tuple[Shape, ...]]:
    """The shapes of the packets that ask leaves on one page for the first time, in the order of their keys."""
    return [
        tuple(Shape.of(card, panel) for card in packet.cards)
        for packet in sorted(packets, key=lambda packet: packet.key)
        if packet.known is None
        and len(packet.pages) == 1
        and not packet.rereview
        and all(card.question is Question.LEAF and not card.notice for card in packet.cards)
    ]


def known_packet(
    documents: Sequence[str],
    load: Callable[[str], KnownDocument],
    shape: Sequence[Shape],
    *,
    slot: int,
    seed: int,
    used: Collection[str],
    round_number: int,
    disguises: Mapping[str, tuple[str, str]],
    printed: Callable[[KnownDocument, int], KnownDocument] = lambda document, _: document,
) -> Packet | None:
    """Make one packet whose true answers are known; None when everything that could be asked was asked.

    Args:
        documents: the ids of what it is drawn from.
        load: gives one of them; only those that are needed are asked for.
        shape: what its cards look like.
        slot: which of the known packets it is; another slot, another draw.
        seed: another seed, another draw.
        used: the keys of cards that were asked before.
        round_number: its round.
        disguises: by document, the id and the type under which people see it.
        printed: gives a document with the boxes of one page as they are drawn on it.
    """
    chance = Chance("known", seed, slot)
    for name in chance.shuffled("documents", documents):
        document = load(name)
        for page, paths in _pages(document, chance):
            own = chance.of(document.id, page)
            chosen = _chosen(document, paths, len(shape), used, own)
            if chosen:
                shown_as, document_type = disguises[document.id]
                return _packet(
                    printed(document, page),
                    page,
                    list(zip(chosen, shape, strict=False)),
                    own,
                    Known(
                        slot=slot,
                        origin=document.origin,
                        sha256=document.sha256,
                        shown_as=shown_as,
                        expected={},
                        schema=document.schema.source,
                        rules=document.schema.rules.to_json(),
                    ),
                    round_number,
                    document_type,
                )
    return None


def disguise(models: Sequence[str], taken: Collection[str], chance: Chance) -> str:
    """An id in the manner of one of the models that is not taken: its last number counted on, or one added."""
    model = chance.choice("model", models) if models else "document-1"
    found = re.fullmatch(r"(.*?)([0-9]+)([^0-9]*)", model)
    before, digits, after = found.groups() if found else (f"{model}-", "1", "")
    number = int(digits) + 1
    while (name := f"{before}{number:0{len(digits)}}{after}") in taken:
        number += 1
    return name


def _pages(document: KnownDocument, chance: Chance) -> list[tuple[int, tuple[Path, ...]]]:
    """The pages in an order by chance, those first on which real readings differ."""
    dissent = {place.page for path in document.votes for place in document.places.get(path, ())}
    shuffled = chance.shuffled(f"pages of {document.id}", document.by_page.items())
    return sorted(shuffled, key=lambda one: one[0] not in dissent)


def _chosen(
    document: KnownDocument, paths: Sequence[Path], count: int, used: Collection[str], chance: Chance
) -> list[Path]:
    sheet = Sheet(_asked(document, {path: plain_leaf(document.schema, path, *document.leaf(path)) for path in paths}))
    free = [path for path in paths if sheet.leaf_key(sheet.leaves[path]) not in used]

    def rank(path: Path) -> tuple[bool, float]:
        weight = 1.0 if document.at(path) is not None else _NULL_WEIGHT
        return path not in document.votes, chance.draw("leaf", format_path(path)) * weight

    return sorted(free, key=rank)[: min(count, MOST_CARDS)]


def _packet(
    document: KnownDocument,
    page: int,
    chosen: Sequence[tuple[Path, Shape]],
    chance: Chance,
    known: Known,
    round_number: int,
    document_type: str,
) -> Packet:
    leaves = {path: _leaf(document, page, path, shape, chance.of(format_path(path))) for path, shape in chosen}
    sheet = Sheet(_asked(document, leaves))
    packet = packets_of([leaf_card(sheet, path) for path in leaves], round_number)[0]
    expected = {card.key: Expected(document.at(card.path), document.places.get(card.path, ())) for card in packet.cards}
    return replace(packet, document_type=document_type, known=replace(known, expected=expected))


def _leaf(document: KnownDocument, page: int, path: Path, shape: Shape, chance: Chance) -> LeafConsensus:
    """A leaf with candidates of which one is right, or which are all wrong where the answer must be typed."""
    leaf = document.schema.leaves[schema_path(path)]
    right = document.at(path)
    neighbours = document.neighbours(path)
    wrong = wrong_values(leaf, right, (document.at(near) for near in neighbours), chance)
    real = document.votes.get(path)
    candidates: Sequence[Candidate]
    if shape.preselected:
        classes = [wrong[0] if wrong and chance.draw("preselect a wrong one") < 0.5 else right]
        candidates = _candidates(document, path, classes, shape.systems, chance)
    elif real is not None and {name for each in real for name in each.systems} <= {*shape.systems}:
        candidates = real
    elif real is not None:
        # The names of systems that read nothing else here would tell, where names are shown.
        candidates = _candidates(document, path, [each.value for each in real], shape.systems, chance)
    else:
        candidates = _candidates(document, path, _classes(right, wrong, shape, chance), shape.systems, chance)
    values = [each.value for each in candidates if each.valid]
    has_null = len(values) > 1 and None in values
    reasons = {*shape.reasons, *((Reason.NULL_OVER_VALUE,) if has_null else ())}
    alone = len(candidates) == 1
    return LeafConsensus(
        path=path,
        field=leaf.path,
        tier=(Tier.ALL_NULL if values == [None] else Tier.UNANIMOUS) if alone else Tier.SPLIT,
        value=values[0] if alone else None,
        resolved=alone and shape.preselected,
        disposition=Disposition.REVIEW,
        reasons=() if alone and shape.preselected else tuple(sorted(reasons)),
        notes=(),
        votes={system: each.forms[0] for each in candidates for system in each.systems},
        candidates=tuple(candidates),
        margin=0,
        location=Location(*_places(document, page, path, values, neighbours, shape, chance)),
    )


def _classes(right: Json, wrong: Sequence[Json], shape: Shape, chance: Chance) -> list[Json]:
    """The values that were read, at most one of each system; null among them where a real card may have had it."""
    if len(shape.systems) < _PAIR:
        return [chance.choice("only", [right, *wrong[:1]])]
    most = max(1, min(shape.candidates, len(shape.systems)))
    if right is None:
        return [None, *wrong[: max(1, most - 1)]]
    if most == 1 or not wrong:
        # A value against null: which of the two is right is what is asked.
        return [right, None]
    return [right, *wrong[: most - 1]]


def _candidates(
    document: KnownDocument, path: Path, values: Sequence[Json], systems: Sequence[str], chance: Chance
) -> list[Candidate]:
    """Classes of readings in the order in which a vote has them, shared out among the systems."""
    leaf = document.schema.leaves[schema_path(path)]
    order = chance.shuffled("systems", systems)
    readers: list[list[str]] = [[] for _ in values]
    for at, system in enumerate(order):
        group = at if at < len(values) else int(chance.draw("group", at) * len(values))
        readers[group].append(system)
    valued: list[tuple[Key, Candidate]] = []
    absent: list[Candidate] = []
    for value, names in zip(values, readers, strict=True):
        read = None if value is None else canonical(leaf, value)
        one = Candidate(value, (value,), tuple(sorted(names)))
        if isinstance(read, Value):
            valued.append((read.key, one))
        else:
            absent.append(one)
    return [*(one for _, one in sorted(valued, key=lambda each: sort_key(each[0]))), *absent]


def _places(
    document: KnownDocument,
    page: int,
    path: Path,
    values: Sequence[Json],
    neighbours: Sequence[Path],
    shape: Shape,
    chance: Chance,
) -> tuple[tuple[Evidence, ...], bool, str]:
    """Where the candidates stand: a neighbour's value at the neighbour's, a misread one where it was read."""
    leaf = document.schema.leaves[schema_path(path)]
    right = document.at(path)
    own = [place.model_copy(update={"value": right}) for place in document.places.get(path, ())]
    wanted = {value_class(value, leaf) for value in values if value is not None} - {value_class(right, leaf)}
    near = [
        place.model_copy(update={"value": document.at(other)})
        for other in neighbours
        if value_class(document.at(other), leaf) in wanted
        for place in document.places[other][:1]
        if place.page == page
    ]
    if near and value_class(right, leaf) not in {value_class(value, leaf) for value in values}:
        own = []
    # The first is shown first, and must not always be the right one.
    here = [place for place in (*own, *near) if place.page == page]
    found = (*chance.shuffled("places", here), *(place for place in own if place.page != page))
    return found, shape.certain and len(found) == 1, "known"


def _asked(document: KnownDocument, leaves: Mapping[Path, LeafConsensus]) -> Asked:
    return Asked(
        document=document.id,
        type=document.type,
        kind=Kind.SYNTHETIC,
        schema=document.schema,
        consensus=constructed_vote(document.schema, leaves, document.leaf),
        page_count=document.page_count,
    )
