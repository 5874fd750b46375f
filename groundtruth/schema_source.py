"""A JSON Schema as it was given: is it one at all, and what do its references point at?

Everything here looks at the text of the schema; ``schema_shape`` gives it a meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

from groundtruth import jsontext
from groundtruth.closeness import did_you_mean
from groundtruth.jsontext import Json
from groundtruth.schema_dialect import check_dialect, check_keywords
from groundtruth.schema_finding import Code, Finding, Level, Refused, Steps, pointer

MAX_DEPTH: Final = 100
"""Levels of JSON in a schema. The check against the meta-schema takes up to six frames of the stack for each."""

MAX_SUBSCHEMAS: Final = 20_000
"""Subschemas in a schema, after its references are followed."""

_ONE: Final = frozenset(
    {
        "items", "additionalItems", "contains", "additionalProperties", "propertyNames", "unevaluatedItems",
        "unevaluatedProperties", "not", "if", "then", "else", "contentSchema",
    }
)  # fmt: skip
_SEVERAL: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})
_NAMED: Final = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)
_SHAPING: Final = frozenset({"properties", "$ref", "allOf", "anyOf", "oneOf"})
_DYNAMIC: Final = ("$dynamicRef", "$recursiveRef")
_SEARCH_DEPTH: Final = 3


def subschemas(node: dict[str, Json]) -> Iterator[tuple[Steps, Json]]:
    """The subschemas directly inside a schema, each with the steps that lead to it.

    Keywords that hold data (``enum``, ``default``, ``examples``) are not entered.
    """
    for key, value in node.items():
        if key in _NAMED and isinstance(value, dict):
            yield from (((key, name), child) for name, child in value.items() if is_schema(child))
        elif key in _SEVERAL and isinstance(value, list):
            yield from (((key, index), child) for index, child in enumerate(value) if is_schema(child))
        elif key in _ONE and is_schema(value):
            yield (key,), value


def is_schema(value: Json) -> bool:
    """Whether a value may stand where a schema stands: an object, true or false."""
    return isinstance(value, (dict, bool))


class SchemaSource:
    """The JSON of a schema, and what its local references point at.

    Attributes:
        root: the schema as it was given.
        findings: what is wrong with the text; a schema with an error among them must not be compiled.
    """

    def __init__(self, root: Json) -> None:
        self.root = root
        self.findings: list[Finding] = []
        self._anchors: dict[str, list[dict[str, Json]]] = {}
        self._scattered: list[tuple[str, dict[str, Json]]] = []
        self._examine()

    @property
    def usable(self) -> bool:
        """Whether the text is a JSON Schema that can be read further."""
        return not any(finding.level is Level.ERROR for finding in self.findings)

    def lookup(self, reference: str) -> Json:
        """The subschema that a reference points at.

        Raises:
            Refused: it points out of the file, at nothing, or at something that is not a schema.
        """
        base, _, fragment = reference.partition("#")
        if base and base != self._own_address():
            raise Refused(
                Code.REMOTE_REF,
                f'$ref "{reference}" points out of the file; copy that schema under $defs and refer to '
                f'it as "#/$defs/NAME"',
            )
        fragment = unquote(fragment)
        found = self._at_pointer(fragment) if fragment[:1] in {"", "/"} else self._at_anchor(fragment)
        if not is_schema(found):
            known = [f"#/{key}/{name}" for key in ("$defs", "definitions") for name in self._names(key)]
            raise Refused(
                Code.BROKEN_REF,
                f'$ref "{reference}" points at no schema; correct it or define it{did_you_mean(reference, known)}',
            )
        return found

    def _own_address(self) -> str:
        address = self.root.get("$id", self.root.get("id"))
        return address.rstrip("#") if isinstance(address, str) else ""

    def _names(self, key: str) -> list[str]:
        section = self.root.get(key)
        return list(section) if isinstance(section, dict) else []

    def _at_pointer(self, fragment: str) -> Json:
        place: Json = self.root
        for token in fragment.split("/")[1:]:
            step = token.replace("~1", "/").replace("~0", "~")
            if isinstance(place, dict):
                place = place.get(step)
            elif isinstance(place, list) and step.isdecimal() and int(step) < len(place):
                place = place[int(step)]
            else:
                return None
        return place

    def _at_anchor(self, name: str) -> Json:
        found = self._anchors.get(name, [])
        if len(found) > 1:
            raise Refused(Code.BROKEN_REF, f'$ref "#{name}" points at {len(found)} schemas; give each its own $anchor')
        return found[0] if found else None

    def _examine(self) -> None:
        refusal = _not_a_schema(self.root)
        if refusal is not None:
            self.findings.append(refusal.at(""))
            return
        self._scan()
        if self.usable:
            dialect = self.root.get("$schema")
            for start, node in [("#", self.root), *self._scattered]:
                self.findings += check_keywords(node, dialect, start=start)
            self.findings += check_dialect(dialect)

    def _scan(self) -> None:
        """Visit every subschema once, reached by nesting or by reference, to know anchors and refuse what is not read.

        A loop, because the depth of a hostile schema is what it guards against.
        """
        queue: list[tuple[Steps, dict[str, Json]]] = [((), self.root)]
        seen = {id(self.root)}
        references: list[str] = []
        while queue:
            steps, node = queue.pop()
            self._note(steps, node, references)
            fresh = [
                ((*steps, *more), child)
                for more, child in subschemas(node)
                if isinstance(child, dict) and id(child) not in seen
            ]
            seen.update(id(child) for _, child in fresh)
            queue += fresh
            if len(seen) > MAX_SUBSCHEMAS:
                self._refuse((), Code.TOO_LARGE, f"has more than {MAX_SUBSCHEMAS:,} subschemas; split it")
                return
            if not queue:
                queue += self._referenced(references, seen)

    def _referenced(self, references: list[str], seen: set[int]) -> list[tuple[Steps, dict[str, Json]]]:
        """Schemas in places that are no schema keyword (``#/components/schemas/Line``), reached by reference only."""
        found: list[tuple[Steps, dict[str, Json]]] = []
        for reference in references:
            try:
                target = self.lookup(reference)
            except Refused:
                continue  # whoever follows the reference says so, at the field that needs it
            if isinstance(target, dict) and id(target) not in seen:
                seen.add(id(target))
                self._scattered.append((reference, target))
                found.append((tuple(reference.lstrip("#/").split("/")), target))
        references.clear()
        return found

    def _note(self, steps: Steps, node: dict[str, Json], references: list[str]) -> None:
        for key in _DYNAMIC:
            if key in node:
                self._refuse(steps, Code.UNSUPPORTED, f"{key} is not read; use $ref to a schema under $defs")
        if isinstance(node.get("$anchor"), str):
            self._anchors.setdefault(node["$anchor"], []).append(node)
        identifier = node.get("$id")
        if isinstance(identifier, str) and steps:
            if identifier.startswith("#"):
                self._anchors.setdefault(identifier[1:], []).append(node)
            elif _holds_reference(node):
                self._refuse(
                    steps,
                    Code.UNSUPPORTED,
                    "an $id inside the schema moves what its $refs mean, which is not read; delete the $id and "
                    'write the references as "#/$defs/NAME"',
                )
        if isinstance(node.get("$ref"), str):
            references.append(node["$ref"])

    def _refuse(self, steps: Steps, code: Code, message: str) -> None:
        self.findings.append(Refused(code, message).at(pointer(steps) if steps else ""))


def _holds_reference(node: dict[str, Json]) -> bool:
    queue = [node]
    while queue:
        current = queue.pop()
        if "$ref" in current:
            return True
        queue += [child for _, child in subschemas(current) if isinstance(child, dict)]
    return False


def _not_a_schema(root: Json) -> Refused | None:
    if not isinstance(root, dict):
        return Refused(
            Code.NOT_A_SCHEMA,
            f'a JSON Schema here is an object like {{"type": "object", "properties": ...}}, not {_kind(root)}',
        )
    if _deeper_than(root, MAX_DEPTH):
        return Refused(Code.TOO_LARGE, f"is nested deeper than {MAX_DEPTH} levels of JSON; flatten it")
    malformed = jsontext.find_malformed(root)
    if malformed:
        reason = malformed[0].reason.replace("_", " ")
        return Refused(Code.NOT_A_SCHEMA, f"holds a {reason}: {malformed[0].raw[:80]}; correct the file")
    if not (_SHAPING | {"items"}) & root.keys():
        return _wrapped(root)
    return None


def _wrapped(root: dict[str, Json]) -> Refused | None:
    """The refusal of a file that holds a schema somewhere inside and says nothing at its root."""
    where = _inner_schema(root)
    if where is None:
        return None
    cure = "save that part as a file of its own"
    if where[0] in {"$defs", "definitions"}:
        cure = f'add "$ref": "{pointer(where)}" at the root if that is the one'
    return Refused(
        Code.WRAPPED,
        f"is not a bare JSON Schema and would accept anything: the schema is inside, under {'.'.join(where)!r}; {cure}",
    )


def _kind(value: Json) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    names = {list: "an array", str: "a text", type(None): "null"}
    return names.get(type(value), "a number")


def _deeper_than(value: Json, limit: int) -> bool:
    level: list[Json] = [value]
    for _ in range(limit):
        level = [
            child
            for outer in level
            for child in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(child, (dict, list))
        ]
        if not level:
            return False
    return True


def _inner_schema(root: dict[str, Json]) -> tuple[str, ...] | None:
    """Where in a wrapper the real schema stands, the shallowest first, then by name."""
    level: list[tuple[tuple[str, ...], Json]] = [((key,), value) for key, value in sorted(root.items())]
    for _ in range(_SEARCH_DEPTH):
        objects = [(steps, value) for steps, value in level if isinstance(value, dict)]
        for steps, value in objects:
            if isinstance(value.get("properties"), dict) or (_SHAPING & value.keys() and "type" in value):
                return steps
        level = [((*steps, key), child) for steps, value in objects for key, child in sorted(value.items())]
    return None
