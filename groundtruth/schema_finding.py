"""What is to be said about a schema and its rules: refusals and warnings, each with a place and a cure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Level(StrEnum):
    """Whether a finding stands in the way of a vote."""

    ERROR = "error"
    WARNING = "warning"


class Code(StrEnum):
    """Every kind of finding: the closed set."""

    # Refusals of the schema.
    NOT_A_SCHEMA = "not_a_schema"
    WRAPPED = "wrapped"
    INVALID_KEYWORD = "invalid_keyword"
    UNSUPPORTED = "unsupported"
    TOO_LARGE = "too_large"
    ROOT_NOT_OBJECT = "root_not_object"
    REMOTE_REF = "remote_ref"
    BROKEN_REF = "broken_ref"
    RECURSION = "recursion"
    TUPLE = "tuple"
    CONFLICT = "conflict"
    NEVER = "never"
    # Refusals of the rules.
    UNKNOWN_FIELD = "unknown_field"
    UNKNOWN_ARRAY = "unknown_array"
    UNKNOWN_KEY = "unknown_key"
    RULE_CANNOT_APPLY = "rule_cannot_apply"
    UNKNOWN_LOCALE = "unknown_locale"
    # Warnings.
    OPAQUE = "opaque"
    NOT_NULLABLE = "not_nullable"
    ONLY_NULL = "only_null"
    NO_TYPE = "no_type"
    NO_DESCRIPTION = "no_description"
    NO_IDENTITY = "no_identity"
    WEAK_IDENTITY = "weak_identity"
    UNDECLARED_REQUIRED = "undeclared_required"
    EXTRA_KEYS = "extra_keys"
    CONDITIONAL = "conditional"
    UNKNOWN_DIALECT = "unknown_dialect"
    RULE_WITHOUT_EFFECT = "rule_without_effect"


RULE_ERRORS: Final = frozenset(
    {Code.UNKNOWN_FIELD, Code.UNKNOWN_ARRAY, Code.UNKNOWN_KEY, Code.RULE_CANNOT_APPLY, Code.UNKNOWN_LOCALE}
)
"""The errors that lie in the rules and not in the schema."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to know about a schema or its rules.

    Attributes:
        level: whether it must be mended before a vote.
        path: a schema path such as ``items[].amount``, or a JSON pointer such as ``#/$defs/Line/type`` where the
            place is no field; "" is the root.
        code: what kind of thing it is.
        message: what is wrong and what to do.
    """

    level: Level
    path: str
    code: Code
    message: str

    def __str__(self) -> str:
        """The place and the message on one line."""
        return f"{self.path or 'the root'}: {self.message}"


Steps = tuple[str | int, ...]
"""The way to a subschema in the JSON of a schema, key by key."""


def pointer(steps: Steps) -> str:
    """The JSON pointer of a place, as a reference writes it: ``#/properties/total``."""
    return "#" + "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


class Refused(Exception):
    """A subschema that cannot be used; whoever knows its place turns this into a finding."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def at(self, path: str) -> Finding:
        """The finding at a place."""
        return Finding(Level.ERROR, path, self.code, self.message)


class Exhausted(Refused):
    """The schema as a whole is too large, wherever that was noticed."""
