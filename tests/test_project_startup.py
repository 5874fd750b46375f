"""The command line starts fast, since heavy packages are imported only by the commands that use them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from builders import REPOSITORY

HEAVY = {
    "augraphy",
    "cv2",
    "faker",
    "label_studio_sdk",
    "numba",
    "numpy",
    "pandas",
    "PIL",
    "prefect",
    "pymupdf",
    "pypdfium2",
    "reportlab",
    "scipy",
    "sklearn",
    "skimage",
}


def loaded_by(statement: str) -> set[str]:
    """Return the top-level modules that a fresh interpreter holds after the statement, which may print."""
    report = "import sys\nprint()\nprint(*{name.partition('.')[0] for name in sys.modules})"
    command = [sys.executable, "-c", f"{statement}\n{report}"]
    result = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    return set(result.stdout.splitlines()[-1].split())


HELP = """
import sys, flows.cli
sys.argv = ["goldleaf", "--help"]
try:
    flows.cli.main()
except SystemExit as end:
    assert end.code == 0, end
"""


@pytest.mark.parametrize(
    "statement", [pytest.param("import flows.cli", id="import"), pytest.param(HELP, id="goldleaf --help")]
)
def test_the_command_line_loads_no_heavy_package(statement: str) -> None:
    assert loaded_by(statement) & HEAVY == set()


def test_a_heavy_package_is_seen() -> None:
    assert loaded_by("import numpy.linalg") & HEAVY == {"numpy"}
