"""Makers of what people decided on documents of ``packet_builders``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from annotation.asked import Asked, Sheet
from annotation.cards import leaf_card, row_card
from annotation.packet import Card
from annotation.situation import Situation, situation_of
from builders import exact
from consensus.questions import questions
from groundtruth.decision import Decision, DecisionLog, Verdict, decision_id
from groundtruth.evidence import Evidence
from groundtruth.path import parse_path
from groundtruth.queue import Place, Question, QueueItem

ANN: Final = "ann@example.org"
BOB: Final = "bob@example.org"
EVE: Final = "eve@example.org"


def decide(
    asked: Asked,
    path: str,
    value: Any = None,
    *,
    verdict: Verdict | None = None,
    by: str = ANN,
    round_number: int = 1,
    evidence: Sequence[Evidence] = (),
    **changes: Any,
) -> Decision:
    """What a person says of a leaf, or of a row: a value is an edit, None is absence; rows need a verdict."""
    card = _card(asked, path)
    said = verdict or (Verdict.NULL if value is None else Verdict.EDIT)
    parts: dict[str, Any] = {
        "id": decision_id(card.key, None, f"{by} {round_number}", salt=str(changes.get("settles", ""))),
        "key": card.key,
        "document": asked.document,
        "path": card.path,
        "field": card.field,
        "fingerprint": card.fingerprint,
        "schema": asked.schema.name,
        "schema_version": asked.schema.version,
        "rows": card.rows,
        "verdict": said,
        "value": exact(value),
        "evidence": tuple(evidence),
        "reviewer": by,
        "decided_at": "2026-03-01T10:00:00Z",
        "packet": "p",
        "round": round_number,
        "votes": card.votes,
    }
    return Decision(**{**parts, **changes})


def stands(asked: Asked, *decisions: Decision) -> Situation:
    """How a document stands after these decisions."""
    return situation_of(
        asked.document,
        asked.consensus,
        asked.schema,
        DecisionLog(decisions),
        questions(asked.document, asked.consensus),
    )


def _card(asked: Asked, path: str) -> Card:
    sheet, at = Sheet(asked), parse_path(path)
    if at not in sheet.rows:
        return leaf_card(sheet, at).card
    row = sheet.rows[at]
    item = QueueItem(Question.ROW, (Place(asked.document, at),), at[:-1], row.disposition, row.tier, 0, row.reasons)
    return row_card(sheet, item).card
