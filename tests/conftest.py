"""Settings that hold for every test."""

from __future__ import annotations

import ipaddress
import os
import shutil
import signal
import sys
import tempfile
from typing import Any

import hypothesis
import pytest

pytest_plugins = ["label_studio", "opened_pages"]

# So many examples that all fast tests together take less than three minutes; a night may try more.
EXAMPLES = int(os.environ.get("GOLDLEAF_EXAMPLES", "50"))
hypothesis.settings.register_profile(
    "goldleaf", max_examples=EXAMPLES, derandomize=True, deadline=None, print_blob=True, database=None
)
hypothesis.settings.load_profile("goldleaf")


def refuse_the_network(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook: a connection to anywhere but this machine is refused, as on a machine without a network."""
    if event == "socket.connect" and isinstance(arguments[1], tuple) and not is_here(str(arguments[1][0])):
        raise ConnectionRefusedError(f"{arguments[1]}: tests reach this machine only")


def is_here(host: str) -> bool:
    """Whether a host is loopback."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


sys.addaudithook(refuse_the_network)


def pytest_configure(config: pytest.Config) -> None:
    """Keep Prefect away from the settings, the server and the state of whoever runs the tests."""
    # A background job ignores interrupts, and so would every program that a test starts and interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in [name for name in os.environ if name.startswith("PREFECT_")]:
        del os.environ[name]
    home = tempfile.mkdtemp(prefix="goldleaf-prefect-")
    config.add_cleanup(lambda: shutil.rmtree(home, ignore_errors=True))
    os.environ["PREFECT_HOME"] = home
    os.environ["PREFECT_PROFILES_PATH"] = os.path.join(home, "profiles.toml")  # noqa: PTH118
    os.environ["PREFECT_SERVER_ANALYTICS_ENABLED"] = "false"
    os.environ["PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS"] = "180"
    os.environ["DO_NOT_TRACK"] = "1"
