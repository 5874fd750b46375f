"""``goldleaf compare``: what one system has right that another lacks, and truths that both contradict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from builders import goldleaf
from groundtruth.ballot import Ballot
from groundtruth.rules import Rules
from groundtruth.store import Dataset
from groundtruth.truth import GroundTruth

TEXT = {"type": ["string", "null"]}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "number": TEXT,
        "place": TEXT,
        "note": TEXT,
        "lines": {"type": "array", "items": {"type": "object", "properties": {"sku": TEXT, "price": TEXT}}},
    },
}
TRUTH: dict[str, Any] = {
    "number": "7",
    "place": "Bern",
    "note": None,
    "lines": [{"sku": "a", "price": "1"}, {"sku": "b", "price": "2"}, {"sku": "c", "price": "3"}],
}
SWIFT = TRUTH | {
    "place": "Basel",
    "note": "paid",
    "lines": [{"sku": "c", "price": "9"}, {"sku": "a", "price": "1"}, {"sku": "b", "price": "2"}],
}
TIDY = TRUTH | {"number": "8", "place": "Basel", "note": "paid", "lines": TRUTH["lines"][:2]}


@pytest.fixture(name="dataset")
def make_dataset(tmp_path: Path) -> Path:
    dataset = Dataset.create(tmp_path / "data")
    dataset.put_draft("bill", SCHEMA, Rules())
    for name in ("one", "two"):
        dataset.put_truth(GroundTruth(name, "bill", TRUTH))
        dataset.put_ballot(name, Ballot("swift", "swift", data=SWIFT if name == "one" else TRUTH))
        dataset.put_ballot(name, Ballot("tidy", "tidy", data=TIDY if name == "one" else TRUTH))
    return dataset.root


@pytest.mark.parametrize("metric", ["verdicts", "value-f1"])
def test_each_leaf_is_told_apart(metric: str, dataset: Path) -> None:
    ended = goldleaf("compare", dataset, "swift", "tidy", "--metric", metric, "--json")
    assert ended.code == 0
    found = ended.json
    assert {(one["address"], one["right"]) for one in found["differences"]} == {("number", "a"), ("lines[2].sku", "a")}
    by_field = {one["field"]: (one["both"], one["only_a"], one["only_b"], one["neither"]) for one in found["fields"]}
    assert by_field["lines[].sku"] == (5, 1, 0, 0)
    assert by_field["lines[].price"] == (5, 0, 0, 1)
    assert by_field["number"] == (1, 1, 0, 0)
    assert [one["field"] for one in found["fields"]][:2] == ["lines[].sku", "number"]


@pytest.mark.parametrize("metric", ["verdicts", "value-f1"])
def test_a_truth_that_both_contradict_alike_is_suspect(metric: str, dataset: Path) -> None:
    found = goldleaf("compare", dataset, "swift", "tidy", "--metric", metric, "--json").json
    suspects = [(one["document"], one["address"], one["prediction"]) for one in found["suspect_truth"]]
    assert sorted(suspects) == [("one", "note", '"paid"'), ("one", "place", '"Basel"')]


def test_the_sides_are_mirrored(dataset: Path) -> None:
    one = goldleaf("compare", dataset, "swift", "tidy", "--metric", "verdicts", "--json").json
    two = goldleaf("compare", dataset, "tidy", "swift", "--metric", "verdicts", "--json").json
    assert [(document["only_a"], document["only_b"]) for document in one["documents"]] == [
        (document["only_b"], document["only_a"]) for document in two["documents"]
    ]
    assert one["suspect_truth"] == two["suspect_truth"]


def test_folders_of_scores_are_compared(dataset: Path, tmp_path: Path) -> None:
    for system in ("swift", "tidy"):
        goldleaf("score", dataset, system, "--metric", "verdicts", "--out", tmp_path / system, "--json")
    direct = goldleaf("compare", dataset, "swift", "tidy", "--metric", "verdicts", "--json").json
    found = goldleaf("compare", tmp_path / "swift", tmp_path / "tidy", "--json").json
    assert {key: found[key] for key in ("fields", "documents", "differences")} == {
        key: direct[key] for key in ("fields", "documents", "differences")
    }


def test_a_document_that_only_one_was_scored_on_is_named(dataset: Path, tmp_path: Path) -> None:
    goldleaf("score", dataset, "swift", "--metric", "verdicts", "--out", tmp_path / "a", "--json")
    goldleaf("score", dataset, "tidy", "--metric", "verdicts", "--out", tmp_path / "b", "--documents", "two", "--json")
    assert goldleaf("compare", tmp_path / "a", tmp_path / "b", "--json").json["only_scored"] == {"one": "a"}


def test_tables_for_a_person(dataset: Path) -> None:
    ended = goldleaf("compare", dataset, "swift", "tidy", "--metric", "verdicts")
    assert ended.out.index("suspect truth") < ended.out.index("by document") < ended.out.index("by field")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["data", "swift", "tidy"], "--metric is needed"),
        (["data", "swift", "--metric", "verdicts"], "goes with a dataset"),
        (["data", "nowhere"], "run it to its end first"),
        (["data", "swift", "nobody", "--metric", "verdicts"], "no system"),
        (["one", "two"], "compare scores of one metric"),
    ],
)
def test_misuse(arguments: list[str], said: str, dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(dataset.parent)
    monkeypatch.setenv("COLUMNS", "200")
    for name, metric in (("one", "verdicts"), ("two", "value-f1")):
        folder = dataset.parent / name
        folder.mkdir()
        (folder / "summary.json").write_text(json.dumps({"metric": metric}))
    ended = goldleaf("compare", *arguments)
    assert ended.code == 2
    assert said in " ".join(ended.err.split())
