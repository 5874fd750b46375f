"""Packets of the real documents of a benchmark, with the answers of five of its systems."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.asked import Asked
from annotation.choose import choose
from annotation.estimate import estimate
from annotation.packet import MOST_CARDS, MOST_KEYS
from annotation.packets import deferred, make_packets, wanted_places
from builders import goldleaf, shared_dir
from consensus.candidate_places import candidate_places
from flows.vote_step import load_votes, rebuild_queue, vote_on_document
from groundtruth.pages import open_document
from groundtruth.queue import Question, QueueItem
from groundtruth.store import Dataset

PANEL = ("claude", "docupipe_high", "extend", "gemini", "gpt")


@pytest.mark.e2e
def test_every_open_leaf_of_the_real_documents_is_asked_once(tmp_path: Path) -> None:
    source = shared_dir() / "real" / "docubench"
    goldleaf("import", source, "--from", "docubench", "--out", tmp_path / "data", "--json")
    dataset = Dataset.open(tmp_path / "data")
    dataset.set_panel(PANEL)
    for name in dataset.document_ids():
        vote_on_document(dataset, name)
    queue = rebuild_queue(dataset)
    documents = _documents(dataset, queue)
    packets = make_packets(choose(queue), documents, round_number=1)
    cards = [card for packet in packets for card in packet.cards]
    waiting = sum(len(item.places) for item in deferred(queue, documents))
    asked = sum(len(card.members) or 1 for card in cards)
    assert asked == estimate(packets).leaves
    assert asked + waiting == sum(len(item.places) for item in queue)
    # A page is opened for about three questions; one packet a question would be three times as many.
    assert len(packets) < len(queue) / 2
    assert all(len(packet.cards) <= MOST_CARDS for packet in packets)
    assert all(len(p.cards) == 1 or sum(len(card.answers) for card in p.cards) <= MOST_KEYS for p in packets)
    rows = [card for card in cards if card.question is Question.ROW]
    assert sum(bool(card.evidence) for card in rows) > len(rows) / 2
    assert all(card.context for card in rows)


def _documents(dataset: Dataset, queue: list[QueueItem]) -> dict[str, Asked]:
    documents = {}
    for one in load_votes(dataset):
        document = dataset.document(one.document)
        documents[one.document] = Asked(
            one.document, document.type or "", document.kind, one.schema, one.consensus, document.pages
        )
    for name, wanted in wanted_places(queue, documents).items():
        asked = documents[name]
        with open_document(dataset.document_file(name)) as source:
            pages = [source.page(number) for number in range(1, source.page_count + 1)]
            ballots = dataset.ballots(name, asked.consensus.systems)
            places = candidate_places(asked.consensus, asked.schema, ballots, pages, wanted)
        documents[name] = asked._replace(places=places)
    return documents
