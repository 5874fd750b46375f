"""The real documents of a benchmark, answered from their labels, become the truth that the labels are."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from annotation.asked import Asked
from annotation.open_questions import open_places
from annotation.resolve import resolve
from annotation.situation import Situation
from builders import goldleaf, shared_dir
from consensus.order import Voted, review_queue
from decision_builders import decide, stands
from flows.vote_step import load_votes, vote_on_dataset
from groundtruth.decision import Decision, Verdict
from groundtruth.path import format_path
from groundtruth.queue import Question
from groundtruth.store import Dataset
from label_answers import MISSING, Labels

PANEL = ("claude", "docupipe_high", "extend", "gemini", "gpt")


@pytest.mark.e2e
def test_answering_all_that_is_asked_from_the_labels_gives_the_labels(tmp_path: Path) -> None:
    source = shared_dir() / "real" / "docubench"
    goldleaf("import", source, "--from", "docubench", "--out", tmp_path / "data", "--json")
    dataset = Dataset.open(tmp_path / "data")
    dataset.set_panel(PANEL)
    assert not vote_on_dataset(dataset).failed
    before, after = {}, {}
    for voted in load_votes(dataset):
        asked = Asked(voted.document, "", dataset.document(voted.document).kind, voted.schema, voted.consensus, 1)
        before[voted.document] = _score(dataset, stands(asked), tmp_path)
        answered = _answered(dataset, voted, asked)
        assert resolve(answered).is_complete
        after[voted.document] = _score(dataset, answered, tmp_path)
    assert all(after[name] >= before[name] for name in before)
    # What remains was never asked: all systems read alike what the labels have otherwise, in two documents.
    assert sum(value < 1.0 for value in after.values()) <= 2
    assert fmean(after.values()) > 0.99 > fmean(before.values())


def _answered(dataset: Dataset, voted: Voted, asked: Asked) -> Situation:
    truth = dataset.truth(voted.document)
    assert truth is not None
    labels = Labels(truth.value, voted.consensus, voted.schema)
    queue = review_queue([voted])
    decisions: list[Decision] = []
    while items := open_places(queue, {voted.document: stands(asked, *decisions)}).items:
        for item in items:
            for place in item.places:
                label, path = labels.at(place.path), format_path(place.path)
                if item.question is Question.ROW:
                    verdict = Verdict.ABSENT if label is MISSING else Verdict.PRESENT
                    decisions.append(decide(asked, path, verdict=verdict))
                else:
                    decisions.append(decide(asked, path, None if label is MISSING else label))
    return stands(asked, *decisions)


def _score(dataset: Dataset, situation: Situation, folder: Path) -> float:
    """Value F1 of what is resolved, majorities that nobody looked at included, against the labels."""
    truth = dataset.truth(situation.document)
    assert truth is not None
    (folder / "schema.json").write_text(json.dumps(situation.schema.source, default=str))
    value: Any = resolve(situation, provisional=True).truth.to_json()["value"]
    (folder / "prediction.json").write_text(json.dumps(value, default=float))
    files = ["--schema", folder / "schema.json", "--prediction", folder / "prediction.json"]
    truth_file = dataset.root / "truth" / f"{situation.document}.json"
    found = goldleaf("score", "--metric", "value-f1", *files, "--truth", truth_file, "--json").json
    return float(found["value"]["f1"])
