"""From the queue to the server: take back what is no longer asked, make new packets, draw them, send them.

Everything that is sent is kept before it is sent, and the server is asked first what it has, so that a push that was
stopped anywhere is completed by the same command, without a packet sent twice.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from annotation.decode import packet_key_of
from annotation.packet import Packet
from annotation.reading import State
from flows.review_pictures import PageRasters, PictureShelf
from flows.review_plan import Copies
from flows.review_round import Round, prepare
from flows.review_server import connected, project_for_pushing, project_page
from flows.review_state import Choices, Project, ReviewState, keep_project, load_state
from flows.step_progress import counting
from groundtruth.document import Kind
from groundtruth.errors import ReviewError
from groundtruth.jsontext import Json
from groundtruth.path import format_path
from groundtruth.store import Dataset

if TYPE_CHECKING:
    from annotation.client import LabelStudio

BATCH: Final = 20
"""Packets sent at once; a push that is stopped has at most so many to send again."""


@dataclass(frozen=True, slots=True)
class PushSummary:
    """What a push did, or would do.

    Attributes:
        round: what was asked.
        sent: packets that went to the server, those of a push that was stopped included.
        project: the server's id of the project; None when no server was asked.
        url: where people answer; None when no server was asked.
        repaired: what somebody had changed in the project and was put back.
    """

    round: Round
    sent: int = 0
    project: int | None = None
    url: str | None = None
    repaired: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Json]:
        """The record in a command's ``--json``."""
        plan = self.round.plan
        return {
            "round": self.round.number,
            "new": self.round.work.to_json(),
            "cells_to_follow": self.round.cells + plan.cells_out,
            "sent_again": len(plan.resend),
            "taken_back": len(plan.retire),
            "tasks_deleted": len(plan.delete),
            "leaves_waiting": plan.leaves_out + self.round.work.leaves,
            "leaves_deferred": self.round.deferred,
            "leaves_left": self.round.left,
            "documents_without_vote": list(self.round.unvoted),
            "known": len(self.round.known),
            "known_missing": self.round.known_missing,
            "sent": self.sent,
            "project": self.project,
            "url": self.url,
            "repaired": list(self.repaired),
        }


def push(
    dataset: Dataset,
    choices: Choices,
    *,
    move: bool = False,
    dry_run: bool = False,
    say: Callable[[Round], None] | None = None,
    quiet: bool = False,
) -> PushSummary:
    """Send to people what the votes and the decisions leave open.

    Args:
        dataset: what is reviewed.
        choices: how much is asked, of how many people, and what they see.
        move: send it to another server than the one that it was sent to before.
        dry_run: only say what would be done; no server is asked.
        say: told what is about to be sent, before it is.
        quiet: show no progress.

    Raises:
        ReviewError: the server cannot be used, or a picture is missing. What was sent until then stays, and the same
            command completes it.
    """
    with dataset.lock("review"):
        if dry_run:
            return PushSummary(prepare(dataset, choices, _as_last_seen(load_state(dataset)), quiet=quiet))
        with connected(dataset, move=move) as (client, address):
            shelf = PictureShelf(dataset, address.files_root)
            state = load_state(dataset)
            state.choices = choices
            project, repaired = _project(dataset, client, address.url, state)
            copies = _copies(client, project)
            found = prepare(dataset, choices, copies, quiet=quiet)
            if say is not None:
                say(found)
            _take_back(dataset, client, project, found, state)
            state.sent |= set(copies) - state.retired
            _keep(dataset, found, state)
            _send(dataset, client, project, shelf, found, state, quiet=quiet)
            url = project_page(Project("", address.url, project))
            sent = len(found.plan.resend) + len(found.mixed)
            return PushSummary(found, sent, project, url, repaired)


def _project(dataset: Dataset, client: LabelStudio, url: str, state: ReviewState) -> tuple[int, tuple[str, ...]]:
    """The project on the server, made if need be, with our configuration and tabs."""
    from annotation.labeling_config import labeling_config
    from annotation.project import ensure_project

    known = project_for_pushing(dataset, url)
    # A tab of what only synthetic documents are would tell them from the others.
    kinds = {document.type for document in dataset.documents() if document.type and document.kind is not Kind.SYNTHETIC}
    found = ensure_project(
        client,
        name=dataset.name,
        marker=known.marker,
        known=known.id,
        config=labeling_config(),
        rounds=range(1, state.round + state.complete + 1),
        types=sorted(kinds),
        overlap=2 if state.choices.double else 1,
    )
    keep_project(dataset, Project(known.marker, url, found.id))
    return found.id, found.repaired


def _copies(client: LabelStudio, project: int) -> dict[str, Copies]:
    """What the server has, by packet key; tasks of others are left alone."""
    touched: dict[str, list[int]] = defaultdict(list)
    untouched: dict[str, list[int]] = defaultdict(list)
    for task in client.tasks(project):
        key = packet_key_of(task)
        if key is not None:
            is_touched = bool(task.get("annotations") or task.get("drafts"))
            (touched if is_touched else untouched)[key].append(task["id"])
    return {key: Copies(tuple(touched.get(key, ())), tuple(untouched.get(key, ()))) for key in (*touched, *untouched)}


def _as_last_seen(state: ReviewState) -> dict[str, Copies]:
    """What the server had when it was last seen, for a push that asks no server; ids do not matter then."""
    return {
        key: Copies(touched=(0,)) if _answered(state.cards.get(key, {})) else Copies(untouched=(0,))
        for key in state.sent
    }


def _answered(cards: Mapping[str, State]) -> bool:
    return any(state not in (State.UNANSWERED, State.TASK_MISSING) for state in cards.values())


def _take_back(dataset: Dataset, client: LabelStudio, project: int, found: Round, state: ReviewState) -> None:
    if found.plan.retire:
        # Said first, so that a push that is stopped between the two does not send them again.
        state.retired.update(found.plan.retire)
        dataset.review.put_state(state.to_json())
    if found.plan.delete:
        client.delete_tasks(project, found.plan.delete)


def _keep(dataset: Dataset, found: Round, state: ReviewState) -> None:
    """Keep what is about to be sent."""
    if found.packets:
        state.round, state.complete = found.number, False
    dataset.review.put_state(state.to_json())
    # The known ones come first: while one is not kept none of the others is, and the next push draws the same.
    for packet in (*found.known, *found.packets):
        dataset.review.put_packet(packet.key, packet.to_json())


def _send(
    dataset: Dataset,
    client: LabelStudio,
    project: int,
    shelf: PictureShelf,
    found: Round,
    state: ReviewState,
    *,
    quiet: bool,
) -> None:
    from annotation.tasks import build_task, picture_names

    due = [*found.plan.resend, *found.mixed]
    if due and shelf.folder is not None:
        shelf.folder.mkdir(parents=True, exist_ok=True)
        client.ensure_local_storage(project, shelf.folder)
    with _Rasters(dataset) as pages, counting("packets drawn", len(due), quiet=quiet) as advance:
        for packet in due:
            _draw(packet, pages.of(packet), shelf)
            _refuse_missing(client, shelf, packet)
            advance(1)
    with counting("packets sent", len(due), quiet=quiet) as advance:
        for start in range(0, len(due), BATCH):
            batch = due[start : start + BATCH]
            tasks = [
                build_task(
                    packet,
                    {name: shelf.url(name) for name in picture_names(packet)},
                    show_votes=state.choices.show_votes,
                )
                for packet in batch
            ]
            client.import_tasks(project, tasks)
            state.sent.update(packet.key for packet in batch)
            dataset.review.put_state(state.to_json())
            advance(len(batch))
    state.complete = True
    dataset.review.put_state(state.to_json())


class _Rasters(contextlib.ExitStack):
    """The pages of the documents of each dataset that packets come from."""

    def __init__(self, dataset: Dataset) -> None:
        super().__init__()
        self._dataset = dataset
        self._open: dict[str, PageRasters] = {}

    def of(self, packet: Packet) -> PageRasters:
        """The pages of a packet's document."""
        origin = packet.known.origin if packet.known else ""
        if origin not in self._open:
            source = Dataset.open(Path(origin)) if origin else self._dataset
            self._open[origin] = self.enter_context(PageRasters(source))
        return self._open[origin]


def _draw(packet: Packet, pages: PageRasters, shelf: PictureShelf) -> None:
    """Draw the pictures of a packet, unless they are there."""
    from annotation.pictures import pictures_of
    from annotation.tasks import picture_names

    if not all(map(shelf.has, picture_names(packet))):
        shelf.put(pictures_of(packet, pages))


def _refuse_missing(client: LabelStudio, shelf: PictureShelf, packet: Packet) -> None:
    """Make sure that the server shows every picture: without it people would answer on a blank page.

    Raises:
        ReviewError: it does not.
    """
    from annotation.tasks import picture_names

    for name in picture_names(packet):
        url = shelf.url(name)
        if shelf.folder is not None and not client.is_served(url):
            card = packet.cards[0]
            raise ReviewError(
                f"{card.document} {format_path(card.path)}: the server at {client.url} does not show the picture "
                f"{shelf.folder / name} ({url}); nothing was sent. Its root for local files must hold this folder: "
                "start the server with `make label-studio`, or see docs/review.md for a server of your own"
            )
