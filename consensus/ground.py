"""Where the proposed values stand: what the winners cited, else what the locator found.

Citations come first: they are somebody's word on this very leaf. A value that nobody cites is sought on the pages; when
several places fit equally well the leaf says so and the proposal carries none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from consensus.candidates import Printed
from consensus.cited import Citations
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
    cited = Citations(consensus, ballots, pages)
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
        messages=tuple(sorted({*consensus.messages, *cited.messages})),
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
