"""Who has an account on the fake Label Studio, and how its requests say who asks: tokens, sessions, invitations."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import jwt

from fake_http import Page, Refusal, Request

Json = Any
ADMIN: Final = "admin@goldleaf.example"
PASSWORD: Final = "long-enough-1"
_KEY: Final = secrets.token_hex(32)


@dataclass
class User:
    """Somebody with an account."""

    id: int
    email: str
    password: str
    token: str = field(default_factory=lambda: secrets.token_hex(20))
    hotkeys: dict[str, Json] = field(default_factory=dict)


class Accounts:
    """The people of a server.

    Attributes:
        users: by id, everybody.
        legacy_tokens: whether legacy tokens are taken.
        access_seconds: how long an access token holds.
        refresh_tokens: the personal tokens that were made, with their owners.
        sessions: who is signed in, by cookie.
    """

    def __init__(self) -> None:
        self.users = {1: User(1, ADMIN, PASSWORD)}
        self.legacy_tokens = True
        self.access_seconds = 300
        self.refresh_tokens: dict[str, int] = {}
        self.sessions: dict[str, int] = {}

    @property
    def token(self) -> str:
        """The legacy token of the first user."""
        return self.users[1].token

    def personal_token(self, user: int = 1) -> str:
        """A personal access token, as its owner would make in the settings."""
        token = _jwt("refresh", 10**9)
        self.refresh_tokens[token] = user
        return token

    def signed_in(self, authorization: str, session: str) -> User | None:
        """Whose request it is; None for nobody's.

        Raises:
            Refusal: the token is none, or of a kind that is switched off.
        """
        kind, _, token = authorization.partition(" ")
        if kind == "Token":
            user = next((user for user in self.users.values() if user.token == token), None)
            if user is None:
                raise Refusal(401, "Invalid token.")
            if not self.legacy_tokens:
                raise Refusal(
                    401,
                    "Authentication token no longer valid: legacy token authentication has been disabled for this "
                    "organization",
                )
            return user
        if kind == "Bearer":
            try:
                said = jwt.decode(token, _KEY, algorithms=["HS256"])
            except jwt.InvalidTokenError:
                return None
            return self.users[int(said["user_id"])] if said["token_type"] == "access" else None
        return self.users.get(self.sessions.get(session, 0))

    def _of(self, request: Request) -> User:
        user = self.signed_in(request.authorization, request.session)
        if user is None:
            raise Refusal(401, "Authentication credentials were not provided.")
        return user

    def _refresh(self, request: Request) -> Json:
        user = self.refresh_tokens.get(request.body.get("refresh", ""))
        if user is None:
            raise Refusal(401, "Token is invalid")
        return {"access": _jwt("access", self.access_seconds, user)}

    def _whoami(self, request: Request) -> Json:
        return self._person(self._of(request))

    def _users(self, _: Request) -> Json:
        return [self._person(user) for user in self.users.values()]

    def _person(self, user: User) -> Json:
        return {"id": user.id, "email": user.email, "custom_hotkeys": user.hotkeys}

    def _hotkeys(self, request: Request) -> Json:
        return {"custom_hotkeys": self._of(request).hotkeys}

    def _set_hotkeys(self, request: Request) -> Json:
        keys = request.body["custom_hotkeys"]
        if not all(":" in key for key in keys):
            raise Refusal(400, "Invalid hotkeys configuration")
        self._of(request).hotkeys = keys
        return {"custom_hotkeys": keys}

    def _invite(self, _: Request) -> Json:
        return {"token": "invitation", "invite_url": "/user/signup/?token=invitation"}

    def _form(self, _: Request) -> Page:
        return Page(b"<form></form>", headers=(("Content-Type", "text/html"), ("Set-Cookie", "csrftoken=c; Path=/")))

    def _sign_up(self, request: Request) -> Page:
        email, password = request.form["email"], request.form["password"]
        faults = []
        if "@" not in email:
            faults.append("Enter a valid email address.")
        if any(user.email == email for user in self.users.values()):
            faults.append("User with this email already exists")
        if len(password) < 8:
            faults.append("Please enter a password 8–128 characters in length.")
        if faults:
            items = "".join(f"\n  <li>{fault}</li>" for fault in faults)
            return Page(f'<ul class="field_errors">{items}\n</ul>'.encode())
        self.users[len(self.users) + 1] = user = User(len(self.users) + 1, email, password)
        return self._enter(user)

    def _log_in(self, request: Request) -> Page:
        for user in self.users.values():
            if (user.email, user.password) == (request.form["email"], request.form["password"]):
                return self._enter(user)
        return Page(b"<p>The email and password you entered don't match.</p>")

    def _enter(self, user: User) -> Page:
        session = secrets.token_hex(8)
        self.sessions[session] = user.id
        return Page(b"", 302, (("Location", "/"), ("Set-Cookie", f"sessionid={session}; Path=/")))


def _jwt(kind: str, seconds: int, user: int = 1) -> str:
    until = datetime.now(UTC) + timedelta(seconds=seconds)
    said = {"token_type": kind, "exp": until, "user_id": str(user), "jti": secrets.token_hex(8)}
    return jwt.encode(said, _KEY, algorithm="HS256")
