"""A small Label Studio in this process, with the real one's quirks; the contract test holds it to the real one.

It keeps what it is sent in memory and validates as little as the real one does. The quirks: task ids come again after
a deletion, an import never looks for duplicates, a page past the last is 404, the list shows a person's own drafts
only, a skip keeps its result, an empty deletion deletes all, and a configuration that answers do not fit is refused.
"""

from __future__ import annotations

import itertools
import json
import re
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from fake_accounts import Accounts, User
from fake_http import Created, Page, Refusal, Request, handler_of

Json = Any
_TIME: Final = "%Y-%m-%dT%H:%M:%S.%fZ"


class FakeLabelStudio(Accounts):
    """The server: a context manager that listens on loopback, by default on a free port.

    Attributes:
        url: its address.
        files_root: below it, it shows files.
        version: what it says it is.
        requests: what was asked, as ``"GET /api/tasks/"``.
        trouble: what happens to the next requests instead of an answer, oldest first: a status, or ``"drop"`` for a
            connection that ends without an answer, or ``"drop after"`` for one that ends when all is done; ``""`` lets
            a request pass.
    """

    def __init__(self, files_root: Path | None = None, port: int = 0) -> None:
        super().__init__()
        self.files_root = files_root
        self.version = "1.23.2"
        self.requests: list[str] = []
        self.trouble: list[int | str] = []
        self.projects: dict[int, dict[str, Json]] = {}
        self.tasks: dict[int, dict[str, Json]] = {}
        self.annotations: dict[int, dict[str, Json]] = {}
        self.drafts: dict[int, dict[str, Json]] = {}
        self.tabs: dict[int, dict[str, Json]] = {}
        self.storages: dict[int, dict[str, Json]] = {}
        self._ids: dict[str, Iterator[int]] = {}
        self._lock = threading.RLock()
        self._last = datetime.now(UTC)
        self._server = ThreadingHTTPServer(("127.0.0.1", port), handler_of(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def new_id(self, kind: str) -> int:
        """The next id of a kind; of these none comes again."""
        return next(self._ids.setdefault(kind, itertools.count(1)))

    def now(self) -> str:
        """The time; never the same twice."""
        self._last = max(datetime.now(UTC), self._last + timedelta(microseconds=1))
        return self._last.strftime(_TIME)

    def handle(self, request: Request) -> Json | Page | Created:
        """Answer one request.

        Raises:
            Refusal: it is refused.
        """
        with self._lock:
            for method, pattern, needs_user, action in _ROUTES:
                found = re.fullmatch(pattern, request.path)
                if method == request.method and found is not None:
                    if needs_user:
                        self._of(request)
                    return action(self, request, *map(int, found.groups()))
            raise Refusal(404, page=True)

    def _version(self, _: Request) -> Json:
        return {"release": self.version, "edition": "Community"}

    # Projects

    def _project(self, _: Request, project: int) -> Json:
        return self._known_project(project)

    def _known_project(self, project: int) -> dict[str, Json]:
        if project not in self.projects:
            raise Refusal(404, "No Project matches the given query.")
        return self.projects[project]

    def _projects(self, request: Request) -> Json:
        found = sorted(self.projects.values(), key=lambda each: -each["id"])
        return {"count": len(found), "results": _page(found, request.query)}

    def _create_project(self, request: Request) -> Json:
        _check_title(request.body.get("title", ""))
        project = {
            "id": self.new_id("project"),
            "description": "",
            "label_config": "<View></View>",
            "maximum_annotations": 1,
            "show_collab_predictions": True,
            "enable_empty_annotation": True,
            "show_skip_button": True,
            **request.body,
        }
        project["label_config"] = project["label_config"].strip()
        self.projects[project["id"]] = project
        return Created(project)

    def _change_project(self, request: Request, project: int) -> Json:
        known = self._known_project(project)
        changes = dict(request.body)
        if "label_config" in changes:
            changes["label_config"] = changes["label_config"].strip()
            self._check_config(project, changes["label_config"])
        known.update(changes)
        return known

    def _check_config(self, project: int, config: str) -> None:
        if not re.search(r"</View>\s*$", config):
            raise Refusal(400, "Couldn't find end of Start Tag View")
        names = [re.escape(name).replace(r"\{\{idx\}\}", r"\d+") for name in re.findall(r' name="([^"]+)"', config)]
        for annotation in self.annotations.values():
            for region in annotation["result"] if annotation["project"] == project else ():
                if not any(re.fullmatch(name, region["from_name"]) for name in names):
                    reason = "Created annotations are incompatible with provided labeling schema, we found: ..."
                    raise Refusal(400, "Validation error", invalid={"label_config": [reason]})

    def _delete_project(self, _: Request, project: int) -> Page:
        del self.projects[self._known_project(project)["id"]]
        for task in [task["id"] for task in self.tasks.values() if task["project"] == project]:
            self._forget(task)
        return Page(status=204)

    # Tasks

    def _import(self, request: Request, project: int) -> Json:
        if project not in self.projects:
            raise Refusal(404, page=True)
        if not request.body:
            raise Refusal(400, invalid={"non_field_errors": ["load_tasks: No tasks added"]})
        wanted = re.findall(r'value="\$(\w+)"', self.projects[project]["label_config"])
        for place, sent in enumerate(request.body):
            for key in wanted:
                if key not in sent["data"]:
                    reason = f'Error at item {place}: "{key}" key is expected in task data'
                    raise Refusal(400, "Validation error", invalid={"non_field_errors": [reason]})
        ids = [self._new_task(project, sent) for sent in request.body]
        return Created({"task_count": len(ids), "task_ids": ids})

    def _new_task(self, project: int, sent: Json) -> int:
        # As with SQLite: the id after the highest that is there now.
        task, at = max(self.tasks, default=0) + 1, self.now()
        predictions = [
            {"id": self.new_id("prediction"), "task": task, "model_version": "undefined", **prediction}
            for prediction in sent.get("predictions", ())
        ]
        self.tasks[task] = {"id": task, "project": project, "data": sent["data"], "predictions": predictions}
        self.tasks[task].update(created_at=at, updated_at=at)
        return task

    def _tasks(self, request: Request) -> Json:
        project = self._known_project(int(request.query["project"]))
        found = [task for _, task in sorted(self.tasks.items()) if task["project"] == project["id"]]
        for condition in json.loads(request.query.get("query", "{}")).get("filters", {}).get("items", ()):
            found = [task for task in found if _is_greater(task, condition)]
        is_whole = request.query.get("fields") == "all"
        shown = [self._shown(task, self._of(request), is_whole=is_whole) for task in _page(found, request.query)]
        return {"total": len(found), "tasks": shown}

    def _shown(self, task: dict[str, Json], user: User, *, is_whole: bool) -> Json:
        if not is_whole:
            return task
        drafts = [draft for draft in self.drafts.values() if draft["task"] == task["id"]]
        return {
            **task,
            "annotations": [each for each in self.annotations.values() if each["task"] == task["id"]],
            "drafts": [draft for draft in drafts if draft["user"] == user.email],
            "draft_exists": bool(drafts),
            "overlap": self.projects[task["project"]]["maximum_annotations"],
        }

    def _action(self, request: Request) -> Json:
        project = self._known_project(int(request.query["project"]))["id"]
        if request.query["id"] != "delete_tasks":
            raise Refusal(500, "the fake knows no such action")
        included = request.body["selectedItems"]["included"]
        mine = [task for task, kept in self.tasks.items() if kept["project"] == project]
        chosen = [task for task in mine if not included or task in included]
        for task in chosen:
            self._forget(task)
        return {"processed_items": len(chosen), "detail": f"Deleted {len(chosen)} tasks"}

    def _forget(self, task: int) -> None:
        del self.tasks[task]
        for kept in (self.annotations, self.drafts):
            for found in [found for found, each in kept.items() if each["task"] == task]:
                del kept[found]

    # Answers

    def _annotate(self, request: Request, task: int) -> Json:
        if task not in self.tasks:
            raise Refusal(404, "No Task matches the given query.")
        at, user = self.now(), self._of(request)
        annotation = {
            "id": self.new_id("annotation"),
            "task": task,
            "project": self.tasks[task]["project"],
            "completed_by": user.id,
            "updated_by": user.id,
            "was_cancelled": False,
            "lead_time": None,
            "parent_prediction": None,
            "created_at": at,
            "updated_at": at,
            **request.body,
        }
        self.annotations[annotation["id"]] = annotation
        self.tasks[task]["updated_at"] = self.now()
        return Created(annotation)

    def _known_annotation(self, annotation: int) -> dict[str, Json]:
        if annotation not in self.annotations:
            raise Refusal(404, "No Annotation matches the given query.")
        return self.annotations[annotation]

    def _change_annotation(self, request: Request, annotation: int) -> Json:
        known = self._known_annotation(annotation)
        known.update(request.body, updated_at=self.now(), updated_by=self._of(request).id)
        self.tasks[known["task"]]["updated_at"] = self.now()
        return known

    def _delete_annotation(self, _: Request, annotation: int) -> Page:
        self.tasks[self._known_annotation(annotation)["task"]]["updated_at"] = self.now()
        del self.annotations[annotation]
        return Page(status=204)

    def _draft(self, request: Request, task: int) -> Json:
        at = self.now()
        draft = self.new_id("draft")
        whose = {"id": draft, "task": task, "user": self._of(request).email, "annotation": None}
        self.drafts[draft] = {**whose, "created_at": at, "updated_at": at, **request.body}
        return Created(self.drafts[draft])

    def _drafts(self, _: Request, task: int) -> Json:
        return [draft for draft in self.drafts.values() if draft["task"] == task]

    # Tabs and pictures

    def _tabs(self, request: Request) -> Json:
        project = self._known_project(int(request.query["project"]))["id"]
        return [tab for tab in self.tabs.values() if tab["project"] == project]

    def _create_tab(self, request: Request) -> Json:
        tab = self.new_id("tab")
        self.tabs[tab] = {"id": tab, "order": 0, **request.body}
        return Created(self.tabs[tab])

    def _change_tab(self, request: Request, tab: int) -> Json:
        self.tabs[tab].update(request.body)
        return self.tabs[tab]

    def _delete_tab(self, _: Request, tab: int) -> Page:
        del self.tabs[tab]
        return Page(status=204)

    def _storages(self, request: Request) -> Json:
        project = self._known_project(int(request.query["project"]))["id"]
        return [storage for storage in self.storages.values() if storage["project"] == project]

    def _create_storage(self, request: Request) -> Json:
        path, root = Path(request.body["path"]), self.files_root
        if root is None or root not in path.parents or not path.exists():
            reason = f'Absolute local path "{path}" must be a subdirectory of LOCAL_FILES_DOCUMENT_ROOT="{root}"'
            raise Refusal(400, "Validation error", invalid={"non_field_errors": [reason]})
        storage = self.new_id("storage")
        self.storages[storage] = {"id": storage, **request.body}
        return Created(self.storages[storage])

    def _file(self, request: Request) -> Page:
        if self.files_root is not None:
            path = (self.files_root / request.query["d"]).resolve()
            shown = [Path(storage["path"]) for storage in self.storages.values()]
            if path.is_file() and any(folder in path.parents for folder in shown):
                return Page(path.read_bytes()[:1], 206, (("Content-Type", "image/png"),))
        raise Refusal(404, page=True)


_Action = Callable[..., Any]
_F = FakeLabelStudio
_ROUTES: Final[tuple[tuple[str, str, bool, _Action], ...]] = (
    ("GET", "/health", False, lambda *_: {"status": "UP"}),
    ("GET", "/api/version/", False, _F._version),
    ("POST", "/api/token/refresh/", False, _F._refresh),
    ("GET", "/api/current-user/whoami", True, _F._whoami),
    ("GET", "/api/current-user/hotkeys/", True, _F._hotkeys),
    ("PATCH", "/api/current-user/hotkeys/", True, _F._set_hotkeys),
    ("GET", "/api/users/", True, _F._users),
    ("GET", "/api/invite", True, _F._invite),
    ("GET", "/user/signup/", False, _F._form),
    ("POST", "/user/signup/", False, _F._sign_up),
    ("GET", "/user/login/", False, _F._form),
    ("POST", "/user/login/", False, _F._log_in),
    ("GET", "/api/projects/", True, _F._projects),
    ("POST", "/api/projects/", True, _F._create_project),
    ("GET", r"/api/projects/(\d+)/", True, _F._project),
    ("PATCH", r"/api/projects/(\d+)/", True, _F._change_project),
    ("DELETE", r"/api/projects/(\d+)/", True, _F._delete_project),
    ("POST", r"/api/projects/(\d+)/import", True, _F._import),
    ("GET", "/api/tasks/", True, _F._tasks),
    ("POST", "/api/dm/actions/", True, _F._action),
    ("POST", r"/api/tasks/(\d+)/annotations/", True, _F._annotate),
    ("PATCH", r"/api/annotations/(\d+)/", True, _F._change_annotation),
    ("DELETE", r"/api/annotations/(\d+)/", True, _F._delete_annotation),
    ("GET", r"/api/tasks/(\d+)/drafts", True, _F._drafts),
    ("POST", r"/api/tasks/(\d+)/drafts", True, _F._draft),
    ("GET", "/api/dm/views/", True, _F._tabs),
    ("POST", "/api/dm/views/", True, _F._create_tab),
    ("PATCH", r"/api/dm/views/(\d+)/", True, _F._change_tab),
    ("DELETE", r"/api/dm/views/(\d+)/", True, _F._delete_tab),
    ("GET", "/api/storages/localfiles", True, _F._storages),
    ("POST", "/api/storages/localfiles", True, _F._create_storage),
    ("GET", "/data/local-files/", True, _F._file),
)


def _page(found: list[dict[str, Json]], query: dict[str, str]) -> list[dict[str, Json]]:
    size, page = int(query.get("page_size", 100)), int(query.get("page", 1))
    if page > max(1, -(-len(found) // size)):
        raise Refusal(404, "Invalid page.")
    return found[(page - 1) * size : page * size]


def _is_greater(task: dict[str, Json], condition: Json) -> bool:
    """Whether a task is past the bound of a filter, of the two that the client uses."""
    column, bound = condition["filter"].removeprefix("filter:tasks:"), condition["value"]
    if condition["operator"] != "greater" or column not in {"id", "updated_at"}:
        raise Refusal(500, "the fake knows no such filter")
    if column == "id":
        return bool(task["id"] > bound)
    try:
        return _moment(task["updated_at"]) > _moment(bound)
    except ValueError as error:
        raise Refusal(500, str(error)) from None


def _moment(text: str) -> datetime:
    return datetime.strptime(text, _TIME).replace(tzinfo=UTC)


def _check_title(title: str) -> None:
    if len(title) < 3:
        raise Refusal(400, invalid={"title": ["Ensure this field has at least 3 characters."]})
    if len(title) > 50:
        raise Refusal(400, invalid={"title": ["Ensure this field has no more than 50 characters."]})
