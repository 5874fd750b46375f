"""The whole circle with a person at a real browser: push, answer by keys, pull, until the truth is complete."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation.client import LabelStudio
from annotation.packet import ABSENT, PRESENT, Card
from builders import exact, goldleaf
from flows.review_state import kept_packets
from groundtruth.path import format_path
from label_studio import PASSWORD, RealServer
from labeling_screen import Screen
from review_builders import SPLIT, make_dataset, read

pytestmark = pytest.mark.e2e

LABELER = "cleo@goldleaf.example"
RIGHT = exact(read())


def test_a_person_at_the_browser_makes_the_truth(
    label_studio: RealServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in label_studio.environment.items():
        monkeypatch.setenv(name, value)
    dataset = make_dataset(tmp_path, {"a": SPLIT})
    with LabelStudio.connect(label_studio.url, label_studio.token) as client:
        client.add_user(LABELER, PASSWORD, hotkeys={"annotation:submit": "space"})
    presses = answered = 0
    with Screen(label_studio.url, LABELER, PASSWORD) as screen:
        while (pushed := _json("review", "push", dataset.root))["new"]["packets"]:
            screen.label(pushed["project"])
            for key in _in_order(label_studio, pushed["project"]):
                packet = kept_packets(dataset)[key]
                screen.wait_for(packet.cards[0].title)
                for at, card in enumerate(packet.cards):
                    keys = list(screen.keys_of(at).values())
                    screen.press(keys[card.answers.index(_right(card))])
                    presses, answered = presses + 1, answered + 1
                screen.shoot(f"circle-{packet.round}-{format_path(packet.cards[0].path)}")
                screen.press("Space")
                presses += 1
            screen.page.wait_for_timeout(2000)
            assert _json("review", "pull", dataset.root)["problems"] == []
    resolved = goldleaf("resolve", dataset.root, "--provisional", "--json")
    assert resolved.json["complete"] == 1
    truth = dataset.truth("a")
    assert truth is not None
    assert truth.value == RIGHT
    assert {each.reviewer for each in dataset.decisions("a").live()} == {LABELER}
    assert presses <= 2 * answered


def _json(*words: object) -> Any:
    ended = goldleaf(*words, "--json")
    assert ended.code == 0, ended.err
    return ended.json


def _in_order(server: RealServer, project: int) -> list[str]:
    """The packets that nobody answered, as the server hands them out."""
    with LabelStudio.connect(server.url, server.token) as client:
        return [task["data"]["packet_key"] for task in client.tasks(project) if not task["annotations"]]


def _right(card: Card) -> str:
    """The alias of the right answer."""
    path = format_path(card.path)
    if path.startswith("items[") and path.endswith("]"):
        return PRESENT if card.path[-1] in range(len(RIGHT["items"])) else ABSENT
    value: Any = RIGHT
    for step in card.path:
        value = value[step]
    return next(option.alias for option in card.options if option.value == value)
