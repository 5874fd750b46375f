"""The vote on the documents of a dataset: ballots in, consensus files and a review queue out.

Plain functions; the flow and the commands call them. A document whose inputs have not changed is not voted on again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from consensus.ground import ground, printed_on
from consensus.order import Voted
from consensus.vote import vote
from groundtruth import consensus_json, jsontext
from groundtruth.ballot import Ballot
from groundtruth.ballot_json import ballot_to_json
from groundtruth.consensus import Consensus
from groundtruth.document import Document, Kind
from groundtruth.errors import DatasetError, GoldleafError, JsonError, NoBallots, PathError
from groundtruth.jsontext import Json
from groundtruth.page_readings import Recognition, designated
from groundtruth.pages import open_document
from groundtruth.path import EACH, schema_path
from groundtruth.queue import QueueItem
from groundtruth.schema import FrozenSchema
from groundtruth.store import Dataset
from groundtruth.store_artefacts import Artefact

VOTE_VERSION: Final = 2
"""Raised when the same ballots would give another consensus, so that every document is voted on again."""

QUEUE_NAME: Final = "queue"


@dataclass(slots=True)
class VoteSummary:
    """What a vote over a dataset did.

    Attributes:
        voted: documents voted on now.
        unchanged: documents whose inputs are those of the consensus that is there.
        failed: documents without a vote, with the reason.
    """

    voted: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Json]:
        """The record in a command's ``--json``."""
        return {"voted": self.voted, "unchanged": self.unchanged, "failed": self.failed}


def vote_on_dataset(dataset: Dataset, documents: Iterable[str] | None = None) -> VoteSummary:
    """Vote on documents and rebuild the queue; one that cannot be voted on costs only itself.

    Args:
        dataset: where they are.
        documents: ids; None for all but those that come with their truth and were read by nobody who votes.

    Raises:
        PanelError: nobody chose who votes, and more than five systems have ballots.
    """
    systems = dataset.voting_systems()
    summary = VoteSummary()
    for document_id in sorted(dataset.document_ids() if documents is None else documents):
        try:
            if documents is None and _needs_no_vote(dataset, document_id, systems):
                continue
            changed = vote_on_document(dataset, document_id)
        except GoldleafError as error:
            summary.failed[document_id] = str(error)
            continue
        (summary.voted if changed else summary.unchanged).append(document_id)
    rebuild_queue(dataset)
    return summary


def _needs_no_vote(dataset: Dataset, document_id: str, systems: Sequence[str]) -> bool:
    is_read = not set(systems).isdisjoint(dataset.ballot_systems(document_id))
    return not is_read and dataset.document(document_id).kind.comes_with_truth


def vote_on_document(dataset: Dataset, document_id: str) -> bool:
    """Vote on one document and write its consensus; return False when nothing it depends on has changed.

    Raises:
        NoBallots: no system of the panel has a usable ballot.
        DocumentError: the document's file cannot be read.
    """
    document = dataset.document(document_id)
    schema = dataset.schema_of(document_id)
    systems = dataset.voting_systems()
    ballots = dataset.ballots(document_id, systems)
    if not ballots:
        raise NoBallots(
            f"no ballots for {document_id}: import some with `goldleaf votes import`, "
            "or let an extractor read it with `goldleaf curate`"
        )
    recognition = designated(dataset.readings_folder(document_id))
    fingerprint = _fingerprint(document, schema, ballots, systems, recognition)
    if _stored_fingerprint(dataset, document_id) == fingerprint:
        return False
    with open_document(dataset.document_file(document_id), recognition=recognition) as source:
        pages = [source.page(number) for number in range(1, source.page_count + 1)]
        result = vote(schema, ballots, kind=document.kind, printed=printed_on(pages))
        result = ground(result, schema, ballots, pages)
    text = consensus_json.file_text(
        result,
        {
            "document": document_id,
            "kind": document.kind,
            "schema": {"name": schema.name, "version": schema.version},
            "fingerprint": fingerprint,
        },
    )
    dataset.write_text(Artefact.CONSENSUS, document_id, text, "json")
    return True


def load_consensus(dataset: Dataset, document_id: str) -> Consensus:
    """The consensus of a document.

    Raises:
        DatasetError: there was no vote yet.
        JsonError: the file is damaged.
    """
    try:
        data = dataset.read_artefact(Artefact.CONSENSUS, document_id)
    except JsonError as error:
        raise JsonError(f"{error}; make it again with `goldleaf vote`") from error
    if data is None:
        raise DatasetError(f"{document_id} has no consensus yet: run `goldleaf run {dataset.root}` first")
    return consensus_json.from_json(data, source=str(dataset.artefact_path(Artefact.CONSENSUS, document_id)))


def load_votes(dataset: Dataset) -> list[Voted]:
    """Every document that has a consensus, with its schema, in the order of ids.

    A document whose schema has other leaves since is left out: it waits for a vote like one that has none.
    """
    there = set(dataset.artefact_names(Artefact.CONSENSUS))
    votes = (
        Voted(document_id, dataset.schema_of(document_id), load_consensus(dataset, document_id))
        for document_id in dataset.document_ids()
        if document_id in there
    )
    return [one for one in votes if _has_its_leaves(one)]


def without_vote(dataset: Dataset, votes: Iterable[Voted]) -> list[Document]:
    """The documents that are not among these votes, in the order of ids; some of them may need none."""
    voted = {one.document for one in votes}
    return [one for one in dataset.documents() if one.id not in voted]


def rebuild_queue(dataset: Dataset, votes: Sequence[Voted] | None = None) -> list[QueueItem]:
    """Order every question of the dataset that nobody decided yet, and write the queue.

    Nothing is asked of synthetic documents, whatever systems read in them: they were made with their truth.
    """
    from annotation.open_questions import open_places
    from flows.situations import situations_of_votes

    with dataset.lock("queue"):
        voted = load_votes(dataset) if votes is None else votes
        unknown = [one for one in voted if dataset.document(one.document).kind is not Kind.SYNTHETIC]
        asked, situations = situations_of_votes(dataset, unknown)
        items = list(open_places(asked, situations).items)
        dataset.write_records(Artefact.QUEUE, QUEUE_NAME, (item.to_json() for item in items))
    return items


def load_queue(dataset: Dataset) -> list[QueueItem]:
    """The queue as it was written last; empty before the first vote.

    Raises:
        JsonError: a line of the file is no question.
    """
    try:
        records = dataset.read_records(Artefact.QUEUE, QUEUE_NAME) or []
        return [QueueItem.from_json(record) for record in records]
    except (JsonError, KeyError, TypeError, ValueError, PathError) as error:
        file = dataset.artefact_path(Artefact.QUEUE, QUEUE_NAME, "jsonl")
        raise JsonError(f"{file}: not a review queue ({error}); make it again with `goldleaf vote`") from error


def _has_its_leaves(voted: Voted) -> bool:
    """Whether a vote is on the leaves that the schema has; cells of arrays without rows are on none."""
    on = {leaf.field for leaf in voted.consensus.leaves}
    expected = {path for path in voted.schema.leaves if EACH not in path}
    return expected <= on <= voted.schema.leaves.keys() and all(
        schema_path(row.path[:-1]) in voted.schema.tables for row in voted.consensus.rows
    )


def _stored_fingerprint(dataset: Dataset, document_id: str) -> Json:
    try:
        stored = dataset.read_artefact(Artefact.CONSENSUS, document_id)
    except GoldleafError:
        # A damaged consensus is made again; it holds nothing that the ballots do not.
        return None
    return stored.get("fingerprint") if isinstance(stored, dict) else None


def _fingerprint(
    document: Document,
    schema: FrozenSchema,
    ballots: Sequence[Ballot],
    systems: Sequence[str],
    recognition: Recognition | None,
) -> str:
    """A digest of all that the consensus depends on."""
    parts = {
        "version": VOTE_VERSION,
        "document": [document.sha256, document.kind],
        "schema": [schema.version, schema.source, schema.rules.to_json()],
        "panel": list(systems),
        "ballots": [ballot_to_json(ballot) for ballot in ballots],
        "words": None if recognition is None else [recognition.engine, recognition.digest],
    }
    return hashlib.sha256(jsontext.dumps(parts).encode()).hexdigest()
