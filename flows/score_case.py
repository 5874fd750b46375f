"""The score of one document of a dataset: its files read, what failed told apart, and the verdicts written."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import quote

from flows.score_cases import Case, Layout
from flows.score_inputs import Prediction, Truth, breaks, prediction_of, truth_of
from groundtruth import jsontext
from groundtruth.ballot import Failure, Status
from groundtruth.ballot_files import one_line
from groundtruth.ballot_status import failure_of
from groundtruth.collector import collector_paused
from groundtruth.errors import GoldleafError, JsonError
from groundtruth.jsontext import Json
from groundtruth.names import name_problem
from groundtruth.wording import counted

LEAST_ROWS: Final = 20
"""Truths with fewer rows do not tell a cut answer from a bad one."""
CUT_BELOW: Final = 0.5
"""An answer with a smaller share of the rows that the truth has on its pages is taken for cut."""


class Outcome(StrEnum):
    """What became of a document."""

    SCORED = "scored"
    TRUNCATED = "truncated"
    """Scored, but the answer was cut: its run says so, or it has far fewer rows a page than the truth."""
    NO_OUTPUT = "no_output"
    INVALID_JSON = "invalid_json"
    SCHEMA_REFUSED = "schema_refused"
    TIMEOUT = "timeout"
    FAILED = "failed"
    NOT_SCORED = "not_scored"
    """The truth, the schema or the scorer is at fault; it counts nowhere, and is named."""

    @property
    def is_scored(self) -> bool:
        """Whether there was an answer that counts as it is."""
        return self in {Outcome.SCORED, Outcome.TRUNCATED}


_OUTCOMES: Final = {
    Failure.INVALID_JSON: Outcome.INVALID_JSON,
    Failure.SCHEMA_REJECTED: Outcome.SCHEMA_REFUSED,
    Failure.TIMEOUT: Outcome.TIMEOUT,
}


@dataclass(frozen=True, slots=True)
class Task:
    """One document to score.

    Attributes:
        case: its files.
        metric: ``value-f1`` or ``verdicts``.
        order_matters: arrays whose elements keep their order; for verdicts.
        verdicts: where to write what became of each of its cells; None writes nothing.
    """

    case: Case
    metric: str
    order_matters: tuple[str, ...] = ()
    verdicts: Path | None = None


def digest(task: Task) -> str:
    """SHA-256 of all that the score of a document follows from, the scorer's own code included.

    Raises:
        GoldleafError: a file cannot be read.
    """
    case = task.case
    found = hashlib.sha256(f"{_code_digest()} {task.metric} {task.order_matters} {case.failure}".encode())
    found.update(f" {case.layout} {case.is_ballot} {case.pages} {case.tags} {case.problem} {case.schema} ".encode())
    for file in (case.truth, case.prediction):
        data = jsontext.read_bytes(file) if file is not None and not case.problem else b""
        found.update(f" {file is None} {len(data)} ".encode() + data)
    return found.hexdigest()


@cache
def _code_digest() -> str:
    """A digest of the code that scores, so that a changed scorer scores again."""
    import groundtruth
    import scoring

    files = [Path(__file__), Path(__file__).with_name("score_inputs.py")]
    for package in (groundtruth, scoring):
        files += sorted(Path(package.__path__[0]).glob("*.py"))
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


def verdicts_file(out: Path, document: str) -> Path:
    """Where the verdicts of a document are: below ``verdicts``, parts that are no file names in percent signs."""
    parts = [
        part if name_problem(part) is None else quote(part, safe="").replace(".", "%2E") for part in _parts(document)
    ]
    return out.joinpath("verdicts", *parts[:-1], f"{parts[-1]}.jsonl")


def _parts(document: str) -> list[str]:
    return document.split("/") or [""]


def score_case(task: Task) -> dict[str, Json]:
    """The record of one document; whatever is wrong with it is said in the record and never raised."""
    case = task.case
    record: dict[str, Json] = {"document": case.document, "status": str(Outcome.NOT_SCORED), "tags": list(case.tags)}
    try:
        if case.problem:
            raise GoldleafError(case.problem)
        with collector_paused():
            figures, cells = _scored(task)
            if task.verdicts is not None:
                from flows.records import write_records

                task.verdicts.parent.mkdir(parents=True, exist_ok=True)
                write_records(task.verdicts, cells)
        return record | figures
    except GoldleafError as error:
        return record | {"message": str(error), "flags": []}
    except Exception as error:  # noqa: BLE001
        # What nobody foresaw about one document must not end the run of the others. No digest: it is tried again.
        said = f"{type(error).__name__}: {one_line(str(error))}"
        return record | {"message": said, "flags": [], "digest": None}


def _scored(task: Task) -> tuple[dict[str, Json], Iterable[dict[str, Json]]]:
    case = task.case
    schema, truth = truth_of_case(case)
    answer, outcome, message = _answer(case, schema, truth)
    is_scored = outcome is Outcome.SCORED
    rows = {"truth": count_rows(truth.value), "prediction": count_rows(answer.value)}
    if is_scored and (answer.is_partial or is_cut(rows["truth"], rows["prediction"])):
        outcome = Outcome.TRUNCATED
        message = message or f"{counted(rows['prediction'], 'row')} where the truth has {rows['truth']:,}"
    figures, cells = _figures(task, schema, truth, answer, is_scored=is_scored)
    flags = [*figures.pop("flags"), *truth.flags, *answer.flags]
    record = {"status": str(outcome), **figures, "answer_rows": rows, "pages": case.pages, "flags": flags}
    return record | ({"message": message} if message else {}), cells


def truth_of_case(case: Case) -> tuple[Json, Truth]:
    """The schema and the truth of a case.

    Raises:
        GoldleafError: they cannot be read, or are none.
    """
    source = str(case.truth)
    if case.layout is Layout.TRUTH:
        schema = jsontext.loads(case.schema, source=f"{case.document}: schema")
        truth = truth_of(jsontext.load_file(case.truth), source)
    else:
        from scoring.field_evidence import read_field_rules

        data = jsontext.load_file(case.truth)
        schema, value = data.get("data_schema"), data.get("expected_output")
        if not isinstance(schema, dict) or not isinstance(value, dict):
            raise JsonError(f"{source}: has no data_schema or no expected_output that is an object")
        rules = data.get("_field_rules") or data.get("test_rules") or {}
        truth = Truth(value, read_field_rules(rules, source=source))
    truth.flags += breaks(schema, truth.value)
    return schema, truth


def _answer(case: Case, schema: Json, truth: Truth) -> tuple[Prediction, Outcome, str]:
    """What the system returned, what kind of outcome that is, and what is to be said of a failed one."""
    nothing = Prediction({})
    if case.prediction is None:
        if case.failure is None:
            return nothing, Outcome.NO_OUTPUT, "there is no prediction"
        kind = failure_of(case.failure[0])
        return nothing, _OUTCOMES.get(kind, Outcome.FAILED) if kind else Outcome.FAILED, one_line(case.failure[1])
    try:
        answer = _ballot(case.prediction) if case.is_ballot else _file(case.prediction, schema)
    except JsonError as error:
        return nothing, Outcome.INVALID_JSON, one_line(str(error))
    said = one_line("; ".join(answer.remarks))
    if answer.failure is not None and not (
        answer.failure is Failure.SCHEMA_INVALID and "data is null" in answer.remarks
    ):
        return nothing, _OUTCOMES.get(answer.failure, Outcome.FAILED), said
    if "prediction_is_no_object" in answer.flags and not answer.failure:
        return answer, Outcome.FAILED, said
    if states_nothing(answer.value) and not states_nothing(truth.value):
        return answer, Outcome.NO_OUTPUT, said or "the prediction states nothing"
    return answer, Outcome.SCORED, ""


def _file(path: Path, schema: Json) -> Prediction:
    return prediction_of(jsontext.read_bytes(path), source=str(path), schema=schema)


def _ballot(path: Path) -> Prediction:
    """A ballot of a dataset, with its citations."""
    from groundtruth.ballot_json import ballot_from_json
    from groundtruth.path import format_path
    from scoring.places import Place

    ballot = ballot_from_json(jsontext.load_file(path), source=str(path))
    cited = {
        format_path(leaf): tuple(Place(entry.page, box) for entry in entries for box in (entry.boxes or (None,)))
        for leaf, entries in ballot.citations.items()
    }
    answer = Prediction(ballot.data, cited, failure=ballot.failure, is_partial=ballot.status is Status.PARTIAL)
    answer.remarks += [ballot.detail] if ballot.detail else []
    malformed = jsontext.find_malformed(ballot.data)
    answer.flags += [f"malformed_values:{len(malformed)}"] if malformed else []
    return answer


def _figures(
    task: Task, schema: Json, truth: Truth, answer: Prediction, *, is_scored: bool
) -> tuple[dict[str, Json], Iterable[dict[str, Json]]]:
    """Figures and verdicts; those of a failed document are 0 where the truth has something to find."""
    value = answer.value if is_scored else {}
    cells: Iterable[dict[str, Json]]
    if task.metric == "verdicts":
        from scoring.result_json import verdict_records, verdicts_json
        from scoring.verdicts import judge

        judged = judge(truth.value, value, schema, order_matters=task.order_matters, ignore_unknown_arrays=True)
        figures, cells = verdicts_json(judged), verdict_records(judged)
        names = ("accuracy", "precision", "recall")
        if not is_scored and judged.addresses:
            figures |= dict.fromkeys(names, 0.0)
        return {name: figures[name] for name in (*names, "verdicts", "rows", "flags")}, cells
    from scoring.result_json import cell_records, value_f1_json
    from scoring.value_f1 import score

    found = score(truth.value, value, schema, evidence=truth.evidence, citations=answer.citations)
    if is_scored:
        figures, cells = value_f1_json(found), cell_records(found)
    else:
        parts = [part for part in (found.value, found.word, found.page) if part is not None]
        for part in parts:
            part.correct = part.predicted = 0
        figures, cells = value_f1_json(found), _all_wrong(cell_records(found))
    return {name: figures[name] for name in ("value", "word", "page", "counts", "flags")}, cells


def _all_wrong(cells: Iterable[dict[str, Json]]) -> Iterator[dict[str, Json]]:
    for cell in cells:
        yield cell | {"correct": False, "word": None, "page": None, "prediction": None, "prediction_key": None}


def is_cut(truth_rows: int, predicted_rows: int) -> bool:
    """Whether an answer has so few rows, on the same pages, that it must have been cut."""
    return truth_rows >= LEAST_ROWS and predicted_rows < CUT_BELOW * truth_rows


def count_rows(value: Json) -> int:
    """The objects in lists, at every depth."""
    count, open_ = 0, [value]
    while open_:
        one = open_.pop()
        children = one.values() if isinstance(one, dict) else one
        for child in children if isinstance(one, (dict, list)) else ():
            count += isinstance(one, list) and isinstance(child, dict)
            if isinstance(child, (dict, list)):
                open_.append(child)
    return count


def states_nothing(value: Json) -> bool:
    """Whether there is nothing but null, blank text and empty containers in it."""
    if isinstance(value, dict):
        return all(map(states_nothing, value.values()))
    if isinstance(value, list):
        return all(map(states_nothing, value))
    return value is None or (isinstance(value, str) and not value.strip())
