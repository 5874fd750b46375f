"""The client when something is wrong: lost connections, refusals, strangers at the address, tokens of every kind."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from annotation import connection
from annotation.client import LabelStudio
from fake_label_studio import FakeLabelStudio
from groundtruth.errors import ReviewError

CONFIG = "<View></View>"
TASKS = [{"data": {"packet_key": "k1"}}, {"data": {"packet_key": "k2"}}]


@pytest.fixture
def fake() -> Iterator[FakeLabelStudio]:
    with FakeLabelStudio() as fake:
        yield fake


@pytest.fixture
def client(fake: FakeLabelStudio) -> Iterator[LabelStudio]:
    with LabelStudio.connect(fake.url, fake.token) as client:
        yield client


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_PAUSES", (0.001, 0.001))


@contextmanager
def stranger(status: int, content: bytes, *headers: tuple[str, str]) -> Iterator[str]:
    """A server that answers everything alike, at this address; a token it answers with 418."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(418 if "Authorization" in self.headers else status)
            for name, value in (*headers, ("Content-Length", str(len(content)))):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.parametrize("trouble", ["drop", "drop after", 502, 503, 504])
def test_a_reading_request_is_tried_again(fake: FakeLabelStudio, client: LabelStudio, trouble: int | str) -> None:
    fake.trouble = [trouble, trouble]
    assert client.users() == {1: client.user.email}


@pytest.mark.parametrize(("trouble", "said"), [("drop", "connection was lost"), (503, "503"), (500, "its log")])
def test_a_reading_request_is_given_up_in_the_end(
    fake: FakeLabelStudio, client: LabelStudio, trouble: int | str, said: str
) -> None:
    fake.trouble = [trouble] * 3
    with pytest.raises(ReviewError, match=said):
        client.users()


@pytest.mark.parametrize(
    ("trouble", "arrived"),
    [pytest.param("drop", 0, id="before"), pytest.param("drop after", 2, id="after"), pytest.param(502, 0, id="502")],
)
def test_an_import_is_sent_once_and_says_that_nobody_knows(
    fake: FakeLabelStudio, client: LabelStudio, trouble: int | str, arrived: int
) -> None:
    project = client.create_project("name", CONFIG, "")
    fake.requests.clear()
    fake.trouble = [trouble]
    with pytest.raises(ReviewError, match="not known whether they arrived"):
        client.import_tasks(project, TASKS)
    assert fake.requests == [f"POST /api/projects/{project}/import"]
    assert client.task_count(project) == arrived


def test_nothing_to_send_sends_nothing(fake: FakeLabelStudio, client: LabelStudio) -> None:
    fake.requests.clear()
    assert client.import_tasks(1, []) == []
    client.delete_tasks(1, [])
    assert fake.requests == []


def test_an_access_token_that_ran_out_is_renewed(fake: FakeLabelStudio) -> None:
    with LabelStudio.connect(fake.url, fake.personal_token()) as client:
        fake.trouble = [401]
        fake.requests.clear()
        project = client.create_project("name", CONFIG, "")
        assert [project] == list(fake.projects)
        assert fake.requests == ["POST /api/projects/", "POST /api/token/refresh/", "POST /api/projects/"]


def test_an_access_token_that_is_over_already_is_refused_and_the_next_is_taken(fake: FakeLabelStudio) -> None:
    fake.access_seconds = -1
    token = fake.personal_token()
    with pytest.raises(ReviewError, match="Personal Access Token"):
        LabelStudio.connect(fake.url, token)
    fake.access_seconds = 300
    with LabelStudio.connect(fake.url, token) as client:
        assert client.users()


def test_a_revoked_token_is_refused_and_not_shown(fake: FakeLabelStudio) -> None:
    token = fake.personal_token()
    with LabelStudio.connect(fake.url, token) as client:
        fake.refresh_tokens.clear()
        fake.trouble = [401]
        with pytest.raises(ReviewError, match="revoked") as refused:
            client.users()
    shown: BaseException | None = refused.value
    while shown is not None:
        assert token not in f"{shown!r} {shown}"
        shown = shown.__cause__


def test_a_legacy_token_that_is_switched_off_names_the_other_kind(fake: FakeLabelStudio) -> None:
    fake.legacy_tokens = False
    with pytest.raises(ReviewError, match="no longer takes legacy tokens; set LABEL_STUDIO_API_KEY to a personal"):
        LabelStudio.connect(fake.url, fake.token)


@pytest.mark.parametrize("token", ["", "  ", "two words", "schlüssel"])
def test_what_is_no_token_is_not_sent(fake: FakeLabelStudio, token: str) -> None:
    with pytest.raises(ReviewError, match="empty or holds marks"):
        LabelStudio.connect(fake.url, token)
    assert fake.requests == []


def test_who_may_not_do_it_is_told(fake: FakeLabelStudio, client: LabelStudio) -> None:
    fake.trouble = [403]
    with pytest.raises(ReviewError, match="may not do it"):
        client.users()


@pytest.mark.parametrize("version", ["2.0.0", "0.9", "weekly"])
def test_another_major_version_is_refused(fake: FakeLabelStudio, version: str) -> None:
    fake.version = version
    with pytest.raises(ReviewError, match=rf"Label Studio {version}.*tested with 1\.23"):
        LabelStudio.connect(fake.url, fake.token)


def test_another_minor_version_is_used_with_a_notice(fake: FakeLabelStudio) -> None:
    fake.version = "1.30.1"
    with LabelStudio.connect(fake.url, fake.token) as client:
        assert client.notice == "This is Label Studio 1.30.1; the review is tested with 1.23."


@pytest.mark.parametrize(
    ("status", "content", "kind"),
    [
        pytest.param(200, b"<html>hello</html>", "text/html", id="a page"),
        pytest.param(404, b"<html>none</html>", "text/html", id="a page that is not there"),
        pytest.param(200, b'{"name": "something"}', "application/json", id="another service"),
        pytest.param(200, b"[]", "application/json", id="a list"),
    ],
)
def test_a_stranger_is_recognised(status: int, content: bytes, kind: str) -> None:
    with (
        stranger(status, content, ("Content-Type", kind)) as url,
        pytest.raises(ReviewError, match=r"not Label Studio.*make label-studio"),
    ):
        LabelStudio.connect(url, "0" * 40)


def test_an_answer_that_is_no_json_is_said_to_be() -> None:
    with (
        stranger(200, b'{"release', ("Content-Type", "application/json")) as url,
        pytest.raises(ReviewError, match="cannot be read"),
    ):
        LabelStudio.connect(url, "0" * 40)


def test_a_server_that_sends_us_elsewhere_is_not_followed() -> None:
    with (
        stranger(301, b"", ("Location", "https://labels.example/api?token=secret")) as url,
        pytest.raises(ReviewError, match=r"sends us elsewhere \(https://labels.example/api\)"),
    ):
        LabelStudio.connect(url, "0" * 40)


def test_nobody_at_the_address_is_said_with_the_cure() -> None:
    with pytest.raises(ReviewError, match="no server answers there; start one with `make label-studio`"):
        LabelStudio.connect("http://127.0.0.1:1", "0" * 40)


@pytest.mark.parametrize("url", ["", "127.0.0.1:8080", "ftp://host", "http://", "http://me:secret@host"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ReviewError, match="address of") as refused:
        LabelStudio.connect(url, "0" * 40)
    assert "secret" not in str(refused.value)


def test_a_server_on_this_machine_is_never_reached_through_a_proxy(
    fake: FakeLabelStudio, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with LabelStudio.connect(f"{fake.url}/", fake.token) as client:
        assert client.url == fake.url


@pytest.mark.parametrize(
    ("name", "title"),
    [
        pytest.param("x", "x--", id="short"),
        pytest.param("n" * 60, "n" * 50, id="long"),
        pytest.param("né", "né-", id="é"),
    ],
)
def test_a_title_is_fitted_to_what_the_server_takes(
    fake: FakeLabelStudio, client: LabelStudio, name: str, title: str
) -> None:
    assert fake.projects[client.create_project(name, CONFIG, "")]["title"] == title


def test_text_that_no_json_may_hold_comes_as_it_was_typed(fake: FakeLabelStudio, client: LabelStudio) -> None:
    project = client.create_project("name", CONFIG, "")
    [task] = client.import_tasks(project, TASKS[:1])
    fake.tasks[task]["predictions"] = [{"result": [{"value": {"text": ["half \ud83d"], "x": float("nan")}}]}]
    [found] = client.tasks(project)
    assert found["predictions"][0]["result"][0]["value"] == {"text": ["half \\ud83d"], "x": "NaN"}


def test_a_task_that_goes_while_its_drafts_are_read_stops_nothing(fake: FakeLabelStudio, client: LabelStudio) -> None:
    project = client.create_project("name", CONFIG, "")
    ids = client.import_tasks(project, TASKS)
    fake.drafts[1] = {"id": 1, "task": ids[0], "user": "somebody@else.example"}
    fake.trouble = ["", 404]
    assert [(task["id"], task["drafts"]) for task in client.tasks(project)] == [(ids[0], []), (ids[1], [])]


@pytest.mark.parametrize("moment", ["yesterday", "2026-03-01T09:30:00"])
def test_a_time_without_a_zone_is_refused(client: LabelStudio, moment: str) -> None:
    project = client.create_project("name", CONFIG, "")
    with pytest.raises(ReviewError, match=moment):
        list(client.tasks(project, updated_since=moment))


def test_a_picture_elsewhere_is_loaded_without_our_token(client: LabelStudio) -> None:
    with stranger(200, b"x") as url:
        assert client.is_served(f"{url}/page.png")
    assert not client.is_served(f"{url}/page.png")
    with pytest.raises(ReviewError, match="by itself"):
        client.is_served("s3://bucket/page.png")


def test_keys_are_merged_and_named_as_the_editor_looks_them_up(fake: FakeLabelStudio, client: LabelStudio) -> None:
    client.set_hotkeys({"annotation:submit": "space"})
    client.set_hotkeys({"region:cycle": "j"})
    assert fake.users[1].hotkeys == {
        "annotation:annotation:submit": {"key": "space"},
        "region:region:cycle": {"key": "j"},
    }
