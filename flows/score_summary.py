"""Means over the documents of a dataset: of those that were scored, and with failed ones at 0."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import itemgetter
from typing import Final

from flows.score_case import Outcome
from groundtruth.jsontext import Json

_VERDICTS: Final = ("accuracy", "precision", "recall")
_PARTS: Final = ("value", "word", "page")
_FIGURES: Final = ("precision", "recall", "f1")
VACUOUS: Final = "vacuous"

Record = dict[str, Json]


def summary(metric: str, records: Sequence[Record], unmatched: Sequence[str]) -> Record:
    """What a command prints of a dataset.

    Documents that could not be scored count nowhere; vacuous ones, on which there is nothing to find, count in the
    coverage and in no mean. A mean over no document is null.
    """
    tags = sorted({tag for record in records for tag in record["tags"]})
    failures = Counter(record["status"] for record in records if record["status"] != Outcome.SCORED)
    return {
        "metric": metric,
        "documents": [{key: value for key, value in record.items() if key != "digest"} for record in records],
        **_slice(metric, records),
        "by_tag": {tag: _slice(metric, [record for record in records if tag in record["tags"]]) for tag in tags},
        "failures": {kind: failures[kind] for kind in map(str, Outcome) if kind in failures},
        "vacuous": sum(VACUOUS in record["flags"] for record in records),
        "flags": _flags(records),
        "unmatched": list(unmatched),
    }


def _slice(metric: str, records: Sequence[Record]) -> Record:
    counted = [record for record in records if record["status"] != Outcome.NOT_SCORED]
    scored = [record for record in counted if Outcome(record["status"]).is_scored]
    mean = _mean_verdicts if metric == "verdicts" else _mean_value_f1
    return {
        "attempted": len(counted),
        "scored": len(scored),
        "coverage": len(scored) / len(counted) if counted else None,
        "mean": mean(scored),
        "mean_with_failures": mean(counted),
    }


def _mean_verdicts(records: Sequence[Record]) -> Record:
    return {name: _mean(records, itemgetter(name)) for name in _VERDICTS}


def _figure(part: str, name: str, record: Record) -> Json:
    return record[part] and record[part][name]


def _mean_value_f1(records: Sequence[Record]) -> Record:
    return {part: {name: _mean(records, partial(_figure, part, name)) for name in _FIGURES} for part in _PARTS}


def _mean(records: Iterable[Record], figure: Callable[[Record], float | None]) -> float | None:
    found = [value for record in records if (value := figure(record)) is not None]
    return sum(found) / len(found) if found else None


def _flags(records: Iterable[Record]) -> list[str]:
    """Each kind of flag with the number of documents that have it."""
    counts = Counter(kind for record in records for kind in {str(flag).split(":")[0] for flag in record["flags"]})
    return [f"{kind}:{counts[kind]}" for kind in sorted(counts)]
