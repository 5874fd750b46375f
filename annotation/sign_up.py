"""How somebody who labels comes to have an account: the server's own sign-up page, filled in.

The server's API makes users without a usable password, so that its form is the only way that needs no person.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

import httpx

from annotation.connection import Connection
from groundtruth.errors import ReviewError
from groundtruth.jsontext import Json

_FAULTS: Final = re.compile(r'class="field_errors">(.*?)</ul>', re.DOTALL)
_FAULT: Final = re.compile(r"<li>\s*([^<]+?)\s*</li>")


def sign_up(connection: Connection, email: str, password: str, keys: Mapping[str, Json]) -> None:
    """Make an account, and set the keys of its user.

    Args:
        connection: the server, as somebody who may invite.
        email: the new user's address.
        password: 8 to 128 characters.
        keys: hotkeys as the server has them, by action; none sets none.

    Raises:
        ReviewError: the address is taken, or the server does not like it or the password.
    """
    what = f"add the user {email}"
    invitation = urlsplit(connection.get("api/invite", what)["invite_url"])
    page = f"{connection.url}/user/signup/?{invitation.query}"
    # With a session's cookies, as a browser would; the connection itself keeps none.
    with connection.browser() as browser:
        try:
            browser.get(page)
            form = {"email": email, "password": password, "csrfmiddlewaretoken": browser.cookies["csrftoken"]}
            signed_up = browser.post(page, data=form, headers={"Referer": page})
            if not signed_up.is_redirect:
                faults = "; ".join(form_faults(signed_up.text)) or signed_up.reason_phrase
                raise ReviewError(f"{connection.url}: cannot {what}: {faults}")
            if keys:
                response = browser.patch(
                    f"{connection.url}/api/current-user/hotkeys/",
                    json={"custom_hotkeys": dict(keys)},
                    headers={"Referer": page, "X-CSRFToken": browser.cookies["csrftoken"]},
                )
                connection.read(response, f"set the hotkeys of {email}")
        except httpx.TransportError as error:
            raise connection.unreached(error, what) from None
        except KeyError:
            raise connection.not_label_studio(what) from None


def form_faults(page: str) -> list[str]:
    """What a form of the server says about what was filled in, in order."""
    return [html.unescape(fault) for list_ in _FAULTS.findall(page) for fault in _FAULT.findall(list_)]
