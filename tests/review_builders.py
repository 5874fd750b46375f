"""A small dataset whose votes leave questions open, and a desk at which they are answered without a server."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pymupdf

from annotation.packet import Card, Packet
from answer_builders import annotation, chosen, sent_boxes, task_of, typed
from builders import ballots
from flows.review_plan import Copies
from flows.review_pull import PullSummary, take_in
from flows.review_round import Round, prepare
from flows.review_state import Choices, load_state
from flows.vote_step import vote_on_dataset
from groundtruth.document import Document, Kind
from groundtruth.path import format_path
from groundtruth.rules import Rules
from groundtruth.store import Dataset
from groundtruth.store_artefacts import Artefact
from groundtruth.truth import GroundTruth, TruthEvidence

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "number": {"type": ["string", "null"], "description": "The invoice number."},
        "total": {"type": ["number", "null"], "description": "The sum to pay."},
        "issued": {"type": ["string", "null"], "format": "date", "description": "The day of issue."},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "sku": {"type": "string", "description": "The article."},
                    "amount": {"type": ["number", "null"], "description": "Its price."},
                },
            },
        },
    },
}
RULES = Rules.from_json({"identity": {"items": ["sku"]}, "fields": {}})
LINES = (
    ("Invoice INV-204417", "Issued 2025-03-31", "A-1  10.00", "B-2  20.00"),
    ("C-3  39.90", "Total 69.90"),
)
LIST_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "number": {"type": "string"},
        "rows": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"sku": {"type": "string"}, "amount": {"type": ["number", "null"]}},
            },
        },
    },
}
PANEL = "ABCDE"
USERS = {1: "ann@example.org", 2: "bob@example.org"}
Rows = Sequence[tuple[str, float | None]]


def read(
    number: str | None = "INV-204417",
    total: float | None = 69.9,
    issued: str | None = "2025-03-31",
    rows: Rows = (("A-1", 10.0), ("B-2", 20.0), ("C-3", 39.9)),
) -> dict[str, Any]:
    """What a system read in the invoice."""
    items = [{"sku": sku, "amount": amount} for sku, amount in rows]
    return {"number": number, "total": total, "issued": issued, "items": items}


SPLIT = (
    read(number="INV-2O4417", rows=(("A-1", 10.0), ("B-2", 20.0))),
    read(number="INV-204417", rows=(("A-1", 10.0), ("B-2", 20.0))),
    read(number="INV-20447", total=6990),
    read(number="INV-2O4417", total=6990),
)
"""The number and the total are split, and half of the systems have the third row."""


def make_dataset(folder: Path, answers: Mapping[str, Sequence[Any]], *, schema: Any = None) -> Dataset:
    """A dataset of invoices of two pages, voted on; ``answers`` holds what systems A, B, ... read in each."""
    key = repr((sorted(answers.items()), schema))
    if key not in _MADE:
        _MADE[key] = _made(Path(tempfile.mkdtemp(dir=folder)), answers, schema or SCHEMA)
    # A vote takes longer than a copy, and most tests begin with the same one.
    shutil.copytree(_MADE[key], folder / "invoices")
    return Dataset.open(folder / "invoices")


_MADE: dict[str, Path] = {}


def _made(folder: Path, answers: Mapping[str, Sequence[Any]], schema: Any) -> Path:
    made = Dataset.create(folder / "invoices")
    made.put_draft("invoice", schema, RULES)
    for name, readings in answers.items():
        made.add_document(invoice(folder / f"{name}.pdf", name), schema="invoice")
        vote_again(made, name, readings)
    return made.root


def add_synthetic(dataset: Dataset, name: str, *, rows: int = 12, schema: str = "list") -> Document:
    """Add a list of one page whose truth is known, as ``goldleaf synth make`` would."""
    value: dict[str, Any] = {
        "number": f"L-{sum(map(ord, name))}4417",
        "rows": [{"sku": f"K{at:02}-{at * 37 % 89:02}", "amount": 1000 + 13 * at} for at in range(rows)],
    }
    file = Path(tempfile.mkdtemp()) / f"{name}.pdf"
    places: dict[str, TruthEvidence] = {}
    with pymupdf.open() as document:
        page = document.new_page(width=400, height=600)

        def print_at(path: str, text: str, x: float, y: float) -> None:
            page.insert_text((x, y), text, fontsize=12)
            width = pymupdf.get_text_length(text, fontsize=12)
            places[path] = TruthEvidence(1, (x / 400, (y - 10) / 600, width / 400, 13 / 600), None, text)

        print_at("number", value["number"], 40, 40)
        for at, row in enumerate(value["rows"]):
            print_at(f"rows[{at}].sku", row["sku"], 40, 80 + 30 * at)
            print_at(f"rows[{at}].amount", str(row["amount"]), 200, 80 + 30 * at)
        document.save(file)
    if schema not in dataset.schema_names():
        dataset.put_draft(schema, LIST_SCHEMA, Rules.from_json({"identity": {"rows": ["sku"]}, "fields": {}}))
    added = dataset.add_document(file, id=name, schema=schema, kind=Kind.SYNTHETIC, type="list")
    dataset.put_truth(GroundTruth(name, schema, value, {path: (place,) for path, place in places.items()}))
    content = dataset.artefact_path(Artefact.RECIPES, name).with_name(name) / "content.json"
    content.parent.mkdir(parents=True)
    content.write_text("{}", encoding="utf-8")
    return added


def vote_again(dataset: Dataset, name: str, readings: Sequence[Any]) -> None:
    """Let systems A, B, ... read a document anew, and vote."""
    for ballot in ballots(readings, names=PANEL):
        dataset.put_ballot(name, ballot)
    assert not vote_on_dataset(dataset, [name]).failed


def invoice(path: Path, name: str) -> Path:
    """The file of an invoice."""
    document = pymupdf.open()
    for lines in LINES:
        page = document.new_page(width=400, height=300)
        for at, line in enumerate((*lines, name)):
            page.insert_text((40, 60 + 40 * at), line, fontsize=14)
    document.save(path)
    return path


Answer = Callable[[int, Card], Sequence[Mapping[str, Any]]]
"""What a person enters on a card, which stands at that place in its packet."""


class Desk:
    """A labelling server in a dictionary, and the people at it."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.tasks: dict[int, dict[str, Any]] = {}
        self.packets: dict[str, Packet] = {}
        self._ids = itertools.count(1)
        self._annotations = itertools.count(100)
        self._seconds = itertools.count()

    def push(self, choices: Choices | None = None, *, stop_after: int | None = None) -> Round:
        """Push; or be killed after so many packets were sent, all being kept."""
        found = prepare(self.dataset, choices or Choices(), self.copies(), quiet=True)
        state = load_state(self.dataset)
        state.retired.update(found.plan.retire)
        for task in found.plan.delete:
            del self.tasks[task]
        if found.packets:
            state.round, state.complete = found.number, False
        state.choices = choices or state.choices
        self.dataset.review.put_state(state.to_json())
        for packet in (*found.known, *found.packets):
            self.dataset.review.put_packet(packet.key, packet.to_json())
        due = [*found.plan.resend, *found.mixed]
        for packet in due[:stop_after]:
            self.send(packet)
        if stop_after is None:
            state.complete = True
            state.sent.update(packet.key for packet in due)
            self.dataset.review.put_state(state.to_json())
        return found

    def send(self, packet: Packet) -> int:
        """One more task of a packet; the server takes the same twice."""
        number = next(self._ids)
        self.packets[packet.key] = packet
        self.tasks[number] = task_of(packet, id=number)
        return number

    def copies(self) -> dict[str, Copies]:
        """What the server has, as a push sees it."""
        found: dict[str, Copies] = {}
        for number, task in self.tasks.items():
            key = task["data"].get("packet_key")
            if key is None:
                continue
            before = found.get(key, Copies())
            if task["annotations"] or task["drafts"]:
                found[key] = before._replace(touched=(*before.touched, number))
            else:
                found[key] = before._replace(untouched=(*before.untouched, number))
        return found

    def answer(self, said: Answer, *, by: int = 1, only: Callable[[Packet], bool] = lambda _: True) -> int:
        """Let a person answer the tasks that nobody answered, or all that ``only`` picks; return how many."""
        answered = 0
        for task in self.tasks.values():
            packet = self.packets[task["data"]["packet_key"]]
            if only(packet) and not any(each["completed_by"] == by for each in task["annotations"]):
                result = sent_boxes(packet) if packet.pages else []
                for at, card in enumerate(packet.cards):
                    result += [dict(each) for each in said(at, card)]
                task["annotations"].append(
                    annotation(result, identifier=next(self._annotations), by=by, at=self._now())
                )
                answered += 1
        return answered

    def pull(self) -> PullSummary:
        """Bring home what was answered."""
        return take_in(self.dataset, list(self.tasks.values()), USERS)

    def _now(self) -> str:
        minutes, seconds = divmod(next(self._seconds), 60)
        return f"2026-03-01T10:{minutes:02}:{seconds:02}.000000Z"


def saying(answers: Mapping[str, Any]) -> Answer:
    """A person who gives these answers by path: an alias, or ``("edit", text)``; else the first that is offered."""

    def said(at: int, card: Card) -> list[dict[str, Any]]:
        answer = answers.get(format_path(card.path), card.answers[0])
        if isinstance(answer, tuple):
            return [chosen(at, answer[0]), typed(at, answer[1])]
        return [chosen(at, answer)]

    return said


def asked(found: Round) -> list[str]:
    """What the new packets of a round ask, by document and path, in order."""
    return [f"{card.document} {format_path(card.path)}" for packet in found.packets for card in packet.cards]
