"""The review on a real Label Studio: the whole circle, a server that is killed, ids that come again."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from annotation.client import LabelStudio
from annotation.packet import ABSENT, EDIT, PRESENT, Card, Packet
from answer_builders import chosen, sent_boxes, typed
from builders import goldleaf, shared_dir
from flows.engine import embedded_server
from flows.review_state import kept_packets, load_project
from flows.vote_step import load_votes, vote_on_dataset
from groundtruth import jsontext
from groundtruth.path import format_path
from groundtruth.store import Dataset
from label_answers import Labels, answers
from label_studio import Labeler, RealServer
from review_builders import SPLIT, Answer, make_dataset, saying

pytestmark = pytest.mark.e2e

PANEL = ("claude", "docupipe_high", "extend", "gemini", "gpt")
MANY_DOCUMENTS = 70
"""Three packets each, so more than two hundred."""


@pytest.fixture
def server(label_studio: RealServer, monkeypatch: pytest.MonkeyPatch) -> RealServer:
    for name, value in label_studio.environment.items():
        monkeypatch.setenv(name, value)
    return label_studio


@pytest.fixture
def labeler(server: RealServer) -> Iterator[Labeler]:
    with server.labeler() as somebody:
        yield somebody


def tasks_of(server: RealServer, dataset: Dataset) -> list[dict[str, Any]]:
    project = load_project(dataset)
    assert project is not None
    assert project.id is not None
    with LabelStudio.connect(server.url, server.token) as client:
        return list(client.tasks(project.id))


def keys_on(server: RealServer, dataset: Dataset) -> list[str]:
    return [task["data"]["packet_key"] for task in tasks_of(server, dataset)]


def enter(labeler: Labeler, task: Mapping[str, Any], packet: Packet, said: Answer) -> int:
    result = sent_boxes(packet) if packet.pages else []
    result += [dict(each) for at, card in enumerate(packet.cards) for each in said(at, card)]
    return labeler.annotate(task["id"], result, seconds=3.0 * len(packet.cards))


def review(command: str, dataset: Dataset, *more: object) -> Any:
    ended = goldleaf("review", command, dataset.root, *more, "--json")
    assert ended.code == 0, ended.err
    return ended.json


def test_every_kind_of_answer_comes_home_and_becomes_truth(
    server: RealServer, labeler: Labeler, tmp_path: Path
) -> None:
    dataset = make_dataset(tmp_path, {"a": SPLIT, "b": SPLIT})
    pushed = review("push", dataset)
    packets = kept_packets(dataset)
    said = saying({"number": (EDIT, "INV-204418"), "total": "c1", "items[2]": ABSENT})
    for task in tasks_of(server, dataset):
        packet = packets[task["data"]["packet_key"]]
        if packet.document == "a":
            enter(labeler, task, packet, said)
        else:
            labeler.annotate(task["id"], sent_boxes(packet), is_skip=True)
    pulled = review("pull", dataset)
    assert pulled["verdicts"] == {"absent": 1, "accept": 1, "edit": 1}
    assert pulled["states"]["skipped"] > 0
    assert not dataset.decisions("b").entries
    total = next(each for each in dataset.decisions("a").live() if format_path(each.path) == "total")
    card = next(card for packet in packets.values() for card in packet.cards if card.key == total.key)
    chosen = card.option("c1")
    assert chosen is not None
    assert (total.value, type(total.value)) == (chosen.value, type(chosen.value))
    # What was not touched is ours to the last bit.
    assert total.evidence == tuple(place for place in card.evidence if place.value == chosen.value)
    resolved = goldleaf("resolve", dataset.root, "--json")
    assert resolved.code in (0, 1)
    truth = dataset.truth("a")
    assert truth is not None
    assert (truth.value["number"], len(truth.value["items"])) == ("INV-204418", 2)
    assert truth.value["total"] == chosen.value
    assert pushed["sent"] == len(packets)


def test_the_flow_pulls_pushes_and_resolves(server: RealServer, labeler: Labeler, tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path, {"a": SPLIT})
    review("push", dataset)
    packets = kept_packets(dataset)
    for task in tasks_of(server, dataset):
        enter(labeler, task, packets[task["data"]["packet_key"]], saying({"items[2]": ABSENT}))
    with embedded_server():
        from flows.review import review as flow

        done: Any = flow(str(dataset.root))
    assert done["pulled"]["decisions"] == 3
    assert done["pushed"]["sent"] == 0
    assert done["resolved"]["complete"] == 1


def test_two_hundred_packets_outlive_a_killed_server(server: RealServer, labeler: Labeler, tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path, {f"invoice-{at:03}": SPLIT for at in range(MANY_DOCUMENTS)})
    push = _started("push", dataset)
    _wait_for(server, dataset, 80)
    server.kill()
    _, said = push.communicate(timeout=300)
    assert push.returncode == 2, said
    server.start_again()
    there = len(keys_on(server, dataset))
    review("push", dataset)
    keys = keys_on(server, dataset)
    assert len(keys) == len(set(keys)) > max(there, 200)
    assert sorted(keys) == sorted(dataset.review.packet_keys())

    packets = kept_packets(dataset)
    for task in tasks_of(server, dataset):
        enter(labeler, task, packets[task["data"]["packet_key"]], saying({"items[2]": PRESENT}))
    pull = _started("pull", dataset)
    time.sleep(2.0)
    server.kill()
    pull.communicate(timeout=300)
    server.start_again()
    review("pull", dataset)
    decided = {(name, each.key) for name in dataset.document_ids() for each in dataset.decisions(name).live()}
    asked = {(card.document, key) for packet in packets.values() for card in packet.cards for key in card.decides}
    assert decided == asked
    assert review("pull", dataset)["decisions"] == 0


def test_ids_that_come_again_in_another_project_fool_nothing(
    server: RealServer, labeler: Labeler, tmp_path: Path
) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one = make_dataset(tmp_path / "one", {"a": SPLIT})
    two = make_dataset(tmp_path / "two", {"b": SPLIT})
    project = review("push", one)["project"]
    old = tasks_of(server, one)
    with LabelStudio.connect(server.url, server.token) as client:
        client.delete_tasks(project, [task["id"] for task in old])
    review("push", two)
    new = tasks_of(server, two)
    assert {task["id"] for task in new} & {task["id"] for task in old}
    packets = kept_packets(two)
    for task in new:
        enter(labeler, task, packets[task["data"]["packet_key"]], saying({}))
    ended = goldleaf("review", "pull", one.root, "--json")
    assert ended.code == 1
    assert (ended.json["decisions"], ended.json["withdrawn"]) == (0, 0)
    assert review("pull", two)["decisions"] == sum(len(packet.cards) for packet in packets.values())
    assert len(review("push", one)["sent"] and keys_on(server, one)) == len(old)


def test_real_documents_are_answered_from_their_labels(server: RealServer, labeler: Labeler, tmp_path: Path) -> None:
    dataset = _real_documents(tmp_path)
    before = _score(dataset, tmp_path / "before")
    votes = load_votes(dataset)
    truths = {one.document: dataset.truth(one.document) for one in votes}
    labels = {
        one.document: Labels(truth.value, one.consensus, one.schema)
        for one in votes
        if (truth := truths[one.document]) is not None
    }
    seen = 0
    while True:
        pushed = review("push", dataset)
        if not pushed["new"]["packets"]:
            break
        seen += pushed["new"]["leaves"]
        packets = kept_packets(dataset)
        for task in tasks_of(server, dataset):
            packet = packets[task["data"]["packet_key"]]
            if not task["annotations"]:
                labeler.annotate(task["id"], answers(packet, labels, dataset.schema(packet.schema)), seconds=5.0)
        pulled = review("pull", dataset)
        assert pulled["problems"] == []
    after = _score(dataset, tmp_path / "after")
    leaves = sum(len(one.consensus.leaves) + len(one.consensus.rows) for one in votes)
    sys.stdout.write(f"\nleaves seen {seen} of {leaves} ({seen / leaves:.1%}); accuracy {before:.4f} -> {after:.4f}\n")
    assert after > before
    assert after > 0.98


def _real_documents(folder: Path) -> Dataset:
    goldleaf("import", shared_dir() / "real" / "docubench", "--from", "docubench", "--out", folder / "data", "--json")
    dataset = Dataset.open(folder / "data")
    dataset.set_panel(PANEL)
    assert not vote_on_dataset(dataset).failed
    return dataset


def _score(dataset: Dataset, folder: Path) -> float:
    """The accuracy of the resolved values against the labels, over the documents that have a vote."""
    ended = goldleaf("resolve", dataset.root, "--provisional", "--out", folder / "truths", "--json")
    assert ended.code in (0, 1), ended.err
    values = folder / "values"
    values.mkdir()
    for file in (folder / "truths").iterdir():
        truth = jsontext.load_file(file)
        (values / file.name).write_text(jsontext.dumps(truth["value"]), encoding="utf-8")
    scored = goldleaf("score", dataset.root, values, "--metric", "verdicts", "--json")
    return float(scored.json["mean"]["accuracy"])


def _started(command: str, dataset: Dataset) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "flows.cli", "review", command, str(dataset.root), "--json"],
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _wait_for(server: RealServer, dataset: Dataset, count: int) -> None:
    """Wait until so many tasks are on the server."""
    deadline = time.monotonic() + 300
    with LabelStudio.connect(server.url, server.token) as client:
        while time.monotonic() < deadline:
            project = load_project(dataset)
            if project is not None and project.id is not None and client.task_count(project.id) >= count:
                return
            time.sleep(0.2)
    pytest.fail(f"{count} tasks did not arrive in five minutes")


def test_known_questions_tell_who_is_careless(server: RealServer, tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path, {f"invoice-{at}": SPLIT for at in range(1, 9)})
    made = goldleaf("synth", "make", "bank-statement", "--rows", 60, "--seed", 5, "--out", dataset.root, "--json")
    (document,) = made.json["documents"]
    pushed = review("push", dataset, "--double", "--known", "50%")
    assert pushed["known"] == 12
    packets = kept_packets(dataset)
    expected = {
        key: each.value for packet in packets.values() if packet.known for key, each in packet.known.expected.items()
    }

    def carefully(at: int, card: Card) -> list[dict[str, Any]]:
        if card.key not in expected:
            return [chosen(at, card.answers[0])]
        value = expected[card.key]
        alias = next((option.alias for option in card.options if option.value == value), None)
        if value is not None and alias is None:
            return [chosen(at, EDIT), typed(at, str(value))]
        return [chosen(at, alias or "null")]

    sent = jsontext.dumps([task["data"] for task in tasks_of(server, dataset)])
    assert document["document"] not in sent
    assert "known" not in sent
    with server.labeler() as careful, server.labeler() as careless:
        for task in tasks_of(server, dataset):
            packet = packets[task["data"]["packet_key"]]
            enter(careful, task, packet, carefully)
            enter(careless, task, packet, lambda at, card: [chosen(at, card.answers[0])])
        pulled = review("pull", dataset)
        assert pulled["known"] == 2 * len(expected)
        status = review("status", dataset)
        people = status["known"]["reviewers"]
        good, bad = people[careful.email], people[careless.email]
        assert (good["right"], good["wrong"], good["accuracy"]) == (len(expected), 0, 1)
        assert bad["right"] + bad["wrong"] == len(expected)
        assert bad["accuracy"] < good["interval"][0]
        assert len(bad["mistakes"]) == bad["wrong"] > 0
        shown = goldleaf("review", "status", dataset.root)
        assert "Known questions" in shown.out
        assert careless.email in shown.out
        sys.stdout.write(f"\n{shown.out}")
    assert not dataset.decisions(document["document"]).entries
    more = review("push", dataset)
    assert 0 < more["known"] < more["new"]["packets"]
    again = review("push", dataset)
    assert (again["known"], again["sent"]) == (0, 0)
    keys = keys_on(server, dataset)
    assert len(keys) == len(set(keys))
