"""HTTP for fakes of servers: requests parsed, answers written, and trouble on demand."""

from __future__ import annotations

import json
from collections.abc import Callable
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple, Protocol
from urllib.parse import parse_qs, urlsplit

Json = Any


class Refusal(Exception):
    """An answer that is no success."""

    def __init__(self, status: int, detail: str = "", *, invalid: Json = None, page: bool = False) -> None:
        super().__init__(detail)
        self.status, self.detail, self.invalid, self.page = status, detail, invalid, page


class Request(NamedTuple):
    """One request, as far as fakes read it."""

    method: str
    path: str
    query: dict[str, str]
    body: Json
    form: dict[str, str]
    authorization: str
    session: str


class Page(NamedTuple):
    """An answer for people, or a file."""

    content: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html; charset=utf-8"),)


class Created(NamedTuple):
    """An answer that says what was made."""

    body: Json


class Fake(Protocol):
    """What answers."""

    requests: list[str]
    trouble: list[int | str]

    def handle(self, request: Request) -> Json | Page | Created:
        """Answer one request, or raise ``Refusal``."""


def handler_of(fake: Fake) -> Callable[..., BaseHTTPRequestHandler]:
    """The handler of a server that answers as the fake does."""

    class Handler(_Handler):
        answering = fake

    return Handler


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body leave at once: in two parts, the second waits for the client to confirm the first.
    wbufsize = 1 << 16
    answering: Fake

    def __getattr__(self, name: str) -> Any:
        # One method for every verb.
        if name.startswith("do_"):
            return self._any
        raise AttributeError(name)

    def _any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.answering.requests.append(f"{self.command} {urlsplit(self.path).path}")
        trouble = self.answering.trouble.pop(0) if self.answering.trouble else None
        if trouble == "drop":
            self.close_connection = True
            return
        try:
            if isinstance(trouble, int):
                raise Refusal(trouble, "trouble")
            answer = self.answering.handle(self._request(body))
        except Refusal as refusal:
            answer = _refused(refusal)
        if trouble == "drop after":
            self.close_connection = True
            return
        self._answer(answer)

    def _request(self, body: bytes) -> Request:
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        is_json = self.headers.get("Content-Type", "").startswith("application/json")
        form = {} if is_json else {name: values[0] for name, values in parse_qs(body.decode()).items()}
        cookies = SimpleCookie(self.headers.get("Cookie", ""))
        return Request(
            self.command,
            parts.path,
            query,
            json.loads(body) if is_json and body else None,
            form,
            self.headers.get("Authorization", ""),
            cookies["sessionid"].value if "sessionid" in cookies else "",
        )

    def _answer(self, answer: Json | Page | Created) -> None:
        if isinstance(answer, Created):
            answer = _json(answer.body, 201)
        elif not isinstance(answer, Page):
            answer = _json(answer, 200)
        self.send_response(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.content)))
        self.end_headers()
        self.wfile.write(answer.content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


def _json(body: Json, status: int) -> Page:
    return Page(json.dumps(body).encode(), status, (("Content-Type", "application/json"),))


def _refused(refusal: Refusal) -> Page:
    if refusal.page:
        return Page(b"<!doctype html><h1>Uh oh</h1>", refusal.status)
    said = {"status_code": refusal.status, "detail": refusal.detail, "exc_info": None}
    if refusal.invalid is not None:
        said["validation_errors"] = refusal.invalid
    return _json(said, refusal.status)
