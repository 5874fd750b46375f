"""What a run shows in the Prefect interface: tiers per document as a table, the head of the queue as Markdown.

Both are read from the dataset's files, which stay the truth; an embedded run has no interface, only the history.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from flows.status import tiers_json
from flows.vote_step import load_queue, load_votes
from groundtruth.consensus import Disposition, Tier
from groundtruth.jsontext import Json
from groundtruth.path import format_path
from groundtruth.queue import QueueItem
from groundtruth.store import Dataset
from groundtruth.wording import counted

MOST_TABLE_ROWS: Final = 300
"""The interface's table is usable up to a few hundred rows."""
MOST_QUESTIONS: Final = 100
_KEY: Final = re.compile(r"[^a-z0-9]+")


def publish(dataset: Dataset) -> list[UUID]:
    """Publish both artifacts under keys that stay the same from run to run; return their ids."""
    from prefect.artifacts import create_markdown_artifact, create_table_artifact

    name = key_of(dataset)
    items = load_queue(dataset)
    tiers = create_table_artifact(
        key=f"tiers-{name}", table=tiers_table(dataset), description=f"Tiers per document of {dataset.name}"
    )
    queue = create_markdown_artifact(
        key=f"queue-{name}", markdown=queue_markdown(dataset.name, items), description="What waits for a person"
    )
    return [found for found in (tiers, queue) if isinstance(found, UUID)]


def key_of(dataset: Dataset) -> str:
    """The dataset's name in lowercase letters, digits and dashes, with a digest of its folder to tell namesakes."""
    plain = _KEY.sub("-", dataset.name.lower()).strip("-") or "dataset"
    return f"{plain}-{hashlib.sha256(str(dataset.root).encode()).hexdigest()[:8]}"


def tiers_table(dataset: Dataset) -> list[dict[str, Json]]:
    """A row per document, the first ``MOST_TABLE_ROWS``; a row at the end says how many are left out."""
    records = tiers_json(load_votes(dataset))
    rows = [
        {
            "document": record["document"],
            "systems": record["systems"],
            "leaves": record["leaves"],
            **{str(tier): record["tiers"].get(tier, 0) for tier in Tier},
            **{str(kind): record["dispositions"].get(kind, 0) for kind in Disposition if kind != Disposition.INHERIT},
            "located": record["located"],
        }
        for record in records[:MOST_TABLE_ROWS]
    ]
    if len(records) > MOST_TABLE_ROWS:
        rows.append({"document": f"and {len(records) - MOST_TABLE_ROWS} more"})
    return rows


def queue_markdown(name: str, items: Sequence[QueueItem]) -> str:
    """The head of the queue as a Markdown table."""
    lines = [
        f"# Review queue of {_escaped(name)}",
        "",
        f"{counted(len(items), 'question')} about {counted(sum(item.leaves for item in items), 'leaf', 'leaves')}.",
        "",
        "| # | ask | document | leaf | tier | reasons | page |",
        "|---|---|---|---|---|---|---|",
    ]
    for number, item in enumerate(items[:MOST_QUESTIONS], start=1):
        place = item.places[0]
        more = f" and {len(item.places) - 1} more" if len(item.places) > 1 else ""
        cells = (
            str(number),
            str(item.question),
            place.document,
            format_path(place.path) + more,
            str(item.tier),
            ", ".join(map(str, item.reasons)),
            "" if item.page is None else str(item.page),
        )
        lines.append("| " + " | ".join(map(_escaped, cells)) + " |")
    if len(items) > MOST_QUESTIONS:
        lines += ["", f"and {counted(len(items) - MOST_QUESTIONS, 'more question')}"]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    """Text as Markdown shows it, whatever a document's name or a key holds."""
    plain = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]()#+!|~])", r"\\\1", plain)
