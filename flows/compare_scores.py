"""Two systems side by side: what one has right that the other lacks, by document and by field.

Both are read from folders that ``goldleaf score --out`` wrote. A truth that both contradict alike comes first: a value
that everybody misses is evidence against the truth.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from flows.score_case import verdicts_file
from flows.score_dataset import SCORES, SUMMARY
from groundtruth.errors import DatasetError
from groundtruth.jsontext import Json

_INDEX = re.compile(r"\[\d+\]")
NOTHING: Final = frozenset({None, "", "null"})
"""Keys of a side that states nothing."""


class Leaf(NamedTuple):
    """What one system has at an address of the truth."""

    right: bool
    truth: str | None
    prediction: str | None
    key: str | None
    is_extra: bool
    """Whether the truth states nothing there."""


class Difference(NamedTuple):
    """A leaf that one system has right and the other has not: ``right`` is ``a`` or ``b``."""

    document: str
    address: str
    right: str
    truth: str | None
    a: str | None
    b: str | None


class Suspect(NamedTuple):
    """A leaf at which both contradict the truth alike."""

    document: str
    address: str
    truth: str | None
    prediction: str | None


@dataclass(slots=True)
class Comparison:
    """Two systems on the documents that both were scored on.

    Attributes:
        documents: by document, how many leaves of the truth ``both`` have right, ``only_a``, ``only_b``, ``neither``.
        fields: the same by schema path.
        differences: the leaves that one has right and the other has not.
        suspects: the leaves at which both contradict the truth alike; also where only they state something.
        only_scored: documents that only one was scored on, with which one.
    """

    documents: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    fields: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    differences: list[Difference] = field(default_factory=list)
    suspects: list[Suspect] = field(default_factory=list)
    only_scored: dict[str, str] = field(default_factory=dict)


def compare_folders(a: Path, b: Path) -> Comparison:
    """Compare two output folders.

    Raises:
        DatasetError: a folder that ``goldleaf score --out`` did not write, or two of different metrics.
    """
    metrics = {folder: _metric(folder) for folder in (a, b)}
    if metrics[a] != metrics[b]:
        raise DatasetError(f"{a} has {metrics[a]} and {b} has {metrics[b]}; compare scores of one metric")
    found = Comparison()
    mine, other = _documents(a), _documents(b)
    for document in sorted(mine | other):
        if document not in mine or document not in other:
            found.only_scored[document] = "a" if document in mine else "b"
        else:
            _compare_document(found, document, _leaves(a, document), _leaves(b, document))
    return found


def _metric(folder: Path) -> str:
    path = folder / SUMMARY
    try:
        return str(json.loads(path.read_bytes())["metric"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DatasetError(f"{path}: is not what `goldleaf score --out` writes; run it to its end first") from error


def _documents(folder: Path) -> set[str]:
    records = [json.loads(line) for line in (folder / SCORES).read_bytes().splitlines()]
    return {record["document"] for record in records if verdicts_file(folder, record["document"]).is_file()}


def _leaves(folder: Path, document: str) -> dict[str, Leaf]:
    """What a system has at each address of the truth, and beside it what it states where the truth states nothing."""
    lines = verdicts_file(folder, document).read_bytes().splitlines()
    return {address: leaf for line in lines for address, leaf in _leaf(json.loads(line))}


def _leaf(record: dict[str, Json]) -> Iterable[tuple[str, Leaf]]:
    if "verdict" in record:
        address, is_right = record["address"], record["verdict"] == "matched"
        is_extra = record["verdict"] in {"fabricated", "invented_field"}
        if record["verdict"] == "invented_item":
            return
    else:
        address, is_right = record["truth_address"], record["correct"]
        is_extra = record["truth"] in NOTHING
        if address is None:
            return
    yield address, Leaf(is_right, record["truth"], record["prediction"], record["prediction_key"], is_extra)


def _compare_document(found: Comparison, document: str, a: dict[str, Leaf], b: dict[str, Leaf]) -> None:
    counts = found.documents[document]
    for address in dict.fromkeys([*a, *b]):
        mine, other = a.get(address), b.get(address)
        if mine is not None and other is not None and _is_alike_and_wrong(mine, other):
            found.suspects.append(Suspect(document, address, mine.truth, mine.prediction))
        if (mine is None or mine.is_extra) and (other is None or other.is_extra) and not _has_right(mine, other):
            continue  # no leaf of the truth
        state = _state(mine, other)
        counts[state] += 1
        found.fields[_INDEX.sub("[]", address)][state] += 1
        if state in {"only_a", "only_b"}:
            truth = mine.truth if mine is not None else other.truth if other is not None else None
            values = (mine.prediction if mine else None, other.prediction if other else None)
            found.differences.append(Difference(document, address, state[-1], truth, *values))


def _is_alike_and_wrong(mine: Leaf, other: Leaf) -> bool:
    return not mine.right and not other.right and mine.key == other.key and mine.prediction not in NOTHING


def _has_right(mine: Leaf | None, other: Leaf | None) -> bool:
    return any(leaf is not None and leaf.right for leaf in (mine, other))


def _state(mine: Leaf | None, other: Leaf | None) -> str:
    right = (mine is not None and mine.right, other is not None and other.right)
    return {(True, True): "both", (True, False): "only_a", (False, True): "only_b"}.get(right, "neither")


def comparison_json(found: Comparison, a: str, b: str) -> dict[str, Json]:
    """The comparison as a command prints it; fields with the largest difference first."""
    return {
        "a": a,
        "b": b,
        "suspect_truth": [suspect._asdict() for suspect in found.suspects],
        "documents": [{"document": name, **_counts(found.documents[name])} for name in sorted(found.documents)],
        "fields": [
            {"field": name, **_counts(counts)}
            for name, counts in sorted(found.fields.items(), key=lambda one: (-_difference(one[1]), one[0]))
        ],
        "differences": [difference._asdict() for difference in found.differences],
        "only_scored": dict(found.only_scored),
    }


def _counts(counts: Counter[str]) -> dict[str, int]:
    return {state: counts[state] for state in ("both", "only_a", "only_b", "neither")}


def _difference(counts: Counter[str]) -> int:
    return counts["only_a"] + counts["only_b"]
