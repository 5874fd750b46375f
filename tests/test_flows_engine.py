"""The embedded server and the flow on it, and the artifacts that the flow publishes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import planted_extractors as planted
from builders import REPOSITORY
from extraction_builders import COUNTING, HARMFUL, dataset_of, is_running
from flows import engine
from flows.artifacts import MOST_QUESTIONS, key_of, queue_markdown
from flows.curate_results import CurateSummary
from groundtruth.consensus import Disposition, Reason, Tier
from groundtruth.errors import EngineError
from groundtruth.queue import Place, Question, QueueItem

SERVE = """
import os, sys, time
from flows.engine import embedded_server
with embedded_server() as url:
    import flows.engine
    print(url, os.environ["PREFECT_API_URL"] == url, flush=True)
    time.sleep({seconds})
"""


def start(seconds: float, tmp_path: Path) -> subprocess.Popen[str]:
    """Start a process that holds an embedded server for a while; its home is its own."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    environment |= {"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    code = SERVE.format(seconds=seconds)
    return subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True)


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def ends(pid: int, seconds: float = 30) -> bool:
    """Whether a process ends within some seconds."""
    deadline = time.monotonic() + seconds
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not is_running(pid)


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("number", "code"),
    [
        pytest.param(signal.SIGTERM, 143, id="sigterm"),
        pytest.param(signal.SIGKILL, -signal.SIGKILL, id="sigkill"),
        pytest.param(None, 0, id="end"),
    ],
)
def test_no_server_outlives_its_run(tmp_path: Path, number: signal.Signals | None, code: int) -> None:
    with start(0 if number is None else 600, tmp_path) as process:
        assert process.stdout is not None
        url, exported = process.stdout.readline().split()
        assert exported == "True"
        servers = children(process.pid) if number is not None else []
        if number is not None:
            (server,) = servers
            assert is_running(server)
            process.send_signal(number)
        assert process.wait(60) == code
    assert all(ends(server) for server in servers)
    with pytest.raises(OSError):  # noqa: PT011 - refused, or reset while the kernel clears up
        urllib.request.urlopen(f"{url}/health", timeout=5)


@pytest.fixture
def somebodys_server() -> Iterator[str]:
    """The address of a server that answers, if only that it does not know what is asked."""
    with ThreadingHTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/no-such-api"
        server.shutdown()
        thread.join()


def test_a_server_that_is_named_is_used_and_left_alone(somebodys_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_API_URL", somebodys_server)
    before = dict(os.environ)
    with engine.embedded_server() as url:
        assert url == somebodys_server
        assert os.environ["DO_NOT_TRACK"] == "1"
        assert os.environ["PREFECT_SERVER_ANALYTICS_ENABLED"] == "false"
    assert dict(os.environ) == before


def test_a_server_that_ends_at_its_start_is_an_error_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho no database here >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "home"))
    with pytest.raises(EngineError, match=r"exit code 3.*no database here"), engine.embedded_server():
        pytest.fail("there is no server")


def test_two_runs_do_not_share_a_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PREFECT_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with engine._home() as first:
        assert first.parent == tmp_path / "goldleaf"
        with engine._home() as second:
            assert first != second
            assert os.environ["PREFECT_HOME"] == str(second)
        assert not second.exists()
        assert os.environ["PREFECT_HOME"] == str(first)
    with engine._home() as third:
        assert third == first


def test_a_home_that_cannot_be_written_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "file" / "home"))
    with engine._home() as home:
        assert home.is_dir()
        assert os.environ["PREFECT_HOME"] == str(home)
    assert not home.exists()


def test_sigterm_ends_a_block_in_order() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit, match="143"), engine._sigterm_as_exit():
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.e2e
def test_the_flow_reads_votes_publishes_and_fails_with_its_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(planted.NOTES_FILE, str(tmp_path / "notes"))
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "home"))
    dataset = dataset_of(tmp_path / "set", ["crash", "good", "refuse"])
    with engine.embedded_server():
        from prefect.client.orchestration import get_client

        from flows.curate import summary_of_run

        parameters = {"dataset": str(dataset.root), "extractors": [COUNTING, HARMFUL], "workers": 2, "seconds": 30.0}
        summary: CurateSummary = summary_of_run(parameters)
        assert (summary.done, summary.failed) == (4, {"internal": 1, "unsupported_input": 1}), summary.problems
        (problem,) = summary.problems
        assert problem.startswith("crash: harmful: internal: ended with exit code 7 (")
        assert (dataset.root / "consensus" / "good.json").is_file()
        assert summary_of_run(parameters).skipped == 4
        with get_client(sync_client=True) as client:
            runs = client.request("POST", "/flow_runs/filter", json={"sort": "START_TIME_ASC"}).json()
            assert [run["state"]["type"] for run in runs] == ["FAILED", "FAILED"]
            assert runs[0]["state"]["message"].startswith("1 finding: crash: harmful")
            artifacts = client.request("POST", "/artifacts/latest/filter", json={}).json()
            assert {artifact["key"] for artifact in artifacts} == {
                f"{kind}-{key_of(dataset)}" for kind in ("tiers", "queue")
            }


@pytest.mark.e2e
def test_the_deployment_runs_on_a_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "home"))
    dataset = dataset_of(tmp_path / "set", ["good"])
    with engine.embedded_server() as url:
        environment = {
            **os.environ,
            "PREFECT_API_URL": url,
            "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *sys.path]),
        }

        def prefect(*arguments: str) -> None:
            command = [sys.executable, "-m", "prefect", *arguments]
            done = subprocess.run(
                command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=600, check=False
            )
            assert done.returncode == 0, done.stdout + done.stderr

        prefect("work-pool", "create", "--type", "process", "goldleaf")
        prefect("--no-prompt", "deploy", "--all")
        prefect("deployment", "run", "curate/curate", "--param", f"dataset={dataset.root}")
        prefect("worker", "start", "--pool", "goldleaf", "--run-once")
        assert (dataset.root / "ballots" / "good" / "text-geo.json").is_file()
        assert (dataset.root / "consensus" / "good.json").is_file()


def item(path: tuple[str | int, ...] = ("lines", 0, "sku"), document: str = "a|b<script>") -> QueueItem:
    place = Place(document, path)
    return QueueItem(Question.LEAF, (place, place), path, Disposition.REVIEW, Tier.SPLIT, 0, (Reason.QUORUM,), 2)


def test_the_queue_as_markdown_shows_hostile_names_as_text() -> None:
    text = queue_markdown("my *set*", [item()])
    assert "# Review queue of my \\*set\\*" in text
    assert "| 1 | leaf | a\\|b&lt;script&gt; | lines\\[0\\].sku and 1 more | split | quorum | 2 |" in text


def test_a_long_queue_is_cut_and_says_so() -> None:
    text = queue_markdown("set", [item()] * (MOST_QUESTIONS + 7))
    assert text.endswith("and 7 more questions\n")
    assert text.count(" | leaf | a") == MOST_QUESTIONS


def test_artifact_keys_are_stable_and_plain(tmp_path: Path) -> None:
    dataset = dataset_of(tmp_path / "Übung, 2", "a")
    assert key_of(dataset) == key_of(dataset)
    assert all(character in "abcdefghijklmnopqrstuvwxyz0123456789-" for character in key_of(dataset))


@pytest.mark.parametrize("address", ["http://127.0.0.1:1/api", "nonsense", "file:///etc/passwd2"])
def test_a_server_that_does_not_answer_is_said_by_its_variable(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_API_URL", address)
    with pytest.raises(EngineError, match="PREFECT_API_URL"), engine.embedded_server():
        raise AssertionError("the block must not run")
