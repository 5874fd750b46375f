"""The shipped extractors on real documents: who reads what, how right it is, and what they add to imported votes.

The documents and labels are those of ``bench.truth``; nothing is tuned to the labels.
``python -m bench.readers_real NAME ...`` measures some extractors only.
"""

from __future__ import annotations

import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from unittest.mock import patch

from bench.answering import at_share, curve
from bench.judging import Count, judge, total
from bench.labels import Labelled, is_right
from bench.reading import Answered, Task, embedded, read_all
from bench.truth import FAMILIES, PANEL, report
from consensus.order import Voted, review_queue
from consensus.vote import vote
from extractors.protocol import Extractor
from groundtruth import jsontext
from groundtruth.ballot import Ballot
from groundtruth.ballot_files import read_ballot_text
from groundtruth.consensus import Disposition
from groundtruth.errors import NoBallots
from groundtruth.jsontext import Json
from groundtruth.pages import document_info
from groundtruth.rules import Rules
from groundtruth.schema import FrozenSchema
from groundtruth.schema_compile import compile_schema

FEW: Final = PANEL[:3]
PAIR: Final = ("text-geo", "ocr-rapid")
MOST_CPU_SECONDS: Final = 60.0


def main(systems: Sequence[str] = ()) -> None:
    """Print the figures of these extractors, or of all; or why there are none."""
    shared = Path(os.environ.get("GOLDLEAF_SHARED") or Path(__file__).resolve().parents[2] / "shared")
    root = shared / "real" / "docubench"
    if not root.is_dir():
        print(f"skipped: no documents at {root}; set GOLDLEAF_SHARED to the folder that holds them")
        return
    extractors = embedded(systems)
    tasks = list(_tasks(root, extractors))
    documents = {task.name: task.schema for task in tasks}
    truths = {name: _label(root, name) for name in documents}
    pages = sum(task.pages for task in tasks) // max(1, len(extractors))
    print(f"{len(documents)} documents, {pages} pages; languages: the default")
    answers = read_all(tasks, extractors)
    print("\nleaves that hold a value, on the documents that a system read; form: case, punctuation, spacing")
    print(f"  {'':47}{'exactly':^20}{'but for form':^20}{'rows':^24}  CPU s a page")
    print(
        f"  {'system':24}{'read':>6}{'labelled':>10}{'given':>7}{'recall':>10}{'precision':>10}"
        f"{'recall':>10}{'precision':>10}{'read':>6}{'matched':>9}{'printed':>9}"
    )
    for spec, extractor in extractors.items():
        _report_system(extractor.info.name, [one for one in answers if one.task.spec == spec], truths)
    imported = {name: _imported(root, name, schema) for name, schema in documents.items()}
    for system in PANEL:
        ballots = {name: ballots[system] for name, ballots in imported.items() if system in ballots}
        _print_counts(f"{system}, imported", ballots, documents, truths)
    read: dict[str, dict[str, Ballot]] = defaultdict(dict)
    for one in answers:
        read[one.task.name][one.ballot.system] = one.ballot
    _report_panels(documents, truths, imported, read)


def _tasks(root: Path, extractors: Mapping[str, Extractor]) -> Iterator[Task]:
    files = [(file, _schema(root, file.stem)) for file in sorted((root / "documents").iterdir())]
    for spec in extractors:
        for file, schema in files:
            yield Task(spec, file.stem, file, schema, document_info(file).page_count)


def _schema(root: Path, document: str) -> FrozenSchema:
    return compile_schema(jsontext.load_file(root / "schemas" / f"{document}.json"), Rules(), name=document)


def _label(root: Path, document: str) -> Json:
    return jsontext.loads_tolerant((root / "labels" / f"{document}.json").read_bytes())


def _imported(root: Path, document: str, schema: FrozenSchema) -> dict[str, Ballot]:
    """The ballots of the imported panel, by system."""
    ballots = {}
    for system in PANEL:
        path = root / "votes" / system / f"{document}.json"
        if path.is_file():
            family = FAMILIES.get(system, system)
            ballots[system] = read_ballot_text(path.read_bytes(), system, family, schema, source=str(path))
    return ballots


def _report_system(name: str, answers: Sequence[Answered], truths: Mapping[str, Json]) -> None:
    ballots = {one.task.name: one.ballot for one in answers if one.ballot.usable}
    seconds = [one.cpu_seconds / one.task.pages for one in answers]
    most = max(seconds)
    over = f" over {MOST_CPU_SECONDS:g}!" if most > MOST_CPU_SECONDS else ""
    cost = f"mean {sum(seconds) / len(seconds):.2f}, most {most:.2f}{over}"
    _print_counts(name, ballots, {one.task.name: one.task.schema for one in answers}, truths, cost)
    remarks: dict[str, list[str]] = defaultdict(list)
    for one in answers:
        if one.ballot.detail or not one.ballot.usable:
            detail = one.ballot.detail.replace(f"{one.task.file.name}: ", "")
            remarks[f"{one.ballot.failure or one.ballot.status}: {detail}"].append(one.task.name)
    for remark, names in sorted(remarks.items()):
        print(f"    {len(names)} x {remark} ({', '.join(names[:4])}{', ...' if len(names) > 4 else ''})")


def _print_counts(
    name: str,
    ballots: Mapping[str, Ballot],
    schemas: Mapping[str, FrozenSchema],
    truths: Mapping[str, Json],
    cost: str = "",
) -> None:
    exact, folded = (_count(ballots, schemas, truths, folded=folded) for folded in (False, True))
    shares = (exact.recall, exact.precision, folded.recall, folded.precision)
    printed = "".join(f"{'-' if share is None else f'{share:.2%}':>10}" for share in shares)
    rows = f"{exact.rows_given:>6}{exact.rows_paired:>9}{exact.rows:>9}"
    print(f"  {name:24}{len(ballots):>6}{exact.truth:>10}{exact.given:>7}{printed}{rows}  {cost}".rstrip())


def _count(
    ballots: Mapping[str, Ballot], schemas: Mapping[str, FrozenSchema], truths: Mapping[str, Json], *, folded: bool
) -> Count:
    judged = [judge(schemas[name], ballot, truths[name], folded=folded) for name, ballot in ballots.items()]
    return total(count for one in judged for count in (one.fields, one.cells))


def _report_panels(
    schemas: Mapping[str, FrozenSchema],
    truths: Mapping[str, Json],
    imported: Mapping[str, Mapping[str, Ballot]],
    read: Mapping[str, Mapping[str, Ballot]],
) -> None:
    """The same documents under panels with and without the shipped systems."""
    everyone = tuple(sorted({system for ballots in read.values() for system in ballots}))
    pair = tuple(system for system in PAIR if system in everyone)
    summaries = []
    for title, panel in (
        (f"the five imported systems ({', '.join(PANEL)})", PANEL),
        (f"the five and {' and '.join(pair)}", (*PANEL, *pair)),
        (f"the five and all embedded ones ({', '.join(everyone)})", (*PANEL, *everyone)),
        (f"three imported systems ({', '.join(FEW)})", FEW),
        (f"the three and {' and '.join(pair)}", (*FEW, *pair)),
        (f"the embedded ones alone ({', '.join(everyone)})", everyone),
    ):
        labelled = list(_labelled(panel, schemas, truths, imported, read))
        unread = len(schemas) - len(labelled)
        print(f"\n{title}: {len(labelled)} documents{f', no vote on {unread}' if unread else ''}")
        if labelled:
            report(labelled, folded=False)
            _report_voters(labelled)
            summaries.append(_summary(title, labelled))
    print("\nin short: accepted and right of these; right before a person, after 5 % and after all was seen")
    print("\n".join(summaries))


def _labelled(
    panel: Sequence[str],
    schemas: Mapping[str, FrozenSchema],
    truths: Mapping[str, Json],
    *ballots: Mapping[str, Mapping[str, Ballot]],
) -> Iterator[Labelled]:
    """The votes of a panel beside the labels; a document that none of it read is left out."""
    for name, schema in schemas.items():
        there = {system: ballot for some in ballots for system, ballot in some.get(name, {}).items()}
        try:
            with _panel_of_any_size():
                consensus = vote(schema, [there[system] for system in panel if system in there])
        except NoBallots:
            continue
        yield Labelled.of(name, schema, consensus, truths[name])


def _summary(title: str, documents: Sequence[Labelled]) -> str:
    leaves = [(one, leaf) for one in documents for leaf in one.consensus.leaves]
    accepted = [
        is_right(one.schema.leaves[leaf.field], leaf.value, one.truth(leaf), folded=False)
        for one, leaf in leaves
        if leaf.disposition is Disposition.ACCEPT
    ]
    queue = review_queue([Voted(one.document, one.schema, one.consensus) for one in documents])
    points = curve(documents, queue, folded=False)
    ((_, early),) = at_share(points, (0.05,))
    right = f"{sum(accepted) / len(accepted):.2%}" if accepted else "-"
    return (
        f"  {len(accepted) / len(leaves):7.1%} {right:>8}   {points[0].right:7.2%}{early:8.2%}{points[-1].right:8.2%}"
        f"   {title}"
    )


def _report_voters(documents: Sequence[Labelled]) -> None:
    """How many systems vote on a leaf."""
    voters = Counter(len(leaf.votes) for one in documents for leaf in one.consensus.leaves)
    print(
        "  systems that vote on a leaf: "
        + ", ".join(f"{count} on {leaves}" for count, leaves in sorted(voters.items()))
    )


@contextmanager
def _panel_of_any_size() -> Iterator[None]:
    """Lift the bound of five systems, which is a rule of the vote: here more are measured, nothing is decided."""
    with patch("groundtruth.panel.MAX_SYSTEMS", 99):
        yield


if __name__ == "__main__":
    main(sys.argv[1:])
