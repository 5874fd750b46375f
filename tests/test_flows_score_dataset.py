"""``goldleaf score DATASET PREDICTIONS``: the three layouts, what failed, means, and runs that go on."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from builders import goldleaf
from flows.score_case import Outcome, Task, count_rows, is_cut, score_case, states_nothing, verdicts_file
from flows.score_cases import Case, list_cases
from flows.score_dataset import SCORES, Settings, score_dataset
from flows.score_progress import scoring_progress
from groundtruth.ballot import Ballot, Failure
from groundtruth.errors import GoldleafError
from groundtruth.rules import Rules
from groundtruth.store import Dataset
from groundtruth.truth import GroundTruth, TruthEvidence

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "number": {"type": ["string", "null"]},
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"sku": {"type": ["string", "null"]}, "price": {"type": ["number", "null"]}},
            },
        },
    },
}


def value(name: str, rows: int = 2) -> dict[str, Any]:
    return {"number": name, "lines": [{"sku": f"{name}-{row}", "price": row + 0.5} for row in range(rows)]}


NAMES = ("a", "b", "c", "d")


class Deadly(str):
    """A text that kills the process to which it is sent."""

    __slots__ = ()

    def __reduce__(self) -> Any:
        return eval, ("__import__('os').kill(__import__('os').getpid(), 9)",)


def make_sidecars(root: Path) -> Path:
    for name in NAMES:
        file = root / "short" / f"{name}.test.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        rules = {"number": {"evidence": [{"page": 1, "bbox": [0.1, 0.1, 0.2, 0.02], "value": name}]}}
        form = {"data_schema": SCHEMA, "expected_output": value(name), "tags": ["T1", f"N-{name}"]}
        file.write_text(json.dumps(form | ({"_field_rules": rules} if name in "ab" else {})))
    return root


def make_table(root: Path) -> Path:
    root.mkdir()
    table = root / "manifest.csv"
    with table.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["doc_id", "gt_path", "pred_path", "schema", "suite"])
        for name in NAMES:
            (root / f"{name}.gold.json").write_text(json.dumps(value(name)))
            (root / f"{name}.pred.json").write_text(json.dumps(value(name)))
            writer.writerow([name, f"{name}.gold.json", f"{name}.pred.json", json.dumps(SCHEMA), "one"])
    return table


def make_ours(root: Path) -> Dataset:
    dataset = Dataset.create(root)
    dataset.put_draft("invoice", SCHEMA, Rules())
    for name in NAMES:
        evidence = {"number": (TruthEvidence(1, (0.1, 0.1, 0.2, 0.02), name),)} if name in "ab" else {}
        dataset.put_truth(GroundTruth(name, "invoice", value(name), evidence, tags={"kind": "bill"}))
        dataset.put_ballot(name, Ballot("swift", "swift", data=value(name)))
    dataset.put_ballot("d", Ballot.failed("swift", "swift", Failure.TIMEOUT, "it took too long"))
    return dataset


def put(folder: Path, **files: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / f"{name}.json").write_text(text)
    return folder


@pytest.mark.parametrize("layout", ["ours", "sidecars", "table"])
@pytest.mark.parametrize("metric", ["verdicts", "value-f1"])
def test_every_layout_is_scored_perfectly_against_its_own_truth(layout: str, metric: str, tmp_path: Path) -> None:
    root = tmp_path / "data"
    makers = {
        "ours": lambda: make_ours(root).root,
        "sidecars": lambda: make_sidecars(root),
        "table": lambda: make_table(root),
    }
    dataset = makers[layout]()
    predictions = put(tmp_path / "out", **{name: value(name) for name in NAMES})
    ended = goldleaf("score", dataset, predictions, "--metric", metric, "--json")
    assert (ended.code, ended.json["coverage"], ended.json["failures"]) == (0, 1.0, {})
    assert len(ended.json["documents"]) == len(NAMES)
    mean = ended.json["mean"]
    assert (mean["accuracy"] if metric == "verdicts" else mean["value"]["f1"]) == 1.0


def test_a_table_names_its_own_predictions(tmp_path: Path) -> None:
    ended = goldleaf("score", make_table(tmp_path / "data").parent, "--metric", "verdicts", "--json")
    assert (ended.code, ended.json["mean"]["accuracy"]) == (0, 1.0)
    assert ended.json["by_tag"]["suite=one"]["attempted"] == len(NAMES)


def test_a_system_is_scored_by_its_ballots(tmp_path: Path) -> None:
    make_ours(tmp_path / "data")
    ended = goldleaf("score", tmp_path / "data", "swift", "--metric", "verdicts", "--json")
    assert ended.code == 0
    assert ended.json["failures"] == {"timeout": 1}
    assert (ended.json["mean"]["accuracy"], ended.json["mean_with_failures"]["accuracy"]) == (1.0, 0.75)
    assert ended.json["coverage"] == 0.75
    assert ended.json["by_tag"]["kind=bill"]["mean_with_failures"]["accuracy"] == 0.75


def test_grounding_of_a_failed_document_is_0_only_where_its_truth_has_boxes(tmp_path: Path) -> None:
    predictions = put(tmp_path / "out", b=value("b"))
    ended = goldleaf("score", make_sidecars(tmp_path / "data"), predictions, "--metric", "value-f1", "--json")
    by_id = {record["document"]: record for record in ended.json["documents"]}
    assert by_id["short/a"]["word"] == {"precision": 0.0, "recall": 0.0, "f1": 0.0}
    assert by_id["short/a"]["counts"]["value"] == {"correct": 0, "predicted": 0, "expected": 5}
    assert by_id["short/c"]["word"] is None
    assert by_id["short/c"]["value"]["f1"] == 0.0
    assert ended.json["mean_with_failures"]["value"]["f1"] == 0.25


@pytest.mark.parametrize(
    ("content", "status"),
    [
        pytest.param(None, "no_output", id="no file"),
        pytest.param({}, "no_output", id="an empty object"),
        pytest.param({"number": " ", "lines": []}, "no_output", id="nothing stated"),
        pytest.param({"status": "ok", "data": None}, "no_output", id="an envelope around nothing"),
        pytest.param("{", "invalid_json", id="cut JSON"),
        pytest.param("[]", "failed", id="a list"),
        pytest.param('"text"', "failed", id="a text"),
        pytest.param({"status": "timeout", "data": None}, "timeout", id="timeout"),
        pytest.param(
            {"status": "failed", "error_type": "InvalidSchemaError", "data": None}, "schema_refused", id="schema"
        ),
        pytest.param({"status": "error", "data": None, "error": "no key"}, "failed", id="an error"),
        pytest.param({"status": "truncated", "data": value("a")}, "truncated", id="its run says that it was cut"),
        pytest.param(value("a"), "scored", id="an answer"),
    ],
)
def test_kinds_of_failure(content: Any, status: str, tmp_path: Path) -> None:
    predictions = put(tmp_path / "out", b=value("b"), **({} if content is None else {"a": content}))
    ended = goldleaf("score", make_sidecars(tmp_path / "data"), predictions, "--metric", "verdicts", "--json")
    record = ended.json["documents"][0]
    assert (record["document"], record["status"], ended.code) == ("short/a", status, 0)
    assert record["accuracy"] == (1.0 if status in {"scored", "truncated"} else 0.0)


def test_a_list_of_errors_says_why_there_is_no_result(tmp_path: Path) -> None:
    errors = [
        {"example_id": "short/a", "error": "deadline", "error_type": "TimeoutError"},
        {"example_id": "short/b.pdf", "error": "not known here"},
    ]
    predictions = put(tmp_path / "out", _errors=errors, c=value("c"))
    ended = goldleaf("score", make_sidecars(tmp_path / "data"), predictions, "--metric", "verdicts", "--json")
    assert [record["status"] for record in ended.json["documents"]] == ["timeout", "no_output", "scored", "no_output"]


@pytest.mark.parametrize(
    ("truth", "predicted", "cut"), [(20, 9, True), (20, 10, False), (19, 0, False), (100, 49, True), (100, 100, False)]
)
def test_an_answer_with_less_than_half_the_rows_of_a_long_truth_was_cut(truth: int, predicted: int, cut: bool) -> None:
    assert is_cut(truth, predicted) is cut


def test_rows_are_counted_at_every_depth() -> None:
    assert count_rows({"a": [{"b": [{"c": 1}, {"c": 2}]}, 3], "d": {"e": [{}]}}) == 4


def test_what_states_nothing() -> None:
    assert states_nothing({"a": None, "b": ["", {"c": []}]})
    assert not states_nothing({"a": 0})


def test_a_document_on_which_there_is_nothing_to_find_is_in_no_mean(tmp_path: Path) -> None:
    dataset = make_ours(tmp_path / "data")
    dataset.put_truth(GroundTruth("a", "invoice", {}), replace=True)
    predictions = put(tmp_path / "out", a={}, b=value("b"), c=value("c"), d=value("x"))
    ended = goldleaf("score", dataset.root, predictions, "--metric", "verdicts", "--json")
    assert (ended.json["vacuous"], ended.json["coverage"]) == (1, 1.0)
    accuracies = [record["accuracy"] for record in ended.json["documents"]]
    assert accuracies[0] is None
    assert ended.json["mean"]["accuracy"] == pytest.approx(sum(accuracies[1:]) / 3)


def test_one_bad_truth_costs_itself_only(tmp_path: Path) -> None:
    dataset = make_sidecars(tmp_path / "data")
    (dataset / "short" / "b.test.json").write_text('{"data_schema": {"type": "object"}}')
    (dataset / "short" / "c.test.json").write_text("{")
    predictions = put(tmp_path / "out", **{name: value(name) for name in NAMES})
    ended = goldleaf("score", dataset, predictions, "--metric", "verdicts", "--json")
    assert ended.code == 1
    assert [record["status"] for record in ended.json["documents"]] == ["scored", "not_scored", "not_scored", "scored"]
    assert "c.test.json" in ended.json["documents"][2]["message"]
    assert (ended.json["attempted"], ended.json["mean"]["accuracy"]) == (2, 1.0)
    assert "short/b: not scored" in ended.err


def test_two_files_of_one_document_are_not_chosen_between(tmp_path: Path) -> None:
    predictions = put(tmp_path / "out", **{"a": value("a"), "a.result": value("a")})
    ended = goldleaf("score", make_sidecars(tmp_path / "data"), predictions, "--metric", "verdicts", "--json")
    assert (ended.code, ended.json["documents"][0]["status"]) == (1, "not_scored")


def test_files_of_no_document_are_named(tmp_path: Path) -> None:
    predictions = put(tmp_path / "out", a=value("a"), zebra={})
    ended = goldleaf("score", make_sidecars(tmp_path / "data"), predictions, "--metric", "verdicts", "--json")
    assert ended.json["unmatched"] == [str(predictions / "zebra.json")]
    assert "zebra" in ended.err.replace("\n", "")


class TestOutput:
    def test_scores_verdicts_and_summary_are_kept(self, tmp_path: Path) -> None:
        dataset, out = make_sidecars(tmp_path / "data"), tmp_path / "kept"
        predictions = put(tmp_path / "out", **{name: value(name) for name in NAMES})
        ended = goldleaf("score", dataset, predictions, "--metric", "verdicts", "--out", out, "--json")
        assert json.loads((out / "summary.json").read_text()) == ended.json
        lines = [json.loads(line) for line in (out / SCORES).read_text().splitlines()]
        assert [line["document"] for line in lines] == [f"short/{name}" for name in NAMES]
        verdicts = (out / "verdicts" / "short" / "a.jsonl").read_text().splitlines()
        assert [json.loads(line)["verdict"] for line in verdicts] == ["matched"] * 5

    def test_only_what_changed_is_scored_again(self, tmp_path: Path) -> None:
        dataset, settings = make_sidecars(tmp_path / "data"), Settings("verdicts", out=tmp_path / "kept")
        predictions = put(tmp_path / "out", **{name: value(name) for name in NAMES})

        def run() -> list[str]:
            seen: list[str] = []
            cases = list_cases(dataset, str(predictions))

            def listening(due: Any) -> Any:
                seen.extend(sorted(task.case.document for task in due))
                return scoring_progress(due, quiet=True)

            score_dataset(cases, settings, listening)
            return seen

        assert run() == [f"short/{name}" for name in NAMES]
        assert run() == []
        put(predictions, b=value("other"))
        assert run() == ["short/b"]
        verdicts_file(tmp_path / "kept", "short/c").unlink()
        assert run() == ["short/c"]

    def test_a_run_that_was_killed_goes_on_after_its_last_whole_line(self, tmp_path: Path) -> None:
        dataset, out = make_sidecars(tmp_path / "data"), tmp_path / "kept"
        predictions = put(tmp_path / "out", **{name: value(name) for name in NAMES})
        command = ("score", dataset, predictions, "--metric", "verdicts", "--out", out, "--json")
        before = goldleaf(*command).json
        scores = out / SCORES
        scores.write_bytes(b"".join(scores.read_bytes().splitlines(keepends=True)[:2]) + b'{"document": "short/c", "st')
        half_written = out / "verdicts" / "short" / ".goldleaf-4711-0a1b2c"
        half_written.write_text("{")
        assert goldleaf(*command).json == before
        assert not half_written.exists()
        assert len(scores.read_bytes().splitlines()) == len(NAMES)

    def test_a_pattern_chooses_documents_and_forgets_no_other(self, tmp_path: Path) -> None:
        dataset, out = make_sidecars(tmp_path / "data"), tmp_path / "kept"
        predictions = put(tmp_path / "out", **{name: value(name) for name in NAMES})
        command = ("score", dataset, predictions, "--metric", "verdicts", "--out", out, "--json")
        goldleaf(*command)
        ended = goldleaf(*command, "--documents", "*/[ab]")
        assert [record["document"] for record in ended.json["documents"]] == ["short/a", "short/b"]
        assert len((out / SCORES).read_bytes().splitlines()) == len(NAMES)

    def test_a_folder_holds_scores_of_one_metric(self, tmp_path: Path) -> None:
        dataset, out = make_sidecars(tmp_path / "data"), tmp_path / "kept"
        predictions = put(tmp_path / "out", **{name: value(name) for name in NAMES})
        for metric, other in (("verdicts", "value-f1"), ("value-f1", "verdicts")):
            goldleaf("score", dataset, predictions, "--metric", metric, "--out", out)
            goldleaf("score", dataset, predictions, "--metric", other, "--out", out, "--documents", "*/a")
            assert len((out / SCORES).read_bytes().splitlines()) == 1

    @pytest.mark.e2e  # takes seconds
    def test_processes_give_what_one_gives(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("flows.score_dataset._WORTH_A_PROCESS", 0)
        dataset = make_sidecars(tmp_path / "data")
        predictions = put(tmp_path / "out", **{name: value(name) for name in NAMES})
        command = ("score", dataset, predictions, "--metric", "value-f1", "--json")
        assert goldleaf(*command, "--workers", 2).json == goldleaf(*command, "--workers", 1).json

    @pytest.mark.e2e
    def test_a_process_that_is_killed_costs_its_document_alone(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("flows.score_dataset._WORTH_A_PROCESS", 0)
        dataset = make_sidecars(tmp_path / "data")
        predictions = put(tmp_path / "out", **{name: value(name) for name in NAMES})
        cases = list_cases(dataset, str(predictions))
        cases.cases = [
            replace(case, tags=(Deadly("T"),)) if case.document == "short/b" else case for case in cases.cases
        ]
        settings = Settings("verdicts", workers=2, out=tmp_path / "kept")
        records = score_dataset(cases, settings, partial(scoring_progress, quiet=True))
        found = {record["document"]: (record["status"], record.get("message", "")) for record in records}
        assert {name: status for name, (status, _) in found.items()} == {
            f"short/{name}": "not_scored" if name == "b" else "scored" for name in NAMES
        }
        assert found["short/b"][1].startswith("the process that scored it was ended")

    def test_what_the_machine_lacked_is_tried_again(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def lacking(_: Task) -> None:
            raise MemoryError

        dataset, predictions = make_sidecars(tmp_path / "data"), put(tmp_path / "out", a=value("a"))
        command = ("score", dataset, predictions, "--metric", "verdicts", "--out", tmp_path / "kept", "--json")
        with monkeypatch.context() as patch:
            patch.setattr("flows.score_case._scored", lacking)
            ended = goldleaf(*command, "--documents", "*/a")
        assert (ended.code, ended.json["failures"]) == (1, {"not_scored": 1})
        ended = goldleaf(*command, "--documents", "*/a")
        assert (ended.code, ended.json["failures"]) == (0, {})

    @pytest.mark.parametrize("document", ["../../etc/x", "a/../b", "/root", "", ".", "a b", "x" * 300])
    def test_no_id_leads_out_of_the_folder(self, document: str, tmp_path: Path) -> None:
        assert verdicts_file(tmp_path, document).resolve().is_relative_to(tmp_path / "verdicts")


def test_a_truth_that_breaks_its_schema_is_scored_and_flagged(tmp_path: Path) -> None:
    dataset = make_ours(tmp_path / "data")
    dataset.put_truth(GroundTruth("a", "invoice", {"number": 5}), replace=True)
    predictions = put(tmp_path / "out", a={"number": 5})
    ended = goldleaf("score", dataset.root, predictions, "--metric", "verdicts", "--json")
    assert ended.json["documents"][0]["status"] == "scored"
    assert ended.json["flags"] == ["truth_breaks_schema:1"]


def test_normalizers_of_a_truth_of_ours_count(tmp_path: Path) -> None:
    dataset = make_ours(tmp_path / "data")
    truth = GroundTruth("a", "invoice", {"number": "ABC"}, normalizers={"number": ("case_insensitive",)})
    dataset.put_truth(truth, replace=True)
    predictions = put(tmp_path / "out", a={"number": "abc"})
    ended = goldleaf("score", dataset.root, predictions, "--metric", "value-f1", "--documents", "a", "--json")
    assert ended.json["mean"]["value"]["f1"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere", "out", "--metric", "verdicts"], "is not there"),
        (["empty", "out", "--metric", "verdicts"], "no tree of ExtractBench"),
        (["data", "nobody", "--metric", "verdicts"], "is no folder of predictions"),
        (["data", "empty", "--metric", "verdicts"], "no file bears the id"),
        (["data", "--metric", "verdicts"], "say what to score"),
        (["data", "out"], "--metric is needed"),
        (["data", "out", "--metric", "verdicts", "--documents", "z*"], "no document fits"),
        (["data", "out", "--metric", "verdicts", "--schema", "s.json"], "--schema goes with one pair"),
        (["data", "out", "--metric", "value-f1", "--order-matters", "lines"], "goes with the other metric"),
        (["data", "out", "--metric", "verdicts", "--out", "out/a.json"], "is a file"),
    ],
)
def test_misuse(arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    make_sidecars(tmp_path / "data")
    (tmp_path / "empty").mkdir()
    put(tmp_path / "out", a=value("a"))
    ended = goldleaf("score", *arguments)
    assert ended.code == 2
    assert said in " ".join(ended.err.split())


def test_a_table_that_leads_out_of_its_folder_costs_that_document(tmp_path: Path) -> None:
    table = make_table(tmp_path / "data")
    table.write_text(table.read_text().replace("a.gold.json", "../secret.json"))
    ended = goldleaf("score", table, "--metric", "verdicts", "--json")
    assert (ended.code, ended.json["documents"][0]["status"]) == (1, "not_scored")


def test_tables_for_a_person(tmp_path: Path) -> None:
    predictions = put(tmp_path / "out", a=value("a"), b="{")
    ended = goldleaf("score", make_sidecars(tmp_path / "data"), predictions, "--metric", "verdicts")
    for said in ("short/a", "invalid_json", "mean of 1 scored", "with failures at 0, of 4", "T1", "no_output"):
        assert said in ended.out


def test_whatever_goes_wrong_with_a_document_is_said_in_its_record(tmp_path: Path) -> None:
    record = score_case(Task(Case("a", tmp_path / "none.json", schema="{}"), "verdicts"))
    assert record["status"] == Outcome.NOT_SCORED
    with pytest.raises(GoldleafError):
        list_cases(tmp_path, "out")


class TestOrderMatters:
    def test_a_name_that_no_truth_has_is_refused_before_any_work(self, tmp_path: Path) -> None:
        dataset, out = make_sidecars(tmp_path / "data"), tmp_path / "kept"
        predictions = put(tmp_path / "out", a=value("a"))
        command = ("score", dataset, predictions, "--metric", "verdicts", "--out", out, "--order-matters")
        ended = goldleaf(*command, "lnies")
        assert (ended.code, ended.out) == (2, "")
        assert "no array is called 'lnies'; there is lines (did you mean lines?)" in ended.err
        assert not out.exists()
        assert goldleaf(*command, "lines").code == 0

    def test_an_array_that_one_document_lacks_is_no_fault(self, tmp_path: Path) -> None:
        dataset = make_ours(tmp_path / "data")
        dataset.put_truth(GroundTruth("a", "invoice", {"number": "a"}), replace=True)
        predictions = put(tmp_path / "out", **{name: value(name) for name in NAMES})
        ended = goldleaf("score", dataset.root, predictions, "--metric", "verdicts", "--order-matters", "lines")
        assert ended.code == 0
