"""A Label Studio server, in the terms of the review: projects, tasks, tabs, people.

The SDK gives the token handling and the HTTP client; the calls are made through that client, because the SDK's own
ones read numbers as floats, stop at the first page, or load half a gigabyte of libraries.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self
from urllib.parse import urlsplit

import httpx

from annotation.connection import (
    NEW_TOKEN,
    Connection,
    Send,
    checked_url,
    http_client,
    token_refusal,
)
from annotation.sign_up import sign_up
from groundtruth import jsontext
from groundtruth.errors import ReviewError
from groundtruth.jsontext import Json

TESTED: Final = (1, 23)
"""The version that the review is tested with; another of the same first number is used with a notice."""
PAGE_SIZE: Final = 100
_SERVER_TIME: Final = "%Y-%m-%dT%H:%M:%S.%fZ"
_GONE: Final = "the project is not there, or this user may not see it; `goldleaf review push` makes it anew"


class User(NamedTuple):
    """Who a token belongs to."""

    id: int
    email: str


class LabelStudio:
    """A server that was reached with a token that it takes; a context manager.

    Attributes:
        url: its address, without a slash at the end.
        version: as it says, ``1.23.2``.
        user: whose token it is.
        notice: a warning about the version, or "".
    """

    def __init__(self, connection: Connection, http: httpx.Client, version: str, user: User) -> None:
        self._connection = connection
        self._http = http
        self.url = connection.url
        self.version = version
        self.user = user
        self.notice = _notice(version)

    @classmethod
    def connect(cls, url: str, token: str) -> Self:
        """Reach a server with a legacy or a personal access token.

        Raises:
            ReviewError: nobody answers there, it is no Label Studio, its version is another major one, or it does not
                take the token; each with the cure.
        """
        address = checked_url(url)
        if not token.strip() or any(mark.isspace() or not mark.isascii() for mark in token.strip()):
            raise ReviewError(f"{address}: the token is empty or holds marks that no token has; {NEW_TOKEN}")
        http = http_client(address)
        try:
            version = _version(address, http)
            connection = Connection(address, lambda: _signed(address, token.strip(), http))
            who = connection.get("api/current-user/whoami", "see whose token this is")
            return cls(connection, http, version, User(who["id"], who["email"]))
        except BaseException:
            http.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connection."""
        self._http.close()

    # Projects

    def project(self, project: int) -> dict[str, Json]:
        """A project as the server has it.

        Raises:
            ReviewError: it is not there.
        """
        return dict(self._connection.request("GET", _at(project), f"read project {project}", gone=_GONE))

    def projects_described(self, text: str) -> list[int]:
        """The projects whose description holds the text, oldest first."""
        found: list[int] = []
        page, left = 1, 1
        while left > 0:
            answer = self._connection.get(
                "api/projects/", "list the projects", page=page, page_size=PAGE_SIZE, include="id,description"
            )
            found.extend(entry["id"] for entry in answer["results"] if text in (entry.get("description") or ""))
            left = answer["count"] - page * PAGE_SIZE
            page += 1
        return sorted(found)

    def create_project(self, title: str, config: str, description: str) -> int:
        """Make a project of one annotation per task, and return its id. A title is cut to the server's 50 marks."""
        body = {
            "title": title.strip()[:50].ljust(3, "-"),
            "description": description,
            "label_config": config,
            "maximum_annotations": 1,
            "show_collab_predictions": True,
            "enable_empty_annotation": False,
            "show_skip_button": True,
            "sampling": "Sequential sampling",
            "color": "#C9A227",
        }
        return int(self._connection.request("POST", "api/projects/", "make a project", body=body)["id"])

    def update_config(self, project: int, config: str) -> None:
        """Put a labelling configuration in place.

        Raises:
            ReviewError: the server refuses it, because answers that are there would no longer fit.
        """
        self.change_project(project, "change its labelling configuration", label_config=config)

    def set_overlap(self, project: int, count: int) -> None:
        """Have each task answered by so many people; the tasks that are there included."""
        self.change_project(project, "say how many people answer", maximum_annotations=count)

    def change_project(self, project: int, what: str, **changes: Json) -> None:
        """Change what the server calls these names; ``what`` says for people why."""
        self._connection.request("PATCH", _at(project), f"{what} (project {project})", body=changes, gone=_GONE)

    # Tasks

    def import_tasks(self, project: int, tasks: Sequence[Mapping[str, Json]]) -> list[int]:
        """Send tasks, all or none, and return their ids in the same order.

        The server takes the same task twice, so that this is never tried again by itself.

        Raises:
            ReviewError: the server refused them; or the connection was lost, and nobody knows what arrived.
        """
        if not tasks:
            return []
        what = f"send {len(tasks)} tasks to project {project}"
        unknown = "it is not known whether they arrived: list the tasks before sending them again"
        content = jsontext.dumps([dict(task) for task in tasks]).encode()
        try:
            response = self._connection.answer(
                "POST", f"{_at(project)}import", what, params={"return_task_ids": "true"}, content=content
            )
            if response.is_server_error:
                raise self._connection.refusal(response, what)
        except ReviewError as error:
            raise ReviewError(f"{error}; {unknown}") from None
        answer = self._connection.read(response, what, gone=_GONE)
        ids = answer.get("task_ids") if isinstance(answer, dict) else None
        if not isinstance(ids, list) or len(ids) != len(tasks):
            raise ReviewError(f"{self.url}: cannot {what}: the server does not say which tasks it made; {unknown}")
        return ids

    def tasks(self, project: int, *, updated_since: str | None = None) -> Iterator[dict[str, Json]]:
        """Every task of a project once, as the server writes it: data, annotations, predictions, everybody's drafts.

        They come in the order of their ids. A task that comes or goes meanwhile costs or doubles no other.

        Args:
            project: the server's id.
            updated_since: a time in ISO 8601 with its zone; only tasks that changed after it. The server does not
                count a draft as a change, and of a deleted task nothing is left to list.

        Raises:
            ReviewError: the project is not there.
        """
        changed = [] if updated_since is None else [_condition("updated_at", "Datetime", _server_time(updated_since))]
        last, left = 0, 1
        while left > 0:
            # Pages by number would shift under a deletion, so that each page is the first behind the last id seen.
            answer = self._page(project, [_condition("id", "Number", last), *changed])
            for task in answer["tasks"]:
                yield self._with_drafts(task)
                last = task["id"]
            left = answer["total"] - len(answer["tasks"]) if answer["tasks"] else 0

    def _page(self, project: int, conditions: list[Json]) -> Json:
        query = {"ordering": ["tasks:id"], "filters": {"conjunction": "and", "items": conditions}}
        params: dict[str, str | int] = {
            "project": project,
            "fields": "all",
            "page": 1,
            "page_size": PAGE_SIZE,
            "resolve_uri": "false",
            "query": json.dumps(query),
        }
        what = f"list the tasks of project {project}"
        return self._connection.request("GET", "api/tasks/", what, params=params, gone=_GONE)

    def _with_drafts(self, task: dict[str, Json]) -> dict[str, Json]:
        """The task with the drafts of everybody: the list has only those of whoever asks."""
        if not task.get("draft_exists"):
            return task
        what = f"read the drafts of task {task['id']}"
        response = self._connection.answer("GET", f"api/tasks/{task['id']}/drafts", what)
        # A task that was deleted since it was listed has none; that it is gone shows when it is listed again.
        is_gone = response.status_code == httpx.codes.NOT_FOUND
        return {**task, "drafts": [] if is_gone else self._connection.read(response, what)}

    def task_count(self, project: int) -> int:
        """How many tasks a project has."""
        params: dict[str, str | int] = {"project": project, "page": 1, "page_size": 1, "fields": "task_only"}
        what = f"count the tasks of project {project}"
        return int(self._connection.request("GET", "api/tasks/", what, params=params, gone=_GONE)["total"])

    def delete_tasks(self, project: int, ids: Sequence[int]) -> None:
        """Delete tasks with all that hangs on them; those that are not there are no error."""
        # The server reads an empty list as "all of them".
        if ids:
            selected = {"selectedItems": {"all": False, "included": list(ids)}}
            self._connection.request(
                "POST",
                "api/dm/actions/",
                f"delete {len(ids)} tasks of project {project}",
                params={"id": "delete_tasks", "project": project},
                body=selected,
                gone=_GONE,
            )

    # Pictures

    def ensure_local_storage(self, project: int, path: Path) -> None:
        """Let a project show the pictures of a folder on the server's machine.

        Raises:
            ReviewError: the server shows no local files, or not those below this folder.
        """
        what = f"let project {project} show the pictures in {path}"
        listed = self._connection.get("api/storages/localfiles", what, project=project)
        if any(Path(storage["path"]) == path and storage["use_blob_urls"] for storage in listed):
            return
        body = {"project": project, "title": "Goldleaf", "path": str(path), "use_blob_urls": True}
        response = self._connection.answer("POST", "api/storages/localfiles", what, content=json.dumps(body).encode())
        if not response.is_success:
            raise ReviewError(
                f"{self._connection.refusal(response, what, _GONE)}; the server must run with "
                "LABEL_STUDIO_LOCAL_FILES_SERVING_ENABLED=true and LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT set to a "
                "folder above this one (`make label-studio` does both)"
            )

    def is_served(self, url: str) -> bool:
        """Whether whoever labels can load the picture of this address: a path on the server, or a whole address.

        Raises:
            ReviewError: the address is neither, or the server is not reached.
        """
        what = f"load {url}"
        parts = urlsplit(url)
        if parts.scheme in {"http", "https"}:
            try:
                with httpx.stream("GET", url, headers={"Range": "bytes=0-0"}, follow_redirects=True) as response:
                    return response.is_success
            except httpx.TransportError:
                return False
        if parts.scheme or not url.startswith("/"):
            raise ReviewError(
                f"cannot {what}: the server loads such pictures by itself; give a path or an http address"
            )
        # The server knows no HEAD here; one byte is enough to ask for.
        response = self._connection.answer("GET", url, what, headers={"Range": "bytes=0-0"})
        if response.status_code == httpx.codes.UNAUTHORIZED:
            raise self._connection.refusal(response, what)
        return response.is_success

    # Tabs

    def tabs(self, project: int) -> list[dict[str, Json]]:
        """The tabs of a project, in the order in which they are shown."""
        return list(self._connection.get("api/dm/views/", f"list the tabs of project {project}", project=project))

    def put_tab(self, project: int, data: Mapping[str, Json], *, known: int | None = None) -> int:
        """Make a tab, or change the one of this id, and return its id."""
        method, path = ("POST", "api/dm/views/") if known is None else ("PATCH", f"api/dm/views/{known}/")
        body = {"project": project, "data": dict(data)}
        return int(self._connection.request(method, path, f"set up the tabs of project {project}", body=body)["id"])

    # People

    def users(self) -> dict[int, str]:
        """Everybody's e-mail address, by the server's id."""
        return {user["id"]: user["email"] for user in self._connection.get("api/users/", "list the users")}

    def set_hotkeys(self, keys: Mapping[str, str]) -> None:
        """Set keys of the token's user, such as ``{"annotation:submit": "space"}``; other keys stay as they are."""
        path = "api/current-user/hotkeys/"
        known = self._connection.get(path, "read the hotkeys").get("custom_hotkeys") or {}
        body = {"custom_hotkeys": {**known, **_hotkeys(keys)}}
        self._connection.request("PATCH", path, "set the hotkeys", body=body)

    def add_user(self, email: str, password: str, *, hotkeys: Mapping[str, str] | None = None) -> None:
        """Add somebody who labels, as the server's own sign-up page does, with keys as of ``set_hotkeys``.

        Raises:
            ReviewError: the address is taken, or the server does not like it or the password.
        """
        sign_up(self._connection, email, password, _hotkeys(hotkeys or {}))


def _signed(url: str, token: str, http: httpx.Client) -> Send:
    """The SDK's way to send a request; of a personal access token it gets a fresh access token."""
    from label_studio_sdk.core.api_error import ApiError
    from label_studio_sdk.core.client_wrapper import SyncClientWrapper

    try:
        # With a slash at the end, or the SDK asks for access tokens beside the server's own path. Without retries:
        # the SDK would send a change twice.
        wrapper = SyncClientWrapper(api_key=token, base_url=f"{url}/", max_retries=0, httpx_client=http)
        wrapper.get_headers()
    except ApiError as error:
        detail = error.body.get("detail", "") if isinstance(error.body, dict) else ""
        # Not from the SDK's error, which holds the headers.
        raise ReviewError(f"{url}: cannot sign in: {token_refusal(str(detail))}") from None
    except ValueError:
        raise ReviewError(f"{url}: cannot sign in: {token_refusal('the server gave no access token for it')}") from None
    return wrapper.httpx_client.request


def _version(url: str, http: httpx.Client) -> str:
    """The server's version; asked without the token, which is only for a Label Studio."""
    connection = Connection(url, lambda: _anonymous(url, http))
    what = "reach Label Studio"
    answer = connection.get("api/version/", what)
    version = answer.get("release") if isinstance(answer, dict) else None
    if not isinstance(version, str):
        raise connection.not_label_studio(what)
    if _numbers(version)[:1] != TESTED[:1]:
        raise ReviewError(
            f"{url}: this is Label Studio {version}; the review is made for version {TESTED[0]} and tested with "
            f"{TESTED[0]}.{TESTED[1]}: use such a server (`make label-studio` starts one)"
        )
    return version


def _anonymous(url: str, http: httpx.Client) -> Send:
    def send(path: str | None = None, **arguments: Any) -> httpx.Response:
        return http.request(url=f"{url}/{path}", **arguments)

    return send


def _notice(version: str) -> str:
    if _numbers(version)[:2] == TESTED:
        return ""
    return f"This is Label Studio {version}; the review is tested with {TESTED[0]}.{TESTED[1]}."


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def _condition(column: str, kind: str, above: Json) -> dict[str, Json]:
    return {"filter": f"filter:tasks:{column}", "operator": "greater", "type": kind, "value": above}


def _server_time(moment: str) -> str:
    """A time as the server must have it: it fails on every other form, and on a zone."""
    try:
        at = datetime.fromisoformat(moment)
    except ValueError:
        raise ReviewError(f"{moment!r} is no time in ISO 8601") from None
    if at.tzinfo is None:
        raise ReviewError(f"{moment!r} has no time zone; write it with one, as in 2026-03-01T09:30:00+00:00")
    return at.astimezone(UTC).strftime(_SERVER_TIME)


def _hotkeys(keys: Mapping[str, str]) -> dict[str, Json]:
    # The server strips the section once before the editor looks the action up by its whole name.
    return {f"{action.split(':')[0]}:{action}": {"key": key} for action, key in keys.items()}


def _at(project: int) -> str:
    return f"api/projects/{project}/"
