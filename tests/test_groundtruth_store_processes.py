"""A dataset under several processes at once, and under processes that are killed at any of their steps."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from groundtruth.ballot import Ballot
from groundtruth.errors import DatasetError, DuplicateDocument
from groundtruth.pages import document_info
from groundtruth.rules import Rules
from groundtruth.store import Dataset
from groundtruth.store_artefacts import Artefact
from groundtruth.store_files import atomic_write, content_hash, file_lock

FORK = multiprocessing.get_context("fork")
SCHEMA = {"type": "object", "properties": {"total": {"type": ["number", "null"]}}}
SCRATCH = Path(".goldleaf") / "scratch"


@pytest.fixture(autouse=True)
def without_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a process has written, the kernel keeps when the process is killed; only a power cut needs the disk."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a dataset of one document that has all artefacts, and two files beside it to bring in."""
    root = tmp_path_factory.mktemp("template")
    for name in ("a", "b", "c"):
        (root / f"{name}.txt").write_text(f"text of {name}")
    # Everything that a child does later is imported before the fork.
    document_info(root / "a.txt")
    dataset = Dataset.create(root / "data")
    dataset.put_draft("invoice", SCHEMA, Rules())
    dataset.add_document(root / "a.txt", schema="invoice")
    dataset.put_ballot("a", Ballot("gpt", "gpt", data={"total": 1}), raw=(b"1", "txt"))
    dataset.write_artefact(Artefact.CONSENSUS, "a", {"version": 1})
    return root


@pytest.fixture
def work(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(template, tmp_path / "work"))


def add_b(root: Path) -> None:
    Dataset.open(root / "data").add_document(root / "b.txt", schema="invoice")


def replace_a(root: Path) -> None:
    Dataset.open(root / "data").replace_document("a", root / "c.txt")


def remove_a(root: Path) -> None:
    Dataset.open(root / "data").remove_document("a")


def put_ballot(root: Path) -> None:
    Dataset.open(root / "data").put_ballot("a", Ballot("gpt", "gpt", data={"total": 2}), raw=(b"2", "json"))


def put_draft(root: Path) -> None:
    schema = {"type": "object", "properties": {"sum": {"type": ["number", "null"]}}}
    Dataset.open(root / "data").put_draft("invoice", schema, Rules.from_json({"fields": {"sum": {}}}), replace=True)


def freeze(root: Path) -> None:
    Dataset.open(root / "data").freeze("invoice")


def set_panel(root: Path) -> None:
    Dataset.open(root / "data").set_panel(["gpt"])


def create(root: Path) -> None:
    Dataset.create(root / "fresh")


def changes_the_disk(event: str, args: tuple[object, ...]) -> bool:
    """Whether a file operation, as Python audits it, may change something; lock files count for nothing."""
    if event == "open":
        path, _, flags = args
        is_lock = isinstance(path, str) and path.endswith(".lock")
        return not is_lock and isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR))
    return event in {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.truncate"}


def run_until_killed(action: Callable[[Path], None], root: Path, step: int) -> bool:
    """Run ``action`` in a process that is killed right before its change number ``step``; whether it got that far."""

    def child() -> None:
        done = 0

        def kill_at_step(event: str, args: tuple[object, ...]) -> None:
            nonlocal done
            if changes_the_disk(event, args):
                done += 1
                if done == step:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(kill_at_step)
        action(root)

    process = FORK.Process(target=child)
    process.start()
    process.join(30)
    assert process.exitcode in (0, -signal.SIGKILL)
    return process.exitcode != 0


def check_whole(dataset: Dataset) -> None:
    """Everything that the dataset says it holds is there and reads."""
    for document in dataset.documents():
        assert content_hash(dataset.document_file(document.id).read_bytes()) == document.sha256
        dataset.schema_of(document.id)
        dataset.ballots(document.id)
        dataset.read_artefact(Artefact.CONSENSUS, document.id)
    known = dataset.document_ids()
    for kind in ("ballots", "consensus"):
        assert {path.name.removesuffix(".json") for path in (dataset.root / kind).glob("*")} <= set(known)
    assert dataset.panel in (None, ("gpt",))


@pytest.mark.e2e
@pytest.mark.parametrize("action", [add_b, replace_a, remove_a, put_ballot, freeze, set_panel])
def test_killed_before_any_of_its_changes_it_leaves_whole_things_and_can_be_run_again(
    action: Callable[[Path], None], template: Path, tmp_path: Path
) -> None:
    finished = tmp_path / "finished"
    shutil.copytree(template, finished)
    action(finished)
    step = 0
    killed = True
    while killed:
        step += 1
        work = Path(shutil.copytree(template, tmp_path / f"killed-{step}"))
        killed = run_until_killed(action, work, step)
        dataset = Dataset.open(work / "data")
        dataset.sweep()
        check_whole(dataset)
        assert list((work / "data" / SCRATCH).iterdir()) == []
        was_done = (action is add_b and "b" in dataset.document_ids()) or (
            action is remove_a and dataset.document_ids() == ()
        )
        if not was_done:
            action(work)
        assert contents(work / "data") == contents(finished / "data") | leftovers(work / "data", action)
    assert step > (3 if action is set_panel else 5)


def contents(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file() and ".goldleaf" not in path.parts)
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


def leftovers(root: Path, action: Callable[[Path], None]) -> dict[str, bytes]:
    """The old file that a replacement leaves, unused, when it is killed between its last two steps."""
    old = root / "documents" / "a" / "a.txt"
    return {"documents/a/a.txt": old.read_bytes()} if action is replace_a and old.exists() else {}


@pytest.mark.e2e
def test_a_draft_killed_half_way_still_compiles_or_says_what_is_wrong(template: Path, tmp_path: Path) -> None:
    step = 0
    killed = True
    while killed:
        step += 1
        work = Path(shutil.copytree(template, tmp_path / f"killed-{step}"))
        killed = run_until_killed(put_draft, work, step)
        put_draft(work)
        assert list(Dataset.open(work / "data").schema("invoice").leaves) == [("sum",)]


def test_a_folder_killed_while_it_was_made_can_be_made_again(tmp_path: Path) -> None:
    step = 0
    killed = True
    while killed:
        step += 1
        work = tmp_path / f"killed-{step}"
        work.mkdir()
        killed = run_until_killed(create, work, step)
        if not (work / "fresh" / "dataset.json").exists():
            create(work)
        assert Dataset.open(work / "fresh").name == "fresh"


def outcome_of(action: Callable[[], object], start: object, results: object) -> None:
    start.wait()  # type: ignore[attr-defined]
    try:
        action()
        results.put("done")  # type: ignore[attr-defined]
    except DatasetError as error:
        results.put(type(error).__name__)  # type: ignore[attr-defined]


def at_once(*actions: Callable[[], object]) -> list[str]:
    """Run each action in a process of its own, all at the same moment; how they ended, sorted."""
    start = FORK.Barrier(len(actions))
    results: multiprocessing.Queue[str] = FORK.Queue()
    processes = [FORK.Process(target=outcome_of, args=(action, start, results)) for action in actions]
    for process in processes:
        process.start()
    found = sorted(results.get(timeout=30) for _ in processes)
    for process in processes:
        process.join(30)
    return found


def test_different_documents_added_at_once_are_all_there(work: Path) -> None:
    dataset = Dataset.open(work / "data")
    files = [work / f"new {number}.txt" for number in range(8)]
    for file in files:
        file.write_text(file.name)

    ended = at_once(*(lambda file=file: dataset.add_document(file, schema="invoice") for file in files))

    assert ended == ["done"] * 8
    assert dataset.document_ids() == ("a", *(file.stem for file in files))
    check_whole(dataset)
    assert dataset.sweep() == 0


@pytest.mark.parametrize("same", ["bytes", "id"])
def test_of_the_same_document_added_at_once_exactly_one_comes_in(work: Path, same: str) -> None:
    dataset = Dataset.open(work / "data")
    files = [work / f"new {number}.txt" for number in range(4)]
    for number, file in enumerate(files):
        file.write_text("the same" if same == "bytes" else f"text {number}")

    ended = at_once(
        *(
            lambda file=file: dataset.add_document(file, schema="invoice", id=None if same == "bytes" else "one")
            for file in files
        )
    )

    assert ended == [DuplicateDocument.__name__] * 3 + ["done"]
    assert len(dataset.document_ids()) == 2
    check_whole(dataset)


def test_a_document_removed_while_ballots_come_in_leaves_no_ballots(work: Path) -> None:
    dataset = Dataset.open(work / "data")

    def import_many() -> None:
        for number in range(40):
            dataset.put_ballot("a", Ballot(f"s{number}", "f"))

    ended = at_once(import_many, lambda: dataset.remove_document("a"))

    assert ended == ["UnknownDocument", "done"] or ended == ["done", "done"]
    assert list((work / "data" / "ballots").glob("*")) == []


def test_a_lock_is_free_again_when_its_holder_is_killed(work: Path) -> None:
    dataset = Dataset.open(work / "data")
    held = FORK.Event()

    def hold() -> None:
        with dataset.lock("curate"):
            held.set()
            signal.pause()

    process = FORK.Process(target=hold)
    process.start()
    assert held.wait(30)
    with dataset.lock("curate", wait=False) as mine:
        assert not mine

    process.kill()
    process.join(30)

    with dataset.lock("curate", wait=False) as mine:
        assert mine


def test_sweeping_leaves_the_unfinished_work_of_the_living(work: Path) -> None:
    scratch = work / "data" / SCRATCH
    left = scratch / "left behind"
    left.mkdir()
    (left / "half.txt").write_text("half")
    (scratch / "half.json").write_text("{")
    dataset = Dataset.open(work / "data")

    with file_lock(work / "data" / ".goldleaf" / "locks" / "writers.lock", shared=True):
        assert dataset.sweep() == 0
        assert left.exists()

    assert dataset.sweep() == 2
    assert list(scratch.iterdir()) == []


@pytest.mark.e2e  # takes seconds
def test_readers_see_the_old_content_or_the_new_never_a_part(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    contents = [bytes([65 + number]) * 300_000 for number in range(2)]
    atomic_write(file, contents[0])

    def write_on() -> None:
        for number in range(1000):
            atomic_write(file, contents[number % 2])

    process = FORK.Process(target=write_on)
    process.start()
    seen = {file.read_bytes() for _ in range(200)}
    process.kill()
    process.join(30)

    assert seen <= set(contents)
    assert file.read_bytes() in contents


def test_a_failed_write_leaves_the_old_content_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    atomic_write(file, b"old")

    with pytest.raises(TypeError):
        atomic_write(file, "text, not bytes")  # type: ignore[arg-type]

    assert file.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
