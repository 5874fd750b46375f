"""What the project is made of and what it installs: the packages of the wheel, the lock files, OpenCV."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from builders import REPOSITORY

LOCKS = ("bootstrap", "runtime", "dev", "label-studio")
OPENCV = ("opencv-python", "opencv-python-headless")
ADDRESS = re.compile(r"\w+://|\bfile:|--(?:index|extra-index|find-links|trusted-host|default-index)", re.IGNORECASE)
ENTRY = re.compile(r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;]+)(?: ; (?P<marker>.+?))?(?=\s+--hash=|$)")


class Pin(NamedTuple):
    """One entry of a lock file. The marker is empty where the entry holds everywhere."""

    name: str
    version: str
    marker: str


def project() -> dict[str, Any]:
    return tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))


def lock(name: str) -> str:
    return (REPOSITORY / "requirements" / f"{name}.lock").read_text("utf-8")


def entries(text: str) -> list[str]:
    """Return the entries of a lock file, each on one line, without comments."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return "\n".join(lines).replace("\\\n", " ").splitlines()


def pins(text: str) -> list[Pin]:
    matches = [match for entry in entries(text) if (match := ENTRY.match(entry))]
    return [Pin(match["name"], match["version"], match["marker"] or "") for match in matches]


def lock_faults(text: str) -> list[str]:
    """Say each line that names an address and each entry that is not one version with hashes."""
    faults = [f"names an address: {line}" for line in text.splitlines() if ADDRESS.search(line)]
    for entry in entries(text):
        requirement, *hashes = re.split(r"\s+--hash=", entry.strip())
        if not ENTRY.fullmatch(requirement):
            faults.append(f"is not one version: {requirement}")
        if not hashes or not all(re.fullmatch(r"sha256:[0-9a-f]{64}", digest) for digest in hashes):
            faults.append(f"has no good hash: {requirement}")
    return faults


def unmet(requirements: list[str], locked: list[Pin]) -> list[str]:
    """Return the requirements that some pin of that name does not meet, or that have none."""
    versions: dict[str, list[str]] = {}
    for pin in locked:
        versions.setdefault(canonicalize_name(pin.name), []).append(pin.version)
    return [
        text
        for text in requirements
        if not (found := versions.get(canonicalize_name((wanted := Requirement(text)).name)))
        or not all(wanted.specifier.contains(version) for version in found)
    ]


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_no_address_and_hashes_every_entry(name: str) -> None:
    assert pins(lock(name)) != []
    assert lock_faults(lock(name)) == []


HASH = f"--hash=sha256:{'0' * 64}"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"--index-url https://index.example/simple\nrich==15.0.0 {HASH}", id="index option"),
        pytest.param(f"--find-links ./wheels\nrich==15.0.0 {HASH}", id="folder of wheels"),
        pytest.param(f"rich==15.0.0 {HASH}\n    # from https://index.example/simple", id="address in a comment"),
        pytest.param(f"rich @ https://index.example/rich.whl {HASH}", id="direct reference"),
        pytest.param("rich==15.0.0", id="no hash"),
        pytest.param("rich==15.0.0 \\\n    --hash=md5:0123", id="weak hash"),
        pytest.param(f"rich>=15 {HASH}", id="a range"),
        pytest.param(f"-e . {HASH}", id="editable"),
    ],
)
def test_a_faulty_lock_is_found(text: str) -> None:
    assert lock_faults(text) != []


def test_a_sound_lock_has_no_fault() -> None:
    text = f"# made by make lock\nrich==15.0.0 ; python_version < '3.12' \\\n    {HASH} \\\n    {HASH}\n    # via x\n"
    assert lock_faults(text) == []
    assert pins(text) == [Pin("rich", "15.0.0", "python_version < '3.12'")]


def test_the_runtime_lock_meets_what_the_project_needs() -> None:
    needs = [*project()["project"]["dependencies"], *project()["build-system"]["requires"]]
    assert unmet(needs, pins(lock("runtime"))) == []


def test_the_dev_lock_meets_every_extra() -> None:
    extras = project()["project"]["optional-dependencies"]
    assert unmet([need for needs in extras.values() for need in needs], pins(lock("dev"))) == []


@pytest.mark.parametrize("need", [pytest.param("rich<15", id="another version"), pytest.param("typer", id="absent")])
def test_an_unmet_need_is_found(need: str) -> None:
    assert unmet([need, "Rich>=15"], [Pin("rich", "15.0.0", "")]) == [need]


def test_the_dev_lock_adds_to_the_runtime_lock_and_changes_nothing() -> None:
    runtime = {(pin.name, pin.version) for pin in pins(lock("runtime"))}
    assert runtime - {(pin.name, pin.version) for pin in pins(lock("dev"))} == set()


def package_folders(repository: Path) -> list[str]:
    return sorted(file.parent.name for file in repository.glob("*/__init__.py"))


def test_the_wheel_lists_every_package() -> None:
    assert sorted(project()["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) == package_folders(REPOSITORY)


def test_type_checks_cover_every_package_and_the_tests() -> None:
    assert {*package_folders(REPOSITORY), "tests", "bench"} == set(project()["tool"]["mypy"]["files"])


def test_the_project_cannot_be_uploaded() -> None:
    assert "Private :: Do Not Upload" in project()["project"]["classifiers"]


@pytest.mark.parametrize("name", ["runtime", "dev"])
def test_both_opencv_wheels_have_one_version(name: str) -> None:
    versions = {pin.name: pin.version for pin in pins(lock(name)) if pin.name in OPENCV}
    assert versions == dict.fromkeys(OPENCV, "4.12.0.88")


def test_opencv_is_the_pinned_headless_build() -> None:
    # The full build links libGL, which a bare machine lacks: see the last step of the Makefile's install.
    import cv2

    assert cv2.__version__ == "4.12.0"
    gui = re.search(r"^ *GUI: +(\S+)", cv2.getBuildInformation(), re.MULTILINE)
    assert gui is not None
    assert gui[1] == "NONE"
