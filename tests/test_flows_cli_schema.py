"""``goldleaf schema``, run in this process on files and on a dataset."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from flows import cli_schema
from groundtruth.ballot import Ballot
from groundtruth.errors import BallotError, DatasetError, GoldleafError, JsonError, RulesError, SchemaError
from groundtruth.jsontext import Json
from groundtruth.rules import Rules
from groundtruth.store import Dataset

TEXT: Json = {"type": ["string", "null"], "description": "d"}
LINES: Json = {"type": "array", "items": {"type": "object", "properties": {"sku": TEXT, "size": TEXT}}}
SOURCE: Json = {"type": "object", "properties": {"number": TEXT, "lines": LINES}}

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    app = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None)
    app.callback()(lambda: None)
    cli_schema.register(app)

    def invoke(*arguments: object) -> Result:
        return CliRunner().invoke(app, ["schema", *map(str, arguments)])

    return invoke


@pytest.fixture
def schema_file(tmp_path: Path) -> Path:
    return written(tmp_path / "invoice.schema.json", SOURCE)


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    created = Dataset.create(tmp_path / "dataset")
    created.put_draft("invoice", SOURCE, Rules())
    page = tmp_path / "page.txt"
    page.write_text("a page", encoding="utf-8")
    created.add_document(page, schema="invoice")
    rows = [{"sku": f"S{index}", "size": "L"} for index in range(4)]
    for system in ("a", "b", "c"):
        created.put_ballot("page", Ballot(system, system, data={"number": "1", "lines": rows}))
    return created


def written(path: Path, value: Json) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def printed(result: Result, code: int = 0) -> Json:
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


def draft_with(dataset: Dataset, edited: Json) -> None:
    written(dataset.root / "schemas" / "invoice" / "draft.schema.json", edited)


def test_check_says_all_findings_of_a_file(run: Run, schema_file: Path) -> None:
    report = printed(run("check", schema_file, "--json"))
    assert (report["schema"], report["errors"], report["warnings"]) == ("invoice", 0, 1)
    assert (report["leaves"], report["arrays"]) == (3, 1)
    assert [(one["level"], one["path"], one["code"]) for one in report["findings"]] == [
        ("warning", "lines", "no_identity")
    ]


def test_check_ends_with_1_when_there_is_an_error(run: Run, tmp_path: Path) -> None:
    bad = written(tmp_path / "bad.json", {"type": "object", "properties": {"a": False, "b": {"$ref": "x"}, "c": TEXT}})
    report = printed(run("check", bad, "--json"), code=1)
    assert [one["path"] for one in report["findings"] if one["level"] == "error"] == ["a", "b"]
    assert report["leaves"] is None
    text = run("check", bad)
    assert text.exit_code == 1
    assert "errors: 2, warnings: 0" in text.stdout


def test_check_reads_the_rules_of_a_file(run: Run, schema_file: Path, tmp_path: Path) -> None:
    rules = written(tmp_path / "rules.json", {"identity": {"lines": ["sku"]}})
    assert printed(run("check", schema_file, "--rules", rules, "--json"))["findings"] == []
    wrong = written(tmp_path / "wrong.json", {"identity": {"line": ["sku"]}})
    report = printed(run("check", schema_file, "--rules", wrong, "--json"), code=1)
    assert "did you mean lines?" in next(one["message"] for one in report["findings"] if one["level"] == "error")


def test_check_puts_places_with_the_same_message_together(run: Run, tmp_path: Path) -> None:
    many = {"type": "object", "properties": {f"f{index}": {"type": "string", "description": "d"} for index in range(9)}}
    shown = " ".join(run("check", written(tmp_path / "many.json", many)).stdout.split())
    assert "leaves: 9, arrays of objects: 0, errors: 0, warnings: 9" in shown
    assert "and 3 more" in shown


def test_check_looks_at_every_draft_of_a_dataset(run: Run, dataset: Dataset) -> None:
    assert printed(run("check", dataset.root, "--json"))["schema"] == "invoice"
    dataset.put_draft("other", SOURCE, Rules())
    report = printed(run("check", dataset.root, "--json"))
    assert [one["schema"] for one in report["schemas"]] == ["invoice", "other"]
    assert printed(run("check", dataset.root, "other", "--json"))["schema"] == "other"


def test_check_shows_what_is_wrong_with_a_draft_that_was_edited(run: Run, dataset: Dataset) -> None:
    draft_with(dataset, {"type": "object", "properties": {"number": False}})
    report = printed(run("check", dataset.root, "invoice", "--json"), code=1)
    assert [one["code"] for one in report["findings"]] == ["never"]
    assert report["file"].endswith("draft.schema.json")


def test_check_of_a_dataset_without_schemas(run: Run, tmp_path: Path) -> None:
    empty = Dataset.create(tmp_path / "empty")
    assert printed(run("check", empty.root, "--json")) == {"schemas": []}
    assert "has no schemas yet" in run("check", empty.root).stdout


def test_freeze_writes_a_frozen_file_that_the_other_commands_read(run: Run, schema_file: Path, tmp_path: Path) -> None:
    rules = written(tmp_path / "rules.json", {"identity": {"lines": ["sku"]}})
    out = tmp_path / "frozen" / "invoice.json"
    result = run("freeze", schema_file, "--rules", rules, "--version", "1.0", "--out", out)
    assert "invoice is frozen as version 1.0: 3 leaves, 0 warnings" in " ".join(result.stdout.split())
    form = json.loads(out.read_text(encoding="utf-8"))
    assert set(form) == {"name", "version", "schema", "rules", "leaves", "warnings"}
    assert form["schema"] == SOURCE
    assert set(form["leaves"]["lines[].sku"]) == {"fingerprint", "comparator", "types", "nullable"}
    report = printed(run("check", out, "--json"))
    assert (report["schema"], report["findings"]) == ("invoice", [])
    assert printed(run("diff", out, out, "--json"))["unchanged"] == 3


def test_freeze_prints_the_frozen_form_in_the_order_of_the_schema(run: Run, schema_file: Path) -> None:
    form = printed(run("freeze", schema_file))
    assert (form["name"], form["version"]) == ("invoice", "1")
    assert list(form["schema"]["properties"]) == ["number", "lines"]
    assert printed(run("freeze", schema_file, "--json"))["file"] is None


def test_freeze_of_a_dataset_gives_it_a_version(run: Run, dataset: Dataset) -> None:
    form = printed(run("freeze", dataset.root, "invoice", "--version", "1.0", "--json"))
    assert form["version"] == "1.0"
    assert Path(form["file"]).is_file()
    assert dataset.versions("invoice") == ("1.0",)
    again = printed(run("freeze", dataset.root, "--json"))
    assert again["version"] == "1.0"


def test_suggest_keys_of_a_dataset_proposes_and_writes(run: Run, dataset: Dataset) -> None:
    value = printed(run("suggest-keys", dataset.root, "invoice", "--json"))
    assert (value["identity"], value["written"]) == ({"lines": ["sku"]}, False)
    assert value["arrays"][0]["candidates"][0]["columns"] == ["sku"]
    assert dataset.schema("invoice", "draft").rules == Rules()
    assert "Written to the draft" in run("suggest-keys", dataset.root, "--write").stdout
    assert dataset.schema("invoice", "draft").rules.identity == {"lines": ("sku",)}
    assert "--all looks at those too" in run("suggest-keys", dataset.root).stdout
    assert printed(run("suggest-keys", dataset.root, "--all", "--json"))["identity"] == {"lines": ["sku"]}


def test_suggest_keys_writes_nothing_when_nothing_is_proposed(run: Run, dataset: Dataset) -> None:
    dataset.put_ballot("page", Ballot("a", "a", data={}))
    dataset.put_ballot("page", Ballot("b", "b", data={}))
    value = printed(run("suggest-keys", dataset.root, "--write", "--json"))
    assert (value["identity"], value["written"]) == ({}, False)
    assert "only one system" in value["arrays"][0]["reason"]


def test_suggest_keys_of_files(run: Run, schema_file: Path, tmp_path: Path) -> None:
    rows = [{"sku": f"S{index}", "size": f"{index % 2}"} for index in range(5)]
    bare = written(tmp_path / "a.json", {"lines": rows})
    envelope = written(tmp_path / "b.json", {"status": "ok", "data": {"lines": rows}})
    value = printed(run("suggest-keys", schema_file, "--ballot", f"a={bare}", "--ballot", f"b={envelope}", "--json"))
    assert value["identity"] == {"lines": ["sku"]}
    assert (
        "Declare them under identity"
        in run("suggest-keys", schema_file, "--ballot", f"a={bare}", "--ballot", f"b={envelope}").stdout
    )


def test_diff_of_a_dataset_compares_the_latest_version_with_the_draft(run: Run, dataset: Dataset) -> None:
    dataset.freeze("invoice", "1")
    draft_with(
        dataset, {**SOURCE, "properties": {"number": {**TEXT, "description": "new"}, "date": TEXT, "lines": LINES}}
    )
    expected = {
        "added": ["date"],
        "removed": [],
        "changed": [{"path": "number", "what": ["description"]}],
        "unchanged": 2,
    }
    assert printed(run("diff", dataset.root, "invoice", "--json")) == expected
    dataset.freeze("invoice", "2")
    assert printed(run("diff", dataset.root, "invoice", "--from", "1", "--to", "2", "--json")) == expected
    assert printed(run("diff", dataset.root, "invoice", "--json"))["unchanged"] == 4
    shown = run("diff", dataset.root, "invoice", "--from", "1").stdout
    assert "needs votes" in shown
    assert "2 leaves are as they were" in shown


def test_diff_of_files_with_rules(run: Run, schema_file: Path, tmp_path: Path) -> None:
    rules = written(tmp_path / "rules.json", {"identity": {"lines": ["sku"]}})
    value = printed(run("diff", schema_file, schema_file, "--new-rules", rules, "--json"))
    assert [one["what"] for one in value["changed"]] == [["identity"], ["identity"]]


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        (["check", "{tmp}/none.json"], JsonError, "none.json"),
        (["check", "{tmp}/broken.json"], JsonError, "broken.json: not JSON"),
        (["check", "{tmp}/plain"], DatasetError, "plain"),
        (["check", "{dataset}", "nothing"], DatasetError, "no schema 'nothing'"),
        (["check", "{schema}", "--rules", "{tmp}/rules-misspelt.json"], RulesError, "rules-misspelt.json: field"),
        (["check", "{frozen}", "--rules", "{tmp}/rules.json"], RulesError, "holds its own rules"),
        (["freeze", "{tmp}/wrapped.json"], SchemaError, "wrapped.json: the root: .*'schema_definition'"),
        (["freeze", "{schema}", "--rules", "{tmp}/rules.json"], RulesError, "invoice.schema.json: nowhere: "),
        (["freeze", "{schema}", "--out", "{tmp}/broken.json/x"], DatasetError, "cannot be written"),
        (["freeze", "{empty}"], DatasetError, "it has 0 schemas; add documents"),
        (["suggest-keys", "{schema}"], BallotError, "give --ballot NAME=FILE"),
        (["suggest-keys", "{schema}", "--ballot", "a"], BallotError, "write it as NAME=FILE"),
        (["suggest-keys", "{schema}", "--ballot", "a={tmp}/none.json"], JsonError, "cannot be read"),
        (
            ["suggest-keys", "{schema}", "--ballot", "a={schema}", "--ballot", "a={schema}"],
            BallotError,
            "a is given twice",
        ),
        (["diff", "{dataset}", "invoice"], DatasetError, "no frozen version to compare with"),
        (["diff", "{dataset}", "nothing"], DatasetError, "no schema 'nothing'"),
        (["diff", "{dataset}", "invoice", "--from", "7"], DatasetError, "no version '7'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_misuse_is_one_error_that_names_the_place(
    run: Run,
    dataset: Dataset,
    schema_file: Path,
    tmp_path: Path,
    arguments: list[str],
    error: type[GoldleafError],
    says: str,
) -> None:
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    (tmp_path / "plain").mkdir()
    written(tmp_path / "wrapped.json", {"name": "n", "schema_definition": SOURCE})
    written(tmp_path / "rules.json", {"fields": {"nowhere": {}}})
    written(tmp_path / "rules-misspelt.json", {"field": {}})
    run("freeze", schema_file, "--out", tmp_path / "frozen.json")
    places = {
        "tmp": tmp_path,
        "dataset": dataset.root,
        "schema": schema_file,
        "frozen": tmp_path / "frozen.json",
        "empty": Dataset.create(tmp_path / "empty").root,
    }
    result = run(*(argument.format(**places) for argument in arguments))
    assert isinstance(result.exception, error)
    with pytest.raises(error, match=says):
        raise result.exception


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "{dataset}", "--rules", "{schema}"],
        ["check", "{schema}", "name"],
        ["freeze", "{dataset}", "--out", "x.json"],
        ["freeze", "{schema}", "--version", "draft"],
        ["suggest-keys", "{dataset}", "--ballot", "a=b"],
        ["suggest-keys", "{schema}", "--write"],
        ["diff", "{dataset}", "invoice", "--old-rules", "{schema}"],
        ["diff", "{schema}", "{schema}", "--from", "1"],
        ["diff", "{schema}"],
    ],
    ids=" ".join,
)
def test_an_option_that_does_not_belong_is_misuse(
    run: Run, dataset: Dataset, schema_file: Path, arguments: list[str]
) -> None:
    result = run(*(argument.format(dataset=dataset.root, schema=schema_file) for argument in arguments))
    assert result.exit_code == 2
    assert "Usage" in result.output
