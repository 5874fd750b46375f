"""Makers of packets, and of the tasks that a labelling server answers them with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from annotation.coordinates import to_percent
from annotation.packet import Card, Member, Option, Packet, packet_key
from annotation.places import region_ids
from builders import schema_of
from groundtruth.box import Box
from groundtruth.decision import RowLink, leaf_key, row_fingerprint, row_key
from groundtruth.evidence import Evidence
from groundtruth.path import parse_path, schema_path
from groundtruth.queue import Question
from groundtruth.schema import FrozenSchema

SCHEMA: Final = schema_of(
    {
        "number": {"type": ["string", "null"]},
        "total": {"type": ["number", "null"]},
        "issued": {"type": ["string", "null"], "format": "date"},
        "paid": {"type": ["boolean", "null"]},
        "kind": {"enum": ["invoice", "receipt", None]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "count": {"type": ["integer", "null"]},
        "items": {
            "type": "array",
            "items": {"type": "object", "properties": {"sku": {"type": "string"}, "amount": {"type": "number"}}},
        },
    },
    identity={"items": ["sku"]},
)
USERS: Final = {1: "ann@example.org", 2: "bob@example.org"}
HERE: Final = Evidence(page=1, boxes=(Box(0.1234567, 0.2, 0.3, 0.25),), quote="INV-2", systems=("ocr",), words=(4,))


def card_of(
    path: str = "number",
    values: Sequence[Any] = ("INV-2", "INV-Z"),
    *,
    evidence: Sequence[Evidence] = (HERE,),
    schema: FrozenSchema = SCHEMA,
    **changes: Any,
) -> Card:
    """A question on one leaf, with a candidate for each value."""
    at = parse_path(path)
    leaf = schema.leaves[schema_path(at)]
    parts: dict[str, Any] = {
        "key": leaf_key("doc", [], leaf.path, leaf.fingerprint),
        "question": Question.LEAF,
        "document": "doc",
        "path": at,
        "field": leaf.path,
        "fingerprint": leaf.fingerprint,
        "title": path,
        "options": tuple(Option(f"c{place}", value) for place, value in enumerate(values)),
        "evidence": tuple(evidence),
        "votes": "v",
    }
    return Card(**{**parts, **changes})


def row_card(schema: FrozenSchema = SCHEMA) -> Card:
    """The question whether the first row of ``items`` is there."""
    table = schema.tables[("items",)]
    fingerprint = row_fingerprint(table)
    return Card(
        key=row_key("doc", ["r1"], table.path, fingerprint),
        question=Question.ROW,
        document="doc",
        path=("items", 0),
        field=table.row.path,
        fingerprint=fingerprint,
        rows=(RowLink(table.path, "r1", {"sku": "A"}),),
        evidence=(HERE,),
    )


def bulk_card(values: Sequence[Any] = (Decimal("1.50"), None), **changes: Any) -> Card:
    """One question about the amounts of several rows."""
    leaf = SCHEMA.leaves[schema_path(("items", 0, "amount"))]
    members = tuple(
        Member(
            key=leaf_key("doc", [f"r{at}"], leaf.path, leaf.fingerprint),
            document="doc",
            path=("items", at, "amount"),
            field=leaf.path,
            fingerprint=leaf.fingerprint,
            value=value,
            evidence=(HERE,),
        )
        for at, value in enumerate(values)
    )
    first = members[0]
    parts: dict[str, Any] = {
        "key": "bulk",
        "question": Question.BULK,
        "document": "doc",
        "path": first.path,
        "field": first.field,
        "fingerprint": first.fingerprint,
        "members": members,
    }
    return Card(**{**parts, **changes})


def packet_of(*cards: Card, pages: Sequence[int] = (1,), round_number: int = 1, **changes: Any) -> Packet:
    """A packet of these cards."""
    parts: dict[str, Any] = {
        "key": packet_key(cards, round_number, pages),
        "document": "doc",
        "schema": "test",
        "schema_version": "1",
        "round": round_number,
        "pages": tuple(pages),
        "cards": cards,
    }
    return Packet(**{**parts, **changes})


def chosen(at: int, *aliases: str, control: str = "decision", origin: str = "manual") -> dict[str, Any]:
    """A choice on a card, as the server stores it."""
    return {
        "id": f"choice-{control}-{at}",
        "from_name": f"{control}_{at}",
        "to_name": f"info_{at}",
        "type": "choices",
        "origin": origin,
        "value": {"choices": list(aliases)},
    }


def typed(at: int, *texts: str) -> dict[str, Any]:
    """Text typed on a card."""
    return {
        "id": f"text-{at}",
        "from_name": f"value_{at}",
        "to_name": f"info_{at}",
        "type": "textarea",
        "origin": "manual",
        "value": {"text": list(texts)},
    }


def box(at: int, place: Box | Mapping[str, Any], identifier: str = "r4nd0m", item: int | None = None) -> dict[str, Any]:
    """A box with the number of a card."""
    if isinstance(place, Box):
        x, y, width, height = to_percent(place)
        place = {"x": x, "y": y, "width": width, "height": height}
    region: dict[str, Any] = {
        "id": identifier,
        "from_name": "box",
        "to_name": "page",
        "type": "rectanglelabels",
        "origin": "manual",
        "original_width": 1240,
        "original_height": 1754,
        "image_rotation": 0,
        "value": {"rotation": 0, "rectanglelabels": [str(at + 1)], **place},
    }
    return region if item is None else {**region, "item_index": item}


def sent_boxes(packet: Packet) -> list[dict[str, Any]]:
    """The boxes of a packet as they come back when nobody touches them."""
    return [
        box(number, card.evidence[place].boxes[line], key, packet.pages.index(card.evidence[place].page))
        for number, card in enumerate(packet.cards)
        for key, place, line in region_ids(card)
        if card.evidence[place].page in packet.pages
    ]


def annotation(
    result: Sequence[Mapping[str, Any]],
    *,
    identifier: int = 71,
    by: int = 1,
    at: str = "2026-03-01T10:00:00.250000Z",
    **changes: Any,
) -> dict[str, Any]:
    """One person's submitted answer."""
    parts = {
        "id": identifier,
        "completed_by": by,
        "was_cancelled": False,
        "created_at": at,
        "updated_at": at,
        "lead_time": 8.0,
        "result": list(result),
    }
    return {**parts, **changes}


def task_of(packet: Packet, *annotations: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """The server's task of a packet."""
    return {
        "id": 34,
        "data": {"packet_key": packet.key},
        "annotations": list(annotations),
        "drafts": [],
        "predictions": [],
        **changes,
    }
