"""From the shapes of a schema to the tree of records, tables and leaves that is voted on.

Whatever cannot be used is recorded with its path and left out of the tree, so that one pass finds everything that is
wrong with a schema.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from groundtruth import jsontext
from groundtruth.jsontext import Json
from groundtruth.path import EACH, ROOT, Path, format_path
from groundtruth.rules import Comparator, FieldRule
from groundtruth.schema import Leaf, Node, Record, Table
from groundtruth.schema_finding import Code, Exhausted, Finding, Level, Refused
from groundtruth.schema_rules import BoundRules, comparator_for, refuse_list_order
from groundtruth.schema_shape import Parts, Shape, Shaper, json_type, same_value, tuple_refusal

_CONTAINERS: Final = frozenset({"object", "array"})
_DATE_FORMATS: Final = frozenset({"date", "date-time"})
_BY_TYPE: Final = {
    "string": Comparator.TEXT,
    "number": Comparator.NUMBER,
    "integer": Comparator.INTEGER,
    "boolean": Comparator.BOOLEAN,
}

_OPEN_MAP: Final = "is an open map (an object without declared properties)"
_UNION: Final = "is a union of objects, arrays or scalars"
_NESTED_ARRAY: Final = "is an array of arrays"
_ANY_ARRAY: Final = "is an array that does not say what it holds"
_MIXED_ARRAY: Final = "is an array whose items are no one kind of object or scalar"
_CURES: Final = {
    _OPEN_MAP: "declare its properties, or make it an array of objects with a key",
    _UNION: "give each kind a property of its own",
    _NESTED_ARRAY: "make the inner arrays objects with a named array",
    _ANY_ARRAY: "declare its items",
    _MIXED_ARRAY: "make all items one kind of object with declared properties",
}


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the builder is: the schema path, and the identity keys of the arrays around it, the outermost first."""

    path: Path = ROOT
    identities: tuple[tuple[str, ...], ...] = ()

    def step(self, name: str) -> _Place:
        return _Place((*self.path, name), self.identities)


class TreeBuilder:
    """Builds the tree of one schema.

    Attributes:
        findings: refusals and warnings so far, in the order of the tree.
    """

    def __init__(self, shaper: Shaper, rules: BoundRules) -> None:
        self._shaper = shaper
        self._rules = rules
        self.findings: list[Finding] = []

    def build(self, root: Parts) -> Record | None:
        """The tree, or None when the root itself is refused."""
        try:
            return self._root(self._shaper.alternatives(root))
        except Refused as refused:
            self.findings.append(refused.at(""))
            return None

    def _root(self, shapes: Sequence[Shape]) -> Record:
        objects = _objects(shapes)
        if len(objects) != 1 or not objects[0].properties or _types(shapes) - {"object", "null"}:
            raise Refused(
                Code.ROOT_NOT_OBJECT, 'must be one object with properties: {"type": "object", "properties": {...}}'
            )
        return self._record(_Place(), objects[0])

    def _record(self, place: _Place, shape: Shape) -> Record:
        record = Record(place.path)
        self._warn_of_extras(place, shape)
        for name, parts in shape.properties.items():
            inner = place.step(name)
            try:
                record.fields[name] = self._node(inner, parts)
            except Exhausted:
                raise
            except Refused as refused:
                self.findings.append(refused.at(format_path(inner.path)))
        return record

    def _warn_of_extras(self, place: _Place, shape: Shape) -> None:
        for name in shape.required:
            if name not in shape.properties:
                self._warn(
                    place.path, Code.UNDECLARED_REQUIRED, f"requires {name!r} but does not declare it; declare it"
                )
        if shape.conditional:
            names = ", ".join(shape.conditional)
            self._warn(
                place.path,
                Code.CONDITIONAL,
                f"declares {names} under a condition only, so nobody votes on them; move them to properties",
            )
        if shape.extra_keys:
            self._warn(
                place.path,
                Code.EXTRA_KEYS,
                "gives a schema to keys it does not name; nobody votes on those, so declare the ones that matter",
            )

    def _node(self, place: _Place, parts: Parts) -> Node:
        shapes = self._shaper.alternatives(parts)
        if any(shape.is_tuple for shape in shapes):
            raise tuple_refusal()
        types = _types(shapes) - {"null"}
        if not types & _CONTAINERS:
            return self._scalar(place, parts, shapes)
        objects, arrays = _objects(shapes), _arrays(shapes)
        if types == {"object"} and len(objects) == 1 and objects[0].properties:
            return self._record(place, objects[0])
        if types == {"array"} and len(arrays) == 1:
            return self._array(place, parts, shapes, arrays[0])
        reason = _OPEN_MAP if types == {"object"} and len(objects) == 1 else _UNION
        return self._opaque(place, parts, shapes, reason)

    def _array(self, place: _Place, parts: Parts, shapes: Sequence[Shape], array: Shape) -> Node:
        items = self._shaper.alternatives(array.items) if array.items else [Shape()]
        if any(item.is_tuple for item in items):
            raise tuple_refusal()
        types = _types(items) - {"null"}
        objects = _objects(items)
        if types == {"object"} and len(objects) == 1 and objects[0].properties:
            return self._table(place, shapes, objects[0])
        if not types:
            return self._opaque(place, parts, shapes, _ANY_ARRAY)
        if types & _CONTAINERS:
            return self._opaque(place, parts, shapes, _NESTED_ARRAY if types == {"array"} else _MIXED_ARRAY)
        return self._list(place, parts, shapes, items)

    def _table(self, place: _Place, shapes: Sequence[Shape], row: Shape) -> Table:
        keys = self._rules.identity.get(place.path, ())
        names = tuple(sorted(format_path(key) for key in keys))
        inner = _Place((*place.path, EACH), (*place.identities, names))
        return Table(
            place.path,
            self._record(inner, row),
            keys,
            title=_first(shape.title for shape in shapes),
            description=_first(shape.description for shape in shapes),
        )

    def _scalar(self, place: _Place, parts: Parts, shapes: Sequence[Shape]) -> Leaf:
        leaf = _scalar_leaf(self._leaf(place, parts, shapes), shapes)
        if not _types(shapes):
            self._warn(place.path, Code.NO_TYPE, "has no type and is read as text; declare its type")
        elif not _types(shapes) - {"null"}:
            self._warn(place.path, Code.ONLY_NULL, "can only be null; declare its type")
        refuse_list_order(leaf, self.findings)
        return replace(leaf, comparator=comparator_for(leaf, self.findings))

    def _list(self, place: _Place, parts: Parts, shapes: Sequence[Shape], items: Sequence[Shape]) -> Leaf:
        leaf = self._leaf(place, parts, shapes)
        # What a rule says of values holds for the items; what it says of the list, for the list.
        item = _scalar_leaf(replace(leaf, path=(*place.path, EACH), fingerprint=""), items)
        item = replace(item, nullable=_nullable(items))
        item = replace(item, comparator=comparator_for(item, self.findings))
        return replace(leaf, comparator=Comparator.LIST, types=frozenset({"array"}), item=item)

    def _opaque(self, place: _Place, parts: Parts, shapes: Sequence[Shape], reason: str) -> Leaf:
        leaf = replace(self._leaf(place, parts, shapes), comparator=Comparator.OPAQUE, types=_types(shapes) - {"null"})
        self._warn(
            place.path, Code.OPAQUE, f"{reason} and becomes one opaque leaf, compared as a whole; {_CURES[reason]}"
        )
        refuse_list_order(leaf, self.findings)
        comparator_for(leaf, self.findings)
        return leaf

    def _leaf(self, place: _Place, parts: Parts, shapes: Sequence[Shape]) -> Leaf:
        """What every kind of leaf has; comparator and types are still to be said."""
        rule = self._rules.fields.get(place.path, FieldRule())
        return Leaf(
            place.path,
            Comparator.TEXT,
            frozenset(),
            rule,
            nullable=_nullable(shapes),
            title=_first(shape.title for shape in shapes),
            description=_first(shape.description for shape in shapes),
            fingerprint=fingerprint(self._shaper.inlined(parts), rule, place.identities),
        )

    def _warn(self, path: Path, code: Code, message: str) -> None:
        self.findings.append(Finding(Level.WARNING, format_path(path), code, message))


def fingerprint(subschema: Json, rule: FieldRule, identities: Sequence[Sequence[str]]) -> str:
    """SHA-256 (hex) over all that says what a leaf means, and over nothing else.

    Args:
        subschema: the leaf's own subschema, references written out.
        rule: its rule; parts that have their default value do not count, nor does the order of null tokens.
        identities: the identity keys of the arrays around it, the outermost first, each sorted.
    """
    declared = rule.model_dump(mode="json", exclude_defaults=True)
    if "null_tokens" in declared:
        declared["null_tokens"] = sorted(declared["null_tokens"])
    text = jsontext.dumps({"subschema": subschema, "rule": declared, "identity": [list(keys) for keys in identities]})
    return hashlib.sha256(text.encode()).hexdigest()


def _scalar_leaf(leaf: Leaf, shapes: Sequence[Shape]) -> Leaf:
    types = _types(shapes) - {"null"}
    if "number" in types:
        types -= {"integer"}
    types = types or frozenset({"string"})
    members = _members(shapes)
    return replace(leaf, types=types, enum=members, comparator=_inferred(types, members, shapes))


def _inferred(types: frozenset[str], members: tuple[Json, ...], shapes: Sequence[Shape]) -> Comparator:
    if members and types != {"boolean"}:
        return Comparator.ENUM
    if len(types) > 1:
        return Comparator.UNION
    (only,) = types
    texts = [shape for shape in shapes if _admitted(shape) != {"null"}]
    if only == "string" and texts and all(shape.format in _DATE_FORMATS for shape in texts):
        return Comparator.DATE
    return _BY_TYPE[only]


def _members(shapes: Sequence[Shape]) -> tuple[Json, ...]:
    """The enumerated members without null; empty when an alternative admits values that are not enumerated."""
    found: list[Json] = []
    for shape in shapes:
        if _admitted(shape) == {"null"}:
            continue
        if shape.members is None:
            return ()
        fitting = (member for member in shape.members if member is not None and _fits(member, shape.types))
        found += [member for member in fitting if not any(same_value(member, held) for held in found)]
    return tuple(found)


def _admitted(shape: Shape) -> frozenset[str]:
    """The JSON types a shape admits; empty when it says nothing about its type."""
    types = shape.types
    if types is None:
        implied = {"object"} if shape.properties or shape.extra_keys else set()
        types = frozenset(implied | ({"array"} if shape.items else set()))
    elif shape.members is not None:
        types = frozenset(name for name in types if any(_fits(member, frozenset({name})) for member in shape.members))
        if not types:
            raise Refused(Code.CONFLICT, "enumerates no member of its own type; make the type and the members agree")
    return types | {"null"} if shape.nullable else types


def _fits(member: Json, types: frozenset[str] | None) -> bool:
    if types is None:
        return True
    held = json_type(member)
    return held in types or (held == "integer" and "number" in types)


def _types(shapes: Sequence[Shape]) -> frozenset[str]:
    return frozenset[str]().union(*map(_admitted, shapes))


def _nullable(shapes: Sequence[Shape]) -> bool:
    types = _types(shapes)
    return "null" in types or not types


def _objects(shapes: Sequence[Shape]) -> list[Shape]:
    """The alternatives that admit an object, those with the same properties once."""
    found: list[Shape] = []
    for shape in shapes:
        if "object" in _admitted(shape) and not any(shape.properties == other.properties for other in found):
            found.append(shape)
    return found


def _arrays(shapes: Sequence[Shape]) -> list[Shape]:
    """The alternatives that admit an array, those with the same items once."""
    found: list[Shape] = []
    for shape in shapes:
        if "array" in _admitted(shape) and not any(shape.items == other.items for other in found):
            found.append(shape)
    return found


def _first(texts: Iterable[str]) -> str:
    return next((text for text in texts if text), "")
