"""``goldleaf review`` against a small server with the real one's quirks: stopped pushes, lost projects, bad input."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotation.packet import EDIT, Packet
from annotation.server import FILES_VARIABLE, TOKEN_VARIABLE, URL_VARIABLE
from answer_builders import sent_boxes
from builders import Ended, goldleaf
from fake_accounts import PASSWORD
from fake_label_studio import FakeLabelStudio
from flows import review_push
from flows.review_state import kept_packets
from flows.run_review import Reviewed, choices_for_run, review_dataset
from groundtruth.decision import Verdict
from groundtruth.path import format_path
from groundtruth.store import Dataset
from label_studio import Labeler
from review_builders import SPLIT, Answer, invoice, make_dataset, read, saying


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLabelStudio]:
    root = tmp_path / "served"
    root.mkdir()
    with FakeLabelStudio(root) as fake:
        use(monkeypatch, fake)
        yield fake


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    return make_dataset(tmp_path, dict.fromkeys("ab", SPLIT))


def use(monkeypatch: pytest.MonkeyPatch, fake: FakeLabelStudio) -> None:
    monkeypatch.setenv(URL_VARIABLE, fake.url)
    monkeypatch.setenv(TOKEN_VARIABLE, fake.token)
    monkeypatch.setenv(FILES_VARIABLE, str(fake.files_root))


def review(command: str, dataset: Dataset, *more: object) -> Ended:
    return goldleaf("review", command, dataset.root, *more)


def keys_on(server: FakeLabelStudio) -> list[str]:
    return [task["data"]["packet_key"] for task in server.tasks.values()]


def answer(server: FakeLabelStudio, dataset: Dataset, said: Answer, email: str = "ann@goldleaf.example") -> None:
    """Let a person answer every task that nobody answered."""
    if all(user.email != email for user in server.users.values()):
        server.users[len(server.users) + 1] = type(server.users[1])(len(server.users) + 1, email, PASSWORD)
    packets = kept_packets(dataset)
    done = {annotation["task"] for annotation in server.annotations.values()}
    with Labeler(server.url, email, PASSWORD) as labeler:
        for number, task in list(server.tasks.items()):
            if number not in done:
                labeler.annotate(number, _result(packets[task["data"]["packet_key"]], said), seconds=4.0)


def _result(packet: Packet, said: Answer) -> list[dict[str, Any]]:
    found = sent_boxes(packet) if packet.pages else []
    return [*found, *(dict(each) for at, card in enumerate(packet.cards) for each in said(at, card))]


def test_the_whole_circle_by_commands(server: FakeLabelStudio, dataset: Dataset) -> None:
    asked = review("push", dataset, "--dry-run", "--json")
    assert not server.requests
    pushed = review("push", dataset, "--json")
    assert (asked.code, pushed.code) == (0, 0)
    assert asked.json["new"] == pushed.json["new"]
    assert pushed.json["sent"] == len(server.tasks) == len(set(keys_on(server)))
    answer(server, dataset, saying({"number": (EDIT, "INV-204418")}))
    pulled = review("pull", dataset, "--json")
    assert pulled.code == 0
    assert pulled.json["verdicts"]["edit"] == 2
    decided = {format_path(each.path): each for each in dataset.decisions("a").live()}
    assert (decided["number"].verdict, decided["number"].value) == (Verdict.EDIT, "INV-204418")
    assert decided["number"].reviewer == "ann@goldleaf.example"
    synced = review("sync", dataset, "--json")
    assert synced.json["pulled"]["decisions"] == 0
    status = review("status", dataset, "--json")
    assert status.json["decisions"]["verdicts"]["edit"] == 2
    assert status.json["quality"]["reviewers"]["ann@goldleaf.example"]["answers"] > 0
    assert review("open", dataset, "--json").json["url"].startswith(server.url)


@pytest.mark.e2e
def test_what_people_read_is_said_before_it_is_sent(server: FakeLabelStudio, dataset: Dataset) -> None:
    ended = review("push", dataset)
    assert ended.code == 0
    assert "Round 1: " in ended.out
    assert "packets sent; " in ended.out
    pulled = review("pull", dataset)
    assert "0 new decisions" in pulled.out
    assert "unanswered" in pulled.out
    shown = review("status", dataset)
    assert server.url in shown.out


@pytest.mark.parametrize("trouble", ["drop", "drop after", 502])
def test_a_push_that_loses_the_server_is_completed_by_the_same_command(
    server: FakeLabelStudio, dataset: Dataset, monkeypatch: pytest.MonkeyPatch, trouble: int | str
) -> None:
    monkeypatch.setattr(review_push, "BATCH", 1)
    sent = 0
    real = server.handle

    def handle(request: Any) -> Any:
        nonlocal sent
        if request.path.endswith("/import"):
            sent += 1
            if sent == 2:
                server.trouble.append(trouble)
        return real(request)

    monkeypatch.setattr(server, "handle", handle)
    first = review("push", dataset, "--json")
    assert first.code == 2
    assert server.token not in first.err
    there = len(server.tasks)
    again = review("push", dataset, "--json")
    assert again.code == 0
    assert again.json["new"]["packets"] == 0
    assert len(server.tasks) > there
    assert len(keys_on(server)) == len(set(keys_on(server)))
    assert sorted(keys_on(server)) == sorted(dataset.review.packet_keys())


def test_a_pull_that_loses_the_server_is_completed_by_the_same_command(
    server: FakeLabelStudio, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    review("push", dataset)
    answer(server, dataset, saying({}))
    real = server.handle

    def handle(request: Any) -> Any:
        if request.path == "/api/tasks/" and request.query.get("fields") == "all":
            server.trouble.extend(["drop"] * 9)
        return real(request)

    with monkeypatch.context() as patch:
        patch.setattr(server, "handle", handle)
        assert review("pull", dataset).code == 2
    server.trouble.clear()
    assert not dataset.decisions("a").entries
    ended = review("pull", dataset, "--json")
    assert ended.code == 0
    assert ended.json["decisions"] == sum(len(dataset.decisions(name).live()) for name in "ab") > 0


def test_a_project_that_somebody_deleted_is_made_anew_with_what_is_open(
    server: FakeLabelStudio, dataset: Dataset
) -> None:
    first = review("push", dataset, "--json").json
    answer(server, dataset, saying({}))
    review("pull", dataset)
    before = [entry.to_json() for entry in dataset.decisions("a").entries]
    del server.projects[first["project"]]
    server.tasks.clear()
    server.annotations.clear()
    ended = review("pull", dataset)
    assert ended.code == 2
    assert "goldleaf review push" in ended.err
    again = review("push", dataset, "--json").json
    assert again["project"] != first["project"]
    assert [entry.to_json() for entry in dataset.decisions("a").entries] == before
    open_now = {packet.key for packet in kept_packets(dataset).values() if packet.round > 1}
    assert set(keys_on(server)) == open_now


@pytest.mark.e2e
def test_a_project_of_somebody_else_under_our_id_is_left_alone(server: FakeLabelStudio, dataset: Dataset) -> None:
    first = review("push", dataset, "--json").json
    theirs = {**server.projects[first["project"]], "title": "theirs", "description": "cats and dogs"}
    server.projects[first["project"]] = theirs
    server.tasks.clear()
    again = review("push", dataset, "--json").json
    assert again["project"] != first["project"]
    assert server.projects[first["project"]] == theirs
    assert {task["project"] for task in server.tasks.values()} == {again["project"]}


def test_an_edited_configuration_is_put_back_and_said(server: FakeLabelStudio, dataset: Dataset) -> None:
    project = review("push", dataset, "--json").json["project"]
    config = server.projects[project]["label_config"]
    server.projects[project]["label_config"] = "<View></View>"
    ended = review("push", dataset, "--json")
    assert any("configuration" in what for what in ended.json["repaired"])
    assert server.projects[project]["label_config"] == config


@pytest.mark.e2e
def test_pictures_that_the_server_does_not_show_are_refused_before_anything_is_sent(
    server: FakeLabelStudio, dataset: Dataset, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    server.files_root = elsewhere
    ended = review("push", dataset)
    assert ended.code == 2
    assert not server.tasks
    server.files_root = tmp_path / "served"
    assert review("push", dataset).code == 0
    assert len(keys_on(server)) == len(set(keys_on(server))) > 0


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({URL_VARIABLE: "http://127.0.0.1:9"}, "127.0.0.1:9"),
        ({URL_VARIABLE: "no address"}, "no address"),
        ({URL_VARIABLE: "http://127.0.0.1:port"}, "http://127.0.0.1:8080"),
        ({URL_VARIABLE: "http://[::1"}, "http://127.0.0.1:8080"),
        ({URL_VARIABLE: "http://label..example.org"}, "no address"),
        ({TOKEN_VARIABLE: "0" * 40}, "token"),
        ({TOKEN_VARIABLE: ""}, TOKEN_VARIABLE),
        ({FILES_VARIABLE: ""}, "GOLDLEAF_PICTURES"),
        ({"GOLDLEAF_PICTURES": "bucket/folder"}, "s3://bucket/folder"),
    ],
    ids=[
        "nobody listens",
        "no address",
        "a port without digits",
        "a bracket too few",
        "an empty label",
        "wrong token",
        "half of it",
        "no place for pictures",
        "pictures without a scheme",
    ],
)
def test_bad_input_ends_with_the_cure_and_changes_nothing(
    server: FakeLabelStudio, dataset: Dataset, monkeypatch: pytest.MonkeyPatch, change: dict[str, str], says: str
) -> None:
    for name, value in change.items():
        monkeypatch.setenv(name, value)
    ended = review("push", dataset)
    assert ended.code == 2
    assert says in ended.err
    assert "Traceback" not in ended.err
    assert server.token not in ended.err
    assert not server.tasks
    assert not dataset.review.packet_keys()


def test_a_server_of_another_version_is_refused(server: FakeLabelStudio, dataset: Dataset) -> None:
    server.version = "2.0.0"
    ended = review("push", dataset)
    assert ended.code == 2
    assert "2.0.0" in ended.err


def test_another_minor_version_is_used_with_a_notice(server: FakeLabelStudio, dataset: Dataset) -> None:
    server.version = "1.99.0"
    ended = review("push", dataset)
    assert ended.code == 0
    assert "1.99.0" in ended.err


@pytest.mark.usefixtures("server")
def test_a_pull_before_the_first_push_says_so(dataset: Dataset) -> None:
    for command in ("pull", "open", "sync"):
        ended = review(command, dataset)
        assert (ended.code, "goldleaf review push" in ended.err) == (2, True)
    assert review("status", dataset).code == 0


@pytest.mark.e2e
def test_another_server_is_refused_until_told(
    server: FakeLabelStudio, dataset: Dataset, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    review("push", dataset)
    root = tmp_path / "second"
    root.mkdir()
    with FakeLabelStudio(root) as second:
        use(monkeypatch, second)
        ended = review("push", dataset)
        assert (ended.code, "--move" in ended.err) == (2, True)
        assert not second.tasks
        moved = review("push", dataset, "--move", "--json")
        assert moved.code == 0
        assert sorted(keys_on(second)) == sorted(keys_on(server))


@pytest.mark.e2e
def test_choices_hold_for_later_pushes(server: FakeLabelStudio, dataset: Dataset) -> None:
    project = review("push", dataset, "--review", "flagged", "--double", "--json").json["project"]
    assert server.projects[project]["maximum_annotations"] == 2
    review("push", dataset)
    assert server.projects[project]["maximum_annotations"] == 2
    review("push", dataset, "--single")
    assert server.projects[project]["maximum_annotations"] == 1
    assert review("push", dataset, "--review", "some").code == 2


@pytest.mark.e2e
def test_a_damaged_state_names_the_file_and_the_cure(server: FakeLabelStudio, dataset: Dataset) -> None:
    review("push", dataset)
    answer(server, dataset, saying({}))
    state = dataset.root / "review" / "state.json"
    state.write_text("{")
    ended = review("sync", dataset)
    assert ended.code == 2
    assert str(state) in ended.err
    state.unlink()
    again = review("sync", dataset, "--json")
    assert again.code == 0
    assert again.json["pulled"]["decisions"] > 0
    assert len(keys_on(server)) == len(set(keys_on(server)))


@pytest.mark.parametrize(
    ("file", "text", "cure"),
    [
        ("project.json", '{"marker": 1, "url": "http://127.0.0.1:8080", "id": 1}', "backup"),
        ("project.json", '{"marker": "goldleaf-1", "url": "http://127.0.0.1:8080", "id": "1"}', "backup"),
        ("state.json", '{"choices": {"budget": "many"}}', "remove it"),
        ("state.json", '{"choices": {"review": "some"}}', "remove it"),
        ("state.json", '{"choices": {"double": 1}}', "remove it"),
        ("packets/a.json", "{", "backup"),
        ("packets/a.json", "[]", "backup"),
    ],
)
@pytest.mark.e2e
def test_every_damaged_file_of_the_review_is_named_with_the_cure(
    server: FakeLabelStudio, dataset: Dataset, file: str, text: str, cure: str
) -> None:
    review("push", dataset)
    sent = len(server.tasks)
    damaged = dataset.root / "review" / file
    damaged.write_text(text)
    for command in ("pull", "push"):
        ended = review(command, dataset)
        assert ended.code == 2
        assert str(damaged) in ended.err
        assert cure in ended.err
    assert len(server.tasks) == sent


@pytest.mark.e2e
def test_the_review_part_of_a_run_pulls_and_a_lost_server_ends_no_run(
    server: FakeLabelStudio, dataset: Dataset
) -> None:
    assert review_dataset(dataset, None, quiet=True) == Reviewed()
    pushed = review_dataset(dataset, choices_for_run(dataset, "contested"), quiet=True).pushed
    assert pushed is not None
    assert pushed.sent == len(server.tasks) > 0
    answer(server, dataset, saying({}))
    pulled = review_dataset(dataset, None, quiet=True).pulled
    assert pulled is not None
    assert pulled.decisions > 0
    server.trouble.extend(["drop"] * 9)
    assert review_dataset(dataset, None, quiet=True).unreached


@pytest.mark.e2e
def test_a_document_without_a_vote_is_named(server: FakeLabelStudio, dataset: Dataset, tmp_path: Path) -> None:
    dataset.add_document(invoice(tmp_path / "late.pdf", "late"), schema="invoice")
    ended = review("push", dataset)
    assert ended.code == 0
    assert "no vote yet on late" in ended.err
    assert "goldleaf run" in ended.err
    assert server.tasks


@pytest.mark.e2e
def test_nothing_open_sends_nothing(server: FakeLabelStudio, tmp_path: Path) -> None:
    ended = review("push", make_dataset(tmp_path, {"a": [read()] * 4}))
    assert ended.code == 0
    assert "Nothing new to ask." in ended.out
    assert not server.tasks
