"""What was recognised on the pages of a document stays with its bytes, and goes with them."""

from __future__ import annotations

import shutil
from pathlib import Path

import document_builders as made
from extraction_builders import dataset_of
from groundtruth.store import Dataset


def with_words(dataset: Dataset, document: str) -> Path:
    """Put a reading where those of a document are kept."""
    folder = dataset.readings_folder(document)
    (folder / "engine").mkdir(parents=True)
    (folder / "engine" / "00001.json").write_text("{}\n")
    return folder


def test_they_lie_under_the_hash_of_the_bytes(tmp_path: Path) -> None:
    dataset = dataset_of(tmp_path / "set", ["a"])
    assert dataset.readings_folder("a") == tmp_path / "set" / "words" / dataset.document("a").sha256


def test_they_go_with_the_document(tmp_path: Path) -> None:
    dataset = dataset_of(tmp_path / "set", ["a", "b"])
    own, other = with_words(dataset, "a"), with_words(dataset, "b")
    removed = dataset.remove_document("a")
    assert f"words/{own.name}" in removed
    assert (own.exists(), other.exists()) == (False, True)


def test_they_go_with_the_old_bytes(tmp_path: Path) -> None:
    dataset = dataset_of(tmp_path / "set", ["a"])
    old = with_words(dataset, "a")
    file = tmp_path / "other.pdf"
    file.write_bytes(made.pdf(["other"]))
    _, removed = dataset.replace_document("a", file)
    assert removed == [f"words/{old.name}"]
    assert not old.exists()
    assert dataset.readings_folder("a") != old


def test_they_stay_while_a_copied_folder_holds_the_same_bytes(tmp_path: Path) -> None:
    dataset = dataset_of(tmp_path / "set", ["a"])
    words = with_words(dataset, "a")
    twin = tmp_path / "set" / "documents" / "b"
    shutil.copytree(twin.with_name("a"), twin)
    record = twin / "document.json"
    record.write_text(record.read_text().replace('"id": "a"', '"id": "b"'))
    assert dataset.remove_document("a") == ["documents/a"]
    assert words.exists()
    dataset.remove_document("b")
    assert not words.exists()


def test_a_damaged_record_does_not_hinder_a_removal(tmp_path: Path) -> None:
    dataset = dataset_of(tmp_path / "set", ["a", "b"])
    words = with_words(dataset, "a")
    (tmp_path / "set" / "documents" / "b" / "document.json").write_text("{")
    assert dataset.remove_document("b") == ["documents/b"]
    assert words.exists()
