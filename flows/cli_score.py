"""``goldleaf score``: a prediction against a truth, by one of two published metrics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.output import JsonFlag, console, emit, remark, table
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
    schema: Annotated[Path, typer.Option(help="The JSON Schema.")],
    truth: Annotated[Path, typer.Option(help="The truth: ours with its evidence, or the bare object.")],
    prediction: Annotated[Path, typer.Option(help="What a system returned: the bare object, or in its envelope.")],
    metric: Annotated[Metric, typer.Option(help="value-f1, with word and page grounding; or verdicts.")],
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
        Path | None, typer.Option(metavar="OUT", help="Write every verdict there, as .jsonl or .parquet.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Score one prediction against its truth, exactly, at any size.

    value-f1 is the metric of ExtractBench: precision, recall and F1 of cells, and of the boxes and pages cited for
    them. verdicts is the metric of OmniExtractBench: each address is matched, misread, unfound, fabricated, an
    invented item or an invented field. docs/scoring.md says what each counts, and where it departs from its makers'.

    A prediction that is no object states nothing; a truth that breaks its schema is scored and flagged.
    """
    from flows.score_inputs import read_prediction, read_schema, read_truth

    _check_options(metric, field_rules, citations, order_matters, verdicts)
    source = read_schema(schema)
    expected = read_truth(truth, source, field_rules)
    answer = read_prediction(prediction, citations)
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
        rows = [[name, _percent(record[name])] for name in ("accuracy", "precision", "recall")]
        out.print(table("", ["", "share"], rows, right=["share"]))
        counts = [[name.replace("_", " "), f"{count:,}"] for name, count in record["verdicts"].items()]
        out.print(table("", ["verdict", "addresses"], counts, right=["addresses"]))
    else:
        names = ["precision", "recall", "f1"]
        rows = [
            [part, *(_percent(record[part][name] if record[part] else None) for name in names)]
            for part in ("value", "word", "page")
        ]
        out.print(table("", ["", *names], rows, right=names))
    for flag in record["flags"]:
        out.print(f"flag: {flag}", markup=False)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.2%}"
