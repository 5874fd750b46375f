"""Where an answered value stands: our own evidence for boxes that nobody touched, a person's for the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from annotation.coordinates import from_percent, to_percent
from annotation.packet import Card
from annotation.regions import CardAnswer, Drawn
from groundtruth.box import Box
from groundtruth.evidence import Evidence, Source

_SAME = 1e-9
"""In percent of the page; far below what a mouse can do, far above what writing a number in decimals loses."""


class Places(NamedTuple):
    """Where an answered value stands.

    Attributes:
        evidence: one for each place; an untouched one is the very object of the card.
        changed: whether a box was moved, drawn or removed.
        notes: boxes that were left out, for people.
    """

    evidence: tuple[Evidence, ...]
    changed: bool
    notes: tuple[str, ...] = ()


class _Line(NamedTuple):
    """A box that we sent: which place of the card it belongs to, and which line of it."""

    place: int
    line: int
    box: Box


def region_ids(card: Card) -> Iterator[tuple[str, int, int]]:
    """The region id of every box of a card, with the place in ``card.evidence`` and the line that it is.

    Boxes are numbered from 0 through all evidence of the card, whether its page is shown or not.
    """
    number = 0
    for at, place in enumerate(card.evidence):
        for line in range(len(place.boxes)):
            yield f"{card.key}.{number}", at, line
            number += 1


def places_of(card: Card, answer: CardAnswer, pages: Sequence[int], supports: Callable[[Evidence], bool]) -> Places:
    """What became of a card's boxes.

    Args:
        card: what was asked.
        answer: what came back.
        pages: the pages that were shown; places on other pages stay as they are.
        supports: whether an untouched place speaks for the answered value; one that does not is left out, which is no
            change by the person.

    A moved box keeps its place; drawn boxes of a page are one further place there, or join the only one. Where our
    boxes were guesses, a person's box takes their place.
    """
    if answer.turned:
        # The numbers of a turned picture say nothing, so what we knew before stands.
        return Places(tuple(filter(supports, card.evidence)), changed=False)
    untouched, moved, drawn, off_page = _sorted(card, answer)
    by_person = bool(moved or drawn)
    shown = frozenset(pages)
    removed = False
    kept: list[Evidence] = []
    for at, place in enumerate(card.evidence):
        if place.page not in shown or not place.boxes:
            kept.extend([place] if supports(place) else [])
            continue
        lines = [
            moved.get((at, line), box if (at, line) in untouched else None) for line, box in enumerate(place.boxes)
        ]
        here = [box for box in lines if box is not None]
        removed |= len(here) < len(lines)
        if len(here) == len(lines) and not any(key[0] == at for key in moved):
            kept.extend([place] if supports(place) and (card.certain or not by_person) else [])
        elif here:
            kept.append(_by_person(place.page, here))
    for page in sorted({page for page, _ in drawn}):
        kept = _with_drawn(kept, page, [box for at, box in drawn if at == page])
    notes = (f"{card.title or card.key}: a box off the page was left out",) * off_page
    return Places(tuple(kept), removed or by_person or bool(off_page), notes)


def _sorted(
    card: Card, answer: CardAnswer
) -> tuple[set[tuple[int, int]], dict[tuple[int, int], Box], list[tuple[int, Box]], int]:
    """Our boxes that are as we sent them, those that were moved, new ones by page, and how many lie off the page."""
    sent = {key: _Line(at, line, card.evidence[at].boxes[line]) for key, at, line in region_ids(card)}
    untouched: set[tuple[int, int]] = set()
    rest: list[Drawn] = []
    for box in answer.boxes:
        line = sent.get(box.id)
        if line and card.evidence[line.place].page == box.page and _is_same(line.box, box):
            untouched.add((line.place, line.line))
        else:
            rest.append(box)
    moved: dict[tuple[int, int], Box] = {}
    drawn: list[tuple[int, Box]] = []
    off_page = 0
    for box in rest:
        place = from_percent(box.value)
        line = sent.get(box.id)
        if place is None:
            off_page += 1
        elif (
            line is not None
            and card.evidence[line.place].page == box.page
            and (key := (line.place, line.line)) not in untouched
            and key not in moved
        ):
            moved[key] = place
        else:
            # A second region under an id that is taken: a server that gives ids twice must not lose a box.
            drawn.append((box.page, place))
    return untouched, moved, drawn, off_page


def _is_same(box: Box, drawn: Drawn) -> bool:
    numbers = [drawn.value[name] for name in ("x", "y", "width", "height")]
    near = (
        math.isclose(sent, got, rel_tol=0.0, abs_tol=_SAME) for sent, got in zip(to_percent(box), numbers, strict=True)
    )
    return drawn.value["rotation"] == 0 and all(near)


def _by_person(page: int, boxes: Sequence[Box]) -> Evidence:
    return Evidence(page=page, boxes=tuple(boxes), source=Source.PERSON)


def _with_drawn(kept: list[Evidence], page: int, boxes: list[Box]) -> list[Evidence]:
    # A place without boxes says the page only, which the drawn box says better.
    kept = [place for place in kept if place.boxes or place.page != page]
    here = [place for place in kept if place.page == page]
    if len(here) != 1:
        return [*kept, _by_person(page, sorted(boxes, key=_reading_order))]
    joined = _by_person(page, sorted((*here[0].boxes, *boxes), key=_reading_order))
    return [joined if place is here[0] else place for place in kept]


def _reading_order(box: Box) -> tuple[float, float]:
    return (box.y0, box.x0)
