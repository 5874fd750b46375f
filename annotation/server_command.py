"""``python -m annotation.server``: start and stop a labelling server of one's own, and add people to it."""

from __future__ import annotations

import argparse
import getpass
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Final

from annotation.client import LabelStudio
from annotation.server import find_server
from annotation.server_process import Server, ServerFolder, start, stop
from groundtruth.errors import GoldleafError, ReviewError

REPOSITORY: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = REPOSITORY / ".label-studio"
PROGRAM: Final = REPOSITORY / ".venv-label-studio" / "bin" / "label-studio"
KEYS: Final = {"annotation:submit": "space"}
"""Two key presses answer a question: the candidate's number, and the space bar."""
_MISUSE: Final = 2
_SAY_EVERY: Final = 10.0
_STOPPING: Final = (signal.SIGINT, signal.SIGTERM)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 when it is done, 2 with one message when it cannot be."""
    given = _parser().parse_args(arguments)
    try:
        if given.command == "start":
            _start(ServerFolder(given.folder), given.program, given.port, detach=given.detach)
        elif given.command == "stop":
            is_stopped = stop(ServerFolder(given.folder))
            _say("The labelling server is stopped." if is_stopped else f"No server of {given.folder} runs.")
        else:
            _add_user(given.email)
    except GoldleafError as error:
        sys.stderr.write(f"label-studio: {error}\n")
        return _MISUSE
    except OSError as error:
        sys.stderr.write(f"label-studio: {error.filename or given.command}: {error.strerror or error}\n")
        return _MISUSE
    except KeyboardInterrupt:
        sys.stderr.write("\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m annotation.server", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    starting = commands.add_parser("start", help="start the server, and stop it on Ctrl-C")
    starting.add_argument("--port", type=_port, help="where it listens (default: as before, or 8080)")
    starting.add_argument("--program", type=Path, default=PROGRAM, help="the server's label-studio")
    starting.add_argument("--detach", action="store_true", help="leave it running, and return")
    stopping = commands.add_parser("stop", help="stop the server")
    for command in (starting, stopping):
        command.add_argument("--folder", type=Path, default=FOLDER, help="where it lives (default: %(default)s)")
    adding = commands.add_parser("add-user", help="add somebody who labels; the password is asked, or read from stdin")
    adding.add_argument("email")
    return parser


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise ValueError(text)
    return port


def _start(folder: ServerFolder, program: Path, port: int | None, *, detach: bool) -> None:
    for number in _STOPPING:
        signal.signal(number, _interrupt)
    server = start(folder, program, port=port, environment=os.environ, waiting=_Progress())
    try:
        with LabelStudio.connect(server.url, server.token) as client:
            # Labelers sign in with an account of their own; this is for whoever tries it alone.
            client.set_hotkeys(KEYS)
            _present(server, folder, client.version)
        if detach:
            return
        _say("Ctrl-C stops it.")
        while folder.is_running():
            time.sleep(0.5)
        raise ReviewError(f"{folder.log}: the labelling server has ended by itself")
    except BaseException:
        if stop(folder):
            sys.stderr.write("\nThe labelling server is stopped.\n")
        raise


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    # Once is enough: a second one would break off the stopping of the server.
    for number in _STOPPING:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


class _Progress:
    """Says from time to time that the server is still awaited."""

    def __init__(self) -> None:
        self._next = 3.0

    def __call__(self, seconds: float) -> None:
        if seconds >= self._next:
            self._next = seconds + _SAY_EVERY
            sys.stderr.write(f"Waiting for the labelling server, {seconds:.0f} s; its first start takes minutes\n")
            sys.stderr.flush()


def _present(server: Server, folder: ServerFolder, version: str) -> None:
    _say(
        f"Label Studio {version} runs at {server.url}\n"
        f"  user      {server.user}\n"
        f"  password  {server.password}\n"
        f"  kept in   {folder.root}\n"
        "`goldleaf review push DIR` finds it by itself; `python -m annotation.server add-user EMAIL` adds people."
    )


def _add_user(email: str) -> None:
    address = find_server()
    with LabelStudio.connect(address.url, address.token) as client:
        password = getpass.getpass(f"Password for {email}: ") if sys.stdin.isatty() else sys.stdin.readline().strip()
        client.add_user(email, password, hotkeys=KEYS)
    _say(f"{email} can sign in at {address.url}.")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
