"""``goldleaf score``: a prediction against a truth, by one of two published metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli_score_dataset import percent, score_folder
from flows.output import JsonFlag, console, emit, keep_to_the_end, remark, table
from groundtruth.jsontext import Json

if TYPE_CHECKING:
    from flows.score_inputs import Prediction, Truth
    from scoring.value_f1 import ValueF1
    from scoring.verdicts import Verdicts


class Metric(StrEnum):
    """The metrics there are."""

    VALUE_F1 = "value-f1"
    VERDICTS = "verdicts"


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("score")(score)


def score(
    dataset: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DATASET]",
            help="A dataset, a tree of ExtractBench, or a table (or its folder) of OmniExtractBench.",
        ),
    ] = None,
    predictions: Annotated[
        str | None,
        typer.Argument(
            metavar="[PREDICTIONS]",
            help="A folder with a file a document, or a system that has ballots in the dataset.",
        ),
    ] = None,
    metric: Annotated[
        Metric | None, typer.Option(help="value-f1, with word and page grounding; or verdicts. Needed.")
    ] = None,
    schema: Annotated[Path | None, typer.Option(help="The JSON Schema, for one pair.")] = None,
    truth: Annotated[Path | None, typer.Option(help="The truth: ours with its evidence, or the bare object.")] = None,
    prediction: Annotated[
        Path | None, typer.Option(help="What a system returned: the bare object, or in its envelope.")
    ] = None,
    field_rules: Annotated[
        Path | None, typer.Option(help="Evidence and normalizers by address, as in ExtractBench; for value-f1.")
    ] = None,
    citations: Annotated[
        Path | None, typer.Option(help="What the prediction cites: a list of field_path, page and bbox; for value-f1.")
    ] = None,
    order_matters: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="An array whose elements keep their order; repeat; for verdicts."),
    ] = None,
    verdicts: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write every verdict there, as .jsonl or .parquet; for one pair.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep scores and verdicts of a dataset there, and go on from them."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes for a dataset; by default as many as cores.")
    ] = None,
    documents: Annotated[str | None, typer.Option(metavar="GLOB", help="Only the documents whose id fits.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Score predictions against their truths, exactly, at any size.

    One pair: --schema S --truth T --prediction P. A dataset: DATASET PREDICTIONS, with a table by document, tag and
    kind of failure.

    value-f1 is the metric of ExtractBench: precision, recall and F1 of cells, and of the boxes and pages cited for
    them. verdicts is the metric of OmniExtractBench: each address is matched, misread, unfound, fabricated, an
    invented item or an invented field. docs/scoring.md says what each counts, and where it departs from its makers'.

    A prediction that is no object states nothing; a truth that breaks its schema is scored and flagged. Exit code 1:
    a document could not be scored, though its prediction may be right. A failed prediction is a low score, not an
    error.
    """
    if metric is None:
        raise typer.BadParameter("--metric is needed: value-f1 or verdicts")
    pair = {"--schema": schema, "--truth": truth, "--prediction": prediction}
    only_pair = {"--field-rules": field_rules, "--citations": citations, "--verdicts": verdicts}
    if dataset is not None:
        _refuse(pair | only_pair, "goes with one pair, not with a dataset")
        _check_order(metric, order_matters)
        score_folder(dataset, predictions, metric, tuple(order_matters or ()), out, workers, documents, as_json=as_json)
        return
    _refuse({"--out": out, "--workers": workers, "--documents": documents}, "goes with a dataset, not with one pair")
    if schema is None or truth is None or prediction is None:
        missing = next(name for name, value in pair.items() if value is None)
        raise typer.BadParameter(f"{missing} is needed for one pair; for a dataset, give DATASET PREDICTIONS")
    _check_options(metric, field_rules, citations, order_matters, verdicts)
    _score_pair(schema, truth, prediction, metric, field_rules, citations, order_matters, verdicts, as_json=as_json)


def _score_pair(
    schema: Path,
    truth: Path,
    prediction: Path,
    metric: Metric,
    field_rules: Path | None,
    citations: Path | None,
    order_matters: list[str] | None,
    verdicts: Path | None,
    *,
    as_json: bool,
) -> None:
    from flows.score_inputs import read_prediction, read_schema, read_truth
    from groundtruth.collector import collector_paused

    with collector_paused():
        source = read_schema(schema)
        expected = read_truth(truth, source, field_rules)
        answer = read_prediction(prediction, citations, source)
        for text in answer.remarks:
            remark(text)
        if metric is Metric.VERDICTS:
            record, cells = _verdicts(source, expected, answer, order_matters or ())
        else:
            record, cells = _value_f1(source, expected, answer)
        record["flags"] = [*record["flags"], *expected.flags, *answer.flags]
        if verdicts is not None:
            from flows.records import write_records

            write_records(verdicts, cells)
    emit(record, as_json=as_json, human=lambda: _print(record))
    # A truth of a hundred thousand cells takes half a second to free.
    keep_to_the_end(source, expected, answer, record, cells)


def _refuse(options: Mapping[str, object], why: str) -> None:
    given = next((name for name, value in options.items() if value is not None), None)
    if given is not None:
        raise typer.BadParameter(f"{given} {why}")


def _check_order(metric: Metric, order_matters: list[str] | None) -> None:
    if metric is Metric.VALUE_F1 and order_matters:
        raise typer.BadParameter(f"--order-matters goes with the other metric, not with {metric}")


def _check_options(
    metric: Metric,
    field_rules: Path | None,
    citations: Path | None,
    order_matters: list[str] | None,
    verdicts: Path | None,
) -> None:
    """Refuse options of the other metric, which would silently do nothing."""
    foreign = (
        {"--order-matters": order_matters}
        if metric is Metric.VALUE_F1
        else {"--field-rules": field_rules, "--citations": citations}
    )
    given = [name for name, value in foreign.items() if value]
    if given:
        raise typer.BadParameter(f"{given[0]} goes with the other metric, not with {metric}")
    if verdicts is not None and verdicts.suffix not in {".jsonl", ".parquet"}:
        raise typer.BadParameter(f"--verdicts {verdicts}: the name ends in .jsonl or .parquet")


def _verdicts(
    schema: Json, truth: Truth, prediction: Prediction, order_matters: Sequence[str]
) -> tuple[dict[str, Json], Iterable[dict[str, Json]]]:
    from scoring.result_json import verdict_records, verdicts_json
    from scoring.verdicts import judge

    found: Verdicts = judge(truth.value, prediction.value, schema, order_matters=order_matters)
    return verdicts_json(found), verdict_records(found)


def _value_f1(schema: Json, truth: Truth, prediction: Prediction) -> tuple[dict[str, Json], Iterable[dict[str, Json]]]:
    from scoring.result_json import cell_records, value_f1_json
    from scoring.value_f1 import score as score_values

    found: ValueF1 = score_values(
        truth.value, prediction.value, schema, evidence=truth.evidence, citations=prediction.citations
    )
    return value_f1_json(found), cell_records(found)


def _print(record: dict[str, Json]) -> None:
    out = console()
    if record["metric"] == "verdicts":
        rows = [[name, percent(record[name])] for name in ("accuracy", "precision", "recall")]
        out.print(table("", ["", "share"], rows, right=["share"]))
        counts = [[name.replace("_", " "), f"{count:,}"] for name, count in record["verdicts"].items()]
        out.print(table("", ["verdict", "addresses"], counts, right=["addresses"]))
    else:
        names = ["precision", "recall", "f1"]
        rows = [
            [part, *(percent(record[part][name] if record[part] else None) for name in names)]
            for part in ("value", "word", "page")
        ]
        out.print(table("", ["", *names], rows, right=names))
    for flag in record["flags"]:
        out.print(f"flag: {flag}", markup=False)
