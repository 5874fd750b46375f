"""A real Label Studio for tests, and people who answer on it; the people also work on the fake one.

The server is started once for all tests that ask for the fixture ``label_studio``, in a folder of its own, by the same
code that ``make label-studio`` runs. Its first start takes about two minutes.
"""

from __future__ import annotations

import itertools
import os
import signal
import ssl
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
import pytest

from annotation.client import LabelStudio
from annotation.server_command import PROGRAM
from annotation.server_process import ServerFolder, start, stop

Json = Any
PASSWORD = "long-enough-1"


class RealServer:
    """The server of a test session; what tests leave in it stays, so each makes a project of its own.

    Attributes:
        url: its address.
        token: the legacy token of its first user.
        files_root: below it, it shows files.
        environment: what makes ``find_server`` find it.
    """

    def __init__(self, folder: ServerFolder, state_home: Path) -> None:
        self._folder = folder
        self._state_home = {"XDG_STATE_HOME": str(state_home)}
        self._names = itertools.count(1)
        self.files_root = folder.files
        self._start(0)

    @property
    def environment(self) -> dict[str, str]:
        return {"LABEL_STUDIO_URL": "", "LABEL_STUDIO_API_KEY": "", **self._state_home}

    def personal_token(self) -> str:
        """A personal access token of the first user, who may have one at a time."""
        with httpx.Client(base_url=self.url, headers={"Authorization": f"Token {self.token}"}, timeout=60) as http:
            for known in http.get("/api/token/").json():
                http.post("/api/token/blacklist/", json={"refresh": known["token"]})
            return str(http.post("/api/token/").raise_for_status().json()["token"])

    def labeler(self) -> Labeler:
        """Somebody new, signed in."""
        email = f"labeler-{next(self._names)}@goldleaf.example"
        with LabelStudio.connect(self.url, self.token) as client:
            client.add_user(email, PASSWORD)
        return Labeler(self.url, email, PASSWORD)

    def kill(self) -> None:
        """End the server at once, as a loss of power would."""
        os.killpg(int(self._folder.pid.read_text()), signal.SIGKILL)
        stop(self._folder)

    def start_again(self) -> None:
        """Start the server where it was, with what it had."""
        self._start(None)

    def stop(self) -> None:
        stop(self._folder)

    def _start(self, port: int | None) -> None:
        server = start(self._folder, PROGRAM, port=port, environment=self._state_home)
        self.url, self.token = server.url, server.token


class Labeler:
    """A person who answers: signed in with a password, as in a browser; a context manager."""

    def __init__(self, url: str, email: str, password: str) -> None:
        self.email = email
        self._http = httpx.Client(
            base_url=url, timeout=60, trust_env=False, verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        )
        self._http.get("/user/login/")
        form = {"email": email, "password": password, "csrfmiddlewaretoken": self._http.cookies["csrftoken"]}
        entered = self._http.post("/user/login/", data=form, headers={"Referer": f"{url}/user/login/"})
        assert entered.status_code == 302, f"{email} cannot sign in"
        self._http.headers.update({"Referer": url})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._http.close()

    def annotate(
        self, task: int, result: Sequence[Json], *, seconds: float | None = None, is_skip: bool = False
    ) -> int:
        """Submit an answer, or skip, and return the annotation's id."""
        body = {"result": list(result), "lead_time": seconds, "was_cancelled": is_skip}
        return int(self._send("POST", f"/api/tasks/{task}/annotations/", body)["id"])

    def edit(self, annotation: int, result: Sequence[Json]) -> None:
        """Change an answer that was submitted, one's own or somebody else's."""
        self._send("PATCH", f"/api/annotations/{annotation}/", {"result": list(result)})

    def delete(self, annotation: int) -> None:
        """Delete an answer."""
        self._send("DELETE", f"/api/annotations/{annotation}/", None)

    def draft(self, task: int, result: Sequence[Json]) -> None:
        """Begin an answer, and go away."""
        self._send("POST", f"/api/tasks/{task}/drafts", {"result": list(result)})

    def _send(self, method: str, path: str, body: Json) -> Json:
        headers = {"X-CSRFToken": self._http.cookies["csrftoken"]}
        response = self._http.request(method, path, json=body, headers=headers).raise_for_status()
        return response.json() if response.content else None


@pytest.fixture(scope="session")
def label_studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    """The real server; where it is not installed, the test is skipped, or fails if this is a continuous build."""
    if not PROGRAM.exists():
        message = f"no Label Studio at {PROGRAM}; `make label-studio-env` installs it"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(message)
    home = tmp_path_factory.mktemp("label-studio")
    server = RealServer(ServerFolder(home / "server"), home / "state")
    yield server
    server.stop()
