"""The places that systems cite for the leaves of a vote, told apart by the words that they frame.

Every citation is snapped to the words of its page first: systems whose boxes differ by convention alone cite the same
words, which are one place. What a system itself drew stays in its ballot. A place whose words do not say the value does
not stand beside one whose words do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from consensus.said import says
from groundtruth.ballot import Ballot
from groundtruth.consensus import Consensus, LeafConsensus, Location
from groundtruth.evidence import Evidence
from groundtruth.locate import Sought
from groundtruth.pages import Page
from groundtruth.path import Path
from groundtruth.snap import SnapIndex

_SAME_PLACE: Final = 0.5
"""Places that share half of the smaller one are the same: half of its words, or of its area where no words are."""


class Cited(NamedTuple):
    """What is cited for one leaf.

    Attributes:
        places: where, the most cited first.
        said: whether their words say the value, as far as one can tell; all of them do, or none.
    """

    places: tuple[Evidence, ...]
    said: bool

    @property
    def location(self) -> Location:
        """The places as the leaf's own."""
        return Location(self.places, certain=True, reason="cited")


class Citations:
    """The ballots' citations, found by the paths of the consensus."""

    def __init__(self, consensus: Consensus, ballots: Sequence[Ballot], pages: Sequence[Page]) -> None:
        self._cited: Mapping[str, Mapping[Path, tuple[Evidence, ...]]] = {
            ballot.system: ballot.citations for ballot in ballots if ballot.usable and ballot.citations
        }
        self._members = {row.path: row.members for row in consensus.rows} if self._cited else {}
        self._pages = {page.number: page for page in pages}
        self._indexes: dict[int, SnapIndex] = {}
        self._elsewhere: Counter[str] = Counter()

    @property
    def messages(self) -> list[str]:
        """Which systems cited what was not used, and why, as far as it is known by now."""
        count = len(self._pages)
        return sorted(
            [
                *(
                    f"{system}: cites page {min(pages)}, and the document has {count}; "
                    f"{pages.total()} such citations are not used"
                    for system, pages in self._false_pages()
                ),
                *(
                    f"{system}: {number} of its citations stand on other words than the value; they are not used"
                    for system, number in self._elsewhere.items()
                ),
            ]
        )

    def cited(self, sought: Sought, leaf: LeafConsensus) -> Cited | None:
        """What the winning systems cite for a leaf; None when they cite nothing that there is."""
        if not self._cited:
            return None
        winners = (found for found in leaf.candidates if found.valid and found.value == leaf.value)
        places = _joined(
            (system, self._snapped(evidence))
            for winner in winners
            for system in winner.systems
            for evidence in self._of(system, leaf.path)
            if self._is_there(evidence)
        )
        if not places:
            return None
        if not self._pages:
            return Cited(places, said=True)
        said = tuple(place for place in places if not place.boxes or says(place, sought, self._pages[place.page]))
        if said:
            self.drop([place for place in places if place not in said])
        return Cited(said or places, said=bool(said))

    def drop(self, places: Iterable[Evidence]) -> None:
        """Count the citations of places that are not used because their words say something else."""
        self._elsewhere.update(system for place in places for system in place.systems)

    def _is_there(self, evidence: Evidence) -> bool:
        # Without the document's file nobody knows its pages.
        return not self._pages or evidence.page in self._pages

    def _snapped(self, evidence: Evidence) -> Evidence:
        page = self._pages.get(evidence.page)
        if evidence.words:
            evidence = evidence.model_copy(update={"words": ()})
        if page is None or not evidence.boxes:
            return evidence
        index = self._indexes.get(page.number)
        if index is None:
            index = self._indexes[page.number] = SnapIndex(page.words, page.width, page.height)
        return index.snapped(evidence)

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

    def _false_pages(self) -> Iterator[tuple[str, Counter[int]]]:
        for system, cited in self._cited.items():
            false = Counter(
                evidence.page for places in cited.values() for evidence in places if not self._is_there(evidence)
            )
            if false:
                yield system, false


def _joined(cited: Iterable[tuple[str, Evidence]]) -> tuple[Evidence, ...]:
    """One entry per place, framed as most systems frame it; between equals the narrowest frame, then the first.

    The most cited place is first, those on words before others, then as they stand on the pages.
    """
    framed: dict[tuple[object, ...], tuple[Evidence, set[str]]] = {}
    for system, evidence in cited:
        key = (evidence.page, evidence.words or evidence.boxes)
        known, systems = framed.setdefault(key, (evidence, set()))
        systems.add(system)
        framed[key] = (min(known, evidence, key=_rank), systems)
    places: list[tuple[Evidence, set[str]]] = []
    for evidence, systems in sorted(framed.values(), key=lambda found: (-len(found[1]), *_breadth(found[0]))):
        joined = next((there for place, there in places if _same_place(place, evidence)), None)
        if joined is None:
            places.append((evidence, systems))
        else:
            joined |= systems
    places.sort(key=lambda found: (-len(found[1]), not found[0].words, *_position(found[0])))
    return tuple(evidence.model_copy(update={"systems": tuple(sorted(systems))}) for evidence, systems in places)


def _rank(evidence: Evidence) -> tuple[object, ...]:
    return evidence.quote is None, evidence.quote or "", repr(evidence.value), evidence.kind, evidence.source


def _breadth(evidence: Evidence) -> tuple[object, ...]:
    return not evidence.words, len(evidence.words), *_position(evidence)


def _position(evidence: Evidence) -> tuple[object, ...]:
    return evidence.page, evidence.words, evidence.boxes


def _same_place(one: Evidence, other: Evidence) -> bool:
    if one.page != other.page:
        return False
    if one.words and other.words:
        return len(set(one.words) & set(other.words)) >= _SAME_PLACE * min(len(one.words), len(other.words))
    here, there = one.hull, other.hull
    if here is None or there is None:
        return here is there
    return here.intersection(there) >= _SAME_PLACE * min(here.area, there.area)
