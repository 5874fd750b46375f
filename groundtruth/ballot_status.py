"""How programs say that a run went well or failed, in our closed set of failures.

Kinds are read from status words, codes and exception names as a whole, never from parts of a message: the text "401
invalid access token" mentions a token, and any message may mention a timeout.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from groundtruth.ballot import Failure, Status
from groundtruth.jsontext import Json

_OK: Final = frozenset({"ok", "success", "succeeded", "successful", "completed", "complete", "done", "finished"})
_PARTIAL: Final = frozenset({"partial", "truncated", "incomplete", "partially_completed", "partial_success"})
_FAILURES: Final[Mapping[str, Failure]] = {
    **{str(kind): kind for kind in Failure},
    "api_connection": Failure.TRANSIENT,
    "api_timeout": Failure.TIMEOUT,
    "aborted": Failure.CANCELLED,
    "authentication": Failure.AUTH,
    "canceled": Failure.CANCELLED,
    "connection": Failure.TRANSIENT,
    "content_filter": Failure.REFUSED,
    "context_length_exceeded": Failure.CAPACITY,
    "deadline_exceeded": Failure.TIMEOUT,
    "internal_server": Failure.TRANSIENT,
    "invalid_schema": Failure.SCHEMA_REJECTED,
    "json_decode": Failure.INVALID_JSON,
    "length": Failure.CAPACITY,
    "max_tokens": Failure.CAPACITY,
    "permission_denied": Failure.AUTH,
    "rate_limit": Failure.RATE_LIMITED,
    "read_timeout": Failure.TIMEOUT,
    "refusal": Failure.REFUSED,
    "service_unavailable": Failure.TRANSIENT,
    "timed_out": Failure.TIMEOUT,
    "too_many_requests": Failure.RATE_LIMITED,
    "unauthorized": Failure.AUTH,
    "validation": Failure.SCHEMA_INVALID,
}
_FAILED: Final = frozenset({"error", "errored", "failed", "failure", "fail"})
_CODES: Final[Mapping[int, Failure]] = {
    400: Failure.INTERNAL,
    401: Failure.AUTH,
    403: Failure.AUTH,
    408: Failure.TIMEOUT,
    413: Failure.CAPACITY,
    415: Failure.UNSUPPORTED_INPUT,
    429: Failure.RATE_LIMITED,
    504: Failure.TIMEOUT,
}


def read_status(envelope: Mapping[str, Json], *, has_data: bool) -> tuple[Status, Failure | None, tuple[str, ...]]:
    """What an envelope says about its run: the status, the failure if it failed, and notes for a person.

    A status that is not known is taken for ``ok`` when there is data, with a note; without data it is a failure.
    """
    said = next((envelope[key] for key in ("status", "success", "ok") if envelope.get(key) is not None), None)
    message = _message(envelope)
    if said is None and not has_data and message:
        return Status.FAILED, _kind(envelope), (message,)
    if said is None:
        return Status.OK, None, (f"its run says {_shown(message)}",) if envelope.get("error") and message else ()
    if said is True or _word(said) in _OK or _is_success_code(said):
        return Status.OK, None, ()
    if _word(said) in _PARTIAL:
        return Status.PARTIAL, None, (f"its run says {_shown(said)}",)
    if said is False or _word(said) in _FAILED or failure_of(said) is not None:
        kind = failure_of(said) or _kind(envelope)
        return Status.FAILED, kind, (message or f"its run says {_shown(said)}",)
    if has_data:
        return Status.OK, None, (f"its run says {_shown(said)}, which is not known; its data is taken",)
    return Status.FAILED, _kind(envelope), (message or f"its run says {_shown(said)} and gives no data",)


def failure_of(code: Json) -> Failure | None:
    """The failure that a status word, an HTTP code or the name of an exception stands for; None when none is known."""
    if type(code) is int:
        return _CODES.get(code) or (Failure.TRANSIENT if 500 <= code < 600 else None)
    return _FAILURES.get(_word(code))


def _kind(envelope: Mapping[str, Json]) -> Failure:
    error = envelope.get("error")
    inner = [error.get("type"), error.get("code")] if isinstance(error, dict) else [error]
    codes = [envelope.get("failure"), envelope.get("error_type"), *inner]
    return next((kind for kind in map(failure_of, codes) if kind is not None), Failure.INTERNAL)


def _message(envelope: Mapping[str, Json]) -> str:
    error = envelope.get("error")
    inner = error.get("message") if isinstance(error, dict) else error
    candidates = (inner, envelope.get("message"), envelope.get("error_type"))
    return next((text.strip() for text in candidates if isinstance(text, str) and text.strip()), "")


def _word(code: Json) -> str:
    """A code as one lower-case word: ``RateLimitError`` and ``rate-limit`` are ``rate_limit``."""
    if not isinstance(code, str):
        return ""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+", "_", code.strip()).strip("_").lower()
    shortened = re.sub(r"_(error|exception)$", "", split)
    return shortened or split


def _is_success_code(code: Json) -> bool:
    return type(code) is int and 200 <= code < 300


def _shown(said: Json) -> str:
    return repr(str(said)[:60])
