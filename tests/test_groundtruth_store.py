"""A dataset folder: its manifest, ballots, panel and artefacts."""

from __future__ import annotations

import os
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from groundtruth.ballot import Ballot
from groundtruth.errors import (
    BallotError,
    DatasetError,
    GoldleafError,
    JsonError,
    PanelError,
)
from groundtruth.jsontext import Json, Malformed
from groundtruth.rules import Rules
from groundtruth.store import Dataset
from groundtruth.store_artefacts import Artefact
from groundtruth.store_ballots import Change

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


class TestFolder:
    def test_a_new_dataset_opens_under_its_name(self, tmp_path: Path) -> None:
        Dataset.create(tmp_path / "deep" / "data")

        dataset = Dataset.open(tmp_path / "deep" / "data")

        assert (dataset.name, dataset.panel, dataset.document_ids()) == ("data", None, ())
        assert tree(dataset.root) == ["dataset.json"]

    def test_a_folder_with_hidden_files_only_becomes_a_dataset(self, tmp_path: Path) -> None:
        (tmp_path / ".git").mkdir()

        assert Dataset.create(tmp_path, "mine").name == "mine"

    def test_a_dataset_is_not_made_twice(self, dataset: Dataset) -> None:
        with pytest.raises(DatasetError, match="is a dataset already"):
            Dataset.create(dataset.root)

    def test_a_folder_with_other_files_is_left_alone(self, tmp_path: Path) -> None:
        (tmp_path / "thesis.doc").write_text("x")

        with pytest.raises(DatasetError, match=r"holds 'thesis\.doc'"):
            Dataset.create(tmp_path)

        assert tree(tmp_path) == ["thesis.doc"]

    def test_a_file_in_the_place_of_the_folder_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "data").write_text("x")

        with pytest.raises(DatasetError, match="give another path"):
            Dataset.create(tmp_path / "data")

    def test_what_is_no_dataset_is_refused_with_the_cure(self, tmp_path: Path) -> None:
        with pytest.raises(DatasetError, match="goldleaf new"):
            Dataset.open(tmp_path)
        with pytest.raises(DatasetError, match="is not there"):
            Dataset.open(tmp_path / "nowhere")

    def test_a_file_is_not_told_to_become_a_dataset(self, tmp_path: Path) -> None:
        (tmp_path / "bill.pdf").write_bytes(b"x")
        with pytest.raises(DatasetError, match=r"bill\.pdf: is a file; a dataset is a folder"):
            Dataset.open(tmp_path / "bill.pdf")

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            pytest.param('{"format": 2, "new": 1}', "later than 1; use a newer goldleaf", id="a later format"),
            pytest.param('{"format": true, "name": "x"}', "not a dataset.json", id="true for one"),
            pytest.param("[]", "not a dataset.json", id="a list"),
            pytest.param('{"format": 1, "name": 3}', "name: ", id="a name that is no text"),
            pytest.param('{"format": 1, "name": "x", "panle": []}', "panle", id="an unknown key"),
            pytest.param('{"format": 1, "format": 1, "name": "x"}', "duplicate key", id="a key twice"),
            pytest.param('{"format": 1', "not JSON", id="cut off"),
        ],
    )
    def test_a_damaged_manifest_says_what_is_wrong(self, dataset: Dataset, text: str, message: str) -> None:
        (dataset.root / "dataset.json").write_text(text)

        with pytest.raises(GoldleafError) as caught:
            Dataset.open(dataset.root)

        assert message in str(caught.value)
        assert "dataset.json" in str(caught.value)


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


class TestBallots:
    def test_a_ballot_reads_back_and_its_raw_bytes_stand_beside_it(self, full: Dataset) -> None:
        ballot = Ballot("gpt", "openai", data={"total": Decimal("1.50"), "x": Malformed("NaN", "not_a_finite_number")})

        assert full.put_ballot("a", ballot, raw=(b"raw", "txt"), fingerprint="f1") is Change.REPLACED

        assert full.ballots("a") == [ballot]
        assert full.ballot_fingerprint("a", "gpt") == "f1"
        assert full.ballot_fingerprint("a", "claude") is None
        assert tree(full.root / "ballots" / "a") == ["gpt.json", "gpt.raw.txt"]
        assert (full.root / "ballots" / "a" / "gpt.raw.txt").read_bytes() == b"raw"

    def test_the_same_ballot_again_is_unchanged(self, full: Dataset) -> None:
        ballot = Ballot("claude", "claude", data={"total": 1})

        changes = [full.put_ballot("a", ballot, raw=(b"x", "json")) for _ in range(2)]

        assert changes == [Change.NEW, Change.UNCHANGED]

    def test_the_same_answer_in_other_bytes_is_replaced(self, full: Dataset) -> None:
        ballot = full.ballots("a")[0]

        changes = [full.put_ballot("a", ballot, raw=(b'{"total": 1}', "json")) for _ in range(2)]

        assert changes == [Change.REPLACED, Change.UNCHANGED]

    def test_ballots_come_by_name_and_only_those_asked_for(self, full: Dataset) -> None:
        full.put_ballot("a", Ballot("claude", "claude"))

        assert [ballot.system for ballot in full.ballots("a")] == ["claude", "gpt"]
        assert [ballot.system for ballot in full.ballots("a", ["gpt", "absent"])] == ["gpt"]
        assert full.systems() == ("claude", "gpt")

    @pytest.mark.parametrize("system", ["../x", "a/b", "", "x.raw", ".x", "a\nb"])
    def test_a_system_that_cannot_be_a_file_name_is_refused(self, full: Dataset, system: str) -> None:
        with pytest.raises(DatasetError, match="cannot be a system name"):
            full.put_ballot("a", Ballot(system, "f"))

    def test_a_damaged_ballot_file_is_named(self, full: Dataset) -> None:
        (full.root / "ballots" / "a" / "gpt.json").write_text('{"format": 1, "system": "gpt"}')

        with pytest.raises(BallotError, match=r"gpt\.json: not a ballot"):
            full.ballots("a")


class TestPanel:
    @pytest.fixture
    def voted(self, full: Dataset) -> Dataset:
        for system in ("a", "b", "c", "d", "e"):
            full.put_ballot("a", Ballot(system, system))
        return full

    def test_a_panel_is_stored_sorted_and_taken_back(self, voted: Dataset) -> None:
        assert voted.set_panel(["gpt", "a"]) == ("a", "gpt")
        assert Dataset.open(voted.root).voting_systems() == ("a", "gpt")
        assert voted.set_panel(None) is None
        assert voted.panel is None

    def test_all_vote_while_nobody_chose_and_they_are_five_or_fewer(self, voted: Dataset) -> None:
        with pytest.raises(PanelError, match="at most 5 systems, not 6"):
            voted.voting_systems()

        (voted.root / "ballots" / "a" / "e.json").unlink()
        assert voted.voting_systems() == ("a", "b", "c", "d", "gpt")

    def test_nobody_votes_while_nobody_has_a_ballot(self, dataset: Dataset) -> None:
        assert dataset.voting_systems() == ()

    @pytest.mark.parametrize(
        ("systems", "message"),
        [
            pytest.param(["a", "b", "a"], "more than once", id="one twice"),
            pytest.param(["a", "b", "c", "d", "e", "gpt"], "at most 5", id="six"),
            pytest.param([], "at least one", id="none"),
            pytest.param(["a", "nobody"], "'nobody' has no ballot", id="one without a ballot"),
        ],
    )
    def test_systems_that_cannot_vote_together_are_refused(
        self, voted: Dataset, systems: list[str], message: str
    ) -> None:
        with pytest.raises(PanelError, match=message):
            voted.set_panel(systems)
        with pytest.raises(PanelError, match=message):
            voted.voting_systems(systems)

        assert voted.panel is None

    def test_a_system_whose_extractor_runs_next_may_be_chosen(self, voted: Dataset) -> None:
        assert voted.set_panel(["a", "text"], planned=["text"]) == ("a", "text")
        assert voted.voting_systems(["b", "text"], planned=["text"]) == ("b", "text")


class TestArtefacts:
    def test_json_is_canonical_and_exact(self, dataset: Dataset) -> None:
        path = dataset.write_artefact(Artefact.TRUTH, "a", {"b": Decimal("1.10"), "a": None, "é": [1]})

        assert path.read_text() == '{\n "a": null,\n "b": 1.10,\n "é": [\n  1\n ]\n}\n'
        assert dataset.read_artefact(Artefact.TRUTH, "a") == {"a": None, "b": Decimal("1.10"), "é": [1]}
        assert dataset.artefact_names(Artefact.TRUTH) == ("a",)

    def test_records_stand_one_on_a_line(self, dataset: Dataset) -> None:
        records: list[Json] = [{"b": 1, "a": "x\ny"}, {"c": Decimal("0.1")}]

        path = dataset.write_records(Artefact.QUEUE, "queue", iter(records))

        assert path.read_text() == '{"a":"x\\ny","b":1}\n{"c":0.1}\n'
        assert dataset.read_records(Artefact.QUEUE, "queue") == records

    def test_what_is_not_there_reads_as_none(self, dataset: Dataset) -> None:
        assert dataset.read_artefact(Artefact.CONSENSUS, "a") is None
        assert dataset.read_records(Artefact.QUEUE, "queue") is None

    @pytest.mark.parametrize("value", [{"x": float("nan")}, {"x": Malformed("NaN", "x")}, {"x": object()}])
    def test_what_json_has_no_form_for_is_not_written(self, dataset: Dataset, value: Json) -> None:
        with pytest.raises(JsonError):
            dataset.write_artefact(Artefact.TRUTH, "a", value)

        assert dataset.artefact_names(Artefact.TRUTH) == ()

    def test_half_a_surrogate_pair_is_not_written(self, dataset: Dataset) -> None:
        with pytest.raises(DatasetError, match="surrogate"):
            dataset.write_artefact(Artefact.TRUTH, "a", {"x": "\ud800"})

    def test_a_hand_edited_artefact_with_a_mistake_is_named(self, dataset: Dataset) -> None:
        dataset.write_artefact(Artefact.TRUTH, "a", {}).write_text('{"a": NaN}')

        with pytest.raises(JsonError, match=r"a\.json"):
            dataset.read_artefact(Artefact.TRUTH, "a")

    @pytest.mark.parametrize("name", ["../x", "a/b", ".."])
    def test_a_name_that_leaves_the_folder_is_refused(self, dataset: Dataset, name: str) -> None:
        with pytest.raises(DatasetError):
            dataset.write_artefact(Artefact.TRUTH, name, {})

    def test_the_log_grows_by_a_line(self, dataset: Dataset) -> None:
        dataset.append_log("run", {"seconds": Decimal("1.5")})
        dataset.append_log("run", {"seconds": 2})

        assert (dataset.root / "log" / "run.jsonl").read_text() == '{"seconds":1.5}\n{"seconds":2}\n'

    def test_a_folder_in_the_way_is_an_error_that_names_it(self, dataset: Dataset) -> None:
        (dataset.root / "truth" / "a.json").mkdir(parents=True)

        with pytest.raises(DatasetError, match=r"truth/a\.json: cannot be written"):
            dataset.write_artefact(Artefact.TRUTH, "a", {})

        assert dataset.sweep() == 0

    def test_new_files_have_the_rights_that_the_user_wants(self, dataset: Dataset) -> None:
        before = os.umask(0o027)
        try:
            path = dataset.write_artefact(Artefact.TRUTH, "a", {})
        finally:
            os.umask(before)

        assert path.stat().st_mode & 0o777 == 0o640
