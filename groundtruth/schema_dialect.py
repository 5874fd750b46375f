"""Whether the keywords of a schema hold what its dialect of JSON Schema lets them hold."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from groundtruth import jsontext
from groundtruth.jsontext import Json
from groundtruth.schema_finding import Code, Finding, Level, Refused, pointer

NEWEST: Final = "https://json-schema.org/draft/2020-12/schema"

_READ: Final = {
    "json-schema.org/draft-04/schema": "Draft4Validator",
    "json-schema.org/draft-06/schema": "Draft6Validator",
    "json-schema.org/draft-07/schema": "Draft7Validator",
    "json-schema.org/draft/2019-09/schema": "Draft201909Validator",
    "json-schema.org/draft/2020-12/schema": "Draft202012Validator",
    "json-schema.org/schema": "Draft202012Validator",
}
"""The validator in ``jsonschema`` for each dialect that is read, without the scheme of its address."""

_TOO_OLD: Final = (
    "json-schema.org/draft-00/",
    "json-schema.org/draft-01/",
    "json-schema.org/draft-02/",
    "json-schema.org/draft-03/",
)
_PLACE: Final = "#/$schema"
_TYPES: Final = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


def check_dialect(declared: Json) -> list[Finding]:
    """What is to be said about the value of ``$schema``; without one, a schema is read as the newest dialect."""
    if not isinstance(declared, str) or _bare(declared) in _READ:
        return []
    if _bare(declared).startswith(_TOO_OLD):
        message = f"{declared} is too old: its keywords mean other things; write the schema in draft 4 or later"
        return [Refused(Code.UNSUPPORTED, message).at(_PLACE)]
    message = f"{declared} is not known, so the schema is read as draft 2020-12; write {NEWEST}"
    return [Finding(Level.WARNING, _PLACE, Code.UNKNOWN_DIALECT, message)]


def check_keywords(node: dict[str, Json], dialect: Json, *, start: str = "#") -> list[Finding]:
    """What the meta-schema of the dialect finds wrong, in the order of the places.

    Args:
        node: a schema with everything inside it.
        dialect: the value of ``$schema``; an unknown one is read as the newest.
        start: the pointer of ``node``.
    """
    try:
        if _is_plain(node):
            return []
        return list(_faults(start, jsontext.dumps(node), dialect if isinstance(dialect, str) else NEWEST))
    except RecursionError:
        deep = Refused(Code.TOO_LARGE, "is nested too deep to be checked; flatten it")
        return [deep.at("" if start == "#" else start)]


def _is_plain(node: Json) -> bool:
    """Whether a schema is one of few keywords, in the form that every dialect takes; False when this does not tell.

    It spares most schemas the library that knows the dialects, which takes longer to load than to score a document.
    """
    return isinstance(node, dict) and all(_is_plain_keyword(keyword, value) for keyword, value in node.items())


def _is_plain_keyword(keyword: str, value: Json) -> bool:
    if keyword in {"title", "description"}:
        return isinstance(value, str)
    if keyword == "type":
        kinds = value if isinstance(value, list) else [value]
        return all(isinstance(kind, str) and kind in _TYPES for kind in kinds) and 0 < len(kinds) == len(set(kinds))
    if keyword == "properties":
        return isinstance(value, dict) and all(map(_is_plain, value.values()))
    return keyword == "items" and _is_plain(value)


@lru_cache(maxsize=64)
def _faults(start: str, text: str, dialect: str) -> tuple[Finding, ...]:
    """The findings on a schema given as text; kept, because the check takes about a millisecond per field."""
    from jsonschema.exceptions import best_match

    places: dict[str, Any] = {}
    for error in _validator(dialect).iter_errors(jsontext.loads(text)):
        deepest = best_match([error]) or error
        places.setdefault(start + pointer(tuple(deepest.absolute_path)).removeprefix("#"), deepest)
    return tuple(
        Refused(Code.INVALID_KEYWORD, f"{_fault(error)}; correct the schema").at(place)
        for place, error in sorted(places.items())
    )


def _fault(error: Any) -> str:
    value = jsontext.dumps(error.instance)
    shown = value if len(value) <= 60 else value[:57] + "..."
    if _is_type_keyword(list(error.absolute_path)):
        return f"{shown} is no JSON type; use string, number, integer, boolean, object, array or null"
    if error.validator == "type":
        wanted = error.validator_value if isinstance(error.validator_value, list) else [error.validator_value]
        return f"{shown} is not of the type this place takes ({' or '.join(wanted)})"
    return f"{shown} is not what this keyword takes ({error.message[:120]})"


def _is_type_keyword(path: list[str | int]) -> bool:
    """Whether a place is the keyword ``type`` or a member of its list, and not a property of that name."""
    keyword = path[:-1] if path and isinstance(path[-1], int) else path
    return keyword[-1:] == ["type"] and keyword[-2:-1] != ["properties"]


def _validator(dialect: str) -> Any:
    import jsonschema

    kind = getattr(jsonschema, _READ.get(_bare(dialect), _READ[_bare(NEWEST)]))
    return kind(kind.META_SCHEMA)


def _bare(address: str) -> str:
    return address.partition("://")[2].rstrip("#")
