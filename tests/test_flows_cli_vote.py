"""``goldleaf vote`` on ballot files: what it prints, and how it answers bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from builders import Ended, goldleaf

SCHEMA = {
    "type": "object",
    "properties": {
        "total": {"type": ["number", "null"]},
        "items": {
            "type": "array",
            "items": {"type": "object", "properties": {"sku": {"type": "string"}, "qty": {"type": "number"}}},
        },
    },
}
GOOD: dict[str, Any] = {"total": 12.5, "items": [{"sku": "a", "qty": 1}, {"sku": "b", "qty": 2}]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    (tmp_path / "rules.json").write_text(json.dumps({"identity": {"items": ["sku"]}}))
    return tmp_path


def vote(folder: Path, answers: dict[str, Any], *more: object) -> Ended:
    options: list[object] = []
    for name, answer in answers.items():
        text = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        (folder / f"{name}.json").write_bytes(text)
        options += ["--ballot", f"{name}={folder / name}.json"]
    return goldleaf("vote", "--schema", folder / "schema.json", "--rules", folder / "rules.json", *options, *more)


def test_the_printed_vote_has_every_promised_key(folder: Path) -> None:
    lacking = {"total": 12.5, "items": [GOOD["items"][0]]}
    ended = vote(folder, {"a": GOOD, "b": GOOD, "c": GOOD, "d": {"status": "ok", "data": lacking}}, "--json")
    assert ended.code == 0
    found = ended.json
    assert found.keys() >= {"systems", "abstained", "n", "leaves", "rows", "proposal", "unresolved"}
    assert found["leaves"][0] == {
        "path": "total",
        "tier": "unanimous",
        "value": 12.5,
        "resolved": True,
        "disposition": "accept",
        "reasons": [],
        "notes": [],
        "votes": dict.fromkeys("abcd", 12.5),
    }
    assert found["rows"][1]["present"] == {"a": True, "b": True, "c": True, "d": False}
    assert found["proposal"] == GOOD


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        pytest.param(b"", "invalid_json", id="empty"),
        pytest.param(b'{"total": 1', "invalid_json", id="cut in the middle"),
        pytest.param(b"[" * 100_000, "invalid_json", id="100,000 deep"),
        pytest.param(b'{"total": ' * 100_000 + b"1" + b"}" * 100_000, "invalid_json", id="100,000 deep objects"),
        pytest.param('{"total": "é"}'.encode("latin-1"), "invalid_json", id="not UTF-8"),
        pytest.param(b"[1, 2]", "schema_invalid", id="root is a list"),
        pytest.param(b'"text"', "schema_invalid", id="root is a text"),
        pytest.param({"status": "timeout", "data": None}, "timeout", id="a failed run"),
    ],
)
def test_a_ballot_that_cannot_be_used_abstains_and_the_rest_vote(folder: Path, answer: Any, reason: str) -> None:
    ended = vote(folder, {"a": GOOD, "b": GOOD, "c": GOOD, "bad": answer}, "--json")
    assert ended.code == 0
    assert ended.json["n"] == 3
    assert ended.json["abstained"]["bad"].startswith(reason)
    assert ended.json["leaves"][0]["tier"] == "unanimous"


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "1e400"])
def test_no_number_is_invalid_for_its_leaf_alone(folder: Path, literal: str) -> None:
    bad = json.dumps(GOOD).replace("12.5", literal).encode()
    ended = vote(folder, {"a": GOOD, "b": GOOD, "c": GOOD, "bad": bad}, "--json")

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    found = json.loads(ended.out, parse_constant=refuse)
    assert found["leaves"][0]["reasons"] == ["invalid_reading"]
    assert {leaf["tier"] for leaf in found["leaves"][1:]} == {"unanimous"}


def test_a_duplicate_key_is_invalid_for_its_leaf_alone(folder: Path) -> None:
    bad = b'{"total": 12.5, "total": 13, "items": [{"sku": "a", "qty": 1}, {"sku": "b", "qty": 2}]}'
    found = vote(folder, {"a": GOOD, "b": GOOD, "c": GOOD, "bad": bad}, "--json").json
    assert found["leaves"][0]["reasons"] == ["invalid_reading"]
    assert {leaf["tier"] for leaf in found["leaves"][1:]} == {"unanimous"}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        pytest.param(["--ballot", "a=a.json"], "stands there more than once", id="a system twice"),
        pytest.param(["--ballot", "nobody"], "NAME=FILE", id="no name"),
        pytest.param(["--ballot", "x=absent.json"], "cannot be read", id="no such file"),
        pytest.param(["--family", "nobody=f"], "no ballot of that name", id="family of nobody"),
        pytest.param(["--kind", "novel"], "real or form", id="kind"),
        pytest.param(["--systems", "a"], "--systems", id="systems without a dataset"),
    ],
)
def test_misuse_is_said_in_one_message(folder: Path, more: list[str], message: str) -> None:
    ended = vote(folder, {"a": GOOD, "b": GOOD}, *more)
    assert ended.code == 2
    assert message in ended.err
    assert "Traceback" not in ended.err


def test_more_than_five_ballots_are_refused_before_any_work(folder: Path) -> None:
    ended = vote(folder, dict.fromkeys("abcdef", GOOD))
    assert ended.code == 2
    assert "at most 5" in ended.err


def test_no_usable_ballot_is_an_error(folder: Path) -> None:
    ended = vote(folder, {"a": b"", "b": b"{"})
    assert ended.code == 2
    assert "no ballots" in ended.err


def test_neither_dataset_nor_schema(folder: Path) -> None:
    assert goldleaf("vote").code == 2
    assert goldleaf("vote", folder, "--schema", folder / "schema.json").code == 2


@pytest.mark.parametrize(
    "text", ["[]", "true", '{"name": "x", "schema_definition": {}}', "{", '{"type": "object"}', "\ufeff"]
)
def test_a_schema_that_is_none(folder: Path, text: str) -> None:
    (folder / "schema.json").write_text(text)
    (folder / "a.json").write_text(json.dumps(GOOD))
    ended = goldleaf("vote", "--schema", folder / "schema.json", "--ballot", f"a={folder / 'a.json'}")
    assert ended.code == 2
    assert "schema.json" in ended.err
    assert "Traceback" not in ended.err


def test_a_person_sees_the_same_vote(folder: Path) -> None:
    ended = vote(folder, {"a": GOOD, "b": GOOD, "c": {**GOOD, "total": 13}})
    assert ended.code == 0
    assert "3 of 3 systems voted" in ended.out
    assert "items[1].qty" in ended.out


def test_every_leaf_of_a_form_is_reviewed(folder: Path) -> None:
    found = vote(folder, {"a": GOOD, "b": GOOD, "c": GOOD}, "--kind", "form", "--json").json
    assert {leaf["disposition"] for leaf in found["leaves"]} == {"review"}
