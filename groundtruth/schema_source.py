"""A JSON Schema as it was given: is it one at all, and what do its references point at?

Everything here looks at the text of the schema; ``schema_shape`` gives it a meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final
from urllib.parse import unquote

from groundtruth import jsontext
from groundtruth.closeness import did_you_mean
from groundtruth.jsontext import Json
from groundtruth.schema_finding import Code, Finding, Level

MAX_DEPTH: Final = 100
"""Levels of JSON in a schema. The check against the meta-schema recurses about six frames per level."""

MAX_SUBSCHEMAS: Final = 20_000
"""Subschemas in a schema, after its references are followed."""

DEFAULT_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

Steps = tuple[str | int, ...]
"""The way to a subschema, key by key."""

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


class Refused(Exception):
    """A subschema that cannot be used; whoever knows its place turns this into a finding."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def at(self, path: str) -> Finding:
        """The finding at a place."""
        return Finding(Level.ERROR, path, self.code, self.message)


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


def pointer(steps: Steps) -> str:
    """The JSON pointer of a place, as a reference writes it: ``#/properties/total``."""
    return "#" + "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


class SchemaSource:
    """The JSON of a schema, and what its local references point at.

    Attributes:
        root: the schema as it was given.
        findings: what is wrong with the text; a schema with an error among them must not be compiled.
    """

    def __init__(self, root: Json) -> None:
        self.root = root
        self.findings: list[Finding] = []
        self._anchors: dict[str, dict[str, Json]] = {}
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
        found = self._at_pointer(fragment) if fragment[:1] in {"", "/"} else self._anchors.get(fragment)
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

    def _examine(self) -> None:
        refusal = _not_a_schema(self.root)
        if refusal is not None:
            self.findings.append(refusal.at(""))
            return
        self._scan()
        if self.usable:
            for start, node in [("#", self.root), *self._scattered]:
                self.findings += _check_keywords(start, node, _dialect(self.root))
        if self.usable:
            self.findings += _check_dialect(self.root)

    def _scan(self) -> None:
        """Visit every subschema once, reached by nesting or by reference, to know anchors and refuse what is not read.

        A loop, because the depth of a hostile schema is what it guards against.
        """
        queue: list[tuple[Steps, dict[str, Json]]] = [((), self.root)]
        seen = {id(self.root)}
        references: list[tuple[Steps, str]] = []
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

    def _referenced(self, references: list[tuple[Steps, str]], seen: set[int]) -> list[tuple[Steps, dict[str, Json]]]:
        """Schemas in places that are no schema keyword (``#/components/schemas/Line``), reached by reference only."""
        found: list[tuple[Steps, dict[str, Json]]] = []
        for _, reference in references:
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

    def _note(
        self,
        steps: Steps,
        node: dict[str, Json],
        references: list[tuple[Steps, str]],
    ) -> None:
        for key in _DYNAMIC:
            if key in node:
                self._refuse(steps, Code.UNSUPPORTED, f"{key} is not read; use $ref to a schema under $defs")
        if isinstance(node.get("$anchor"), str):
            self._anchors.setdefault(node["$anchor"], node)
        identifier = node.get("$id")
        if isinstance(identifier, str) and steps:
            if identifier.startswith("#"):
                self._anchors.setdefault(identifier[1:], node)
            elif _holds_reference(node):
                self._refuse(
                    steps,
                    Code.UNSUPPORTED,
                    "an $id inside the schema moves what its $refs mean, which is not read; delete the $id and "
                    'write the references as "#/$defs/NAME"',
                )
        if isinstance(node.get("$ref"), str):
            references.append((steps, node["$ref"]))

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
    if not _SHAPING & root.keys():
        where = _wrapped_schema(root)
        if where is not None:
            return Refused(
                Code.WRAPPED,
                f"is not a bare JSON Schema and would accept anything: the schema is inside, under {where!r}; "
                f"save that part as a file of its own",
            )
    return None


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


def _wrapped_schema(root: dict[str, Json]) -> str | None:
    """Where in a wrapper the real schema stands, the shallowest first, then by name."""
    level: list[tuple[tuple[str, ...], Json]] = [((key,), value) for key, value in sorted(root.items())]
    for _ in range(_SEARCH_DEPTH):
        objects = [(steps, value) for steps, value in level if isinstance(value, dict)]
        for steps, value in objects:
            if isinstance(value.get("properties"), dict) or (_SHAPING & value.keys() and "type" in value):
                return ".".join(steps)
        level = [((*steps, key), child) for steps, value in objects for key, child in sorted(value.items())]
    return None


def _dialect(root: dict[str, Json]) -> str:
    declared = root.get("$schema", DEFAULT_DIALECT)
    return declared if isinstance(declared, str) else DEFAULT_DIALECT


def _check_keywords(start: str, node: dict[str, Json], dialect: str) -> list[Finding]:
    """What the meta-schema of the dialect finds wrong, in the order of the places."""
    return list(_faults(start, jsontext.dumps(node), dialect))


@lru_cache(maxsize=64)
def _faults(start: str, text: str, dialect: str) -> tuple[Finding, ...]:
    """As ``_check_keywords``; kept, because a check takes a millisecond per field and schemas are compiled often."""
    from jsonschema.exceptions import best_match

    validator = _validator(dialect)
    try:
        errors = list(validator.iter_errors(jsontext.loads(text)))
    except RecursionError:
        deep = Refused(Code.TOO_LARGE, "is nested too deep to be checked; flatten it")
        return (deep.at("" if start == "#" else start),)
    places: dict[str, list[Any]] = {}
    for error in errors:
        deepest = best_match([error]) or error
        place = start + pointer(tuple(deepest.absolute_path)).removeprefix("#")
        places.setdefault(place, []).append(deepest)
    return tuple(
        Refused(Code.INVALID_KEYWORD, f"{_fault(found[0])}; correct the schema").at(place)
        for place, found in sorted(places.items())
    )


def _fault(error: Any) -> str:
    keyword = error.absolute_path[-1] if error.absolute_path else ""
    value = jsontext.dumps(error.instance)
    shown = value if len(value) <= 60 else value[:57] + "..."
    if keyword == "type" or (len(error.absolute_path) > 1 and error.absolute_path[-2] == "type"):
        return f"{shown} is no JSON type; use string, number, integer, boolean, object, array or null"
    if error.validator == "type":
        wanted = error.validator_value if isinstance(error.validator_value, list) else [error.validator_value]
        return f"{shown} is not of the type this keyword takes ({' or '.join(wanted)})"
    return f"{shown} is not what this keyword takes ({error.message[:120]})"


def _validator(dialect: str) -> Any:
    import jsonschema

    known = {
        "http://json-schema.org/draft-04/schema": jsonschema.Draft4Validator,
        "http://json-schema.org/draft-06/schema": jsonschema.Draft6Validator,
        "http://json-schema.org/draft-07/schema": jsonschema.Draft7Validator,
        "https://json-schema.org/draft/2019-09/schema": jsonschema.Draft201909Validator,
    }
    kind = known.get(dialect.rstrip("#").replace("https://json-schema.org/draft-", "http://json-schema.org/draft-"))
    chosen = kind or jsonschema.Draft202012Validator
    return chosen(chosen.META_SCHEMA)


def _check_dialect(root: dict[str, Json]) -> list[Finding]:
    declared = _dialect(root).rstrip("#")
    path = "#/$schema"
    if "json-schema.org/draft-03/" in declared or "json-schema.org/draft-02/" in declared:
        old = Refused(Code.UNSUPPORTED, f"{declared} is too old: its keywords mean other things; use draft 4 or later")
        return [old.at(path)]
    if "json-schema.org/draft" in declared or declared == "http://json-schema.org/schema":
        return []
    message = f"{declared} is not known and the schema is read as draft 2020-12; write $schema as {DEFAULT_DIALECT}"
    return [Finding(Level.WARNING, path, Code.UNKNOWN_DIALECT, message)]
