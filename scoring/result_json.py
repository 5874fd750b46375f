"""Scores as the JSON that a command prints, and verdicts as the records of a file."""

from __future__ import annotations

from collections.abc import Iterator

from groundtruth import jsontext
from groundtruth.jsontext import Json, Malformed
from groundtruth.path import format_path
from scoring.cell_rows import Cell
from scoring.value_f1 import Score, ValueF1
from scoring.verdict_tree import ELEMENT, Names, Scalar
from scoring.verdicts import Address, Unpaired, Verdict, Verdicts

VACUOUS = "vacuous"
"""The flag of a document on which there was nothing to score."""


def verdicts_json(found: Verdicts) -> dict[str, Json]:
    """The metrics, the six counts, the counts of rows, and what is to be known of them."""
    flags = [VACUOUS] if not found.addresses else []
    flags += [f"skipped_open_map:{place_text(place) or '<root>'}" for place in found.skipped]
    return {
        "metric": "verdicts",
        "accuracy": found.accuracy,
        "precision": found.precision,
        "recall": found.recall,
        "coverage": 1.0,
        "verdicts": {str(kind): found.counts[kind] for kind in Verdict},
        "rows": {"truth": found.truth_rows, "prediction": found.predicted_rows, "paired": found.paired_rows},
        "flags": flags,
    }


def value_f1_json(found: ValueF1) -> dict[str, Json]:
    """Precision, recall and F1 of values, words and pages, and the counts behind them."""
    parts = {"value": found.value, "word": found.word, "page": found.page}
    return {
        "metric": "value-f1",
        **{name: _figures(part) for name, part in parts.items()},
        "counts": {
            **{name: _counts(part) for name, part in parts.items()},
            "extra": len(found.extra),
        },
        "flags": [VACUOUS] if found.value.is_vacuous else [],
    }


def _figures(score: Score | None) -> Json:
    if score is None or score.is_vacuous:
        return None
    return {"precision": score.precision, "recall": score.recall, "f1": score.f1}


def _counts(score: Score | None) -> Json:
    if score is None:
        return None
    return {"correct": score.correct, "predicted": score.predicted, "expected": score.expected}


def verdict_records(found: Verdicts) -> Iterator[dict[str, Json]]:
    """One record per address: the verdict, why, and both sides as given and as compared.

    Values are JSON texts, so that null, "null" and 5.0 keep their spelling; a side that states nothing is null.
    """
    for one in found.judged:
        yield {
            "address": address_text(one.address),
            "verdict": str(one.verdict),
            "why": str(one.why),
            "truth": _written(one.truth),
            "truth_key": one.truth.key if one.truth else None,
            "prediction": _written(one.prediction),
            "prediction_key": one.prediction.key if one.prediction else None,
        }


def cell_records(found: ValueF1) -> Iterator[dict[str, Json]]:
    """One record per cell of the metric ``value-f1``: its addresses, values and keys, and what is right of it."""
    for one in found.cells:
        yield {
            "truth_address": one.truth.address if one.truth else None,
            "prediction_address": one.prediction.address if one.prediction else None,
            "correct": one.correct,
            "word": one.word,
            "page": one.page,
            "truth": _cell_text(one.truth),
            "truth_key": _key_text(one.truth),
            "prediction": _cell_text(one.prediction),
            "prediction_key": _key_text(one.prediction),
        }
    for address in found.extra:
        yield {
            "truth_address": None,
            "prediction_address": address,
            "correct": False,
            "word": None,
            "page": None,
            "truth": None,
            "truth_key": None,
            "prediction": None,
            "prediction_key": None,
        }


def address_text(address: Address) -> str:
    """An address as it is written: ``lines[0].sku``, and ``lines[p2].sku`` below an element that found no partner."""
    text = ""
    for step in address:
        if isinstance(step, Unpaired):
            text += f"[p{int(step)}]"
        elif isinstance(step, int):
            text += f"[{step}]"
        else:
            name = format_path((step,))
            text += name if not text or name[0] == "[" else f".{name}"
    return text


def place_text(place: Names) -> str:
    """A place without indices, ``orders[].items``."""
    return ".".join(place).replace(f".{ELEMENT}", ELEMENT)


def _written(scalar: Scalar | None) -> str | None:
    return None if scalar is None else _json_text(scalar.value)


def _cell_text(cell: Cell | None) -> str | None:
    return None if cell is None else _json_text(cell.value)


def _key_text(cell: Cell | None) -> str | None:
    if cell is None:
        return None
    return cell.key if isinstance(cell.key, str) else " ".join(cell.key).strip()


def _json_text(value: Json) -> str:
    return value.raw if isinstance(value, Malformed) else jsontext.dumps(value)
