"""A labelling server of one's own: started, stopped and killed, with a stand-in in its place."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from annotation.client import LabelStudio
from annotation.server import find_server, note_path
from annotation.server_process import ServerFolder, start, stop
from builders import REPOSITORY
from groundtruth.errors import ReviewError

pytestmark = pytest.mark.e2e

STAND_IN = f"""#!{sys.executable}
import json, os, sys, time
from pathlib import Path
sys.path[:0] = [{str(REPOSITORY)!r}, {str(REPOSITORY / "tests")!r}]
from fake_label_studio import FakeLabelStudio
port, data = int(sys.argv[sys.argv.index("--port") + 1]), Path(sys.argv[sys.argv.index("--data-dir") + 1])
(data / "started.json").write_text(json.dumps([sys.argv[1:], dict(os.environ)]))
(data / "label_studio.sqlite3").touch()
with FakeLabelStudio(port=port) as fake:
    fake.users[1].token = os.environ["LABEL_STUDIO_USER_TOKEN"]
    time.sleep(60)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[ServerFolder]:
    folder = ServerFolder(tmp_path / "server")
    yield folder
    stop(folder)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return script(tmp_path / "label-studio", STAND_IN)


@pytest.fixture
def state(tmp_path: Path) -> dict[str, str]:
    return {"XDG_STATE_HOME": str(tmp_path / "state")}


def script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_server_is_started_found_and_stopped(folder: ServerFolder, program: Path, state: dict[str, str]) -> None:
    server = start(folder, program, port=0, environment=state)
    assert folder.is_running()
    assert find_server(state) == server.address
    with LabelStudio.connect(server.url, server.token) as client:
        assert client.user.id == 1
    assert stop(folder)
    assert not folder.is_running()
    assert not stop(folder)


def test_secrets_are_for_their_owner_only(folder: ServerFolder, program: Path, state: dict[str, str]) -> None:
    server = start(folder, program, port=0, environment=state)
    assert [rights(path) for path in (folder.root, folder.record, note_path(state))] == [0o700, 0o600, 0o600]
    assert server.password not in repr(server)
    assert server.token not in repr(server)


def test_the_server_is_silent_on_loopback_and_inherits_nothing(
    folder: ServerFolder, program: Path, state: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PORT", "1")
    monkeypatch.setenv("SENTRY_DSN", "https://errors.example/1")
    start(folder, program, port=0, environment=state)
    options, environment = json.loads((folder.data / "started.json").read_text())
    assert options[options.index("--internal-host") + 1] == "127.0.0.1"
    assert "--no-browser" in options
    assert "PORT" not in environment
    assert {name: environment[name] for name in ("SENTRY_DSN", "FRONTEND_SENTRY_DSN")} == {
        "SENTRY_DSN": "",
        "FRONTEND_SENTRY_DSN": "",
    }
    assert environment["COLLECT_ANALYTICS"] == environment["LATEST_VERSION_CHECK"] == "False"


def test_it_keeps_its_port_user_and_token(folder: ServerFolder, program: Path, state: dict[str, str]) -> None:
    first = start(folder, program, port=0, environment=state)
    stop(folder)
    assert start(folder, program, environment=state) == first


def test_a_second_start_says_where_it_runs(folder: ServerFolder, program: Path, state: dict[str, str]) -> None:
    server = start(folder, program, port=0, environment=state)
    with pytest.raises(ReviewError, match=f"runs already at {server.url}"):
        start(folder, program, environment=state)
    assert folder.is_running()


def test_a_killed_server_is_started_again(folder: ServerFolder, program: Path, state: dict[str, str]) -> None:
    first = start(folder, program, port=0, environment=state)
    os.killpg(int(folder.pid.read_text()), signal.SIGKILL)
    stop(folder)
    assert start(folder, program, environment=state) == first


def test_a_taken_port_is_refused_and_starts_nothing(folder: ServerFolder, program: Path, state: dict[str, str]) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ReviewError, match=rf"port {port} .*PORT="):
            start(folder, program, port=port, environment=state)
    assert not folder.is_running()
    assert not (folder.data / "started.json").exists()


def test_a_server_that_is_not_installed_is_refused_with_the_cure(folder: ServerFolder, state: dict[str, str]) -> None:
    with pytest.raises(ReviewError, match="make label-studio"):
        start(folder, folder.root / "nothing", environment=state)


def test_a_server_that_ends_at_once_is_quoted(folder: ServerFolder, tmp_path: Path, state: dict[str, str]) -> None:
    broken = script(tmp_path / "broken", "#!/bin/sh\necho no such database >&2\nexit 3\n")
    with pytest.raises(ReviewError, match=r"ended \(3\):\nno such database"):
        start(folder, broken, port=0, environment=state)
    assert not folder.is_running()
    assert not note_path(state).exists()


def test_a_database_whose_password_is_lost_is_left_alone(
    folder: ServerFolder, program: Path, state: dict[str, str]
) -> None:
    start(folder, program, port=0, environment=state)
    stop(folder)
    folder.record.unlink()
    with pytest.raises(ReviewError, match=r"server\.json: is missing.*move .* away"):
        start(folder, program, port=0, environment=state)


def test_a_damaged_record_is_refused(folder: ServerFolder, program: Path, state: dict[str, str]) -> None:
    folder.root.mkdir()
    folder.record.write_text('{"url": "x"}')
    with pytest.raises(ReviewError, match=r"server\.json: cannot be read"):
        start(folder, program, port=0, environment=state)


# The command


def command(*arguments: object, state: dict[str, str], stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "annotation.server", *map(str, arguments)],
        env={**os.environ, **state},
        cwd=REPOSITORY,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_command_starts_adds_people_and_stops(folder: ServerFolder, program: Path, state: dict[str, str]) -> None:
    where = ("--folder", folder.root)
    started = command("start", *where, "--program", program, "--port", 0, "--detach", state=state)
    assert started.returncode == 0, started.stderr
    server = folder.server()
    assert server is not None
    for said in (server.url, server.user, server.password, "finds it by itself"):
        assert said in started.stdout
    assert server.token not in started.stdout + started.stderr
    again = command("start", *where, "--program", program, state=state)
    assert (again.returncode, again.stdout) == (2, "")
    assert "runs already" in again.stderr
    added = command("add-user", "ann@people.example", state=state, stdin="long-enough-1\n")
    assert added.returncode == 0, added.stderr
    with LabelStudio.connect(server.url, server.token) as client:
        assert "ann@people.example" in client.users().values()
    stopped = command("stop", *where, state=state)
    assert (stopped.returncode, stopped.stdout) == (0, "The labelling server is stopped.\n")
    assert not folder.is_running()


@contextmanager
def in_foreground(folder: ServerFolder, program: Path, state: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """The command as a person starts it, once its server answers."""
    arguments = ["start", "--folder", str(folder.root), "--program", str(program), "--port", "0"]
    with subprocess.Popen(
        [sys.executable, "-m", "annotation.server", *arguments],
        env={**os.environ, **state},
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        while "Ctrl-C stops it." not in (line := running.stdout.readline()):
            assert line, running.communicate()
        yield running


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "terminated"])
def test_the_command_in_the_foreground_stops_its_server(
    folder: ServerFolder, program: Path, state: dict[str, str], how: signal.Signals
) -> None:
    with in_foreground(folder, program, state) as running:
        assert folder.is_running()
        # As an impatient person, or make, would: more than once.
        running.send_signal(how)
        running.send_signal(signal.SIGTERM)
        _, said = running.communicate(timeout=30)
    assert running.returncode == 0
    assert "is stopped" in said
    assert not folder.is_running()


def test_the_command_says_when_the_server_ends_by_itself(
    folder: ServerFolder, program: Path, state: dict[str, str]
) -> None:
    with in_foreground(folder, program, state) as running:
        os.killpg(int(folder.pid.read_text()), signal.SIGKILL)
        _, said = running.communicate(timeout=30)
    assert running.returncode == 2
    assert "ended by itself" in said
