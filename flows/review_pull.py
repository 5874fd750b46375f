"""From the server to decisions: list the tasks, keep them as they came, decode, and add to the logs.

A pull that is stopped anywhere is made good by the next one: raw answers are kept before they are decoded, logs are
only added to, and what is in them already is not added again.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from annotation.decode import decode, packet_key_of
from annotation.known_answers import read_known
from annotation.merge import Merge, merge
from annotation.packet import Packet
from annotation.reading import State, TaskReading
from flows.review_known import Origins, keep_known, known_answers
from flows.review_server import connected, project_for_pulling
from flows.review_state import ReviewState, kept_packets, load_state
from flows.step_progress import counting
from flows.vote_step import rebuild_queue
from groundtruth import jsontext
from groundtruth.decision import Decision, DecisionLog, Withdrawal
from groundtruth.errors import GoldleafError
from groundtruth.jsontext import Json
from groundtruth.path import format_path
from groundtruth.schema import FrozenSchema
from groundtruth.store import Dataset
from groundtruth.wording import counted

if TYPE_CHECKING:
    from annotation.client import LabelStudio

_MOST_NAMED = 5


@dataclass(slots=True)
class PullSummary:
    """What a pull brought.

    Attributes:
        tasks: how many tasks the project has, ours and others'.
        raw: the file that holds the tasks that changed since the last pull, as they came; None when none did.
        verdicts: new decisions by verdict, revisions of earlier ones included.
        revised: how many of them are revisions.
        withdrawn: decisions whose answer is gone from the server.
        states: how many cards stand how, over the packets on the server.
        returned: cards that were answered without a decision and are asked again by the next push, by kind.
        conflicts: leaves and rows on which people differ, to be adjudicated by the next push.
        known: new answers to questions whose truth is known, skips included; they decide nothing.
        notes: what the server held and was left out, for people.
        problems: what should not be: packets that are gone from the server, or that nobody here knows.
    """

    tasks: int = 0
    raw: str | None = None
    verdicts: Counter[str] = field(default_factory=Counter)
    revised: int = 0
    withdrawn: int = 0
    states: Counter[str] = field(default_factory=Counter)
    returned: Counter[str] = field(default_factory=Counter)
    conflicts: int = 0
    known: int = 0
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def decisions(self) -> int:
        """How many decisions are new."""
        return self.verdicts.total()

    def to_json(self) -> dict[str, Json]:
        """The record in a command's ``--json``."""
        return {
            "tasks": self.tasks,
            "raw": self.raw,
            "decisions": self.decisions,
            "verdicts": dict(sorted(self.verdicts.items())),
            "revised": self.revised,
            "withdrawn": self.withdrawn,
            "states": dict(sorted(self.states.items())),
            "returned": dict(sorted(self.returned.items())),
            "conflicts": self.conflicts,
            "known": self.known,
            "notes": self.notes,
            "problems": self.problems,
        }


def pull(dataset: Dataset, *, quiet: bool = False) -> PullSummary:
    """Bring home what people answered.

    Raises:
        ReviewError: nothing was pushed, the server cannot be used, or the project is gone.
        JsonError: a file of the review or a log of decisions is damaged; nothing is changed.
    """
    project = project_for_pulling(dataset)
    with dataset.lock("review"), connected(dataset) as (client, _):
        from annotation.project import find_project

        number = find_project(client, marker=project.marker, known=project.id)
        tasks = _listed(client, number, quiet=quiet)
        summary = take_in(dataset, tasks, client.users())
        rebuild_queue(dataset)
        return summary


def take_in(dataset: Dataset, tasks: Sequence[dict[str, Json]], users: Mapping[int, str]) -> PullSummary:
    """Keep, decode and merge all tasks of the project.

    Args:
        dataset: where the decisions go.
        tasks: every task of the project with its annotations and drafts, as the server answered.
        users: e-mail addresses by the server's id.
    """
    now = datetime.now(UTC)
    at = now.isoformat(timespec="microseconds").replace("+00:00", "Z")
    state, packets = load_state(dataset), kept_packets(dataset)
    # Of a state that was lost the round is made good: it counts which packet asked last, and which tabs there are.
    state.round = max(state.round, *(packet.round for packet in packets.values()), 0)
    summary = PullSummary(tasks=len(tasks))
    _keep_raw(dataset, tasks, state, now, summary)
    origins = Origins(dataset)
    readings = list(_readings(dataset, tasks, packets, users, summary, origins))
    pushed = [packets[key] for key in sorted(state.sent - state.retired) if key in packets]
    merged = merge(
        _whole_log(dataset, packets),
        readings,
        schemas=_schemas(dataset, packets.values()),
        at=at,
        pushed=pushed,
    )
    _add(dataset, merged, summary)
    state.take(readings, merged.states)
    state.sent.update(reading.packet.key for reading in readings)
    state.pulled_at = at
    summary.notes += [note for reading in readings for note in reading.notes]
    state.notes = tuple(summary.notes)
    _count(merged, readings, summary)
    summary.known = _take_known(dataset, tasks, users, readings, origins)
    _name_missing(dataset, merged, packets, summary)
    dataset.review.put_state(state.to_json())
    return summary


def _listed(client: LabelStudio, project: int, *, quiet: bool) -> list[dict[str, Json]]:
    with counting("tasks listed", client.task_count(project), quiet=quiet) as advance:
        tasks = []
        for task in client.tasks(project):
            tasks.append(task)
            advance(1)
    return tasks


def _keep_raw(
    dataset: Dataset, tasks: Iterable[dict[str, Json]], state: ReviewState, now: datetime, summary: PullSummary
) -> None:
    """Keep the tasks that are not as they were when they were kept last."""
    changed = []
    seen = {}
    for task in tasks:
        name = f"{packet_key_of(task)}/{task.get('id')}"
        seen[name] = hashlib.sha256(jsontext.dumps(task).encode()).hexdigest()[:16]
        if state.seen.get(name) != seen[name]:
            changed.append(task)
    if changed:
        path = dataset.review.keep_pull(now.strftime("%Y%m%dT%H%M%S.%fZ"), changed)
        summary.raw = str(path)
    state.seen = seen


def _readings(
    dataset: Dataset,
    tasks: Iterable[dict[str, Json]],
    packets: Mapping[str, Packet],
    users: Mapping[int, str],
    summary: PullSummary,
    origins: Origins,
) -> Iterable[TaskReading]:
    foreign: list[str] = []
    of_packet: Counter[str] = Counter()
    for task in tasks:
        key = packet_key_of(task)
        packet = packets.get(key) if key is not None else None
        if key is None or packet is None:
            foreign.append(str(task.get("id")))
            continue
        of_packet[key] += 1
        try:
            yield decode(packet, task, _schema(dataset, packet, origins), users)
        except GoldleafError as error:
            summary.problems.append(f"packet {key} (task {task.get('id')}): {error}; its raw answer is kept")
    if foreign:
        summary.problems.append(
            f"{counted(len(foreign), 'task of the project is', 'tasks of the project are')} not of this dataset "
            f"({_some(foreign)}); what was answered there is in the raw pull only; take it out of the project, or put "
            "back the packets of your backup"
        )
    twice = sorted(key for key, count in of_packet.items() if count > 1)
    if twice:
        summary.notes.append(
            f"{counted(len(twice), 'packet stands', 'packets stand')} in the project more than once ({_some(twice)}); "
            "all answers count, and `goldleaf review push` removes the copies that nobody touched"
        )


def _schema(dataset: Dataset, packet: Packet, origins: Origins) -> FrozenSchema:
    """The schema of a packet as it is now; of a known one from elsewhere, as it was when that is all there is."""
    if packet.known is None:
        return dataset.schema(packet.schema)
    return origins.schema(packet) or packet.known.compiled(packet.schema, packet.schema_version)


def _take_known(
    dataset: Dataset,
    tasks: Iterable[dict[str, Json]],
    users: Mapping[int, str],
    readings: Iterable[TaskReading],
    origins: Origins,
) -> int:
    """Judge and keep the answers to packets whose truth is known; return how many are new."""
    known = {reading.packet.key: reading.packet for reading in readings if reading.packet.known is not None}
    if not known and not known_answers(dataset):
        return 0
    found = [
        answer
        for task in tasks
        if (packet := known.get(packet_key_of(task) or "")) is not None
        for answer in read_known(packet, task, users, origins.schema(packet))
    ]
    return keep_known(dataset, found, known.keys())


def _whole_log(dataset: Dataset, packets: Mapping[str, Packet]) -> DecisionLog:
    """Every decision on every document that a packet touches and that is still there."""
    there = set(dataset.document_ids())
    deciding = [packet for packet in packets.values() if packet.known is None]
    names = sorted({name for packet in deciding for name in _documents(packet)} & there)
    return DecisionLog(tuple(entry for name in names for entry in dataset.decisions(name).entries))


def _documents(packet: Packet) -> set[str]:
    members = {member.document for card in packet.cards for member in card.members}
    return {packet.document, *members}


def _schemas(dataset: Dataset, packets: Iterable[Packet]) -> dict[str, FrozenSchema]:
    return {name: dataset.schema(name) for name in sorted({one.schema for one in packets if one.known is None})}


def _add(dataset: Dataset, merged: Merge, summary: PullSummary) -> None:
    there = set(dataset.document_ids())
    before: set[tuple[int | None, str]] = set()
    for document, entries in merged.by_document.items():
        if document not in there:
            summary.problems.append(
                f"{document}: {counted(len(entries), 'answer')} on a document that the dataset no longer has, "
                "to be found in the raw pull only"
            )
            continue
        before.update((each.annotation, each.key) for each in dataset.decisions(document).decisions)
        dataset.extend_decisions(document, entries)
        for entry in entries:
            if isinstance(entry, Withdrawal):
                summary.withdrawn += 1
            else:
                summary.verdicts[entry.verdict] += 1
                summary.revised += (entry.annotation, entry.key) in before


def _count(merged: Merge, readings: Sequence[TaskReading], summary: PullSummary) -> None:
    on_server = {reading.packet.key for reading in readings}
    summary.states.update(
        state for key, cards in merged.states.items() if key in on_server for state in map(str, cards.values())
    )
    deciding = [reading for reading in readings if reading.packet.known is None]
    summary.returned.update(str(each.kind) for reading in deciding for each in reading.returns)
    summary.conflicts = len(merged.adjudications)
    for conflict in merged.adjudications:
        summary.notes.append(f"{conflict.document} {format_path(conflict.path)}: {_two_answers(conflict.decisions)}")


def _two_answers(decisions: Sequence[Decision]) -> str:
    said = "; ".join(f"{each.reviewer}: {_said(each)}" for each in decisions)
    return f"two people answered differently ({said}); the next push asks again"


def _said(decision: Decision) -> str:
    return f"{decision.verdict} {jsontext.dumps(decision.value)}" if decision.value is not None else decision.verdict


def _name_missing(dataset: Dataset, merged: Merge, packets: Mapping[str, Packet], summary: PullSummary) -> None:
    missing = [
        key
        for key, cards in merged.states.items()
        if key in packets and cards and all(state is State.TASK_MISSING for state in cards.values())
    ]
    if missing:
        summary.states[State.TASK_MISSING] += sum(len(merged.states[key]) for key in missing)
        summary.problems.append(
            f"{counted(len(missing), 'packet that was sent is', 'packets that were sent are')} no longer on the server "
            f"({_some(missing)}), deleted by somebody; `goldleaf review push {dataset.root}` sends again what is still "
            "open"
        )


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMED])
    return shown if len(names) <= _MOST_NAMED else f"{shown} and {len(names) - _MOST_NAMED} more"
