"""What a subschema means: its alternatives, with references followed and combinators resolved.

``anyOf [string, null]``, ``type: [string, null]`` and an ``allOf`` over a reference to either come out the same: as
a list of ``Shape``, each free of ``$ref``, ``allOf``, ``anyOf`` and ``oneOf``. A value fits the subschema when it fits
one of them. Children stay unresolved ``Part``s, so that nothing is expanded before it is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from groundtruth.jsontext import Json
from groundtruth.schema_finding import Code, Exhausted, Refused
from groundtruth.schema_source import MAX_SUBSCHEMAS, SchemaSource, subschemas

MAX_NESTING: Final = 100
"""Subschemas around a subschema, counting each reference and each member of a combinator."""

MAX_ALTERNATIVES: Final = 64

_CONDITIONAL: Final = ("if", "then", "else", "dependentSchemas", "dependencies")
_UNION: Final = ("anyOf", "oneOf")


@dataclass(frozen=True, slots=True)
class Part:
    """A subschema as it was written, with the identities of the subschemas it stands in (references followed)."""

    node: Json
    around: frozenset[int] = field(default=frozenset(), compare=False)


Parts = tuple[Part, ...]
"""Subschemas that all hold; at least one."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One alternative of a subschema.

    Attributes:
        types: the JSON types it admits, ``null`` included; None when it does not say.
        members: the values it admits; None when it does not enumerate them.
        properties: what is declared of each property, in the order of the schema.
        required: the names that must be present; alternatives that differ in nothing else are one.
        items: what is declared of the items; empty when nothing is.
        extra_keys: whether keys beyond the declared ones have a schema (``additionalProperties``, a pattern).
        is_tuple: whether items are told apart by position.
        nullable: whether it says ``nullable: true``, as OpenAPI 3.0 does.
        format: the ``format`` keyword, or "".
        title: the outermost title, or "".
        description: the outermost description, or "".
        conditional: names of properties that are declared under a condition only.
    """

    types: frozenset[str] | None = None
    members: tuple[Json, ...] | None = None
    properties: dict[str, Parts] = field(default_factory=dict)
    required: tuple[str, ...] = field(default=(), compare=False)
    items: Parts = ()
    extra_keys: bool = False
    is_tuple: bool = False
    nullable: bool = False
    format: str = ""
    title: str = ""
    description: str = ""
    conditional: tuple[str, ...] = ()


class Shaper:
    """Resolves subschemas of one schema; counts its work, so that a schema that expands without end is refused."""

    def __init__(self, source: SchemaSource) -> None:
        self._source = source
        self._left = MAX_SUBSCHEMAS

    def alternatives(self, parts: Parts) -> list[Shape]:
        """The alternatives of subschemas that all hold; at least one.

        Raises:
            Exhausted: the schema as a whole expands to too many subschemas.
            Refused: recursion, a reference out of the file, or contradictory parts.
        """
        found = self._alternatives(parts[0])
        for part in parts[1:]:
            found = _both(found, self._alternatives(part))
        return found

    def inlined(self, parts: Parts) -> Json:
        """The subschemas as one, written out with every reference replaced by what it points at.

        Raises:
            Refused: as ``alternatives``; also a tuple anywhere inside.
        """
        if len(parts) == 1:
            return self._inlined(parts[0])
        return {"allOf": [self._inlined(part) for part in parts]}

    def _enter(self, part: Part) -> frozenset[int]:
        """Take a subschema into work; the identities that surround what is inside it."""
        self._left -= 1
        if self._left < 0:
            raise Exhausted(Code.TOO_LARGE, f"expands to more than {MAX_SUBSCHEMAS:,} subschemas; declare fewer fields")
        if len(part.around) >= MAX_NESTING:
            raise Refused(Code.TOO_LARGE, f"is nested deeper than {MAX_NESTING} subschemas; flatten it")
        return part.around | {id(part.node)}

    def _referenced(self, node: dict[str, Json], around: frozenset[int]) -> Part:
        reference = node["$ref"]
        target = self._source.lookup(reference)
        if id(target) in around and isinstance(target, dict):
            raise Refused(
                Code.RECURSION,
                f'$ref "{reference}" comes back to a schema it stands in; a document has no endless depth, so write '
                f"out the levels that occur",
            )
        return Part(target, around)

    def _alternatives(self, part: Part) -> list[Shape]:
        node = part.node
        if node is True:
            return [Shape()]
        if node is False:
            raise Refused(Code.NEVER, "admits no value at all (false); delete it or say what it holds")
        around = self._enter(part)
        found = [_own(node, around)]
        if "$ref" in node:
            found = _both(found, self._alternatives(self._referenced(node, around)))
        for member in node.get("allOf", ()):
            found = _both(found, self._alternatives(Part(member, around)))
        for keyword in _UNION:
            if keyword in node:
                found = _both(found, self._any([Part(member, around) for member in node[keyword]]))
        return found

    def _any(self, branches: Sequence[Part]) -> list[Shape]:
        """The alternatives of all branches; one that contradicts itself is left out while another stands."""
        found: list[Shape] = []
        refused: Refused | None = None
        for branch in branches:
            try:
                found += [shape for shape in self._alternatives(branch) if shape not in found]
            except Refused as error:
                if error.code not in {Code.CONFLICT, Code.NEVER}:
                    raise
                refused = refused or error
        if not found and refused is not None:
            raise refused
        return _few(found)

    def _inlined(self, part: Part) -> Json:
        node = part.node
        if isinstance(node, bool):
            return node
        around = self._enter(part)
        if declares_tuple(node):
            raise tuple_refusal()
        written = {key: value for key, value in node.items() if key not in {"$ref", "$defs", "definitions"}}
        for steps, child in subschemas(written):
            written = _with(written, steps, self._inlined(Part(child, around)))
        if "$ref" not in node:
            return written
        target = self._inlined(self._referenced(node, around))
        if isinstance(target, dict) and not target.keys() & written.keys():
            return {**target, **written}
        return {**written, "allOf": [target, *written.get("allOf", [])]}


def declares_tuple(node: dict[str, Json]) -> bool:
    """Whether a subschema tells the items of an array apart by position."""
    return bool(node.get("prefixItems")) or isinstance(node.get("items"), list)


def tuple_refusal() -> Refused:
    """The refusal of an array whose items are told apart by position."""
    return Refused(
        Code.TUPLE,
        "is a tuple (an array whose items have a schema by position); make it an object with a named field for each",
    )


def same_value(left: Json, right: Json) -> bool:
    """Whether two scalars are the same JSON value: 1 is 1.0, and true is neither."""
    return isinstance(left, bool) == isinstance(right, bool) and bool(left == right)


def _with(node: dict[str, Json], steps: tuple[str | int, ...], child: Json) -> dict[str, Json]:
    """A copy of the subschema in which the child at the steps is another."""
    key, *rest = steps
    held = node[str(key)]
    if not rest:
        return {**node, str(key): child}
    step = rest[0]
    if isinstance(held, list):
        return {**node, str(key): [child if index == step else item for index, item in enumerate(held)]}
    return {**node, str(key): {**held, step: child}}


def _own(node: dict[str, Json], around: frozenset[int]) -> Shape:
    """What a subschema says itself, its references and combinators aside."""
    properties = node.get("properties", {})
    items = node.get("items")
    members = _members(node)
    return Shape(
        types=_types(node, members),
        members=members,
        properties={name: (Part(child, around),) for name, child in properties.items()},
        required=tuple(node["required"]) if isinstance(node.get("required"), list) else (),
        items=(Part(items, around),) if isinstance(items, dict) else (),
        extra_keys=isinstance(node.get("additionalProperties"), dict) or bool(node.get("patternProperties")),
        is_tuple=declares_tuple(node),
        nullable=node.get("nullable") is True,
        format=_text(node, "format"),
        title=_text(node, "title"),
        description=_text(node, "description"),
        conditional=tuple(_conditional(node)),
    )


def _types(node: dict[str, Json], members: tuple[Json, ...] | None) -> frozenset[str] | None:
    declared = node.get("type")
    if declared is None:
        return None if members is None else frozenset(json_type(member) for member in members)
    return frozenset([declared] if isinstance(declared, str) else declared)


def json_type(value: Json) -> str:
    """The JSON type of a value; an integral number is an integer."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, (dict, list)):
        return "object" if isinstance(value, dict) else "array"
    return "integer" if value == int(value) else "number"


def _members(node: dict[str, Json]) -> tuple[Json, ...] | None:
    found: list[Json] | None = list(node["enum"]) if isinstance(node.get("enum"), list) else None
    if "const" in node:
        found = [node["const"]] if found is None else [item for item in found if same_value(item, node["const"])]
    return None if found is None else tuple(found)


def _text(node: dict[str, Json], keyword: str) -> str:
    value = node.get(keyword)
    return value if isinstance(value, str) else ""


def _conditional(node: dict[str, Json]) -> list[str]:
    """Properties that a condition declares and ``properties`` does not."""
    branches: list[Json] = []
    for keyword in _CONDITIONAL:
        value = node.get(keyword)
        if isinstance(value, dict):
            branches += [value] if keyword in {"if", "then", "else"} else value.values()
    names = {
        name
        for branch in branches
        if isinstance(branch, dict) and isinstance(branch.get("properties"), dict)
        for name in branch["properties"]
    }
    return sorted(names - node.get("properties", {}).keys())


def _both(left: list[Shape], right: list[Shape]) -> list[Shape]:
    """The alternatives that fit both sides; contradictory pairs are left out while another pair stands."""
    found: list[Shape] = []
    refused: Refused | None = None
    for one in left:
        for other in right:
            try:
                merged = _merge(one, other)
            except Refused as error:
                refused = refused or error
                continue
            if merged not in found:
                found.append(merged)
    if not found and refused is not None:
        raise refused
    return _few(found)


def _few(shapes: list[Shape]) -> list[Shape]:
    if len(shapes) > MAX_ALTERNATIVES:
        raise Refused(
            Code.TOO_LARGE, f"has more than {MAX_ALTERNATIVES} alternatives; write fewer anyOf and oneOf inside allOf"
        )
    return shapes


def _merge(one: Shape, other: Shape) -> Shape:
    """Both at once; of two titles, descriptions or formats the first (the outer) stands."""
    properties = dict(one.properties)
    for name, parts in other.properties.items():
        properties[name] = properties.get(name, ()) + parts
    return replace(
        one,
        types=_types_of_both(one.types, other.types),
        members=_members_of_both(one.members, other.members),
        properties=properties,
        required=tuple(dict.fromkeys(one.required + other.required)),
        items=one.items + other.items,
        extra_keys=one.extra_keys or other.extra_keys,
        is_tuple=one.is_tuple or other.is_tuple,
        nullable=one.nullable or other.nullable,
        format=one.format or other.format,
        title=one.title or other.title,
        description=one.description or other.description,
        conditional=tuple(dict.fromkeys(one.conditional + other.conditional)),
    )


def _types_of_both(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    if one is None or other is None:
        return other if one is None else one
    both = one & other
    if ("integer" in one and "number" in other) or ("number" in one and "integer" in other):
        # An integer is a number, so where one side says either, the narrower one holds.
        both |= {"integer"}
    if not both:
        raise Refused(
            Code.CONFLICT,
            f"cannot be {' or '.join(sorted(one))} and {' or '.join(sorted(other))} at once; make the parts agree",
        )
    return both


def _members_of_both(one: tuple[Json, ...] | None, other: tuple[Json, ...] | None) -> tuple[Json, ...] | None:
    if one is None or other is None:
        return other if one is None else one
    both = tuple(member for member in one if any(same_value(member, allowed) for allowed in other))
    if not both:
        raise Refused(Code.CONFLICT, "has enumerations without a common member; make the parts agree")
    return both


__all__ = ["Part", "Parts", "Shape", "Shaper", "declares_tuple", "json_type", "same_value", "tuple_refusal"]
