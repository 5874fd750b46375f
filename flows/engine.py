"""The orchestration engine: one Prefect server of our own per run, unless ``PREFECT_API_URL`` names another.

Prefect's implicit server does not do: every worker process would start one more, its history is lost at exit, and
SIGTERM leaves it behind. This one is started once, its address is exported for whatever the run starts, it is drained
before it ends, and it cannot outlive the run. Nothing is sent to anybody.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

from groundtruth.errors import DatasetError, EngineError
from groundtruth.store_files import file_lock

START_SECONDS: Final = 300.0
"""A first start makes the database: 13 s on a quiet machine, over two minutes seen on a busy one."""

_STOP_SECONDS: Final = 10.0
_DRAIN_SECONDS: Final = 20.0
_POLL_SECONDS: Final = 0.1
_LAST_WORDS: Final = 600
_TERMINATED: Final = 128 + signal.SIGTERM

_QUIET: Final[Mapping[str, str]] = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_LOGGING_LEVEL": "WARNING",
    "PREFECT_CLI_PROMPT": "false",
    # Prefect's own client obeys proxies too.
    "NO_PROXY": ",".join(filter(None, [os.environ.get("NO_PROXY"), "127.0.0.1"])),
}
_LOUD: Final[Mapping[str, int]] = {
    # One line for every call, where logging is set up at INFO.
    "httpx": logging.WARNING,
    # They count down what is left while a run is drained.
    "EventsWorker": logging.ERROR,
    "APILogWorker": logging.ERROR,
}
_SERVER_ONLY: Final[Mapping[str, str]] = {
    "PREFECT_SERVER_UI_ENABLED": "false",
    "PREFECT__SERVER_EPHEMERAL": "1",
    "PREFECT__SERVER_FINAL": "1",
}


def is_external() -> bool:
    """Whether the run uses a Prefect server that somebody else keeps."""
    return bool(os.environ.get("PREFECT_API_URL"))


@contextlib.contextmanager
def embedded_server() -> Iterator[str]:
    """Run the block against a Prefect server; yields the address of its API.

    With ``PREFECT_API_URL`` set, that server is used and nothing is started or stopped. Otherwise a server is started
    on a free port of 127.0.0.1, with its state in a cache folder of ours, and ended after the block. SIGTERM ends the
    block like SIGINT does, with exit code 143.

    Raises:
        EngineError: the server did not start, and the message holds its last words; or nothing answers at
            ``PREFECT_API_URL``.
    """
    with _environment(_QUIET):
        for name, level in _LOUD.items():
            logging.getLogger(name).setLevel(level)
        if is_external():
            _require_answer(os.environ["PREFECT_API_URL"])
            yield os.environ["PREFECT_API_URL"]
            return
        with (
            _sigterm_as_exit(),
            _home() as home,
            _server(home) as url,
            _environment({"PREFECT_API_URL": url}),
            _settings(url),
        ):
            try:
                yield url
            finally:
                _drain()


@contextlib.contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _sigterm_as_exit() -> Iterator[None]:
    """Turn SIGTERM into SystemExit, so that what is open is closed; only the main thread can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001 - the form that `signal` calls
        sys.exit(_TERMINATED)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def _home() -> Iterator[Path]:
    """The folder for Prefect's state: a lasting one, since making its database costs seconds, or a passing one.

    Two servers on one database get in each other's way, so a run that finds the lasting folder in use takes a passing
    one. ``PREFECT_HOME`` is obeyed.
    """
    with contextlib.ExitStack() as stack:
        home = Path(os.environ.get("PREFECT_HOME") or _cache_folder() / f"prefect-{version('prefect')}")
        try:
            home.mkdir(parents=True, exist_ok=True)
            usable = stack.enter_context(file_lock(home / "goldleaf.lock", wait=False))
        except (OSError, DatasetError):
            usable = False
        if not usable:
            home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="goldleaf-prefect-")))
        with _environment({"PREFECT_HOME": str(home), "PREFECT_PROFILES_PATH": str(home / "profiles.toml")}):
            yield home


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "goldleaf"


@contextlib.contextmanager
def _server(home: Path) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listening, (home / "server.log").open("w+b") as log:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "flows.prefect_server", str(listening.fileno())],
            pass_fds=[listening.fileno()],
            env={**os.environ, **_SERVER_ONLY, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            # Ctrl-C is for us: the server must still hear how the run ended.
            start_new_session=True,
        )
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/api"
        # From here on only the server itself may accept connections.
        listening.close()
        try:
            _await_health(process, url, home / "server.log")
            yield url
        finally:
            _stop(process)


def _await_health(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise EngineError(
                f"the Prefect server ended at its start with exit code {process.returncode}; it wrote to {log}: "
                f"{_last_words(log)}"
            )
        if _is_healthy(url):
            return
        time.sleep(_POLL_SECONDS)
    raise EngineError(
        f"the Prefect server did not start within {START_SECONDS:g} s; it wrote to {log}: {_last_words(log)}; "
        "free the machine and run again, or keep a server of your own and name it in PREFECT_API_URL"
    )


def _require_answer(url: str) -> None:
    """Make sure that something answers at the address of somebody else's server, whatever it answers."""
    try:
        urllib.request.urlopen(f"{url.rstrip('/')}/health", timeout=10).close()
    except urllib.error.HTTPError:
        return
    except (OSError, ValueError) as error:
        raise EngineError(
            f"PREFECT_API_URL is {url}, and no Prefect server answers there ({error}); start it, or unset "
            "PREFECT_API_URL to run on a server of our own"
        ) from error


def _is_healthy(url: str) -> bool:
    # No proxy of the user's has any business between two processes of one machine.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{url}/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _last_words(log: Path) -> str:
    return log.read_text("utf-8", "replace")[-_LAST_WORDS:].strip() or "nothing"


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextlib.contextmanager
def _settings(url: str) -> Iterator[None]:
    """Prefect's settings in this process, which may have imported it long before."""
    from prefect.settings import (
        PREFECT_API_URL,
        PREFECT_FLOWS_HEARTBEAT_FREQUENCY,
        PREFECT_LOGGING_LEVEL,
        temporary_settings,
    )

    # The heartbeat costs every flow a second at its end; no variable can switch it off.
    with temporary_settings(
        {PREFECT_API_URL: url, PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None, PREFECT_LOGGING_LEVEL: "WARNING"}
    ):
        yield


def _drain() -> None:
    """Send what is still queued here, and wait until the server has written it; history is kept, never relied on."""
    from prefect.client.orchestration import get_client
    from prefect.events.worker import EventsWorker
    from prefect.logging.handlers import APILogWorker

    with contextlib.suppress(Exception):
        EventsWorker.drain_all(timeout=_DRAIN_SECONDS)
        APILogWorker.drain_all(timeout=_DRAIN_SECONDS)
        with get_client(sync_client=True) as client:
            deadline = time.monotonic() + _DRAIN_SECONDS
            before, count = -1, -2
            while before != count and time.monotonic() < deadline:
                time.sleep(5 * _POLL_SECONDS)
                before, count = count, client.request("POST", "/task_runs/count", json={}).json()
