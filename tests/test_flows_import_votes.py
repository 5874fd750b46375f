"""Files of votes and the documents they belong to: each is matched, or its reason is in the report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.import_votes import ImportReport, Unused, collect_files, import_votes
from groundtruth.ballot import Failure, Status
from groundtruth.errors import BallotError, DatasetError
from groundtruth.jsontext import Json
from groundtruth.rules import Rules
from groundtruth.store import Dataset
from groundtruth.store_ballots import Change

SCHEMA: Json = {"type": "object", "properties": {"total": {"type": ["number", "null"]}}}
CITATION = {"field_path": "total", "page": 1, "bbox": [0.1, 0.1, 0.2, 0.02]}


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    made = Dataset.create(tmp_path / "data")
    made.put_draft("invoice", SCHEMA, Rules())
    for name in ("a", "b", "café", "d.result"):
        file = tmp_path / f"{name}.txt"
        file.write_text(f"text of {name}")
        made.add_document(file, schema="invoice")
    return made


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    folder = tmp_path / "votes"
    folder.mkdir()
    return folder


def write(folder: Path, name: str, content: Json | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def result(example_id: str, total: int) -> Json:
    return {
        "request": {"example_id": example_id},
        "output": {"extracted_data": {"total": total}, "field_citations": [CITATION]},
    }


def reasons(unused: list[Unused]) -> dict[str, str]:
    return {one.file.name: one.reason for one in unused}


def totals(dataset: Dataset, system: str = "gpt") -> dict[str, Json]:
    """What a system's usable ballots say, by document."""
    found = {name: dataset.ballots(name, [system]) for name in dataset.document_ids()}
    return {name: ballots[0].data["total"] for name, ballots in found.items() if ballots and ballots[0].usable}


def test_files_of_all_forms_find_their_documents(dataset: Dataset, votes: Path) -> None:
    write(votes, "a.json", {"total": 1})
    write(votes, "deep/b.result.json", result("short/b", 2))
    write(votes, "cafe\u0301.json", {"status": "ok", "data": {"total": 3}})
    write(votes, "d.result.json", {"total": 4})
    write(votes, "notes.txt", b"no vote")

    report = import_votes(dataset, [votes], system="gpt", family="openai")

    assert totals(dataset) == {"a": 1, "b": 2, "café": 3, "d.result": 4}
    assert {one.document: (one.change, one.status) for one in report.imported} == dict.fromkeys(
        ("a", "b", "café", "d.result"), (Change.NEW, Status.OK)
    )
    assert (report.unmatched, report.rivals, report.missing) == ([], [], [])
    ballot = dataset.ballots("b")[0]
    assert (ballot.family, [place.page for place in ballot.citations[("total",)]]) == ("openai", [1])
    raw = dataset.root / "ballots" / "b" / "gpt.raw.json"
    assert raw.read_bytes() == (votes / "deep" / "b.result.json").read_bytes()


def test_a_result_belongs_to_the_document_it_says(dataset: Dataset, votes: Path) -> None:
    write(votes, "job-17.result.json", result("short/a", 1))
    write(votes, "job-18.result.json", result("long/b.pdf", 2))

    import_votes(dataset, [votes], system="gpt")

    assert totals(dataset) == {"a": 1, "b": 2}


def test_a_result_whose_name_and_content_disagree_is_not_guessed(dataset: Dataset, votes: Path) -> None:
    write(votes, "a.result.json", result("short/b", 2))
    write(votes, "b.json", {"total": 2})

    report = import_votes(dataset, [votes], system="gpt")

    assert reasons(report.unmatched) == {"a.result.json": "its name says 'a', its example_id says 'b'"}
    assert totals(dataset) == {"b": 2}


def test_files_and_documents_left_over_are_listed(dataset: Dataset, votes: Path) -> None:
    write(votes, "a.json", {"total": 1})
    write(votes, "zebra.json", {"total": 1})

    report = import_votes(dataset, [votes], system="gpt")

    assert reasons(report.unmatched) == {"zebra.json": "no document has this id"}
    assert report.missing == ["b", "café", "d.result"]
    assert report.family == "gpt"


def test_of_several_files_for_one_document_none_is_taken(dataset: Dataset, votes: Path) -> None:
    write(votes, "short/a.json", {"total": 1})
    write(votes, "long/a.json", {"total": 2})
    write(votes, "b.json", {"total": 3})

    report = import_votes(dataset, [votes], system="gpt")

    assert totals(dataset) == {"b": 3}
    assert [one.file.parent.name for one in report.rivals] == ["long", "short"]
    assert report.rivals[0].reason.startswith("several files for 'a': ")


def test_the_same_file_named_twice_is_read_once(dataset: Dataset, votes: Path) -> None:
    file = write(votes, "a.json", {"total": 1})

    assert len(import_votes(dataset, [votes, file, file], system="gpt").imported) == 1


def test_importing_again_says_what_it_changed(dataset: Dataset, votes: Path) -> None:
    write(votes, "a.json", {"total": 1})
    write(votes, "b.json", {"total": 2})
    import_votes(dataset, [votes], system="gpt")
    write(votes, "b.json", {"total": 3})
    write(votes, "café.json", {"total": 4})

    again = import_votes(dataset, [votes], system="gpt")

    assert [(one.document, one.change) for one in again.imported] == [
        ("a", Change.UNCHANGED),
        ("b", Change.REPLACED),
        ("café", Change.NEW),
    ]
    assert [again.count(change) for change in Change] == [1, 1, 1]
    other_family = import_votes(dataset, [votes], system="gpt", family="openai")
    assert other_family.count(Change.REPLACED) == 3


@pytest.mark.parametrize(
    ("content", "failure"),
    [
        pytest.param(b"", Failure.INVALID_JSON, id="empty"),
        pytest.param(b"\xff\xfe{}", Failure.INVALID_JSON, id="not UTF-8"),
        pytest.param(b'{"total": 1', Failure.INVALID_JSON, id="cut"),
        pytest.param(b'{"x":' * 100_000, Failure.INVALID_JSON, id="100,000 deep"),
        pytest.param([1], Failure.SCHEMA_INVALID, id="a list"),
        pytest.param({"status": "timeout", "data": None}, Failure.TIMEOUT, id="a failed run"),
    ],
)
def test_an_unusable_file_abstains_and_the_others_come_in(
    dataset: Dataset, votes: Path, content: Json | bytes, failure: Failure
) -> None:
    write(votes, "a.json", content)
    write(votes, "b.json", {"total": 2})

    report = import_votes(dataset, [votes], system="gpt")

    assert [(one.document, one.failure) for one in report.unusable] == [("a", failure)]
    assert report.unusable[0].detail
    assert dataset.ballots("a")[0].failure is failure
    assert totals(dataset) == {"b": 2}


def test_a_file_past_the_limit_is_not_read(dataset: Dataset, votes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(votes, "a.json", {"total": 1234567})
    monkeypatch.setattr("flows.import_votes.MAX_BALLOT_BYTES", 10)

    report = import_votes(dataset, [votes], system="gpt")

    assert report.unusable[0].detail == "18 bytes are more than 10"
    assert not list((dataset.root / "ballots" / "a").glob("*.raw.*"))


def test_an_errors_file_says_which_documents_failed(dataset: Dataset, votes: Path) -> None:
    write(votes, "b.result.json", result("short/b", 2))
    write(
        votes,
        "_errors.json",
        [
            {"example_id": "short/a", "error": "no answer\nafter 1,200 s", "error_type": "TimeoutError"},
            {"example_id": "short/b", "error": "first try", "error_type": "RateLimitError"},
            {"example_id": "short/café", "error": "boom", "error_type": "ZeroDivisionError"},
            {"example_id": "short/zebra", "error": "boom"},
            "not an entry",
        ],
    )

    report = import_votes(dataset, [votes], system="gpt")

    assert [(one.document, one.failure, one.detail) for one in report.unusable] == [
        ("a", Failure.TIMEOUT, "no answer after 1,200 s"),
        ("café", Failure.INTERNAL, "boom"),
    ]
    assert totals(dataset) == {"b": 2}
    assert [one.reason for one in report.unmatched] == [
        "entry 3: no document has the id 'short/zebra'",
        "entry 4: no document has the id None",
    ]


def test_citations_of_pages_that_the_document_lacks_are_dropped(dataset: Dataset, votes: Path) -> None:
    bad = result("a", 1)
    bad["output"]["field_citations"] = [{**CITATION, "page": 2}]
    write(votes, "a.json", bad)

    report = import_votes(dataset, [votes], system="gpt")

    assert report.imported[0].detail == "1 citation dropped (no such page 1)"
    assert dataset.ballots("a")[0].citations == {}


@pytest.mark.parametrize(
    ("names", "message"),
    [
        pytest.param([], "holds no .json file", id="an empty folder"),
        pytest.param(["zebra.json"], "none of 1 file belongs to a document", id="nothing that fits"),
    ],
)
def test_an_import_that_fits_nothing_is_a_mistake(
    dataset: Dataset, votes: Path, names: list[str], message: str
) -> None:
    for name in names:
        write(votes, name, {})

    with pytest.raises(BallotError, match=message):
        import_votes(dataset, [votes], system="gpt")


def test_an_import_into_an_empty_dataset_says_what_is_missing(tmp_path: Path, votes: Path) -> None:
    write(votes, "a.json", {})

    with pytest.raises(BallotError, match="goldleaf add"):
        import_votes(Dataset.create(tmp_path / "empty"), [votes], system="gpt")


def test_a_path_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(BallotError, match="nowhere: is neither a file nor a folder"):
        collect_files([tmp_path / "nowhere"])


@pytest.mark.parametrize("system", ["../gpt", "", "gpt.raw", "a/b"])
def test_a_system_that_cannot_be_a_file_name_is_refused_before_any_work(
    dataset: Dataset, votes: Path, system: str
) -> None:
    write(votes, "a.json", {"total": 1})

    with pytest.raises(DatasetError, match="system name"):
        import_votes(dataset, [votes], system=system)

    assert dataset.systems() == ()


def test_a_report_counts_nothing_before_an_import() -> None:
    report = ImportReport("gpt", "gpt")

    assert (report.unusable, report.count(Change.NEW)) == ([], 0)
