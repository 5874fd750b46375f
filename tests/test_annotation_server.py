"""Which labelling server is found, by the environment or by the note of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.server import ServerAddress, find_server, note_path
from groundtruth.errors import ReviewError


def test_the_environment_names_a_server(tmp_path: Path) -> None:
    named = {"LABEL_STUDIO_URL": " http://host/ ", "LABEL_STUDIO_API_KEY": "key", "HOME": str(tmp_path)}
    assert find_server(named) == ServerAddress("http://host/", "key", None)
    named["LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT"] = "/srv/files"
    assert find_server(named).files_root == Path("/srv/files")
    assert "key" not in repr(find_server(named))


@pytest.mark.parametrize(
    ("given", "missing"),
    [("LABEL_STUDIO_URL", "LABEL_STUDIO_API_KEY is not"), ("LABEL_STUDIO_API_KEY", "LABEL_STUDIO_URL is not")],
)
def test_half_a_server_is_refused(given: str, missing: str) -> None:
    with pytest.raises(ReviewError, match=missing):
        find_server({given: "x"})


def test_without_any_server_the_cure_is_said(tmp_path: Path) -> None:
    with pytest.raises(ReviewError, match="make label-studio"):
        find_server({"HOME": str(tmp_path)})


@pytest.mark.parametrize("text", ["{", "[]", '{"url": "x"}', '{"url": "x", "token": "y", "files_root": null}'])
def test_a_damaged_note_is_refused_with_the_cure(tmp_path: Path, text: str) -> None:
    note = note_path({"HOME": str(tmp_path)})
    note.parent.mkdir(parents=True)
    note.write_text(text)
    with pytest.raises(ReviewError, match=r"label-studio\.json: cannot be read.*delete it"):
        find_server({"HOME": str(tmp_path)})


@pytest.mark.parametrize(
    ("environment", "place"),
    [
        pytest.param({"XDG_STATE_HOME": "/state", "HOME": "/house/me"}, "/state", id="as told"),
        pytest.param(
            {"XDG_STATE_HOME": "state", "HOME": "/house/me"}, "/house/me/.local/state", id="relative: ignored"
        ),
        pytest.param({"HOME": "/house/me"}, "/house/me/.local/state", id="not told"),
    ],
)
def test_the_note_is_in_the_folder_for_state(environment: dict[str, str], place: str) -> None:
    assert note_path(environment) == Path(place) / "goldleaf" / "label-studio.json"
