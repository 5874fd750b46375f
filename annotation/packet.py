"""What a person is given at once: a packet of up to eight cards on one page.

A packet is the record of what was asked. It is kept in the dataset before it is sent, so that an answer is decoded
with what was shown, whatever became of the votes, the schema or the server's copy since.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from annotation.known import Known
from groundtruth import jsontext
from groundtruth.decision import RowLink
from groundtruth.errors import JsonError, PathError
from groundtruth.evidence import Evidence
from groundtruth.jsontext import Json
from groundtruth.path import Path, format_path, parse_path
from groundtruth.queue import Question

MOST_CARDS: Final = 8
"""More cards on a page open slowly, and there are no keys left for their answers."""
MOST_KEYS: Final = 33
"""So many keys the server hands out; the answers of a packet's cards together take no more."""

NULL: Final = "null"
"""The answer "absent from the document"."""
EDIT: Final = "edit"
ESCALATE: Final = "escalate"
ELSEWHERE: Final = "elsewhere"
"""The answer "not on this page", which is no decision: the question moves on to the next page."""
PRESENT: Final = "present"
ABSENT: Final = "absent"
ALL_AS_PROPOSED: Final = "all"
"""Of a bulk question: every leaf is as its own ``value`` says."""
ONE_BY_ONE: Final = "each"
"""Of a bulk question: ask leaf by leaf."""


@dataclass(frozen=True, slots=True)
class Option:
    """One candidate.

    Attributes:
        alias: ``c0``, ``c1``, ...: what the server stores, so that the value never passes through text.
        value: the value that is stored when it is chosen, in the schema's JSON type.
        forms: the distinct raw readings, as shown.
        systems: who read it so; shown only on request.
    """

    alias: str
    value: Json
    forms: tuple[Json, ...] = ()
    systems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One leaf of a bulk question, with what the answer "all as proposed" makes of it.

    Attributes:
        key: its leaf key.
        document, path, field, fingerprint, rows: as of a ``Card``.
        value: the proposed value.
        evidence: where it stands.
        votes: ``votes_hash`` of its votes.
    """

    key: str
    document: str
    path: Path
    field: Path
    fingerprint: str
    rows: tuple[RowLink, ...] = ()
    value: Json = None
    evidence: tuple[Evidence, ...] = ()
    votes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One question in a packet.

    Attributes:
        key: the leaf key, or the row key of a row question; of a bulk question, a digest of its members' keys.
        question: what is asked.
        document: the document's id.
        path: instance path of the leaf or row when it was asked; of a bulk question, of its first member.
        field: schema path of the leaf; of a row, of its array followed by EACH.
        fingerprint: of the leaf; of a row, ``row_fingerprint``.
        rows: the rows around the leaf, outermost first; of a row question, the row itself comes last.
        title: how the field is called, for people.
        description: the schema's description.
        type_name: the JSON type and format expected, for people: ``number``, ``date``, ``text``.
        options: the candidates, in an order that says nothing about their support; none of a row question.
        preselected: the alias that is chosen when the card opens; None leaves it to the person.
        evidence: the boxes shown: of the proposal, or where a candidate may stand.
        certain: whether these places are certain; a box of a place that is not is drawn as a guess.
        reasons: why it is asked, as codes.
        context: what stands beside it for orientation: cells of the same row, by name.
        members: the leaves of a bulk question.
        settles_cells: of a row question, the cells that follow from the answer "present", by instance path.
        follow_up: of a row question, the cells that are asked once the row is confirmed, by instance path.
        notice: why it is asked again (an edit that cannot be read, a changed schema, two answers), for people.
        settles: ids of the decisions that an answer supersedes.
        later_pages: where it is asked next if the answer is ELSEWHERE; none left means the whole document.
        votes: ``votes_hash`` of the votes that are shown.
        prefill: the text that "other value" starts with: a reading that is no value of the field, or what was typed.
        withheld: answers that this card does not offer, such as ELSEWHERE where the whole document is shown.
    """

    key: str
    question: Question
    document: str
    path: Path
    field: Path
    fingerprint: str
    rows: tuple[RowLink, ...] = ()
    title: str = ""
    description: str = ""
    type_name: str = ""
    options: tuple[Option, ...] = ()
    preselected: str | None = None
    evidence: tuple[Evidence, ...] = ()
    certain: bool = True
    reasons: tuple[str, ...] = ()
    context: tuple[tuple[str, str], ...] = ()
    members: tuple[Member, ...] = ()
    settles_cells: tuple[Path, ...] = ()
    follow_up: tuple[Path, ...] = ()
    notice: str = ""
    settles: tuple[str, ...] = ()
    later_pages: tuple[int, ...] = ()
    votes: str = ""
    prefill: str = ""
    withheld: tuple[str, ...] = ()

    def option(self, alias: str) -> Option | None:
        """The candidate of an alias, or None."""
        return next((option for option in self.options if option.alias == alias), None)

    @property
    def decides(self) -> tuple[str, ...]:
        """The keys of the leaves or of the row that its answer decides."""
        return tuple(member.key for member in self.members) or (self.key,)

    @property
    def answers(self) -> tuple[str, ...]:
        """The aliases of the answers that the card offers, in the order in which they are shown.

        A bulk question has options only when all its members share them.
        """
        aliases = tuple(option.alias for option in self.options)
        if self.question is Question.ROW:
            all_answers: tuple[str, ...] = (PRESENT, ABSENT, ELSEWHERE, ESCALATE)
        elif self.question is Question.BULK:
            all_answers = (ALL_AS_PROPOSED, *aliases, *((NULL,) if aliases else ()), ONE_BY_ONE)
        else:
            all_answers = (*aliases, NULL, EDIT, ELSEWHERE, ESCALATE)
        return tuple(answer for answer in all_answers if answer not in self.withheld)


@dataclass(frozen=True, slots=True, kw_only=True)
class Packet:
    """Cards that a person answers with one submit.

    Attributes:
        key: ``packet_key`` of its content; what tells packets apart, since servers give ids again.
        document: the document's id; of a bulk packet over several, that of the first member.
        document_type: what sort of document it is, or "".
        schema: the dataset's name of the schema.
        schema_version: the version it is asked under.
        round: from 1.
        pages: the pages shown, from 1: one, or all of the document when a question goes through the whole.
        cards: at most ``MOST_CARDS``.
        rereview: whether its cards were decided on before.
        known: the true answers, where they are known, to measure the reviewer; such a packet decides nothing.
    """

    key: str
    document: str
    document_type: str = ""
    schema: str
    schema_version: str
    round: int = 1
    pages: tuple[int, ...] = ()
    cards: tuple[Card, ...]
    rereview: bool = False
    known: Known | None = None

    def to_json(self) -> dict[str, Json]:
        """The packet as the dataset keeps it."""
        return {
            "key": self.key,
            "document": self.document,
            "document_type": self.document_type,
            "schema": self.schema,
            "schema_version": self.schema_version,
            "round": self.round,
            "pages": list(self.pages),
            "cards": [_card_json(card) for card in self.cards],
            "rereview": self.rereview,
            "known": None if self.known is None else self.known.to_json(),
        }

    @classmethod
    def from_json(cls, data: Json, *, source: str = "packet") -> Packet:
        """Read back what ``to_json`` wrote.

        Raises:
            JsonError: it is no packet; the message starts with ``source``.
        """
        try:
            return cls(
                key=data["key"],
                document=data["document"],
                document_type=data["document_type"],
                schema=data["schema"],
                schema_version=data["schema_version"],
                round=data["round"],
                pages=tuple(data["pages"]),
                cards=tuple(map(_card, data["cards"])),
                rereview=data["rereview"],
                known=Known.from_json(data["known"]) if data["known"] else None,
            )
        except (KeyError, TypeError, ValueError, AttributeError, PathError, JsonError) as error:
            raise JsonError(f"{source}: not a packet: {error}") from error


def packet_key(cards: Sequence[Card], round_number: int, pages: Sequence[int]) -> str:
    """A digest of what is asked, on which pages, and in which round."""
    form = [[_card_json(card) for card in cards], round_number, list(pages)]
    return hashlib.sha256(jsontext.dumps(form).encode()).hexdigest()[:24]


def _card_json(card: Card) -> dict[str, Json]:
    return {
        "key": card.key,
        "question": card.question,
        "document": card.document,
        "path": format_path(card.path),
        "field": format_path(card.field),
        "fingerprint": card.fingerprint,
        "rows": [row.to_json() for row in card.rows],
        "title": card.title,
        "description": card.description,
        "type_name": card.type_name,
        "options": [
            {
                "alias": option.alias,
                "value": option.value,
                "forms": list(option.forms),
                "systems": list(option.systems),
            }
            for option in card.options
        ],
        "preselected": card.preselected,
        "evidence": [place.to_json() for place in card.evidence],
        "certain": card.certain,
        "reasons": list(card.reasons),
        "context": [list(pair) for pair in card.context],
        "members": [_member_json(member) for member in card.members],
        "settles_cells": [format_path(path) for path in card.settles_cells],
        "follow_up": [format_path(path) for path in card.follow_up],
        "notice": card.notice,
        "settles": list(card.settles),
        "later_pages": list(card.later_pages),
        "votes": card.votes,
        "prefill": card.prefill,
        "withheld": list(card.withheld),
    }


def _card(data: Mapping[str, Json]) -> Card:
    return Card(
        key=data["key"],
        question=Question(data["question"]),
        document=data["document"],
        path=parse_path(data["path"]),
        field=parse_path(data["field"]),
        fingerprint=data["fingerprint"],
        rows=tuple(map(RowLink.from_json, data["rows"])),
        title=data["title"],
        description=data["description"],
        type_name=data["type_name"],
        options=tuple(
            Option(option["alias"], option["value"], tuple(option["forms"]), tuple(option["systems"]))
            for option in data["options"]
        ),
        preselected=data["preselected"],
        evidence=tuple(map(Evidence.from_json, data["evidence"])),
        certain=data["certain"],
        reasons=tuple(data["reasons"]),
        context=tuple((name, value) for name, value in data["context"]),
        members=tuple(map(_member, data["members"])),
        settles_cells=tuple(map(parse_path, data["settles_cells"])),
        follow_up=tuple(map(parse_path, data["follow_up"])),
        notice=data["notice"],
        settles=tuple(data["settles"]),
        later_pages=tuple(data["later_pages"]),
        votes=data["votes"],
        prefill=data["prefill"],
        withheld=tuple(data["withheld"]),
    )


def _member_json(member: Member) -> dict[str, Json]:
    return {
        "key": member.key,
        "document": member.document,
        "path": format_path(member.path),
        "field": format_path(member.field),
        "fingerprint": member.fingerprint,
        "rows": [row.to_json() for row in member.rows],
        "value": member.value,
        "evidence": [place.to_json() for place in member.evidence],
        "votes": member.votes,
    }


def _member(data: Mapping[str, Json]) -> Member:
    return Member(
        key=data["key"],
        document=data["document"],
        path=parse_path(data["path"]),
        field=parse_path(data["field"]),
        fingerprint=data["fingerprint"],
        rows=tuple(map(RowLink.from_json, data["rows"])),
        value=data["value"],
        evidence=tuple(map(Evidence.from_json, data["evidence"])),
        votes=data["votes"],
    )
