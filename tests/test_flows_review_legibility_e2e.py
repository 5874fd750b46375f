"""Values of a re-capture that may not be legible: asked of a person at a real browser, until the proof knows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from annotation.client import LabelStudio
from builders import goldleaf
from flows.review_state import kept_packets
from groundtruth.path import format_path
from groundtruth.store import Dataset
from label_studio import PASSWORD, RealServer
from labeling_screen import Screen
from recapture_builders import list_dataset

pytestmark = pytest.mark.e2e

LABELER: Final = "iris@goldleaf.example"
TWIN: Final = "list-1--blurred-medium-0"
RECIPE: Final = Path(__file__).parent.parent / "degrade" / "recipes" / "image-only.json"


def blurred(folder: Path) -> Path:
    """A recipe that leaves a few values of a list for a person."""
    own = json.loads(RECIPE.read_text())
    after = [{"effect": "soften", "parameters": {"points": 0.8}}, {"effect": "grain", "parameters": {"sigma": 6}}]
    look = {"dpi": 200, "geometry": {"degrees": [1, 2]}, "after": after}
    own |= {"name": "blurred", "effects": {"soften": 1, "grain": 2}}
    own["strengths"] = dict.fromkeys(own["strengths"], look)
    path = folder / "blurred.json"
    path.write_text(json.dumps(own))
    return path


def doubts(twins: Path) -> tuple[int, dict[str, str]]:
    """The exit code of `verify`, and what it says of the values that may not be legible."""
    ended = goldleaf("recapture", "verify", twins, "--workers", 1, "--json")
    (document,) = ended.json["documents"]
    assert document["holds"] is True
    return ended.code, document["for_a_person"]


def said(*words: object) -> Any:
    ended = goldleaf(*words, "--json")
    assert ended.code == 0, ended.err
    return ended.json


def test_a_person_at_the_browser_says_what_can_be_read(
    label_studio: RealServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in label_studio.environment.items():
        monkeypatch.setenv(name, value)
    clean, twins = list_dataset(tmp_path, rows=12, size=(420.0, 595.0), font_size=8).root, tmp_path / "twins"
    made = goldleaf(
        "recapture", "make", clean, "--recipe", blurred(tmp_path), "--out", twins, "--workers", 1, "--json"
    )  # fmt: skip
    assert made.code == 1
    doubtful = made.json["documents"][0]["for_a_person"]
    assert len(doubtful) >= 3
    assert doubts(twins) == (1, dict.fromkeys(doubtful, "open"))
    with LabelStudio.connect(label_studio.url, label_studio.token) as client:
        client.add_user(LABELER, PASSWORD, hotkeys={"annotation:submit": "space"})
    pushed = said("review", "push", twins)
    (packet,) = kept_packets(Dataset.open(twins)).values()
    asked = [format_path(card.path) for card in packet.cards]
    assert sorted(asked) == doubtful
    with Screen(label_studio.url, LABELER, PASSWORD) as screen:
        screen.label(pushed["project"])
        screen.wait_for(packet.cards[0].title)
        screen.shoot("legibility")
        for at in range(len(packet.cards)):
            screen.press(next(iter(screen.keys_of(at).values())))
        screen.tick("illegible", 1)
        screen.shoot("legibility-answered")
        screen.press("Space")
        screen.page.wait_for_timeout(2000)
    assert said("review", "pull", twins)["problems"] == []
    assert doubts(twins) == (1, {asked[1]: "illegible"})
