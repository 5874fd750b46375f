"""What a dataset knows of its review between two calls: what was sent, and how each card stood at the last pull.

Kept in ``review/project.json`` and ``review/state.json``. Both can be lost without loss of answers: those are in the
decisions, in the raw pulls and on the server, and packets are told by the key that each task carries.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Final

from annotation.choose import Review
from annotation.packet import Packet
from annotation.reading import Return, ReturnKind, State, TaskReading
from groundtruth.errors import JsonError, ReviewError
from groundtruth.jsontext import Json
from groundtruth.store import Dataset

MOST_KNOWN: Final = Decimal("0.5")
"""A review of which more is known than asked measures people and makes no truth."""

_WHOLE: Final = Decimal(100)


@dataclass(frozen=True, slots=True)
class Project:
    """The labelling project of a dataset.

    Attributes:
        marker: what tells the project from all others, also where its id was given again; written into its
            description, and kept here before the project is made.
        url: the server's address.
        id: the server's id of the project; None until it is made.
    """

    marker: str
    url: str
    id: int | None = None

    @classmethod
    def new(cls, url: str) -> Project:
        """A project that is not made yet."""
        return cls(f"goldleaf-{uuid.uuid4().hex[:16]}", url)

    @classmethod
    def from_json(cls, data: Json) -> Project:
        """Read the content of ``project.json``.

        Raises:
            KeyError, TypeError: it is not that.
        """
        marker, url, number = data["marker"], data["url"], data["id"]
        # Without its mark any project would do.
        if not (isinstance(marker, str) and marker and isinstance(url, str)):
            raise TypeError("marker and url must be text")
        if number is not None and type(number) is not int:
            raise TypeError("id must be a whole number or null")
        return cls(marker, url, number)


@dataclass(frozen=True, slots=True)
class Choices:
    """How the review is done, as a push was last told.

    Attributes:
        review: how much is asked, one of ``annotation.choose.Review``.
        budget: how many leaves wait for people at most; None for no limit.
        double: whether two people answer every packet.
        show_votes: whether people see who read what.
        known: how many packets there are whose answers are known, as a share of the others.
        known_from: the folder of the dataset that they come from; None for the one that is reviewed.
        known_seed: another one draws others.
    """

    review: str = "contested"
    budget: int | None = None
    double: bool = False
    show_votes: bool = False
    known: Decimal = Decimal(0)
    known_from: str | None = None
    known_seed: int = 0

    @classmethod
    def from_json(cls, data: Json) -> Choices:
        """Read what ``asdict`` gave.

        Raises:
            TypeError, ValueError: it is not that.
        """
        found = cls(**data)
        if found.budget is not None and type(found.budget) is not int:
            raise TypeError("budget must be a whole number or null")
        if not (type(found.double) is type(found.show_votes) is bool):
            raise TypeError("double and show_votes must be true or false")
        if not (isinstance(data.get("known", 0), (int, Decimal)) and type(found.known_seed) is int):
            raise TypeError("known and known_seed must be numbers")
        return replace(found, review=Review(found.review).value, known=Decimal(found.known))


@dataclass(slots=True)
class ReviewState:
    """How the review stood.

    Attributes:
        choices: how the review is done.
        round: the round of the newest packets; 0 before the first.
        complete: whether all packets of that round were sent; a push that was stopped leaves False.
        pulled_at: when answers were last pulled, in ISO 8601 and UTC; None before that.
        sent: keys of the packets that were on the server when last seen.
        retired: keys of the packets that were taken back before anybody answered them.
        seen: a digest of each task as it was last kept, by packet key and task id.
        cards: how each card stood, by packet key and card key.
        returns: the cards that were answered without a decision, by packet key.
        notes: what the last pull left out, and why.
    """

    choices: Choices = Choices()
    round: int = 0
    complete: bool = True
    pulled_at: str | None = None
    sent: set[str] = field(default_factory=set)
    retired: set[str] = field(default_factory=set)
    seen: dict[str, str] = field(default_factory=dict)
    cards: dict[str, dict[str, State]] = field(default_factory=dict)
    returns: dict[str, tuple[Return, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def take(self, readings: Iterable[TaskReading], states: Mapping[str, Mapping[str, State]]) -> None:
        """Remember what a pull found; what it did not find stays as it was."""
        self.cards.update({key: dict(cards) for key, cards in states.items()})
        self.returns = {key: found for key, found in self.returns.items() if key not in states}
        for reading in readings:
            if reading.returns:
                self.returns[reading.packet.key] = (*self.returns.get(reading.packet.key, ()), *reading.returns)

    def to_json(self) -> dict[str, Json]:
        """The content of ``state.json``."""
        return {
            "choices": asdict(self.choices),
            "round": self.round,
            "complete": self.complete,
            "pulled_at": self.pulled_at,
            "sent": sorted(self.sent),
            "retired": sorted(self.retired),
            "seen": dict(sorted(self.seen.items())),
            "cards": {key: dict(sorted(cards.items())) for key, cards in sorted(self.cards.items())},
            "returns": {
                key: [
                    {"card": each.card_key, "kind": each.kind, "text": each.text, "reason": each.reason}
                    for each in found
                ]
                for key, found in sorted(self.returns.items())
            },
            "notes": list(self.notes),
        }

    @classmethod
    def from_json(cls, data: Json) -> ReviewState:
        """Read back what ``to_json`` wrote.

        Raises:
            KeyError, TypeError, ValueError: it is not that.
        """
        return cls(
            choices=Choices.from_json(data["choices"]),
            round=data["round"],
            complete=data["complete"],
            pulled_at=data["pulled_at"],
            sent=set(data["sent"]),
            retired=set(data["retired"]),
            seen=dict(data["seen"]),
            cards={key: {card: State(state) for card, state in cards.items()} for key, cards in data["cards"].items()},
            returns={
                key: tuple(
                    Return(each["card"], ReturnKind(each["kind"]), each["text"], each["reason"]) for each in found
                )
                for key, found in data["returns"].items()
            },
            notes=tuple(data["notes"]),
        )


def load_state(dataset: Dataset) -> ReviewState:
    """The state as it was kept; a new one before the first push.

    Raises:
        ReviewError: the file is damaged.
    """
    try:
        data = dataset.review.state()
        return ReviewState() if data is None else ReviewState.from_json(data)
    except (JsonError, KeyError, TypeError, ValueError, AttributeError) as error:
        file = dataset.root / "review" / "state.json"
        raise ReviewError(
            f"{file}: not the state of a review ({error}); remove it and run `goldleaf review sync {dataset.root}`: "
            "no answer is in it, only how the review is done, so say --review, --budget, --double, --show-votes and "
            "--known again"
        ) from error


def choices_of(
    dataset: Dataset,
    *,
    review: str | None = None,
    budget: int | None = None,
    double: bool | None = None,
    show_votes: bool | None = None,
    known: str | None = None,
    known_from: Path | None = None,
    known_seed: int | None = None,
) -> Choices:
    """How the review is done: as it was last told, with what is told now; a budget of 0 lifts the limit.

    Raises:
        ReviewError: ``review`` is none of ``annotation.choose.Review``, the budget is negative, or ``known`` no rate.
        DatasetError: ``known_from`` is no dataset.
    """
    if review is not None and review not in list(Review):
        raise ReviewError(f"review {review!r}: choose {', '.join(Review)}")
    if budget is not None and budget < 0:
        raise ReviewError(f"budget {budget}: is a number of leaves, 0 for no limit")
    choices = load_state(dataset).choices
    return Choices(
        review=choices.review if review is None else review,
        budget=choices.budget if budget is None else budget or None,
        double=choices.double if double is None else double,
        show_votes=choices.show_votes if show_votes is None else show_votes,
        known=choices.known if known is None else rate_of(known),
        known_from=choices.known_from if known_from is None else _origin(dataset, known_from),
        known_seed=choices.known_seed if known_seed is None else known_seed,
    )


def rate_of(text: str) -> Decimal:
    """The share of packets that ``2%`` or ``0.02`` names.

    Raises:
        ReviewError: it is none, or above ``MOST_KNOWN``.
    """
    number = text.strip()
    try:
        rate = Decimal(number[:-1]) / _WHOLE if number.endswith("%") else Decimal(number)
    except InvalidOperation:
        raise ReviewError(f"known {text!r}: is a share of the packets, such as 2% or 0.02; 0 ends it") from None
    if not rate.is_finite() or not 0 <= rate <= MOST_KNOWN:
        is_percent = rate.is_finite() and not number.endswith("%") and 1 <= rate <= _WHOLE * MOST_KNOWN
        hint = f"; write {number}% for {number} of a hundred" if is_percent else ""
        raise ReviewError(f"known {text!r}: is a share of the packets from 0 to {MOST_KNOWN * _WHOLE:.0f}%{hint}")
    return rate


def _origin(dataset: Dataset, folder: Path) -> str | None:
    """The folder as it is kept: absolute, so that it is found from anywhere; None for the dataset itself."""
    found = Dataset.open(folder).root.resolve()
    return None if found == dataset.root.resolve() else str(found)


def load_project(dataset: Dataset) -> Project | None:
    """Where the review was sent; None before the first push.

    Raises:
        ReviewError: the file is damaged.
    """
    try:
        data = dataset.review.project()
        return None if data is None else Project.from_json(data)
    except (JsonError, KeyError, TypeError) as error:
        file = dataset.root / "review" / "project.json"
        raise ReviewError(
            f"{file}: not the project of a review ({error}); put back the file of your backup: its marker is what "
            "tells the project on the server"
        ) from error


def keep_project(dataset: Dataset, project: Project) -> None:
    """Write down where the review is sent."""
    dataset.review.put_project({"marker": project.marker, "url": project.url, "id": project.id})


def kept_packets(dataset: Dataset) -> dict[str, Packet]:
    """Every packet that was ever made, by key.

    Raises:
        ReviewError: a file is not what the dataset wrote.
    """
    return {key: _kept_packet(dataset, key) for key in dataset.review.packet_keys()}


def _kept_packet(dataset: Dataset, key: str) -> Packet:
    try:
        return Packet.from_json(
            dataset.review.packet(key), source=str(dataset.root / "review" / "packets" / f"{key}.json")
        )
    except JsonError as error:
        raise ReviewError(
            f"{error}; put back the file of your backup: without it the answers to this packet cannot be read. If "
            "there is none, remove the file, and the task of this packet from the project; what it asks is asked again"
        ) from error
