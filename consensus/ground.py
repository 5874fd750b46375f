"""Where the proposed values stand: what the winners cited, else what the locator found.

Citations come first: they are somebody's word on this very leaf. Places that several systems cite are one place. A
value that nobody cites is sought on the pages; when several places fit equally well the leaf says so and the proposal
carries none of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from consensus.candidates import Printed
from groundtruth.ballot import Ballot
from groundtruth.box import Box
from groundtruth.consensus import Consensus, LeafConsensus, Location
from groundtruth.evidence import Evidence
from groundtruth.locate import Sought, locate
from groundtruth.pages import Page
from groundtruth.path import Path
from groundtruth.schema import FrozenSchema

_SAME_PLACE = 0.5
"""Boxes that share half of the smaller one frame the same words; conventions of box height differ by no more."""


def ground(consensus: Consensus, schema: FrozenSchema, ballots: Sequence[Ballot], pages: Sequence[Page]) -> Consensus:
    """Add to every resolved, non-null leaf where its value stands.

    Args:
        consensus: the vote.
        schema: the schema it was taken under.
        ballots: the panel's ballots, for their citations.
        pages: the document's pages; none when there is no file.
    """
    cited = _Citations(consensus, ballots)
    sought: list[Sought] = []
    found: dict[Path, Location] = {}
    for leaf in consensus.leaves:
        if leaf.value is None:
            continue
        location = cited.location(leaf)
        if location is not None:
            found[leaf.path] = location
        elif pages:
            winner = next(one for one in leaf.candidates if one.valid and one.value == leaf.value)
            sought.append(Sought(leaf.path, schema.leaves[leaf.field], leaf.value, winner.forms))
    if sought:
        found.update(locate(sought, pages))
    return replace(
        consensus,
        leaves=tuple(
            leaf._replace(location=found[leaf.path]) if leaf.path in found else leaf for leaf in consensus.leaves
        ),
    )


def printed_on(pages: Sequence[Page]) -> Printed:
    """A test for whether a text stands verbatim, up to white space, in the text layer of the pages."""
    text: list[str] = []

    def printed(form: str) -> bool:
        if not text:
            text.append(" ".join(word.text for page in pages for word in page.words))
        return form in text[0]

    return printed


class _Citations:
    """The ballots' citations, found by the paths of the consensus."""

    def __init__(self, consensus: Consensus, ballots: Sequence[Ballot]) -> None:
        self._cited: Mapping[str, Mapping[Path, tuple[Evidence, ...]]] = {
            ballot.system: ballot.citations for ballot in ballots if ballot.usable and ballot.citations
        }
        self._members = {row.path: row.members for row in consensus.rows} if self._cited else {}

    def location(self, leaf: LeafConsensus) -> Location | None:
        """The places that the winning systems cite for a leaf, most cited first; None when they cite nothing."""
        if not self._cited:
            return None
        places: list[Evidence] = []
        for winner in leaf.candidates:
            if winner.valid and winner.value == leaf.value:
                for system in winner.systems:
                    for evidence in self._of(system, leaf.path):
                        _join(places, evidence, system)
        if not places:
            return None
        places.sort(key=lambda place: (-len(place.systems), place.page, place.boxes))
        return Location(tuple(places), certain=True, reason="cited")

    def _of(self, system: str, path: Path) -> tuple[Evidence, ...]:
        own = self._own_path(system, path)
        return self._cited.get(system, {}).get(own, ()) if own is not None else ()

    def _own_path(self, system: str, path: Path) -> Path | None:
        """The path in the system's own ballot, whose rows have other indices."""
        own = list(path)
        for at, step in enumerate(path):
            if isinstance(step, int):
                index = self._members.get(path[: at + 1], {}).get(system)
                if index is None:
                    return None
                own[at] = index
        return tuple(own)


def _join(places: list[Evidence], evidence: Evidence, system: str) -> None:
    for at, place in enumerate(places):
        if _same_place(place, evidence):
            places[at] = place.model_copy(update={"systems": tuple(sorted({*place.systems, system}))})
            return
    places.append(evidence.model_copy(update={"systems": (system,)}))


def _same_place(one: Evidence, other: Evidence) -> bool:
    if one.page != other.page:
        return False
    here, there = one.hull, other.hull
    if here is None or there is None:
        return here is there
    return _overlap(here, there) >= _SAME_PLACE


def _overlap(one: Box, other: Box) -> float:
    return one.intersection(other) / min(one.area, other.area)
