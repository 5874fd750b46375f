"""Where the proposed values stand: what the winners cited, else what the locator found.

Citations come first: they are somebody's word on this very leaf. A value that nobody cites is sought on the pages, and
so is one that is cited on words that say something else: such a citation counts only if the value is printed nowhere.
When several places fit equally well the leaf says so and the proposal carries none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from consensus.candidates import Printed
from consensus.cited import Citations, Cited
from groundtruth.ballot import Ballot
from groundtruth.consensus import Consensus, Location
from groundtruth.locate import Sought, locate
from groundtruth.pages import Page
from groundtruth.path import Path
from groundtruth.schema import FrozenSchema


def ground(consensus: Consensus, schema: FrozenSchema, ballots: Sequence[Ballot], pages: Sequence[Page]) -> Consensus:
    """Add to every resolved, non-null leaf where its value stands.

    Args:
        consensus: the vote.
        schema: the schema it was taken under.
        ballots: the panel's ballots, for their citations.
        pages: the document's pages; none when there is no file.
    """
    citations = Citations(consensus, ballots, pages)
    sought: list[Sought] = []
    found: dict[Path, Location] = {}
    doubtful: dict[Path, Cited] = {}
    for leaf in consensus.leaves:
        if leaf.value is None:
            continue
        winner = next(one for one in leaf.candidates if one.valid and one.value == leaf.value)
        sought.append(Sought(leaf.path, schema.leaves[leaf.field], leaf.value, winner.forms))
        cited = citations.cited(sought[-1], leaf)
        if cited is None:
            continue
        if cited.said:
            found[leaf.path] = cited.location
        else:
            doubtful[leaf.path] = cited
    if pages and len(found) < len(sought):
        # All values are sought, since those of a row and of other fields tell the places of one value apart.
        located = locate(sought, pages)
        for path, cited in doubtful.items():
            if located[path].evidence:
                citations.drop(cited.places)
            else:
                found[path] = cited.location
        found = {**located, **found}
    return replace(
        consensus,
        leaves=tuple(
            leaf._replace(location=found[leaf.path]) if leaf.path in found else leaf for leaf in consensus.leaves
        ),
        messages=tuple(sorted({*consensus.messages, *citations.messages})),
    )


def printed_on(pages: Sequence[Page]) -> Printed:
    """A test for whether a text stands verbatim, up to white space, in the text layer of the pages.

    Words that were recognised prove no spelling, least of all one that the same engine votes for, so they do not count.
    """
    text: list[str] = []

    def printed(form: str) -> bool:
        if not text:
            text.append(" ".join(word.text for page in pages if not page.is_recognised for word in page.words))
        return form in text[0]

    return printed
