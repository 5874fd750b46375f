"""Where a truth breaks its own schema: everything that a program can tell without the page.

The keywords of the schema are judged by ``jsonschema``. A key that no part of the schema declares is a fault as well,
though JSON Schema lets it pass unless ``additionalProperties`` is false: no system that follows the schema can find it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from groundtruth import jsontext
from groundtruth.jsontext import Json
from groundtruth.path import Path, format_path

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

_SHOWN: Final = 60
_REQUIRED: Final = re.compile(r"'(?P<name>.*)' is a required property", re.DOTALL)
_UNIONS: Final = frozenset({"anyOf", "oneOf"})
_KEYS: Final = frozenset({"additionalProperties", "unevaluatedProperties"})


class FaultCode(StrEnum):
    """What is wrong with a value of a truth."""

    UNDECLARED_KEY = "undeclared_key"
    WRONG_TYPE = "wrong_type"
    NULL_NOT_ALLOWED = "null_not_allowed"
    NOT_IN_ENUM = "not_in_enum"
    MISSING_KEY = "missing_key"
    WRONG_FORMAT = "wrong_format"
    CONSTRAINT = "constraint"
    SCHEMA_UNUSABLE = "schema_unusable"


class Fault(NamedTuple):
    """One place where a truth breaks its schema.

    Attributes:
        code: what is wrong.
        path: the instance path, ``items[0].amount``; "" is the root.
        message: what stands there and what the schema asks for, one line.
    """

    code: FaultCode
    path: str
    message: str


def check_truth(value: Json, schema: Json) -> list[Fault]:
    """Every place where a truth breaks its schema, in the order of the truth; empty when it fits.

    Args:
        value: as ``jsontext`` reads it. Decimals are numbers.
        schema: the JSON Schema, in the dialect that it names, draft 2020-12 without one. What it refers to outside of
            itself is not fetched: it makes one fault, ``schema_unusable``, in the place of all others.
    """
    if not isinstance(schema, dict):
        return [Fault(FaultCode.SCHEMA_UNUSABLE, "", "the schema is no JSON object, so nothing can be checked")]
    places = {place: order for order, place in enumerate(_places(value, ()))}
    faults = [*_undeclared(value, schema), *_broken(value, schema)]
    # A missing key has no place of its own: it stands with what it is missing from.
    ordered = sorted(faults, key=lambda fault: (places.get(fault.at, 0), fault.code))
    return [Fault(one.code, format_path(one.at + one.below), one.message) for one in ordered]


class _Fault(NamedTuple):
    code: FaultCode
    at: Path
    below: Path
    message: str


def _places(value: Json, at: Path) -> Iterator[Path]:
    yield at
    children: Iterable[tuple[Any, Json]] = ()
    if isinstance(value, dict):
        children = value.items()
    elif isinstance(value, list):
        children = enumerate(value)
    for step, child in children:
        yield from _places(child, (*at, step))


# What the validator says


def validator_of(schema: Json, *, formats: Iterable[str] = ()) -> Validator:
    """The validator of a schema in its own dialect, draft 2020-12 without one; it fetches nothing.

    Values go to it as ``plain`` gives them. Asking it raises ``Unresolvable`` for what the schema refers to outside of
    itself, and whatever else ``jsonschema`` raises on a schema that is none.
    """
    from jsonschema import Draft202012Validator, FormatChecker
    from jsonschema.validators import validator_for
    from referencing import Registry

    kind = validator_for(schema, default=Draft202012Validator)
    # An empty registry, because the default one fetches what a schema refers to from the network.
    return kind(plain(schema), registry=Registry(), format_checker=FormatChecker(formats))


def _broken(value: Json, schema: dict[str, Json]) -> Iterator[_Fault]:
    from jsonschema.exceptions import SchemaError
    from referencing.exceptions import Unresolvable

    validator = validator_of(schema, formats=["date"])
    try:
        validator.check_schema(plain(schema))
        errors = list(validator.iter_errors(plain(value)))
    except (SchemaError, Unresolvable, RecursionError, TypeError, ValueError, re.error) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        yield _Fault(FaultCode.SCHEMA_UNUSABLE, (), (), f"the schema cannot be checked against: {first[:200]}")
        return
    for broken in errors:
        for leaf in _leaves(broken):
            if leaf.validator not in _KEYS:
                yield _fault(leaf)


def plain(value: Json) -> Json:
    """Numbers as ``jsonschema`` expects them: a Decimal is no number to it."""
    if isinstance(value, dict):
        return {name: plain(child) for name, child in value.items()}
    if isinstance(value, list):
        return [plain(child) for child in value]
    return float(value) if isinstance(value, Decimal) else value


def _leaves(error: ValidationError) -> Iterator[ValidationError]:
    """The errors of the branch of a union that was meant: the one whose type fits, with the fewest errors."""
    if error.validator not in _UNIONS or not error.context:
        yield error
        return
    branches: dict[Any, list[ValidationError]] = {}
    for inner in error.context:
        branches.setdefault(inner.relative_schema_path[0], []).append(inner)
    meant = [errors for errors in branches.values() if not any(map(_is_of_another_type, errors))]
    if not meant:
        rest = [errors for errors in branches.values() if errors[0].validator_value != "null"]
        meant = rest if len(rest) == 1 else []
    if not meant:
        yield error
        return
    for inner in min(meant, key=len):
        yield from _leaves(inner)


def _is_of_another_type(error: ValidationError) -> bool:
    return error.validator == "type" and not error.relative_path


def _fault(error: ValidationError) -> _Fault:
    at: Path = tuple(error.absolute_path)
    keyword, asked = str(error.validator), error.validator_value
    missing = _REQUIRED.fullmatch(error.message) if keyword == "required" else None
    if missing is not None:
        return _Fault(FaultCode.MISSING_KEY, at, (missing["name"],), "is required and is not there")
    code = {
        "type": FaultCode.WRONG_TYPE,
        "anyOf": FaultCode.WRONG_TYPE,
        "oneOf": FaultCode.WRONG_TYPE,
        "enum": FaultCode.NOT_IN_ENUM,
        "const": FaultCode.NOT_IN_ENUM,
        "format": FaultCode.WRONG_FORMAT,
    }.get(keyword, FaultCode.CONSTRAINT)
    if error.instance is None and code is not FaultCode.CONSTRAINT:
        code = FaultCode.NULL_NOT_ALLOWED
    wanted = "one of its branches" if keyword in _UNIONS else f"{keyword} {_shown(asked)}"
    return _Fault(code, at, (), f"{_shown(error.instance)}, where the schema asks for {wanted}")


def _shown(value: Json) -> str:
    text = jsontext.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


# Keys that nothing declares


@dataclass(slots=True)
class _Declared:
    """What the parts of a schema that apply to one place declare, together."""

    properties: dict[str, list[Json]] = field(default_factory=dict)
    patterns: list[re.Pattern[str]] = field(default_factory=list)
    items: list[Json] = field(default_factory=list)
    is_open: bool = False


def _undeclared(value: Json, schema: dict[str, Json]) -> Iterator[_Fault]:
    known: dict[tuple[int, ...], _Declared] = {}

    def walk(value: Json, nodes: list[Json], at: Path) -> Iterator[_Fault]:
        if not nodes or not isinstance(value, (dict, list)):
            return
        key = tuple(map(id, nodes))
        declared = known.get(key)
        if declared is None:
            declared = known[key] = _declared(nodes, schema)
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from walk(item, declared.items, (*at, index))
            return
        closed = bool(declared.properties) and not declared.is_open
        for name, child in value.items():
            if name in declared.properties:
                yield from walk(child, declared.properties[name], (*at, name))
            elif closed and not any(pattern.search(name) for pattern in declared.patterns):
                yield _Fault(
                    FaultCode.UNDECLARED_KEY,
                    (*at, name),
                    (),
                    f"the schema declares no such key; it holds {_shown(child)}",
                )

    yield from walk(value, [schema], ())


def _declared(nodes: list[Json], root: dict[str, Json]) -> _Declared:
    found = _Declared()
    for node in _parts(nodes, root):
        for name, child in _mapping(node.get("properties")).items():
            found.properties.setdefault(name, []).append(child)
        for pattern in _mapping(node.get("patternProperties")):
            try:
                found.patterns.append(re.compile(pattern))
            except re.error:
                found.is_open = True
        more = node.get("additionalProperties")
        found.is_open |= more is True or isinstance(more, dict)
        for keyword in ("items", "prefixItems", "additionalItems"):
            inner = node.get(keyword)
            found.items += inner if isinstance(inner, list) else [inner] if isinstance(inner, dict) else []
    return found


def _parts(nodes: list[Json], root: dict[str, Json]) -> list[dict[str, Json]]:
    """The nodes with everything that they refer to or that is combined with them, each once."""
    found: list[dict[str, Json]] = []
    seen: set[int] = set()
    queue = list(nodes)
    while queue:
        node = queue.pop(0)
        if not isinstance(node, dict) or id(node) in seen:
            continue
        seen.add(id(node))
        found.append(node)
        if isinstance(node.get("$ref"), str):
            queue.append(_target(node["$ref"], root))
        for keyword in ("allOf", "anyOf", "oneOf"):
            queue += node[keyword] if isinstance(node.get(keyword), list) else []
        queue += [node.get(keyword) for keyword in ("if", "then", "else")]
    return found


def _target(reference: str, root: Json) -> Json:
    """What a reference within the file points at; None for any other."""
    if not reference.startswith("#"):
        return None
    node = root
    for part in reference.removeprefix("#").split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        node = node.get(name) if isinstance(node, dict) else None
    return node


def _mapping(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}
