"""The commands that put things into a dataset: what they print, and how they end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from builders import REPOSITORY
from flows.cli_dataset import register
from groundtruth.errors import DuplicateDocument, GoldleafError, SchemaError, UnknownDocument
from groundtruth.store import Dataset
from groundtruth.store_artefacts import Artefact

SCHEMA = {"type": "object", "properties": {"total": {"type": ["number", "null"]}, "no": {"type": ["string", "null"]}}}
RULES = {"fields": {"no": {"comparator": "identifier"}}}

app = typer.Typer()
register(app)


def run(*arguments: object) -> Result:
    """Run a command in this process; an error of ours comes back as the result's exception."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def run_json(*arguments: object) -> Any:
    """Run a command with --json and read what it prints, whatever its exit code."""
    result = run(*arguments, "--json")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return json.loads(result.stdout)


def error_of(*arguments: object) -> str:
    """The message of the error that a command ends with."""
    exception = run(*arguments).exception
    assert isinstance(exception, GoldleafError), exception
    return str(exception)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with a dataset ``data``, a schema, its rules, and three documents to add."""
    (tmp_path / "invoice.schema.json").write_text(json.dumps(SCHEMA))
    (tmp_path / "rules.json").write_text(json.dumps(RULES))
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.txt").write_text(f"Total {name}")
    assert run("new", tmp_path / "data").exit_code == 0
    return tmp_path


@pytest.fixture
def added(work: Path) -> Path:
    assert run("add", work / "data", "--schema", work / "invoice.schema.json", work / "a.txt").exit_code == 0
    return work


class TestNew:
    def test_it_says_what_to_do_next(self, tmp_path: Path) -> None:
        result = run("new", tmp_path / "data", "--name", "My bills [2024]")

        assert "goldleaf add" in result.stdout.replace("\n", " ")
        assert Dataset.open(tmp_path / "data").name == "My bills [2024]"

    def test_json(self, tmp_path: Path) -> None:
        made = {"dataset": str(tmp_path / "data"), "name": "data", "languages": ["en"]}
        assert run_json("new", tmp_path / "data") == made


class TestAdd:
    def test_documents_are_listed_with_paths_that_exist(self, work: Path) -> None:
        value = run_json(
            *("add", work / "data", "--schema", work / "invoice.schema.json", "--rules", work / "rules.json"),
            *("--kind", "form", "--type", "bill", "--domain", "trade", "--source", "https://example.org/a"),
            *("--license", "CC0-1.0", work / "a.txt", work / "b.txt"),
        )

        assert [one["document"] for one in value["documents"]] == ["a", "b"]
        assert value["failed"] == []
        assert all(Path(one["file"]).is_file() for one in value["documents"])
        assert (value["documents"][0]["schema"], value["documents"][0]["kind"]) == ("invoice", "form")
        document = Dataset.open(work / "data").document("b")
        assert (document.type, document.domain, document.license) == ("bill", "trade", "CC0-1.0")
        assert Dataset.open(work / "data").schema("invoice").rules.fields["no"].comparator == "identifier"

    def test_one_that_fails_does_not_cost_the_others(self, work: Path) -> None:
        (work / "bad.bin").write_bytes(bytes(range(256)))
        arguments = ("add", work / "data", "--schema", work / "invoice.schema.json")
        files = (work / "a.txt", work / "bad.bin", work / "gone.txt", work / "a.txt", work / "b.txt")

        result = run(*arguments, *files, "--json")

        assert result.exit_code == 2
        value = json.loads(result.stdout)
        assert [one["document"] for one in value["documents"]] == ["a", "b"]
        assert [Path(one["file"]).name for one in value["failed"]] == ["bad.bin", "gone.txt", "a.txt"]
        assert all(one["error"].startswith(one["file"]) for one in value["failed"])
        assert Dataset.open(work / "data").document_ids() == ("a", "b")

    def test_for_a_person_it_says_the_same(self, work: Path) -> None:
        (work / "bad.bin").write_bytes(bytes(range(256)))

        result = run("add", work / "data", "--schema", work / "invoice.schema.json", work / "a.txt", work / "bad.bin")

        assert result.exit_code == 2
        assert "1 of 2 added" in result.stdout
        assert "not added: " in result.stderr
        assert "bad.bin" in result.stderr

    def test_names_that_look_like_markup_are_shown_as_they_are(self, work: Path) -> None:
        file = work / "[red]x[bold].txt"
        file.write_text("x")

        result = run("add", work / "data", "--schema", work / "invoice.schema.json", file)

        assert "[red]x[bold].txt" in result.stdout

    def test_a_file_name_cannot_command_a_terminal(self, work: Path) -> None:
        file = work / "a\x1b[2J.txt"
        file.write_text("x")

        results = [
            run("add", work / "data", "--schema", work / "invoice.schema.json", *given, file)
            for given in ([], ["--id", "x"])
        ]

        assert [result.exit_code for result in results] == [2, 0]
        assert "\x1b" not in "".join(result.output for result in results)

    @pytest.mark.parametrize("name", ["a\nb.txt", "..x.txt", "-x.txt"])
    def test_a_hostile_file_name_is_refused_with_the_cure(self, work: Path, name: str) -> None:
        file = work / name
        file.write_text("x")

        refused = run("add", work / "data", "--schema", work / "invoice.schema.json", file)
        taken = run("add", work / "data", "--schema", "invoice", "--id", "x", file)

        assert (refused.exit_code, taken.exit_code) == (2, 0)
        assert "--id" in refused.stderr
        assert Dataset.open(work / "data").document("x").original_name == name

    def test_an_id_is_for_one_file(self, work: Path) -> None:
        assert "one by one" in error_of("add", work / "data", "--id", "x", work / "a.txt", work / "b.txt")

    def test_a_folder_that_is_no_dataset(self, work: Path) -> None:
        assert "goldleaf new" in error_of("add", work, "--schema", work / "invoice.schema.json", work / "a.txt")


class TestSchemaOfAdded:
    def test_the_only_schema_is_meant_when_none_is_named(self, added: Path) -> None:
        assert run_json("add", added / "data", added / "b.txt")["documents"][0]["schema"] == "invoice"

    def test_none_is_guessed_when_there_are_none_or_several(self, work: Path) -> None:
        assert "which schema is meant" in error_of("add", work / "data", work / "a.txt")

        run("add", work / "data", "--schema", work / "invoice.schema.json", work / "a.txt")
        run("add", work / "data", "--schema", work / "invoice.schema.json", "--schema-name", "other", work / "b.txt")
        assert "invoice, other" in error_of("add", work / "data", work / "c.txt")

    def test_the_same_file_again_is_the_same_schema(self, added: Path) -> None:
        value = run_json("add", added / "data", "--schema", added / "invoice.schema.json", added / "b.txt")

        assert value["documents"][0]["schema"] == "invoice"
        assert Dataset.open(added / "data").schema_names() == ("invoice",)

    def test_rules_given_once_stay(self, work: Path) -> None:
        schema = ("--schema", work / "invoice.schema.json")
        run("add", work / "data", *schema, "--rules", work / "rules.json", work / "a.txt")

        assert run("add", work / "data", *schema, work / "b.txt").exit_code == 0
        assert (
            run("add", work / "data", "--schema", "invoice", "--rules", work / "rules.json", work / "c.txt").exit_code
            == 0
        )
        assert "no" in Dataset.open(work / "data").schema("invoice").rules.fields

    @pytest.mark.parametrize("what", ["schema", "rules"])
    def test_another_content_under_the_name_says_the_cure(self, added: Path, what: str) -> None:
        file = added / "invoice.schema.json"
        if what == "schema":
            file.write_text(json.dumps({**SCHEMA, "title": "other"}))
        extra = ("--rules", added / "rules.json") if what == "rules" else ()

        message = error_of("add", added / "data", "--schema", file, *extra, added / "b.txt")

        assert "draft.schema.json" in message
        assert "--schema-name" in message
        assert Dataset.open(added / "data").document_ids() == ("a",)

    def test_other_rules_for_a_schema_of_the_dataset_say_where_to_edit(self, added: Path) -> None:
        message = error_of(
            "add", added / "data", "--schema", "invoice", "--rules", added / "rules.json", added / "b.txt"
        )

        assert "draft.rules.json" in message

    @pytest.mark.parametrize(
        ("text", "error"),
        [
            pytest.param("[1]", SchemaError, id="no schema"),
            pytest.param('{"name": "x", "schema_definition": {"type": "object"}}', SchemaError, id="a wrapper"),
            pytest.param("{", GoldleafError, id="no JSON"),
            pytest.param('{"type": "object", "properties": {"a": {"$ref": "#"}}}', SchemaError, id="recursive"),
        ],
    )
    def test_a_file_that_is_no_schema_names_itself(self, work: Path, text: str, error: type[GoldleafError]) -> None:
        (work / "bad.json").write_text(text)

        result = run("add", work / "data", "--schema", work / "bad.json", work / "a.txt")

        assert isinstance(result.exception, error)
        assert "bad.json" in str(result.exception)
        assert Dataset.open(work / "data").schema_names() == ()

    def test_a_schema_that_is_neither_file_nor_known(self, added: Path) -> None:
        assert "neither a file nor a schema of the dataset (invoice)" in error_of(
            "add", added / "data", "--schema", "nvoice", added / "b.txt"
        )

    @pytest.mark.parametrize("name", ["../x", ".x", "a/b"])
    def test_a_hostile_schema_name_is_refused(self, work: Path, name: str) -> None:
        schema = work / "invoice.schema.json"

        assert "--schema-name" in error_of(
            "add", work / "data", "--schema", schema, "--schema-name", name, work / "a.txt"
        )


class TestRemove:
    def test_what_went_is_listed(self, added: Path) -> None:
        (added / "a.json").write_text('{"total": 1}')
        run("votes", "import", added / "data", "--system", "gpt", added / "a.json")

        assert run_json("remove", added / "data", "a") == {"removed": {"a": ["ballots/a", "documents/a"]}}

    def test_an_unknown_id_stops_before_anything_is_removed(self, added: Path) -> None:
        result = run("remove", added / "data", "a", "zebra")

        assert isinstance(result.exception, UnknownDocument)
        assert Dataset.open(added / "data").document_ids() == ("a",)

    def test_decisions_are_kept_unless_forced(self, added: Path) -> None:
        Dataset.open(added / "data").write_artefact(Artefact.DECISIONS, "a", {})

        assert "--force" in error_of("remove", added / "data", "a")
        assert run("remove", added / "data", "a", "--force").exit_code == 0

    def test_questions_about_it_leave_the_queue(self, added: Path) -> None:
        dataset = Dataset.open(added / "data")
        dataset.write_records(Artefact.QUEUE, "queue", [{"document": "a"}])

        assert run("remove", added / "data", "a").exit_code == 0

        assert dataset.read_records(Artefact.QUEUE, "queue") == []


class TestReplace:
    def test_the_document_is_printed_with_what_went(self, added: Path) -> None:
        Dataset.open(added / "data").write_artefact(Artefact.TRUTH, "a", {})

        value = run_json("replace", added / "data", "a", added / "b.txt")

        assert (value["document"], value["changed"], value["removed"]) == ("a", True, ["truth/a.json"])
        assert Path(value["file"]).read_text() == "Total b"

    def test_the_same_bytes_change_nothing(self, added: Path) -> None:
        result = run("replace", added / "data", "a", added / "a.txt")

        assert "nothing changed" in result.stdout

    def test_the_bytes_of_another_document(self, added: Path) -> None:
        run("add", added / "data", added / "b.txt")

        assert isinstance(run("replace", added / "data", "a", added / "b.txt").exception, DuplicateDocument)


class TestVotes:
    @pytest.fixture
    def votes(self, added: Path) -> Path:
        run("add", added / "data", added / "b.txt", added / "c.txt")
        folder = added / "votes"
        folder.mkdir()
        (folder / "a.json").write_text('{"total": 1}')
        (folder / "b.json").write_text('{"total": NaN}')
        (folder / "zebra.json").write_text("{}")
        return folder

    def test_an_import_without_a_fault_ends_with_0(self, added: Path, votes: Path) -> None:
        arguments = ("votes", "import", added / "data", "--system", "gpt", "--family", "openai", votes)

        first = run(*arguments)
        again = run(*arguments)

        assert (first.exit_code, again.exit_code) == (0, 0)
        text = " ".join(first.stdout.split())
        assert "gpt (family openai): 2 ballots (2 new, 0 replaced, 0 unchanged), 0 of them cannot be used" in text
        assert "1 document without a ballot of gpt: c" in text
        assert "not matched (1): no document has this id: zebra.json" in text
        assert "noted: b: 1 value cannot be trusted" in text
        assert "2 unchanged" in again.stdout

    def test_an_unusable_file_ends_with_1_and_is_named(self, added: Path, votes: Path) -> None:
        (votes / "c.json").write_text("[")

        result = run("votes", "import", added / "data", "--system", "gpt", votes)

        assert result.exit_code == 1
        assert "abstains: c: invalid_json: not JSON" in result.stdout
        assert "c.json" in result.stdout

    def test_json_has_every_list(self, added: Path, votes: Path) -> None:
        (votes / "x").mkdir()
        (votes / "x" / "a.json").write_text("{}")

        value = run_json("votes", "import", added / "data", "--system", "gpt", votes)

        assert value["system"] == value["family"] == "gpt"
        assert [(one["document"], one["change"], one["status"]) for one in value["imported"]] == [("b", "new", "ok")]
        assert [Path(one["file"]).name for one in value["unmatched"]] == ["zebra.json"]
        assert [Path(one["file"]).name for one in value["rivals"]] == ["a.json", "a.json"]
        assert value["missing"] == ["a", "c"]

    def test_two_files_for_one_document_end_with_1(self, added: Path, votes: Path) -> None:
        (votes / "x").mkdir()
        (votes / "x" / "a.json").write_text("{}")

        assert run("votes", "import", added / "data", "--system", "gpt", votes).exit_code == 1

    def test_the_systems_are_listed(self, added: Path, votes: Path) -> None:
        (votes / "b.json").write_text("[")
        run("votes", "import", added / "data", "--system", "gpt", votes)

        assert run_json("votes", "list", added / "data") == {
            "systems": [{"system": "gpt", "families": ["gpt"], "ok": 1, "partial": 0, "failed": 1, "missing": 1}],
            "panel": None,
        }
        assert "not chosen" in run("votes", "list", added / "data").stdout


@pytest.mark.parametrize("command", [["new"], ["add"], ["remove"], ["replace"], ["votes", "import"], ["votes", "list"]])
def test_every_command_explains_itself_and_takes_json(command: list[str]) -> None:
    result = run(*command, "--help")

    assert result.exit_code == 0
    assert "--json" in result.stdout
    assert "DIR" in result.stdout


def start(*arguments: object) -> subprocess.Popen[str]:
    """Start the program as a person would."""
    return subprocess.Popen(
        [sys.executable, "-m", "flows.cli", *map(str, arguments)],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_programs_at_once_add_both_documents_and_the_same_bytes_once(work: Path) -> None:
    for name in ("same 1.txt", "same 2.txt"):
        (work / name).write_text("the same")
    arguments = ("add", work / "data", "--schema", work / "invoice.schema.json", "--json")

    programs = [
        start(*arguments, work / name, work / same) for name, same in (("a.txt", "same 1.txt"), ("b.txt", "same 2.txt"))
    ]
    ended = [(program.communicate(timeout=120), program.returncode) for program in programs]

    assert sorted(code for _, code in ended) == [0, 2]
    values = [json.loads(out) for (out, _), _ in ended]
    assert sum(len(value["documents"]) for value in values) == 3
    (failed,) = (one for value in values for one in value["failed"])
    assert "has the same bytes as document 'same " in failed["error"]
    assert len(Dataset.open(work / "data").document_ids()) == 3


def test_a_mistake_is_one_message_and_exit_code_2(work: Path) -> None:
    program = start("add", work / "nowhere", work / "a.txt")
    out, err = program.communicate(timeout=120)

    assert (program.returncode, out) == (2, "")
    assert err == f"goldleaf: {work / 'nowhere'}: is not there; make one with `goldleaf new {work / 'nowhere'}`\n"
