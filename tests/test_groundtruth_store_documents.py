"""The documents of a dataset: what may come in, what goes with them, and that nothing leaves the folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from groundtruth.ballot import Ballot
from groundtruth.document import Kind
from groundtruth.errors import (
    DatasetError,
    DuplicateDocument,
    UnknownDocument,
    UnsupportedDocument,
)
from groundtruth.jsontext import Json
from groundtruth.rules import Rules
from groundtruth.store import Dataset
from groundtruth.store_artefacts import Artefact
from groundtruth.store_files import content_hash

SCHEMA: Json = {"type": "object", "properties": {"total": {"type": ["number", "null"]}}}


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    made = Dataset.create(tmp_path / "data")
    made.put_draft("invoice", SCHEMA, Rules())
    return made


@pytest.fixture
def text_file(tmp_path: Path) -> Callable[..., Path]:
    def write(name: str = "a.txt", text: str = "Total 12") -> Path:
        path = tmp_path / "incoming" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    return write


def tree(root: Path) -> list[str]:
    """Every file that is not the store's own, below the root."""
    files = [path.relative_to(root) for path in root.rglob("*") if path.is_file()]
    return sorted(str(file) for file in files if ".goldleaf" not in file.parts)


class TestDocuments:
    def test_a_document_is_copied_in_and_described(self, dataset: Dataset, text_file: Callable[..., Path]) -> None:
        file = text_file("Bill 7.TXT")

        document = dataset.add_document(file, schema="invoice", kind=Kind.FORM, type="bill", tags={"lang": "en"})

        assert document == dataset.document("Bill 7")
        assert (document.file, document.original_name, document.pages) == ("Bill 7.txt", "Bill 7.TXT", 1)
        assert document.notes == ("reflowed",)
        assert (document.kind, document.type, document.tags) == (Kind.FORM, "bill", {"lang": "en"})
        assert document.sha256 == content_hash(file.read_bytes())
        assert dataset.document_file("Bill 7").read_bytes() == file.read_bytes()
        assert dataset.document_ids() == ("Bill 7",)
        assert dataset.schema_of("Bill 7").name == "invoice"

    def test_records_are_written_the_same_way_every_time(
        self, dataset: Dataset, text_file: Callable[..., Path]
    ) -> None:
        dataset.add_document(text_file(), schema="invoice")

        record = dataset.root / "documents" / "a" / "document.json"
        text = record.read_text()
        assert text == json.dumps(json.loads(text), indent=1, sort_keys=True, ensure_ascii=False) + "\n"

    def test_an_id_that_is_taken_names_both_documents(self, dataset: Dataset, text_file: Callable[..., Path]) -> None:
        dataset.add_document(text_file("a.txt"), schema="invoice")

        with pytest.raises(DuplicateDocument) as caught:
            dataset.add_document(text_file("b.txt", "other"), schema="invoice", id="a")

        assert "b.txt" in str(caught.value)
        assert "'a.txt'" in str(caught.value)
        assert dataset.document_ids() == ("a",)

    def test_the_same_bytes_under_another_id_name_both_documents(
        self, dataset: Dataset, text_file: Callable[..., Path]
    ) -> None:
        dataset.add_document(text_file("a.txt"), schema="invoice")

        with pytest.raises(DuplicateDocument, match=r"b\.txt: has the same bytes as document 'a'"):
            dataset.add_document(text_file("b.txt"), schema="invoice")

    def test_decomposed_letters_are_the_same_id(self, dataset: Dataset, text_file: Callable[..., Path]) -> None:
        dataset.add_document(text_file("cafe\u0301.txt"), schema="invoice")

        assert dataset.document_ids() == ("caf\u00e9",)
        assert dataset.document("cafe\u0301").id == "caf\u00e9"
        with pytest.raises(DuplicateDocument):
            dataset.add_document(text_file("caf\u00e9.txt", "other"), schema="invoice")

    @pytest.mark.parametrize(
        "name",
        [
            pytest.param("..pdf.txt", id="dots"),
            pytest.param("line\nend.txt", id="line end"),
            pytest.param("tab\tname.txt", id="control character"),
            pytest.param("-f.txt", id="an option"),
            pytest.param("x" * 240 + ".txt", id="very long"),
        ],
    )
    def test_a_hostile_file_name_is_refused_and_comes_in_under_a_given_id(
        self, dataset: Dataset, text_file: Callable[..., Path], name: str
    ) -> None:
        file = text_file(name)

        with pytest.raises(DatasetError, match="--id") as caught:
            dataset.add_document(file, schema="invoice")
        assert str(caught.value).isprintable()
        assert dataset.document_ids() == ()

        document = dataset.add_document(file, schema="invoice", id="good")
        assert (document.file, document.original_name) == ("good.txt", name)

    @pytest.mark.parametrize("name", ["../../escaped", "/etc/passwd", "a/b", "..", "nul\x00byte", "a\nb"])
    def test_a_hostile_id_never_leaves_the_folder(
        self, dataset: Dataset, text_file: Callable[..., Path], tmp_path: Path, name: str
    ) -> None:
        file = text_file()
        before = tree(tmp_path)

        with pytest.raises(DatasetError):
            dataset.add_document(file, schema="invoice", id=name)
        for method in (dataset.document, dataset.document_file, dataset.remove_document, dataset.ballots):
            with pytest.raises(UnknownDocument):
                method(name)

        assert tree(tmp_path) == before

    def test_an_undecodable_file_name_comes_in_under_a_given_id(self, dataset: Dataset, tmp_path: Path) -> None:
        file = Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.txt"))
        file.write_text("Total 12")

        with pytest.raises(DatasetError, match="U\\+DCFF"):
            dataset.add_document(file, schema="invoice")
        assert dataset.add_document(file, schema="invoice", id="good").original_name == "bad\\udcff.txt"

    def test_a_document_called_like_our_record_does_not_overwrite_it(
        self, dataset: Dataset, text_file: Callable[..., Path]
    ) -> None:
        document = dataset.add_document(text_file("document.json", '{"a": 1}'), schema="invoice")

        assert dataset.document_file("document").read_text() == '{"a": 1}'
        assert dataset.document("document") == document

    def test_a_file_that_is_no_document_leaves_nothing(self, dataset: Dataset, tmp_path: Path) -> None:
        file = tmp_path / "a.bin"
        file.write_bytes(bytes(range(256)))

        with pytest.raises(UnsupportedDocument, match=r"a\.bin"):
            dataset.add_document(file, schema="invoice")

        assert tree(dataset.root / "documents") == []

    def test_an_unknown_schema_is_refused_before_anything_is_copied(
        self, dataset: Dataset, text_file: Callable[..., Path]
    ) -> None:
        with pytest.raises(DatasetError, match=r"no schema 'other'; it has 'invoice'"):
            dataset.add_document(text_file(), schema="other")

        assert dataset.document_ids() == ()

    def test_an_unknown_document_names_the_nearest(self, dataset: Dataset, text_file: Callable[..., Path]) -> None:
        dataset.add_document(text_file("invoice-2024.txt"), schema="invoice")

        with pytest.raises(UnknownDocument, match="did you mean 'invoice-2024'"):
            dataset.document("invoice-2025")

    @pytest.mark.parametrize("name", ["x", ".hidden", "notes.md"])
    def test_other_files_among_the_documents_are_no_documents(self, dataset: Dataset, name: str) -> None:
        (dataset.root / "documents" / name).mkdir(parents=True)

        assert dataset.document_ids() == ()

    def test_a_record_of_another_document_is_refused(self, dataset: Dataset, text_file: Callable[..., Path]) -> None:
        dataset.add_document(text_file(), schema="invoice")
        (dataset.root / "documents" / "a").rename(dataset.root / "documents" / "b")

        with pytest.raises(DatasetError, match="is the record of 'a'"):
            dataset.document("b")

    def test_a_missing_file_is_said_with_the_cure(self, dataset: Dataset, text_file: Callable[..., Path]) -> None:
        dataset.add_document(text_file(), schema="invoice")
        dataset.document_file("a").unlink()

        with pytest.raises(DatasetError, match="goldleaf replace"):
            dataset.document_file("a")


class TestLinks:
    def test_a_document_file_that_links_out_is_not_read(
        self, dataset: Dataset, text_file: Callable[..., Path], tmp_path: Path
    ) -> None:
        dataset.add_document(text_file(), schema="invoice")
        secret = tmp_path / "secret.txt"
        secret.write_text("secret")
        file = dataset.root / "documents" / "a" / "a.txt"
        file.unlink()
        file.symlink_to(secret)

        with pytest.raises(DatasetError, match="leads out of the dataset"):
            dataset.document_file("a")

    def test_a_folder_that_links_out_is_not_written_to(self, dataset: Dataset, tmp_path: Path) -> None:
        outside = tmp_path / "outside"
        outside.mkdir()
        (dataset.root / "consensus").symlink_to(outside)

        with pytest.raises(DatasetError, match="leads out of the dataset"):
            dataset.write_artefact(Artefact.CONSENSUS, "a", {})

        assert tree(outside) == []

    def test_removing_a_document_does_not_follow_links(
        self, dataset: Dataset, text_file: Callable[..., Path], tmp_path: Path
    ) -> None:
        dataset.add_document(text_file(), schema="invoice")
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "kept.txt").write_text("kept")
        (dataset.root / "documents" / "a" / "link").symlink_to(outside)

        dataset.remove_document("a")

        assert tree(outside) == ["kept.txt"]

    def test_a_link_in_a_circle_is_an_error_not_a_hang(self, dataset: Dataset) -> None:
        (dataset.root / "consensus").symlink_to(dataset.root / "consensus")

        with pytest.raises(DatasetError):
            dataset.read_artefact(Artefact.CONSENSUS, "a")

    def test_a_dataset_behind_a_link_is_a_dataset(self, dataset: Dataset, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(dataset.root)

        assert Dataset.open(tmp_path / "link").schema_names() == ("invoice",)


@pytest.fixture
def full(dataset: Dataset, text_file: Callable[..., Path]) -> Dataset:
    """A dataset in which two documents, one named like a file of the other, have all artefacts but decisions."""
    for name in ("a", "a.json"):
        dataset.add_document(text_file(f"{name}.txt", f"text of {name}"), schema="invoice")
        dataset.put_ballot(name, Ballot("gpt", "gpt", data={"total": 1}), raw=(b'{"total":1}', "json"))
        dataset.write_artefact(Artefact.CONSENSUS, name, {"of": name})
        dataset.write_text(Artefact.CONSENSUS, name, name, "md")
        dataset.write_artefact(Artefact.TRUTH, name, {"of": name})
    return dataset


class TestRemoving:
    def test_all_that_was_made_of_a_document_goes_with_it_and_nothing_else(self, full: Dataset) -> None:
        removed = full.remove_document("a")

        assert removed == ["ballots/a", "consensus/a.json", "consensus/a.md", "truth/a.json", "documents/a"]
        assert full.document_ids() == ("a.json",)
        assert full.read_artefact(Artefact.CONSENSUS, "a.json") == {"of": "a.json"}
        assert full.ballot_systems("a.json") == ("gpt",)
        assert full.sweep() == 0

    def test_the_record_of_a_re_capture_goes_with_it(self, full: Dataset) -> None:
        for name in ("a", "a.json"):
            record = full.root / "recaptures" / f"{name}.json"
            record.parent.mkdir(exist_ok=True)
            record.write_text("{}")

        assert "recaptures/a.json" in full.remove_document("a")
        assert [path.name for path in (full.root / "recaptures").iterdir()] == ["a.json.json"]

    def test_removing_the_document_named_like_a_file_leaves_that_file(self, full: Dataset) -> None:
        full.remove_document("a.json")

        assert full.read_artefact(Artefact.CONSENSUS, "a") == {"of": "a"}
        assert full.ballot_systems("a") == ("gpt",)

    @pytest.mark.parametrize("method", ["remove", "replace"])
    def test_decisions_of_people_are_given_up_only_by_force(
        self, full: Dataset, text_file: Callable[..., Path], method: str
    ) -> None:
        full.write_records(Artefact.DECISIONS, "a", [{"path": "total"}])
        before = tree(full.root)

        def change(*, force: bool) -> list[str]:
            if method == "remove":
                return full.remove_document("a", force=force)
            return full.replace_document("a", text_file("new.txt", "new"), force=force)[1]

        with pytest.raises(DatasetError, match=r"decisions/a\.jsonl\); --force"):
            change(force=False)
        assert tree(full.root) == before
        assert "decisions/a.jsonl" in change(force=True)

    @pytest.mark.parametrize("method", ["remove", "replace"])
    def test_packets_of_the_review_go_with_their_documents(
        self, full: Dataset, text_file: Callable[..., Path], method: str
    ) -> None:
        full.review.put_packet("k1", {"document": "a", "cards": []})
        full.review.put_packet("k2", {"document": "a.json", "cards": [{"members": [{"document": "a"}]}]})
        full.review.put_packet("k3", {"document": "a.json", "cards": [{"document": "a.json", "members": []}]})
        full.review.put_packet("k4", ["damaged"])

        removed = (
            full.remove_document("a")
            if method == "remove"
            else full.replace_document("a", text_file("new.txt", "new"))[1]
        )

        assert {"review/packets/k1.json", "review/packets/k2.json"} <= set(removed)
        assert full.review.packet_keys() == ("k3", "k4")

    def test_a_document_is_not_mixed_with_what_is_left_of_an_earlier_one(
        self, full: Dataset, text_file: Callable[..., Path]
    ) -> None:
        full.put_ballot("a", Ballot("claude", "claude"))
        full.remove_document("a")
        (full.root / "ballots" / "a").mkdir()

        with pytest.raises(DatasetError, match="is left from an earlier document 'a'"):
            full.add_document(text_file("a.txt", "another"), schema="invoice")


class TestReplacing:
    def test_the_id_stays_and_what_depended_on_the_bytes_goes(
        self, full: Dataset, text_file: Callable[..., Path]
    ) -> None:
        new = text_file("scan 2.csv", "a,b\n")

        document, dropped = full.replace_document("a", new)

        assert dropped == ["ballots/a", "consensus/a.json", "consensus/a.md", "truth/a.json"]
        assert document == full.document("a")
        assert (document.original_name, document.sha256) == ("scan 2.csv", content_hash(b"a,b\n"))
        assert full.document_file("a").read_text() == "a,b\n"
        assert len(list((full.root / "documents" / "a").iterdir())) == 2

    def test_the_same_bytes_change_nothing(self, full: Dataset, text_file: Callable[..., Path]) -> None:
        before = tree(full.root)

        assert full.replace_document("a", text_file("x.txt", "text of a")) == (full.document("a"), [])

        assert tree(full.root) == before

    def test_the_bytes_of_another_document_are_refused(self, full: Dataset, text_file: Callable[..., Path]) -> None:
        with pytest.raises(DuplicateDocument, match=r"same bytes as document 'a\.json'"):
            full.replace_document("a", text_file("x.txt", "text of a.json"))

    def test_a_document_can_be_replaced_again_and_back(self, full: Dataset, text_file: Callable[..., Path]) -> None:
        for text in ("second", "third", "text of a"):
            full.replace_document("a", text_file("a.txt", text))
            assert full.document_file("a").read_text() == text
            assert len(list((full.root / "documents" / "a").iterdir())) == 2
