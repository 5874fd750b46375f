"""``goldleaf score`` for one pair: envelopes, options, and clear answers to bad input."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from builders import Ended, goldleaf
from flows.score_inputs import breaks

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": ["integer", "null"]},
        "name": {"type": ["string", "null"]},
        "lines": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": ["string", "null"]}}}},
    },
}
TRUTH: dict[str, Any] = {"id": 12345678901234567, "name": "Ada", "lines": [{"sku": "a"}, {"sku": "b"}]}
METRICS = ("verdicts", "value-f1")


def score(folder: Path, *arguments: object, truth: Any = TRUTH, prediction: Any = TRUTH, schema: Any = SCHEMA) -> Ended:
    command: list[object] = ["score"]
    for name, content in (("schema", schema), ("truth", truth), ("prediction", prediction)):
        file = folder / f"{name}.json"
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        command += [f"--{name}", file]
    return goldleaf(*command, *arguments)


def right(ended: Ended) -> float:
    found = ended.json
    return float(found["accuracy"] if found["metric"] == "verdicts" else found["value"]["f1"])


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    "prediction",
    [
        pytest.param(TRUTH, id="bare"),
        pytest.param({"status": "ok", "data": TRUTH}, id="envelope"),
        pytest.param({"score": 1.0, "cost": 0.1, "time_sec": 4, "data": TRUTH}, id="envelope with figures"),
        pytest.param({"request": {"example_id": "x"}, "output": {"extracted_data": TRUTH}}, id="ExtractBench"),
    ],
)
def test_every_envelope_is_taken_off(metric: str, prediction: Any, tmp_path: Path) -> None:
    ended = score(tmp_path, "--metric", metric, "--json", prediction=prediction)
    assert (ended.code, right(ended), ended.json["flags"]) == (0, 1.0, [])


def test_a_declared_field_called_data_is_no_envelope(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"data": {"type": "string"}, "status": {"type": "string"}}}
    value = {"data": "x", "status": "y"}
    ended = score(tmp_path, "--metric", "verdicts", "--json", schema=schema, truth=value, prediction=value)
    assert ended.json["verdicts"]["matched"] == 2


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("prediction", ["[]", '"text"', "5", "null", "true"])
def test_what_is_no_object_states_nothing(metric: str, prediction: str, tmp_path: Path) -> None:
    ended = score(tmp_path, "--metric", metric, "--json", prediction=prediction)
    assert (ended.code, right(ended), ended.json["flags"]) == (0, 0.0, ["prediction_is_no_object"])
    assert "states nothing" in ended.err


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("prediction", "flag"),
    [
        pytest.param(
            '{"id": NaN, "name": "Ada", "lines": [{"sku": "a"}, {"sku": "b"}]}', "malformed_values:1", id="NaN"
        ),
        pytest.param(
            '{"name": "Ada", "id": 12345678901234567, "id": 12345678901234567, "lines": [{"sku": "a"}, {"sku": "b"}]}',
            "malformed_values:1",
            id="a key twice",
        ),
    ],
)
def test_untrustworthy_values_are_wrong_by_themselves(metric: str, prediction: str, flag: str, tmp_path: Path) -> None:
    ended = score(tmp_path, "--metric", metric, "--json", prediction=prediction)
    assert (ended.code, right(ended), ended.json["flags"]) == (0, 0.75, [flag])


@pytest.mark.parametrize("metric", METRICS)
def test_ids_above_2_to_the_53_do_not_merge(metric: str, tmp_path: Path) -> None:
    ended = score(tmp_path, "--metric", metric, "--json", prediction=TRUTH | {"id": 12345678901234568})
    assert right(ended) == 0.75


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("truth", "place"),
    [
        ({"id": "seven"}, "$.id"),
        ({"name": 5}, "$.name"),
        ({"lines": {}}, "$.lines"),
        ({"lines": [{"sku": 1}]}, "$.lines[0].sku"),
    ],
)
def test_a_truth_that_breaks_its_schema_is_scored_and_flagged(
    metric: str, truth: Any, place: str, tmp_path: Path
) -> None:
    ended = score(tmp_path, "--metric", metric, "--json", truth=truth, prediction=truth)
    assert (ended.code, ended.json["flags"][-1]) == (0, f"truth_breaks_schema:{place}")


@pytest.mark.parametrize(
    ("truth", "schema"),
    [
        ({"a": 1.0}, {"type": "object", "properties": {"a": {"type": "integer"}}}),
        ({"a": 5}, {"type": "object", "properties": {"a": {"enum": [5]}}}),
        ({"a": 5}, {"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "number"}}}),
        ({"a": 1.25}, {"type": "object", "properties": {"a": {"type": "number"}}}),
        ({"b": 1}, {"type": "object", "properties": {"a": {"type": "number"}}}),
        ({"a": [None, "x"]}, {"properties": {"a": {"type": "array", "items": {"type": ["string", "null"]}}}}),
        ({"a": [{"b": [1]}]}, {"properties": {"a": {"items": {"type": "object", "properties": {"b": {"items": {}}}}}}}),
    ],
)
def test_a_truth_that_fits_its_schema_has_no_flag(truth: Any, schema: Any, tmp_path: Path) -> None:
    ended = score(tmp_path, "--metric", "value-f1", "--json", truth=truth, prediction=truth, schema=schema)
    assert (ended.code, [flag for flag in ended.json["flags"] if "schema" in flag]) == (0, [])


@pytest.mark.parametrize(
    ("arguments", "files", "said"),
    [
        pytest.param([], {}, "--metric is needed", id="no metric"),
        pytest.param(["--metric", "f1"], {}, "value-f1", id="no such metric"),
        pytest.param(["--metric", "value-f1", "--order-matters", "lines"], {}, "other metric", id="foreign option"),
        pytest.param(["--metric", "verdicts", "--citations", "c.json"], {}, "other metric", id="foreign file"),
        pytest.param(["--metric", "verdicts", "--order-matters", "line"], {}, "did you mean", id="no such array"),
        pytest.param(["--metric", "verdicts", "--verdicts", "x.txt"], {}, ".jsonl or .parquet", id="ending"),
        pytest.param(["--metric", "verdicts", "--out", "x"], {}, "goes with a dataset", id="option of a dataset"),
        pytest.param(["--metric", "verdicts"], {"truth": "[]"}, "a truth is a JSON object", id="truth is a list"),
        pytest.param(["--metric", "verdicts"], {"truth": '{"a": NaN}'}, "NaN", id="NaN in a truth"),
        pytest.param(["--metric", "verdicts"], {"truth": '{"a": 1, "a": 1}'}, "duplicate", id="a key twice in a truth"),
        pytest.param(["--metric", "verdicts"], {"truth": "{"}, "truth.json: not JSON", id="cut truth"),
        pytest.param(["--metric", "verdicts"], {"prediction": "{"}, "prediction.json: not JSON", id="cut prediction"),
        pytest.param(["--metric", "verdicts"], {"schema": "{}"}, "a schema is", id="empty schema"),
        pytest.param(["--metric", "verdicts"], {"schema": '{"$ref": "#/x"}'}, "#/x", id="reference to nothing"),
        pytest.param(["--metric", "value-f1", "--field-rules", "none.json"], {}, "none.json", id="missing rules"),
    ],
)
def test_misuse(
    arguments: list[str], files: dict[str, str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    ended = score(tmp_path, *arguments, **files)
    assert (ended.code, ended.out) == (2, "")
    assert said.lower() in " ".join(ended.err.lower().split())


@pytest.mark.parametrize("missing", ["schema", "truth", "prediction"])
def test_a_missing_file_is_named(missing: str, tmp_path: Path) -> None:
    score(tmp_path, "--metric", "verdicts")
    (tmp_path / f"{missing}.json").unlink()
    files = [part for name in ("schema", "truth", "prediction") for part in (f"--{name}", tmp_path / f"{name}.json")]
    ended = goldleaf("score", *files, "--metric", "verdicts")
    assert ended.code == 2
    assert f"{missing}.json" in "".join(ended.err.split())


def test_an_option_that_is_left_out_is_named() -> None:
    ended = goldleaf("score", "--metric", "verdicts", "--schema", "s.json")
    assert ended.code == 2
    assert "--truth is needed" in " ".join(ended.err.split())


def test_every_verdict_is_written(tmp_path: Path) -> None:
    score(tmp_path, "--metric", "verdicts", "--verdicts", tmp_path / "cells.jsonl", prediction=TRUTH | {"name": "ADA"})
    cells = [json.loads(line) for line in (tmp_path / "cells.jsonl").read_text().splitlines()]
    assert {cell["why"] for cell in cells} == {"as_written", "as_read"}


def test_nothing_that_a_schema_refers_to_is_fetched() -> None:
    asked: list[str] = []

    class Schemas(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as inherited
            """Keep still."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Schemas) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        schema = {"properties": {"a": {"$ref": f"http://127.0.0.1:{server.server_port}/a.json"}}}
        assert breaks(schema, {"a": 1}) == []
        server.shutdown()
    assert asked == []
