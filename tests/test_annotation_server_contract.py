"""What the client relies on, asked of the fake server and of the real one: the fake is only as good as this."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from annotation.client import LabelStudio
from annotation.project import ProjectState, ensure_project
from fake_label_studio import FakeLabelStudio
from groundtruth.errors import ReviewError
from label_studio import PASSWORD, Labeler, RealServer

CONFIG = """<View>
  <Text name="t" value="$text"/>
  <Choices name="c" toName="t"><Choice value="a"/><Choice value="b"/></Choices>
</View>
"""
RENAMED = CONFIG.replace('name="c"', 'name="d"')
ANSWER = [{"id": "r", "from_name": "c", "to_name": "t", "type": "choices", "value": {"choices": ["a"]}}]
OTHER = [{**ANSWER[0], "value": {"choices": ["b"]}}]


class Served(NamedTuple):
    """One of the two servers."""

    url: str
    token: str
    files_root: Path
    personal_token: Callable[[], str]
    labeler: Callable[[], Labeler]


@pytest.fixture(params=["fake", pytest.param("real", marks=pytest.mark.e2e)])
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    if request.param == "real":
        real: RealServer = request.getfixturevalue("label_studio")
        yield Served(real.url, real.token, real.files_root, real.personal_token, real.labeler)
        return
    with FakeLabelStudio(files_root=tmp_path) as fake:

        def labeler() -> Labeler:
            email = f"labeler-{len(fake.users)}@goldleaf.example"
            with LabelStudio.connect(fake.url, fake.token) as client:
                client.add_user(email, PASSWORD)
            return Labeler(fake.url, email, PASSWORD)

        yield Served(fake.url, fake.token, tmp_path, fake.personal_token, labeler)


@pytest.fixture
def client(served: Served) -> Iterator[LabelStudio]:
    with LabelStudio.connect(served.url, served.token) as client:
        yield client


def sent(*keys: str) -> list[dict[str, Any]]:
    return [{"data": {"text": key, "packet_key": key}} for key in keys]


def project_with(client: LabelStudio, *keys: str) -> tuple[int, list[int]]:
    project = client.create_project("contract", CONFIG, "the contract")
    return project, client.import_tasks(project, sent(*keys))


def test_both_kinds_of_token_open_the_server(served: Served) -> None:
    for token in (served.token, served.personal_token()):
        with LabelStudio.connect(served.url, token) as client:
            assert client.version == "1.23.2"
            assert client.notice == ""
            assert client.users()[client.user.id] == client.user.email


@pytest.mark.parametrize(
    "token", [pytest.param("0" * 40, id="legacy"), pytest.param("eyJhbGciOiJIUzI1NiJ9.e30.YWJj", id="personal")]
)
def test_a_wrong_token_is_refused_with_the_cure_and_not_shown(served: Served, token: str) -> None:
    with pytest.raises(ReviewError, match="Personal Access Token") as refused:
        LabelStudio.connect(served.url, token)
    assert token not in str(refused.value)


def test_tasks_come_back_as_they_were_sent_with_exact_numbers(client: LabelStudio) -> None:
    project = client.create_project("numbers", CONFIG, "")
    data = {"text": "é\u2028<b>", "x": Decimal("12.3456789"), "n": 3, "deep": [{"a": None}]}
    result = [{"id": "b", "from_name": "c", "type": "choices", "value": {"x": Decimal("0.1234567890123")}}]
    [task] = client.import_tasks(project, [{"data": data, "predictions": [{"result": result}]}])
    [found] = client.tasks(project)
    assert found["id"] == task
    assert found["data"] == data
    assert found["predictions"][0]["result"] == result


def test_more_tasks_than_a_page_are_listed_once_each_and_in_order(client: LabelStudio) -> None:
    project, ids = project_with(client, *(f"k{number}" for number in range(205)))
    assert [task["id"] for task in client.tasks(project)] == ids
    assert client.task_count(project) == 205
    client.delete_tasks(project, ids[:5])
    assert [task["id"] for task in client.tasks(project)] == ids[5:]


def test_tasks_that_come_and_go_while_they_are_listed_cost_no_other(client: LabelStudio) -> None:
    project, ids = project_with(client, *(f"k{number}" for number in range(205)))
    listed = client.tasks(project)
    seen = [next(listed)["id"] for _ in range(100)]
    client.delete_tasks(project, ids[:7])
    new = client.import_tasks(project, sent("new"))
    seen.extend(task["id"] for task in listed)
    assert seen == ids + new


def test_a_project_without_tasks_is_listed(client: LabelStudio) -> None:
    project, ids = project_with(client)
    assert ids == []
    assert list(client.tasks(project)) == []
    assert client.task_count(project) == 0


def test_the_same_task_twice_is_two_tasks(client: LabelStudio) -> None:
    project, first = project_with(client, "k")
    second = client.import_tasks(project, sent("k"))
    assert first != second
    assert client.task_count(project) == 2


def test_ids_come_again_after_a_deletion(client: LabelStudio) -> None:
    project, ids = project_with(client, "k1", "k2")
    client.delete_tasks(project, ids)
    assert client.import_tasks(project, sent("k3", "k4")) == ids


def test_to_delete_no_task_deletes_none(client: LabelStudio) -> None:
    project, ids = project_with(client, "k1", "k2")
    client.delete_tasks(project, [])
    client.delete_tasks(project, [10**9])
    assert [task["id"] for task in client.tasks(project)] == ids


def test_a_skip_keeps_the_proposal_in_its_result(client: LabelStudio, served: Served) -> None:
    project, [task] = project_with(client, "k")
    with served.labeler() as labeler:
        labeler.annotate(task, ANSWER, is_skip=True)
    [found] = client.tasks(project)
    assert [(each["was_cancelled"], each["result"]) for each in found["annotations"]] == [(True, ANSWER)]


def test_an_edit_keeps_the_id_and_changes_the_time(client: LabelStudio, served: Served) -> None:
    project, [task] = project_with(client, "k")
    with served.labeler() as one, served.labeler() as other:
        annotation = one.annotate(task, ANSWER, seconds=2.5)
        [before] = next(client.tasks(project))["annotations"]
        other.edit(annotation, OTHER)
        [after] = next(client.tasks(project))["annotations"]
        people = client.users()
        assert (people[after["completed_by"]], people[after["updated_by"]]) == (one.email, other.email)
    assert (before["id"], before["lead_time"]) == (after["id"], Decimal("2.5"))
    assert before["updated_at"] < after["updated_at"]
    assert after["result"] == OTHER


def test_several_people_may_answer_one_task(client: LabelStudio, served: Served) -> None:
    project, [task] = project_with(client, "k")
    with served.labeler() as one, served.labeler() as other:
        ids = {one.annotate(task, ANSWER), other.annotate(task, OTHER)}
    [found] = client.tasks(project)
    assert {each["id"] for each in found["annotations"]} == ids


def test_a_deleted_answer_is_gone(client: LabelStudio, served: Served) -> None:
    project, [task] = project_with(client, "k")
    with served.labeler() as labeler:
        labeler.delete(labeler.annotate(task, ANSWER))
    [found] = client.tasks(project)
    assert found["annotations"] == []


def test_the_drafts_of_everybody_are_listed(client: LabelStudio, served: Served) -> None:
    project, [first, second] = project_with(client, "k1", "k2")
    with served.labeler() as labeler:
        labeler.draft(second, ANSWER)
        found = {task["id"]: task["drafts"] for task in client.tasks(project)}
        assert found[first] == []
        assert [(draft["user"], draft["result"]) for draft in found[second]] == [(labeler.email, ANSWER)]


def test_only_what_changed_since_is_listed(client: LabelStudio, served: Served) -> None:
    project, [_, second] = project_with(client, "k1", "k2")
    before = max(task["updated_at"] for task in client.tasks(project))
    assert list(client.tasks(project, updated_since=before)) == []
    with served.labeler() as labeler:
        labeler.annotate(second, ANSWER)
    shifted = before.replace("Z", "+00:00")
    assert [task["id"] for task in client.tasks(project, updated_since=shifted)] == [second]


def test_a_configuration_that_answers_do_not_fit_is_refused(client: LabelStudio, served: Served) -> None:
    project, [task] = project_with(client, "k")
    client.update_config(project, RENAMED)
    client.update_config(project, CONFIG)
    with served.labeler() as labeler:
        labeler.annotate(task, ANSWER)
    with pytest.raises(ReviewError, match="incompatible"):
        client.update_config(project, RENAMED)


def test_a_task_without_what_the_screen_shows_is_refused(client: LabelStudio) -> None:
    project, _ = project_with(client)
    with pytest.raises(ReviewError, match='"text" key is expected') as refused:
        client.import_tasks(project, [{"data": {}}])
    assert "not known" not in str(refused.value)
    assert client.task_count(project) == 0


def test_a_project_that_is_gone_is_said_to_be(client: LabelStudio) -> None:
    gone = 10**6
    for use in (
        client.project,
        client.task_count,
        lambda project: list(client.tasks(project)),
        lambda project: client.import_tasks(project, sent("k")),
        lambda project: client.delete_tasks(project, [1]),
        lambda project: client.set_overlap(project, 2),
    ):
        with pytest.raises(ReviewError, match=rf"{gone}.*push"):
            use(gone)


def test_pictures_are_served_once_their_folder_is_named(client: LabelStudio, served: Served) -> None:
    project, _ = project_with(client)
    folder = served.files_root / f"pictures-{project}"
    folder.mkdir()
    (folder / "page.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    url = f"/data/local-files/?d={folder.name}/page.png"
    assert not client.is_served(url)
    client.ensure_local_storage(project, folder)
    client.ensure_local_storage(project, folder)
    assert client.is_served(url)
    assert not client.is_served(url.replace("page", "other"))


def test_a_folder_that_the_server_does_not_show_is_refused_with_the_cure(client: LabelStudio) -> None:
    project, _ = project_with(client)
    with pytest.raises(ReviewError, match="LOCAL_FILES_DOCUMENT_ROOT set to"):
        client.ensure_local_storage(project, Path("/usr"))


def test_people_are_added_with_their_keys(client: LabelStudio, served: Served) -> None:
    email = f"{len(client.users())}@people.example"
    client.add_user(email, PASSWORD, hotkeys={"annotation:submit": "space"})
    assert email in client.users().values()
    with Labeler(served.url, email, PASSWORD), pytest.raises(ReviewError, match="already exists"):
        client.add_user(email, PASSWORD)
    with pytest.raises(ReviewError, match=r"valid email address.*8–128"):
        client.add_user("nobody", "short")


def test_keys_are_added_to_those_that_are_there(client: LabelStudio) -> None:
    client.set_hotkeys({"annotation:submit": "space"})
    client.set_hotkeys({"region:cycle": "j"})


def test_a_project_is_made_once_and_put_right(client: LabelStudio) -> None:
    marker = f"goldleaf-contract-{len(client.projects_described('goldleaf'))}"

    def ensure(known: int | None, *, rounds: int = 1, overlap: int = 1) -> ProjectState:
        return ensure_project(
            client,
            name="contract",
            marker=marker,
            known=known,
            config=CONFIG,
            rounds=range(1, rounds + 1),
            types=["invoice"],
            overlap=overlap,
        )

    made = ensure(None)
    assert made.created
    assert [tab["data"]["title"] for tab in client.tabs(made.id)] == [
        "Unanswered",
        "Re-review",
        "Round 1",
        "Type: invoice",
    ]
    for known in (made.id, None, 10**6):
        assert ensure(known, rounds=2, overlap=2) == ProjectState(made.id, created=False)
    assert client.project(made.id)["maximum_annotations"] == 2
    client.update_config(made.id, RENAMED)
    client.change_project(made.id, "edit a setting", enable_empty_annotation=True)
    tab = client.tabs(made.id)[0]
    client.put_tab(made.id, {**tab["data"], "filters": {"conjunction": "or", "items": []}}, known=tab["id"])
    assert [said.split(",")[0] for said in ensure(made.id).repaired] == [
        "the labelling configuration",
        "the setting enable_empty_annotation",
        "the filter of the tab 'Unanswered'",
    ]
    assert ensure(made.id) == ProjectState(made.id, created=False)


def test_a_project_of_somebody_else_with_our_id_is_left_alone(client: LabelStudio) -> None:
    foreign = client.create_project("somebody else's", RENAMED, "not ours")
    made = ensure_project(
        client, name="ours", marker="goldleaf-mine", known=foreign, config=CONFIG, rounds=[1], types=[]
    )
    assert made.created
    assert made.id != foreign
    assert client.project(foreign)["label_config"] == RENAMED.strip()
