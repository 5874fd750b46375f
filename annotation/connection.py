"""Requests to a Label Studio server: JSON in and out, lost connections, and what each refusal means for a person.

No message, and no exception behind one, holds a token: what the server answers is quoted only where it says what is
wrong.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

import httpx

from groundtruth import jsontext
from groundtruth.errors import JsonError, ReviewError
from groundtruth.jsontext import Json

TIMEOUT: Final = httpx.Timeout(120.0, connect=10.0)
"""An import of many tasks takes the server a while; to be reached does not."""
_PAUSES: Final = (0.2, 1.0)
"""Seconds before each further try of a request that changes nothing."""
_PASSING: Final = frozenset({502, 503, 504})
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_MOST_QUOTED: Final = 600

_LOOKS_LIKE: Final = "it looks like http://127.0.0.1:8080"
START: Final = "start one with `make label-studio`, or set LABEL_STUDIO_URL to the server you mean"
NEW_TOKEN: Final = (
    "make a new one in the server under Account & Settings > Personal Access Token, and set LABEL_STUDIO_API_KEY to it"
)


class Send(Protocol):
    """How a request leaves: the ``request`` of the SDK's own client, which adds the token."""

    def __call__(
        self,
        path: str | None = None,
        *,
        method: str,
        params: dict[str, Any] | None = None,
        content: bytes | None = None,
        headers: dict[str, Any] | None = None,
    ) -> httpx.Response:
        """Send one request, once."""


def http_client(url: str) -> httpx.Client:
    """An HTTP client without memory: a session's cookie would outlive, and overrule, the token.

    A server on this machine is never reached through a proxy. Redirects are not followed, so that a token goes only
    where the user said.
    """
    return _client(url, cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])))


def checked_url(url: str) -> str:
    """The address without what does not belong to it; a path in front of the server's own stays.

    Raises:
        ReviewError: it is no address of a web server, or it holds a password.
    """
    try:
        parts = urlsplit(url.strip())
        named = parts.username is not None or parts.password is not None
        is_address = parts.scheme in {"http", "https"} and _is_host(parts.hostname or "") and parts.port != 0
    except ValueError:
        # A port that is no number, or brackets around what is no address. It may hold a password all the same.
        raise ReviewError(f"the address of the server cannot be read; {_LOOKS_LIKE}") from None
    if named:
        raise ReviewError("the address of the server holds a user name or a password; only the token says who you are")
    if not is_address:
        raise ReviewError(f"{url!r} is no address of a server; {_LOOKS_LIKE}")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def _is_host(name: str) -> bool:
    """Whether a name server, or the system, can be asked for it; they fail on an empty or a long label."""
    try:
        return bool(name) and name.isprintable() and " " not in name and bool(name.encode("idna"))
    except UnicodeError:
        return False


class Connection:
    """One server, and how it is spoken to.

    A request that changes nothing is tried again when the connection is lost or a proxy has no answer; any other is
    sent once, since nobody can tell whether it arrived.
    """

    def __init__(self, url: str, renew: Callable[[], Send]) -> None:
        """Speak to ``url`` by what ``renew`` gives; it is called anew when the server no longer takes the token."""
        self.url = url
        self._renew = renew
        self._send = renew()

    def get(self, path: str, what: str, **params: str | int) -> Json:
        """The JSON of a resource; ``what`` says for people what it is needed for, as "list the tasks".

        Raises:
            ReviewError: there is no such answer, with the reason and the cure.
        """
        return self.request("GET", path, what, params=params)

    def request(
        self,
        method: str,
        path: str,
        what: str,
        *,
        params: Mapping[str, str | int] | None = None,
        body: Json = None,
        gone: str = "",
    ) -> Json:
        """Send JSON and read the JSON that comes back.

        Args:
            method: as HTTP has it.
            path: below the server's address.
            what: what is being done, for people.
            params: the query.
            body: the JSON that is sent, with exact numbers; None sends none.
            gone: what a 404 means here, with the cure.

        Raises:
            ReviewError: the server is not reached, refuses, or answers something else than JSON.
        """
        content = None if body is None else jsontext.dumps(body).encode()
        return self.read(self.answer(method, path, what, params=params, content=content), what, gone=gone)

    def read(self, response: httpx.Response, what: str, *, gone: str = "") -> Json:
        """The JSON of an answer, None where it has no body; what is no sound JSON in it comes as text.

        Raises:
            ReviewError: the answer is a refusal, or no JSON.
        """
        if not response.is_success:
            raise self.refusal(response, what, gone)
        if not response.content:
            return None
        if is_page(response):
            raise self.not_label_studio(what)
        try:
            value, is_sound = jsontext.read(response.content, source=self.url)
        except JsonError as error:
            raise ReviewError(f"{self.url}: cannot {what}: the answer cannot be read: {error}") from None
        return value if is_sound else _as_text(value)

    def answer(
        self,
        method: str,
        path: str,
        what: str,
        *,
        params: Mapping[str, str | int] | None = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """Whatever the server answers; an access token that has run out is renewed, once.

        Raises:
            ReviewError: no answer came.
        """

        def ask() -> httpx.Response:
            return self._send(
                path,
                method=method,
                params=dict(params) if params else None,
                content=content,
                headers={**({"Content-Type": "application/json"} if content is not None else {}), **(headers or {})},
            )

        for pause in self._pauses(method):
            try:
                response = ask()
                if response.status_code == httpx.codes.UNAUTHORIZED:
                    # Refused before anything was done, so that even a change may be sent again. The clocks of the
                    # two machines need not agree on when an access token ends.
                    self._send = self._renew()
                    response = ask()
            except httpx.TransportError as error:
                if pause is None:
                    raise self.unreached(error, what) from None
            else:
                if pause is None or response.status_code not in _PASSING:
                    return response
            time.sleep(pause)
        raise AssertionError("the last pause is None")  # pragma: no cover

    def browser(self) -> httpx.Client:
        """A client for the server's pages, which keeps cookies as a browser does; close it after use."""
        return _client(self.url, cookies=CookieJar())

    @staticmethod
    def _pauses(method: str) -> Iterator[float | None]:
        if method == "GET":
            yield from _PAUSES
        yield None

    def unreached(self, error: httpx.TransportError, what: str) -> ReviewError:
        """Why no answer came, and what to do."""
        if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
            reason = "no server answers there"
        elif isinstance(error, httpx.TimeoutException):
            reason = f"the server did not answer within {TIMEOUT.read:.0f} s; look at its log, and"
            return ReviewError(f"{self.url}: cannot {what}: {reason} run the same command again")
        else:
            reason = "the connection was lost"
        return ReviewError(f"{self.url}: cannot {what}: {reason}; {START}")

    def refusal(self, response: httpx.Response, what: str, gone: str = "") -> ReviewError:
        """What a refusal means, and what to do."""
        cannot = f"{self.url}: cannot {what}"
        status = response.status_code
        if status == httpx.codes.UNAUTHORIZED:
            return ReviewError(f"{cannot}: {token_refusal(reason_of(response))}")
        if status == httpx.codes.FORBIDDEN:
            return ReviewError(
                f"{cannot}: the user of this token may not do it ({reason_of(response)}); use the token of somebody "
                "who may, or have the right given"
            )
        if status == httpx.codes.NOT_FOUND and gone:
            return ReviewError(f"{cannot}: {gone}")
        if response.is_redirect:
            to = urlsplit(response.headers.get("location", ""))
            return ReviewError(
                f"{cannot}: the server sends us elsewhere ({to.scheme}://{to.netloc}{to.path}); set LABEL_STUDIO_URL "
                "to the address that it is really at"
            )
        if is_page(response) and status < httpx.codes.INTERNAL_SERVER_ERROR:
            return self.not_label_studio(what)
        if status >= httpx.codes.INTERNAL_SERVER_ERROR:
            return ReviewError(f"{cannot}: the server failed ({status}: {reason_of(response)}); its log says why")
        return ReviewError(f"{cannot}: the server refused it ({status}: {reason_of(response)})")

    def not_label_studio(self, what: str) -> ReviewError:
        """Something answered, and it is no Label Studio."""
        return ReviewError(
            f"{self.url}: cannot {what}: what answers there is not Label Studio, or is at another path; {START}"
        )


def _client(url: str, cookies: CookieJar) -> httpx.Client:
    parts = urlsplit(url)
    is_here = parts.hostname in _LOOPBACK
    # Certificates take a tenth of a second to load. Where none is shown, a context that trusts nobody will do.
    is_plain = is_here and parts.scheme == "http"
    return httpx.Client(
        timeout=TIMEOUT,
        cookies=cookies,
        trust_env=not is_here,
        verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if is_plain else True,
    )


def is_page(response: httpx.Response) -> bool:
    """Whether a page for people came instead of JSON."""
    return "html" in response.headers.get("content-type", "")


def reason_of(response: httpx.Response) -> str:
    """What the server says is wrong, on one short line; "" when it does not say."""
    try:
        body = response.json()
    except ValueError:
        return response.reason_phrase
    if not isinstance(body, dict):
        return response.reason_phrase
    invalid = body.get("validation_errors")
    said = _flat(invalid) if invalid else [str(body[key]) for key in ("detail", "error") if body.get(key)]
    return " ".join("; ".join(said).split())[:_MOST_QUOTED] or response.reason_phrase


def token_refusal(reason: str) -> str:
    """What a 401 means, and what to do: wrong, run out, or of a kind that is switched off."""
    if "legacy" in reason.lower():
        return (
            "the server no longer takes legacy tokens; set LABEL_STUDIO_API_KEY to a personal access token (Account & "
            "Settings > Personal Access Token), or have legacy tokens enabled for the organization"
        )
    return f"the token is wrong, has run out, or was revoked ({reason or 'no reason given'}); {NEW_TOKEN}"


def _flat(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [
            text if key == "non_field_errors" else f"{key}: {text}"
            for key, inner in value.items()
            for text in _flat(inner)
        ]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [text for inner in value for text in _flat(inner)]
    return [str(value)]


def _as_text(value: Json) -> Json:
    """The value with what no JSON may hold as the text that stood there: somebody typed it, and it must not be lost."""
    if isinstance(value, jsontext.Malformed):
        return value.raw
    if isinstance(value, dict):
        return {key: _as_text(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_text(inner) for inner in value]
    return value
