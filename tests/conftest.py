"""Settings that hold for every test."""

from __future__ import annotations

import os
import shutil
import tempfile

import hypothesis
import pytest

hypothesis.settings.register_profile("goldleaf", derandomize=True, deadline=None, print_blob=True, database=None)
hypothesis.settings.load_profile("goldleaf")


def pytest_configure(config: pytest.Config) -> None:
    """Keep Prefect away from the settings, the server and the state of whoever runs the tests."""
    for name in [name for name in os.environ if name.startswith("PREFECT_")]:
        del os.environ[name]
    home = tempfile.mkdtemp(prefix="goldleaf-prefect-")
    config.add_cleanup(lambda: shutil.rmtree(home, ignore_errors=True))
    os.environ["PREFECT_HOME"] = home
    os.environ["PREFECT_PROFILES_PATH"] = os.path.join(home, "profiles.toml")  # noqa: PTH118
    os.environ["PREFECT_SERVER_ANALYTICS_ENABLED"] = "false"
    os.environ["PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS"] = "180"
    os.environ["DO_NOT_TRACK"] = "1"
