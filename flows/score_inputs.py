"""What a score is made of, read from files: truths, predictions, rules and citations, with what is odd about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from groundtruth import jsontext
from groundtruth.errors import JsonError
from groundtruth.jsontext import Json, find_malformed

if TYPE_CHECKING:
    from scoring.field_evidence import FieldEvidence, Place


@dataclass(slots=True)
class Truth:
    """A truth: its value, and what is known of its addresses."""

    value: Json
    evidence: dict[str, FieldEvidence] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Prediction:
    """What a system returned, and what it cites, with remarks for a person about what could not be taken as it is."""

    value: Json
    citations: dict[str, tuple[Place, ...]] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def read_schema(path: Path) -> Json:
    """A JSON Schema, as it stands in its file.

    Raises:
        JsonError: the file cannot be read, or is no JSON object.
    """
    schema = jsontext.load_file(path)
    if not isinstance(schema, dict) or not schema:
        raise JsonError(f"{path}: a schema is a JSON object that says something, not {_kind(schema)}")
    return schema


def read_truth(path: Path, schema: Json, rules: Path | None = None) -> Truth:
    """A truth file: ours, which has ``value`` and ``evidence`` beside ``document``, or the bare object.

    A truth that breaks its schema is scored all the same, with the flag ``truth_breaks_schema``.

    Raises:
        JsonError: the file cannot be read, holds NaN or a key twice, or is no object.
        RulesError: evidence or rules that are none.
    """
    from scoring.field_evidence import read_evidence, read_field_rules

    data = jsontext.load_file(path)
    if not isinstance(data, dict):
        raise JsonError(f"{path}: a truth is a JSON object, not {_kind(data)}")
    truth = Truth(data)
    if {"document", "value"} <= data.keys():
        if not isinstance(data["value"], dict):
            raise JsonError(f"{path}: the value of a truth is a JSON object, not {_kind(data['value'])}")
        truth.value = data["value"]
        truth.evidence = read_evidence(data.get("evidence") or {}, source=str(path))
    if rules is not None:
        truth.evidence |= read_field_rules(jsontext.load_file(rules), source=str(rules))
    truth.flags += breaks(schema, truth.value)
    return truth


def breaks(schema: Json, value: Json) -> list[str]:
    """The flag of a truth that its schema refuses, with the first place; empty for one that fits."""
    from jsonschema.exceptions import SchemaError as BadSchema
    from jsonschema.exceptions import best_match
    from jsonschema.validators import validator_for

    try:
        error = best_match(validator_for(schema)(schema).iter_errors(_plain(value)))
    except (BadSchema, TypeError, ValueError):
        return []  # whoever scores under this schema says what is wrong with it
    return [f"truth_breaks_schema:{error.json_path}"] if error is not None else []


def _plain(value: Json) -> Json:
    """Numbers as jsonschema expects them: a Decimal is no number to it."""
    from decimal import Decimal

    if isinstance(value, dict):
        return {name: _plain(child) for name, child in value.items()}
    if isinstance(value, list):
        return [_plain(child) for child in value]
    return float(value) if isinstance(value, Decimal) else value


def read_prediction(path: Path, citations: Path | None = None) -> Prediction:
    """What a system returned: the bare object, or one of the envelopes that ``goldleaf votes import`` reads.

    What is no object states nothing, with a flag; a value that is no trustworthy JSON (NaN, a key that stands twice)
    is wrong by itself and costs nothing else.

    Raises:
        JsonError: the file cannot be read or is no JSON.
        RulesError: citations that are none.
    """
    from scoring.field_evidence import read_citations

    prediction = prediction_of(jsontext.read_bytes(path), source=str(path))
    if citations is not None:
        prediction.citations |= read_citations(jsontext.load_file(citations), source=str(citations))
    return prediction


def prediction_of(text: bytes, *, source: str) -> Prediction:
    """The same from the bytes of a file."""
    data = jsontext.loads_tolerant(text, source=source)
    prediction = _unwrapped(data, source)
    if not isinstance(prediction.value, dict):
        prediction.flags.append("prediction_is_no_object")
        prediction.remarks.append(f"{source}: is {_kind(prediction.value)} and no object, so it states nothing")
        prediction.value = {}
    malformed = list(find_malformed(prediction.value))
    if malformed:
        prediction.flags.append(f"malformed_values:{len(malformed)}")
        first = malformed[0]
        prediction.remarks.append(
            f"{source}: {len(malformed)} values are no trustworthy JSON and count as wrong, the first is "
            f"{first.reason.replace('_', ' ')}: {first.raw[:60]}"
        )
    return prediction


def _unwrapped(data: Json, source: str) -> Prediction:
    """The extraction inside the known envelopes, with its citations."""
    from scoring.field_evidence import read_citations

    if isinstance(data, dict):
        output = data.get("output")
        if isinstance(output, dict) and "extracted_data" in output and "request" in data:
            cited = output.get("field_citations") or []
            return Prediction(output["extracted_data"], dict(read_citations(cited, source=source)))
        if "data" in data and data.keys() <= _ENVELOPE and isinstance(data["data"], (dict, list, type(None))):
            return Prediction(data["data"])
    return Prediction(data)


_ENVELOPE: Final = frozenset(
    {"data", "status", "error", "error_type", "meta", "metadata", "model", "usage", "failure", "cost", "seconds"}
)


def _kind(value: Json) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "a truth value", type(None): "null"}
    return next((name for kind, name in names.items() if isinstance(value, kind)), "a number")
