"""The schemas of a dataset: a draft that may change freely, and versions that may not change at all."""

from __future__ import annotations

import copy
import json
from decimal import Decimal
from pathlib import Path

import pytest

from groundtruth.errors import DatasetError, GoldleafError, RulesError, SchemaError
from groundtruth.jsontext import Json
from groundtruth.path import format_path
from groundtruth.rules import Rules
from groundtruth.store import Dataset

SCHEMA: Json = {
    "type": "object",
    "properties": {
        "zulu": {"type": ["string", "null"], "description": "last in the alphabet, first here"},
        "alpha": {"type": ["number", "null"], "multipleOf": Decimal("0.01")},
        "lines": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": ["string", "null"]}}}},
    },
}
RULES = Rules.from_json({"fields": {"lines[].sku": {"comparator": "identifier"}}, "identity": {"lines": ["sku"]}})


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    made = Dataset.create(tmp_path / "data")
    made.put_draft("invoice", SCHEMA, RULES)
    return made


def changed(description: str) -> Json:
    schema = copy.deepcopy(SCHEMA)
    schema["properties"]["zulu"]["description"] = description
    return schema


def test_a_draft_reads_back_with_its_rules_and_in_its_order(dataset: Dataset) -> None:
    schema = dataset.schema("invoice")

    assert (schema.name, schema.version) == ("invoice", "draft")
    assert (schema.source, schema.rules) == (SCHEMA, RULES)
    assert [format_path(path) for path in schema.leaves] == ["zulu", "alpha", "lines[].sku"]


def test_a_frozen_schema_keeps_order_rules_and_fingerprints(dataset: Dataset) -> None:
    frozen = dataset.freeze("invoice")

    again = Dataset.open(dataset.root).schema("invoice")

    assert (again.version, again.rules, list(again.leaves)) == ("1", RULES, list(frozen.leaves))
    assert [leaf.fingerprint for leaf in again.leaves.values()] == [leaf.fingerprint for leaf in frozen.leaves.values()]
    form = json.loads((dataset.root / "schemas" / "invoice" / "1.json").read_text())
    assert list(form) == sorted(form)
    assert form["leaves"]["lines[].sku"]["comparator"] == "identifier"
    assert form["rules"]["identity"] == {"lines": ["sku"]}


def test_the_latest_version_is_the_default_and_the_draft_can_still_be_had(dataset: Dataset) -> None:
    dataset.freeze("invoice")
    dataset.put_draft("invoice", changed("new"), RULES, replace=True)

    assert dataset.schema("invoice").source == SCHEMA
    assert dataset.schema("invoice", "draft").source == changed("new")


def test_versions_are_ordered_as_numbers(dataset: Dataset) -> None:
    for version in ("1.10", "1.2", "1.9", "2024-b"):
        dataset.freeze("invoice", version)

    assert dataset.versions("invoice") == ("1.2", "1.9", "1.10", "2024-b")


def test_freezing_the_same_again_changes_nothing(dataset: Dataset) -> None:
    dataset.freeze("invoice")
    file = dataset.root / "schemas" / "invoice" / "1.json"
    before = file.read_bytes(), file.stat().st_mtime_ns

    assert dataset.freeze("invoice").version == "1"
    assert dataset.freeze("invoice", "1").version == "1"

    assert (file.read_bytes(), file.stat().st_mtime_ns) == before
    assert dataset.versions("invoice") == ("1",)


def test_a_changed_draft_gets_the_next_whole_number(dataset: Dataset) -> None:
    dataset.freeze("invoice", "1.5")
    dataset.put_draft("invoice", changed("new"), RULES, replace=True)

    assert dataset.freeze("invoice").version == "2"


def test_a_version_is_never_frozen_with_another_content(dataset: Dataset) -> None:
    dataset.freeze("invoice", "1")
    dataset.put_draft("invoice", changed("new"), RULES, replace=True)

    with pytest.raises(DatasetError, match="frozen with another content; give a new --version"):
        dataset.freeze("invoice", "1")

    assert dataset.schema("invoice", "1").source == SCHEMA


@pytest.mark.parametrize("version", ["draft", "draft.schema", "../x", ".1", "a/b"])
def test_what_cannot_be_a_version_is_refused(dataset: Dataset, version: str) -> None:
    with pytest.raises(DatasetError, match="cannot be a"):
        dataset.freeze("invoice", version)

    assert dataset.versions("invoice") == ()


@pytest.mark.parametrize(
    ("change", "leaf"),
    [
        pytest.param(lambda form: form["schema"]["properties"]["zulu"].update(description="x"), "zulu", id="a leaf"),
        pytest.param(lambda form: form["schema"]["properties"].pop("alpha"), "alpha", id="a leaf taken out"),
        pytest.param(lambda form: form["rules"].pop("identity"), r"lines\[\]\.sku", id="the identity keys"),
        pytest.param(lambda form: form["leaves"]["zulu"].update(fingerprint="0"), "zulu", id="a fingerprint"),
        pytest.param(lambda form: form.pop("leaves"), "not a frozen schema", id="all fingerprints"),
    ],
)
def test_an_edited_frozen_file_is_noticed(dataset: Dataset, change: object, leaf: str) -> None:
    dataset.freeze("invoice")
    file = dataset.root / "schemas" / "invoice" / "1.json"
    form = json.loads(file.read_text())
    assert callable(change)
    change(form)
    file.write_text(json.dumps(form))

    with pytest.raises(DatasetError, match=leaf):
        dataset.schema("invoice")


def test_the_same_draft_again_is_fine_and_another_says_the_cure(dataset: Dataset) -> None:
    dataset.put_draft("invoice", SCHEMA, RULES)

    for schema, rules in ((changed("new"), RULES), (SCHEMA, Rules())):
        with pytest.raises(DatasetError) as caught:
            dataset.put_draft("invoice", schema, rules)
        assert "draft.schema.json" in str(caught.value)
        assert "--schema-name" in str(caught.value)

    assert dataset.schema("invoice").source == SCHEMA


@pytest.mark.parametrize(
    ("schema", "rules", "error"),
    [
        pytest.param([], Rules(), SchemaError, id="no schema"),
        pytest.param({"name": "x", "schema_definition": SCHEMA}, Rules(), SchemaError, id="a wrapped schema"),
        pytest.param(
            SCHEMA, Rules.from_json({"fields": {"zulo": {"comparator": "text"}}}), RulesError, id="unknown field"
        ),
    ],
)
def test_what_does_not_compile_is_not_stored(
    dataset: Dataset, schema: Json, rules: Rules, error: type[GoldleafError]
) -> None:
    with pytest.raises(error, match=r"other\.json"):
        dataset.put_draft("other", schema, rules, origin="other.json")

    assert dataset.schema_names() == ("invoice",)


def test_a_draft_that_a_person_broke_names_its_file(dataset: Dataset) -> None:
    draft = dataset.root / "schemas" / "invoice" / "draft.schema.json"
    draft.write_text('{"type": "object"')

    with pytest.raises(GoldleafError, match=r"draft\.schema\.json"):
        dataset.schema("invoice")


def test_an_edit_of_the_draft_is_seen_at_once(dataset: Dataset) -> None:
    folder = dataset.root / "schemas" / "invoice"
    before = dataset.schema("invoice")
    assert dataset.schema("invoice") is before

    (folder / "draft.rules.json").write_text('{"identity": {}}')
    assert dataset.schema("invoice").rules == Rules()
    (folder / "draft.schema.json").write_text(json.dumps({"type": "object", "properties": {"sum": {"type": "number"}}}))
    assert list(dataset.schema("invoice").leaves) == [("sum",)]


def test_a_draft_without_a_rules_file_has_no_rules(dataset: Dataset) -> None:
    (dataset.root / "schemas" / "invoice" / "draft.rules.json").unlink()

    assert dataset.schema("invoice").rules == Rules()


@pytest.mark.parametrize("name", ["nothing", "../invoice", "a/b", "x" * 400, "a\x00b"])
def test_an_unknown_schema_names_those_that_are_there(dataset: Dataset, name: str) -> None:
    with pytest.raises(DatasetError, match="it has 'invoice'"):
        dataset.schema(name)


def test_an_unknown_version_names_those_that_are_there(dataset: Dataset) -> None:
    dataset.freeze("invoice")

    with pytest.raises(DatasetError, match="no version '7'; it has 'draft', '1'"):
        dataset.schema("invoice", "7")
