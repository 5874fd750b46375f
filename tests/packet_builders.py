"""Small makers of documents on which questions are put."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.asked import Asked
from builders import ballots
from consensus.order import Voted, review_queue
from consensus.vote import vote
from groundtruth.box import Box
from groundtruth.consensus import Location
from groundtruth.document import Kind
from groundtruth.evidence import Evidence
from groundtruth.path import format_path, parse_path
from groundtruth.queue import QueueItem
from groundtruth.schema import FrozenSchema


def spot(page: int, y: float = 0.1, x: float = 0.1) -> Evidence:
    """A place of one line on a page."""
    return Evidence(page=page, boxes=(Box(x, y, x + 0.2, y + 0.02),), quote="q")


def asked_document(
    schema: FrozenSchema,
    answers: Sequence[Any],
    *,
    document: str = "doc",
    kind: Kind = Kind.REAL,
    page_count: int = 3,
    certain: Mapping[str, Evidence] | None = None,
    guesses: Mapping[str, Sequence[Evidence]] | None = None,
    **more: Any,
) -> Asked:
    """A document that systems A, B, ... answered so.

    Args:
        schema: its schema.
        answers: one an extraction.
        document: its id.
        kind: its kind.
        page_count: how many pages it has.
        certain: by path, the place of a proposal.
        guesses: by path, where candidates may stand.
        more: other attributes of ``Asked``; paths in mappings and collections are parsed.
    """
    result = vote(schema, ballots(answers), kind=kind)
    places = {path: Location((place,), True, "unique") for path, place in (certain or {}).items()}
    leaves = tuple(leaf._replace(location=places.get(format_path(leaf.path), leaf.location)) for leaf in result.leaves)
    return Asked(
        document,
        "invoice",
        kind,
        schema,
        replace(result, leaves=leaves),
        page_count,
        places={parse_path(path): Location(tuple(found), False) for path, found in (guesses or {}).items()},
        **{name: _parsed(value) for name, value in more.items()},
    )


def queue_of(*documents: Asked) -> list[QueueItem]:
    """The questions that the votes on these documents leave open, in the order of review."""
    return review_queue([Voted(one.document, one.schema, one.consensus) for one in documents])


def by_id(*documents: Asked) -> dict[str, Asked]:
    """Documents by their ids."""
    return {one.document: one for one in documents}


def _parsed(paths: Any) -> Any:
    if isinstance(paths, Mapping):
        return {parse_path(path): value for path, value in paths.items()}
    return frozenset(map(parse_path, paths))
