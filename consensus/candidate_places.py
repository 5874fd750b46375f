"""Where the candidates of a contested leaf may stand, so that a person who is asked about it sees where to look.

The vote places only what it proposes. A split leaf has no proposal, and a proposal that nobody finds says nothing of
where the others read theirs; so every candidate is sought by the same means: its own systems' citations, else the
locator.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from consensus.cited import Citations
from groundtruth.ballot import Ballot
from groundtruth.consensus import Consensus, LeafConsensus, Location
from groundtruth.evidence import Evidence, distinct_places
from groundtruth.locate import Sought, locate
from groundtruth.pages import Page
from groundtruth.path import Path
from groundtruth.schema import FrozenSchema

MOST_PLACES: Final = 6
"""A person who is shown more guesses than this looks at none of them."""


def candidate_places(
    consensus: Consensus,
    schema: FrozenSchema,
    ballots: Sequence[Ballot],
    pages: Sequence[Page],
    wanted: Collection[Path],
) -> dict[Path, Location]:
    """Seek every candidate of some leaves.

    Args:
        consensus: the vote.
        schema: the schema it was taken under.
        ballots: the panel's ballots, for their citations.
        pages: the document's pages in order; none when there is no file, then nothing is found.
        wanted: instance paths of the leaves; a path that the vote does not have is passed over.

    Returns:
        For every wanted leaf one location. Its evidence names in ``value`` the candidate that each place supports,
        places that candidates share are listed once, the best supported first and at most ``MOST_PLACES``; it is
        certain when all that was found is one place. A leaf whose candidates are all null has no evidence.
    """
    asked = [leaf for leaf in consensus.leaves if leaf.path in wanted]
    citations = Citations(consensus, ballots, pages)
    found: dict[Path, list[Evidence]] = {leaf.path: [] for leaf in asked}
    most = max((len(leaf.read_values) for leaf in asked), default=0)
    for layer in range(most if pages else 0):
        sought = _layer(consensus, schema, asked, layer)
        located = locate(list(sought.values()), pages)
        for leaf in asked:
            candidates = leaf.read_values
            if layer < len(candidates):
                own = sought[leaf.path]
                cited = citations.cited(own, leaf._replace(value=own.value))
                places = cited.places if cited and cited.said else located[leaf.path].evidence
                found[leaf.path] += [place.model_copy(update={"value": own.value}) for place in places]
    return {leaf.path: _location(found[leaf.path]) for leaf in asked}


def _layer(
    consensus: Consensus, schema: FrozenSchema, asked: Sequence[LeafConsensus], layer: int
) -> Mapping[Path, Sought]:
    """The candidate of that number of every asked leaf, among all that the vote is sure of.

    The other cells of a row tell the places of a value apart, so they are sought along.
    """
    sought: dict[Path, Sought] = {}
    for leaf in asked:
        candidates = leaf.read_values
        if candidates:
            one = candidates[min(layer, len(candidates) - 1)]
            sought[leaf.path] = Sought(leaf.path, schema.leaves[leaf.field], one.value, one.forms)
    for leaf in consensus.leaves:
        if leaf.path not in sought and leaf.value is not None:
            sought[leaf.path] = Sought(leaf.path, schema.leaves[leaf.field], leaf.value, (leaf.value,))
    return sought


def _location(places: Sequence[Evidence]) -> Location:
    distinct = distinct_places(places)
    if not distinct:
        return Location(reason="no_candidate_found")
    return Location(distinct[:MOST_PLACES], certain=len(distinct) == 1, reason="candidates")
