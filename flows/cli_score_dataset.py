"""``goldleaf score DATASET PREDICTIONS``: the score of a dataset, and its tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from flows.output import Exit, console, emit, finish, remark, table, warn
from groundtruth.jsontext import Json
from groundtruth.wording import counted

MOST_LINES: Final = 40
"""Documents in a table; with more, those with the lowest scores are shown."""
_MOST_NAMED: Final = 5
_MAIN: Final = {"verdicts": ("accuracy", "precision", "recall"), "value-f1": ("value", "word", "page")}


def score_folder(
    dataset: Path,
    predictions: str | None,
    metric: str,
    order_matters: Sequence[str],
    out: Path | None,
    workers: int | None,
    documents: str | None,
    *,
    as_json: bool,
) -> None:
    """Score a dataset, print it, and end with 1 when a document could not be scored."""
    import os

    from flows.score_cases import list_cases
    from flows.score_dataset import SUMMARY, Settings, score_dataset
    from flows.score_progress import scoring_progress
    from flows.score_summary import summary
    from groundtruth import jsontext
    from groundtruth.store_files import atomic_write

    cases = list_cases(dataset, predictions, documents)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    settings = Settings(str(metric), tuple(order_matters), workers or cores, out)
    records = score_dataset(cases, settings, partial(scoring_progress, quiet=as_json))
    found = summary(str(metric), records, cases.unmatched)
    if out is not None:
        atomic_write(out / SUMMARY, (jsontext.dumps(found, indent=1) + "\n").encode())
    if cases.unmatched:
        named = ", ".join(cases.unmatched[:_MOST_NAMED]) + (", ..." if len(cases.unmatched) > _MOST_NAMED else "")
        remark(f"{counted(len(cases.unmatched), 'file belongs', 'files belong')} to no document: {named}")
    for record in records:
        if record["status"] == "not_scored":
            warn(f"{record['document']}: not scored: {record['message']}")
    emit(found, as_json=as_json, human=lambda: _print(found))
    finish(Exit.FINDINGS if "not_scored" in found["failures"] else Exit.DONE)


def _print(found: dict[str, Json]) -> None:
    metric = found["metric"]
    columns = list(_MAIN[metric])
    documents = [record for record in found["documents"] if record["status"] != "not_scored"]
    shown = (
        documents if len(documents) <= MOST_LINES else sorted(documents, key=partial(_main_figure, metric))[:MOST_LINES]
    )
    title = f"the {MOST_LINES} lowest of {len(documents)} documents" if len(shown) < len(documents) else ""
    out = console()
    rows = [
        [record["document"], "" if record["status"] == "scored" else record["status"], *_figures(metric, record)]
        for record in shown
    ]
    out.print(table(title, ["document", "", *columns], rows, right=columns))
    means = [
        [f"mean of {found['scored']} scored", *_figures(metric, found["mean"])],
        [f"with failures at 0, of {found['attempted']}", *_figures(metric, found["mean_with_failures"])],
    ]
    out.print(table("", ["all", *columns], means, right=columns))
    # A tag that one document has says what the first table says.
    slices = {tag: part for tag, part in found["by_tag"].items() if part["attempted"] > 1}
    if slices:
        tags = [
            [tag, part["attempted"], percent(part["coverage"]), *_figures(metric, part["mean_with_failures"])]
            for tag, part in slices.items()
        ]
        names = ["documents", "coverage", *columns]
        out.print(table("by tag, with failures at 0", ["tag", *names], tags, right=names))
    if found["failures"]:
        failures = [[kind, count, _named(found["documents"], kind)] for kind, count in found["failures"].items()]
        out.print(table("", ["failed", "documents", "which"], failures, right=["documents"]))
    out.print(f"coverage {percent(found['coverage'])}, vacuous documents {found['vacuous']}", markup=False)
    if metric == "value-f1":
        out.print("columns are F1; precision and recall are in --json", markup=False)
    for flag in found["flags"]:
        out.print(f"flag: {flag}", markup=False)


def _named(documents: Sequence[dict[str, Json]], kind: str) -> str:
    names = [record["document"] for record in documents if record["status"] == kind]
    return ", ".join(names[:MOST_LINES]) + (", ..." if len(names) > MOST_LINES else "")


def _figures(metric: str, of: dict[str, Json]) -> list[str]:
    if metric == "verdicts":
        return [percent(of[name]) for name in _MAIN[metric]]
    return [percent(of[name]["f1"] if of[name] else None) for name in _MAIN[metric]]


def _main_figure(metric: str, record: dict[str, Json]) -> float:
    figure = record["accuracy"] if metric == "verdicts" else record["value"] and record["value"]["f1"]
    return 2.0 if figure is None else float(figure)


def percent(share: float | None) -> str:
    """A share as people read it; a dash where there is none."""
    return "-" if share is None else f"{share:.2%}"
