"""The languages of a dataset: which codes there are, and where they are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from flows.cli import app
from groundtruth.errors import DatasetError
from groundtruth.languages import check_languages
from groundtruth.store import Dataset


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ([], "no language is given"),
        (["en", "en"], "'en' is given twice"),
        (["xx"], "'xx' is no language code"),
        (["DE"], "did you mean de"),
        (["en-GB"], "did you mean en"),
        (["deu"], "did you mean de"),
        (["germn"], "did you mean de"),
        ([""], "'' is no language code"),
        (["../x"], "is no language code"),
    ],
)
def test_what_is_no_language_is_refused_with_a_proposal(codes: list[str], message: str) -> None:
    with pytest.raises(DatasetError, match=message):
        check_languages(codes)


def test_the_order_of_languages_is_kept() -> None:
    assert check_languages(["pt", "de", "en"]) == ("pt", "de", "en")


def test_a_dataset_has_the_languages_that_it_was_given(tmp_path: Path) -> None:
    dataset = Dataset.create(tmp_path / "set", languages=["de", "en"])
    assert list(dataset.languages) == ["de", "en"]
    dataset.set_languages(["fr"])
    assert list(Dataset.open(tmp_path / "set").languages) == ["fr"]
    with pytest.raises(DatasetError):
        dataset.set_languages(["xx"])
    assert list(dataset.languages) == ["fr"]


def test_a_dataset_that_is_older_than_languages_is_english(tmp_path: Path) -> None:
    dataset = Dataset.create(tmp_path / "set", languages=["de"])
    manifest = tmp_path / "set" / "dataset.json"
    manifest.write_text('{"format": 1, "name": "old", "panel": null}\n')
    assert dataset.languages == ("en",)


def test_a_manifest_with_an_unknown_language_is_named(tmp_path: Path) -> None:
    Dataset.create(tmp_path / "set")
    manifest = tmp_path / "set" / "dataset.json"
    manifest.write_text('{"format": 1, "name": "x", "languages": ["tlh"]}\n')
    with pytest.raises(DatasetError, match=r"dataset\.json: languages: 'tlh' is no language code"):
        Dataset.open(tmp_path / "set")


def test_no_dataset_is_made_with_an_unknown_language(tmp_path: Path) -> None:
    with pytest.raises(DatasetError):
        Dataset.create(tmp_path / "set", languages=["xx"])
    assert not (tmp_path / "set").exists()


def test_the_command_shows_and_sets_them(tmp_path: Path) -> None:
    def said(*arguments: str) -> str:
        result = CliRunner().invoke(app, [*arguments])
        assert result.exit_code == 0, result.output
        return result.stdout

    folder = str(tmp_path / "set")
    said("new", folder, "--languages", "de,en")
    assert said("languages", folder) == "de, en\n"
    assert said("languages", folder, "fr") == "fr\n"
    assert json.loads(said("languages", folder, "--json")) == {"languages": ["fr"]}
