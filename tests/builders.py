"""Small makers of the values and files that several tests need."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


def shared_dir() -> Path:
    """Return the folder of shared material, or skip the calling test when this machine has none.

    The folder is named by the environment variable GOLDLEAF_SHARED; without it, it is `shared` beside the
    repository.
    """
    folder = Path(os.environ.get("GOLDLEAF_SHARED") or REPOSITORY.parent / "shared")
    if not folder.is_dir():
        pytest.skip(f"no shared material at {folder}; set GOLDLEAF_SHARED to the folder that holds it")
    return folder
