"""``goldleaf compare``: two systems, or two scored folders, side by side."""

from __future__ import annotations

import os
import tempfile
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from flows.cli_score import Metric
from flows.output import JsonFlag, console, emit, remark, table
from groundtruth.jsontext import Json

_MOST_LINES: Final = 30
_STATES: Final = ("both", "only_a", "only_b", "neither")


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("compare")(compare)


def compare(
    first: Annotated[str, typer.Argument(metavar="[DATASET]", help="A dataset, with --metric; needless for folders.")],
    second: Annotated[str, typer.Argument(metavar="A", help="A system or its predictions; or a folder of scores.")],
    third: Annotated[str | None, typer.Argument(metavar="B", help="What A is compared with.")] = None,
    metric: Annotated[Metric | None, typer.Option(help="The metric, for a dataset.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show what one system has right that another lacks, by document and by field.

    `goldleaf compare DATASET A B --metric M` scores both; `goldleaf compare A B` reads folders that `goldleaf score
    --out` wrote. Leaves at which both contradict the truth alike come first: there the truth is suspect.
    """
    from flows.compare_scores import compare_folders, comparison_json

    if third is None:
        if metric is not None:
            raise typer.BadParameter("--metric goes with a dataset: goldleaf compare DATASET A B")
        found = comparison_json(compare_folders(Path(first), Path(second)), first, second)
    else:
        if metric is None:
            raise typer.BadParameter("--metric is needed for a dataset: value-f1 or verdicts")
        with tempfile.TemporaryDirectory() as folder:
            outs = [Path(folder) / side for side in "ab"]
            for out, system in zip(outs, (second, third), strict=True):
                _score(Path(first), system, metric, out, quiet=as_json)
            found = comparison_json(compare_folders(*outs), second, third)
    emit(found, as_json=as_json, human=lambda: _print(found))


def _score(dataset: Path, system: str, metric: Metric, out: Path, *, quiet: bool) -> None:
    from flows.score_cases import list_cases
    from flows.score_dataset import SUMMARY, Settings, score_dataset
    from flows.score_progress import scoring_progress
    from flows.score_summary import summary
    from groundtruth import jsontext
    from groundtruth.store_files import atomic_write

    cases = list_cases(dataset, system)
    settings = Settings(str(metric), workers=os.cpu_count() or 1, out=out)
    records = score_dataset(cases, settings, partial(scoring_progress, quiet=quiet))
    atomic_write(out / SUMMARY, jsontext.dumps(summary(str(metric), records, cases.unmatched)).encode())


def _print(found: dict[str, Json]) -> None:
    out = console()
    suspects = found["suspect_truth"]
    if suspects:
        rows = [[one["document"], one["address"], one["truth"], one["prediction"]] for one in suspects[:_MOST_LINES]]
        title = f"suspect truth: both say the same, and the truth does not{_of(suspects)}"
        out.print(table(title, ["document", "leaf", "truth", "both say"], rows))
    heads = ["both", f"only {found['a']}", f"only {found['b']}", "neither"]
    for name, title in (("documents", "leaves right, by document"), ("fields", "by field, largest difference first")):
        key = name.removesuffix("s")
        rows = [[one[key], *(one[state] for state in _STATES)] for one in found[name][:_MOST_LINES]]
        out.print(table(f"{title}{_of(found[name])}", [key, *heads], rows, right=heads))
    for document, side in found["only_scored"].items():
        remark(f"{document}: scored only for {found[side]}, so it is not compared")


def _of(rows: list[Json]) -> str:
    return f" (the first {_MOST_LINES} of {len(rows)}; all are in --json)" if len(rows) > _MOST_LINES else ""
