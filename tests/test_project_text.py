"""What no file of the repository may say: a folder of somebody's machine, the host of a registry."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator

import pytest

from builders import REPOSITORY

# Written so that no pattern finds itself here.
MACHINE_PATH = re.compile(r"(?<![\w./~$}{<>*-])/(?:root|home|work|Users|tmp)/")
REGISTRY_HOST = re.compile(r"pypi\.org|pythonhosted\.org|registry\.npmjs\.org|deb\.debian\.org", re.IGNORECASE)


def text_faults(file: str, text: str) -> list[str]:
    """Say each line of the file that names a folder of one machine or the host of a registry."""
    return [
        f"{file}:{number} {fault}: {line.strip()[:100]}"
        for number, line in enumerate(text.splitlines(), start=1)
        for fault, pattern in (("names a machine's folder", MACHINE_PATH), ("names a registry", REGISTRY_HOST))
        if pattern.search(line)
    ]


def tracked_files() -> list[str]:
    """Return the paths that git tracks, or skip where this is no git checkout."""
    if not (REPOSITORY / ".git").exists():
        pytest.skip("not a git checkout, so nothing says which files belong to the project")
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, check=True)
    return [name for name in listing.stdout.decode().split("\0") if name and (REPOSITORY / name).is_file()]


def texts(files: list[str]) -> Iterator[tuple[str, str]]:
    for file in files:
        content = (REPOSITORY / file).read_bytes()
        if b"\0" not in content:
            yield file, content.decode("utf-8", errors="replace")


def test_no_tracked_text_names_a_machine_or_a_registry() -> None:
    assert [fault for file, text in texts(tracked_files()) for fault in text_faults(file, text)] == []


def under(*parts: str) -> str:
    return "/" + "/".join(parts)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        pytest.param(f"see {under('root', 'notes.txt')}", "a machine's folder", id="home of root"),
        pytest.param(f"DATA = '{under('home', 'ann')}'", "a machine's folder", id="home of a user"),
        pytest.param(f"cd {under('work', 'main')} && make", "a machine's folder", id="a workspace"),
        pytest.param(f"path={under('tmp', 'x.json')}", "a machine's folder", id="a temporary file"),
        pytest.param(f'"{under("Users", "ann")}"', "a machine's folder", id="a home on macOS"),
        pytest.param("https://files.python" + "hosted.org/x.whl", "a registry", id="host of a registry"),
    ],
)
def test_a_forbidden_text_is_found(line: str, fault: str) -> None:
    assert text_faults("a.md", f"first\n{line}\n") == [f"a.md:2 names {fault}: {line}"]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("docs/work/plan.md", id="a relative folder"),
        pytest.param("$HOME/work/x", id="below a variable"),
        pytest.param("https://example.org/home/x", id="part of an address"),
        pytest.param("#!/usr/bin/env bash", id="a system folder"),
    ],
)
def test_a_harmless_text_is_no_fault(line: str) -> None:
    assert text_faults("a.md", line) == []
