"""``goldleaf extractors``: a full list, whatever ails one of them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
import typer
from typer.testing import CliRunner, Result

from extractors import registry
from extractors.protocol import ExtractorInfo, Input, Job
from flows import cli_extractors
from groundtruth.ballot import Ballot
from groundtruth.errors import ExtractorError
from groundtruth.jsontext import Json

Run = Callable[..., Result]


class Keyless:
    """Lacks a key."""

    info = ExtractorInfo(
        name="keyless", version="3", family="cloud", inputs=frozenset({Input.PIXELS, Input.TEXT_LAYER}), offline=False,
        asserts_null=True, reads_languages=True, summary="asks [a] service",
    )  # fmt: skip

    def available(self) -> str | None:
        return "no key [KEY]; set KEY"

    def extract(self, job: Job) -> Ballot:
        raise NotImplementedError


class Broken(Keyless):
    """Fails as soon as it is asked anything."""

    def available(self) -> str | None:
        raise RuntimeError("a wire came loose")


@pytest.fixture
def run() -> Run:
    app = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None)
    app.callback()(lambda: None)
    cli_extractors.register(app)

    def invoke(*arguments: str) -> Result:
        return CliRunner().invoke(app, ["extractors", *arguments], env={"COLUMNS": "120"})

    return invoke


def listed(result: Result) -> dict[str, Json]:
    assert result.exit_code == 0, result.output
    return {one["name"]: one for one in json.loads(result.stdout)["extractors"]}


def test_every_built_in_is_listed_with_what_it_is(run: Run) -> None:
    found = listed(run("--json"))
    assert list(found) == list(registry.BUILT_IN)
    assert found["text-geo"] == {
        "name": "text-geo",
        "family": "geometric-association",
        "version": registry.load("text-geo").info.version,
        "inputs": ["text_layer"],
        "asserts_null": False,
        "available": True,
        "missing": None,
        "offline": True,
        "reads_languages": False,
        "summary": registry.load("text-geo").info.summary,
    }


def test_ones_own_is_listed_after_them(run: Run) -> None:
    own = f"{__name__}:Keyless"
    found = listed(run("--json", own, own, "text-geo"))
    assert list(found) == [*registry.BUILT_IN, "keyless"]
    assert found["keyless"] == {
        "name": "keyless",
        "family": "cloud",
        "version": "3",
        "inputs": ["pixels", "text_layer"],
        "asserts_null": True,
        "available": False,
        "missing": "no key [KEY]; set KEY",
        "offline": False,
        "reads_languages": True,
        "summary": "asks [a] service",
    }


@pytest.mark.parametrize(
    ("target", "says"),
    [
        pytest.param("no_such_package.module:Class", "No module named 'no_such_package'", id="no-module"),
        pytest.param(f"{__name__}:Nothing", "Nothing", id="no-class"),
        pytest.param(f"{__name__}:Broken", "RuntimeError: a wire came loose", id="raises"),
    ],
)
def test_a_built_in_that_cannot_be_used_is_listed_as_missing(
    run: Run, monkeypatch: pytest.MonkeyPatch, target: str, says: str
) -> None:
    monkeypatch.setattr(registry, "BUILT_IN", {"broken": target, "text-geo": registry.BUILT_IN["text-geo"]})
    found = listed(run("--json"))
    assert found["text-geo"]["available"] is True
    broken = found["broken"]
    assert (broken["available"], broken["family"], broken["offline"]) == (False, None, None)
    assert says in broken["missing"]
    assert says in " ".join(run().stdout.split())


def test_the_table_says_what_each_reads_and_what_is_missing(run: Run) -> None:
    shown = run(f"{__name__}:Keyless").stdout
    assert "text-geo: text layer by pdfium" in shown
    assert "keyless: missing: no key [KEY]; set KEY" in shown
    (row,) = [line.split() for line in shown.splitlines() if line.strip().startswith("keyless ")]
    assert row == ["keyless", "cloud", "pixels,", "text", "layer", "yes", "yes", "no", "missing"]


@pytest.mark.parametrize("spec", ["nothing", "no_such_package:Class", f"{__name__}:listed"])
def test_one_of_ones_own_that_cannot_be_loaded_is_misuse(run: Run, spec: str) -> None:
    assert isinstance(run(spec).exception, ExtractorError)
