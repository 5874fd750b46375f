"""What a score is made of, read from files: truths, predictions, rules and citations, with what is odd about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final

from flows.open_truth import require_complete
from groundtruth import jsontext
from groundtruth.errors import GoldleafError, JsonError
from groundtruth.jsontext import Json, find_malformed
from groundtruth.wording import counted

if TYPE_CHECKING:
    from groundtruth.ballot import Failure
    from scoring.field_evidence import FieldEvidence, KnownFields
    from scoring.places import Place, Places


@dataclass(slots=True)
class Truth:
    """A truth: its value, and what is known of its addresses."""

    value: Json
    evidence: Mapping[str, FieldEvidence] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Prediction:
    """What a system returned, and what it cites, with remarks for a person about what could not be taken as it is.

    Attributes:
        failure: why the run gave no answer, as its envelope says or its text shows; None for an answer.
        is_partial: whether its envelope says that the answer was cut.
    """

    value: Json
    citations: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    failure: Failure | None = None
    is_partial: bool = False


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

    Normalizers of a truth of ours join its evidence. A truth that breaks its schema is scored all the same, with the
    flag ``truth_breaks_schema``.

    Raises:
        JsonError: the file cannot be read, holds NaN or a key twice, or is no object.
        RulesError: evidence or rules that are none.
    """
    truth = truth_of(jsontext.load_file(path), str(path))
    if rules is not None:
        further = _field_rules(rules)
        truth.evidence = {**truth.evidence, **further} if truth.evidence else further
    truth.flags += breaks(schema, truth.value)
    return truth


def _field_rules(path: Path) -> KnownFields:
    from scoring.field_evidence import read_field_rules, rough_field_rules

    data = jsontext.read_bytes(path)
    rough = jsontext.rough(data)
    rules = rough_field_rules(rough) if rough is not None else None
    return rules or read_field_rules(jsontext.loads(data, source=str(path)), source=str(path))


def _citations(path: Path) -> Places:
    from scoring.field_evidence import read_citations, rough_citations

    data = jsontext.read_bytes(path)
    rough = jsontext.rough(data)
    citations = rough_citations(rough) if rough is not None else None
    return citations or read_citations(jsontext.loads(data, source=str(path)), source=str(path))


def truth_of(data: Json, path: str) -> Truth:
    """The truth in a file's JSON, not yet held against its schema.

    Raises:
        JsonError: no object.
        RulesError: evidence that is none.
        GoldleafError: leaves or rows of it are open.
    """
    from scoring.field_evidence import read_evidence, with_normalizers

    if not isinstance(data, dict):
        raise JsonError(f"{path}: a truth is a JSON object, not {_kind(data)}")
    truth = Truth(data)
    if {"document", "value"} <= data.keys():
        require_complete(data, path)
        if not isinstance(data["value"], dict):
            raise JsonError(f"{path}: the value of a truth is a JSON object, not {_kind(data['value'])}")
        truth.value = data["value"]
        evidence = read_evidence(data.get("evidence") or {}, source=path)
        truth.evidence = with_normalizers(evidence, data.get("normalizers") or {}, source=path)
    return truth


def breaks(schema: Json, value: Json) -> list[str]:
    """The flag of a truth that its schema refuses, with the first place; empty for one that fits."""
    if _plainly_fits(schema, value):
        return []
    from jsonschema.exceptions import SchemaError as BadSchema
    from jsonschema.exceptions import best_match
    from referencing.exceptions import Unresolvable

    from groundtruth.truth_check import plain, validator_of

    try:
        error = best_match(validator_of(schema).iter_errors(plain(value)))
    except (BadSchema, Unresolvable, TypeError, ValueError):
        return []  # whoever scores under this schema says what is wrong with it
    return [f"truth_breaks_schema:{error.json_path}"] if error is not None else []


_KINDS: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "number": (int, Decimal, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
    "object": (dict,),
    "array": (list,),
}
_SAYS_NOTHING: Final = frozenset({"title", "description", "$schema", "$id", "$comment", "examples", "default"})


def _plainly_fits(schema: Json, value: Json) -> bool:
    """Whether a value fits a schema of plain types, properties and items; False when this does not tell.

    A long list of plain rows is checked a hundred times as fast as by a validator, which is asked about all else.
    """
    if not isinstance(schema, dict) or not schema.keys() - _SAYS_NOTHING <= {"type", "properties", "items"}:
        return False
    declared = schema.get("type", [])
    kinds = declared if isinstance(declared, list) else [declared]
    if not all(isinstance(kind, str) and kind in _KINDS for kind in kinds):
        return False
    if kinds and type(value) not in {one for kind in kinds for one in _KINDS[kind]}:
        return False
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        return isinstance(properties, dict) and _rows_fit(properties, [value])
    if not isinstance(value, list):
        return True
    items = schema.get("items", {})
    if not isinstance(items, dict):
        return False
    if items.keys() - _SAYS_NOTHING == {"type", "properties"} and items["type"] == "object" and value:
        properties = items["properties"]
        return isinstance(properties, dict) and all(type(row) is dict for row in value) and _rows_fit(properties, value)
    return all(_plainly_fits(items, item) for item in value)


def _rows_fit(properties: Mapping[str, Json], rows: Sequence[dict[str, Json]]) -> bool:
    """The same of objects, property by property; scalars of one type are looked at once."""
    for name, schema in properties.items():
        kinds: dict[type, Json] = {}
        for row in rows:
            if name in row:
                value = row[name]
                if isinstance(value, (dict, list)):
                    if not _plainly_fits(schema, value):
                        return False
                else:
                    kinds[type(value)] = value
        if not all(_plainly_fits(schema, value) for value in kinds.values()):
            return False
    return True


_IN_ENVELOPES: Final = frozenset({"data", "output"})
"""Every envelope has one of these."""


def read_prediction(path: Path, citations: Path | None = None, schema: Json = None) -> Prediction:
    """What a system returned: the bare object, or one of the envelopes that ``goldleaf votes import`` reads.

    What is no object states nothing, with a flag; a value that is no trustworthy JSON (NaN, a key that stands twice)
    is wrong by itself and costs nothing else.

    Raises:
        JsonError: the file cannot be read or is no JSON.
        RulesError: citations that are none.
    """
    prediction = prediction_of(jsontext.read_bytes(path), source=str(path), schema=schema)
    if citations is not None:
        further = _citations(citations)
        prediction.citations = {**prediction.citations, **further} if prediction.citations else further
    return prediction


def prediction_of(text: bytes, *, source: str, schema: Json = None) -> Prediction:
    """The same from the bytes of a file; the schema tells an envelope from an extraction that has a field ``data``."""
    data, is_sound = jsontext.read(text, source=source)
    prediction = _unwrapped(data, schema)
    if not isinstance(prediction.value, dict):
        prediction.flags.append("prediction_is_no_object")
        prediction.remarks.append(f"{source}: is {_kind(prediction.value)} and no object, so it states nothing")
        prediction.value = {}
    malformed = [] if is_sound else find_malformed(prediction.value)
    if malformed:
        prediction.flags.append(f"malformed_values:{len(malformed)}")
        first = malformed[0]
        prediction.remarks.append(
            f"{source}: {counted(len(malformed), 'value is', 'values are')} no trustworthy JSON and wrong by that, the "
            f"first is {first.reason.replace('_', ' ')}: {first.raw[:60]}"
        )
    return prediction


def _unwrapped(data: Json, schema: Json) -> Prediction:
    """The extraction inside the known envelopes, with the citations that can be used."""
    if not isinstance(data, dict) or _IN_ENVELOPES.isdisjoint(data):
        return Prediction(data)

    from groundtruth.ballot import Status
    from groundtruth.ballot_files import answer_in
    from scoring.field_evidence import usable_citations

    answer = answer_in(data, _declared(schema))
    prediction = Prediction(answer.data, failure=answer.failure, is_partial=answer.status is Status.PARTIAL)
    prediction.remarks += answer.notes if answer.failure or answer.status is not Status.OK else ()
    if answer.citations:
        prediction.citations, left_out = usable_citations(answer.citations)
        if left_out:
            prediction.flags.append(f"unusable_citations:{left_out}")
    return prediction


def _declared(schema: Json) -> frozenset[str] | None:
    """The fields at the root of a schema; None when it cannot be read, as whoever scores under it will say."""
    from scoring.shape import shape_of

    try:
        return None if schema is None else frozenset(shape_of(schema).names)
    except GoldleafError:
        return None


def _kind(value: Json) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "a truth value", type(None): "null"}
    return next((name for kind, name in names.items() if isinstance(value, kind)), "a number")
