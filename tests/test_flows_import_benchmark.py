"""Importing a benchmark, whatever its layout: what goes where, what is found, and that again changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from builders import REPOSITORY, Ended, goldleaf
from flows.benchmark import Code
from groundtruth.jsontext import Json
from groundtruth.store import Dataset
from groundtruth.truth_check import FaultCode

SCHEMA: Json = {"type": "object", "properties": {"total": {"type": "number"}, "note": {"type": ["string", "null"]}}}
RECURSIVE: Json = {
    "type": "object",
    "properties": {"part": {"$ref": "#/$defs/part"}},
    "$defs": {"part": {"type": "object", "properties": {"part": {"$ref": "#/$defs/part"}}}},
}


def write(path: Path, content: Json | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def pair(folder: Path, name: str, value: Json, schema: Json = SCHEMA, text: str | None = "") -> None:
    write(folder / f"{name}.schema.json", schema)
    write(folder / f"{name}.gold.json", value)
    if text is not None:
        write(folder / f"{name}.txt", (text or f"text of {name}").encode())


def import_pairs(tmp_path: Path, *more: object, kind: str = "pairs") -> Ended:
    return goldleaf("import", tmp_path / "source", "--from", kind, "--out", tmp_path / "out", "--json", *more)


def codes(report: Any) -> list[tuple[str, str, str]]:
    return [(one["document"], one["code"], one["path"]) for one in report["findings"]]


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".goldleaf" not in path.parts
    }


def test_a_pair_becomes_document_schema_and_truth(tmp_path: Path) -> None:
    pair(tmp_path / "source", "a", {"total": 12.5, "note": None})
    ended = import_pairs(tmp_path)
    report = ended.json
    assert (ended.code, report["findings"], report["left_out"]) == (0, [], [])
    (document,) = report["documents"]
    assert (document["document"], document["schema"]) == ("a", "a")
    assert Path(document["file"]).read_text() == "text of a"
    stored = json.loads(Path(document["truth"]).read_text())
    assert (stored["document"], stored["schema"], stored["value"]) == ("a", "a", {"total": 12.5, "note": None})
    assert Dataset.open(tmp_path / "out").schema_source("a") == SCHEMA


def test_the_same_import_again_changes_nothing(tmp_path: Path) -> None:
    pair(tmp_path / "source", "a", {"total": 1})
    pair(tmp_path / "source", "b", {"total": "x"}, RECURSIVE)
    write(tmp_path / "votes" / "birch" / "a.json", {"total": 1})
    first = import_pairs(tmp_path, "--predictions", tmp_path / "votes")
    before = files_of(tmp_path / "out")
    second = import_pairs(tmp_path, "--predictions", tmp_path / "votes")
    assert files_of(tmp_path / "out") == before
    assert second.json["findings"] == first.json["findings"]
    changes = [one["changes"] for one in second.json["documents"]]
    assert changes[0] == {"file": "unchanged", "truth": "unchanged", "ballots": {"birch": "unchanged"}}


def test_equal_schemas_are_stored_once_also_when_more_comes_later(tmp_path: Path) -> None:
    pair(tmp_path / "source", "b", {"total": 1})
    pair(tmp_path / "source", "c", {"total": 1})
    assert [one["schema"] for one in import_pairs(tmp_path).json["documents"]] == ["b", "b"]
    pair(tmp_path / "source", "a", {"total": 1})
    assert [one["schema"] for one in import_pairs(tmp_path).json["documents"]] == ["b", "b", "b"]


def test_a_truth_that_breaks_its_schema_is_imported_and_each_place_is_listed(tmp_path: Path) -> None:
    pair(tmp_path / "source", "a", {"total": None, "extra": 1})
    ended = import_pairs(tmp_path)
    assert ended.code == 1
    assert codes(ended.json) == [("a", "null_not_allowed", "total"), ("a", "undeclared_key", "extra")]
    truth = Dataset.open(tmp_path / "out").truth("a")
    assert truth is not None
    assert truth.value == {"total": None, "extra": 1}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("b.gold.json", b'{"total": ', id="cut"),
        pytest.param("b.gold.json", b'{"total": NaN}', id="NaN"),
        pytest.param("b.gold.json", b'{"total": 1, "total": 2}', id="a key twice"),
        pytest.param("b.gold.json", b"[]", id="a list"),
        pytest.param("b.schema.json", b"", id="an empty schema"),
        pytest.param("b.schema.json", b"{}", id="a schema that says nothing"),
    ],
)
def test_one_bad_document_costs_itself_only(tmp_path: Path, name: str, content: bytes) -> None:
    for stem in "abc":
        pair(tmp_path / "source", stem, {"total": 1})
    (tmp_path / "source" / name).write_bytes(content)
    ended = import_pairs(tmp_path)
    report = ended.json
    assert ended.code == 1
    assert [one["document"] for one in report["documents"]] == ["a", "c"]
    assert codes(report) == [("b", "unreadable", "")]
    assert name in report["findings"][0]["message"]


def test_a_document_without_a_file_keeps_its_truth_and_its_answers(tmp_path: Path) -> None:
    pair(tmp_path / "source", "a", {"total": 1}, text=None)
    write(tmp_path / "votes" / "birch" / "a.json", {"total": 2})
    ended = import_pairs(tmp_path, "--predictions", tmp_path / "votes")
    assert ended.code == 0
    assert [one["what"] for one in ended.json["left_out"]] == ["document a"]
    dataset = Dataset.open(tmp_path / "out")
    assert (dataset.document_ids(), dataset.truth_names(), dataset.ballot_systems("a")) == ((), ("a",), ("birch",))
    # The file can come later.
    pair(tmp_path / "source", "a", {"total": 1})
    assert import_pairs(tmp_path, "--predictions", tmp_path / "votes").json["left_out"] == []
    assert dataset.document_ids() == ("a",)


def test_a_file_that_is_no_document_is_listed_and_its_truth_is_there(tmp_path: Path) -> None:
    pair(tmp_path / "source", "a", {"total": 1}, text=None)
    write(tmp_path / "source" / "a.pdf", b"%PDF-1.7 cut")
    report = import_pairs(tmp_path).json
    assert codes(report) == [("a", "document_refused", "")]
    assert "a.pdf" in report["findings"][0]["message"]
    assert Dataset.open(tmp_path / "out").truth_names() == ("a",)


def test_two_documents_with_the_same_bytes_both_keep_their_truth(tmp_path: Path) -> None:
    pair(tmp_path / "source", "a", {"total": 1}, text="same")
    pair(tmp_path / "source", "b", {"note": "x"}, text="same")
    assert codes(import_pairs(tmp_path).json) == [("b", "document_refused", "")]
    assert Dataset.open(tmp_path / "out").truth_names() == ("a", "b")


def test_a_second_file_of_a_document_has_no_place(tmp_path: Path) -> None:
    pair(tmp_path / "source", "a", {"total": 1})
    write(tmp_path / "source" / "a.csv", b"total;1")
    report = import_pairs(tmp_path).json
    assert [one["what"] for one in report["left_out"]] == ["a.txt"]


def test_a_schema_that_does_not_compile_is_kept_with_its_truth(tmp_path: Path) -> None:
    pair(tmp_path / "source", "a", {"part": {"part": {}}}, RECURSIVE)
    report = import_pairs(tmp_path).json
    assert codes(report) == [("a", "schema_refused", "")]
    assert report["documents"][0]["schema_refused"] is True
    dataset = Dataset.open(tmp_path / "out")
    assert dataset.schema_source("a") == RECURSIVE
    assert dataset.truth_names() == ("a",)


def test_a_wrapped_schema_is_unwrapped_and_said(tmp_path: Path) -> None:
    pair(tmp_path / "source", "a", {"total": "x"}, {"name": "N", "description": "D", "schema_definition": SCHEMA})
    assert codes(import_pairs(tmp_path).json) == [("a", "schema_wrapped", ""), ("a", "wrong_type", "total")]
    dataset = Dataset.open(tmp_path / "out")
    truth = dataset.truth("a")
    assert dataset.schema_source("a") == SCHEMA
    assert truth is not None
    assert truth.further["imported"]["schema_wrapper"] == {"name": "N", "description": "D"}


def test_what_was_changed_here_is_kept_until_the_source_is_said_to_be_right(tmp_path: Path) -> None:
    pair(tmp_path / "source", "a", {"total": 1})
    import_pairs(tmp_path)
    pair(tmp_path / "source", "a", {"total": 2}, text="other bytes")
    report = import_pairs(tmp_path).json
    assert codes(report) == [("a", "document_differs", ""), ("a", "truth_differs", "")]
    dataset = Dataset.open(tmp_path / "out")
    assert dataset.document_file("a").read_text() == "text of a"
    assert codes(import_pairs(tmp_path, "--replace").json) == [("a", "document_differs", "")]
    truth = dataset.truth("a")
    assert truth is not None
    assert truth.value == {"total": 2}


def test_freezing_the_schema_makes_it_no_other_truth(tmp_path: Path) -> None:
    pair(tmp_path / "source", "a", {"total": 1})
    import_pairs(tmp_path)
    Dataset.open(tmp_path / "out").freeze("a")
    assert import_pairs(tmp_path).json["findings"] == []


def test_equal_stems_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    pair(tmp_path / "source" / "x", "a", {"total": 1}, text="one")
    pair(tmp_path / "source" / "y", "a", {"total": 2}, text="two")
    pair(tmp_path / "source" / "y", "b", {"total": 3}, text="three")
    assert [one["document"] for one in import_pairs(tmp_path).json["documents"]] == ["x-a", "y-a", "b"]


def test_a_name_that_cannot_be_a_file_name_is_changed_and_its_answers_find_it(tmp_path: Path) -> None:
    pair(tmp_path / "source", "-a ", {"total": 1})
    write(tmp_path / "votes" / "birch" / "-a .json", {"total": 1})
    (document,) = import_pairs(tmp_path, "--predictions", tmp_path / "votes").json["documents"]
    assert (document["document"], document["source_id"]) == ("a", "-a ")
    assert document["changes"]["ballots"] == {"birch": "new"}


# Answers of systems


def result(example_id: str, total: Json) -> Json:
    citation = {"field_path": "total", "page": 1, "bbox": [0.1, 0.1, 0.2, 0.02]}
    return {
        "request": {"example_id": example_id},
        "output": {"extracted_data": {"total": total}, "field_citations": [citation, {"field_path": "total"}]},
    }


def test_a_run_of_extractbench_brings_citations_and_failures(tmp_path: Path) -> None:
    for stem in "abc":
        pair(tmp_path / "source" / "short", stem, {"total": 1}, text=f"t{stem}")
    run = tmp_path / "output" / "mypipe"
    write(run / "short" / "a.result.json", result("short/a", 1))
    write(run / "short" / "renamed.result.json", result("short/b.pdf", 2))
    write(run / "short" / "z.result.json", result("short/z", 2))
    errors = [{"example_id": "short/c", "error_type": "timeout", "error": "too slow"}, {"example_id": "short/q"}]
    write(run / "_errors.json", errors)
    report = import_pairs(tmp_path, "--predictions", tmp_path / "output" / "mypipe").json
    assert codes(report) == [("c", "ballot_unusable", "")]
    dataset = Dataset.open(tmp_path / "out")
    (first,) = dataset.ballots("a")
    assert first.data == {"total": 1}
    assert [one.page for places in first.citations.values() for one in places] == [1]
    assert [ballot.data for ballot in dataset.ballots("b")] == [{"total": 2}]
    (failed,) = dataset.ballots("c")
    assert (failed.usable, str(failed.failure)) == (False, "timeout")
    left = {one["reason"] for one in report["left_out"]}
    assert left == {"no page", "belongs to no document of the benchmark", "no document is called 'short/q'"}
    again = import_pairs(tmp_path, "--predictions", tmp_path / "output").json
    assert again["documents"][0]["changes"]["ballots"] == {"mypipe": "unchanged"}
    assert dataset.systems() == ("mypipe",)


def test_a_run_folder_of_omniextractbench_gives_its_predictions(tmp_path: Path) -> None:
    pair(tmp_path / "source", "a", {"total": 1})
    write(tmp_path / "runs" / "birch-0a1b2c3d" / "predictions" / "a.json", {"total": 1})
    write(tmp_path / "runs" / "birch-0a1b2c3d" / "records" / "a.json", {"cost": 1})
    import_pairs(tmp_path, "--predictions", tmp_path / "runs", "--family", "birch-0a1b2c3d=birch")
    (ballot,) = Dataset.open(tmp_path / "out").ballots("a")
    assert (ballot.system, ballot.family, ballot.data) == ("birch-0a1b2c3d", "birch", {"total": 1})


def test_of_several_answers_on_one_document_none_is_taken(tmp_path: Path) -> None:
    pair(tmp_path / "source", "a", {"total": 1})
    write(tmp_path / "birch" / "a.json", {"total": 1})
    write(tmp_path / "birch" / "again" / "a.json", {"total": 2})
    report = import_pairs(tmp_path, "--predictions", tmp_path / "birch").json
    assert codes(report) == [("a", "ballot_unusable", "")]
    assert Dataset.open(tmp_path / "out").systems() == ()


def test_an_answer_that_is_no_json_abstains_and_is_listed(tmp_path: Path) -> None:
    pair(tmp_path / "source", "a", {"total": 1})
    write(tmp_path / "birch" / "a.json", b"{")
    assert codes(import_pairs(tmp_path, "--predictions", tmp_path / "birch").json) == [("a", "ballot_unusable", "")]
    (ballot,) = Dataset.open(tmp_path / "out").ballots("a")
    assert str(ballot.failure) == "invalid_json"


# Misuse


@pytest.mark.parametrize("kind", ["extractbench", "omniextractbench", "docubench", "contextual", "pairs"])
def test_a_folder_that_holds_nothing_of_the_kind_is_refused(tmp_path: Path, kind: str) -> None:
    (tmp_path / "source").mkdir()
    ended = import_pairs(tmp_path, kind=kind)
    assert ended.code == 2
    assert str(tmp_path / "source") in ended.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["none", "--from", "pairs", "--out", "out"], "is not there", id="no source"),
        pytest.param(["file", "--from", "pairs", "--out", "out"], "is a file", id="a file for a source"),
        pytest.param(["source", "--from", "parquet", "--out", "out"], "is one of", id="no such kind"),
        pytest.param(["source", "--from", "pairs", "--out", "source/out"], "lies in the other", id="out in source"),
        pytest.param(["source", "--from", "pairs", "--out", "."], "lies in the other", id="source in out"),
        pytest.param(["source", "--from", "pairs", "--out", "full"], "is no dataset", id="a foreign folder"),
        pytest.param(
            ["source", "--from", "pairs", "--out", "out", "--predictions", "none"], "is no folder", id="no predictions"
        ),
        pytest.param(
            ["source", "--from", "pairs", "--out", "out", "--predictions", "empty"], "no .json", id="empty predictions"
        ),
        pytest.param(["source", "--from", "pairs", "--out", "out", "--family", "x"], "NAME=FAMILY", id="half a family"),
    ],
)
def test_misuse_is_one_message_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    pair(tmp_path / "source", "a", {"total": 1})
    write(tmp_path / "full" / "notes.txt", b"mine")
    write(tmp_path / "file", b"x")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    before = files_of(tmp_path)
    ended = goldleaf("import", *arguments)
    assert ended.code == 2
    assert said in " ".join(ended.err.split()).replace("│ │ ", "")
    assert files_of(tmp_path) == before


def test_a_link_out_of_the_source_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "secret.json", {"total": 1})
    write(tmp_path / "source" / "a.schema.json", SCHEMA)
    (tmp_path / "source" / "a.gold.json").symlink_to(tmp_path / "secret.json")
    report = import_pairs(tmp_path).json
    assert codes(report) == [("a", "unreadable", "")]
    assert "link out of" in report["findings"][0]["message"]


def test_the_links_of_a_snapshot_of_the_hub_are_followed_into_its_blobs(tmp_path: Path) -> None:
    snapshot = tmp_path / "repository" / "snapshots" / "0a1b"
    write(snapshot / "a.schema.json", SCHEMA)
    blob = write(tmp_path / "repository" / "blobs" / "77", {"total": 1})
    (snapshot / "a.gold.json").symlink_to(blob)
    ended = goldleaf("import", snapshot, "--from", "pairs", "--out", tmp_path / "out", "--json")
    assert (ended.code, ended.json["findings"]) == (0, [])


def test_for_a_person_everything_is_counted_with_its_first_place(tmp_path: Path) -> None:
    pair(tmp_path / "source", "a", {"total": "x", "one": 1, "two": 2}, text=None)
    ended = goldleaf("import", tmp_path / "source", "--from", "pairs", "--out", tmp_path / "out")
    assert ended.code == 1
    row = next(line for line in ended.out.splitlines() if "undeclared_key" in line)
    assert row.split()[:4] == ["a", "undeclared_key", "2", "one:"]
    assert "0 documents, 1 truth, 0 answers of systems; 1 changed" in " ".join(ended.out.split())


def test_every_code_is_documented() -> None:
    text = (REPOSITORY / "docs" / "importing-benchmarks.md").read_text("utf-8")
    assert [str(code) for code in (*Code, *FaultCode) if f"`{code}`" not in text] == []
