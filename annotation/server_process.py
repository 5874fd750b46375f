"""A Label Studio of one's own: made, started, waited for and stopped, in one folder.

::

    FOLDER/server.json     who it is: address, user, password, token; readable by its owner only
    FOLDER/data/           its database; keep it, and a backup of it
    FOLDER/files/          the pictures that it shows
    FOLDER/server.log      what it says
    FOLDER/lock, pid       held, and named, while it runs

It listens on loopback only and calls nobody: telemetry, error reports and the look for newer versions are off.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

import httpx

from annotation.server import ServerAddress, note_path
from groundtruth import jsontext
from groundtruth.errors import JsonError, ReviewError

HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8080
START_SECONDS: Final = 900.0
"""The first start makes a database, which took minutes on a loaded machine."""
STOP_SECONDS: Final = 15.0
_USER: Final = "admin@goldleaf.example"
_LOG_LINES: Final = 15
_OPTIONS: Final = ("start", "--no-browser", "--internal-host", HOST)
_STARTED: Final[dict[Path, subprocess.Popen[bytes]]] = {}
"""Servers that this process started: who starts a process is asked when it ends."""

_SILENT: Final = {
    "COLLECT_ANALYTICS": "False",
    "LATEST_VERSION_CHECK": "False",
    # Set and empty: unset, both name a real receiver of error reports.
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
    "FEATURE_FLAGS_OFFLINE": "True",
}


@dataclass(frozen=True, slots=True)
class Server:
    """Who the server of a folder is.

    Attributes:
        url: its address.
        user: the e-mail address to sign in with.
        password: of that user, as the server was made; it may be changed on the server.
        token: of that user.
        files_root: below it, it shows pictures.
    """

    url: str
    user: str
    password: str = field(repr=False)
    token: str = field(repr=False)
    files_root: str

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self.url.rpartition(":")[2])

    @property
    def address(self) -> ServerAddress:
        """How the review reaches it."""
        return ServerAddress(self.url, self.token, Path(self.files_root))


class ServerFolder:
    """The folder of one server; what is in it survives the server's end."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self.record = self.root / "server.json"
        self.data = self.root / "data"
        self.files = self.root / "files"
        self.log = self.root / "server.log"
        self.pid = self.root / "pid"
        self.lock = self.root / "lock"

    def server(self) -> Server | None:
        """Who the server is; None before it was made.

        Raises:
            ReviewError: ``server.json`` is damaged.
        """
        if not self.record.exists():
            return None
        try:
            return Server(**jsontext.load_file(self.record))
        except (JsonError, TypeError) as error:
            raise ReviewError(
                f"{self.record}: cannot be read ({error}); move {self.root} away to begin with an empty server"
            ) from None

    def prepare(self, port: int | None) -> Server:
        """Make the folder, and say who its server is from now on; a port that is not given stays as it was.

        Raises:
            ReviewError: the database is there, and nobody knows its password any more.
        """
        known = self.server()
        if known is None and any(self.data.glob("*.sqlite3")):
            raise ReviewError(
                f"{self.record}: is missing, and the database in {self.data} knows its user only by the password and "
                f"token that stood there; put it back, or move {self.root} away to begin with an empty server"
            )
        for folder in (self.root, self.data, self.files):
            folder.mkdir(parents=True, exist_ok=True)
        self.root.chmod(0o700)
        wanted = port if port is not None else known.port if known is not None else DEFAULT_PORT
        server = Server(
            url=f"http://{HOST}:{wanted or _any_free_port()}",
            user=known.user if known is not None else _USER,
            password=known.password if known is not None else secrets.token_urlsafe(12),
            token=known.token if known is not None else secrets.token_hex(20),
            files_root=str(self.files),
        )
        # Before the first start: the database takes user and token only when it is made.
        write_private(self.record, asdict(server))
        return server

    def is_running(self) -> bool:
        """Whether a server of this folder runs."""
        if not self.lock.exists():
            return False
        with self.lock.open("rb") as file:
            return not _try_lock(file.fileno())


def start(
    folder: ServerFolder,
    program: Path,
    *,
    port: int | None = None,
    environment: Mapping[str, str],
    waiting: Callable[[float], None] = lambda _: None,
) -> Server:
    """Start the server of a folder, and return when it answers.

    Args:
        folder: where it lives.
        program: the server's ``label-studio``.
        port: where it listens; 0 takes any that is free, None the one it had, or ``DEFAULT_PORT``.
        environment: says where the note for ``find_server`` goes; nothing else of it reaches the server.
        waiting: told now and then for how many seconds it has been waited.

    Raises:
        ReviewError: it runs already, the port is taken, it is not installed, or it ended by itself; with what it said.
    """
    if not program.exists():
        raise ReviewError(f"{program}: the labelling server is not installed; `make label-studio` installs it")
    folder.root.mkdir(parents=True, exist_ok=True)
    # The server inherits the lock, and so holds it exactly as long as it lives, whatever becomes of us.
    with folder.lock.open("ab") as lock:
        if not _try_lock(lock.fileno()):
            running = folder.server()
            at = f" at {running.url}" if running is not None else ""
            raise ReviewError(
                f"{folder.root}: its server runs already{at}; "
                f"`python -m annotation.server stop --folder {folder.root}` stops it"
            )
        _ask_how_it_ended(folder)
        server = folder.prepare(port)
        _require_free(server.port)
        with folder.log.open("wb") as log:
            process = subprocess.Popen(
                [program, *_OPTIONS, "--port", str(server.port), "--data-dir", folder.data],
                env=server_environment(server, folder),
                cwd=folder.data,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=(lock.fileno(),),
                # A group of its own: an interrupt from the keyboard is for us, who then stop the group.
                start_new_session=True,
            )
    folder.pid.write_text(str(process.pid))
    _STARTED[folder.root] = process
    try:
        _wait(server, process, folder, waiting)
        write_private(note_path(environment), asdict(server))
    except BaseException:
        stop(folder)
        raise
    return server


def stop(folder: ServerFolder) -> bool:
    """Stop the server of a folder with all its children, and return when it has ended; False if none runs.

    Raises:
        ReviewError: it does not end, or nobody knows which process it is.
    """
    if not folder.is_running():
        _ask_how_it_ended(folder)
        return False
    try:
        group = int(folder.pid.read_text())
    except (OSError, ValueError):
        raise ReviewError(f"{folder.pid}: does not say which process is the server; end it by hand") from None
    for how in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, how)
        deadline = time.monotonic() + STOP_SECONDS
        while time.monotonic() < deadline:
            if not folder.is_running():
                folder.pid.unlink(missing_ok=True)
                _ask_how_it_ended(folder)
                return True
            time.sleep(0.1)
    raise ReviewError(f"{folder.root}: its server does not end (process group {group})")


def _ask_how_it_ended(folder: ServerFolder) -> None:
    """Let the system forget a server that this process started and that has ended, by whatever hand."""
    if (ours := _STARTED.pop(folder.root, None)) is not None:
        ours.wait()


def server_environment(server: Server, folder: ServerFolder) -> dict[str, str]:
    """All that the server gets to know. Nothing is inherited: it would take a ``PORT`` or a ``DEBUG`` as its own."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder.data),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "LABEL_STUDIO_BASE_DATA_DIR": str(folder.data),
        "DJANGO_DB": "sqlite",
        "LABEL_STUDIO_USERNAME": server.user,
        "LABEL_STUDIO_PASSWORD": server.password,
        "LABEL_STUDIO_USER_TOKEN": server.token,
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        "LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK": "true",
        "LABEL_STUDIO_LOCAL_FILES_SERVING_ENABLED": "true",
        "LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT": str(folder.files),
        "SSRF_PROTECTION_ENABLED": "true",
        "LOG_LEVEL": "WARNING",
        **_SILENT,
    }


def write_private(path: Path, value: Mapping[str, str]) -> None:
    """Write a JSON file that only its owner may read, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write((jsontext.dumps(dict(value), indent=1) + "\n").encode())
    partial.replace(path)


def _wait(
    server: Server, process: subprocess.Popen[bytes], folder: ServerFolder, waiting: Callable[[float], None]
) -> None:
    begin = time.monotonic()
    with httpx.Client(trust_env=False, timeout=5.0) as http:
        while process.poll() is None:
            waited = time.monotonic() - begin
            if waited > START_SECONDS:
                raise ReviewError(f"{server.url}: did not answer within {START_SECONDS:.0f} s; see {folder.log}")
            with contextlib.suppress(httpx.TransportError):
                if http.get(f"{server.url}/health").is_success:
                    return
            waiting(waited)
            time.sleep(0.1)
    said = folder.log.read_text("utf-8", "replace").splitlines()[-_LOG_LINES:]
    raise ReviewError("\n".join([f"{folder.log}: the labelling server ended ({process.returncode}):", *said]))


def _require_free(port: int) -> None:
    # The server itself would silently take the next port.
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise ReviewError(
                f"port {port} of {HOST} cannot be used ({error.strerror}); choose another: "
                "`make label-studio PORT=8081`"
            ) from None


def _any_free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
