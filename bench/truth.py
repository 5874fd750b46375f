"""How right a vote is on real documents: tiers, dispositions, boxes, and what a person's time buys.

The documents are those of a public benchmark with what six systems returned and hand-made labels; they are read from
the shared folder and are no part of this repository. Labels are used to judge only: nothing is tuned to them.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from bench.answering import at_share, curve, share_for
from bench.labels import Labelled, is_right
from consensus.order import Voted, review_queue
from consensus.vote import vote
from flows.add_documents import choose_schema
from flows.import_votes import import_votes
from flows.vote_step import load_votes, vote_on_dataset
from groundtruth import jsontext
from groundtruth.ballot_files import read_ballot_text
from groundtruth.box import Box, hull
from groundtruth.consensus import Disposition, LeafConsensus, Tier
from groundtruth.path import format_path
from groundtruth.rules import Rules
from groundtruth.schema_compile import compile_schema
from groundtruth.store import Dataset

_LOOKED_AT: Final = Path(__file__).with_name("looked_at.jsonl")
_SAME_BOX: Final = 0.9

PANEL: Final = ("claude", "docupipe_high", "extend", "gemini", "gpt")
SYSTEMS: Final = (*PANEL, "docupipe_standard")
FAMILIES: Final = {"docupipe_high": "docupipe", "docupipe_standard": "docupipe"}
EXTRA_ROWS: Final = "qoSTXgNE"
"""All systems return eight subtotal rows of this document that its label leaves out."""


def main() -> None:
    """Print the figures, or why there are none."""
    shared = Path(os.environ.get("GOLDLEAF_SHARED") or Path(__file__).resolve().parents[2] / "shared")
    root = shared / "real" / "docubench"
    if not root.is_dir():
        print(f"skipped: no documents at {root}; set GOLDLEAF_SHARED to the folder that holds them")
        return
    with tempfile.TemporaryDirectory() as folder:
        votes = vote_through_a_dataset(root, Path(folder) / "docubench")
    labelled = [label(root, one) for one in votes]
    print(f"{len(labelled)} documents, panel {', '.join(PANEL)}")
    for name, documents in (
        ("all documents", labelled),
        (f"without {EXTRA_ROWS}", [one for one in labelled if one.document != EXTRA_ROWS]),
    ):
        for folded in (False, True):
            print(f"\n{name}, values compared {'but for case, punctuation and spacing' if folded else 'exactly'}")
            report(documents, folded=folded)
    report_boxes(labelled)


def vote_through_a_dataset(root: Path, folder: Path) -> list[Voted]:
    """The whole path on the documents that have a file; those that have none are voted on from their ballots."""
    dataset = Dataset.create(folder)
    for file in sorted((root / "documents").iterdir()):
        schema = choose_schema(dataset, str(root / "schemas" / f"{file.stem}.json"), None, None)
        dataset.add_document(file, schema=schema)
    for system in SYSTEMS:
        import_votes(dataset, [root / "votes" / system], system=system, family=FAMILIES.get(system, system))
    dataset.set_panel(PANEL)
    summary = vote_on_dataset(dataset)
    if summary.failed:
        raise SystemExit(f"no vote on {summary.failed}")
    voted = load_votes(dataset)
    there = set(dataset.document_ids())
    return voted + [
        vote_without_a_file(root, file.stem) for file in sorted((root / "schemas").iterdir()) if file.stem not in there
    ]


def vote_without_a_file(root: Path, document: str) -> Voted:
    """The vote alone: no page, so no boxes."""
    file = root / "schemas" / f"{document}.json"
    schema = compile_schema(jsontext.load_file(file), Rules(), name=document)
    ballots = []
    for system in PANEL:
        path = root / "votes" / system / f"{document}.json"
        ballots.append(
            read_ballot_text(path.read_bytes(), system, FAMILIES.get(system, system), schema, source=str(path))
        )
    return Voted(document, schema, vote(schema, ballots))


def label(root: Path, one: Voted) -> Labelled:
    """A document beside its label."""
    truth = jsontext.loads_tolerant((root / "labels" / f"{one.document}.json").read_bytes())
    return Labelled.of(one.document, one.schema, one.consensus, truth)


def report(documents: Sequence[Labelled], *, folded: bool) -> None:
    """Share and precision per tier and disposition, and the curve of the review."""
    leaves = [
        (leaf, leaf.resolved and is_right(one.schema.leaves[leaf.field], leaf.value, one.truth(leaf), folded=folded))
        for one in documents
        for leaf in one.consensus.leaves
    ]
    _print_shares("tier", Tier, [(leaf.tier, right) for leaf, right in leaves])
    agreed = sum(leaf.tier in (Tier.UNANIMOUS, Tier.ALL_NULL) for leaf, _ in leaves)
    print(f"  {'unanimous + all_null':24}{agreed:6}{agreed / len(leaves):8.1%}")
    _print_shares("disposition", Disposition, [(leaf.disposition, right) for leaf, right in leaves])
    queue = review_queue([Voted(one.document, one.schema, one.consensus) for one in documents])
    points = curve(documents, queue, folded=folded)
    print(
        f"  truth without a person {points[0].right:.2%}; every question answered {points[-1].right:.2%} "
        f"after {points[-1].seen:.1%} of leaves"
    )
    for accuracy in (0.98, 0.99, 0.995):
        share = share_for(points, accuracy)
        print(f"  {accuracy:.1%} right after seeing  {'never' if share is None else f'{share:.1%} of leaves'}")
    shares = (0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.10, 0.12)
    print("  seen   " + "".join(f"{share:>8.0%}" for share, _ in at_share(points, shares)))
    print("  right  " + "".join(f"{right:>8.2%}" for _, right in at_share(points, shares)))


def report_boxes(documents: Iterable[Labelled]) -> None:
    """How many proposed values were found on the pages that have words."""
    print("\nboxes of proposed values")
    reasons: Counter[str] = Counter()
    for one in documents:
        values = [leaf for leaf in one.consensus.leaves if leaf.value is not None]
        certain = sum(leaf.location.certain for leaf in values)
        found = sum(bool(leaf.location.evidence) for leaf in values)
        reasons.update(leaf.location.reason for leaf in values)
        print(f"  {one.document:12}{len(values):6} values, found {found:5}, certain {certain:5}")
    print("  " + ", ".join(f"{reason} {count}" for reason, count in reasons.most_common()))
    _report_looked_at(
        {(one.document, format_path(leaf.path)): leaf for one in documents for leaf in one.consensus.leaves}
    )


def _report_looked_at(leaves: Mapping[tuple[str, str], LeafConsensus]) -> None:
    """What was seen in a random sample of certain boxes drawn on their pages, as far as they are still there."""
    right = wrong = moved = 0
    for line in _LOOKED_AT.read_text().splitlines():
        judged = jsontext.loads(line)
        leaf = leaves.get((judged["document"], judged["path"]))
        box = hull(Box.from_xywh(map(float, xywh)) for xywh in judged["lines"])
        places = leaf.location.evidence if leaf is not None and leaf.location.certain else ()
        if not any(place.page == judged["page"] and place.hull and place.hull.iou(box) > _SAME_BOX for place in places):
            moved += 1
        elif judged["right"]:
            right += 1
        else:
            wrong += 1
    print(f"  certain boxes looked at one by one: {right} right, {wrong} wrong; {moved} are no longer the same box")


def _print_shares(what: str, kinds: Iterable[str], leaves: Sequence[tuple[str, bool]]) -> None:
    print(f"  {what:24}{'leaves':>6}{'share':>8}{'right':>8}")
    for kind in kinds:
        right = [ok for found, ok in leaves if found == kind]
        if right:
            print(f"  {kind:24}{len(right):6}{len(right) / len(leaves):8.1%}{sum(right) / len(right):8.2%}")
